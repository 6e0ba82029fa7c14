//! Requests and answers of an API, mapped.

use std::borrow::Cow;

use bytes::Bytes;
use expect_test::{Expect, expect};
use model::timestamp::Timestamp;
use serde_json::json;

use super::{Item, Kind, Loop, Made, Mapping, MappingError, Response, Source, Statement, Surroundings};
use crate::api::expression::Expression;
use crate::api::tree::Place;

fn mv(from: Source, to: &str, kind: Kind) -> Statement {
    Statement::Move { from, to: Place::parse(to).expect("a place"), kind, required: false }
}

fn query(name: &str) -> Source {
    Source::Query(name.to_owned())
}

/// Maps with `customer=Ada%2FB` in the path, the query and two headers; shows the body or the error.
fn check(mapping: &Mapping, query: &str, body: &str, expected: Expect) {
    let path = [("customer", Cow::Borrowed("Ada/B"))];
    let query = crate::api::query(query).expect("UTF-8");
    let header = |name: &str| match name.to_ascii_lowercase().as_str() {
        "x-token" => Some("t\"1"),
        _ => None,
    };
    let body = Bytes::copy_from_slice(body.as_bytes());
    let nothing = Bytes::new();
    let surroundings =
        Surroundings { path: &path, query: &query, header: &header, nothing: &nothing, body: &body, now: Timestamp(0) };
    let schema = json!({ "properties": {
        "amount": { "type": "integer" }, "rate": { "type": "number" }, "deep": { "properties": { "name": { "type": "string" } } },
        "list": { "type": "array", "items": { "properties": { "n": { "type": "integer" } } } },
        "ids": { "type": "array", "items": { "type": "integer" } }
    }});
    let shown = match mapping.request(&surroundings, Some(&schema)) {
        Ok(body) => String::from_utf8(body.to_vec()).expect("UTF-8"),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&shown);
}

#[test]
fn a_body_that_only_passes_stays_the_bytes_it_was() {
    check(&Mapping::pass(), "", " {\"a\" : 1.10} ", expect![[r#" {"a" : 1.10} "#]]);
    check(&Mapping::pass(), "", "not JSON", expect!["not JSON"]);
}

#[test]
fn parameters_move_into_the_body_with_the_type_that_the_schema_has() {
    let statements = vec![
        mv(Source::Path("customer".to_owned()), "/deep/name", Kind::AsSchema),
        mv(query("amount"), "/amount", Kind::AsSchema),
        mv(query("rate"), "rate", Kind::AsSchema),
        mv(query("free"), "free", Kind::AsSchema),
        mv(query("absent"), "absent", Kind::AsSchema),
        mv(Source::Header("X-TOKEN".to_owned()), "token", Kind::AsSchema),
    ];
    let mapping = Mapping { passes_body: false, statements: statements.clone() };
    let query = "amount=12345678901234567890&rate=0.10&free=a+b%26";
    check(
        &mapping,
        query,
        "ignored",
        expect![[
            r#"{"deep":{"name":"Ada/B"},"amount":12345678901234567890,"rate":0.10,"free":"a b&","token":"t\"1"}"#
        ]],
    );
    let passing = Mapping { passes_body: true, statements };
    check(
        &passing,
        query,
        r#"{"amount":1,"other":0.30000000000000000001,"deep":{"x":[1, 2]}}"#,
        expect![[
            r#"{"amount":12345678901234567890,"other":0.30000000000000000001,"deep":{"x":[1, 2],"name":"Ada/B"},"rate":0.10,"free":"a b&","token":"t\"1"}"#
        ]],
    );
    check(&passing, "amount=1", "", expect![[r#"{"deep":{"name":"Ada/B"},"amount":1,"token":"t\"1"}"#]]);
}

#[test]
fn values_of_the_wrong_type_and_missing_ones_are_the_callers_fault() {
    let one = |kind, required| {
        let to = Place::parse("a").expect("a place");
        Mapping { passes_body: false, statements: vec![Statement::Move { from: query("q"), to, kind, required }] }
    };
    check(
        &one(Kind::Integer, false),
        "q=1.5",
        "",
        expect![[r#"the query parameter q has the value "1.5", expected integer"#]],
    );
    check(
        &one(Kind::Integer, false),
        "q=1,\"x\":2",
        "",
        expect![[r#"the query parameter q has the value "1,\"x\":2", expected integer"#]],
    );
    check(
        &one(Kind::Number, false),
        "q=NaN",
        "",
        expect![[r#"the query parameter q has the value "NaN", expected number"#]],
    );
    check(&one(Kind::Number, false), "q=-0.5e%2B10", "", expect![[r#"{"a":-0.5e+10}"#]]);
    check(
        &one(Kind::Number, false),
        "q=01",
        "",
        expect![[r#"the query parameter q has the value "01", expected number"#]],
    );
    check(
        &one(Kind::Boolean, false),
        "q=yes",
        "",
        expect![[r#"the query parameter q has the value "yes", expected boolean: true or false"#]],
    );
    check(&one(Kind::List(Item::Text), false), "q=a,b", "", expect![[r#"{"a":["a","b"]}"#]]);
    check(&one(Kind::List(Item::Integer), false), "q=1,2,,3", "", expect![[r#"{"a":[1,2,3]}"#]]);
    check(
        &one(Kind::List(Item::Integer), false),
        "q=1,b",
        "",
        expect![[r#"the query parameter q has the value "b", expected integer"#]],
    );
    check(&one(Kind::Text, true), "", "", expect!["the query parameter q is missing"]);
    check(&one(Kind::Text, false), "", "", expect!["{}"]);
}

#[test]
fn a_list_of_a_parameter_has_the_items_that_the_schema_has() {
    let mapping = Mapping { passes_body: false, statements: vec![mv(query("ids"), "ids", Kind::AsSchema)] };
    check(&mapping, "ids=1,2,3", "", expect![[r#"{"ids":[1,2,3]}"#]]);
    check(&mapping, "ids=1,x", "", expect![[r#"the query parameter ids has the value "x", expected integer"#]]);
}

#[test]
fn members_move_constants_are_set_and_members_go() {
    let statements = vec![
        mv(Source::Body(Place::parse("old/name").expect("a place")), "new", Kind::AsSchema),
        mv(Source::Value(json!({ "a": [1] })), "constant", Kind::AsSchema),
        Statement::Remove(Place::parse("old").expect("a place")),
        Statement::Remove(Place::parse("nowhere/at/all").expect("a place")),
        Statement::Remove(Place::parse("list/0").expect("a place")),
        mv(Source::Value(json!(9)), "list/0/n", Kind::AsSchema),
    ];
    let mapping = Mapping { passes_body: true, statements };
    check(
        &mapping,
        "",
        r#"{"old":{"name":"x"},"list":[{"n":1},{"n":2,"m":3}]}"#,
        expect![[r#"{"list":[{"n":9,"m":3}],"new":"x","constant":{"a":[1]}}"#]],
    );
    check(&mapping, "", "[1]", expect!["the request body is not a JSON object: it is another value"]);
    check(
        &mapping,
        "",
        "{\"a\":",
        expect!["the request body is not a JSON object: EOF while parsing a value at line 1 column 5"],
    );
}

#[test]
fn an_array_takes_the_next_element_and_is_made_where_the_schema_has_one() {
    let to = |place: &str| Mapping { passes_body: true, statements: vec![mv(query("q"), place, Kind::AsSchema)] };
    check(&to("ids/1"), "q=7", r#"{"ids":[1,2,3]}"#, expect![[r#"{"ids":[1,7,3]}"#]]);
    check(&to("ids/1"), "q=7", r#"{"ids":[1]}"#, expect![[r#"{"ids":[1,7]}"#]]);
    check(
        &to("ids/1"),
        "q=7",
        r#"{"ids":[]}"#,
        expect!["ids/1 cannot be set: the array in this path has 0 elements, and no element 1"],
    );
    check(&to("ids/0"), "q=7", "{}", expect![[r#"{"ids":[7]}"#]]);
    check(&to("ids/0"), "q=7", r#"{"ids":"text"}"#, expect![[r#"{"ids":[7]}"#]]);
    check(&to("list/0/n"), "q=7", "", expect![[r#"{"list":[{"n":7}]}"#]]);
    check(
        &to("list/n"),
        "q=7",
        r#"{"list":[{"n":1}]}"#,
        expect!["list/n cannot be set: the array in this path has 1 elements, and no element n"],
    );
    // The schema does not say what `free` is.
    check(&to("free/0"), "q=7", r#"{"free":[]}"#, expect![[r#"{"free":["7"]}"#]]);
    check(&to("free/0"), "q=7", "{}", expect![[r#"{"free":{"0":"7"}}"#]]);
}

fn answered(mapping: &Mapping, answer: &Bytes) -> Result<Bytes, MappingError> {
    let nothing = Bytes::new();
    let surroundings =
        Surroundings { path: &[], query: &[], header: &|_| None, nothing: &nothing, body: &nothing, now: Timestamp(0) };
    mapping.response(answer, &surroundings, None)
}

#[test]
fn an_answer_is_changed_the_same_way_and_an_empty_one_stays_empty() {
    let statements = vec![
        mv(Source::Body(Place::parse("inner").expect("a place")), ".", Kind::AsSchema),
        Statement::Remove(Place::parse("secret").expect("a place")),
    ];
    let mapping = Mapping { passes_body: false, statements };
    let body = Bytes::from_static(br#"{"inner":{"a":1.50,"secret":true}}"#);
    assert_eq!(answered(&mapping, &body).expect("mapped"), r#"{"a":1.50}"#);
    assert_eq!(answered(&mapping, &Bytes::new()).expect("mapped"), "");
}

#[test]
fn what_a_mapping_sets_is_the_only_member_of_its_name_afterwards() {
    let statements = vec![
        mv(Source::Path("customer".to_owned()), "customer", Kind::Text),
        mv(query("amount"), "deep/amount", Kind::Text),
    ];
    check(
        &Mapping { passes_body: true, statements },
        "amount=1",
        r#"{"customer":"me","other":1,"customer":"somebody else","deep":{"amount":7},"deep":{"amount":8,"amount":9,"x":2}}"#,
        expect![[r#"{"other":1,"customer":"Ada/B","deep":{"amount":"1","x":2}}"#]],
    );
}

fn expression(text: &str) -> Expression {
    Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn expressions_make_values_of_the_whole_request() {
    let set = |to, text| mv(Source::Expression(expression(text)), to, Kind::AsSchema);
    let statements = vec![
        set("who", "$uppercase($apiRequest.pathParameters.customer) & '/' & $apiRequest.headers.`X-Token`"),
        set("amount", "$number($apiRequest.queryParameters.amount) + 0.10"),
        set("total", "$sum(lines.(price))".replace(".(price)", ".price").as_str()),
        set("first", "$apiRequest.body.lines[0].name"),
        set("none", "nowhere.at.all"),
    ];
    let mapping = Mapping { passes_body: false, statements };
    check(
        &mapping,
        "amount=12345678901234567890.15",
        r#"{"lines":[{"name":"a","price":1.50},{"name":"b","price":2.25}]}"#,
        expect![[r#"{"who":"ADA/B/t\"1","amount":12345678901234567890.25,"total":3.75,"first":"a"}"#]],
    );
    check(
        &mapping,
        "amount=much",
        "{}",
        expect![[
            r#"the expression $number($apiRequest.queryParameters.amount) + 0.10 for amount has no value: $number: "much" is not a number of up to 38 digits"#
        ]],
    );
}

#[test]
fn a_body_that_no_expression_reads_may_be_anything() {
    let set = |text| mv(Source::Expression(expression(text)), "a", Kind::AsSchema);
    let made = |statement| Mapping { passes_body: false, statements: vec![statement] };
    check(&made(set("$apiRequest.headers.`X-Token` & '!'")), "", "not JSON", expect![[r#"{"a":"t\"1!"}"#]]);
    check(&made(set("$apiRequest.queryParameters.page[$ = '2']")), "page=2", "not JSON", expect![[r#"{"a":["2"]}"#]]);
    let members = vec![(Place::parse("n").expect("a place"), Made::Value(expression("$")))];
    let each = Loop { over: expression("[1, 2]"), variable: "item".to_owned(), members };
    let each = Statement::Each { each, to: Place::parse("a").expect("a place") };
    check(&made(each), "", "not JSON", expect![[r#"{"a":[{"n":1},{"n":2}]}"#]]);
    for text in ["name", "$apiRequest.body.name", "$string($apiRequest)"] {
        check(
            &made(set(text)),
            "",
            "not JSON",
            expect!["the request body is not a JSON object: expected ident at line 1 column 2"],
        );
    }
}

#[test]
fn an_answer_that_no_expression_reads_may_be_anything_and_so_may_the_body_that_was_asked_with() {
    let ask = |when: Option<&str>, value: &str, answer: &'static str| {
        let statements = vec![mv(Source::Expression(expression(value)), "a", Kind::AsSchema)];
        let mapping = Mapping { passes_body: false, statements };
        let responses = [Response { when: when.map(expression), code: 201, mapping }];
        let (nothing, body) = (Bytes::new(), Bytes::from_static(b"BOOK 7"));
        let header = |name: &str| (name == "X-Id").then_some("7");
        let surroundings =
            Surroundings { path: &[], query: &[], header: &header, nothing: &nothing, body: &body, now: Timestamp(0) };
        match Response::answer(&responses, &Bytes::from_static(answer.as_bytes()), false, &surroundings) {
            Ok((code, body)) => format!("{code} {}", String::from_utf8_lossy(&body)),
            Err(error) => error.to_string(),
        }
    };
    let by_header = Some("$apiRequest.headers.`X-Id` = '7'");
    assert_eq!(ask(by_header, "'done'", "DONE"), r#"201 {"a":"done"}"#);
    assert_eq!(ask(by_header, "$substring($apiRequest.body, 5)", "DONE"), r#"201 {"a":"7"}"#);
    assert_eq!(ask(None, "$zosAssetResponse[0]", "[8]"), r#"201 {"a":8}"#);
    assert_eq!(ask(None, "[1][n = 1]", "DONE"), "201 {}");
    for (when, value) in [(Some("ok"), "1"), (None, "ok"), (None, "$zosAssetResponse.ok")] {
        assert!(ask(when, value, "DONE").contains("is not a JSON object"), "{when:?} {value}");
    }
}

#[test]
fn a_loop_makes_an_element_of_each_and_may_stand_in_another() {
    let place = |text: &str| Place::parse(text).expect("a place");
    let inner = Loop {
        over: expression("$line.parts"),
        variable: "item".to_owned(),
        members: vec![(place("name"), Made::Value(expression("$line.name & '-' & $item")))],
    };
    let each = Loop {
        over: expression("lines[quantity > 0]"),
        variable: "line".to_owned(),
        members: vec![
            (place("number"), Made::Value(expression("$index + 1"))),
            (place("article/id"), Made::Value(expression("name"))),
            (place("parts"), Made::Loop(inner)),
        ],
    };
    let mapping = Mapping { passes_body: false, statements: vec![Statement::Each { each, to: place("items") }] };
    check(
        &mapping,
        "",
        r#"{"lines":[{"name":"a","quantity":1,"parts":["x","y"]},{"name":"b","quantity":0},{"name":"c","quantity":2}]}"#,
        expect![[
            r#"{"items":[{"number":1,"article":{"id":"a"},"parts":[{"name":"a-x"},{"name":"a-y"}]},{"number":2,"article":{"id":"c"}}]}"#
        ]],
    );
    check(&mapping, "", "{}", expect!["{}"]);
}

#[test]
fn the_first_response_whose_condition_holds_gives_code_and_body() {
    let response = |when: Option<&str>, code, statements| Response {
        when: when.map(expression),
        code,
        mapping: Mapping { passes_body: false, statements },
    };
    let set = |to, text| mv(Source::Expression(expression(text)), to, Kind::AsSchema);
    let mut responses = vec![
        response(Some("approved = 'Y'"), 201, vec![set("rate", "rate_bp / 100")]),
        response(
            Some("$zosAssetResponse.rate_bp > 400"),
            422,
            vec![set("why", "remarks[0] & ' for ' & $apiRequest.body.name")],
        ),
    ];
    let ask = |responses: &[Response], answer: &str| {
        let (nothing, body) = (Bytes::new(), Bytes::from_static(br#"{"name":"ada"}"#));
        let surroundings = Surroundings {
            path: &[],
            query: &[],
            header: &|_| None,
            nothing: &nothing,
            body: &body,
            now: Timestamp(0),
        };
        match Response::answer(responses, &Bytes::copy_from_slice(answer.as_bytes()), false, &surroundings) {
            Ok((code, body)) => format!("{code} {}", String::from_utf8_lossy(&body)),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(ask(&responses, r#"{"approved":"Y","rate_bp":425}"#), r#"201 {"rate":4.25}"#);
    assert_eq!(ask(&responses, r#"{"approved":"N","rate_bp":425,"remarks":["LOW"]}"#), r#"422 {"why":"LOW for ada"}"#);
    let none = r#"{"approved":"N","rate_bp":1}"#;
    assert_eq!(ask(&responses, none), "no response of the operation is for this answer of the service");
    responses.push(Response { when: None, code: 200, mapping: Mapping::pass() });
    assert_eq!(ask(&responses, none), format!("200 {none}"));
}
