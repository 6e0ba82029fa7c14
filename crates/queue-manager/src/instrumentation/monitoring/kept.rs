//! Values of monitoring that are kept for a page of metrics, beside those that are published.
//!
//! What is counted in an interval is added up from the first look on; everything else is as it was at the end of the last
//! interval. Nothing is kept once nobody has looked for five minutes.

use std::collections::BTreeMap;
use std::time::Duration;

use model::name::QueueName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use crate::QueueManager;
use crate::instrumentation::monitoring::catalogue::{Class, Type, Unit};
use crate::instrumentation::monitoring::resume;

/// Without a look for this long, the values are dropped.
const PATIENCE: Duration = Duration::from_secs(300);

/// One element of monitoring, with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct MonitoredFamily {
    /// `STATQ` and its like.
    pub class: &'static str,
    /// As it is published: `MQPUT byte count`.
    pub element: &'static str,
    /// It never falls, until nobody looks for a while or the queue manager ends.
    pub is_counter: bool,
    /// In seconds, bytes and percent; with the name of the queue where the class has one.
    pub samples: Vec<(Option<QueueName>, f64)>,
}

/// Absent while nobody looks.
#[derive(Default)]
pub(super) struct Kept(Mutex<Option<Looked>>);

struct Looked {
    last: Timestamp,
    /// In the order of the catalogue, and raw.
    values: BTreeMap<(usize, Option<QueueName>), Vec<u64>>,
}

impl Kept {
    /// Whether somebody has looked lately; ends the keeping otherwise.
    pub(super) fn is_on(&self, now: Timestamp) -> bool {
        let mut looked = self.0.lock();
        if looked.as_ref().is_some_and(|looked| now.since(looked.last) > PATIENCE) {
            *looked = None;
        }
        looked.is_some()
    }

    pub(super) fn add<S>(&self, class: Class, types: &[Type<S>], queue: Option<QueueName>, sample: &S) {
        let mut looked = self.0.lock();
        let Some(looked) = looked.as_mut() else { return };
        let elements = || types.iter().flat_map(|of| of.elements);
        let values = looked.values.entry((class as usize, queue)).or_default();
        values.resize(elements().count(), 0);
        for (kept, element) in values.iter_mut().zip(elements()) {
            let value = (element.value)(sample);
            *kept = if element.unit == Unit::Delta { kept.saturating_add(value) } else { value };
        }
    }

    /// Forgets every queue that is not one of these.
    pub(super) fn retain(&self, is_there: impl Fn(&QueueName) -> bool) {
        if let Some(looked) = self.0.lock().as_mut() {
            looked.values.retain(|(_, queue), _| queue.as_ref().is_none_or(&is_there));
        }
    }

    /// Returns whether this is the first look.
    fn look(&self, now: Timestamp) -> bool {
        let mut looked = self.0.lock();
        let is_first = looked.is_none();
        looked.get_or_insert_with(|| Looked { last: now, values: BTreeMap::new() }).last = now;
        is_first
    }

    fn families(&self) -> Vec<MonitoredFamily> {
        let looked = self.0.lock();
        let Some(looked) = looked.as_ref() else { return Vec::new() };
        let mut families = Vec::new();
        for class in Class::ALL {
            let of_class = || looked.values.range((class as usize, None)..(class as usize + 1, None));
            let elements = class.types().into_iter().flat_map(|of| of.elements);
            families.extend(elements.enumerate().map(|(at, (element, unit))| MonitoredFamily {
                class: class.name(),
                element,
                is_counter: unit == Unit::Delta,
                samples: of_class().map(|((_, queue), values)| (*queue, unit.scaled(values[at]))).collect(),
            }));
        }
        families
    }
}

impl QueueManager {
    /// Every element of monitoring with its values, for a page of metrics. The first call begins to count, and the first values
    /// are there when the interval of ten seconds is over.
    pub fn monitored(&self) -> Vec<MonitoredFamily> {
        let engine = self.engine();
        if engine.monitoring.kept.look(engine.now()) {
            resume(engine);
        }
        engine.monitoring.kept.families()
    }
}
