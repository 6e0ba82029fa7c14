//! (b) How the cost of listing queues grows with their number, with few attributes and with all, and over slower networks.

use std::time::Duration;

use workload::plan::{Choices, Span};

use super::administration::{COMMANDS, LTPA_KEPT, WEB, WHOLE, cpu, define_queues, display_queues, queues, web};
use super::{Experiment, Findings};
use crate::drive::{Figure, Length, Load, Run};
use crate::error::TablesError;
use crate::outcome::{Axis, Cell, Chart, ChartKind, Origin, Place, Point, Printed, Row, Series, Table};
use crate::published::{PublishedTable, published};
use crate::session::{Samples, Session};
use crate::setting::server::{Server, ServerPlan};

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'b',
    name: "queues",
    title: "How data volumes matter when queues are listed",
    about: &[
        "One client repeatedly lists all queues of a queue manager, over kept TLS with an LTPA token: nine queues, 1000, 2000, \
         3000 and 10,000.",
        "Filtered data is name, type and current depth; all data is every attribute and the status of each queue; the command \
         is DISPLAY QUEUE with CURDEPTH, in JSON: the filtered data.",
        "The same again through a proxy that delays every byte, so that round trips take 10 and 50 ms longer.",
    ],
    tables: &[ROUND_TRIP],
    charts: &["REST API Queue costs - Filtered", "REST API Queue costs - Unfiltered"],
    quick_seconds: 46,
    run,
};

const ROUND_TRIP: &str = "admin-queue-round-trip";
/// Of experiment (h), which measures all of it; its columns are among the sizes here.
const COST: &str = "admin-queue-cost-and-console";
/// Numbers of queues, and the published column of each.
const SIZES: [(usize, &str); 5] = [(9, "<10"), (1000, "1000"), (2000, "2000"), (3000, "3000"), (10_000, "10,000")];
const LATENCIES_MS: [u64; 3] = [0, 10, 50];

/// How it is asked for.
enum Asks {
    /// GET of the queue resource, with this behind the name.
    List(&'static str),
    /// POST of a command.
    Command,
}

/// What is asked for.
struct Query {
    name: &'static str,
    asks: Asks,
    /// Rows of the two published tables.
    round_trip_row: Option<&'static str>,
    cost_row: Option<&'static str>,
    chart: Option<&'static str>,
}

const QUERIES: [Query; 3] = [
    Query {
        name: "Filtered data",
        asks: Asks::List("&status=status.currentDepth"),
        round_trip_row: Some("Filtered data"),
        cost_row: Some("REST API (filtered data)"),
        chart: Some("REST API Queue costs - Filtered"),
    },
    Query {
        name: "All data",
        asks: Asks::List("&attributes=*&status=*"),
        round_trip_row: Some("All data"),
        cost_row: Some("REST API (full data)"),
        chart: Some("REST API Queue costs - Unfiltered"),
    },
    Query { name: "Command", asks: Asks::Command, round_trip_row: None, cost_row: None, chart: None },
];

/// What was found, by latency, query and size.
struct Found {
    samples: Vec<Samples>,
}

impl Found {
    fn at(&self, latency: usize, query: usize, size: usize) -> &Samples {
        &self.samples[(latency * QUERIES.len() + query) * SIZES.len() + size]
    }
}

fn manager(size: usize) -> String {
    format!("Q{size}")
}

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    session.tell("defining queues");
    let names = SIZES.iter().map(|(size, _)| manager(*size)).collect();
    let mut plan = ServerPlan::named("server").keeping_nothing().hosting(names);
    for (size, _) in SIZES {
        plan = plan.running(&manager(size), define_queues(size));
    }
    let mut server = session.setting().server(&plan)?;
    let mut samples = Vec::new();
    for latency in LATENCIES_MS {
        let mut loads = Vec::new();
        for query in &QUERIES {
            for (size, _) in SIZES {
                loads.push(load(&server, query, size, latency)?);
            }
        }
        // Slow networks leave little to be repeated.
        let part = if latency == 0 { 0.5 } else { 0.15 };
        samples.extend(session.measure(&loads, part));
    }
    let all = Found { samples };
    if let (Some(round_trip), Some(cost)) = (published().table(ROUND_TRIP), published().table(COST)) {
        found.tables.push(round_trips(round_trip, &all));
        found.tables.push(costs(cost, &all));
        found.tables.push(split(&all));
        found.tables.push(filtering(&all));
        found.tables.push(bytes(&all));
        found.tables.push(latencies(&all));
        found.charts.push(round_trip_chart(round_trip, &all));
        for (place, query) in QUERIES.iter().enumerate() {
            if let (Some(title), Some(row)) = (query.chart, query.cost_row) {
                found.charts.push(cost_chart(title, cost, row, place, &all));
            }
        }
    }
    server.check()
}

fn load(server: &Server, query: &Query, size: usize, latency: u64) -> Result<Load, TablesError> {
    let mut choices = match query.asks {
        Asks::List(rest) => LTPA_KEPT.choices(&[&queues(&manager(size), rest)]),
        Asks::Command => Choices {
            paths: None,
            post_path: Some(format!("/ibmmq/rest/v3/admin/action/qmgr/{}/mqsc", manager(size))),
            body: Some(display_queues()),
            ..LTPA_KEPT.choices(&[])
        },
    };
    let name = match latency {
        0 => format!("{}, {size} queues", query.name),
        _ => {
            choices.latency = Some(Span(Duration::from_millis(latency)));
            format!("{}, {size} queues, {latency} ms", query.name)
        }
    };
    let load = Load::on(server, name, choices)?.judged_by(Run::mean_ms);
    Ok(match latency {
        0 => load,
        _ => load.lasting(Length::Requests { full: 25, quick: 3 }).warmed_up_by(1),
    })
}

/// A figure of every size.
fn by_size(all: &Found, latency: usize, query: usize, figure: Figure) -> Vec<Cell> {
    (0..SIZES.len()).map(|size| all.at(latency, query, size).cell(figure)).collect()
}

/// Sets figures of all sizes beside those of a published row, which has some of them.
fn beside(table: &PublishedTable, row: &str, cells: Vec<Cell>) -> Vec<Cell> {
    let printed = |name: &str| {
        let column = table.columns.iter().position(|column| column == name)?;
        table.row(row)?.cells.get(column).map(Printed::of)
    };
    let beside = |((_, name), cell): (&(usize, &str), Cell)| match printed(name) {
        Some(printed) => cell.beside(printed),
        None => cell,
    };
    SIZES.iter().zip(cells).map(beside).collect()
}

fn column_names() -> Vec<String> {
    SIZES.iter().map(|(_, name)| (*name).to_owned()).collect()
}

fn round_trips(published: &PublishedTable, all: &Found) -> Table {
    let mut table = Table::like(published, "Round trip");
    table.columns = column_names();
    let unit = published.unit.clone().unwrap_or_default();
    for (place, query) in QUERIES.iter().enumerate() {
        let cells = by_size(all, 0, place, Run::mean_ms);
        let cells = query.round_trip_row.map_or(cells.clone(), |row| beside(published, row, cells));
        table.rows.push(Row::new(query.name, unit.clone(), cells));
    }
    table.notes.push("Over loopback, TLS included.".to_owned());
    table
}

fn costs(published: &PublishedTable, all: &Found) -> Table {
    let mut table = Table::like(published, "Server CPU");
    // The published table as it is printed is the console experiment's.
    table.id = "queues-cost".to_owned();
    table.columns = column_names();
    let unit = published.unit.clone().unwrap_or_default();
    for (place, query) in QUERIES.iter().enumerate() {
        let cells = by_size(all, 0, place, cpu).into_iter().map(|cell| cell.counting(WHOLE)).collect();
        let cells = match query.cost_row {
            Some(row) => beside(published, row, cells),
            None => cells,
        };
        table.rows.push(Row::new(query.name, unit.clone(), cells));
    }
    table
}

/// Which part of the time is the commands', and which is all else.
fn split(all: &Found) -> Table {
    let mut table = Table::ours("queues-split", "Server CPU by what it is for", &[]);
    table.columns = column_names();
    table.column_meaning = Some("number of queues".to_owned());
    let kinds: [(&str, &[&str], Figure); 2] = [("commands", COMMANDS, |run| run.command_ms), ("web", WEB, web)];
    for (place, query) in QUERIES.iter().enumerate() {
        for (name, counts, figure) in kinds {
            let cells = by_size(all, 0, place, figure).into_iter().map(|cell| cell.counting(counts)).collect();
            table.rows.push(Row::new(format!("{}: {name}", query.name), "CPU milliseconds", cells));
        }
    }
    table.notes.push(
        "Commands: the kernel's clock of the thread around the execution of each, the writing of its answer as JSON included: objects \
         are read and written in one pass here, so filtering saves there too. Web: the rest of the process."
            .to_owned(),
    );
    table
}

/// By how much filtering lowers costs.
fn filtering(all: &Found) -> Table {
    let mut table = Table::ours("queues-filtering", "What filtering saves", &[]);
    table.columns = column_names();
    table.column_meaning = Some("number of queues".to_owned());
    let statement = published().statement("b", "filtering");
    let kinds: [(&str, Figure); 3] =
        [("Server CPU", cpu), ("Round trip", Run::mean_ms), ("Answer bytes", Run::answer_bytes)];
    for (name, figure) in kinds {
        let saved = |size: usize| {
            let saved = |few: &Run, all: &Run| Some((1.0 - figure(few)? / figure(all)?) * 100.0);
            let cell = all.at(0, 0, size).cell_with(all.at(0, 1, size), saved);
            match statement.filter(|_| name == "Server CPU" && size > 0) {
                Some(statement) => cell.counting(WHOLE).beside(Printed::of_statement(statement)),
                None => cell,
            }
        };
        table.rows.push(Row::new(name, "percent saved", (0..SIZES.len()).map(saved).collect()));
    }
    table.source = statement.map(|it| format!("{}, in the text", published().document_title(&it.document)));
    table.caveats.extend(statement.map(|it| it.text.clone()));
    table
}

fn bytes(all: &Found) -> Table {
    let mut table = Table::ours("queues-bytes", "Size of an answer", &[]);
    table.columns = column_names();
    table.column_meaning = Some("number of queues".to_owned());
    for (place, query) in QUERIES.iter().enumerate() {
        table.rows.push(Row::new(query.name, "bytes of JSON", by_size(all, 0, place, Run::answer_bytes)));
    }
    table
}

fn latencies(all: &Found) -> Table {
    let mut table = Table::ours("queues-latency", "Round trip over slower networks", &[]);
    table.columns = column_names();
    table.column_meaning = Some("number of queues".to_owned());
    for (place, query) in QUERIES.iter().enumerate() {
        for (latency, milliseconds) in LATENCIES_MS.iter().enumerate() {
            let name = format!("{}, {milliseconds} ms added", query.name);
            table.rows.push(Row::new(name, "milliseconds per request", by_size(all, latency, place, Run::mean_ms)));
        }
    }
    table.notes.push("A proxy on this machine delays every byte by half of it in each direction.".to_owned());
    table
}

/// Points over the number of queues.
fn series(name: &str, hue: usize, all: &Found, query: usize, figure: Figure) -> Series {
    let point = |(place, (size, _)): (usize, &(usize, &str))| {
        Some(Point::new(at(*size), &all.at(0, query, place).measured(figure)?))
    };
    let points = SIZES.iter().enumerate().filter_map(point).collect();
    Series { name: name.to_owned(), hue, origin: Origin::Measured, points }
}

fn published_series(name: &str, hue: usize, table: &PublishedTable, row: &str) -> Series {
    let value = |size: &(usize, &str)| {
        let column = table.columns.iter().position(|column| column == size.1)?;
        Some(Point::published(at(size.0), table.row(row)?.cells.get(column)?.value?))
    };
    let points = SIZES.iter().filter_map(value).collect();
    Series { name: name.to_owned(), hue, origin: Origin::Published, points }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of queues")]
fn at(size: usize) -> Place {
    Place::Number(size as f64)
}

fn round_trip_chart(published: &PublishedTable, all: &Found) -> Chart {
    let mut lines = Vec::new();
    for (place, query) in QUERIES.iter().enumerate() {
        if let Some(row) = query.round_trip_row {
            lines.push(published_series(&format!("{}, published", query.name), place + 1, published, row));
        }
        lines.push(series(&format!("{}, measured", query.name), place + 1, all, place, Run::mean_ms));
    }
    Chart {
        id: "queues-round-trip".to_owned(),
        title: "Round trip by number of queues".to_owned(),
        kind: ChartKind::Lines,
        x: Axis::logarithmic("queues"),
        y: Axis::logarithmic("milliseconds per request"),
        series: lines,
        note: Some(
            "Both axes are logarithmic. The first published column is fewer than ten queues, drawn at nine.".to_owned(),
        ),
    }
}

fn cost_chart(title: &str, published: &PublishedTable, row: &str, place: usize, all: &Found) -> Chart {
    Chart {
        id: format!("queues-cost-{place}"),
        title: title.to_owned(),
        kind: ChartKind::Lines,
        x: Axis::logarithmic("queues"),
        y: Axis::logarithmic("CPU milliseconds per request"),
        series: vec![
            published_series("published, from the table of costs", 1, published, row),
            series("measured, the whole server", 1, all, place, cpu),
            series("of it commands", 2, all, place, |run| run.command_ms),
            series("of it web", 3, all, place, web),
        ],
        note: Some(
            "Of the published chart only the picture exists; its points come from the table beside the console."
                .to_owned(),
        ),
    }
}
