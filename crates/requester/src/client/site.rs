//! A server that is called: where it is, how it is reached, for how long it is waited for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use rustls::pki_types::ServerName;

use super::networks::Networks;
use super::{TlsConfig, tls};
use crate::options::ProxyKind;

/// One server. Connections are kept for each of these; a configuration that is read anew makes new ones.
#[derive(Debug)]
pub(crate) struct Site {
    /// Name or address, without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) host_header: HeaderValue,
    pub(crate) tls: Option<Tls>,
    pub(crate) proxy: Option<ProxyTarget>,
    /// The only networks, beside the public internet, that it may be in; `None`: it may be anywhere.
    pub(crate) allowed: Option<Arc<Networks>>,
    /// `http://host:port`, for a proxy that is handed whole URLs.
    pub(crate) absolute_form: Option<String>,
    pub(crate) proxy_authorization: Option<HeaderValue>,
    pub(crate) connection_timeout: Duration,
    pub(crate) receive_timeout: Duration,
    pub(crate) keep_alive: Duration,
}

pub(crate) struct Tls {
    pub(crate) config: TlsConfig,
    pub(crate) name: ServerName<'static>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.name.fmt(f)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ProxyTarget {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) kind: ProxyKind,
    /// User and password.
    pub(crate) credentials: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// What cannot be used, by the key that says it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub(crate) struct SiteError {
    pub(crate) key: &'static str,
    pub(crate) problem: String,
}

impl SiteError {
    pub(crate) fn new(key: &'static str, problem: impl Into<String>) -> Self {
        Self { key, problem: problem.into() }
    }
}

/// What a site is made of.
pub(crate) struct SiteOptions<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) host: &'a str,
    pub(crate) port: Option<u16>,
    pub(crate) ca_file: Option<&'a Path>,
    pub(crate) certificate: Option<&'a Path>,
    pub(crate) key: Option<&'a Path>,
    pub(crate) server_name: Option<&'a str>,
    pub(crate) proxy: Option<ProxyTarget>,
    pub(crate) connection_timeout_seconds: u64,
    pub(crate) receive_timeout_seconds: u64,
    pub(crate) keep_alive_seconds: u64,
}

impl Site {
    /// Reads the PEM files: not for a thread that serves sockets.
    ///
    /// # Errors
    /// A value or a file that cannot be used.
    pub(crate) fn new(options: &SiteOptions<'_>) -> Result<Self, SiteError> {
        let is_tls = options.scheme == Scheme::Https;
        let tls = is_tls.then(|| tls::config(options.ca_file, options.certificate, options.key)).transpose()?;
        Self::with(options, tls)
    }

    /// One that is in certain networks only, with a client configuration that was made before. Reads no file.
    ///
    /// # Errors
    /// A value that cannot be used.
    pub(crate) fn within(
        options: &SiteOptions<'_>,
        tls: Option<TlsConfig>,
        allowed: Arc<Networks>,
    ) -> Result<Self, SiteError> {
        Ok(Self { allowed: Some(allowed), ..Self::with(options, tls)? })
    }

    fn with(options: &SiteOptions<'_>, config: Option<TlsConfig>) -> Result<Self, SiteError> {
        let is_tls = options.scheme == Scheme::Https;
        for (key, seconds) in [
            ("connection_timeout_seconds", options.connection_timeout_seconds),
            ("receive_timeout_seconds", options.receive_timeout_seconds),
        ] {
            if !(1..=86_400).contains(&seconds) {
                return Err(SiteError::new(key, "it is from 1 to 86400"));
            }
        }
        if options.keep_alive_seconds > 86_400 {
            return Err(SiteError::new("keep_alive_seconds", "it is from 0 to 86400"));
        }
        let port = options.port.unwrap_or(if is_tls { 443 } else { 80 });
        let host = options.host.trim_start_matches('[').trim_end_matches(']');
        let is_host = |host: &str| {
            !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#@\\".contains(&byte))
        };
        if !is_host(host) {
            return Err(SiteError::new("host", format!("'{}' is no host", options.host)));
        }
        let shown = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let has_default_port = port == if is_tls { 443 } else { 80 };
        let host_header = if has_default_port { shown.clone() } else { format!("{shown}:{port}") };
        let header = HeaderValue::try_from(&host_header).map_err(|_| SiteError::new("host", "it is no host"))?;
        let tls = config.map(|config| Self::tls(options, host, config)).transpose()?;
        let through_http = options.proxy.as_ref().filter(|proxy| proxy.kind == ProxyKind::Http);
        let credentials = through_http.and_then(|proxy| proxy.credentials.as_ref());
        Ok(Self {
            host: host.to_owned(),
            port,
            host_header: header,
            absolute_form: through_http.filter(|_| !is_tls).map(|_| format!("http://{shown}:{port}")),
            proxy_authorization: credentials.map(|(user, password)| basic(user, password)),
            tls,
            proxy: options.proxy.clone(),
            allowed: None,
            connection_timeout: Duration::from_secs(options.connection_timeout_seconds),
            receive_timeout: Duration::from_secs(options.receive_timeout_seconds),
            keep_alive: Duration::from_secs(options.keep_alive_seconds),
        })
    }

    fn tls(options: &SiteOptions<'_>, host: &str, config: TlsConfig) -> Result<Tls, SiteError> {
        let name = options.server_name.unwrap_or(host);
        let name = ServerName::try_from(name.to_owned())
            .map_err(|_| SiteError::new("server_name", format!("'{name}' is no name of a server")))?;
        Ok(Tls { config, name })
    }
}

/// The value of an Authorization header.
pub(crate) fn basic(user: &str, password: &str) -> HeaderValue {
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
        .expect("base64 stands in headers");
    value.set_sensitive(true);
    value
}

/// Scheme, host, port and path of a URL such as `https://host:port/path`; without a scheme it is `http`.
pub(crate) fn split_url(url: &str) -> Option<(Scheme, &str, Option<u16>, &str)> {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (Scheme::Https, rest),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (Scheme::Http, rest),
        Some(_) => return None,
        None => (Scheme::Http, url),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let port_at = authority.rfind(':').filter(|&at| !authority[at..].contains(']'));
    let is_bare_address = !authority.starts_with('[') && authority.matches(':').count() > 1;
    match port_at.filter(|_| !is_bare_address) {
        Some(at) => Some((scheme, &authority[..at], Some(authority[at + 1..].parse().ok()?), path)),
        None => Some((scheme, authority, None, path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (url, expected) in [
            ("localhost", Some((Scheme::Http, "localhost", None, ""))),
            ("https://h:8443/a/b", Some((Scheme::Https, "h", Some(8443), "/a/b"))),
            ("HTTP://h/", Some((Scheme::Http, "h", None, "/"))),
            ("http://[::1]:90", Some((Scheme::Http, "[::1]", Some(90), ""))),
            ("[::1]", Some((Scheme::Http, "[::1]", None, ""))),
            ("::1", Some((Scheme::Http, "::1", None, ""))),
            ("ftp://h", None),
            ("h:port", None),
        ] {
            assert_eq!(split_url(url), expected, "{url}");
        }
    }

    #[test]
    fn the_host_header_has_the_port_where_it_is_not_the_usual_one() {
        let site = |host, port| {
            Site::new(&SiteOptions {
                scheme: Scheme::Http,
                host,
                port,
                ca_file: None,
                certificate: None,
                key: None,
                server_name: None,
                proxy: None,
                connection_timeout_seconds: 1,
                receive_timeout_seconds: 1,
                keep_alive_seconds: 1,
            })
        };
        assert_eq!(site("h", None).expect("a site").host_header, "h");
        assert_eq!(site("h", Some(80)).expect("a site").host_header, "h");
        assert_eq!(site("::1", Some(3188)).expect("a site").host_header, "[::1]:3188");
        assert_eq!(site("a/b", None).expect_err("no host").key, "host");
    }
}
