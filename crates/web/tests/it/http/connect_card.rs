//! `/connect-card`: what a program needs to connect, for the user who asks.

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use serde_json::{Value, json};

use super::client::{self, Client, basic};
use super::server::{TestServer, server_user};

const MQSC: [&str; 6] = [
    "ALTER QMGR CHLAUTH(ENABLED) CONNAUTH('SYSTEM.DEFAULT.AUTHINFO.IDPWOS')",
    "DEFINE CHANNEL(A.APP) CHLTYPE(SVRCONN)",
    "DEFINE CHANNEL(B.TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)",
    "DEFINE CHANNEL(C.CLOSED) CHLTYPE(SVRCONN)",
    "DEFINE CHANNEL(D.SENDER) CHLTYPE(RCVR)",
    "SET CHLAUTH(C.CLOSED) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)",
];

fn server() -> TestServer {
    let server = TestServer::start_with(|options| options.tls.authority = Some("PEM of a signer".into()));
    for line in MQSC {
        let answer = server.block_on(command::run(&server.queue_manager, &server_user(), line));
        assert_eq!(answer.outcome, command::Outcome::Succeeded, "{line}: {:?}", answer.lines);
    }
    let record = AuthorityRecord {
        object: AuthorityObject::QueueManager,
        profile: "QM1".to_owned(),
        entity: Entity::Principal("app".to_owned()),
        authorities: Authority::CONNECT,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
    server.web.set_mq_address("0.0.0.0:1414".parse().expect("an address"));
    server
}

fn card(client: &mut Client, headers: &str) -> Value {
    let answer = client.exchange(&format!("GET /api/v1/qmgr/QM1/connect-card\n{headers}\n"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    serde_json::from_slice(&answer.body).expect("JSON")
}

#[test]
fn a_user_is_told_addresses_channels_and_lines_to_paste() {
    let server = server();
    let card = card(&mut client::plain(&server), "host: mq.example:9080");
    let (http, https) = (server.http().port(), server.https().port());
    assert_eq!((&card["host"], &card["user"]), (&json!("mq.example"), &json!("app")));
    assert_eq!((&card["httpPort"], &card["httpsPort"]), (&json!(http), &json!(https)));
    assert_eq!(card["listeners"], json!([{ "name": "server.mq", "port": 1414, "tls": true }]));
    let channel = |name: &str, cipher: Value, certificate: bool| json!({ "name": name, "user": "app", "cipherSpec": cipher, "certificateRequired": certificate });
    let expected = [channel("A.APP", Value::Null, false), channel("B.TLS", json!("ANY_TLS12_OR_HIGHER"), true)];
    assert_eq!(card["channels"], json!(expected), "neither one that is closed nor one that is no client's");
    assert_eq!(card["certificateAuthority"], "PEM of a signer");
    assert_eq!(card["mqserver"], "A.APP/TCP/mq.example(1414)");
    let table = channel_client::ccdt::Ccdt::parse(&card["ccdt"].to_string()).expect("a table that clients read");
    let [first, second] = table.channels() else { panic!("two channels: {table:?}") };
    assert_eq!((first.name.as_str(), &*first.queue_manager, &*first.cipher_specification), ("A.APP", "QM1", ""));
    assert_eq!(second.cipher_specification, "ANY_TLS12_OR_HIGHER");
    let curl = format!(
        "curl --cacert ca.crt -u 'app' 'https://mq.example:{https}/api/v1/qmgr/QM1/queue/QUEUE/messages' \
         -H 'Content-Type: text/plain' -d 'Hello'"
    );
    assert_eq!(card["curl"], curl);
    assert!(card["jms"].as_str().is_some_and(|jms| jms.contains("WMQ_CHANNEL, \"A.APP\"")), "{}", card["jms"]);
    assert!(!card.to_string().contains("secret"));
}

#[test]
fn a_user_who_may_not_connect_is_told_of_no_channel() {
    let server = server();
    let card = card(&mut client::plain(&server), &basic("other", "otherpw"));
    assert_eq!((&card["channels"], &card["mqserver"], &card["jms"]), (&json!([]), &Value::Null, &Value::Null));
    assert_eq!(card["ccdt"], json!({ "channel": [] }));
}

#[test]
fn a_user_who_may_not_put_gets_a_line_that_reads() {
    let server = server();
    let mut client = client::plain(&server);
    let mut curl = |user: &str, password: &str| card(&mut client, &basic(user, password))["curl"].to_string();
    assert!(curl("admin", "adminpw").contains("/messages' "), "{}", curl("admin", "adminpw"));
    assert!(curl("reader", "readerpw").ends_with("/queues'\""), "{}", curl("reader", "readerpw"));
}

#[test]
fn a_host_that_is_no_name_is_not_repeated() {
    let server = server();
    let mut client = client::plain(&server);
    assert_eq!(card(&mut client, "host: a';rm -rf x")["host"], "localhost");
    let card = card(&mut client, "host: [::1]:9080");
    assert_eq!((&card["host"], &card["mqserver"]), (&json!("[::1]"), &json!("A.APP/TCP/::1(1414)")));
}

#[test]
fn the_card_is_of_a_queue_manager_that_is_there() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    assert_eq!(client.exchange("GET /api/v1/qmgr/NONE/connect-card\n").status, 404);
    assert_eq!(client.exchange("GET /api/v1/qmgr/QM1/connect-card?x=1\n").status, 400);
    assert_eq!(
        client.exchange(&format!("GET /api/v1/qmgr/QM1/connect-card\n{}\n", basic("nobody", "nobodypw"))).status,
        403
    );
    let card = card(&mut client, "");
    assert_eq!((&card["listeners"], &card["certificateAuthority"]), (&json!([]), &Value::Null));
}
