//! The list of channels that are defined, in order of names, with what has gone through them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::authority::AuthorityObject;
use model::definition::AdministeredObject;
use model::definition::channel::{ChannelDefinition, ChannelType};
use queue_manager::channel_status::ChannelTotals;

use super::Sight;
use super::column::{Kind, columns};
use super::gathered::Gathered;
use super::page;
use super::query::Query;
use super::value::Value;

pub(super) const TYPES: &[&str] = &[
    "serverConnection",
    "clientConnection",
    "sender",
    "server",
    "receiver",
    "requester",
    "clusterSender",
    "clusterReceiver",
    "amqp",
];
const STATES: &[&str] = &["running", "stopping", "stopped", "inactive"];

columns! {
    NAME "name" Kind::Text, "Name of the channel." .searched();
    TYPE "type" Kind::Word(TYPES), "CHLTYPE.";
    STATE "state" Kind::Word(STATES), "`stopped`: no instance may start. `stopping`: instances of a stopped channel still run. Client connections have none.";
    INSTANCES "instances" Kind::Number, "Instances that run." .percent_of("full");
    MAXIMUM "max" Kind::Number, "MAXINST of a server-connection channel.";
    MESSAGES "messages" Kind::Number, "Messages and calls that went through since the server started.";
    BYTES_IN "bytesIn" Kind::Number, "Bytes received since the server started.";
    BYTES_OUT "bytesOut" Kind::Number, "Bytes sent since the server started.";
    CIPHER "cipher" Kind::Text, "SSLCIPH. `null`: the channel does not ask for TLS.";
    DESCRIPTION "description" Kind::Text, "DESCR." .searched();
    FULL "full" Kind::Tenths, "Instances in percent of the maximum." .on_request();
    CONVERSATIONS "conversations" Kind::Number, "Conversations on the instances that run." .on_request();
    SYSTEM "system" Kind::Truth, "The name begins with SYSTEM." .on_request();
    ALTERED "altered" Kind::Moment, "When the definition was last changed." .on_request();
}

struct Listed {
    object: Arc<AdministeredObject>,
    name: model::name::ChannelName,
    totals: ChannelTotals,
    is_stopped: bool,
}

/// A page of the channels that the viewer may display, as JSON.
pub(super) fn page(sight: Sight<'_>, query: &Query) -> Vec<u8> {
    let totals: BTreeMap<String, ChannelTotals> = sight.queue_manager.channel_totals();
    let stopped: BTreeSet<String> =
        sight.queue_manager.stopped_channels().into_iter().map(|stopped| stopped.channel).collect();
    let listed = |object: Arc<AdministeredObject>| {
        let name = object.name();
        let totals = totals.get(name.as_str()).copied().unwrap_or_default();
        Listed { is_stopped: stopped.contains(name.as_str()), object, name, totals }
    };
    let all = sight.queue_manager.objects(AuthorityObject::Channel).into_iter();
    let visible = all.filter(|object| sight.may_display(AuthorityObject::Channel, &object.name()));
    page::page(&Gathered::new(visible.map(listed).collect(), read).in_order_of(NAME), query)
}

fn read(channel: &Listed, column: usize) -> Value<'_> {
    let totals = &channel.totals;
    let Some(definition) = channel.object.as_channel() else { return Value::Null };
    match column {
        NAME => Value::Text(channel.name.as_str()),
        TYPE => Value::Text(type_word(definition.channel_type)),
        STATE => state(channel, definition),
        INSTANCES => Value::Number(totals.instances),
        MAXIMUM => maximum(definition).map_or(Value::Null, Value::Number),
        MESSAGES => Value::Number(totals.messages),
        BYTES_IN => Value::Number(totals.bytes_received),
        BYTES_OUT => Value::Number(totals.bytes_sent),
        CIPHER => Value::text(&definition.cipher_specification),
        DESCRIPTION => Value::Text(&definition.description),
        FULL => {
            let share = maximum(definition).and_then(|maximum| (totals.instances * 1000).checked_div(maximum));
            share.map_or(Value::Null, Value::Tenths)
        }
        CONVERSATIONS => Value::Number(totals.conversations),
        SYSTEM => Value::Truth(channel.name.as_bytes().starts_with(b"SYSTEM.")),
        ALTERED => Value::moment(Some(definition.history.altered)),
        _ => Value::Null,
    }
}

fn maximum(definition: &ChannelDefinition) -> Option<u64> {
    (definition.channel_type == ChannelType::ServerConnection).then(|| definition.maximum_instances.into())
}

fn state(channel: &Listed, definition: &ChannelDefinition) -> Value<'static> {
    if definition.channel_type == ChannelType::ClientConnection {
        return Value::Null;
    }
    Value::Text(match (channel.is_stopped, channel.totals.instances) {
        (true, 0) => "stopped",
        (true, _) => "stopping",
        (false, 0) => "inactive",
        (false, _) => "running",
    })
}

const fn type_word(kind: ChannelType) -> &'static str {
    match kind {
        ChannelType::ServerConnection => "serverConnection",
        ChannelType::ClientConnection => "clientConnection",
        ChannelType::Sender => "sender",
        ChannelType::Server => "server",
        ChannelType::Receiver => "receiver",
        ChannelType::Requester => "requester",
        ChannelType::ClusterSender => "clusterSender",
        ChannelType::ClusterReceiver => "clusterReceiver",
        ChannelType::Amqp => "amqp",
    }
}
