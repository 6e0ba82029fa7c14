//! What one client can take from the others and from the machine: the real process under attack, its peak memory and its
//! health watched from beside.
//!
//! Attacks are of bounded size, so that the suite stays quick; limits are lowered where that takes it to reach them.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};

use crate::client::block_on;

const MESSAGE: &str = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";
const PATIENCE: Duration = Duration::from_secs(30);
/// What an attack may make the whole process hold.
const MOST_MEMORY: u64 = 300 << 20;
/// What it may hold once an attack with long bodies is over.
const KEPT_MEMORY: u64 = 100 << 20;
/// How long health may take to answer, on a machine that does nothing else.
const HEALTH: Duration = Duration::from_millis(100);
/// Between two questions for health.
const BETWEEN: Duration = Duration::from_millis(5);
/// Of so many answers, the slowest is left out.
const ONE_IN: usize = 100;
/// Where the watch asks, which tells it to.
const WATCHED: &str = "ATTACK_WATCHES_HEALTH_AT";

fn basic(user: &str, password: &str) -> String {
    // "app:app-password-of-tests" and "admin:..." in Base64.
    let encoded = base64(format!("{user}:{password}").as_bytes());
    format!("authorization: Basic {encoded}\r\n")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let group =
            three.iter().fold(0_usize, |group, &byte| (group << 8) | usize::from(byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let digit = char::from(DIGITS[(group >> (18 - 6 * place)) & 63]);
            text.push(if place > three.len() { '=' } else { digit });
        }
    }
    text
}

fn start(data: &std::path::Path, limits: &[(&str, &str)]) -> Result<Server> {
    let mut options = ServerOptions::on(data);
    options.environment =
        limits.iter().map(|&(name, value)| (format!("QUAYMASTER_{name}"), value.to_owned())).collect();
    Server::start(&options)
}

fn http(server: &Server) -> Result<SocketAddr> {
    server.ready.http.context("it speaks HTTP")
}

fn metrics(server: &Server) -> Result<SocketAddr> {
    let ready: serde_json::Value = serde_json::from_str(&server.ready.line)?;
    Ok(ready["metrics"].as_str().context("the ready line names the metrics")?.parse()?)
}

/// Highest resident memory of the process so far, in bytes.
fn peak_memory(server: &Server) -> Result<u64> {
    memory(server, "VmHWM:")
}

/// A line of the process's status, in bytes.
fn memory(server: &Server, which: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid()))?;
    let line = status.lines().find_map(|line| line.strip_prefix(which)).context("Linux tells the memory")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes << 10)
}

fn connect(to: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(to)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// From another address of this machine.
fn connect_from(source: Ipv4Addr, to: SocketAddr) -> Result<TcpStream> {
    let stream = block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::V4(source), 0))?;
        socket.connect(to).await?.into_std()
    })?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Sends one request and reads the answer up to the end of its head, or as much of it as came.
fn exchange(stream: &mut TcpStream, request: &str, body: &[u8]) -> Result<String> {
    stream.write_all(request.as_bytes())?;
    // A refusal may come before all of a body is taken.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while !answer.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => break,
            length => answer.extend_from_slice(&buffer[..length]),
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "how long health takes to answer is what is tested")]
fn now() -> Instant {
    Instant::now()
}

/// Asks for health again and again, until standard input ends. In turns with it, the watch asks a thread of its own that
/// answers at once: that takes long only when the machine has no time for either.
#[test]
#[ignore = "attacks run it, as a process of its own, so that their own threads do not hold it up"]
fn watch() -> Result<()> {
    let Ok(address) = std::env::var(WATCHED) else { return Ok(()) };
    let own = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address_of_own = own.local_addr()?;
    std::thread::spawn(move || {
        for stream in own.incoming() {
            let answered = stream.and_then(|mut stream| {
                let _ = stream.read(&mut [0; 512])?;
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")
            });
            answered.expect("the watch's own exchange works");
        }
    });
    let (input, ended) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(input);
    });
    let ask = |address: SocketAddr| -> Result<Duration> {
        let begun = now();
        let request = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let answer = exchange(&mut connect(address)?, request, b"")?;
        ensure!(status(&answer) == "200", "{answer}");
        Ok(begun.elapsed())
    };
    let address = address.parse()?;
    let (mut health, mut own) = (Vec::new(), Vec::new());
    loop {
        health.push(ask(address)?);
        own.push(ask(address_of_own)?);
        if ended.recv_timeout(BETWEEN) == Err(mpsc::RecvTimeoutError::Disconnected) {
            break;
        }
    }
    println!("\n{WATCHED} {} {} {}", slowest(&mut health).as_micros(), slowest(&mut own).as_micros(), health.len());
    Ok(())
}

/// The slowest but for one in a hundred, and for one at least.
fn slowest(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    let left_out = times.len().div_ceil(ONE_IN);
    times.iter().rev().nth(left_out).or(times.first()).copied().unwrap_or_default()
}

/// What the watch has seen.
struct Health {
    slowest: Duration,
    /// The same of the exchange that the server has no part in.
    slowest_of_own: Duration,
    answers: usize,
}

/// Does `attack` while health is watched.
fn watched<T>(server: &Server, attack: impl FnOnce() -> Result<T>) -> Result<(T, Health)> {
    let mut watch = Command::new(std::env::current_exe()?);
    watch.args(["--exact", "attack::watch", "--ignored", "--nocapture"]);
    watch.env(WATCHED, metrics(server)?.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let watch = watch.spawn()?;
    let outcome = attack();
    // Its standard input ends here.
    let output = watch.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "health: {text}");
    let line = text.lines().find_map(|line| line.strip_prefix(WATCHED)).context("what the watch has seen")?;
    let numbers: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [slowest, slowest_of_own, answers] = numbers[..] else { anyhow::bail!("{line}") };
    let health = Health {
        slowest: Duration::from_micros(slowest),
        slowest_of_own: Duration::from_micros(slowest_of_own),
        answers: usize::try_from(answers)?,
    };
    Ok((outcome?, health))
}

fn check(server: &Server, health: &Health) -> Result<()> {
    let peak = peak_memory(server)?;
    let Health { slowest, slowest_of_own, answers } = *health;
    println!("peak {} MiB; health {slowest:?} of {answers} answers, without the server {slowest_of_own:?}", peak >> 20);
    ensure!(peak < MOST_MEMORY, "{} MiB", peak >> 20);
    ensure!(slowest < HEALTH + slowest_of_own, "health took {slowest:?}, an exchange without it {slowest_of_own:?}");
    Ok(())
}

#[test]
fn silent_sockets_leave_room_for_other_listeners_and_other_addresses() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = start(data.path(), &[("LIMITS_CONNECTIONS", "300"), ("LIMITS_CONNECTIONS_PER_ADDRESS", "200")])?;
    let address = http(&server)?;
    let (_crowd, health) = watched(&server, || (0..800).map(|_| connect(address)).collect::<Result<Vec<_>>>())?;
    let user = basic("app", APP_PASSWORD);
    let mut other = connect_from(Ipv4Addr::new(127, 0, 0, 2), address)?;
    let answer = exchange(&mut other, &format!("GET {MESSAGE} HTTP/1.1\r\nhost: x\r\n{user}\r\n"), b"")?;
    assert_eq!(status(&answer), "204", "{answer}");
    check(&server, &health)?;
    let end = now() + PATIENCE;
    let lines = loop {
        let lines = server.errors().lines().filter(|line| line.contains("made_room")).count();
        if lines > 0 || now() > end {
            break lines;
        }
        std::thread::yield_now();
    };
    ensure!((1..20).contains(&lines), "{lines} lines for 600 connections: {}", server.errors());
    Ok(())
}

#[test]
fn an_administrative_body_of_zeros_costs_nothing() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = start(data.path(), &[])?;
    let before = peak_memory(&server)?;
    let zeros = format!("{{\"name\":[{}0]}}", "0,".repeat(47 << 20)).into_bytes();
    let user = basic("admin", ADMIN_PASSWORD);
    let (answers, health) = watched(&server, || {
        let mut answers = Vec::new();
        for framing in [format!("content-length: {}\r\n", zeros.len()), "transfer-encoding: chunked\r\n".to_owned()] {
            let request = format!(
                "POST /ibmmq/rest/v1/admin/qmgr/QM1/queue HTTP/1.1\r\nhost: x\r\n{user}{framing}\
                 ibm-mq-rest-csrf-token: x\r\ncontent-type: application/json\r\n\r\n"
            );
            let mut stream = connect(http(&server)?)?;
            if framing.starts_with("transfer") {
                stream.write_all(format!("{request}{:x}\r\n", zeros.len()).as_bytes())?;
                answers.push(exchange(&mut stream, "", &zeros)?);
            } else {
                answers.push(exchange(&mut stream, &request, &zeros)?);
            }
        }
        Ok(answers)
    })?;
    for answer in answers {
        assert_eq!(status(&answer), "413", "{answer}");
    }
    let cost = peak_memory(&server)?.saturating_sub(before);
    ensure!(cost < 32 << 20, "{} MiB", cost >> 20);
    check(&server, &health)
}

#[test]
fn bodies_in_flight_share_a_budget() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = start(data.path(), &[])?;
    let user = basic("app", APP_PASSWORD);
    let address = http(&server)?;
    let body = vec![b'x'; 90 << 20];
    // Half of them are longer than any message may be; the others would be taken, and stop half way.
    let put = |length: usize| {
        format!(
            "POST {MESSAGE} HTTP/1.1\r\nhost: x\r\n{user}ibm-mq-rest-csrf-token: x\r\ncontent-type: text/plain\r\n\
             content-length: {length}\r\n\r\n"
        )
    };
    let ((_kept, refused), health) = watched(&server, || {
        let (mut kept, mut refused) = (Vec::new(), 0);
        for _ in 0..8 {
            let mut stream = connect(address)?;
            let answer = exchange(&mut stream, &put(body.len()), &body)?;
            ensure!(status(&answer) == "400", "{answer}");
        }
        for _ in 0..60 {
            let mut stream = connect(address)?;
            stream.write_all(put(4_000_000).as_bytes())?;
            // The server may have had enough of them.
            let _ = stream.write_all(&body[..3_900_000]);
            stream.set_read_timeout(Some(Duration::from_millis(50)))?;
            let mut head = [0; 12];
            refused += usize::from(stream.read(&mut head).is_ok_and(|length| head[..length] == *b"HTTP/1.1 503"));
            kept.push(stream);
        }
        Ok((kept, refused))
    })?;
    ensure!(refused > 10, "{refused} of 60 were refused");
    check(&server, &health)
}

#[test]
fn bodies_of_the_greatest_length_share_a_budget_and_do_not_stay_in_memory() -> Result<()> {
    const LENGTH: usize = 100 << 20;
    let data = tempfile::tempdir()?;
    let server = start(data.path(), &[])?;
    let address = http(&server)?;
    for command in ["ALTER QMGR MAXMSGL(104857600)", "ALTER QLOCAL(DEV.QUEUE.1) MAXMSGL(104857600)"] {
        let body = format!(r#"{{"type":"runCommand","parameters":{{"command":"{command}"}}}}"#);
        let request = format!(
            "POST /ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc HTTP/1.1\r\nhost: x\r\n{}ibm-mq-rest-csrf-token: x\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            basic("admin", ADMIN_PASSWORD),
            body.len()
        );
        let answer = exchange(&mut connect(address)?, &request, body.as_bytes())?;
        assert_eq!(status(&answer), "200", "{answer}");
    }
    let put = format!(
        "POST {MESSAGE} HTTP/1.1\r\nhost: x\r\n{}ibm-mq-rest-csrf-token: x\r\ncontent-type: text/plain\r\n\
         content-length: {LENGTH}\r\n\r\n",
        basic("app", APP_PASSWORD)
    );
    let body = vec![b'x'; LENGTH];
    let (answers, health) = watched(&server, || {
        std::thread::scope(|scope| {
            let put = || -> Result<Vec<String>> {
                (0..2).map(|_| Ok(status(&exchange(&mut connect(address)?, &put, &body)?).to_owned())).collect()
            };
            let puts: Vec<_> = (0..16).map(|_| scope.spawn(put)).collect();
            puts.into_iter().map(|put| put.join().expect("a put does not panic")).collect::<Result<Vec<_>>>()
        })
    })?;
    let answers = answers.concat();
    ensure!(answers.iter().all(|status| status == "201" || status == "503"), "{answers:?}");
    // One after the other, all are taken.
    for _ in 0..3 {
        let answer = exchange(&mut connect(address)?, &put, &body)?;
        assert_eq!(status(&answer), "201", "{answer}");
    }
    let end = now() + PATIENCE;
    while memory(&server, "VmRSS:")? > KEPT_MEMORY {
        ensure!(now() < end, "{} MiB stay in memory", memory(&server, "VmRSS:")? >> 20);
        std::thread::yield_now();
    }
    check(&server, &health)
}

#[test]
fn readers_that_do_not_read_share_a_budget() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = start(data.path(), &[("LIMITS_ANSWER_MEMORY_BYTES", "67108864")])?;
    let user = basic("app", APP_PASSWORD);
    let address = http(&server)?;
    let mut client = connect(address)?;
    let body = vec![b'x'; 4_000_000];
    let put = format!(
        "POST {MESSAGE} HTTP/1.1\r\nhost: x\r\n{user}ibm-mq-rest-csrf-token: x\r\ncontent-type: text/plain\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    assert_eq!(status(&exchange(&mut client, &put, &body)?), "201");
    let get = format!("GET {MESSAGE} HTTP/1.1\r\nhost: x\r\n{user}\r\n").repeat(3);
    let (_readers, health) = watched(&server, || {
        let mut readers = Vec::new();
        for _ in 0..100 {
            let mut stream = connect(address)?;
            stream.write_all(get.as_bytes())?;
            readers.push(stream);
        }
        let end = now() + PATIENCE;
        let mut highest = 0;
        loop {
            let page = read_all(metrics(&server)?)?;
            let unread = page.lines().find_map(|line| line.strip_prefix("quaymaster_http_unread_answer_bytes "));
            let unread: u64 = unread.context("the metrics tell of unread answers")?.parse()?;
            highest = highest.max(unread);
            if highest > 32 << 20 && unread <= 32 << 20 {
                return Ok(readers);
            }
            ensure!(now() < end, "unread answers stay in memory: {page}");
        }
    })?;
    let mut other = connect_from(Ipv4Addr::new(127, 0, 0, 2), address)?;
    let one = get.split_inclusive("\r\n\r\n").next().unwrap_or_default();
    let answer = exchange(&mut other, one, b"")?;
    assert_eq!(status(&answer), "200", "{answer}");
    check(&server, &health)
}

fn read_all(address: SocketAddr) -> Result<String> {
    let mut stream = connect(address)?;
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n")?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    Ok(page)
}
