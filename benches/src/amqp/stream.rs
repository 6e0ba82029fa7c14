//! Where a broker is, and a socket to it with or without TLS.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

/// Longest wait for the broker.
const PATIENCE: Duration = Duration::from_secs(30);

/// An acceptor of a broker.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub address: SocketAddr,
    /// Whom to trust, where it speaks TLS.
    pub tls: Option<Arc<ClientConfig>>,
}

pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Endpoint {
    pub(super) fn connect(&self) -> Result<Stream> {
        let socket = TcpStream::connect(self.address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let Some(config) = &self.tls else { return Ok(Stream::Plain(socket)) };
        let name = ServerName::try_from(self.address.ip().to_string())?;
        let connection = ClientConnection::new(Arc::clone(config), name)?;
        Ok(Stream::Tls(Box::new(StreamOwned::new(connection, socket))))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}
