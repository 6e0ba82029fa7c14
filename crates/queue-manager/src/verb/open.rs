//! MQOPEN: checks the options, resolves the names, checks authority, makes dynamic queues, and makes the handle.
//!
//! Source: MQ reference, "MQOPEN", with its table of options valid for each type of object, 9.3.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::queue::{DefinitionType, Disposition, LocalQueue};
use model::definition::{QueueDefinition, QueueKind};
use model::identifier::CorrelationId;
use model::name::{ObjectName, QueueManagerName, QueueName};
use model::options::{ObjectDescriptor, ObjectKind, OpenOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use storage::LockOwner;

use crate::engine::Engine;
use crate::engine::connection_table::alternate;
use crate::group::handles;
use crate::instrumentation::accounting::collection;
use crate::instrumentation::accounting::observation::Counts;
use crate::publish;
use crate::queue::Queue;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::waiters::Changes;
use crate::queue::{dynamic, trigger};
use crate::security::authority::{self, Door};
use crate::selection::selector::Selector;
use crate::verb::connection::{Connection, Opened};
use crate::verb::handle::{Handle, Memory, Target};

const INPUT: OpenOptions =
    OpenOptions::INPUT_AS_Q_DEF.union(OpenOptions::INPUT_SHARED).union(OpenOptions::INPUT_EXCLUSIVE);
const CONTEXT: OpenOptions = OpenOptions::PASS_IDENTITY_CONTEXT
    .union(OpenOptions::PASS_ALL_CONTEXT)
    .union(OpenOptions::SET_IDENTITY_CONTEXT)
    .union(OpenOptions::SET_ALL_CONTEXT);
const ACCESS: OpenOptions =
    INPUT.union(OpenOptions::BROWSE).union(OpenOptions::OUTPUT).union(OpenOptions::INQUIRE).union(OpenOptions::SET);
const BIND: OpenOptions =
    OpenOptions::BIND_ON_OPEN.union(OpenOptions::BIND_NOT_FIXED).union(OpenOptions::BIND_ON_GROUP);
const READ_AHEAD: OpenOptions = OpenOptions::READ_AHEAD.union(OpenOptions::NO_READ_AHEAD);
const KNOWN: OpenOptions = OpenOptions::from_bits_retain(0x007F_FFFF);

pub(crate) async fn open(
    connection: &Connection,
    caller: &Principal,
    object: &ObjectDescriptor,
    options: OpenOptions,
) -> Result<Opened, Reason> {
    let engine = &connection.engine;
    engine.admit(options.contains(OpenOptions::FAIL_IF_QUIESCING))?;
    check_options(options)?;
    let selector = selector(object, options)?;
    let wants_alternate = options.contains(OpenOptions::ALTERNATE_USER_AUTHORITY);
    let caller = &*effective_caller(connection, caller, object, wants_alternate)?;
    match object.object {
        ObjectKind::Queue => open_queue(connection, caller, object, options, selector).await,
        ObjectKind::Topic => {
            check_valid(options, OpenOptions::OUTPUT | CONTEXT)?;
            let topic = publish::open(connection, caller, object, options)?;
            add(connection, caller, object.name, Target::Topic(topic), options)
        }
        ObjectKind::QueueManager => open_queue_manager(connection, caller, object, options),
        ObjectKind::Process => open_object(connection, caller, object, AuthorityObject::Process, options),
        ObjectKind::NameList => open_object(connection, caller, object, AuthorityObject::NameList, options),
    }
}

/// Combinations that no object allows.
fn check_options(options: OpenOptions) -> Result<(), Reason> {
    let more_than_one = |group: OpenOptions| (options & group).bits().count_ones() > 1;
    let output = options.contains(OpenOptions::OUTPUT);
    let is_wrong = !KNOWN.contains(options)
        || !options.intersects(ACCESS)
        || more_than_one(INPUT)
        || more_than_one(BIND)
        || more_than_one(READ_AHEAD)
        || options.contains(OpenOptions::SAVE_ALL_CONTEXT) && !options.intersects(INPUT)
        || options.intersects(CONTEXT) && !output
        || options.contains(OpenOptions::CO_OP) && !options.contains(OpenOptions::BROWSE);
    if is_wrong { Err(Reason::OptionsError) } else { Ok(()) }
}

/// The selector of MQOD `SelectionString`.
///
/// # Errors
/// `SelectorInvalidForType` (2516): no queue, or neither for input nor for browsing. `SelectionStringError` (2519): too
/// long. `SelectorSyntaxError` (2459). `SelectionNotAvailable` (2551): it asks for the content of messages.
fn selector(object: &ObjectDescriptor, options: OpenOptions) -> Result<Option<Box<Selector>>, Reason> {
    let text = object.selector.trim_end_matches(['\0', ' ']);
    if text.is_empty() {
        return Ok(None);
    }
    if object.object != ObjectKind::Queue || !options.intersects(INPUT | OpenOptions::BROWSE) {
        return Err(Reason::SelectorInvalidForType);
    }
    Selector::parse(text).map(|selector| Some(Box::new(selector))).map_err(|error| error.reason())
}

/// # Errors
/// `OptionNotValidForType` (2045): an option beyond `valid` and those valid for every type.
fn check_valid(options: OpenOptions, valid: OpenOptions) -> Result<(), Reason> {
    let everywhere = OpenOptions::FAIL_IF_QUIESCING
        | OpenOptions::ALTERNATE_USER_AUTHORITY
        | OpenOptions::RESOLVE_NAMES
        | OpenOptions::RESOLVE_LOCAL_Q
        | OpenOptions::NO_MULTICAST
        | BIND
        | READ_AHEAD;
    if (valid | everywhere).contains(options) { Ok(()) } else { Err(Reason::OptionNotValidForType) }
}

/// Who counts: the alternate user when one is asked for and the caller may act for others.
pub(super) fn effective_caller<'c>(
    connection: &Connection,
    caller: &'c Principal,
    object: &ObjectDescriptor,
    wants_alternate: bool,
) -> Result<Cow<'c, Principal>, Reason> {
    if !wants_alternate {
        return Ok(Cow::Borrowed(caller));
    }
    let (engine, wanted) = (&connection.engine, Authority::ALTERNATE_USER);
    authority::check(engine, connection.door(), caller, AuthorityObject::QueueManager, &engine.name, wanted)?;
    Ok(alternate(&object.alternate_user).map_or(Cow::Borrowed(caller), Cow::Owned))
}

/// What the options ask to be allowed to do.
pub(crate) fn wanted(options: OpenOptions) -> Authority {
    const WORDS: [(OpenOptions, Authority); 9] = [
        (INPUT, Authority::GET),
        (OpenOptions::BROWSE, Authority::BROWSE),
        (OpenOptions::OUTPUT, Authority::PUT),
        (OpenOptions::INQUIRE, Authority::INQUIRE),
        (OpenOptions::SET, Authority::SET),
        (OpenOptions::PASS_IDENTITY_CONTEXT, Authority::PASS_IDENTITY_CONTEXT),
        (OpenOptions::PASS_ALL_CONTEXT, Authority::PASS_ALL_CONTEXT),
        (OpenOptions::SET_IDENTITY_CONTEXT, Authority::SET_IDENTITY_CONTEXT),
        (OpenOptions::SET_ALL_CONTEXT, Authority::SET_ALL_CONTEXT),
    ];
    WORDS
        .into_iter()
        .filter(|(option, _)| options.intersects(*option))
        .fold(Authority::empty(), |wanted, (_, authority)| wanted | authority)
}

async fn open_queue(
    connection: &Connection,
    caller: &Principal,
    object: &ObjectDescriptor,
    options: OpenOptions,
    selector: Option<Box<Selector>>,
) -> Result<Opened, Reason> {
    let engine = &connection.engine;
    match resolve(engine, &object.name, &object.queue_manager)? {
        Resolved::Model(model) => {
            authority::check(engine, connection.door(), caller, AuthorityObject::Queue, &model.name, wanted(options))?;
            let queue = Box::pin(dynamic::make(engine, &model, caller, &object.dynamic_queue)).await?;
            let target = Destination::Local { opened: queue.clone(), queue };
            open_destination(
                connection,
                caller,
                target,
                options,
                OpenedAs { made_queue: true, shared_by: None, selector },
            )
            .await
        }
        Resolved::Destination(destination) => {
            check_destination_authority(engine, connection.door(), caller, object, &destination, wanted(options))?;
            open_destination(
                connection,
                caller,
                destination,
                options,
                OpenedAs { made_queue: false, shared_by: None, selector },
            )
            .await
        }
    }
}

/// Whose profile is asked for a destination: the name given, or the transmission queue where only a queue manager was
/// recognised. `None`: the caller made the dynamic queue, and needs no record.
pub(crate) fn asked_name(
    caller: &Principal,
    object: &ObjectDescriptor,
    destination: &Destination,
) -> Option<QueueName> {
    if destination.first().creator.as_ref().is_some_and(|creator| *creator == caller.user) {
        return None;
    }
    Some(match destination {
        Destination::Remote { opened: None, transmission, .. } => transmission.name,
        Destination::Local { .. } | Destination::Remote { .. } | Destination::Topic { .. } => object.name,
    })
}

pub(crate) fn check_destination_authority(
    engine: &Engine,
    door: Door<'_>,
    caller: &Principal,
    object: &ObjectDescriptor,
    destination: &Destination,
    wanted: Authority,
) -> Result<(), Reason> {
    let Some(name) = asked_name(caller, object, destination) else { return Ok(()) };
    authority::check(engine, door, caller, AuthorityObject::Queue, &name, wanted)
}

/// What a handle of a queue has beside its options.
pub(super) struct OpenedAs {
    pub(crate) made_queue: bool,
    pub(super) shared_by: Option<CorrelationId>,
    pub(crate) selector: Option<Box<Selector>>,
}

async fn open_destination(
    connection: &Connection,
    caller: &Principal,
    destination: Destination,
    options: OpenOptions,
    opened_as: OpenedAs,
) -> Result<Opened, Reason> {
    let OpenedAs { made_queue, shared_by, selector } = opened_as;
    let engine = &connection.engine;
    let (options, shareable) = match &destination {
        Destination::Local { queue, .. } => queue.with_local(|_, local| (as_defined(options, local), local.shareable)),
        Destination::Remote { opened, .. } => {
            let inquiry = if opened.is_some() { OpenOptions::INQUIRE | OpenOptions::SET } else { OpenOptions::empty() };
            check_valid(options, OpenOptions::OUTPUT | CONTEXT | inquiry)?;
            (options, false)
        }
        Destination::Topic { alias, topic } => {
            check_valid(options, OpenOptions::OUTPUT | CONTEXT | OpenOptions::INQUIRE)?;
            let object = ObjectDescriptor { object: ObjectKind::Topic, name: *topic, ..ObjectDescriptor::default() };
            let topic = publish::open(connection, caller, &object, options)?;
            return add(connection, caller, alias.name, Target::Topic(topic), options);
        }
    };
    let changes = destination.queue().map_or_else(Changes::default, |queue| queue.waiters.changes());
    let first = destination.first().clone();
    let in_group = match destination.queue().filter(|queue| queue.id.is_shared()) {
        Some(queue) => Box::pin(handles::open(engine, queue, options, shareable)).await?,
        None => None,
    };
    let first_input = options.intersects(INPUT) && first.in_use.lock().input == 0;
    count_open(&destination, options, shareable)?;
    let name = first.name;
    let (resolved_queue, resolved_queue_manager) = destination.resolved(engine);
    let counts = match (connection.state.observation(), destination.queue()) {
        (Some(observation), Some(queue)) => collection::counts(engine, observation, queue),
        _ => Counts::default(),
    };
    let handle = Arc::new(Handle {
        owner: LockOwner(engine.identifiers.number()),
        name,
        forced_changes: first.forced_changes.load(Ordering::Acquire),
        target: Target::Queue(destination),
        options,
        caller: caller.clone(),
        made_queue,
        shared_by,
        selector,
        in_group: Mutex::new(in_group),
        counts,
        memory: Mutex::new(Memory::default()),
    });
    let number = match connection.state.add_handle(handle.clone(), engine.definition.read().maximum_handles) {
        Ok(number) => number,
        Err(reason) => {
            crate::verb::close::release_now(engine, &handle);
            return Err(reason);
        }
    };
    if first_input && trigger::is_initiation_queue(engine, &first) {
        // Seldom, as what else is boxed here: the state of every open need not hold it.
        Box::pin(trigger::initiation_queue_opened(engine, &first)).await;
    }
    Ok(Opened { handle: number, object_name: name, resolved_queue, resolved_queue_manager, changes })
}

/// DEFSOPT decides what MQOO_INPUT_AS_Q_DEF means, and NOSHARE makes every input exclusive by default.
fn as_defined(options: OpenOptions, local: &LocalQueue) -> OpenOptions {
    if !options.contains(OpenOptions::INPUT_AS_Q_DEF) {
        return options;
    }
    let input = if local.default_input_shared { OpenOptions::INPUT_SHARED } else { OpenOptions::INPUT_EXCLUSIVE };
    options.difference(OpenOptions::INPUT_AS_Q_DEF).union(input)
}

/// Counts the handle on the object that was named and on the queue it leads to.
fn count_open(destination: &Destination, options: OpenOptions, shareable: bool) -> Result<(), Reason> {
    let first = destination.first();
    let queue = destination.queue().unwrap_or(first);
    queue.open_for(options, shareable)?;
    if !Arc::ptr_eq(first, queue)
        && let Err(reason) = first.open_for(options, true)
    {
        queue.close_for(options);
        return Err(reason);
    }
    Ok(())
}

/// Undoes `count_open`. True when the local queue has no handle for input any more.
pub(super) fn count_close(destination: &Destination, options: OpenOptions) -> bool {
    let first = destination.first();
    let queue = destination.queue().unwrap_or(first);
    if !Arc::ptr_eq(first, queue) {
        first.close_for(options);
    }
    queue.close_for(options)
}

fn open_queue_manager(
    connection: &Connection,
    caller: &Principal,
    object: &ObjectDescriptor,
    options: OpenOptions,
) -> Result<Opened, Reason> {
    let engine = &connection.engine;
    check_valid(options, OpenOptions::INQUIRE)?;
    if !engine.is_this(&object.name) {
        return Err(Reason::UnknownObjectName);
    }
    if !engine.is_this(&object.queue_manager) {
        return Err(Reason::UnknownObjectQMgr);
    }
    let (door, family) = (connection.door(), AuthorityObject::QueueManager);
    authority::check(engine, door, caller, family, &engine.name, Authority::INQUIRE)?;
    add(connection, caller, engine.name, Target::QueueManager, options)
}

/// A process or a namelist, for its attributes.
fn open_object(
    connection: &Connection,
    caller: &Principal,
    object: &ObjectDescriptor,
    family: AuthorityObject,
    options: OpenOptions,
) -> Result<Opened, Reason> {
    let engine = &connection.engine;
    check_valid(options, OpenOptions::INQUIRE)?;
    if !engine.is_this(&object.queue_manager) {
        return Err(Reason::UnknownObjectQMgr);
    }
    engine.object(family, &object.name).ok_or(Reason::UnknownObjectName)?;
    authority::check(engine, connection.door(), caller, family, &object.name, Authority::INQUIRE)?;
    add(connection, caller, object.name, Target::Object(family), options)
}

/// A handle of something that holds no messages here.
pub(crate) fn add(
    connection: &Connection,
    caller: &Principal,
    name: ObjectName,
    target: Target,
    options: OpenOptions,
) -> Result<Opened, Reason> {
    let engine = &connection.engine;
    let handle = Arc::new(Handle {
        owner: LockOwner(engine.identifiers.number()),
        name,
        target,
        options,
        caller: caller.clone(),
        made_queue: false,
        shared_by: None,
        selector: None,
        forced_changes: 0,
        in_group: Mutex::new(None),
        counts: Counts::default(),
        memory: Mutex::new(Memory::default()),
    });
    let handle = connection.state.add_handle(handle, engine.definition.read().maximum_handles)?;
    Ok(Opened {
        handle,
        object_name: name,
        resolved_queue: QueueName::BLANK,
        resolved_queue_manager: QueueManagerName::BLANK,
        changes: Changes::default(),
    })
}

/// Opens a local queue as MQSUB does for managed destinations. With `made_queue`, closing it deletes a temporary
/// queue.
pub(super) async fn open_local(
    connection: &Connection,
    caller: &Principal,
    queue: Arc<Queue>,
    options: OpenOptions,
    opened_as: OpenedAs,
) -> Result<Opened, Reason> {
    let destination = Destination::Local { opened: queue.clone(), queue };
    open_destination(connection, caller, destination, options, opened_as).await
}

/// The model's template as a queue of its own.
pub(crate) fn instance_of(model: &QueueDefinition, name: QueueName) -> Option<(QueueDefinition, DefinitionType)> {
    let QueueKind::Model(template) = &model.kind else { return None };
    let local = template.local.clone();
    let definition_type = match local.definition_type {
        DefinitionType::PermanentDynamic | DefinitionType::SharedDynamic => local.definition_type,
        DefinitionType::Predefined | DefinitionType::TemporaryDynamic => DefinitionType::TemporaryDynamic,
    };
    let is_shared = definition_type == DefinitionType::SharedDynamic;
    let disposition = if is_shared { Disposition::Shared } else { Disposition::QueueManager };
    let local = LocalQueue { definition_type, store_id: 0, ..local };
    let definition = QueueDefinition { name, disposition, kind: QueueKind::Local(Box::new(local)), ..model.clone() };
    Some((definition, definition_type))
}
