//! How a message of a push target is posted: as a get shows it, signed as Standard Webhooks does.
//!
//! A reload of the configuration counts from the next attempt on.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use message_api::content::Content;
use message_api::incoming::{BodyForm, Incoming, Told};
use message_api::push::{Answer, Definition, Door, Form, Later, Letter, Outside, Owner, sign};
use model::authority::Principal;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use requester::post::{Reach, Receiver};
use telemetry::{Kind, Name};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use crate::api::{PLAIN_JSON, get, headers};
use crate::server::Shared;

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
const AGENT: HeaderValue = HeaderValue::from_static("quaymaster");
/// Longest that a receiver is left alone because it asks for it.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// What push reaches through this server.
pub(crate) struct ByHttp(pub(crate) Arc<Shared>);

impl Outside for ByHttp {
    fn principal<'a>(&'a self, owner: &'a Owner) -> Later<'a, Principal> {
        Box::pin(async move {
            let settings = self.0.settings();
            if !settings.options.messaging.adopt_web_user_context {
                return settings.server_principal.clone();
            }
            let known = settings.authenticator.known_principal(&owner.user, self.0.now()).await;
            known.unwrap_or_else(|| owner.principal())
        })
    }

    fn door(&self, definition: &Arc<Definition>) -> Arc<dyn Door> {
        let (shared, definition) = (Arc::clone(&self.0), Arc::clone(definition));
        Arc::new(Receivers { shared, definition, current: Mutex::default() })
    }
}

/// The receiver of one target, made anew when the configuration has changed.
struct Receivers {
    shared: Arc<Shared>,
    definition: Arc<Definition>,
    current: Mutex<Option<(Arc<Reach>, Arc<Receiver>)>>,
}

impl Receivers {
    fn current(&self) -> Result<Arc<Receiver>, String> {
        let reach = Arc::clone(&self.shared.settings().reach);
        let mut current = self.current.lock();
        if let Some((of, receiver)) = &*current
            && Arc::ptr_eq(of, &reach)
        {
            return Ok(Arc::clone(receiver));
        }
        let receiver = Arc::new(Receiver::new(&self.definition.url, &reach, self.definition.timeout)?);
        *current = Some((reach, Arc::clone(&receiver)));
        Ok(receiver)
    }
}

impl Door for Receivers {
    fn post<'a>(&'a self, letter: Letter<'a>) -> Later<'a, Result<Answer, String>> {
        Box::pin(async move {
            let receiver = self.current()?;
            let content = Content::of(letter.message);
            let (headers, body) = request(&self.definition, &letter, &content);
            let post = receiver.post(headers, body);
            let reply = match &self.shared.tracer {
                None => post.await?,
                // Below the span that has put the message.
                Some(tracer) => {
                    let key = &self.definition.key;
                    let caller = queue_manager::context_among(&content.properties);
                    let mut span = tracer.begin(Kind::Consumer, Name::of("push", key.name.clone()), caller.as_ref());
                    span.text("messaging.system", "ibmmq");
                    let mut span = Some(span);
                    let reply = telemetry::around(&mut span, pin!(post)).await;
                    if let (Err(problem), Some(span)) = (&reply, &mut span) {
                        span.failed(problem);
                    }
                    reply?
                }
            };
            let retry_after = retry_after(&reply.headers, letter.now);
            Ok(Answer { status: reply.status.as_u16(), retry_after })
        })
    }
}

fn request(definition: &Definition, letter: &Letter<'_>, content: &Content) -> (HeaderMap, Bytes) {
    let mut all = HeaderMap::new();
    for (name, value) in &definition.headers {
        // They were checked when the target was made.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            all.insert(name, value);
        }
    }
    let (content_type, body) = match definition.body {
        Form::Raw => {
            headers::describe(&mut all, letter.message, content, Some(letter.position), letter.now);
            get::data(content)
        }
        Form::Envelope => {
            let (position, now) = (Some(letter.position), letter.now);
            let told = Told { position, now, body: BodyForm::Auto, copybook: None, beside: &[] };
            let envelope = Incoming { message: letter.message, content, told };
            let mut bytes = Vec::new();
            envelope.write(&mut bytes);
            (PLAIN_JSON, bytes.into())
        }
    };
    let seconds = letter.now.as_millis() / 1000;
    let signature = sign(&definition.secrets, letter.id, seconds, &body);
    let text = |text: &str| HeaderValue::try_from(text).expect("hexadecimal, base64 and digits");
    all.insert(WEBHOOK_ID, text(letter.id));
    all.insert(WEBHOOK_TIMESTAMP, HeaderValue::from(seconds));
    all.insert(WEBHOOK_SIGNATURE, text(&signature));
    all.insert(CONTENT_TYPE, content_type);
    all.insert(USER_AGENT, AGENT);
    (all, body)
}

/// Seconds, or a moment (RFC 9110, 10.2.3).
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let time = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let at = OffsetDateTime::parse(text, &Rfc2822).ok()?;
            let at = u64::try_from(at.unix_timestamp()).ok()?;
            Timestamp::from_millis(at.saturating_mul(1000)).since(now)
        }
    };
    Some(time.min(LONGEST_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_asks_for_quiet_in_seconds_or_until_a_moment() {
        let now = Timestamp::from_millis(1_445_412_480_000);
        let read = |value: &'static str| {
            let headers = [(RETRY_AFTER, HeaderValue::from_static(value))].into_iter().collect();
            retry_after(&headers, now).map(|time| time.as_secs())
        };
        assert_eq!(read("120"), Some(120));
        assert_eq!(read("Wed, 21 Oct 2015 07:29:00 GMT"), Some(60));
        assert_eq!(read("Wed, 21 Oct 2015 07:27:00 GMT"), Some(0));
        assert_eq!(read("99999999"), Some(86_400));
        assert_eq!([read("-1"), read("soon"), read("")], [None; 3]);
    }
}
