//! An open object of one connection (MQHOBJ): what it leads to, with which options, and what it remembers.

use std::sync::Arc;

use model::authority::{AuthorityObject, Principal};
use model::descriptor::MessageDescriptor;
use model::identifier::{AccountingToken, CorrelationId};
use model::name::ObjectName;
use model::options::OpenOptions;
use model::reason::Reason;
use model::text::Text;
use parking_lot::Mutex;
use storage::shared::QueueHandle;
use storage::{LockOwner, Scan};

use crate::instrumentation::accounting::observation::Counts;
use crate::publish::OpenTopic;
use crate::publish::subscription::OpenSubscription;
use crate::queue::Queue;
use crate::queue::cursor::Cursor;
use crate::queue::group::PutPlace;
use crate::queue::resolve::Destination;
use crate::selection::selector::Selector;

pub(crate) struct Handle {
    /// Unique in the queue manager: owner of browse locks.
    pub(crate) owner: LockOwner,
    /// As opened: the dynamic queue's name for a model queue.
    pub(crate) name: ObjectName,
    pub(crate) target: Target,
    /// With MQOO_INPUT_AS_Q_DEF already replaced by what the queue defines.
    pub(crate) options: OpenOptions,
    /// Whose authority was checked: alternate user included.
    pub(crate) caller: Principal,
    /// Opening it made this temporary dynamic queue; closing it deletes the queue.
    pub(crate) made_queue: bool,
    /// The queue is that of a shared subscription, and goes with the last handle of either.
    pub(super) shared_by: Option<CorrelationId>,
    /// Gets and browses pass over what it does not select.
    pub(crate) selector: Option<Box<Selector>>,
    /// `Queue::forced_changes` of what was opened, at that time.
    pub(crate) forced_changes: u32,
    /// Of a shared queue: what the other members know of it. Taken when it is closed.
    pub(crate) in_group: Mutex<Option<QueueHandle>>,
    /// For which records calls by way of it count at its queue.
    pub(crate) counts: Counts,
    pub(crate) memory: Mutex<Memory>,
}

pub(crate) enum Target {
    Queue(Destination),
    Topic(OpenTopic),
    Subscription(OpenSubscription),
    /// The queue manager itself, for inquiry.
    QueueManager,
    /// The process or namelist of the handle's name, for inquiry.
    Object(AuthorityObject),
}

/// What a handle remembers from verb to verb.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) cursor: Cursor,
    /// Of the message got last, for MQPMO_PASS_*_CONTEXT; with MQOO_SAVE_ALL_CONTEXT only.
    pub(crate) context: Option<Box<Context>>,
    /// What the selector has seen of the queue.
    pub(super) scan: Option<Scan>,
    /// Where a put in logical order stands.
    pub(super) put_place: PutPlace,
}

/// Identity and origin context of a message.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) user_identifier: Text<12>,
    /// Beside the identity: `MessageDescriptor::principal`.
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) accounting_token: AccountingToken,
    pub(crate) application_identity_data: Text<32>,
    pub(crate) put_application_type: i32,
    pub(crate) put_application_name: Text<28>,
    pub(crate) put_date: Text<8>,
    pub(crate) put_time: Text<8>,
    pub(crate) application_origin_data: Text<4>,
}

impl Context {
    pub(crate) fn of(descriptor: &MessageDescriptor) -> Self {
        Self {
            user_identifier: descriptor.user_identifier,
            principal: descriptor.principal.clone(),
            accounting_token: descriptor.accounting_token,
            application_identity_data: descriptor.application_identity_data,
            put_application_type: descriptor.put_application_type,
            put_application_name: descriptor.put_application_name,
            put_date: descriptor.put_date,
            put_time: descriptor.put_time,
            application_origin_data: descriptor.application_origin_data,
        }
    }

    pub(super) fn write_identity(&self, descriptor: &mut MessageDescriptor) {
        descriptor.user_identifier = self.user_identifier;
        descriptor.principal.clone_from(&self.principal);
        descriptor.accounting_token = self.accounting_token;
        descriptor.application_identity_data = self.application_identity_data;
    }

    pub(super) fn write_origin(&self, descriptor: &mut MessageDescriptor) {
        descriptor.put_application_type = self.put_application_type;
        descriptor.put_application_name = self.put_application_name;
        descriptor.put_date = self.put_date;
        descriptor.put_time = self.put_time;
        descriptor.application_origin_data = self.application_origin_data;
    }
}

/// The queue that messages are got from by way of a handle.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The queue or the alias that was opened.
    pub(crate) opened: &'a Arc<Queue>,
    pub(crate) queue: &'a Arc<Queue>,
}

impl Handle {
    /// What DISPLAY CONN TYPE(HANDLE) calls it.
    pub(crate) fn object_type(&self) -> &'static str {
        match &self.target {
            Target::Queue(_) => "QUEUE",
            Target::Topic(_) => "TOPIC",
            Target::Subscription(_) => "SUBSCRIPTION",
            Target::QueueManager => "QMGR",
            Target::Object(AuthorityObject::Process) => "PROCESS",
            Target::Object(_) => "NAMELIST",
        }
    }

    /// # Errors
    /// `HobjError` (2019): not a handle of a local queue. `QDeleted` (2052), `ObjectChanged` (2041). `CfStrucInUse` (2346): another
    /// member may have had the shared queue meanwhile.
    pub(crate) fn source(&self) -> Result<Source<'_>, Reason> {
        let Target::Queue(Destination::Local { opened, queue }) = &self.target else {
            return Err(Reason::NotOpenForInput);
        };
        self.check_unchanged()?;
        if queue.id.is_shared() && self.in_group.lock().as_ref().is_some_and(QueueHandle::is_lost) {
            return Err(Reason::CfStrucInUse);
        }
        Ok(Source { opened, queue })
    }

    /// # Errors
    /// `QDeleted` (2052), `ObjectChanged` (2041): a forced change since it was opened.
    pub(super) fn check_unchanged(&self) -> Result<(), Reason> {
        let Target::Queue(destination) = &self.target else { return Ok(()) };
        let first = destination.first();
        if first.is_deleted() || destination.queue().is_some_and(|queue| queue.is_deleted()) {
            return Err(Reason::QDeleted);
        }
        if first.forced_changes.load(std::sync::atomic::Ordering::Acquire) != self.forced_changes {
            return Err(Reason::ObjectChanged);
        }
        Ok(())
    }
}
