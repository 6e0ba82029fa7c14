//! A queue manager behind a loopback port, a server's environment that knows it as FAR, and a service on it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use channel_server::admission::{Admission, Identifying, Introduction, Peer, StatusCode, Terms, UserFacts};
use channel_server::socket::serve;
use connection::options::RemoteQueueManager;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::QueueDefinition;
use model::descriptor::{Format, MessageDescriptor};
use model::name::ObjectName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use model::reason::Reason;
use queue_manager::channel_status::ChannelInstance;
use queue_manager::connection::GetResult;
use queue_manager::{ConnectOptions, Connection, Home, QueueManager, QueueManagers, StartOptions, SystemClock};
use service::definition::Service;
use service::names::Names;
use service::provider::answer::ServiceAnswer;
use service::provider::environment::Environment;
use service::provider::request::{Headers, Method, ServiceRequest};
use service::provider::{self};
use storage::StoreOptions;
use tokio::net::TcpListener;

/// Everybody but `stranger` is who they say they are, and an administrator.
struct OpenDoor(QueueManager);

impl Admission for OpenDoor {
    fn begin(&self, peer: &Peer, introduction: &Introduction) -> Result<Terms, StatusCode> {
        let instance = ChannelInstance { channel: introduction.channel.clone(), ..ChannelInstance::default() };
        Ok(Terms {
            queue_manager: self.0.clone(),
            channel: introduction.channel.clone(),
            connection_name: peer.address.ip().to_string(),
            heartbeat: Duration::from_secs(300),
            disconnect_interval: None,
            sharing_conversations: 10,
            maximum_message_length: 16 << 20,
            status: self.0.register_channel(instance).ok_or(StatusCode(7))?,
        })
    }

    fn identify<'a>(&'a self, _terms: &'a Terms, _peer: &'a Peer, user: &'a UserFacts) -> Identifying<'a> {
        Box::pin(async move {
            let name = user.credentials.as_ref().map_or(&*user.asserted, |known| &*known.user).trim();
            if name == "stranger" { Err(Reason::NotAuthorized) } else { Ok(Principal::administrator(name)) }
        })
    }
}

pub(crate) struct Far {
    pub(crate) queue_manager: QueueManager,
    pub(crate) environment: Arc<Environment>,
    /// Sockets that were accepted.
    pub(crate) accepted: Arc<AtomicU32>,
}

impl Far {
    pub(crate) async fn start() -> Self {
        let queue_manager = queue_manager("FAR").await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepted = Arc::new(AtomicU32::new(0));
        tokio::spawn(accept(listener, queue_manager.clone(), Arc::clone(&accepted)));
        let environment = Environment::new(QueueManagers::new(), Principal::administrator("server"));
        environment.connections.set_remote(BTreeMap::from([("FAR".to_owned(), entry(address))])).unwrap();
        Self { queue_manager, environment: Arc::new(environment), accepted }
    }

    pub(crate) fn sockets(&self) -> u32 {
        self.accepted.load(Ordering::Relaxed)
    }

    pub(crate) fn application(&self) -> Connection {
        let options = ConnectOptions {
            principal: administrator(),
            application_name: "responder".to_owned(),
            application_type: 6,
            channel: String::new(),
            connection_name: String::new(),
        };
        self.queue_manager.connect(options).unwrap()
    }

    pub(crate) async fn get(&self, queue: &str, flags: GetFlags) -> Option<Box<GetResult>> {
        let connection = self.application();
        let open = OpenOptions::INPUT_SHARED | OpenOptions::BROWSE;
        let opened = connection.open(&administrator(), &object(queue), open).await.unwrap();
        let wait = Some(PATIENCE);
        connection.get(opened.handle, &GetOptions { flags, wait, ..GetOptions::default() }).await.ok()
    }

    pub(crate) async fn put(&self, queue: &str, descriptor: MessageDescriptor, body: &'static str) {
        let descriptor = MessageDescriptor { format: Format::STRING, ..descriptor };
        let options = PutOptions::default();
        let put = self.application();
        put.put1(&administrator(), &object(queue), descriptor, &options, body.into()).await.unwrap();
    }

    /// Whatever the authority of the entry's user is, a caller has its own.
    pub(crate) async fn allow(&self, user: &str, queue: &str) {
        let record = AuthorityRecord {
            profile: queue.to_owned(),
            object: AuthorityObject::Queue,
            entity: Entity::Principal(user.to_owned()),
            authorities: Authority::PUT | Authority::GET | Authority::BROWSE | Authority::INQUIRE,
        };
        self.queue_manager.set_authority(&administrator(), record).await.unwrap();
    }

    pub(crate) fn depth(&self, queue: &str) -> u32 {
        self.queue_manager.queue_status(&ObjectName::literal(queue)).unwrap().depth.current
    }

    /// Invokes a service, in a task of its own.
    pub(crate) fn invoke(&self, service: &Arc<Service>, method: Method, body: &'static str) -> Invocation {
        let (environment, service) = (Arc::clone(&self.environment), Arc::clone(service));
        tokio::spawn(async move {
            let caller = Principal::user("caller");
            let headers = Headers { content_type: Some(b"application/json"), ..Headers::default() };
            let request = ServiceRequest { method, headers, body: Bytes::from_static(body.as_bytes()) };
            provider::invoke(&environment, &service, &caller, &request).await
        })
    }
}

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) type Invocation = tokio::task::JoinHandle<ServiceAnswer>;

/// A service without copybooks; properties in words.
pub(crate) fn service(properties: &str) -> Arc<Service> {
    let mut builder = Service::builder("far");
    for line in properties.split_whitespace() {
        let (property, value) = line.split_once('=').unwrap();
        builder = builder.property(property, value).unwrap();
    }
    let names = Names { remote: vec!["FAR".to_owned()], ..Names::default() };
    Arc::new(builder.build(&names).unwrap())
}

/// Waits until a condition holds.
pub(crate) async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begun = tokio::time::Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        tokio::task::yield_now().await;
    }
}

fn entry(address: SocketAddr) -> RemoteQueueManager {
    RemoteQueueManager {
        queue_manager: None,
        channel: "CLIENTS".to_owned(),
        connection_name: format!("{}({})", address.ip(), address.port()),
        cipher_specification: None,
        ca_file: None,
        server_name: None,
        certificate: None,
        key: None,
        user: Some("entry".to_owned()),
        password: None,
        max_pool_size: 4,
    }
}

fn administrator() -> Principal {
    Principal::administrator("mqadmin")
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: ObjectName::literal(queue), ..ObjectDescriptor::default() }
}

async fn queue_manager(name: &str) -> QueueManager {
    let options = StartOptions {
        name: ObjectName::literal(name),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "mqadmin".to_owned(),
    };
    let queue_manager = QueueManager::start(options).unwrap();
    let housekeeping = queue_manager.clone();
    tokio::spawn(async move { housekeeping.run().await });
    for queue in ["Q", "REPLY", "BAD", "LATE"] {
        let mut definition = QueueDefinition::local(ObjectName::literal(queue));
        let local = definition.as_local_mut().unwrap();
        if queue == "REPLY" {
            local.backout_threshold = 1;
            local.backout_requeue_queue = ObjectName::literal("BAD");
        }
        queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
    }
    queue_manager
}

async fn accept(listener: TcpListener, queue_manager: QueueManager, accepted: Arc<AtomicU32>) {
    while let Ok((stream, address)) = listener.accept().await {
        accepted.fetch_add(1, Ordering::Relaxed);
        let local_address = stream.local_addr().unwrap();
        let peer = Peer { address, local_address, tls: None, patience: PATIENCE };
        let door: Arc<dyn Admission> = Arc::new(OpenDoor(queue_manager.clone()));
        tokio::spawn(serve(stream, peer, door));
    }
}
