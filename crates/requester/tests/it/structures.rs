//! Structures and archives by hand, as the build toolkit makes them of the shared vectors' documents.

use build_toolkit::archive::write::{Schemas, Writer};
use build_toolkit::archive::{Archive, Binding, Operation, Options, Parameter, Place, Response, Style, WhiteSpace};
use build_toolkit::structure::{Absence, Alignment, Counter, Ending, Item, Occurs, Structure, Value};

pub(crate) fn fixed(name: &str, bytes: u32) -> Item {
    Item::new(name, name, Value::Text { offset: 0, bytes, ending: Ending::Blank, characters: bytes, is_json: false })
}

pub(crate) fn varying(name: &str, bytes: u32) -> Item {
    let ending = Ending::Length { name: format!("{name}-length"), offset: 0, width: 2 };
    Item::new(name, name, Value::Text { offset: 0, bytes, ending, characters: bytes, is_json: false })
}

pub(crate) fn ended(name: &str, characters: u32) -> Item {
    Item::new(
        name,
        name,
        Value::Text { offset: 0, bytes: characters + 1, ending: Ending::Null, characters, is_json: false },
    )
}

pub(crate) fn binary(name: &str, bytes: u8) -> Item {
    Item::new(name, name, Value::Binary { bytes, signed: true })
}

pub(crate) fn zoned(name: &str, digits: u8, signed: bool) -> Item {
    Item::new(name, name, Value::Zoned { digits, signed })
}

pub(crate) fn value(name: &str, value: Value) -> Item {
    Item::new(name, name, value)
}

pub(crate) fn group(name: &str, items: Vec<Item>) -> Item {
    Item::new(name, name, Value::Group { items })
}

pub(crate) fn optional(item: Item) -> Item {
    let counter = Counter { name: format!("{}-num", item.name), offset: 0, minimum: 0, maximum: 1 };
    Item { absence: Absence::Omitted, counter: Some(counter), ..item }
}

pub(crate) fn table(item: Item, times: u32) -> Item {
    let counter = Counter { name: format!("{}-num", item.name), offset: 0, minimum: 0, maximum: times };
    Item { counter: Some(counter), occurs: Some(Occurs { times, stride: 0 }), ..item }
}

/// A table that always has all its elements.
pub(crate) fn always(item: Item, times: u32) -> Item {
    Item { occurs: Some(Occurs { times, stride: 0 }), ..item }
}

/// A table whose absence is that of its elements.
pub(crate) fn optional_table(item: Item, times: u32) -> Item {
    Item { absence: Absence::Omitted, ..table(item, times) }
}

pub(crate) fn wrapped(item: Item) -> Item {
    Item { wrapper: Some(item.name.clone()), ..item }
}

pub(crate) fn structure(groups: Vec<Item>) -> Structure {
    Structure::new(Alignment::Synchronized, groups).expect("placed")
}

pub(crate) fn options() -> Options {
    Options { white_space: WhiteSpace::Preserve, data_truncation: false, runtime_ccsid: 37, api_keys: None }
}

fn operation(
    id: &str,
    method: &str,
    path: &str,
    request: Option<Structure>,
    response: Option<(u16, Structure)>,
) -> Operation {
    let parameters =
        [(Place::Path, "ReqPathParameters"), (Place::Query, "ReqQueryParameters"), (Place::Header, "ReqHeaders")];
    let groups = request.iter().flat_map(|request| &request.groups);
    let parameters = groups
        .flat_map(|group| {
            let place = parameters.iter().find(|(_, name)| *name == group.json_name).map(|(place, _)| *place);
            let Value::Group { items } = &group.value else { return Vec::new() };
            let parameter = |item: &Item| Parameter {
                place: place.expect("asked before"),
                name: item.json_name.clone(),
                style: Style::Comma,
            };
            if place.is_some() { items.iter().map(parameter).collect() } else { Vec::new() }
        })
        .collect();
    Operation {
        id: id.to_owned(),
        path: path.to_owned(),
        method: method.to_owned(),
        binding: Binding {
            format: 1,
            options: options(),
            media_type: "application/json".to_owned(),
            parameters,
            request,
            response: response.map(|(code, structure)| Response { code, every_success: false, structure }),
        },
    }
}

/// The vectors' book shop.
pub(crate) fn book_request() -> Structure {
    structure(vec![
        group("ReqPathParameters", vec![varying("isbn", 13)]),
        group("ReqQueryParameters", vec![optional(fixed("lang", 2))]),
        group("ReqHeaders", vec![varying("X-Trace", 20)]),
    ])
}

pub(crate) fn book_response() -> Structure {
    let author = vec![varying("lastName", 9), optional(binary("born", 4))];
    let publisher = vec![varying("name", 10), optional(zoned("since", 4, false))];
    structure(vec![group(
        "RespBody",
        vec![
            fixed("isbn", 13),
            zoned("pages", 4, false),
            value("price", Value::Float { bytes: 8 }),
            table(group("authors", author), 3),
            optional_table(wrapped(varying("keywords", 5)), 2),
            optional(value("inPrint", Value::Boolean)),
            optional(group("publisher", publisher)),
        ],
    )])
}

pub(crate) fn order_request() -> Structure {
    let items = vec![zoned("qty", 3, true), binary("ref", 8), optional(wrapped(varying("note", 8)))];
    structure(vec![group("ReqBody", items)])
}

pub(crate) fn order_response() -> Structure {
    structure(vec![group("RespBody", vec![Item { name: "order-no".to_owned(), ..zoned("order_no", 6, false) }])])
}

pub(crate) fn odd_request() -> Structure {
    structure(vec![group(
        "ReqBody",
        vec![
            fixed("status", 1),
            zoned("order_total", 2, false),
            zoned("price$net", 2, false),
            fixed("ends-with-", 2),
            fixed("a_name_that_is_much_longer_than_allowed", 3),
            fixed("DATE", 8),
            optional(wrapped(varying("message", 6))),
            optional(group("anOptionalObjectWithALongNameToo", vec![fixed("x", 1)])),
            optional(group("detail_block", vec![fixed("detail_block", 4)])),
        ],
    )])
}

/// The report's figures 9 and 10.
pub(crate) fn vary_request() -> Structure {
    structure(vec![group("ReqBody", vec![binary("count_in", 4), binary("count_out", 4)])])
}

pub(crate) fn vary_response() -> Structure {
    structure(vec![group(
        "RespBody",
        vec![
            binary("recv_size", 4),
            binary("send_size", 4),
            binary("taskid", 4),
            fixed("tranid", 4),
            fixed("rs_spare", 16),
            table(fixed("user_data", 32), 512),
        ],
    )])
}

/// Headers that a request has anyhow, and one that it has not.
fn odd_headers() -> Structure {
    let names = ["Host", "Transfer-Encoding", "Accept", "X-Own"];
    structure(vec![group("ReqHeaders", names.map(|name| fixed(name, 4)).into())])
}

/// One more header than a request may have beside that of its own, each of one character.
pub(crate) const TOO_MANY: u32 = 1000;

fn many_headers() -> Structure {
    structure(vec![group("ReqHeaders", (0..TOO_MANY).map(|number| fixed(&format!("X-{number}"), 1)).collect())])
}

/// Texts that are longer than a request can carry.
fn search_request() -> Structure {
    structure(vec![group("ReqQueryParameters", vec![fixed("text", 70_000)])])
}

/// An archive of these operations.
pub(crate) fn archive(name: &str, base_path: &str, connection: &str, operations: &[Operation]) -> Vec<u8> {
    let header = Archive {
        name: name.to_owned(),
        title: name.to_owned(),
        version: "1".to_owned(),
        description: "For tests".to_owned(),
        base_path: base_path.to_owned(),
        connection_ref: connection.to_owned(),
        operations: Vec::new(),
    };
    let mut writer = Writer::new(header);
    for operation in operations {
        writer.add(operation, &Schemas::default()).expect("added");
    }
    writer.finish("api.json", b"{}").expect("an archive")
}

pub(crate) const BOOKS: &str = "Book-Shop-API_2.1";

/// The book shop, with an operation more that answers headers.
pub(crate) fn books(connection: &str) -> Vec<u8> {
    let isbn = || structure(vec![group("ReqPathParameters", vec![varying("isbn", 13)])]);
    let headers = group("RespHeaders", vec![optional(varying("X-Pages", 8)), optional(binary("X-Count", 4))]);
    let header_response = structure(vec![headers, group("RespBody", vec![fixed("isbn", 13)])]);
    archive(
        BOOKS,
        "/shop",
        connection,
        &[
            operation("getBook", "GET", "/books/{isbn}", Some(book_request()), Some((200, book_response()))),
            operation("dropBook", "DELETE", "/books/{isbn}", Some(isbn()), None),
            operation("newOrder", "POST", "/orders", Some(order_request()), Some((201, order_response()))),
            operation("headBook", "GET", "/heads", None, Some((200, header_response))),
            operation("odd", "GET", "/odd", Some(odd_headers()), None),
            operation("vary", "POST", "/vary", Some(vary_request()), Some((200, vary_response()))),
            operation("make", "POST", "/touch", None, None),
            operation("put", "PUT", "/touch", None, None),
            operation("change", "PATCH", "/touch", None, None),
            operation("look", "GET", "/touch", None, None),
            operation("many", "GET", "/many", Some(many_headers()), None),
            operation("search", "GET", "/search", Some(search_request()), None),
        ],
    )
}
