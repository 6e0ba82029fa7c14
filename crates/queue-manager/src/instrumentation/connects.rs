//! How often programs have connected, by their names: what tells a program that connects for each message.
//!
//! Invariant: `MAXIMUM` names; those that come later are counted together under the empty name.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::QueueManager;

const MAXIMUM: usize = 256;

#[derive(Default)]
pub(crate) struct Connects(Mutex<HashMap<String, u64>>);

impl Connects {
    pub(crate) fn count(&self, application: &str) {
        let mut counts = self.0.lock();
        if let Some(count) = counts.get_mut(application) {
            *count += 1;
            return;
        }
        let name = if counts.len() < MAXIMUM { application } else { "" };
        *counts.entry(name.to_owned()).or_default() += 1;
    }
}

impl QueueManager {
    /// Connections that programs have made since the start, by their names.
    pub fn connects(&self) -> HashMap<String, u64> {
        self.engine().connects.0.lock().clone()
    }
}
