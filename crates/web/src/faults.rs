//! Faults of a server that was started for tests, where a request begins and ends: a delay, a status in place of the answer, or a connection
//! that is cut before or after the request.
//!
//! Which request is hit, the rules decide (`test_control::faults`). The resources below `/api/v1/test` are never hit, so that rules can
//! always be taken away.

use std::borrow::Cow;
use std::convert::Infallible;
use std::time::Duration;

use http::StatusCode;
use http::request::Parts;
use telemetry::Span;
use test_control::TestControl;
use test_control::faults::{Moment, Purpose, RequestFault};

use crate::answer::{self, Answer};
use crate::routes::{Handler, Matched, ZosConnectHandler};
use crate::server::Shared;
use crate::service::Connected;
use crate::zosconnect::invoke::decoded;

/// What a rule does to a request; its span tells which rule.
pub(crate) fn of_request(
    control: &TestControl,
    connected: &Connected,
    parts: &Parts,
    matched: Matched<'_>,
    span: Option<&mut Span>,
) -> Option<(Duration, RequestFault)> {
    if !control.faults.has_rules() || matched.route.handler.is_of_tests() {
        return None;
    }
    let path = parts.uri.path();
    let own = purpose(&connected.shared, matched, path);
    let names: Vec<(Purpose, &str)> =
        own.iter().map(|(purpose, name)| (*purpose, &**name)).chain([(Purpose::Path, path)]).collect();
    let (hit, fault) = control.faults.of_request(&names)?;
    if let Some(span) = span {
        span.hit(hit.rule, hit.delay);
        if let RequestFault::Drop(_) = fault {
            span.failed("a rule of tests cuts the connection");
        }
    }
    Some((hit.delay, fault))
}

/// Answers a request, as a rule lets it.
pub(crate) async fn around<F: Future<Output = Answer>>(
    fault: Option<(Duration, RequestFault)>,
    connected: &Connected,
    go: impl FnOnce() -> F,
) -> Answer {
    let Some((delay, fault)) = fault else { return go().await };
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    match fault {
        RequestFault::Late => go().await,
        RequestFault::Status(status) => answer::empty(StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY)),
        RequestFault::Drop(moment) => {
            if moment == Moment::After {
                drop(go().await);
            }
            match cut(connected).await {}
        }
    }
}

/// What a request is for, beside its path, and the name of that.
fn purpose<'p>(shared: &Shared, matched: Matched<'p>, path: &'p str) -> Option<(Purpose, Cow<'p, str>)> {
    let Handler::ZosConnect(handler) = matched.route.handler else { return None };
    let registry = &shared.services.registry;
    match handler {
        ZosConnectHandler::InvokeService => Some((Purpose::Service, decoded(matched.parameters[0]))),
        ZosConnectHandler::InvokeByPath => {
            let deployed = registry.service_of_uri(path)?;
            Some((Purpose::Service, deployed.content.service.name.clone().into()))
        }
        ZosConnectHandler::CallApi => {
            let (deployed, _) = registry.api_of_path(path)?;
            Some((Purpose::Api, deployed.content.name.clone().into()))
        }
        ZosConnectHandler::CallRequester => Some((Purpose::ApiRequester, decoded(matched.parameters[0]))),
        _ => None,
    }
}

/// Ends the connection, and with it this task.
async fn cut(connected: &Connected) -> Infallible {
    connected.peer.watch.give_up();
    std::future::pending().await
}
