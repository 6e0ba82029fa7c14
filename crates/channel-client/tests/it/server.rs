//! A queue manager behind a loopback port, and a relay before it that loses connections when told to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use channel_client::address::ConnectionNames;
use channel_client::client::Client;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::options::ConnectOptions;
use channel_client::reconnect::{Patience, Reconnect};
use channel_server::admission::{Admission, Identifying, Introduction, Peer, StatusCode, Terms, UserFacts};
use channel_server::socket::serve;
use model::authority::Principal;
use model::definition::QueueDefinition;
use model::name::ObjectName;
use model::options::{ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use queue_manager::channel_status::ChannelInstance;
use queue_manager::{Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

pub(crate) const BOTH: OpenOptions =
    OpenOptions::INPUT_SHARED.union(OpenOptions::OUTPUT).union(OpenOptions::BROWSE).union(OpenOptions::INQUIRE);

/// Everybody is an administrator but `stranger`; the password of `app` is `secret`.
struct OpenDoor {
    queue_manager: QueueManager,
    sharing_conversations: u32,
    heartbeat: Duration,
}

impl Admission for OpenDoor {
    fn begin(&self, peer: &Peer, introduction: &Introduction) -> Result<Terms, StatusCode> {
        if introduction.channel != "CLIENTS" {
            return Err(StatusCode(1));
        }
        let instance = ChannelInstance { channel: introduction.channel.clone(), ..ChannelInstance::default() };
        let status = self.queue_manager.register_channel(instance).ok_or(StatusCode(7))?;
        Ok(Terms {
            queue_manager: self.queue_manager.clone(),
            channel: introduction.channel.clone(),
            connection_name: peer.address.ip().to_string(),
            heartbeat: self.heartbeat,
            disconnect_interval: None,
            sharing_conversations: self.sharing_conversations,
            maximum_message_length: 16 << 20,
            status,
        })
    }

    fn identify<'a>(&'a self, _terms: &'a Terms, _peer: &'a Peer, user: &'a UserFacts) -> Identifying<'a> {
        Box::pin(async move {
            match &user.credentials {
                Some(known) if known.user == "app" && known.password != "secret" => Err(Reason::NotAuthorized),
                _ => Ok(Principal::administrator("mqadmin")),
            }
        })
    }
}

pub(crate) struct Server {
    pub(crate) queue_manager: QueueManager,
    address: SocketAddr,
    /// Sockets that were accepted.
    pub(crate) accepted: Arc<AtomicU32>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::sharing("QM1", 10, None).await
    }

    pub(crate) async fn sharing(name: &str, sharing_conversations: u32, tls: Option<TlsAcceptor>) -> Self {
        Self::with(name, sharing_conversations, tls, Duration::from_secs(300)).await
    }

    /// One that wants heartbeats every second.
    pub(crate) async fn beating(sharing_conversations: u32) -> Self {
        Self::with("QM1", sharing_conversations, None, Duration::from_secs(1)).await
    }

    async fn with(name: &str, sharing_conversations: u32, tls: Option<TlsAcceptor>, heartbeat: Duration) -> Self {
        let queue_manager = queue_manager(name).await;
        let door = Arc::new(OpenDoor { queue_manager: queue_manager.clone(), sharing_conversations, heartbeat });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepted = Arc::new(AtomicU32::new(0));
        tokio::spawn(accept(listener, door, tls, Arc::clone(&accepted)));
        Self { queue_manager, address, accepted }
    }

    pub(crate) fn options(&self) -> ConnectOptions {
        options_for(self.address)
    }

    pub(crate) async fn connected(&self) -> Connection {
        Client::new(self.options()).unwrap().connect().await.unwrap()
    }

    pub(crate) fn depth(&self, queue: &str) -> u32 {
        self.queue_manager.queue_status(&ObjectName::literal(queue)).unwrap().depth.current
    }
}

pub(crate) fn options_for(address: SocketAddr) -> ConnectOptions {
    let names = ConnectionNames::one(address.ip().to_string(), address.port());
    ConnectOptions::new(ObjectName::literal("CLIENTS"), names)
}

pub(crate) async fn open(connection: &mut Connection, queue: &str) -> ObjectHandle {
    let object = ObjectDescriptor { name: ObjectName::literal(queue), ..ObjectDescriptor::default() };
    connection.open(&object, BOTH).await.unwrap().handle
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
    let administrator = Principal::administrator("mqadmin");
    for queue in ["Q", "REPLY"] {
        let definition = QueueDefinition::local(ObjectName::literal(queue));
        queue_manager.define_queue(&administrator, definition, false).await.unwrap();
    }
    queue_manager
}

async fn accept(listener: TcpListener, door: Arc<OpenDoor>, tls: Option<TlsAcceptor>, accepted: Arc<AtomicU32>) {
    while let Ok((stream, address)) = listener.accept().await {
        accepted.fetch_add(1, Ordering::Relaxed);
        let peer =
            Peer { address, local_address: stream.local_addr().unwrap(), tls: None, patience: Duration::from_secs(30) };
        let door: Arc<dyn Admission> = Arc::clone(&door) as _;
        match tls.clone() {
            None => drop(tokio::spawn(serve(stream, peer, door))),
            Some(acceptor) => drop(tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(stream, peer, door).await;
                }
            })),
        }
    }
}

/// Stands between client and server.
pub(crate) struct Relay {
    address: SocketAddr,
    control: Arc<Control>,
}

#[derive(Default)]
struct Control {
    cut: Notify,
    /// What the server says next is not passed on: the connection is lost instead.
    swallow: AtomicBool,
    /// Nothing the server says is passed on any more, and nothing ends.
    mute: AtomicBool,
    refuse: AtomicBool,
}

impl Relay {
    pub(crate) async fn before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let control = Arc::new(Control::default());
        let (upstream, shared) = (server.address, Arc::clone(&control));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if shared.refuse.load(Ordering::Relaxed) {
                    continue;
                }
                let server = TcpStream::connect(upstream).await.unwrap();
                tokio::spawn(pass(stream, server, Arc::clone(&shared)));
            }
        });
        Self { address, control }
    }

    /// A client that does not, with heartbeats every second if the server agrees.
    pub(crate) fn beating_client(&self) -> Client {
        let mut options = options_for(self.address);
        options.heartbeat_interval = Duration::from_secs(1);
        Client::new(options).unwrap()
    }

    /// A client that makes lost connections again, without long pauses.
    pub(crate) fn client(&self, reconnect: Reconnect) -> Client {
        let mut options = options_for(self.address);
        options.reconnect = reconnect;
        let delays = vec![(Duration::from_millis(5), Duration::ZERO)];
        options.patience = Patience::new(Duration::from_secs(20), delays).unwrap();
        Client::new(options).unwrap()
    }

    pub(crate) fn client_with_patience(&self, limit: Duration) -> Client {
        let mut options = self.client(Reconnect::Any).options().clone();
        options.patience = Patience::new(limit, vec![(Duration::from_millis(5), Duration::ZERO)]).unwrap();
        Client::new(options).unwrap()
    }

    /// Ends all connections.
    pub(crate) fn cut(&self) {
        self.control.cut.notify_waiters();
    }

    /// Lets the next request through, and loses the connection instead of its answer.
    pub(crate) fn swallow_next_answer(&self) {
        self.control.swallow.store(true, Ordering::Relaxed);
    }

    /// The server seems to say nothing any more.
    pub(crate) fn mute(&self) {
        self.control.mute.store(true, Ordering::Relaxed);
    }

    /// Whether new connections are hung up on.
    pub(crate) fn refuse(&self, refuse: bool) {
        self.control.refuse.store(refuse, Ordering::Relaxed);
    }
}

async fn pass(client: TcpStream, server: TcpStream, control: Arc<Control>) {
    let cut = control.cut.notified();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async { drop(tokio::io::copy(&mut from_client, &mut to_server).await) };
    let down = async {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
            if control.swallow.swap(false, Ordering::Relaxed) {
                return;
            }
            if control.mute.load(Ordering::Relaxed) {
                continue;
            }
            if to_client.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = cut => {}
        () = up => {}
        () = down => {}
    }
}
