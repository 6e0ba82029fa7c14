//! Two-way services: what one `POST` that becomes a COBOL record, a reply and JSON again costs the server, against the same
//! request and reply by `POST` and `DELETE` on the messaging REST API, and against two requests to Open Liberty that do
//! nothing: to a JAX-RS resource, which is what such a REST API is there, and, for comparison, to the bare servlet.
//!
//! Requests, replies and the batch server are the same on both ways: one responder, a process of its own over the channel, that
//! streams; beside a second server stands one that asks for each request and waits for the answer to each put. What
//! the streaming responder's get and put cost the server is measured alone, on requests that are there already, and taken off both for
//! the comparison of what is beyond it. Requests that are there cost less to get than requests that are waited for, so the
//! comparison takes off too little rather than too much.
//!
//! The message API's request and reply in one call goes the same way, without a conversion, and is compared likewise.

mod alone;
pub(crate) mod liberty;
pub(crate) mod setting;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use workload::payload::PutId;
use workload::plan::{Choices, Login, Plan, Scenario, Span};

use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured, interleave};
use crate::report::{Bar, Report};
use crate::responder::Habit;

use self::liberty::Liberty;
use self::setting::Setting;

const CLIENTS: u32 = 10;
const REQUEST_BYTES: usize = 50;
const REPLY_BYTES: usize = 1024;
/// Load on each endpoint before it is measured, which its virtual machine needs to have compiled what counts.
pub(crate) const WARM_UP: Duration = Duration::from_secs(95);
pub(crate) const QUICK_WARM_UP: Duration = Duration::from_secs(5);

const SERVICE: &str = "two-way service";
const REST: &str = "request by POST, reply by DELETE";
const ONE_CALL: &str = "request and reply in one call of the message API";
const SERVICE_ASKING: &str = "two-way service, responder that asks";
const REST_ASKING: &str = "POST and DELETE, responder that asks";
const RESPONDER: &str = "the responder's get and put alone";
const RESOURCES: &str = "Liberty: two no-op requests to a JAX-RS resource";
const SERVLETS: &str = "Liberty: two no-op requests to a bare servlet";
const SERVICE_BEYOND: &str = "two-way service beyond the responder";
const REST_BEYOND: &str = "POST and DELETE beyond the responder";

const ONE_CALL_BEYOND: &str = "one call beyond the responder";

/// Each load of a round is measured in so many pieces, in turns with the others.
const PIECES: u32 = 8;

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let pieces = PIECES as usize;
    let effort = &Effort { rounds: effort.rounds * pieces, rest: effort.rest / PIECES, ..effort.clone() };
    // A reply wakes the thread that waits for it: that is the server's work. It is the client's where a second request asks.
    let _awake = Awake::keep();
    let liberty = Liberty::start(&effort.work)?;
    let setting = Setting::start(&effort.work)?;
    let resources = no_ops(&setting, &liberty, liberty::RESOURCE_PATH, effort);
    let servlets = no_ops(&setting, &liberty, liberty::SERVLET_PATH, effort);
    for endpoint in [&servlets, &resources] {
        warm_up(endpoint, if report.is_quick() { QUICK_WARM_UP } else { WARM_UP })?;
    }
    let asking = Setting::start(&effort.work)?;
    let (service_asking, rest_asking) = (service(&asking, effort), rest(&asking, effort));
    let (service, rest, one_call) = (service(&setting, effort), rest(&setting, effort), one_call(&setting, effort));
    let responders = [setting.responder(Habit::Streaming)?, asking.responder(Habit::Asking)?];
    let messages = if report.is_quick() { 4_000 } else { 20_000 };
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(SERVICE, || cpu_us(&service)),
            Cell::new(REST, || cpu_us(&rest)),
            Cell::new(ONE_CALL, || cpu_us(&one_call)),
            Cell::new(RESPONDER, || alone::cpu_us(&setting, messages)),
            Cell::new(RESOURCES, || cpu_us(&resources)),
            Cell::new(SERVLETS, || cpu_us(&servlets)),
            Cell::new(SERVICE_ASKING, || cpu_us(&service_asking)),
            Cell::new(REST_ASKING, || cpu_us(&rest_asking)),
        ],
    )?;
    drop(responders);
    let measured = measured.in_rounds_of(pieces);
    let measured = measured
        .with_difference(SERVICE_BEYOND, SERVICE, RESPONDER)
        .with_difference(REST_BEYOND, REST, RESPONDER)
        .with_difference(ONE_CALL_BEYOND, ONE_CALL, RESPONDER);
    judge(report, &measured);
    Ok(())
}

fn judge(report: &mut Report, measured: &Measured) {
    report.add(
        Bar::at_most("CPU of a two-way service, against POST and DELETE on the messaging REST API", 0.8)
            .ratio(measured, SERVICE, REST, "µs"),
    );
    report.add(Bar::at_most("the same beyond the responder's own get and put", 0.6).ratio(
        measured,
        SERVICE_BEYOND,
        REST_BEYOND,
        "µs",
    ));
    report.add(
        Bar::at_most("CPU of request and reply in one call, against POST and DELETE, beyond the responder", 0.65)
            .ratio(measured, ONE_CALL_BEYOND, REST_BEYOND, "µs"),
    );
    report.add(
        Bar::at_most("CPU of a two-way service, against two no-op requests on Open Liberty (JAX-RS)", 0.25)
            .ratio(measured, SERVICE, RESOURCES, "µs"),
    );
    report.add(
        Bar::figure("the same, against two requests to a bare servlet there").ratio(measured, SERVICE, SERVLETS, "µs"),
    );
    report.add(
        Bar::figure("a two-way service against POST and DELETE, where the responder asks for each request").ratio(
            measured,
            SERVICE_ASKING,
            REST_ASKING,
            "µs",
        ),
    );
    report.add(Bar::figure("CPU of the responder's get and put, alone").value(measured.median(RESPONDER), "µs"));
}

/// Ten clients with a kept TLS connection and an LTPA cookie each.
fn base(setting: &Setting, effort: &Effort) -> Choices {
    Choices {
        clients: Some(CLIENTS),
        threads: Some(1),
        login: Some(Login::Ltpa),
        password_file: Some(setting.passwords.clone()),
        warmup: Some(Span(effort.warmup)),
        duration: Some(Span(effort.rest)),
        ..Choices::default()
    }
}

pub(crate) fn ours(setting: &Setting, effort: &Effort) -> Choices {
    Choices {
        url: Some(setting.url.clone()),
        cacert: Some(setting.server.ca_file()),
        pid: BTreeMap::from([("server".to_owned(), setting.server.pid())]),
        ..base(setting, effort)
    }
}

pub(crate) fn service(setting: &Setting, effort: &Effort) -> Choices {
    Choices {
        scenario: Some(Scenario::Service),
        post_path: Some(setting::SERVICE_PATH.to_owned()),
        body: Some(setting::SERVICE_REQUEST.to_owned()),
        ..ours(setting, effort)
    }
}

fn one_call(setting: &Setting, effort: &Effort) -> Choices {
    Choices {
        scenario: Some(Scenario::Service),
        post_path: Some(format!("/api/v1/qmgr/QM1/queue/{queue}/requests", queue = setting::REQUEST_QUEUE)),
        // A text as long as those of POST and DELETE, which send and receive theirs as they are too.
        content_type: Some("text/plain;charset=utf-8".to_owned()),
        body: Some(format!("{{id}}{}", "x".repeat(REQUEST_BYTES - PutId::LENGTH))),
        ..ours(setting, effort)
    }
}

pub(crate) fn rest(setting: &Setting, effort: &Effort) -> Choices {
    Choices {
        scenario: Some(Scenario::RequestReply),
        queue: Some(setting::REQUEST_QUEUE.to_owned()),
        reply_queue: Some(setting::REPLY_QUEUE.to_owned()),
        request_size: Some(REQUEST_BYTES),
        response_size: Some(REPLY_BYTES),
        ..ours(setting, effort)
    }
}

pub(crate) fn no_ops(setting: &Setting, liberty: &Liberty, path: &str, effort: &Effort) -> Choices {
    Choices {
        scenario: Some(Scenario::HttpFloor),
        url: Some(liberty.url.clone()),
        insecure: Some(true),
        post_path: Some(path.to_owned()),
        get_path: Some(path.to_owned()),
        request_size: Some(REQUEST_BYTES),
        pid: BTreeMap::from([("server".to_owned(), liberty.pid())]),
        ..base(setting, effort)
    }
}

pub(crate) fn warm_up(endpoint: &Choices, length: Duration) -> Result<()> {
    eprintln!("  warming Open Liberty for {} s", length.as_secs());
    cpu_us(&Choices { duration: Some(Span(length)), ..endpoint.clone() }).map(drop)
}

/// Runs the load once; processor time of the server, in microseconds a transaction.
fn cpu_us(choices: &Choices) -> Result<f64> {
    Ok(cost(choices)?.0)
}

/// Runs the load once; processor time of the server and of the driver, in microseconds a transaction.
pub(crate) fn cost(choices: &Choices) -> Result<(f64, f64)> {
    let report = workload::run(&Plan::new(choices.clone())?)?;
    ensure!(report.errors == 0 && report.is_clean(), "the load did not go well: {report}");
    ensure!(report.transactions > 0 && report.empty == 0, "requests without a reply: {report}");
    let driver = report.cpu_us_per_transaction("driver").unwrap_or_default();
    eprintln!("    {:.0} /s, driver {driver:.1} µs each", report.transactions_per_second);
    Ok((report.cpu_us_per_transaction("server").context("the server was not measured")?, driver))
}
