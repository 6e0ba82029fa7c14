//! The commands: their numbers, and what each is in the words of MQSC.
//!
//! A new command is a row here. What it is about stands in a `Subject` (definitions), a `StatementForm` (commands) or a
//! `StatusForm` (what DISPLAY shows of running things); parameters that are no attributes are terms.

use model::definition::attribute::{Kind, Membership};

use crate::mqsc::statement::{Parameter as Words, Verb};
use crate::pcf::inquire::special::{authority, by_connection, by_subscription, channel_instances, stop_connection};
use crate::pcf::refusal::Refusal;
use crate::pcf::request::Parameters;
use crate::pcf::term::{
    AUTHORITIES, AUTHORITY, AUTHORITY_SERVICE, CHANNEL_AUTHENTICATION, CHANNEL_DISPOSITIONS, CHANNEL_NAME,
    CHANNEL_STATUS, COMMAND_SERVER, CONNECTION, CONNECTION_HANDLES, Form, GROUP_MEMBERS, LISTENER_STATUS, NAME, NO_YES,
    OBJECT_TYPES, PUBSUB_STATUS, QUEUE_HANDLES, QUEUE_MANAGER_STATUS, QUEUE_STATISTICS, QUEUE_STATUS, SERVICE_STATUS,
    STRUCTURE_STATUS, STRUCTURE_STATUS_TYPE, SUBSCRIPTION_STATUS, SUBSCRIPTION_TYPES, SYSTEM_SETTINGS, TOPIC_CLIENTS,
    TOPIC_STATUS, Term, term,
};

pub(super) struct Row {
    /// MQCMD_*.
    pub(super) number: i32,
    pub(super) name: &'static str,
    pub(super) action: Action,
    /// Which queue managers have it.
    pub(super) membership: Membership,
}

pub(super) enum Action {
    Create(&'static Subject),
    Change(&'static Subject),
    Copy(&'static Subject),
    Delete(&'static Subject),
    Inquire(&'static Subject),
    Names(&'static Subject),
    Statement(&'static StatementForm),
    Status(&'static StatusForm),
    Escape,
}

/// A kind of definition, or several that share their commands.
pub(super) struct Subject {
    /// Words of MQSC that name the kinds.
    pub(super) words: &'static [&'static str],
    /// The object of DISPLAY.
    pub(super) display: &'static str,
    /// Parameters with the name, and of Copy with the old and the new name; 0 for none.
    pub(super) name: i32,
    pub(super) from: i32,
    pub(super) to: i32,
    /// The list of attributes to show.
    pub(super) selectors: i32,
    /// Of Inquire Names: the list of names, and beside it that of types; 0 for none.
    pub(super) names: i32,
    pub(super) types: i32,
    /// Says which of the kinds, where MQSC has a word for each; in an inquiry the filter of the same name.
    pub(super) kind: Option<&'static Term>,
    /// Numbers of types that stand for all of them.
    pub(super) all: &'static [(i32, i64)],
    /// Parameters of an inquiry that DISPLAY has in words.
    pub(super) narrowing: &'static [Term],
}

pub(super) struct StatementForm {
    pub(super) verb: Verb,
    pub(super) object: &'static str,
    /// What stands in parentheses after the object.
    pub(super) name: Option<Term>,
    /// Stands there when the parameter is missing; `None` when it must not be.
    pub(super) default: Option<&'static str>,
    pub(super) terms: &'static [Term],
    /// Takes care of parameters for which a term is not enough.
    pub(super) special: Special,
}

/// Takes what it knows out of the parameters and gives the name, if it says it, and more words.
pub(super) type Special = fn(&mut Parameters<'_>, &mut Vec<Words>) -> Result<Option<String>, Refusal>;

pub(super) struct StatusForm {
    /// DISPLAY, but for commands that change something and show it.
    pub(super) verb: Verb,
    pub(super) object: &'static str,
    /// As in `StatementForm`.
    pub(super) name: Option<Term>,
    pub(super) default: Option<&'static str>,
    pub(super) terms: &'static [Term],
    pub(super) special: Special,
    pub(super) selectors: i32,
    /// What it shows, and what may select and filter.
    pub(super) shows: &'static [&'static [Term]],
}

fn nothing_special(_: &mut Parameters<'_>, _: &mut Vec<Words>) -> Result<Option<String>, Refusal> {
    Ok(None)
}

const IGNORE_STATE: Term = term(1423, "IGNSTATE", NO_YES);

/// Of every Create and Copy; of every Change; of every Delete.
pub(super) static CREATE_TERMS: &[Term] = &[term(1006, "REPLACE", Form::Switch("REPLACE", ""))];
pub(super) static CHANGE_TERMS: &[Term] = &[term(1005, "FORCE", Form::Switch("FORCE", ""))];
pub(super) static DELETE_TERMS: &[Term] = &[
    term(1007, "PURGE", Form::Switch("PURGE", "")),
    term(1398, "AUTHREC", NO_YES),
    IGNORE_STATE,
    term(1526, "CHLTABLE", Form::Words(&[("QMGRTBL", 1), ("CLNTTBL", 2)])),
];

/// Of every command, at members of a queue-sharing group.
pub(super) static GROUP_TERMS: &[Term] = &[
    term(
        63,
        "QSGDISP",
        Form::Words(&[("ALL", -1), ("QMGR", 0), ("COPY", 1), ("SHARED", 2), ("GROUP", 3), ("PRIVATE", 4), ("LIVE", 6)]),
    ),
    term(3080, "CMDSCOPE", Form::Text(48)),
    term(1580, "CHLDISP", CHANNEL_DISPOSITIONS),
];

const NO_SUBJECT: Subject = Subject {
    words: &[],
    display: "",
    name: 0,
    from: 0,
    to: 0,
    selectors: 0,
    names: 0,
    types: 0,
    kind: None,
    all: &[],
    narrowing: &[],
};

static QUEUE_TYPE: Term = term(
    20,
    "TYPE",
    Form::Words(&[("QLOCAL", 1), ("QMODEL", 2), ("QALIAS", 3), ("QREMOTE", 6), ("QCLUSTER", 7), ("ALL", 1001)]),
);

static QUEUE_MANAGER: Subject = Subject { words: &["QMGR"], display: "QMGR", selectors: 1001, ..NO_SUBJECT };
static QUEUE: Subject = Subject {
    words: &["QLOCAL", "QMODEL", "QALIAS", "QREMOTE"],
    display: "QUEUE",
    name: 2016,
    from: 3001,
    to: 3002,
    selectors: 1002,
    names: 3011,
    types: 1261,
    kind: Some(&QUEUE_TYPE),
    all: &[(20, 1001)],
    narrowing: &[],
};
static PROCESS: Subject = Subject {
    words: &["PROCESS"],
    display: "PROCESS",
    name: 2012,
    from: 3003,
    to: 3004,
    selectors: 1003,
    names: 3012,
    ..NO_SUBJECT
};
static NAMELIST: Subject = Subject {
    words: &["NAMELIST"],
    display: "NAMELIST",
    name: 2010,
    from: 3005,
    to: 3006,
    selectors: 1004,
    names: 3013,
    ..NO_SUBJECT
};
static CHANNEL: Subject = Subject {
    words: &["CHANNEL"],
    display: "CHANNEL",
    name: 3501,
    from: 3007,
    to: 3008,
    selectors: 1015,
    names: 3512,
    types: 1582,
    all: &[(1511, 5)],
    ..NO_SUBJECT
};
static AUTHENTICATION: Subject = Subject {
    words: &["AUTHINFO"],
    display: "AUTHINFO",
    name: 2045,
    from: 3009,
    to: 3010,
    selectors: 1019,
    names: 3048,
    types: 1622,
    all: &[(66, 0)],
    ..NO_SUBJECT
};
static LISTENER: Subject = Subject {
    words: &["LISTENER"],
    display: "LISTENER",
    name: 3554,
    from: 3124,
    to: 3125,
    selectors: 1222,
    all: &[(1501, -1)],
    ..NO_SUBJECT
};
static SERVICE: Subject = Subject {
    words: &["SERVICE"],
    display: "SERVICE",
    name: 2077,
    from: 3126,
    to: 3127,
    selectors: 1224,
    ..NO_SUBJECT
};
static TOPIC: Subject = Subject {
    words: &["TOPIC"],
    display: "TOPIC",
    name: 2092,
    from: 3150,
    to: 3149,
    selectors: 1269,
    names: 3151,
    all: &[(208, 2)],
    ..NO_SUBJECT
};
pub(super) const SUBSCRIPTION_ID: Term = term(7016, "SUBID", Form::Bytes);
const SUBSCRIPTION_TYPE: Term = term(1289, "SUBTYPE", SUBSCRIPTION_TYPES);
const DURABILITY: Term = term(1274, "DURABLE", Form::Words(&[("ALL", -1), ("YES", 1), ("NO", 2)]));
pub(super) static SUBSCRIPTION: Subject = Subject {
    words: &["SUB"],
    display: "SUB",
    name: 3152,
    from: 3163,
    to: 3164,
    selectors: 1287,
    narrowing: &[
        SUBSCRIPTION_ID,
        SUBSCRIPTION_TYPE,
        DURABILITY,
        term(262, "DISTYPE", Form::Words(&[("RESOLVED", 0), ("DEFINED", 1)])),
    ],
    ..NO_SUBJECT
};
static COMMUNICATION: Subject = Subject {
    words: &["COMMINFO"],
    display: "COMMINFO",
    name: 2110,
    from: 3177,
    to: 3178,
    selectors: 1327,
    ..NO_SUBJECT
};

static STRUCTURE: Subject = Subject {
    words: &["CFSTRUCT"],
    display: "CFSTRUCT",
    name: 2039,
    from: 3093,
    to: 3094,
    selectors: 1133,
    names: 3095,
    ..NO_SUBJECT
};

const NO_STATEMENT: StatementForm =
    StatementForm { verb: Verb::Ping, object: "QMGR", name: None, default: None, terms: &[], special: nothing_special };

const fn channel() -> Option<Term> {
    Some(term(3501, "CHANNEL", CHANNEL_NAME))
}

static PING: StatementForm = NO_STATEMENT;
static CLEAR_QUEUE: StatementForm =
    StatementForm { verb: Verb::Clear, object: "QLOCAL", name: Some(term(2016, "QLOCAL", NAME)), ..NO_STATEMENT };
static REFRESH_SECURITY: StatementForm = StatementForm {
    verb: Verb::Refresh,
    object: "SECURITY",
    terms: &[term(1106, "TYPE", Form::Words(&[("AUTHSERV", 1), ("SSL", 2), ("CLASSES", 3), ("CONNAUTH", 4)]))],
    ..NO_STATEMENT
};
static REFRESH_QUEUE_MANAGER: StatementForm = StatementForm {
    verb: Verb::Refresh,
    object: "QMGR",
    terms: &[
        term(1078, "TYPE", Form::Words(&[("CONFIGEV", 1), ("EXPIRY", 2), ("NSPROC", 3), ("PROXYSUB", 4)])),
        term(1016, "OBJECT", OBJECT_TYPES),
        term(3046, "NAME", NAME),
        term(1094, "INCLINT", Form::Integer),
    ],
    ..NO_STATEMENT
};
static MOVE_QUEUE: StatementForm = StatementForm {
    verb: Verb::Move,
    object: "QLOCAL",
    name: Some(term(3001, "QLOCAL", NAME)),
    terms: &[term(3002, "TOQLOCAL", NAME), term(1145, "TYPE", Form::Words(&[("MOVE", 1146), ("ADD", 1147)]))],
    ..NO_STATEMENT
};
static RESET_QUEUE_MANAGER: StatementForm = StatementForm {
    verb: Verb::Reset,
    object: "QMGR",
    terms: &[
        term(
            1086,
            "TYPE",
            Form::Words(&[("ADVANCELOG", 2), ("STATISTICS", 3), ("PUBSUB", 4), ("REDUCELOG", 10), ("ARCHLOG", 11)]),
        ),
        term(2102, "PARENT", NAME),
        term(2101, "CHILD", NAME),
    ],
    ..NO_STATEMENT
};
static START_CHANNEL: StatementForm =
    StatementForm { verb: Verb::Start, object: "CHANNEL", name: channel(), terms: &[IGNORE_STATE], ..NO_STATEMENT };
static STOP_CHANNEL: StatementForm = StatementForm {
    verb: Verb::Stop,
    object: "CHANNEL",
    name: channel(),
    terms: &[
        term(1008, "MODE", Form::Words(&[("FORCE", 0), ("QUIESCE", 1), ("TERMINATE", 2)])),
        term(1527, "STATUS", Form::Words(&[("INACTIVE", 0), ("STOPPED", 6)])),
        term(3506, "CONNAME", Form::Text(264)),
        term(2015, "QMNAME", NAME),
        IGNORE_STATE,
    ],
    ..NO_STATEMENT
};
static PING_CHANNEL: StatementForm = StatementForm {
    verb: Verb::Ping,
    object: "CHANNEL",
    name: channel(),
    terms: &[term(1512, "DATALEN", Form::Integer)],
    ..NO_STATEMENT
};
static RESET_CHANNEL: StatementForm = StatementForm {
    verb: Verb::Reset,
    object: "CHANNEL",
    name: channel(),
    terms: &[term(1514, "SEQNUM", Form::Integer)],
    ..NO_STATEMENT
};
static RESOLVE_CHANNEL: StatementForm = StatementForm {
    verb: Verb::Resolve,
    object: "CHANNEL",
    name: channel(),
    terms: &[term(1516, "ACTION", Form::Words(&[("COMMIT", 1), ("BACKOUT", 2)]))],
    ..NO_STATEMENT
};
static PURGE_CHANNEL: StatementForm = StatementForm {
    verb: Verb::Purge,
    object: "CHANNEL",
    name: channel(),
    terms: &[term(3564, "CLIENTID", Form::Text(23))],
    ..NO_STATEMENT
};
const fn listener() -> Option<Term> {
    Some(term(3554, "LISTENER", NAME))
}
static START_LISTENER: StatementForm = StatementForm {
    verb: Verb::Start,
    object: "LISTENER",
    name: listener(),
    default: Kind::Listener.default_object(),
    terms: &[IGNORE_STATE],
    ..NO_STATEMENT
};
static STOP_LISTENER: StatementForm =
    StatementForm { verb: Verb::Stop, object: "LISTENER", name: listener(), terms: &[IGNORE_STATE], ..NO_STATEMENT };
const SERVICE_FORM: StatementForm = StatementForm {
    verb: Verb::Start,
    object: "SERVICE",
    name: Some(term(2077, "SERVICE", NAME)),
    terms: &[IGNORE_STATE],
    ..NO_STATEMENT
};
static START_SERVICE: StatementForm = SERVICE_FORM;
static STOP_SERVICE: StatementForm = StatementForm { verb: Verb::Stop, ..SERVICE_FORM };
static START_COMMAND_SERVER: StatementForm = StatementForm { verb: Verb::Start, object: "CMDSERV", ..NO_STATEMENT };
static STOP_COMMAND_SERVER: StatementForm = StatementForm { verb: Verb::Stop, object: "CMDSERV", ..NO_STATEMENT };
static STOP_CONNECTION: StatementForm = StatementForm {
    verb: Verb::Stop,
    object: "CONN",
    name: Some(term(7006, "CONN", Form::Bytes)),
    special: stop_connection,
    ..NO_STATEMENT
};
static CLEAR_TOPIC_STRING: StatementForm = StatementForm {
    verb: Verb::Clear,
    object: "TOPICSTR",
    name: Some(term(2094, "TOPICSTR", Form::Text(0))),
    terms: &[
        term(1305, "CLRTYPE", Form::Words(&[("RETAINED", 1)])),
        term(1306, "SCOPE", Form::Words(&[("LOCAL", 1), ("GLOBAL", 2)])),
    ],
    ..NO_STATEMENT
};
static REFRESH_CLUSTER: StatementForm = StatementForm {
    verb: Verb::Refresh,
    object: "CLUSTER",
    name: Some(term(2029, "CLUSTER", NAME)),
    terms: &[term(1095, "REPOS", NO_YES)],
    ..NO_STATEMENT
};
static RESET_CLUSTER: StatementForm = StatementForm {
    verb: Verb::Reset,
    object: "CLUSTER",
    name: Some(term(2029, "CLUSTER", NAME)),
    terms: &[
        term(2015, "QMNAME", NAME),
        term(1086, "ACTION", Form::Words(&[("FORCEREMOVE", 1)])),
        term(1096, "QUEUES", NO_YES),
    ],
    ..NO_STATEMENT
};
static SUSPEND_QUEUE_MANAGER: StatementForm = StatementForm {
    verb: Verb::Suspend,
    object: "QMGR",
    terms: &[
        term(2029, "CLUSTER", NAME),
        term(2030, "CLUSNL", NAME),
        term(1008, "MODE", Form::Words(&[("FORCE", 0), ("QUIESCE", 1)])),
    ],
    ..NO_STATEMENT
};
static RESUME_QUEUE_MANAGER: StatementForm = StatementForm {
    verb: Verb::Resume,
    object: "QMGR",
    terms: &[term(2029, "CLUSTER", NAME), term(2030, "CLUSNL", NAME)],
    ..NO_STATEMENT
};
static AUTHORITY_KEYS: &[Term] = &[
    term(3067, "PROFILE", NAME),
    term(1016, "OBJTYPE", OBJECT_TYPES),
    term(3065, "PRINCIPAL", Form::Texts),
    term(3066, "GROUP", Form::Texts),
    term(3069, "SERVCOMP", NAME),
    term(1116, "AUTHADD", Form::WordList(AUTHORITIES)),
    term(1117, "AUTHRMV", Form::WordList(AUTHORITIES)),
];
static SET_AUTHORITY: StatementForm =
    StatementForm { verb: Verb::Set, object: "AUTHREC", terms: AUTHORITY_KEYS, ..NO_STATEMENT };
static DELETE_AUTHORITY: StatementForm =
    StatementForm { verb: Verb::Delete, object: "AUTHREC", terms: AUTHORITY_KEYS, ..NO_STATEMENT };
static SET_CHANNEL_AUTHENTICATION: StatementForm = StatementForm {
    verb: Verb::Set,
    object: "CHLAUTH",
    name: channel(),
    terms: CHANNEL_AUTHENTICATION,
    ..NO_STATEMENT
};

static SET_SYSTEM: StatementForm =
    StatementForm { verb: Verb::Set, object: "SYSTEM", terms: SYSTEM_SETTINGS, ..NO_STATEMENT };

const NO_STATUS: StatusForm = StatusForm {
    verb: Verb::Display,
    object: "",
    name: None,
    default: None,
    terms: &[],
    special: nothing_special,
    selectors: 0,
    shows: &[],
};

static QSTATUS: StatusForm = StatusForm {
    object: "QSTATUS",
    name: Some(term(2016, "QUEUE", NAME)),
    terms: &[
        term(1103, "TYPE", Form::Words(&[("QUEUE", 1105), ("HANDLE", 1104)])),
        term(1023, "OPENTYPE", Form::Words(&[("ALL", 1), ("INPUT", 2), ("OUTPUT", 3)])),
    ],
    selectors: 1026,
    shows: &[QUEUE_STATUS, QUEUE_HANDLES],
    ..NO_STATUS
};
static QMSTATUS: StatusForm =
    StatusForm { object: "QMSTATUS", selectors: 1229, shows: &[QUEUE_MANAGER_STATUS], ..NO_STATUS };
static CONN: StatusForm = StatusForm {
    object: "CONN",
    default: Some("*"),
    terms: &[term(1110, "TYPE", Form::Words(&[("CONN", 1111), ("HANDLE", 1112), ("ALL", 1113)]))],
    special: by_connection,
    selectors: 1107,
    shows: &[CONNECTION, CONNECTION_HANDLES],
    ..NO_STATUS
};
static CHSTATUS: StatusForm = StatusForm {
    object: "CHSTATUS",
    name: channel(),
    terms: &[term(3506, "CONNAME", Form::Text(264)), term(3505, "XMITQ", NAME)],
    special: channel_instances,
    selectors: 1524,
    shows: &[CHANNEL_STATUS],
    ..NO_STATUS
};
static LSSTATUS: StatusForm =
    StatusForm { object: "LSSTATUS", name: listener(), selectors: 1223, shows: &[LISTENER_STATUS], ..NO_STATUS };
static SVSTATUS: StatusForm = StatusForm {
    object: "SVSTATUS",
    name: Some(term(2077, "SERVICE", NAME)),
    selectors: 1225,
    shows: &[SERVICE_STATUS],
    ..NO_STATUS
};
static SBSTATUS: StatusForm = StatusForm {
    object: "SBSTATUS",
    name: Some(term(3152, "SUB", Form::Text(0))),
    terms: &[SUBSCRIPTION_TYPE, DURABILITY],
    special: by_subscription,
    selectors: 1294,
    shows: &[SUBSCRIPTION_STATUS],
    ..NO_STATUS
};
static TPSTATUS: StatusForm = StatusForm {
    object: "TPSTATUS",
    name: Some(term(2094, "TOPICSTR", Form::Text(0))),
    terms: &[term(1302, "TYPE", Form::Words(&[("TOPIC", 1295), ("SUB", 1296), ("PUB", 1297)]))],
    selectors: 1301,
    shows: &[TOPIC_STATUS, TOPIC_CLIENTS],
    ..NO_STATUS
};
static PUBSUB: StatusForm = StatusForm {
    object: "PUBSUB",
    terms: &[term(1314, "TYPE", Form::Words(&[("ALL", 0), ("LOCAL", 1), ("PARENT", 2), ("CHILD", 3)]))],
    selectors: 1318,
    shows: &[PUBSUB_STATUS],
    ..NO_STATUS
};
static QSTATS: StatusForm = StatusForm {
    verb: Verb::Reset,
    object: "QSTATS",
    name: Some(term(2016, "QUEUE", NAME)),
    shows: &[QUEUE_STATISTICS],
    ..NO_STATUS
};
static CFSTATUS: StatusForm = StatusForm {
    object: "CFSTATUS",
    name: Some(term(2039, "CFSTATUS", NAME)),
    terms: &[STRUCTURE_STATUS_TYPE],
    shows: &[STRUCTURE_STATUS],
    ..NO_STATUS
};
static GROUP: StatusForm = StatusForm { object: "GROUP", shows: &[GROUP_MEMBERS], ..NO_STATUS };
static CMDSERV: StatusForm = StatusForm { object: "CMDSERV", shows: &[COMMAND_SERVER], ..NO_STATUS };
static SYSTEM: StatusForm = StatusForm { object: "SYSTEM", shows: &[SYSTEM_SETTINGS], ..NO_STATUS };
static AUTHSERV: StatusForm =
    StatusForm { object: "AUTHSERV", selectors: 1264, shows: &[AUTHORITY_SERVICE], ..NO_STATUS };
static AUTHREC: StatusForm =
    StatusForm { object: "AUTHREC", special: authority, selectors: 1114, shows: &[AUTHORITY], ..NO_STATUS };
static ENTAUTH: StatusForm =
    StatusForm { object: "ENTAUTH", special: authority, selectors: 1114, shows: &[AUTHORITY], ..NO_STATUS };
static CHLAUTH: StatusForm = StatusForm {
    object: "CHLAUTH",
    name: channel(),
    terms: CHANNEL_AUTHENTICATION,
    selectors: 1355,
    shows: &[CHANNEL_AUTHENTICATION],
    ..NO_STATUS
};

const fn row(number: i32, name: &'static str, action: Action) -> Row {
    Row { number, name, action, membership: Membership::Alone }
}

/// Of members of a queue-sharing group alone.
const fn of_members(number: i32, name: &'static str, action: Action) -> Row {
    Row { number, name, action, membership: Membership::Member }
}

/// In order of their numbers.
pub(super) static COMMANDS: &[Row] = &[
    row(1, "MQCMD_CHANGE_Q_MGR", Action::Change(&QUEUE_MANAGER)),
    row(2, "MQCMD_INQUIRE_Q_MGR", Action::Inquire(&QUEUE_MANAGER)),
    row(3, "MQCMD_CHANGE_PROCESS", Action::Change(&PROCESS)),
    row(4, "MQCMD_COPY_PROCESS", Action::Copy(&PROCESS)),
    row(5, "MQCMD_CREATE_PROCESS", Action::Create(&PROCESS)),
    row(6, "MQCMD_DELETE_PROCESS", Action::Delete(&PROCESS)),
    row(7, "MQCMD_INQUIRE_PROCESS", Action::Inquire(&PROCESS)),
    row(8, "MQCMD_CHANGE_Q", Action::Change(&QUEUE)),
    row(9, "MQCMD_CLEAR_Q", Action::Statement(&CLEAR_QUEUE)),
    row(10, "MQCMD_COPY_Q", Action::Copy(&QUEUE)),
    row(11, "MQCMD_CREATE_Q", Action::Create(&QUEUE)),
    row(12, "MQCMD_DELETE_Q", Action::Delete(&QUEUE)),
    row(13, "MQCMD_INQUIRE_Q", Action::Inquire(&QUEUE)),
    row(16, "MQCMD_REFRESH_Q_MGR", Action::Statement(&REFRESH_QUEUE_MANAGER)),
    row(17, "MQCMD_RESET_Q_STATS", Action::Status(&QSTATS)),
    row(18, "MQCMD_INQUIRE_Q_NAMES", Action::Names(&QUEUE)),
    row(19, "MQCMD_INQUIRE_PROCESS_NAMES", Action::Names(&PROCESS)),
    row(20, "MQCMD_INQUIRE_CHANNEL_NAMES", Action::Names(&CHANNEL)),
    row(21, "MQCMD_CHANGE_CHANNEL", Action::Change(&CHANNEL)),
    row(22, "MQCMD_COPY_CHANNEL", Action::Copy(&CHANNEL)),
    row(23, "MQCMD_CREATE_CHANNEL", Action::Create(&CHANNEL)),
    row(24, "MQCMD_DELETE_CHANNEL", Action::Delete(&CHANNEL)),
    row(25, "MQCMD_INQUIRE_CHANNEL", Action::Inquire(&CHANNEL)),
    row(26, "MQCMD_PING_CHANNEL", Action::Statement(&PING_CHANNEL)),
    row(27, "MQCMD_RESET_CHANNEL", Action::Statement(&RESET_CHANNEL)),
    row(28, "MQCMD_START_CHANNEL", Action::Statement(&START_CHANNEL)),
    row(29, "MQCMD_STOP_CHANNEL", Action::Statement(&STOP_CHANNEL)),
    row(31, "MQCMD_START_CHANNEL_LISTENER", Action::Statement(&START_LISTENER)),
    row(32, "MQCMD_CHANGE_NAMELIST", Action::Change(&NAMELIST)),
    row(33, "MQCMD_COPY_NAMELIST", Action::Copy(&NAMELIST)),
    row(34, "MQCMD_CREATE_NAMELIST", Action::Create(&NAMELIST)),
    row(35, "MQCMD_DELETE_NAMELIST", Action::Delete(&NAMELIST)),
    row(36, "MQCMD_INQUIRE_NAMELIST", Action::Inquire(&NAMELIST)),
    row(37, "MQCMD_INQUIRE_NAMELIST_NAMES", Action::Names(&NAMELIST)),
    row(38, "MQCMD_ESCAPE", Action::Escape),
    row(39, "MQCMD_RESOLVE_CHANNEL", Action::Statement(&RESOLVE_CHANNEL)),
    row(40, "MQCMD_PING_Q_MGR", Action::Statement(&PING)),
    row(41, "MQCMD_INQUIRE_Q_STATUS", Action::Status(&QSTATUS)),
    row(42, "MQCMD_INQUIRE_CHANNEL_STATUS", Action::Status(&CHSTATUS)),
    row(71, "MQCMD_RESUME_Q_MGR_CLUSTER", Action::Statement(&RESUME_QUEUE_MANAGER)),
    row(72, "MQCMD_SUSPEND_Q_MGR_CLUSTER", Action::Statement(&SUSPEND_QUEUE_MANAGER)),
    row(73, "MQCMD_REFRESH_CLUSTER", Action::Statement(&REFRESH_CLUSTER)),
    row(74, "MQCMD_RESET_CLUSTER", Action::Statement(&RESET_CLUSTER)),
    row(78, "MQCMD_REFRESH_SECURITY", Action::Statement(&REFRESH_SECURITY)),
    row(79, "MQCMD_CHANGE_AUTH_INFO", Action::Change(&AUTHENTICATION)),
    row(80, "MQCMD_COPY_AUTH_INFO", Action::Copy(&AUTHENTICATION)),
    row(81, "MQCMD_CREATE_AUTH_INFO", Action::Create(&AUTHENTICATION)),
    row(82, "MQCMD_DELETE_AUTH_INFO", Action::Delete(&AUTHENTICATION)),
    row(83, "MQCMD_INQUIRE_AUTH_INFO", Action::Inquire(&AUTHENTICATION)),
    row(84, "MQCMD_INQUIRE_AUTH_INFO_NAMES", Action::Names(&AUTHENTICATION)),
    row(85, "MQCMD_INQUIRE_CONNECTION", Action::Status(&CONN)),
    row(86, "MQCMD_STOP_CONNECTION", Action::Statement(&STOP_CONNECTION)),
    row(87, "MQCMD_INQUIRE_AUTH_RECS", Action::Status(&AUTHREC)),
    row(88, "MQCMD_INQUIRE_ENTITY_AUTH", Action::Status(&ENTAUTH)),
    row(89, "MQCMD_DELETE_AUTH_REC", Action::Statement(&DELETE_AUTHORITY)),
    row(90, "MQCMD_SET_AUTH_REC", Action::Statement(&SET_AUTHORITY)),
    row(92, "MQCMD_RESET_Q_MGR", Action::Statement(&RESET_QUEUE_MANAGER)),
    row(93, "MQCMD_CHANGE_LISTENER", Action::Change(&LISTENER)),
    row(94, "MQCMD_COPY_LISTENER", Action::Copy(&LISTENER)),
    row(95, "MQCMD_CREATE_LISTENER", Action::Create(&LISTENER)),
    row(96, "MQCMD_DELETE_LISTENER", Action::Delete(&LISTENER)),
    row(97, "MQCMD_INQUIRE_LISTENER", Action::Inquire(&LISTENER)),
    row(98, "MQCMD_INQUIRE_LISTENER_STATUS", Action::Status(&LSSTATUS)),
    of_members(101, "MQCMD_CHANGE_CF_STRUC", Action::Change(&STRUCTURE)),
    of_members(108, "MQCMD_CREATE_CF_STRUC", Action::Create(&STRUCTURE)),
    of_members(110, "MQCMD_COPY_CF_STRUC", Action::Copy(&STRUCTURE)),
    of_members(112, "MQCMD_DELETE_CF_STRUC", Action::Delete(&STRUCTURE)),
    of_members(115, "MQCMD_INQUIRE_CF_STRUC", Action::Inquire(&STRUCTURE)),
    of_members(116, "MQCMD_INQUIRE_CF_STRUC_STATUS", Action::Status(&CFSTATUS)),
    row(117, "MQCMD_INQUIRE_CMD_SERVER", Action::Status(&CMDSERV)),
    of_members(119, "MQCMD_INQUIRE_QSG", Action::Status(&GROUP)),
    row(123, "MQCMD_INQUIRE_SYSTEM", Action::Status(&SYSTEM)),
    of_members(127, "MQCMD_MOVE_Q", Action::Statement(&MOVE_QUEUE)),
    row(137, "MQCMD_SET_SYSTEM", Action::Statement(&SET_SYSTEM)),
    row(138, "MQCMD_START_CMD_SERVER", Action::Statement(&START_COMMAND_SERVER)),
    row(142, "MQCMD_STOP_CHANNEL_LISTENER", Action::Statement(&STOP_LISTENER)),
    row(143, "MQCMD_STOP_CMD_SERVER", Action::Statement(&STOP_COMMAND_SERVER)),
    of_members(147, "MQCMD_INQUIRE_CF_STRUC_NAMES", Action::Names(&STRUCTURE)),
    row(149, "MQCMD_CHANGE_SERVICE", Action::Change(&SERVICE)),
    row(150, "MQCMD_COPY_SERVICE", Action::Copy(&SERVICE)),
    row(151, "MQCMD_CREATE_SERVICE", Action::Create(&SERVICE)),
    row(152, "MQCMD_DELETE_SERVICE", Action::Delete(&SERVICE)),
    row(153, "MQCMD_INQUIRE_SERVICE", Action::Inquire(&SERVICE)),
    row(154, "MQCMD_INQUIRE_SERVICE_STATUS", Action::Status(&SVSTATUS)),
    row(155, "MQCMD_START_SERVICE", Action::Statement(&START_SERVICE)),
    row(156, "MQCMD_STOP_SERVICE", Action::Statement(&STOP_SERVICE)),
    row(161, "MQCMD_INQUIRE_Q_MGR_STATUS", Action::Status(&QMSTATUS)),
    row(169, "MQCMD_INQUIRE_AUTH_SERVICE", Action::Status(&AUTHSERV)),
    row(170, "MQCMD_CHANGE_TOPIC", Action::Change(&TOPIC)),
    row(171, "MQCMD_COPY_TOPIC", Action::Copy(&TOPIC)),
    row(172, "MQCMD_CREATE_TOPIC", Action::Create(&TOPIC)),
    row(173, "MQCMD_DELETE_TOPIC", Action::Delete(&TOPIC)),
    row(174, "MQCMD_INQUIRE_TOPIC", Action::Inquire(&TOPIC)),
    row(175, "MQCMD_INQUIRE_TOPIC_NAMES", Action::Names(&TOPIC)),
    row(176, "MQCMD_INQUIRE_SUBSCRIPTION", Action::Inquire(&SUBSCRIPTION)),
    row(177, "MQCMD_CREATE_SUBSCRIPTION", Action::Create(&SUBSCRIPTION)),
    row(178, "MQCMD_CHANGE_SUBSCRIPTION", Action::Change(&SUBSCRIPTION)),
    row(179, "MQCMD_DELETE_SUBSCRIPTION", Action::Delete(&SUBSCRIPTION)),
    row(181, "MQCMD_COPY_SUBSCRIPTION", Action::Copy(&SUBSCRIPTION)),
    row(182, "MQCMD_INQUIRE_SUB_STATUS", Action::Status(&SBSTATUS)),
    row(183, "MQCMD_INQUIRE_TOPIC_STATUS", Action::Status(&TPSTATUS)),
    row(184, "MQCMD_CLEAR_TOPIC_STRING", Action::Statement(&CLEAR_TOPIC_STRING)),
    row(185, "MQCMD_INQUIRE_PUBSUB_STATUS", Action::Status(&PUBSUB)),
    row(190, "MQCMD_CREATE_COMM_INFO", Action::Create(&COMMUNICATION)),
    row(191, "MQCMD_INQUIRE_COMM_INFO", Action::Inquire(&COMMUNICATION)),
    row(192, "MQCMD_CHANGE_COMM_INFO", Action::Change(&COMMUNICATION)),
    row(193, "MQCMD_COPY_COMM_INFO", Action::Copy(&COMMUNICATION)),
    row(194, "MQCMD_DELETE_COMM_INFO", Action::Delete(&COMMUNICATION)),
    row(195, "MQCMD_PURGE_CHANNEL", Action::Statement(&PURGE_CHANNEL)),
    row(203, "MQCMD_SET_CHLAUTH_REC", Action::Statement(&SET_CHANNEL_AUTHENTICATION)),
    row(204, "MQCMD_INQUIRE_CHLAUTH_RECS", Action::Status(&CHLAUTH)),
];

pub(super) fn find(number: i32, membership: Membership) -> Option<&'static Row> {
    COMMANDS.iter().find(|row| row.number == number && row.membership <= membership)
}
