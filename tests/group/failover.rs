//! Servers of a group and their clients while the database fails over under Patroni with synchronous replication: its primary is killed,
//! Patroni switches over, and Patroni is frozen while its PostgreSQL goes on as a second primary. The same ledger judges.
//!
//! `QSG_FAILOVERS` says how often each fault comes about; by default, a primary is killed once. `QSG_SEED` repeats the choices of clients.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use group_harness::patroni::Cluster;
use group_harness::postgres::Asked;
use workload::measure::now;

use super::clients::{Crew, Role};
use super::faults::pause;
use super::history::History;
use super::judge;
use super::site::{Place, Site, eventually};
use crate::crash::setting;

/// Longer than the key of a leader lives.
const FROZEN: Duration = Duration::from_secs(35);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    PrimaryKilled,
    SwitchedOver,
    /// Its PostgreSQL goes on, until Patroni wakes and demotes it.
    PatroniFrozen,
    /// PostgreSQL and Patroni, and a member at the same time.
    PrimaryAndMemberKilled,
}

const FAULTS: [Fault; 4] =
    [Fault::PrimaryKilled, Fault::SwitchedOver, Fault::PatroniFrozen, Fault::PrimaryAndMemberKilled];

struct Shared(Arc<Cluster>);

impl Asked for Shared {
    /// Of the primary, as soon as there is one.
    fn run(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        self.0.run(sql)
    }
}

impl Place for Shared {
    fn url(&self) -> &str {
        self.0.url()
    }
}

#[test]
fn servers_whose_database_fails_over_lose_nothing_and_get_nothing_twice() -> Result<()> {
    let rounds: usize = setting("QSG_FAILOVERS")?.unwrap_or(0);
    let seed: u64 = setting("QSG_SEED")?.unwrap_or_else(rand::random);
    eprintln!("failovers: {rounds} of each, QSG_SEED={seed}");
    let faults = if rounds == 0 { vec![Fault::PrimaryKilled] } else { FAULTS.repeat(rounds) };
    fail_over(&faults, seed).with_context(|| format!("QSG_SEED={seed}"))
}

fn fail_over(faults: &[Fault], seed: u64) -> Result<()> {
    let cluster = Arc::new(Cluster::of_group("QSG1"));
    let site = Arc::new(Site::on(Box::new(Shared(Arc::clone(&cluster))), None, vec![None, None, None])?);
    let history = Arc::new(History::new());
    let crew = Crew::start(&site, &history, seed, &Role::ALL);
    let disturbed = faults.iter().try_for_each(|fault| {
        crew.await_answers(300)?;
        disturb(&cluster, &site, *fault).with_context(|| format!("{fault:?}"))?;
        let begun = now();
        crew.await_answers(300).with_context(|| format!("after {fault:?}"))?;
        eprintln!("failovers: {fault:?}, 300 answers {:.1?} later", begun.elapsed());
        cluster.wait_until_whole();
        Ok(())
    });
    judge(&site, &history, crew, disturbed).with_context(|| cluster.said())
}

fn disturb(cluster: &Cluster, site: &Site, fault: Fault) -> Result<()> {
    use group_harness::patroni::Signal;
    let primary = cluster.primary().context("a node takes writes")?;
    let timeline = cluster.role(primary).context("it answers")?.timeline;
    let is_promoted =
        || (0..3).any(|node| cluster.role(node).is_some_and(|role| role.takes_writes && role.timeline > timeline));
    match fault {
        Fault::PrimaryKilled => cluster.kill_postmaster(primary),
        Fault::SwitchedOver => cluster.switch_over(primary),
        Fault::PatroniFrozen => cluster.signal_patroni(primary, Signal::STOP),
        Fault::PrimaryAndMemberKilled => {
            cluster.kill_patroni(primary);
            cluster.kill_postmaster(primary);
            site.members()[primary].kill()?;
        }
    }
    let begun = now();
    eventually("another node takes writes", is_promoted)?;
    match fault {
        Fault::PrimaryKilled | Fault::SwitchedOver => {}
        Fault::PatroniFrozen => {
            pause(FROZEN.saturating_sub(begun.elapsed()));
            cluster.signal_patroni(primary, Signal::CONT);
        }
        Fault::PrimaryAndMemberKilled => {
            cluster.start_patroni(primary);
            // A member that starts while the database is away does not know the group's queues until it is back.
            site.members()[primary].start()?;
        }
    }
    Ok(())
}
