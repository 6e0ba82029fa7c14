//! What is done again and again while a session is open: heartbeats, figures, arrivals that no datagram told, recovery of peers.

use std::collections::{HashMap, HashSet};
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Row;
use tracing::{info, warn};

use super::{Driver, Role, Session, connected, restating};
use crate::shared::batch::by_queue;
use crate::shared::error::SharedError;
use crate::shared::hint::Heard;
use crate::shared::lane::LAZY;
use crate::shared::member::{self, Beaten, MemberStatus, Watch};
use crate::shared::operation::Place;
use crate::shared::primary;
use crate::shared::row::{delivery_key, moment, position, queue_id, queue_number, rank, timestamp};
use crate::shared::structure;
use crate::{DeliveryKey, QueueId};
use model::timestamp::Timestamp;

/// A peer's recovery waits this long for transactions of the dead member that are under way.
const RECOVERY: Duration = Duration::from_secs(60);
/// Between two looks at queues that somebody waits for.
const POLL: Duration = Duration::from_millis(100);
/// A look at all of them while hints arrive, in units of `POLL`.
const POLLS_OF_ALL: u32 = 10;
/// Between two looks at what the others have done to queues in use.
const REFRESH: Duration = Duration::from_millis(250);
/// The same for all queues, in units of `REFRESH`.
const REFRESHES_OF_ALL: u32 = 40;

/// Gives back what the database holds for this member and nobody here knows of: a lazy commit that returned it was lost with a
/// primary, or the answer to a claim was. And learns what is on the queues.
pub(super) async fn reconcile(driver: &Driver, session: &Session) -> Result<(), tokio_postgres::Error> {
    let reader = &session.reader;
    let rows = reader.client.query(&reader.statements.claims, &[&session.owner()]).await?;
    let unknown: Vec<Place> = {
        let known = driver.claims.lock();
        rows.iter()
            .map(|row| Place { queue: queue_id(row.get(0)), key: delivery_key(row.get(1), row.get(2)) })
            .filter(|place| known.get(place) != Some(&session.epoch))
            .collect()
    };
    if !unknown.is_empty() {
        info!(messages = unknown.len(), "messages that no unit of work of this member has any more are given back");
        driver.inboxes[LAZY].release(unknown, session.epoch);
    }
    // A primary that was lost may have taken claims with it that were not on disk.
    driver.figures.all().iter().for_each(|figures| figures.low_water.reset());
    restating::restate_handles(driver, session).await?;
    let queues: Vec<QueueId> = driver.figures.all().iter().map(|figures| figures.queue).collect();
    read_depths(driver, session, &queues, true).await?;
    if driver.role == Role::Home {
        return Ok(());
    }
    // Queues may have moved here while this member did not reach the database.
    let numbers: Vec<i32> = queues.iter().map(|queue| queue_number(*queue)).collect();
    let rows = reader.client.query(&reader.statements.last_positions, &[&numbers]).await?;
    let last = rows.iter().map(|row| row.get::<_, i64>(0).unsigned_abs()).max();
    last.into_iter().for_each(|last| driver.positions.follow(last));
    Ok(())
}

/// Ranks and positions where looks begin; `None` is the queue's beginning.
fn places(keys: impl Iterator<Item = Option<DeliveryKey>>) -> (Vec<i16>, Vec<i64>) {
    keys.map(|key| key.map_or((0, 0), |key| (rank(key), position(key)))).unzip()
}

/// `with_own`: also what this member has added itself, which nothing changes meanwhile.
pub(in crate::shared) async fn read_depths(
    driver: &Driver,
    session: &Session,
    queues: &[QueueId],
    with_own: bool,
) -> Result<(), tokio_postgres::Error> {
    if queues.is_empty() {
        return Ok(());
    }
    let (client, s) = (&session.reader.client, &session.reader.statements);
    let looks: Vec<_> = queues.iter().filter_map(|queue| driver.figures.of(*queue)).collect();
    let looks: Vec<_> = looks.into_iter().map(|figures| (figures.beginning.look(None), figures)).collect();
    let numbers: Vec<i32> = looks.iter().map(|(_, figures)| queue_number(figures.queue)).collect();
    let (ranks, positions) = places(looks.iter().map(|(look, _)| look.from));
    let ends = client.query(&s.ends, &[&numbers, &ranks, &positions]).await?;
    let mut ends: HashMap<QueueId, Row> = ends.into_iter().map(|row| (queue_id(row.get(0)), row)).collect();
    let rows = session.reader.openings(looks.iter().map(|(look, figures)| (&figures.queue, look))).await?;
    let mut added = added_to(&rows, session.member);
    let mut opened = by_queue(&rows, 0);
    for (look, figures) in looks {
        let queue = figures.queue;
        let Added { others, own } = added.remove(&queue).unwrap_or_default();
        figures.set_others(others.0, others.1);
        if with_own {
            figures.set_own(own.0, own.1);
        }
        let Some(row) = ends.remove(&queue) else { continue };
        figures.set_next_expiry(row.get::<_, Option<i64>>(1).map(timestamp));
        figures.set_oldest(row.get::<_, Option<i64>>(2).map(timestamp));
        let first: Option<i16> = row.get(3);
        let first = first.map(|rank| delivery_key(rank, row.get(4)));
        figures.beginning.seen(&look, first, &opened.remove(&queue).unwrap_or_default());
    }
    Ok(())
}

/// Messages and bytes that lanes have added to a queue, less those they have taken.
#[derive(Default)]
struct Added {
    others: (i64, i64),
    own: (i64, i64),
}

fn added_to(rows: &[Row], member: i32) -> HashMap<QueueId, Added> {
    let mut added: HashMap<QueueId, Added> = HashMap::new();
    for row in rows {
        let added = added.entry(queue_id(row.get(0))).or_default();
        let sum = if row.get::<_, i32>(1) == member { &mut added.own } else { &mut added.others };
        *sum = (sum.0 + row.get::<_, i64>(6), sum.1 + row.get::<_, i64>(7));
    }
    added
}

/// Shows the others that this member lives, and recovers those that do not. Returns when the session is lost.
pub(super) async fn beat(driver: &Arc<Driver>, session: &Session, watch: &mut Watch) {
    loop {
        let began = Instant::now();
        let beaten = member::beat(&session.admin, session.member, session.epoch, watch);
        match timeout(driver.options.deadline, beaten).await {
            Ok(Ok(Some(Beaten { members, definition_version, has_expiry_duty }))) => {
                driver.counts.round_trip(began.elapsed());
                driver.has_expiry_duty.store(has_expiry_duty, Ordering::Relaxed);
                driver.in_common.see_definitions(definition_version);
                if let Some(hints) = driver.in_common.hints() {
                    hints.meet(&members);
                }
                watch.dead(&members, session.member).into_iter().for_each(|dead| recover(driver, dead));
                driver.in_common.see_members(members);
            }
            Ok(Ok(None)) => {
                warn!("a peer has recovered this member: its open units of work on shared queues are lost");
                return driver.fenced(session.generation);
            }
            Ok(Err(error)) => return driver.broken(session.generation, &error),
            Err(_) => return driver.too_slow(session.generation),
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// On a connection of its own: it may wait for the dead member's transactions, and this member's beat must not.
pub(in crate::shared) fn recover(driver: &Arc<Driver>, dead: MemberStatus) {
    if !driver.recovering.lock().insert(dead.number) {
        return;
    }
    let structure = driver.structure();
    warn!(member = %dead.name, structure, "a member of the group shows no life; its open units of work are backed out");
    let driver = Arc::clone(driver);
    tokio::spawn(async move {
        let recovered = async {
            let primary = primary::find(&driver.options, &driver.highest).await?;
            let (helper, _) = connected(&primary, false, &driver.options.schema).await?;
            let recovered = match driver.role {
                Role::Home => member::recover(&helper, &dead, &driver.options.member).await,
                Role::Structure(_) => structure::end_epochs(&helper, &dead, &driver.options.member).await,
            };
            recovered.map_err(|source| SharedError::Refused { action: "recover a member", source })
        };
        match timeout(RECOVERY, recovered).await {
            Ok(Ok(given_back)) => driver.gave_back(given_back),
            Ok(Err(error)) => {
                let cause = error.source().map(ToString::to_string);
                warn!(member = %dead.name, %error, cause, "the recovery of a member is tried again");
            }
            Err(_) => warn!(member = %dead.name, "the recovery of a member takes long, and is tried again"),
        }
        driver.recovering.lock().remove(&dead.number);
    });
}

/// Takes the peers' hints, of all databases; for ever.
pub(super) async fn hear(driver: &Driver) {
    let hints = if driver.role == Role::Home { driver.in_common.hints() } else { None };
    match hints {
        Some(hints) => {
            let hear = |heard| match heard {
                Heard::Arrived(queues) => queues.into_iter().for_each(|queue| driver.in_common.arrived(queue)),
                Heard::Changed(queues) => {
                    for queue in queues {
                        let of_queue = driver.in_common.driver_of(queue.cluster());
                        if let Some(figures) = of_queue.and_then(|driver| driver.figures.of(queue)) {
                            figures.use_it();
                        }
                    }
                }
                Heard::Requests => driver.requests.send_modify(|()| {}),
            };
            hints.listen(hear).await;
        }
        None => std::future::pending().await,
    }
}

/// The net below hints: tells those who wait that there is something to take. Returns when the session is lost.
///
/// A wait that has begun since the last round may have missed the hint that its peer did not know to send, so it is looked at in the
/// next one; the others once a second while all peers are heard.
pub(super) async fn poll(driver: &Driver, session: &Session) {
    let mut known: HashSet<QueueId> = HashSet::new();
    for round in 0_u32.. {
        sleep(POLL).await;
        let watched: HashSet<QueueId> = driver.watched.lock().keys().copied().collect();
        if round.is_multiple_of(POLLS_OF_ALL) || !driver.asked.lock().is_empty() {
            driver.requests.send_modify(|()| {});
        }
        let hints = driver.in_common.hints();
        let is_net = round.is_multiple_of(POLLS_OF_ALL) || !hints.as_ref().is_some_and(|hints| hints.are_heard());
        if let Some(hints) = hints.filter(|_| round.is_multiple_of(POLLS_OF_ALL)) {
            hints.tell_waits(&watched.iter().copied().collect::<Vec<_>>());
        }
        let queues: Vec<QueueId> = watched.iter().filter(|queue| is_net || !known.contains(*queue)).copied().collect();
        known = watched;
        if queues.is_empty() {
            continue;
        }
        match look_for_arrivals(driver, session, &queues).await {
            Ok(arrived) => arrived.into_iter().for_each(|queue| driver.in_common.arrived(queue)),
            Err(error) => return driver.broken(session.generation, &error),
        }
    }
}

/// Queues that have something to take, or where a look may have begun too late to know.
async fn look_for_arrivals(
    driver: &Driver,
    session: &Session,
    queues: &[QueueId],
) -> Result<HashSet<QueueId>, tokio_postgres::Error> {
    let (client, s) = (&session.reader.client, &session.reader.statements);
    let looks: Vec<_> = queues.iter().map(|queue| (*queue, driver.figures.know(*queue))).collect();
    let looks: Vec<_> = looks.iter().map(|(queue, figures)| (*queue, figures, figures.low_water.look(None))).collect();
    let numbers: Vec<i32> = queues.iter().map(|queue| queue_number(*queue)).collect();
    let (ranks, positions) = places(looks.iter().map(|(_, _, look)| look.from));
    let now = moment(Timestamp::from_millis(driver.positions.clock()));
    let waiting = client.query(&s.waiting, &[&numbers, &now, &ranks, &positions]).await?;
    let mut arrived: HashSet<QueueId> = waiting.iter().map(|row| queue_id(row.get(0))).collect();
    let rows = session.reader.openings(looks.iter().map(|(queue, _, look)| (queue, look))).await?;
    let mut opened = by_queue(&rows, 0);
    arrived.extend(looks.iter().filter_map(|(queue, figures, look)| {
        figures.low_water.check(look, &opened.remove(queue).unwrap_or_default()).then_some(*queue)
    }));
    Ok(arrived)
}

/// Learns what the others have done. Returns when the session is lost.
pub(super) async fn refresh(driver: &Driver, session: &Session) {
    for round in 0_u32.. {
        sleep(REFRESH).await;
        if let Some(hints) = driver.in_common.hints() {
            hints.tell_changes();
        }
        let all = driver.figures.all();
        all.iter().for_each(|figures| figures.handles.sweep(driver, figures));
        let is_whole = round.is_multiple_of(REFRESHES_OF_ALL);
        let queues: Vec<QueueId> =
            all.iter().filter(|figures| figures.was_used() || is_whole).map(|figures| figures.queue).collect();
        let done = async {
            read_depths(driver, session, &queues, false).await?;
            if is_whole {
                let now = moment(Timestamp::from_millis(driver.positions.clock()));
                session.admin.client.execute(&session.admin.statements.expire_receipts, &[&now]).await?;
            }
            Ok(())
        };
        if let Err(error) = done.await {
            return driver.broken(session.generation, &error);
        }
    }
}

/// Watches the other hosts. Returns when one has a newer history: all connections leave this one together.
pub(super) async fn look_around(driver: &Driver, session: &Session) {
    let newer = primary::newer_elsewhere(&driver.options, &driver.highest, &session.primary).await;
    let timeline = session.primary.timeline;
    warn!(timeline, newer, "another host of the database has a newer history; the member goes there");
}
