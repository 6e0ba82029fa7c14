//! Commands about topic strings and publish/subscribe, typed.

use std::fmt;

use model::definition::SubscriptionDefinition;
use model::definition::subscription::MadeBy;

use crate::command::Request;

/// DISPLAY SUB.
#[derive(Debug, Clone)]
pub struct SubscriptionQuery {
    pub which: SubscriptionSelection,
    /// DISTYPE(DEFINED): topic object and string as DEFINE was given them, rather than the whole string.
    pub as_defined: bool,
    pub request: Request,
}

/// DISPLAY SBSTATUS.
#[derive(Debug, Clone)]
pub struct SubscriptionStatusQuery {
    pub which: SubscriptionSelection,
    pub request: Request,
}

/// Which subscriptions are meant.
#[derive(Debug, Clone)]
pub struct SubscriptionSelection {
    pub of: SubscriptionOf,
    /// DURABLE(YES) or DURABLE(NO); `None` for both.
    pub durable: Option<bool>,
    pub kind: SubscriptionKind,
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

impl SubscriptionSelection {
    pub fn matches(&self, definition: &SubscriptionDefinition) -> bool {
        let is_it = match &self.of {
            SubscriptionOf::Name(name) => name.matches(&definition.name),
            SubscriptionOf::Identifier(identifier) => {
                definition.identifier.to_string().eq_ignore_ascii_case(identifier)
            }
        };
        let is_kind = match self.kind {
            SubscriptionKind::All => true,
            SubscriptionKind::User => definition.made_by != MadeBy::Proxy,
            SubscriptionKind::Administrator => definition.made_by == MadeBy::Administrator,
            SubscriptionKind::Api => definition.made_by == MadeBy::Api,
            SubscriptionKind::Proxy => definition.made_by == MadeBy::Proxy,
        };
        is_it && is_kind && self.durable.is_none_or(|durable| definition.durable == durable)
    }
}

impl fmt::Display for SubscriptionOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "{name}"),
            Self::Identifier(identifier) => f.write_str(identifier),
        }
    }
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
