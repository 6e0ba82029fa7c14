//! Sessions of people who have signed in at an issuer by browser: who they are, under a secret that their cookie holds.
//!
//! They live in memory: the end of the server ends them. They outlast a reload, which decides anew who their users are here. An
//! LTPA token would name the user alone: it has no room for the groups of an issuer, and other servers with its keys would take the
//! user for one of theirs.
//!
//! Invariants
//! - The secret is never kept, its digest is.
//! - There are `MOST` at most: the one that ends soonest goes.
//! - A session that was removed never comes back.

use std::sync::Arc;

use model::timestamp::Timestamp;
use parking_lot::Mutex;

use super::super::token::Subject;
use crate::cache::{Ends, VerifiedCache};
use crate::identity::Identity;
use crate::keyed_digest::{Digester, KeyedDigest};
use crate::random_text::random_text;

/// Sessions at once.
const MOST: usize = 16_000;
/// How secrets begin. No LTPA token does: it is base64, which has no such sign.
const PREFIX: &str = "qs_";

pub(in super::super) struct Sessions {
    sessions: VerifiedCache<Session>,
    digester: Digester,
}

struct Session {
    digest: KeyedDigest,
    /// The URL of the issuer.
    issuer: String,
    subject: Subject,
    ends: Timestamp,
    /// Who that is here, by which configuration.
    decided: Mutex<Decided>,
}

#[derive(Clone)]
struct Decided {
    configuration: u64,
    /// `None`: nobody.
    identity: Option<Arc<Identity>>,
}

impl Ends for Session {
    fn ends_ms(&self) -> u64 {
        self.ends.as_millis()
    }
}

/// Whether a token of a cookie is the secret of a session rather than an LTPA token.
pub(crate) fn is_session(token: &str) -> bool {
    token.starts_with(PREFIX)
}

impl Sessions {
    pub(super) fn new() -> Self {
        Self { sessions: VerifiedCache::new(MOST), digester: Digester::new() }
    }

    /// Begins a session. Gives its secret.
    pub(super) fn begin(
        &self,
        issuer: &str,
        subject: Subject,
        identity: Arc<Identity>,
        configuration: u64,
        ends: Timestamp,
        now: Timestamp,
    ) -> String {
        let secret = format!("{PREFIX}{}", random_text());
        let digest = self.digester.digest(secret.as_bytes());
        let decided = Mutex::new(Decided { configuration, identity: Some(identity) });
        let session = Session { digest, issuer: issuer.to_owned(), subject, ends, decided };
        self.sessions.insert(digest.hash(), session, now.as_millis());
        secret
    }

    /// Who has the session. `decide` says who the user of an issuer is by `configuration`.
    pub(in super::super) fn find(
        &self,
        secret: &str,
        configuration: u64,
        now: Timestamp,
        decide: impl FnOnce(&str, &Subject) -> Option<Arc<Identity>>,
    ) -> Option<Arc<Identity>> {
        self.look(secret, now, |session| {
            let mut decided = session.decided.lock();
            if decided.configuration != configuration {
                let identity = decide(&session.issuer, &session.subject);
                *decided = Decided { configuration, identity };
            }
            decided.identity.clone()
        })
    }

    /// Until when a session lasts, and the URL of its issuer.
    pub(in super::super) fn about(&self, secret: &str, now: Timestamp) -> Option<(Timestamp, String)> {
        self.look(secret, now, |session| Some((session.ends, session.issuer.clone())))
    }

    pub(in super::super) fn end(&self, secret: &str, now: Timestamp) {
        let digest = self.digester.digest(secret.as_bytes());
        if self.look(secret, now, |_| Some(())).is_some() {
            self.sessions.remove(digest.hash());
        }
    }

    fn look<R>(&self, secret: &str, now: Timestamp, look: impl FnOnce(&Session) -> Option<R>) -> Option<R> {
        let digest = self.digester.digest(secret.as_bytes());
        self.sessions.find(digest.hash(), |session| {
            if session.digest == digest && now < session.ends { look(session) } else { None }
        })
    }
}
