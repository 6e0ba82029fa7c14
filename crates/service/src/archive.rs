//! Archives of services (`.sar`) and of APIs (`.aar`): their layout, read and written in memory.
//!
//! The layout is the public one of z/OS Connect EE V3. A `.sar` is a zip file with `manifest.yml`, `schemas/` and `files/`; where
//! IBM's tools keep a compiled binding, ours keep the copybooks themselves below `files/`. An `.aar` has `package.xml`,
//! `api-docs/` and, for every operation, `api/PATH/METHOD/mapping.xml` with `request.map` and `response.map`.
//! This module opens no file: bytes come in, bytes go out. Every archive is bounded (see [`document::package`]).

pub mod api;
pub mod conversion;
pub mod error;
pub mod interface;
pub mod manifest;
pub mod map;
pub mod service;

pub use api::ApiArchive;
pub use error::ArchiveError;
pub use service::ServiceArchive;

#[cfg(test)]
mod damaged;
