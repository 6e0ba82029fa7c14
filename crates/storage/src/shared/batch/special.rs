//! Operations that are alone in their batch: what the rows that come back mean.

use tokio_postgres::Row;

use super::{Failed, Kind, Outcome};
use crate::shared::handles::OpenLevel;
use crate::shared::operation::{Answer, EndedMessage, Manner, Operation, Place};
use crate::shared::row::{Found, delivery_key, queue_id};
use crate::shared::store::Deletion;

/// What the rows of an operation that is alone mean.
pub(super) fn special(
    operation: &Operation,
    rows: &[Row],
    outcome: &mut Outcome,
    job: usize,
    found: &mut Vec<(Kind, Manner, Found)>,
) -> Result<(), Failed> {
    match operation {
        Operation::ClaimAll { seen, .. } => {
            if rows.len() < seen.len() {
                return Err(Failed::ClaimsGone);
            }
            found.extend(rows.iter().map(|row| (Kind::Seen, Manner::Claim, Found::of(row))));
        }
        Operation::FinishPrepared { .. } => {
            for row in rows {
                if row.get(3) {
                    outcome.note_gone(row);
                } else {
                    let key = delivery_key(row.get(1), row.get(2));
                    outcome.opens(Place { queue: queue_id(row.get(0)), key });
                }
            }
            // Begun by the statement that ends the unit; its gets and puts are two more.
            if let Answer::Finished(finished) = &mut outcome.answers[job] {
                finished.messages.extend(rows.iter().map(ended_message));
            }
        }
        Operation::TakeExpired { .. } => {
            found.extend(rows.iter().map(|row| (Kind::Seen, Manner::Take, Found::of(row))));
        }
        Operation::ClearStep { .. } => {
            outcome.answers[job] = Answer::Cleared(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            rows.iter().for_each(|row| outcome.note_gone(row));
        }
        Operation::SealQueue { with_messages: purge, .. } | Operation::DeleteQueue { purge, .. } => {
            let is_seal = matches!(operation, Operation::SealQueue { .. });
            let answer = &mut outcome.answers[job];
            *answer = Answer::Deleted(match (&*answer, rows.first()) {
                (Answer::Deleted(_), Some(_)) if is_seal => Deletion::Done(0),
                (Answer::Deleted(_), Some(deleted)) => Deletion::Done(deleted.get(0)),
                (Answer::Deleted(refused), None) => *refused,
                (_, Some(verdict)) => refusal_of_deletion(verdict, *purge),
                (_, None) => Deletion::Changed,
            });
        }
        _ => {}
    }
    Ok(())
}

/// Why the deletion of a queue fails, if it does: of a row of `may_delete`.
fn refusal_of_deletion(row: &Row, purge: bool) -> Deletion {
    match OpenLevel::of_number(row.get(0)) {
        OpenLevel::Closed if row.get(1) => Deletion::Uncommitted,
        OpenLevel::Closed if row.get(2) && !purge => Deletion::NotEmpty,
        OpenLevel::Closed => Deletion::Changed,
        open => Deletion::Open(open),
    }
}

/// Of a row of queue, rank, position, whether the message is gone.
fn ended_message(row: &Row) -> EndedMessage {
    let rank = u8::try_from(row.get::<_, i16>(1)).unwrap_or_default();
    EndedMessage { queue: queue_id(row.get(0)), priority: 9_u8.saturating_sub(rank), is_there: !row.get::<_, bool>(3) }
}
