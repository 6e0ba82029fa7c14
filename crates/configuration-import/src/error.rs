//! Why a file cannot be imported.

use document::xml::XmlError;

use super::MAXIMUM_BYTES;

/// Why a file cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("{file} is longer than {MAXIMUM_BYTES} bytes")]
    TooLong { file: String },
    #[error("{file}: {source}")]
    Xml { file: String, source: XmlError },
    #[error("{file} begins with <{root}>; expected <server>, as in mqwebuser.xml")]
    Root { file: String, root: String },
    #[error("more than {0} files include each other")]
    TooManyFiles(usize),
}
