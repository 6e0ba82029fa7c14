//! Open Liberty with endpoints that do nothing behind TLS and an LTPA cookie: what the tier alone costs that the products we
//! are compared with answer from. Fetched with Maven into the working folder when it is not there.
//!
//! One endpoint is JAX-RS, which is how a messaging REST API is written for such a server and what the bar's own figure was
//! taken from; the other is the bare servlet beneath it. Both answer below the path where the load driver logs in, so that
//! the same client drives all. They are compiled with what the distribution brings along.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use system_tests::ports;
use system_tests::server::APP_PASSWORD;
use tempfile::TempDir;

use super::setting::write;
use crate::distribution::{Distribution, run};

/// The bare servlet.
pub(crate) const SERVLET_PATH: &str = "/ibmmq/rest/v2/noop";
/// The JAX-RS resource.
pub(crate) const RESOURCE_PATH: &str = "/ibmmq/rest/v2/rest/queue/Q/message";
const DISTRIBUTION: Distribution<'_> = Distribution {
    artifact: "io.openliberty:openliberty-runtime:24.0.0.12:zip",
    archive: "openliberty-runtime-24.0.0.12.zip",
    folder: "wlp",
    content: "bin/server",
};
const SOURCES: [(&str, &str); 2] =
    [("Noop.java", include_str!("Noop.java")), ("Resource.java", include_str!("Resource.java"))];
/// The interfaces the sources are compiled against, by what the names of their archives hold.
const INTERFACES: [&str; 2] = ["jakarta.servlet.6.0", "jakarta.restfulWS.3.1"];
const WEB_XML: &str = include_str!("web.xml");

/// Ends with its value.
pub(crate) struct Liberty {
    process: Child,
    pub(crate) url: String,
    _folder: TempDir,
}

impl Liberty {
    /// # Errors
    /// No Java compiler, no Maven, or the download failed: the message says which.
    pub(crate) fn start(work: &Path) -> Result<Self> {
        let home = DISTRIBUTION.unpacked(work)?;
        let folder = tempfile::Builder::new().prefix("liberty").tempdir_in(work)?;
        let server = folder.path().join("usr/servers/peer");
        std::fs::create_dir_all(server.join("apps"))?;
        let port = ports::free()?;
        write(&server.join("server.xml"), &server_xml(port))?;
        write(&server.join("jvm.options"), "-Xmx1g\n")?;
        application(&home, folder.path(), &server.join("apps/noop.war"))?;
        let process = Command::new(home.join("bin/server"))
            .args(["run", "peer"])
            .env("WLP_USER_DIR", folder.path().join("usr"))
            .env("WLP_OUTPUT_DIR", folder.path().join("out"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start Open Liberty")?;
        let mut running = Self { process, url: format!("https://127.0.0.1:{port}"), _folder: folder };
        running.await_ready()?;
        Ok(running)
    }

    /// The script replaces itself by the virtual machine.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Ready when the protected path asks for credentials.
    fn await_ready(&mut self) -> Result<()> {
        for _ in 0..600 {
            let status = Command::new("curl")
                .args(["--silent", "--insecure", "--output", "/dev/null", "--write-out", "%{http_code}"])
                .arg(format!("{}{RESOURCE_PATH}", self.url))
                .output()?;
            if status.stdout == b"401" {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                bail!("Open Liberty ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!("Open Liberty is not ready")
    }
}

impl Drop for Liberty {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn server_xml(port: u16) -> String {
    format!(
        r#"<server>
 <featureManager><feature>servlet-6.0</feature><feature>restfulWS-3.1</feature><feature>appSecurity-5.0</feature><feature>transportSecurity-1.0</feature></featureManager>
 <httpEndpoint id="defaultHttpEndpoint" host="127.0.0.1" httpPort="-1" httpsPort="{port}">
  <httpOptions maxKeepAliveRequests="-1"/>
 </httpEndpoint>
 <keyStore id="defaultKeyStore" password="changeit"/>
 <basicRegistry realm="mq"><user name="app" password="{APP_PASSWORD}"/></basicRegistry>
 <webApplication location="noop.war" contextRoot="/ibmmq/rest/v2">
  <application-bnd><security-role name="MQWebUser"><user name="app"/></security-role></application-bnd>
 </webApplication>
</server>
"#
    )
}

/// Compiles the endpoints and packs them.
fn application(home: &Path, folder: &Path, archive: &Path) -> Result<()> {
    let content = folder.join("noop");
    let classes = content.join("WEB-INF/classes");
    std::fs::create_dir_all(&classes)?;
    write(&content.join("WEB-INF/web.xml"), WEB_XML)?;
    let mut compiler = Command::new("javac");
    compiler.args(["-proc:none", "-d"]).arg(&classes).arg("-classpath").arg(interfaces(home)?);
    for (name, text) in SOURCES {
        let source = folder.join(name);
        write(&source, text)?;
        compiler.arg(source);
    }
    run(&mut compiler)?;
    run(Command::new("jar").arg("cf").arg(archive).arg("-C").arg(&content).arg("."))
}

/// The archives with the interfaces that the distribution brings for compilers, as a class path.
fn interfaces(home: &Path) -> Result<OsString> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(home.join("dev/api/spec")).context("the distribution has no interfaces")? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".jar") && INTERFACES.iter().any(|wanted| name.contains(wanted)) {
            found.push(path);
        }
    }
    ensure!(found.len() >= INTERFACES.len(), "the distribution lacks one of {INTERFACES:?}");
    Ok(std::env::join_paths(found)?)
}
