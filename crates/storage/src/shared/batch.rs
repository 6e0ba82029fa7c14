//! One transaction of a lane: many operations in a few statements, sent in one flight.
//!
//! Order within it: puts, ends of units of work, returns, locks, then gets; so a get finds what the same batch put or gave back.
//! When something was read, the commit is sent after it has arrived; otherwise with the rest.

mod parameters;
mod special;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::{Bytes, BytesMut};
use futures_util::future::join_all;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use crate::shared::batch::parameters::{
    Bytea, first_parameters, identifier_parameters, import_parameters, level_parameters, message_parameters,
    part_parameters, places, seen_parameters,
};
use crate::shared::batch::special::special;
use crate::shared::depth::AllFigures;
use crate::shared::handles::OpenLevel;
use crate::shared::low_water::{Look, Opened, Recent};
use crate::shared::operation::{
    Answer, Claim, Finished, Job, Manner, NewReceipt, Operation, Place, Raised, Taken, Taking, UnitNumber, Wanted, Work,
};
use crate::shared::row::{Found, MessageRow, moment, position, queue_id, queue_number, rank};
use crate::shared::statements::Statements;
use crate::{ClusterNumber, DeliveryKey, QueueId};

/// A connection with its statements.
pub(super) struct Connected {
    pub(super) client: Client,
    pub(super) statements: Statements,
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
    Fence,
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
    Opened,
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
        self.sent.push(Box::pin(async move {
            let parameters: Vec<&(dyn ToSql + Sync)> =
                parameters.iter().map(|parameter| parameter.as_ref() as &(dyn ToSql + Sync)).collect();
            client.query(statement, &parameters).await
        }));
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
        SqlState::DIVISION_BY_ZERO if step == Step::Fence => Failed::Fenced,
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
    let s = &connected.statements;
    let mut outcome = Outcome { depths: plan.depths(), opens: plan.opens.clone(), ..Outcome::default() };
    outcome.answers = jobs.iter().map(|_| Answer::Done).collect();
    outcome.locked = vec![false; jobs.len()];
    let mut flight = Flight::new(connected);
    flight.say(Step::Begin, "BEGIN");
    let mut of_lane: Parameters = vec![Box::new(id.member), Box::new(id.lane), Box::new(id.epoch)];
    of_lane.extend([id.number, id.clock, id.connection].map(|number| Box::new(number) as _));
    flight.send(Step::Fence, &s.fence, of_lane);
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
        plan.send_depths(&mut flight, id, &outcome);
        flight.say(Step::Commit, "COMMIT");
        let outcome = arrived.insert(outcome);
        let landed = flight.land().await?;
        outcome.clock = landed.iter().find(|(step, _)| *step == Step::Fence).map_or(0, |(_, rows)| clock(rows));
        return Ok(());
    }
    let mut found = Vec::new();
    for (step, rows) in flight.land().await? {
        match step {
            Step::Fence => outcome.clock = clock(&rows),
            Step::Opened => outcome.looks = plan.looked(&rows, &found)?,
            Step::Take(kind, manner) => found.extend(rows.iter().map(|row| (kind, manner, Found::of(row)))),
            Step::Lock(job) => outcome.locked[job] = !rows.is_empty(),
            Step::Exists => plan.answer_raises(&rows, Raised::InUse, &mut outcome.answers),
            Step::Raised => plan.answer_raises(&rows, Raised::Done, &mut outcome.answers),
            Step::Special(job) => special(&jobs[job].operation, &rows, &mut outcome, job, &mut found)?,
            Step::Ended(job) => {
                let was_prepared = !rows.is_empty();
                outcome.answers[job] = Answer::Finished(Finished { was_prepared, messages: Vec::new() });
            }
            Step::Begin | Step::Change | Step::Proof | Step::Receipt | Step::Commit => {}
        }
    }
    finish_reads(connected, id, jobs, plan, found, arrived.insert(outcome)).await
}

fn clock(rows: &[Row]) -> u64 {
    rows.first().map_or(0, |row| row.get::<_, i64>(0).unsigned_abs())
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
    plan.hand_out(jobs, found, &mut outcome.answers, id.epoch);
    let mut flight = Flight::new(connected);
    if !gone_parts.is_empty() {
        flight.send(Step::Change, &connected.statements.delete_parts, bodies_at(&gone_parts));
    }
    plan.send_depths(&mut flight, id, outcome);
    for queue in
        jobs.iter().filter_map(|job| job.operation.may_empty()).filter(|queue| outcome.depths.contains_key(queue))
    {
        let statement = &connected.statements.episode_when_empty;
        flight.send(Step::Change, statement, vec![Box::new(queue_number(queue))]);
    }
    flight.say(Step::Commit, "COMMIT");
    flight.land().await.map(|_| ())
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

/// The jobs of a batch, sorted by statement.
struct Plan<'a> {
    puts: Vec<&'a MessageRow>,
    /// Committed gets.
    finished: Vec<&'a Claim>,
    back_outs: Vec<Place>,
    releases: Vec<Place>,
    decisions: Vec<UnitNumber>,
    receipts: Vec<&'a NewReceipt>,
    forgotten: Vec<i64>,
    locks: Vec<(usize, Place)>,
    /// In order of the queues, in which every member locks them.
    raises: BTreeMap<QueueId, (OpenLevel, Vec<usize>)>,
    lowers: BTreeMap<QueueId, OpenLevel>,
    takes: HashMap<(Kind, Manner), Vec<(usize, &'a Taking)>>,
    specials: Vec<usize>,
    /// By queue: the lowest place where a message becomes available, as far as the jobs say it.
    opens: BTreeMap<QueueId, DeliveryKey>,
    /// Of each queue whose first messages are taken.
    looks: BTreeMap<QueueId, Look>,
    known: Known<'a>,
}

impl<'a> Plan<'a> {
    /// What belongs to an earlier epoch is no longer this member's, and left alone.
    fn of(jobs: &'a [Job], epoch: i64, known: Known<'a>) -> Self {
        let mut plan = Self {
            known,
            opens: BTreeMap::new(),
            looks: BTreeMap::new(),
            puts: Vec::new(),
            finished: Vec::new(),
            back_outs: Vec::new(),
            releases: Vec::new(),
            decisions: Vec::new(),
            receipts: Vec::new(),
            forgotten: Vec::new(),
            locks: Vec::new(),
            raises: BTreeMap::new(),
            lowers: BTreeMap::new(),
            takes: HashMap::new(),
            specials: Vec::new(),
        };
        for (index, job) in jobs.iter().enumerate() {
            match &job.operation {
                Operation::Put(row) => plan.puts.push(&row.message),
                Operation::Take(taking) => {
                    plan.takes.entry((kind(&taking.wanted), taking.manner)).or_default().push((index, taking));
                }
                Operation::Lock(place) => plan.locks.push((index, *place)),
                Operation::Raise { queue, level } => {
                    plan.raises.entry(*queue).or_insert((*level, Vec::new())).1.push(index);
                }
                Operation::Lower { queue, level } => drop(plan.lowers.insert(*queue, *level)),
                Operation::Commit { work, decision, receipt } => {
                    plan.receipts.extend(receipt);
                    plan.puts.extend(work.puts.iter().map(|row| &row.message));
                    plan.finished.extend(&work.gets);
                    plan.decisions.extend(decision.as_ref().map(|deciding| deciding.number));
                }
                Operation::BackOut(claims) => {
                    let mine = claims.iter().filter(|claim| claim.epoch == epoch);
                    plan.back_outs.extend(mine.map(|claim| claim.place));
                }
                Operation::Release { places, epoch: of } => {
                    plan.releases.extend(places.iter().filter(|_| *of == epoch));
                }
                Operation::Forget(units) => plan.forgotten.extend(units.iter().map(|unit| unit.0)),
                Operation::Prepare { work, .. } => {
                    plan.puts.extend(work.puts.iter().map(|row| &row.message));
                    plan.specials.push(index);
                }
                Operation::ClaimAll { .. }
                | Operation::FinishPrepared { .. }
                | Operation::TakeExpired { .. }
                | Operation::ClearStep { .. }
                | Operation::SealQueue { .. }
                | Operation::Import { .. }
                | Operation::DeleteQueue { .. } => plan.specials.push(index),
            }
        }
        plan.find_where_looks_begin();
        plan
    }

    fn find_where_looks_begin(&mut self) {
        let puts = self.puts.iter().map(|row| row.place());
        let places = puts.chain(self.back_outs.iter().copied()).chain(self.releases.iter().copied());
        let let_go = self.known.let_go.iter().map(|(queue, key)| Place { queue: *queue, key: *key });
        let mut opens = Outcome::default();
        places.chain(let_go).for_each(|place| opens.opens(place));
        self.opens = opens.opens;
        let takings = self.takes.iter().filter(|((kind, _), _)| *kind == Kind::First).flat_map(|(_, takings)| takings);
        for (_, taking) in takings {
            let look = || self.known.figures.know(taking.queue).low_water.look(self.opens.get(&taking.queue).copied());
            self.looks.entry(taking.queue).or_insert_with(look);
        }
    }

    /// What each look has come to.
    fn looked(&self, rows: &[Row], found: &[(Kind, Manner, Found)]) -> Result<Vec<Looked>, Failed> {
        let mut opened: HashMap<QueueId, Vec<Opened>> = HashMap::new();
        for row in rows {
            opened.entry(queue_id(row.get(0))).or_default().push(opened_by(row));
        }
        let mut looks = Vec::with_capacity(self.looks.len());
        let mut has_missed = false;
        for (queue, look) in &self.looks {
            let opened = opened.remove(queue).unwrap_or_default();
            if !look.has_missed_nothing(&opened) {
                has_missed = true;
                self.known.figures.know(*queue).low_water.missed(look, &opened);
            }
            let taken = found.iter().filter(|(kind, _, found)| *kind == Kind::First && found.queue == *queue);
            let last = taken.map(|(_, _, found)| found.key).max();
            looks.push(Looked { queue: *queue, look: look.clone(), last, opened });
        }
        if has_missed {
            let locked = found.iter().map(|(_, _, found)| Place { queue: found.queue, key: found.key });
            return Err(Failed::Missed(locked.collect()));
        }
        Ok(looks)
    }

    /// Something arrives that is known only afterwards.
    fn reads(&self) -> bool {
        !self.takes.is_empty() || !self.specials.is_empty() || !self.locks.is_empty() || !self.raises.is_empty()
    }

    fn depths(&self) -> BTreeMap<QueueId, (i64, i64)> {
        let mut depths: BTreeMap<QueueId, (i64, i64)> = BTreeMap::new();
        self.puts.iter().for_each(|row| count_added(&mut depths, row));
        for claim in &self.finished {
            let depth = depths.entry(claim.place.queue).or_default();
            *depth = (depth.0 - 1, depth.1 - claim.length);
        }
        depths
    }

    fn send_levels<'f>(&self, flight: &mut Flight<'f>, id: BatchId) {
        let s = &flight.connected.statements;
        if !self.lowers.is_empty() {
            let lowers = self.lowers.iter().map(|(queue, level)| (*queue, *level));
            flight.send(Step::Change, &s.lower_levels, level_parameters(lowers, id));
        }
        if !self.raises.is_empty() {
            let queues: Vec<i32> = self.raises.keys().map(|queue| queue_number(*queue)).collect();
            flight.send(Step::Exists, &s.lock_queues, vec![Box::new(queues)]);
            let raises = self.raises.iter().map(|(queue, (level, _))| (*queue, *level));
            flight.send(Step::Raised, &s.raise_levels, level_parameters(raises, id));
        }
    }

    /// What the queues of these rows say to those who asked. The first answer to all is that the queue is gone.
    fn answer_raises(&self, rows: &[Row], raised: Raised, answers: &mut [Answer]) {
        if raised == Raised::InUse {
            let asked = self.raises.values().flat_map(|(_, jobs)| jobs);
            asked.for_each(|job| answers[*job] = Answer::Raised(Raised::Gone));
        }
        for jobs in rows.iter().filter_map(|row| self.raises.get(&queue_id(row.get(0)))).map(|(_, jobs)| jobs) {
            jobs.iter().for_each(|job| answers[*job] = Answer::Raised(raised));
        }
    }

    fn send_changes<'f>(&self, flight: &mut Flight<'f>, id: BatchId) {
        let s = &flight.connected.statements;
        if !self.puts.is_empty() {
            flight.send(Step::Change, &s.put, message_parameters(self.puts.iter().copied()));
            if let Some(parts) = part_parameters(self.puts.iter().copied()) {
                flight.send(Step::Change, &s.put_parts, parts);
            }
        }
        for decision in &self.decisions {
            flight.send(Step::Change, &s.decide, vec![Box::new(id.member), Box::new(decision.0)]);
        }
        for NewReceipt { receipt, now } in &self.receipts {
            let parameters: Parameters = vec![
                Box::new(receipt.key.0.to_vec()),
                Box::new(moment(receipt.expires)),
                Box::new(Bytea(receipt.value.clone())),
                Box::new(moment(*now)),
            ];
            flight.send(Step::Receipt, &s.put_receipt, parameters);
        }
        if !self.forgotten.is_empty() {
            flight.send(Step::Change, &s.forget_units, vec![Box::new(id.member), Box::new(self.forgotten.clone())]);
        }
        if !self.finished.is_empty() {
            let mut parameters = places(self.finished.iter().map(|claim| claim.place), id);
            parameters.push(Box::new(i64::try_from(self.finished.len()).unwrap_or(i64::MAX)));
            flight.send(Step::Proof, &s.finish_gets, parameters);
            let in_parts: Vec<(QueueId, i64)> = self
                .finished
                .iter()
                .filter(|claim| claim.in_parts)
                .map(|claim| (claim.place.queue, position(claim.place.key)))
                .collect();
            if !in_parts.is_empty() {
                flight.send(Step::Change, &s.delete_parts, bodies_at(&in_parts));
            }
        }
        if !self.back_outs.is_empty() {
            flight.send(Step::Change, &s.back_out, places(self.back_outs.iter().copied(), id));
        }
        if !self.releases.is_empty() {
            flight.send(Step::Change, &s.release, places(self.releases.iter().copied(), id));
        }
        for (job, place) in &self.locks {
            let parameters: Parameters = vec![
                Box::new(queue_number(place.queue)),
                Box::new(rank(place.key)),
                Box::new(position(place.key)),
                Box::new(id.owner()),
            ];
            flight.send(Step::Lock(*job), &s.lock_free, parameters);
        }
    }

    fn send_specials<'f>(&self, flight: &mut Flight<'f>, id: BatchId, jobs: &[Job]) {
        let s = &flight.connected.statements;
        for &index in &self.specials {
            match &jobs[index].operation {
                Operation::ClaimAll { queue, seen, now } => {
                    let taking: Vec<Taking> = seen
                        .iter()
                        .map(|wanted| Taking {
                            queue: *queue,
                            wanted: wanted.clone(),
                            manner: Manner::Claim,
                            now: *now,
                        })
                        .collect();
                    let takings: Vec<(usize, &Taking)> = taking.iter().map(|taking| (index, taking)).collect();
                    flight.send(Step::Special(index), &s.claim_seen, seen_parameters(&takings, id));
                }
                Operation::Prepare { work, number, xid, decided_by, places } => {
                    let of_unit: Parameters = vec![
                        Box::new(id.member),
                        Box::new(number.0),
                        Box::new(xid.clone()),
                        Box::new(places.clone()),
                        Box::new(decided_by.map(ClusterNumber::number)),
                    ];
                    send_prepare(flight, id, index, work, *number, of_unit);
                }
                Operation::FinishPrepared { member, number, commits } => {
                    send_finish_prepared(flight, index, member.unwrap_or(id.member), *number, *commits);
                }
                Operation::TakeExpired { queue, now, maximum } => flight.send(
                    Step::Special(index),
                    &s.take_expired,
                    vec![Box::new(queue_number(*queue)), Box::new(moment(*now)), Box::new(*maximum)],
                ),
                Operation::ClearStep { queue, maximum, with_held } => flight.send(
                    Step::Special(index),
                    &s.clear_step,
                    vec![Box::new(queue_number(*queue)), Box::new(*maximum), Box::new(*with_held)],
                ),
                Operation::Import { rows, .. } => {
                    flight.send(Step::Change, &s.import, import_parameters(rows));
                    if let Some(parts) = part_parameters(rows.iter().map(|row| &row.message)) {
                        flight.send(Step::Change, &s.put_parts, parts);
                    }
                }
                Operation::SealQueue { queue, with_own, with_messages } => {
                    let queue = queue_number(*queue);
                    // Members' numbers begin with 1.
                    let uncounted = if *with_own { 0 } else { id.member };
                    flight.send(Step::Change, &s.lock_queues, vec![Box::new(vec![queue])]);
                    flight.send(Step::Special(index), &s.may_delete, vec![Box::new(queue), Box::new(uncounted)]);
                    let seal: Parameters = vec![Box::new(queue), Box::new(uncounted), Box::new(*with_messages)];
                    flight.send(Step::Special(index), &s.seal_queue, seal);
                }
                Operation::DeleteQueue { queue, key, version, purge } => {
                    let queue = queue_number(*queue);
                    flight.send(Step::Change, &s.lock_queues, vec![Box::new(vec![queue])]);
                    flight.send(Step::Special(index), &s.may_delete, vec![Box::new(queue), Box::new(id.member)]);
                    let deletion: Parameters = vec![
                        Box::new(queue),
                        Box::new(id.member),
                        Box::new(key.clone()),
                        Box::new(*version),
                        Box::new(*purge),
                    ];
                    flight.send(Step::Special(index), &s.delete_queue, deletion);
                }
                _ => {}
            }
        }
    }

    fn send_takes<'f>(&self, flight: &mut Flight<'f>, id: BatchId) {
        let s = &flight.connected.statements;
        let mut kinds: Vec<_> = self.takes.keys().copied().collect();
        // What names a message comes before what takes any.
        kinds.sort_unstable_by_key(|(kind, manner)| (std::cmp::Reverse(*kind), *manner == Manner::Claim));
        for (kind, manner) in kinds {
            let takings = &self.takes[&(kind, manner)];
            let (statement, mut parameters) = match (kind, manner) {
                (Kind::First, Manner::Take) => (&s.take_first, first_parameters(takings, &self.looks)),
                (Kind::First, Manner::Claim) => (&s.claim_first, first_parameters(takings, &self.looks)),
                (Kind::Correlation, Manner::Take) => (&s.take_by_correlation, identifier_parameters(takings)),
                (Kind::Correlation, Manner::Claim) => (&s.claim_by_correlation, identifier_parameters(takings)),
                (Kind::Message, Manner::Take) => (&s.take_by_message, identifier_parameters(takings)),
                (Kind::Message, Manner::Claim) => (&s.claim_by_message, identifier_parameters(takings)),
                (Kind::Seen, Manner::Take) => (&s.take_seen, seen_parameters(takings, id)),
                (Kind::Seen, Manner::Claim) => (&s.claim_seen, seen_parameters(takings, id)),
            };
            if manner == Manner::Claim && kind != Kind::Seen {
                parameters.push(Box::new(id.owner()));
            }
            flight.send(Step::Take(kind, manner), statement, parameters);
        }
        if !self.looks.is_empty() {
            let queues: Vec<i32> = self.looks.keys().map(|queue| queue_number(*queue)).collect();
            flight.send(Step::Opened, &s.opened, vec![Box::new(queues)]);
        }
    }

    fn send_depths(&self, flight: &mut Flight<'_>, id: BatchId, outcome: &Outcome) {
        let queues: BTreeSet<QueueId> = outcome.changed_queues().collect();
        if queues.is_empty() {
            return;
        }
        let s = &flight.connected.statements;
        let without_row = queues.iter().filter(|queue| !self.known.recent.has_row(**queue));
        let without_row: Vec<i32> = without_row.map(|queue| queue_number(*queue)).collect();
        if !without_row.is_empty() {
            let rows: Parameters = vec![Box::new(without_row), Box::new(id.member), Box::new(id.lane)];
            flight.send(Step::Change, &s.depth_rows, rows);
        }
        let mut columns = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for queue in queues {
            let (messages, bytes) = outcome.depths.get(&queue).copied().unwrap_or_default();
            let opens = outcome.opens.get(&queue);
            columns.0.push(queue_number(queue));
            columns.1.push(messages);
            columns.2.push(bytes);
            columns.3.push(i64::from(opens.is_some()));
            columns.4.push(opens.map_or_else(Vec::new, |key| self.known.recent.with(queue, *key)));
        }
        let parameters: Parameters = vec![
            Box::new(columns.0),
            Box::new(id.member),
            Box::new(id.lane),
            Box::new(columns.1),
            Box::new(columns.2),
            Box::new(columns.3),
            Box::new(columns.4),
        ];
        flight.send(Step::Change, &s.depth_add, parameters);
    }

    /// Gives what was found to those who asked, the first in delivery order to the first who asked.
    fn hand_out(&self, jobs: &[Job], found: Vec<(Kind, Manner, Found)>, answers: &mut [Answer], epoch: i64) {
        for takings in self.takes.values() {
            for (job, _) in takings {
                answers[*job] = Answer::Taken(None);
            }
        }
        let mut of_queue: HashMap<(Kind, Manner, QueueId), Vec<Found>> = HashMap::new();
        let mut together: Vec<Found> = Vec::new();
        for (kind, manner, found) in found {
            if self.takes.contains_key(&(kind, manner)) {
                if kind == Kind::First {
                    of_queue.entry((kind, manner, found.queue)).or_default().push(found);
                } else if let Some((job, _)) = self.takes[&(kind, manner)].get(found.ordinal) {
                    answers[*job] = Answer::Taken(taken(found, epoch));
                }
            } else {
                together.push(found);
            }
        }
        for ((kind, manner, queue), mut found) in of_queue {
            found.sort_unstable_by_key(|found| found.key);
            let askers = self.takes[&(kind, manner)].iter().filter(|(_, taking)| taking.queue == queue);
            for ((job, _), found) in askers.zip(found) {
                answers[*job] = Answer::Taken(taken(found, epoch));
            }
        }
        together.sort_unstable_by_key(|found| found.key);
        for &index in &self.specials {
            match &jobs[index].operation {
                Operation::ClaimAll { .. } => {
                    let all = std::mem::take(&mut together).into_iter();
                    answers[index] = Answer::AllTaken(all.map(|found| taken(found, epoch)).collect());
                }
                Operation::TakeExpired { .. } => {
                    let gone = std::mem::take(&mut together);
                    answers[index] = Answer::Expired(gone.into_iter().filter_map(Found::stored).collect());
                }
                _ => {}
            }
        }
    }
}

fn taken(found: Found, epoch: i64) -> Option<Taken> {
    let claim = Claim {
        place: Place { queue: found.queue, key: found.key },
        epoch,
        in_parts: found.in_parts,
        length: found.length(),
    };
    Some(Taken { claim, message: found.stored()?, guard: None })
}

fn kind(wanted: &Wanted) -> Kind {
    match wanted {
        Wanted::First => Kind::First,
        Wanted::Correlation(_) => Kind::Correlation,
        Wanted::Message(_) => Kind::Message,
        Wanted::Seen { .. } => Kind::Seen,
    }
}

fn send_prepare(
    flight: &mut Flight<'_>,
    id: BatchId,
    index: usize,
    work: &Work,
    number: UnitNumber,
    of_unit: Parameters,
) {
    let s = &flight.connected.statements;
    if !work.puts.is_empty() {
        let mut parameters = places(work.puts.iter().map(|row| row.message.place()), id);
        parameters.push(Box::new(number.0));
        flight.send(Step::Change, &s.prepare_puts, parameters);
    }
    if !work.gets.is_empty() {
        let mut parameters = places(work.gets.iter().map(|claim| claim.place), id);
        parameters.push(Box::new(number.0));
        parameters.push(Box::new(i64::try_from(work.gets.len()).unwrap_or(i64::MAX)));
        flight.send(Step::Proof, &s.prepare_gets, parameters);
    }
    flight.send(Step::Special(index), &s.prepare_unit, of_unit);
}

/// In whatever epoch of the member: it may begin another one meanwhile.
fn send_finish_prepared(flight: &mut Flight<'_>, index: usize, member: i32, number: UnitNumber, commits: bool) {
    let s = &flight.connected.statements;
    let of_unit =
        || -> Parameters { vec![Box::new(owner(member, 0)), Box::new(owner(member + 1, 0)), Box::new(number.0)] };
    let (gets, puts) = if commits {
        (&s.commit_prepared_gets, &s.commit_prepared_puts)
    } else {
        (&s.back_out_prepared_gets, &s.back_out_prepared_puts)
    };
    flight.send(Step::Ended(index), &s.end_unit, vec![Box::new(member), Box::new(number.0)]);
    flight.send(Step::Special(index), gets, of_unit());
    flight.send(Step::Special(index), puts, of_unit());
}

/// A row of queue, member, lane, count, lowest places.
pub(super) fn opened_by(row: &Row) -> Opened {
    Opened { by: (row.get(1), row.get(2)), count: row.get(3), lowest: Opened::places(row.get(4)) }
}
