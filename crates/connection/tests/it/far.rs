//! A queue manager behind a loopback port whose sockets can be cut, and pools that know it as FAR.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use channel_server::admission::{Admission, Identifying, Introduction, Peer, StatusCode, Terms, UserFacts};
use channel_server::socket::serve;
use connection::connections::{Connections, Policy, RemoteKeeping};
use connection::error::ConnectionError;
use connection::options::RemoteQueueManager;
use connection::pool::{Keeping, Limit, Pool, WhenFull};
use connection::statistics::Statistics;
use connection::target::{Acting, Target, User};
use connection::verbs::Identifiers;
use model::authority::Principal;
use model::definition::QueueDefinition;
use model::descriptor::MessageDescriptor;
use model::message::Message;
use model::name::ObjectName;
use model::options::{ObjectDescriptor, PutOptions};
use queue_manager::channel_status::ChannelInstance;
use queue_manager::{Home, QueueManager, QueueManagers, StartOptions, SystemClock};
use storage::StoreOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Everybody is who they say they are: `admin` an administrator, the others users without groups.
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
            Ok(if name == "admin" { Principal::administrator(name) } else { Principal::user(name) })
        })
    }
}

/// What happens to answers on their way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    Pass,
    /// The next one is lost, with its socket; those after it pass.
    LoseOne,
}

pub(crate) struct Far {
    pub(crate) queue_manager: QueueManager,
    pub(crate) address: SocketAddr,
    answers: Arc<watch::Sender<Answers>>,
    accepting: tokio::task::JoinHandle<()>,
    /// Sockets that were accepted.
    accepted: Arc<AtomicU32>,
}

impl Far {
    pub(crate) async fn start() -> Self {
        Self::listen(queue_manager("FAR").await, "127.0.0.1:0".parse().unwrap()).await
    }

    async fn listen(queue_manager: QueueManager, address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, answers) = (Arc::new(AtomicU32::new(0)), Arc::new(watch::channel(Answers::Pass).0));
        let door = queue_manager.clone();
        let accepting = tokio::spawn(accept(listener, door, Arc::clone(&accepted), Arc::clone(&answers)));
        Self { queue_manager, address, answers, accepting, accepted }
    }

    pub(crate) fn answers(&self, answers: Answers) {
        self.answers.send_replace(answers);
    }

    /// Sockets and listener go, as when the process is killed.
    pub(crate) async fn vanish(&mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
    }

    /// Another start of a queue manager of the same name at the same address.
    pub(crate) async fn start_again(&mut self) {
        self.vanish().await;
        self.queue_manager.stop().await;
        *self = Self::listen(queue_manager("FAR").await, self.address).await;
    }

    /// The same queue manager at the same address.
    pub(crate) async fn come_back(&mut self) {
        *self = Self::listen(self.queue_manager.clone(), self.address).await;
    }

    pub(crate) fn sockets(&self) -> u32 {
        self.accepted.load(Ordering::Relaxed)
    }

    pub(crate) fn depth(&self) -> u32 {
        self.queue_manager.queue_status(&ObjectName::literal("Q")).unwrap().depth.current
    }

    pub(crate) fn connections(&self) -> u32 {
        self.queue_manager.status().connections
    }

    /// Pools that reach it as `user`.
    pub(crate) fn pools(&self, user: &str, limit: Limit) -> Connections {
        let policy = Policy { local: Keeping { limit, idle_ticks: Some(3) }, remote: RemoteKeeping::Same };
        let pools = Connections::new(QueueManagers::new(), Principal::administrator("server"), "pool test", policy);
        pools.set_remote(BTreeMap::from([("FAR".to_owned(), self.entry(user))])).unwrap();
        pools
    }

    pub(crate) fn entry(&self, user: &str) -> RemoteQueueManager {
        RemoteQueueManager {
            queue_manager: None,
            channel: "CLIENTS".to_owned(),
            connection_name: format!("{}({})", self.address.ip(), self.address.port()),
            cipher_specification: None,
            ca_file: None,
            server_name: None,
            certificate: None,
            key: None,
            user: Some(user.to_owned()),
            password: None,
            max_pool_size: 4,
        }
    }
}

pub(crate) const MANY: Limit = Limit::Open { most: 20, when_full: WhenFull::Overflow };

/// The pool of the entry's own user.
pub(crate) fn pool(pools: &Connections) -> Arc<Pool> {
    pools.pool(&Target::Remote("FAR".to_owned()), &User::Server(Cow::Owned(administrator()))).unwrap()
}

pub(crate) async fn put(pool: &Arc<Pool>, body: &'static str) -> Result<Identifiers, ConnectionError> {
    put_as(pool, Acting::AsConnected(&administrator()), body).await
}

pub(crate) async fn put_as(
    pool: &Arc<Pool>,
    acting: Acting<'_>,
    body: &'static str,
) -> Result<Identifiers, ConnectionError> {
    let message = Message { descriptor: MessageDescriptor::default(), body: body.into() };
    pool.put1(acting, &queue(), Box::new(message), &PutOptions::default()).await
}

pub(crate) fn statistics(pool: &Pool) -> Statistics {
    pool.statistics()
}

pub(crate) fn queue() -> ObjectDescriptor {
    ObjectDescriptor { name: ObjectName::literal("Q"), ..ObjectDescriptor::default() }
}

pub(crate) fn administrator() -> Principal {
    Principal::administrator("admin")
}

/// Waits until a condition holds.
pub(crate) async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begun = tokio::time::Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        tokio::task::yield_now().await;
    }
}

async fn queue_manager(name: &str) -> QueueManager {
    let options = StartOptions {
        name: ObjectName::literal(name),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "admin".to_owned(),
    };
    let queue_manager = QueueManager::start(options).unwrap();
    let housekeeping = queue_manager.clone();
    tokio::spawn(async move { housekeeping.run().await });
    let definition = QueueDefinition::local(ObjectName::literal("Q"));
    queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
    queue_manager
}

/// Serves sockets until it is aborted; they end with it.
async fn accept(
    listener: TcpListener,
    queue_manager: QueueManager,
    accepted: Arc<AtomicU32>,
    answers: Arc<watch::Sender<Answers>>,
) {
    let inner = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let inside = inner.local_addr().unwrap();
    let mut sockets = JoinSet::new();
    loop {
        tokio::select! {
            outside = listener.accept() => {
                accepted.fetch_add(1, Ordering::Relaxed);
                sockets.spawn(forward(outside.unwrap().0, inside, Arc::clone(&answers)));
            }
            served = inner.accept() => {
                let (stream, address) = served.unwrap();
                let local_address = stream.local_addr().unwrap();
                let peer = Peer { address, local_address, tls: None, patience: PATIENCE };
                let door: Arc<dyn Admission> = Arc::new(OpenDoor(queue_manager.clone()));
                // It ends with its socket, as a process's would, and not in its middle.
                tokio::spawn(serve(stream, peer, door));
            }
        }
    }
}

/// Between a client and the channel's own socket.
async fn forward(client: TcpStream, inside: SocketAddr, answers: Arc<watch::Sender<Answers>>) {
    let server = TcpStream::connect(inside).await.unwrap();
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let requests = async { tokio::io::copy(&mut from_client, &mut to_server).await };
    let replies = async {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let Ok(length @ 1..) = from_server.read(&mut buffer).await else { return };
            if answers.send_if_modified(|answers| std::mem::replace(answers, Answers::Pass) == Answers::LoseOne) {
                return;
            }
            if to_client.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        _ = requests => {}
        () = replies => {}
    }
}
