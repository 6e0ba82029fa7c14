//! Client channels: request and reply and durable pairs against Artemis over AMQP 1.0, the same with the public Java clients,
//! what a connection costs against nginx's resumed TLS connection, what an idle conversation holds.
//!
//! Clients of ours are the load driver's, through the Rust client end; responders are processes of their own. The peer's
//! clients are the leanest that could be made (`amqp.rs`).

mod connecting;
mod idle;
mod java;
mod mqi;
mod pairs;
mod peer;
mod program;
mod request_reply;
mod responder;
mod setting;

use std::cell::Cell as Slot;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use workload::plan::{Choices, Login, Plan, Span};

use crate::artemis::Artemis;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured};
use crate::report::{Bar, Report};

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

/// A load's names: of its rate and of its processor time.
type Names = (&'static str, &'static str);

type BoxedLoad<'a> = Box<dyn Fn() -> Result<Load> + 'a>;

fn boxed<'a>(load: impl Fn() -> Result<Load> + 'a) -> BoxedLoad<'a> {
    Box::new(load)
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

    fn cells(&self, (rate, cpu): Names) -> [Cell<'_>; 2] {
        [
            Cell::new(rate, || self.take().map(|load| load.per_second)),
            Cell::new(cpu, || self.take().map(|load| load.cpu_us)),
        ]
    }
}

/// At least twice the rate at no more than half the processor time.
fn against(report: &mut Report, measured: &Measured, ours: Names, peer: Names, [rate, cpu]: [&'static str; 2]) {
    report.add(Bar::at_least(rate, 2.0).ratio(measured, ours.0, peer.0, "/s"));
    report.add(Bar::at_most(cpu, 0.5).ratio(measured, ours.1, peer.1, "µs"));
}

/// The same with nothing wanted: beside a peer that promises something else.
fn beside(report: &mut Report, measured: &Measured, ours: Names, peer: Names, [rate, cpu]: [&'static str; 2]) {
    report.add(Bar::figure(rate).ratio(measured, ours.0, peer.0, "/s"));
    report.add(Bar::figure(cpu).ratio(measured, ours.1, peer.1, "µs"));
}

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let setting = Setting::start(&effort.work)?;
    let artemis = Artemis::start(&effort.work)?;
    peer::warm_up(&artemis, effort, PAIR_BYTES)?;
    request_reply::run(effort, &setting, &artemis, report)?;
    pairs::run(effort, &setting, &artemis, report)
}

/// Request and reply with the public Java clients; a group of its own, as it needs Maven.
pub fn run_java(effort: &Effort, report: &mut Report) -> Result<()> {
    java::run(effort, report)
}

/// What the MQI library in C costs its program; a group of its own, as it needs the library's tree and Maven.
pub fn run_mqi(effort: &Effort, report: &mut Report) -> Result<()> {
    mqi::run(effort, report)
}

/// What a connection costs; a group of its own, as it needs no broker.
pub fn run_connecting(effort: &Effort, report: &mut Report) -> Result<()> {
    connecting::run(effort, report)
}

/// What idle connections hold; a group of its own, as it is measured once.
pub fn run_idle(effort: &Effort, report: &mut Report) -> Result<()> {
    idle::run(effort, report)
}

/// The queue of the responders that serve this transport, and stream or do not.
fn request_queue(transport: Transport, streams: bool) -> String {
    let queue = match transport {
        Transport::Plain => setting::PLAIN_QUEUE,
        Transport::Tls => setting::TLS_QUEUE,
    };
    format!("{queue}{}", if streams { setting::STREAMED } else { "" })
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
