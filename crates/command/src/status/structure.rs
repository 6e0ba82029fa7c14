//! Rows of the queue-sharing group, and of its structures as they are.
//!
//! Sources: MQ reference, "DISPLAY GROUP", "DISPLAY CFSTATUS", "Inquire Group (Response)", 9.3.

use model::definition::attribute::Value;
use queue_manager::{Member, MemberState};

use super::{NUMBER, Row, TEXT, When, row};

/// A member of the group.
pub(crate) struct MemberView {
    pub(crate) group: String,
    pub(crate) member: Member,
}

pub(crate) static GROUP: &[Row<MemberView>] = &[
    row("QSGNAME", TEXT, When::Always, |m| Value::from(m.group.as_str())),
    row("QMNAME", TEXT, When::Always, |m| Value::from(m.member.queue_manager.as_str())),
    row("QMNUMBER", NUMBER, When::Usual, |m| m.member.number.into()),
    row("STATUS", TEXT, When::Usual, |m| {
        Value::from(match m.member.state {
            MemberState::Active => "ACTIVE",
            MemberState::Inactive => "INACTIVE",
            MemberState::Failed => "FAILED",
        })
    }),
    row("CMDLEVEL", NUMBER, When::Usual, |m| m.member.command_level.into()),
];

/// A structure and what its queues hold.
pub(crate) struct StructureView {
    pub(crate) name: String,
    pub(crate) is_used: bool,
    /// Kilobytes of bodies.
    pub(crate) kilobytes: u32,
    pub(crate) messages: u32,
}

impl StructureView {
    fn state(&self) -> Value {
        Value::from(if self.is_used { "ACTIVE" } else { "EMPTY" })
    }
}

/// The database sets no limit: SIZEMAX and ENTSMAX are 0.
pub(crate) static SUMMARY: &[Row<StructureView>] = &[
    row("CFSTATUS", TEXT, When::Always, |s| Value::from(s.name.as_str())),
    row("TYPE", TEXT, When::Always, |_| Value::from("SUMMARY")),
    row("CFTYPE", TEXT, When::Usual, |_| Value::from("APPL")),
    row("ENTSMAX", NUMBER, When::Usual, |_| Value::Integer(0)),
    row("ENTSUSED", NUMBER, When::Usual, |s| s.messages.into()),
    row("FAILDATE", TEXT, When::Usual, |_| Value::from("")),
    row("FAILTIME", TEXT, When::Usual, |_| Value::from("")),
    row("OFFLDUSE", TEXT, When::Usual, |_| Value::from("NONE")),
    row("SIZEMAX", NUMBER, When::Usual, |_| Value::Integer(0)),
    row("SIZEUSED", NUMBER, When::Usual, |s| s.kilobytes.into()),
    row("STATUS", TEXT, When::Usual, StructureView::state),
];

/// A structure as one member is connected to it.
pub(crate) struct ConnectionView {
    pub(crate) structure: StructureView,
    pub(crate) queue_manager: String,
}

pub(crate) static CONNECTIONS: &[Row<ConnectionView>] = &[
    row("CFSTATUS", TEXT, When::Always, |c| Value::from(c.structure.name.as_str())),
    row("TYPE", TEXT, When::Always, |_| Value::from("CONNECT")),
    row("QMNAME", TEXT, When::Usual, |c| Value::from(c.queue_manager.as_str())),
    row("FAILDATE", TEXT, When::Usual, |_| Value::from("")),
    row("FAILTIME", TEXT, When::Usual, |_| Value::from("")),
    row("STATUS", TEXT, When::Usual, |_| Value::from("ACTIVE")),
    row("SYSNAME", TEXT, When::Usual, |_| Value::from("")),
];
