//! What a client wants of a push target, as the body of its request says.

use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use identity::Identity;
use message_api::push::{Definition, Form, Key, MOST_AT_ONCE, Owner, Retry, Secret, Source};
use message_api::time_text::read_duration;
use model::name::QueueName;
use model::timestamp::Timestamp;
use requester::post::{Reach, Receiver};
use serde::Deserialize;

use crate::api::deliveries::bad;
use crate::api::selection::MatchMembers;
use crate::error::{self, ApiError};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(300);
/// Of one delay, and of all attempts with a message.
const LONGEST_DELAY: Duration = Duration::from_secs(24 * 3600);
const LONGEST_TIME: Duration = Duration::from_secs(30 * 24 * 3600);
const SHORTEST_DELAY: Duration = Duration::from_millis(10);
/// MQFB_APPL_FIRST: a feedback of the application's own.
const APPLICATION_FEEDBACK: i32 = 65_536;
const LONGEST_URL: usize = 2048;
const LONGEST_TOPIC: usize = 10_240;
const LONGEST_SUBSCRIPTION: usize = 256;
const MOST_SECRETS: usize = 4;
const MOST_HEADERS: usize = 32;
/// Of names and values together, in bytes.
const LONGEST_HEADERS: usize = 8 << 10;
/// Headers that the server or the connection sets.
const TAKEN_HEADERS: [&str; 12] = [
    "host",
    "connection",
    "content-length",
    "content-type",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "keep-alive",
    "expect",
    "proxy-authorization",
    "user-agent",
];
const TAKEN_PREFIXES: [&str; 2] = ["mq-", "webhook-"];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(super) struct Wish {
    queue: Option<String>,
    subscription: Option<SubscriptionWish>,
    url: String,
    secret: Option<OneOrMore>,
    concurrency: Option<usize>,
    timeout: Option<String>,
    retry: RetryWish,
    dead_letter: Option<DeadLetterWish>,
    r#match: MatchMembers,
    body: Option<String>,
    headers: BTreeMap<String, String>,
    paused: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubscriptionWish {
    topic: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "the member 'secret' is a text or a list of texts")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
struct RetryWish {
    attempts: Option<u32>,
    within: Option<String>,
    delay: Option<String>,
    longest_delay: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "the member 'deadLetter' is true, false or {\"reason\": NUMBER}")]
enum DeadLetterWish {
    Whether(bool),
    Because(Because),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Because {
    /// JSON knows no other numbers: 1.0 is an integer.
    reason: f64,
}

impl Because {
    fn reason(&self) -> Result<i32, ApiError> {
        let text = self.reason.to_string();
        text.parse().map_err(|_| bad("reason", &text, "an integer of 32 bits"))
    }
}

impl Wish {
    /// # Errors
    /// 400: which member is wrong, and what was expected.
    pub(super) fn definition(
        self,
        key: Key,
        identity: &Identity,
        reach: &Reach,
        now: Timestamp,
    ) -> Result<Definition, ApiError> {
        let timeout = self.timeout.as_deref().map_or(Ok(DEFAULT_TIMEOUT), read_timeout)?;
        if self.url.len() > LONGEST_URL {
            return Err(bad("url", "", "at most 2048 characters"));
        }
        // A URL may have something secret in its query: it is not repeated.
        Receiver::new(&self.url, reach, timeout).map_err(|problem| wrong(&format!("the member 'url': {problem}")))?;
        let concurrency = self.concurrency.unwrap_or(1);
        if !(1..=MOST_AT_ONCE).contains(&concurrency) {
            return Err(bad("concurrency", &concurrency.to_string(), "a number from 1 to 64"));
        }
        Ok(Definition {
            key,
            owner: Owner::of(&identity.principal),
            source: source(self.queue, self.subscription)?,
            matched: self.r#match.matched()?.into_push(),
            url: self.url,
            secrets: self.secret.map_or(Ok(Vec::new()), OneOrMore::secrets)?,
            headers: headers(self.headers)?,
            body: match self.body.as_deref() {
                None | Some("raw") => Form::Raw,
                Some("envelope") => Form::Envelope,
                Some(other) => return Err(bad("body", other, "raw or envelope")),
            },
            concurrency,
            timeout,
            retry: self.retry.retry()?,
            dead_letter: match self.dead_letter {
                None | Some(DeadLetterWish::Whether(false)) => None,
                Some(DeadLetterWish::Whether(true)) => Some(APPLICATION_FEEDBACK),
                Some(DeadLetterWish::Because(because)) => Some(because.reason()?),
            },
            is_paused: self.paused,
            changed: now,
        })
    }
}

fn wrong(problem: &str) -> ApiError {
    ApiError::new(&error::BODY_NOT_VALID, &[problem])
}

fn source(queue: Option<String>, subscription: Option<SubscriptionWish>) -> Result<Source, ApiError> {
    match (queue, subscription) {
        (Some(queue), None) => match QueueName::parse(&queue).ok().filter(|name| !name.is_blank()) {
            Some(name) => Ok(Source::Queue(name.as_str().to_owned())),
            None => Err(bad("queue", &queue, "the name of a queue")),
        },
        (None, Some(SubscriptionWish { topic, name })) => {
            let is_good = |text: &str, most| (1..=most).contains(&text.len()) && !text.chars().any(char::is_control);
            if !is_good(&topic, LONGEST_TOPIC) {
                return Err(bad("topic", &topic, "a topic string"));
            }
            if !is_good(&name, LONGEST_SUBSCRIPTION) {
                return Err(bad("name", &name, "the name of a subscription, of at most 256 bytes"));
            }
            Ok(Source::Subscription { topic, name })
        }
        _ => Err(wrong("one of the members 'queue' and 'subscription' says where the messages come from")),
    }
}

fn read_timeout(text: &str) -> Result<Duration, ApiError> {
    let is_good = |time: &Duration| time.subsec_nanos() == 0 && !time.is_zero() && *time <= LONGEST_TIMEOUT;
    read_duration(text)
        .filter(is_good)
        .ok_or_else(|| bad("timeout", text, "whole seconds, at most 5 minutes, such as 30s"))
}

impl OneOrMore {
    fn secrets(self) -> Result<Vec<Secret>, ApiError> {
        let texts = match self {
            Self::One(text) => vec![text],
            Self::More(texts) => texts,
        };
        let read: Option<Vec<Secret>> = texts.iter().map(|text| Secret::parse(text)).collect();
        // The value is not repeated: it may be all but the prefix of a secret.
        read.filter(|secrets| (1..=MOST_SECRETS).contains(&secrets.len())).ok_or_else(|| {
            wrong("the member 'secret': expected whsec_ and base64 of 24 to 64 bytes, or a list of 1 to 4 such texts")
        })
    }
}

impl RetryWish {
    fn retry(self) -> Result<Retry, ApiError> {
        let usual = Retry::default();
        let delay = |member: &str, text: Option<&str>, usual| {
            let good = |text: &str| {
                let delay = read_duration(text).filter(|delay| (SHORTEST_DELAY..=LONGEST_DELAY).contains(delay));
                delay.ok_or_else(|| bad(member, text, "a duration from 10ms to 24h"))
            };
            text.map_or(Ok(usual), good)
        };
        let first = delay("delay", self.delay.as_deref(), usual.delay)?;
        let longest_delay = delay("longestDelay", self.longest_delay.as_deref(), usual.longest_delay.max(first))?;
        let within = match self.within.as_deref() {
            None => usual.within,
            Some(text) => read_duration(text)
                .filter(|time| *time <= LONGEST_TIME)
                .ok_or_else(|| bad("within", text, "a duration of at most 30d"))?,
        };
        Ok(Retry { attempts: self.attempts.unwrap_or(usual.attempts), within, delay: first, longest_delay })
    }
}

fn headers(wanted: BTreeMap<String, String>) -> Result<Vec<(String, String)>, ApiError> {
    let length: usize = wanted.iter().map(|(name, value)| name.len() + value.len()).sum();
    if wanted.len() > MOST_HEADERS || length > LONGEST_HEADERS {
        return Err(wrong("the member 'headers': expected at most 32 headers, of 8 KiB together"));
    }
    let mut read = BTreeMap::new();
    for (name, value) in wanted {
        let name = match HeaderName::try_from(&name) {
            Ok(known) if !is_taken(known.as_str()) => known,
            Ok(_) => return Err(bad("headers", &name, "headers that the server does not set itself")),
            Err(_) => return Err(bad("headers", &name, "names of headers")),
        };
        let is_text = value.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t');
        if !is_text || HeaderValue::try_from(&value).is_err() {
            return Err(wrong(&format!("the value of the header '{name}': expected printable ASCII")));
        }
        if read.insert(name.as_str().to_owned(), value).is_some() {
            return Err(bad("headers", name.as_str(), "each header once"));
        }
    }
    Ok(read.into_iter().collect())
}

fn is_taken(name: &str) -> bool {
    TAKEN_HEADERS.contains(&name) || TAKEN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
