//! The outcome for a terminal: a line for each figure, columns aligned.

use std::fmt::Write;

use super::number;
use crate::outcome::{Cell, ExperimentOutcome, Made, Outcome, Table};

/// Heads of the columns of figures.
const HEADS: [&str; 6] = ["", "", "published", "measured", "ratio", "spread"];

pub fn render(outcome: &Outcome) -> String {
    let mut out = String::new();
    head(&mut out, &outcome.made);
    for experiment in &outcome.experiments {
        one(&mut out, experiment);
    }
    if !outcome.not_applicable.is_empty() {
        out.push_str("\nNot applicable here\n");
        for absent in &outcome.not_applicable {
            let _ = writeln!(out, "  {} ({}): {}", absent.text, absent.printed, absent.reason);
        }
    }
    out
}

fn head(out: &mut String, made: &Made) {
    let machine = &made.machine;
    let _ = writeln!(out, "{}, {}, in {}", made.command, made.at, number::seconds(made.seconds));
    let _ = writeln!(out, "Quaymaster {} ({}); {}", made.version, machine.build, made.effort);
    let memory = number::bytes(machine.seen.memory_bytes);
    let _ = writeln!(out, "{}, {memory}, {}, data on {}", machine.processors(), machine.system(), machine.file_system);
}

fn one(out: &mut String, experiment: &ExperimentOutcome) {
    let _ = writeln!(out, "\n({}) {}: {}", experiment.letter, experiment.name, experiment.title);
    for table in &experiment.tables {
        figures(out, table);
    }
    for note in &experiment.notes {
        let _ = writeln!(out, "  {note}");
    }
    if let Some(failure) = &experiment.failed {
        let _ = writeln!(out, "  came to no end: {failure}");
    }
}

fn figures(out: &mut String, table: &Table) {
    let _ =
        writeln!(out, "\n  {}{}", table.title, table.source.as_ref().map_or(String::new(), |it| format!(" [{it}]")));
    let mut lines = vec![HEADS.map(str::to_owned)];
    let mut reasons = Vec::new();
    for row in &table.rows {
        let unit = if row.unit.is_empty() { String::new() } else { format!(", {}", row.unit) };
        for (place, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
            let name = if place == 0 { format!("{}{unit}", row.name) } else { String::new() };
            lines.push(line(name, column.clone(), cell));
            if let Some(reason) = cell.reason.as_ref().filter(|reason| !reasons.contains(*reason)) {
                reasons.push(reason.clone());
            }
        }
    }
    aligned(out, &lines);
    for sentence in reasons.iter().chain(&table.notes).chain(&table.caveats) {
        let _ = writeln!(out, "    - {sentence}");
    }
}

fn line(name: String, column: String, cell: &Cell) -> [String; 6] {
    let spread = cell.measured.as_ref().and_then(crate::outcome::Measured::spread_percent);
    [
        name,
        column,
        cell.published.as_ref().map_or(String::new(), |printed| printed.text.clone()),
        number::shown(cell),
        cell.ratio.map_or(String::new(), number::ratio),
        spread.map_or(String::new(), number::percent),
    ]
}

/// Names on the left, figures on the right of their columns.
fn aligned(out: &mut String, lines: &[[String; 6]]) {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    for line in lines {
        let mut text = String::from("    ");
        for (column, cell) in line.iter().enumerate() {
            let width = widths[column];
            let _ = if column < 2 { write!(text, "{cell:<width$}  ") } else { write!(text, "{cell:>width$}  ") };
        }
        let _ = writeln!(out, "{}", text.trim_end());
    }
}
