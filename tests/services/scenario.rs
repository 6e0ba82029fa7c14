//! The two-way scenario of the reference vectors: bytes that reach the queue, JSON that comes back, and what is refused.
//!
//! A batch server hands the request to a script that keeps the record and answers with the vector's.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use system_tests::program::quaymaster;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use crate::client::write;

const REQUEST: &str = include_str!("vectors/request.json");
const REQUEST_RECORD: &str = include_str!("vectors/request.cp037.hex");
const REPLY: &str = include_str!("vectors/reply.json");
const REPLY_RECORD: &str = include_str!("vectors/reply.cp037.hex");
const TWO_WAY: &str = include_str!("vectors/loan.properties");
const ONE_WAY: &str = "\
provider=mq
name=letters
version=1.0
connectionFactory=jms/cf1
destination=jms/letters
";
/// What the names of the vectors' services stand for.
const CONFIGURATION: &str = "\
[zosconnect.queues]
\"jms/request\" = \"DEV.LOAN.REQUEST\"
\"jms/reply\" = \"DEV.LOAN.REPLY\"
\"jms/letters\" = \"DEV.LETTERS\"
";
const QUEUES: &str = "\
DEFINE QLOCAL(DEV.LOAN.REQUEST)
DEFINE QLOCAL(DEV.LOAN.REPLY)
DEFINE QLOCAL(DEV.LETTERS)
";
const LOAN: &str = "loanService";

struct World {
    folder: tempfile::TempDir,
    server: Server,
}

/// Killed with the value.
struct Responder(Child);

impl Drop for Responder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Answer {
    status: u16,
    body: String,
    after: Duration,
}

impl World {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        std::fs::create_dir_all(data.join("mqsc.d"))?;
        write(&data.join("mqsc.d/queues.mqsc"), QUEUES)?;
        write(&data.join("quaymaster.toml"), CONFIGURATION)?;
        let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("services/vectors");
        let source = folder.path().join("source");
        super::copy(&vectors, &source)?;
        build(&source.join("loan.properties"), &data, LOAN)?;
        // The same with a short wait, to be waited for.
        write(&source.join("quick.properties"), &TWO_WAY.replace(LOAN, "quickService").replace("10000", "700"))?;
        build(&source.join("quick.properties"), &data, "quickService")?;
        write(&source.join("letters.properties"), ONE_WAY)?;
        build(&source.join("letters.properties"), &data, "letters")?;
        let server = Server::start(&ServerOptions::on(&data).listening("127.0.0.1:0").with("--strict"))?;
        Ok(Self { folder, server })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new(quaymaster()?).args(arguments).env("QUAYMASTER_DATA", self.path("data")).output()?;
        let err = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {err}");
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    fn depth(&self, queue: &str) -> Result<u32> {
        let said = self.command(&["depth", queue])?;
        said.split_whitespace().next_back().context("a depth")?.parse().with_context(|| said.clone())
    }

    /// Answers one request after the other with the vector's record, and keeps the request's.
    fn responder(&self) -> Result<Responder> {
        let (kept, record) = (self.path("request.record"), self.path("reply.record"));
        std::io::Write::write_all(&mut std::fs::File::create(&record)?, &bytes(REPLY_RECORD)?)?;
        let script = format!("cat > '{}'; cat '{}'", kept.display(), record.display());
        let passwords = self.path("passwords");
        write(&passwords, &format!("app {APP_PASSWORD}\n"))?;
        let mut responder = Command::new(quaymaster()?)
            .args(["workload", "responder", "--queue", "DEV.LOAN.REQUEST", "--channel", "DEV.APP.SVRCONN"])
            .args(["--mq", &self.server.mq_address()?.to_string(), "--start", "request"])
            .args(["--request-length", "25", "--reply-length", "37", "--program", "/bin/sh"])
            .args(["--program-argument", "-c", "--program-argument", &script, "--password-file"])
            .arg(&passwords)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = responder.stdout.take().context("a pipe")?;
        let responder = Responder(responder);
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line)?;
        ensure!(line.contains("\"ready\""), "{line}");
        Ok(responder)
    }

    fn invoke(&self, service: &str, method: &str, headers: &[&str], body: &str) -> Result<Answer> {
        let url = format!("{}/zosConnect/services/{service}?action=invoke", self.server.https_url()?);
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--max-time", "60", "--cacert"]).arg(self.server.ca_file());
        curl.args(["--user", &format!("app:{APP_PASSWORD}"), "--request", method, "--write-out", "\n%{http_code}"]);
        for header in headers {
            curl.args(["--header", header]);
        }
        if method == "POST" {
            curl.args(["--header", "Content-Type: application/json", "--data-binary", body]);
        }
        let begin = now();
        let output = curl.arg(url).output()?;
        let after = begin.elapsed();
        let text = String::from_utf8(output.stdout)?;
        let (body, status) =
            text.rsplit_once('\n').with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        Ok(Answer { status: status.parse()?, body: body.to_owned(), after })
    }
}

impl Answer {
    fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.body).with_context(|| format!("{}: {}", self.status, self.body))
    }

    fn is(&self, status: u16) -> Result<()> {
        ensure!(self.status == status, "{status} expected: {} {}", self.status, self.body);
        Ok(())
    }

    /// The caller's fault, told as JSON.
    fn is_refused(&self) -> Result<()> {
        ensure!((400..500).contains(&self.status), "{} {}", self.status, self.body);
        ensure!(self.json()?["errorMessage"].is_string(), "{}", self.body);
        Ok(())
    }
}

fn build(source: &Path, data: &Path, name: &str) -> Result<()> {
    let services = data.join("zosconnect/services");
    std::fs::create_dir_all(&services)?;
    let mut build = Command::new(quaymaster()?);
    build.args(["service", "build"]).arg(source).arg("-o").arg(services.join(format!("{name}.sar")));
    let output = build.output()?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn bytes(hex: &str) -> Result<Vec<u8>> {
    let digits = hex.trim().as_bytes();
    digits.chunks(2).map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?)).collect()
}

#[expect(clippy::disallowed_methods, reason = "how long an answer took is part of the scenario")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn a_two_way_service_sends_the_vectors_record_and_answers_the_vectors_json() -> Result<()> {
    let world = World::new()?;
    let responder = world.responder()?;
    for _ in 0..2 {
        let answer = world.invoke(LOAN, "POST", &[], REQUEST)?;
        answer.is(200)?;
        let mut body = answer.json()?;
        // The counter of the table may be shown.
        if let Some(count) = body.as_object_mut().and_then(|members| members.remove("msg_count")) {
            ensure!(count == json!(2), "{count}");
        }
        ensure!(body == serde_json::from_str::<Value>(REPLY)?, "{body}");
        ensure!(std::fs::read(world.path("request.record"))? == bytes(REQUEST_RECORD)?, "the record");
    }
    drop(responder);
    ensure!(world.depth("DEV.LOAN.REQUEST")? == 0 && world.depth("DEV.LOAN.REPLY")? == 0, "nothing is left");
    Ok(())
}

#[test]
fn without_a_reply_of_its_own_a_request_ends_with_204_after_its_wait() -> Result<()> {
    let world = World::new()?;
    // A reply to somebody else: it is not consumed.
    let other = "0123456789abcdef".repeat(3);
    world.command(&["put", "DEV.LOAN.REPLY", "not yours", "--correlation-id", &other])?;
    for (service, headers, least) in [("quickService", &[][..], 700), (LOAN, &["ibm-mq-gmo-waitInterval: 500"], 500)] {
        let answer = world.invoke(service, "POST", headers, REQUEST)?;
        answer.is(204)?;
        ensure!(answer.body.is_empty(), "{}", answer.body);
        let expected = Duration::from_millis(least)..Duration::from_secs(9);
        ensure!(expected.contains(&answer.after), "{service} answered after {:?}", answer.after);
    }
    ensure!(world.depth("DEV.LOAN.REPLY")? == 1, "the other's reply stays");
    let kept = world.command(&["get", "DEV.LOAN.REPLY", "--correlation-id", &other])?;
    ensure!(kept == "not yours", "{kept}");
    Ok(())
}

#[test]
fn what_the_caller_got_wrong_is_refused_and_nothing_is_put() -> Result<()> {
    let world = World::new()?;
    for body in ["[1,2]", "no JSON", "\"text\"", ""] {
        let answer = world.invoke(LOAN, "POST", &[], body)?;
        answer.is(400)?;
        answer.is_refused()?;
    }
    let long = REQUEST.replace("12500", "12345678");
    ensure!(long != REQUEST, "the amount is replaced");
    world.invoke(LOAN, "POST", &[], &long)?.is_refused()?;
    for header in ["ibm-mq-md-expiry: abc", "ibm-mq-md-persistence: perhaps"] {
        world.invoke(LOAN, "POST", &[header], REQUEST)?.is_refused()?;
    }
    ensure!(world.depth("DEV.LOAN.REQUEST")? == 0, "nothing is put");
    Ok(())
}

#[test]
fn a_one_way_service_puts_browses_and_gets_the_messages_of_one_queue() -> Result<()> {
    let world = World::new()?;
    let letter = r#"{"to":"ADA"}"#;
    let put = world.invoke("letters", "POST", &[], letter)?;
    put.is(204)?;
    ensure!(world.depth("DEV.LETTERS")? == 1, "it is put");
    for method in ["GET", "GET", "DELETE"] {
        let answer = world.invoke("letters", method, &[], "")?;
        answer.is(200)?;
        ensure!(answer.json()? == serde_json::from_str::<Value>(letter)?, "{method}: {}", answer.body);
    }
    ensure!(world.depth("DEV.LETTERS")? == 0, "it is gone");
    world.invoke("letters", "DELETE", &[], "")?.is(204)
}
