//! Clients of all kinds at any member, which record what they ask and are told.
//!
//! A connection that breaks, or whose member cannot do its work now, is given up: the client makes another one, to any member. A call
//! that gets no answer within `LIMIT` fails the test: every wait ends, whatever happens to members and database.
//!
//! Clients do not keep the members alive: processes end with the test, also when a client does not.

mod api;
mod channel;
pub(crate) mod rest;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use system_tests::http;
use system_tests::server::APP_PASSWORD;
use workload::measure::now;

use super::faults::pause;
use super::history::{History, Message, Outcome, QUEUES, Recorder, What};
use super::ledger::DRAIN;
use super::site::{Doors, Site};

/// Longest wait for the answer to any call.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);
/// Longest wait for so many answers as a round wants.
const ROUND_LIMIT: Duration = Duration::from_secs(120);
/// Of clients at the end, once all faults are over.
const LAST_CALLS: Duration = Duration::from_secs(60);
/// Digits of a message's number at the beginning of its body.
const DIGITS: usize = 16;

/// What a client does all the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Units of work, puts and gets through a client channel.
    Channel,
    /// Gets what is in order, through a client channel.
    InOrder,
    /// Messaging REST.
    Rest,
    /// Keys, deliveries and transactions of the message API.
    Api,
}

impl Role {
    pub(crate) const ALL: [Self; 12] = [
        Self::InOrder,
        Self::Channel,
        Self::Channel,
        Self::Channel,
        Self::Channel,
        Self::Channel,
        Self::Rest,
        Self::Rest,
        Self::Rest,
        Self::Api,
        Self::Api,
        Self::Api,
    ];
}

/// Why a client goes no further on a connection.
enum Stop {
    /// Another connection may do.
    Gone,
    /// Something is wrong.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// What each client has.
struct Client {
    number: u32,
    site: Weak<Site>,
    recorder: Recorder,
    random: StdRng,
    stop: Arc<AtomicBool>,
}

impl Client {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Of any member that runs.
    fn any_doors(&mut self) -> Option<Doors> {
        let site = self.site.upgrade()?;
        let members = site.members();
        members[self.random.gen_range(0..members.len())].doors()
    }

    /// The body names the message; its length differs, so that some have parts of their own in the database.
    fn body(message: &Message) -> String {
        let length = match message.id {
            id if id.is_multiple_of(211) => 300_000,
            id if id.is_multiple_of(17) => 20_000,
            id => 64 + usize::try_from(id % 3).expect("below 3") * 700,
        };
        let id = message.id;
        format!("{id:0DIGITS$}{}", ".".repeat(length - DIGITS))
    }
}

/// The message that a body names.
fn named(body: &[u8]) -> Result<u64> {
    let id =
        body.get(..DIGITS).and_then(|digits| std::str::from_utf8(digits).ok()).and_then(|digits| digits.parse().ok());
    let id: u64 = id.with_context(|| format!("no message of a client: {:?}", &body[..body.len().min(40)]))?;
    let whole = Client::body(&Message { id, queue: 0, priority: 0, stream: 0 });
    ensure!(whole.as_bytes() == body, "the body of {id} has changed");
    Ok(id)
}

/// The correlation identifier of a message, in hexadecimal digits.
pub(crate) fn correlation(id: u64) -> String {
    format!("{id:016x}{:032x}", 1)
}

pub(crate) fn connect(doors: Doors) -> Option<http::Client> {
    http::Client::connect_for(doors.http, &STANDARD.encode(format!("app:{APP_PASSWORD}")), LIMIT).ok()
}

/// A call over HTTP that has no answer: the connection has broken, or the wait does not end.
fn unanswered(error: &std::io::Error) -> Stop {
    match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => {
            Stop::Failed(anyhow!("a call over HTTP has no answer after {LIMIT:?}"))
        }
        _ => Stop::Gone,
    }
}

/// Clients at work. They end with their value, also when the test fails.
pub(crate) struct Crew {
    stop: Arc<AtomicBool>,
    history: Arc<History>,
    threads: Vec<JoinHandle<Result<()>>>,
}

impl Crew {
    pub(crate) fn start(site: &Arc<Site>, history: &Arc<History>, seed: u64, roles: &[Role]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let start = |(number, role): (u32, &Role)| {
            let client = Client {
                number,
                site: Arc::downgrade(site),
                recorder: Recorder::new(number, history),
                random: StdRng::seed_from_u64(seed ^ (u64::from(number) + 1) << 32),
                stop: Arc::clone(&stop),
            };
            let run = match role {
                Role::Channel => channel::work,
                Role::InOrder => channel::get_in_order,
                Role::Rest => rest::work,
                Role::Api => api::work,
            };
            std::thread::spawn(move || run(client).with_context(|| format!("client {number}")))
        };
        let threads = (1..).zip(roles).map(start).collect();
        Self { stop, history: Arc::clone(history), threads }
    }

    /// So many more.
    pub(crate) fn await_answers(&self, count: u64) -> Result<()> {
        let (begun, before) = (now(), self.history.answers());
        while self.history.answers() < before + count {
            ensure!(!self.threads.iter().any(JoinHandle::is_finished), "a client has ended");
            let answers = self.history.answers() - before;
            ensure!(begun.elapsed() < ROUND_LIMIT, "{answers} answers in {ROUND_LIMIT:?}");
            pause(Duration::from_millis(5));
        }
        Ok(())
    }

    /// As `end`. Of two errors, that of a client says more than that of the test that waited for it.
    fn end_after(self, worked: Result<()>) -> Result<()> {
        match (worked, self.end()) {
            (Err(worked), Err(ended)) => Err(ended.context(format!("{worked:#}"))),
            (worked, ended) => worked.and(ended),
        }
    }

    /// They end what they are at, within `LAST_CALLS`.
    fn end(mut self) -> Result<()> {
        self.stop.store(true, Ordering::Release);
        let begun = now();
        while self.threads.iter().any(|thread| !thread.is_finished()) {
            ensure!(begun.elapsed() < LAST_CALLS, "clients have not ended after {LAST_CALLS:?}");
            pause(Duration::from_millis(5));
        }
        let ended = std::mem::take(&mut self.threads)
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow!("a client panicked"))?);
        ended.collect()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
    }
}

/// Ends the clients once the test has `worked`, waits until the group is at rest, and empties its queues. When the group came to rest.
pub(crate) fn settle(site: &Site, history: &Arc<History>, crew: Crew, worked: Result<()>) -> Result<u64> {
    crew.end_after(worked).with_context(|| site.said())?;
    site.wait_until_nothing_is_held()?;
    let settled = history.time();
    drain(site, history)?;
    Ok(settled)
}

/// Empties all queues, message by message, over the first member.
fn drain(site: &Site, history: &Arc<History>) -> Result<()> {
    let mut recorder = Recorder::new(DRAIN, history);
    let doors = site.members()[0].doors().context("the first member runs")?;
    let mut connection = connect(doors).context("it answers")?;
    for queue in 0..QUEUES.len() {
        loop {
            let operation = recorder.begin(What::Get { queue, aim: None, unit: None });
            let got = rest::got(&connection.ask("DELETE", &rest::path(queue, ""), rest::TOKEN, b"")?)?;
            recorder.end(operation, Outcome::Got(got));
            if got.is_none() {
                break;
            }
        }
    }
    Ok(())
}
