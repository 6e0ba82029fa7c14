//! What a message carries, taken apart: headers, properties, and data with what is known of its type.
//!
//! A content type travels as the property `contentType` only where the format and the bytes do not say it already. A program
//! that knows nothing of properties then finds JSON and text as plain MQSTR.

mod wanted;

use std::borrow::Cow;

use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::fixed::{FixedHeader, Part};
use model::header::rfh2::Rfh2;
use model::message::Message;
use model::property::{self, Property, PropertyValue};

pub use self::wanted::Wanted;

/// The property that carries a content type.
pub const CONTENT_TYPE_PROPERTY: &str = "contentType";
/// Content of this type, in UTF-8, needs no property where it is valid JSON.
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";
const BINARY: &str = "application/octet-stream";
/// Longer content is not looked at to find out whether it is JSON.
const LONGEST_LOOK: usize = 1 << 20;

/// Headers behind these of one message are data.
pub const MOST_HEADERS: usize = 16;

/// A header before the data.
#[derive(Debug, Clone, PartialEq)]
pub enum Header {
    Fixed(FixedHeader),
    /// Folders beyond those of properties, and how the header is written.
    Folders(Rfh2, Part),
}

impl Header {
    /// How it is written, as the structure before it announces.
    pub fn part(&self) -> Part {
        match self {
            Self::Fixed(header) => header.part(),
            Self::Folders(_, part) => *part,
        }
    }
}

/// A message taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub headers: Vec<Header>,
    /// Those of the `usr` folders, without the content type.
    pub properties: Vec<Property>,
    content_type: Option<String>,
    /// Of the data.
    pub format: Format,
    pub ccsid: Ccsid,
    pub encoding: Encoding,
    pub data: Bytes,
}

impl Content {
    /// Takes headers off as far as they are understood. What is damaged is data.
    pub fn of(message: &Message) -> Self {
        let MessageDescriptor { format, ccsid, encoding, .. } = message.descriptor;
        let mut content = Self {
            headers: Vec::new(),
            properties: Vec::new(),
            content_type: None,
            format,
            ccsid,
            encoding,
            data: message.body.clone(),
        };
        for _ in 0..MOST_HEADERS {
            if !content.take_header() {
                break;
            }
        }
        content
    }

    /// How the data is written.
    pub fn part(&self) -> Part {
        Part { encoding: self.encoding, ccsid: self.ccsid }
    }

    fn take_header(&mut self) -> bool {
        let part = self.part();
        let (header, format, next, length) = if self.format == Format::RF_HEADER_2 {
            let Ok((header, length)) = Rfh2::decode_in(&self.data, part) else { return false };
            if length > self.data.len() {
                return false;
            }
            let inherits = matches!(header.ccsid, Ccsid::INHERIT | Ccsid::Q_MGR);
            let ccsid = if inherits { self.ccsid } else { header.ccsid };
            let (format, next) = (header.format, Part { encoding: header.encoding, ccsid });
            (self.take_properties(header).map(|header| Header::Folders(header, part)), format, next, length)
        } else {
            let Ok(header) = FixedHeader::decode(self.format, &self.data, part) else { return false };
            let Some((format, next)) = header.next() else { return false };
            let length = header.as_bytes().len();
            (Some(Header::Fixed(header)), format, next, length)
        };
        self.data = self.data.slice(length..);
        self.headers.extend(header);
        (self.format, self.encoding, self.ccsid) = (format, next.encoding, next.ccsid);
        true
    }

    /// Reads the properties of the `usr` folders. `None` when the header says nothing else than them and that the message is
    /// text or bytes, as JMS does.
    fn take_properties(&mut self, mut header: Rfh2) -> Option<Rfh2> {
        header.folders.retain(|folder| match property::read_folder(folder) {
            Ok((name, properties)) if name == "usr" => {
                for property in properties {
                    match property {
                        Property { name, value: PropertyValue::String(text) } if name == CONTENT_TYPE_PROPERTY => {
                            self.content_type = Some(text);
                        }
                        other => self.properties.push(other),
                    }
                }
                false
            }
            Ok((name, properties)) if name == "mcd" => !is_plain_domain(&properties),
            Ok(_) | Err(_) => true,
        });
        (!header.folders.is_empty()).then_some(header)
    }

    /// The data as text, where the format or the content type says that it is text and it can be converted.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        if self.format != Format::STRING
            && !self.content_type.as_deref().is_some_and(|said| MediaType::of(said).is_text())
        {
            return None;
        }
        if self.ccsid == Ccsid::UTF_8 || self.format != Format::STRING {
            return std::str::from_utf8(&self.data).ok().map(Cow::Borrowed);
        }
        decode(&self.data, self.ccsid, self.encoding).map(Cow::Owned)
    }

    /// A part of the data as text in a CCSID that the message need not name.
    pub fn read_as(&self, part: &[u8], ccsid: Ccsid) -> Option<String> {
        decode(part, ccsid, self.encoding)
    }

    /// Whether the text in UTF-8 has other bytes than the data.
    pub fn text_differs(&self) -> bool {
        self.format == Format::STRING && self.ccsid != Ccsid::UTF_8
    }

    /// The data where it is JSON in UTF-8.
    pub fn json(&self) -> Option<&str> {
        let is_text = self.format == Format::STRING && self.ccsid == Ccsid::UTF_8;
        let says_so = self.content_type.as_deref().is_some_and(|said| MediaType::of(said).is_json());
        if is_text || says_so || self.format == Format::NONE { as_json(&self.data) } else { None }
    }

    /// Whether the data as text, or the bytes themselves, contain this.
    pub fn contains(&self, wanted: &str) -> bool {
        match self.text() {
            Some(text) => text.contains(wanted),
            None => {
                wanted.len() <= self.data.len()
                    && self.data.windows(wanted.len().max(1)).any(|window| window == wanted.as_bytes())
            }
        }
    }

    /// As an HTTP header has it.
    pub fn content_type(&self) -> &str {
        match &self.content_type {
            Some(content_type) => content_type,
            None => inferred(self.format, &self.data),
        }
    }
}

fn is_plain_domain(properties: &[Property]) -> bool {
    matches!(
        properties,
        [Property { name, value: PropertyValue::String(domain) }]
            if name == "Msd" && matches!(domain.as_str(), "jms_text" | "jms_bytes" | "jms_none")
    )
}

fn decode(bytes: &[u8], ccsid: Ccsid, encoding: Encoding) -> Option<String> {
    let order = if encoding.integers_are_little_endian() { ByteOrder::Little } else { ByteOrder::Big };
    let number = if ccsid == Ccsid::Q_MGR { Ccsid::UTF_8.0 } else { ccsid.0 };
    let mut text = String::new();
    CharacterSet::of(u32::try_from(number).ok()?, order)?.decode(bytes, &mut text).ok()?;
    Some(text)
}

/// What the format and the bytes say by themselves.
fn inferred(format: Format, data: &[u8]) -> &'static str {
    match format {
        Format::STRING if as_json(data).is_some() => JSON,
        Format::STRING => TEXT,
        _ => BINARY,
    }
}

fn as_json(data: &[u8]) -> Option<&str> {
    // Most text is seen at its first character not to be JSON.
    let begins_so = data.trim_ascii_start().first().is_some_and(|first| b"{[\"-0123456789tfn".contains(first));
    if !begins_so || data.len() > LONGEST_LOOK {
        return None;
    }
    let text = std::str::from_utf8(data).ok()?;
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok().map(|_| text)
}

/// A content type taken apart once.
#[derive(Clone, Copy)]
struct MediaType<'a> {
    /// What stands before the parameters.
    essence: &'a str,
    parameters: Option<&'a str>,
}

impl<'a> MediaType<'a> {
    fn of(content_type: &'a str) -> Self {
        let (essence, parameters) = match content_type.split_once(';') {
            Some((essence, parameters)) => (essence, Some(parameters)),
            None => (content_type, None),
        };
        Self { essence: essence.trim(), parameters }
    }

    fn parameters(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.parameters.into_iter().flat_map(|all| all.split(';')).map(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            (name.trim(), value.trim().trim_matches('"'))
        })
    }

    fn charset(self) -> Option<&'a str> {
        self.parameters().find(|(name, _)| name.eq_ignore_ascii_case("charset")).map(|(_, value)| value)
    }

    fn has_only_charset(self) -> bool {
        self.parameters().all(|(name, _)| name.eq_ignore_ascii_case("charset"))
    }

    fn is_json(self) -> bool {
        self.is(JSON) || self.ends_with("+json")
    }

    fn is_text(self) -> bool {
        self.begins_with("text/") || self.is("application/xml") || self.ends_with("+xml") || self.is_json()
    }

    fn is(self, essence: &str) -> bool {
        self.essence.eq_ignore_ascii_case(essence)
    }

    fn begins_with(self, beginning: &str) -> bool {
        self.essence.get(..beginning.len()).is_some_and(|part| part.eq_ignore_ascii_case(beginning))
    }

    fn ends_with(self, end: &str) -> bool {
        let from = self.essence.len().checked_sub(end.len());
        from.and_then(|from| self.essence.get(from..)).is_some_and(|part| part.eq_ignore_ascii_case(end))
    }
}

/// What a content type makes of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub format: Format,
    pub ccsid: Ccsid,
    /// To be carried as a property.
    pub content_type: Option<String>,
}

/// Why a body is not of its content type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOfType {
    #[error("the character set '{0}' is not known")]
    Charset(String),
    #[error("the body is not text in '{0}'")]
    Text(String),
}

/// Format and CCSID of a body with this content type: text, JSON and XML become MQSTR in the CCSID that was stated, or in the
/// character set of the type; everything else has no format.
///
/// # Errors
/// An unknown character set, or bytes that are not text in it.
pub fn typed(content_type: Option<&str>, stated: Option<Ccsid>, data: &[u8]) -> Result<Typed, NotOfType> {
    let Some(content_type) = content_type.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(Typed { format: Format::NONE, ccsid: Ccsid::Q_MGR, content_type: None });
    };
    let said = MediaType::of(content_type);
    let (format, ccsid) = if said.is_text() {
        let charset = said.charset().unwrap_or(UTF_8);
        let ccsid = stated.or_else(|| ccsid_of(charset)).ok_or_else(|| NotOfType::Charset(charset.to_owned()))?;
        let is_text = match ccsid {
            Ccsid::UTF_8 => std::str::from_utf8(data).is_ok(),
            other => decode(data, other, Encoding::BIG_ENDIAN).is_some(),
        };
        if !is_text {
            return Err(NotOfType::Text(charset.to_owned()));
        }
        (Format::STRING, ccsid)
    } else {
        (Format::NONE, Ccsid::Q_MGR)
    };
    let is_said = said.is(inferred(format, data)) && said.has_only_charset();
    let content_type = (!is_said).then(|| content_type.to_owned());
    Ok(Typed { format, ccsid, content_type })
}

const UTF_8: &str = "utf-8";
/// IANA names of the character sets that HTTP clients send.
const CHARSETS: [(&str, i32); 12] = [
    (UTF_8, 1208),
    ("utf8", 1208),
    ("us-ascii", 1208),
    ("iso-8859-1", 819),
    ("latin1", 819),
    ("iso-8859-15", 923),
    ("windows-1252", 1252),
    ("utf-16be", 1200),
    ("utf-16", 1200),
    ("ibm037", 37),
    ("ibm500", 500),
    ("ibm1047", 1047),
];

fn ccsid_of(charset: &str) -> Option<Ccsid> {
    if charset == UTF_8 {
        return Some(Ccsid::UTF_8);
    }
    let lower = charset.to_ascii_lowercase();
    let known = CHARSETS.iter().find(|(name, _)| *name == lower).map(|(_, ccsid)| *ccsid);
    let number = known.or_else(|| {
        lower.strip_prefix("ibm").or_else(|| lower.strip_prefix("cp"))?.trim_start_matches('-').parse().ok()
    });
    number.filter(|number| u32::try_from(*number).is_ok_and(codepage::is_known)).map(Ccsid)
}

#[cfg(test)]
mod tests;
