//! MQCONN on a conversation that has begun.

use channel_protocol::flow::call::{ApiHeader, NO_HANDLE};
use channel_protocol::flow::connect::Connect;
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::connect_options;
use channel_protocol::structure::object_descriptor::object_name;
use model::text::Text;

use super::Connected;
use crate::conversation::Conversation;
use crate::error::ChannelError;
use crate::negotiated::OWN_FORM;
use crate::options::ConnectOptions;
use crate::reconnect::Reconnect;
use crate::reply::Reply;

/// MQAT_UNIX.
const APPLICATION_TYPE: i32 = 6;
/// MQCNO_RECONNECT and its kin.
const RECONNECT: u32 = 0x0100_0000;
const RECONNECT_DISABLED: u32 = 0x0200_0000;
const RECONNECT_Q_MGR: u32 = 0x0400_0000;

impl Connected {
    pub(super) async fn new(mut conversation: Conversation, options: &ConnectOptions) -> Result<Self, ChannelError> {
        let request = Connect {
            queue_manager: Text::new(options.wanted_queue_manager()),
            application_name: Text::new(&options.application_name),
            application_type: APPLICATION_TYPE,
            accounting_token: [0; 32],
            options: options.connect_flags
                | match options.reconnect {
                    Reconnect::Disabled => RECONNECT_DISABLED,
                    Reconnect::Any => RECONNECT,
                    Reconnect::SameQueueManager => RECONNECT_Q_MGR,
                },
            client_bits: 0,
            rest: connect_options::version_4(OWN_FORM),
        };
        let unit = conversation
            .call(SegmentType::Connect, |writer| {
                ApiHeader { length: 0, completion: 0, reason: 0, handle: NO_HANDLE }.encode(writer);
                request.encode(writer);
            })
            .await?;
        let reply = Reply::new("MQCONN", unit)?.well()?;
        let answer = reply.read(|reader| Ok(Connect::decode(reader)?))?;
        Ok(Self { conversation, queue_manager: object_name(&answer.queue_manager).unwrap_or_default() })
    }
}
