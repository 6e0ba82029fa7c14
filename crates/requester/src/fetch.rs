//! GET of a document that another server publishes, and POST of a form to it, for doors that need one now and then.
//!
//! Each has a connection of its own, which ends with it. No redirection is followed: the address that was asked for is the
//! one whose certificate was checked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};

use crate::client::{self, Outbound, Scheme, Site, SiteOptions, split_url};

/// How documents of one server are fetched.
#[derive(Debug, Clone)]
pub struct Source {
    /// Signers of certificates; `None`: those the system trusts.
    ca_file: Option<PathBuf>,
    /// For the connection, and for the answer.
    seconds: u64,
    /// Longest document, in bytes.
    limit: usize,
}

impl Source {
    /// Reads the file of signers once, to see whether it can be used.
    ///
    /// # Errors
    /// It cannot, or the time is not from 1 to 86400 seconds.
    pub fn new(ca_file: Option<&Path>, seconds: u64, limit: usize) -> Result<Self, String> {
        let source = Self { ca_file: ca_file.map(Path::to_owned), seconds, limit };
        source.site(Scheme::Https, "localhost", None)?;
        Ok(source)
    }

    /// The document at a URL. The file of signers is read anew, so that it may be replaced.
    ///
    /// # Errors
    /// There is no answer in time, or another one than 200 with a document of the length allowed.
    pub async fn get(&self, url: &str) -> Result<Bytes, String> {
        match self.send(url, Method::GET, HeaderMap::new(), Bytes::new()).await? {
            (StatusCode::OK, body) => Ok(body),
            (status, _) => Err(format!("it answers with status {}", status.as_u16())),
        }
    }

    /// Posts a form, with an `Authorization` header where there is one. Any status is an answer.
    ///
    /// # Errors
    /// There is no answer in time, or a longer one than allowed.
    pub async fn post_form(
        &self,
        url: &str,
        form: String,
        authorization: Option<String>,
    ) -> Result<(StatusCode, Bytes), String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        if let Some(authorization) = authorization {
            let mut value = HeaderValue::try_from(authorization).map_err(|_| "the credentials fit no header")?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        self.send(url, Method::POST, headers, form.into()).await
    }

    async fn send(
        &self,
        url: &str,
        method: Method,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), String> {
        let (scheme, host, port, target) = split_url(url).ok_or_else(|| format!("'{url}' is not a URL"))?;
        let site = Arc::new(self.site(scheme, host, port)?);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let target = if target.is_empty() { "/" } else { target }.to_owned();
        let outbound = Outbound { method, target, headers, body };
        let inbound = client::send(&site, outbound, self.limit).await.map_err(|error| error.to_string())?;
        Ok((inbound.status, inbound.body))
    }

    fn site(&self, scheme: Scheme, host: &str, port: Option<u16>) -> Result<Site, String> {
        let options = SiteOptions {
            scheme,
            host,
            port,
            ca_file: self.ca_file.as_deref(),
            certificate: None,
            key: None,
            server_name: None,
            proxy: None,
            connection_timeout_seconds: self.seconds,
            receive_timeout_seconds: self.seconds,
            keep_alive_seconds: 0,
        };
        Site::new(&options).map_err(|error| error.problem)
    }
}
