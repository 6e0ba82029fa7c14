//! A connection of a command that moves messages under syncpoint: over the administration socket, or through a channel.

use bytes::Bytes;
use channel_client::connection::{Connection, ObjectHandle};
use clap::Args;
use model::descriptor::{Ccsid, Encoding, MessageDescriptor};
use model::options::{
    CloseOptions, ConversionTarget, GetFlags, GetOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags,
    PutOptions,
};
use model::reason::Reason;
use std::io;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use super::Location;
use super::channel::{ChannelDoor, failed};
use super::exit_code::{FAILED, USAGE};
use super::failure::Failure;
use super::mqsc;
use super::remote::Remote;
use crate::administration::calls::{Call, decode, encode};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Request};

/// MQCA_DEAD_LETTER_Q_NAME.
const DEAD_LETTER_QUEUE: i32 = 2006;
/// Width of AlternateUserId in MQOD.
const LONGEST_ALTERNATE_USER: usize = 12;

/// How to reach the queue manager.
#[derive(Debug, Clone, Args)]
pub(super) struct Door {
    #[command(flatten)]
    pub(super) location: Location,
    #[command(flatten)]
    pub(super) remote: Remote,
    #[command(flatten)]
    pub(super) channel: ChannelDoor,
}

/// A message that was got or browsed.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) descriptor: MessageDescriptor,
    pub(super) body: Bytes,
    pub(super) warning: Option<Reason>,
}

/// An open queue.
#[derive(Debug, Clone, Copy)]
pub(super) enum Handle {
    Socket(u32),
    Channel(ObjectHandle),
}

pub(super) enum Session {
    Socket { client: Client, queue_manager: String, dead_letter_queue: String },
    Channel { runtime: tokio::runtime::Runtime, connection: Box<Connection> },
}

impl Session {
    /// # Errors
    /// The queue manager cannot be reached, or refuses the user.
    pub(super) fn connect(door: &Door, queue_manager: Option<&str>, user: Option<&str>) -> Result<Self, Failure> {
        if door.remote.is_given() {
            return Err(Failure::new(
                USAGE,
                "--url: REST has no units of work; use --channel, or the server's own machine",
            ));
        }
        if door.channel.is_given() {
            let (runtime, connection) = door.channel.connect(&door.remote, queue_manager, user)?;
            return Ok(Self::Channel { runtime, connection: Box::new(connection) });
        }
        let (mut client, name) = mqsc::connect(&door.location.directory(), queue_manager.unwrap_or_default())?;
        let request = Request::Connect { queue_manager: Some(name), application: "quaymaster".to_owned() };
        match client.ask(&request, &[])?.0 {
            Answer::Connected { queue_manager, dead_letter_queue } => {
                Ok(Self::Socket { client, queue_manager, dead_letter_queue })
            }
            _ => Err(ClientError::Unexpected.into()),
        }
    }

    pub(super) fn queue_manager(&self) -> String {
        match self {
            Self::Socket { queue_manager, .. } => queue_manager.clone(),
            Self::Channel { connection, .. } => connection.queue_manager().to_string(),
        }
    }

    /// Bytes of the longest name of an alternate user that this connection can send; `None` for any length.
    pub(super) fn longest_alternate_user(&self) -> Option<usize> {
        match self {
            Self::Socket { .. } => None,
            Self::Channel { .. } => Some(LONGEST_ALTERNATE_USER),
        }
    }

    /// Name of the dead-letter queue; empty when there is none.
    ///
    /// # Errors
    /// The user may not inquire the queue manager.
    pub(super) fn dead_letter_queue(&mut self) -> Result<String, Failure> {
        match self {
            Self::Socket { dead_letter_queue, .. } => Ok(dead_letter_queue.clone()),
            Self::Channel { runtime, connection } => runtime.block_on(async {
                let object = ObjectDescriptor { object: ObjectKind::QueueManager, ..ObjectDescriptor::default() };
                let handle =
                    connection.open(&object, OpenOptions::INQUIRE).await.map_err(|error| failed(&error))?.handle;
                let found =
                    connection.inquire(handle, &[DEAD_LETTER_QUEUE], 0, 48).await.map_err(|error| failed(&error))?;
                connection.close(handle, CloseOptions::empty()).await.map_err(|error| failed(&error))?;
                Ok(String::from_utf8_lossy(&found.characters).trim_end_matches([' ', '\0']).to_owned())
            }),
        }
    }

    /// # Errors
    /// The queue manager's reason.
    pub(super) fn open(&mut self, object: &ObjectDescriptor, options: OpenOptions) -> Result<Handle, Failure> {
        let options = options | OpenOptions::FAIL_IF_QUIESCING;
        match self {
            Self::Socket { client, .. } => {
                let call = Call::Open {
                    queue: object.name.to_string(),
                    queue_manager: object.queue_manager.to_string(),
                    alternate_user: object.alternate_user.clone(),
                    flags: options.bits(),
                };
                match client.ask(&Request::Call(call), &[])?.0 {
                    Answer::Opened { handle } => Ok(Handle::Socket(handle)),
                    _ => Err(ClientError::Unexpected.into()),
                }
            }
            Self::Channel { runtime, connection } => {
                let opened = runtime.block_on(connection.open(object, options));
                opened.map(|opened| Handle::Channel(opened.handle)).map_err(|error| failed(&error))
            }
        }
    }

    /// # Errors
    /// The connection broke.
    pub(super) fn close(&mut self, handle: Handle) -> Result<(), Failure> {
        match (self, handle) {
            (Self::Socket { client, .. }, Handle::Socket(handle)) => done(client, Call::Close { handle }),
            (Self::Channel { runtime, connection }, Handle::Channel(handle)) => {
                runtime.block_on(connection.close(handle, CloseOptions::empty())).map_err(|error| failed(&error))
            }
            _ => Err(foreign()),
        }
    }

    /// The next message, or `None` when there is none within `wait`.
    ///
    /// # Errors
    /// The queue manager's reason.
    pub(super) fn get(
        &mut self,
        handle: Handle,
        flags: GetFlags,
        wait: Duration,
        target: Option<(Ccsid, Encoding)>,
    ) -> Result<Option<Message>, Failure> {
        let mut flags = flags | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2;
        flags.set(GetFlags::WAIT, !wait.is_zero());
        flags.set(GetFlags::CONVERT, target.is_some());
        let got = match (self, handle) {
            (Self::Socket { client, .. }, Handle::Socket(handle)) => {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let target = target.map(|(ccsid, encoding)| (ccsid.0, encoding.0));
                let call = Call::Get { handle, flags: flags.bits(), wait_ms, target };
                client.ask(&Request::Call(call), &[]).map_err(Failure::from).and_then(|answer| match answer {
                    (Answer::Got { warning }, body) => {
                        let (descriptor, body) = decode(body).map_err(|error| Failure::new(FAILED, error))?;
                        Ok(Message { descriptor, body, warning: warning.and_then(Reason::from_number) })
                    }
                    _ => Err(ClientError::Unexpected.into()),
                })
            }
            (Self::Channel { runtime, connection }, Handle::Channel(handle)) => {
                let target = target.map(|(ccsid, encoding)| ConversionTarget { ccsid, encoding });
                let options = GetOptions { flags, wait: Some(wait), target, ..GetOptions::default() };
                let got = runtime.block_on(connection.get(handle, &options)).map_err(|error| failed(&error));
                got.map(|got| Message { descriptor: got.descriptor, body: got.body, warning: got.warning })
            }
            _ => Err(foreign()),
        };
        match got {
            Ok(message) => Ok(Some(message)),
            Err(failure) if failure.reason() == Some(Reason::NoMsgAvailable) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// # Errors
    /// The queue manager's reason.
    pub(super) fn put(
        &mut self,
        handle: Handle,
        descriptor: &MessageDescriptor,
        body: &Bytes,
        flags: PutFlags,
    ) -> Result<(), Failure> {
        let flags = flags | PutFlags::FAIL_IF_QUIESCING;
        match (self, handle) {
            (Self::Socket { client, .. }, Handle::Socket(handle)) => {
                let request = Request::Call(Call::Put { handle, flags: flags.bits() });
                match client.ask(&request, &encode(descriptor, body))?.0 {
                    Answer::Put { .. } => Ok(()),
                    _ => Err(ClientError::Unexpected.into()),
                }
            }
            (Self::Channel { runtime, connection }, Handle::Channel(handle)) => {
                let options = PutOptions { flags, context: None };
                let put = connection.put(handle, descriptor.clone(), &options, body.clone());
                runtime.block_on(put).map(drop).map_err(|error| failed(&error))
            }
            _ => Err(foreign()),
        }
    }

    /// Waits until a program ends. Meanwhile the connection answers its queue manager's heartbeats.
    ///
    /// # Errors
    /// The system cannot wait.
    pub(super) fn outlast(&self, mut program: Child) -> io::Result<ExitStatus> {
        match self {
            Self::Socket { .. } => program.wait(),
            Self::Channel { runtime, .. } => {
                runtime.block_on(async { tokio::task::spawn_blocking(move || program.wait()).await })?
            }
        }
    }

    /// # Errors
    /// Nothing of the unit of work has happened, or the connection broke and the outcome is unknown.
    pub(super) fn commit(&mut self) -> Result<(), Failure> {
        match self {
            Self::Socket { client, .. } => done(client, Call::Commit),
            Self::Channel { runtime, connection } => {
                runtime.block_on(connection.commit()).map_err(|error| failed(&error))
            }
        }
    }

    /// # Errors
    /// The connection broke; the queue manager then backs out by itself.
    pub(super) fn back_out(&mut self) -> Result<(), Failure> {
        match self {
            Self::Socket { client, .. } => done(client, Call::BackOut),
            Self::Channel { runtime, connection } => {
                runtime.block_on(connection.back_out()).map_err(|error| failed(&error))
            }
        }
    }
}

fn done(client: &mut Client, call: Call) -> Result<(), Failure> {
    match client.ask(&Request::Call(call), &[])?.0 {
        Answer::Done { .. } => Ok(()),
        _ => Err(ClientError::Unexpected.into()),
    }
}

fn foreign() -> Failure {
    Failure::new(FAILED, "a handle was used on a connection that it does not belong to")
}
