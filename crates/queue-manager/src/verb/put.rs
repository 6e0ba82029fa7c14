//! MQPUT and MQPUT1: checks the descriptor, fills in what the queue manager fills in, and sends the message on its way.
//!
//! On its way to a local queue the message lies in one place from the call to its result: what is copied from one step to
//! the next is its address.
//!
//! Order of checks: handle, options, queue attributes, descriptor, lengths; so a refused put has changed nothing.
//! Source: MQ reference, "MQPUT", "MQPUT1", "MQPMO", "MQMD", 9.3.

use std::sync::Arc;

use model::authority::{Authority, Principal};
use model::definition::queue::LocalQueue;
use model::header::transmission::TransmissionHeader;
use model::identifier::MessageId;
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::options::{CloseOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;
use storage::{Position, Receipt};

use crate::QueueManager;
use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::publish;
use crate::queue::Queue;
use crate::queue::delayed::{Due, Goal};
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::{delayed, delivery, report, segmentation, transmission};
use crate::verb::connection::{Connection, ObjectHandle, PutResult};
use crate::verb::handle::{Handle, Target};
use crate::verb::open::{check_destination_authority, effective_caller};
use crate::verb::put_descriptor::{Defaults, Filled, fill_in};
use crate::verb::{close, open};

const SYNCPOINTS: PutFlags = PutFlags::SYNCPOINT.union(PutFlags::NO_SYNCPOINT);
const CONTEXTS: PutFlags = PutFlags::DEFAULT_CONTEXT
    .union(PutFlags::NO_CONTEXT)
    .union(PutFlags::PASS_IDENTITY_CONTEXT)
    .union(PutFlags::PASS_ALL_CONTEXT)
    .union(PutFlags::SET_IDENTITY_CONTEXT)
    .union(PutFlags::SET_ALL_CONTEXT);
const RESPONSES: PutFlags = PutFlags::ASYNC_RESPONSE.union(PutFlags::SYNC_RESPONSE);
const KNOWN: PutFlags = SYNCPOINTS
    .union(CONTEXTS)
    .union(RESPONSES)
    .union(PutFlags::NEW_MSG_ID)
    .union(PutFlags::NEW_CORREL_ID)
    .union(PutFlags::ALTERNATE_USER_AUTHORITY)
    .union(PutFlags::FAIL_IF_QUIESCING)
    .union(PutFlags::LOGICAL_ORDER)
    .union(PutFlags::RESOLVE_LOCAL_Q)
    .union(PutFlags::WARN_IF_NO_SUBS_MATCHED)
    .union(PutFlags::RETAIN)
    .union(PutFlags::NOT_OWN_SUBS)
    .union(PutFlags::SUPPRESS_REPLYTO)
    .union(PutFlags::SCOPE_QMGR);

/// Puts to an open queue or topic.
///
/// # Errors
/// 2013, 2019, 2024, 2027, 2029, 2030, 2031, 2039, 2041, 2046, 2048, 2050 to 2053, 2056, 2061, 2093 to 2098, 2102, 2161,
/// 2162, 2185, 2241 to 2253. A priority above 9 is a warning (2049).
pub(crate) async fn put(
    connection: &Connection,
    handle: ObjectHandle,
    message: Box<Message>,
    options: &PutOptions,
    due: Option<Due>,
) -> Result<PutResult, Reason> {
    let engine = &connection.engine;
    let open = connection.state.handle(handle)?;
    engine.admit(options.flags.contains(PutFlags::FAIL_IF_QUIESCING))?;
    if !open.options.contains(OpenOptions::OUTPUT) {
        return Err(Reason::NotOpenForOutput);
    }
    check_flags(options.flags)?;
    check_opened_for(open.options, options.flags)?;
    open.check_unchanged()?;
    match &open.target {
        Target::Queue(destination) => {
            let request =
                Request { connection, caller: &open.caller, handle: Some(&open), options, due, receipt: None };
            send(&request, destination, message).await
        }
        Target::Topic(topic) => {
            let request =
                Request { connection, caller: &open.caller, handle: Some(&open), options, due, receipt: None };
            // Here and below: what is seldom needed is boxed, so that the state of every put need not hold it.
            Box::pin(publish::publish(&request, topic, message)).await
        }
        Target::Subscription(_) | Target::QueueManager | Target::Object(_) => Err(Reason::NotOpenForOutput),
    }
}

/// Opens, puts and closes in one.
pub(crate) async fn put1(
    connection: &Connection,
    caller: &Principal,
    object: &ObjectDescriptor,
    message: Box<Message>,
    options: &PutOptions,
    due: Option<Due>,
    receipt: Option<&ReceiptOf<'_>>,
) -> Result<PutResult, Reason> {
    let engine = &connection.engine;
    let flags = options.flags;
    engine.admit(flags.contains(PutFlags::FAIL_IF_QUIESCING))?;
    check_flags(flags)?;
    if flags.contains(PutFlags::LOGICAL_ORDER) {
        return Err(Reason::OptionsError);
    }
    let caller = &*effective_caller(connection, caller, object, flags.contains(PutFlags::ALTERNATE_USER_AUTHORITY))?;
    let request = Request { connection, caller, handle: None, options, due, receipt };
    match object.object {
        ObjectKind::Queue => {}
        ObjectKind::Topic => return put1_to_topic(&request, object, message).await,
        ObjectKind::NameList | ObjectKind::Process | ObjectKind::QueueManager => return Err(Reason::ObjectTypeError),
    }
    let destination = match resolve(engine, &object.name, &object.queue_manager)? {
        Resolved::Destination(destination) => destination,
        Resolved::Model(_) => return Box::pin(put1_to_model(&request, object, message)).await,
    };
    check_destination_authority(engine, connection.door(), caller, object, &destination, wanted(flags))?;
    if let Destination::Topic { topic, .. } = &destination {
        let topic = ObjectDescriptor { object: ObjectKind::Topic, name: *topic, ..ObjectDescriptor::default() };
        return put1_to_topic(&request, &topic, message).await;
    }
    send(&request, &destination, message).await
}

async fn put1_to_topic(
    request: &Request<'_>,
    object: &ObjectDescriptor,
    message: Box<Message>,
) -> Result<PutResult, Reason> {
    request.needs_no_receipt()?;
    let topic = publish::open(request.connection, request.caller, object, open_options(request.options.flags))?;
    Box::pin(publish::publish(request, &topic, message)).await
}

/// A put1 to a model queue makes a dynamic queue; a temporary one is gone again when the call ends, as MQCLOSE makes it.
async fn put1_to_model(
    request: &Request<'_>,
    object: &ObjectDescriptor,
    message: Box<Message>,
) -> Result<PutResult, Reason> {
    request.needs_no_receipt()?;
    let connection = request.connection;
    let options = open_options(request.options.flags);
    let opened = open::open(connection, request.caller, object, options).await?;
    let flags = request.options.flags - PutFlags::ALTERNATE_USER_AUTHORITY;
    let put_options = PutOptions { flags, ..request.options.clone() };
    let result = put(connection, opened.handle, message, &put_options, request.due).await;
    close::close(connection, opened.handle, CloseOptions::empty()).await?;
    result
}

/// One put: who, by which handle, with which options.
pub(crate) struct Request<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) caller: &'a Principal,
    /// `None` for put1.
    pub(crate) handle: Option<&'a Handle>,
    pub(crate) options: &'a PutOptions,
    /// When the message is to be delivered; `None`: now.
    pub(crate) due: Option<Due>,
    /// Durable with the message, which is then one on one queue.
    receipt: Option<&'a ReceiptOf<'a>>,
}

/// Makes the receipt of a put of the message's identifier and its place. Asked under the queue's lock, perhaps more than once.
pub type ReceiptOf<'a> = dyn Fn(MessageId, Option<Position>) -> Receipt + Send + Sync + 'a;

impl Request<'_> {
    /// When the message is to be delivered, if that is not now.
    pub(crate) fn due_after(&self, now: Timestamp) -> Option<Timestamp> {
        self.due.and_then(|due| due.later_than(now))
    }

    pub(crate) fn in_unit(&self) -> bool {
        self.options.flags.contains(PutFlags::SYNCPOINT)
    }

    fn unit(&self) -> Option<&ConnectionState> {
        self.in_unit().then_some(&*self.connection.state)
    }

    /// # Errors
    /// `ObjectChanged` (2041): the name led to one queue when `takes_receipt` was asked, and now to what makes several messages.
    fn needs_no_receipt(&self) -> Result<(), Reason> {
        if self.receipt.is_some() { Err(Reason::ObjectChanged) } else { Ok(()) }
    }
}

/// Whether a put of this message is one message on one queue, which a receipt can go with.
pub(crate) fn takes_receipt(engine: &Engine, object: &ObjectDescriptor, message: &Message) -> bool {
    let is_queue = object.object == ObjectKind::Queue && !segmentation::is_allowed(&message.descriptor);
    let leads_to = || resolve(engine, &object.name, &object.queue_manager);
    is_queue && matches!(leads_to(), Ok(Resolved::Destination(Destination::Local { .. } | Destination::Remote { .. })))
}

fn check_flags(flags: PutFlags) -> Result<(), Reason> {
    let more_than_one = |group: PutFlags| (flags & group).bits().count_ones() > 1;
    let is_wrong =
        !KNOWN.contains(flags) || more_than_one(SYNCPOINTS) || more_than_one(CONTEXTS) || more_than_one(RESPONSES);
    if is_wrong { Err(Reason::OptionsError) } else { Ok(()) }
}

/// Each context option of a put goes with one of the open.
const CONTEXT_OPTIONS: [(PutFlags, OpenOptions, Authority, Reason); 4] = [
    (
        PutFlags::PASS_IDENTITY_CONTEXT,
        OpenOptions::PASS_IDENTITY_CONTEXT.union(OpenOptions::PASS_ALL_CONTEXT).union(SETS),
        Authority::PASS_IDENTITY_CONTEXT,
        Reason::NotOpenForPassIdent,
    ),
    (
        PutFlags::PASS_ALL_CONTEXT,
        OpenOptions::PASS_ALL_CONTEXT.union(SETS),
        Authority::PASS_ALL_CONTEXT,
        Reason::NotOpenForPassAll,
    ),
    (PutFlags::SET_IDENTITY_CONTEXT, SETS, Authority::SET_IDENTITY_CONTEXT, Reason::NotOpenForSetIdent),
    (PutFlags::SET_ALL_CONTEXT, OpenOptions::SET_ALL_CONTEXT, Authority::SET_ALL_CONTEXT, Reason::NotOpenForSetAll),
];
/// What allows more than passing on.
const SETS: OpenOptions = OpenOptions::SET_IDENTITY_CONTEXT.union(OpenOptions::SET_ALL_CONTEXT);

fn check_opened_for(opened: OpenOptions, flags: PutFlags) -> Result<(), Reason> {
    for (flag, options, _, reason) in CONTEXT_OPTIONS {
        if flags.contains(flag) && !opened.intersects(options) {
            return Err(reason);
        }
    }
    Ok(())
}

fn wanted(flags: PutFlags) -> Authority {
    CONTEXT_OPTIONS
        .into_iter()
        .filter(|(flag, ..)| flags.contains(*flag))
        .fold(Authority::PUT, |wanted, (_, _, authority, _)| wanted | authority)
}

/// What an MQOPEN for the same put would say.
pub(crate) fn open_options(flags: PutFlags) -> OpenOptions {
    const CONTEXT: [(PutFlags, OpenOptions); 4] = [
        (PutFlags::PASS_IDENTITY_CONTEXT, OpenOptions::PASS_IDENTITY_CONTEXT),
        (PutFlags::PASS_ALL_CONTEXT, OpenOptions::PASS_ALL_CONTEXT),
        (PutFlags::SET_IDENTITY_CONTEXT, OpenOptions::SET_IDENTITY_CONTEXT),
        (PutFlags::SET_ALL_CONTEXT, OpenOptions::SET_ALL_CONTEXT),
    ];
    CONTEXT
        .into_iter()
        .filter(|(flag, _)| flags.contains(*flag))
        .fold(OpenOptions::OUTPUT, |options, (_, option)| options | option)
}

/// Completes the message and puts it where it leads.
async fn send(
    request: &Request<'_>,
    destination: &Destination,
    mut message: Box<Message>,
) -> Result<PutResult, Reason> {
    let engine = &*request.connection.engine;
    let Some(queue) = destination.queue() else { return Err(Reason::ObjectTypeError) };
    check_put_enabled(destination)?;
    let now = engine.now();
    let maximum = engine.definition.read().maximum_message_length as usize;
    let filled = fill_in(request, &Defaults::of(destination), &mut message, now)?;
    let expires = filled.expires;
    let mut position = None;
    if let Some(due) = request.due_after(now) {
        request.needs_no_receipt()?;
        check_length(maximum, destination, message.body.len())?;
        delayed::stage(engine, request.unit(), &Goal::of(destination), &message, due, now).await?;
        return Ok(completed(request, destination, message, filled, None));
    }
    match destination {
        Destination::Local { .. } => match check_length(maximum, destination, message.body.len()) {
            Ok(()) => position = Some(deliver(request, queue, &message, expires, now).await?),
            Err(Reason::MsgTooBigForQ | Reason::MsgTooBigForQMgr) if segmentation::is_allowed(&message.descriptor) => {
                request.needs_no_receipt()?;
                Box::pin(segmentation::put_in_segments(request, queue, (*message).clone(), expires, now)).await?;
            }
            Err(reason) => return Err(reason),
        },
        Destination::Remote { queue: remote_queue, queue_manager, .. } => {
            let header = TransmissionHeader {
                remote_queue: Text::from_bytes(remote_queue.padded()),
                remote_queue_manager: Text::from_bytes(queue_manager.padded()),
                descriptor: message.descriptor.clone(),
            };
            check_length(maximum, destination, message.body.len() + TransmissionHeader::LENGTH)?;
            let wrapped = Box::new(transmission::wrap(engine, queue, header, &message.body, now));
            place(request, queue, &wrapped, |_| (message.descriptor.message_id, None), expires, now).await?;
        }
        Destination::Topic { .. } => return Err(Reason::ObjectTypeError),
    }
    Ok(completed(request, destination, message, filled, position))
}

/// What a put that is done is answered with.
fn completed(
    request: &Request<'_>,
    destination: &Destination,
    mut message: Box<Message>,
    filled: Filled,
    position: Option<Position>,
) -> PutResult {
    if let (Some(handle), Some(place)) = (request.handle, filled.place) {
        handle.memory.lock().put_place = place;
    }
    request.connection.state.count_put();
    let (resolved_queue, resolved_queue_manager) = destination.resolved(&request.connection.engine);
    message.descriptor.priority = filled.given_priority;
    PutResult { message, position, resolved_queue, resolved_queue_manager, warning: filled.warning }
}

/// Onto a local queue, with the confirm-on-arrival report it asks for.
async fn deliver(
    request: &Request<'_>,
    queue: &Arc<Queue>,
    message: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<Position, Reason> {
    let engine = &*request.connection.engine;
    let place_of = |position| (message.descriptor.message_id, Some(position));
    let position = place(request, queue, message, place_of, expires, now).await?;
    if report::wants_coa(&message.descriptor) {
        Box::pin(report::confirm_arrival(engine, request.unit(), message, now)).await;
    }
    Ok(position)
}

/// In the unit of work, with the receipt, or alone. `answered` is what the receipt says of the message.
async fn place(
    request: &Request<'_>,
    queue: &Arc<Queue>,
    message: &Message,
    answered: impl Fn(Position) -> (MessageId, Option<Position>) + Send + Sync,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<Position, Reason> {
    let engine = &*request.connection.engine;
    let Some(receipt) = request.receipt else {
        return delivery::place(engine, request.unit(), queue, message, expires, now).await;
    };
    let receipt = |position| {
        let (id, position) = answered(position);
        receipt(id, position)
    };
    Box::pin(delivery::place_with_receipt(engine, &receipt, queue, message, expires, now)).await
}

/// # Errors
/// `PutInhibited` (2051): at the object named, or at the queue it leads to.
pub(crate) fn check_put_enabled(destination: &Destination) -> Result<(), Reason> {
    let inhibited = |queue: &Queue| {
        queue.with(|definition| {
            let moves = definition.as_local().is_some_and(LocalQueue::is_in_transit);
            definition.put_inhibited || moves
        })
    };
    if inhibited(destination.first()) || destination.queue().is_some_and(|queue| inhibited(queue)) {
        return Err(Reason::PutInhibited);
    }
    Ok(())
}

impl QueueManager {
    /// Whether a put of so many bytes to a name would be taken now, but for the authority of its user.
    ///
    /// # Errors
    /// Why the name leads nowhere. `PutInhibited` (2051), `MsgTooBigForQ` (2030), `MsgTooBigForQMgr` (2031), `QFull` (2053).
    pub fn would_take(&self, queue: &QueueName, queue_manager: &QueueManagerName, length: usize) -> Result<(), Reason> {
        let engine = self.engine();
        let Resolved::Destination(destination) = resolve(engine, queue, queue_manager)? else { return Ok(()) };
        check_put_enabled(&destination)?;
        let Some(queue) = destination.queue() else { return publish::check_enabled(engine) };
        let is_remote = matches!(destination, Destination::Remote { .. });
        let header = if is_remote { TransmissionHeader::LENGTH } else { 0 };
        let maximum = engine.definition.read().maximum_message_length as usize;
        check_length(maximum, &destination, length + header)?;
        let is_full = queue.with_local(|_, local| queue.depth() >= local.maximum_depth);
        if is_full { Err(Reason::QFull) } else { Ok(()) }
    }
}

/// # Errors
/// `MsgTooBigForQ` (2030), `MsgTooBigForQMgr` (2031).
fn check_length(of_queue_manager: usize, destination: &Destination, length: usize) -> Result<(), Reason> {
    let of_queue = destination
        .queue()
        .map_or(usize::MAX, |queue| queue.with_local(|_, local| local.maximum_message_length as usize));
    if length > of_queue_manager {
        return Err(Reason::MsgTooBigForQMgr);
    }
    if length > of_queue { Err(Reason::MsgTooBigForQ) } else { Ok(()) }
}
