//! MQCLOSE: gives up a handle, its locks and its marks, and deletes dynamic queues.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject};
use model::definition::queue::DefinitionType;
use model::options::CloseOptions;
use model::reason::Reason;

use crate::engine::Engine;
use crate::engine::housekeeping::Work;
use crate::publish::subscription;
use crate::queue::Queue;
use crate::queue::resolve::Destination;
use crate::queue::{dynamic, trigger};
use crate::security::authority::{self, Door};
use crate::verb::browse;
use crate::verb::connection::{Connection, ObjectHandle};
use crate::verb::handle::{Handle, Target};
use crate::verb::open::count_close;

const DELETION: CloseOptions = CloseOptions::DELETE.union(CloseOptions::DELETE_PURGE);
const KNOWN: CloseOptions =
    DELETION.union(CloseOptions::KEEP_SUB).union(CloseOptions::REMOVE_SUB).union(CloseOptions::QUIESCE);

pub(crate) async fn close(connection: &Connection, handle: ObjectHandle, options: CloseOptions) -> Result<(), Reason> {
    let engine = &connection.engine;
    let open = connection.state.handle(handle)?;
    if !KNOWN.contains(options)
        || options.contains(DELETION)
        || options.contains(CloseOptions::KEEP_SUB | CloseOptions::REMOVE_SUB)
    {
        return Err(Reason::OptionsError);
    }
    if let Target::Subscription(subscribed) = &open.target {
        if options.contains(CloseOptions::KEEP_SUB) {
            subscription::check_keep(engine, subscribed)?;
        }
        connection.state.remove_handle(handle)?;
        // Here and below: what is seldom needed is boxed, so that the state of every close need not hold it.
        Box::pin(subscription::close(engine, subscribed, options.contains(CloseOptions::REMOVE_SUB))).await;
        return Ok(());
    }
    if options.intersects(CloseOptions::KEEP_SUB | CloseOptions::REMOVE_SUB) {
        return Err(Reason::OptionNotValidForType);
    }
    if options.intersects(DELETION) {
        // Refused, the handle stays open.
        let queue = queue_to_delete(engine, connection.door(), &open)?;
        Box::pin(dynamic::delete(engine, &queue, options.contains(CloseOptions::DELETE_PURGE))).await?;
    }
    let open = connection.state.remove_handle(handle)?;
    if release_now(engine, &open) {
        Box::pin(finish(engine, vec![open.clone()])).await;
    }
    let unfinished = open.memory.lock().put_place.unfinished();
    unfinished.map_or(Ok(()), Err)
}

/// # Errors
/// `OptionNotValidForType` (2045): the queue is not dynamic, or temporary and made by another handle. `NotAuthorized`
/// (2035): neither its maker nor with +dlt.
fn queue_to_delete(engine: &Engine, door: Door<'_>, open: &Handle) -> Result<Arc<Queue>, Reason> {
    let Target::Queue(Destination::Local { opened, queue }) = &open.target else {
        return Err(Reason::OptionNotValidForType);
    };
    match queue.definition_type() {
        DefinitionType::Predefined => Err(Reason::OptionNotValidForType),
        DefinitionType::TemporaryDynamic if open.made_queue => Ok(queue.clone()),
        DefinitionType::TemporaryDynamic => Err(Reason::OptionNotValidForType),
        DefinitionType::PermanentDynamic | DefinitionType::SharedDynamic => {
            if queue.creator.as_ref().is_none_or(|creator| *creator != open.caller.user) {
                authority::check(engine, door, &open.caller, AuthorityObject::Queue, &opened.name, Authority::DELETE)?;
            }
            Ok(queue.clone())
        }
    }
}

/// Everything that goes with handles: locks, counts, the temporary queues they made. Dropped half-way, housekeeping goes on.
pub(super) async fn release(engine: &Engine, mut handles: Vec<Arc<Handle>>) {
    handles.retain(|open| release_now(engine, open));
    finish(engine, handles).await;
}

/// What `release_now` has left to do.
async fn finish(engine: &Engine, handles: Vec<Arc<Handle>>) {
    let mut unfinished = Unfinished { engine, handles };
    while let Some(open) = unfinished.handles.last().cloned() {
        finish_release(engine, &open).await;
        unfinished.handles.pop();
    }
}

struct Unfinished<'a> {
    engine: &'a Engine,
    handles: Vec<Arc<Handle>>,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        for open in self.handles.drain(..) {
            self.engine.left_over.push(Work::Close(open));
        }
    }
}

/// The part that needs no waiting. True when `finish_release` has something left to do.
pub(super) fn release_now(engine: &Engine, open: &Handle) -> bool {
    let destination = match &open.target {
        Target::Queue(destination) => destination,
        Target::Subscription(_) => return true,
        Target::Topic(_) | Target::QueueManager | Target::Object(_) => return false,
    };
    let Some(queue) = destination.queue() else { return false };
    browse::unlock(&engine.store, queue, open);
    let was_last_input = count_close(destination, open.options);
    is_temporary_of(engine, open, queue)
        || was_last_input && trigger::is_enabled(queue)
        || queue.id.is_shared() && open.in_group.lock().is_some()
}

/// Asked when the handle counts no more.
fn is_temporary_of(engine: &Engine, open: &Handle, queue: &Queue) -> bool {
    let is_needed = open.shared_by.is_some_and(|subscription| {
        engine.publish.with(|state| state.get(&subscription).is_some()) || queue.in_use.lock().handles > 0
    });
    open.made_queue && queue.is_temporary() && !is_needed
}

/// Tells the group; deletes the temporary queue that the handle made; looks for messages nobody serves any more; ends a subscription
/// that lives as long as its handle.
pub(crate) async fn finish_release(engine: &Engine, open: &Handle) {
    let in_group = open.in_group.lock().take();
    if let Some(in_group) = in_group {
        in_group.close().await;
    }
    match &open.target {
        Target::Queue(Destination::Local { queue, .. }) if is_temporary_of(engine, open, queue) => {
            dynamic::delete_temporary(engine, queue).await;
        }
        Target::Queue(Destination::Local { queue, .. }) => trigger::input_closed(engine, queue).await,
        Target::Subscription(subscribed) => subscription::close(engine, subscribed, false).await,
        Target::Queue(_) | Target::Topic(_) | Target::QueueManager | Target::Object(_) => {}
    }
}
