//! The C programs of ibm-messaging/mq-dev-patterns (Apache-2.0), unmodified: fetched by the test, built by their own Makefile with
//! the tree, and run as their README says.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::server::APP_PASSWORD;

use super::key_repositories::stash;
use super::{House, succeeded, text};
use crate::client::write;
use crate::interop::java::certificates::STORE_PASSWORD;

const REPOSITORY: &str = "ibm-messaging/mq-dev-patterns";
const COMMIT: &str = "bfff4419d60593f8d7b4f38e109628ba33ffc77d";
/// The CipherSpec that their env.json names.
const CIPHER: &str = "TLS_RSA_WITH_AES_128_CBC_SHA256";

/// The programs, and a server.
struct Patterns {
    house: House,
    folder: PathBuf,
    /// What their configuration says of TLS.
    tls: Vec<(&'static str, String)>,
}

impl Patterns {
    fn new(configuration: &str) -> Result<Self> {
        let files = public_files::of_github(REPOSITORY, COMMIT, &["C"]);
        let house = House::configured(configuration)?;
        let folder = house.folder.path().join("C");
        succeeded(&Command::new("cp").arg("-r").arg(files.join("C")).arg(&folder).output()?)?;
        let mut make = Command::new("make");
        make.arg(format!("MQINC={}", house.tree.join("inc").display()));
        make.arg(format!("MQLIB={}", house.tree.join("lib64").display())).current_dir(&folder);
        succeeded(&make.output().context("make is not installed (Debian: make)")?)?;
        Ok(Self { house, folder, tls: Vec::new() })
    }

    /// A program that waits so many seconds for messages. Its configuration has a line for each value, as theirs has: the programs
    /// read no other form, and end themselves when they take a value of one endpoint from the environment.
    fn program(&self, name: &str, wait: &str) -> Result<Command> {
        let address = self.house.server.mq_address()?;
        let mut lines = Vec::new();
        for (name, value) in [
            ("HOST", &*address.ip().to_string()),
            ("PORT", &address.port().to_string()),
            ("CHANNEL", "DEV.APP.SVRCONN"),
            ("QMGR", "*QM1"),
            ("APP_USER", "app"),
            ("APP_PASSWORD", APP_PASSWORD),
            ("QUEUE_NAME", "DEV.QUEUE.1"),
            ("MODEL_QUEUE_NAME", "DEV.APP.MODEL.QUEUE"),
            ("DYNAMIC_QUEUE_PREFIX", "APP.REPLIES.*"),
            ("TOPIC_NAME", "dev/"),
            ("WAIT_INTERVAL", wait),
        ] {
            lines.push(format!("    \"{name}\": \"{value}\""));
        }
        lines.extend(self.tls.iter().map(|(name, value)| format!("    \"{name}\": \"{value}\"")));
        let file = self.folder.join(format!("{name}.json"));
        write(&file, &format!("{{\n  \"MQ_ENDPOINTS\": [{{\n{}\n  }}]\n}}\n", lines.join(",\n")))?;
        let mut command = self.house.command(Path::new("timeout"))?;
        command.arg("120").arg(self.folder.join(name)).arg(file).current_dir(&self.folder);
        for name in lines.iter().filter_map(|line| line.split('"').nth(1)) {
            command.env_remove(name);
        }
        Ok(command)
    }

    fn run(&self, name: &str, wait: &str) -> Result<String> {
        let output = self.program(name, wait)?.output()?;
        let said = succeeded(&output).with_context(|| name.to_owned())?;
        ensure!(said.ends_with("Done. Exit code:0\n"), "{name}: {said}");
        Ok(said.to_owned())
    }

    fn start(&self, name: &str, wait: &str) -> Result<Child> {
        Ok(self.program(name, wait)?.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
    }

    /// A message there, and a request and its reply.
    fn puts_gets_requests_and_responds(&self) -> Result<()> {
        let sent = self.run("sampleput", "1")?;
        let message = after(&sent, "Sent Message: ")?;
        ensure!(message.starts_with("Hello from C at "), "{sent}");
        let got = self.run("sampleget", "1")?;
        assert_eq!(after(&got, "Rcvd Message: ")?, message);
        ensure!(got.contains("Messages read: 1"), "{got}");
        // The request waits on its queue until the other program has started.
        let request = self.start("samplerequest", "60")?;
        let responded = self.run("sampleresponse", "10")?;
        let asked = after(&responded, "Request Message: ")?;
        ensure!(asked.starts_with("Hello from C at ") && responded.contains("Requests processed: 1"), "{responded}");
        let output = request.wait_with_output()?;
        let said = succeeded(&output)?;
        assert_eq!(after(said, "Reply   Message: ")?, asked.chars().rev().collect::<String>());
        Ok(())
    }
}

/// The rest of the line that begins so.
fn after<'a>(said: &'a str, begins: &str) -> Result<&'a str> {
    said.lines().find_map(|line| line.strip_prefix(begins)).with_context(|| format!("no '{begins}' in {said}"))
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_c_patterns_put_get_request_respond_publish_and_subscribe() -> Result<()> {
    let patterns = Patterns::new("")?;
    patterns.puts_gets_requests_and_responds()?;
    let subscriber = patterns.start("samplesubscribe", "10")?;
    // It is told that a publication went to no subscription, and fails, until there is one.
    let published = loop {
        let output = patterns.program("samplepublish", "1")?.output()?;
        let said = text(&output.stdout).to_owned();
        if output.status.success() {
            break said;
        }
        ensure!(said.contains("MQRC_NO_SUBS_MATCHED"), "{said}{}", text(&output.stderr));
    };
    let output = subscriber.wait_with_output()?;
    let said = succeeded(&output)?;
    assert_eq!(after(said, "Rcvd Message: ")?, after(&published, "Sent Message: ")?);
    Ok(())
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_c_patterns_use_tls_with_a_key_repository_and_its_stash_file() -> Result<()> {
    let mut patterns = Patterns::new(&format!("[tls]\nold_cipherspecs = ['{CIPHER}']\n"))?;
    patterns
        .house
        .mqsc(&format!("ALTER CHANNEL('DEV.APP.SVRCONN') CHLTYPE(SVRCONN) SSLCIPH({CIPHER}) SSLCAUTH(OPTIONAL)"))?;
    // The name without an ending, as in their env.json.
    let repository = patterns.folder.join("clientkey");
    let mut export = Command::new("openssl");
    export.args(["pkcs12", "-export", "-nokeys", "-passout", &format!("pass:{STORE_PASSWORD}"), "-in"]);
    export.arg(patterns.house.server.ca_file()).arg("-out").arg(repository.with_extension("p12"));
    succeeded(&export.output()?)?;
    stash(&repository.with_extension("p12"))?;
    let address = patterns.house.server.mq_address()?;
    let connection =
        format!(r#"{{"connection":[{{"host":"{}","port":{}}}],"queueManager":"QM1"}}"#, address.ip(), address.port());
    let channel = format!(
        r#"{{"name":"DEV.APP.SVRCONN","type":"clientConnection","clientConnection":{connection},"transmissionSecurity":{{"cipherSpecification":"{CIPHER}"}}}}"#
    );
    let table = patterns.folder.join("ccdt.json");
    write(&table, &format!(r#"{{"channel":[{channel}]}}"#))?;
    // Their MQCD is of version 6, which has no CipherSpec, so that it has to come from a channel definition table.
    patterns.tls =
        vec![("CCDT_URL", format!("file://{}", table.display())), ("KEY_REPOSITORY", repository.display().to_string())];
    patterns.puts_gets_requests_and_responds()
}
