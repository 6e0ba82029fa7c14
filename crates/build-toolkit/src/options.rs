//! The properties file of an API requester: every property that the build toolkit has, honoured or refused by name.
//!
//! Source: reference, 1.2. Defaults that nobody published are listed in `docs/zconbt.md`.

use std::collections::BTreeMap;

use document::properties;

use crate::archive::{self, Place, WhiteSpace};

/// Properties, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub api_description_file: String,
    pub data_structures_location: String,
    pub api_info_file_location: String,
    pub log_file_directory: String,
    pub language: Language,
    pub connection_ref: String,
    /// At most three characters, in upper case.
    pub requester_prefix: String,
    /// Ending of members' files, without its full stop; empty for none.
    pub requester_extension: String,
    pub mapping_level: Level,
    /// In place of the name that is made of title and version.
    pub api_name: Option<String>,
    /// Characters of a text without `maxLength`.
    pub default_character_max_length: u32,
    /// Times an array without `maxItems` occurs.
    pub default_array_max_items: u32,
    /// Digits behind the decimal point of `format: decimal`.
    pub default_fraction_digits: u8,
    /// Bytes a character may take.
    pub character_multiplier: u32,
    pub character_varying: Varying,
    pub white_space: WhiteSpace,
    pub data_truncation: bool,
    pub date_time: DateTime,
    pub generated_ccsid: u32,
    pub runtime_ccsid: u32,
    pub name_truncation: NameTruncation,
    /// Packed decimals have 31 digits, not 18.
    pub wide_comp3: bool,
    pub ignore_mime_type_check: bool,
    pub api_keys: Option<ApiKeyOptions>,
    pub additional: AdditionalOptions,
    /// Data areas are containers of a CICS channel, and called so.
    pub has_containers: bool,
}

/// Additional properties of objects, which have a place from level 5.0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdditionalOptions {
    /// Characters of a value that says no length.
    pub size: u32,
    /// How many an object has at most.
    pub most: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Cobol,
    Pli,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameTruncation {
    /// The first characters stay.
    Right,
    /// The last characters stay.
    Left,
}

/// Which generation of the mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Paths in the API information are plain; arrays of arrays have no place.
    V4_1,
    /// Paths in the API information are percent-encoded.
    V4_3,
    /// Arrays and bodies of answers are in data areas, every answer that is described has a place, optional values have an
    /// existence item.
    V5_0,
}

impl Level {
    pub fn text(self) -> &'static str {
        match self {
            Self::V4_1 => "4.1",
            Self::V4_3 => "4.3",
            Self::V5_0 => "5.0",
        }
    }
}

/// How texts of varying length are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varying {
    /// Filled up with blanks.
    No,
    /// Ended by a byte of zero.
    Null,
    /// Behind their length.
    Yes,
}

/// How `format: date-time` is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateTime {
    Text,
    Packed15,
}

/// Parameters for API keys that every operation gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyOptions {
    pub place: Place,
    /// Client identifier, and client secret where there are two.
    pub names: Vec<String>,
    /// Characters of each.
    pub max_length: u32,
}

/// What is wrong with a property.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{property}: {problem}")]
pub struct PropertyError {
    pub property: String,
    pub problem: String,
}

/// Properties that are read.
const HONOURED: &[&str] = &[
    "apiDescriptionFile",
    "dataStructuresLocation",
    "apiInfoFileLocation",
    "logFileDirectory",
    "language",
    "connectionRef",
    "requesterPrefix",
    "requesterExtension",
    "mappingLevel",
    "apiName",
    "defaultCharacterMaxLength",
    "defaultArrayMaxItems",
    "defaultFractionDigits",
    "characterMultiplier",
    "characterVarying",
    "characterWhitespace",
    "characterWhiteSpace",
    "dataTruncation",
    "dateTimeFormat",
    "generatedCodePage",
    "runtimeCodePage",
    "nameTruncation",
    "wideComp3",
    "ignoreMIMETypeCheck",
    "apiKeyParmNameInHeader",
    "apiKeyParmNameInQuery",
    "apiKeyParmNameInCookie",
    "apiKeyMaxLength",
    "additionalPropertiesSize",
    "additionalPropertiesMax",
    "programInterface",
];

/// Properties that have a meaning from level 5.0 on, and what they are about.
const OF_LEVEL_5_0: &[(&str, &str)] = &[
    ("apiKeyParmNameInCookie", "cookies have"),
    ("additionalPropertiesSize", "additional properties have"),
    ("additionalPropertiesMax", "additional properties have"),
    ("programInterface", "containers have"),
];

/// Properties of other generations or tools, and why they cannot be obeyed here.
const REFUSED: &[(&str, &str)] = &[
    (
        "inlineMaxOccursLimit",
        "arrays stand inside the structure at mapping levels 4.1 and 4.3, and in data areas at level 5.0",
    ),
    ("projectType", "it belongs to the Gradle plug-in; the command decides what is built"),
];

/// Reads a properties file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(content: &[u8]) -> Result<Options, Vec<PropertyError>> {
    let Ok(text) = std::str::from_utf8(content) else {
        return Err(vec![PropertyError { property: "file".to_owned(), problem: "it is not UTF-8".to_owned() }]);
    };
    let entries = properties::parse_text(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut reader = Reader { entries: &entries, errors: Vec::new() };
    reader.check_names();
    let options = reader.options();
    if options.mapping_level < Level::V5_0 {
        reader.refuse_later_properties();
    }
    if reader.errors.is_empty() { Ok(options) } else { Err(reader.errors) }
}

struct Reader<'a> {
    entries: &'a BTreeMap<String, String>,
    errors: Vec<PropertyError>,
}

impl<'a> Reader<'a> {
    fn options(&mut self) -> Options {
        let varying =
            self.word("characterVarying", &[("YES", Varying::Yes), ("NO", Varying::No), ("NULL", Varying::Null)]);
        let usual_space = if varying == Varying::No { WhiteSpace::Collapse } else { WhiteSpace::Preserve };
        Options {
            api_description_file: self.required("apiDescriptionFile"),
            data_structures_location: self.required("dataStructuresLocation"),
            api_info_file_location: self.required("apiInfoFileLocation"),
            log_file_directory: self.required("logFileDirectory"),
            language: self.language(),
            connection_ref: self.required("connectionRef"),
            requester_prefix: self.prefix(),
            requester_extension: self.extension(),
            mapping_level: self
                .word("mappingLevel", &[("4.1", Level::V4_1), ("4.3", Level::V4_3), ("5.0", Level::V5_0)]),
            api_name: self.api_name(),
            default_character_max_length: self.number("defaultCharacterMaxLength", 255, 1..=32_767),
            default_array_max_items: self.number("defaultArrayMaxItems", 255, 1..=32_767),
            default_fraction_digits: u8::try_from(self.number("defaultFractionDigits", 2, 0..=15)).unwrap_or_default(),
            character_multiplier: self.number("characterMultiplier", 1, 1..=4),
            character_varying: varying,
            white_space: self.white_space(usual_space),
            data_truncation: self.word("dataTruncation", &[("DISABLED", false), ("ENABLED", true)]),
            date_time: self.word("dateTimeFormat", &[("STRING", DateTime::Text), ("PACKED15", DateTime::Packed15)]),
            generated_ccsid: self.code_page("generatedCodePage", 1208),
            runtime_ccsid: self.runtime_code_page(),
            name_truncation: self
                .word("nameTruncation", &[("RIGHT", NameTruncation::Right), ("LEFT", NameTruncation::Left)]),
            wide_comp3: self.word("wideComp3", &[("NO", false), ("YES", true)]),
            ignore_mime_type_check: self.word("ignoreMIMETypeCheck", &[("false", false), ("true", true)]),
            api_keys: self.api_keys(),
            additional: AdditionalOptions {
                size: self.number("additionalPropertiesSize", 255, 16..=32_767),
                most: self.number("additionalPropertiesMax", 20, 1..=32_767),
            },
            has_containers: self.value("programInterface").is_some()
                && self.word("programInterface", &[("CHANNEL", true)]),
        }
    }

    /// The value without blanks around it; `None` for an empty one.
    fn value(&self, property: &str) -> Option<&'a str> {
        self.entries.get(property).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    fn wrong(&mut self, property: &str, problem: impl Into<String>) {
        self.errors.push(PropertyError { property: property.to_owned(), problem: problem.into() });
    }

    fn check_names(&mut self) {
        for property in self.entries.keys() {
            if let Some((_, why)) = REFUSED.iter().find(|(name, _)| name == property) {
                self.wrong(property, *why);
            } else if !HONOURED.contains(&property.as_str()) {
                let all = || HONOURED.iter().copied();
                let nearest = all().min_by_key(|known| distance(property, known)).unwrap_or_default();
                self.wrong(property, format!("there is no such property; the nearest one is {nearest}"));
            }
        }
    }

    /// Refuses properties without an effect below level 5.0.
    fn refuse_later_properties(&mut self) {
        for (property, what) in OF_LEVEL_5_0 {
            if self.value(property).is_some() {
                self.wrong(property, format!("{what} a place at mappingLevel=5.0 only"));
            }
        }
    }

    fn required(&mut self, property: &str) -> String {
        match self.value(property) {
            Some(value) => value.to_owned(),
            None => {
                self.wrong(property, "it is required");
                String::new()
            }
        }
    }

    /// One of these words, whatever its case; the first where nothing is given.
    fn word<T: Copy>(&mut self, property: &str, words: &[(&str, T)]) -> T {
        let usual = words[0].1;
        let Some(value) = self.value(property) else { return usual };
        match words.iter().find(|(word, _)| word.eq_ignore_ascii_case(value)) {
            Some((_, meaning)) => *meaning,
            None => {
                let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                self.wrong(property, format!("'{value}' is not valid, expected one of {}", all.join(", ")));
                usual
            }
        }
    }

    fn number(&mut self, property: &str, usual: u32, range: std::ops::RangeInclusive<u32>) -> u32 {
        let Some(value) = self.value(property) else { return usual };
        match value.parse() {
            Ok(number) if range.contains(&number) => number,
            _ => {
                self.wrong(property, format!("'{value}' is no number from {} to {}", range.start(), range.end()));
                usual
            }
        }
    }

    fn code_page(&mut self, property: &str, usual: u32) -> u32 {
        let Some(value) = self.value(property) else { return usual };
        ccsid(value).unwrap_or_else(|| {
            self.wrong(property, format!("the code page '{value}' is not supported"));
            usual
        })
    }

    fn runtime_code_page(&mut self) -> u32 {
        let ccsid = self.code_page("runtimeCodePage", 37);
        if !archive::is_for_records(ccsid) {
            self.wrong("runtimeCodePage", "a digit of a record is one byte, which it is not in UTF-16");
        }
        ccsid
    }

    fn language(&mut self) -> Language {
        if self.value("language").is_none() {
            self.wrong("language", "it is required");
        }
        self.word("language", &[("COBOL", Language::Cobol), ("PLI", Language::Pli)])
    }

    fn prefix(&mut self) -> String {
        let prefix = self.value("requesterPrefix").unwrap_or("API").to_ascii_uppercase();
        let is_member = prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'@' | b'$'));
        if prefix.len() > 3 || !is_member || prefix.starts_with(|first: char| first.is_ascii_digit()) {
            self.wrong(
                "requesterPrefix",
                format!("'{prefix}' cannot begin the names of members: at most three letters and digits"),
            );
        }
        prefix
    }

    fn extension(&mut self) -> String {
        let extension = self.value("requesterExtension").unwrap_or_default().trim_start_matches('.').to_owned();
        if !extension.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            self.wrong("requesterExtension", format!("'{extension}' cannot end the name of a file"));
        }
        extension
    }

    fn api_name(&mut self) -> Option<String> {
        let name = self.value("apiName")?;
        if name.len() > archive::MAXIMUM_NAME || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
            self.wrong("apiName", "it is too long or has characters that a name cannot have");
        }
        Some(name.to_owned())
    }

    fn white_space(&mut self, usual: WhiteSpace) -> WhiteSpace {
        let words =
            [("COLLAPSE", WhiteSpace::Collapse), ("REPLACE", WhiteSpace::Replace), ("PRESERVE", WhiteSpace::Preserve)];
        let spellings = ["characterWhitespace", "characterWhiteSpace"];
        match spellings.iter().find(|name| self.value(name).is_some()) {
            Some(name) => self.word(name, &words),
            None => usual,
        }
    }

    fn api_keys(&mut self) -> Option<ApiKeyOptions> {
        let max_length = self.number("apiKeyMaxLength", 255, 1..=32_767);
        let places = [
            ("apiKeyParmNameInHeader", Place::Header),
            ("apiKeyParmNameInQuery", Place::Query),
            ("apiKeyParmNameInCookie", Place::Cookie),
        ];
        let mut given = places.into_iter().filter(|(property, _)| self.value(property).is_some());
        let (property, place) = given.next()?;
        if let Some((other, _)) = given.next() {
            self.wrong(other, format!("it cannot be given together with {property}"));
            return None;
        }
        let names: Vec<String> =
            self.value(property).unwrap_or_default().split(',').map(|name| name.trim().to_owned()).collect();
        // What ends the name of a cookie is no name of a header either.
        let is_end = |one: char| one.is_control() || one == ' ' || place != Place::Query && matches!(one, ';' | '=');
        let is_name = |name: &String| !name.is_empty() && !name.contains(is_end);
        if names.len() > 2 || !names.iter().all(is_name) {
            self.wrong(property, "expected are one or two names with a comma between them");
        }
        Some(ApiKeyOptions { place, names, max_length })
    }
}

/// The number of a code page: a number, with or without `CP`, `IBM` or `CCSID` before it, or one of a few names.
pub fn ccsid(name: &str) -> Option<u32> {
    let upper = name.trim().to_uppercase();
    let known = match upper.as_str() {
        "UTF-8" | "UTF8" => Some(1208),
        "ASCII" | "US-ASCII" => Some(367),
        "ISO-8859-1" | "ISO8859-1" | "LATIN-1" | "LATIN1" => Some(819),
        "EBCDIC" => Some(37),
        _ => ["IBM-", "IBM", "CP", "CCSID", ""].iter().find_map(|prefix| upper.strip_prefix(prefix)?.parse().ok()),
    };
    known.filter(|&ccsid| codepage::is_known(ccsid))
}

/// How many characters have to be put in, left out or changed, whatever their case.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, left) in one.chars().take(100).flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (at, right) in other.iter().enumerate() {
            let changed = diagonal + usize::from(left != *right);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests;
