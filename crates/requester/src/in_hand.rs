//! Calls of a server that was started for tests: recorded, or answered by what was recorded (`test_control::exchanges`).
//!
//! A call is recorded without what says who it comes from. The headers of an answer are kept but for those that are about the connection.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use test_control::TestControl;
use test_control::exchanges::{Answered, Asked, Mode};

use crate::call::Call;
use crate::client::{Inbound, Outbound};
use crate::endpoint::Endpoint;
use crate::error::RequesterError;
use crate::requesters::Requesters;

impl Requesters {
    /// As `authorized`, of a server that was started for tests.
    pub(crate) async fn in_hand(
        &self,
        control: &TestControl,
        endpoint: &Endpoint,
        outbound: &mut Outbound,
        call: &Call<'_>,
    ) -> Result<Inbound, RequesterError> {
        let asked = Asked {
            requester: call.name.to_owned(),
            method: outbound.method.as_str().to_owned(),
            path: outbound.target.clone(),
            body: Some(outbound.body.to_vec()),
        };
        match control.exchanges.mode() {
            Mode::Off => self.authorized(endpoint, outbound, call).await,
            Mode::Record => {
                let inbound = self.authorized(endpoint, outbound, call).await?;
                control.exchanges.keep(asked, answered(&inbound));
                Ok(inbound)
            }
            Mode::Replay => {
                let found = control.exchanges.replay(&asked);
                found.map(inbound).ok_or_else(|| {
                    let problem = format!("calls are replayed, and no {} {} was recorded", asked.method, asked.path);
                    RequesterError::unreachable(&endpoint.id, &problem)
                })
            }
        }
    }
}

fn answered(inbound: &Inbound) -> Answered {
    let is_of_connection = |name: &HeaderName| {
        [header::CONNECTION, header::TRANSFER_ENCODING, header::CONTENT_LENGTH, header::DATE].contains(name)
    };
    let lasting = inbound.headers.iter().filter(|(name, _)| !is_of_connection(name));
    let headers =
        lasting.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    Answered { status: inbound.status.as_u16(), headers: headers.collect(), body: inbound.body.to_vec() }
}

fn inbound(answered: Answered) -> Inbound {
    let mut headers = HeaderMap::new();
    for (name, value) in &answered.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    let status = StatusCode::from_u16(answered.status).unwrap_or(StatusCode::BAD_GATEWAY);
    Inbound::of_recording(status, headers, Bytes::from(answered.body))
}
