//! A message: its descriptor and its body, the bytes exactly as the application put them.

use bytes::Bytes;

use crate::descriptor::MessageDescriptor;

/// What a queue holds. Message properties, when there are any, lie in the body as an MQRFH2 header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    pub descriptor: MessageDescriptor,
    pub body: Bytes,
}
