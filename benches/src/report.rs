//! The table of bars: measured figure, what it is compared with, what was wanted, and whether it holds.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::interleave::Measured;

/// What a figure must be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    AtLeast(f64),
    AtMost(f64),
    /// Nothing: shown for its own sake.
    Nothing,
}

/// A name and a demand, waiting for its figure.
pub struct Bar {
    name: &'static str,
    wanted: Wanted,
}

#[derive(Debug, Clone, Serialize)]
pub struct Row {
    name: &'static str,
    wanted: Wanted,
    /// The figure the demand is about: a ratio where there is a peer.
    figure: f64,
    /// Ours and the peer's, when the figure is a ratio.
    compared: Option<Compared>,
    unit: &'static str,
    holds: Option<bool>,
}

#[derive(Debug, Clone, Serialize)]
struct Compared {
    ours: f64,
    peer: f64,
    peer_name: String,
}

impl Bar {
    pub fn at_least(name: &'static str, limit: f64) -> Self {
        Self { name, wanted: Wanted::AtLeast(limit) }
    }

    pub fn at_most(name: &'static str, limit: f64) -> Self {
        Self { name, wanted: Wanted::AtMost(limit) }
    }

    pub fn figure(name: &'static str) -> Self {
        Self { name, wanted: Wanted::Nothing }
    }

    /// Ours through the peer's, round by round.
    pub fn ratio(self, measured: &Measured, ours: &str, peer: &str, unit: &'static str) -> Row {
        let compared =
            Compared { ours: measured.median(ours), peer: measured.median(peer), peer_name: peer.to_owned() };
        self.row(measured.ratio(ours, peer), Some(compared), unit)
    }

    /// A figure and one that somebody published, taken elsewhere: to be read beside it.
    pub fn beside(self, ours: f64, published: f64, whose: &str, unit: &'static str) -> Row {
        self.row(ours / published, Some(Compared { ours, peer: published, peer_name: whose.to_owned() }), unit)
    }

    pub fn value(self, value: f64, unit: &'static str) -> Row {
        self.row(value, None, unit)
    }

    fn row(self, figure: f64, compared: Option<Compared>, unit: &'static str) -> Row {
        let holds = match self.wanted {
            Wanted::AtLeast(limit) => Some(figure >= limit),
            Wanted::AtMost(limit) => Some(figure <= limit),
            Wanted::Nothing => None,
        };
        Row { name: self.name, wanted: self.wanted, figure, compared, unit, holds }
    }
}

#[derive(Debug, Serialize)]
pub struct Report {
    quick: bool,
    machine: Vec<(String, String)>,
    rows: Vec<Row>,
}

impl Report {
    pub fn new(machine: Vec<(String, String)>, quick: bool) -> Self {
        Self { quick, machine, rows: Vec::new() }
    }

    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Only shows that everything runs.
    pub fn is_quick(&self) -> bool {
        self.quick
    }

    pub fn all_hold(&self) -> bool {
        self.rows.iter().all(|row| row.holds != Some(false))
    }

    /// `report.json` and `report.md` in `folder`.
    #[expect(clippy::disallowed_methods, reason = "a report is written once and may be lost")]
    pub fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("report.json"), serde_json::to_string_pretty(self)? + "\n")
            .and_then(|()| std::fs::write(folder.join("report.md"), self.to_markdown()))
            .with_context(|| format!("cannot write into {}", folder.display()))
    }

    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.machine {
            let _ = writeln!(text, "- {name}: {value}");
        }
        if self.quick {
            text.push_str("- quick run: the figures show only that everything runs\n");
        }
        text.push_str("\n| what | ours | peer | figure | wanted | holds |\n|---|---:|---:|---:|---:|---|\n");
        for row in &self.rows {
            row.write_markdown(&mut text);
        }
        text
    }
}

impl Row {
    fn write_markdown(&self, text: &mut String) {
        let (ours, peer) = match &self.compared {
            Some(pair) => (
                format!("{} {}", digits(pair.ours), self.unit),
                format!("{} {} ({})", digits(pair.peer), self.unit, pair.peer_name),
            ),
            None => (format!("{} {}", digits(self.figure), self.unit), "-".to_owned()),
        };
        let figure = if self.compared.is_some() { format!("{:.2} x", self.figure) } else { "-".to_owned() };
        let wanted = match self.wanted {
            Wanted::AtLeast(limit) => format!(">= {}", bound(limit)),
            Wanted::AtMost(limit) => format!("<= {}", bound(limit)),
            Wanted::Nothing => "-".to_owned(),
        };
        let holds = match self.holds {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "-",
        };
        let _ = writeln!(text, "| {} | {ours} | {peer} | {figure} | {wanted} | {holds} |", self.name);
    }
}

/// Three significant digits or whole numbers.
fn digits(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Three significant digits, as people write them.
fn bound(limit: f64) -> String {
    let text = match limit {
        large if large >= 100.0 => format!("{limit:.0}"),
        middle if middle >= 1.0 => format!("{limit:.2}"),
        small if small >= 0.1 => format!("{limit:.3}"),
        _ => format!("{limit:.4}"),
    };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests;
