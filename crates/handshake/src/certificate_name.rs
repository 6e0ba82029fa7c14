//! Names in certificates, as texts.
//!
//! Distinguished names are written as Java writes them (RFC 2253: most specific part first), for that is how MQ's documentation and
//! registries spell them.

use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

/// A text of a name cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name of the certificate cannot be decoded")]
pub struct TextError;

/// The subject of a certificate; `None` when that cannot be decoded.
pub fn subject_of(der: &[u8]) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    distinguished_name(certificate.subject()).ok()
}

/// `CN=Fred,O=IBM,C=GB`.
///
/// # Errors
/// A text of it cannot be decoded.
pub fn distinguished_name(name: &X509Name<'_>) -> Result<String, TextError> {
    let mut parts = Vec::new();
    for relative in name.iter_rdn() {
        let attributes =
            relative.iter().map(|attribute| Ok(format!("{}={}", label(attribute), escape(&text_of(attribute)?))));
        parts.push(attributes.collect::<Result<Vec<_>, _>>()?.join("+"));
    }
    parts.reverse();
    Ok(parts.join(","))
}

/// Types (`CN`, `OU`) and values, most specific part first.
///
/// # Errors
/// A text of it cannot be decoded.
pub fn parts(name: &X509Name<'_>) -> Result<Vec<(String, String)>, TextError> {
    let mut parts = name
        .iter_attributes()
        .map(|attribute| Ok((label(attribute), text_of(attribute)?)))
        .collect::<Result<Vec<_>, _>>()?;
    parts.reverse();
    Ok(parts)
}

fn label(attribute: &AttributeTypeAndValue<'_>) -> String {
    let kind = attribute.attr_type().to_id_string();
    short_name(&kind).map_or(kind, str::to_owned)
}

/// # Errors
/// It cannot be decoded.
pub fn text_of(attribute: &AttributeTypeAndValue<'_>) -> Result<String, TextError> {
    attribute.as_str().map(str::to_owned).map_err(|_| TextError)
}

/// The labels that RFC 2253 and Java know, by object identifier.
fn short_name(identifier: &str) -> Option<&'static str> {
    SHORT_NAMES.iter().find(|(known, _)| *known == identifier).map(|&(_, name)| name)
}

const SHORT_NAMES: [(&str, &str); 12] = [
    ("2.5.4.3", "CN"),
    ("2.5.4.4", "SURNAME"),
    ("2.5.4.5", "SERIALNUMBER"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("1.2.840.113549.1.9.1", "EMAILADDRESS"),
];

/// RFC 2253: a backslash before `, + " \ < > ;`, before a leading `#` or blank and before a trailing blank.
fn escape(value: &str) -> String {
    let last = value.chars().count().saturating_sub(1);
    let mut escaped = String::with_capacity(value.len());
    for (index, character) in value.chars().enumerate() {
        let special = matches!(character, ',' | '+' | '"' | '\\' | '<' | '>' | ';')
            || (index == 0 && matches!(character, '#' | ' '))
            || (index == last && character == ' ');
        if special {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
