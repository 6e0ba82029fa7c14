//! Apache Artemis with its management over HTTP and its messaging over AMQP 1.0, plain and over TLS, fetched with Maven into
//! the working folder when it is not there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use system_tests::ports;
use tempfile::TempDir;

use crate::amqp::Endpoint;
use crate::certificate::{Certificate, STORE_PASSWORD, trusting};
use crate::distribution::Distribution;
use crate::listing::{Client, Request};

const DISTRIBUTION: Distribution<'_> = Distribution {
    artifact: "org.apache.activemq:apache-artemis:2.39.0:zip:bin",
    archive: "apache-artemis-2.39.0-bin.zip",
    folder: "apache-artemis-2.39.0",
    content: "bin",
};
const DISK_LIMIT: &str = "<max-disk-usage>90</max-disk-usage>";
const NO_DISK_LIMIT: &str = "<max-disk-usage>100</max-disk-usage>";
const BROKER: &str = "org.apache.activemq.artemis:broker=\"peer\"";
/// `admin:admin`.
const CREDENTIALS: &str = "YWRtaW46YWRtaW4=";
/// Queues made with one request.
const BATCH: usize = 500;

pub struct Artemis {
    server: Child,
    _folder: TempDir,
    port: u16,
    plain: Endpoint,
    tls: Endpoint,
    /// Of its acceptor with TLS, PEM.
    certificate: PathBuf,
}

impl Artemis {
    /// # Errors
    /// No Java, no Maven, or the download failed: the message says which.
    pub fn start(work: &Path) -> Result<Self> {
        let distribution = DISTRIBUTION.unpacked(work)?;
        let folder = tempfile::Builder::new().prefix("artemis").tempdir_in(work)?;
        let instance = folder.path().join("broker");
        let (port, core, tls) = (ports::free()?, ports::free()?, ports::free()?);
        let made = Command::new(distribution.join("bin/artemis"))
            .arg("create")
            .arg(&instance)
            .args(["--silent", "--user", "admin", "--password", "admin", "--require-login", "--name", "peer", "--nio"])
            .args(["--host", "127.0.0.1", "--default-port", &core.to_string()])
            .args(["--http-host", "127.0.0.1", "--http-port", &port.to_string()])
            .args(["--no-amqp-acceptor", "--no-mqtt-acceptor", "--no-stomp-acceptor", "--no-hornetq-acceptor"])
            .args(["--java-options", "-Xmx1g"])
            .output()
            .context("artemis create")?;
        ensure!(made.status.success(), "artemis create: {}", String::from_utf8_lossy(&made.stderr));
        let certificate = Certificate::make(folder.path())?;
        let keys = folder.path().join("keys.p12");
        certificate.key_store(&keys)?;
        configure(&instance.join("etc/broker.xml"), tls, &keys)?;
        let server = Command::new(instance.join("bin/artemis"))
            .arg("run")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let at = |port: u16| ([127, 0, 0, 1], port).into();
        let mut running = Self {
            server,
            _folder: folder,
            port,
            plain: Endpoint { address: at(core), tls: None },
            tls: Endpoint { address: at(tls), tls: Some(trusting(&certificate.certificate)?) },
            certificate: certificate.certificate,
        };
        running.await_ready()?;
        Ok(running)
    }

    /// The script replaces itself by the virtual machine.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }

    /// Where it speaks AMQP 1.0, as user `admin` with the password `admin`.
    pub fn amqp(&self) -> &Endpoint {
        &self.plain
    }

    /// The same over TLS.
    pub fn amqps(&self) -> &Endpoint {
        &self.tls
    }

    /// What clients over TLS are to trust, PEM.
    pub fn certificate(&self) -> &Path {
        &self.certificate
    }

    fn await_ready(&mut self) -> Result<()> {
        let started = json!({ "type": "read", "mbean": BROKER, "attribute": "Started" });
        for _ in 0..600 {
            if self.ask(&started).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.server.try_wait()? {
                bail!("artemis ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!("artemis is not ready")
    }

    fn request(&self, body: &Value, at_least: usize) -> Request {
        let head = format!(
            "POST /console/jolokia/ HTTP/1.1\r\nAuthorization: Basic {CREDENTIALS}\r\nContent-Type: application/json\r\n\
             Origin: http://127.0.0.1"
        );
        Request { address: ([127, 0, 0, 1], self.port).into(), head, body: body.to_string(), at_least }
    }

    fn ask(&self, body: &Value) -> Result<()> {
        Client::connect(&self.request(body, 0))?.ask().map(drop)
    }

    pub fn create_queues(&self, count: usize) -> Result<()> {
        let names: Vec<_> = (0..count).map(|number| format!("APP.QUEUE.{number:05}")).collect();
        for batch in names.chunks(BATCH) {
            let one = |name: &String| {
                let queue = json!({
                    "name": name, "address": name, "routing-type": "ANYCAST", "durable": true, "auto-delete": false
                });
                json!({
                    "type": "exec", "mbean": BROKER, "operation": "createQueue(java.lang.String)",
                    "arguments": [queue.to_string()]
                })
            };
            self.ask(&batch.iter().map(one).collect())?;
        }
        Ok(())
    }

    pub fn list_all(&self, count: usize) -> Request {
        let filter = json!({ "field": "", "operation": "", "value": "", "sortField": "name", "sortOrder": "asc" });
        let body = json!({
            "type": "exec", "mbean": BROKER, "operation": "listQueues(java.lang.String,int,int)",
            "arguments": [filter.to_string(), 1, 100_000]
        });
        self.request(&body, count * 100)
    }

    pub fn list_three(&self, count: usize) -> Request {
        let queues =
            format!("{BROKER},component=addresses,address=*,subcomponent=queues,routing-type=\"anycast\",queue=*");
        let body = json!({ "type": "read", "mbean": queues, "attribute": ["Name", "RoutingType", "MessageCount"] });
        self.request(&body, count * 20)
    }
}

impl Drop for Artemis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Adds an acceptor with TLS to the configuration that the broker made for itself, otherwise like the one it has; and lets it
/// take messages on a disk that is nearly full, where it would give no credit and a client would wait in vain.
#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
fn configure(configuration: &Path, port: u16, keys: &Path) -> Result<()> {
    let made = std::fs::read_to_string(configuration)?;
    let acceptor = format!(
        "<acceptor name=\"tls\">tcp://127.0.0.1:{port}?tcpSendBufferSize=1048576;tcpReceiveBufferSize=1048576;\
         amqpMinLargeMessageSize=102400;protocols=AMQP;useEpoll=true;amqpCredits=1000;amqpLowCredits=300;\
         amqpDuplicateDetection=true;sslEnabled=true;keyStoreType=PKCS12;keyStorePassword={STORE_PASSWORD};\
         keyStorePath={}</acceptor></acceptors>",
        keys.display()
    );
    ensure!(made.contains("</acceptors>"), "the broker's configuration has no acceptors");
    ensure!(made.contains(DISK_LIMIT), "the broker's configuration has no limit of the disk");
    let configured = made.replace("</acceptors>", &acceptor).replace(DISK_LIMIT, NO_DISK_LIMIT);
    std::fs::write(configuration, configured).context("cannot write broker.xml")
}
