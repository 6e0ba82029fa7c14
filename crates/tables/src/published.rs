//! The figures printed in the seed documents, typed: `published.json`, compiled in.
//!
//! Nothing here computes. A number that exists only in a picture is absent, and shown as `chart only`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

static TEXT: &str = include_str!("../published.json");

static ALL: LazyLock<Published> =
    LazyLock::new(|| serde_json::from_str(TEXT).expect("published.json is part of the program and tested"));

/// All that is printed.
pub fn published() -> &'static Published {
    &ALL
}

#[derive(Debug, Clone, Deserialize)]
pub struct Published {
    pub documents: BTreeMap<String, Document>,
    pub environments: BTreeMap<String, Environment>,
    pub tables: Vec<PublishedTable>,
    pub statements: Vec<Statement>,
    pub charts_without_numbers: Vec<PublishedChart>,
    pub derived: Vec<Derived>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    pub title: String,
    pub date: Option<String>,
}

/// Where the published figures were measured.
#[derive(Debug, Clone, Deserialize)]
pub struct Environment {
    pub machine: String,
    pub operating_system: String,
    pub software: String,
    pub client: String,
    pub note: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct PublishedTable {
    pub id: String,
    /// Letter of the experiment that measures it here.
    pub experiment: String,
    pub document: String,
    /// Where in the document.
    pub pointer: String,
    /// Of all rows that have none of their own.
    pub unit: Option<String>,
    pub quantity: Option<String>,
    pub columns: Vec<String>,
    pub column_meaning: Option<String>,
    pub rows: Vec<PublishedRow>,
    pub counted_in: Option<String>,
    pub note: Option<String>,
    #[serde(default)]
    pub caveats: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct PublishedRow {
    pub name: String,
    pub cells: Vec<PublishedCell>,
    pub unit: Option<String>,
    pub note: Option<String>,
    /// False: this platform has no such thing.
    #[serde(default = "yes")]
    pub comparable_here: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PublishedCell {
    /// As the document has it; `None` where the number is in a picture only.
    pub printed: Option<String>,
    /// In the unit of the row.
    pub value: Option<f64>,
    pub note: Option<String>,
}

/// A figure in a sentence.
#[derive(Debug, Clone, Deserialize)]
pub struct Statement {
    pub document: String,
    /// Letter of an experiment, or what it is about that exists there only.
    pub experiment: String,
    pub text: String,
    pub printed: OneOrMany,
    pub value: Option<f64>,
    /// Ends of a printed range.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: Option<String>,
    pub caveat: Option<String>,
    #[serde(default = "yes")]
    pub comparable_here: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::One(text) => text.clone(),
            Self::Many(texts) => texts.join(", "),
        }
    }
}

impl Statement {
    /// Every number that is printed, in the order of the text; `10,000` is one.
    pub fn numbers(&self) -> Vec<f64> {
        let text = self.printed.text();
        // Between numbers stands a comma with a blank, within one a comma alone.
        let words = text.split_whitespace().map(|word| word.trim_end_matches([',', '%']).replace(',', ""));
        words.filter_map(|word| word.parse().ok()).collect()
    }

    /// The printed figure in microseconds.
    pub fn microseconds(&self) -> Option<f64> {
        let figure = self.value.or_else(|| self.numbers().first().copied())?;
        let unit = self.unit.as_deref()?;
        match () {
            () if unit.contains("microseconds") => Some(figure),
            () if unit.contains("milliseconds") => Some(figure * 1e3),
            () => None,
        }
    }

    /// As printed, with its unit where that is not part of it.
    pub fn with_unit(&self) -> String {
        let text = self.printed.text();
        match &self.unit {
            Some(unit) if !text.ends_with('%') => format!("{text} {unit}"),
            _ => text,
        }
    }
}

/// A chart whose numbers exist in a picture only.
#[derive(Debug, Clone, Deserialize)]
pub struct PublishedChart {
    pub document: String,
    pub experiment: String,
    pub title: String,
    /// What the text says of it.
    pub known: Option<String>,
}

/// A figure computed from printed ones, with its formula.
#[derive(Debug, Clone, Deserialize)]
pub struct Derived {
    pub name: String,
    pub formula: String,
    pub value: Option<f64>,
    pub values: Option<BTreeMap<String, f64>>,
    pub caveat: Option<String>,
}

fn yes() -> bool {
    true
}

impl Published {
    pub fn table(&self, id: &str) -> Option<&PublishedTable> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// Title of a document by its key.
    pub fn document_title<'a>(&'a self, key: &'a str) -> &'a str {
        self.documents.get(key).map_or(key, |document| document.title.as_str())
    }

    pub fn derived(&self, name: &str) -> Option<&Derived> {
        self.derived.iter().find(|derived| derived.name == name)
    }

    /// The statement of this experiment whose text has `part` in it.
    pub fn statement(&self, experiment: &str, part: &str) -> Option<&Statement> {
        self.statements.iter().find(|statement| statement.experiment == experiment && statement.text.contains(part))
    }
}

impl PublishedTable {
    pub fn row(&self, name: &str) -> Option<&PublishedRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    pub fn unit_of(&self, row: &PublishedRow) -> String {
        row.unit.as_ref().or(self.unit.as_ref()).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
