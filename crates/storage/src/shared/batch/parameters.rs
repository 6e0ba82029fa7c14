//! Parameters of a batch's statements: operations as arrays, in the order in which `statements.rs` counts them.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use tokio_postgres::types::{IsNull, ToSql, Type};

use super::new_messages::NewMessages;
use super::{BatchId, Parameters};
use crate::QueueId;
use crate::shared::handles::OpenLevel;
use crate::shared::low_water::{Look, place_bytes};
use crate::shared::operation::{Place, Taking, Wanted};
use crate::shared::row::{MessageRow, MovedRow, PART, delivery_key, hash, moment, position, queue_number, rank};

/// `$1` queues, `$2` member, `$3` levels.
pub(super) fn level_parameters(levels: impl Iterator<Item = (QueueId, OpenLevel)>, id: BatchId) -> Parameters {
    let (queues, levels): (Vec<i32>, Vec<i16>) =
        levels.map(|(queue, level)| (queue_number(queue), level.number())).unzip();
    vec![Box::new(queues), Box::new(id.member), Box::new(levels)]
}

/// `$1` queues, `$2` ranks, `$3` positions, `$4` me.
pub(super) fn places(places: impl Iterator<Item = Place>, id: BatchId) -> Parameters {
    let (mut queues, mut ranks, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for place in places {
        queues.push(queue_number(place.queue));
        ranks.push(rank(place.key));
        positions.push(position(place.key));
    }
    vec![Box::new(queues), Box::new(ranks), Box::new(positions), Box::new(id.owner())]
}

pub(super) fn first_parameters(takings: &[(usize, &Taking)], looks: &BTreeMap<QueueId, Look>) -> Parameters {
    let mut wanted: BTreeMap<QueueId, (i64, i64)> = BTreeMap::new();
    for (_, taking) in takings {
        let entry = wanted.entry(taking.queue).or_insert((0, 0));
        *entry = (entry.0 + 1, entry.1.max(moment(taking.now)));
    }
    let begin = |queue: &QueueId| looks.get(queue).and_then(|look| look.from).unwrap_or(delivery_key(0, 0));
    vec![
        Box::new(wanted.keys().map(|queue| queue_number(*queue)).collect::<Vec<_>>()),
        Box::new(wanted.values().map(|(count, _)| *count).collect::<Vec<_>>()),
        Box::new(wanted.values().map(|(_, now)| *now).collect::<Vec<_>>()),
        Box::new(wanted.keys().map(|queue| rank(begin(queue))).collect::<Vec<_>>()),
        Box::new(wanted.keys().map(|queue| position(begin(queue))).collect::<Vec<_>>()),
    ]
}

/// Queues and where the looks began, then what their marks rest on, as `openings` of the statements says.
pub(super) fn opening_parameters<'l>(looks: impl IntoIterator<Item = (&'l QueueId, &'l Look)>) -> Parameters {
    let (mut queues, mut begins) = (Vec::new(), Vec::new());
    let mut known = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (queue, look) in looks {
        queues.push(queue_number(*queue));
        begins.push(look.from.map_or_else(Vec::new, |from| place_bytes(from).to_vec()));
        for ((member, lane), count) in look.known() {
            known.0.push(queue_number(*queue));
            known.1.push(member);
            known.2.push(lane);
            known.3.push(count);
        }
    }
    vec![Box::new(queues), Box::new(begins), Box::new(known.0), Box::new(known.1), Box::new(known.2), Box::new(known.3)]
}

pub(super) fn identifier_parameters(takings: &[(usize, &Taking)]) -> Parameters {
    let identifier = |taking: &Taking| match taking.wanted {
        Wanted::Correlation(identifier) | Wanted::Message(identifier) => identifier,
        Wanted::First | Wanted::Seen { .. } => [0; 24],
    };
    vec![
        Box::new(takings.iter().map(|(_, taking)| queue_number(taking.queue)).collect::<Vec<_>>()),
        Box::new(takings.iter().map(|(_, taking)| hash(&identifier(taking))).collect::<Vec<_>>()),
        Box::new(takings.iter().map(|(_, taking)| identifier(taking).to_vec()).collect::<Vec<_>>()),
        Box::new(takings.iter().map(|(_, taking)| moment(taking.now)).collect::<Vec<_>>()),
    ]
}

pub(super) fn seen_parameters(takings: &[(usize, &Taking)], id: BatchId) -> Parameters {
    let seen = |taking: &Taking| match taking.wanted {
        Wanted::Seen { key, backouts, is_locked } => (key, backouts, is_locked),
        Wanted::First | Wanted::Correlation(_) | Wanted::Message(_) => (delivery_key(-1, 0), 0, false),
    };
    let each = || takings.iter().map(|(_, taking)| (taking.queue, taking.now, seen(taking)));
    vec![
        Box::new(each().map(|(queue, ..)| queue_number(queue)).collect::<Vec<_>>()),
        Box::new(each().map(|(_, _, (key, ..))| rank(key)).collect::<Vec<_>>()),
        Box::new(each().map(|(_, _, (key, ..))| position(key)).collect::<Vec<_>>()),
        Box::new(
            each().map(|(_, _, (_, backouts, _))| i32::try_from(backouts).unwrap_or(i32::MAX)).collect::<Vec<_>>(),
        ),
        Box::new(each().map(|(_, _, (_, _, is_locked))| is_locked).collect::<Vec<_>>()),
        Box::new(each().map(|(_, now, _)| moment(now)).collect::<Vec<_>>()),
        Box::new(id.owner()),
    ]
}

/// `$1` messages, `$2` backout counts.
pub(super) fn import_parameters(rows: &[MovedRow]) -> Parameters {
    vec![
        Box::new(NewMessages::of(rows.iter().map(|row| &row.message))),
        Box::new(rows.iter().map(|row| row.backouts).collect::<Vec<i32>>()),
    ]
}

/// `$1` queue, `$2` position, `$3` part, `$4` bytes; `None`: every body is in its row.
pub(super) fn part_parameters<'r>(rows: impl Iterator<Item = &'r MessageRow>) -> Option<Parameters> {
    let (mut queues, mut positions, mut parts, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        for part in 0..row.parts() {
            queues.push(queue_number(row.queue));
            positions.push(position(row.key));
            parts.push(i32::try_from(part).unwrap_or(i32::MAX));
            bytes.push(Bytea(row.body.slice(part * PART..row.body.len().min((part + 1) * PART))));
        }
    }
    if parts.is_empty() {
        return None;
    }
    Some(vec![Box::new(queues), Box::new(positions), Box::new(parts), Box::new(bytes)])
}

/// Bytes that are shared, as a parameter.
#[derive(Debug)]
pub(super) struct Bytea(pub(super) Bytes);

impl ToSql for Bytea {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        (&self.0[..]).to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::BYTEA
    }

    tokio_postgres::types::to_sql_checked!();
}
