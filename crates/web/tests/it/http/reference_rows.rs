//! Rows of the reference that no other test holds, by its sections; `docs/reference-coverage.md` says which test holds
//! which row.

use bytes::Bytes;
use expect_test::expect;
use model::definition::QueueDefinition;
use model::definition::queue::{QueueKind, RemoteQueue, Usage};
use model::descriptor::{Ccsid, Format, MessageDescriptor, MessageType};
use model::jms::TextMessage;
use model::name::{QueueManagerName, QueueName};
use model::options::{GetOptions, ObjectDescriptor, OpenOptions};
use queue_manager::ConnectOptions;

use super::client::{self, basic};
use super::server::{TestServer, server_user};
use super::{check, check_on};

impl TestServer {
    /// Takes the next message as an MQI application would.
    fn take(&self, queue: &str) -> (MessageDescriptor, Bytes) {
        let connection = self
            .queue_manager
            .connect(ConnectOptions {
                principal: server_user(),
                application_name: "test".to_owned(),
                application_type: 6,
                channel: String::new(),
                connection_name: String::new(),
            })
            .expect("connected");
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        self.block_on(async {
            let opened = connection.open(&server_user(), &object, OpenOptions::INPUT_AS_Q_DEF).await.expect("open");
            let got = connection.get(opened.handle, &GetOptions::default()).await.expect("a message");
            (got.message.descriptor, got.message.body)
        })
    }

    fn define(&self, definition: QueueDefinition) {
        self.block_on(self.queue_manager.define_queue(&server_user(), definition, false)).expect("a queue");
    }
}

fn statuses(server: &TestServer, requests: &[&str]) -> Vec<u16> {
    let mut client = client::plain(server);
    requests.iter().map(|request| client.exchange(request).status).collect()
}

// 1.1 resources, 1.2 paths

#[test]
fn queues_have_three_versions() {
    let mut requests = Vec::new();
    for version in ["v1", "v2", "v3"] {
        for (method, path) in [
            ("POST", "queue/Q/message"),
            ("GET", "queue/Q/message"),
            ("GET", "queue/Q/messagelist"),
            ("DELETE", "queue/Q/message"),
        ] {
            requests.push(format!("{method} {version}/{path}"));
        }
    }
    let requests: Vec<&str> = requests.iter().map(String::as_str).collect();
    assert_eq!(statuses(&TestServer::start(), &requests), [201, 200, 200, 200].repeat(3));
}

#[test]
fn a_queue_manager_name_is_decoded_and_periods_need_no_encoding() {
    check(
        "GET /ibmmq/rest/v1/messaging/qmgr/Q%2EM/queue/Q/message\n>>\nGET /ibmmq/rest/v1/messaging/qmgr/Q.M/queue/Q/message\n>>\n\
         GET /ibmmq/rest/v1/messaging/qmgr/A%2FB%25/queue/Q/message\n>>\nGET v1/queue/Q.EMPTY/message\n>>\n\
         GET v1/queue/Q%2EEMPTY/message",
        expect![[r#"
            404
              content-type: application/json; charset=utf-8
              pcf 2/2058 MQWB0009E: There is no queue manager 'Q.M' here.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2058 MQWB0009E: There is no queue manager 'Q.M' here.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2058 MQWB0009E: There is no queue manager 'A/B%' here.
            204
            204
        "#]],
    );
}

#[test]
fn a_remote_queue_is_put_to_and_not_read() {
    let server = TestServer::start();
    let mut transmission = QueueDefinition::local(QueueName::literal("XMIT"));
    transmission.as_local_mut().expect("local").usage = Usage::Transmission;
    server.define(transmission);
    let remote = RemoteQueue {
        remote_queue: QueueName::literal("FAR"),
        remote_queue_manager: QueueManagerName::literal("QM2"),
        transmission_queue: QueueName::literal("XMIT"),
        ..RemoteQueue::default()
    };
    server.define(QueueDefinition::new(QueueName::literal("REMOTE"), QueueKind::Remote(remote)));
    check_on(
        &server,
        "POST v1/queue/REMOTE/message\n\nx\n>>\nDELETE v1/queue/REMOTE/message\n>>\nGET v1/queue/REMOTE/message\n>>\n\
         GET v1/queue/REMOTE/messagelist\n>>\nGET v1/queue/XMIT/messagelist",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            500
              content-type: application/json; charset=utf-8
              pcf 2/2045 MQWB0300E: No messaging connection could be made to 'REMOTE' on queue manager 'QM1': reason '2045 (MQRC_OPTION_NOT_VALID_FOR_TYPE)'.
            500
              content-type: application/json; charset=utf-8
              pcf 2/2045 MQWB0300E: No messaging connection could be made to 'REMOTE' on queue manager 'QM1': reason '2045 (MQRC_OPTION_NOT_VALID_FOR_TYPE)'.
            500
              content-type: application/json; charset=utf-8
              pcf 2/2045 MQWB0300E: No messaging connection could be made to 'REMOTE' on queue manager 'QM1': reason '2045 (MQRC_OPTION_NOT_VALID_FOR_TYPE)'.
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "correlationId": "<id>",
              |   "format": "MQXMIT",
              |   "messageId": "<id>"
              | }]}
        "#]],
    );
}

// 1.3 request headers

#[test]
fn names_of_headers_have_no_case() {
    check(
        "POST v1/queue/Q/message\nCONTENT-TYPE: text/plain; charset=UTF-8\nIBM-MQ-MD-Persistence: persistent\n\nx\n>>\n\
         GET v1/queue/Q/message\naccept: application/json",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: persistent
              | x
        "#]],
    );
}

#[test]
fn a_queues_defaults_do_not_reach_a_put_unless_v3_asks_for_its_priority() {
    let server = TestServer::start();
    server.alter("Q", |queue| {
        queue.default_persistent = true;
        queue.default_priority = 6;
    });
    check_on(
        &server,
        "POST v1/queue/Q/message\n\nx\n>>\nDELETE v3/queue/Q/message\n>>\n\
         POST v3/queue/Q/message\nibm-mq-md-priority: asDestination\n\nx\n>>\nDELETE v3/queue/Q/message\n>>\n\
         POST v3/queue/Q/message\nibm-mq-md-priority: 0\n\nx\n>>\nDELETE v3/queue/Q/message",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              ibm-mq-md-priority: 4
              | x
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              ibm-mq-md-priority: 6
              | x
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              ibm-mq-md-priority: 0
              | x
        "#]],
    );
}

// 1.4 query parameters

#[test]
fn the_ends_of_the_ranges_of_parameters() {
    let requests = [
        ("GET v1/queue/Q/messagelist?limit=2147483647", 200),
        ("GET v1/queue/Q/messagelist?limit=2147483648", 400),
        ("GET v1/queue/Q/messagelist?limit=-1", 400),
        ("GET v1/queue/Q/messagelist?wait=1", 400),
        ("GET v1/queue/Q/messagelist?waitInterval=1&numberOfMessages=5", 400),
        ("DELETE v1/queue/Q/message?wait=0", 204),
        ("DELETE v1/queue/Q/message?messageId=zz0102030405060708090a0b0c0d0e0f1011121314151617", 400),
        ("GET v1/queue/Q/message?messageId=000102030405060708090A0b0C0d0E0f1011121314151617", 204),
    ];
    for (request, status) in requests {
        assert_eq!(statuses(&TestServer::start(), &[request]), [status], "{request}");
    }
}

// 1.5 bodies and formats, 1.6 response headers

#[test]
fn a_put_writes_mqstr_in_1208_as_a_datagram_or_a_request() {
    let server = TestServer::start();
    for (headers, message_type) in [("", MessageType::DATAGRAM), ("ibm-mq-md-replyTo: R\n", MessageType::REQUEST)] {
        let mut client = client::plain(&server);
        let answer = client
            .exchange(&format!("POST v1/queue/Q/message\ncontent-type: application/json\n{headers}\n{{\"a\": \"ž\"}}"));
        assert_eq!((answer.status, answer.header("content-length"), answer.header("location")), (201, Some("0"), None));
        let id = answer.header("ibm-mq-md-messageid").expect("an id").to_owned();
        assert!(id.len() == 48 && id.starts_with("414d5120514d31202020202020202020"), "{id}");
        let (descriptor, body) = server.take("Q");
        assert_eq!(descriptor.message_id.to_string(), id);
        assert_eq!((descriptor.format, descriptor.ccsid), (Format::STRING, Ccsid::UTF_8));
        assert_eq!(descriptor.message_type, message_type);
        assert_eq!(body, "{\"a\": \"ž\"}");
    }
}

#[test]
fn properties_make_a_jms_text_message() {
    let server = TestServer::start();
    let request =
        "POST v3/queue/Q/message\nibm-mq-md-correlationId: order 17\nibm-mq-usr: a;integer;5\nibm-mq-usr: b;x\n\nhello";
    assert_eq!(statuses(&server, &[request]), [201]);
    let (descriptor, body) = server.take("Q");
    assert_eq!(descriptor.format, Format::RF_HEADER_2);
    let shown = String::from_utf8_lossy(&body).into_owned();
    assert!(shown.contains("<mcd><Msd>jms_text</Msd>") && shown.contains("<usr>"), "{shown}");
    let message = TextMessage::decode(&descriptor, &body).expect("a text message");
    assert_eq!((message.text.as_str(), message.jms.correlation_id.as_deref()), ("hello", Some("order 17")));
    assert_eq!(message.properties.iter().map(|property| &*property.name).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_list_shows_every_format_in_delivery_order() {
    let server = TestServer::start();
    let of = |format, priority| MessageDescriptor { format, priority, ..MessageDescriptor::default() };
    server.put("Q", of(Format::NONE, 1), "bytes");
    server.put("Q", of(Format::STRING, 9), "first");
    server.put("Q", of(Format::DEAD_LETTER_HEADER, 5), "not looked at");
    let list: serde_json::Value =
        serde_json::from_slice(&client::plain(&server).exchange("GET v1/queue/Q/messagelist").body).expect("JSON");
    let formats: Vec<_> = list["messages"].as_array().expect("a list").iter().map(|entry| &entry["format"]).collect();
    assert_eq!(formats, ["MQSTR", "MQDEAD", ""]);
}

// 1.7 statuses, 1.9 errors

#[test]
fn a_message_longer_than_the_queue_managers_limit_is_refused() {
    let server = TestServer::start();
    server.alter("Q", |queue| queue.as_local_mut().expect("local").maximum_message_length = 100 << 20);
    let longest = server.queue_manager.definition().maximum_message_length;
    let body = "x".repeat(usize::try_from(longest).expect("small") + 1);
    let answer = client::plain(&server).exchange(&format!("POST v1/queue/Q/message\n\n{body}"));
    assert_eq!((answer.status, &*answer.error_id()), (400, "MQWB0303E"));
    assert!(answer.text().contains("2031"), "{}", answer.text());
}

// 2 login

#[test]
fn a_login_is_an_empty_204_and_names_its_mechanism() {
    let server = TestServer::start_with(|options| {
        options.web.users.insert("žofie é".to_owned(), "hěslo:x".to_owned());
        options.web.roles.insert("MQWebAdminRO".to_owned(), vec!["user:žofie é".to_owned()]);
    });
    let mut client = client::tls(&server);
    let answer = client.exchange(
        "POST v3/login\n-authorization\ncontent-type: application/json\nibm-mq-rest-csrf-token: any\n\n\
         {\"username\": \"žofie é\", \"password\": \"hěslo:x\"}",
    );
    assert_eq!((answer.status, answer.text().as_str()), (204, ""));
    expect![[r#"
        200
          content-type: application/json; charset=utf-8
          | {"user":[{"name":"žofie é","role":["MQWebAdminRO"],"authenticationMechanism":"form"}]}
        200
          content-type: application/json; charset=utf-8
          set-cookie: csrfToken=<token>; Path=/; Secure; SameSite=Strict
          set-cookie: LtpaToken2=<token>; Path=/; Secure; HttpOnly; SameSite=Strict
          | {"user":[{"name":"žofie é","role":["MQWebAdminRO"],"authenticationMechanism":"basic"}]}
        400
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0905E: The body of the request is not valid: 'username and password have to be given once, as strings'.
    "#]].assert_eq(&client.run(&format!(
        "GET v3/login\n-authorization\ncookie: {{cookie}}\n>>\nGET v1/login\n{}\n>>\nPOST v2/login\ncontent-type: application/json\n\n[]",
        basic("žofie é", "hěslo:x")
    )));
}

#[test]
fn logout_needs_credentials_and_takes_any() {
    let server = TestServer::start();
    let script = "DELETE v2/login\n-authorization\n>>\nDELETE v2/login\n>>\nDELETE v2/login\n-ibm-mq-rest-csrf-token";
    expect![[r#"
        401
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0104E: The request to '/ibmmq/rest/v2/login' is not authenticated.
        204
          set-cookie: LtpaToken2=""; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/; Secure; HttpOnly
        403
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0100E: The request lacks the header 'ibm-mq-rest-csrf-token'.
    "#]]
    .assert_eq(&client::tls(&server).run(script));
}

// 3.1 roles, 3.2 principals

#[test]
fn messaging_is_open_to_mqwebuser_alone_in_its_own_context() {
    let server = TestServer::start_with(|options| {
        for role in ["MQWebAdminRO", "MFTWebAdmin", "MFTWebAdminRO"] {
            options.web.users.insert(role.to_owned(), "pw".to_owned());
            options.web.roles.insert(role.to_owned(), vec![format!("user:{role}")]);
        }
        let admins = options.web.roles.get_mut("MQWebAdmin").expect("bound");
        admins.push("user:app".to_owned());
    });
    let mut client = client::plain(&server);
    for user in ["MQWebAdminRO", "MFTWebAdmin", "MFTWebAdminRO"] {
        let credentials = basic(user, "pw");
        let shown = client.exchange(&format!("GET v3/login\n{credentials}"));
        assert!(shown.text().contains(&format!("\"role\":[\"{user}\"]")), "{}", shown.text());
        for request in ["GET v1/queue/Q/message", "POST v2/topic/sport/message"] {
            let answer = client.exchange(&format!("{request}\n{credentials}"));
            assert_eq!((answer.status, &*answer.error_id()), (403, "MQWB0108E"), "{user}");
        }
    }
    let of_both = client.exchange("GET v1/queue/PRIVATE/message");
    assert_eq!((of_both.status, &*of_both.error_id()), (403, "MQWB0103E"), "not in the server's context");
}

// 1.5 bodies

#[test]
fn what_was_put_as_another_media_type_comes_back_as_plain_text() {
    check(
        "POST v1/queue/Q/message\ncontent-type: application/json\n\n{}\n>>\nDELETE v1/queue/Q/message",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | {}
        "#]],
    );
}
