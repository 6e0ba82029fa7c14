//! Commands about the running queue manager as a whole, typed: command server, connections, figures, traces, log messages.

use crate::command::{Pattern, Request};

#[derive(Debug, Clone)]
pub enum SystemCommand {
    DisplayCommandServer(Request),
    /// START and STOP CMDSERV.
    SwitchCommandServer(bool),
    StopConnection {
        /// Last eight bytes of the connection identifier in hexadecimal, and the first sixteen when given.
        identifier: String,
        extended: Option<String>,
    },
    ResetQueueStatistics {
        name: Pattern,
        request: Request,
    },
    DisplaySystem(Request),
    /// SET SYSTEM EXCLMSG: log messages to leave out; none for none.
    ExcludeMessages(Vec<String>),
    StartTrace {
        classes: Vec<u8>,
        comment: String,
    },
    StopTrace(TraceSelection),
    DisplayTrace {
        selection: TraceSelection,
        request: Request,
    },
}

/// Which traces a command is about: empty lists limit nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceSelection {
    pub classes: Vec<u8>,
    pub numbers: Vec<u32>,
}
