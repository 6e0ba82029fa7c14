//! What a program is told of each kind of answer.

use std::net::TcpListener;

use baqcstub::{BAQCSTUB, BAQCTERM};

use super::areas::{Outcome, Program, UNTOUCHED};
use super::mock::{Action, Mock, answer};

/// The outcome of one call that is answered by these bytes, and then by the server closing.
fn told(bytes: &[u8], room: usize) -> Outcome {
    let bytes = bytes.to_vec();
    let mock = Mock::start(move |_| vec![Action::Send(bytes.clone()), Action::Close]);
    Program::posting(mock.address).call(b"request", room)
}

fn success(area: &[u8]) -> Outcome {
    Outcome { return_code: 0, status: 200, message: String::new(), area: area.to_vec() }
}

#[test]
fn a_record_goes_out_untouched_and_the_response_record_comes_back() {
    let mock = Mock::answering(b"response");
    let record: Vec<u8> = (0..=255).collect();
    let program = Program::posting(mock.address).with_password("ann:x", "pass word\u{e9}");
    let outcome = program.named("Book-API 1.0/é", "/books/{isbn}/50%").call(&record, 8);
    assert_eq!(outcome, success(b"response"));
    let requests = mock.requests();
    let request = &requests[0];
    assert_eq!(
        request.line,
        "POST /zosConnect/apiRequesters/Book-API%201.0%2F%C3%A9?apiPath=%2Fbooks%2F%7Bisbn%7D%2F50%25&apiMethod=POST \
         HTTP/1.1"
    );
    assert_eq!(request.body, record);
    assert_eq!(request.header("Host"), Some(mock.address.to_string().as_str()));
    assert_eq!(request.header("Content-Type"), Some("application/octet-stream"));
    assert_eq!(request.header("Content-Length"), Some("256"));
    assert_eq!(request.header("Baq-Oauth-Username"), Some("ann%3Ax"));
    assert_eq!(request.header("Baq-Oauth-Password"), Some("pass%20word%C3%A9"));
    assert_eq!(request.header("Baq-Oauth-Scope"), None);
    assert_eq!(request.header("Baq-Short-Record"), Some("yes"));
    assert_eq!(request.header("Authorization"), None);
    let form = request.header("Baq-Record-Form").expect("a form");
    assert!(form == "little,ieee,1208" || form == "big,ieee,1208", "{form}");
}

#[test]
fn a_path_that_is_encoded_already_stays_so() {
    let mock = Mock::answering(b"");
    let program = Program::posting(mock.address).named("b", "%2Fbooks%2F%7Bisbn%7D");
    assert_eq!(program.call(b"", 0), success(b""));
    assert!(mock.requests()[0].line.contains("?apiPath=%2Fbooks%2F%7Bisbn%7D&"));
}

#[test]
fn a_request_length_beyond_the_programs_memory_is_an_error_at_once() {
    let mock = Mock::answering(b"");
    // The answer that a server would give in vain is waited for in no case.
    let outcome = Program::posting(mock.address).call_beyond_memory();
    assert_eq!(outcome.codes(), (3, 15));
    assert_eq!(outcome.message, "BAQ-REQUEST-LEN is 8192, which does not fit BAQ-REQUEST-PTR");
    assert_eq!(mock.requests().len(), 0, "the server has no whole request");
}

#[test]
fn a_shorter_record_leaves_the_rest_of_the_area() {
    let outcome = told(&answer(0, 200, b"short"), 8);
    assert_eq!(outcome, success(&[b"short".as_slice(), &[UNTOUCHED; 3]].concat()));
}

#[test]
fn an_error_of_the_api_comes_with_its_status_and_text() {
    let outcome = told(&answer(1, 404, "{\"no\":\"ü\"}".as_bytes()), 8);
    assert_eq!(outcome.codes(), (1, 404));
    assert_eq!(outcome.message, "{\"no\":\"ü\"}");
    assert!(outcome.is_untouched());
}

#[test]
fn an_error_of_the_server_comes_with_its_status_and_text() {
    let outcome = told(&answer(2, 503, b"the API requester is stopped"), 8);
    assert_eq!((outcome.codes(), outcome.message.as_str()), ((2, 503), "the API requester is stopped"));
    assert!(outcome.is_untouched());
}

#[test]
fn any_other_http_status_is_an_error_of_the_server() {
    for status in [301, 401, 404, 413, 500] {
        let bytes = format!("HTTP/1.1 {status} Problem\r\nContent-Length: 4\r\n\r\ntext");
        let outcome = told(bytes.as_bytes(), 8);
        assert_eq!((outcome.codes(), outcome.message.as_str()), ((2, status), "text"));
        assert!(outcome.is_untouched());
    }
    assert_eq!(told(b"HTTP/1.1 204 No Content\r\n\r\n", 8).codes(), (2, 204));
}

#[test]
fn a_long_message_is_cut_at_a_character() {
    let long = "€".repeat(100_000);
    for body in [answer(1, 500, long.as_bytes()), chunked(1, &[long.as_bytes()])] {
        let outcome = told(&body, 8);
        assert_eq!((outcome.codes(), outcome.message), ((1, 500), "€".repeat(341)));
    }
}

#[test]
fn a_record_that_does_not_fit_is_refused_and_nothing_of_it_is_written() {
    let outcome = told(&answer(0, 200, &[b'x'; 9]), 8);
    assert_eq!(outcome.codes(), (3, 44));
    assert_eq!(outcome.message, "the response record is longer than the 8 bytes of BAQ-RESPONSE-LEN: 9");
    assert!(outcome.is_untouched());
    assert_eq!(told(&answer(0, 200, b"x"), 0).codes(), (3, 44));
    assert_eq!(told(&chunked(0, &[b"12345678", b"9"]), 8).codes(), (3, 44));
}

fn chunked(return_code: i32, chunks: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nbaq-return-code: {return_code}\r\nBaq-Status-Code: {}\r\n\r\n",
        if return_code == 0 { 200 } else { 500 }
    )
    .into_bytes();
    for chunk in chunks {
        bytes.extend_from_slice(format!("{:X};a=b\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
    bytes
}

#[test]
fn a_body_in_chunks_is_put_together() {
    let big = vec![b'z'; 40_000];
    let area = [b"ab".as_slice(), b"cdef", &big].concat();
    assert_eq!(told(&chunked(0, &[b"ab", b"cdef", &big]), area.len()), success(&area));
}

#[test]
fn a_message_may_end_with_the_connection_and_a_record_may_not() {
    let answer = |code: i32| format!("HTTP/1.0 200 OK\r\nBaq-Return-Code: {code}\r\nBaq-Status-Code: 400\r\n\r\nwords");
    let outcome = told(answer(1).as_bytes(), 6);
    assert_eq!((outcome.codes(), outcome.message.as_str()), ((1, 400), "words"));
    let outcome = told(answer(0).as_bytes(), 6);
    assert_eq!(outcome.codes(), (4, 43));
    assert!(outcome.is_untouched());
}

#[test]
fn interim_answers_are_skipped() {
    let interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    assert_eq!(told(&[interim, answer(0, 200, b"record").as_slice()].concat(), 6), success(b"record"));
}

#[test]
fn an_answer_may_come_byte_by_byte() {
    for bytes in [answer(0, 200, b"record"), chunked(0, &[b"rec", b"ord"])] {
        let mock = Mock::start(move |_| vec![Action::Trickle(bytes.clone())]);
        assert_eq!(Program::posting(mock.address).call(b"", 6), success(b"record"));
    }
}

#[test]
fn an_answer_that_makes_no_sense_is_no_response() {
    for bytes in [
        &b"SSH-2.0-OpenSSH\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nBaq-Return-Code: 0\r\nContent-Length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nBaq-Return-Code: 7\r\nBaq-Status-Code: 200\r\nContent-Length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nBaq-Return-Code: 0\r\nBaq-Status-Code: 200\r\nContent-Length: x\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nBaq-Return-Code: 0\r\nBaq-Status-Code: 200\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        b"HTTP/1.1 200 OK\r\nBaq-Return-Code: 0\r\nBaq-Status-Code: 200\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    ] {
        assert_eq!(told(bytes, 8).codes(), (4, 43), "{}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(told(&[b'x'; 17_000], 8).codes(), (4, 43));
}

#[test]
fn an_answer_that_breaks_off_is_no_response() {
    let whole = answer(0, 200, &[b'r'; 100_000]);
    for cut in [0, 1, 30, 100, 20_000, whole.len() - 1] {
        for action in [|| Action::Close, || Action::Reset] {
            let bytes = whole[..cut].to_vec();
            let mock = Mock::start(move |_| vec![Action::Send(bytes.clone()), action()]);
            let outcome = Program::posting(mock.address).call(b"request", 100_000);
            assert_eq!(outcome.codes(), (4, 42), "after {cut} bytes");
            assert!(outcome.message.contains("the API may have been called"));
            assert_eq!(mock.requests().len(), 1, "a request that may have arrived is not repeated");
        }
    }
    let bytes = chunked(0, &[b"abc"]);
    let cut = bytes.len() - 16;
    assert_eq!(told(&bytes[..cut], 8).codes(), (4, 42));
}

#[test]
fn a_server_that_does_not_listen_is_an_error_of_the_stub() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let outcome = Program::posting(address).call(b"", 8);
    assert_eq!(outcome.codes(), (3, 31));
    assert!(outcome.message.contains(&address.to_string()), "{}", outcome.message);
    assert!(outcome.is_untouched());
}

#[test]
fn a_host_or_server_that_cannot_be_is_named() {
    let outcome = Program::calling("GET", "http://no..such..host:1").call(b"", 0);
    assert_eq!(outcome.codes(), (3, 30), "{}", outcome.message);
    assert_eq!(Program::calling("GET", "gopher://a").call(b"", 0).codes(), (3, 18));
}

#[test]
fn large_records_go_both_ways() {
    let size = 3 << 20;
    let mock = Mock::start(|request| {
        let body: Vec<u8> = request.body.iter().rev().copied().collect();
        vec![Action::Send(answer(0, 200, &body))]
    });
    let record: Vec<u8> = (0..=250u8).cycle().take(size).collect();
    let outcome = Program::posting(mock.address).call(&record, size);
    let expected: Vec<u8> = record.iter().rev().copied().collect();
    assert!(outcome == success(&expected), "codes {:?}", outcome.codes());
}

#[test]
fn record_and_area_may_be_the_same_memory() {
    let mock = Mock::start(|request| vec![Action::Send(answer(0, 200, &[request.body.as_slice(), b"!"].concat()))]);
    let mut memory = *b"request.........";
    assert_eq!(Program::posting(mock.address).call_within(&mut memory, 7).codes(), (0, 200));
    assert_eq!(&memory, b"request!........");
}

#[test]
fn without_a_place_for_the_outcome_the_program_learns_of_it() {
    let null = std::ptr::null();
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert_eq!(BAQCSTUB(null, null, null, null, std::ptr::null_mut(), null, null), 16);
        assert_eq!(BAQCTERM(std::ptr::null_mut()), 16);
    }
}
