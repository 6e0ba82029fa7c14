//! Warns in the log before a quota of disk or memory is used.
//!
//! Never: refuses anything. The store does, and `reason.rs` says so.

use std::time::Duration;

use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::{QuotaUse, Quotas};
use tracing::{info, warn};

use crate::engine::Engine;

/// Percent of a quota at which there is a line.
const WARNINGS: [u64; 2] = [80, 90];
/// So far below a warning its quota has to be before the warning comes again.
const BACK: u64 = 5;
/// Between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// Which warnings have been given.
#[derive(Default)]
pub(crate) struct QuotaWatch(Mutex<Told>);

#[derive(Default)]
struct Told {
    disk: Warned,
    memory: Warned,
}

/// The percentage that was warned of last; 0 for none.
#[derive(Debug, Default)]
struct Warned(u64);

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Warning,
    Better,
}

impl Warned {
    fn look(&mut self, percent: u64) -> Option<Line> {
        let reached = WARNINGS.into_iter().filter(|warning| percent >= *warning).max().unwrap_or(0);
        if reached > self.0 {
            self.0 = reached;
            return Some(Line::Warning);
        }
        let is_kept = |warning: &u64| *warning <= self.0 && percent + BACK > *warning;
        let kept = WARNINGS.into_iter().filter(is_kept).max().unwrap_or(0);
        let is_better = self.0 > 0 && kept == 0;
        self.0 = kept;
        is_better.then_some(Line::Better)
    }
}

/// Says when to look again; `None`: there are no quotas.
pub(crate) fn look(engine: &Engine) -> Option<Timestamp> {
    let Quotas { disk, memory } = engine.store.quotas();
    let mut told = engine.quota_watch.0.lock();
    tell(engine, &mut told.disk, disk, "disk", "limits.disk_quota", "2056");
    tell(engine, &mut told.memory, memory, "memory", "limits.memory_quota", "2071");
    (disk.is_some() || memory.is_some()).then(|| engine.now().saturating_add(PAUSE))
}

fn tell(engine: &Engine, warned: &mut Warned, quota: Option<QuotaUse>, of: &str, key: &str, reason: &str) {
    let Some(quota) = quota else { return };
    let (queue_manager, percent) = (engine.name.as_str(), quota.percent());
    let QuotaUse { used_bytes, maximum_bytes } = quota;
    match warned.look(percent) {
        Some(Line::Warning) => warn!(
            queue_manager,
            used_bytes,
            maximum_bytes,
            "{percent} % of the quota of {of} is used: get messages, or raise {key}, before puts are refused with {reason}"
        ),
        Some(Line::Better) => {
            info!(queue_manager, used_bytes, maximum_bytes, "{percent} % of the quota of {of} is used");
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_comes_once_at_each_step_and_again_after_it_was_better() {
        let mut warned = Warned::default();
        let steps = [(79, None), (80, Some(Line::Warning)), (85, None), (92, Some(Line::Warning)), (99, None)];
        for (percent, line) in steps {
            assert_eq!(warned.look(percent), line, "{percent}");
        }
        for (percent, line) in [(86, None), (90, None), (84, None), (90, Some(Line::Warning)), (76, None)] {
            assert_eq!(warned.look(percent), line, "{percent}");
        }
        assert_eq!(warned.look(75), Some(Line::Better));
        assert_eq!((warned.look(74), warned.look(95)), (None, Some(Line::Warning)));
    }
}
