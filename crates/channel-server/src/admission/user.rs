//! The user of a partner: its password, CHLAUTH records, MCAUSER.
//!
//! The order is that of a queue manager with early adoption (`ChlauthEarlyAdopt=Y`), which new ones have: the password is
//! checked, and with ADOPTCTX(YES) its user counts as the client's before the records look at it. Then the most specific
//! record maps the user; BLOCKUSER has the last word. Every refusal is 2035 for the application; only the log tells why.
//!
//! A user, once known, is one of:
//! mapped by a record; adopted from the password; MCAUSER of the channel; asserted by the client; in this order.
//!
//! Source: MQ security, "Interaction between CHLAUTH and CONNAUTH"; MQ reference, "DEFINE AUTHINFO", 9.3.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::authority::{AuthorityObject, Principal};
use model::definition::authentication::{AuthenticationType, CheckPassword};
use model::definition::channel_authentication::CheckClient;
use model::definition::{AdministeredObject, ChannelAuthentication};
use model::name::ChannelName;
use model::reason::Reason;
use queue_manager::channel_authentication::{Inbound, Outcome, is_user_blocked, map};
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
    tracing::warn!(
        queue_manager = queue_manager.as_str(),
        "AMQ5534E: user '{user}' was refused: its password was sent in clear, and channels.plain_passwords is \"loopback\"; \
         connect with TLS to a channel with SSLCIPH, and change the password (channel {channel}, partner {from})"
    );
    Err(Reason::NotAuthorized)
}

/// CHCKCLNT, ADOPTCTX and FAILDLAY of the object that CONNAUTH names.
#[derive(Debug, Clone, Copy)]
struct Policy {
    check_client: CheckPassword,
    adopt_context: bool,
    failure_delay_s: u32,
}

impl Policy {
    /// `None` for objects that are not about passwords.
    fn of(object: &AdministeredObject) -> Option<Self> {
        let AdministeredObject::Authentication(definition) = object else { return None };
        let checks_passwords =
            matches!(definition.authentication_type, AuthenticationType::OperatingSystem | AuthenticationType::Ldap);
        checks_passwords.then_some(Self {
            check_client: definition.check_client,
            adopt_context: definition.adopt_context,
            failure_delay_s: definition.failure_delay_s,
        })
    }
}

/// FAILDLAY: how long a password that is wrong keeps its client waiting.
pub(crate) fn failure_delay(queue_manager: &QueueManager) -> Duration {
    let name = queue_manager.definition().connection_authentication;
    let object = queue_manager.object(AuthorityObject::AuthenticationInformation, &name);
    let policy = object.as_deref().and_then(Policy::of);
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
        let policy = self.policy()?;
        let checked = match policy {
            Some(policy) => self.check_password(policy).await?,
            None => None,
        };
        let adopts = policy.is_some_and(|policy| policy.adopt_context);
        let adopted = checked.as_ref().filter(|_| adopts);
        let client_user = adopted.map_or(self.facts.asserted.trim(), |principal| &principal.user);

        let records = self.records();
        let (mapped, check_client) = self.map(&records, client_user)?;
        let principal = match (mapped, adopted) {
            (Some(user), _) => self.credentials.principal(&user).await,
            (None, Some(adopted)) => adopted.clone(),
            (None, None) => self.of_channel_or_client().await?,
        };
        let is_administrator = self.queue_manager().is_administrator(&principal) || &*principal.user == "mqm";
        self.check_requirement(policy, check_client, checked.is_some(), &principal, is_administrator)?;
        self.check_blocked(&records, &principal, is_administrator)?;
        Ok(principal)
    }

    fn queue_manager(&self) -> &QueueManager {
        &self.terms.queue_manager
    }

    /// Refuses; the application learns nothing more.
    fn refuse<T>(&self, why: std::fmt::Arguments<'_>) -> Result<T, Reason> {
        let (channel, from) = (&self.terms.channel, self.peer.address.ip());
        let queue_manager = self.queue_manager().name();
        tracing::warn!(queue_manager = queue_manager.as_str(), "{why} (channel {channel}, partner {from})");
        Err(Reason::NotAuthorized)
    }

    /// What the object says that CONNAUTH names; `None` where it names none.
    fn policy(&self) -> Result<Option<Policy>, Reason> {
        let name = self.queue_manager().definition().connection_authentication;
        if name.is_blank() {
            return Ok(None);
        }
        let object = self.queue_manager().object(AuthorityObject::AuthenticationInformation, &name);
        match object.as_deref().and_then(Policy::of) {
            Some(policy) => Ok(Some(policy)),
            None => self
                .refuse(format_args!("AMQ5530E: CONNAUTH({name}) names no object that says how passwords are checked")),
        }
    }

    /// Who was checked; `None` when nothing was given or checks are off.
    async fn check_password(&self, policy: Policy) -> Result<Option<Principal>, Reason> {
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
                self.refuse(format_args!("AMQ5534E: user '{}' was refused: {why}", shown(user)))
            }
        }
    }

    fn records(&self) -> Arc<[ChannelAuthentication]> {
        if self.queue_manager().definition().channel_authentication {
            self.queue_manager().channel_authentications()
        } else {
            Arc::from([])
        }
    }

    /// The user a record maps to, if one does, and whether the record wants a password.
    fn map(
        &self,
        records: &[ChannelAuthentication],
        client_user: &str,
    ) -> Result<(Option<String>, CheckClient), Reason> {
        let tls = self.peer.tls.as_ref();
        let inbound = Inbound {
            channel: &self.terms.channel,
            address: self.peer.address.ip(),
            host: None,
            client_user: Some(client_user).filter(|user| !user.is_empty()),
            queue_manager: None,
            subject: tls.and_then(|tls| tls.subject.as_deref()),
            issuer: tls.and_then(|tls| tls.issuer.as_deref()),
        };
        let mapped = map(records, &inbound);
        let user = shown(client_user);
        if let Some(record) = mapped.warned {
            let (rule, profile) = (record.rule.rule_type().word(), &record.profile);
            let (queue_manager, channel) = (self.queue_manager().name(), &self.terms.channel);
            tracing::warn!(
                queue_manager = queue_manager.as_str(),
                "AMQ9787W: user '{user}' on channel {channel} would be refused by CHLAUTH({profile}) TYPE({rule}) without WARN(YES)"
            );
        }
        match mapped.outcome {
            Outcome::AsChannel => Ok((None, mapped.check_client)),
            Outcome::User(user) => Ok((Some(user.to_owned()), mapped.check_client)),
            Outcome::Refused => {
                let (rule, profile) =
                    mapped.record.map_or(("", ""), |record| (record.rule.rule_type().word(), record.profile.as_str()));
                self.refuse(format_args!(
                    "AMQ9777E: user '{user}' was refused by CHLAUTH({profile}) TYPE({rule}) USERSRC(NOACCESS)"
                ))
            }
        }
    }

    /// MCAUSER, else who the client says it is.
    async fn of_channel_or_client(&self) -> Result<Principal, Reason> {
        let definition = ChannelName::parse(&self.terms.channel)
            .ok()
            .and_then(|name| self.queue_manager().object(AuthorityObject::Channel, &name));
        let agent_user = match definition.as_deref() {
            Some(AdministeredObject::Channel(channel)) => channel.agent_user.trim(),
            _ => "",
        };
        let user = if agent_user.is_empty() { self.facts.asserted.trim() } else { agent_user };
        if user.is_empty() {
            return self.refuse(format_args!("AMQ9557E: the channel has no MCAUSER, and the partner names no user"));
        }
        Ok(self.credentials.principal(user).await)
    }

    /// CHCKCLNT of CONNAUTH and of the record.
    fn check_requirement(
        &self,
        policy: Option<Policy>,
        of_record: CheckClient,
        was_checked: bool,
        principal: &Principal,
        is_administrator: bool,
    ) -> Result<(), Reason> {
        let of_queue_manager = policy.map_or(CheckPassword::None, |policy| policy.check_client);
        let is_required = match of_record {
            CheckClient::AsQueueManager => false,
            CheckClient::Required => true,
            CheckClient::RequiredOfAdministrators => is_administrator,
        } || match of_queue_manager {
            CheckPassword::None | CheckPassword::Optional => false,
            CheckPassword::Required => true,
            CheckPassword::RequiredOfAdministrators => is_administrator,
        };
        if was_checked || !is_required {
            return Ok(());
        }
        let user = shown(&principal.user);
        match of_queue_manager {
            CheckPassword::None => self.refuse(format_args!(
                "AMQ5541I: user '{user}' needs a password by CHLAUTH, and the queue manager's CONNAUTH checks none"
            )),
            _ => self.refuse(format_args!("AMQ5540E: user '{user}' needs a password, and the application gave none")),
        }
    }

    /// BLOCKUSER.
    fn check_blocked(
        &self,
        records: &[ChannelAuthentication],
        principal: &Principal,
        is_administrator: bool,
    ) -> Result<(), Reason> {
        let channel = &self.terms.channel;
        let Some(record) = is_user_blocked(records, channel, &principal.user, is_administrator) else { return Ok(()) };
        let (user, profile) = (shown(&principal.user), &record.profile);
        if record.warn {
            let queue_manager = self.queue_manager().name();
            tracing::warn!(
                queue_manager = queue_manager.as_str(),
                "AMQ9787W: user '{user}' on channel {channel} would be refused by CHLAUTH({profile}) TYPE(BLOCKUSER) without WARN(YES)"
            );
            return Ok(());
        }
        self.refuse(format_args!("AMQ9776E: user '{user}' was refused by CHLAUTH({profile}) TYPE(BLOCKUSER)"))
    }
}

/// A partner's name in a form that is safe for the log.
fn shown(name: &str) -> String {
    name.chars().take(64).map(|c| if c.is_control() { '.' } else { c }).collect()
}
