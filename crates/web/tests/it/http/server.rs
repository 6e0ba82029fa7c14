//! A real server on free ports, with a queue manager QM1, which is ephemeral unless a test says otherwise, for one test.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handshake::identity::PairFiles;
use identity::api_key::ApiKeys;
use identity::options::{Ldap, Lockout, Ltpa, Web};
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::queue::{AliasQueue, QueueKind};
use model::definition::{QueueDefinition, SubscriptionDefinition};
use model::descriptor::MessageDescriptor;
use model::name::{QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use queue_manager::status::QueueStatus;
use queue_manager::{Clock, ConnectOptions, Home, QueueManager, QueueManagers, StartOptions, SystemClock};
use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair};
use storage::StoreOptions;
use tempfile::TempDir;
use test_control::clock::TestClock;
use tokio::runtime::Runtime;
use web::options::{
    Console, Cors, Documents, Installation, Limits, MessageApiOptions, Messaging, Metrics, PushOptions,
    RemoteQueueManagers, TlsOptions, Tracing, Zosconnect,
};
use web::{WebOptions, WebServer};
use workers::Workers;

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) struct TestServer {
    pub(crate) web: Arc<WebServer>,
    pub(crate) queue_manager: QueueManager,
    pub(crate) queue_managers: QueueManagers,
    pub(crate) options: WebOptions,
    folder: TempDir,
    runtime: Option<Runtime>,
}

/// The users of every test server: name, password and role. `nobody` has none.
const USERS: [(&str, &str, &str); 5] = [
    ("app", "secret", "MQWebUser"),
    ("admin", "adminpw", "MQWebAdmin"),
    ("reader", "readerpw", "MQWebAdminRO"),
    ("other", "otherpw", "MQWebUser"),
    ("nobody", "nobodypw", ""),
];

impl TestServer {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// `change` may alter the options before the server sees them.
    pub(crate) fn start_with(change: impl FnOnce(&mut WebOptions)) -> Self {
        Self::start_on(Home::Ephemeral, change)
    }

    pub(crate) fn start_on(home: Home, change: impl FnOnce(&mut WebOptions)) -> Self {
        Self::start_at(home, Arc::new(SystemClock), change)
    }

    /// With a clock that stands until `pass`.
    pub(crate) fn start_by(clock: &Arc<TestClock>) -> Self {
        clock.set_running(false);
        Self::start_at(Home::Ephemeral, Arc::clone(clock) as _, |_| {})
    }

    fn start_at(home: Home, clock: Arc<dyn Clock>, change: impl FnOnce(&mut WebOptions)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut options = options(folder.path());
        change(&mut options);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("runtime");
        let queue_manager = QueueManager::start(StartOptions {
            name: QueueManagerName::literal("QM1"),
            home,
            store: StoreOptions::default(),
            clock,
            server_user: "server".to_owned(),
        })
        .expect("a queue manager");
        let queue_managers = QueueManagers::of_running([queue_manager.clone()]);
        let web = runtime.block_on(async {
            let running = queue_manager.clone();
            tokio::spawn(async move { running.run().await });
            set_up(&queue_manager).await;
            let workers = Arc::new(Workers::start("https", storage::before_sleep).expect("threads"));
            WebServer::start(options.clone(), queue_managers.clone(), workers).await.expect("a server")
        });
        web.set_ready();
        Self { web: Arc::new(web), queue_manager, queue_managers, options, folder, runtime: Some(runtime) }
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.as_ref().expect("still running").block_on(future)
    }

    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.as_ref().expect("still running").spawn(future)
    }

    /// Moves the clock of a server that was started by it.
    pub(crate) fn pass(&self, clock: &TestClock, time: Duration) {
        clock.advance(time);
        self.queue_manager.clock_moved();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn http(&self) -> SocketAddr {
        self.web.http().expect("an HTTP listener")
    }

    pub(crate) fn https(&self) -> SocketAddr {
        self.web.https().expect("an HTTPS listener")
    }

    pub(crate) fn status(&self, queue: &str) -> QueueStatus {
        self.queue_manager.queue_status(&QueueName::literal(queue)).expect("a local queue")
    }

    pub(crate) fn alter(&self, queue: &str, change: impl FnOnce(&mut QueueDefinition)) {
        let mut definition = (*self.queue_manager.queue(&QueueName::literal(queue)).expect("a queue")).clone();
        change(&mut definition);
        self.block_on(self.queue_manager.alter_queue(&server_user(), definition, true)).expect("altered");
    }

    /// Takes all messages of a queue.
    pub(crate) fn take_all(&self, queue: &str) -> Vec<(MessageDescriptor, Bytes)> {
        let connection = self.connect();
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        self.block_on(async {
            let opened = connection.open(&server_user(), &object, OpenOptions::INPUT_SHARED).await.expect("opened");
            let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
            let mut taken = Vec::new();
            while let Ok(got) = connection.get(opened.handle, &options).await {
                taken.push((got.message.descriptor, got.message.body));
            }
            taken
        })
    }

    /// The body of the first message of a queue, which stays there.
    pub(crate) fn body_of_first(&self, queue: &str) -> Vec<u8> {
        self.body_by(queue, OpenOptions::BROWSE, GetFlags::BROWSE_FIRST)
    }

    /// Takes the first message.
    pub(crate) fn take_body(&self, queue: &str) -> Vec<u8> {
        self.body_by(queue, OpenOptions::INPUT_SHARED, GetFlags::NO_SYNCPOINT)
    }

    fn body_by(&self, queue: &str, open: OpenOptions, flags: GetFlags) -> Vec<u8> {
        let connection = self.connect();
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        self.block_on(async {
            let opened = connection.open(&server_user(), &object, open).await.expect("opened");
            let options = GetOptions { flags, ..GetOptions::default() };
            connection.get(opened.handle, &options).await.expect("a message").body.to_vec()
        })
    }

    pub(crate) fn define_local(&self, queue: &str) {
        let definition = QueueDefinition::local(QueueName::literal(queue));
        self.block_on(self.queue_manager.define_queue(&server_user(), definition, false)).expect("defined");
    }

    pub(crate) fn connect(&self) -> queue_manager::Connection {
        let options = ConnectOptions {
            principal: server_user(),
            application_name: "test".to_owned(),
            application_type: 6,
            channel: String::new(),
            connection_name: String::new(),
        };
        self.queue_manager.connect(options).expect("connected")
    }

    /// Puts as an MQI application would.
    pub(crate) fn put(&self, queue: &str, descriptor: MessageDescriptor, body: impl Into<Bytes>) {
        let connection = self.connect();
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        let (caller, options) = (server_user(), PutOptions::default());
        self.block_on(connection.put1(&caller, &object, descriptor, &options, body.into())).expect("put");
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let runtime = self.runtime.take().expect("dropped once");
        runtime.block_on(async {
            self.web.shutdown(Duration::ZERO).await;
            self.queue_manager.stop().await;
        });
        runtime.shutdown_background();
    }
}

/// Waits until `condition` holds.
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let start = tokio::time::Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) fn server_user() -> Principal {
    Principal::administrator("server")
}

fn options(folder: &Path) -> WebOptions {
    let (certificate, key) = make_certificate(folder, "server", None);
    let any = Some("127.0.0.1:0".parse().expect("an address"));
    let mut roles = std::collections::BTreeMap::<String, Vec<String>>::new();
    for (name, _, role) in USERS.iter().filter(|(_, _, role)| !role.is_empty()) {
        roles.entry((*role).to_owned()).or_default().push(format!("user:{name}"));
    }
    WebOptions {
        https: any,
        http: any,
        metrics: any,
        tls: TlsOptions {
            pairs: vec![PairFiles { certificate, key }],
            pending: None,
            authority: None,
            client_ca: None,
            client_required: false,
            old_cipherspecs: Vec::new(),
        },
        web: Web {
            users: USERS.iter().map(|&(name, password, _)| (name.to_owned(), password.to_owned())).collect(),
            roles,
            ..Web::default()
        },
        ldap: Ldap::default(),
        ltpa: Ltpa::default(),
        lockout: Lockout::default(),
        oidc: std::collections::BTreeMap::new(),
        api_keys: Arc::new(ApiKeys::in_memory()),
        cors: Cors::default(),
        metrics_page: Metrics::default(),
        tracing: Tracing::default(),
        documents: Documents::default(),
        limits: Limits::default(),
        messaging: Messaging::default(),
        message_api: MessageApiOptions::default(),
        push: PushOptions::default(),
        slow_request: None,
        log: Arc::default(),
        push_file: None,
        console: Console::default(),
        book: Arc::default(),
        zosconnect: Zosconnect { request_timeout_seconds: PATIENCE.as_secs(), ..Zosconnect::default() },
        remote_queue_managers: RemoteQueueManagers::new(),
        archives: folder.join("zosconnect"),
        copybooks: folder.join("copybooks"),
        test_control: None,
        server_user: "server".to_owned(),
        installation: Installation {
            name: "Installation1".to_owned(),
            operating_system: "Linux 6".to_owned(),
            installation_path: "/opt/q".to_owned(),
            data_path: "/var/q".to_owned(),
            level: "test".to_owned(),
            description: String::new(),
        },
    }
}

/// Queues Q, FULL (of one message), SMALL (10 bytes), NOPUT, PRIVATE (not for `app`), SUBSCRIBED; alias ALIAS and one that
/// leads nowhere; a subscription to sport/#.
async fn set_up(queue_manager: &QueueManager) {
    let caller = server_user();
    let local = |name| QueueDefinition::local(QueueName::literal(name));
    let mut definitions: Vec<_> = ["Q", "A/B", "PRIVATE", "SUBSCRIBED", "Q.EMPTY"].into_iter().map(local).collect();
    let mut full = local("FULL");
    full.as_local_mut().expect("local").maximum_depth = 1;
    let mut small = local("SMALL");
    small.as_local_mut().expect("local").maximum_message_length = 10;
    let mut no_put = local("NOPUT");
    no_put.put_inhibited = true;
    definitions.extend([full, small, no_put]);
    for (name, target) in [("ALIAS", "Q"), ("NOWHERE", "NO.SUCH.QUEUE")] {
        let alias = AliasQueue { target: QueueName::literal(target), ..AliasQueue::default() };
        definitions.push(QueueDefinition::new(QueueName::literal(name), QueueKind::Alias(alias)));
    }
    for definition in definitions {
        queue_manager.define_queue(&caller, definition, true).await.expect("a queue");
    }
    let subscription = SubscriptionDefinition {
        name: "SPORT".to_owned(),
        topic_string: "sport/#".to_owned(),
        destination: QueueName::literal("SUBSCRIBED"),
        user: "server".to_owned(),
        ..SubscriptionDefinition::default()
    };
    queue_manager.define_subscription(&caller, subscription, true).await.expect("a subscription");
    let everything = Authority::PUT | Authority::GET | Authority::BROWSE | Authority::INQUIRE;
    for (profile, object, authorities) in [
        ("**", AuthorityObject::Queue, everything),
        ("PRIVATE", AuthorityObject::Queue, Authority::DISPLAY),
        ("SYSTEM.BASE.TOPIC", AuthorityObject::Topic, Authority::PUBLISH),
    ] {
        let entity = Entity::Principal("app".to_owned());
        let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
        queue_manager.set_authority(&caller, record).await.expect("an authority record");
    }
}

/// A signer of certificates.
pub(crate) struct Signer {
    issuer: Issuer<'static, KeyPair>,
    /// PEM.
    pub(crate) file: PathBuf,
}

pub(crate) fn make_signer(folder: &Path) -> Signer {
    let mut parameters = CertificateParams::new(Vec::new()).expect("parameters");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.distinguished_name.push(DnType::CommonName, "test signer");
    let key = KeyPair::generate().expect("a key");
    let certificate = parameters.self_signed(&key).expect("a certificate");
    let file = folder.join("signer.crt");
    write(&file, &certificate.pem());
    Signer { issuer: Issuer::new(parameters, key), file }
}

/// PEM files of a certificate whose common name is `name`, and of its key.
pub(crate) fn make_certificate(folder: &Path, name: &str, signer: Option<&Signer>) -> (PathBuf, PathBuf) {
    let mut subject = DistinguishedName::new();
    subject.push(DnType::CommonName, name);
    make_certificate_of(folder, name, subject, "localhost", signer)
}

/// As `make_certificate`, for a subject and a host.
pub(crate) fn make_certificate_of(
    folder: &Path,
    name: &str,
    subject: DistinguishedName,
    host: &str,
    signer: Option<&Signer>,
) -> (PathBuf, PathBuf) {
    let mut parameters = CertificateParams::new(vec![host.to_owned()]).expect("parameters");
    parameters.distinguished_name = subject;
    let key = KeyPair::generate().expect("a key");
    let certificate = match signer {
        Some(signer) => parameters.signed_by(&key, &signer.issuer),
        None => parameters.self_signed(&key),
    }
    .expect("a certificate");
    let files = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
    write(&files.0, &certificate.pem());
    write(&files.1, &key.serialize_pem());
    files
}

#[expect(clippy::disallowed_methods, reason = "a temporary file of a test")]
fn write(file: &Path, text: &str) {
    std::fs::write(file, text).expect("written");
}
