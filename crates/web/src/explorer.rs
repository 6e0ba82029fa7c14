//! The page that shows the resources and lets a person try them. One static file that reads `/openapi.json`.

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use crate::answer::{self, Answer, HTML};

static PAGE: &[u8] = include_bytes!("explorer/page.html");

pub(crate) fn page() -> Answer {
    answer::with_body(StatusCode::OK, Some(HTML), Bytes::from_static(PAGE))
}

pub(crate) fn lead_there() -> Answer {
    let mut answer = answer::empty(StatusCode::FOUND);
    answer.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/ibm/api/explorer"));
    answer
}
