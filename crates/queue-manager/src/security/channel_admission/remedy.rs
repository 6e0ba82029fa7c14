//! The command that would let a client in that was denied.
//!
//! Invariant: a record that is proposed makes `map`, or `is_user_blocked`, decide for the client; one that does not is not proposed.

use std::net::IpAddr;

use model::definition::ChannelAuthentication;
use model::definition::attribute::quoted;
use model::definition::channel_authentication::{CheckClient, MapKey, Rule, UserSource};

use super::{Client, Denied, inbound};
use crate::security::channel_authentication::{Outcome, is_address_blocked, map};

impl Denied {
    /// An MQSC command; `None` where no command of the queue manager helps, as when a password is missing.
    pub fn remedy(&self, records: &[ChannelAuthentication], client: &Client<'_>) -> Option<String> {
        let channel = quoted(client.channel);
        match self {
            Self::NoChannel { .. } => Some(format!("DEFINE CHANNEL({channel}) CHLTYPE(SVRCONN) TRPTYPE(TCP)")),
            Self::WrongType { .. } | Self::PasswordNeeded { .. } | Self::PasswordNeverChecked { .. } => None,
            Self::AddressBlocked { address, record } => unblock_address(record, *address),
            Self::NoPolicy { object } => Some(format!("DEFINE AUTHINFO({}) AUTHTYPE(IDPWOS)", quoted(object.as_str()))),
            Self::NoUser => Some(format!("ALTER CHANNEL({channel}) CHLTYPE(SVRCONN) MCAUSER('user')")),
            Self::NoAccess { user, .. } => let_in(records, client, user),
            Self::UserBlocked { user, record } => Some(unblock_user(record, client.channel, user)),
        }
    }
}

/// Takes the pattern off the list that matches.
fn unblock_address(record: &ChannelAuthentication, address: IpAddr) -> Option<String> {
    let Rule::BlockAddress { addresses } = &record.rule else { return None };
    let blocks = |pattern: &&String| {
        let alone = Rule::BlockAddress { addresses: vec![(*pattern).clone()] };
        is_address_blocked(&[ChannelAuthentication::new(&record.profile, alone)], address, None).is_some()
    };
    let patterns: Vec<String> = addresses.iter().filter(blocks).map(|pattern| quoted(pattern)).collect();
    let profile = quoted(&record.profile);
    Some(format!("SET CHLAUTH({profile}) TYPE(BLOCKADDR) ADDRLIST({}) ACTION(REMOVE)", patterns.join(",")))
}

/// A more specific record: for the user at the address, else for the address.
fn let_in(records: &[ChannelAuthentication], client: &Client<'_>, user: &str) -> Option<String> {
    let address = client.address.to_string();
    let (channel, quoted_address) = (quoted(client.channel), quoted(&address));
    let by_user = (!user.is_empty()).then(|| {
        let words = format!("TYPE(USERMAP) CLNTUSER({}) ADDRESS({quoted_address})", quoted(user));
        (MapKey::ClientUser(user.to_owned()), words)
    });
    let by_address = (MapKey::Address, format!("TYPE(ADDRESSMAP) ADDRESS({quoted_address})"));
    by_user.into_iter().chain([by_address]).find_map(|(key, words)| {
        let (address, source) = (address.clone(), UserSource::Channel);
        let rule = Rule::Map { key, address, source, check_client: CheckClient::default() };
        let record = ChannelAuthentication::new(client.channel, rule);
        // One for the same partners would be replaced.
        let is_same =
            |known: &&ChannelAuthentication| known.profile == record.profile && known.rule.same_partners(&record.rule);
        let replaces = records.iter().any(|known| is_same(&known));
        let mut with: Vec<_> = records.iter().filter(|known| !is_same(known)).cloned().collect();
        with.push(record);
        let lets_in = map(&with, &inbound(client, user)).outcome != Outcome::Refused;
        let action = if replaces { "REPLACE" } else { "ADD" };
        lets_in.then(|| format!("SET CHLAUTH({channel}) {words} USERSRC(CHANNEL) ACTION({action})"))
    })
}

/// For this channel only: a record of its own takes the place of the wider one.
fn unblock_user(record: &ChannelAuthentication, channel: &str, user: &str) -> String {
    let names_user = matches!(&record.rule, Rule::BlockUser { users } if users.iter().any(|known| known == user));
    let name = quoted(channel);
    if record.profile != channel {
        return format!("SET CHLAUTH({name}) TYPE(BLOCKUSER) USERLIST('nobody') ACTION(ADD)");
    }
    let blocked = if names_user { quoted(user) } else { quoted("*MQADMIN") };
    format!("SET CHLAUTH({name}) TYPE(BLOCKUSER) USERLIST({blocked}) ACTION(REMOVE)")
}
