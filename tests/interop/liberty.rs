//! Open Liberty and our server with the same LTPA keys: each accepts the other's cookie.
//!
//! Liberty comes from Maven Central (some 340 MB) into `target/liberty`, or from the folder `QUAYMASTER_LIBERTY` names.
//! Its REST connector is the protected resource: nothing has to be compiled.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use system_tests::ports;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use crate::interop::{run, text};

const ARTIFACT: &str = "io.openliberty:openliberty-runtime:24.0.0.12:zip";
const KEYS_PASSWORD: &str = "keys-password-of-tests";
const PROTECTED: &str = "/IBMJMXConnectorREST/mbeanCount";

#[test]
#[ignore = "needs Open Liberty, Java and Maven: make test-full runs it"]
fn open_liberty_and_we_accept_each_others_ltpa_cookies() -> Result<()> {
    let home = liberty_home()?;
    let folder = tempfile::tempdir()?;
    let keys = folder.path().join("ltpa.keys");
    let ours = our_server(folder.path(), &keys)?;
    ensure!(keys.is_file(), "the server makes the key file it is told to use");
    let liberty = Liberty::start(&home, folder.path(), &keys)?;
    let (our_login, their_page) = (ours.https_url()? + "/ibmmq/rest/v2/login", liberty.url.clone() + PROTECTED);

    let their_cookie = cookie(&curl(&["-u", &format!("app:{APP_PASSWORD}"), &their_page])?)?;
    let answer = curl(&["--cookie", &their_cookie, &our_login])?;
    ensure!(answer.contains(" 200 ") && answer.contains("\"app\""), "theirs is not accepted here: {answer}");

    let login = serde_json::json!({ "username": "app", "password": APP_PASSWORD }).to_string();
    let our_cookie = cookie(&curl(&["-H", "Content-Type: application/json", "-d", &login, &our_login])?)?;
    let answer = curl(&["--cookie", &our_cookie, &their_page])?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "ours is not accepted there: {answer}");

    // A page that lets everybody in would prove nothing.
    let damaged = our_cookie.replacen(|c: char| c.is_ascii_lowercase(), "", 3);
    ensure!(curl(&["--cookie", &damaged, &their_page])?.starts_with("HTTP/1.1 401"), "the page is not protected");
    Ok(())
}

fn our_server(folder: &Path, keys: &Path) -> Result<Server> {
    let data = folder.join("data");
    std::fs::create_dir_all(&data)?;
    let configuration = format!(
        "[ltpa]\nkeys_file = \"{}\"\nkeys_password = \"{KEYS_PASSWORD}\"\ncookie_name = \"LtpaToken2\"\n",
        keys.display()
    );
    crate::client::write(&data.join("quaymaster.toml"), &configuration)?;
    Server::start(&ServerOptions::on(&data))
}

/// Status line, headers and body of one request; certificates are not what is tested here.
fn curl(arguments: &[&str]) -> Result<String> {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--insecure", "--include", "--http1.1", "--max-time", "60"]);
    let output = run(command.args(arguments))?;
    ensure!(output.status.success(), "{}", text(&output.stderr));
    Ok(text(&output.stdout))
}

/// `LtpaToken2=VALUE` of an answer.
fn cookie(answer: &str) -> Result<String> {
    let set = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        (name.eq_ignore_ascii_case("set-cookie") && value.starts_with("LtpaToken2=")).then_some(value)
    });
    let pair = set.and_then(|value| value.split(';').next());
    pair.map(str::to_owned).with_context(|| format!("no LTPA cookie: {answer}"))
}

struct Liberty {
    process: Child,
    url: String,
}

impl Liberty {
    fn start(home: &Path, folder: &Path, keys: &Path) -> Result<Self> {
        let port = ports::free()?;
        let user = folder.join("usr");
        let server = user.join("servers/interop");
        std::fs::create_dir_all(&server)?;
        crate::client::write(&server.join("server.xml"), &server_xml(port, keys))?;
        let process = Command::new(home.join("bin/server"))
            .args(["run", "interop"])
            .env("WLP_USER_DIR", &user)
            .env("WLP_OUTPUT_DIR", folder.join("out"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start Open Liberty")?;
        let mut running = Self { process, url: format!("https://127.0.0.1:{port}") };
        running.await_ready()?;
        Ok(running)
    }

    /// Ready when the protected page asks for credentials.
    fn await_ready(&mut self) -> Result<()> {
        for _ in 0..240 {
            if curl(&[&format!("{}{PROTECTED}", self.url)]).is_ok_and(|answer| answer.starts_with("HTTP/1.1 401")) {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                bail!("Open Liberty ended with {status}");
            }
            std::thread::sleep(std::time::Duration::from_millis(500));
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

fn server_xml(port: u16, keys: &Path) -> String {
    format!(
        r#"<server>
 <featureManager><feature>restConnector-2.0</feature></featureManager>
 <httpEndpoint id="defaultHttpEndpoint" host="127.0.0.1" httpPort="-1" httpsPort="{port}"/>
 <keyStore id="defaultKeyStore" password="changeit"/>
 <basicRegistry realm="defaultRealm"><user name="app" password="{APP_PASSWORD}"/></basicRegistry>
 <administrator-role><user>app</user></administrator-role>
 <ltpa keysFileName="{}" keysPassword="{KEYS_PASSWORD}"/>
</server>
"#,
        keys.display()
    )
}

fn liberty_home() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("QUAYMASTER_LIBERTY") {
        return Ok(PathBuf::from(named));
    }
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(3).context("this test lies in the target folder")?.join("liberty");
    let home = folder.join("wlp");
    if !home.join("bin/server").is_file() {
        install(&folder)?;
    }
    Ok(home)
}

fn install(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut copy = Command::new("mvn");
    copy.args(["-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"]);
    copy.arg(format!("-Dartifact={ARTIFACT}")).arg(format!("-DoutputDirectory={}", folder.display()));
    let copied = run(&mut copy)?;
    ensure!(copied.status.success(), "mvn: {}{}", text(&copied.stdout), text(&copied.stderr));
    let zip = folder.join("openliberty-runtime-24.0.0.12.zip");
    let unpacked = run(Command::new("unzip").args(["-q", "-o"]).arg(&zip).arg("-d").arg(folder))?;
    ensure!(unpacked.status.success(), "unzip: {}", text(&unpacked.stderr));
    std::fs::remove_file(&zip).context("cannot remove the archive")
}
