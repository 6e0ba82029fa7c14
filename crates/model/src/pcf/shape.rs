//! What is in each structure behind `Type` and `StrucLength`: what decoding and data conversion both go by.

/// A structure: so many MQLONGs, then its tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) integers: u32,
    pub(crate) tail: Tail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    Nothing,
    /// One integer of eight bytes.
    Long,
    /// `Count` and so many integers.
    Integers,
    Longs,
    /// `CodedCharSetId`, a length and a string.
    Text,
    /// `CodedCharSetId`, `Count`, the common length and the strings.
    Texts,
    /// A length and bytes.
    Bytes,
}

/// Bytes of an MQCFH.
pub(crate) const HEADER_LENGTH: u32 = 36;

/// `Type` of a message, which begins with an MQCFH: MQCFT_COMMAND to MQCFT_APP_ACTIVITY and MQCFT_STATUS.
pub(crate) const fn is_header(kind: i32) -> bool {
    matches!(kind, 1 | 2 | 7 | 8 | 10 | 12 | 16..=19 | 21 | 22 | 24 | 26 | 27)
}

impl Shape {
    /// The shape of a structure by its `Type`; `None` for one that is not known.
    pub(crate) const fn of(kind: i32) -> Option<Self> {
        let (integers, tail) = match kind {
            3 | 20 => (2, Tail::Nothing),
            4 => (1, Tail::Text),
            5 => (1, Tail::Integers),
            6 => (1, Tail::Texts),
            9 => (1, Tail::Bytes),
            13 => (3, Tail::Nothing),
            14 => (2, Tail::Text),
            15 => (2, Tail::Bytes),
            23 => (2, Tail::Long),
            25 => (1, Tail::Longs),
            _ if is_header(kind) => (7, Tail::Nothing),
            _ => return None,
        };
        Some(Self { integers, tail })
    }
}
