//! Options of the MQI verbs as an application states them: open, close, put, get.
//!
//! Values of the flags are the published ones, so that a channel passes them through unchanged.
//! Source: MQ reference, MQOO_*, MQCO_*, MQPMO_*, MQGMO_*, MQMO_*, 9.3.

use std::time::Duration;

use bitflags::bitflags;

use crate::identifier::{CorrelationId, GroupId, MessageId};
use crate::name::{ObjectName, QueueManagerName};

bitflags! {
    /// MQOO_*.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct OpenOptions: u32 {
        const INPUT_AS_Q_DEF = 0x0000_0001;
        const INPUT_SHARED = 0x0000_0002;
        const INPUT_EXCLUSIVE = 0x0000_0004;
        const BROWSE = 0x0000_0008;
        const OUTPUT = 0x0000_0010;
        const INQUIRE = 0x0000_0020;
        const SET = 0x0000_0040;
        const SAVE_ALL_CONTEXT = 0x0000_0080;
        const PASS_IDENTITY_CONTEXT = 0x0000_0100;
        const PASS_ALL_CONTEXT = 0x0000_0200;
        const SET_IDENTITY_CONTEXT = 0x0000_0400;
        const SET_ALL_CONTEXT = 0x0000_0800;
        const ALTERNATE_USER_AUTHORITY = 0x0000_1000;
        const FAIL_IF_QUIESCING = 0x0000_2000;
        const BIND_ON_OPEN = 0x0000_4000;
        const BIND_NOT_FIXED = 0x0000_8000;
        const RESOLVE_NAMES = 0x0001_0000;
        const CO_OP = 0x0002_0000;
        const RESOLVE_LOCAL_Q = 0x0004_0000;
        const NO_READ_AHEAD = 0x0008_0000;
        const READ_AHEAD = 0x0010_0000;
        const NO_MULTICAST = 0x0020_0000;
        const BIND_ON_GROUP = 0x0040_0000;
        const _ = !0;
    }

    /// MQCO_*.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct CloseOptions: u32 {
        const DELETE = 0x0000_0001;
        const DELETE_PURGE = 0x0000_0002;
        const KEEP_SUB = 0x0000_0004;
        const REMOVE_SUB = 0x0000_0008;
        const QUIESCE = 0x0000_0020;
        const _ = !0;
    }

    /// MQPMO_*.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct PutFlags: u32 {
        const SYNCPOINT = 0x0000_0002;
        const NO_SYNCPOINT = 0x0000_0004;
        const DEFAULT_CONTEXT = 0x0000_0020;
        const NEW_MSG_ID = 0x0000_0040;
        const NEW_CORREL_ID = 0x0000_0080;
        const PASS_IDENTITY_CONTEXT = 0x0000_0100;
        const PASS_ALL_CONTEXT = 0x0000_0200;
        const SET_IDENTITY_CONTEXT = 0x0000_0400;
        const SET_ALL_CONTEXT = 0x0000_0800;
        const ALTERNATE_USER_AUTHORITY = 0x0000_1000;
        const FAIL_IF_QUIESCING = 0x0000_2000;
        const NO_CONTEXT = 0x0000_4000;
        const LOGICAL_ORDER = 0x0000_8000;
        const ASYNC_RESPONSE = 0x0001_0000;
        const SYNC_RESPONSE = 0x0002_0000;
        const RESOLVE_LOCAL_Q = 0x0004_0000;
        const WARN_IF_NO_SUBS_MATCHED = 0x0008_0000;
        const RETAIN = 0x0020_0000;
        const NOT_OWN_SUBS = 0x1000_0000;
        const SUPPRESS_REPLYTO = 0x0800_0000;
        const SCOPE_QMGR = 0x0400_0000;
        const _ = !0;
    }

    /// MQGMO_*.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct GetFlags: u32 {
        const WAIT = 0x0000_0001;
        const SYNCPOINT = 0x0000_0002;
        const NO_SYNCPOINT = 0x0000_0004;
        const SET_SIGNAL = 0x0000_0008;
        const BROWSE_FIRST = 0x0000_0010;
        const BROWSE_NEXT = 0x0000_0020;
        const ACCEPT_TRUNCATED_MSG = 0x0000_0040;
        const MARK_SKIP_BACKOUT = 0x0000_0080;
        const MSG_UNDER_CURSOR = 0x0000_0100;
        const LOCK = 0x0000_0200;
        const UNLOCK = 0x0000_0400;
        const BROWSE_MSG_UNDER_CURSOR = 0x0000_0800;
        const SYNCPOINT_IF_PERSISTENT = 0x0000_1000;
        const FAIL_IF_QUIESCING = 0x0000_2000;
        const CONVERT = 0x0000_4000;
        const LOGICAL_ORDER = 0x0000_8000;
        const COMPLETE_MSG = 0x0001_0000;
        const ALL_MSGS_AVAILABLE = 0x0002_0000;
        const ALL_SEGMENTS_AVAILABLE = 0x0004_0000;
        const MARK_BROWSE_HANDLE = 0x0010_0000;
        const MARK_BROWSE_CO_OP = 0x0020_0000;
        const UNMARK_BROWSE_CO_OP = 0x0040_0000;
        const UNMARK_BROWSE_HANDLE = 0x0080_0000;
        const UNMARKED_BROWSE_MSG = 0x0100_0000;
        const PROPERTIES_FORCE_MQRFH2 = 0x0200_0000;
        const NO_PROPERTIES = 0x0400_0000;
        const PROPERTIES_IN_HANDLE = 0x0800_0000;
        const PROPERTIES_COMPATIBILITY = 0x1000_0000;
        const _ = !0;
    }

    /// MQMO_*: which fields of the descriptor select a message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct MatchOptions: u32 {
        const MSG_ID = 0x0000_0001;
        const CORREL_ID = 0x0000_0002;
        const GROUP_ID = 0x0000_0004;
        const MSG_SEQ_NUMBER = 0x0000_0008;
        const OFFSET = 0x0000_0010;
        const MSG_TOKEN = 0x0000_0020;
        const _ = !0;
    }
}

/// MQOD: which object to open.
#[derive(Debug, Clone, Default)]
pub struct ObjectDescriptor {
    pub object: ObjectKind,
    pub name: ObjectName,
    /// Blank: the connected queue manager (or, with a remote definition, where that leads).
    pub queue_manager: QueueManagerName,
    /// For a model queue: name of the dynamic queue to make, may end in `*`. Default `AMQ.*`.
    pub dynamic_queue: String,
    /// MQOD `ObjectString`: for topics, joined to the topic object's own string.
    pub topic_string: String,
    /// MQOD `SelectionString`: an SQL-92 selector over properties; empty for none.
    pub selector: String,
    pub alternate_user: String,
}

/// MQOT_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObjectKind {
    #[default]
    Queue,
    NameList,
    Process,
    QueueManager,
    Topic,
}

/// MQPMO.
#[derive(Debug, Clone, Default)]
pub struct PutOptions {
    pub flags: PutFlags,
    /// MQPMO `Context`: the input handle whose context PASS_* passes on.
    pub context: Option<u32>,
}

/// MQGMO with the parts of MQMD that select.
#[derive(Debug, Clone, Default)]
pub struct GetOptions {
    pub flags: GetFlags,
    /// With `GetFlags::WAIT`; `None` is MQWI_UNLIMITED.
    pub wait: Option<Duration>,
    pub match_options: MatchOptions,
    pub message_id: MessageId,
    pub correlation_id: CorrelationId,
    pub group_id: GroupId,
    pub message_sequence_number: u32,
    pub offset: u32,
    /// MQGMO `MsgToken`, as returned by an earlier get or browse.
    pub message_token: [u8; 16],
    /// Longest body the caller takes, in bytes; `None` takes any.
    pub buffer_length: Option<usize>,
    /// With `GetFlags::CONVERT`: what the caller wants the body to be in.
    pub target: Option<ConversionTarget>,
}

impl GetFlags {
    /// A get with one of these leaves the message where it is.
    pub const BROWSES: Self = Self::BROWSE_FIRST.union(Self::BROWSE_NEXT).union(Self::BROWSE_MSG_UNDER_CURSOR);
}

impl GetOptions {
    /// Only a message with these identifiers; `None` is any.
    pub fn match_identifiers(
        &mut self,
        message_id: Option<MessageId>,
        correlation_id: Option<CorrelationId>,
        group_id: Option<GroupId>,
    ) {
        let given = [
            (message_id.is_some(), MatchOptions::MSG_ID),
            (correlation_id.is_some(), MatchOptions::CORREL_ID),
            (group_id.is_some(), MatchOptions::GROUP_ID),
        ];
        for (is_given, option) in given {
            self.match_options.set(option, is_given);
        }
        self.message_id = message_id.unwrap_or_default();
        self.correlation_id = correlation_id.unwrap_or_default();
        self.group_id = group_id.unwrap_or_default();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversionTarget {
    pub ccsid: crate::descriptor::Ccsid,
    pub encoding: crate::descriptor::Encoding,
}
