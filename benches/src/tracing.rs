//! What traces cost: the same load on servers without and with them, in turns, by processor time of the server.
//!
//! Spans go to a receiver in this process, which reads them and does nothing else. Every trace is recorded, which is the default and
//! the dearest; one server records one trace of ten. The last server has neither, and was started for tests of applications.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use anyhow::{Context, Result};
use workload::plan::{Choices, Login, Scenario, Span};

use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured, interleave};
use crate::report::{Bar, Report};
use crate::rest::cpu_us_per_pair;
use crate::service::setting::{self, Setting};

const CLIENTS: u32 = 10;
const SIZE: usize = 1024;
/// Fewer say little about five per cent.
const ROUNDS: usize = 7;
const LIMIT: f64 = 1.05;

/// A load, and the names of its figures on each kind of server.
struct Load {
    choices: fn(&Setting) -> Choices,
    off: &'static str,
    on: (&'static str, &'static str),
    sampled: (&'static str, &'static str),
    given: (&'static str, &'static str),
    tests: (&'static str, &'static str),
}

macro_rules! load {
    ($choices:expr, $what:literal) => {
        Load {
            choices: $choices,
            off: concat!($what, ": no traces"),
            on: (concat!($what, ": traces"), concat!("CPU with traces: ", $what)),
            sampled: (concat!($what, ": one of ten"), concat!("CPU with one trace of ten recorded: ", $what)),
            given: (concat!($what, ": contexts given"), concat!("CPU with contexts given to messages: ", $what)),
            tests: (concat!($what, ": test control"), concat!("CPU with --test-control: ", $what)),
        }
    };
}

const LOADS: [Load; 4] = [
    load!(|on| rest(on, false), "REST pair, nonpersistent"),
    load!(|on| rest(on, true), "REST pair, persistent"),
    load!(|on| channel(on, false), "channel pair, nonpersistent"),
    load!(|on| channel(on, true), "channel pair, persistent"),
];

/// # Errors
/// A server does not start, or a load does not go well.
pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let _awake = Awake::keep();
    let effort = &Effort { rounds: effort.rounds.max(ROUNDS), rest: effort.rest / 2, ..effort.clone() };
    let endpoint = receiver()?;
    let traced = |further: &[(&str, &str)]| {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str());
        let all: Vec<(&str, &str)> = [endpoint].into_iter().chain(further.iter().copied()).collect();
        Setting::start_in(&effort.work, &all, &[])
    };
    let off = Setting::start(&effort.work)?;
    let on = traced(&[])?;
    let sampled = traced(&[("QUAYMASTER_TRACING_SAMPLE_PERCENT", "10")])?;
    let given = traced(&[
        ("QUAYMASTER_TRACING_MESSAGE_PROPERTIES", "true"),
        ("QUAYMASTER_TRACING_CHANNEL_PROPERTIES", "true"),
    ])?;
    let tests = Setting::start_in(&effort.work, &[], &["--test-control"])?;
    let mut cells = Vec::new();
    for load in &LOADS {
        for (name, setting) in [
            (load.off, &off),
            (load.on.0, &on),
            (load.sampled.0, &sampled),
            (load.given.0, &given),
            (load.tests.0, &tests),
        ] {
            cells.push(Cell::new(name, move || cpu_us_per_pair(&timed(effort, (load.choices)(setting)))));
        }
    }
    let measured = interleave(effort.rounds, cells)?;
    for load in &LOADS {
        add(report, &measured, Bar::at_most(load.on.1, LIMIT), load.on.0, load.off);
        add(report, &measured, Bar::at_most(load.sampled.1, LIMIT), load.sampled.0, load.off);
        add(report, &measured, Bar::figure(load.given.1), load.given.0, load.off);
        add(report, &measured, Bar::figure(load.tests.1), load.tests.0, load.off);
    }
    Ok(())
}

fn add(report: &mut Report, measured: &Measured, bar: Bar, ours: &str, peer: &str) {
    report.add(bar.ratio(measured, ours, peer, "µs"));
}

fn timed(effort: &Effort, choices: Choices) -> Choices {
    Choices { warmup: Some(Span(effort.warmup)), duration: Some(Span(effort.rest)), ..choices }
}

fn base(setting: &Setting) -> Choices {
    Choices {
        scenario: Some(Scenario::PutGet),
        clients: Some(CLIENTS),
        threads: Some(1),
        password_file: Some(setting.passwords.clone()),
        request_size: Some(SIZE),
        queue: Some(setting::PAIR_QUEUE.to_owned()),
        pid: BTreeMap::from([("server".to_owned(), setting.server.pid())]),
        ..Choices::default()
    }
}

fn rest(setting: &Setting, persistent: bool) -> Choices {
    Choices {
        url: Some(setting.url.clone()),
        cacert: Some(setting.server.ca_file()),
        persistent: Some(persistent),
        ..base(setting)
    }
}

fn channel(setting: &Setting, persistent: bool) -> Choices {
    Choices {
        channel: Some(setting::CHANNEL.to_owned()),
        mq: Some(setting.mq.to_string()),
        login: Some(Login::Basic),
        persistent: Some(persistent),
        ..base(setting)
    }
}

/// Reads requests for as long as this process lives. Where it listens.
fn receiver() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").context("a port of this machine")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || read(&stream));
        }
    });
    Ok(format!("http://{address}"))
}

fn read(stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let mut length = 0;
    while matches!(reader.read_line(&mut line), Ok(1..)) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            let mut body = (&mut reader).take(length);
            let answered = std::io::copy(&mut body, &mut std::io::sink())
                .and_then(|_| (&*stream).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
            if answered.is_err() {
                return;
            }
        }
        line.clear();
    }
}
