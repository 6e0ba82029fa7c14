//! What one client can take from the others and from the machine: the real process under attack, its peak memory and its
//! health watched from beside.
//!
//! Attacks are of bounded size, so that the suite stays quick; limits are lowered where that takes it to reach them. With
//! `QUAYMASTER_ATTACK_SOCKETS` those with many sockets have so many, and meet the default limits.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use handshake::any_certificate::AnyCertificate;
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};
use system_tests::wire::{PATIENCE, connect, exchange, status};

use crate::client::block_on;

const MESSAGE: &str = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";
/// What an attack may make the whole process hold.
const MOST_MEMORY: u64 = 300 << 20;
/// What it may hold once an attack with long bodies is over.
const KEPT_MEMORY: u64 = 100 << 20;
/// How long health may take to answer, on a machine that does nothing else.
const HEALTH: Duration = Duration::from_millis(100);

fn basic(user: &str, password: &str) -> String {
    format!("authorization: Basic {}\r\n", STANDARD.encode(format!("{user}:{password}")))
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

/// From another address of this machine.
fn connect_from(source: Ipv4Addr, to: SocketAddr) -> Result<TcpStream> {
    let stream = block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::V4(source), 0))?;
        socket.connect(to).await?.into_std()
    })?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

#[expect(clippy::disallowed_methods, reason = "how long the server takes is what is tested")]
fn now() -> Instant {
    Instant::now()
}

/// What the watch has seen.
struct Health {
    slowest: Duration,
    /// The same of the exchange that the server has no part in.
    slowest_of_own: Duration,
    answers: usize,
}

/// Does `attack` while a process beside it watches health.
fn watched<T>(server: &Server, attack: impl FnOnce() -> Result<T>) -> Result<(T, Health)> {
    let mut watch = Command::new(env!("CARGO_BIN_EXE_health-watch"));
    watch.arg(metrics(server)?.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let watch = watch.spawn()?;
    let outcome = attack();
    // Its standard input ends here.
    let output = watch.wait_with_output()?;
    let line = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "the watch of health ended with {}", output.status);
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
    // A loaded machine makes the server wait at each of several steps, and the exchange without it at one.
    ensure!(
        slowest < HEALTH + 5 * slowest_of_own,
        "health took {slowest:?}, an exchange without it {slowest_of_own:?}"
    );
    Ok(())
}

/// Of `connect_one`, as many sockets as `QUAYMASTER_ATTACK_SOCKETS` says: half from one address, the others from many.
fn crowd<S>(connect_one: impl Fn(Ipv4Addr) -> Result<S>) -> Result<Vec<S>> {
    let source = |number: usize| match number % 2 {
        0 => Ipv4Addr::LOCALHOST,
        _ => Ipv4Addr::new(127, 0, 1, u8::try_from(number % 250).unwrap_or_default()),
    };
    (0..sockets()?.0).map(|number| connect_one(source(number))).collect()
}

/// How many sockets attack, and the limits of the server: lowered ones, unless it is a crowd for the default limits.
fn sockets() -> Result<(usize, &'static [(&'static str, &'static str)])> {
    match std::env::var("QUAYMASTER_ATTACK_SOCKETS") {
        Ok(count) => Ok((count.parse()?, &[])),
        Err(_) => Ok((800, &[("LIMITS_CONNECTIONS", "300"), ("LIMITS_CONNECTIONS_PER_ADDRESS", "200")])),
    }
}

#[test]
fn silent_sockets_leave_room_for_other_listeners_and_other_addresses() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = start(data.path(), sockets()?.1)?;
    let address = http(&server)?;
    let (crowd, health) = watched(&server, || crowd(|source| connect_from(source, address)))?;
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
    ensure!((1..20).contains(&lines), "{lines} lines for {} connections: {}", crowd.len(), server.errors());
    Ok(())
}

#[test]
fn tls_sessions_that_say_nothing_leave_room_for_other_addresses() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = start(data.path(), sockets()?.1)?;
    let address = server.ready.https.context("it speaks HTTPS")?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate::new(provider)))
        .with_no_client_auth();
    let config = Arc::new(config);
    let session = |source| -> Result<_> {
        let stream = connect_from(source, address)?;
        Ok((rustls::ClientConnection::new(Arc::clone(&config), "localhost".try_into()?)?, stream))
    };
    let (_crowd, health) = watched(&server, || {
        crowd(|source| {
            let (mut client, mut stream) = session(source)?;
            if source == Ipv4Addr::LOCALHOST {
                // The server has begun, and waits for the other half.
                client.write_tls(&mut stream)?;
            } else {
                client.complete_io(&mut stream)?;
            }
            Ok((client, stream))
        })
    })?;
    let (client, stream) = session(Ipv4Addr::new(127, 0, 0, 2))?;
    let mut other = rustls::StreamOwned::new(client, stream);
    let user = basic("app", APP_PASSWORD);
    other.write_all(format!("GET {MESSAGE} HTTP/1.1\r\nhost: x\r\n{user}\r\n").as_bytes())?;
    let mut answer = [0; 12];
    other.read_exact(&mut answer)?;
    assert_eq!(answer, *b"HTTP/1.1 204");
    check(&server, &health)
}

#[test]
fn wrong_passwords_leave_memory_and_turns_for_the_right_one() -> Result<()> {
    const GUESSERS: usize = 8;
    const GUESSES: usize = 20;
    let folder = tempfile::tempdir()?;
    let configuration = folder.path().join("users.toml");
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&configuration)?;
    write!(
        file,
        "web.users.orders = \"{}\"\nweb.roles.MQWebUser = [\"user:orders\"]\n",
        encoded("password-of-orders")?
    )?;
    // Each guess costs the server a hash: nobody is made to wait between two.
    let mut options = ServerOptions::on(&folder.path().join("data"));
    options.environment.push(("QUAYMASTER_IDENTITY_LOCKOUT_FAILURES".to_owned(), "0".to_owned()));
    options.arguments.extend(["--config".to_owned(), configuration.display().to_string()]);
    let server = Server::start(&options)?;
    let address = http(&server)?;
    let sign_in = |source, password: &str| -> Result<String> {
        let user = basic("orders", password);
        let request = format!("GET /ibmmq/rest/v2/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{user}\r\n");
        exchange(&mut connect_from(source, address)?, &request, b"")
    };
    let (answers, health) = watched(&server, || {
        std::thread::scope(|scope| {
            let guess = |guesser: usize| {
                let guess = move |number| sign_in(Ipv4Addr::LOCALHOST, &format!("guess-{guesser}-{number}"));
                (0..GUESSES).map(guess).collect::<Result<Vec<_>>>()
            };
            let guessers: Vec<_> = (0..GUESSERS).map(|guesser| scope.spawn(move || guess(guesser))).collect();
            let right = sign_in(Ipv4Addr::new(127, 0, 0, 2), "password-of-orders")?;
            assert_eq!(status(&right), "200", "{right}");
            let guessed = guessers.into_iter().map(|guesser| guesser.join().expect("a guesser does not panic"));
            Ok(guessed.collect::<Result<Vec<_>>>()?.concat())
        })
    })?;
    for answer in answers {
        assert_eq!(status(&answer), "401", "{answer}");
    }
    check(&server, &health)
}

/// A password as `web.users` stores it.
fn encoded(password: &str) -> Result<String> {
    let mut command = Command::new(system_tests::program::quaymaster()?);
    command.args(["config", "password"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = command.spawn()?;
    program.stdin.take().context("standard input is a pipe")?.write_all(password.as_bytes())?;
    let output = program.wait_with_output()?;
    ensure!(output.status.success(), "config password ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
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
        let is_refused = |stream: &mut TcpStream| {
            let mut head = [0; 12];
            stream.read(&mut head).is_ok_and(|length| head[..length] == *b"HTTP/1.1 503")
        };
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
            refused += usize::from(is_refused(&mut stream));
            kept.push(stream);
        }
        // The answers of a loaded machine come later.
        let end = now() + PATIENCE;
        while refused <= 10 && now() < end {
            refused += kept.iter_mut().map(is_refused).filter(|is_refused| *is_refused).count();
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
