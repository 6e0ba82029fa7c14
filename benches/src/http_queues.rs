//! Queues that speak HTTP, side by side: what sending, receiving and deleting messages of 1 KiB costs each server.
//!
//! One client program drives all of them: the same kept connections of plain HTTP, the same bodies, a queue for each client.
//! A peer that cannot be had is named and left out; the bars compare with the cheapest of those that are there.

mod activemq;
mod elasticmq;
mod floor;
mod goaws;
mod load;
mod ours;
mod process;
mod queue;
mod rabbitmq;

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Measured, interleave};
use crate::rabbitmq::RabbitMq;
use crate::report::{Bar, Report};

use self::activemq::ActiveMq;
use self::elasticmq::ElasticMq;
use self::floor::Floor;
use self::goaws::GoAws;
use self::load::{Figure, Load};
use self::ours::Ours;
use self::queue::{HttpQueue, Persistence, Role, Taking};

/// Messages of a request: one by one, and as many as SQS takes.
const TOGETHER: [usize; 2] = [1, 10];
/// Ours is to cost at most this part of the cheapest peer: five times cheaper.
const PART: f64 = 0.2;
/// Each load of a round is measured in so many pieces, in turn with the others.
const PIECES: u32 = 4;
/// Each load before it is measured. The Java virtual machines have several, and compile meanwhile what counts.
const WARM_UP: Duration = Duration::from_secs(2);
const WARM_UP_OF_JAVA: Duration = Duration::from_secs(20);
const QUICK_WARM_UP: Duration = Duration::from_secs(1);

/// # Errors
/// Our server does not start, no peer can be had, or one of them refuses something.
pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let _awake = Awake::keep();
    let servers = Servers::start(&effort.work)?;
    let queues = servers.queues()?;
    let length = effort.rest / 2 / PIECES;
    let mut loads: Vec<_> =
        queues.iter().flat_map(|queue| TOGETHER.map(|together| Load::new(&**queue, together, length))).collect();
    loads.extend(servers.floor.as_ref().map(|floor| Load::new(floor, 1, length)));
    // What is compared is measured one after the other.
    loads.sort_by_key(|load| (load.queue.persistence(), load.together));
    warm_up(&loads, report.is_quick())?;
    let pieces = PIECES as usize;
    let measured = interleave(effort.rounds * pieces, loads.iter().flat_map(Load::cells).collect())?;
    let measured = measured.in_rounds_of(pieces);
    show(&loads, &measured);
    judge(report, &loads, &measured);
    Ok(())
}

/// All run at the same time, and are idle in turns.
struct Servers {
    ours: Ours,
    elasticmq: Option<ElasticMq>,
    goaws: Option<GoAws>,
    rabbitmq: Option<RabbitMq>,
    activemq: Option<ActiveMq>,
    floor: Option<Floor>,
}

impl Servers {
    fn start(work: &Path) -> Result<Self> {
        let servers = Self {
            ours: Ours::start(work)?,
            elasticmq: had("ElasticMQ", work, ElasticMq::start),
            goaws: had("GoAws", work, GoAws::start),
            rabbitmq: had("RabbitMQ", work, RabbitMq::start),
            activemq: had("ActiveMQ", work, ActiveMq::start),
            floor: had("nginx", work, Floor::start),
        };
        let peers = [
            servers.elasticmq.is_some(),
            servers.goaws.is_some(),
            servers.rabbitmq.is_some(),
            servers.activemq.is_some(),
        ];
        ensure!(peers.contains(&true), "no peer can be had");
        Ok(servers)
    }

    /// Of each kind of messages that a server keeps. ElasticMQ and GoAws keep theirs in memory.
    fn queues(&self) -> Result<Vec<Box<dyn HttpQueue + '_>>> {
        let mut queues: Vec<Box<dyn HttpQueue + '_>> = Vec::new();
        for persistence in Persistence::BOTH {
            for taking in Taking::BOTH {
                queues.push(Box::new(self.ours.queues(persistence, taking)));
            }
            if let Some(peer) = &self.rabbitmq {
                queues.push(Box::new(rabbitmq::Queues::declare(peer, persistence)?));
            }
            if let Some(peer) = &self.activemq {
                queues.push(Box::new(peer.queues(persistence)));
            }
        }
        if let Some(peer) = &self.elasticmq {
            queues.push(Box::new(peer.queues()));
        }
        if let Some(peer) = &self.goaws {
            queues.push(Box::new(peer.queues()));
        }
        Ok(queues)
    }
}

/// A server, or why it is left out.
fn had<T>(name: &str, work: &Path, start: impl FnOnce(&Path) -> Result<T>) -> Option<T> {
    start(work).inspect_err(|error| eprintln!("  {name} cannot be had, and is left out: {error:#}")).ok()
}

fn warm_up(loads: &[Load<'_>], is_quick: bool) -> Result<()> {
    for load in loads {
        let length = match (is_quick, load.queue.is_java()) {
            (true, _) => QUICK_WARM_UP,
            (false, true) => WARM_UP_OF_JAVA,
            (false, false) => WARM_UP,
        };
        eprintln!("  warming {} for {} s", load.name(), length.as_secs());
        load.run(length)?;
    }
    Ok(())
}

/// Every figure of every server: the bars show only the cheapest peer.
fn show(loads: &[Load<'_>], measured: &Measured) {
    let head: Vec<_> = Figure::ALL.iter().map(|figure| figure.column()).collect();
    eprintln!("\n| server, messages a request | {} |\n|---|{}", head.join(" | "), "---:|".repeat(head.len()));
    for load in loads {
        let figures: Vec<_> =
            Figure::ALL.iter().map(|figure| format!("{:.1}", measured.median(load.cell(*figure)))).collect();
        eprintln!("| {} | {} |", load.name(), figures.join(" | "));
    }
}

/// What is compared: figures of loads that keep messages alike, with as many messages a request.
fn judge(report: &mut Report, loads: &[Load<'_>], measured: &Measured) {
    for persistence in Persistence::BOTH {
        for together in TOGETHER {
            let alike: Vec<_> = loads
                .iter()
                .filter(|load| load.queue.persistence() == persistence && load.together == together)
                .collect();
            let how = format!("{}, {}", manner(together), persistence.word());
            for figure in [Figure::SendCost, Figure::SendRate] {
                compare(report, measured, &alike, figure, &format!("sent over HTTP {how}"));
            }
            for taking in Taking::BOTH {
                let alike: Vec<_> = alike.iter().copied().filter(|load| load.queue.taking() == taking).collect();
                for figure in [Figure::TakeCost, Figure::TakeRate] {
                    compare(report, measured, &alike, figure, &format!("{} over HTTP {how}", taking.words()));
                }
            }
        }
    }
}

/// Adds a row: ours beside the best of the peers, where there is one. Another: our cost beside that of the floor.
fn compare(report: &mut Report, measured: &Measured, loads: &[&Load<'_>], figure: Figure, what: &str) {
    let cells = |role: Role| loads.iter().filter(move |load| load.queue.role() == role).map(|load| load.cell(figure));
    let ours = cells(Role::Ours).next().expect("our queues are always measured");
    if let Some(peer) = figure.best(cells(Role::Peer), measured) {
        let bar = match figure.is_cost() {
            true => Bar::at_most(format!("CPU of a message {what}").leak(), PART),
            false => Bar::figure(format!("messages {what}").leak()),
        };
        report.add(bar.ratio(measured, ours, peer, figure.unit()));
    }
    if let Some(floor) = cells(Role::Floor).next().filter(|_| figure.is_cost()) {
        let bar = Bar::figure(format!("CPU of a message {what}, beside a request without a queue").leak());
        report.add(bar.ratio(measured, ours, floor, figure.unit()));
    }
}

fn manner(together: usize) -> String {
    match together {
        1 => "one by one".to_owned(),
        many => format!("by {many}"),
    }
}
