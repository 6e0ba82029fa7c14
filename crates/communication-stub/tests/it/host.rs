//! The host API, called by a COBOL program with the copybooks of the stub.

use super::mock::{Action, Mock, answer};
use super::programs::host;

/// An element of a data area, as `docs/stub-protocol.md` has it.
fn element(name: &str, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("short").to_ne_bytes();
    [format!("{name:16}").as_bytes(), &length, &[0; 4], bytes].concat()
}

/// A base structure with a number and the name of a data area, and elements behind it.
fn record(number: i32, name: &str, elements: &[Vec<u8>]) -> Vec<u8> {
    let mut record = [&number.to_ne_bytes()[..], format!("{name:16}").as_bytes()].concat();
    for element in elements {
        record.resize(record.len().next_multiple_of(8), 0);
        record.extend_from_slice(element);
    }
    record
}

#[test]
fn elements_go_out_behind_the_base_and_come_back_one_by_one() {
    let response =
        record(2, "LINES", &[element("LINES", b"first"), element("OTHER", b"x"), element("LINES", b"last ")]);
    let mut bytes = answer(0, 200, &response);
    let head = b"HTTP/1.1 200 OK\r\n".len();
    bytes.splice(head..head, *b"Baq-Base-Length: 20\r\n");
    let mock = Mock::start(move |_| vec![Action::Send(bytes.clone())]);
    let spoken = host(&mock);
    let expected = "CODE 0008\nCODE 0000\nCODE 0000\nCODE 0000\nCODE 0000\nSTATUS 0200\nCODE 0000\nfirst 0005\nCODE 0000\nlast  0005\n\
        CODE 0008\nBAQGETN: the answer has no further element of the data area LINES\nCODE 0000\nCODE 0000\nCODE 0008\n";
    assert_eq!(spoken.output, expected, "{}", spoken.errors);
    let requests = mock.requests();
    assert_eq!(requests.len(), 1, "without BAQINIT nothing is called");
    assert_eq!(requests[0].body, record(2, "ITEMS", &[element("ITEMS", b"one  "), element("ITEMS", b"two  ")]));
    let line = "POST /zosConnect/apiRequesters/orders_1.0?apiPath=%2Fa%2Fb&apiMethod=POST HTTP/1.1";
    assert_eq!(requests[0].line, line);
    assert_eq!(requests[0].header("Baq-Oauth-Username"), Some("ann"));
}

#[test]
fn what_the_api_or_the_server_refuses_is_told_apart() {
    for (code, status, told) in [
        (1, 404, "CODE 0004\nSTATUS 0404\nno such order\nthe API gave an answer without a description\n"),
        (2, 503, "CODE 0008\nSTATUS 0000\nno such order\n"),
    ] {
        let bytes = answer(code, status, b"no such order");
        let spoken = host(&Mock::start(move |_| vec![Action::Send(bytes.clone())]));
        assert!(spoken.output.contains(told), "{} {}", spoken.output, spoken.errors);
    }
}
