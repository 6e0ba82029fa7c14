//! MQPMO, versions 1 to 3.
//!
//! ```text
//!   0 StrucId "PMO "      4      32 ResolvedQName     48     128 RecsPresent         4     152 OriginalMsgHandle 8
//!   4 Version             4      80 ResolvedQMgrName  48     132 PutMsgRecFields     4     160 NewMsgHandle      8
//!   8 Options             4     128 version 1                136 PutMsgRecOffset     4     168 Action            4
//!  12 Timeout             4                                  140 ResponseRecOffset   4     172 PubLevel          4
//!  16 Context             4                                  144 two pointers        8     176 version 3
//!  20 three counts       12                                  152 version 2
//! ```
//!
//! Records of a distribution list follow (`distribution`). Source: reference, section 8 (C for versions 1 and 2, D for 3).

use model::options::{PutFlags, PutOptions};
use model::reason::Reason;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::distribution::{self, PutRecord, ResponseRecord, fields};

/// Fields beyond `version` are not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutStructure {
    /// 1 to 3.
    pub version: i32,
    pub flags: PutFlags,
    pub timeout: i32,
    pub context: i32,
    /// KnownDestCount, UnknownDestCount, InvalidDestCount.
    pub counts: [i32; 3],
    pub resolved_queue: Text<48>,
    pub resolved_queue_manager: Text<48>,
    /// RecsPresent to the pointers of a distribution list, in order.
    pub distribution: [i32; 6],
    pub records: Vec<PutRecord>,
    pub responses: Vec<ResponseRecord>,
    pub original_handle: [u8; 8],
    pub new_handle: [u8; 8],
    pub action: i32,
    pub publish_level: i32,
}

impl Default for PutStructure {
    /// MQPMO_DEFAULT, version 1.
    fn default() -> Self {
        Self {
            version: 1,
            flags: PutFlags::empty(),
            timeout: -1,
            context: 0,
            counts: [0; 3],
            resolved_queue: Text::BLANK,
            resolved_queue_manager: Text::BLANK,
            distribution: [0; 6],
            records: Vec::new(),
            responses: Vec::new(),
            original_handle: [0; 8],
            new_handle: [0; 8],
            action: 0,
            publish_level: 9,
        }
    }
}

impl PutStructure {
    /// # Errors
    /// Too short; refused with 2173 for another identifier or version, 2158 for records with fields that are not known.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let base = reader.offset();
        let mut options = Self::decode_fields(reader)?;
        let [present, own, ..] = options.distribution;
        if present > 0 {
            if own & !fields::ALL != 0 {
                return Err(DecodeError::Refused(Reason::PmoRecordFlagsError));
            }
            (options.records, options.responses) = distribution::decode_of_put(base, &options.distribution, reader)?;
            // Where they are is a matter of the bytes.
            [options.distribution[2], options.distribution[3]] = [0; 2];
        }
        Ok(options)
    }

    /// As `decode`, without the records of a list.
    ///
    /// # Errors
    /// Too short; refused with 2173.
    pub fn decode_fields(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQPMO");
        if reader.peek_identifier()? != *b"PMO " {
            return Err(DecodeError::Refused(Reason::PmoError));
        }
        reader.take(4)?;
        let version = reader.integer()?;
        if !(1..=3).contains(&version) {
            return Err(DecodeError::Refused(Reason::PmoError));
        }
        let mut options = Self {
            version,
            flags: PutFlags::from_bits_retain(reader.bits()?),
            timeout: reader.integer()?,
            context: reader.integer()?,
            counts: [reader.integer()?, reader.integer()?, reader.integer()?],
            resolved_queue: reader.text()?,
            resolved_queue_manager: reader.text()?,
            ..Self::default()
        };
        if version >= 2 {
            for field in &mut options.distribution {
                *field = reader.integer()?;
            }
        }
        if version >= 3 {
            options.original_handle = reader.array()?;
            options.new_handle = reader.array()?;
            options.action = reader.integer()?;
            options.publish_level = reader.integer()?;
        }
        Ok(options)
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let base = writer.offset();
        writer.text(b"PMO ");
        writer.integer(self.version);
        writer.bits(self.flags.bits());
        writer.integer(self.timeout);
        writer.integer(self.context);
        writer.integers(&self.counts);
        writer.text(self.resolved_queue.as_bytes());
        writer.text(self.resolved_queue_manager.as_bytes());
        if self.version >= 2 {
            writer.integers(&self.distribution);
        }
        if self.version >= 3 {
            writer.bytes(&self.original_handle);
            writer.bytes(&self.new_handle);
            writer.integer(self.action);
            writer.integer(self.publish_level);
        }
        if self.version >= 2 && self.distribution[0] > 0 {
            distribution::encode_of_put(base, &self.records, &self.responses, writer);
        }
    }

    /// No reply may follow: asynchronous response is asked and synchronous is not.
    pub fn is_asynchronous(&self) -> bool {
        self.flags.contains(PutFlags::ASYNC_RESPONSE) && !self.flags.contains(PutFlags::SYNC_RESPONSE)
    }

    pub fn to_model(&self) -> PutOptions {
        let passes = PutFlags::PASS_IDENTITY_CONTEXT | PutFlags::PASS_ALL_CONTEXT;
        let context = self.flags.intersects(passes).then(|| u32::try_from(self.context).unwrap_or(0));
        PutOptions { flags: self.flags, context }
    }

    pub fn from_model(options: &PutOptions) -> Self {
        let context = options.context.and_then(|handle| i32::try_from(handle).ok()).unwrap_or(0);
        Self { flags: options.flags, context, ..Self::default() }
    }
}
