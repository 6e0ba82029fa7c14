//! Endpoint connections, ready for use: made of the configuration, replaced whole when it is read anew.
//!
//! An invalid entry ends the start, or refuses the reload, with an error that names its key.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use http::HeaderValue;

use crate::client::{ClientError, ProxyTarget, Scheme, Site, SiteError, SiteOptions, basic, split_url};
use crate::mapping::encoded_path;
use crate::options::{self, AuthToken, OauthConfig, RequesterOptions};
use crate::token::Tokens;

/// Reads a password as the configuration has it.
pub type ReadPassword<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// An entry of the configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct OptionsError {
    /// As in `zosconnect.endpoint_connections.ID.host`.
    pub key: String,
    pub problem: String,
}

/// All of one configuration.
#[derive(Debug, Default)]
pub(crate) struct Endpoints {
    pub(crate) connections: BTreeMap<String, Arc<Endpoint>>,
}

#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) id: String,
    pub(crate) site: Arc<Site>,
    /// Without a slash at its end.
    pub(crate) base_path: String,
    pub(crate) authentication: Vec<Authentication>,
    /// Of all endpoint connections of the same configuration.
    pub(crate) tokens: Arc<Tokens>,
    /// The last attempt to connect failed, which has been told.
    pub(crate) is_down: AtomicBool,
}

impl Endpoint {
    /// Tells the log when the API is not reached any more, and when it is again.
    pub(crate) fn note(&self, failure: Option<&ClientError>) {
        match failure {
            Some(error @ (ClientError::Unreachable(_) | ClientError::ConnectTimeout(_))) => {
                if !self.is_down.swap(true, Relaxed) {
                    tracing::warn!(%error, "the API of the endpoint connection {} cannot be reached", self.id);
                }
            }
            Some(_) => {}
            None => {
                if self.is_down.load(Relaxed) && self.is_down.swap(false, Relaxed) {
                    tracing::info!("the API of the endpoint connection {} is reached again", self.id);
                }
            }
        }
    }
}

/// Who the server says it is to an API.
#[derive(Debug, Clone)]
pub(crate) enum Authentication {
    Basic(HeaderValue),
    Oauth(Arc<Oauth>),
    Token(Arc<Token>),
}

#[derive(Debug)]
pub(crate) struct Oauth {
    pub(crate) id: String,
    pub(crate) config: OauthConfig,
    pub(crate) server: Arc<AuthorizationServer>,
}

#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) id: String,
    pub(crate) config: AuthToken,
    pub(crate) server: Arc<AuthorizationServer>,
}

#[derive(Debug)]
pub(crate) struct AuthorizationServer {
    pub(crate) site: Arc<Site>,
    /// Path and query of the token endpoint.
    pub(crate) target: String,
    /// User and password, or client id and client secret.
    pub(crate) credentials: Option<(String, String)>,
}

struct Maker<'a> {
    options: &'a RequesterOptions,
    password: ReadPassword<'a>,
    servers: BTreeMap<&'a str, Arc<AuthorizationServer>>,
    tokens: Arc<Tokens>,
}

impl Endpoints {
    /// Reads PEM files: not for a thread that serves sockets.
    ///
    /// # Errors
    /// The first entry that cannot be used.
    pub(crate) fn new(options: &RequesterOptions, password: ReadPassword<'_>) -> Result<Self, OptionsError> {
        let mut maker = Maker { options, password, servers: BTreeMap::new(), tokens: Arc::default() };
        for (id, server) in &options.authorization_servers {
            let made = maker.authorization_server(id, server)?;
            maker.servers.insert(id, Arc::new(made));
        }
        let mut connections = BTreeMap::new();
        for (id, connection) in &options.endpoint_connections {
            connections.insert(id.clone(), Arc::new(maker.endpoint(id, connection)?));
        }
        // Nobody may refer to these, but what is wrong with them is told all the same.
        for (id, config) in &options.oauth_configs {
            maker.server(&format!("oauth_configs.{id}"), &config.authorization_server)?;
        }
        for (id, token) in &options.auth_tokens {
            maker.server(&format!("auth_tokens.{id}"), &token.authorization_server)?;
            check_token(token).map_err(|(key, problem)| error(&format!("auth_tokens.{id}"), key, problem))?;
        }
        Ok(Self { connections })
    }
}

impl<'a> Maker<'a> {
    fn endpoint(&self, id: &str, connection: &options::EndpointConnection) -> Result<Endpoint, OptionsError> {
        let table = format!("endpoint_connections.{id}");
        let unknown = || error(&table, "host", format!("'{}' is no host", connection.host));
        let (scheme, host, port, path) = split_url(connection.host.trim()).ok_or_else(unknown)?;
        if !matches!(path, "" | "/") {
            return Err(error(&table, "host", "a path belongs into base_path"));
        }
        let site = self.site(
            &table,
            SiteOptions {
                scheme,
                host,
                port: connection.port.or(port),
                ca_file: connection.ca_file.as_deref(),
                certificate: connection.certificate.as_deref(),
                key: connection.key.as_deref(),
                server_name: connection.server_name.as_deref(),
                proxy: self.proxy(&table, connection.proxy.as_deref())?,
                connection_timeout_seconds: connection.connection_timeout_seconds,
                receive_timeout_seconds: connection.receive_timeout_seconds,
                keep_alive_seconds: connection.keep_alive_seconds,
            },
        )?;
        let mut authentication = Vec::new();
        for name in &connection.authentication {
            authentication.push(self.authentication(&table, name)?);
        }
        let base_path = connection.base_path.trim().trim_matches('/');
        Ok(Endpoint {
            id: id.to_owned(),
            site,
            base_path: if base_path.is_empty() { String::new() } else { encoded_path(&format!("/{base_path}")) },
            authentication,
            tokens: Arc::clone(&self.tokens),
            is_down: AtomicBool::new(false),
        })
    }

    fn site(&self, table: &str, options: SiteOptions<'_>) -> Result<Arc<Site>, OptionsError> {
        let told = |SiteError { key, problem }| error(table, key, problem);
        Site::new(&options).map(Arc::new).map_err(told)
    }

    fn authentication(&self, table: &str, name: &str) -> Result<Authentication, OptionsError> {
        if self.options.auth_data.contains_key(name) {
            let (user, password) = self.auth_data(table, "authentication", name)?;
            return Ok(Authentication::Basic(basic(&user, &password)));
        }
        let id = name.to_owned();
        if let Some(config) = self.options.oauth_configs.get(name) {
            let server = self.server(&format!("oauth_configs.{name}"), &config.authorization_server)?;
            return Ok(Authentication::Oauth(Arc::new(Oauth { id, config: config.clone(), server })));
        }
        if let Some(config) = self.options.auth_tokens.get(name) {
            let server = self.server(&format!("auth_tokens.{name}"), &config.authorization_server)?;
            return Ok(Authentication::Token(Arc::new(Token { id, config: config.clone(), server })));
        }
        Err(error(table, "authentication", format!("'{name}' is no entry of auth_data, oauth_configs or auth_tokens")))
    }

    fn auth_data(&self, table: &str, key: &str, name: &str) -> Result<(String, String), OptionsError> {
        let unknown = || error(table, key, format!("'{name}' is no entry of auth_data"));
        let data = self.options.auth_data.get(name).ok_or_else(unknown)?;
        let password = (self.password)(&data.password)
            .map_err(|problem| error(&format!("auth_data.{name}"), "password", problem))?;
        Ok((data.user.clone(), password))
    }

    fn server(&self, table: &str, name: &str) -> Result<Arc<AuthorizationServer>, OptionsError> {
        let unknown = || error(table, "authorization_server", format!("'{name}' is no entry of authorization_servers"));
        self.servers.get(name).map(Arc::clone).ok_or_else(unknown)
    }

    fn authorization_server(
        &self,
        id: &str,
        server: &options::AuthorizationServer,
    ) -> Result<AuthorizationServer, OptionsError> {
        let table = format!("authorization_servers.{id}");
        let no_url = || error(&table, "token_endpoint", format!("'{}' is no URL", server.token_endpoint));
        if !server.token_endpoint.contains("://") {
            return Err(no_url());
        }
        let (scheme, host, port, path) = split_url(server.token_endpoint.trim()).ok_or_else(no_url)?;
        let site = self.site(
            &table,
            SiteOptions {
                scheme,
                host,
                port,
                ca_file: server.ca_file.as_deref(),
                certificate: server.certificate.as_deref(),
                key: server.key.as_deref(),
                server_name: server.server_name.as_deref(),
                proxy: self.proxy(&table, server.proxy.as_deref())?,
                connection_timeout_seconds: server.connection_timeout_seconds,
                receive_timeout_seconds: server.receive_timeout_seconds,
                keep_alive_seconds: 5,
            },
        )?;
        let credentials =
            server.basic_auth.as_deref().map(|name| self.auth_data(&table, "basic_auth", name)).transpose()?;
        Ok(AuthorizationServer {
            site,
            target: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
            credentials,
        })
    }

    fn proxy(&self, table: &str, name: Option<&str>) -> Result<Option<ProxyTarget>, OptionsError> {
        let Some(name) = name else { return Ok(None) };
        let unknown = || error(table, "proxy", format!("'{name}' is no entry of proxies"));
        let proxy = self.options.proxies.get(name).ok_or_else(unknown)?;
        let own = format!("proxies.{name}");
        let (Some((Scheme::Http, host, None, "" | "/")), true) = (split_url(proxy.host.trim()), proxy.port > 0) else {
            return Err(error(&own, "host", format!("'{}' is no host", proxy.host)));
        };
        let credentials =
            proxy.basic_auth.as_deref().map(|data| self.auth_data(&own, "basic_auth", data)).transpose()?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Some(ProxyTarget { host, port: proxy.port, kind: proxy.kind, credentials }))
    }
}

/// Settings of a token that contradict each other.
fn check_token(token: &AuthToken) -> Result<(), (&'static str, &'static str)> {
    use options::{TokenFormat, TokenPlace};
    if http::HeaderName::try_from(token.header.as_str()).is_err() {
        return Err(("header", "it is no name of a header"));
    }
    match token.request.credentials {
        // BAQR1001E.
        TokenPlace::Body if token.request.body.is_none() => {
            return Err(("request.body", "it is required with credentials = \"body\""));
        }
        TokenPlace::Headers if token.request.headers.len() != 2 => {
            return Err(("request.headers", "two names have to be given where credentials = \"headers\""));
        }
        _ => {}
    }
    match (token.response.location, token.response.format) {
        // BAQR1002E.
        (TokenPlace::Body, TokenFormat::Json) if token.response.token_path.is_none() => {
            Err(("response.token_path", "it is required with location = \"body\" and format = \"json\""))
        }
        (TokenPlace::Headers, _) => Err(("response.location", "it is \"header\" or \"body\"")),
        _ => Ok(()),
    }
}

fn error(table: &str, key: &str, problem: impl Into<String>) -> OptionsError {
    OptionsError { key: format!("zosconnect.{table}.{key}"), problem: problem.into() }
}
