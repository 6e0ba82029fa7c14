//! Commands about topic strings and publish/subscribe, typed.

use crate::command::Request;

/// Which subscriptions DISPLAY SBSTATUS is about.
#[derive(Debug, Clone)]
pub struct SubscriptionStatusQuery {
    pub of: SubscriptionOf,
    /// DURABLE(YES) or DURABLE(NO); `None` for both.
    pub durable: Option<bool>,
    pub kind: SubscriptionKind,
    pub request: Request,
}

#[derive(Debug, Clone)]
pub enum SubscriptionOf {
    /// A name, perhaps generic; `*` also means those without one.
    Name(crate::command::Pattern),
    /// Hexadecimal digits of the identifier, in upper case.
    Identifier(String),
}

/// SUBTYPE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionKind {
    All,
    /// Made by programs or by administrators.
    User,
    Administrator,
    Api,
    Proxy,
}

#[derive(Debug, Clone)]
pub struct TopicStatusQuery {
    /// With `#` and `+` as wildcards.
    pub topic_string: String,
    pub of: TopicStatusOf,
    pub request: Request,
}

/// TYPE of DISPLAY TPSTATUS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicStatusOf {
    Topic,
    Publishers,
    Subscribers,
}
