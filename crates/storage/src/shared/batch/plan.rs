//! The jobs of a batch as statements: which are sent, in which order, and what their rows answer.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tokio_postgres::{Error, Row};

use super::new_messages::NewMessages;
use super::parameters::{
    Bytea, first_parameters, identifier_parameters, import_parameters, level_parameters, opening_parameters,
    part_parameters, places, seen_parameters,
};
use super::{
    BatchId, Connected, Flight, Kind, Known, Looked, Outcome, Parameters, Step, bodies_at, by_queue, count_added, owner,
};
use crate::shared::handles::OpenLevel;
use crate::shared::low_water::Look;
use crate::shared::operation::{
    Answer, Claim, Job, Manner, NewReceipt, Operation, Place, Raised, Taken, Taking, UnitNumber, Wanted, Work,
};
use crate::shared::row::{Found, MessageRow, moment, position, queue_id, queue_number, rank};
use crate::{ClusterNumber, DeliveryKey, QueueId};

/// The jobs of a batch, sorted by statement.
pub(super) struct Plan<'a> {
    puts: Vec<&'a MessageRow>,
    /// Committed gets.
    pub(super) finished: Vec<&'a Claim>,
    pub(super) back_outs: Vec<Place>,
    pub(super) releases: Vec<Place>,
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
    pub(super) opens: BTreeMap<QueueId, DeliveryKey>,
    /// Of each queue whose first messages are taken.
    looks: BTreeMap<QueueId, Look>,
    known: Known<'a>,
}

impl<'a> Plan<'a> {
    /// What belongs to an earlier epoch is no longer this member's, and left alone.
    pub(super) fn of(jobs: &'a [Job], epoch: i64, known: Known<'a>) -> Self {
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

    /// Each look, with the last message that it took.
    pub(super) fn looked(&self, found: &[(Kind, Manner, Found)]) -> Vec<Looked> {
        let looked = |(queue, look): (&QueueId, &Look)| {
            let taken = found.iter().filter(|(kind, _, found)| *kind == Kind::First && found.queue == *queue);
            let last = taken.map(|(_, _, found)| found.key).max();
            Looked { queue: *queue, look: look.clone(), last, opened: Vec::new() }
        };
        self.looks.iter().map(looked).collect()
    }

    /// A look has missed something: where the next ones begin.
    pub(super) async fn note_missed(&self, connected: &Connected) -> Result<(), Error> {
        let mut opened = by_queue(&connected.openings(&self.looks).await?, 0);
        for (queue, look) in &self.looks {
            self.known.figures.know(*queue).low_water.check(look, &opened.remove(queue).unwrap_or_default());
        }
        Ok(())
    }

    /// Something arrives that is known only afterwards.
    pub(super) fn reads(&self) -> bool {
        !self.takes.is_empty() || !self.specials.is_empty() || !self.locks.is_empty() || !self.raises.is_empty()
    }

    pub(super) fn depths(&self) -> BTreeMap<QueueId, (i64, i64)> {
        let mut depths: BTreeMap<QueueId, (i64, i64)> = BTreeMap::new();
        self.puts.iter().for_each(|row| count_added(&mut depths, row));
        for claim in &self.finished {
            let depth = depths.entry(claim.place.queue).or_default();
            *depth = (depth.0 - 1, depth.1 - claim.length);
        }
        depths
    }

    pub(super) fn send_levels<'f>(&self, flight: &mut Flight<'f>, id: BatchId) {
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
    pub(super) fn answer_raises(&self, rows: &[Row], raised: Raised, answers: &mut [Answer]) {
        if raised == Raised::InUse {
            let asked = self.raises.values().flat_map(|(_, jobs)| jobs);
            asked.for_each(|job| answers[*job] = Answer::Raised(Raised::Gone));
        }
        for jobs in rows.iter().filter_map(|row| self.raises.get(&queue_id(row.get(0)))).map(|(_, jobs)| jobs) {
            jobs.iter().for_each(|job| answers[*job] = Answer::Raised(raised));
        }
    }

    pub(super) fn send_changes<'f>(&self, flight: &mut Flight<'f>, id: BatchId) {
        let s = &flight.connected.statements;
        if !self.puts.is_empty() {
            flight.send(Step::Change, &s.put, vec![Box::new(NewMessages::of(self.puts.iter().copied()))]);
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

    pub(super) fn send_specials<'f>(&self, flight: &mut Flight<'f>, id: BatchId, jobs: &[Job]) {
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

    pub(super) fn send_takes<'f>(&self, flight: &mut Flight<'f>, id: BatchId) {
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
    }

    pub(super) fn send_settle(&self, flight: &mut Flight<'_>, id: BatchId, outcome: &Outcome) {
        let queues: BTreeSet<QueueId> = outcome.changed_queues().collect();
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
        let mut parameters: Parameters = vec![Box::new(id.member), Box::new(id.lane), Box::new(columns.0)];
        parameters.extend([columns.1, columns.2, columns.3].map(|column| Box::new(column) as _));
        parameters.push(Box::new(columns.4));
        parameters.extend(opening_parameters(&self.looks));
        flight.send(Step::Settle, &s.settle, parameters);
    }

    /// Gives what was found to those who asked, the first in delivery order to the first who asked.
    pub(super) fn hand_out(&self, jobs: &[Job], found: Vec<(Kind, Manner, Found)>, answers: &mut [Answer], epoch: i64) {
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
