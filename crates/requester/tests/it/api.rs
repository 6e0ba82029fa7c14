//! A real HTTP server in the test, that answers as it is told and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use requester::conversion::RecordForm;
use requester::options::{AuthData, EndpointConnection, RequesterOptions};
use requester::{Call, Credentials, Outcome, Requesters, Settings};
use tempfile::TempDir;

use super::structures;

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Method and target.
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Which connection, from 0.
    pub(crate) connection: usize,
    /// Which request on it, from 0.
    pub(crate) number: usize,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is sent back.
pub(crate) enum Reply {
    /// These bytes; the connection stays.
    Bytes(Vec<u8>),
    /// These bytes, then the connection is closed.
    Last(Vec<u8>),
    /// Nothing, ever.
    Silence,
}

/// An answer with a body.
pub(crate) fn json(status: u16, body: &str) -> Reply {
    Reply::Bytes(answer(status, "Content-Type: application/json\r\n", body))
}

pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} Told\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

pub(crate) trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// Makes something else of an accepted socket: TLS.
pub(crate) type Accept = Arc<dyn Fn(TcpStream) -> Option<Box<dyn Stream>> + Send + Sync>;
type Answer = Arc<dyn Fn(&Asked) -> Reply + Send + Sync>;

pub(crate) struct Api {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Connections that have ended.
    ended: Arc<AtomicUsize>,
}

impl Api {
    pub(crate) fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self::accepting(Arc::new(|socket| Some(Box::new(socket))), answer)
    }

    pub(crate) fn accepting(accept: Accept, answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let ended = Arc::<AtomicUsize>::default();
        let (log, answer, over): (_, Answer, _) = (Arc::clone(&asked), Arc::new(answer), Arc::clone(&ended));
        // Threads end with the process.
        thread::spawn(move || {
            for (connection, socket) in listener.incoming().enumerate() {
                let (accept, log, answer, over) =
                    (Arc::clone(&accept), Arc::clone(&log), Arc::clone(&answer), Arc::clone(&over));
                let Ok(socket) = socket else { return };
                thread::spawn(move || {
                    if let Some(stream) = accept(socket) {
                        serve(stream, connection, &log, &answer);
                    }
                    over.fetch_add(1, SeqCst);
                });
            }
        });
        Self { address, asked, ended }
    }

    /// Until one of the connections is over, and its end has been seen here.
    pub(crate) async fn one_has_ended(&self) {
        let seen = async {
            while self.ended.load(SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
            // What the system knows by now, the runtime learns when it is asked next.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, seen).await.expect("in time");
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.line).collect()
    }

    pub(crate) fn last(&self) -> Asked {
        self.asked().pop().expect("something was asked")
    }

    /// An endpoint connection that leads here.
    pub(crate) fn connection(&self) -> EndpointConnection {
        connection_to(self.address)
    }
}

pub(crate) fn connection_to(address: SocketAddr) -> EndpointConnection {
    EndpointConnection {
        host: address.ip().to_string(),
        port: Some(address.port()),
        connection_timeout_seconds: 5,
        receive_timeout_seconds: 5,
        ..EndpointConnection::default()
    }
}

fn serve(stream: Box<dyn Stream>, connection: usize, log: &Mutex<Vec<Asked>>, answer: &Answer) {
    let mut stream = BufReader::new(stream);
    for number in 0.. {
        let Some(asked) = read(&mut stream, connection, number) else { return };
        log.lock().expect("no panic").push(asked.clone());
        let (bytes, is_last) = match answer(&asked) {
            Reply::Bytes(bytes) => (bytes, false),
            Reply::Last(bytes) => (bytes, true),
            Reply::Silence => {
                let mut end = [0];
                let _ = stream.read(&mut end);
                return;
            }
        };
        let stream = stream.get_mut();
        if stream.write_all(&bytes).and_then(|()| stream.flush()).is_err() || is_last {
            return;
        }
    }
}

fn read(stream: &mut BufReader<Box<dyn Stream>>, connection: usize, number: usize) -> Option<Asked> {
    let line = |stream: &mut BufReader<Box<dyn Stream>>| {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
        Some(line.trim_end().to_owned())
    };
    let first = line(stream)?;
    let mut headers = Vec::new();
    loop {
        let header = line(stream)?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let mut body = vec![0; length.parse().ok()?];
    stream.read_exact(&mut body).ok()?;
    let line = first.trim_end_matches(" HTTP/1.1").to_owned();
    Some(Asked { line, headers, body: String::from_utf8_lossy(&body).into_owned(), connection, number })
}

/// A server of API requesters with the book shop, whose API is at the connection `api`.
pub(crate) struct Server {
    pub(crate) requesters: Requesters,
    pub(crate) folder: TempDir,
}

impl Server {
    pub(crate) fn to(api: &Api) -> Self {
        Self::with(api.connection(), |_| {})
    }

    pub(crate) fn with(connection: EndpointConnection, change: impl FnOnce(&mut RequesterOptions)) -> Self {
        let mut options = RequesterOptions::default();
        options.endpoint_connections.insert("api".to_owned(), connection);
        let data = AuthData { user: "ada".to_owned(), password: "{x}pw".to_owned() };
        options.auth_data.insert("basic".to_owned(), data);
        change(&mut options);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let clock = Arc::new(queue_manager::SystemClock);
        let requesters = Requesters::new(folder.path(), settings(&options).expect("usable options"), clock);
        requesters.shelf.deploy(&structures::books("api"), None).expect("deployed");
        Self { requesters, folder }
    }

    /// What becomes of a request, with records as programs of this machine write them.
    pub(crate) async fn call(&self, line: &str, record: &[u8]) -> Outcome {
        self.call_as(line, record, Credentials::default()).await
    }

    pub(crate) async fn call_as(&self, line: &str, record: &[u8], credentials: Credentials) -> Outcome {
        let (method, path) = line.split_once(' ').expect("METHOD PATH");
        let call = Call {
            name: structures::BOOKS,
            path,
            method,
            form: Some(super::conversion::NATIVE),
            record: record.to_vec().into(),
            credentials,
            short_record: false,
            maximum_answer: 1 << 20,
        };
        tokio::time::timeout(PATIENCE, self.requesters.call(call)).await.expect("in time")
    }

    /// As `call`, with records of z/OS.
    pub(crate) async fn call_big(&self, line: &str, record: &[u8]) -> Outcome {
        let (method, path) = line.split_once(' ').expect("METHOD PATH");
        let call = Call {
            name: structures::BOOKS,
            path,
            method,
            form: None::<RecordForm>,
            record: record.to_vec().into(),
            credentials: Credentials::default(),
            short_record: false,
            maximum_answer: 1 << 20,
        };
        tokio::time::timeout(PATIENCE, self.requesters.call(call)).await.expect("in time")
    }

    /// The order `{"qty":1,"ref":2}`.
    pub(crate) async fn order(&self) -> Outcome {
        self.call("POST /shop/orders", &order()).await
    }
}

/// Passwords of these tests have a form of their own.
pub(crate) fn settings(options: &RequesterOptions) -> Result<Settings, requester::OptionsError> {
    Settings::new(options, &|stored| match stored.strip_prefix("{x}") {
        Some(password) => Ok(password.to_owned()),
        None => Err("it cannot be decoded".to_owned()),
    })
}

pub(crate) fn order() -> Vec<u8> {
    let mut record = b"001".to_vec();
    record.extend_from_slice(&[0; 5]);
    record.extend_from_slice(&2_i64.to_le_bytes());
    record.extend_from_slice(&[0; 14]);
    record
}

/// Return code, status and the message, or the record as text.
pub(crate) fn told(outcome: &Outcome) -> (u8, u16, String) {
    (outcome.return_code as u8, outcome.status, String::from_utf8_lossy(&outcome.body).into_owned())
}
