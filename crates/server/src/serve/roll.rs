//! The queue managers of a start: the configured ones, and those in the data directory.
//!
//! Whoever is named is started, and made when absent. The others are known, and start again only if they ran when the last
//! server ended: what `endmqm` ended stays ended until `strmqm`, or until it is named by --qmgr.

use model::name::QueueManagerName;
use queue_manager::registry::State;

use crate::data_directory::DataDirectory;
use crate::error::ServerError;
use crate::serve::plan::Plan;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub name: QueueManagerName,
    pub starts: bool,
    /// How it is if it does not start.
    pub at_rest: State,
}

/// The named first, in their order, then the others by name.
///
/// # Errors
/// The data directory cannot be read.
pub(crate) fn call(plan: &Plan, data: &DataDirectory) -> Result<Vec<Entry>, ServerError> {
    let mut roll: Vec<Entry> = Vec::new();
    for &name in &plan.configuration.server.queue_managers {
        if !roll.iter().any(|entry| entry.name == name) {
            roll.push(Entry { name, starts: true, at_rest: State::EndedUnexpectedly });
        }
    }
    if plan.options.ephemeral {
        return Ok(roll);
    }
    data.sweep();
    for name in data.queue_managers()? {
        if !roll.iter().any(|entry| entry.name == name) {
            let resumes = data.saved(&name).is_some_and(|saved| saved.resumes);
            let starts = resumes && !plan.options.only_named;
            roll.push(Entry { name, starts, at_rest: data.state_at_rest(&name) });
        }
    }
    Ok(roll)
}
