//! JSON objects as rows: a column for each value that a record can have, and back.
//!
//! A column is named by the members that lead to its value: `CUSTOMER.NAME`, `LINES[2].AMOUNT`, elements counted from 1. Segments share
//! the columns of one name. A value that a record has not is an empty cell. When a row becomes JSON, empty cells are blank texts;
//! other values and elements behind the last one of a table that has a counter are left out.

use std::borrow::Cow;
use std::collections::HashMap;

use copybook::json::{Reader, write_string};
use copybook::{Converter, Shape, ValueKind};

use crate::error::{FileError, RecordError};

/// Most columns of a table.
const MOST_COLUMNS: usize = 20_000;

/// How a text of bytes begins, which stands for a value where every byte has to come back.
const BYTES: &str = "0x";

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ValueKind,
}

/// The cells of a row that was read; `None` where its table has no such column.
pub(crate) type Row = Vec<Option<Cow<'static, str>>>;

/// The columns of a file.
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    by_name: HashMap<String, usize>,
    /// Where the values of each plan's JSON stand.
    trees: Vec<Tree>,
}

/// A value of JSON by the columns of what it holds.
enum Tree {
    Value(usize, ValueKind),
    Object(Vec<(String, Tree)>),
    /// Elements, and the column with their number, if records differ in it.
    Array(Vec<Tree>, Option<usize>),
}

/// A value as JSON has it: a number, or a text without its quotes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Cell<'a> {
    #[default]
    Empty,
    Number(&'a str),
    Text(copybook::json::RawString<'a>),
}

impl Cell<'_> {
    pub(crate) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Empty => None,
            Self::Number(number) => Some(Cow::Borrowed(number)),
            Self::Text(raw) => match std::str::from_utf8(raw.raw) {
                Ok(plain) if raw.is_plain => Some(Cow::Borrowed(plain)),
                _ => raw.to_text().ok().map(Cow::Owned),
            },
        }
    }
}

impl Table {
    /// `is_exact`: numbers may be texts of bytes.
    ///
    /// # Errors
    /// There are too many columns.
    pub(crate) fn new(plans: &[Converter], is_exact: bool) -> Result<Self, FileError> {
        let mut table = Self { columns: Vec::new(), by_name: HashMap::new(), trees: Vec::new() };
        for plan in plans {
            let tree = table.tree(&plan.shape(), "", is_exact)?;
            table.trees.push(tree);
        }
        Ok(table)
    }

    fn tree(&mut self, shape: &Shape, path: &str, is_exact: bool) -> Result<Tree, FileError> {
        Ok(match shape {
            Shape::Value(kind) => {
                let stored = if is_exact { ValueKind::Text } else { *kind };
                Tree::Value(self.column(path, stored)?, *kind)
            }
            Shape::Object(members) => {
                let member = |(name, shape): &(String, Shape)| {
                    let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    Ok((name.clone(), self.tree(shape, &below, is_exact)?))
                };
                Tree::Object(members.iter().map(member).collect::<Result<_, FileError>>()?)
            }
            Shape::Array { element, most, counter } => {
                if *most as usize > MOST_COLUMNS {
                    return Err(FileError::TooManyColumns { found: *most as usize, most: MOST_COLUMNS });
                }
                let counter = counter.as_ref().and_then(|name| self.nearest(path, name));
                let elements = (1..=*most).map(|number| self.tree(element, &format!("{path}[{number}]"), is_exact));
                Tree::Array(elements.collect::<Result<_, _>>()?, counter)
            }
        })
    }

    /// The column of a counter's member: the one in the group around the table that is nearest to it.
    fn nearest(&self, path: &str, counter: &str) -> Option<usize> {
        let mut around = path;
        loop {
            around = around.rfind('.').map_or("", |end| &around[..end]);
            let name = if around.is_empty() { counter.to_owned() } else { format!("{around}.{counter}") };
            if let Some(&column) = self.by_name.get(&name) {
                return Some(column);
            }
            if around.is_empty() {
                return None;
            }
        }
    }

    fn column(&mut self, name: &str, kind: ValueKind) -> Result<usize, FileError> {
        if let Some(&known) = self.by_name.get(name) {
            let column = &mut self.columns[known];
            column.kind = common(column.kind, kind);
            return Ok(known);
        }
        let index = self.columns.len();
        if index == MOST_COLUMNS {
            return Err(FileError::TooManyColumns { found: index + 1, most: MOST_COLUMNS });
        }
        // A record that is an item of its own has a member without a path only if it has no name.
        self.columns.push(Column { name: name.to_owned(), kind });
        self.by_name.insert(name.to_owned(), index);
        Ok(index)
    }

    pub(crate) fn column_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The column of each of these names.
    ///
    /// # Errors
    /// A name is no column; `ignore_unknown` passes that over.
    pub(crate) fn places<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
        ignore_unknown: bool,
    ) -> Result<Vec<Option<usize>>, FileError> {
        let place = |name: &str| match self.column_of(name) {
            None if !ignore_unknown => Err(FileError::UnknownColumn { name: name.to_owned() }),
            column => Ok(column),
        };
        names.into_iter().map(place).collect()
    }

    /// The cells of an object that the plan has written.
    pub(crate) fn cells<'a>(&self, plan: usize, json: &'a [u8]) -> Vec<Cell<'a>> {
        let mut cells = vec![Cell::Empty; self.columns.len()];
        // What was just written is JSON of this form.
        let _ = fill(&self.trees[plan], &mut Reader::new(json), &mut cells);
        cells
    }

    /// The object that a row is.
    ///
    /// # Errors
    /// A cell that ought to be a number is none.
    pub(crate) fn json(&self, plan: usize, row: &[Option<Cow<'_, str>>], out: &mut Vec<u8>) -> Result<(), RecordError> {
        self.write(&self.trees[plan], row, out)
    }

    fn write(&self, tree: &Tree, row: &[Option<Cow<'_, str>>], out: &mut Vec<u8>) -> Result<(), RecordError> {
        match tree {
            Tree::Value(column, ValueKind::Text) => {
                write_string(row[*column].as_deref().unwrap_or_default(), out);
            }
            Tree::Value(column, ValueKind::Decimal { .. } | ValueKind::Float) => {
                let number = row[*column].as_deref().unwrap_or_default().trim();
                if number.is_empty() {
                    out.extend_from_slice(b"null");
                } else if number.starts_with(BYTES) {
                    write_string(number, out);
                } else {
                    let mut reader = Reader::new(number.as_bytes());
                    if reader.number().and_then(|_| reader.end()).is_err() {
                        let column = self.columns[*column].name.clone();
                        return Err(RecordError::NoNumber { column, value: number.to_owned() });
                    }
                    out.extend_from_slice(number.as_bytes());
                }
            }
            Tree::Object(members) => {
                out.push(b'{');
                for (index, (name, tree)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    write_string(name, out);
                    out.push(b':');
                    self.write(tree, row, out)?;
                }
                out.push(b'}');
            }
            Tree::Array(elements, counter) => {
                let stated = counter.and_then(|column| row[column].as_deref()?.trim().parse::<usize>().ok());
                let count = stated.unwrap_or(elements.len());
                out.push(b'[');
                for (index, element) in elements.iter().take(count).enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    self.write(element, row, out)?;
                }
                out.push(b']');
            }
        }
        Ok(())
    }
}

/// A kind that holds the values of both.
fn common(one: ValueKind, other: ValueKind) -> ValueKind {
    match (one, other) {
        (ValueKind::Text, _) | (_, ValueKind::Text) => ValueKind::Text,
        (ValueKind::Float, _) | (_, ValueKind::Float) => ValueKind::Float,
        (ValueKind::Decimal { precision: a, scale: b }, ValueKind::Decimal { precision: c, scale: d }) => {
            let scale = b.max(d);
            ValueKind::Decimal { precision: (a - b).max(c - d) + scale, scale }
        }
    }
}

/// `None`: the text is not of this form.
fn fill<'a>(tree: &Tree, reader: &mut Reader<'a>, cells: &mut [Cell<'a>]) -> Option<()> {
    if reader.peek() == Some(b'n') {
        return reader.null().ok().map(drop);
    }
    match tree {
        Tree::Value(column, _) => {
            cells[*column] = if reader.peek()? == b'"' {
                Cell::Text(reader.string().ok()?)
            } else {
                Cell::Number(std::str::from_utf8(reader.number().ok()?).ok()?)
            };
        }
        Tree::Object(members) => {
            reader.begin(b'{').ok()?;
            let mut expected = members.iter();
            let mut is_first = true;
            while let Some(name) = reader.next_name(is_first).ok()? {
                is_first = false;
                let is_it = |known: &str| {
                    (name.is_plain && name.raw == known.as_bytes()) || name.to_text().is_ok_and(|text| text == known)
                };
                // Members come in this order; some may be left out.
                let (_, tree) = expected.find(|(known, _)| is_it(known))?;
                fill(tree, reader, cells)?;
            }
        }
        Tree::Array(elements, _) => {
            reader.begin(b'[').ok()?;
            let mut elements = elements.iter();
            let mut is_first = true;
            while reader.next_element(is_first).ok()? {
                is_first = false;
                fill(elements.next()?, reader, cells)?;
            }
        }
    }
    Some(())
}
