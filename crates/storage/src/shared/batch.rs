//! One transaction of a lane: many operations in a few statements, sent in one flight.
//!
//! The first statement, `enter`, says which batch of the lane this is, and fails when the lane is another's. Then come puts, ends of units
//! of work, returns, locks, then gets; so a get finds what the same batch put or gave back. The last statement, `settle`, adds to the
//! queues' figures, and fails when a look has missed something.
//! When something was read, `settle` and the commit are sent after it has arrived; otherwise with the rest.

mod new_messages;
mod parameters;
mod plan;
mod special;

use std::collections::{BTreeMap, HashMap};

use bytes::{Bytes, BytesMut};
use futures_util::future::join_all;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use crate::shared::batch::parameters::opening_parameters;
use crate::shared::batch::plan::Plan;
use crate::shared::batch::special::special;
use crate::shared::depth::AllFigures;
use crate::shared::low_water::{Look, Opened, Recent};
use crate::shared::operation::{Answer, Finished, Job, Manner, Operation, Place, Raised};
use crate::shared::row::{Found, MessageRow, position, queue_id, queue_number};
use crate::shared::statements::Statements;
use crate::{DeliveryKey, QueueId};

/// A connection with its statements.
pub(super) struct Connected {
    pub(super) client: Client,
    pub(super) statements: Statements,
}

impl Connected {
    /// What the lanes have made available on the queues of these looks: see `by_queue`, and two columns more.
    pub(super) async fn openings<'l>(
        &self,
        looks: impl IntoIterator<Item = (&'l QueueId, &'l Look)>,
    ) -> Result<Vec<Row>, Error> {
        self.client.query(&self.statements.opened, &by_reference(&opening_parameters(looks))).await
    }
}

/// Which transaction of which lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchId {
    pub(super) member: i32,
    pub(super) lane: i32,
    pub(super) epoch: i64,
    pub(super) number: i64,
    /// The group's time, in milliseconds since 1970.
    pub(super) clock: i64,
    /// That the lane belongs to.
    pub(super) connection: i64,
}

impl BatchId {
    /// Owner of what this member holds.
    pub(super) fn owner(self) -> i64 {
        owner(self.member, self.epoch)
    }

    /// As `enter` takes them.
    fn parameters(self) -> Parameters {
        let Self { member, lane, epoch, number, clock, connection } = self;
        let of_lane = [member, lane].map(|number| Box::new(number) as _);
        of_lane.into_iter().chain([epoch, number, clock, connection].map(|number| Box::new(number) as _)).collect()
    }
}

pub(super) fn owner(member: i32, epoch: i64) -> i64 {
    (i64::from(member) << 32) + epoch
}

/// Why a batch was not committed, or not known to be.
#[derive(Debug)]
pub(super) enum Failed {
    /// The connection is of no use any more; whether the batch was committed is open.
    Broken(Error),
    /// No answer in time: as `Broken`. The batch is not cancelled, since that could commit it half-known.
    TooSlow,
    /// The session was given up meanwhile: as `Broken`.
    Left,
    /// The lane belongs to a later epoch. Nothing has changed.
    Fenced,
    /// A unit of work has lost messages that it had got. Nothing has changed.
    ClaimsGone,
    /// The queue has moved to another database, or is deleted. Nothing has changed.
    Sealed,
    /// A request with the same key has been answered. Nothing has changed.
    ReceiptTaken,
    /// A message that was found has a descriptor that this version does not know. Nothing has changed.
    Unreadable,
    /// A look has begun behind a message that could be taken. Nothing has changed, but these messages were locked for a moment.
    Missed(Vec<Place>),
    /// Others were in the way; the same again may succeed. Nothing has changed.
    Again,
    /// Nothing has changed.
    Refused(Error),
}

/// What a committed batch has done.
#[derive(Default)]
pub(super) struct Outcome {
    /// One for each job, in order.
    pub(super) answers: Vec<Answer>,
    /// Likewise: the message that was to be locked is.
    pub(super) locked: Vec<bool>,
    /// By queue: messages and bytes added, less those taken.
    pub(super) depths: BTreeMap<QueueId, (i64, i64)>,
    /// By queue: the lowest place where a message has become available.
    pub(super) opens: BTreeMap<QueueId, DeliveryKey>,
    pub(super) looks: Vec<Looked>,
    /// The database's clock in milliseconds since 1970.
    pub(super) clock: u64,
    /// Messages that the batch has changed or removed.
    dead_messages: usize,
    /// Messages with parts that have left otherwise than by being taken.
    gone_parts: Vec<(QueueId, i64)>,
}

/// What a look for the first messages of a queue has come to.
pub(super) struct Looked {
    pub(super) queue: QueueId,
    pub(super) look: Look,
    /// The last message that it took.
    pub(super) last: Option<DeliveryKey>,
    /// As the database said afterwards.
    pub(super) opened: Vec<Opened>,
}

/// What a lane knows that concerns its next batch.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) figures: &'a AllFigures,
    pub(super) recent: &'a Recent,
    /// By queue: the lowest message that a batch had locked and that was rolled back.
    pub(super) let_go: &'a BTreeMap<QueueId, DeliveryKey>,
}

/// A message comes to a queue: one more, and its bytes.
fn count_added(depths: &mut BTreeMap<QueueId, (i64, i64)>, row: &MessageRow) {
    let depth = depths.entry(row.queue).or_default();
    *depth = (depth.0 + 1, depth.1 + i64::try_from(row.body.len()).unwrap_or(0));
}

impl Outcome {
    /// Rows that a vacuum has to clean: messages, those of their queues' depths, the lane's.
    pub(super) fn dead_rows(&self) -> usize {
        self.dead_messages + self.depths.len() + 1
    }

    /// Those whose rows of `queue_depth` it changes; some twice.
    pub(super) fn changed_queues(&self) -> impl Iterator<Item = QueueId> {
        let changed = self.depths.iter().filter(|(_, change)| **change != (0, 0)).map(|(queue, _)| *queue);
        changed.chain(self.opens.keys().copied())
    }

    fn note_added(&mut self, row: &MessageRow) {
        count_added(&mut self.depths, row);
        self.opens(row.place());
    }

    fn opens(&mut self, place: Place) {
        let lowest = self.opens.entry(place.queue).or_insert(place.key);
        *lowest = place.key.min(*lowest);
    }

    /// A row of queue, rank, position, anything, length, parts has left the table.
    fn note_gone(&mut self, row: &Row) {
        let depth = self.depths.entry(queue_id(row.get(0))).or_default();
        *depth = (depth.0 - 1, depth.1 - i64::from(row.get::<_, i32>(4)));
        if row.get::<_, i32>(5) > 0 {
            self.gone_parts.push((queue_id(row.get(0)), row.get(2)));
        }
    }
}

/// What one statement of a flight is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    /// Divides by zero when the lane belongs to a later epoch or connection.
    Enter,
    Change,
    /// Divides by zero when a claim is gone.
    Proof,
    /// Divides by zero when there is one.
    Receipt,
    Take(Kind, Manner),
    Lock(usize),
    /// Queues that exist, of those whose levels are raised.
    Exists,
    /// Queues whose levels have been raised.
    Raised,
    Special(usize),
    /// A row: the unit of work of this job was prepared.
    Ended(usize),
    /// Takes the root of a negative number when a look has missed something.
    Settle,
    Commit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    First,
    Correlation,
    Message,
    Seen,
}

type Parameters = Vec<Box<dyn ToSql + Sync + Send>>;

fn by_reference(parameters: &Parameters) -> Vec<&(dyn ToSql + Sync)> {
    parameters.iter().map(|parameter| parameter.as_ref() as _).collect()
}

type Pending<'a> = std::pin::Pin<Box<dyn Future<Output = Result<Vec<Row>, Error>> + Send + 'a>>;

/// Statements that are sent without waiting for the answers of those before.
struct Flight<'a> {
    connected: &'a Connected,
    steps: Vec<Step>,
    sent: Vec<Pending<'a>>,
}

impl<'a> Flight<'a> {
    fn new(connected: &'a Connected) -> Self {
        Self { connected, steps: Vec::new(), sent: Vec::new() }
    }

    fn send(&mut self, step: Step, statement: &'a Statement, parameters: Parameters) {
        let client = &self.connected.client;
        self.steps.push(step);
        self.sent.push(Box::pin(async move { client.query(statement, &by_reference(&parameters)).await }));
    }

    fn say(&mut self, step: Step, text: &'static str) {
        let client = &self.connected.client;
        self.steps.push(step);
        self.sent.push(Box::pin(async move { client.batch_execute(text).await.map(|()| Vec::new()) }));
    }

    /// Rows of each statement, or why the transaction cannot be committed.
    async fn land(self) -> Result<Vec<(Step, Vec<Row>)>, Failed> {
        let results = join_all(self.sent).await;
        let mut rows = Vec::with_capacity(results.len());
        let mut failed = None;
        for (step, result) in self.steps.into_iter().zip(results) {
            match result {
                Ok(found) => rows.push((step, found)),
                Err(error) => match (failed.take(), failure(step, error)) {
                    // The connection's end says most; of the others the first one is the cause.
                    (_, broken @ Failed::Broken(_)) => failed = Some(broken),
                    (None, first) => failed = Some(first),
                    (earlier, _) => failed = earlier,
                },
            }
        }
        failed.map_or(Ok(rows), Err)
    }
}

/// The connection is of no use any more.
pub(super) fn is_broken(error: &Error) -> bool {
    error.code().is_none_or(|code| {
        matches!(
            *code,
            SqlState::ADMIN_SHUTDOWN
                | SqlState::CRASH_SHUTDOWN
                | SqlState::CANNOT_CONNECT_NOW
                | SqlState::READ_ONLY_SQL_TRANSACTION
                | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        )
    })
}

fn failure(step: Step, error: Error) -> Failed {
    let Some(code) = error.code().filter(|_| !is_broken(&error)) else { return Failed::Broken(error) };
    match *code {
        SqlState::DIVISION_BY_ZERO if step == Step::Enter => Failed::Fenced,
        SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION if step == Step::Settle => Failed::Missed(Vec::new()),
        SqlState::DIVISION_BY_ZERO if step == Step::Proof => Failed::ClaimsGone,
        SqlState::DIVISION_BY_ZERO if step == Step::Receipt => Failed::ReceiptTaken,
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Failed::Again,
        _ => Failed::Refused(error),
    }
}

/// Does all of the jobs in one transaction. `arrived` is what it has done if it was committed: it is there before the commit is sent,
/// so that an outcome that is not known can be asked for later.
pub(super) async fn attempt(
    connected: &Connected,
    id: BatchId,
    jobs: &[Job],
    known: Known<'_>,
    arrived: &mut Option<Outcome>,
) -> Result<(), Failed> {
    let plan = Plan::of(jobs, id.epoch, known);
    match run(connected, id, jobs, &plan, arrived).await {
        Ok(()) => Ok(()),
        Err(broken @ Failed::Broken(_)) => Err(broken),
        Err(other) => {
            // Also ends a transaction that a statement has failed in.
            connected.client.batch_execute("ROLLBACK").await.map_err(Failed::Broken)?;
            if matches!(other, Failed::Missed(_)) {
                plan.note_missed(connected).await.map_err(Failed::Broken)?;
            }
            Err(other)
        }
    }
}

async fn run(
    connected: &Connected,
    id: BatchId,
    jobs: &[Job],
    plan: &Plan<'_>,
    arrived: &mut Option<Outcome>,
) -> Result<(), Failed> {
    let mut outcome = Outcome { depths: plan.depths(), opens: plan.opens.clone(), ..Outcome::default() };
    outcome.answers = jobs.iter().map(|_| Answer::Done).collect();
    outcome.locked = vec![false; jobs.len()];
    let mut flight = Flight::new(connected);
    flight.say(Step::Begin, "BEGIN");
    flight.send(Step::Enter, &connected.statements.enter, id.parameters());
    plan.send_levels(&mut flight, id);
    plan.send_changes(&mut flight, id);
    for Job { operation, .. } in jobs {
        if let Operation::Import { rows, .. } = operation {
            rows.iter().for_each(|row| outcome.note_added(&row.message));
        }
    }
    plan.send_specials(&mut flight, id, jobs);
    plan.send_takes(&mut flight, id);
    outcome.dead_messages = plan.finished.len() + plan.back_outs.len() + plan.releases.len();
    if !plan.reads() {
        return settle(flight, id, plan, arrived.insert(outcome)).await;
    }
    let mut found = Vec::new();
    for (step, rows) in flight.land().await? {
        match step {
            Step::Take(kind, manner) => found.extend(rows.iter().map(|row| (kind, manner, Found::of(row)))),
            Step::Lock(job) => outcome.locked[job] = !rows.is_empty(),
            Step::Exists => plan.answer_raises(&rows, Raised::InUse, &mut outcome.answers),
            Step::Raised => plan.answer_raises(&rows, Raised::Done, &mut outcome.answers),
            Step::Special(job) => special(&jobs[job].operation, &rows, &mut outcome, job, &mut found)?,
            Step::Ended(job) => {
                let was_prepared = !rows.is_empty();
                outcome.answers[job] = Answer::Finished(Finished { was_prepared, messages: Vec::new() });
            }
            Step::Begin | Step::Enter | Step::Change | Step::Proof | Step::Receipt | Step::Settle | Step::Commit => {}
        }
    }
    finish_reads(connected, id, jobs, plan, found, arrived.insert(outcome)).await
}

/// The end of a flight, and of the transaction.
async fn settle(mut flight: Flight<'_>, id: BatchId, plan: &Plan<'_>, outcome: &mut Outcome) -> Result<(), Failed> {
    plan.send_settle(&mut flight, id, outcome);
    flight.say(Step::Commit, "COMMIT");
    let landed = flight.land().await?;
    let settled = landed.into_iter().find_map(|(step, rows)| (step == Step::Settle).then_some(rows));
    let settled = settled.expect("it has been sent");
    outcome.clock = settled.first().map_or(0, |row| row.get::<_, i64>(0).unsigned_abs());
    let mut opened = by_queue(&settled, 1);
    for looked in &mut outcome.looks {
        looked.opened = opened.remove(&looked.queue).unwrap_or_default();
    }
    Ok(())
}

/// The second flight: bodies in parts, then what is known only now, and the commit.
async fn finish_reads(
    connected: &Connected,
    id: BatchId,
    jobs: &[Job],
    plan: &Plan<'_>,
    mut found: Vec<(Kind, Manner, Found)>,
    outcome: &mut Outcome,
) -> Result<(), Failed> {
    let in_parts: Vec<(QueueId, i64)> = found
        .iter()
        .filter(|(_, _, found)| found.in_parts)
        .map(|(_, _, found)| (found.queue, position(found.key)))
        .collect();
    if !in_parts.is_empty() {
        let bodies = read_parts(connected, &in_parts).await.map_err(|error| failure(Step::Change, error))?;
        for (_, _, found) in found.iter_mut().filter(|(_, _, found)| found.in_parts) {
            found.set_body(bodies.get(&(found.queue, position(found.key))).cloned().unwrap_or_default());
        }
    }
    if found.iter().any(|(_, _, found)| !found.is_readable()) {
        return Err(Failed::Unreadable);
    }
    outcome.dead_messages += found.len();
    let mut gone_parts = std::mem::take(&mut outcome.gone_parts);
    for (_, _, found) in found.iter().filter(|(_, manner, _)| *manner == Manner::Take) {
        let depth = outcome.depths.entry(found.queue).or_default();
        *depth = (depth.0 - 1, depth.1 - found.length());
        gone_parts.extend(found.in_parts.then(|| (found.queue, position(found.key))));
    }
    outcome.looks = plan.looked(&found);
    let locked: Vec<Place> = found.iter().map(|(_, _, found)| Place { queue: found.queue, key: found.key }).collect();
    plan.hand_out(jobs, found, &mut outcome.answers, id.epoch);
    let mut flight = Flight::new(connected);
    if !gone_parts.is_empty() {
        flight.send(Step::Change, &connected.statements.delete_parts, bodies_at(&gone_parts));
    }
    for queue in
        jobs.iter().filter_map(|job| job.operation.may_empty()).filter(|queue| outcome.depths.contains_key(queue))
    {
        let statement = &connected.statements.episode_when_empty;
        flight.send(Step::Change, statement, vec![Box::new(queue_number(queue))]);
    }
    settle(flight, id, plan, outcome).await.map_err(|failed| match failed {
        Failed::Missed(_) => Failed::Missed(locked),
        other => other,
    })
}

/// Bodies by queue and position, put together.
pub(super) async fn read_parts(
    connected: &Connected,
    places: &[(QueueId, i64)],
) -> Result<HashMap<(QueueId, i64), Bytes>, Error> {
    let (queues, positions): (Vec<i32>, Vec<i64>) =
        places.iter().map(|(queue, position)| (queue_number(*queue), *position)).unzip();
    let rows = connected.client.query(&connected.statements.parts, &[&queues, &positions]).await?;
    let mut bodies: HashMap<(QueueId, i64), BytesMut> = HashMap::new();
    for row in rows {
        let place = (queue_id(row.get(0)), row.get(1));
        bodies.entry(place).or_default().extend_from_slice(row.get::<_, &[u8]>(2));
    }
    Ok(bodies.into_iter().map(|(place, body)| (place, body.freeze())).collect())
}

/// `$1` queues, `$2` positions of bodies in parts.
fn bodies_at(places: &[(QueueId, i64)]) -> Parameters {
    let (queues, positions): (Vec<i32>, Vec<i64>) =
        places.iter().map(|(queue, position)| (queue_number(*queue), *position)).unzip();
    vec![Box::new(queues), Box::new(positions)]
}

/// Rows of queue, member, lane, count, lowest places and whether a look has missed them, from column `first` on; some have none.
pub(super) fn by_queue(rows: &[Row], first: usize) -> HashMap<QueueId, Vec<Opened>> {
    let mut opened: HashMap<QueueId, Vec<Opened>> = HashMap::new();
    for row in rows {
        let Some(queue) = row.get::<_, Option<i32>>(first) else { continue };
        opened.entry(queue_id(queue)).or_default().push(Opened {
            by: (row.get(first + 1), row.get(first + 2)),
            count: row.get(first + 3),
            lowest: Opened::places(row.get(first + 4)),
            is_missed: row.get(first + 5),
        });
    }
    opened
}
