//! A server that may open few files: more large messages wait than that, and clients that take the rest harm no log.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::program::{Folder, PATIENCE, Server, eventually, serve_after};

/// Open files that the server may have.
const FILES: usize = 160;
const LARGE: usize = 1 << 20;
const QUEUE: &str = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";

/// One connection that stays.
struct Client {
    stream: BufReader<TcpStream>,
    authorization: String,
}

impl Client {
    fn new(server: &Server, folder: &Folder) -> Self {
        let password = folder.password("app");
        let stream = TcpStream::connect(server.address("http")).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket has a timeout");
        Self { stream: BufReader::new(stream), authorization: STANDARD.encode(format!("app:{password}")) }
    }

    /// Status and body.
    fn exchange(&mut self, method: &str, body: &str) -> (u16, String) {
        let head = format!(
            "{method} {QUEUE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {}\r\nibm-mq-rest-csrf-token: x\r\n\
             ibm-mq-md-persistence: persistent\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            self.authorization,
            body.len()
        );
        self.stream.get_mut().write_all(head.as_bytes()).expect("written");
        self.stream.get_mut().write_all(body.as_bytes()).expect("written");
        let status = self.line().split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line");
        let mut length = 0;
        loop {
            let line = self.line().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).expect("an answer");
        (status, String::from_utf8(answer).expect("text"))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("an answer");
        line.trim_end().to_owned()
    }

    fn put(&mut self, body: &str) -> u16 {
        self.exchange("POST", body).0
    }
}

#[test]
fn more_large_messages_wait_than_files_may_be_open_and_sockets_fail_no_log() {
    let folder = Folder::new();
    let server = Server::spawn(serve_after(&format!("ulimit -n {FILES}"), &folder, &[]));
    let mut client = Client::new(&server, &folder);
    let large = "L".repeat(LARGE);
    let mut expected = 0;
    for _ in 0..FILES + 20 {
        assert_eq!(client.put(&large), 201);
        expected += LARGE;
    }
    let sockets: Vec<TcpStream> = (0..FILES * 2).map_while(|_| TcpStream::connect(server.address("mq")).ok()).collect();
    for _ in 0..20 {
        match client.exchange("POST", &large) {
            (201, _) => expected += LARGE,
            (500, said) => assert!(said.contains("2102"), "{said}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(client.put("small"), 201, "small messages need no file of their own");
        expected += "small".len();
    }
    drop(sockets);
    eventually("a large put", || client.put(&large) == 201);
    expected += LARGE;
    drop(server);
    let server = Server::spawn(serve_after(&format!("ulimit -n {FILES}"), &folder, &[]));
    let mut client = Client::new(&server, &folder);
    let mut got = 0;
    loop {
        match client.exchange("DELETE", "") {
            (200, body) => got += body.len(),
            (204, _) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(got, expected, "every answered put is got");
}
