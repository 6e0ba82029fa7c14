//! Properties as one line of text: `name;type;value`, several separated by commas. REST headers carry them so.
//!
//! Read leniently, for the published order of the fields is not certain: whichever of the second and third field is a
//! type's name is the type; a value may be in double quotes, within which `,` and `;` are data and `""` is a quote;
//! without a type it is a string. Written always as `name;type;value`.

use super::{Property, PropertyValue, check_name};

/// The names of v3 beside those of the older HTTP bridge, which are the `dt` of an MQRFH2 folder.
const TYPES: [(&str, &str); 8] = [
    ("boolean", "boolean"),
    ("byte", "i1"),
    ("short", "i2"),
    ("integer", "i4"),
    ("long", "i8"),
    ("float", "r4"),
    ("double", "r8"),
    ("string", "string"),
];

/// Appends the properties of a line; `None`: a name that is not a Java identifier, is reserved or repeated, a value that
/// is not of its type, more than three fields.
pub fn read_list(text: &str, properties: &mut Vec<Property>) -> Option<()> {
    for one in split(text, b',').filter(|one| !one.trim().is_empty()) {
        let property = parse_one(one)?;
        if properties.iter().any(|known| known.name == property.name) {
            return None;
        }
        properties.push(property);
    }
    Some(())
}

/// The line.
pub fn write_list(properties: &[Property]) -> String {
    let written: Vec<String> = properties.iter().map(write_one).collect();
    written.join(",")
}

fn parse_one(text: &str) -> Option<Property> {
    let mut fields = split(text, b';').map(str::trim);
    let name = fields.next()?;
    check_name(name).ok()?;
    let (second, third) = (fields.next()?, fields.next());
    if fields.next().is_some() {
        return None;
    }
    let (data_type, value) = match third {
        None => (None, second),
        Some(third) => match (data_type(second), data_type(third)) {
            (Some(data_type), _) => (Some(data_type), third),
            (None, Some(data_type)) => (Some(data_type), second),
            (None, None) => return None,
        },
    };
    let value = PropertyValue::parse(data_type, &unquoted(value)?).ok()?;
    Some(Property { name: name.to_owned(), value })
}

fn data_type(text: &str) -> Option<&'static str> {
    TYPES.iter().find(|(name, code)| *name == text || *code == text).map(|&(_, code)| code)
}

/// Parts between separators that stand outside of double quotes.
fn split(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let current = rest?;
        let mut in_quotes = false;
        let end = current.bytes().position(|byte| {
            in_quotes ^= byte == b'"';
            byte == separator && !in_quotes
        });
        let part = &current[..end.unwrap_or(current.len())];
        rest = end.map(|end| &current[end + 1..]);
        Some(part)
    })
}

/// The value without its quotes; `None` when a quote is left open or is in the middle.
fn unquoted(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return (!text.contains('"')).then(|| text.to_owned());
    };
    let inner = quoted.strip_suffix('"')?;
    let whole = inner.replace("\"\"", "\u{0}");
    (!whole.contains('"')).then(|| whole.replace('\u{0}', "\""))
}

fn write_one(property: &Property) -> String {
    let name = &property.name;
    let data_type = property.value.data_type().unwrap_or("string");
    let shown = TYPES.iter().find(|(_, code)| *code == data_type).map_or("string", |&(name, _)| name);
    let text = match &property.value {
        PropertyValue::Boolean(value) => value.to_string(),
        other => other.to_string(),
    };
    if text.contains([',', ';', '"']) {
        format!("{name};{shown};\"{}\"", text.replace('"', "\"\""))
    } else {
        format!("{name};{shown};{text}")
    }
}
