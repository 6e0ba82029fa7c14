//! A server that was started for tests of applications: its page works as pasted, rules hit requests, and the clock ends locks, delays
//! and waits.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use system_tests::http::{Answer, Client};
use system_tests::program;
use system_tests::requester::{self, API_NAME, post};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};

use crate::client::write;
use crate::pages::runs_as_pasted;

const JSON: &str = "Content-Type: application/json\r\n";
const TEXT: &str = "Content-Type: text/plain\r\n";
const QUEUE: &str = "/api/v1/qmgr/QM1/queue/DEV.QUEUE.1";

const SERVICE: &str = "\
provider=mq
name=notice
version=1.0
connectionFactory=jms/cf1
destination=DEV.QUEUE.2
messagingAction=mqput
";

struct World {
    _folder: tempfile::TempDir,
    server: Server,
    admin: Client,
}

impl World {
    fn start(argument: Option<&str>) -> Result<Self> {
        Self::start_with(argument.as_slice())
    }

    fn start_with(arguments: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        deploy(folder.path())?;
        let mut options = ServerOptions::on(folder.path());
        options.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
        let server = Server::start(&options)?;
        let admin = connect(&server, "admin", ADMIN_PASSWORD)?;
        Ok(Self { _folder: folder, server, admin })
    }

    fn app(&self) -> Result<Client> {
        connect(&self.server, "app", APP_PASSWORD)
    }

    fn rule(&mut self, rule: &Value) -> Result<Answer> {
        Ok(self.admin.ask("POST", "/api/v1/test/faults", JSON, rule.to_string().as_bytes())?)
    }

    fn makes_rule(&mut self, rule: &Value) -> Result<()> {
        let answer = self.rule(rule)?;
        ensure!(answer.status == 201, "{} {}", answer.status, answer.text());
        Ok(())
    }

    fn advance(&mut self, by: &str) -> Result<()> {
        let step = json!({ "advance": by }).to_string();
        let answer = self.admin.ask("POST", "/api/v1/test/clock", JSON, step.as_bytes())?;
        ensure!(answer.status == 200, "{} {}", answer.status, answer.text());
        Ok(())
    }

    /// Takes a message off the queue: status and text.
    fn take(&self, query: &str) -> Result<(u16, String)> {
        let answer = self.app()?.ask("DELETE", &format!("{QUEUE}/messages{query}"), "", b"")?;
        Ok((answer.status, answer.text()))
    }
}

fn deploy(data: &Path) -> Result<()> {
    let services = data.join("zosconnect/services");
    std::fs::create_dir_all(&services)?;
    let source = data.join("notice.properties");
    write(&source, SERVICE)?;
    let mut build = Command::new(program::quaymaster()?);
    let output = build.args(["service", "build"]).arg(&source).arg("-o").arg(services.join("notice.sar")).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn connect(server: &Server, user: &str, password: &str) -> Result<Client> {
    let address = server.ready.http.context("the server speaks HTTP")?;
    Client::connect(address, &STANDARD.encode(format!("{user}:{password}")))
}

#[test]
fn the_page_on_tests_works_as_pasted() -> Result<()> {
    runs_as_pasted("test-control.md", 10)
}

#[test]
fn a_server_that_was_not_started_for_tests_has_nothing_of_it() -> Result<()> {
    let mut world = World::start(None)?;
    for path in ["/api/v1/test/faults", "/api/v1/test/clock"] {
        let answer = world.admin.ask("GET", path, "", b"")?;
        ensure!(answer.status == 404, "{path}: {} {}", answer.status, answer.text());
    }
    let document = world.admin.ask("GET", "/openapi.json", "", b"")?;
    ensure!(document.status == 200 && !document.text().contains("/api/v1/test"), "the document has no such path");
    Ok(())
}

#[test]
fn rules_and_the_clock_are_for_administrators_and_refuse_what_makes_no_sense() -> Result<()> {
    let mut world = World::start(Some("--test-control"))?;
    world.server.error_line("--test-control is on")?;
    let document = world.admin.ask("GET", "/openapi.json", "", b"")?.json();
    ensure!(document["paths"]["/api/v1/test/faults"]["post"].is_object(), "the document has the path");
    let refused = world.app()?.ask("GET", "/api/v1/test/faults", "", b"")?;
    assert_eq!(refused.status, 403);
    for wrong in [
        json!({}),
        json!({ "queue": "Q" }),
        json!({ "delay": "1s" }),
        json!({ "queue": "Q", "service": "s", "delay": "1s" }),
        json!({ "service": "s", "api": "a", "status": 500 }),
        json!({ "queue": "Q", "status": 500 }),
        json!({ "path": "/", "reason": 2053 }),
        json!({ "path": "/", "status": 200 }),
        json!({ "queue": "Q", "reason": 2053, "drop": "before" }),
        json!({ "queue": "Q", "reason": 1 }),
        json!({ "queue": "Q", "verb": "send", "reason": 2053 }),
        json!({ "queue": "Q", "drop": "during" }),
        json!({ "queue": "Q", "delay": "2h" }),
        json!({ "queue": "Q", "reason": 2053, "often": 1 }),
    ] {
        let answer = world.rule(&wrong)?;
        ensure!(answer.status == 400, "{wrong}: {} {}", answer.status, answer.text());
    }
    for wrong in ["{}", r#"{"advance":"soon"}"#, r#"{"set":"tomorrow"}"#, r#"{"set":"2990-01-01T00:00:00Z"}"#] {
        let answer = world.admin.ask("POST", "/api/v1/test/clock", JSON, wrong.as_bytes())?;
        ensure!(answer.status == 400, "{wrong}: {} {}", answer.status, answer.text());
    }
    let gone = world.admin.ask("DELETE", "/api/v1/test/faults/7", "", b"")?;
    assert_eq!(gone.status, 404);
    Ok(())
}

#[test]
fn a_service_is_answered_with_a_status_and_requests_are_cut_before_or_after_they_take_effect() -> Result<()> {
    let mut world = World::start(Some("--test-control"))?;
    world.makes_rule(&json!({ "service": "notice", "status": 503, "times": 1 }))?;
    let service = "/zosConnect/services/notice?action=invoke";
    let mut app = world.app()?;
    let statuses = [(); 2].map(|()| app.ask("POST", service, JSON, b"{\"text\":\"x\"}").map(|answer| answer.status));
    let [first, second] = statuses;
    ensure!(first? == 503, "the rule hits the service");
    ensure!(matches!(second?, 200 | 204), "and once only");
    for (moment, depth) in [("before", 0), ("after", 1)] {
        world.makes_rule(&json!({ "path": format!("{QUEUE}/*"), "drop": moment, "times": 1 }))?;
        let answered = world.app()?.ask("POST", &format!("{QUEUE}/messages"), TEXT, b"one");
        ensure!(answered.is_err(), "the connection is cut {moment} the put");
        let (status, text) = world.take("")?;
        assert_eq!((status, &*text), if depth == 1 { (200, "one") } else { (204, "") }, "{moment}");
    }
    let all = world.admin.ask("GET", "/api/v1/test/faults", "", b"")?.json();
    let hits: Vec<_> = all["faults"].as_array().context("rules")?.iter().map(|rule| rule["hits"].clone()).collect();
    assert_eq!(hits, [1, 1, 1]);
    assert_eq!(world.admin.ask("DELETE", "/api/v1/test/faults/1", "", b"")?.status, 204);
    assert_eq!(world.admin.ask("DELETE", "/api/v1/test/faults", "", b"")?.status, 204);
    Ok(())
}

#[test]
fn a_lock_a_delay_and_a_wait_are_over_when_the_clock_is_moved() -> Result<()> {
    let mut world = World::start(Some("--test-control"))?;
    let mut app = world.app()?;
    let put = app.ask("POST", &format!("{QUEUE}/messages"), TEXT, b"locked")?;
    ensure!(put.status == 201, "{}", put.text());
    let receive = br#"{"lock":"1h"}"#;
    let received = app.ask("POST", &format!("{QUEUE}/deliveries"), JSON, receive)?;
    ensure!(received.json()["messages"].as_array().is_some_and(|all| all.len() == 1), "{}", received.text());
    assert_eq!(world.take("")?.0, 204, "the lock hides the message");
    world.advance("61m")?;
    assert_eq!(world.take("?wait=30s")?, (200, "locked".to_owned()));

    let late = format!("{TEXT}mq-delay: 7d\r\n");
    let put = app.ask("POST", &format!("{QUEUE}/messages"), &late, b"delayed")?;
    ensure!(put.status == 201, "{}", put.text());
    assert_eq!(world.take("")?.0, 204, "it is not due");
    world.advance("7d")?;
    assert_eq!(world.take("?wait=30s")?, (200, "delayed".to_owned()));

    // Both doors of REST: a wait of an hour each, by the machine's clock.
    let long = [format!("{QUEUE}/messages?wait=1h"), {
        "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message?wait=3600000".to_owned()
    }];
    for path in long {
        let address = world.server.ready.http.context("the server speaks HTTP")?;
        let credentials = STANDARD.encode(format!("app:{APP_PASSWORD}"));
        let mut waiting = Client::connect_for(address, &credentials, Duration::from_secs(300))?;
        waiting.send("DELETE", &path, "ibm-mq-rest-csrf-token: x\r\n", b"")?;
        until_a_get_waits(&mut world)?;
        world.advance("2h")?;
        assert_eq!(waiting.answer()?.status, 204, "{path}");
    }
    Ok(())
}

#[test]
fn a_queue_manager_is_restored_with_its_messages_and_definitions_and_its_clients_go_on() -> Result<()> {
    let mut world = World::start_with(&["--test-control", "--ephemeral"])?;
    let mqsc = |world: &mut World, command: &str| -> Result<String> {
        let body = json!({ "type": "runCommand", "parameters": { "command": command } }).to_string();
        let path = "/ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc";
        let headers = format!("{JSON}ibm-mq-rest-csrf-token: x\r\n");
        Ok(world.admin.ask("POST", path, &headers, body.as_bytes())?.text())
    };
    mqsc(&mut world, "DEFINE QLOCAL(DEV.KEPT) MAXDEPTH(7)")?;
    let mut app = world.app()?;
    for (text, persistence) in [("first", "persistent"), ("second", "nonPersistent")] {
        let headers = format!("{TEXT}mq-persistence: {persistence}\r\nmq-expiry: 1d\r\n");
        let put = app.ask("POST", &format!("{QUEUE}/messages"), &headers, text.as_bytes())?;
        ensure!(put.status == 201, "{}", put.text());
    }
    let taken = world.admin.ask("POST", "/api/v1/test/qmgr/QM1/snapshots", "", b"")?;
    ensure!(taken.status == 201, "{}", taken.text());
    let snapshot = taken.json();
    // The queue manager has messages of its own, which tell of its start.
    ensure!(snapshot["messages"].as_u64() >= Some(2) && snapshot["bytes"].as_u64() >= Some(11), "{snapshot}");
    let restore = format!("/api/v1/test/snapshots/{}/restore", snapshot["id"].as_str().context("an id")?);
    for _ in 0..2 {
        assert_eq!(world.take("")?, (200, "first".to_owned()));
        app.ask("POST", &format!("{QUEUE}/messages"), TEXT, b"third")?;
        mqsc(&mut world, "DELETE QLOCAL(DEV.KEPT)")?;
        mqsc(&mut world, "DEFINE QLOCAL(DEV.NEW)")?;
        let restored = world.admin.ask("POST", &restore, "", b"")?;
        ensure!(restored.status == 200, "{}", restored.text());
        ensure!(mqsc(&mut world, "DISPLAY QLOCAL(DEV.KEPT) MAXDEPTH")?.contains("MAXDEPTH(7)"), "it is defined again");
        ensure!(mqsc(&mut world, "DISPLAY QLOCAL(DEV.NEW)")?.contains("AMQ8147E"), "and this is not there any more");
    }
    let texts = [(); 3].map(|()| world.take("").map(|(_, text)| text));
    let texts: Vec<String> = texts.into_iter().collect::<Result<_>>()?;
    assert_eq!(texts, ["first", "second", ""]);

    // What a unit of work holds would be missing.
    app.ask("POST", &format!("{QUEUE}/messages"), TEXT, b"locked")?;
    app.ask("POST", &format!("{QUEUE}/deliveries"), JSON, b"{}")?;
    let refused = world.admin.ask("POST", "/api/v1/test/qmgr/QM1/snapshots", "", b"")?;
    ensure!(refused.status == 409 && refused.text().contains("2128"), "{}", refused.text());
    let all = world.admin.ask("GET", "/api/v1/test/snapshots", "", b"")?.json();
    assert_eq!(all["snapshots"].as_array().map(Vec::len), Some(1));
    let one = restore.trim_end_matches("/restore");
    assert_eq!([(); 2].map(|()| world.admin.ask("DELETE", one, "", b"").map_or(0, |answer| answer.status)), [204, 404]);
    Ok(())
}

#[test]
fn a_queue_manager_on_disk_is_not_restored() -> Result<()> {
    let mut world = World::start(Some("--test-control"))?;
    let taken = world.admin.ask("POST", "/api/v1/test/qmgr/QM1/snapshots", "", b"")?;
    ensure!(taken.status == 201, "{}", taken.text());
    let refused = world.admin.ask("POST", "/api/v1/test/snapshots/1/restore", "", b"")?;
    ensure!(refused.status == 409 && refused.text().contains("--ephemeral"), "{}", refused.text());
    Ok(())
}

#[test]
fn calls_of_an_api_are_recorded_and_replayed_when_the_api_is_gone() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (provider, data) = requester::deploy(folder.path(), 16)?;
    let server = Server::start(&ServerOptions::on(&data).with("--test-control"))?;
    let mut admin = connect(&server, "admin", ADMIN_PASSWORD)?;
    let mut set = |wish: &str| -> Result<Value> {
        let answer = admin.ask("PUT", "/api/v1/test/exchanges", JSON, wish.as_bytes())?;
        ensure!(answer.status == 200, "{} {}", answer.status, answer.text());
        Ok(answer.json())
    };
    let http = server.ready.http.context("the server speaks HTTP")?;
    let call = |count_out: i32| {
        let record = [1_i32.to_be_bytes(), count_out.to_be_bytes()].concat();
        let answer = post(http, API_NAME, None, &record)?;
        anyhow::Ok((answer.header("baq-return-code").map(str::to_owned), answer.body))
    };
    set(r#"{"mode":"record"}"#)?;
    let recorded = call(1)?;
    ensure!(recorded.0.as_deref() == Some("0"), "{}", String::from_utf8_lossy(&recorded.1));
    drop(provider);
    assert_eq!(call(1)?.0.as_deref(), Some("2"), "the API is gone");
    let kept = set(r#"{"mode":"replay"}"#)?;
    let exchanges = kept["exchanges"].as_array().context("exchanges")?;
    ensure!(exchanges.len() == 1 && exchanges[0]["method"] == "POST" && exchanges[0]["status"] == 200, "{kept:#}");
    assert_eq!(call(1)?, recorded, "the same record, without the API");
    let (code, said) = call(2)?;
    let said = String::from_utf8_lossy(&said).into_owned();
    ensure!(code.as_deref() == Some("2") && said.contains("no POST"), "{said}");

    // What was shown can be given back, and another answer written by hand.
    let mut own = kept["exchanges"][0].clone();
    own["status"] = json!(503);
    own["answer"] = json!("closed on Sundays");
    set(&json!({ "exchanges": [own] }).to_string())?;
    let (code, said) = call(1)?;
    ensure!(code.as_deref() == Some("1") && said.starts_with(b"closed on Sundays"), "{said:?}");
    for wrong in [r#"{"mode":"play"}"#, r#"{"exchanges":[{}]}"#] {
        let answer = admin.ask("PUT", "/api/v1/test/exchanges", JSON, wrong.as_bytes())?;
        ensure!(answer.status == 400, "{wrong}: {} {}", answer.status, answer.text());
    }
    Ok(())
}

#[test]
fn messages_are_recorded_put_again_and_answered_by_a_mock() -> Result<()> {
    let mut world = World::start(Some("--test-control"))?;
    let mut app = world.app()?;
    let control = |world: &mut World, method: &str, path: &str, body: &str| -> Result<Answer> {
        let answer = world.admin.ask(method, &format!("/api/v1/test/traffic{path}"), JSON, body.as_bytes())?;
        ensure!(answer.status == 200, "{path}: {} {}", answer.status, answer.text());
        Ok(answer)
    };
    let queue = |number: u32| format!("/api/v1/qmgr/QM1/queue/DEV.QUEUE.{number}/messages");
    let mut put = |number: u32, envelope: &Value| -> Result<()> {
        let answer = app.ask("POST", &format!("{}?envelope", queue(number)), JSON, envelope.to_string().as_bytes())?;
        ensure!(answer.status == 201, "{} {}", answer.status, answer.text());
        Ok(())
    };
    let id = |digit: char| std::iter::repeat_n(digit, 48).collect::<String>();
    let request = |body: &str, reply_to: u32, id: Option<String>| json!({ "id": id, "replyTo": { "queue": format!("DEV.QUEUE.{reply_to}"), "qmgr": "QM1" }, "body": { "text": body } });
    control(&mut world, "PUT", "", r#"{"mode":"record","queues":["DEV.QUEUE.*"]}"#)?;
    put(1, &request("7 + 1", 2, Some(id('a'))))?;
    let taken = world.take("")?;
    ensure!(taken.1 == "7 + 1", "{taken:?}");
    put(2, &json!({ "correlationId": id('a'), "type": "reply", "expiry": "1h", "body": { "base64": "AAEC/w==" } }))?;
    let records = control(&mut world, "GET", "/records", "")?.text();
    let lines: Vec<Value> = records.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let said: Vec<_> = lines.iter().map(|line| (line["verb"].as_str(), line["queue"].as_str())).collect();
    let expected = [("put", "DEV.QUEUE.1"), ("get", "DEV.QUEUE.1"), ("put", "DEV.QUEUE.2")];
    ensure!(said == expected.map(|(verb, queue)| (Some(verb), Some(queue))), "{records}");
    ensure!(
        lines[0]["message"]["body"]["text"] == "7 + 1" && lines[2]["message"]["body"]["raw"] == "AAEC/w==",
        "{records}"
    );
    let life = lines[2]["message"]["expiry"].as_str().context("a life")?;
    ensure!(life == "3600000ms", "{life}");

    // What was listed can be loaded; another server has nothing else.
    let mut world = World::start(Some("--test-control"))?;
    let mut app = world.app()?;
    let shown = control(&mut world, "PUT", "/records", &records)?.json();
    ensure!(shown["records"] == 3, "{shown}");
    let shown = control(&mut world, "POST", "/replay", r#"{"queues":["DEV.QUEUE.1"],"pace":"recorded"}"#)?.json();
    ensure!(shown["put"] == 1, "{shown}");
    let taken = world.take("")?;
    ensure!(taken.1 == "7 + 1", "{taken:?}");
    control(&mut world, "PUT", "", r#"{"mode":"mock"}"#)?;
    let mut ask = |body: &str, id: Option<String>| -> Result<()> {
        let request = request(body, 3, id).to_string();
        let answer = app.ask("POST", &format!("{}?envelope", queue(1)), JSON, request.as_bytes())?;
        ensure!(answer.status == 201, "{} {}", answer.status, answer.text());
        Ok(())
    };
    ask("7 + 2", None)?;
    ask("7 + 1", Some(id('b')))?;
    let wait = format!("{}?wait=30s&correlationId={}", queue(3), id('b'));
    let reply = world.app()?.ask("DELETE", &wait, "", b"")?;
    ensure!(reply.status == 200 && reply.body == [0, 1, 2, 255], "{} {:?}", reply.status, reply.body);
    let shown = control(&mut world, "GET", "", "")?.json();
    ensure!((&shown["answered"], &shown["unanswered"]) == (&json!(1), &json!(1)), "{shown}");
    let left = world.take("")?;
    ensure!(left.1 == "7 + 2", "a request that is like none stays: {left:?}");
    for wrong in [r#"{"mode":"play"}"#, r#"{"mode":"record"}"#, r#"{"mode":"mock","like":["colour"]}"#] {
        let answer = world.admin.ask("PUT", "/api/v1/test/traffic", JSON, wrong.as_bytes())?;
        ensure!(answer.status == 400, "{wrong}: {} {}", answer.status, answer.text());
    }
    Ok(())
}

/// A program waits for a message of the queue.
fn until_a_get_waits(world: &mut World) -> Result<()> {
    for _ in 0..6000 {
        let why = world.admin.ask("GET", "/api/v1/qmgr/QM1/why/get?queue=DEV.QUEUE.1", "", b"")?.json();
        let waits = |reader: &Value| reader["waits"].as_array().is_some_and(|all| !all.is_empty());
        if why["readers"].as_array().is_some_and(|all| all.iter().any(waits)) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    anyhow::bail!("nobody waits")
}
