//! Pooled connections to the queue manager and kept TLS connections: each, both and neither, against nginx's pair of requests with
//! new and with kept connections; and what a pooled connection to a remote queue manager saves of MQCONN and MQDISC.
//!
//! Source: "MQ V9.1.2, Improved REST Messaging performance on z/OS" (2019): request 10 bytes, reply 1 KiB, 10 clients.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};
use tempfile::TempDir;
use workload::plan::{Choices, Connection, Frequency, Login, Scenario, Span};

use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::report::{Bar, Report};
use crate::responder::{Habit, Order, Responder};
use crate::rest::{NginxFloor, cpu_us_per_pair, password_file};
use crate::service::setting::write;

const CLIENTS: u32 = 10;
/// The least that the driver can name its requests in; the document's have 10.
const REQUEST_BYTES: usize = 48;
const REPLY_BYTES: usize = 1024;
const REQUEST_QUEUE: &str = "DEV.BENCH.REQUEST";
const REPLY_QUEUE: &str = "DEV.BENCH.REPLY";
const DEFINITIONS: &str = "\
DEFINE QLOCAL(DEV.BENCH.REQUEST) MAXDEPTH(100000)
DEFINE QLOCAL(DEV.BENCH.REPLY) MAXDEPTH(100000)
";

const NEITHER: &str = "no pool, new connections";
const POOLED: &str = "pool, new connections";
const KEPT: &str = "no pool, kept connections";
const BOTH: &str = "pool, kept connections";
const NGINX_NEW: &str = "nginx: pair, new connections";
const NGINX_KEPT: &str = "nginx: pair, kept connections";
const FAR_NONE: &str = "remote queue manager's server, no pool";
const FAR_POOLED: &str = "remote queue manager's server, pool";
const EVERY: &str = "channel: put and get, MQCONN and MQDISC each";
const ONCE: &str = "channel: put and get, connected once";
const SAVED: &str = "saved by the pool, two requests";
const CONNECTING: &str = "MQCONN and MQDISC";

/// Published ratios of CPU to neither reuse: connections alone, TLS alone, both.
const PUBLISHED: [(&str, &str); 3] = [
    ("CPU with pooled connections, against neither", POOLED),
    ("CPU with kept TLS connections, against neither", KEPT),
    ("CPU with both, against neither", BOTH),
];

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    local(effort, report)?;
    remote(effort, report)
}

fn local(effort: &Effort, report: &mut Report) -> Result<()> {
    let nginx = NginxFloor::start(effort)?;
    let floor = Choices { threads: Some(1), request_size: base(effort).request_size, ..nginx.choices.clone() };
    let (pooling, plain) = (Host::start(&effort.work, None)?, Host::start(&effort.work, Some("0"))?);
    let _responders = [pooling.responder()?, plain.responder()?];
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(NEITHER, || cpu_us_per_pair(&anew(plain.request_reply(effort)?))),
            Cell::new(NGINX_NEW, || cpu_us_per_pair(&anew(floor.clone()))),
            Cell::new(POOLED, || cpu_us_per_pair(&anew(pooling.request_reply(effort)?))),
            Cell::new(KEPT, || cpu_us_per_pair(&plain.request_reply(effort)?)),
            Cell::new(BOTH, || cpu_us_per_pair(&pooling.request_reply(effort)?)),
            Cell::new(NGINX_KEPT, || cpu_us_per_pair(&floor)),
        ],
    )?;
    report.add(
        Bar::at_most(
            "request/reply by messaging REST without pool, new connections: CPU against nginx's pair with new ones",
            1.5,
        )
        .ratio(&measured, NEITHER, NGINX_NEW, "µs"),
    );
    report.add(
        Bar::at_most("request/reply with pool and kept connections: CPU against nginx's pair with kept ones", 1.5)
            .ratio(&measured, BOTH, NGINX_KEPT, "µs"),
    );
    for (name, cell) in PUBLISHED {
        report.add(Bar::figure(name).ratio(&measured, cell, NEITHER, "µs"));
    }
    Ok(())
}

fn remote(effort: &Effort, report: &mut Report) -> Result<()> {
    let far = Host::start(&effort.work, None)?;
    let (pooling, plain) = (Tier::start(&effort.work, &far, 20)?, Tier::start(&effort.work, &far, 0)?);
    let channel = |connect: Frequency| -> Result<Choices> {
        Ok(Choices {
            scenario: Some(Scenario::PutGet),
            channel: Some("DEV.APP.SVRCONN".to_owned()),
            mq: Some(far.server.mq_address()?.to_string()),
            login: Some(Login::Basic),
            password_file: Some(far.passwords()?),
            queue: Some(REPLY_QUEUE.to_owned()),
            clients: Some(1),
            connect: Some(connect),
            open: Some(Frequency::Every),
            pid: far.pid(),
            ..base(effort)
        })
    };
    let (every, once) = (channel(Frequency::Every)?, channel(Frequency::Once)?);
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(FAR_NONE, || cpu_us_per_pair(&plain.put_get(&far, effort)?)),
            Cell::new(FAR_POOLED, || cpu_us_per_pair(&pooling.put_get(&far, effort)?)),
            Cell::new(EVERY, || cpu_us_per_pair(&every)),
            Cell::new(ONCE, || cpu_us_per_pair(&once)),
        ],
    )?;
    let measured = measured.with_difference(SAVED, FAR_NONE, FAR_POOLED).with_difference(CONNECTING, EVERY, ONCE);
    // A put and a get are two requests, each of which would connect.
    let part = measured.ratio(SAVED, CONNECTING) / 2.0;
    report.add(
        Bar::figure("CPU of MQCONN and MQDISC at a remote queue manager").value(measured.median(CONNECTING), "µs"),
    );
    report.add(
        Bar::at_least("what a pooled connection to a remote queue manager saves of MQCONN and MQDISC", 0.8)
            .value(part, "x"),
    );
    Ok(())
}

fn base(effort: &Effort) -> Choices {
    Choices {
        clients: Some(CLIENTS),
        threads: Some(1),
        request_size: Some(REQUEST_BYTES),
        warmup: Some(Span(effort.warmup)),
        duration: Some(Span(effort.rest)),
        ..Choices::default()
    }
}

/// A connection, with a full TLS handshake, for each request.
fn anew(choices: Choices) -> Choices {
    Choices { connection: Some(Connection::New), tls_resumption: Some(false), ..choices }
}

/// A server with a queue manager.
struct Host {
    server: Server,
    folder: TempDir,
}

impl Host {
    fn start(work: &Path, pool: Option<&str>) -> Result<Self> {
        let folder = tempfile::tempdir_in(work)?;
        let data = folder.path().join("data");
        write(&data.join("mqsc.d/bench.mqsc"), DEFINITIONS)?;
        let mut options = ServerOptions::on(&data).listening("127.0.0.1:0").with("--strict");
        options.environment.extend(pool.map(|size| ("QUAYMASTER_MESSAGING_MAX_POOL_SIZE".to_owned(), size.to_owned())));
        Ok(Self { server: Server::start(&options)?, folder })
    }

    fn passwords(&self) -> Result<std::path::PathBuf> {
        password_file(self.folder.path())
    }

    fn pid(&self) -> BTreeMap<String, u32> {
        BTreeMap::from([("server".to_owned(), self.server.pid())])
    }

    fn responder(&self) -> Result<Responder> {
        Responder::start(&Order {
            mq: self.server.mq_address()?,
            channel: "DEV.APP.SVRCONN",
            queue: REQUEST_QUEUE,
            connections: CLIENTS,
            response_size: REPLY_BYTES,
            passwords: &self.passwords()?,
            ca_file: None,
            habit: Habit::Streaming,
        })
    }

    fn request_reply(&self, effort: &Effort) -> Result<Choices> {
        Ok(Choices {
            scenario: Some(Scenario::RequestReply),
            url: Some(self.server.https_url()?),
            cacert: Some(self.server.ca_file()),
            login: Some(Login::Ltpa),
            password_file: Some(self.passwords()?),
            queue: Some(REQUEST_QUEUE.to_owned()),
            reply_queue: Some(REPLY_QUEUE.to_owned()),
            response_size: Some(REPLY_BYTES),
            pid: self.pid(),
            ..base(effort)
        })
    }
}

/// A server that has a remote queue manager only.
struct Tier {
    server: Server,
    _folder: TempDir,
}

impl Tier {
    fn start(work: &Path, far: &Host, pool: u32) -> Result<Self> {
        let folder = tempfile::tempdir_in(work)?;
        let data = folder.path().join("data");
        let configuration = format!(
            "[server]\nqueue_managers = []\n[messaging]\nmax_pool_size = {pool}\n[remote_queue_managers.QM1]\n\
             channel = 'DEV.APP.SVRCONN'\nconnection_name = '127.0.0.1({})'\nuser = 'app'\npassword = '{APP_PASSWORD}'\n",
            far.server.mq_address()?.port()
        );
        write(&data.join("quaymaster.toml"), &configuration)?;
        let server = Server::start(&ServerOptions::on(&data))?;
        ensure!(server.ready.line.contains("\"queueManagers\":[]"), "{}", server.ready.line);
        Ok(Self { server, _folder: folder })
    }

    /// Counted is the queue manager's server alone. One client: the connections of several would share sockets, and so make few.
    fn put_get(&self, far: &Host, effort: &Effort) -> Result<Choices> {
        Ok(Choices {
            scenario: Some(Scenario::PutGet),
            url: Some(self.server.https_url()?),
            cacert: Some(self.server.ca_file()),
            login: Some(Login::Ltpa),
            password_file: Some(far.passwords()?),
            queue: Some(REPLY_QUEUE.to_owned()),
            clients: Some(1),
            pid: far.pid(),
            ..base(effort)
        })
    }
}
