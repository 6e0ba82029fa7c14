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

/// The columns of a list, and the place of each as a constant.
macro_rules! columns {
    ($($place:ident $name:literal $kind:expr, $help:literal $(.$method:ident($($argument:expr)?))*;)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "each is used as a constant")]
        #[repr(usize)]
        enum Place { $($place,)* }

        $(const $place: usize = Place::$place as usize;)*

        pub(super) const COLUMNS: &[$crate::lists::column::Column] =
            &[$($crate::lists::column::Column::new($name, $kind, $help)$(.$method($($argument)?))*,)*];
    };
}

pub(super) use columns;
