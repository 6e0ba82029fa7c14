//! A program's areas, and a call with them through the library's own door.

use std::net::SocketAddr;

use baqcstub::BAQCSTUB;

/// What response areas hold before a call.
pub(crate) const UNTOUCHED: u8 = 0xEE;
const LEVEL_3: usize = 1832;

/// The areas of an API requester's operation.
pub(crate) struct Program {
    api: Vec<u8>,
    info: Vec<u8>,
}

/// What a program sees after a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) return_code: i32,
    pub(crate) status: i32,
    pub(crate) message: String,
    pub(crate) area: Vec<u8>,
}

impl Program {
    /// Posts to `/a/b` of the requester `orders_1.0`, through the server at an address.
    pub(crate) fn posting(server: SocketAddr) -> Self {
        Self::calling("POST", &format!("http://{server}"))
    }

    pub(crate) fn calling(method: &str, uri: &str) -> Self {
        let mut program = Self { api: vec![b' '; 780], info: vec![0; LEVEL_3] };
        put(&mut program.api, 0, 255, b"orders_1.0");
        put(&mut program.api, 260, 255, b"/a/b");
        put(&mut program.api, 520, 255, method.as_bytes());
        number(&mut program.info, 0, 3);
        program.info[1576..1576 + uri.len()].copy_from_slice(uri.as_bytes());
        program
    }

    pub(crate) fn named(mut self, name: &str, path: &str) -> Self {
        put(&mut self.api, 0, 255, name.as_bytes());
        put(&mut self.api, 260, 255, path.as_bytes());
        self
    }

    pub(crate) fn with_password(mut self, user: &str, password: &str) -> Self {
        put(&mut self.info, 4, 256, user.as_bytes());
        put(&mut self.info, 264, 256, password.as_bytes());
        self
    }

    /// Calls with a record and a response area of `room` bytes.
    pub(crate) fn call(&self, record: &[u8], room: usize) -> Outcome {
        let mut area = vec![UNTOUCHED; room];
        let address = area.as_mut_ptr();
        let mut outcome = self.call_at(record.as_ptr(), record.len(), address, room);
        outcome.area = area;
        outcome
    }

    /// Calls with record and response area in the same memory.
    pub(crate) fn call_within(&self, memory: &mut [u8], record: usize) -> Outcome {
        let (address, room) = (memory.as_mut_ptr(), memory.len());
        self.call_at(address, record, address, room)
    }

    /// Calls with a record of which only the first page is there: the program's length is wrong.
    pub(crate) fn call_beyond_memory(&self) -> Outcome {
        const PAGE: usize = 4096;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory, whose second page is taken away again.
        let record = unsafe {
            let record = libc::mmap(std::ptr::null_mut(), 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(record, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(record.add(PAGE), PAGE, libc::PROT_NONE), 0);
            record
        };
        let outcome = self.call_at(record.cast(), 2 * PAGE, std::ptr::null_mut(), 0);
        // SAFETY: the memory of above.
        assert_eq!(unsafe { libc::munmap(record, 2 * PAGE) }, 0);
        outcome
    }

    fn call_at(&self, record: *const u8, length: usize, area: *mut u8, room: usize) -> Outcome {
        let mut response = [UNTOUCHED; 1048];
        let (length, room) = (i32::try_from(length).expect("short"), i32::try_from(room).expect("short"));
        // SAFETY: every area has the length that it promises.
        let returned = unsafe {
            BAQCSTUB(
                self.api.as_ptr(),
                self.info.as_ptr(),
                (&raw const record).cast(),
                (&raw const length).cast(),
                response.as_mut_ptr(),
                (&raw const area).cast(),
                (&raw const room).cast(),
            )
        };
        assert_eq!(returned, 0);
        Outcome::of(&response)
    }
}

impl Outcome {
    fn of(response: &[u8; 1048]) -> Self {
        assert_eq!(response[..4], [UNTOUCHED; 4], "the comp level is the program's");
        assert_eq!(response[4..12], *b"BAQCSTUB");
        let number = |at: usize| i32::from_ne_bytes(response[at..at + 4].try_into().expect("four bytes"));
        let length = usize::try_from(number(1044)).expect("a length");
        assert!(response[20 + length..1044].iter().all(|byte| *byte == b' '), "blanks behind the message");
        let message = String::from_utf8_lossy(&response[20..20 + length]).into_owned();
        Self { return_code: number(12), status: number(16), message, area: Vec::new() }
    }

    pub(crate) fn codes(&self) -> (i32, i32) {
        (self.return_code, self.status)
    }

    /// The response area was not written.
    pub(crate) fn is_untouched(&self) -> bool {
        self.area.iter().all(|byte| *byte == UNTOUCHED)
    }
}

fn put(area: &mut [u8], at: usize, room: usize, text: &[u8]) {
    area[at..at + room].fill(b' ');
    area[at..at + text.len()].copy_from_slice(text);
    number(area, (at + room).next_multiple_of(4), i32::try_from(text.len()).expect("short"));
}

fn number(area: &mut [u8], at: usize, value: i32) {
    area[at..at + 4].copy_from_slice(&value.to_ne_bytes());
}
