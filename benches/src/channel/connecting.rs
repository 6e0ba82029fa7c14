//! Processor time of a connection: MQCONN and MQDISC on a socket of its own, against nginx's new resumed TLS connection;
//! and the published client configuration, which connects for each message.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use bytes::Bytes;
use channel_client::address::ConnectionNames;
use channel_client::client::Client;
use channel_client::options::{ConnectOptions, Credentials};
use channel_client::tls::{TlsOptions, Trust};
use model::descriptor::{Format, MessageDescriptor};
use model::identifier::CorrelationId;
use model::name::ObjectName;
use model::options::{
    CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, RootCertStore, StreamOwned};
use system_tests::server::APP_PASSWORD;
use workload::measure::processor_time;

use super::CLIENTS;
use super::setting::{PAIR_QUEUE, Setting, Transport};
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::nginx::{GET_PATH, Nginx};
use crate::report::{Bar, Report};

const RESUMED: &str = "MQCONN+MQDISC, resumed TLS";
const FULL: &str = "MQCONN+MQDISC, full TLS handshake";
const PLAIN: &str = "MQCONN+MQDISC, no TLS";
const NGINX: &str = "nginx: new resumed TLS connection, one GET";
const PUBLISHED: [&str; 3] = [
    "connect, open, put, get, close, disconnect: full TLS",
    "connect, open, put, get, close, disconnect: resumed TLS",
    "connect, open, put, get, close, disconnect: no TLS",
];
const OPEN_ONLY: &str = "connect, open, close, disconnect: no TLS";

/// What is done on each connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    OpenAndClose,
    Message,
}

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let setting = Setting::start(&effort.work)?;
    let nginx = Nginx::start(&effort.work, 1)?;
    let resuming = nginx_config(&nginx)?;
    let ours = |transport, resume, doing| {
        let client = client(&setting, transport, resume);
        let (setting, effort) = (&setting, effort);
        move || cpu_us_per_connection(setting, client.as_ref().map_err(|error| anyhow!("{error}"))?, doing, effort)
    };
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(NGINX, || nginx_cpu_us(&nginx, &resuming, effort)),
            Cell::new(RESUMED, ours(Transport::Tls, true, Doing::Nothing)),
            Cell::new(FULL, ours(Transport::Tls, false, Doing::Nothing)),
            Cell::new(PLAIN, ours(Transport::Plain, false, Doing::Nothing)),
            Cell::new(PUBLISHED[0], ours(Transport::Tls, false, Doing::Message)),
            Cell::new(PUBLISHED[1], ours(Transport::Tls, true, Doing::Message)),
            Cell::new(PUBLISHED[2], ours(Transport::Plain, false, Doing::Message)),
            Cell::new(OPEN_ONLY, ours(Transport::Plain, false, Doing::OpenAndClose)),
        ],
    )?;
    report.add(
        Bar::at_most("CPU of MQCONN+MQDISC over resumed TLS, against nginx's resumed TLS connection", 1.3)
            .ratio(&measured, RESUMED, NGINX, "µs"),
    );
    let figure = |name, of, to| Bar::figure(name).ratio(&measured, of, to, "µs");
    report.add(figure("CPU of MQCONN+MQDISC with a full TLS handshake, against resumed", FULL, RESUMED));
    report.add(figure("CPU of MQCONN+MQDISC without TLS, against resumed", PLAIN, RESUMED));
    report.add(figure(
        "CPU of a message on a connection of its own, full TLS, against MQCONN+MQDISC",
        PUBLISHED[0],
        FULL,
    ));
    report.add(figure("the same, resumed TLS", PUBLISHED[1], RESUMED));
    report.add(figure("the same, no TLS", PUBLISHED[2], PLAIN));
    let (connect, open, all) = (measured.median(PLAIN), measured.median(OPEN_ONLY), measured.median(PUBLISHED[2]));
    report.add(Bar::figure("of these, MQOPEN and MQCLOSE").value(open - connect, "µs"));
    report.add(Bar::figure("of these, MQPUT and MQGET, nonpersistent").value(all - open, "µs"));
    Ok(())
}

fn client(setting: &Setting, transport: Transport, resume: bool) -> Result<Client> {
    let names = ConnectionNames::one(setting.mq.ip().to_string(), setting.mq.port());
    let mut options = ConnectOptions::new(ObjectName::parse(transport.channel())?, names);
    options.sharing_conversations = 1;
    options.credentials = Some(Credentials { user: "app".to_owned(), password: APP_PASSWORD.to_owned() });
    options.tls = (transport == Transport::Tls)
        .then(|| TlsOptions { resume, ..TlsOptions::trusting(Trust::CaFile(setting.server.ca_file())) });
    Ok(Client::new(options)?)
}

/// Ten clients that connect and disconnect over and over on one thread.
fn cpu_us_per_connection(setting: &Setting, client: &Client, doing: Doing, effort: &Effort) -> Result<f64> {
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
        tokio::time::sleep(effort.rest).await;
        let (after, last) = (processor_time(setting.server.pid(), false)?.used, count.load(Ordering::Relaxed));
        stop.store(true, Ordering::Relaxed);
        per_one(after.saturating_sub(before), last - first)
    };
    runtime.block_on(async {
        let all = futures_join((0..CLIENTS).map(work));
        let (figure, done) = tokio::join!(timing, all);
        done?;
        figure
    })
}

/// Polls all at once on this thread.
async fn futures_join<F: Future<Output = Result<()>>>(futures: impl Iterator<Item = F>) -> Result<()> {
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
    if doing != Doing::Nothing {
        let object = ObjectDescriptor { name: ObjectName::literal(PAIR_QUEUE), ..ObjectDescriptor::default() };
        let queue = connection.open(&object, OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT).await?.handle;
        if doing == Doing::Message {
            let mut id = [0; 24];
            // All zeros would take anybody's message.
            id[..4].copy_from_slice(&(number + 1).to_be_bytes());
            let correlation_id = CorrelationId::new(id);
            let descriptor =
                MessageDescriptor { format: Format::STRING, correlation_id, ..MessageDescriptor::default() };
            let put = PutOptions { flags: PutFlags::NO_SYNCPOINT, context: None };
            connection.put(queue, descriptor, &put, Bytes::from_static(&[b'x'; 1024])).await?;
            let get = GetOptions {
                flags: GetFlags::NO_SYNCPOINT,
                match_options: MatchOptions::CORREL_ID,
                correlation_id,
                ..GetOptions::default()
            };
            ensure!(connection.get(queue, &get).await?.body.len() == 1024, "another message came back");
        }
        connection.close(queue, CloseOptions::empty()).await?;
    }
    Ok(connection.disconnect().await?)
}

fn nginx_config(nginx: &Nginx) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(&nginx.certificate)? {
        roots.add(certificate?)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Two threads that connect, ask once and hang up.
fn nginx_cpu_us(nginx: &Nginx, config: &Arc<ClientConfig>, effort: &Effort) -> Result<f64> {
    let address: SocketAddr = nginx.url.trim_start_matches("https://").parse()?;
    visit_nginx(address, config)?;
    let (stop, count, full) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let work = || -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            if visit_nginx(address, config)? != HandshakeKind::Resumed {
                full.fetch_add(1, Ordering::Relaxed);
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        std::thread::sleep(effort.warmup);
        let used =
            || -> Result<Duration> { nginx.workers.iter().map(|&pid| Ok(processor_time(pid, false)?.used)).sum() };
        let (before, first) = (used()?, count.load(Ordering::Relaxed));
        std::thread::sleep(effort.rest);
        let (after, last) = (used()?, count.load(Ordering::Relaxed));
        stop.store(true, Ordering::Relaxed);
        for thread in running {
            thread.join().map_err(|_| anyhow!("a client panicked"))??;
        }
        let full = full.load(Ordering::Relaxed);
        ensure!(full * 20 <= last, "{full} of {last} handshakes were not resumed");
        per_one(after.saturating_sub(before), last - first)
    })
}

fn visit_nginx(address: SocketAddr, config: &Arc<ClientConfig>) -> Result<HandshakeKind> {
    use std::io::{Read, Write};
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from(address.ip().to_string())?;
    let mut tls = StreamOwned::new(ClientConnection::new(Arc::clone(config), name)?, stream);
    write!(tls, "GET {GET_PATH} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    // It may close without saying goodbye.
    let _ = tls.read_to_end(&mut answer);
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "nginx answered otherwise");
    tls.conn.handshake_kind().context("the handshake is over")
}

fn per_one(used: Duration, count: u64) -> Result<f64> {
    ensure!(count > 0, "nothing was completed");
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 connections")]
    Ok(used.as_secs_f64() * 1e6 / count as f64)
}
