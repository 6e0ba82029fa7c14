//! People who sign in at an issuer by browser: the authorization code flow with PKCE.
//!
//! `begin` sends the browser to the issuer, `finish` makes a session of what it brings back. Cookies and addresses of this server are the
//! caller's. The ID token says that the sign-in is ours; user and groups are those of the access token where that is one which
//! this server accepts as a bearer token, else those of the ID token.
//!
//! Invariants
//! - What the browser brings counts once, in the browser that began, with the nonce that was sent (`sign_in/pending.rs`).
//! - Tokens, codes and secrets are neither kept nor logged, and are in no address that this server makes.
//! - A session has the user and roles that a bearer token with the same claims has.
//!
//! Source: OpenID Connect Core 1.0, 3.1; RFC 6749, 4.1; RFC 7636; RFC 9207; OpenID Connect RP-Initiated Logout 1.0.

mod pending;
mod sessions;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub use self::pending::NotBegun;
use self::pending::{Flow, LONGEST, Pending};
pub(crate) use self::sessions::is_session;
use super::client::Client;
use super::endpoints::{Endpoints, NO_ENDPOINTS};
use super::issuer::{Issuer, Turn};
use super::token::{Refusal, Subject, Token, quoted};
use super::{Form, Issuers};
use crate::identity::Identity;
use crate::random_text::random_text;
use crate::role::{self, Roles};

/// For how long a browser needs the cookie of a sign-in that has begun.
pub const LONGEST_SIGN_IN: Duration = LONGEST;

/// What outlasts a reload.
pub(super) struct SignIns {
    pending: Mutex<Pending>,
    pub(super) sessions: sessions::Sessions,
}

/// An issuer that people sign in at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Of the entry of the configuration.
    pub name: String,
    /// What its button says.
    pub title: String,
    /// The page where people sign out there, if the issuer is known to have one.
    pub end_session: Option<String>,
}

/// What a person wants.
#[derive(Debug, Clone)]
pub struct Wish<'a> {
    /// The name of the issuer.
    pub issuer: &'a str,
    /// Where the issuer shall send the browser.
    pub redirect_uri: String,
    /// Where the person wants to go in the end.
    pub to: String,
    pub address: IpAddr,
}

/// A sign-in that has begun.
#[derive(Debug)]
pub struct Begun {
    /// Where the browser has to go.
    pub location: String,
    /// What its cookie has to hold until it comes back.
    pub browser: String,
}

/// What a browser brings back.
#[derive(Debug, Default, Clone)]
pub struct Returned<'a> {
    /// The name of the issuer whose address it was sent to.
    pub issuer: &'a str,
    /// What its cookie holds.
    pub browser: &'a str,
    pub state: Option<String>,
    pub code: Option<String>,
    pub error: Option<String>,
    /// Who sent it, of an issuer that says so.
    pub iss: Option<String>,
}

/// A person who has signed in.
#[derive(Debug)]
pub struct Finished {
    /// For the cookie that carries tokens.
    pub session: String,
    pub identity: Arc<Identity>,
    pub to: String,
}

/// Why a sign-in is refused, for the log. The person is told no more than which kind it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignInRefusal {
    #[error("no entry '{0}' of [identity.oidc] has a client_id")]
    UnknownIssuer(String),
    #[error(transparent)]
    NotBegun(#[from] NotBegun),
    /// The person or the issuer did not want to.
    #[error("the issuer answers: access_denied")]
    Denied,
    #[error("the issuer refuses: {0}")]
    Refused(String),
    #[error("the issuer cannot be used now: {0}")]
    Unavailable(String),
    #[error("its token is not accepted: {0}")]
    Token(#[from] Refusal),
    #[error("its user '{0}' has no role here")]
    NoRole(String),
}

/// A refusal, and where the person wanted to go, if that is known.
#[derive(Debug)]
pub struct Refused {
    pub why: SignInRefusal,
    pub to: Option<String>,
}

impl SignIns {
    pub(super) fn new() -> Self {
        Self { pending: Mutex::new(Pending::new()), sessions: sessions::Sessions::new() }
    }
}

impl Issuers {
    /// Issuers that people sign in at, in the order of their names.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        let of = |issuer: &Arc<Issuer>| {
            let client = issuer.client()?;
            let end_session = issuer.endpoints().and_then(|endpoints| end_session(&endpoints, client));
            Some(Choice { name: client.name.clone(), title: client.title.clone(), end_session })
        };
        self.issuers.iter().filter_map(of).collect()
    }

    /// # Errors
    /// Why the browser cannot be sent to the issuer.
    pub(crate) async fn begin_sign_in(&self, wish: Wish<'_>, now: Timestamp) -> Result<Begun, SignInRefusal> {
        let (issuer, client) = self.client(wish.issuer)?;
        let endpoints = self.endpoints(issuer, now).await?;
        let [state, browser, nonce, verifier] = std::array::from_fn(|_| random_text());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        let query = form(&[
            ("response_type", "code"),
            ("client_id", &client.id),
            ("redirect_uri", &wish.redirect_uri),
            ("scope", &client.scopes),
            ("state", &state),
            ("nonce", &nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        let location = with_query(&endpoints.authorization, &query);
        let flow = Flow { issuer: client.name.clone(), nonce, verifier, redirect_uri: wish.redirect_uri, to: wish.to };
        self.sign_ins.pending.lock().begin(state, &browser, flow, wish.address, now);
        Ok(Begun { location, browser })
    }

    /// `clock` is asked again after each answer of the issuer. The session lasts for `lifetime`.
    ///
    /// # Errors
    /// Why there is no session.
    pub(crate) async fn finish_sign_in(
        &self,
        returned: &Returned<'_>,
        lifetime: Duration,
        clock: &(dyn Fn() -> Timestamp + Sync),
    ) -> Result<Finished, Refused> {
        let state = returned.state.as_deref().unwrap_or_default();
        let flow = self.sign_ins.pending.lock().take(state, returned.browser, returned.issuer, clock());
        let flow = flow.map_err(|why| Refused { why: why.into(), to: None })?;
        match self.sign_in(returned, &flow, lifetime, clock).await {
            Ok((session, identity)) => Ok(Finished { session, identity, to: flow.to }),
            Err(why) => Err(Refused { why, to: Some(flow.to) }),
        }
    }

    async fn sign_in(
        &self,
        returned: &Returned<'_>,
        flow: &Flow,
        lifetime: Duration,
        clock: &(dyn Fn() -> Timestamp + Sync),
    ) -> Result<(String, Arc<Identity>), SignInRefusal> {
        let (issuer, client) = self.client(returned.issuer)?;
        let url = &issuer.settings.url;
        if let Some(other) = returned.iss.as_ref().filter(|iss| *iss != url) {
            return Err(SignInRefusal::Refused(format!("it calls itself '{}'", quoted(other))));
        }
        match (returned.error.as_deref(), &returned.code) {
            (Some("access_denied"), _) => return Err(SignInRefusal::Denied),
            (Some(error), _) => return Err(SignInRefusal::Refused(quoted(error))),
            (None, None) => return Err(SignInRefusal::Refused("it sends neither a code nor an error".to_owned())),
            (None, Some(_)) => {}
        }
        let code = returned.code.as_deref().unwrap_or_default();
        let endpoints = self.endpoints(issuer, clock()).await?;
        let granted = redeem(issuer, client, &endpoints, flow, code).await?;
        let subject = self.subject(issuer, client, &granted, &flow.nonce, clock).await?;
        let identity = self.identity(issuer, &subject)?;
        role::require(&identity, Roles::all()).map_err(|missing| SignInRefusal::NoRole(quoted(&missing.name)))?;
        let now = clock();
        let ends = now.saturating_add(lifetime);
        let sessions = &self.sign_ins.sessions;
        Ok((sessions.begin(url, subject, Arc::clone(&identity), self.configuration, ends, now), identity))
    }

    /// Who has the session with this secret; `None`: there is none, or the user counts no more.
    pub(crate) fn find_session(&self, secret: &str, now: Timestamp) -> Option<Arc<Identity>> {
        self.sign_ins.sessions.find(secret, self.configuration, now, |url, subject| {
            let issuer = self.issuers.iter().find(|issuer| issuer.settings.url == url)?;
            issuer.client()?;
            self.identity(issuer, subject).ok()
        })
    }

    /// Until when a session lasts, and the URL of its issuer.
    pub(crate) fn about_session(&self, secret: &str, now: Timestamp) -> Option<(Timestamp, String)> {
        self.sign_ins.sessions.about(secret, now)
    }

    pub(crate) fn end_session(&self, secret: &str, now: Timestamp) {
        self.sign_ins.sessions.end(secret, now);
    }

    fn client(&self, name: &str) -> Result<(&Arc<Issuer>, &Client), SignInRefusal> {
        let mut clients = self.issuers.iter().filter_map(|issuer| Some((issuer, issuer.client()?)));
        clients.find(|(_, client)| client.name == name).ok_or_else(|| SignInRefusal::UnknownIssuer(quoted(name)))
    }

    /// Asks the issuer, if it has not answered yet.
    async fn endpoints(&self, issuer: &Arc<Issuer>, now: Timestamp) -> Result<Arc<Endpoints>, SignInRefusal> {
        if let Some(endpoints) = issuer.endpoints() {
            return Ok(endpoints);
        }
        let answers = match issuer.may_be_asked(now) {
            Turn::Ask => issuer.ask(self.runtime.as_ref(), now).await,
            Turn::Asked => true,
            Turn::Failed => false,
        };
        let problem = match answers {
            true => NO_ENDPOINTS,
            false => "it does not answer",
        };
        issuer.endpoints().ok_or_else(|| SignInRefusal::Unavailable(problem.to_owned()))
    }

    /// Whom the tokens mean.
    async fn subject(
        &self,
        issuer: &Arc<Issuer>,
        client: &Client,
        granted: &Granted,
        nonce: &str,
        clock: &(dyn Fn() -> Timestamp + Sync),
    ) -> Result<Subject, SignInRefusal> {
        let id_token = Token::read(&granted.id_token)?;
        if id_token.issuer != issuer.settings.url {
            return Err(Refusal::unknown_issuer(&id_token.issuer).into());
        }
        let verify = || id_token.verify_sign_in(&client.id, nonce, &issuer.keys().0, &issuer.settings, clock());
        match verify() {
            Err(Refusal::UnknownKey(_)) if matches!(issuer.may_be_asked(clock()), Turn::Ask) => {
                issuer.ask(self.runtime.as_ref(), clock()).await;
                verify()?;
            }
            verified => verified?,
        }
        let access = granted.access_token.as_deref().and_then(|text| Token::read(text).ok());
        let access = access.filter(|token| token.issuer == issuer.settings.url);
        let verified = access.as_ref().map(|token| token.verify(&issuer.keys().0, &issuer.settings, clock()));
        match (access.as_ref(), verified) {
            (Some(access), Some(Ok((subject, _)))) => match access.subject_id() == id_token.subject_id() {
                true => Ok(subject),
                false => Err(SignInRefusal::Refused("its two tokens are for two users".to_owned())),
            },
            _ => Ok(id_token.subject(&issuer.settings)?),
        }
    }
}

/// What the token endpoint gives for a code.
struct Granted {
    id_token: String,
    access_token: Option<String>,
}

async fn redeem(
    issuer: &Issuer,
    client: &Client,
    endpoints: &Endpoints,
    flow: &Flow,
    code: &str,
) -> Result<Granted, SignInRefusal> {
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", &flow.redirect_uri),
        ("code_verifier", &flow.verifier),
    ];
    let mut authorization = None;
    match &client.secret {
        Some(secret) if !endpoints.takes_secret_in_form => {
            // Both are encoded as in a form first (RFC 6749, 2.3.1).
            let pair = format!("{}:{}", encoded(&client.id), encoded(&secret.0));
            authorization = Some(format!("Basic {}", STANDARD.encode(pair)));
        }
        secret => {
            fields.push(("client_id", &client.id));
            fields.extend(secret.as_ref().map(|secret| ("client_secret", &*secret.0)));
        }
    }
    let posted = issuer.post(&endpoints.token, Form { body: form(&fields), authorization }).await;
    let posted = posted.map_err(|problem| SignInRefusal::Unavailable(quoted(&problem)))?;
    let answer: Value = serde_json::from_slice(&posted.body).unwrap_or_default();
    let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
    match (posted.status, text("id_token"), text("error")) {
        (200, Some(id_token), _) => Ok(Granted { id_token, access_token: text("access_token") }),
        (200, None, _) => Err(SignInRefusal::Refused("its answer has no ID token".to_owned())),
        (400..=499, _, Some(error)) => Err(SignInRefusal::Refused(quoted(&error))),
        (status @ 400..=499, _, None) => Err(SignInRefusal::Refused(format!("status {status}"))),
        (status, ..) => Err(SignInRefusal::Unavailable(format!("its token endpoint answers with status {status}"))),
    }
}

/// The page where a person signs out at the issuer, which asks whom it is for: no token is in its address.
fn end_session(endpoints: &Endpoints, client: &Client) -> Option<String> {
    Some(with_query(endpoints.end_session.as_ref()?, &form(&[("client_id", &client.id)])))
}

fn with_query(url: &str, query: &str) -> String {
    format!("{url}{}{query}", if url.contains('?') { '&' } else { '?' })
}

fn form(fields: &[(&str, &str)]) -> String {
    fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect::<Vec<_>>().join("&")
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
