//! Clients that go away: before a request is whole, while it is carried out, and before they read its answer.
//!
//! A request that did not arrive whole does nothing. One that did is carried out whole or not at all; its key, or the token of its
//! delivery, says which when the client comes back.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use system_tests::http::Client;
use system_tests::server::Server;

use super::{BASE, JSON, connect, good, post, put_text, receive, take_texts, text};

const QUEUE: &str = "DEV.QUEUE.1";
/// Of the bytes of a request, the share that is sent before its client goes away.
const PARTS: [f64; 5] = [0.1, 0.5, 0.9, 0.999, 1.0];
const PATIENCE: Duration = Duration::from_secs(300);
/// Of a delivery whose client went away: so long its message stays hidden.
const LOCK: &str = "200ms";

struct Request<'a> {
    method: &'a str,
    path: String,
    headers: &'a str,
    body: String,
}

impl Request<'_> {
    fn leave(&self, server: &Server, part: f64, after: Duration) -> Result<()> {
        let mut client = connect(server)?;
        let path = format!("{BASE}{}", self.path);
        client.send_part(self.method, &path, self.headers, self.body.as_bytes(), part)?;
        // The moment is what is tested, so it is a time and not a condition.
        std::thread::sleep(after);
        Ok(())
    }

    fn ask(&self, client: &mut Client) -> Result<Value> {
        let path = format!("{BASE}{}", self.path);
        // The one that was left may still be at work.
        let mut answer = client.ask(self.method, &path, self.headers, self.body.as_bytes())?;
        for _ in 0..300_000 {
            if answer.status != 409 {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            answer = client.ask(self.method, &path, self.headers, self.body.as_bytes())?;
        }
        good(answer)
    }
}

fn moments() -> impl Iterator<Item = (f64, Duration)> {
    let after = [0, 100, 300, 1000, 3000].map(Duration::from_micros);
    PARTS.into_iter().flat_map(move |part| after.into_iter().map(move |after| (part, after)))
}

#[test]
fn a_request_with_a_key_that_was_left_is_done_once_when_it_is_repeated() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut client = connect(&server)?;
    let mut expected = Vec::new();
    for (number, (part, after)) in moments().enumerate() {
        let headers =
            format!("Idempotency-Key: {number}\r\nmq-persistence: persistent\r\nContent-Type: text/plain\r\n");
        let path = format!("/queue/{QUEUE}/messages");
        let put = Request { method: "POST", path, headers: &headers, body: format!("put {number}") };
        put.leave(&server, part, after)?;
        put.ask(&mut client)?;
        expected.push(format!("put {number}"));
        let headers = format!("Idempotency-Key: b{number}\r\nContent-Type: application/x-ndjson\r\n");
        let lines = (0..3).map(|line| format!("{}\n", json!({ "body": { "text": format!("batch {number}.{line}") } })));
        let path = format!("/queue/{QUEUE}/messages?atomic");
        let batch = Request { method: "POST", path, headers: &headers, body: lines.collect() };
        batch.leave(&server, part, after)?;
        batch.ask(&mut client)?;
        expected.extend((0..3).map(|line| format!("batch {number}.{line}")));
    }
    assert_eq!(take_texts(&mut client, QUEUE)?, expected);
    Ok(())
}

#[test]
fn a_transaction_and_a_completion_that_were_left_are_done_once_when_they_are_repeated() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut client = connect(&server)?;
    let mut expected = Vec::new();
    for (number, (part, after)) in moments().enumerate() {
        for order in ["a", "b"] {
            put_text(&mut client, QUEUE, order)?;
        }
        let held = receive(&mut client, QUEUE, &json!({ "max": 2, "lock": "60s" }))?;
        let headers = format!("Idempotency-Key: {number}\r\n{JSON}");
        let answer = json!({ "queue": "DEV.QUEUE.2", "message": { "body": { "text": number.to_string() } } });
        let body = json!({ "complete": [text(&held[0], "token")?], "put": [answer] }).to_string();
        let transaction = Request { method: "POST", path: "/transactions".to_owned(), headers: &headers, body };
        transaction.leave(&server, part, after)?;
        transaction.ask(&mut client)?;
        expected.push(number.to_string());
        let path = format!("/deliveries/{}/complete", text(&held[1], "token")?);
        let complete = Request { method: "POST", path, headers: JSON, body: "{}".to_owned() };
        complete.leave(&server, part, after)?;
        complete.ask(&mut client)?;
    }
    assert_eq!(take_texts(&mut client, "DEV.QUEUE.2")?, expected);
    assert_eq!(take_texts(&mut client, QUEUE)?, [""; 0]);
    Ok(())
}

#[test]
fn a_message_that_a_client_did_not_stay_to_receive_comes_again() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut client = connect(&server)?;
    for (part, after) in moments() {
        put_text(&mut client, QUEUE, "order")?;
        let path = format!("/queue/{QUEUE}/deliveries");
        let body = json!({ "max": 10, "lock": LOCK, "wait": "1s" }).to_string();
        let wanted = Request { method: "POST", path, headers: JSON, body };
        wanted.leave(&server, part, after)?;
        let held = receive(&mut client, QUEUE, &json!({ "wait": "60s", "max": 10 }))?;
        ensure!(held.len() == 1, "{part} {after:?}: {held:?}");
        post(&mut client, &format!("/deliveries/{}/complete", text(&held[0], "token")?), &json!({}))?;
    }
    // A client that waits and goes away takes nothing with it.
    let path = format!("/queue/{QUEUE}/deliveries");
    let body = json!({ "lock": "60s", "wait": "60s" }).to_string();
    let wanted = Request { method: "POST", path, headers: JSON, body };
    for _ in 0..20 {
        wanted.leave(&server, 1.0, Duration::from_millis(2))?;
    }
    // The server has seen that they are gone when it holds no queue open for them.
    let started = super::now();
    while super::status(&server, QUEUE, "openInputCount")? != 0 {
        ensure!(started.elapsed() < PATIENCE, "the waits of clients that are gone do not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    put_text(&mut client, QUEUE, "later")?;
    assert_eq!(take_texts(&mut client, QUEUE)?, ["later"]);
    Ok(())
}

#[test]
fn requests_that_were_left_without_a_key_are_done_whole_or_not_at_all() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut client = connect(&server)?;
    let (mut there, mut batches, mut taken) = (0, 0, 0);
    for (number, (part, after)) in moments().enumerate() {
        put_text(&mut client, "DEV.QUEUE.3", "to take")?;
        let lines = (0..3).map(|_| json!({ "body": { "text": format!("batch {number}") } }).to_string() + "\n");
        for (path, headers, body) in [
            (format!("POST /queue/{QUEUE}/messages"), "Content-Type: text/plain\r\n", format!("put {number}")),
            (format!("POST /queue/{QUEUE}/messages?atomic"), "Content-Type: application/x-ndjson\r\n", lines.collect()),
            ("DELETE /queue/DEV.QUEUE.3/messages?max=10".to_owned(), "", String::new()),
            ("GET /queue/DEV.QUEUE.3/messages".to_owned(), "", String::new()),
        ] {
            let (method, path) = path.split_once(' ').unwrap_or_default();
            Request { method, path: path.to_owned(), headers, body }.leave(&server, part, after)?;
        }
        let texts = take_texts(&mut client, QUEUE)?;
        let of_batch = texts.iter().filter(|text| text.starts_with("batch")).count();
        // An earlier one may end while this one is looked at, so sums are judged.
        there += texts.len() - of_batch;
        batches += of_batch;
        taken += 1 - take_texts(&mut client, "DEV.QUEUE.3")?.len().min(1);
        ensure!(part >= 1.0 || texts.is_empty() || number > 20, "{part} of a request did something: {texts:?}");
    }
    ensure!(batches % 3 == 0, "{batches} messages of batches of three");
    eprintln!("done after their clients had gone: {there} puts, {} batches, {taken} gets", batches / 3);
    Ok(())
}
