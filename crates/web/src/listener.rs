//! Sockets: listening, accepting, TLS, and one task for each connection that drives hyper.
//!
//! Knows nothing of requests; `service.rs` answers those. HTTP/2 is spoken where TLS negotiated it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parking_lot::RwLock;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use workers::Seats;

use crate::WebError;
use crate::connections::{self, Connections, Entry, WatchedSocket};
use crate::peer_certificate::PeerCertificate;
use crate::server::Shared;
use crate::service::{Door, Peer};
use crate::tls::Tls;

/// Connections the kernel keeps ready for us.
const BACKLOG: u32 = 4096;
/// How long accepting pauses when the process has run out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Requests of one HTTP/2 connection at a time.
const CONCURRENT_STREAMS: u32 = 128;
/// What one connection may send ahead of its being read, in bytes, and keep of answers that it does not read.
const BUFFER: usize = 128 << 10;
/// The same of all requests of an HTTP/2 connection.
const WINDOW: u32 = 512 << 10;
const WINDOW_OF_A_STREAM: u32 = 256 << 10;

/// The TLS configuration new connections get; a reload replaces it.
pub(crate) type CurrentTls = Arc<RwLock<Tls>>;

pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener, WebError> {
    let listen = || -> io::Result<TcpListener> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().map_err(|source| WebError::Listen { address, source })
}

/// Accepts until the task is aborted.
pub(crate) async fn accept(
    listener: TcpListener,
    shared: Arc<Shared>,
    seats: Arc<Seats>,
    door: Door,
    tls: Option<CurrentTls>,
) {
    let connections = shared.connections.of(door);
    loop {
        let (socket, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // A connection that ended before it was accepted, or no descriptors left: neither ends the listener.
                tracing::debug!(%error, "cannot accept an HTTP connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let settings = shared.settings();
        let limits = &settings.options.limits;
        let few = limits.connections_per_thread;
        // The log is told by the housekeeping, of all at once.
        let Some(entry) = Connections::admit(connections, peer.ip(), connections::most(door, limits)) else { continue };
        let tls = tls.as_ref().map(|tls| tls.read().clone());
        match socket.into_std() {
            Ok(socket) => seats.spawn(few, serve(socket, entry, Arc::clone(&shared), door, tls)),
            Err(error) => tracing::debug!(%error, "an HTTP connection was gone at once"),
        }
    }
}

/// `socket` belongs to no runtime yet: it joins the one this runs on.
async fn serve(socket: std::net::TcpStream, entry: Entry, shared: Arc<Shared>, door: Door, tls: Option<Tls>) {
    let socket = match socket.set_nodelay(true).and_then(|()| TcpStream::from_std(socket)) {
        Ok(socket) => socket,
        Err(error) => return tracing::debug!(%error, "an HTTP connection was gone at once"),
    };
    let address = socket.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip().to_canonical());
    let socket = WatchedSocket::new(socket, Arc::clone(entry.occupant()));
    let Some(tls) = tls else {
        let peer = Peer { door, client_certificate: None, address, watch: Arc::clone(entry.occupant()) };
        return serve_http1(socket, &entry, shared, peer).await;
    };
    let stream = match entry.occupant().unless_closing(TlsAcceptor::from(tls.config).accept(socket)).await {
        Some(Ok(stream)) => stream,
        Some(Err(error)) => return tracing::debug!(%error, "a TLS handshake failed"),
        None => return tracing::debug!("a TLS handshake took too long, or the server stops"),
    };
    let session = stream.get_ref().1;
    let is_http2 = session.alpn_protocol() == Some(b"h2");
    let client_certificate = session.peer_certificates().and_then(|chain| PeerCertificate::new(chain, &tls.verifier));
    let peer = Peer { door, client_certificate, address, watch: Arc::clone(entry.occupant()) };
    if is_http2 {
        Box::pin(serve_http2(stream, &entry, shared, peer)).await;
    } else {
        serve_http1(stream, &entry, shared, peer).await;
    }
}

async fn serve_http1<S>(stream: S, entry: &Entry, shared: Arc<Shared>, peer: Peer)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let header_bytes = shared.settings().options.limits.header_bytes;
    let mut builder = http1::Builder::new();
    // Neither `max_headers`, which costs an allocation a request (100 lines are the default), nor `pipeline_flush`, which
    // forgets to send the 431 and 400 that hyper answers by itself.
    builder.max_header_size(header_bytes).max_buf_size(header_bytes.max(BUFFER));
    let connection = builder.serve_connection(TokioIo::new(stream), crate::service::for_connection(shared, peer));
    entry.occupant().supervise(connection, http1::Connection::graceful_shutdown).await;
}

async fn serve_http2<S>(stream: S, entry: &Entry, shared: Arc<Shared>, peer: Peer)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let header_bytes = shared.settings().options.limits.header_bytes;
    entry.occupant().set_multiplexed();
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(CONCURRENT_STREAMS)
        .initial_stream_window_size(WINDOW_OF_A_STREAM)
        .initial_connection_window_size(WINDOW)
        .max_send_buf_size(BUFFER)
        .max_header_list_size(u32::try_from(header_bytes).unwrap_or(u32::MAX));
    let connection = builder.serve_connection(TokioIo::new(stream), crate::service::for_connection(shared, peer));
    entry.occupant().supervise(connection, http2::Connection::graceful_shutdown).await;
}
