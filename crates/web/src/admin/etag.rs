//! Entity tags of answers that are made of definitions alone: an extension of ours.
//!
//! A tag is made before anything is read, from the number of changes to definitions and the request itself, so it costs
//! nothing and can only be older than what it stands for. Answers with status have none: depths change unnoticed.

use std::hash::{DefaultHasher, Hash, Hasher};

use ::queue_manager::QueueManager;
use http::{HeaderValue, StatusCode, header};

use crate::answer::{self, Answer};
use crate::service::Call;

pub(super) struct Tag(HeaderValue);

impl Tag {
    /// For the queues of `queue_manager` as this request wants to see them.
    pub(super) fn of_queues(call: &Call<'_>, queue_manager: &QueueManager) -> Self {
        let mut hasher = DefaultHasher::new();
        call.parts.uri.path().hash(&mut hasher);
        call.parts.uri.query().hash(&mut hasher);
        let (started, changes) = queue_manager.queue_changes();
        let text = format!("\"{:x}-{changes:x}-{:x}\"", started.0, hasher.finish());
        Self(HeaderValue::try_from(text).expect("hexadecimal digits are ASCII"))
    }

    /// 304 when the client has this already, as `If-None-Match` says.
    pub(super) fn not_modified(&self, call: &Call<'_>) -> Option<Answer> {
        let known = call.parts.headers.get(header::IF_NONE_MATCH)?.to_str().ok()?;
        let own = self.0.to_str().ok()?;
        let matches =
            known.split(',').map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == own);
        matches.then(|| {
            let mut answer = answer::empty(StatusCode::NOT_MODIFIED);
            self.decorate(&mut answer);
            answer
        })
    }

    pub(super) fn decorate(&self, answer: &mut Answer) {
        answer.headers_mut().insert(header::ETAG, self.0.clone());
    }
}
