//! (g) COBOL programs that call a remote API through the API requester: rate, response time and cost as clients are added.

mod chain;

use std::path::Path;
use std::time::Duration;

use workload::Plan;
use workload::plan::{Choices, Processes, Scenario, Span};

use self::chain::{Chain, Tools};
use super::{Experiment, Findings};
use crate::drive::{Figure, Length, Load, Run, SERVER};
use crate::error::TablesError;
use crate::outcome::{Axis, Cell, Chart, ChartKind, Origin, Place, Point, Printed, Row, Series, Table};
use crate::published::{PublishedTable, published};
use crate::session::{Samples, Session};

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'g',
    name: "requester",
    title: "API requester under 100 to 300 clients",
    about: &[
        "COBOL programs, compiled here with the members that zconbt makes, call the communication stub with a request of 16 bytes and \
         think 200 ms between calls. Answers have 1, 4 and 8 KiB of entries.",
        "The server with the API requester, the remote API (workload provider), the programs and the load driver are processes of their \
         own on this machine, over plain HTTP on loopback, nobody authenticated, as in the report.",
        "Everything is started in the report's order. A full run sends 200,000 requests first, has one process of the program for each \
         client, and measures intervals of one minute; a quick one shares 24 processes.",
    ],
    tables: &[TPS, STUB],
    charts: &[RESPONSE, COST, USAGE],
    quick_seconds: 46,
    run,
};

const TPS: &str = "api-requester-tps";
const STUB: &str = "communication-stub";
const RESPONSE: &str = "Figure 16 Client Average Response for 1K to 8K responses";
const COST: &str = "Figure 17 CPU cost per transaction for 1K to 8K responses";
const USAGE: &str = "Figure 18 CPU% usage for increasing number of clients and transaction rates";
const CLIENTS: [u32; 5] = [100, 150, 200, 250, 300];
/// Entries of an answer in bytes.
const SIZES: [(&str, usize); 3] = [("1K", 1024), ("4K", 4096), ("8K", 8192)];
const THINK_TIME: Duration = Duration::from_millis(200);
const INTERVAL: Duration = Duration::from_secs(60);
/// As long as the stub waits.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);
/// Requests before anything is measured.
const FIRST: u64 = 200_000;
const FEW_FIRST: u64 = 600;
/// Processes of the program in a quick run.
const FEW_PROCESSES: u32 = 24;
const PROVIDER: &str = "provider";
const PROGRAMS: &str = "programs";

const COMPILER: &str = "cobc";

/// The two forms of the program.
#[derive(Debug, Clone, Copy)]
enum Program {
    Calling,
    NotCalling,
}

impl Program {
    fn path(self, chain: &Chain) -> &Path {
        match self {
            Self::Calling => &chain.calling,
            Self::NotCalling => &chain.not_calling,
        }
    }

    /// What its loads are repeated for. Without calls the server only idles, and the spread of that says nothing.
    fn main_figure(self) -> Figure {
        match self {
            Self::Calling => |run| run.cpu_ms(SERVER),
            Self::NotCalling => user_ms,
        }
    }
}

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    run_compiled_by(COMPILER, session, found)
}

fn run_compiled_by(compiler: &'static str, session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    let tools = match Tools::find(session.setting().program(), compiler) {
        Ok(tools) => tools,
        // There is nothing to call with, and no reason to fail everything else.
        Err(error) => {
            found.notes.push(format!("Nothing was measured: {}", error.chain()));
            not_measured(found, &error.chain());
            return Ok(());
        }
    };
    let mut chain = Chain::start(session, tools)?;
    let most = choices(&chain, Program::Calling, CLIENTS[4], SIZES[2].1, session.is_quick())?;
    first_requests(session, most)?;
    let mut loads = Vec::new();
    for (size, bytes) in SIZES {
        for clients in CLIENTS {
            let choices = choices(&chain, Program::Calling, clients, bytes, session.is_quick())?;
            loads.push(load(&chain, Program::Calling, format!("{clients} clients, {size}"), choices)?);
        }
    }
    // The program alone, at the most clients.
    for (size, bytes) in SIZES {
        let choices = choices(&chain, Program::NotCalling, CLIENTS[4], bytes, session.is_quick())?;
        loads.push(load(&chain, Program::NotCalling, format!("not calling, {size}"), choices)?);
    }
    let samples = session.measure(&loads, 0.55);
    tabulate(found, &samples);
    chain.check()
}

/// The tables and charts of all loads, in their order.
fn tabulate(found: &mut Findings, samples: &[Samples]) {
    let (calling, not_calling) = samples.split_at(SIZES.len() * CLIENTS.len());
    let rows: Vec<(&str, &[Samples])> = SIZES.iter().map(|size| size.0).zip(calling.chunks(CLIENTS.len())).collect();
    found.tables.extend(published().table(TPS).map(|printed| rates(printed, &rows)));
    let figure = |id, title, unit, of, counts| figures(id, title, unit, &rows, of, counts);
    found.tables.push(figure("requester-response", RESPONSE, "milliseconds", Run::mean_ms, &[]));
    found.tables.push(figure("requester-cost", COST, "CPU milliseconds", |run| run.cpu_ms(SERVER), SERVER_COUNTS));
    found.tables.push(figure(
        "requester-usage",
        USAGE,
        "% of one processor, server",
        |run| run.cpu_percent(SERVER),
        SERVER_COUNTS,
    ));
    found.tables.push(figure(
        "requester-usage-all",
        "CPU of all processes together",
        "% of one processor",
        all_percent,
        ALL_COUNTS,
    ));
    found.tables.push(figure(
        "requester-parts",
        "CPU of the programs that call",
        "CPU milliseconds a call",
        |run| run.cpu_ms(PROGRAMS),
        PROGRAM_COUNTS,
    ));
    found.tables.extend(published().table(STUB).map(|printed| stub(printed, &rows, not_calling)));
    found.charts.push(chart("requester-response-chart", RESPONSE, "milliseconds", &rows, Run::mean_ms));
    found.charts.push(chart("requester-cost-chart", COST, "CPU milliseconds", &rows, |run| run.cpu_ms(SERVER)));
    found
        .charts
        .push(chart("requester-usage-chart", USAGE, "% of one processor", &rows, |run| run.cpu_percent(SERVER)));
}

const SERVER_COUNTS: &[&str] = &["server, the whole process"];
const PROGRAM_COUNTS: &[&str] = &["the COBOL programs with the stub, all their processes"];
const ALL_COUNTS: &[&str] = &["server, remote API, COBOL programs and load driver"];

fn choices(chain: &Chain, program: Program, clients: u32, bytes: usize, quick: bool) -> Result<Choices, TablesError> {
    Ok(Choices {
        scenario: Some(Scenario::Requester),
        // Gives the program its settings and becomes it.
        program: Some("env".into()),
        program_arguments: Some(chain.arguments(program.path(chain))?),
        clients: Some(clients),
        threads: Some(1),
        think_time: Some(Span(THINK_TIME)),
        response_size: Some(bytes),
        processes: quick.then_some(Processes::Count(FEW_PROCESSES)),
        // Everybody has thought once.
        warmup: Some(Span(THINK_TIME * 2)),
        duration: (!quick).then_some(Span(INTERVAL)),
        timeout: Some(Span(ANSWER_LIMIT)),
        pid: [(SERVER.to_owned(), chain.server.pid()), (PROVIDER.to_owned(), chain.provider.pid())].into(),
        ..Choices::default()
    })
}

fn first_requests(session: &Session, choices: Choices) -> Result<(), TablesError> {
    session.tell("sending the first requests");
    let count = if session.is_quick() { FEW_FIRST } else { FIRST };
    let choices = Choices { requests: Some(count), duration: None, warmup: Some(Span(Duration::ZERO)), ..choices };
    let mut plan = Plan::new(choices)?;
    plan.quiet = true;
    workload::run(&plan)?;
    Ok(())
}

fn load(chain: &Chain, program: Program, name: String, choices: Choices) -> Result<Load, TablesError> {
    let data = chain.server.data().display().to_string();
    let port = chain.server.http_url()?.rsplit(':').next().unwrap_or_default().to_owned();
    let folder = chain.calling.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    Ok(Load::new(name, choices)
        .lasting(Length::Time)
        .judged_by(program.main_figure())
        .showing(data, "$DATA")
        .showing(folder, "$WORK")
        .showing(format!("BAQPORT={port}"), "BAQPORT=$HTTP_PORT")
        .showing(format!("{SERVER}={}", chain.server.pid()), format!("{SERVER}=$PID"))
        .showing(format!("{PROVIDER}={}", chain.provider.pid()), format!("{PROVIDER}=$PROVIDER_PID")))
}

/// User time of the programs for one call.
#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 transactions")]
fn user_ms(run: &Run) -> Option<f64> {
    Some(run.report.process(PROGRAMS)?.user_ms / run.report.transactions as f64)
}

fn all_percent(run: &Run) -> Option<f64> {
    Some(run.report.processes.iter().map(|process| process.cpu_percent).sum())
}

fn columns() -> Vec<String> {
    CLIENTS.iter().map(|clients| format!("{clients} clients")).collect()
}

fn rates(printed: &PublishedTable, rows: &[(&str, &[Samples])]) -> Table {
    let mut table = Table::like(printed, "Transactions per second");
    let unit = printed.unit.clone().unwrap_or_default();
    let cells = printed.rows.first().map(|row| row.cells.as_slice()).unwrap_or_default();
    for (size, samples) in rows {
        let beside = samples.iter().zip(cells).map(|(found, cell)| found.cell(Run::rate).beside(Printed::of(cell)));
        table.rows.push(Row::new(format!("TPS, {size} responses"), unit.clone(), beside.collect()));
    }
    table
}

fn figures(id: &str, title: &str, unit: &str, rows: &[(&str, &[Samples])], figure: Figure, counts: &[&str]) -> Table {
    let mut table = Table::ours(id, title, &[]);
    table.columns = columns();
    let chart = published().charts_without_numbers.iter().find(|chart| chart.title == title);
    table.source = chart.map(|chart| format!("{}, {}", published().document_title(&chart.document), chart.title));
    for (size, samples) in rows {
        let cell = |found: &Samples| {
            let cell = found.cell(figure).counting(counts);
            if chart.is_some() { cell.beside(Printed::chart_only()) } else { cell }
        };
        table.rows.push(Row::new(format!("{size} responses"), unit, samples.iter().map(cell).collect()));
    }
    table
}

/// Figure 20: user time of the program at the most clients, calling and not calling.
fn stub(printed: &PublishedTable, rows: &[(&str, &[Samples])], not_calling: &[Samples]) -> Table {
    let mut table = Table::like(printed, "User CPU of the calling program at 300 clients");
    let unit = printed.unit.clone().unwrap_or_default();
    let calling: Vec<&Samples> = rows.iter().filter_map(|(_, samples)| samples.last()).collect();
    let not_calling: Vec<&Samples> = not_calling.iter().collect();
    for (row, samples) in printed.rows.iter().zip([&calling, &not_calling]) {
        let cells = samples.iter().zip(&row.cells);
        let cells = cells.map(|(found, cell)| found.cell(user_ms).counting(PROGRAM_COUNTS).beside(Printed::of(cell)));
        table.rows.push(Row::new(&row.name, unit.clone(), cells.collect()).noting(row.note.clone()));
    }
    let difference = |(with, without): (&&Samples, &&Samples)| {
        with.cell_with(without, |with, without| Some(user_ms(with)? - user_ms(without)?)).counting(PROGRAM_COUNTS)
    };
    let computed = published().derived("stub cost, ms user CPU");
    let beside = |(cell, (size, _)): (Cell, &(&str, usize))| {
        let value = computed.and_then(|it| it.values.as_ref()?.get(*size).copied());
        match value {
            Some(value) => cell.beside(Printed { text: format!("{value}, computed"), value: Some(value) }),
            None => cell,
        }
    };
    let cells = calling.iter().zip(&not_calling).map(difference).zip(&SIZES).map(beside).collect();
    table.rows.push(Row::new("What the stub costs: the difference", unit, cells));
    table.notes.push(
        "A program is a process here where the report has a transaction; its user time is the kernel's. The one that does not call \
         fills in the answer that it would have had."
            .to_owned(),
    );
    table
}

fn chart(id: &str, title: &str, unit: &str, rows: &[(&str, &[Samples])], figure: Figure) -> Chart {
    let line = |(place, (size, samples)): (usize, &(&str, &[Samples]))| {
        let point = |(clients, found): (u32, &Samples)| {
            Some(Point::new(Place::Number(f64::from(clients)), &found.measured(figure)?))
        };
        let points = CLIENTS.into_iter().zip(*samples).filter_map(point).collect();
        Series { name: format!("{size} responses"), hue: place + 1, origin: Origin::Measured, points }
    };
    Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        kind: ChartKind::Lines,
        x: Axis::linear("clients"),
        y: Axis::linear(unit),
        series: rows.iter().enumerate().map(line).collect(),
        note: Some("Of the published chart only the picture exists.".to_owned()),
    }
}

/// The published tables, with the reason in each cell.
fn not_measured(found: &mut Findings, reason: &str) {
    for printed in [TPS, STUB].iter().filter_map(|id| published().table(id)) {
        let mut table = Table::like(printed, &printed.pointer);
        for row in &printed.rows {
            let cells = row.cells.iter().map(|cell| Cell::missing(reason).beside(Printed::of(cell))).collect();
            table.rows.push(Row::new(&row.name, printed.unit_of(row), cells));
        }
        found.tables.push(table);
    }
}

#[cfg(test)]
mod tests;
