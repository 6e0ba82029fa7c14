//! Why bytes are not a PCF message, with the published numbers.

/// MQRCCF_* of a message that cannot be read. `parameter` is that of the structure where it went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PcfError {
    #[error("type {kind} is not that of a PCF message")]
    HeaderType { kind: i32 },
    #[error("a header is not {length} bytes long")]
    HeaderLength { length: i32 },
    #[error("header version {version} is not known")]
    HeaderVersion { version: i32 },
    #[error("a message cannot have sequence number {sequence}")]
    Sequence { sequence: i32 },
    #[error("control {control} is neither last nor not last")]
    Control { control: i32 },
    #[error("{count} is not a number of parameters")]
    ParameterCount { count: i32 },
    #[error("the message ends before its structures do, or goes on behind them")]
    MessageLength,
    #[error("a structure of type {kind} is not known")]
    StructureType { kind: i32 },
    #[error("a structure of type {kind} (parameter {parameter}) cannot be {length} bytes long")]
    StructureLength { kind: i32, parameter: i32, length: i32 },
    #[error("the string of parameter {parameter} does not fit its structure of type {kind}")]
    StringLength { kind: i32, parameter: i32 },
    #[error("the count of parameter {parameter} does not fit its structure of type {kind}")]
    Count { kind: i32, parameter: i32 },
    #[error("groups are nested too deep at parameter {parameter}")]
    Depth { parameter: i32 },
    #[error("the message has more parameters and values than are allowed")]
    TooMany,
    #[error("CCSID {ccsid} of parameter {parameter} is not known, or the string is malformed in it")]
    CodedCharacterSet { parameter: i32, ccsid: i32 },
    #[error("integers of encoding {encoding} cannot be read")]
    Encoding { encoding: i32 },
}

impl PcfError {
    /// The MQRCCF_* number a command server answers with.
    pub const fn number(self) -> i32 {
        match self {
            Self::HeaderType { .. } => 3001,
            Self::HeaderLength { .. } => 3002,
            Self::HeaderVersion { .. } => 3003,
            Self::Sequence { .. } => 3004,
            Self::Control { .. } => 3005,
            Self::ParameterCount { .. } => 3006,
            Self::MessageLength => 3016,
            Self::StructureType { .. } => 3013,
            Self::StructureLength { kind, .. } => length_error(kind),
            Self::StringLength { kind, .. } => string_length_error(kind),
            Self::Count { kind, .. } => count_error(kind),
            Self::Depth { .. } => 3258,
            Self::TooMany => 3020,
            Self::CodedCharacterSet { .. } => 3049,
            Self::Encoding { .. } => 3050,
        }
    }

    /// The parameter it is about, for an answer that names it.
    pub const fn parameter(self) -> Option<i32> {
        match self {
            Self::StructureLength { parameter, .. }
            | Self::StringLength { parameter, .. }
            | Self::Count { parameter, .. }
            | Self::Depth { parameter }
            | Self::CodedCharacterSet { parameter, .. } => Some(parameter),
            _ => None,
        }
    }
}

/// MQRCCF_CFxx_LENGTH_ERROR.
const fn length_error(kind: i32) -> i32 {
    match kind {
        4 => 3010,
        5 | 25 => 3028,
        6 => 3024,
        9 => 3255,
        13 => 3241,
        14 => 3245,
        15 => 3264,
        20 => 3258,
        _ => 3009,
    }
}

/// MQRCCF_CFxx_STRING_LENGTH_ERR and MQRCCF_CFxF_FILTER_VAL_LEN_ERR.
const fn string_length_error(kind: i32) -> i32 {
    match kind {
        6 => 3069,
        9 => 3257,
        14 => 3244,
        15 => 3267,
        _ => 3011,
    }
}

/// MQRCCF_CFxL_COUNT_ERROR and MQRCCF_CFGR_PARM_COUNT_ERROR.
const fn count_error(kind: i32) -> i32 {
    match kind {
        6 => 3068,
        20 => 3259,
        _ => 3027,
    }
}
