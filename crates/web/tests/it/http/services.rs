//! Services over HTTP against a real queue manager, with the scenario of a two-way service and its bytes.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use copybook::{ConvertOptions, Copybook, LayoutOptions, NameStyle, ParseOptions};
use expect_test::expect;
use model::descriptor::{Ccsid, Expiry, Format, MessageDescriptor, MessageType, Persistence, Report};
use model::identifier::CorrelationId;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use queue_manager::connection::GetResult;
use queue_manager::{ConnectOptions, Connection};
use service::archive::service::ServiceContent;
use service::convert::{Structure, Transformation};
use service::definition::Service;
use service::names::Names;
use service::registry::Settings;

use super::client::{self, Client};
use super::server::{PATIENCE, TestServer, eventually, server_user};

const REQUEST: &str = include_str!("../vectors/loan/LOANREQ.cpy");
const REPLY: &str = include_str!("../vectors/loan/LOANREP.cpy");
const REQUEST_JSON: &str = include_str!("../vectors/loan/request.json");
const REQUEST_HEX: &str = include_str!("../vectors/loan/request.cp037.hex");
const REPLY_HEX: &str = include_str!("../vectors/loan/reply.cp037.hex");

const LOAN: &str = "/zosConnect/services/loanService?action=invoke";
const JSON: &str = "content-type: application/json";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.trim().bytes().map(|it| u8::try_from(char::from(it).to_digit(16).unwrap()).unwrap()).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn structure(copybook: &str) -> Structure {
    let copybook = Copybook::parse(copybook, &ParseOptions::default()).expect("a copybook");
    let layout = copybook.layout(None, &LayoutOptions::default()).expect("a layout");
    let options = ConvertOptions { names: NameStyle::Assistant, show_counters: false, ..ConvertOptions::of_ccsid(37) };
    Structure::new(&layout, &options, Vec::new()).expect("a plan")
}

fn loan_records() -> Option<Transformation> {
    Some(Transformation { request: Some(structure(REQUEST)), response: Some(structure(REPLY)) })
}

impl TestServer {
    fn deploy(&self, name: &str, transformation: Option<Transformation>, properties: &str) {
        let mut builder = Service::builder(name).transformation(transformation);
        for line in properties.split_whitespace() {
            let (property, value) = line.split_once('=').expect("property=value");
            builder = builder.property(property, value).expect("a property");
        }
        let service = builder.build(&Names::default()).expect("a service");
        let registry = &self.web.services().registry;
        registry.services.install(ServiceContent {
            service,
            properties: BTreeMap::new(),
            request_schema: None,
            response_schema: None,
        });
        let path = |name: &String| (name.clone(), vec![format!("/paths/{name}")]);
        let invoke_uris = registry.services.all().keys().map(path).collect();
        registry.configure(Settings { invoke_uris, ..Settings::default() });
    }

    /// The two-way service of the scenario, with more properties.
    pub(super) fn deploy_loan(&self, more: &str) {
        let properties = "destination=Q replyDestination=Q.EMPTY waitInterval=100000";
        self.deploy("loanService", loan_records(), &format!("{properties} {more}"));
    }

    fn connect_application(&self) -> Connection {
        let options = ConnectOptions {
            principal: server_user(),
            application_name: "responder".to_owned(),
            application_type: 6,
            channel: String::new(),
            connection_name: String::new(),
        };
        self.queue_manager.connect(options).expect("connected")
    }

    /// Gets the next message of a queue, waiting for it.
    fn take_next(&self, queue: &str) -> Box<GetResult> {
        self.look(queue, GetFlags::WAIT | GetFlags::NO_SYNCPOINT).expect("a message comes")
    }

    fn look(&self, queue: &str, flags: GetFlags) -> Option<Box<GetResult>> {
        let connection = self.connect_application();
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        self.block_on(async {
            let open = OpenOptions::INPUT_SHARED | OpenOptions::BROWSE;
            let opened = connection.open(&server_user(), &object, open).await.expect("opened");
            let options = GetOptions {
                flags: flags | GetFlags::PROPERTIES_FORCE_MQRFH2,
                wait: Some(PATIENCE),
                ..GetOptions::default()
            };
            connection.get(opened.handle, &options).await.ok()
        })
    }

    fn browse(&self, queue: &str) -> Box<GetResult> {
        self.look(queue, GetFlags::BROWSE_FIRST).expect("a message is there")
    }

    fn depth(&self, queue: &str) -> u32 {
        self.status(queue).depth.current
    }

    /// Answers the request as a COBOL program does.
    fn reply(&self, request: &GetResult, correlation_id: [u8; 24], body: &[u8]) {
        let descriptor = MessageDescriptor {
            message_type: MessageType::REPLY,
            ccsid: Ccsid(37),
            correlation_id: CorrelationId::new(correlation_id),
            persistence: request.descriptor.persistence,
            ..MessageDescriptor::default()
        };
        self.put(request.descriptor.reply_to_queue.as_str(), descriptor, body.to_vec());
    }
}

fn post(client: &mut Client, path: &str, headers: &str, body: &str) -> String {
    let headers: String = headers.split('\n').filter(|it| !it.is_empty()).map(|it| format!("{it}\n")).collect();
    let answer = client.exchange(&format!("POST {path}\n{JSON}\n-ibm-mq-rest-csrf-token\n{headers}\n{body}"));
    format!("{} {}", answer.status, answer.text())
}

fn in_wait(server: &TestServer) -> Client {
    let mut client = client::plain(server);
    let length = REQUEST_JSON.len();
    client.send(&format!("POST {LOAN}\n{JSON}\ncontent-length: {length}\n\n{REQUEST_JSON}"));
    client
}

#[test]
fn a_two_way_service_puts_the_record_of_the_vector_and_answers_with_the_reply_as_json() {
    let server = TestServer::start();
    server.deploy_loan("");
    let mut client = in_wait(&server);
    let request = server.take_next("Q");
    assert_eq!(request.body, hex(REQUEST_HEX));
    let descriptor = &request.descriptor;
    assert_eq!(descriptor.message_type, MessageType::REQUEST);
    assert_eq!(descriptor.reply_to_queue.as_str(), "Q.EMPTY");
    assert_eq!((descriptor.ccsid, descriptor.format), (Ccsid(37), Format::NONE));
    assert_eq!(descriptor.persistence, Persistence::NonPersistent);
    assert!(
        (1..=1000).contains(&descriptor.expiry.0),
        "the request lives as long as the wait: {:?}",
        descriptor.expiry
    );
    assert!(descriptor.report.contains(Report::PASS_DISCARD_AND_EXPIRY));
    server.reply(&request, *request.descriptor.message_id.as_bytes(), &hex(REPLY_HEX));
    let answer = client.receive(false);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.text(), r#"{"cust_name":"ADA BYRON","approved":"T","messages":["OK","RATE FIXED"]}"#);
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(answer.header("ibm-mq-md-correlid"), Some(&*format!("0x:{}", request.descriptor.message_id)));
    assert_eq!((server.depth("Q"), server.depth("Q.EMPTY")), (0, 0));
}

#[test]
fn without_a_reply_in_time_the_answer_is_204_and_the_wait_is_the_headers() {
    let server = TestServer::start();
    // Longer than the client waits for an answer.
    server.deploy_loan("waitInterval=600000");
    let started = tokio::time::Instant::now();
    let answer = post(&mut client::plain(&server), LOAN, "ibm-mq-gmo-waitInterval: 200", REQUEST_JSON);
    assert_eq!(answer, "204 ");
    assert!(started.elapsed() >= Duration::from_millis(200));
    // The request expired together with the wait: the responder never sees it.
    assert_eq!(server.look("Q", GetFlags::NO_SYNCPOINT).map(|it| it.descriptor.expiry), None);
}

#[test]
fn a_reply_with_another_correlation_id_is_not_consumed() {
    let server = TestServer::start();
    server.deploy_loan("");
    server.put("Q.EMPTY", MessageDescriptor::default(), "another's");
    let answer = post(&mut client::plain(&server), LOAN, "ibm-mq-gmo-waitInterval: 100", REQUEST_JSON);
    assert_eq!(answer, "204 ");
    assert_eq!(server.browse("Q.EMPTY").body, "another's");
}

#[test]
fn nothing_is_put_when_the_request_is_wrong() {
    let server = TestServer::start();
    server.deploy_loan("");
    server.deploy("plain", None, "destination=Q");
    let plain = "/zosConnect/services/plain?action=invoke";
    let mut client = client::plain(&server);
    let ids = |answer: String| {
        let (status, body) = answer.split_once(' ').unwrap();
        let value: serde_json::Value = serde_json::from_str(body).unwrap();
        let message = value["errorMessage"].as_str().unwrap();
        format!("{status} {}", &message[..9])
    };
    let too_large = REQUEST_JSON.replace("12500", "12345678");
    let table = [
        (LOAN, "", "[1,2]", "400 BAQR0417W"),
        (LOAN, "", "no json", "400 BAQR0417W"),
        (LOAN, "", "", "400 BAQR0417W"),
        (LOAN, "", "{\"cust_name\":\"A\"", "400 BAQR0417W"),
        (LOAN, "", &too_large, "400 BAQM0002E"),
        (LOAN, "", r#"{"no_such_item":1}"#, "400 BAQM0002E"),
        (LOAN, "ibm-mq-md-expiry: abc", REQUEST_JSON, "400 BAQM0009E"),
        (LOAN, "ibm-mq-md-persistence: maybe", REQUEST_JSON, "400 BAQM0010E"),
        (LOAN, "ibm-mq-gmo-waitInterval: soon", REQUEST_JSON, "400 BAQR0901W"),
        (LOAN, "ibm-mq-md-correlID: 0x:123", REQUEST_JSON, "400 BAQR0901W"),
        (LOAN, "ibm-mq-usr: JMSx;1;i4", REQUEST_JSON, "400 BAQR0901W"),
        (LOAN, "content-type: text/plain", REQUEST_JSON, "415 BAQR0902W"),
        (LOAN, "content-type: application/json; charset=iso-8859-1", REQUEST_JSON, "415 BAQR0902W"),
        (plain, "", "[]", "400 BAQR0417W"),
        (plain, "", "{\"a\":}", "400 BAQR0417W"),
        ("/zosConnect/services/other?action=invoke", "", "{}", "404 BAQR0431W"),
    ];
    for (path, header, body, expected) in table {
        let given = if header.starts_with("content-type") {
            let answer = client.exchange(&format!("POST {path}\n{header}\n\n{body}"));
            format!("{} {}", answer.status, answer.text())
        } else {
            post(&mut client, path, header, body)
        };
        assert_eq!(ids(given), expected, "{path} {header} {body}");
    }
    assert_eq!((server.depth("Q"), server.depth("Q.EMPTY")), (0, 0));
}

#[test]
fn a_service_on_one_queue_sends_browses_and_receives() {
    let server = TestServer::start();
    server.deploy("orders", None, "destination=Q");
    let path = "/paths/orders";
    let script = format!(
        "POST {path}\n{JSON}\n\n{{\"n\":1}}\n>>\nPOST {path}\n{JSON}\nibm-mq-md-correlID: abc\n\n{{\"n\":2}}\n>>\n\
         GET {path}\n>>\nGET {path}\nibm-mq-md-correlID: 0x:616263\n>>\nDELETE {path}\nibm-mq-md-correlID: abc\n>>\n\
         DELETE {path}\n-ibm-mq-rest-csrf-token\n>>\nDELETE {path}\n>>\nGET {path}\n>>\nPATCH {path}"
    );
    let mut client = client::plain(&server);
    let shown: Vec<String> = script
        .split("\n>>\n")
        .map(|request| client.exchange(request))
        .map(|answer| format!("{} {}", answer.status, answer.text()))
        .collect();
    expect![[r#"
        204 
        204 
        200 {"n":1}
        200 {"n":2}
        200 {"n":2}
        200 {"n":1}
        204 
        204 
        405 {"errorMessage":"BAQR0903W: The URL /paths/orders has no method PATCH."}"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn a_message_that_cannot_be_converted_is_backed_out_and_past_the_threshold_moved() {
    let server = TestServer::start();
    let records = Some(Transformation { request: None, response: Some(structure(REPLY)) });
    server.deploy("replies", records, "destination=Q messagingAction=mqget");
    server.alter("Q", |queue| {
        let local = queue.as_local_mut().unwrap();
        local.backout_threshold = 2;
        local.backout_requeue_queue = QueueName::literal("SUBSCRIBED");
    });
    server.put("Q", MessageDescriptor { priority: 5, ..MessageDescriptor::default() }, "much too short");
    server.put("Q", MessageDescriptor { priority: 1, ..MessageDescriptor::default() }, hex(REPLY_HEX));
    let mut client = client::plain(&server);
    let mut ask = || post(&mut client, "/paths/replies", "", "");
    let first = ask();
    assert!(first.starts_with("500 {\"errorMessage\":\"BAQM0008E"), "{first}");
    let left = server.browse("Q");
    assert_eq!((&left.body[..], left.descriptor.backout_count), (&b"much too short"[..], 1));
    assert!(ask().starts_with("500"));
    let moved = server.browse("SUBSCRIBED");
    assert_eq!((&moved.body[..], moved.descriptor.message_id), (&b"much too short"[..], left.descriptor.message_id));
    assert_eq!(moved.descriptor.put_application_name, left.descriptor.put_application_name);
    assert!(ask().starts_with("200 {\"cust_name\""));
    assert!(ask().starts_with("204"));
}

#[test]
fn one_that_others_have_backed_out_too_often_is_moved_before_it_is_looked_at() {
    let server = TestServer::start();
    server.deploy("any", None, "destination=Q messagingAction=mqget");
    server.put("Q", MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() }, "{\"n\":1}");
    for _ in 0..2 {
        // Dropping the connection backs out.
        server.look("Q", GetFlags::SYNCPOINT).expect("got");
        eventually("it is back", || server.look("Q", GetFlags::BROWSE_FIRST).is_some());
    }
    server.alter("Q", |queue| queue.as_local_mut().unwrap().backout_threshold = 2);
    // Without a backout queue it is delivered all the same.
    assert_eq!(server.browse("Q").descriptor.backout_count, 2);
    server.alter("Q", |queue| {
        queue.as_local_mut().unwrap().backout_requeue_queue = QueueName::literal("SUBSCRIBED");
    });
    assert_eq!(post(&mut client::plain(&server), "/paths/any", "", ""), "204 ");
    assert_eq!(server.browse("SUBSCRIBED").body, "{\"n\":1}");
}

#[test]
fn a_bad_reply_is_500_and_stays_with_its_backout_count_raised() {
    let server = TestServer::start();
    server.deploy_loan("");
    let mut client = in_wait(&server);
    let request = server.take_next("Q");
    server.reply(&request, *request.descriptor.message_id.as_bytes(), b"bad");
    let answer = client.receive(false);
    assert_eq!(answer.status, 500);
    assert!(answer.text().contains("BAQM0008E"), "{}", answer.text());
    let left = server.browse("Q.EMPTY");
    assert_eq!((&left.body[..], left.descriptor.backout_count), (&b"bad"[..], 1));
}

#[test]
fn a_bad_reply_that_was_moved_to_the_backout_queue_does_not_expire_there() {
    let server = TestServer::start();
    server.deploy_loan("");
    server.alter("Q.EMPTY", |queue| {
        let local = queue.as_local_mut().unwrap();
        local.backout_threshold = 1;
        local.backout_requeue_queue = QueueName::literal("SUBSCRIBED");
    });
    let mut client = in_wait(&server);
    let request = server.take_next("Q");
    assert!(request.descriptor.expiry.0 > 0, "it lives no longer than the wait");
    let descriptor = MessageDescriptor {
        expiry: request.descriptor.expiry,
        correlation_id: CorrelationId::new(*request.descriptor.message_id.as_bytes()),
        ..MessageDescriptor::default()
    };
    server.put("Q.EMPTY", descriptor, "bad");
    assert_eq!(client.receive(false).status, 500);
    let moved = server.browse("SUBSCRIBED");
    assert_eq!((&moved.body[..], moved.descriptor.expiry), (&b"bad"[..], Expiry::UNLIMITED));
}

#[test]
fn a_client_that_goes_away_leaves_the_reply_on_its_queue() {
    let server = TestServer::start();
    server.deploy_loan("");
    let client = in_wait(&server);
    let request = server.take_next("Q");
    drop(client);
    eventually("the wait ends with the client", || {
        server.web.services().registry.services.lookup("loanService").is_some_and(|it| it.activity.in_flight() == 0)
    });
    server.reply(&request, *request.descriptor.message_id.as_bytes(), &hex(REPLY_HEX));
    assert_eq!(server.browse("Q.EMPTY").body, hex(REPLY_HEX));
    assert_eq!(post(&mut client::plain(&server), LOAN, "ibm-mq-gmo-waitInterval: 100", REQUEST_JSON), "204 ");
    assert_eq!(server.browse("Q.EMPTY").descriptor.backout_count, 0);
}

#[test]
fn late_replies_go_to_the_queue_that_the_service_names_whatever_ended_the_wait() {
    let server = TestServer::start();
    server.deploy_loan("lateReplyDestination=SUBSCRIBED");
    let client = in_wait(&server);
    let request = server.take_next("Q");
    assert_eq!(request.descriptor.expiry, Expiry::UNLIMITED);
    drop(client);
    eventually("the wait ends with the client", || {
        server.web.services().registry.services.lookup("loanService").is_some_and(|it| it.activity.in_flight() == 0)
    });
    server.reply(&request, *request.descriptor.message_id.as_bytes(), b"after the client");
    let moved = server.take_next("SUBSCRIBED");
    assert_eq!(moved.body, "after the client");
    assert_eq!(moved.descriptor.correlation_id.as_bytes(), request.descriptor.message_id.as_bytes());
    let answer = post(&mut client::plain(&server), LOAN, "ibm-mq-gmo-waitInterval: 50", REQUEST_JSON);
    assert_eq!(answer, "204 ");
    let request = server.take_next("Q");
    server.reply(&request, *request.descriptor.message_id.as_bytes(), b"after the wait");
    assert_eq!(server.take_next("SUBSCRIBED").body, "after the wait");
    assert_eq!(server.depth("Q.EMPTY"), 0);
}

#[test]
fn a_late_reply_that_does_not_expire_is_discarded_and_no_other() {
    let server = TestServer::start();
    server.deploy_loan("expiry=60000");
    let mut client = client::plain(&server);
    let length = REQUEST_JSON.len();
    client.send(&format!(
        "POST {LOAN}\n{JSON}\nibm-mq-gmo-waitInterval: 300\ncontent-length: {length}\n\n{REQUEST_JSON}"
    ));
    let request = server.take_next("Q");
    assert_eq!(client.receive(false).status, 204);
    server.put("Q.EMPTY", MessageDescriptor::default(), "another's");
    server.reply(&request, *request.descriptor.message_id.as_bytes(), &hex(REPLY_HEX));
    eventually("the late reply is discarded", || server.depth("Q.EMPTY") == 1);
    assert_eq!(server.browse("Q.EMPTY").body, "another's");
}

#[test]
fn a_request_repeated_with_its_correlation_id_gets_its_reply_whatever_was_late_before() {
    let server = TestServer::start();
    server.deploy_loan("replySelection=correlIDToCorrelID expiry=60000");
    let again = "ibm-mq-md-correlID: 0x:4142\nibm-mq-gmo-waitInterval: ";
    assert_eq!(post(&mut client::plain(&server), LOAN, &format!("{again}1"), REQUEST_JSON), "204 ");
    server.take_next("Q");
    // Long enough for several looks for the late reply while this request waits.
    let length = REQUEST_JSON.len();
    let mut client = client::plain(&server);
    client.send(&format!("POST {LOAN}\n{JSON}\n{again}200000\ncontent-length: {length}\n\n{REQUEST_JSON}"));
    let request = server.take_next("Q");
    server.reply(&request, *request.descriptor.correlation_id.as_bytes(), &hex(REPLY_HEX));
    assert_eq!(client.receive(false).status, 200);
}

#[test]
fn correlation_by_the_request_correlation_id_and_by_nothing() {
    let server = TestServer::start();
    server.deploy_loan("replySelection=correlIDToCorrelID persistence=true mqmdFormat=LOANREQ expiry=50000");
    let mut client = in_wait(&server);
    let request = server.take_next("Q");
    let descriptor = &request.descriptor;
    assert!(!descriptor.correlation_id.is_none() && descriptor.report.contains(Report::PASS_CORREL_ID));
    assert_eq!(descriptor.persistence, Persistence::Persistent);
    assert_eq!(descriptor.format.0.to_text(), "LOANREQ");
    assert!(descriptor.expiry.0 <= 500);
    server.reply(&request, *request.descriptor.correlation_id.as_bytes(), &hex(REPLY_HEX));
    assert_eq!(client.receive(false).status, 200);

    server.deploy_loan("replySelection=none");
    let mut client = in_wait(&server);
    let request = server.take_next("Q");
    server.reply(&request, [7; 24], &hex(REPLY_HEX));
    assert_eq!(client.receive(false).status, 200);
}

#[test]
fn a_reply_that_lay_there_before_the_request_is_taken_where_the_service_cannot_know_better() {
    let server = TestServer::start();
    let reply = |correlation_id| {
        let descriptor = MessageDescriptor { correlation_id, ..MessageDescriptor::default() };
        server.put("Q.EMPTY", descriptor, hex(REPLY_HEX));
    };
    // At the end of the wait there would be one more look; the client does not wait as long.
    server.web.services().environment.set_request_timeout(2 * PATIENCE);
    let patiently = format!("ibm-mq-gmo-waitInterval: {}", (2 * PATIENCE).as_millis());
    server.deploy_loan("replySelection=none");
    reply(CorrelationId::NONE);
    assert!(post(&mut client::plain(&server), LOAN, &patiently, REQUEST_JSON).starts_with("200 "));

    server.deploy_loan("replySelection=correlIDToCorrelID");
    let mut chosen = [0; 24];
    chosen[..2].copy_from_slice(b"AB");
    reply(CorrelationId::new(chosen));
    let headers = format!("{patiently}\nibm-mq-md-correlID: 0x:4142");
    assert!(post(&mut client::plain(&server), LOAN, &headers, REQUEST_JSON).starts_with("200 "));
}

#[test]
fn headers_override_and_properties_travel_in_an_mqrfh2() {
    let server = TestServer::start();
    server.deploy("plain", None, "destination=Q priority=7");
    let headers = "ibm-mq-md-persistence: true\nibm-mq-md-expiry: 60000\nibm-mq-md-correlID: 0x:4142\n\
                   ibm-mq-usr: colour;string;red,size;i4;5";
    assert_eq!(post(&mut client::plain(&server), "/paths/plain", headers, "{}"), "204 ");
    let message = server.take_next("Q");
    let descriptor = &message.descriptor;
    assert_eq!((descriptor.persistence, descriptor.priority), (Persistence::Persistent, 7));
    assert!((590..=600).contains(&descriptor.expiry.0));
    assert_eq!(&descriptor.correlation_id.as_bytes()[..3], b"AB\0");
    assert_eq!(descriptor.message_type, MessageType::DATAGRAM);
    assert_eq!(descriptor.format, Format::RF_HEADER_2);
    let text = String::from_utf8_lossy(&message.body).into_owned();
    assert!(text.contains("<usr><colour>red</colour><size dt='i4'>5</size></usr>") && text.ends_with("{}"), "{text}");
}

#[test]
fn a_service_on_a_topic_publishes_and_retains() {
    let server = TestServer::start();
    server.deploy("news", None, "destination=topic://sport/chess");
    let answer = post(&mut client::plain(&server), "/paths/news", "ibm-mq-pmo-retain: TRUE", "{\"n\":1}");
    assert_eq!(answer, "204 ");
    assert_eq!(server.take_next("SUBSCRIBED").body, "{\"n\":1}");
    for method in ["GET", "DELETE", "PUT"] {
        let line = format!("{method} /paths/news\n{JSON}\n\n{{}}");
        let answer = client::plain(&server).exchange(&line);
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    assert_eq!(server.depth("SUBSCRIBED"), 0);
}

#[test]
fn the_callers_authority_counts_where_the_service_says_so() {
    let server = TestServer::start();
    server.deploy("mine", None, "destination=PRIVATE useCallerPrincipal=true");
    server.deploy("ours", None, "destination=PRIVATE");
    let mut client = client::plain(&server);
    let refused = post(&mut client, "/paths/mine", "", "{}");
    assert!(refused.starts_with("403 {\"errorMessage\":\"BAQR0409W"), "{refused}");
    assert_eq!(server.depth("PRIVATE"), 0);
    assert_eq!(post(&mut client, "/paths/ours", "", "{}"), "204 ");
    assert_eq!(server.take_next("PRIVATE").descriptor.user_identifier.to_text(), "server");
    for user in [("reader", "readerpw"), ("admin", "adminpw"), ("nobody", "nobodypw")] {
        let answer = post(&mut client, "/paths/ours", &client::basic(user.0, user.1), "{}");
        assert!(answer.starts_with("403 {\"errorMessage\":\"BAQR0409W"), "{answer}");
    }
    let answer = client.exchange("POST /paths/ours\n-authorization\ncontent-type: application/json\n\n{}");
    assert_eq!(answer.status, 401);
    assert_eq!(server.depth("PRIVATE"), 0);
}

#[test]
fn what_is_not_text_stays_where_it_is_for_a_service_without_records() {
    let server = TestServer::start();
    server.deploy("plain", None, "destination=Q");
    server.deploy("text", None, "destination=Q.EMPTY payload=text");
    server.put("Q", MessageDescriptor::default(), "{}");
    let mut client = client::plain(&server);
    let browsed = client.exchange("GET /paths/plain");
    assert_eq!((browsed.status, server.browse("Q").descriptor.backout_count), (500, 0));
    assert!(browsed.text().contains("BAQM0005E"), "{}", browsed.text());
    assert_eq!(client.exchange("DELETE /paths/plain").status, 500);
    assert_eq!(server.browse("Q").descriptor.backout_count, 1);
    let text = MessageDescriptor { format: Format::STRING, ccsid: Ccsid(37), ..MessageDescriptor::default() };
    server.put("Q.EMPTY", text, vec![0xC1, 0x7E, 0xF1]);
    let got = client.exchange("DELETE /paths/text");
    assert_eq!((got.status, got.text()), (200, "A=1".to_owned()));
    assert_eq!(got.header("content-type"), Some("text/plain; charset=utf-8"));
    server.put("Q.EMPTY", MessageDescriptor::default(), "");
    let got = client.exchange("DELETE /paths/text");
    assert_eq!((got.status, got.text(), got.header("content-type")), (200, String::new(), None));
    let put = client.exchange("POST /paths/text\ncontent-type: text/csv\n\na,b");
    assert_eq!(put.status, 204);
    assert_eq!(server.take_next("Q.EMPTY").body, "a,b");
}

#[test]
fn a_request_is_cut_short_by_the_servers_limit_and_by_its_end() {
    let server = TestServer::start();
    server.deploy_loan("");
    server.web.services().environment.set_request_timeout(Duration::from_millis(100));
    let answer = post(&mut client::plain(&server), LOAN, "", REQUEST_JSON);
    assert!(answer.starts_with("504 {\"errorMessage\":\"BAQR0405I"), "{answer}");
    server.web.services().environment.set_request_timeout(PATIENCE);
    let mut waiting = in_wait(&server);
    server.take_next("Q");
    server.web.services().environment.stop();
    assert_eq!(waiting.receive(false).status, 503);
}

#[test]
fn a_stopped_service_and_an_unknown_queue_are_told_apart_from_good_ones() {
    let server = TestServer::start();
    server.deploy("lost", None, "destination=NO.SUCH.QUEUE");
    server.deploy("full", None, "destination=FULL");
    server.deploy("small", None, "destination=SMALL");
    let mut client = client::plain(&server);
    let mut put = |path: &str, body: &str| post(&mut client, path, "", body)[..26].to_owned();
    assert_eq!(put("/paths/lost", "{}"), "500 {\"errorMessage\":\"BAQM0");
    assert_eq!(put("/paths/small", "{\"long\":\"longer\"}"), "400 {\"errorMessage\":\"BAQM0");
    server.web.services().registry.services.lookup("lost").unwrap().activity.stop();
    assert_eq!(put("/paths/lost", "{}"), "503 {\"errorMessage\":\"BAQM0");
    let _ = client.stream.flush();
}
