//! What a server may answer to the communication stub, through the stub's own door and a real socket.

#![no_main]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Mutex, OnceLock, PoisonError};

use baqcstub::{BAQCSTUB, BAQCTERM};
use libfuzzer_sys::fuzz_target;

const ROOM: usize = 64;
const UNTOUCHED: u8 = 0xEE;

static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// A server that sends `ANSWER` once the head of a request has come, and closes.
fn server() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (mut head, mut bytes) = (Vec::new(), [0; 1024]);
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut bytes) {
                        Ok(more @ 1..) => head.extend_from_slice(&bytes[..more]),
                        _ => break,
                    }
                }
                let answer = ANSWER.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // The stub may have closed already: that is its right.
                let _ = stream.write_all(&answer);
            }
        });
        address
    })
}

fn put(area: &mut [u8], at: usize, text: &[u8]) {
    area[at..at + text.len()].copy_from_slice(text);
    let length = i32::try_from(text.len()).expect("short");
    area[at + 256..at + 260].copy_from_slice(&length.to_ne_bytes());
}

fuzz_target!(|data: &[u8]| {
    let uri = format!("http://{}", server());
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = data.to_vec();
    let mut api = [b' '; 780];
    put(&mut api, 0, b"fuzz");
    put(&mut api, 260, b"/fuzz");
    put(&mut api, 520, b"POST");
    let mut info = [0; 1832];
    info[..4].copy_from_slice(&3i32.to_ne_bytes());
    info[1576..1576 + uri.len()].copy_from_slice(uri.as_bytes());
    let mut area = [UNTOUCHED; ROOM + 8];
    let mut response = [UNTOUCHED; 1048 + 8];
    let (record, address) = (api.as_ptr(), area.as_mut_ptr());
    let (length, room) = (0i32, 64i32);
    // SAFETY: areas of the lengths that they promise.
    unsafe {
        let none: *const u8 = std::ptr::null();
        assert_eq!(
            BAQCSTUB(
                record,
                info.as_ptr(),
                (&raw const none).cast(),
                (&raw const length).cast(),
                response.as_mut_ptr(),
                (&raw const address).cast(),
                (&raw const room).cast(),
            ),
            0
        );
        // The next answer comes on a connection of its own.
        assert_eq!(BAQCTERM([0u8; 1048].as_mut_ptr()), 0);
    }
    let number = |at: usize| i32::from_ne_bytes(response[at..at + 4].try_into().expect("four bytes"));
    assert!((0..=4).contains(&number(12)) && (0..=1024).contains(&number(1044)));
    assert_ne!((number(12), number(16)), (3, 50), "a fault inside the stub");
    assert!(area[ROOM..].iter().chain(&response[1048..]).all(|byte| *byte == UNTOUCHED));
});
