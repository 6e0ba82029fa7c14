//! Sources of APIs, and the archives they become.

use expect_test::expect;
use serde_json::json;

use crate::api::mapping::{Kind, Mapping, Response, Source, Statement};
use crate::api::tree::Place;
use crate::archive::ApiArchive;
use crate::build::{BuildError, Built, build};

const YAML: &str = "name: loans\nversion: 1.0\nbasePath: /loans/\noperations:\n\
    - path: /applications/{customer}\n  method: post\n  service: loanService\n  summary: Asks <for> a loan\n\
    \x20 request:\n    set:\n      cust_name: { path: customer }\n      loan_amount: { query: amount, type: integer, required: true }\n\
    \x20     /channel: { value: 7 }\n    remove: [internal]\n\
    \x20 response:\n    code: 201\n    remove:\n    - msg_count\n\
    - path: /\n  method: GET\n  operationId: ask\n  service: other\n";

#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn built(yaml: &str, document: Option<&str>) -> Result<ApiArchive, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("api.yaml"), yaml).expect("written");
    if let Some(document) = document {
        std::fs::write(folder.path().join("document.yaml"), document).expect("written");
    }
    let told = |error: BuildError| {
        let file = error.file.strip_prefix(folder.path()).expect("in the folder").to_owned();
        BuildError { file, ..error }.to_string()
    };
    match build(folder.path()).map_err(told)? {
        Built::Api(archive) => Ok(archive),
        Built::Service(_) => panic!("a service"),
    }
}

#[test]
fn a_source_becomes_an_archive_in_the_public_layout_that_says_the_same() {
    let archive = built(YAML, None).expect("built");
    let entries: Vec<&str> = archive.entries().collect();
    expect![[r#"
        [
            "api/GET/mapping.xml",
            "api/GET/request.map",
            "api/GET/response.map",
            "api/applications/{customer}/POST/mapping.xml",
            "api/applications/{customer}/POST/request.map",
            "api/applications/{customer}/POST/response.map",
            "package.xml",
        ]
    "#]]
    .assert_debug_eq(&entries);
    let read = ApiArchive::read(&archive.write().expect("written")).expect("read");
    assert_eq!(read, archive);
    let [post, get] = read.definition.operations.as_slice() else { panic!("two operations") };
    assert_eq!((post.method, &*post.operation_id, post.responses[0].code), ("POST", "postApplicationsCustomer", 201));
    assert_eq!((get.method, &*get.operation_id, &*get.service), ("GET", "ask", "other"));
    assert_eq!((&*read.definition.base_path, &*read.definition.version), ("/loans", "1.0"));
    let mv = |from, to: &str, kind, required| {
        let to = Place::parse(to).expect("a place");
        Statement::Move { from, to, kind, required }
    };
    let statements = vec![
        mv(Source::Path("customer".to_owned()), "cust_name", Kind::AsSchema, true),
        mv(Source::Query("amount".to_owned()), "loan_amount", Kind::Integer, true),
        mv(Source::Value(json!(7)), "channel", Kind::AsSchema, false),
        Statement::Remove(Place::parse("internal").expect("a place")),
    ];
    assert_eq!(post.request, Mapping { passes_body: true, statements });
    assert!(!get.request.passes_body && get.responses == [Response::pass()]);
}

#[test]
fn a_document_comes_along_as_json() {
    let yaml = format!("{YAML}document: document.yaml\n");
    let archive = built(&yaml, Some("openapi: 3.0.1\ninfo: {title: x, version: '1'}\npaths: {}\n")).expect("built");
    let read = ApiArchive::read(&archive.write().expect("written")).expect("read");
    assert_eq!(read.definition.document.expect("a document")["openapi"], "3.0.1");
    let wrong = built(&yaml, Some("a: b\n")).expect_err("refused");
    assert_eq!(wrong, "document.yaml: it is no document of OpenAPI 2.0 or 3 with paths");
}

#[test]
fn mistakes_are_told_by_their_place() {
    let problem = |yaml: &str| built(yaml, None).expect_err("refused");
    let one = |rest: &str| format!("name: a\noperations:\n- path: /x/{{id}}\n  method: POST\n  service: s\n{rest}");
    let problem_of = |rest: &str| problem(&one(rest));
    expect!["api.yaml: there is no operation"].assert_eq(&problem("name: a\n"));
    expect!["api.yaml: line 2, operatoins: there is no such key, did you mean operations?"]
        .assert_eq(&problem("name: a\noperatoins: []\n"));
    expect!["api.yaml: line 3, operations[0].servise: there is no such key, did you mean service?"]
        .assert_eq(&problem("name: a\noperations:\n- servise: s\n"));
    expect!["api.yaml: line 4, operations[0].method: 'FETCH' is not valid, expected one of GET, PUT, POST, DELETE, PATCH, HEAD, OPTIONS"]
        .assert_eq(&problem("name: a\noperations:\n- path: /\n  method: FETCH\n"));
    expect!["api.yaml: line 6, operations[0].request.set: the path /x/{id} has no parameter other"]
        .assert_eq(&problem(&one("  request: { set: { a: { path: other } } }\n")));
    expect!["api.yaml: line 6, operations[0].request.set.a: expected one of path, query, header, body, value, expression or each"]
        .assert_eq(&problem(&one("  request: { set: { a: { path: id, query: b } } }\n")));
    expect!["api.yaml: line 6, operations[0].request.set.a.type: 'money' is no type"]
        .assert_eq(&problem(&one("  request: { set: { a: { query: b, type: money } } }\n")));
    for (source, problem) in [
        (
            "expression: '1', type: string",
            "it is for path, query and header; this expression has a type of its own; $number, $string or $boolean in the expression change it",
        ),
        ("value: 1, type: string", "it is for path, query and header; this value has a type of its own"),
        ("body: b, type: integer", "it is for path, query and header; this body has a type of its own"),
    ] {
        let told = problem_of(&format!("  request: {{ set: {{ a: {{ {source} }} }} }}\n"));
        assert_eq!(told, format!("api.yaml: line 6, operations[0].request.set.a.type: {problem}"));
    }
    expect!["api.yaml: line 6, operations[0].response.code: '99' is no code from 200 to 599"]
        .assert_eq(&problem(&one("  response: { code: 99 }\n")));
    expect!["api.yaml: basePath is '/ibmmq/x', below which the server has resources of its own"]
        .assert_eq(&problem(&format!("basePath: /ibmmq/x\n{}", one(""))));
}

const RICH: &str = "name: loans
basePath: /loans
operations:
- path: /applications/{customer}
  method: POST
  service: loanService
  request:
    body: false
    set:
      cust_name: { expression: \"$uppercase($apiRequest.pathParameters.customer) & \\\"<&>\\\"\" }
      amount: { expression: amount * 100, required: true }
      lines:
        each: $apiRequest.body.orders[quantity > 0]
        as: line
        set:
          number: { expression: $index + 1 }
          parts: { each: $line.parts, set: { id: { expression: $item } } }
  responses:
  - { when: approved = 'Y', code: 201 }
  - { when: $zosAssetResponse.rate > $number($apiRequest.headers.`X-Most`), code: 422, body: false, set: { why: { expression: \"remarks[0]\" } } }
  - { code: 200, remove: [secret] }
";

#[test]
fn expressions_loops_and_responses_go_through_the_archive_unchanged() {
    let archive = built(RICH, None).expect("built");
    let read = ApiArchive::read(&archive.write().expect("written")).expect("read");
    assert_eq!(read.definition.operations, archive.definition.operations);
    let operation = &read.definition.operations[0];
    let codes: Vec<u16> = operation.responses.iter().map(|response| response.code).collect();
    assert_eq!(codes, [201, 422, 200]);
    assert!(
        matches!(operation.request.statements.as_slice(), [_, _, Statement::Each { each, .. }] if each.variable == "line")
    );
    let document = crate::openapi::of_api(&read.definition, &|_| (None, None), "");
    let described = &document["paths"]["/applications/{customer}"]["post"];
    let codes: Vec<&String> = described["responses"].as_object().expect("responses").keys().collect();
    assert_eq!(codes, ["201", "422", "200", "204", "default"]);
    let parameters: Vec<_> =
        described["parameters"].as_array().expect("parameters").iter().map(|one| &one["name"]).collect();
    assert_eq!(parameters, ["customer", "X-Most"]);
}

#[test]
fn mistakes_in_expressions_and_responses_are_told_by_their_place() {
    let problem = |old: &str, new: &str| built(&RICH.replace(old, new), None).expect_err("refused");
    expect!["api.yaml: line 11, operations[0].request.set.amount.expression: at character 9 of the expression: '*' begins no value"]
        .assert_eq(&problem("amount * 100", "amount **"));
    expect![
        "api.yaml: line 14, operations[0].request.set.lines.as: '$line' is no name of letters and digits, without $"
    ]
    .assert_eq(&problem("as: line", "as: $line"));
    expect!["api.yaml: line 16, operations[0].request.set.lines.set.number.expresion: there is no such key, did you mean expression?"]
        .assert_eq(&problem("number: { expression", "number: { expresion"));
    expect!["api.yaml: line 17, operations[0].request.set.lines.set.parts.each: there is no variable $lin; expected one of $apiRequest, $zosAssetResponse, $line, $index"]
        .assert_eq(&problem("each: $line.parts", "each: $lin.parts"));
    expect!["api.yaml: line 22, operations[0].responses[3].when: the response before it has no condition, so that this one never applies"]
        .assert_eq(&problem("- { code: 200, remove: [secret] }", "- { code: 200 }\n  - { code: 201 }"));
    expect!["api.yaml: line 18, operations[0].response: it cannot be used with responses"]
        .assert_eq(&problem("  responses:\n", "  response: { code: 200 }\n  responses:\n"));
}
