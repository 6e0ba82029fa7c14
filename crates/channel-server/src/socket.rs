//! One task a socket: reads segments, runs what its conversations have to do, writes what they answer.
//!
//! A wake-up reads what there is, gives each unit to its conversation, runs the jobs that became ready, and writes all
//! they answered at once. Verbs that need not wait are done within it. While too much waits to be written, or to be
//! begun, nothing is read.
//!
//! Invariants
//! - Units of one conversation are answered in the order in which they came.
//! - What breaks the protocol ends the socket, and nothing beside it.
//! - An idle socket holds no buffer.

mod input;
mod introduction;
mod pace;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::poll_fn;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Buf;
use channel_protocol::assembly::{Assembler, Unit};
use channel_protocol::cursor::Reader;
use channel_protocol::error::ProtocolError;
use channel_protocol::flow::socket::SocketAction;
use channel_protocol::flow::status;
use channel_protocol::output::Output;
use channel_protocol::segment::{Address, ControlFlags, Segment, SegmentType};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::coop;
use tokio::time::Instant;

use crate::admission::{Admission, Peer, StatusCode, Terms, failure_delay};
use crate::conversation::Conversation;
use crate::jobs::{JobHandle, Jobs};
use crate::shared::{End, Shared};

use self::input::Input;
use self::pace::{Pace, PaceTerms, Tick};

/// How often in a row jobs are run before the socket looks at its input again.
const ROUNDS: usize = 16;
/// How often in a row input is read before other sockets of the thread have their turn.
const READS: usize = 32;
/// Pieces handed to one write.
const PIECES: usize = 16;
/// How long a socket rests between the last answer and its end. The Java client drops an answer that has come when the
/// end comes before its program's thread has taken it, and says 2009 of a commit that took effect.
const REST: Duration = Duration::from_millis(200);
/// How long the last words may take to be written.
const FAREWELL: Duration = Duration::from_secs(5);
/// Bytes written at once above which the output's memory is given back.
const KEPT_OUTPUT: usize = 512;

/// Serves one socket until it ends. TLS, if any, is already there.
pub async fn serve<S>(mut stream: S, peer: Peer, admission: Arc<dyn Admission>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let mut input = Input::new(introduction::MAXIMUM_TRANSMISSION as usize);
    let jobs = Jobs::new();
    let begun = introduction::introduce(&mut stream, &mut input, peer, admission, jobs.spawner()).await;
    let Some(introduced) = begun else { return };
    let mut socket = Socket::new(stream, input, jobs, introduced);
    let end = poll_fn(|context| socket.poll(context)).await;
    tracing::debug!(channel = socket.shared.terms.channel, ?end, "a client channel ends");
    socket.end_conversations();
    if !matches!(end, End::Partner) {
        let _ = tokio::time::timeout(FAREWELL, poll_fn(|context| socket.poll_farewell(context))).await;
    }
}

struct Socket<S> {
    stream: S,
    input: Input,
    assembler: Assembler,
    jobs: Jobs,
    shared: Arc<Shared>,
    conversations: HashMap<u32, Running, foldhash::fast::RandomState>,
    pace: Pace,
    /// Something was written that may still lie in a TLS session.
    is_unflushed: bool,
    /// The conversations know that the channel is being stopped.
    was_told_to_stop: bool,
    /// When something was written last, or the stop began; not kept before it.
    spoke_at: Option<Instant>,
    /// Ends the socket once it has rested.
    rest: Option<JobHandle>,
    /// Jobs that belong to the socket itself.
    _own_jobs: [JobHandle; 2],
}

/// A conversation and the job that runs its requests.
struct Running {
    conversation: Arc<Conversation>,
    job: JobHandle,
}

/// What `introduce` hands over.
struct Introduced {
    shared: Arc<Shared>,
    assembler: Assembler,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    fn new(stream: S, input: Input, jobs: Jobs, introduced: Introduced) -> Self {
        let Introduced { shared, assembler } = introduced;
        let own_jobs = [
            jobs.spawner().spawn(watch_for_stop(shared.clone(), shared.terms.clone())),
            jobs.spawner().spawn(watch_for_admittance(shared.clone())),
        ];
        let mut socket = Self {
            stream,
            input,
            assembler,
            pace: Pace::new(pace_terms(&shared)),
            is_unflushed: false,
            was_told_to_stop: false,
            spoke_at: None,
            rest: None,
            _own_jobs: own_jobs,
            jobs,
            shared,
            conversations: HashMap::default(),
        };
        let first = if socket.shared.negotiated.is_multiplexed() { 1 } else { 0 };
        socket.begin_conversation(first);
        // A partner need not wait for the answer to its first segment.
        if let Err(error) = socket.take_units() {
            socket.shared.refuse(&error);
        }
        socket
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<End> {
        self.jobs.awake();
        for _ in 0..READS {
            self.keep_pace(context);
            let all_ran = self.jobs.run(ROUNDS);
            if self.shared.is_quiescing() {
                self.quiesce();
            }
            match self.poll_write(context) {
                Poll::Ready(Err(error)) => {
                    tracing::debug!(%error, "a client takes no more");
                    return Poll::Ready(End::Partner);
                }
                Poll::Ready(Ok(())) | Poll::Pending => {}
            }
            if let Some(end) = self.shared.ended() {
                return Poll::Ready(end);
            }
            let has_read = match self.poll_read(context) {
                Poll::Ready(Some(end)) => return Poll::Ready(end),
                Poll::Ready(None) => true,
                Poll::Pending => false,
            };
            if !has_read && all_ran && self.jobs.sleep(context.waker()) {
                return Poll::Pending;
            }
            if !coop::has_budget_remaining() {
                // What is ready would say that it is not, until other tasks had their turn.
                break;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Ready after units were read and given to their conversations, or when the socket ends.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Option<End>> {
        if self.shared.is_congested() || self.shared.is_behind() {
            return Poll::Pending;
        }
        match ready!(self.input.poll_fill(&mut self.stream, context)) {
            Ok(0) => return Poll::Ready(Some(End::Partner)),
            Err(error) => {
                tracing::debug!(%error, "nothing more comes from a client");
                return Poll::Ready(Some(End::Partner));
            }
            Ok(count) => {
                let received = &self.shared.terms.status.counters().bytes_received;
                received.fetch_add(count as u64, Ordering::Relaxed);
            }
        }
        if let Err(error) = self.take_units() {
            self.shared.refuse(&error);
        }
        self.pace.heard(self.input.is_within_segment());
        Poll::Ready(None)
    }

    fn take_units(&mut self) -> Result<(), ProtocolError> {
        while let Some(segment) = self.input.next()? {
            self.shared.terms.status.counters().buffers_received.fetch_add(1, Ordering::Relaxed);
            self.take_segment(segment)?;
        }
        Ok(())
    }

    fn take_segment(&mut self, segment: Segment) -> Result<(), ProtocolError> {
        let Some(unit) = self.assembler.push(segment)? else { return Ok(()) };
        let is_multiplexed = self.shared.negotiated.is_multiplexed();
        match (unit.segment_type, unit.address) {
            (SegmentType::Heartbeat, _) => {
                if unit.confirm_requested() {
                    self.shared.send_heartbeat(ControlFlags::empty());
                }
                Ok(())
            }
            (SegmentType::SocketAction, _) if is_multiplexed => self.take_action(&unit),
            (SegmentType::Status, Address::Plain | Address::Socket) => {
                self.shared.end(End::Partner);
                Ok(())
            }
            (SegmentType::Status, Address::Conversation { .. }) => {
                if unit.control.contains(ControlFlags::CLOSE_CHANNEL) {
                    self.end_conversation(unit.address.conversation());
                }
                Ok(())
            }
            (_, Address::Conversation { conversation, .. }) if is_multiplexed => self.give(conversation, unit),
            (_, Address::Plain) if !is_multiplexed => self.give(0, unit),
            _ => Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() }),
        }
    }

    fn give(&mut self, conversation: u32, unit: Unit) -> Result<(), ProtocolError> {
        let unknown = ProtocolError::Unexpected { segment_type: unit.segment_type.number() };
        let running = self.conversations.get(&conversation).ok_or(unknown)?;
        self.pace.called();
        running.conversation.take(unit);
        running.job.wake();
        Ok(())
    }

    fn take_action(&mut self, unit: &Unit) -> Result<(), ProtocolError> {
        let action = SocketAction::decode(&mut Reader::new("SOCKET_ACTION", &unit.body, unit.form))?;
        match action.action {
            SocketAction::START => {
                let address = Address::Conversation { conversation: action.conversation, request: action.request };
                let code = if self.begin_conversation(action.conversation) {
                    status::StatusCode::OK
                } else {
                    status::StatusCode::CHANNEL_UNAVAILABLE
                };
                self.shared.send_status(address, StatusCode(code.0));
            }
            SocketAction::END => {
                self.end_conversation(action.conversation);
                if unit.control.contains(ControlFlags::CLOSE_CHANNEL) {
                    self.shared.end(End::Partner);
                }
            }
            // The others are answers to what this end never sends.
            _ => {}
        }
        Ok(())
    }

    /// False when the conversation is there already, or there are as many as agreed.
    fn begin_conversation(&mut self, number: u32) -> bool {
        let most = self.shared.negotiated.sharing_conversations.max(1);
        if self.conversations.len() >= most as usize {
            return false;
        }
        let Entry::Vacant(vacant) = self.conversations.entry(number) else { return false };
        let conversation = Arc::new(Conversation::new(number, self.shared.clone()));
        let job = self.shared.jobs.spawn(conversation.clone().run());
        vacant.insert(Running { conversation, job });
        self.count_conversations();
        true
    }

    fn end_conversation(&mut self, number: u32) {
        self.assembler.forget(number);
        if let Some(running) = self.conversations.remove(&number) {
            drop(running.job);
            running.conversation.end();
        }
        self.count_conversations();
    }

    /// Drops what every conversation has under way: units of work are backed out, waiting gets given up.
    fn end_conversations(&mut self) {
        for (_, running) in self.conversations.drain() {
            drop(running.job);
            running.conversation.end();
        }
        self.count_conversations();
    }

    fn count_conversations(&self) {
        let shown = &self.shared.terms.status.counters().sharing_conversations;
        shown.store(self.conversations.len() as u64, Ordering::Relaxed);
    }

    /// Tells the conversations once, and ends the socket when nothing is under way that should be waited for. It begins
    /// nothing then but the end of a unit of work, rests, and ends: what was answered has reached the program before the end
    /// does.
    fn quiesce(&mut self) {
        if !self.was_told_to_stop {
            self.was_told_to_stop = true;
            self.spoke_at = Some(Instant::now());
            self.conversations.values().for_each(|running| running.conversation.quiesce());
            // Consumers tell of it before the socket does.
            self.jobs.run(ROUNDS);
        }
        if !self.conversations.values().all(|running| running.conversation.is_quiet()) {
            // A get that was taking a message when the rest began has sent it since, or its unit of work ends now.
            if self.rest.take().is_some() && !self.shared.has_ended() {
                self.shared.resume();
                self.conversations.values().for_each(|running| running.job.wake());
            }
            return;
        }
        if self.rest.is_some() {
            return;
        }
        self.shared.rest();
        self.conversations.values().for_each(|running| running.conversation.rest());
        let spoke_at = self.spoke_at.filter(|_| !self.shared.has_output());
        let end = spoke_at.unwrap_or_else(Instant::now) + REST;
        let shared = self.shared.clone();
        self.rest = Some(self.shared.jobs.spawn(async move {
            tokio::time::sleep_until(end).await;
            shared.close(StatusCode(status::StatusCode::QUEUE_MANAGER_ENDING.0));
        }));
    }

    fn keep_pace(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(()) = self.pace.poll(context) {
            let any =
                |is_so: fn(&Conversation) -> bool| self.conversations.values().any(|one| is_so(&one.conversation));
            let (is_busy, awaits_messages) = (any(Conversation::is_busy), any(Conversation::awaits_messages));
            match self.pace.tick(is_busy, awaits_messages) {
                Tick::Nothing => {}
                Tick::Heartbeat => self.shared.send_heartbeat(ControlFlags::CONFIRM),
                Tick::Silent => self.shared.end(End::Silent),
                Tick::Idle => self.shared.close(StatusCode(status::StatusCode::CHANNEL_CLOSED.0)),
            }
        }
    }

    /// Ready when all is written, and has left the TLS session too.
    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let Self { stream, shared, .. } = self;
        let mut written = 0;
        let done = shared.drain(|output| poll_write_all(stream, output, &mut written, context));
        if written > 0 {
            self.pace.spoke();
            self.is_unflushed = true;
            if self.was_told_to_stop {
                self.spoke_at = Some(Instant::now());
            }
            let counters = self.shared.terms.status.counters();
            counters.bytes_sent.fetch_add(written as u64, Ordering::Relaxed);
            counters.buffers_sent.fetch_add(1, Ordering::Relaxed);
        }
        ready!(done)?;
        if self.is_unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(context))?;
            self.is_unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Writes the rest and that nothing follows, and reads to the partner's end: what is left unread when a socket is
    /// closed makes the system withdraw what was written.
    fn poll_farewell(&mut self, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        ready!(self.poll_write(context))?;
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        while ready!(self.input.poll_discard(&mut self.stream, context))? > 0 {}
        Poll::Ready(Ok(()))
    }
}

/// Writes what waits, several pieces at once, until all is written or the stream takes no more.
fn poll_write_all<S: AsyncWrite + Unpin>(
    stream: &mut S,
    output: &mut Output,
    written: &mut usize,
    context: &mut Context<'_>,
) -> Poll<std::io::Result<()>> {
    while output.has_remaining() {
        let mut pieces = [IoSlice::new(&[]); PIECES];
        let count = output.chunks_vectored(&mut pieces);
        let stream = Pin::new(&mut *stream);
        let taken = ready!(match &pieces[..count] {
            [piece] => stream.poll_write(context, piece),
            pieces => stream.poll_write_vectored(context, pieces),
        })?;
        if taken == 0 {
            return Poll::Ready(Err(std::io::ErrorKind::WriteZero.into()));
        }
        *written += taken;
        output.advance(taken);
    }
    if *written > KEPT_OUTPUT {
        output.release();
    }
    Poll::Ready(Ok(()))
}

/// Hands on what STOP CHANNEL asks of an instance.
pub(crate) async fn watch_for_stop(shared: Arc<Shared>, terms: Arc<Terms>) {
    let mut known = None;
    loop {
        let mode = terms.status.stop_wanted_beyond(known).await;
        shared.stop(mode);
        known = Some(mode);
    }
}

/// Ends a socket by which nobody has come in for too long: it takes a place and an instance of its channel.
async fn watch_for_admittance(shared: Arc<Shared>) {
    tokio::time::sleep(shared.peer.patience).await;
    if !shared.is_admitted() {
        tokio::time::sleep(failure_delay(&shared.terms.queue_manager)).await;
    }
    if !shared.is_admitted() {
        let (channel, address) = (&shared.terms.channel, shared.peer.address);
        tracing::debug!(channel, %address, "a partner did not connect in time");
        shared.close(StatusCode(status::StatusCode::CHANNEL_CLOSED.0));
    }
}

fn pace_terms(shared: &Shared) -> PaceTerms {
    PaceTerms {
        heartbeat: Some(shared.negotiated.heartbeat).filter(|interval| !interval.is_zero()),
        disconnect_interval: shared.terms.disconnect_interval.filter(|interval| !interval.is_zero()),
        is_multiplexed: shared.negotiated.is_multiplexed(),
    }
}
