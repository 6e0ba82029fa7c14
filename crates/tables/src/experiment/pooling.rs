//! (f) What pooled connections and kept TLS connections save the messaging REST API.

use std::time::Duration;

use serde_json::Value;
use workload::Plan;
use workload::plan::{Choices, Connection, Span};

use super::messaging::pair::{MANAGER, Pair, WEB, ask};
use super::{Experiment, Findings};
use crate::drive::{Figure, Length, Load, Run};
use crate::error::TablesError;
use crate::outcome::{Axis, Cell, Chart, ChartKind, Measured, Origin, Place, Point, Printed, Row, Series, Table};
use crate::published::{PublishedRow, PublishedTable, Statement, published};
use crate::render::number;
use crate::session::{Samples, Session};
use crate::setting::server::Server;

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'f',
    name: "pooling",
    title: "What reusing TLS and pooled connections saves the messaging REST API",
    about: &[
        "Ten clients put a request of 10 bytes and get its reply of 1 KiB with one LTPA token each, nonpersistent, without think time.",
        "The web server reaches the queue manager, a process of its own, through a channel. Without a pool (max_pool_size = 0) each \
         REST request connects and disconnects; without reuse of TLS each REST request is a new connection with a whole handshake.",
        "Accounting is on (ACCTMQI), as class(3) accounting was: a record for each connection that ends.",
    ],
    tables: &[TABLE],
    charts: &[RATE],
    quick_seconds: 28,
    run,
};

const TABLE: &str = "messaging-reuse-cost";
const RATE: &str = "Rate of 10 clients running request/reply-type workload";
const ACCOUNTING_QUEUE: &str = "SYSTEM.ADMIN.ACCOUNTING.QUEUE";
const ACCOUNT: &str = "ALTER QMGR ACCTMQI(ON)\nALTER QLOCAL(SYSTEM.ADMIN.ACCOUNTING.QUEUE) MAXDEPTH(200000)\n";
const NO_POOL: &str = "[messaging]\nmax_pool_size = 0\n";
/// REST requests whose accounting records are counted: two for each pair.
const REQUESTS: u64 = 10_000;
const FEW_REQUESTS: u64 = 1_000;
/// Longest wait for the records of connections that have ended.
const RECORD_LIMIT: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(100);

/// A row: its published name, whether there is a pool, and whether TLS connections are kept.
const WAYS: [(&str, bool, bool); 4] = [
    ("No reuse", false, false),
    ("Reuse Connection", true, false),
    ("Reuse TLS", false, true),
    ("Reuse TLS and connection", true, true),
];

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    let mut pair = Pair::start(session, ACCOUNT, &[NO_POOL, ""])?;
    let mut loads = Vec::new();
    for way in WAYS {
        loads.push(load(&pair, way)?);
    }
    let samples = session.measure(&loads, 0.7);
    if let Some(printed) = published().table(TABLE) {
        found.tables.push(costs(printed, &samples));
    }
    found.tables.push(savings(&samples));
    found.charts.push(rate_chart(&samples));
    found.charts.push(cost_chart(&samples));
    let requests = if session.is_quick() { FEW_REQUESTS } else { REQUESTS };
    let mut records = Vec::new();
    for (name, is_pooled) in [("Without a pool", false), ("With pooled connections", true)] {
        session.tell(format!("counting accounting records: {name}"));
        let load = load(&pair, (name, is_pooled, true))?;
        let counted = counted(&load.choices, requests);
        let command = load.command(&counted);
        records.push((name, command, records_of(&pair, counted)));
    }
    found.tables.push(accounting(records, requests));
    pair.check()
}

fn choices(pair: &Pair, is_pooled: bool, is_kept: bool) -> Result<Choices, TablesError> {
    let web = &pair.webs[usize::from(is_pooled)];
    Ok(Choices {
        request_size: Some(10),
        connection: (!is_kept).then_some(Connection::New),
        tls_resumption: (!is_kept).then_some(false),
        ..pair.by_web(web)?
    })
}

fn load(pair: &Pair, (name, is_pooled, is_kept): (&str, bool, bool)) -> Result<Load, TablesError> {
    let mut load = Load::new(name, choices(pair, is_pooled, is_kept)?).lasting(Length::Time).judged_by(web);
    for (text, shown) in pair.shown() {
        load = load.showing(text, shown);
    }
    Ok(load)
}

fn web(run: &Run) -> Option<f64> {
    run.cpu_ms(WEB)
}

fn web_us(run: &Run) -> Option<f64> {
    Some(run.cpu_ms(WEB)? * 1e3)
}

fn manager_us(run: &Run) -> Option<f64> {
    Some(run.cpu_ms(MANAGER)? * 1e3)
}

const WEB_COUNTS: &[&str] = &["web: TLS, HTTP, login, pool, its end of the channel"];
const MANAGER_COUNTS: &[&str] = &["queue-manager: channels, queue manager, accounting, the responder's get and put"];

/// The published table, cell by cell.
fn costs(printed: &PublishedTable, samples: &[Samples]) -> Table {
    let mut table = Table::like(printed, "CPU of a request and its reply");
    for (row, found) in printed.rows.iter().zip(samples) {
        let measured = [found.cell(web_us).counting(WEB_COUNTS), found.cell(manager_us).counting(MANAGER_COUNTS)];
        let cells = measured.into_iter().zip(&row.cells).map(|(cell, published)| {
            let cell = cell.beside(Printed::of(published));
            match &published.note {
                Some(note) => cell.noting(note.clone()),
                None => cell,
            }
        });
        table.rows.push(Row::new(&row.name, printed.unit_of(row), cells.collect()).noting(row.note.clone()));
    }
    table.notes.push(
        "The published queue manager is reached within one machine's memory; here through a channel, whose work on its side is counted \
         with the queue manager, as is the responder's get and put."
            .to_owned(),
    );
    table
}

/// What each way saves beside no reuse, and how its rate compares.
fn savings(samples: &[Samples]) -> Table {
    let columns = [
        "Web, of no reuse, %",
        "Saved, µs",
        "Web and queue manager, of no reuse, %",
        "Rate, 1/s",
        "Rate, times no reuse",
        "Round trip, ms",
        "Clients, CPU ms",
    ];
    let mut table = Table::ours("messaging-reuse-savings", "What reuse saves", &columns);
    let none = &samples[0];
    let both = |run: &Run| Some(web_us(run)? + manager_us(run)?);
    for (place, found) in samples.iter().enumerate() {
        let against = |figure: fn(f64, f64) -> f64, of: Figure| {
            found.cell_with(none, move |one, none| Some(figure(of(one)?, of(none)?)))
        };
        let percent = |one: f64, none: f64| one / none * 100.0;
        let mut saved = against(|one, none| none - one, web_us);
        let mut whole = against(percent, both);
        let mut rate = against(|one, none| one / none, Run::rate);
        match place {
            1 => saved = beside(saved, "reuse of the connection to the queue manager", Statement::microseconds),
            2 => saved = beside(saved, "TLS reuse made the largest difference", Statement::microseconds),
            3 => {
                whole = beside(whole, "of the initial configuration", |it| it.value);
                rate = beside(rate, "improvement in throughput", |it| it.value);
            }
            _ => {}
        }
        let cells = vec![
            against(percent, web_us),
            saved,
            whole,
            found.cell(Run::rate),
            rate,
            found.cell(Run::mean_ms),
            found.cell(Run::driver_ms).counting(&["driver: the clients"]),
        ];
        table.rows.push(Row::new(&found.name, "", cells));
    }
    table.notes.push("Figures beside no reuse are of the same round.".to_owned());
    table
}

/// `value` reads the statement's figure in the unit of the column.
fn beside(cell: Cell, part: &str, value: fn(&Statement) -> Option<f64>) -> Cell {
    match published().statement("f", part) {
        Some(statement) => cell.beside(Printed { text: statement.with_unit(), value: value(statement) }),
        None => cell,
    }
}

/// So many REST requests, which are half as many pairs.
fn counted(choices: &Choices, requests: u64) -> Choices {
    Choices {
        requests: Some(requests / 2),
        duration: Some(Span(Duration::from_secs(300))),
        warmup: Some(Span(Duration::ZERO)),
        ..choices.clone()
    }
}

/// These requests once, and the records that lie on the accounting queue afterwards.
fn records_of(pair: &Pair, counted: Choices) -> Result<f64, TablesError> {
    let before = depth(&pair.manager)?;
    let mut plan = Plan::new(counted)?;
    plan.quiet = true;
    let report = workload::run(&plan)?;
    if report.errors > 0 {
        let what = format!("{} of the counted requests failed: {:?}", report.errors, report.first_error);
        return Err(TablesError::Unexpected { what });
    }
    // Connections that have ended are accounted for soon after, by somebody else.
    let (mut last, mut still) = (depth(&pair.manager)?, Duration::ZERO);
    let mut waited = Duration::ZERO;
    while still < Duration::from_secs(1) && waited < RECORD_LIMIT {
        std::thread::sleep(LOOK);
        waited += LOOK;
        let now = depth(&pair.manager)?;
        still = if now == last { still + LOOK } else { Duration::ZERO };
        last = now;
    }
    Ok(last - before)
}

fn depth(manager: &Server) -> Result<f64, TablesError> {
    let path = format!("/ibmmq/rest/v1/admin/qmgr/QM1/queue/{ACCOUNTING_QUEUE}?status=status.currentDepth");
    let answer = ask(manager, ("GET", &path), "application/json", b"")?;
    let json: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let depth = json["queue"][0]["status"]["currentDepth"].as_f64();
    depth.ok_or_else(|| TablesError::Unexpected { what: format!("no depth of {ACCOUNTING_QUEUE} in {json}") })
}

const RECORDS: &[&str] = &["queue-manager: records put while the requests ran and until no more came"];

#[expect(clippy::cast_precision_loss, reason = "thousands of requests")]
fn of(requests: u64) -> f64 {
    requests as f64
}

fn accounting(records: Vec<(&str, String, Result<f64, TablesError>)>, requests: u64) -> Table {
    let column = format!("Records for {} REST requests", number::plain(of(requests)));
    let mut table = Table::ours("messaging-accounting", "Accounting records", &[&column]);
    let statement = published().statement("f", "SMF 116 records");
    for (place, (name, command, records)) in records.into_iter().enumerate() {
        let mut cell = match records {
            Ok(count) => Cell::measured(Measured::of(&[count])).counting(RECORDS).made_by(&command),
            Err(error) => Cell::missing(error.chain()),
        };
        if let Some((statement, text)) = statement.and_then(|it| Some((it, it.printed.texts().get(place)?.clone()))) {
            // The second is a bound, and both are of the document's number of requests.
            let value = statement.numbers().get(place).copied().filter(|_| place == 0 && requests == REQUESTS);
            cell = cell.beside(Printed { text: format!("{text} for {} requests", number::plain(of(REQUESTS))), value });
        }
        table.rows.push(Row::new(name, "accounting records", vec![cell]));
    }
    if requests != REQUESTS {
        table.notes.push(format!(
            "A quick run counts the records of {} requests, a full one those of {}.",
            number::plain(of(requests)),
            number::plain(of(REQUESTS))
        ));
    }
    table.source = statement.map(|it| format!("{}, in the text", published().document_title(&it.document)));
    table.caveats.extend(statement.map(|it| it.text.clone()));
    table.notes.push(format!(
        "A pair is two REST requests. Counted on {ACCOUNTING_QUEUE} once the last record has come; pooled connections that live on \
         are accounted for when they end, or every ACCTINT seconds."
    ));
    table
}

fn rate_chart(samples: &[Samples]) -> Chart {
    let point = |found: &Samples| Some(Point::new(Place::Name(found.name.clone()), &found.measured(Run::rate)?));
    let known = published().charts_without_numbers.iter().find(|chart| chart.title == RATE);
    let known = known.and_then(|chart| chart.known.clone()).unwrap_or_default();
    Chart {
        id: "messaging-reuse-rate-chart".to_owned(),
        title: RATE.to_owned(),
        kind: ChartKind::Dots,
        x: Axis::linear("requests with their replies a second"),
        y: Axis::linear(""),
        series: vec![Series {
            name: "measured".to_owned(),
            hue: 1,
            origin: Origin::Measured,
            points: samples.iter().filter_map(point).collect(),
        }],
        note: Some(format!("Of the published chart only the picture exists. Its text says: {known}.")),
    }
}

fn cost_chart(samples: &[Samples]) -> Chart {
    let points = |figure: Figure| -> Vec<Point> {
        samples
            .iter()
            .filter_map(move |found| Some(Point::new(Place::Name(found.name.clone()), &found.measured(figure)?)))
            .collect()
    };
    let rows = published().table(TABLE).map(|table| table.rows.as_slice()).unwrap_or_default();
    let printed = |column: usize| -> Vec<Point> {
        let value = move |row: &PublishedRow| {
            Some(Point::published(Place::Name(row.name.clone()), row.cells.get(column)?.value?))
        };
        rows.iter().filter_map(value).collect()
    };
    let series = |name: &str, hue: usize, origin: Origin, points: Vec<Point>| Series {
        name: name.to_owned(),
        hue,
        origin,
        points,
    };
    Chart {
        id: "messaging-reuse-cost-chart".to_owned(),
        title: "Cost of request/reply".to_owned(),
        kind: ChartKind::Dots,
        x: Axis::logarithmic("CPU microseconds"),
        y: Axis::linear(""),
        series: vec![
            series("web server, published", 1, Origin::Published, printed(0)),
            series("web server, measured", 1, Origin::Measured, points(web_us)),
            series("queue manager, published", 2, Origin::Published, printed(1)),
            series("queue manager, measured", 2, Origin::Measured, points(manager_us)),
        ],
        note: None,
    }
}
