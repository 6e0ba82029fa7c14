//! Client channels: request and reply and durable pairs against Artemis over AMQP 1.0, what a connection costs against
//! nginx's resumed TLS connection, what an idle conversation holds.
//!
//! Clients of ours are the load driver's, through the Rust client end; responders are processes of their own. The peer's
//! clients are the leanest that could be made (`amqp.rs`).

mod connecting;
mod idle;
mod peer;
mod responder;
mod setting;

use std::cell::Cell as Slot;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use workload::plan::{Choices, Login, Plan, Scenario, Span};

use crate::artemis::Artemis;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured, interleave};
use crate::report::{Bar, Report};

use self::responder::Responder;
use self::setting::{Setting, Transport};

const CLIENTS: u32 = 10;
const REQUEST_BYTES: usize = 50;
const REPLY_BYTES: usize = 1024;
const PAIR_BYTES: usize = 1024;

/// Transactions a second and processor time of the server.
#[derive(Debug, Clone, Copy)]
struct Load {
    per_second: f64,
    cpu_us: f64,
}

/// Two cells of one load: whichever is asked first in a round runs it, the other takes what is left.
struct Both<F> {
    run: F,
    left: Slot<Option<Load>>,
}

impl<F: Fn() -> Result<Load>> Both<F> {
    fn new(run: F) -> Self {
        Self { run, left: Slot::new(None) }
    }

    fn take(&self) -> Result<Load> {
        match self.left.take() {
            Some(load) => Ok(load),
            None => {
                let load = (self.run)()?;
                self.left.set(Some(load));
                Ok(load)
            }
        }
    }

    fn cells(&self, rate: &'static str, cpu: &'static str) -> [Cell<'_>; 2] {
        [
            Cell::new(rate, || self.take().map(|load| load.per_second)),
            Cell::new(cpu, || self.take().map(|load| load.cpu_us)),
        ]
    }
}

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let setting = Setting::start(&effort.work)?;
    let artemis = Artemis::start(&effort.work)?;
    peer::warm_up(&artemis, effort)?;
    request_reply(effort, &setting, &artemis, report)?;
    pairs(effort, &setting, &artemis, report)
}

/// What a connection costs; a group of its own, as it needs no broker.
pub fn run_connecting(effort: &Effort, report: &mut Report) -> Result<()> {
    connecting::run(effort, report)
}

/// What idle connections hold; a group of its own, as it is measured once.
pub fn run_idle(effort: &Effort, report: &mut Report) -> Result<()> {
    idle::run(effort, report)
}

/// Rate and processor time of each of the six loads.
const REQUEST_REPLY: [(&str, &str); 6] = [
    ("request/reply persistent, plain", "request/reply persistent, plain: CPU"),
    ("request/reply persistent, TLS", "request/reply persistent, TLS: CPU"),
    ("Artemis request/reply durable", "Artemis request/reply durable: CPU"),
    ("request/reply nonpersistent, plain", "request/reply nonpersistent, plain: CPU"),
    ("request/reply nonpersistent, TLS", "request/reply nonpersistent, TLS: CPU"),
    ("Artemis request/reply not durable", "Artemis request/reply not durable: CPU"),
];

fn request_reply(effort: &Effort, setting: &Setting, artemis: &Artemis, report: &mut Report) -> Result<()> {
    let _plain = Responder::start(setting, Transport::Plain, CLIENTS, REPLY_BYTES)?;
    let _tls = Responder::start(setting, Transport::Tls, CLIENTS, REPLY_BYTES)?;
    let ours = |transport, persistent| {
        let choices = Choices {
            scenario: Some(Scenario::RequestReply),
            queue: Some(transport_queue(transport)),
            reply_queue: Some(setting::REPLY_QUEUE.to_owned()),
            request_size: Some(REQUEST_BYTES),
            response_size: Some(REPLY_BYTES),
            persistent: Some(persistent),
            ..through(setting, transport, effort)
        };
        move || load(&choices)
    };
    let loads = [
        Both::new(boxed(ours(Transport::Plain, true))),
        Both::new(boxed(ours(Transport::Tls, true))),
        Both::new(boxed(|| peer::request_reply(artemis, effort, true, REQUEST_BYTES, REPLY_BYTES))),
        Both::new(boxed(ours(Transport::Plain, false))),
        Both::new(boxed(ours(Transport::Tls, false))),
        Both::new(boxed(|| peer::request_reply(artemis, effort, false, REQUEST_BYTES, REPLY_BYTES))),
    ];
    let cells = loads.iter().zip(REQUEST_REPLY).flat_map(|(load, (rate, cpu))| load.cells(rate, cpu)).collect();
    let measured = interleave(effort.rounds, cells)?;
    let [plain, tls, durable, quick, quick_tls, not_durable] = REQUEST_REPLY;
    against(
        report,
        &measured,
        plain,
        durable,
        ["request/reply 50 B/1 KiB, persistent, 10 clients, against Artemis", "server CPU of it, against Artemis"],
    );
    against(
        report,
        &measured,
        tls,
        durable,
        [
            "the same over TLS, against Artemis without TLS",
            "server CPU of it, persistent over TLS, against Artemis without TLS",
        ],
    );
    against(
        report,
        &measured,
        quick,
        not_durable,
        [
            "request/reply 50 B/1 KiB, nonpersistent, 10 clients, against Artemis",
            "server CPU of it, nonpersistent, against Artemis",
        ],
    );
    against(
        report,
        &measured,
        quick_tls,
        not_durable,
        [
            "the same nonpersistent over TLS, against Artemis without TLS",
            "server CPU of it, nonpersistent over TLS, against Artemis without TLS",
        ],
    );
    Ok(())
}

type BoxedLoad<'a> = Box<dyn Fn() -> Result<Load> + 'a>;

fn boxed<'a>(load: impl Fn() -> Result<Load> + 'a) -> BoxedLoad<'a> {
    Box::new(load)
}

/// At least twice the rate at no more than half the processor time.
fn against(
    report: &mut Report,
    measured: &Measured,
    (rate, cpu): (&str, &str),
    (peer_rate, peer_cpu): (&str, &str),
    [rate_row, cpu_row]: [&'static str; 2],
) {
    report.add(Bar::at_least(rate_row, 2.0).ratio(measured, rate, peer_rate, "/s"));
    report.add(Bar::at_most(cpu_row, 0.5).ratio(measured, cpu, peer_cpu, "µs"));
}

const PAIRS: (&str, &str) = ("durable put+get, 10 connections", "durable put+get, 10 connections: CPU");
const PEER_PAIRS: (&str, &str) = ("Artemis durable put+get", "Artemis durable put+get: CPU");

fn pairs(effort: &Effort, setting: &Setting, artemis: &Artemis, report: &mut Report) -> Result<()> {
    let choices = Choices {
        scenario: Some(Scenario::PutGet),
        queue: Some(setting::PAIR_QUEUE.to_owned()),
        request_size: Some(PAIR_BYTES),
        persistent: Some(true),
        ..through(setting, Transport::Plain, effort)
    };
    let ours = Both::new(|| load(&choices));
    let peer = Both::new(|| peer::pairs(artemis, effort, PAIR_BYTES));
    let cells = ours.cells(PAIRS.0, PAIRS.1).into_iter().chain(peer.cells(PEER_PAIRS.0, PEER_PAIRS.1));
    let measured = interleave(effort.rounds, cells.collect())?;
    report.add(Bar::at_least("durable put+get pairs 1 KiB from 10 connections, against Artemis's journal", 2.0).ratio(
        &measured,
        PAIRS.0,
        PEER_PAIRS.0,
        "/s",
    ));
    report.add(Bar::figure("server CPU of a durable pair over a channel, against Artemis").ratio(
        &measured,
        PAIRS.1,
        PEER_PAIRS.1,
        "µs",
    ));
    Ok(())
}

fn transport_queue(transport: Transport) -> String {
    match transport {
        Transport::Plain => setting::PLAIN_QUEUE.to_owned(),
        Transport::Tls => setting::TLS_QUEUE.to_owned(),
    }
}

/// Ten clients with a socket each, through the channel for this transport.
fn through(setting: &Setting, transport: Transport, effort: &Effort) -> Choices {
    Choices {
        channel: Some(transport.channel().to_owned()),
        mq: Some(setting.mq.to_string()),
        cacert: (transport == Transport::Tls).then(|| setting.server.ca_file()),
        login: Some(Login::Basic),
        password_file: Some(setting.passwords.clone()),
        clients: Some(CLIENTS),
        threads: Some(1),
        warmup: Some(Span(effort.warmup)),
        duration: Some(Span(effort.rest)),
        pid: BTreeMap::from([("server".to_owned(), setting.server.pid())]),
        ..Choices::default()
    }
}

fn load(choices: &Choices) -> Result<Load> {
    let report = workload::run(&Plan::new(choices.clone())?)?;
    ensure!(report.errors == 0 && report.is_clean(), "the load did not go well: {report}");
    ensure!(report.transactions > 0, "nothing was completed: {report}");
    let driver = report.cpu_us_per_transaction("driver").unwrap_or_default();
    eprintln!("    {:.0} /s, driver {driver:.1} µs each", report.transactions_per_second);
    let cpu_us = report.cpu_us_per_transaction("server").context("the server was not measured")?;
    Ok(Load { per_second: report.transactions_per_second, cpu_us })
}

/// Writes a file of a measurement.
#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
