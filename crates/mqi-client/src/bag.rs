//! Bags of the MQAI: lists of items, each with a selector, and the commands that are sent and answered by them.
//!
//! Source: MQ reference, "MQ Administration Interface", 9.4.

pub mod execute;

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, Ordering};

use model::pcf::{Parameter, ParameterValue};
use model::reason::Reason;
use parking_lot::Mutex;

use crate::constant::{
    MQHA_BAG_HANDLE, MQIACF_INQUIRY, MQIND_ALL, MQIND_NONE, MQITEM_BAG, MQITEM_BYTE_STRING, MQITEM_BYTE_STRING_FILTER,
    MQITEM_INTEGER, MQITEM_INTEGER_FILTER, MQITEM_INTEGER64, MQITEM_STRING, MQITEM_STRING_FILTER, MQSEL_ALL_SELECTORS,
    MQSEL_ALL_SYSTEM_SELECTORS, MQSEL_ALL_USER_SELECTORS,
};
use crate::per_process::PerProcess;
use crate::{Ended, failed};

static BAGS: PerProcess<Mutex<HashMap<i32, Bag>>> = PerProcess::new();
static NEXT_NUMBER: AtomicI32 = AtomicI32::new(1);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bag {
    options: i32,
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub selector: i32,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Integer(i32),
    Integer64(i64),
    Text(String),
    Bytes(Vec<u8>),
    IntegerFilter {
        value: i32,
        operator: i32,
    },
    TextFilter {
        text: String,
        operator: i32,
    },
    BytesFilter {
        bytes: Vec<u8>,
        operator: i32,
    },
    /// A bag within the bag, which is deleted with it.
    Bag(i32),
}

impl Value {
    /// MQITEM_*.
    pub fn kind(&self) -> i32 {
        match self {
            Self::Integer(_) => MQITEM_INTEGER,
            Self::Integer64(_) => MQITEM_INTEGER64,
            Self::Text(_) => MQITEM_STRING,
            Self::Bytes(_) => MQITEM_BYTE_STRING,
            Self::IntegerFilter { .. } => MQITEM_INTEGER_FILTER,
            Self::TextFilter { .. } => MQITEM_STRING_FILTER,
            Self::BytesFilter { .. } => MQITEM_BYTE_STRING_FILTER,
            Self::Bag(_) => MQITEM_BAG,
        }
    }
}

/// mqCreateBag.
pub fn create(options: i32) -> i32 {
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    BAGS.get().lock().insert(number, Bag { options, items: Vec::new() });
    number
}

/// mqDeleteBag; bags within it go too.
///
/// # Errors
/// 2320.
pub fn delete(number: i32) -> Result<Ended, Ended> {
    let bag = BAGS.get().lock().remove(&number).ok_or(failed(Reason::HbagError))?;
    delete_within(&bag.items);
    Ok(Ended::WELL)
}

fn delete_within(items: &[Item]) {
    for item in items {
        if let Value::Bag(within) = item.value {
            let _ = delete(within);
        }
    }
}

/// Works on a bag.
///
/// # Errors
/// 2320, and what `work` says.
pub fn with<R>(number: i32, work: impl FnOnce(&mut Bag) -> Result<R, Reason>) -> Result<R, Ended> {
    let mut bags = BAGS.get().lock();
    let bag = bags.get_mut(&number).ok_or(failed(Reason::HbagError))?;
    work(bag).map_err(failed)
}

/// mqClearBag.
///
/// # Errors
/// 2320.
pub fn clear(number: i32) -> Result<Ended, Ended> {
    let items = with(number, |bag| Ok(std::mem::take(&mut bag.items)))?;
    delete_within(&items);
    Ok(Ended::WELL)
}

/// mqAddInteger and its kin.
///
/// # Errors
/// 2320.
pub fn add(number: i32, selector: i32, value: Value) -> Result<Ended, Ended> {
    with(number, |bag| {
        bag.items.push(Item { selector, value });
        Ok(Ended::WELL)
    })
}

/// mqAddInquiry: an attribute that an inquiry asks for.
///
/// # Errors
/// 2320.
pub fn add_inquiry(number: i32, attribute: i32) -> Result<Ended, Ended> {
    add(number, MQIACF_INQUIRY, Value::Integer(attribute))
}

/// mqCountItems.
///
/// # Errors
/// 2320.
pub fn count(number: i32, selector: i32) -> Result<usize, Ended> {
    with(number, |bag| Ok(bag.items.iter().filter(|item| is_meant(item, selector)).count()))
}

/// The item that a selector and an index name: MQIND_NONE where there is one alone.
///
/// # Errors
/// 2320, 2309 no such selector, 2306 no such index, 2305 several without an index, 2314.
pub fn item(number: i32, selector: i32, index: i32) -> Result<Item, Ended> {
    with(number, |bag| {
        let mut meant = bag.items.iter().filter(|item| is_meant(item, selector));
        let found = match index {
            MQIND_NONE => {
                let first = meant.next().ok_or(Reason::SelectorNotPresent)?;
                return if meant.next().is_some() { Err(Reason::SelectorNotUnique) } else { Ok(first.clone()) };
            }
            index => usize::try_from(index).map_err(|_| Reason::IndexError)?,
        };
        let all: Vec<&Item> = meant.collect();
        if all.is_empty() {
            return Err(Reason::SelectorNotPresent);
        }
        all.get(found).map(|item| (*item).clone()).ok_or(Reason::IndexNotPresent)
    })
}

/// mqDeleteItem.
///
/// # Errors
/// As `item`.
pub fn delete_item(number: i32, selector: i32, index: i32) -> Result<Ended, Ended> {
    if index != MQIND_ALL {
        item(number, selector, index)?;
    }
    let gone = with(number, |bag| {
        let mut seen = 0;
        let (gone, kept) = std::mem::take(&mut bag.items).into_iter().partition(|item| {
            let is_one = is_meant(item, selector);
            let here = seen;
            seen += i32::from(is_one);
            is_one && (index == MQIND_ALL || index == MQIND_NONE || index == here)
        });
        bag.items = kept;
        let gone: Vec<Item> = gone;
        Ok(gone)
    })?;
    delete_within(&gone);
    Ok(Ended::WELL)
}

fn is_meant(item: &Item, selector: i32) -> bool {
    match selector {
        MQSEL_ALL_SELECTORS => true,
        MQSEL_ALL_USER_SELECTORS => item.selector >= 0,
        MQSEL_ALL_SYSTEM_SELECTORS => item.selector < 0,
        selector => item.selector == selector,
    }
}

/// The parameters of a command: items of one selector become a list, those of an inquiry too.
fn parameters(items: &[Item]) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for item in items.iter().filter(|item| item.selector >= 0) {
        let id = if item.selector == MQIACF_INQUIRY { attributes_of(items) } else { item.selector };
        let value = match &item.value {
            Value::Integer(value) if item.selector == MQIACF_INQUIRY => ParameterValue::Integers(vec![*value]),
            Value::Integer(value) => ParameterValue::Integer(*value),
            Value::Integer64(value) => ParameterValue::Integer64(*value),
            Value::Text(text) => ParameterValue::Text(text.clone()),
            Value::Bytes(bytes) => ParameterValue::Bytes(bytes.clone()),
            Value::IntegerFilter { value, operator } => {
                ParameterValue::IntegerFilter { operator: *operator, value: *value }
            }
            Value::TextFilter { text, operator } => {
                ParameterValue::TextFilter { operator: *operator, text: text.clone() }
            }
            Value::BytesFilter { bytes, operator } => {
                ParameterValue::BytesFilter { operator: *operator, bytes: bytes.clone() }
            }
            Value::Bag(within) => {
                let inner = with(*within, |bag| Ok(bag.items.clone())).unwrap_or_default();
                ParameterValue::Group(self::parameters(&inner))
            }
        };
        match parameters.iter_mut().find(|known| known.id == id) {
            Some(known) => join(&mut known.value, value),
            None => parameters.push(Parameter { id, value }),
        }
    }
    parameters
}

/// Two values of one parameter: a list.
fn join(known: &mut ParameterValue, more: ParameterValue) {
    match (&mut *known, more) {
        (ParameterValue::Integers(list), ParameterValue::Integers(more)) => list.extend(more),
        (ParameterValue::Integers(list), ParameterValue::Integer(more)) => list.push(more),
        (ParameterValue::Integer(first), ParameterValue::Integer(more)) => {
            *known = ParameterValue::Integers(vec![*first, more]);
        }
        (ParameterValue::Texts(list), ParameterValue::Text(more)) => list.push(more),
        (ParameterValue::Text(first), ParameterValue::Text(more)) => {
            *known = ParameterValue::Texts(vec![std::mem::take(first), more]);
        }
        _ => {}
    }
}

/// The parameter in which an inquiry lists what it asks for: it depends on the kind of object.
fn attributes_of(items: &[Item]) -> i32 {
    use crate::constant::{
        MQCA_CLUSTER_NAME, MQCA_NAMELIST_NAME, MQCA_PROCESS_NAME, MQCA_Q_NAME, MQCA_TOPIC_NAME, MQCACH_CHANNEL_NAME,
        MQIACF_CHANNEL_ATTRS, MQIACF_CLUSTER_Q_MGR_ATTRS, MQIACF_NAMELIST_ATTRS, MQIACF_PROCESS_ATTRS, MQIACF_Q_ATTRS,
        MQIACF_Q_MGR_ATTRS, MQIACF_TOPIC_ATTRS,
    };
    let kinds = [
        (MQCA_Q_NAME, MQIACF_Q_ATTRS),
        (MQCACH_CHANNEL_NAME, MQIACF_CHANNEL_ATTRS),
        (MQCA_NAMELIST_NAME, MQIACF_NAMELIST_ATTRS),
        (MQCA_PROCESS_NAME, MQIACF_PROCESS_ATTRS),
        (MQCA_TOPIC_NAME, MQIACF_TOPIC_ATTRS),
        (MQCA_CLUSTER_NAME, MQIACF_CLUSTER_Q_MGR_ATTRS),
    ];
    let named = kinds.iter().find(|(name, _)| items.iter().any(|item| item.selector == *name));
    named.map_or(MQIACF_Q_MGR_ATTRS, |(_, attributes)| *attributes)
}

/// Puts the parameters of a response into a bag; lists become several items, groups bags.
fn fill(bag: i32, parameters: Vec<Parameter>) -> Result<(), Ended> {
    for Parameter { id, value } in parameters {
        let values: Vec<Value> = match value {
            ParameterValue::Integer(value) => vec![Value::Integer(value)],
            ParameterValue::Integer64(value) => vec![Value::Integer64(value)],
            ParameterValue::Integers(values) => values.into_iter().map(Value::Integer).collect(),
            ParameterValue::Integers64(values) => values.into_iter().map(Value::Integer64).collect(),
            ParameterValue::Text(text) => vec![Value::Text(text)],
            ParameterValue::Texts(texts) => texts.into_iter().map(Value::Text).collect(),
            ParameterValue::Bytes(bytes) => vec![Value::Bytes(bytes)],
            ParameterValue::IntegerFilter { operator, value } => vec![Value::IntegerFilter { value, operator }],
            ParameterValue::TextFilter { operator, text } => vec![Value::TextFilter { text, operator }],
            ParameterValue::BytesFilter { operator, bytes } => vec![Value::BytesFilter { bytes, operator }],
            ParameterValue::Group(inner) => {
                let within = create(0);
                fill(within, inner)?;
                vec![Value::Bag(within)]
            }
        };
        for value in values {
            add(bag, id, value)?;
        }
    }
    Ok(())
}

/// A bag for one response, within the bag of all.
fn response_within(bag: i32) -> Result<i32, Ended> {
    let within = create(0);
    add(bag, MQHA_BAG_HANDLE, Value::Bag(within))?;
    Ok(within)
}

#[cfg(test)]
mod tests;
