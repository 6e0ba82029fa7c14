//! `copybook layout|schema|encode|decode`: what a copybook describes, and records turned into JSON and back.
//!
//! The work is done by the crate `copybook`; here files are read, members of COPY found, and options named. Whole files of records are
//! converted by `files.rs`.

mod files;

use std::io::{Read, Write, stdin};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use codepage::{ByteOrder, CharacterSet};
use copybook::{
    Adjustment, AsciiSign, Change, Compiler, ConvertOptions, Converter, Copybook, CopybookError, FloatForm, Format,
    Graphic, LayoutItem, LayoutOptions, NameStyle, ParseOptions, PlanError, RecordLayout, Redefines, Slack,
};
use serde_json::{Map, Value, json};

use super::failure::Failure;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show offset and length of every item.
    Layout(LayoutArguments),
    /// Print the JSON Schema of a record.
    Schema(SchemaArguments),
    /// Convert a JSON object to a record, or JSON lines, CSV or Parquet to a file of records.
    Encode(ConvertArguments),
    /// Convert a record to a JSON object, or a file of records to JSON lines, CSV or Parquet.
    Decode(ConvertArguments),
}

/// Which record, and how the copybook is read.
#[derive(Debug, Args)]
struct Source {
    /// Copybook file; - means standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Record to use, if the copybook has several.
    #[arg(long, value_name = "NAME")]
    record: Option<String>,
    /// Folder with members of COPY; may be repeated [default: the folder of the file].
    #[arg(long, short = 'I', value_name = "DIR")]
    library: Vec<PathBuf>,
    /// Reference format of the text.
    #[arg(long, value_enum, default_value = "detect")]
    format: FormatName,
    /// Code page of the copybooks [default: UTF-8, or EBCDIC if they look like it].
    #[arg(long, value_name = "CODEPAGE", value_parser = ccsid)]
    copybook_codepage: Option<u32>,
    /// Treat the comma as the decimal point (DECIMAL-POINT IS COMMA).
    #[arg(long)]
    decimal_comma: bool,
    /// Currency sign of the program, one character.
    #[arg(long, value_name = "CHARACTER", default_value = "$", value_parser = currency_sign)]
    currency: char,
    /// Compiler of the program: sets layout, code page, byte orders and floats together; options beside it override it.
    #[arg(long, value_name = "NAME", value_parser = Compiler::NAMES)]
    compiler: Option<String>,
    /// Alignment of SYNCHRONIZED items: to each item's length, or as in Enterprise COBOL [default: natural].
    #[arg(long, value_enum)]
    sync: Option<SlackName>,
    /// Length of a pointer in bytes [default: 4].
    #[arg(long, value_name = "BYTES", value_parser = ["4", "8"])]
    pointer: Option<String>,
    /// Store binary items of one and two digits in one byte.
    #[arg(long)]
    byte_binary: bool,
}

/// How bytes are understood.
#[derive(Debug, Args)]
struct Reading {
    /// Code page of text: a CCSID such as 037 or 1047, UTF-8, UTF-16, ASCII or ISO-8859-1 [default: 037].
    #[arg(long, value_name = "CODEPAGE", value_parser = ccsid)]
    codepage: Option<u32>,
    /// Byte order of binary items, floats and NATIONAL [default: big].
    #[arg(long, value_enum)]
    byte_order: Option<OrderName>,
    /// Byte order of COMP, COMP-4 and BINARY, if different, as with GnuCOBOL on a PC [default: that of --byte-order].
    #[arg(long, value_enum, value_name = "ORDER")]
    comp_byte_order: Option<OrderName>,
    /// Format of COMP-1 and COMP-2 [default: hex].
    #[arg(long, value_enum)]
    float: Option<FloatName>,
    /// Signs of zoned numbers in an ASCII code page: 0-9 and p-y, or the letters of EBCDIC.
    #[arg(long, value_enum, default_value = "zone")]
    ascii_sign: SignName,
    /// Code page of DISPLAY-1, UTF-16 [default: hexadecimal digits].
    #[arg(long, value_name = "CODEPAGE", value_parser = ccsid)]
    graphic: Option<u32>,
    /// Names in JSON: as in the copybook, as DFHLS2JS makes them, or with underscores for hyphens.
    #[arg(long, value_enum, default_value = "cobol")]
    names: NamesName,
    /// Alternative to use instead of the item that it REDEFINES: its name, that of an item in it, or a path such as
    /// RECORD.GROUP.NAME; may be repeated.
    #[arg(long = "use", value_name = "NAME")]
    alternatives: Vec<String>,
    /// Alternatives of a REDEFINES in JSON: the one in use, or all of them that hold a value, and items of level 66.
    #[arg(long, value_enum, default_value = "one")]
    redefines: RedefinesName,
    /// Name of an item's member: ITEM=NAME; may be repeated.
    #[arg(long, value_name = "ITEM=NAME", value_parser = pair)]
    rename: Vec<(String, String)>,
    /// Item without a member; may be repeated.
    #[arg(long, value_name = "ITEM")]
    omit: Vec<String>,
    /// Initial value of an item: ITEM=VALUE; may be repeated.
    #[arg(long, value_name = "ITEM=VALUE", value_parser = pair)]
    default: Vec<(String, String)>,
    /// Let COMP, COMP-4 and BINARY have all values of their bytes, not only of their PICTURE.
    #[arg(long)]
    full_binary: bool,
    /// Omit the objects of DEPENDING ON.
    #[arg(long)]
    hide_counters: bool,
    /// Ignore JSON members without an item.
    #[arg(long)]
    ignore_unknown: bool,
}

#[derive(Debug, Args)]
pub(super) struct LayoutArguments {
    #[command(flatten)]
    source: Source,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Args)]
pub(super) struct ConvertArguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    reading: Reading,
    /// File with the record, or with the JSON to encode [default: standard input].
    #[arg(long, value_name = "FILE", alias = "json")]
    data: Option<PathBuf>,
    /// File for the result [default: standard output].
    #[arg(long, short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
    /// Read and write records as hexadecimal digits.
    #[arg(long)]
    hex: bool,
    /// Ignore bytes after the end of the record.
    #[arg(long)]
    ignore_excess: bool,
    /// Accept a record that ends early, and omit the missing items.
    #[arg(long)]
    allow_short: bool,
    /// Treat a character that the code page lacks as an error instead of substituting it.
    #[arg(long)]
    strict_characters: bool,
    /// Let every byte come back: show FILLER and bytes between items, and values that would be written otherwise as 0x and their
    /// bytes.
    #[arg(long)]
    fillers: bool,
    #[command(flatten)]
    files: files::FileArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    Detect,
    Fixed,
    Variable,
    Free,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SlackName {
    Natural,
    Enterprise,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RedefinesName {
    One,
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OrderName {
    Big,
    Little,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FloatName {
    Hex,
    Ieee,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SignName {
    Zone,
    Letters,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum NamesName {
    Cobol,
    Assistant,
    Underscore,
}

pub(super) fn run(command: &Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Layout(arguments) => layout(arguments, out),
        Command::Schema(arguments) => {
            let layout = arguments.source.layout()?;
            let schema = layout
                .schema(&arguments.reading.options(arguments.source.compiler())?)
                .map_err(|error| Failure::of(1, &error))?;
            Ok(out.write_all(schema.as_bytes())?)
        }
        Command::Encode(arguments) if arguments.files.records.is_some() => files::encode(arguments),
        Command::Decode(arguments) if arguments.files.records.is_some() => files::decode(arguments),
        Command::Encode(arguments) => encode(arguments, out),
        Command::Decode(arguments) => decode(arguments, out),
    }
}

fn encode(arguments: &ConvertArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let converter = arguments.converter(true)?;
    let json = arguments.input()?;
    let mut record = Vec::new();
    converter.encode(&json, &mut record).map_err(|error| Failure::of(1, &error))?;
    if arguments.hex {
        let digits: String = record.iter().map(|byte| format!("{byte:02x}")).collect();
        record = (digits + "\n").into_bytes();
    }
    arguments.output(&record, out)
}

fn decode(arguments: &ConvertArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let converter = arguments.converter(false)?;
    let mut record = arguments.input()?;
    if arguments.hex {
        record = from_hexadecimal(&record).ok_or_else(|| Failure::new(1, "the record is not hexadecimal digits"))?;
    }
    let mut json = Vec::new();
    converter.decode(&record, &mut json).map_err(|error| Failure::of(1, &error))?;
    json.push(b'\n');
    arguments.output(&json, out)
}

impl ConvertArguments {
    fn converter(&self, with_values: bool) -> Result<Converter, Failure> {
        self.converter_of(&self.source.layout()?, &self.options(with_values)?)
    }

    fn options(&self, with_values: bool) -> Result<ConvertOptions, Failure> {
        Ok(ConvertOptions {
            exact: self.fillers,
            ignore_excess: self.ignore_excess,
            allow_short: self.allow_short,
            strict_characters: self.strict_characters,
            ignore_values: !with_values,
            ..self.reading.options(self.source.compiler())?
        })
    }

    fn converter_of(&self, layout: &RecordLayout, options: &ConvertOptions) -> Result<Converter, Failure> {
        Converter::new(layout, options).map_err(|error| match error {
            PlanError::Copybook(error) => self.source.named(&error),
            error => Failure::of(1, &error),
        })
    }

    fn input(&self) -> Result<Vec<u8>, Failure> {
        read(self.data.as_deref().unwrap_or(Path::new("-")))
    }

    #[expect(clippy::disallowed_methods, reason = "the file that was asked for; it can be made again")]
    fn output(&self, bytes: &[u8], out: &mut dyn Write) -> Result<(), Failure> {
        match &self.out {
            Some(file) => {
                std::fs::write(file, bytes).map_err(|error| Failure::new(1, format!("{}: {error}", file.display())))
            }
            None => Ok(out.write_all(bytes)?),
        }
    }
}

impl Source {
    fn layout(&self) -> Result<RecordLayout, Failure> {
        self.layout_of(&self.copybook()?, self.record.as_deref())
    }

    fn copybook(&self) -> Result<Copybook, Failure> {
        let text = copybook::text_of_file(&read(&self.file)?, self.copybook_codepage);
        let resolver = |name: &str, library: Option<&str>| self.member(name, library);
        let options = ParseOptions {
            format: match self.format {
                FormatName::Detect => Format::Detect,
                FormatName::Fixed => Format::Fixed,
                FormatName::Variable => Format::Variable,
                FormatName::Free => Format::Free,
            },
            resolver: Some(&resolver),
            decimal_comma: self.decimal_comma,
            currency: self.currency,
        };
        Copybook::parse(&text, &options).map_err(|error| self.named(&error))
    }

    fn layout_of(&self, copybook: &Copybook, record: Option<&str>) -> Result<RecordLayout, Failure> {
        let base = self.compiler().map_or_else(LayoutOptions::default, Compiler::layout);
        let layout = LayoutOptions {
            slack: match self.sync {
                Some(SlackName::Natural) => Slack::Natural,
                Some(SlackName::Enterprise) => Slack::Enterprise,
                None => base.slack,
            },
            pointer_bytes: self.pointer.as_ref().map_or(base.pointer_bytes, |bytes| if bytes == "8" { 8 } else { 4 }),
            byte_binary: self.byte_binary || base.byte_binary,
        };
        copybook.layout(record, &layout).map_err(|error| self.named(&error))
    }

    fn compiler(&self) -> Option<Compiler> {
        self.compiler.as_deref().and_then(Compiler::parse)
    }

    fn named(&self, error: &CopybookError) -> Failure {
        Failure::new(1, format!("{}: {error}", self.file.display()))
    }

    /// The record's name, or the file's where the entries stand under no level 01.
    fn record_name(&self, layout: &RecordLayout) -> String {
        let stem = || self.file.file_stem().map(|stem| stem.to_string_lossy().to_uppercase()).unwrap_or_default();
        layout.name.clone().unwrap_or_else(stem)
    }

    /// The text of a member: a file of its name, in either case, with the usual endings.
    fn member(&self, name: &str, library: Option<&str>) -> Option<String> {
        let beside = self.file.parent().unwrap_or(Path::new("")).to_owned();
        let folders = if self.library.is_empty() { vec![beside] } else { self.library.clone() };
        // A member is a name, never a way out of its folder.
        if [Some(name), library].into_iter().flatten().any(|part| part.contains(['/', '\\']) || part.starts_with('.')) {
            return None;
        }
        let cases = [name.to_owned(), name.to_lowercase(), name.to_uppercase()];
        for folder in &folders {
            for below in library.map(|library| folder.join(library)).iter().chain([folder]) {
                for ending in ["", ".cpy", ".CPY", ".cbl", ".CBL", ".cob", ".COB", ".copy", ".inc"] {
                    let found = cases.iter().find_map(|case| std::fs::read(below.join(format!("{case}{ending}"))).ok());
                    if let Some(bytes) = found {
                        return Some(copybook::text_of_file(&bytes, self.copybook_codepage));
                    }
                }
            }
        }
        None
    }
}

impl Reading {
    fn options(&self, compiler: Option<Compiler>) -> Result<ConvertOptions, Failure> {
        let base = compiler.map_or_else(|| ConvertOptions::of_ccsid(37), Compiler::convert);
        let order = |order| match order {
            OrderName::Big => ByteOrder::Big,
            OrderName::Little => ByteOrder::Little,
        };
        let byte_order = self.byte_order.map_or(base.byte_order, order);
        let graphic = match self.graphic {
            None => Graphic::Hexadecimal,
            Some(ccsid) => Graphic::Text(
                CharacterSet::of(ccsid, byte_order)
                    .ok_or_else(|| Failure::new(2, format!("--graphic: code page {ccsid} is not known")))?,
            ),
        };
        Ok(ConvertOptions {
            byte_order,
            ccsid: self.codepage.unwrap_or(base.ccsid),
            // A stated byte order is that of all binary items, whatever the compiler.
            binary_order: self.comp_byte_order.map(order).or(base.binary_order.filter(|_| self.byte_order.is_none())),
            float: match self.float {
                Some(FloatName::Hex) => FloatForm::Hexadecimal,
                Some(FloatName::Ieee) => FloatForm::Ieee,
                None => base.float,
            },
            ascii_sign: match self.ascii_sign {
                SignName::Zone => AsciiSign::Zone,
                SignName::Letters => AsciiSign::Letters,
            },
            graphic,
            names: match self.names {
                NamesName::Cobol => NameStyle::Cobol,
                NamesName::Assistant => NameStyle::Assistant,
                NamesName::Underscore => NameStyle::Underscore,
            },
            alternatives: self.alternatives.clone(),
            redefines: match self.redefines {
                RedefinesName::One => Redefines::One,
                RedefinesName::All => Redefines::All,
            },
            adjustments: self.adjustments(),
            show_counters: !self.hide_counters,
            full_binary: self.full_binary || base.full_binary,
            ignore_unknown: self.ignore_unknown,
            ..base
        })
    }
}

impl Reading {
    fn adjustments(&self) -> Vec<Adjustment> {
        let of = |item: &String, change| Adjustment { item: item.clone(), change };
        let names = self.rename.iter().map(|(item, name)| of(item, Change::Rename(name.clone())));
        let omitted = self.omit.iter().map(|item| of(item, Change::Omit));
        let defaults = self.default.iter().map(|(item, value)| of(item, Change::Default(value.clone())));
        names.chain(omitted).chain(defaults).collect()
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (item, value) = text.split_once('=').ok_or("expected two texts with = between them")?;
    Ok((item.to_owned(), value.to_owned()))
}

fn layout(arguments: &LayoutArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let layout = arguments.source.layout()?;
    let name = arguments.source.record_name(&layout);
    // The record itself is told by its name, unless it has no items below it.
    let items: Vec<&LayoutItem> = match layout.items.as_slice() {
        [only] => vec![only],
        all => all.iter().skip(1).collect(),
    };
    if arguments.json {
        let items: Vec<Value> = items.into_iter().map(|item| object(item, &layout)).collect();
        writeln!(out, "{}", json!({ "record": name, "length": layout.length, "items": items }))?;
        return Ok(());
    }
    writeln!(out, "{name}: {} bytes{}", layout.length, shortest(&layout))?;
    writeln!(out, "{:>8} {:>8}  item", "offset", "length")?;
    for item in items {
        let depth = std::iter::successors(item.parent, |&parent| layout.items[parent].parent).count();
        let indent = "  ".repeat(depth.saturating_sub(1));
        let entry = format!("{indent}{:02} {}{}", item.level, item.spoken_name(), clauses(item, &layout));
        writeln!(out, "{:>8} {:>8}  {entry}", item.offset, item.length)?;
    }
    Ok(())
}

fn shortest(layout: &RecordLayout) -> String {
    if layout.minimum_length == layout.length {
        String::new()
    } else {
        format!(" at most, {} at least", layout.minimum_length)
    }
}

fn clauses(item: &LayoutItem, layout: &RecordLayout) -> String {
    let mut text = String::new();
    if let Some(redefined) = item.redefines {
        text += &format!(" REDEFINES {}", layout.items[redefined].spoken_name());
    }
    if let Some(picture) = &item.picture {
        text += &format!(" PIC {}", picture.text);
    }
    if let Some(usage) = item.usage {
        text += &format!(" {}", usage.spelled());
    }
    if let Some(occurs) = item.occurs {
        text += &match occurs.depending_on {
            Some(object) => {
                let object = layout.items[object].spoken_name();
                format!(" OCCURS {} TO {} DEPENDING ON {object}", occurs.minimum, occurs.maximum)
            }
            None => format!(" OCCURS {}", occurs.maximum),
        };
    }
    text
}

fn object(item: &LayoutItem, layout: &RecordLayout) -> Value {
    let mut object = Map::new();
    object.insert("path".to_owned(), json!(item.path));
    object.insert("level".to_owned(), json!(item.level));
    object.insert("offset".to_owned(), json!(item.offset));
    object.insert("length".to_owned(), json!(item.length));
    object.insert("usage".to_owned(), json!(item.usage.map_or("GROUP", |usage| usage.spelled())));
    object.insert("occurs".to_owned(), json!(item.occurs.map(|occurs| occurs.maximum)));
    if let Some(picture) = &item.picture {
        object.insert("picture".to_owned(), json!(picture.text));
    }
    if let Some(redefined) = item.redefines {
        object.insert("redefines".to_owned(), json!(layout.items[redefined].path));
    }
    if let Some(occurs) = item.occurs
        && let Some(counter) = occurs.depending_on
    {
        object.insert("minimumOccurs".to_owned(), json!(occurs.minimum));
        object.insert("dependingOn".to_owned(), json!(layout.items[counter].path));
    }
    Value::Object(object)
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        stdin().lock().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(file).map_err(|error| Failure::new(1, format!("{}: {error}", file.display())))
}

fn from_hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|&byte| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn currency_sign(text: &str) -> Result<char, String> {
    let character = text.parse().ok().filter(|character| copybook::is_currency_sign(*character));
    character.ok_or_else(|| "it is not one character that COBOL allows as CURRENCY SIGN".to_owned())
}

/// A number, with or without `CP`, `IBM` or `CCSID` before it, or one of a few names.
fn ccsid(text: &str) -> Result<u32, String> {
    let upper = text.to_uppercase();
    let known = match upper.as_str() {
        "UTF-8" | "UTF8" => Some(1208),
        "UTF-16" | "UTF16" => Some(1200),
        "UTF-16BE" => Some(1201),
        "UTF-16LE" => Some(1202),
        "ASCII" | "US-ASCII" => Some(367),
        "ISO-8859-1" | "ISO8859-1" | "LATIN-1" | "LATIN1" => Some(819),
        "ISO-8859-15" | "ISO8859-15" => Some(923),
        "WINDOWS-1252" => Some(1252),
        "EBCDIC" => Some(37),
        _ => ["IBM-", "IBM", "CP", "CCSID", ""].iter().find_map(|prefix| upper.strip_prefix(prefix)?.parse().ok()),
    };
    match known {
        Some(ccsid) if codepage::is_known(ccsid) => Ok(ccsid),
        _ => Err("no code page known here; expected a CCSID such as 037 or 1047, or UTF-8, UTF-16, ASCII, ISO-8859-1"
            .to_owned()),
    }
}
