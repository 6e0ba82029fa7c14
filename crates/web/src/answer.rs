//! Building answers: their bodies, and the headers every answer carries.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Frame, SizeHint};

use crate::error::Form;

/// Nearly every answer is one piece, so that head and body leave in one write; long lists come piece by piece.
pub(crate) type Answer = Response<Body>;

pub(crate) enum Body {
    Whole(Full<Bytes>),
    Pieces(Box<dyn Pieces>),
    /// Of an answer whose head alone is sent.
    LeftOut,
}

/// A body that is made while it is sent. Pieces are asked for as fast as the client reads, and no faster.
pub(crate) trait Pieces: Send {
    /// `None` at the end.
    fn next_piece(&mut self) -> Option<Bytes>;
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(whole) => Pin::new(whole).poll_frame(context),
            Self::Pieces(pieces) => Poll::Ready(pieces.next_piece().map(|piece| Ok(Frame::data(piece)))),
            Self::LeftOut => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::Pieces(_) => false,
            Self::LeftOut => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Pieces(_) | Self::LeftOut => SizeHint::default(),
        }
    }
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
    made_of(status, content_type, Body::Whole(Full::new(body)), HEADERS)
}

/// Of a service: few headers.
pub(crate) fn of_service(status: StatusCode, content_type: Option<HeaderValue>, body: Bytes) -> Answer {
    made_of(status, content_type, Body::Whole(Full::new(body)), HEADERS_OF_SERVICES)
}

/// JSON whose length is not known when it begins.
pub(crate) fn json_in_pieces(status: StatusCode, pieces: Box<dyn Pieces>) -> Answer {
    made_of(status, Some(JSON), Body::Pieces(pieces), HEADERS)
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
/// browser on all its answers; those of z/OS Connect are data for programs.
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
        Form::ZosConnect => {
            headers.insert(header::CACHE_CONTROL, NO_STORE);
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
