//! The `mqsc` resource over HTTP: roles, refusals, gateway. What commands answer is tested where they are run.

use expect_test::{Expect, expect};

use super::client::{self, basic};
use super::server::TestServer;

/// Sends one body a line as `user` and shows the answers.
fn check(user: &str, password: &str, bodies: &str, expected: Expect) {
    let server = TestServer::start();
    let header = basic(user, password);
    let script: Vec<_> = bodies
        .lines()
        .map(|body| {
            let path = "v2/admin/action/qmgr/QM1/mqsc";
            format!("POST {path}\n{header}\ncontent-type: application/json\n\n{}", body.trim())
        })
        .collect();
    let shown = client::plain(&server).run(&script.join("\n>>\n"));
    expected.assert_eq(&shown);
}

#[test]
fn an_administrator_acts_as_the_server_in_every_version() {
    let server = TestServer::start();
    let header = basic("admin", "adminpw");
    for version in ["v1", "v2", "v3"] {
        let answer = client::plain(&server).exchange(&format!(
            "POST {version}/admin/action/qmgr/QM1/mqsc\n{header}\ncontent-type: application/json;charset=UTF-8\n\n\
             {{\"type\":\"runCommandJSON\",\"command\":\"define\",\"qualifier\":\"qlocal\",\"name\":\"MADE.{version}\"}}"
        ));
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json; charset=utf-8")));
        let body: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
        assert_eq!(body["overallCompletionCode"], 0, "{body}");
        assert_eq!(body["overallReasonCode"], 0, "{body}");
        assert_eq!(body["commandResponse"][0]["completionCode"], 0, "{body}");
    }
}

#[test]
fn a_reader_may_look_and_not_touch() {
    check(
        "reader",
        "readerpw",
        r#"{"type":"runCommand","parameters":{"command":"DISPLAY QLOCAL(PRIVATE) PUT"}}
           {"type":"runCommandJSON","command":"ping","qualifier":"qmgr"}
           {"type":"runCommand","parameters":{"command":"ALTER QLOCAL(PRIVATE) PUT(DISABLED)"}}
           {"type":"runCommandJSON","command":"clear","qualifier":"qlocal","name":"Q"}"#,
        expect![[r#"
            200
              content-type: application/json; charset=utf-8
              | {"commandResponse": [
              | {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8409I: Display Queue details.   QUEUE(PRIVATE)   TYPE(QLOCAL)   PUT(ENABLED)"]}
              | ],
              | "overallReasonCode": 0, "overallCompletionCode": 0}
            200
              content-type: application/json; charset=utf-8
              | {"commandResponse": [
              | {"completionCode": 0, "reasonCode": 0, "message": ["AMQ8415I: The queue manager answers."]}
              | ],
              | "overallReasonCode": 0, "overallCompletionCode": 0}
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0108E: User 'reader' is authenticated, but has none of these roles: 'MQWebAdmin, MQWebUser'.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0108E: User 'reader' is authenticated, but has none of these roles: 'MQWebAdmin, MQWebUser'.
        "#]],
    );
}

#[test]
fn a_user_has_its_own_authority() {
    check(
        "app",
        "secret",
        r#"{"type":"runCommandJSON","command":"display","qualifier":"qlocal","name":"PRIVATE","responseParameters":["put"]}
           {"type":"runCommandJSON","command":"display","qualifier":"qlocal","name":"Q","responseParameters":["put"]}
           {"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"PRIVATE","parameters":{"put":"disabled"}}"#,
        expect![[r#"
            200
              content-type: application/json; charset=utf-8
              | {"commandResponse": [
              | {"completionCode": 0, "reasonCode": 0, "parameters": {"queue": "PRIVATE", "type": "QLOCAL", "put": "ENABLED"}}
              | ],
              | "overallReasonCode": 0, "overallCompletionCode": 0}
            200
              content-type: application/json; charset=utf-8
              | {"commandResponse": [
              | {"completionCode": 2, "reasonCode": 2035, "message": ["AMQ8135E: Not authorized: user app lacks DSP on Q."]}
              | ],
              | "overallReasonCode": 3008, "overallCompletionCode": 2}
            200
              content-type: application/json; charset=utf-8
              | {"commandResponse": [
              | {"completionCode": 2, "reasonCode": 2035, "message": ["AMQ8135E: Not authorized: user app lacks CHG on PRIVATE."]}
              | ],
              | "overallReasonCode": 3008, "overallCompletionCode": 2}
        "#]],
    );
}

#[test]
fn what_is_no_command_is_refused() {
    check(
        "admin",
        "adminpw",
        r#"{
           {"type":"runCommandJSON","command":"display","qualifier":"qlocal","name":"Q","responseParameters":["maxmsglen"]}
           {"type":"runCommandJSON","command":"dance","qualifier":"qlocal"}"#,
        expect![[r#"
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0905E: The body of the request is not valid: 'no JSON from line 1 column 1 on'.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0120E: The attribute or parameter 'maxmsglen' is not valid for the requested command.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0914E: 'DANCE QLOCAL' is not a command that can be sent as JSON.
        "#]],
    );
}

#[test]
fn who_may_not_and_what_is_not_there() {
    let server = TestServer::start();
    let (admin, nobody) = (basic("admin", "adminpw"), basic("nobody", "nobodypw"));
    let body = "content-type: application/json\n\n{\"type\":\"runCommand\",\"parameters\":{\"command\":\"PING QMGR\"}}";
    let script = [
        format!("POST v2/admin/action/qmgr/QM1/mqsc\n-authorization\n{body}"),
        format!("POST v2/admin/action/qmgr/QM1/mqsc\n-ibm-mq-rest-csrf-token\n{admin}\n{body}"),
        format!("POST v2/admin/action/qmgr/QM1/mqsc\n{nobody}\n{body}"),
        format!("POST v2/admin/action/qmgr/QM2/mqsc\n{admin}\n{body}"),
        format!("POST v2/admin/action/qmgr/QM1/mqsc\n{admin}\nibm-mq-rest-gateway-qmgr: QM7\n{body}"),
        format!("POST v2/admin/action/qmgr/QM1/mqsc\n{admin}\nibm-mq-rest-gateway-qmgr: QM1\n{body}"),
        format!("POST v2/admin/action/qmgr/QM%31/mqsc/\n{admin}\n{body}"),
        format!("POST v2/admin/action/qmgr/QM1/mqsc?a=b\n{admin}\n{body}"),
        format!("POST v2/admin/action/qmgr/QM1/mqsc\n{admin}\n{}", body.replace("application/json", "text/plain")),
        format!("GET v2/admin/action/qmgr/QM1/mqsc\n{admin}"),
    ];
    expect![[r#"
        401
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0104E: The request to '/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc' is not authenticated.
        403
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0100E: The request lacks the header 'ibm-mq-rest-csrf-token'.
        403
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0108E: User 'nobody' is authenticated, but has none of these roles: 'MQWebAdmin, MQWebAdminRO, MQWebUser'.
        404
          content-type: application/json; charset=utf-8
          pcf 2/2058 MQWB0009E: There is no queue manager 'QM2' here.
        404
          content-type: application/json; charset=utf-8
          pcf 2/2058 MQWB0009E: There is no queue manager 'QM7' here.
        200
          content-type: application/json; charset=utf-8
          ibm-mq-rest-gateway-qmgr: QM1
          | {"commandResponse": [
          | {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8415I: The queue manager answers."]}
          | ],
          | "overallReasonCode": 0, "overallCompletionCode": 0}
        200
          content-type: application/json; charset=utf-8
          | {"commandResponse": [
          | {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8415I: The queue manager answers."]}
          | ],
          | "overallReasonCode": 0, "overallCompletionCode": 0}
        400
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0903E: The query parameter 'a' is unknown to this resource, or is given twice.
        415
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0306E: The media type 'text/plain' is not supported for this request: expected application/json.
        405
          content-type: application/json; charset=utf-8
          allow: POST, OPTIONS
          rest 0/0 MQWB0902E: The resource '/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc' has no method 'GET'.
    "#]].assert_eq(&client::plain(&server).run(&script.join("\n>>\n")));
}
