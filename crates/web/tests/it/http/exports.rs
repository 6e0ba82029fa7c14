//! Exports and imports of `/api/v1`: a queue is carried elsewhere with every descriptor field and every byte.

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::definition::QueueDefinition;
use model::descriptor::{
    Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, MessageType, Persistence, Report,
};
use model::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use model::name::{QueueManagerName, QueueName};
use model::options::{ObjectDescriptor, PutFlags, PutOptions};
use model::text::Text;
use queue_manager::ConnectOptions;
use serde_json::{Value, json};

use super::client::{self, Answer, Client};
use super::server::{TestServer, server_user};

const BASE: &str = "/api/v1/qmgr/QM1/queue";

fn export(client: &mut Client, path: &str) -> Answer {
    client.exchange(&format!("GET {BASE}/{path}"))
}

fn import(client: &mut Client, path: &str, lines: &str) -> Vec<Value> {
    let answer = import_answer(client, path, lines);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn import_answer(client: &mut Client, path: &str, lines: &str) -> Answer {
    let head = format!("POST {BASE}/{path}\n-ibm-mq-rest-csrf-token\ncontent-type: application/x-ndjson");
    client.exchange(&format!("{head}\n\n{lines}"))
}

/// A server with a second queue TO, on which `app` may set context.
fn server() -> TestServer {
    let server = TestServer::start();
    let definition = QueueDefinition::local(QueueName::literal("TO"));
    server.block_on(server.queue_manager.define_queue(&server_user(), definition, false)).expect("defined");
    let record = AuthorityRecord {
        object: AuthorityObject::Queue,
        profile: "TO".to_owned(),
        entity: Entity::Principal("app".to_owned()),
        authorities: Authority::PUT | Authority::SET_ALL_CONTEXT | Authority::BROWSE,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
    server
}

/// Puts a message with its own context.
fn put_whole(server: &TestServer, descriptor: MessageDescriptor, body: &'static [u8]) {
    let options = ConnectOptions {
        principal: server_user(),
        application_name: "test".to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    let connection = server.queue_manager.connect(options).expect("connected");
    let object = ObjectDescriptor { name: QueueName::literal("Q"), ..ObjectDescriptor::default() };
    let options = PutOptions { flags: PutFlags::SET_ALL_CONTEXT, context: None };
    let caller = server_user();
    server.block_on(connection.put1(&caller, &object, descriptor, &options, body.into())).expect("put");
}

fn strange() -> MessageDescriptor {
    MessageDescriptor {
        message_id: MessageId::new([7; 24]),
        correlation_id: CorrelationId::new([0xC1; 24]),
        message_type: MessageType(70_000),
        feedback: Feedback(65_537),
        report: Report::COA_WITH_DATA | Report::PASS_MSG_ID | Report::DISCARD_MSG,
        format: Format(Text::from_bytes(*b"\xD4\xD8\xE2\xE3\xD9\x40\x40\x40")),
        ccsid: Ccsid(500),
        encoding: Encoding::Z_OS,
        priority: 7,
        persistence: Persistence::Persistent,
        reply_to_queue: QueueName::literal("ANSWERS"),
        reply_to_queue_manager: QueueManagerName::literal("FAR.AWAY"),
        user_identifier: Text::from_bytes(*b"CICSUSR\0\0\0\0\0"),
        accounting_token: AccountingToken::new([0x16; 32]),
        application_identity_data: Text::new("identity data of a program"),
        put_application_type: 2,
        put_application_name: Text::from_bytes([0xE7; 28]),
        put_date: Text::new("19991231"),
        put_time: Text::new("23595999"),
        application_origin_data: Text::from_bytes([1, 2, 3, 4]),
        ..MessageDescriptor::default()
    }
}

#[test]
fn an_import_of_an_export_gives_back_every_field_and_every_byte() {
    let server = server();
    let mut client = client::plain(&server);
    let with_group = |flags, sequence, offset, original_length| MessageDescriptor {
        group_id: GroupId::new([9; 24]),
        message_flags: flags,
        message_sequence_number: sequence,
        offset,
        original_length,
        ..MessageDescriptor::default()
    };
    let everything = [
        strange(),
        MessageDescriptor { expiry: Expiry(72_000), ..MessageDescriptor::default() },
        // A datagram that says where answers go.
        MessageDescriptor { reply_to_queue: QueueName::literal("ANSWERS"), ..MessageDescriptor::default() },
        with_group(MessageFlags::MSG_IN_GROUP, 1, 0, -1),
        with_group(MessageFlags::MSG_IN_GROUP | MessageFlags::LAST_MSG_IN_GROUP, 2, 0, -1),
        with_group(MessageFlags::SEGMENT, 1, 0, 5),
        with_group(MessageFlags::SEGMENT | MessageFlags::LAST_SEGMENT, 1, 5, 5),
        with_group(MessageFlags::SEGMENTATION_ALLOWED, 1, 0, -1),
    ];
    let put_all = || {
        for descriptor in everything.clone() {
            put_whole(&server, descriptor, b"\0\xFFbody");
        }
        let properties = "POST /api/v1/qmgr/QM1/queue/Q/messages\n-ibm-mq-rest-csrf-token\nmq-id: ";
        let id = "0a".repeat(24);
        let put = format!("{properties}{id}\nmq-properties: {{\"colour\":\"red\"}}\ncontent-type: image/png\n\n");
        assert_eq!(client::plain(&server).exchange(&format!("{put}picture")).status, 201);
    };
    put_all();
    let exported = export(&mut client, "Q/export");
    assert_eq!((exported.status, exported.header("content-type")), (200, Some("application/x-ndjson")));
    assert_eq!(server.status("Q").depth.current, 9, "an export takes nothing");
    let mut before = server.take_all("Q");
    let told = import(&mut client, "TO/import", &exported.text());
    assert_eq!(told.last(), Some(&json!({ "imported": 9, "failed": 0, "isComplete": true })));
    let mut after = server.take_all("TO");
    assert_eq!(after.len(), 9);
    for (descriptor, _) in before.iter_mut().chain(&mut after) {
        // Of whom the queue manager knows more than the message says.
        descriptor.principal = None;
        if descriptor.expiry != Expiry::UNLIMITED {
            assert!((71_000..=72_000).contains(&descriptor.expiry.0), "{:?}", descriptor.expiry);
            descriptor.expiry = Expiry(1);
        }
    }
    assert_eq!(before, after);
}

#[test]
fn an_export_is_of_what_matches() {
    let server = server();
    let mut client = client::plain(&server);
    for number in 1..=20_u8 {
        let descriptor = MessageDescriptor {
            message_id: MessageId::new([number; 24]),
            format: Format::STRING,
            priority: i32::from(number % 2),
            ..MessageDescriptor::default()
        };
        server.put("Q", descriptor, format!("number {number}"));
    }
    let count = |client: &mut Client, query: &str| export(client, &format!("Q/export{query}")).text().lines().count();
    assert_eq!(count(&mut client, ""), 20);
    assert_eq!(count(&mut client, "?limit=3"), 3);
    assert_eq!(count(&mut client, "?contains=number%202"), 2);
    assert_eq!(count(&mut client, &format!("?id={}", "05".repeat(24))), 1);
    assert_eq!(count(&mut client, "?selector=JMSPriority%3D1"), 10);
    assert_eq!(export(&mut client, "Q/export?limit=0").status, 400);
    assert_eq!(export(&mut client, "PRIVATE/export").status, 403);
}

#[test]
fn an_export_is_of_the_positions_that_are_named() {
    let server = server();
    let mut client = client::plain(&server);
    for number in 0..3_u8 {
        server.put("Q", MessageDescriptor::default(), vec![number]);
    }
    let page: Value = serde_json::from_slice(&export(&mut client, "Q/messages").body).expect("JSON");
    let position = |index: usize| page["messages"][index]["position"].as_str().expect("a position").to_owned();
    let lines = export(&mut client, &format!("Q/export?positions={},{}", position(0), position(2))).text();
    let bodies: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["body"].clone()).collect();
    assert_eq!(bodies, [json!({ "raw": "AA==" }), json!({ "raw": "Ag==" })], "{lines}");
    assert_eq!(export(&mut client, "Q/export?positions=a").status, 400);
}

#[test]
fn a_line_that_is_refused_is_named_and_takes_no_other_with_it() {
    let server = server();
    let lines =
        "{\"body\":{\"text\":\"a\"}}\nno envelope\n{\"type\":\"77\"}\n\n{\"body\":{\"text\":\"b\"}}\n{\"error\":{}}\n";
    let told = import(&mut client::plain(&server), "TO/import", lines);
    let refused: Vec<_> = told.iter().filter_map(|line| line["error"]["line"].as_u64()).collect();
    assert_eq!(refused, [2, 3, 5], "{told:?}");
    assert_eq!(told.last(), Some(&json!({ "imported": 2, "failed": 3, "isComplete": true })));
    assert_eq!(server.status("TO").depth.current, 2);
}

#[test]
fn an_import_needs_the_authority_to_set_context_unless_it_asks_for_new_context() {
    let server = server();
    let mut client = client::plain(&server);
    let line = "{\"user\":\"boss\",\"body\":{\"text\":\"a\"}}\n";
    let refused = import_answer(&mut client, "Q/import", line);
    assert_eq!((refused.status, refused.text().contains("2035")), (403, true), "{}", refused.text());
    assert_eq!(server.status("Q").depth.current, 0);
    import(&mut client, "Q/import?context=new", line);
    assert_eq!(server.take_all("Q").remove(0).0.user_identifier, Text::new("app"));
    import(&mut client, "TO/import", line);
    assert_eq!(server.take_all("TO").remove(0).0.user_identifier, Text::new("boss"));
}

#[test]
fn a_long_queue_is_exported_as_fast_as_its_reader_reads() {
    let server = server();
    for number in 0..3000_u32 {
        server.put("Q", MessageDescriptor::default(), vec![u8::try_from(number % 251).expect("a byte"); 2000]);
    }
    let mut client = client::plain(&server);
    let exported = export(&mut client, "Q/export");
    assert_eq!(exported.text().lines().count(), 3000);
    let told = import(&mut client, "TO/import", &exported.text());
    assert_eq!(told.last().map(|last| &last["imported"]), Some(&json!(3000)));
    assert!(told.len() >= 30, "a count for each unit of work, and {} came", told.len());
    assert_eq!(server.status("TO").depth.current, 3000);
}
