//! The first exchange of a socket: INITIAL out, INITIAL or a refusal in.
//!
//! FAP level 12 is offered: at 13 and above a password without TLS would have to be protected by an algorithm that is not
//! published. What the queue manager answers beyond the offer is a breach and ends the socket.

use std::time::Duration;

use bytes::{Buf, BytesMut};
use channel_protocol::assembly::Unit;
use channel_protocol::cursor::Reader;
use channel_protocol::error::ProtocolError;
use channel_protocol::flow::initial::Initial;
use channel_protocol::flow::status::{Status, StatusCode};
use channel_protocol::form::Form;
use channel_protocol::negotiate::{self, Accepted, ClientOffer};
use channel_protocol::output::{Envelope, Output};
use channel_protocol::segment::{Address, ControlFlags, Framer, Segment, SegmentType};
use model::reason::Reason;
use model::text::Text;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::error::ChannelError;
use crate::options::ConnectOptions;
use crate::stream::Stream;

/// How this end writes.
pub(crate) const OWN_FORM: Form = Form::BIG;
/// Largest segment that is offered, in bytes: what other clients offer.
const MAXIMUM_SEGMENT: u32 = 32_748;
/// A queue manager that marks fields in error is offered its own values for them this often.
const MOST_ROUNDS: usize = 3;
/// `MQMM` would be the queue manager's; twelve characters, product and version.
const PRODUCT: &str = "MQQC00010000";

/// What both ends have agreed on.
#[derive(Debug, Clone)]
pub(crate) struct Negotiated {
    /// With its header, in bytes.
    pub(crate) maximum_segment: usize,
    /// In bytes.
    pub(crate) maximum_message_length: u32,
    /// SHARECNV; 0: one conversation and plain headers.
    pub(crate) sharing_conversations: u32,
    /// Zero for none.
    pub(crate) heartbeat_interval: Duration,
    /// Tells this queue manager from every other.
    pub(crate) queue_manager_identifier: Text<48>,
}

/// Exchanges INITIAL; also what came behind the answer.
///
/// # Errors
/// The socket ends, the answer cannot be understood, or the channel is refused.
pub(crate) async fn exchange(
    stream: &mut Stream,
    options: &ConnectOptions,
) -> Result<(Negotiated, BytesMut), ChannelError> {
    let mut own = offer(options).initial();
    own.process = [std::process::id(), 1, 1];
    let mut input = BytesMut::with_capacity(1024);
    for _ in 0..MOST_ROUNDS {
        let answer = ask(stream, &own, &mut input).await?;
        match negotiate::accept(&own, &answer).map_err(garbled)? {
            Accepted::Agreed(agreed) => return Ok((Negotiated::of(&agreed, &answer), input)),
            Accepted::Again(again) => own = again,
        }
    }
    Err(ChannelError::ChannelRefused { reason: Reason::ChannelConfigError })
}

/// One INITIAL and the queue manager's.
async fn ask(stream: &mut Stream, own: &Initial, input: &mut BytesMut) -> Result<Initial, ChannelError> {
    let mut output = Output::new(MAXIMUM_SEGMENT as usize);
    let envelope = Envelope::new(Address::Plain, SegmentType::Initial, OWN_FORM).with(ControlFlags::CONFIRM);
    output.unit(&envelope, |writer| own.encode(writer));
    while output.has_remaining() {
        stream.write_buf(&mut output).await.map_err(lost)?;
    }
    stream.flush().await.map_err(lost)?;
    let segment = next_segment(stream, input).await?;
    let (body, form) = (segment.body, segment.header.form);
    match segment.header.segment_type {
        SegmentType::Initial => Initial::decode(&mut Reader::new("INITIAL", &body, form)).map_err(garbled),
        SegmentType::Status => {
            let status = Status::decode(&mut Reader::new("STATUS", &body, form)).map_err(garbled)?;
            Err(ChannelError::ChannelRefused { reason: refusal(status) })
        }
        other => Err(ChannelError::broken(format!("INITIAL was answered with a segment of type {other:?}"))),
    }
}

async fn next_segment(stream: &mut Stream, input: &mut BytesMut) -> Result<Segment, ChannelError> {
    let framer = Framer::new(MAXIMUM_SEGMENT as usize);
    loop {
        if let Some(segment) = framer.next(input).map_err(garbled)? {
            return Ok(segment);
        }
        if stream.read_buf(input).await.map_err(lost)? == 0 {
            return Err(ChannelError::broken("the socket was closed before the channel began"));
        }
    }
}

fn lost(error: std::io::Error) -> ChannelError {
    ChannelError::broken(error.to_string())
}

fn garbled(error: ProtocolError) -> ChannelError {
    ChannelError::broken(error.to_string())
}

fn offer(options: &ConnectOptions) -> ClientOffer {
    ClientOffer {
        channel: Text::new(options.channel.as_str()),
        queue_manager: Text::new(options.wanted_queue_manager()),
        maximum_transmission: MAXIMUM_SEGMENT,
        maximum_message: options.maximum_message_length,
        heartbeat_interval: u32::try_from(options.heartbeat_interval.as_secs()).unwrap_or(u32::MAX),
        conversations: options.sharing_conversations,
        product: Text::new(PRODUCT),
        nonce: rand::random(),
    }
}

impl Negotiated {
    fn of(agreed: &negotiate::Negotiated, answer: &Initial) -> Self {
        Self {
            maximum_segment: agreed.maximum_transmission as usize,
            maximum_message_length: agreed.maximum_message,
            sharing_conversations: agreed.conversations,
            heartbeat_interval: Duration::from_secs(u64::from(agreed.heartbeat_interval)),
            queue_manager_identifier: answer.queue_manager_identifier,
        }
    }
}

/// Why a socket-wide STATUS ends the channel.
pub(crate) fn ended_by(unit: &Unit) -> ChannelError {
    match Status::decode(&mut Reader::new("STATUS", &unit.body, unit.form)) {
        Ok(Status { code: Some(code), .. }) => {
            ChannelError::broken(format!("the queue manager ended the channel with status {:#04x}", code.0))
        }
        Ok(_) => ChannelError::broken("the queue manager ended the channel"),
        Err(error) => ChannelError::broken(error.to_string()),
    }
}

/// The reason of a refused INITIAL. Source: reference, section 11 (C).
fn refusal(status: Status) -> Reason {
    match status.code.unwrap_or(StatusCode::OK) {
        StatusCode::NO_SUCH_CHANNEL => Reason::UnknownChannelName,
        StatusCode::WRONG_CHANNEL_TYPE
        | StatusCode::SEGMENT_TYPE
        | StatusCode::SEGMENT_LENGTH
        | StatusCode::DATA
        | StatusCode::SEGMENT
        | StatusCode::IDENTIFIER
        | StatusCode::PROTOCOL
        | StatusCode::DATA_LENGTH => Reason::ChannelConfigError,
        StatusCode::CHANNEL_UNAVAILABLE | StatusCode::CLOSED_BY_EXIT => Reason::ChannelNotAvailable,
        StatusCode::CIPHER | StatusCode::PEER_NAME | StatusCode::TLS_REFRESHING => Reason::SslInitializationError,
        StatusCode::STANDBY => Reason::StandbyQMgr,
        _ => Reason::QMgrNotAvailable,
    }
}
