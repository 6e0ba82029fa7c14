//! The request of a program made into that of the API: path, query, headers, body; and the API's answer made into a record.
//!
//! Path parameters are percent-encoded into the template of the path, query parameters behind it, headers become headers, the
//! body is the JSON of `ReqBody`. What is absent in the record is absent in the request.

use std::borrow::Cow;

use build_toolkit::archive::{Parameter, Place, Style, parts_of_template};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::client::Inbound;
use crate::conversion::{Converter, DataError, Group};

/// What is in a path or a query as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What is in the path of a document as it is: `pchar` of RFC 3986, slashes, and what is encoded.
const IN_PATHS: &AsciiSet = &PLAIN
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@')
    .remove(b'/')
    .remove(b'%');

/// Headers that belong to the connection and to the body; no parameter sets them.
const OWN_HEADERS: [HeaderName; 13] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::EXPECT,
    header::TRAILER,
    header::ACCEPT_ENCODING,
    header::CONTENT_ENCODING,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("keep-alive"),
];

/// Of one request. No server takes so many; a header map that is full would end the call by a panic.
const MOST_HEADERS: usize = 1000;

/// What answers are mapped from, the best first; anything else may be a text, or what an API says that refuses.
const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, application/*+json;q=0.9, */*;q=0.1");

/// Why there is no request or no record.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MappingError {
    #[error(transparent)]
    Data(#[from] Box<DataError>),
    #[error("the path parameter {0} is empty or missing in the record")]
    PathParameter(String),
    #[error("the parameter {0} is not a valid header name or value, or the request has too many headers")]
    Header(String),
}

/// The path of an operation: texts and names of parameters in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathTemplate {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Parameter(String),
}

impl PathTemplate {
    pub(crate) fn parse(template: &str) -> Self {
        let (named, rest) = parts_of_template(template);
        let mut parts = Vec::new();
        let text = |parts: &mut Vec<Part>, text: &str| {
            if !text.is_empty() {
                parts.push(Part::Text(encoded_path(text)));
            }
        };
        for (before, name) in named {
            text(&mut parts, before);
            parts.push(Part::Parameter(name.to_owned()));
        }
        text(&mut parts, rest);
        Self { parts }
    }
}

/// A path as a request can carry it; what is encoded already stays so.
pub(crate) fn encoded_path(path: &str) -> String {
    utf8_percent_encode(path, IN_PATHS).to_string()
}

/// What an operation's request depends on besides its record.
pub(crate) struct Operation<'a> {
    /// Of the endpoint connection and the API.
    pub(crate) base: &'a str,
    pub(crate) path: &'a PathTemplate,
    pub(crate) parameters: &'a [Parameter],
    /// Of the body.
    pub(crate) media_type: &'a HeaderValue,
}

/// The parts of a request; who is called and who says so is not known here.
#[derive(Debug)]
pub(crate) struct Mapped {
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// # Errors
/// The record holds what it cannot, or what no request can carry.
pub(crate) fn request(
    operation: &Operation<'_>,
    converter: Option<&Converter>,
    record: &[u8],
) -> Result<Mapped, MappingError> {
    let mut target = String::with_capacity(128);
    target.push_str(operation.base);
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(header::ACCEPT, ACCEPTED);
    let Some(converter) = converter else {
        write_path(operation.path, &[], &mut target)?;
        return Ok(Mapped { target, headers, body: Bytes::new() });
    };
    let record = converter.whole(record)?;
    // Elements of data areas are read in the order of the groups.
    let mut areas = converter.areas(&record)?;
    let style = |place: Place, name: &str| {
        let known = operation.parameters.iter().find(|known| known.place == place && known.name == name);
        known.map_or(Style::Comma, |known| known.style)
    };
    let mut path: Vec<(&str, String)> = Vec::new();
    converter.parameters(Group::Path, &record, &mut areas, |member, texts| {
        path.push((&member.name, joined(texts, style(Place::Path, &member.name)).into_owned()));
    })?;
    write_path(operation.path, &path, &mut target)?;
    let mut separator = '?';
    converter.parameters(Group::Query, &record, &mut areas, |member, texts| {
        let style = style(Place::Query, &member.name);
        let values = if style == Style::Repeated { texts.to_vec() } else { vec![joined(texts, style)] };
        for value in values {
            target.push(separator);
            target.extend(utf8_percent_encode(&member.name, PLAIN));
            target.push('=');
            target.extend(utf8_percent_encode(&value, PLAIN));
            separator = '&';
        }
    })?;
    let mut refused = None;
    converter.parameters(Group::Headers, &record, &mut areas, |member, texts| {
        let value = joined(texts, style(Place::Header, &member.name));
        match (HeaderName::try_from(&*member.name), HeaderValue::from_str(&value)) {
            (Ok(name), _) if OWN_HEADERS.contains(&name) => {}
            (Ok(name), Ok(value)) if headers.len() < MOST_HEADERS => {
                headers.insert(name, value);
            }
            _ => refused = Some(member.name.to_string()),
        }
    })?;
    let mut cookies = String::new();
    converter.parameters(Group::Cookies, &record, &mut areas, |member, texts| {
        let separator = if cookies.is_empty() { "" } else { "; " };
        let value = joined(texts, style(Place::Cookie, &member.name));
        // A semicolon would begin another one.
        match value.contains(';') || member.name.contains([';', '=']) {
            true => refused = Some(member.name.to_string()),
            false => cookies.extend([separator, &*member.name, "=", &*value]),
        }
    })?;
    if !cookies.is_empty() {
        let value = HeaderValue::from_str(&cookies).map_err(|_| MappingError::Header("Cookie".to_owned()))?;
        headers.insert(header::COOKIE, value);
    }
    if let Some(name) = refused {
        return Err(MappingError::Header(name));
    }
    let mut body = Vec::new();
    if converter.has(Group::Body) {
        body.reserve(record.len() + record.len() / 4 + 64);
        if converter.decode_from(Group::Body, &record, &mut areas, &mut body)? {
            headers.insert(header::CONTENT_TYPE, operation.media_type.clone());
        }
    }
    Ok(Mapped { target, headers, body: body.into() })
}

fn joined<'t>(texts: &'t [Cow<'_, str>], style: Style) -> Cow<'t, str> {
    let separator = match style {
        Style::Comma | Style::Repeated => ",",
        Style::Blank => " ",
        Style::Tab => "\t",
        Style::Bar => "|",
    };
    match texts {
        [only] => Cow::Borrowed(only),
        many => Cow::Owned(many.join(separator)),
    }
}

fn write_path(path: &PathTemplate, values: &[(&str, String)], target: &mut String) -> Result<(), MappingError> {
    for part in &path.parts {
        match part {
            Part::Text(text) => target.push_str(text),
            Part::Parameter(name) => {
                let value = values.iter().find(|(known, _)| known == name);
                // Public programs state lengths that reach behind the text.
                let value = value.map(|(_, value)| value.trim_end_matches(' '));
                // An empty part would make another path of it, and so would these two.
                let value = value.filter(|value| !matches!(*value, "" | "." | ".."));
                let value = value.ok_or_else(|| MappingError::PathParameter(name.clone()))?;
                target.extend(utf8_percent_encode(value, PLAIN));
            }
        }
    }
    if target.is_empty() {
        target.push('/');
    }
    Ok(())
}

/// How much room an answer has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// The record need not be whole.
    pub(crate) is_short: bool,
    /// Bytes of the record with its data areas at most.
    pub(crate) limit: usize,
}

/// The record of an answer whose body belongs to a group, and how many required members it lacked. A short one ends
/// behind the last value of the table at its end.
///
/// # Errors
/// The answer does not fit the record.
pub(crate) fn response(
    converter: &Converter,
    inbound: &Inbound,
    group: Option<Group>,
    Room { is_short, limit }: Room,
) -> Result<(Vec<u8>, usize), MappingError> {
    let mut record = converter.short_record(inbound.body.len());
    let missing = fill(converter, inbound, group, limit, &mut record)?;
    if !is_short {
        converter.fill(&mut record);
    }
    Ok((record, missing))
}

fn fill(
    converter: &Converter,
    inbound: &Inbound,
    group: Option<Group>,
    limit: usize,
    record: &mut Vec<u8>,
) -> Result<usize, MappingError> {
    for member in converter.members(Group::Headers) {
        let values: Vec<&str> =
            inbound.headers.get_all(&*member.name).iter().filter_map(|value| value.to_str().ok()).collect();
        match values.as_slice() {
            [] => {}
            [only] => converter.encode_text(member, only, record)?,
            many => converter.encode_text(member, &many.join(","), record)?,
        }
    }
    let Some(group) = group.filter(|group| converter.has(*group) && !inbound.body.is_empty()) else { return Ok(0) };
    Ok(if converter.is_text(group) && !is_json(&inbound.headers) {
        let mut json = Vec::with_capacity(inbound.body.len() + 16);
        copybook::json::write_string(&String::from_utf8_lossy(&inbound.body), &mut json);
        converter.encode_within(group, &json, record, limit)?
    } else {
        // A mark of the byte order is none of JSON, but some servers begin with it.
        let body = inbound.body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&inbound.body);
        converter.encode_within(group, body, record, limit)?
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return true };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.ends_with("/json") || essence.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_keep_their_parameters_apart() {
        let values = [("isbn", "a/b ü".to_owned()), ("n", "1  ".to_owned())];
        for (template, expected) in [
            ("/books/{isbn}", "/books/a%2Fb%20%C3%BC"),
            ("/x/{n}-{isbn}.json", "/x/1-a%2Fb%20%C3%BC.json"),
            ("/plain", "/plain"),
            ("", "/"),
            ("/open{", "/open%7B"),
            ("/größe a#b/%20/@", "/gr%C3%B6%C3%9Fe%20a%23b/%20/@"),
        ] {
            let mut target = String::new();
            write_path(&PathTemplate::parse(template), &values, &mut target).expect("a path");
            assert_eq!(target, expected);
        }
        for value in ["", "  ", ".", ".."] {
            let values = [("isbn", value.to_owned())];
            let refused = write_path(&PathTemplate::parse("/books/{isbn}"), &values, &mut String::new());
            assert!(matches!(refused, Err(MappingError::PathParameter(_))), "{value}");
        }
    }

    #[test]
    fn json_is_told_by_its_media_type_and_assumed_without_one() {
        for (value, expected) in [
            (None, true),
            (Some("application/json; charset=utf-8"), true),
            (Some("application/problem+json"), true),
            (Some("text/plain"), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(value) = value {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(value));
            }
            assert_eq!(is_json(&headers), expected, "{value:?}");
        }
    }
}
