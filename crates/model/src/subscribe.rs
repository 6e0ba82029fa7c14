//! What MQSUB takes and MQSUBRQ asks: the subscription descriptor (MQSD) and its options.
//!
//! Values of the flags are the published ones, so that a channel passes them through unchanged.
//! Source: MQ reference, "MQSD - Subscription descriptor", MQSO_*, 9.3.

use bitflags::bitflags;

use crate::descriptor::Expiry;
use crate::identifier::{AccountingToken, CorrelationId};
use crate::name::TopicName;
use crate::text::Text;

bitflags! {
    /// MQSO_*.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct SubscribeFlags: u32 {
        const ALTER = 0x0000_0001;
        const CREATE = 0x0000_0002;
        const RESUME = 0x0000_0004;
        const DURABLE = 0x0000_0008;
        const GROUP_SUB = 0x0000_0010;
        const MANAGED = 0x0000_0020;
        const SET_IDENTITY_CONTEXT = 0x0000_0040;
        const NO_MULTICAST = 0x0000_0080;
        const FIXED_USERID = 0x0000_0100;
        const ANY_USERID = 0x0000_0200;
        const PUBLICATIONS_ON_REQUEST = 0x0000_0800;
        const NEW_PUBLICATIONS_ONLY = 0x0000_1000;
        const FAIL_IF_QUIESCING = 0x0000_2000;
        const ALTERNATE_USER_AUTHORITY = 0x0004_0000;
        const WILDCARD_CHAR = 0x0010_0000;
        const WILDCARD_TOPIC = 0x0020_0000;
        const SET_CORREL_ID = 0x0040_0000;
        const SCOPE_QMGR = 0x0400_0000;
        const NO_READ_AHEAD = 0x0800_0000;
        const READ_AHEAD = 0x1000_0000;
        const _ = !0;
    }
}

/// MQSD. `Default` is MQSD_DEFAULT.
#[derive(Debug, Clone)]
pub struct SubscriptionDescriptor {
    pub flags: SubscribeFlags,
    /// `ObjectName`: a topic object whose TOPICSTR comes before `topic_string`.
    pub topic_object: TopicName,
    /// `ObjectString`.
    pub topic_string: String,
    /// With `ALTERNATE_USER_AUTHORITY`.
    pub alternate_user: String,
    /// `SubName`: needed for durable subscriptions, at most 10,240 bytes.
    pub name: String,
    /// `SubExpiry`.
    pub expiry: Expiry,
    /// `SubUserData`, at most 10,240 bytes.
    pub user_data: String,
    /// `SubCorrelId`: taken with `SET_CORREL_ID`, otherwise made by the queue manager.
    pub correlation_id: CorrelationId,
    /// `PubPriority`: 0 to 9, or one of the two constants.
    pub priority: i32,
    /// `PubAccountingToken` and `PubApplIdentityData`: taken with `SET_IDENTITY_CONTEXT`.
    pub accounting_token: AccountingToken,
    pub application_identity_data: Text<32>,
    /// `SelectionString`.
    pub selector: String,
    /// `SubLevel`, 0 to 9.
    pub level: i32,
    /// Several handles may have it open at once, and share its publications: Jakarta Messaging's shared subscriptions.
    /// Not part of MQSD; clients ask for it in a structure beside it.
    pub shared: bool,
}

impl SubscriptionDescriptor {
    /// MQPRI_PRIORITY_AS_PUBLISHED.
    pub const PRIORITY_AS_PUBLISHED: i32 = -3;
    /// MQPRI_PRIORITY_AS_Q_DEF: DEFPRTY of the destination queue.
    pub const PRIORITY_AS_QUEUE_DEFINITION: i32 = -1;
    /// Of names and user data, in bytes: MQ_SUB_NAME_LENGTH, MQ_USER_DATA_LENGTH.
    pub const MAXIMUM_LENGTH: usize = 10_240;
}

impl Default for SubscriptionDescriptor {
    fn default() -> Self {
        Self {
            flags: SubscribeFlags::empty(),
            topic_object: TopicName::BLANK,
            topic_string: String::new(),
            alternate_user: String::new(),
            name: String::new(),
            expiry: Expiry::UNLIMITED,
            user_data: String::new(),
            correlation_id: CorrelationId::NONE,
            priority: Self::PRIORITY_AS_PUBLISHED,
            accounting_token: AccountingToken::NONE,
            application_identity_data: Text::BLANK,
            selector: String::new(),
            level: 1,
            shared: false,
        }
    }
}
