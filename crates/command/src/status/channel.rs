//! Rows of channel authentication records and of channel status.
//!
//! Sources: MQ reference, "DISPLAY CHLAUTH", "DISPLAY CHSTATUS", 9.3.

use model::definition::ChannelAuthentication;
use model::definition::attribute::{Value, ValueType, date_text, time_text};
use model::definition::channel_authentication::{MapKey, Rule, UserSource};

use super::{Row, TEXT, When, optional, row, word_of};

fn map_key(record: &ChannelAuthentication) -> Option<&MapKey> {
    match &record.rule {
        Rule::Map { key, .. } => Some(key),
        Rule::BlockUser { .. } | Rule::BlockAddress { .. } => None,
    }
}

fn source(record: &ChannelAuthentication) -> Option<&UserSource> {
    match &record.rule {
        Rule::Map { source, .. } => Some(source),
        Rule::BlockUser { .. } | Rule::BlockAddress { .. } => None,
    }
}

fn text(text: &str) -> Option<Value> {
    Some(Value::from(text))
}

pub(crate) static AUTHENTICATION: &[Row<ChannelAuthentication>] = &[
    row("CHLAUTH", TEXT, When::Always, |r| Value::from(r.profile.as_str())),
    row("TYPE", TEXT, When::Always, |r| Value::from(r.rule.rule_type().word())),
    row("DESCR", TEXT, When::Asked, |r| Value::from(r.description.as_str())),
    row("CUSTOM", TEXT, When::Asked, |r| Value::from(r.custom.as_str())),
    optional("USERLIST", ValueType::List, When::Usual, |r| match &r.rule {
        Rule::BlockUser { users } => Some(Value::List(users.clone())),
        Rule::BlockAddress { .. } | Rule::Map { .. } => None,
    }),
    optional("ADDRLIST", ValueType::List, When::Usual, |r| match &r.rule {
        Rule::BlockAddress { addresses } => Some(Value::List(addresses.clone())),
        Rule::BlockUser { .. } | Rule::Map { .. } => None,
    }),
    optional("SSLPEER", TEXT, When::Usual, |r| match map_key(r)? {
        MapKey::Peer { subject, .. } => text(subject),
        MapKey::Address | MapKey::ClientUser(_) | MapKey::QueueManager(_) => None,
    }),
    optional("SSLCERTI", TEXT, When::Usual, |r| match map_key(r)? {
        MapKey::Peer { issuer, .. } => text(issuer),
        MapKey::Address | MapKey::ClientUser(_) | MapKey::QueueManager(_) => None,
    }),
    optional("CLNTUSER", TEXT, When::Usual, |r| match map_key(r)? {
        MapKey::ClientUser(user) => text(user),
        MapKey::Address | MapKey::Peer { .. } | MapKey::QueueManager(_) => None,
    }),
    optional("QMNAME", TEXT, When::Usual, |r| match map_key(r)? {
        MapKey::QueueManager(name) => text(name),
        MapKey::Address | MapKey::Peer { .. } | MapKey::ClientUser(_) => None,
    }),
    optional("ADDRESS", TEXT, When::Usual, |r| match &r.rule {
        Rule::Map { address, .. } => text(address),
        Rule::BlockUser { .. } | Rule::BlockAddress { .. } => None,
    }),
    optional("MCAUSER", TEXT, When::Usual, |r| match source(r)? {
        UserSource::Map(user) => text(user),
        UserSource::NoAccess | UserSource::Channel => None,
    }),
    optional("USERSRC", TEXT, When::Usual, |r| {
        text(match source(r)? {
            UserSource::Map(_) => "MAP",
            UserSource::NoAccess => "NOACCESS",
            UserSource::Channel => "CHANNEL",
        })
    }),
    optional("CHCKCLNT", TEXT, When::Asked, |r| match &r.rule {
        Rule::Map { key: MapKey::QueueManager(_), .. } | Rule::Map { source: UserSource::NoAccess, .. } => None,
        Rule::Map { check_client, .. } => text(check_client.word()),
        Rule::BlockUser { .. } | Rule::BlockAddress { .. } => None,
    }),
    row("WARN", TEXT, When::Asked, |r| word_of(r.warn)),
    row("ALTDATE", ValueType::Date, When::Asked, |r| Value::Text(date_text(r.history.altered))),
    row("ALTTIME", ValueType::Time, When::Asked, |r| Value::Text(time_text(r.history.altered))),
];
