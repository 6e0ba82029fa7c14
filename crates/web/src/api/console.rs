//! What the console asks for beside messages and objects. Each resource is for programs, too.
//!
//! Never here: the page and its assets (`crate::console`).

mod connect_card;
mod grammar;
mod log;
mod session;

use http::StatusCode;
use identity::Identity;
use identity::authenticator::Mechanism;

use crate::answer::Answer;
use crate::error::ApiError;
use crate::routes::{ConsoleHandler, Handler};
use crate::service::Call;

pub(crate) async fn handle(
    call: Call<'_>,
    handler: ConsoleHandler,
    identity: &Identity,
    mechanism: Mechanism,
) -> Result<Answer, ApiError> {
    match handler {
        ConsoleHandler::Session => session::show(call, identity, mechanism),
        ConsoleHandler::Grammar => grammar::show(call),
        ConsoleHandler::Log => log::show(call),
        ConsoleHandler::ConnectCard => connect_card::show(call, identity).await,
    }
}

/// Adds the ways to sign in to the refusal of a request for the session that has not signed in.
pub(crate) fn add_ways(call: Call<'_>, handler: Handler, refusal: ApiError) -> ApiError {
    let is_of_session = handler == Handler::Console(ConsoleHandler::Session);
    if is_of_session && refusal.status() == StatusCode::UNAUTHORIZED {
        refusal.with_member("signIn", session::ways(call))
    } else {
        refusal
    }
}
