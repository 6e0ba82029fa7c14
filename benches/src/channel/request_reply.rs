//! Request and reply through a kept connection: plain and over TLS, persistent and not, each against the peer with the same
//! transport and the same promise; and beside the peer that promises less, or speaks no TLS where we do.

use anyhow::Result;
use workload::plan::{Choices, Scenario};

use super::peer::{self, Promise};
use super::responder::Responder;
use super::setting::{self, Setting, Transport};
use super::{Both, CLIENTS, Load, Names, REPLY_BYTES, REQUEST_BYTES, against, beside, boxed, through, transport_queue};
use crate::artemis::Artemis;
use crate::effort::Effort;
use crate::interleave::interleave;
use crate::report::Report;

const PERSISTENT: Names = ("request/reply persistent", "request/reply persistent: CPU");
const PERSISTENT_TLS: Names = ("request/reply persistent, TLS", "request/reply persistent, TLS: CPU");
const QUICK: Names = ("request/reply nonpersistent", "request/reply nonpersistent: CPU");
const QUICK_TLS: Names = ("request/reply nonpersistent, TLS", "request/reply nonpersistent, TLS: CPU");
const COMMITTED: Names = ("Artemis, durable, gets committed", "Artemis, durable, gets committed: CPU");
const COMMITTED_TLS: Names = ("Artemis, durable, gets committed, TLS", "Artemis, durable, gets committed, TLS: CPU");
const SENT_OFF: Names = ("Artemis, durable, gets not answered", "Artemis, durable, gets not answered: CPU");
const NOT_DURABLE: Names = ("Artemis, not durable", "Artemis, not durable: CPU");
const NOT_DURABLE_TLS: Names = ("Artemis, not durable, TLS", "Artemis, not durable, TLS: CPU");

pub(super) fn run(effort: &Effort, setting: &Setting, artemis: &Artemis, report: &mut Report) -> Result<()> {
    let _plain = Responder::start(setting, Transport::Plain, CLIENTS, REPLY_BYTES)?;
    let _tls = Responder::start(setting, Transport::Tls, CLIENTS, REPLY_BYTES)?;
    let ours = |transport, persistent| boxed(move || ours(effort, setting, transport, persistent));
    let theirs = |transport, promise| {
        boxed(move || peer::request_reply(artemis, effort, transport, promise, [REQUEST_BYTES, REPLY_BYTES]))
    };
    let loads = [
        (PERSISTENT, ours(Transport::Plain, true)),
        (COMMITTED, theirs(Transport::Plain, Promise::Committed)),
        (PERSISTENT_TLS, ours(Transport::Tls, true)),
        (COMMITTED_TLS, theirs(Transport::Tls, Promise::Committed)),
        (SENT_OFF, theirs(Transport::Plain, Promise::SentOff)),
        (QUICK, ours(Transport::Plain, false)),
        (NOT_DURABLE, theirs(Transport::Plain, Promise::NotDurable)),
        (QUICK_TLS, ours(Transport::Tls, false)),
        (NOT_DURABLE_TLS, theirs(Transport::Tls, Promise::NotDurable)),
    ]
    .map(|(names, load)| (names, Both::new(load)));
    let measured = interleave(effort.rounds, loads.iter().flat_map(|(names, load)| load.cells(*names)).collect())?;
    against(
        report,
        &measured,
        PERSISTENT,
        COMMITTED,
        [
            "request/reply 50 B/1 KiB, persistent, 10 clients, against Artemis with the same durability",
            "server CPU of it, against Artemis with the same durability",
        ],
    );
    against(
        report,
        &measured,
        PERSISTENT_TLS,
        COMMITTED_TLS,
        [
            "the same over TLS, against Artemis with the same durability over TLS",
            "server CPU of it, persistent over TLS, against Artemis with the same durability over TLS",
        ],
    );
    against(
        report,
        &measured,
        QUICK,
        NOT_DURABLE,
        [
            "request/reply 50 B/1 KiB, nonpersistent, 10 clients, against Artemis",
            "server CPU of it, nonpersistent, against Artemis",
        ],
    );
    against(
        report,
        &measured,
        QUICK_TLS,
        NOT_DURABLE_TLS,
        [
            "the same nonpersistent over TLS, against Artemis over TLS",
            "server CPU of it, nonpersistent over TLS, against Artemis over TLS",
        ],
    );
    beside(
        report,
        &measured,
        PERSISTENT,
        SENT_OFF,
        [
            "persistent request/reply, beside Artemis whose gets nobody waits for",
            "server CPU of it, beside Artemis whose gets nobody waits for",
        ],
    );
    beside(
        report,
        &measured,
        PERSISTENT_TLS,
        COMMITTED,
        [
            "persistent request/reply over TLS, beside Artemis with the same durability without TLS",
            "server CPU of it, beside Artemis with the same durability without TLS",
        ],
    );
    beside(
        report,
        &measured,
        PERSISTENT_TLS,
        SENT_OFF,
        [
            "persistent request/reply over TLS, beside Artemis without TLS whose gets nobody waits for",
            "server CPU of it, beside Artemis without TLS whose gets nobody waits for",
        ],
    );
    beside(
        report,
        &measured,
        QUICK_TLS,
        NOT_DURABLE,
        [
            "nonpersistent request/reply over TLS, beside Artemis without TLS",
            "server CPU of it, nonpersistent over TLS, beside Artemis without TLS",
        ],
    );
    Ok(())
}

fn ours(effort: &Effort, setting: &Setting, transport: Transport, persistent: bool) -> Result<Load> {
    super::load(&Choices {
        scenario: Some(Scenario::RequestReply),
        queue: Some(transport_queue(transport)),
        reply_queue: Some(setting::REPLY_QUEUE.to_owned()),
        request_size: Some(REQUEST_BYTES),
        response_size: Some(REPLY_BYTES),
        persistent: Some(persistent),
        ..through(setting, transport, effort)
    })
}
