//! The part of a plan that says whose processor time to measure. Each has a name of its own.

use super::{Choices, Group, bad};
use crate::error::WorkloadError;
use crate::processor::{Extent, Process};

/// What the driver measures without being told: itself, the network that it imitates, the programs of requester.
pub(crate) const DRIVER: &str = "driver";
pub(crate) const NETWORK: &str = "network";
pub(crate) const PROGRAMS: &str = "programs";

/// # Errors
/// A name that is another's, or a group of two kinds.
pub(super) fn processes(choices: &Choices) -> Result<Vec<Process>, WorkloadError> {
    let whole = choices.pid.iter().map(|(name, pid)| process("pid", name, *pid, Extent::Process));
    let groups = choices.group.iter().map(|(name, group)| {
        if choices.pid.contains_key(name) {
            return Err(bad("group", format!("'{name}' is also in pid: each name stands once")));
        }
        process("group", name, group.pid, extent(name, group)?)
    });
    whole.chain(groups).collect()
}

fn process(key: &'static str, name: &str, pid: u32, extent: Extent) -> Result<Process, WorkloadError> {
    if [DRIVER, NETWORK, PROGRAMS].contains(&name) {
        return Err(bad(key, format!("'{name}' is the name of what the driver measures by itself")));
    }
    Ok(Process { name: name.to_owned(), pid, extent })
}

fn extent(name: &str, group: &Group) -> Result<Extent, WorkloadError> {
    match (&group.threads, group.children) {
        (Some(_), true) => Err(bad("group", format!("'{name}' has both children and threads: it is one or the other"))),
        (Some(prefix), false) => Ok(Extent::Threads(prefix.clone())),
        (None, true) => Ok(Extent::Children),
        (None, false) => Ok(Extent::Process),
    }
}
