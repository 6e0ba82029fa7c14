//! `/api/v1/test/exchanges`: calls of APIs by API requesters, recorded and replayed for tests of applications.
//!
//! Bodies are texts where they are UTF-8, and base64 otherwise.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use test_control::TestControl;
use test_control::exchanges::{Answered, Asked, Exchange, MOST, Mode};

use crate::answer::Answer;
use crate::error::{self, ApiError};

use super::deliveries::bad;
use super::json as answer_json;

/// What calls are to become, and by what.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wish {
    mode: Option<String>,
    /// In place of what is kept.
    exchanges: Option<Vec<Written>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    api_requester: String,
    method: String,
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_base64: Option<String>,
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer_base64: Option<String>,
    #[serde(default)]
    replayed: u64,
}

impl Written {
    fn of(exchange: &Exchange) -> Self {
        let Exchange { asked, answered, replayed } = exchange;
        let (request, request_base64) = asked.body.as_deref().map_or((None, None), text_or_base64);
        let (answer, answer_base64) = text_or_base64(&answered.body);
        Self {
            api_requester: asked.requester.clone(),
            method: asked.method.clone(),
            path: asked.path.clone(),
            request,
            request_base64,
            status: answered.status,
            headers: answered.headers.clone(),
            answer,
            answer_base64,
            replayed: *replayed,
        }
    }

    /// # Errors
    /// 400 a status that is none, or what is no base64.
    fn exchange(self) -> Result<Exchange, ApiError> {
        if StatusCode::from_u16(self.status).is_err() {
            return Err(bad("status", &self.status.to_string(), "a status of HTTP"));
        }
        let body = body_of("requestBase64", self.request, self.request_base64)?;
        let answer = body_of("answerBase64", self.answer, self.answer_base64)?;
        Ok(Exchange {
            asked: Asked { requester: self.api_requester, method: self.method, path: self.path, body },
            answered: Answered { status: self.status, headers: self.headers, body: answer.unwrap_or_default() },
            replayed: 0,
        })
    }
}

fn text_or_base64(bytes: &[u8]) -> (Option<String>, Option<String>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Some(text.to_owned()), None),
        Err(_) => (None, Some(STANDARD.encode(bytes))),
    }
}

fn body_of(member: &str, text: Option<String>, base64: Option<String>) -> Result<Option<Vec<u8>>, ApiError> {
    match (text, base64) {
        (Some(text), _) => Ok(Some(text.into_bytes())),
        (None, Some(encoded)) => {
            STANDARD.decode(&encoded).map(Some).map_err(|_| bad(member, &encoded, "bytes in base64"))
        }
        (None, None) => Ok(None),
    }
}

pub(super) fn show(control: &TestControl) -> Answer {
    let state = control.exchanges.state();
    let exchanges: Vec<Written> = state.kept.iter().map(Written::of).collect();
    let shown = json!({ "mode": state.mode.name(), "leftOut": state.left_out, "exchanges": exchanges });
    answer_json(StatusCode::OK, &shown)
}

/// # Errors
/// 400 an unknown mode, too many exchanges, or one that is none.
pub(super) fn set(control: &TestControl, wish: Wish) -> Result<Answer, ApiError> {
    let mode =
        wish.mode.as_deref().map(|name| Mode::parse(name).ok_or_else(|| bad("mode", name, "off, record or replay")));
    let mode = mode.transpose()?;
    if let Some(written) = wish.exchanges {
        if written.len() > MOST {
            return Err(ApiError::new(&error::BODY_NOT_VALID, &[&format!("there are more than {MOST} exchanges")]));
        }
        control.exchanges.set(written.into_iter().map(Written::exchange).collect::<Result<_, _>>()?);
    }
    if let Some(mode) = mode {
        control.exchanges.set_mode(mode);
    }
    Ok(show(control))
}
