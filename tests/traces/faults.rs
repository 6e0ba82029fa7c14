//! What a rule of tests does to a call or a request is told by its span.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use system_tests::http::Client;
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};

use super::Receiver;

const API: &str = "/api/v1/qmgr/QM1/queue/DEV.QUEUE.1/messages";
const TEXT: &str = "Content-Type: text/plain\r\n";

#[test]
fn a_rule_that_delays_or_fails_a_call_or_a_request_shows_in_its_span() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut receiver = Receiver::start(folder.path())?;
    let mut options = ServerOptions::on(&folder.path().join("data")).with("--test-control");
    options.environment.push(("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), receiver.endpoint()));
    options.environment.push(("QUAYMASTER_TRACING_MESSAGE_PROPERTIES".to_owned(), "true".to_owned()));
    let server = Server::start(&options)?;
    let address = server.ready.http.context("it listens for HTTP")?;
    let connect = |user: &str, password: &str| Client::connect(address, &STANDARD.encode(format!("{user}:{password}")));
    let (mut admin, mut app) = (connect("admin", ADMIN_PASSWORD)?, connect("app", APP_PASSWORD)?);
    let mut rule = |rule: &Value| -> Result<i64> {
        let json = "Content-Type: application/json\r\n";
        let made = admin.ask("POST", "/api/v1/test/faults", json, rule.to_string().as_bytes())?;
        ensure!(made.status == 201, "{}: {}", made.status, made.text());
        Ok(made.json()["id"].as_str().context("the number of the rule")?.parse()?)
    };

    let full = rule(&json!({ "queue": "DEV.QUEUE.1", "verb": "put", "reason": 2053, "delay": "50ms", "times": 1 }))?;
    let put = app.ask("POST", API, TEXT, b"order 8")?;
    ensure!(put.status >= 400, "{}: {}", put.status, put.text());
    let failed = receiver.find(|seen| seen["name"] == "put DEV.QUEUE.1")?;
    let attributes = &failed["attributes"];
    assert_eq!(
        (&attributes["quaymaster.fault.rule"], &attributes["quaymaster.fault.delay_ms"]),
        (&full.into(), &50.into())
    );
    assert_eq!((&failed["status"], &failed["problem"]), (&2.into(), &"MQRC_Q_FULL".into()));
    assert_eq!(attributes["error.type"], "2053");
    ensure!(failed["nanoseconds"].as_i64() >= Some(50_000_000), "{failed}");

    let put = app.ask("POST", API, TEXT, b"order 9")?;
    ensure!(put.status < 300, "{}: {}", put.status, put.text());
    let late = rule(&json!({ "queue": "DEV.QUEUE.1", "verb": "get", "delay": "50ms", "times": 1 }))?;
    let got = app.ask("DELETE", API, "", b"")?;
    ensure!(got.status == 200, "{}: {}", got.status, got.text());
    let delayed = receiver.find(|seen| seen["name"] == "get DEV.QUEUE.1")?;
    assert_eq!(delayed["attributes"]["quaymaster.fault.rule"], late);
    assert_eq!(delayed["status"], 0);
    ensure!(delayed["nanoseconds"].as_i64() >= Some(50_000_000), "{delayed}");
    // It is part of the request that got the message, and tells of the one that put it.
    let is_put = |seen: &Value| {
        let status = seen["attributes"]["http.response.status_code"].as_i64();
        seen["attributes"]["url.path"] == API
            && seen["attributes"]["http.request.method"] == "POST"
            && status < Some(300)
    };
    let second = receiver.find(is_put)?;
    let link = format!("{}-{}", second["trace"].as_str().unwrap_or(""), second["span"].as_str().unwrap_or(""));
    assert_eq!(delayed["links"], json!([link]));
    ensure!(delayed["trace"] != second["trace"], "{delayed}");

    let refused = rule(&json!({ "path": API, "status": 503, "times": 1 }))?;
    assert_eq!(app.ask("GET", API, "", b"")?.status, 503);
    let request = receiver.find(|seen| seen["attributes"]["http.response.status_code"] == 503)?;
    assert_eq!((&request["attributes"]["quaymaster.fault.rule"], &request["status"]), (&refused.into(), &2.into()));
    assert_eq!(request["attributes"]["url.path"], API);

    let cut = rule(&json!({ "path": API, "drop": "before", "times": 1 }))?;
    ensure!(app.ask("GET", API, "", b"").is_err(), "the connection is cut");
    let request = receiver.find(|seen| seen["attributes"]["quaymaster.fault.rule"] == cut)?;
    assert_eq!(request["problem"], "a rule of tests cuts the connection");
    Ok(())
}
