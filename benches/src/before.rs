//! This program against an earlier one: every load on both, in turns, so that a change shows what it costs.
//!
//! Both servers run all the time, each with a data directory, a service and a responder of its own. A round measures each load
//! once on each of them. Clients, responders and the built service archive are this program's for both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::{ADMIN_PASSWORD, Server};
use workload::plan::{Choices, Login, Plan, Scenario, Span};

use crate::admin::{base64, cpu_ms_per_request};
use crate::awake::Awake;
use crate::effort::Effort;
use crate::fill::fill;
use crate::interleave::{Cell, Measured, interleave};
use crate::lifecycle::unlimited;
use crate::listing::Request;
use crate::machine::memory;
use crate::report::{Bar, Report};
use crate::responder::{Habit, Responder};
use crate::service::setting::{self, Setting};

/// What a figure may be worse by: rates at least through this, costs at most times this.
const TOLERANCE: f64 = 1.05;
/// Fewer say little about five per cent.
const ROUNDS: usize = 7;
const CLIENTS: u32 = 10;
const SIZE: usize = 1024;
const REQUEST_BYTES: usize = 50;
const QUEUES: usize = 1000;
/// After this long without a request a server is idle.
const SETTLING: Duration = Duration::from_secs(2);

/// A figure's name in the report, and those of its two cells.
#[derive(Clone, Copy)]
struct Names {
    figure: &'static str,
    now: &'static str,
    before: &'static str,
}

macro_rules! names {
    ($figure:literal) => {
        Names { figure: $figure, now: concat!($figure, ": now"), before: concat!($figure, ": before") }
    };
}

/// A load whose processor time is measured, in microseconds of the server for each transaction.
struct Load {
    names: Names,
    choices: fn(&Setting) -> Choices,
}

const LOADS: [Load; 9] = [
    Load { names: names!("CPU of a put+get pair by REST, nonpersistent"), choices: |on| rest_pair(on, false) },
    Load { names: names!("CPU of a put+get pair by REST, persistent"), choices: |on| rest_pair(on, true) },
    Load {
        names: names!("CPU of a put+get pair by REST with Basic"),
        choices: |on| Choices { login: Some(Login::Basic), ..rest_pair(on, false) },
    },
    Load {
        names: names!("CPU of a put+get pair by REST with Basic over plain HTTP"),
        choices: |on| Choices {
            url: on.server.http_url().ok(),
            cacert: None,
            login: Some(Login::Basic),
            ..rest_pair(on, false)
        },
    },
    Load { names: names!("CPU of a service, its responder included"), choices: service },
    Load {
        names: names!("CPU of request and reply by POST and DELETE, its responder included"),
        choices: request_reply,
    },
    Load { names: names!("CPU of a durable put+get pair over a channel"), choices: |on| channel_pair(on, true) },
    Load { names: names!("CPU of a nonpersistent put+get pair over a channel"), choices: |on| channel_pair(on, false) },
    Load {
        names: names!("CPU of a nonpersistent put+get pair over a channel with TLS"),
        choices: |on| Choices {
            channel: Some(setting::TLS_CHANNEL.to_owned()),
            cacert: Some(on.server.ca_file()),
            ..channel_pair(on, false)
        },
    },
];

const DURABLE_RATE: Names = names!("durable put+get pairs a second over a channel");
const LIST: Names = names!("CPU of a list of 1000 queues with all attributes");
const READY: Names = names!("ready on an empty directory");
const IDLE_MEMORY: Names = names!("memory when idle, resident");
const BACK: Names = names!("persistent messages of 1 KiB are back after a kill");

/// Measures this program and `before`.
///
/// # Errors
/// A server does not start, or a load does not go well.
pub fn run(effort: &Effort, before: &Path, report: &mut Report) -> Result<()> {
    let effort = &Effort { rounds: effort.rounds.max(ROUNDS), rest: effort.rest / 2, ..effort.clone() };
    under_load(effort, before, report)?;
    starting(effort, before, report)?;
    coming_back(effort, before, report)
}

fn under_load(effort: &Effort, before: &Path, report: &mut Report) -> Result<()> {
    let _awake = Awake::keep();
    let settings = [Setting::start(&effort.work)?, Setting::start_of(Some(before), &effort.work)?];
    let _responders: Vec<Responder> =
        settings.iter().map(|setting| setting.responder(Habit::Streaming)).collect::<Result<_>>()?;
    for setting in &settings {
        setting::define_queues(setting, QUEUES)?;
    }
    let [now, earlier] = &settings;
    let mut cells = Vec::new();
    for load in &LOADS {
        cells.push(Cell::new(load.names.now, || cpu_us(effort, &(load.choices)(now))));
        cells.push(Cell::new(load.names.before, || cpu_us(effort, &(load.choices)(earlier))));
    }
    cells.push(Cell::new(DURABLE_RATE.now, || per_second(effort, &channel_pair(now, true))));
    cells.push(Cell::new(DURABLE_RATE.before, || per_second(effort, &channel_pair(earlier, true))));
    cells.push(Cell::new(LIST.now, || list_ms(effort, now)));
    cells.push(Cell::new(LIST.before, || list_ms(effort, earlier)));
    let measured = interleave(effort.rounds, cells)?;
    for load in &LOADS {
        cost(report, &measured, load.names, "µs");
    }
    report.add(Bar::at_least(DURABLE_RATE.figure, 1.0 / TOLERANCE).ratio(
        &measured,
        DURABLE_RATE.now,
        DURABLE_RATE.before,
        "/s",
    ));
    cost(report, &measured, LIST, "ms");
    Ok(())
}

/// Time to the ready line and memory after a rest, each time on an empty directory.
///
/// Both programs are copied first. How much of a program is resident depends on how its file came into the system's page
/// cache: written by a linker, or read in pieces, the same file has had 34 and 30 MiB.
fn starting(effort: &Effort, before: &Path, report: &mut Report) -> Result<()> {
    let copies = tempfile::tempdir_in(&effort.work)?;
    let copy = |name: &str, program: &Path| -> Result<PathBuf> {
        let to = copies.path().join(name);
        std::fs::copy(program, &to).with_context(|| format!("cannot copy {}", program.display()))?;
        Ok(to)
    };
    let (now, before) = (copy("now", &quaymaster()?)?, copy("before", before)?);
    let start = |program: &Path| -> Result<(tempfile::TempDir, Server)> {
        let folder = tempfile::tempdir_in(&effort.work)?;
        let server = Server::start(&unlimited(folder.path())?.of(Some(program)))?;
        Ok((folder, server))
    };
    let ready_ms = |program: &Path| Ok(start(program)?.1.ready.after.as_secs_f64() * 1e3);
    let idle_mib = |program: &Path| {
        let (_folder, server) = start(program)?;
        std::thread::sleep(SETTLING);
        mib(memory(server.pid())?.resident)
    };
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(READY.now, || ready_ms(&now)),
            Cell::new(READY.before, || ready_ms(&before)),
            Cell::new(IDLE_MEMORY.now, || idle_mib(&now)),
            Cell::new(IDLE_MEMORY.before, || idle_mib(&before)),
        ],
    )?;
    cost(report, &measured, READY, "ms");
    cost(report, &measured, IDLE_MEMORY, "MiB");
    Ok(())
}

/// Both start on a directory of their own with the same messages; each start but the first recovers as after a power cut.
fn coming_back(effort: &Effort, before: &Path, report: &mut Report) -> Result<()> {
    let folders = [tempfile::tempdir_in(&effort.work)?, tempfile::tempdir_in(&effort.work)?];
    let options = [unlimited(folders[0].path())?, unlimited(folders[1].path())?.of(Some(before))];
    for options in &options {
        let server = Server::start(options)?;
        fill(&server, effort.messages, SIZE, true)?;
        server.kill();
    }
    let back_s = |options| {
        let server = Server::start(options)?;
        let took = server.ready.after.as_secs_f64();
        server.kill();
        Ok(took)
    };
    let measured = interleave(
        effort.rounds,
        vec![Cell::new(BACK.now, || back_s(&options[0])), Cell::new(BACK.before, || back_s(&options[1]))],
    )?;
    cost(report, &measured, BACK, "s");
    Ok(())
}

fn cost(report: &mut Report, measured: &Measured, names: Names, unit: &'static str) {
    report.add(Bar::at_most(names.figure, TOLERANCE).ratio(measured, names.now, names.before, unit));
}

/// Ten clients with a kept connection each.
fn base(setting: &Setting) -> Choices {
    Choices {
        clients: Some(CLIENTS),
        threads: Some(1),
        password_file: Some(setting.passwords.clone()),
        pid: BTreeMap::from([("server".to_owned(), setting.server.pid())]),
        ..Choices::default()
    }
}

fn over_https(setting: &Setting) -> Choices {
    Choices {
        url: Some(setting.url.clone()),
        cacert: Some(setting.server.ca_file()),
        login: Some(Login::Ltpa),
        ..base(setting)
    }
}

fn rest_pair(setting: &Setting, persistent: bool) -> Choices {
    Choices {
        scenario: Some(Scenario::PutGet),
        request_size: Some(SIZE),
        persistent: Some(persistent),
        ..over_https(setting)
    }
}

fn service(setting: &Setting) -> Choices {
    Choices {
        scenario: Some(Scenario::Service),
        post_path: Some(setting::SERVICE_PATH.to_owned()),
        body: Some(setting::SERVICE_REQUEST.to_owned()),
        ..over_https(setting)
    }
}

fn request_reply(setting: &Setting) -> Choices {
    Choices {
        scenario: Some(Scenario::RequestReply),
        queue: Some(setting::REQUEST_QUEUE.to_owned()),
        reply_queue: Some(setting::REPLY_QUEUE.to_owned()),
        request_size: Some(REQUEST_BYTES),
        response_size: Some(SIZE),
        ..over_https(setting)
    }
}

fn channel_pair(setting: &Setting, persistent: bool) -> Choices {
    Choices {
        scenario: Some(Scenario::PutGet),
        channel: Some(setting::CHANNEL.to_owned()),
        mq: Some(setting.mq.to_string()),
        login: Some(Login::Basic),
        queue: Some(setting::PAIR_QUEUE.to_owned()),
        request_size: Some(SIZE),
        persistent: Some(persistent),
        ..base(setting)
    }
}

fn load(effort: &Effort, choices: &Choices) -> Result<workload::report::Report> {
    let timed = Choices { warmup: Some(Span(effort.warmup)), duration: Some(Span(effort.rest)), ..choices.clone() };
    let report = workload::run(&Plan::new(timed)?)?;
    ensure!(report.errors == 0 && report.is_clean(), "the load did not go well: {report}");
    ensure!(report.transactions > 0 && report.empty == 0, "nothing was completed: {report}");
    Ok(report)
}

fn cpu_us(effort: &Effort, choices: &Choices) -> Result<f64> {
    load(effort, choices)?.cpu_us_per_transaction("server").context("the server was not measured")
}

fn per_second(effort: &Effort, choices: &Choices) -> Result<f64> {
    Ok(load(effort, choices)?.transactions_per_second)
}

fn list_ms(effort: &Effort, setting: &Setting) -> Result<f64> {
    let path = format!("/ibmmq/rest/v1/admin/qmgr/QM1/queue?name={}*&attributes=*", setting::LISTED);
    let login = base64(&format!("admin:{ADMIN_PASSWORD}"));
    let request = Request {
        address: setting.server.ready.http.context("a plain listener")?,
        head: format!("GET {path} HTTP/1.1\r\nAuthorization: Basic {login}"),
        body: String::new(),
        at_least: QUEUES * 1000,
    };
    Ok(cpu_ms_per_request(&[setting.server.pid()], &request, effort.rest)?.0)
}

#[expect(clippy::cast_precision_loss, reason = "bytes of memory stay below 2^53")]
fn mib(bytes: u64) -> Result<f64> {
    Ok(bytes as f64 / 1_048_576.0)
}
