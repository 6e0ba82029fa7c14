//! An event message as JSON: what happened, where, and the parameters by their numbers, those that consoles show by name.

use std::fmt::Write as _;

use model::name::QueueManagerName;
use model::pcf::{Parameter, ParameterValue};
use model::reason::Reason;
use queue_manager::event::tap::Told;
use serde_json::{Map, Value, json};

use crate::time_text::write_moment;

/// Names of parameters, as the words of their constants are.
///
/// Source: the published constants (cmqc.h, cmqcfc.h), 9.3.
const NAMES: &[(i32, &str)] = &[
    (1, "applicationType"),
    (20, "queueType"),
    (35, "timeSinceReset"),
    (36, "highQueueDepth"),
    (37, "messageEnqueueCount"),
    (38, "messageDequeueCount"),
    (1010, "eventApplicationType"),
    (1011, "eventOrigin"),
    (1016, "objectType"),
    (1020, "reasonQualifier"),
    (1021, "command"),
    (1022, "openOptions"),
    (2002, "baseObjectName"),
    (2015, "queueManagerName"),
    (2016, "queueName"),
    (2094, "topicString"),
    (3024, "applicationName"),
    (3025, "userIdentifier"),
    (3045, "eventUserIdentifier"),
    (3050, "eventApplicationName"),
    (3501, "channelName"),
    (3506, "connectionName"),
];

pub(super) fn write(queue_manager: QueueManagerName, told: &Told) -> String {
    let header = &told.message.header;
    let name = Reason::from_number(header.reason).map(Reason::name);
    json!({
        "qmgr": queue_manager.as_str(),
        "queue": told.queue,
        "at": write_moment(told.at),
        "reason": { "code": header.reason, "name": name },
        "parameters": parameters(&told.message.parameters),
    })
    .to_string()
}

fn parameters(all: &[Parameter]) -> Value {
    let mut members = Map::new();
    for parameter in all {
        let name = NAMES.iter().find(|(id, _)| *id == parameter.id).map(|(_, name)| (*name).to_owned());
        members.insert(name.unwrap_or_else(|| parameter.id.to_string()), value(&parameter.value));
    }
    Value::Object(members)
}

fn value(value: &ParameterValue) -> Value {
    match value {
        ParameterValue::Integer(number) => json!(number),
        // Beyond 2^53 a number is a text, as everywhere in this API.
        ParameterValue::Integer64(number) => whole(*number),
        ParameterValue::Integers(numbers) => json!(numbers),
        ParameterValue::Integers64(numbers) => numbers.iter().map(|number| whole(*number)).collect(),
        ParameterValue::Text(text) => json!(text.trim_end()),
        ParameterValue::Texts(texts) => texts.iter().map(|text| text.trim_end()).collect(),
        ParameterValue::Bytes(bytes) => json!(hexadecimal(bytes)),
        ParameterValue::IntegerFilter { operator, value } => json!({ "operator": operator, "value": value }),
        ParameterValue::TextFilter { operator, text } => json!({ "operator": operator, "value": text }),
        ParameterValue::BytesFilter { operator, bytes } => json!({ "operator": operator, "value": hexadecimal(bytes) }),
        ParameterValue::Group(parameters_of) => parameters(parameters_of),
    }
}

fn whole(number: i64) -> Value {
    if number.unsigned_abs() <= 1 << 53 { json!(number) } else { json!(number.to_string()) }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
