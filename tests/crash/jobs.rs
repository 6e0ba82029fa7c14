//! Jobs over many persistent messages, killed again and again: each message is on one queue or on the other, and what the job says
//! of itself after the restart is exactly what it did. So it is with a move, and with the undo of a replay.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use system_tests::requester::exchange;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use crate::crash::setting;

const FROM: &str = "DEV.QUEUE.1";
const TO: &str = "DEV.QUEUE.2";
const MESSAGES: u64 = 5000;
const KILLS: u32 = 3;
/// Longest wait for a job to come as far as is wanted.
const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn a_move_that_is_killed_leaves_each_message_on_one_queue_and_tells_how_many_it_moved() -> Result<()> {
    let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
    eprintln!("killed moves: QUAYMASTER_SEED={seed}");
    move_and_kill(&mut StdRng::seed_from_u64(seed)).with_context(|| format!("QUAYMASTER_SEED={seed}"))
}

fn move_and_kill(random: &mut StdRng) -> Result<()> {
    let data = tempfile::tempdir()?;
    let options = ServerOptions::on(data.path());
    let server = Server::start(&options)?;
    fill(&server, &json!([]))?;
    server.kill();
    let mut moved = 0;
    for kill in 1..=KILLS {
        let server = Server::start(&options).with_context(|| format!("start before kill {kill}"))?;
        let location = start_move(&server)?;
        // Of what is left, so that later rounds have something to do.
        let wanted = random.gen_range(1..=(MESSAGES - moved) / 2);
        await_job(&server, &location, |job| done(job) >= wanted)?;
        let said = server.kill();
        ensure!(!said.contains("panicked"), "the server panicked: {said}");

        let server = Server::start(&options).with_context(|| format!("start after kill {kill}"))?;
        let job = get(&server, &location)?;
        eprintln!("killed moves: kill {kill} at {wanted} messages: {}", job["counts"]);
        ensure!(job["state"] == "interrupted" || job["state"] == "done", "{job}");
        ensure!(done(&job) >= wanted, "the job has forgotten what it had told: {wanted}, then {job}");
        moved += done(&job);
        let (from, to) = (bodies(&server, FROM)?, bodies(&server, TO)?);
        ensure!(to.len() as u64 == moved, "the jobs have moved {moved}, and {} are there", to.len());
        ensure!(from.is_disjoint(&to), "messages are on both queues");
        ensure!((from.len() + to.len()) as u64 == MESSAGES, "{} and {} of {MESSAGES}", from.len(), to.len());
        server.kill();
    }
    let server = Server::start(&options)?;
    let location = start_move(&server)?;
    let job = await_job(&server, &location, |job| job["state"] != "running")?;
    ensure!(job["state"] == "done" && done(&job) == MESSAGES - moved, "{job}");
    ensure!(bodies(&server, TO)?.len() as u64 == MESSAGES && bodies(&server, FROM)?.is_empty(), "all are moved");
    Ok(())
}

#[test]
fn an_undo_of_a_replay_that_is_killed_leaves_each_message_once_as_a_dead_letter_or_as_it_was_replayed() -> Result<()> {
    let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
    eprintln!("killed undos: QUAYMASTER_SEED={seed}");
    undo_and_kill(&mut StdRng::seed_from_u64(seed)).with_context(|| format!("QUAYMASTER_SEED={seed}"))
}

fn undo_and_kill(random: &mut StdRng) -> Result<()> {
    let data = tempfile::tempdir()?;
    let options = ServerOptions::on(data.path());
    let mut server = Server::start(&options)?;
    fill(&server, &json!([{ "structure": "MQDLH", "reason": 2053, "destinationQueue": TO }]))?;
    for kill in 1..=KILLS {
        let dead = dead_letters(&server)?;
        let replay =
            start(&server, &format!("/qmgr/QM1/queue/{FROM}/jobs"), &json!({ "action": "replay", "context": "new" }))?;
        let job = await_job(&server, &replay, |job| job["state"] != "running")?;
        ensure!(done(&job) == dead && job["undo"] == true, "{job}");
        let undo = start(&server, &format!("{replay}/undo"), &json!({ "context": "new" }))?;
        let wanted = random.gen_range(1..=dead / 2);
        await_job(&server, &undo, |job| done(job) >= wanted)?;
        let said = server.kill();
        ensure!(!said.contains("panicked"), "the server panicked: {said}");

        server = Server::start(&options).with_context(|| format!("start after kill {kill}"))?;
        let job = get(&server, &undo)?;
        eprintln!("killed undos: kill {kill} at {wanted} messages: {}", job["counts"]);
        ensure!(job["state"] == "interrupted" || job["state"] == "done", "{job}");
        ensure!(done(&job) >= wanted && job["counts"]["gone"] == 0, "{wanted}, then {job}");
        let (from, to) = (bodies(&server, FROM)?, bodies(&server, TO)?);
        ensure!(
            from.len() as u64 == done(&job),
            "the undo has put back {}, and {} are there",
            job["counts"],
            from.len()
        );
        ensure!(dead_letters(&server)? == done(&job), "each that is back has its dead-letter header");
        ensure!(from.is_disjoint(&to), "messages are on both queues");
        ensure!((from.len() + to.len()) as u64 == MESSAGES, "{} and {} of {MESSAGES}", from.len(), to.len());
    }
    server.kill();
    Ok(())
}

/// Messages of the first queue that have their dead-letter header.
fn dead_letters(server: &Server) -> Result<u64> {
    let order = json!({ "action": "purge", "dryRun": true, "deadLetter": { "reason": 2053, "queue": TO } });
    let counting = start(server, &format!("/qmgr/QM1/queue/{FROM}/jobs"), &order)?;
    Ok(done(&await_job(server, &counting, |job| job["state"] != "running")?))
}

/// All messages in one unit of work.
fn fill(server: &Server, headers: &Value) -> Result<()> {
    let line = |number| json!({ "persistence": "persistent", "headers": headers, "body": { "text": format!("message {number}") } });
    let lines: String = (0..MESSAGES).map(|number| format!("{}\n", line(number))).collect();
    let path = format!("/qmgr/QM1/queue/{FROM}/messages?atomic");
    let (status, answer) = call(server, "POST", &path, "application/x-ndjson", lines.as_bytes())?;
    ensure!(status == 200, "{status} {answer}");
    Ok(())
}

fn start_move(server: &Server) -> Result<String> {
    let order = json!({ "action": "move", "to": { "queue": TO }, "context": "new" });
    start(server, &format!("/qmgr/QM1/queue/{FROM}/jobs"), &order)
}

/// The path of the job.
fn start(server: &Server, path: &str, order: &Value) -> Result<String> {
    let (status, answer) = call(server, "POST", path, "application/json", order.to_string().as_bytes())?;
    ensure!(status == 202, "{status} {answer}");
    Ok(format!("/jobs/{}", answer["id"].as_str().context("a job has an id")?))
}

fn await_job(server: &Server, location: &str, is_there: impl Fn(&Value) -> bool) -> Result<Value> {
    let begun = tokio::time::Instant::now();
    loop {
        let job = get(server, location)?;
        if is_there(&job) {
            return Ok(job);
        }
        ensure!(begun.elapsed() < LIMIT, "the job does not come on: {job}");
    }
}

fn done(job: &Value) -> u64 {
    job["counts"]["done"].as_u64().unwrap_or(0)
}

/// The texts of all messages of a queue. A text that is there twice is a failure.
fn bodies(server: &Server, queue: &str) -> Result<HashSet<String>> {
    let mut texts = HashSet::new();
    let mut cursor = String::new();
    // A page has a message at least.
    for _ in 0..=MESSAGES {
        let page = get(server, &format!("/qmgr/QM1/queue/{queue}/messages?limit=1000&body=text{cursor}"))?;
        for message in page["messages"].as_array().context("a list of messages")? {
            let text = message["body"]["text"].as_str().context("a message has a text")?;
            ensure!(texts.insert(text.to_owned()), "{text} is on {queue} twice");
        }
        match page["cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    Ok(texts)
}

fn get(server: &Server, path: &str) -> Result<Value> {
    let (status, answer) = call(server, "GET", path, "application/json", b"")?;
    ensure!(status == 200, "{path}: {status} {answer}");
    Ok(answer)
}

/// Status and JSON; `Null` for an answer of lines.
fn call(server: &Server, method: &str, path: &str, content_type: &str, body: &[u8]) -> Result<(u16, Value)> {
    let to = server.ready.http.context("a plain listener")?;
    let credentials = STANDARD.encode(format!("app:{APP_PASSWORD}"));
    let headers = [format!("Authorization: Basic {credentials}"), format!("Content-Type: {content_type}")];
    let answer = exchange(to, method, &format!("/api/v1{path}"), &headers, body)?;
    Ok((answer.status, serde_json::from_slice(&answer.body).unwrap_or_default()))
}
