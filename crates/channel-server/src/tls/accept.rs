//! Ending the handshake of a client: by rustls, or, where that is configured, by the library of old CipherSpecs.
//!
//! Without old CipherSpecs a socket's bytes go straight to rustls. With them the client's first message is read first, and
//! decides which library gets it: rustls wherever it can serve the client.
//!
//! Invariant: whoever is refused for lack of a common CipherSpec is told of in one line, with what was offered and what to do.

use std::io;
use std::sync::Arc;

use old_handshake::OldError;
use rustls::CipherSuite;
use rustls::server::Acceptor;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, TlsAcceptor};

use super::Tls;
use super::replay::Replay;
use crate::admission::TlsFacts;

/// The longest first message of a client that is looked at, in bytes: one record with its header is 16 KiB and a little.
const FIRST_MESSAGE: usize = 64 << 10;
/// Read at once.
const PIECE: usize = 4096;

/// A socket whose handshake has ended, where old CipherSpecs are configured.
pub(crate) enum Secured {
    /// By rustls.
    Usual(Box<TlsStream<Replay>>),
    Old(Box<old_handshake::TlsStream<Replay>>),
}

/// A handshake that did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandshakeError {
    #[error("{0}")]
    NothingInCommon(String),
    #[error(transparent)]
    Failed(#[from] io::Error),
    #[error(transparent)]
    Old(#[from] OldError),
}

impl Tls {
    /// Whether `accept_either` is to be used rather than `accept`.
    pub(crate) fn serves_old(&self) -> bool {
        self.old.is_some()
    }

    /// By rustls alone.
    pub(crate) async fn accept(
        &self,
        socket: TcpStream,
    ) -> Result<(TlsStream<TcpStream>, Option<TlsFacts>), HandshakeError> {
        let start = LazyConfigAcceptor::new(Acceptor::default(), socket).await?;
        let refused = self.refusal(start.client_hello().cipher_suites());
        match start.into_stream(Arc::clone(&self.config)).await {
            Ok(stream) => {
                let facts = self.facts(stream.get_ref().1);
                Ok((stream, facts))
            }
            Err(error) => Err(refused.unwrap_or(HandshakeError::Failed(error))),
        }
    }

    /// By the library that the client's first message needs.
    pub(crate) async fn accept_either(
        &self,
        mut socket: TcpStream,
    ) -> Result<(Secured, Option<TlsFacts>), HandshakeError> {
        let (offered, read) = first_message(&mut socket).await?;
        let socket = Replay::new(read, socket);
        // What is no first message is for rustls to refuse.
        let Some(offered) = offered else {
            TlsAcceptor::from(Arc::clone(&self.config)).accept(socket).await?;
            return Err(io::Error::from(io::ErrorKind::InvalidData).into());
        };
        let old = self.old.as_ref().filter(|old| !self.served.is_modern(&offered) && old.choose(&offered).is_some());
        if let Some(old) = old {
            let (stream, told) = old.accept(socket).await?;
            let facts = self.facts_of(told.cipher, &told.chain);
            return Ok((Secured::Old(Box::new(stream)), Some(facts)));
        }
        match TlsAcceptor::from(Arc::clone(&self.config)).accept(socket).await {
            Ok(stream) => {
                let facts = self.facts(stream.get_ref().1);
                Ok((Secured::Usual(Box::new(stream)), facts))
            }
            Err(error) => Err(self.refusal(&offered).unwrap_or(HandshakeError::Failed(error))),
        }
    }

    /// What to say of a client that rustls cannot serve.
    fn refusal(&self, offered: &[CipherSuite]) -> Option<HandshakeError> {
        (!self.served.is_modern(offered))
            .then(|| HandshakeError::NothingInCommon(self.served.why_nothing_in_common(offered)))
    }
}

/// The suites that a client offers, and all bytes that were read for that; no suites when it is no client's first message.
async fn first_message(socket: &mut TcpStream) -> io::Result<(Option<Vec<CipherSuite>>, Vec<u8>)> {
    let mut acceptor = Acceptor::default();
    let mut read = Vec::new();
    while read.len() < FIRST_MESSAGE {
        let start = read.len();
        read.resize(start + PIECE, 0);
        let count = socket.read(&mut read[start..]).await?;
        read.truncate(start + count);
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut fresh = &read[start..];
        while !fresh.is_empty() {
            acceptor.read_tls(&mut fresh)?;
            match acceptor.accept() {
                Ok(Some(accepted)) => return Ok((Some(accepted.client_hello().cipher_suites().to_vec()), read)),
                Ok(None) => {}
                Err(_) => return Ok((None, read)),
            }
        }
    }
    Ok((None, read))
}
