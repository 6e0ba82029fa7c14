//! POST to a URL that a user names, for doors that hand messages on.
//!
//! The address that is connected to is public, or of a network that the configuration allows (`client/networks.rs`). No
//! redirection is followed. The status decides; the body of the answer is read up to a bound and dropped.

use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};

use crate::client::{self, Outbound, Scheme, Site, SiteOptions, TlsConfig, split_url};

pub use crate::client::{Networks, NotANetwork};

/// Seconds for name, connection and TLS.
const CONNECTION_SECONDS: u64 = 10;
/// Seconds that an idle connection is kept.
const KEEP_ALIVE_SECONDS: u64 = 20;

/// What URLs may reach, and whose certificates are trusted.
#[derive(Debug)]
pub struct Reach {
    allowed: Arc<Networks>,
    /// Made when it is needed first, if it trusts those whom the system trusts.
    tls: OnceLock<TlsConfig>,
}

impl Reach {
    /// Reads the file of signers; without one, those count that the system trusts.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn new(ca_file: Option<&Path>, allowed: Networks) -> Result<Self, String> {
        let tls = OnceLock::new();
        if let Some(file) = ca_file {
            let _ = tls.set(client::tls_config(Some(file), None, None).map_err(|error| error.problem)?);
        }
        Ok(Self { allowed: Arc::new(allowed), tls })
    }

    fn tls(&self) -> Result<TlsConfig, String> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let config = client::tls_config(None, None, None).map_err(|error| error.problem)?;
        Ok(Arc::clone(self.tls.get_or_init(|| config)))
    }
}

/// Where to post to.
#[derive(Debug)]
pub struct Receiver {
    site: Arc<Site>,
    /// Path and query.
    target: String,
}

/// What a receiver answered, without the body.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
}

impl Receiver {
    /// `within`: from the connection to the head of the answer, whole seconds.
    ///
    /// # Errors
    /// It is no URL of `http` or `https` with a host, or has a user or a fragment.
    pub fn new(url: &str, reach: &Reach, within: Duration) -> Result<Self, String> {
        let is_absolute = ["http://", "https://"]
            .iter()
            .any(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        let (scheme, host, port, target) =
            split_url(url).filter(|_| is_absolute).ok_or("expected a URL that begins with https:// or http://")?;
        if !target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
            return Err(
                "the path and the query of the URL have to be percent-encoded, and a fragment means nothing".into()
            );
        }
        if port == Some(0) {
            return Err("the URL has the port 0".into());
        }
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        if literal.is_ok_and(|address| !reach.allowed.allows(address)) {
            return Err("its address is of a network that push.allowed_networks does not have".into());
        }
        let options = SiteOptions {
            scheme,
            host,
            port,
            ca_file: None,
            certificate: None,
            key: None,
            server_name: None,
            proxy: None,
            connection_timeout_seconds: CONNECTION_SECONDS,
            receive_timeout_seconds: within.as_secs().max(1),
            keep_alive_seconds: KEEP_ALIVE_SECONDS,
        };
        let tls = if scheme == Scheme::Https { Some(reach.tls()?) } else { None };
        let site = Site::within(&options, tls, Arc::clone(&reach.allowed)).map_err(|error| error.problem)?;
        let target = if target.is_empty() { "/" } else { target }.to_owned();
        Ok(Self { site: Arc::new(site), target })
    }

    /// # Errors
    /// There is no connection, or no answer in time: why, as a sentence without the URL.
    pub async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<Reply, String> {
        let outbound = Outbound { method: Method::POST, target: self.target.clone(), headers, body };
        let inbound = client::send_for_status(&self.site, outbound).await.map_err(|error| error.to_string())?;
        Ok(Reply { status: inbound.status, headers: inbound.headers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_means_something_else_than_a_receiver_is_refused() {
        let networks = Networks::parse(&["::1", "127.0.0.1"]).expect("networks");
        let reach = Reach::new(None, networks).expect("a reach");
        let is_good = |url: &str| Receiver::new(url, &reach, Duration::from_secs(1)).is_ok();
        for url in ["http://h", "HTTP://h:80/a?b=c", "http://[::1]:8080/", "http://127.1/", "http://h/a%20b"] {
            assert!(is_good(url), "{url}");
        }
        for url in [
            "h",
            "",
            "ftp://h/",
            "file:///etc/passwd",
            "http://",
            "http:///a",
            "http://user@h/",
            "http://u:p@h/",
            "http://h/a b",
            "http://h/#f",
            "http://h:port/",
            "http://h:0/",
            "http://h/\r\nx: y",
            "http://h?x",
            "http://é/",
            "http://10.0.0.1/",
            "http://[::ffff:10.0.0.1]/",
        ] {
            assert!(!is_good(url), "{url}");
        }
    }
}
