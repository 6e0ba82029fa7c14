//! Keeping connections, giving them up, and which calls are repeated.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::areas::Program;
use super::mock::{Action, Mock, answer};

#[test]
fn calls_one_after_the_other_share_a_connection() {
    let mock = Mock::answering(b"record");
    let program = Program::posting(mock.address);
    for _ in 0..20 {
        assert_eq!(program.call(b"request", 6).area, b"record");
    }
    assert_eq!(mock.connections(), 1);
    assert_eq!(mock.requests().len(), 20);
}

#[test]
fn errors_keep_the_connection_too() {
    let mock = Mock::start(|request| {
        vec![Action::Send(match request.number {
            0 => answer(1, 500, &[b'm'; 5000]),
            1 => answer(0, 200, &[b'r'; 9000]),
            2 => b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno".to_vec(),
            _ => answer(0, 200, b"fine"),
        })]
    });
    let program = Program::posting(mock.address);
    let codes: Vec<_> = (0..4).map(|_| program.call(b"", 8).codes()).collect();
    assert_eq!(codes, [(1, 500), (3, 44), (2, 401), (0, 200)]);
    assert_eq!(mock.connections(), 1);
}

#[test]
fn a_server_that_says_close_is_obeyed() {
    let mock = Mock::start(|_| {
        let bytes = answer(0, 200, b"record");
        let text = String::from_utf8(bytes).expect("text").replacen("\r\n", "\r\nConnection: close\r\n", 1);
        vec![Action::Send(text.into_bytes())]
    });
    let program = Program::posting(mock.address);
    for number in 1..=3 {
        assert_eq!(program.call(b"", 6).codes(), (0, 200));
        mock.await_ended(number);
    }
    assert_eq!(mock.connections(), 3);
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_replaced_unseen() {
    for action in [|| Action::Close, || Action::Reset] {
        let mock = Mock::start(move |_| vec![Action::Send(answer(0, 200, b"record")), action()]);
        let program = Program::posting(mock.address);
        for number in 1..=3 {
            assert_eq!(program.call(b"", 6).codes(), (0, 200));
            mock.await_ended(number);
        }
        assert_eq!((mock.connections(), mock.requests().len()), (3, 3));
    }
}

#[test]
fn bytes_that_nobody_asked_for_end_a_connection() {
    let stray = [answer(0, 200, b"record"), answer(0, 200, b"poison")].concat();
    let mock = Mock::start(move |_| vec![Action::Send(stray.clone())]);
    let program = Program::posting(mock.address);
    for number in 1..=3 {
        assert_eq!(program.call(b"", 6).area, b"record");
        mock.await_ended(number);
    }
}

/// The outcome of a second call, whose request is lost on the kept connection, and how many requests the server saw.
fn lost_on_a_kept_connection(method: &str) -> ((i32, i32), usize) {
    let mock = Mock::start(|request| match (request.connection, request.number) {
        (0, 1) => vec![Action::Close],
        _ => vec![Action::Send(answer(0, 200, b"record"))],
    });
    let program = Program::calling(method, &format!("http://{}", mock.address));
    assert_eq!(program.call(b"first", 6).codes(), (0, 200));
    (program.call(b"second", 6).codes(), mock.requests().len())
}

#[test]
fn a_call_lost_on_a_kept_connection_is_repeated_when_its_method_may_be() {
    for method in ["GET", "get", "PUT", "DELETE", "HEAD", "OPTIONS"] {
        assert_eq!(lost_on_a_kept_connection(method), ((0, 200), 3), "{method}");
    }
    for method in ["POST", "PATCH"] {
        assert_eq!(lost_on_a_kept_connection(method), ((4, 42), 2), "{method}");
    }
}

#[test]
fn a_call_is_not_repeated_after_a_byte_of_its_answer() {
    let mock = Mock::start(|request| match request.number {
        0 => vec![Action::Send(answer(0, 200, b"record"))],
        _ => vec![Action::Send(b"H".to_vec()), Action::Close],
    });
    let program = Program::calling("GET", &format!("http://{}", mock.address));
    assert_eq!(program.call(b"", 6).codes(), (0, 200));
    assert_eq!(program.call(b"", 6).codes(), (4, 42));
    assert_eq!(mock.requests().len(), 2);
}

#[test]
fn a_server_that_refuses_a_request_before_its_end_is_heard() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut head = [0; 64];
        stream.read_exact(&mut head).expect("the beginning");
        stream
            .write_all(b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo long")
            .expect("sent");
        // The rest is never read, so that this close breaks the connection while the program sends.
    });
    let outcome = Program::posting(address).call(&vec![b'x'; 32 << 20], 8);
    server.join().expect("served");
    assert_eq!((outcome.codes(), outcome.message.as_str()), ((2, 413), "too long"));
}

#[test]
fn threads_call_at_once_and_each_gets_its_own_answer() {
    const THREADS: usize = 12;
    const CALLS: usize = 50;
    let mock = Arc::new(Mock::start(|request| vec![Action::Send(answer(0, 200, &request.body))]));
    let wrong = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (mock, wrong) = (Arc::clone(&mock), Arc::clone(&wrong));
            thread::spawn(move || {
                let program = Program::posting(mock.address);
                for call in 0..CALLS {
                    let record = format!("{thread:04}{call:04}").repeat(1 + call * 40);
                    let outcome = program.call(record.as_bytes(), record.len());
                    if outcome.codes() != (0, 200) || outcome.area != record.as_bytes() {
                        wrong.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("a thread"));
    assert_eq!(wrong.load(Ordering::Relaxed), 0);
    assert_eq!(mock.requests().len(), THREADS * CALLS);
    assert!(mock.connections() <= THREADS, "{} connections", mock.connections());
}

#[test]
fn servers_do_not_share_connections() {
    let (one, other) = (Mock::answering(b"one"), Mock::answering(b"two"));
    for _ in 0..5 {
        assert_eq!(Program::posting(one.address).call(b"", 3).area, b"one");
        assert_eq!(Program::posting(other.address).call(b"", 3).area, b"two");
    }
    assert_eq!((one.connections(), other.connections()), (1, 1));
}
