//! The message descriptor (MQMD, version 2) with every field, as types.
//!
//! The wire and disk layouts of MQMD live with their codecs; here it is only data.
//! Source: MQ reference, "MQMD - Message descriptor", 9.3.

use std::sync::Arc;

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

use crate::authority::Principal;
use crate::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use crate::identity_context;
use crate::name::{QueueManagerName, QueueName};
use crate::text::Text;

bitflags! {
    /// MQMD `Report` (MQRO_*). Bits without a name are kept: the queue manager may have to reject or pass them on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Report: u32 {
        const EXCEPTION = 0x0100_0000;
        const EXCEPTION_WITH_DATA = 0x0300_0000;
        const EXCEPTION_WITH_FULL_DATA = 0x0700_0000;
        const EXPIRATION = 0x0020_0000;
        const EXPIRATION_WITH_DATA = 0x0060_0000;
        const EXPIRATION_WITH_FULL_DATA = 0x00E0_0000;
        const COA = 0x0000_0100;
        const COA_WITH_DATA = 0x0000_0300;
        const COA_WITH_FULL_DATA = 0x0000_0700;
        const COD = 0x0000_0800;
        const COD_WITH_DATA = 0x0000_1800;
        const COD_WITH_FULL_DATA = 0x0000_3800;
        const PAN = 0x0000_0001;
        const NAN = 0x0000_0002;
        const ACTIVITY = 0x0000_0004;
        const PASS_CORREL_ID = 0x0000_0040;
        const PASS_MSG_ID = 0x0000_0080;
        const DISCARD_MSG = 0x0800_0000;
        const PASS_DISCARD_AND_EXPIRY = 0x0000_4000;
        const _ = !0;
    }

    /// MQMD `MsgFlags` (MQMF_*).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct MessageFlags: u32 {
        const SEGMENTATION_ALLOWED = 0x0000_0001;
        const SEGMENT = 0x0000_0002;
        const LAST_SEGMENT = 0x0000_0004;
        const MSG_IN_GROUP = 0x0000_0008;
        const LAST_MSG_IN_GROUP = 0x0000_0010;
        const _ = !0;
    }
}

/// MQMD `MsgType`: 1 request, 2 reply, 4 report, 8 datagram; 65536 and up are the application's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageType(pub i32);

impl MessageType {
    pub const REQUEST: Self = Self(1);
    pub const REPLY: Self = Self(2);
    pub const REPORT: Self = Self(4);
    pub const DATAGRAM: Self = Self(8);
}

/// MQMD `Feedback`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Feedback(pub i32);

impl Feedback {
    pub const NONE: Self = Self(0);
    pub const QUIT: Self = Self(256);
    pub const EXPIRATION: Self = Self(258);
    pub const COA: Self = Self(259);
    pub const COD: Self = Self(260);
    pub const CHANNEL_COMPLETED: Self = Self(262);
    pub const CHANNEL_FAIL_RETRY: Self = Self(263);
    pub const CHANNEL_FAIL: Self = Self(264);
    pub const APPL_CANNOT_BE_STARTED: Self = Self(265);
    pub const TM_ERROR: Self = Self(266);
    pub const APPL_TYPE_ERROR: Self = Self(267);
    pub const STOPPED_BY_MSG_EXIT: Self = Self(268);
    pub const ACTIVITY: Self = Self(269);
    pub const XMIT_Q_MSG_ERROR: Self = Self(271);
    pub const PAN: Self = Self(275);
    pub const NAN: Self = Self(276);
    pub const STOPPED_BY_CHAD_EXIT: Self = Self(277);
    pub const STOPPED_BY_PUBSUB_EXIT: Self = Self(279);
    pub const MAX_ACTIVITIES: Self = Self(282);
    pub const NOT_FORWARDED: Self = Self(283);
    pub const NOT_DELIVERED: Self = Self(284);
    pub const UNSUPPORTED_FORWARDING: Self = Self(285);
    pub const UNSUPPORTED_DELIVERY: Self = Self(286);
    pub const PUBLICATIONS_ON_REQUEST: Self = Self(501);
    pub const SUBSCRIBER_IS_PUBLISHER: Self = Self(502);
    pub const MSG_SCOPE_MISMATCH: Self = Self(503);
    pub const SELECTOR_MISMATCH: Self = Self(504);
}

/// MQMD `Format`: eight characters, blank for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Format(pub Text<8>);

impl Format {
    pub const NONE: Self = Self(Text::BLANK);
    pub const STRING: Self = Self(Text::from_bytes(*b"MQSTR   "));
    pub const RF_HEADER_2: Self = Self(Text::from_bytes(*b"MQHRF2  "));
    pub const DEAD_LETTER_HEADER: Self = Self(Text::from_bytes(*b"MQDEAD  "));
    pub const TRIGGER: Self = Self(Text::from_bytes(*b"MQTRIG  "));
    pub const EVENT: Self = Self(Text::from_bytes(*b"MQEVENT "));
    pub const ADMIN: Self = Self(Text::from_bytes(*b"MQADMIN "));
    pub const PCF: Self = Self(Text::from_bytes(*b"MQPCF   "));
    pub const XMIT_QUEUE_HEADER: Self = Self(Text::from_bytes(*b"MQXMIT  "));
    pub const MD_EXTENSION: Self = Self(Text::from_bytes(*b"MQHMDE  "));
    pub const RF_HEADER_1: Self = Self(Text::from_bytes(*b"MQHRF   "));
    pub const IMS: Self = Self(Text::from_bytes(*b"MQIMS   "));
    pub const CICS: Self = Self(Text::from_bytes(*b"MQCICS  "));
}

/// MQMD `Encoding`: how numbers in the body are written (MQENC_*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Encoding(pub i32);

impl Encoding {
    /// Integers, packed decimals and IEEE floats with the low byte first: 0x222, x86's.
    pub const LITTLE_ENDIAN: Self = Self(546);
    /// Integers and packed decimals with the high byte first, IEEE floats: 0x111.
    pub const BIG_ENDIAN: Self = Self(273);
    /// As on z/OS: high byte first, floats in IBM's hexadecimal form: 0x311.
    pub const Z_OS: Self = Self(785);
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::BIG_ENDIAN } else { Self::LITTLE_ENDIAN };

    pub const fn integers_are_little_endian(self) -> bool {
        self.0 & 0x0F == 2
    }
}

/// MQMD `CodedCharSetId`: a CCSID, or one of the special values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ccsid(pub i32);

impl Ccsid {
    /// On put: the queue manager's own. In headers: as the structure before.
    pub const Q_MGR: Self = Self(0);
    pub const INHERIT: Self = Self(-2);
    pub const UTF_8: Self = Self(1208);
    pub const UTF_16: Self = Self(1200);
}

/// Lifetime in tenths of a second as MQMD `Expiry` counts it; `UNLIMITED` is -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Expiry(pub i32);

impl Expiry {
    pub const UNLIMITED: Self = Self(-1);

    /// The lifetime; `None` when unlimited.
    pub fn duration(self) -> Option<std::time::Duration> {
        u64::try_from(self.0).ok().map(|tenths| std::time::Duration::from_millis(tenths * 100))
    }
}

/// MQMD `Persistence`. Only on the way in may it be left to the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Persistence {
    NonPersistent,
    Persistent,
    /// MQPER_PERSISTENCE_AS_Q_DEF: DEFPSIST of the queue at put time decides.
    AsQueueDefinition,
}

/// MQMD version 2. What the queue manager sets on put is overwritten there; on get every field is the message's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageDescriptor {
    pub report: Report,
    pub message_type: MessageType,
    pub expiry: Expiry,
    pub feedback: Feedback,
    pub encoding: Encoding,
    pub ccsid: Ccsid,
    pub format: Format,
    /// 0 to 9; -1 on put takes the queue's DEFPRTY.
    pub priority: i32,
    pub persistence: Persistence,
    pub message_id: MessageId,
    pub correlation_id: CorrelationId,
    pub backout_count: u32,
    pub reply_to_queue: QueueName,
    pub reply_to_queue_manager: QueueManagerName,
    // Identity context.
    pub user_identifier: Text<12>,
    pub accounting_token: AccountingToken,
    pub application_identity_data: Text<32>,
    // Origin context.
    /// MQAT_*.
    pub put_application_type: i32,
    pub put_application_name: Text<28>,
    /// `YYYYMMDD`, UTC.
    pub put_date: Text<8>,
    /// `HHMMSSTH`, UTC.
    pub put_time: Text<8>,
    pub application_origin_data: Text<4>,
    // Version 2.
    pub group_id: GroupId,
    /// From 1 within a group.
    pub message_sequence_number: u32,
    /// Of a segment's data within its logical message, in bytes.
    pub offset: u32,
    pub message_flags: MessageFlags,
    /// Length of the original message in bytes; -1 when undefined.
    pub original_length: i32,
    /// No field of MQMD, and never sent: whom the message counts as, where the identity context does not say all of it
    /// (groups, an administrator, a name that does not fit). Each put sets it (`name_principal`); `answerable` reads it.
    pub principal: Option<Arc<Principal>>,
}

impl MessageDescriptor {
    pub const PRIORITY_AS_QUEUE_DEFINITION: i32 = -1;
    pub const ORIGINAL_LENGTH_UNDEFINED: i32 = -1;

    /// Whom the message counts as: what it causes (report messages, commands) is done with this principal's authority.
    /// `None` where the whole name is not told: the beginning of a name is nobody.
    pub fn answerable(&self) -> Option<Principal> {
        match &self.principal {
            Some(principal) => Some((**principal).clone()),
            None => identity_context::user_of(self).map(|user| Principal::user(&user)),
        }
    }

    /// Keeps `principal` beside an identity context that does not say all of it.
    pub fn name_principal(&mut self, principal: &Principal) {
        let shown = (self.user_identifier, self.accounting_token);
        self.principal = identity_context::beyond(principal, &shown).then(|| Arc::new(principal.clone()));
    }
}

impl Default for MessageDescriptor {
    /// MQMD_DEFAULT.
    fn default() -> Self {
        Self {
            report: Report::empty(),
            message_type: MessageType::DATAGRAM,
            expiry: Expiry::UNLIMITED,
            feedback: Feedback::NONE,
            encoding: Encoding::NATIVE,
            ccsid: Ccsid::Q_MGR,
            format: Format::NONE,
            priority: Self::PRIORITY_AS_QUEUE_DEFINITION,
            persistence: Persistence::AsQueueDefinition,
            message_id: MessageId::NONE,
            correlation_id: CorrelationId::NONE,
            backout_count: 0,
            reply_to_queue: QueueName::BLANK,
            reply_to_queue_manager: QueueManagerName::BLANK,
            user_identifier: Text::BLANK,
            accounting_token: AccountingToken::NONE,
            application_identity_data: Text::BLANK,
            put_application_type: 0,
            put_application_name: Text::BLANK,
            put_date: Text::BLANK,
            put_time: Text::BLANK,
            application_origin_data: Text::BLANK,
            group_id: GroupId::NONE,
            message_sequence_number: 1,
            offset: 0,
            message_flags: MessageFlags::empty(),
            original_length: Self::ORIGINAL_LENGTH_UNDEFINED,
            principal: None,
        }
    }
}
