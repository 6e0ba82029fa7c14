//! The `ibm-mq-usr` header of v3: message properties as `name;type;value`, several separated by commas.
//!
//! Read leniently, for the published order of the fields is not certain: whichever of the second and third field is a
//! type's name is the type; a value may stand in double quotes, within which `,` and `;` are data and `""` is a quote;
//! without a type it is a string. Written always as `name;type;value`.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use model::property::{Property, PropertyValue, check_name};

use crate::error::ApiError;

const USER_PROPERTIES: HeaderName = HeaderName::from_static("ibm-mq-usr");

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

/// All properties of a request.
///
/// # Errors
/// 400 (MQWB0302E): a name that is not a Java identifier or is reserved, a value that is not of its type, a repeated
/// name, more than three fields.
pub(super) fn read(headers: &HeaderMap) -> Result<Vec<Property>, ApiError> {
    let mut properties: Vec<Property> = Vec::new();
    for header in headers.get_all(USER_PROPERTIES) {
        let bad = || ApiError::header("ibm-mq-usr", &String::from_utf8_lossy(header.as_bytes()));
        let text = std::str::from_utf8(header.as_bytes()).map_err(|_| bad())?;
        for one in split(text, b',').filter(|one| !one.trim().is_empty()) {
            let property = parse_one(one).ok_or_else(bad)?;
            if properties.iter().any(|known| known.name == property.name) {
                return Err(bad());
            }
            properties.push(property);
        }
    }
    Ok(properties)
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

/// The value without its quotes; `None` when a quote is left open or stands in the middle.
fn unquoted(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return (!text.contains('"')).then(|| text.to_owned());
    };
    let inner = quoted.strip_suffix('"')?;
    let whole = inner.replace("\"\"", "\u{0}");
    (!whole.contains('"')).then(|| whole.replace('\u{0}', "\""))
}

/// Adds the header, when there are properties and every one can stand in a header.
pub(super) fn describe(headers: &mut HeaderMap, properties: &[Property]) {
    if properties.is_empty() {
        return;
    }
    let written: Vec<String> = properties.iter().map(write_one).collect();
    if let Ok(value) = HeaderValue::try_from(written.join(",").into_bytes()) {
        headers.insert(USER_PROPERTIES, value);
    }
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

#[cfg(test)]
mod tests;
