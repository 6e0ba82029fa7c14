//! A kept connection of plain HTTP/1.1, blocking, for tests and measurements: requests as text, answers as bytes.
//!
//! Never retries, and never connects again by itself: a connection that broke is the caller's to judge.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::wire::{PATIENCE, connect_for};

/// Longest head of an answer, in bytes.
const LONGEST_HEAD: usize = 64 << 10;

pub struct Client {
    stream: TcpStream,
    /// Sent with every request.
    authorization: String,
    request: Vec<u8>,
    /// What was read and not used.
    buffer: Vec<u8>,
}

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// In lower case.
    head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// `Null` when the body is not JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Client {
    /// `credentials` is `user:password` in base64.
    ///
    /// # Errors
    /// The address does not answer.
    pub fn connect(to: SocketAddr, credentials: &str) -> anyhow::Result<Self> {
        Self::connect_for(to, credentials, PATIENCE)
    }

    /// Each answer may take so long.
    ///
    /// # Errors
    /// As `connect`.
    pub fn connect_for(to: SocketAddr, credentials: &str, patience: Duration) -> anyhow::Result<Self> {
        let stream = connect_for(to, patience)?;
        stream.set_nodelay(true)?;
        let authorization = format!("Host: {to}\r\nAuthorization: Basic {credentials}\r\n");
        Ok(Self { stream, authorization, request: Vec::new(), buffer: Vec::new() })
    }

    /// Sends a request and reads its answer. `headers` end in CR LF each.
    ///
    /// # Errors
    /// The connection broke: whether the request has taken effect is not known.
    pub fn ask(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> io::Result<Answer> {
        self.send(method, path, headers, body)?;
        self.answer()
    }

    /// Sends a request without waiting for its answer.
    ///
    /// # Errors
    /// As `ask`.
    pub fn send(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> io::Result<()> {
        self.request.clear();
        let length = body.len();
        let authorization = &self.authorization;
        write!(self.request, "{method} {path} HTTP/1.1\r\n{authorization}{headers}Content-Length: {length}\r\n\r\n")?;
        self.request.extend_from_slice(body);
        self.stream.write_all(&self.request)
    }

    /// Sends the first bytes of a request and nothing more.
    ///
    /// # Errors
    /// As `ask`.
    pub fn send_part(&mut self, method: &str, path: &str, headers: &str, body: &[u8], part: f64) -> io::Result<()> {
        let whole = format!(
            "{method} {path} HTTP/1.1\r\n{}{headers}Content-Length: {}\r\n\r\n",
            self.authorization,
            body.len()
        );
        let mut whole = whole.into_bytes();
        whole.extend_from_slice(body);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a short request"
        )]
        let end = (whole.len() as f64 * part) as usize;
        self.stream.write_all(&whole[..end.min(whole.len())])
    }

    /// # Errors
    /// As `ask`.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if self.buffer.len() > LONGEST_HEAD {
                return Err(broken("the head of the answer is too long"));
            }
            self.read_more()?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
        self.buffer.drain(..end + 4);
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let mut answer = Answer { status: status.ok_or_else(|| broken("no status"))?, head, body: Vec::new() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = self.chunks()?;
        } else if let Some(length) = answer.header("content-length") {
            let length = length.parse().map_err(|_| broken("no length"))?;
            answer.body = self.exactly(length)?;
        }
        Ok(answer)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = loop {
                if let Some(end) = self.buffer.windows(2).position(|two| two == b"\r\n") {
                    let line: Vec<u8> = self.buffer.drain(..end + 2).collect();
                    break String::from_utf8_lossy(&line[..end]).into_owned();
                }
                self.read_more()?;
            };
            let length = usize::from_str_radix(line.trim(), 16).map_err(|_| broken("no chunk length"))?;
            let chunk = self.exactly(length + 2)?;
            body.extend_from_slice(&chunk[..length]);
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.buffer.len() < length {
            self.read_more()?;
        }
        Ok(self.buffer.drain(..length).collect())
    }

    fn read_more(&mut self) -> io::Result<()> {
        let mut piece = [0; 16 << 10];
        match self.stream.read(&mut piece)? {
            0 => Err(broken("the connection ended before the answer")),
            length => {
                self.buffer.extend_from_slice(&piece[..length]);
                Ok(())
            }
        }
    }
}

fn broken(problem: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, problem)
}
