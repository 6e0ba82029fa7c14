//! (e) An MQ client, a two-way service and the messaging REST API compared: request and reply of ten users and more.

pub(super) mod pair;
pub(super) mod service;

use std::path::PathBuf;
use std::time::Duration;

use workload::plan::{Choices, Frequency, Login, Processes, Scenario, Span};

use self::pair::{MANAGER, Pair, REPLY_BYTES, RESPONDER, TLS_CHANNEL, WEB};
use super::{Experiment, Findings};
use crate::drive::{Figure, Length, Load, Run};
use crate::error::TablesError;
use crate::outcome::{Axis, Cell, Chart, ChartKind, Origin, Place, Point, Printed, Row, Series, Table};
use crate::published::{Statement, published};
use crate::session::{Samples, Session};

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'e',
    name: "messaging",
    title: "MQ client, two-way service and messaging REST API compared",
    about: &[
        "A request of 48 bytes and a reply of 1 KiB, nonpersistent, without think time, 10 users unless the table says otherwise. \
         A responder, a process of its own with 200 connections, answers.",
        "The queue manager is one process; web server and services are a second one, which reaches it through a channel with the \
         connection pool's defaults; clients live in the process of the tables, or in processes of their own where a row says so.",
        "An MQ client's channel is served by the queue manager's process: its figure counts both. Every queue manager's figure has \
         the responder's get and put in it.",
    ],
    tables: &[TABLE],
    charts: &[],
    quick_seconds: 62,
    run,
};

const TABLE: &str = "messaging-configurations";
/// Of the published table's columns, in their order.
const PUBLISHED: [&str; 4] = [EVERY_OLD, SERVICE, REST_ONCE, REST_EVERY];
const EVERY: &str = "MQ client, connecting every time";
const ONCE: &str = "MQ client, connected once";
const OPEN: &str = "MQ client, connected and opened once";
const EVERY_OLD: &str = "MQ client, connecting every time, with the published cipher";
const EVERY_PLAIN: &str = "MQ client, connecting every time, without TLS";
const EVERY_SILENT: &str = "MQ client, connecting every time, start and end messages suppressed";
const SERVICE: &str = "Two-way service, a process per user";
const SERVICE_NEW: &str = "Two-way service, a new process per request";
const REST_ONCE: &str = "Messaging REST, login once, TLS reused";
const REST_EVERY: &str = "Messaging REST, login every time, TLS reused";
const REST_ONCE_NEW: &str = "Messaging REST, login once, TLS not reused";
const REST_EVERY_NEW: &str = "Messaging REST, login every time, TLS not reused";
/// Of loads with few transactions a second.
const SLOW: Length = Length::Requests { full: 1000, quick: 20 };
/// Rows that latency and scaling are shown for.
const FOLLOWED: [&str; 5] = [EVERY, OPEN, SERVICE, REST_ONCE, REST_EVERY];
const LATENCIES_MS: [u64; 2] = [10, 50];
const USERS: [u32; 4] = [20, 50, 100, 200];
/// In a quick run.
const FEW_USERS: [u32; 1] = [100];
/// Identifiers of the messages at start and end of a channel.
const SUPPRESS: &str = "SET SYSTEM EXCLMSG(X511,X512)";
/// That of the document, which is off unless configured.
const PUBLISHED_CIPHER: &str = "TLS_RSA_WITH_AES_128_CBC_SHA256";

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    let mut pair = Pair::start(session, "", &[""])?;
    service::deploy(session, &pair.webs[0])?;
    let silent = Pair::start(session, SUPPRESS, &[])?;
    let old = old(session)?;
    let configurations = configurations([&pair, &silent, &old], driver(session))?;
    let loads: Vec<Load> =
        configurations.iter().map(|(name, choices, pair)| load(pair, name, choices.clone())).collect();
    let samples = session.measure(&loads, 0.4);
    found.tables.push(comparison(&samples));
    found.tables.push(costs(&samples));
    found.tables.push(said(&samples));
    found.charts.push(cost_chart(&samples));

    let followed: Vec<&(&str, Choices, &Pair)> =
        FOLLOWED.iter().filter_map(|name| configurations.iter().find(|it| it.0 == *name)).collect();
    let users: &[u32] = if session.is_quick() { &FEW_USERS } else { &USERS };
    let mut more = Vec::new();
    for (name, choices, pair) in &followed {
        for latency in LATENCIES_MS {
            let latency = Span(Duration::from_millis(latency));
            let choices = Choices { latency: Some(latency), ..choices.clone() };
            more.push(load(pair, &format!("{name}, {} away", String::from(latency)), choices).lasting(SLOW));
        }
        for &users in users {
            let choices = Choices { clients: Some(users), ..choices.clone() };
            more.push(load(pair, &format!("{name}, {users} users"), choices));
        }
    }
    let all = session.measure(&more, 0.5);
    let near: Vec<&Samples> = followed.iter().filter_map(|it| samples.iter().find(|near| near.name == it.0)).collect();
    let rows: Vec<(&Samples, &[Samples])> =
        near.into_iter().zip(all.chunks(LATENCIES_MS.len() + users.len())).collect();
    found.tables.push(latency(
        &rows,
        "messaging-latency",
        "Round trip as the network grows",
        "milliseconds",
        Run::mean_ms,
    ));
    found.tables.push(latency(&rows, "messaging-latency-rate", "Rate as the network grows", "per second", Run::rate));
    found.tables.push(scaling(&rows, users));
    found.charts.push(scaling_chart(&rows, users));
    drop((silent, old));
    pair.check()
}

type Configuration<'a> = (&'static str, Choices, &'a Pair);

/// The program of clients that are processes, when it is not the one that runs.
fn driver(session: &Session) -> Option<PathBuf> {
    let program = session.setting().program();
    let is_this = std::env::current_exe().is_ok_and(|own| own == program);
    (!is_this).then(|| program.to_owned())
}

/// A queue manager of its own, so that no other figure has the choice between two libraries in it.
fn old(session: &Session) -> Result<Pair, TablesError> {
    let script = format!("ALTER CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH({PUBLISHED_CIPHER})");
    let configuration = format!("[tls]\nold_cipherspecs = ['{PUBLISHED_CIPHER}']\n");
    Pair::start_configured(session, &script, &configuration, &[])
}

fn configurations<'a>(
    [pair, silent, old]: [&'a Pair; 3],
    driver: Option<PathBuf>,
) -> Result<Vec<Configuration<'a>>, TablesError> {
    let connecting = |choices: Choices| Choices { connect: Some(Frequency::Every), ..choices };
    let web = pair.by_web(&pair.webs[0])?;
    let service = Choices {
        scenario: Some(Scenario::Service),
        post_path: Some(service::PATH.to_owned()),
        body: Some(service::REQUEST.to_owned()),
        queue: None,
        queue_manager: None,
        reply_queue: None,
        request_size: None,
        response_size: None,
        login: Some(Login::Basic),
        driver,
        ..web.clone()
    };
    let rest = |login, is_new: bool| Choices {
        login: Some(login),
        connection: is_new.then_some(workload::plan::Connection::New),
        tls_resumption: is_new.then_some(false),
        ..web.clone()
    };
    Ok(vec![
        (EVERY, connecting(pair.by_channel(true)?), pair),
        (ONCE, Choices { open: Some(Frequency::Every), ..pair.by_channel(true)? }, pair),
        (OPEN, pair.by_channel(true)?, pair),
        (EVERY_PLAIN, connecting(pair.by_channel(false)?), pair),
        (EVERY_SILENT, connecting(silent.by_channel(true)?), silent),
        (EVERY_OLD, Choices { cipher: Some(PUBLISHED_CIPHER.to_owned()), ..connecting(old.by_channel(true)?) }, old),
        (SERVICE, Choices { processes: Some(Processes::User), ..service.clone() }, pair),
        (SERVICE_NEW, Choices { processes: Some(Processes::Request), ..service }, pair),
        (REST_ONCE, rest(Login::Ltpa, false), pair),
        (REST_EVERY, rest(Login::Every, false), pair),
        (REST_ONCE_NEW, rest(Login::Ltpa, true), pair),
        (REST_EVERY_NEW, rest(Login::Every, true), pair),
    ])
}

fn load(pair: &Pair, name: &str, choices: Choices) -> Load {
    let length = if name == SERVICE_NEW { SLOW } else { Length::Time };
    let mut load = Load::new(name, choices).lasting(length).judged_by(door_ms);
    for (text, shown) in pair.shown() {
        load = load.showing(text, shown);
    }
    load
}

/// Of the web tier, or of the process that serves channels where there is none.
fn door_ms(run: &Run) -> Option<f64> {
    run.cpu_ms(WEB).or_else(|| run.cpu_ms(MANAGER))
}

fn find<'a>(samples: &'a [Samples], name: &str) -> Option<&'a Samples> {
    samples.iter().find(|one| one.name == name)
}

/// The published table, cell by cell.
fn comparison(samples: &[Samples]) -> Table {
    let Some(printed) = published().table(TABLE) else { return Table::default() };
    let mut table = Table::like(printed, "The published comparison");
    let figures: [Option<Figure>; 4] = [Some(Run::rate), Some(door_ms), None, Some(Run::mean_ms)];
    for (row, figure) in printed.rows.iter().zip(figures) {
        let cells = row.cells.iter().zip(PUBLISHED).map(|(published, name)| {
            let cell = match (figure, find(samples, name)) {
                (Some(figure), Some(found)) => found.cell(figure).counting(counted(name)),
                (Some(_), None) => Cell::missing("it was not run"),
                (None, _) => Cell::not_applicable("this platform has no specialty processors to offload work to"),
            };
            cell.beside(Printed::of(published))
        });
        table.rows.push(Row::new(&row.name, printed.unit_of(row), cells.collect()).noting(row.note.clone()));
    }
    table.notes.push(
        "The MQ client uses the published cipher, TLS_RSA_WITH_AES_128_CBC_SHA256, with a whole handshake and an RSA key of 2048 bits for \
         each connection. The other rows of MQ clients use TLS 1.3, or none."
            .to_owned(),
    );
    table
        .notes
        .push("The published mqweb columns do not say whether TLS was reused; measured ones reuse it.".to_owned());
    table.notes.push("Counted as there: the web server's process, or the one that serves channels; here the queue manager is part of the latter.".to_owned());
    table
}

fn counted(name: &str) -> &'static [&'static str] {
    if name.starts_with("MQ client") {
        &["queue-manager: channels, queue manager, the responder's get and put"]
    } else {
        &["web: TLS, HTTP, login, services, connection pool"]
    }
}

const DOORS: &[&str] = &["web: TLS, HTTP, login, services, connection pool"];
const MANAGERS: &[&str] = &["queue-manager: the channel to web or client, verbs, the responder's get and put"];
const RESPONDERS: &[&str] = &["responder: getting requests, putting replies"];
const CLIENTS: &[&str] = &["driver: the clients, with their processes"];

fn costs(samples: &[Samples]) -> Table {
    let columns = [
        "Rate, 1/s",
        "Round trip, ms",
        "Web, CPU ms",
        "Queue manager with channels, CPU ms",
        "Responder, CPU ms",
        "Clients, CPU ms",
    ];
    let mut table = Table::ours("messaging-costs", "Every configuration", &columns);
    for found in samples {
        let web = match found.name.starts_with("MQ client") {
            true => Cell::not_applicable("channels are served by the queue manager's process"),
            false => found.cell(|run| run.cpu_ms(WEB)).counting(DOORS),
        };
        let cells = vec![
            found.cell(Run::rate),
            found.cell(Run::mean_ms),
            web,
            found.cell(|run| run.cpu_ms(MANAGER)).counting(MANAGERS),
            found.cell(|run| run.cpu_ms(RESPONDER)).counting(RESPONDERS),
            found.cell(Run::driver_ms).counting(CLIENTS),
        ];
        table.rows.push(Row::new(&found.name, "", cells));
    }
    table.notes.push(format!(
        "A new process per request counts its start in the round trip. Replies have {REPLY_BYTES} bytes; a service's JSON is longer."
    ));
    table
}

/// A sentence of the document with a figure, and how that is measured here: of one configuration and another of the same round.
struct Said {
    name: &'static str,
    unit: &'static str,
    /// Part of the published sentence.
    part: &'static str,
    /// In the row's unit.
    printed: fn(&Statement) -> Option<f64>,
    of: (&'static str, &'static str),
    figure: fn(&Run, &Run) -> Option<f64>,
    counts: &'static [&'static str],
}

const SAID: [Said; 5] = [
    Said {
        name: "TLS, when connecting every time",
        unit: "CPU milliseconds",
        part: "0.97 of",
        printed: |it| it.value,
        of: (EVERY_OLD, EVERY_PLAIN),
        figure: |with, without| Some(door_ms(with)? - door_ms(without)?),
        counts: MANAGERS,
    },
    Said {
        name: "Connecting and opening, of an MQ client's cost",
        unit: "percent",
        part: "more than 70%",
        printed: |_| None,
        of: (EVERY, OPEN),
        figure: |every, once| Some((1.0 - door_ms(once)? / door_ms(every)?) * 100.0),
        counts: MANAGERS,
    },
    Said {
        name: "Suppressing start and end messages saves",
        unit: "CPU microseconds",
        part: "of the order of 130",
        printed: Statement::microseconds,
        of: (EVERY, EVERY_SILENT),
        figure: |with, without| Some((door_ms(with)? - door_ms(without)?) * 1e3),
        counts: MANAGERS,
    },
    Said {
        name: "Two-way service in a new process per request, round trip",
        unit: "milliseconds",
        part: "a separate process for each request",
        printed: |it| it.numbers().last().copied(),
        of: (SERVICE_NEW, SERVICE_NEW),
        figure: |new, _| new.mean_ms(),
        counts: &[],
    },
    Said {
        name: "Messaging REST, login once, over a two-way service",
        unit: "times the CPU of the web server",
        part: "effect of 3 times",
        printed: |it| it.numbers().first().copied(),
        of: (REST_ONCE, SERVICE),
        figure: |rest, service| Some(door_ms(rest)? / door_ms(service)?),
        counts: DOORS,
    },
];

/// What the text says beside the table.
fn said(samples: &[Samples]) -> Table {
    let mut table = Table::ours("messaging-said", "What the text says", &["figure"]);
    for one in &SAID {
        let cell = match (find(samples, one.of.0), find(samples, one.of.1)) {
            (Some(first), Some(second)) => first.cell_with(second, one.figure).counting(one.counts),
            _ => Cell::missing("it was not run"),
        };
        let statement = published().statement("e", one.part);
        let cell = match statement {
            Some(it) => cell.beside(Printed { text: it.with_unit(), value: (one.printed)(it) }),
            None => cell,
        };
        table.rows.push(Row::new(one.name, one.unit, vec![cell]));
        table.caveats.extend(statement.map(|it| it.text.clone()));
        table.source = statement.map(|it| format!("{}, in the text", published().document_title(&it.document)));
    }
    table.notes.push("Differences and ratios are of the same round.".to_owned());
    table
}

fn latency(rows: &[(&Samples, &[Samples])], id: &str, title: &str, unit: &str, figure: Figure) -> Table {
    let mut table = Table::ours(id, title, &["0 ms", "10 ms", "50 ms"]);
    for (near, far) in rows {
        let cells =
            std::iter::once(near.cell(figure)).chain(far[..LATENCIES_MS.len()].iter().map(|far| far.cell(figure)));
        table.rows.push(Row::new(&near.name, unit, cells.collect()));
    }
    table.notes.push(
        "A relay passes on every byte half the round trip after it arrived; connecting costs one round trip."
            .to_owned(),
    );
    table
}

fn scaling(rows: &[(&Samples, &[Samples])], users: &[u32]) -> Table {
    let mut table = Table::ours("messaging-users", "Rate as users are added", &["10 users"]);
    table.columns.extend(users.iter().map(|users| format!("{users} users")));
    for (ten, more) in rows {
        let cells = std::iter::once(ten.cell(Run::rate))
            .chain(more[LATENCIES_MS.len()..].iter().map(|more| more.cell(Run::rate)));
        table.rows.push(Row::new(&ten.name, "per second", cells.collect()));
    }
    table
}

fn scaling_chart(rows: &[(&Samples, &[Samples])], users: &[u32]) -> Chart {
    let line = |(place, (ten, more)): (usize, &(&Samples, &[Samples]))| {
        let all = std::iter::once((10, *ten)).chain(users.iter().copied().zip(&more[LATENCIES_MS.len()..]));
        let points = all.filter_map(|(users, found)| {
            Some(Point::new(Place::Number(f64::from(users)), &found.measured(Run::rate)?))
        });
        Series { name: ten.name.clone(), hue: place + 1, origin: Origin::Measured, points: points.collect() }
    };
    Chart {
        id: "messaging-users-chart".to_owned(),
        title: "Rate as users are added".to_owned(),
        kind: ChartKind::Lines,
        x: Axis::logarithmic("users"),
        y: Axis::logarithmic("transactions a second"),
        series: rows.iter().enumerate().map(line).collect(),
        note: Some("Both axes are logarithmic.".to_owned()),
    }
}

fn cost_chart(samples: &[Samples]) -> Chart {
    let point = |found: &Samples| Some(Point::new(Place::Name(found.name.clone()), &found.measured(door_ms)?));
    let printed = published().table(TABLE).and_then(|table| table.row("Cost"));
    let cells = printed.map(|row| row.cells.as_slice()).unwrap_or_default();
    let published = cells
        .iter()
        .zip(PUBLISHED)
        .filter_map(|(cell, name)| Some(Point::published(Place::Name(name.to_owned()), cell.value?)));
    Chart {
        id: "messaging-cost-chart".to_owned(),
        title: "CPU of a request and its reply: web server, or channels with queue manager".to_owned(),
        kind: ChartKind::Dots,
        x: Axis::logarithmic("CPU milliseconds"),
        y: Axis::linear(""),
        series: vec![
            Series { name: "published".to_owned(), hue: 0, origin: Origin::Published, points: published.collect() },
            Series {
                name: "measured".to_owned(),
                hue: 1,
                origin: Origin::Measured,
                points: samples.iter().filter_map(point).collect(),
            },
        ],
        note: None,
    }
}
