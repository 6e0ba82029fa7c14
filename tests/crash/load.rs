//! The load of the kill test: clients that remember over restarts what they were told.
//!
//! Three kinds, all on one thread of this process: some put and get only what they put themselves, by correlation
//! identifier, so that every message can be accounted for; some put and take whatever comes, competing; some wait for
//! a message in the server. Bodies come in sizes from some dozen bytes to beyond what the log keeps in itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use bytes::Bytes;
use http::HeaderValue;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use system_tests::server::Server;
use workload::client::rest::RestClient;
use workload::client::{ClientError, Effect};
use workload::ledger::Ledger;
use workload::payload::{Payload, PutId};

use crate::client::client;

/// Taken from by correlation identifier only.
pub(crate) const OWN_QUEUE: &str = "DEV.QUEUE.1";
/// Taken from by whoever comes first.
pub(crate) const ANY_QUEUE: &str = "DEV.QUEUE.2";
const OWN_CLIENTS: u32 = 6;
const COMPETING_CLIENTS: u32 = 4;
const WAITING_CLIENTS: u32 = 2;
pub(crate) const CLIENTS: u32 = OWN_CLIENTS + COMPETING_CLIENTS + WAITING_CLIENTS;
/// Bytes of a body, by how often: most are small, few are of a file of their own.
const SIZES: [usize; 5] = [64, 1024, 5_000, 70_000, 1_300_000];
/// Longest wait for the wanted number of answers of one round.
const ROUND_LIMIT: Duration = Duration::from_secs(300);

/// Everybody's memory between rounds.
pub(crate) struct Clients(Vec<Member>);

struct Member {
    number: u32,
    ledger: Arc<Ledger>,
    random: StdRng,
    /// Put and not got, as far as this client knows.
    own: Vec<PutId>,
}

/// What may end a request beside an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Victim {
    /// The server that the clients talk to dies.
    Server,
    /// It lives; the queue manager behind it dies, and 503 says so.
    QueueManager,
}

/// A round in progress.
pub(crate) struct Running {
    stop: Arc<AtomicBool>,
    answers: mpsc::Receiver<()>,
    thread: std::thread::JoinHandle<Result<Clients>>,
}

impl Clients {
    pub(crate) fn new(ledger: &Arc<Ledger>, seed: u64) -> Self {
        let member = |number| Member {
            number,
            ledger: Arc::clone(ledger),
            random: StdRng::seed_from_u64(seed ^ (u64::from(number) + 1) << 32),
            own: Vec::new(),
        };
        Self((0..CLIENTS).map(member).collect())
    }

    /// The queues were emptied: what was put before is not asked for any more.
    pub(crate) fn forget_drained(&mut self) {
        self.0.iter_mut().for_each(|member| member.own.clear());
    }

    /// Sets everybody to work on this server until it dies or `join`.
    pub(crate) fn run(self, server: &Server, victim: Victim) -> Result<Running> {
        let stop = Arc::new(AtomicBool::new(false));
        let (answered, answers) = mpsc::channel();
        let mut work = Vec::new();
        for member in self.0 {
            let queue = if member.number < OWN_CLIENTS { OWN_QUEUE } else { ANY_QUEUE };
            work.push((member, client(server, queue, true)?));
        }
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || run_all(work, victim, &told, &answered));
        Ok(Running { stop, answers, thread })
    }
}

impl Running {
    /// False when the number was not reached in time, or everybody gave up.
    pub(crate) fn await_answers(&self, number: u32) -> bool {
        (0..number).all(|_| self.answers.recv_timeout(ROUND_LIMIT).is_ok())
    }

    /// Call it after the server is dead: clients then end at the next request.
    pub(crate) fn join(self) -> Result<Clients> {
        self.stop.store(true, Ordering::Release);
        self.thread.join().map_err(|_| anyhow!("a client panicked"))?
    }
}

fn run_all(
    work: Vec<(Member, RestClient)>,
    victim: Victim,
    stop: &Arc<AtomicBool>,
    answered: &mpsc::Sender<()>,
) -> Result<Clients> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let spawn = |(mut member, mut rest): (Member, RestClient)| {
            let (stop, answered) = (Arc::clone(stop), answered.clone());
            tokio::spawn(async move {
                let result = member.work(&mut rest, victim, &stop, &answered).await;
                result.map(|()| member)
            })
        };
        let tasks: Vec<_> = work.into_iter().map(spawn).collect();
        let mut members = Vec::new();
        for task in tasks {
            members.push(task.await.context("a client panicked")??);
        }
        Ok(Clients(members))
    })
}

impl Member {
    /// Requests until the server cannot be reached any more.
    async fn work(
        &mut self,
        rest: &mut RestClient,
        victim: Victim,
        stop: &AtomicBool,
        answered: &mpsc::Sender<()>,
    ) -> Result<()> {
        while !stop.load(Ordering::Acquire) {
            match self.one_request(rest).await {
                // Nobody counts any more once the server is being killed.
                Ok(()) => drop(answered.send(())),
                Err(ClientError::Connect { .. }) if victim == Victim::Server => break,
                Err(ClientError::Unanswered(_)) if victim == Victim::Server => {}
                Err(ClientError::Refused { status: 503, .. }) if victim == Victim::QueueManager => {}
                Err(error) => return Err(error).context("a request failed otherwise than by the server's death"),
            }
        }
        Ok(())
    }

    async fn one_request(&mut self, rest: &mut RestClient) -> Result<(), ClientError> {
        let puts = match self.number {
            waiting if waiting >= OWN_CLIENTS + COMPETING_CLIENTS => 0.0,
            // Together they put a little more than all on their queue take, so that messages live over restarts.
            competing if competing >= OWN_CLIENTS => 0.7,
            _ => 0.55,
        };
        if self.random.gen_bool(puts) {
            return self.put(rest).await;
        }
        if self.number < OWN_CLIENTS {
            if self.own.is_empty() {
                return self.put(rest).await;
            }
            return self.get_own(rest).await;
        }
        let wait = (puts == 0.0).then_some(Duration::from_millis(200));
        match rest.get(None, wait).await {
            Ok(None) => Ok(()),
            Ok(Some(message)) => {
                record(&self.ledger, &message.body);
                Ok(())
            }
            Err(error) => {
                self.ledger.get_failed(None, error.effect());
                Err(error)
            }
        }
    }

    async fn put(&mut self, rest: &mut RestClient) -> Result<(), ClientError> {
        let id = self.ledger.begin_put(self.number);
        let hex = id.to_hex();
        let correlation_id = HeaderValue::from_str(&hex).expect("hexadecimal digits may stand in a header");
        let result = rest.put(body(id), Some(correlation_id)).await;
        match &result {
            Ok(_) => self.ledger.put_answered(id),
            Err(error) => self.ledger.put_failed(id, error.effect()),
        }
        if self.number < OWN_CLIENTS && result.as_ref().err().is_none_or(|error| error.effect() == Effect::Unknown) {
            self.own.push(id);
        }
        result.map(|_| ())
    }

    /// A random one of its own, perhaps from rounds ago, is there exactly when it should be.
    async fn get_own(&mut self, rest: &mut RestClient) -> Result<(), ClientError> {
        let id = self.own.swap_remove(self.random.gen_range(0..self.own.len()));
        match rest.get(Some(&id.to_hex()), None).await {
            // The ledger knows whether it may be absent.
            Ok(None) => Ok(()),
            Ok(Some(message)) => {
                record(&self.ledger, &message.body);
                // Once more: it must not be there a second time.
                if self.random.gen_ratio(1, 8) {
                    self.own.push(id);
                }
                Ok(())
            }
            Err(error) => {
                self.ledger.get_failed(Some(id), error.effect());
                Err(error)
            }
        }
    }
}

/// Empties a queue: everything found goes into the ledger, and each client's messages come in the order of its puts.
pub(crate) async fn drain(rest: &mut RestClient, ledger: &Ledger) -> Result<()> {
    let mut last = std::collections::HashMap::new();
    while let Some(message) = rest.get(None, None).await? {
        let id = record(ledger, &message.body).context("a message that no client put")?;
        let before = last.insert(id.client, id.sequence);
        ensure!(before < Some(id.sequence), "client {}: {before:?} came before {}", id.client, id.sequence);
    }
    Ok(())
}

fn record(ledger: &Ledger, body: &[u8]) -> Option<PutId> {
    let intact = PutId::of(body).is_some_and(|id| self::body(id) == body);
    ledger.got(body, intact)
}

/// The one body of this identifier; its size follows from its number.
fn body(id: PutId) -> Bytes {
    let size = match id.sequence {
        n if n % 101 == 100 => SIZES[4],
        n if n % 17 == 16 => SIZES[3],
        n => SIZES[usize::try_from(n % 3).expect("below 3")],
    };
    Payload::new(size).body(&id.to_hex())
}
