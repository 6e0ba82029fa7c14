//! Forms of an outcome: text for a terminal, JSON for programs (`Outcome::to_json`), one HTML page with charts for people.
//!
//! Renderers read the outcome only: what they show is in it.

pub mod chart;
pub mod html;
pub mod number;
pub mod text;

use crate::outcome::Outcome;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
    /// One page with charts that needs no other file.
    Html,
}

/// Which experiments are missing, in words.
fn outstanding(outcome: &Outcome) -> Option<String> {
    let names = outcome.outstanding.join(", ");
    (!names.is_empty()).then(|| format!("Not run yet: {names}."))
}

impl Format {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Html => "html",
        }
    }

    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            other => other.word(),
        }
    }
}
