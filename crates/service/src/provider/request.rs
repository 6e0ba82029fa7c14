//! A request to a service, without HTTP's types.

use bytes::Bytes;

#[derive(Debug, Clone)]
pub struct ServiceRequest<'a> {
    pub method: Method,
    pub headers: Headers<'a>,
    pub body: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// The headers that a service looks at, as they came; `ibm-mq-` is left out of their names here.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headers<'a> {
    pub content_type: Option<&'a [u8]>,
    /// ibm-mq-md-msgID
    pub message_id: Option<&'a [u8]>,
    /// ibm-mq-md-correlID
    pub correlation_id: Option<&'a [u8]>,
    /// ibm-mq-md-persistence
    pub persistence: Option<&'a [u8]>,
    /// ibm-mq-md-expiry
    pub expiry: Option<&'a [u8]>,
    /// ibm-mq-gmo-waitInterval
    pub wait_interval: Option<&'a [u8]>,
    /// ibm-mq-pmo-retain
    pub retain: Option<&'a [u8]>,
    /// ibm-mq-usr
    pub user_properties: Option<&'a [u8]>,
}
