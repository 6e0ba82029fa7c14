//! Shared queues: what a message costs the group's database, beside one transaction an operation on the same table.
//!
//! Both sides work on the same server with the same settings and every commit synced. The peer is what a program would do with the table
//! itself: each operation is a transaction, a unit of work keeps one open, each caller has its own connection. Ours are members in this
//! process, each with its five connections. What is compared is the processor time of all of PostgreSQL's processes an operation. Each load
//! begins on tables without dead rows and after a checkpoint, so that none pays for what another one has left.

mod depth;
mod idle;
mod plain;
mod processes;
mod snapshot;
mod wake;

use std::cell::RefCell;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use model::descriptor::{MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::timestamp::Timestamp;
use storage::{Placement, QueueId, Selection, SharedOptions, SharedStore, Store, StoreOptions, StoredMessage};

use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::postgresql::Postgresql;
use crate::report::{Bar, Report};
use crate::sharing::plain::Plain;
use crate::sharing::processes::used_by;
use crate::throughput::{block_on, rate_from};

const SIZE: usize = 1024;
const GROUP: &str = "QSG1";
const NOW: Timestamp = Timestamp(1_800_000_000_000_000);

const PLAIN_10: &str = "put and get, a transaction each, 10 callers";
const PLAIN_50: &str = "put and get, a transaction each, 50 callers";
const PLAIN_CORRELATED: &str = "by correlation id, a transaction each, 50";
const PLAIN_UNIT: &str = "a unit of work held open, 50 callers";
const PAIR_10: &str = "put and get on a shared queue, 10 callers";
const PAIR_50: &str = "put and get on a shared queue, 50 callers";
const CORRELATED: &str = "by correlation id on a shared queue, 50";
const UNIT: &str = "a unit of work on shared queues, 50 callers";
const PAIR_25: &str = "put and get on a shared queue, 25 callers";
const TWO_MEMBERS: &str = "put and get by two members, 25 callers each";
const TWO_QUEUES: &str = "put and get by two members, each on its own queue, 25 callers each";
const TWO_FULL: &str = "put and get by two members, 50 callers each";

/// What callers do in a closed loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Load {
    /// Put, and get any.
    Pair,
    /// Put, and get by correlation identifier.
    Correlated,
    /// Put a request; get one and put a reply to it in a unit of work; get the reply by correlation identifier.
    Unit,
}

/// # Errors
/// PostgreSQL cannot be started or refuses something.
pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    // A batch is answered in several pieces, and the database pays for each program that one of them wakes.
    let awake = Awake::keep();
    let server = Postgresql::start(&effort.work)?;
    let database = server.database("sharing")?;
    plain::make_tables(&database, GROUP)?;
    let members = ["QM1", "QM2"].map(|name| Member::join(&database, name));
    let [one, two] = members;
    let (one, two) = (one?, two?);
    let queues = Queues::make(&one)?;
    two.know(&queues)?;
    let plain = Plain { database: database.clone() };
    let apart = Queues::make(&two)?;
    let cost = |callers: usize, load: Load, places: &[(&Member, &Queues)]| {
        server.tidy_up()?;
        ours(effort, &server, callers, load, places)
    };
    let at_one = [(&one, &queues)];
    let peer = |callers: usize, load: Load| {
        server.tidy_up()?;
        cost_of(&server, effort, callers, |number| plain.caller(load, &queues, number))
    };
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(PLAIN_10, || peer(10, Load::Pair)),
            Cell::new(PAIR_10, || cost(10, Load::Pair, &at_one)),
            Cell::new(PLAIN_50, || peer(50, Load::Pair)),
            Cell::new(PAIR_50, || cost(50, Load::Pair, &at_one)),
            Cell::new(PAIR_25, || cost(25, Load::Pair, &at_one)),
            Cell::new(TWO_QUEUES, || cost(50, Load::Pair, &[(&one, &queues), (&two, &apart)])),
            Cell::new(TWO_FULL, || cost(100, Load::Pair, &[(&one, &queues), (&two, &queues)])),
            Cell::new(TWO_MEMBERS, || cost(50, Load::Pair, &[(&one, &queues), (&two, &queues)])),
            Cell::new(PLAIN_CORRELATED, || peer(50, Load::Correlated)),
            Cell::new(CORRELATED, || cost(50, Load::Correlated, &at_one)),
            Cell::new(PLAIN_UNIT, || peer(50, Load::Unit)),
            Cell::new(UNIT, || cost(50, Load::Unit, &at_one)),
        ],
    )?;
    let bars = [
        ("database CPU of a put and get on a shared queue, 10 callers", 0.45, PAIR_10, PLAIN_10),
        ("database CPU of a put and get on a shared queue, 50 callers", 0.2, PAIR_50, PLAIN_50),
        ("database CPU of a put and get by correlation id, 50 callers", 0.35, CORRELATED, PLAIN_CORRELATED),
        ("database CPU of a unit of work on shared queues, 50 callers", 0.3, UNIT, PLAIN_UNIT),
        ("database CPU of a put and get by two members against one", 1.4, TWO_MEMBERS, PAIR_50),
    ];
    for (name, limit, ours, peer) in bars {
        report.add(Bar::at_most(name, limit).ratio(&measured, ours, peer, "µs"));
    }
    // Of what the cost of two members consists: transactions of half as many callers, two members at once, and that they share a queue.
    let parts = [
        ("database CPU of a put and get by one member with half the callers, against all", PAIR_25, PAIR_50),
        (
            "database CPU of a put and get by two members of 25 callers on one queue, against a queue each",
            TWO_MEMBERS,
            TWO_QUEUES,
        ),
        ("database CPU of a put and get by two members of 50 callers each, against one of 50", TWO_FULL, PAIR_50),
    ];
    for (name, ours, peer) in parts {
        report.add(Bar::figure(name).ratio(&measured, ours, peer, "µs"));
    }
    wake::run(&one, &two, &queues, report)?;
    server.tidy_up()?;
    snapshot::run(effort, &database, report, || ours(effort, &server, 50, Load::Pair, &at_one))?;
    one.store.close();
    two.store.close();
    depth::run(effort, &server, report)?;
    drop((server, awake));
    idle::run(effort, &Postgresql::start(&effort.work)?, report)
}

struct Queues {
    requests: QueueId,
    replies: QueueId,
}

impl Queues {
    fn make(member: &Member) -> Result<Self> {
        let make = || block_on(member.store.create_shared_queue("APP1"));
        Ok(Self { requests: make()?, replies: make()? })
    }
}

struct Member {
    store: Store,
}

impl Member {
    fn join(database: &str, name: &str) -> Result<Self> {
        let shared = SharedStore::start(SharedOptions::new(database.to_owned(), name.to_owned()))?;
        let store = Store::ephemeral(StoreOptions::default()).in_group(shared);
        block_on(store.meet_group()).context("the member cannot join")?;
        Ok(Self { store })
    }

    fn know(&self, queues: &Queues) -> Result<()> {
        let shared = self.store.shared().context("the member is in a group")?;
        for queue in [queues.requests, queues.replies] {
            block_on(shared.know_queue(queue))?;
        }
        Ok(())
    }
}

/// Microseconds of PostgreSQL's processor time an operation.
fn cost_of<F>(
    server: &Postgresql,
    effort: &Effort,
    callers: usize,
    make: impl Fn(usize) -> Result<F> + Sync,
) -> Result<f64>
where
    F: FnMut() -> Result<()>,
{
    let mut before = Ok(Duration::ZERO);
    let rate = rate_from(callers, effort.engine, make, || before = used_by(server.id()))?;
    let used = used_by(server.id())?.saturating_sub(before?);
    Ok(used.as_secs_f64() * 1e6 / (rate * effort.engine.as_secs_f64()))
}

fn ours(
    effort: &Effort,
    server: &Postgresql,
    callers: usize,
    load: Load,
    places: &[(&Member, &Queues)],
) -> Result<f64> {
    cost_of(server, effort, callers, |number| {
        let (Member { store }, queues) = places[number % places.len()];
        let serial = RefCell::new(0_u64);
        Ok(move || {
            *serial.borrow_mut() += 1;
            block_on(operation(store, load, queues, identifier(number, *serial.borrow())))
        })
    })
}

/// Of one message of one caller.
fn identifier(caller: usize, serial: u64) -> [u8; 24] {
    let mut bytes = [7; 24];
    bytes[8..16].copy_from_slice(&(caller as u64).to_be_bytes());
    bytes[16..].copy_from_slice(&serial.to_be_bytes());
    bytes
}

async fn operation(store: &Store, load: Load, queues: &Queues, id: [u8; 24]) -> Result<()> {
    match load {
        Load::Pair => {
            put(store, None, queues.requests, id, [0; 24]).await?;
            got(store.get(None, queues.requests, &Selection::default(), NOW).await?)?;
        }
        Load::Correlated => {
            put(store, None, queues.requests, id, id).await?;
            got(store.get(None, queues.requests, &by(id), NOW).await?)?;
        }
        Load::Unit => {
            put(store, None, queues.requests, id, [0; 24]).await?;
            let unit = store.begin();
            let request = got(store.get(Some(unit), queues.requests, &Selection::default(), NOW).await?)?;
            let id = *request.message.descriptor.message_id.as_bytes();
            put(store, Some(unit), queues.replies, id, id).await?;
            store.commit(unit).await?;
            got(store.get(None, queues.replies, &by(id), NOW).await?)?;
        }
    }
    Ok(())
}

fn by(id: [u8; 24]) -> Selection<'static> {
    Selection { correlation_id: Some(CorrelationId::new(id)), ..Selection::default() }
}

async fn put(
    store: &Store,
    unit: Option<storage::UnitOfWorkId>,
    queue: QueueId,
    id: [u8; 24],
    correlation: [u8; 24],
) -> Result<()> {
    let descriptor = MessageDescriptor {
        message_id: MessageId::new(id),
        correlation_id: CorrelationId::new(correlation),
        persistence: Persistence::Persistent,
        ..MessageDescriptor::default()
    };
    let message = Message { descriptor, body: Bytes::from_static(&[b'x'; SIZE]) };
    let placement = Placement { by_priority: true, maximum_depth: u32::MAX, expires: None, persistent: true };
    store.put(unit, queue, message, placement, NOW).await?;
    Ok(())
}

fn got(message: Option<StoredMessage>) -> Result<StoredMessage> {
    let message = message.context("the message that was put is there")?;
    ensure!(message.message.body.len() == SIZE, "a message came back with another length");
    Ok(message)
}
