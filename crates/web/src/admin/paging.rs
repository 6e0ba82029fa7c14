//! `offset`, `limit` and `sort` on lists: extensions of ours.
//!
//! Without `sort` a list is in order of names and nothing is gathered; with it the values sorted by are held in memory.

use command::rest::Json;

use crate::error::ApiError;
use crate::query;

use super::json;
use super::source::{Entry, Source, Subject};

#[derive(Debug, Default)]
pub(super) struct Paging {
    offset: Option<usize>,
    limit: Option<usize>,
    pub(super) sort: Option<Sort>,
}

/// By which member; `-` before its name turns the order round.
#[derive(Debug, Clone)]
pub(super) struct Sort {
    path: String,
    pub(super) is_descending: bool,
}

/// What objects are sorted by; those that lack it come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Missing,
    Number(i64),
    Text(String),
}

/// Where a list is: how many elements to pass over, and how many to show then.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    skip: usize,
    left: usize,
}

impl Paging {
    /// Takes a parameter that is one of these; `None` when it is not.
    ///
    /// # Errors
    /// 400: given twice, no number, or no such member.
    pub(super) fn take<'e>(
        &mut self,
        name: &str,
        value: &str,
        known: impl Iterator<Item = &'e Entry>,
    ) -> Result<Option<()>, ApiError> {
        let number = || value.parse::<usize>().map_err(|_| ApiError::parameter(name, value));
        match name {
            "offset" => query::once(&mut self.offset, name, number()?)?,
            "limit" => query::once(&mut self.limit, name, number()?)?,
            "sort" => query::once(&mut self.sort, name, Sort::parse(value, known)?)?,
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    pub(super) fn window(&self) -> Window {
        Window { skip: self.offset.unwrap_or(0), left: self.limit.unwrap_or(usize::MAX) }
    }
}

impl Sort {
    fn parse<'e>(text: &str, mut known: impl Iterator<Item = &'e Entry>) -> Result<Self, ApiError> {
        let (path, is_descending) = match text.strip_prefix('-') {
            Some(path) => (path, true),
            None => (text, false),
        };
        if known.any(|entry| entry.path == path) {
            Ok(Self { path: path.to_owned(), is_descending })
        } else {
            Err(ApiError::attribute_unknown(path))
        }
    }

    /// `None` when the objects of these entries lack the member.
    pub(super) fn for_kind(&self, entries: &[Entry]) -> Option<Source> {
        entries.iter().find(|entry| entry.path == self.path).map(|entry| entry.source)
    }
}

impl Key {
    pub(super) fn of(source: Option<&Source>, subject: &Subject<'_>) -> Self {
        let mut key = Self::Missing;
        if let Some(source) = source {
            source.see(subject, &mut |value| {
                key = match value {
                    Json::Integer(number) => Self::Number(number),
                    Json::Truth(truth) => Self::Number(truth.into()),
                    Json::Text(text) => Self::Text(text.to_owned()),
                    Json::Moment(at) => {
                        let text = at.map(|at| String::from_utf8_lossy(&json::moment(at)).into_owned());
                        Self::Text(text.unwrap_or_default())
                    }
                    Json::Connections(text) => Self::Text(text.to_owned()),
                    Json::Texts(texts) => Self::Text(texts.join(",")),
                };
            });
        }
        key
    }
}

impl Window {
    pub(super) const fn is_over(self) -> bool {
        self.left == 0
    }

    /// Whether the next element is to be shown; counts it either way.
    pub(super) fn admits(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.left = self.left.saturating_sub(1);
        true
    }
}
