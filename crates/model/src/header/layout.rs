//! Where in each header the integers and the text fields lie, so that data conversion need not know the headers.

/// One structure with fields at fixed offsets.
pub(crate) struct Layout {
    pub(crate) identifier: [u8; 4],
    /// Bytes of the fixed part.
    pub(crate) length: usize,
    /// Offsets of the MQLONG fields.
    pub(crate) integers: &'static [usize],
    /// Offset and width of the text fields, the identifier first. Byte fields are in neither list.
    pub(crate) texts: &'static [(usize, usize)],
    pub(crate) next: Option<Next>,
}

/// Where a chained header describes what follows it.
#[derive(Clone, Copy)]
pub(crate) struct Next {
    pub(crate) encoding: usize,
    pub(crate) ccsid: usize,
    pub(crate) format: usize,
}

pub(crate) const DEAD_LETTER: Layout = Layout {
    identifier: *b"DLH ",
    length: 172,
    integers: &[4, 8, 108, 112, 124],
    texts: &[(0, 4), (12, 48), (60, 48), (116, 8), (128, 28), (156, 8), (164, 8)],
    next: Some(Next { encoding: 108, ccsid: 112, format: 116 }),
};

pub(crate) const TRIGGER: Layout = Layout {
    identifier: *b"TM  ",
    length: 684,
    integers: &[4, 168],
    texts: &[(0, 4), (8, 48), (56, 48), (104, 64), (172, 256), (428, 128), (556, 128)],
    next: None,
};

/// MQXQH with the version-1 MQMD that is its last field, from offset 104.
pub(crate) const TRANSMISSION: Layout = Layout {
    identifier: *b"XQH ",
    length: 428,
    integers: &[4, 108, 112, 116, 120, 124, 128, 132, 144, 148, 200, 376],
    texts: &[
        (0, 4),
        (8, 48),
        (56, 48),
        (104, 4),
        (136, 8),
        (204, 48),
        (252, 48),
        (300, 12),
        (344, 32),
        (380, 28),
        (408, 8),
        (416, 8),
        (424, 4),
    ],
    next: Some(Next { encoding: 128, ccsid: 132, format: 136 }),
};

pub(crate) const MD_EXTENSION: Layout = Layout {
    identifier: *b"MDE ",
    length: 72,
    integers: &[4, 8, 12, 16, 28, 56, 60, 64, 68],
    texts: &[(0, 4), (20, 8)],
    next: Some(Next { encoding: 12, ccsid: 16, format: 20 }),
};

/// The folders behind it have lengths and a character set of their own.
pub(crate) const RFH2_FIXED: Layout = Layout {
    identifier: *b"RFH ",
    length: 36,
    integers: &[4, 8, 12, 16, 28, 32],
    texts: &[(0, 4), (20, 8)],
    next: Some(Next { encoding: 12, ccsid: 16, format: 20 }),
};
