//! Certificates by ACME: the section of the page on certificates works as pasted with certbot and with Pebble, the ACME server for tests of
//! Let's Encrypt, and programs that are connected meanwhile notice nothing.

use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use system_tests::ports;
use system_tests::program::quaymaster;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};
use system_tests::wait::until;

use crate::client::{block_on, client, put, write};
use crate::interop::packages::{cache, environment};
use crate::interop::{run, text};
use crate::pages::page;
use crate::readme::shell_blocks;
use crate::services::repository;

/// The title of the section, which is the page's last.
pub(crate) const SECTION: &str = "\n## Renew it with an ACME client\n";
/// A user that is not root's.
const NOBODY: u32 = 65534;
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn a_certificate_is_got_and_renewed_by_the_hook_of_an_acme_client_under_connected_programs() -> Result<()> {
    let page = page("certificates.md")?;
    let section = page.split(SECTION).nth(1).context("the section")?;
    let machine = Machine::start()?;
    let data = machine.path("var/lib/quaymaster");
    let mut options = ServerOptions::on(&data).listening("127.0.0.1:0");
    // A slow machine closes no connection for having been idle.
    options.environment.push(("QUAYMASTER_LIMITS_IDLE_SECONDS".to_owned(), "86400".to_owned()));
    let server = Server::start(&options)?;
    // As root the test sees that the file becomes that of the folder's owner.
    let _ = std::os::unix::fs::chown(&data, Some(NOBODY), None);

    mqsc(&data, "ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)")?;
    let mut waiting = Command::new(quaymaster()?)
        .args(["get", "DEV.QUEUE.1", "--channel", "DEV.APP.SVRCONN", "--user", "app", "--wait", "30m", "--mq"])
        .arg(server.mq_address()?.to_string())
        .arg("--cacert")
        .arg(server.ca_file())
        .env("QUAYMASTER_PASSWORD", APP_PASSWORD)
        .stdout(Stdio::piped())
        .spawn()
        .map(Started)?;
    let status = || mqsc(&data, "DISPLAY QSTATUS(DEV.QUEUE.1) IPPROCS");
    until("a program waits", LIMIT, || Ok(status()?.contains("IPPROCS(1)")))?;
    let output = block_on(async {
        let mut connected = client(&server, "DEV.QUEUE.2", false)?;
        put(&mut connected, "before").await?;
        let output = machine.run(&shell_blocks(section).concat(), &server)?;
        // Only the server's own authority is trusted: these are the connections of before.
        put(&mut connected, "after").await?;
        let mut other = Command::new(quaymaster()?);
        let put = run(other.args(["put", "DEV.QUEUE.1", "for the one that waits", "--data"]).arg(&data))?;
        ensure!(put.status.success(), "{}", text(&put.stderr));
        anyhow::Ok(output)
    })?;
    for answer in section.lines().filter_map(|line| line.strip_prefix("# -> ")) {
        ensure!(output.contains(answer), "{answer} is not in\n{output}");
    }
    let mut got = String::new();
    std::io::Read::read_to_string(&mut waiting.0.stdout.take().context("a pipe")?, &mut got)?;
    ensure!(waiting.0.wait()?.success() && got.contains("for the one that waits"), "{got}");

    let kept = std::fs::metadata(machine.path("etc/quaymaster/acme.pem"))?;
    assert_eq!((kept.mode() & 0o777, kept.uid()), (0o600, std::fs::metadata(&data)?.uid()));
    let (status, said) = server.terminate()?;
    ensure!(status.success() && !said.contains("ERROR"), "{said}");
    Ok(())
}

fn mqsc(data: &Path, command: &str) -> Result<String> {
    let output = run(Command::new(quaymaster()?).args(["mqsc", "--data"]).arg(data).args(["QM1", command]))?;
    ensure!(output.status.success(), "{command}: {}", text(&output.stdout));
    Ok(text(&output.stdout))
}

/// A folder with what the section finds on its machine: programs, settings of certbot, and an ACME server that finds certbot.
struct Machine {
    folder: tempfile::TempDir,
    certbot: PathBuf,
    _servers: [Started; 2],
}

impl Machine {
    fn start() -> Result<Self> {
        let acme = Path::new(env!("CARGO_MANIFEST_DIR")).join("acme");
        let programs = build(&acme)?;
        let certbot = environment(&acme.join("requirements.txt"))?;
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        for part in ["var/lib", "etc", "usr/local/sbin"] {
            std::fs::create_dir_all(root.join(part))?;
        }
        let [names, directory, challenges] = [ports::free()?, ports::free()?, ports::free()?];
        let mut of_names = Command::new(programs.join("pebble-challtestsrv"));
        of_names.args([
            "-http01",
            "",
            "-https01",
            "",
            "-tlsalpn01",
            "",
            "-management",
            "127.0.0.1:0",
            "-defaultIPv6",
            "",
        ]);
        let of_names = Started::listening(of_names.args(["-dns01", &format!("127.0.0.1:{names}")]), names)?;
        let of_certificates = pebble(root, &programs.join("pebble"), names, directory, challenges)?;
        let settings = format!(
            "server = https://localhost:{directory}/dir\nno-verify-ssl = true\nno-random-sleep-on-renew = true\n\
             http-01-address = 127.0.0.1\nhttp-01-port = {challenges}\n\
             config-dir = {0}/certbot\nwork-dir = {0}/certbot/work\nlogs-dir = {0}/certbot/log\n",
            root.display()
        );
        write(&root.join("settings/letsencrypt/cli.ini"), &settings)?;
        let machine = Self { folder, certbot, _servers: [of_names, of_certificates] };
        machine.make_systemctl()?;
        Ok(machine)
    }

    /// In place of systemd: what the unit says of a reload.
    fn make_systemctl(&self) -> Result<()> {
        let unit = std::fs::read_to_string(repository()?.join("packaging/systemd/quaymaster.service"))?;
        let reload = unit.lines().find_map(|line| line.strip_prefix("ExecReload=")).context("the unit has a reload")?;
        let reload = reload.replace("/usr/local/bin/quaymaster", &quaymaster()?.display().to_string());
        let file = self.path("bin/systemctl");
        let data = self.path("var/lib/quaymaster");
        let script = format!(
            "#!/bin/sh\n[ \"$*\" = 'reload quaymaster' ] && QUAYMASTER_DATA={} exec {reload}\n",
            data.display()
        );
        write(&file, &script)?;
        Ok(std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))?)
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn run(&self, script: &str, server: &Server) -> Result<String> {
        let mut script = script.replace("localhost:9443", &server.ready.https.context("an address")?.to_string());
        for folder in ["/etc/quaymaster", "/usr/local/sbin", "/var/lib/quaymaster"] {
            script = script.replace(folder, &self.path(&folder[1..]).display().to_string());
        }
        let path = format!("{}:{}:{}", self.path("bin").display(), self.certbot.display(), std::env::var("PATH")?);
        let output = run(Command::new("bash")
            .args(["-ec", &script])
            .env("PATH", path)
            .env("XDG_CONFIG_HOME", self.path("settings")))?;
        let (out, errors) = (text(&output.stdout), text(&output.stderr));
        ensure!(output.status.success(), "{script}\n{out}\n{errors}\n{}", server.errors());
        Ok(out)
    }
}

/// Pebble, which resolves names at `names`, is asked at `directory`, and looks for what certbot shows at `challenges`.
fn pebble(folder: &Path, program: &Path, names: u16, directory: u16, challenges: u16) -> Result<Started> {
    let request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
                   -addext subjectAltName=DNS:localhost -keyout pebble.key -out pebble.crt";
    let made = run(Command::new("openssl").args(request.split_whitespace()).current_dir(folder))?;
    ensure!(made.status.success(), "{}", text(&made.stderr));
    let configuration = serde_json::json!({"pebble": {
        "listenAddress": format!("127.0.0.1:{directory}"),
        "managementListenAddress": "127.0.0.1:0",
        "certificate": "pebble.crt", "privateKey": "pebble.key",
        "httpPort": challenges, "tlsPort": challenges,
    }});
    write(&folder.join("pebble.json"), &configuration.to_string())?;
    let mut pebble = Command::new(program);
    pebble.args(["-config", "pebble.json", "-dnsserver", &format!("127.0.0.1:{names}")]).current_dir(folder);
    Started::listening(pebble.env("PEBBLE_VA_NOSLEEP", "1"), directory)
}

/// The folder with Pebble and its server of names, which are built there.
fn build(sources: &Path) -> Result<PathBuf> {
    let programs = cache("acme")?;
    let mut go = Command::new("go");
    go.args(["build", "-o"]).arg(&programs).arg("github.com/letsencrypt/pebble/v2/cmd/...").current_dir(sources);
    go.env("GOCACHE", cache("go")?).env("GOFLAGS", "-mod=readonly").env_remove("GO111MODULE");
    let built = run(&mut go)?;
    ensure!(built.status.success(), "Pebble is not built: {}", text(&built.stderr));
    Ok(programs)
}

/// Ends with its value.
struct Started(Child);

impl Started {
    fn listening(command: &mut Command, port: u16) -> Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let started = Self(child.with_context(|| format!("{command:?}"))?);
        until("a server listens", LIMIT, || Ok(TcpStream::connect(("127.0.0.1", port)).is_ok()))?;
        Ok(started)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
