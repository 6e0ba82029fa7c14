//! Rows in columns, and checks as lines and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use storage::shared::administration::Check;

/// Writes rows below a heading, each column as wide as its widest cell; numbers stand to the right.
pub(super) fn write_rows(out: &mut dyn Write, heading: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let lines =
        || std::iter::once(heading.to_vec()).chain(rows.iter().map(|row| row.iter().map(String::as_str).collect()));
    let width = |column: usize| lines().filter_map(|line| line.get(column).map(|cell| cell.chars().count())).max();
    let widths: Vec<usize> = (0..heading.len()).map(|column| width(column).unwrap_or(0)).collect();
    let is_number = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column));
        !rows.is_empty() && cells.all(|cell| cell.parse::<f64>().is_ok() || cell == "-")
    };
    for line in lines() {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match is_number(column) {
            true => format!("{cell:>width$}"),
            false => format!("{cell:width$}"),
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

pub(crate) fn write_checks<'a>(out: &mut dyn Write, checks: impl IntoIterator<Item = &'a Check>) -> io::Result<()> {
    for check in checks {
        writeln!(out, "{:<8} {}: {}", check.verdict.word(), check.subject, check.text)?;
    }
    Ok(())
}

pub(crate) fn checks_as_json<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Value {
    let check = |check: &Check| json!({"subject": check.subject, "verdict": check.verdict.word(), "text": check.text});
    checks.into_iter().map(check).collect()
}
