//! MQSTS: the answer of MQSTAT, versions 1 and 2.
//!
//! ```text
//!   0 StrucId "STAT"       4      24 PutFailureCount     4     224 ObjectString  20
//!   4 Version              4      28 ObjectType          4     244 SubName       20
//!   8 CompCode             4      32 ObjectName         48     264 OpenOptions    4
//!  12 Reason               4      80 ObjectQMgrName     48     268 SubOptions     4
//!  16 PutSuccessCount      4     128 ResolvedObjectName 48     272 version 2, then the texts
//!  20 PutWarningCount      4     176 ResolvedQMgrName   48
//!                                224 version 1
//! ```
//!
//! Source: MQ reference, "MQSTS", 9.3; reference, section 9 (C for version 1 with zeros).

use model::reason::Reason;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::char_string::{self, CharString};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusStructure {
    /// 1 or 2.
    pub version: i32,
    pub completion: i32,
    pub reason: i32,
    pub put_successes: i32,
    pub put_warnings: i32,
    pub put_failures: i32,
    pub object_type: i32,
    pub object: Text<48>,
    pub object_queue_manager: Text<48>,
    pub resolved_object: Text<48>,
    pub resolved_queue_manager: Text<48>,
    pub object_string: CharString,
    pub subscription_name: CharString,
    pub open_options: i32,
    pub subscribe_options: i32,
}

impl Default for StatusStructure {
    /// Nothing failed; names of NULs as in the Java client's request.
    fn default() -> Self {
        Self {
            version: 1,
            completion: 0,
            reason: 0,
            put_successes: 0,
            put_warnings: 0,
            put_failures: 0,
            object_type: 0,
            object: Text::from_bytes([0; 48]),
            object_queue_manager: Text::from_bytes([0; 48]),
            resolved_object: Text::from_bytes([0; 48]),
            resolved_queue_manager: Text::from_bytes([0; 48]),
            object_string: CharString::default(),
            subscription_name: CharString::default(),
            open_options: 0,
            subscribe_options: 0,
        }
    }
}

impl StatusStructure {
    /// # Errors
    /// Too short, or a text outside the body; refused with 2426 for another identifier or version.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQSTS");
        let base = reader.offset();
        if reader.peek_identifier()? != *b"STAT" {
            return Err(DecodeError::Refused(Reason::StsError));
        }
        reader.take(4)?;
        let version = reader.integer()?;
        if !(1..=2).contains(&version) {
            return Err(DecodeError::Refused(Reason::StsError));
        }
        let mut status = Self {
            version,
            completion: reader.integer()?,
            reason: reader.integer()?,
            put_successes: reader.integer()?,
            put_warnings: reader.integer()?,
            put_failures: reader.integer()?,
            object_type: reader.integer()?,
            object: reader.text()?,
            object_queue_manager: reader.text()?,
            resolved_object: reader.text()?,
            resolved_queue_manager: reader.text()?,
            ..Self::default()
        };
        if version >= 2 {
            let mut strings = char_string::Decoding::new(base);
            status.object_string = strings.read(reader)?;
            status.subscription_name = strings.read(reader)?;
            status.open_options = reader.integer()?;
            status.subscribe_options = reader.integer()?;
            strings.finish(reader);
        }
        Ok(status)
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let base = writer.offset();
        writer.text(b"STAT");
        writer.integer(self.version);
        writer.integers(&[self.completion, self.reason, self.put_successes, self.put_warnings, self.put_failures]);
        writer.integer(self.object_type);
        for name in [&self.object, &self.object_queue_manager, &self.resolved_object, &self.resolved_queue_manager] {
            writer.text(name.as_bytes());
        }
        if self.version >= 2 {
            let strings = [&self.object_string, &self.subscription_name];
            let mut running = 272;
            for string in strings {
                char_string::encode(string, &mut running, writer);
            }
            writer.integers(&[self.open_options, self.subscribe_options]);
            char_string::encode_texts(&strings, base, writer);
        }
    }
}
