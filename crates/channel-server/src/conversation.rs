//! One conversation: it owns one connection to the queue manager and runs its requests in order.
//!
//! The conversation's job takes one unit after the other from its mailbox, has `verb` answer it, and begins the next. A
//! verb that waits keeps only its own conversation waiting. Jobs beside it (asynchronous consumers) belong to it and end
//! with it.
//!
//! Invariants
//! - A conversation that ends, however it ends, drops its connection: what it had open is closed, its unit of work is
//!   backed out. MQDISC alone commits.
//! - Nothing is answered after the end.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use channel_protocol::assembly::Unit;
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::xid::Xid;
use model::authority::Principal;
use model::name::{ObjectName, QueueManagerName, QueueName};
use model::options::{ObjectKind, OpenOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::Connection;
use queue_manager::connection::ObjectHandle;

use crate::admission::{Terms, UserFacts};
use crate::consumer::{self, Consumers};
use crate::jobs::JobHandle;
use crate::shared::Shared;
use crate::socket::watch_for_stop;
use crate::spoilt::Spoilt;
use crate::verb;
use crate::verb::distribution::{List, Lists};
use crate::verb::stat::PutTally;

pub(crate) struct Conversation {
    /// 0 on a socket that is not shared.
    pub(crate) number: u32,
    pub(crate) shared: Arc<Shared>,
    /// What has come and is not begun.
    mailbox: Mutex<VecDeque<Unit>>,
    /// A unit is being answered.
    is_busy: AtomicBool,
    /// From its USERID and CONAUTH. Conversations without them use the first one's.
    pub(crate) facts: Mutex<Option<UserFacts>>,
    connected: Mutex<Option<Connected>>,
    /// Those of the socket, or others after an MQCONN to another queue manager.
    terms: Mutex<Arc<Terms>>,
    /// Hands on STOP CHANNEL where the terms are not the socket's.
    stop_watch: Mutex<Option<JobHandle>>,
    pub(crate) objects: Mutex<Objects>,
    /// Distribution lists, which the queue manager knows as single queues.
    lists: Mutex<Lists>,
    /// What became of puts that were not answered.
    pub(crate) puts: Mutex<PutTally>,
    /// Puts that failed in what the connection works on, and whose program has not been told.
    pub(crate) spoilt: Mutex<Spoilt>,
    /// Handles that messages are sent for without an MQGET each.
    pub(crate) consumers: Mutex<Consumers>,
    /// What an XA recovery has still to tell.
    pub(crate) recovery_scan: Mutex<VecDeque<Xid>>,
}

/// After MQCONN.
#[derive(Clone)]
pub(crate) struct Connected {
    pub(crate) connection: Arc<Connection>,
    /// Whose authority counts.
    pub(crate) principal: Principal,
}

/// Open objects by handle: what the queue manager need not know.
pub(crate) type Objects = HashMap<u32, Arc<OpenObject>, foldhash::fast::RandomState>;

#[derive(Debug, Clone)]
pub(crate) struct OpenObject {
    pub(crate) kind: ObjectKind,
    pub(crate) name: ObjectName,
    pub(crate) queue_manager: QueueManagerName,
    pub(crate) topic_string: String,
    pub(crate) resolved_queue: QueueName,
    pub(crate) resolved_queue_manager: QueueManagerName,
    pub(crate) options: OpenOptions,
}

impl Conversation {
    pub(crate) fn new(number: u32, shared: Arc<Shared>) -> Self {
        Self {
            number,
            mailbox: Mutex::default(),
            is_busy: AtomicBool::new(false),
            facts: Mutex::new(None),
            connected: Mutex::new(None),
            terms: Mutex::new(shared.terms.clone()),
            stop_watch: Mutex::new(None),
            objects: Mutex::default(),
            lists: Mutex::default(),
            puts: Mutex::default(),
            spoilt: Mutex::default(),
            consumers: Mutex::default(),
            recovery_scan: Mutex::default(),
            shared,
        }
    }

    /// Keeps a distribution list, and says by which handle.
    pub(crate) fn keep_list(&self, list: List) -> i32 {
        self.lists.lock().keep(list)
    }

    pub(crate) fn list_of(&self, handle: ObjectHandle) -> Option<Arc<List>> {
        self.lists.lock().get(handle)
    }

    pub(crate) fn remove_list(&self, handle: ObjectHandle) {
        self.lists.lock().remove(handle);
    }

    /// Adds a unit to be answered. The caller wakes the job.
    pub(crate) fn take(&self, unit: Unit) {
        self.shared.count_queued(unit.body.len());
        self.mailbox.lock().push_back(unit);
    }

    /// Whether a unit is being answered or waits to be.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Relaxed) || !self.mailbox.lock().is_empty()
    }

    /// Whether a consumer waits for a message.
    pub(crate) fn awaits_messages(&self) -> bool {
        self.consumers.lock().await_messages()
    }

    /// Answers units until the conversation ends: the job of the conversation.
    pub(crate) async fn run(self: Arc<Self>) {
        loop {
            let unit = self.next().await;
            if let Err(error) = verb::answer(&self, unit).await {
                self.shared.refuse(&error);
            }
            self.is_busy.store(false, Ordering::Relaxed);
            consumer::say_farewell(&self);
        }
    }

    /// The next unit, once there is room for what answers it.
    async fn next(&self) -> Unit {
        loop {
            // Who adds a unit wakes this job.
            poll_fn(|_| if self.may_begin() { Poll::Ready(()) } else { Poll::Pending }).await;
            self.is_busy.store(true, Ordering::Relaxed);
            if self.shared.is_congested() {
                self.shared.room().await;
            }
            let next = self.mailbox.lock().pop_front();
            if let Some(unit) = next {
                self.shared.discount_queued(unit.body.len());
                return unit;
            }
        }
    }

    /// Whether the next unit may be begun. A socket that rests begins nothing but the end of a unit of work, and requests
    /// for messages on the way to it: a client that has no answer to MQCMIT cannot know what became of its messages. Of
    /// other calls it knows by the end of the socket that they were not begun.
    fn may_begin(&self) -> bool {
        let mailbox = self.mailbox.lock();
        let ends = |unit: &Unit| matches!(unit.segment_type, SegmentType::Commit | SegmentType::BackOut);
        let is_let_in = |unit: &Unit| ends(unit) || unit.segment_type == SegmentType::RequestMessages;
        match self.shared.is_resting() {
            true => mailbox.iter().take_while(|unit| is_let_in(unit)).any(ends),
            false => !mailbox.is_empty(),
        }
    }

    /// For DISPLAY CHSTATUS: a call has come.
    pub(crate) fn count_call(&self) {
        let terms = self.terms.lock();
        terms.status.counters().count_message(terms.queue_manager.now());
    }

    pub(crate) fn terms(&self) -> Arc<Terms> {
        self.terms.lock().clone()
    }

    /// What is known of the user, for MQCONN.
    pub(crate) fn user_facts(&self) -> UserFacts {
        let own = self.facts.lock().clone();
        let facts = own.unwrap_or_else(|| self.shared.first_facts());
        if self.number <= 1 {
            self.shared.set_first_facts(&facts);
        }
        facts
    }

    /// # Errors
    /// `HconnError` (2018): before MQCONN or after MQDISC.
    pub(crate) fn connected(&self) -> Result<Connected, Reason> {
        self.connected.lock().clone().ok_or(Reason::HconnError)
    }

    pub(crate) fn set_connected(&self, connected: Connected, terms: Arc<Terms>) {
        if !Arc::ptr_eq(&terms, &self.shared.terms) {
            let watch = watch_for_stop(self.shared.clone(), terms.clone());
            *self.stop_watch.lock() = Some(self.shared.jobs.spawn(watch));
        }
        *self.terms.lock() = terms;
        *self.connected.lock() = Some(connected);
        self.shared.set_admitted();
    }

    /// Somebody stops the channel: gets that wait and ask to fail then do so.
    pub(crate) fn quiesce(&self) {
        if let Some(connected) = &*self.connected.lock() {
            connected.connection.quiesce();
        }
    }

    /// Whether nothing is under way that a stop should wait for: no call, and no unit of work unless their time is over.
    pub(crate) fn is_quiet(&self) -> bool {
        let has_unit_of_work = |connected: &Connected| connected.connection.has_unit_of_work();
        !self.is_busy.load(Ordering::Relaxed)
            && !self.may_begin()
            && (self.shared.has_ended() || !self.connected.lock().as_ref().is_some_and(has_unit_of_work))
    }

    /// No consumer is sent anything more.
    pub(crate) fn rest(&self) {
        self.consumers.lock().rest();
    }

    /// Gives the connection up, with everything that hangs on it but the unit of work.
    pub(crate) fn take_connected(&self) -> Option<Connected> {
        let consumers = std::mem::take(&mut *self.consumers.lock());
        drop(consumers);
        self.objects.lock().clear();
        *self.lists.lock() = Lists::default();
        *self.spoilt.lock() = Spoilt::default();
        let watch = self.stop_watch.lock().take();
        drop(watch);
        *self.terms.lock() = self.shared.terms.clone();
        self.connected.lock().take()
    }

    /// Ends it: what it has open is closed, its unit of work backed out. The job is dropped before.
    pub(crate) fn end(&self) {
        let left = std::mem::take(&mut *self.mailbox.lock());
        for unit in left {
            self.shared.discount_queued(unit.body.len());
        }
        drop(self.take_connected());
    }
}
