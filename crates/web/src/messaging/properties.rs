//! The `ibm-mq-usr` header of v3: message properties as `name;type;value`, several separated by commas.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use model::property::{Property, read_list, write_list};

use crate::error::ApiError;

const USER_PROPERTIES: HeaderName = HeaderName::from_static("ibm-mq-usr");

const PROPERTIES: &str = "name;type;value, several separated by commas, such as colour;string;\"red\",count;integer;5";

/// All properties of a request.
///
/// # Errors
/// 400 (MQWB0302E): a name that is not a Java identifier or is reserved, a value that is not of its type, a repeated
/// name, more than three fields.
pub(super) fn read(headers: &HeaderMap) -> Result<Vec<Property>, ApiError> {
    let mut properties: Vec<Property> = Vec::new();
    for header in headers.get_all(USER_PROPERTIES) {
        let bad = || ApiError::header("ibm-mq-usr", &String::from_utf8_lossy(header.as_bytes()), PROPERTIES);
        let text = std::str::from_utf8(header.as_bytes()).map_err(|_| bad())?;
        read_list(text, &mut properties).ok_or_else(bad)?;
    }
    Ok(properties)
}

/// Adds the header, when there are properties and every one can be in a header.
pub(super) fn describe(headers: &mut HeaderMap, properties: &[Property]) {
    if properties.is_empty() {
        return;
    }
    if let Ok(value) = HeaderValue::try_from(write_list(properties).into_bytes()) {
        headers.insert(USER_PROPERTIES, value);
    }
}

#[cfg(test)]
mod tests;
