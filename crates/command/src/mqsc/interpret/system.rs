//! Commands about the queue manager as a whole: REFRESH.

use crate::command::Command;
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;

impl Reader {
    /// Generic class names are accepted, as on the platforms that have them.
    pub(super) fn refresh_security(&mut self) -> Result<Command, Problem> {
        self.ignore_name();
        let kind = self.take_value(&["TYPE"])?;
        match kind {
            Some(operand) if !["AUTHSERV", "CONNAUTH", "SSL"].contains(&operand.text.as_str()) => {
                Err(self.bad_value("TYPE", &operand.text, "expected AUTHSERV, CONNAUTH, SSL"))
            }
            _ => Ok(Command::RefreshSecurity),
        }
    }
}
