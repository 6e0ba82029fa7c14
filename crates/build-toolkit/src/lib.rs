//! The build toolkit of API requesters: the description of an API becomes language structures and an archive.
//!
//! Pure: bytes and texts come in, bytes, texts and lines for the console go out. No IO, no clock, no async; the command
//! `zconbt` reads and writes the files. The API requester uses [`archive::read`] and [`structure::Structure`].
//!
//! Source: reference, parts 1 and 2; the shared vectors.

pub mod archive;
pub mod build;
pub mod options;
pub mod structure;

mod cobol;
mod comment;
pub mod description;
mod draft4;
mod generate;
mod information;
mod names;
mod pli;
mod reserved;
mod schema;
