//! All that a server sends: encoded at the server end, decoded at the client end.

use model::reason::Reason;

use crate::assembly::Unit;
use crate::cursor::{Reader, Writer};
use crate::error::{DecodeError, ProtocolError};
use crate::flow::call::{ApiHeader, Ending, NO_HANDLE};
use crate::flow::connect::Connect;
use crate::flow::consume::{AsyncMessage, Notification};
use crate::flow::get::GetReply;
use crate::flow::initial::Initial;
use crate::flow::inquire::{Attributes, Inquire};
use crate::flow::open::{Close, Open};
use crate::flow::put::{Put1Reply, PutReply};
use crate::flow::socket::SocketAction;
use crate::flow::spi::SpiReply;
use crate::flow::stat::Stat;
use crate::flow::status::Status;
use crate::flow::subscribe::{Subscribe, SubscriptionRequest};
use crate::flow::xa::XaReply;
use crate::form::Form;
use crate::output::{Envelope, Output};
use crate::segment::{Address, ControlFlags, SegmentType};

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "lives on the stack for one call; boxing would allocate for each one")]
pub enum Reply {
    Initial(Initial),
    Status(Status),
    /// To be answered when its unit asks for confirmation.
    Heartbeat,
    SocketAction(SocketAction),
    Notification(Notification),
    Message(AsyncMessage),
    Answer(Answer),
    Xa(XaReply),
}

/// How a verb ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// One of the verbs' replies.
    pub segment_type: SegmentType,
    pub ending: Ending,
    pub handle: i32,
    /// `None`: the API header alone.
    pub body: Option<AnswerBody>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "lives on the stack for one call; boxing would allocate for each one")]
pub enum AnswerBody {
    Connect(Connect),
    Open(Open),
    Close(Close),
    Get(GetReply),
    Put(PutReply),
    Put1(Put1Reply),
    Inquire(Attributes),
    /// The request again.
    InquireFailed(Inquire),
    Spi(SpiReply),
    Stat(Stat),
    Subscribe(Subscribe),
    SubscriptionRequest(SubscriptionRequest),
}

impl Reply {
    /// # Errors
    /// A protocol error, among them a type that no server sends; or the reason of a structure that is another than it
    /// ought to be.
    pub fn decode(unit: &Unit) -> Result<Self, DecodeError> {
        let reader = &mut Reader::new("segment", &unit.body, unit.form);
        Ok(match unit.segment_type {
            SegmentType::Initial => Self::Initial(Initial::decode(reader)?),
            SegmentType::Status => Self::Status(Status::decode(reader)?),
            SegmentType::Heartbeat => Self::Heartbeat,
            SegmentType::SocketAction => Self::SocketAction(SocketAction::decode(reader)?),
            SegmentType::Notification => Self::Notification(Notification::decode(reader)?),
            SegmentType::AsyncMessage => Self::Message(AsyncMessage::decode(reader)?),
            other => match other.number() {
                0x91..=0x9F => Self::Answer(Answer::decode(other, reader)?),
                0xB1..=0xBA => Self::Xa(XaReply::decode(other, reader)?),
                _ => return Err(ProtocolError::Unexpected { segment_type: other.number() }.into()),
            },
        })
    }

    pub fn segment_type(&self) -> SegmentType {
        match self {
            Self::Initial(_) => SegmentType::Initial,
            Self::Status(_) => SegmentType::Status,
            Self::Heartbeat => SegmentType::Heartbeat,
            Self::SocketAction(_) => SegmentType::SocketAction,
            Self::Notification(_) => SegmentType::Notification,
            Self::Message(_) => SegmentType::AsyncMessage,
            Self::Answer(answer) => answer.segment_type,
            Self::Xa(reply) => reply.segment_type,
        }
    }

    /// Adds it to `output`; `control` besides first and last.
    pub fn write(&self, address: Address, control: ControlFlags, form: Form, output: &mut Output) {
        let envelope = Envelope::new(address, self.segment_type(), form).with(control);
        match self {
            Self::Message(message) => message.write(&envelope, output),
            _ => output.unit(&envelope, |writer| self.encode(writer)),
        }
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Initial(initial) => initial.encode(writer),
            Self::Status(status) => status.encode(writer),
            // A message has segments of its own shape and is written by `write`.
            Self::Heartbeat | Self::Message(_) => {}
            Self::SocketAction(action) => action.encode(writer),
            Self::Notification(notification) => notification.encode(writer),
            Self::Answer(answer) => answer.encode(writer),
            Self::Xa(reply) => reply.encode(writer),
        }
    }
}

impl Answer {
    /// API header alone: `request` is the type of the call. For calls whose structures could not be decoded.
    pub fn refused(request: SegmentType, reason: Reason) -> Self {
        Self {
            segment_type: request.reply().unwrap_or(request),
            ending: Ending::of(reason),
            handle: NO_HANDLE,
            body: None,
        }
    }

    fn decode(segment_type: SegmentType, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let header = ApiHeader::decode(reader)?;
        let ending = Ending { completion: header.completion, reason: header.reason };
        let body = if reader.is_empty() {
            None
        } else if ending.is_failed() {
            // What a failed call carries is of no use beyond its reason and may take any form.
            AnswerBody::decode(segment_type, ending, reader).unwrap_or(None)
        } else {
            AnswerBody::decode(segment_type, ending, reader)?
        };
        Ok(Self { segment_type, ending, handle: header.handle, body })
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        let Ending { completion, reason } = self.ending;
        ApiHeader { length: 0, completion, reason, handle: self.handle }.encode(writer);
        if let Some(body) = &self.body {
            body.encode(writer);
        }
    }
}

impl AnswerBody {
    fn decode(segment_type: SegmentType, ending: Ending, reader: &mut Reader<'_>) -> Result<Option<Self>, DecodeError> {
        Ok(Some(match segment_type {
            SegmentType::ConnectReply => Self::Connect(Connect::decode(reader)?),
            SegmentType::OpenReply => Self::Open(Open::decode(reader)?),
            SegmentType::CloseReply => Self::Close(Close::decode(reader)?),
            SegmentType::GetReply => Self::Get(GetReply::decode(reader)?),
            SegmentType::PutReply => Self::Put(PutReply::decode(reader)?),
            SegmentType::Put1Reply => Self::Put1(Put1Reply::decode(reader)?),
            SegmentType::InquireReply if ending.is_failed() => Self::InquireFailed(Inquire::decode(reader)?),
            SegmentType::InquireReply => Self::Inquire(Attributes::decode(reader)?),
            SegmentType::SpiReply => Self::Spi(SpiReply::decode(reader)?),
            SegmentType::StatReply => Self::Stat(Stat::decode(reader)?),
            SegmentType::SubscribeReply => Self::Subscribe(Subscribe::decode(reader)?),
            SegmentType::SubscriptionRequestReply => Self::SubscriptionRequest(SubscriptionRequest::decode(reader)?),
            _ => return Ok(None),
        }))
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Connect(connect) => connect.encode(writer),
            Self::Open(open) => open.encode(writer),
            Self::Close(close) => close.encode(writer),
            Self::Get(get) => get.encode(writer),
            Self::Put(put) => put.encode(writer),
            Self::Put1(put1) => put1.encode(writer),
            Self::Inquire(attributes) => attributes.encode(writer),
            Self::InquireFailed(inquire) => inquire.encode(writer),
            Self::Spi(spi) => spi.encode(writer),
            Self::Stat(stat) => stat.encode(writer),
            Self::Subscribe(subscribe) => subscribe.encode(writer),
            Self::SubscriptionRequest(request) => request.encode(writer),
        }
    }
}
