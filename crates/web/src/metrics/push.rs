//! What push targets have done and how they are doing, as metrics.

use message_api::push::{Figures, Push};

use super::{Family, Page, escaped, number};

const FAMILIES: [Family<Figures>; 8] = [
    ("quaymaster_push_posts_total", "counter", "Attempts to post messages.", |one| number(one.posted)),
    ("quaymaster_push_retries_total", "counter", "Attempts beyond the first one of a message.", |one| {
        number(one.retried)
    }),
    ("quaymaster_push_completed_total", "counter", "Messages that receivers have accepted.", |one| {
        number(one.completed)
    }),
    ("quaymaster_push_failed_total", "counter", "Messages given up after the last attempt.", |one| number(one.failed)),
    ("quaymaster_push_in_flight", "gauge", "Messages that are posted or wait to be posted again.", |one| {
        number(one.in_flight)
    }),
    (
        "quaymaster_push_failing",
        "gauge",
        "1 from a failed attempt until a message is accepted and none waits.",
        |one| f64::from(u8::from(one.is_failing)),
    ),
    ("quaymaster_push_blocked", "gauge", "1 while messages cannot be taken from the queue.", |one| {
        f64::from(u8::from(one.blocked.is_some()))
    }),
    (
        "quaymaster_push_waiting_since_time_seconds",
        "gauge",
        "First failed attempt with the message that waits longest, 0 when none waits.",
        |one| number(one.waiting_since.map_or(0, |at| at.as_millis() / 1000)),
    ),
];

pub(super) fn targets(page: &mut Page, push: &Push) {
    let targets = push.list();
    let all: Vec<_> = targets
        .iter()
        .map(|target| {
            let key = &target.definition.key;
            let labels = format!("qmgr=\"{}\",push=\"{}\"", escaped(&key.queue_manager), escaped(&key.name));
            (labels, target.figures(), target.definition.is_paused)
        })
        .collect();
    for (name, kind, help, value) in FAMILIES {
        page.family(name, kind, help);
        for (labels, figures, _) in &all {
            page.sample(name, labels, value(figures));
        }
    }
    const PAUSED: &str = "quaymaster_push_paused";
    page.family(PAUSED, "gauge", "1 while the target is paused.");
    for (labels, _, is_paused) in &all {
        page.sample(PAUSED, labels, u8::from(*is_paused));
    }
}
