//! Asks a server for its health again and again, until standard input ends: `health-watch ADDRESS`.
//!
//! A process beside the tests, so that the threads of an attack do not hold it up. In turns with the server it asks a thread of
//! its own that answers at once: that takes long only when the machine has no time for either.
//!
//! Writes one line: the slowest answer of the server and of the own thread, in microseconds, and how many answers there were.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use system_tests::wire::{connect, exchange, status};

/// Between two questions.
const BETWEEN: Duration = Duration::from_millis(5);
/// Of so many answers, the slowest is left out.
const ONE_IN: usize = 100;

fn main() -> Result<()> {
    let server: SocketAddr = std::env::args().nth(1).context("usage: health-watch ADDRESS")?.parse()?;
    let own = answering_thread()?;
    let (input, ended) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(input);
    });
    let (mut of_server, mut of_own) = (Vec::new(), Vec::new());
    loop {
        of_server.push(ask(server)?);
        of_own.push(ask(own)?);
        if ended.recv_timeout(BETWEEN) == Err(mpsc::RecvTimeoutError::Disconnected) {
            break;
        }
    }
    println!("{} {} {}", slowest(&mut of_server).as_micros(), slowest(&mut of_own).as_micros(), of_server.len());
    Ok(())
}

fn answering_thread() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let answered = stream.and_then(|mut stream| {
                let _ = stream.read(&mut [0; 512])?;
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")
            });
            answered.expect("the watch's own exchange works");
        }
    });
    Ok(address)
}

fn ask(address: SocketAddr) -> Result<Duration> {
    let begun = now();
    let request = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let answer = exchange(&mut connect(address)?, request, b"")?;
    ensure!(status(&answer) == "200", "{answer}");
    Ok(begun.elapsed())
}

/// The slowest but for one in a hundred, and for one at least.
fn slowest(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    let left_out = times.len().div_ceil(ONE_IN);
    times.iter().rev().nth(left_out).or(times.first()).copied().unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "how long an answer takes is what this program measures")]
fn now() -> Instant {
    Instant::now()
}
