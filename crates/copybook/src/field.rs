//! Elementary items one by one, for records whose places are worked out by other rules than a copybook's.
//!
//! A [`FieldForm`] is how bytes are to be understood; a [`Field`] is one item of it, chosen once and followed for every
//! record. Nothing here allocates beyond the output given.

use codepage::{ByteOrder, CharacterSet};

use crate::codec::{Codec, Scale, Set, Sets};
use crate::error::{DataProblem, PlanError};
use crate::float::FloatKind;
use crate::json::{self, Flaw, RawString, Reader};
use crate::options::{AsciiSign, FloatForm};
use crate::text::TextCodec;
use crate::zoned::Zoned;

/// Code page, byte order and floats of a record.
#[derive(Clone)]
pub struct FieldForm {
    sets: Sets,
    order: ByteOrder,
    float: FloatForm,
}

/// One elementary item.
#[derive(Debug, Clone)]
pub struct Field(Codec);

impl FieldForm {
    /// # Errors
    /// The code page is not known, or has not one byte for a digit.
    pub fn new(ccsid: u32, order: ByteOrder, float: FloatForm) -> Result<Self, PlanError> {
        let set = |ccsid: u32| CharacterSet::of(ccsid, order).ok_or(PlanError::UnknownCodepage { ccsid });
        let codec = |set| TextCodec::new(set, false);
        let display = codec(set(ccsid)?);
        if !display.is_single_byte_digits() {
            return Err(PlanError::WideDigits { item: String::new(), ccsid });
        }
        let sets = Sets { display, national: codec(set(1200)?), utf_8: codec(set(1208)?), graphic: None };
        Ok(Self { sets, order, float })
    }

    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// The byte that fills text.
    pub fn blank(&self) -> u8 {
        self.sets.display.blank()[0]
    }

    /// Appends a JSON string of all the bytes, blanks at the end included.
    ///
    /// # Errors
    /// Malformed UTF-8.
    pub fn decode_text(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), DataProblem> {
        self.sets.display.decode_all(bytes, out)
    }

    /// Puts a JSON string into `out`, blanks behind it; how many bytes the text takes.
    ///
    /// # Errors
    /// The text is longer than `out`, or an escape in it is none.
    pub fn encode_text(&self, string: RawString<'_>, out: &mut [u8]) -> Result<usize, DataProblem> {
        self.sets.display.encode_counted(string, out)
    }

    /// As `encode_text`, of plain text, of which as many whole characters are taken as there is room for.
    ///
    /// # Errors
    /// None that is known; it tells what `encode_text` would.
    pub fn encode_cut(&self, text: &str, out: &mut [u8]) -> Result<usize, DataProblem> {
        let end = if self.sets.display.is_single_byte() {
            text.char_indices().nth(out.len()).map_or(text.len(), |(at, _)| at)
        } else {
            text.floor_char_boundary(out.len())
        };
        let mut quoted = Vec::with_capacity(end + 2);
        json::write_string(&text[..end], &mut quoted);
        let string = Reader::new(&quoted).string().map_err(|flaw| flaw.problem)?;
        self.encode_text(string, out)
    }
}

impl Field {
    /// DISPLAY digits; the sign, if there is one, is overpunched on the last.
    pub fn zoned(form: &FieldForm, digits: u32, signed: bool) -> Self {
        let is_ebcdic = form.sets.display.is_ebcdic();
        let zoned = Zoned { is_ebcdic, signed, leading: false, separate: false, ascii_sign: AsciiSign::Zone };
        Self(Codec::Zoned { zoned, scale: Scale { digits, scale: 0, signed }, blank_when_zero: false })
    }

    /// COMP-3 of `digits`, `decimals` of them behind the point.
    pub fn packed(digits: u32, decimals: u32, signed: bool) -> Self {
        let scale = i32::try_from(decimals).unwrap_or(i32::MAX);
        Self(Codec::Packed { scale: Scale { digits, scale, signed } })
    }

    /// COMP-5: all that its bytes hold.
    pub fn binary(form: &FieldForm, signed: bool) -> Self {
        let scale = Scale { digits: 18, scale: 0, signed };
        Self(Codec::Binary { scale, order: form.order, full: true })
    }

    /// COMP-1 with `double` false, else COMP-2.
    pub fn float(form: &FieldForm, double: bool) -> Self {
        let kind = match (form.float, double) {
            (FloatForm::Hexadecimal, false) => FloatKind::HexadecimalShort,
            (FloatForm::Hexadecimal, true) => FloatKind::HexadecimalLong,
            (FloatForm::Ieee, false) => FloatKind::IeeeSingle,
            (FloatForm::Ieee, true) => FloatKind::IeeeDouble,
        };
        Self(Codec::Float { kind, order: form.order })
    }

    /// Text of fixed length: blanks at its end do not count.
    pub fn text() -> Self {
        Self(Codec::Text { set: Set::Display, justified: false })
    }

    /// Appends the JSON value of an item's bytes.
    ///
    /// # Errors
    /// The bytes are no such item.
    #[inline]
    pub fn decode(&self, form: &FieldForm, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), DataProblem> {
        self.0.decode(&form.sets, bytes, out)
    }

    /// Reads the next JSON value into an item's bytes. `null` leaves them as they are.
    ///
    /// # Errors
    /// The value does not fit, is of another type, or the text is no JSON.
    #[inline]
    pub fn encode(&self, form: &FieldForm, reader: &mut Reader<'_>, out: &mut [u8]) -> Result<(), Flaw> {
        self.0.encode(&form.sets, reader, out)
    }

    /// Sign and digits of a number of digits; `None` for bytes that are none.
    pub fn number(&self, form: &FieldForm, bytes: &[u8]) -> Option<(bool, u128)> {
        self.0.digits(&form.sets, bytes)
    }

    /// The bytes an item has while nothing is in it: blanks or zero.
    pub fn initial(&self, form: &FieldForm, out: &mut [u8]) {
        // Without a VALUE everything fits.
        let _ = self.0.initial(&form.sets, None, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(ccsid: u32) -> FieldForm {
        FieldForm::new(ccsid, ByteOrder::Big, FloatForm::Hexadecimal).expect("a form")
    }

    fn put(field: &Field, form: &FieldForm, json: &str, length: usize) -> Vec<u8> {
        let mut out = vec![0; length];
        field.initial(form, &mut out);
        field.encode(form, &mut Reader::new(json.as_bytes()), &mut out).expect("it fits");
        out
    }

    #[test]
    fn each_kind_of_item_goes_to_bytes_and_back() {
        let form = form(37);
        for (field, json, bytes) in [
            (Field::zoned(&form, 3, true), "-3", &b"\xF0\xF0\xD3"[..]),
            (Field::zoned(&form, 4, false), "272", b"\xF0\xF2\xF7\xF2"),
            (Field::packed(5, 2, true), "-1.5", b"\x00\x15\x0D"),
            (Field::binary(&form, true), "4294967296", b"\0\0\0\x01\0\0\0\0"),
            (Field::float(&form, true), "54.5", b"\x42\x36\x80\0\0\0\0\0"),
            (Field::text(), "\"AB\"", b"\xC1\xC2\x40"),
        ] {
            assert_eq!(put(&field, &form, json, bytes.len()), bytes, "{json}");
            let mut out = Vec::new();
            field.decode(&form, bytes, &mut out).expect("readable");
            assert_eq!(String::from_utf8(out).expect("UTF-8"), json);
        }
    }

    #[test]
    fn text_counts_its_bytes_and_keeps_its_blanks() {
        for (ccsid, text, bytes) in [(37, "a b ", &b"\x81\x40\x82\x40"[..]), (1208, "é ", "é ".as_bytes())] {
            let form = form(ccsid);
            let json = format!("\"{text}\"");
            let mut out = [0; 6];
            let string = Reader::new(json.as_bytes()).string().expect("a string");
            assert_eq!(form.encode_text(string, &mut out), Ok(bytes.len()));
            assert_eq!(out[..bytes.len()], *bytes);
            assert!(out[bytes.len()..].iter().all(|byte| *byte == form.blank()));
            let mut back = Vec::new();
            form.decode_text(bytes, &mut back).expect("readable");
            assert_eq!(back, json.as_bytes());
        }
    }

    #[test]
    fn both_ends_of_a_line_in_ebcdic_are_new_lines() {
        let mut out = Vec::new();
        form(37).decode_text(b"\x81\x15\x82\x25", &mut out).expect("readable");
        assert_eq!(out, br#""a\nb\n""#);
    }

    #[test]
    fn text_that_is_too_long_is_refused_with_its_length() {
        let string = Reader::new(br#""abc""#).string().expect("a string");
        let told = form(37).encode_text(string, &mut [0; 2]);
        assert_eq!(told, Err(DataProblem::TextTooLong { length: 3, room: 2 }));
    }

    #[test]
    fn text_is_cut_at_a_whole_character() {
        let mut out = [0; 3];
        assert_eq!(form(1208).encode_cut("aéé", &mut out), Ok(3));
        assert_eq!(out, "aé".as_bytes());
        assert_eq!(form(1208).encode_cut("abé", &mut out), Ok(2));
        assert_eq!(&out, b"ab ");
        assert_eq!(form(37).encode_cut("ééab", &mut out), Ok(3));
        assert_eq!(&out, b"\x51\x51\x81");
    }
}
