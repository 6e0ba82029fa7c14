//! A receiver of pushes on a port of its own: keeps the texts that came, and answers by the text.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

/// What comes back.
pub(super) enum Reply {
    /// A status line without the version, and headers, each with its line end.
    Head(String),
    /// The connection ends without an answer.
    End,
    /// Nothing, ever.
    Hang,
    /// 200, and a body without end.
    Flood,
}

pub(super) fn status(status: u16) -> Reply {
    Reply::Head(format!("{status} Status\r\n"))
}

#[derive(Default)]
struct Seen {
    posts: AtomicUsize,
    /// Of posts that were answered with success, as far as the receiver knows.
    accepted: Mutex<HashSet<String>>,
    hanging: Mutex<Vec<TcpStream>>,
    connections: AtomicUsize,
}

/// Listens until the process ends.
pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    seen: Arc<Seen>,
}

impl Receiver {
    /// `answer` is asked with the number of each post, from 0, and its body.
    pub(super) fn start(answer: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let seen = Arc::new(Seen::default());
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                kept.connections.fetch_add(1, Ordering::Relaxed);
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Ok(Self { address, seen })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/in", self.address)
    }

    pub(super) fn posts(&self) -> usize {
        self.seen.posts.load(Ordering::Relaxed)
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::Relaxed)
    }

    pub(super) fn accepted(&self) -> MutexGuard<'_, HashSet<String>> {
        self.seen.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(mut stream: TcpStream, seen: &Seen, answer: &(dyn Fn(usize, &str) -> Reply + Send + Sync)) {
    let mut unread = Vec::new();
    while let Some(text) = receive(&mut stream, &mut unread) {
        let number = seen.posts.fetch_add(1, Ordering::Relaxed);
        let accept = |text| seen.accepted.lock().unwrap_or_else(PoisonError::into_inner).insert(text);
        match answer(number, &text) {
            Reply::Head(head) => {
                // Before it is said: the sender may forget the message then.
                if head.starts_with('2') {
                    accept(text);
                }
                if write!(stream, "HTTP/1.1 {head}content-length: 0\r\n\r\n").is_err() {
                    return;
                }
            }
            Reply::End => return,
            Reply::Hang => return seen.hanging.lock().unwrap_or_else(PoisonError::into_inner).push(stream),
            Reply::Flood => {
                accept(text);
                let _ = write!(stream, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000));
                while stream.write_all(chunk.as_bytes()).is_ok() {}
                return;
            }
        }
    }
}

/// The body of the next post; `None` at the end of the connection.
fn receive(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<String> {
    let end = loop {
        if let Some(end) = unread.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        more(stream, unread)?;
    };
    let head = String::from_utf8_lossy(&unread[..end]).to_lowercase();
    unread.drain(..end + 4);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let length: usize = length.parse().ok()?;
    while unread.len() < length {
        more(stream, unread)?;
    }
    Some(String::from_utf8_lossy(&unread.drain(..length).collect::<Vec<u8>>()).into_owned())
}

fn more(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 16 << 10];
    let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
    unread.extend_from_slice(&buffer[..length]);
    Some(())
}
