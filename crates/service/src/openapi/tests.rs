//! Documents of APIs.

use expect_test::expect;
use serde_json::{Value, json};

use super::{merge, of_api, swagger_of_api, upgrade};
use crate::api::expression::Expression;
use crate::api::mapping::{Kind, Loop, Made, Mapping, Response, Source, Statement};
use crate::api::path::Template;
use crate::api::tree::Place;
use crate::api::{ApiDefinition, Operation};

fn schemas(service: &str) -> (Option<Value>, Option<Value>) {
    let text = json!({ "type": "string", "maxLength": 10 });
    let number = json!({ "type": "integer", "minimum": 0, "maximum": 9_999_999 });
    match service {
        "loan" => (
            Some(
                json!({ "$schema": "x", "type": "object", "properties": { "name": text, "amount": number, "note": text } }),
            ),
            Some(json!({ "$schema": "x", "type": "object", "properties": { "approved": text, "count": number } })),
        ),
        "text" => (Some(json!({ "type": "string" })), Some(json!({ "type": "string" }))),
        _ => (None, None),
    }
}

fn api(document: Option<Value>) -> ApiDefinition {
    let mv = |from, to: &str| Statement::Move {
        from,
        to: Place::parse(to).expect("a place"),
        kind: Kind::AsSchema,
        required: false,
    };
    ApiDefinition {
        name: "loans".to_owned(),
        title: "Loans".to_owned(),
        version: "1.0".to_owned(),
        description: String::new(),
        base_path: "/loans".to_owned(),
        operations: vec![Operation {
            path: Template::parse("/of/{who}").expect("a path"),
            method: "POST",
            operation_id: "ask".to_owned(),
            summary: "Asks".to_owned(),
            description: String::new(),
            service: "loan".to_owned(),
            request: Mapping {
                passes_body: true,
                statements: vec![
                    mv(Source::Path("who".to_owned()), "name"),
                    mv(Source::Query("amount".to_owned()), "amount"),
                ],
            },
            responses: vec![Response {
                when: None,
                code: 201,
                mapping: Mapping {
                    passes_body: true,
                    statements: vec![Statement::Remove(Place::parse("count").expect("a place"))],
                },
            }],
            required: Vec::new(),
        }],
        document,
    }
}

#[test]
fn a_document_is_made_from_the_schemas_of_the_service_and_the_mapping() {
    let made = of_api(&api(None), &schemas, "https://h:1");
    expect![[r##"{"openapi":"3.0.3","info":{"title":"Loans","version":"1.0"},"paths":{"/of/{who}":{"post":{"tags":["loans"],"operationId":"ask","summary":"Asks","parameters":[{"name":"who","in":"path","required":true,"schema":{"type":"string","maxLength":10}},{"name":"amount","in":"query","required":false,"schema":{"type":"integer","minimum":0,"maximum":9999999}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ask_request"}}}},"responses":{"201":{"description":"The service has answered.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/ask_response_201"}}}},"204":{"description":"The service has nothing to say, or no message came in time."},"default":{"description":"The request is refused, or the service failed.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}}},"security":[{"basic":[]}]}}},"components":{"securitySchemes":{"basic":{"type":"http","scheme":"basic"}},"schemas":{"Error":{"type":"object","required":["errorMessage"],"properties":{"errorMessage":{"type":"string"},"errorDetails":{"type":"string"}}},"ask_request":{"type":"object","properties":{"note":{"type":"string","maxLength":10}}},"ask_response_201":{"type":"object","properties":{"approved":{"type":"string","maxLength":10}}}}},"security":[{"basic":[]}],"servers":[{"url":"https://h:1/loans"}]}"##]]
    .assert_eq(&made.to_string());
}

#[test]
fn an_answer_that_expressions_make_is_described_by_what_they_make() {
    let place = |to: &str| Place::parse(to).expect("a place");
    let expression = |text: &str| Expression::parse(text).expect("an expression");
    let mv = |text: &str, to: &str, required| Statement::Move {
        from: Source::Expression(expression(text)),
        to: place(to),
        kind: Kind::AsSchema,
        required,
    };
    let each = Loop {
        over: expression("$filter(lines, function($v) { $v.price > 1 })"),
        variable: "line".to_owned(),
        members: vec![
            (place("number"), Made::Value(expression("$index"))),
            (place("price"), Made::Value(expression("$line.price"))),
            (place("tags"), Made::Value(expression("tags"))),
        ],
    };
    let mapping = Mapping {
        passes_body: false,
        statements: vec![
            mv("$zosAssetResponse.approved", "result", true),
            mv("count > 1 ? 'many' : 'few'", "amount/word", false),
            mv("$sum(lines.price) * 2", "amount/sum", true),
            mv("lines.price", "prices", false),
            mv("lines[0].tags[-1]", "tag", false),
            mv("($a := $now(); $a)", "at", false),
            mv("$apiRequest.pathParameters.who & '!'", "who", false),
            mv("approved = 'Y' ? 1 : 'no'", "either", false),
            Statement::Each { each, to: place("lines") },
        ],
    };
    let service = json!({ "type": "object", "properties": {
        "approved": { "type": "string", "maxLength": 1 }, "count": { "type": "integer" },
        "lines": { "type": "array", "items": { "type": "object", "properties": {
            "price": { "type": "number" }, "tags": { "type": "array", "items": { "type": "string", "maxLength": 3 } },
        } } },
    } });
    let made = super::answers::schema(&mapping, Some(service));
    expect![[r#"{"type":"object","required":["result"],"properties":{"result":{"type":"string","maxLength":1},"amount":{"type":"object","properties":{"word":{"type":"string"},"sum":{"type":"number"}},"required":["sum"]},"prices":{"type":"array","items":{"type":"number"}},"tag":{"type":"string","maxLength":3},"at":{"type":"string","format":"date-time"},"who":{"type":"string"},"either":{},"lines":{"type":"array","items":{"type":"object","properties":{"number":{"type":"integer"},"price":{"type":"number"},"tags":{"type":"array","items":{"type":"string","maxLength":3}}}}}}}"#]].assert_eq(&made.to_string());
    let mut api = api(None);
    api.operations[0].responses = vec![
        Response { when: Some(expression("approved = 'N'")), code: 204, mapping: Mapping::default() },
        Response { when: None, code: 200, mapping },
    ];
    let made = of_api(&api, &schemas, "");
    assert_eq!(made["paths"]["/of/{who}"]["post"]["responses"]["204"].get("content"), None);
    assert_eq!(made["components"]["schemas"]["ask_response_200"]["properties"]["result"]["maxLength"], 10);
}

#[test]
fn an_api_in_front_of_a_service_for_texts_takes_and_gives_text() {
    let mut api = api(None);
    let operation = &mut api.operations[0];
    (operation.service, operation.request) = ("text".to_owned(), Mapping::pass());
    operation.responses = vec![Response { code: 201, ..Response::pass() }];
    let made = swagger_of_api(&api, &schemas);
    let operation = &made["paths"]["/of/{who}"]["post"];
    assert_eq!(operation["consumes"], json!(["text/plain"]));
    assert_eq!(operation["produces"], json!(["application/json", "text/plain"]));
    assert_eq!(made["definitions"]["ask_request"], json!({ "type": "string" }));
}

#[test]
fn swagger_is_made_from_it_with_the_body_as_a_parameter() {
    let made = swagger_of_api(&api(None), &schemas);
    assert_eq!((&made["swagger"], &made["basePath"]), (&json!("2.0"), &json!("/loans")));
    let operation = &made["paths"]["/of/{who}"]["post"];
    expect![[r##"[{"name":"who","in":"path","required":true,"type":"string","maxLength":10},{"name":"amount","in":"query","required":false,"type":"integer","minimum":0,"maximum":9999999},{"name":"body","in":"body","required":true,"schema":{"$ref":"#/definitions/ask_request"}}]"##]]
    .assert_eq(&operation["parameters"].to_string());
    assert_eq!(operation["responses"]["201"]["schema"]["$ref"], "#/definitions/ask_response_201");
    let text = made.to_string();
    for word in ["requestBody", "components", "\"content\":", "servers"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn a_service_that_is_not_deployed_leaves_its_schemas_open() {
    let mut api = api(None);
    api.operations[0].service = "gone".to_owned();
    let made = of_api(&api, &schemas, "");
    assert_eq!(made["components"]["schemas"]["ask_request"], json!({ "type": "object" }));
    assert_eq!(made["paths"]["/of/{who}"]["post"]["parameters"][1]["schema"], json!({ "type": "string" }));
}

fn given() -> Value {
    json!({
        "swagger": "2.0", "info": { "title": "Given", "version": "9" }, "host": "localhost:8080", "basePath": "/old",
        "schemes": ["https"], "consumes": ["application/json"], "produces": ["application/json"],
        "paths": { "/x/{id}": {
            "parameters": [{ "name": "id", "in": "path", "required": true, "type": "string" }],
            "post": {
                "operationId": "ask", "responses": { "200": { "description": "OK", "schema": { "$ref": "#/definitions/A" } } },
                "parameters": [{ "name": "b", "in": "body", "required": true, "schema": { "$ref": "#/definitions/A" } }]
            }
        } },
        "definitions": { "A": { "type": "object" } }
    })
}

#[test]
fn a_document_of_the_archive_is_served_in_both_forms_on_the_base_path_of_the_api() {
    let api = api(Some(given()));
    let swagger = swagger_of_api(&api, &schemas);
    assert_eq!(
        (&swagger["basePath"], &swagger["host"], &swagger["info"]["title"]),
        (&json!("/loans"), &Value::Null, &json!("Given"))
    );
    let three = of_api(&api, &schemas, "http://h");
    expect![[r##"{"openapi":"3.0.3","info":{"title":"Given","version":"9"},"paths":{"/x/{id}":{"post":{"operationId":"ask","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}},"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}}},"components":{"schemas":{"A":{"type":"object"}}},"servers":[{"url":"http://h/loans"}]}"##]]
    .assert_eq(&three.to_string());
}

#[test]
fn what_is_turned_into_three_and_back_says_the_same() {
    let back = super::swagger::from(&upgrade::from(&given()));
    let operation = &back["paths"]["/x/{id}"]["post"];
    assert_eq!(operation["parameters"][0], given()["paths"]["/x/{id}"]["parameters"][0]);
    assert_eq!(operation["parameters"][1]["schema"], json!({ "$ref": "#/definitions/A" }));
    assert_eq!(operation["responses"]["200"]["schema"], json!({ "$ref": "#/definitions/A" }));
    assert_eq!(back["definitions"], given()["definitions"]);
}

#[test]
fn documents_are_merged_below_their_base_paths_with_names_kept_apart() {
    let mut whole = merge::empty("All", "1");
    let mut other = given();
    other["definitions"]["A"] = json!({ "type": "string" });
    other["basePath"] = json!("/other");
    merge::add(&mut whole, "one", given());
    merge::add(&mut whole, "two", other);
    let one = &whole["paths"]["/old/x/{id}"]["post"];
    let two = &whole["paths"]["/other/x/{id}"]["post"];
    assert_eq!((&one["operationId"], &two["operationId"]), (&json!("ask"), &json!("two_ask")));
    assert_eq!(one["responses"]["200"]["schema"]["$ref"], "#/definitions/A");
    assert_eq!(two["responses"]["200"]["schema"]["$ref"], "#/definitions/two_A");
    assert_eq!(whole["definitions"], json!({ "A": { "type": "object" }, "two_A": { "type": "string" } }));
    assert_eq!(two["consumes"], json!(["application/json"]));
    assert_eq!(whole["basePath"], "/");
}

#[test]
fn documents_that_hold_anything_are_merged_without_harm() {
    let odd = json!({
        "openapi": "3.0.1", "info": 1, "security": [{ "a": [] }], "tags": 1, "components": "x",
        "paths": { "/a": { "get": 5, "post": "x", "put": { "operationId": 7 }, "parameters": [1] }, "/b": 5, "/c": null }
    });
    let api = api(Some(odd));
    let mut all = json!({ "openapi": "3.1.0", "tags": [], "paths": {}, "components": { "schemas": {} } });
    merge::add_group(&mut all, "loans", of_api(&api, &schemas, ""), "API loans", "Loans", &["MQWebUser"]);
    assert_eq!(all["paths"]["/loans/a"]["put"]["tags"], json!(["API loans"]));
    let mut two = merge::empty("all", "1");
    merge::add(&mut two, "loans", swagger_of_api(&api, &schemas));
    assert!(two["paths"]["/loans/a"]["put"].is_object());
}

#[test]
fn a_group_keeps_its_components_apart_from_those_of_others() {
    let mut all = json!({
        "openapi": "3.1.0", "tags": [], "components": { "schemas": { "Error": { "type": "string" } } },
        "paths": { "/x": { "get": { "operationId": "ask" } } }
    });
    merge::add_group(&mut all, "loans", of_api(&api(None), &schemas, ""), "API loans", "Loans", &["MQWebUser"]);
    let post = &all["paths"]["/loans/of/{who}"]["post"];
    assert_eq!((&post["operationId"], &post["x-roles"]), (&json!("loans_ask"), &json!(["MQWebUser"])));
    let error = &post["responses"]["default"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(error, "#/components/schemas/loans_Error");
    assert_eq!(all["components"]["schemas"]["loans_Error"]["required"], json!(["errorMessage"]));
    assert_eq!(all["components"]["schemas"]["Error"], json!({ "type": "string" }));
    assert_eq!(all["tags"], json!([{ "name": "API loans", "description": "Loans" }]));
}
