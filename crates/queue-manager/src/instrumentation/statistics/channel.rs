//! What went through channels within an interval, by channel and address of the partner.
//!
//! Instances that start while STATCHL says so are counted to their end, those that end within the interval included.
//!
//! Source: MQ monitoring, "Channel statistics message data", 9.3.

use std::collections::BTreeMap;

use model::authority::AuthorityObject;
use model::definition::{AdministeredObject, Collect};
use model::name::ObjectName;
use model::pcf::{Parameter, ParameterValue};

use crate::engine::Engine;
use crate::instrumentation::accounting::calls::{large, small};
use crate::instrumentation::accounting::number as n;

/// Of all instances of a channel from one address.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChannelFigures {
    /// CHLTYPE as MQSC spells it.
    pub(crate) channel_type: &'static str,
    pub(crate) remote_queue_manager: String,
    /// Messages, or MQI calls of a client.
    pub(crate) messages: u64,
    /// Sent and received.
    pub(crate) bytes: u64,
}

/// By channel and address.
pub(crate) type ByChannel = BTreeMap<(String, String), ChannelFigures>;

/// Whether STATCHL of the channel and of the queue manager together want an instance counted.
pub(crate) fn collects(engine: &Engine, channel: &str) -> bool {
    let own = ObjectName::parse(channel).ok().and_then(|name| engine.object(AuthorityObject::Channel, &name));
    let own = match own.as_deref() {
        Some(AdministeredObject::Channel(definition)) => definition.statistics,
        _ => Collect::QueueManager,
    };
    let manager = engine.definition.read().statistics_channel;
    !matches!(own.in_effect(manager), Collect::Off | Collect::None | Collect::QueueManager)
}

pub(super) fn groups(figures: ByChannel) -> Vec<Parameter> {
    figures.into_iter().map(|((channel, address), figures)| group(&channel, &address, &figures)).collect()
}

fn group(channel: &str, address: &str, figures: &ChannelFigures) -> Parameter {
    let mut members = vec![
        Parameter::text(n::MQCACH_CHANNEL_NAME, channel),
        Parameter::integer(n::MQIACH_CHANNEL_TYPE, type_number(figures.channel_type)),
    ];
    if !figures.remote_queue_manager.is_empty() {
        members.push(Parameter::text(n::MQCA_REMOTE_Q_MGR_NAME, figures.remote_queue_manager.as_str()));
    }
    members.push(Parameter::text(n::MQCACH_CONNECTION_NAME, address));
    members.push(Parameter::integer(n::MQIAMO_MSGS, small(figures.messages)));
    members.push(Parameter { id: n::MQIAMO64_BYTES, value: ParameterValue::Integer64(large(figures.bytes)) });
    // Client channels know neither batches nor retries.
    for id in [n::MQIAMO_FULL_BATCHES, n::MQIAMO_INCOMPLETE_BATCHES, n::MQIAMO_AVG_BATCH_SIZE, n::MQIAMO_PUT_RETRIES] {
        members.push(Parameter::integer(id, 0));
    }
    Parameter::group(n::MQGACF_CHL_STATISTICS_DATA, members)
}

/// MQCHT_*.
fn type_number(word: &str) -> i32 {
    match word {
        "SDR" => 1,
        "SVR" => 2,
        "RCVR" => 3,
        "RQSTR" => 4,
        "CLNTCONN" => 6,
        "CLUSRCVR" => 8,
        "CLUSSDR" => 9,
        "AMQP" => 11,
        _ => 7,
    }
}
