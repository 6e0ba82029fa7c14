//! Completion codes and reasons with their published numbers and names.
//!
//! Source: MQ reference, "API completion and reason codes", 9.3.

use std::fmt;

/// MQCC_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CompletionCode {
    Ok = 0,
    Warning = 1,
    Failed = 2,
}

macro_rules! reasons {
    ($($variant:ident = $number:literal, $name:literal, $completion:ident;)*) => {
        /// MQRC_*: why a call ended as it did. A closed list; numbers and names are the published ones.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Reason { $($variant = $number,)* }

        impl Reason {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// `MQRC_NOT_AUTHORIZED` and its like.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The completion code that usually goes with it.
            pub const fn completion(self) -> CompletionCode {
                match self { $(Self::$variant => CompletionCode::$completion,)* }
            }

            pub fn from_number(number: i32) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

reasons! {
    None = 0, "MQRC_NONE", Ok;
    AliasBaseQTypeError = 2001, "MQRC_ALIAS_BASE_Q_TYPE_ERROR", Failed;
    AlreadyConnected = 2002, "MQRC_ALREADY_CONNECTED", Warning;
    BackedOut = 2003, "MQRC_BACKED_OUT", Failed;
    BufferError = 2004, "MQRC_BUFFER_ERROR", Failed;
    ConnectionBroken = 2009, "MQRC_CONNECTION_BROKEN", Failed;
    DynamicQNameError = 2011, "MQRC_DYNAMIC_Q_NAME_ERROR", Failed;
    ExpiryError = 2013, "MQRC_EXPIRY_ERROR", Failed;
    GetInhibited = 2016, "MQRC_GET_INHIBITED", Failed;
    HandleNotAvailable = 2017, "MQRC_HANDLE_NOT_AVAILABLE", Failed;
    HobjError = 2019, "MQRC_HOBJ_ERROR", Failed;
    InhibitValueError = 2020, "MQRC_INHIBIT_VALUE_ERROR", Failed;
    SyncpointLimitReached = 2024, "MQRC_SYNCPOINT_LIMIT_REACHED", Failed;
    MdError = 2026, "MQRC_MD_ERROR", Failed;
    MissingReplyToQ = 2027, "MQRC_MISSING_REPLY_TO_Q", Failed;
    MsgTypeError = 2029, "MQRC_MSG_TYPE_ERROR", Failed;
    MsgTooBigForQ = 2030, "MQRC_MSG_TOO_BIG_FOR_Q", Failed;
    MsgTooBigForQMgr = 2031, "MQRC_MSG_TOO_BIG_FOR_Q_MGR", Failed;
    NoMsgAvailable = 2033, "MQRC_NO_MSG_AVAILABLE", Failed;
    NoMsgUnderCursor = 2034, "MQRC_NO_MSG_UNDER_CURSOR", Failed;
    NotAuthorized = 2035, "MQRC_NOT_AUTHORIZED", Failed;
    NotOpenForBrowse = 2036, "MQRC_NOT_OPEN_FOR_BROWSE", Failed;
    NotOpenForInput = 2037, "MQRC_NOT_OPEN_FOR_INPUT", Failed;
    NotOpenForInquire = 2038, "MQRC_NOT_OPEN_FOR_INQUIRE", Failed;
    NotOpenForOutput = 2039, "MQRC_NOT_OPEN_FOR_OUTPUT", Failed;
    NotOpenForSet = 2040, "MQRC_NOT_OPEN_FOR_SET", Failed;
    ObjectChanged = 2041, "MQRC_OBJECT_CHANGED", Failed;
    ObjectInUse = 2042, "MQRC_OBJECT_IN_USE", Failed;
    ObjectTypeError = 2043, "MQRC_OBJECT_TYPE_ERROR", Failed;
    OptionNotValidForType = 2045, "MQRC_OPTION_NOT_VALID_FOR_TYPE", Failed;
    OptionsError = 2046, "MQRC_OPTIONS_ERROR", Failed;
    PersistenceError = 2047, "MQRC_PERSISTENCE_ERROR", Failed;
    PersistentNotAllowed = 2048, "MQRC_PERSISTENT_NOT_ALLOWED", Failed;
    PriorityExceedsMaximum = 2049, "MQRC_PRIORITY_EXCEEDS_MAXIMUM", Warning;
    PriorityError = 2050, "MQRC_PRIORITY_ERROR", Failed;
    PutInhibited = 2051, "MQRC_PUT_INHIBITED", Failed;
    QDeleted = 2052, "MQRC_Q_DELETED", Failed;
    QFull = 2053, "MQRC_Q_FULL", Failed;
    QNotEmpty = 2055, "MQRC_Q_NOT_EMPTY", Failed;
    QSpaceNotAvailable = 2056, "MQRC_Q_SPACE_NOT_AVAILABLE", Failed;
    QTypeError = 2057, "MQRC_Q_TYPE_ERROR", Failed;
    QMgrNameError = 2058, "MQRC_Q_MGR_NAME_ERROR", Failed;
    QMgrNotAvailable = 2059, "MQRC_Q_MGR_NOT_AVAILABLE", Failed;
    ReportOptionsError = 2061, "MQRC_REPORT_OPTIONS_ERROR", Failed;
    SecondMarkNotAllowed = 2062, "MQRC_SECOND_MARK_NOT_ALLOWED", Failed;
    SelectorError = 2067, "MQRC_SELECTOR_ERROR", Failed;
    StorageNotAvailable = 2071, "MQRC_STORAGE_NOT_AVAILABLE", Failed;
    TruncatedMsgAccepted = 2079, "MQRC_TRUNCATED_MSG_ACCEPTED", Warning;
    TruncatedMsgFailed = 2080, "MQRC_TRUNCATED_MSG_FAILED", Warning;
    UnknownAliasBaseQ = 2082, "MQRC_UNKNOWN_ALIAS_BASE_Q", Failed;
    UnknownObjectName = 2085, "MQRC_UNKNOWN_OBJECT_NAME", Failed;
    UnknownObjectQMgr = 2086, "MQRC_UNKNOWN_OBJECT_Q_MGR", Failed;
    UnknownRemoteQMgr = 2087, "MQRC_UNKNOWN_REMOTE_Q_MGR", Failed;
    WaitIntervalError = 2090, "MQRC_WAIT_INTERVAL_ERROR", Failed;
    XmitQTypeError = 2091, "MQRC_XMIT_Q_TYPE_ERROR", Failed;
    XmitQUsageError = 2092, "MQRC_XMIT_Q_USAGE_ERROR", Failed;
    ContextHandleError = 2097, "MQRC_CONTEXT_HANDLE_ERROR", Failed;
    ContextNotAvailable = 2098, "MQRC_CONTEXT_NOT_AVAILABLE", Failed;
    ObjectAlreadyExists = 2100, "MQRC_OBJECT_ALREADY_EXISTS", Failed;
    ObjectDamaged = 2101, "MQRC_OBJECT_DAMAGED", Failed;
    ResourceProblem = 2102, "MQRC_RESOURCE_PROBLEM", Failed;
    FormatError = 2110, "MQRC_FORMAT_ERROR", Warning;
    SourceCcsidError = 2111, "MQRC_SOURCE_CCSID_ERROR", Warning;
    TargetCcsidError = 2115, "MQRC_TARGET_CCSID_ERROR", Warning;
    NotConverted = 2119, "MQRC_NOT_CONVERTED", Warning;
    ConvertedMsgTooBig = 2120, "MQRC_CONVERTED_MSG_TOO_BIG", Warning;
    OdError = 2044, "MQRC_OD_ERROR", Failed;
    QMgrQuiescing = 2161, "MQRC_Q_MGR_QUIESCING", Failed;
    QMgrStopping = 2162, "MQRC_Q_MGR_STOPPING", Failed;
    NoMsgLocked = 2209, "MQRC_NO_MSG_LOCKED", Failed;
    UnknownXmitQ = 2196, "MQRC_UNKNOWN_XMIT_Q", Failed;
    DefXmitQTypeError = 2198, "MQRC_DEF_XMIT_Q_TYPE_ERROR", Failed;
    DefXmitQUsageError = 2199, "MQRC_DEF_XMIT_Q_USAGE_ERROR", Failed;
    UnexpectedError = 2195, "MQRC_UNEXPECTED_ERROR", Failed;
    NotConnected = 2018, "MQRC_HCONN_ERROR", Failed;
}

impl Reason {
    pub const fn number(self) -> i32 {
        self as i32
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.number(), self.name())
    }
}

impl std::error::Error for Reason {}
