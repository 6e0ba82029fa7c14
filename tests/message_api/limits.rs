//! Deliveries at their limits: as many as there may be, and locks that run out while they are completed.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use system_tests::http::Client;
use system_tests::server::{Server, ServerOptions};

use super::{BASE, JSON, connect, good, messages, post, receive, take_texts, text};

const QUEUE: &str = "DEV.QUEUE.1";
/// Together they have room for as many messages as deliveries may be open, and more.
const QUEUES: [&str; 3] = ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"];
const ON_EACH: usize = 3400;
const OPEN: usize = 10_000;
/// Of one open delivery with a message of 1 KiB.
const MOST_BYTES: usize = 20 << 10;
const AT_ONCE: usize = 1000;
const PAGE_BYTES: usize = 4096;
/// Of the messages whose locks run out: so many, and looked at so often at most.
const SHORT: usize = 200;
const MOST_LOOKS: usize = 20_000;

pub(super) fn fill(client: &mut Client, queue: &str, count: usize, text: impl Fn(usize) -> String) -> Result<()> {
    for first in (0..count).step_by(AT_ONCE) {
        let lines: String = (first..count.min(first + AT_ONCE))
            .map(|number| json!({ "persistence": "persistent", "body": { "text": text(number) } }).to_string() + "\n")
            .collect();
        let path = format!("{BASE}/queue/{queue}/messages");
        let answer = client.ask("POST", &path, "Content-Type: application/x-ndjson\r\n", lines.as_bytes())?;
        ensure!(answer.status == 200 && !answer.text().contains("error"), "{}", answer.text());
    }
    Ok(())
}

pub(super) fn resident_bytes(server: &Server) -> Result<usize> {
    let pages = std::fs::read_to_string(format!("/proc/{}/statm", server.pid()))?;
    Ok(pages.split(' ').nth(1).context("resident pages")?.parse::<usize>()? * PAGE_BYTES)
}

#[test]
fn ten_thousand_deliveries_are_open_at_once_in_bounded_memory_and_the_next_one_is_refused() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start(&ServerOptions::on(data.path()))?;
    let mut client = connect(&server)?;
    for queue in QUEUES {
        fill(&mut client, queue, ON_EACH, |number| format!("a{number:01023}"))?;
    }
    let before = resident_bytes(&server)?;
    let mut tokens = Vec::new();
    let mut queues = QUEUES.into_iter();
    let mut queue = QUEUE;
    while tokens.len() < OPEN {
        let held = receive(&mut client, queue, &json!({ "max": AT_ONCE, "lock": "10m", "body": "none" }))?;
        if held.is_empty() {
            queue = queues.next().with_context(|| format!("{} deliveries are open, and no more come", tokens.len()))?;
        }
        for delivered in &held {
            tokens.push(text(delivered, "token")?);
        }
    }
    let each = resident_bytes(&server)?.saturating_sub(before) / OPEN;
    eprintln!("an open delivery of 1 KiB takes {each} bytes");
    ensure!(each <= MOST_BYTES, "an open delivery takes {each} bytes");
    let refused = client.ask("POST", &format!("{BASE}/queue/{queue}/deliveries"), JSON, b"{}")?;
    ensure!(refused.status == 503 && refused.text().contains("MQWB0919E"), "{}", refused.text());
    ensure!(refused.header("retry-after").is_some(), "it says when to come again");
    for some in tokens.chunks(AT_ONCE) {
        let wishes: Vec<Value> = some.iter().map(|token| json!({ "token": token, "action": "complete" })).collect();
        let settled = post(&mut client, "/deliveries/settle", &json!({ "settle": wishes }))?;
        let settled = settled["settled"].as_array().context("a list")?;
        ensure!(settled.len() == some.len() && settled.iter().all(|one| one["error"].is_null()), "{settled:?}");
    }
    let left: Result<Vec<usize>> = QUEUES.iter().map(|queue| Ok(take_texts(&mut client, queue)?.len())).collect();
    assert_eq!(left?.iter().sum::<usize>(), QUEUES.len() * ON_EACH - OPEN);
    Ok(())
}

#[test]
fn a_lock_that_runs_out_while_it_is_completed_ends_in_one_way() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut client = connect(&server)?;
    fill(&mut client, QUEUE, SHORT, |number| format!("m{number}"))?;
    let seed = rand::random();
    let mut random = StdRng::seed_from_u64(seed);
    let mut completed: HashMap<String, usize> = HashMap::new();
    let (mut lost, mut looks) = (0, 0);
    while completed.len() < SHORT {
        looks += 1;
        ensure!(looks < MOST_LOOKS, "seed {seed}: {} of {SHORT} are completed", completed.len());
        let lock = random.gen_range(5..25_u64);
        let wanted = json!({ "max": 10, "lock": format!("{lock}ms"), "wait": "10s" });
        for delivered in receive(&mut client, QUEUE, &wanted)? {
            let body = text(&delivered["body"], "text")?;
            ensure!(!completed.contains_key(&body), "seed {seed}: {body} comes after its completion was answered");
            // The moment is what is tested, so it is a time and not a condition.
            std::thread::sleep(Duration::from_micros(random.gen_range(0..2_000)));
            let path = format!("{BASE}/deliveries/{}/complete", text(&delivered, "token")?);
            let mut answer = client.ask("POST", &path, "", b"")?;
            // The server ends it at this moment; how, the next answer says.
            while answer.status == 409 {
                looks += 1;
                ensure!(looks < MOST_LOOKS, "seed {seed}: the end of a lock takes for ever");
                answer = client.ask("POST", &path, "", b"")?;
            }
            match answer.status {
                200 => drop(completed.insert(body, looks)),
                410 => lost += 1,
                _ => drop(good(answer)?),
            }
        }
    }
    eprintln!("seed {seed}: {lost} locks ran out before {SHORT} messages were completed");
    ensure!(lost > 0, "no lock ran out");
    let left = good(client.ask("GET", &format!("{BASE}/queue/{QUEUE}/messages"), "", b"")?)?;
    ensure!(messages(&left).is_empty(), "{left}");
    Ok(())
}
