//! What a socket's task and its conversations share: what is to be written, the terms, and how the channel is to end.
//!
//! Everything here is used by the one task that serves the socket; locks are never contended and never held across an
//! `.await`.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Poll, Waker};
use std::time::Duration;

use bytes::Buf;
use channel_protocol::cursor::Writer;
use channel_protocol::error::ProtocolError;
use channel_protocol::flow::status::{self as flow, Status};
use channel_protocol::form::Form;
use channel_protocol::output::{Envelope, Output};
use channel_protocol::segment::{Address, ControlFlags, SegmentType};
use model::authority::Principal;
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::channel_status::{ChannelState, StopMode};

use crate::admission::{Admission, Peer, StatusCode, Terms, UserFacts};
use crate::jobs::Spawner;

/// Replies that wait to be written, in bytes, above which no further verb is begun on the socket and nothing is read.
const OUTPUT_BOUND: usize = 512 * 1024;
/// Requests that wait to be begun, in bytes, above which nothing is read: one message of the longest, or this.
const QUEUED_BOUND: usize = 4 * 1024 * 1024;
/// What a unit takes beside its body, in bytes.
const UNIT_OVERHEAD: usize = 128;

/// What both ends agreed on when the channel started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Negotiated {
    /// Conversations that may share the socket; 0: it is not multiplexed.
    pub(crate) sharing_conversations: u32,
    /// Longest message, in bytes.
    pub(crate) maximum_message: usize,
    /// Of silence, after which either end sends a heartbeat; zero for none.
    pub(crate) heartbeat: Duration,
}

impl Negotiated {
    pub(crate) fn is_multiplexed(&self) -> bool {
        self.sharing_conversations > 0
    }
}

pub(crate) struct Shared {
    pub(crate) terms: Arc<Terms>,
    pub(crate) peer: Peer,
    /// What the partner says it is.
    pub(crate) product: String,
    pub(crate) negotiated: Negotiated,
    /// How this end writes.
    pub(crate) form: Form,
    /// Adds jobs that run beside a conversation's verbs.
    pub(crate) jobs: Spawner,
    pub(crate) admission: Arc<dyn Admission>,
    output: Mutex<Outbox>,
    /// Of the first conversation, for those that send none.
    first_facts: Mutex<UserFacts>,
    /// User facts checked before on this socket, and what came of it: conversations repeat them.
    identified: Mutex<Option<(UserFacts, Principal)>>,
    is_quiescing: AtomicBool,
    /// Units of work are waited for no longer.
    has_ended: AtomicBool,
    /// No further call is begun but the end of a unit of work: the socket rests before it ends.
    is_resting: AtomicBool,
    /// An MQCONN has succeeded.
    is_admitted: AtomicBool,
    /// Of units that have come and are not begun, in bytes.
    queued: AtomicUsize,
}

struct Outbox {
    output: Output,
    waiting_for_room: Vec<Waker>,
    end: Option<End>,
}

/// Why a socket ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The partner is gone, or said that it goes.
    Partner,
    /// Nothing came for too long.
    Silent,
    /// This end closes, and has said why.
    Closed(StatusCode),
}

impl Shared {
    #[expect(clippy::too_many_arguments, reason = "each is known to the one caller alone, and none goes with another")]
    pub(crate) fn new(
        terms: Arc<Terms>,
        peer: Peer,
        product: String,
        negotiated: Negotiated,
        form: Form,
        admission: Arc<dyn Admission>,
        jobs: Spawner,
        output: Output,
    ) -> Self {
        let output = Outbox { output, waiting_for_room: Vec::new(), end: None };
        Self {
            terms,
            peer,
            product,
            negotiated,
            form,
            jobs,
            admission,
            output: Mutex::new(output),
            first_facts: Mutex::default(),
            identified: Mutex::new(None),
            is_quiescing: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            is_resting: AtomicBool::new(false),
            is_admitted: AtomicBool::new(false),
            queued: AtomicUsize::new(0),
        }
    }

    /// Adds one unit to what is written next.
    pub(crate) fn send(&self, address: Address, segment_type: SegmentType, encode: impl FnOnce(&mut Writer<'_>)) {
        self.output.lock().output.unit(&Envelope::new(address, segment_type, self.form), encode);
    }

    /// For flows that cut their segments themselves, or set control flags.
    pub(crate) fn with_output<T>(&self, add: impl FnOnce(&mut Output, Form) -> T) -> T {
        add(&mut self.output.lock().output, self.form)
    }

    /// Where segments for the whole socket go.
    pub(crate) fn socket_address(&self) -> Address {
        if self.negotiated.is_multiplexed() { Address::Socket } else { Address::Plain }
    }

    pub(crate) fn send_heartbeat(&self, control: ControlFlags) {
        let envelope = Envelope::new(self.socket_address(), SegmentType::Heartbeat, self.form).with(control);
        self.output.lock().output.empty(&envelope);
    }

    /// STATUS with a code, for a conversation or the socket; nothing is closed.
    pub(crate) fn send_status(&self, address: Address, code: StatusCode) {
        let status = Status::new(flow::StatusCode(code.0));
        self.send(address, SegmentType::Status, |writer| status.encode(writer));
    }

    /// Tells the partner why, and closes the socket once that is written. Only the first call counts.
    pub(crate) fn close(&self, code: StatusCode) {
        let mut outbox = self.output.lock();
        if outbox.end.is_some() {
            return;
        }
        let status = Status::new(flow::StatusCode(code.0));
        let envelope = Envelope::new(self.socket_address(), SegmentType::Status, self.form)
            .with(ControlFlags::ERROR | ControlFlags::CLOSE_CHANNEL);
        outbox.output.unit(&envelope, |writer| status.encode(writer));
        outbox.end = Some(End::Closed(code));
    }

    /// The socket closes once all is written.
    pub(crate) fn end(&self, end: End) {
        self.output.lock().end.get_or_insert(end);
    }

    /// Whether 2009 ends the socket without an answer, as a connection that breaks does: on a server that was started for tests.
    pub(crate) fn is_to_be_cut(&self) -> bool {
        self.terms.queue_manager.is_in_hand()
    }

    /// Ends the socket at once. What waits to be written is lost.
    pub(crate) fn cut(&self) {
        let mut outbox = self.output.lock();
        let waiting = outbox.output.remaining();
        outbox.output.advance(waiting);
        outbox.end.get_or_insert(End::Partner);
    }

    pub(crate) fn ended(&self) -> Option<End> {
        self.output.lock().end
    }

    /// Whether so much waits to be written that nothing more should be begun.
    pub(crate) fn is_congested(&self) -> bool {
        self.output.lock().output.remaining() > OUTPUT_BOUND
    }

    /// Waits until less than the bound waits to be written.
    pub(crate) async fn room(&self) {
        poll_fn(|context| {
            let mut outbox = self.output.lock();
            if outbox.output.remaining() <= OUTPUT_BOUND {
                return Poll::Ready(());
            }
            outbox.waiting_for_room.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Has `write` take bytes off the front of what waits, and wakes those who wait for room.
    pub(crate) fn drain<T>(&self, write: impl FnOnce(&mut Output) -> T) -> T {
        let mut outbox = self.output.lock();
        let done = write(&mut outbox.output);
        if !outbox.waiting_for_room.is_empty() && outbox.output.remaining() <= OUTPUT_BOUND {
            let waiting = std::mem::take(&mut outbox.waiting_for_room);
            drop(outbox);
            waiting.into_iter().for_each(Waker::wake);
        }
        done
    }

    /// Whether the partner has said who it is, and is let in.
    pub(crate) fn is_admitted(&self) -> bool {
        self.is_admitted.load(Ordering::Relaxed)
    }

    pub(crate) fn set_admitted(&self) {
        self.is_admitted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_quiescing(&self) -> bool {
        self.is_quiescing.load(Ordering::Acquire)
    }

    /// Calls that ask to fail when the channel is stopped do so from now on; the harder modes end it at once.
    pub(crate) fn stop(&self, mode: StopMode) {
        self.terms.status.update(|instance| instance.state = ChannelState::Stopping);
        self.is_quiescing.store(true, Ordering::Release);
        match mode {
            StopMode::Quiesce => {}
            StopMode::Ended => self.has_ended.store(true, Ordering::Release),
            StopMode::Force | StopMode::Terminate => {
                self.close(StatusCode(flow::StatusCode::QUEUE_MANAGER_ENDING.0));
            }
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    pub(crate) fn has_output(&self) -> bool {
        self.output.lock().output.has_remaining()
    }

    /// Everything that was begun is answered: nothing else is begun, and the socket ends in a moment.
    pub(crate) fn rest(&self) {
        self.is_resting.store(true, Ordering::Release);
    }

    /// There is something to wait for after all.
    pub(crate) fn resume(&self) {
        self.is_resting.store(false, Ordering::Release);
    }

    pub(crate) fn is_resting(&self) -> bool {
        self.is_resting.load(Ordering::Acquire)
    }

    /// A call has got this error: nothing more can be done on this socket.
    pub(crate) fn queue_manager_stops(&self) {
        self.is_quiescing.store(true, Ordering::Release);
    }

    /// The partner broke the protocol: it gets a STATUS with the reason, and the socket ends.
    pub(crate) fn refuse(&self, error: &ProtocolError) {
        let (channel, address) = (&self.terms.channel, self.peer.address);
        tracing::info!(channel, %address, %error, "a client breaks the channel protocol");
        self.close(StatusCode(error.status().0));
    }

    /// A unit with a body of so many bytes waits to be begun.
    pub(crate) fn count_queued(&self, body: usize) {
        self.queued.fetch_add(body + UNIT_OVERHEAD, Ordering::Relaxed);
    }

    pub(crate) fn discount_queued(&self, body: usize) {
        self.queued.fetch_sub(body + UNIT_OVERHEAD, Ordering::Relaxed);
    }

    /// Whether so much has come and is not begun that no more should be read.
    pub(crate) fn is_behind(&self) -> bool {
        self.queued.load(Ordering::Relaxed) > QUEUED_BOUND.max(self.negotiated.maximum_message)
    }

    pub(crate) fn first_facts(&self) -> UserFacts {
        self.first_facts.lock().clone()
    }

    pub(crate) fn set_first_facts(&self, facts: &UserFacts) {
        self.first_facts.lock().clone_from(facts);
    }

    /// Who the partner is, for MQCONN. The answer to the same facts is remembered: checking a password is dear.
    ///
    /// # Errors
    /// `NotAuthorized` (2035).
    pub(crate) async fn identify(&self, terms: &Arc<Terms>, facts: &UserFacts) -> Result<Principal, Reason> {
        let is_own = Arc::ptr_eq(terms, &self.terms);
        if is_own
            && let Some((known, principal)) = &*self.identified.lock()
            && known == facts
        {
            return Ok(principal.clone());
        }
        let principal = self.admission.identify(terms, &self.peer, facts).await?;
        if is_own {
            *self.identified.lock() = Some((facts.clone(), principal.clone()));
        }
        Ok(principal)
    }
}
