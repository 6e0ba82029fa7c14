//! The list of channel instances that run, by channel and then in order of starting.

use model::authority::AuthorityObject;
use model::name::ObjectName;
use queue_manager::channel_status::{ChannelInstance, ChannelStatus};

use super::Sight;
use super::column::{Kind, columns};
use super::gathered::Gathered;
use super::page;
use super::query::Query;
use super::value::Value;

const STATES: &[&str] = &[
    "starting",
    "binding",
    "initializing",
    "running",
    "stopping",
    "retrying",
    "paused",
    "stopped",
    "requesting",
    "switching",
];

const DISPOSITIONS: &[&str] = &["private", "shared"];

columns! {
    CHANNEL "channel" Kind::Text, "Name of the channel." .searched();
    STATE "state" Kind::Word(STATES), "STATUS.";
    ADDRESS "address" Kind::Text, "Address of the partner." .searched();
    USER "user" Kind::Text, "User that the instance runs as." .searched();
    APPLICATION "application" Kind::Text, "Name of the program." .searched();
    SINCE "since" Kind::Moment, "When it started.";
    CONVERSATIONS "conversations" Kind::Number, "Conversations that share it.";
    MESSAGES "messages" Kind::Number, "Messages and calls that went through.";
    BYTES_IN "bytesIn" Kind::Number, "Bytes received.";
    BYTES_OUT "bytesOut" Kind::Number, "Bytes sent.";
    LAST "last" Kind::Moment, "The last message or call.";
    CIPHER "cipher" Kind::Text, "CipherSpec of the connection. `null`: without TLS.";
    PROTOCOL "protocol" Kind::Text, "TLS version of the connection. `null`: without TLS.";
    SUBJECT "subject" Kind::Text, "Distinguished name of the partner's certificate. `null`: it has shown none." .searched();
    ISSUER "issuer" Kind::Text, "Distinguished name of the issuer of that certificate.";
    CLIENT "client" Kind::Text, "Product and version of the partner, as it says." .searched();
    STOPPING "stopping" Kind::Truth, "It was asked to end.";
    HEARTBEAT "heartbeat" Kind::Number, "Seconds between heartbeats; 0: none." .on_request();
    LOCAL_ADDRESS "localAddress" Kind::Text, "Address and port of this end." .on_request();
    DISPOSITION "disposition" Kind::Word(DISPOSITIONS), "`shared`: the client called the queue-sharing group. `private`: the queue manager." .on_request();
}

struct Listed {
    status: ChannelStatus,
    client: String,
}

/// A page of the instances of channels that the viewer may display, as JSON.
pub(super) fn page(sight: Sight<'_>, query: &Query) -> Vec<u8> {
    let is_visible = |status: &ChannelStatus| {
        let name = ObjectName::parse(&status.instance.channel);
        name.is_ok_and(|name| sight.may_display(AuthorityObject::Channel, &name))
    };
    let visible = sight.queue_manager.channel_statuses().into_iter().filter(is_visible);
    let listed = visible.map(|status| Listed { client: client(&status.instance), status }).collect();
    page::page(&Gathered::new(listed, read), query)
}

/// Product and version of a partner.
pub(super) fn client(instance: &ChannelInstance) -> String {
    format!("{} {}", instance.remote_product, instance.remote_version).trim().to_owned()
}

fn read(listed: &Listed, column: usize) -> Value<'_> {
    let (status, instance) = (&listed.status, &listed.status.instance);
    match column {
        CHANNEL => Value::Text(&instance.channel),
        STATE => Value::Text(instance.state.word()),
        ADDRESS => Value::text(&instance.connection_name),
        USER => Value::text(&instance.user),
        APPLICATION => Value::text(&instance.remote_application),
        SINCE => Value::moment(status.started),
        CONVERSATIONS => Value::Number(status.sharing_conversations),
        MESSAGES => Value::Number(status.messages),
        BYTES_IN => Value::Number(status.bytes_received),
        BYTES_OUT => Value::Number(status.bytes_sent),
        LAST => Value::moment(status.last_message),
        CIPHER => Value::text(&instance.cipher),
        PROTOCOL => Value::text(&instance.security_protocol),
        SUBJECT => Value::text(&instance.certificate_subject),
        ISSUER => Value::text(&instance.certificate_issuer),
        CLIENT => Value::text(&listed.client),
        STOPPING => Value::Truth(status.stop_requested),
        HEARTBEAT => Value::number(instance.heartbeat_interval_s),
        LOCAL_ADDRESS => Value::text(&instance.local_address),
        DISPOSITION => Value::Text(instance.disposition.word()),
        _ => Value::Null,
    }
}
