//! The descriptor of a message about to be put: what the application said is checked, what it left to the queue manager is
//! filled in (identifiers, context, priority, persistence, expiry, reply-to queue, group fields).
//!
//! Decides only; nothing is put here.

use model::definition::queue::DefinitionType;
use model::descriptor::{Ccsid, Expiry, Format, MessageDescriptor, MessageType, Persistence, Report};
use model::identifier::{AccountingToken, CorrelationId, MessageId};
use model::identity_context;
use model::message::Message;
use model::options::PutFlags;
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;

use crate::engine::identifiers::Identifiers;
use crate::publish::topic_tree::EffectiveTopic;
use crate::queue::group::{PutPlace, complete_put};
use crate::queue::resolve::{Destination, resolve_reply_to};
use crate::verb::connection::ObjectHandle;
use crate::verb::handle::Context;
use crate::verb::put::Request;
use model::options::OpenOptions;

/// What the descriptor says besides itself.
pub(crate) struct Filled {
    /// What the application sees again: above 9 when it gave that.
    pub(crate) given_priority: i32,
    pub(crate) expires: Option<Timestamp>,
    /// Where the handle is in its group once the put has succeeded.
    pub(crate) place: Option<PutPlace>,
    pub(crate) warning: Option<Reason>,
}

/// # Errors
/// 2013, 2027, 2029, 2048, 2050, 2061, 2097, 2098, 2185, 2241 to 2253.
pub(crate) fn fill_in(
    request: &Request<'_>,
    defaults: &Defaults,
    Message { descriptor, body }: &mut Message,
    now: Timestamp,
) -> Result<Filled, Reason> {
    let engine = &*request.connection.engine;
    let flags = request.options.flags;
    check_report(descriptor.report, defaults.is_remote)?;
    check_type(descriptor)?;
    let (given_priority, warning) = fill_priority(descriptor, defaults)?;
    fill_persistence(descriptor, defaults)?;
    let expires = fill_expiry(descriptor, defaults, now)?;
    if descriptor.ccsid == Ccsid::Q_MGR {
        let ccsid = engine.definition.read().ccsid;
        descriptor.ccsid = Ccsid(i32::try_from(ccsid).unwrap_or(Ccsid::UTF_8.0));
    }
    descriptor.format = Format(descriptor.format.0.padded());
    fill_identifiers(&engine.identifiers, descriptor, flags);
    descriptor.backout_count = 0;
    (descriptor.reply_to_queue, descriptor.reply_to_queue_manager) =
        resolve_reply_to(engine, descriptor.reply_to_queue, descriptor.reply_to_queue_manager);
    if flags.contains(PutFlags::SUPPRESS_REPLYTO) {
        descriptor.reply_to_queue = model::name::QueueName::BLANK;
        descriptor.reply_to_queue_manager = model::name::QueueManagerName::BLANK;
    }
    fill_context(request, descriptor, now)?;
    let place = fill_group(request, descriptor, body.len())?;
    Ok(Filled { given_priority, expires, place, warning })
}

/// Defaults from the objects on the way, for messages that do not set a value.
pub(crate) struct Defaults {
    priority: u8,
    persistent: bool,
    /// Tenths of a second; -1 for no limit.
    cap_expiry: i32,
    is_remote: bool,
    /// A temporary dynamic queue takes no persistent message.
    is_temporary: bool,
}

impl Defaults {
    pub(crate) fn of_topic(topic: &EffectiveTopic) -> Self {
        Self {
            priority: topic.default_priority,
            persistent: topic.default_persistent,
            cap_expiry: topic.cap_expiry,
            is_remote: false,
            is_temporary: false,
        }
    }

    /// Attributes of the first object on the way; of CAPEXPRY the least.
    pub(crate) fn of(destination: &Destination) -> Self {
        let mut defaults = destination.first().with(|definition| Self {
            priority: definition.default_priority,
            persistent: definition.default_persistent,
            cap_expiry: definition.cap_expiry,
            is_remote: matches!(destination, Destination::Remote { .. }),
            is_temporary: destination.queue().is_some_and(|q| q.definition_type() == DefinitionType::TemporaryDynamic),
        });
        // CAPEXPRY of every object on the way counts; the least rules.
        if let Some(queue) = destination.queue() {
            let cap = queue.with(|definition| definition.cap_expiry);
            defaults.cap_expiry = match (defaults.cap_expiry, cap) {
                (-1, cap) => cap,
                (cap, -1) => cap,
                (a, b) => a.min(b),
            };
        }
        defaults
    }
}

/// The options that ask for a report message.
const REPORTS: Report = Report::EXCEPTION_WITH_FULL_DATA
    .union(Report::EXPIRATION_WITH_FULL_DATA)
    .union(Report::COA_WITH_FULL_DATA)
    .union(Report::COD_WITH_FULL_DATA)
    .union(Report::PAN)
    .union(Report::NAN)
    .union(Report::ACTIVITY);
const KNOWN_REPORTS: Report = REPORTS
    .union(Report::PASS_CORREL_ID)
    .union(Report::PASS_MSG_ID)
    .union(Report::DISCARD_MSG)
    .union(Report::PASS_DISCARD_AND_EXPIRY);
/// MQRO_REJECT_UNSUP_MASK: unknown options here are always refused.
const REJECTED: Report = Report::from_bits_retain(0x101C_0000);
/// MQRO_ACCEPT_UNSUP_IF_XMIT_MASK: unknown options here pass on the way to another queue manager only.
const ACCEPTED_ON_THE_WAY: Report = Report::from_bits_retain(0x0003_FF00);

/// # Errors
/// `ReportOptionsError` (2061).
fn check_report(report: Report, is_remote: bool) -> Result<(), Reason> {
    if report.is_empty() {
        return Ok(());
    }
    let unknown = report.difference(KNOWN_REPORTS);
    if unknown.intersects(REJECTED) || unknown.intersects(ACCEPTED_ON_THE_WAY) && !is_remote {
        return Err(Reason::ReportOptionsError);
    }
    // Each kind with data includes the kind without.
    let kinds = [
        [Report::EXCEPTION, Report::EXCEPTION_WITH_DATA, Report::EXCEPTION_WITH_FULL_DATA],
        [Report::EXPIRATION, Report::EXPIRATION_WITH_DATA, Report::EXPIRATION_WITH_FULL_DATA],
        [Report::COA, Report::COA_WITH_DATA, Report::COA_WITH_FULL_DATA],
        [Report::COD, Report::COD_WITH_DATA, Report::COD_WITH_FULL_DATA],
    ];
    let is_consistent = kinds.iter().all(|[plain, data, full]| {
        let asked = report & *full;
        asked.is_empty() || asked == *plain || asked == *data || asked == *full
    });
    if is_consistent { Ok(()) } else { Err(Reason::ReportOptionsError) }
}

/// # Errors
/// `MsgTypeError` (2029), `MissingReplyToQ` (2027).
fn check_type(descriptor: &MessageDescriptor) -> Result<(), Reason> {
    match descriptor.message_type.0 {
        1 | 2 | 4 | 8 | 112 | 113 | 65_536..=999_999_999 => {}
        _ => return Err(Reason::MsgTypeError),
    }
    let wants_answer = descriptor.message_type == MessageType::REQUEST || descriptor.report.intersects(REPORTS);
    if wants_answer && descriptor.reply_to_queue.is_blank() {
        return Err(Reason::MissingReplyToQ);
    }
    Ok(())
}

/// # Errors
/// `PriorityError` (2050). Above 9 the message is put with 9 and a warning (2049).
fn fill_priority(descriptor: &mut MessageDescriptor, defaults: &Defaults) -> Result<(i32, Option<Reason>), Reason> {
    match descriptor.priority {
        MessageDescriptor::PRIORITY_AS_QUEUE_DEFINITION => {
            descriptor.priority = i32::from(defaults.priority);
            Ok((descriptor.priority, None))
        }
        given @ 0..=9 => Ok((given, None)),
        given @ 10.. => {
            descriptor.priority = 9;
            Ok((given, Some(Reason::PriorityExceedsMaximum)))
        }
        _ => Err(Reason::PriorityError),
    }
}

/// # Errors
/// `PersistentNotAllowed` (2048): a temporary dynamic queue takes no persistent message.
fn fill_persistence(descriptor: &mut MessageDescriptor, defaults: &Defaults) -> Result<(), Reason> {
    if descriptor.persistence == Persistence::AsQueueDefinition {
        descriptor.persistence = if defaults.persistent { Persistence::Persistent } else { Persistence::NonPersistent };
    }
    if defaults.is_temporary && descriptor.persistence == Persistence::Persistent {
        return Err(Reason::PersistentNotAllowed);
    }
    Ok(())
}

/// # Errors
/// `ExpiryError` (2013): neither unlimited nor above zero.
fn fill_expiry(
    descriptor: &mut MessageDescriptor,
    defaults: &Defaults,
    now: Timestamp,
) -> Result<Option<Timestamp>, Reason> {
    if descriptor.expiry.0 < -1 || descriptor.expiry.0 == 0 {
        return Err(Reason::ExpiryError);
    }
    let cap = defaults.cap_expiry;
    if cap >= 0 && (descriptor.expiry == Expiry::UNLIMITED || descriptor.expiry.0 > cap) {
        descriptor.expiry = Expiry(cap.max(1));
    }
    Ok(descriptor.expiry.duration().map(|lifetime| now.saturating_add(lifetime)))
}

fn fill_identifiers(identifiers: &Identifiers, descriptor: &mut MessageDescriptor, flags: PutFlags) {
    if flags.contains(PutFlags::NEW_MSG_ID) || descriptor.message_id.is_none() {
        descriptor.message_id = MessageId::new(identifiers.make());
    }
    if flags.contains(PutFlags::NEW_CORREL_ID) {
        descriptor.correlation_id = CorrelationId::new(identifiers.make());
    }
}

fn fill_context(request: &Request<'_>, descriptor: &mut MessageDescriptor, now: Timestamp) -> Result<(), Reason> {
    let flags = request.options.flags;
    // Set by an application that may, the identity is the user of exactly that name.
    descriptor.principal = None;
    if flags.contains(PutFlags::SET_ALL_CONTEXT) {
        return Ok(());
    }
    if flags.contains(PutFlags::NO_CONTEXT) {
        no_context().write_identity(descriptor);
        no_context().write_origin(descriptor);
        // The message shows no user, and yet somebody put it.
        descriptor.name_principal(request.caller);
        return Ok(());
    }
    let state = &request.connection.state;
    if flags.contains(PutFlags::PASS_ALL_CONTEXT) {
        let context = passed_context(request)?;
        context.write_identity(descriptor);
        context.write_origin(descriptor);
        return Ok(());
    }
    if flags.contains(PutFlags::PASS_IDENTITY_CONTEXT) {
        passed_context(request)?.write_identity(descriptor);
    } else if !flags.contains(PutFlags::SET_IDENTITY_CONTEXT) {
        if *request.caller == state.options.principal {
            (descriptor.user_identifier, descriptor.accounting_token) = state.user;
            descriptor.principal.clone_from(&state.principal);
        } else {
            (descriptor.user_identifier, descriptor.accounting_token) = identity_context::of_user(&request.caller.user);
            descriptor.name_principal(request.caller);
        }
        descriptor.application_identity_data = Text::BLANK;
    }
    descriptor.put_application_type = state.options.application_type;
    descriptor.put_application_name = state.application_name;
    descriptor.put_date = now.put_date();
    descriptor.put_time = now.put_time();
    descriptor.application_origin_data = Text::BLANK;
    Ok(())
}

fn no_context() -> Context {
    Context {
        user_identifier: Text::BLANK,
        principal: None,
        accounting_token: AccountingToken::NONE,
        application_identity_data: Text::BLANK,
        put_application_type: 0,
        put_application_name: Text::BLANK,
        put_date: Text::BLANK,
        put_time: Text::BLANK,
        application_origin_data: Text::BLANK,
    }
}

/// # Errors
/// `ContextHandleError` (2097): not a handle that saves context. `ContextNotAvailable` (2098): nothing got by it yet.
fn passed_context(request: &Request<'_>) -> Result<Context, Reason> {
    let number = request.options.context.ok_or(Reason::ContextHandleError)?;
    let handle = request.connection.state.handle(ObjectHandle(number)).map_err(|_| Reason::ContextHandleError)?;
    if !handle.options.contains(OpenOptions::SAVE_ALL_CONTEXT) {
        return Err(Reason::ContextHandleError);
    }
    let memory = handle.memory.lock();
    memory.context.as_deref().cloned().ok_or(Reason::ContextNotAvailable)
}

fn fill_group(
    request: &Request<'_>,
    descriptor: &mut MessageDescriptor,
    length: usize,
) -> Result<Option<PutPlace>, Reason> {
    let flags = request.options.flags;
    let identifiers = &request.connection.engine.identifiers;
    let persistent = descriptor.persistence == Persistence::Persistent;
    let Some(handle) = request.handle else {
        complete_put(&PutPlace::default(), descriptor, flags, length, persistent, identifiers)?;
        return Ok(None);
    };
    let place = handle.memory.lock().put_place.clone();
    let after = complete_put(&place, descriptor, flags, length, persistent, identifiers)?;
    Ok(flags.contains(PutFlags::LOGICAL_ORDER).then_some(after))
}
