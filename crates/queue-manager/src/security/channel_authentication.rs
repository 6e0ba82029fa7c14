//! Channel authentication: which record decides about a partner that connects through a channel.
//!
//! Pure: records and what is known of the partner in, a decision out. The channel listener asks `is_address_blocked` when
//! a connection is accepted, `map` when it knows the channel and the partner, and `is_user_blocked` when it knows the user
//! the channel runs as. `records.rs` keeps the records.
//!
//! Of several records that match, the most specific decides: first by the channel profile, then certificates before
//! users and queue managers before addresses, then by the key itself, then by the address.
//!
//! Source: MQ security, "Channel authentication records", "Interaction between CHLAUTH and CONNAUTH", 9.3.

mod address;
mod pattern;
mod records;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::net::IpAddr;

use model::definition::ChannelAuthentication;
use model::definition::channel_authentication::{CheckClient, MapKey, Rule, UserSource};
use model::distinguished_name;

pub use address::is_address_pattern;
pub use pattern::overlap;
pub use records::ChannelAuthenticationError;
pub(crate) use records::{ChannelAuthentications, key};

/// Stands for every administrator in the list of a BLOCKUSER record.
pub const ADMINISTRATORS: &str = "*MQADMIN";

/// What is known of a partner when its channel starts.
#[derive(Debug, Clone, Copy)]
pub struct Inbound<'a> {
    pub channel: &'a str,
    pub address: IpAddr,
    /// Found by a reverse look-up, with REVDNS(ENABLED); patterns with host names match nothing without it.
    pub host: Option<&'a str>,
    /// The user a client asserts.
    pub client_user: Option<&'a str>,
    /// The queue manager at the other end of a message channel.
    pub queue_manager: Option<&'a str>,
    /// Distinguished names of the certificate and its issuer, `CN=...,O=...`.
    pub subject: Option<&'a str>,
    pub issuer: Option<&'a str>,
}

/// What the mapping records say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped<'a> {
    pub outcome: Outcome<'a>,
    /// The record that decided, if any.
    pub record: Option<&'a ChannelAuthentication>,
    /// A record with WARN(YES) that would have refused: AMQ9787 to log.
    pub warned: Option<&'a ChannelAuthentication>,
    pub check_client: CheckClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// No record, or USERSRC(CHANNEL): the user that flows, or the channel's MCAUSER.
    AsChannel,
    /// The channel runs as this user.
    User(&'a str),
    Refused,
}

/// The BLOCKADDR record that turns an address away.
pub fn is_address_blocked<'a>(
    records: &'a [ChannelAuthentication],
    address: IpAddr,
    host: Option<&str>,
) -> Option<&'a ChannelAuthentication> {
    records.iter().find(|record| match &record.rule {
        Rule::BlockAddress { addresses } => {
            addresses.iter().any(|pattern| address::match_rank(pattern, address, host).is_some())
        }
        Rule::BlockUser { .. } | Rule::Map { .. } => false,
    })
}

/// The BLOCKUSER record that refuses a user. Only records with the most specific channel profile count, so that a record
/// for one channel takes the place of that for all.
pub fn is_user_blocked<'a>(
    records: &'a [ChannelAuthentication],
    channel: &str,
    user: &str,
    is_administrator: bool,
) -> Option<&'a ChannelAuthentication> {
    let of_channel = records
        .iter()
        .filter(|record| matches!(record.rule, Rule::BlockUser { .. }))
        .filter_map(|record| Some((pattern::match_rank(&record.profile, channel)?, record)));
    let (_, record) = of_channel.max_by_key(|(rank, _)| *rank)?;
    let Rule::BlockUser { users } = &record.rule else { return None };
    let blocks =
        users.iter().any(|blocked| if blocked == ADMINISTRATORS { is_administrator } else { blocked.as_str() == user });
    blocks.then_some(record)
}

/// Whom a partner becomes.
pub fn map<'a>(records: &'a [ChannelAuthentication], inbound: &Inbound<'_>) -> Mapped<'a> {
    let mut matching: Vec<_> =
        records.iter().filter_map(|record| Some((Reverse(map_rank(record, inbound)?), record))).collect();
    matching.sort_by_key(|(rank, _)| *rank);
    let mut warned = None;
    for (_, record) in matching {
        let Rule::Map { source, check_client, .. } = &record.rule else { continue };
        let outcome = match source {
            UserSource::NoAccess if record.warn => {
                warned = warned.or(Some(record));
                continue;
            }
            UserSource::NoAccess => Outcome::Refused,
            UserSource::Channel => Outcome::AsChannel,
            UserSource::Map(user) => Outcome::User(user),
        };
        return Mapped { outcome, record: Some(record), warned, check_client: *check_client };
    }
    Mapped { outcome: Outcome::AsChannel, record: None, warned, check_client: CheckClient::default() }
}

/// Channel profile, kind of key, the key, its issuer, the address: larger is more specific.
type Rank = (pattern::Rank, u8, usize, usize, address::Rank);

/// How specifically a mapping record matches; `None` when it does not.
fn map_rank(record: &ChannelAuthentication, inbound: &Inbound<'_>) -> Option<Rank> {
    let Rule::Map { key, address, .. } = &record.rule else { return None };
    let channel = pattern::match_rank(&record.profile, inbound.channel)?;
    let address = match address.as_str() {
        "" => address::Rank::default(),
        pattern => address::match_rank(pattern, inbound.address, inbound.host)?,
    };
    let (kind, key, issuer) = match key {
        MapKey::Address => (0, 0, 0),
        MapKey::ClientUser(user) => (1, usize::from(inbound.client_user == Some(user)).checked_sub(1)? + 1, 0),
        MapKey::QueueManager(name) => {
            let rank = pattern::match_rank(name, inbound.queue_manager?)?;
            (1, rank.literal_characters(), 0)
        }
        MapKey::Peer { subject, issuer } => {
            let subject = distinguished_name::match_rank(subject, inbound.subject?)?;
            let issuer = match issuer.as_str() {
                "" => 0,
                filter => distinguished_name::match_rank(filter, inbound.issuer?)? + 1,
            };
            (2, subject, issuer)
        }
    };
    Some((channel, kind, key, issuer, address))
}
