//! Who a request comes from: bearer token, API key, session or LTPA token of a cookie, TLS client certificate or HTTP Basic; which roles that user holds.
//!
//! An API key or a bearer token (`bearer.rs`) decides alone: its sender means it, and what a browser adds by itself must not widen it.
//! Order of the other checks, as in Liberty: a valid token is used first; then a client certificate that names a
//! known user; then Basic. A bad LTPA token does not harm a request that carries another good credential.
//! Users are those of the configuration, then those of an LDAP directory. What needs the directory or a slow hash is never
//! done on the way: `authenticate` then says `Slow`, and `authenticate_slow` waits.
//! This module never answers a request: doors turn a [`Verdict`] into an answer.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use model::authority::Principal;
use model::timestamp::Timestamp;
use tokio::runtime::Handle;

use crate::api_key::{ApiKeys, Found};
use crate::attempts::{Attempt, Attempts, Locked};
use crate::basic::{self, BasicCredentials, VerifiedHeaders};
use crate::bearer::{Bearers, Presented};
use crate::bindings::Bindings;
use crate::certificate::CertificateIdentity;
use crate::error::IdentityError;
use crate::identity::{Identity, MintedToken};
use crate::keyed_digest::KeyedDigest;
use crate::ldap::{Directory, NoAnswer, Subject};
use crate::ltpa::keys::LtpaKeys;
use crate::ltpa::{Settings, SingleSignOn, TokenVerdict, key_file};
use crate::oidc::TokenSight;
use crate::oidc::sign_in::{Begun, Choice, Finished, Refused, Returned, SignInRefusal, Wish, is_session};
use crate::options::{Identities, Lockout};
use crate::password::PasswordReader;
use crate::registry::{Marks, QuickCheck, Registry};
use crate::role::Roles;
use crate::slow::SlowChecks;
use crate::users::{Lookup, Users};

/// Tokens of a request and its certificate, each asked about once.
const MOST_QUESTIONS: usize = 8;
/// The address of questions that the server asks for itself.
const OWN: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Knows the users and roles of one configuration, the LTPA keys, and what was verified lately.
///
/// Share it in an `Arc`; a reload replaces it by what [`Authenticator::reloaded`] makes.
pub struct Authenticator {
    users: Users,
    sign_on: SingleSignOn,
    verified_headers: VerifiedHeaders,
    slow_checks: Arc<SlowChecks>,
    lockout: Lockout,
    attempts: Arc<Attempts>,
    bearers: Bearers,
    /// Where the directory is asked.
    runtime: Option<Handle>,
    /// The identity of every caller when security is off.
    anybody: Option<Arc<Identity>>,
}

/// What a request brings along.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    /// LTPA tokens, in the order sent; the first few are looked at.
    pub tokens: &'a [&'a str],
    /// Value of the header `Authorization`.
    pub authorization: Option<&'a [u8]>,
    /// Value of the header `X-API-Key`.
    pub api_key: Option<&'a [u8]>,
    pub client_certificate: Option<&'a CertificateIdentity>,
    pub over_tls: bool,
    /// Where the request comes from.
    pub address: IpAddr,
}

/// What the credentials of a request are worth.
#[derive(Debug, Clone)]
pub enum Verdict {
    Identified {
        identity: Arc<Identity>,
        mechanism: Mechanism,
        /// The answer should carry the token of [`Authenticator::mint_token`].
        set_cookie: bool,
    },
    /// Nothing was sent: MQWB0104E.
    NoCredentials,
    /// Basic is wrong: MQWB0105E.
    BadBasic,
    /// The token is expired, foreign, revoked or damaged: MQWB0112E, and the cookie is cleared.
    BadToken,
    /// The bearer token is not accepted. Why not, the log says.
    BadBearer,
    /// There is no such API key, or it has expired.
    BadApiKey,
    /// A password hash has to be computed or the directory asked: call [`Authenticator::authenticate_slow`].
    Slow,
    /// Too many checks are waiting already: 503, try again.
    Busy,
    /// The directory, on which the verdict depends, does not answer: 503, try again.
    Unavailable,
    /// The issuer, whose keys are needed, does not answer: 503, try again.
    IssuerUnavailable,
    /// Wrong passwords came before this one, which was not looked at: 429, try again later.
    Locked(Locked),
}

/// How an identity was established; the names are those of `authenticationMechanism` in the answer of GET /login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    Token,
    Basic,
    ClientCertificate,
    /// A token of an issuer.
    Bearer,
    /// A session of a person who has signed in at an issuer by browser.
    Oidc,
    ApiKey,
    NoSecurity,
}

impl Mechanism {
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "form",
            Self::Basic => "basic",
            Self::ClientCertificate => "clientCertificate",
            Self::Bearer => "bearer",
            Self::Oidc => "oidc",
            Self::ApiKey => "apiKey",
            Self::NoSecurity => "noSecurity",
        }
    }
}

/// What the credentials of a request say of the time for which they count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// `None`: as long as they are sent.
    pub ends: Option<Timestamp>,
    /// The URL of the issuer whose token it is.
    pub issuer: Option<String>,
}

/// Why POST /login is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    #[error("the user name or the password is wrong")]
    WrongCredentials,
    #[error("too many password checks are waiting; try again later")]
    Busy,
    #[error("the directory does not answer")]
    Unavailable,
    #[error("the password was not checked, because wrong passwords were sent before; try again in {} s", .0.seconds())]
    Locked(Locked),
}

impl Authenticator {
    /// Loads or makes the LTPA key file, parses users and roles.
    ///
    /// # Errors
    /// Names the key when a password, role, binding or the key file cannot be used.
    pub fn new(options: &Identities<'_>, now: Timestamp) -> Result<Self, IdentityError> {
        Self::build(options, None, now)
    }

    /// One for new options. It remembers which tokens this one has revoked, and keys that lie in no file.
    ///
    /// Verified tokens and headers are verified anew: their users may have changed.
    ///
    /// # Errors
    /// As [`Authenticator::new`].
    pub fn reloaded(&self, options: &Identities<'_>, now: Timestamp) -> Result<Self, IdentityError> {
        Self::build(options, Some(self), now)
    }

    fn build(options: &Identities<'_>, before: Option<&Self>, now: Timestamp) -> Result<Self, IdentityError> {
        let web = options.web;
        let passwords = PasswordReader::new(web.password_encryption_key.as_deref());
        let keys = load_keys(options, &passwords, before, now)?;
        let settings = Settings {
            realm: web.realm.0.clone(),
            cookie_name: checked_cookie_name(&options.ltpa.cookie_name)?,
            lifetime: checked_lifetime(options.ltpa.expiration)?,
            secure: options.ltpa.secure,
        };
        let bindings = Arc::new(Bindings::parse(&web.roles)?);
        let marks = Marks { keys: &keys, before: before.map(|before| before.users.file()), now };
        let file = Registry::new(web, &passwords, &bindings, options.server_user, &marks)?;
        let runtime = before.and_then(|before| before.runtime.clone()).or_else(|| Handle::try_current().ok());
        let (server_user, ask_on) = (options.server_user, runtime.clone());
        let directory = Directory::new(options.ldap, web, &passwords, Arc::clone(&bindings), server_user, ask_on)?;
        let bearers = Bearers::new(options, bindings, before.map(|before| &before.bearers), runtime.clone())?;
        let revoked = before.map(|before| before.sign_on.revocations()).unwrap_or_default();
        Ok(Self {
            users: Users::new(file, directory),
            sign_on: SingleSignOn::new(keys, settings, revoked),
            verified_headers: VerifiedHeaders::new(),
            slow_checks: before.map_or_else(|| Arc::new(SlowChecks::new()), |before| Arc::clone(&before.slow_checks)),
            lockout: options.lockout.clone(),
            attempts: before.map_or_else(Arc::default, |before| Arc::clone(&before.attempts)),
            bearers,
            runtime,
            anybody: web.no_security.then(|| anybody(options.server_user)),
        })
    }

    /// Decides without waiting and without hashing a password: a cached or verifiable token, a certificate, a Basic
    /// header verified lately, or a password that is stored reversibly.
    pub fn authenticate(&self, credentials: &Credentials<'_>, now: Timestamp) -> Verdict {
        if let Some(identity) = &self.anybody {
            let identity = Arc::clone(identity);
            return Verdict::Identified { identity, mechanism: Mechanism::NoSecurity, set_cookie: false };
        }
        if let Some(presented) = self.bearers.presented(credentials) {
            return self.look_at_presented(presented, credentials.address, now);
        }
        match self.look_at_token_and_certificate(credentials, now) {
            Sight::Decided(verdict) => verdict,
            Sight::Ask(_) => Verdict::Slow,
            Sight::Otherwise(nothing_yet) => self.look_at_basic(credentials, nothing_yet, now),
        }
    }

    /// As [`Authenticator::authenticate`], and computes the password hash or asks the directory where that answered
    /// `Slow`. Never `Slow` itself. Call within a tokio runtime.
    pub async fn authenticate_slow(&self, credentials: &Credentials<'_>, now: Timestamp) -> Verdict {
        let mut verdict = self.authenticate(credentials, now);
        if !matches!(verdict, Verdict::Slow) {
            return verdict;
        }
        if let Some(presented) = self.bearers.presented(credentials) {
            return self.ask_about_presented(presented, credentials.address, now).await;
        }
        let nothing_yet = match self.ask_about_token_and_certificate(credentials, now).await {
            Ok(verdict) => return verdict,
            Err(nothing_yet) => nothing_yet,
        };
        verdict = self.look_at_basic(credentials, nothing_yet, now);
        let (Verdict::Slow, Some(header)) = (&verdict, credentials.authorization.and_then(basic::header)) else {
            return verdict;
        };
        let Some(BasicCredentials { user, password }) = basic::parse(header) else { return Verdict::BadBasic };
        let digest = self.verified_headers.digest(header);
        let already_known = || self.verified_headers.find(&digest, now);
        match self.check(user, password, credentials.address, now, already_known).await {
            Ok(identity) => {
                self.remember(&digest, &identity, now);
                self.identified(identity, Mechanism::Basic, credentials.over_tls)
            }
            Err(error) => error.into(),
        }
    }

    /// Checks a user name and password as POST /login brings them. Call within a tokio runtime.
    ///
    /// # Errors
    /// `WrongCredentials` (401), `Locked` (429), `Busy` or `Unavailable` (503). A user without any role is no error here: its
    /// `roles` are empty.
    pub async fn login(
        &self,
        user: &str,
        password: &str,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<Arc<Identity>, LoginError> {
        if let Some(identity) = &self.anybody {
            return Ok(Arc::clone(identity));
        }
        Ok(self.check_anew(user, password, address, now, || None).await?.fresh())
    }

    /// Checks a user name and password that came by another door than HTTP, and remembers what was right as that of a
    /// Basic header is remembered: each serves the other. Security that is off for HTTP is not off here. Call within a tokio
    /// runtime.
    ///
    /// # Errors
    /// As [`Authenticator::login`].
    pub async fn check_password(
        &self,
        user: &str,
        password: &str,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<Arc<Identity>, LoginError> {
        let digest = self.verified_headers.digest_of(user, password);
        let known = || digest.as_ref().and_then(|digest| self.verified_headers.find(digest, now));
        if let Some(identity) = known() {
            return Ok(identity);
        }
        let identity = self.check_anew(user, password, address, now, known).await?;
        if let Some(digest) = &digest {
            self.remember(digest, &identity, now);
        }
        Ok(identity)
    }

    /// A user by name alone, with its groups; one that is not known has none. Call within a tokio runtime.
    pub async fn principal_of(&self, user: &str, now: Timestamp) -> Principal {
        self.known_principal(user, now).await.unwrap_or_else(|| Principal::user(user))
    }

    /// As `principal_of`; `None` for a user who is not known here, as one of an issuer of tokens, or whom the directory cannot be
    /// asked about now.
    pub async fn known_principal(&self, user: &str, now: Timestamp) -> Option<Principal> {
        match self.users.of_token(user, now) {
            Lookup::Known(identity) => return Some(identity.principal.clone()),
            Lookup::Unknown => return None,
            Lookup::Ask(subject) => {
                // A directory that does not answer leaves the user without groups.
                let _ = self.users.ask(&subject, OWN, now).await;
            }
        }
        match self.users.of_token(user, now) {
            Lookup::Known(identity) => Some(identity.principal.clone()),
            Lookup::Unknown | Lookup::Ask(_) => None,
        }
    }

    /// Asks each server of the directory for its base, signed in as for searches: its URL, and what is wrong. Empty where
    /// no directory is configured. Call within a tokio runtime.
    pub async fn probe_directory(&self) -> Vec<(String, Result<(), String>)> {
        match self.users.directory() {
            Some(directory) => directory.probe().await,
            None => Vec::new(),
        }
    }

    /// Asks each issuer of tokens for its keys: its URL, and what is wrong. Call within a tokio runtime.
    pub async fn probe_issuers(&self) -> Vec<(String, Result<(), String>)> {
        self.bearers.issuers().probe().await
    }

    /// Asks each issuer of tokens whose keys are due, and waits for no answer. To be called about once a second.
    pub fn refresh_issuers(&self, now: Timestamp) {
        self.bearers.issuers().refresh(now);
    }

    /// The API keys of this server, which a reload leaves as they are.
    pub fn api_keys(&self) -> &Arc<ApiKeys> {
        self.bearers.api_keys()
    }

    /// For how long the credentials count that a request was accepted for.
    pub fn session(&self, credentials: &Credentials<'_>, mechanism: Mechanism, now: Timestamp) -> Session {
        match mechanism {
            Mechanism::Token => Session { ends: self.sign_on.end_of(credentials.tokens, now), issuer: None },
            Mechanism::Oidc => {
                let mut sessions = credentials.tokens.iter().filter(|token| is_session(token));
                match sessions.find_map(|secret| self.bearers.issuers().about_session(secret, now)) {
                    Some((ends, issuer)) => Session { ends: Some(ends), issuer: Some(issuer) },
                    None => Session::default(),
                }
            }
            Mechanism::Bearer => match self.bearers.presented(credentials) {
                Some(Presented::Token(text)) => match self.bearers.issuers().session_of(text) {
                    Some((ends, issuer)) => Session { ends: Some(ends), issuer: Some(issuer) },
                    None => Session::default(),
                },
                Some(Presented::ApiKey(_)) | None => Session::default(),
            },
            Mechanism::Basic | Mechanism::ClientCertificate | Mechanism::ApiKey | Mechanism::NoSecurity => {
                Session::default()
            }
        }
    }

    /// A token for a cookie; `None` where a cookie must not be set (plain HTTP with `ltpa.secure`).
    ///
    /// An identity of [`Authenticator::login`] gets a token of its own. Requests with the same Basic header or
    /// certificate share one that was minted less than a minute ago, so that signing is no tax on each of them.
    pub fn mint_token(&self, identity: &Identity, now: Timestamp, over_tls: bool) -> Option<Arc<MintedToken>> {
        self.sign_on.token(identity, now, over_tls)
    }

    /// Makes a token worthless from now on, until it would have expired; one that does not verify is ignored. Ends the session, if the
    /// token is that of one.
    pub fn revoke(&self, token: &str, now: Timestamp) {
        match is_session(token) {
            true => self.bearers.issuers().end_session(token, now),
            false => self.sign_on.revoke(token, now),
        }
    }

    /// Issuers that people sign in at by browser.
    pub fn sign_in_choices(&self) -> Vec<Choice> {
        self.bearers.issuers().choices()
    }

    /// Sends a person to an issuer. Call within a tokio runtime.
    ///
    /// # Errors
    /// There is no such issuer, or it does not answer. The log has the reason.
    pub async fn begin_sign_in(&self, wish: Wish<'_>, now: Timestamp) -> Result<Begun, SignInRefusal> {
        let (issuer, address) = (wish.issuer, wish.address);
        let begun = self.bearers.issuers().begin_sign_in(wish, now).await;
        begun.inspect_err(|why| self.bearers.tell_of_sign_in(issuer, why, address, now))
    }

    /// Makes a session for a person who comes back from an issuer. `clock` is asked again after each answer of the issuer. Call
    /// within a tokio runtime.
    ///
    /// # Errors
    /// Why there is no session. The log has the reason.
    pub async fn finish_sign_in(
        &self,
        returned: &Returned<'_>,
        address: IpAddr,
        clock: &(dyn Fn() -> Timestamp + Sync),
    ) -> Result<Finished, Refused> {
        let finished = self.bearers.issuers().finish_sign_in(returned, self.sign_on.lifetime(), clock).await;
        finished.inspect_err(|refused| {
            self.bearers.tell_of_sign_in(returned.issuer, &refused.why, address, clock());
        })
    }

    pub fn cookie_name(&self) -> &str {
        self.sign_on.cookie_name()
    }

    /// Tokens travel over TLS alone.
    pub fn is_secure(&self) -> bool {
        self.sign_on.is_secure()
    }

    /// Decides about a bearer token or an API key without waiting.
    fn look_at_presented(&self, presented: Presented<'_>, address: IpAddr, now: Timestamp) -> Verdict {
        match presented {
            Presented::ApiKey(text) => match self.look_at_api_key(text, address, now) {
                Ok(Lookup::Known(identity)) => of_bearer(identity, Mechanism::ApiKey),
                Ok(Lookup::Ask(_)) => Verdict::Slow,
                Ok(Lookup::Unknown) => Verdict::BadApiKey,
                Err(verdict) => verdict,
            },
            Presented::Token(text) => match self.bearers.issuers().look(text, now) {
                TokenSight::Ask(_) => Verdict::Slow,
                decided => self.of_token_sight(&decided, address, now),
            },
        }
    }

    /// As `look_at_presented`, and asks the issuer or the directory.
    async fn ask_about_presented(&self, presented: Presented<'_>, address: IpAddr, now: Timestamp) -> Verdict {
        let text = match presented {
            Presented::ApiKey(text) => text,
            Presented::Token(text) => {
                let decided = self.bearers.issuers().look_and_ask(text, now).await;
                return self.of_token_sight(&decided, address, now);
            }
        };
        if let Ok(Lookup::Ask(subject)) = self.look_at_api_key(text, address, now)
            && let Err(no_answer) = self.users.ask(&subject, address, now).await
        {
            return no_answer.into();
        }
        match self.look_at_presented(presented, address, now) {
            // Only when the directory's answer counted for less long than it took.
            Verdict::Slow => Verdict::Busy,
            decided => decided,
        }
    }

    fn of_token_sight(&self, sight: &TokenSight, address: IpAddr, now: Timestamp) -> Verdict {
        match sight {
            TokenSight::Good(identity) => of_bearer(Arc::clone(identity), Mechanism::Bearer),
            TokenSight::Bad(refusal) => {
                self.bearers.tell(refusal, address, now);
                Verdict::BadBearer
            }
            TokenSight::Ask(_) | TokenSight::Unavailable => Verdict::IssuerUnavailable,
        }
    }

    /// A right key is accepted whatever came before it: nobody finds one by trying. A wrong one counts as a wrong password does.
    fn look_at_api_key(&self, text: &str, address: IpAddr, now: Timestamp) -> Result<Lookup, Verdict> {
        let key = match self.bearers.api_keys().find(text, now) {
            Found::Good(key) => key,
            Found::Expired(key) => {
                self.bearers.tell_of_expired(&key, address, now);
                return Err(Verdict::BadApiKey);
            }
            Found::Wrong(id) => {
                let user = format!("API key {}", id.unwrap_or_default());
                let fingerprint = self.attempts.fingerprint(&user, text);
                self.attempts.admit(&self.lockout, &user, fingerprint, address, now).map_err(Verdict::Locked)?;
                self.attempts.failed(&self.lockout, &user, address, now);
                return Err(Verdict::BadApiKey);
            }
        };
        Ok(self.bearers.identity_of_key(&key, &self.users, now))
    }

    /// Who has the session that a cookie holds the secret of.
    fn look_at_session(&self, credentials: &Credentials<'_>, now: Timestamp) -> Option<Arc<Identity>> {
        let mut sessions = credentials.tokens.iter().filter(|token| is_session(token));
        let issuers = self.bearers.issuers();
        let travels = self.sign_on.may_travel(credentials.over_tls);
        travels.then(|| sessions.find_map(|secret| issuers.find_session(secret, now))).flatten()
    }

    fn look_at_token_and_certificate(&self, credentials: &Credentials<'_>, now: Timestamp) -> Sight {
        let over_tls = credentials.over_tls;
        if let Some(identity) = self.look_at_session(credentials, now) {
            return Sight::Decided(Verdict::Identified { identity, mechanism: Mechanism::Oidc, set_cookie: false });
        }
        let nothing_yet = match self.sign_on.look(credentials.tokens, over_tls, &self.users, now) {
            TokenVerdict::Good(identity) => {
                let mechanism = Mechanism::Token;
                return Sight::Decided(Verdict::Identified { identity, mechanism, set_cookie: false });
            }
            TokenVerdict::Ask(subject) => return Sight::Ask(subject),
            TokenVerdict::Bad => Verdict::BadToken,
            TokenVerdict::Absent => Verdict::NoCredentials,
        };
        match credentials.client_certificate.map(|certificate| self.users.of_certificate(certificate, now)) {
            Some(Lookup::Known(identity)) => {
                Sight::Decided(self.identified(identity, Mechanism::ClientCertificate, over_tls))
            }
            Some(Lookup::Ask(subject)) => Sight::Ask(subject),
            Some(Lookup::Unknown) | None => Sight::Otherwise(nothing_yet),
        }
    }

    /// Asks the directory about each of them that needs it. `Err` holds the verdict for a request that has no Basic header
    /// either: a directory that does not answer does no harm to a request whose password can be checked without it.
    async fn ask_about_token_and_certificate(
        &self,
        credentials: &Credentials<'_>,
        now: Timestamp,
    ) -> Result<Verdict, Verdict> {
        for _ in 0..MOST_QUESTIONS {
            let subject = match self.look_at_token_and_certificate(credentials, now) {
                Sight::Decided(verdict) => return Ok(verdict),
                Sight::Otherwise(nothing_yet) => return Err(nothing_yet),
                Sight::Ask(subject) => subject,
            };
            if let Err(no_answer) = self.users.ask(&subject, credentials.address, now).await {
                return Err(no_answer.into());
            }
        }
        Err(Verdict::Busy)
    }

    /// `otherwise` is the verdict for a request without a Basic header.
    fn look_at_basic(&self, credentials: &Credentials<'_>, otherwise: Verdict, now: Timestamp) -> Verdict {
        let Some(header) = credentials.authorization.and_then(basic::header) else { return otherwise };
        let digest = self.verified_headers.digest(header);
        if let Some(identity) = self.verified_headers.find(&digest, now) {
            return self.identified(identity, Mechanism::Basic, credentials.over_tls);
        }
        let Some(BasicCredentials { user, password }) = basic::parse(header) else { return Verdict::BadBasic };
        match self.check_quickly(&user, &password, credentials.address, now) {
            Ok(Some(identity)) => {
                self.remember(&digest, &identity, now);
                self.identified(identity, Mechanism::Basic, credentials.over_tls)
            }
            Ok(None) => Verdict::Slow,
            Err(error) => error.into(),
        }
    }

    /// Checks in microseconds where it can, else in turn.
    async fn check_anew(
        &self,
        user: &str,
        password: &str,
        address: IpAddr,
        now: Timestamp,
        already_known: impl FnOnce() -> Option<Arc<Identity>>,
    ) -> Result<Arc<Identity>, LoginError> {
        match self.check_quickly(user, password, address, now)? {
            Some(identity) => Ok(identity),
            None => self.check(user.to_owned(), password.to_owned(), address, now, already_known).await,
        }
    }

    /// Checks what can be checked in microseconds; `None` where it takes longer.
    fn check_quickly(
        &self,
        user: &str,
        password: &str,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<Option<Arc<Identity>>, LoginError> {
        let fingerprint = self.attempts.fingerprint(user, password);
        self.attempts.admit(&self.lockout, user, fingerprint, address, now).map_err(LoginError::Locked)?;
        match self.users.check_quickly(user, password) {
            QuickCheck::Right(identity) => {
                self.attempts.succeeded(user, fingerprint, address, now);
                Ok(Some(Arc::clone(identity)))
            }
            QuickCheck::Wrong => {
                self.attempts.failed(&self.lockout, user, address, now);
                Err(LoginError::WrongCredentials)
            }
            QuickCheck::NeedsTime => Ok(None),
        }
    }

    /// Checks however long it takes. When its turn has come, `already_known` is asked, and whether wrong passwords came
    /// meanwhile: they all wait in the same queue.
    async fn check(
        &self,
        user: String,
        password: String,
        address: IpAddr,
        now: Timestamp,
        already_known: impl FnOnce() -> Option<Arc<Identity>>,
    ) -> Result<Arc<Identity>, LoginError> {
        let (attempts, lockout) = (Arc::clone(&self.attempts), self.lockout.clone());
        let fingerprint = attempts.fingerprint(&user, &password);
        let attempt = Attempt { attempts, lockout, user, password: fingerprint, address, now };
        let checked = self.users.check(&self.slow_checks, attempt, password, already_known).await?;
        checked.ok_or(LoginError::WrongCredentials)
    }

    fn remember(&self, digest: &KeyedDigest, identity: &Arc<Identity>, now: Timestamp) {
        self.verified_headers.insert(digest, identity, now);
    }

    fn identified(&self, identity: Arc<Identity>, mechanism: Mechanism, over_tls: bool) -> Verdict {
        Verdict::Identified { identity, mechanism, set_cookie: self.sign_on.may_travel(over_tls) }
    }
}

/// Without a cookie: what was sent is sent again with the next request.
fn of_bearer(identity: Arc<Identity>, mechanism: Mechanism) -> Verdict {
    Verdict::Identified { identity, mechanism, set_cookie: false }
}

/// What a look at tokens and certificate tells.
enum Sight {
    Decided(Verdict),
    /// Neither decides; the verdict for a request that has no Basic header either.
    Otherwise(Verdict),
    /// The directory has to be asked about this one first.
    Ask(Subject),
}

impl From<NoAnswer> for LoginError {
    fn from(no_answer: NoAnswer) -> Self {
        match no_answer {
            NoAnswer::Busy => Self::Busy,
            NoAnswer::Unavailable => Self::Unavailable,
            NoAnswer::Locked(locked) => Self::Locked(locked),
        }
    }
}

/// Of a Basic header.
impl From<LoginError> for Verdict {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::WrongCredentials => Self::BadBasic,
            LoginError::Busy => Self::Busy,
            LoginError::Unavailable => Self::Unavailable,
            LoginError::Locked(locked) => Self::Locked(locked),
        }
    }
}

impl From<NoAnswer> for Verdict {
    fn from(no_answer: NoAnswer) -> Self {
        match no_answer {
            NoAnswer::Busy => Self::Busy,
            NoAnswer::Unavailable => Self::Unavailable,
            NoAnswer::Locked(locked) => Self::Locked(locked),
        }
    }
}

/// With security off every caller acts as the server's user and has every role.
fn anybody(server_user: &str) -> Arc<Identity> {
    Arc::new(Identity::new(Principal::administrator(server_user), server_user, Roles::all()))
}

fn load_keys(
    options: &Identities<'_>,
    passwords: &PasswordReader,
    before: Option<&Authenticator>,
    now: Timestamp,
) -> Result<LtpaKeys, IdentityError> {
    let stored = options.ltpa.keys_password.as_deref();
    let password = stored.map(|stored| passwords.decode(stored)).transpose();
    let password = password.map_err(|error| IdentityError::new("ltpa.keys_password", error))?;
    match (&options.ltpa.keys_file, before) {
        (Some(path), _) => load_key_file(path, password.as_deref(), now),
        (None, Some(before)) => Ok(before.sign_on.keys().clone()),
        (None, None) => LtpaKeys::generate().map_err(|error| IdentityError::new("ltpa.keys_file", error)),
    }
}

fn load_key_file(path: &Path, password: Option<&str>, now: Timestamp) -> Result<LtpaKeys, IdentityError> {
    let date = now.date_time().to_string();
    key_file::load_or_make(path, password, &date).map_err(|error| IdentityError::new("ltpa.keys_file", error))
}

/// A cookie name is a token of RFC 9110.
fn checked_cookie_name(name: &str) -> Result<String, IdentityError> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 256 || !name.bytes().all(is_token) {
        return Err(IdentityError::new("ltpa.cookie_name", format!("'{name}' cannot be the name of a cookie")));
    }
    Ok(name.to_owned())
}

fn checked_lifetime(minutes: u64) -> Result<Duration, IdentityError> {
    let most = 100 * 366 * 24 * 60;
    if !(1..=most).contains(&minutes) {
        return Err(IdentityError::new(
            "ltpa.expiration",
            format!("{minutes} is not a number of minutes from 1 to {most}"),
        ));
    }
    Ok(Duration::from_secs(minutes * 60))
}
