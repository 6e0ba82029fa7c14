//! (c) What changing one attribute of a queue costs beside asking for the queue, with a token and with Basic and its login for a
//! CSRF token.

use workload::plan::{Choices, Csrf};

use super::administration::{
    BASIC_KEPT, BASIC_NEW, COMMANDS, LTPA_KEPT, LTPA_NEW, PREFIX, QMGR, WEB, WHOLE, Way, cpu, define_queues, web,
};
use super::{Experiment, Findings};
use crate::drive::{Length, Load, Run};
use crate::error::TablesError;
use crate::outcome::{Axis, Cell, Chart, ChartKind, Origin, Place, Point, Printed, Row, Series, Table};
use crate::published::{Statement, published};
use crate::session::{Samples, Session};
use crate::setting::server::{Server, ServerPlan};

pub(super) const EXPERIMENT: Experiment = Experiment {
    letter: 'c',
    name: "updates",
    title: "What an update costs beside a GET of the queue",
    about: &[
        "One client asks for one queue, or changes its maximum depth (another value each time, durable before it is answered), over TLS.",
        "With Basic each change is preceded by a login GET, whose answer sets the cookie csrfToken; its value goes into the header \
         ibm-mq-rest-csrf-token of the change. With an LTPA token that was done once.",
    ],
    tables: &[],
    charts: &[],
    quick_seconds: 14,
    run,
};

/// What a client does, and how it comes.
struct Step {
    name: &'static str,
    way: Way,
    /// Where a change has its CSRF token from; none is a GET.
    change: Option<Csrf>,
}

/// The GET that the others are compared with is the first of its kind of connection.
const STEPS: [Step; 6] = [
    Step { name: "GET, LTPA", way: LTPA_KEPT, change: None },
    Step { name: "PATCH, LTPA", way: LTPA_KEPT, change: Some(Csrf::Once) },
    Step { name: "Login GET and PATCH, Basic", way: BASIC_KEPT, change: Some(Csrf::Every) },
    Step { name: "GET, LTPA", way: LTPA_NEW, change: None },
    Step { name: "PATCH, LTPA", way: LTPA_NEW, change: Some(Csrf::Once) },
    Step { name: "Login GET and PATCH, Basic", way: BASIC_NEW, change: Some(Csrf::Every) },
];
/// Steps with one kind of connection.
const GROUP: usize = 3;

fn run(session: &mut Session, found: &mut Findings) -> Result<(), TablesError> {
    session.tell("starting a server");
    let mut server = session.setting().server(&ServerPlan::named("server").running("QM1", define_queues(10)))?;
    let loads = STEPS.iter().map(|step| load(&server, step)).collect::<Result<Vec<_>, _>>()?;
    let samples = session.measure(&loads, 0.85);
    found.tables.push(costs(&samples));
    found.charts.push(chart(&samples));
    server.check()
}

/// Paths of 9.0.2 for changes: on them the CSRF token is compared with the cookie.
fn load(server: &Server, step: &Step) -> Result<Load, TablesError> {
    let queue = format!("QM1/queue/{PREFIX}00001");
    let shown = format!("{QMGR}/{queue}?attributes=*");
    let choices = match step.change {
        None => step.way.choices(&[&shown]),
        Some(csrf) => Choices {
            paths: None,
            patch_path: Some(format!("{}/{queue}", OLD_QMGR)),
            patch_body: Some("{\"storage\":{\"maximumDepth\":{n}}}".to_owned()),
            csrf: Some(csrf),
            ..step.way.choices(&[])
        },
    };
    let length = if step.way.is_new() { Length::Requests { full: 1000, quick: 150 } } else { Length::Time };
    Ok(Load::on(server, format!("{}, {}", step.name, step.way.connection_name()), choices)?.lasting(length))
}

/// A change is durable before it is answered.
const WEB_AND_LOG: &[&str] = &["server: TLS, HTTP, login, and writing and syncing the recovery log"];
const OLD_QMGR: &str = "/ibmmq/rest/v1/qmgr";

fn printed(part: &str) -> Option<Printed> {
    published().statement("c", part).map(Printed::of_statement)
}

fn costs(samples: &[Samples]) -> Table {
    let columns = ["Server CPU, ms", "of it commands, ms", "of it all else, ms", "Ratio to the GET", "Round trip, ms"];
    let mut table = Table::ours("updates-cost", "Cost of an update", &columns);
    for (place, (step, found)) in STEPS.iter().zip(samples).enumerate() {
        let get = &samples[place / GROUP * GROUP];
        let mut cost = found.cell(cpu).counting(WHOLE);
        let ratio = found.cell_with(get, |one, get| Some(cpu(one)? / cpu(get)?));
        let mut ratio = if place % GROUP == 0 {
            Cell::not_applicable("this is the GET that the others are compared with")
        } else {
            ratio
        };
        if !step.way.is_new() {
            // One statement is of the GET and of the PATCH with a token, the other of the one with Basic.
            (cost, ratio) = match step.change {
                None => (with(cost, TOKEN), ratio),
                Some(Csrf::Every) => (cost, with(ratio, BASIC)),
                Some(_) => (with(cost, TOKEN), with_text(ratio, "about the same")),
            };
        }
        let cells = vec![
            cost,
            found.cell(|run| run.command_ms).counting(COMMANDS),
            found.cell(web).counting(if step.change.is_some() { WEB_AND_LOG } else { WEB }),
            ratio,
            found.cell(Run::mean_ms),
        ];
        table.rows.push(Row::new(format!("{}, {}", step.name, step.way.connection_name()), "", cells));
    }
    let said: Vec<&Statement> = [TOKEN, BASIC].iter().filter_map(|part| published().statement("c", part)).collect();
    table.source = said.first().map(|it| format!("{}, in the text", published().document_title(&it.document)));
    table.caveats.extend(said.iter().map(|it| it.text.clone()));
    table.notes.push("A ratio is of the same round, over the same kind of connection.".to_owned());
    table
}

/// Parts of the published statements.
const TOKEN: &str = "with an LTPA token";
const BASIC: &str = "with basic authentication";

fn with(cell: Cell, part: &str) -> Cell {
    match printed(part) {
        Some(printed) => cell.beside(printed),
        None => cell,
    }
}

fn with_text(cell: Cell, text: &str) -> Cell {
    cell.beside(Printed { text: text.to_owned(), value: None })
}

fn chart(samples: &[Samples]) -> Chart {
    let connection = |name: &str, hue: usize, from: usize| {
        let point =
            |place: usize| Some(Point::new(Place::Name(STEPS[place].name.to_owned()), &samples[place].measured(cpu)?));
        let points = (from..from + GROUP).filter_map(point).collect();
        Series { name: name.to_owned(), hue, origin: Origin::Measured, points }
    };
    let statement = published().statement("c", TOKEN);
    let middle = statement.and_then(|it| Some(f64::midpoint(it.low?, it.high?)));
    let names = STEPS[..2].iter().map(|step| Place::Name(step.name.to_owned()));
    let name = statement.map_or_else(String::new, |it| {
        let unit = it.unit.as_deref().unwrap_or_default();
        format!("published: {} {unit}, drawn in the middle", it.printed.text())
    });
    let points = middle.map(|middle| names.map(|name| Point::published(name, middle)).collect()).unwrap_or_default();
    Chart {
        id: "updates-chart".to_owned(),
        title: "Server CPU of an update".to_owned(),
        kind: ChartKind::Dots,
        x: Axis::logarithmic("CPU milliseconds"),
        y: Axis::linear(""),
        series: vec![
            Series { name, hue: 0, origin: Origin::Published, points },
            connection("kept connection", 1, 0),
            connection("new connections", 2, GROUP),
        ],
        note: None,
    }
}
