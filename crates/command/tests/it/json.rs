//! Requests of the `mqsc` resource: JSON in, JSON out.

use command::json::{Refusal, Request};
use expect_test::{Expect, expect};
use model::definition::attribute::{self, Access, Kind, Membership, ValueType};
use queue_manager::QueueManager;
use queue_manager::event::command::{Issuer, Origin};
use serde_json::json;

use crate::support::{administrator, connect, run_script, start, wait_for};

/// The bodies that answer `requests`, one a line, or why a request is refused.
fn answers(queue_manager: &QueueManager, requests: &str) -> String {
    let mut shown = String::new();
    for request in requests.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let prepared = Request::read(request.as_bytes()).and_then(|request| request.prepare(Membership::Alone));
        match prepared {
            Ok(prepared) => {
                let body = wait_for(prepared.run(queue_manager, &Issuer::new(&administrator(), Origin::Rest)));
                let text = String::from_utf8(body).unwrap();
                serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
                shown.push_str(&text);
                shown.push('\n');
            }
            Err(refusal) => shown.push_str(&format!("refused: {refusal:?}\n")),
        }
    }
    shown
}

fn check(setup: &str, requests: &str, expected: Expect) {
    let queue_manager = start();
    run_script(&queue_manager, setup);
    expected.assert_eq(&answers(&queue_manager, requests));
}

#[test]
fn an_object_is_defined_shown_altered_and_deleted() {
    check(
        "",
        r#"{"type":"runCommandJSON","command":"define","qualifier":"qlocal","name":"Q1","parameters":{"descr":"a Queue","MaxDepth":10000,"defpsist":"yes","share":"no","bothresh":"7"}}
           {"type":"runCommandJSON","command":"DISPLAY","qualifier":"QUEUE","name":"Q1","responseParameters":["DESCR","maxdepth","defpsist","share","curdepth","bothresh","boqname"]}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"Q1","parameters":{"share":"yes","capexpry":"nolimit"}}
           {"type":"runCommandJSON","command":"display","qualifier":"qlocal","name":"Q1","parameters":{"noshare":"yes"},"responseParameters":["hardenbo","capexpry"]}
           {"type":"runCommandJSON","command":"display","qualifier":"qlocal","name":"Q*"}
           {"type":"runCommandJSON","command":"delete","qualifier":"queue","name":"Q1"}
           {"type":"runCommandJSON","command":"delete","qualifier":"qlocal","name":"Q1","parameters":{"purge":"yes","authrec":"no"}}"#,
        expect![[r#"
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8006I: Queue created."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "Q1", "type": "QLOCAL", "boqname": "", "bothresh": 7, "curdepth": 0, "defpsist": "YES", "descr": "a Queue", "maxdepth": 10000, "share": "NO"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8008I: Queue changed."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "Q1", "type": "QLOCAL", "capexpry": "NOLIMIT", "hardenbo": "YES", "share": "YES"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "Q1", "type": "QLOCAL"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8007I: Queue deleted."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: Object Q1 not found."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
        "#]],
    );
}

/// What a request is understood as.
fn understood(request: &serde_json::Value) -> String {
    let prepared = Request::read(request.to_string().as_bytes()).and_then(|request| request.prepare(Membership::Alone));
    format!("{:?}", prepared.unwrap_or_else(|refusal| panic!("{request}: {refusal:?}")))
}

#[test]
fn texts_of_every_kind_keep_their_case() {
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Structure) {
        for row in attribute::of(kind).filter(|row| row.access != Access::ReadOnly) {
            let is_text = matches!(
                row.value,
                ValueType::Name
                    | ValueType::Text { .. }
                    | ValueType::Secret { .. }
                    | ValueType::Names { .. }
                    | ValueType::Texts { .. }
            );
            if !is_text {
                continue;
            }
            let mut parameters = json!({ (row.mqsc.to_ascii_lowercase()): "aB" });
            if let Some((keyword, word)) = kind.type_parameter() {
                parameters[keyword.to_ascii_lowercase()] = json!(word.to_ascii_lowercase());
            }
            let mut request = json!({ "type": "runCommandJSON", "command": "alter", "qualifier": kind.mqsc() });
            if kind != Kind::QueueManager {
                request["command"] = json!("define");
                request["name"] = json!("X");
            }
            request["parameters"] = parameters;
            let text = understood(&request);
            assert!(text.contains("\"aB\""), "{kind:?} {}: {text}", row.mqsc);
        }
    }
    for (command, qualifier, parameters) in [
        ("display", "entauth", json!({ "objtype": "queue", "principal": "app", "objname": "aB" })),
        ("refresh", "qmgr", json!({ "type": "configev", "name": "aB" })),
        ("display", "channel", json!({ "where": "CONNAME EQ aB" })),
    ] {
        let request = json!({
            "type": "runCommandJSON", "command": command, "qualifier": qualifier, "parameters": parameters
        });
        assert!(understood(&request).contains("\"aB\""), "{request}: {}", understood(&request));
    }
}

#[test]
fn channels_and_authentication_information_are_shown_as_json_defined_them() {
    let queue_manager = start();
    let replies = answers(
        &queue_manager,
        r#"{"type":"runCommandJSON","command":"define","qualifier":"channel","name":"C","parameters":{"chltype":"svrconn","certlabl":"myLabel","scyexit":"/lib/exit(Name)","trptype":"tcp"}}
           {"type":"runCommandJSON","command":"define","qualifier":"authinfo","name":"O","parameters":{"authtype":"ocsp","ocspurl":"http://Host/Path"}}
           {"type":"runCommandJSON","command":"define","qualifier":"authinfo","name":"L","parameters":{"authtype":"idpwldap","conname":"Host(389)","shortusr":"cn","ldapuser":"cn=Admin,o=Home"}}"#,
    );
    assert_eq!(replies.matches("\"overallCompletionCode\": 0").count(), 3, "{replies}");
    let script = "DIS CHANNEL(C) CERTLABL SCYEXIT\nDIS AUTHINFO(O) OCSPURL\nDIS AUTHINFO(L) CONNAME LDAPUSER SHORTUSR";
    let shown = run_script(&queue_manager, script).join("\n");
    for text in ["myLabel", "/lib/exit(Name)", "http://Host/Path", "Host(389)", "cn=Admin,o=Home", "SHORTUSR(cn)"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
}

#[test]
fn what_fails_is_told_with_codes_and_a_message() {
    check(
        "DEFINE QLOCAL(A)",
        r#"{"type":"runCommandJSON","command":"display","qualifier":"queue","name":"NO.SUCH*"}
           {"type":"runCommandJSON","command":"define","qualifier":"qlocal","name":"A","parameters":{"replace":"no"}}
           {"type":"runCommandJSON","command":"define","qualifier":"qlocal","name":"A","parameters":{"noreplace":"no","REPLACE":"yes"}}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"A","parameters":{"maxdepth":-1}}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"A","parameters":{"put":"perhaps"}}
           {"type":"runCommandJSON","command":"define","qualifier":"qlocal"}
           {"type":"runCommandJSON","command":"display","qualifier":"clusqmgr"}"#,
        expect![[r#"
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: Object NO.SUCH* not found."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 4001, "message": ["AMQ8150E: Object A already exists."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8006I: Queue created."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3229, "message": ["AMQ8425E: Not a value: MAXDEPTH(-1): expected a number from 0 to 999999999."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3229, "message": ["AMQ8425E: Not a value: PUT(PERHAPS): expected one of ENABLED, DISABLED."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3228, "message": ["AMQ8421E: Keyword missing: QLOCAL needs a name."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3008, "message": ["AMQ8404E: DISPLAY CLUSQMGR is not supported by this queue manager yet."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
        "#]],
    );
}

#[test]
fn what_cannot_be_meant_is_refused() {
    check(
        "DEFINE QLOCAL(A)",
        r#"[]
           {
           {"type":"runcommand","parameters":{"command":"DISPLAY QMGR"}}
           {"type":"runCommand","parameters":{"command":"DISPLAY QMGR","more":1}}
           {"type":"runCommand","parameters":{"command":"  "}}
           {"type":"runCommand"}
           {"type":"runCommandJSON","command":"display"}
           {"type":"runCommandJSON","command":"show","qualifier":"qmgr"}
           {"type":"runCommandJSON","command":"display","qualifier":"nonsense"}
           {"type":"runCommandJSON","command":"display","qualifier":"trace"}
           {"type":"runCommandJSON","command":"display","qualifier":"qmgr","extra":1}
           {"type":"runCommandJSON","command":"define","qualifier":"qlocal","name":"B","parameters":{"maxmsglen":5}}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"A","parameters":{"curdepth":5}}
           {"type":"runCommandJSON","command":"delete","qualifier":"qlocal","name":"A","parameters":{"maxdepth":5}}
           {"type":"runCommandJSON","command":"display","qualifier":"qlocal","name":"A","responseParameters":["maxmsglen"]}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"A","parameters":{"put":"enabled","PUT":"disabled"}}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"A","parameters":{"maxdepth":1.5}}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"A","parameters":{"descr":null}}"#,
        expect![[r#"
            refused: Body("an object is expected")
            refused: Body("no JSON from line 1 column 1 on")
            refused: Body("type is 'runcommand'")
            refused: Attribute("more")
            refused: Body("the command is empty")
            refused: Body("an object as parameters is expected")
            refused: Body("the member qualifier is expected")
            refused: Command("SHOW QMGR")
            refused: Command("DISPLAY NONSENSE")
            refused: Command("DISPLAY TRACE")
            refused: Attribute("extra")
            refused: Attribute("maxmsglen")
            refused: Attribute("curdepth")
            refused: Attribute("maxdepth")
            refused: Attribute("maxmsglen")
            refused: Body("PUT is given twice")
            refused: Body("a string, a whole number or an array of those as maxdepth is expected")
            refused: Body("a string, a whole number or an array of those as descr is expected")
        "#]],
    );
}

#[test]
fn names_and_texts_keep_their_case_and_where_selects() {
    check(
        "DEFINE QLOCAL(lower) MAXDEPTH(7)\nDEFINE QLOCAL('lower') MAXDEPTH(9) DESCR('Some Text')",
        r#"{"type":"runCommandJSON","command":"display","qualifier":"queue","name":"lower","responseParameters":["maxdepth"]}
           {"type":"runCommandJSON","command":"display","qualifier":"queue","name":"*","parameters":{"WHERE":"MAXDEPTH EQ 7"}}
           {"type":"runCommandJSON","command":"display","qualifier":"queue","name":"*","parameters":{"where":"descr eq Some Text"}}
           {"type":"runCommandJSON","command":"display","qualifier":"queue","name":"*","parameters":{"where":"descr lk 'Some*'"}}
           {"type":"runCommandJSON","command":"display","qualifier":"queue","name":"lower","parameters":{"type":"qlocal","where":"put eq disabled"}}
           {"type":"runCommandJSON","command":"display","qualifier":"queue","parameters":{"where":"nonsense"}}
           {"type":"runCommandJSON","command":"define","qualifier":"qalias","name":"al","parameters":{"targq":"lower","like":"SYSTEM.DEFAULT.ALIAS.QUEUE"}}
           {"type":"runCommandJSON","command":"display","qualifier":"qalias","name":"al","responseParameters":["targq","TARGTYPE"]}
           {"type":"runCommandJSON","command":"define","qualifier":"topic","name":"T","parameters":{"topicStr":"News/Sport"}}
           {"type":"runCommandJSON","command":"display","qualifier":"topic","name":"T","responseParameters":["topicStr","pub"]}"#,
        expect![[r#"
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "lower", "type": "QLOCAL", "maxdepth": 9}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "LOWER", "type": "QLOCAL", "maxdepth": 7}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "lower", "type": "QLOCAL", "descr": "Some Text"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "lower", "type": "QLOCAL", "descr": "Some Text"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: Object lower not found."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3097, "message": ["AMQ8569E: WHERE is not usable: expected a keyword, an operator and a value."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8006I: Queue created."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "al", "type": "QALIAS", "target": "lower", "targtype": "QUEUE"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8690I: Topic created."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"topic": "T", "type": "LOCAL", "pub": "ASPARENT", "topicstr": "News/Sport"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
        "#]],
    );
}

#[test]
fn authority_records_are_named_by_profile() {
    check(
        "DEFINE QLOCAL(A)",
        r#"{"type":"runCommandJSON","command":"set","qualifier":"authrec","parameters":{"profile":"A","objtype":"queue","principal":"Some.User","authadd":["get","Put"]}}
           {"type":"runCommandJSON","command":"display","qualifier":"authrec","name":"A","parameters":{"objtype":"queue"}}
           {"type":"runCommandJSON","command":"set","qualifier":"authrec","name":"A","parameters":{"objtype":"queue","principal":"Some.User","authrmv":"put"}}
           {"type":"runCommandJSON","command":"delete","qualifier":"authrec","parameters":{"profile":"A","objtype":"queue","principal":"Some.User"}}
           {"type":"runCommandJSON","command":"display","qualifier":"authrec","parameters":{"profile":"A","objtype":"queue","principal":"Some.User"}}"#,
        expect![[r#"
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8862I: Authority record set."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"profile": "A", "entity": "Some.User", "enttype": "PRINCIPAL", "objtype": "QUEUE", "authlist": ["GET", "PUT"]}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8862I: Authority record set."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8863I: Authority record deleted."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8884E: Authority record of A not found."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
        "#]],
    );
}

#[test]
fn channel_authentication_records_are_found_by_their_match_keys() {
    check(
        "SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('192.0.2.*') USERSRC(NOACCESS)\n\
         SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('192.0.3.*') USERSRC(NOACCESS)",
        r#"{"type":"runCommand","parameters":{"command":"DISPLAY CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('192.0.3.*') USERSRC"}}
           {"type":"runCommandJSON","command":"display","qualifier":"chlauth","name":"C","parameters":{"type":"addressmap","address":"192.0.2.*","match":"exact"},"responseParameters":["usersrc"]}
           {"type":"runCommandJSON","command":"display","qualifier":"chlauth","name":"C","parameters":{"type":"addressmap","address":"192.0.9.*"}}"#,
        expect![[r#"
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8878I: Display channel authentication record details.   CHLAUTH(C)   TYPE(ADDRESSMAP)   USERSRC(NOACCESS)"]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {"chlauth": "C", "type": "ADDRESSMAP", "usersrc": "NOACCESS"}}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3338, "message": ["AMQ8884E: Channel authentication record of C not found."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
        "#]],
    );
}

#[test]
fn open_handles_of_a_queue_stand_together_in_objects() {
    use model::name::QueueName;
    use model::options::{ObjectDescriptor, ObjectKind, OpenOptions};
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(A)");
    wait_for(async {
        let connection = connect(&queue_manager, administrator(), "test");
        let descriptor = ObjectDescriptor {
            object: ObjectKind::Queue,
            name: QueueName::literal("A"),
            ..ObjectDescriptor::default()
        };
        for options in [OpenOptions::OUTPUT, OpenOptions::BROWSE] {
            connection.open(&administrator(), &descriptor, options).await.unwrap();
        }
        for request in [
            r#"{"type":"runCommandJSON","command":"display","qualifier":"qstatus","name":"A","parameters":{"type":"handle"},"responseParameters":["appltag"]}"#,
            r#"{"type":"runCommandJSON","command":"display","qualifier":"conn","parameters":{"type":"*"},"responseParameters":["objname"]}"#,
        ] {
            let prepared =
                Request::read(request.as_bytes()).and_then(|request| request.prepare(Membership::Alone)).unwrap();
            let body: serde_json::Value = serde_json::from_slice(
                &prepared.run(&queue_manager, &Issuer::new(&administrator(), Origin::Rest)).await,
            )
            .unwrap();
            let elements = body["commandResponse"].as_array().unwrap();
            assert_eq!(elements.len(), 1, "{body}");
            let parameters = &elements[0]["parameters"];
            assert_eq!(parameters["objects"].as_array().map(Vec::len), Some(2), "{body}");
        }
    });
}

#[test]
fn a_command_as_text_is_answered_with_text() {
    check(
        "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)",
        r#"{"type":"runCommand","parameters":{"command":"DISPLAY QLOCAL(A) CURDEPTH SHARE DESCR"}}
           {"type":"runCommand","parameters":{"command":"DIS Q(*) WHERE(MAXDEPTH LT 0)"}}
           {"type":"runCommand","parameters":{"command":"dis q(A) +\n  maxdepth;"}}
           {"type":"runCommand","parameters":{"command":"DISPLAY QLOCAL(A)\n  MAXDEPTH"}}
           {"type":"runCommand","parameters":{"command":"ALTER QL(A) NONSENSE(1)"}}
           {"type":"runCommand","parameters":{"command":"FROB"}}
           {"type":"runCommand","parameters":{"command":"CLEAR QLOCAL(A)"}}"#,
        expect![[r#"
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8409I: Display Queue details.   QUEUE(A)   TYPE(QLOCAL)   CURDEPTH(0)   DESCR( )   SHARE"]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 2085, "text": ["AMQ8147E: Object * not found."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8409I: Display Queue details.   QUEUE(A)   TYPE(QLOCAL)   MAXDEPTH(5000)"]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8409I: Display Queue details.   QUEUE(A)   TYPE(QLOCAL)   MAXDEPTH(5000)"]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3008, "text": ["AMQ8405I: Syntax error detected at or near end of command segment below:-   ALTER QL(A) NONSENSE(1)   AMQ8427I: Not the valid syntax of the command: NONSENSE is not a keyword of this command."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 2, "reasonCode": 3008, "text": ["AMQ8405I: Syntax error detected at or near end of command segment below:-   FROB   AMQ8426I: Commands begin with one of ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, RESET, RESOLVE, SET, START, STOP."]}
            ],
            "overallReasonCode": 3008, "overallCompletionCode": 2}
            {"commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8022I: Queue cleared."]}
            ],
            "overallReasonCode": 0, "overallCompletionCode": 0}
        "#]],
    );
}

#[test]
fn only_display_and_ping_read() {
    for (command, expected) in
        [("DISPLAY QMGR", true), ("dis q(*)", true), ("PING QMGR", true), ("DEFINE QL(A)", false), ("FROB", true)]
    {
        let prepared = Request::Text(command.to_owned()).prepare(Membership::Alone).unwrap();
        assert_eq!(prepared.only_reads(), expected, "{command}");
    }
    let body = r#"{"type":"runCommandJSON","command":"clear","qualifier":"qlocal","name":"A"}"#;
    assert!(
        !Request::read(body.as_bytes()).and_then(|request| request.prepare(Membership::Alone)).unwrap().only_reads()
    );
    assert!(matches!(Request::read(b"1"), Err(Refusal::Body(_))));
}

proptest::proptest! {
    #[test]
    fn no_body_panics(body in "\\PC*") {
        let _ = Request::read(body.as_bytes()).and_then(|request| request.prepare(Membership::Alone));
    }

    #[test]
    fn no_words_panic(command in "display|define|alter|set", qualifier in "q[a-z]{0,6}|chlauth|authrec", name in "\\PC{0,9}", key in "where|[a-z]{1,9}", value in "\\PC{0,12}") {
        let body = serde_json::json!({
            "type": "runCommandJSON", "command": command, "qualifier": qualifier, "name": name,
            "parameters": { key: [value.clone(), value] },
        });
        let _ = Request::read(body.to_string().as_bytes()).and_then(|request| request.prepare(Membership::Alone));
    }
}
