//! A server in front of a remote queue manager: what it asks of it is part of the trace of the request.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use system_tests::http::Client;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use super::{CALLER, Receiver, TRACE};
use crate::client::write;

const QUEUES: &str = "/ibmmq/rest/v3/messaging/qmgr/ORDERS/queue";
const HEADERS: &str = "Content-Type: text/plain\r\nibm-mq-rest-csrf-token: x\r\n";

#[test]
fn a_put_a_get_and_a_refusal_of_a_remote_queue_manager_are_spans_of_their_requests() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let far = Server::start(&ServerOptions::on(&folder.path().join("far")).listening("127.0.0.1:0"))?;
    let mut receiver = Receiver::start(folder.path())?;
    let data = folder.path().join("web");
    write(
        &data.join("quaymaster.toml"),
        &format!(
            "[remote_queue_managers.ORDERS]\nchannel = 'DEV.APP.SVRCONN'\nconnection_name = '127.0.0.1({})'\n\
             queue_manager = 'QM1'\nuser = 'app'\npassword = '{APP_PASSWORD}'\n[tracing]\nendpoint = '{}'\nmessage_properties = true\n",
            far.mq_address()?.port(),
            receiver.endpoint()
        ),
    )?;
    let web = Server::start(&ServerOptions::on(&data))?;
    let credentials = STANDARD.encode(format!("app:{APP_PASSWORD}"));
    let mut client = Client::connect(web.ready.http.context("it listens for HTTP")?, &credentials)?;
    let message = format!("{QUEUES}/DEV.QUEUE.1/message");
    let traced = format!("{HEADERS}traceparent: 00-{TRACE}-{CALLER}-01\r\n");

    let put = client.ask("POST", &message, &traced, b"order 8")?;
    ensure!(put.status == 201, "{}: {}", put.status, put.text());
    let put = receiver.find(|seen| seen["name"] == "put DEV.QUEUE.1")?;
    let request = receiver.find(|seen| seen["parent"] == CALLER)?;
    assert_eq!((&put["trace"], &put["parent"], &put["kind"]), (&TRACE.into(), &request["span"], &4.into()));
    let attributes = &put["attributes"];
    assert_eq!(attributes["messaging.ibmmq.queue_manager"], "QM1");
    assert_eq!(attributes["messaging.ibmmq.channel"], "DEV.APP.SVRCONN");
    assert_eq!((&attributes["messaging.message.body.size"], &put["status"]), (&7.into(), &0.into()));

    ensure!(client.ask("GET", &message, HEADERS, b"")?.status == 200, "the message is browsed");
    let got = client.ask("DELETE", &message, HEADERS, b"")?;
    ensure!(got.status == 200, "{}: {}", got.status, got.text());
    let get = receiver.find(|seen| seen["name"] == "get DEV.QUEUE.1")?;
    // It is part of the request that got the message, and tells of the one that put it.
    let request = receiver.find(|seen| seen["span"] == get["parent"])?;
    assert_eq!((&request["attributes"]["http.request.method"], &get["kind"]), (&"DELETE".into(), &5.into()));
    let putter = put["parent"].as_str().context("a span")?;
    assert_eq!(get["links"], json!([format!("{TRACE}-{putter}")]));
    assert_eq!(get["attributes"]["messaging.message.id"], attributes["messaging.message.id"]);

    ensure!(client.ask("DELETE", &message, HEADERS, b"")?.status == 204, "the queue is empty");
    let refused = client.ask("POST", &format!("{QUEUES}/NONE/message"), HEADERS, b"order 9")?;
    ensure!(refused.status == 404, "{}: {}", refused.status, refused.text());
    let refused = receiver.find(|seen| seen["name"] == "put NONE")?;
    assert_eq!((&refused["status"], &refused["problem"]), (&2.into(), &"MQRC_UNKNOWN_OBJECT_NAME".into()));
    assert_eq!(refused["attributes"]["error.type"], "2085");
    // A request first browses for the message: that is no span, and where there is none, nothing else is asked.
    assert_eq!(receiver.seen().iter().filter(|seen| seen["name"] == "get DEV.QUEUE.1").count(), 1);
    Ok(())
}
