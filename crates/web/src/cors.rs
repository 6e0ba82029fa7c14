//! Cross-origin requests, as Liberty's filter treats them: off unless origins are configured.
//!
//! An origin that is not allowed gets the ordinary answer without any of these headers; browsers do the refusing.
//! `*` lets pages of any origin read what anybody may read: a browser then neither sends nor stores credentials. To let a page
//! act for the user who looks at it, its origin has to be named.

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};

use crate::answer::{self, Answer};
use crate::options::Cors;

const METHODS: &str = "GET, POST, PATCH, DELETE";
const REQUEST_HEADERS: &str = "Accept-Language, Authorization, Content-Type, ibm-mq-rest-csrf-token, \
    ibm-mq-rest-gateway-qmgr, ibm-mq-md-correlationId, ibm-mq-md-expiry, ibm-mq-md-persistence, ibm-mq-md-priority, \
    ibm-mq-md-replyTo, ibm-mq-usr";
const RESPONSE_HEADERS: &str = "ibm-mq-md-messageId, ibm-mq-md-correlationId, ibm-mq-md-expiry, \
    ibm-mq-md-persistence, ibm-mq-md-priority, ibm-mq-md-replyTo, ibm-mq-usr";

/// Which origins may read answers.
#[derive(Debug)]
pub(crate) struct Policy {
    any: bool,
    origins: Vec<String>,
    max_age: HeaderValue,
}

impl Policy {
    pub(crate) fn new(options: &Cors) -> Self {
        Self {
            any: options.allowed_origins.iter().any(|origin| origin.trim() == "*"),
            origins: options.allowed_origins.iter().map(|origin| origin.trim().to_owned()).collect(),
            max_age: HeaderValue::from(options.max_age_seconds),
        }
    }

    /// The answer to an allowed preflight. Anything else goes on as an ordinary request.
    pub(crate) fn preflight(&self, method: &Method, headers: &HeaderMap) -> Option<Answer> {
        if *method != Method::OPTIONS {
            return None;
        }
        let origin = self.allowed_origin(headers)?;
        let wanted = headers.get(header::ACCESS_CONTROL_REQUEST_METHOD)?.to_str().ok()?;
        if !lists(METHODS, wanted, |a, b| a == b) {
            return None;
        }
        for names in headers.get_all(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            let mut names = names.to_str().ok()?.split(',').map(str::trim).filter(|name| !name.is_empty());
            if !names.all(|name| lists(REQUEST_HEADERS, name, str::eq_ignore_ascii_case)) {
                return None;
            }
        }
        let mut answer = answer::empty(StatusCode::OK);
        let sent = answer.headers_mut();
        self.allow(sent, origin);
        insert(sent, header::ACCESS_CONTROL_MAX_AGE, self.max_age.clone());
        insert(sent, header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
        insert(sent, header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(REQUEST_HEADERS));
        self.vary(sent);
        Some(answer)
    }

    /// What the answer to a simple request from an allowed origin carries in addition. A preflight carries what
    /// `preflight` gave it, or nothing.
    pub(crate) fn decorate(&self, request: &HeaderMap, answer: &mut HeaderMap) {
        let Some(origin) = self.allowed_origin(request) else { return };
        if request.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
            return;
        }
        self.allow(answer, origin);
        insert(answer, header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(RESPONSE_HEADERS));
        self.vary(answer);
    }

    /// Credentials are for origins that are named.
    fn allow(&self, answer: &mut HeaderMap, origin: &HeaderValue) {
        if self.names(origin) {
            insert(answer, header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            insert(answer, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        } else {
            insert(answer, header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
    }

    /// The answer differs by origin where any is named.
    fn vary(&self, answer: &mut HeaderMap) {
        if self.origins.iter().any(|origin| origin != "*") {
            insert(answer, header::VARY, HeaderValue::from_static("Origin"));
        }
    }

    /// Whether the configuration names the origin: its pages act for the user who looks at them.
    pub(crate) fn names(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|named| named != "*" && named.as_bytes() == origin.as_bytes())
    }

    fn allowed_origin<'h>(&self, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
        if self.origins.is_empty() {
            return None;
        }
        let origin = headers.get(header::ORIGIN)?;
        (self.any || self.names(origin)).then_some(origin)
    }
}

fn lists(list: &str, wanted: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    list.split(", ").any(|listed| same(listed, wanted))
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    headers.insert(name, value);
}
