//! Rules about connections: units of work that stay open, programs that connect again and again.

use std::fmt::Write as _;
use std::time::Duration;

use message_api::live::Concern;
use message_api::time_text::write_moment;
use model::authority::AuthorityObject;
use queue_manager::status::ConnectionStatus;
use serde_json::json;

use super::facts::Facts;
use super::finding::{Finding, Severity, Since, command};
use super::words::{age, messages};

/// A program that connects so often a second wastes the time of both.
const CHURN: u64 = 10;
/// A unit of work that is open for so long is a problem.
const LONG: Duration = Duration::from_secs(300);

pub(super) fn find(facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = facts.connections.iter().filter_map(|connection| old(facts, connection)).collect();
    let seconds = facts.lately.time.as_secs();
    found.extend(facts.lately.connects.iter().filter_map(|(name, count)| churn(facts, name, *count, seconds)));
    found
}

fn churn(facts: &Facts, application: &str, count: u64, seconds: u64) -> Option<Finding> {
    let rate = count / seconds.max(1);
    if rate < CHURN {
        return None;
    }
    let name = if application.is_empty() { "unnamed programs" } else { application };
    let text = format!(
        "{name} connected {rate} times a second in the last {seconds} s. A connection costs more than a message: keep it, or pool it."
    );
    let concern = Concern::Object(AuthorityObject::QueueManager, facts.name);
    Some(
        Finding::new("connection-churn", Severity::Warning, ("application", name), concern)
            .text(text)
            .value("application", name)
            .value("perSecond", rate)
            .value("connects", count)
            .value("seconds", seconds)
            .next(json!({ "action": "applications", "application": name, "text": format!("See the connections of {name}") })),
    )
}

fn old(facts: &Facts, connection: &ConnectionStatus) -> Option<Finding> {
    let since = connection.unit_of_work_since?;
    let open = facts.now.since(since);
    if open < LONG {
        return None;
    }
    // CONN of DISPLAY CONN: the last 8 of 24 bytes.
    let id = connection.identifier[16..].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    });
    let (application, user) = (connection.application_name.trim(), &connection.user);
    let by = if connection.channel.is_empty() {
        String::new()
    } else {
        format!(", channel {} from {}", connection.channel, connection.connection_name)
    };
    let text = format!(
        "{application} (user {user}{by}) has a unit of work of {} open for {}. Others do not get them, and its log space is not freed. \
         Let the application commit, or stop its connection.",
        messages(connection.uncommitted as u64),
        age(open)
    );
    let mut queues: Vec<&str> = connection
        .handles
        .iter()
        .filter(|handle| handle.object_type == "QUEUE")
        .map(|handle| handle.object_name.trim())
        .collect();
    queues.sort_unstable();
    queues.dedup();
    let concern = Concern::Object(AuthorityObject::QueueManager, facts.name);
    Some(
        Finding::new("unit-of-work-old", Severity::Warning, ("connection", &id), concern)
            .since(Since::At(since))
            .mark(since.as_millis())
            .text(text)
            .value("application", application)
            .value("user", user.as_str())
            .value("channel", connection.channel.as_str())
            .value("address", connection.connection_name.as_str())
            .value("openSince", write_moment(since))
            .value("seconds", open.as_secs())
            .value("uncommitted", connection.uncommitted)
            .value("queues", json!(queues))
            .next(json!({ "action": "connection", "connection": id, "text": format!("See the connection of {application}") }))
            .next(command(&[format!("STOP CONN({id})")], "Stop the connection: its unit of work is backed out")),
    )
}
