//! One closed-loop client: its life, its transactions, and what it tells the ledger about them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Method, Uri};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::sync::watch;

use super::control::{Phase, Turn};
use super::tally::Tally;
use super::{Shared, elsewhere};
use crate::client::ClientError;
use crate::client::door::Door;
use crate::error::WorkloadError;
use crate::measure;
use crate::payload::{Payload, PutId};
use crate::plan::administration::uri_for;
use crate::plan::{Change, Scenario};
use crate::provider::{ENTRY_BYTES, REQUEST_STEP, RESPONSE_STEP};

/// Pause of a client after a failed transaction, so that a dead server is not hammered.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(20);
/// Values of `count_in` that name a request of `Scenario::Requester`, so that no answer is taken for another's.
const COUNTS_IN: u64 = 50_000_000;
/// How often a get is tried after the load, when answers are lost.
const SETTLING_TRIES: u32 = 5;
/// How long a get of a message just put, or of its reply, may wait: it is there or comes at once, unless it is lost.
pub(super) const GET_WAIT: Duration = Duration::from_secs(2);

/// How one transaction ended well.
pub(crate) enum Done {
    Full,
    Empty,
}

pub(crate) type Announce = mpsc::Sender<Result<(), WorkloadError>>;

/// One client's life: connect, say so, then transactions until told to stop.
pub(crate) async fn drive(mut client: Client, announce: Announce, tally: Rc<RefCell<Tally>>) {
    let started = client.door.ready().await;
    let failed = started.is_err();
    let number = client.number;
    // The receiver is gone when another client could not start: then the phase says stop as well.
    let _ = announce.send(started.map_err(|source| WorkloadError::Start { client: number, source }));
    drop(announce);
    if failed {
        return;
    }
    client.wait_for_work().await;
    // Clients that think do not all begin to think at the same time.
    let first = client.shared.think_time.mul_f64(client.random.r#gen());
    client.rest(first).await;
    loop {
        let due = match client.due().await {
            Due::Free => None,
            Due::At(time) => Some(time),
            Due::Unknown if client.shared.control.phase() == Phase::Stopping => return,
            Due::Unknown => continue,
        };
        match client.shared.control.enter() {
            Turn::Work => client.one_transaction(due, &tally).await,
            Turn::Wait => client.next_phase().await,
            Turn::Stop => return,
        }
    }
}

/// When a transaction has to begin.
enum Due {
    /// When the client likes.
    Free,
    At(Instant),
    /// The phase has changed meanwhile.
    Unknown,
}

/// One client of a run.
pub(crate) struct Client {
    number: u32,
    door: Door,
    shared: Arc<Shared>,
    news: watch::Receiver<Phase>,
    random: StdRng,
    /// Transactions begun.
    count: u64,
    /// Of `Scenario::Administration`.
    requests: Requests,
    /// By how much the last pause was too long.
    late: Duration,
    /// Bytes that processes of its transactions received.
    received_elsewhere: u64,
}

/// Administrative requests as this client makes them.
#[derive(Default)]
struct Requests {
    paths: Vec<Uri>,
    /// Path and body.
    post: Option<(Uri, String)>,
    patch: Option<(Uri, String)>,
}

impl Client {
    pub(crate) fn new(number: u32, door: Door, shared: Arc<Shared>) -> Self {
        let administration = &shared.administration;
        let own = |change: &Option<Change>| {
            let change = change.as_ref()?;
            Some((uri_for(&change.path, number)?, change.body.clone()))
        };
        let requests = Requests {
            paths: administration.paths.iter().filter_map(|path| uri_for(path, number)).collect(),
            post: own(&administration.post),
            patch: own(&administration.patch),
        };
        let (news, random) = (shared.control.subscribe(), StdRng::seed_from_u64(shared.seed ^ u64::from(number)));
        Self { number, door, shared, news, random, count: 0, requests, late: Duration::ZERO, received_elsewhere: 0 }
    }

    /// Returns when there is work, or none any more.
    async fn wait_for_work(&mut self) {
        // An error means that the run is over.
        let _ = self.news.wait_for(|phase| phase.is_working() || *phase == Phase::Stopping).await;
    }

    /// Returns when the phase has changed since this was called last.
    async fn next_phase(&mut self) {
        let _ = self.news.changed().await;
    }

    /// Waits until a transaction is due, in a run with a rate.
    async fn due(&mut self) -> Due {
        let Some(pace) = &self.shared.pace else { return Due::Free };
        tokio::select! {
            due = pace.next() => due.map_or(Due::Unknown, Due::At),
            _ = self.news.changed() => Due::Unknown,
        }
    }

    /// Timers come late by a millisecond or so; the next pause makes good for that, so that pauses last as long as they
    /// should on the whole. A run that stops cuts the pause short.
    async fn rest(&mut self, pause: Duration) {
        if pause.is_zero() {
            return;
        }
        let pause = pause.saturating_sub(self.late);
        let begin = measure::now();
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = self.news.wait_for(|phase| *phase == Phase::Stopping) => return,
        }
        self.late = begin.elapsed().saturating_sub(pause);
    }

    /// Bytes of content received so far.
    fn received(&self) -> u64 {
        self.door.received() + self.received_elsewhere
    }

    async fn one_transaction(&mut self, due: Option<Instant>, tally: &RefCell<Tally>) {
        self.count += 1;
        let received = self.received();
        let begin = due.unwrap_or_else(measure::now);
        let result = self.transaction().await;
        let elapsed = begin.elapsed();
        let pace = self.shared.pace.as_ref();
        let is_forgotten = due.zip(pace).is_some_and(|(due, pace)| pace.has_forgotten(due));
        let measuring = self.shared.control.phase() == Phase::Measuring && !is_forgotten;
        self.shared.control.leave();
        let is_paced = pace.is_some();
        let pause = match result {
            Ok(done) => {
                if measuring {
                    let mut tally = tally.borrow_mut();
                    tally.received += self.received() - received;
                    match done {
                        Done::Full => tally.times.record(elapsed),
                        Done::Empty => tally.empty += 1,
                    }
                }
                self.shared.think_time
            }
            Err(error) => {
                let mut tally = tally.borrow_mut();
                tally.errors += u64::from(measuring);
                tally.note(&error);
                self.shared.think_time.max(if is_paced { Duration::ZERO } else { PAUSE_AFTER_ERROR })
            }
        };
        self.rest(pause).await;
    }

    async fn transaction(&mut self) -> Result<Done, ClientError> {
        if let Some(other) = &self.shared.elsewhere {
            let (done, received) = elsewhere::transaction(other, &self.shared).await?;
            self.received_elsewhere += received;
            return Ok(done);
        }
        self.door.begin_transaction();
        let done = match self.shared.scenario {
            Scenario::PutGet | Scenario::RequestReply => {
                let (id, hex) = self.put().await?;
                self.get_what_was_put(id, &hex).await?
            }
            Scenario::Put => self.put().await.map(|_| Done::Full)?,
            Scenario::Get => self.get(None, None).await?,
            Scenario::Browse => full_if(self.door.browse().await?.is_some()),
            Scenario::Service => self.service().await?,
            Scenario::Requester => self.call().await?,
            Scenario::HttpFloor => self.floor().await?,
            Scenario::Administration => self.administer().await?,
        };
        self.door.end_transaction().await?;
        Ok(done)
    }

    /// All the `GET`s, then the `POST`, then the `PATCH`.
    async fn administer(&mut self) -> Result<Done, ClientError> {
        for path in &self.requests.paths {
            self.door.inquire(path).await?;
        }
        if let Some((path, body)) = &self.requests.post {
            self.door.post(path, numbered(body, self.count)).await?;
        }
        if let Some((path, body)) = &self.requests.patch {
            self.door.patch(path, numbered(body, self.count)).await?;
        }
        Ok(Done::Full)
    }

    /// Gets what the ledger says may still be there of client `number`'s messages. The first is waited for: whatever was under
    /// way has come meanwhile.
    pub(crate) async fn get_outstanding(
        &mut self,
        number: u32,
        wait: &mut Option<Duration>,
    ) -> Result<(), ClientError> {
        for id in self.shared.ledger.outstanding(number) {
            let selector = match self.door.has_selectors_of_its_own() {
                // Without one nobody can tell the reply from others'.
                true => self.shared.late_selector(id),
                false => Some(id.to_hex()),
            };
            if let Some(selector) = selector {
                self.get_patiently(Some((id, &selector)), wait.take()).await?;
            }
        }
        Ok(())
    }

    /// Takes back client `number`'s requests that nobody has answered.
    pub(crate) async fn take_back_outstanding(&mut self, number: u32) -> Result<(), ClientError> {
        for id in self.shared.ledger.outstanding(number) {
            if self.door.take_back(&id.to_hex()).await? {
                self.shared.ledger.left(id);
            }
        }
        Ok(())
    }

    /// Gets every message there is.
    pub(crate) async fn get_everything(&mut self) -> Result<(), ClientError> {
        while matches!(self.get_patiently(None, None).await?, Done::Full) {}
        Ok(())
    }

    async fn put(&mut self) -> Result<(PutId, String), ClientError> {
        let ledger = &self.shared.ledger;
        let id = ledger.begin_put(self.number);
        let hex = id.to_hex();
        let body = match self.shared.short {
            Some(size) => Payload::short(&hex, size),
            None => self.shared.payload.body(&hex),
        };
        match self.door.put(body, &hex).await {
            Ok(()) => ledger.put_answered(id),
            Err(error) => {
                ledger.put_failed(id, error.effect());
                return Err(error);
            }
        }
        Ok((id, hex))
    }

    /// Gets the message just put, or its reply. By what to look for one that has not come is remembered.
    async fn get_what_was_put(&mut self, id: PutId, hex: &str) -> Result<Done, ClientError> {
        let Some(selector) = self.door.selector(hex) else { return Ok(Done::Empty) };
        let done = self.get(Some((id, &selector)), Some(GET_WAIT)).await;
        if self.door.has_selectors_of_its_own() && !matches!(done, Ok(Done::Full)) {
            self.shared.add_late(id, selector);
        }
        done
    }

    /// Gets one message, the one that an identifier selects or any.
    async fn get(&mut self, which: Option<(PutId, &str)>, wait: Option<Duration>) -> Result<Done, ClientError> {
        let ledger = &self.shared.ledger;
        match self.door.get(which.map(|(_, selector)| selector), wait).await {
            Ok(None) => Ok(Done::Empty),
            Ok(Some(body)) => self.check(which.map(|(id, _)| id), &body),
            Err(error) => {
                ledger.get_failed(which.map(|(id, _)| id), error.effect());
                Err(error)
            }
        }
    }

    /// Tells the ledger of a message that came. One that was asked for by its identifier has to be that one.
    fn check(&self, wanted: Option<PutId>, body: &[u8]) -> Result<Done, ClientError> {
        let ledger = &self.shared.ledger;
        let is_intact = self.shared.expected.is_intact(body);
        let is_wanted = match (wanted, self.shared.short) {
            (Some(id), Some(size)) => {
                let hex = id.to_hex();
                // So short a body does not tell whose else it is.
                body.starts_with(&Payload::short(&hex, size)) && ledger.got(hex.as_bytes(), is_intact) == Some(id)
            }
            (Some(id), None) => ledger.got(body, is_intact) == Some(id),
            (None, _) => {
                ledger.got(body, is_intact);
                true
            }
        };
        if !is_wanted {
            ledger.misdelivered();
            return Err(ClientError::WrongReply);
        }
        Ok(Done::Full)
    }

    /// As `get`, tried again when an answer is lost: the ledger knows that the lost one may have taken the message.
    async fn get_patiently(
        &mut self,
        which: Option<(PutId, &str)>,
        wait: Option<Duration>,
    ) -> Result<Done, ClientError> {
        let mut last = self.get(which, wait).await;
        for _ in 1..SETTLING_TRIES {
            if last.is_ok() {
                break;
            }
            tokio::time::sleep(PAUSE_AFTER_ERROR).await;
            last = self.get(which, wait).await;
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
        let reply = match self.door.invoke(&self.shared.post_path, self.shared.content_type.clone(), body).await {
            Ok(reply) => reply,
            Err(error) => {
                ledger.put_failed(id, error.effect());
                return Err(error);
            }
        };
        ledger.put_answered(id);
        let Some(reply) = reply else { return Ok(Done::Empty) };
        if !reply.windows(hex.len()).any(|part| part == hex.as_bytes()) {
            ledger.misdelivered();
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

fn numbered(body: &str, count: u64) -> Bytes {
    body.replace("{n}", &count.to_string()).into()
}

fn full_if(found: bool) -> Done {
    if found { Done::Full } else { Done::Empty }
}
