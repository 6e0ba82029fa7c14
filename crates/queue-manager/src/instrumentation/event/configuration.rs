//! Configuration events (CONFIGEV): what an object was and is, when a command or MQSET changes it, makes it or deletes it;
//! and what all objects are, when REFRESH QMGR TYPE(CONFIGEV) asks.
//!
//! Whoever runs a command takes a `Snapshot` before and after it; the two together say what happened. A change is two
//! messages with one correlation identifier, the attributes before it and those after it.
//!
//! Source: MQ monitoring, "Configuration event generation", "Create object" to "Refresh object", "Authority configuration
//! events", 9.2.

use model::authority::{AuthorityObject, AuthorityRecord};
use model::definition::QueueDefinition;
use model::definition::administered::AdministeredObject;
use model::definition::attribute::{self, Kind, Value, ValueType, View};
use model::definition::queue::DefinitionType;
use model::identifier::CorrelationId;
use model::name::ObjectName;
use model::pcf::{Parameter, ParameterValue};
use model::timestamp::Timestamp;

use crate::QueueManager;
use crate::engine::Engine;
use crate::instrumentation::event::command::{Issuer, context};
use crate::instrumentation::event::number as n;
use crate::instrumentation::event::{self, Event, Family};

/// An object as configuration events tell of it: type, name, attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(Vec<Parameter>);

/// What became of an object.
enum Happened<'a> {
    Created(&'a Snapshot),
    Changed(&'a Snapshot, &'a Snapshot),
    Deleted(&'a Snapshot),
}

impl QueueManager {
    /// Whether anybody wants configuration events.
    pub fn wants_configuration_events(&self) -> bool {
        self.engine().definition.read().configuration_event
    }

    /// The object of that name as it is now. `None` when there is none, and for what is never told: temporary dynamic
    /// queues, the configuration event queue itself, subscriptions.
    pub fn snapshot(&self, kind: Kind, name: &str) -> Option<Snapshot> {
        match kind {
            Kind::QueueManager => Some(of_view(AuthorityObject::QueueManager, View::QueueManager(&self.definition()))),
            Kind::Topic => {
                let topic = self.topic(&ObjectName::parse(name).ok()?)?;
                Some(of_view(AuthorityObject::Topic, View::Topic(&topic)))
            }
            _ if kind.is_queue() => of_queue(&*self.queue(&ObjectName::parse(name).ok()?)?),
            _ if kind.is_administered() => {
                let family = kind.authority_object();
                let object = self.object(family, &ObjectName::parse(name).ok()?)?;
                Some(of_view(family, View::Object(&object)))
            }
            _ => None,
        }
    }

    /// Tells what a command did to an object. Nothing when it was not there and is not.
    pub async fn configuration_changed(
        &self,
        issuer: &Issuer<'_>,
        before: Option<&Snapshot>,
        after: Option<&Snapshot>,
    ) {
        let happened = match (before, after) {
            (None, None) => return,
            (None, Some(after)) => Happened::Created(after),
            (Some(before), None) => Happened::Deleted(before),
            (Some(before), Some(after)) => Happened::Changed(before, after),
        };
        tell(self.engine(), issuer, &happened).await;
    }

    /// One event for each object that is wanted, by kind and name: REFRESH QMGR TYPE(CONFIGEV). With `altered_since` for
    /// those only that were made or altered since then.
    pub async fn refresh_configuration(
        &self,
        issuer: &Issuer<'_>,
        is_wanted: &(dyn Fn(Kind, &str) -> bool + Sync),
        altered_since: Option<Timestamp>,
    ) {
        for (kind, name, altered) in self.told_objects() {
            let is_recent = altered_since.is_none_or(|since| altered >= since);
            if is_recent
                && is_wanted(kind, name.as_str())
                && let Some(snapshot) = self.refreshed(kind, name.as_str())
            {
                let event = event_of(self.engine(), issuer, n::MQRC_CONFIG_REFRESH_OBJECT, &snapshot);
                event::send(self.engine(), event).await;
            }
        }
    }

    /// Every object that configuration events may tell of, with the time it was last altered.
    fn told_objects(&self) -> Vec<(Kind, ObjectName, Timestamp)> {
        let manager = self.definition();
        let mut told = vec![(Kind::QueueManager, manager.name, manager.history.altered)];
        told.extend(self.queues().iter().map(|queue| (queue.attribute_kind(), queue.name, queue.history.altered)));
        told.extend(self.topics().iter().map(|topic| (Kind::Topic, topic.name, topic.history.altered)));
        for family in AdministeredObject::FAMILIES {
            let objects = self.objects(family);
            told.extend(objects.iter().map(|object| (object.kind(), object.name(), object.history().altered)));
        }
        told
    }

    /// Configuration events are put only here.
    fn refreshed(&self, kind: Kind, name: &str) -> Option<Snapshot> {
        if name != Family::Configuration.queue() {
            return self.snapshot(kind, name);
        }
        let queue = self.queue(&ObjectName::parse(name).ok()?)?;
        Some(of_view(AuthorityObject::Queue, View::Queue(&queue, None)))
    }
}

/// MQSET has the event of a command that changes the queue.
pub(crate) async fn attributes_set(
    engine: &Engine,
    issuer: &Issuer<'_>,
    before: &QueueDefinition,
    after: &QueueDefinition,
) {
    if let (Some(before), Some(after)) = (of_queue(before), of_queue(after)) {
        tell(engine, issuer, &Happened::Changed(&before, &after)).await;
    }
}

impl Snapshot {
    pub fn of_record(record: &AuthorityRecord) -> Self {
        let authorities = record.authorities.words().map(|word| word.pcf).collect();
        Self(vec![
            Parameter::integer(n::MQIACF_OBJECT_TYPE, n::MQOT_AUTH_REC),
            Parameter::text(n::MQCACF_AUTH_PROFILE_NAME, record.profile.as_str()),
            Parameter::integer(n::MQIACF_AUTH_REC_TYPE, record.object.pcf()),
            Parameter::text(n::MQCACF_ENTITY_NAME, record.entity.name()),
            Parameter::integer(n::MQIACF_ENTITY_TYPE, record.entity.pcf()),
            Parameter::integers(n::MQIACF_AUTHORIZATION_LIST, authorities),
        ])
    }
}

fn of_queue(queue: &QueueDefinition) -> Option<Snapshot> {
    let is_temporary = queue.as_local().is_some_and(|local| local.definition_type == DefinitionType::TemporaryDynamic);
    let is_own = queue.name.as_str() == Family::Configuration.queue();
    (!is_temporary && !is_own).then(|| of_view(AuthorityObject::Queue, View::Queue(queue, None)))
}

fn of_view(object: AuthorityObject, view: View<'_>) -> Snapshot {
    let mut parameters = vec![Parameter::integer(n::MQIACF_OBJECT_TYPE, object.pcf())];
    parameters.extend(attribute::told_by(view).filter_map(|row| {
        let id = row.pcf.filter(|_| !matches!(row.value, ValueType::Secret { .. }))?;
        parameter(id, row.value, (row.read)(view)?)
    }));
    Snapshot(parameters)
}

/// The structure that an attribute's number calls for: integers up to 2000, bytes from 7001, texts between.
fn parameter(id: i32, kind: ValueType, value: Value) -> Option<Parameter> {
    let value = match value {
        Value::Integer(number) if id <= 2000 => ParameterValue::Integer(i32::try_from(number).ok()?),
        Value::Integer(number) => ParameterValue::Text(number.to_string()),
        Value::Text(text) if matches!(kind, ValueType::List) => {
            ParameterValue::Texts(text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect())
        }
        Value::Text(text) if id > 7000 => ParameterValue::Bytes(bytes(&text)?),
        Value::Text(text) if id > 2000 => ParameterValue::Text(text),
        Value::Text(_) => return None,
        Value::List(texts) => ParameterValue::Texts(texts),
        Value::Numbers(numbers) => {
            ParameterValue::Integers(numbers.into_iter().filter_map(|number| i32::try_from(number).ok()).collect())
        }
    };
    Some(Parameter { id, value })
}

/// The bytes that hexadecimal digits spell.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

async fn tell(engine: &Engine, issuer: &Issuer<'_>, happened: &Happened<'_>) {
    match happened {
        Happened::Created(after) => {
            event::send(engine, event_of(engine, issuer, n::MQRC_CONFIG_CREATE_OBJECT, after)).await;
        }
        Happened::Deleted(before) => {
            event::send(engine, event_of(engine, issuer, n::MQRC_CONFIG_DELETE_OBJECT, before)).await;
        }
        Happened::Changed(before, after) => {
            let correlation_id = CorrelationId::new(engine.identifiers.make());
            for (sequence, snapshot) in [(1, before), (2, after)] {
                let mut event = event_of(engine, issuer, n::MQRC_CONFIG_CHANGE_OBJECT, snapshot);
                event.message.header.sequence = sequence;
                event.message.header.is_last = sequence == 2;
                event.correlation_id = correlation_id;
                event::send(engine, event).await;
            }
        }
    }
}

fn event_of(engine: &Engine, issuer: &Issuer<'_>, reason: i32, snapshot: &Snapshot) -> Event {
    let mut parameters = context(&engine.name, issuer);
    parameters.extend(snapshot.0.iter().cloned());
    Family::Configuration.event(reason, parameters)
}
