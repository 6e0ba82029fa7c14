//! The outcome as one HTML page that needs no other file and no script: figures side by side, charts, and how each was made.
//!
//! Everything that is not markup of this file passes `escaped`.

mod experiment;
mod legend;

use std::fmt::Write;

use super::{number, outstanding};
use crate::error::TablesError;
use crate::outcome::{Made, NotApplicable, Outcome};
use crate::published::published;

const STYLE: &str = include_str!("html/page.css");

/// # Errors
/// A chart cannot be drawn.
pub fn render(outcome: &Outcome) -> Result<String, TablesError> {
    let mut page = String::with_capacity(256 << 10);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n",
        escaped(&outcome.about)
    );
    head(&mut page, outcome);
    contents(&mut page, outcome);
    page.push_str("<main>\n");
    for one in &outcome.experiments {
        experiment::section(&mut page, one)?;
    }
    not_applicable(&mut page, &outcome.not_applicable);
    environments(&mut page, &outcome.made);
    page.push_str("</main>\n");
    foot(&mut page);
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

/// Text as it may stand between tags and in attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn head(page: &mut String, outcome: &Outcome) {
    let made = &outcome.made;
    let machine = &made.machine;
    let _ = writeln!(page, "<header>\n<h1>{}</h1>", escaped(&outcome.about));
    page.push_str(
        "<p>Each table and chart of four published performance documents, run again on real processes of this program and set \
         beside the printed figures. The machines differ, so a ratio tells how far two figures lie apart and not which \
         product is better.</p>\n<dl class=\"made\">\n",
    );
    let program = format!("Quaymaster {}, {} build", made.version, machine.build);
    let took = format!("{}, in {}", made.at, number::seconds(made.seconds));
    for (name, value) in [
        ("Measured", took.as_str()),
        ("Program", &program),
        ("Processors", &machine.processors()),
        ("Memory", &number::bytes(machine.seen.memory_bytes)),
        ("System", &machine.system()),
        ("Data on", &machine.file_system),
        ("Repetitions", &made.effort),
    ] {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
    }
    let _ = writeln!(page, "<dt>Made by</dt><dd><code>{}</code></dd>\n</dl>", escaped(&made.command));
    if made.quick {
        page.push_str("<p class=\"failed\">A quick run: short repetitions show that everything runs, and orders of magnitude. A run without <code>--quick</code> repeats each point until its spread is small.</p>\n");
    }
    if let Some(words) = outstanding(outcome) {
        let _ = writeln!(page, "<p class=\"failed\">{}</p>", escaped(&words));
    }
    if machine.build == "debug" {
        page.push_str("<p class=\"failed\">The program is a debug build: its figures say little.</p>\n");
    }
    page.push_str("</header>\n");
}

fn contents(page: &mut String, outcome: &Outcome) {
    page.push_str("<nav aria-label=\"Experiments\">\n<ol>\n");
    for one in &outcome.experiments {
        let _ = writeln!(
            page,
            "<li><a href=\"#{}\"><span class=\"letter\">({})</span> {}</a></li>",
            escaped(&one.name),
            one.letter,
            escaped(&one.title)
        );
    }
    page.push_str("<li><a href=\"#not-applicable\">What is not applicable here</a></li>\n");
    page.push_str("<li><a href=\"#environments\">Where the published figures were measured</a></li>\n");
    page.push_str("<li><a href=\"#reading\">How to read the figures</a></li>\n</ol>\n</nav>\n");
}

fn not_applicable(page: &mut String, all: &[NotApplicable]) {
    page.push_str(
        "<h2 id=\"not-applicable\">What is not applicable here</h2>\n<div class=\"scroll\">\n<table class=\"words\">\n<thead><tr><th>Published</th>\
         <th>Figure</th><th>Why not here</th></tr></thead>\n<tbody>\n",
    );
    for absent in all {
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}<small>{}</small></th><td>{}</td><td>{}</td></tr>",
            escaped(&absent.text),
            escaped(&absent.document),
            escaped(&absent.printed),
            escaped(&absent.reason)
        );
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

/// The machines behind the printed figures, and this one.
fn environments(page: &mut String, made: &Made) {
    page.push_str(
        "<h2 id=\"environments\">Where the published figures were measured</h2>\n<div class=\"scroll\">\n<table class=\"words\">\n<thead><tr>\
         <th>Document</th><th>Machine</th><th>System</th><th>Software</th><th>Client</th></tr></thead>\n<tbody>\n",
    );
    for (key, document) in &published().documents {
        let Some(place) = published().environments.get(key) else { continue };
        let small = [&document.date, &place.note].into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}<small>{}</small></th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&document.title),
            escaped(&small.join("; ")),
            escaped(&place.machine),
            escaped(&place.operating_system),
            escaped(&place.software),
            escaped(&place.client)
        );
    }
    let machine = &made.machine;
    let _ = writeln!(
        page,
        "<tr><th scope=\"row\">This run</th><td>{}</td><td>{}</td><td>Quaymaster {}</td><td>the load driver, on the same machine, over \
         loopback</td></tr>\n</tbody>\n</table>\n</div>",
        escaped(&machine.processors()),
        escaped(&machine.system()),
        escaped(&made.version)
    );
}

fn foot(page: &mut String) {
    page.push_str(
        "<footer>\n<h2 id=\"reading\">How to read the figures</h2>\n<ul>\n\
         <li>A measured figure is the median of its repetitions; the spread is what lies between lowest and highest, in percent of the \
         median. Loads of one table are measured in rounds of alternating order.</li>\n\
         <li>× is measured over published, both in the unit of the row.</li>\n\
         <li>CPU is user and system time as the kernel counts it for the processes that a figure names, over the transactions \
         completed meanwhile. The load driver's own time is never part of it.</li>\n\
         <li><i>chart only</i>: the document has a picture and no number. <i>not applicable</i>: it measures what this platform has \
         not.</li>\n\
         <li>The command of a figure makes the same run against a server of your own: <code>$URL</code>, <code>$DATA</code> and \
         <code>$PID</code> stand for its address, data directory and process.</li>\n</ul>\n\
         <p class=\"soft\">Names of products belong to their owners. Published figures are those of the documents, with their caveats.</p>\n</footer>\n",
    );
}

#[cfg(test)]
mod tests;
