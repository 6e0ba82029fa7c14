//! Maps of ours and of the API toolkit.

use serde_json::json;

use super::{Direction, parse, write};
use crate::api::mapping::{Kind, Mapping, Source, Statement};
use crate::api::tree::Place;

fn place(text: &str) -> Place {
    Place::parse(text).expect("a place")
}

/// The shape that the toolkit writes: a body with one root, a parameter of the path moved into it.
const TOOLKIT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<mappingRoot xmlns="http://www.ibm.com/2008/ccl/Mapping" domainIDExtension="zosconnect" jsonWrapped="false">
    <inlinedXMLSchema targetNamespace="t"><![CDATA[<xsd:schema/>]]></inlinedXMLSchema>
    <input path="../schema_1.xsd" var="rootInput"/>
    <mappingDeclaration name="GET.enquiry.{number}">
        <input path="$rootInput/HTTPRequest"/>
        <output path="$rootOutput/Enquiry"/>
        <passthrough>
            <input path="Body/Enquiry"/>
            <output path="."/>
            <updates>
                <move>
                    <input httpIn="path" path="PathParameters/number" shape="1"/>
                    <output httpIn="body" path="Number" xsdBuiltInOrDerivedSimpleType="http://www.w3.org/2001/XMLSchema:integer"/>
                </move>
            </updates>
        </passthrough>
    </mappingDeclaration>
</mappingRoot>"#;

#[test]
fn a_map_of_the_toolkit_is_read() {
    let mapping = parse(TOOLKIT, "request.map").expect("a map");
    let statement = Statement::Move {
        from: Source::Path("number".to_owned()),
        to: place("Enquiry/Number"),
        kind: Kind::Integer,
        required: true,
    };
    assert_eq!(mapping, Mapping { passes_body: true, statements: vec![statement] });
}

#[test]
fn what_is_written_is_read_back() {
    let mv = |from, to: &str, kind, required| Statement::Move { from, to: place(to), kind, required };
    let constant = |value, to: &str| mv(Source::Value(value), to, Kind::AsSchema, false);
    let statements = vec![
        mv(Source::Path("id".to_owned()), "a/b", Kind::AsSchema, true),
        mv(Source::Query("q<&\">".to_owned()), "c", Kind::Number, false),
        mv(Source::Header("X-Token".to_owned()), "d~1e", Kind::Text, true),
        mv(Source::Body(place("x/y")), "z", Kind::AsSchema, false),
        constant(json!("W \"&<"), "k"),
        constant(json!(12), "n"),
        constant(json!(true), "t"),
        Statement::Remove(place("r/s")),
    ];
    for passes_body in [true, false] {
        for direction in [Direction::Request, Direction::Response] {
            let mapping = Mapping { passes_body, statements: statements.clone() };
            let xml = write(&mapping, "POST", "/a/{id}", direction);
            assert_eq!(parse(&xml, "x.map"), Ok(mapping), "{xml}");
        }
    }
    assert_eq!(parse(&write(&Mapping::pass(), "GET", "/", Direction::Response), "x"), Ok(Mapping::pass()));
}

#[test]
fn a_statement_that_is_not_known_is_refused_and_not_left_out() {
    let xml = TOOLKIT.replace("move>", "foreach>");
    let problem = parse(&xml, "api/x/GET/request.map").expect_err("refused").to_string();
    assert_eq!(problem, "api/x/GET/request.map: the statement foreach is not supported");
    assert!(parse("<mappingRoot/>", "m").is_err());
    assert!(parse("<!DOCTYPE x [<!ENTITY a 'b'>]><mappingRoot/>", "m").is_err());
}
