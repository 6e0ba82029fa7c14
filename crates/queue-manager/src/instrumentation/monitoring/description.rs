//! What there is to monitor: publications that each new subscription to their topics is sent, as if they were retained.
//!
//! ```text
//! CLASSES   a group each: number, flags, name, description, topic string of its types
//! TYPES     a group each: number, name, description, topic string of its elements
//! elements  topic string of the values, with %s for the name of a queue; a group each: number, unit, name
//! ```

use model::pcf::Parameter;
use model::timestamp::Timestamp;

use crate::engine::Engine;
use crate::instrumentation::accounting::number::MQCA_Q_MGR_NAME;
use crate::instrumentation::event::name;
use crate::instrumentation::monitoring::catalogue::{Class, Described};
use crate::instrumentation::monitoring::{MQIAMO_MONITOR_CLASS, MQIAMO_MONITOR_TYPE, publication, topics};
use crate::publish::Publication;
use crate::publish::topic_tree::Pattern;

/// Every description whose topic string the pattern matches, with that topic string.
pub(crate) fn descriptions(engine: &Engine, pattern: &Pattern, now: Timestamp) -> Vec<(String, Publication)> {
    if !topics::names_system_topics(pattern) {
        return Vec::new();
    }
    let mut all = vec![(topics::classes(engine), classes(engine))];
    for class in Class::ALL {
        let types = class.types();
        all.push((topics::types(engine, class), describe_types(engine, class, &types)));
        for (number, of) in (0..).zip(&types) {
            all.push((topics::elements(engine, class, of.name), elements(engine, class, number, of)));
        }
    }
    all.retain(|(topic, _)| pattern.matches(topic));
    all.into_iter().map(|(topic, parameters)| (topic, publication(engine, parameters, now))).collect()
}

fn classes(engine: &Engine) -> Vec<Parameter> {
    let group = |class: Class| {
        let flags = if class.is_of_queues() { MQIAMO_MONITOR_FLAGS_OBJNAME } else { MQIAMO_MONITOR_FLAGS_NONE };
        Parameter::group(
            MQGACF_MONITOR_CLASS,
            vec![
                Parameter::integer(MQIAMO_MONITOR_CLASS, class.number()),
                Parameter::integer(MQIAMO_MONITOR_FLAGS, flags),
                Parameter::text(MQCAMO_MONITOR_CLASS, class.name()),
                Parameter::text(MQCAMO_MONITOR_DESC, class.meaning()),
                Parameter::text(MQCA_TOPIC_STRING, topics::types(engine, class)),
            ],
        )
    };
    let mut parameters = vec![name(MQCA_Q_MGR_NAME, &engine.name)];
    parameters.extend(Class::ALL.map(group));
    parameters
}

fn describe_types(engine: &Engine, class: Class, types: &[Described]) -> Vec<Parameter> {
    let group = |(number, of): (i32, &Described)| {
        Parameter::group(
            MQGACF_MONITOR_TYPE,
            vec![
                Parameter::integer(MQIAMO_MONITOR_TYPE, number),
                Parameter::text(MQCAMO_MONITOR_TYPE, of.name),
                Parameter::text(MQCAMO_MONITOR_DESC, of.meaning),
                Parameter::text(MQCA_TOPIC_STRING, topics::elements(engine, class, of.name)),
            ],
        )
    };
    let mut parameters =
        vec![name(MQCA_Q_MGR_NAME, &engine.name), Parameter::integer(MQIAMO_MONITOR_CLASS, class.number())];
    parameters.extend((0..).zip(types).map(group));
    parameters
}

fn elements(engine: &Engine, class: Class, number: i32, of: &Described) -> Vec<Parameter> {
    let values = topics::values(engine, class, class.is_of_queues().then_some("%s"), of.name);
    let mut parameters = vec![
        name(MQCA_Q_MGR_NAME, &engine.name),
        Parameter::integer(MQIAMO_MONITOR_CLASS, class.number()),
        Parameter::integer(MQIAMO_MONITOR_TYPE, number),
        Parameter::text(MQCA_TOPIC_STRING, values),
    ];
    parameters.extend((0..).zip(&of.elements).map(|(id, (element, unit))| {
        Parameter::group(
            MQGACF_MONITOR_ELEMENT,
            vec![
                Parameter::integer(MQIAMO_MONITOR_ELEMENT, id),
                Parameter::integer(MQIAMO_MONITOR_DATATYPE, *unit as i32),
                Parameter::text(MQCAMO_MONITOR_DESC, *element),
            ],
        )
    }));
    parameters
}

const MQIAMO_MONITOR_ELEMENT: i32 = 841;
const MQIAMO_MONITOR_DATATYPE: i32 = 842;
const MQIAMO_MONITOR_FLAGS: i32 = 843;
const MQIAMO_MONITOR_FLAGS_NONE: i32 = 0;
const MQIAMO_MONITOR_FLAGS_OBJNAME: i32 = 1;
const MQCA_TOPIC_STRING: i32 = 2094;
const MQCAMO_MONITOR_CLASS: i32 = 2713;
const MQCAMO_MONITOR_TYPE: i32 = 2714;
const MQCAMO_MONITOR_DESC: i32 = 2715;
const MQGACF_MONITOR_CLASS: i32 = 8015;
const MQGACF_MONITOR_TYPE: i32 = 8016;
const MQGACF_MONITOR_ELEMENT: i32 = 8017;
