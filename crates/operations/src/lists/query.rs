//! What a client asks of a list: search, conditions, columns, order, and which page.

use memchr::memmem::Finder;
use model::timestamp::Timestamp;

use super::List;
use super::column::Column;
use super::condition::{Condition, find};
use super::value::Value;

/// Rows of a page at most, and without `limit`.
pub const MOST_ROWS: usize = 1000;
const DEFAULT_ROWS: usize = 200;
/// Conditions of a request at most.
const MOST_CONDITIONS: usize = 20;

/// A request for a page, which is read parameter by parameter.
pub struct Query {
    pub(super) now: Timestamp,
    pub(super) list: &'static [Column],
    pub(super) search: Option<Vec<Word>>,
    pub(super) conditions: Vec<Condition>,
    shown: Option<Vec<usize>>,
    sort: Option<Vec<SortKey>>,
    offset: Option<usize>,
    limit: Option<usize>,
}

/// A column by which is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SortKey {
    pub(super) column: usize,
    pub(super) is_descending: bool,
}

/// What has to be somewhere in a row, in letters of any case.
pub(super) struct Word {
    lower: Finder<'static>,
}

/// Why a parameter is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum Wrong {
    /// There is no such parameter, or it was given twice.
    Parameter,
    /// What was expected instead of its value.
    Value(String),
}

impl Query {
    /// `now` is what ages are counted from.
    pub fn new(list: List, now: Timestamp) -> Self {
        Self::of(list.columns(), now)
    }

    pub(super) fn of(list: &'static [Column], now: Timestamp) -> Self {
        Self { now, list, search: None, conditions: Vec::new(), shown: None, sort: None, offset: None, limit: None }
    }

    /// Reads a parameter.
    ///
    /// # Errors
    /// There is no such parameter, or it was given twice; or what was expected of its value.
    pub fn take(&mut self, name: &str, value: &str) -> Result<(), Wrong> {
        match name {
            "where" if self.conditions.len() == MOST_CONDITIONS => {
                Err(Wrong::Value(format!("at most {MOST_CONDITIONS} conditions")))
            }
            "where" => {
                let condition = Condition::parse(value, self.list, self.now).map_err(Wrong::Value)?;
                self.conditions.push(condition);
                Ok(())
            }
            "search" => once(&mut self.search, value.split_whitespace().map(Word::new).collect()),
            "columns" => once(&mut self.shown, columns(value, self.list)?),
            "sort" => once(&mut self.sort, sort(value, self.list)?),
            "offset" => once(&mut self.offset, number(value, usize::MAX)?),
            "limit" => once(&mut self.limit, number(value, MOST_ROWS)?),
            _ => Err(Wrong::Parameter),
        }
    }

    pub(super) fn shown(&self) -> Vec<usize> {
        let usual = || (0..self.list.len()).filter(|&index| self.list[index].is_usual).collect();
        self.shown.clone().unwrap_or_else(usual)
    }

    pub(super) fn sort(&self) -> &[SortKey] {
        self.sort.as_deref().unwrap_or_default()
    }

    pub(super) fn offset(&self) -> usize {
        self.offset.unwrap_or(0)
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_ROWS)
    }

    /// Whether a column is shown, sorted by, or part of a condition.
    pub(super) fn uses(&self, column: usize) -> bool {
        self.shown().contains(&column)
            || self.sort().iter().any(|key| key.column == column)
            || self.conditions.iter().flat_map(Condition::columns).any(|used| used == column)
    }

    /// Whether search and conditions leave a row.
    pub(super) fn admits<'a>(&self, value: impl Fn(usize) -> Value<'a> + Copy) -> bool {
        let is_found = self.search.as_deref().unwrap_or_default().iter().all(|word| {
            let searched = self.list.iter().enumerate().filter(|(_, column)| column.is_searched);
            let mut values = searched.map(|(index, _)| value(index));
            values.any(|value| matches!(value, Value::Text(text) if word.is_in(text)))
        });
        is_found && self.conditions.iter().all(|condition| condition.holds(value))
    }
}

impl Word {
    fn new(word: &str) -> Self {
        Self { lower: Finder::new(&word.to_lowercase()).into_owned() }
    }

    fn is_in(&self, text: &str) -> bool {
        let mut lower = [0; 64];
        if !text.is_ascii() || text.len() > lower.len() {
            return self.lower.find(text.to_lowercase().as_bytes()).is_some();
        }
        let lower = &mut lower[..text.len()];
        lower.copy_from_slice(text.as_bytes());
        lower.make_ascii_lowercase();
        self.lower.find(lower).is_some()
    }
}

fn once<T>(place: &mut Option<T>, value: T) -> Result<(), Wrong> {
    if place.replace(value).is_some() { Err(Wrong::Parameter) } else { Ok(()) }
}

fn columns(value: &str, list: &[Column]) -> Result<Vec<usize>, Wrong> {
    let mut shown = Vec::new();
    for name in value.split(',') {
        let column = find(name.trim(), list).map_err(Wrong::Value)?;
        if shown.contains(&column) {
            return Err(Wrong::Value("each column once".to_owned()));
        }
        shown.push(column);
    }
    Ok(shown)
}

fn sort(value: &str, list: &[Column]) -> Result<Vec<SortKey>, Wrong> {
    let mut keys: Vec<SortKey> = Vec::new();
    for part in value.split(',').map(str::trim) {
        let (name, is_descending) = part.strip_prefix('-').map_or((part, false), |name| (name, true));
        let column = find(name, list).map_err(Wrong::Value)?;
        if keys.iter().any(|key| key.column == column) {
            return Err(Wrong::Value("each column once".to_owned()));
        }
        keys.push(SortKey { column, is_descending });
    }
    Ok(keys)
}

fn number(value: &str, most: usize) -> Result<usize, Wrong> {
    let parsed = value.parse().ok().filter(|number| *number <= most);
    let expected = || if most == usize::MAX { "a number".to_owned() } else { format!("a number from 0 to {most}") };
    parsed.ok_or_else(|| Wrong::Value(expected()))
}
