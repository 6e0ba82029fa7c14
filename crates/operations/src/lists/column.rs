//! What a column is called, and what its values are.

/// A column of a list.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// For the documents.
    pub help: &'static str,
    /// Shown when no columns are named.
    pub is_usual: bool,
    /// `search` looks into it.
    pub is_searched: bool,
    /// The column that a condition in percent is about: `depth>80%` is `full>80`.
    pub(super) percent_of: Option<&'static str>,
}

/// What the values of a column are, beside `null` where an object has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// One of these.
    Word(&'static [&'static str]),
    /// A whole number.
    Number,
    /// A number with one decimal.
    Tenths,
    /// Seconds since 1970.
    Moment,
    Truth,
}

impl Column {
    pub(super) const fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name, kind, help, is_usual: true, is_searched: false, percent_of: None }
    }

    pub(super) const fn searched(self) -> Self {
        Self { is_searched: true, ..self }
    }

    /// Shown only when it is named.
    pub(super) const fn on_request(self) -> Self {
        Self { is_usual: false, ..self }
    }

    pub(super) const fn percent_of(self, column: &'static str) -> Self {
        Self { percent_of: Some(column), ..self }
    }
}
