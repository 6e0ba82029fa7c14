//! Archives written and read back.

use document::package::{Package, PackageError};

use super::write::{Schemas, Writer};
use super::{
    Archive, ArchiveError, Binding, LIMITS, Operation, Options, Parameter, Place, Response, Style, WhiteSpace, read,
};
use crate::structure::{Alignment, Ending, Item, Structure, Value};

fn text(name: &str, bytes: u32) -> Item {
    Item::new(name, name, Value::Text { offset: 0, bytes, ending: Ending::Blank, characters: bytes, is_json: false })
}

fn structure(groups: &[&str]) -> Structure {
    let group = |name: &&str| Item::new(name, name, Value::Group { items: vec![text("isbn", 13)] });
    Structure::new(Alignment::Synchronized, groups.iter().map(group).collect()).expect("placed")
}

fn operation() -> Operation {
    Operation {
        id: "get/book".to_owned(),
        path: "/books/{isbn}".to_owned(),
        method: "GET".to_owned(),
        binding: Binding {
            format: 1,
            options: Options {
                white_space: WhiteSpace::Preserve,
                data_truncation: false,
                runtime_ccsid: 37,
                api_keys: None,
            },
            media_type: "application/json".to_owned(),
            parameters: vec![Parameter { place: Place::Path, name: "isbn".to_owned(), style: Style::Comma }],
            request: Some(structure(&["ReqPathParameters"])),
            response: Some(Response { code: 200, every_success: false, structure: structure(&["RespBody"]) }),
        },
    }
}

fn header() -> Archive {
    Archive {
        name: "Book-Shop_1".to_owned(),
        title: "Book \"Shop\"".to_owned(),
        version: "1".to_owned(),
        description: "sells <books>\nand more".to_owned(),
        base_path: "/shop".to_owned(),
        connection_ref: "Shop".to_owned(),
        operations: Vec::new(),
    }
}

fn written(operations: &[Operation]) -> Vec<u8> {
    let mut writer = Writer::new(header());
    for operation in operations {
        let schemas = Schemas { request: Some("{}".to_owned()), response: Some("{}".to_owned()) };
        writer.add(operation, &schemas).expect("added");
    }
    writer.finish("../shop.json", b"{}").expect("packed")
}

#[test]
fn an_archive_is_the_same_after_it_was_written() {
    let mut other = operation();
    other.method = "DELETE".to_owned();
    other.binding.response = None;
    let archive = read(&written(&[operation(), other.clone()])).expect("read");
    let expected =
        Archive { operations: vec![operation(), other], description: "sells <books> and more".to_owned(), ..header() };
    assert_eq!(archive, expected);
}

#[test]
fn entries_have_the_published_names() {
    let package = Package::read_within(&written(&[operation()]), &LIMITS, |_| true).expect("read");
    let names: Vec<_> = package.names_below("").collect();
    assert_eq!(
        names,
        [
            "api-docs/.._shop.json",
            "api/books/{isbn}/GET/mapping.xml",
            "api/books/{isbn}/GET/request.map",
            "api/books/{isbn}/GET/response.map",
            "package.xml",
            "quaymaster/get_book.json",
            "services/get_book/schemas/get_book_200_response.json",
            "services/get_book/schemas/get_book_request.json",
        ]
    );
    let request = package.text("api/books/{isbn}/GET/request.map").expect("text");
    assert!(request.contains("<input path=\"ReqPathParameters/isbn\" required=\"true\"/>"), "{request}");
}

#[test]
fn an_archive_that_was_changed_is_refused() {
    let refused = |change: &dyn Fn(&mut Operation)| {
        let mut changed = operation();
        change(&mut changed);
        read(&written(&[changed])).expect_err("refused").to_string()
    };
    let moved = refused(&|operation| operation.binding.request.as_mut().expect("there").length = 7);
    assert!(moved.contains("do not agree"), "{moved}");
    for ccsid in [1, 1200] {
        let page = refused(&|operation| operation.binding.options.runtime_ccsid = ccsid);
        assert!(page.contains("code page"), "{page}");
    }
    let stray = refused(&|operation| operation.binding.parameters.clear());
    assert!(stray.contains("no parameter"), "{stray}");
    let groups = refused(&|operation| operation.binding.request = Some(structure(&["RespBody"])));
    assert!(groups.contains("other groups"), "{groups}");
    let twice = refused(&|operation| {
        operation.binding.request = Some(structure(&["ReqPathParameters", "ReqPathParameters"]));
    });
    assert!(twice.contains("other groups"), "{twice}");
    let code = refused(&|operation| operation.binding.response.as_mut().expect("there").code = 404);
    assert!(code.contains("status"), "{code}");
}

#[test]
fn archives_of_other_tools_and_kinds_are_refused_by_what_they_lack() {
    let mut package = Package::default();
    assert_eq!(
        read(&package.write().expect("packed")),
        Err(ArchiveError::Package(PackageError::Missing { name: "package.xml".to_owned() }))
    );
    package.insert("package.xml", "<zosConnectApi id='a'/>").expect("named");
    assert!(matches!(read(&package.write().expect("packed")), Err(ArchiveError::Kind(_))));
    let spec = "<zosConnectApi id='a' packageType='requester'><apiSpec><path relativePath='/x'>\
                <method type='GET' operationId='x' httpXformFile='api/mapping.xml'/></path></apiSpec></zosConnectApi>";
    package.insert("package.xml", spec).expect("named");
    package.insert("api/mapping.xml", "<m><mappingContext serviceName='x'/></m>").expect("named");
    assert_eq!(read(&package.write().expect("packed")), Err(ArchiveError::Foreign { operation: "x".to_owned() }));
}
