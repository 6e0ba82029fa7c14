//! (d) What a request costs as the number of users grows.

use super::administration::{INSTALLATION, LTPA_KEPT, QMGR, WHOLE, cpu, define_queues, queues};
use super::{Experiment, Findings};
use crate::drive::{Figure, Length, Load, Run};
use crate::error::TablesError;
use crate::outcome::{Axis, Cell, Chart, ChartKind, Origin, Place, Point, Printed, Row, Series, Table};
use crate::published::published;
use crate::session::{Samples, Session};
use crate::setting::server::{Server, ServerPlan};

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'd',
    name: "users",
    title: "Whether the number of users changes the cost of a request",
    about: &[
        "Users log in once, each over a kept TLS connection of its own with its own LTPA token, and send one request after another \
         without a pause. The queue resource returns 500 queues with all attributes.",
        "Where several resources are named, a transaction is one request to each, and its cost is that of all of them. A point is \
         the average of an exact number of transactions, each counted from its beginning to its end: more than the 1000 of the \
         document in a full run, and at least two a user in a quick one.",
    ],
    tables: &[],
    charts: &[CHART],
    quick_seconds: 38,
    run,
};

const CHART: &str = "REST API cost as user numbers increase";
const QUEUES: usize = 500;
const USERS: [u32; 7] = [1, 5, 10, 20, 50, 100, 500];
/// Transactions of a point at least, in a full and in a quick run: with 500 queues in the answer, and without.
const LISTS: (u64, u64) = (2000, 100);
const SMALL: (u64, u64) = (20_000, 1000);
/// Users of the published chart.
const PUBLISHED_USERS: u32 = 50;

fn transactions() -> [(&'static str, Vec<String>); 5] {
    let (installation, qmgr) = (INSTALLATION.to_owned(), QMGR.to_owned());
    let queue = queues("QM1", "&attributes=*");
    [
        ("installation", vec![installation.clone()]),
        ("qmgr", vec![qmgr.clone()]),
        ("queue", vec![queue.clone()]),
        ("installation and qmgr", vec![installation.clone(), qmgr.clone()]),
        ("installation, qmgr and queue", vec![installation, qmgr, queue]),
    ]
}

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    session.tell("starting a server");
    let mut server = session
        .setting()
        .server(&ServerPlan::named("server").keeping_nothing().running("QM1", define_queues(QUEUES)))?;
    let transactions = transactions();
    let mut loads = Vec::new();
    for (name, paths) in &transactions {
        for users in USERS {
            loads.push(load(&server, name, paths, users)?);
        }
    }
    let samples = session.measure(&loads, 0.8);
    let rows: Vec<(&str, &[Samples])> =
        transactions.iter().map(|(name, _)| *name).zip(samples.chunks(USERS.len())).collect();
    found.tables.push(costs(&rows));
    found.tables.push(growth(&rows));
    found.tables.push(figures("users-round-trip", "Round trip of a transaction", "milliseconds", &rows, Run::mean_ms));
    found.tables.push(figures(
        "users-rate",
        "Transactions a second, all users together",
        "per second",
        &rows,
        Run::rate,
    ));
    found.charts.push(chart(&rows));
    server.check()
}

/// An exact number, so that every transaction that costs something is one that counts: within a length of time hundreds of
/// users would leave as many half done at its end.
fn length(lists_queues: bool, users: u32) -> Length {
    let (full, quick) = if lists_queues { LISTS } else { SMALL };
    let users = u64::from(users);
    Length::Requests { full: full.max(4 * users), quick: quick.max(2 * users) }
}

fn load(server: &Server, name: &str, paths: &[String], users: u32) -> Result<Load, TablesError> {
    let lists_queues = paths.iter().any(|path| path.contains("/queue?"));
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut choices = LTPA_KEPT.choices(&paths);
    choices.clients = Some(users);
    let load = Load::on(server, format!("{name}, {users} users"), choices)?;
    // As if each user had asked once before measuring begins.
    Ok(load.lasting(length(lists_queues, users)).warmed_up_by(u64::from(users)))
}

fn columns() -> Vec<String> {
    USERS.iter().map(|users| if *users == 1 { "1 user".to_owned() } else { format!("{users} users") }).collect()
}

fn figures(id: &str, title: &str, unit: &str, rows: &[(&str, &[Samples])], figure: Figure) -> Table {
    let mut table = Table::ours(id, title, &[]);
    table.columns = columns();
    for (name, samples) in rows {
        let cells = samples.iter().map(|samples| samples.cell(figure)).collect();
        table.rows.push(Row::new(*name, unit, cells));
    }
    table
}

fn costs(rows: &[(&str, &[Samples])]) -> Table {
    let mut table = figures("users-cost", "Server CPU of a transaction", "CPU milliseconds", rows, cpu);
    let beside = |(cell, users): (Cell, u32)| match users <= PUBLISHED_USERS {
        true => cell.counting(WHOLE).beside(Printed::chart_only()),
        false => cell.counting(WHOLE),
    };
    for row in &mut table.rows {
        row.cells = std::mem::take(&mut row.cells).into_iter().zip(USERS).map(beside).collect();
    }
    let document = published().charts_without_numbers.iter().find(|chart| chart.title == CHART);
    table.source =
        document.map(|chart| format!("{}, chart '{}'", published().document_title(&chart.document), chart.title));
    table.caveats.extend(published().statement("d", "up to 50 users").map(|it| it.text.clone()));
    table
}

/// Cost at each number of users beside that of one.
fn growth(rows: &[(&str, &[Samples])]) -> Table {
    let mut table = Table::ours("users-growth", "Cost beside that of one user", &[]);
    table.columns = columns()[1..].to_vec();
    for (name, samples) in rows {
        let one = &samples[0];
        let ratio = |many: &Samples| many.cell_with(one, |many, one| Some(cpu(many)? / cpu(one)?));
        table.rows.push(Row::new(*name, "times the cost at 1 user", samples[1..].iter().map(ratio).collect()));
    }
    table
}

fn chart(rows: &[(&str, &[Samples])]) -> Chart {
    let line = |(place, (name, samples)): (usize, &(&str, &[Samples]))| {
        let point = |(users, samples): (u32, &Samples)| {
            Some(Point::new(Place::Number(f64::from(users)), &samples.measured(cpu)?))
        };
        let points = USERS.into_iter().zip(*samples).filter_map(point).collect();
        Series { name: (*name).to_owned(), hue: place + 1, origin: Origin::Measured, points }
    };
    Chart {
        id: "users-chart".to_owned(),
        title: CHART.to_owned(),
        kind: ChartKind::Lines,
        x: Axis::logarithmic("users"),
        y: Axis::logarithmic("CPU milliseconds per transaction"),
        series: rows.iter().enumerate().map(line).collect(),
        note: Some(
            "Of the published chart only the picture exists, for up to 50 users. Both axes are logarithmic.".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_a_thousand_transactions_or_more_and_a_few_of_each_user() {
        for lists_queues in [false, true] {
            for users in USERS {
                let Length::Requests { full, quick } = length(lists_queues, users) else { panic!("an exact number") };
                let users = u64::from(users);
                assert!(full >= 1000 && full >= 4 * users && quick >= 2 * users, "{users}: {full} and {quick}");
            }
        }
    }
}
