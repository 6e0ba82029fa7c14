//! Choosing a message: what SQL alone can choose goes to a lane at once; the rest is looked at here, a page at a time without bodies,
//! and then taken by its key if it is as it was.

use std::collections::HashMap;

use model::descriptor::MessageFlags;
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::timestamp::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::shared::driver::Session;
use crate::shared::operation::{Place, Wanted};
use crate::shared::row::{delivery_key, hash, moment, position, queue_number, rank};
use crate::{Candidate, DeliveryKey, GroupMember, LockOwner, Position, QueueId, Selection};

/// Candidates of the first page, and of each later one.
const FIRST_PAGE: i64 = 8;
const PAGE: i64 = 64;

/// A message that fits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fitting {
    pub(super) key: DeliveryKey,
    pub(super) backouts: u32,
    /// The browser who asks has its lock.
    pub(super) is_locked: bool,
}

impl Fitting {
    pub(super) fn wanted(self) -> Wanted {
        Wanted::Seen { key: self.key, backouts: self.backouts, is_locked: self.is_locked }
    }
}

/// A row of a page.
struct Looked {
    key: DeliveryKey,
    message_id: MessageId,
    correlation_id: CorrelationId,
    group_id: GroupId,
    sequence_number: u32,
    offset: u32,
    flags: MessageFlags,
    length: usize,
    backouts: u32,
    /// By this member, for a browser.
    is_locked: bool,
}

/// `None`: it needs a look.
pub(super) fn in_sql(selection: &Selection<'_>) -> Option<Wanted> {
    let Selection { message_id, correlation_id, group_id, sequence_number, offset, position, accept, lock_owner: _ } =
        selection;
    if group_id.is_some() || sequence_number.is_some() || offset.is_some() || position.is_some() || accept.is_some() {
        return None;
    }
    match (message_id, correlation_id) {
        (None, None) => Some(Wanted::First),
        (None, Some(id)) if !id.is_none() => Some(Wanted::Correlation(*id.as_bytes())),
        (Some(id), None) if !id.is_none() => Some(Wanted::Message(*id.as_bytes())),
        _ => None,
    }
}

/// Who holds which locks of this member's browsers.
pub(super) type Locks = HashMap<Place, Holder>;

/// The browser that has locked a message, and the member's epoch then.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holder {
    pub(super) owner: LockOwner,
    pub(super) epoch: i64,
}

/// The first message behind `after` that fits.
pub(super) async fn first_fitting(
    session: &Session,
    queue: QueueId,
    after: Option<DeliveryKey>,
    selection: &Selection<'_>,
    now: Timestamp,
    is_mine: &(dyn Fn(Place) -> bool + Sync),
) -> Result<Option<Fitting>, tokio_postgres::Error> {
    Ok(fitting(session, queue, after, selection, now, is_mine, 1).await?.into_iter().next())
}

/// The first `maximum` messages behind `after` that fit. `is_mine`: the lock on a message is that of the browser who asks.
pub(super) async fn fitting(
    session: &Session,
    queue: QueueId,
    mut after: Option<DeliveryKey>,
    selection: &Selection<'_>,
    now: Timestamp,
    is_mine: &(dyn Fn(Place) -> bool + Sync),
    maximum: usize,
) -> Result<Vec<Fitting>, tokio_postgres::Error> {
    let mut found = Vec::new();
    let mut size = FIRST_PAGE;
    loop {
        let page = page(session, queue, after, selection, now, size).await?;
        let is_last = selection.position.is_some() || page.len() < usize::try_from(size).unwrap_or(usize::MAX);
        let groups = match selection.accept {
            Some(_) => groups_of(session, queue, &page, now, is_mine).await?,
            None => HashMap::new(),
        };
        for looked in &page {
            after = Some(looked.key);
            let place = Place { queue, key: looked.key };
            if (!looked.is_locked || is_mine(place)) && fits(looked, selection, &groups) {
                found.push(Fitting { key: looked.key, backouts: looked.backouts, is_locked: looked.is_locked });
                if found.len() == maximum {
                    return Ok(found);
                }
            }
        }
        if is_last {
            return Ok(found);
        }
        size = PAGE;
    }
}

fn fits(looked: &Looked, selection: &Selection<'_>, groups: &HashMap<GroupId, Vec<GroupMember>>) -> bool {
    let same = selection.message_id.is_none_or(|id| id == looked.message_id)
        && selection.correlation_id.is_none_or(|id| id == looked.correlation_id)
        && selection.group_id.is_none_or(|id| id == looked.group_id)
        && selection.sequence_number.is_none_or(|number| number == looked.sequence_number)
        && selection.offset.is_none_or(|offset| offset == looked.offset);
    let Some(accept) = selection.accept.filter(|_| same) else { return same };
    accept(&Candidate {
        position: looked.key.position,
        message_id: &looked.message_id,
        correlation_id: &looked.correlation_id,
        group_id: &looked.group_id,
        sequence_number: looked.sequence_number,
        offset: looked.offset,
        flags: looked.flags,
        priority: 9 - looked.key.rank.min(9),
        body_length: looked.length,
        group: &|| groups.get(&looked.group_id).cloned().unwrap_or_default(),
    })
}

/// Messages that could be taken, behind a place, with the identifier that an index knows.
async fn page(
    session: &Session,
    queue: QueueId,
    after: Option<DeliveryKey>,
    selection: &Selection<'_>,
    now: Timestamp,
    size: i64,
) -> Result<Vec<Looked>, tokio_postgres::Error> {
    let (client, s) = (&session.reader.client, &session.reader.statements);
    let (queue, now, owner) = (queue_number(queue), moment(now), session.owner());
    if let Some(Position(at)) = selection.position {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        let rows = client.query(&s.candidate_at, &[&queue, &at, &now, &owner]).await?;
        return Ok(rows.iter().map(looked).filter(|looked| after.is_none_or(|after| looked.key > after)).collect());
    }
    let (after_rank, after_position) = after.map_or((-1, 0), |key| (rank(key), position(key)));
    let indexed = [
        (&s.candidates_by_correlation, selection.correlation_id.map(|id| *id.as_bytes())),
        (&s.candidates_by_message, selection.message_id.map(|id| *id.as_bytes())),
        (&s.candidates_by_group, selection.group_id.map(|id| *id.as_bytes())),
    ];
    let indexed = indexed.into_iter().find_map(|(statement, id)| Some((statement, id?, hash(&id?)?)));
    let common: [&(dyn ToSql + Sync); 6] = [&queue, &after_rank, &after_position, &now, &owner, &size];
    let rows = match &indexed {
        None => client.query(&s.candidates, &common).await?,
        Some((statement, id, hash)) => {
            let id = &id[..];
            let mut parameters = common.to_vec();
            parameters.push(hash);
            parameters.push(&id);
            client.query(*statement, &parameters).await?
        }
    };
    Ok(rows.iter().map(looked).collect())
}

fn looked(row: &Row) -> Looked {
    Looked {
        key: delivery_key(row.get(0), row.get(1)),
        message_id: MessageId::new(identifier(row, 2)),
        correlation_id: CorrelationId::new(identifier(row, 3)),
        group_id: GroupId::new(identifier(row, 4)),
        sequence_number: row.get::<_, i32>(5).cast_unsigned(),
        offset: row.get::<_, i32>(6).cast_unsigned(),
        flags: MessageFlags::from_bits_retain(row.get::<_, i32>(7).cast_unsigned()),
        length: usize::try_from(row.get::<_, i32>(8)).unwrap_or(0),
        backouts: row.get::<_, i32>(9).cast_unsigned(),
        is_locked: row.get(10),
    }
}

fn identifier(row: &Row, column: usize) -> [u8; 24] {
    row.get::<_, &[u8]>(column).try_into().unwrap_or([0; 24])
}

/// Members of the groups on a page that could be taken.
async fn groups_of(
    session: &Session,
    queue: QueueId,
    page: &[Looked],
    now: Timestamp,
    is_mine: &(dyn Fn(Place) -> bool + Sync),
) -> Result<HashMap<GroupId, Vec<GroupMember>>, tokio_postgres::Error> {
    let (client, s) = (&session.reader.client, &session.reader.statements);
    let mut groups = HashMap::new();
    for looked in page {
        let Some(hash) = hash(looked.group_id.as_bytes()) else { continue };
        if groups.contains_key(&looked.group_id) {
            continue;
        }
        let id = &looked.group_id.as_bytes()[..];
        let rows =
            client.query(&s.group_members, &[&queue_number(queue), &hash, &id, &moment(now), &session.owner()]).await?;
        let mut members: Vec<GroupMember> = rows
            .iter()
            .filter(|row| {
                let key = delivery_key(row.get(5), row.get(0));
                !row.get::<_, bool>(6) || is_mine(Place { queue, key })
            })
            .map(|row| GroupMember {
                position: Position(row.get::<_, i64>(0).cast_unsigned()),
                sequence_number: row.get::<_, i32>(1).cast_unsigned(),
                offset: row.get::<_, i32>(2).cast_unsigned(),
                length: usize::try_from(row.get::<_, i32>(4)).unwrap_or(0),
                flags: MessageFlags::from_bits_retain(row.get::<_, i32>(3).cast_unsigned()),
            })
            .collect();
        members.sort_unstable_by_key(|member| (member.sequence_number, member.offset));
        groups.insert(looked.group_id, members);
    }
    Ok(groups)
}
