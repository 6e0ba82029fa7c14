//! The one thing a run's clients need of a server, whichever door leads to it.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Uri};

use crate::client::ClientError;
use crate::client::channel::{ChannelClient, ChannelOptions};
use crate::client::rest::{RestClient, RestOptions};

/// How a client reaches its queue.
#[derive(Clone)]
pub enum DoorOptions {
    Rest(RestOptions),
    Channel(ChannelOptions),
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
}

impl Door {
    /// # Errors
    /// Names that cannot stand in a path.
    pub(crate) fn new(options: &DoorOptions) -> Result<Self, ClientError> {
        Ok(match options {
            DoorOptions::Rest(options) => Self::Rest(Box::new(RestClient::new(options.clone())?)),
            DoorOptions::Channel(options) => Self::Channel(Box::new(ChannelClient::new(options.clone()))),
        })
    }

    /// Connects and shows who it is, if that is still to do.
    pub(crate) async fn ready(&mut self) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.ready().await,
            Self::Channel(client) => client.ready().await,
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
        }
    }

    pub(crate) async fn browse(&mut self) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => Ok(client.browse(None).await?.map(|message| message.body)),
            Self::Channel(client) => client.browse().await,
        }
    }

    /// A JSON request to a service, and its reply if there is one.
    pub(crate) async fn invoke(&mut self, path: &Uri, body: Bytes) -> Result<Option<Bytes>, ClientError> {
        match self {
            Self::Rest(client) => client.invoke(path, body).await,
            Self::Channel(_) => Err(ClientError::Target("a channel has no services".to_owned())),
        }
    }

    /// A request on a fixed path of a web server.
    pub(crate) async fn request(&mut self, method: Method, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        match self {
            Self::Rest(client) => client.request(method, path, body).await.map(drop),
            Self::Channel(_) => Err(ClientError::Target("a channel has no paths".to_owned())),
        }
    }
}
