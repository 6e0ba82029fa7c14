//! The list of queues of all kinds, in order of names.
//!
//! What most requests sort and filter by (name, type, depth) lies side by side in the engine's list. Of what lies elsewhere, only the
//! columns that a request uses are read. An empty queue has no bytes, nothing uncommitted and no oldest message: the store is not asked.

use std::cell::Cell;

use message_api::history::{History, Rate, Rates};
use model::definition::attribute::Kind as QueueType;
use model::definition::queue::{Disposition, LocalQueue, Usage};
use model::definition::{QueueDefinition, QueueKind};
use queue_manager::queue_list::{ListedQueue, QueueList, VisibleInList};

use super::Sight;
use super::column::{Kind, columns};
use super::page::{self, Row, Rows};
use super::query::Query;
use super::value::Value;

const DISPOSITIONS: &[&str] = &["qmgr", "copy", "shared"];
const TYPES: &[&str] = &["local", "alias", "remote", "model"];

columns! {
    NAME "name" Kind::Text, "Name of the queue." .searched();
    TYPE "type" Kind::Word(TYPES), "What kind of queue it is.";
    DESCRIPTION "description" Kind::Text, "DESCR." .searched();
    DEPTH "depth" Kind::Number, "Messages on a local queue, uncommitted ones counted." .percent_of("full");
    MAXIMUM "max" Kind::Number, "MAXDEPTH of a local queue.";
    FULL "full" Kind::Tenths, "The depth in percent of the maximum.";
    BYTES "bytes" Kind::Number, "Bytes of all messages on the queue.";
    UNCOMMITTED "uncommitted" Kind::Number, "Messages that were put or got and not yet committed.";
    READERS "readers" Kind::Number, "Handles that are open for input.";
    WRITERS "writers" Kind::Number, "Handles that are open for output.";
    WAITING "waiting" Kind::Number, "Gets that wait for a message.";
    IN "in" Kind::Tenths, "Messages put a second, over the last ten seconds. `null`: the server keeps no history, or not yet.";
    OUT "out" Kind::Tenths, "Messages got a second, over the last ten seconds.";
    OLDEST "oldest" Kind::Moment, "When the oldest message arrived. `null`: the queue is empty.";
    LAST_PUT "lastPut" Kind::Moment, "The last put. `null`: none since the server started.";
    LAST_GET "lastGet" Kind::Moment, "The last get. `null`: none since the server started.";
    PUT_ENABLED "putEnabled" Kind::Truth, "PUT(ENABLED).";
    GET_ENABLED "getEnabled" Kind::Truth, "GET(ENABLED); remote queues have none.";
    USAGE "usage" Kind::Word(&["normal", "transmission"]), "USAGE of a local queue.";
    TARGET "target" Kind::Text, "Where an alias or a remote queue leads.";
    TARGET_QUEUE_MANAGER "targetQmgr" Kind::Text, "The queue manager where a remote queue leads." .on_request();
    DISPOSITION "disposition" Kind::Word(DISPOSITIONS), "QSGDISP. `null`: the queue manager is in no queue-sharing group." .on_request();
    STRUCTURE "structure" Kind::Text, "CFSTRUCT of a shared queue." .on_request();
    DYNAMIC "dynamic" Kind::Truth, "The queue was made from a model queue." .on_request();
    SYSTEM "system" Kind::Truth, "The name begins with SYSTEM." .on_request();
    ALTERED "altered" Kind::Moment, "When the definition was last changed." .on_request();
}

/// A page of the queues that the viewer may display, as JSON.
pub(super) fn page(sight: Sight<'_>, query: &Query, history: &History) -> Vec<u8> {
    let uses_rates = query.uses(IN) || query.uses(OUT);
    let list = sight.queue_manager.queue_list();
    let queues = Queues {
        visible: list.visible_to(sight.principal),
        list,
        rates: uses_rates.then(|| history.rates(&sight.queue_manager.name())).flatten(),
        is_in_group: sight.queue_manager.group().is_some(),
    };
    page::page(&queues, query)
}

struct Queues<'s> {
    list: QueueList,
    visible: VisibleInList,
    rates: Option<Rates<'s>>,
    is_in_group: bool,
}

struct QueueRow<'a> {
    queue: ListedQueue<'a>,
    rates: Option<&'a Rates<'a>>,
    rate: Cell<Option<Rate>>,
    is_in_group: bool,
}

impl Rows for Queues<'_> {
    type Row<'a>
        = QueueRow<'a>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.list.len()
    }

    fn row(&self, place: usize) -> Option<QueueRow<'_>> {
        let queue = self.list.get(place)?;
        if queue.is_deleted() || !self.visible.has(place) {
            return None;
        }
        Some(QueueRow { queue, rates: self.rates.as_ref(), rate: Cell::new(None), is_in_group: self.is_in_group })
    }

    fn natural_order(&self) -> Option<usize> {
        Some(NAME)
    }
}

impl<'a> Row<'a> for QueueRow<'a> {
    fn value(&self, column: usize) -> Value<'a> {
        let of_local = |value: fn(&Self) -> Value<'a>| if self.queue.is_local() { value(self) } else { Value::Null };
        match column {
            NAME => Value::Text(self.queue.name().as_str()),
            TYPE => Value::Text(type_word(self.queue.kind())),
            DESCRIPTION => Value::Text(self.queue.description()),
            DYNAMIC => Value::Truth(self.queue.is_dynamic()),
            DEPTH => of_local(|row| Value::number(row.queue.depth())),
            BYTES => of_local(|row| Value::Number(row.queue.bytes())),
            UNCOMMITTED => of_local(|row| Value::number(row.queue.uncommitted())),
            READERS => of_local(|row| Value::number(row.queue.open_counts().0)),
            WRITERS => of_local(|row| Value::number(row.queue.open_counts().1)),
            WAITING => of_local(|row| Value::number(row.queue.waiters())),
            IN => of_local(|row| row.rate().map_or(Value::Null, |rate| Value::Tenths(rate.puts))),
            OUT => of_local(|row| row.rate().map_or(Value::Null, |rate| Value::Tenths(rate.gets))),
            OLDEST => of_local(|row| Value::moment(row.queue.oldest())),
            LAST_PUT => of_local(|row| Value::moment(row.queue.last_put())),
            LAST_GET => of_local(|row| Value::moment(row.queue.last_get())),
            SYSTEM => Value::Truth(self.queue.name().as_bytes().starts_with(b"SYSTEM.")),
            DISPOSITION | STRUCTURE if !self.is_in_group => Value::Null,
            FULL => of_local(|row| full(row.queue.depth(), row.queue.definition())),
            _ => of_definition(self.queue.definition(), column),
        }
    }
}

impl QueueRow<'_> {
    fn rate(&self) -> Option<Rate> {
        let rate = self.rate.get().or_else(|| self.rates.and_then(|rates| rates.of(self.queue.name())));
        self.rate.set(rate);
        rate
    }
}

fn of_definition(definition: &QueueDefinition, column: usize) -> Value<'_> {
    let local = definition.as_local();
    let of_local = |value: fn(&LocalQueue) -> Value<'static>| local.map_or(Value::Null, value);
    match column {
        MAXIMUM => of_local(|local| Value::number(local.maximum_depth)),
        PUT_ENABLED => Value::Truth(!definition.put_inhibited),
        GET_ENABLED => match &definition.kind {
            QueueKind::Local(local) => Value::Truth(!local.get_inhibited),
            QueueKind::Alias(alias) => Value::Truth(!alias.get_inhibited),
            QueueKind::Model(model) => Value::Truth(!model.local.get_inhibited),
            QueueKind::Remote(_) => Value::Null,
        },
        USAGE => of_local(|local| match local.usage {
            Usage::Normal => Value::Text("normal"),
            Usage::Transmission => Value::Text("transmission"),
        }),
        TARGET => match &definition.kind {
            QueueKind::Alias(alias) => Value::text(alias.target.as_str()),
            QueueKind::Remote(remote) => Value::text(remote.remote_queue.as_str()),
            QueueKind::Local(_) | QueueKind::Model(_) => Value::Null,
        },
        TARGET_QUEUE_MANAGER => match &definition.kind {
            QueueKind::Remote(remote) => Value::text(remote.remote_queue_manager.as_str()),
            _ => Value::Null,
        },
        DISPOSITION => Value::Text(match definition.disposition {
            Disposition::QueueManager | Disposition::Group => "qmgr",
            Disposition::Copy => "copy",
            Disposition::Shared => "shared",
        }),
        STRUCTURE => match (definition.disposition, local) {
            (Disposition::Shared, Some(local)) => Value::text(local.structure.as_str()),
            _ => Value::Null,
        },
        ALTERED => Value::moment(Some(definition.history.altered)),
        _ => Value::Null,
    }
}

/// Tenths of a percent.
fn full(depth: u32, definition: &QueueDefinition) -> Value<'static> {
    let maximum = definition.as_local().map_or(0, |local| u64::from(local.maximum_depth));
    (u64::from(depth) * 1000).checked_div(maximum).map_or(Value::Null, Value::Tenths)
}

const fn type_word(kind: QueueType) -> &'static str {
    match kind {
        QueueType::QueueAlias => "alias",
        QueueType::QueueRemote => "remote",
        QueueType::QueueModel => "model",
        _ => "local",
    }
}

#[cfg(test)]
mod tests;
