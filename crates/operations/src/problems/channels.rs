//! Rules about channels and listeners: stopped, at their limit, or not listening.

use std::time::Duration;

use message_api::live::Concern;
use model::authority::AuthorityObject;
use model::definition::attribute::{Membership, quoted};
use model::definition::{AdministeredObject, ChannelDefinition};
use model::name::ChannelName;
use queue_manager::channel_status::StoppedChannel;
use serde_json::json;

use super::facts::Facts;
use super::finding::{Finding, Severity, Since, command};
use super::refusals::code_of;
use super::words::times;

/// Messages that say that a channel is stopped, or has as many instances as MAXINST or MAXINSTC allows.
pub(super) const LIMITS: [&str; 3] = [STOPPED, MAXINST, MAXINSTC];
const STOPPED: &str = "AMQ9528I";
const MAXINST: &str = "AMQ9489E";
const MAXINSTC: &str = "AMQ9490E";
/// A client that was turned away counts for so long.
const RECENT: Duration = Duration::from_secs(900);

pub(super) fn find(facts: &Facts) -> Vec<Finding> {
    let of_one = facts.stopped_channels.chunk_by(|one, next| one.channel == next.channel);
    let mut found: Vec<Finding> = of_one.map(|stopped_as| stopped(facts, stopped_as)).collect();
    let definitions = facts.channels.iter().filter_map(|object| match &**object {
        AdministeredObject::Channel(channel) => Some(&**channel),
        _ => None,
    });
    found.extend(definitions.filter_map(|channel| at_limit(facts, channel)));
    found.extend(facts.silent_listeners.iter().map(|listener| silent(listener.name().as_str())));
    found
}

/// Clients that were refused with a message in the last minutes.
fn refused(facts: &Facts, channel: &str, code: &str) -> u64 {
    let is_it = |one: &&queue_manager::recent::Noted<queue_manager::recent::RefusedClient>| {
        facts.now.since(one.last) < RECENT && one.what.channel == channel && code_of(&one.what.cause) == code
    };
    facts.refused_clients.iter().filter(is_it).map(|one| one.count).sum()
}

fn of_channel(rule: &'static str, severity: Severity, channel: &str) -> Finding {
    let name = ChannelName::parse(channel).unwrap_or(ChannelName::BLANK);
    Finding::new(rule, severity, ("channel", channel), Concern::Object(AuthorityObject::Channel, name))
        .value("channel", channel)
}

/// A channel, with each disposition in which it is stopped.
fn stopped(facts: &Facts, stopped_as: &[StoppedChannel]) -> Finding {
    let channel = stopped_as[0].channel.as_str();
    let away = refused(facts, channel, STOPPED);
    let clients = match away {
        0 => String::new(),
        away => format!(" Clients were refused {}.", times(away)),
    };
    let is_member = facts.queue_manager.membership() == Membership::Member;
    let start = stopped_as.iter().map(|one| match is_member {
        true => format!("START CHANNEL({}) CHLDISP({})", quoted(channel), one.disposition.mqsc()),
        false => format!("START CHANNEL({})", quoted(channel)),
    });
    let start: Vec<_> = start.collect();
    let which = match stopped_as {
        [one] if is_member => format!(" as a {} channel", one.disposition.word()),
        _ => String::new(),
    };
    of_channel("channel-stopped", Severity::Warning, channel)
        .mark(away > 0)
        .text(format!(
            "Channel {channel} is stopped{which} and lets no client in.{clients} Start it when it is to work."
        ))
        .value("refused", away)
        .next(command(&start, format!("Start channel {channel}")))
        .next(json!({ "action": "channel", "channel": channel, "text": "See the channel" }))
}

fn at_limit(facts: &Facts, channel: &ChannelDefinition) -> Option<Finding> {
    let name = channel.name.as_str();
    let running = facts.instances.iter().filter(|one| one.started.is_some() && one.instance.channel == name);
    let started: Vec<_> = running.filter_map(|one| one.started).collect();
    let (of_all, of_client) = (refused(facts, name, MAXINST), refused(facts, name, MAXINSTC));
    let count = u32::try_from(started.len()).unwrap_or(u32::MAX);
    let is_full = count >= channel.maximum_instances;
    if !is_full && of_all == 0 && of_client == 0 {
        return None;
    }
    let (word, limit) = match is_full || of_all > 0 {
        true => ("MAXINST", channel.maximum_instances),
        false => ("MAXINSTC", channel.maximum_instances_per_client),
    };
    let away = of_all + of_client;
    let severity = if away > 0 { Severity::Error } else { Severity::Warning };
    let clients = match away {
        0 => "The next client will be refused.".to_owned(),
        away => format!("Clients were refused {}.", times(away)),
    };
    let text = format!(
        "Channel {name} is at its limit: {count} instances run, {word} allows {limit}. {clients} See who uses it, or raise {word}."
    );
    let raised = limit.saturating_mul(2).clamp(1, 999_999_999);
    let mqsc = format!("ALTER CHANNEL({}) CHLTYPE(SVRCONN) {word}({raised})", quoted(name));
    Some(
        of_channel("channel-at-limit", severity, name)
            // The last instance filled it.
            .since(started.into_iter().max().filter(|_| is_full).map_or(Since::Unknown, Since::At))
            .mark(word)
            .text(text)
            .value("instances", count)
            .value("max", limit)
            .value("limit", word)
            .value("refused", away)
            .next(json!({ "action": "channel", "channel": name, "text": "See who uses the channel" }))
            .next(command(&[mqsc], format!("Raise {word} to {raised}"))),
    )
}

/// A listener that is to run with the queue manager.
fn silent(name: &str) -> Finding {
    let concern = model::name::ObjectName::parse(name)
        .map_or(Concern::Server, |name| Concern::Object(AuthorityObject::Listener, name));
    Finding::new("listener-down", Severity::Error, ("listener", name), concern)
        .text(format!("Listener {name} does not listen, and no client reaches its port. Start it; the log says why when that fails."))
        .next(command(&[format!("START LISTENER({})", quoted(name))], format!("Start listener {name}")))
}
