//! Connections to the directory: made when needed, kept while they are of use, replaced when they break.
//!
//! Two kinds that never mix: those that search, signed in as the service, and those on which users' passwords are tried,
//! which belong to the last user tried. How many are in use at once is the caller's to bound.
//!
//! Servers are tried in their order. One that cannot be reached or does not answer a search is left alone for a moment,
//! so that a dead directory costs each request no time; a kept connection ends after ten minutes, so that the first
//! server is returned to. A server that closed a kept connection meanwhile is asked again at once on a new one.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ldap3::{Ldap, LdapConnAsync, LdapConnSettings};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::failure::Failure;
use super::lookup::{self, Person, Subject};
use super::settings::{Server, Settings};
use crate::options::LdapTls;

/// A server in trouble is left alone for this long.
const LEFT_ALONE: Duration = Duration::from_secs(2);
/// Kept connections are given up after so long without use, and after so long in all.
const IDLE_AT_MOST: Duration = Duration::from_secs(60);
const OLD_AT_MOST: Duration = Duration::from_secs(600);

pub(super) struct Pool {
    settings: Arc<Settings>,
    searching: Mutex<Vec<Connection>>,
    binding: Mutex<Vec<Connection>>,
    /// Until when each server is left alone.
    troubles: Mutex<Vec<Option<Instant>>>,
}

struct Connection {
    ldap: Ldap,
    /// Position of its server.
    server: usize,
    made: Instant,
    used: Instant,
    is_kept: bool,
}

/// A conversation, boxed: the compiler then need not see through the client library's futures.
type Question<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Search,
    Bind,
}

impl Pool {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        let troubles = Mutex::new(vec![None; settings.servers.len()]);
        Self { settings, searching: Mutex::default(), binding: Mutex::default(), troubles }
    }

    /// A user with its groups.
    pub(super) async fn find(&self, subject: &Subject) -> Result<Option<Person>, Failure> {
        loop {
            let mut connection = self.take(Purpose::Search).await?;
            let asked: Question<'_, _> = Box::pin(lookup::find(&mut connection.ldap, &self.settings, subject));
            let answer = timeout(self.settings.answer_within, asked).await.unwrap_or(Err(Failure::Slow));
            if let Some(answer) = self.outcome(connection, Purpose::Search, answer) {
                return answer;
            }
        }
    }

    /// Whether the password is right.
    pub(super) async fn bind(&self, dn: &str, password: &str) -> Result<bool, Failure> {
        loop {
            let mut connection = self.take(Purpose::Bind).await?;
            let asked: Question<'_, _> = Box::pin(lookup::bind(&mut connection.ldap, dn, password));
            let answer = timeout(self.settings.answer_within, asked).await.unwrap_or(Err(Failure::Slow));
            if let Some(answer) = self.outcome(connection, Purpose::Bind, answer) {
                return answer;
            }
        }
    }

    /// What `config check --connect` says of each server, in order.
    pub(super) async fn probe(&self) -> Vec<(String, Result<(), String>)> {
        let mut said = Vec::new();
        for server in &self.settings.servers {
            let asked = async {
                let mut ldap = connect(&self.settings, server, Purpose::Search).await?;
                lookup::has_base(&mut ldap, &self.settings).await
            };
            let within = self.settings.connect_within + self.settings.answer_within;
            let result = match timeout(within, asked).await.unwrap_or(Err(Failure::Slow)) {
                Ok(true) => Ok(()),
                Ok(false) => Err(format!("ldap.base_dn {} is not there, or not for this user", self.settings.base)),
                Err(failure) => Err(failure.to_string()),
            };
            said.push((url(&self.settings, server), result));
        }
        said
    }

    /// Keeps or drops the connection. `None`: it was a kept one that had broken; ask again, on another one.
    fn outcome<T>(
        &self,
        mut connection: Connection,
        purpose: Purpose,
        answer: Result<T, Failure>,
    ) -> Option<Result<T, Failure>> {
        let server = connection.server;
        match &answer {
            Ok(_) => {
                connection.used = Instant::now();
                connection.is_kept = true;
                let mut kept = self.kept(purpose).lock();
                if kept.len() < self.settings.connections {
                    kept.push(connection);
                }
            }
            Err(Failure::Broken(_)) if connection.is_kept => {
                // Its neighbours are as old, and most likely as dead.
                self.kept(purpose).lock().retain(|kept| kept.server != server);
                return None;
            }
            Err(failure @ (Failure::Broken(_) | Failure::Slow)) if purpose == Purpose::Search => {
                self.trouble(server, failure);
            }
            // How long a server takes to refuse a password is no sign of trouble: anybody could cause that.
            Err(failure @ (Failure::Broken(_) | Failure::Slow)) => {
                let url = url(&self.settings, &self.settings.servers[server]);
                tracing::warn!("the directory {url} did not check a password: {failure}");
            }
            Err(_) => {}
        }
        Some(answer)
    }

    async fn take(&self, purpose: Purpose) -> Result<Connection, Failure> {
        while let Some(mut connection) = self.kept(purpose).lock().pop() {
            let young = connection.used.elapsed() < IDLE_AT_MOST && connection.made.elapsed() < OLD_AT_MOST;
            if young && !connection.ldap.is_closed() {
                return Ok(connection);
            }
        }
        for (index, server) in self.settings.servers.iter().enumerate() {
            if self.troubles.lock()[index].is_some_and(|until| Instant::now() < until) {
                continue;
            }
            match connect(&self.settings, server, purpose).await {
                Ok(ldap) => {
                    self.troubles.lock()[index] = None;
                    let now = Instant::now();
                    return Ok(Connection { ldap, server: index, made: now, used: now, is_kept: false });
                }
                Err(failure) => self.trouble(index, &failure),
            }
        }
        Err(Failure::Unreachable)
    }

    fn trouble(&self, server: usize, failure: &Failure) {
        let url = url(&self.settings, &self.settings.servers[server]);
        tracing::warn!("the directory {url} failed and is not asked again for {} s: {failure}", LEFT_ALONE.as_secs());
        self.troubles.lock()[server] = Some(Instant::now() + LEFT_ALONE);
        self.searching.lock().retain(|kept| kept.server != server);
        self.binding.lock().retain(|kept| kept.server != server);
    }

    fn kept(&self, purpose: Purpose) -> &Mutex<Vec<Connection>> {
        match purpose {
            Purpose::Search => &self.searching,
            Purpose::Bind => &self.binding,
        }
    }
}

fn url(settings: &Settings, server: &Server) -> String {
    let scheme = if settings.tls == LdapTls::Ldaps { "ldaps" } else { "ldap" };
    format!("{scheme}://{}:{}", server.host, server.port)
}

/// A new connection, encrypted and, for searches, signed in as the service.
async fn connect(settings: &Settings, server: &Server, purpose: Purpose) -> Result<Ldap, Failure> {
    let options = LdapConnSettings::new()
        .set_config(Arc::clone(&settings.client))
        .set_starttls(settings.tls == LdapTls::StartTls);
    let connecting = async {
        let (connection, mut ldap) = LdapConnAsync::with_settings(options, &url(settings, server)).await?;
        // Ends by itself when the last handle is dropped or the server hangs up; then there is nothing left to tell.
        tokio::spawn(async move {
            let _ = connection.drive().await;
        });
        if purpose == Purpose::Search
            && let Some(service) = &settings.service
            && !lookup::bind(&mut ldap, &service.dn, &service.password).await?
        {
            return Err(Failure::Refused { code: 49, text: "ldap.bind_dn or ldap.bind_password is wrong".to_owned() });
        }
        Ok(ldap)
    };
    timeout(settings.connect_within, connecting).await.unwrap_or(Err(Failure::Slow))
}
