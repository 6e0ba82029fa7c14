//! Rules about what is refused: programs that get 2035, clients that get no channel.

use std::collections::BTreeMap;
use std::time::Duration;

use message_api::live::Concern;
use message_api::time_text::write_moment;
use model::authority::{Authority, AuthorityObject};
use model::name::ChannelName;
use model::timestamp::Timestamp;
use queue_manager::recent::{Noted, Refusal, RefusedClient, Way};
use serde_json::{Value, json};

use super::facts::Facts;
use super::finding::{Finding, Severity, Since, command};
use super::words::{list, times};

/// A refusal is a problem for so long after the last one.
const RECENT: Duration = Duration::from_secs(900);

pub(super) fn find(facts: &Facts) -> Vec<Finding> {
    let mut found = not_authorized(facts);
    found.extend(clients(facts));
    found
}

/// Refusals of one user for one object by one channel.
struct Refused<'a> {
    /// The newest.
    latest: &'a Noted<Refusal>,
    count: u64,
    first: Timestamp,
    last: Timestamp,
    missing: Authority,
    applications: Vec<&'a str>,
}

fn not_authorized(facts: &Facts) -> Vec<Finding> {
    let mut grouped: BTreeMap<(AuthorityObject, &str, &str, &str), Refused<'_>> = BTreeMap::new();
    for noted in facts.refusals.iter().filter(|noted| facts.now.since(noted.last) < RECENT) {
        let decision = &noted.what.decision;
        let (channel, application) = match &noted.what.way {
            Way::Application { channel, name, .. } => (channel.as_str(), name.trim()),
            Way::Command => ("", "a command"),
            Way::Report => ("", "a report"),
        };
        let key = (decision.object, decision.name.as_str(), &*decision.principal.user, channel);
        let refused = grouped.entry(key).or_insert_with(|| Refused {
            latest: noted,
            count: 0,
            first: noted.first,
            last: noted.last,
            missing: Authority::empty(),
            applications: Vec::new(),
        });
        refused.count += noted.count;
        refused.first = refused.first.min(noted.first);
        refused.last = refused.last.max(noted.last);
        refused.missing |= decision.missing();
        if !refused.applications.contains(&application) {
            refused.applications.push(application);
        }
    }
    grouped
        .into_iter()
        .map(|((object, name, user, channel), refused)| of_refused(facts, object, name, user, channel, &refused))
        .collect()
}

fn of_refused(
    facts: &Facts,
    object: AuthorityObject,
    name: &str,
    user: &str,
    channel: &str,
    refused: &Refused<'_>,
) -> Finding {
    let decision = &refused.latest.what.decision;
    let missing = refused.missing.list();
    let by = if channel.is_empty() { String::new() } else { format!(" by channel {channel}") };
    let kind = object.mqsc().to_lowercase();
    let remedy = decision.remedies().into_iter().next().map(|remedy| remedy.mqsc).unwrap_or_default();
    let then = match remedy.is_empty() {
        true => "See why.".to_owned(),
        false => "Grant the authority, or stop the program.".to_owned(),
    };
    let text = format!(
        "User {user} got 2035 (MQRC_NOT_AUTHORIZED) {}{by}: {missing} is missing on {kind} {name}. It ran {}. {then}",
        times(refused.count),
        list(&refused.applications)
    );
    let concern = Concern::Object(AuthorityObject::QueueManager, facts.name);
    let href = format!("/api/v1/qmgr/{}/why/2035?user={}", facts.name, escaped(user));
    let mut finding = Finding::new("not-authorized", Severity::Error, (type_word(object), name), concern)
        .part(if channel.is_empty() { user.to_owned() } else { format!("{user}@{channel}") })
        .since(Since::At(refused.first))
        .mark(&missing)
        .text(text)
        .value("user", user)
        .value("channel", channel)
        .value("missing", missing)
        .value("count", refused.count)
        .value("last", write_moment(refused.last))
        .value("applications", json!(refused.applications))
        .value("rule", decision.rule());
    if !remedy.is_empty() {
        finding = finding.next(command(&remedy, format!("Grant {user} what is missing on {name}")));
    }
    finding.next(json!({ "action": "why-refused", "user": user, "href": href, "text": "See which rule decides" }))
}

fn type_word(object: AuthorityObject) -> &'static str {
    match object {
        AuthorityObject::QueueManager => "qmgr",
        AuthorityObject::Queue => "queue",
        AuthorityObject::Topic => "topic",
        AuthorityObject::Channel => "channel",
        AuthorityObject::ClientChannel => "clientChannel",
        AuthorityObject::Listener => "listener",
        AuthorityObject::Process => "process",
        AuthorityObject::NameList => "namelist",
        AuthorityObject::AuthenticationInformation => "authinfo",
        AuthorityObject::Service => "service",
        AuthorityObject::CommunicationInformation => "comminfo",
        AuthorityObject::Structure => "cfstruct",
        AuthorityObject::RemoteQueueManager => "rqmname",
    }
}

/// Clients that one rule turned away from one channel.
struct Away<'a> {
    latest: &'a Noted<RefusedClient>,
    count: u64,
    first: Timestamp,
    last: Timestamp,
    addresses: Vec<String>,
}

fn clients(facts: &Facts) -> Vec<Finding> {
    let mut grouped: BTreeMap<(&str, &str, &str), Away<'_>> = BTreeMap::new();
    for noted in facts.refused_clients.iter().filter(|noted| facts.now.since(noted.last) < RECENT) {
        let client = &*noted.what;
        let code = code_of(&client.cause);
        if super::channels::LIMITS.contains(&code) {
            // Those are told with the channel.
            continue;
        }
        let away = grouped.entry((&client.channel, code, &client.user)).or_insert_with(|| Away {
            latest: noted,
            count: 0,
            first: noted.first,
            last: noted.last,
            addresses: Vec::new(),
        });
        away.count += noted.count;
        away.first = away.first.min(noted.first);
        away.last = away.last.max(noted.last);
        let address = client.address.to_string();
        if !away.addresses.contains(&address) {
            away.addresses.push(address);
        }
    }
    grouped.into_iter().map(|((channel, code, user), away)| of_away(facts, channel, code, user, &away)).collect()
}

/// `AMQ9777E` of `AMQ9777E: a connection …`.
pub(super) fn code_of(cause: &str) -> &str {
    cause.split_once(':').map_or("", |(code, _)| code)
}

fn of_away(facts: &Facts, channel: &str, code: &str, user: &str, away: &Away<'_>) -> Finding {
    let client = &*away.latest.what;
    let addresses: Vec<&str> = away.addresses.iter().map(String::as_str).collect();
    let cause = client.cause.split_once(": ").map_or(&*client.cause, |(_, cause)| cause);
    let wanted = if channel.is_empty() { "a channel".to_owned() } else { format!("channel {channel}") };
    let then = match &client.remedy {
        Some(_) => "Let the client in, or stop it.",
        None => "See why, and correct the client or the channel.",
    };
    let text = format!(
        "A client at {} was refused {wanted} {}: {cause} ({code}). {then}",
        list(&addresses),
        times(away.count)
    );
    let concern = match ChannelName::parse(channel) {
        Ok(name) if !name.is_blank() => Concern::Object(AuthorityObject::Channel, name),
        _ => Concern::Object(AuthorityObject::QueueManager, facts.name),
    };
    let href = format!(
        "/api/v1/qmgr/{}/why/channel?name={}&address={}&user={}",
        facts.name,
        escaped(channel),
        escaped(addresses.first().copied().unwrap_or_default()),
        escaped(user)
    );
    let mut finding = Finding::new("client-refused", Severity::Error, ("channel", channel), concern)
        .part(format!("{code}:{user}"))
        .since(Since::At(away.first))
        .mark(&client.cause)
        .text(text)
        .value("channel", channel)
        .value("user", user)
        .value("code", code)
        .value("cause", cause)
        .value("addresses", json!(addresses))
        .value("count", away.count)
        .value("last", write_moment(away.last));
    if let Some(remedy) = &client.remedy {
        finding = finding.next(command(std::slice::from_ref(remedy), "Let this client in"));
    }
    finding.next(why(&href, channel))
}

fn why(href: &str, channel: &str) -> Value {
    json!({ "action": "why-channel", "channel": channel, "href": href, "text": "See which step refuses the client" })
}

/// For a query.
fn escaped(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut escaped, byte| {
        let _ = match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b':' => {
                write!(escaped, "{}", char::from(byte))
            }
            other => write!(escaped, "%{other:02X}"),
        };
        escaped
    })
}
