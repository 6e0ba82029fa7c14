//! RabbitMQ from the distribution's package, with its management HTTP API.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use system_tests::ports;
use tempfile::TempDir;

use crate::listing::{Client, Request};
use crate::nginx::children;

/// `guest:guest`.
pub const CREDENTIALS: &str = "Z3Vlc3Q6Z3Vlc3Q=";
/// How long statistics of new queues take to be there.
const SETTLING: Duration = Duration::from_secs(8);

pub struct RabbitMq {
    server: Child,
    names: Child,
    _folder: TempDir,
    port: u16,
}

impl RabbitMq {
    /// # Errors
    /// Not installed, or it does not start.
    pub fn start(work: &Path) -> Result<Self> {
        let program = program()?;
        let folder = tempfile::Builder::new().prefix("rabbitmq").tempdir_in(work)?;
        let (port, amqp, distribution, names_port) = (ports::free()?, ports::free()?, ports::free()?, ports::free()?);
        let file = |name: &str| folder.path().join(name);
        write(&file("plugins"), "[rabbitmq_management].")?;
        write(&file("env.conf"), "")?;
        write(
            &file("rabbitmq.conf"),
            &format!(
                "listeners.tcp.1 = 127.0.0.1:{amqp}\nmanagement.tcp.ip = 127.0.0.1\nmanagement.tcp.port = {port}\n\
                 log.file.level = warning\n"
            ),
        )?;
        let names = Command::new("epmd")
            .args(["-port", &names_port.to_string(), "-address", "127.0.0.1"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("epmd is not installed (Debian: rabbitmq-server)")?;
        let server = Command::new(program)
            // It leaves a dump where it stands when it is ended early.
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .env("ERL_EPMD_PORT", names_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODENAME", format!("bench{port}@localhost"))
            .env("RABBITMQ_DIST_PORT", distribution.to_string())
            .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}")
            .env("RABBITMQ_MNESIA_BASE", file("mnesia"))
            .env("RABBITMQ_LOG_BASE", file("log"))
            .env("RABBITMQ_CONFIG_FILE", file("rabbitmq.conf"))
            .env("RABBITMQ_CONF_ENV_FILE", file("env.conf"))
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", file("plugins"))
            .env("RABBITMQ_SCHEMA_DIR", file("schema"))
            .env("RABBITMQ_GENERATED_CONFIG_DIR", file("config"))
            .env("RABBITMQ_FEATURE_FLAGS_FILE", file("feature_flags"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut running = Self { server, names, _folder: folder, port };
        running.await_ready()?;
        Ok(running)
    }

    /// The virtual machine: the script itself, or its child.
    pub fn pid(&self) -> Result<u32> {
        let own = self.server.id();
        Ok(children(own)?.first().copied().unwrap_or(own))
    }

    /// Of its management.
    pub fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    fn await_ready(&mut self) -> Result<()> {
        for _ in 0..600 {
            if Client::connect(&self.get("/api/overview", 0)).and_then(|mut client| client.ask()).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.server.try_wait()? {
                bail!("rabbitmq-server ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!("rabbitmq-server is not ready")
    }

    fn get(&self, path: &str, at_least: usize) -> Request {
        let head = format!("GET {path} HTTP/1.1\r\nAuthorization: Basic {CREDENTIALS}");
        Request { address: self.address(), head, body: String::new(), at_least }
    }

    pub fn create_queues(&self, count: usize) -> Result<()> {
        let one = |number: usize| {
            json!({
                "name": format!("APP.QUEUE.{number:05}"), "vhost": "/", "durable": true, "auto_delete": false,
                "arguments": {}
            })
        };
        let queues: Vec<_> = (0..count).map(one).collect();
        let body = json!({ "queues": queues }).to_string();
        let url = format!("http://127.0.0.1:{}/api/definitions", self.port);
        let output = Command::new("curl")
            .args(["-sf", "-u", "guest:guest", "-H", "Content-Type: application/json", "--data-binary", "@-", &url])
            .stdin(Stdio::piped())
            .spawn()
            .and_then(|mut curl| {
                use std::io::Write;
                if let Some(mut input) = curl.stdin.take() {
                    input.write_all(body.as_bytes())?;
                }
                curl.wait()
            })
            .context("curl is not installed")?;
        ensure!(output.success(), "RabbitMQ refused the definitions");
        std::thread::sleep(SETTLING);
        Ok(())
    }

    pub fn list_all(&self, count: usize) -> Request {
        self.get("/api/queues", count * 300)
    }

    pub fn list_three(&self, count: usize) -> Request {
        self.get("/api/queues?columns=name,type,messages", count * 20)
    }
}

impl Drop for RabbitMq {
    fn drop(&mut self) {
        for child in children(self.server.id()).unwrap_or_default() {
            let _ = Command::new("sh").arg("-c").arg(format!("kill -TERM {child}")).status();
        }
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = self.names.kill();
        let _ = self.names.wait();
    }
}

/// The script of the package that does not change the user.
fn program() -> Result<PathBuf> {
    let found = std::fs::read_dir("/usr/lib/rabbitmq/lib").into_iter().flatten().filter_map(|entry| {
        let path = entry.ok()?.path().join("sbin/rabbitmq-server");
        path.is_file().then_some(path)
    });
    let direct = PathBuf::from("/usr/lib/rabbitmq/bin/rabbitmq-server");
    let direct = direct.is_file().then_some(direct);
    direct.or_else(|| found.last()).context("RabbitMQ is not installed (Debian: rabbitmq-server)")
}

#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
