//! The user of a partner: its password, CHLAUTH records, MCAUSER.
//!
//! The password is checked here; whom the client becomes is decided by the queue manager (`security/channel_admission.rs`).
//! Every refusal is 2035 for the application; the log tells why, and administrators may ask the queue manager.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use model::authority::Principal;
use model::definition::ChannelAuthentication;
use model::definition::authentication::CheckPassword;
use model::definition::channel_authentication::Rule;
use model::reason::Reason;
use queue_manager::channel_admission::{Client, PasswordPolicy, UserDecision};
use queue_manager::recent::RefusedClient;
use queue_manager::{ConnectOptions, QueueManager};

use crate::admission::{Peer, Terms, UserFacts};

/// Why a password was not found right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the user name or the password is wrong")]
    Wrong,
    #[error("too many passwords are being checked")]
    Busy,
    #[error("the directory of users does not answer")]
    Unavailable,
    /// It was not looked at, and the log has said so.
    #[error("wrong passwords came before this one")]
    Locked,
}

/// The users of the server and their passwords.
pub trait CredentialCheck: Send + Sync {
    /// Whose password this is; it came from `address`.
    fn check<'a>(
        &'a self,
        user: &'a str,
        password: &'a str,
        address: IpAddr,
    ) -> Pin<Box<dyn Future<Output = Result<Principal, Refused>> + Send + 'a>>;

    /// A user by name alone, with its groups; one that nobody knows has none.
    fn principal<'a>(&'a self, user: &'a str) -> Pin<Box<dyn Future<Output = Principal> + Send + 'a>>;
}

/// # Errors
/// `NotAuthorized` (2035).
pub(super) async fn identify(
    credentials: &dyn CredentialCheck,
    terms: &Terms,
    peer: &Peer,
    facts: &UserFacts,
) -> Result<Principal, Reason> {
    let identification = Identification { credentials, terms, peer, facts };
    let principal = identification.run().await?;
    terms.status.update(|instance| principal.user.as_ref().clone_into(&mut instance.user));
    Ok(principal)
}

/// Refuses a password that came without TLS, right or wrong: it is not even looked at.
///
/// # Errors
/// `NotAuthorized` (2035), always.
pub(super) fn refuse_plain_password(terms: &Terms, peer: &Peer, facts: &UserFacts) -> Result<Principal, Reason> {
    let user = shown(facts.credentials.as_ref().map_or("", |given| given.user.trim()));
    let (queue_manager, channel, from) = (terms.queue_manager.name(), &terms.channel, peer.address.ip());
    let why = format!(
        "AMQ5534E: user '{user}' was refused: its password was sent in clear, and channels.plain_passwords is \"loopback\"; \
         connect with TLS to a channel with SSLCIPH, and change the password"
    );
    tracing::warn!(queue_manager = queue_manager.as_str(), "{why} (channel {channel}, partner {from})");
    note(terms, peer, facts, format_args!("{why}"), None);
    Err(Reason::NotAuthorized)
}

/// FAILDLAY: how long a password that is wrong keeps its client waiting.
pub(crate) fn failure_delay(queue_manager: &QueueManager) -> Duration {
    let policy = queue_manager.password_policy().ok().flatten();
    Duration::from_secs(policy.map_or(0, |policy| policy.failure_delay_s).into())
}

struct Identification<'a> {
    credentials: &'a dyn CredentialCheck,
    terms: &'a Terms,
    peer: &'a Peer,
    facts: &'a UserFacts,
}

impl Identification<'_> {
    async fn run(&self) -> Result<Principal, Reason> {
        let policy = self.queue_manager().password_policy();
        let policy = policy.map_err(|denied| self.refuse(format_args!("{denied}"), None))?;
        let checked = match policy {
            Some(policy) => self.check_password(policy).await?,
            None => None,
        };
        let tls = self.peer.tls.as_ref();
        let client = Client {
            channel: &self.terms.channel,
            address: self.peer.address.ip(),
            asserted: &self.facts.asserted,
            subject: tls.and_then(|tls| tls.subject.as_deref()),
            issuer: tls.and_then(|tls| tls.issuer.as_deref()),
        };
        let look_up = |user: String| async move { self.credentials.principal(&user).await };
        let decision = self.queue_manager().user_of_client(&client, policy, checked.as_ref(), look_up).await;
        for record in &decision.warned {
            self.warn(record, &decision);
        }
        match (decision.outcome, decision.principal) {
            (Ok(()), Some(principal)) => Ok(principal),
            (Err(denied), _) => {
                let records = self.queue_manager().counting_channel_authentications();
                Err(self.refuse(format_args!("{denied}"), denied.remedy(&records, &client)))
            }
            (Ok(()), None) => Err(Reason::NotAuthorized),
        }
    }

    fn queue_manager(&self) -> &QueueManager {
        &self.terms.queue_manager
    }

    /// Refuses; the application learns nothing more.
    fn refuse(&self, why: std::fmt::Arguments<'_>, remedy: Option<String>) -> Reason {
        let (channel, from) = (&self.terms.channel, self.peer.address.ip());
        let queue_manager = self.queue_manager().name();
        tracing::warn!(queue_manager = queue_manager.as_str(), "{why} (channel {channel}, partner {from})");
        note(self.terms, self.peer, self.facts, why, remedy);
        Reason::NotAuthorized
    }

    /// A record with WARN(YES) would have refused.
    fn warn(&self, record: &ChannelAuthentication, decision: &UserDecision) {
        let (rule, profile) = (record.rule.rule_type().word(), &record.profile);
        let (queue_manager, channel) = (self.queue_manager().name(), &self.terms.channel);
        let principal = decision.principal.as_ref().filter(|_| matches!(record.rule, Rule::BlockUser { .. }));
        let user = shown(principal.map_or(&decision.client_user, |principal| &principal.user));
        tracing::warn!(
            queue_manager = queue_manager.as_str(),
            "AMQ9787W: user '{user}' on channel {channel} would be refused by CHLAUTH({profile}) TYPE({rule}) without WARN(YES)"
        );
    }

    /// Who was checked; `None` when nothing was given or checks are off.
    async fn check_password(&self, policy: PasswordPolicy) -> Result<Option<Principal>, Reason> {
        if policy.check_client == CheckPassword::None {
            return Ok(None);
        }
        let Some(given) = &self.facts.credentials else { return Ok(None) };
        let user = given.user.trim();
        if user.is_empty() {
            return Ok(None);
        }
        match self.credentials.check(user, &given.password, self.peer.address.ip()).await {
            Ok(principal) => Ok(Some(principal)),
            Err(why) => {
                // FAILDLAY: whoever guesses passwords has to wait for each.
                tokio::time::sleep(Duration::from_secs(policy.failure_delay_s.into())).await;
                if why == Refused::Locked {
                    return Err(Reason::NotAuthorized);
                }
                self.queue_manager().password_refused(&ConnectOptions {
                    principal: Principal::user(user),
                    application_name: String::new(),
                    application_type: 0,
                    channel: self.terms.channel.clone(),
                    connection_name: self.terms.connection_name.clone(),
                });
                Err(self.refuse(format_args!("AMQ5534E: user '{}' was refused: {why}", shown(user)), None))
            }
        }
    }
}

/// Remembers a refusal for those who ask why.
fn note(terms: &Terms, peer: &Peer, facts: &UserFacts, why: std::fmt::Arguments<'_>, remedy: Option<String>) {
    let given = facts.credentials.as_ref().map(|given| given.user.trim()).filter(|user| !user.is_empty());
    terms.queue_manager.note_refused_client(RefusedClient {
        channel: terms.channel.clone(),
        address: peer.address.ip(),
        user: given.unwrap_or(facts.asserted.trim()).to_owned(),
        cause: why.to_string(),
        is_of_user: true,
        remedy,
    });
}

/// A partner's name in a form that is safe for the log.
fn shown(name: &str) -> String {
    name.chars().take(64).map(|c| if c.is_control() { '.' } else { c }).collect()
}
