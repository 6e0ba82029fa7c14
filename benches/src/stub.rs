//! The communication stub's own cost: processor time of a COBOL program that calls an API, against the same program not calling.
//!
//! As in the report, where a transaction of CICS was measured with and without its call of the stub. The program runs by
//! itself and keeps its one connection; a thread of ours answers with records made beforehand and is not counted. nginx's pair
//! of requests is measured in the same rounds: it says how fast the machine is. Processors do not halt meanwhile.
//!
//! Source: "z/OS Connect Enterprise Edition V3.0, Performance Summary using the API Requester", section 14 (June 2018).

mod answering;
mod program;

use anyhow::{Result, ensure};

use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured, interleave};
use crate::report::{Bar, Report};
use crate::rest::{NGINX, NginxFloor};

use self::answering::Answering;
use self::program::Program;

/// Processor time of a no-op pair on nginx where the bar of a call stands as it is, and that bar, in microseconds.
const INDEX_US: f64 = 36.0;
const LIMIT_US: f64 = 30.0;
/// How far a call may lie above the line from the shortest to the longest answer.
const LINEAR: f64 = 1.25;

const NOT_CALLING: &str = "COBOL program, not calling";
const CALLING_8K: &str = "calling, answer of 8 KiB";
const STUB_8K: &str = "the stub, answer of 8 KiB";

/// A program that calls; what the call costs it; entries of 32 bytes, beside a head of 36.
struct Load {
    name: &'static str,
    cost: &'static str,
    entries: u32,
}

const LOADS: [Load; 5] = [
    Load { name: "calling, answer of 1 KiB", cost: "the stub, answer of 1 KiB", entries: 32 },
    Load { name: "calling, answer of 4 KiB", cost: "the stub, answer of 4 KiB", entries: 128 },
    Load { name: CALLING_8K, cost: STUB_8K, entries: 256 },
    Load { name: "calling, answer of 64 KiB", cost: "the stub, answer of 64 KiB", entries: 2048 },
    Load { name: "calling, answer of 1 MiB", cost: "the stub, answer of 1 MiB", entries: 32_768 },
];

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let _awake = Awake::keep();
    let nginx = NginxFloor::start(effort)?;
    let server = Answering::start()?;
    let program = std::cell::RefCell::new(Program::start(&effort.work, server.address)?);
    let calls = if report.is_quick() { 4_000 } else { 20_000 };
    // The connection is made, and the library loaded, before anything is measured.
    ensure!(program.borrow_mut().cpu_us(100, Some(32))? > 0.0, "the program did not run");
    let mut cells = vec![
        Cell::new(NGINX, || nginx.cpu_us()),
        Cell::new(NOT_CALLING, || program.borrow_mut().cpu_us(calls * 20, None)),
    ];
    for load in &LOADS {
        let calls = (calls * 256 / load.entries.max(256)).max(200);
        let program = &program;
        cells.push(Cell::new(load.name, move || program.borrow_mut().cpu_us(calls, Some(load.entries))));
    }
    let mut measured = interleave(effort.rounds, cells)?;
    for load in &LOADS {
        measured = measured.with_difference(load.cost, load.name, NOT_CALLING);
    }
    judge(report, &measured);
    Ok(())
}

fn judge(report: &mut Report, measured: &Measured) {
    report.add(
        Bar::at_most("CPU of a call of BAQCSTUB with an 8 KiB answer, by nginx's pair", LIMIT_US / INDEX_US)
            .ratio(measured, STUB_8K, NGINX, "µs"),
    );
    report.add(
        Bar::at_most("the same by payload, highest above the line from 1 KiB to 1 MiB", LINEAR)
            .value(bend(measured), "x"),
    );
    for load in &LOADS {
        report.add(Bar::figure(load.cost).value(measured.median(load.cost), "µs CPU"));
    }
    report.add(Bar::figure(NOT_CALLING).value(measured.median(NOT_CALLING), "µs CPU"));
}

/// The highest cost through what is on the straight line from the shortest to the longest answer.
fn bend(measured: &Measured) -> f64 {
    let [first, .., last] = &LOADS;
    let cost = |load: &Load| measured.median(load.cost);
    let slope = (cost(last) - cost(first)) / f64::from(last.entries - first.entries);
    let on_line = |load: &Load| cost(first) + slope * f64::from(load.entries - first.entries);
    LOADS.iter().map(|load| cost(load) / on_line(load)).fold(0.0, f64::max)
}
