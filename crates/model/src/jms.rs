//! JMS text messages as MQ writes them: an MQRFH2 with `mcd`, `jms` and `usr` folders, then the text as MQSTR.
//!
//! Source: MQ, "The MQRFH2 header and JMS", "Mapping JMS messages onto IBM MQ messages", 9.3.

use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet};

use crate::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use crate::header::HeaderError;
use crate::header::rfh2::Rfh2;
use crate::property::{self, FolderError, Property, PropertyValue};

/// MQMD and `mcd.Msd` of a JMS TextMessage.
const TEXT_DOMAIN: &str = "jms_text";

/// The header fields of JMS that MQMD has no field for, or only a narrower one: the `jms` folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JmsFields {
    /// `Dst`: a URI such as `queue:///ORDERS` or `topic://sport/football`.
    pub destination: Option<String>,
    /// `Rto`: a URI as well.
    pub reply_to: Option<String>,
    /// `Cid`: a correlation id of the application's own form.
    pub correlation_id: Option<String>,
    /// `Dlv`: 1 nonpersistent, 2 persistent.
    pub delivery_mode: Option<i32>,
    /// `Pri`: 0 to 9.
    pub priority: Option<i32>,
    /// `Tms`: when it was sent, in milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
    /// `Exp`: when it expires, in milliseconds since 1970.
    pub expiration_ms: Option<i64>,
    /// `Gid` (written by older JMS clients as `Grp`).
    pub group_id: Option<String>,
    /// `Seq`.
    pub group_sequence: Option<i32>,
}

/// A message with text, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextMessage {
    pub jms: JmsFields,
    /// The `usr` folder, in its order.
    pub properties: Vec<Property>,
    pub text: String,
}

/// Why a message is not a text message.
#[derive(Debug, thiserror::Error)]
pub enum NotText {
    #[error("the format is '{}'", .0.0)]
    Format(Format),
    #[error("the message domain is {0}")]
    Domain(String),
    #[error("the MQRFH2 header is damaged")]
    Header(#[from] HeaderError),
    #[error("a folder of the MQRFH2 header is damaged")]
    Folder(#[from] FolderError),
    #[error("the text is in CCSID {}, which is not known", .0.0)]
    Ccsid(Ccsid),
    #[error("the text is not in its CCSID")]
    Malformed(#[from] codepage::Malformed),
}

impl TextMessage {
    /// The body of the message: MQRFH2 and text, both in UTF-8, integers high byte first. Its MQMD says
    /// `Format::RF_HEADER_2`, `BODY_ENCODING` and CCSID 1208.
    pub fn encode(&self) -> Bytes {
        let mut out = self.head();
        out.extend_from_slice(self.text.as_bytes());
        out.into()
    }

    /// What `encode` puts before the text: the MQRFH2.
    pub fn head(&self) -> Vec<u8> {
        let mut folders = vec![write("mcd", &[("Msd", PropertyValue::String(TEXT_DOMAIN.to_owned()))])];
        let jms = self.jms.elements();
        if !jms.is_empty() {
            folders.push(write("jms", &jms));
        }
        if !self.properties.is_empty() {
            let properties = self.properties.iter().map(|property| (&*property.name, &property.value));
            folders.push(property::write_folder("usr", properties));
        }
        let header =
            Rfh2 { encoding: Self::BODY_ENCODING, ccsid: Ccsid::UTF_8, format: Format::STRING, flags: 0, folders };
        let mut out = Vec::with_capacity(256 + self.text.len());
        header.encode(Self::BODY_ENCODING, &mut out);
        out
    }

    /// MQMD `Encoding` of what `encode` makes.
    pub const BODY_ENCODING: Encoding = Encoding::BIG_ENDIAN;

    /// Takes a message apart: MQSTR, or MQRFH2 headers with an MQSTR behind them. Folders other than `mcd`, `jms` and
    /// `usr` are passed over.
    ///
    /// # Errors
    /// Another format or message domain, a damaged header, or text that is not in its CCSID.
    pub fn decode(descriptor: &MessageDescriptor, body: &[u8]) -> Result<Self, NotText> {
        let mut message = Self::default();
        let (mut format, mut ccsid, mut encoding) = (descriptor.format, descriptor.ccsid, descriptor.encoding);
        let mut rest = body;
        while format == Format::RF_HEADER_2 {
            let (header, length) = Rfh2::decode(rest, encoding)?;
            for folder in &header.folders {
                message.take_folder(folder)?;
            }
            rest = &rest[length..];
            (format, encoding) = (header.format, header.encoding);
            if !matches!(header.ccsid, Ccsid::INHERIT | Ccsid::Q_MGR) {
                ccsid = header.ccsid;
            }
        }
        if format != Format::STRING {
            return Err(NotText::Format(format));
        }
        let order = if encoding.integers_are_little_endian() { ByteOrder::Little } else { ByteOrder::Big };
        let number = if ccsid == Ccsid::Q_MGR { Ccsid::UTF_8.0 } else { ccsid.0 };
        let set = u32::try_from(number).ok().and_then(|number| CharacterSet::of(number, order));
        set.ok_or(NotText::Ccsid(ccsid))?.decode(rest, &mut message.text)?;
        Ok(message)
    }

    fn take_folder(&mut self, folder: &str) -> Result<(), NotText> {
        let name = folder.trim_start().strip_prefix('<').unwrap_or_default();
        match name.split([' ', '>', '/']).next() {
            Some("mcd") => {
                let (_, properties) = property::read_folder(folder)?;
                let domain = properties.into_iter().find(|property| property.name == "Msd");
                match domain.map(|property| property.value.to_string()) {
                    Some(domain) if domain != TEXT_DOMAIN => Err(NotText::Domain(domain)),
                    _ => Ok(()),
                }
            }
            Some("jms") => {
                self.jms.take(property::read_folder(folder)?.1);
                Ok(())
            }
            Some("usr") => {
                self.properties.extend(property::read_folder(folder)?.1);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl JmsFields {
    fn elements(&self) -> Vec<(&'static str, PropertyValue)> {
        let string = |text: &Option<String>| text.clone().map(PropertyValue::String);
        let number = |value: Option<i32>| value.map(|value| PropertyValue::String(value.to_string()));
        let long = |value: Option<i64>| value.map(|value| PropertyValue::String(value.to_string()));
        let fields = [
            ("Dst", string(&self.destination)),
            ("Rto", string(&self.reply_to)),
            ("Tms", long(self.timestamp_ms)),
            ("Exp", long(self.expiration_ms)),
            ("Cid", string(&self.correlation_id)),
            ("Pri", number(self.priority)),
            ("Dlv", number(self.delivery_mode)),
            ("Gid", string(&self.group_id)),
            ("Seq", number(self.group_sequence)),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// What is not of its type is passed over: a receiver can do without it.
    fn take(&mut self, properties: Vec<Property>) {
        for Property { name, value } in properties {
            let text = value.to_string();
            match &*name {
                "Dst" => self.destination = Some(text),
                "Rto" => self.reply_to = Some(text),
                "Cid" => self.correlation_id = Some(text),
                "Gid" | "Grp" => self.group_id = Some(text),
                "Dlv" => self.delivery_mode = text.trim().parse().ok(),
                "Pri" => self.priority = text.trim().parse().ok(),
                "Seq" => self.group_sequence = text.trim().parse().ok(),
                "Tms" => self.timestamp_ms = text.trim().parse().ok(),
                "Exp" => self.expiration_ms = text.trim().parse().ok(),
                _ => {}
            }
        }
    }
}

fn write(folder: &str, elements: &[(&'static str, PropertyValue)]) -> String {
    property::write_folder(folder, elements.iter().map(|(name, value)| (*name, value)))
}
