//! A durable put, then a durable get, repeatedly on ten connections: against the peer with the same durability, and
//! beside it when nobody waits for its gets.

use anyhow::Result;
use workload::plan::{Choices, Scenario};

use super::peer::{self, Promise};
use super::setting::{self, Setting, Transport};
use super::{Both, Names, PAIR_BYTES, beside, boxed, load, through};
use crate::artemis::Artemis;
use crate::effort::Effort;
use crate::interleave::interleave;
use crate::report::{Bar, Report};

const OURS: Names = ("durable put+get, 10 connections", "durable put+get, 10 connections: CPU");
const COMMITTED: Names = ("Artemis durable put+get, gets committed", "Artemis durable put+get, gets committed: CPU");
const SENT_OFF: Names =
    ("Artemis durable put+get, gets not answered", "Artemis durable put+get, gets not answered: CPU");

pub(super) fn run(effort: &Effort, setting: &Setting, artemis: &Artemis, report: &mut Report) -> Result<()> {
    let choices = Choices {
        scenario: Some(Scenario::PutGet),
        queue: Some(setting::PAIR_QUEUE.to_owned()),
        request_size: Some(PAIR_BYTES),
        persistent: Some(true),
        ..through(setting, Transport::Plain, effort)
    };
    let theirs = |promise| boxed(move || peer::pairs(artemis, effort, promise, PAIR_BYTES));
    let loads = [
        (OURS, boxed(|| load(&choices))),
        (COMMITTED, theirs(Promise::Committed)),
        (SENT_OFF, theirs(Promise::SentOff)),
    ]
    .map(|(names, load)| (names, Both::new(load)));
    let measured = interleave(effort.rounds, loads.iter().flat_map(|(names, load)| load.cells(*names)).collect())?;
    report.add(
        Bar::at_least(
            "durable put+get pairs 1 KiB from 10 connections, against Artemis's journal with the same durability",
            2.0,
        )
        .ratio(&measured, OURS.0, COMMITTED.0, "/s"),
    );
    report.add(
        Bar::figure("server CPU of a durable pair over a channel, against Artemis with the same durability").ratio(
            &measured,
            OURS.1,
            COMMITTED.1,
            "µs",
        ),
    );
    beside(
        report,
        &measured,
        OURS,
        SENT_OFF,
        [
            "durable put+get pairs, beside Artemis whose gets are not answered",
            "server CPU of a durable pair, beside Artemis whose gets are not answered",
        ],
    );
    Ok(())
}
