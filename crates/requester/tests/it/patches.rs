//! Bodies of PATCH: what a program writes into the operations of members and the lists of elements, and what the API is sent.

use build_toolkit::structure::{Item, Structure, Value as Bytes};
use requester::conversion::{Converter, Group, RecordForm};
use serde_json::{Value, json};

use super::areas::{BIG, decoded, made_of};
use super::conversion::NATIVE;

const BOOK: &str = r#"{ "type": "object", "required": ["title"], "additionalProperties": true, "properties": {
  "title": { "type": "string", "maxLength": 10 },
  "pages/sheets": { "type": "integer", "format": "int32" },
  "authors": { "type": "array", "maxItems": 5, "items": { "type": "object", "properties": {
    "first": { "type": "string", "maxLength": 5 }, "last": { "type": "string", "maxLength": 9 } } } },
  "tags": { "type": "array", "items": { "type": "string", "maxLength": 6 } },
  "owner": { "type": "object", "required": ["id"], "properties": {
    "id": { "type": "string", "minLength": 2, "maxLength": 2 }, "name": { "type": "string", "maxLength": 8 } } } } }"#;
/// What RFC 6902 calls a document.
const OPERATIONS: &str = r#"{ "type": "array", "items": { "type": "object", "required": ["op", "path"], "properties": {
  "op": { "type": "string", "maxLength": 7 }, "path": { "type": "string", "maxLength": 30 } } } }"#;

/// Changes to a book: the schema of the body, and that of the answer.
fn description(media_type: &str, body: &str, answer: Option<&str>) -> String {
    let content = answer.map(|schema| format!(r#", "content": {{ "application/json": {{ "schema": {schema} }} }}"#));
    format!(
        r#"{{ "openapi": "3.0.3", "info": {{ "title": "Patches", "version": "1" }},
          "paths": {{ "/books/{{id}}": {{ "patch": {{ "operationId": "change",
            "parameters": [{{ "name": "id", "in": "path", "required": true, "schema": {{ "type": "string", "maxLength": 8 }} }}],
            "requestBody": {{ "content": {{ "{media_type}": {{ "schema": {body} }} }} }},
            "responses": {{ "200": {{ "description": ""{} }} }} }} }} }} }}"#,
        content.unwrap_or_default()
    )
}

/// A record that a test writes as a program does.
struct Program {
    form: RecordForm,
    structure: Structure,
    converter: Converter,
    record: Vec<u8>,
}

impl Program {
    /// With these values, and all operations that go with them.
    fn new(media_type: &str, language: &str, form: RecordForm, values: &Value) -> Self {
        let body = if media_type == MERGE_PATCH { BOOK } else { OPERATIONS };
        let description = description(media_type, body, Some(BOOK));
        let (_, _, archive) = made_of(&description, &format!("language={language}\ndefaultCharacterMaxLength=12"));
        let binding = &archive.operations[0].binding;
        assert_eq!(binding.media_type, media_type);
        let structure = binding.request.clone().expect("a request");
        let converter = Converter::new(&structure, form, &binding.options).expect("a plan");
        let mut record = converter.empty_record();
        converter.encode(Group::Body, values.to_string().as_bytes(), &mut record).expect("encoded");
        Self { form, structure, converter, record }
    }

    fn sent(&self) -> Result<Value, String> {
        decoded(&self.converter, Group::Body, &self.record)
    }

    /// Writes an operation or a list, blanks behind it: of a member of the body, or of a member of that.
    fn moves(&mut self, text: &str, path: &[&str]) {
        let mut items = self.structure.group("ReqBody").expect("a body").items();
        let mut patch = None;
        for name in path {
            let item = items.iter().find(|item| item.json_name == *name).expect("the item");
            (patch, items) = (item.patch.clone(), item.items());
        }
        let patch = patch.expect("an operation");
        self.write(text, patch.offset, patch.list.unwrap_or(1), 0);
    }

    /// Writes an operation in an element of `authors`.
    fn moves_in_author(&mut self, text: &str, number: usize, name: &str) {
        let authors = self.structure.group("ReqBody").expect("a body").items();
        let authors = authors.iter().find(|item| item.json_name == "authors").expect("the item");
        let Bytes::Area { length, element, .. } = &authors.value else { panic!("no data area") };
        let member = element.items().iter().find(|item| item.json_name == name).expect("the item");
        let offset = member.patch.as_ref().expect("an operation").offset;
        let length = usize::try_from(*length).expect("small");
        let mut at = self.converter.length();
        for _ in 0..number {
            at = at.next_multiple_of(8) + 24 + length;
        }
        self.write(text, offset, 1, at.next_multiple_of(8) + 24);
    }

    fn write(&mut self, text: &str, offset: u32, bytes: u32, element: usize) {
        let (offset, bytes) = (usize::try_from(offset).expect("small"), usize::try_from(bytes).expect("small"));
        let mut encoded = Vec::new();
        codepage::encode(self.form.ccsid, &format!("{text:bytes$}"), &mut encoded).expect("encoded");
        self.record[element + offset..][..bytes].copy_from_slice(&encoded);
    }
}

const FORMS: [(&str, RecordForm); 3] = [("COBOL", NATIVE), ("COBOL", BIG), ("PLI", BIG)];
const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";

fn book() -> Value {
    json!({
        "title": "Sea", "pages/sheets": 300, "authors": [{ "first": "Ann", "last": "Bay" }, { "first": "New", "last": "Author" }],
        "tags": ["salt", "wave"], "owner": { "id": "x1", "name": "Cy" }, "version": 2,
    })
}

#[test]
fn a_json_patch_has_an_operation_for_each_member_that_changes() {
    for (language, form) in FORMS {
        let program = Program::new(JSON_PATCH, language, form, &json!({}));
        assert_eq!(program.sent(), Ok(json!([])));
        let mut program = Program::new(JSON_PATCH, language, form, &book());
        let expected = json!([
            { "op": "add", "path": "/title", "value": "Sea" },
            { "op": "add", "path": "/pages~1sheets", "value": 300 },
            { "op": "add", "path": "/authors", "value": [{ "first": "Ann", "last": "Bay" }, { "first": "New", "last": "Author" }] },
            { "op": "add", "path": "/tags", "value": ["salt", "wave"] },
            { "op": "add", "path": "/owner", "value": { "id": "x1", "name": "Cy" } },
            { "op": "add", "path": "/version", "value": 2 },
        ]);
        assert_eq!(program.sent(), Ok(expected), "{language}");
        program.moves(" ", &["title"]);
        program.moves("D", &["pages/sheets"]);
        program.moves("DELETE", &["authors"]);
        program.moves("", &["tags"]);
        // The object itself has no operation: its member has.
        program.moves(" ", &["owner"]);
        program.moves(" ", &["owner", "id"]);
        let expected = json!([
            { "op": "remove", "path": "/pages~1sheets" },
            { "op": "remove", "path": "/authors" },
            { "op": "add", "path": "/owner/name", "value": "Cy" },
            { "op": "add", "path": "/version", "value": 2 },
        ]);
        assert_eq!(program.sent(), Ok(expected), "{language}");
        // An object that is updated has all but what is deleted.
        program.moves("U", &["owner"]);
        program.moves("D", &["owner", "name"]);
        let sent = program.sent().expect("sent");
        assert_eq!(sent[2], json!({ "op": "add", "path": "/owner", "value": { "id": "x1" } }));
    }
}

#[test]
fn elements_of_a_json_patch_are_changed_removed_and_added_where_the_list_says() {
    for (language, form) in FORMS {
        let mut program = Program::new(JSON_PATCH, language, form, &book());
        program.moves("2,+", &["authors"]);
        for name in ["first", "last"] {
            program.moves_in_author("D", 0, name);
            // A new element has all members, whatever their operations.
            program.moves_in_author(" ", 1, name);
        }
        program.moves("1, +", &["tags"]);
        let sent = program.sent().expect("sent");
        let expected = json!([
            { "op": "remove", "path": "/authors/1" },
            { "op": "add", "path": "/authors/-", "value": { "first": "New", "last": "Author" } },
            { "op": "replace", "path": "/tags/0", "value": "salt" },
            { "op": "add", "path": "/tags/-", "value": "wave" },
        ]);
        assert_eq!(sent.as_array().map(|all| &all[2..6]), expected.as_array().map(Vec::as_slice), "{language}");
        // The elements that stay are changed before others are removed, the last of these first.
        program.moves("2-3", &["authors"]);
        let sent = program.sent().expect("sent");
        assert_eq!(sent[2], json!({ "op": "remove", "path": "/authors/1" }), "{language}");
        program.moves_in_author("D", 1, "first");
        program.moves_in_author("D", 1, "last");
        let sent = program.sent().expect("sent");
        let removed = json!([{ "op": "remove", "path": "/authors/2" }, { "op": "remove", "path": "/authors/1" }]);
        assert_eq!(sent.as_array().map(|all| &all[2..4]), removed.as_array().map(Vec::as_slice));
        program.moves_in_author("U", 1, "last");
        let sent = program.sent().expect("sent");
        let changed = json!([
            { "op": "remove", "path": "/authors/2/first" },
            { "op": "add", "path": "/authors/2/last", "value": "Author" },
            { "op": "remove", "path": "/authors/1" },
        ]);
        assert_eq!(sent.as_array().map(|all| &all[2..5]), changed.as_array().map(Vec::as_slice));
    }
}

#[test]
fn lists_and_operations_that_are_none_are_told() {
    let mut program = Program::new(JSON_PATCH, "COBOL", NATIVE, &book());
    for list in ["1", "1-3", "+,1", "first"] {
        program.moves(list, &["authors"]);
        let told = program.sent().expect_err(list);
        assert!(told.contains(&format!("'{list}' does not list 2 elements")), "{told}");
    }
    program.moves("1,2", &["authors"]);
    program.moves_in_author("X", 1, "last");
    let told = program.sent().expect_err("refused");
    assert!(told.contains("/authors/1/last") && told.contains("not an operation of a patch"), "{told}");
}

#[test]
fn a_member_of_an_object_in_a_merge_patch_needs_no_operation_of_the_object() {
    for (language, form) in FORMS {
        let mut program = Program::new(MERGE_PATCH, language, form, &json!({ "owner": { "id": "x1", "name": "Cy" } }));
        program.moves(" ", &["owner"]);
        program.moves(" ", &["owner", "id"]);
        assert_eq!(program.sent(), Ok(json!({ "owner": { "name": "Cy" } })), "{language}");
        program.moves("D", &["owner", "name"]);
        assert_eq!(program.sent(), Ok(json!({ "owner": { "name": null } })));
        // The operation of the object is for all of it.
        program.moves("U", &["owner"]);
        assert_eq!(program.sent(), Ok(json!({ "owner": { "id": "x1", "name": null } })));
        program.moves(" ", &["owner"]);
        program.moves(" ", &["owner", "name"]);
        assert_eq!(program.sent(), Ok(json!({})));
    }
}

#[test]
fn without_a_resource_that_is_described_a_body_has_the_members_of_its_schema() {
    let (_, _, archive) = made_of(&description(JSON_PATCH, OPERATIONS, None), "language=COBOL");
    let request = archive.operations[0].binding.request.as_ref().expect("a request");
    let body = request.group("ReqBody").expect("a body");
    let is_plain = |item: &Item| !item.is_json_patch && item.patch.is_none();
    assert!(is_plain(body) && body.element().is_some_and(|element| element.items().iter().all(is_plain)));
}
