//! Entity tags: an answer that the client has already is not sent again.

use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::answer::{self, Answer};

#[derive(Debug, Clone)]
pub(crate) struct EntityTag(HeaderValue);

impl EntityTag {
    /// Of digits and letters, which stand for the bytes of an answer.
    pub(crate) fn new(text: &str) -> Self {
        Self(HeaderValue::try_from(format!("\"{text}\"")).expect("digits and letters are ASCII"))
    }

    /// 304 when the client has this already, as `If-None-Match` says.
    pub(crate) fn not_modified(&self, headers: &HeaderMap) -> Option<Answer> {
        let known = headers.get(header::IF_NONE_MATCH)?.to_str().ok()?;
        let own = self.0.to_str().ok()?;
        let matches =
            known.split(',').map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == own);
        matches.then(|| {
            let mut answer = answer::empty(StatusCode::NOT_MODIFIED);
            self.decorate(&mut answer);
            answer
        })
    }

    pub(crate) fn decorate(&self, answer: &mut Answer) {
        answer.headers_mut().insert(header::ETAG, self.0.clone());
    }
}
