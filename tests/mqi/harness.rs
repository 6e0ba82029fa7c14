//! mq-cph (Apache-2.0), IBM's performance harness in C and C++, unmodified: fetched by the test, built by its own Makefile with the
//! tree. Its threads put, get, request, respond, publish and subscribe at once, and each does as many as it was told.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use system_tests::http::Client;
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD};

use super::reach::Reach;
use super::{House, succeeded, text};
use crate::crash::setting;

const REPOSITORY: &str = "ibm-messaging/mq-cph";
const COMMIT: &str = "0b16087f02e0f1c46de2160a047d931f65a6bca6";
const TOPIC: &str = "dev/load";

/// Builds the harness in a folder of the house.
fn build(house: &House) -> Result<()> {
    let files = public_files::of_github(REPOSITORY, COMMIT, &["src", "props", "*.mk", "Makefile"]);
    let at = house.folder.path();
    succeeded(&Command::new("cp").arg("-r").arg(&files).arg(at.join("source")).output()?)?;
    let mut make = Command::new("make");
    make.arg("-j2").arg(format!("MQ_INSTALLATION_PATH={}", house.tree.display()));
    make.arg(format!("installdir={}", at.join("installed").display())).current_dir(at.join("source"));
    succeeded(&make.output().context("make is not installed (Debian: make)")?)?;
    Ok(())
}

/// The harness on one server.
struct Harness<'a> {
    house: &'a House,
    installed: PathBuf,
    /// Iterations of a thread.
    each: u32,
}

impl<'a> Harness<'a> {
    fn new(house: &'a House) -> Result<Self> {
        let each = setting("QUAYMASTER_CPH_ITERATIONS")?.unwrap_or(100);
        Ok(Self { house, installed: house.folder.path().join("installed"), each })
    }

    /// Threads of one kind, and what they do.
    fn start(&self, kind: &str, threads: u32, options: &str, each: u32) -> Result<Running> {
        let address = self.house.address()?;
        let mut command = self.house.command(Path::new("timeout"))?;
        command.arg("1800").arg(self.installed.join("cph")).current_dir(&self.installed);
        command
            .args(["-tc", kind, "-jb", "QM1", "-jt", "mqc", "-jc", "DEV.APP.SVRCONN", "-jh"])
            .arg(address.ip().to_string());
        command.args(["-jp", &address.port().to_string(), "-us", "app", "-pw", APP_PASSWORD]);
        if let Some(cipher) = self.house.cipher() {
            command.args(["-jl", cipher, "-kr"]).arg(self.house.server.ca_file());
        }
        // No limit of time, no figures meanwhile, threads start at once.
        command.args(["-rl", "0", "-ss", "0", "-wi", "0", "-to", "60", "-ms", "1024"]);
        command.args(["-nt", &threads.to_string(), "-mg", &each.to_string()]).args(options.split_whitespace());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        Ok(Running { child, name: format!("{kind} {options}"), iterations: threads * each })
    }

    fn runs(&self, kind: &str, threads: u32, options: &str) -> Result<()> {
        self.start(kind, threads, options, self.each)?.ends()
    }

    /// Waits until the topic, which is not there before its first subscription, has those of all threads.
    fn await_subscriptions(&self, subscribers: &mut Running, count: u32) -> Result<()> {
        let wanted = format!("SUBCOUNT({count})");
        let asked = format!("DISPLAY TPSTATUS('{TOPIC}') SUBCOUNT");
        while !self.house.answer(&asked).is_ok_and(|answer| answer.contains(&wanted)) {
            ensure!(subscribers.child.try_wait()?.is_none(), "the subscribers ended");
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn is_empty(&self) -> Result<()> {
        let depths = self.house.answer("DISPLAY QLOCAL('DEV.QUEUE.*') CURDEPTH")?;
        ensure!(depths.matches("CURDEPTH(0)").count() == 3, "{depths}");
        Ok(())
    }
}

/// A process of the harness.
struct Running {
    child: Child,
    name: String,
    iterations: u32,
}

impl Running {
    /// It did what it was told, and met no error.
    fn ends(self) -> Result<()> {
        let output = self.child.wait_with_output()?;
        let said = succeeded(&output).with_context(|| self.name.clone())?;
        let counted = format!("totalIterations={},", self.iterations);
        let has_failed = said.contains("Caught") || said.contains("MQRC_") || !output.stderr.is_empty();
        ensure!(said.contains(&counted) && !has_failed, "{}: {said}{}", self.name, text(&output.stderr));
        Ok(())
    }
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_performance_harness_puts_gets_requests_and_publishes_with_many_threads() -> Result<()> {
    let house = House::new()?;
    build(&house)?;
    // It aborts at the first reason that it does not expect, as one of a cut is.
    house.by(&[Reach::Tls], |house| {
        let harness = Harness::new(house)?;
        harness.puts_and_gets()?;
        harness.works_together()?;
        harness.is_empty()
    })
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn requesters_of_the_performance_harness_are_answered_by_a_recording_of_its_responders() -> Result<()> {
    let house = House::controlled()?;
    build(&house)?;
    let http = house.server.ready.http.context("the server speaks HTTP")?;
    let mut admin = Client::connect(http, &STANDARD.encode(format!("admin:{ADMIN_PASSWORD}")))?;
    let mut control = |method: &str, body: &str| -> Result<serde_json::Value> {
        let answer =
            admin.ask(method, "/api/v1/test/traffic", "Content-Type: application/json\r\n", body.as_bytes())?;
        ensure!(answer.status == 200, "{} {}", answer.status, answer.text());
        Ok(answer.json())
    };
    let harness = Harness { each: 20, ..Harness::new(&house)? };
    let requests = "-iq DEV.QUEUE.2 -oq DEV.QUEUE.3";
    control("PUT", r#"{"mode":"record","queues":["DEV.QUEUE.*"]}"#)?;
    let responders = harness.start("Responder", 1, "-iq DEV.QUEUE.2", 20)?;
    harness.runs("Requester", 1, requests)?;
    responders.ends()?;
    let shown = control("PUT", r#"{"mode":"mock"}"#)?;
    ensure!(shown["records"] == 80, "a put and a get of each request and of each reply: {shown}");
    harness.runs("Requester", 2, requests)?;
    let shown = control("GET", "")?;
    ensure!(shown["answered"] == 40 && shown["unanswered"] == 0, "{shown}");
    harness.is_empty()
}

impl Harness<'_> {
    fn puts_and_gets(&self) -> Result<()> {
        let loads = ["", "-tx -pp", "-mh", "-p1", "-ms 100000", "-cs"];
        loads.iter().try_for_each(|options| self.runs("PutGet", 4, &format!("-d DEV.QUEUE.1 {options}")))
    }

    /// Threads of one kind with those of another.
    fn works_together(&self) -> Result<()> {
        let each = self.each;
        for options in ["", "-tx -pp"] {
            let responders = self.start("Responder", 2, &format!("-iq DEV.QUEUE.2 {options}"), 2 * each)?;
            self.runs("Requester", 4, &format!("-iq DEV.QUEUE.2 -oq DEV.QUEUE.3 {options}"))?;
            responders.ends()?;
            let receivers = self.start("Receiver", 2, &format!("-d DEV.QUEUE.1 -cc 10 {options}"), 2 * each)?;
            self.runs("Sender", 4, &format!("-d DEV.QUEUE.1 -cc 10 {options}"))?;
            receivers.ends()?;
        }
        let mut subscribers = self.start("Subscriber", 3, &format!("-d {TOPIC}"), each)?;
        self.await_subscriptions(&mut subscribers, 3)?;
        self.runs("Publisher", 1, &format!("-d {TOPIC}"))?;
        subscribers.ends()
    }
}
