//! Any request to the messaging resources over a real socket: path, query, headers and body reach every parser of the
//! door. Each is answered as HTTP and soon, and a panic anywhere in the server ends the run.
#![no_main]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use identity::api_key::ApiKeys;
use identity::options::{Ldap, Lockout, Ltpa, Web};
use libfuzzer_sys::fuzz_target;
use model::authority::Principal;
use model::definition::queue::{LocalQueue, QueueDefinition, QueueKind};
use model::name::ObjectName;
use queue_manager::{Home, QueueManager, QueueManagers, StartOptions, SystemClock};
use storage::StoreOptions;
use web::options::{
    Console, Cors, Documents, Installation, Limits, MessageApiOptions, Messaging, Metrics, PushOptions, Tracing,
    RemoteQueueManagers, TlsOptions, Zosconnect,
};
use web::{WebOptions, WebServer};
use workers::Workers;

const METHODS: [&str; 5] = ["POST", "DELETE", "GET", "PATCH", "OPTIONS"];
const PATHS: [&str; 10] = [
    "/",
    "/api/v1/qmgr/QM1/queue/Q/messages",
    "/api/v1/qmgr/QM1/queue/Q/deliveries",
    "/api/v1/qmgr/QM1/queues",
    "/api/v1/qmgr/QM1/why/2035",
    "/ibmmq/rest/v1/messaging/qmgr/QM1/queue/Q/message",
    "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q/messagelist",
    "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/Q/message",
    "/ibmmq/rest/v3/messaging/qmgr/QM1/topic/",
    "/ibmmq/rest/v2/login",
];
const HEADERS: [&str; 10] = [
    "ibm-mq-md-correlationId",
    "ibm-mq-md-expiry",
    "ibm-mq-md-persistence",
    "ibm-mq-md-priority",
    "ibm-mq-md-replyTo",
    "ibm-mq-usr",
    "Content-Type",
    "Authorization",
    "Cookie",
    "Origin",
];

struct Door {
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
    _server: WebServer,
}

static DOOR: LazyLock<Door> = LazyLock::new(|| {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let server = runtime.block_on(start());
    let address = server.http().expect("it listens");
    Door { address, _runtime: runtime, _server: server }
});

async fn start() -> WebServer {
    let queue_manager = QueueManager::start(StartOptions {
        name: ObjectName::literal("QM1"),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "fuzz".to_owned(),
    })
    .expect("nothing on disk can be wrong");
    let local = LocalQueue { maximum_depth: 100, ..LocalQueue::default() };
    let definition = QueueDefinition {
        name: ObjectName::literal("Q"),
        kind: QueueKind::Local(Box::new(local)),
        ..QueueDefinition::default()
    };
    queue_manager.define_queue(&Principal::administrator("fuzz"), definition, true).await.expect("a new queue");
    let folder = std::env::temp_dir().join(format!("quaymaster-fuzz-{}", std::process::id()));
    let options = WebOptions {
        https: None,
        http: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
        metrics: None,
        tls: TlsOptions::default(),
        web: Web { no_security: true, users: BTreeMap::new(), ..Web::default() },
        ldap: Ldap::default(),
        ltpa: Ltpa::default(),
        lockout: Lockout::default(),
        oidc: BTreeMap::new(),
        api_keys: Arc::new(ApiKeys::in_memory()),
        cors: Cors { allowed_origins: vec!["*".to_owned()], ..Cors::default() },
        metrics_page: Metrics::default(),
        documents: Documents::default(),
        limits: Limits { body_bytes: 1 << 16, ..Limits::default() },
        messaging: Messaging::default(),
        message_api: MessageApiOptions::default(),
        push: PushOptions::default(),
        slow_request: None,
        tracing: Tracing::default(),
        log: Arc::default(),
        push_file: None,
        console: Console::default(),
        zosconnect: Zosconnect { poll_interval_seconds: 0, ..Zosconnect::default() },
        remote_queue_managers: RemoteQueueManagers::new(),
        archives: folder.join("zosconnect"),
        copybooks: folder.join("copybooks"),
        server_user: "fuzz".to_owned(),
        installation: Installation::default(),
    };
    let workers = Arc::new(Workers::start("https", || None).expect("threads"));
    WebServer::start(options, QueueManagers::of_running([queue_manager]), workers).await.expect("it starts")
}

fuzz_target!(|input: (u8, u8, &str, [(u8, &str); 2], &[u8])| {
    let (method, path, tail, headers, body) = input;
    // A get that waits is answered late on purpose.
    if tail.contains("wait") || tail.contains(|c: char| c.is_ascii_control() || c == ' ') {
        return;
    }
    let method = METHODS[usize::from(method) % METHODS.len()];
    let path = PATHS[usize::from(path) % PATHS.len()];
    let mut request = format!("{method} {path}{tail} HTTP/1.1\r\nHost: fuzz\r\nConnection: close\r\n");
    request += &format!("ibm-mq-rest-csrf-token: \r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        if !value.contains(['\r', '\n']) {
            request += &format!("{}: {value}\r\n", HEADERS[usize::from(name) % HEADERS.len()]);
        }
    }
    request += "\r\n";
    let answer = exchange(&[request.as_bytes(), body].concat());
    assert!(answer.starts_with(b"HTTP/1.1 "), "{}", String::from_utf8_lossy(&answer));
});

fn exchange(request: &[u8]) -> Vec<u8> {
    let mut socket = TcpStream::connect(DOOR.address).expect("the server listens");
    socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout longer than zero");
    // The server may answer and close before it has read everything.
    let _ = socket.write_all(request);
    let mut answer = Vec::new();
    let read = socket.read_to_end(&mut answer);
    assert!(!matches!(&read, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock), "no answer in time");
    answer
}
