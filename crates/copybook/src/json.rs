//! A pull parser over JSON bytes: RFC 8259, nothing copied, nothing allocated; and the writing of JSON strings.
//!
//! Only what is asked for is read; `skip` passes over a value of any depth up to a bound and checks it all the same.
//! Public for `requester`, whose records are laid out by other rules than copybooks.

use crate::error::DataProblem;

const MAXIMUM_DEPTH: usize = 128;

/// What is wrong, and where in the text.
#[derive(Debug)]
pub struct Flaw {
    pub problem: DataProblem,
    pub at: usize,
}

pub struct Reader<'a> {
    bytes: &'a [u8],
    /// Where the next byte is read.
    pub at: usize,
}

/// The inside of a string as it is in the text.
#[derive(Debug, Clone, Copy)]
pub struct RawString<'a> {
    pub raw: &'a [u8],
    /// Only ASCII, no escapes.
    pub is_plain: bool,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn flaw(&self, what: &'static str) -> Flaw {
        Flaw { problem: DataProblem::Json { what }, at: self.at }
    }

    /// The first byte of what comes next, blanks skipped.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// What comes next, in words.
    pub fn found(&mut self) -> &'static str {
        match self.peek() {
            Some(b'"') => "a string",
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(b'-' | b'0'..=b'9') => "a number",
            Some(_) => "no value",
            None => "the end",
        }
    }

    fn wrong_type(&mut self, expected: &'static str) -> Flaw {
        let found = self.found();
        match found {
            "no value" => self.flaw("a value is expected"),
            "the end" => self.flaw("it ends too early"),
            _ => Flaw { problem: DataProblem::WrongType { expected, found }, at: self.at },
        }
    }

    /// Takes the brace or bracket.
    pub fn begin(&mut self, bracket: u8) -> Result<(), Flaw> {
        if self.peek() == Some(bracket) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wrong_type(if bracket == b'{' { "an object" } else { "an array" }))
    }

    /// The next name of an object that has begun, its colon taken; `None` behind the object.
    pub fn next_name(&mut self, is_first: bool) -> Result<Option<RawString<'a>>, Flaw> {
        if !self.next_of(b'}', is_first)? {
            return Ok(None);
        }
        if self.peek() != Some(b'"') {
            return Err(self.flaw("the name of a member is expected"));
        }
        let name = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.flaw("a colon is expected"));
        }
        self.at += 1;
        Ok(Some(name))
    }

    /// Whether another element of an array that has begun follows.
    pub fn next_element(&mut self, is_first: bool) -> Result<bool, Flaw> {
        self.next_of(b']', is_first)
    }

    #[inline]
    fn next_of(&mut self, close: u8, is_first: bool) -> Result<bool, Flaw> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(_) if is_first => Ok(true),
            Some(b',') => {
                self.at += 1;
                if self.peek() == Some(close) {
                    return Err(self.flaw("a comma stands before the end"));
                }
                Ok(true)
            }
            Some(_) => Err(self.flaw("a comma or the end is expected")),
            None => Err(self.flaw("it ends too early")),
        }
    }

    /// Takes a string.
    pub fn string(&mut self) -> Result<RawString<'a>, Flaw> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong_type("a string"));
        }
        let start = self.at + 1;
        let mut at = start + plain_length(&self.bytes[start..]);
        if self.bytes.get(at) == Some(&b'"') {
            self.at = at + 1;
            return Ok(RawString { raw: &self.bytes[start..at], is_plain: true });
        }
        let mut is_ascii = true;
        loop {
            self.at = at;
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    is_ascii &= self.bytes.get(at + 1).is_none_or(u8::is_ascii);
                    at += 2;
                }
                Some(0..0x20) => return Err(self.flaw("a control character stands in a string")),
                Some(byte) => {
                    is_ascii &= byte.is_ascii();
                    at += 1;
                }
                None => return Err(self.flaw("it ends too early")),
            }
        }
        let raw = &self.bytes[start..at];
        if !is_ascii && let Err(error) = std::str::from_utf8(raw) {
            self.at = start + error.valid_up_to();
            return Err(self.flaw("it is no UTF-8"));
        }
        self.at = at + 1;
        Ok(RawString { raw, is_plain: false })
    }

    /// A number as it is in the text, its grammar checked.
    pub fn number(&mut self) -> Result<&'a [u8], Flaw> {
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.wrong_type("a number"));
        }
        let start = self.at;
        let digits = |bytes: &[u8], from: usize| {
            bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut at = start + usize::from(self.bytes[start] == b'-');
        let before = digits(self.bytes, at);
        let leading_zero = before > 1 && self.bytes[at] == b'0';
        at += before;
        let mut is_whole = before > 0 && !leading_zero;
        if self.bytes.get(at) == Some(&b'.') {
            let behind = digits(self.bytes, at + 1);
            is_whole &= behind > 0;
            at += 1 + behind;
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            at += 1 + usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(self.bytes, at);
            is_whole &= exponent > 0;
            at += exponent;
        }
        let ends =
            self.bytes.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b'}' | b']'));
        if !is_whole || !ends {
            return Err(self.flaw("a number is not written as JSON writes numbers"));
        }
        self.at = at;
        Ok(&self.bytes[start..at])
    }

    /// Takes `null` if it comes next.
    pub fn null(&mut self) -> Result<bool, Flaw> {
        if self.peek() != Some(b'n') {
            return Ok(false);
        }
        self.word(b"null")?;
        Ok(true)
    }

    /// Takes `true` or `false`.
    pub fn boolean(&mut self) -> Result<bool, Flaw> {
        match self.peek() {
            Some(b't') => self.word(b"true").map(|()| true),
            Some(b'f') => self.word(b"false").map(|()| false),
            _ => Err(self.wrong_type("a boolean")),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Flaw> {
        if self.bytes.get(self.at..).unwrap_or_default().starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        Err(self.flaw("a value is expected"))
    }

    /// Passes over one value.
    pub fn skip(&mut self) -> Result<(), Flaw> {
        self.skip_below(0)
    }

    fn skip_below(&mut self, depth: usize) -> Result<(), Flaw> {
        if depth > MAXIMUM_DEPTH {
            return Err(self.flaw("it is nested too deep"));
        }
        match self.peek() {
            Some(b'"') => {
                let string = self.string()?;
                for character in string.characters() {
                    character.map_err(|problem| Flaw { problem, at: self.at })?;
                }
            }
            Some(b'{') => {
                self.at += 1;
                let mut is_first = true;
                while self.next_name(is_first)?.is_some() {
                    is_first = false;
                    self.skip_below(depth + 1)?;
                }
            }
            Some(b'[') => {
                self.at += 1;
                let mut is_first = true;
                while self.next_element(is_first)? {
                    is_first = false;
                    self.skip_below(depth + 1)?;
                }
            }
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'n') => self.word(b"null")?,
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
            }
            Some(_) => return Err(self.flaw("a value is expected")),
            None => return Err(self.flaw("it ends too early")),
        }
        Ok(())
    }

    /// # Errors
    /// There is more than blanks.
    pub fn end(&mut self) -> Result<(), Flaw> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.flaw("something follows the value")),
        }
    }
}

/// How many bytes before the first quote, backslash, control character or byte beyond ASCII; sixteen at a time, as far as
/// all of them are plain, then eight.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    let (chunks, _) = bytes.as_chunks::<16>();
    let plain = chunks.iter().take_while(|chunk| are_plain(*chunk)).count() * 16;
    plain + plain_length_by_eight(&bytes[plain..])
}

/// Appends bytes as a string, if all of them are plain; false, and something of them in `out`, if not.
#[inline]
pub(crate) fn write_plain(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let (chunks, rest) = bytes.as_chunks::<16>();
    for chunk in chunks {
        if !are_plain(chunk) {
            return false;
        }
        out.extend_from_slice(chunk);
    }
    if !rest.is_empty() {
        if !are_plain(rest) {
            return false;
        }
        out.extend_from_slice(rest);
    }
    out.push(b'"');
    true
}

/// All of them looked at, so that sixteen are compared at once.
#[inline]
pub(crate) fn are_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |others, byte| others | u8::from(!is_plain(*byte))) == 0
}

fn is_plain(byte: u8) -> bool {
    // Signed, bytes beyond ASCII are less than controls.
    (byte.cast_signed() >= 0x20) & (byte != b'"') & (byte != b'\\')
}

fn plain_length_by_eight(bytes: &[u8]) -> usize {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let zero_in = |word: u64| word.wrapping_sub(LOW) & !word;
    let (chunks, _) = bytes.as_chunks::<8>();
    for (number, chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let quote = zero_in(word ^ (LOW * u64::from(b'"')));
        let backslash = zero_in(word ^ (LOW * u64::from(b'\\')));
        let control = word.wrapping_sub(LOW * 0x20) & !word;
        let special = (quote | backslash | control | word) & HIGH;
        if special != 0 {
            // The lowest mark is exact; borrows can only raise false ones above it.
            return number * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let done = chunks.len() * 8;
    done + bytes[done..].iter().take_while(|byte| is_plain(**byte)).count()
}

impl<'a> RawString<'a> {
    /// The characters, escapes resolved.
    pub fn characters(self) -> Characters<'a> {
        Characters { rest: std::str::from_utf8(self.raw).unwrap_or_default().chars() }
    }

    pub fn to_text(self) -> Result<String, DataProblem> {
        self.characters().collect()
    }
}

pub struct Characters<'a> {
    rest: std::str::Chars<'a>,
}

impl Iterator for Characters<'_> {
    type Item = Result<char, DataProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rest.next()? {
            '\\' => {
                Some(self.escape().ok_or(DataProblem::Json { what: "an escape sequence in a string is not valid" }))
            }
            plain => Some(Ok(plain)),
        }
    }
}

impl Characters<'_> {
    fn escape(&mut self) -> Option<char> {
        Some(match self.rest.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.unicode(),
            same @ ('"' | '\\' | '/') => same,
            _ => return None,
        })
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        if (self.rest.next(), self.rest.next()) != (Some('\\'), Some('u')) {
            return None;
        }
        let second = self.four_digits()?;
        if !(0xDC00..0xE000).contains(&second) {
            return None;
        }
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    fn four_digits(&mut self) -> Option<u32> {
        (0..4).try_fold(0, |value, _| Some(value << 4 | self.rest.next()?.to_digit(16)?))
    }
}

/// Appends a character inside a string, escaped where JSON wants it.
pub fn write_character(character: char, out: &mut Vec<u8>) {
    match character {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\u{8}' => out.extend_from_slice(b"\\b"),
        '\u{c}' => out.extend_from_slice(b"\\f"),
        control if control < ' ' => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let code = control as usize;
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', DIGITS[code >> 4], DIGITS[code & 15]]);
        }
        other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Appends a string with its quotes.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for character in text.chars() {
        write_character(character, out);
    }
    out.push(b'"');
}

/// One step of a JSON pointer.
pub enum Step {
    Member(Box<str>),
    Index(usize),
}

/// The JSON pointer (RFC 6901) of steps that were gathered on the way up, the innermost first.
pub fn pointer(steps: &[Step]) -> String {
    let mut pointer = String::new();
    for step in steps.iter().rev() {
        pointer.push('/');
        match step {
            Step::Member(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => pointer.push_str(&index.to_string()),
        }
    }
    pointer
}

#[cfg(test)]
mod tests;
