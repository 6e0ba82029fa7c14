//! Triggering: when messages on a queue call for a program, a trigger message goes to the initiation queue.
//!
//! A trigger message is made when all of this holds: triggering is on; a message of at least TRIGMPRI arrived (or is there,
//! when one of the conditions came true later); the count of such messages was 0 for FIRST, anything for EVERY, TRIGDPTH
//! less one for DEPTH; for FIRST and DEPTH nobody has the queue open for input; the initiation queue is a local queue
//! enabled for put and get, and a handle has it open for input. DEPTH switches itself off. FIRST fires again for a queue
//! that is not empty when TRIGINT has passed since it last fired.
//!
//! What the trigger message says of the program comes from the process definition that the queue names; without one
//! those fields are blank.
//!
//! Uncommitted messages count, as in MQ; the trigger message is made at commit.
//! Source: MQ, "Conditions for a trigger event", 9.3.

use std::sync::Arc;

use bytes::Bytes;
use model::authority::AuthorityObject;
use model::definition::queue::TriggerType;
use model::descriptor::{Encoding, Format, MessageDescriptor, Persistence};
use model::header::trigger::TriggerMessage;
use model::identifier::MessageId;
use model::message::Message;
use model::name::QueueName;
use model::text::Text;
use model::timestamp::Timestamp;
use storage::{Candidate, Selection};
use tracing::warn;

use crate::definition::definitions;
use crate::engine::Engine;
use crate::queue::Queue;
use crate::queue::delivery;
use crate::queue::transmission::{QUEUE_MANAGER, own_ccsid};
use crate::reason;

/// What triggering needs to know of a queue.
#[derive(Clone, Copy)]
struct Rule {
    kind: TriggerType,
    priority: u8,
    depth: u32,
    initiation_queue: QueueName,
}

impl Rule {
    fn of(queue: &Queue) -> Option<Self> {
        queue.with(|definition| {
            let local = definition.as_local().filter(|local| local.trigger.enabled)?;
            Some(Self {
                kind: local.trigger.kind,
                priority: local.trigger.message_priority,
                depth: local.trigger.depth,
                initiation_queue: local.initiation_queue,
            })
        })
    }
}

pub(crate) fn is_enabled(queue: &Queue) -> bool {
    queue.with(|definition| definition.as_local().is_some_and(|local| local.trigger.enabled))
}

/// A message of this priority became visible; before it were `depth_before` on the queue.
pub(crate) async fn arrived(engine: &Engine, queue: &Arc<Queue>, priority: u8, depth_before: u32) {
    let Some(rule) = Rule::of(queue) else { return };
    if priority < rule.priority {
        return;
    }
    let before =
        if rule.priority == 0 { depth_before } else { count(engine, queue, rule.priority).await.saturating_sub(1) };
    let in_use = queue.in_use.lock().input > 0;
    let now = engine.now();
    let fires = match rule.kind {
        TriggerType::None => false,
        TriggerType::Every => true,
        TriggerType::First => !in_use && (before == 0 || interval_has_passed(engine, queue, now)),
        TriggerType::Depth => !in_use && before + 1 == rule.depth,
    };
    if fires {
        fire(engine, queue, rule, now).await;
    }
}

/// The last handle for input was closed, or triggering was switched on: what is there now may call for a program.
pub(crate) async fn input_closed(engine: &Engine, queue: &Arc<Queue>) {
    let Some(rule) = Rule::of(queue) else { return };
    if queue.is_deleted() || queue.in_use.lock().input > 0 {
        return;
    }
    let count = count(engine, queue, rule.priority).await;
    let fires = match rule.kind {
        TriggerType::First => count > 0,
        TriggerType::Depth => count >= rule.depth,
        TriggerType::None | TriggerType::Every => false,
    };
    if fires {
        fire(engine, queue, rule, engine.now()).await;
    }
}

pub(crate) fn is_initiation_queue(engine: &Engine, queue: &Queue) -> bool {
    engine.initiation_queues.read().contains(&queue.name)
}

/// A trigger monitor has begun: what waited for it is looked at again.
pub(crate) async fn initiation_queue_opened(engine: &Engine, opened: &Queue) {
    for queue in engine.all_queues() {
        if Rule::of(&queue).is_some_and(|rule| rule.initiation_queue == opened.name) {
            input_closed(engine, &queue).await;
        }
    }
}

/// Committed messages of at least this priority.
async fn count(engine: &Engine, queue: &Queue, priority: u8) -> u32 {
    if priority == 0 {
        return queue.depth();
    }
    let counted = std::sync::atomic::AtomicU32::new(0);
    let accept = |candidate: &Candidate<'_>| {
        if candidate.priority >= priority {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        false
    };
    let selection = Selection { accept: Some(&accept), ..Selection::default() };
    if let Err(error) = engine.store.browse(queue.id, None, &selection, engine.now()).await {
        warn!(queue = queue.name.as_str(), reason = %reason::of_store(engine, &error), "messages that trigger could not be counted");
    }
    counted.into_inner()
}

fn interval_has_passed(engine: &Engine, queue: &Queue, now: Timestamp) -> bool {
    let interval = std::time::Duration::from_millis(u64::from(engine.definition.read().trigger_interval_ms));
    queue.last_trigger.lock().is_some_and(|last| now.since(last) >= interval)
}

async fn fire(engine: &Engine, queue: &Arc<Queue>, rule: Rule, now: Timestamp) {
    let Some(initiation) = engine.queue(&rule.initiation_queue) else { return };
    let is_ready = initiation.with(|definition| {
        !definition.put_inhibited && definition.as_local().is_some_and(|local| !local.get_inhibited)
    });
    if !is_ready || initiation.in_use.lock().input == 0 {
        return;
    }
    let message = trigger_message(engine, queue, &initiation, now);
    match delivery::place_quietly(engine, &initiation, message, now).await {
        Ok(()) => *queue.last_trigger.lock() = Some(now),
        Err(reason) => {
            warn!(queue = queue.name.as_str(), initiation_queue = initiation.name.as_str(), %reason,
                "a trigger message could not be put");
            return;
        }
    }
    if rule.kind == TriggerType::Depth {
        switch_off(engine, queue).await;
    }
}

fn trigger_message(engine: &Engine, queue: &Queue, initiation: &Queue, now: Timestamp) -> Message {
    let (process, trigger_data) = queue.with_local(|_, local| (local.process, local.trigger.data));
    let mut header = TriggerMessage {
        queue: Text::from_bytes(queue.name.padded()),
        process: Text::from_bytes(process.padded()),
        trigger_data,
        ..TriggerMessage::default()
    };
    let object = engine.object(AuthorityObject::Process, &process);
    if let Some(definition) = object.as_ref().and_then(|object| object.as_process()) {
        header.application_type = definition.application_type;
        header.application_identifier = Text::new(&definition.application_identifier);
        header.environment_data = Text::new(&definition.environment_data);
        header.user_data = Text::new(&definition.user_data);
    }
    let mut body = Vec::new();
    header.encode(Encoding::NATIVE, &mut body);
    let (priority, persistent) =
        initiation.with(|definition| (definition.default_priority, definition.default_persistent));
    let descriptor = MessageDescriptor {
        format: Format::TRIGGER,
        priority: i32::from(priority),
        persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
        ccsid: own_ccsid(engine),
        message_id: MessageId::new(engine.identifiers.make()),
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
        ..MessageDescriptor::default()
    };
    Message { descriptor, body: Bytes::from(body) }
}

/// NOTRIGGER from now on: a program that has served the queue switches it on again.
async fn switch_off(engine: &Engine, queue: &Arc<Queue>) {
    let changed = definitions::change_queue(engine, queue, |definition| {
        if let Some(local) = definition.as_local_mut() {
            local.trigger.enabled = false;
        }
    });
    if let Err(reason) = changed.await {
        warn!(queue = queue.name.as_str(), %reason, "a depth trigger could not be switched off");
    }
}
