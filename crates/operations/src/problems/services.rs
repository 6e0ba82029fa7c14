//! Rules about services, APIs and API requesters: stopped, failing, without a responder.

use message_api::live::Concern;
use model::name::QueueName;
use serde_json::{Value, json};

use super::facts::Facts;
use super::finding::{Finding, Severity, handles};
use super::words::{age, times};
use crate::activity::{Activities, Observed, Sort, Window};

/// More than one of so many requests fails.
const ONE_OF: u64 = 20;
/// Fewer failures than this are no problem of the service.
const FEWEST: u64 = 3;

pub(super) fn find(facts: &Facts, deployed: &[Observed], activities: &Activities) -> Vec<Finding> {
    let here = deployed.iter().filter(|one| match &one.requests_go_to {
        Some((queue_manager, _)) => queue_manager == facts.name.as_str(),
        // Those without a queue manager of this server are told with each.
        None => true,
    });
    here.filter_map(|one| stopped(one).or_else(|| failing(facts, one, &activities.window(one)))).collect()
}

fn of(rule: &'static str, severity: Severity, one: &Observed) -> Finding {
    Finding::new(rule, severity, (one.sort.word(), &one.name), Concern::Server).value("name", one.name.as_str())
}

fn shown(one: &Observed) -> Value {
    json!({ "action": one.sort.word(), "service": one.name, "text": format!("See {} and its last errors", one.name) })
}

fn name_of(one: &Observed) -> String {
    let word = match one.sort {
        Sort::Service => "Service",
        Sort::Api => "API",
        Sort::Requester => "API requester",
    };
    format!("{word} {}", one.name)
}

fn stopped(one: &Observed) -> Option<Finding> {
    if one.is_started {
        return None;
    }
    let text = format!("{} is stopped: its requests are refused. Start it when it is to work.", name_of(one));
    Some(of("service-stopped", Severity::Warning, one).text(text).next(shown(one)))
}

fn failing(facts: &Facts, one: &Observed, window: &Window) -> Option<Finding> {
    let bad = window.failed + window.unanswered;
    if bad < FEWEST || bad * ONE_OF <= window.finished {
        return None;
    }
    let percent = (bad * 100).div_ceil(window.finished.max(1));
    let time = age(window.time);
    let p95 = window.latency.percentile(95);
    let finding = of("service-failing", Severity::Error, one)
        .value("percent", percent)
        .value("requests", window.finished)
        .value("failed", window.failed)
        .value("unanswered", window.unanswered)
        .value("seconds", window.time.as_secs())
        .value("p95Milliseconds", p95.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)));
    if window.unanswered < window.failed {
        let said = one
            .failures
            .first()
            .map_or_else(String::new, |failure| format!(" Its last caller got {}.", failure.status));
        let text = format!(
            "{}: {bad} of {} requests failed in {time}.{said} See its last errors.",
            name_of(one),
            window.finished
        );
        return Some(finding.mark("failed").text(text).next(shown(one)));
    }
    let (cause, queue, readers) = responder(facts, one);
    let text = format!("{} got no reply {} in {time}: {percent} % of its requests. {cause}", name_of(one), times(bad));
    let finding = finding.mark(format!("unanswered {readers:?}")).text(text).value("responders", readers);
    let Some(queue) = queue else { return Some(finding.next(shown(one))) };
    Some(finding.value("queue", queue.as_str()).next(handles(&queue)).next(shown(one)))
}

/// Why no reply comes, and what to do; the queue of requests, and how many programs read it.
fn responder(facts: &Facts, one: &Observed) -> (String, Option<QueueName>, Option<u32>) {
    let name = one.requests_go_to.as_ref().and_then(|(_, queue)| QueueName::parse(queue).ok());
    let Some(status) = name.as_ref().and_then(|name| facts.queue_manager.queue_status(name)) else {
        return ("See whether the program that answers runs.".to_owned(), name, None);
    };
    let queue = status.name;
    let cause = match status.open_input {
        0 => format!("No application reads {queue}, the queue of its requests. Start the program that answers."),
        readers => format!(
            "{readers} {} {queue}, the queue of its requests, and {} too late or not at all. Look at that program.",
            if readers == 1 { "application reads" } else { "applications read" },
            if readers == 1 { "answers" } else { "answer" }
        ),
    };
    (cause, Some(queue), Some(status.open_input))
}
