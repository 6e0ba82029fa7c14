//! The page that lists the resources and lets a person try them: three static files that read `/openapi.json`.
//!
//! Nothing comes from elsewhere and nothing is written inside of the page, so that it works offline and under the
//! strictest content security policy.

use bytes::Bytes;
use http::{HeaderValue, StatusCode};

use crate::answer::{self, Answer, HTML};

const CSS: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");
const JAVASCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");

static PAGE: &[u8] = include_bytes!("explorer/page.html");
static STYLE: &[u8] = include_bytes!("explorer/explorer.css");
static SCRIPT: &[u8] = include_bytes!("explorer/explorer.js");

pub(crate) fn page() -> Answer {
    file(HTML, PAGE)
}

pub(crate) fn style() -> Answer {
    file(CSS, STYLE)
}

pub(crate) fn script() -> Answer {
    file(JAVASCRIPT, SCRIPT)
}

fn file(content_type: HeaderValue, bytes: &'static [u8]) -> Answer {
    answer::with_body(StatusCode::OK, Some(content_type), Bytes::from_static(bytes))
}
