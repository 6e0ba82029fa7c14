//! The one thing a run's clients need of a server, whichever door leads to it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Uri};

use crate::client::ClientError;
use crate::client::channel::{ChannelClient, ChannelOptions};
use crate::client::habits::Habits;
use crate::client::program::{CallOutcome, Pool, PoolOptions, ProgramClient};
use crate::client::rest::{RestClient, RestOptions};
use crate::plan::{Choices, Processes, Span};

/// How a client reaches its queue.
#[derive(Clone)]
pub enum DoorOptions {
    Rest(RestOptions, Habits),
    Channel(ChannelOptions),
    /// By programs that call API requesters.
    Program(PoolOptions),
}

impl DoorOptions {
    /// Are replies sent to a queue of each client's own?
    pub(crate) fn streams(&self) -> bool {
        matches!(self, Self::Channel(options) if options.streaming)
    }

    /// Where the first connection goes.
    ///
    /// # Errors
    /// A host without an address, or programs, which connect by themselves.
    pub(crate) fn address(&self) -> Result<SocketAddr, ClientError> {
        match self {
            Self::Rest(options, _) => Ok(options.target.address()),
            Self::Channel(options) => options.address(),
            Self::Program(_) => Err(ClientError::Mismatch("programs connect by themselves")),
        }
    }

    /// The same by another address, if there is one.
    ///
    /// # Errors
    /// TLS options that cannot be used.
    pub(crate) fn through(&self, address: Option<SocketAddr>) -> Result<Self, ClientError> {
        Ok(match (self, address) {
            (Self::Rest(options, habits), Some(address)) => {
                let target = options.target.clone().through(address);
                Self::Rest(RestOptions { target, ..options.clone() }, *habits)
            }
            (Self::Channel(options), Some(address)) => Self::Channel(options.through(address)?),
            (other, _) => other.clone(),
        })
    }

    /// The choices that this came of, where they are not seen otherwise.
    pub(crate) fn settled(&self) -> Choices {
        match self {
            Self::Rest(options, habits) => Choices {
                url: Some(options.target.url().to_owned()),
                queue_manager: Some(options.queue_manager.clone()),
                queue: Some(options.queue.clone()),
                reply_queue: options.reply_queue.clone(),
                persistent: Some(options.persistent),
                connection: Some(habits.connection),
                timeout: Some(Span(options.answer_limit)),
                ..Choices::default()
            },
            Self::Channel(options) => Choices {
                mq: Some(options.client.options().connections.to_string()),
                queue: Some(options.queue.to_string()),
                reply_queue: options.reply_queue.map(|name| name.to_string()),
                persistent: Some(options.persistent),
                timeout: Some(Span(options.answer_limit)),
                ..Choices::default()
            },
            Self::Program(options) => Choices {
                processes: Some(Processes::Count(options.processes)),
                timeout: Some(Span(options.answer_limit)),
                ..Choices::default()
            },
        }
    }
}

pub(crate) enum Door {
    Rest(Box<RestClient>),
    Channel(Box<ChannelClient>),
    Program(ProgramClient),
    /// A process of the driver has one for each transaction.
    Elsewhere,
}

impl Door {
    /// `pool` has the processes of the thread that the client will live on, where there are any.
    ///
    /// # Errors
    /// Names that cannot be in a path.
    pub(crate) fn new(options: &DoorOptions, pool: Option<&Arc<Pool>>) -> Result<Self, ClientError> {
        Ok(match options {
            DoorOptions::Rest(options, habits) => Self::Rest(Box::new(RestClient::with(options.clone(), *habits)?)),
            DoorOptions::Channel(options) => Self::Channel(Box::new(ChannelClient::new(options.clone()))),
            DoorOptions::Program(_) => Self::Program(ProgramClient::new(Arc::clone(pool.ok_or(NO_PROGRAMS)?))),
        })
    }

    /// Forgets what does not outlast a transaction.
    pub(crate) fn begin_transaction(&mut self) {
        if let Self::Rest(client) = self {
            client.begin_transaction();
        }
    }

    /// Undoes what is to be done anew by the next transaction; what belongs to the transaction, as MQDISC does.
    pub(crate) async fn end_transaction(&mut self) -> Result<(), ClientError> {
        match self {
            Self::Channel(client) => client.end_transaction().await,
            Self::Rest(_) | Self::Program(_) | Self::Elsewhere => Ok(()),
        }
    }

    /// Bytes of content received so far.
    pub(crate) fn received(&self) -> u64 {
        match self {
            Self::Rest(client) => client.received(),
            Self::Channel(client) => client.received(),
            Self::Program(_) | Self::Elsewhere => 0,
        }
    }

    /// Connects and shows who it is, if that is still to do.
    pub(crate) async fn ready(&mut self) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.ready().await,
            Self::Channel(client) => client.ready().await,
            Self::Program(client) => client.ready(),
            Self::Elsewhere => Ok(()),
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
            Self::Program(_) | Self::Elsewhere => Err(NO_QUEUES),
        }
    }

    /// By which identifier the message just put, or its reply, is got; `None` when the server told none.
    pub(crate) fn selector(&self, hex: &str) -> Option<String> {
        match self {
            Self::Rest(client) if client.awaits_replies() => client.awaited().map(str::to_owned),
            _ => Some(hex.to_owned()),
        }
    }

    /// Whether `selector` is known only to the client that put the message.
    pub(crate) fn has_selectors_of_its_own(&self) -> bool {
        matches!(self, Self::Rest(client) if client.awaits_replies())
    }

    /// The body of the next message, or of the one that this identifier selects.
    pub(crate) async fn get(
        &mut self,
        selector: Option<&str>,
        wait: Option<Duration>,
    ) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => Ok(client.get(selector, wait).await?.map(|message| message.body)),
            Self::Channel(client) => client.get(selector, wait).await,
            Self::Program(_) | Self::Elsewhere => Err(NO_QUEUES),
        }
    }

    /// Takes the request that `hex` names back from where it was put. True when it was there.
    pub(crate) async fn take_back(&mut self, hex: &str) -> Result<bool, ClientError> {
        match self {
            Self::Rest(client) => Ok(client.take_back(hex).await?.is_some()),
            Self::Channel(client) => Ok(client.take_back(hex).await?.is_some()),
            Self::Program(_) | Self::Elsewhere => Err(NO_QUEUES),
        }
    }

    pub(crate) async fn browse(&mut self) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => Ok(client.browse(None).await?.map(|message| message.body)),
            Self::Channel(client) => client.browse().await,
            Self::Program(_) | Self::Elsewhere => Err(NO_QUEUES),
        }
    }

    /// A request to a service, and its reply if there is one.
    pub(crate) async fn invoke(
        &mut self,
        path: &Uri,
        content_type: HeaderValue,
        body: Bytes,
    ) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => client.invoke(path, content_type, body).await,
            Self::Channel(_) | Self::Program(_) | Self::Elsewhere => {
                Err(ClientError::Mismatch("only REST has services"))
            }
        }
    }

    /// Gets an administrative resource.
    pub(crate) async fn inquire(&mut self, path: &Uri) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.inquire(path).await.map(drop),
            Self::Channel(_) | Self::Program(_) | Self::Elsewhere => Err(NO_PATHS),
        }
    }

    /// Posts JSON to an administrative resource.
    pub(crate) async fn post(&mut self, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.post(path, body).await,
            Self::Channel(_) | Self::Program(_) | Self::Elsewhere => Err(NO_PATHS),
        }
    }

    /// Changes an administrative resource.
    pub(crate) async fn patch(&mut self, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.patch(path, body).await,
            Self::Channel(_) | Self::Program(_) | Self::Elsewhere => Err(NO_PATHS),
        }
    }

    /// Has a program call an API requester with these counts.
    pub(crate) async fn call(&mut self, count_in: u64, count_out: u64) -> Result<CallOutcome, ClientError> {
        match self {
            Self::Program(client) => client.call(count_in, count_out).await,
            Self::Rest(_) | Self::Channel(_) | Self::Elsewhere => Err(NO_PROGRAMS),
        }
    }

    /// A request on a fixed path of a web server.
    pub(crate) async fn request(&mut self, method: Method, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.request(method, path, body).await.map(drop),
            Self::Channel(_) | Self::Program(_) | Self::Elsewhere => Err(NO_PATHS),
        }
    }
}

const NO_PATHS: ClientError = ClientError::Mismatch("only REST has paths");
const NO_QUEUES: ClientError = ClientError::Mismatch("programs have no queues");
const NO_PROGRAMS: ClientError = ClientError::Mismatch("there are no programs that call");
