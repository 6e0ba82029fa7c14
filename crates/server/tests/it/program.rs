//! The binary under test: run to its end, or as a server in a temporary folder.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_quaymaster");

/// A data directory that is gone with the value.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.join(name);
        std::fs::create_dir_all(file.parent().expect("below the folder")).expect("made");
        let mut open = std::fs::File::create(&file).expect("made");
        open.write_all(text.as_bytes()).expect("written");
        file
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.join(name)).expect("readable")
    }

    /// The password that was made for a user at the first start.
    pub(crate) fn password(&self, user: &str) -> String {
        let passwords = self.read("initial-passwords");
        let line = passwords.lines().find_map(|line| line.strip_prefix(user)?.strip_prefix(' '));
        line.expect("a line of the user").to_owned()
    }

    /// Runs the binary with this data directory.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.run_with(arguments, "")
    }

    /// As `run`, with standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> String {
        let mut command = command();
        command.args(arguments).env("QUAYMASTER_DATA", self.path());
        self.filtered(&shown(&finish(command, input)))
    }

    /// Stable text: the folder's name and what differs from run to run are replaced.
    pub(crate) fn filtered(&self, text: &str) -> String {
        text.replace(&self.path().display().to_string(), "DIR").replace(env!("CARGO_PKG_VERSION"), "VERSION")
    }
}

/// The binary without the settings of whoever runs the tests.
pub(crate) fn command() -> Command {
    let mut command = Command::new(BINARY);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("MQ_") || text.starts_with("QUAYMASTER_") {
            command.env_remove(&name);
        }
    }
    command.env("NO_COLOR", "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn finish(mut command: Command, input: &str) -> Output {
    let mut child = command.spawn().expect("the binary starts");
    // A program that does not read its input may have ended before all is written.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

/// Exit code and both outputs as one text.
pub(crate) fn shown(output: &Output) -> String {
    let code = output.status.code().map_or_else(|| "signal".to_owned(), |code| code.to_string());
    let mut text = format!("exit {code}\n");
    for (name, bytes) in [("out", &output.stdout), ("err", &output.stderr)] {
        for line in String::from_utf8_lossy(bytes).lines() {
            text.push_str(&format!("{name}: {line}\n"));
        }
    }
    text
}

/// A server that is killed with the value, if it has not ended by then.
pub(crate) struct Server {
    child: Child,
    pub(crate) ready: serde_json::Value,
    errors: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(folder: &Folder, arguments: &[&str]) -> Self {
        Self::start_with(folder, arguments, &[])
    }

    pub(crate) fn start_with(folder: &Folder, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = serve(folder, arguments);
        command.envs(environment.iter().copied());
        Self::spawn(command)
    }

    /// A command that ends in `serve`.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the binary starts");
        let (errors, reader) = collect(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("readable");
        let mut server = Self { child, ready: serde_json::Value::Null, errors, reader: Some(reader) };
        if line.is_empty() {
            panic!("the server ended before it was ready: {}", server.wait().1);
        }
        server.ready = serde_json::from_str(&line).expect("the ready line is JSON");
        server
    }

    pub(crate) fn signal(&self, name: &str) {
        let script = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &script]).status().expect("sh runs").success());
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Exit code and everything on standard error.
    pub(crate) fn wait(&mut self) -> (Option<i32>, String) {
        let mut status = None;
        eventually("the end of the server", || {
            status = self.child.try_wait().expect("it can be asked");
            status.is_some()
        });
        let code = status.and_then(|status| status.code());
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reader ends");
        }
        (code, self.errors())
    }

    /// SIGTERM; exit code and everything on standard error.
    pub(crate) fn terminate(mut self) -> (Option<i32>, String) {
        self.signal("TERM");
        self.wait()
    }

    /// What is on standard error once `part` is there.
    pub(crate) fn errors_with(&self, part: &str) -> String {
        eventually(&format!("'{part}' on standard error"), || self.errors().contains(part));
        self.errors()
    }

    fn errors(&self) -> String {
        self.errors.lock().expect("the reader does not panic").clone()
    }

    pub(crate) fn address(&self, listener: &str) -> String {
        self.ready[listener].as_str().expect("it listens").to_owned()
    }

    /// Status code of a GET over plain HTTP.
    pub(crate) fn get(&self, path: &str, authorization: &str) -> u16 {
        let answer = self.answer("http", path, authorization);
        answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line")
    }

    /// The whole answer to a POST of JSON over plain HTTP.
    pub(crate) fn post(&self, path: &str, authorization: &str, body: &str) -> String {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\n{authorization}ibm-mq-rest-csrf-token: x\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        self.exchange("http", &request)
    }

    /// The whole answer to a GET at a listener without TLS.
    pub(crate) fn answer(&self, listener: &str, path: &str, authorization: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{authorization}Connection: close\r\n\r\n");
        self.exchange(listener, &request)
    }

    /// Sends a request that closes its connection; the whole answer.
    fn exchange(&self, listener: &str, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address(listener)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket has a timeout");
        stream.write_all(request.as_bytes()).expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `serve` on free ports.
pub(crate) fn serve(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = command();
    command
        .arg("serve")
        .arg("--data")
        .arg(folder.path())
        .args(["--https", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--mq", "127.0.0.1:0"])
        .args(arguments);
    command
}

/// As `serve`, by a shell that runs `first` before, such as a `ulimit`.
pub(crate) fn serve_after(first: &str, folder: &Folder, arguments: &[&str]) -> Command {
    let serve = serve(folder, arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{first} && exec \"$@\""), "sh"]).arg(serve.get_program()).args(serve.get_args());
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

fn collect(mut stream: impl Read + Send + 'static) -> (Arc<Mutex<String>>, JoinHandle<()>) {
    let text = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&text);
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            kept.lock().expect("the test does not panic here").push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
    });
    (text, reader)
}

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Waits for a condition that another process brings about.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = tokio::time::Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the server's clock, which its certificates are held against, is the system's"
)]
pub(crate) fn now() -> time::OffsetDateTime {
    time::OffsetDateTime::from(std::time::SystemTime::now())
}

/// A self-signed certificate that lasts from `begin` to `end` days from now, and its key.
pub(crate) fn certificate(begin: i64, end: i64) -> (String, String) {
    let key = rcgen::KeyPair::generate().expect("a key");
    let mut parameters =
        rcgen::CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).expect("names");
    parameters.not_before = now() + time::Duration::days(begin);
    parameters.not_after = now() + time::Duration::days(end);
    (parameters.self_signed(&key).expect("signed").pem(), key.serialize_pem())
}
