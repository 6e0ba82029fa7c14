//! The start of a queue manager: recover the store, read the definitions, make what a first start lacks.

use std::sync::Arc;

use model::definition::QueueDefinition;
use model::timestamp::Timestamp;
use storage::{DefinitionChange, PrivateStore, QueueId, block_on};
use tracing::info;

use crate::authority::Authorities;
use crate::channel_authentication::ChannelAuthentications;
use crate::definitions::{self, Saved};
use crate::engine::{Engine, Loaded};
use crate::queue::Queue;
use crate::{Home, StartError, StartOptions, defaults, event};

pub(crate) fn start(options: StartOptions) -> Result<Engine, StartError> {
    let StartOptions { name, home, store, clock, server_user } = options;
    let (store, definitions, messages) = match home {
        Home::Ephemeral => (PrivateStore::ephemeral(store), Vec::new(), 0),
        Home::Disk(disk) => {
            let (store, recovered) =
                PrivateStore::open(disk, store).map_err(|source| StartError::RecoveryLog { name, source })?;
            (store, recovered.definitions, recovered.messages)
        }
    };
    let mut saved = definitions::read(name, definitions)?;
    if saved.queue_manager.is_none() {
        let changes = first_start(&store, &mut saved, name, clock.now());
        block_on(store.change_definitions(changes)).map_err(|source| StartError::Write { name, source })?;
    }
    let definition = saved.queue_manager.expect("made just now when there was none");
    if definition.name != name {
        return Err(StartError::OtherQueueManager { name, found: definition.name });
    }
    let ids: Vec<_> = saved.queues.iter().filter_map(store_id).collect();
    store.retain_queues(&ids);
    let queues: Vec<_> = saved
        .queues
        .into_iter()
        .map(|definition| {
            let next_expiry = store_id(&definition).and_then(|id| store.next_expiry(id));
            Queue::recovered(definition, next_expiry)
        })
        .collect();
    info!(queue_manager = name.as_str(), queues = queues.len(), messages, "queue manager started");
    let loaded = Loaded {
        definition,
        queues,
        topics: saved.topics.into_iter().map(|topic| (topic.name, Arc::new(topic))).collect(),
        subscriptions: saved.subscriptions,
        authorities: Authorities::new(&server_user, saved.authorities),
        channel_authentications: ChannelAuthentications::new(saved.channel_authentications),
    };
    let engine = Engine::new(name, store, clock, loaded);
    engine.publish.definitions_changed(&engine);
    event::starting::started(&engine);
    Ok(engine)
}

fn store_id(definition: &QueueDefinition) -> Option<QueueId> {
    definition.as_local().map(|local| QueueId(local.store_id))
}

/// All in one change, so that a crash leaves either everything or nothing to do again.
fn first_start(
    store: &PrivateStore,
    saved: &mut Saved,
    name: model::name::QueueManagerName,
    now: Timestamp,
) -> Vec<DefinitionChange> {
    let queue_manager = defaults::queue_manager(name, now);
    saved.queues = defaults::queues(now);
    for local in saved.queues.iter_mut().filter_map(QueueDefinition::as_local_mut) {
        local.store_id = store.create_queue().0;
    }
    saved.topics = defaults::topics(now);
    saved.channel_authentications = defaults::channel_authentications(now);
    let mut changes = vec![definitions::save_queue_manager(&queue_manager)];
    changes.extend(saved.queues.iter().map(definitions::save_queue));
    changes.extend(saved.topics.iter().map(definitions::save_topic));
    changes.extend(saved.channel_authentications.iter().map(definitions::save_channel_authentication));
    saved.queue_manager = Some(queue_manager);
    changes
}
