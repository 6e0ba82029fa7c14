//! Why gets of a queue find nothing: who asks for what, and what is there, side by side.
//!
//! Never: takes, wakes or decides. Each lock is held for a bounded look; so the parts may be of slightly different moments.

use std::sync::Arc;

use model::identifier::{CorrelationId, GroupId, MessageId};
use model::name::{QueueManagerName, QueueName};
use model::options::OpenOptions;
use model::timestamp::Timestamp;
use storage::{Position, Selection, UnitOfWorkId};

pub use storage::{HeldByUnit, Survey, Surveyed};

pub use crate::queue::delayed::NotYetDue;

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::queue::Queue;
use crate::queue::delayed::not_yet_due;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::waiters::Wanted;
use crate::verb::handle::{Handle, Target};
use crate::{ConnectOptions, QueueManager};

/// Most messages of each state, waits and staged messages that are looked at.
pub const MOST_LOOKED_AT: usize = 1000;
/// Most readers that are shown.
pub const MOST_READERS: usize = 200;

const INPUT: OpenOptions =
    OpenOptions::INPUT_AS_Q_DEF.union(OpenOptions::INPUT_SHARED).union(OpenOptions::INPUT_EXCLUSIVE);

/// A queue at one moment.
#[derive(Debug, Clone)]
pub struct Insight {
    /// The queue that holds the messages: the one that was named, or the one that the alias leads to.
    pub queue: QueueName,
    /// Of alias and queue, those with GET(DISABLED).
    pub inhibited: Vec<QueueName>,
    pub survey: Survey,
    /// Who holds the messages of `survey.held`, in its order.
    pub holders: Vec<Holder>,
    pub readers: Vec<Reader>,
    /// More handles are open for reading.
    pub readers_are_cut: bool,
    /// Handles that are open for putting.
    pub writers: u32,
    pub last_put: Option<Timestamp>,
    pub last_get: Option<Timestamp>,
    pub not_yet_due: NotYetDue,
}

/// An application, as it connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub application: String,
    /// Whose authority was checked.
    pub user: String,
    pub channel: String,
    pub connection_name: String,
}

/// Who holds uncommitted messages.
#[derive(Debug, Clone)]
pub enum Holder {
    /// The unit of work of a connection.
    Connection { program: Program, since: Timestamp },
    /// A delivery or a request of the message API.
    Detached { since: Timestamp },
    /// A branch of an XA transaction that no connection works on.
    Branch { since: Timestamp, is_prepared: bool },
    /// It has ended meanwhile, or is the queue manager's own.
    Unknown,
}

/// A handle that is open for getting or browsing.
#[derive(Debug, Clone)]
pub struct Reader {
    pub program: Program,
    pub takes: bool,
    pub browses: bool,
    /// As the application wrote it; empty for none.
    pub selector: String,
    /// Gets of the handle that wait.
    pub waits: Vec<Wait>,
}

/// What a get that waits asks for. `None` matches everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wait {
    pub browses: bool,
    pub message_id: Option<MessageId>,
    pub correlation_id: Option<CorrelationId>,
    pub group_id: Option<GroupId>,
}

/// Where messages have an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentifierKind {
    Message,
    Correlation,
    Group,
}

impl Wait {
    fn of(wanted: &Wanted) -> Self {
        let Wanted { browses, message_id, correlation_id, group_id, .. } = *wanted;
        Self { browses, message_id, correlation_id, group_id }
    }

    /// What it asks for, each with its kind.
    pub fn identifiers(&self) -> impl Iterator<Item = (IdentifierKind, [u8; 24])> {
        let message = self.message_id.map(|id| (IdentifierKind::Message, *id.as_bytes()));
        let correlation = self.correlation_id.map(|id| (IdentifierKind::Correlation, *id.as_bytes()));
        let group = self.group_id.map(|id| (IdentifierKind::Group, *id.as_bytes()));
        [message, correlation, group].into_iter().flatten()
    }
}

impl QueueManager {
    /// `None`: the name leads to no queue here that holds messages.
    pub async fn insight(&self, name: &QueueName) -> Option<Insight> {
        let engine = self.engine();
        let (opened, queue) = local(engine, name)?;
        let survey = engine.store.survey(queue.id, MOST_LOOKED_AT, engine.now()).await.ok()??;
        let connections = engine.connections.all();
        let holders = survey.held.iter().map(|held| holder(engine, &connections, held.unit)).collect();
        let (readers, readers_are_cut) = readers(&connections, &queue);
        let mut of_both = vec![&opened];
        of_both.extend((!Arc::ptr_eq(&opened, &queue)).then_some(&queue));
        let is_inhibited = |one: &&&Arc<Queue>| one.check_get_enabled().is_err();
        let inhibited = of_both.iter().filter(is_inhibited).map(|one| one.name).collect();
        let names = [opened.name, queue.name];
        let status = crate::instrumentation::status::status_of(&engine.store, &queue)?;
        Some(Insight {
            queue: queue.name,
            inhibited,
            survey,
            holders,
            readers,
            readers_are_cut,
            writers: status.open_output,
            last_put: status.last_put,
            last_get: status.last_get,
            not_yet_due: not_yet_due(engine, &names, MOST_LOOKED_AT).await,
        })
    }

    /// The first message of a queue that could be taken and has these 24 bytes as its identifier of that kind.
    pub async fn first_with_identifier(
        &self,
        queue: &QueueName,
        kind: IdentifierKind,
        id: [u8; 24],
    ) -> Option<Position> {
        let engine = self.engine();
        let (_, queue) = local(engine, queue)?;
        let mut selection = Selection::default();
        match kind {
            IdentifierKind::Message => selection.message_id = Some(MessageId::new(id)),
            IdentifierKind::Correlation => selection.correlation_id = Some(CorrelationId::new(id)),
            IdentifierKind::Group => selection.group_id = Some(GroupId::new(id)),
        }
        let found = engine.store.first_fitting(queue.id, &selection, engine.now()).await.ok()?;
        found.map(|key| key.position)
    }
}

/// What was named, and the queue that it leads to.
fn local(engine: &Engine, name: &QueueName) -> Option<(Arc<Queue>, Arc<Queue>)> {
    match resolve(engine, name, &QueueManagerName::BLANK).ok()? {
        Resolved::Destination(Destination::Local { opened, queue }) => Some((opened, queue)),
        Resolved::Destination(Destination::Remote { .. } | Destination::Topic { .. }) | Resolved::Model(_) => None,
    }
}

fn holder(engine: &Engine, connections: &[Arc<ConnectionState>], unit: UnitOfWorkId) -> Holder {
    let of_connection = |state: &Arc<ConnectionState>| {
        let since = state.unit.lock().as_ref().filter(|open| open.id == unit).map(|open| open.since)?;
        Some(Holder::Connection { program: program(&state.options, None), since })
    };
    let detached = || engine.detached.since(unit).map(|since| Holder::Detached { since });
    let branch = || {
        let (since, is_prepared) = engine.branches.since(unit)?;
        Some(Holder::Branch { since, is_prepared })
    };
    let found = connections.iter().find_map(of_connection).or_else(detached).or_else(branch);
    found.unwrap_or(Holder::Unknown)
}

fn program(options: &ConnectOptions, handle: Option<&Handle>) -> Program {
    Program {
        application: options.application_name.clone(),
        user: handle.map_or(&options.principal.user, |handle| &handle.caller.user).to_string(),
        channel: options.channel.clone(),
        connection_name: options.connection_name.clone(),
    }
}

/// Handles that read the queue, those that wait first.
fn readers(connections: &[Arc<ConnectionState>], queue: &Arc<Queue>) -> (Vec<Reader>, bool) {
    let asked = queue.waiters.asked(MOST_LOOKED_AT);
    let mut readers = Vec::new();
    for state in connections {
        let handles = state.handles.lock();
        for handle in handles.iter().flatten().filter(|handle| reads(handle, queue)) {
            let waits = asked.iter().filter(|wanted| wanted.handle == handle.owner.0).map(Wait::of).collect();
            readers.push(Reader {
                program: program(&state.options, Some(handle)),
                takes: handle.options.intersects(INPUT),
                browses: handle.options.contains(OpenOptions::BROWSE),
                selector: handle.selector.as_ref().map_or_else(String::new, |selector| selector.text().to_owned()),
                waits,
            });
        }
    }
    readers.sort_by_key(|reader| reader.waits.is_empty());
    let is_cut = readers.len() > MOST_READERS;
    readers.truncate(MOST_READERS);
    (readers, is_cut)
}

fn reads(handle: &Handle, queue: &Arc<Queue>) -> bool {
    let leads_there = match &handle.target {
        Target::Queue(destination) => destination.queue().is_some_and(|of| Arc::ptr_eq(of, queue)),
        Target::Topic(_) | Target::Subscription(_) | Target::QueueManager | Target::Object(_) => false,
    };
    leads_there && handle.options.intersects(INPUT | OpenOptions::BROWSE)
}
