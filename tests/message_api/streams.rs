//! Streams of the real process: readers that stop reading, clients and servers that are killed, streams that go on after a loss.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};
use system_tests::wire;

use super::limits::{fill, resident_bytes};
use super::{BASE, connect, messages, now, post, put_text, receive, status, take_texts, text};

const QUEUE: &str = "DEV.QUEUE.1";
/// Of those that browse.
const BROWSED: &str = "DEV.QUEUE.3";
const PATIENCE: Duration = Duration::from_secs(300);
/// Streams whose clients do not read, messages on the queue, and bytes of each.
const STALLED: usize = 40;
const LONG: usize = 400;
const LONG_BYTES: usize = 128 << 10;
/// One piece, what the connection has taken of it, and the connection.
const BYTES_OF_ONE: usize = 1 << 20;

/// A stream of lines that is read.
struct Lines {
    socket: TcpStream,
    /// What was read and is no whole line.
    buffer: Vec<u8>,
    /// Of the chunk that is being read, and whether its size comes next.
    left: usize,
}

impl Lines {
    fn open(server: &Server, path: &str, headers: &str) -> Result<Self> {
        let address = server.ready.http.context("the server speaks HTTP")?;
        let mut socket = wire::connect(address)?;
        let credentials = STANDARD.encode(format!("app:{APP_PASSWORD}"));
        let head = format!(
            "GET {BASE}{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Basic {credentials}\r\n{headers}\r\n"
        );
        socket.write_all(head.as_bytes())?;
        Ok(Self { socket, buffer: Vec::new(), left: 0 })
    }

    /// Reads the head of the answer.
    fn begun(mut self) -> Result<Self> {
        let head = self.until(b"\r\n\r\n")?;
        ensure!(head.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head));
        Ok(self)
    }

    fn more(&mut self) -> Result<()> {
        let mut piece = [0; 16 << 10];
        let length = self.socket.read(&mut piece)?;
        ensure!(length > 0, "the connection ended");
        self.buffer.extend_from_slice(&piece[..length]);
        Ok(())
    }

    fn until(&mut self, end: &[u8]) -> Result<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(end.len()).position(|window| window == end) {
                let mut taken: Vec<u8> = self.buffer.drain(..at + end.len()).collect();
                taken.truncate(at);
                return Ok(taken);
            }
            self.more()?;
        }
    }

    /// The next line that is no heartbeat. Lines do not cross chunks more often than messages are long.
    fn next(&mut self) -> Result<Value> {
        let mut line = Vec::new();
        loop {
            if self.left == 0 {
                let size = self.until(b"\r\n")?;
                let size = if size.is_empty() { self.until(b"\r\n")? } else { size };
                self.left = usize::from_str_radix(std::str::from_utf8(&size)?, 16)?;
                ensure!(self.left > 0, "the stream ended");
            }
            while self.buffer.is_empty() {
                self.more()?;
            }
            let there = self.left.min(self.buffer.len());
            let end = self.buffer[..there].iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(there, |end| end + 1);
            line.extend(self.buffer.drain(..taken));
            self.left -= taken;
            if end.is_some() {
                let value: Value = serde_json::from_slice(&line)?;
                if value.as_object().is_some_and(|object| !object.is_empty()) {
                    ensure!(value["error"].is_null(), "{value}");
                    return Ok(value);
                }
                line.clear();
            }
        }
    }
}

fn body(message: &Value) -> Result<String> {
    text(&message["body"], "text")
}

fn open_streams(server: &Server) -> Result<usize> {
    let page = connect(server)?.ask("GET", "/metrics", "", b"")?.text();
    let line = page.lines().find_map(|line| line.strip_prefix("quaymaster_message_api_streams "));
    Ok(line.context("a sample")?.parse()?)
}

#[test]
fn readers_that_stop_reading_hold_bounded_memory_and_hold_up_no_others() -> Result<()> {
    let data = tempfile::tempdir()?;
    crate::client::write(
        &data.path().join("quaymaster.toml"),
        "[limits]\nidle_seconds = 5\n[metrics]\non_https = true\n",
    )?;
    let server = Server::start(&ServerOptions::on(data.path()))?;
    let mut client = connect(&server)?;
    // Those that browse have a queue to themselves: what others hold while they pass is not shown to them.
    for queue in [QUEUE, BROWSED] {
        fill(&mut client, queue, LONG, |number| format!("{}{number}", "x".repeat(LONG_BYTES)))?;
    }
    let before = resident_bytes(&server)?;
    let mut stalled = Vec::new();
    for number in 0..STALLED {
        let (queue, how) = if number % 2 == 0 { (BROWSED, "browse") } else { (QUEUE, "lock=2s&max=1000") };
        stalled.push(Lines::open(&server, &format!("/queue/{queue}/stream?{how}"), "")?.begun()?);
    }
    // Others put, receive and complete meanwhile.
    let started = now();
    for number in 0..200 {
        put_text(&mut client, "DEV.QUEUE.2", &number.to_string())?;
        let held = receive(&mut client, "DEV.QUEUE.2", &json!({ "wait": "60s" }))?;
        ensure!(held.len() == 1, "{held:?}");
        post(&mut client, &format!("/deliveries/{}/complete", text(&held[0], "token")?), &json!({}))?;
    }
    ensure!(started.elapsed() < PATIENCE, "others are held up: {:?}", started.elapsed());
    let grown = resident_bytes(&server)?.saturating_sub(before);
    eprintln!("{STALLED} streams that are not read take {} KiB each", grown / STALLED / 1024);
    ensure!(grown <= STALLED * BYTES_OF_ONE, "{STALLED} streams take {grown} bytes");
    let started = now();
    while open_streams(&server)? > 0 {
        ensure!(started.elapsed() < PATIENCE, "streams that are not read do not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    // What was out comes back; nothing is lost.
    let mut reader =
        Lines::open(&server, &format!("/queue/{QUEUE}/stream?lock=60s&max=1000&body=none"), "")?.begun()?;
    let mut positions = BTreeMap::new();
    while positions.len() < LONG {
        let message = reader.next()?;
        ensure!(positions.insert(text(&message, "position")?, ()).is_none(), "{message} comes twice");
    }
    Ok(())
}

/// curl that reads a stream, as a process of its own.
fn curl(server: &Server, path: &str) -> Result<Child> {
    let address = server.ready.http.context("the server speaks HTTP")?;
    let url = format!("http://{address}{BASE}{path}");
    let mut command = Command::new("curl");
    command.args(["-sSN", "-u", &format!("app:{APP_PASSWORD}"), &url]);
    Ok(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?)
}

#[test]
fn messages_of_a_client_that_is_killed_in_its_stream_come_again_and_none_is_lost() -> Result<()> {
    const COUNT: usize = 300;
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut client = connect(&server)?;
    fill(&mut client, QUEUE, COUNT, |number| format!("{number:05}"))?;
    let seed = rand::random();
    let mut random = StdRng::seed_from_u64(seed);
    for round in 0..20 {
        let mut reading = curl(&server, &format!("/queue/{QUEUE}/stream?lock=200ms&max=100"))?;
        // It is killed after it has read so much, wherever in an event that is.
        let mut some = vec![0; random.gen_range(1..20_000)];
        reading.stdout.take().context("its output")?.read_exact(&mut some)?;
        reading.kill()?;
        reading.wait()?;
        ensure!(!some.is_empty(), "seed {seed}, round {round}");
    }
    let mut seen: BTreeMap<String, i64> = BTreeMap::new();
    let started = now();
    while seen.len() < COUNT {
        ensure!(started.elapsed() < PATIENCE, "seed {seed}: {} of {COUNT} come again", seen.len());
        for delivered in receive(&mut client, QUEUE, &json!({ "max": 100, "wait": "5s", "lock": "60s" }))? {
            let backed_out = delivered["backoutCount"].as_i64().unwrap_or_default();
            ensure!(seen.insert(body(&delivered)?, backed_out).is_none(), "seed {seed}: {delivered} comes twice");
            post(&mut client, &format!("/deliveries/{}/complete", text(&delivered, "token")?), &json!({}))?;
        }
    }
    ensure!(seen.values().any(|count| *count > 0), "seed {seed}: none was out when its client was killed");
    assert_eq!(take_texts(&mut client, QUEUE)?, [""; 0]);
    assert_eq!(open_deliveries(&server)?, 0);
    Ok(())
}

fn open_deliveries(server: &Server) -> Result<i64> {
    status(server, QUEUE, "uncommittedMessages").map(|count| count.as_i64().unwrap_or_default())
}

#[test]
fn messages_that_a_stream_has_delivered_are_there_again_when_the_server_is_killed() -> Result<()> {
    const COUNT: usize = 500;
    let data = tempfile::tempdir()?;
    let options = ServerOptions::on(data.path());
    let server = Server::start(&options)?;
    let mut client = connect(&server)?;
    fill(&mut client, QUEUE, COUNT, |number| format!("{number:05}"))?;
    let mut stream = Lines::open(&server, &format!("/queue/{QUEUE}/stream?lock=12h&max=200"), "")?.begun()?;
    let mut expected: Vec<String> = (0..COUNT).map(|number| format!("{number:05}")).collect();
    for number in 0..250 {
        let delivered = stream.next()?;
        if number % 5 == 0 {
            let done = body(&delivered)?;
            post(&mut client, &format!("/deliveries/{}/complete", text(&delivered, "token")?), &json!({}))?;
            expected.retain(|text| *text != done);
        }
        if number >= 200 && number % 5 != 0 {
            // More are delivered only as others are completed.
            break;
        }
    }
    server.kill();
    let server = Server::start(&options)?;
    let mut client = connect(&server)?;
    assert_eq!(take_texts(&mut client, QUEUE)?, expected);
    Ok(())
}

#[test]
fn a_stream_that_was_lost_goes_on_and_shows_each_message_once() -> Result<()> {
    const COUNT: usize = 2000;
    const MOST_STREAMS: usize = 1000;
    let data = tempfile::tempdir()?;
    let options = ServerOptions::on(data.path());
    let mut server = Server::start(&options)?;
    let seed = rand::random();
    let mut random = StdRng::seed_from_u64(seed);
    // Batches and single messages of different priorities, put while streams are read: they become visible in another order than
    // they were put in.
    let address = server.ready.http.context("the server speaks HTTP")?;
    let writer = |from: usize, to: usize, address| {
        std::thread::spawn(move || -> Result<()> {
            let mut single = super::connect_to(address)?;
            let mut batch = super::connect_to(address)?;
            for first in (from..to).step_by(20) {
                let line = |number: usize| {
                    let message = json!({
                        "persistence": "persistent", "priority": number % 3, "body": { "text": format!("{number:05}") }
                    });
                    message.to_string() + "\n"
                };
                let lines: String = (first..first + 10).map(line).collect();
                let path = format!("{BASE}/queue/{QUEUE}/messages");
                batch.send(
                    "POST",
                    &format!("{path}?atomic"),
                    "Content-Type: application/x-ndjson\r\n",
                    lines.as_bytes(),
                )?;
                for number in first + 10..first + 20 {
                    let answer =
                        single.ask("POST", &format!("{path}?envelope"), super::JSON, line(number).as_bytes())?;
                    ensure!(answer.status == 201, "{}", answer.text());
                }
                let answer = batch.answer()?;
                ensure!((200..300).contains(&answer.status), "{}", answer.text());
            }
            Ok(())
        })
    };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut last = String::new();
    let mut writing = Some(writer(0, COUNT / 2, address));
    let mut was_killed = false;
    for streams in 0..MOST_STREAMS {
        if seen.len() == COUNT {
            break;
        }
        if seen.len() == COUNT / 2 && !was_killed {
            writing.take().context("a writer")?.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
            server.kill();
            server = Server::start(&options)?;
            writing = Some(writer(COUNT / 2, COUNT, server.ready.http.context("an address")?));
            was_killed = true;
        }
        let header = if last.is_empty() { String::new() } else { format!("Last-Event-ID: {last}\r\n") };
        let mut stream =
            Lines::open(&server, &format!("/queue/{QUEUE}/stream?browse&heartbeat=1s"), &header)?.begun()?;
        let most = random.gen_range(1..200);
        for _ in 0..most {
            let limit = if was_killed { COUNT } else { COUNT / 2 };
            if seen.len() == limit {
                break;
            }
            let message = stream.next().with_context(|| format!("seed {seed}: {} after {streams}", seen.len()))?;
            last = text(&message, "cursor")?;
            let shown = body(&message)?;
            if let Some(before) = seen.insert(shown.clone(), streams) {
                bail!("seed {seed}: {shown} comes in stream {before} and again in {streams}");
            }
        }
        // The client is gone without a word, in the middle of whatever comes.
    }
    if let Some(writing) = writing {
        writing.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
    }
    ensure!(seen.len() == COUNT, "seed {seed}: {} of {COUNT} were shown", seen.len());
    ensure!(was_killed, "the server was not killed");
    let mut client = connect(&server)?;
    let page = client.ask("GET", &format!("{BASE}/queue/{QUEUE}/messages?limit=1"), "", b"")?.json();
    ensure!(messages(&page).len() == 1, "they are there still");
    Ok(())
}

#[test]
fn a_stream_is_told_why_it_ends_when_the_server_stops() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut stream = Lines::open(&server, &format!("/queue/{QUEUE}/stream?browse"), "")?.begun()?;
    put_text(&mut connect(&server)?, QUEUE, "a")?;
    assert_eq!(body(&stream.next()?)?, "a");
    let reading = std::thread::spawn(move || {
        let mut rest = Vec::new();
        let ended = stream.socket.read_to_end(&mut rest);
        (ended.map_err(|error| error.kind()), String::from_utf8_lossy(&rest).into_owned())
    });
    server.terminate()?;
    let (ended, rest) = reading.join().map_err(|_| anyhow::anyhow!("the reader panicked"))?;
    ensure!(matches!(ended, Ok(_) | Err(ErrorKind::ConnectionReset)), "{ended:?}");
    // The server tells its queue managers at the same time: whichever the stream learns of first is its reason.
    ensure!(rest.contains("MQWB0985E") || rest.contains("MQRC_Q_MGR_QUIESCING"), "{rest}");
    ensure!(rest.contains("{\"error\":") && rest.ends_with("0\r\n\r\n"), "{rest}");
    Ok(())
}
