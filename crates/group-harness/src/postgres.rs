//! A PostgreSQL of the tests' own: in a temporary folder, on a free port of the loopback interface, gone with the last test that uses it.

use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::waiting::PATIENCE;

/// A running server.
pub struct Server {
    process: Mutex<Child>,
    port: u16,
    folder: tempfile::TempDir,
    keeps: Keeps,
    /// How far its clock is ahead of the machine's, in seconds.
    ahead: AtomicI64,
}

/// What a server still has after it was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    Nothing,
    WhatItHasAnswered,
}

/// What runs SQL in a group's database.
pub trait Asked {
    fn run(&self, sql: &str) -> Vec<Vec<Option<String>>>;
}

impl<T: Asked> Asked for &T {
    fn run(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        T::run(self, sql)
    }
}

/// A database with the tables of a group, on a server that other tests share.
pub struct Database {
    pub url: String,
    pub server: Arc<Server>,
}

impl Database {
    pub fn of_group(name: &str) -> Self {
        let database = Self::empty();
        database.make_group(name);
        database
    }

    /// On a server of its own, which may be killed and started again.
    pub fn of_group_to_be_killed(name: &str) -> Self {
        Self::of_group_on(name, Keeps::WhatItHasAnswered)
    }

    /// On a server of its own.
    pub fn of_group_on(name: &str, keeps: Keeps) -> Self {
        let database = Self::on(Arc::new(Server::start(keeps)));
        database.make_group(name);
        database
    }

    /// Without tables.
    pub fn empty() -> Self {
        Self::on(Server::shared())
    }

    fn make_group(&self, name: &str) {
        let options = storage::SharedOptions::new(self.url.clone(), String::new());
        make_group(&options, name).expect("makes the tables");
    }

    /// Without tables, on a server of its own, which may be killed and started again.
    pub fn to_be_killed() -> Self {
        Self::on(Arc::new(Server::start(Keeps::WhatItHasAnswered)))
    }

    fn on(server: Arc<Server>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let database = format!("group_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        server.execute(&format!("CREATE DATABASE {database}")).expect("makes a database");
        let url = server.url(&database);
        Self { url, server }
    }

    /// Runs SQL.
    pub fn run(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        asked(&self.url, sql, PATIENCE).expect("runs")
    }
}

impl Asked for Database {
    fn run(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        Self::run(self, sql)
    }
}

/// Rows of values as text.
pub fn asked(url: &str, sql: &str, limit: Duration) -> Result<Vec<Vec<Option<String>>>, Box<dyn std::error::Error>> {
    let asked = async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        let answers = client.simple_query(sql).await?;
        let rows = answers.into_iter().filter_map(|answer| match answer {
            tokio_postgres::SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|column| row.get(column).map(str::to_owned)).collect())
            }
            _ => None,
        });
        Ok(rows.collect())
    };
    runtime().block_on(async { tokio::time::timeout(limit, asked).await? })
}

/// The tables of a group in each of its databases.
pub fn make_group(options: &storage::SharedOptions, name: &str) -> Result<(), storage::shared::SharedError> {
    runtime().block_on(storage::shared::create_group(options, name, &storage::shared::Roles::default()))
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

impl Server {
    /// The one of this process; started when there is none.
    pub fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start(Keeps::Nothing));
            *shared = Arc::downgrade(&server);
            server
        })
    }

    fn start(keeps: Keeps) -> Self {
        Self::start_on(keeps, |data| {
            let arguments = ["--username=test", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "-D"];
            command("initdb").args(arguments).arg(data).output()
        })
    }

    /// Follows a server that is reached through this port of the loopback interface.
    pub fn standby(port: u16) -> Self {
        Self::start_on(Keeps::WhatItHasAnswered, |data| {
            let port = port.to_string();
            let arguments = ["--host=127.0.0.1", "--port", &port, "--username=test", "--checkpoint=fast", "-R", "-D"];
            command("pg_basebackup").args(arguments).arg(data).output()
        })
    }

    fn start_on(keeps: Keeps, make: impl Fn(&Path) -> std::io::Result<std::process::Output>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        give_to_postgres(folder.path());
        let made = make(&folder.path().join("data")).expect("it starts: the package postgresql is installed");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port();
        let process = Mutex::new(run(folder.path(), port, keeps, 0));
        let server = Self { process, port, folder, keeps, ahead: AtomicI64::new(0) };
        server.wait_until_ready();
        server
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it by a signal, `QUIT` or `KILL`, and waits until it is gone.
    pub fn kill(&self, signal: &str) {
        let mut process = self.process();
        let sent = Command::new("kill").args([&format!("-{signal}"), &process.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -{signal}");
        process.wait().expect("ends");
        forget_time(process.id());
    }

    /// As `start_again`, by a clock that is so many seconds ahead of the machine's.
    pub fn start_again_ahead(&self, seconds: i64) {
        self.ahead.store(seconds, Ordering::Release);
        self.start_again();
    }

    /// On the same port and folder, once it was killed.
    pub fn start_again(&self) {
        let mut said = String::new();
        for _ in 0..200 {
            let mut process = self.process();
            *process = run(self.folder.path(), self.port, self.keeps, self.ahead.load(Ordering::Acquire));
            // Children of one that was killed may still be at work for a moment: then it refuses to start.
            for _ in 0..15_000 {
                if self.execute("SELECT 1").is_ok() {
                    drop(process);
                    return self.wait_until_ready();
                }
                if matches!(process.try_wait(), Ok(Some(_))) {
                    said = said_by(&mut process);
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        panic!("postgres does not start again: {said}");
    }

    fn process(&self) -> MutexGuard<'_, Child> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until_ready(&self) {
        let mut process = self.process();
        for _ in 0..6000 {
            if self.execute("SELECT 1").is_ok() {
                // What it says from now on must not fill the pipe.
                if let Some(mut stderr) = process.stderr.take() {
                    std::thread::spawn(move || {
                        let mut buffer = [0; 4096];
                        while stderr.read(&mut buffer).is_ok_and(|length| length > 0) {}
                    });
                }
                return;
            }
            if let Ok(Some(status)) = process.try_wait() {
                panic!("postgres ended with {status}: {}", said_by(&mut process));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("postgres is not ready after 300 s");
    }

    /// As an administrator.
    pub fn execute(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        runtime().block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url("postgres"), tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(sql).await
        })
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://test@127.0.0.1:{}/{database}", self.port)
    }
}

/// Of one that has ended.
fn said_by(process: &mut Child) -> String {
    let mut said = String::new();
    if let Some(stderr) = &mut process.stderr {
        let _ = stderr.read_to_string(&mut said);
    }
    said
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut process = self.process();
        // An immediate end: nothing of it is needed any more.
        let _ = Command::new("kill").args(["-QUIT", &process.id().to_string()]).status();
        forget_time(process.id());
        for _ in 0..100 {
            if matches!(process.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = process.kill();
        let _ = process.wait();
    }
}

fn run(folder: &Path, port: u16, keeps: Keeps, ahead: i64) -> Child {
    let fsync = if keeps == Keeps::WhatItHasAnswered { "fsync=on" } else { "fsync=off" };
    let mut command = if ahead == 0 { command("postgres") } else { at_another_time(ahead) };
    command
        .arg("-D")
        .arg(folder.join("data"))
        .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="])
        .args(["-c", fsync, "-c", "max_connections=300", "-c", "shared_buffers=64MB"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("postgres starts")
}

/// PostgreSQL by a clock that is so many seconds ahead.
fn at_another_time(ahead: i64) -> Command {
    let folders = std::fs::read_dir("/usr/lib").into_iter().flatten().filter_map(Result::ok);
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    let library = libraries.find(|library| library.exists()).expect("the package faketime is installed");
    // Set by `env`, as the server's user: the library makes files that belong to whom it is loaded by.
    let mut command = as_postgres("/usr/bin/env".into());
    command.arg(format!("LD_PRELOAD={}", library.display())).arg(format!("FAKETIME={ahead:+}s"));
    // Timeouts go by the true one.
    command.arg("FAKETIME_DONT_FAKE_MONOTONIC=1").arg(programs().join("postgres"));
    command
}

/// Files that a process at another time leaves when it is killed.
fn forget_time(process: u32) {
    for name in ["sem.faketime_sem_", "faketime_shm_"] {
        let _ = std::fs::remove_file(format!("/dev/shm/{name}{process}"));
    }
}

/// PostgreSQL refuses to run as root: then it runs as its own user.
fn command(name: &str) -> Command {
    as_postgres(programs().join(name))
}

pub fn as_postgres(program: PathBuf) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"]).arg(program);
    command
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub fn give_to_postgres(folder: &Path) {
    if is_root() {
        let given = Command::new("chown").arg("postgres").arg(folder).status().expect("chown starts");
        assert!(given.success(), "the folder is given to the user postgres");
    }
}

/// Where Debian keeps the server's programs; the newest version.
pub fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().filter_map(Result::ok);
    let newest = versions.max_by_key(|entry| entry.file_name().to_string_lossy().parse::<u32>().unwrap_or(0));
    newest.map_or_else(|| PathBuf::from("/usr/bin"), |entry| entry.path().join("bin"))
}
