//! Bodies that are records of copybooks: what the message API asks of whoever keeps the structures.
//!
//! The server wires in where they come from; nothing here knows services, files or COBOL.

use std::fmt;
use std::sync::Arc;

use model::descriptor::{Ccsid, Encoding};
use serde::Serialize;

/// Structures by their names.
pub trait Copybooks: Send + Sync {
    /// # Errors
    /// There is none of this name, or it cannot be used.
    fn find(&self, name: &str) -> Result<Arc<dyn Structure>, NoCopybook>;
}

/// A structure of records: how their bytes and JSON correspond.
pub trait Structure: Send + Sync {
    /// The record of a JSON text. Without a CCSID or an encoding, in those of the structure.
    ///
    /// # Errors
    /// The text is no record of this structure.
    fn encode(&self, json: &[u8], ccsid: Option<Ccsid>, encoding: Option<Encoding>) -> Result<Record, NotARecord>;

    /// The JSON text of a record that is written so. CCSID 0 says nothing: then it is written as the structure says.
    ///
    /// # Errors
    /// The bytes are no record of this structure.
    fn decode(&self, record: &[u8], ccsid: Ccsid, encoding: Encoding) -> Result<Vec<u8>, NotARecord>;
}

/// The bytes of a record, and how they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub data: Vec<u8>,
    pub ccsid: Ccsid,
    pub encoding: Encoding,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCopybook {
    #[error("there is no copybook '{0}'")]
    Unknown(String),
    #[error("the copybook '{name}' cannot be used: {problem}")]
    Unusable { name: String, problem: String },
}

/// Why bytes or a JSON text are no record of a structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotARecord {
    /// Of the value in the record, RFC 6901.
    pub pointer: String,
    /// The field, qualified from the record down.
    pub field: String,
    /// Of the field in the record, in bytes.
    pub offset: usize,
    pub detail: String,
}

impl std::error::Error for NotARecord {}

impl fmt::Display for NotARecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, field, offset, detail } = self;
        write!(f, "at 'record{pointer}', field {field}, offset {offset}: {detail}")
    }
}

/// A structure that a reader asked for, with the name that was asked.
#[derive(Clone)]
pub struct Named {
    pub name: String,
    pub structure: Arc<dyn Structure>,
}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Named").field(&self.name).finish()
    }
}

/// Of a server without copybooks.
pub struct NoCopybooks;

impl Copybooks for NoCopybooks {
    fn find(&self, name: &str) -> Result<Arc<dyn Structure>, NoCopybook> {
        Err(NoCopybook::Unknown(name.to_owned()))
    }
}
