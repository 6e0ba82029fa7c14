//! The login resource: hand out the token cookie, show who holds it, take it back.
//!
//! On v1 the answers to POST and GET also set the cookie `csrfToken` of the 9.0.x rule; clients of later releases
//! do not look at it.

use http::{HeaderValue, StatusCode, header};
use identity::authenticator::{LoginError, Mechanism};
use identity::{Identity, Roles, role};
use model::authority::Principal;
use queue_manager::ConnectOptions;
use serde::{Deserialize, Serialize};

use crate::answer::{self, Answer};
use crate::cookie::{self, Tokens};
use crate::csrf;
use crate::error::{self, ApiError};
use crate::media_type;
use crate::messaging::pools::APPLICATION_NAME;
use crate::query;
use crate::request_body::RequestBody;
use crate::routes::Version;
use crate::service::Call;

/// Longest body POST /login reads, in bytes.
const LONGEST_LOGIN: usize = 64 << 10;

#[derive(Deserialize)]
struct Login {
    username: String,
    password: String,
}

#[derive(Serialize)]
struct Shown<'a> {
    user: [User<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct User<'a> {
    name: &'a str,
    role: Vec<&'static str>,
    authentication_mechanism: &'static str,
}

/// POST: 204 and the cookie.
///
/// # Errors
/// 415 not JSON; 400 not an object with two strings; 401 wrong; 429 wrong ones came before it; 403 the user has no role at all; 503 it
/// cannot be checked now.
pub(crate) async fn login(call: Call<'_>, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    media_type::require_json(call.headers())?;
    let limits = &call.settings.options.limits;
    let body = body.read(limits, LONGEST_LOGIN.min(limits.body_bytes)).await?;
    let Login { username, password } = serde_json::from_slice(&body).map_err(|problem| not_valid(&problem))?;
    let authenticator = &call.settings.authenticator;
    let identity =
        authenticator.login(&username, &password, call.address, call.now).await.map_err(|error| match error {
            LoginError::WrongCredentials => {
                tell_of_refusal(call, &username);
                ApiError::new(&error::NOT_AUTHENTICATED, &[call.parts.uri.path()])
            }
            LoginError::Locked(locked) => ApiError::locked(locked),
            LoginError::Busy => ApiError::new(&error::TOO_BUSY, &[]),
            LoginError::Unavailable => ApiError::new(&error::USERS_UNAVAILABLE, &[]),
        })?;
    role::require(&identity, Roles::all()).map_err(|missing| ApiError::role(&missing))?;
    let mut answer = answer::empty(StatusCode::NO_CONTENT);
    if let Some(cookie) = cookie::of_identity(authenticator, &identity, call.now, call.over_tls) {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    add_csrf_cookie(call, &mut answer);
    Ok(answer)
}

/// The event of a wrong password, at the default queue manager if it wants such events (AUTHOREV): HTTP is nobody's alone.
pub(crate) fn tell_of_refusal(call: Call<'_>, user: &str) {
    if let Ok(queue_manager) = call.shared.queue_managers.admitting_one("") {
        queue_manager.password_refused(&ConnectOptions {
            principal: Principal::user(user),
            application_name: APPLICATION_NAME.to_owned(),
            application_type: 0,
            channel: String::new(),
            connection_name: call.address.to_string(),
        });
    }
}

/// Says where the JSON is wrong without repeating what it holds.
fn not_valid(problem: &serde_json::Error) -> ApiError {
    let text = match problem.classify() {
        serde_json::error::Category::Data => "username and password have to be given once, as strings".to_owned(),
        _ => format!("no JSON from line {} column {} on", problem.line(), problem.column()),
    };
    ApiError::new(&error::BODY_NOT_VALID, &[&text])
}

/// GET: name, roles and how the request was authenticated.
pub(crate) fn show(call: Call<'_>, identity: &Identity, mechanism: Mechanism) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let user = User {
        name: &identity.name,
        role: identity.roles.names().collect(),
        authentication_mechanism: mechanism.name(),
    };
    let body = serde_json::to_vec(&Shown { user: [user] }).expect("names and roles are text");
    let mut answer = answer::json(StatusCode::OK, body);
    add_csrf_cookie(call, &mut answer);
    Ok(answer)
}

/// DELETE: the tokens the request brought are worthless from now on, and the cookie is cleared.
pub(crate) fn logout(call: Call<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let authenticator = &call.settings.authenticator;
    for token in Tokens::of(call.headers(), authenticator.cookie_name()).as_slice() {
        authenticator.revoke(token, call.now);
    }
    let mut answer = answer::empty(StatusCode::NO_CONTENT);
    answer.headers_mut().append(header::SET_COOKIE, cookie::cleared(authenticator));
    if call.version == Version::V1 {
        answer.headers_mut().append(
            header::SET_COOKIE,
            HeaderValue::from_static("csrfToken=\"\"; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/"),
        );
    }
    Ok(answer)
}

fn add_csrf_cookie(call: Call<'_>, answer: &mut Answer) {
    if call.version == Version::V1 {
        answer.headers_mut().append(header::SET_COOKIE, csrf::set_cookie(&csrf::new_token(), call.over_tls));
    }
}
