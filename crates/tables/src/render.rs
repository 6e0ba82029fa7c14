//! Forms of an outcome: text for a terminal, JSON for programs (`Outcome::to_json`), one HTML page with charts for people.
//!
//! Renderers read the outcome only: what they show is in it.

pub mod chart;
pub mod html;
pub mod number;
pub mod text;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
    /// One page with charts that needs no other file.
    Html,
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
