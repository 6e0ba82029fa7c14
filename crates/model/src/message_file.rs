//! Messages in a text file, as dmpmqmsg (qload) writes and reads them.
//!
//! ```text
//! * DMPMQMSG Version:9.4 Created:...   first line of a file: a comment that names the program, or "* QLOAD"
//! * Qmgr  = QM1                        lines that begin with an asterisk are comments, empty lines separate
//! A VER 2                              a field of the MQMD: three letters and the value; `field.rs` lists them
//! A MSI 414D5120...                    bytes in hexadecimal
//! N                                    instead of A lines: the message has the default MQMD
//! X 48656C6C6F        <Hello>          data in hexadecimal; what follows the first blank is for people
//! S "Hello ~"there~""                  data as characters; a tilde stands before a quote and a tilde
//! T Hello                              data as a line of text: a line feed is added
//! ```
//! A message is its A or N lines, then at least one line of data. Reading needs one message in memory, writing too.
//!
//! Source: MQ reference, "dmpmqmsg" and "Meaning of three letter codes in dmpmqmsg output file", 9.3; SupportPac MO03.

mod field;
mod read;
#[cfg(test)]
mod tests;
mod write;

use bytes::Bytes;

use crate::descriptor::MessageDescriptor;

pub use read::{MessageFileError, Reader};
pub use write::{Data, Style, write_header, write_message};

/// Longest message that is read, in bytes: MQ's own limit.
pub const MAXIMUM_BODY: usize = 100 << 20;

/// One message of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMessage {
    pub descriptor: MessageDescriptor,
    pub body: Bytes,
}
