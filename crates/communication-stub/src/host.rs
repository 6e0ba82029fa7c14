//! The host API: `BAQINIT`, `BAQPUTN`, `BAQEXEC`, `BAQGETN`, `BAQFREE` and `BAQTERM`, for members of mapping level 5.0.
//!
//! A program begins with BAQINIT. BAQPUTN adds an element to a data area of the next request, BAQEXEC calls the API, and BAQGETN hands
//! out the elements of the answer, whose memory is the stub's until BAQFREE, BAQTERM or the next BAQEXEC. What a session holds lies in a
//! box, whose address the program's BAQ-ZCONNECT-AREA keeps in two items of its own.
//!
//! Invariants
//! - Nothing unwinds into the program: a fault inside is completion code 16.
//! - Memory of the program is touched in `area.rs` only, at the places that the areas of `BAQHAREC.cpy` have.
//! - An element is handed out once.

mod area;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use self::area::Parameters;
use self::area::{RequestArea, ResponseArea as Response, ZconnectArea};
use crate::call_area::{ApiInfo, Call, Credentials, RequestRecord};
use crate::deadline::Deadline;
use crate::error::{ERROR_IN_API, ERROR_IN_STUB, ERROR_IN_ZCEE, StubError};
use crate::exchange::{Exchange, Reply};
use crate::settings::Settings;
use crate::{store, trace};

/// Bytes of the name of a data area, and of what stands before an element.
pub(crate) const AREA_NAME: usize = 16;
const HEADER: usize = 24;
const ALIGNMENT: usize = 8;

/// BAQ-ZCON-COMPLETION-CODE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    Success = 0,
    /// The API gave an answer that its description does not have.
    Warning = 4,
    /// The server refused, or the program asked for what is not there.
    Error = 8,
    /// The server was not reached.
    Severe = 12,
    /// A fault inside.
    Critical = 16,
}

/// What a function tells.
pub(crate) struct Told {
    pub(crate) completion: Completion,
    /// Number of the stub's error, or HTTP status of the server's.
    pub(crate) reason: u32,
    pub(crate) message: String,
}

/// From BAQINIT to BAQTERM.
pub(crate) struct Session {
    settings: Settings,
    /// Elements of the next request, by the name of their data area.
    put: Vec<([u8; AREA_NAME], Vec<u8>)>,
    answer: Option<Answer>,
}

/// An answer, base and data areas.
struct Answer {
    record: Vec<u8>,
    elements: Vec<Element>,
}

struct Element {
    start: usize,
    length: usize,
    is_read: bool,
}

impl Told {
    fn well() -> Self {
        Self { completion: Completion::Success, reason: 0, message: String::new() }
    }

    fn wrong(message: &str) -> Self {
        Self { completion: Completion::Error, reason: 0, message: message.to_owned() }
    }

    fn failed(error: &StubError) -> Self {
        let completion = if error.return_code() == ERROR_IN_STUB { Completion::Severe } else { Completion::Error };
        let reason = u32::try_from(error.status()).unwrap_or(0);
        Self { completion, reason, message: error.to_string() }
    }
}

/// Begins: reads the settings of the environment and the parameters of the area.
///
/// # Safety
/// The address is null or that of a BAQ-ZCONNECT-AREA.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQINIT(zconnect: *mut u8) -> i32 {
    // SAFETY: handed through.
    let Some(area) = (unsafe { ZconnectArea::at(zconnect) }) else { return Completion::Severe as i32 };
    guarded(area, |area| {
        let parameters = area.parameters();
        let settings = Settings::of_environment().and_then(|settings| settings.with(&parameters));
        match settings {
            Ok(settings) => {
                area.keep(Box::new(Session { settings, put: Vec::new(), answer: None }));
                Told::well()
            }
            Err(error) => Told::failed(&error),
        }
    })
}

/// Adds an element to a data area of the next request.
///
/// # Safety
/// Each address is null or that of an area or item as `docs/stub-protocol.md` lays it out: the name of a data area, the address of an
/// element and its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQPUTN(zconnect: *mut u8, name: *const u8, element: *const u8, length: *const u8) -> i32 {
    // SAFETY: handed through.
    let Some(area) = (unsafe { ZconnectArea::at(zconnect) }) else { return Completion::Severe as i32 };
    guarded(area, |area| {
        // SAFETY: handed through; the element is as long as its length says.
        let (name, bytes) = unsafe { (area::name(name), area::element(element, length)) };
        let (Some(name), Some(bytes)) = (name, bytes) else {
            return Told::wrong("BAQPUTN: the name of the data area, the element or its length is not there");
        };
        let Some(session) = area.session() else { return without_session() };
        session.put.push((name, bytes));
        Told::well()
    })
}

/// Calls an API.
///
/// # Safety
/// Each address is null or that of an area: BAQ-ZCONNECT-AREA, the API information, BAQ-REQUEST-AREA with the address of a base
/// structure, BAQ-RESPONSE-AREA.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQEXEC(zconnect: *mut u8, api_info: *const u8, request: *const u8, response: *mut u8) -> i32 {
    // SAFETY: handed through.
    let Some(area) = (unsafe { ZconnectArea::at(zconnect) }) else { return Completion::Severe as i32 };
    guarded(area, |area| {
        // SAFETY: handed through.
        let areas = unsafe { (ApiInfo::at(api_info), RequestArea::at(request), Response::at(response)) };
        let (Some(info), Some(request), Some(response)) = areas else {
            return Told::wrong("BAQEXEC: the address of an area is null");
        };
        let Some(session) = area.session() else { return without_session() };
        session.answer = None;
        match session.call(&info, &request) {
            Ok(reply) => session.tell(reply, response),
            Err(error) => Told::failed(&error),
        }
    })
}

/// Hands out the next element of a data area of the answer: its address, and its length.
///
/// # Safety
/// Each address is null or that of an area or item: the name of a data area, a pointer, a length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQGETN(zconnect: *mut u8, name: *const u8, element: *mut u8, length: *mut u8) -> i32 {
    // SAFETY: handed through.
    let Some(area) = (unsafe { ZconnectArea::at(zconnect) }) else { return Completion::Severe as i32 };
    guarded(area, |area| {
        // SAFETY: handed through.
        let Some(name) = (unsafe { area::name(name) }) else { return Told::wrong("BAQGETN: there is no name") };
        let Some(session) = area.session() else { return without_session() };
        let found = session.answer.as_mut().and_then(|answer| answer.next(name));
        match found {
            // SAFETY: handed through.
            Some(bytes) if unsafe { area::hand_out(bytes, element, length) } => Told::well(),
            Some(_) => Told::wrong("BAQGETN: the address of the pointer or the length is null"),
            None => {
                let name = String::from_utf8_lossy(&name).trim_end().to_owned();
                Told::wrong(&format!("BAQGETN: the answer has no further element of the data area {name}"))
            }
        }
    })
}

/// Gives up the answer, and what was put for the next request.
///
/// # Safety
/// The address is null or that of a BAQ-ZCONNECT-AREA.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQFREE(zconnect: *mut u8) -> i32 {
    // SAFETY: handed through.
    let Some(area) = (unsafe { ZconnectArea::at(zconnect) }) else { return Completion::Severe as i32 };
    guarded(area, |area| {
        let Some(session) = area.session() else { return without_session() };
        session.answer = None;
        session.put.clear();
        Told::well()
    })
}

/// Ends: all memory is given back, and kept connections are closed.
///
/// # Safety
/// The address is null or that of a BAQ-ZCONNECT-AREA.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn BAQTERM(zconnect: *mut u8) -> i32 {
    // SAFETY: handed through.
    let Some(area) = (unsafe { ZconnectArea::at(zconnect) }) else { return Completion::Severe as i32 };
    guarded(area, |area| {
        let Some(session) = area.take() else { return without_session() };
        drop(session);
        store::close_all();
        Told::well()
    })
}

fn without_session() -> Told {
    Told::wrong("BAQINIT was not called for this BAQ-ZCONNECT-AREA")
}

/// Tells the area what came of it, and gives that as the function's value.
fn guarded(mut area: ZconnectArea, work: impl FnOnce(&mut ZconnectArea) -> Told) -> i32 {
    let told = catch_unwind(AssertUnwindSafe(|| work(&mut area))).unwrap_or_else(|_| Told {
        completion: Completion::Critical,
        reason: u32::try_from(StubError::Fault.status()).unwrap_or(0),
        message: StubError::Fault.to_string(),
    });
    area.fill(&told);
    told.completion as i32
}

impl Session {
    fn call(&mut self, info: &ApiInfo<'_>, request: &RequestArea) -> Result<Reply, StubError> {
        let base = request.base()?;
        let record = self.record(base);
        let parameters = request.parameters();
        let [name, path, method] = info.texts()?;
        let call = Call {
            name,
            path,
            method,
            credentials: credentials(&parameters),
            server: None,
            request: RequestRecord { address: record.as_ptr(), length: record.len() },
            response: None,
        };
        let exchange = Exchange::prepare(&call, &self.settings)?;
        let deadline = Deadline::within(self.settings.timeout);
        let line = trace::line(self.settings.verbose, &exchange.head);
        let answered = exchange.run(&self.settings, &deadline);
        trace::call(self.settings.verbose, &line, &answered, &deadline);
        answered
    }

    /// The base structure with the elements that were put.
    fn record(&mut self, mut base: Vec<u8>) -> Vec<u8> {
        for (name, element) in self.put.drain(..) {
            base.resize(base.len().next_multiple_of(ALIGNMENT), 0);
            let start = base.len();
            base.extend_from_slice(&name);
            base.extend_from_slice(&u32::try_from(element.len()).unwrap_or(0).to_ne_bytes());
            base.resize(start + HEADER, 0);
            base.extend_from_slice(&element);
        }
        base
    }

    /// Puts the outcome of a call into the response area.
    fn tell(&mut self, reply: Reply, response: Response) -> Told {
        let message = String::from_utf8_lossy(&reply.message).into_owned();
        let status = u32::try_from(reply.status).unwrap_or(0);
        match reply.return_code {
            ERROR_IN_ZCEE => {
                response.fill(None, 0, &[]);
                Told { completion: Completion::Error, reason: status, message }
            }
            ERROR_IN_API => {
                response.fill(None, status, &reply.message);
                Told {
                    completion: Completion::Warning,
                    reason: status,
                    message: "the API gave an answer without a description".to_owned(),
                }
            }
            _ => {
                let answer = Answer::of(reply.record, reply.base);
                let answer = self.answer.insert(answer);
                response.fill(Some((answer.record.as_ptr(), answer.base())), status, &[]);
                Told::well()
            }
        }
    }
}

impl Answer {
    /// `base`: bytes of the base structure, behind which the elements are.
    fn of(record: Vec<u8>, base: Option<usize>) -> Self {
        let mut elements = Vec::new();
        let mut at = base.unwrap_or(record.len()).next_multiple_of(ALIGNMENT);
        while let Some(header) = record.get(at..at + HEADER) {
            let length = u32::from_ne_bytes([header[16], header[17], header[18], header[19]]) as usize;
            let start = at + HEADER;
            if record.len() - start < length {
                break;
            }
            elements.push(Element { start, length, is_read: false });
            at = (start + length).next_multiple_of(ALIGNMENT);
        }
        Self { record, elements }
    }

    fn base(&self) -> usize {
        self.elements.first().map_or(self.record.len(), |first| first.start - HEADER)
    }

    fn next(&mut self, name: [u8; AREA_NAME]) -> Option<&[u8]> {
        let record = &self.record;
        let is_it = |element: &&mut Element| {
            !element.is_read && record[element.start - HEADER..element.start - HEADER + AREA_NAME] == name
        };
        let element = self.elements.iter_mut().find(is_it)?;
        element.is_read = true;
        Some(&record[element.start..element.start + element.length])
    }
}

fn credentials<'a>(parameters: &'a Parameters) -> Credentials<'a> {
    let value = |name| parameters.value(name).unwrap_or_default();
    Credentials {
        oauth_username: value("BAQHAPI-oAuth-Username"),
        oauth_password: value("BAQHAPI-oAuth-Password"),
        oauth_client_id: value("BAQHAPI-oAuth-ClientId"),
        oauth_client_secret: value("BAQHAPI-oAuth-ClientSecret"),
        oauth_scope: value("BAQHAPI-oAuth-Scope"),
        token_username: value("BAQHAPI-Token-Username"),
        token_password: value("BAQHAPI-Token-Password"),
    }
}
