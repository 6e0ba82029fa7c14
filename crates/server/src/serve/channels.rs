//! Client channels: the server's own address for MQ clients, listeners of queue managers, users, and certificate.
//!
//! The address of `--mq` is for all queue managers. A listener of the usual port (1414, 0, or the very port of `--mq`) is
//! that address: started, it lets the queue manager's channels in there, stopped, it keeps them out. A listener of another
//! port has a socket of its own, and only its queue manager behind it. So has a listener of a queue-sharing group
//! (INDISP(GROUP)), whatever its port is.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use channel_server::admission::{CredentialCheck, Gate, Home, PlainPasswords, Refused};
use channel_server::listener::{Door, Limits, Listening};
use channel_server::tls::{Tls, TlsFiles};
use handshake::files::FileError;
use identity::CertificateIdentity;
use identity::authenticator::LoginError;
use model::authority::{AuthorityObject, Principal};
use model::definition::channel::DEFAULT_PORT;
use model::definition::listener::ListenerDefinition;
use model::definition::{AdministeredObject, ChannelType};
use queue_manager::channel_status::{ChannelDisposition, StopMode};
use queue_manager::started::{ListenerHost, Started, StartedHandle};
use queue_manager::{QueueManager, QueueManagers};
use tokio::runtime::Handle;
use web::WebServer;
use web::options::TlsOptions;
use workers::Workers;

use crate::configuration;
use crate::error::ServerError;
use crate::serve::files;

/// How long instances may take to end their units of work, then the calls under way, and at last to end at all. Each is
/// longer than the rest that a channel takes between its last answer and its end: MQCMIT is answered during that rest.
const QUIESCE_PATIENCE: Duration = Duration::from_millis(500);
const CALL_PATIENCE: Duration = Duration::from_millis(500);
const END_PATIENCE: Duration = Duration::from_secs(1);
/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(5);

pub(super) struct Channels {
    door: Arc<Door>,
    address: Option<SocketAddr>,
    own: Mutex<Option<Listening>>,
    runtime: Handle,
}

impl Channels {
    /// Listens at `address`, if there is one. Call within a tokio runtime.
    ///
    /// # Errors
    /// The address is in use, or a certificate or key cannot be used.
    pub(super) fn open(
        address: Option<SocketAddr>,
        limits: &configuration::Channels,
        tls: &TlsOptions,
        queue_managers: &QueueManagers,
        web: Arc<WebServer>,
        workers: Arc<Workers>,
    ) -> Result<Arc<Self>, ServerError> {
        let runtime = Handle::current();
        let gate = Gate::new(queue_managers.clone(), Arc::new(Users(web)));
        gate.set_plain_passwords(plain_passwords_of(limits));
        let door = Door::new(workers, gate, limits_of(limits));
        door.set_tls(Some(tls_of(tls)?));
        let own = match address {
            Some(address) => {
                Some(door.listen(address, 0, None).map_err(|source| ServerError::Listen { address, source })?)
            }
            None => None,
        };
        let address = own.as_ref().map(Listening::address);
        if let Some(address) = address {
            tracing::info!("AMQ5026I: MQ clients are served on {address} (process {})", std::process::id());
        }
        Ok(Arc::new(Self { door, address, own: Mutex::new(own), runtime }))
    }

    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Limits and certificate of a new configuration, for new connections.
    pub(super) fn reload(&self, limits: &configuration::Channels, tls: Tls) {
        self.door.set_tls(Some(tls));
        self.door.set_limits(limits_of(limits));
        self.door.gate().set_plain_passwords(plain_passwords_of(limits));
    }

    /// A queue manager has started: its channels are open, and its listeners start.
    pub(super) fn take_in(self: &Arc<Self>, manager: &QueueManager) {
        self.door.gate().set_open(manager.name(), true);
        manager.set_listener_host(Arc::clone(self) as Arc<dyn ListenerHost>);
        self.warn_of_ciphers(manager);
    }

    /// Each start repeats the warnings of DEFINE: certificates and configuration may have changed since.
    fn warn_of_ciphers(&self, manager: &QueueManager) {
        for object in manager.objects(AuthorityObject::Channel) {
            if let AdministeredObject::Channel(channel) = &*object
                && channel.channel_type == ChannelType::ServerConnection
                && let Some(why) = self.door.why_not_served(&channel.cipher_specification)
            {
                let (queue_manager, name) = (manager.name(), &channel.name);
                tracing::warn!(queue_manager = queue_manager.as_str(), "channel {name} refuses every client: {why}");
            }
        }
    }

    /// No new connections: the server ends.
    pub(super) fn stop_accepting(&self) {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Whether a listener of this definition is the server's own address.
    fn is_own(&self, disposition: ChannelDisposition, definition: &ListenerDefinition) -> bool {
        if disposition == ChannelDisposition::Shared {
            return false;
        }
        let usual = [0, u32::from(DEFAULT_PORT)].contains(&definition.port);
        let same = self.address.is_some_and(|own| definition.port == u32::from(own.port()));
        let everywhere = definition.address.trim().is_empty();
        let same_address = || {
            self.address
                .zip(address_of(definition).ok())
                .is_some_and(|(own, wanted)| own.ip().is_unspecified() || own.ip() == wanted.ip())
        };
        (usual || same) && (everywhere || (same && same_address()))
    }

    fn listen(&self, manager: &QueueManager, definition: &ListenerDefinition) -> io::Result<Open> {
        let disposition = manager.inbound_disposition(definition);
        if self.is_own(disposition, definition) {
            let off = || io::Error::new(io::ErrorKind::Unsupported, "the server listens to no MQ clients (--mq off)");
            let address = self.address.ok_or_else(off)?;
            self.door.gate().set_open(manager.name(), true);
            return Ok(Open { address, listening: None, disposition });
        }
        let address = address_of(definition)?;
        let home = Home { queue_manager: manager.name(), disposition };
        let listening = self.door.listen(address, definition.backlog, Some(home))?;
        Ok(Open { address: listening.address(), listening: Some(listening), disposition })
    }
}

/// Where a listener listens; without a socket of its own it is the server's.
struct Open {
    address: SocketAddr,
    listening: Option<Listening>,
    disposition: ChannelDisposition,
}

/// Waits until a listener is to end, and ends it.
async fn keep(door: Arc<Door>, manager: QueueManager, handle: StartedHandle, name: String, open: Open) {
    handle.stop_wanted().await;
    let is_own = open.listening.is_none();
    if let Some(listening) = open.listening {
        listening.close().await;
    }
    drop(handle);
    let running = manager.started_objects(AuthorityObject::Listener);
    let another_is_own = running.iter().any(|status| {
        let started = &status.started;
        let is_private = started.disposition == ChannelDisposition::Private;
        !status.is_stopping && is_private && started.port == open.address.port()
    });
    // One that ends is kept out by its state, and its next start opens the door again.
    if is_own && !another_is_own && manager.has_listener_host() {
        door.gate().set_open(manager.name(), false);
    }
    tracing::info!(queue_manager = manager.name().as_str(), "AMQ5027I: listener {name} has ended");
}

impl ListenerHost for Channels {
    fn is_to_listen(&self, queue_manager: &QueueManager, definition: &ListenerDefinition) -> bool {
        !self.is_own(queue_manager.inbound_disposition(definition), definition) || self.address.is_some()
    }

    fn why_not_served(&self, cipher_specification: &str) -> Option<String> {
        self.door.why_not_served(cipher_specification)
    }

    fn start_listener(&self, queue_manager: &QueueManager, definition: &ListenerDefinition) -> io::Result<()> {
        let open = self.listen(queue_manager, definition)?;
        let name = definition.name.to_string();
        let started = Started {
            family: AuthorityObject::Listener,
            name: name.clone(),
            process_id: std::process::id(),
            address: definition.address.clone(),
            port: open.address.port(),
            backlog: definition.backlog,
            disposition: open.disposition,
        };
        let Some(handle) = queue_manager.register_started(started) else {
            return Err(io::Error::other("it runs already"));
        };
        let address = open.address;
        tracing::info!(
            queue_manager = queue_manager.name().as_str(),
            "AMQ5026I: listener {name} has started on {address} (process {})",
            std::process::id()
        );
        self.runtime.spawn(keep(Arc::clone(&self.door), queue_manager.clone(), handle, name, open));
        Ok(())
    }
}

/// Asks the instances of a queue manager that ends to end after their units of work, and waits for them for a moment. Then
/// those end whose programs are at work between two calls: a client whose commit is refused instead is worse off than one
/// that finds its connection gone.
pub(super) async fn quiesce(manager: &QueueManager) {
    manager.end_listeners();
    manager.end_channels(StopMode::Quiesce);
    until_ended(manager, QUIESCE_PATIENCE).await;
    manager.end_channels(StopMode::Ended);
    until_ended(manager, CALL_PATIENCE).await;
}

/// Ends the instances of a queue manager whose log has failed: no call of theirs can succeed any more.
pub(super) fn cut_off(manager: &QueueManager) {
    manager.end_listeners();
    manager.end_channels(StopMode::Force);
}

/// Ends the instances that are left once their queue manager has ended: their calls are answered by now, or soon.
pub(super) async fn end(manager: &QueueManager) {
    until_ended(manager, END_PATIENCE).await;
    manager.end_channels(StopMode::Force);
}

async fn until_ended(manager: &QueueManager, patience: Duration) {
    let ended = async {
        while manager.channel_instances() > 0 {
            tokio::time::sleep(LOOK).await;
        }
    };
    // Instances that are left know that they are to end.
    let _ = tokio::time::timeout(patience, ended).await;
}

fn address_of(definition: &ListenerDefinition) -> io::Result<SocketAddr> {
    let port = u16::try_from(definition.port).map_err(io::Error::other)?;
    match definition.address.trim() {
        // The group's: a private listener like this is the server's own address.
        "" if port == 0 => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), DEFAULT_PORT)),
        "" | "*" => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port)),
        host => (host, port).to_socket_addrs()?.next().ok_or_else(|| io::Error::other("IPADDR names no address")),
    }
}

fn plain_passwords_of(channels: &configuration::Channels) -> PlainPasswords {
    match channels.plain_passwords {
        configuration::PlainPasswords::Anywhere => PlainPasswords::Anywhere,
        configuration::PlainPasswords::Loopback => PlainPasswords::Loopback,
    }
}

fn limits_of(limits: &configuration::Channels) -> Limits {
    Limits {
        sockets: files::share(limits.sockets, "channels.sockets"),
        sockets_per_address: limits.sockets_per_address,
        sockets_per_thread: limits.sockets_per_thread,
        patience: Duration::from_secs(limits.first_segment_seconds),
    }
}

/// # Errors
/// A certificate or key cannot be used.
pub(super) fn tls_of(tls: &TlsOptions) -> Result<Tls, FileError> {
    let files = TlsFiles {
        pairs: tls.pairs.clone(),
        pending: tls.pending.clone(),
        client_signers: tls.client_ca.clone(),
        old_cipher_specs: tls.old_cipherspecs.clone(),
    };
    Tls::new(&files, |certificate| {
        let names = CertificateIdentity::from_der(certificate).ok()?;
        Some((names.distinguished_name, names.issuer_name))
    })
}

/// The users of REST are those of channels.
struct Users(Arc<WebServer>);

impl CredentialCheck for Users {
    fn check<'a>(
        &'a self,
        user: &'a str,
        password: &'a str,
        address: IpAddr,
    ) -> Pin<Box<dyn Future<Output = Result<Principal, Refused>> + Send + 'a>> {
        Box::pin(async move {
            self.0.check_password(user, password, address).await.map_err(|error| match error {
                LoginError::WrongCredentials => Refused::Wrong,
                LoginError::Busy => Refused::Busy,
                LoginError::Unavailable => Refused::Unavailable,
                LoginError::Locked(_) => Refused::Locked,
            })
        })
    }

    fn principal<'a>(&'a self, user: &'a str) -> Pin<Box<dyn Future<Output = Principal> + Send + 'a>> {
        Box::pin(self.0.principal_of(user))
    }
}
