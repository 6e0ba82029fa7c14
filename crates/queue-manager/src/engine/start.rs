//! The start of a queue manager: recover the store, read the definitions, make what a first start lacks.

use std::collections::HashSet;
use std::sync::Arc;

use model::definition::queue::Disposition;
use model::definition::{AdministeredObject, QueueDefinition};
use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use storage::private::Recovered;
use storage::{DefinitionChange, GroupStore, QueueId, Store, block_on};
use tracing::info;

use crate::definition::definitions::{self, Saved};
use crate::definition::{administered, defaults};
use crate::engine::{Engine, Loaded};
use crate::group::definitions::GroupDefinitions;
use crate::group::{Group, GroupOptions};
use crate::instrumentation::event;
use crate::queue::{Queue, quarantine};
use crate::security::authority::Authorities;
use crate::security::channel_authentication::ChannelAuthentications;
use crate::{Home, StartError, StartOptions};

pub(crate) fn start(options: StartOptions, group: Option<GroupOptions>) -> Result<Engine, StartError> {
    let StartOptions { name, home, store, clock, server_user } = options;
    let mut restored = None;
    let (store, recovered) = match home {
        Home::Ephemeral => (Store::ephemeral(store), Recovered::default()),
        Home::Restored(snapshot) => {
            let definitions = snapshot.definitions.clone();
            restored = Some(snapshot);
            (Store::ephemeral(store), Recovered { definitions, ..Recovered::default() })
        }
        Home::Disk(disk) => Store::open(disk, store).map_err(|source| StartError::RecoveryLog { name, source })?,
    };
    let store = match group.as_ref().and_then(|group| group.database.clone()) {
        Some(mut database) => {
            let here = Arc::clone(&clock);
            database.clock = Some(Arc::new(move || here.now()));
            let group = GroupStore::start(database).map_err(|source| StartError::Group { name, source })?;
            store.in_group(group)
        }
        None => store,
    };
    let Recovered { definitions, messages, set_aside, .. } = recovered;
    let mut saved = definitions::read(name, definitions)?;
    let changes = add_what_is_missing(&store, &mut saved, name, clock.now());
    if !changes.is_empty() {
        block_on(store.change_definitions(changes)).map_err(|source| StartError::Write { name, source })?;
    }
    let mut definition = saved.queue_manager.expect("made just now when there was none");
    definition.group = group.as_ref().map(|group| group.name);
    if definition.name != name {
        return Err(StartError::OtherQueueManager { name, found: definition.name });
    }
    if group.is_none() {
        // They wait in the log until the queue manager is in its group again.
        saved.queues.retain(|queue| queue.disposition != Disposition::Shared);
    }
    let ids: Vec<_> = saved.queues.iter().filter_map(store_id).collect();
    quarantine::say_undefined(name, &store.retain_queues(&ids));
    if let Some(snapshot) = restored {
        snapshot.fill(&store, &saved.queues).map_err(|source| StartError::Write { name, source })?;
    }
    let queues: Vec<_> = saved.queues.into_iter().map(|definition| Queue::recovered(definition, &store)).collect();
    info!(queue_manager = name.as_str(), queues = queues.len(), messages, "queue manager started");
    let masters = saved.masters;
    let group = group.map(|group| Group::new(group.name, GroupDefinitions::new(masters)));
    let loaded = Loaded {
        definition,
        group,
        queues,
        topics: saved.topics.into_iter().map(|topic| (topic.name, Arc::new(topic))).collect(),
        subscriptions: saved.subscriptions,
        objects: saved.objects.into_iter().map(|object| (administered::key(&object), Arc::new(object))).collect(),
        authorities: Authorities::new(&server_user, saved.authorities),
        channel_authentications: ChannelAuthentications::new(saved.channel_authentications),
    };
    let engine = Engine::new(name, store, clock, loaded);
    set_aside.iter().for_each(|(message, cause)| quarantine::say(&engine, message, cause));
    engine.publish.definitions_changed(&engine);
    event::starting::started(&engine);
    Ok(engine)
}

fn store_id(definition: &QueueDefinition) -> Option<QueueId> {
    definition.as_local().map(|local| QueueId(local.store_id))
}

/// What a first start makes, or what an older version did not make yet. All in one change, so that a crash leaves either
/// everything or nothing to do again. What is there stays as it is; what was deleted after it had been made stays away.
fn add_what_is_missing(
    store: &Store,
    saved: &mut Saved,
    name: QueueManagerName,
    now: Timestamp,
) -> Vec<DefinitionChange> {
    if saved.default_step >= defaults::STEP {
        return Vec::new();
    }
    let step = saved.default_step;
    let is_new = |name: &str| defaults::is_newer_than(step, name);
    let mut changes = vec![definitions::save_default_step(defaults::STEP)];
    if saved.queue_manager.is_none() {
        let queue_manager = defaults::queue_manager(name, now);
        changes.push(definitions::save_queue_manager(&queue_manager));
        saved.queue_manager = Some(queue_manager);
    }
    let known: HashSet<_> = saved.queues.iter().map(|queue| queue.name).collect();
    for mut queue in
        defaults::queues(now).into_iter().filter(|queue| is_new(queue.name.as_str()) && !known.contains(&queue.name))
    {
        if let Some(local) = queue.as_local_mut() {
            local.store_id = store.create_queue().0;
        }
        changes.push(definitions::save_queue(&queue));
        saved.queues.push(queue);
    }
    let known: HashSet<_> = saved.topics.iter().map(|topic| topic.name).collect();
    for topic in
        defaults::topics(now).into_iter().filter(|topic| is_new(topic.name.as_str()) && !known.contains(&topic.name))
    {
        changes.push(definitions::save_topic(&topic));
        saved.topics.push(topic);
    }
    let known: HashSet<_> = saved.objects.iter().map(administered::key).collect();
    let is_missing =
        |object: &AdministeredObject| is_new(object.name().as_str()) && !known.contains(&administered::key(object));
    for object in defaults::objects(now).into_iter().filter(is_missing) {
        changes.push(definitions::save_object(&object));
        saved.objects.push(object);
    }
    if step > 0 {
        return changes;
    }
    if saved.channel_authentications.is_empty() {
        saved.channel_authentications = defaults::channel_authentications(now);
        changes.extend(saved.channel_authentications.iter().map(definitions::save_channel_authentication));
    }
    let subscription = defaults::subscription(now);
    if !saved.subscriptions.contains_key(&subscription.name) {
        changes.push(definitions::save_subscription(&subscription));
        saved.subscriptions.insert(subscription.name.clone(), Arc::new(subscription));
    }
    changes
}
