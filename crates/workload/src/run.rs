//! One run: clients shared out over a few threads, a warm-up, a measured time, and the verdict.
//!
//! Each thread has a current-thread runtime and its own histogram; clients meet only in the ledger, each under its own
//! lock. The calling thread keeps the time and reads the processes' counters at both ends of the measured time.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Method, Uri};
use tokio::task::LocalSet;

use crate::client::ClientError;
use crate::client::door::{Door, DoorOptions};
use crate::client::program::Pool;
use crate::error::WorkloadError;
use crate::ledger::Ledger;
use crate::measure::{self, Process, ProcessorTime, ResponseTimes, processor_time};
use crate::payload::{Payload, PutId};
use crate::plan::{Plan, Scenario};
use crate::provider::{ENTRY_BYTES, REQUEST_STEP, RESPONSE_STEP};
use crate::report::{ProcessReport, Report};

const STARTING: u8 = 0;
const WARMING_UP: u8 = 1;
const MEASURING: u8 = 2;
const STOPPING: u8 = 3;

/// Pause of a client after a failed transaction, so that a dead server is not hammered.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(20);
/// Values of `count_in` that name a request of `Scenario::Requester`, so that no answer is taken for another's.
const COUNTS_IN: u64 = 50_000_000;
/// How often a get is tried after the load, when answers are lost.
const SETTLING_TRIES: u32 = 5;
/// How long a get of a message just put, or of its reply, may wait: it is there or comes at once, unless it is lost.
const GET_WAIT: Duration = Duration::from_secs(2);

/// What all clients of a run share.
struct Shared {
    phase: AtomicU8,
    ledger: Ledger,
    payload: Payload,
    /// What comes back.
    expected: Payload,
    scenario: Scenario,
    think_time: Duration,
    post_path: Uri,
    get_path: Uri,
    body: (String, String),
    /// Bytes that `Scenario::Requester` asks for.
    wanted: usize,
    clients: u32,
}

/// What one thread's clients measured.
#[derive(Default)]
struct Tally {
    times: ResponseTimes,
    errors: u64,
    empty: u64,
    first_error: Option<String>,
}

/// How one transaction ended well.
enum Done {
    Full,
    Empty,
}

/// Carries the plan out. Blocks until the end; call it outside of any async runtime.
///
/// # Errors
/// A client that cannot connect or log in at the start, or a process that cannot be measured.
pub fn run(plan: &Plan) -> Result<Report, WorkloadError> {
    let shared = Arc::new(shared(plan)?);
    let processes = processes(plan);
    read_all(&processes)?;
    let pools = pools(plan);
    let (ready, threads) = start_threads(plan, &shared, &pools)?;
    let started = await_ready(&ready, plan.clients);
    if started.is_err() {
        shared.phase.store(STOPPING, Ordering::Release);
    }
    let measured = started.and_then(|()| measure_window(plan, &shared, &processes, &pools));
    shared.phase.store(STOPPING, Ordering::Release);
    let mut tally = Tally::default();
    for thread in threads {
        let one = thread.join().map_err(|_| WorkloadError::Thread(std::io::Error::other("a client panicked")))?;
        tally.add(one);
    }
    let (seconds, processes) = measured?;
    let emptied = settle(plan, &shared, &mut tally)?;
    Ok(report(plan, &shared, tally, seconds, processes, emptied))
}

fn shared(plan: &Plan) -> Result<Shared, WorkloadError> {
    let path = |key, path: &str| {
        Uri::try_from(path).map_err(|_| WorkloadError::Plan { key, problem: format!("'{path}' is not a path") })
    };
    Ok(Shared {
        phase: AtomicU8::new(STARTING),
        ledger: Ledger::new(rand::random(), plan.clients),
        payload: Payload::new(plan.request_size),
        expected: Payload::new(plan.response_size.unwrap_or(plan.request_size)),
        scenario: plan.scenario,
        think_time: plan.think_time,
        post_path: path("post_path", &plan.post_path)?,
        get_path: path("get_path", &plan.get_path)?,
        body: plan.body.clone(),
        wanted: plan.response_size.unwrap_or_default(),
        clients: plan.clients,
    })
}

type Ready = mpsc::Receiver<Result<(), WorkloadError>>;
type Threads = Vec<std::thread::JoinHandle<Tally>>;

/// The processes of each thread's clients, where there are any.
fn pools(plan: &Plan) -> Vec<Arc<Pool>> {
    let DoorOptions::Program(options) = &plan.door else { return Vec::new() };
    let processes = options.processes as usize;
    // As many clients as a thread has, if there are enough processes.
    (0..plan.threads)
        .map(|thread| {
            Arc::new(Pool::new(options, processes / plan.threads + usize::from(thread < processes % plan.threads)))
        })
        .collect()
}

fn start_threads(plan: &Plan, shared: &Arc<Shared>, pools: &[Arc<Pool>]) -> Result<(Ready, Threads), WorkloadError> {
    let (announce, ready) = mpsc::channel();
    let mut threads = Vec::with_capacity(plan.threads);
    for thread in 0..plan.threads {
        let mut clients = Vec::new();
        for number in (0..plan.clients).filter(|&number| number as usize % plan.threads == thread) {
            let door = Door::new(&plan.door, pools.get(thread))
                .map_err(|source| WorkloadError::Start { client: number, source })?;
            clients.push(Client::new(number, door, Arc::clone(shared)));
        }
        let (announce, pool) = (announce.clone(), pools.get(thread).cloned());
        let runtime = runtime()?;
        threads.push(
            std::thread::Builder::new()
                .name(format!("clients-{thread}"))
                .spawn(move || {
                    let tally = runtime.block_on(LocalSet::new().run_until(drive_all(clients, announce)));
                    if let Some(pool) = pool {
                        runtime.block_on(pool.finish());
                    }
                    tally
                })
                .map_err(WorkloadError::Thread)?,
        );
    }
    Ok((ready, threads))
}

fn runtime() -> Result<tokio::runtime::Runtime, WorkloadError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(WorkloadError::Thread)
}

/// Waits until every client is connected and logged in; the first that cannot ends the run.
fn await_ready(ready: &Ready, clients: u32) -> Result<(), WorkloadError> {
    for _ in 0..clients {
        match ready.recv() {
            Ok(result) => result?,
            Err(_) => return Err(WorkloadError::Thread(std::io::Error::other("a client ended before it began"))),
        }
    }
    Ok(())
}

/// Keeps the time: warm-up, then the measured part.
fn measure_window(
    plan: &Plan,
    shared: &Shared,
    processes: &[Process],
    pools: &[Arc<Pool>],
) -> Result<(f64, Vec<ProcessReport>), WorkloadError> {
    let programs: Vec<u32> = pools.iter().flat_map(|pool| pool.pids()).collect();
    let bar = progress_bar(plan.warmup + plan.duration);
    shared.phase.store(WARMING_UP, Ordering::Release);
    keep_time(plan.warmup, &bar);
    let (before, programs_before) = (read_all(processes)?, measure::run_time_of_all(&programs));
    let begin = measure::now();
    shared.phase.store(MEASURING, Ordering::Release);
    keep_time(plan.duration, &bar);
    shared.phase.store(STOPPING, Ordering::Release);
    let seconds = begin.elapsed().as_secs_f64();
    let (after, programs_after) = (read_all(processes)?, measure::run_time_of_all(&programs));
    bar.finish_and_clear();
    let used = processes.iter().zip(before.into_iter().zip(after)).map(|(process, (before, after))| ProcessReport {
        name: process.name.clone(),
        pid: process.pid,
        threads: after.threads,
        cpu_ms: after.used.saturating_sub(before.used).as_secs_f64() * 1e3,
        cpu_ms_per_transaction: None,
    });
    let mut used: Vec<_> = used.collect();
    if let Some(&pid) = programs.first() {
        let cpu_ms = programs_after.saturating_sub(programs_before).as_secs_f64() * 1e3;
        let threads = programs.len() as u64;
        used.push(ProcessReport { name: "programs".to_owned(), pid, threads, cpu_ms, cpu_ms_per_transaction: None });
    }
    Ok((seconds, used))
}

/// Drawn on a terminal only.
fn progress_bar(length: Duration) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(length.as_secs());
    bar.set_message("running");
    bar
}

fn keep_time(length: Duration, bar: &indicatif::ProgressBar) {
    let end = measure::now() + length;
    loop {
        let left = end.saturating_duration_since(measure::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_secs(1)));
        bar.inc(1);
    }
}

/// The processes of the plan, and the driver itself.
fn processes(plan: &Plan) -> Vec<Process> {
    let mut all = plan.processes.clone();
    all.push(Process { name: "driver".to_owned(), pid: std::process::id(), with_children: false });
    all
}

fn read_all(processes: &[Process]) -> Result<Vec<ProcessorTime>, WorkloadError> {
    let read = |process: &Process| {
        processor_time(process.pid, process.with_children).map_err(|source| WorkloadError::Process {
            name: process.name.clone(),
            pid: process.pid,
            source,
        })
    };
    processes.iter().map(read).collect()
}

/// After the load: gets what the ledger says may still be there. True when nothing of this run can be left.
fn settle(plan: &Plan, shared: &Arc<Shared>, tally: &mut Tally) -> Result<bool, WorkloadError> {
    let whole_queue = plan.drain;
    if !whole_queue && !matches!(plan.scenario, Scenario::PutGet | Scenario::RequestReply) {
        return Ok(false);
    }
    if plan.door.streams() {
        // Queues of the clients' own are gone with them, and what lay on them.
        return Ok((0..plan.clients).all(|number| shared.ledger.outstanding(number).is_empty()));
    }
    let door = Door::new(&plan.door, None).map_err(|source| WorkloadError::Start { client: 0, source })?;
    let mut client = Client::new(0, door, Arc::clone(shared));
    let result = runtime()?.block_on(async {
        for number in 0..plan.clients {
            for id in shared.ledger.outstanding(number) {
                client.get_patiently(Some((id, &id.to_hex()))).await?;
            }
        }
        while whole_queue && matches!(client.get_patiently(None).await?, Done::Full) {}
        Ok::<_, ClientError>(())
    });
    if let Err(error) = result {
        tally.note(&error);
        return Ok(false);
    }
    Ok(true)
}

fn report(
    plan: &Plan,
    shared: &Shared,
    tally: Tally,
    seconds: f64,
    mut processes: Vec<ProcessReport>,
    emptied: bool,
) -> Report {
    let transactions = tally.times.count();
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 transactions")]
    let count = transactions as f64;
    for process in &mut processes {
        process.cpu_ms_per_transaction = (transactions > 0).then(|| process.cpu_ms / count);
    }
    Report {
        scenario: scenario_name(plan.scenario),
        clients: plan.clients,
        request_size: plan.request_size,
        seconds,
        transactions,
        transactions_per_second: count / seconds,
        response_time: tally.times.summary(),
        errors: tally.errors,
        first_error: tally.first_error,
        empty: tally.empty,
        processes,
        verdict: shared.ledger.verdict(emptied),
    }
}

fn scenario_name(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::PutGet => "put-get",
        Scenario::RequestReply => "request-reply",
        Scenario::Service => "service",
        Scenario::Put => "put",
        Scenario::Get => "get",
        Scenario::Browse => "browse",
        Scenario::Requester => "requester",
        Scenario::HttpFloor => "http-floor",
    }
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.times.add(&other.times);
        self.errors += other.errors;
        self.empty += other.empty;
        self.first_error = self.first_error.take().or(other.first_error);
    }

    fn note(&mut self, error: &ClientError) {
        if self.first_error.is_none() {
            self.first_error = Some(error.chain());
        }
    }
}

async fn drive_all(clients: Vec<Client>, announce: mpsc::Sender<Result<(), WorkloadError>>) -> Tally {
    let tally = Rc::new(RefCell::new(Tally::default()));
    let tasks: Vec<_> = clients
        .into_iter()
        .map(|client| tokio::task::spawn_local(drive(client, announce.clone(), Rc::clone(&tally))))
        .collect();
    drop(announce);
    for task in tasks {
        // A panic of a client shows in `await_ready` or in the ledger; the others' figures still count.
        let _ = task.await;
    }
    tally.take()
}

/// One client's life: connect, say so, then transactions until told to stop.
async fn drive(mut client: Client, announce: mpsc::Sender<Result<(), WorkloadError>>, tally: Rc<RefCell<Tally>>) {
    let started = client.door.ready().await;
    let failed = started.is_err();
    let number = client.number;
    // The receiver is gone when another client could not start: then the phase says stop as well.
    let _ = announce.send(started.map_err(|source| WorkloadError::Start { client: number, source }));
    drop(announce);
    if failed {
        return;
    }
    let mut is_first = true;
    loop {
        match client.shared.phase.load(Ordering::Acquire) {
            STOPPING => return,
            STARTING => tokio::time::sleep(Duration::from_millis(1)).await,
            // Clients that think do not all begin to think at the same time.
            _ if std::mem::take(&mut is_first) => {
                tokio::time::sleep(client.shared.think_time.mul_f64(rand::random())).await;
            }
            _ => one_transaction(&mut client, &tally).await,
        }
    }
}

async fn one_transaction(client: &mut Client, tally: &RefCell<Tally>) {
    let begin: Instant = measure::now();
    let result = client.transaction().await;
    let elapsed = begin.elapsed();
    let measuring = client.shared.phase.load(Ordering::Acquire) == MEASURING;
    let pause = match result {
        Ok(done) => {
            if measuring {
                let mut tally = tally.borrow_mut();
                match done {
                    Done::Full => tally.times.record(elapsed),
                    Done::Empty => tally.empty += 1,
                }
            }
            client.shared.think_time
        }
        Err(error) => {
            let mut tally = tally.borrow_mut();
            tally.errors += u64::from(measuring);
            tally.note(&error);
            client.shared.think_time.max(PAUSE_AFTER_ERROR)
        }
    };
    if !pause.is_zero() {
        client.rest(pause).await;
    }
}

/// One closed-loop client.
struct Client {
    number: u32,
    door: Door,
    shared: Arc<Shared>,
    /// By how much the last pause was too long.
    late: Duration,
}

impl Client {
    fn new(number: u32, door: Door, shared: Arc<Shared>) -> Self {
        Self { number, door, shared, late: Duration::ZERO }
    }

    /// Timers come late by a millisecond or so; the next pause makes good for that, so that pauses last as long as they
    /// should on the whole.
    async fn rest(&mut self, pause: Duration) {
        let pause = pause.saturating_sub(self.late);
        let begin = measure::now();
        tokio::time::sleep(pause).await;
        self.late = begin.elapsed().saturating_sub(pause);
    }

    async fn transaction(&mut self) -> Result<Done, ClientError> {
        match self.shared.scenario {
            Scenario::PutGet | Scenario::RequestReply => {
                let (id, hex) = self.put().await?;
                self.get(Some((id, &hex)), Some(GET_WAIT)).await
            }
            Scenario::Put => self.put().await.map(|_| Done::Full),
            Scenario::Get => self.get(None, None).await,
            Scenario::Browse => Ok(full_if(self.door.browse().await?.is_some())),
            Scenario::Service => self.service().await,
            Scenario::Requester => self.call().await,
            Scenario::HttpFloor => self.floor().await,
        }
    }

    async fn put(&mut self) -> Result<(PutId, String), ClientError> {
        let ledger = &self.shared.ledger;
        let id = ledger.begin_put(self.number);
        let hex = id.to_hex();
        match self.door.put(self.shared.payload.body(&hex), &hex).await {
            Ok(()) => ledger.put_answered(id),
            Err(error) => {
                ledger.put_failed(id, error.effect());
                return Err(error);
            }
        }
        Ok((id, hex))
    }

    /// Gets one message, this one or any.
    async fn get(&mut self, which: Option<(PutId, &str)>, wait: Option<Duration>) -> Result<Done, ClientError> {
        let ledger = &self.shared.ledger;
        match self.door.get(which.map(|(_, hex)| hex), wait).await {
            Ok(None) => Ok(Done::Empty),
            Ok(Some(body)) => {
                ledger.got(&body, self.shared.expected.is_intact(&body));
                Ok(Done::Full)
            }
            Err(error) => {
                ledger.get_failed(which.map(|(id, _)| id), error.effect());
                Err(error)
            }
        }
    }

    /// As `get`, tried again when an answer is lost: the ledger knows that the lost one may have taken the message.
    async fn get_patiently(&mut self, which: Option<(PutId, &str)>) -> Result<Done, ClientError> {
        let mut last = self.get(which, None).await;
        for _ in 1..SETTLING_TRIES {
            if last.is_ok() {
                break;
            }
            tokio::time::sleep(PAUSE_AFTER_ERROR).await;
            last = self.get(which, None).await;
        }
        last
    }

    /// One request to a service; the reply must hold the identifier of this request.
    async fn service(&mut self) -> Result<Done, ClientError> {
        let ledger = &self.shared.ledger;
        let id = ledger.begin_put(self.number);
        let hex = id.to_hex();
        let (before, behind) = &self.shared.body;
        let body = Bytes::from([before.as_str(), &hex, behind].concat());
        let reply = match self.door.invoke(&self.shared.post_path, body).await {
            Ok(reply) => reply,
            Err(error) => {
                ledger.put_failed(id, error.effect());
                return Err(error);
            }
        };
        ledger.put_answered(id);
        let Some(reply) = reply else { return Ok(Done::Empty) };
        if !reply.windows(hex.len()).any(|part| part == hex.as_bytes()) {
            ledger.got(&[], false);
            return Err(ClientError::WrongReply);
        }
        ledger.got(hex.as_bytes(), true);
        Ok(Done::Full)
    }

    /// Has a program call; the answer must be as long as was wanted, and that of this request.
    async fn call(&mut self) -> Result<Done, ClientError> {
        let ledger = &self.shared.ledger;
        let id = ledger.begin_put(self.number);
        let count_in = (id.sequence * u64::from(self.shared.clients) + u64::from(self.number)) % COUNTS_IN;
        let wanted = self.shared.wanted;
        match self.door.call(count_in, (wanted / RESPONSE_STEP) as u64).await {
            Ok(outcome) => {
                ledger.put_answered(id);
                let sizes = (wanted as u64, (wanted / ENTRY_BYTES) as u64);
                let is_right = outcome.is_right
                    && outcome.received == count_in * REQUEST_STEP
                    && (outcome.sent, outcome.entries) == sizes;
                ledger.got(id.to_hex().as_bytes(), is_right);
                if is_right { Ok(Done::Full) } else { Err(ClientError::WrongReply) }
            }
            Err(error) => {
                ledger.put_failed(id, error.effect());
                Err(error)
            }
        }
    }

    async fn floor(&mut self) -> Result<Done, ClientError> {
        let hex = PutId { run: 0, client: self.number, sequence: 0 }.to_hex();
        let body = self.shared.payload.body(&hex);
        self.door.request(Method::POST, &self.shared.post_path, body).await?;
        self.door.request(Method::GET, &self.shared.get_path, Bytes::new()).await?;
        Ok(Done::Full)
    }
}

fn full_if(found: bool) -> Done {
    if found { Done::Full } else { Done::Empty }
}
