//! Which channel a partner gets, and on what terms: definition, TLS, limits.
//!
//! Decisions are made in this order: queue manager, address, channel, its type, TLS, limits. What they refuse is told to the
//! partner as a STATUS code and to the log with the published identifier; users are `user.rs`'s.
//!
//! Source: MQ reference, "AMQ9xxx: Remote"; STATUS codes from `docs/channel-protocol.md`.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use handshake::cipher_spec::CipherSpec;
use model::definition::{AdministeredObject, ChannelDefinition};
use model::distinguished_name::fits;
use model::name::QueueManagerName;
use parking_lot::RwLock;
use queue_manager::channel_admission::{Client, Denied, server_connection};
use queue_manager::channel_status::{ChannelDisposition, ChannelInstance, ChannelState, InstanceLimits, NotAdmitted};
use queue_manager::recent::RefusedClient;
use queue_manager::registry::Unavailable;
use queue_manager::{QueueManager, QueueManagers};

use crate::admission::user::{self, CredentialCheck};
use crate::admission::{Admission, Identifying, Introduction, Peer, StatusCode, Terms, UserFacts};
use crate::cipher::{self, Fit};

/// The published meaning of the codes of a STATUS segment that refuse a channel.
pub(crate) mod status {
    use crate::admission::StatusCode;

    pub(crate) const NO_SUCH_CHANNEL: StatusCode = StatusCode(0x01);
    pub(crate) const WRONG_TYPE: StatusCode = StatusCode(0x02);
    pub(crate) const QUEUE_MANAGER_UNAVAILABLE: StatusCode = StatusCode(0x03);
    pub(crate) const QUEUE_MANAGER_ENDING: StatusCode = StatusCode(0x05);
    pub(crate) const STOPPED: StatusCode = StatusCode(0x07);
    pub(crate) const SECURITY: StatusCode = StatusCode(0x14);
    pub(crate) const CHANNEL_UNAVAILABLE: StatusCode = StatusCode(0x16);
    pub(crate) const CIPHER: StatusCode = StatusCode(0x18);
    pub(crate) const PEER_NAME: StatusCode = StatusCode(0x19);
}

/// Admission by the definitions of the server's queue managers. Cheap to clone; clones share everything but their home.
#[derive(Clone)]
pub struct Gate {
    queue_managers: QueueManagers,
    credentials: Arc<dyn CredentialCheck>,
    /// `None` for the server's own listener, which is everybody's.
    home: Option<Home>,
    /// Queue managers that do not want the server's own listener: theirs was stopped.
    closed: Arc<RwLock<BTreeSet<QueueManagerName>>>,
    plain_passwords: Arc<RwLock<PlainPasswords>>,
}

/// Whose a listener is, and what the channels are that come in by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Home {
    pub queue_manager: QueueManagerName,
    pub disposition: ChannelDisposition,
}

/// Where partners may be that send their password without TLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlainPasswords {
    #[default]
    Anywhere,
    /// On this machine.
    Loopback,
}

impl Gate {
    pub fn new(queue_managers: QueueManagers, credentials: Arc<dyn CredentialCheck>) -> Self {
        Self { queue_managers, credentials, home: None, closed: Arc::default(), plain_passwords: Arc::default() }
    }

    /// That of a listener of `home`.
    pub(crate) fn of(&self, home: Option<Home>) -> Self {
        Self { home, ..self.clone() }
    }

    /// Whether the server's own listener is for this queue manager too.
    pub fn set_open(&self, queue_manager: QueueManagerName, is_open: bool) {
        let mut closed = self.closed.write();
        if is_open {
            closed.remove(&queue_manager);
        } else {
            closed.insert(queue_manager);
        }
    }

    /// For passwords that come from now on.
    pub fn set_plain_passwords(&self, from: PlainPasswords) {
        *self.plain_passwords.write() = from;
    }

    fn takes_password_of(&self, peer: &Peer) -> bool {
        peer.tls.is_some()
            || peer.address.ip().is_loopback()
            || *self.plain_passwords.read() == PlainPasswords::Anywhere
    }

    /// BLOCKADDR, before a byte is read: that of the listener's queue manager, or of the first one.
    pub(crate) fn is_blocked(&self, address: IpAddr) -> bool {
        let name = self.home.as_ref().map_or("", |home| home.queue_manager.as_str());
        self.queue_managers.get(name).is_ok_and(|queue_manager| blocks(&queue_manager, address, ""))
    }

    fn was_asked_about_address(&self, queue_manager: &QueueManager) -> bool {
        self.home.is_some() || self.queue_managers.default_name() == Some(queue_manager.name())
    }

    /// The queue manager that a partner's first segment means. One that is not known here is the first one, which answers
    /// MQCONN with 2058 then.
    fn queue_manager(&self, name: &str) -> Result<QueueManager, StatusCode> {
        let name = name.trim();
        // `*NAME` is any queue manager of a group.
        let name = if name.starts_with('*') { "" } else { name };
        let found = match &self.home {
            Some(home) => self.queue_managers.admitting_one(home.queue_manager.as_str()),
            None => match self.queue_managers.admitting_one(name) {
                Err(Unavailable::Unknown) => self.queue_managers.admitting_one(""),
                found => found,
            },
        };
        let queue_manager = found.map_err(|why| match why {
            Unavailable::NotRunning(state) if state.is_ending() => status::QUEUE_MANAGER_ENDING,
            Unavailable::NotRunning(_) | Unavailable::Unknown => status::QUEUE_MANAGER_UNAVAILABLE,
        })?;
        if self.home.is_none() && self.closed.read().contains(&queue_manager.name()) {
            return Err(status::QUEUE_MANAGER_UNAVAILABLE);
        }
        Ok(queue_manager)
    }
}

impl Admission for Gate {
    fn begin(&self, peer: &Peer, introduction: &Introduction) -> Result<Terms, StatusCode> {
        let queue_manager = self.queue_manager(&introduction.queue_manager)?;
        if !self.was_asked_about_address(&queue_manager)
            && blocks(&queue_manager, peer.address.ip(), &introduction.channel)
        {
            return Err(status::SECURITY);
        }
        let disposition = self.home.map(|home| home.disposition).unwrap_or_default();
        let applicant = Applicant { queue_manager: &queue_manager, peer, introduction, disposition };
        let object = applicant.object()?;
        let Some(channel) = server_connection(&object) else { return Err(status::WRONG_TYPE) };
        applicant.check_tls(channel)?;
        applicant.admit(channel)
    }

    fn identify<'a>(&'a self, terms: &'a Terms, peer: &'a Peer, user: &'a UserFacts) -> Identifying<'a> {
        if user.credentials.is_some() && !self.takes_password_of(peer) {
            return Box::pin(std::future::ready(user::refuse_plain_password(terms, peer, user)));
        }
        Box::pin(user::identify(&*self.credentials, terms, peer, user))
    }
}

/// `channel`: as far as it is known.
fn blocks(queue_manager: &QueueManager, address: IpAddr, channel: &str) -> bool {
    let Some(record) = queue_manager.address_blocker(address) else { return false };
    let name = queue_manager.name();
    if record.warn {
        let queue_manager = name.as_str();
        tracing::warn!(queue_manager, "AMQ9787W: {address} would be refused by BLOCKADDR without WARN(YES)");
        return false;
    }
    let why = Denied::AddressBlocked { address, record: Box::new(record) };
    let client = Client { channel, address, asserted: "", subject: None, issuer: None };
    let remedy = why.remedy(&[], &client);
    tracing::warn!(queue_manager = name.as_str(), "{why}");
    note(queue_manager, address, channel, format_args!("{why}"), remedy);
    true
}

/// Remembers a refusal for those who ask why.
fn note(
    queue_manager: &QueueManager,
    address: IpAddr,
    channel: &str,
    why: std::fmt::Arguments<'_>,
    remedy: Option<String>,
) {
    queue_manager.note_refused_client(RefusedClient {
        channel: channel.to_owned(),
        address,
        user: String::new(),
        cause: why.to_string(),
        is_of_user: false,
        remedy,
    });
}

/// A partner that wants a channel.
struct Applicant<'a> {
    queue_manager: &'a QueueManager,
    peer: &'a Peer,
    introduction: &'a Introduction,
    disposition: ChannelDisposition,
}

impl Applicant<'_> {
    /// Refuses, and says why where it can be read.
    fn refuse<T>(&self, code: StatusCode, why: std::fmt::Arguments<'_>) -> Result<T, StatusCode> {
        let from = self.peer.address.ip();
        tracing::warn!(queue_manager = self.queue_manager.name().as_str(), "{why} (partner {from})");
        note(self.queue_manager, from, &self.introduction.channel, why, None);
        Err(code)
    }

    fn object(&self) -> Result<Arc<AdministeredObject>, StatusCode> {
        self.queue_manager.served_channel(&self.introduction.channel).or_else(|denied| {
            let code = match denied {
                Denied::WrongType { .. } => status::WRONG_TYPE,
                _ => status::NO_SUCH_CHANNEL,
            };
            self.refuse(code, format_args!("{denied}"))
        })
    }

    /// SSLCIPH, SSLCAUTH, SSLPEER.
    fn check_tls(&self, channel: &ChannelDefinition) -> Result<(), StatusCode> {
        let (name, wanted) = (&channel.name, channel.cipher_specification.trim());
        let Some(facts) = &self.peer.tls else {
            return match wanted {
                "" => Ok(()),
                _ => self.refuse(
                    status::CIPHER,
                    format_args!(
                        "AMQ9639E: channel {name} wants SSLCIPH({wanted}), and the partner does not speak TLS"
                    ),
                ),
            };
        };
        let spoken = facts.cipher;
        match wanted {
            "" => self.refuse(
                status::CIPHER,
                format_args!("AMQ9635E: the partner speaks TLS ({spoken}), and channel {name} has no SSLCIPH"),
            )?,
            _ => match cipher::fit(wanted, spoken) {
                Fit::Fits => {}
                Fit::Differs => self.refuse(
                    status::CIPHER,
                    format_args!("AMQ9631E: channel {name} wants SSLCIPH({wanted}), and {spoken} was negotiated{}", hint(wanted)),
                )?,
                Fit::NotSpoken => self.refuse(
                    status::CIPHER,
                    format_args!("AMQ9635E: SSLCIPH({wanted}) of channel {name} is too weak to be spoken here: use one that docs/tls.md lists"),
                )?,
                Fit::Unknown => self.refuse(
                    status::CIPHER,
                    format_args!("AMQ9635E: SSLCIPH({wanted}) of channel {name} is not the name of a CipherSpec"),
                )?,
            },
        }
        match &facts.subject {
            None if !channel.client_certificate_optional => self.refuse(
                status::PEER_NAME,
                format_args!("AMQ9637E: channel {name} has SSLCAUTH(REQUIRED), and the partner showed no certificate"),
            ),
            subject if !channel.peer_name.trim().is_empty() => {
                let subject = subject.as_deref().unwrap_or_default();
                if fits(&channel.peer_name, subject) {
                    return Ok(());
                }
                let wanted = &channel.peer_name;
                let why = format_args!("AMQ9636E: '{subject}' does not match SSLPEER({wanted}) of channel {name}");
                self.refuse(status::PEER_NAME, why)
            }
            _ => Ok(()),
        }
    }

    /// Registers the instance; MAXINST, MAXINSTC, and channels that were stopped.
    fn admit(&self, channel: &ChannelDefinition) -> Result<Terms, StatusCode> {
        let limits = InstanceLimits { all: channel.maximum_instances, of_client: channel.maximum_instances_per_client };
        let maximum_message_length = self.maximum_message_length(channel);
        let instance = self.instance(channel, maximum_message_length);
        let connection_name = instance.connection_name.clone();
        let name = &channel.name;
        let status = match self.queue_manager.admit_channel(instance, limits) {
            Ok(status) => status,
            Err(NotAdmitted::Stopped) => {
                self.refuse(status::STOPPED, format_args!("AMQ9528I: channel {name} is stopped"))?
            }
            Err(NotAdmitted::Instances) => self.refuse(
                status::CHANNEL_UNAVAILABLE,
                format_args!("AMQ9489E: as many instances of channel {name} run as MAXINST({}) allows", limits.all),
            )?,
            Err(NotAdmitted::InstancesOfClient) => self.refuse(
                status::CHANNEL_UNAVAILABLE,
                format_args!(
                    "AMQ9490E: as many instances of channel {name} run from one address as MAXINSTC({}) allows",
                    limits.of_client
                ),
            )?,
            Err(NotAdmitted::Ending) => return Err(status::QUEUE_MANAGER_ENDING),
        };
        let disconnect_interval = u64::from(channel.disconnect_interval_s);
        Ok(Terms {
            queue_manager: self.queue_manager.clone(),
            channel: channel.name.to_string(),
            connection_name,
            heartbeat: Duration::from_secs(channel.heartbeat_interval_s.into()),
            disconnect_interval: (disconnect_interval > 0).then(|| Duration::from_secs(disconnect_interval)),
            sharing_conversations: channel.sharing_conversations,
            maximum_message_length,
            status,
        })
    }

    /// MAXMSGL of the channel, and of the queue manager where that is smaller or the channel has none of its own.
    fn maximum_message_length(&self, channel: &ChannelDefinition) -> u32 {
        let of_queue_manager = self.queue_manager.definition().maximum_message_length;
        match channel.maximum_message_length {
            0 => of_queue_manager,
            own => own.min(of_queue_manager),
        }
    }

    fn instance(&self, channel: &ChannelDefinition, maximum_message_length: u32) -> ChannelInstance {
        let tls = self.peer.tls.as_ref();
        let name = |name: Option<&String>| name.cloned().unwrap_or_default();
        let (product, version) = product_and_version(&self.introduction.product);
        ChannelInstance {
            channel: channel.name.to_string(),
            channel_type: "SVRCONN",
            disposition: self.disposition,
            connection_name: self.peer.address.ip().to_string(),
            local_address: address_and_port(self.peer),
            state: ChannelState::Running,
            substate: "RECEIVE",
            remote_product: product,
            remote_version: version,
            heartbeat_interval_s: channel.heartbeat_interval_s,
            maximum_message_length,
            maximum_sharing_conversations: channel.sharing_conversations,
            security_protocol: tls.map_or_else(String::new, |tls| tls.protocol.to_owned()),
            cipher: tls.map_or_else(String::new, |tls| tls.cipher.to_owned()),
            certificate_subject: name(tls.and_then(|tls| tls.subject.as_ref())),
            certificate_issuer: name(tls.and_then(|tls| tls.issuer.as_ref())),
            ..ChannelInstance::default()
        }
    }
}

/// What to know of a CipherSpec that is served only where it is configured.
fn hint(wanted: &str) -> &'static str {
    match CipherSpec::named(wanted) {
        Some(one) if one.is_old() => "; tls.old_cipherspecs must name it, and the client must offer nothing newer",
        _ => "",
    }
}

/// LOCLADDR: `address(port)`.
fn address_and_port(peer: &Peer) -> String {
    format!("{}({})", peer.local_address.ip(), peer.local_address.port())
}

/// `MQJB09040200` is product MQJB at version 09040200.
fn product_and_version(product: &str) -> (String, String) {
    let product = product.trim();
    match product.split_at_checked(4) {
        Some((name, version)) => (name.to_owned(), version.to_owned()),
        None => (product.to_owned(), String::new()),
    }
}
