//! What a salvaged recovery log lacks: a definition for each queue whose own is lost, so that programs can get its messages. Without
//! one, a start keeps them in quarantine.

use std::collections::HashMap;

use model::definition::queue::LocalQueue;
use model::definition::{QueueDefinition, QueueKind};
use model::name::{QueueManagerName, QueueName};
use model::timestamp::Timestamp;
use storage::{DefinitionChange, QueueId};

use crate::StartError;
use crate::definition::defaults;
use crate::definition::definitions::{self, Saved};

/// Names of the queues that have messages, and the definitions to be added.
pub struct SalvagedQueues {
    pub names: HashMap<QueueId, QueueName>,
    /// Those of `names` whose definition is lost, in the order of their numbers.
    pub lost: Vec<QueueId>,
    /// Definitions by key.
    pub additions: Vec<(String, Vec<u8>)>,
    /// Keys of definitions that are to be left out: the key of a damaged record is not that of its value.
    pub unusable: Vec<String>,
}

/// A queue without definition becomes the local queue `SALVAGED.QUEUE.n`, with the number that it had in the log.
///
/// # Errors
/// A definition that cannot be read: none that is under its own key.
pub fn salvaged_queues(
    name: QueueManagerName,
    definitions: Vec<(String, Vec<u8>)>,
    queues: &[QueueId],
    now: Timestamp,
) -> Result<SalvagedQueues, StartError> {
    let (usable, unusable): (Vec<_>, Vec<_>) =
        definitions.into_iter().partition(|(key, value)| definitions::is_key_of(key, value));
    let saved = definitions::read(name, usable)?;
    let mut names: HashMap<QueueId, QueueName> = saved.queues.iter().filter_map(named).collect();
    let lost: Vec<QueueId> = queues.iter().copied().filter(|id| !names.contains_key(id)).collect();
    let mut additions = Vec::new();
    for id in &lost {
        let queue = free_name(&saved, *id);
        names.insert(*id, queue);
        if let DefinitionChange::Save { key, value } = definitions::save_queue(&definition(queue, *id, now)) {
            additions.push((key, value));
        }
    }
    names.retain(|id, _| queues.contains(id));
    let unusable = unusable.into_iter().map(|(key, _)| key).collect();
    Ok(SalvagedQueues { names, lost, additions, unusable })
}

fn named(definition: &QueueDefinition) -> Option<(QueueId, QueueName)> {
    Some((QueueId(definition.as_local()?.store_id), definition.name))
}

fn free_name(saved: &Saved, id: QueueId) -> QueueName {
    let names = (0..).map(|number| match number {
        0 => format!("SALVAGED.QUEUE.{}", id.0),
        _ => format!("SALVAGED.QUEUE.{}.{number}", id.0),
    });
    let mut names = names.map(|name| QueueName::parse(&name).expect("a short name of letters, digits and dots"));
    names.find(|name| !saved.queues.iter().any(|queue| queue.name == *name)).expect("there are more names than queues")
}

fn definition(name: QueueName, id: QueueId, now: Timestamp) -> QueueDefinition {
    let local = LocalQueue { maximum_depth: 999_999_999, store_id: id.0, ..LocalQueue::default() };
    QueueDefinition {
        description: "Messages of a queue whose definition was lost".to_owned(),
        history: defaults::history(now),
        ..QueueDefinition::new(name, QueueKind::Local(Box::new(local)))
    }
}
