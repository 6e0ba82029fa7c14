//! One call of a program: record to request, request to API, answer to record.
//!
//! Three kinds of outcome, each made in one place: what the API answered well, what it answered otherwise (its own words, and
//! untransformed), and what went wrong here.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use service::activity::Ending;
use tokio::time::Instant;

use crate::client::{self, ClientError, Inbound, Outbound};
use crate::conversion::{Group, RecordForm};
use crate::definition::{Operation, RequesterDefinition};
use crate::endpoint::Endpoint;
use crate::error::RequesterError;
use crate::mapping::{self, Room};
use crate::requesters::Requesters;
use crate::token::{Authorized, Credentials};

/// Bytes of a message that a program has room for.
const MESSAGE: usize = 1024;

/// What a program asks for.
#[derive(Debug)]
pub struct Call<'a> {
    /// Of the API requester.
    pub name: &'a str,
    /// Of the operation, as the document of the API has it: with its base path and its braces.
    pub path: &'a str,
    pub method: &'a str,
    /// `None`: what the archive says, big-endian and hexadecimal.
    pub form: Option<RecordForm>,
    pub record: Bytes,
    pub credentials: Credentials,
    /// The program has no use for what is behind the last value of a table at the end of the record.
    pub short_record: bool,
    /// Longest answer of an API, in bytes.
    pub maximum_answer: usize,
}

/// BAQ-RETURN-CODE, as far as servers give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReturnCode {
    Success = 0,
    ErrorInApi = 1,
    ErrorInServer = 2,
}

/// What a program gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub return_code: ReturnCode,
    /// BAQ-STATUS-CODE.
    pub status: u16,
    /// The record, or the message in UTF-8.
    pub body: Bytes,
    /// Bytes of a record before its data areas, where it can have some.
    pub base: Option<usize>,
}

impl Outcome {
    pub fn failed(error: &RequesterError) -> Self {
        Self {
            return_code: ReturnCode::ErrorInServer,
            status: error.status,
            body: error.to_string().into(),
            base: None,
        }
    }
}

impl Requesters {
    /// Calls an API. What goes wrong is an outcome like any other.
    pub async fn call(&self, call: Call<'_>) -> Outcome {
        let Some(deployed) = self.shelf.lookup(call.name) else {
            return Outcome::failed(&RequesterError::requester_unknown(call.name));
        };
        let Some(in_flight) = deployed.activity.admit(Instant::now()) else {
            return Outcome::failed(&RequesterError::requester_stopped(call.name));
        };
        let call_name = call.name;
        let outcome = self.serve(&deployed.content, call).await.unwrap_or_else(|error| {
            // The sentence may show bytes of the record.
            tracing::debug!(id = error.id, status = error.status, requester = call_name, "a call failed");
            Outcome::failed(&error)
        });
        in_flight.ended(Ending { status: outcome.status, said: &outcome.body, is_unanswered: false });
        outcome
    }

    async fn serve(&self, definition: &RequesterDefinition, call: Call<'_>) -> Result<Outcome, RequesterError> {
        let name = definition.name.as_str();
        let operation = definition
            .operation(call.method, call.path)
            .ok_or_else(|| RequesterError::operation_unknown(name, call.method, call.path))?;
        let endpoint = self.endpoint(definition)?;
        if operation.length() > call.maximum_answer {
            return Err(RequesterError::record_too_long(name, &call.maximum_answer.to_string()));
        }
        let plans =
            operation.plans(call.form).map_err(|error| RequesterError::request_data(name, &error.to_string()))?;
        let base = match endpoint.base_path.as_str() {
            "" => Cow::Borrowed(operation.base_path.as_str()),
            prefix => Cow::Owned(format!("{prefix}{}", operation.base_path)),
        };
        let mapped = mapping::request(
            &mapping::Operation {
                base: &base,
                path: &operation.path,
                parameters: &operation.binding.parameters,
                media_type: &operation.media_type,
            },
            plans.request.as_ref(),
            &call.record,
        )
        .map_err(|error| RequesterError::request_data(name, &error.to_string()))?;
        let mut outbound = Outbound {
            method: operation.method.clone(),
            target: mapped.target,
            headers: mapped.headers,
            body: mapped.body,
        };
        let inbound = match self.test_control.get() {
            None => self.authorized(&endpoint, &mut outbound, &call).await?,
            Some(control) => Box::pin(self.in_hand(control, &endpoint, &mut outbound, &call)).await?,
        };
        let room = Room { is_short: call.short_record, limit: call.maximum_answer };
        answer(name, operation, &plans, inbound, room)
    }

    /// Sends the request with what says who it comes from; once more with a new token when the API refuses one that had been
    /// kept.
    pub(crate) async fn authorized(
        &self,
        endpoint: &Endpoint,
        outbound: &mut Outbound,
        call: &Call<'_>,
    ) -> Result<Inbound, RequesterError> {
        let send = async |outbound: Outbound| {
            let sent = client::send(&endpoint.site, outbound, call.maximum_answer).await;
            endpoint.note(sent.as_ref().err());
            sent.map_err(|error| told(call.name, endpoint, &error))
        };
        if endpoint.authentication.is_empty() {
            return send(std::mem::replace(outbound, nothing())).await;
        }
        let used = self.authorize(endpoint, outbound, &call.credentials).await?;
        let inbound = send(outbound.clone()).await?;
        let is_refused = inbound.status == StatusCode::UNAUTHORIZED;
        // All of them are asked: each has to be given up.
        let worth_a_try = is_refused && used.iter().filter(|one| endpoint.tokens.refused(one)).count() > 0;
        if !worth_a_try {
            return Ok(inbound);
        }
        self.authorize(endpoint, outbound, &call.credentials).await?;
        send(std::mem::replace(outbound, nothing())).await
    }

    async fn authorize(
        &self,
        endpoint: &Endpoint,
        outbound: &mut Outbound,
        credentials: &Credentials,
    ) -> Result<Vec<Authorized>, RequesterError> {
        let mut used = Vec::with_capacity(endpoint.authentication.len());
        for authentication in &endpoint.authentication {
            let authorized = endpoint.tokens.authorize(authentication, credentials, &*self.clock).await?;
            outbound.headers.insert(authorized.name.clone(), authorized.value.clone());
            used.push(authorized);
        }
        Ok(used)
    }

    fn endpoint(&self, definition: &RequesterDefinition) -> Result<Arc<Endpoint>, RequesterError> {
        let configured = self.settings.read();
        let own = configured.requesters.get(&definition.name).and_then(|own| own.connection.as_deref());
        let connection = own.unwrap_or(&definition.connection);
        let unknown = || RequesterError::connection_unknown(&definition.name, connection);
        configured.endpoints.connections.get(connection).map(Arc::clone).ok_or_else(unknown)
    }
}

fn nothing() -> Outbound {
    Outbound { method: http::Method::GET, target: String::new(), headers: http::HeaderMap::new(), body: Bytes::new() }
}

/// What the API answered, as the program gets it.
fn answer(
    name: &str,
    operation: &Operation,
    plans: &crate::definition::Plans,
    inbound: Inbound,
    room: Room,
) -> Result<Outcome, RequesterError> {
    let status = inbound.status.as_u16();
    let base = plans.response.as_ref().and_then(crate::conversion::Converter::base);
    let success = |body| Ok(Outcome { return_code: ReturnCode::Success, status, body, base });
    let is_success = inbound.status.is_success();
    let group = match (&operation.binding.response, &plans.response) {
        // Any answer that is described is converted.
        (Some(_), Some(converter)) if converter.is_by_status() => match converter.answer(status) {
            None if !is_success || !inbound.body.is_empty() => return Ok(in_api(&inbound)),
            group => group,
        },
        _ if !is_success => return Ok(in_api(&inbound)),
        // Another success than the described one is never transformed.
        (Some(described), Some(_))
            if status != described.code && !described.every_success && !inbound.body.is_empty() =>
        {
            return Ok(in_api(&inbound));
        }
        _ => Some(Group::Body),
    };
    let Some(converter) = &plans.response else { return success(Bytes::new()) };
    let (record, missing) = mapping::response(converter, &inbound, group, room)
        .map_err(|error| RequesterError::response_data(name, &error.to_string()))?;
    if missing > 0 {
        tracing::debug!(requester = name, operation = operation.id, missing, "an answer lacks required members");
    }
    success(record.into())
}

fn in_api(inbound: &Inbound) -> Outcome {
    let text = String::from_utf8_lossy(&inbound.body[..inbound.body.len().min(2 * MESSAGE)]);
    let message = text[..text.floor_char_boundary(MESSAGE)].to_owned();
    Outcome { return_code: ReturnCode::ErrorInApi, status: inbound.status.as_u16(), body: message.into(), base: None }
}

/// `name` is that of the API requester.
fn told(name: &str, endpoint: &Endpoint, error: &ClientError) -> RequesterError {
    let id = &endpoint.id;
    match error {
        ClientError::Unreachable(problem) => RequesterError::unreachable(id, problem),
        ClientError::ConnectTimeout(within) => RequesterError::connect_timeout(id, &within.as_secs_f64().to_string()),
        ClientError::ReceiveTimeout(within) => RequesterError::receive_timeout(id, &within.as_secs_f64().to_string()),
        ClientError::Broken(problem) => RequesterError::broken(id, problem),
        ClientError::Request(problem) => RequesterError::request_data(name, problem),
        ClientError::TooLong(limit) => RequesterError::too_long(id, &limit.to_string()),
    }
}
