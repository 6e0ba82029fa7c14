//! MQTM: the trigger message that the queue manager puts on an initiation queue; MQTMC2: what a trigger monitor hands the program.
//!
//! ```text
//!   0 StrucId "TM  "   4      168 ApplType    4
//!   4 Version 1        4      172 ApplId    256
//!   8 QName           48      428 EnvData   128
//!  56 ProcessName     48      556 UserData  128    684 bytes in all
//! 104 TriggerData     64
//! ```
//!
//! MQTMC2 has characters alone: StrucId "TMC ", Version "   2", ApplType four blanks, and behind UserData
//! 684 QMgrName 48, 732 bytes in all.

use crate::descriptor::Encoding;
use crate::header::HeaderError;
use crate::header::cursor::{Reader, Writer};
use crate::text::Text;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TriggerMessage {
    pub queue: Text<48>,
    pub process: Text<48>,
    /// TRIGDATA of the queue.
    pub trigger_data: Text<64>,
    /// The rest from the process definition; zero and blank without one.
    pub application_type: i32,
    pub application_identifier: Text<256>,
    pub environment_data: Text<128>,
    pub user_data: Text<128>,
}

impl TriggerMessage {
    pub const LENGTH: usize = 684;
    /// Of the MQTMC2.
    pub const CHARACTER_LENGTH: usize = 732;

    pub fn encode(&self, encoding: Encoding, out: &mut Vec<u8>) {
        out.reserve(Self::LENGTH);
        let mut writer = Writer::new(out, encoding);
        writer.bytes(b"TM  ");
        writer.integer(1);
        writer.bytes(self.queue.as_bytes());
        writer.bytes(self.process.as_bytes());
        writer.bytes(self.trigger_data.as_bytes());
        writer.integer(self.application_type);
        writer.bytes(self.application_identifier.as_bytes());
        writer.bytes(self.environment_data.as_bytes());
        writer.bytes(self.user_data.as_bytes());
    }

    /// # Errors
    /// Too short, another identifier, or another version than 1.
    pub fn decode(bytes: &[u8], encoding: Encoding) -> Result<Self, HeaderError> {
        let mut reader = Reader::new("MQTM", bytes, encoding);
        reader.expect_identifier(*b"TM  ")?;
        let version = reader.integer()?;
        if version != 1 {
            return Err(reader.bad_value("Version", version));
        }
        Ok(Self {
            queue: reader.text()?,
            process: reader.text()?,
            trigger_data: reader.text()?,
            application_type: reader.integer()?,
            application_identifier: reader.text()?,
            environment_data: reader.text()?,
            user_data: reader.text()?,
        })
    }

    /// The MQTMC2 of this message of a queue manager. NULs, which cannot be part of an argument, are blanks.
    pub fn character_form(&self, queue_manager: &Text<48>) -> Vec<u8> {
        let mut out = Vec::with_capacity(Self::CHARACTER_LENGTH);
        let fields: [&[u8]; 9] = [
            b"TMC    2",
            self.queue.as_bytes(),
            self.process.as_bytes(),
            self.trigger_data.as_bytes(),
            b"    ",
            self.application_identifier.as_bytes(),
            self.environment_data.as_bytes(),
            self.user_data.as_bytes(),
            queue_manager.as_bytes(),
        ];
        out.extend(fields.into_iter().flatten().map(|&byte| if byte == 0 { b' ' } else { byte }));
        out
    }
}
