//! SET CHLAUTH and DISPLAY CHLAUTH.

use ::queue_manager::QueueManager;
use ::queue_manager::channel_authentication::{
    ChannelAuthenticationError, Inbound, Outcome, is_address_blocked, is_user_blocked, map, overlap,
};
use model::authority::{AuthorityObject, Principal};
use model::definition::ChannelAuthentication;
use model::pattern::matches;

use crate::command::channel_authentication::{ChannelAuthenticationQuery, Match, Partner, SetChannelAuthentication};
use crate::command::{Condition, Request, Selection};
use crate::execute::Failure;
use crate::execute::authority::require_display;
use crate::message;
use crate::reply::{Item, MQRCCF_CHLAUTH_ALREADY_EXISTS, MQRCCF_CHLAUTH_NOT_FOUND, Reply};
use crate::status;

pub(super) async fn set(
    queue_manager: &QueueManager,
    caller: &Principal,
    command: &SetChannelAuthentication,
) -> Result<Reply, Failure> {
    let outcome = match command {
        SetChannelAuthentication::Add(record) => queue_manager.add_channel_authentication(caller, record.clone()).await,
        SetChannelAuthentication::Replace(record) => {
            queue_manager.replace_channel_authentication(caller, record.clone()).await
        }
        SetChannelAuthentication::Remove(record) => queue_manager.remove_channel_authentication(caller, record).await,
        SetChannelAuthentication::RemoveAll { profile, rule_type } => {
            queue_manager.remove_channel_authentications(caller, profile, *rule_type).await
        }
    };
    match outcome {
        Ok(()) => Ok(Reply::done(message::CHANNEL_AUTHENTICATION_SET)),
        Err(ChannelAuthenticationError::Object(error)) => Err(error.into()),
        Err(ChannelAuthenticationError::NotFound) => Err(Failure::Reply(Reply::failed(
            MQRCCF_CHLAUTH_NOT_FOUND,
            message::CHANNEL_AUTHENTICATION_NOT_FOUND,
            &[profile(command)],
        ))),
        Err(ChannelAuthenticationError::AlreadyExists) => Err(Failure::Reply(Reply::failed(
            MQRCCF_CHLAUTH_ALREADY_EXISTS,
            message::CHANNEL_AUTHENTICATION_EXISTS,
            &[profile(command)],
        ))),
    }
}

fn profile(command: &SetChannelAuthentication) -> &str {
    match command {
        SetChannelAuthentication::Add(record)
        | SetChannelAuthentication::Replace(record)
        | SetChannelAuthentication::Remove(record) => &record.profile,
        SetChannelAuthentication::RemoveAll { profile, .. } => profile,
    }
}

pub(super) fn display(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &ChannelAuthenticationQuery,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let records = queue_manager.channel_authentications();
    let found: Vec<&ChannelAuthentication> = match &query.matching {
        Match::Generic => records.iter().filter(|record| matches(&query.profile, &record.profile)).collect(),
        Match::Exact => records.iter().filter(|record| record.profile == query.profile).collect(),
        Match::All => records.iter().filter(|record| overlap(&query.profile, &record.profile)).collect(),
        Match::RunCheck(partner) => run_check(&records, &query.profile, partner),
    };
    let of_type = |record: &&&ChannelAuthentication| query.rule_type.is_none_or(|kind| record.rule.rule_type() == kind);
    let items: Vec<Item> = found
        .iter()
        .filter(of_type)
        .filter(|record| has_keys(record, &query.keys))
        .filter_map(|record| status::show(status::channel::AUTHENTICATION, *record, &query.request))
        .map(|attributes| Item::shown(message::CHANNEL_AUTHENTICATION_DETAILS, attributes))
        .collect();
    if items.is_empty() {
        let message = message::CHANNEL_AUTHENTICATION_NOT_FOUND;
        return Err(Failure::Reply(Reply::failed(MQRCCF_CHLAUTH_NOT_FOUND, message, &[&query.profile])));
    }
    Ok(Reply::of(items))
}

fn has_keys(record: &ChannelAuthentication, keys: &[Condition]) -> bool {
    keys.iter().all(|key| {
        let request = Request { selection: Selection::All, condition: Some(key.clone()) };
        status::show(status::channel::AUTHENTICATION, record, &request).is_some()
    })
}

/// The record that decides about a partner; before it one that only warns.
fn run_check<'a>(
    records: &'a [ChannelAuthentication],
    channel: &str,
    partner: &Partner,
) -> Vec<&'a ChannelAuthentication> {
    let inbound = Inbound {
        channel,
        address: partner.address,
        host: None,
        client_user: partner.client_user.as_deref(),
        queue_manager: partner.queue_manager.as_deref(),
        subject: partner.subject.as_deref(),
        issuer: partner.issuer.as_deref(),
    };
    if let Some(record) = is_address_blocked(records, partner.address, None) {
        return vec![record];
    }
    let mapped = map(records, &inbound);
    let user = match mapped.outcome {
        Outcome::User(user) => Some(user),
        Outcome::AsChannel => inbound.client_user,
        Outcome::Refused => None,
    };
    let is_administrator = user.is_some_and(|user| user == "mqm");
    let blocked = user.and_then(|user| is_user_blocked(records, channel, user, is_administrator));
    mapped.warned.into_iter().chain(blocked.or(mapped.record)).collect()
}
