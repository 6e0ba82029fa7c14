//! Structures of PATCH bodies at level 5.0: merge patches and JSON patches.

use expect_test::expect;

use crate::areas::{check, declared};
use crate::building::{built, code, with_margin};

/// A merge patch of a book.
const PATCH: &str = include_str!("patches/merge-patch.json");

#[test]
fn members_of_a_merge_patch_have_an_operation_before_them_and_those_of_arrays_have_none() {
    let made = built("mappingLevel=5.0", "patch.json", PATCH);
    expect![[r#"
        |          01 BAQBASE-API00Q01.
        |            03 requestPathParameters.
        |              06 Xid-length                    PIC S9999 COMP-5 SYNC.
        |              06 Xid                           PIC X(8).
        |            03 requestBody.
        |              06 title-patch-operation         PIC X(1).
        |              06 Xtitle-length                 PIC S9999 COMP-5 SYNC.
        |              06 Xtitle                        PIC X(10).
        |              06 licationDate-patch-operation  PIC X(1).
        |              06 publicationDate               PIC X(10).
        |              06 pages-patch-operation         PIC X(1).
        |              06 pages                         PIC S9(9) COMP-5 SYNC.
        |              06 authors-patch-operation       PIC X(1).
        |              06 authors-num                   PIC S9(9) COMP-5 SYNC.
        |              06 authors-dataarea              PIC X(16).
        |              06 owner-patch-operation         PIC X(1).
        |              06 owner.
        |                09 id-patch-operation            PIC X(1).
        |                09 Xid2                          PIC X(2).
        |         01 API00Q01-authors.
        |           03 authors.
        |             06 name-existence                PIC S9(9) COMP-5 SYNC.
        |             06 name.
        |               09 name2-length                  PIC S9999 COMP-5 SYNC.
        |               09 name2                         PIC X(5).
        |             06 filler                        PIC X(1).
    "#]]
    .assert_eq(&with_margin(&code(&made.members["API00Q01"])));
    check(&[(&made, "patch")], 2);
    let pli = built("mappingLevel=5.0\nlanguage=PLI", "patch.json", PATCH);
    expect![[r#"
        |    Dcl 01 BAQBASE_API00Q01,
        |       03 requestPathParameters,
        |         06 id                             CHAR(8) VARYING UNALIGNED,
        |       03 requestBody,
        |         06 title_patch_operation          CHAR(1),
        |         06 title                          CHAR(10) VARYING UNALIGNED,
        |         06 blicationDate_patch_operation  CHAR(1),
        |         06 publicationDate                CHAR(10),
        |         06 pages_patch_operation          CHAR(1),
        |         06 pages                          SIGNED FIXED BINARY(31)
        |          UNALIGNED,
        |         06 authors_patch_operation        CHAR(1),
        |         06 authors_num                    UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 authors_dataarea               CHAR(16),
        |         06 owner_patch_operation          CHAR(1),
        |         06 owner,
        |           09 id_patch_operation             CHAR(1),
        |           09 id                             CHAR(2);
        |
        |    Dcl 01 API00Q01_authors,
        |      03 authors,
        |        06 name_existence                 UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 name                           CHAR(5) VARYING UNALIGNED;
    "#]]
    .assert_eq(&with_margin(&declared(&pli.members["API00Q01"])));
    // Any other method or media type, and any other level, has ordinary members.
    for (options, description) in [
        ("mappingLevel=5.0", PATCH.replace("\"patch\": {", "\"post\": {")),
        ("mappingLevel=5.0", PATCH.replace("merge-patch+json", "json")),
        ("mappingLevel=4.3", PATCH.to_owned()),
    ] {
        let made = built(options, "patch.json", &description);
        assert!(!made.members["API00Q01"].contains("patch-operation"), "{options}");
    }
}

/// A JSON patch, whose resource only the answer of GET describes.
const OPERATIONS: &str = r##"{
  "openapi": "3.0.3", "info": { "title": "Patches", "version": "1" },
  "paths": { "/books/{id}": {
    "get": { "operationId": "get",
      "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 8 } }],
      "responses": { "200": { "description": "", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Book" } } } } } },
    "patch": { "operationId": "patch",
      "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 8 } }],
      "requestBody": { "content": { "application/json-patch+json": { "schema": { "type": "array", "items": { "type": "object", "properties": { "op": { "type": "string", "maxLength": 7 } } } } } } },
      "responses": { "204": { "description": "done" } } } } },
  "components": { "schemas": { "Book": { "type": "object", "required": ["title"], "additionalProperties": { "type": "integer" }, "properties": {
    "title": { "type": "string", "maxLength": 10 },
    "contributingAuthors": { "type": "array", "maxItems": 9, "items": { "type": "object", "properties": {
      "name": { "type": "string", "maxLength": 5 },
      "papers": { "type": "array", "items": { "type": "string", "maxLength": 7 } } } } },
    "owner": { "type": "object", "properties": { "id": { "type": "string", "minLength": 2, "maxLength": 2 } } } } } } }
}"##;

#[test]
fn members_of_a_json_patch_are_those_of_its_resource_with_lists_before_arrays() {
    let options = "mappingLevel=5.0\ndefaultCharacterMaxLength=20";
    let made = built(options, "patch.json", OPERATIONS);
    expect![[r#"
        |          01 BAQBASE-API01Q01.
        |            03 requestPathParameters.
        |              06 Xid-length                    PIC S9999 COMP-5 SYNC.
        |              06 Xid                           PIC X(8).
        |            03 requestBody.
        |              06 title-patch-operation         PIC X(1).
        |              06 Xtitle-length                 PIC S9999 COMP-5 SYNC.
        |              06 Xtitle                        PIC X(10).
        |              06 ntributingAuthors-patch-item  PIC X(20).
        |              06 contributingAutho-num         PIC S9(9) COMP-5 SYNC.
        |              06 contributingAutho-dataarea    PIC X(16).
        |              06 owner-patch-operation         PIC X(1).
        |              06 owner.
        |                09 id-patch-operation            PIC X(1).
        |                09 Xid2                          PIC X(2).
        |              06 additionalPropert-num         PIC S9(9) COMP-5 SYNC.
        |              06 additionalPropert-dataarea    PIC X(16).
        |         01 API01Q01-contributingAutho.
        |           03 contributingAutho.
        |             06 name-patch-operation          PIC X(1).
        |             06 name-length                   PIC S9999 COMP-5 SYNC.
        |             06 name                          PIC X(5).
        |             06 papers-patch-item             PIC X(20).
        |             06 papers-num                    PIC S9(9) COMP-5 SYNC.
        |             06 papers-dataarea               PIC X(16).
        |         01 API01Q01-papers.
        |           03 papers-length                 PIC S9999 COMP-5 SYNC.
        |           03 papers                        PIC X(7).
        |           03 filler                        PIC X(1).
        |         01 API01Q01-additionalPropert.
        |           03 additionalPropert.
        |             06 property-name-length          PIC S9999 COMP-5 SYNC.
        |             06 property-name                 PIC X(20).
        |             06 property-value                PIC S9(18) COMP-5 SYNC.
    "#]]
    .assert_eq(&with_margin(&code(&made.members["API01Q01"])));
    check(&[(&made, "patch")], 6);
    let pli = built(&format!("{options}\nlanguage=PLI"), "patch.json", OPERATIONS);
    expect![[r#"
        |    Dcl 01 BAQBASE_API01Q01,
        |       03 requestPathParameters,
        |         06 id                             CHAR(8) VARYING UNALIGNED,
        |       03 requestBody,
        |         06 title_patch_operation          CHAR(1),
        |         06 title                          CHAR(10) VARYING UNALIGNED,
        |         06 ontributingAuthors_patch_item  CHAR(20),
        |         06 contributingAutho_num          UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 contributingAutho_dataarea     CHAR(16),
        |         06 owner_patch_operation          CHAR(1),
        |         06 owner,
        |           09 id_patch_operation             CHAR(1),
        |           09 id                             CHAR(2),
        |         06 additionalPropert_num          UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 additionalPropert_dataarea     CHAR(16);
        |
        |    Dcl 01 API01Q01_contributingAutho,
        |      03 contributingAutho,
        |        06 name_patch_operation           CHAR(1),
        |        06 name                           CHAR(5) VARYING UNALIGNED,
        |        06 papers_patch_item              CHAR(20),
        |        06 papers_num                     UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 papers_dataarea                CHAR(16);
        |
        |    Dcl 01 API01Q01_papers,
        |      03 papers                         CHAR(7) VARYING UNALIGNED;
        |
        |    Dcl 01 API01Q01_additionalPropert,
        |      03 additionalPropert,
        |        06 property_name                  CHAR(20) VARYING UNALIGNED,
        |        06 property_value                 SIGNED FIXED BINARY(63)
        |          UNALIGNED;
    "#]]
    .assert_eq(&with_margin(&declared(&pli.members["API01Q01"])));
    // Below, the body is what its schema says.
    let made = built("mappingLevel=4.3", "patch.json", OPERATIONS);
    assert!(!code(&made.members["API01Q01"]).contains("title"), "{}", made.members["API01Q01"]);
}
