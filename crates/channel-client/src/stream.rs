//! The byte stream under a channel: TCP, with or without TLS.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use std::sync::Arc;
use std::time::Duration;

use crate::address::Address;
use crate::error::ChannelError;
use crate::quiet::Quiet;
use crate::tls::{Library, TlsClient};

pub(crate) enum Stream {
    Plain(Quiet<TcpStream>),
    Tls(Box<TlsStream<Quiet<TcpStream>>>),
    Old(Box<old_handshake::TlsStream<Quiet<TcpStream>>>),
}

impl Stream {
    /// Resolves, connects and ends the TLS handshake within `limit`.
    pub(crate) async fn connect(
        address: &Address,
        tls: Option<&TlsClient>,
        limit: Duration,
    ) -> Result<Self, ChannelError> {
        let unreachable = |source| ChannelError::Connect { address: address.clone(), source };
        let connecting = timeout(limit, TcpStream::connect((address.host.as_str(), address.port)));
        let stream = connecting.await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(unreachable)?;
        stream.set_nodelay(true).map_err(unreachable)?;
        let stream = Quiet(stream);
        let Some(tls) = tls else { return Ok(Self::Plain(stream)) };
        let name = tls.server_name(&address.host)?;
        let shaking = timeout(limit, async {
            match &tls.library {
                Library::Rustls(config) => {
                    let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await?;
                    let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
                    let checked = tls.check_peer(shown);
                    Ok((Self::Tls(Box::new(stream)), checked))
                }
                Library::Old(client) => {
                    let (stream, shown) = client.connect(&name, stream).await.map_err(io::Error::other)?;
                    Ok((Self::Old(Box::new(stream)), tls.check_peer(Some(&shown))))
                }
            }
        });
        let shaken = shaking.await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let (stream, checked) =
            shaken.map_err(|source| ChannelError::Handshake { address: address.clone(), source })?;
        checked.map_err(|subject| {
            let wanted = tls.peer_name().to_owned();
            ChannelError::PeerName { address: address.clone(), subject, wanted }
        })?;
        Ok(stream)
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Old(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Old(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, pieces),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, pieces),
            Self::Old(stream) => Pin::new(stream).poll_write_vectored(cx, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
            Self::Old(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
            Self::Old(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Old(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
