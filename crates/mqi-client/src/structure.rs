//! The structures that programs hand in, as C lays them out, and the lengths of their versions.
//!
//! A program states a version and holds memory for no more than that version's length. Who copies a structure in or out copies
//! `Structure::length` bytes; the fields beyond keep their initial values.

#[rustfmt::skip]
mod generated;

pub use generated::*;

/// An address of the program's memory; only the C door uses it as one.
pub type Address = usize;

pub trait Structure: Copy {
    /// What `StrucId` has to be.
    const IDENTIFIER: Option<[u8; 4]>;
    /// Where the number of the version is, in bytes.
    const VERSION_AT: Option<usize>;
    /// Of version 1, 2 and so on, in bytes; 0 for a version that does not exist.
    const LENGTHS: &'static [usize];
    const DEFAULT: Self;

    /// Length of a version; `None` for one that is not known.
    fn length(version: i32) -> Option<usize> {
        let index = usize::try_from(version).ok()?.checked_sub(1)?;
        Self::LENGTHS.get(index).copied().filter(|&length| length > 0)
    }
}
