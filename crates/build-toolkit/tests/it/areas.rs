//! Structures of level 5.0: data areas, existence items, an item for each answer, cookies.

use std::fmt::Write as _;

use build_toolkit::archive::{Place, Status};
use build_toolkit::options;
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
        |           03 requestPathParameters.
        |             06 shelf-length                  PIC S9999 COMP-5 SYNC.
        |             06 shelf                         PIC X(8).
        |           03 requestQueryParameters.
        |             06 tags-num                      PIC S9(9) COMP-5 SYNC.
        |             06 tags-dataarea                 PIC X(16).
        |           03 requestCookies.
        |             06 session-existence             PIC S9(9) COMP-5 SYNC.
        |             06 session.
        |               09 session2-length               PIC S9999 COMP-5 SYNC.
        |               09 session2                      PIC X(10).
        |           03 requestBody.
        |             06 Xwords-num                    PIC S9(9) COMP-5 SYNC.
        |             06 Xwords-dataarea               PIC X(16).
        |             06 most-existence                PIC S9(9) COMP-5 SYNC.
        |             06 most                          PIC S9(9) COMP-5 SYNC.
        |         01 SHP00Q01-tags.
        |           03 tags.
        |             06 tags2-length                  PIC S9999 COMP-5 SYNC.
        |             06 tags2                         PIC X(6).
        |         01 SHP00Q01-Xwords.
        |           03 Xwords.
        |             06 Xwords2-length                PIC S9999 COMP-5 SYNC.
        |             06 Xwords2                       PIC X(12).
    "#]]
    .assert_eq(&with_margin(&code(&made.members["SHP00Q01"])));
    expect![[r#"
        |          01 BAQBASE-SHP00P01.
        |           03 responseCode200-existence     PIC S9(9) COMP-5 SYNC.
        |           03 responseCode200-dataarea      PIC X(16).
        |           03 responseCode404-existence     PIC S9(9) COMP-5 SYNC.
        |           03 responseCode404-dataarea      PIC X(16).
        |           03 responseCode5XX-length        PIC S9999 COMP-5 SYNC.
        |           03 responseCode5XX               PIC X(40).
        |         01 SHP00P01-responseCode200.
        |           03 responseCode200.
        |             06 books-num                     PIC S9(9) COMP-5 SYNC.
        |             06 books-dataarea                PIC X(16).
        |             06 grid-num                      PIC S9(9) COMP-5 SYNC.
        |             06 grid-dataarea                 PIC X(16).
        |         01 SHP00P01-responseCode404.
        |           03 responseCode404.
        |             06 why-length                    PIC S9999 COMP-5 SYNC.
        |             06 why                           PIC X(20).
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
        |           03 filler                        PIC X(4).
        |         01 SHP00P01-grid.
        |           03 grid.
        |             06 grid2-num                     PIC S9(9) COMP-5 SYNC.
        |             06 grid2-dataarea                PIC X(16).
        |         01 SHP00P01-authors.
        |           03 authors.
        |             06 name-length                   PIC S9999 COMP-5 SYNC.
        |             06 name                          PIC X(5).
        |           03 filler                        PIC X(1).
        |         01 SHP00P01-grid2.
        |           03 grid                          PIC S9(9) COMP-5 SYNC.
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
fn level_5_0_is_made_in_cobol_only() {
    let text = "apiDescriptionFile=a\ndataStructuresLocation=b\napiInfoFileLocation=b\nlogFileDirectory=b\nlanguage=PLI\n\
                connectionRef=c\nmappingLevel=5.0\n";
    let refused = options::parse(text.as_bytes()).expect_err("refused");
    assert_eq!(refused[0].property, "language");
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
            let name = item.name.strip_suffix("-dataarea").expect("the name of an area");
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

fn check(all: &[(&Made, &str)], least: usize) {
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
