//! What only commands and statuses have: parameters that are no attribute of a definition.
//!
//! A term ties a published number to the MQSC keyword and says which structure carries it. `table` names those that a
//! command takes; the lists at the end are those that statuses show, and answer for every row of `crate::status`.
//!
//! Source: MQ reference, "Programmable command formats reference", 9.3; numbers from cmqc.h and cmqcfc.h as published.

use queue_manager::channel_status::ChannelInstance;

use crate::status::channel::state_word;

/// One parameter.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) id: i32,
    pub(super) keyword: &'static str,
    pub(super) form: Form,
}

/// Which structure carries a term, and what it holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// MQCFIN, or MQCFIN64 for what is larger.
    Integer,
    /// MQCFIN: a number for each word.
    Words(&'static [(&'static str, i32)]),
    /// MQCFIN in a request: 1 stands for the first keyword, 0 for the second, blank for none. Keywords stand alone.
    Switch(&'static str, &'static str),
    /// MQCFST, padded to this length in a response; 0 is as long as it is.
    Text(usize),
    /// MQCFSL.
    Texts,
    /// MQCFBS; hexadecimal in MQSC.
    Bytes,
    /// MQCFIL: a number for each word.
    WordList(&'static [(&'static str, i32)]),
    /// MQCFIN in a response: this number, whatever MQSC shows.
    Always(i32),
    /// MQCFIL: numbers with commas between them in MQSC; what is blank is -1.
    Integers,
    /// MQCFIN: MQOO_*; the names of options in MQSC.
    OpenOptions,
}

impl Form {
    /// The number of a word; 0 for others.
    fn number(&self, word: &str) -> i32 {
        let Self::Words(words) = self else { return 0 };
        words.iter().find(|(known, _)| *known == word).map_or(0, |(_, number)| *number)
    }
}

pub(super) const fn term(id: i32, keyword: &'static str, form: Form) -> Term {
    Term { id, keyword, form }
}

pub(super) const DATE: Form = Form::Text(12);
pub(super) const TIME: Form = Form::Text(8);
pub(super) const NAME: Form = Form::Text(48);
pub(super) const CHANNEL_NAME: Form = Form::Text(20);

pub(super) const NO_YES: Form = Form::Words(&[("NO", 0), ("YES", 1)]);
const ASYNC_STATES: Form = Form::Words(&[
    ("NONE", 0),
    ("STARTED", 1),
    ("STARTWAIT", 2),
    ("STOPPED", 3),
    ("SUSPENDED", 4),
    ("SUSPTEMP", 5),
    ("ACTIVE", 6),
    ("INACTIVE", 7),
]);
const HANDLE_STATES: Form = Form::Words(&[("INACTIVE", 0), ("ACTIVE", 1)]);
const INPUT: Form = Form::Words(&[("NO", 0), ("SHARED", 1), ("EXCL", 2)]);
const UNIT_OF_WORK_TYPES: Form = Form::Words(&[("QMGR", 0), ("CICS", 1), ("RRS", 2), ("IMS", 3), ("XA", 4)]);
const UNIT_OF_WORK_STATES: Form = Form::Words(&[("NONE", 0), ("ACTIVE", 1), ("PREPARED", 2), ("UNRESOLVED", 3)]);
const MONITORING: Form =
    Form::Words(&[("OFF", 0), ("NONE", -1), ("QMGR", -3), ("LOW", 17), ("MEDIUM", 33), ("HIGH", 65)]);
/// MQAT_*.
const APPLICATION_TYPES: Form =
    Form::Words(&[("USER", 25), ("SYSTEM", 7), ("CHINIT", 30), ("UNIX", 6), ("WINDOWSNT", 11), ("JAVA", 28)]);
/// MQCHS_*.
const CHANNEL_STATES: Form = Form::Words(&[
    ("INACTIVE", 0),
    ("BINDING", 1),
    ("STARTING", 2),
    ("RUNNING", 3),
    ("STOPPING", 4),
    ("RETRYING", 5),
    ("STOPPED", 6),
    ("REQUESTING", 7),
    ("PAUSED", 8),
    ("DISCONNECTED", 9),
    ("INITIALIZING", 13),
    ("SWITCHING", 14),
]);
/// MQCHT_*.
const CHANNEL_TYPES: Form = Form::Words(&[
    ("SDR", 1),
    ("SVR", 2),
    ("RCVR", 3),
    ("RQSTR", 4),
    ("ALL", 5),
    ("CLNTCONN", 6),
    ("SVRCONN", 7),
    ("CLUSRCVR", 8),
    ("CLUSSDR", 9),
    ("MQTT", 10),
    ("AMQP", 11),
]);
/// MQCHSSTATE_*.
const SUBSTATES: Form = Form::Words(&[
    ("", 0),
    ("ENDBATCH", 100),
    ("SEND", 200),
    ("RECEIVE", 300),
    ("SERIALIZE", 400),
    ("RESYNCH", 500),
    ("HEARTBEAT", 600),
    ("SCYEXIT", 700),
    ("RCVEXIT", 800),
    ("SENDEXIT", 900),
    ("MSGEXIT", 1000),
    ("MREXIT", 1100),
    ("CHADEXIT", 1200),
    ("NETCONNECT", 1250),
    ("SSLHANDSHK", 1300),
    ("NAMESERVER", 1400),
    ("MQPUT", 1500),
    ("MQGET", 1600),
    ("MQICALL", 1700),
    ("COMPRESS", 1800),
]);
/// How PCF tells an instance of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelNumbers {
    /// MQCHT_*.
    pub channel_type: i32,
    /// MQCHS_*.
    pub status: i32,
    /// MQCHSSTATE_*.
    pub substate: i32,
}

impl ChannelNumbers {
    pub fn of(instance: &ChannelInstance) -> Self {
        Self {
            channel_type: CHANNEL_TYPES.number(instance.channel_type),
            status: CHANNEL_STATES.number(state_word(instance.state)),
            substate: SUBSTATES.number(instance.substate),
        }
    }
}

/// MQSVC_STATUS_*.
const SERVICE_STATES: Form =
    Form::Words(&[("STOPPED", 0), ("STARTING", 1), ("RUNNING", 2), ("STOPPING", 3), ("RETRYING", 4)]);
/// MQXPT_*.
pub(super) const TRANSPORTS: Form =
    Form::Words(&[("ALL", -1), ("LOCAL", 0), ("LU62", 1), ("TCP", 2), ("NETBIOS", 3), ("SPX", 4), ("UDP", 6)]);
const CONTROL: Form = Form::Words(&[("QMGR", 0), ("STARTONLY", 1), ("MANUAL", 2)]);
const SERVICE_TYPES: Form = Form::Words(&[("COMMAND", 0), ("SERVER", 1)]);
const PUBSUB_TYPES: Form = Form::Words(&[("ALL", 0), ("LOCAL", 1), ("PARENT", 2), ("CHILD", 3)]);
const PUBSUB_STATES: Form = Form::Words(&[
    ("INACTIVE", 0),
    ("STARTING", 1),
    ("STOPPING", 2),
    ("ACTIVE", 3),
    ("COMPAT", 4),
    ("ERROR", 5),
    ("REFUSED", 6),
]);
/// MQOT_* as AUTHREC knows them.
pub(super) const OBJECT_TYPES: Form = Form::Words(&[
    ("QUEUE", 1),
    ("NAMELIST", 2),
    ("PROCESS", 3),
    ("QMGR", 5),
    ("CHANNEL", 6),
    ("AUTHINFO", 7),
    ("TOPIC", 8),
    ("COMMINFO", 9),
    ("LISTENER", 11),
    ("SERVICE", 12),
    ("CLNTCONN", 1014),
    ("RQMNAME", 1017),
]);
/// MQZAET_*.
pub(super) const ENTITY_TYPES: Form = Form::Words(&[("PRINCIPAL", 1), ("GROUP", 2)]);
/// MQAUTH_*.
pub(super) const AUTHORITIES: &[(&str, i32)] = &[
    ("NONE", 0),
    ("ALL", -1),
    ("ALLADM", -2),
    ("ALLMQI", -3),
    ("ALTUSR", 1),
    ("BROWSE", 2),
    ("CHG", 3),
    ("CLR", 4),
    ("CONNECT", 5),
    ("CRT", 6),
    ("DLT", 7),
    ("DSP", 8),
    ("GET", 9),
    ("INQ", 10),
    ("PUT", 11),
    ("PASSALL", 12),
    ("PASSID", 13),
    ("SET", 14),
    ("SETALL", 15),
    ("SETID", 16),
    ("CTRL", 17),
    ("CTRLX", 18),
    ("PUB", 19),
    ("SUB", 20),
    ("RESUME", 21),
    ("SYSTEM", 22),
];
pub(super) const SUBSCRIPTION_TYPES: Form =
    Form::Words(&[("ALL", -1), ("USER", -2), ("API", 1), ("ADMIN", 2), ("PROXY", 3)]);
const MULTICAST: Form = Form::Words(&[("ASPARENT", 0), ("ENABLED", 1), ("DISABLED", 2), ("ONLY", 3), ("COMPAT", 1)]);

/// DISPLAY QSTATUS TYPE(QUEUE).
pub(super) static QUEUE_STATUS: &[Term] = &[
    term(2016, "QUEUE", NAME),
    term(1103, "TYPE", Form::Words(&[("QUEUE", 1105), ("HANDLE", 1104)])),
    term(63, "QSGDISP", Form::Words(&[("QMGR", 0), ("COPY", 1), ("SHARED", 2)])),
    term(3, "CURDEPTH", Form::Integer),
    term(1437, "CURFSIZE", Form::Integer),
    term(1438, "CURMAXFS", Form::Integer),
    term(17, "IPPROCS", Form::Integer),
    term(3130, "LGETDATE", DATE),
    term(3131, "LGETTIME", TIME),
    term(3128, "LPUTDATE", DATE),
    term(3129, "LPUTTIME", TIME),
    term(3073, "MEDIALOG", Form::Text(24)),
    term(123, "MONQ", MONITORING),
    term(1227, "MSGAGE", Form::Integer),
    term(18, "OPPROCS", Form::Integer),
    term(1226, "QTIME", Form::Integers),
    term(1027, "UNCOM", Form::Integer),
];

/// DISPLAY GROUP. MQQSGS_* are the states.
pub(super) static GROUP_MEMBERS: &[Term] = &[
    term(2040, "QSGNAME", Form::Text(4)),
    term(2015, "QMNAME", NAME),
    term(1148, "QMNUMBER", Form::Integer),
    term(1149, "STATUS", Form::Words(&[("ACTIVE", 2), ("INACTIVE", 3), ("FAILED", 4)])),
    term(31, "CMDLEVEL", Form::Integer),
];

pub(super) const STRUCTURE_STATUS_TYPE: Term =
    term(1135, "TYPE", Form::Words(&[("SUMMARY", 1136), ("CONNECT", 1137), ("BACKUP", 1138), ("SMDS", 1333)]));

/// DISPLAY CFSTATUS, of both types that have something to show.
pub(super) static STRUCTURE_STATUS: &[Term] = &[
    term(2039, "CFSTATUS", NAME),
    STRUCTURE_STATUS_TYPE,
    term(1139, "CFTYPE", Form::Words(&[("APPL", 0), ("ADMIN", 1)])),
    term(1142, "ENTSMAX", Form::Integer),
    term(1143, "ENTSUSED", Form::Integer),
    term(3096, "FAILDATE", DATE),
    term(3097, "FAILTIME", TIME),
    term(229, "OFFLDUSE", Form::Words(&[("NONE", 0), ("SMDS", 1), ("DB2", 2), ("BOTH", 3)])),
    term(1140, "SIZEMAX", Form::Integer),
    term(1141, "SIZEUSED", Form::Integer),
    term(
        1130,
        "STATUS",
        Form::Words(&[("NOTFOUND", 0), ("ACTIVE", 1), ("FAILED", 4), ("NONE", 5), ("UNKNOWN", 6), ("EMPTY", 8)]),
    ),
    term(2015, "QMNAME", NAME),
    term(3100, "SYSNAME", Form::Text(8)),
];

/// DISPLAY QSTATUS TYPE(HANDLE).
pub(super) static QUEUE_HANDLES: &[Term] = &[
    term(2016, "QUEUE", NAME),
    term(1103, "TYPE", Form::Words(&[("QUEUE", 1105), ("HANDLE", 1104)])),
    term(3174, "APPLDESC", Form::Text(64)),
    term(3058, "APPLTAG", Form::Text(28)),
    term(1, "APPLTYPE", APPLICATION_TYPES),
    term(1308, "ASTATE", ASYNC_STATES),
    term(1102, "BROWSE", NO_YES),
    term(3501, "CHANNEL", CHANNEL_NAME),
    term(3506, "CONNAME", Form::Text(264)),
    term(1028, "HSTATE", HANDLE_STATES),
    term(1098, "INPUT", INPUT),
    term(1101, "INQUIRE", NO_YES),
    term(1099, "OUTPUT", NO_YES),
    term(1024, "PID", Form::Integer),
    term(7009, "QMURID", Form::Bytes),
    term(1100, "SET", NO_YES),
    term(1025, "TID", Form::Integer),
    term(7005, "URID", Form::Bytes),
    term(1132, "URTYPE", UNIT_OF_WORK_TYPES),
    term(3025, "USERID", Form::Text(12)),
];

/// DISPLAY CONN; CONN and EXTCONN are one byte string, which `inquire` puts together.
pub(super) static CONNECTION: &[Term] = &[
    term(7006, "CONN", Form::Bytes),
    term(1110, "TYPE", Form::Words(&[("CONN", 1111), ("HANDLE", 1112), ("ALL", 1113), ("*", 1113)])),
    term(3174, "APPLDESC", Form::Text(64)),
    term(3058, "APPLTAG", Form::Text(28)),
    term(1, "APPLTYPE", APPLICATION_TYPES),
    term(1308, "ASTATE", ASYNC_STATES),
    term(3501, "CHANNEL", CHANNEL_NAME),
    term(3564, "CLIENTID", Form::Text(23)),
    term(3506, "CONNAME", Form::Text(264)),
    term(1108, "CONNOPTS", Form::OpenOptions),
    term(7038, "CONNTAG", Form::Bytes),
    term(1024, "PID", Form::Integer),
    term(1025, "TID", Form::Integer),
    term(3025, "USERID", Form::Text(12)),
    term(1132, "URTYPE", UNIT_OF_WORK_TYPES),
    term(7009, "QMURID", Form::Bytes),
    term(7005, "EXTURID", Form::Bytes),
    term(3064, "UOWLOG", Form::Text(24)),
    term(3062, "UOWLOGDA", DATE),
    term(3063, "UOWLOGTI", TIME),
    term(1128, "UOWSTATE", UNIT_OF_WORK_STATES),
    term(3060, "UOWSTDA", DATE),
    term(3061, "UOWSTTI", TIME),
];

/// A handle of DISPLAY CONN.
pub(super) static CONNECTION_HANDLES: &[Term] = &[
    term(3046, "OBJNAME", NAME),
    term(
        1016,
        "OBJTYPE",
        Form::Words(&[("QUEUE", 1), ("NAMELIST", 2), ("PROCESS", 3), ("QMGR", 5), ("TOPIC", 8), ("CHANNEL", 6)]),
    ),
    term(1308, "ASTATE", ASYNC_STATES),
    term(3154, "DEST", NAME),
    term(3153, "DESTQMGR", NAME),
    term(1028, "HSTATE", HANDLE_STATES),
    term(1022, "OPENOPTS", Form::OpenOptions),
    term(188, "READA", Form::Words(&[("NO", 0), ("YES", 1), ("BACKLOG", 4), ("INHIBITED", 3)])),
    term(7016, "SUBID", Form::Bytes),
    term(3152, "SUBNAME", Form::Text(0)),
    term(2094, "TOPICSTR", Form::Text(0)),
];

/// DISPLAY QMSTATUS.
pub(super) static QUEUE_MANAGER_STATUS: &[Term] = &[
    term(2015, "QMNAME", NAME),
    term(1149, "STATUS", Form::Words(&[("STARTING", 1), ("RUNNING", 2), ("QUIESCING", 3), ("STANDBY", 4)])),
    term(1416, "ARCHLOG", Form::Integer),
    term(1232, "CHINIT", SERVICE_STATES),
    term(1233, "CMDSERV", SERVICE_STATES),
    term(1230, "CONNS", Form::Integer),
    term(3071, "CURRLOG", Form::Text(24)),
    term(3191, "HOSTNAME", Form::Text(0)),
    term(2115, "INSTDESC", Form::Text(64)),
    term(2116, "INSTNAME", Form::Text(16)),
    term(2117, "INSTPATH", Form::Text(256)),
    term(1409, "LDAPCONN", Form::Words(&[("INACTIVE", 0), ("CONNECTED", 1), ("ERROR", 2)])),
    term(1420, "LOGINUSE", Form::Integer),
    term(1452, "LOGFSUSE", Form::Integer),
    term(1453, "LOGFSSZ", Form::Integer),
    term(3074, "LOGPATH", Form::Text(0)),
    term(1456, "LOGTYPE", Form::Words(&[("CIRCULAR", 0), ("LINEAR", 1), ("REPLICATED", 2)])),
    term(1421, "LOGUTIL", Form::Integer),
    term(3073, "MEDIALOG", Form::Text(24)),
    term(1417, "MEDIASZ", Form::Integer),
    term(3072, "RECLOG", Form::Text(24)),
    term(1418, "RECSZ", Form::Integer),
    term(1419, "REUSESZ", Form::Integer),
    term(1325, "STANDBY", Form::Words(&[("NOPERMIT", 0), ("PERMIT", 1)])),
    term(3175, "STARTDA", DATE),
    term(3176, "STARTTI", TIME),
    term(3213, "UNICLUS", NAME),
];

/// DISPLAY SBSTATUS.
pub(super) static SUBSCRIPTION_STATUS: &[Term] = &[
    term(3152, "SUB", Form::Text(0)),
    term(7016, "SUBID", Form::Bytes),
    term(7006, "ACTCONN", Form::Bytes),
    term(1274, "DURABLE", Form::Words(&[("YES", 1), ("NO", 2)])),
    term(3168, "LMSGDATE", DATE),
    term(3167, "LMSGTIME", TIME),
    term(1351, "MCASTREL", Form::Integers),
    term(1290, "NUMMSGS", Form::Integer),
    term(3058, "RESMAPPL", Form::Text(28)),
    term(2098, "RESMDATE", DATE),
    term(2099, "RESMTIME", TIME),
    term(1289, "SUBTYPE", SUBSCRIPTION_TYPES),
    term(3156, "SUBUSER", Form::Text(64)),
    term(2094, "TOPICSTR", Form::Text(0)),
];

/// MQCHLD_*.
pub(super) const CHANNEL_DISPOSITIONS: Form = Form::Words(&[("ALL", -1), ("SHARED", 2), ("PRIVATE", 4)]);

/// DISPLAY CHSTATUS.
pub(super) static CHANNEL_STATUS: &[Term] = &[
    term(3501, "CHANNEL", CHANNEL_NAME),
    term(1511, "CHLTYPE", CHANNEL_TYPES),
    term(1580, "CHLDISP", CHANNEL_DISPOSITIONS),
    term(1537, "BATCHES", Form::Integer),
    term(1502, "BATCHSZ", Form::Integer),
    term(1538, "BUFSSENT", Form::Integer),
    term(1539, "BUFSRCVD", Form::Integer),
    term(1536, "BYTSRCVD", Form::Integer),
    term(1535, "BYTSSENT", Form::Integer),
    term(3529, "CHSTADA", DATE),
    term(3528, "CHSTATI", TIME),
    term(1575, "COMPHDR", Form::Integers),
    term(1576, "COMPMSG", Form::Integers),
    term(1611, "COMPRATE", Form::Integers),
    term(1612, "COMPTIME", Form::Integers),
    term(3506, "CONNAME", Form::Text(264)),
    term(3532, "CURLUWID", Form::Text(16)),
    term(1531, "CURMSGS", Form::Integer),
    term(1532, "CURSEQNO", Form::Integer),
    term(1617, "CURSHCNV", Form::Integer),
    term(1606, "EXITTIME", Form::Integers),
    term(1563, "HBINT", Form::Integer),
    term(1528, "INDOUBT", NO_YES),
    term(3530, "JOBNAME", Form::Text(28)),
    term(1566, "KAINT", Form::Integer),
    term(3531, "LSTLUWID", Form::Text(16)),
    term(3525, "LSTMSGDA", DATE),
    term(3524, "LSTMSGTI", TIME),
    term(1529, "LSTSEQNO", Form::Integer),
    term(3520, "LOCLADDR", Form::Text(48)),
    term(1540, "LONGRTS", Form::Integer),
    term(1616, "MAXSHCNV", Form::Integer),
    term(1510, "MAXMSGL", Form::Integer),
    term(1542, "MCASTAT", Form::Words(&[("NOTRUNNING", 0), ("STOPPED", 0), ("RUNNING", 3)])),
    term(3527, "MCAUSER", Form::Text(64)),
    term(122, "MONCHL", MONITORING),
    term(1534, "MSGS", Form::Integer),
    term(1605, "NETTIME", Form::Integers),
    term(1562, "NPMSPEED", Form::Words(&[("NORMAL", 1), ("FAST", 2)])),
    term(3507, "MCANAME", Form::Text(20)),
    term(2015, "QMNAME", NAME),
    term(3548, "RAPPLTAG", Form::Text(28)),
    term(3561, "RPRODUCT", Form::Text(4)),
    term(2017, "RQMNAME", NAME),
    term(3560, "RVERSION", Form::Text(8)),
    term(1645, "SECPROT", Form::Words(&[("NONE", 0), ("SSLV3", 1), ("TLSV1", 2), ("TLSV12", 4), ("TLSV13", 8)])),
    term(1541, "SHORTRTS", Form::Integer),
    term(3550, "SSLCERTI", Form::Text(256)),
    term(3549, "SSLCERTU", Form::Text(64)),
    term(3544, "SSLCIPH", Form::Text(32)),
    term(3558, "SSLKEYDA", DATE),
    term(3559, "SSLKEYTI", TIME),
    term(3547, "SSLPEER", Form::Text(256)),
    term(1610, "SSLRKEYS", Form::Integer),
    term(1527, "STATUS", CHANNEL_STATES),
    term(1543, "STOPREQ", NO_YES),
    term(1609, "SUBSTATE", SUBSTATES),
    term(1608, "XQMSGSA", Form::Integer),
    term(1607, "XBATCHSZ", Form::Integers),
    term(3505, "XMITQ", NAME),
    term(1604, "XQTIME", Form::Integers),
    // MQOT_CURRENT_CHANNEL: what is saved is never shown.
    term(1523, "CURRENT", Form::Always(1011)),
    term(129, "STATCHL", MONITORING),
];

/// DISPLAY LSSTATUS.
pub(super) static LISTENER_STATUS: &[Term] = &[
    term(3554, "LISTENER", NAME),
    term(1599, "STATUS", SERVICE_STATES),
    term(1602, "BACKLOG", Form::Integer),
    term(1601, "CONTROL", CONTROL),
    term(3555, "DESCR", Form::Text(64)),
    term(1581, "INDISP", Form::Words(&[("QMGR", 0), ("GROUP", 3)])),
    term(3552, "IPADDR", Form::Text(48)),
    term(1024, "PID", Form::Integer),
    term(1522, "PORT", Form::Integer),
    term(3556, "STARTDA", DATE),
    term(3557, "STARTTI", TIME),
    term(1501, "TRPTYPE", TRANSPORTS),
];

/// DISPLAY SVSTATUS.
pub(super) static SERVICE_STATUS: &[Term] = &[
    term(2077, "SERVICE", Form::Text(32)),
    term(1260, "STATUS", SERVICE_STATES),
    term(139, "CONTROL", CONTROL),
    term(2078, "DESCR", Form::Text(64)),
    term(1024, "PID", Form::Integer),
    term(121, "SERVTYPE", SERVICE_TYPES),
    term(2080, "STARTARG", Form::Text(255)),
    term(2079, "STARTCMD", Form::Text(255)),
    term(3144, "STARTDA", DATE),
    term(3145, "STARTTI", TIME),
    term(2084, "STDERR", Form::Text(255)),
    term(2083, "STDOUT", Form::Text(255)),
    term(2082, "STOPARG", Form::Text(255)),
    term(2081, "STOPCMD", Form::Text(255)),
];

/// DISPLAY PUBSUB.
pub(super) static PUBSUB_STATUS: &[Term] = &[
    term(1314, "TYPE", PUBSUB_TYPES),
    term(2015, "QMNAME", NAME),
    term(1311, "STATUS", PUBSUB_STATES),
    term(204, "SUBCOUNT", Form::Integer),
    term(253, "TPCOUNT", Form::Integer),
];

/// DISPLAY TPSTATUS TYPE(TOPIC).
pub(super) static TOPIC_STATUS: &[Term] = &[
    term(2094, "TOPICSTR", Form::Text(0)),
    term(1302, "TYPE", Form::Words(&[("TOPIC", 1295), ("SUB", 1296), ("PUB", 1297)])),
    term(2105, "ADMIN", NAME),
    term(276, "CAPEXPRY", Form::Integer),
    term(255, "CLROUTE", Form::Words(&[("DIRECT", 0), ("TOPICHST", 1), ("NONE", 2)])),
    term(2029, "CLUSTER", NAME),
    term(2110, "COMMINFO", NAME),
    term(185, "DEFPSIST", NO_YES),
    term(6, "DEFPRTY", Form::Integer),
    term(184, "DEFPRESP", Form::Words(&[("ASPARENT", 0), ("SYNC", 1), ("ASYNC", 2)])),
    term(175, "DURSUB", Form::Words(&[("ASPARENT", 0), ("YES", 1), ("NO", 2)])),
    term(176, "MCAST", MULTICAST),
    term(2096, "MDURMDL", NAME),
    term(2097, "MNDURMDL", NAME),
    term(196, "NPMSGDLV", Form::Words(&[("ASPARENT", 0), ("ALL", 1), ("ALLDUR", 2), ("ALLAVAIL", 3)])),
    term(195, "PMSGDLV", Form::Words(&[("ASPARENT", 0), ("ALL", 1), ("ALLDUR", 2), ("ALLAVAIL", 3)])),
    term(181, "PUB", Form::Words(&[("ASPARENT", 0), ("DISABLED", 1), ("ENABLED", 2)])),
    term(215, "PUBCOUNT", Form::Integer),
    term(219, "PUBSCOPE", Form::Words(&[("ALL", 0), ("ASPARENT", 1), ("QMGR", 4)])),
    term(1300, "RETAINED", NO_YES),
    term(182, "SUB", Form::Words(&[("ASPARENT", 0), ("DISABLED", 1), ("ENABLED", 2)])),
    term(204, "SUBCOUNT", Form::Integer),
    term(218, "SUBSCOPE", Form::Words(&[("ALL", 0), ("ASPARENT", 1), ("QMGR", 4)])),
    term(234, "USEDLQ", Form::Words(&[("ASPARENT", 0), ("NO", 1), ("YES", 2)])),
];

/// DISPLAY TPSTATUS TYPE(SUB) and TYPE(PUB), which have more.
pub(super) static TOPIC_CLIENTS: &[Term] = &[
    term(2094, "TOPICSTR", Form::Text(0)),
    term(1302, "TYPE", Form::Words(&[("TOPIC", 1295), ("SUB", 1296), ("PUB", 1297)])),
    term(7006, "ACTCONN", Form::Bytes),
    term(1274, "DURABLE", Form::Words(&[("YES", 1), ("NO", 2)])),
    term(3161, "LPUBDATE", DATE),
    term(3162, "LPUBTIME", TIME),
    term(3168, "LMSGDATE", DATE),
    term(3167, "LMSGTIME", TIME),
    term(1351, "MCASTREL", Form::Integers),
    term(1304, "NUMPUBS", Form::Integer),
    term(1290, "NUMMSGS", Form::Integer),
    term(2098, "RESMDATE", DATE),
    term(2099, "RESMTIME", TIME),
    term(7016, "SUBID", Form::Bytes),
    term(1289, "SUBTYPE", SUBSCRIPTION_TYPES),
    term(3156, "SUBUSER", Form::Text(64)),
];

/// DISPLAY AUTHREC and ENTAUTH.
pub(super) static AUTHORITY: &[Term] = &[
    term(3067, "PROFILE", NAME),
    term(3068, "ENTITY", Form::Text(64)),
    term(1118, "ENTTYPE", ENTITY_TYPES),
    term(1016, "OBJTYPE", OBJECT_TYPES),
    term(1115, "AUTHLIST", Form::WordList(AUTHORITIES)),
    term(3046, "OBJNAME", NAME),
];

/// RESET QSTATS.
pub(super) static QUEUE_STATISTICS: &[Term] = &[
    term(2016, "QSTATS", NAME),
    term(35, "RESETINT", Form::Integer),
    term(36, "HIQDEPTH", Form::Integer),
    term(37, "MSGSIN", Form::Integer),
    term(38, "MSGSOUT", Form::Integer),
];

/// DISPLAY CMDSERV.
pub(super) static COMMAND_SERVER: &[Term] =
    &[term(2015, "QMNAME", NAME), term(1233, "STATUS", SERVICE_STATES), term(2003, "COMMANDQ", NAME)];

/// DISPLAY and SET SYSTEM.
pub(super) static SYSTEM_SETTINGS: &[Term] = &[term(3205, "EXCLMSG", Form::Texts)];

/// DISPLAY AUTHSERV.
pub(super) static AUTHORITY_SERVICE: &[Term] =
    &[term(3069, "SERVCOMP", NAME), term(1263, "IFVER", Form::Integer), term(1262, "UIDSUPP", NO_YES)];

/// SET and DISPLAY CHLAUTH.
pub(super) static CHANNEL_AUTHENTICATION: &[Term] = &[
    term(3501, "CHLAUTH", CHANNEL_NAME),
    term(
        1352,
        "TYPE",
        Form::Words(&[
            ("ALL", 0),
            ("BLOCKUSER", 1),
            ("BLOCKADDR", 2),
            ("SSLPEERMAP", 3),
            ("ADDRESSMAP", 4),
            ("USERMAP", 5),
            ("QMGRMAP", 6),
        ]),
    ),
    term(1086, "ACTION", Form::Words(&[("ADD", 5), ("REPLACE", 6), ("REMOVE", 7), ("REMOVEALL", 8)])),
    term(3506, "ADDRESS", Form::Text(264)),
    term(3566, "ADDRLIST", Form::Texts),
    term(3567, "CLNTUSER", Form::Text(64)),
    term(2017, "QMNAME", NAME),
    term(3545, "SSLPEER", Form::Text(256)),
    term(2130, "SSLCERTI", Form::Text(256)),
    term(3527, "MCAUSER", Form::Text(64)),
    term(3568, "USERLIST", Form::Texts),
    term(1638, "USERSRC", Form::Words(&[("MAP", 0), ("NOACCESS", 1), ("CHANNEL", 2)])),
    term(258, "CHCKCLNT", Form::Words(&[("OPTIONAL", 0), ("NONE", 1), ("REQDADM", 2), ("REQUIRED", 3), ("ASQMGR", 4)])),
    term(1639, "WARN", NO_YES),
    term(2119, "CUSTOM", Form::Text(128)),
    term(2118, "DESCR", Form::Text(64)),
    term(1637, "MATCH", Form::Words(&[("GENERIC", 0), ("RUNCHECK", 1), ("EXACT", 2), ("ALL", 3)])),
    term(2027, "ALTDATE", Form::Text(12)),
    term(2028, "ALTTIME", Form::Text(8)),
];
