use super::{Framing, Head, chunk_length, end_of_head};

fn parse(lines: &[&str]) -> Result<Head, &'static str> {
    Head::parse(format!("{}\r\n\r\n", lines.join("\r\n")).as_bytes())
}

fn good(lines: &[&str]) -> Head {
    parse(lines).unwrap_or_else(|problem| panic!("{lines:?}: {problem}"))
}

#[test]
fn an_answer_of_a_requester_is_read() {
    let head = good(&[
        "HTTP/1.1 200 OK",
        "content-type: application/octet-stream",
        "CONTENT-LENGTH:  16420 ",
        "Baq-Return-Code: 0",
        "baq-status-code: 201",
    ]);
    let expected = Head {
        status: 200,
        framing: Framing::Length(16420),
        keeps: true,
        return_code: Some(0),
        status_code: Some(201),
        base: None,
    };
    assert_eq!(head, expected);
}

#[test]
fn the_end_of_a_body_is_told_in_three_ways_or_there_is_none() {
    let framing = |lines: &[&str]| good(lines).framing;
    assert_eq!(framing(&["HTTP/1.1 200 OK", "Transfer-Encoding: Chunked"]), Framing::Chunked);
    assert_eq!(framing(&["HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked"]), Framing::Chunked);
    assert_eq!(framing(&["HTTP/1.1 200"]), Framing::UntilClose);
    assert_eq!(framing(&["HTTP/1.1 204 No Content"]), Framing::Length(0));
    assert_eq!(framing(&["HTTP/1.1 100 Continue"]), Framing::Length(0));
    assert_eq!(framing(&["HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 5"]), Framing::Length(5));
}

#[test]
fn a_server_says_whether_it_keeps_the_connection() {
    let keeps = |lines: &[&str]| good(lines).keeps;
    assert!(keeps(&["HTTP/1.1 200 OK"]));
    assert!(!keeps(&["HTTP/1.1 200 OK", "Connection: upgrade, Close"]));
    assert!(!keeps(&["HTTP/1.0 200 OK"]));
    assert!(keeps(&["HTTP/1.0 200 OK", "Connection: Keep-Alive"]));
}

#[test]
fn what_is_no_answer_is_refused() {
    for line in ["", "HTTP/2 200", "HTTP/1.1", "HTTP/1.1 2000 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 099 OK", "SSH-2.0-x"] {
        assert!(parse(&[line]).is_err(), "{line}");
    }
    for header in [
        "no colon",
        "Content-Length: -1",
        "Content-Length: 18446744073709551616",
        "Content-Length: ",
        "Transfer-Encoding: gzip",
        "Baq-Return-Code: 3",
        "Baq-Return-Code: -1",
        "Baq-Status-Code: 2147483648",
        "Baq-Status-Code: +200",
    ] {
        assert!(parse(&["HTTP/1.1 200 OK", header]).is_err(), "{header}");
    }
    assert!(parse(&["HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6"]).is_err());
}

#[test]
fn the_end_of_a_head_is_found_however_it_arrives() {
    let bytes = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n";
    for cut in 0..bytes.len() {
        let before = end_of_head(&bytes[..cut], 0);
        assert_eq!(before, (cut >= 25).then_some(25));
        if before.is_none() {
            assert_eq!(end_of_head(bytes, cut), Some(25), "after {cut} bytes");
        }
    }
}

#[test]
fn the_length_of_a_chunk_is_hexadecimal() {
    assert_eq!(chunk_length(b"1aF"), Ok(0x1af));
    assert_eq!(chunk_length(b"0"), Ok(0));
    assert_eq!(chunk_length(b"5 ;name=value"), Ok(5));
    for line in [&b""[..], b"x", b"-1", b"+1", b";5", b"10000000000000000"] {
        assert!(chunk_length(line).is_err(), "{line:?}");
    }
}

#[test]
fn no_bytes_make_the_reader_panic() {
    // A generator of its own: the crate takes no dependency for one test. Seeds are the numbers of the rounds.
    let parts: [&[u8]; 12] = [
        b"HTTP/1.1 200 OK",
        b"HTTP/1.",
        b"\r\n",
        b"\r\n\r\n",
        b":",
        b"Content-Length",
        b"9",
        b" ",
        b"\xff\0",
        b"Transfer-Encoding: chunked",
        b"Baq-Return-Code: 1",
        b"Connection: close",
    ];
    for seed in 1u64..20_000 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut bytes = Vec::new();
        for _ in 0..seed % 9 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.extend_from_slice(parts[usize::try_from(state >> 40).expect("24 bits") % parts.len()]);
        }
        let end = end_of_head(&bytes, 0).unwrap_or(bytes.len());
        let _ = Head::parse(&bytes[..end]);
        let _ = chunk_length(&bytes);
    }
}
