//! Switches of a running queue manager that no definition holds: the command server, traces, and log messages left out.
//!
//! They are as they were made at each start. Which log lines are left out is asked by the logging side, which knows no
//! queue manager, so that set is the one thing here that a whole process shares.
//!
//! Source: MQ reference, "START CMDSERV", "START TRACE", "SET SYSTEM", 9.3.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use model::authority::{Authority, AuthorityObject, Principal};
use parking_lot::{Mutex, RwLock};

use crate::QueueManager;
use crate::definition::objects::{ObjectError, authorise};
use crate::engine::command_server::CommandServer;

/// Log messages that some queue manager's SET SYSTEM EXCLMSG leaves out: queue manager and identifier, `X511` or `AMQ9001`.
static EXCLUDED: RwLock<BTreeSet<(String, String)>> = RwLock::new(BTreeSet::new());
/// Looked at first, so that log lines cost nothing more while nothing is left out.
static ANY_EXCLUDED: AtomicBool = AtomicBool::new(false);

/// What is written of a message that z/OS calls by a number of its own: channels that start and end.
const SAME_MESSAGE: [(&str, &str); 4] =
    [("X500", "AMQ9002"), ("X501", "AMQ9001"), ("X511", "AMQ9002"), ("X512", "AMQ9001")];

/// Is a log line with this text left out? `queue_manager` is whom it is about; without one, what any leaves out counts.
pub fn is_excluded_from_log(queue_manager: Option<&str>, message: &str) -> bool {
    if !ANY_EXCLUDED.load(Ordering::Relaxed) {
        return false;
    }
    let Some(identifier) = identifier(message) else { return false };
    EXCLUDED.read().iter().any(|(of, excluded)| {
        queue_manager.is_none_or(|name| name == of)
            && (is_identifier(excluded, identifier)
                || SAME_MESSAGE.iter().any(|(short, long)| short == excluded && is_identifier(long, identifier)))
    })
}

/// `AMQ9001I` in `AMQ9001I: channel ended`.
fn identifier(message: &str) -> Option<&str> {
    let (identifier, _) = message.split_once([':', ' '])?;
    let is_one = identifier.len() >= 7 && identifier.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    is_one.then_some(identifier)
}

/// Does what was excluded mean this identifier, with or without its severity and the CSQ of z/OS?
fn is_identifier(excluded: &str, identifier: &str) -> bool {
    let number = identifier.trim_end_matches(|c: char| c.is_ascii_uppercase());
    let number = number.strip_prefix("CSQ").filter(|_| !excluded.starts_with("CSQ")).unwrap_or(number);
    number == excluded.trim_end_matches(|c: char| c.is_ascii_uppercase())
}

/// A trace that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// TNO: the number it was given.
    pub number: u32,
    /// Classes of accounting data: 1 for each connection, 3 with queues.
    pub classes: Vec<u8>,
    /// RMID, USERID and the like are not kept: a trace is of everything.
    pub comment: String,
}

/// Most traces at a time, as z/OS numbers them from 0 to 32.
const MAXIMUM_TRACES: u32 = 33;

#[derive(Default)]
pub(crate) struct SystemSettings {
    pub(crate) command_server: CommandServer,
    traces: Mutex<Vec<Trace>>,
    accounting: AtomicBool,
}

impl SystemSettings {
    pub(crate) fn new(command_server: bool) -> Self {
        Self { command_server: CommandServer::new(command_server), ..Self::default() }
    }

    /// Is accounting traced, independent of the queue manager's ACCTMQI?
    pub(crate) fn traces_accounting(&self) -> bool {
        self.accounting.load(Ordering::Relaxed)
    }
}

impl QueueManager {
    /// Are commands taken from SYSTEM.ADMIN.COMMAND.QUEUE?
    pub fn command_server_is_on(&self) -> bool {
        self.command_server().is_wanted()
    }

    /// START and STOP CMDSERV. Returns whether it was otherwise before.
    ///
    /// # Errors
    /// `NotAuthorized`: no +ctrl on the queue manager.
    pub fn switch_command_server(&self, caller: &Principal, on: bool) -> Result<bool, ObjectError> {
        self.authorise_control(caller)?;
        Ok(self.command_server().switch_to(on))
    }

    /// START TRACE(ACCTG): connections from now on are accounted for. `None` when there are as many as can be.
    ///
    /// # Errors
    /// `NotAuthorized`: no +ctrl on the queue manager.
    pub fn start_accounting_trace(
        &self,
        caller: &Principal,
        classes: Vec<u8>,
        comment: String,
    ) -> Result<Option<u32>, ObjectError> {
        self.authorise_control(caller)?;
        let system = &self.engine().system;
        let mut traces = system.traces.lock();
        let free = (0..MAXIMUM_TRACES).find(|number| traces.iter().all(|trace| trace.number != *number));
        if let Some(number) = free {
            traces.push(Trace { number, classes, comment });
            traces.sort_by_key(|trace| trace.number);
            system.accounting.store(true, Ordering::Relaxed);
        }
        Ok(free)
    }

    /// STOP TRACE: ends the traces that `wanted` says, and returns their numbers.
    ///
    /// # Errors
    /// `NotAuthorized`: no +ctrl on the queue manager.
    pub fn stop_traces(&self, caller: &Principal, wanted: impl Fn(&Trace) -> bool) -> Result<Vec<u32>, ObjectError> {
        self.authorise_control(caller)?;
        let system = &self.engine().system;
        let mut traces = system.traces.lock();
        let stopped = traces.iter().filter(|trace| wanted(trace)).map(|trace| trace.number).collect();
        traces.retain(|trace| !wanted(trace));
        system.accounting.store(!traces.is_empty(), Ordering::Relaxed);
        Ok(stopped)
    }

    /// By number.
    pub fn traces(&self) -> Vec<Trace> {
        self.engine().system.traces.lock().clone()
    }

    /// Log messages that SET SYSTEM EXCLMSG leaves out, sorted.
    pub fn excluded_messages(&self) -> Vec<String> {
        let own = self.name();
        EXCLUDED.read().iter().filter(|(of, _)| of == own.as_str()).map(|(_, excluded)| excluded.clone()).collect()
    }

    /// SET SYSTEM EXCLMSG: these and no others are left out from now on, until the queue manager stops.
    ///
    /// # Errors
    /// `NotAuthorized`: no +ctrl on the queue manager.
    pub fn exclude_messages(&self, caller: &Principal, identifiers: &[String]) -> Result<(), ObjectError> {
        self.authorise_control(caller)?;
        self.set_excluded(identifiers);
        Ok(())
    }

    pub(crate) fn set_excluded(&self, identifiers: &[String]) {
        let own = self.name();
        let mut excluded = EXCLUDED.write();
        excluded.retain(|(of, _)| of != own.as_str());
        excluded.extend(identifiers.iter().map(|identifier| (own.as_str().to_owned(), identifier.clone())));
        ANY_EXCLUDED.store(!excluded.is_empty(), Ordering::Relaxed);
    }

    fn authorise_control(&self, caller: &Principal) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CONTROL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_known_with_and_without_severity_and_prefix() {
        for (excluded, identifier, same) in [
            ("X511", "CSQX511I", true),
            ("X511", "CSQX512I", false),
            ("AMQ9001", "AMQ9001I", true),
            ("AMQ9001I", "AMQ9001I", true),
            ("CSQX511", "CSQX511I", true),
            ("AMQ9001", "AMQ9002I", false),
        ] {
            assert_eq!(is_identifier(excluded, identifier), same, "{excluded} and {identifier}");
        }
    }

    #[test]
    fn only_published_identifiers_at_the_front_of_a_line_count() {
        assert_eq!(identifier("AMQ9001I: channel ended"), Some("AMQ9001I"));
        assert_eq!(identifier("queue manager started"), None);
        assert_eq!(identifier("AMQ9001I"), None);
    }
}
