//! Tokens to a tree of data items.
//!
//! `entry.rs` reads one entry, `check.rs` hands clauses of groups down and refuses what does not go together. Division and
//! section headers, FD entries and embedded SQL around the entries are passed over.

mod check;
mod entry;

use std::collections::HashMap;

use crate::copy;
use crate::error::{CopybookError, Fault, Place, Problem};
use crate::item::{Copybook, DataItem, Literal};
use crate::options::ParseOptions;
use crate::source;
use crate::token::{Token, TokenKind, tokens};

use entry::Entry;

impl Copybook {
    /// # Errors
    /// Anything that is no data description, with its line, column and item.
    pub fn parse(text: &str, options: &ParseOptions<'_>) -> Result<Self, CopybookError> {
        let mut members = Vec::new();
        match parse(text, options, &mut members) {
            Ok(copybook) => Ok(Self { members, ..copybook }),
            Err(fault) => {
                let line = fault.place.line;
                let cut_off = if fault.place.member == 0 { source::cut_off(text, options.format, line) } else { None };
                Err(CopybookError { cut_off, ..fault.named(&members) })
            }
        }
    }
}

fn parse(text: &str, options: &ParseOptions<'_>, members: &mut Vec<String>) -> Result<Copybook, Fault> {
    let characters = copy::expand(text, options, members)?;
    let tokens = tokens(&characters, options.decimal_comma)?;
    let mut parser =
        Parser { tokens: &tokens, at: 0, options, constants: HashMap::new(), indexes: Vec::new(), substituted: 0 };
    let mut tree = Tree::default();
    while parser.skip_surroundings() {
        let entry = parser.entry()?;
        tree.add(entry)?;
    }
    let mut copybook = tree.finish();
    copybook.constants_and_indexes = parser.constants.into_keys().chain(parser.indexes).collect();
    if copybook.records.is_empty() && copybook.standalone.is_empty() {
        let place = characters.last().map_or(Place { member: 0, line: 1, column: 1 }, |(_, place)| *place);
        return Err(Fault::at(place, Problem::Empty));
    }
    for item in copybook.records.iter_mut().chain(&mut copybook.standalone) {
        check::check(item)?;
    }
    check::renames(&copybook)?;
    Ok(copybook)
}

struct Parser<'a, 'b> {
    tokens: &'a [Token],
    at: usize,
    options: &'a ParseOptions<'b>,
    /// Level-78 entries, by name in upper case.
    constants: HashMap<String, Literal>,
    /// Names of INDEXED BY, in upper case.
    indexes: Vec<String>,
    /// Characters that are in items for names of constants.
    substituted: usize,
}

impl<'a> Parser<'a, '_> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self, expected: &'static str) -> Result<&'a Token, Fault> {
        let token = self.peek().ok_or_else(|| Fault::at(self.end(), Problem::Ended { expected }))?;
        self.at += 1;
        Ok(token)
    }

    fn end(&self) -> Place {
        self.tokens.last().map(|token| token.place).unwrap_or_default()
    }

    /// Where the next token stands.
    fn place(&self) -> Place {
        self.peek().map_or_else(|| self.end(), |token| token.place)
    }

    /// The word so far ahead in upper case.
    fn word_at(&self, ahead: usize) -> Option<String> {
        match &self.tokens.get(self.at + ahead)?.kind {
            TokenKind::Word(word) => Some(word.to_uppercase()),
            _ => None,
        }
    }

    /// Takes the next word if it is one of these.
    fn take(&mut self, words: &[&str]) -> bool {
        let found = self.word_at(0).is_some_and(|word| words.contains(&word.as_str()));
        self.at += usize::from(found);
        found
    }

    fn unexpected(token: &Token, expected: &'static str) -> Fault {
        Fault::at(token.place, Problem::Unexpected { found: token.shown(), expected })
    }

    /// A name as written.
    fn name(&mut self, expected: &'static str) -> Result<&'a str, Fault> {
        let token = self.next(expected)?;
        match &token.kind {
            TokenKind::Word(word) if word.chars().any(char::is_alphabetic) => Ok(word),
            _ => Err(Self::unexpected(token, expected)),
        }
    }

    /// A number, or the name of a constant.
    fn number(&mut self, expected: &'static str) -> Result<u32, Fault> {
        let token = self.next(expected)?;
        let TokenKind::Word(word) = &token.kind else { return Err(Self::unexpected(token, expected)) };
        word.parse().ok().or_else(|| self.constant(word)).ok_or_else(|| Self::unexpected(token, expected))
    }

    fn constant(&self, name: &str) -> Option<u32> {
        match self.constants.get(&name.to_uppercase())? {
            Literal::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Passes over what may stand around data descriptions. False at the end.
    fn skip_surroundings(&mut self) -> bool {
        loop {
            let Some(token) = self.peek() else { return false };
            if token.kind == TokenKind::Period {
                self.at += 1;
                continue;
            }
            let word = self.word_at(0).unwrap_or_default();
            let second = self.word_at(1).unwrap_or_default();
            match word.as_str() {
                "EJECT" | "SKIP1" | "SKIP2" | "SKIP3" => self.at += 1,
                "TITLE" => self.skip_title(),
                "CBL" | "PROCESS" => self.skip_line(),
                "FD" | "SD" | "PROGRAM-ID" => self.skip_sentence(),
                "EXEC" | "EXECUTE" => self.skip_embedded(),
                _ if second == "SECTION" || second == "DIVISION" => self.skip_sentence(),
                _ => return true,
            }
        }
    }

    /// TITLE and its literal; a period behind them may be left out.
    fn skip_title(&mut self) {
        self.at += 1;
        let is_literal = self.peek().is_some_and(|token| matches!(token.kind, TokenKind::Literal { .. }));
        self.at += usize::from(is_literal);
    }

    fn skip_line(&mut self) {
        let Place { member, line, .. } = self.place();
        while self.peek().is_some_and(|token| token.place.member == member && token.place.line == line) {
            self.at += 1;
        }
    }

    fn skip_sentence(&mut self) {
        while self.peek().is_some_and(|token| token.kind != TokenKind::Period) {
            self.at += 1;
        }
    }

    fn skip_embedded(&mut self) {
        while self.peek().is_some() && !self.take(&["END-EXEC"]) {
            self.at += 1;
        }
    }
}

/// Puts entries below each other by their level numbers.
#[derive(Default)]
struct Tree {
    copybook: Parts,
    /// Open items from the record down.
    open: Vec<DataItem>,
}

#[derive(Default)]
struct Parts {
    records: Vec<DataItem>,
    standalone: Vec<DataItem>,
    renames: Vec<crate::item::Renames>,
}

impl Tree {
    fn add(&mut self, entry: Entry) -> Result<(), Fault> {
        match entry {
            Entry::Constant => Ok(()),
            Entry::Renames(renames) => {
                self.copybook.renames.push(renames);
                Ok(())
            }
            Entry::Condition(condition, place) => {
                let standalone = if self.open.is_empty() { self.copybook.standalone.last_mut() } else { None };
                let owner = self.open.last_mut().or(standalone);
                let owner = owner.ok_or_else(|| Fault::at(place, Problem::Orphan { level: 88 }))?;
                owner.conditions.push(condition);
                Ok(())
            }
            Entry::Item(item) if item.level == 77 => {
                self.close(0);
                self.copybook.standalone.push(item);
                Ok(())
            }
            Entry::Item(item) => {
                self.item(item);
                Ok(())
            }
        }
    }

    /// Puts the item below the nearest one above it that has a lower level; items of one group may differ in theirs.
    fn item(&mut self, item: DataItem) {
        self.close(item.level);
        if self.open.is_empty() && item.level > 1 {
            self.open.push(DataItem { level: 0, name: None, ..entry::blank(item.place) });
        }
        self.open.push(item);
    }

    /// Closes all items of this level and below it; 0 closes the record.
    fn close(&mut self, level: u8) {
        while self.open.last().is_some_and(|item| level <= 1 || (item.level >= level && item.level > 0)) {
            let Some(item) = self.open.pop() else { return };
            match self.open.last_mut() {
                Some(parent) => parent.children.push(item),
                None => self.copybook.records.push(item),
            }
        }
    }

    fn finish(mut self) -> Copybook {
        self.close(0);
        let Parts { records, standalone, renames } = self.copybook;
        Copybook { records, standalone, renames, constants_and_indexes: Vec::new(), members: Vec::new() }
    }
}
