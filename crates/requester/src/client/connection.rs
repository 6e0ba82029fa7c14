//! One connection: the task that waits for the answer sends the request and receives the answer.
//!
//! hyper splits a connection into one half that is asked and one that does the work, usually in a task of its own. Here both
//! halves are polled together, so an exchange is a single future without a wake-up in between.
//!
//! Invariant: between two exchanges nobody polls the connection; `is_usable` looks what happened meanwhile.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Request;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use model::causes::chain;

use super::Inbound;
use super::stream::Stream;

/// Most bytes set aside for an answer because its server announced them; beyond it memory grows with what arrives.
const TRUSTED_LENGTH: usize = 256 << 10;
/// Most bytes of an unwanted body that are read so that the connection can be kept, and how long they may take.
const MOST_DROPPED: usize = 64 << 10;
const LONGEST_DROPPING: Duration = Duration::from_secs(1);

/// What of an answer is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    /// Head and body, which has so many bytes at most.
    Whole(usize),
    /// The head; the body is read up to a bound and dropped.
    Head,
}

pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: Driver,
}

struct Driver {
    connection: http1::Connection<TokioIo<Stream>, Full<Bytes>>,
    has_ended: bool,
}

/// An exchange without an answer.
pub(super) struct Broken {
    /// The request, when it has not been handed over at all.
    pub(super) request: Option<Request<Full<Bytes>>>,
    /// The head of an answer had come.
    pub(super) has_begun: bool,
    /// The answer is longer than this limit.
    pub(super) too_long: Option<usize>,
    pub(super) problem: String,
}

impl Driver {
    fn drive(&mut self, context: &mut Context<'_>) {
        if !self.has_ended && Pin::new(&mut self.connection).poll(context).is_ready() {
            // What went wrong is told to whoever waits for the answer.
            self.has_ended = true;
        }
    }
}

impl Connection {
    pub(super) fn new(
        sender: SendRequest<Full<Bytes>>,
        connection: http1::Connection<TokioIo<Stream>, Full<Bytes>>,
    ) -> Self {
        Self { sender, driver: Driver { connection, has_ended: false } }
    }

    /// Whether another request can be sent: the server has not closed it, nor said anything unasked.
    pub(super) fn is_usable(&mut self) -> bool {
        self.driver.drive(&mut Context::from_waker(Waker::noop()));
        !self.driver.has_ended && self.sender.is_ready()
    }

    /// # Errors
    /// The connection broke, or the answer is none or too long. The connection is of no use then, nor when this future is
    /// dropped before its end.
    pub(super) async fn exchange(
        &mut self,
        request: Request<Full<Bytes>>,
        wanted: Wanted,
    ) -> Result<Inbound, Box<Broken>> {
        let Self { sender, driver } = self;
        let mut answer = pin!(sender.try_send_request(request));
        let answer = poll_fn(|context| {
            driver.drive(context);
            answer.as_mut().poll(context)
        })
        .await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(mut error) => {
                let request = error.take_message();
                return Err(Box::new(Broken {
                    request,
                    has_begun: false,
                    too_long: None,
                    problem: chain(error.error()),
                }));
            }
        };
        let (parts, body) = answer.into_parts();
        let (body, is_whole) = match wanted {
            Wanted::Whole(limit) => (receive(driver, body, limit).await?, true),
            Wanted::Head => (Bytes::new(), drop_body(driver, body).await),
        };
        Ok(Inbound { status: parts.status, headers: parts.headers, body, is_whole })
    }
}

/// Whether the body came to its end within the bounds.
async fn drop_body(driver: &mut Driver, mut body: Incoming) -> bool {
    let read = async {
        let mut left = MOST_DROPPED;
        while let Ok(piece) = next(driver, &mut body).await {
            let Some(piece) = piece else { return true };
            if piece.len() > left {
                return false;
            }
            left -= piece.len();
        }
        false
    };
    tokio::time::timeout(LONGEST_DROPPING, read).await.unwrap_or(false)
}

/// The whole body. One that arrives in one piece is not copied.
async fn receive(driver: &mut Driver, mut body: Incoming, limit: usize) -> Result<Bytes, Box<Broken>> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > limit {
        return Err(too_long(limit));
    }
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    loop {
        let Some(piece) = next(driver, &mut body).await? else { break };
        if first.len() + whole.len() + piece.len() > limit {
            return Err(too_long(limit));
        }
        if whole.is_empty() && first.is_empty() {
            first = piece;
            continue;
        }
        if whole.is_empty() {
            whole.reserve(announced.min(TRUSTED_LENGTH).max(first.len() + piece.len()));
            whole.extend_from_slice(&first);
            first = Bytes::new();
        }
        whole.extend_from_slice(&piece);
    }
    Ok(if whole.is_empty() { first } else { whole.freeze() })
}

/// The next piece of data; trailers are passed over.
async fn next(driver: &mut Driver, body: &mut Incoming) -> Result<Option<Bytes>, Box<Broken>> {
    loop {
        let frame = poll_fn(|context| {
            // Asking for more is what lets the connection read on.
            let polled = Pin::new(&mut *body).poll_frame(context);
            if polled.is_ready() {
                return polled;
            }
            driver.drive(context);
            Pin::new(&mut *body).poll_frame(context)
        })
        .await;
        match frame {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(error)) => {
                return Err(Box::new(Broken {
                    request: None,
                    has_begun: true,
                    too_long: None,
                    problem: chain(&error),
                }));
            }
        }
    }
}

fn too_long(limit: usize) -> Box<Broken> {
    Box::new(Broken { request: None, has_begun: true, too_long: Some(limit), problem: String::new() })
}
