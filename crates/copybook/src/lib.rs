//! COBOL copybooks: parsed, laid out, and used to turn record bytes into JSON and back.
//!
//! Pure functions: no IO, no clock, no async. Text of other members comes from a resolver that the caller gives.
//!
//! ```text
//! text --source--> characters --copy--> characters --token--> tokens --parse--> Copybook (tree of DataItem)
//! Copybook --layout--> RecordLayout (offsets) --plan--> Converter --decode--> JSON
//!                                                              JSON --encode--> record bytes
//! ```
//!
//! Invariants
//! - Decimal numbers never pass through a binary float: digits are counted in a `u128` with a scale.
//! - A value that does not fit its item is an error that names JSON pointer, item and offset; nothing is cut off.
//! - Converting allocates for a record, never for an item of it.
//!
//! ```
//! use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions};
//!
//! let text = "01 ORDER. 05 NUMBER PIC 9(4). 05 PRICE PIC S9(3)V99 COMP-3.";
//! let copybook = Copybook::parse(text, &ParseOptions::default())?;
//! let layout = copybook.layout(None, &LayoutOptions::default())?;
//! let converter = Converter::new(&layout, &ConvertOptions::of_ccsid(37))?;
//! let mut record = Vec::new();
//! converter.encode(br#"{"NUMBER": 17, "PRICE": -1.5}"#, &mut record)?;
//! assert_eq!(record, b"\xF0\xF0\xF1\xF7\x00\x15\x0D");
//! let mut json = Vec::new();
//! converter.decode(&record, &mut json)?;
//! assert_eq!(json, br#"{"NUMBER":17,"PRICE":-1.5}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/copybook.md` describes what is accepted and how it maps.

mod big;
mod codec;
mod compiler;
mod copy;
mod decimal;
mod decode;
mod editing;
mod encode;
mod error;
mod external_float;
pub mod field;
mod file_text;
mod float;
mod item;
pub mod json;
mod layout;
mod names;
mod node;
mod options;
mod parse;
mod picture;
mod plan;
mod schema;
mod selector;
mod shape;
mod source;
mod text;
mod token;
mod zoned;

#[cfg(test)]
mod tests;

pub use compiler::Compiler;
pub use error::{CopybookError, CutOff, DataError, DataProblem, PlanError, Problem};
pub use file_text::text_of_file;
pub use item::{Condition, Copybook, DataItem, Literal, Occurs, Renames, SignClause, Usage, Value};
pub use layout::{LayoutItem, RecordLayout, RenamesPlace, Repetition};
pub use options::{
    Adjustment, AsciiSign, Change, Choices, ConvertOptions, FloatForm, Format, Graphic, LayoutOptions, NameStyle,
    ParseOptions, Redefines, Resolver, Slack, is_currency_sign,
};
pub use picture::{Category, Picture};
pub use plan::Converter;
pub use selector::{Selector, SelectorError};
pub use shape::{FieldPlace, Shape, ValueKind};
pub use source::detect;
