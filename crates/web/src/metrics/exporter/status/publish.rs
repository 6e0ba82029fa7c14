//! Topics and subscriptions.

use std::collections::BTreeMap;

use model::definition::subscription::MadeBy;
use model::timestamp::Timestamp;
use queue_manager::subscription::SubscriptionStatus;

use super::super::{Subject, filled};
use super::seconds;
use crate::metrics::{Family, Page, number};

/// What went through one topic string, by publishers or to subscribers.
#[derive(Default)]
struct Traffic {
    messages: u64,
    last: Option<Timestamp>,
    now: Timestamp,
}

impl Traffic {
    fn add(&mut self, messages: u64, last: Option<Timestamp>, now: Timestamp) {
        self.messages += messages;
        self.last = self.last.max(last);
        self.now = now;
    }

    fn age(&self) -> f64 {
        self.last.map_or(0.0, |last| seconds(self.now, last))
    }
}

struct Node {
    publishers: u32,
    subscribers: u32,
}

struct Subscription {
    status: SubscriptionStatus,
    now: Timestamp,
}

pub(super) async fn families(page: &mut Page, subjects: &[Subject]) {
    let (mut nodes, mut published, mut received) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let mut subscriptions = Vec::new();
    for Subject { queue_manager, labels, .. } in subjects {
        let now = queue_manager.now();
        let of_topic = |topic: &str, kind| format!("{},topic=\"{}\",type=\"{kind}\"", labels.common, filled(topic));
        // A store that cannot be read is told by other metrics.
        for node in queue_manager.topic_statuses("#").await.unwrap_or_default() {
            let counts = Node { publishers: node.publishers, subscribers: node.subscribers };
            nodes.push((of_topic(&node.topic_string, "status"), counts));
        }
        for publisher in queue_manager.topic_publishers() {
            let traffic: &mut Traffic = published.entry(of_topic(&publisher.topic_string, "pub")).or_default();
            traffic.add(publisher.published, publisher.last_published, now);
        }
        for status in queue_manager.subscription_statuses() {
            let topic = &status.definition.topic_string;
            let traffic: &mut Traffic = received.entry(of_topic(topic, "sub")).or_default();
            traffic.add(status.published, status.last_published, now);
            let labels = format!(
                "{},subscription=\"{}\",subid=\"{}\",topic=\"{}\",type=\"{}\"",
                labels.common,
                filled(&status.definition.name),
                status.definition.identifier,
                filled(topic),
                kind(status.definition.made_by).0,
            );
            subscriptions.push((labels, Subscription { status, now }));
        }
    }
    page.families(&NODE, &nodes);
    page.families(&PUBLISHED, &published.into_iter().collect::<Vec<_>>());
    page.families(&RECEIVED, &received.into_iter().collect::<Vec<_>>());
    page.families(&SUBSCRIPTION, &subscriptions);
}

/// `MQSUBTYPE_*`.
fn kind(made_by: MadeBy) -> (&'static str, f64) {
    match made_by {
        MadeBy::Api => ("API", 1.0),
        MadeBy::Administrator => ("ADMIN", 2.0),
        MadeBy::Proxy => ("PROXY", 3.0),
    }
}

const NODE: [Family<Node>; 2] = [
    ("ibmmq_topic_publisher_count", "gauge", "Number of publishers", |n| n.publishers.into()),
    ("ibmmq_topic_subscriber_count", "gauge", "Number of subscribers", |n| n.subscribers.into()),
];

const PUBLISHED: [Family<Traffic>; 2] = [
    ("ibmmq_topic_messages_published", "counter", "Published Messages", |t| number(t.messages)),
    ("ibmmq_topic_time_since_msg_published", "gauge", "Time Since Msg", Traffic::age),
];

const RECEIVED: [Family<Traffic>; 2] = [
    ("ibmmq_topic_messages_received", "counter", "Received Messages", |t| number(t.messages)),
    ("ibmmq_topic_time_since_msg_received", "gauge", "Time Since Msg", Traffic::age),
];

const SUBSCRIPTION: [Family<Subscription>; 3] = [
    // The exporter spells it so.
    ("ibmmq_subscription_messsages_received", "counter", "Messages Received", |s| number(s.status.published)),
    ("ibmmq_subscription_time_since_message_published", "gauge", "Time Since Message Received", |s| {
        s.status.last_published.map_or(0.0, |last| seconds(s.now, last))
    }),
    ("ibmmq_subscription_type", "gauge", "Subscription Type", |s| kind(s.status.definition.made_by).1),
];
