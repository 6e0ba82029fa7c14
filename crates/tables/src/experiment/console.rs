//! (h) What the console's list of queues costs the server, in a real browser, and whether console and REST API disturb each other.

mod pages;

use workload::plan::{Choices, Scenario};

use self::pages::{Console, Exchange, Visit, Watched};
use super::administration::{LTPA_KEPT, PREFIX, WHOLE, cpu, define_queues, queues};
use super::{Experiment, Findings};
use crate::drive::{Figure, Load, Run};
use crate::error::TablesError;
use crate::outcome::{Cell, Printed, Row, Table};
use crate::published::{PublishedTable, published};
use crate::session::{Samples, Session};
use crate::setting::server::{Server, ServerPlan};

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'h',
    name: "console",
    title: "The console's list of queues in a real browser, and beside the REST API",
    about: &[
        "Chromium opens the console's list of 1000, 2000 and 3000 queues with name, type and current depth, signed in with an LTPA \
         token over TLS. It refreshes the list by the page's own action, each time when the one before is shown.",
        "Beside it one client lists the same queues by the REST API, filtered and with all data.",
        "Then one client lists 1000 queues, or puts and gets messages, by the REST API: alone, and while the console's overview and its \
         list with live values are open in two windows.",
    ],
    tables: &[COST],
    charts: &[],
    quick_seconds: 20,
    run,
};

const COST: &str = "admin-queue-cost-and-console";
const SIZES: [usize; 3] = [1000, 2000, 3000];
const CONSOLE_ROW: &str = "MQ Console";
/// Rows of the REST API: their published names, and what is asked for.
const LISTS: [(&str, &str); 2] =
    [("REST API (filtered data)", "&status=status.currentDepth"), ("REST API (full data)", "&attributes=*&status=*")];
/// Refreshes of one visit.
const REFRESHES: u32 = 50;
const FEW_REFRESHES: u32 = 6;
/// Where the loads beside the console go.
const BUSY: usize = SIZES[0];
/// Parts of the experiment's time: lists by the REST API, the console, both together.
const PARTS: [f64; 3] = [0.25, 0.3, 0.3];

fn manager(size: usize) -> String {
    format!("Q{size}")
}

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    session.tell("defining queues");
    let mut plan = ServerPlan::named("server").keeping_nothing().hosting(SIZES.map(manager).to_vec());
    for size in SIZES {
        plan = plan.running(&manager(size), define_queues(size));
    }
    let mut server = session.setting().server(&plan.running(&manager(BUSY), authority()))?;
    let mut console = console(session, found, &server)?;
    let listed = session.measure(&lists(&server)?, PARTS[0]);
    let visits = visits(session, &mut console);
    let beside = beside(session, &server, &mut console)?;
    // The browser ends before its server.
    drop(console);
    if let Some(printed) = published().table(COST) {
        found.tables.push(costs(printed, &visits, &listed));
    }
    found.tables.push(refreshes(&visits));
    found.tables.push(openings(&visits));
    found.tables.push(together(&beside));
    server.check()
}

/// User `app` may put and get messages.
fn authority() -> String {
    format!(
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT, INQ)\n\
         SET AUTHREC PROFILE({PREFIX}**) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT, GET, BROWSE, INQ)\n"
    )
}

/// The console in a browser, or why there is none: that is no reason to fail everything else.
fn console(session: &Session, found: &mut Findings, server: &Server) -> Result<Result<Console, String>, TablesError> {
    session.tell("starting a browser");
    match session.setting().browser_program() {
        Ok(program) => {
            found.notes.push(format!("Browser: {}.", program.version));
            Console::start(session.setting(), &program, server).map(Ok)
        }
        Err(error) => {
            let reason = error.chain();
            found.notes.push(format!("The console was not measured: {reason}"));
            Ok(Err(reason))
        }
    }
}

fn opened(console: &mut Result<Console, String>) -> Result<&mut Console, TablesError> {
    console.as_mut().map_err(|reason| TablesError::Unexpected { what: reason.clone() })
}

/// The same queues by the REST API, in the order of `LISTS` and `SIZES`.
fn lists(server: &Server) -> Result<Vec<Load>, TablesError> {
    let mut loads = Vec::new();
    for (name, rest) in LISTS {
        for size in SIZES {
            let choices = LTPA_KEPT.choices(&[&queues(&manager(size), rest)]);
            loads.push(Load::on(server, format!("{name}, {size} queues"), choices)?);
        }
    }
    Ok(loads)
}

fn visits(session: &mut Session, console: &mut Result<Console, String>) -> Vec<Samples<Visit>> {
    let refreshes = if session.is_quick() { FEW_REFRESHES } else { REFRESHES };
    let points = SIZES.map(|size| Samples::new(format!("{CONSOLE_ROW}, {size} queues"))).to_vec();
    session.rounds(
        points,
        PARTS[1],
        |_, visit: &Visit| visit.refresh_ms(),
        |place| opened(console)?.visit(&manager(SIZES[place]), refreshes),
    )
}

/// Loads, each alone and then with the console open.
fn beside(
    session: &mut Session,
    server: &Server,
    console: &mut Result<Console, String>,
) -> Result<Vec<Samples<Watched>>, TablesError> {
    let manager = manager(BUSY);
    let list = || LTPA_KEPT.choices(&[&queues(&manager, LISTS[0].1)]);
    let messages = || Choices {
        scenario: Some(Scenario::PutGet),
        clients: Some(1),
        user: Some("app".to_owned()),
        queue_manager: Some(manager.clone()),
        queue: Some(format!("{PREFIX}00000")),
        ..Choices::default()
    };
    let loads = [
        Load::on(server, "listing, alone", list())?,
        Load::on(server, "messaging, alone", messages())?,
        Load::on(server, "listing, console open", list())?,
        Load::on(server, "messaging, console open", messages())?,
    ];
    Ok(session.measure_with(&loads, PARTS[2], |place, run| {
        let is_alone = place < LOADS.len();
        if is_alone && console.is_err() {
            // Without a browser there is nothing to close.
            return Ok(Watched { run: run()?, live_events: None });
        }
        opened(console)?.beside((!is_alone).then_some(manager.as_str()), run)
    }))
}

/// Of `beside`: what each load is, and its rate's unit.
const LOADS: [(&str, &str); 2] =
    [("Filtered list of 1000 queues", "requests per second"), ("Put and get of a message", "messages per second")];

impl Visit {
    /// Of the server, for one refresh.
    fn refresh_ms(&self) -> Option<f64> {
        Some(self.refreshing.cpu_ms() / f64::from(self.refreshes))
    }

    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 bytes")]
    fn per_refresh(&self, all: u64) -> Option<f64> {
        Some(all as f64 / f64::from(self.refreshes))
    }
}

impl Exchange {
    fn cpu_ms(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e3
    }
}

/// The published table: the console, and the REST API with the same queues.
fn costs(printed: &PublishedTable, visits: &[Samples<Visit>], listed: &[Samples]) -> Table {
    let mut table = Table::like(printed, "Server CPU of the console and of the REST API");
    let mut rows = vec![(CONSOLE_ROW, visits.iter().map(|visit| visit.cell(Visit::refresh_ms)).collect::<Vec<_>>())];
    for ((name, _), found) in LISTS.iter().zip(listed.chunks(SIZES.len())) {
        rows.push((*name, found.iter().map(|samples| samples.cell(cpu)).collect()));
    }
    for (name, cells) in rows {
        let Some(row) = printed.row(name) else { continue };
        let beside = |(cell, published)| Cell::beside(cell, Printed::of(published)).counting(WHOLE);
        let cells = cells.into_iter().zip(&row.cells).map(beside).collect();
        table.rows.push(Row::new(name, printed.unit_of(row), cells));
    }
    table.notes.push(
        "MQ Console: one refresh. The page asks for the rows of its first page, and the server filters, counts and orders all queues \
         for it; the published widget gets all of them. The REST API answers with all queues."
            .to_owned(),
    );
    table
}

fn sized(id: &str, title: &str) -> Table {
    let columns = SIZES.map(|size| size.to_string());
    Table {
        column_meaning: Some("number of queues".to_owned()),
        ..Table::ours(id, title, &columns.each_ref().map(String::as_str))
    }
}

fn visit_row(name: &str, unit: &str, visits: &[Samples<Visit>], figure: impl Fn(&Visit) -> Option<f64> + Copy) -> Row {
    Row::new(name, unit, visits.iter().map(|visit| visit.cell(figure)).collect())
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 requests, bytes and rows")]
fn refreshes(visits: &[Samples<Visit>]) -> Table {
    let mut table = sized("console-refresh", "What a refresh of the console asks for");
    let row = |name: &str, unit: &str, figure: fn(&Visit) -> Option<f64>| visit_row(name, unit, visits, figure);
    table.rows = vec![
        row("Requests", "requests per refresh", |visit| {
            visit.per_refresh(visit.refreshing.traffic.requests.len() as u64)
        }),
        row("Bytes on the network", "bytes per refresh", |visit| {
            visit.per_refresh(visit.refreshing.traffic.wire_bytes())
        }),
        row("JSON", "bytes per refresh", |visit| visit.per_refresh(visit.refreshing.traffic.body_bytes())),
        row("Rows in the answer", "rows", |visit| Some(visit.rows as f64)),
        row("Queues that fit, counted by the server", "queues", |visit| Some(visit.total as f64)),
        row("From request to last byte, in the browser", "milliseconds per request", request_ms),
    ];
    table.notes.extend(asked("A refresh asks for", visits, |visit| &visit.refreshing));
    table
        .notes
        .push("Bytes on the network are those of HTTP: heads, and bodies as they travel, without TLS.".to_owned());
    table
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 requests and bytes")]
fn openings(visits: &[Samples<Visit>]) -> Table {
    let mut table = sized("console-opening", "Opening the console at its list of queues");
    let row = |name: &str, unit: &str, figure: fn(&Visit) -> Option<f64>| visit_row(name, unit, visits, figure);
    let mut cost = row("Server CPU", "CPU milliseconds", |visit| Some(visit.opening.cpu_ms()));
    cost.cells = cost.cells.into_iter().map(|cell| cell.counting(WHOLE)).collect();
    table.rows = vec![
        cost,
        row("Requests", "requests", |visit| Some(visit.opening.traffic.requests.len() as f64)),
        row("Bytes on the network", "bytes", |visit| Some(visit.opening.traffic.wire_bytes() as f64)),
    ];
    table.notes.push("The browser has no file of the console; the program of the page is fetched, too.".to_owned());
    table
}

/// Mean of all requests of the refreshes.
#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 requests")]
fn request_ms(visit: &Visit) -> Option<f64> {
    let times: Vec<f64> = visit.refreshing.traffic.requests.iter().filter_map(|request| request.milliseconds).collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// The paths in a sentence.
fn asked(begin: &str, visits: &[Samples<Visit>], exchange: impl Fn(&Visit) -> &Exchange) -> Option<String> {
    let (place, visit) = visits.iter().enumerate().find_map(|(place, samples)| Some((place, samples.runs.first()?)))?;
    let paths = exchange(visit).paths(&manager(SIZES[place]));
    Some(format!("{begin}: {}", paths.join(", ")))
}

/// Rate and cost of a load alone, and beside an open console.
fn together(beside: &[Samples<Watched>]) -> Table {
    let mut table =
        Table::ours("console-beside-rest", "REST API while the console is open", &["alone", "console open", "ratio"]);
    let (alone, open) = beside.split_at(LOADS.len());
    let of_load = |watched: &Watched, figure: Figure| figure(&watched.run);
    for ((name, unit), (alone, open)) in LOADS.iter().zip(alone.iter().zip(open)) {
        let figures: [(&str, &str, Figure, &[&str]); 2] =
            [("rate", *unit, Run::rate, &[]), ("server CPU", "CPU milliseconds", cpu, WHOLE)];
        for (what, unit, figure, counts) in figures {
            let ratio = |with: &Watched, without: &Watched| Some(of_load(with, figure)? / of_load(without, figure)?);
            let cells = [
                alone.cell(|watched| of_load(watched, figure)).counting(counts),
                open.cell(|watched| of_load(watched, figure)).counting(counts),
                open.cell_with(alone, ratio),
            ];
            table.rows.push(Row::new(format!("{name}: {what}"), unit, cells.to_vec()));
        }
        let cells = [
            Cell::not_applicable("no page is open"),
            open.cell(|watched| watched.live_events),
            Cell::not_applicable("no page is open in the other run"),
        ];
        table.rows.push(Row::new(format!("{name}: live events at the pages"), "events per second", cells.to_vec()));
    }
    table.notes.push(
        "Console open: the overview, and the list of the same queue manager with live values, in two windows. The browser shares the \
         processors of this machine with the server and the load driver, so the rate shows the browser's work, too. The server's time \
         with the console open includes what it does for the console."
            .to_owned(),
    );
    let statement = published().statement("h", "co-exist");
    table.source = statement.map(|it| format!("{}, in the text", published().document_title(&it.document)));
    table.caveats.extend(statement.map(|it| it.text.clone()));
    table
}
