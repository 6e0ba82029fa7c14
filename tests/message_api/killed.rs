//! The process killed with SIGKILL while clients put with keys, hold deliveries and run transactions.
//!
//! A request with a key that was not answered is repeated after the restart, with its key and its bytes: it was done, and the
//! first answer comes, or it is done now, or it can never be done (a transaction of deliveries that ended with the process). Then
//! nothing of it may be found. A completion without an answer cannot be repeated after a restart, because its token is gone: its
//! message is off the queue or comes again.
//!
//! Clients also leave the server in the middle of a request with a key and repeat it at once on another connection.
//!
//! `QUAYMASTER_KILL_ROUNDS` and `QUAYMASTER_SEED` are those of the crash test; half as many rounds.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use bytes::Bytes;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use system_tests::http::{Answer, Client};
use system_tests::server::{Server, ServerOptions};
use workload::client::Effect;
use workload::ledger::Ledger;
use workload::payload::{Payload, PutId};

use super::{BASE, JSON, connect, connect_to, messages, take_texts, text};
use crate::crash::setting;

const QUEUES: [&str; 2] = ["DEV.QUEUE.1", "DEV.QUEUE.2"];
const CLIENTS: u32 = 6;
/// Longest wait for the answers of a round.
const ROUND_LIMIT: Duration = Duration::from_secs(300);
/// Repetitions of a request that finds its first one at work.
const MOST_REPETITIONS: u32 = 2_000;

#[test]
fn keys_deliveries_and_transactions_are_done_once_when_the_server_is_killed_under_load() -> Result<()> {
    let rounds = setting("QUAYMASTER_KILL_ROUNDS")?.map_or(5, |rounds: u32| rounds.div_ceil(2).max(5));
    let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
    eprintln!("message API kill test: {rounds} rounds, QUAYMASTER_SEED={seed}");
    kill_repeatedly(rounds, seed).with_context(|| format!("QUAYMASTER_SEED={seed}"))
}

fn kill_repeatedly(rounds: u32, seed: u64) -> Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let data = tempfile::tempdir()?;
    let options = ServerOptions::on(data.path());
    let shared = Arc::new(Shared { ledger: Ledger::new(seed, CLIENTS), ids: Mutex::default(), held: Mutex::default() });
    let mut members: Vec<Member> = (0..CLIENTS).map(|number| Member::new(number, &shared, seed)).collect();
    for round in 1..=rounds {
        let server = Server::start(&options).with_context(|| format!("start of round {round}"))?;
        let running = run(members, &server)?;
        let reached = running.await_answers(random.gen_range(50..800));
        let said = server.kill();
        members = running.join().with_context(|| format!("round {round}: {said}"))?;
        ensure!(reached && !said.contains("panicked"), "round {round}: {said}");
        shared.held().clear();
    }
    judge(&options, &shared, members)
}

/// Repeats what is still unanswered, empties the queues, and judges.
fn judge(options: &ServerOptions, shared: &Shared, mut members: Vec<Member>) -> Result<()> {
    let server = Server::start(options).context("the last start")?;
    let mut client = connect(&server)?;
    let address = server.ready.http.context("an address")?;
    let mut count = Counts::default();
    for member in &mut members {
        member.client = Some(connect(&server)?);
        match member.repeat_unanswered(address) {
            Ok(()) => {}
            Err(Stop::Gone) => bail!("the server went away at the end"),
            Err(Stop::Failed(error)) => return Err(error),
        }
        count.add(&member.count);
    }
    for queue in QUEUES {
        for text in take_texts(&mut client, queue)? {
            shared.ledger.got(text.as_bytes(), is_intact(&text)).context("a message that no client put")?;
        }
    }
    let verdict = shared.ledger.verdict(true);
    eprintln!("message API kill test: {verdict:?} {count:?}");
    ensure!(verdict.lost == Some(0), "answered puts are gone: {verdict:?}");
    ensure!(verdict.is_clean() && verdict.foreign == 0, "{verdict:?}");
    ensure!(verdict.unknown_puts == 0, "a request with a key has an answer in the end: {verdict:?}");
    ensure!(verdict.got > 0 && count.transactions > 0 && count.completions > 0, "the load did nothing: {count:?}");
    ensure!(count.replays > 0 && count.left > 0, "nothing was repeated: {count:?}");
    let (status, said) = server.terminate()?;
    ensure!(status.success(), "the server ended with {status}: {said}");
    Ok(())
}

/// What all clients know together.
struct Shared {
    ledger: Ledger,
    /// The message ids that answers have named.
    ids: Mutex<HashMap<PutId, String>>,
    /// In the hands of a client: no other may have it.
    held: Mutex<HashSet<PutId>>,
}

impl Shared {
    fn held(&self) -> std::sync::MutexGuard<'_, HashSet<PutId>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer names the message of a put: always the same one.
    fn named(&self, put: PutId, id: &str) -> Result<()> {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ids.entry(put).or_insert_with(|| id.to_owned());
        ensure!(known == id, "{put:?} is message {known}, and now {id}");
        Ok(())
    }
}

#[derive(Debug, Default, Clone)]
struct Counts {
    transactions: u32,
    completions: u32,
    /// Answers that were those of a request before.
    replays: u32,
    /// Transactions that were not done and never will be.
    undone: u32,
    /// Requests whose client went away in the middle.
    left: u32,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.transactions += other.transactions;
        self.completions += other.completions;
        self.replays += other.replays;
        self.undone += other.undone;
        self.left += other.left;
    }
}

/// A request with a key.
#[derive(Clone)]
struct Keyed {
    path: String,
    headers: String,
    body: Vec<u8>,
    /// What it puts, in the order of its answer.
    puts: Vec<PutId>,
    /// What it completes.
    completes: Vec<PutId>,
}

struct Member {
    number: u32,
    shared: Arc<Shared>,
    random: StdRng,
    client: Option<Client>,
    keys: u64,
    unanswered: Vec<Keyed>,
    /// Answered, with the answer: to be repeated once in a while.
    answered: Option<(Keyed, Vec<u8>)>,
    count: Counts,
}

/// Why a client stops.
enum Stop {
    /// The server is gone.
    Gone,
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<std::io::Error> for Stop {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

struct Running {
    stop: Arc<AtomicBool>,
    answers: mpsc::Receiver<()>,
    threads: Vec<JoinHandle<Result<Member>>>,
}

fn run(members: Vec<Member>, server: &Server) -> Result<Running> {
    let stop = Arc::new(AtomicBool::new(false));
    let (answered, answers) = mpsc::channel();
    let address = server.ready.http.context("the server speaks HTTP")?;
    let start = |mut member: Member| {
        let (stop, answered) = (Arc::clone(&stop), answered.clone());
        std::thread::spawn(move || {
            member.work(address, &stop, &answered)?;
            Ok(member)
        })
    };
    let threads = members.into_iter().map(start).collect();
    Ok(Running { stop, answers, threads })
}

impl Running {
    fn await_answers(&self, number: u32) -> bool {
        (0..number).all(|_| self.answers.recv_timeout(ROUND_LIMIT).is_ok())
    }

    fn join(self) -> Result<Vec<Member>> {
        self.stop.store(true, Ordering::Release);
        let joined = self.threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a client panicked"))?);
        joined.collect()
    }
}

impl Member {
    fn new(number: u32, shared: &Arc<Shared>, seed: u64) -> Self {
        Self {
            number,
            shared: Arc::clone(shared),
            random: StdRng::seed_from_u64(seed ^ (u64::from(number) + 1) << 32),
            client: None,
            keys: 0,
            unanswered: Vec::new(),
            answered: None,
            count: Counts::default(),
        }
    }

    /// Until the server is gone.
    fn work(&mut self, address: SocketAddr, stop: &AtomicBool, answered: &mpsc::Sender<()>) -> Result<()> {
        let Ok(client) = connect_to(address) else { return Ok(()) };
        self.client = Some(client);
        let mut next = self.repeat_unanswered(address);
        while !stop.load(Ordering::Acquire) {
            match next {
                // The count ends when the server is killed.
                Ok(()) => drop(answered.send(())),
                Err(Stop::Gone) => return Ok(()),
                Err(Stop::Failed(error)) => return Err(error),
            }
            next = self.one(address);
        }
        match next {
            Err(Stop::Failed(error)) => Err(error),
            _ => Ok(()),
        }
    }

    fn one(&mut self, address: SocketAddr) -> Result<(), Stop> {
        let queue = QUEUES[self.random.gen_range(0..2)];
        match self.random.gen_range(0..10) {
            0..4 => self.put(address, queue, 1),
            4 => self.put(address, queue, 3),
            5 => self.ask_again(),
            _ => self.receive(address, queue),
        }
    }

    fn client(&mut self) -> &mut Client {
        self.client.as_mut().expect("it is connected while it works")
    }

    fn ask(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> std::io::Result<Answer> {
        self.client().ask(method, &format!("{BASE}{path}"), headers, body)
    }

    fn key(&mut self) -> String {
        self.keys += 1;
        format!("Idempotency-Key: {}-{}\r\n", self.number, self.keys)
    }

    /// One message, or an atomic batch.
    fn put(&mut self, address: SocketAddr, queue: &str, messages: usize) -> Result<(), Stop> {
        let puts: Vec<PutId> = (0..messages).map(|_| self.shared.ledger.begin_put(self.number)).collect();
        let key = self.key();
        let keyed = if let [put] = puts[..] {
            let headers = format!("{key}Content-Type: text/plain\r\nmq-persistence: persistent\r\n");
            let path = format!("/queue/{queue}/messages");
            Keyed { path, headers, body: body(put).to_vec(), puts, completes: Vec::new() }
        } else {
            let lines: String = puts.iter().map(|put| format!("{}\n", message(*put))).collect();
            let headers = format!("{key}Content-Type: application/x-ndjson\r\n");
            let path = format!("/queue/{queue}/messages?atomic");
            Keyed { path, headers, body: lines.into_bytes(), puts, completes: Vec::new() }
        };
        self.send(address, keyed)
    }

    /// Sends a request with a key. One in twenty is left before its answer, and repeated.
    fn send(&mut self, address: SocketAddr, keyed: Keyed) -> Result<(), Stop> {
        self.unanswered.push(keyed.clone());
        if self.random.gen_ratio(1, 20) {
            self.client().send("POST", &format!("{BASE}{}", keyed.path), &keyed.headers, &keyed.body)?;
            // The moment is what is tested, so it is a time and not a condition.
            std::thread::sleep(Duration::from_micros(self.random.gen_range(0..1500)));
            self.count.left += 1;
            self.client = Some(connect_to(address).map_err(|_| Stop::Gone)?);
        }
        let answer = self.repeat(&keyed)?;
        self.unanswered.pop();
        self.end(&keyed, answer)
    }

    /// Until the first one with its key has ended.
    fn repeat(&mut self, keyed: &Keyed) -> Result<Answer, Stop> {
        for _ in 0..MOST_REPETITIONS {
            let answer = self.ask("POST", &keyed.path, &keyed.headers, &keyed.body)?;
            if answer.status != 409 {
                return Ok(answer);
            }
            ensure_in_use(&answer)?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(Stop::Failed(anyhow!("a key stays in use")))
    }

    fn end(&mut self, keyed: &Keyed, answer: Answer) -> Result<(), Stop> {
        self.count.replays += u32::from(answer.header("idempotency-replayed").is_some());
        match answer.status {
            200 | 201 => {
                for (put, id) in keyed.puts.iter().zip(ids(&answer)?) {
                    self.shared.named(*put, &id)?;
                    self.shared.ledger.put_answered(*put);
                }
                for order in &keyed.completes {
                    self.shared.ledger.completed(*order);
                }
                self.count.transactions += u32::from(!keyed.completes.is_empty());
                self.answered = Some((keyed.clone(), answer.body));
                Ok(())
            }
            // Its deliveries ended with the process before it was done.
            404 if !keyed.completes.is_empty() => {
                for put in &keyed.puts {
                    self.shared.ledger.put_failed(*put, Effect::None);
                }
                self.count.undone += 1;
                Ok(())
            }
            status => Err(Stop::Failed(anyhow!("{} {status} {}", keyed.path, answer.text()))),
        }
    }

    /// What was answered, perhaps by a process before this one, has the same answer again.
    fn ask_again(&mut self) -> Result<(), Stop> {
        let Some((keyed, first)) = self.answered.clone() else { return Ok(()) };
        let answer = self.ask("POST", &keyed.path, &keyed.headers, &keyed.body)?;
        if answer.body != first || answer.header("idempotency-replayed") != Some("true") {
            self.shared.ledger.misdelivered();
        }
        self.count.replays += 1;
        Ok(())
    }

    fn repeat_unanswered(&mut self, address: SocketAddr) -> Result<(), Stop> {
        let mut left = std::mem::take(&mut self.unanswered).into_iter();
        while let Some(keyed) = left.next() {
            if let Err(stop) = self.send(address, keyed) {
                self.unanswered.extend(left);
                return Err(stop);
            }
        }
        Ok(())
    }

    /// Receives, and settles in one of the ways.
    fn receive(&mut self, address: SocketAddr, queue: &str) -> Result<(), Stop> {
        let wanted = json!({ "max": self.random.gen_range(1..5), "lock": "120s", "body": "text" }).to_string();
        let answer = self.ask("POST", &format!("/queue/{queue}/deliveries"), JSON, wanted.as_bytes())?;
        let received = success(&answer)?;
        let mut held = Vec::new();
        for delivered in messages(&received) {
            let body = delivered["body"]["text"].as_str().context("a text")?;
            let put = self.shared.ledger.delivered(body.as_bytes(), is_intact(body)).context("no message of ours")?;
            if self.shared.ids.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&put) {
                self.shared.named(put, &text(delivered, "id")?)?;
            }
            if !self.shared.held().insert(put) {
                return Err(Stop::Failed(anyhow!("{put:?} is in two hands")));
            }
            held.push((put, text(delivered, "token")?));
        }
        if held.is_empty() {
            return Ok(());
        }
        match self.random.gen_range(0..6) {
            0..3 => self.answer(address, queue, &held),
            3 => self.complete_each(&held),
            4 => self.complete_all(&held),
            _ => self.abandon(&held),
        }
    }

    /// Receive, work, answer.
    fn answer(&mut self, address: SocketAddr, queue: &str, held: &[(PutId, String)]) -> Result<(), Stop> {
        let to = QUEUES.into_iter().find(|other| *other != queue).expect("there are two");
        let puts: Vec<PutId> =
            (0..self.random.gen_range(1..3)).map(|_| self.shared.ledger.begin_put(self.number)).collect();
        let answers: Vec<Value> = puts.iter().map(|put| json!({ "queue": to, "message": message(*put) })).collect();
        let tokens: Vec<&str> = held.iter().map(|(_, token)| &**token).collect();
        let body = json!({ "complete": tokens, "put": answers }).to_string().into_bytes();
        let headers = format!("{JSON}{}", self.key());
        let completes: Vec<PutId> = held.iter().map(|(put, _)| *put).collect();
        self.send(address, Keyed { path: "/transactions".to_owned(), headers, body, puts, completes })
    }

    fn complete_each(&mut self, held: &[(PutId, String)]) -> Result<(), Stop> {
        for (put, token) in held {
            let path = format!("/deliveries/{token}/complete");
            for _ in 0..2 {
                match self.ask("POST", &path, "", b"") {
                    Ok(answer) => drop(success(&answer)?),
                    Err(_) => {
                        self.shared.ledger.get_failed(Some(*put), Effect::Unknown);
                        return Err(Stop::Gone);
                    }
                }
            }
            self.shared.ledger.completed(*put);
            self.count.completions += 1;
        }
        Ok(())
    }

    fn complete_all(&mut self, held: &[(PutId, String)]) -> Result<(), Stop> {
        let wishes: Vec<Value> =
            held.iter().map(|(_, token)| json!({ "token": token, "action": "complete" })).collect();
        let body = json!({ "settle": wishes }).to_string();
        let Ok(answer) = self.ask("POST", "/deliveries/settle", JSON, body.as_bytes()) else {
            for (put, _) in held {
                self.shared.ledger.get_failed(Some(*put), Effect::Unknown);
            }
            return Err(Stop::Gone);
        };
        let settled = success(&answer)?;
        for ((put, token), outcome) in held.iter().zip(settled["settled"].as_array().context("a list")?) {
            if outcome["token"] != **token || !outcome["error"].is_null() {
                return Err(Stop::Failed(anyhow!("{outcome}")));
            }
            self.shared.ledger.completed(*put);
            self.count.completions += 1;
        }
        Ok(())
    }

    fn abandon(&mut self, held: &[(PutId, String)]) -> Result<(), Stop> {
        for (put, token) in held {
            // From here on another client may have it.
            self.shared.held().remove(put);
            let answer = self.ask("POST", &format!("/deliveries/{token}/abandon"), "", b"")?;
            success(&answer)?;
        }
        Ok(())
    }
}

fn success(answer: &Answer) -> Result<Value> {
    ensure!((200..300).contains(&answer.status), "{} {}", answer.status, answer.text());
    Ok(answer.json())
}

fn ensure_in_use(answer: &Answer) -> Result<()> {
    ensure!(answer.text().contains("MQWB0946E"), "{} {}", answer.status, answer.text());
    Ok(())
}

/// The ids that an answer names: of a put, of the lines of a batch, of a transaction.
fn ids(answer: &Answer) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for line in answer.text().lines() {
        let line: Value = serde_json::from_str(line)?;
        match line["messages"].as_array() {
            Some(messages) => ids.extend(messages.iter().filter_map(|one| one["id"].as_str().map(str::to_owned))),
            None => ids.push(text(&line, "id")?),
        }
    }
    Ok(ids)
}

fn message(put: PutId) -> Value {
    json!({ "persistence": "persistent", "body": { "text": String::from_utf8_lossy(&body(put)) } })
}

/// The one body of this identifier; its size follows from its number.
fn body(id: PutId) -> Bytes {
    let size = match id.sequence {
        n if n % 97 == 96 => 300_000,
        n if n % 17 == 16 => 20_000,
        n => [64, 1024, 4_000][usize::try_from(n % 3).expect("below 3")],
    };
    Payload::new(size).body(&id.to_hex())
}

fn is_intact(text: &str) -> bool {
    PutId::of(text.as_bytes()).is_some_and(|id| body(id) == text.as_bytes())
}
