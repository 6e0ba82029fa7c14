//! Compilers by name: all settings at once that say how a compiler lays records out and writes their items.
//!
//! A setting alone is easily wrong: `cobc` stores `PIC 9(2) COMP` in one byte, and with `-std=ibm` in two. The tests compile
//! programs and compare every byte.

use codepage::ByteOrder;

use crate::options::{ConvertOptions, FloatForm, LayoutOptions, Slack};

/// A compiler, and the options that decide about its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// Enterprise COBOL for z/OS: EBCDIC, big-endian, hexadecimal floats.
    Enterprise,
    /// `cobc` without `-std` on a PC: ASCII, binary items of 1, 2, 4 and 8 bytes, COMP big-endian and COMP-5 little-endian.
    GnuCobol,
    /// `cobc -std=ibm` on a PC: as `GnuCobol`, binary items of 2, 4 and 8 bytes that hold what their bytes hold.
    GnuCobolIbm,
}

impl Compiler {
    const ALL: [Self; 3] = [Self::Enterprise, Self::GnuCobol, Self::GnuCobolIbm];
    /// Of all compilers.
    pub const NAMES: [&'static str; 3] = [Self::ALL[0].name(), Self::ALL[1].name(), Self::ALL[2].name()];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Enterprise => "enterprise",
            Self::GnuCobol => "gnucobol",
            Self::GnuCobolIbm => "gnucobol-ibm",
        }
    }

    /// By its name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|compiler| compiler.name().eq_ignore_ascii_case(name))
    }

    pub fn layout(self) -> LayoutOptions {
        match self {
            Self::Enterprise => LayoutOptions { slack: Slack::Enterprise, pointer_bytes: 4, byte_binary: false },
            Self::GnuCobol | Self::GnuCobolIbm => {
                LayoutOptions { slack: Slack::Natural, pointer_bytes: 8, byte_binary: self == Self::GnuCobol }
            }
        }
    }

    /// With the code page that the compiler's programs have if nothing else is said: 037 or ISO 8859-1.
    pub fn convert(self) -> ConvertOptions {
        match self {
            Self::Enterprise => ConvertOptions::of_ccsid(37),
            Self::GnuCobol | Self::GnuCobolIbm => ConvertOptions {
                byte_order: ByteOrder::Little,
                binary_order: Some(ByteOrder::Big),
                float: FloatForm::Ieee,
                full_binary: self == Self::GnuCobolIbm,
                ..ConvertOptions::of_ccsid(819)
            },
        }
    }
}
