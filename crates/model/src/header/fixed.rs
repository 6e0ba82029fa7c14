//! A header whose fields lie at fixed offsets, as the bytes that it has: MQDLH, MQXQH, MQMDE, MQIIH, MQCIH.
//!
//! `layout.rs` names the fields. A header is written in one byte order and one character set, which the structure before it
//! announces: that of the descriptor, or of another header. Text is read and written in that set, EBCDIC too.
//!
//! Invariant: a field that is not set keeps its bytes, so that a header which was read is written back as it was.

use std::borrow::Cow;

use codepage::{ByteOrder, CharacterSet, Form};

use crate::descriptor::{Ccsid, Encoding, Format};
use crate::header::HeaderError;
use crate::header::cursor::{Reader, integer_bytes};
use crate::header::layout::{CICS, CICS_1, DEAD_LETTER, Field, IMS, Kind, Layout, MD_EXTENSION, TRANSMISSION};
use crate::text::Text;

/// How a structure, or the data of a message, is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub encoding: Encoding,
    pub ccsid: Ccsid,
}

impl Part {
    fn is_little_endian(self) -> bool {
        self.encoding.integers_are_little_endian()
    }

    /// The set of the text in a header. Headers are not written in UTF-16: where that, or a CCSID that is not known, is announced,
    /// their text is ASCII.
    pub fn header_set(self) -> CharacterSet {
        let known = u32::try_from(self.ccsid.0).ok().and_then(|ccsid| CharacterSet::of(ccsid, ByteOrder::Big));
        known.filter(|set| !matches!(set.form(), Form::Utf16(_))).unwrap_or_else(utf_8)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedHeader {
    layout: &'static Layout,
    part: Part,
    bytes: Vec<u8>,
}

impl FixedHeader {
    /// A new one, each field as `Kind` says.
    pub fn new(layout: &'static Layout, part: Part) -> Self {
        let set = part.header_set();
        let mut header = Self { layout, part, bytes: vec![0; layout.length] };
        header.write_characters(0, 4, &encoded(set, &layout.identifier));
        header.write_integer(4, layout.version);
        if layout.has_length {
            header.write_integer(8, i32::try_from(layout.length).expect("a structure is short"));
        }
        for field in layout.fields {
            match field.kind {
                Kind::Integer(value) | Kind::Constant(value) => header.write_integer(field.offset, value),
                Kind::Text(width, text) => header.write_characters(field.offset, width, &encoded(set, text.as_bytes())),
                Kind::Mark(text) => header.write_characters(field.offset, 4, &encoded(set, &text)),
                Kind::Bytes(_) => {}
            }
        }
        header
    }

    /// Reads the header of this format that `bytes` begin with.
    ///
    /// # Errors
    /// A format without such a header; too short; another identifier, version or length.
    pub fn decode(format: Format, bytes: &[u8], part: Part) -> Result<Self, HeaderError> {
        let layout = layout_of(format, bytes, part)?;
        let mut reader = Reader::new(layout.structure, bytes, part.encoding);
        let header = Self { layout, part, bytes: reader.take(layout.length)?.to_vec() };
        let set = part.header_set();
        let identifier = HeaderError::Identifier { structure: layout.structure };
        let is_marked = |at: usize, mark: &[u8; 4]| header.bytes[at..at + 4] == *encoded(set, mark);
        if !is_marked(0, &layout.identifier) {
            return Err(identifier);
        }
        header.expect_integer("Version", 4, layout.version)?;
        if layout.has_length {
            header.expect_integer("StrucLength", 8, i32::try_from(layout.length).unwrap_or(0))?;
        }
        for field in layout.fields {
            match field.kind {
                Kind::Constant(value) => header.expect_integer("Version", field.offset, value)?,
                Kind::Mark(mark) if !is_marked(field.offset, &mark) => return Err(identifier),
                Kind::Mark(_) | Kind::Integer(_) | Kind::Text(..) | Kind::Bytes(_) => {}
            }
        }
        Ok(header)
    }

    pub fn layout(&self) -> &'static Layout {
        self.layout
    }

    /// How it is written.
    pub fn part(&self) -> Part {
        self.part
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How what follows is written, and its format.
    pub fn next(&self) -> Option<(Format, Part)> {
        let next = self.layout.next?;
        let field = self.bytes[next.format..next.format + 8].try_into().expect("eight bytes");
        let format = decoded(self.part.header_set(), field);
        let part = match next.part {
            None => self.part,
            Some((encoding, ccsid)) => {
                let ccsid = match Ccsid(self.read_integer(ccsid)) {
                    Ccsid::INHERIT | Ccsid::Q_MGR => self.part.ccsid,
                    ccsid => ccsid,
                };
                Part { encoding: Encoding(self.read_integer(encoding)), ccsid }
            }
        };
        Some((Format(Text::from_bytes(format)), part))
    }

    /// Says what follows. The CCSID is written as `inherited` where that is said and what follows is written in this header's.
    pub fn announce(&mut self, format: Format, part: Part, inherited: Option<Ccsid>) {
        let Some(next) = self.layout.next else { return };
        let field = encoded(self.part.header_set(), format.0.as_bytes());
        self.bytes[next.format..next.format + 8].copy_from_slice(&field);
        if let Some((encoding, ccsid)) = next.part {
            self.write_integer(encoding, part.encoding.0);
            let inherited = inherited.filter(|_| part.ccsid == self.part.ccsid);
            self.write_integer(ccsid, inherited.unwrap_or(part.ccsid).0);
        }
    }

    pub fn integer(&self, field: &Field) -> i32 {
        self.read_integer(field.offset)
    }

    pub fn bytes(&self, field: &Field) -> &[u8] {
        &self.bytes[field.offset..field.offset + field.kind.width()]
    }

    /// The characters of a text field without the blanks behind them. `None` where that does not say all of it.
    pub fn text(&self, field: &Field) -> Option<String> {
        self.characters(field.offset, field.kind.width())
    }

    /// Whether nobody has set the field.
    pub fn is_preset(&self, field: &Field) -> bool {
        match field.kind {
            Kind::Integer(value) | Kind::Constant(value) => self.integer(field) == value,
            Kind::Text(_, text) => self.text(field).as_deref() == Some(text),
            Kind::Mark(_) => true,
            Kind::Bytes(_) => self.bytes(field).iter().all(|byte| *byte == 0),
        }
    }

    pub fn set_integer(&mut self, field: &Field, value: i32) {
        self.write_integer(field.offset, value);
    }

    /// `false`: the text is longer than the field, or has characters that the set has not.
    pub fn set_text(&mut self, field: &Field, text: &str) -> bool {
        let mut bytes = Vec::with_capacity(text.len());
        let fits = self.part.header_set().encode(text, &mut bytes) == 0 && bytes.len() <= field.kind.width();
        if fits {
            self.write_characters(field.offset, field.kind.width(), &bytes);
        }
        fits
    }

    /// `false`: it is not as long as the field.
    pub fn set_bytes(&mut self, field: &Field, bytes: &[u8]) -> bool {
        let fits = bytes.len() == field.kind.width();
        if fits {
            self.bytes[field.offset..field.offset + bytes.len()].copy_from_slice(bytes);
        }
        fits
    }

    fn characters(&self, offset: usize, width: usize) -> Option<String> {
        let set = self.part.header_set();
        let bytes = &self.bytes[offset..offset + width];
        let blank = set.blank()[0];
        let end = bytes.iter().rposition(|byte| *byte != blank).map_or(0, |last| last + 1);
        let mut text = String::new();
        set.decode(&bytes[..end], &mut text).ok()?;
        let mut again = Vec::with_capacity(width);
        let is_exact = set.encode(&text, &mut again) == 0 && again == bytes[..end];
        (is_exact && !text.chars().any(char::is_control)).then_some(text)
    }

    fn expect_integer(&self, field: &'static str, offset: usize, expected: i32) -> Result<(), HeaderError> {
        match self.read_integer(offset) {
            value if value == expected => Ok(()),
            value => Err(HeaderError::Value { structure: self.layout.structure, field, value }),
        }
    }

    fn read_integer(&self, offset: usize) -> i32 {
        let field = self.bytes[offset..offset + 4].try_into().expect("four bytes");
        if self.part.is_little_endian() { i32::from_le_bytes(field) } else { i32::from_be_bytes(field) }
    }

    fn write_integer(&mut self, offset: usize, value: i32) {
        self.bytes[offset..offset + 4].copy_from_slice(&integer_bytes(value, self.part.is_little_endian()));
    }

    /// With blanks behind them.
    fn write_characters(&mut self, offset: usize, width: usize, bytes: &[u8]) {
        let blank = self.part.header_set().blank()[0];
        let field = &mut self.bytes[offset..offset + width];
        field.fill(blank);
        field[..bytes.len()].copy_from_slice(bytes);
    }
}

impl Kind {
    /// In bytes.
    pub fn width(self) -> usize {
        match self {
            Self::Integer(_) | Self::Constant(_) | Self::Mark(_) => 4,
            Self::Text(width, _) | Self::Bytes(width) => width,
        }
    }
}

/// The layouts that begin with an identifier, the newest version first.
pub fn layouts_of(format: Format) -> &'static [&'static Layout] {
    match format {
        Format::DEAD_LETTER_HEADER => &[&DEAD_LETTER],
        Format::XMIT_QUEUE_HEADER => &[&TRANSMISSION],
        Format::MD_EXTENSION => &[&MD_EXTENSION],
        Format::IMS => &[&IMS],
        Format::CICS => &[&CICS, &CICS_1],
        _ => &[],
    }
}

/// The one of the version that stands in the bytes.
fn layout_of(format: Format, bytes: &[u8], part: Part) -> Result<&'static Layout, HeaderError> {
    let layouts = layouts_of(format);
    let newest = layouts.first().ok_or(HeaderError::Identifier { structure: "header" })?;
    let mut reader = Reader::new(newest.structure, bytes, part.encoding);
    reader.take(4)?;
    let version = reader.integer()?;
    let found = layouts.iter().find(|layout| layout.version == version);
    found.copied().ok_or_else(|| reader.bad_value("Version", version))
}

fn utf_8() -> CharacterSet {
    CharacterSet::of(1208, ByteOrder::Big).expect("UTF-8 is known")
}

/// Stands in a format for a character that none can have.
const SUBSTITUTE: u8 = 0x1A;

/// ASCII of another set; bytes of ASCII sets as they are.
pub(crate) fn decoded<const N: usize>(set: CharacterSet, mut field: [u8; N]) -> [u8; N] {
    if set.is_ebcdic() {
        for byte in &mut field {
            *byte = set.character_of(*byte).and_then(|it| u8::try_from(it).ok()).unwrap_or(SUBSTITUTE);
        }
    }
    field
}

/// ASCII in another set, as long as it was.
pub(crate) fn encoded(set: CharacterSet, ascii: &[u8]) -> Cow<'_, [u8]> {
    if !set.is_ebcdic() {
        return Cow::Borrowed(ascii);
    }
    ascii.iter().map(|byte| set.byte_of(char::from(*byte)).unwrap_or(set.substitute())).collect()
}
