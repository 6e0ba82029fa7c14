//! The crate's public face.

mod adjusted;
mod compilers;
mod copybooks;
mod gnucobol;
mod layouts;
mod properties;
mod records;
mod vectors;

use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions, RecordLayout};

fn layout(text: &str) -> RecordLayout {
    let copybook = Copybook::parse(text, &ParseOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    copybook.layout(None, &LayoutOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn converter(text: &str, options: &ConvertOptions) -> Converter {
    Converter::new(&layout(text), options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
