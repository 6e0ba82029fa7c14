//! `why/channel`: whether a client would get a channel, and as which user; or the last clients that were refused.
//!
//! The steps are those of a channel listener, in its order, and made by the same functions of the queue manager. Of TLS they say
//! what the channel asks for: what a client would speak is not known here. No password is asked for: `authenticated` assumes a right one.

use std::net::IpAddr;

use http::StatusCode;
use identity::Identity;
use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::ChannelDefinition;
use model::definition::authentication::CheckPassword;
use model::definition::channel_authentication::RuleType;
use model::name::{ChannelName, ObjectName};
use model::reason::Reason;
use queue_manager::access::Asked;
use queue_manager::channel_admission::{Client, Denied, PasswordPolicy, UserDecision, Whom, server_connection};
use queue_manager::channel_status::{ChannelDisposition, InstanceLimits, NotAdmitted};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::error::ApiError;
use crate::service::Call;

use super::refused::{Told, client};
use super::{Asker, limit, missing, parameters, shown, since};

/// The client that is asked about.
pub(super) struct Wish<'v> {
    channel: &'v str,
    address: IpAddr,
    /// The user that the client says it is.
    user: &'v str,
    /// It sends the right password of that user.
    is_authenticated: bool,
    subject: Option<&'v str>,
    issuer: Option<&'v str>,
}

impl<'v> Wish<'v> {
    /// `None`: no channel is asked about.
    ///
    /// # Errors
    /// 400 no address, or something about a client without a channel; 403 the channel or the records may not be displayed.
    pub(super) fn read(
        asker: &Asker<'_>,
        given: &impl Fn(&str) -> Option<&'v str>,
        user: Option<&'v str>,
    ) -> Result<Option<Self>, ApiError> {
        let Some(channel) = given("channel") else {
            let stray = ["address", "authenticated"].into_iter().find(|name| given(name).is_some());
            return stray.map_or(Ok(None), |_| Err(missing("channel", "the name of a channel")));
        };
        Self::of(asker, channel, given, user).map(Some)
    }

    fn of(
        asker: &Asker<'_>,
        channel: &'v str,
        given: &impl Fn(&str) -> Option<&'v str>,
        user: Option<&'v str>,
    ) -> Result<Self, ApiError> {
        let address = given("address").unwrap_or("127.0.0.1");
        let wish = Self {
            channel,
            address: address
                .parse()
                .map_err(|_| ApiError::parameter_expected("address", address, "an IP address such as 192.0.2.7"))?,
            user: user.unwrap_or_default(),
            is_authenticated: given("authenticated")
                .map_or(Ok(false), |value| super::super::selection::flag("authenticated", value))?,
            subject: given("subject"),
            issuer: given("issuer"),
        };
        if let Ok(name) = ChannelName::parse(channel) {
            asker.require(AuthorityObject::Channel, &name)?;
        }
        asker.require(AuthorityObject::QueueManager, &asker.queue_manager.name())?;
        Ok(wish)
    }

    fn client(&self) -> Client<'_> {
        let Self { channel, address, user, subject, issuer, .. } = *self;
        Client { channel, address, asserted: user, subject, issuer }
    }
}

/// # Errors
/// 400 a parameter, 403 what the user may not display, 404 no such queue manager.
pub(in super::super) async fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let known = ["name", "address", "user", "authenticated", "subject", "issuer", "limit", "since"];
    let values = parameters(call, known)?;
    let asker = Asker::of(call, identity)?;
    let given = |name: &str| known.iter().position(|known| *known == name).and_then(|index| values[index].as_deref());
    let (limit, since) = (limit(given("limit"))?, since(given("since"))?);
    let Some(channel) = given("name") else {
        let stray = ["authenticated", "subject", "issuer"].into_iter().find(|name| given(name).is_some());
        if stray.is_some() {
            return Err(missing("name", "the name of a channel"));
        }
        return list(&asker, given("address"), given("user"), limit, since);
    };
    let wish = Wish::of(&asker, channel, &given, given("user"))?;
    let mut told = Told::default();
    let principal = walk(&asker, &wish, &mut told).await;
    Ok(told.into_answer(&asker, principal.as_ref()))
}

/// The last clients that were refused, the newest first.
///
/// # Errors
/// 403 the records of channels may not be displayed.
fn list(
    asker: &Asker<'_>,
    address: Option<&str>,
    user: Option<&str>,
    limit: usize,
    since: model::timestamp::Timestamp,
) -> Result<Answer, ApiError> {
    asker.require(AuthorityObject::QueueManager, &asker.queue_manager.name())?;
    let mut clients = asker.queue_manager.refused_clients();
    clients.retain(|one| {
        one.last >= since
            && user.is_none_or(|user| one.what.user == user)
            && address.is_none_or(|address| one.what.address.to_string() == address)
    });
    let shown: Vec<Value> = clients.iter().take(limit).map(client).collect();
    let list = json!({ "refused": shown, "isComplete": clients.len() <= limit });
    Ok(super::super::json(StatusCode::OK, &list))
}

/// The steps of a client that connects. `None`: it becomes no user.
pub(super) async fn walk(asker: &Asker<'_>, wish: &Wish<'_>, told: &mut Told) -> Option<Principal> {
    match admitted(asker, wish, told).await {
        Ok(principal) => {
            let queue_manager = asker.queue_manager.name();
            let asked = Asked::Object { object: AuthorityObject::QueueManager, name: queue_manager };
            let access = asker.queue_manager.explain_access(&principal, &asked, Authority::CONNECT);
            told.take(asker, &access);
            Some(principal)
        }
        Err(refused) => {
            told.outcome = Err(refused.reason);
            told.cause = Some(refused.cause);
            told.remedy = json!([{ "mqsc": refused.mqsc, "scope": refused.scope }]);
            if refused.mqsc.is_empty() {
                told.remedy = json!([]);
            }
            refused.principal
        }
    }
}

/// Why a client gets no connection.
struct Refused {
    /// What its MQCONN ends with.
    reason: Reason,
    cause: String,
    mqsc: Vec<String>,
    scope: &'static str,
    principal: Option<Principal>,
}

impl Refused {
    fn of(asker: &Asker<'_>, wish: &Wish<'_>, denied: &Denied, principal: Option<Principal>) -> Self {
        let reason = match denied {
            Denied::NoChannel { .. } => Reason::UnknownChannelName,
            Denied::WrongType { .. } => Reason::ChannelNotAvailable,
            _ => Reason::NotAuthorized,
        };
        let mqsc = denied.remedy(&asker.queue_manager.counting_channel_authentications(), &wish.client());
        Self { reason, cause: denied.to_string(), mqsc: mqsc.into_iter().collect(), scope: "channel", principal }
    }
}

async fn admitted(asker: &Asker<'_>, wish: &Wish<'_>, told: &mut Told) -> Result<Principal, Refused> {
    let manager = &asker.queue_manager;
    let refused = |denied: &Denied| Refused::of(asker, wish, denied, None);
    if let Some(record) = manager.address_blocker(wish.address) {
        let line = command::channel_authentication_line(&record);
        let effect = if record.warn { "warns only: WARN(YES)" } else { "turns the address away" };
        told.steps.push(json!({ "at": "address", "allowed": record.warn, "record": line, "text": effect }));
        if !record.warn {
            return Err(refused(&Denied::AddressBlocked { address: wish.address, record: Box::new(record) }));
        }
    }
    let object = manager.served_channel(wish.channel).map_err(|denied| refused(&denied))?;
    let Some(channel) = server_connection(&object) else {
        return Err(refused(&Denied::WrongType { channel: wish.channel.to_owned() }));
    };
    told.steps.push(definition(channel));
    told.steps.extend(tls(channel));
    instances(asker, wish, channel, told)?;
    let policy = manager.password_policy().map_err(|denied| refused(&denied))?;
    told.steps.push(connection_authentication(manager.definition().connection_authentication, policy.as_ref()));
    let checks = policy.is_some_and(|policy| policy.check_client != CheckPassword::None);
    let checked = match wish.is_authenticated && checks && !wish.user.is_empty() {
        true => Some(asker.principal_of(wish.user).await),
        false => None,
    };
    let look_up = |user: String| async move { asker.principal_of(&user).await };
    let decision = manager.user_of_client(&wish.client(), policy, checked.as_ref(), look_up).await;
    tell_user(&decision, told);
    match (decision.outcome, decision.principal) {
        (Ok(()), Some(principal)) => Ok(principal),
        (Err(denied), principal) => Err(Refused::of(asker, wish, &denied, principal)),
        (Ok(()), None) => Err(refused(&Denied::NoUser)),
    }
}

fn definition(channel: &ChannelDefinition) -> Value {
    let agent = channel.agent_user.trim();
    let runs_as = match agent {
        "" => "the channel has no MCAUSER".to_owned(),
        agent => format!("the channel has MCAUSER('{agent}')"),
    };
    json!({ "at": "channel", "allowed": true, "text": format!("channel {} is there; {runs_as}", channel.name) })
}

/// What TLS the channel asks for.
fn tls(channel: &ChannelDefinition) -> Option<Value> {
    let cipher = channel.cipher_specification.trim();
    if cipher.is_empty() {
        return Some(json!({
            "at": "tls",
            "cipherSpec": null,
            "text": "the channel has no SSLCIPH: a client that speaks TLS is refused",
        }));
    }
    let certificate = if channel.client_certificate_optional { "may" } else { "has to" };
    let peer = channel.peer_name.trim();
    let name = if peer.is_empty() { String::new() } else { format!(", with a name that SSLPEER({peer}) matches") };
    Some(json!({
        "at": "tls",
        "cipherSpec": cipher,
        "certificateRequired": !channel.client_certificate_optional,
        "peerName": peer,
        "text": format!("the client has to speak TLS with SSLCIPH({cipher}), and {certificate} show a certificate{name}"),
    }))
}

fn instances(asker: &Asker<'_>, wish: &Wish<'_>, channel: &ChannelDefinition, told: &mut Told) -> Result<(), Refused> {
    let limits = InstanceLimits { all: channel.maximum_instances, of_client: channel.maximum_instances_per_client };
    let (name, from) = (channel.name.to_string(), wish.address.to_string());
    let outcome = asker.queue_manager.would_admit_channel(&name, ChannelDisposition::Private, &from, limits);
    let running = asker.queue_manager.channel_statuses();
    let running = running.iter().filter(|one| one.started.is_some() && one.instance.channel == name);
    let (all, of_client) = running
        .fold((0, 0), |(all, of_client), one| (all + 1, of_client + u32::from(one.instance.connection_name == from)));
    let of_group = || asker.queue_manager.would_admit_channel(&name, ChannelDisposition::Shared, &from, limits);
    let is_stopped_for_group = asker.queue_manager.group().is_some() && of_group() == Err(NotAdmitted::Stopped);
    let of_group =
        if is_stopped_for_group { "; clients of the group's listener are refused: it is stopped for them" } else { "" };
    let text = match outcome {
        Ok(()) => format!("{all} instances run, {of_client} of them from {from}{of_group}"),
        Err(why) => why.to_string(),
    };
    told.steps.push(json!({
        "at": "instances", "allowed": outcome.is_ok(), "running": all, "fromAddress": of_client,
        "maximum": limits.all, "maximumFromAddress": limits.of_client, "text": text,
    }));
    let Err(why) = outcome else { return Ok(()) };
    let quoted = model::definition::attribute::quoted(&name);
    let raise = |word: &str, limit: u32| {
        vec![format!("ALTER CHANNEL({quoted}) CHLTYPE(SVRCONN) {word}({})", limit.saturating_mul(2).max(1))]
    };
    let (reason, mqsc) = match why {
        NotAdmitted::Stopped => (Reason::QMgrNotAvailable, vec![format!("START CHANNEL({quoted})")]),
        NotAdmitted::Instances => (Reason::ChannelNotAvailable, raise("MAXINST", limits.all)),
        NotAdmitted::InstancesOfClient => (Reason::ChannelNotAvailable, raise("MAXINSTC", limits.of_client)),
        NotAdmitted::Ending => (Reason::QMgrQuiescing, Vec::new()),
    };
    Err(Refused { reason, cause: format!("{why}: channel {name}"), mqsc, scope: "channel", principal: None })
}

fn connection_authentication(object: ObjectName, policy: Option<&PasswordPolicy>) -> Value {
    let Some(policy) = policy else {
        return json!({ "at": "connauth", "text": "CONNAUTH is blank: no password is checked" });
    };
    let check = match policy.check_client {
        CheckPassword::None => "passwords are not checked",
        CheckPassword::Optional => "a password that is sent has to be right",
        CheckPassword::Required => "every client has to send a right password",
        CheckPassword::RequiredOfAdministrators => "administrators have to send a right password",
    };
    let adopt = if policy.adopt_context { "its user is adopted" } else { "its user is not adopted" };
    json!({ "at": "connauth", "object": object.as_str(), "text": format!("{check}; {adopt}") })
}

/// The record that decided, whom the client becomes, and in which groups that user is.
fn tell_user(decision: &UserDecision, told: &mut Told) {
    let denied = decision.outcome.as_ref().err();
    for record in &decision.warned {
        let line = command::channel_authentication_line(record);
        told.steps.push(json!({ "at": "chlauth", "record": line, "text": "would refuse, and warns only: WARN(YES)" }));
    }
    let is_of_mapping = matches!(denied, Some(Denied::NoAccess { .. }));
    let text = match (&decision.record, is_of_mapping) {
        (None, _) => "no record maps the client",
        (Some(_), true) => "the most specific record that matches refuses the client",
        (Some(_), false) => "the most specific record that matches lets the client in",
    };
    let record = decision.record.as_ref().map(command::channel_authentication_line);
    told.steps.push(json!({ "at": "chlauth", "allowed": !is_of_mapping, "record": record, "text": text }));
    if let Some(whom) = &decision.whom {
        let text = match whom {
            Whom::Record(user) => format!("the record makes it user '{user}'"),
            Whom::Adopted(user) => format!("the password makes it user '{user}': ADOPTCTX(YES)"),
            Whom::Channel(user) => format!("MCAUSER of the channel makes it user '{user}'"),
            Whom::Client(user) => format!("the client says that it is user '{user}'"),
        };
        told.steps.push(json!({ "at": "user", "user": whom.user(), "text": text }));
    }
    if let Some(principal) = &decision.principal {
        told.steps.push(shown::groups(principal));
    }
    match denied {
        Some(Denied::UserBlocked { record, .. }) => {
            let line = command::channel_authentication_line(record);
            let rule = RuleType::BlockUser.word();
            let text = format!("the {rule} record of the most specific channel profile refuses the user");
            told.steps.push(json!({ "at": "chlauth", "allowed": false, "record": line, "text": text }));
        }
        Some(denied @ (Denied::PasswordNeeded { .. } | Denied::PasswordNeverChecked { .. } | Denied::NoUser)) => {
            told.steps.push(json!({ "at": "user", "allowed": false, "text": denied.to_string() }));
        }
        _ => {}
    }
}
