//! A bag as a PCF message, and a message as a bag.
//!
//! Invariants
//! - Bags within bags are followed as deep as PCF allows, so that a bag that holds itself ends the call (2325).

use model::pcf::{Header, MAXIMUM_DEPTH, Message, MessageKind, Parameter, ParameterValue};
use model::reason::Reason;

use super::{Bag, Item, Text, Value, change, keep, with};
use crate::constant::{
    MQCBO_ADMIN_BAG, MQCBO_GROUP_BAG, MQCBO_LIST_FORM_ALLOWED, MQCBO_REORDER_AS_REQUIRED, MQCBO_SYSTEM_BAG, MQCFC_LAST,
    MQCMD_INQUIRE_AUTH_INFO, MQCMD_INQUIRE_AUTH_SERVICE, MQCMD_INQUIRE_CF_STRUC, MQCMD_INQUIRE_CHANNEL,
    MQCMD_INQUIRE_CHANNEL_STATUS, MQCMD_INQUIRE_CHLAUTH_RECS, MQCMD_INQUIRE_CLUSTER_Q_MGR, MQCMD_INQUIRE_COMM_INFO,
    MQCMD_INQUIRE_CONNECTION, MQCMD_INQUIRE_LISTENER, MQCMD_INQUIRE_LISTENER_STATUS, MQCMD_INQUIRE_NAMELIST,
    MQCMD_INQUIRE_PROCESS, MQCMD_INQUIRE_PUBSUB_STATUS, MQCMD_INQUIRE_Q, MQCMD_INQUIRE_Q_MGR,
    MQCMD_INQUIRE_Q_MGR_STATUS, MQCMD_INQUIRE_Q_STATUS, MQCMD_INQUIRE_SERVICE, MQCMD_INQUIRE_SERVICE_STATUS,
    MQCMD_INQUIRE_SUB_STATUS, MQCMD_INQUIRE_SUBSCRIPTION, MQCMD_INQUIRE_TOPIC, MQCMD_INQUIRE_TOPIC_STATUS,
    MQIACF_AUTH_INFO_ATTRS, MQIACF_AUTH_SERVICE_ATTRS, MQIACF_CF_STRUC_ATTRS, MQIACF_CHANNEL_ATTRS,
    MQIACF_CHLAUTH_ATTRS, MQIACF_CLUSTER_Q_MGR_ATTRS, MQIACF_COMM_INFO_ATTRS, MQIACF_CONNECTION_ATTRS, MQIACF_INQUIRY,
    MQIACF_LISTENER_ATTRS, MQIACF_LISTENER_STATUS_ATTRS, MQIACF_NAMELIST_ATTRS, MQIACF_PROCESS_ATTRS,
    MQIACF_PUBSUB_STATUS_ATTRS, MQIACF_Q_ATTRS, MQIACF_Q_MGR_ATTRS, MQIACF_Q_MGR_STATUS_ATTRS, MQIACF_Q_STATUS_ATTRS,
    MQIACF_SERVICE_ATTRS, MQIACF_SERVICE_STATUS_ATTRS, MQIACF_SUB_ATTRS, MQIACF_SUB_STATUS_ATTRS, MQIACF_TOPIC_ATTRS,
    MQIACF_TOPIC_STATUS_ATTRS, MQIACH_CHANNEL_INSTANCE_ATTRS, MQIASY_COMMAND, MQIASY_COMP_CODE, MQIASY_CONTROL,
    MQIASY_MSG_SEQ_NUMBER, MQIASY_REASON, MQIASY_TYPE, MQIASY_VERSION,
};
use crate::{Ended, failed};

/// Where an inquiry lists the attributes that it asks for.
const INQUIRIES: [(i32, i32); 24] = [
    (MQCMD_INQUIRE_AUTH_INFO, MQIACF_AUTH_INFO_ATTRS),
    (MQCMD_INQUIRE_AUTH_SERVICE, MQIACF_AUTH_SERVICE_ATTRS),
    (MQCMD_INQUIRE_CF_STRUC, MQIACF_CF_STRUC_ATTRS),
    (MQCMD_INQUIRE_CHANNEL, MQIACF_CHANNEL_ATTRS),
    (MQCMD_INQUIRE_CHANNEL_STATUS, MQIACH_CHANNEL_INSTANCE_ATTRS),
    (MQCMD_INQUIRE_CHLAUTH_RECS, MQIACF_CHLAUTH_ATTRS),
    (MQCMD_INQUIRE_CLUSTER_Q_MGR, MQIACF_CLUSTER_Q_MGR_ATTRS),
    (MQCMD_INQUIRE_COMM_INFO, MQIACF_COMM_INFO_ATTRS),
    (MQCMD_INQUIRE_CONNECTION, MQIACF_CONNECTION_ATTRS),
    (MQCMD_INQUIRE_LISTENER, MQIACF_LISTENER_ATTRS),
    (MQCMD_INQUIRE_LISTENER_STATUS, MQIACF_LISTENER_STATUS_ATTRS),
    (MQCMD_INQUIRE_NAMELIST, MQIACF_NAMELIST_ATTRS),
    (MQCMD_INQUIRE_PROCESS, MQIACF_PROCESS_ATTRS),
    (MQCMD_INQUIRE_PUBSUB_STATUS, MQIACF_PUBSUB_STATUS_ATTRS),
    (MQCMD_INQUIRE_Q, MQIACF_Q_ATTRS),
    (MQCMD_INQUIRE_Q_MGR, MQIACF_Q_MGR_ATTRS),
    (MQCMD_INQUIRE_Q_MGR_STATUS, MQIACF_Q_MGR_STATUS_ATTRS),
    (MQCMD_INQUIRE_Q_STATUS, MQIACF_Q_STATUS_ATTRS),
    (MQCMD_INQUIRE_SERVICE, MQIACF_SERVICE_ATTRS),
    (MQCMD_INQUIRE_SERVICE_STATUS, MQIACF_SERVICE_STATUS_ATTRS),
    (MQCMD_INQUIRE_SUBSCRIPTION, MQIACF_SUB_ATTRS),
    (MQCMD_INQUIRE_SUB_STATUS, MQIACF_SUB_STATUS_ATTRS),
    (MQCMD_INQUIRE_TOPIC, MQIACF_TOPIC_ATTRS),
    (MQCMD_INQUIRE_TOPIC_STATUS, MQIACF_TOPIC_STATUS_ATTRS),
];

/// The message that a bag says by its items, those of the system included. `command` counts instead of the bag's, where given.
///
/// # Errors
/// 2320, 2326 a group, 2324 attributes are asked for by another command than an inquiry, 2325 bags within bags without end.
pub fn of(number: i32, command: Option<i32>) -> Result<Message, Ended> {
    let bag = with(number, |bag| Ok(bag.clone()))?;
    if bag.is_group() {
        return Err(failed(Reason::BagWrongType));
    }
    let command = command.unwrap_or(bag.system(MQIASY_COMMAND));
    let header = Header {
        kind: MessageKind(bag.system(MQIASY_TYPE)),
        version: bag.system(MQIASY_VERSION),
        command,
        sequence: bag.system(MQIASY_MSG_SEQ_NUMBER),
        is_last: bag.system(MQIASY_CONTROL) == MQCFC_LAST,
        completion: bag.system(MQIASY_COMP_CODE),
        reason: bag.system(MQIASY_REASON),
    };
    Ok(Message { header, parameters: parameters(&bag, command, 0)? })
}

/// The program's items as parameters. Items of one selector become a list where the bag allows it.
fn parameters(bag: &Bag, command: i32, depth: usize) -> Result<Vec<Parameter>, Ended> {
    let is_free = bag.options & (MQCBO_ADMIN_BAG | MQCBO_GROUP_BAG) != 0;
    let has_lists = is_free || bag.options & MQCBO_LIST_FORM_ALLOWED != 0;
    let reorders = is_free || bag.options & MQCBO_REORDER_AS_REQUIRED != 0;
    let mut parameters: Vec<Parameter> = Vec::new();
    for Item { selector, value } in bag.users() {
        let is_inquiry = *selector == MQIACF_INQUIRY;
        let id = if is_inquiry { attributes_of(command)? } else { *selector };
        let value = match value {
            Value::Integer(value) if is_inquiry => ParameterValue::Integers(vec![*value]),
            Value::Bag(within) => ParameterValue::Group(group(*within, command, depth + 1)?),
            other => single(other),
        };
        let known = match (is_inquiry || has_lists, is_inquiry || reorders) {
            (false, _) => None,
            (true, true) => parameters.iter_mut().find(|known| known.id == id),
            (true, false) => parameters.last_mut().filter(|known| known.id == id),
        };
        let left = match known {
            Some(known) => join(&mut known.value, value),
            None => Some(value),
        };
        parameters.extend(left.map(|value| Parameter { id, value }));
    }
    Ok(parameters)
}

fn attributes_of(command: i32) -> Result<i32, Ended> {
    let known = INQUIRIES.iter().find(|(known, _)| *known == command);
    known.map(|(_, attributes)| *attributes).ok_or(failed(Reason::InquiryCommandError))
}

fn group(number: i32, command: i32, depth: usize) -> Result<Vec<Parameter>, Ended> {
    let bag = with(number, |bag| Ok(bag.clone()))?;
    if depth > MAXIMUM_DEPTH || !bag.is_group() {
        return Err(failed(Reason::NestedBagNotSupported));
    }
    parameters(&bag, command, depth)
}

/// One item; a bag within has been seen to.
fn single(value: &Value) -> ParameterValue {
    match value {
        Value::Integer(value) => ParameterValue::Integer(*value),
        Value::Integer64(value) => ParameterValue::Integer64(*value),
        Value::Text(text) => ParameterValue::Text(text.characters.clone()),
        Value::Bytes(bytes) => ParameterValue::Bytes(bytes.clone()),
        Value::IntegerFilter { value, operator } => {
            ParameterValue::IntegerFilter { operator: *operator, value: *value }
        }
        Value::TextFilter { text, operator } => {
            ParameterValue::TextFilter { operator: *operator, text: text.characters.clone() }
        }
        Value::BytesFilter { bytes, operator } => {
            ParameterValue::BytesFilter { operator: *operator, bytes: bytes.clone() }
        }
        Value::Bag(_) => ParameterValue::Group(Vec::new()),
    }
}

/// Two values of one parameter: a list. What has no list comes back.
fn join(known: &mut ParameterValue, more: ParameterValue) -> Option<ParameterValue> {
    match (&mut *known, more) {
        (ParameterValue::Integers(list), ParameterValue::Integers(more)) => list.extend(more),
        (ParameterValue::Integers(list), ParameterValue::Integer(more)) => list.push(more),
        (ParameterValue::Integer(first), ParameterValue::Integer(more)) => {
            *known = ParameterValue::Integers(vec![*first, more]);
        }
        (ParameterValue::Integers64(list), ParameterValue::Integer64(more)) => list.push(more),
        (ParameterValue::Integer64(first), ParameterValue::Integer64(more)) => {
            *known = ParameterValue::Integers64(vec![*first, more]);
        }
        (ParameterValue::Texts(list), ParameterValue::Text(more)) => list.push(more),
        (ParameterValue::Text(first), ParameterValue::Text(more)) => {
            *known = ParameterValue::Texts(vec![std::mem::take(first), more]);
        }
        (_, more) => return Some(more),
    }
    None
}

/// Replaces what a bag of the program holds by a message.
///
/// # Errors
/// 2320, 2315, 2326 a group.
pub fn into(number: i32, message: Message) -> Result<(), Ended> {
    check_fillable(number)?;
    super::clear(number)?;
    let Message { header, parameters } = message;
    let items = items(parameters);
    change(number, |bag| {
        fill(bag, &header, items);
        Ok(())
    })
}

/// # Errors
/// 2320, 2315, 2326 a group.
pub(super) fn check_fillable(number: i32) -> Result<(), Ended> {
    change(number, |bag| if bag.is_group() { Err(Reason::BagWrongType) } else { Ok(()) })
}

/// A bag of the system with a message.
pub(super) fn received(message: Message) -> i32 {
    let mut bag = Bag::new(MQCBO_SYSTEM_BAG);
    let items = items(message.parameters);
    fill(&mut bag, &message.header, items);
    keep(bag)
}

fn fill(bag: &mut Bag, header: &Header, items: Vec<Item>) {
    let system = [
        (MQIASY_TYPE, header.kind.0),
        (MQIASY_VERSION, header.version),
        (MQIASY_COMMAND, header.command),
        (MQIASY_MSG_SEQ_NUMBER, header.sequence),
        (MQIASY_CONTROL, i32::from(header.is_last)),
        (MQIASY_COMP_CODE, header.completion),
        (MQIASY_REASON, header.reason),
    ];
    for (selector, value) in system {
        bag.set_system(selector, value);
    }
    bag.items.extend(items);
}

/// The items of parameters; lists become several items, groups bags of the system.
fn items(parameters: Vec<Parameter>) -> Vec<Item> {
    let mut items = Vec::new();
    for Parameter { id, value } in parameters {
        let text = |characters| Value::Text(Text::received(characters));
        let values: Vec<Value> = match value {
            ParameterValue::Integer(value) => vec![Value::Integer(value)],
            ParameterValue::Integer64(value) => vec![Value::Integer64(value)],
            ParameterValue::Integers(values) => values.into_iter().map(Value::Integer).collect(),
            ParameterValue::Integers64(values) => values.into_iter().map(Value::Integer64).collect(),
            ParameterValue::Text(characters) => vec![text(characters)],
            ParameterValue::Texts(texts) => texts.into_iter().map(text).collect(),
            ParameterValue::Bytes(bytes) => vec![Value::Bytes(bytes)],
            ParameterValue::IntegerFilter { operator, value } => vec![Value::IntegerFilter { value, operator }],
            ParameterValue::TextFilter { operator, text } => {
                vec![Value::TextFilter { text: Text::received(text), operator }]
            }
            ParameterValue::BytesFilter { operator, bytes } => vec![Value::BytesFilter { bytes, operator }],
            ParameterValue::Group(inner) => {
                let mut bag = Bag::new(MQCBO_SYSTEM_BAG | MQCBO_GROUP_BAG);
                bag.items.extend(self::items(inner));
                vec![Value::Bag(keep(bag))]
            }
        };
        items.extend(values.into_iter().map(|value| Item { selector: id, value }));
    }
    items
}
