//! Numbers that a rule may name: MQRC_*, MQFB_*, MQMT_*, MQPER_*, MQAT_*.

use model::reason::Reason;

use super::pattern::Subject;

/// The number of a name, for a pattern of this kind.
pub(super) fn number(subject: Subject, name: &str) -> Option<i32> {
    let of = |table: &[(&str, i32)]| table.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
    let reason = || Reason::ALL.iter().find(|reason| reason.name() == name).map(|reason| reason.number());
    match subject {
        // A dead-letter header has either; feedback of a report may be a reason.
        Subject::Reason | Subject::Feedback => reason().or_else(|| of(FEEDBACK)),
        Subject::MessageType => of(MESSAGE_TYPES),
        Subject::Persistence => of(PERSISTENCE),
        Subject::ApplicationType => of(APPLICATION_TYPES),
        _ => None,
    }
}

const MESSAGE_TYPES: &[(&str, i32)] = &[
    ("MQMT_REQUEST", 1),
    ("MQMT_REPLY", 2),
    ("MQMT_REPORT", 4),
    ("MQMT_DATAGRAM", 8),
    ("MQMT_MQE_FIELDS_FROM_MQE", 112),
    ("MQMT_MQE_FIELDS", 113),
];

const PERSISTENCE: &[(&str, i32)] = &[("MQPER_NOT_PERSISTENT", 0), ("MQPER_PERSISTENT", 1)];

const FEEDBACK: &[(&str, i32)] = &[
    ("MQFB_NONE", 0),
    ("MQFB_QUIT", 256),
    ("MQFB_EXPIRATION", 258),
    ("MQFB_COA", 259),
    ("MQFB_COD", 260),
    ("MQFB_CHANNEL_COMPLETED", 262),
    ("MQFB_CHANNEL_FAIL_RETRY", 263),
    ("MQFB_CHANNEL_FAIL", 264),
    ("MQFB_APPL_CANNOT_BE_STARTED", 265),
    ("MQFB_TM_ERROR", 266),
    ("MQFB_APPL_TYPE_ERROR", 267),
    ("MQFB_STOPPED_BY_MSG_EXIT", 268),
    ("MQFB_ACTIVITY", 269),
    ("MQFB_XMIT_Q_MSG_ERROR", 271),
    ("MQFB_PAN", 275),
    ("MQFB_NAN", 276),
    ("MQFB_STOPPED_BY_CHAD_EXIT", 277),
    ("MQFB_STOPPED_BY_PUBSUB_EXIT", 279),
    ("MQFB_NOT_A_REPOSITORY_MSG", 280),
    ("MQFB_BIND_OPEN_CLUSRCVR_DEL", 281),
    ("MQFB_MAX_ACTIVITIES", 282),
    ("MQFB_NOT_FORWARDED", 283),
    ("MQFB_NOT_DELIVERED", 284),
    ("MQFB_UNSUPPORTED_FORWARDING", 285),
    ("MQFB_UNSUPPORTED_DELIVERY", 286),
    ("MQFB_DATA_LENGTH_ZERO", 291),
    ("MQFB_DATA_LENGTH_NEGATIVE", 292),
    ("MQFB_DATA_LENGTH_TOO_BIG", 293),
    ("MQFB_BUFFER_OVERFLOW", 294),
    ("MQFB_LENGTH_OFF_BY_ONE", 295),
    ("MQFB_IIH_ERROR", 296),
    ("MQFB_NOT_AUTHORIZED_FOR_IMS", 298),
    ("MQFB_IMS_ERROR", 300),
    ("MQFB_CICS_INTERNAL_ERROR", 401),
    ("MQFB_CICS_NOT_AUTHORIZED", 402),
    ("MQFB_CICS_BRIDGE_FAILURE", 403),
    ("MQFB_CICS_CORREL_ID_ERROR", 404),
    ("MQFB_CICS_CCSID_ERROR", 405),
    ("MQFB_CICS_ENCODING_ERROR", 406),
    ("MQFB_CICS_CIH_ERROR", 407),
    ("MQFB_CICS_UOW_ERROR", 408),
    ("MQFB_CICS_COMMAREA_ERROR", 409),
    ("MQFB_CICS_APPL_NOT_STARTED", 410),
    ("MQFB_CICS_APPL_ABENDED", 411),
    ("MQFB_CICS_DLQ_ERROR", 412),
    ("MQFB_CICS_UOW_BACKED_OUT", 413),
    ("MQFB_PUBLICATIONS_ON_REQUEST", 501),
    ("MQFB_SUBSCRIBER_IS_PUBLISHER", 502),
    ("MQFB_MSG_SCOPE_MISMATCH", 503),
    ("MQFB_SELECTOR_MISMATCH", 504),
];

const APPLICATION_TYPES: &[(&str, i32)] = &[
    ("MQAT_UNKNOWN", -1),
    ("MQAT_NO_CONTEXT", 0),
    ("MQAT_CICS", 1),
    ("MQAT_MVS", 2),
    ("MQAT_OS390", 2),
    ("MQAT_ZOS", 2),
    ("MQAT_IMS", 3),
    ("MQAT_OS2", 4),
    ("MQAT_DOS", 5),
    ("MQAT_AIX", 6),
    ("MQAT_UNIX", 6),
    ("MQAT_QMGR", 7),
    ("MQAT_OS400", 8),
    ("MQAT_WINDOWS", 9),
    ("MQAT_CICS_VSE", 10),
    ("MQAT_WINDOWS_NT", 11),
    ("MQAT_VMS", 12),
    ("MQAT_GUARDIAN", 13),
    ("MQAT_NSK", 13),
    ("MQAT_VOS", 14),
    ("MQAT_OPEN_TP1", 15),
    ("MQAT_VM", 18),
    ("MQAT_IMS_BRIDGE", 19),
    ("MQAT_XCF", 20),
    ("MQAT_CICS_BRIDGE", 21),
    ("MQAT_NOTES_AGENT", 22),
    ("MQAT_TPF", 23),
    ("MQAT_USER", 25),
    ("MQAT_BROKER", 26),
    ("MQAT_QMGR_PUBLISH", 26),
    ("MQAT_JAVA", 28),
    ("MQAT_DQM", 29),
    ("MQAT_CHANNEL_INITIATOR", 30),
    ("MQAT_WLM", 31),
    ("MQAT_BATCH", 32),
    ("MQAT_RRS_BATCH", 33),
    ("MQAT_SIB", 34),
    ("MQAT_SYSTEM_EXTENSION", 35),
    ("MQAT_MCAST_PUBLISH", 36),
    ("MQAT_AMQP", 37),
];
