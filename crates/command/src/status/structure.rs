//! Rows of the queue-sharing group, of its structures as they are, and of units of recovery in doubt.
//!
//! Sources: MQ reference, "DISPLAY GROUP", "DISPLAY CFSTATUS", "DISPLAY THREAD", "Inquire Group (Response)", 9.3.

use model::definition::attribute::{Value, ValueType};
use queue_manager::{Member, MemberState, StructureConnection, UnitDisposition, UnitInDoubt, Xid};

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

pub(crate) static IN_DOUBT: &[Row<UnitInDoubt>] = &[
    row("NID", IDENTIFIER, When::Always, |unit| Value::from(identifier(&unit.xid).as_str())),
    row("TYPE", TEXT, When::Always, |_| Value::from("INDOUBT")),
    row("URDISP", TEXT, When::Usual, |unit| {
        Value::from(match unit.disposition {
            UnitDisposition::QueueManager => "QMGR",
            UnitDisposition::Group => "GROUP",
        })
    }),
    row("QMNAME", TEXT, When::Usual, |unit| Value::from(unit.queue_manager.as_deref().unwrap_or_default())),
];

/// Both parts of a transaction's name are 64 bytes at most, ten characters beside them.
const IDENTIFIER: ValueType = ValueType::Text { maximum: 280 };

/// The name of a transaction as NID: format, global part and branch in hexadecimal digits.
fn identifier(xid: &Xid) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    format!("{:08X}.{}.{}", xid.format_id, hex(&xid.global_transaction), hex(&xid.branch))
}

/// `None`: no text of `identifier`.
pub(crate) fn xid_of(identifier: &str) -> Option<Xid> {
    let bytes = |digits: &str| -> Option<Vec<u8>> {
        let digits = digits.as_bytes().chunks_exact(2);
        if !digits.remainder().is_empty() {
            return None;
        }
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    };
    let [format, global, branch] = identifier.split('.').collect::<Vec<_>>().try_into().ok()?;
    let format_id = u32::from_str_radix(format, 16).ok()?.cast_signed();
    Some(Xid { format_id, global_transaction: bytes(global)?, branch: bytes(branch)? })
}

/// A structure and what its queues hold.
pub(crate) struct StructureView {
    pub(crate) name: String,
    pub(crate) is_used: bool,
    pub(crate) connection: StructureConnection,
    /// Kilobytes of bodies.
    pub(crate) kilobytes: u32,
    pub(crate) messages: u32,
}

impl StructureView {
    fn state(&self) -> Value {
        Value::from(match self.connection {
            StructureConnection::Open if self.is_used => "ACTIVE",
            StructureConnection::Open => "EMPTY",
            StructureConnection::Lost => "FAILED",
            StructureConnection::Never => "UNKNOWN",
        })
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
    row("STATUS", TEXT, When::Usual, |c| {
        Value::from(match c.structure.connection {
            StructureConnection::Open => "ACTIVE",
            StructureConnection::Lost => "FAILED",
            StructureConnection::Never => "NONE",
        })
    }),
    row("SYSNAME", TEXT, When::Usual, |_| Value::from("")),
];
