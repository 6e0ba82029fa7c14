//! A server that does for each request what a test says, faults included.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Longest wait for something that is about to happen.
const LIMIT: Duration = Duration::from_secs(300);

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// Numbers of the connection, and of the request on it, from 0.
    pub(crate) connection: usize,
    pub(crate) number: usize,
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

pub(crate) enum Action {
    Send(Vec<u8>),
    /// Sends a byte at a time, each in a segment of its own.
    Trickle(Vec<u8>),
    /// Closes in good order; nothing more is done.
    Close,
    /// Breaks the connection; nothing more is done.
    Reset,
    /// Waits until the program has closed; nothing more is done.
    Hang,
}

type Script = dyn Fn(&Request) -> Vec<Action> + Send + Sync;

pub(crate) struct Mock {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Box<Script>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    connections: usize,
    ended: usize,
    requests: Vec<Request>,
}

/// An answer of an API requester.
pub(crate) fn answer(return_code: i32, status: i32, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nBaq-Return-Code: {return_code}\r\nBaq-Status-Code: {status}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

impl Mock {
    pub(crate) fn start(script: impl Fn(&Request) -> Vec<Action> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared { script: Box::new(script), state: Mutex::default(), changed: Condvar::new() });
        let serving = Arc::clone(&shared);
        // Ends with the test process: kept connections may outlive the test.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let number = serving.note(|state| {
                    state.connections += 1;
                    state.connections - 1
                });
                let shared = Arc::clone(&serving);
                thread::spawn(move || {
                    shared.serve(stream, number);
                    shared.note(|state| state.ended += 1);
                });
            }
        });
        Self { address, shared }
    }

    /// Answers each request with the same record.
    pub(crate) fn answering(record: &[u8]) -> Self {
        let bytes = answer(0, 200, record);
        Self::start(move |_| vec![Action::Send(bytes.clone())])
    }

    pub(crate) fn connections(&self) -> usize {
        self.shared.note(|state| state.connections)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.note(|state| state.requests.clone())
    }

    /// Waits until so many connections have ended.
    pub(crate) fn await_ended(&self, wanted: usize) {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.shared.changed.wait_timeout_while(state, LIMIT, |state| state.ended < wanted);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(state.ended >= wanted, "{} of {wanted} connections ended", state.ended);
    }
}

impl Shared {
    fn note<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let value = change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
        value
    }

    fn serve(&self, mut stream: TcpStream, connection: usize) {
        stream.set_nodelay(true).expect("an option");
        let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
        for number in 0.. {
            let Some(request) = read(&mut reader, connection, number) else { return };
            self.note(|state| state.requests.push(request.clone()));
            for action in (self.script)(&request) {
                match action {
                    Action::Send(bytes) => {
                        if stream.write_all(&bytes).is_err() {
                            return;
                        }
                    }
                    Action::Trickle(bytes) => {
                        for byte in bytes {
                            if stream.write_all(&[byte]).is_err() {
                                return;
                            }
                        }
                    }
                    Action::Close => return,
                    Action::Reset => return reset(&stream),
                    Action::Hang => {
                        let _ = reader.read_to_end(&mut Vec::new());
                        return;
                    }
                }
            }
        }
    }
}

/// Makes the close that follows break the connection.
fn reset(stream: &TcpStream) {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let length = u32::try_from(size_of_val(&linger)).expect("short");
    // SAFETY: an option of this length on an open socket.
    let set = unsafe {
        libc::setsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_LINGER, (&raw const linger).cast(), length)
    };
    assert_eq!(set, 0);
}

pub(crate) fn read(reader: &mut impl BufRead, connection: usize, number: usize) -> Option<Request> {
    let line = line(reader)?;
    let mut request = Request { connection, number, line, ..Request::default() };
    loop {
        let line = self::line(reader)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").expect("a header");
        request.headers.push((name.to_owned(), value.to_owned()));
    }
    let length = request.header("Content-Length").expect("a length").parse().expect("a number");
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
    Some(line.strip_suffix("\r\n").expect("a whole line").to_owned())
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }
}
