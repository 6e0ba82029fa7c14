//! Where requests go: address, TLS trust, and connecting.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handshake::anchors::{Anchors, ServerNameCheck};
use handshake::any_certificate::AnyCertificate;
use http::HeaderValue;
use http::uri::{Authority, Scheme};
use http_body_util::Full;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::client::ClientError;

/// Longest wait for a TCP connection and its TLS handshake.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Whom an `https` target believes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Trust {
    /// Nobody: only `http` works.
    #[default]
    None,
    /// The certificates of this PEM file.
    CaFile(PathBuf),
    /// Anybody. Only for loopback addresses.
    Insecure,
}

pub(super) type Sender = SendRequest<Full<bytes::Bytes>>;

/// One server, parsed and resolved once.
#[derive(Clone)]
pub struct Target {
    address: SocketAddr,
    /// Value of the `Host` header.
    pub(super) host: HeaderValue,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    url: String,
}

impl Target {
    /// `url` is `http://host[:port]` or `https://host[:port]`; a path is not wanted.
    ///
    /// # Errors
    /// Not such a URL, a name that does not resolve, a certificate file that cannot be read, `https` without trust.
    pub fn parse(url: &str, trust: &Trust) -> Result<Self, ClientError> {
        let uri: http::Uri = url.parse().map_err(|_| bad_url(url))?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else { return Err(bad_url(url)) };
        if uri.path() != "/" || uri.query().is_some() {
            return Err(bad_url(url));
        }
        let encrypted = if *scheme == Scheme::HTTPS {
            true
        } else if *scheme == Scheme::HTTP {
            false
        } else {
            return Err(bad_url(url));
        };
        let address = resolve(authority, if encrypted { 9443 } else { 9080 })?;
        let tls = if encrypted { Some(tls(authority, address, trust)?) } else { None };
        let host = HeaderValue::from_str(authority.as_str()).map_err(|_| bad_url(url))?;
        Ok(Self { address, host, tls, url: url.to_owned() })
    }

    /// Each TLS connection begins with a whole handshake.
    #[must_use]
    pub fn without_resumption(mut self) -> Self {
        if let Some((connector, _)) = &mut self.tls {
            let mut config = ClientConfig::clone(connector.config());
            config.resumption = Resumption::disabled();
            *connector = TlsConnector::from(Arc::new(config));
        }
        self
    }

    /// Connects to `address` instead, and says all else as before.
    #[must_use]
    pub(crate) fn through(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// As it was given.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Opens one HTTP/1.1 connection; a task of the current runtime drives it until it closes.
    pub(super) async fn connect(&self) -> Result<Sender, ClientError> {
        match tokio::time::timeout(CONNECT_LIMIT, self.connect_unbounded()).await {
            Ok(result) => result,
            Err(_) => Err(self.failed(std::io::ErrorKind::TimedOut.into())),
        }
    }

    async fn connect_unbounded(&self) -> Result<Sender, ClientError> {
        let stream = TcpStream::connect(self.address).await.map_err(|source| self.failed(source))?;
        stream.set_nodelay(true).map_err(|source| self.failed(source))?;
        match &self.tls {
            None => self.start(TokioIo::new(stream)).await,
            Some((connector, name)) => {
                let stream = connector.connect(name.clone(), stream).await.map_err(|source| self.failed(source))?;
                self.start(TokioIo::new(stream)).await
            }
        }
    }

    async fn start<IO>(&self, io: IO) -> Result<Sender, ClientError>
    where
        IO: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let (sender, connection) = handshake(io).await.map_err(|error| self.failed(std::io::Error::other(error)))?;
        // Its error reaches the request in progress; without one it says only that the server closed the connection without an answer.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(sender)
    }

    fn failed(&self, source: std::io::Error) -> ClientError {
        ClientError::Connect { address: self.address.to_string(), source }
    }
}

fn bad_url(url: &str) -> ClientError {
    ClientError::Target(format!("url: '{url}' is not of the form http://HOST:PORT or https://HOST:PORT"))
}

fn resolve(authority: &Authority, default_port: u16) -> Result<SocketAddr, ClientError> {
    let host = bare_host(authority);
    let port = authority.port_u16().unwrap_or(default_port);
    let mut found = (host, port)
        .to_socket_addrs()
        .map_err(|source| ClientError::Connect { address: authority.to_string(), source })?;
    found.next().ok_or_else(|| ClientError::Target(format!("url: '{host}' has no address")))
}

/// The host without the brackets of an IPv6 address.
fn bare_host(authority: &Authority) -> &str {
    authority.host().trim_start_matches('[').trim_end_matches(']')
}

fn tls(
    authority: &Authority,
    address: SocketAddr,
    trust: &Trust,
) -> Result<(TlsConnector, ServerName<'static>), ClientError> {
    let target_error = |text: String| ClientError::Target(text);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| target_error(error.to_string()))?;
    let config = match trust {
        Trust::None => return Err(target_error("cacert: https needs the certificate to trust".to_owned())),
        Trust::CaFile(path) => {
            let anchors = Anchors::from_file(path).map_err(|error| target_error(format!("cacert: {error}")))?;
            let verifier = anchors.server_verifier(provider, ServerNameCheck::Names);
            let verifier = verifier.map_err(|error| target_error(error.to_string()))?;
            builder.dangerous().with_custom_certificate_verifier(verifier)
        }
        Trust::Insecure if address.ip().is_loopback() => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate::new(provider)))
        }
        Trust::Insecure => {
            return Err(target_error(format!("insecure: {address} is not a loopback address; name a certificate")));
        }
    };
    let name = ServerName::try_from(bare_host(authority).to_owned())
        .map_err(|_| target_error(format!("url: '{authority}' is not a name a certificate can have")))?;
    Ok((TlsConnector::from(Arc::new(config.with_no_client_auth())), name))
}
