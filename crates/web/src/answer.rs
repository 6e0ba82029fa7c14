//! Building answers: their bodies, and the headers every answer carries.
//!
//! An answer whose client does not read it stays in memory. So a long one is charged to a budget until its last byte has
//! left, wherever it waits until then.

mod live;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use tokio::sync::mpsc;
use tokio::time::Sleep;

use crate::budget::{Budget, Charge};
use crate::connections::{Unread, Watch};
use crate::error::Form;

pub(crate) use self::live::{Live, Sender, live};

/// Nearly every answer is one piece, so that head and body leave in one write; long lists come piece by piece.
pub(crate) type Answer = Response<Body>;

pub(crate) enum Body {
    Whole(Bytes),
    Pieces(Box<dyn Pieces>),
    /// Made by a task while it is sent.
    Streamed(mpsc::Receiver<Bytes>),
    /// It goes on for as long as its client stays.
    Live(Live),
    /// Of an answer whose head alone is sent.
    LeftOut,
    /// Of an answer to a request that has not come to its end.
    Ahead(Box<Ahead>),
}

/// The end of an answer is held back until the rest of its request has come, or has been waited for long enough. HTTP/2 resets
/// a stream whose answer has ended before its request has, and there are clients, curl 7.88 among them, that then forget
/// what they have received of the answer.
pub(crate) struct Ahead {
    answer: Body,
    request: Incoming,
    /// Bytes of the request that are still read in vain.
    left: usize,
    until: Pin<Box<Sleep>>,
}

/// How much of a request, and how long, is read in vain after its answer.
const MOST_IN_VAIN: usize = 16 << 20;
const LONGEST_IN_VAIN: Duration = Duration::from_secs(5);

/// Bytes of an answer, charged while any of them waits to be sent.
struct Charged {
    bytes: Bytes,
    _charge: Charge,
    _unread: Unread,
}

/// Shorter answers are not charged: one leaves at once, or waits alone on its connection. A connection of HTTP/2 has many.
const LONG: usize = 16 << 10;
const LONG_OF_MANY: usize = 1 << 10;

/// A body that is made while it is sent. Pieces are asked for as fast as the client reads, and no faster.
pub(crate) trait Pieces: Send {
    /// `None` at the end.
    fn next_piece(&mut self) -> Option<Bytes>;
}

/// Some of a body.
pub(crate) enum Data {
    Bytes(Bytes),
    /// It tells what becomes of it.
    Told(Box<live::Piece>),
}

type Polled = Poll<Option<Result<Frame<Data>, Infallible>>>;

fn frame(bytes: Bytes) -> Result<Frame<Data>, Infallible> {
    Ok(Frame::data(Data::Bytes(bytes)))
}

impl Buf for Data {
    fn remaining(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.remaining(),
            Self::Told(piece) => piece.remaining(),
        }
    }

    fn chunk(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes.chunk(),
            Self::Told(piece) => piece.chunk(),
        }
    }

    fn advance(&mut self, count: usize) {
        match self {
            Self::Bytes(bytes) => bytes.advance(count),
            Self::Told(piece) => piece.advance(count),
        }
    }
}

impl hyper::body::Body for Body {
    type Data = Data;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        match self.get_mut() {
            Self::Whole(whole) if whole.is_empty() => Poll::Ready(None),
            Self::Whole(whole) => Poll::Ready(Some(frame(std::mem::take(whole)))),
            Self::Pieces(pieces) => Poll::Ready(pieces.next_piece().map(frame)),
            Self::Streamed(pieces) => pieces.poll_recv(context).map(|piece| piece.map(frame)),
            Self::Live(live) => {
                live.poll_piece(context).map(|piece| piece.map(|piece| Ok(Frame::data(Data::Told(Box::new(piece))))))
            }
            Self::LeftOut => Poll::Ready(None),
            Self::Ahead(ahead) => ahead.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_empty(),
            Self::Pieces(_) | Self::Streamed(_) | Self::Live(_) | Self::Ahead(_) => false,
            Self::LeftOut => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => SizeHint::with_exact(whole.len() as u64),
            Self::Ahead(ahead) => ahead.answer.size_hint(),
            Self::Pieces(_) | Self::Streamed(_) | Self::Live(_) | Self::LeftOut => SizeHint::default(),
        }
    }
}

impl Ahead {
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Polled {
        if !self.answer.is_end_stream() {
            match Pin::new(&mut self.answer).poll_frame(context) {
                Poll::Ready(None) => self.answer = Body::LeftOut,
                other => return other,
            }
        }
        loop {
            let length = match Pin::new(&mut self.request).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame.data_ref().map_or(0, Bytes::len),
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(None),
                Poll::Pending => return self.until.as_mut().poll(context).map(|()| None),
            };
            match self.left.checked_sub(length) {
                Some(left) => self.left = left,
                None => return Poll::Ready(None),
            }
        }
    }
}

impl AsRef<[u8]> for Charged {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Charges a long answer until its last byte has left.
pub(crate) fn charge(answer: &mut Answer, is_one_of_many: bool, watch: &Arc<Watch>, budget: &Arc<Budget>) {
    let Body::Whole(whole) = answer.body_mut() else { return };
    let length = whole.len();
    if length > if is_one_of_many { LONG_OF_MANY } else { LONG } {
        let (charge, unread) = (budget.charge(length), watch.unread(length));
        *whole = Bytes::from_owner(Charged { bytes: std::mem::take(whole), _charge: charge, _unread: unread });
    }
}

/// The answer to a request of HTTP/2 whose rest is `request`.
pub(crate) fn ahead_of(request: Incoming, answer: Answer) -> Answer {
    answer.map(|answer| {
        let until = Box::pin(tokio::time::sleep(LONGEST_IN_VAIN));
        Body::Ahead(Box::new(Ahead { answer, request, left: MOST_IN_VAIN, until }))
    })
}

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
pub(crate) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

const X_XSS_PROTECTION: HeaderName = HeaderName::from_static("x-xss-protection");

/// No body and no content type.
pub(crate) fn empty(status: StatusCode) -> Answer {
    with_body(status, None, Bytes::new())
}

pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    with_body(status, Some(JSON), body.into())
}

pub(crate) fn text(status: StatusCode, body: Bytes) -> Answer {
    with_body(status, Some(TEXT), body)
}

pub(crate) fn with_body(status: StatusCode, content_type: Option<HeaderValue>, body: Bytes) -> Answer {
    made_of(status, content_type, Body::Whole(body), HEADERS)
}

/// Of a service: few headers.
pub(crate) fn of_service(status: StatusCode, content_type: Option<HeaderValue>, body: Bytes) -> Answer {
    made_of(status, content_type, Body::Whole(body), HEADERS_OF_SERVICES)
}

/// JSON whose length is not known when it begins.
pub(crate) fn json_in_pieces(status: StatusCode, pieces: Box<dyn Pieces>) -> Answer {
    made_of(status, Some(JSON), Body::Pieces(pieces), HEADERS)
}

/// Of pieces that a task sends.
pub(crate) fn streamed(status: StatusCode, content_type: HeaderValue, pieces: mpsc::Receiver<Bytes>) -> Answer {
    made_on_the_way(status, content_type, Body::Streamed(pieces))
}

/// Of a body that is made while it is sent.
pub(crate) fn made_on_the_way(status: StatusCode, content_type: HeaderValue, body: Body) -> Answer {
    made_of(status, Some(content_type), body, HEADERS_OF_SERVICES)
}

/// Headers that `finish`, a cookie and a message's own add to most answers: one allocation for the whole answer.
const HEADERS: usize = 20;
const HEADERS_OF_SERVICES: usize = 6;

fn made_of(status: StatusCode, content_type: Option<HeaderValue>, body: Body, room: usize) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.reserve(room);
    if let Some(content_type) = content_type {
        headers.insert(header::CONTENT_TYPE, content_type);
    }
    answer
}

/// The answer to a HEAD request over HTTP/2: the head that GET has. Over HTTP/1.1 hyper leaves the body out by itself.
pub(crate) fn without_body(answer: Answer) -> Answer {
    let (mut head, body) = answer.into_parts();
    if let Some(length) = hyper::body::Body::size_hint(&body).exact() {
        head.headers.insert(header::CONTENT_LENGTH, length.into());
    }
    Response::from_parts(head, Body::LeftOut)
}

/// Adds what every answer of the HTTPS and HTTP listeners carries. The MQ REST server has headers that guard pages in a
/// browser on all its answers; those of z/OS Connect are data for programs. What may be kept says so before.
pub(crate) fn finish(headers: &mut HeaderMap, form: Form) {
    const CONTENT_SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; connect-src 'self'; img-src 'self'; \
         style-src 'self' 'unsafe-inline'; font-src 'self'",
    );
    const XSS: HeaderValue = HeaderValue::from_static("1;mode=block");
    const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
    const DENY: HeaderValue = HeaderValue::from_static("DENY");
    const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
    const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache, no-store, must-revalidate");
    const PAST: HeaderValue = HeaderValue::from_static("Thu, 01 Dec 1994 16:00:00 GMT");
    const LANGUAGE: HeaderValue = HeaderValue::from_static("en-US");

    headers.insert(header::CONTENT_LANGUAGE, LANGUAGE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    match form {
        Form::ZosConnect | Form::Problem => {
            headers.entry(header::CACHE_CONTROL).or_insert(NO_STORE);
        }
        Form::Messaging => {
            headers.insert(header::CACHE_CONTROL, NO_CACHE);
            headers.insert(header::EXPIRES, PAST);
            headers.insert(X_XSS_PROTECTION, XSS);
            headers.insert(header::X_FRAME_OPTIONS, DENY);
            headers.insert(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY);
        }
    }
}
