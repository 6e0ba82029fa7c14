//! Ways through a proxy: CONNECT of HTTP, and SOCKS version 5.
//!
//! Source: RFC 9110 9.3.6; RFC 1928, without authentication.

use http::HeaderValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longest head of a proxy's answer.
const MAXIMUM_HEAD: usize = 8192;

/// Asks an HTTP proxy for a way to a server.
///
/// # Errors
/// What went wrong, in words.
pub(super) async fn http(
    socket: &mut TcpStream,
    host: &str,
    port: u16,
    authorization: Option<&HeaderValue>,
) -> Result<(), String> {
    let shown = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let mut request = format!("CONNECT {shown}:{port} HTTP/1.1\r\nHost: {shown}:{port}\r\n").into_bytes();
    if let Some(authorization) = authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(authorization.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    socket.write_all(&request).await.map_err(broken)?;
    let mut head = Vec::with_capacity(512);
    // The server behind the proxy says nothing before it is asked, so nothing of it is read here.
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > MAXIMUM_HEAD {
            return Err("the proxy answers no HTTP".to_owned());
        }
        if socket.read_buf(&mut head).await.map_err(broken)? == 0 {
            return Err("the proxy closed the connection".to_owned());
        }
    }
    let status = head.split(|byte| *byte == b' ').nth(1).and_then(|status| std::str::from_utf8(status).ok());
    match status {
        Some(status) if head.starts_with(b"HTTP/1.") && status.starts_with('2') => Ok(()),
        Some(status) if head.starts_with(b"HTTP/1.") => Err(format!("the proxy answers {status}")),
        _ => Err("the proxy answers no HTTP".to_owned()),
    }
}

/// Asks a SOCKS proxy for a way to a server.
///
/// # Errors
/// What went wrong, in words.
pub(super) async fn socks(socket: &mut TcpStream, host: &str, port: u16) -> Result<(), String> {
    const NO_AUTHENTICATION: [u8; 3] = [5, 1, 0];
    socket.write_all(&NO_AUTHENTICATION).await.map_err(broken)?;
    let mut chosen = [0; 2];
    socket.read_exact(&mut chosen).await.map_err(broken)?;
    if chosen != [5, 0] {
        return Err("the SOCKS proxy wants credentials".to_owned());
    }
    let length = u8::try_from(host.len()).map_err(|_| "the host is too long for a SOCKS proxy".to_owned())?;
    // Connect to a name, which the proxy looks up.
    let mut request = vec![5, 1, 0, 3, length];
    request.extend_from_slice(host.as_bytes());
    request.extend_from_slice(&port.to_be_bytes());
    socket.write_all(&request).await.map_err(broken)?;
    let mut answer = [0; 4];
    socket.read_exact(&mut answer).await.map_err(broken)?;
    if answer[..2] != [5, 0] {
        return Err(format!("the SOCKS proxy refuses with {}", answer[1]));
    }
    let address = match answer[3] {
        1 => 4,
        4 => 16,
        3 => usize::from(socket.read_u8().await.map_err(broken)?),
        _ => return Err("the SOCKS proxy answers with an address of an unknown kind".to_owned()),
    };
    let mut bound = [0; 257];
    socket.read_exact(&mut bound[..address + 2]).await.map_err(broken)?;
    Ok(())
}

fn broken(error: std::io::Error) -> String {
    format!("the proxy: {error}")
}
