//! Counters and gauges in the Prometheus text format (0.0.4).
//!
//! Counting a request is a few relaxed additions to atomics that exist from the start: no lock, no allocation.

mod exporter;
mod group;
mod push;

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use connection::statistics::{ClosedBy, Statistics};
use http::{HeaderValue, StatusCode};
use model::definition::attribute::Membership;
use model::definition::queue::Disposition;
use queue_manager::registry::State;
use queue_manager::status::{QueueManagerStatus, QueueStatus};
use queue_manager::{QueueManager, QueueManagers};
use telemetry::Tracer;
use tokio::time::Instant;

use crate::answer::{self, Answer};
use crate::options::{MetricNames, Metrics};
use crate::routes::ROUTES;
use crate::server::Shared;
use crate::service::Door;

/// Statuses counted under their own number; others count as 0.
const STATUSES: [u16; 17] = [200, 201, 204, 302, 400, 401, 403, 404, 405, 408, 413, 415, 500, 501, 502, 503, 0];
/// Upper bounds of the latency histogram, in microseconds.
const BOUNDS_US: [u64; 14] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 2_500_000, 10_000_000];

const FORMAT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Where a request's time is measured from.
pub(crate) fn moment() -> Instant {
    Instant::now()
}

/// Requests by route and status, and their latencies.
pub(crate) struct HttpStatistics {
    /// One for each route, and a last one for requests that matched none.
    routes: Vec<RouteStatistics>,
}

#[derive(Default)]
struct RouteStatistics {
    by_status: [AtomicU64; STATUSES.len()],
    /// Not cumulative; the last is for what is beyond all bounds.
    buckets: [AtomicU64; BOUNDS_US.len() + 1],
    total_us: AtomicU64,
}

impl HttpStatistics {
    pub(crate) fn new() -> Self {
        Self { routes: (0..=ROUTES.len()).map(|_| RouteStatistics::default()).collect() }
    }

    /// `route` is the index into the route table; `None` when nothing matched.
    pub(crate) fn count(&self, route: Option<usize>, status: StatusCode, took: Duration) {
        let statistics = &self.routes[route.unwrap_or(ROUTES.len())];
        let status = STATUSES.iter().position(|&known| known == status.as_u16()).unwrap_or(STATUSES.len() - 1);
        statistics.by_status[status].fetch_add(1, Relaxed);
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.iter().position(|&bound| microseconds <= bound).unwrap_or(BOUNDS_US.len());
        statistics.buckets[bucket].fetch_add(1, Relaxed);
        statistics.total_us.fetch_add(microseconds, Relaxed);
    }
}

/// The whole page.
pub(crate) async fn expose(shared: &Shared, options: &Metrics) -> Answer {
    let mut page = Page(String::with_capacity(16 << 10));
    if options.names.contains(&MetricNames::Quaymaster) {
        own_families(&mut page, shared);
    }
    exporter::families(&mut page, &shared.queue_managers, &options.names).await;
    process(&mut page);
    answer::with_body(StatusCode::OK, Some(FORMAT), page.0.into())
}

fn own_families(page: &mut Page, shared: &Shared) {
    http(page, shared);
    commands(page, shared);
    states(page, &shared.queue_managers);
    let running = shared.queue_managers.running();
    queue_managers(page, &running);
    records(page, &running);
    channels(page, &running);
    queues(page, &running);
    recovery_logs(page, &running);
    group::groups(page, &running);
    pools(page, shared);
    requesters(page, shared);
    push::targets(page, &shared.message_api.push);
    streams(page, shared);
    live(page, shared);
    certificates(page, shared);
}

/// A page under construction.
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{{{labels}}} {value}");
    }

    fn plain(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        let _ = writeln!(self.0, "{name} {value}");
    }

    /// Families of one kind of thing, with a sample for each of them.
    fn families<T>(&mut self, families: &[Family<T>], all: &[(String, T)]) {
        for (name, kind, help, value) in families {
            self.family(name, kind, help);
            for (labels, one) in all {
                self.sample(name, labels, value(one));
            }
        }
    }
}

fn http(page: &mut Page, shared: &Shared) {
    page.plain("quaymaster_http_connections", "gauge", "Open HTTP connections.", shared.connections.open());
    turned_away(page, shared);
    let help = "Bytes held by bodies of requests that come in several pieces.";
    page.plain("quaymaster_http_body_bytes", "gauge", help, shared.bodies.used());
    let dropped = shared.tracer.as_ref().map_or(0, Tracer::dropped);
    let help = "Spans of traces that had no place in the queue.";
    page.plain("quaymaster_trace_spans_dropped_total", "counter", help, dropped);
    let help = "Bytes of long answers that their clients have not read.";
    page.plain("quaymaster_http_unread_answer_bytes", "gauge", help, shared.answers.used());
    const REQUESTS: &str = "quaymaster_http_requests_total";
    page.family(REQUESTS, "counter", "Answered HTTP requests; status 0 is any other.");
    for (labels, statistics) in labelled(&shared.statistics) {
        for (status, count) in STATUSES.iter().zip(&statistics.by_status) {
            let count = count.load(Relaxed);
            if count > 0 {
                page.sample(REQUESTS, &format!("{labels},status=\"{status}\""), count);
            }
        }
    }
    page.family("quaymaster_http_request_duration_seconds", "histogram", "Time to answer HTTP requests.");
    for (labels, statistics) in labelled(&shared.statistics) {
        histogram(page, "quaymaster_http_request_duration_seconds", &labels, statistics);
    }
}

fn turned_away(page: &mut Page, shared: &Shared) {
    let doors = [Door::Https, Door::Http, Door::Metrics];
    let counts = doors.map(|door| (door.name(), shared.connections.of(door).turned_away()));
    const REFUSED: &str = "quaymaster_http_connections_refused_total";
    page.family(REFUSED, "counter", "HTTP connections for which there was no place.");
    for (name, [refused, _]) in counts {
        page.sample(REFUSED, &format!("listener=\"{name}\""), refused);
    }
    const MADE_ROOM: &str = "quaymaster_http_connections_made_room_total";
    page.family(MADE_ROOM, "counter", "HTTP connections that were closed to make room for others.");
    for (name, [_, made_room]) in counts {
        page.sample(MADE_ROOM, &format!("listener=\"{name}\""), made_room);
    }
}

/// Administrative commands, which have their processor time counted apart.
fn commands(page: &mut Page, shared: &Shared) {
    let time = &shared.command_time;
    let help = "Administrative commands executed for HTTP requests.";
    page.plain("quaymaster_commands_total", "counter", help, time.commands());
    let help = "Processor time of administrative commands, their answers' JSON included.";
    page.plain("quaymaster_command_cpu_seconds_total", "counter", help, time.seconds());
}

fn labelled(statistics: &HttpStatistics) -> impl Iterator<Item = (String, &RouteStatistics)> {
    statistics.routes.iter().enumerate().map(|(index, statistics)| {
        let labels = match ROUTES.get(index) {
            Some(route) => format!("method=\"{}\",route=\"{}\"", route.method, route.template),
            None => "method=\"\",route=\"\"".to_owned(),
        };
        (labels, statistics)
    })
}

fn histogram(page: &mut Page, name: &str, labels: &str, statistics: &RouteStatistics) {
    let counts: Vec<u64> = statistics.buckets.iter().map(|bucket| bucket.load(Relaxed)).collect();
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return;
    }
    let mut cumulative = 0;
    for (bound, count) in BOUNDS_US.iter().zip(&counts) {
        cumulative += count;
        let bound = Duration::from_micros(*bound).as_secs_f64();
        page.sample(&format!("{name}_bucket"), &format!("{labels},le=\"{bound}\""), cumulative);
    }
    page.sample(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), total);
    let seconds = Duration::from_micros(statistics.total_us.load(Relaxed)).as_secs_f64();
    page.sample(&format!("{name}_sum"), labels, seconds);
    page.sample(&format!("{name}_count"), labels, total);
}

/// One sample for each queue manager that is known, whether it runs or not.
fn states(page: &mut Page, queue_managers: &QueueManagers) {
    const RUNNING: &str = "quaymaster_queue_manager_running";
    page.family(RUNNING, "gauge", "1 while the queue manager runs, 0 when it has ended or is on its way.");
    let all = queue_managers.list();
    for known in &all {
        page.sample(RUNNING, &format!("qmgr=\"{}\"", known.name), u8::from(known.state == State::Running));
    }
    const LOG_FAILED: &str = "quaymaster_log_failed";
    page.family(LOG_FAILED, "gauge", "1 from a failure of the recovery log until the queue manager is started again.");
    for known in &all {
        page.sample(LOG_FAILED, &format!("qmgr=\"{}\"", known.name), u8::from(known.log_failed));
    }
}

fn queue_managers(page: &mut Page, queue_managers: &[QueueManager]) {
    const STARTED: &str = "quaymaster_queue_manager_start_time_seconds";
    page.family(STARTED, "gauge", "When the queue manager started, in seconds since 1970.");
    for queue_manager in queue_managers {
        let started = queue_manager.status().started.as_millis() / 1000;
        page.sample(STARTED, &format!("qmgr=\"{}\"", queue_manager.name()), started);
    }
    const CONNECTIONS: &str = "quaymaster_queue_manager_connections";
    page.family(CONNECTIONS, "gauge", "Applications connected to the queue manager.");
    for queue_manager in queue_managers {
        page.sample(CONNECTIONS, &format!("qmgr=\"{}\"", queue_manager.name()), queue_manager.status().connections);
    }
}

/// Accounting and statistics messages.
fn records(page: &mut Page, queue_managers: &[QueueManager]) {
    const RECORDS: &str = "quaymaster_records_total";
    page.family(RECORDS, "counter", "Accounting and statistics messages put on their queues.");
    const DROPPED: &str = "quaymaster_records_dropped_total";
    let counts: Vec<_> = queue_managers
        .iter()
        .flat_map(|queue_manager| {
            let labels = |kind| format!("qmgr=\"{}\",kind=\"{kind}\"", queue_manager.name());
            let [accounting, statistics] = queue_manager.record_counts();
            [(labels("accounting"), accounting), (labels("statistics"), statistics)]
        })
        .collect();
    for (labels, count) in &counts {
        page.sample(RECORDS, labels, count.kept);
    }
    page.family(DROPPED, "counter", "Accounting and statistics messages that their queues did not take.");
    for (labels, count) in &counts {
        page.sample(DROPPED, labels, count.dropped);
    }
}

/// Instances of each channel, and the conversations on them.
fn channels(page: &mut Page, queue_managers: &[QueueManager]) {
    let mut of_channel: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for queue_manager in queue_managers {
        for status in queue_manager.channel_statuses() {
            let mut labels = format!("qmgr=\"{}\",channel=\"{}\"", queue_manager.name(), status.instance.channel);
            if queue_manager.membership() == Membership::Member {
                let _ = write!(labels, ",disposition=\"{}\"", status.instance.disposition.word());
            }
            let (instances, conversations) = of_channel.entry(labels).or_default();
            *instances += 1;
            *conversations += status.sharing_conversations;
        }
    }
    const INSTANCES: &str = "quaymaster_channel_instances";
    page.family(INSTANCES, "gauge", "Sockets of clients that a channel serves.");
    for (labels, (instances, _)) in &of_channel {
        page.sample(INSTANCES, labels, instances);
    }
    const CONVERSATIONS: &str = "quaymaster_channel_conversations";
    page.family(CONVERSATIONS, "gauge", "Conversations on these sockets.");
    for (labels, (_, conversations)) in &of_channel {
        page.sample(CONVERSATIONS, labels, conversations);
    }
}

/// Name, kind, help and value of one family.
type Family<T> = (&'static str, &'static str, &'static str, fn(&T) -> f64);

const QUEUE_FAMILIES: [Family<QueueStatus>; 11] = [
    ("quaymaster_queue_depth", "gauge", "Number of messages on the queue, including uncommitted ones.", |q| {
        q.depth.current.into()
    }),
    ("quaymaster_queue_uncommitted", "gauge", "Messages put or got and not yet committed.", |q| {
        q.depth.uncommitted.into()
    }),
    ("quaymaster_queue_quarantined", "gauge", "Messages that could not be read from disk, beside the depth.", |q| {
        q.depth.quarantined.into()
    }),
    ("quaymaster_queue_bytes", "gauge", "Bytes of message bodies on the queue.", |q| number(q.depth.bytes)),
    ("quaymaster_queue_open_input", "gauge", "Handles open for input.", |q| q.open_input.into()),
    ("quaymaster_queue_open_output", "gauge", "Handles open for output.", |q| q.open_output.into()),
    ("quaymaster_queue_waiters", "gauge", "Gets that wait for a message.", |q| q.waiters.into()),
    ("quaymaster_queue_puts_total", "counter", "Messages put since the start.", |q| number(q.puts)),
    ("quaymaster_queue_gets_total", "counter", "Messages got since the start.", |q| number(q.gets)),
    ("quaymaster_queue_browses_total", "counter", "Messages browsed since the start.", |q| number(q.browses)),
    ("quaymaster_queue_oldest_message_time_seconds", "gauge", "Arrival of the oldest message, 0 when empty.", |q| {
        q.depth.oldest.map_or(0.0, |oldest| Duration::from_micros(oldest.0).as_secs_f64())
    }),
];

#[expect(clippy::cast_precision_loss, reason = "Prometheus samples are floats; beyond 2^53 the last digits go")]
fn number(value: u64) -> f64 {
    value as f64
}

fn queues(page: &mut Page, queue_managers: &[QueueManager]) {
    let mut all = Vec::new();
    for queue_manager in queue_managers {
        let name = queue_manager.name();
        for queue in queue_manager.queues().iter().filter(|queue| queue.as_local().is_some()) {
            if let Some(status) = queue_manager.queue_status(&queue.name) {
                let labels = format!("qmgr=\"{name}\",queue=\"{}\"", queue.name);
                // Each member shows the whole of a shared queue: who adds members up has to tell these from the others.
                let group = queue_manager.group().filter(|_| queue.disposition == Disposition::Shared);
                let labels = group.map_or_else(|| labels.clone(), |group| format!("{labels},group=\"{group}\""));
                all.push((labels, status));
            }
        }
    }
    page.families(&QUEUE_FAMILIES, &all);
}

const LOG_FAMILIES: [Family<QueueManagerStatus>; 19] = [
    ("quaymaster_log_written_bytes_total", "counter", "Bytes written to the recovery log.", |s| {
        number(s.store.log_bytes_written)
    }),
    ("quaymaster_log_syncs_total", "counter", "Times the recovery log was synced.", |s| number(s.store.log_syncs)),
    ("quaymaster_log_sync_seconds_total", "counter", "Time spent in syncs.", |s| s.store.sync_seconds_total),
    ("quaymaster_log_batches_total", "counter", "Batches written, one sync each.", |s| number(s.store.log_batches)),
    ("quaymaster_log_records_total", "counter", "Records written.", |s| number(s.store.log_records)),
    ("quaymaster_log_extents", "gauge", "Extents of the recovery log.", |s| number(s.store.log_extents)),
    ("quaymaster_log_in_use_bytes", "gauge", "Bytes of the recovery log in use.", |s| number(s.store.log_bytes_in_use)),
    ("quaymaster_log_moved_bytes_total", "counter", "Bytes of live records moved forward.", |s| {
        number(s.store.log_moved_bytes)
    }),
    ("quaymaster_log_verified_bytes_total", "counter", "Bytes read again from the disk to verify them.", |s| {
        number(s.store.log_verified_bytes)
    }),
    ("quaymaster_log_damage_found_total", "counter", "Damaged extents and bodies that the verification found.", |s| {
        number(s.store.log_damage_found)
    }),
    ("quaymaster_log_verification_time_seconds", "gauge", "End of the last complete round of verification.", |s| {
        number(s.store.log_verified_at)
    }),
    ("quaymaster_log_full", "gauge", "1 while the disk has no room for the log.", |s| {
        f64::from(u8::from(s.store.log_full))
    }),
    ("quaymaster_buffer_pool_bytes", "gauge", "Bytes of message bodies held in memory.", |s| {
        number(s.store.buffer_pool_bytes)
    }),
    ("quaymaster_buffer_pool_misses_total", "counter", "Bodies that had to be read back from disk.", |s| {
        number(s.store.buffer_pool_misses)
    }),
    ("quaymaster_spilled_bytes", "gauge", "Bytes of bodies that live on disk only.", |s| number(s.store.spilled_bytes)),
    ("quaymaster_disk_quota_bytes", "gauge", "Quota of disk; 0 without one.", |s| {
        number(s.store.quotas.disk.map_or(0, |quota| quota.maximum_bytes))
    }),
    ("quaymaster_disk_quota_used_bytes", "gauge", "What is used of the quota of disk.", |s| {
        number(s.store.quotas.disk.map_or(0, |quota| quota.used_bytes))
    }),
    ("quaymaster_memory_quota_bytes", "gauge", "Quota of memory for messages; 0 without one.", |s| {
        number(s.store.quotas.memory.map_or(0, |quota| quota.maximum_bytes))
    }),
    ("quaymaster_memory_quota_used_bytes", "gauge", "What is used of the quota of memory.", |s| {
        number(s.store.quotas.memory.map_or(0, |quota| quota.used_bytes))
    }),
];

fn recovery_logs(page: &mut Page, queue_managers: &[QueueManager]) {
    let all: Vec<_> = queue_managers
        .iter()
        .map(|queue_manager| (format!("qmgr=\"{}\"", queue_manager.name()), queue_manager.status()))
        .collect();
    page.families(&LOG_FAMILIES, &all);
}

/// Labels of a pool, and what it has done.
type Pooled = (String, Statistics);

const POOL_FAMILIES: [Family<Statistics>; 8] = [
    ("quaymaster_connection_pool_in_use", "gauge", "Connections lent to requests.", |s| number(s.in_use)),
    ("quaymaster_connection_pool_idle", "gauge", "Connections kept for the next request.", |s| number(s.idle)),
    ("quaymaster_connection_pool_waiting", "gauge", "Requests that wait for a connection.", |s| number(s.waiting)),
    ("quaymaster_connection_pool_created_total", "counter", "Connections made.", |s| number(s.created)),
    ("quaymaster_connection_pool_failed_total", "counter", "Attempts to connect that failed.", |s| number(s.failed)),
    ("quaymaster_connection_pool_waited_total", "counter", "Requests that had to wait for a connection.", |s| {
        number(s.waited)
    }),
    ("quaymaster_connection_pool_overflowed_total", "counter", "Requests with a connection of their own.", |s| {
        number(s.overflowed)
    }),
    ("quaymaster_connection_pool_refused_total", "counter", "Requests refused because all were in use.", |s| {
        number(s.refused)
    }),
];

/// Connections of messaging requests and of services.
fn pools(page: &mut Page, shared: &Shared) {
    let all: Vec<Pooled> = [("messaging", &shared.messaging), ("services", &shared.services.environment.connections)]
        .into_iter()
        .flat_map(|(used_by, connections)| {
            connections.statistics().into_iter().map(move |(name, remote, statistics)| {
                (format!("used_by=\"{used_by}\",qmgr=\"{}\",remote=\"{remote}\"", escaped(&name)), statistics)
            })
        })
        .collect();
    page.families(&POOL_FAMILIES, &all);
    const CLOSED: &str = "quaymaster_connection_pool_closed_total";
    page.family(CLOSED, "counter", "Connections closed, by why.");
    for (labels, statistics) in &all {
        for (by, count) in ClosedBy::ALL.iter().zip(statistics.closed) {
            page.sample(CLOSED, &format!("{labels},reason=\"{}\"", by.word()), count);
        }
    }
}

/// A label's value as the format wants it.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// When certificates end.
fn certificates(page: &mut Page, shared: &Shared) {
    const END: &str = "quaymaster_certificate_end_time_seconds";
    page.family(END, "gauge", "End of a certificate of [tls], in seconds since 1970.");
    for one in shared.certificates.read().iter() {
        let labels = format!("file=\"{}\",subject=\"{}\"", escaped(&one.file), escaped(&one.subject));
        page.sample(END, &labels, one.seconds);
    }
}

/// Calls of API requesters, by what became of them.
fn requesters(page: &mut Page, shared: &Shared) {
    let all = shared.requesters.shelf.all();
    if all.is_empty() {
        return;
    }
    let seen: Vec<_> = all
        .iter()
        .map(|(name, deployed)| (format!("requester=\"{}\"", escaped(name)), deployed.activity.statistics()))
        .collect();
    const CALLS: &str = "quaymaster_api_requester_calls_total";
    page.family(CALLS, "counter", "Calls of API requesters, by the class of their status.");
    for (labels, seen) in &seen {
        for (outcome, count) in [
            ("succeeded", seen.succeeded),
            ("refused", seen.refused),
            ("failed", seen.failed),
            ("abandoned", seen.abandoned),
        ] {
            page.sample(CALLS, &format!("{labels},outcome=\"{outcome}\""), count);
        }
    }
    const IN_FLIGHT: &str = "quaymaster_api_requester_calls_in_flight";
    page.family(IN_FLIGHT, "gauge", "Calls of API requesters under way.");
    for (labels, seen) in &seen {
        page.sample(IN_FLIGHT, labels, seen.in_flight);
    }
    const SECONDS: &str = "quaymaster_api_requester_call_seconds_total";
    page.family(SECONDS, "counter", "Time that answered calls of API requesters took.");
    for (labels, seen) in &seen {
        page.sample(SECONDS, labels, seen.total.as_secs_f64());
    }
}

/// Streams of the message API.
fn streams(page: &mut Page, shared: &Shared) {
    let streams = &shared.message_api.streams;
    page.plain("quaymaster_message_api_streams", "gauge", "Open streams of the message API.", streams.open());
    let help = "Messages that streams have delivered or shown.";
    page.plain("quaymaster_message_api_stream_events_total", "counter", help, streams.events());
}

/// Live events and history.
fn live(page: &mut Page, shared: &Shared) {
    let counts = shared.message_api.live.counts();
    page.plain("quaymaster_live_streams", "gauge", "Open streams of live events.", counts.streams);
    page.plain("quaymaster_live_rows", "gauge", "Rows that these streams watch.", counts.rows);
    let kept = shared.message_api.history.kept();
    page.plain("quaymaster_history_bytes", "gauge", "Memory of the history.", kept.bytes);
    let help = "Queue managers, queues and channels with a history.";
    page.plain("quaymaster_history_subjects", "gauge", help, kept.subjects);
}

/// Memory and processor time, where `/proc` tells them.
fn process(page: &mut Page) {
    if let Some(bytes) = resident_bytes() {
        page.plain("process_resident_memory_bytes", "gauge", "Resident memory.", bytes);
    }
    if let Some(seconds) = processor_seconds() {
        page.plain("process_cpu_seconds_total", "counter", "Processor time, user and system.", seconds);
    }
}

fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Fields 14 and 15 of `/proc/self/stat`, in hundredths of a second on every Linux.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(number(user + system) / 100.0)
}
