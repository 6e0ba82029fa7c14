//! The MQ service provider: one request to a service becomes messages put and got, and an answer.
//!
//! `put.rs` makes and puts messages, `one_way.rs` and `two_way.rs` tell the stories, `receive.rs` turns messages into
//! bodies, `backout.rs` sees to those that cannot be turned, `late.rs` to replies nobody waits for any more.
//!
//! Invariants
//! - Nothing is put when the answer is 4xx.
//! - A message is consumed only once the answer it becomes is complete; before that it is under syncpoint, and dropping
//!   the future of `invoke`, as when the client goes away, puts it back.
//! - What cannot be converted is backed out, never lost.

pub mod answer;
pub mod environment;
pub mod request;

use model::authority::Principal;

use crate::definition::Service;

use self::answer::ServiceAnswer;
use self::environment::Environment;
use self::request::ServiceRequest;

/// Serves one request. Whether the service is started, and whether the caller may use it, has been asked before.
pub async fn invoke(
    environment: &Environment,
    service: &Service,
    caller: &Principal,
    request: ServiceRequest<'_>,
) -> ServiceAnswer {
    let _ = (environment, service, caller, request);
    ServiceAnswer::failed(&crate::error::ServiceError::internal(&service.name))
}
