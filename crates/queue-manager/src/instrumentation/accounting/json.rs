//! A record as JSON: published names as keys, lists with a name for each of their places, moments in one piece.
//!
//! The order is that of the record. Members without a name in this version are shown by their number, so that nothing
//! of a record is left out.
//!
//! Source: MQ monitoring, "MQI accounting message data" and its neighbours, "Reference notes", 9.3.

use model::pcf::{Message, Parameter, ParameterValue};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::instrumentation::accounting::number as n;

/// One line without its end.
pub fn line(record: &Message) -> String {
    serde_json::to_string(&Record(record)).unwrap_or_else(|error| format!("{{\"error\":{:?}}}", error.to_string()))
}

/// A record to be serialised.
pub struct Record<'a>(pub &'a Message);

/// What a list or a number means.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Plain,
    /// A date, with the time in the parameter of the next number.
    Moment,
    /// The time of a date: told with it.
    PartOfMoment,
    /// Lists: a name for each place.
    Places(&'static [&'static str]),
    /// Lists by type of object: those types that anything was done to.
    Objects,
    /// Numbers: a word for each.
    Words(&'static [(i32, &'static str)]),
}
use Shape::{Moment, Objects, PartOfMoment, Places, Plain, Words};

const PERSISTENCE: Shape = Places(&["nonpersistent", "persistent"]);
/// By MQOT_*; types without a name cannot be opened.
const OBJECTS: [&str; 13] =
    ["", "queue", "namelist", "process", "", "queueManager", "channel", "authenticationInfo", "topic", "", "", "", ""];
const SUBSCRIBES: Shape = Places(&["created", "altered", "resumed"]);
const UNSUBSCRIBES: Shape = Places(&["kept", "removed"]);
const SUBSCRIPTIONS: Shape = Places(&["all", "api", "administrative", "proxy"]);
const ENDINGS: Shape = Places(&["normal", "implicit", "queueManager"]);
const ENDING: Shape = Words(&[(0, "normal"), (1, "implicit"), (2, "queueManager")]);
const QUEUE_TYPE: Shape = Words(&[(1, "local"), (2, "model"), (3, "alias"), (6, "remote")]);
const DEFINITION_TYPE: Shape = Words(&[(1, "predefined"), (2, "permanentDynamic"), (3, "temporaryDynamic")]);
const CHANNEL_TYPE: Shape = Words(&[
    (1, "sender"),
    (2, "server"),
    (3, "receiver"),
    (4, "requester"),
    (6, "clientConnection"),
    (7, "serverConnection"),
    (8, "clusterReceiver"),
    (9, "clusterSender"),
    (11, "amqp"),
]);

const NAMES: &[(i32, &str, Shape)] = &[
    (n::MQIA_APPL_TYPE, "applicationType", Plain),
    (n::MQIA_DEFINITION_TYPE, "queueDefinitionType", DEFINITION_TYPE),
    (n::MQIA_Q_TYPE, "queueType", QUEUE_TYPE),
    (n::MQIA_COMMAND_LEVEL, "commandLevel", Plain),
    (n::MQCA_CREATION_DATE, "created", Moment),
    (n::MQCA_CREATION_TIME, "", PartOfMoment),
    (n::MQCA_Q_MGR_NAME, "queueManager", Plain),
    (n::MQCA_Q_NAME, "queueName", Plain),
    (n::MQCA_REMOTE_Q_MGR_NAME, "remoteQueueManager", Plain),
    (n::MQIACF_PROCESS_ID, "applicationPid", Plain),
    (n::MQIACF_THREAD_ID, "applicationTid", Plain),
    (n::MQIACF_SEQUENCE_NUMBER, "seqNumber", Plain),
    (n::MQIACH_CHANNEL_TYPE, "channelType", CHANNEL_TYPE),
    (n::MQCAMO_CLOSE_DATE, "closed", Moment),
    (n::MQCAMO_CLOSE_TIME, "", PartOfMoment),
    (n::MQCAMO_CONN_DATE, "connected", Moment),
    (n::MQCAMO_CONN_TIME, "", PartOfMoment),
    (n::MQCAMO_DISC_DATE, "disconnected", Moment),
    (n::MQCAMO_DISC_TIME, "", PartOfMoment),
    (n::MQCAMO_END_DATE, "intervalEnd", Moment),
    (n::MQCAMO_END_TIME, "", PartOfMoment),
    (n::MQCAMO_OPEN_DATE, "opened", Moment),
    (n::MQCAMO_OPEN_TIME, "", PartOfMoment),
    (n::MQCAMO_START_DATE, "intervalStart", Moment),
    (n::MQCAMO_START_TIME, "", PartOfMoment),
    (n::MQCACF_APPL_NAME, "applicationName", Plain),
    (n::MQCACF_USER_IDENTIFIER, "userId", Plain),
    (n::MQCACH_CHANNEL_NAME, "channelName", Plain),
    (n::MQCACH_CONNECTION_NAME, "connectionName", Plain),
    (n::MQBACF_CONNECTION_ID, "connectionId", Plain),
    (n::MQGACF_Q_ACCOUNTING_DATA, "queues", Plain),
    (n::MQGACF_Q_STATISTICS_DATA, "queues", Plain),
    (n::MQGACF_CHL_STATISTICS_DATA, "channels", Plain),
    (n::MQIAMO_AVG_BATCH_SIZE, "averageBatchSize", Plain),
    (n::MQIAMO64_AVG_Q_TIME, "averageTimeOnQueueMicroseconds", PERSISTENCE),
    (n::MQIAMO_BACKOUTS, "backoutCount", Plain),
    (n::MQIAMO_BROWSES, "browseCount", PERSISTENCE),
    (n::MQIAMO_BROWSE_MAX_BYTES, "browseMaxBytes", PERSISTENCE),
    (n::MQIAMO_BROWSE_MIN_BYTES, "browseMinBytes", PERSISTENCE),
    (n::MQIAMO_BROWSES_FAILED, "browseFailCount", Plain),
    (n::MQIAMO_CLOSES, "closeCount", Objects),
    (n::MQIAMO_COMMITS, "commitCount", Plain),
    (n::MQIAMO_COMMITS_FAILED, "commitFailCount", Plain),
    (n::MQIAMO_CONNS, "connectCount", Plain),
    (n::MQIAMO_CONNS_MAX, "connectionsMax", Plain),
    (n::MQIAMO_DISCS, "disconnectCount", ENDINGS),
    (n::MQIAMO_DISC_TYPE, "disconnectType", ENDING),
    (n::MQIAMO_FULL_BATCHES, "fullBatchCount", Plain),
    (n::MQIAMO_GETS, "getCount", PERSISTENCE),
    (n::MQIAMO_GET_MAX_BYTES, "getMaxBytes", PERSISTENCE),
    (n::MQIAMO_GET_MIN_BYTES, "getMinBytes", PERSISTENCE),
    (n::MQIAMO_GETS_FAILED, "getFailCount", Plain),
    (n::MQIAMO_INCOMPLETE_BATCHES, "incompleteBatchCount", Plain),
    (n::MQIAMO_INQS, "inquireCount", Objects),
    (n::MQIAMO_MSGS, "messageCount", Plain),
    (n::MQIAMO_OBJECT_COUNT, "objectCount", Plain),
    (n::MQIAMO_OPENS, "openCount", Objects),
    (n::MQIAMO_PUT1S, "put1Count", PERSISTENCE),
    (n::MQIAMO_PUTS, "putCount", PERSISTENCE),
    (n::MQIAMO_PUT_MAX_BYTES, "putMaxBytes", PERSISTENCE),
    (n::MQIAMO_PUT_MIN_BYTES, "putMinBytes", PERSISTENCE),
    (n::MQIAMO_PUT_RETRIES, "putRetryCount", Plain),
    (n::MQIAMO_Q_MAX_DEPTH, "queueMaxDepth", Plain),
    (n::MQIAMO_Q_MIN_DEPTH, "queueMinDepth", Plain),
    (n::MQIAMO64_Q_TIME_AVG, "timeOnQueueAverageMicroseconds", PERSISTENCE),
    (n::MQIAMO64_Q_TIME_MAX, "timeOnQueueMaxMicroseconds", PERSISTENCE),
    (n::MQIAMO64_Q_TIME_MIN, "timeOnQueueMinMicroseconds", PERSISTENCE),
    (n::MQIAMO_SETS, "setCount", Objects),
    (n::MQIAMO64_BROWSE_BYTES, "browseBytes", PERSISTENCE),
    (n::MQIAMO64_BYTES, "totalBytes", Plain),
    (n::MQIAMO64_GET_BYTES, "getBytes", PERSISTENCE),
    (n::MQIAMO64_PUT_BYTES, "putBytes", PERSISTENCE),
    (n::MQIAMO_CONNS_FAILED, "connectFailCount", Plain),
    (n::MQIAMO_OPENS_FAILED, "openFailCount", Objects),
    (n::MQIAMO_INQS_FAILED, "inquireFailCount", Objects),
    (n::MQIAMO_SETS_FAILED, "setFailCount", Objects),
    (n::MQIAMO_PUTS_FAILED, "putFailCount", Plain),
    (n::MQIAMO_PUT1S_FAILED, "put1FailCount", Plain),
    (n::MQIAMO_CLOSES_FAILED, "closeFailCount", Objects),
    (n::MQIAMO_MSGS_EXPIRED, "expiredMessageCount", Plain),
    (n::MQIAMO_MSGS_NOT_QUEUED, "nonQueuedMessageCount", Plain),
    (n::MQIAMO_MSGS_PURGED, "purgeCount", Plain),
    (n::MQIAMO_SUBS_DUR, "durableSubscribeCount", SUBSCRIBES),
    (n::MQIAMO_SUBS_NDUR, "nonDurableSubscribeCount", SUBSCRIBES),
    (n::MQIAMO_SUBS_FAILED, "subscribeFailCount", Plain),
    (n::MQIAMO_SUBRQS, "subscriptionRequestCount", Plain),
    (n::MQIAMO_SUBRQS_FAILED, "subscriptionRequestFailCount", Plain),
    (n::MQIAMO_STATS, "statusCount", Plain),
    (n::MQIAMO_STATS_FAILED, "statusFailCount", Plain),
    (n::MQIAMO_SUB_DUR_HIGHWATER, "durableSubscriptionHighWater", SUBSCRIPTIONS),
    (n::MQIAMO_SUB_DUR_LOWWATER, "durableSubscriptionLowWater", SUBSCRIPTIONS),
    (n::MQIAMO_SUB_NDUR_HIGHWATER, "nonDurableSubscriptionHighWater", SUBSCRIPTIONS),
    (n::MQIAMO_SUB_NDUR_LOWWATER, "nonDurableSubscriptionLowWater", SUBSCRIPTIONS),
    (n::MQIAMO_TOPIC_PUTS, "putTopicCount", PERSISTENCE),
    (n::MQIAMO_TOPIC_PUTS_FAILED, "putTopicFailCount", Plain),
    (n::MQIAMO_TOPIC_PUT1S, "put1TopicCount", PERSISTENCE),
    (n::MQIAMO_TOPIC_PUT1S_FAILED, "put1TopicFailCount", Plain),
    (n::MQIAMO64_TOPIC_PUT_BYTES, "putTopicBytes", PERSISTENCE),
    (n::MQIAMO_PUBLISH_MSG_COUNT, "publishMessageCount", PERSISTENCE),
    (n::MQIAMO64_PUBLISH_MSG_BYTES, "publishMessageBytes", PERSISTENCE),
    (n::MQIAMO_UNSUBS_DUR, "durableUnsubscribeCount", UNSUBSCRIBES),
    (n::MQIAMO_UNSUBS_NDUR, "nonDurableUnsubscribeCount", UNSUBSCRIBES),
    (n::MQIAMO_UNSUBS_FAILED, "unsubscribeFailCount", Plain),
    (n::MQIAMO64_QMGR_OP_DURATION, "callMicroseconds", Plain),
    (n::CPU_TIME, "cpuMicroseconds", Plain),
];

fn known(id: i32) -> Option<(&'static str, Shape)> {
    NAMES.iter().find(|(known, ..)| *known == id).map(|(_, name, shape)| (*name, *shape))
}

/// What kind of record it is.
fn kind(command: i32) -> &'static str {
    match command {
        n::MQCMD_ACCOUNTING_MQI => "accountingMqi",
        n::MQCMD_ACCOUNTING_Q => "accountingQueue",
        n::MQCMD_STATISTICS_MQI => "statisticsMqi",
        n::MQCMD_STATISTICS_Q => "statisticsQueue",
        n::MQCMD_STATISTICS_CHANNEL => "statisticsChannel",
        _ => "other",
    }
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("recordType", kind(self.0.header.command))?;
        members(&self.0.parameters, &mut map)?;
        map.end()
    }
}

struct Group<'a>(&'a [Parameter]);

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        members(self.0, &mut map)?;
        map.end()
    }
}

/// Groups of one number, which follow each other, as one array.
struct Groups<'a>(&'a [Parameter]);

impl Serialize for Groups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.len()))?;
        for parameter in self.0 {
            if let ParameterValue::Group(members) = &parameter.value {
                sequence.serialize_element(&Group(members))?;
            }
        }
        sequence.end()
    }
}

fn members<M: SerializeMap>(mut parameters: &[Parameter], map: &mut M) -> Result<(), M::Error> {
    let all = parameters;
    while let Some((first, rest)) = parameters.split_first() {
        parameters = rest;
        let Some((name, shape)) = known(first.id) else {
            map.serialize_entry(&first.id.to_string(), &Shown(&first.value, Plain))?;
            continue;
        };
        match (&first.value, shape) {
            (_, PartOfMoment) => {}
            (ParameterValue::Group(_), _) => {
                let same = 1 + rest.iter().take_while(|parameter| parameter.id == first.id).count();
                parameters = &rest[same - 1..];
                let begin = all.len() - rest.len() - 1;
                map.serialize_entry(name, &Groups(&all[begin..begin + same]))?;
            }
            (ParameterValue::Text(date), Moment) => {
                let time = all.iter().find(|parameter| parameter.id == first.id + 1);
                let time = time.and_then(|parameter| parameter.value.as_text()).unwrap_or("00.00.00");
                map.serialize_entry(name, &format!("{}T{}Z", date.trim_end(), time.trim_end().replace('.', ":")))?;
            }
            (value, shape) => map.serialize_entry(name, &Shown(value, shape))?,
        }
    }
    Ok(())
}

struct Shown<'a>(&'a ParameterValue, Shape);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0, self.1) {
            (ParameterValue::Integer(number), Words(words)) => match words.iter().find(|(known, _)| known == number) {
                Some((_, word)) => serializer.serialize_str(word),
                None => serializer.serialize_i32(*number),
            },
            (ParameterValue::Integer(number), _) => serializer.serialize_i32(*number),
            (ParameterValue::Integer64(number), _) => serializer.serialize_i64(*number),
            (ParameterValue::Integers(numbers), Objects) => objects(numbers, serializer),
            (ParameterValue::Integers(numbers), Places(names)) if names.len() == numbers.len() => {
                places(names, numbers, serializer)
            }
            (ParameterValue::Integers64(numbers), Places(names)) if names.len() == numbers.len() => {
                places(names, numbers, serializer)
            }
            (ParameterValue::Integers(numbers), _) => numbers.serialize(serializer),
            (ParameterValue::Integers64(numbers), _) => numbers.serialize(serializer),
            (ParameterValue::Text(text), _) => serializer.serialize_str(text.trim_end()),
            (ParameterValue::Texts(texts), _) => texts.serialize(serializer),
            (ParameterValue::Bytes(bytes), _) => {
                serializer.serialize_str(&bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
            }
            (ParameterValue::Group(members), _) => Group(members).serialize(serializer),
            (
                ParameterValue::IntegerFilter { .. }
                | ParameterValue::TextFilter { .. }
                | ParameterValue::BytesFilter { .. },
                _,
            ) => serializer.serialize_none(),
        }
    }
}

fn objects<S: Serializer>(numbers: &[i32], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (name, number) in OBJECTS.iter().zip(numbers).filter(|(name, number)| !name.is_empty() && **number != 0) {
        map.serialize_entry(name, number)?;
    }
    map.end()
}

fn places<S: Serializer, T: Serialize>(names: &[&str], numbers: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (name, number) in names.iter().zip(numbers) {
        map.serialize_entry(name, number)?;
    }
    map.end()
}

#[cfg(test)]
mod tests;
