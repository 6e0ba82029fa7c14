//! What a TLS client certificate says about its holder, in the forms registries may know it by.
//!
//! The TLS layer has verified the chain before anything here is asked. Distinguished names are written as Java writes
//! them (RFC 2253: most specific part first), for that is how MQ's documentation and registries spell them.

use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

/// Longest certificate that is looked at, in bytes.
const MAXIMUM_BYTES: usize = 64 << 10;
/// Longest serial number, in bytes; some issuers go beyond the 20 that are allowed.
const LONGEST_SERIAL_NUMBER: usize = 64;

/// What a verified client certificate says about its holder. Made once for each connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CertificateIdentity {
    /// The most specific common name of the subject.
    pub common_name: Option<String>,
    /// The subject as `CN=Fred,O=IBM,C=GB`: most specific part first.
    pub distinguished_name: String,
    /// Types (`CN`, `OU`) and values of the subject, most specific part first.
    pub subject: Vec<(String, String)>,
    /// The issuer, as `distinguished_name`.
    pub issuer_name: String,
    /// Types and values of the issuer.
    pub issuer: Vec<(String, String)>,
    /// Decimal.
    pub serial_number: String,
}

/// The certificate cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client certificate cannot be decoded")]
pub struct CertificateError;

impl CertificateIdentity {
    /// Reads the subject of a DER certificate whose chain the TLS layer has verified.
    ///
    /// # Errors
    /// The bytes are not an X.509 certificate, or the subject holds text that cannot be decoded.
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        if der.len() > MAXIMUM_BYTES {
            return Err(CertificateError);
        }
        let (_, certificate) = X509Certificate::from_der(der).map_err(|_| CertificateError)?;
        let (subject, issuer) = (certificate.subject(), certificate.issuer());
        // RFC 5280, 4.1.2.2: at most 20 bytes.
        if certificate.raw_serial().len() > LONGEST_SERIAL_NUMBER {
            return Err(CertificateError);
        }
        Ok(Self {
            common_name: subject.iter_common_name().last().map(text_of).transpose()?,
            distinguished_name: distinguished_name(subject)?,
            subject: parts(subject)?,
            issuer_name: distinguished_name(issuer)?,
            issuer: parts(issuer)?,
            serial_number: certificate.tbs_certificate.serial.to_string(),
        })
    }
}

fn distinguished_name(name: &X509Name<'_>) -> Result<String, CertificateError> {
    let mut parts = Vec::new();
    for relative in name.iter_rdn() {
        let attributes =
            relative.iter().map(|attribute| Ok(format!("{}={}", label(attribute), escape(&text_of(attribute)?))));
        parts.push(attributes.collect::<Result<Vec<_>, _>>()?.join("+"));
    }
    parts.reverse();
    Ok(parts.join(","))
}

fn parts(name: &X509Name<'_>) -> Result<Vec<(String, String)>, CertificateError> {
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

fn text_of(attribute: &AttributeTypeAndValue<'_>) -> Result<String, CertificateError> {
    attribute.as_str().map(str::to_owned).map_err(|_| CertificateError)
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

#[cfg(test)]
mod tests;
