//! All that a client sends: decoded at the server end, encoded at the client end.

use model::reason::Reason;

use crate::assembly::Unit;
use crate::cursor::{Reader, Writer};
use crate::error::{DecodeError, ProtocolError};
use crate::flow::call::{ApiHeader, Ending, NO_HANDLE};
use crate::flow::connect::Connect;
use crate::flow::consume::{Notification, RequestMessages};
use crate::flow::get::{Get, GetReply};
use crate::flow::identify::{Credentials, UserId};
use crate::flow::initial::Initial;
use crate::flow::inquire::{Attributes, Inquire};
use crate::flow::open::{Close, Open};
use crate::flow::put::{Put, Put1, Put1Reply, PutReply};
use crate::flow::socket::SocketAction;
use crate::flow::spi::{Spi, SpiInput, SpiOutput};
use crate::flow::stat::Stat;
use crate::flow::status::Status;
use crate::flow::subscribe::{Subscribe, SubscriptionRequest};
use crate::flow::xa::XaRequest;
use crate::form::Form;
use crate::output::{Envelope, Output};
use crate::reply::{Answer, AnswerBody};
use crate::segment::{Address, ControlFlags, SegmentType};

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "lives on the stack for one call; boxing would allocate for each one")]
pub enum Request {
    Initial(Initial),
    UserId(UserId),
    Credentials(Credentials),
    Status(Status),
    /// To be answered when its unit asks for confirmation.
    Heartbeat,
    SocketAction(SocketAction),
    RequestMessages(RequestMessages),
    Notification(Notification),
    Call(Call),
    Xa(XaRequest),
}

/// A verb of the MQI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// How long the reply may be, header included; 0 when encoding: the length of the call itself.
    pub reply_length: u32,
    /// Of the object; 0 or -1 when there is none.
    pub handle: i32,
    pub verb: Verb,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "lives on the stack for one call; boxing would allocate for each one")]
pub enum Verb {
    Connect(Connect),
    Disconnect,
    Open(Open),
    Close(Close),
    Get(Get),
    Put(Put),
    Put1(Put1),
    Set(Attributes),
    Inquire(Inquire),
    Commit,
    BackOut,
    Spi(Spi),
    Stat(Stat),
    Subscribe(Subscribe),
    SubscriptionRequest(SubscriptionRequest),
}

impl Request {
    /// # Errors
    /// A protocol error, among them a type that no client sends; or the reason with which the call alone is refused
    /// (`Answer::refused`).
    pub fn decode(unit: &Unit) -> Result<Self, DecodeError> {
        let reader = &mut Reader::new("segment", &unit.body, unit.form);
        Ok(match unit.segment_type {
            SegmentType::Initial => Self::Initial(Initial::decode(reader)?),
            SegmentType::UserId => Self::UserId(UserId::decode(reader)?),
            SegmentType::ConnectionAuthentication => Self::Credentials(Credentials::decode(reader)?),
            SegmentType::Status => Self::Status(Status::decode(reader)?),
            SegmentType::Heartbeat => Self::Heartbeat,
            SegmentType::SocketAction => Self::SocketAction(SocketAction::decode(reader)?),
            SegmentType::RequestMessages => Self::RequestMessages(RequestMessages::decode(reader)?),
            SegmentType::Notification => Self::Notification(Notification::decode(reader)?),
            other => match other.number() {
                0x81..=0x8F => Self::Call(Call::decode(other, reader)?),
                _ => match XaRequest::decode(other, reader)? {
                    Some(request) => Self::Xa(request),
                    None => return Err(ProtocolError::Unexpected { segment_type: other.number() }.into()),
                },
            },
        })
    }

    pub fn segment_type(&self) -> SegmentType {
        match self {
            Self::Initial(_) => SegmentType::Initial,
            Self::UserId(_) => SegmentType::UserId,
            Self::Credentials(_) => SegmentType::ConnectionAuthentication,
            Self::Status(_) => SegmentType::Status,
            Self::Heartbeat => SegmentType::Heartbeat,
            Self::SocketAction(_) => SegmentType::SocketAction,
            Self::RequestMessages(_) => SegmentType::RequestMessages,
            Self::Notification(_) => SegmentType::Notification,
            Self::Call(call) => call.verb.segment_type(),
            Self::Xa(xa) => xa.verb.segment_type(),
        }
    }

    /// Adds it to `output`; `control` besides first and last.
    pub fn write(&self, address: Address, control: ControlFlags, form: Form, output: &mut Output) {
        let envelope = Envelope::new(address, self.segment_type(), form).with(control);
        output.unit(&envelope, |writer| self.encode(writer));
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Initial(initial) => initial.encode(writer),
            Self::UserId(user) => user.encode(writer),
            Self::Credentials(credentials) => credentials.encode(writer),
            Self::Status(status) => status.encode(writer),
            Self::Heartbeat => {}
            Self::SocketAction(action) => action.encode(writer),
            Self::RequestMessages(request) => request.encode(writer),
            Self::Notification(notification) => notification.encode(writer),
            Self::Call(call) => call.encode(writer),
            Self::Xa(xa) => xa.encode(writer),
        }
    }
}

impl Call {
    fn decode(segment_type: SegmentType, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let header = ApiHeader::decode(reader)?;
        let verb = match segment_type {
            SegmentType::Connect => Verb::Connect(Connect::decode(reader)?),
            SegmentType::Disconnect => Verb::Disconnect,
            SegmentType::Open => Verb::Open(Open::decode(reader)?),
            SegmentType::Close => Verb::Close(Close::decode(reader)?),
            SegmentType::Get => Verb::Get(Get::decode(reader)?),
            SegmentType::Put => Verb::Put(Put::decode(reader)?),
            SegmentType::Put1 => Verb::Put1(Put1::decode(reader)?),
            SegmentType::Set => Verb::Set(Attributes::decode(reader)?),
            SegmentType::Inquire => Verb::Inquire(Inquire::decode(reader)?),
            SegmentType::Commit => Verb::Commit,
            SegmentType::BackOut => Verb::BackOut,
            SegmentType::Spi => Verb::Spi(Spi::decode(reader)?),
            SegmentType::Stat => Verb::Stat(Stat::decode(reader)?),
            SegmentType::Subscribe => Verb::Subscribe(Subscribe::decode(reader)?),
            SegmentType::SubscriptionRequest => Verb::SubscriptionRequest(SubscriptionRequest::decode(reader)?),
            other => return Err(ProtocolError::Unexpected { segment_type: other.number() }.into()),
        };
        Ok(Self { reply_length: header.length, handle: header.handle, verb })
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        ApiHeader { length: self.reply_length, completion: 0, reason: 0, handle: self.handle }.encode(writer);
        match &self.verb {
            Verb::Disconnect | Verb::Commit | Verb::BackOut => {}
            Verb::Connect(connect) => connect.encode(writer),
            Verb::Open(open) => open.encode(writer),
            Verb::Close(close) => close.encode(writer),
            Verb::Get(get) => get.encode(writer),
            Verb::Put(put) => put.encode(writer),
            Verb::Put1(put1) => put1.encode(writer),
            Verb::Set(attributes) => attributes.encode(writer),
            Verb::Inquire(inquire) => inquire.encode(writer),
            Verb::Spi(spi) => spi.encode(writer),
            Verb::Stat(stat) => stat.encode(writer),
            Verb::Subscribe(subscribe) => subscribe.encode(writer),
            Verb::SubscriptionRequest(request) => request.encode(writer),
        }
    }

    /// The reply to a failed call: its own structures again, without their strings.
    pub fn failed(self, ending: Ending) -> Answer {
        let segment_type = self.verb.segment_type();
        let body = match self.verb {
            Verb::Disconnect | Verb::Commit | Verb::BackOut | Verb::Set(_) => None,
            Verb::Connect(connect) => Some(AnswerBody::Connect(connect)),
            Verb::Open(open) => Some(AnswerBody::Open(Open { object: open.object.without_strings(), ..open })),
            Verb::Close(close) => Some(AnswerBody::Close(close)),
            Verb::Get(get) => Some(AnswerBody::Get(GetReply {
                descriptor: get.descriptor,
                options: get.options,
                length: get.buffer_length,
                data: bytes::Bytes::new(),
            })),
            Verb::Put(put) => Some(AnswerBody::Put(PutReply { descriptor: put.descriptor, options: put.options })),
            Verb::Put1(put1) => Some(AnswerBody::Put1(Put1Reply {
                object: put1.object.without_strings(),
                put: PutReply { descriptor: put1.put.descriptor, options: put1.put.options },
            })),
            Verb::Inquire(inquire) => Some(AnswerBody::InquireFailed(inquire)),
            Verb::Spi(spi) => spi_failed(spi).map(AnswerBody::Spi),
            Verb::Stat(stat) => Some(AnswerBody::Stat(stat)),
            Verb::Subscribe(subscribe) => Some(AnswerBody::Subscribe(Subscribe {
                subscription: subscribe.subscription.without_strings(),
                ..subscribe
            })),
            Verb::SubscriptionRequest(request) => Some(AnswerBody::SubscriptionRequest(request)),
        };
        Answer { segment_type: segment_type.reply().unwrap_or(segment_type), ending, handle: self.handle, body }
    }

    /// `failed` with a reason and its usual completion code.
    pub fn refused(self, reason: Reason) -> Answer {
        self.failed(Ending::of(reason))
    }
}

fn spi_failed(spi: Spi) -> Option<crate::flow::spi::SpiReply> {
    let output = match &spi.input {
        SpiInput::Query => SpiOutput::Query(Vec::new()),
        SpiInput::Put(put) => SpiOutput::Put(Box::new(put.put.clone())),
        SpiInput::Open(open) => {
            let mut open = open.clone();
            open.object = open.object.without_strings();
            SpiOutput::Open(open)
        }
        SpiInput::Subscribe(subscribe) => {
            let mut subscribe = subscribe.clone();
            subscribe.subscription = subscribe.subscription.without_strings();
            SpiOutput::Subscribe(subscribe)
        }
        SpiInput::Reserve(_) | SpiInput::Other(_) => return None,
    };
    Some(spi.reply(output))
}

impl Verb {
    pub fn segment_type(&self) -> SegmentType {
        match self {
            Self::Connect(_) => SegmentType::Connect,
            Self::Disconnect => SegmentType::Disconnect,
            Self::Open(_) => SegmentType::Open,
            Self::Close(_) => SegmentType::Close,
            Self::Get(_) => SegmentType::Get,
            Self::Put(_) => SegmentType::Put,
            Self::Put1(_) => SegmentType::Put1,
            Self::Set(_) => SegmentType::Set,
            Self::Inquire(_) => SegmentType::Inquire,
            Self::Commit => SegmentType::Commit,
            Self::BackOut => SegmentType::BackOut,
            Self::Spi(_) => SegmentType::Spi,
            Self::Stat(_) => SegmentType::Stat,
            Self::Subscribe(_) => SegmentType::Subscribe,
            Self::SubscriptionRequest(_) => SegmentType::SubscriptionRequest,
        }
    }

    /// A call of this verb without an object; `reply_length` is its own.
    pub fn call(self) -> Call {
        self.call_on(NO_HANDLE)
    }

    pub fn call_on(self, handle: i32) -> Call {
        Call { reply_length: 0, handle, verb: self }
    }
}
