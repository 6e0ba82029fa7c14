//! Services and APIs deployed, administered, called and described over HTTP, with archives of our own making.

use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use service::build;

use super::client::{self, Answer, Client, basic};
use super::server::{TestServer, eventually};

const SERVICE: &str = "name: put\nversion: 2.0\ndescription: Puts a record\ndestination: Q\nmessagingAction: mqput\n\
    requestStructure: R.cpy\nccsid: 1208\n";
const COPYBOOK: &str =
    "       01 R.\n          05 CUST-NAME PIC X(6).\n          05 AMOUNT PIC 9(5).\n          05 KIND PIC X.\n";
const API: &str = "name: loans\nversion: 1.1\ndescription: Loans\nbasePath: /loans\noperations:\n\
    - path: /of/{customer}\n  method: PUT\n  operationId: ask\n  service: put\n  request:\n    set:\n\
    \x20     cust_name: { path: customer }\n      amount: { query: amount, required: true }\n      kind: { header: X-Kind }\n";

/// The archive of a source.
#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn archive(file: &str, text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(file), text).expect("written");
    std::fs::write(folder.path().join("R.cpy"), COPYBOOK).expect("written");
    build::build(folder.path()).expect("built").write().expect("written")
}

/// The archive of a source of several files.
#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn archive_of(files: &[(&str, &str)]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (file, text) in files {
        std::fs::write(folder.path().join(file), text).expect("written");
    }
    build::build(folder.path()).expect("built").write().expect("written")
}

fn service(text: &str) -> Vec<u8> {
    archive("service.yaml", text)
}

struct Admin {
    client: Client,
}

impl Admin {
    fn of(server: &TestServer) -> Self {
        Self { client: client::plain(server) }
    }

    fn request(&mut self, user: (&str, &str), line: &str, headers: &str, body: &[u8]) -> Answer {
        use std::io::Write;
        let head = format!(
            "{line} HTTP/1.1\r\nhost: h:1\r\n{}\r\ncontent-length: {}\r\n{headers}\r\n",
            basic(user.0, user.1),
            body.len()
        );
        self.client.stream.write_all(&[head.as_bytes(), body].concat()).expect("sent");
        self.client.receive(false)
    }

    fn ask(&mut self, line: &str) -> Answer {
        self.request(("admin", "adminpw"), line, "", b"")
    }

    fn send(&mut self, line: &str, archive: &[u8]) -> Answer {
        self.request(("admin", "adminpw"), line, "content-type: application/zip\r\n", archive)
    }

    fn call(&mut self, line: &str, headers: &str, body: &str) -> Answer {
        self.request(("app", "secret"), line, headers, body.as_bytes())
    }
}

fn check(answer: &Answer, status: u16, expected: Expect) {
    expected.assert_eq(&answer.text());
    assert_eq!(answer.status, status);
}

fn parsed(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("JSON")
}

/// Status and the identifier of the error.
fn error(answer: &Answer) -> (u16, String) {
    let message = parsed(answer)["errorMessage"].as_str().expect("a message").to_owned();
    (answer.status, message.split(':').next().unwrap_or_default().to_owned())
}

#[test]
fn a_service_is_deployed_shown_stopped_updated_and_deleted() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    check(&admin.ask("GET /zosConnect/services"), 200, expect![[r#"{"zosConnectServices":[]}"#]]);
    let created = admin.send("POST /zosConnect/services", &service(SERVICE));
    check(
        &created,
        201,
        expect![[
            r#"{"zosConnect":{"serviceName":"put","serviceDescription":"Puts a record","serviceProvider":"mqService-1.0","version":"2.0","serviceURL":"http://h:1/zosConnect/services/put","serviceInvokeURL":"http://h:1/zosConnect/services/put?action=invoke","dataXformProvider":"quaymasterCopybook-1.0","serviceStatus":"Started"},"put":{"ccsid":"1208","destination":"Q","messagingAction":"mqput","requestStructure":"files/R.cpy"}}"#
        ]],
    );
    check(
        &admin.ask("GET /zosConnect/services"),
        200,
        expect![[
            r#"{"zosConnectServices":[{"ServiceName":"put","ServiceDescription":"Puts a record","ServiceProvider":"mqService-1.0","ServiceURL":"http://h:1/zosConnect/services/put"}]}"#
        ]],
    );
    for line in ["GET /zosConnect/services/put", "GET /zosConnect/services/put?action=status"] {
        assert_eq!(parsed(&admin.ask(line)), parsed(&created), "{line}");
    }
    let invoked = admin.call(
        "POST /zosConnect/services/put?action=invoke",
        "content-type: application/json\r\n",
        r#"{"cust_name":"ADA","amount":7,"kind":"x"}"#,
    );
    assert_eq!(invoked.status, 204);
    assert_eq!(server.status("Q").depth.current, 1);

    assert_eq!(error(&admin.send("POST /zosConnect/services", &service(SERVICE))), (409, "BAQR0910W".to_owned()));
    assert_eq!(error(&admin.send("PUT /zosConnect/services/put", &service(SERVICE))), (409, "BAQR0912W".to_owned()));
    assert_eq!(error(&admin.ask("DELETE /zosConnect/services/put")), (409, "BAQR0912W".to_owned()));
    let stopped = admin.ask("PUT /zosConnect/services/put?status=stopped");
    assert_eq!((stopped.status, &parsed(&stopped)["zosConnect"]["serviceStatus"]), (200, &Value::from("Stopped")));
    let refused = admin.call("POST /zosConnect/services/put?action=invoke", "content-type: application/json\r\n", "{}");
    assert_eq!(error(&refused), (503, "BAQM0003E".to_owned()));

    let other = service(&SERVICE.replace("name: put", "name: other"));
    assert_eq!(error(&admin.send("PUT /zosConnect/services/put", &other)), (400, "BAQR0914W".to_owned()));
    assert_eq!(error(&admin.send("PUT /zosConnect/services/put", b"PK no zip")), (400, "BAQR0915W".to_owned()));
    let newer = service(&SERVICE.replace("2.0", "3.0"));
    let updated = parsed(&admin.send("PUT /zosConnect/services/put?status=stopped", &newer));
    assert_eq!(
        (&updated["zosConnect"]["version"], &updated["zosConnect"]["serviceStatus"]),
        (&Value::from("3.0"), &Value::from("Stopped"))
    );
    let started = parsed(&admin.ask("PUT /zosConnect/services/put?action=start"));
    assert_eq!(started["zosConnect"]["serviceStatus"], "Started");
    assert_eq!(
        parsed(&admin.ask("PUT /zosConnect/services/put?action=stop"))["zosConnect"]["serviceStatus"],
        "Stopped"
    );
    check(&admin.ask("DELETE /zosConnect/services/put"), 200, expect![[r#"{"name":"put"}"#]]);
    assert_eq!(error(&admin.ask("GET /zosConnect/services/put")), (404, "BAQR0431W".to_owned()));
    assert!(!server.folder().join("zosconnect/services/put.sar").exists());
}

#[test]
fn what_is_asked_in_the_wrong_way_is_refused_with_the_documented_status() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    let zip = service(SERVICE);
    let plain = admin.request(("admin", "adminpw"), "POST /zosConnect/services", "content-type: text/plain\r\n", &zip);
    assert_eq!(error(&plain), (415, "BAQR0922W".to_owned()));
    assert_eq!(error(&admin.send("POST /zosConnect/services?status=paused", &zip)), (400, "BAQR0919W".to_owned()));
    assert_eq!(error(&admin.send("PUT /zosConnect/services/none", &zip)), (404, "BAQR0431W".to_owned()));
    assert_eq!(error(&admin.ask("PUT /zosConnect/services/none?status=started")), (404, "BAQR0431W".to_owned()));
    assert_eq!(error(&admin.ask("PUT /zosConnect/services/none")), (400, "BAQR0919W".to_owned()));
    assert_eq!(error(&admin.ask("DELETE /zosConnect/apis/none")), (404, "BAQR0917W".to_owned()));
    let cics = admin.send("POST /zosConnect/services", &archive("api.yaml", API));
    assert_eq!(error(&cics), (400, "BAQR0915W".to_owned()));
    assert_eq!(parsed(&cics)["errorDetails"], "the archive has no entry manifest.yml");
}

#[test]
fn refusals_before_a_service_is_asked_have_the_form_of_services_too() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    assert_eq!(admin.send("POST /zosConnect/apis", &archive("api.yaml", API)).status, 201);
    let nobody = ("app", "wrong");
    for line in
        ["GET /zosConnect/services", "POST /zosConnect/services/put?action=invoke", "PUT /loans/of/ADA?amount=5"]
    {
        assert_eq!(error(&admin.request(nobody, line, "", b"{}")), (401, "BAQR0923W".to_owned()), "{line}");
    }
    check(
        &admin.call("GET /zosConnect/apis", "", ""),
        403,
        expect![[
            r#"{"errorMessage":"BAQR0409W: The user 'app' is not authorized for this request.","errorDetails":"Use another user, or ask an administrator to grant one of the roles."}"#
        ]],
    );
    assert_eq!(error(&admin.ask("GET /zosConnect/nothing")), (404, "BAQR0906W".to_owned()));
    let patched = admin.ask("PATCH /zosConnect/services");
    assert_eq!(error(&patched), (405, "BAQR0903W".to_owned()));
    assert_eq!(patched.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    assert_eq!(error(&admin.ask("POST /zosConnect/services/put")), (405, "BAQR0903W".to_owned()));
    // Elsewhere they are those of the messaging REST API.
    assert_eq!(admin.request(nobody, "GET /ibmmq/rest/v2/login", "", b"").error_id(), "MQWB0105E");
    assert_eq!(admin.ask("GET /zosConnectors").error_id(), "MQWB0901E");
}

#[test]
fn administrators_change_readers_look_and_users_invoke() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    let mut status = |user, line: &str| admin.request(user, line, "content-type: application/json\r\n", b"{}").status;
    let (app, reader) = (("app", "secret"), ("reader", "readerpw"));
    for line in ["GET /zosConnect/services", "GET /zosConnect/services/put", "GET /zosConnect/apis"] {
        assert_eq!((status(reader, line), status(app, line)), (200, 403), "{line}");
    }
    for line in
        ["PUT /zosConnect/services/put?status=stopped", "DELETE /zosConnect/services/put", "POST /zosConnect/apis"]
    {
        assert_eq!((status(reader, line), status(app, line)), (403, 403), "{line}");
    }
    let invoke = "POST /zosConnect/services/put?action=invoke";
    assert_eq!((status(reader, invoke), status(app, invoke)), (403, 204));
}

#[test]
fn schemas_and_statistics_come_by_both_forms() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    let schema = parsed(&admin.ask("GET /zosConnect/services/put/schema/request"));
    assert_eq!(schema["properties"]["amount"]["maximum"], 99_999);
    assert_eq!(parsed(&admin.ask("GET /zosConnect/services/put?action=getRequestSchema")), schema);
    assert_eq!(error(&admin.ask("GET /zosConnect/services/put/schema/response")), (404, "BAQR0918W".to_owned()));
    let invoke = "POST /zosConnect/services/put?action=invoke";
    for (body, status) in [("{}", 204), ("[]", 400), (r#"{"amount":123456}"#, 400)] {
        assert_eq!(admin.call(invoke, "content-type: application/json\r\n", body).status, status);
    }
    let seen = parsed(&admin.ask("GET /zosConnect/services/put?action=getStatistics"));
    let put = &seen["put"];
    assert_eq!(
        (&put["ServiceProvider"], &put["InvokeRequestCount"]),
        (&Value::from("mqService-1.0"), &Value::from("3"))
    );
    let counters = &put["ServiceStatistics"];
    assert_eq!(
        (&counters["succeeded"], &counters["clientErrors"], &counters["inFlight"]),
        (&"1".into(), &"2".into(), &"0".into())
    );
    let registered = put["TimeOfRegistrationWithZosConnect"].as_str().expect("a time");
    assert!(registered.len() == "2017-11-13 17:28:28:589 GMT".len() && registered.ends_with(" GMT"), "{registered}");
    let all = parsed(&admin.ask("GET /zosConnect/operations/getStatistics"));
    assert_eq!(all["zosConnectStatistics"][0]["put"]["InvokeRequestCount"], "3");
}

#[test]
fn an_api_maps_path_query_and_headers_to_its_service() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    let created = admin.send("POST /zosConnect/apis", &archive("api.yaml", API));
    check(
        &created,
        201,
        expect![[
            r#"{"name":"loans","version":"1.1","description":"Loans","status":"Started","documentation":{"swagger":"http://h:1/loans/api-docs"},"apiUrl":"http://h:1/loans","services":[{"name":"put","uri":"http://h:1/zosConnect/services/put"}]}"#
        ]],
    );
    check(
        &admin.ask("GET /zosConnect/apis"),
        200,
        expect![[
            r#"{"apis":[{"name":"loans","version":"1.1","description":"Loans","adminUrl":"http://h:1/zosConnect/apis/loans"}]}"#
        ]],
    );
    let json_type = "content-type: application/json\r\n";
    assert_eq!(error(&admin.call("PUT /loans/of/ADA?amount=5", json_type, "{}")), (404, "BAQR0431W".to_owned()));
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    let put = admin.call("PUT /loans/of/A%C3%96?amount=00005", json_type, "{}");
    assert_eq!(error(&put), (400, "BAQR0920W".to_owned()), "00005 is no number of JSON");
    assert_eq!(server.status("Q").depth.current, 0);
    let put = admin.call("PUT /loans/of/ADA?amount=5", &format!("{json_type}x-kind: z\r\n"), r#"{"kind":"y"}"#);
    assert_eq!((put.status, put.text()), (204, String::new()));
    let browsed = admin.call("GET /ibmmq/rest/v3/messaging/qmgr/QM1/queue/Q/messagelist", "", "");
    assert_eq!(browsed.status, 200);
    assert_eq!(server.body_of_first("Q"), b"ADA   00005z");
    assert_eq!(error(&admin.call("PUT /loans/of/ADA", json_type, "{}")), (400, "BAQR0920W".to_owned()));
    let other = admin.call("DELETE /loans/of/ADA", "", "");
    assert_eq!((error(&other), other.header("allow")), ((405, "BAQR0903W".to_owned()), Some("PUT")));
    assert_eq!(error(&admin.call("PUT /loans/nowhere", json_type, "{}")), (404, "BAQR0906W".to_owned()));
    assert_eq!(admin.request(("reader", "readerpw"), "PUT /loans/of/ADA?amount=5", json_type, b"{}").status, 403);
    let seen = parsed(&admin.ask("GET /zosConnect/apis/loans?action=getStatistics"));
    assert_eq!(seen["loans"]["ServiceStatistics"]["succeeded"], "1", "{seen}");
    assert_eq!(admin.ask("GET /zosConnect/apis/loans?action=nonsense").status, 400);
    assert_eq!(parsed(&admin.ask("PUT /zosConnect/apis/loans?status=stopped"))["status"], "Stopped");
    assert_eq!(error(&admin.call("PUT /loans/of/ADA?amount=5", json_type, "{}")), (503, "BAQR0905W".to_owned()));
    assert_eq!(admin.ask("DELETE /zosConnect/apis/loans").status, 200);
    assert_eq!(admin.call("PUT /loans/of/ADA?amount=5", json_type, "{}").status, 404);
}

/// An API whose body only passes, in front of a service that puts records.
const PASSING: &str = "name: pass\nbasePath: /pass\ndocument: openapi.json\noperations:\n\
    - path: /on\n  method: GET\n  operationId: read\n  service: put\n  request: { body: true }\n\
    - path: /on\n  method: PUT\n  operationId: change\n  service: put\n\
    - path: /on\n  method: POST\n  operationId: add\n  service: put\n";

#[test]
fn a_request_without_a_body_to_an_api_that_passes_bodies_needs_no_content_type() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    let wrapped = SERVICE.replace("ccsid", "requestWrapper: ask/record\nccsid");
    assert_eq!(admin.send("POST /zosConnect/services", &service(&wrapped)).status, 201);
    let api = PASSING.replace("document: openapi.json\n", "");
    assert_eq!(admin.send("POST /zosConnect/apis", &archive("api.yaml", &api)).status, 201);
    for line in ["GET /pass/on", "PUT /pass/on"] {
        let put = admin.call(line, "", "");
        assert_eq!((put.status, put.text()), (204, String::new()), "{line}");
        assert_eq!(server.take_body("Q"), b"      00000 ", "{line}");
    }
    // A page of another site may send this one unasked.
    assert_eq!(error(&admin.call("POST /pass/on", "", "")), (415, "BAQR0902W".to_owned()));
    assert_eq!(error(&admin.call("PUT /pass/on", "", "{}")), (415, "BAQR0902W".to_owned()));
    assert_eq!(server.status("Q").depth.current, 0);
}

#[test]
fn a_parameter_that_the_document_of_an_api_requires_must_be_there() {
    let document = json!({ "swagger": "2.0", "info": { "title": "t", "version": "1" }, "paths": { "/on": {
        "parameters": [{ "$ref": "#/parameters/who" }],
        "get": { "parameters": [{ "in": "query", "name": "amount", "required": true, "type": "integer" },
            { "in": "query", "name": "note", "type": "string" }], "responses": {} },
    } }, "parameters": { "who": { "in": "header", "name": "X-Who", "required": true, "type": "string" } } });
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    let packed = archive_of(&[("api.yaml", PASSING), ("openapi.json", &document.to_string())]);
    assert_eq!(admin.send("POST /zosConnect/apis", &packed).status, 201);
    let who = "x-who: me\r\n";
    let refused = admin.call("GET /pass/on?note=a", who, "");
    assert_eq!(error(&refused), (400, "BAQR0920W".to_owned()));
    assert!(refused.text().contains("the query parameter amount is missing"), "{}", refused.text());
    assert_eq!(error(&admin.call("GET /pass/on?amount=1", "", "")), (400, "BAQR0920W".to_owned()));
    assert_eq!(admin.call("GET /pass/on?amount=1", who, "").status, 204);
    assert_eq!(admin.call("PUT /pass/on", who, "").status, 204);
}

#[test]
fn callers_are_told_no_details_where_the_configuration_hides_them() {
    let server = TestServer::start_with(|options| options.zosconnect.error_details = false);
    let mut admin = Admin::of(&server);
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    assert_eq!(
        admin
            .send(
                "POST /zosConnect/apis",
                &archive("api.yaml", PASSING.replace("document: openapi.json\n", "").as_str())
            )
            .status,
        201
    );
    let json_type = "content-type: application/json\r\n";
    for line in ["POST /zosConnect/services/put?action=invoke", "POST /pass/on"] {
        let refused = admin.call(line, json_type, r#"{"cust_name":"much too long"}"#);
        assert_eq!(error(&refused), (400, "BAQM0002E".to_owned()), "{line}");
        assert_eq!(parsed(&refused).as_object().map(serde_json::Map::len), Some(1), "{}", refused.text());
    }
    // Who deploys is told what is wrong.
    let wrong = admin.send("POST /zosConnect/services", b"no archive");
    assert!(parsed(&wrong)["errorDetails"].is_string(), "{}", wrong.text());
}

#[test]
fn paths_and_queries_of_an_api_are_compared_decoded_and_have_to_be_text() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    let api = API.replace("/of/{customer}", "/für/{customer}");
    assert_eq!(admin.send("POST /zosConnect/apis", &archive("api.yaml", &api)).status, 201);
    let mut put = |path: &str| {
        let answer = admin.call(&format!("PUT {path}"), "content-type: application/json\r\n", r#"{"kind":"y"}"#);
        if answer.status == 204 { (204, String::new()) } else { error(&answer) }
    };
    assert_eq!(put("/loans/f%C3%BCr/ADA?amount=5"), (204, String::new()));
    assert_eq!(put("/loans/%66%c3%bcr/ADA?amount=5"), (204, String::new()));
    assert_eq!(put("/loans/f%FCr/ADA?amount=5"), (404, "BAQR0906W".to_owned()));
    assert_eq!(put("/loans/f%C3%BCr/%FF?amount=5"), (400, "BAQR0920W".to_owned()));
    assert_eq!(put("/loans/f%C3%BCr/ADA?amount=5&note=%FF"), (400, "BAQR0926W".to_owned()));
    assert_eq!(server.status("Q").depth.current, 2);
    assert_eq!(error(&admin.ask("GET /zosConnect/apis/loans?action=%FF")), (400, "BAQR0926W".to_owned()));
}

#[test]
fn an_api_has_the_methods_that_its_services_have_and_tells_them() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    let both = SERVICE.replace("name: put", "name: both").replace("messagingAction: mqput\n", "");
    assert_eq!(admin.send("POST /zosConnect/services", &service(&both)).status, 201);
    let api = "name: items\nbasePath: /items\noperations:\n- path: /one\n  method: GET\n  service: both\n\
        - path: /one\n  method: POST\n  service: both\n- path: /one\n  method: PUT\n  service: both\n";
    let created = admin.send("POST /zosConnect/apis", &archive("api.yaml", api));
    assert_eq!(created.status, 201, "{}", created.text());
    let record = r#"{"cust_name":"ADA","amount":5,"kind":"z"}"#;
    assert_eq!(admin.call("POST /items/one", "content-type: application/json\r\n", record).status, 204);
    let mut told = |line: &str| {
        let answer = admin.call(line, "", "");
        (answer.status, answer.header("allow").unwrap_or_default().to_owned())
    };
    let methods = "GET, HEAD, POST".to_owned();
    assert_eq!(told("PUT /items/one"), (405, methods.clone()));
    assert_eq!(told("DELETE /items/one"), (405, methods.clone()));
    assert_eq!(told("OPTIONS /items/one"), (200, methods));
    assert_eq!(told("OPTIONS /zosConnect/services/both?action=invoke"), (200, "POST, GET, HEAD, DELETE".to_owned()));
    let head = client::plain(&server).exchange("HEAD /items/one");
    assert_eq!((head.status, server.status("Q").depth.current), (200, 1));
}

#[test]
fn documents_of_apis_stand_at_their_base_path_and_in_that_of_all() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    let before = parsed(&admin.ask("GET /ibm/api/docs"));
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    assert_eq!(admin.send("POST /zosConnect/apis", &archive("api.yaml", API)).status, 201);
    let anybody = |line: &str, headers: &str| {
        let answer = client::plain(&server).exchange(&format!("GET {line}\n-authorization{headers}"));
        assert_eq!(answer.status, 200, "{line}: {}", answer.text());
        answer
    };
    let two = parsed(&anybody("/loans/api-docs", ""));
    assert_eq!((&two["swagger"], &two["basePath"]), (&"2.0".into(), &"/loans".into()));
    let parameters = &two["paths"]["/of/{customer}"]["put"]["parameters"];
    assert_eq!((&parameters[1]["name"], &parameters[1]["maximum"]), (&"amount".into(), &99_999.into()));
    let three = parsed(&anybody("/loans/api-docs?version=3", ""));
    assert_eq!((&three["openapi"], &three["servers"][0]["url"]), (&"3.0.3".into(), &"http://localhost/loans".into()));
    let yaml = anybody("/loans/api-docs", "\naccept: application/yaml").text();
    assert!(yaml.starts_with("\"swagger\": \"2.0\"\n"), "{yaml}");

    let all = parsed(&anybody("/ibm/api/docs", ""));
    assert!(all["paths"]["/loans/of/{customer}"]["put"].is_object());
    assert!(all["paths"]["/zosConnect/services"]["get"].is_object());
    let count = |document: &Value| document["paths"].as_object().map_or(0, serde_json::Map::len);
    let invoked = &all["paths"]["/zosConnect/services/put"]["post"];
    assert_eq!((&invoked["operationId"], &invoked["consumes"][0]), (&"post_put".into(), &"application/json".into()));
    assert_eq!(count(&all), count(&before) + 2);
    let one = parsed(&anybody("/ibm/api/docs?root=/loans", ""));
    assert_eq!(one, two);
    let both = parsed(&anybody("/ibm/api/docs?root=/loans&root=/zosConnect&compact=true", ""));
    assert!(both["paths"]["/loans/of/{customer}"].is_object() && both["paths"]["/zosConnect/apis"].is_object());
    assert!(both["paths"]["/livez"].is_null());
    let administration = parsed(&anybody("/zosConnect/api-docs", ""));
    assert!(administration["paths"]["/services/{service}"]["put"].is_object(), "{administration}");
    for one in ["apis/loans", "services/put"] {
        assert_eq!(admin.ask(&format!("PUT /zosConnect/{one}?status=stopped")).status, 200);
    }
    assert_eq!(parsed(&admin.ask("GET /ibm/api/docs")), before);
}

#[test]
fn the_openapi_document_has_what_is_deployed_and_started_besides_the_resources() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    let before = parsed(&admin.ask("GET /openapi.json"));
    assert_eq!(admin.send("POST /zosConnect/services", &service(SERVICE)).status, 201);
    assert_eq!(admin.send("POST /zosConnect/apis", &archive("api.yaml", API)).status, 201);
    let all = parsed(&admin.ask("GET /openapi.json"));
    let api = &all["paths"]["/loans/of/{customer}"]["put"];
    assert_eq!((&api["tags"], &api["x-roles"]), (&json!(["API loans"]), &json!(["MQWebUser"])));
    let service = &all["paths"]["/zosConnect/services/put"]["post"];
    assert_eq!((&service["tags"], &service["operationId"]), (&json!(["deployed services"]), &"post_put".into()));
    let tags = |document: &Value| document["tags"].as_array().map_or(0, Vec::len);
    assert_eq!(tags(&all), tags(&before) + 2);
    // Every reference leads somewhere, and to what was meant: both have an error and a request of their own.
    let text = all.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(all["components"]["schemas"][name].is_object(), "{name}");
    }
    let at = |document: &Value, schema: &Value| {
        let reference = schema["$ref"].as_str().expect("a reference").trim_start_matches('#').to_owned();
        document.pointer(&reference).expect("a schema").clone()
    };
    let sent = at(&all, &service["requestBody"]["content"]["application/json"]["schema"]);
    assert_eq!(sent["properties"]["cust_name"]["maxLength"], 6);
    let error = at(&all, &api["responses"]["default"]["content"]["application/json"]["schema"]);
    assert!(error["properties"]["errorMessage"].is_object(), "{error}");
    for one in ["services/put", "apis/loans"] {
        assert_eq!(admin.ask(&format!("PUT /zosConnect/{one}?status=stopped")).status, 200);
    }
    assert_eq!(parsed(&admin.ask("GET /openapi.json")), before);
}

#[test]
fn a_head_request_takes_no_message() {
    let server = TestServer::start();
    let mut admin = Admin::of(&server);
    for (name, text) in [
        ("put", SERVICE.to_owned()),
        ("take", SERVICE.replace("name: put", "name: take").replace("mqput", "mqget")),
        ("both", SERVICE.replace("name: put", "name: both").replace("messagingAction: mqput\n", "")),
    ] {
        assert_eq!(admin.send("POST /zosConnect/services", &service(&text)).status, 201, "{name}");
    }
    let record = r#"{"cust_name":"ADA","amount":5,"kind":"z"}"#;
    let url = |name: &str| format!("/zosConnect/services/{name}?action=invoke");
    let json_type = "content-type: application/json\r\n";
    assert_eq!(admin.call(&format!("POST {}", url("put")), json_type, record).status, 204);
    let head = |name: &str| client::plain(&server).exchange(&format!("HEAD {}", url(name))).status;
    assert_eq!((head("take"), head("put"), head("both")), (405, 405, 200));
    let patched = admin.call(&format!("PATCH {}", url("both")), json_type, record);
    assert_eq!((patched.status, patched.header("allow")), (405, Some("POST, GET, HEAD, DELETE")));
    let seen =
        parsed(&admin.ask("GET /zosConnect/services/both?action=statistics"))["both"]["ServiceStatistics"].clone();
    assert_eq!(
        (&seen["succeeded"], &seen["clientErrors"], &seen["abandoned"]),
        (&"1".into(), &"1".into(), &"0".into())
    );
    assert_eq!(server.status("Q").depth.current, 1);
}

#[test]
fn an_archive_dropped_into_the_folder_is_served_without_a_restart_and_found_by_the_next_server() {
    let server = TestServer::start();
    let services = server.folder().join("zosconnect/services");
    drop_in(&services, "x.sar", &service(SERVICE));
    let is_there = |name: &str| {
        let answer = Admin::of(&server).ask(&format!("GET /zosConnect/services/{name}"));
        answer.status == 200
    };
    eventually("the service is deployed", || is_there("put"));
    drop_in(&services, "x.sar", b"broken");
    drop_in(&services, "y.sar", &service(&SERVICE.replace("name: put", "name: second")));
    eventually("the second is deployed", || is_there("second"));
    assert!(is_there("put"), "a broken archive leaves what is deployed");
    std::fs::remove_file(services.join("x.sar")).expect("removed");
    eventually("the service is gone", || !is_there("put"));
}

#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn drop_in(folder: &Path, file: &str, content: &[u8]) {
    std::fs::create_dir_all(folder).expect("made");
    std::fs::write(folder.join(".copying"), content).expect("written");
    std::fs::rename(folder.join(".copying"), folder.join(file)).expect("renamed");
}
