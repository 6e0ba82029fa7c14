//! Records of level 5.0: arrays and answers in data areas, converted by what the build toolkit makes of a description.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use build_toolkit::archive::{self, Archive};
use build_toolkit::build::{Input, Location, Sink, build};
use codepage::ByteOrder;
use requester::conversion::{Converter, FloatForm, Group, RecordForm};
use requester::{Call, Credentials, Outcome, ReturnCode};
use serde_json::{Value, json};

use super::api::{Api, PATIENCE, Reply, Server, answer, json as json_answer, told};
use super::conversion::NATIVE;

pub(crate) const BIG: RecordForm = RecordForm { order: ByteOrder::Big, float: FloatForm::Hexadecimal, ccsid: 37 };

const SHOP: &str = r#"{
  "openapi": "3.0.3", "info": { "title": "Shop", "version": "1" },
  "paths": { "/books/{shelf}": { "post": {
    "operationId": "find",
    "parameters": [
      { "name": "shelf", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 8 } },
      { "name": "tags", "in": "query", "schema": { "type": "array", "items": { "type": "string", "maxLength": 6 } } },
      { "name": "session", "in": "cookie", "schema": { "type": "string", "maxLength": 10 } },
      { "name": "theme", "in": "cookie", "schema": { "type": "string", "maxLength": 10 } }
    ],
    "requestBody": { "content": { "application/json": { "schema": { "type": "object", "required": ["words"], "properties": {
      "words": { "type": "array", "items": { "type": "string", "maxLength": 12 } },
      "most": { "type": "integer", "format": "int32" } } } } } },
    "responses": {
      "200": { "description": "found", "content": { "application/json": { "schema": { "type": "object", "required": ["books", "grid"],
        "properties": {
          "books": { "type": "array", "maxItems": 3, "items": { "type": "object", "required": ["isbn"], "properties": {
            "isbn": { "type": "string", "minLength": 4, "maxLength": 4 },
            "price": { "type": "number" },
            "authors": { "type": "array", "items": { "type": "object", "required": ["name"], "properties": {
              "name": { "type": "string", "maxLength": 5 } } } } } } },
          "grid": { "type": "array", "items": { "type": "array", "items": { "type": "integer", "format": "int32" } } } } } } } },
      "404": { "description": "none", "content": { "application/json": { "schema": { "type": "object", "required": ["why"],
        "properties": { "why": { "type": "string", "maxLength": 20 } } } } } },
      "5XX": { "description": "broken", "content": { "application/json": { "schema": { "type": "string", "maxLength": 40 } } } }
    } } } }
}"#;

/// Members by name, and the archive.
#[derive(Default)]
pub(crate) struct Made(Vec<(String, Vec<u8>)>);

impl Sink for Made {
    fn file(&mut self, location: Location, name: &str, content: &[u8]) -> std::io::Result<()> {
        if location == Location::Structures {
            self.0.push((name.to_owned(), content.to_vec()));
        }
        Ok(())
    }
    fn line(&mut self, _: &str) {}
    fn progress(&mut self, _: usize, _: usize) {}
}

fn made() -> (Made, Vec<u8>, Archive) {
    made_with("language=COBOL")
}

fn made_with(more: &str) -> (Made, Vec<u8>, Archive) {
    made_of(SHOP, more)
}

pub(crate) fn made_of(description: &str, more: &str) -> (Made, Vec<u8>, Archive) {
    let properties = format!(
        "apiDescriptionFile=a.json\ndataStructuresLocation=o\napiInfoFileLocation=o\nlogFileDirectory=l\n\
         connectionRef=api\nrequesterPrefix=SHP\nmappingLevel=5.0\n{more}\n"
    );
    let options = build_toolkit::options::parse(properties.as_bytes()).expect("properties");
    let input =
        Input { options: &options, description_name: "a.json", description: description.as_bytes(), strict: true };
    let mut made = Made::default();
    let (bytes, _) = build(&input, &mut made).expect("built");
    let archive = archive::read(&bytes).expect("an archive");
    (made, bytes, archive)
}

fn converters(form: RecordForm) -> (Converter, Converter) {
    converters_of(&made().2, form)
}

fn converters_of(archive: &Archive, form: RecordForm) -> (Converter, Converter) {
    let binding = &archive.operations[0].binding;
    let of = |structure| Converter::new(structure, form, &binding.options).expect("a plan");
    (of(binding.request.as_ref().expect("a request")), of(&binding.response.as_ref().expect("a response").structure))
}

fn group_of(status: u16) -> Group {
    Group::Answer(archive::Status::One(status))
}

fn found() -> Value {
    json!({
        "books": [
            { "isbn": "1234", "price": 2.5, "authors": [{ "name": "Ann" }, { "name": "Bob" }] },
            { "isbn": "5678" },
            { "isbn": "9abc", "authors": [{ "name": "Cy" }] },
        ],
        "grid": [[1, 2], [], [3]],
    })
}

pub(crate) fn decoded(converter: &Converter, group: Group, record: &[u8]) -> Result<Value, String> {
    let mut text = Vec::new();
    let whole = converter.whole(record).map_err(|error| error.to_string())?;
    converter.decode(group, &whole, &mut text).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

#[test]
fn answers_go_into_data_areas_and_come_back_in_either_form() {
    for form in [NATIVE, BIG] {
        let (_, converter) = converters(form);
        let mut record = converter.empty_record();
        converter.encode(group_of(200), found().to_string().as_bytes(), &mut record).expect("encoded");
        assert_eq!(decoded(&converter, group_of(200), &record), Ok(found()));
        // One that has no values has no elements either.
        let mut record = converter.empty_record();
        converter.encode(group_of(200), br#"{"books":[],"grid":[]}"#, &mut record).expect("encoded");
        assert_eq!(decoded(&converter, group_of(200), &record), Ok(json!({"books": [], "grid": []})));
    }
}

#[test]
fn answers_go_into_the_structures_of_a_pli_program_where_nothing_is_aligned() {
    let (_, _, archive) = made_with("language=PLI");
    for form in [NATIVE, BIG] {
        let (_, converter) = converters_of(&archive, form);
        // Three existence items with names of areas.
        assert_eq!(converter.length(), 3 * 20);
        let mut record = converter.empty_record();
        converter.encode(group_of(200), found().to_string().as_bytes(), &mut record).expect("encoded");
        assert_eq!(decoded(&converter, group_of(200), &record), Ok(found()));
        let mut record = converter.empty_record();
        let class = Group::Answer(archive::Status::Class(5));
        converter.encode(class, br#""come back""#, &mut record).expect("encoded");
        assert_eq!(decoded(&converter, class, &record), Ok(json!("come back")));
        let length = if form == BIG { [0, 9] } else { [9, 0] };
        // Behind the head of the element, which begins on a multiple of eight.
        assert_eq!(record[64 + 24..][..2], length);
    }
}

#[tokio::test]
async fn an_answer_in_plain_text_goes_into_its_data_area() {
    let text = "Content-Type: text/plain; charset=utf-8\r\n";
    let api = Api::start(move |_| Reply::Bytes(answer(500, text, "out of \"shelves\"")));
    let server = Server::to(&api);
    let plain = SHOP.replace(
        r#""5XX": { "description": "broken", "content": { "application/json""#,
        r#""5XX": { "description": "broken", "content": { "text/plain""#,
    );
    let (_, bytes, archive) = made_of(&plain, "language=COBOL");
    server.requesters.shelf.deploy(&bytes, None).expect("deployed");
    let (request, response) = converters_of(&archive, NATIVE);
    let mut record = request.empty_record();
    request.encode(Group::Body, br#"{"words":[]}"#, &mut record).expect("encoded");
    request.encode(Group::Path, br#"{"shelf":"a1"}"#, &mut record).expect("encoded");
    let outcome = call(&server, NATIVE, record).await;
    assert_eq!((outcome.return_code, outcome.status), (ReturnCode::Success, 500), "{:?}", told(&outcome));
    let class = Group::Answer(archive::Status::Class(5));
    assert_eq!(decoded(&response, class, &outcome.body), Ok(json!("out of \"shelves\"")));
}

#[tokio::test]
async fn api_keys_go_out_as_cookies_behind_those_of_the_operation() {
    let api = Api::start(|_| json_answer(404, r#"{"why":"nothing there"}"#));
    let server = Server::to(&api);
    let (_, bytes, archive) = made_with("language=COBOL\napiKeyParmNameInCookie=key");
    server.requesters.shelf.deploy(&bytes, None).expect("deployed");
    let (converter, _) = converters_of(&archive, NATIVE);
    let mut record = converter.empty_record();
    converter.encode(Group::Body, br#"{"words":[]}"#, &mut record).expect("encoded");
    converter.encode(Group::Path, br#"{"shelf":"a1"}"#, &mut record).expect("encoded");
    converter.encode(Group::Cookies, br#"{"theme":"dark","key":"k-7"}"#, &mut record).expect("encoded");
    let outcome = call(&server, NATIVE, record).await;
    assert_eq!((outcome.return_code, outcome.status), (ReturnCode::Success, 404), "{:?}", told(&outcome));
    assert_eq!(api.last().header("cookie"), Some("theme=dark; key=k-7"));
}

/// Bodies with members that have no names of their own.
const MAPS: &str = r#"{
  "openapi": "3.0.3", "info": { "title": "Maps", "version": "1" },
  "paths": { "/maps": { "post": {
    "operationId": "maps",
    "requestBody": { "content": { "application/json": { "schema": {
      "type": "object", "required": ["id"], "additionalProperties": true,
      "properties": { "id": { "type": "integer", "format": "int32" }, "last": { "type": "boolean" } } } } } },
    "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
      "type": "object", "required": ["prices"], "additionalProperties": { "type": "integer", "nullable": true },
      "properties": {
        "prices": { "type": "object", "additionalProperties": { "type": "object", "required": ["amount"], "properties": {
          "amount": { "type": "number" }, "tags": { "type": "array", "items": { "type": "string", "maxLength": 8 } } } } } } } } } } }
  } } }
}"#;

#[test]
fn members_without_items_of_their_own_go_into_entries_and_come_back() {
    for (language, form) in [("COBOL", NATIVE), ("COBOL", BIG), ("PLI", BIG)] {
        let (_, _, archive) = made_of(MAPS, &format!("language={language}"));
        let (request, response) = converters_of(&archive, form);
        let body = json!({ "id": 7, "last": true, "": null, "note": "Größe \"x\"", "list": [1, { "a": [] }], "n": -1.5, "on": false });
        let mut record = request.empty_record();
        request.encode(Group::Body, body.to_string().as_bytes(), &mut record).expect("encoded");
        assert_eq!(decoded(&request, Group::Body, &record), Ok(body));
        let answer = json!({
            "prices": { "a": { "amount": 1.25, "tags": ["x", "y"] }, "b": { "amount": 2.0 } }, "left": 4, "right": null,
        });
        let mut record = response.empty_record();
        response.encode(group_of(200), answer.to_string().as_bytes(), &mut record).expect("encoded");
        assert_eq!(decoded(&response, group_of(200), &record), Ok(answer));
        // Without any there is no element.
        let mut record = request.empty_record();
        request.encode(Group::Body, br#"{"id":1}"#, &mut record).expect("encoded");
        assert_eq!(record.len(), request.length());
        assert_eq!(decoded(&request, Group::Body, &record), Ok(json!({ "id": 1 })));
    }
}

#[test]
fn what_entries_cannot_hold_is_told() {
    let (_, _, archive) = made_of(MAPS, "language=COBOL\nadditionalPropertiesMax=2\nadditionalPropertiesSize=16");
    let (request, response) = converters_of(&archive, NATIVE);
    let refused = |converter: &Converter, group, text: &str| {
        let mut record = converter.empty_record();
        converter.encode(group, text.as_bytes(), &mut record).expect_err(text).to_string()
    };
    for (text, expected) in [
        (r#"{"id":1,"a":1,"b":2,"c":3}"#, "3 occurrences"),
        (r#"{"id":1,"a":1,"a":2}"#, "given twice"),
        (r#"{"id":1,"a":"0123456789abcdef"}"#, "takes 18 bytes"),
        (r#"{"id":1,"a":[1,}"#, "malformed"),
    ] {
        let told = refused(&request, Group::Body, text);
        assert!(told.contains(expected), "{told}");
    }
    assert!(refused(&response, group_of(200), r#"{"prices":{"a":null}}"#).contains("null"));
    // What a program writes: no JSON, the name of another member, and a name twice.
    let mut record = request.empty_record();
    request.encode(Group::Body, br#"{"id":1,"ab":11,"cd":22}"#, &mut record).expect("encoded");
    let broken = |from: &[u8], to: &[u8]| {
        let mut record = record.clone();
        let at = record.windows(from.len()).position(|bytes| bytes == from).expect("it is there");
        record[at..at + to.len()].copy_from_slice(to);
        decoded(&request, Group::Body, &record).expect_err("refused")
    };
    assert!(broken(b"11", b"1]").contains("malformed"));
    assert!(broken(b"11", b"  ").contains("malformed"));
    assert!(broken(b"ab", b"id").contains("given twice"));
    assert!(broken(b"cd", b"ab").contains("given twice"));
}

const PATCH: &str = include_str!("../../../build-toolkit/tests/it/patches/merge-patch.json");

#[test]
fn a_merge_patch_has_what_its_operations_say() {
    for (language, form) in [("COBOL", NATIVE), ("COBOL", BIG), ("PLI", BIG)] {
        let (_, _, archive) = made_of(PATCH, &format!("language={language}"));
        let binding = &archive.operations[0].binding;
        assert_eq!(binding.media_type, "application/merge-patch+json");
        let request = binding.request.as_ref().expect("a request");
        let converter = Converter::new(request, form, &binding.options).expect("a plan");
        let mut record = converter.empty_record();
        assert_eq!(decoded(&converter, Group::Body, &record), Ok(json!({})));
        let patch = json!({
            "title": "Sea", "publicationDate": null, "authors": [{ "name": "Ann" }, {}], "owner": { "id": null },
        });
        converter.encode(Group::Body, patch.to_string().as_bytes(), &mut record).expect("encoded");
        assert_eq!(decoded(&converter, Group::Body, &record), Ok(patch));
        // A program leaves the title as it is, deletes the authors, and then writes what is no operation.
        let operation = |name: &str| {
            let body = request.group("ReqBody").expect("a body");
            let item = body.items().iter().find(|item| item.json_name == name).expect("the item");
            usize::try_from(item.patch.as_ref().expect("an operation").offset).expect("small")
        };
        let letter =
            |one: u8| if form == BIG { [0xC4, 0x40, 0xE7][usize::from(one)] } else { b"D X"[usize::from(one)] };
        record[operation("authors")] = letter(0);
        record[operation("title")] = letter(1);
        record[operation("pages")] = 0;
        let expected = json!({ "publicationDate": null, "authors": null, "owner": { "id": null } });
        assert_eq!(decoded(&converter, Group::Body, &record), Ok(expected));
        record[operation("pages")] = letter(2);
        assert!(
            decoded(&converter, Group::Body, &record).expect_err("refused").contains("not an operation of a patch")
        );
    }
}

#[test]
fn what_data_areas_lack_is_told() {
    let (_, converter) = converters(NATIVE);
    let mut record = converter.empty_record();
    converter.encode(group_of(200), found().to_string().as_bytes(), &mut record).expect("encoded");
    let broken = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut record = record.clone();
        change(&mut record);
        decoded(&converter, group_of(200), &record).expect_err("refused")
    };
    let base = converter.length().next_multiple_of(8);
    assert!(broken(&|record| record.truncate(base + 10)).contains("ends after"));
    assert!(broken(&|record| record.truncate(base + 30)).contains("ends after"));
    // The area of the answer by another name, and an element that is shorter than what it is to hold.
    assert!(broken(&|record| record[base] = b'X').contains("at least 1"));
    assert!(broken(&|record| record[base + 19] = 0xff).contains("negative"));
    let too_many = converter.encode(
        group_of(200),
        br#"{"books":[{"isbn":"1"},{"isbn":"2"},{"isbn":"3"},{"isbn":"4"}],"grid":[]}"#,
        &mut converter.empty_record(),
    );
    assert!(too_many.expect_err("refused").to_string().contains("4 occurrences, the table has at most 3"));
}

/// A request record: the shelf, elements of two areas, and the cookie.
fn request(form: RecordForm) -> Vec<u8> {
    let (converter, _) = converters(form);
    let mut record = converter.empty_record();
    let body = json!({ "words": ["salt", "sea"], "most": 7 });
    converter.encode(Group::Body, body.to_string().as_bytes(), &mut record).expect("encoded");
    converter.encode(Group::Path, br#"{"shelf":"a1"}"#, &mut record).expect("encoded");
    converter.encode(Group::Cookies, br#"{"session":"s-1","theme":"dark"}"#, &mut record).expect("encoded");
    record
}

async fn call(server: &Server, form: RecordForm, record: Vec<u8>) -> Outcome {
    let call = Call {
        name: "Shop_1",
        path: "/books/{shelf}",
        method: "POST",
        form: Some(form),
        record: record.into(),
        credentials: Credentials::default(),
        short_record: true,
        maximum_answer: 1 << 20,
    };
    tokio::time::timeout(PATIENCE, server.requesters.call(call)).await.expect("in time")
}

#[tokio::test]
async fn every_answer_that_is_described_reaches_the_program_as_a_record() {
    for form in [NATIVE, BIG] {
        let api = Api::start(|asked| match asked.number {
            0 => json_answer(200, &found().to_string()),
            1 => json_answer(404, r#"{"why":"nothing there"}"#),
            2 => json_answer(503, r#""come back later""#),
            3 => Reply::Bytes(answer(500, "Content-Type: text/plain\r\n", "plainly broken")),
            _ => json_answer(418, r#""teapot""#),
        });
        let server = Server::to(&api);
        server.requesters.shelf.deploy(&made().1, None).expect("deployed");
        let (_, converter) = converters(form);
        for (status, group, expected) in [
            (200, group_of(200), found()),
            (404, group_of(404), json!({ "why": "nothing there" })),
            (503, Group::Answer(archive::Status::Class(5)), json!("come back later")),
            (500, Group::Answer(archive::Status::Class(5)), json!("plainly broken")),
        ] {
            let outcome = call(&server, form, request(form)).await;
            assert_eq!((outcome.return_code, outcome.status), (ReturnCode::Success, status), "{:?}", told(&outcome));
            assert_eq!(decoded(&converter, group, &outcome.body), Ok(expected));
        }
        let asked = api.last();
        assert_eq!(asked.line, "POST /books/a1");
        assert_eq!(asked.header("cookie"), Some("session=s-1; theme=dark"));
        assert_eq!(asked.body, r#"{"words":["salt","sea"],"most":7}"#);
        // One that is not described is handed over as it is.
        let outcome = call(&server, form, request(form)).await;
        assert_eq!(told(&outcome), (1, 418, r#""teapot""#.to_owned()));
    }
}

/// Arrays in two parameters and in the body.
const LISTS: &str = r#"{
  "openapi": "3.0.3", "info": { "title": "Shop", "version": "1" },
  "paths": { "/books/{shelf}": { "post": {
    "operationId": "lists",
    "parameters": [
      { "name": "shelf", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 8 } },
      { "name": "a", "in": "query", "schema": { "type": "array", "items": { "type": "string", "maxLength": 6 } } },
      { "name": "b", "in": "query", "schema": { "type": "array", "items": { "type": "string", "maxLength": 6 } } }
    ],
    "requestBody": { "content": { "application/json": { "schema": { "type": "object", "required": ["words"], "properties": {
      "words": { "type": "array", "items": { "type": "string", "maxLength": 6 } } } } } } },
    "responses": { "204": { "description": "done" } }
  } } }
}"#;

/// Gives all data areas one name.
fn with_one_name(mut record: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some(found) = record[at..].windows(4).position(|bytes| bytes == b"AREA") {
        at += found;
        record[at..at + 16].copy_from_slice(b"X               ");
    }
    record
}

#[tokio::test]
async fn arrays_whose_data_areas_have_one_name_go_on_where_the_last_one_ended() {
    let api = Api::start(|_| Reply::Bytes(b"HTTP/1.1 204 Done\r\n\r\n".to_vec()));
    let server = Server::to(&api);
    let (_, bytes, archive) = made_of(LISTS, "language=COBOL");
    server.requesters.shelf.deploy(&bytes, None).expect("deployed");
    let binding = &archive.operations[0].binding;
    let converter = Converter::new(binding.request.as_ref().expect("a request"), NATIVE, &binding.options);
    let converter = converter.expect("a plan");
    let mut record = converter.empty_record();
    converter.encode(Group::Path, br#"{"shelf":"a1"}"#, &mut record).expect("encoded");
    converter.encode(Group::Query, br#"{"a":["1"],"b":["2"]}"#, &mut record).expect("encoded");
    converter.encode(Group::Body, br#"{"words":["3"]}"#, &mut record).expect("encoded");
    let own_names = call(&server, NATIVE, record.clone()).await;
    assert_eq!((own_names.return_code, own_names.status), (ReturnCode::Success, 204), "{:?}", told(&own_names));
    let one_name = call(&server, NATIVE, with_one_name(record.clone())).await;
    assert_eq!((one_name.return_code, one_name.status), (ReturnCode::Success, 204), "{:?}", told(&one_name));
    for asked in api.asked() {
        assert_eq!((asked.line.as_str(), asked.body.as_str()), ("POST /books/a1?a=1&b=2", r#"{"words":["3"]}"#));
    }
    assert_eq!(api.asked().len(), 2);
    // No element is left for the body.
    let last = record.windows(4).rposition(|bytes| bytes == b"AREA").expect("an element");
    let (code, status, message) = told(&call(&server, NATIVE, with_one_name(record[..last].to_vec())).await);
    assert_eq!((code, status), (2, 400), "{message}");
    assert!(message.contains("'/words/0'"), "{message}");
}

/// Shows the books of a record that it reads, walking over the elements behind the base.
const PROGRAM: &str = r#"       IDENTIFICATION DIVISION.
       PROGRAM-ID. WALK.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT RECORD-FILE ASSIGN TO "RECORD"
               ORGANIZATION IS SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD RECORD-FILE.
       01 RECORD-BYTES PIC X(@LENGTH@).
       WORKING-STORAGE SECTION.
       COPY SHP00P01.
       01 AREA-HEADER.
           03 AREA-NAME PIC X(16).
           03 AREA-LENGTH PIC S9(9) COMP-5.
           03 FILLER PIC X(4).
       01 AT-BYTE PIC S9(9) COMP-5.
       PROCEDURE DIVISION.
           OPEN INPUT RECORD-FILE
           READ RECORD-FILE
           MOVE RECORD-BYTES TO BAQBASE-SHP00P01
           DISPLAY "EXISTS " responseCode200-existence
           COMPUTE AT-BYTE =
               (LENGTH OF BAQBASE-SHP00P01 + 7) / 8
           COMPUTE AT-BYTE = AT-BYTE * 8 + 1
           PERFORM UNTIL AT-BYTE > @LENGTH@
               MOVE RECORD-BYTES(AT-BYTE:24) TO AREA-HEADER
               ADD 24 TO AT-BYTE
               EVALUATE TRUE
               WHEN AREA-NAME = responseCode200-dataarea
                   MOVE RECORD-BYTES(AT-BYTE:AREA-LENGTH)
                       TO SHP00P01-responseCode200
                   DISPLAY "BOOKS " books-num
               WHEN AREA-NAME = books-dataarea
                   MOVE RECORD-BYTES(AT-BYTE:AREA-LENGTH)
                       TO SHP00P01-books
                   DISPLAY "BOOK " isbn " " authors-num
               WHEN AREA-NAME = authors-dataarea
                   MOVE RECORD-BYTES(AT-BYTE:AREA-LENGTH)
                       TO SHP00P01-authors
                   DISPLAY "AUTHOR " name-length " " name
               END-EVALUATE
               COMPUTE AT-BYTE =
                   (AT-BYTE + AREA-LENGTH - 1 + 7) / 8
               COMPUTE AT-BYTE = AT-BYTE * 8 + 1
           END-PERFORM
           CLOSE RECORD-FILE
           STOP RUN.
"#;

#[test]
fn a_cobol_program_finds_elements_where_the_server_puts_them() {
    let (members, _, _) = made();
    let (_, converter) = converters(NATIVE);
    let mut record = converter.empty_record();
    let one =
        json!({ "books": [{ "isbn": "1234", "authors": [{ "name": "Ann" }, { "name": "Bobby" }] }], "grid": [[7]] });
    converter.encode(group_of(200), one.to_string().as_bytes(), &mut record).expect("encoded");
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, content: &[u8]| {
        std::fs::File::create(folder.path().join(name))
            .and_then(|mut file| std::io::Write::write_all(&mut file, content))
            .expect("written");
    };
    for (name, content) in &members.0 {
        write(&format!("{name}.cpy"), content);
    }
    write("RECORD", &record);
    write("WALK.cob", PROGRAM.replace("@LENGTH@", &record.len().to_string()).as_bytes());
    let compiled = Command::new("cobc")
        .args(["-x", "-std=ibm-strict", "-w", "-o", "WALK", "WALK.cob"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("cobc runs: scripts/install.sh test installs GnuCOBOL");
    assert!(compiled.status.success(), "cobc: {}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(folder.path().join("WALK")).current_dir(folder.path()).output().expect("it runs");
    let mut expected = String::new();
    for line in ["EXISTS 1", "BOOKS 1", "BOOK 1234 2", "AUTHOR 3 Ann", "AUTHOR 5 Bobby"] {
        let _ = writeln!(expected, "{line}");
    }
    // Numbers are shown with as many digits as their items have.
    let shown: String = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| {
            let words = line.split_whitespace().map(|word| match word.trim_start_matches(['+', '0']) {
                "" => "0",
                _ if !word.starts_with(['+', '0']) => word,
                digits => digits,
            });
            words.collect::<Vec<_>>().join(" ") + "\n"
        })
        .collect();
    assert_eq!(shown, expected, "{}", String::from_utf8_lossy(&output.stderr));
}
