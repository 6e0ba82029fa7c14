//! Who a request comes from: LTPA cookie, TLS client certificate or HTTP Basic; which roles that user holds; CSRF.
//!
//! Order of looking, as Liberty does it: a good cookie wins over everything; then a client certificate that names a
//! known user; then Basic. A bad cookie does not harm a request that carries another good credential.
//! This module never answers a request: routes turn a [`Verdict`] into a status and an error body.

pub mod certificate;
pub mod csrf;
pub mod identity;
pub mod ltpa;
pub mod role;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue};
use model::timestamp::Timestamp;

pub use self::certificate::CertificateIdentity;
pub use self::identity::Identity;
pub use self::role::Roles;
use crate::{WebError, WebOptions};

/// Knows the users and roles of one configuration, the LTPA keys, and what was verified lately.
///
/// Share it in an `Arc`; a reload replaces it by what [`Authenticator::reloaded`] makes.
pub struct Authenticator {}

/// What a request brings along.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    pub headers: &'a HeaderMap,
    pub client_certificate: Option<&'a CertificateIdentity>,
    pub over_tls: bool,
}

/// What the credentials of a request are worth.
#[derive(Debug, Clone)]
pub enum Verdict {
    Identified {
        identity: Arc<Identity>,
        mechanism: Mechanism,
        /// The answer should carry the cookie of [`Authenticator::mint_cookie`].
        set_cookie: bool,
    },
    /// Nothing was sent: MQWB0104E.
    NoCredentials,
    /// Basic is wrong: MQWB0105E.
    BadBasic,
    /// The cookie is expired, foreign, revoked or damaged: MQWB0112E, and the cookie is cleared.
    BadToken,
    /// A password hash has to be computed: call [`Authenticator::authenticate_slow`].
    Slow,
    /// Too many password checks are waiting already: 503, try again.
    Busy,
}

/// How an identity was established; the names are those of `authenticationMechanism` in the answer of GET /login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    Token,
    Basic,
    ClientCertificate,
    NoSecurity,
}

impl Mechanism {
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "form",
            Self::Basic => "basic",
            Self::ClientCertificate => "clientCertificate",
            Self::NoSecurity => "noSecurity",
        }
    }
}

/// Why POST /login is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    #[error("the user name or the password is wrong")]
    WrongCredentials,
    #[error("too many password checks are waiting already")]
    Busy,
}

impl Authenticator {
    /// Loads or makes the LTPA key file, parses users and roles.
    ///
    /// # Errors
    /// `Option`, naming the key, when a password, role, binding or the key file cannot be used.
    pub fn new(options: &WebOptions) -> Result<Self, WebError> {
        let _ = options;
        todo!()
    }

    /// One for new options that remembers which tokens this one has revoked.
    ///
    /// # Errors
    /// As [`Authenticator::new`].
    pub fn reloaded(&self, options: &WebOptions) -> Result<Self, WebError> {
        let _ = options;
        todo!()
    }

    /// Decides without waiting and without hashing a password: a cached or verifiable token, a certificate, a Basic
    /// header verified lately, or a password that is stored reversibly.
    pub fn authenticate(&self, credentials: &Credentials<'_>, now: Timestamp) -> Verdict {
        let _ = (credentials, now);
        todo!()
    }

    /// As [`Authenticator::authenticate`], and computes the password hash where that answered `Slow`. Never `Slow` itself.
    pub async fn authenticate_slow(&self, credentials: &Credentials<'_>, now: Timestamp) -> Verdict {
        let _ = (credentials, now);
        todo!()
    }

    /// Checks a user name and password as POST /login brings them.
    ///
    /// # Errors
    /// `WrongCredentials` (401) or `Busy` (503). A user without any role is no error here: its `roles` are empty.
    pub async fn login(&self, user: &str, password: &str, now: Timestamp) -> Result<Arc<Identity>, LoginError> {
        let _ = (user, password, now);
        todo!()
    }

    /// The whole value of a `Set-Cookie` header; `None` where a cookie must not be set (plain HTTP with `ltpa.secure`).
    pub fn mint_cookie(&self, identity: &Identity, now: Timestamp, over_tls: bool) -> Option<HeaderValue> {
        let _ = (identity, now, over_tls);
        todo!()
    }

    /// The `Set-Cookie` value that removes the cookie.
    pub fn clear_cookie(&self) -> HeaderValue {
        todo!()
    }

    /// LTPA cookie values of a request, without their quotes, in the order sent. Usually none or one.
    pub fn presented_tokens<'h>(&'h self, headers: &'h HeaderMap) -> impl Iterator<Item = &'h str> {
        let _ = headers;
        std::iter::empty()
    }

    /// Makes a token worthless from now on, until it would have expired; one that does not verify is ignored.
    pub fn revoke(&self, token: &str, now: Timestamp) {
        let _ = (token, now);
        todo!()
    }

    pub fn cookie_name(&self) -> &str {
        todo!()
    }
}
