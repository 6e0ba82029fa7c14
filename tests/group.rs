//! A queue-sharing group of three real servers under load of every kind, while members are killed, stopped and cut off: nothing answered
//! is lost or seen twice, units of work are whole, each producer's order is kept, and every wait ends.
//!
//! Clients come by the messaging REST API, by client channels and by the message API, to any member. What they ask and are told is a
//! history (`history.rs`), which the ledger judges (`ledger.rs`). A proxy stands between each member and the database, and a relay
//! between the members.
//!
//! `QSG_ROUNDS` sets how often a fault comes about: four times as many, by default 20. `QSG_SEED` repeats the choices of clients and
//! faults.

mod checked;
mod clients;
mod failover;
mod faults;
mod history;
mod ledger;
mod site;
mod soak;

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::crash::setting;

use clients::{Crew, Role};
use history::History;
use site::Site;

const ROUNDS: u32 = 20;

#[test]
fn nothing_answered_is_lost_or_seen_twice_while_members_of_a_group_are_killed_stopped_and_cut_off() -> Result<()> {
    let rounds = setting("QSG_ROUNDS")?.map_or(ROUNDS, |rounds: u32| rounds * 4);
    let seed: u64 = setting("QSG_SEED")?.unwrap_or_else(rand::random);
    eprintln!("group: {rounds} rounds, QSG_SEED={seed}");
    disturb(rounds, seed).with_context(|| format!("QSG_SEED={seed}"))
}

fn disturb(rounds: u32, seed: u64) -> Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let site = Arc::new(Site::start(3)?);
    let history = Arc::new(History::new());
    let crew = Crew::start(&site, &history, seed, &Role::ALL);
    let disturbed = (1..=rounds).try_for_each(|round| {
        crew.await_answers(200).with_context(|| format!("before round {round}"))?;
        faults::any(&site, &mut random).with_context(|| format!("round {round}"))
    });
    let worked = disturbed.and_then(|()| crew.await_answers(200));
    judge(&site, &history, crew, worked)
}

/// Ends the clients once the test has `worked`; the tables and the ledger say whether all was right.
fn judge(site: &Site, history: &Arc<History>, crew: Crew, worked: Result<()>) -> Result<()> {
    clients::settle(site, history, crew, worked)?;
    site.check_tables()?;
    let verdict = ledger::judge(&history.operations()).with_context(|| site.said())?;
    eprintln!("group: {verdict:?}");
    ensure!(verdict.put > 100 && verdict.committed > 10 && verdict.ordered > 10, "the load did little: {verdict:?}");
    site.end()
}
