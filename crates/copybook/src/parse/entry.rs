//! One data description entry: level, name, clauses, period.

use super::Parser;
use crate::error::{Fault, Place, Problem};
use crate::item::{Condition, DataItem, Literal, Occurs, Renames, SignClause, Usage, Value};
use crate::picture::Picture;
use crate::source::MAXIMUM_CHARACTERS;
use crate::token::{Token, TokenKind};

pub(super) enum Entry {
    Item(DataItem),
    Condition(Condition, Place),
    Renames(Renames),
    /// Level 78: kept by the parser.
    Constant,
}

/// An item without clauses. Its usage is DISPLAY until one is written; `check.rs` hands down that of the group.
pub(super) fn blank(place: Place) -> DataItem {
    DataItem {
        level: 0,
        name: None,
        picture: None,
        usage: Usage::Display,
        sign: None,
        synchronized: false,
        justified: false,
        group_usage: None,
        blank_when_zero: false,
        byte_length: None,
        occurs: None,
        redefines: None,
        value: None,
        conditions: Vec::new(),
        children: Vec::new(),
        written_usage: None,
        place,
    }
}

const CLAUSE: &str = "a clause or a period";

impl Parser<'_, '_> {
    pub(super) fn entry(&mut self) -> Result<Entry, Fault> {
        let token = self.next("a level number")?;
        let place = token.place;
        let level = match &token.kind {
            TokenKind::Word(word) if word.bytes().all(|byte| byte.is_ascii_digit()) => word,
            _ => return Err(Self::unexpected(token, "a level number")),
        };
        match level.parse::<u8>() {
            Ok(level @ (1..=49 | 77)) if !(level == 1 && self.word_at(1).as_deref() == Some("CONSTANT")) => {
                let name = self.entry_name();
                let spoken = name.clone().unwrap_or_else(|| "FILLER".to_owned());
                let item = DataItem { level, name, ..blank(place) };
                self.clauses(item).map(Entry::Item).map_err(|fault| fault.about(&spoken))
            }
            Ok(66) => self.renames(place).map(Entry::Renames),
            Ok(1 | 78) => self.constant_entry().map(|()| Entry::Constant),
            Ok(88) => Ok(Entry::Condition(self.condition()?, place)),
            _ => {
                let name = self.entry_name();
                let problem = Problem::Level { level: level.clone() };
                Err(Fault::of_item(place, name.as_deref().unwrap_or("FILLER"), problem))
            }
        }
    }

    /// A name, unless the word is a clause already: names may be left out.
    fn entry_name(&mut self) -> Option<String> {
        let token = self.peek()?;
        let TokenKind::Word(word) = &token.kind else { return None };
        let upper = word.to_uppercase();
        if upper == "FILLER" {
            self.at += 1;
            return None;
        }
        if begins_clause(&upper) {
            return None;
        }
        self.at += 1;
        Some(word.clone())
    }

    fn clauses(&mut self, mut item: DataItem) -> Result<DataItem, Fault> {
        loop {
            let token = self.next(CLAUSE)?;
            let place = token.place;
            match &token.kind {
                TokenKind::Period => return Ok(item),
                TokenKind::Word(word) => self.clause(&mut item, &word.to_uppercase(), token)?,
                _ => return Err(Self::unexpected(token, CLAUSE)),
            }
            if self.peek().is_none() {
                return Err(Fault::at(place, Problem::Ended { expected: "a period" }));
            }
        }
    }

    fn clause(&mut self, item: &mut DataItem, word: &str, token: &Token) -> Result<(), Fault> {
        let place = token.place;
        let twice = |clause| Err(Fault::at(place, Problem::Twice { clause }));
        if let Some(usage) = self.usage_word(word) {
            return Self::set_usage(item, usage, place);
        }
        match word {
            "REDEFINES" if item.redefines.is_some() => return twice("REDEFINES"),
            "REDEFINES" => item.redefines = Some(self.name("the name of an item")?.to_owned()),
            "PIC" | "PICTURE" if item.picture.is_some() => return twice("PICTURE"),
            "PIC" | "PICTURE" => item.picture = Some(self.picture()?),
            "USAGE" => {
                self.take(&["IS"]);
                let token = self.next("a USAGE")?;
                let TokenKind::Word(word) = &token.kind else { return Err(Self::unexpected(token, "a USAGE")) };
                let word = word.to_uppercase();
                let Some(usage) = self.usage_word(&word) else { return Err(unsupported_usage(word, token)) };
                Self::set_usage(item, usage, token.place)?;
            }
            "SIGN" => {
                self.take(&["IS"]);
                let leading = self.take(&["LEADING"]);
                if !leading && !self.take(&["TRAILING"]) {
                    return Err(Self::unexpected(self.next("LEADING or TRAILING")?, "LEADING or TRAILING"));
                }
                self.sign(item, leading);
            }
            "LEADING" => self.sign(item, true),
            "TRAILING" => self.sign(item, false),
            "SYNC" | "SYNCHRONIZED" | "SYNCHRONISED" => {
                self.take(&["LEFT", "RIGHT"]);
                item.synchronized = true;
            }
            "JUST" | "JUSTIFIED" => {
                self.take(&["RIGHT"]);
                item.justified = true;
            }
            "BLANK" => {
                self.take(&["WHEN"]);
                if !self.take(&["ZERO", "ZEROS", "ZEROES"]) {
                    return Err(Self::unexpected(self.next("ZERO")?, "ZERO"));
                }
                item.blank_when_zero = true;
            }
            "OCCURS" if item.occurs.is_some() => return twice("OCCURS"),
            "OCCURS" => item.occurs = Some(self.occurs(place)?),
            "VALUE" | "VALUES" if item.value.is_some() => return twice("VALUE"),
            "VALUE" | "VALUES" => {
                self.take(&["IS", "ARE"]);
                let place = self.place();
                item.value = Some(Value { literal: self.literal()?, place });
            }
            "BYTE-LENGTH" => {
                self.take(&["IS"]);
                item.byte_length = Some(self.number("a length")?);
            }
            "GROUP-USAGE" => {
                self.take(&["IS"]);
                item.group_usage = Some(if self.take(&["NATIONAL"]) {
                    Usage::National
                } else if self.take(&["UTF-8"]) {
                    Usage::Utf8
                } else {
                    return Err(Self::unexpected(self.next("NATIONAL")?, "NATIONAL"));
                });
            }
            "EXTERNAL" | "GLOBAL" => {
                if self.take(&["AS"]) {
                    self.literal()?;
                }
            }
            "IS" | "VOLATILE" => {}
            "DATE" => {
                self.take(&["FORMAT"]);
                self.take(&["IS"]);
                self.next("a date format")?;
            }
            "TYPEDEF" | "TYPE" | "LIKE" | "SAME" => return Err(unsupported(word, token, "write the items out")),
            "ANY" | "DYNAMIC" => return Err(unsupported(word, token, "the length must be in the copybook")),
            "OBJECT" => return Err(unsupported(word, token, "an object has no bytes that another program could read")),
            _ if is_level(word) => return Err(Fault::at(place, Problem::LevelInEntry { level: word.to_owned() })),
            _ => return Err(Fault::at(place, Problem::UnknownClause { word: word.to_owned() })),
        }
        Ok(())
    }

    fn set_usage(item: &mut DataItem, usage: Usage, place: Place) -> Result<(), Fault> {
        if item.written_usage.is_some() {
            return Err(Fault::at(place, Problem::Twice { clause: "USAGE" }));
        }
        item.written_usage = Some(usage);
        Ok(())
    }

    fn sign(&mut self, item: &mut DataItem, leading: bool) {
        let separate = self.take(&["SEPARATE"]);
        if separate {
            self.take(&["CHARACTER"]);
        }
        item.sign = Some(SignClause { leading, separate });
    }

    fn picture(&mut self) -> Result<Picture, Fault> {
        self.take(&["IS"]);
        let token = self.next("a PICTURE string")?;
        let TokenKind::Picture(text) = &token.kind else { return Err(Self::unexpected(token, "a PICTURE string")) };
        Picture::parse(text, self.options, &|name| self.constant(name))
            .map_err(|problem| Fault::at(token.place, problem))
    }

    /// The usage a word stands for; SIGNED, UNSIGNED and NATIVE behind it are taken. NATIVE is a comment.
    fn usage_word(&mut self, word: &str) -> Option<Usage> {
        let usage = self.plain_usage(word)?;
        self.take(&["NATIVE"]);
        Some(usage)
    }

    fn plain_usage(&mut self, word: &str) -> Option<Usage> {
        let short = word.strip_prefix("COMPUTATIONAL").or_else(|| word.strip_prefix("COMP"));
        let usage = match short {
            Some("" | "-4") => Usage::Binary,
            Some("-1") => Usage::Float,
            Some("-2") => Usage::Double,
            Some("-3") => Usage::Packed,
            Some("-5") => Usage::Native,
            Some("-6") => Usage::PackedUnsigned,
            Some("-X") => Usage::CompX,
            Some("-N") => Usage::CompN,
            _ => match word {
                "BINARY" => Usage::Binary,
                "PACKED-DECIMAL" => Usage::Packed,
                "DISPLAY" => Usage::Display,
                "DISPLAY-1" => Usage::Display1,
                "NATIONAL" => Usage::National,
                "UTF-8" => Usage::Utf8,
                "INDEX" => Usage::Index,
                "POINTER" | "POINTER-32" => Usage::Pointer,
                "FUNCTION-POINTER" => Usage::FunctionPointer,
                "PROCEDURE-POINTER" | "PROGRAM-POINTER" => Usage::ProcedurePointer,
                "FLOAT-SHORT" => Usage::Float,
                "FLOAT-LONG" => Usage::Double,
                "BINARY-CHAR" => return Some(self.sized(1)),
                "BINARY-SHORT" => return Some(self.sized(2)),
                "BINARY-LONG" | "BINARY-INT" => return Some(self.sized(4)),
                "BINARY-DOUBLE" | "BINARY-LONG-LONG" => return Some(self.sized(8)),
                "SIGNED-SHORT" => Usage::Sized { bytes: 2, signed: true },
                "SIGNED-INT" => Usage::Sized { bytes: 4, signed: true },
                "SIGNED-LONG" => Usage::Sized { bytes: 8, signed: true },
                "UNSIGNED-SHORT" => Usage::Sized { bytes: 2, signed: false },
                "UNSIGNED-INT" => Usage::Sized { bytes: 4, signed: false },
                "UNSIGNED-LONG" => Usage::Sized { bytes: 8, signed: false },
                _ => return None,
            },
        };
        Some(usage)
    }

    fn sized(&mut self, bytes: u8) -> Usage {
        let signed = !self.take(&["UNSIGNED"]);
        self.take(&["SIGNED"]);
        Usage::Sized { bytes, signed }
    }

    /// What follows OCCURS, with keys and indexes.
    fn occurs(&mut self, place: Place) -> Result<Occurs, Fault> {
        if let Some(token) = self.peek()
            && self.word_at(0).as_deref() == Some("DYNAMIC")
        {
            return Err(unsupported("DYNAMIC", token, "the length must be in the copybook"));
        }
        let mut minimum = self.number("a number of occurrences")?;
        let mut maximum = minimum;
        if self.take(&["TO"]) {
            if let Some(token) = self.peek()
                && self.word_at(0).as_deref() == Some("UNBOUNDED")
            {
                return Err(unsupported("UNBOUNDED", token, "a table needs a maximum"));
            }
            maximum = self.number("a number of occurrences")?;
        }
        self.take(&["TIMES"]);
        let mut depending_on = None;
        loop {
            if self.take(&["DEPENDING"]) {
                self.take(&["ON"]);
                depending_on = Some(self.qualified_name()?);
            } else if self.take(&["ASCENDING", "DESCENDING"]) {
                self.take(&["KEY"]);
                self.take(&["IS"]);
                self.names()?;
            } else if self.take(&["INDEXED"]) {
                self.take(&["BY"]);
                let names = self.names()?;
                self.indexes.extend(names.iter().map(|name| name.to_uppercase()));
            } else {
                break;
            }
        }
        if depending_on.is_none() && minimum != maximum {
            // OCCURS n TO m without DEPENDING ON is a table of m.
            minimum = maximum;
        }
        if maximum == 0 || minimum > maximum {
            return Err(Fault::at(place, Problem::OccursRange { minimum, maximum }));
        }
        // `OCCURS n DEPENDING ON` leaves out the lower bound.
        let minimum = if depending_on.is_some() && minimum == maximum { minimum.min(1) } else { minimum };
        Ok(Occurs { minimum, maximum, depending_on })
    }

    fn qualified_name(&mut self) -> Result<Vec<String>, Fault> {
        let mut names = vec![self.name("the name of an item")?.to_owned()];
        while self.take(&["OF", "IN"]) {
            names.push(self.name("the name of a group")?.to_owned());
        }
        Ok(names)
    }

    /// Names up to the next clause, with their qualifiers; they matter to a program only.
    fn names(&mut self) -> Result<Vec<String>, Fault> {
        let mut names = self.qualified_name()?;
        while self.word_at(0).is_some_and(|word| !begins_clause(&word) && word.chars().any(char::is_alphabetic)) {
            names.extend(self.qualified_name()?);
        }
        Ok(names)
    }

    /// A literal, with one ALL before it or none.
    fn literal(&mut self) -> Result<Literal, Fault> {
        if !self.take(&["ALL"]) {
            return self.concatenated();
        }
        let place = self.place();
        match self.concatenated()? {
            // Of a constant.
            Literal::All(_) => {
                let expected = "a literal without ALL";
                Err(Fault::at(place, Problem::Unexpected { found: "ALL".to_owned(), expected }))
            }
            literal => Ok(Literal::All(Box::new(literal))),
        }
    }

    /// Literals joined by `&`, or a single one.
    fn concatenated(&mut self) -> Result<Literal, Fault> {
        let mut whole = self.single_literal()?;
        while self.peek().is_some_and(|token| token.kind == TokenKind::Ampersand) {
            self.at += 1;
            let place = self.place();
            match (&mut whole, self.single_literal()?) {
                (Literal::Text(text), Literal::Text(next)) => text.push_str(&next),
                (Literal::Bytes(bytes), Literal::Bytes(next)) => bytes.extend(next),
                _ => {
                    let expected = "a literal of one kind";
                    return Err(Fault::at(place, Problem::Unexpected { found: "&".to_owned(), expected }));
                }
            }
        }
        Ok(whole)
    }

    fn single_literal(&mut self) -> Result<Literal, Fault> {
        let token = self.next("a literal")?;
        match &token.kind {
            TokenKind::Literal { prefix, text } => text_literal(prefix, text).map_err(|p| Fault::at(token.place, p)),
            TokenKind::Word(word) => match word.to_uppercase().as_str() {
                "SPACE" | "SPACES" => Ok(Literal::Space),
                "ZERO" | "ZEROS" | "ZEROES" => Ok(Literal::Zero),
                "HIGH-VALUE" | "HIGH-VALUES" => Ok(Literal::HighValue),
                "LOW-VALUE" | "LOW-VALUES" => Ok(Literal::LowValue),
                "QUOTE" | "QUOTES" => Ok(Literal::Quote),
                "NULL" | "NULLS" => Ok(Literal::Null),
                upper => match self.constant_literal(upper, token.place)? {
                    Some(literal) => Ok(literal),
                    None => self.number_literal(word).ok_or_else(|| Self::unexpected(token, "a literal")),
                },
            },
            _ => Err(Self::unexpected(token, "a literal")),
        }
    }

    /// What a constant stands for. Constants made of constants would double in length with each one, so all that is put
    /// in for names is limited.
    fn constant_literal(&mut self, name: &str, place: Place) -> Result<Option<Literal>, Fault> {
        let Some(literal) = self.constants.get(name) else { return Ok(None) };
        self.substituted += length(literal);
        if self.substituted > MAXIMUM_CHARACTERS {
            return Err(Fault::at(place, Problem::ConstantsTooLong { maximum: MAXIMUM_CHARACTERS }));
        }
        Ok(Some(literal.clone()))
    }

    fn number_literal(&self, word: &str) -> Option<Literal> {
        let text = if self.options.decimal_comma { word.replace(',', ".") } else { word.to_owned() };
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
        let (mantissa, exponent) = unsigned.split_once(['E', 'e']).unwrap_or((unsigned, "0"));
        let mantissa_fits = mantissa.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && mantissa.bytes().any(|byte| byte.is_ascii_digit())
            && mantissa.matches('.').count() <= 1;
        let exponent_fits = exponent.parse::<i16>().is_ok();
        (mantissa_fits && exponent_fits).then(|| Literal::Number(text.clone()))
    }

    /// `66 name RENAMES item THRU item.`
    fn renames(&mut self, place: Place) -> Result<Renames, Fault> {
        let name = self.name("a name")?.to_owned();
        let (from, through) = self.renamed().map_err(|fault| fault.about(&name))?;
        Ok(Renames { name, from, through, place })
    }

    fn renamed(&mut self) -> Result<(String, Option<String>), Fault> {
        if !self.take(&["RENAMES"]) {
            return Err(Self::unexpected(self.next("RENAMES")?, "RENAMES"));
        }
        let first = self.qualified_name()?.swap_remove(0);
        let through = if self.take(&["THRU", "THROUGH"]) { Some(self.qualified_name()?.swap_remove(0)) } else { None };
        self.period()?;
        Ok((first, through))
    }

    /// `88 name VALUES literal THRU literal ... .`
    fn condition(&mut self) -> Result<Condition, Fault> {
        let name = self.name("a name")?.to_owned();
        let values = self.condition_values().map_err(|fault| fault.about(&name))?;
        Ok(Condition { name, values })
    }

    fn condition_values(&mut self) -> Result<Vec<(Literal, Option<Literal>)>, Fault> {
        if !self.take(&["VALUE", "VALUES"]) {
            return Err(Self::unexpected(self.next("VALUE")?, "VALUE"));
        }
        self.take(&["IS", "ARE"]);
        let mut values = Vec::new();
        while self.peek().is_some_and(|token| token.kind != TokenKind::Period) {
            if self.take(&["WHEN"]) || self.word_at(0).as_deref() == Some("FALSE") {
                self.take(&["SET"]);
                self.take(&["TO"]);
                self.take(&["FALSE"]);
                self.take(&["IS"]);
                self.literal()?;
                break;
            }
            let before = self.tokens.get(self.at.saturating_sub(1)).filter(|_| !values.is_empty());
            let first = self.literal().map_err(|fault| match before.map(|token| &token.kind) {
                // The level number of the next entry was taken for a value.
                Some(TokenKind::Word(word)) if is_level(word) => {
                    let place = before.map_or(fault.place, |token| token.place);
                    Fault::at(place, Problem::LevelInEntry { level: word.clone() })
                }
                _ => fault,
            })?;
            let last = if self.take(&["THRU", "THROUGH"]) { Some(self.literal()?) } else { None };
            values.push((first, last));
        }
        self.period()?;
        Ok(values)
    }

    /// `78 name VALUE literal.` or `01 name CONSTANT AS literal.`
    fn constant_entry(&mut self) -> Result<(), Fault> {
        let name = self.name("a name")?.to_uppercase();
        self.take(&["CONSTANT"]);
        self.take(&["GLOBAL"]);
        self.take(&["VALUE", "AS"]);
        self.take(&["IS"]);
        let literal = self.literal().map_err(|fault| fault.about(&name))?;
        self.period().map_err(|fault| fault.about(&name))?;
        self.constants.insert(name, literal);
        Ok(())
    }

    fn period(&mut self) -> Result<(), Fault> {
        let token = self.next("a period")?;
        if token.kind == TokenKind::Period { Ok(()) } else { Err(Self::unexpected(token, "a period")) }
    }
}

fn is_level(word: &str) -> bool {
    let is_short = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_short && matches!(word.parse(), Ok(1..=49 | 66 | 77 | 78 | 88))
}

fn unsupported(word: &str, token: &Token, why: &'static str) -> Fault {
    Fault::at(token.place, Problem::Unsupported { word: word.to_owned(), why })
}

fn unsupported_usage(word: String, token: &Token) -> Fault {
    match word.as_str() {
        "OBJECT" | "HANDLE" => unsupported(&word, token, "it has no bytes that another program could read"),
        "SQL" => unsupported(&word, token, "write the items that the precompiler makes of it"),
        _ => Fault::at(token.place, Problem::Unexpected { found: word, expected: "a USAGE" }),
    }
}

/// Bytes a literal takes here.
fn length(literal: &Literal) -> usize {
    match literal {
        Literal::Number(text) | Literal::Text(text) => text.len(),
        Literal::Bytes(bytes) => bytes.len(),
        Literal::All(literal) => length(literal),
        Literal::Space | Literal::Zero | Literal::HighValue | Literal::LowValue | Literal::Quote | Literal::Null => 0,
    }
}

fn text_literal(prefix: &str, text: &str) -> Result<Literal, Problem> {
    match prefix {
        "" | "N" | "G" | "U" => Ok(Literal::Text(text.to_owned())),
        "Z" => Ok(Literal::Text(format!("{text}\0"))),
        "X" | "NX" | "UX" => {
            let digits: Option<Vec<u8>> =
                text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
            match digits {
                Some(digits) if digits.len() % 2 == 0 => {
                    Ok(Literal::Bytes(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()))
                }
                _ => Err(Problem::Value { value: format!("{prefix}'{text}'") }),
            }
        }
        _ => Err(Problem::Value { value: format!("{prefix}'{text}'") }),
    }
}

/// Whether a word where a name may stand is the first of a clause.
fn begins_clause(upper: &str) -> bool {
    const WORDS: [&str; 36] = [
        "REDEFINES",
        "PIC",
        "PICTURE",
        "USAGE",
        "SIGN",
        "LEADING",
        "TRAILING",
        "SYNC",
        "SYNCHRONIZED",
        "JUST",
        "JUSTIFIED",
        "BLANK",
        "OCCURS",
        "VALUE",
        "VALUES",
        "EXTERNAL",
        "GLOBAL",
        "BINARY",
        "PACKED-DECIMAL",
        "DISPLAY",
        "DISPLAY-1",
        "NATIONAL",
        "INDEX",
        "POINTER",
        "FUNCTION-POINTER",
        "PROCEDURE-POINTER",
        "GROUP-USAGE",
        "IS",
        "DEPENDING",
        "ASCENDING",
        "DESCENDING",
        "INDEXED",
        "UTF-8",
        "BYTE-LENGTH",
        "FLOAT-SHORT",
        "FLOAT-LONG",
    ];
    WORDS.contains(&upper)
        || matches!(
            upper.strip_prefix("COMPUTATIONAL").or_else(|| upper.strip_prefix("COMP")),
            Some("" | "-1" | "-2" | "-3" | "-4" | "-5" | "-6" | "-X" | "-N")
        )
}
