//! MQINQ and MQSET: attributes by their published selector numbers, read from and written to the attribute table.
//!
//! Source: MQ reference, "MQINQ", "MQSET", 9.3.

use std::sync::Arc;

use model::definition::QueueDefinition;
use model::definition::attribute::{
    Access, Attribute, Kind, LiveCounts, Target as Written, Value, ValueType, View, by_pcf,
};
use model::options::OpenOptions;
use model::reason::Reason;
use test_control::faults::Verb;

use crate::definition::definitions;
use crate::definition::queue_objects::Triggering;
use crate::engine::Engine;
use crate::instrumentation::changes;
use crate::instrumentation::event::command::{Issuer, Origin};
use crate::instrumentation::event::configuration;
use crate::queue::Queue;
use crate::verb::connection::{Connection, ObjectHandle};
use crate::verb::faults::Subject;
use crate::verb::handle::Target;

/// What MQINQ returns: integers in the order of their selectors, and text attributes one after the other, each of its
/// own published width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inquired {
    pub integers: Vec<i32>,
    pub characters: Vec<u8>,
    /// `SelectorNotForType` (2068): -1 or asterisks stand where the object lacks the attribute.
    pub warning: Option<Reason>,
}

/// MQIAV_NOT_APPLICABLE.
const NOT_APPLICABLE: i32 = -1;
/// MQIA_FIRST to MQIA_LAST, and MQCA_FIRST to MQCA_LAST.
const INTEGERS: std::ops::RangeInclusive<i32> = 1..=2000;
const CHARACTERS: std::ops::RangeInclusive<i32> = 2001..=4000;
/// Attributes that MQSET may change, by selector, and the reason for a wrong value.
const SETTABLE: [(i32, Reason); 8] = [
    (9, Reason::InhibitValueError),
    (10, Reason::InhibitValueError),
    (24, Reason::TriggerControlError),
    (26, Reason::TriggerMsgPriorityErr),
    (28, Reason::TriggerTypeError),
    (29, Reason::TriggerDepthError),
    (34, Reason::InhibitValueError),
    (2023, Reason::CharAttrsError),
];
const TRIGGER_DATA_LENGTH: usize = 64;

impl Connection {
    /// # Errors
    /// `HobjError` (2019), `NotOpenForInquire` (2038), `SelectorError` (2067): no such selector. `QDeleted` (2052),
    /// `ObjectChanged` (2041): so changed that the handle does not serve any more, or a process or namelist is gone.
    pub fn inquire(&self, handle: ObjectHandle, selectors: &[i32]) -> Result<Inquired, Reason> {
        let Some(observation) = self.state.observation() else { return self.inquire_now(handle, selectors) };
        let outcome = observation.time_now(|| self.inquire_now(handle, selectors));
        observation.inquired(self, handle, &outcome);
        outcome
    }

    fn inquire_now(&self, handle: ObjectHandle, selectors: &[i32]) -> Result<Inquired, Reason> {
        let open = self.state.handle(handle)?;
        if !open.options.contains(OpenOptions::INQUIRE) {
            return Err(Reason::NotOpenForInquire);
        }
        open.check_unchanged()?;
        match &open.target {
            Target::Queue(destination) => {
                let queue = destination.first();
                read(View::Queue(&queue.definition(), live_counts(queue)), selectors)
            }
            Target::QueueManager => read(View::QueueManager(&self.engine.definition()), selectors),
            Target::Object(family) => {
                let object = self.engine.object(*family, &open.name).ok_or(Reason::ObjectChanged)?;
                read(View::Object(&object), selectors)
            }
            Target::Topic(_) | Target::Subscription(_) => Err(Reason::NotOpenForInquire),
        }
    }

    /// Sets inhibit, trigger and distribution-list attributes of a queue; all of them or none.
    ///
    /// # Errors
    /// `HobjError` (2019), `NotOpenForSet` (2040), `SelectorError` (2067), `IntAttrCountTooSmall` (2022),
    /// `CharAttrsTooShort` (2008), and 2020, 2075 to 2078 for values; `ResourceProblem` (2102).
    pub async fn set(
        &self,
        handle: ObjectHandle,
        selectors: &[i32],
        integers: &[i32],
        characters: &[u8],
    ) -> Result<(), Reason> {
        self.observed(
            (Verb::Set, Subject::Handle(handle)),
            || self.set_now(handle, selectors, integers, characters),
            |observation, outcome| observation.set(self, handle, outcome),
        )
        .await
    }

    async fn set_now(
        &self,
        handle: ObjectHandle,
        selectors: &[i32],
        integers: &[i32],
        characters: &[u8],
    ) -> Result<(), Reason> {
        let open = self.state.handle(handle)?;
        if !open.options.contains(OpenOptions::SET) {
            return Err(Reason::NotOpenForSet);
        }
        open.check_unchanged()?;
        let Target::Queue(destination) = &open.target else { return Err(Reason::NotOpenForSet) };
        let queue = destination.first().clone();
        let changes = changes(&queue, selectors, integers, characters)?;
        let before = queue.definition();
        write(&self.engine, &queue, changes).await?;
        let issuer = Issuer::new(&open.caller, Origin::SetCall);
        let attributes = |queue: &QueueDefinition| changes::attributes(View::Queue(queue, None));
        let (was, is) = (attributes(&before), attributes(&queue.definition()));
        changes::note(&self.engine, &issuer, None, ("queue", queue.name.as_str()), Some(&was), Some(&is));
        if self.engine.definition.read().configuration_event {
            configuration::attributes_set(&self.engine, &issuer, &before, &queue.definition()).await;
        }
        Ok(())
    }
}

fn live_counts(queue: &Queue) -> Option<LiveCounts> {
    if !queue.is_local() {
        return None;
    }
    let in_use = *queue.in_use.lock();
    let depth = queue.depth();
    Some(LiveCounts { depth, open_input: in_use.input, open_output: in_use.output })
}

fn read(view: View<'_>, selectors: &[i32]) -> Result<Inquired, Reason> {
    let mut inquired = Inquired { integers: Vec::new(), characters: Vec::new(), warning: None };
    for &selector in selectors {
        let row = by_pcf(view.kind(), selector);
        let known = row.or_else(|| Kind::ALL.into_iter().filter(may_be_opened).find_map(|kind| by_pcf(kind, selector)));
        let known = known.ok_or(Reason::SelectorError)?;
        let value = row.and_then(|row| (row.read)(view));
        if value.is_none() {
            inquired.warning = Some(Reason::SelectorNotForType);
        }
        if INTEGERS.contains(&selector) {
            let number = value.and_then(|value| value.number()).and_then(|number| i32::try_from(number).ok());
            inquired.integers.push(number.unwrap_or(NOT_APPLICABLE));
        } else if CHARACTERS.contains(&selector) {
            match &value {
                Some(Value::List(texts)) => {
                    for text in texts {
                        append(&mut inquired.characters, Some(text.as_bytes()), width(known));
                    }
                }
                _ => {
                    let text = value.as_ref().and_then(Value::text).map(str::as_bytes);
                    append(&mut inquired.characters, text, width(known));
                }
            }
        } else {
            return Err(Reason::SelectorError);
        }
    }
    Ok(inquired)
}

/// Kinds whose selectors mean something to MQINQ.
fn may_be_opened(kind: &Kind) -> bool {
    !kind.is_administered() || matches!(kind, Kind::Process | Kind::NameList)
}

/// Padded with blanks to its width; asterisks where there is no value.
fn append(characters: &mut Vec<u8>, text: Option<&[u8]>, width: usize) {
    let end = characters.len() + width;
    match text {
        Some(text) => {
            characters.extend_from_slice(&text[..text.len().min(width)]);
            characters.resize(end, b' ');
        }
        None => characters.resize(end, b'*'),
    }
}

/// Bytes an attribute takes in MQINQ's character buffer: MQ_*_LENGTH.
fn width(row: &Attribute) -> usize {
    match row.value {
        ValueType::Name | ValueType::Names { .. } => 48,
        ValueType::Text { maximum } | ValueType::Secret { maximum } => maximum,
        ValueType::Date => 12,
        ValueType::Time => 8,
        ValueType::Hexadecimal { bytes } => bytes,
        ValueType::Integer { .. }
        | ValueType::Choice(_)
        | ValueType::Flag(_)
        | ValueType::List
        | ValueType::Texts { .. }
        | ValueType::Words { .. } => 0,
    }
}

type Changes = Vec<(&'static Attribute, Value)>;

fn changes(queue: &Arc<Queue>, selectors: &[i32], integers: &[i32], mut characters: &[u8]) -> Result<Changes, Reason> {
    let kind = queue.with(|definition| View::Queue(definition, None).kind());
    let mut integers = integers.iter();
    let mut changes = Vec::with_capacity(selectors.len());
    for selector in selectors {
        let (_, wrong) = SETTABLE.iter().find(|(settable, _)| settable == selector).ok_or(Reason::SelectorError)?;
        let value = if INTEGERS.contains(selector) {
            Value::Integer(i64::from(*integers.next().ok_or(Reason::IntAttrCountTooSmall)?))
        } else {
            let (text, rest) = characters.split_at_checked(TRIGGER_DATA_LENGTH).ok_or(Reason::CharAttrsTooShort)?;
            characters = rest;
            // Programs in C end it with a zero byte; what follows is any memory.
            let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
            Value::Text(String::from_utf8_lossy(text[..end].trim_ascii_end()).into_owned())
        };
        let row =
            by_pcf(kind, *selector).filter(|row| row.access == Access::Settable).ok_or(Reason::SelectorNotForType)?;
        row.value.check(&value).map_err(|_| *wrong)?;
        changes.push((row, value));
    }
    Ok(changes)
}

async fn write(engine: &Engine, queue: &Arc<Queue>, changes: Changes) -> Result<(), Reason> {
    let triggering = Triggering::before(engine, queue);
    definitions::change_queue(engine, queue, |definition: &mut QueueDefinition| {
        let mut target = Written::Queue(definition);
        for (row, value) in &changes {
            // The table has accepted the value for this kind of queue: it can be written.
            let _ = (row.write)(target.again(), value);
        }
    })
    .await?;
    triggering.look().await;
    Ok(())
}
