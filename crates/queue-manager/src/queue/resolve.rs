//! Name resolution: from the two names of an object descriptor to where messages go.
//!
//! Source: MQ, "What is queue name resolution?" and reasons 2001, 2082, 2085 to 2092, 2184, 2196 to 2199, 2345, 9.3.

use std::sync::Arc;

use model::definition::QueueKind;
use model::definition::queue::{AliasTarget, RemoteQueue, Usage};
use model::name::{ObjectName, QueueManagerName, QueueName, TopicName};
use model::reason::Reason;

use crate::engine::Engine;
use crate::group::intra_group;
use crate::queue::{Queue, transmission};

/// What a pair of names leads to.
pub(crate) enum Resolved {
    /// A template: opening it makes a queue.
    Model(Arc<Queue>),
    Destination(Destination),
}

/// Where messages go.
#[derive(Clone)]
pub(crate) enum Destination {
    /// A queue here. `opened` is what was named: the queue itself or an alias of it.
    Local { opened: Arc<Queue>, queue: Arc<Queue> },
    /// A queue elsewhere, by way of a transmission queue.
    Remote {
        /// The alias or remote definition that was named, if it was one.
        opened: Option<Arc<Queue>>,
        transmission: Arc<Queue>,
        queue: QueueName,
        queue_manager: QueueManagerName,
    },
    /// An alias whose target is a topic.
    Topic { alias: Arc<Queue>, topic: TopicName },
}

impl Destination {
    fn local(queue: Arc<Queue>) -> Self {
        Self::Local { opened: queue.clone(), queue }
    }

    /// The object whose attributes (DEFPRTY, DEFPSIST, PUT, ...) rule: the first on the way.
    pub(crate) fn first(&self) -> &Arc<Queue> {
        match self {
            Self::Local { opened, .. } => opened,
            Self::Remote { opened, transmission, .. } => opened.as_ref().unwrap_or(transmission),
            Self::Topic { alias, .. } => alias,
        }
    }

    /// The local queue that holds the messages in the end; none for a topic.
    pub(crate) fn queue(&self) -> Option<&Arc<Queue>> {
        match self {
            Self::Local { queue, .. } => Some(queue),
            Self::Remote { transmission, .. } => Some(transmission),
            Self::Topic { .. } => None,
        }
    }

    /// MQOD `ResolvedQName` and `ResolvedQMgrName`.
    pub(crate) fn resolved(&self, engine: &Engine) -> (QueueName, QueueManagerName) {
        match self {
            Self::Local { queue, .. } => (queue.name, engine.name),
            Self::Remote { queue, queue_manager, .. } => (*queue, *queue_manager),
            Self::Topic { .. } => (QueueName::BLANK, QueueManagerName::BLANK),
        }
    }
}

/// Follows aliases, remote definitions, queue-manager aliases and transmission queues.
///
/// # Errors
/// Those of the module comment.
pub(crate) fn resolve(engine: &Engine, name: &QueueName, queue_manager: &QueueManagerName) -> Result<Resolved, Reason> {
    if !engine.is_this(queue_manager) && !is_shared_with(engine, name, queue_manager) {
        return resolve_elsewhere(engine, name, queue_manager);
    }
    let queue = engine.queue(name).ok_or_else(|| engine.unknown_queue(Reason::UnknownObjectName))?;
    let definition = queue.definition();
    match &definition.kind {
        QueueKind::Local(_) => Ok(Resolved::Destination(Destination::local(queue))),
        QueueKind::Model(_) => Ok(Resolved::Model(queue)),
        QueueKind::Remote(remote) => resolve_remote(engine, queue, remote).map(Resolved::Destination),
        QueueKind::Alias(alias) => match alias.target_type {
            AliasTarget::Topic => Ok(Resolved::Destination(Destination::Topic { alias: queue, topic: alias.target })),
            AliasTarget::Queue => resolve_alias(engine, queue, &alias.target).map(Resolved::Destination),
        },
    }
}

/// A shared queue is the same at every member: a message for it at another one, as a reply, is put here, unless SQQMNAME(USE)
/// sends it to the member that is named.
fn is_shared_with(engine: &Engine, name: &QueueName, queue_manager: &QueueManagerName) -> bool {
    engine.group.is_some()
        && !engine.definition.read().uses_shared_queue_manager
        && engine.queue(name).is_some_and(|queue| queue.id.is_shared())
        && engine.store.shared().is_some_and(|shared| shared.has_member(queue_manager.as_str()))
}

/// One level: an alias leads to a local queue or to the local definition of a remote one.
fn resolve_alias(engine: &Engine, alias: Arc<Queue>, target: &ObjectName) -> Result<Destination, Reason> {
    let target = engine.queue(target).ok_or_else(|| engine.unknown_queue(Reason::UnknownAliasBaseQ))?;
    let definition = target.definition();
    match &definition.kind {
        QueueKind::Local(_) => Ok(Destination::Local { opened: alias, queue: target }),
        QueueKind::Remote(remote) => resolve_remote(engine, alias, remote),
        QueueKind::Alias(_) | QueueKind::Model(_) => Err(Reason::AliasBaseQTypeError),
    }
}

/// A local definition of a remote queue. `opened` is it, or an alias of it.
fn resolve_remote(engine: &Engine, opened: Arc<Queue>, remote: &RemoteQueue) -> Result<Destination, Reason> {
    if engine.is_this(&remote.remote_queue_manager) {
        return Err(Reason::UnknownRemoteQMgr);
    }
    if remote.remote_queue.is_blank() {
        return Err(Reason::RemoteQNameError);
    }
    Ok(Destination::Remote {
        opened: Some(opened),
        transmission: transmission_queue(engine, &remote.transmission_queue, &remote.remote_queue_manager)?,
        queue: remote.remote_queue,
        queue_manager: remote.remote_queue_manager,
    })
}

/// The queue manager was named, and it is not this one: a queue-manager alias, intra-group queuing, a transmission queue, or the default.
fn resolve_elsewhere(engine: &Engine, name: &QueueName, queue_manager: &QueueManagerName) -> Result<Resolved, Reason> {
    let remote = |transmission, queue_manager| {
        Ok(Resolved::Destination(Destination::Remote { opened: None, transmission, queue: *name, queue_manager }))
    };
    let named = engine.queue(queue_manager);
    let is_alias = named.as_ref().is_some_and(|queue| matches!(queue.definition().kind, QueueKind::Remote(_)));
    if !is_alias && let Some(of_group) = intra_group::transmission_queue(engine, queue_manager)? {
        return remote(of_group, *queue_manager);
    }
    let Some(queue) = named else { return remote(default_transmission_queue(engine)?, *queue_manager) };
    let definition = queue.definition();
    match &definition.kind {
        QueueKind::Local(local) if local.usage == Usage::Transmission => remote(queue, *queue_manager),
        QueueKind::Local(_) => Err(Reason::XmitQUsageError),
        QueueKind::Alias(_) | QueueKind::Model(_) => Err(Reason::XmitQTypeError),
        QueueKind::Remote(alias) if alias.remote_queue_manager == engine.name => {
            resolve(engine, name, &QueueManagerName::BLANK)
        }
        QueueKind::Remote(alias) if alias.remote_queue_manager.is_blank() => Err(Reason::UnknownRemoteQMgr),
        QueueKind::Remote(alias) => remote(
            transmission_queue(engine, &alias.transmission_queue, &alias.remote_queue_manager)?,
            alias.remote_queue_manager,
        ),
    }
}

/// XMITQ if one is named, else that of intra-group queuing, else the queue named as the remote queue manager, else DEFXMITQ.
fn transmission_queue(
    engine: &Engine,
    named: &QueueName,
    queue_manager: &QueueManagerName,
) -> Result<Arc<Queue>, Reason> {
    let queue = if named.is_blank() {
        if let Some(of_group) = intra_group::transmission_queue(engine, queue_manager)? {
            return Ok(of_group);
        }
        match engine.queue(queue_manager) {
            Some(queue) => queue,
            None => return default_transmission_queue(engine),
        }
    } else {
        engine.queue(named).ok_or(Reason::UnknownXmitQ)?
    };
    transmission::check(queue, Reason::XmitQTypeError, Reason::XmitQUsageError)
}

fn default_transmission_queue(engine: &Engine) -> Result<Arc<Queue>, Reason> {
    let name = engine.definition.read().default_transmission_queue;
    if name.is_blank() {
        return Err(Reason::UnknownRemoteQMgr);
    }
    let queue = engine.queue(&name).ok_or(Reason::UnknownDefXmitQ)?;
    transmission::check(queue, Reason::DefXmitQTypeError, Reason::DefXmitQUsageError)
}

/// Where replies to a message put here go: a reply-to name that is a remote definition stands for what it names.
pub(crate) fn resolve_reply_to(
    engine: &Engine,
    queue: QueueName,
    queue_manager: QueueManagerName,
) -> (QueueName, QueueManagerName) {
    if queue.is_blank() || !queue_manager.is_blank() {
        return (queue, queue_manager);
    }
    let remote = engine.queue(&queue).and_then(|queue| {
        queue.with(|definition| match &definition.kind {
            QueueKind::Remote(remote) => Some((remote.remote_queue, remote.remote_queue_manager)),
            QueueKind::Local(_) | QueueKind::Alias(_) | QueueKind::Model(_) => None,
        })
    });
    remote.unwrap_or((queue, engine.name))
}
