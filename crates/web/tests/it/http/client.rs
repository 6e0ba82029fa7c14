//! A client that sends exactly the bytes a test wants, and shows answers as text.
//!
//! A script is a list of requests; each begins with a line `METHOD PATH`, then headers, then a blank line and the body.
//! Requests are separated by a line of `>>`. Unless a header line `-name` takes them away, requests carry Basic
//! credentials of `app`, and POST, PATCH and DELETE the CSRF header.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use handshake::any_certificate::AnyCertificate;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::server::{PATIENCE, TestServer};

/// Headers that every answer of its kind has; a test of their own looks at them.
const EVERYWHERE: [&str; 8] = [
    "date",
    "content-language",
    "x-xss-protection",
    "x-content-type-options",
    "x-frame-options",
    "cache-control",
    "expires",
    "content-security-policy",
];

pub(crate) trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// One kept connection.
pub(crate) struct Client {
    pub(crate) stream: Box<dyn Stream>,
    unread: Vec<u8>,
    /// The value of the last `ibm-mq-md-messageId`: `{id}` in later requests.
    last_id: String,
    /// The cookies set: `{cookie}`.
    cookies: Vec<String>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn error_id(&self) -> String {
        let value: serde_json::Value = serde_json::from_slice(&self.body).expect("JSON");
        value["error"][0]["msgId"].as_str().expect("an id").to_owned()
    }
}

pub(crate) fn plain(server: &TestServer) -> Client {
    Client::over(connect(server.http()))
}

/// From another address of this machine.
pub(crate) fn plain_from(server: &TestServer, address: [u8; 4]) -> Client {
    let stream = server.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind((address, 0).into()).expect("bound");
        socket.connect(server.http()).await.expect("connected").into_std().expect("a stream")
    });
    stream.set_nonblocking(false).expect("blocking");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    Client::over(stream)
}

pub(crate) fn tls(server: &TestServer) -> Client {
    Client::over(tls_stream(server.https(), client_config(None)))
}

/// To the metrics listener.
pub(crate) fn metrics(server: &TestServer) -> Client {
    Client::over(connect(server.web.metrics().expect("a metrics listener")))
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_nodelay(true).expect("no delay");
    stream
}

pub(crate) fn tls_stream(address: SocketAddr, config: Arc<ClientConfig>) -> StreamOwned<ClientConnection, TcpStream> {
    let name = ServerName::try_from("localhost").expect("a name");
    StreamOwned::new(ClientConnection::new(config, name).expect("a session"), connect(address))
}

/// A configuration that trusts every server; `identity` is a certificate and a key, as PEM files.
pub(crate) fn client_config(identity: Option<(&Path, &Path)>) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Arc::new(AnyCertificate::new(Arc::clone(&provider)));
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let config = match identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => builder
            .with_client_auth_cert(
                CertificateDer::pem_file_iter(certificate).expect("PEM").map(|one| one.expect("DER")).collect(),
                PrivateKeyDer::from_pem_file(key).expect("a key"),
            )
            .expect("an identity"),
    };
    Arc::new(config)
}

impl Client {
    pub(crate) fn over(stream: impl Stream + 'static) -> Self {
        Self { stream: Box::new(stream), unread: Vec::new(), last_id: String::new(), cookies: Vec::new() }
    }

    pub(crate) fn send(&mut self, request: &str) {
        let request = request.replace("{id}", &self.last_id).replace("{cookie}", &self.cookies.join("; "));
        self.stream.write_all(expand(&request).as_bytes()).expect("sent");
    }

    pub(crate) fn exchange(&mut self, request: &str) -> Answer {
        self.send(request);
        let is_head = request.trim_start().starts_with("HEAD ");
        let answer = self.receive(is_head);
        if let Some(id) = answer.header("ibm-mq-md-messageid") {
            id.clone_into(&mut self.last_id);
        }
        for (_, value) in answer.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let pair = value.split(';').next().unwrap_or_default();
            let name = pair.split('=').next().unwrap_or_default();
            self.cookies.retain(|known| known.split('=').next() != Some(name));
            self.cookies.push(pair.to_owned());
        }
        answer
    }

    /// Sends a request whose answer goes on, and reads its head; of an answer that is an error, all.
    pub(crate) fn open(&mut self, request: &str) -> Answer {
        self.send(request);
        let (status, headers) = self.receive_head();
        if status == 200 { Answer { status, headers, body: Vec::new() } } else { self.receive_body(status, headers) }
    }

    /// The next chunk of an answer that goes on; `None` at its end.
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        let line = self.line();
        let length = usize::from_str_radix(&line, 16).expect("a chunk begins with its length");
        while self.unread.len() < length + 2 {
            assert!(self.read_more() > 0, "the body broke off");
        }
        let chunk: Vec<u8> = self.unread.drain(..length).collect();
        assert_eq!(self.line(), "", "a chunk ends with its line");
        (length > 0).then_some(chunk)
    }

    pub(crate) fn receive(&mut self, is_head: bool) -> Answer {
        let (status, headers) = self.receive_head();
        if is_head { Answer { status, headers, body: Vec::new() } } else { self.receive_body(status, headers) }
    }

    fn receive_head(&mut self) -> (u16, Vec<(String, String)>) {
        let end = loop {
            if let Some(end) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            assert!(self.read_more() > 0, "the connection ended: {:?}", String::from_utf8_lossy(&self.unread));
        };
        let head = String::from_utf8_lossy(&self.unread[..end]).into_owned();
        self.unread.drain(..end + 4);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let status: u16 = status.expect("a status line");
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        (status, headers)
    }

    fn receive_body(&mut self, status: u16, headers: Vec<(String, String)>) -> Answer {
        if headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked") {
            let mut body = Vec::new();
            while let Some(chunk) = self.chunk() {
                body.extend(chunk);
            }
            return Answer { status, headers, body };
        }
        let length = headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
        let length: usize = length.map_or(0, |length| length.expect("a length"));
        let length = if status == 204 || status == 100 { 0 } else { length };
        while self.unread.len() < length {
            assert!(self.read_more() > 0, "the body broke off");
        }
        Answer { status, headers, body: self.unread.drain(..length).collect() }
    }

    fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.unread.windows(2).position(|window| window == b"\r\n") {
                let line = String::from_utf8_lossy(&self.unread[..end]).into_owned();
                self.unread.drain(..end + 2);
                return line;
            }
            assert!(self.read_more() > 0, "the body broke off");
        }
    }

    fn read_more(&mut self) -> usize {
        let mut buffer = [0; 16 << 10];
        let length = self.stream.read(&mut buffer).expect("read");
        self.unread.extend_from_slice(&buffer[..length]);
        length
    }

    /// True when the server ends the connection without another byte.
    pub(crate) fn is_closed_by_server(&mut self) -> bool {
        let mut buffer = [0; 1];
        match self.stream.read(&mut buffer) {
            Ok(length) => length == 0,
            Err(error) => matches!(
                error.kind(),
                std::io::ErrorKind::ConnectionReset
                    | std::io::ErrorKind::UnexpectedEof
                    | std::io::ErrorKind::BrokenPipe
            ),
        }
    }

    /// Runs a script and shows its answers.
    pub(crate) fn run(&mut self, script: &str) -> String {
        script.split("\n>>\n").map(|request| show(&self.exchange(request))).collect()
    }
}

/// Shorthand to bytes: paths `v1/queue/Q/message`, line ends, default headers.
fn expand(request: &str) -> String {
    let request = request.trim_start();
    let (head, body) = request.split_once("\n\n").unwrap_or((request.trim_end(), ""));
    let mut lines = head.lines();
    let (method, path) = lines.next().and_then(|line| line.split_once(' ')).expect("METHOD PATH");
    let mut headers: Vec<&str> = Vec::new();
    let mut removed: Vec<&str> = Vec::new();
    for line in lines {
        match line.strip_prefix('-') {
            Some(name) => removed.push(name),
            None => headers.push(line),
        }
    }
    let authorization = format!("authorization: Basic {}", STANDARD.encode("app:secret"));
    let length = format!("content-length: {}", body.len());
    let mut defaults = vec!["host: localhost", &authorization];
    if matches!(method, "POST" | "PATCH" | "DELETE") {
        defaults.extend(["ibm-mq-rest-csrf-token: x"]);
    }
    if method == "POST" {
        defaults.extend(["content-type: text/plain", &length]);
    }
    let name_of = |line: &str| line.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let given: Vec<String> = headers.iter().map(|line| name_of(line)).collect();
    defaults.retain(|line| !removed.contains(&&*name_of(line)) && !given.contains(&name_of(line)));
    let all: String = defaults.into_iter().chain(headers).map(|line| format!("{line}\r\n")).collect();
    format!("{method} {} HTTP/1.1\r\n{all}\r\n{body}", full_path(path))
}

fn full_path(path: &str) -> String {
    let Some((version, rest)) = path.strip_prefix('v').and_then(|path| path.split_once('/')) else {
        return path.to_owned();
    };
    if rest.starts_with("queue/") || rest.starts_with("topic/") {
        format!("/ibmmq/rest/v{version}/messaging/qmgr/QM1/{rest}")
    } else {
        format!("/ibmmq/rest/v{version}/{rest}")
    }
}

/// Authorization header of a user.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("authorization: Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// Status, headers that are not everywhere, and body; identifiers and tokens made unknown.
fn show(answer: &Answer) -> String {
    let mut shown = format!("{}\n", answer.status);
    for (name, value) in &answer.headers {
        if EVERYWHERE.contains(&&**name) || name == "content-length" {
            continue;
        }
        shown.push_str(&format!("  {name}: {}\n", without_chance(value)));
    }
    let body = answer.text();
    match serde_json::from_str::<serde_json::Value>(&body) {
        Ok(value) if value["error"].is_array() => {
            let error = &value["error"][0];
            let (completion, reason) = (&error["completionCode"], &error["reasonCode"]);
            let text = error["message"].as_str().unwrap_or_default();
            let kind = error["type"].as_str().unwrap_or_default();
            shown.push_str(&format!("  {kind} {completion}/{reason} {}\n", without_chance(text)));
        }
        _ if !body.is_empty() => shown.push_str(&format!("  | {}\n", without_chance(&body).replace('\n', "\n  | "))),
        _ => {}
    }
    shown
}

/// Replaces message ids and token values.
fn without_chance(text: &str) -> String {
    let mut out = text.to_owned();
    let mut from = 0;
    while let Some(start) = out[from..].find("414d5120") {
        let start = from + start;
        out.replace_range(start..start + 48, "<id>");
        from = start;
    }
    for cookie in ["LtpaToken2=", "csrfToken="] {
        if let Some(start) = out.find(cookie) {
            let start = start + cookie.len();
            let end = out[start..].find(';').map_or(out.len(), |end| start + end);
            if &out[start..end] != "\"\"" {
                out.replace_range(start..end, "<token>");
            }
        }
    }
    out
}
