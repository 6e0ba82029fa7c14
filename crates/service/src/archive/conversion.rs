//! From copybooks and the properties of data conversion to the transformation of a service, and its JSON schemas.
//!
//! The properties are in one table, so that archives, `service.yaml` and properties files know the same ones. Those of the
//! published service properties keep their names; the others say what IBM's platform settles by itself.

use codepage::{ByteOrder, CharacterSet};
use copybook::{
    Adjustment, AsciiSign, Change, Choices, Compiler, ConvertOptions, Copybook, FloatForm, Format, Graphic,
    LayoutOptions, NameStyle, ParseOptions, PlanError, RecordLayout, Redefines, Resolver, Slack, is_currency_sign,
};
use serde_json::{Map, Value, json};

use super::error::ArchiveError;
use super::interface::{self, Interface};
use crate::convert::{Structure, Transformation};
use crate::record::{RecordStructure, schema_of};

/// One property of conversion.
#[derive(Debug, Clone, Copy)]
pub struct ConversionProperty {
    pub name: &'static str,
    pub values: Values,
}

/// What a property may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    Text,
    /// The name of a file with a copybook.
    File,
    Flag,
    Words(&'static [&'static str]),
}

const fn property(name: &'static str, values: Values) -> ConversionProperty {
    ConversionProperty { name, values }
}

/// Every property of conversion. Those up to `omitOutputFieldsByValueByte` are published, the others ours.
pub const CONVERSION: &[ConversionProperty] = &[
    property("language", Values::Words(&["COBOL"])),
    property("languageStructureCodePage", Values::Text),
    property("requestStructure", Values::File),
    property("responseStructure", Values::File),
    property("operationName", Values::Text),
    property("ccsid", Values::Text),
    property("omitOutputEmptyTags", Values::Flag),
    property("omitOutputFieldsByValue", Values::Flag),
    property("omitOutputFieldsByValueByte", Values::Text),
    property("requestRecord", Values::Text),
    property("responseRecord", Values::Text),
    property("requestWrapper", Values::Text),
    property("responseWrapper", Values::Text),
    property("names", Values::Words(&["assistant", "cobol", "underscore"])),
    property("compiler", Values::Words(&Compiler::NAMES)),
    property("byteOrder", Values::Words(&["big", "little"])),
    property("compByteOrder", Values::Words(&["big", "little"])),
    property("float", Values::Words(&["hex", "ieee"])),
    property("asciiSign", Values::Words(&["zone", "letters"])),
    property("graphic", Values::Text),
    property("decimalComma", Values::Flag),
    property("currency", Values::Text),
    property("sync", Values::Words(&["enterprise", "natural"])),
    property("format", Values::Words(&["detect", "fixed", "variable", "free"])),
    property("pointer", Values::Words(&["4", "8"])),
    property("use", Values::Text),
    property("requestRedefines", Values::Text),
    property("responseRedefines", Values::Text),
    property("requestChoiceField", Values::Text),
    property("requestChoices", Values::Text),
    property("responseChoiceField", Values::Text),
    property("responseChoices", Values::Text),
    property("requestRename", Values::Text),
    property("responseRename", Values::Text),
    property("requestOmit", Values::Text),
    property("responseOmit", Values::Text),
    property("requestDefault", Values::Text),
    property("showCounters", Values::Flag),
    property("fullBinary", Values::Flag),
    property("byteBinary", Values::Flag),
    property("strictCharacters", Values::Flag),
    property("ignoreUnknown", Values::Flag),
    property("ignoreExcess", Values::Flag),
    property("allowShort", Values::Flag),
];

/// The property of a name, if it is one of conversion.
pub fn find(name: &str) -> Option<&'static ConversionProperty> {
    CONVERSION.iter().find(|one| one.name == name)
}

/// Settings of one service's conversion, as its properties have them.
#[derive(Debug, Clone, Default)]
pub struct Conversion {
    values: Vec<(&'static str, String)>,
    /// The service's name.
    service: String,
}

/// One direction, laid out.
pub struct Direction {
    pub structure: Structure,
    /// Of the JSON, wrapper included.
    pub schema: Value,
}

/// Names of `use` that a copybook does not have.
type Unknown = Vec<String>;

/// Both directions.
pub struct Compiled {
    pub request: Option<Direction>,
    pub response: Option<Direction>,
}

impl Compiled {
    /// What the service converts by; `None` where it has no copybook.
    pub fn transformation(self) -> Option<Transformation> {
        let (request, response) = (self.request.map(|it| it.structure), self.response.map(|it| it.structure));
        (request.is_some() || response.is_some()).then_some(Transformation { request, response })
    }
}

/// Gives the text of a file that a property or a COPY names.
pub trait Members {
    /// The file that `requestStructure` or `responseStructure` names.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    fn structure(&self, name: &str) -> Result<Vec<u8>, ArchiveError>;

    /// A member of COPY.
    fn member(&self, name: &str, library: Option<&str>) -> Option<Vec<u8>>;
}

impl Conversion {
    pub fn of_service(name: &str) -> Self {
        Self { service: name.to_owned(), ..Self::default() }
    }

    /// Sets a property, checked.
    ///
    /// # Errors
    /// The value is none of those it may have.
    pub fn set(&mut self, known: &'static ConversionProperty, value: &str) -> Result<(), ArchiveError> {
        let value = value.trim();
        let refused = |problem: String| Err(ArchiveError::property(known.name, problem));
        let value = match known.values {
            // A language that is not read may stand where nothing has to be converted.
            _ if known.name == "language" => value.to_owned(),
            Values::Text | Values::File => value.to_owned(),
            Values::Flag if value.is_empty() => value.to_owned(),
            Values::Flag => match value.to_ascii_lowercase().as_str() {
                word @ ("true" | "false") => word.to_owned(),
                _ => return refused(format!("'{value}' is neither true nor false")),
            },
            Values::Words(words) => match words.iter().find(|word| word.eq_ignore_ascii_case(value)) {
                Some(word) => (*word).to_owned(),
                None if value.is_empty() => value.to_owned(),
                None => return refused(format!("'{value}' is not valid, expected one of {}", words.join(", "))),
            },
        };
        self.values.retain(|(name, _)| *name != known.name);
        self.values.push((known.name, value));
        Ok(())
    }

    /// A blank value counts as none.
    pub fn text(&self, name: &str) -> Option<&str> {
        let value = self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    fn flag(&self, name: &str) -> bool {
        self.stated_flag(name).unwrap_or(false)
    }

    fn stated_flag(&self, name: &str) -> Option<bool> {
        self.text(name).map(|value| value == "true")
    }

    /// The compiler whose settings apply where none is given.
    fn compiler(&self) -> Compiler {
        self.text("compiler").and_then(Compiler::parse).unwrap_or(Compiler::Enterprise)
    }

    /// The code page of characters in records.
    pub fn ccsid(&self) -> Option<u32> {
        let of_compiler = || self.text("compiler").map(|_| self.compiler().convert().ccsid);
        self.text("ccsid").and_then(ccsid).or_else(of_compiler)
    }

    /// Reads the copybooks and compiles both directions.
    ///
    /// # Errors
    /// A copybook is missing or wrong, or a property cannot be.
    pub fn compile(&self, members: &dyn Members) -> Result<Compiled, ArchiveError> {
        let (request, response) = (self.direction(Side::Request, members)?, self.direction(Side::Response, members)?);
        let sides: Vec<&Unknown> = [&request, &response].into_iter().flatten().map(|(_, unknown)| unknown).collect();
        if let Some((first, others)) = sides.split_first()
            && let Some(name) = first.iter().find(|name| others.iter().all(|other| other.contains(*name)))
        {
            return Err(ArchiveError::property("use", format!("'{name}' names no alternative of a REDEFINES")));
        }
        let (request, response) = (request.map(|(one, _)| one), response.map(|(one, _)| one));
        if (request.is_some() || response.is_some())
            && let Some(language) = self.text("language").filter(|language| !language.eq_ignore_ascii_case("COBOL"))
        {
            return Err(ArchiveError::property("language", format!("'{language}' is not supported, expected COBOL")));
        }
        Ok(Compiled { request, response })
    }

    fn direction(&self, side: Side, members: &dyn Members) -> Result<Option<(Direction, Unknown)>, ArchiveError> {
        let Some(file) = self.text(side.structure()) else { return Ok(None) };
        let wrong = |problem: String| ArchiveError::entry(file, problem);
        let interface = interface::is_one(file).then(|| Interface::read(&members.structure(file)?).map_err(wrong));
        let interface = interface.transpose()?;
        let copybook = match &interface {
            Some(interface) => parsed(&interface.copybook).map_err(wrong)?,
            None => self.copybook(file, members)?,
        };
        let layout = copybook
            .layout(self.text(side.record()), &self.layout_options())
            .map_err(|error| wrong(error.to_string()))?;
        let mut options = self.convert_options()?;
        let mut wrapper = self.wrapper(side);
        if let Some(interface) = &interface {
            interface.check(&layout).map_err(wrong)?;
            interface.apply(&mut options, matches!(side, Side::Request));
            if wrapper.is_empty() {
                wrapper
                    .extend(interface.is_of_channel.then(|| side.of_operation(&format!("{}Operation", self.service))));
                wrapper.extend(interface.wrapper.iter().cloned());
            }
        }
        self.adjust(side, &mut options)?;
        let made = without_unknown(&mut options, |options| Structure::new(&layout, options, wrapper.clone()));
        // They may be those of the other direction's copybook.
        let (structure, unknown) = made.map_err(|error| wrong(error.to_string()))?;
        let schema = schema(&layout, &options, &wrapper).map_err(wrong)?;
        Ok(Some((Direction { structure, schema }, unknown)))
    }

    /// The copybook of a direction and the layout of its record, as `compile` takes them.
    ///
    /// # Errors
    /// As `compile`; the property of the direction's file is missing.
    pub fn laid_out(&self, side: Side, members: &dyn Members) -> Result<(Copybook, RecordLayout), ArchiveError> {
        let missing = || ArchiveError::property(side.structure(), "it is required");
        let file = self.text(side.structure()).ok_or_else(missing)?;
        let copybook = self.copybook(file, members)?;
        let layout = copybook.layout(self.text(side.record()), &self.layout_options());
        let layout = layout.map_err(|error| ArchiveError::entry(file, error))?;
        Ok((copybook, layout))
    }

    fn copybook(&self, file: &str, members: &dyn Members) -> Result<Copybook, ArchiveError> {
        let text = self.characters(&members.structure(file)?)?;
        let resolver: Box<Resolver<'_>> =
            Box::new(|name, library| members.member(name, library).and_then(|bytes| self.characters(&bytes).ok()));
        let parse = ParseOptions {
            format: self.format(),
            resolver: Some(&*resolver),
            decimal_comma: self.flag("decimalComma"),
            currency: self.currency()?,
        };
        Copybook::parse(&text, &parse).map_err(|error| ArchiveError::entry(file, error))
    }

    /// Every record of a file, by its name.
    ///
    /// # Errors
    /// The copybook is wrong, or a property does not go with it.
    pub fn records(&self, file: &str, members: &dyn Members) -> Result<Vec<(String, RecordStructure)>, ArchiveError> {
        let wrong = |problem: String| ArchiveError::entry(file, problem);
        let copybook = self.copybook(file, members)?;
        let names = copybook.record_names();
        let mut records = Vec::with_capacity(names.len());
        for name in &names {
            let chosen = (names.len() > 1).then_some(*name);
            let layout =
                copybook.layout(chosen, &self.layout_options()).map_err(|error| ArchiveError::entry(file, error))?;
            let mut options = self.convert_options()?;
            let made = without_unknown(&mut options, |options| RecordStructure::new(layout.clone(), options.clone()));
            let (structure, unknown) = made.map_err(|error| wrong(error.to_string()))?;
            if let ([name], 1) = (unknown.as_slice(), names.len()) {
                return Err(wrong(format!("use: '{name}' names no alternative of a REDEFINES")));
            }
            records.push(((*name).to_owned(), structure));
        }
        Ok(records)
    }

    /// Text of a copybook: in `languageStructureCodePage`, else in what it looks like.
    fn characters(&self, bytes: &[u8]) -> Result<String, ArchiveError> {
        let property = "languageStructureCodePage";
        let name = self.text(property);
        let known = |name| ccsid(name).ok_or_else(|| unknown_code_page(property, name));
        Ok(copybook::text_of_file(bytes, name.map(known).transpose()?))
    }

    fn wrapper(&self, side: Side) -> Vec<String> {
        let operation = self.text("operationName").map(|name| side.of_operation(name));
        let names = self.text(side.wrapper()).map(str::to_owned).or(operation).unwrap_or_default();
        names.split('/').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// What one direction alone shows otherwise.
    fn adjust(&self, side: Side, options: &mut ConvertOptions) -> Result<(), ArchiveError> {
        options.choices = self.choices(side)?;
        let [redefines, rename, omit, default] = side.adjustments();
        match self.text(redefines) {
            None => {}
            Some(word) if word.eq_ignore_ascii_case("all") => options.redefines = Redefines::All,
            Some(_) => options.alternatives = self.list(redefines),
        }
        for (name, change) in [(rename, Change::Rename as fn(String) -> Change), (default, Change::Default)] {
            let pairs = self.pairs(name)?.into_iter();
            options.adjustments.extend(pairs.map(|(item, value)| Adjustment { item, change: change(value) }));
        }
        let omitted = self.list(omit).into_iter();
        options.adjustments.extend(omitted.map(|item| Adjustment { item, change: Change::Omit }));
        Ok(())
    }

    /// The alternatives that a field chooses among.
    fn choices(&self, side: Side) -> Result<Option<Choices>, ArchiveError> {
        let [field, alternatives] = side.choices();
        match (self.text(field), self.pairs(alternatives)?) {
            (None, none) if none.is_empty() => Ok(None),
            (None, _) => Err(ArchiveError::property(field, format!("it is required beside {alternatives}"))),
            (Some(_), none) if none.is_empty() => {
                Err(ArchiveError::property(alternatives, format!("it is required beside {field}")))
            }
            (Some(name), alternatives) => Ok(Some(Choices { field: name.to_owned(), alternatives })),
        }
    }

    /// Names with values.
    fn pairs(&self, name: &str) -> Result<Vec<(String, String)>, ArchiveError> {
        let pair = |entry: String| {
            let wrong = || ArchiveError::property(name, format!("'{entry}' is not ITEM=VALUE"));
            let (item, value) = entry.split_once('=').ok_or_else(wrong)?;
            Ok((item.trim().to_owned(), value.trim().to_owned()))
        };
        self.list(name).into_iter().map(pair).collect()
    }

    fn format(&self) -> Format {
        match self.text("format") {
            Some("fixed") => Format::Fixed,
            Some("variable") => Format::Variable,
            Some("free") => Format::Free,
            _ => Format::Detect,
        }
    }

    fn layout_options(&self) -> LayoutOptions {
        let base = self.compiler().layout();
        LayoutOptions {
            slack: match self.text("sync") {
                Some("natural") => Slack::Natural,
                Some(_) => Slack::Enterprise,
                None => base.slack,
            },
            pointer_bytes: self.text("pointer").map_or(base.pointer_bytes, |bytes| if bytes == "8" { 8 } else { 4 }),
            byte_binary: self.stated_flag("byteBinary").unwrap_or(base.byte_binary),
        }
    }

    fn convert_options(&self) -> Result<ConvertOptions, ArchiveError> {
        let base = self.compiler().convert();
        let ccsid = match self.text("ccsid") {
            Some(name) => ccsid(name).ok_or_else(|| unknown_code_page("ccsid", name))?,
            None => base.ccsid,
        };
        let order = |word: &str| if word == "little" { ByteOrder::Little } else { ByteOrder::Big };
        Ok(ConvertOptions {
            ccsid,
            byte_order: self.byte_order(),
            // A stated byte order is that of all binary items, whatever the compiler.
            binary_order: self
                .text("compByteOrder")
                .map(order)
                .or(base.binary_order.filter(|_| self.text("byteOrder").is_none())),
            ascii_sign: if self.text("asciiSign") == Some("letters") { AsciiSign::Letters } else { AsciiSign::Zone },
            graphic: self.graphic()?,
            float: match self.text("float") {
                Some("ieee") => FloatForm::Ieee,
                Some(_) => FloatForm::Hexadecimal,
                None => base.float,
            },
            names: match self.text("names") {
                Some("cobol") => NameStyle::Cobol,
                Some("underscore") => NameStyle::Underscore,
                _ => NameStyle::Assistant,
            },
            alternatives: self.list("use"),
            show_counters: self.flag("showCounters"),
            full_binary: self.stated_flag("fullBinary").unwrap_or(base.full_binary),
            strict_characters: self.flag("strictCharacters"),
            ignore_unknown: self.flag("ignoreUnknown"),
            ignore_excess: self.flag("ignoreExcess"),
            allow_short: self.flag("allowShort"),
            omit_empty: self.flag("omitOutputEmptyTags"),
            omit_filled_with: self.omitted_byte()?,
            ..base
        })
    }

    fn byte_order(&self) -> ByteOrder {
        match self.text("byteOrder") {
            Some("little") => ByteOrder::Little,
            Some(_) => ByteOrder::Big,
            None => self.compiler().convert().byte_order,
        }
    }

    fn graphic(&self) -> Result<Graphic, ArchiveError> {
        let Some(name) = self.text("graphic") else { return Ok(Graphic::Hexadecimal) };
        let order = self.byte_order();
        let set = ccsid(name).and_then(|ccsid| CharacterSet::of(ccsid, order));
        set.map(Graphic::Text).ok_or_else(|| unknown_code_page("graphic", name))
    }

    fn currency(&self) -> Result<char, ArchiveError> {
        let character = self.text("currency").unwrap_or("$").parse().ok();
        character
            .filter(|character| is_currency_sign(*character))
            .ok_or_else(|| ArchiveError::property("currency", "it is one character that COBOL allows as CURRENCY SIGN"))
    }

    /// `0x` and two digits; without a value X'00'.
    fn omitted_byte(&self) -> Result<Option<u8>, ArchiveError> {
        if !self.flag("omitOutputFieldsByValue") {
            return Ok(None);
        }
        let text = self.text("omitOutputFieldsByValueByte").unwrap_or("0x00");
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
        match u8::from_str_radix(digits, 16) {
            Ok(byte) if digits.len() == 2 => Ok(Some(byte)),
            _ => {
                Err(ArchiveError::property("omitOutputFieldsByValueByte", format!("'{text}' is no byte such as 0x00")))
            }
        }
    }

    fn list(&self, name: &str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
    }
}

/// The copybook of an interface.
fn parsed(text: &str) -> Result<Copybook, String> {
    let parse = ParseOptions { format: Format::Free, ..ParseOptions::default() };
    Copybook::parse(text, &parse).map_err(|error| error.to_string())
}

/// What is made without names of alternatives that the copybook does not have, and these names.
fn without_unknown<T>(
    options: &mut ConvertOptions,
    make: impl Fn(&ConvertOptions) -> Result<T, PlanError>,
) -> Result<(T, Unknown), PlanError> {
    let mut unknown = Unknown::new();
    loop {
        match make(options) {
            Ok(made) => return Ok((made, unknown)),
            Err(PlanError::UnknownAlternative { name }) if options.alternatives.contains(&name) => {
                options.alternatives.retain(|other| *other != name);
                unknown.push(name);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Of a service's two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Request,
    Response,
}

impl Side {
    fn structure(self) -> &'static str {
        match self {
            Self::Request => "requestStructure",
            Self::Response => "responseStructure",
        }
    }

    fn record(self) -> &'static str {
        match self {
            Self::Request => "requestRecord",
            Self::Response => "responseRecord",
        }
    }

    /// Properties of a field that chooses, and of what it chooses.
    fn choices(self) -> [&'static str; 2] {
        match self {
            Self::Request => ["requestChoiceField", "requestChoices"],
            Self::Response => ["responseChoiceField", "responseChoices"],
        }
    }

    /// Properties of alternatives, names, omitted items and defaults.
    fn adjustments(self) -> [&'static str; 4] {
        match self {
            Self::Request => ["requestRedefines", "requestRename", "requestOmit", "requestDefault"],
            // Nothing is made of an answer.
            Self::Response => ["responseRedefines", "responseRename", "responseOmit", ""],
        }
    }

    /// What the JSON of an operation stands in.
    fn of_operation(self, name: &str) -> String {
        match self {
            Self::Request => name.to_owned(),
            Self::Response => format!("{name}Response"),
        }
    }

    fn wrapper(self) -> &'static str {
        match self {
            Self::Request => "requestWrapper",
            Self::Response => "responseWrapper",
        }
    }
}

/// The schema of a record's JSON inside of its wrapper.
fn schema(layout: &RecordLayout, options: &ConvertOptions, wrapper: &[String]) -> Result<Value, String> {
    let mut schema = schema_of(layout, options).map_err(|error| error.to_string())?;
    let dialect = schema.as_object_mut().and_then(|members| members.shift_remove("$schema"));
    for name in wrapper.iter().rev() {
        schema = json!({
            "type": "object", "properties": { name: schema }, "required": [name], "additionalProperties": false
        });
    }
    let mut members = Map::new();
    members.extend(dialect.map(|dialect| ("$schema".to_owned(), dialect)));
    if let Value::Object(rest) = schema {
        members.extend(rest);
    }
    Ok(Value::Object(members))
}

/// A number, with or without `CP`, `IBM` or `CCSID` before it, or one of a few names.
pub fn ccsid(name: &str) -> Option<u32> {
    let upper = name.trim().to_uppercase();
    let known = match upper.as_str() {
        "UTF-8" | "UTF8" => Some(1208),
        "UTF-16" | "UTF16" => Some(1200),
        "ASCII" | "US-ASCII" => Some(367),
        "ISO-8859-1" | "ISO8859-1" | "LATIN-1" | "LATIN1" => Some(819),
        "EBCDIC" => Some(37),
        _ => ["IBM-", "IBM", "CP", "CCSID", ""].iter().find_map(|prefix| upper.strip_prefix(prefix)?.parse().ok()),
    };
    known.filter(|&ccsid| codepage::is_known(ccsid))
}

fn unknown_code_page(property: &str, name: &str) -> ArchiveError {
    ArchiveError::property(property, format!("the code page '{name}' is not supported"))
}
