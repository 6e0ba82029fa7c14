//! Queue managers under the names that dashboards of IBM MQ have: those of the exporter `mq_prometheus`, and those of the
//! exporter in IBM's container image.
//!
//! Some names belong to both. Where both are wanted, such a family is shown once, with the labels of `mq_prometheus`.
//! Values of monitoring are at most ten seconds old; statuses are as they are at the moment.
//!
//! Source: `cmd/mq_prometheus` of ibm-messaging/mq-metric-samples, 5.7.1 and 6.0.0; `internal/metrics` of
//! ibm-messaging/mq-container, 9.4.5.

mod names;
mod status;

use std::collections::HashMap;

use model::definition::QueueDefinition;
use model::definition::queue::{LocalQueue, Usage};
use model::name::QueueName;
use queue_manager::{MonitoredFamily, QueueManager, QueueManagers};

use self::names::{NAMES, Named};
use super::{Page, escaped};
use crate::options::MetricNames;

/// A queue manager with what is shown of it.
struct Subject {
    queue_manager: QueueManager,
    labels: Labels,
    /// By name: labels of `mq_prometheus`, and the definition.
    queues: HashMap<QueueName, (String, LocalQueue)>,
    monitored: Vec<MonitoredFamily>,
}

/// As `mq_prometheus` has them.
struct Labels {
    /// What all others begin with.
    common: String,
    of_queue_manager: String,
}

impl Labels {
    fn new(name: &str, description: &str) -> Self {
        let common = format!("qmgr=\"{name}\",platform=\"UNIX\"");
        let host = filled(&queue_manager::status::host_name());
        let of_queue_manager = format!("{common},description=\"{}\",hostname=\"{host}\"", filled(description));
        Self { common, of_queue_manager }
    }

    fn of_queue(&self, queue: &QueueDefinition, local: &LocalQueue) -> String {
        let usage = if local.usage == Usage::Transmission { "XMITQ" } else { "NORMAL" };
        let (description, cluster) = (filled(&queue.description), filled(queue.cluster.as_str()));
        let Self { common, .. } = self;
        format!(
            "{common},queue=\"{}\",usage=\"{usage}\",description=\"{description}\",cluster=\"{cluster}\"",
            queue.name
        )
    }
}

/// A label's value, which `mq_prometheus` never leaves empty.
fn filled(text: &str) -> String {
    if text.trim().is_empty() { "-".to_owned() } else { escaped(text.trim()) }
}

impl Subject {
    fn of(queue_manager: QueueManager) -> Self {
        let definition = queue_manager.definition();
        let labels = Labels::new(queue_manager.name().as_str(), &definition.description);
        let local = |queue: &QueueDefinition| {
            let local = queue.as_local()?;
            Some((queue.name, (labels.of_queue(queue, local), local.clone())))
        };
        let queues = queue_manager.queues().iter().filter_map(|queue| local(queue)).collect();
        let monitored = queue_manager.monitored();
        Self { queue_manager, labels, queues, monitored }
    }

    fn family(&self, named: &Named) -> Option<&MonitoredFamily> {
        self.monitored.iter().find(|family| (family.class, family.element) == (named.class, named.element))
    }

    /// As `mq_prometheus` has them: of the queue manager, or of one of its queues.
    fn labels(&self, queue: Option<&QueueName>) -> Option<&str> {
        match queue {
            None => Some(&self.labels.of_queue_manager),
            Some(queue) => self.queues.get(queue).map(|(labels, _)| labels.as_str()),
        }
    }
}

pub(super) async fn families(page: &mut Page, queue_managers: &QueueManagers, wanted: &[MetricNames]) {
    let (samples, image) = (wanted.contains(&MetricNames::MqPrometheus), wanted.contains(&MetricNames::MqContainer));
    if !samples && !image {
        return;
    }
    let subjects: Vec<Subject> = queue_managers.running().into_iter().map(Subject::of).collect();
    for named in NAMES.iter() {
        let is_shown = samples && named.exporter.is_some();
        if let Some(name) = named.exporter.filter(|_| samples) {
            let name = format!("ibmmq_{}_{name}", if named.is_of_queues() { "queue" } else { "qmgr" });
            monitored(page, &subjects, named, &name, |subject, queue| subject.labels(queue).map(str::to_owned));
        }
        if let Some(name) = named.image.filter(|_| image && !(is_shown && named.image == named.exporter)) {
            let labels =
                |subject: &Subject, _: Option<&QueueName>| Some(format!("qmgr=\"{}\"", subject.queue_manager.name()));
            monitored(page, &subjects, named, &format!("ibmmq_qmgr_{name}"), labels);
        }
    }
    if samples {
        status::families(page, queue_managers, &subjects).await;
    }
}

fn monitored(
    page: &mut Page,
    subjects: &[Subject],
    named: &Named,
    name: &str,
    labels: impl Fn(&Subject, Option<&QueueName>) -> Option<String>,
) {
    let families: Vec<_> = subjects.iter().filter_map(|subject| Some((subject, subject.family(named)?))).collect();
    let Some((_, first)) = families.first() else { return };
    page.family(name, if first.is_counter { "counter" } else { "gauge" }, named.element);
    for (subject, family) in &families {
        for (queue, value) in &family.samples {
            if let Some(labels) = labels(subject, queue.as_ref()) {
                page.sample(name, &labels, value);
            }
        }
    }
}
