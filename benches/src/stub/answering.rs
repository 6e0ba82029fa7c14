//! A server of API requesters that answers at once, with records of as many entries as the request asks for.
//!
//! It knows one client and one request, and answers as `docs/stub-protocol.md` says. It ends with the client's connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use anyhow::{Context, Result};

/// Bytes of the response before its entries, the number of which are the last four; and of an entry.
const HEAD: usize = 36;
const ENTRY: usize = 32;
const REQUEST: usize = 8;

pub(super) struct Answering {
    pub(super) address: SocketAddr,
}

impl Answering {
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        // Ends with the process: what it waits for is a program that has ended before.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if let Err(error) = serve(stream) {
                    eprintln!("    the answering server: {error:#}");
                }
            }
        });
        Ok(Self { address })
    }
}

fn serve(mut stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut answer = (0, Vec::new());
    let mut line = Vec::new();
    loop {
        // The head, of which nothing matters, to its empty line.
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            if line == b"\r\n" {
                break;
            }
        }
        let mut record = [0; REQUEST];
        reader.read_exact(&mut record)?;
        let [.., a, b, c, d] = record;
        let entries = u32::from_ne_bytes([a, b, c, d]);
        if answer.0 != entries || answer.1.is_empty() {
            answer = (entries, made(entries)?);
        }
        stream.write_all(&answer.1)?;
    }
}

fn made(entries: u32) -> Result<Vec<u8>> {
    let length = HEAD + ENTRY * usize::try_from(entries).context("some thousands")?;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\nbaq-return-code: 0\r\nbaq-status-code: 200\r\n\
         content-length: {length}\r\ndate: Sat, 21 Nov 2026 17:00:00 GMT\r\n\r\n"
    );
    let mut answer = head.into_bytes();
    answer.extend_from_slice(&[b' '; HEAD - 4]);
    answer.extend_from_slice(&entries.to_ne_bytes());
    answer.resize(answer.len() + ENTRY * usize::try_from(entries).context("some thousands")?, b'x');
    Ok(answer)
}
