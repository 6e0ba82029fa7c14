//! Asking for a list over one kept connection of plain HTTP: how long it took, when it began, how many bytes came.
//!
//! A client of a few lines, so that its own work does not blur what a server costs: bytes are counted, not parsed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

const BUFFER: usize = 256 << 10;
/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request that is sent again and again.
#[derive(Debug, Clone)]
pub struct Request {
    pub address: SocketAddr,
    /// Request line and headers, without `Host` and the closing blank line.
    pub head: String,
    pub body: String,
    /// A shorter answer is an error: that of a server which lists less than it should.
    pub at_least: usize,
}

/// One answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listed {
    pub first_byte: Duration,
    pub whole: Duration,
    pub bytes: usize,
}

pub struct Client {
    stream: TcpStream,
    request: Vec<u8>,
    at_least: usize,
    buffer: Vec<u8>,
}

impl Client {
    pub fn connect(request: &Request) -> Result<Self> {
        let stream = TcpStream::connect(request.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let text = format!(
            "{}\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{}",
            request.head,
            request.address,
            request.body.len(),
            request.body
        );
        Ok(Self { stream, request: text.into_bytes(), at_least: request.at_least, buffer: vec![0; BUFFER] })
    }

    /// # Errors
    /// Anything but 200 with as many bytes as there should be.
    pub fn ask(&mut self) -> Result<Listed> {
        let (status, listed) = self.exchange()?;
        ensure!(status == 200, "answered with {status}");
        ensure!(listed.bytes >= self.at_least, "{} bytes are fewer than {}", listed.bytes, self.at_least);
        Ok(listed)
    }

    /// # Errors
    /// Anything but success.
    pub fn ask_any(&mut self) -> Result<()> {
        let (status, _) = self.exchange()?;
        ensure!((200..300).contains(&status), "answered with {status}");
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    fn exchange(&mut self) -> Result<(u16, Listed)> {
        let started = Instant::now();
        self.stream.write_all(&self.request)?;
        let mut first_byte = None;
        let mut reader = Reader::default();
        while !reader.is_done {
            let length = self.stream.read(&mut self.buffer)?;
            ensure!(length > 0, "the answer broke off");
            first_byte.get_or_insert_with(|| started.elapsed());
            reader.take(&self.buffer[..length])?;
        }
        let first_byte = first_byte.context("there was an answer")?;
        Ok((reader.status, Listed { first_byte, whole: started.elapsed(), bytes: reader.bytes }))
    }
}

/// Follows one answer to its end.
#[derive(Default)]
struct Reader {
    head: Vec<u8>,
    has_head: bool,
    status: u16,
    /// Of the body, chunk lines left out.
    bytes: usize,
    /// Of the body or of the chunk being read.
    left: usize,
    is_chunked: bool,
    line: Vec<u8>,
    /// The chunk of no bytes has begun.
    is_last: bool,
    is_done: bool,
}

impl Reader {
    fn take(&mut self, mut bytes: &[u8]) -> Result<()> {
        if !self.has_head {
            let before = self.head.len();
            self.head.extend_from_slice(bytes);
            let Some(end) = self.head.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(()) };
            bytes = &bytes[end + 4 - before..];
            self.read_head(end)?;
        }
        while !bytes.is_empty() && !self.is_done {
            if self.left > 0 {
                let taken = self.left.min(bytes.len());
                (self.left, self.bytes, bytes) = (self.left - taken, self.bytes + taken, &bytes[taken..]);
                self.is_done = self.left == 0 && !self.is_chunked;
            } else {
                self.chunk_byte(bytes[0])?;
                bytes = &bytes[1..];
            }
        }
        Ok(())
    }

    fn read_head(&mut self, end: usize) -> Result<()> {
        let head = std::str::from_utf8(&self.head[..end])?.to_ascii_lowercase();
        let status = head.split(' ').nth(1).context("a status line")?;
        self.status = status.parse()?;
        let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        self.is_chunked = header("transfer-encoding:") == Some("chunked");
        self.left = if self.is_chunked { 0 } else { header("content-length:").context("a length")?.parse()? };
        self.is_done = self.left == 0 && !self.is_chunked;
        self.has_head = true;
        Ok(())
    }

    /// One byte of the line before a chunk, or of the line end after one.
    fn chunk_byte(&mut self, byte: u8) -> Result<()> {
        self.line.push(byte);
        if !self.line.ends_with(b"\r\n") {
            return Ok(());
        }
        let line = std::str::from_utf8(&self.line)?.trim();
        if line.is_empty() {
            // After the last chunk; an empty line after another one only ends that chunk.
            self.is_done = self.is_last;
        } else {
            self.left = usize::from_str_radix(line.split(';').next().unwrap_or_default(), 16)?;
            self.is_last = self.left == 0;
        }
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Reader;

    fn read(text: &str, piece: usize) -> Reader {
        let mut reader = Reader::default();
        for bytes in text.as_bytes().chunks(piece) {
            reader.take(bytes).expect("understood");
        }
        reader
    }

    #[test]
    fn bodies_are_followed_to_their_end_in_pieces_of_any_size() {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde";
        let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        for piece in 1..60 {
            for text in [whole, chunked] {
                let reader = read(text, piece);
                assert!(reader.is_done, "{piece}");
                assert_eq!((reader.status, reader.bytes), (200, 5));
            }
        }
    }
}
