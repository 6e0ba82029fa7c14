//! nginx as the floor of a web server: a no-op `POST` and a static `GET` over TLS, two workers.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use system_tests::ports;
use tempfile::TempDir;

use crate::certificate::Certificate;

pub const POST_PATH: &str = "/noop";
pub const GET_PATH: &str = "/1k";
const WORKERS: usize = 2;

pub struct Nginx {
    master: Child,
    _folder: TempDir,
    pub url: String,
    /// Address and port without TLS.
    pub plain: String,
    /// Its own certificate, PEM.
    pub certificate: PathBuf,
    /// Process ids of the workers.
    pub workers: Vec<u32>,
}

impl Nginx {
    pub fn start(work: &Path, size: usize) -> Result<Self> {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::Builder::new().prefix("nginx").tempdir_in(work)?;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
        let certificate = Certificate::make(folder.path())?.certificate;
        write(&folder.path().join("1k"), &"x".repeat(size))?;
        let (port, plain) = (ports::free()?, ports::free()?);
        let configuration = folder.path().join("nginx.conf");
        write(&configuration, &configured(folder.path(), port, plain))?;
        let master = Command::new("nginx")
            .arg("-c")
            .arg(&configuration)
            .arg("-p")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("nginx is not installed (Debian: nginx-light)")?;
        let mut running = Self {
            master,
            _folder: folder,
            url: format!("https://127.0.0.1:{port}"),
            plain: format!("127.0.0.1:{plain}"),
            certificate,
            workers: Vec::new(),
        };
        running.await_ready(port)?;
        Ok(running)
    }

    /// The port is open before there are workers.
    fn await_ready(&mut self, port: u16) -> Result<()> {
        for _ in 0..500 {
            self.workers = children(self.master.id())?;
            if self.workers.len() == WORKERS && std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.master.try_wait()? {
                bail!("nginx ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        bail!("nginx is not ready")
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = Command::new("sh").arg("-c").arg(format!("kill -TERM {}", self.master.id())).status();
        let _ = self.master.wait();
    }
}

fn configured(folder: &Path, port: u16, plain: u16) -> String {
    let folder = folder.display();
    format!(
        "daemon off; worker_processes {WORKERS}; pid {folder}/pid; error_log {folder}/error.log;\n\
         events {{ worker_connections 1024; }}\n\
         http {{ access_log off; keepalive_requests 100000000; default_type text/plain;\n\
         client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;\n\
         uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n\
         ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:s:10m;\n\
         server {{ listen 127.0.0.1:{port} ssl; listen 127.0.0.1:{plain}; ssl_certificate {folder}/certificate.pem;\n\
         ssl_certificate_key {folder}/key.pem; root {folder}; location = {POST_PATH} {{ return 201; }} }} }}\n"
    )
}

pub fn children(pid: u32) -> Result<Vec<u32>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    text.split_ascii_whitespace().map(|child| child.parse().context("a process id is a number")).collect()
}

#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
