//! A receiver of pushes on a real socket: it keeps what it was sent, and answers as the test says.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use handshake::identity::PairFiles;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tokio::time::Instant;

use super::super::bearers::server_config;
use super::super::client::Stream;
use super::super::server::eventually;

#[derive(Debug, Clone)]
pub(super) struct Post {
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) came: Instant,
}

impl Post {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// What comes back.
pub(super) enum Reply {
    /// A status line without the version, and headers, each with its line end: `200 OK\r\n`.
    Head(String),
    /// Nothing, ever.
    Hang,
    /// 200, and a body without end.
    Flood,
    /// 200, and a body of which a byte comes now and then.
    Drip,
}

pub(super) fn status(status: u16) -> Reply {
    Reply::Head(format!("{status} Status\r\n"))
}

#[derive(Default)]
struct Seen {
    posts: Mutex<Vec<Post>>,
    /// Kept open.
    hanging: Mutex<Vec<Box<dyn Stream>>>,
    flooded: AtomicUsize,
    connections: AtomicUsize,
}

pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    seen: Arc<Seen>,
}

impl Receiver {
    /// `answer` is asked with the number of each post, from 0, and the post.
    pub(super) fn start(answer: impl Fn(usize, &Post) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(None, answer)
    }

    pub(super) fn start_tls(
        certificate: &Path,
        key: &Path,
        answer: impl Fn(usize, &Post) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let pair = PairFiles { certificate: certificate.to_owned(), key: key.to_owned() };
        Self::listen(Some(server_config(&pair)), answer)
    }

    fn listen(tls: Option<Arc<ServerConfig>>, answer: impl Fn(usize, &Post) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Seen::default());
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            while let Ok((socket, _)) = listener.accept() {
                kept.connections.fetch_add(1, Ordering::Relaxed);
                let stream: Box<dyn Stream> = match &tls {
                    Some(config) => {
                        let session = ServerConnection::new(Arc::clone(config)).expect("a session");
                        Box::new(StreamOwned::new(session, socket))
                    }
                    None => Box::new(socket),
                };
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Self { address, seen }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/in?a=b", self.address)
    }

    pub(super) fn posts(&self) -> Vec<Post> {
        self.seen.posts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn texts(&self) -> Vec<String> {
        self.posts().iter().map(Post::text).collect()
    }

    pub(super) fn await_posts(&self, number: usize) -> Vec<Post> {
        eventually("the posts come", || self.posts().len() >= number);
        self.posts()
    }

    /// Bytes of floods that went out.
    pub(super) fn flooded(&self) -> usize {
        self.seen.flooded.load(Ordering::Relaxed)
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::Relaxed)
    }
}

fn serve(mut stream: Box<dyn Stream>, seen: &Seen, answer: &(dyn Fn(usize, &Post) -> Reply + Send + Sync)) {
    let mut unread = Vec::new();
    while let Some(post) = receive(&mut stream, &mut unread) {
        let number = {
            let mut posts = seen.posts.lock().unwrap_or_else(PoisonError::into_inner);
            posts.push(post.clone());
            posts.len() - 1
        };
        match answer(number, &post) {
            Reply::Head(head) => {
                if write!(stream, "HTTP/1.1 {head}content-length: 2\r\n\r\nok").is_err() {
                    return;
                }
            }
            Reply::Hang => return seen.hanging.lock().unwrap_or_else(PoisonError::into_inner).push(stream),
            Reply::Flood => return flood(&mut stream, seen),
            Reply::Drip => {
                let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx");
                return seen.hanging.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
            }
        }
    }
}

fn flood(stream: &mut Box<dyn Stream>, seen: &Seen) {
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000));
    while stream.write_all(chunk.as_bytes()).is_ok() {
        seen.flooded.fetch_add(chunk.len(), Ordering::Relaxed);
    }
}

fn receive(stream: &mut Box<dyn Stream>, unread: &mut Vec<u8>) -> Option<Post> {
    let end = loop {
        if let Some(end) = unread.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        more(stream, unread)?;
    };
    let head = String::from_utf8_lossy(&unread[..end]).into_owned();
    unread.drain(..end + 4);
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    assert_eq!(first.next(), Some("POST"));
    let path = first.next()?.to_owned();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let headers: Vec<_> = lines.filter_map(header).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let length: usize = length.parse().expect("a number");
    while unread.len() < length {
        more(stream, unread)?;
    }
    let body = unread.drain(..length).collect();
    Some(Post { path, headers, body, came: Instant::now() })
}

fn more(stream: &mut Box<dyn Stream>, unread: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 16 << 10];
    let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
    unread.extend_from_slice(&buffer[..length]);
    Some(())
}
