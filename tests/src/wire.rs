//! HTTP/1.1 by hand, for tests that send what a well-behaved client would not.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::Result;

/// Longest wait for the other side of a socket.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// # Errors
/// The address does not answer.
pub fn connect(to: SocketAddr) -> Result<TcpStream> {
    connect_for(to, PATIENCE)
}

/// Reads and writes wait so long at most.
///
/// # Errors
/// As `connect`.
pub fn connect_for(to: SocketAddr, patience: Duration) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&to, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

/// Sends one request and reads the answer up to the end of its head, or as much of it as came.
///
/// # Errors
/// The head of the request cannot be sent, or the socket fails before the head of the answer is complete.
pub fn exchange(stream: &mut TcpStream, request: &str, body: &[u8]) -> Result<String> {
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

/// The status code of an answer.
pub fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}
