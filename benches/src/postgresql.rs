//! PostgreSQL as a queue: Debian's server started by us, every commit synced, `FOR UPDATE SKIP LOCKED`.
//!
//! Table and statements are the usual ones: a row a message, an index on queue and number, an insert, and a delete of
//! the first row nobody else holds. Callers speak over the server's socket, one connection each.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use postgres::{Client, Config, NoTls};
use system_tests::ports;
use tempfile::TempDir;
use workload::batch;

use crate::throughput::rate;

const INSERT: &str = "insert into msgs(q, body) values ($1, $2)";
const DELETE: &str = "delete from msgs where id = \
    (select id from msgs where q = $1 order by id for update skip locked limit 1) returning body";

pub struct Postgresql {
    server: Child,
    folder: TempDir,
    port: u16,
}

impl Postgresql {
    pub fn start(work: &Path) -> Result<Self> {
        let programs = programs()?;
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in(work)?;
        let owner = Owner::of(folder.path())?;
        let data = folder.path().join("data");
        let made = owner
            .command(&programs.join("initdb"))
            .args(["-U", "bench", "-A", "trust", "--no-sync", "-D"])
            .arg(&data)
            .current_dir(folder.path())
            .output()?;
        ensure!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let port = ports::free()?;
        let log = std::fs::File::create(folder.path().join("server.log"))?;
        let server = owner
            .command(&programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-p", &port.to_string()])
            .args(["-c", "fsync=on", "-c", "synchronous_commit=on"])
            .args(["-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB", "-c", "max_connections=200"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let mut running = Self { server, folder, port };
        running.await_ready()?;
        running.connect()?.batch_execute(
            "create table msgs(id bigserial primary key, q text not null, body bytea not null); \
             create index on msgs(q, id)",
        )?;
        Ok(running)
    }

    /// The parent of all its processes.
    pub fn id(&self) -> u32 {
        self.server.id()
    }

    /// A database of its own, as a URL.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn database(&self, name: &str) -> Result<String> {
        self.connect()?.batch_execute(&format!("create database {name}"))?;
        Ok(format!("postgres://bench@127.0.0.1:{}/{name}", self.port))
    }

    /// What earlier loads have left is cleaned, in each of its databases.
    ///
    /// # Errors
    /// It refuses something.
    pub fn tidy_up(&self) -> Result<()> {
        let names = self.connect()?.query("select datname from pg_database where datname !~ '^template'", &[])?;
        for name in names {
            let mut client = self.config().dbname(name.get(0)).connect(NoTls)?;
            client.batch_execute("VACUUM")?;
            client.batch_execute("CHECKPOINT")?;
        }
        Ok(())
    }

    fn await_ready(&mut self) -> Result<()> {
        for _ in 0..600 {
            if self.connect().is_ok() {
                return Ok(());
            }
            if let Some(status) = self.server.try_wait()? {
                bail!("postgres ended with {status}: {}", self.log());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("postgres is not ready: {}", self.log())
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default()
    }

    fn config(&self) -> Config {
        let mut config = Config::new();
        config.host("127.0.0.1").port(self.port).user("bench");
        config
    }

    fn connect(&self) -> Result<Client> {
        Ok(self.config().dbname("postgres").connect(NoTls)?)
    }

    /// Insert and delete, each committed on disk, each caller on a queue of its own.
    pub fn pairs_per_second(&self, callers: usize, size: usize, time: Duration) -> Result<f64> {
        rate(callers, time, |number| {
            batch::enter();
            let mut client = self.connect()?;
            let (insert, delete) = (client.prepare(INSERT)?, client.prepare(DELETE)?);
            let (queue, body) = (format!("q{number}"), vec![b'x'; size]);
            Ok(move || {
                client.execute(&insert, &[&queue, &body])?;
                let row = client.query_one(&delete, &[&queue])?;
                ensure!(row.try_get::<_, &[u8]>(0)?.len() == size, "a message came back with another length");
                Ok(())
            })
        })
    }
}

impl Drop for Postgresql {
    fn drop(&mut self) {
        // Its data is thrown away with the folder.
        let _ = Command::new("sh").arg("-c").arg(format!("kill -INT {}", self.server.id())).status();
        let _ = self.server.wait();
    }
}

/// PostgreSQL refuses to run as root: then everything is the system's `postgres` user's.
struct Owner(Option<(u32, u32)>);

impl Owner {
    fn of(folder: &Path) -> Result<Self> {
        if id(&["-u"])? != 0 {
            return Ok(Self(None));
        }
        let (user, group) = (id(&["-u", "postgres"])?, id(&["-g", "postgres"])?);
        std::os::unix::fs::chown(folder, Some(user), Some(group))?;
        open_the_way_to(folder)?;
        Ok(Self(Some((user, group))))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
        command
    }
}

fn id(arguments: &[&str]) -> Result<u32> {
    let output = Command::new("id").args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().with_context(|| format!("id {arguments:?} answered '{}'", text.trim()))
}

/// The user must be able to reach the folder: a parent that only its owner may enter is an error with a way out.
fn open_the_way_to(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for parent in folder.ancestors().skip(1) {
        let mode = std::fs::metadata(parent)?.permissions().mode();
        ensure!(mode & 0o001 != 0, "user postgres cannot enter {}: choose another --work", parent.display());
    }
    Ok(())
}

/// The newest version's folder of programs.
fn programs() -> Result<PathBuf> {
    let mut versions: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .context("PostgreSQL is not installed (Debian: postgresql)")?
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("postgres").is_file())
        .collect();
    versions.sort();
    versions.pop().context("PostgreSQL's server is not installed (Debian: postgresql)")
}
