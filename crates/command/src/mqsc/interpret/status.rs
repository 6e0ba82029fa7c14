//! DISPLAY of what runs: queues, the queue manager, connections, subscriptions.

use model::definition::attribute::Kind;

use crate::command::{Command, ConnectionParts, ConnectionQuery, OpenType, Pattern, QueueStatusOf, Selection};
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::status;

/// What DISPLAY QSTATUS MONITOR shows.
const MONITORED: [&str; 7] = ["LGETDATE", "LGETTIME", "LPUTDATE", "LPUTTIME", "MONQ", "MSGAGE", "QTIME"];

impl Reader {
    pub(super) fn display_queue_manager_status(&mut self) -> Result<Command, Problem> {
        let request = self.request(&|keyword| status::find(status::QUEUE_MANAGER_STATUS, keyword))?;
        Ok(Command::DisplayQueueManagerStatus(request))
    }

    pub(super) fn display_queue_status(&mut self) -> Result<Command, Problem> {
        let name = self.pattern(Kind::QueueLocal)?;
        let handles = match self.take_value(&["TYPE"])? {
            None => false,
            Some(operand) if operand.text == "QUEUE" => false,
            Some(operand) if operand.text == "HANDLE" => true,
            Some(operand) => return Err(self.bad_value("TYPE", &operand.text, "expected QUEUE or HANDLE")),
        };
        let open = match self.take_value(&["OPENTYPE"])?.as_ref().map(|operand| operand.text.as_str()) {
            None | Some("ALL") => OpenType::All,
            Some("INPUT") => OpenType::Input,
            Some("OUTPUT") => OpenType::Output,
            Some(other) => return Err(self.bad_value("OPENTYPE", other, "expected ALL, INPUT or OUTPUT")),
        };
        let (about, request) = if handles {
            let request = self.request(&|keyword| status::find(status::QUEUE_HANDLES, keyword))?;
            (QueueStatusOf::Handles(open), request)
        } else {
            let monitors = self.take_flag("MONITOR")?;
            let membership = self.membership;
            let mut request = self.request(&|keyword| status::find_of(membership, status::QUEUE_STATUS, keyword))?;
            if monitors {
                request.selection = match request.selection {
                    Selection::All => Selection::All,
                    Selection::Usual => Selection::Named(MONITORED.to_vec()),
                    Selection::Named(names) => Selection::Named([names.as_slice(), &MONITORED].concat()),
                };
            }
            (QueueStatusOf::Queue, request)
        };
        Ok(Command::DisplayQueueStatus { name, about, request })
    }

    pub(super) fn display_connections(&mut self) -> Result<Command, Problem> {
        let identifier = Pattern::parse(&self.text_name()?.to_ascii_uppercase());
        let extended = self.take_value(&["EXTCONN"])?.map(|operand| Pattern::parse(&operand.text.to_ascii_uppercase()));
        let parts = match self.take_value(&["TYPE"])?.as_ref().map(|operand| operand.text.as_str()) {
            None | Some("CONN") => ConnectionParts::Connection,
            Some("HANDLE") => ConnectionParts::Handles,
            Some("ALL" | "*") => ConnectionParts::All,
            Some(other) => return Err(self.bad_value("TYPE", other, "expected CONN, HANDLE or ALL")),
        };
        let request = self.request(&|keyword| {
            status::find(status::CONNECTION, keyword).or_else(|| status::find(status::CONNECTION_HANDLES, keyword))
        })?;
        Ok(Command::DisplayConnections(ConnectionQuery { identifier, extended, parts, request }))
    }
}
