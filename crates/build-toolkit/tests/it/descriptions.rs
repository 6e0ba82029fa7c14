//! Both dialects, both formats, and what is left out of them.

use build_toolkit::archive::{LIMITS, Place, Style};
use build_toolkit::build::BuildError;
use document::package::Package;
use serde_json::{Value, json};

use crate::building::{Made, attempt, built, code, with_margin};

const FIGURES: &str = include_str!("vectors/seed-figures/swagger.json");
const BOOKS: &str = include_str!("vectors/books/swagger.json");

/// A Swagger 2.0 description with these paths.
fn swagger(paths: Value) -> String {
    json!({ "swagger": "2.0", "info": { "title": "T", "version": "1" }, "paths": paths }).to_string()
}

fn warnings(made: &Made) -> Vec<&str> {
    let is_warning = |line: &&str| line.starts_with("BAQB0901W") || line.starts_with("BAQB0902W");
    made.lines.iter().map(String::as_str).filter(is_warning).collect()
}

/// The same API in OpenAPI 3.0: bodies, parameters and definitions stand elsewhere there.
fn openapi_of_books() -> Value {
    let swagger: Value = serde_json::from_str(BOOKS).expect("JSON");
    let text = swagger["definitions"].to_string().replace("#/definitions/", "#/components/schemas/");
    let schemas: Value = serde_json::from_str(&text).expect("JSON");
    let content = |schema: Value| json!({ "application/json": { "schema": schema } });
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let isbn =
        json!({ "name": "isbn", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 13 } });
    json!({
        "openapi": "3.0.3", "info": { "title": "Book Shop API", "version": "2.1" },
        "servers": [{ "url": "https://books.example.com/shop" }],
        "components": {
            "schemas": schemas,
            "parameters": { "isbn": isbn },
            "requestBodies": { "order": { "required": true, "content": content(reference("Order")) } },
        },
        "paths": {
            "/books/{isbn}": {
                "parameters": [{ "$ref": "#/components/parameters/isbn" }],
                "get": {
                    "operationId": "getBook",
                    "parameters": [
                        { "name": "lang", "in": "query", "schema": { "type": "string", "minLength": 2, "maxLength": 2 } },
                        { "name": "X-Trace", "in": "header", "required": true, "schema": { "type": "string", "maxLength": 20 } },
                        { "name": "Authorization", "in": "header", "schema": { "type": "string" } },
                        { "name": "Accept", "in": "header", "required": true, "schema": { "type": "string" } },
                    ],
                    "responses": { "200": { "description": "ok", "content": content(reference("Book")) }, "default": { "description": "" } },
                },
                "delete": { "operationId": "dropBook", "responses": { "204": { "description": "gone" } } },
            },
            "/orders": { "post": {
                "operationId": "newOrder",
                "requestBody": { "$ref": "#/components/requestBodies/order" },
                "responses": { "201": { "description": "made", "content": content(json!({
                    "type": "object", "required": ["order_no"],
                    "properties": { "order_no": { "type": "integer", "minimum": 0, "maximum": 999_999 } },
                })) } },
            } },
        },
    })
}

/// A JSON value as YAML in its plainest form.
fn yaml(text: &str) -> String {
    document::yaml::write(&serde_json::from_str(text).expect("JSON"))
}

#[test]
fn openapi_3_and_yaml_make_the_same_members_as_swagger_2() {
    let properties = "requesterPrefix=BKS\nmappingLevel=4.3";
    let expected = built(properties, "a.json", BOOKS);
    let openapi = openapi_of_books().to_string();
    for (name, text) in [("a.yaml", yaml(BOOKS)), ("a.json", openapi.clone()), ("a.yml", yaml(&openapi))] {
        let made = built(properties, name, &text);
        assert_eq!(made.members.keys().collect::<Vec<_>>(), expected.members.keys().collect::<Vec<_>>());
        for (member, text) in &made.members {
            assert_eq!(code(text), code(&expected.members[member]), "{name} {member}");
        }
        assert_eq!(made.archive, expected.archive, "{name}");
    }
}

#[test]
fn what_has_no_place_is_told_one_line_each_and_the_rest_is_made() {
    let choice = json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] });
    let made = built(
        "",
        "a.json",
        &swagger(json!({
            "/a": { "get": { "operationId": "getA",
                "parameters": [{ "name": "q", "in": "query", "type": "object" }, { "name": "c", "in": "cookie", "type": "string" }],
                "responses": { "200": { "description": "", "schema": {
                    "type": "object", "properties": { "one": choice, "two": { "type": "integer" } }, "additionalProperties": true } } } } },
        })),
    );
    assert_eq!(
        warnings(&made),
        [
            "BAQB0901W: getA: c is left out: a parameter in cookie cannot be mapped.",
            "BAQB0901W: getA: ReqQueryParameters->q is left out: an object without properties cannot be mapped to a structure.",
            "BAQB0901W: getA: RespBody->one is left out: oneOf cannot be mapped to a structure.",
            "BAQB0901W: getA: RespBody is left out: additionalProperties need mappingLevel=5.0.",
        ]
    );
    assert_eq!(made.members.keys().collect::<Vec<_>>(), ["API00I01", "API00P01"]);
    assert!(made.logs["getA.log"].contains("BAQB0901W: getA: RespBody->one"), "{}", made.logs["getA.log"]);
}

#[test]
fn bodies_headers_and_answers_whose_schema_cannot_be_had_are_told_too() {
    let empty = || json!({ "application/json": {} });
    let described = |paths: Value| {
        json!({ "openapi": "3.0.3", "info": { "title": "T", "version": "1" }, "paths": paths }).to_string()
    };
    let description = described(json!({ "/a": { "post": {
        "operationId": "a",
        "requestBody": { "content": empty() },
        "responses": {
            "200": { "description": "", "content": empty(), "headers": {
                "X-One": { "content": { "text/plain": { "schema": { "type": "string" } } } },
                "X-Two": { "$ref": "#/components/headers/Two" },
                "X-Three": { "schema": { "type": "string" } },
            } },
            "404": { "$ref": "#/components/responses/Missing" },
        },
    } } }));
    let request = "BAQB0901W: a: ReqBody is left out: a body without a schema cannot be mapped.";
    let headers = [
        "BAQB0901W: a: X-One is left out: a response header without a schema cannot be mapped.",
        "BAQB0901W: a: X-Two is left out: #/components/headers/Two does not exist.",
    ];
    let answer = |name: &str| format!("BAQB0901W: a: {name} is left out: a body without a schema cannot be mapped.");
    let missing = "BAQB0901W: a: responseCode404 is left out: #/components/responses/Missing does not exist.";
    let made = built("", "a.json", &description);
    assert_eq!(warnings(&made), [request, headers[0], headers[1], &answer("RespBody")]);
    assert_eq!(made.members.keys().collect::<Vec<_>>(), ["API00I01", "API00P01"]);
    let made = built("mappingLevel=5.0", "a.json", &description);
    assert_eq!(warnings(&made), [request, headers[0], headers[1], &answer("responseCode200"), missing]);
    let (_, result) = attempt("mappingLevel=5.0", "a.json", &description, true);
    assert!(matches!(result, Err(BuildError::Strict(5))), "{result:?}");
    let needed = described(
        json!({ "/a": { "post": { "requestBody": { "required": true, "content": empty() } } }, "/b": { "get": {} } }),
    );
    let in_swagger = |required: bool| {
        let body = json!([{ "in": "body", "name": "b", "required": required }]);
        swagger(json!({ "/a": { "post": { "operationId": "a", "parameters": body } }, "/b": { "get": {} } }))
    };
    assert_eq!(warnings(&built("", "a.json", &in_swagger(false))), [request]);
    for description in [needed, in_swagger(true)] {
        let made = built("", "a.json", &description);
        assert!(warnings(&made)[1].contains("its request needs ReqBody"), "{:?}", warnings(&made));
        assert_eq!(made.members.keys().collect::<Vec<_>>(), ["API00I01"]);
    }
}

#[test]
fn an_operation_whose_path_has_a_name_that_is_no_parameter_is_ignored() {
    let parameters = json!([{ "name": "id", "in": "path", "required": true, "type": "string" }]);
    let made = built(
        "",
        "a.json",
        &swagger(json!({
            "/a/{id}/{line}": { "get": { "operationId": "lacks", "parameters": parameters } },
            "/b/{id}": { "get": { "operationId": "query", "parameters": [{ "name": "id", "in": "query", "type": "string" }] } },
            "/c/{id}/open{": { "get": { "operationId": "has", "parameters": parameters } },
        })),
    );
    let ignored = &made.summary.as_ref().expect("a summary").ignored;
    let why = |name: &str| format!("its path has {{{name}}}, which is not a path parameter");
    assert_eq!(*ignored, [("lacks".to_owned(), why("line")), ("query".to_owned(), why("id"))]);
    assert_eq!(warnings(&made).len(), 2);
}

#[test]
fn under_strict_what_has_no_place_is_an_error_and_no_file_is_made() {
    let description = swagger(json!({ "/a": { "get": { "responses": { "200": { "description": "", "schema": {
        "type": "object", "properties": { "one": { "type": "null" }, "two": { "type": "integer" } } } } } } } }));
    let (made, result) = attempt("", "a.json", &description, true);
    assert!(matches!(result, Err(BuildError::Strict(1))), "{result:?}");
    assert!(made.members.is_empty() && made.logs.is_empty() && made.archive.is_none());
    assert_eq!(warnings(&made).len(), 1);
    let (made, result) = attempt("", "a.json", FIGURES, true);
    assert!(result.is_ok() && made.members.len() == 3);
}

#[test]
fn operations_that_cannot_be_called_are_ignored_with_the_reason_and_have_no_number() {
    let body = |schema: Value| json!([{ "in": "body", "name": "b", "schema": schema }]);
    let made = built(
        "",
        "a.json",
        &swagger(json!({
            "/form": { "post": { "parameters": [{ "in": "formData", "name": "f", "type": "string" }] } },
            "/xml": { "post": { "consumes": ["application/xml"], "parameters": body(json!({ "type": "string" })) } },
            "/text": { "get": { "produces": ["text/plain"], "responses": { "200": { "description": "", "schema": { "type": "string" } } } } },
            "/needs": { "post": { "parameters": body(json!({ "type": "object", "required": ["x"], "properties": { "x": { "type": "null" }, "y": { "type": "integer" } } })) } },
            "/huge": { "post": { "parameters": body(json!({ "type": "array", "maxItems": 9_000_000, "items": { "type": "string", "maxLength": 9000 } })) } },
            "/good": { "get": { "operationId": "good", "responses": { "200": { "description": "" } } } },
        })),
    );
    let ignored: Vec<&str> =
        made.summary.as_ref().expect("a summary").ignored.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ignored, ["form_POST", "xml_POST", "text_GET", "needs_POST", "huge_POST"]);
    assert_eq!(made.members.keys().collect::<Vec<_>>(), ["API00I01"]);
    assert!(
        made.lines
            .contains(&"Total 6 operation(s) (success: 1, ignored: 5) in the API description file: a.json".to_owned()),
        "{:?}",
        made.lines
    );
    let unchecked = built(
        "ignoreMIMETypeCheck=true",
        "a.json",
        &swagger(json!({
            "/xml": { "post": { "consumes": ["application/xml"], "parameters": body(json!({ "type": "string" })) } },
        })),
    );
    assert_eq!(unchecked.members.keys().collect::<Vec<_>>(), ["API00I01", "API00Q01"]);
}

#[test]
fn a_description_without_any_operation_makes_no_archive() {
    let (_, result) = attempt("", "a.json", &swagger(json!({})), false);
    assert!(matches!(result, Err(BuildError::Nothing(_))), "{result:?}");
    let (_, result) = attempt("", "a.json", "{", false);
    assert!(matches!(result, Err(BuildError::Description { .. })), "{result:?}");
}

#[test]
fn of_several_successes_the_smallest_status_is_mapped() {
    let answer = |name: &str| json!({ "description": "", "schema": { "type": "object", "properties": { name: { "type": "integer" } } } });
    let made = built(
        "",
        "a.json",
        &swagger(json!({ "/a": { "get": { "responses": {
        "404": answer("missing"), "202": answer("later"), "201": answer("made"), "default": answer("other") } } } })),
    );
    let archive = made.archive.expect("an archive");
    let response = archive.operations[0].binding.response.as_ref().expect("an answer");
    assert_eq!((response.code, response.structure.groups[0].items()[0].json_name.as_str()), (201, "made"));
}

#[test]
fn parameters_say_where_they_go_and_how_their_values_are_joined() {
    let list = |name: &str, place: &str, format: &str| json!({ "name": name, "in": place, "type": "array", "items": { "type": "string", "maxLength": 4 }, "maxItems": 3, "collectionFormat": format });
    let made = built(
        "apiKeyParmNameInHeader=X-IBM-Client-ID,x-own",
        "a.json",
        &swagger(json!({ "/a/{p}": {
        "parameters": [list("p", "path", "pipes"), list("q", "query", "ssv")],
        "get": { "parameters": [list("m", "query", "multi"), list("q", "query", "tsv"), { "name": "X-Own", "in": "header", "type": "string" }] },
    } })),
    );
    let archive = made.archive.expect("an archive");
    let binding = &archive.operations[0].binding;
    let parameters: Vec<_> = binding.parameters.iter().map(|one| (one.place, one.name.as_str(), one.style)).collect();
    assert_eq!(
        parameters,
        [
            (Place::Path, "p", Style::Bar),
            (Place::Query, "q", Style::Tab),
            (Place::Query, "m", Style::Repeated),
            (Place::Header, "X-Own", Style::Comma),
            (Place::Header, "X-IBM-Client-ID", Style::Comma),
        ]
    );
    assert_eq!(binding.options.api_keys.as_ref().map(|keys| keys.names.len()), Some(2));
    let groups: Vec<_> =
        binding.request.as_ref().expect("a request").groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(groups, ["ReqPathParameters", "ReqQueryParameters", "ReqHeaders"]);
}

#[test]
fn from_the_hundredth_operation_on_the_last_digits_of_members_go_on() {
    let paths: serde_json::Map<String, Value> =
        (0..102).map(|number| (format!("/p{number}"), json!({ "get": {} }))).collect();
    let made = built("requesterPrefix=abc", "a.json", &swagger(Value::Object(paths)));
    assert_eq!(made.members.len(), 102);
    for name in ["ABC00I01", "ABC99I01", "ABC00I02", "ABC01I02"] {
        assert!(made.members.contains_key(name), "{name}");
    }
}

#[test]
fn schemas_of_the_archive_are_draft_04_with_references_resolved() {
    let made = built("", "shop.json", BOOKS);
    let package = Package::read_within(&made.packed, &LIMITS, |_| true).expect("an archive");
    let schema = |name: &str| serde_json::from_str::<Value>(package.text(name).expect(name)).expect("JSON");
    let request = schema("services/newOrder/schemas/newOrder_request.json");
    assert_eq!(request["description"], "api-requester-json-schema");
    assert_eq!(request["required"], json!(["ReqBody"]));
    let definitions = serde_json::from_str::<Value>(BOOKS).expect("JSON")["definitions"].clone();
    assert_eq!(request["properties"]["ReqBody"], definitions["Order"]);
    assert_eq!(request["definitions"], definitions);
    let response = schema("services/getBook/schemas/getBook_200_response.json");
    assert_eq!(response["properties"]["RespBody"]["properties"]["keywords"]["minItems"], 0);
    let parameters = schema("services/getBook/schemas/getBook_request.json");
    assert_eq!(
        parameters["properties"]["ReqPathParameters"]["properties"]["isbn"],
        json!({ "type": "string", "maxLength": 13 })
    );
    assert_eq!(package.text("api-docs/shop.json"), Ok(BOOKS));
}

#[test]
fn reserved_words_are_told_once_an_operation() {
    let made = built("", "a.json", include_str!("vectors/names/swagger.json"));
    let told: Vec<_> = made.lines.iter().filter(|line| line.starts_with("DFHPI9586W")).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[1].contains("\"message\"") && told[1].contains("\"Xmessage\""), "{told:?}");
}

#[test]
fn arrays_of_arrays_need_level_4_3() {
    let description = swagger(json!({ "/a": { "get": { "responses": { "200": { "description": "", "schema": {
        "type": "object", "required": ["m"], "properties": { "m": { "type": "array", "maxItems": 2, "items": {
            "type": "array", "maxItems": 3, "items": { "type": "integer", "format": "int32" } } } } } } } } } }));
    let made = built("", "a.json", &description);
    assert!(warnings(&made)[0].contains("mappingLevel=4.3"), "{:?}", warnings(&made));
    let made = built("mappingLevel=4.3", "a.json", &description);
    expect_test::expect![[r#"
        |             06 RespBody.
        |               09 m2-num                        PIC S9(9) COMP-5 SYNC.
        |               09 m OCCURS 2.
        |                 12 m3-num                        PIC S9(9) COMP-5
        |            SYNC.
        |                 12 m2 OCCURS 3                   PIC S9(9) COMP-5
        |            SYNC.
    "#]]
    .assert_eq(&with_margin(&code(&made.members["API00P01"])));
}

#[test]
fn small_negative_bounds_have_a_sign_least_counts_a_counter_and_2xx_means_every_success() {
    let schema = json!({ "type": "object", "required": ["part", "list", "fixed"], "properties": {
        "part": { "type": "number", "multipleOf": 0.01, "minimum": -0.5, "maximum": 99.99 },
        "list": { "type": "array", "minItems": 300, "items": { "type": "integer", "format": "int32" } },
        "fixed": { "type": "array", "minItems": 3, "maxItems": 3, "items": { "type": "integer", "format": "int32" } },
    } });
    let responses = json!({ "2XX": { "description": "", "content": { "application/json": { "schema": schema } } } });
    let description = json!({ "openapi": "3.0.3", "info": { "title": "T", "version": "1" },
        "paths": { "/a": { "get": { "operationId": "getA", "responses": responses } } } });
    let made = built("", "a.json", &description.to_string());
    let lines = code(&made.members["API00P01"]);
    assert!(lines.contains("PIC S9(2)V9(2) COMP-3."), "{lines}");
    assert!(lines.contains("list-num ") && !lines.contains("fixed-num "), "{lines}");
    let archive = made.archive.as_ref().expect("an archive");
    let response = archive.operations[0].binding.response.as_ref().expect("a response");
    assert!(response.every_success);
}
