//! Structures of level 5.0: data areas, existence items, an item for each answer, cookies.

use std::fmt::Write as _;

use build_toolkit::archive::{Place, Status};
use build_toolkit::structure::{Item, Structure, Value};
use expect_test::expect;

use crate::building::{Made, built, code, with_margin};
use crate::compiler::run;
use crate::random::Random;

/// A shop that answers with books, or says why not.
pub(crate) const SHOP: &str = r##"{
  "openapi": "3.0.3", "info": { "title": "Shop", "version": "1" },
  "paths": { "/books/{shelf}": { "post": {
    "operationId": "find",
    "parameters": [
      { "name": "shelf", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 8 } },
      { "name": "tags", "in": "query", "schema": { "type": "array", "items": { "type": "string", "maxLength": 6 } } },
      { "name": "session", "in": "cookie", "schema": { "type": "string", "maxLength": 10 } }
    ],
    "requestBody": { "content": { "application/json": { "schema": { "type": "object", "required": ["words"], "properties": {
      "words": { "type": "array", "items": { "type": "string", "maxLength": 12 } },
      "most": { "type": "integer", "format": "int32" } } } } } },
    "responses": {
      "200": { "description": "found", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Found" } } } },
      "404": { "description": "none", "content": { "application/json": { "schema": { "type": "object", "required": ["why"], "properties": {
        "why": { "type": "string", "maxLength": 20 } } } } } },
      "5XX": { "description": "broken", "content": { "application/json": { "schema": { "type": "string", "maxLength": 40 } } } },
      "default": { "description": "else", "content": { "text/html": { "schema": { "type": "string" } } } }
    } } } },
  "components": { "schemas": {
    "Found": { "type": "object", "required": ["books", "grid"], "properties": {
      "books": { "type": "array", "maxItems": 100, "items": { "$ref": "#/components/schemas/Book" } },
      "grid": { "type": "array", "items": { "type": "array", "items": { "type": "integer", "format": "int32" } } } } },
    "Book": { "type": "object", "required": ["isbn", "price"], "properties": {
      "isbn": { "type": "string", "minLength": 13, "maxLength": 13 },
      "price": { "type": "number" },
      "title": { "type": "string", "maxLength": 9 },
      "inPrint": { "type": "boolean" },
      "authors": { "type": "array", "items": { "type": "object", "required": ["name"], "properties": {
        "name": { "type": "string", "maxLength": 5 } } } } } } } }
}"##;

fn shop() -> Made {
    built("mappingLevel=5.0\nrequesterPrefix=SHP", "shop.json", SHOP)
}

#[test]
fn arrays_and_answers_stand_in_data_areas_behind_the_base_structure() {
    let made = shop();
    expect![[r#"
        |          01 BAQBASE-SHP00Q01.
        |            03 requestPathParameters.
        |              06 shelf-length                  PIC S9999 COMP-5 SYNC.
        |              06 shelf                         PIC X(8).
        |            03 requestQueryParameters.
        |              06 tags-num                      PIC S9(9) COMP-5 SYNC.
        |              06 tags-dataarea                 PIC X(16).
        |            03 requestCookies.
        |              06 session-existence             PIC S9(9) COMP-5 SYNC.
        |              06 session.
        |                09 session2-length               PIC S9999 COMP-5 SYNC.
        |                09 session2                      PIC X(10).
        |            03 requestBody.
        |              06 Xwords-num                    PIC S9(9) COMP-5 SYNC.
        |              06 Xwords-dataarea               PIC X(16).
        |              06 most-existence                PIC S9(9) COMP-5 SYNC.
        |              06 most                          PIC S9(9) COMP-5 SYNC.
        |         01 SHP00Q01-tags.
        |           03 tags-length                   PIC S9999 COMP-5 SYNC.
        |           03 tags                          PIC X(6).
        |         01 SHP00Q01-Xwords.
        |           03 Xwords-length                 PIC S9999 COMP-5 SYNC.
        |           03 Xwords                        PIC X(12).
    "#]]
    .assert_eq(&with_margin(&code(&made.members["SHP00Q01"])));
    expect![[r#"
        |          01 BAQBASE-SHP00P01.
        |            03 responseCode200-existence     PIC S9(9) COMP-5 SYNC.
        |            03 responseCode200-dataarea      PIC X(16).
        |            03 responseCode404-existence     PIC S9(9) COMP-5 SYNC.
        |            03 responseCode404-dataarea      PIC X(16).
        |            03 responseCode5XX-existence     PIC S9(9) COMP-5 SYNC.
        |            03 responseCode5XX-dataarea      PIC X(16).
        |         01 SHP00P01-responseCode200.
        |           03 responseCode200.
        |             06 books-num                     PIC S9(9) COMP-5 SYNC.
        |             06 books-dataarea                PIC X(16).
        |             06 grid-num                      PIC S9(9) COMP-5 SYNC.
        |             06 grid-dataarea                 PIC X(16).
        |         01 SHP00P01-books.
        |           03 books.
        |             06 isbn                          PIC X(13).
        |             06 price                         COMP-2 SYNC.
        |             06 Xtitle-existence              PIC S9(9) COMP-5 SYNC.
        |             06 Xtitle.
        |               09 Xtitle2-length                PIC S9999 COMP-5 SYNC.
        |               09 Xtitle2                       PIC X(9).
        |             06 inPrint-existence             PIC S9(9) COMP-5 SYNC.
        |             06 inPrint                       PIC X DISPLAY.
        |             06 authors-num                   PIC S9(9) COMP-5 SYNC.
        |             06 authors-dataarea              PIC X(16).
        |             06 filler                        PIC X(4).
        |         01 SHP00P01-authors.
        |           03 authors.
        |             06 name-length                   PIC S9999 COMP-5 SYNC.
        |             06 name                          PIC X(5).
        |             06 filler                        PIC X(1).
        |         01 SHP00P01-grid.
        |           03 grid.
        |             06 grid2-num                     PIC S9(9) COMP-5 SYNC.
        |             06 grid2-dataarea                PIC X(16).
        |         01 SHP00P01-grid2.
        |           03 grid                          PIC S9(9) COMP-5 SYNC.
        |         01 SHP00P01-responseCode404.
        |           03 responseCode404.
        |             06 why-length                    PIC S9999 COMP-5 SYNC.
        |             06 why                           PIC X(20).
        |         01 SHP00P01-responseCode5XX.
        |           03 responseCode5XX-length        PIC S9999 COMP-5 SYNC.
        |           03 responseCode5XX               PIC X(40).
    "#]]
    .assert_eq(&with_margin(&code(&made.members["SHP00P01"])));
    // API information is that of level 4.3: programs call BAQCSTUB with it.
    assert!(made.members["SHP00I01"].contains("'%2Fbooks%2F%7Bshelf%7D'"), "{}", made.members["SHP00I01"]);
    assert!(made.lines.iter().all(|line| !line.contains("BAQB0901W")), "{:?}", made.lines);
}

#[test]
fn the_archive_says_where_everything_goes() {
    let made = shop();
    let binding = &made.archive.as_ref().expect("an archive").operations[0].binding;
    assert_eq!(binding.format, 2);
    let places: Vec<_> = binding.parameters.iter().map(|one| (one.place, one.name.as_str())).collect();
    assert_eq!(places, [(Place::Path, "shelf"), (Place::Query, "tags"), (Place::Cookie, "session")]);
    let response = binding.response.as_ref().expect("a response");
    let statuses: Vec<_> = response.structure.groups.iter().filter_map(|it| Status::of_group(&it.json_name)).collect();
    assert_eq!(statuses, [Status::One(200), Status::One(404), Status::Class(5)]);
    for (name, expected) in [
        ("responseCode2XX", Some(Status::Class(2))),
        ("responseCodeDefault", Some(Status::Other)),
        ("responseCode99", None),
        ("responseCode6XX", None),
        ("RespBody", None),
    ] {
        assert_eq!(Status::of_group(name), expected, "{name}");
    }
}

#[test]
fn in_pli_each_structure_is_declared_by_itself_and_those_of_answers_are_based() {
    let made = built("mappingLevel=5.0\nrequesterPrefix=SHP\nlanguage=PLI", "shop.json", SHOP);
    expect![[r#"
        |    Dcl 01 BAQBASE_SHP00Q01,
        |       03 requestPathParameters,
        |         06 shelf                          CHAR(8) VARYING UNALIGNED,
        |       03 requestQueryParameters,
        |         06 tags_num                       UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 tags_dataarea                  CHAR(16),
        |       03 requestCookies,
        |         06 session_existence              UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 session                        CHAR(10) VARYING UNALIGNED,
        |       03 requestBody,
        |         06 words_num                      UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 words_dataarea                 CHAR(16),
        |         06 most_existence                 UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 most                           SIGNED FIXED BINARY(31)
        |          UNALIGNED;
        |
        |    Dcl 01 SHP00Q01_tags,
        |      03 tags                           CHAR(6) VARYING UNALIGNED;
        |
        |    Dcl 01 SHP00Q01_words,
        |      03 words                          CHAR(12) VARYING UNALIGNED;
    "#]]
    .assert_eq(&with_margin(&declared(&made.members["SHP00Q01"])));
    expect![[r#"
        |    Dcl BAQBASE_SHP00P01_PTR PTR;
        |    Dcl 01 BAQBASE_SHP00P01 BASED(BAQBASE_SHP00P01_PTR),
        |       03 responseCode200_existence      UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |       03 responseCode200_dataarea       CHAR(16),
        |       03 responseCode404_existence      UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |       03 responseCode404_dataarea       CHAR(16),
        |       03 responseCode5XX_existence      UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |       03 responseCode5XX_dataarea       CHAR(16);
        |
        |    Dcl SHP00P01_responseCode200_PTR PTR;
        |    Dcl 01 SHP00P01_responseCode200
        |          BASED(SHP00P01_responseCode200_PTR),
        |      03 responseCode200,
        |        06 books_num                      UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 books_dataarea                 CHAR(16),
        |        06 grid_num                       UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 grid_dataarea                  CHAR(16);
        |
        |    Dcl SHP00P01_books_PTR PTR;
        |    Dcl 01 SHP00P01_books BASED(SHP00P01_books_PTR),
        |      03 books,
        |        06 isbn                           CHAR(13),
        |        06 price                          BINARY FLOAT(53) UNALIGNED,
        |        06 title_existence                UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 title                          CHAR(9) VARYING UNALIGNED,
        |        06 inPrint_existence              UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 inPrint                        CHAR(1),
        |        06 authors_num                    UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 authors_dataarea               CHAR(16);
        |
        |    Dcl SHP00P01_authors_PTR PTR;
        |    Dcl 01 SHP00P01_authors BASED(SHP00P01_authors_PTR),
        |      03 authors,
        |        06 name                           CHAR(5) VARYING UNALIGNED;
        |
        |    Dcl SHP00P01_grid_PTR PTR;
        |    Dcl 01 SHP00P01_grid BASED(SHP00P01_grid_PTR),
        |      03 grid,
        |        06 grid2_num                      UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |        06 grid2_dataarea                 CHAR(16);
        |
        |    Dcl SHP00P01_grid2_PTR PTR;
        |    Dcl 01 SHP00P01_grid2 BASED(SHP00P01_grid2_PTR),
        |      03 grid                           SIGNED FIXED BINARY(31)
        |          UNALIGNED;
        |
        |    Dcl SHP00P01_responseCode404_PTR PTR;
        |    Dcl 01 SHP00P01_responseCode404
        |          BASED(SHP00P01_responseCode404_PTR),
        |      03 responseCode404,
        |        06 why                            CHAR(20) VARYING UNALIGNED;
        |
        |    Dcl SHP00P01_responseCode5XX_PTR PTR;
        |    Dcl 01 SHP00P01_responseCode5XX
        |          BASED(SHP00P01_responseCode5XX_PTR),
        |      03 responseCode5XX                CHAR(40) VARYING UNALIGNED;
    "#]]
    .assert_eq(&with_margin(&declared(&made.members["SHP00P01"])));
    let comments: String = made.members["SHP00Q01"].lines().take(16).map(|line| format!("{line}\n")).collect();
    expect![[r#"
        | /*----------------------------------------------------------------*/
        | /*| Structure of the request that the JSON schema                 |*/
        | /*|  'find_request.json' describes.                               |*/
        | /*| Mapping level '5.0'. Made by Quaymaster's build toolkit.      |*/
        | /*| Field 'shelf':                                                |*/
        | /*| JSON 'ReqPathParameters->shelf'.                              |*/
        | /*| Type 'string'.                                                |*/
        | /*| minLength '0', maxLength '8'.                                 |*/
        | /*| The characters that count stand behind their length.          |*/
        | /*| 'ReqQueryParameters->tags' is an array; 'tags_num' tells how  |*/
        | /*|  many of its values there are, from 0 to 2147483647.          |*/
        | /*| Field 'tags_dataarea':                                        |*/
        | /*| JSON 'ReqQueryParameters->tags'.                              |*/
        | /*| Type 'string'.                                                |*/
        | /*| minLength '0', maxLength '6'.                                 |*/
        | /*| Name of the data area where it is.                            |*/
    "#]]
    .assert_eq(&with_margin(&comments));
    // Nothing is aligned: an element is as long as its items.
    let binding = &made.archive.as_ref().expect("an archive").operations[0].binding;
    let response = &binding.response.as_ref().expect("a response").structure;
    let mut records = records(response, "SHP00P01");
    records.iter_mut().for_each(|(name, _)| *name = name.replace("SHP00P01", ""));
    let lengths: Vec<_> = records.iter().map(|(name, length)| (name.as_str(), *length)).collect();
    assert_eq!(
        lengths,
        [
            ("BAQBASE-", 20 + 20 + 20),
            ("-responseCode200", 20 + 20),
            ("-books", 13 + 8 + 4 + 11 + 4 + 1 + 20),
            ("-authors", 7),
            ("-grid", 20),
            ("-grid2", 4),
            ("-responseCode404", 22),
            ("-responseCode5XX", 42),
        ]
    );
}

#[test]
fn in_pli_decimals_have_31_digits_and_long_lines_go_on_below() {
    let description = serde_json::json!({ "openapi": "3.0.0", "info": { "title": "T", "version": "1" }, "paths": { "/a": { "get": {
        "operationId": "a", "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
            "type": "object", "required": ["outer"], "properties": { "outer": { "type": "object", "required": ["in"], "properties": {
                "in": { "type": "object", "required": ["rate", "aNameOfTwentyEightCharacters"], "properties": {
                    "rate": { "type": "number", "format": "decimal", "minimum": 0 },
                    "born": { "type": "string", "format": "date" },
                    "aNameOfTwentyEightCharacters": { "type": "string", "maxLength": 40000 } } } } } } } } } } } } } } })
    .to_string();
    let made = built("mappingLevel=5.0\nlanguage=PLI", "a.json", &description);
    let member = &made.members["API00P01"];
    expect![[r#"
        |    Dcl BAQBASE_API00P01_PTR PTR;
        |    Dcl 01 BAQBASE_API00P01 BASED(BAQBASE_API00P01_PTR),
        |       03 responseCode200_existence      UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |       03 responseCode200_dataarea       CHAR(16);
        |
        |    Dcl API00P01_responseCode200_PTR PTR;
        |    Dcl 01 API00P01_responseCode200
        |          BASED(API00P01_responseCode200_PTR),
        |      03 responseCode200,
        |        06 outer,
        |          09 in,
        |            12 rate                           FIXED DECIMAL (31,2),
        |            12 born_existence                 UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |            12 born                           CHAR(32) VARYING
        |          UNALIGNED,
        |            12 aNameOfTwentyEightCharacters   CHAR(40000) VARYING4
        |          UNALIGNED;
    "#]]
    .assert_eq(&with_margin(&declared(member)));
    assert!(member.lines().all(|line| line.len() <= 71), "{member}");
    let made = built("mappingLevel=5.0", "a.json", &description);
    assert!(
        made.members["API00P01"].contains("12 rate                          PIC 9(16)V9(2)\n"),
        "{}",
        made.members["API00P01"]
    );
    assert!(
        made.members["API00P01"].contains("born2                         PIC X(32)"),
        "{}",
        made.members["API00P01"]
    );
}

/// What a PL/I member has behind its comments.
pub(crate) fn declared(member: &str) -> String {
    member.split_once("\n\n").map(|(_, code)| code.to_owned()).expect("code behind comments")
}

#[test]
fn members_without_names_of_their_own_stand_in_a_data_area_with_their_names() {
    let description = serde_json::json!({ "openapi": "3.0.0", "info": { "title": "T", "version": "1" }, "paths": { "/a": { "post": {
        "operationId": "a",
        "requestBody": { "content": { "application/json": { "schema": {
            "type": "object", "required": ["id"], "properties": { "id": { "type": "integer", "format": "int32" } },
            "additionalProperties": true } } } },
        "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
            "type": "object", "properties": { "prices": { "type": "object", "additionalProperties": { "type": "number" } } },
            "additionalProperties": { "type": "object", "required": ["n"], "properties": { "n": { "type": "string" } } } } } } } },
    } } } })
    .to_string();
    let options =
        "mappingLevel=5.0\nadditionalPropertiesSize=64\nadditionalPropertiesMax=9\ndefaultCharacterMaxLength=30";
    let made = built(options, "a.json", &description);
    expect![[r#"
        |          01 BAQBASE-API00Q01.
        |            03 requestBody.
        |              06 Xid                           PIC S9(9) COMP-5 SYNC.
        |              06 additionalPropert-num         PIC S9(9) COMP-5 SYNC.
        |              06 additionalPropert-dataarea    PIC X(16).
        |         01 API00Q01-additionalPropert.
        |           03 additionalPropert.
        |             06 property-name-length          PIC S9999 COMP-5 SYNC.
        |             06 property-name                 PIC X(30).
        |             06 property-value-length         PIC S9999 COMP-5 SYNC.
        |             06 property-value                PIC X(64).
    "#]]
    .assert_eq(&with_margin(&code(&made.members["API00Q01"])));
    expect![[r#"
        |          01 BAQBASE-API00P01.
        |            03 responseCode200-existence     PIC S9(9) COMP-5 SYNC.
        |            03 responseCode200-dataarea      PIC X(16).
        |         01 API00P01-responseCode200.
        |           03 responseCode200.
        |             06 prices-existence              PIC S9(9) COMP-5 SYNC.
        |             06 prices.
        |               09 additionalPropert-num         PIC S9(9) COMP-5 SYNC.
        |               09 additionalPropert-dataarea    PIC X(16).
        |             06 additionalPropert2-num        PIC S9(9) COMP-5 SYNC.
        |             06 additionalPropert2-dataarea   PIC X(16).
        |         01 API00P01-additionalPropert.
        |           03 additionalPropert.
        |             06 property-name-length          PIC S9999 COMP-5 SYNC.
        |             06 property-name                 PIC X(30).
        |             06 property-value                COMP-2 SYNC.
        |         01 API00P01-additionalPropert2.
        |           03 additionalPropert2.
        |             06 property-name-length          PIC S9999 COMP-5 SYNC.
        |             06 property-name                 PIC X(30).
        |             06 property-value.
        |               09 n-length                      PIC S9999 COMP-5 SYNC.
        |               09 n                             PIC X(30).
    "#]]
    .assert_eq(&with_margin(&code(&made.members["API00P01"])));
    assert!(made.lines.iter().all(|line| !line.contains("BAQB0901W")), "{:?}", made.lines);
    check(&[(&made, "maps")], 6);
    let binding = &made.archive.as_ref().expect("an archive").operations[0].binding;
    let area = binding.request.as_ref().expect("a request").groups[0].items().last().expect("an area");
    assert!(area.is_map());
    assert_eq!(area.counter.as_ref().map(|counter| (counter.minimum, counter.maximum)), Some((0, 9)));
    let package = document::package::Package::read(&made.packed).expect("a package");
    let schema: serde_json::Value =
        serde_json::from_str(package.text("services/a/schemas/a_response.json").expect("a schema")).expect("JSON");
    let answer = &schema["properties"]["responseCode200"];
    assert_eq!(answer["additionalProperties"]["properties"]["n"]["type"], "string");
    assert_eq!(answer["properties"]["prices"]["additionalProperties"]["type"], "number");
    let made = built(&format!("{options}\nlanguage=PLI"), "a.json", &description);
    expect![[r#"
        |    Dcl 01 BAQBASE_API00Q01,
        |       03 requestBody,
        |         06 id                             SIGNED FIXED BINARY(31)
        |          UNALIGNED,
        |         06 additionalPropert_num          UNSIGNED FIXED BINARY(32)
        |          UNALIGNED,
        |         06 additionalPropert_dataarea     CHAR(16);
        |
        |    Dcl 01 API00Q01_additionalPropert,
        |      03 additionalPropert,
        |        06 property_name                  CHAR(30) VARYING UNALIGNED,
        |        06 property_value                 CHAR(64) VARYING UNALIGNED;
    "#]]
    .assert_eq(&with_margin(&declared(&made.members["API00Q01"])));
    // Below, they have no place.
    let made = built("mappingLevel=4.3", "a.json", &description);
    let told = made.lines.iter().filter(|line| line.contains("BAQB0901W") && line.contains("mappingLevel=5.0"));
    assert_eq!(told.count(), 3, "{:?}", made.lines);
}

#[test]
fn data_areas_of_a_channel_are_called_containers() {
    for (language, suffix) in [("COBOL", "-cont"), ("PLI", "_cont")] {
        let options = format!("mappingLevel=5.0\nrequesterPrefix=SHP\nlanguage={language}");
        let areas = built(&options, "shop.json", SHOP);
        let containers = built(&format!("{options}\nprogramInterface=CHANNEL"), "shop.json", SHOP);
        for member in ["SHP00Q01", "SHP00P01"] {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let called = areas.members[member].replace("-dataarea", suffix).replace("_dataarea", suffix);
            assert!(called.contains(suffix));
            let code = |text: &str| if language == "PLI" { declared(text) } else { code(text) };
            assert_eq!(words(&code(&containers.members[member])), words(&code(&called)), "{member}");
        }
    }
}

#[test]
fn api_keys_stand_in_cookies_behind_those_of_the_operation() {
    let made = built("mappingLevel=5.0\napiKeyParmNameInCookie=key,session\napiKeyMaxLength=36", "shop.json", SHOP);
    let binding = &made.archive.as_ref().expect("an archive").operations[0].binding;
    let cookies = binding.parameters.iter().filter(|one| one.place == Place::Cookie);
    // The operation has one of that name, which is its own.
    assert_eq!(cookies.map(|one| one.name.as_str()).collect::<Vec<_>>(), ["session", "key"]);
    assert!(binding.options.api_keys.as_ref().is_some_and(|keys| keys.place == Place::Cookie));
    assert!(code(&made.members["API00Q01"]).contains("06 Xkey                          PIC X(36)."));
}

/// Each level 01 of a member with its length.
fn records(structure: &Structure, member: &str) -> Vec<(String, u32)> {
    let mut records = vec![(format!("BAQBASE-{member}"), structure.length)];
    structure.groups.iter().for_each(|item| areas(item, member, &mut records));
    records
}

fn areas(item: &Item, member: &str, records: &mut Vec<(String, u32)>) {
    match &item.value {
        Value::Group { items } => items.iter().for_each(|item| areas(item, member, records)),
        Value::Array { item } => areas(item, member, records),
        Value::Area { length, element, .. } => {
            let name = item.name.strip_suffix("-dataarea").or(item.name.strip_suffix("_dataarea"));
            let name = name.expect("the name of an area");
            records.push((format!("{member}-{name}"), *length));
            areas(element, member, records);
        }
        _ => {}
    }
}

/// Compiles and runs a program that copies the members of these builds: what it counts, beside what the layouts say.
fn counted(all: &[(&Made, &str)]) -> (Vec<u32>, Vec<(String, u32)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = String::from(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. LENGTHS.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n",
    );
    let mut expected = Vec::new();
    for (made, extra) in all {
        let summary = made.summary.as_ref().expect("a summary");
        let archive = made.archive.as_ref().expect("an archive");
        for processed in &summary.processed {
            let found = archive.operations.iter().find(|one| one.id == processed.operation_id);
            let binding = &found.expect("the operation").binding;
            let response = binding.response.as_ref().map(|response| &response.structure);
            for (member, structure) in [(&processed.request, binding.request.as_ref()), (&processed.response, response)]
            {
                let (Some((member, _)), Some(structure)) = (member, structure) else { continue };
                std::fs::File::create(folder.path().join(format!("{member}.cpy")))
                    .and_then(|mut file| std::io::Write::write_all(&mut file, made.members[member].as_bytes()))
                    .unwrap_or_else(|error| panic!("{extra}: {error}"));
                let _ = writeln!(program, "       COPY {member}.");
                expected.extend(records(structure, member));
            }
        }
    }
    program.push_str("       PROCEDURE DIVISION.\n");
    for (name, _) in &expected {
        let _ = writeln!(program, "           DISPLAY LENGTH OF {name}.");
    }
    program.push_str("           STOP RUN.\n");
    let shown = run(folder.path(), &program);
    (shown.lines().map(|line| line.trim().parse().expect("a length")).collect(), expected)
}

pub(crate) fn check(all: &[(&Made, &str)], least: usize) {
    let (lengths, expected) = counted(all);
    assert!(expected.len() >= least, "{expected:?}");
    for ((name, expected), length) in expected.iter().zip(&lengths) {
        assert_eq!(length, expected, "{name}");
    }
    assert_eq!(lengths.len(), expected.len());
}

#[test]
fn the_compiler_counts_base_structures_and_elements_as_the_layout_does() {
    check(&[(&shop(), "shop")], 10);
}

#[test]
fn the_compiler_counts_generated_descriptions_of_level_5_0_as_the_layout_does() {
    let builds: Vec<(Made, String)> = (0..10u64)
        .map(|seed| {
            let more = ["", "characterVarying=NO\nwideComp3=YES", "characterVarying=NULL\ncharacterMultiplier=3"];
            let options = format!(
                "mappingLevel=5.0\nrequesterPrefix=R{seed:02}\n{}",
                more[usize::try_from(seed % 3).expect("small")]
            );
            (built(&options, "a.json", &Random::new(seed * 7 + 1).description()), options)
        })
        .collect();
    let all: Vec<(&Made, &str)> = builds.iter().map(|(made, options)| (made, options.as_str())).collect();
    check(&all, 60);
}
