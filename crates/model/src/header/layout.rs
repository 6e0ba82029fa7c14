//! Where in each header the fields lie: all that data conversion, and those who show headers, need to know of them.
//!
//! ```text
//!                 MQIIH                 MQCIH
//!   0 StrucId     "IIH "   4            "CIH "   4
//!   4 Version     1        4            1, 2     4
//!   8 StrucLength 84       4            164, 180 4
//!  12 the fields of the table below
//! ```
//!
//! MQIIH and MQCIH say nothing of the encoding and the CCSID of what follows: it is written as they are.
//! Source: MQ reference, "MQCIH - CICS bridge header", "MQIIH - IMS information header", 9.3.

/// One structure with fields at fixed offsets.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// `MQDLH` and so on.
    pub structure: &'static str,
    /// The eye-catcher at the beginning.
    pub identifier: [u8; 4],
    /// Behind the eye-catcher, in every structure.
    pub version: i32,
    /// The length stands behind the version.
    pub has_length: bool,
    /// Bytes of the fixed part.
    pub length: usize,
    /// Those behind version and length, in their order.
    pub fields: &'static [Field],
    pub next: Option<Next>,
}

/// One field. Its name is that of JSON; a period stands before the member of a member.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub offset: usize,
    pub kind: Kind,
}

/// What a field holds, and what one holds that nobody has set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An MQLONG.
    Integer(i32),
    /// An MQLONG that cannot be another.
    Constant(i32),
    /// Characters, blanks behind them.
    Text(usize, &'static str),
    /// Four characters that cannot be others.
    Mark([u8; 4]),
    /// Bytes that are no characters; zeros.
    Bytes(usize),
}

/// Where a header describes what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    pub format: usize,
    /// Encoding and CCSID; `None`: they are those of the header itself.
    pub part: Option<(usize, usize)>,
}

impl Layout {
    /// What follows is written as this header is, and the header has no fields that say so.
    pub fn next_inherits(&self) -> bool {
        self.next.is_some_and(|next| next.part.is_none())
    }

    /// Whether the field says how what follows is written.
    pub fn announces(&self, field: &Field) -> bool {
        let part = self.next.and_then(|next| next.part);
        part.is_some_and(|(encoding, ccsid)| field.offset == encoding || field.offset == ccsid)
    }

    /// Of a version that is not the newest.
    pub fn is_old(&self) -> bool {
        self.identifier == CICS.identifier && self.version != CICS.version
    }

    /// Offsets of the MQLONG fields.
    pub(crate) fn integers(&self) -> impl Iterator<Item = usize> {
        let own = [Some(4), self.has_length.then_some(8)].into_iter().flatten();
        own.chain(self.fields.iter().filter_map(|field| match field.kind {
            Kind::Integer(_) | Kind::Constant(_) => Some(field.offset),
            Kind::Text(..) | Kind::Mark(_) | Kind::Bytes(_) => None,
        }))
    }

    /// Offset and width of the text fields, the identifier first.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (usize, usize)> {
        std::iter::once((0, 4)).chain(self.fields.iter().filter_map(|field| match field.kind {
            Kind::Text(width, _) => Some((field.offset, width)),
            Kind::Mark(_) => Some((field.offset, 4)),
            Kind::Integer(_) | Kind::Constant(_) | Kind::Bytes(_) => None,
        }))
    }
}

const fn integer(name: &'static str, offset: usize) -> Field {
    Field { name, offset, kind: Kind::Integer(0) }
}

const fn preset(name: &'static str, offset: usize, value: i32) -> Field {
    Field { name, offset, kind: Kind::Integer(value) }
}

const fn text(name: &'static str, offset: usize, width: usize) -> Field {
    Field { name, offset, kind: Kind::Text(width, "") }
}

const fn letter(name: &'static str, offset: usize, preset: &'static str) -> Field {
    Field { name, offset, kind: Kind::Text(1, preset) }
}

const fn bytes(name: &'static str, offset: usize, width: usize) -> Field {
    Field { name, offset, kind: Kind::Bytes(width) }
}

pub const DEAD_LETTER: Layout = Layout {
    structure: "MQDLH",
    identifier: *b"DLH ",
    version: 1,
    has_length: false,
    length: 172,
    fields: &[
        integer("reason", 8),
        text("destinationQueue", 12, 48),
        text("destinationQueueManager", 60, 48),
        integer("encoding", 108),
        integer("ccsid", 112),
        text("format", 116, 8),
        integer("putApplication.type", 124),
        text("putApplication.name", 128, 28),
        text("putDate", 156, 8),
        text("putTime", 164, 8),
    ],
    next: Some(Next { format: 116, part: Some((108, 112)) }),
};

pub(crate) const TRIGGER: Layout = Layout {
    structure: "MQTM",
    identifier: *b"TM  ",
    version: 1,
    has_length: false,
    length: 684,
    fields: &[
        text("queue", 8, 48),
        text("process", 56, 48),
        text("triggerData", 104, 64),
        integer("applicationType", 168),
        text("applicationId", 172, 256),
        text("environmentData", 428, 128),
        text("userData", 556, 128),
    ],
    next: None,
};

/// MQXQH with the version-1 MQMD that is its last field, from offset 104.
pub const TRANSMISSION: Layout = Layout {
    structure: "MQXQH",
    identifier: *b"XQH ",
    version: 1,
    has_length: false,
    length: 428,
    fields: &[
        text("remoteQueue", 8, 48),
        text("remoteQueueManager", 56, 48),
        Field { name: "", offset: 104, kind: Kind::Mark(*b"MD  ") },
        Field { name: "", offset: 108, kind: Kind::Constant(1) },
        integer("report", 112),
        preset("type", 116, 8),
        preset("expiry", 120, -1),
        integer("feedback", 124),
        integer("encoding", 128),
        integer("ccsid", 132),
        text("format", 136, 8),
        integer("priority", 144),
        integer("persistence", 148),
        bytes("id", 152, 24),
        bytes("correlationId", 176, 24),
        integer("backoutCount", 200),
        text("replyTo.queue", 204, 48),
        text("replyTo.qmgr", 252, 48),
        text("user", 300, 12),
        bytes("accountingToken", 312, 32),
        text("applicationIdentityData", 344, 32),
        integer("putApplication.type", 376),
        text("putApplication.name", 380, 28),
        text("putDate", 408, 8),
        text("putTime", 416, 8),
        text("applicationOriginData", 424, 4),
    ],
    next: Some(Next { format: 136, part: Some((128, 132)) }),
};

pub const MD_EXTENSION: Layout = Layout {
    structure: "MQMDE",
    identifier: *b"MDE ",
    version: 2,
    has_length: true,
    length: 72,
    fields: &[
        integer("encoding", 12),
        integer("ccsid", 16),
        text("format", 20, 8),
        // MQMDEF_*, of which there are none.
        integer("extensionFlags", 28),
        bytes("groupId", 32, 24),
        preset("sequence", 56, 1),
        integer("offset", 60),
        integer("flags", 64),
        preset("originalLength", 68, -1),
    ],
    next: Some(Next { format: 20, part: Some((12, 16)) }),
};

/// The folders behind it have lengths and a character set of their own.
pub(crate) const RFH2_FIXED: Layout = Layout {
    structure: "MQRFH2",
    identifier: *b"RFH ",
    version: 2,
    has_length: true,
    length: 36,
    fields: &[
        integer("encoding", 12),
        integer("ccsid", 16),
        text("format", 20, 8),
        integer("flags", 28),
        integer("nameValueCcsid", 32),
    ],
    next: Some(Next { format: 20, part: Some((12, 16)) }),
};

/// Before a message to or from an IMS transaction.
pub const IMS: Layout = Layout {
    structure: "MQIIH",
    identifier: *b"IIH ",
    version: 1,
    has_length: true,
    length: 84,
    fields: &[
        // Both reserved.
        integer("encoding", 12),
        integer("ccsid", 16),
        text("format", 20, 8),
        integer("flags", 28),
        text("lTermOverride", 32, 8),
        text("mfsMapName", 40, 8),
        text("replyToFormat", 48, 8),
        text("authenticator", 56, 8),
        bytes("transactionInstanceId", 64, 16),
        letter("transactionState", 80, ""),
        letter("commitMode", 81, "0"),
        letter("securityScope", 82, "C"),
        letter("reserved", 83, ""),
    ],
    next: Some(Next { format: 20, part: None }),
};

/// Fields of both versions, and behind them those of version 2 alone.
const CICS_FIELDS: &[Field] = &[
    // Both reserved.
    integer("encoding", 12),
    integer("ccsid", 16),
    text("format", 20, 8),
    integer("flags", 28),
    integer("returnCode", 32),
    integer("completionCode", 36),
    integer("reason", 40),
    // MQCUOWC_ONLY.
    preset("unitOfWorkControl", 44, 273),
    // MQCGWI_DEFAULT.
    preset("getWaitInterval", 48, -2),
    // MQCLT_PROGRAM.
    preset("linkType", 52, 1),
    // MQCODL_AS_INPUT.
    preset("outputDataLength", 56, -1),
    integer("facilityKeepTime", 60),
    integer("adsDescriptor", 64),
    integer("conversationalTask", 68),
    integer("taskEndStatus", 72),
    bytes("facility", 76, 8),
    text("function", 84, 4),
    text("abendCode", 88, 4),
    text("authenticator", 92, 8),
    text("reserved1", 100, 8),
    text("replyToFormat", 108, 8),
    text("remoteSystemId", 116, 4),
    text("remoteTransactionId", 120, 4),
    text("transactionId", 124, 4),
    text("facilityLike", 128, 4),
    text("attentionId", 132, 4),
    text("startCode", 136, 4),
    text("cancelCode", 140, 4),
    text("nextTransactionId", 144, 4),
    text("reserved2", 148, 8),
    text("reserved3", 156, 8),
    integer("cursorPosition", 164),
    integer("errorOffset", 168),
    integer("inputItem", 172),
    integer("reserved4", 176),
];
const OF_VERSION_2: usize = 4;

/// Before a message to or from a CICS program or transaction.
pub const CICS: Layout = Layout {
    structure: "MQCIH",
    identifier: *b"CIH ",
    version: 2,
    has_length: true,
    length: 180,
    fields: CICS_FIELDS,
    next: Some(Next { format: 20, part: None }),
};

pub const CICS_1: Layout =
    Layout { version: 1, length: 164, fields: CICS_FIELDS.split_at(CICS_FIELDS.len() - OF_VERSION_2).0, ..CICS };
