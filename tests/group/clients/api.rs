//! Clients of the message API: puts with keys, deliveries that are completed and abandoned, and transactions with keys.
//!
//! A request with a key is repeated until it is answered, also after the member was killed: it is done once. So a client stays with its
//! member. A delivery ends with the process that gave it, or when a peer recovers the member; a transaction over it is then answered with 404
//! or 410, and has not happened.

use anyhow::{Context, Result, anyhow};
use rand::Rng;
use serde_json::{Value, json};
use system_tests::http::{self, Answer};

use super::{Client, Stop, connect, named, unanswered};
use crate::group::faults::pause;
use crate::group::history::{Message, Outcome, QUEUES, WORK, What};

const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);
const JSON: &str = "Content-Type: application/json\r\n";
/// Of a delivery: longer than any client works on one.
const LOCK: &str = "20s";

/// A request that has no answer yet.
struct Keyed {
    path: String,
    headers: String,
    body: Vec<u8>,
    operation: usize,
}

/// A delivery: its own unit of work.
struct Held {
    unit: u64,
    id: u64,
    token: String,
}

struct Caller {
    client: Client,
    /// Of its member's queue manager.
    base: String,
    connection: Option<http::Client>,
    stream: u64,
    unanswered: Option<Keyed>,
}

pub(super) fn work(client: Client) -> Result<()> {
    let Some(site) = client.site.upgrade() else { return Ok(()) };
    let member = client.number as usize % site.members().len();
    let base = format!("/api/v1/qmgr/{}", site.members()[member].name);
    drop(site);
    let mut caller = Caller { client, base, connection: None, stream: 0, unanswered: None };
    // What has no answer at the end is asked once more: the members are whole then.
    while !caller.client.is_over() || caller.unanswered.is_some() {
        let Some(site) = caller.client.site.upgrade() else { break };
        let doors = site.members()[member].doors();
        drop(site);
        caller.connection = doors.and_then(connect);
        if caller.connection.is_none() {
            pause(PAUSE);
            continue;
        }
        caller.stream = caller.client.recorder.number();
        match caller.work_on_connection() {
            Ok(()) | Err(Stop::Gone) => pause(PAUSE),
            Err(Stop::Failed(error)) => return Err(error),
        }
    }
    Ok(())
}

impl Caller {
    fn work_on_connection(&mut self) -> Result<(), Stop> {
        if let Some(keyed) = self.unanswered.take() {
            self.send(keyed)?;
        }
        while !self.client.is_over() {
            if self.client.random.gen_bool(0.5) { self.put()? } else { self.receive()? }
        }
        Ok(())
    }

    fn ask(&mut self, path: &str, headers: &str, body: &[u8]) -> Result<Answer, Stop> {
        let path = format!("{}{path}", self.base);
        let connection = self.connection.as_mut().expect("it is connected while it works");
        connection.ask("POST", &path, headers, body).map_err(|error| unanswered(&error))
    }

    fn key(&self) -> String {
        format!("Idempotency-Key: {}\r\n", self.client.recorder.number())
    }

    fn put(&mut self) -> Result<(), Stop> {
        let message = self.client.recorder.message(self.stream, WORK, 4);
        let operation = self.client.recorder.begin(What::Put(message));
        let headers = format!(
            "{}Content-Type: text/plain\r\nmq-persistence: persistent\r\nmq-priority: {}\r\n",
            self.key(),
            message.priority
        );
        let path = format!("/queue/{}/messages", QUEUES[WORK]);
        self.send(Keyed { path, headers, body: Client::body(&message).into_bytes(), operation })
    }

    /// Until it is answered, or the connection is of no use.
    fn send(&mut self, keyed: Keyed) -> Result<(), Stop> {
        let answer = match self.ask(&keyed.path, &keyed.headers, &keyed.body) {
            Ok(answer) => answer,
            Err(stop) => {
                self.unanswered = Some(keyed);
                return Err(stop);
            }
        };
        let outcome = match answer.status {
            200 | 201 => Outcome::Done,
            // Its delivery has ended before: with the process, or because a peer has recovered the member.
            404 | 410 if keyed.path == "/transactions" => Outcome::Failed,
            // Another request has the key at this moment, or the member cannot do it now.
            409 | 500.. => {
                self.unanswered = Some(keyed);
                return Err(Stop::Gone);
            }
            status => return Err(Stop::Failed(anyhow!("{}: {status} {}", keyed.path, answer.text()))),
        };
        self.client.recorder.end(keyed.operation, outcome);
        Ok(())
    }

    /// Receives, works, and settles in one of the ways.
    fn receive(&mut self) -> Result<(), Stop> {
        let unit = self.client.recorder.number();
        let wanted = json!({ "max": 1, "lock": LOCK, "body": "text", "wait": "300ms" }).to_string();
        let operation = self.client.recorder.begin(What::Get { queue: WORK, aim: None, unit: Some(unit) });
        let answer = self.ask(&format!("/queue/{}/deliveries", QUEUES[WORK]), JSON, wanted.as_bytes())?;
        let received = self.done(&answer)?;
        let Some(delivery) = received["messages"].as_array().and_then(|messages| messages.first()) else {
            self.client.recorder.end(operation, Outcome::Got(None));
            return Ok(());
        };
        let id = named(delivery["body"]["text"].as_str().context("a text")?.as_bytes())?;
        self.client.recorder.end(operation, Outcome::Got(Some(id)));
        let held = Held { unit, id, token: delivery["token"].as_str().context("a token")?.to_owned() };
        match self.client.random.gen_range(0..6) {
            0..3 => self.answer(&held),
            3..5 => self.complete(&held),
            _ => self.abandon(&held),
        }
    }

    /// A transaction: the delivery is completed, and messages are put.
    fn answer(&mut self, held: &Held) -> Result<(), Stop> {
        let count = self.client.random.gen_range(1..3);
        let puts: Vec<Message> = (0..count).map(|_| self.client.recorder.message(self.stream, WORK, 4)).collect();
        let answers: Vec<Value> = puts
            .iter()
            .map(|put| {
                let body = Client::body(put);
                let message =
                    json!({ "persistence": "persistent", "priority": put.priority, "body": { "text": body } });
                json!({ "queue": QUEUES[WORK], "message": message })
            })
            .collect();
        let body = json!({ "complete": [held.token], "put": answers }).to_string().into_bytes();
        let operation = self.client.recorder.begin(What::Commit { unit: held.unit, gets: vec![held.id], puts });
        let headers = format!("{JSON}{}", self.key());
        self.send(Keyed { path: "/transactions".to_owned(), headers, body, operation })
    }

    fn complete(&mut self, held: &Held) -> Result<(), Stop> {
        let commit = What::Commit { unit: held.unit, gets: vec![held.id], puts: Vec::new() };
        let operation = self.client.recorder.begin(commit);
        let answer = self.ask(&format!("/deliveries/{}/complete", held.token), "", b"")?;
        self.done(&answer)?;
        self.client.recorder.end(operation, Outcome::Done);
        Ok(())
    }

    fn abandon(&mut self, held: &Held) -> Result<(), Stop> {
        let operation = self.client.recorder.begin(What::BackOut { unit: held.unit, gets: vec![held.id] });
        let answer = self.ask(&format!("/deliveries/{}/abandon", held.token), "", b"")?;
        self.done(&answer)?;
        self.client.recorder.end(operation, Outcome::Done);
        Ok(())
    }

    /// A member that cannot reach the database, or was recovered by a peer, has done what it was asked or not.
    fn done(&self, answer: &Answer) -> Result<Value, Stop> {
        match answer.status {
            200..300 => Ok(answer.json()),
            404 | 409 | 410 | 500.. => Err(Stop::Gone),
            status => Err(Stop::Failed(anyhow!("{status} {}", answer.text()))),
        }
    }
}
