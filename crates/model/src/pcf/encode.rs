//! One PCF message to bytes, in any encoding and CCSID.

use codepage::{ByteOrder, CharacterSet};

use crate::descriptor::{Ccsid, Encoding};
use crate::header::cursor::Writer;
use crate::pcf::shape::HEADER_LENGTH;
use crate::pcf::{Message, Parameter, ParameterValue, has_known_integers};

/// How a message is written: byte order and CCSID, both known.
#[derive(Clone, Copy)]
pub struct Coding {
    pub encoding: Encoding,
    pub ccsid: Ccsid,
    set: CharacterSet,
}

impl Coding {
    /// Encoding of this program's messages, unless a caller asks for another.
    pub fn native() -> Self {
        Self::new(Encoding::NATIVE, Ccsid::UTF_8).expect("the own encoding and UTF-8 are known")
    }

    /// CCSID 0 is the queue manager's, 1208. `None`: not an encoding or a CCSID we know.
    pub fn new(encoding: Encoding, ccsid: Ccsid) -> Option<Self> {
        let ccsid = if ccsid == Ccsid::Q_MGR { Ccsid::UTF_8 } else { ccsid };
        if !has_known_integers(encoding) {
            return None;
        }
        let order = if encoding.integers_are_little_endian() { ByteOrder::Little } else { ByteOrder::Big };
        let set = CharacterSet::of(u32::try_from(ccsid.0).ok()?, order)?;
        Some(Self { encoding, ccsid, set })
    }

    /// Appends `message` to `out`. Characters without a counterpart in the CCSID are substituted.
    pub fn encode(&self, message: &Message, out: &mut Vec<u8>) {
        let header = &message.header;
        let control = i32::from(header.is_last);
        let fields = [
            header.kind.0,
            number(HEADER_LENGTH),
            header.version,
            header.command,
            header.sequence,
            control,
            header.completion,
            header.reason,
            count(message.parameters.len()),
        ];
        let mut encoder = Encoder { coding: self, out };
        encoder.integers(&fields);
        message.parameters.iter().for_each(|parameter| encoder.parameter(parameter));
    }

    /// The bytes of one message.
    pub fn bytes(&self, message: &Message) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode(message, &mut out);
        out
    }

    fn text(&self, text: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(text.len());
        self.set.encode(text, &mut bytes);
        bytes
    }
}

struct Encoder<'a> {
    coding: &'a Coding,
    out: &'a mut Vec<u8>,
}

impl Encoder<'_> {
    fn parameter(&mut self, parameter: &Parameter) {
        let start = self.out.len();
        self.integers(&[parameter.value.structure(), 0, parameter.id]);
        match &parameter.value {
            ParameterValue::Integer(value) => self.integers(&[*value]),
            ParameterValue::Integer64(value) => {
                self.integers(&[0]);
                self.long(*value);
            }
            ParameterValue::Integers(values) => {
                self.integers(&[count(values.len())]);
                self.integers(values);
            }
            ParameterValue::Integers64(values) => {
                self.integers(&[count(values.len())]);
                values.iter().for_each(|value| self.long(*value));
            }
            ParameterValue::Text(text) => self.text(text),
            ParameterValue::Texts(texts) => self.texts(texts),
            ParameterValue::Bytes(bytes) => self.bytes(bytes),
            ParameterValue::IntegerFilter { operator, value } => self.integers(&[*operator, *value]),
            ParameterValue::TextFilter { operator, text } => {
                self.integers(&[*operator]);
                self.text(text);
            }
            ParameterValue::BytesFilter { operator, bytes } => {
                self.integers(&[*operator]);
                self.bytes(bytes);
            }
            ParameterValue::Group(members) => {
                self.integers(&[count(members.len())]);
                self.end(start);
                members.iter().for_each(|member| self.parameter(member));
                return;
            }
        }
        self.end(start);
    }

    fn text(&mut self, text: &str) {
        let bytes = self.coding.text(text);
        self.integers(&[self.coding.ccsid.0, count(bytes.len())]);
        self.out.extend_from_slice(&bytes);
    }

    /// All strings of a list have the length of the longest, rounded up to four bytes: the structure ends with the last of
    /// them, as programs expect that split it by its length.
    fn texts(&mut self, texts: &[String]) {
        let strings: Vec<_> = texts.iter().map(|text| self.coding.text(text)).collect();
        let longest = strings.iter().map(Vec::len).max().unwrap_or(0).next_multiple_of(4);
        self.integers(&[self.coding.ccsid.0, count(strings.len()), count(longest)]);
        let blank = self.coding.set.blank();
        for string in strings {
            self.out.extend_from_slice(&string);
            self.out.extend_from_slice(&blank.repeat((longest - string.len()) / blank.len()));
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.integers(&[count(bytes.len())]);
        self.out.extend_from_slice(bytes);
    }

    fn integers(&mut self, values: &[i32]) {
        let mut writer = Writer::new(self.out, self.coding.encoding);
        values.iter().for_each(|value| writer.integer(*value));
    }

    fn long(&mut self, value: i64) {
        let little_endian = self.coding.encoding.integers_are_little_endian();
        self.out.extend_from_slice(&if little_endian { value.to_le_bytes() } else { value.to_be_bytes() });
    }

    /// Pads to four bytes and fills in `StrucLength`.
    fn end(&mut self, start: usize) {
        let padded = start + (self.out.len() - start).next_multiple_of(4);
        self.out.resize(padded, 0);
        let length = count(padded - start);
        let field = crate::header::cursor::integer_bytes(length, self.coding.encoding.integers_are_little_endian());
        self.out[start + 4..start + 8].copy_from_slice(&field);
    }
}

/// Counts and lengths are MQLONGs; what we build never comes near their end.
fn count(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

fn number(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
