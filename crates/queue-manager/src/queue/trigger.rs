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
//! Uncommitted messages count, as in MQ; the trigger message is made at commit. What members of a group decide together about shared
//! queues is in `group/triggers.rs`.
//! Source: MQ, "Conditions for a trigger event", 9.3.

use std::sync::Arc;
use std::time::Duration;

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
use crate::group::triggers::{self, Why};
use crate::queue::Queue;
use crate::queue::delivery;
use crate::queue::transmission::{QUEUE_MANAGER, own_ccsid};
use crate::reason;

/// What triggering needs to know of a queue.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) kind: TriggerType,
    pub(crate) priority: u8,
    pub(crate) depth: u32,
    pub(crate) initiation_queue: QueueName,
}

impl Rule {
    pub(crate) fn of(queue: &Queue) -> Option<Self> {
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
    let is_of_group = matches!(rule.kind, TriggerType::First | TriggerType::Depth);
    if is_of_group && engine.look_at_shared_triggers(queue, Why::Arrived) {
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

/// Triggering was switched on: what is there now may call for a program.
pub(crate) async fn switched_on(engine: &Engine, queue: &Arc<Queue>) {
    if !engine.look_at_shared_triggers(queue, Why::SwitchedOn) {
        input_closed(engine, queue).await;
    }
}

/// The last handle for input was closed: what is there now may call for a program.
pub(crate) async fn input_closed(engine: &Engine, queue: &Arc<Queue>) {
    if engine.look_at_shared_triggers(queue, Why::Look) {
        return;
    }
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
        if Rule::of(&queue).is_some_and(|rule| rule.initiation_queue == opened.name)
            && !engine.look_at_shared_triggers(&queue, Why::MonitorBegan)
        {
            input_closed(engine, &queue).await;
        }
    }
}

/// Committed messages of at least this priority.
pub(crate) async fn count(engine: &Engine, queue: &Queue, priority: u8) -> u32 {
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
    queue.last_trigger.lock().is_some_and(|last| now.since(last) >= interval(engine))
}

/// TRIGINT.
pub(crate) fn interval(engine: &Engine) -> Duration {
    Duration::from_millis(u64::from(engine.definition.read().trigger_interval_ms))
}

/// The initiation queue takes and gives messages.
pub(crate) fn is_enabled_initiation(initiation: &Queue) -> bool {
    initiation
        .with(|definition| !definition.put_inhibited && definition.as_local().is_some_and(|local| !local.get_inhibited))
}

/// And a program here watches it.
pub(crate) fn is_ready(initiation: &Queue) -> bool {
    is_enabled_initiation(initiation) && initiation.in_use.lock().input > 0
}

async fn fire(engine: &Engine, queue: &Arc<Queue>, rule: Rule, now: Timestamp) {
    let Some(initiation) = engine.queue(&rule.initiation_queue) else { return };
    if !is_enabled_initiation(&initiation) || !triggers::is_monitored(engine, &initiation).await {
        return;
    }
    if !put(engine, queue, &initiation, now).await {
        return;
    }
    *queue.last_trigger.lock() = Some(now);
    if rule.kind == TriggerType::Depth {
        switch_off(engine, queue).await;
    }
}

/// False when the trigger message could not be put.
pub(crate) async fn put(engine: &Engine, queue: &Queue, initiation: &Arc<Queue>, now: Timestamp) -> bool {
    let message = trigger_message(engine, queue, initiation, now);
    let put = delivery::place_quietly(engine, initiation, message, now).await;
    if let Err(reason) = put {
        warn!(queue = queue.name.as_str(), initiation_queue = initiation.name.as_str(), %reason,
            "a trigger message could not be put");
    }
    put.is_ok()
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
pub(crate) async fn switch_off(engine: &Engine, queue: &Arc<Queue>) {
    let changed = definitions::change_queue(engine, queue, |definition| {
        if let Some(local) = definition.as_local_mut() {
            local.trigger.enabled = false;
        }
    });
    if let Err(reason) = changed.await {
        warn!(queue = queue.name.as_str(), %reason, "a depth trigger could not be switched off");
    }
}
