//! Search filters: what the configuration says, with names put in as data and never as syntax.
//!
//! Invariant: text from outside enters a filter through `ldap_escape` only (RFC 4515: `*`, `(`, `)`, `\` and NUL).

use ldap3::{ldap_escape, parse_filter};

use crate::certificate::CertificateIdentity;

/// What stands for the name in a filter of the configuration.
const NAME: &str = "%v";

/// A filter with `%v` in it, such as `(&(uid=%v)(objectclass=person))`.
#[derive(Debug, Clone)]
pub(super) struct FilterTemplate(String);

/// A filter with `${SubjectCN}` and the like in it.
#[derive(Debug, Clone)]
pub(super) struct CertificateFilter(Vec<Piece>);

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Variable(Variable),
}

/// What of a certificate a filter may use. `Subject` and `Issuer` hold a type such as CN.
#[derive(Debug, Clone)]
enum Variable {
    SubjectDn,
    Subject(String),
    IssuerDn,
    Issuer(String),
    SerialNumber,
}

impl FilterTemplate {
    /// `Err` says what is wrong with the text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if !text.contains(NAME) {
            return Err(format!("'{text}' has no {NAME} in place of the name"));
        }
        let template = Self(in_parentheses(text));
        check(&template.naming("x"))?;
        check(&template.any())?;
        Ok(template)
    }

    pub(super) fn naming(&self, name: &str) -> String {
        self.0.replace(NAME, &ldap_escape(name))
    }

    /// Matches every name.
    pub(super) fn any(&self) -> String {
        self.0.replace(NAME, "*")
    }
}

impl CertificateFilter {
    /// `Err` says what is wrong with the text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let whole = in_parentheses(text);
        let mut rest = whole.as_str();
        while let Some((before, variable)) = rest.split_once("${") {
            let (name, after) = variable.split_once('}').ok_or_else(|| format!("'{text}' has a ${{ without a }}"))?;
            let known = Variable::parse(name).ok_or_else(|| {
                format!("${{{name}}} is not known; expected SubjectDN, SubjectCN and the like, IssuerDN, IssuerCN and the like, or SerialNumber")
            })?;
            pieces.extend([Piece::Text(before.to_owned()), Piece::Variable(known)]);
            rest = after;
        }
        if pieces.is_empty() {
            return Err(format!("'{text}' names nothing of a certificate, such as ${{SubjectCN}}"));
        }
        pieces.push(Piece::Text(rest.to_owned()));
        let filter = Self(pieces);
        check(&filter.with(|_| Some("x")).unwrap_or_default())?;
        Ok(filter)
    }

    /// `None` when the certificate lacks something that the filter asks for.
    pub(super) fn about(&self, certificate: &CertificateIdentity) -> Option<String> {
        self.with(|variable| variable.of(certificate))
    }

    fn with<'c>(&self, value: impl Fn(&Variable) -> Option<&'c str>) -> Option<String> {
        let mut filter = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filter.push_str(text),
                Piece::Variable(variable) => {
                    filter.push_str(&ldap_escape(value(variable).filter(|value| !value.is_empty())?));
                }
            }
        }
        Some(filter)
    }
}

impl Variable {
    fn parse(name: &str) -> Option<Self> {
        let is_type = |kind: &&str| !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let kind = |prefix| name.strip_prefix(prefix).filter(is_type).map(str::to_ascii_uppercase);
        match name {
            "SubjectDN" => Some(Self::SubjectDn),
            "IssuerDN" => Some(Self::IssuerDn),
            "SerialNumber" => Some(Self::SerialNumber),
            _ => kind("Subject").map(Self::Subject).or_else(|| kind("Issuer").map(Self::Issuer)),
        }
    }

    fn of<'c>(&self, certificate: &'c CertificateIdentity) -> Option<&'c str> {
        let find = |parts: &'c [(String, String)], kind: &str| {
            parts.iter().find(|(known, _)| known == kind).map(|(_, value)| value.as_str())
        };
        match self {
            Self::SubjectDn => Some(&certificate.distinguished_name),
            Self::Subject(kind) => find(&certificate.subject, kind),
            Self::IssuerDn => Some(&certificate.issuer_name),
            Self::Issuer(kind) => find(&certificate.issuer, kind),
            Self::SerialNumber => Some(&certificate.serial_number),
        }
    }
}

/// `(type=value)`; the value is data.
pub(super) fn equals(kind: &str, value: &str) -> String {
    format!("({kind}={})", ldap_escape(value))
}

pub(super) fn all(filters: &[String]) -> String {
    combine('&', filters)
}

pub(super) fn either(filters: &[String]) -> String {
    combine('|', filters)
}

fn combine(operator: char, filters: &[String]) -> String {
    match filters {
        [one] => one.clone(),
        _ => format!("({operator}{})", filters.concat()),
    }
}

fn in_parentheses(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('(') { text.to_owned() } else { format!("({text})") }
}

fn check(filter: &str) -> Result<(), String> {
    parse_filter(filter).map(|_| ()).map_err(|()| format!("'{filter}' is not a search filter"))
}

#[cfg(test)]
mod tests;
