//! The message API: what its requests cost the server beside those of messaging REST, what a key and an open page cost.
//!
//! Plain HTTP over kept connections, so that what differs is a large part of what is measured. Processor time is that of the
//! server's threads, read before and after a piece of work; what fills and empties queues lies between pieces.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use system_tests::http::{Answer, Client};
use system_tests::server::{APP_PASSWORD, Server};
use workload::processor::run_time_of_all;

use crate::admin::base64;
use crate::awake::Awake;
use crate::effort::Effort;
use crate::interleave::{Cell, interleave, median};
use crate::lifecycle::unlimited;
use crate::machine::memory;
use crate::report::{Bar, Report};

const SIZE: usize = 1024;
/// Messages of one piece of work; a queue has room for more.
const PIECE: usize = 4000;
const BATCH: usize = 100;
/// Deliveries that are open at the same time.
const OPEN: usize = 10_000;
const TOGETHER: usize = 10;
/// Clients at once: a server that is woken for each request pays for the waking.
const CLIENTS: usize = 5;
const QUEUE: &str = "DEV.QUEUE.2";
/// Without a limit of depth.
const DEEP_QUEUE: &str = "DEV.QUEUE.1";
const IBM: &str = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.2/message";
const TEXT: &str = "Content-Type: text/plain;charset=utf-8\r\n";
const JSON: &str = "Content-Type: application/json\r\n";
const LINES: &str = "Content-Type: application/x-ndjson\r\n";
const CSRF: &str = "ibm-mq-rest-csrf-token: x\r\n";
const PERSISTENT: &str = "mq-persistence: persistent\r\n";
/// Pages of a deep queue that are looked at, and how often each.
const PLACES: usize = 10;
const LOOKS: usize = 20;

const REST_PAIR: &str = "messaging REST: POST and DELETE";
const API_PAIR: &str = "message API: POST and DELETE";
const SINGLE: &str = "message API: one put a request";
const IN_BATCH: &str = "message API: 100 puts a request";
const DELIVERED: &str = "message API: receive and complete ten at a time";
const PLAIN_PUT: &str = "message API: persistent put";
const KEYED_PUT: &str = "message API: persistent put with a key";

/// # Errors
/// The server does not start, or refuses something.
pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let _awake = Awake::keep();
    requests(effort, report)?;
    keys(effort, report)?;
    open_deliveries(effort, report)?;
    pages(effort, report)
}

fn requests(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let server = Server::start(&unlimited(folder.path())?)?;
    let load = Load { pid: server.pid(), address: server.ready.http.context("a plain listener")?, time: effort.rest };
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(REST_PAIR, || load.measure(&|| Ok(()), &Load::rest_pairs, PIECE)),
            Cell::new(API_PAIR, || load.measure(&|| Ok(()), &Load::api_pairs, PIECE)),
            Cell::new(SINGLE, || load.measure(&|| load.empty(), &Load::singles, PIECE)),
            Cell::new(IN_BATCH, || load.measure(&|| load.empty(), &Load::batches, PIECE)),
            Cell::new(DELIVERED, || load.measure(&|| load.batches(), &Load::deliveries, PIECE)),
            Cell::new(PLAIN_PUT, || load.measure(&|| load.empty(), &|load| load.persistent(false), PIECE)),
            Cell::new(KEYED_PUT, || load.measure(&|| load.empty(), &|load| load.persistent(true), PIECE)),
        ],
    )?;
    for (bar, ours, peer) in [
        (Bar::at_most("CPU of a put and get by the message API, against messaging REST", 1.15), API_PAIR, REST_PAIR),
        (Bar::at_most("CPU of a message in a batch of 100, against a single put", 0.25), IN_BATCH, SINGLE),
        (Bar::at_most("CPU of receive and complete by ten, against POST and DELETE", 0.5), DELIVERED, REST_PAIR),
        (Bar::at_most("CPU of a persistent put with a key, against one without", 1.15), KEYED_PUT, PLAIN_PUT),
    ] {
        report.add(bar.ratio(&measured, ours, peer, "µs"));
    }
    Ok(())
}

/// A server under requests of a few kinds.
struct Load {
    pid: u32,
    address: SocketAddr,
    time: Duration,
}

impl Load {
    fn connect(&self) -> Result<Client> {
        Client::connect(self.address, &base64(&format!("app:{APP_PASSWORD}")))
    }

    /// Microseconds of processor time for each of `count`, over pieces for as long as a cell lasts.
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    fn measure(
        &self,
        before: &dyn Fn() -> Result<()>,
        piece: &dyn Fn(&Self) -> Result<()>,
        count: usize,
    ) -> Result<f64> {
        let started = Instant::now();
        let (mut spent, mut pieces) = (Duration::ZERO, 0_u32);
        while pieces < 2 || started.elapsed() < self.time {
            self.empty()?;
            before()?;
            let at_first = run_time_of_all(&[self.pid]);
            piece(self)?;
            spent += run_time_of_all(&[self.pid]) - at_first;
            pieces += 1;
        }
        self.empty()?;
        Ok(spent.as_secs_f64() * 1e6 / f64::from(pieces) / whole(count))
    }

    fn empty(&self) -> Result<()> {
        let mut client = self.connect()?;
        loop {
            let path = format!("{}?max=1000&body=none", messages(QUEUE));
            if good(client.ask("DELETE", &path, "", b"")?)?.body.len() < 50 {
                return Ok(());
            }
        }
    }

    fn rest_pairs(&self) -> Result<()> {
        let (headers, body) = (format!("{TEXT}{CSRF}"), [b'x'; SIZE]);
        self.at_once(PIECE / CLIENTS, &|client, _| {
            good(client.ask("POST", IBM, &headers, &body)?)?;
            good(client.ask("DELETE", IBM, CSRF, b"")?).map(drop)
        })
    }

    fn api_pairs(&self) -> Result<()> {
        let (path, body) = (messages(QUEUE), [b'x'; SIZE]);
        self.at_once(PIECE / CLIENTS, &|client, _| {
            good(client.ask("POST", &path, TEXT, &body)?)?;
            good(client.ask("DELETE", &path, "", b"")?).map(drop)
        })
    }

    fn singles(&self) -> Result<()> {
        let (path, body) = (messages(QUEUE), [b'x'; SIZE]);
        self.at_once(PIECE / CLIENTS, &|client, _| good(client.ask("POST", &path, TEXT, &body)?).map(drop))
    }

    fn batches(&self) -> Result<()> {
        let (path, body) = (messages(QUEUE), lines(BATCH, SIZE));
        self.at_once(PIECE / BATCH / CLIENTS, &|client, _| good(client.ask("POST", &path, LINES, &body)?).map(drop))
    }

    fn deliveries(&self) -> Result<()> {
        let path = format!("{BASE}/queue/{QUEUE}/deliveries");
        let wanted = json!({ "max": TOGETHER, "lock": "60s" }).to_string();
        self.at_once(PIECE / TOGETHER / CLIENTS, &|client, _| {
            let received = good(client.ask("POST", &path, JSON, wanted.as_bytes())?)?.json();
            let received = received["messages"].as_array().context("a list")?;
            ensure!(received.len() == TOGETHER, "{} deliveries", received.len());
            let complete = |one: &Value| json!({ "token": one["token"], "action": "complete" });
            let wishes = json!({ "settle": received.iter().map(complete).collect::<Vec<_>>() }).to_string();
            let settled = good(client.ask("POST", &format!("{BASE}/deliveries/settle"), JSON, wishes.as_bytes())?)?;
            ensure!(!settled.text().contains("error"), "{}", settled.text());
            Ok(())
        })
    }

    /// Of several clients, which share the syncs of the log.
    fn persistent(&self, has_key: bool) -> Result<()> {
        self.at_once(PIECE / CLIENTS, &|client, key| {
            let headers = match has_key {
                true => format!("{TEXT}{PERSISTENT}Idempotency-Key: {key}\r\n"),
                false => format!("{TEXT}{PERSISTENT}"),
            };
            good(client.ask("POST", &messages(QUEUE), &headers, &[b'x'; SIZE])?).map(drop)
        })
    }

    /// So many requests of each client; each has a number of its own.
    fn at_once(&self, each: usize, request: &(dyn Fn(&mut Client, u64) -> Result<()> + Sync)) -> Result<()> {
        let run: u64 = rand::random::<u64>() << 32;
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    scope.spawn(move || {
                        let mut connection = self.connect()?;
                        (0..each).try_for_each(|number| request(&mut connection, run + (client * each + number) as u64))
                    })
                })
                .collect();
            clients.into_iter().try_for_each(|client| client.join().expect("a client does not panic"))
        })
    }
}

/// Memory of keys: of transactions that do nothing else.
fn keys(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let server = Server::start(&unlimited(folder.path())?)?;
    let load = Load { pid: server.pid(), address: server.ready.http.context("a plain listener")?, time: effort.rest };
    let transaction = |client: &mut Client, key: u64| {
        let headers = format!("{JSON}Idempotency-Key: {key}\r\n");
        good(client.ask("POST", &format!("{BASE}/transactions"), &headers, b"{}")?).map(drop)
    };
    // What a server under load has once, whatever it keeps.
    load.at_once(1000, &transaction)?;
    let before = memory(server.pid())?.proportional;
    let each = usize::try_from(effort.messages)? / CLIENTS;
    load.at_once(each, &transaction)?;
    let grown = memory(server.pid())?.proportional.saturating_sub(before);
    let of_a_million = whole(usize::try_from(grown)?) / whole(each * CLIENTS);
    report.add(Bar::at_most("memory of a million keys", 150.0).value(of_a_million, "MB"));
    Ok(())
}

/// Memory of deliveries that are neither settled nor expired.
fn open_deliveries(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let server = Server::start(&unlimited(folder.path())?)?;
    let load = Load { pid: server.pid(), address: server.ready.http.context("a plain listener")?, time: effort.rest };
    let mut client = load.connect()?;
    let body = lines(1000, SIZE);
    for _ in 0..OPEN / 1000 {
        good(client.ask("POST", &messages(DEEP_QUEUE), LINES, &body)?)?;
    }
    let before = memory(server.pid())?.proportional;
    let path = format!("{BASE}/queue/{DEEP_QUEUE}/deliveries");
    let wanted = json!({ "max": BATCH, "lock": "10m", "body": "none" }).to_string();
    for _ in 0..OPEN / BATCH {
        let received = good(client.ask("POST", &path, JSON, wanted.as_bytes())?)?.json();
        let received = received["messages"].as_array().context("a list")?.len();
        ensure!(received == BATCH, "{received} deliveries of {BATCH}");
    }
    let grown = memory(server.pid())?.proportional.saturating_sub(before);
    let each = whole(usize::try_from(grown)?) / whole(OPEN) / 1024.0;
    report.add(Bar::at_most("memory of an open delivery, of 10,000", 20.0).value(each, "KiB"));
    Ok(())
}

/// Pages of a deep queue, at places all over it.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn pages(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let server = Server::start(&unlimited(folder.path())?)?;
    let load = Load { pid: server.pid(), address: server.ready.http.context("a plain listener")?, time: effort.rest };
    let mut client = load.connect()?;
    let depth = usize::try_from(effort.messages)?;
    let body = lines(1000, 64);
    for _ in 0..depth / 1000 {
        good(client.ask("POST", &messages(DEEP_QUEUE), LINES, &body)?)?;
    }
    let mut cursors = vec![String::new()];
    while let Some(cursor) = {
        let last = cursors.last().map_or("", String::as_str);
        let page =
            good(client.ask("GET", &format!("{}?limit=1000&body=none{last}", messages(DEEP_QUEUE)), "", b"")?)?;
        page.json()["cursor"].as_str().map(|cursor| format!("&cursor={cursor}"))
    } {
        cursors.push(cursor);
    }
    ensure!(cursors.len() >= depth / 1000, "{} pages of {depth} messages", cursors.len());
    let mut slowest: f64 = 0.0;
    for place in 0..PLACES {
        let path = format!("{}?limit=100{}", messages(DEEP_QUEUE), cursors[(cursors.len() - 1) * place / PLACES]);
        let mut took = Vec::new();
        for _ in 0..LOOKS {
            let started = Instant::now();
            let page = good(client.ask("GET", &path, "", b"")?)?;
            took.push(started.elapsed().as_secs_f64() * 1e3);
            ensure!(page.json()["messages"].as_array().is_some_and(|list| list.len() == 100), "a page of 100");
        }
        eprintln!("  page at {place}/{PLACES}: {:.2} ms", median(took.clone()));
        slowest = slowest.max(median(took));
    }
    let bar = Bar::at_most("page of 100 messages anywhere in a queue of a million", 5.0);
    report.add(bar.value(slowest, "ms"));
    Ok(())
}

const BASE: &str = "/api/v1/qmgr/QM1";

fn messages(queue: &str) -> String {
    format!("{BASE}/queue/{queue}/messages")
}

fn lines(count: usize, size: usize) -> Vec<u8> {
    let mut lines = String::new();
    for _ in 0..count {
        writeln!(lines, "{{\"body\":{{\"text\":\"{}\"}}}}", "x".repeat(size)).expect("writing into a String succeeds");
    }
    lines.into_bytes()
}

fn good(answer: Answer) -> Result<Answer> {
    ensure!((200..300).contains(&answer.status), "{} {}", answer.status, answer.text());
    Ok(answer)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn whole(count: usize) -> f64 {
    count as f64
}
