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
    BufferLengthError = 2005, "MQRC_BUFFER_LENGTH_ERROR", Failed;
    CharAttrLengthError = 2006, "MQRC_CHAR_ATTR_LENGTH_ERROR", Failed;
    CharAttrsError = 2007, "MQRC_CHAR_ATTRS_ERROR", Failed;
    CharAttrsTooShort = 2008, "MQRC_CHAR_ATTRS_TOO_SHORT", Failed;
    ConnectionBroken = 2009, "MQRC_CONNECTION_BROKEN", Failed;
    DataLengthError = 2010, "MQRC_DATA_LENGTH_ERROR", Failed;
    DynamicQNameError = 2011, "MQRC_DYNAMIC_Q_NAME_ERROR", Failed;
    EnvironmentError = 2012, "MQRC_ENVIRONMENT_ERROR", Failed;
    ExpiryError = 2013, "MQRC_EXPIRY_ERROR", Failed;
    FeedbackError = 2014, "MQRC_FEEDBACK_ERROR", Failed;
    GetInhibited = 2016, "MQRC_GET_INHIBITED", Failed;
    HandleNotAvailable = 2017, "MQRC_HANDLE_NOT_AVAILABLE", Failed;
    HconnError = 2018, "MQRC_HCONN_ERROR", Failed;
    HobjError = 2019, "MQRC_HOBJ_ERROR", Failed;
    InhibitValueError = 2020, "MQRC_INHIBIT_VALUE_ERROR", Failed;
    IntAttrCountError = 2021, "MQRC_INT_ATTR_COUNT_ERROR", Failed;
    IntAttrCountTooSmall = 2022, "MQRC_INT_ATTR_COUNT_TOO_SMALL", Failed;
    IntAttrsArrayError = 2023, "MQRC_INT_ATTRS_ARRAY_ERROR", Failed;
    SyncpointLimitReached = 2024, "MQRC_SYNCPOINT_LIMIT_REACHED", Failed;
    MaxConnsLimitReached = 2025, "MQRC_MAX_CONNS_LIMIT_REACHED", Failed;
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
    OdError = 2044, "MQRC_OD_ERROR", Failed;
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
    SecurityError = 2063, "MQRC_SECURITY_ERROR", Failed;
    SelectorCountError = 2065, "MQRC_SELECTOR_COUNT_ERROR", Failed;
    SelectorLimitExceeded = 2066, "MQRC_SELECTOR_LIMIT_EXCEEDED", Failed;
    SelectorError = 2067, "MQRC_SELECTOR_ERROR", Failed;
    SelectorNotForType = 2068, "MQRC_SELECTOR_NOT_FOR_TYPE", Failed;
    SignalOutstanding = 2069, "MQRC_SIGNAL_OUTSTANDING", Failed;
    SignalRequestAccepted = 2070, "MQRC_SIGNAL_REQUEST_ACCEPTED", Warning;
    StorageNotAvailable = 2071, "MQRC_STORAGE_NOT_AVAILABLE", Failed;
    SyncpointNotAvailable = 2072, "MQRC_SYNCPOINT_NOT_AVAILABLE", Failed;
    TriggerControlError = 2075, "MQRC_TRIGGER_CONTROL_ERROR", Failed;
    TriggerDepthError = 2076, "MQRC_TRIGGER_DEPTH_ERROR", Failed;
    TriggerMsgPriorityErr = 2077, "MQRC_TRIGGER_MSG_PRIORITY_ERR", Failed;
    TriggerTypeError = 2078, "MQRC_TRIGGER_TYPE_ERROR", Failed;
    TruncatedMsgAccepted = 2079, "MQRC_TRUNCATED_MSG_ACCEPTED", Warning;
    TruncatedMsgFailed = 2080, "MQRC_TRUNCATED_MSG_FAILED", Warning;
    UnknownAliasBaseQ = 2082, "MQRC_UNKNOWN_ALIAS_BASE_Q", Failed;
    UnknownObjectName = 2085, "MQRC_UNKNOWN_OBJECT_NAME", Failed;
    UnknownObjectQMgr = 2086, "MQRC_UNKNOWN_OBJECT_Q_MGR", Failed;
    UnknownRemoteQMgr = 2087, "MQRC_UNKNOWN_REMOTE_Q_MGR", Failed;
    WaitIntervalError = 2090, "MQRC_WAIT_INTERVAL_ERROR", Failed;
    XmitQTypeError = 2091, "MQRC_XMIT_Q_TYPE_ERROR", Failed;
    XmitQUsageError = 2092, "MQRC_XMIT_Q_USAGE_ERROR", Failed;
    NotOpenForPassAll = 2093, "MQRC_NOT_OPEN_FOR_PASS_ALL", Failed;
    NotOpenForPassIdent = 2094, "MQRC_NOT_OPEN_FOR_PASS_IDENT", Failed;
    NotOpenForSetAll = 2095, "MQRC_NOT_OPEN_FOR_SET_ALL", Failed;
    NotOpenForSetIdent = 2096, "MQRC_NOT_OPEN_FOR_SET_IDENT", Failed;
    ContextHandleError = 2097, "MQRC_CONTEXT_HANDLE_ERROR", Failed;
    ContextNotAvailable = 2098, "MQRC_CONTEXT_NOT_AVAILABLE", Failed;
    Signal1Error = 2099, "MQRC_SIGNAL1_ERROR", Failed;
    ObjectAlreadyExists = 2100, "MQRC_OBJECT_ALREADY_EXISTS", Failed;
    ObjectDamaged = 2101, "MQRC_OBJECT_DAMAGED", Failed;
    ResourceProblem = 2102, "MQRC_RESOURCE_PROBLEM", Failed;
    AnotherQMgrConnected = 2103, "MQRC_ANOTHER_Q_MGR_CONNECTED", Failed;
    UnknownReportOption = 2104, "MQRC_UNKNOWN_REPORT_OPTION", Warning;
    StorageClassError = 2105, "MQRC_STORAGE_CLASS_ERROR", Failed;
    CodNotValidForXcfQ = 2106, "MQRC_COD_NOT_VALID_FOR_XCF_Q", Failed;
    XwaitCanceled = 2107, "MQRC_XWAIT_CANCELED", Failed;
    XwaitError = 2108, "MQRC_XWAIT_ERROR", Failed;
    SuppressedByExit = 2109, "MQRC_SUPPRESSED_BY_EXIT", Failed;
    FormatError = 2110, "MQRC_FORMAT_ERROR", Warning;
    SourceCcsidError = 2111, "MQRC_SOURCE_CCSID_ERROR", Warning;
    SourceIntegerEncError = 2112, "MQRC_SOURCE_INTEGER_ENC_ERROR", Warning;
    SourceDecimalEncError = 2113, "MQRC_SOURCE_DECIMAL_ENC_ERROR", Warning;
    SourceFloatEncError = 2114, "MQRC_SOURCE_FLOAT_ENC_ERROR", Warning;
    TargetCcsidError = 2115, "MQRC_TARGET_CCSID_ERROR", Warning;
    TargetIntegerEncError = 2116, "MQRC_TARGET_INTEGER_ENC_ERROR", Warning;
    TargetDecimalEncError = 2117, "MQRC_TARGET_DECIMAL_ENC_ERROR", Warning;
    TargetFloatEncError = 2118, "MQRC_TARGET_FLOAT_ENC_ERROR", Warning;
    NotConverted = 2119, "MQRC_NOT_CONVERTED", Warning;
    ConvertedMsgTooBig = 2120, "MQRC_CONVERTED_MSG_TOO_BIG", Warning;
    NoExternalParticipants = 2121, "MQRC_NO_EXTERNAL_PARTICIPANTS", Failed;
    ParticipantNotAvailable = 2122, "MQRC_PARTICIPANT_NOT_AVAILABLE", Failed;
    OutcomeMixed = 2123, "MQRC_OUTCOME_MIXED", Warning;
    OutcomePending = 2124, "MQRC_OUTCOME_PENDING", Warning;
    BridgeStarted = 2125, "MQRC_BRIDGE_STARTED", Warning;
    BridgeStopped = 2126, "MQRC_BRIDGE_STOPPED", Warning;
    AdapterStorageShortage = 2127, "MQRC_ADAPTER_STORAGE_SHORTAGE", Failed;
    UowInProgress = 2128, "MQRC_UOW_IN_PROGRESS", Failed;
    AdapterConnLoadError = 2129, "MQRC_ADAPTER_CONN_LOAD_ERROR", Failed;
    AdapterServLoadError = 2130, "MQRC_ADAPTER_SERV_LOAD_ERROR", Failed;
    AdapterDefsError = 2131, "MQRC_ADAPTER_DEFS_ERROR", Failed;
    AdapterDefsLoadError = 2132, "MQRC_ADAPTER_DEFS_LOAD_ERROR", Failed;
    AdapterConvLoadError = 2133, "MQRC_ADAPTER_CONV_LOAD_ERROR", Failed;
    BoError = 2134, "MQRC_BO_ERROR", Failed;
    DhError = 2135, "MQRC_DH_ERROR", Failed;
    MultipleReasons = 2136, "MQRC_MULTIPLE_REASONS", Warning;
    OpenFailed = 2137, "MQRC_OPEN_FAILED", Failed;
    AdapterDiscLoadError = 2138, "MQRC_ADAPTER_DISC_LOAD_ERROR", Failed;
    CnoError = 2139, "MQRC_CNO_ERROR", Failed;
    CicsWaitFailed = 2140, "MQRC_CICS_WAIT_FAILED", Failed;
    DlhError = 2141, "MQRC_DLH_ERROR", Failed;
    HeaderError = 2142, "MQRC_HEADER_ERROR", Failed;
    SourceLengthError = 2143, "MQRC_SOURCE_LENGTH_ERROR", Warning;
    TargetLengthError = 2144, "MQRC_TARGET_LENGTH_ERROR", Warning;
    SourceBufferError = 2145, "MQRC_SOURCE_BUFFER_ERROR", Warning;
    TargetBufferError = 2146, "MQRC_TARGET_BUFFER_ERROR", Warning;
    IncompleteTransaction = 2147, "MQRC_INCOMPLETE_TRANSACTION", Failed;
    IihError = 2148, "MQRC_IIH_ERROR", Failed;
    PcfError = 2149, "MQRC_PCF_ERROR", Failed;
    DbcsError = 2150, "MQRC_DBCS_ERROR", Warning;
    ObjectNameError = 2152, "MQRC_OBJECT_NAME_ERROR", Failed;
    ObjectQMgrNameError = 2153, "MQRC_OBJECT_Q_MGR_NAME_ERROR", Failed;
    RecsPresentError = 2154, "MQRC_RECS_PRESENT_ERROR", Failed;
    ObjectRecordsError = 2155, "MQRC_OBJECT_RECORDS_ERROR", Failed;
    ResponseRecordsError = 2156, "MQRC_RESPONSE_RECORDS_ERROR", Failed;
    AsidMismatch = 2157, "MQRC_ASID_MISMATCH", Failed;
    PmoRecordFlagsError = 2158, "MQRC_PMO_RECORD_FLAGS_ERROR", Failed;
    PutMsgRecordsError = 2159, "MQRC_PUT_MSG_RECORDS_ERROR", Failed;
    ConnIdInUse = 2160, "MQRC_CONN_ID_IN_USE", Failed;
    QMgrQuiescing = 2161, "MQRC_Q_MGR_QUIESCING", Failed;
    QMgrStopping = 2162, "MQRC_Q_MGR_STOPPING", Failed;
    DuplicateRecovCoord = 2163, "MQRC_DUPLICATE_RECOV_COORD", Failed;
    PmoError = 2173, "MQRC_PMO_ERROR", Failed;
    ApiExitNotFound = 2182, "MQRC_API_EXIT_NOT_FOUND", Failed;
    ApiExitLoadError = 2183, "MQRC_API_EXIT_LOAD_ERROR", Failed;
    RemoteQNameError = 2184, "MQRC_REMOTE_Q_NAME_ERROR", Failed;
    InconsistentPersistence = 2185, "MQRC_INCONSISTENT_PERSISTENCE", Failed;
    GmoError = 2186, "MQRC_GMO_ERROR", Failed;
    CicsBridgeRestriction = 2187, "MQRC_CICS_BRIDGE_RESTRICTION", Failed;
    StoppedByClusterExit = 2188, "MQRC_STOPPED_BY_CLUSTER_EXIT", Failed;
    ClusterResolutionError = 2189, "MQRC_CLUSTER_RESOLUTION_ERROR", Failed;
    ConvertedStringTooBig = 2190, "MQRC_CONVERTED_STRING_TOO_BIG", Warning;
    TmcError = 2191, "MQRC_TMC_ERROR", Failed;
    StorageMediumFull = 2192, "MQRC_STORAGE_MEDIUM_FULL", Failed;
    PagesetError = 2193, "MQRC_PAGESET_ERROR", Failed;
    NameNotValidForType = 2194, "MQRC_NAME_NOT_VALID_FOR_TYPE", Failed;
    UnexpectedError = 2195, "MQRC_UNEXPECTED_ERROR", Failed;
    UnknownXmitQ = 2196, "MQRC_UNKNOWN_XMIT_Q", Failed;
    UnknownDefXmitQ = 2197, "MQRC_UNKNOWN_DEF_XMIT_Q", Failed;
    DefXmitQTypeError = 2198, "MQRC_DEF_XMIT_Q_TYPE_ERROR", Failed;
    DefXmitQUsageError = 2199, "MQRC_DEF_XMIT_Q_USAGE_ERROR", Failed;
    MsgMarkedBrowseCoOp = 2200, "MQRC_MSG_MARKED_BROWSE_CO_OP", Failed;
    NameInUse = 2201, "MQRC_NAME_IN_USE", Failed;
    ConnectionQuiescing = 2202, "MQRC_CONNECTION_QUIESCING", Failed;
    ConnectionStopping = 2203, "MQRC_CONNECTION_STOPPING", Failed;
    AdapterNotAvailable = 2204, "MQRC_ADAPTER_NOT_AVAILABLE", Failed;
    MsgIdError = 2206, "MQRC_MSG_ID_ERROR", Failed;
    CorrelIdError = 2207, "MQRC_CORREL_ID_ERROR", Failed;
    FileSystemError = 2208, "MQRC_FILE_SYSTEM_ERROR", Failed;
    NoMsgLocked = 2209, "MQRC_NO_MSG_LOCKED", Warning;
    SoapDotnetError = 2210, "MQRC_SOAP_DOTNET_ERROR", Failed;
    SoapAxisError = 2211, "MQRC_SOAP_AXIS_ERROR", Failed;
    SoapUrlError = 2212, "MQRC_SOAP_URL_ERROR", Failed;
    FileNotAudited = 2216, "MQRC_FILE_NOT_AUDITED", Failed;
    ConnectionNotAuthorized = 2217, "MQRC_CONNECTION_NOT_AUTHORIZED", Failed;
    MsgTooBigForChannel = 2218, "MQRC_MSG_TOO_BIG_FOR_CHANNEL", Failed;
    CallInProgress = 2219, "MQRC_CALL_IN_PROGRESS", Failed;
    RmhError = 2220, "MQRC_RMH_ERROR", Failed;
    QMgrActive = 2222, "MQRC_Q_MGR_ACTIVE", Warning;
    QMgrNotActive = 2223, "MQRC_Q_MGR_NOT_ACTIVE", Warning;
    QDepthHigh = 2224, "MQRC_Q_DEPTH_HIGH", Warning;
    QDepthLow = 2225, "MQRC_Q_DEPTH_LOW", Warning;
    QServiceIntervalHigh = 2226, "MQRC_Q_SERVICE_INTERVAL_HIGH", Warning;
    QServiceIntervalOk = 2227, "MQRC_Q_SERVICE_INTERVAL_OK", Warning;
    RfhHeaderFieldError = 2228, "MQRC_RFH_HEADER_FIELD_ERROR", Failed;
    RasPropertyError = 2229, "MQRC_RAS_PROPERTY_ERROR", Failed;
    UnitOfWorkNotStarted = 2232, "MQRC_UNIT_OF_WORK_NOT_STARTED", Failed;
    ChannelAutoDefOk = 2233, "MQRC_CHANNEL_AUTO_DEF_OK", Warning;
    ChannelAutoDefError = 2234, "MQRC_CHANNEL_AUTO_DEF_ERROR", Warning;
    CfhError = 2235, "MQRC_CFH_ERROR", Failed;
    CfilError = 2236, "MQRC_CFIL_ERROR", Failed;
    CfinError = 2237, "MQRC_CFIN_ERROR", Failed;
    CfslError = 2238, "MQRC_CFSL_ERROR", Failed;
    CfstError = 2239, "MQRC_CFST_ERROR", Failed;
    IncompleteGroup = 2241, "MQRC_INCOMPLETE_GROUP", Warning;
    IncompleteMsg = 2242, "MQRC_INCOMPLETE_MSG", Warning;
    InconsistentCcsids = 2243, "MQRC_INCONSISTENT_CCSIDS", Warning;
    InconsistentEncodings = 2244, "MQRC_INCONSISTENT_ENCODINGS", Warning;
    InconsistentUow = 2245, "MQRC_INCONSISTENT_UOW", Warning;
    InvalidMsgUnderCursor = 2246, "MQRC_INVALID_MSG_UNDER_CURSOR", Failed;
    MatchOptionsError = 2247, "MQRC_MATCH_OPTIONS_ERROR", Failed;
    MdeError = 2248, "MQRC_MDE_ERROR", Failed;
    MsgFlagsError = 2249, "MQRC_MSG_FLAGS_ERROR", Failed;
    MsgSeqNumberError = 2250, "MQRC_MSG_SEQ_NUMBER_ERROR", Failed;
    OffsetError = 2251, "MQRC_OFFSET_ERROR", Failed;
    OriginalLengthError = 2252, "MQRC_ORIGINAL_LENGTH_ERROR", Failed;
    SegmentLengthZero = 2253, "MQRC_SEGMENT_LENGTH_ZERO", Failed;
    UowNotAvailable = 2255, "MQRC_UOW_NOT_AVAILABLE", Failed;
    WrongGmoVersion = 2256, "MQRC_WRONG_GMO_VERSION", Failed;
    WrongMdVersion = 2257, "MQRC_WRONG_MD_VERSION", Failed;
    GroupIdError = 2258, "MQRC_GROUP_ID_ERROR", Failed;
    InconsistentBrowse = 2259, "MQRC_INCONSISTENT_BROWSE", Failed;
    XqhError = 2260, "MQRC_XQH_ERROR", Failed;
    SrcEnvError = 2261, "MQRC_SRC_ENV_ERROR", Failed;
    SrcNameError = 2262, "MQRC_SRC_NAME_ERROR", Failed;
    DestEnvError = 2263, "MQRC_DEST_ENV_ERROR", Failed;
    DestNameError = 2264, "MQRC_DEST_NAME_ERROR", Failed;
    TmError = 2265, "MQRC_TM_ERROR", Failed;
    ClusterExitError = 2266, "MQRC_CLUSTER_EXIT_ERROR", Failed;
    ClusterExitLoadError = 2267, "MQRC_CLUSTER_EXIT_LOAD_ERROR", Failed;
    ClusterPutInhibited = 2268, "MQRC_CLUSTER_PUT_INHIBITED", Failed;
    ClusterResourceError = 2269, "MQRC_CLUSTER_RESOURCE_ERROR", Failed;
    NoDestinationsAvailable = 2270, "MQRC_NO_DESTINATIONS_AVAILABLE", Failed;
    ConnTagInUse = 2271, "MQRC_CONN_TAG_IN_USE", Failed;
    PartiallyConverted = 2272, "MQRC_PARTIALLY_CONVERTED", Warning;
    ConnectionError = 2273, "MQRC_CONNECTION_ERROR", Failed;
    OptionEnvironmentError = 2274, "MQRC_OPTION_ENVIRONMENT_ERROR", Failed;
    CdError = 2277, "MQRC_CD_ERROR", Failed;
    ClientConnError = 2278, "MQRC_CLIENT_CONN_ERROR", Failed;
    ChannelStoppedByUser = 2279, "MQRC_CHANNEL_STOPPED_BY_USER", Failed;
    HconfigError = 2280, "MQRC_HCONFIG_ERROR", Failed;
    FunctionError = 2281, "MQRC_FUNCTION_ERROR", Failed;
    ChannelStarted = 2282, "MQRC_CHANNEL_STARTED", Warning;
    ChannelStopped = 2283, "MQRC_CHANNEL_STOPPED", Warning;
    ChannelConvError = 2284, "MQRC_CHANNEL_CONV_ERROR", Warning;
    ServiceNotAvailable = 2285, "MQRC_SERVICE_NOT_AVAILABLE", Failed;
    InitializationFailed = 2286, "MQRC_INITIALIZATION_FAILED", Failed;
    TerminationFailed = 2287, "MQRC_TERMINATION_FAILED", Failed;
    UnknownQName = 2288, "MQRC_UNKNOWN_Q_NAME", Failed;
    ServiceError = 2289, "MQRC_SERVICE_ERROR", Failed;
    QAlreadyExists = 2290, "MQRC_Q_ALREADY_EXISTS", Failed;
    UserIdNotAvailable = 2291, "MQRC_USER_ID_NOT_AVAILABLE", Failed;
    UnknownEntity = 2292, "MQRC_UNKNOWN_ENTITY", Failed;
    UnknownAuthEntity = 2293, "MQRC_UNKNOWN_AUTH_ENTITY", Failed;
    UnknownRefObject = 2294, "MQRC_UNKNOWN_REF_OBJECT", Failed;
    ChannelActivated = 2295, "MQRC_CHANNEL_ACTIVATED", Warning;
    ChannelNotActivated = 2296, "MQRC_CHANNEL_NOT_ACTIVATED", Warning;
    UowCanceled = 2297, "MQRC_UOW_CANCELED", Failed;
    FunctionNotSupported = 2298, "MQRC_FUNCTION_NOT_SUPPORTED", Failed;
    SelectorTypeError = 2299, "MQRC_SELECTOR_TYPE_ERROR", Failed;
    CommandTypeError = 2300, "MQRC_COMMAND_TYPE_ERROR", Failed;
    MultipleInstanceError = 2301, "MQRC_MULTIPLE_INSTANCE_ERROR", Failed;
    SystemItemNotAlterable = 2302, "MQRC_SYSTEM_ITEM_NOT_ALTERABLE", Failed;
    BagConversionError = 2303, "MQRC_BAG_CONVERSION_ERROR", Failed;
    SelectorOutOfRange = 2304, "MQRC_SELECTOR_OUT_OF_RANGE", Failed;
    SelectorNotUnique = 2305, "MQRC_SELECTOR_NOT_UNIQUE", Failed;
    IndexNotPresent = 2306, "MQRC_INDEX_NOT_PRESENT", Failed;
    StringError = 2307, "MQRC_STRING_ERROR", Failed;
    EncodingNotSupported = 2308, "MQRC_ENCODING_NOT_SUPPORTED", Failed;
    SelectorNotPresent = 2309, "MQRC_SELECTOR_NOT_PRESENT", Failed;
    OutSelectorError = 2310, "MQRC_OUT_SELECTOR_ERROR", Failed;
    StringTruncated = 2311, "MQRC_STRING_TRUNCATED", Warning;
    SelectorWrongType = 2312, "MQRC_SELECTOR_WRONG_TYPE", Failed;
    InconsistentItemType = 2313, "MQRC_INCONSISTENT_ITEM_TYPE", Failed;
    IndexError = 2314, "MQRC_INDEX_ERROR", Failed;
    SystemBagNotAlterable = 2315, "MQRC_SYSTEM_BAG_NOT_ALTERABLE", Failed;
    ItemCountError = 2316, "MQRC_ITEM_COUNT_ERROR", Failed;
    FormatNotSupported = 2317, "MQRC_FORMAT_NOT_SUPPORTED", Failed;
    SelectorNotSupported = 2318, "MQRC_SELECTOR_NOT_SUPPORTED", Failed;
    ItemValueError = 2319, "MQRC_ITEM_VALUE_ERROR", Failed;
    HbagError = 2320, "MQRC_HBAG_ERROR", Failed;
    ParameterMissing = 2321, "MQRC_PARAMETER_MISSING", Failed;
    CmdServerNotAvailable = 2322, "MQRC_CMD_SERVER_NOT_AVAILABLE", Failed;
    StringLengthError = 2323, "MQRC_STRING_LENGTH_ERROR", Failed;
    InquiryCommandError = 2324, "MQRC_INQUIRY_COMMAND_ERROR", Failed;
    NestedBagNotSupported = 2325, "MQRC_NESTED_BAG_NOT_SUPPORTED", Failed;
    BagWrongType = 2326, "MQRC_BAG_WRONG_TYPE", Failed;
    ItemTypeError = 2327, "MQRC_ITEM_TYPE_ERROR", Failed;
    SystemBagNotDeletable = 2328, "MQRC_SYSTEM_BAG_NOT_DELETABLE", Failed;
    SystemItemNotDeletable = 2329, "MQRC_SYSTEM_ITEM_NOT_DELETABLE", Failed;
    CodedCharSetIdError = 2330, "MQRC_CODED_CHAR_SET_ID_ERROR", Failed;
    MsgTokenError = 2331, "MQRC_MSG_TOKEN_ERROR", Failed;
    MissingWih = 2332, "MQRC_MISSING_WIH", Failed;
    WihError = 2333, "MQRC_WIH_ERROR", Failed;
    RfhError = 2334, "MQRC_RFH_ERROR", Failed;
    RfhStringError = 2335, "MQRC_RFH_STRING_ERROR", Failed;
    RfhCommandError = 2336, "MQRC_RFH_COMMAND_ERROR", Failed;
    RfhParmError = 2337, "MQRC_RFH_PARM_ERROR", Failed;
    RfhDuplicateParm = 2338, "MQRC_RFH_DUPLICATE_PARM", Failed;
    RfhParmMissing = 2339, "MQRC_RFH_PARM_MISSING", Failed;
    CharConversionError = 2340, "MQRC_CHAR_CONVERSION_ERROR", Failed;
    Ucs2ConversionError = 2341, "MQRC_UCS2_CONVERSION_ERROR", Failed;
    Db2NotAvailable = 2342, "MQRC_DB2_NOT_AVAILABLE", Failed;
    ObjectNotUnique = 2343, "MQRC_OBJECT_NOT_UNIQUE", Failed;
    ConnTagNotReleased = 2344, "MQRC_CONN_TAG_NOT_RELEASED", Warning;
    CfNotAvailable = 2345, "MQRC_CF_NOT_AVAILABLE", Failed;
    CfStrucInUse = 2346, "MQRC_CF_STRUC_IN_USE", Failed;
    CfStrucListHdrInUse = 2347, "MQRC_CF_STRUC_LIST_HDR_IN_USE", Failed;
    CfStrucAuthFailed = 2348, "MQRC_CF_STRUC_AUTH_FAILED", Failed;
    CfStrucError = 2349, "MQRC_CF_STRUC_ERROR", Failed;
    ConnTagNotUsable = 2350, "MQRC_CONN_TAG_NOT_USABLE", Failed;
    GlobalUowConflict = 2351, "MQRC_GLOBAL_UOW_CONFLICT", Failed;
    LocalUowConflict = 2352, "MQRC_LOCAL_UOW_CONFLICT", Failed;
    HandleInUseForUow = 2353, "MQRC_HANDLE_IN_USE_FOR_UOW", Failed;
    UowEnlistmentError = 2354, "MQRC_UOW_ENLISTMENT_ERROR", Failed;
    UowMixNotSupported = 2355, "MQRC_UOW_MIX_NOT_SUPPORTED", Failed;
    WxpError = 2356, "MQRC_WXP_ERROR", Failed;
    CurrentRecordError = 2357, "MQRC_CURRENT_RECORD_ERROR", Failed;
    NextOffsetError = 2358, "MQRC_NEXT_OFFSET_ERROR", Failed;
    NoRecordAvailable = 2359, "MQRC_NO_RECORD_AVAILABLE", Failed;
    ObjectLevelIncompatible = 2360, "MQRC_OBJECT_LEVEL_INCOMPATIBLE", Failed;
    NextRecordError = 2361, "MQRC_NEXT_RECORD_ERROR", Failed;
    BackoutThresholdReached = 2362, "MQRC_BACKOUT_THRESHOLD_REACHED", Failed;
    MsgNotMatched = 2363, "MQRC_MSG_NOT_MATCHED", Failed;
    JmsFormatError = 2364, "MQRC_JMS_FORMAT_ERROR", Failed;
    SegmentsNotSupported = 2365, "MQRC_SEGMENTS_NOT_SUPPORTED", Failed;
    WrongCfLevel = 2366, "MQRC_WRONG_CF_LEVEL", Failed;
    ConfigCreateObject = 2367, "MQRC_CONFIG_CREATE_OBJECT", Warning;
    ConfigChangeObject = 2368, "MQRC_CONFIG_CHANGE_OBJECT", Warning;
    ConfigDeleteObject = 2369, "MQRC_CONFIG_DELETE_OBJECT", Warning;
    ConfigRefreshObject = 2370, "MQRC_CONFIG_REFRESH_OBJECT", Warning;
    ChannelSslError = 2371, "MQRC_CHANNEL_SSL_ERROR", Failed;
    ParticipantNotDefined = 2372, "MQRC_PARTICIPANT_NOT_DEFINED", Failed;
    CfStrucFailed = 2373, "MQRC_CF_STRUC_FAILED", Failed;
    ApiExitError = 2374, "MQRC_API_EXIT_ERROR", Failed;
    ApiExitInitError = 2375, "MQRC_API_EXIT_INIT_ERROR", Failed;
    ApiExitTermError = 2376, "MQRC_API_EXIT_TERM_ERROR", Failed;
    ExitReasonError = 2377, "MQRC_EXIT_REASON_ERROR", Failed;
    ReservedValueError = 2378, "MQRC_RESERVED_VALUE_ERROR", Failed;
    NoDataAvailable = 2379, "MQRC_NO_DATA_AVAILABLE", Failed;
    ScoError = 2380, "MQRC_SCO_ERROR", Failed;
    KeyRepositoryError = 2381, "MQRC_KEY_REPOSITORY_ERROR", Failed;
    CryptoHardwareError = 2382, "MQRC_CRYPTO_HARDWARE_ERROR", Failed;
    AuthInfoRecCountError = 2383, "MQRC_AUTH_INFO_REC_COUNT_ERROR", Failed;
    AuthInfoRecError = 2384, "MQRC_AUTH_INFO_REC_ERROR", Failed;
    AirError = 2385, "MQRC_AIR_ERROR", Failed;
    AuthInfoTypeError = 2386, "MQRC_AUTH_INFO_TYPE_ERROR", Failed;
    AuthInfoConnNameError = 2387, "MQRC_AUTH_INFO_CONN_NAME_ERROR", Failed;
    LdapUserNameError = 2388, "MQRC_LDAP_USER_NAME_ERROR", Failed;
    LdapUserNameLengthErr = 2389, "MQRC_LDAP_USER_NAME_LENGTH_ERR", Failed;
    LdapPasswordError = 2390, "MQRC_LDAP_PASSWORD_ERROR", Failed;
    SslAlreadyInitialized = 2391, "MQRC_SSL_ALREADY_INITIALIZED", Failed;
    SslConfigError = 2392, "MQRC_SSL_CONFIG_ERROR", Failed;
    SslInitializationError = 2393, "MQRC_SSL_INITIALIZATION_ERROR", Failed;
    QIndexTypeError = 2394, "MQRC_Q_INDEX_TYPE_ERROR", Failed;
    CfbsError = 2395, "MQRC_CFBS_ERROR", Failed;
    SslNotAllowed = 2396, "MQRC_SSL_NOT_ALLOWED", Failed;
    JsseError = 2397, "MQRC_JSSE_ERROR", Failed;
    SslPeerNameMismatch = 2398, "MQRC_SSL_PEER_NAME_MISMATCH", Failed;
    SslPeerNameError = 2399, "MQRC_SSL_PEER_NAME_ERROR", Failed;
    UnsupportedCipherSuite = 2400, "MQRC_UNSUPPORTED_CIPHER_SUITE", Failed;
    SslCertificateRevoked = 2401, "MQRC_SSL_CERTIFICATE_REVOKED", Failed;
    SslCertStoreError = 2402, "MQRC_SSL_CERT_STORE_ERROR", Failed;
    ClientExitLoadError = 2406, "MQRC_CLIENT_EXIT_LOAD_ERROR", Failed;
    ClientExitError = 2407, "MQRC_CLIENT_EXIT_ERROR", Failed;
    UowCommitted = 2408, "MQRC_UOW_COMMITTED", Warning;
    SslKeyResetError = 2409, "MQRC_SSL_KEY_RESET_ERROR", Failed;
    UnknownComponentName = 2410, "MQRC_UNKNOWN_COMPONENT_NAME", Failed;
    LoggerStatus = 2411, "MQRC_LOGGER_STATUS", Warning;
    CommandMqsc = 2412, "MQRC_COMMAND_MQSC", Warning;
    CommandPcf = 2413, "MQRC_COMMAND_PCF", Warning;
    CfifError = 2414, "MQRC_CFIF_ERROR", Failed;
    CfsfError = 2415, "MQRC_CFSF_ERROR", Failed;
    CfgrError = 2416, "MQRC_CFGR_ERROR", Failed;
    MsgNotAllowedInGroup = 2417, "MQRC_MSG_NOT_ALLOWED_IN_GROUP", Failed;
    FilterOperatorError = 2418, "MQRC_FILTER_OPERATOR_ERROR", Failed;
    NestedSelectorError = 2419, "MQRC_NESTED_SELECTOR_ERROR", Failed;
    EphError = 2420, "MQRC_EPH_ERROR", Failed;
    RfhFormatError = 2421, "MQRC_RFH_FORMAT_ERROR", Failed;
    CfbfError = 2422, "MQRC_CFBF_ERROR", Failed;
    ClientChannelConflict = 2423, "MQRC_CLIENT_CHANNEL_CONFLICT", Failed;
    SdError = 2424, "MQRC_SD_ERROR", Failed;
    TopicStringError = 2425, "MQRC_TOPIC_STRING_ERROR", Failed;
    StsError = 2426, "MQRC_STS_ERROR", Failed;
    NoSubscription = 2428, "MQRC_NO_SUBSCRIPTION", Failed;
    SubscriptionInUse = 2429, "MQRC_SUBSCRIPTION_IN_USE", Failed;
    StatTypeError = 2430, "MQRC_STAT_TYPE_ERROR", Failed;
    SubUserDataError = 2431, "MQRC_SUB_USER_DATA_ERROR", Failed;
    SubAlreadyExists = 2432, "MQRC_SUB_ALREADY_EXISTS", Failed;
    IdentityMismatch = 2434, "MQRC_IDENTITY_MISMATCH", Failed;
    AlterSubError = 2435, "MQRC_ALTER_SUB_ERROR", Failed;
    DurabilityNotAllowed = 2436, "MQRC_DURABILITY_NOT_ALLOWED", Failed;
    NoRetainedMsg = 2437, "MQRC_NO_RETAINED_MSG", Failed;
    SroError = 2438, "MQRC_SRO_ERROR", Failed;
    SubNameError = 2440, "MQRC_SUB_NAME_ERROR", Failed;
    ObjectStringError = 2441, "MQRC_OBJECT_STRING_ERROR", Failed;
    PropertyNameError = 2442, "MQRC_PROPERTY_NAME_ERROR", Failed;
    SegmentationNotAllowed = 2443, "MQRC_SEGMENTATION_NOT_ALLOWED", Failed;
    CbdError = 2444, "MQRC_CBD_ERROR", Failed;
    CtloError = 2445, "MQRC_CTLO_ERROR", Failed;
    NoCallbacksActive = 2446, "MQRC_NO_CALLBACKS_ACTIVE", Failed;
    CallbackNotRegistered = 2448, "MQRC_CALLBACK_NOT_REGISTERED", Failed;
    OptionsChanged = 2457, "MQRC_OPTIONS_CHANGED", Warning;
    ReadAheadMsgs = 2458, "MQRC_READ_AHEAD_MSGS", Warning;
    SelectorSyntaxError = 2459, "MQRC_SELECTOR_SYNTAX_ERROR", Failed;
    HmsgError = 2460, "MQRC_HMSG_ERROR", Failed;
    CmhoError = 2461, "MQRC_CMHO_ERROR", Failed;
    DmhoError = 2462, "MQRC_DMHO_ERROR", Failed;
    SmpoError = 2463, "MQRC_SMPO_ERROR", Failed;
    ImpoError = 2464, "MQRC_IMPO_ERROR", Failed;
    PropertyNameTooBig = 2465, "MQRC_PROPERTY_NAME_TOO_BIG", Failed;
    PropValueNotConverted = 2466, "MQRC_PROP_VALUE_NOT_CONVERTED", Warning;
    PropTypeNotSupported = 2467, "MQRC_PROP_TYPE_NOT_SUPPORTED", Failed;
    PropertyValueTooBig = 2469, "MQRC_PROPERTY_VALUE_TOO_BIG", Failed;
    PropConvNotSupported = 2470, "MQRC_PROP_CONV_NOT_SUPPORTED", Failed;
    PropertyNotAvailable = 2471, "MQRC_PROPERTY_NOT_AVAILABLE", Failed;
    PropNumberFormatError = 2472, "MQRC_PROP_NUMBER_FORMAT_ERROR", Failed;
    PropertyTypeError = 2473, "MQRC_PROPERTY_TYPE_ERROR", Failed;
    PropertiesTooBig = 2478, "MQRC_PROPERTIES_TOO_BIG", Failed;
    PutNotRetained = 2479, "MQRC_PUT_NOT_RETAINED", Failed;
    AliasTargtypeChanged = 2480, "MQRC_ALIAS_TARGTYPE_CHANGED", Failed;
    DmpoError = 2481, "MQRC_DMPO_ERROR", Failed;
    PdError = 2482, "MQRC_PD_ERROR", Failed;
    CallbackTypeError = 2483, "MQRC_CALLBACK_TYPE_ERROR", Failed;
    CbdOptionsError = 2484, "MQRC_CBD_OPTIONS_ERROR", Failed;
    MaxMsgLengthError = 2485, "MQRC_MAX_MSG_LENGTH_ERROR", Failed;
    CallbackRoutineError = 2486, "MQRC_CALLBACK_ROUTINE_ERROR", Failed;
    CallbackLinkError = 2487, "MQRC_CALLBACK_LINK_ERROR", Failed;
    OperationError = 2488, "MQRC_OPERATION_ERROR", Failed;
    BmhoError = 2489, "MQRC_BMHO_ERROR", Failed;
    UnsupportedProperty = 2490, "MQRC_UNSUPPORTED_PROPERTY", Failed;
    PropNameNotConverted = 2492, "MQRC_PROP_NAME_NOT_CONVERTED", Warning;
    GetEnabled = 2494, "MQRC_GET_ENABLED", Warning;
    ModuleNotFound = 2495, "MQRC_MODULE_NOT_FOUND", Failed;
    ModuleInvalid = 2496, "MQRC_MODULE_INVALID", Failed;
    ModuleEntryNotFound = 2497, "MQRC_MODULE_ENTRY_NOT_FOUND", Failed;
    MixedContentNotAllowed = 2498, "MQRC_MIXED_CONTENT_NOT_ALLOWED", Failed;
    MsgHandleInUse = 2499, "MQRC_MSG_HANDLE_IN_USE", Failed;
    HconnAsyncActive = 2500, "MQRC_HCONN_ASYNC_ACTIVE", Failed;
    MhboError = 2501, "MQRC_MHBO_ERROR", Failed;
    PublicationFailure = 2502, "MQRC_PUBLICATION_FAILURE", Failed;
    SubInhibited = 2503, "MQRC_SUB_INHIBITED", Failed;
    SelectorAlwaysFalse = 2504, "MQRC_SELECTOR_ALWAYS_FALSE", Failed;
    XepoError = 2507, "MQRC_XEPO_ERROR", Failed;
    DurabilityNotAlterable = 2509, "MQRC_DURABILITY_NOT_ALTERABLE", Failed;
    TopicNotAlterable = 2510, "MQRC_TOPIC_NOT_ALTERABLE", Failed;
    SublevelNotAlterable = 2512, "MQRC_SUBLEVEL_NOT_ALTERABLE", Failed;
    PropertyNameLengthErr = 2513, "MQRC_PROPERTY_NAME_LENGTH_ERR", Failed;
    DuplicateGroupSub = 2514, "MQRC_DUPLICATE_GROUP_SUB", Failed;
    GroupingNotAlterable = 2515, "MQRC_GROUPING_NOT_ALTERABLE", Failed;
    SelectorInvalidForType = 2516, "MQRC_SELECTOR_INVALID_FOR_TYPE", Failed;
    HobjQuiesced = 2517, "MQRC_HOBJ_QUIESCED", Failed;
    HobjQuiescedNoMsgs = 2518, "MQRC_HOBJ_QUIESCED_NO_MSGS", Failed;
    SelectionStringError = 2519, "MQRC_SELECTION_STRING_ERROR", Failed;
    ResObjectStringError = 2520, "MQRC_RES_OBJECT_STRING_ERROR", Failed;
    ConnectionSuspended = 2521, "MQRC_CONNECTION_SUSPENDED", Failed;
    InvalidDestination = 2522, "MQRC_INVALID_DESTINATION", Failed;
    InvalidSubscription = 2523, "MQRC_INVALID_SUBSCRIPTION", Failed;
    SelectorNotAlterable = 2524, "MQRC_SELECTOR_NOT_ALTERABLE", Failed;
    RetainedMsgQError = 2525, "MQRC_RETAINED_MSG_Q_ERROR", Failed;
    RetainedNotDelivered = 2526, "MQRC_RETAINED_NOT_DELIVERED", Failed;
    RfhRestrictedFormatErr = 2527, "MQRC_RFH_RESTRICTED_FORMAT_ERR", Failed;
    ConnectionStopped = 2528, "MQRC_CONNECTION_STOPPED", Failed;
    AsyncUowConflict = 2529, "MQRC_ASYNC_UOW_CONFLICT", Failed;
    AsyncXaConflict = 2530, "MQRC_ASYNC_XA_CONFLICT", Failed;
    PubsubInhibited = 2531, "MQRC_PUBSUB_INHIBITED", Failed;
    MsgHandleCopyFailure = 2532, "MQRC_MSG_HANDLE_COPY_FAILURE", Failed;
    DestClassNotAlterable = 2533, "MQRC_DEST_CLASS_NOT_ALTERABLE", Failed;
    OperationNotAllowed = 2534, "MQRC_OPERATION_NOT_ALLOWED", Failed;
    ActionError = 2535, "MQRC_ACTION_ERROR", Failed;
    ChannelNotAvailable = 2537, "MQRC_CHANNEL_NOT_AVAILABLE", Failed;
    HostNotAvailable = 2538, "MQRC_HOST_NOT_AVAILABLE", Failed;
    ChannelConfigError = 2539, "MQRC_CHANNEL_CONFIG_ERROR", Failed;
    UnknownChannelName = 2540, "MQRC_UNKNOWN_CHANNEL_NAME", Failed;
    LoopingPublication = 2541, "MQRC_LOOPING_PUBLICATION", Failed;
    AlreadyJoined = 2542, "MQRC_ALREADY_JOINED", Warning;
    StandbyQMgr = 2543, "MQRC_STANDBY_Q_MGR", Failed;
    Reconnecting = 2544, "MQRC_RECONNECTING", Warning;
    Reconnected = 2545, "MQRC_RECONNECTED", Warning;
    ReconnectQmidMismatch = 2546, "MQRC_RECONNECT_QMID_MISMATCH", Failed;
    ReconnectIncompatible = 2547, "MQRC_RECONNECT_INCOMPATIBLE", Failed;
    ReconnectFailed = 2548, "MQRC_RECONNECT_FAILED", Failed;
    CallInterrupted = 2549, "MQRC_CALL_INTERRUPTED", Failed;
    NoSubsMatched = 2550, "MQRC_NO_SUBS_MATCHED", Warning;
    SelectionNotAvailable = 2551, "MQRC_SELECTION_NOT_AVAILABLE", Failed;
    ChannelSslWarning = 2552, "MQRC_CHANNEL_SSL_WARNING", Warning;
    OcspUrlError = 2553, "MQRC_OCSP_URL_ERROR", Failed;
    ContentError = 2554, "MQRC_CONTENT_ERROR", Failed;
    ReconnectQMgrReqd = 2555, "MQRC_RECONNECT_Q_MGR_REQD", Failed;
    ReconnectTimedOut = 2556, "MQRC_RECONNECT_TIMED_OUT", Failed;
    PublishExitError = 2557, "MQRC_PUBLISH_EXIT_ERROR", Failed;
    ComminfoError = 2558, "MQRC_COMMINFO_ERROR", Failed;
    DefSyncpointInhibited = 2559, "MQRC_DEF_SYNCPOINT_INHIBITED", Failed;
    MulticastOnly = 2560, "MQRC_MULTICAST_ONLY", Failed;
    DataSetNotAvailable = 2561, "MQRC_DATA_SET_NOT_AVAILABLE", Failed;
    GroupingNotAllowed = 2562, "MQRC_GROUPING_NOT_ALLOWED", Failed;
    GroupAddressError = 2563, "MQRC_GROUP_ADDRESS_ERROR", Failed;
    MulticastConfigError = 2564, "MQRC_MULTICAST_CONFIG_ERROR", Failed;
    MulticastInterfaceError = 2565, "MQRC_MULTICAST_INTERFACE_ERROR", Failed;
    MulticastSendError = 2566, "MQRC_MULTICAST_SEND_ERROR", Failed;
    MulticastInternalError = 2567, "MQRC_MULTICAST_INTERNAL_ERROR", Failed;
    ConnectionNotAvailable = 2568, "MQRC_CONNECTION_NOT_AVAILABLE", Failed;
    SyncpointNotAllowed = 2569, "MQRC_SYNCPOINT_NOT_ALLOWED", Failed;
    SslAltProviderRequired = 2570, "MQRC_SSL_ALT_PROVIDER_REQUIRED", Failed;
    McastPubStatus = 2571, "MQRC_MCAST_PUB_STATUS", Warning;
    McastSubStatus = 2572, "MQRC_MCAST_SUB_STATUS", Warning;
    PreconnExitLoadError = 2573, "MQRC_PRECONN_EXIT_LOAD_ERROR", Failed;
    PreconnExitNotFound = 2574, "MQRC_PRECONN_EXIT_NOT_FOUND", Failed;
    PreconnExitError = 2575, "MQRC_PRECONN_EXIT_ERROR", Failed;
    CdArrayError = 2576, "MQRC_CD_ARRAY_ERROR", Failed;
    ChannelBlocked = 2577, "MQRC_CHANNEL_BLOCKED", Failed;
    ChannelBlockedWarning = 2578, "MQRC_CHANNEL_BLOCKED_WARNING", Warning;
    SubscriptionCreate = 2579, "MQRC_SUBSCRIPTION_CREATE", Warning;
    SubscriptionDelete = 2580, "MQRC_SUBSCRIPTION_DELETE", Warning;
    SubscriptionChange = 2581, "MQRC_SUBSCRIPTION_CHANGE", Warning;
    SubscriptionRefresh = 2582, "MQRC_SUBSCRIPTION_REFRESH", Warning;
    InstallationMismatch = 2583, "MQRC_INSTALLATION_MISMATCH", Failed;
    NotPrivileged = 2584, "MQRC_NOT_PRIVILEGED", Failed;
    PropertiesDisabled = 2586, "MQRC_PROPERTIES_DISABLED", Failed;
    HmsgNotAvailable = 2587, "MQRC_HMSG_NOT_AVAILABLE", Failed;
    ExitPropsNotSupported = 2588, "MQRC_EXIT_PROPS_NOT_SUPPORTED", Failed;
    InstallationMissing = 2589, "MQRC_INSTALLATION_MISSING", Failed;
    FastpathNotAvailable = 2590, "MQRC_FASTPATH_NOT_AVAILABLE", Failed;
    CipherSpecNotSuiteB = 2591, "MQRC_CIPHER_SPEC_NOT_SUITE_B", Failed;
    SuiteBError = 2592, "MQRC_SUITE_B_ERROR", Failed;
    CertValPolicyError = 2593, "MQRC_CERT_VAL_POLICY_ERROR", Failed;
    PasswordProtectionError = 2594, "MQRC_PASSWORD_PROTECTION_ERROR", Failed;
    CspError = 2595, "MQRC_CSP_ERROR", Failed;
    CertLabelNotAllowed = 2596, "MQRC_CERT_LABEL_NOT_ALLOWED", Failed;
    AdminTopicStringError = 2598, "MQRC_ADMIN_TOPIC_STRING_ERROR", Failed;
    AmqpNotAvailable = 2599, "MQRC_AMQP_NOT_AVAILABLE", Failed;
    CcdtUrlError = 2600, "MQRC_CCDT_URL_ERROR", Failed;
    QMgrReconnectRequested = 2601, "MQRC_Q_MGR_RECONNECT_REQUESTED", Failed;
    BnoError = 2602, "MQRC_BNO_ERROR", Failed;
    OutboundSniNotValid = 2603, "MQRC_OUTBOUND_SNI_NOT_VALID", Failed;
    ReopenExclInputError = 6100, "MQRC_REOPEN_EXCL_INPUT_ERROR", Failed;
    ReopenInquireError = 6101, "MQRC_REOPEN_INQUIRE_ERROR", Failed;
    ReopenSavedContextErr = 6102, "MQRC_REOPEN_SAVED_CONTEXT_ERR", Failed;
    ReopenTemporaryQError = 6103, "MQRC_REOPEN_TEMPORARY_Q_ERROR", Failed;
    AttributeLocked = 6104, "MQRC_ATTRIBUTE_LOCKED", Failed;
    CursorNotValid = 6105, "MQRC_CURSOR_NOT_VALID", Failed;
    EncodingError = 6106, "MQRC_ENCODING_ERROR", Failed;
    StrucIdError = 6107, "MQRC_STRUC_ID_ERROR", Failed;
    NullPointer = 6108, "MQRC_NULL_POINTER", Failed;
    NoConnectionReference = 6109, "MQRC_NO_CONNECTION_REFERENCE", Failed;
    NoBuffer = 6110, "MQRC_NO_BUFFER", Failed;
    BinaryDataLengthError = 6111, "MQRC_BINARY_DATA_LENGTH_ERROR", Failed;
    BufferNotAutomatic = 6112, "MQRC_BUFFER_NOT_AUTOMATIC", Failed;
    InsufficientBuffer = 6113, "MQRC_INSUFFICIENT_BUFFER", Failed;
    InsufficientData = 6114, "MQRC_INSUFFICIENT_DATA", Failed;
    DataTruncated = 6115, "MQRC_DATA_TRUNCATED", Failed;
    ZeroLength = 6116, "MQRC_ZERO_LENGTH", Failed;
    NegativeLength = 6117, "MQRC_NEGATIVE_LENGTH", Failed;
    NegativeOffset = 6118, "MQRC_NEGATIVE_OFFSET", Failed;
    InconsistentFormat = 6119, "MQRC_INCONSISTENT_FORMAT", Failed;
    InconsistentObjectState = 6120, "MQRC_INCONSISTENT_OBJECT_STATE", Failed;
    ContextObjectNotValid = 6121, "MQRC_CONTEXT_OBJECT_NOT_VALID", Failed;
    ContextOpenError = 6122, "MQRC_CONTEXT_OPEN_ERROR", Failed;
    StrucLengthError = 6123, "MQRC_STRUC_LENGTH_ERROR", Failed;
    NotConnected = 6124, "MQRC_NOT_CONNECTED", Failed;
    NotOpen = 6125, "MQRC_NOT_OPEN", Failed;
    DistributionListEmpty = 6126, "MQRC_DISTRIBUTION_LIST_EMPTY", Failed;
    InconsistentOpenOptions = 6127, "MQRC_INCONSISTENT_OPEN_OPTIONS", Failed;
    WrongVersion = 6128, "MQRC_WRONG_VERSION", Failed;
    ReferenceError = 6129, "MQRC_REFERENCE_ERROR", Failed;
    XrNotAvailable = 6130, "MQRC_XR_NOT_AVAILABLE", Failed;
    SubJoinNotAlterable = 29440, "MQRC_SUB_JOIN_NOT_ALTERABLE", Failed;
}

impl Reason {
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The connection is gone with this answer, or soon will be.
    pub const fn ends_connection(self) -> bool {
        matches!(
            self,
            Self::ConnectionBroken
                | Self::QMgrNotAvailable
                | Self::QMgrQuiescing
                | Self::QMgrStopping
                | Self::ConnectionQuiescing
                | Self::ConnectionStopping
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.number(), self.name())
    }
}

impl std::error::Error for Reason {}
