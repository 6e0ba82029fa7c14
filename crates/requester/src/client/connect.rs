//! Making a connection: proxy, TLS, and the beginning of HTTP/1.1.

use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;

use super::connection::Connection;
use super::site::Site;
use super::stream::Stream;
use super::{ClientError, tunnel};
use crate::options::ProxyKind;

/// # Errors
/// Nobody listens there, certificates do not fit, or it took too long.
pub(super) async fn connect(site: &Site, end: Instant) -> Result<Box<Connection>, ClientError> {
    let within = site.connection_timeout;
    let stream = tokio::time::timeout_at(end.min(Instant::now() + within), open(site)).await;
    let stream = stream.map_err(|_| ClientError::ConnectTimeout(within))?;
    let stream = stream.map_err(ClientError::Unreachable)?;
    let (sender, driver) = http1::Builder::new()
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| ClientError::Broken(error.to_string()))?;
    Ok(Box::new(Connection::new(sender, driver)))
}

/// The addresses are judged that the name has now, and connected to are only those.
async fn reach(site: &Site, host: &str, port: u16) -> Result<TcpStream, String> {
    let told = |error: std::io::Error| format!("{host}:{port}: {error}");
    let Some(allowed) = &site.allowed else { return TcpStream::connect((host, port)).await.map_err(told) };
    let addresses = tokio::net::lookup_host((host, port)).await.map_err(told)?;
    let mut problem = format!("{host}:{port} has no address in a network that may be reached");
    for address in addresses.filter(|address| allowed.allows(address.ip())) {
        match TcpStream::connect(address).await {
            Ok(socket) => return Ok(socket),
            Err(error) => problem = told(error),
        }
    }
    Err(problem)
}

async fn open(site: &Site) -> Result<Stream, String> {
    let (host, port) = match &site.proxy {
        Some(proxy) => (proxy.host.as_str(), proxy.port),
        None => (site.host.as_str(), site.port),
    };
    let mut socket = reach(site, host, port).await?;
    // A request is one write: waiting for more would only hold it back.
    socket.set_nodelay(true).map_err(|error| error.to_string())?;
    match &site.proxy {
        Some(proxy) if proxy.kind == ProxyKind::Socks => tunnel::socks(&mut socket, &site.host, site.port).await?,
        Some(_) if site.tls.is_some() => {
            tunnel::http(&mut socket, &site.host, site.port, site.proxy_authorization.as_ref()).await?;
        }
        _ => {}
    }
    let Some(tls) = &site.tls else { return Ok(Stream::Plain(socket)) };
    let stream = TlsConnector::from(tls.config.clone()).connect(tls.name.clone(), socket).await;
    Ok(Stream::Tls(Box::new(stream.map_err(|error| format!("TLS: {error}"))?)))
}
