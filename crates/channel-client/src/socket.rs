//! One socket and its task: writes what conversations have to say, hands them what comes for them, keeps the partner
//! assured with heartbeats.
//!
//! A conversation appends its request to the common output and wakes the task, which writes all that is there at once.
//! The task alone touches the stream, so calls of many conversations need neither locks around it nor threads.
//!
//! Invariants
//! - A socket lives as long as a conversation of it; after the last it says goodbye and closes.
//! - When it ends, every conversation gets the reason: no call waits for an answer that cannot arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::error::ProtocolError;
use channel_protocol::output::{Envelope, Output};
use channel_protocol::segment::{Address, ControlFlags, Framer, SegmentType};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior};

use crate::error::ChannelError;
use crate::mailbox::{Kind, Mailbox};
use crate::negotiated::{Negotiated, OWN_FORM};
use crate::quiet::Quiet;
use crate::stream::Stream;

/// Size of a new input buffer, and the room below which one is made, in bytes.
const READ_BYTES: usize = 16 * 1024;
const LEAST_ROOM: usize = 2 * 1024;
/// Asynchronous puts wait while more than this is to be written, in bytes.
const MOST_OUTPUT: usize = 4 << 20;
/// Longest the task looks away when there are no heartbeats.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// Room for the structures around a message, in bytes.
const STRUCTURES: usize = 64 * 1024;

/// Intervals for which a call on a socket that is not shared goes on without a heartbeat of the queue manager's, whose
/// clock ticks at other moments.
const UNSHARED_PATIENCE: u32 = 2;

/// What a socket's conversations and its task have in common.
pub(crate) struct Socket {
    state: Mutex<State>,
    /// There is something to write, or it is time to close.
    work: Notify,
    /// Output has become short again, or the task has ended.
    written: Notify,
    ended: AtomicBool,
    pub(crate) negotiated: Negotiated,
}

struct State {
    output: Output,
    conversations: Vec<(u32, Arc<Mailbox>)>,
    next_conversation: u32,
    /// Nobody needs the socket any more.
    closing: bool,
}

impl Socket {
    /// Starts the task of a socket whose negotiation is over. `rest`: bytes that came behind it.
    pub(crate) fn start(stream: Stream, negotiated: Negotiated, rest: BytesMut) -> Arc<Self> {
        let socket = Arc::new(Self {
            state: Mutex::new(State {
                output: Output::new(negotiated.maximum_segment),
                conversations: Vec::new(),
                next_conversation: 1,
                closing: false,
            }),
            work: Notify::new(),
            written: Notify::new(),
            ended: AtomicBool::new(false),
            negotiated,
        });
        tokio::spawn(run(Arc::clone(&socket), stream, rest));
        socket
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.negotiated.sharing_conversations > 0
    }

    /// The last conversation has left.
    pub(crate) fn is_closing(&self) -> bool {
        self.state.lock().closing
    }

    /// Takes a place for one more conversation; `None` when all are taken or the socket is going.
    pub(crate) fn enter(&self) -> Option<(u32, Arc<Mailbox>)> {
        let mut state = self.state.lock();
        let most = self.negotiated.sharing_conversations.max(1);
        if state.closing || self.has_ended() || state.conversations.len() >= most as usize {
            return None;
        }
        let number = if self.is_shared() { state.next_conversation } else { 0 };
        state.next_conversation = state.next_conversation.wrapping_add(2);
        let mailbox = Arc::new(Mailbox::default());
        state.conversations.push((number, Arc::clone(&mailbox)));
        Some((number, mailbox))
    }

    /// Ends a conversation; the last one takes the socket with it.
    pub(crate) fn leave(&self, conversation: u32, goodbye: impl FnOnce(&mut Output, bool)) {
        let mut state = self.state.lock();
        state.conversations.retain(|(number, _)| *number != conversation);
        let last = state.conversations.is_empty();
        if !self.has_ended() {
            goodbye(&mut state.output, last);
        }
        state.closing |= last;
        drop(state);
        self.work.notify_one();
    }

    /// Adds to what is written next.
    pub(crate) fn write(&self, add: impl FnOnce(&mut Output)) {
        add(&mut self.state.lock().output);
        self.work.notify_one();
    }

    /// Waits until what is to be written has become short.
    pub(crate) async fn await_room(&self) {
        loop {
            let written = self.written.notified();
            if self.has_ended() || self.state.lock().output.remaining() <= MOST_OUTPUT {
                return;
            }
            written.await;
        }
    }

    /// Waits until the task has ended.
    pub(crate) async fn await_end(&self) {
        loop {
            let written = self.written.notified();
            if self.has_ended() {
                return;
            }
            written.await;
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    fn end(&self, problem: &str) {
        let conversations = std::mem::take(&mut self.state.lock().conversations);
        self.ended.store(true, Ordering::Release);
        for (_, mailbox) in conversations {
            mailbox.end(problem);
        }
        self.written.notify_waiters();
    }
}

async fn run(socket: Arc<Socket>, stream: Stream, rest: BytesMut) {
    let ended = match stream {
        Stream::Plain(mut stream) => {
            let (reader, writer) = stream.0.split();
            Task::new(&socket, reader, Quiet(writer), rest).run().await
        }
        Stream::Tls(stream) => {
            let (reader, writer) = tokio::io::split(stream);
            Task::new(&socket, reader, writer, rest).run().await
        }
        Stream::Old(stream) => {
            let (reader, writer) = tokio::io::split(stream);
            Task::new(&socket, reader, writer, rest).run().await
        }
    };
    let problem = match ended {
        Ok(()) => "it was closed".to_owned(),
        Err(ChannelError::Broken { problem, .. }) => problem,
        Err(other) => other.to_string(),
    };
    socket.end(&problem);
}

struct Task<'a, R, W> {
    socket: &'a Socket,
    reader: R,
    writer: W,
    input: BytesMut,
    framer: Framer,
    assembler: Assembler,
    writing: Output,
    /// Bytes may lie in a buffer below.
    unflushed: bool,
    last_heard: Instant,
    /// Intervals in which the partner owed a sign of life.
    unheard: u32,
}

impl<'a, R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Task<'a, R, W> {
    fn new(socket: &'a Socket, reader: R, writer: W, rest: BytesMut) -> Self {
        let negotiated = &socket.negotiated;
        let unit = (negotiated.maximum_message_length as usize).saturating_add(STRUCTURES);
        let open = (negotiated.sharing_conversations.max(1) as usize).saturating_mul(4);
        Self {
            socket,
            reader,
            writer,
            input: rest,
            framer: Framer::new(negotiated.maximum_segment),
            assembler: Assembler::new(Limits { unit, open, buffered: unit.saturating_mul(4) }),
            writing: Output::new(negotiated.maximum_segment),
            unflushed: false,
            last_heard: now(),
            unheard: 0,
        }
    }

    async fn run(mut self) -> Result<(), ChannelError> {
        self.dispatch()?;
        let pause = Some(self.socket.negotiated.heartbeat_interval).filter(|interval| !interval.is_zero());
        let mut ticks = tokio::time::interval(pause.unwrap_or(LONGEST_PAUSE));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.tick().await;
        loop {
            let closing = self.take_output();
            let has_output = self.writing.has_remaining() || self.unflushed;
            if closing && !has_output {
                // The partner may have closed before.
                let _ = self.writer.shutdown().await;
                return Ok(());
            }
            self.make_room()?;
            tokio::select! {
                biased;
                result = write(&mut self.writer, &mut self.writing, &mut self.unflushed), if has_output => {
                    result.map_err(|error| broken(&error))?;
                    self.socket.written.notify_waiters();
                }
                read = self.reader.read_buf(&mut self.input) => {
                    if read.map_err(|error| broken(&error))? == 0 {
                        return Err(ChannelError::broken("the queue manager closed the socket"));
                    }
                    self.last_heard = now();
                    self.unheard = 0;
                    self.dispatch()?;
                }
                () = self.socket.work.notified(), if !has_output => {}
                _ = ticks.tick(), if pause.is_some() => self.assure()?,
            }
        }
    }

    /// Takes over what the conversations have to say; whether the socket is to close behind it.
    fn take_output(&mut self) -> bool {
        let mut state = self.socket.state.lock();
        if !self.writing.has_remaining() {
            std::mem::swap(&mut state.output, &mut self.writing);
        }
        state.closing && !state.output.has_remaining()
    }

    /// Room for what the segment at the front still wants. While messages are held that share the buffer's memory a new one
    /// has to be made, so it is large enough for several.
    fn make_room(&mut self) -> Result<(), ChannelError> {
        let garbled = |error: ProtocolError| ChannelError::broken(error.to_string());
        let wanted = if self.input.is_empty() { 0 } else { self.framer.missing(&self.input).map_err(garbled)? };
        if self.input.capacity() - self.input.len() < wanted.max(LEAST_ROOM) {
            self.input.reserve(wanted.max(READ_BYTES));
        }
        Ok(())
    }

    /// Hands over every unit that is whole.
    fn dispatch(&mut self) -> Result<(), ChannelError> {
        let garbled = |error: ProtocolError| ChannelError::broken(error.to_string());
        while let Some(segment) = self.framer.next(&mut self.input).map_err(garbled)? {
            if let Some(unit) = self.assembler.push(segment).map_err(garbled)? {
                self.deliver(unit)?;
            }
        }
        Ok(())
    }

    fn deliver(&mut self, unit: Unit) -> Result<(), ChannelError> {
        match unit.segment_type {
            SegmentType::Heartbeat => {
                if unit.confirm_requested() {
                    let answer = Envelope::new(unit.address, SegmentType::Heartbeat, OWN_FORM);
                    self.socket.write(|output| output.empty(&answer));
                }
                return Ok(());
            }
            SegmentType::Status if !matches!(unit.address, Address::Conversation { .. }) => {
                return Err(crate::negotiated::ended_by(&unit));
            }
            // The partner's requests about the socket ask nothing that is needed here.
            SegmentType::SocketAction => return Ok(()),
            _ => {}
        }
        let kind = match unit.segment_type {
            SegmentType::AsyncMessage | SegmentType::Notification => Kind::Event,
            _ => Kind::Reply,
        };
        let number = unit.address.conversation();
        let found = {
            let state = self.socket.state.lock();
            state.conversations.iter().find(|(known, _)| *known == number).map(|(_, mailbox)| Arc::clone(mailbox))
        };
        // Nobody: an answer to a conversation that has left in between.
        match found {
            Some(mailbox) if !mailbox.put(kind, unit) => Err(ChannelError::broken("it sends more than it was asked")),
            _ => Ok(()),
        }
    }

    /// An interval has gone by: asks after a silent partner, and gives up one that did not answer the last time.
    fn assure(&mut self) -> Result<(), ChannelError> {
        if self.last_heard.elapsed() < self.socket.negotiated.heartbeat_interval {
            return Ok(());
        }
        let is_shared = self.socket.is_shared();
        if self.unheard >= if is_shared { 1 } else { UNSHARED_PATIENCE } {
            return Err(ChannelError::broken("the queue manager does not answer heartbeats"));
        }
        if is_shared {
            self.unheard += 1;
            let question = Envelope::new(Address::Socket, SegmentType::Heartbeat, OWN_FORM).with(ControlFlags::CONFIRM);
            self.socket.write(|output| output.empty(&question));
        } else if self.socket.state.lock().conversations.iter().any(|(_, mailbox)| mailbox.is_awaited()) {
            // Without sharing the client stays quiet: the queue manager sends heartbeats while a call runs.
            self.unheard += 1;
        } else {
            self.unheard = 0;
        }
        Ok(())
    }
}

/// May be dropped and called again at any point.
async fn write<W: AsyncWrite + Unpin>(
    writer: &mut W,
    writing: &mut Output,
    unflushed: &mut bool,
) -> std::io::Result<()> {
    while writing.has_remaining() {
        *unflushed = true;
        if writer.write_buf(writing).await? == 0 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
    }
    writer.flush().await?;
    *unflushed = false;
    Ok(())
}

fn broken(error: &std::io::Error) -> ChannelError {
    ChannelError::broken(error.to_string())
}

fn now() -> Instant {
    Instant::now()
}
