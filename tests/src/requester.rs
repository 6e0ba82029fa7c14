//! The chain of an API requester as real processes: the remote API, its archive and members, the server that has the archive,
//! and the COBOL program compiled with the members.
//!
//! Everything a step makes is made by the program that users have for it: `workload provider`, `zconbt`, `cobc`, `serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::program::{quaymaster, stub_folder};
use crate::server::{Server, ServerOptions};

/// What the archive's API requester is called.
pub const API_NAME: &str = "zCEE-API-requester-Performance-Remote-API_1.0.0";
/// Path of the API's only operation, a POST.
pub const API_PATH: &str = "/APIrequesterPerformanceRemoteAPI/apirRemote/varyRespPayload";
/// How long an answer may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(300);
const PROPERTIES: &str = "\
apiDescriptionFile=APIRPERF.json
language=COBOL
dataStructuresLocation=members
apiInfoFileLocation=members
requesterPrefix=PER
connectionRef=Server2Ref
logFileDirectory=logs
";

/// `workload provider`, killed with its value.
pub struct Provider {
    child: Child,
    pub address: SocketAddr,
}

impl Provider {
    /// On a free port of the loopback address.
    ///
    /// # Errors
    /// It does not say that it is ready.
    pub fn start(most_entries: u32) -> Result<Self> {
        Self::start_on("127.0.0.1:0", most_entries)
    }

    /// # Errors
    /// As `start`.
    pub fn start_on(listen: &str, most_entries: u32) -> Result<Self> {
        let mut child = Command::new(quaymaster()?)
            .args(["workload", "provider", "--listen", listen, "--max-entries", &most_entries.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("the provider")?;
        let output = child.stdout.take().context("standard output is a pipe")?;
        let mut running = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let ready: serde_json::Value =
            serde_json::from_str(&line).with_context(|| format!("the provider did not get ready: {line}"))?;
        running.address = ready["http"].as_str().context("an address")?.parse()?;
        Ok(running)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything that runs and was made, in a folder that goes with it.
pub struct Chain {
    pub folder: tempfile::TempDir,
    pub provider: Provider,
    pub server: Server,
}

impl Chain {
    /// Answers of the provider have up to `most_entries` entries of 32 bytes.
    ///
    /// # Errors
    /// A step did not go well: with what its program said.
    pub fn start(work: &Path, most_entries: u32) -> Result<Self> {
        let folder = tempfile::tempdir_in(work)?;
        let (provider, data) = deploy(folder.path(), most_entries)?;
        let server = Server::start(&ServerOptions::on(&data))?;
        Ok(Self { folder, provider, server })
    }

    /// Where the server takes calls of the stub.
    ///
    /// # Errors
    /// It listens for no plain HTTP.
    pub fn http(&self) -> Result<SocketAddr> {
        self.server.ready.http.context("the server speaks http")
    }

    /// Compiles the example's program with the members that were generated; where it is.
    ///
    /// # Errors
    /// There is no compiler, or it refuses the program.
    pub fn compile(&self) -> Result<PathBuf> {
        compile(self.folder.path())
    }

    /// What the program needs to know, as `NAME=VALUE`.
    ///
    /// # Errors
    /// There is no stub, or the server listens for no plain HTTP.
    pub fn environment(&self) -> Result<Vec<String>> {
        environment(self.http()?)
    }

    /// Has one process of the program carry out orders of count-in and count-out: its lines, and what it said beside them.
    ///
    /// # Errors
    /// It does not end well.
    pub fn orders(&self, program: &Path, orders: &[(u32, u32)]) -> Result<(Vec<String>, String)> {
        run_orders(program, &self.environment()?, orders)
    }

    /// Posts a request record as the stub does; the answer with its headers in small letters.
    ///
    /// # Errors
    /// There is no answer.
    pub fn post(&self, form: Option<&str>, record: &[u8]) -> Result<HttpAnswer> {
        post(self.http()?, API_NAME, form, record)
    }
}

/// What the report's figure 5 says, with the provider's port.
pub fn configuration(provider: SocketAddr) -> String {
    format!(
        "[zosconnect]\nrequire_auth = false\n\n[endpoint_connections.Server2Ref]\nhost = \"{}\"\nport = {}\n",
        provider.ip(),
        provider.port()
    )
}

/// Fetches the API's document and makes archive and members of it in `folder`; the archive's path.
///
/// # Errors
/// There is no document, or `zconbt` refuses it: with what it said.
pub fn build(folder: &Path, provider: SocketAddr, more_properties: &str) -> Result<PathBuf> {
    let path = "/ibm/api/docs?root=/APIrequesterPerformanceRemoteAPI&compact=false";
    let document = exchange(provider, "GET", path, &[], &[])?;
    ensure!(document.status == 200, "the document: {document:?}");
    write(&folder.join("APIRPERF.json"), std::str::from_utf8(&document.body)?)?;
    write(&folder.join("APIRPERF.properties"), &format!("{PROPERTIES}{more_properties}"))?;
    let built = Command::new(quaymaster()?)
        .args(["zconbt", "-p", "APIRPERF.properties", "-f", "APIRPERF.ara"])
        .current_dir(folder)
        .output()?;
    let said = [String::from_utf8_lossy(&built.stdout), String::from_utf8_lossy(&built.stderr)].concat();
    ensure!(built.status.success() && said.contains("BAQB0009I"), "zconbt: {said}");
    Ok(folder.join("APIRPERF.ara"))
}

/// Starts the API, and makes a data directory in `folder` whose server has the requester that calls it.
///
/// # Errors
/// As `build`.
pub fn deploy(folder: &Path, most_entries: u32) -> Result<(Provider, PathBuf)> {
    let provider = Provider::start(most_entries)?;
    let archive = build(folder, provider.address, "")?;
    let data = folder.join("data");
    write(&data.join("quaymaster.toml"), &configuration(provider.address))?;
    let deployed = data.join("zosconnect/apiRequesters");
    std::fs::create_dir_all(&deployed)?;
    std::fs::copy(&archive, deployed.join("APIRPERF.ara"))?;
    Ok((provider, data))
}

/// The same for tests in other languages, as variables: the data directory, the process of the API, and the path of a call of the requester.
///
/// # Errors
/// As `deploy`.
pub fn deploy_for_others(folder: &Path) -> Result<(Provider, [(&'static str, String); 3])> {
    let (provider, data) = deploy(folder, 16)?;
    let pid = provider.pid().to_string();
    Ok((provider, [("API_DATA", data.display().to_string()), ("API_PID", pid), ("API_CALL", call_path(API_NAME))]))
}

fn call_path(name: &str) -> String {
    format!("/zosConnect/apiRequesters/{name}?apiPath={}&apiMethod=POST", API_PATH.replace('/', "%2F"))
}

/// Compiles the example's program with the members in `folder`.
///
/// # Errors
/// There is no compiler, or it refuses the program.
pub fn compile(folder: &Path) -> Result<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the tests lie in the repository")?;
    let program = folder.join("perclnt");
    let compiled = Command::new("cobc")
        .args(["-x", "-std=ibm-strict", "-Wall", "-I"])
        .arg(folder.join("members"))
        .arg("-I")
        .arg(stub_folder()?)
        .arg("-o")
        .arg(&program)
        .arg(repository.join("examples/api-requester/PERCLNT.cbl"))
        .current_dir(folder)
        .output()
        .context("GnuCOBOL (cobc) is not installed (Debian: gnucobol3)")?;
    ensure!(compiled.status.success(), "cobc: {}", String::from_utf8_lossy(&compiled.stderr));
    Ok(program)
}

/// What a program with the stub needs: where the stub is, and where the server, as `NAME=VALUE`.
///
/// # Errors
/// There is no stub.
pub fn environment(server: SocketAddr) -> Result<Vec<String>> {
    Ok(vec![
        format!("COB_LIBRARY_PATH={}", stub_folder()?.display()),
        format!("BAQURI={}", server.ip()),
        format!("BAQPORT={}", server.port()),
        "BAQTIMEOUT=60".to_owned(),
    ])
}

/// As `Chain::orders`, with an environment of the caller's.
///
/// # Errors
/// It does not end well.
pub fn run_orders(program: &Path, environment: &[String], orders: &[(u32, u32)]) -> Result<(Vec<String>, String)> {
    let mut child = Command::new("env")
        .args(environment)
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let text: String = orders.iter().map(|(count_in, count_out)| format!("{count_in:08}{count_out:08}")).collect();
    // As many orders as a pipe holds; dropped, so that the program comes to their end.
    child.stdin.take().context("a pipe")?.write_all(text.as_bytes())?;
    let output = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{}: {errors}", output.status);
    Ok((String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect(), errors))
}

/// Posts a request record for the API's operation to the requester called `name`.
///
/// # Errors
/// There is no answer.
pub fn post(server: SocketAddr, name: &str, form: Option<&str>, record: &[u8]) -> Result<HttpAnswer> {
    let mut headers = vec!["Content-Type: application/octet-stream".to_owned()];
    headers.extend(form.map(|form| format!("Baq-Record-Form: {form}")));
    exchange(server, "POST", &call_path(name), &headers, record)
}

#[derive(Debug)]
pub struct HttpAnswer {
    pub status: u16,
    /// In small letters.
    head: String,
    pub body: Vec<u8>,
}

impl HttpAnswer {
    /// `name` in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }
}

/// One request on a connection of its own.
///
/// # Errors
/// There is no answer that can be read.
pub fn exchange(to: SocketAddr, method: &str, path: &str, headers: &[String], body: &[u8]) -> Result<HttpAnswer> {
    let mut socket = TcpStream::connect(to).with_context(|| format!("cannot connect to {to}"))?;
    socket.set_read_timeout(Some(ANSWER_LIMIT))?;
    let mut text =
        format!("{method} {path} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    socket.write_all(&[text.as_bytes(), b"\r\n", body].concat())?;
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer)?;
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { bail!("no answer from {to}") };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let status = head.split(' ').nth(1).context("a status")?.parse()?;
    let body = answer.split_off(end + 4);
    let answer = HttpAnswer { status, head, body };
    let length: usize = answer.header("content-length").context("a length")?.parse()?;
    ensure!(answer.body.len() == length, "{} bytes of {length}", answer.body.len());
    Ok(answer)
}

#[expect(clippy::disallowed_methods, reason = "files of a test need not last")]
fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
