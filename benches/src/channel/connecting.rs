//! Processor time of a connection: MQCONN and MQDISC on a socket of its own, against nginx's new resumed TLS connection; the
//! published client configuration, which connects for each message, by verb and beside its row; and what the log lines
//! cost that say a channel has started and ended.
//!
//! Source of the published figures: the comparison of the MQI client, z/OS Connect and the messaging REST API, MQ 9.1, on a
//! z14 with 10 simulated users; counted there is the channel initiator alone.

mod floor;
mod verbs;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use bytes::Bytes;
use channel_client::address::ConnectionNames;
use channel_client::client::Client;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::options::{ConnectOptions, Credentials};
use channel_client::tls::{TlsOptions, Trust};
use model::descriptor::{Format, MessageDescriptor};
use model::identifier::CorrelationId;
use model::name::ObjectName;
use model::options::{
    CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use system_tests::server::APP_PASSWORD;
use workload::measure::{self, processor_time};

use self::verbs::Split;
use super::setting::{PAIR_QUEUE, Setting, Transport};
use super::{Both, CLIENTS, Load, Names, boxed};
use crate::certificate::trusting;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured, interleave};
use crate::nginx::Nginx;
use crate::report::{Bar, Report};

const NGINX: &str = "nginx: new resumed TLS connection, one GET";
const QUIET: &str = "SET SYSTEM EXCLMSG(X511,X512)\n";
/// CPU milliseconds and transactions a second of the published table, and what it says of the parts.
const PUBLISHED_US: f64 = 1090.0;
const PUBLISHED_CONNECTING_US: f64 = 970.0;
const PUBLISHED_LOG_US: f64 = 130.0;
const PUBLISHED_RATE: f64 = 202.0;
const PUBLISHED_CONNECT_AND_OPEN: f64 = 70.0;

/// How a connection is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shake {
    Full,
    Resumed,
    /// No TLS.
    None,
}

/// What is measured of one way to connect.
struct Way {
    shake: Shake,
    connection: Names,
    message: Names,
    verbs: [&'static str; 6],
    rows: [&'static str; 6],
}

const WAYS: [Way; 3] = [
    Way {
        shake: Shake::Full,
        connection: ("MQCONN+MQDISC, full TLS handshake: rate", "MQCONN+MQDISC, full TLS handshake"),
        message: ("connect to disconnect, full TLS: rate", "connect to disconnect, full TLS"),
        verbs: ["full: connect", "full: open", "full: put", "full: get", "full: close", "full: disconnect"],
        rows: [
            "CPU by verb, full TLS handshake: MQCONN",
            "MQOPEN, TLS",
            "MQPUT 1 KiB nonpersistent, TLS",
            "MQGET by correlation id, TLS",
            "MQCLOSE, TLS",
            "MQDISC, full TLS handshake before",
        ],
    },
    Way {
        shake: Shake::Resumed,
        connection: ("MQCONN+MQDISC, resumed TLS: rate", "MQCONN+MQDISC, resumed TLS"),
        message: ("connect to disconnect, resumed TLS: rate", "connect to disconnect, resumed TLS"),
        verbs: [
            "resumed: connect",
            "resumed: open",
            "resumed: put",
            "resumed: get",
            "resumed: close",
            "resumed: disconnect",
        ],
        rows: [
            "CPU by verb, resumed TLS: MQCONN",
            "MQOPEN, resumed TLS",
            "MQPUT 1 KiB nonpersistent, resumed TLS",
            "MQGET by correlation id, resumed TLS",
            "MQCLOSE, resumed TLS",
            "MQDISC, resumed TLS",
        ],
    },
    Way {
        shake: Shake::None,
        connection: ("MQCONN+MQDISC, no TLS: rate", "MQCONN+MQDISC, no TLS"),
        message: ("connect to disconnect, no TLS: rate", "connect to disconnect, no TLS"),
        verbs: ["plain: connect", "plain: open", "plain: put", "plain: get", "plain: close", "plain: disconnect"],
        rows: [
            "CPU by verb, no TLS: MQCONN",
            "MQOPEN, no TLS",
            "MQPUT 1 KiB nonpersistent, no TLS",
            "MQGET by correlation id, no TLS",
            "MQCLOSE, no TLS",
            "MQDISC, no TLS",
        ],
    },
];
const FULL: &Way = &WAYS[0];
const RESUMED: &Way = &WAYS[1];
const PLAIN: &Way = &WAYS[2];
const QUIET_CONNECTION: Names =
    ("MQCONN+MQDISC, no TLS, X511 and X512 left out: rate", "MQCONN+MQDISC, no TLS, X511 and X512 left out");
const QUIET_MESSAGE: Names = (
    "connect to disconnect, full TLS, X511 and X512 left out: rate",
    "connect to disconnect, full TLS, X511 and X512 left out",
);

/// What is done on each connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    Message,
}

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let setting = Setting::start(&effort.work)?;
    let quiet = Setting::start_with(&effort.work, QUIET)?;
    let nginx = Nginx::start(&effort.work, 1)?;
    let resuming = trusting(&nginx.certificate)?;
    let load = |setting, shake, doing| boxed(move || connecting(setting, &client(setting, shake)?, doing, effort));
    // What is compared stands side by side, so that it is measured within seconds.
    let loads = [
        (RESUMED.connection, load(&setting, Shake::Resumed, Doing::Nothing)),
        (FULL.connection, load(&setting, Shake::Full, Doing::Nothing)),
        (FULL.message, load(&setting, Shake::Full, Doing::Message)),
        (QUIET_MESSAGE, load(&quiet, Shake::Full, Doing::Message)),
        (RESUMED.message, load(&setting, Shake::Resumed, Doing::Message)),
        (PLAIN.message, load(&setting, Shake::None, Doing::Message)),
        (PLAIN.connection, load(&setting, Shake::None, Doing::Nothing)),
        (QUIET_CONNECTION, load(&quiet, Shake::None, Doing::Nothing)),
    ]
    .map(|(names, load)| (names, Both::new(load)));
    let splits: Vec<_> = WAYS
        .iter()
        .map(|way| (way.verbs, Split::new(|| verbs::cpu_us(&setting, &client(&setting, way.shake)?, effort))))
        .collect();
    let mut cells = vec![Cell::new(NGINX, || floor::cpu_us(&nginx, &resuming, effort))];
    cells.extend(loads.iter().flat_map(|(names, load)| load.cells(*names)));
    cells.extend(splits.iter().flat_map(|(names, split)| split.cells(names)));
    let measured = interleave(effort.rounds, cells)?;
    ensure!(setting.server.errors().contains("CSQX511I"), "channels start and the log does not say so");
    ensure!(!quiet.server.errors().contains("CSQX51"), "the log has what it was told to leave out");
    connections(&measured, report);
    published(&measured, report);
    for way in &WAYS {
        for (verb, row) in way.verbs.iter().zip(way.rows) {
            report.add(Bar::figure(row).value(measured.median(verb), "µs"));
        }
    }
    Ok(())
}

/// The bar, and connections of other kinds beside.
fn connections(measured: &Measured, report: &mut Report) {
    let resumed = RESUMED.connection.1;
    report.add(
        Bar::at_most("CPU of MQCONN+MQDISC over resumed TLS, against nginx's resumed TLS connection", 1.3)
            .ratio(measured, resumed, NGINX, "µs"),
    );
    let figure = |name, of, to| Bar::figure(name).ratio(measured, of, to, "µs");
    report.add(figure("CPU of MQCONN+MQDISC with a full TLS handshake, against resumed", FULL.connection.1, resumed));
    report.add(figure("CPU of MQCONN+MQDISC without TLS, against resumed", PLAIN.connection.1, resumed));
    report.add(figure(
        "CPU of MQCONN+MQDISC without TLS, CSQX511I and CSQX512I left out, against written",
        QUIET_CONNECTION.1,
        PLAIN.connection.1,
    ));
    report.add(figure("CPU of a message on a connection of its own, resumed TLS", RESUMED.message.1, resumed));
    report.add(figure("the same, no TLS", PLAIN.message.1, PLAIN.connection.1));
}

/// The published configuration: connect, open, put, get, close, disconnect for each message, with a full handshake.
fn published(measured: &Measured, report: &mut Report) {
    let (rate, cpu) = FULL.message;
    report.add(
        Bar::figure("published client configuration: connect to disconnect for each message, full handshake, CPU")
            .beside(measured.median(cpu), PUBLISHED_US, "published: MQI client, z14", "µs"),
    );
    report.add(Bar::figure("its rate, 10 clients").beside(
        measured.median(rate),
        PUBLISHED_RATE,
        "published: 10 users",
        "/s",
    ));
    report.add(Bar::figure("of its CPU, connecting with TLS").beside(
        measured.median(FULL.verbs[0]) + measured.median(FULL.verbs[5]),
        PUBLISHED_CONNECTING_US,
        "published: connecting each iteration",
        "µs",
    ));
    let all: f64 = PLAIN.verbs.iter().map(|verb| measured.median(verb)).sum();
    let first = measured.median(PLAIN.verbs[0]) + measured.median(PLAIN.verbs[1]);
    report.add(Bar::figure("MQCONN and MQOPEN of all CPU without TLS").beside(
        first / all * 100.0,
        PUBLISHED_CONNECT_AND_OPEN,
        "published: more than this",
        "%",
    ));
    report.add(Bar::figure("of its CPU, writing CSQX511I and CSQX512I").beside(
        measured.difference(cpu, QUIET_MESSAGE.1),
        PUBLISHED_LOG_US,
        "published: of this order",
        "µs",
    ));
    report.add(
        Bar::figure("what CSQX511I and CSQX512I cost MQCONN+MQDISC without TLS")
            .value(measured.difference(PLAIN.connection.1, QUIET_CONNECTION.1), "µs"),
    );
}

fn client(setting: &Setting, shake: Shake) -> Result<Client> {
    let transport = if shake == Shake::None { Transport::Plain } else { Transport::Tls };
    let names = ConnectionNames::one(setting.mq.ip().to_string(), setting.mq.port());
    let mut options = ConnectOptions::new(ObjectName::parse(transport.channel())?, names);
    options.sharing_conversations = 1;
    options.credentials = Some(Credentials { user: "app".to_owned(), password: APP_PASSWORD.to_owned() });
    options.tls = (transport == Transport::Tls).then(|| TlsOptions {
        resume: shake == Shake::Resumed,
        ..TlsOptions::trusting(Trust::CaFile(setting.server.ca_file()))
    });
    Ok(Client::new(options)?)
}

/// Ten clients that repeatedly connect and disconnect on one thread.
fn connecting(setting: &Setting, client: &Client, doing: Doing, effort: &Effort) -> Result<Load> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = async |number: u32| -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            once(client, doing, number).await?;
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let timing = async {
        tokio::time::sleep(effort.warmup).await;
        let (before, first) = (processor_time(setting.server.pid(), false)?.used, count.load(Ordering::Relaxed));
        let begin = measure::now();
        tokio::time::sleep(effort.rest).await;
        let (after, last) = (processor_time(setting.server.pid(), false)?.used, count.load(Ordering::Relaxed));
        let elapsed = begin.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        let cpu_us = per_one(after.saturating_sub(before), last - first)?;
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 connections")]
        Ok(Load { per_second: (last - first) as f64 / elapsed, cpu_us })
    };
    runtime.block_on(async {
        let all = join_all((0..CLIENTS).map(work));
        let (figure, done) = tokio::join!(timing, all);
        done?;
        figure
    })
}

/// Polls all at once on this thread.
async fn join_all<F: Future<Output = Result<()>>>(futures: impl Iterator<Item = F>) -> Result<()> {
    let mut waiting: Vec<_> = futures.map(Box::pin).collect();
    std::future::poll_fn(|cx| {
        let mut failed = None;
        waiting.retain_mut(|future| match future.as_mut().poll(cx) {
            std::task::Poll::Pending => true,
            std::task::Poll::Ready(result) => {
                failed = failed.take().or(result.err());
                false
            }
        });
        match (failed, waiting.is_empty()) {
            (Some(error), _) => std::task::Poll::Ready(Err(error)),
            (None, true) => std::task::Poll::Ready(Ok(())),
            (None, false) => std::task::Poll::Pending,
        }
    })
    .await
}

async fn once(client: &Client, doing: Doing, number: u32) -> Result<()> {
    let mut connection = client.connect().await?;
    if doing == Doing::Message {
        let queue = open(&mut connection).await?;
        put(&mut connection, queue, correlation(number)).await?;
        get(&mut connection, queue, correlation(number)).await?;
        connection.close(queue, CloseOptions::empty()).await?;
    }
    Ok(connection.disconnect().await?)
}

/// A number's own identifier. All zeros would take anybody's message.
fn correlation(number: u32) -> CorrelationId {
    let mut id = [0; 24];
    id[..4].copy_from_slice(&(number + 1).to_be_bytes());
    CorrelationId::new(id)
}

async fn open(connection: &mut Connection) -> Result<ObjectHandle> {
    let object = ObjectDescriptor { name: ObjectName::literal(PAIR_QUEUE), ..ObjectDescriptor::default() };
    Ok(connection.open(&object, OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT).await?.handle)
}

async fn put(connection: &mut Connection, queue: ObjectHandle, correlation_id: CorrelationId) -> Result<()> {
    let descriptor = MessageDescriptor { format: Format::STRING, correlation_id, ..MessageDescriptor::default() };
    let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, context: None };
    connection.put(queue, descriptor, &options, Bytes::from_static(&[b'x'; 1024])).await?;
    Ok(())
}

async fn get(connection: &mut Connection, queue: ObjectHandle, correlation_id: CorrelationId) -> Result<()> {
    let options = GetOptions {
        flags: GetFlags::NO_SYNCPOINT,
        match_options: MatchOptions::CORREL_ID,
        correlation_id,
        ..GetOptions::default()
    };
    ensure!(connection.get(queue, &options).await?.body.len() == 1024, "another message came back");
    Ok(())
}

fn per_one(used: Duration, count: u64) -> Result<f64> {
    ensure!(count > 0, "nothing was completed");
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 connections")]
    Ok(used.as_secs_f64() * 1e6 / count as f64)
}
