//! The outcome for a terminal: a line for each figure, columns aligned; below them what they count, notes, and the command of
//! each figure by its number. It can be written piece by piece, as the experiments come to their ends.

use std::fmt::Write;

use super::{number, outstanding};
use crate::outcome::{Cell, ExperimentOutcome, Made, Outcome, Table};

/// Heads of the columns of figures.
const HEADS: [&str; 7] = ["", "", "published", "measured", "ratio", "spread", "by"];

pub fn render(outcome: &Outcome) -> String {
    let experiments = outcome.experiments.iter().map(experiment);
    [head(&outcome.made), experiments.collect(), foot(outcome)].concat()
}

/// What comes before the first experiment.
pub fn head(made: &Made) -> String {
    let mut out = String::new();
    let machine = &made.machine;
    let _ = writeln!(out, "{}, {}", made.command, made.at);
    let _ = writeln!(out, "Quaymaster {} ({}); {}", made.version, machine.build, made.effort);
    let memory = number::bytes(machine.seen.memory_bytes);
    let _ = writeln!(out, "{}, {memory}, {}, data on {}", machine.processors(), machine.system(), machine.file_system);
    out
}

/// What comes after the last experiment.
pub fn foot(outcome: &Outcome) -> String {
    let mut out = String::new();
    if !outcome.not_applicable.is_empty() {
        out.push_str("\nNot applicable here\n");
        for absent in &outcome.not_applicable {
            let _ = writeln!(out, "  {} ({}): {}", absent.text, absent.printed, absent.reason);
        }
    }
    let _ = writeln!(out, "\nMeasured in {}.", number::seconds(outcome.made.seconds));
    if let Some(words) = outstanding(outcome) {
        let _ = writeln!(out, "{words}");
    }
    out
}

pub fn experiment(experiment: &ExperimentOutcome) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "\n({}) {}: {}", experiment.letter, experiment.name, experiment.title);
    let mut commands = Vec::new();
    for table in &experiment.tables {
        figures(&mut out, table, &mut commands);
    }
    for note in &experiment.notes {
        let _ = writeln!(out, "  {note}");
    }
    if let Some(failure) = &experiment.failed {
        let _ = writeln!(out, "  did not finish: {failure}");
    }
    if !commands.is_empty() {
        out.push_str("\n  Each run again\n");
    }
    for (place, command) in commands.iter().enumerate() {
        let _ = writeln!(out, "    {}: {command}", place + 1);
    }
    out
}

/// Number of a command from 1, the same for the same one.
fn number_of<'a>(command: &'a str, commands: &mut Vec<&'a str>) -> usize {
    let place = commands.iter().position(|known| *known == command).unwrap_or_else(|| {
        commands.push(command);
        commands.len() - 1
    });
    place + 1
}

fn figures<'a>(out: &mut String, table: &'a Table, commands: &mut Vec<&'a str>) {
    let _ =
        writeln!(out, "\n  {}{}", table.title, table.source.as_ref().map_or(String::new(), |it| format!(" [{it}]")));
    let mut lines = vec![HEADS.map(str::to_owned)];
    let mut sentences: Vec<String> = Vec::new();
    let mut add = |sentence: String| {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    };
    for row in &table.rows {
        let unit = if row.unit.is_empty() { String::new() } else { format!(", {}", row.unit) };
        for (place, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
            let name = if place == 0 { format!("{}{unit}", row.name) } else { String::new() };
            let by = cell.command.as_deref().unwrap_or_default().lines();
            let by = by.map(|line| number_of(line, commands).to_string()).collect::<Vec<_>>().join(",");
            lines.push(line(name, column.clone(), cell, by));
            if let Some(reason) = &cell.reason {
                add(format!("{}: {reason}", number::shown(cell)));
            }
            cell.counts.iter().for_each(|counts| add(format!("counted: {counts}")));
            if let Some(note) = &cell.note {
                add(format!("{}, {column}: {note}", row.name));
            }
        }
        if let Some(note) = &row.note {
            add(format!("{}: {note}", row.name));
        }
    }
    aligned(out, &lines);
    if let Some(counts) = &table.published_counts {
        add(format!("published figures count: {counts}"));
    }
    table.notes.iter().for_each(|note| add(note.clone()));
    table.caveats.iter().for_each(|caveat| add(format!("published: {caveat}")));
    for sentence in &sentences {
        let _ = writeln!(out, "    - {sentence}");
    }
}

fn line(name: String, column: String, cell: &Cell, by: String) -> [String; 7] {
    let spread = cell.measured.as_ref().and_then(crate::outcome::Measured::spread_percent);
    [
        name,
        column,
        cell.published.as_ref().map_or(String::new(), |printed| printed.text.clone()),
        number::shown(cell),
        cell.ratio.map_or(String::new(), number::ratio),
        spread.map_or(String::new(), number::percent),
        by,
    ]
}

/// Names on the left, figures on the right of their columns.
fn aligned(out: &mut String, lines: &[[String; 7]]) {
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
