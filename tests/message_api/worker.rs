//! `examples/message-api-worker`: its README works as pasted; killed at random, with its server, it answers each order once.
//!
//! `QUAYMASTER_KILL_ROUNDS` sets the kills (default 5).

use std::collections::HashMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use super::{BASE, connect, good, messages};
use crate::crash::setting;
use crate::readme::shell_blocks;
use crate::services::{Checkout, repository};

const ORDERS: &str = "DEV.QUEUE.1";
const ANSWERS: &str = "DEV.QUEUE.2";
const WORKERS: usize = 3;
const ORDERS_A_KILL: usize = 15;
/// Between two kills, and to the last answer.
const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn the_readme_of_the_worker_works_as_pasted() -> Result<()> {
    let readme = std::fs::read_to_string(repository()?.join("examples/message-api-worker/README.md"))?;
    let blocks = shell_blocks(&readme).concat();
    ensure!(blocks.lines().count() == 3, "three commands: {blocks}");
    let settings = format!("export URL=https://localhost:9443 MQ_PASSWORD={APP_PASSWORD}\n");
    let out = Checkout::new()?.run(&(settings + &blocks))?;
    ensure!(out.contains("answered 1\nanswered 2\nanswered 3\n"), "{out}");
    ensure!(out.matches("accepted").count() == 3, "{out}");
    Ok(())
}

#[test]
fn each_order_is_answered_once_when_workers_and_server_are_killed_at_random() -> Result<()> {
    let kills: usize = setting("QUAYMASTER_KILL_ROUNDS")?.unwrap_or(5);
    let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
    eprintln!("worker: {kills} kills, QUAYMASTER_SEED={seed}");
    kill(kills, seed).with_context(|| format!("QUAYMASTER_SEED={seed}"))
}

fn kill(kills: usize, seed: u64) -> Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let data = tempfile::tempdir()?;
    // Workers find a server that was started again where it was.
    let options = ServerOptions::on(data.path()).https_on(&free_address()?);
    let mut server = Server::start(&options)?;
    let url = server.https_url()?;
    let orders = kills * ORDERS_A_KILL;
    put_orders(&server, orders)?;
    let mut workers = (0..WORKERS).map(|_| Worker::start(&url, data.path())).collect::<Result<Vec<_>>>()?;
    let (mut of_server, mut reached) = (0, 0);
    for kill in 1..=kills {
        reached += random.gen_range(1..ORDERS_A_KILL);
        await_answers(&server, reached.min(orders))?;
        // A moment of the next orders.
        std::thread::sleep(Duration::from_millis(random.gen_range(0..40)));
        if random.gen_bool(0.5) || kill == 1 {
            server.kill();
            server = Server::start(&options)?;
            of_server += 1;
        } else {
            let index = random.gen_range(0..WORKERS);
            workers[index] = Worker::start(&url, data.path())?;
        }
        reached = reached.max(depth(&server, ANSWERS)?);
    }
    await_answers(&server, orders)?;
    // A worker that still works has an order of before a kill: its transaction is refused.
    await_depth(&server, ORDERS, |depth| depth == 0)?;
    drop(workers);
    judge(&server, orders)?;
    eprintln!("worker: {orders} orders, the server was killed {of_server} times");
    Ok(())
}

fn judge(server: &Server, orders: usize) -> Result<()> {
    let mut client = connect(server)?;
    let mut times: HashMap<u64, u32> = HashMap::new();
    let mut cursor = String::new();
    loop {
        let path = format!("{BASE}/queue/{ANSWERS}/messages?limit=1000{cursor}");
        let page = good(client.ask("GET", &path, "", b"")?)?;
        for message in messages(&page) {
            *times.entry(message["body"]["json"]["order"].as_u64().context("the answer of an order")?).or_default() +=
                1;
        }
        match page["cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times != 1).collect();
    ensure!(twice.is_empty(), "answered more than once: {twice:?}");
    let lost: Vec<_> = (0..orders as u64).filter(|order| !times.contains_key(order)).collect();
    ensure!(lost.is_empty() && times.len() == orders, "without an answer: {lost:?}");
    Ok(())
}

fn put_orders(server: &Server, orders: usize) -> Result<()> {
    let mut client = connect(server)?;
    let line =
        |order| json!({ "persistence": "persistent", "body": { "json": { "order": order } } }).to_string() + "\n";
    for first in (0..orders).step_by(500) {
        let lines: String = (first..orders.min(first + 500)).map(line).collect();
        let path = format!("{BASE}/queue/{ORDERS}/messages?atomic");
        good(client.ask("POST", &path, "Content-Type: application/x-ndjson\r\n", lines.as_bytes())?)?;
    }
    Ok(())
}

/// Killed when it is dropped.
struct Worker(Child);

impl Worker {
    fn start(url: &str, data: &Path) -> Result<Self> {
        let script: PathBuf = repository()?.join("examples/message-api-worker/worker.py");
        let mut command = Command::new("python3");
        command.arg(script).env("URL", url).env("DATA", data).env("MQ_PASSWORD", APP_PASSWORD);
        // What a killed worker has locked comes again soon.
        command.env("LOCK", "2s").env("WORK_SECONDS", "0.01");
        Ok(Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn await_answers(server: &Server, number: usize) -> Result<()> {
    await_depth(server, ANSWERS, |depth| depth >= number)
}

fn await_depth(server: &Server, queue: &str, wanted: impl Fn(usize) -> bool) -> Result<()> {
    let started = super::now();
    loop {
        let depth = depth(server, queue)?;
        if wanted(depth) {
            return Ok(());
        }
        ensure!(started.elapsed() < LIMIT, "{queue} stays at {depth} messages: {}", server.errors());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn depth(server: &Server, queue: &str) -> Result<usize> {
    let status: Value = super::status(server, queue, "currentDepth")?;
    Ok(usize::try_from(status.as_u64().context("a depth")?)?)
}

/// Not one of those that the system gives to clients, so that a client never connects to itself while the server is away.
fn free_address() -> Result<String> {
    let first = rand::thread_rng().gen_range(20_000..30_000);
    let port = (first..first + 1000).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    Ok(format!("127.0.0.1:{}", port.context("a free port")?))
}
