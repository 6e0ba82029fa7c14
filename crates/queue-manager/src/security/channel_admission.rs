//! Whether a client gets a server-connection channel, and as which user: the decision that channel listeners make, and its
//! trace.
//!
//! Pure but for the look-up of users, which the caller brings. Nothing is logged, counted or registered here: the listener
//! does that with what is answered, and people who ask why are shown the same answer.
//!
//! The order is that of a queue manager with early adoption (`ChlauthEarlyAdopt=Y`), which new ones have: the password is
//! checked, and with ADOPTCTX(YES) its user counts as the client's before the records look at it. Then the most specific
//! record maps the user; BLOCKUSER has the last word. A user, once known, is one of: mapped by a record; adopted from the
//! password; MCAUSER of the channel; asserted by the client; in this order.
//!
//! Source: MQ security, "Interaction between CHLAUTH and CONNAUTH"; MQ reference, "DEFINE AUTHINFO", 9.3.

mod remedy;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use model::authority::{AuthorityObject, Principal};
use model::definition::authentication::{AuthenticationType, CheckPassword};
use model::definition::channel_authentication::CheckClient;
use model::definition::{AdministeredObject, ChannelAuthentication, ChannelDefinition, ChannelType};
use model::name::{ChannelName, ObjectName};

use crate::QueueManager;
use crate::security::channel_authentication::{Inbound, Mapped, Outcome, is_address_blocked, is_user_blocked, map};

/// What is known of a client.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    pub channel: &'a str,
    pub address: IpAddr,
    /// The user it says it is; blank for none.
    pub asserted: &'a str,
    /// Of its certificate.
    pub subject: Option<&'a str>,
    pub issuer: Option<&'a str>,
}

/// CHCKCLNT, ADOPTCTX and FAILDLAY of the object that CONNAUTH names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordPolicy {
    pub check_client: CheckPassword,
    pub adopt_context: bool,
    pub failure_delay_s: u32,
}

impl PasswordPolicy {
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

/// Where the user of a channel comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whom {
    /// A record says so.
    Record(String),
    /// The password did: ADOPTCTX(YES).
    Adopted(String),
    /// MCAUSER of the channel.
    Channel(String),
    /// The client says it is this user.
    Client(String),
}

impl Whom {
    pub fn user(&self) -> &str {
        match self {
            Self::Record(user) | Self::Adopted(user) | Self::Channel(user) | Self::Client(user) => user,
        }
    }
}

/// Why a client is turned away. As text, the message of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    NoChannel {
        channel: String,
    },
    WrongType {
        channel: String,
    },
    /// BLOCKADDR.
    AddressBlocked {
        address: IpAddr,
        record: Box<ChannelAuthentication>,
    },
    /// CONNAUTH names no object that says how passwords are checked.
    NoPolicy {
        object: ObjectName,
    },
    NoAccess {
        user: String,
        record: Box<ChannelAuthentication>,
    },
    /// The channel has no MCAUSER, and the client names no user.
    NoUser,
    PasswordNeeded {
        user: String,
    },
    /// A record wants a password, and none is ever checked.
    PasswordNeverChecked {
        user: String,
    },
    UserBlocked {
        user: String,
        record: Box<ChannelAuthentication>,
    },
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoChannel { channel } => write!(f, "AMQ9519E: there is no channel '{}'", shown(channel)),
            Self::WrongType { channel } => {
                write!(f, "AMQ9502E: channel {channel} is not a server-connection channel")
            }
            Self::AddressBlocked { address, .. } => {
                write!(f, "AMQ9777E: a connection from {address} was refused by BLOCKADDR")
            }
            Self::NoPolicy { object } => {
                write!(f, "AMQ5530E: CONNAUTH({object}) names no object that says how passwords are checked")
            }
            Self::NoAccess { user, record } => {
                let (user, profile, rule) = (shown(user), &record.profile, record.rule.rule_type().word());
                write!(f, "AMQ9777E: user '{user}' was refused by CHLAUTH({profile}) TYPE({rule}) USERSRC(NOACCESS)")
            }
            Self::NoUser => write!(f, "AMQ9557E: the channel has no MCAUSER, and the partner names no user"),
            Self::PasswordNeeded { user } => {
                write!(f, "AMQ5540E: user '{}' needs a password, and the application gave none", shown(user))
            }
            Self::PasswordNeverChecked { user } => write!(
                f,
                "AMQ5541I: user '{}' needs a password by CHLAUTH, and the queue manager's CONNAUTH checks none",
                shown(user)
            ),
            Self::UserBlocked { user, record } => {
                let (user, profile) = (shown(user), &record.profile);
                write!(f, "AMQ9776E: user '{user}' was refused by CHLAUTH({profile}) TYPE(BLOCKUSER)")
            }
        }
    }
}

/// A partner's name in a form that is safe for the log.
fn shown(name: &str) -> String {
    name.chars().take(64).map(|c| if c.is_control() { '.' } else { c }).collect()
}

/// Whom a client becomes, and what decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDecision {
    /// The user that records were compared with: the adopted one, else the asserted one; blank for none.
    pub client_user: String,
    /// The mapping record that decided, if any matches.
    pub record: Option<ChannelAuthentication>,
    /// Records with WARN(YES) that would have refused.
    pub warned: Vec<ChannelAuthentication>,
    /// `None` when it was not found out.
    pub whom: Option<Whom>,
    pub principal: Option<Principal>,
    pub outcome: Result<(), Denied>,
}

impl QueueManager {
    /// The server-connection channel of a name.
    ///
    /// # Errors
    /// `NoChannel`, `WrongType`.
    pub fn served_channel(&self, name: &str) -> Result<Arc<AdministeredObject>, Denied> {
        let object = ChannelName::parse(name).ok().and_then(|name| self.object(AuthorityObject::Channel, &name));
        let object = object.ok_or_else(|| Denied::NoChannel { channel: name.to_owned() })?;
        match server_connection(&object) {
            Some(_) => Ok(object),
            None => Err(Denied::WrongType { channel: object.name().to_string() }),
        }
    }

    /// The records that count: none with CHLAUTH(DISABLED).
    pub fn counting_channel_authentications(&self) -> Arc<[ChannelAuthentication]> {
        if self.definition().channel_authentication { self.channel_authentications() } else { Arc::from([]) }
    }

    /// The BLOCKADDR record that matches an address; one with WARN(YES) lets it in.
    pub fn address_blocker(&self, address: IpAddr) -> Option<ChannelAuthentication> {
        is_address_blocked(&self.counting_channel_authentications(), address, None).cloned()
    }

    /// What CONNAUTH says of passwords; `None` when it names no object.
    ///
    /// # Errors
    /// `NoPolicy`.
    pub fn password_policy(&self) -> Result<Option<PasswordPolicy>, Denied> {
        let name = self.definition().connection_authentication;
        if name.is_blank() {
            return Ok(None);
        }
        let object = self.object(AuthorityObject::AuthenticationInformation, &name);
        let policy = object.as_deref().and_then(PasswordPolicy::of);
        policy.map(Some).ok_or(Denied::NoPolicy { object: name })
    }

    /// Finds out whom a client becomes whose password, if it gave one, was checked: `checked` is whose it is. `look_up` finds a
    /// user by name.
    pub async fn user_of_client<F: Future<Output = Principal>>(
        &self,
        client: &Client<'_>,
        policy: Option<PasswordPolicy>,
        checked: Option<&Principal>,
        look_up: impl FnOnce(String) -> F,
    ) -> UserDecision {
        let records = self.counting_channel_authentications();
        let adopted = checked.filter(|_| policy.is_some_and(|policy| policy.adopt_context));
        let client_user = adopted.map_or(client.asserted.trim(), |principal| &principal.user);
        let mapped = map(&records, &inbound(client, client_user));
        let mut decision = UserDecision {
            client_user: client_user.to_owned(),
            record: mapped.record.cloned(),
            warned: mapped.warned.into_iter().cloned().collect(),
            whom: None,
            principal: None,
            outcome: Ok(()),
        };
        let whom = match self.whom(client, client_user, &mapped, adopted) {
            Ok(whom) => decision.whom.insert(whom),
            Err(denied) => return UserDecision { outcome: Err(denied), ..decision },
        };
        let principal = match (&*whom, adopted) {
            (Whom::Adopted(_), Some(adopted)) => adopted.clone(),
            (named, _) => look_up(named.user().to_owned()).await,
        };
        let is_administrator = self.is_administrator(&principal) || &*principal.user == "mqm";
        let was_checked = checked.is_some();
        decision.outcome = check_requirement(policy, mapped.check_client, was_checked, &principal, is_administrator);
        if decision.outcome.is_ok()
            && let Some(record) = is_user_blocked(&records, client.channel, &principal.user, is_administrator)
        {
            if record.warn {
                decision.warned.push(record.clone());
            } else {
                let (user, record) = (principal.user.to_string(), Box::new(record.clone()));
                decision.outcome = Err(Denied::UserBlocked { user, record });
            }
        }
        decision.principal = Some(principal);
        decision
    }

    fn whom(
        &self,
        client: &Client<'_>,
        client_user: &str,
        mapped: &Mapped<'_>,
        adopted: Option<&Principal>,
    ) -> Result<Whom, Denied> {
        match (mapped.outcome, mapped.record, adopted) {
            (Outcome::Refused, Some(record), _) => {
                Err(Denied::NoAccess { user: client_user.to_owned(), record: Box::new(record.clone()) })
            }
            (Outcome::User(user), ..) => Ok(Whom::Record(user.to_owned())),
            (_, _, Some(adopted)) => Ok(Whom::Adopted(adopted.user.to_string())),
            (_, _, None) => self.of_channel_or_client(client),
        }
    }

    /// MCAUSER, else who the client says it is.
    fn of_channel_or_client(&self, client: &Client<'_>) -> Result<Whom, Denied> {
        let object = self.served_channel(client.channel).ok();
        let channel = object.as_deref().and_then(server_connection);
        match (channel.map_or("", |channel| channel.agent_user.trim()), client.asserted.trim()) {
            ("", "") => Err(Denied::NoUser),
            ("", asserted) => Ok(Whom::Client(asserted.to_owned())),
            (agent, _) => Ok(Whom::Channel(agent.to_owned())),
        }
    }
}

/// The definition, where it is one of a server-connection channel.
pub fn server_connection(object: &AdministeredObject) -> Option<&ChannelDefinition> {
    match object {
        AdministeredObject::Channel(channel) if channel.channel_type == ChannelType::ServerConnection => Some(channel),
        _ => None,
    }
}

fn inbound<'a>(client: &Client<'a>, client_user: &'a str) -> Inbound<'a> {
    Inbound {
        channel: client.channel,
        address: client.address,
        host: None,
        client_user: Some(client_user).filter(|user| !user.is_empty()),
        queue_manager: None,
        subject: client.subject,
        issuer: client.issuer,
    }
}

/// CHCKCLNT of CONNAUTH and of the record.
fn check_requirement(
    policy: Option<PasswordPolicy>,
    of_record: CheckClient,
    was_checked: bool,
    principal: &Principal,
    is_administrator: bool,
) -> Result<(), Denied> {
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
    let user = principal.user.to_string();
    match of_queue_manager {
        CheckPassword::None => Err(Denied::PasswordNeverChecked { user }),
        _ => Err(Denied::PasswordNeeded { user }),
    }
}
