//! What a load asks of a server with queues, whatever its requests look like.

use std::net::SocketAddr;

use anyhow::{Result, ensure};
use system_tests::http::{Answer, Client};

/// Bytes of a message.
pub(super) const SIZE: usize = 1024;
/// Clients at once; each has a queue of its own, numbered from 0.
pub(super) const CLIENTS: usize = 5;
/// For servers that check no credentials.
pub(super) const UNCHECKED: &str = "YmVuY2g6YmVuY2g=";
pub(super) const JSON: &str = "Content-Type: application/json\r\n";
pub(super) const TEXT: &str = "Content-Type: text/plain;charset=utf-8\r\n";

/// What happens to a message when its server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Persistence {
    Nonpersistent,
    Persistent,
}

impl Persistence {
    pub(super) const BOTH: [Self; 2] = [Self::Nonpersistent, Self::Persistent];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Nonpersistent => "nonpersistent",
            Self::Persistent => "persistent",
        }
    }
}

/// What a server is measured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Ours,
    Peer,
    /// A web server that does nothing: what such requests cost without a queue.
    Floor,
}

/// How a message leaves its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taking {
    /// Received under a lock, then deleted: a client that fails in between loses nothing.
    Locked,
    /// Deleted by the request that receives it: an answer that is lost is a message that is lost.
    AtOnce,
}

impl Taking {
    pub(super) const BOTH: [Self; 2] = [Self::Locked, Self::AtOnce];

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Locked => "received under a lock and deleted",
            Self::AtOnce => "received and deleted at once",
        }
    }
}

/// Queues of one server, which keep their messages in one way, and are received from in one way.
pub(super) trait HttpQueue: Sync {
    fn name(&self) -> &'static str;

    fn persistence(&self) -> Persistence;

    fn taking(&self) -> Taking;

    fn address(&self) -> SocketAddr;

    /// `user:password` in base64.
    fn credentials(&self) -> &str;

    /// The processes that serve, whose processor time counts.
    fn pids(&self) -> Result<Vec<u32>>;

    /// Sends so many messages to a queue: with one request where the server has one for that.
    fn send(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()>;

    /// Receives so many messages, and deletes them: all with a request or two where the server has them for that.
    fn take(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()>;

    fn role(&self) -> Role {
        Role::Peer
    }

    /// Needs a long warm-up.
    fn is_java(&self) -> bool {
        false
    }
}

/// A connection that is kept for as long as the server keeps it.
pub(super) struct Connection {
    address: SocketAddr,
    credentials: String,
    open: Option<Client>,
}

impl Connection {
    pub(super) fn new(address: SocketAddr, credentials: &str) -> Self {
        Self { address, credentials: credentials.to_owned(), open: None }
    }

    /// # Errors
    /// The connection broke, or the answer is not a success.
    pub(super) fn ask(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Result<Answer> {
        let mut client = match self.open.take() {
            Some(client) => client,
            None => Client::connect(self.address, &self.credentials)?,
        };
        let answer = client.ask(method, path, headers, body)?;
        // Some servers end a connection after a number of requests.
        if answer.header("connection") != Some("close") {
            self.open = Some(client);
        }
        ensure!((200..300).contains(&answer.status), "{method} {path}: {} {}", answer.status, answer.text());
        Ok(answer)
    }
}

/// A message's body.
pub(super) fn body() -> String {
    "x".repeat(SIZE)
}

/// Whether an answer is long enough for so many messages.
///
/// # Errors
/// It is not.
pub(super) fn holds(answer: &Answer, messages: usize) -> Result<()> {
    ensure!(answer.body.len() >= messages * SIZE, "fewer than {messages} messages: {}", answer.text());
    Ok(())
}
