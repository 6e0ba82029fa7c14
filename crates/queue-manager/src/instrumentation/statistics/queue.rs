//! What was done to one queue within an interval, by everybody whose handles count.
//!
//! A queue has figures from the first counted call on. Depths are noted from then on whoever changes them, so that least
//! and greatest depth are those of the queue and not of the handles that count.

use std::sync::Arc;

use model::pcf::Parameter;
use parking_lot::Mutex;

use crate::instrumentation::accounting::activity::Activity;
use crate::instrumentation::accounting::calls::small;
use crate::instrumentation::accounting::number as n;
use crate::instrumentation::accounting::record::about_queue;
use crate::queue::Queue;

#[derive(Debug)]
pub(crate) struct QueueFigures(Mutex<Figures>);

#[derive(Debug, Clone, Default)]
struct Figures {
    /// Something was counted in the interval.
    is_worth_telling: bool,
    activity: Activity,
    least_depth: u32,
    greatest_depth: u32,
    expired: u64,
    purges: u64,
}

impl QueueFigures {
    fn new(depth: u32) -> Self {
        Self(Mutex::new(Figures { least_depth: depth, greatest_depth: depth, ..Figures::default() }))
    }

    /// The queue holds that many messages now, or did a moment ago.
    pub(crate) fn note_depth(&self, depth: u32) {
        let mut figures = self.0.lock();
        figures.least_depth = figures.least_depth.min(depth);
        figures.greatest_depth = figures.greatest_depth.max(depth);
    }

    pub(crate) fn expired(&self, messages: u64) {
        let mut figures = self.0.lock();
        figures.expired += messages;
        figures.is_worth_telling = true;
    }

    pub(crate) fn purged(&self) {
        let mut figures = self.0.lock();
        figures.purges += 1;
        figures.is_worth_telling = true;
    }
}

impl Queue {
    /// Counts a call of a handle that counts.
    pub(crate) fn note(&self, note: &dyn Fn(&mut Activity)) {
        let figures = self.figures.get_or_init(|| Box::new(QueueFigures::new(self.depth())));
        let mut figures = figures.0.lock();
        note(&mut figures.activity);
        figures.is_worth_telling = true;
    }

    /// What was counted since it was taken last, as a group; `None` when nothing was. Counting begins anew.
    pub(crate) fn take_figures(&self) -> Option<Parameter> {
        let figures = self.figures.get()?;
        let depth = self.depth();
        let next = Figures { least_depth: depth, greatest_depth: depth, ..Figures::default() };
        let taken = std::mem::replace(&mut *figures.0.lock(), next);
        taken.is_worth_telling.then(|| group(self, &taken, depth))
    }
}

fn group(queue: &Queue, figures: &Figures, depth: u32) -> Parameter {
    let created = queue.with(|definition| definition.history.created);
    let mut members = about_queue(queue.name.as_str(), created, queue.definition_type());
    let number = |id, number: u64| Parameter::integer(id, small(number));
    members.push(number(n::MQIAMO_Q_MIN_DEPTH, figures.least_depth.min(depth).into()));
    members.push(number(n::MQIAMO_Q_MAX_DEPTH, figures.greatest_depth.max(depth).into()));
    members.extend(figures.activity.counted());
    // Every message is put on its queue here before somebody gets it.
    members.push(number(n::MQIAMO_MSGS_NOT_QUEUED, 0));
    members.push(number(n::MQIAMO_MSGS_EXPIRED, figures.expired));
    members.push(number(n::MQIAMO_MSGS_PURGED, figures.purges));
    Parameter::group(n::MQGACF_Q_STATISTICS_DATA, members)
}

/// Of every queue of which something was counted, in order of names.
pub(super) fn groups(queues: Vec<Arc<Queue>>) -> Vec<Parameter> {
    let mut queues: Vec<Arc<Queue>> = queues.into_iter().filter(|queue| queue.figures.get().is_some()).collect();
    queues.sort_by_key(|queue| queue.name);
    queues.iter().filter_map(|queue| queue.take_figures()).collect()
}
