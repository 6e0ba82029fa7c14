//! The topic strings of monitoring, and which subscriptions ask for what.

use model::name::QueueName;

use crate::engine::Engine;
use crate::instrumentation::monitoring::catalogue::Class;
use crate::publish::SYSTEM_TOPICS;
use crate::publish::topic_tree::Pattern;

/// Below this are all topics of monitoring of a queue manager.
fn root(engine: &Engine) -> String {
    format!("{SYSTEM_TOPICS}INFO/QMGR/{}/Monitor/", engine.name)
}

pub(super) fn classes(engine: &Engine) -> String {
    format!("{}METADATA/CLASSES", root(engine))
}

pub(super) fn types(engine: &Engine, class: Class) -> String {
    format!("{}METADATA/{}/TYPES", root(engine), class.name())
}

pub(super) fn elements(engine: &Engine, class: Class, of_type: &str) -> String {
    format!("{}METADATA/{}/{of_type}", root(engine), class.name())
}

/// Where the values of a type are published. A `/` in the name of a queue would be taken for a border of levels.
pub(super) fn values(engine: &Engine, class: Class, queue: Option<&str>, of_type: &str) -> String {
    let (root, class) = (root(engine), class.name());
    match queue {
        None => format!("{root}{class}/{of_type}"),
        Some(queue) => format!("{root}{class}/{}/{of_type}", queue.replace('/', "&")),
    }
}

/// The queue whose values are published on a topic string.
pub(super) fn queue_of(engine: &Engine, topic: &str) -> Option<QueueName> {
    let below = topic.strip_prefix(&*root(engine))?;
    let mut levels = below.split('/');
    let (class, queue) = (levels.next()?, levels.next()?);
    let is_whole = levels.next().is_some() && levels.next().is_none();
    let name = QueueName::parse(&queue.replace('&', "/")).ok()?;
    (class == Class::Queues.name() && is_whole).then_some(name)
}

/// Whether a pattern is meant for system topics: they do not reach subscriptions to everything.
pub(super) fn names_system_topics(pattern: &Pattern) -> bool {
    let system = SYSTEM_TOPICS.trim_end_matches('/');
    pattern.stem().strip_prefix(system).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a pattern may match topic strings on which values are published.
pub(super) fn asks_for_values(engine: &Engine, pattern: &Pattern) -> bool {
    if !names_system_topics(pattern) {
        return false;
    }
    let root = root(engine);
    let descriptions = format!("{root}METADATA/");
    match pattern.literal() {
        Some(topic) => topic.starts_with(&*root) && !topic.starts_with(&*descriptions),
        None => {
            let levels = format!("{}/", pattern.stem());
            (levels.starts_with(&*root) || root.starts_with(&*levels)) && !levels.starts_with(&*descriptions)
        }
    }
}
