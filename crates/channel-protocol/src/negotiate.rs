//! The first exchange: one INITIAL from each side settles level, sizes, heartbeat and sharing.
//!
//! The server answers values within the client's and its own, which the client takes as they are: one exchange is enough.
//! A server that marks fields in error instead proposes values for them; the client end then offers those once more.
//!
//! Rules, by section 4 and 5 of the reference (C): over plain TCP the level answered is 12 at most, because from 13 on the
//! Java client protects passwords by an unpublished algorithm; over TLS any level goes, with the protection list "none".
//! Levels below 9 have no room for sharing; a newer client that is answered one shares all the same and breaks.

use model::text::Text;

use crate::error::ProtocolError;
use crate::flow::initial::{
    Capabilities1, Capabilities2, Capabilities3, Errors1, Extent, Initial, NO_PASSWORD_PROTECTION,
};

/// The highest level a server may answer without TLS.
pub const HIGHEST_PLAIN_LEVEL: u8 = 12;
/// The highest level known.
pub const HIGHEST_LEVEL: u8 = 17;
/// The lowest level with room for sharing.
pub const LOWEST_SHARING_LEVEL: u8 = 9;
/// No transmission size below it makes sense: not even a whole MQCONN would fit.
pub const SMALLEST_TRANSMISSION: u32 = 1024;

/// What was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Negotiated {
    pub fap_level: u8,
    /// Largest segment, in bytes, header included.
    pub maximum_transmission: u32,
    /// In bytes.
    pub maximum_message: u32,
    /// In seconds; 0 none.
    pub heartbeat_interval: u32,
    /// 0: the socket is not shared and headers stay `TSH `.
    pub conversations: u32,
}

impl Negotiated {
    pub fn is_shared(&self) -> bool {
        self.conversations > 0
    }
}

/// What a server brings.
#[derive(Debug, Clone)]
pub struct ServerOffer {
    /// TLS protects the connection: levels above 12 may be answered.
    pub protected: bool,
    pub maximum_transmission: u32,
    /// MAXMSGL of the channel, in bytes.
    pub maximum_message: u32,
    /// HBINT of the channel, in seconds.
    pub heartbeat_interval: u32,
    /// SHARECNV of the channel.
    pub conversations: u32,
    pub queue_manager: Text<48>,
    pub queue_manager_identifier: Text<48>,
    /// Twelve characters: four of the product, eight of its version.
    pub product: Text<12>,
    /// Fresh random bytes.
    pub nonce: [u8; 12],
}

/// The server's INITIAL and what it settles.
///
/// # Errors
/// Not a client channel, or a transmission size no call fits in.
pub fn answer(client: &Initial, offer: &ServerOffer) -> Result<(Initial, Negotiated), ProtocolError> {
    if !client.capabilities_1.contains(Capabilities1::MQI) {
        return Err(wrong("capabilities", i64::from(client.capabilities_1.bits())));
    }
    let maximum_transmission = client.maximum_transmission.min(offer.maximum_transmission);
    if maximum_transmission < SMALLEST_TRANSMISSION {
        return Err(wrong("maximum transmission size", i64::from(client.maximum_transmission)));
    }
    let highest = if offer.protected { HIGHEST_LEVEL } else { HIGHEST_PLAIN_LEVEL };
    let fap_level = client.fap_level.min(highest);
    let extent = Extent::of_level(fap_level).min(client.extent);
    let conversations = if extent >= Extent::Sharing { client.conversations.min(offer.conversations) } else { 0 };
    let negotiated = Negotiated {
        fap_level,
        maximum_transmission,
        maximum_message: smaller_limit(client.maximum_message, offer.maximum_message),
        heartbeat_interval: longer_interval(client.heartbeat_interval, offer.heartbeat_interval),
        conversations,
    };
    let capabilities_2 = Capabilities2::DISTRIBUTION_LISTS | Capabilities2::XA | Capabilities2::SPI;
    let answer = Initial {
        extent,
        fap_level,
        maximum_transmission,
        maximum_message: negotiated.maximum_message,
        channel: client.channel,
        capabilities_2: capabilities_2 & (client.capabilities_2 | Capabilities2::SPI),
        ccsid: client.ccsid,
        queue_manager: offer.queue_manager,
        heartbeat_interval: negotiated.heartbeat_interval,
        conversations,
        capabilities_3: Capabilities3::MULTIPLEXED_GET,
        process: client.process,
        product: offer.product,
        queue_manager_identifier: offer.queue_manager_identifier,
        password_protection: protection(client, offer.protected),
        nonce: offer.nonce,
        ..Initial::default()
    };
    Ok((answer, negotiated))
}

/// Over plain TCP the client's own list goes back, as observed to work; at the levels answered there it has no effect.
fn protection(client: &Initial, protected: bool) -> [u16; 10] {
    if protected || client.extent < Extent::Protection { NO_PASSWORD_PROTECTION } else { client.password_protection }
}

/// 0 is no limit of one's own.
fn smaller_limit(one: u32, other: u32) -> u32 {
    match (one, other) {
        (0, limit) | (limit, 0) => limit,
        (one, other) => one.min(other),
    }
}

/// A channel with HBINT(0) has no heartbeats, whatever its client would like: one that is told of an interval may rely on
/// them.
fn longer_interval(of_client: u32, of_channel: u32) -> u32 {
    if of_channel == 0 { 0 } else { of_client.max(of_channel) }
}

fn wrong(field: &'static str, value: i64) -> ProtocolError {
    ProtocolError::Value { structure: "INITIAL", field, value }
}

/// What a client asks for.
#[derive(Debug, Clone)]
pub struct ClientOffer {
    pub channel: Text<20>,
    /// May be blank.
    pub queue_manager: Text<48>,
    pub maximum_transmission: u32,
    pub maximum_message: u32,
    pub heartbeat_interval: u32,
    /// Conversations on the socket; 0 for `TSH ` throughout.
    pub conversations: u32,
    pub product: Text<12>,
    pub nonce: [u8; 12],
}

impl ClientOffer {
    pub fn initial(&self) -> Initial {
        Initial {
            extent: Extent::Protection,
            fap_level: HIGHEST_PLAIN_LEVEL,
            maximum_transmission: self.maximum_transmission,
            maximum_message: self.maximum_message,
            channel: self.channel,
            queue_manager: self.queue_manager,
            heartbeat_interval: self.heartbeat_interval,
            conversations: self.conversations,
            product: self.product,
            nonce: self.nonce,
            ..Initial::default()
        }
    }
}

/// What the server's INITIAL means to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "one a connection")]
pub enum Accepted {
    Agreed(Negotiated),
    /// The server does not take some fields: send this with its values for them.
    Again(Initial),
}

/// Judges the server's INITIAL, which answers `own`.
///
/// # Errors
/// A value beyond what was offered, or a transmission size no call fits in.
pub fn accept(own: &Initial, server: &Initial) -> Result<Accepted, ProtocolError> {
    if !server.errors_1.is_empty() || !server.capabilities_1_in_error.is_empty() {
        return Ok(Accepted::Again(propose_again(own, server)));
    }
    if server.fap_level > own.fap_level {
        return Err(wrong("FAP level", i64::from(server.fap_level)));
    }
    let transmission = server.maximum_transmission;
    if !(SMALLEST_TRANSMISSION..=own.maximum_transmission).contains(&transmission) {
        return Err(wrong("maximum transmission size", i64::from(transmission)));
    }
    if server.conversations > own.conversations {
        return Err(wrong("conversations a socket", i64::from(server.conversations)));
    }
    let conversations = if server.extent >= Extent::Sharing { server.conversations } else { 0 };
    Ok(Accepted::Agreed(Negotiated {
        fap_level: server.fap_level,
        maximum_transmission: transmission,
        maximum_message: smaller_limit(own.maximum_message, server.maximum_message),
        heartbeat_interval: server.heartbeat_interval,
        conversations,
    }))
}

fn propose_again(own: &Initial, server: &Initial) -> Initial {
    let mut again = own.clone();
    let errors = server.errors_1;
    again.capabilities_1 &= !server.capabilities_1_in_error;
    again.capabilities_2 &= !server.capabilities_2_in_error;
    again.capabilities_3 &= !server.capabilities_3_in_error;
    if errors.contains(Errors1::CCSID) {
        again.ccsid = server.ccsid;
    }
    if errors.contains(Errors1::FAP_LEVEL) {
        again.fap_level = server.fap_level.min(own.fap_level);
        again.extent = Extent::of_level(again.fap_level).min(own.extent);
    }
    if errors.contains(Errors1::MAXIMUM_TRANSMISSION) {
        again.maximum_transmission = server.maximum_transmission.min(own.maximum_transmission);
    }
    if errors.contains(Errors1::MAXIMUM_MESSAGE) {
        again.maximum_message = smaller_limit(own.maximum_message, server.maximum_message);
    }
    if errors.contains(Errors1::HEARTBEAT) {
        again.heartbeat_interval = server.heartbeat_interval;
    }
    if errors.contains(Errors1::BATCH) {
        again.batch = server.batch;
    }
    if errors.contains(Errors1::SEQUENCE_WRAP) {
        again.sequence_wrap = server.sequence_wrap;
    }
    again
}
