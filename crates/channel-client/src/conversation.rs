//! One conversation of a socket: a call at a time, its answer, and what comes unasked.
//!
//! Invariants
//! - One call is under way at most. A call that is dropped before it ended leaves a conversation whose next answer would be
//!   another call's, so nothing more is asked on it: it ends, and the queue manager backs out what was open.

use std::future::poll_fn;
use std::sync::Arc;

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
            return Err(ChannelError::unsent("an earlier call was given up before it was answered"));
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
