//! What the configuration says to API requesters: `[zosconnect.endpoint_connections]` and the tables it refers to.
//!
//! Names follow the elements of z/OS Connect's server.xml. Passwords stand here as the file has them; whoever makes
//! `Settings` of them hands in how they are read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// All tables, each by the names of its entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequesterOptions {
    pub endpoint_connections: BTreeMap<String, EndpointConnection>,
    pub auth_data: BTreeMap<String, AuthData>,
    pub authorization_servers: BTreeMap<String, AuthorizationServer>,
    pub oauth_configs: BTreeMap<String, OauthConfig>,
    pub auth_tokens: BTreeMap<String, AuthToken>,
    pub proxies: BTreeMap<String, Proxy>,
    /// By the name of the API requester.
    pub api_requesters: BTreeMap<String, ApiRequester>,
}

/// `zosconnect_endpointConnection`: where an API is, and how it is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointConnection {
    /// A name or an address, with `http://` or `https://` before it; without, it is `http`.
    pub host: String,
    /// Without one, that of the scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Stands before the base path of the API's document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base_path: String,
    #[serde(default = "thirty", skip_serializing_if = "is_thirty")]
    pub connection_timeout_seconds: u64,
    #[serde(default = "sixty", skip_serializing_if = "is_sixty")]
    pub receive_timeout_seconds: u64,
    /// How long a connection without a request is kept, unless the API says less.
    #[serde(default = "twenty", skip_serializing_if = "is_twenty")]
    pub keep_alive_seconds: u64,
    /// Names of `auth_data`, `oauth_configs` and `auth_tokens`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authentication: Vec<String>,
    /// A name of `proxies`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// PEM file of signers; without, those the system trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// PEM files of a client certificate and its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// What the server's certificate must name, when it is not the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
}

/// `zosconnect_authData`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthData {
    pub user: String,
    pub password: String,
}

/// `zosconnect_authorizationServer`: who hands out tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthorizationServer {
    /// A whole URL.
    pub token_endpoint: String,
    /// A name of `auth_data`: client id and client secret, sent as HTTP basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_auth: Option<String>,
    #[serde(default = "thirty", skip_serializing_if = "is_thirty")]
    pub connection_timeout_seconds: u64,
    #[serde(default = "sixty", skip_serializing_if = "is_sixty")]
    pub receive_timeout_seconds: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// PEM file of signers; without, those the system trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// PEM files of a client certificate and its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// What the server's certificate must name, when it is not the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
}

/// `zosconnect_oAuthConfig`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OauthConfig {
    pub grant_type: GrantType,
    /// A name of `authorization_servers`.
    pub authorization_server: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantType {
    ClientCredentials,
    Password,
}

impl GrantType {
    /// As requests name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClientCredentials => "client_credentials",
            Self::Password => "password",
        }
    }
}

/// `zosconnect_authToken`: a token, such as a JWT, requested in the way described here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthToken {
    /// A name of `authorization_servers`.
    pub authorization_server: String,
    /// Header in which the API gets the token.
    #[serde(default = "authorization", skip_serializing_if = "is_authorization")]
    pub header: String,
    /// `Bearer ` stands before the token.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub bearer: bool,
    #[serde(default)]
    pub request: TokenRequest,
    #[serde(default)]
    pub response: TokenResponse,
    /// How long a token is used that does not say when it expires; 0 asks for a new one each time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lifetime_seconds: u64,
}

/// `tokenRequest`: how the authorization server is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenRequest {
    pub method: TokenMethod,
    pub credentials: TokenPlace,
    /// With `credentials = "header"`: the header of HTTP basic authentication.
    pub header: String,
    /// With `credentials = "headers"`: two headers, of the user name and of the password.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// With `credentials = "body"`: `${userid}` and `${password}` stand for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    pub content_type: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TokenMethod {
    Get,
    #[default]
    Post,
    Put,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenPlace {
    #[default]
    Header,
    /// Of requests alone.
    Headers,
    Body,
}

/// `tokenResponse`: where the token is in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenResponse {
    pub location: TokenPlace,
    /// With `location = "header"`.
    pub header: String,
    /// With `location = "body"`.
    pub format: TokenFormat,
    /// With `format = "json"`: `$.a.b`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_path: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenFormat {
    #[default]
    Json,
    Text,
}

/// `zosconnect_proxyConfig`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proxy {
    pub host: String,
    pub port: u16,
    #[serde(rename = "type", default)]
    pub kind: ProxyKind,
    /// A name of `auth_data`, for an HTTP proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_auth: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProxyKind {
    #[default]
    Http,
    /// SOCKS version 5, names resolved by the proxy.
    Socks,
}

/// What the configuration says of one API requester.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApiRequester {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_auth: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_secure: Option<bool>,
    /// A name of `endpoint_connections` in place of the archive's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
}

impl Default for TokenRequest {
    fn default() -> Self {
        Self {
            method: TokenMethod::Post,
            credentials: TokenPlace::Header,
            header: authorization(),
            headers: Vec::new(),
            body: None,
            content_type: "application/json".to_owned(),
        }
    }
}

impl Default for TokenResponse {
    fn default() -> Self {
        Self { location: TokenPlace::Header, header: authorization(), format: TokenFormat::Json, token_path: None }
    }
}

impl Default for EndpointConnection {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: None,
            base_path: String::new(),
            connection_timeout_seconds: thirty(),
            receive_timeout_seconds: sixty(),
            keep_alive_seconds: twenty(),
            authentication: Vec::new(),
            proxy: None,
            ca_file: None,
            certificate: None,
            key: None,
            server_name: None,
        }
    }
}

fn authorization() -> String {
    "Authorization".to_owned()
}

fn is_authorization(name: &str) -> bool {
    name == "Authorization"
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_yes(value: &bool) -> bool {
    *value
}

fn thirty() -> u64 {
    30
}

fn sixty() -> u64 {
    60
}

fn twenty() -> u64 {
    20
}

fn is_thirty(value: &u64) -> bool {
    *value == 30
}

fn is_sixty(value: &u64) -> bool {
    *value == 60
}

fn is_twenty(value: &u64) -> bool {
    *value == 20
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}
