//! Request and reply through a kept connection: plain and over TLS, persistent and not, each against the peer with the same
//! transport and the same promise; and beside the peer that promises less, or speaks no TLS where we do.
//!
//! Nonpersistent messages are streamed by both, the fastest way that each has: nobody waits for an answer to a put, and messages
//! come unasked for. Beside it stands what both do when each put, and our gets, are answered.

use anyhow::Result;
use workload::plan::{Choices, Scenario};

use super::peer::{self, Promise};
use super::responder;
use super::setting::{self, Setting, Transport};
use super::{Both, CLIENTS, Load, Names, REPLY_BYTES, REQUEST_BYTES, against, beside, boxed, request_queue, through};
use crate::artemis::Artemis;
use crate::effort::Effort;
use crate::interleave::interleave;
use crate::report::Report;
use crate::responder::Responder;

const PERSISTENT: Names = ("request/reply persistent", "request/reply persistent: CPU");
const PERSISTENT_TLS: Names = ("request/reply persistent, TLS", "request/reply persistent, TLS: CPU");
const QUICK: Names = ("request/reply nonpersistent", "request/reply nonpersistent: CPU");
const QUICK_TLS: Names = ("request/reply nonpersistent, TLS", "request/reply nonpersistent, TLS: CPU");
const COMMITTED: Names = ("Artemis, durable, gets committed", "Artemis, durable, gets committed: CPU");
const COMMITTED_TLS: Names = ("Artemis, durable, gets committed, TLS", "Artemis, durable, gets committed, TLS: CPU");
const SENT_OFF: Names = ("Artemis, durable, gets not answered", "Artemis, durable, gets not answered: CPU");
const STREAMED: Names = ("request/reply streamed", "request/reply streamed: CPU");
const STREAMED_TLS: Names = ("request/reply streamed, TLS", "request/reply streamed, TLS: CPU");
const PEER_STREAMED: Names = ("Artemis, streamed", "Artemis, streamed: CPU");
const PEER_STREAMED_TLS: Names = ("Artemis, streamed, TLS", "Artemis, streamed, TLS: CPU");
const NOT_DURABLE: Names = ("Artemis, not durable", "Artemis, not durable: CPU");
const NOT_DURABLE_TLS: Names = ("Artemis, not durable, TLS", "Artemis, not durable, TLS: CPU");

pub(super) fn run(effort: &Effort, setting: &Setting, artemis: &Artemis, report: &mut Report) -> Result<()> {
    let _responders = responders(setting)?;
    let ours = |transport, promise| boxed(move || ours(effort, setting, transport, promise));
    let theirs = |transport, promise| {
        boxed(move || peer::request_reply(artemis, effort, transport, promise, [REQUEST_BYTES, REPLY_BYTES]))
    };
    let loads = [
        (PERSISTENT, ours(Transport::Plain, Promise::Committed)),
        (COMMITTED, theirs(Transport::Plain, Promise::Committed)),
        (PERSISTENT_TLS, ours(Transport::Tls, Promise::Committed)),
        (COMMITTED_TLS, theirs(Transport::Tls, Promise::Committed)),
        (SENT_OFF, theirs(Transport::Plain, Promise::SentOff)),
        (QUICK, ours(Transport::Plain, Promise::NotDurable)),
        (NOT_DURABLE, theirs(Transport::Plain, Promise::NotDurable)),
        (STREAMED, ours(Transport::Plain, Promise::Streamed)),
        (PEER_STREAMED, theirs(Transport::Plain, Promise::Streamed)),
        (STREAMED_TLS, ours(Transport::Tls, Promise::Streamed)),
        (PEER_STREAMED_TLS, theirs(Transport::Tls, Promise::Streamed)),
        (QUICK_TLS, ours(Transport::Tls, Promise::NotDurable)),
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
        STREAMED,
        PEER_STREAMED,
        [
            "request/reply 50 B/1 KiB, nonpersistent, 10 clients, both streaming, against Artemis",
            "server CPU of it, nonpersistent, against Artemis",
        ],
    );
    against(
        report,
        &measured,
        STREAMED_TLS,
        PEER_STREAMED_TLS,
        [
            "the same nonpersistent over TLS, both streaming, against Artemis over TLS",
            "server CPU of it, nonpersistent over TLS, against Artemis over TLS",
        ],
    );
    beside(
        report,
        &measured,
        QUICK,
        NOT_DURABLE,
        [
            "nonpersistent request/reply, every put answered, and our gets, beside Artemis with answered puts",
            "server CPU of it, puts answered, beside Artemis with answered puts",
        ],
    );
    beside(
        report,
        &measured,
        QUICK_TLS,
        NOT_DURABLE_TLS,
        [
            "the same with answered puts over TLS, beside Artemis over TLS with answered puts",
            "server CPU of it, puts answered, over TLS, beside Artemis over TLS with answered puts",
        ],
    );
    beside(
        report,
        &measured,
        PERSISTENT,
        SENT_OFF,
        [
            "persistent request/reply, beside Artemis whose gets are not answered",
            "server CPU of it, beside Artemis whose gets are not answered",
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
            "persistent request/reply over TLS, beside Artemis without TLS whose gets are not answered",
            "server CPU of it, beside Artemis without TLS whose gets are not answered",
        ],
    );
    Ok(())
}

/// For each transport one that streams and one that does not.
fn responders(setting: &Setting) -> Result<Vec<Responder>> {
    let kinds =
        [Transport::Plain, Transport::Tls].into_iter().flat_map(|transport| [(transport, false), (transport, true)]);
    kinds.map(|(transport, streams)| responder::start(setting, transport, CLIENTS, REPLY_BYTES, streams)).collect()
}

fn ours(effort: &Effort, setting: &Setting, transport: Transport, promise: Promise) -> Result<Load> {
    let streams = promise == Promise::Streamed;
    let reply_queue = if streams { setting::REPLY_MODEL } else { setting::REPLY_QUEUE };
    super::load(&Choices {
        scenario: Some(Scenario::RequestReply),
        queue: Some(request_queue(transport, streams)),
        reply_queue: Some(reply_queue.to_owned()),
        request_size: Some(REQUEST_BYTES),
        response_size: Some(REPLY_BYTES),
        persistent: Some(promise == Promise::Committed),
        streaming: Some(streams),
        ..through(setting, transport, effort)
    })
}
