//! Administration: what listing queues costs, beside what the published report and two brokers of today need for theirs.
//!
//! Plain HTTP over kept connections, one client unless said otherwise. Processor time is that of the server's process,
//! from its start to the end of its last request, divided by the requests; a cell asks as long as its time lasts.
//! Published figures: processor milliseconds a request of the mqweb server on z/OS, 1000 / 2000 / 3000 queues: all
//! attributes 195 / 370 / 561, chosen ones 93 / 169 / 246.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::{ADMIN_PASSWORD, Server, ServerOptions};

use crate::artemis::Artemis;
use crate::effort::Effort;
use crate::interleave::{Cell, Measured, interleave, median};
use crate::listing::{Client, Listed, Request};
use crate::nginx::{GET_PATH, Nginx, POST_PATH};
use crate::rabbitmq::RabbitMq;
use crate::report::{Bar, Report};

/// Numbers of queues: the published ones, and one beyond.
const SIZES: [usize; 5] = [9, 1000, 2000, 3000, 10_000];
const ALL: [&str; 5] =
    ["9 queues, all", "1000 queues, all", "2000 queues, all", "3000 queues, all", "10000 queues, all"];
const THREE: [&str; 5] = [
    "9 queues, name type depth",
    "1000 queues, name type depth",
    "2000 queues, name type depth",
    "3000 queues, name type depth",
    "10000 queues, name type depth",
];
const ONE_READER: &str = "1000 queues, all, one reader";
const FIFTY_READERS: &str = "1000 queues, all, fifty readers";
const INDEX: &str = "nginx: no-op POST + static GET, plain HTTP";
const ARTEMIS_ALL: &str = "Artemis 2.39 listQueues, 3000";
const ARTEMIS_THREE: &str = "Artemis 2.39 name type messages, 3000";
const RABBIT_ALL: &str = "RabbitMQ /api/queues, 3000";
const RABBIT_THREE: &str = "RabbitMQ ?columns=name,type,messages, 3000";
/// The nginx pair on the machine that the bar of three attributes was set on, in milliseconds.
const INDEX_OF_THE_BAR_MS: f64 = 0.036;
/// Java compiles while it warms up.
const PEER_WARMUP: Duration = Duration::from_secs(15);
const READERS: usize = 50;
/// USER_HZ of Linux on every platform this runs on.
const TICK_MS: f64 = 10.0;

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let data = folder.path().join("data");
    let server = Server::start(&ServerOptions::on(&data))?;
    let address = server.ready.http.context("a plain listener")?;
    define_queues(&data, report)?;
    let listed = Listings { pid: server.pid(), address, time: effort.rest / 4, seen: RefCell::default() };
    grow(effort, &listed, report)?;
    together(effort, &listed, report)?;
    beside_peers(effort, &listed, report)
}

/// 3000 definitions through `runmqsc`, each durable before the next; then the other groups of queues.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn define_queues(data: &Path, report: &mut Report) -> Result<()> {
    let mut took = Duration::ZERO;
    for size in SIZES {
        let mut script = String::new();
        for number in 0..size {
            writeln!(script, "DEFINE QLOCAL({}.{number:05})", group(size))?;
        }
        let started = Instant::now();
        runmqsc(data, &script)?;
        if size == 3000 {
            took = started.elapsed();
        }
    }
    report.add(Bar::at_most("3000 DEFINE QLOCAL through runmqsc", 1.0).value(took.as_secs_f64(), "s"));
    Ok(())
}

/// Runs a script on QM1.
///
/// # Errors
/// A command failed.
pub(crate) fn runmqsc(data: &Path, script: &str) -> Result<()> {
    let mut runmqsc = Command::new(quaymaster()?)
        .args(["runmqsc", "--data"])
        .arg(data)
        .arg("QM1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    runmqsc.stdin.take().context("standard input is a pipe")?.write_all(script.as_bytes())?;
    let status = runmqsc.wait()?;
    ensure!(status.success(), "runmqsc: {status}");
    Ok(())
}

/// Queues of one list have a name in common.
fn group(size: usize) -> String {
    format!("N{size}")
}

/// Lists of our server.
struct Listings {
    pid: u32,
    address: SocketAddr,
    time: Duration,
    /// Medians of what cells saw beside processor time.
    seen: RefCell<Vec<(&'static str, Listed)>>,
}

impl Listings {
    fn request(&self, size: usize, what: &str, at_least: usize) -> Request {
        let path = format!("/ibmmq/rest/v1/admin/qmgr/QM1/queue?name={}.*&{what}", group(size));
        let head =
            format!("GET {path} HTTP/1.1\r\nAuthorization: Basic {}", base64(&format!("admin:{ADMIN_PASSWORD}")));
        Request { address: self.address, head, body: String::new(), at_least }
    }

    fn all(&self, size: usize) -> Request {
        self.request(size, "attributes=*", size * 1000)
    }

    /// Name and type are always there.
    fn three(&self, size: usize) -> Request {
        self.request(size, "status=status.currentDepth", size * 40)
    }

    /// Processor milliseconds a request.
    fn measure(&self, name: &'static str, request: &Request) -> Result<f64> {
        let (cpu_ms, listed) = cpu_ms_per_request(&[self.pid], request, self.time)?;
        self.seen.borrow_mut().push((name, listed));
        Ok(cpu_ms)
    }

    fn median_ms(&self, name: &str, part: impl Fn(&Listed) -> Duration) -> f64 {
        let seen = self.seen.borrow();
        median(seen.iter().filter(|(cell, _)| *cell == name).map(|(_, one)| part(one).as_secs_f64() * 1e3).collect())
    }
}

/// All sizes in turns: cost by number of queues, and how soon an answer begins.
fn grow(effort: &Effort, listings: &Listings, report: &mut Report) -> Result<()> {
    let mut cells = Vec::new();
    for (index, size) in SIZES.into_iter().enumerate() {
        let (all, three) = (listings.all(size), listings.three(size));
        cells.push(Cell::new(ALL[index], move || listings.measure(ALL[index], &all)));
        cells.push(Cell::new(THREE[index], move || listings.measure(THREE[index], &three)));
    }
    let measured = interleave(effort.rounds, cells)?;
    for index in 0..SIZES.len() {
        for name in [ALL[index], THREE[index]] {
            report.add(Bar::figure(name).value(measured.median(name), "ms CPU"));
            eprintln!("  {name}: whole answer after {:.2} ms", listings.median_ms(name, |one| one.whole));
        }
    }
    let bytes = listings.seen.borrow().iter().find(|(name, _)| *name == ALL[3]).map_or(0, |(_, one)| one.bytes);
    report.add(Bar::figure("bytes of 3000 queues, all attributes").value(whole(bytes), "bytes"));
    report.add(
        Bar::at_most("first byte of 3000 queues, all attributes", 5.0)
            .value(listings.median_ms(ALL[3], |one| one.first_byte), "ms"),
    );
    report.add(
        Bar::figure("round trip of 3000 queues, all attributes")
            .value(listings.median_ms(ALL[3], |one| one.whole), "ms"),
    );
    report.add(
        Bar::at_most("CPU a queue, 10000 queues against 1000, all attributes", 1.25)
            .value(measured.ratio(ALL[4], ALL[1]) / 10.0, "x"),
    );
    report.add(
        Bar::at_most("CPU a queue, 10000 queues against 1000, name type depth", 1.25)
            .value(measured.ratio(THREE[4], THREE[1]) / 10.0, "x"),
    );
    Ok(())
}

/// Fifty at once cost a request what one does.
fn together(effort: &Effort, listings: &Listings, report: &mut Report) -> Result<()> {
    let request = listings.all(1000);
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(ONE_READER, || listings.measure(ONE_READER, &request)),
            Cell::new(FIFTY_READERS, || cpu_ms_of_many(&[listings.pid], &request, listings.time * 3)),
        ],
    )?;
    report.add(Bar::at_most("CPU a list, fifty readers against one", 1.15).ratio(
        &measured,
        FIFTY_READERS,
        ONE_READER,
        "ms",
    ));
    Ok(())
}

/// The same list of 3000 queues from brokers of today, in turns with ours. One that cannot be had is left out and said so.
fn beside_peers(effort: &Effort, listings: &Listings, report: &mut Report) -> Result<()> {
    const COUNT: usize = 3000;
    let nginx = Nginx::start(&effort.work, 1024)?;
    let artemis =
        left_out("Artemis", Artemis::start(&effort.work).and_then(|peer| peer.create_queues(COUNT).map(|()| peer)));
    let rabbit =
        left_out("RabbitMQ", RabbitMq::start(&effort.work).and_then(|peer| peer.create_queues(COUNT).map(|()| peer)));
    let (all, three) = (listings.all(COUNT), listings.three(COUNT));
    let time = listings.time * 3;
    let mut cells = vec![
        Cell::new(INDEX, || index_ms(&nginx, listings.time)),
        Cell::new(ALL[3], || listings.measure(ALL[3], &all)),
        Cell::new(THREE[3], || listings.measure(THREE[3], &three)),
    ];
    if let Some(artemis) = &artemis {
        let (pid, all, three) = (artemis.pid(), artemis.list_all(COUNT), artemis.list_three(COUNT));
        for request in [&all, &three] {
            cpu_ms_per_request(&[pid], request, PEER_WARMUP.min(effort.rest * 4))?;
        }
        cells.push(Cell::new(ARTEMIS_ALL, move || Ok(cpu_ms_per_request(&[pid], &all, time)?.0)));
        cells.push(Cell::new(ARTEMIS_THREE, move || Ok(cpu_ms_per_request(&[pid], &three, time)?.0)));
    }
    if let Some(rabbit) = &rabbit {
        let (pid, all, three) = (rabbit.pid()?, rabbit.list_all(COUNT), rabbit.list_three(COUNT));
        cpu_ms_per_request(&[pid], &all, time)?;
        cells.push(Cell::new(RABBIT_ALL, move || Ok(cpu_ms_per_request(&[pid], &all, time)?.0)));
        cells.push(Cell::new(RABBIT_THREE, move || Ok(cpu_ms_per_request(&[pid], &three, time)?.0)));
    }
    let measured = interleave(effort.rounds, cells)?;
    judge(&measured, artemis.is_some(), rabbit.is_some(), report);
    Ok(())
}

fn judge(measured: &Measured, has_artemis: bool, has_rabbit: bool, report: &mut Report) {
    report.add(Bar::figure(INDEX).value(measured.median(INDEX), "ms CPU"));
    report.add(
        Bar::at_most("CPU of name, type and depth of 3000 queues, at an index of 0.036 ms", 1.5)
            .value(measured.ratio(THREE[3], INDEX) * INDEX_OF_THE_BAR_MS, "ms CPU"),
    );
    if has_artemis {
        let bar = Bar::at_most("CPU of 3000 queues, all attributes, against Artemis", 1.0 / 6.0);
        report.add(bar.ratio(measured, ALL[3], ARTEMIS_ALL, "ms"));
        let bar = Bar::figure("CPU of name, type and depth of 3000, against Artemis");
        report.add(bar.ratio(measured, THREE[3], ARTEMIS_THREE, "ms"));
    }
    if has_rabbit {
        let bar = Bar::at_most("CPU of 3000 queues, all attributes, against RabbitMQ", 1.0 / 60.0);
        report.add(bar.ratio(measured, ALL[3], RABBIT_ALL, "ms"));
        let bar = Bar::figure("CPU of name, type and depth of 3000, against RabbitMQ");
        report.add(bar.ratio(measured, THREE[3], RABBIT_THREE, "ms"));
    }
}

fn left_out<T>(name: &str, started: Result<T>) -> Option<T> {
    match started {
        Ok(peer) => Some(peer),
        Err(problem) => {
            eprintln!("  {name} is left out: {problem:#}");
            None
        }
    }
}

/// Processor milliseconds of nginx for a pair of no-op requests.
fn index_ms(nginx: &Nginx, time: Duration) -> Result<f64> {
    let address: SocketAddr = nginx.plain.parse()?;
    let request = |method: &str, path: &str| Request {
        address,
        head: format!("{method} {path} HTTP/1.1"),
        body: if method == "POST" { "x".repeat(1024) } else { String::new() },
        at_least: 0,
    };
    let mut clients = [Client::connect(&request("POST", POST_PATH))?, Client::connect(&request("GET", GET_PATH))?];
    let before = cpu_ms(&nginx.workers)?;
    let pairs = repeat(time, || {
        for client in &mut clients {
            client.ask_any()?;
        }
        Ok(())
    })?;
    Ok((cpu_ms(&nginx.workers)? - before) / whole(pairs))
}

/// Also the median answer.
pub(crate) fn cpu_ms_per_request(pids: &[u32], request: &Request, time: Duration) -> Result<(f64, Listed)> {
    let mut client = Client::connect(request)?;
    let mut answers = vec![client.ask()?];
    let before = cpu_ms(pids)?;
    let count = repeat(time, || {
        answers.push(client.ask()?);
        Ok(())
    })?;
    let cpu_ms = (cpu_ms(pids)? - before) / whole(count);
    answers.sort_by_key(|answer| answer.first_byte);
    let first_byte = answers[answers.len() / 2].first_byte;
    answers.sort_by_key(|answer| answer.whole);
    Ok((cpu_ms, Listed { first_byte, ..answers[answers.len() / 2] }))
}

/// Many clients, each asking again as soon as it has its answer.
fn cpu_ms_of_many(pids: &[u32], request: &Request, time: Duration) -> Result<f64> {
    let before = cpu_ms(pids)?;
    let total: usize = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = Client::connect(request)?;
                    repeat(time, || client.ask().map(drop))
                })
            })
            .collect();
        let counts = readers.into_iter().map(|reader| reader.join().expect("a reader does not panic"));
        counts.sum::<Result<usize>>()
    })?;
    Ok((cpu_ms(pids)? - before) / whole(total))
}

/// How often within the time; at least once.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn repeat(time: Duration, mut once: impl FnMut() -> Result<()>) -> Result<usize> {
    let started = Instant::now();
    let mut count = 0;
    while count == 0 || started.elapsed() < time {
        once()?;
        count += 1;
    }
    Ok(count)
}

/// User and system time of processes, those of ended threads included.
fn cpu_ms(pids: &[u32]) -> Result<f64> {
    let mut ticks = 0;
    for pid in pids {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let fields = text.rsplit_once(") ").context("a process has a name")?.1;
        let number = |index: usize| fields.split(' ').nth(index).and_then(|field| field.parse::<u64>().ok());
        ticks += number(11).zip(number(12)).map(|(user, system)| user + system).context("times are numbers")?;
    }
    Ok(whole(usize::try_from(ticks)?) * TICK_MS)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn whole(count: usize) -> f64 {
    count as f64
}

/// Of short ASCII texts; a benchmark needs no more.
pub(crate) fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let digit = usize::try_from(group >> (18 - 6 * index) & 63).unwrap_or(0);
            out.push(if index <= chunk.len() { char::from(DIGITS[digit]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn credentials_are_base64() {
        for (text, expected) in [("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("admin:admin", "YWRtaW46YWRtaW4=")] {
            assert_eq!(super::base64(text), expected);
        }
    }
}
