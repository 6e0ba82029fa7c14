//! MQGMO, versions 1 to 4.
//!
//! ```text
//!   0 StrucId "GMO "    4      72 MatchOptions    4      80 MsgToken        16     100 Reserved2    4
//!   4 Version           4      76 GroupStatus     1      96 ReturnedLength   4     104 MsgHandle    8
//!   8 Options           4      77 SegmentStatus   1     100 version 3              112 version 4
//!  12 WaitInterval      4      78 Segmentation    1
//!  16 Signal1           4      79 Reserved1       1
//!  20 Signal2           4      80 version 2
//!  24 ResolvedQName    48
//!  72 version 1
//! ```
//!
//! Source: reference, section 8 (C for versions 3 and 4).

use std::time::Duration;

use model::descriptor::MessageDescriptor;
use model::options::{ConversionTarget, GetFlags, GetOptions, MatchOptions};
use model::reason::Reason;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;

/// Fields beyond `version` are not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetStructure {
    /// 1 to 4.
    pub version: i32,
    pub flags: GetFlags,
    /// In milliseconds; -1 unlimited.
    pub wait_interval: i32,
    pub signals: [i32; 2],
    pub resolved_queue: Text<48>,
    pub match_options: MatchOptions,
    /// A blank, `G` within a group, `L` its last message.
    pub group_status: u8,
    /// A blank, `S` segment, `L` last segment.
    pub segment_status: u8,
    /// A blank, `A` segmentation allowed.
    pub segmentation: u8,
    pub reserved: u8,
    pub message_token: [u8; 16],
    /// -1 undefined.
    pub returned_length: i32,
    pub reserved_2: i32,
    pub message_handle: [u8; 8],
}

impl Default for GetStructure {
    /// MQGMO_DEFAULT but version 4.
    fn default() -> Self {
        Self {
            version: 4,
            flags: GetFlags::empty(),
            wait_interval: 0,
            signals: [0; 2],
            resolved_queue: Text::BLANK,
            match_options: MatchOptions::MSG_ID | MatchOptions::CORREL_ID,
            group_status: b' ',
            segment_status: b' ',
            segmentation: b' ',
            reserved: b' ',
            message_token: [0; 16],
            returned_length: -1,
            reserved_2: 0,
            message_handle: [0; 8],
        }
    }
}

impl GetStructure {
    /// # Errors
    /// Too short; refused with 2186 for another identifier or version.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQGMO");
        if reader.peek_identifier()? != *b"GMO " {
            return Err(DecodeError::Refused(Reason::GmoError));
        }
        reader.take(4)?;
        let version = reader.integer()?;
        if !(1..=4).contains(&version) {
            return Err(DecodeError::Refused(Reason::GmoError));
        }
        let mut options = Self {
            version,
            flags: GetFlags::from_bits_retain(reader.bits()?),
            wait_interval: reader.integer()?,
            signals: [reader.integer()?, reader.integer()?],
            resolved_queue: reader.text()?,
            ..Self::default()
        };
        if version >= 2 {
            options.match_options = MatchOptions::from_bits_retain(reader.bits()?);
            let mut states = reader.array::<4>()?;
            reader.form().field_in(&mut states);
            [options.group_status, options.segment_status, options.segmentation, options.reserved] = states;
        }
        if version >= 3 {
            options.message_token = reader.array()?;
            options.returned_length = reader.integer()?;
        }
        if version >= 4 {
            options.reserved_2 = reader.integer()?;
            options.message_handle = reader.array()?;
        }
        Ok(options)
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(b"GMO ");
        writer.integer(self.version);
        writer.bits(self.flags.bits());
        writer.integer(self.wait_interval);
        writer.integers(&self.signals);
        writer.text(self.resolved_queue.as_bytes());
        if self.version >= 2 {
            writer.bits(self.match_options.bits());
            writer.text(&[self.group_status, self.segment_status, self.segmentation, self.reserved]);
        }
        if self.version >= 3 {
            writer.bytes(&self.message_token);
            writer.integer(self.returned_length);
        }
        if self.version >= 4 {
            writer.integer(self.reserved_2);
            writer.bytes(&self.message_handle);
        }
    }

    /// What to get, for the engine: options, the descriptor's selecting fields and the size of the buffer in bytes.
    ///
    /// # Errors
    /// 2090: a wait interval below -1 with the wait option.
    pub fn to_model(&self, descriptor: &MessageDescriptor, buffer_length: usize) -> Result<GetOptions, Reason> {
        let waits = self.flags.contains(GetFlags::WAIT);
        let wait = match u64::try_from(self.wait_interval) {
            Ok(milliseconds) => Some(Duration::from_millis(milliseconds)),
            Err(_) if self.wait_interval == -1 || !waits => None,
            Err(_) => return Err(Reason::WaitIntervalError),
        };
        let target = ConversionTarget { ccsid: descriptor.ccsid, encoding: descriptor.encoding };
        Ok(GetOptions {
            flags: self.flags,
            wait,
            match_options: self.match_options,
            message_id: descriptor.message_id,
            correlation_id: descriptor.correlation_id,
            group_id: descriptor.group_id,
            message_sequence_number: descriptor.message_sequence_number,
            offset: descriptor.offset,
            message_token: self.message_token,
            buffer_length: Some(buffer_length),
            target: self.flags.contains(GetFlags::CONVERT).then_some(target),
        })
    }

    /// The structure of a get; the selecting fields go into its descriptor by `select`.
    pub fn from_model(options: &GetOptions) -> Self {
        Self {
            flags: options.flags,
            wait_interval: options.wait.map_or(-1, |wait| i32::try_from(wait.as_millis()).unwrap_or(i32::MAX)),
            match_options: options.match_options,
            message_token: options.message_token,
            ..Self::default()
        }
    }
}

/// Puts what selects into the descriptor of a get.
pub fn select(options: &GetOptions, descriptor: &mut MessageDescriptor) {
    descriptor.message_id = options.message_id;
    descriptor.correlation_id = options.correlation_id;
    descriptor.group_id = options.group_id;
    descriptor.message_sequence_number = options.message_sequence_number;
    descriptor.offset = options.offset;
    if let Some(target) = options.target {
        descriptor.ccsid = target.ccsid;
        descriptor.encoding = target.encoding;
    }
}
