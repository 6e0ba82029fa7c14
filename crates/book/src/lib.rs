//! The book: the pages of `docs/`, as HTML with style, script and search. The program serves them below `/docs`.
//!
//! `build/` makes the files of `docs/SUMMARY.md` when this crate is compiled. Only `server` depends on this crate, so that a changed page
//! compiles no other crate anew.

/// A file below `/docs`.
#[derive(Debug)]
pub struct File {
    /// Last part of its address; empty for the first page.
    pub name: &'static str,
    pub media_type: &'static str,
    /// Another one whenever the bytes are others.
    pub tag: &'static str,
    /// Compressed with gzip.
    pub gzip: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));
