//! Rows of channel authentication records and of channel status.
//!
//! Sources: MQ reference, "DISPLAY CHLAUTH", "DISPLAY CHSTATUS", 9.3.

use std::sync::Arc;

use model::definition::attribute::{self, JsonWord, Value, ValueType, View, Word, date_text, time_text};
use model::definition::channel::ChannelType;
use model::definition::channel_authentication::{MapKey, Rule, UserSource};
use model::definition::{AdministeredObject, ChannelAuthentication};
use model::timestamp::Timestamp;
use queue_manager::channel_status::{ChannelDisposition, ChannelState, ChannelStatus};
use queue_manager::started::StartedStatus;

use super::{NUMBER, Row, TEXT, When, of_members, optional, row, word_of};

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

/// CHLTYPE as MQSC spells it.
pub(crate) const fn type_word(channel_type: ChannelType) -> &'static str {
    match channel_type {
        ChannelType::Sender => "SDR",
        ChannelType::Server => "SVR",
        ChannelType::Receiver => "RCVR",
        ChannelType::Requester => "RQSTR",
        ChannelType::ClientConnection => "CLNTCONN",
        ChannelType::ServerConnection => "SVRCONN",
        ChannelType::ClusterReceiver => "CLUSRCVR",
        ChannelType::ClusterSender => "CLUSSDR",
        ChannelType::Amqp => "AMQP",
    }
}

pub(crate) const fn state_word(state: ChannelState) -> &'static str {
    match state {
        ChannelState::Starting => "STARTING",
        ChannelState::Binding => "BINDING",
        ChannelState::Initializing => "INITIALIZING",
        ChannelState::Running => "RUNNING",
        ChannelState::Stopping => "STOPPING",
        ChannelState::Retrying => "RETRYING",
        ChannelState::Paused => "PAUSED",
        ChannelState::Stopped => "STOPPED",
        ChannelState::Requesting => "REQUESTING",
        ChannelState::Switching => "SWITCHING",
    }
}

/// CURRENT stands alone: status that is saved is never shown here.
static CURRENT: [Word; 2] = [
    Word { mqsc: "CURRENT", synonyms: &[], code: 1, json: JsonWord::None },
    Word { mqsc: "SAVED", synonyms: &[], code: 0, json: JsonWord::None },
];

fn count(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn date(moment: Option<Timestamp>) -> Value {
    Value::Text(moment.map(date_text).unwrap_or_default())
}

fn time(moment: Option<Timestamp>) -> Value {
    Value::Text(moment.map(time_text).unwrap_or_default())
}

pub(crate) static STATUS: &[Row<ChannelStatus>] = &[
    row("CHANNEL", TEXT, When::Always, |c| Value::from(c.instance.channel.as_str())),
    row("CHLTYPE", TEXT, When::Always, |c| Value::from(c.instance.channel_type)),
    of_members("CHLDISP", TEXT, When::Always, |c| text(c.instance.disposition.mqsc())),
    row("BUFSRCVD", NUMBER, When::Asked, |c| count(c.buffers_received)),
    row("BUFSSENT", NUMBER, When::Asked, |c| count(c.buffers_sent)),
    row("BYTSRCVD", NUMBER, When::Asked, |c| count(c.bytes_received)),
    row("BYTSSENT", NUMBER, When::Asked, |c| count(c.bytes_sent)),
    row("CHSTADA", ValueType::Date, When::Asked, |c| date(c.started)),
    row("CHSTATI", ValueType::Time, When::Asked, |c| time(c.started)),
    row("CONNAME", TEXT, When::Always, |c| Value::from(c.instance.connection_name.as_str())),
    row("CURRENT", ValueType::Flag(&CURRENT), When::Always, |_| Value::Integer(1)),
    row("CURSHCNV", NUMBER, When::Asked, |c| count(c.sharing_conversations)),
    row("HBINT", NUMBER, When::Asked, |c| c.instance.heartbeat_interval_s.into()),
    row("JOBNAME", TEXT, When::Asked, |_| Value::Text(format!("{:08X}00000000", std::process::id()))),
    row("LOCLADDR", TEXT, When::Asked, |c| Value::from(c.instance.local_address.as_str())),
    row("LSTMSGDA", ValueType::Date, When::Asked, |c| date(c.last_message)),
    row("LSTMSGTI", ValueType::Time, When::Asked, |c| time(c.last_message)),
    row("MAXMSGL", NUMBER, When::Asked, |c| c.instance.maximum_message_length.into()),
    row("MAXSHCNV", NUMBER, When::Asked, |c| c.instance.maximum_sharing_conversations.into()),
    row("MCASTAT", TEXT, When::Asked, |c| {
        Value::from(if c.instance.state == ChannelState::Stopped { "NOT RUNNING" } else { "RUNNING" })
    }),
    row("MCAUSER", TEXT, When::Asked, |c| Value::from(c.instance.user.as_str())),
    row("MONCHL", TEXT, When::Asked, |_| Value::from("OFF")),
    row("MSGS", NUMBER, When::Asked, |c| count(c.messages)),
    of_members("QMNAME", TEXT, When::Asked, |c| text(c.queue_manager.as_str())),
    row("RAPPLTAG", TEXT, When::Asked, |c| Value::from(c.instance.remote_application.as_str())),
    row("RPRODUCT", TEXT, When::Asked, |c| Value::from(c.instance.remote_product.as_str())),
    row("RQMNAME", TEXT, When::Asked, |c| Value::from(c.instance.remote_queue_manager.as_str())),
    row("RVERSION", TEXT, When::Asked, |c| Value::from(c.instance.remote_version.as_str())),
    row("SECPROT", TEXT, When::Asked, |c| {
        let protocol = c.instance.security_protocol.as_str();
        Value::from(if protocol.is_empty() { "NONE" } else { protocol })
    }),
    row("SSLCERTI", TEXT, When::Asked, |c| Value::from(c.instance.certificate_issuer.as_str())),
    row("SSLCIPH", TEXT, When::Asked, |c| Value::from(c.instance.cipher.as_str())),
    row("SSLPEER", TEXT, When::Asked, |c| Value::from(c.instance.certificate_subject.as_str())),
    row("STATCHL", TEXT, When::Asked, |_| Value::from("OFF")),
    row("STATUS", TEXT, When::Always, |c| Value::from(state_word(c.instance.state))),
    row("STOPREQ", TEXT, When::Asked, |c| word_of(c.stop_requested)),
    row("SUBSTATE", TEXT, When::Always, |c| Value::from(c.instance.substate)),
    row("XMITQ", TEXT, When::Asked, |c| Value::from(c.instance.transmission_queue.as_str())),
];

/// A listener or service that runs, with what its definition says.
pub(crate) struct StartedView {
    pub(crate) status: StartedStatus,
    pub(crate) definition: Option<Arc<AdministeredObject>>,
}

impl StartedView {
    /// An attribute of the definition, as DISPLAY shows it.
    fn defined(&self, keyword: &str) -> Value {
        let Some(definition) = &self.definition else { return Value::from("") };
        let view = View::Object(definition);
        let row = attribute::find(view.kind(), keyword);
        let value = row.and_then(|row| Some(row.value.word_or_text(&(row.read)(view)?)));
        Value::Text(value.unwrap_or_default())
    }
}

/// INDISP of a listener.
const fn inbound_word(disposition: ChannelDisposition) -> &'static str {
    match disposition {
        ChannelDisposition::Private => "QMGR",
        ChannelDisposition::Shared => "GROUP",
    }
}

const fn started_state(status: &StartedStatus) -> &'static str {
    if status.is_stopping { "STOPPING" } else { "RUNNING" }
}

pub(crate) static LISTENER: &[Row<StartedView>] = &[
    row("LISTENER", TEXT, When::Always, |l| Value::from(l.status.started.name.as_str())),
    row("STATUS", TEXT, When::Always, |l| Value::from(started_state(&l.status))),
    row("PID", NUMBER, When::Always, |l| l.status.started.process_id.into()),
    row("STARTDA", ValueType::Date, When::Asked, |l| Value::Text(date_text(l.status.since))),
    row("STARTTI", ValueType::Time, When::Asked, |l| Value::Text(time_text(l.status.since))),
    row("DESCR", TEXT, When::Asked, |l| l.defined("DESCR")),
    row("TRPTYPE", TEXT, When::Asked, |_| Value::from("TCP")),
    row("CONTROL", TEXT, When::Asked, |l| l.defined("CONTROL")),
    row("IPADDR", TEXT, When::Asked, |l| Value::from(l.status.started.address.as_str())),
    row("PORT", NUMBER, When::Asked, |l| u32::from(l.status.started.port).into()),
    row("BACKLOG", NUMBER, When::Asked, |l| l.status.started.backlog.into()),
    of_members("INDISP", TEXT, When::Asked, |l| text(inbound_word(l.status.started.disposition))),
];

pub(crate) static SERVICE: &[Row<StartedView>] = &[
    row("SERVICE", TEXT, When::Always, |s| Value::from(s.status.started.name.as_str())),
    row("STATUS", TEXT, When::Always, |s| Value::from(started_state(&s.status))),
    row("PID", NUMBER, When::Always, |s| s.status.started.process_id.into()),
    row("SERVTYPE", TEXT, When::Asked, |s| s.defined("SERVTYPE")),
    row("STARTDA", ValueType::Date, When::Asked, |s| Value::Text(date_text(s.status.since))),
    row("STARTTI", ValueType::Time, When::Asked, |s| Value::Text(time_text(s.status.since))),
    row("CONTROL", TEXT, When::Asked, |s| s.defined("CONTROL")),
    row("DESCR", TEXT, When::Asked, |s| s.defined("DESCR")),
    row("STARTCMD", TEXT, When::Asked, |s| s.defined("STARTCMD")),
    row("STARTARG", TEXT, When::Asked, |s| s.defined("STARTARG")),
    row("STOPCMD", TEXT, When::Asked, |s| s.defined("STOPCMD")),
    row("STOPARG", TEXT, When::Asked, |s| s.defined("STOPARG")),
    row("STDOUT", TEXT, When::Asked, |s| s.defined("STDOUT")),
    row("STDERR", TEXT, When::Asked, |s| s.defined("STDERR")),
];
