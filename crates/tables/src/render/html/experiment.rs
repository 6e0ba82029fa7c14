//! One experiment on the page: what was run, charts, tables, and behind them every figure with its repetitions and command.

use std::fmt::Write;

use super::{escaped, legend};
use crate::error::TablesError;
use crate::outcome::{CHART_ONLY, Cell, Chart, ExperimentOutcome, Row, Table};
use crate::render::chart::{self, Width};
use crate::render::number;

pub(super) fn section(page: &mut String, one: &ExperimentOutcome) -> Result<(), TablesError> {
    let _ = writeln!(
        page,
        "<section>\n<h2 id=\"{}\"><span class=\"letter\">({})</span> {}</h2>",
        escaped(&one.name),
        one.letter,
        escaped(&one.title)
    );
    for sentence in &one.about {
        let _ = writeln!(page, "<p>{}</p>", escaped(sentence));
    }
    let command = format!("quaymaster tables run {}", one.name);
    let took = number::seconds(one.seconds);
    let _ = writeln!(page, "<p class=\"soft\"><code>{}</code>, took {took}</p>", escaped(&command));
    if let Some(failure) = &one.failed {
        let _ = writeln!(page, "<p class=\"failed\">Did not finish: {}</p>", escaped(failure));
    }
    for drawing in &one.charts {
        figure(page, drawing)?;
    }
    for table in &one.tables {
        figures(page, table);
    }
    notes(page, &one.notes);
    page.push_str("</section>\n");
    Ok(())
}

fn figure(page: &mut String, drawing: &Chart) -> Result<(), TablesError> {
    let label = escaped(&drawing.title);
    let _ = writeln!(page, "<figure id=\"{}\">\n<h3>{label}</h3>", escaped(&drawing.id));
    legend::list(page, drawing);
    for (class, width) in [("desktop", Width::Desktop), ("phone", Width::Phone)] {
        let svg = chart::svg(drawing, width)?;
        let svg = svg.replacen("<svg ", &format!("<svg class=\"{class}\" role=\"img\" aria-label=\"{label}\" "), 1);
        let _ = writeln!(page, "{}", svg.trim());
    }
    if let Some(note) = &drawing.note {
        let _ = writeln!(page, "<figcaption>{}</figcaption>", escaped(note));
    }
    page.push_str("</figure>\n");
    Ok(())
}

fn figures(page: &mut String, table: &Table) {
    let _ = writeln!(page, "<h3 id=\"{}\">{}</h3>", escaped(&table.id), escaped(&table.title));
    if let Some(source) = &table.source {
        let _ = writeln!(page, "<p class=\"source\">Published: {}</p>", escaped(source));
    }
    let is_shown = |row: &Row, column: usize| row.cells.get(column).is_some_and(|cell| cell.published.is_some());
    let has_published: Vec<bool> = (0..table.columns.len())
        .map(|column| !is_chart_only(table) && table.rows.iter().any(|row| is_shown(row, column)))
        .collect();
    page.push_str("<div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead>\n");
    heads(page, table, &has_published);
    page.push_str("</thead>\n<tbody>\n");
    let common = common_unit(table);
    for row in &table.rows {
        let _ = write!(page, "<tr><th scope=\"row\">{}", escaped(&row.name));
        let unit = Some(&row.unit).filter(|_| common.is_none());
        for small in [unit, row.note.as_ref()].into_iter().flatten().filter(|text| !text.is_empty()) {
            let _ = write!(page, "<small>{}</small>", escaped(small));
        }
        page.push_str("</th>");
        for (cell, has_published) in row.cells.iter().zip(&has_published) {
            sides(page, cell, *has_published);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    sentences(page, table);
    every_figure(page, table);
}

/// All that is published of it is a picture: one sentence says so, and not each cell.
fn is_chart_only(table: &Table) -> bool {
    let mut published =
        table.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.published.as_ref()).peekable();
    published.peek().is_some() && published.all(|printed| printed.text == CHART_ONLY)
}

/// The unit that all rows have.
fn common_unit(table: &Table) -> Option<&str> {
    let unit = table.rows.first()?.unit.as_str();
    (!unit.is_empty() && table.rows.iter().all(|row| row.unit == unit)).then_some(unit)
}

fn heads(page: &mut String, table: &Table, has_published: &[bool]) {
    let two_rows = has_published.contains(&true);
    let rowspan = if two_rows { " rowspan=\"2\"" } else { "" };
    let _ = write!(page, "<tr><th{rowspan}>");
    let meaning = table.column_meaning.as_ref().map(|meaning| format!("columns: {meaning}"));
    for small in meaning.as_deref().into_iter().chain(common_unit(table)) {
        let _ = write!(page, "<small>{}</small>", escaped(small));
    }
    page.push_str("</th>");
    for (column, has_published) in table.columns.iter().zip(has_published) {
        let span = if *has_published { " colspan=\"2\"" } else { "" };
        let _ = write!(page, "<th scope=\"col\"{span}>{}</th>", escaped(column));
    }
    page.push_str("</tr>\n");
    if two_rows {
        page.push_str("<tr class=\"sides\">");
        for has_published in has_published {
            page.push_str(if *has_published { "<th>published</th><th>measured</th>" } else { "<th>measured</th>" });
        }
        page.push_str("</tr>\n");
    }
}

/// What was published, where the column has such figures, and what was measured.
fn sides(page: &mut String, cell: &Cell, has_published: bool) {
    if has_published {
        let text = cell.published.as_ref().map_or(String::new(), |printed| escaped(&printed.text));
        let is_figure = cell.published.as_ref().is_some_and(|printed| printed.value.is_some());
        let class = if is_figure { "printed" } else { "absent" };
        let _ = write!(page, "<td class=\"first\"><span class=\"{class}\">{text}</span></td>");
    }
    page.push_str(if has_published { "<td>" } else { "<td class=\"first\">" });
    match &cell.measured {
        Some(measured) => {
            let _ = write!(page, "<span class=\"figure\">{}</span>", escaped(&number::shown(cell)));
            let mut small = Vec::new();
            if let Some(ratio) = cell.ratio {
                small.push(format!("<span class=\"ratio\">{}</span>", number::ratio(ratio)));
            }
            if let Some(spread) = measured.spread_percent().filter(|spread| *spread > 0.0) {
                small.push(format!("spread {}", number::percent(spread)));
            }
            if !small.is_empty() {
                let _ = write!(page, "<small>{}</small>", small.join(" · "));
            }
        }
        None => {
            let title = escaped(cell.reason.as_deref().unwrap_or_default());
            let shown = escaped(&number::shown(cell));
            let _ = write!(page, "<span class=\"absent\" title=\"{title}\">{shown}</span>");
        }
    }
    if let Some(note) = &cell.note {
        let _ = write!(page, "<span class=\"wrong\">{}</span>", escaped(note));
    }
    page.push_str("</td>");
}

/// Reasons of absent figures, what is counted, notes and caveats.
fn sentences(page: &mut String, table: &Table) {
    let cells = || table.rows.iter().flat_map(|row| &row.cells);
    let mut all: Vec<String> = Vec::new();
    let mut add = |sentence: String| {
        if !all.contains(&sentence) {
            all.push(sentence);
        }
    };
    for reason in cells().filter_map(|cell| Some((number::shown(cell), cell.reason.clone()?))) {
        add(format!("{}: {}", reason.0, reason.1));
    }
    if is_chart_only(table) {
        add(format!("Published figures of this table: {CHART_ONLY}"));
    }
    if let Some(counts) = &table.published_counts {
        add(format!("Published figures count: {counts}"));
    }
    table.notes.iter().for_each(|note| add(note.clone()));
    table.caveats.iter().for_each(|caveat| add(format!("Published: {caveat}")));
    notes(page, &all);
}

fn notes(page: &mut String, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    page.push_str("<ul class=\"notes\">\n");
    for note in notes {
        let _ = writeln!(page, "<li>{}</li>", escaped(note));
    }
    page.push_str("</ul>\n");
}

fn every_figure(page: &mut String, table: &Table) {
    page.push_str(
        "<details>\n<summary>Every figure: repetitions, range, what it counts, and the command that makes the same run</summary>\n\
         <div class=\"scroll\">\n<table>\n<thead><tr><th>Figure</th><th>median</th><th>lowest to highest</th><th>repetitions</th><th>counts</th>\
         <th>command</th></tr></thead>\n<tbody>\n",
    );
    for row in &table.rows {
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            detail(page, row, column, cell);
        }
    }
    page.push_str("</tbody>\n</table>\n</div>\n</details>\n");
}

fn detail(page: &mut String, row: &Row, column: &str, cell: &Cell) {
    let Some(measured) = &cell.measured else { return };
    let lines = cell.command.as_deref().unwrap_or_default().lines();
    let command = lines.map(|line| format!("<code>{}</code>", escaped(line))).collect::<Vec<_>>().join("<br>");
    let _ = writeln!(
        page,
        "<tr><th scope=\"row\">{}<small>{}</small></th><td>{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td><td class=\"command\">{command}</td></tr>",
        escaped(&row.name),
        escaped(column),
        number::plain(measured.median),
        escaped(&number::range(measured)),
        measured.repetitions,
        escaped(&cell.counts.join("; "))
    );
}
