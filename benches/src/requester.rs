//! API requesters: what a call of a COBOL program that becomes JSON, a call of the remote API and a record again costs the
//! server, for 100 to 300 clients that think 200 ms between calls, and answers of 1, 4 and 8 KiB.
//!
//! As in the report: a process of a pool, which has one a client, is told when to call and how much to ask for, and a response time is
//! from telling it to its line. Remote API, server, programs and driver are processes of this machine. nginx's pair of requests is measured in the
//! same rounds: it says how fast the machine is. It is measured a second time with as many clients as each load of 8 KiB has, and their
//! think time: what it does for a request never changes, so what it costs more with fewer clients is the machine's doing. Processors do not
//! halt meanwhile (`awake.rs`): waking one that has is dear, and counted as the server's.
//!
//! Source: "z/OS Connect Enterprise Edition V3.0, Performance Summary using the API Requester", 3.4 and 9 to 12 (June 2018).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use system_tests::requester::Chain;
use workload::plan::{Choices, Plan, Scenario, Span};

use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured, interleave, median};
use crate::report::{Bar, Report};
use crate::rest::{NGINX, NginxFloor, cpu_us_per_pair};

const THINK_TIME: Duration = Duration::from_millis(200);
/// Of the provider: answers up to 16 KiB.
const MOST_ENTRIES: u32 = 512;
/// Rounds for each that others have: what differs by a tenth is looked for, and single rounds differ by more.
const MORE_ROUNDS: usize = 2;
/// Processor time of a no-op pair on nginx where the bar of a call stands as it is, and that bar, in microseconds.
const INDEX_US: f64 = 36.0;
const LIMIT_US: f64 = 150.0;

/// Name, clients, bytes of the answer's entries.
type Load = (&'static str, u32, usize);

/// Those that the flatness is judged by, and the pairs of requests to nginx by as many clients.
const OF_8_KIB: [Load; 5] = [
    ("8 KiB, 100 clients", 100, 8192),
    ("8 KiB, 150 clients", 150, 8192),
    ("8 KiB, 200 clients", 200, 8192),
    ("8 KiB, 250 clients", 250, 8192),
    ("8 KiB, 300 clients", 300, 8192),
];
const NGINX_BY_AS_MANY: [&str; 5] = [
    "nginx's pair, 100 clients",
    "nginx's pair, 150 clients",
    "nginx's pair, 200 clients",
    "nginx's pair, 250 clients",
    "nginx's pair, 300 clients",
];
const SMALLER: [Load; 4] = [
    ("1 KiB, 100 clients", 100, 1024),
    ("1 KiB, 300 clients", 300, 1024),
    ("4 KiB, 100 clients", 100, 4096),
    ("4 KiB, 300 clients", 300, 4096),
];

/// What a round of a load says beside the processor time of the server.
#[derive(Debug, Clone, Copy)]
struct Other {
    p99_ms: f64,
    mean_ms: f64,
    rate: f64,
    /// Rate, through clients divided by think time plus response time.
    of_expected: f64,
    provider_us: f64,
    programs_us: f64,
    driver_us: f64,
}

type Others = RefCell<BTreeMap<&'static str, Vec<Other>>>;

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let _awake = Awake::keep();
    let nginx = NginxFloor::start(effort)?;
    let chain = Chain::start(&effort.work, MOST_ENTRIES)?;
    let program = chain.compile()?;
    let others = Others::default();
    let cell = |load: Load| -> Result<Cell<'_>> {
        let choices = choices(&chain, &program, effort, load)?;
        let others = &others;
        Ok(Cell::new(load.0, move || one(&choices, load, others)))
    };
    let mut cells = vec![Cell::new(NGINX, || nginx.cpu_us())];
    for (load, beside) in OF_8_KIB.into_iter().zip(NGINX_BY_AS_MANY) {
        cells.push(cell(load)?);
        let choices = thinking(Choices { clients: Some(load.1), ..nginx.choices.clone() }, effort);
        cells.push(Cell::new(beside, move || cpu_us_per_pair(&choices)));
    }
    let measured = interleave(effort.rounds * MORE_ROUNDS, cells)?;
    let smaller = interleave(effort.rounds, SMALLER.into_iter().map(cell).collect::<Result<_>>()?)?;
    judge(report, &measured, &smaller, &others.borrow());
    Ok(())
}

fn choices(chain: &Chain, program: &Path, effort: &Effort, (_, clients, bytes): Load) -> Result<Choices> {
    let mut arguments = chain.environment()?;
    arguments.push(program.display().to_string());
    let choices = Choices {
        scenario: Some(Scenario::Requester),
        // Gives the program its settings and becomes it.
        program: Some("env".into()),
        program_arguments: Some(arguments),
        clients: Some(clients),
        threads: Some(1),
        response_size: Some(bytes),
        pid: BTreeMap::from([("server".to_owned(), chain.server.pid()), ("provider".to_owned(), chain.provider.pid())]),
        ..Choices::default()
    };
    Ok(thinking(choices, effort))
}

/// The same with the think time, and as long as that takes.
fn thinking(choices: Choices, effort: &Effort) -> Choices {
    Choices {
        think_time: Some(Span(THINK_TIME)),
        warmup: Some(Span(effort.warmup + THINK_TIME * 2)),
        duration: Some(Span(effort.rest)),
        ..choices
    }
}

/// Runs a load once; processor time of the server, in microseconds a call.
fn one(choices: &Choices, (name, clients, _): Load, others: &Others) -> Result<f64> {
    let report = workload::run(&Plan::new(choices.clone())?)?;
    ensure!(report.errors == 0 && report.is_clean() && report.transactions > 0, "the load did not go well: {report}");
    let cpu_us =
        |process| report.cpu_us_per_transaction(process).with_context(|| format!("{process} was not measured"));
    let period_s = THINK_TIME.as_secs_f64() + report.response_time.mean_us / 1e6;
    let other = Other {
        p99_ms: report.response_time.p99_us / 1e3,
        mean_ms: report.response_time.mean_us / 1e3,
        rate: report.transactions_per_second,
        of_expected: report.transactions_per_second * period_s / f64::from(clients),
        provider_us: cpu_us("provider")?,
        programs_us: cpu_us("programs")?,
        driver_us: cpu_us("driver")?,
    };
    eprintln!("    {other:.3?}");
    others.borrow_mut().entry(name).or_default().push(other);
    cpu_us("server")
}

fn judge(report: &mut Report, measured: &Measured, smaller: &Measured, others: &BTreeMap<&'static str, Vec<Other>>) {
    let of = |name: &str, value: fn(&Other) -> f64| median(others.get(name).into_iter().flatten().map(value).collect());
    let names = OF_8_KIB.map(|(name, ..)| name);
    let (least, most) = extremes(measured.beside_each_other(names));
    let costliest = names.into_iter().max_by(|a, b| measured.median(a).total_cmp(&measured.median(b)));
    report.add(
        Bar::at_most("CPU of a call with an 8 KiB answer, by nginx's pair of requests", LIMIT_US / INDEX_US).ratio(
            measured,
            costliest.unwrap_or(names[0]),
            NGINX,
            "µs",
        ),
    );
    report.add(Bar::at_most("the same, from 100 to 300 clients: highest by lowest", 1.1).value(most / least, "x"));
    let by_nginx = std::array::from_fn(|load| measured.ratio(names[load], NGINX_BY_AS_MANY[load]));
    let (least, most) = extremes(by_nginx);
    report.add(
        Bar::at_most("the same, each by nginx's pair with as many clients that think: highest by lowest", 1.1)
            .value(most / least, "x"),
    );
    let (least, most) = extremes(measured.beside_each_other(NGINX_BY_AS_MANY));
    report.add(Bar::figure("nginx's own pair, from 100 to 300 clients: highest by lowest").value(most / least, "x"));
    let (_, p99) = extremes(names.map(|name| of(name, |other| other.p99_ms)));
    report.add(Bar::at_most("response time of such calls, p99, highest of 100 to 300 clients", 5.0).value(p99, "ms"));
    let (slowest, fastest) = extremes(names.map(|name| of(name, |other| other.of_expected)));
    report
        .add(Bar::at_least("rate, through clients by think time and response time, lowest", 0.99).value(slowest, "x"));
    report.add(Bar::at_most("the same, highest", 1.01).value(fastest, "x"));
    for (name, ..) in OF_8_KIB {
        report.add(Bar::figure(name).value(measured.median(name), "µs CPU"));
    }
    for (name, ..) in SMALLER {
        report.add(Bar::figure(name).value(smaller.median(name), "µs CPU"));
    }
    for name in NGINX_BY_AS_MANY {
        report.add(Bar::figure(name).value(measured.median(name), "µs CPU"));
    }
    let (last, ..) = OF_8_KIB[OF_8_KIB.len() - 1];
    report.add(Bar::figure("calls a second of 300 clients, 8 KiB").value(of(last, |other| other.rate), "/s"));
    report.add(Bar::figure("their mean response time").value(of(last, |other| other.mean_ms), "ms"));
    report.add(Bar::figure("CPU of a COBOL program for one of them").value(of(last, |other| other.programs_us), "µs"));
    report.add(Bar::figure("CPU of the remote API").value(of(last, |other| other.provider_us), "µs"));
    report.add(Bar::figure("CPU of the driver").value(of(last, |other| other.driver_us), "µs"));
}

fn extremes(values: [f64; 5]) -> (f64, f64) {
    values
        .into_iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}
