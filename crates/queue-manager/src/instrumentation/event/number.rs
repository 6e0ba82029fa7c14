//! Published numbers of event messages that no attribute has.
//!
//! Source: the published constants (cmqc.h, cmqcfc.h), 9.3.

pub(super) const MQCC_OK: i32 = 0;
pub(super) const MQCC_WARNING: i32 = 1;

// Categories.
pub(super) const MQCMD_CONFIG_EVENT: i32 = 43;
pub(super) const MQCMD_Q_MGR_EVENT: i32 = 44;
pub(super) const MQCMD_PERFM_EVENT: i32 = 45;
pub(super) const MQCMD_COMMAND_EVENT: i32 = 99;

// Reasons that only events have.
pub(super) const MQRC_Q_MGR_ACTIVE: i32 = 2222;
pub(super) const MQRC_Q_MGR_NOT_ACTIVE: i32 = 2223;
pub(super) const MQRC_Q_DEPTH_HIGH: i32 = 2224;
pub(super) const MQRC_Q_DEPTH_LOW: i32 = 2225;
pub(super) const MQRC_Q_SERVICE_INTERVAL_HIGH: i32 = 2226;
pub(super) const MQRC_Q_SERVICE_INTERVAL_OK: i32 = 2227;
pub(super) const MQRC_CONFIG_CREATE_OBJECT: i32 = 2367;
pub(super) const MQRC_CONFIG_CHANGE_OBJECT: i32 = 2368;
pub(super) const MQRC_CONFIG_DELETE_OBJECT: i32 = 2369;
pub(super) const MQRC_CONFIG_REFRESH_OBJECT: i32 = 2370;
pub(super) const MQRC_COMMAND_MQSC: i32 = 2412;
pub(super) const MQRC_COMMAND_PCF: i32 = 2413;

// Qualifiers of a reason.
pub(super) const MQRQ_CONN_NOT_AUTHORIZED: i32 = 1;
pub(super) const MQRQ_OPEN_NOT_AUTHORIZED: i32 = 2;
pub(super) const MQRQ_CLOSE_NOT_AUTHORIZED: i32 = 3;
pub(super) const MQRQ_CMD_NOT_AUTHORIZED: i32 = 4;
pub(super) const MQRQ_Q_MGR_STOPPING: i32 = 5;
pub(super) const MQRQ_Q_MGR_QUIESCING: i32 = 6;
pub(super) const MQRQ_SUB_NOT_AUTHORIZED: i32 = 17;
pub(super) const MQRQ_SUB_DEST_NOT_AUTHORIZED: i32 = 18;
pub(super) const MQRQ_CSP_NOT_AUTHORIZED: i32 = 29;
pub(super) const MQRQ_FAILOVER_NOT_PERMITTED: i32 = 31;

// Parameters.
pub(crate) const MQIA_APPL_TYPE: i32 = 1;
pub(crate) const MQIA_Q_TYPE: i32 = 20;
pub(super) const MQIA_TIME_SINCE_RESET: i32 = 35;
pub(super) const MQIA_HIGH_Q_DEPTH: i32 = 36;
pub(super) const MQIA_MSG_ENQ_COUNT: i32 = 37;
pub(super) const MQIA_MSG_DEQ_COUNT: i32 = 38;
pub(super) const MQIA_BASE_TYPE: i32 = 193;
pub(super) const MQIACF_EVENT_APPL_TYPE: i32 = 1010;
pub(super) const MQIACF_EVENT_ORIGIN: i32 = 1011;
pub(super) const MQIACF_OBJECT_TYPE: i32 = 1016;
pub(super) const MQIACF_REASON_QUALIFIER: i32 = 1020;
pub(super) const MQIACF_COMMAND: i32 = 1021;
pub(super) const MQIACF_OPEN_OPTIONS: i32 = 1022;
pub(super) const MQIACF_AUTHORIZATION_LIST: i32 = 1115;
pub(super) const MQIACF_ENTITY_TYPE: i32 = 1118;
pub(super) const MQIACF_SUB_OPTIONS: i32 = 1303;
pub(super) const MQIACF_AUTH_REC_TYPE: i32 = 1412;
pub(super) const MQCA_BASE_OBJECT_NAME: i32 = 2002;
pub(super) const MQCA_NAMELIST_NAME: i32 = 2010;
pub(super) const MQCA_PROCESS_NAME: i32 = 2012;
pub(crate) const MQCA_Q_MGR_NAME: i32 = 2015;
pub(crate) const MQCA_Q_NAME: i32 = 2016;
pub(super) const MQCA_XMIT_Q_NAME: i32 = 2024;
pub(super) const MQCA_TOPIC_STRING: i32 = 2094;
pub(super) const MQCA_ADMIN_TOPIC_NAME: i32 = 2105;
pub(super) const MQCACF_OBJECT_Q_MGR_NAME: i32 = 3023;
pub(crate) const MQCACF_APPL_NAME: i32 = 3024;
pub(crate) const MQCACF_USER_IDENTIFIER: i32 = 3025;
pub(super) const MQCACF_EVENT_USER_ID: i32 = 3045;
pub(super) const MQCACF_EVENT_Q_MGR: i32 = 3047;
pub(super) const MQCACF_EVENT_APPL_IDENTITY: i32 = 3049;
pub(super) const MQCACF_EVENT_APPL_NAME: i32 = 3050;
pub(super) const MQCACF_EVENT_APPL_ORIGIN: i32 = 3051;
pub(super) const MQCACF_AUTH_PROFILE_NAME: i32 = 3067;
pub(super) const MQCACF_ENTITY_NAME: i32 = 3068;
pub(super) const MQCACF_COMMAND_MQSC: i32 = 3075;
pub(super) const MQCACF_HOST_NAME: i32 = 3191;
pub(crate) const MQCACH_CHANNEL_NAME: i32 = 3501;
pub(crate) const MQCACH_CONNECTION_NAME: i32 = 3506;
pub(super) const MQBACF_EVENT_ACCOUNTING_TOKEN: i32 = 7001;
pub(super) const MQGACF_COMMAND_CONTEXT: i32 = 8001;
pub(super) const MQGACF_COMMAND_DATA: i32 = 8002;

// Kinds of objects and queues.
pub(super) const MQOT_Q: i32 = 1;
pub(super) const MQOT_TOPIC: i32 = 8;
pub(super) const MQOT_AUTH_REC: i32 = 1022;
pub(crate) const MQQT_LOCAL: i32 = 1;
pub(super) const MQQT_MODEL: i32 = 2;
pub(super) const MQQT_ALIAS: i32 = 3;
pub(super) const MQQT_REMOTE: i32 = 6;

// Widths in bytes.
pub(super) const MQ_USER_ID_LENGTH: usize = 12;
pub(super) const MQ_APPL_NAME_LENGTH: usize = 28;
