//! Whether a whole history is right, message by message: all queues were emptied at its end.
//!
//! - A message whose put was answered is got once. One that is missing is excused by a get or commit without an answer that may have
//!   taken it.
//! - A message is never got again once a get of it has taken it for good, and never if its put has failed.
//! - A unit of work whose commit has no answer has happened whole, or not at all.
//! - The messages that one client gets from a queue alone, and what is left at the end, are in the order of their stream for each
//!   priority; at the end the highest priority comes first.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Result, ensure};

use super::history::{Message, ORDERED, Operation, Outcome, QUEUES, What};

/// The client that empties the queues at the end.
pub(crate) const DRAIN: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Messages that were put, alone or in a unit of work.
    pub(crate) put: usize,
    pub(crate) committed: usize,
    pub(crate) got: usize,
    /// Messages whose order was looked at.
    pub(crate) ordered: usize,
    /// Missing messages that an operation without an answer may have taken.
    pub(crate) excused: usize,
    /// Operations without an answer.
    pub(crate) unknown: usize,
    /// The longest operation, in milliseconds.
    pub(crate) longest_ms: u64,
}

/// Of one message.
#[derive(Default)]
struct Fate {
    message: Option<Message>,
    put: Put,
    /// Gets that took it for good: when they had it.
    taken: Vec<u64>,
    /// A get or commit without an answer may have taken it.
    perhaps_taken: bool,
    /// All gets that had it: begin and end.
    seen: Vec<(u64, u64)>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Put {
    #[default]
    Never,
    Sure,
    Perhaps,
    Failed,
}

impl Fate {
    fn is_there(&self) -> bool {
        !self.seen.is_empty()
    }
}

type Fates = BTreeMap<u64, Fate>;

pub(crate) fn judge(operations: &[Operation]) -> Result<Verdict> {
    let mut verdict = Verdict::default();
    let fates = fates(operations, &mut verdict);
    let mut wrong = Vec::new();
    check_messages(operations, &fates, &mut verdict, &mut wrong);
    check_units(operations, &fates, &mut wrong);
    check_order(operations, &fates, &mut verdict, &mut wrong);
    ensure!(wrong.is_empty(), "{} faults: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    Ok(verdict)
}

fn fates(operations: &[Operation], verdict: &mut Verdict) -> Fates {
    let mut fates = Fates::new();
    // When the gets in units of work had their messages.
    let mut had: HashMap<(u64, u64), u64> = HashMap::new();
    for operation in operations {
        if let (Some(ended), What::Get { unit, .. }, Outcome::Got(Some(id))) =
            (operation.ended, &operation.what, operation.outcome)
        {
            let fate = fates.entry(id).or_default();
            fate.seen.push((operation.begun, ended));
            match unit {
                Some(unit) => drop(had.insert((*unit, id), ended)),
                None => fate.taken.push(ended),
            }
        }
    }
    for operation in operations {
        verdict.unknown += usize::from(operation.outcome == Outcome::Unknown);
        verdict.longest_ms =
            verdict.longest_ms.max(operation.ended.map_or(0, |ended| (ended - operation.begun) / 1000));
        let put = match operation.outcome {
            Outcome::Failed => Put::Failed,
            Outcome::Unknown => Put::Perhaps,
            Outcome::Done | Outcome::Got(_) => Put::Sure,
        };
        match &operation.what {
            What::Put(message) => {
                let fate = fates.entry(message.id).or_default();
                (fate.message, fate.put) = (Some(*message), put);
            }
            What::Get { aim: Some(id), unit: None, .. } if put == Put::Perhaps => {
                fates.entry(*id).or_default().perhaps_taken = true;
            }
            What::Commit { unit, gets, puts } => {
                for message in puts {
                    let fate = fates.entry(message.id).or_default();
                    (fate.message, fate.put) = (Some(*message), put);
                }
                for id in gets {
                    let fate = fates.entry(*id).or_default();
                    match put {
                        Put::Sure => fate.taken.push(had.get(&(*unit, *id)).copied().unwrap_or(operation.begun)),
                        Put::Perhaps => fate.perhaps_taken = true,
                        Put::Failed | Put::Never => {}
                    }
                }
                verdict.committed += usize::from(put == Put::Sure);
            }
            What::Get { .. } | What::BackOut { .. } => {}
        }
    }
    fates
}

fn check_messages(operations: &[Operation], fates: &Fates, verdict: &mut Verdict, wrong: &mut Vec<String>) {
    let mut missing = [const { Vec::new() }; QUEUES.len()];
    for (id, fate) in fates {
        verdict.put += usize::from(fate.put == Put::Sure);
        verdict.got += usize::from(!fate.taken.is_empty());
        if fate.taken.len() > 1 {
            wrong.push(format!("{id} was taken {} times: {:?}", fate.taken.len(), fate.seen));
        }
        if let Some(taken) = fate.taken.iter().min()
            && fate.seen.iter().any(|(begun, _)| begun > taken)
        {
            wrong.push(format!("{id} was got again after it was taken: {taken}, {:?}", fate.seen));
        }
        if fate.is_there() && matches!(fate.put, Put::Failed | Put::Never) {
            wrong.push(format!("{id} was got, and its put is {:?}", fate.put));
        }
        if let Some(message) = fate.message
            && fate.put == Put::Sure
            && fate.taken.is_empty()
        {
            if fate.perhaps_taken {
                verdict.excused += 1;
            } else {
                missing[message.queue].push(*id);
            }
        }
    }
    for (queue, missing) in missing.iter().enumerate() {
        let any = |operation: &&Operation| {
            operation.outcome == Outcome::Unknown
                && matches!(operation.what, What::Get { queue: of, aim: None, unit: None } if of == queue)
        };
        let excuses = operations.iter().filter(any).count();
        if missing.len() > excuses {
            wrong.push(format!("{} lost {missing:?}; {excuses} gets have no answer", QUEUES[queue]));
        }
        verdict.excused += missing.len();
    }
}

/// Those whose commit has no answer.
fn check_units(operations: &[Operation], fates: &Fates, wrong: &mut Vec<String>) {
    let any_gets = operations.iter().any(|operation| {
        operation.outcome == Outcome::Unknown && matches!(operation.what, What::Get { aim: None, unit: None, .. })
    });
    for operation in operations.iter().filter(|operation| operation.outcome == Outcome::Unknown) {
        let What::Commit { unit, gets, puts } = &operation.what else { continue };
        let came = puts.iter().filter(|put| fates[&put.id].is_there()).count();
        let gone = puts.iter().filter(|put| fates[&put.id].perhaps_taken).count();
        let returned = gets.iter().filter(|id| !fates[id].taken.is_empty()).count();
        if came > 0 && returned > 0 {
            wrong.push(format!("unit {unit}: {came} puts came, and {returned} gets returned"));
        }
        if came > 0 && came + gone < puts.len() && !any_gets {
            wrong.push(format!("unit {unit}: {came} of {} puts came", puts.len()));
        }
        if returned > 0 && returned < gets.len() && !any_gets {
            wrong.push(format!("unit {unit}: {returned} of {} gets returned", gets.len()));
        }
    }
}

fn check_order(operations: &[Operation], fates: &Fates, verdict: &mut Verdict, wrong: &mut Vec<String>) {
    // Of each stream and priority the last one; the priority of the last at the end.
    let mut last: HashMap<(u32, usize, u64, u8), u64> = HashMap::new();
    let mut lowest: HashMap<usize, u8> = HashMap::new();
    // What the one client of the ordered queue has seen again after a fault is in order in itself.
    let mut seen = HashSet::new();
    for operation in operations {
        let (What::Get { queue, aim: None, unit: None }, Outcome::Got(Some(id))) = (&operation.what, operation.outcome)
        else {
            continue;
        };
        let is_drain = operation.client == DRAIN;
        let Some(message) = fates.get(&id).and_then(|fate| fate.message) else { continue };
        if !is_drain && *queue != ORDERED || !seen.insert(id) || fates[&id].put != Put::Sure {
            continue;
        }
        verdict.ordered += 1;
        let before = last.insert((operation.client, *queue, message.stream, message.priority), id);
        if before > Some(id) {
            wrong.push(format!("{id} of stream {} came after {before:?}", message.stream));
        }
        if is_drain {
            let before = lowest.insert(*queue, message.priority);
            if before.is_some_and(|before| before < message.priority) {
                wrong.push(format!("{id} of priority {} came after one of {before:?}", message.priority));
            }
        }
    }
}

#[cfg(test)]
mod tests;
