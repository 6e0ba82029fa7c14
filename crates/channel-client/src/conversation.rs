//! One conversation of a socket: a call at a time, its answer, and what comes unasked.
//!
//! Invariants
//! - One call is under way at most. A call that is dropped before it ended leaves a conversation whose next answer would be
//!   another call's, so nothing more is asked on it: it ends, and the queue manager backs out what was open.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use channel_protocol::assembly::Unit;
use channel_protocol::cursor::{Reader, Writer};
use channel_protocol::flow::socket::SocketAction;
use channel_protocol::flow::status::{Status, StatusCode};
use channel_protocol::output::{Envelope, Output};
use channel_protocol::segment::{Address, ControlFlags, SegmentType};

use crate::error::ChannelError;
use crate::mailbox::{Kind, Mailbox};
use crate::negotiated::OWN_FORM;
use crate::socket::Socket;

/// Number of requests that ask for a confirmation by an event, and of those for messages: as the Java client has them.
const CONFIRMED_REQUEST: u32 = 3;
pub(crate) const MESSAGES_REQUEST: u32 = 1;
const GIVEN_UP: &str = "an earlier call was cancelled before its answer";

pub(crate) struct Conversation {
    socket: Arc<Socket>,
    number: u32,
    mailbox: Arc<Mailbox>,
    under_way: bool,
}

impl Conversation {
    /// Takes a place on the socket; `None` when it has none. The first conversation begins by itself, a later one by
    /// `begin`.
    pub(crate) fn enter(socket: &Arc<Socket>) -> Option<Self> {
        let (number, mailbox) = socket.enter()?;
        Some(Self { socket: Arc::clone(socket), number, mailbox, under_way: false })
    }

    pub(crate) fn socket(&self) -> &Arc<Socket> {
        &self.socket
    }

    /// The socket is gone, or a call was dropped: no further call can succeed.
    pub(crate) fn is_broken(&self) -> bool {
        self.under_way || self.socket.has_ended()
    }

    /// Asks the queue manager for a conversation beside the others.
    pub(crate) async fn begin(&mut self) -> Result<(), ChannelError> {
        let start = SocketAction::start(self.number, self.number.div_ceil(2));
        let envelope = Envelope::new(Address::Socket, SegmentType::SocketAction, OWN_FORM);
        self.exchange(&envelope, |writer| start.encode(writer), SegmentType::Status)
            .await
            .and_then(|unit| accepted(&unit))
    }

    /// Sends what is answered with a STATUS.
    pub(crate) async fn confirm(
        &mut self,
        segment_type: SegmentType,
        encode: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), ChannelError> {
        let envelope = self.envelope(segment_type, 0);
        self.exchange(&envelope, encode, SegmentType::Status).await.and_then(|unit| accepted(&unit))
    }

    /// A verb and its reply.
    pub(crate) async fn call(
        &mut self,
        segment_type: SegmentType,
        encode: impl FnOnce(&mut Writer<'_>),
    ) -> Result<Unit, ChannelError> {
        let envelope = self.envelope(segment_type, 0);
        self.exchange(&envelope, encode, segment_type.reply().unwrap_or(segment_type)).await
    }

    /// Sends what is not answered, or answered by events.
    pub(crate) fn send(&self, segment_type: SegmentType, request: u32, encode: impl FnOnce(&mut Writer<'_>)) {
        let envelope = self.envelope(segment_type, request);
        self.socket.write(|output| output.unit(&envelope, encode));
    }

    /// Asks for what is confirmed by an event. Every event goes to `take` until it says that this was the answer.
    ///
    /// # Errors
    /// All are such that nothing was changed by what was asked, but for `take`'s.
    pub(crate) async fn ask(
        &mut self,
        segment_type: SegmentType,
        encode: impl FnOnce(&mut Writer<'_>),
        mut take: impl FnMut(Unit) -> Result<bool, ChannelError>,
    ) -> Result<(), ChannelError> {
        if self.is_broken() {
            return Err(ChannelError::unsent(self.mailbox.problem()));
        }
        self.under_way = true;
        let envelope = self.envelope(segment_type, CONFIRMED_REQUEST).with(ControlFlags::CONFIRM);
        self.socket.write(|output| output.unit(&envelope, encode));
        loop {
            let unit = self.next_event().await?;
            if take(unit)? {
                self.under_way = false;
                return Ok(());
            }
        }
    }

    /// The next event. It may be dropped and called again.
    ///
    /// # Errors
    /// The conversation has ended, which the queue manager may say by a reply that nobody waits for.
    pub(crate) async fn event(&mut self) -> Result<Unit, ChannelError> {
        if self.under_way {
            return Err(ChannelError::unsent(GIVEN_UP));
        }
        let event = self.next_event().await;
        self.under_way = event.is_err();
        event
    }

    async fn next_event(&self) -> Result<Unit, ChannelError> {
        poll_fn(|cx| match self.mailbox.poll_take(Kind::Event, cx) {
            Poll::Ready(event) => Poll::Ready(event.map_err(ChannelError::unsent)),
            Poll::Pending => match self.mailbox.take(Kind::Reply) {
                Some(unit) => Poll::Ready(Err(ended_by(&unit))),
                None => Poll::Pending,
            },
        })
        .await
    }

    /// What came cannot be understood: nothing more is asked.
    pub(crate) fn give_up(&mut self) {
        self.under_way = true;
    }

    /// An event that is there already.
    pub(crate) fn try_event(&self) -> Option<Unit> {
        self.mailbox.take(Kind::Event)
    }

    /// Waits while much is to be written.
    pub(crate) async fn await_room(&self) {
        self.socket.await_room().await;
    }

    fn envelope(&self, segment_type: SegmentType, request: u32) -> Envelope {
        let address = match self.number {
            0 => Address::Plain,
            conversation => Address::Conversation { conversation, request },
        };
        Envelope::new(address, segment_type, OWN_FORM)
    }

    async fn exchange(
        &mut self,
        envelope: &Envelope,
        encode: impl FnOnce(&mut Writer<'_>),
        expected: SegmentType,
    ) -> Result<Unit, ChannelError> {
        if self.under_way {
            return Err(ChannelError::unsent(GIVEN_UP));
        }
        if self.socket.has_ended() {
            return Err(ChannelError::unsent(self.mailbox.problem()));
        }
        self.under_way = true;
        self.socket.write(|output| output.unit(envelope, encode));
        let reply = poll_fn(|cx| self.mailbox.poll_take(Kind::Reply, cx)).await;
        self.under_way = false;
        let unit = reply.map_err(ChannelError::broken)?;
        if unit.segment_type == expected {
            return Ok(unit);
        }
        // Whatever it is, the answers do not fit the questions any more.
        self.under_way = true;
        Err(ChannelError::broken(format!("a segment of type {:?} came for {expected:?}", unit.segment_type)))
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let (number, plain) = (self.number, self.number == 0);
        self.socket.leave(number, |output: &mut Output, last| {
            let control = if last { ControlFlags::CLOSE_CHANNEL } else { ControlFlags::empty() };
            if plain {
                output.empty(&Envelope::new(Address::Plain, SegmentType::Status, OWN_FORM).with(control));
            } else {
                let envelope = Envelope::new(Address::Socket, SegmentType::SocketAction, OWN_FORM).with(control);
                output.unit(&envelope, |writer| SocketAction::end(number).encode(writer));
            }
        });
    }
}

/// What a conversation learns by a reply to nothing.
fn ended_by(unit: &Unit) -> ChannelError {
    let status = Status::decode(&mut Reader::new("STATUS", &unit.body, unit.form)).ok().and_then(|status| status.code);
    match status {
        Some(StatusCode(code)) if unit.segment_type == SegmentType::Status => {
            ChannelError::unsent(format!("the queue manager ended the conversation with status {code}"))
        }
        _ => ChannelError::unsent(format!("a segment of type {:?} came for nothing", unit.segment_type)),
    }
}

fn accepted(unit: &Unit) -> Result<(), ChannelError> {
    let status = Status::decode(&mut Reader::new("STATUS", &unit.body, unit.form));
    let status = status.map_err(|error| ChannelError::broken(error.to_string()))?;
    if status.is_ok() {
        return Ok(());
    }
    let reason = match status.code.unwrap_or(StatusCode::OK) {
        StatusCode::SECURITY => model::reason::Reason::NotAuthorized,
        StatusCode::CHANNEL_UNAVAILABLE => model::reason::Reason::ChannelNotAvailable,
        _ => model::reason::Reason::QMgrNotAvailable,
    };
    Err(ChannelError::ChannelRefused { reason })
}
