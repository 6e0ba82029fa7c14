//! The comparison of the MQI client, z/OS Connect and the messaging REST API: processor time of the server a request and its
//! reply, against two requests to a JAX-RS resource on Open Liberty that does nothing, with the same TLS and login.
//!
//! Source: "MQI client, z/OS Connect and messaging REST API compared", MQ 9.1; its web tier runs on Liberty.

use std::cell::RefCell;

use anyhow::Result;
use workload::plan::{Choices, Connection, Login, Scenario};

use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Cell, interleave, median};
use crate::report::{Bar, Report};
use crate::responder::Habit;
use crate::service::liberty::{self, Liberty};
use crate::service::setting::{REPLY_QUEUE, REQUEST_QUEUE, Setting, TLS_CHANNEL};
use crate::service::{QUICK_WARM_UP, WARM_UP, cost, no_ops, ours, rest, service, warm_up};

const REST: &str = "messaging REST, login once";
const REST_EVERY: &str = "messaging REST, login and connection every time";
const SERVICE: &str = "two-way service";
const CHANNEL: &str = "MQ client over TLS, connected once";
const LIBERTY: &str = "Liberty: two no-op requests, login once";
const LIBERTY_EVERY: &str = "Liberty: the same, login and connection every time";

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    // As where services are measured alone.
    let _awake = Awake::keep();
    let liberty = Liberty::start(&effort.work)?;
    let setting = Setting::start(&effort.work)?;
    let kept = no_ops(&setting, &liberty, liberty::RESOURCE_PATH, effort);
    let anew = every_time(kept.clone());
    for endpoint in [&kept, &anew] {
        warm_up(endpoint, if report.is_quick() { QUICK_WARM_UP } else { WARM_UP })?;
    }
    let rest = rest(&setting, effort);
    let rest_every = every_time(rest.clone());
    let (service, channel) = (service(&setting, effort), channel(&setting, effort));
    let _responder = setting.responder(Habit::Streaming)?;
    let drivers = RefCell::new(Vec::new());
    let with_driver = |choices: &Choices| {
        let (server, driver) = cost(choices)?;
        drivers.borrow_mut().push(driver / server);
        Ok(server)
    };
    let server = |choices: &Choices| Ok(cost(choices)?.0);
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(REST, || with_driver(&rest)),
            Cell::new(LIBERTY, || server(&kept)),
            Cell::new(SERVICE, || with_driver(&service)),
            Cell::new(CHANNEL, || with_driver(&channel)),
            Cell::new(REST_EVERY, || server(&rest_every)),
            Cell::new(LIBERTY_EVERY, || server(&anew)),
        ],
    )?;
    report.add(
        Bar::at_most(
            "request/reply by messaging REST, login once: CPU against two no-op requests on Open Liberty",
            0.35,
        )
        .ratio(&measured, REST, LIBERTY, "µs"),
    );
    report.add(
        Bar::at_most("request/reply by a two-way service, against the same", 0.25)
            .ratio(&measured, SERVICE, LIBERTY, "µs"),
    );
    report.add(
        Bar::at_most(
            "request/reply by messaging REST, login and TLS handshake every time, against the same on Liberty",
            0.35,
        )
        .ratio(&measured, REST_EVERY, LIBERTY_EVERY, "µs"),
    );
    report.add(
        Bar::at_most("request/reply by an MQ client connected once over TLS, against messaging REST", 0.9)
            .ratio(&measured, CHANNEL, REST, "µs"),
    );
    report.add(
        Bar::at_most("CPU of the load driver, against that of the server it measures here", 1.0)
            .value(median(drivers.into_inner()), "x"),
    );
    Ok(())
}

/// Login, and a connection without a session to resume, for every request and its reply.
fn every_time(choices: Choices) -> Choices {
    Choices {
        login: Some(Login::Every),
        connection: Some(Connection::Transaction),
        tls_resumption: Some(false),
        ..choices
    }
}

fn channel(setting: &Setting, effort: &Effort) -> Choices {
    Choices {
        scenario: Some(Scenario::RequestReply),
        url: None,
        login: Some(Login::Basic),
        channel: Some(TLS_CHANNEL.to_owned()),
        mq: Some(setting.mq.to_string()),
        queue: Some(REQUEST_QUEUE.to_owned()),
        reply_queue: Some(REPLY_QUEUE.to_owned()),
        request_size: Some(50),
        response_size: Some(1024),
        ..ours(setting, effort)
    }
}
