//! Publishing: opening a topic for output and putting to it.

use bytes::Bytes;
use model::authority::Principal;
use model::descriptor::MessageDescriptor;
use model::name::TopicName;
use model::options::{ObjectDescriptor, OpenOptions, PutOptions};
use model::reason::Reason;

use crate::connection::PutResult;
use crate::connection_table::ConnectionState;
use crate::engine::Engine;
use crate::handle::Handle;

/// What publish/subscribe keeps in memory for one queue manager.
#[derive(Default)]
pub(crate) struct PublishSubscribe {}

impl PublishSubscribe {
    /// Topic or subscription definitions changed, or were loaded at start.
    pub(crate) fn definitions_changed(&self, _engine: &Engine) {}
}

/// A topic opened for output.
#[expect(dead_code, reason = "read when a publication finds its topic")]
pub(crate) struct OpenTopic {
    /// The topic object; blank when only a topic string was named.
    pub(crate) topic: TopicName,
    pub(crate) topic_string: String,
}

/// Resolves topic object and topic string and checks +pub.
pub(crate) fn open(
    _engine: &Engine,
    _caller: &Principal,
    _object: &ObjectDescriptor,
    _options: OpenOptions,
) -> Result<OpenTopic, Reason> {
    Err(Reason::UnknownObjectName)
}

/// Publishes one message. `handle` is absent for put1.
pub(crate) async fn publish(
    _engine: &Engine,
    _state: &ConnectionState,
    _caller: &Principal,
    _handle: Option<&Handle>,
    _topic: &OpenTopic,
    _descriptor: MessageDescriptor,
    _options: &PutOptions,
    _body: Bytes,
) -> Result<PutResult, Reason> {
    Err(Reason::UnknownObjectName)
}
