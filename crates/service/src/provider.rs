//! The MQ service provider: one request to a service becomes messages put and got, and an answer.
//!
//! `outgoing.rs` makes messages of requests and `incoming.rs` bodies of messages; `one_way.rs` and `two_way.rs` tell the
//! stories; `backout.rs` sees to messages that cannot become bodies, `late.rs` to replies nobody waits for any more.
//!
//! Invariants
//! - Nothing is put when the answer is 4xx.
//! - A message is consumed only once the answer it becomes is complete; before that it is under syncpoint, and dropping
//!   the future of `invoke`, as when the client goes away, puts it back.
//! - What cannot be converted is backed out, never lost.
//! - A request is served on the thread that called `invoke`: nothing is spawned.

pub mod answer;
pub mod environment;
pub mod request;

mod backout;
mod header;
mod incoming;
mod late;
mod one_way;
mod outgoing;
mod two_way;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use connection::error::ConnectionError;
use connection::pool::Pool;
use connection::target::User;
use model::authority::Principal;
use model::options::ObjectDescriptor;
use model::reason::Reason;

use crate::definition::{Kind, QueueAddress, Service, ServiceUser, Wait};
use crate::error::ServiceError;

use self::answer::ServiceAnswer;
use self::environment::Environment;
use self::one_way::Taking;
use self::request::{Method, ServiceRequest};

/// Serves one request. Whether the service is started, and whether the caller may use it, has been asked before.
pub async fn invoke(
    environment: &Environment,
    service: &Service,
    caller: &Principal,
    request: &ServiceRequest<'_>,
) -> ServiceAnswer {
    let call = Call { environment, service, caller, request };
    let answer = match (&service.provider.kind, call.request.method) {
        (Kind::TwoWay { .. }, _) => two_way::exchange(&call).await,
        (Kind::Put, _) | (Kind::Queue | Kind::Topic, Method::Post) => one_way::send(&call).await,
        (Kind::Get, _) | (Kind::Queue, Method::Delete) => one_way::receive(&call, Taking::Away).await,
        (Kind::Queue, Method::Get) => one_way::receive(&call, Taking::Nothing).await,
        (Kind::Queue | Kind::Topic, method) => Err(ServiceError::method(method.as_str(), &service.name)),
    };
    answer.unwrap_or_else(|error| {
        error.log("service", &service.name);
        ServiceAnswer::failed(error)
    })
}

/// One request.
struct Call<'a> {
    environment: &'a Environment,
    service: &'a Service,
    caller: &'a Principal,
    request: &'a ServiceRequest<'a>,
}

/// How long to wait, and what it means when that is over.
#[derive(Debug, Clone, Copy)]
struct Patience {
    wait: Duration,
    /// The server's limit for requests is shorter than what was asked for.
    is_cut_short: bool,
}

impl Call<'_> {
    /// Whose authority counts.
    fn user(&self) -> User<'_> {
        match &self.service.provider.user {
            ServiceUser::Server => User::Server(Cow::Borrowed(&self.environment.server)),
            ServiceUser::Caller => User::Caller(Cow::Borrowed(self.caller)),
            ServiceUser::Named { user, password } => User::Named {
                principal: Cow::Owned(self.environment.principal(user)),
                password: Cow::Borrowed(password),
            },
        }
    }

    /// # Errors
    /// The header that overrides the service's own interval is no number.
    fn patience(&self) -> Result<Patience, ServiceError> {
        let stated = self.service.provider.wait;
        let wait = match header::wait_interval(&self.request.headers)? {
            Some(overriding) if stated != Wait::None => overriding,
            _ => stated,
        };
        let limit = self.environment.request_timeout();
        Ok(match wait {
            Wait::None => Patience { wait: Duration::ZERO, is_cut_short: false },
            Wait::For(wait) if wait <= limit => Patience { wait, is_cut_short: false },
            Wait::For(_) | Wait::Unlimited => Patience { wait: limit, is_cut_short: true },
        })
    }

    /// The answer when nothing came in time.
    ///
    /// # Errors
    /// 504: the server's limit ended the wait.
    fn nothing(&self, patience: Patience) -> Result<ServiceAnswer, ServiceError> {
        if patience.is_cut_short {
            return Err(ServiceError::timed_out(&patience.wait.as_millis().to_string()));
        }
        Ok(ServiceAnswer::nothing())
    }

    /// The connections of the service's queue manager that are made for the user.
    fn pool(&self, user: &User<'_>) -> Result<Arc<Pool>, ServiceError> {
        let pool = self.environment.connections.pool(&self.service.provider.target, user);
        pool.map_err(|error| self.failed("connect to", "", &error))
    }

    /// What a caller is told when a verb fails. `object` is the queue or topic it was about.
    fn failed(&self, verb: &str, object: &str, error: &ConnectionError) -> ServiceError {
        if !error.is_about_connecting() {
            return self.verb_failed(verb, object, error);
        }
        let told = self.verb_failed("connect to", &self.service.provider.target.to_string(), error);
        if told.status == 403 { told } else { ServiceError { status: 503, ..told } }
    }

    fn verb_failed(&self, verb: &str, object: &str, error: &ConnectionError) -> ServiceError {
        let service = &self.service.name;
        let reason = error.reason();
        let told = match reason {
            Reason::NotAuthorized => ServiceError::not_authorized(self.user().principal().user.as_ref()),
            Reason::UnknownObjectName
            | Reason::UnknownAliasBaseQ
            | Reason::UnknownObjectQMgr
            | Reason::UnknownRemoteQMgr => ServiceError::name_not_found(service, object),
            Reason::MsgTooBigForQ | Reason::MsgTooBigForQMgr | Reason::MsgTooBigForChannel => {
                ServiceError { status: 400, ..ServiceError::queue_manager(service, verb, object, &reason.to_string()) }
            }
            _ if error.is_lost() => {
                ServiceError { status: 503, ..ServiceError::queue_manager(service, verb, object, &reason.to_string()) }
            }
            _ => ServiceError::queue_manager(service, verb, object, &reason.to_string()),
        };
        told.with_details(format!("{verb} {object}: {error}"))
    }
}

/// A queue as MQOPEN names it.
fn object_of(address: &QueueAddress, selector: &str) -> ObjectDescriptor {
    ObjectDescriptor {
        name: address.queue,
        queue_manager: address.queue_manager,
        selector: selector.to_owned(),
        ..ObjectDescriptor::default()
    }
}
