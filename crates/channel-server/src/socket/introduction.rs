//! The first exchange on a socket: the partner names its channel, admission finds it, both ends agree on sizes.
//!
//! One exchange is enough: what is answered lies within what the partner offered. This end writes numbers in the order
//! of the partner's first segment, so that what a reply repeats of a request is repeated byte for byte.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::cursor::Reader;
use channel_protocol::error::ProtocolError;
use channel_protocol::flow::initial::Initial;
use channel_protocol::flow::status::{self, Status};
use channel_protocol::form::Form;
use channel_protocol::negotiate::{ServerOffer, answer};
use channel_protocol::output::{Envelope, Output};
use channel_protocol::segment::{Address, ControlFlags, Segment, SegmentType};
use model::text::Text;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use crate::admission::{Admission, Introduction, Peer, StatusCode, Terms};
use crate::jobs::Spawner;
use crate::shared::{Negotiated, Shared};
use crate::socket::input::Input;
use crate::socket::{FAREWELL, Introduced};

/// Longest segment this end takes and sends, in bytes; a partner may ask for less.
pub(super) const MAXIMUM_TRANSMISSION: u32 = 1 << 20;
/// Room for the structures and strings of a call beside its message, in bytes.
const STRUCTURES: usize = 64 * 1024;
/// Split calls under way at once on one socket.
const OPEN_UNITS: usize = 256;
/// Product and version this end says it is: `MM` a queue manager, then the version whose interfaces are followed.
const PRODUCT: &str = "MQMM09040200";

/// Reads the first segment and answers it. `None`: the socket is of no use.
pub(super) async fn introduce<S>(
    stream: &mut S,
    input: &mut Input,
    peer: Peer,
    admission: Arc<dyn Admission>,
    jobs: Spawner,
) -> Option<Introduced>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let address = peer.address;
    let segment = match tokio::time::timeout(peer.patience, first_segment(stream, input)).await {
        Ok(Ok(Some(segment))) => segment,
        Ok(Ok(None)) => return None,
        Ok(Err(error)) => {
            tracing::info!(%address, %error, "a connection does not speak the channel protocol");
            refuse(stream, Form::BIG, StatusCode(error.status().0)).await;
            return None;
        }
        Err(_) => {
            tracing::debug!(%address, "a partner did not send its first segment in time");
            return None;
        }
    };
    // Answered as it is asked, so that no partner has to convert.
    let form = segment.header.form;
    match agree(&segment, form, peer, admission, jobs) {
        Ok((introduced, mut output, maximum)) => {
            input.set_maximum(maximum);
            let written = async {
                stream.write_all_buf(&mut output).await?;
                stream.flush().await
            };
            match written.await {
                Ok(()) => Some(introduced),
                Err(error) => {
                    tracing::debug!(%address, %error, "a partner was gone before it was answered");
                    None
                }
            }
        }
        Err(code) => {
            refuse(stream, form, code).await;
            None
        }
    }
}

/// `None`: the partner went without a word.
async fn first_segment<S>(stream: &mut S, input: &mut Input) -> Result<Option<Segment>, ProtocolError>
where
    S: AsyncRead + Unpin,
{
    loop {
        if let Some(segment) = input.next()? {
            return Ok(Some(segment));
        }
        let count: io::Result<usize> = poll_fn(|context| input.poll_fill(stream, context)).await;
        if matches!(count, Ok(0) | Err(_)) {
            return Ok(None);
        }
    }
}

/// Finds the channel and settles the terms.
fn agree(
    segment: &Segment,
    form: Form,
    peer: Peer,
    admission: Arc<dyn Admission>,
    jobs: Spawner,
) -> Result<(Introduced, Output, usize), StatusCode> {
    let header = &segment.header;
    if header.segment_type != SegmentType::Initial || header.address != Address::Plain {
        let error = ProtocolError::Unexpected { segment_type: header.segment_type.number() };
        return Err(StatusCode(error.status().0));
    }
    let broken = |error: ProtocolError| {
        tracing::info!(address = %peer.address, %error, "a client sent a wrong first segment");
        StatusCode(error.status().0)
    };
    let unit = Unit {
        address: header.address,
        segment_type: header.segment_type,
        control: header.control,
        form: header.form,
        body: segment.body.clone(),
    };
    let client = Initial::decode(&mut Reader::new("INITIAL", &unit.body, unit.form)).map_err(broken)?;
    let introduction = Introduction {
        channel: client.channel.to_text().into_owned(),
        queue_manager: client.queue_manager.to_text().into_owned(),
        product: client.product.to_text().into_owned(),
    };
    let terms = admission.begin(&peer, &introduction)?;
    let (reply, agreed) = answer(&client, &offer(&terms, &peer)).map_err(broken)?;
    let negotiated = Negotiated {
        sharing_conversations: agreed.conversations,
        maximum_message: agreed.maximum_message as usize,
        heartbeat: Duration::from_secs(u64::from(agreed.heartbeat_interval)),
    };
    terms.status.update(|instance| {
        instance.heartbeat_interval_s = agreed.heartbeat_interval;
        instance.maximum_message_length = agreed.maximum_message;
        instance.maximum_sharing_conversations = agreed.conversations;
    });
    let maximum = agreed.maximum_transmission as usize;
    let unit = negotiated.maximum_message.saturating_add(STRUCTURES);
    let limits = Limits { unit, open: OPEN_UNITS, buffered: unit.saturating_mul(2) };
    let mut output = Output::new(maximum);
    output.unit(&Envelope::new(Address::Plain, SegmentType::Initial, form), |writer| reply.encode(writer));
    let shared = Shared::new(
        Arc::new(terms),
        peer,
        introduction.product,
        negotiated,
        form,
        admission,
        jobs,
        Output::new(maximum),
    );
    Ok((Introduced { shared: Arc::new(shared), assembler: Assembler::new(limits) }, output, maximum))
}

fn offer(terms: &Terms, peer: &Peer) -> ServerOffer {
    let definition = terms.queue_manager.definition();
    ServerOffer {
        protected: peer.tls.is_some(),
        maximum_transmission: MAXIMUM_TRANSMISSION,
        maximum_message: terms.maximum_message_length,
        heartbeat_interval: u32::try_from(terms.heartbeat.as_secs()).unwrap_or(u32::MAX),
        conversations: terms.sharing_conversations,
        queue_manager: Text::from_bytes(terms.queue_manager.name().padded()),
        queue_manager_identifier: Text::new(&definition.identifier),
        product: Text::new(PRODUCT),
        nonce: rand::random(),
    }
}

/// Says why the channel does not start.
async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, form: Form, code: StatusCode) {
    let mut output = Output::new(MAXIMUM_TRANSMISSION as usize);
    let status = Status::new(status::StatusCode(code.0));
    let envelope = Envelope::new(Address::Plain, SegmentType::Status, form)
        .with(ControlFlags::ERROR | ControlFlags::CLOSE_CHANNEL);
    output.unit(&envelope, |writer| status.encode(writer));
    let farewell = async {
        stream.write_all_buf(&mut output).await?;
        stream.shutdown().await?;
        // What is left unread when a socket is closed makes the system withdraw what was written.
        tokio::io::copy(stream, &mut tokio::io::sink()).await
    };
    // A partner that does not listen misses nothing but the reason.
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
}
