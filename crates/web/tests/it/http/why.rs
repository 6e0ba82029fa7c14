//! `/api/v1/…/why`: each kind of question, by role; the explanations are true, and the commands they propose work.

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::dead_letter::DeadLetterHeader;
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::text::Text;
use queue_manager::{Due, Terms};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::client::{self, Answer, Client};
use super::server::{TestServer, eventually, server_user};

const BASE: &str = "/api/v1/qmgr/QM1";
const ADMIN: &str = "authorization: Basic YWRtaW46YWRtaW5wdw==";
const READER: &str = "authorization: Basic cmVhZGVyOnJlYWRlcnB3";
const OTHER: &str = "authorization: Basic b3RoZXI6b3RoZXJwdw==";
const APP: &str = "";

fn ask(client: &mut Client, who: &str, path: &str) -> Answer {
    let who = if who.is_empty() { String::new() } else { format!("{who}\n") };
    client.exchange(&format!("GET {BASE}/why/{path}\n-content-length\n{who}\n"))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

fn told(client: &mut Client, who: &str, path: &str) -> Value {
    let answer = ask(client, who, path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    value(&answer)
}

fn put(client: &mut Client, who: &str, queue: &str) -> Answer {
    let who = if who.is_empty() { String::new() } else { format!("{who}\n") };
    client.exchange(&format!("POST {BASE}/queue/{queue}/messages\ncontent-type: text/plain\n{who}\nx"))
}

fn mqsc(client: &mut Client, command: &str) -> Value {
    let body = json!({ "type": "runCommand", "parameters": { "command": command } });
    let head = "POST /ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc\ncontent-type: application/json";
    let answer = client.exchange(&format!("{head}\n{ADMIN}\n\n{body}"));
    let reply = value(&answer);
    assert_eq!((answer.status, &reply["overallCompletionCode"]), (200, &json!(0)), "{command}: {reply}");
    reply
}

fn carry_out(client: &mut Client, remedy: &Value) {
    let commands = remedy[0]["mqsc"].as_array().unwrap_or_else(|| panic!("no commands: {remedy}"));
    assert!(!commands.is_empty());
    for command in commands {
        mqsc(client, command.as_str().expect("a command"));
    }
}

fn allow(server: &TestServer, object: AuthorityObject, profile: &str, authorities: Authority) {
    let entity = Entity::Principal("app".to_owned());
    let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
}

#[test]
fn an_explanation_names_the_record_that_decides_and_its_command_allows_the_put() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    assert_eq!(put(&mut client, APP, "PRIVATE").status, 403);
    let why = told(&mut client, ADMIN, "2035?user=app&queue=PRIVATE&wants=put,browse");
    assert_eq!((&why["allowed"], &why["reason"]["code"]), (&json!(false), &json!(2035)));
    assert_eq!(why["cause"], "profile PRIVATE of user 'app' grants DSP; BROWSE,PUT is missing on QUEUE PRIVATE");
    let step = &why["steps"].as_array().expect("steps").last().expect("a step").clone();
    assert_eq!(
        (&step["at"], &step["has"], &step["lacks"]),
        (&json!("authority"), &json!(["DSP"]), &json!(["BROWSE", "PUT"]))
    );
    assert_eq!(step["by"][0]["passedOver"], json!(["**"]));
    assert_eq!(
        why["remedy"][0]["mqsc"],
        json!(["SET AUTHREC PROFILE('PRIVATE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(BROWSE,PUT)"])
    );
    carry_out(&mut client, &why["remedy"]);
    assert_eq!(told(&mut client, ADMIN, "2035?user=app&queue=PRIVATE&wants=put,browse")["allowed"], true);
    assert_eq!(put(&mut client, APP, "PRIVATE").status, 201);
}

#[test]
fn an_alias_is_told_to_be_asked_for_itself() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let why = told(&mut client, ADMIN, "2035?user=other&queue=ALIAS&wants=put");
    let texts: Vec<&str> =
        why["steps"].as_array().expect("steps").iter().map(|step| step["text"].as_str().expect("a text")).collect();
    assert!(texts.contains(&"ALIAS is an alias of Q; authority is asked for the alias, not for Q"), "{texts:?}");
    assert_eq!(
        why["remedy"][0]["mqsc"][0],
        "SET AUTHREC PROFILE('ALIAS') OBJTYPE(QUEUE) PRINCIPAL('other') AUTHADD(PUT)"
    );
    let nowhere = told(&mut client, ADMIN, "2035?user=app&queue=NOWHERE");
    assert_eq!((&nowhere["allowed"], &nowhere["reason"]["code"]), (&json!(false), &json!(2082)));
    let topic = told(&mut client, ADMIN, "2035?user=other&topic=sport/football&wants=pub");
    assert_eq!((&topic["allowed"], &topic["steps"][1]["at"]), (&json!(false), &json!("topics")));
    assert_eq!(told(&mut client, ADMIN, "2035?user=app&topic=sport/football&wants=pub")["allowed"], true);
    let manager = told(&mut client, ADMIN, "2035?user=app&type=qmgr");
    assert_eq!(manager["remedy"][0]["mqsc"][0], "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT)");
    let administrator = told(&mut client, ADMIN, "2035?user=server&queue=PRIVATE");
    assert_eq!(administrator["allowed"], true);
}

#[test]
fn the_last_refusals_are_listed_to_administrators_and_each_users_own_to_the_user() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    assert_eq!(put(&mut client, APP, "PRIVATE").status, 403);
    assert_eq!(put(&mut client, APP, "PRIVATE").status, 403);
    assert_eq!(put(&mut client, OTHER, "Q").status, 403);
    for who in [ADMIN, READER] {
        let list = told(&mut client, who, "2035");
        let refusals = list["refusals"].as_array().expect("a list");
        let shown: Vec<_> = refusals.iter().map(|one| (&one["user"], &one["object"]["name"], &one["count"])).collect();
        assert_eq!(shown, [(&json!("other"), &json!("Q"), &json!(1)), (&json!("app"), &json!("PRIVATE"), &json!(2))]);
        let newest = &refusals[0];
        assert_eq!((&newest["by"], &newest["application"]), (&json!("application"), &json!("Quaymaster REST")));
        assert_eq!(
            newest["remedy"][0]["mqsc"][0],
            "SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) PRINCIPAL('other') AUTHADD(PUT)"
        );
        let of_app = told(&mut client, who, "2035?user=app&limit=1");
        assert_eq!(of_app["refusals"][0]["user"], "app");
    }
    let own = told(&mut client, APP, "2035");
    assert_eq!(own["refusals"].as_array().map(Vec::len), Some(1));
    let refusal = &own["refusals"][0];
    assert_eq!((&refusal["user"], &refusal["lacks"]), (&json!("app"), &json!(["PUT"])));
    // Records are for those who may display them.
    assert_eq!((refusal.get("remedy"), &refusal["cause"]), (None, &json!("PUT is missing on QUEUE PRIVATE")));
    assert_eq!(told(&mut client, ADMIN, "2035?since=2999-01-01T00:00:00Z")["refusals"], json!([]));
}

#[test]
fn a_user_is_told_of_itself_and_of_what_it_may_display() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for path in ["2035?user=other", "2035?user=other&queue=PRIVATE", "2035?queue=Q", "channel", "get?queue=Q"] {
        let refused = ask(&mut client, APP, path);
        assert_eq!(
            (refused.status, &value(&refused)["reason"]["code"]),
            (403, &json!(2035)),
            "{path}: {}",
            refused.text()
        );
    }
    let own = told(&mut client, APP, "2035?queue=PRIVATE&wants=put");
    assert_eq!((&own["allowed"], &own["cause"]), (&json!(false), &json!("PUT is missing on QUEUE PRIVATE")));
    assert!(own.get("remedy").is_none() && own["steps"][1].get("by").is_none(), "{own}");
    allow(&server, AuthorityObject::QueueManager, "QM1", Authority::DISPLAY);
    let own = told(&mut client, APP, "2035?queue=PRIVATE&wants=put");
    assert_eq!(own["steps"][1]["by"][0]["profile"], "PRIVATE");
    assert!(own.get("remedy").is_none(), "{own}");
    // What is only asked is not a refusal.
    assert_eq!(told(&mut client, ADMIN, "2035")["refusals"], json!([]));
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for path in [
        "2035?wants=put",
        "2035?user=app&queue=Q&wants=pub",
        "2035?user=app&queue=Q&topic=t",
        "2035?user=app&object=Q&type=house",
        "2035?queue=Q",
        "2035?user=",
        "2035?limit=0",
        "2035?nothing=1",
        "2035?since=yesterday",
        "2035?address=127.0.0.1",
        "channel?name=C&address=here",
        "channel?subject=CN=a",
        "dead-letter?position=first&queue=Q",
        "get",
        "get?queue=%20",
    ] {
        let answer = ask(&mut client, ADMIN, path);
        assert_eq!(answer.status, 400, "{path}: {}", answer.text());
    }
    assert_eq!(ask(&mut client, ADMIN, "get?queue=NONE").status, 404);
    assert_eq!(ask(&mut client, ADMIN, "dead-letter?queue=NONE").status, 404);
    assert_eq!(ask(&mut client, ADMIN, "2036").status, 404);
}

#[test]
fn the_hint_of_a_2035_tells_administrators_the_rule_and_the_command_and_others_whom_to_ask() {
    let server = TestServer::start_with(|options| {
        options.web.roles.entry("MQWebUser".to_owned()).or_default().push("user:admin".to_owned());
    });
    let mut client = client::plain(&server);
    let hint = |answer: &Answer| value(answer)["hint"].as_str().expect("a hint").to_owned();
    assert_eq!(
        hint(&put(&mut client, APP, "PRIVATE")),
        "Ask an administrator to grant the authority. /api/v1/qmgr/QM1/why/2035 lists your last refusals, and shows \
         administrators the rule."
    );
    assert_eq!(
        hint(&put(&mut client, ADMIN, "PRIVATE")),
        "The rule: no authority record of 'admin' or of its groups matches QUEUE PRIVATE; PUT is missing on QUEUE PRIVATE. \
         /api/v1/qmgr/QM1/why/2035 explains it. This command allows it: SET AUTHREC PROFILE('PRIVATE') OBJTYPE(QUEUE) \
         PRINCIPAL('admin') AUTHADD(PUT)"
    );
    let queue = put(&mut client, ADMIN, "NONE");
    assert_eq!(hint(&queue), "Look up the reason, and correct the name in the URL or the definition of the object.");
}

#[test]
fn a_channel_lets_a_client_in_or_says_which_record_refuses_it_and_its_command_helps() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for command in [
        "ALTER QMGR CHLAUTH(ENABLED) CONNAUTH(' ')",
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT)",
        "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REPLACE)",
        "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('app') ACTION(REPLACE)",
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('192.0.2.*') ACTION(REPLACE)",
    ] {
        mqsc(&mut client, command);
    }
    let path = "channel?name=APP.SVRCONN&address=192.0.2.7&user=app";
    let mut causes = Vec::new();
    for _ in 0..6 {
        let why = told(&mut client, ADMIN, path);
        if why["allowed"] == true {
            break;
        }
        causes.push(why["cause"].as_str().expect("a cause").split(':').next().expect("an id").to_owned());
        carry_out(&mut client, &why["remedy"]);
    }
    assert_eq!(causes, ["AMQ9777E", "AMQ9519E", "AMQ9777E", "AMQ9776E"]);
    let why = told(&mut client, ADMIN, path);
    let places: Vec<&str> =
        why["steps"].as_array().expect("steps").iter().map(|step| step["at"].as_str().expect("a place")).collect();
    assert_eq!(places, ["channel", "tls", "instances", "connauth", "chlauth", "user", "groups", "authority"]);
    assert_eq!(
        why["steps"][4]["record"],
        "SET CHLAUTH('APP.SVRCONN') TYPE(USERMAP) CLNTUSER('app') ADDRESS('192.0.2.7') USERSRC(CHANNEL) CHCKCLNT(ASQMGR) WARN(NO) ACTION(REPLACE)"
    );
    // MATCH(RUNCHECK) finds the same record.
    let check = "DISPLAY CHLAUTH('APP.SVRCONN') MATCH(RUNCHECK) ADDRESS('192.0.2.7') CLNTUSER('app') ALL";
    let found = mqsc(&mut client, check).to_string();
    assert!(found.contains("TYPE(USERMAP)") && found.contains("ADDRESS(192.0.2.7)"), "{found}");
    // The whole way, to the queue.
    let way = told(&mut client, ADMIN, "2035?channel=APP.SVRCONN&address=192.0.2.7&user=app&queue=PRIVATE&wants=put");
    assert_eq!(
        (&way["allowed"], &way["cause"]),
        (&json!(false), &json!("profile PRIVATE of user 'app' grants DSP; PUT is missing on QUEUE PRIVATE"))
    );
    mqsc(&mut client, "STOP CHANNEL('APP.SVRCONN')");
    let stopped = told(&mut client, ADMIN, path);
    assert_eq!(
        (&stopped["allowed"], &stopped["remedy"][0]["mqsc"][0]),
        (&json!(false), &json!("START CHANNEL('APP.SVRCONN')"))
    );
}

#[test]
fn a_channel_with_tls_and_a_required_password_says_so() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for command in [
        "DEFINE AUTHINFO(CHECK) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) ADOPTCTX(YES)",
        "ALTER QMGR CONNAUTH(CHECK) CHLAUTH(DISABLED)",
        "DEFINE CHANNEL('TLS.SVRCONN') CHLTYPE(SVRCONN) TRPTYPE(TCP) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) MAXINST(1)",
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT)",
    ] {
        mqsc(&mut client, command);
    }
    let without = told(&mut client, ADMIN, "channel?name=TLS.SVRCONN&user=app");
    assert_eq!(without["cause"], "AMQ5540E: user 'app' needs a password, and the application gave none");
    assert_eq!(without["remedy"], json!([]));
    let with = told(&mut client, ADMIN, "channel?name=TLS.SVRCONN&user=app&authenticated=true");
    assert_eq!((&with["allowed"], &with["user"]), (&json!(true), &json!("app")));
    let tls = &with["steps"][1];
    assert_eq!((&tls["cipherSpec"], &tls["certificateRequired"]), (&json!("ANY_TLS12_OR_HIGHER"), &json!(false)));
    assert_eq!(with["steps"][2]["maximum"], 1);
}

#[test]
fn the_last_refused_clients_are_listed() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let refuse = |address: [u8; 4], user: &str, is_of_user: bool| {
        server.queue_manager.note_refused_client(queue_manager::recent::RefusedClient {
            channel: "APP.SVRCONN".to_owned(),
            address: IpAddr::from(address),
            user: user.to_owned(),
            cause: "AMQ9999E: for a test".to_owned(),
            is_of_user,
            remedy: None,
        });
    };
    refuse([192, 0, 2, 1], "", false);
    refuse([192, 0, 2, 2], "bob", true);
    let all = told(&mut client, ADMIN, "channel");
    let refused = all["refused"].as_array().expect("a list");
    assert_eq!((refused.len(), &refused[0]["user"], &refused[1]["address"]), (2, &json!("bob"), &json!("192.0.2.1")));
    assert_eq!(told(&mut client, ADMIN, "channel?address=192.0.2.1")["refused"].as_array().map(Vec::len), Some(1));
    // An MQCONN that ended with 2035 is among the refusals.
    let refusals = told(&mut client, READER, "2035");
    assert_eq!(
        (&refusals["refusals"][0]["by"], refusals["refusals"].as_array().map(Vec::len)),
        (&json!("connection"), Some(1))
    );
}

/// A message behind an MQDLH.
fn dead(reason: i32, queue: &str, text: &str) -> (MessageDescriptor, Bytes) {
    let header = DeadLetterHeader {
        reason,
        destination_queue: Text::new(queue),
        destination_queue_manager: Text::new("QM1"),
        encoding: Encoding::NATIVE,
        ccsid: Ccsid::UTF_8,
        format: Format::STRING,
        put_application_type: 6,
        put_application_name: Text::new("handler"),
        put_date: Text::new("20261123"),
        put_time: Text::new("04000000"),
    };
    let mut body = Vec::new();
    header.encode(Encoding::NATIVE, &mut body);
    body.extend_from_slice(text.as_bytes());
    (MessageDescriptor { format: Format::DEAD_LETTER_HEADER, ..MessageDescriptor::default() }, body.into())
}

#[test]
fn dead_letters_are_grouped_with_what_their_destinations_would_do_now() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let none = told(&mut client, ADMIN, "dead-letter");
    assert_eq!((&none["queue"], &none["groups"]), (&Value::Null, &json!([])));
    server.define_local("DEAD");
    mqsc(&mut client, "ALTER QMGR DEADQ(DEAD)");
    server.put("FULL", MessageDescriptor::default(), "x");
    for (reason, queue, text) in [
        (2053, "FULL", "a"),
        (2053, "FULL", "bb"),
        (2053, "FULL", "ccc"),
        (2085, "NO.SUCH.QUEUE", "d"),
        (2085, "NO.SUCH.QUEUE", "e"),
        (65_537, "SMALL", "longer than ten bytes"),
        (2051, "NOPUT", "f"),
        (2053, "Q", "g"),
    ] {
        let (descriptor, body) = dead(reason, queue, text);
        server.put("DEAD", descriptor, body);
    }
    server.put("DEAD", MessageDescriptor::default(), "without a header");
    let why = told(&mut client, ADMIN, "dead-letter");
    assert_eq!((&why["lookedAt"], &why["isComplete"]), (&json!(9), &json!(true)));
    let shown: Vec<_> = why["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .map(|group| {
            let destination = &group["destination"];
            (
                group["count"].as_u64().unwrap_or(0),
                destination["queue"].as_str().unwrap_or("-").to_owned(),
                destination["takesItNow"].clone(),
            )
        })
        .collect();
    assert_eq!(shown[..2], [(3, "FULL".to_owned(), json!(false)), (2, "NO.SUCH.QUEUE".to_owned(), json!(false))]);
    for expected in [("SMALL", false), ("NOPUT", false), ("Q", true)] {
        assert!(shown.contains(&(1, expected.0.to_owned(), json!(expected.1))), "{shown:?}");
    }
    let first = &why["groups"][0];
    assert_eq!(first["text"], "the destination was full; FULL is full");
    assert_eq!(first["reason"]["name"], "MQRC_Q_FULL");
    let position = first["samplePosition"].as_str().expect("a position");
    let one = told(&mut client, READER, &format!("dead-letter?position={position}"));
    assert_eq!((&one["length"], &one["deadLetteredBy"]["application"]), (&json!(1), &json!("handler")));
    assert_eq!((&one["destination"]["exists"], &one["origin"]["user"]), (&json!(true), &json!("server")));
    assert_eq!(ask(&mut client, ADMIN, "dead-letter?position=999999").status, 404);
    // With the authority to browse, a user sees the messages, and of destinations what it may display.
    let own = told(&mut client, APP, "dead-letter");
    assert_eq!(own["groups"][0]["text"], "the destination was full; you may not display the destination");
    assert_eq!(ask(&mut client, OTHER, "dead-letter").status, 403);
}

fn identifier(text: &str) -> [u8; 24] {
    let mut id = [0; 24];
    id[..text.len()].copy_from_slice(text.as_bytes());
    id
}

/// A get that waits until the test ends.
fn wait_by_correlation(server: &TestServer, queue: &str, id: [u8; 24]) {
    let connection = Arc::new(server.connect());
    let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
    let opened = server.block_on(connection.open(&server_user(), &object, OpenOptions::INPUT_SHARED)).expect("opened");
    let before = server.status(queue).waiters;
    server.spawn(async move {
        let options = GetOptions {
            flags: GetFlags::WAIT | GetFlags::NO_SYNCPOINT,
            match_options: MatchOptions::CORREL_ID,
            correlation_id: CorrelationId::new(id),
            ..GetOptions::default()
        };
        let _ = connection.get_on(opened.handle, &options, &Terms::default()).await;
    });
    eventually("the get waits", || server.status(queue).waiters > before);
}

#[test]
fn a_get_by_correlation_id_is_told_that_a_message_has_these_bytes_as_its_message_id() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    wait_by_correlation(&server, "Q", identifier("request 4711"));
    let nobody = told(&mut client, ADMIN, "get?queue=Q");
    assert_eq!(nobody["readers"][0]["waits"][0]["because"], "nobodyPuts");
    let descriptor = MessageDescriptor {
        message_id: MessageId::new(identifier("request 4711")),
        correlation_id: CorrelationId::new(identifier("request 4711 ")),
        ..MessageDescriptor::default()
    };
    server.put("Q", descriptor, "reply");
    let why = told(&mut client, ADMIN, "get?queue=Q");
    let reader = &why["readers"][0];
    assert_eq!((&reader["application"], &reader["takes"]), (&json!("test"), &json!(true)));
    let wait = &reader["waits"][0];
    assert_eq!(wait["because"], "identifier");
    let near: Vec<&str> = wait["nearMisses"]
        .as_array()
        .expect("near misses")
        .iter()
        .map(|one| one["text"].as_str().expect("a text"))
        .collect();
    assert!(near[0].starts_with("a message with these bytes as its message id is there"), "{near:?}");
    assert!(near[1].ends_with("differs in trailing blanks or zeros only"), "{near:?}");
    assert_eq!((&why["there"]["available"], why["there"]["messages"].as_array().map(Vec::len)), (&json!(1), Some(1)));
    // By an alias the same queue is meant.
    assert_eq!(told(&mut client, READER, "get?queue=ALIAS")["queue"], "Q");
}

#[test]
fn uncommitted_inhibited_and_delayed_messages_are_told_with_their_holders() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    wait_by_correlation(&server, "Q.EMPTY", identifier("a"));
    let object = ObjectDescriptor { name: QueueName::literal("Q.EMPTY"), ..ObjectDescriptor::default() };
    let connection = server.connect();
    let later = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
    let message = || {
        Box::new(model::message::Message { descriptor: MessageDescriptor::default(), body: Bytes::from_static(b"x") })
    };
    let due = Some(Due::After(Duration::from_secs(3600)));
    server.block_on(connection.put1_due(&server_user(), &object, message(), &later, due)).expect("staged");
    let because = |client: &mut Client| {
        let why = told(client, ADMIN, "get?queue=Q.EMPTY");
        (why["readers"][0]["waits"][0]["because"].as_str().expect("a word").to_owned(), why)
    };
    let (word, why) = because(&mut client);
    assert_eq!((&*word, &why["notYetDue"]["count"]), ("notYetDue", &json!(1)));
    let options = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
    server.block_on(connection.put1_message(&server_user(), &object, message(), &options)).expect("put");
    let (word, why) = because(&mut client);
    assert_eq!((&*word, &why["holders"][0]["put"]), ("uncommitted", &json!(1)));
    let holder = &why["holders"][0];
    assert_eq!((&holder["application"], &holder["text"]), (&json!("test"), &json!("the unit of work of a connection")));
    server.alter("Q.EMPTY", |definition| definition.as_local_mut().expect("local").get_inhibited = true);
    let why = told(&mut client, ADMIN, "get?queue=Q.EMPTY");
    assert_eq!(why["inhibited"], json!(["Q.EMPTY"]));
}

#[test]
fn a_delivery_under_its_lock_is_told_as_the_holder_of_its_message() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    server.put("Q", MessageDescriptor::default(), "x");
    let delivered = client.exchange(&format!(
        "POST {BASE}/queue/Q/deliveries\ncontent-type: application/json\n\n{}",
        json!({ "lock": "60s" })
    ));
    assert_eq!(delivered.status, 200, "{}", delivered.text());
    let why = told(&mut client, ADMIN, "get?queue=Q");
    assert_eq!(
        (&why["holders"][0]["got"], &why["holders"][0]["text"]),
        (&json!(1), &json!("a delivery of the message API, under its lock"))
    );
    assert_eq!(
        why["text"],
        "0 gets wait, 0 messages can be got; 0 are put and 1 are got without commit; no program has the queue open for reading"
    );
}

#[test]
fn identifiers_are_shown_to_those_who_may_browse() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    server.put("Q", MessageDescriptor::default(), "x");
    allow(&server, AuthorityObject::Queue, "Q", Authority::DISPLAY);
    let without = told(&mut client, APP, "get?queue=Q");
    assert_eq!((&without["there"]["available"], without["there"].get("messages")), (&json!(1), None));
    let object = ObjectDescriptor { name: QueueName::literal("Q"), ..ObjectDescriptor::default() };
    let message = Box::new(model::message::Message { descriptor: MessageDescriptor::default(), body: Bytes::new() });
    let options = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
    let connection = server.connect();
    server.block_on(connection.put1_message(&server_user(), &object, message, &options)).expect("put");
    // Which program holds a message is what DISPLAY CONN shows.
    let holder = told(&mut client, APP, "get?queue=Q")["holders"][0].clone();
    assert_eq!((&holder["put"], holder.get("application")), (&json!(1), None));
    allow(&server, AuthorityObject::Queue, "Q", Authority::DISPLAY | Authority::BROWSE);
    assert_eq!(told(&mut client, APP, "get?queue=Q")["there"]["messages"].as_array().map(Vec::len), Some(1));
}
