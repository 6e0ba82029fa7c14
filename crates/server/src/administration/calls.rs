//! Calls of an application over the administration socket, for commands that move messages under syncpoint.
//!
//! A client connects to a queue manager, then makes one call after another. A message travels as the body of a frame: its MQMD
//! of version 2 with the high byte first, then its data. What is not committed when the client goes away is backed out.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use model::descriptor::{Ccsid, Encoding, MessageDescriptor};
use model::descriptor_codec::{self, Version};
use model::name::{ObjectName, QueueManagerName};
use model::options::{
    CloseOptions, ConversionTarget, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;
use queue_manager::Connection;
use queue_manager::connection::ObjectHandle;
use serde::{Deserialize, Serialize};

use super::message::describe;
use super::server::Peer;
use super::{Answer, Refusal, RefusalKind, Request, verbs};
use crate::serve::Server;

/// One call. Flags are the published ones.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Call {
    Open {
        queue: String,
        queue_manager: String,
        alternate_user: String,
        flags: u32,
    },
    Close {
        handle: u32,
    },
    Put {
        handle: u32,
        flags: u32,
    },
    Get {
        handle: u32,
        flags: u32,
        wait_ms: u64,
        /// CCSID and encoding to convert to, with the flag for it.
        target: Option<(i32, i32)>,
    },
    Commit,
    BackOut,
}

/// MQMD and data as one body.
pub(crate) fn encode(descriptor: &MessageDescriptor, data: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(descriptor_codec::VERSION_2_LENGTH + data.len());
    descriptor_codec::encode(descriptor, Version::Two, Encoding::BIG_ENDIAN, &mut body);
    body.extend_from_slice(data);
    body
}

/// # Errors
/// The body does not begin with an MQMD.
pub(crate) fn decode(body: Vec<u8>) -> Result<(MessageDescriptor, Bytes), String> {
    let (descriptor, length) =
        descriptor_codec::decode(&body, Encoding::BIG_ENDIAN).map_err(|error| error.to_string())?;
    Ok((descriptor, Bytes::from(body).slice(length..)))
}

/// Serves the calls of one client until it goes away.
pub(super) async fn serve(
    server: &Server,
    peer: &mut Peer,
    name: Option<&str>,
    application: &str,
) -> io::Result<Result<(), Refusal>> {
    let manager = match server.queue_manager(name) {
        Ok(manager) => manager,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let connection = match verbs::connect_as(server, &manager, application) {
        Ok(connection) => connection,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let dead_letter_queue = manager.definition().dead_letter_queue.to_string();
    let queue_manager = manager.name().to_string();
    peer.send(&Answer::Connected { queue_manager, dead_letter_queue }, &[]).await?;
    while let Some((request, body)) = peer.receive().await? {
        let Request::Call(call) = request else {
            let refusal = Refusal::new(RefusalKind::Invalid, "only calls are expected on this connection");
            return Ok(Err(refusal));
        };
        let answered = if matches!(call, Call::Get { .. }) {
            // A get that waits ends with its client. Every other call is brought to its end.
            tokio::select! {
                answered = answer(server, &connection, call, body) => answered,
                () = peer.gone() => return Ok(Ok(())),
            }
        } else {
            answer(server, &connection, call, body).await
        };
        match answered {
            Ok((answer, body)) => peer.send(&answer, &body).await?,
            Err(refusal) => peer.send(&Answer::Refused(refusal), &[]).await?,
        }
    }
    Ok(Ok(()))
}

async fn answer(
    server: &Server,
    connection: &Connection,
    call: Call,
    body: Vec<u8>,
) -> Result<(Answer, Vec<u8>), Refusal> {
    let done = || (Answer::Done { notes: Vec::new() }, Vec::new());
    match call {
        Call::Open { queue, queue_manager, alternate_user, flags } => {
            let wrong = |error: model::name::NameError| Refusal::new(RefusalKind::Invalid, error.to_string());
            let object = ObjectDescriptor {
                name: ObjectName::parse(&queue).map_err(wrong)?,
                queue_manager: QueueManagerName::parse(&queue_manager).map_err(wrong)?,
                alternate_user,
                ..ObjectDescriptor::default()
            };
            let opened = connection
                .open(server.administrator(), &object, OpenOptions::from_bits_retain(flags))
                .await
                .map_err(|reason| refused("open", &queue, reason))?;
            Ok((Answer::Opened { handle: opened.handle.0 }, Vec::new()))
        }
        Call::Close { handle } => {
            connection
                .close(ObjectHandle(handle), CloseOptions::empty())
                .await
                .map_err(|reason| refused("close", "the queue", reason))?;
            Ok(done())
        }
        Call::Put { handle, flags } => {
            let (descriptor, data) = decode(body).map_err(|error| Refusal::new(RefusalKind::Invalid, error))?;
            let options = PutOptions { flags: PutFlags::from_bits_retain(flags), context: None };
            let put = connection
                .put(ObjectHandle(handle), descriptor, &options, data)
                .await
                .map_err(|reason| refused("put to", "the queue", reason))?;
            let warning = put.warning.map(describe);
            Ok((Answer::Put { message_id: put.message.descriptor.message_id.to_string(), warning }, Vec::new()))
        }
        Call::Get { handle, flags, wait_ms, target } => {
            let options = GetOptions {
                flags: GetFlags::from_bits_retain(flags),
                wait: Some(Duration::from_millis(wait_ms)),
                target: target
                    .map(|(ccsid, encoding)| ConversionTarget { ccsid: Ccsid(ccsid), encoding: Encoding(encoding) }),
                ..GetOptions::default()
            };
            let got = connection
                .get(ObjectHandle(handle), &options)
                .await
                .map_err(|reason| refused("get from", "the queue", reason))?;
            let warning = got.warning.map(Reason::number);
            Ok((Answer::Got { warning }, encode(&got.descriptor, &got.body)))
        }
        Call::Commit => {
            connection.commit().await.map_err(|reason| refused("commit", "the unit of work", reason))?;
            Ok(done())
        }
        Call::BackOut => {
            connection.back_out().await.map_err(|reason| refused("back out", "the unit of work", reason))?;
            Ok(done())
        }
    }
}

fn refused(action: &str, object: &str, reason: Reason) -> Refusal {
    verbs::refused(action, object, reason)
}
