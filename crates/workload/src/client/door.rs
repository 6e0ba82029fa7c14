//! The one thing a run's clients need of a server, whichever door leads to it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Uri};

use crate::client::ClientError;
use crate::client::channel::{ChannelClient, ChannelOptions};
use crate::client::program::{CallOutcome, Pool, PoolOptions, ProgramClient};
use crate::client::rest::{RestClient, RestOptions};

/// How a client reaches its queue.
#[derive(Clone)]
pub enum DoorOptions {
    Rest(RestOptions),
    Channel(ChannelOptions),
    /// By programs that call API requesters.
    Program(PoolOptions),
}

impl DoorOptions {
    /// Are replies sent to a queue of each client's own?
    pub(crate) fn streams(&self) -> bool {
        matches!(self, Self::Channel(options) if options.streaming)
    }
}

pub(crate) enum Door {
    Rest(Box<RestClient>),
    Channel(Box<ChannelClient>),
    Program(ProgramClient),
}

impl Door {
    /// `pool` has the processes of the thread that the client will live on, where there are any.
    ///
    /// # Errors
    /// Names that cannot stand in a path.
    pub(crate) fn new(options: &DoorOptions, pool: Option<&Arc<Pool>>) -> Result<Self, ClientError> {
        Ok(match options {
            DoorOptions::Rest(options) => Self::Rest(Box::new(RestClient::new(options.clone())?)),
            DoorOptions::Channel(options) => Self::Channel(Box::new(ChannelClient::new(options.clone()))),
            DoorOptions::Program(_) => Self::Program(ProgramClient::new(Arc::clone(pool.ok_or(NO_PROGRAMS)?))),
        })
    }

    /// Connects and shows who it is, if that is still to do.
    pub(crate) async fn ready(&mut self) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.ready().await,
            Self::Channel(client) => client.ready().await,
            Self::Program(client) => client.ready(),
        }
    }

    /// Puts one message that `hex` names.
    pub(crate) async fn put(&mut self, body: Bytes, hex: &str) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => {
                let id = HeaderValue::from_str(hex).map_err(|error| ClientError::Target(error.to_string()))?;
                client.put(body, Some(id)).await.map(drop)
            }
            Self::Channel(client) => client.put(body, hex).await,
            Self::Program(_) => Err(NO_QUEUES),
        }
    }

    /// The body of the next message, or of the one `hex` names.
    pub(crate) async fn get(
        &mut self,
        hex: Option<&str>,
        wait: Option<Duration>,
    ) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => {
                let message = match client.awaits_replies() {
                    true => client.get_reply(wait).await?,
                    false => client.get(hex, wait).await?,
                };
                Ok(message.map(|message| message.body))
            }
            Self::Channel(client) => client.get(hex, wait).await,
            Self::Program(_) => Err(NO_QUEUES),
        }
    }

    pub(crate) async fn browse(&mut self) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => Ok(client.browse(None).await?.map(|message| message.body)),
            Self::Channel(client) => client.browse().await,
            Self::Program(_) => Err(NO_QUEUES),
        }
    }

    /// A JSON request to a service, and its reply if there is one.
    pub(crate) async fn invoke(&mut self, path: &Uri, body: Bytes) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => client.invoke(path, body).await,
            Self::Channel(_) | Self::Program(_) => Err(ClientError::Mismatch("only REST has services")),
        }
    }

    /// Has a program call an API requester with these counts.
    pub(crate) async fn call(&mut self, count_in: u64, count_out: u64) -> Result<CallOutcome, ClientError> {
        match self {
            Self::Program(client) => client.call(count_in, count_out).await,
            Self::Rest(_) | Self::Channel(_) => Err(NO_PROGRAMS),
        }
    }

    /// A request on a fixed path of a web server.
    pub(crate) async fn request(&mut self, method: Method, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.request(method, path, body).await.map(drop),
            Self::Channel(_) | Self::Program(_) => Err(ClientError::Mismatch("only REST has paths")),
        }
    }
}

const NO_QUEUES: ClientError = ClientError::Mismatch("programs have no queues");
const NO_PROGRAMS: ClientError = ClientError::Mismatch("there are no programs that call");
