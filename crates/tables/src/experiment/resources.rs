//! (a) What a request to each administrative resource costs, with Basic and with an LTPA token, over new and kept connections.

use super::administration::{
    COMMANDS, INSTALLATION, QMGR, WAYS, WEB, WHOLE, Way, cpu, define_queues, queues, status, web,
};
use super::{Experiment, Findings};
use crate::drive::{Length, Load, Run};
use crate::error::TablesError;
use crate::outcome::{Axis, Chart, ChartKind, Origin, Place, Point, Printed, Row, Series, Table};
use crate::published::{PublishedTable, published};
use crate::session::{Samples, Session};
use crate::setting::server::{Server, ServerPlan};

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'a',
    name: "resources",
    title: "What a request to each administrative resource costs",
    about: &[
        "One client repeatedly requests one resource over TLS. It authenticates by the LTPA token of one login or by Basic on \
         every request, over a connection that stays or over a new one (full TLS handshake) for every request.",
        "The queue resource shows 500 queues with all attributes; qmgr is asked of a server with one queue manager and of one with 15.",
    ],
    tables: &[TABLE],
    charts: &[],
    quick_seconds: 36,
    run,
};

const TABLE: &str = "admin-resource-cost";
const QUEUES: usize = 500;
const MANAGERS: usize = 15;

/// A row of the table.
struct Resource {
    name: &'static str,
    /// Row of the published table.
    published: &'static str,
    on_many: bool,
    path: fn() -> String,
}

const RESOURCES: [Resource; 5] = [
    Resource { name: "/installation", published: "/installation", on_many: false, path: || INSTALLATION.to_owned() },
    Resource { name: "/qmgr, 1 queue manager", published: "/qmgr", on_many: false, path: || QMGR.to_owned() },
    Resource { name: "/qmgr, 15 queue managers", published: "/qmgr", on_many: true, path: || QMGR.to_owned() },
    Resource {
        name: "/qmgr/{qmgrName}?status=*",
        published: "/qmgr/{qmgrName}?status=*",
        on_many: false,
        path: || status("QM1"),
    },
    Resource {
        name: "/qmgr/{qmgrName}/queue, 500 queues, all attributes",
        published: "/qmgr/{qmgrName}/queue",
        on_many: false,
        path: || queues("QM1", "&attributes=*"),
    },
];

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    session.tell("starting servers");
    let one = session
        .setting()
        .server(&ServerPlan::named("server").keeping_nothing().running("QM1", define_queues(QUEUES)))?;
    let names = (1..=MANAGERS).map(|number| format!("QM{number}")).collect();
    let many = session.setting().server(&ServerPlan::named("server").keeping_nothing().hosting(names))?;
    let mut loads = Vec::new();
    for resource in &RESOURCES {
        for way in WAYS {
            loads.push(load(if resource.on_many { &many } else { &one }, resource, way)?);
        }
    }
    let samples = session.measure(&loads, 0.9);
    let rows: Vec<_> = RESOURCES.iter().zip(samples.chunks(WAYS.len())).collect();
    let Some(table) = published().table(TABLE) else { return Ok(()) };
    found.tables.push(costs(table, &rows));
    found.tables.push(parts(&rows));
    found.tables.push(saving(&rows));
    found.charts.push(chart(table, &rows));
    for mut server in [one, many] {
        server.check()?;
    }
    Ok(())
}

fn load(server: &Server, resource: &Resource, way: Way) -> Result<Load, TablesError> {
    let path = (resource.path)();
    let load = Load::on(server, format!("{}: {}", resource.name, way.name), way.choices(&[&path]))?;
    // Ports of closed connections are not free at once.
    let length = if way.is_new() { Length::Requests { full: 1000, quick: 200 } } else { Length::Time };
    Ok(load.lasting(length))
}

/// What was found of each resource, in the order of `WAYS`.
type Found<'a> = (&'a Resource, &'a [Samples]);

fn printed(table: &PublishedTable, resource: &Resource) -> Option<Printed> {
    table.row(resource.published)?.cells.first().map(Printed::of)
}

fn costs(published: &PublishedTable, rows: &[Found<'_>]) -> Table {
    let mut table = Table::like(published, "Cost of a request");
    table.columns = WAYS.iter().map(|way| way.name.to_owned()).collect();
    for (resource, samples) in rows {
        let cells = samples.iter().enumerate().map(|(place, samples)| {
            let cell = samples.cell(cpu).counting(WHOLE);
            match printed(published, resource) {
                Some(printed) if place == 0 => cell.beside(printed),
                _ => cell,
            }
        });
        let note = published.row(resource.published).and_then(|row| Some(format!("published: {}", row.note.as_ref()?)));
        let unit = published.unit.clone().unwrap_or_default();
        table.rows.push(Row::new(resource.name, unit, cells.collect()).noting(note));
    }
    if let Some(statement) = crate::published::published().statement("a", "LTPA token") {
        table.notes.push(format!(
            "The published figures stand beside a token over a kept connection: that is said to save {} {}, which is more than the \
             first row costs altogether.",
            statement.printed.text(),
            statement.unit.as_deref().unwrap_or_default()
        ));
    }
    table
}

/// Where the time of a request goes, and what else there is to it.
fn parts(rows: &[Found<'_>]) -> Table {
    let columns =
        ["Server CPU, ms", "of it commands, ms", "of it web, ms", "Round trip, ms", "Answer, bytes", "Client CPU, ms"];
    let mut table = Table::ours("resources-parts", "Parts of a request with a token over a kept connection", &columns);
    for (resource, samples) in rows {
        let kept = &samples[0];
        let cells = vec![
            kept.cell(cpu).counting(WHOLE),
            kept.cell(|run| run.command_ms).counting(COMMANDS),
            kept.cell(web).counting(WEB),
            kept.cell(Run::mean_ms),
            kept.cell(Run::answer_bytes),
            kept.cell(Run::driver_ms).counting(&["the driver, which is not part of any cost"]),
        ];
        table.rows.push(Row::new(resource.name, "", cells));
    }
    table
}

fn saving(rows: &[Found<'_>]) -> Table {
    let mut table = Table::ours("resources-token", "What a token over a kept connection saves", &["saved"]);
    let statement = published().statement("a", "LTPA token");
    for (resource, samples) in rows {
        let saved = samples[3].cell_with(&samples[0], |basic, token| Some(cpu(basic)? - cpu(token)?)).counting(WHOLE);
        let saved = match statement {
            Some(statement) => saved.beside(Printed::of_statement(statement)),
            None => saved,
        };
        table.rows.push(Row::new(resource.name, "CPU milliseconds per call", vec![saved]));
    }
    table.source = statement.map(|it| format!("{}, in the text", published().document_title(&it.document)));
    table.notes.push("Basic over new connections less LTPA over a kept one, of the same round.".to_owned());
    table
}

fn chart(published: &PublishedTable, rows: &[Found<'_>]) -> Chart {
    let place = |resource: &Resource| Place::Name(resource.name.to_owned());
    let value = |resource: &Resource| Some(Point::published(place(resource), printed(published, resource)?.value?));
    let mut series = vec![Series {
        name: "published".to_owned(),
        hue: 0,
        origin: Origin::Published,
        points: rows.iter().filter_map(|(resource, _)| value(resource)).collect(),
    }];
    for (index, way) in WAYS.iter().enumerate() {
        let point = |(resource, samples): &Found<'_>| Some(Point::new(place(resource), &samples[index].measured(cpu)?));
        let points = rows.iter().filter_map(point).collect();
        series.push(Series { name: way.name.to_owned(), hue: index + 1, origin: Origin::Measured, points });
    }
    Chart {
        id: "resources-cost".to_owned(),
        title: "Server CPU of a request".to_owned(),
        kind: ChartKind::Dots,
        x: Axis::logarithmic("CPU milliseconds per request"),
        y: Axis::linear(""),
        series,
        note: Some("One client; a logarithmic axis.".to_owned()),
    }
}
