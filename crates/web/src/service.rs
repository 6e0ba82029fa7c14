//! From request to answer: preflight, route, who asks, CSRF, role, handler, and what every answer carries.
//!
//! Order of checks: authentication (401), CSRF (403), role (403), syntax (400, 415), the queue manager.
//! Nothing here spawns, logs above debug or formats text while a request succeeds. A request's state lives in its
//! connection and is moved there whole, so handlers that are seldom used are boxed.

use std::convert::Infallible;
use std::sync::Arc;

use http::header::{self, HeaderMap};
use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode};
use hyper::body::Incoming;
use model::timestamp::Timestamp;

use crate::answer::{self, Answer};
use crate::auth::csrf::{self, CSRF_HEADER, CsrfError, CsrfRule};
use crate::auth::{Credentials, Identity, Verdict, role};
use crate::connections::Watch;
use crate::error::{self, ApiError};
use crate::peer_certificate::PeerCertificate;
use crate::routes::{self, Access, Handler, Matched, Resolution, Version};
use crate::server::{Settings, Shared};
use crate::{admin, explorer, health, login, messaging, metrics, openapi, zosconnect};

/// Which listener a request came in by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    Https,
    Http,
    Metrics,
}

/// The other end of a connection.
pub(crate) struct Peer {
    pub(crate) door: Door,
    pub(crate) client_certificate: Option<PeerCertificate>,
    pub(crate) watch: Arc<Watch>,
}

impl Peer {
    fn over_tls(&self) -> bool {
        self.door == Door::Https
    }
}

/// Everything a handler may want to know of a request, its body excepted.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) settings: &'a Settings,
    pub(crate) parts: &'a Parts,
    pub(crate) version: Version,
    /// Path parts of the route, still percent-encoded.
    pub(crate) parameters: [&'a str; 2],
    pub(crate) over_tls: bool,
    pub(crate) now: Timestamp,
}

impl Call<'_> {
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    pub(crate) fn query(&self) -> Option<&str> {
        self.parts.uri.query()
    }
}

/// What hyper calls for each request of one connection.
pub(crate) fn for_connection(
    shared: Arc<Shared>,
    peer: Peer,
) -> impl hyper::service::Service<
    Request<Incoming>,
    Response = Answer,
    Error = Infallible,
    Future = impl Future<Output = Result<Answer, Infallible>> + Send + 'static,
> + Send
+ 'static {
    let connection = Arc::new((shared, peer));
    hyper::service::service_fn(move |request| {
        let connection = Arc::clone(&connection);
        async move {
            let (shared, peer) = &*connection;
            let _in_request = peer.watch.request();
            Ok(answer_one(shared, peer, request).await)
        }
    })
}

async fn answer_one(shared: &Shared, peer: &Peer, request: Request<Incoming>) -> Answer {
    let started = metrics::moment();
    let settings = shared.settings();
    let (parts, body) = request.into_parts();
    let mut route_index = None;
    let mut answer = match settings.cors.preflight(&parts.method, &parts.headers) {
        Some(preflight) => preflight,
        None => route(shared, &settings, peer, &parts, body, &mut route_index).await,
    };
    let headers = answer.headers_mut();
    answer::finish(headers);
    settings.cors.decorate(&parts.headers, headers);
    shared.statistics.count(route_index, answer.status(), started);
    tracing::debug!(method = %parts.method, path = parts.uri.path(), status = answer.status().as_u16(), "answered");
    answer
}

async fn route(
    shared: &Shared,
    settings: &Settings,
    peer: &Peer,
    parts: &Parts,
    body: Incoming,
    route_index: &mut Option<usize>,
) -> Answer {
    let path = parts.uri.path();
    let unknown = || ApiError::new(&error::UNKNOWN_RESOURCE, &[path]).into_answer();
    let resolution = match zosconnect::invoke::by_name(path, parts.uri.query()) {
        Some(matched) => Resolution::Found(matched),
        None => routes::resolve(&parts.method, path),
    };
    let matched = match resolution {
        Resolution::Found(matched) => matched,
        Resolution::WrongMethod(allow) if parts.method == Method::OPTIONS => return options(allow),
        Resolution::WrongMethod(allow) => {
            return ApiError::method(parts.method.as_str(), path, allow).into_answer();
        }
        Resolution::Unknown => match zosconnect::invoke::by_path(&shared.services, path) {
            Some(matched) => matched,
            None => match zosconnect::call::by_base_path(&shared.services, &parts.method, path) {
                Some(matched) => matched,
                None => return unknown(),
            },
        },
    };
    if peer.door == Door::Metrics && !matched.route.handler.is_for_monitoring() {
        return unknown();
    }
    *route_index = matched.index;
    let call = Call {
        shared,
        settings,
        parts,
        version: matched.version,
        parameters: matched.parameters,
        over_tls: peer.over_tls(),
        now: shared.now(),
    };
    guarded(call, peer, matched, body).await
}

/// An OPTIONS request that is no preflight: which methods the resource has.
fn options(allow: HeaderValue) -> Answer {
    let mut answer = answer::empty(StatusCode::OK);
    answer.headers_mut().insert(header::ALLOW, allow);
    answer
}

async fn guarded(call: Call<'_>, peer: &Peer, matched: Matched<'_>, body: Incoming) -> Answer {
    if matched.route.access == Access::Everybody {
        let handled = Box::pin(handle_public(call, matched.route.handler, body)).await;
        return handled.unwrap_or_else(ApiError::into_answer);
    }
    let authenticator = &call.settings.authenticator;
    let credentials = Credentials {
        headers: &call.parts.headers,
        client_certificate: peer.client_certificate.as_ref().and_then(|it| it.identity(&call.shared.client_verifier)),
        over_tls: call.over_tls,
    };
    let mut verdict = authenticator.authenticate(&credentials, call.now);
    if matches!(verdict, Verdict::Slow) {
        verdict = Box::pin(authenticator.authenticate_slow(&credentials, call.now)).await;
    }
    let Verdict::Identified { identity, mechanism, set_cookie } = verdict else {
        return refused(call, &verdict);
    };
    let mut answer = match check(call, matched, &identity) {
        Ok(()) => handle(call, matched.route.handler, &identity, mechanism, body).await,
        Err(_) if zosconnect::invoke::serves(matched.route.handler) => Ok(zosconnect::invoke::forbidden(&identity)),
        Err(error) => Err(error),
    }
    .unwrap_or_else(ApiError::into_answer);
    if set_cookie
        && matched.route.handler != Handler::Logout
        && let Some(cookie) = authenticator.mint_cookie(&identity, call.now, call.over_tls)
    {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    answer
}

/// 401 for credentials that are absent or bad; 503 when they cannot be checked now.
fn refused(call: Call<'_>, verdict: &Verdict) -> Answer {
    let authenticator = &call.settings.authenticator;
    match verdict {
        Verdict::BadToken => {
            let error = ApiError::new(&error::TOKEN_FAILED, &[authenticator.cookie_name()]);
            let mut answer = error.into_answer();
            answer.headers_mut().insert(header::SET_COOKIE, authenticator.clear_cookie());
            answer
        }
        Verdict::BadBasic => ApiError::new(&error::BASIC_FAILED, &[]).into_answer(),
        Verdict::Busy => ApiError::new(&error::TOO_BUSY, &[]).into_answer(),
        Verdict::Unavailable => ApiError::new(&error::USERS_UNAVAILABLE, &[]).into_answer(),
        Verdict::NoCredentials | Verdict::Slow | Verdict::Identified { .. } => {
            ApiError::new(&error::NOT_AUTHENTICATED, &[call.parts.uri.path()]).into_answer()
        }
    }
}

/// CSRF, then the role.
fn check(call: Call<'_>, matched: Matched<'_>, identity: &Identity) -> Result<(), ApiError> {
    let rule = if call.settings.options.web.csrf_validation.0 { matched.route.csrf } else { CsrfRule::Off };
    csrf::check(rule, &call.parts.method, &call.parts.headers).map_err(|error| {
        let entry = match error {
            CsrfError::Missing => &error::CSRF_HEADER_MISSING,
            CsrfError::Mismatch => &error::CSRF_HEADER_MISMATCH,
        };
        ApiError::new(entry, &[CSRF_HEADER.as_str()])
    })?;
    match matched.route.access {
        Access::Role(required) => role::require(identity, required).map_err(|missing| ApiError::role(&missing)),
        Access::Everybody | Access::Identified => Ok(()),
    }
}

async fn handle_public(call: Call<'_>, handler: Handler, body: Incoming) -> Result<Answer, ApiError> {
    match handler {
        Handler::Login => login::login(call, body).await,
        Handler::Live => Ok(health::live()),
        Handler::Ready => health::ready(call.shared, call.query()),
        Handler::Metrics => Ok(metrics::expose(call.shared)),
        Handler::OpenApi => Ok(openapi::document()),
        Handler::Docs => openapi::docs(call),
        Handler::Explorer => Ok(explorer::page()),
        Handler::ExplorerStyle => Ok(explorer::style()),
        Handler::ExplorerScript => Ok(explorer::script()),
        Handler::Root => Ok(explorer::lead_there()),
        Handler::ApiDocument => Ok(zosconnect::call::public(call)),
        Handler::ZosConnectDocs => Ok(openapi::zosconnect(call)),
        Handler::PutMessage
        | Handler::GetMessage
        | Handler::BrowseMessage
        | Handler::ListMessages
        | Handler::PublishMessage
        | Handler::RunMqsc
        | Handler::ShowInstallation
        | Handler::ListQueueManagers
        | Handler::ShowQueueManager
        | Handler::DumpDefinitions
        | Handler::ListQueues
        | Handler::ShowQueue
        | Handler::CreateQueue
        | Handler::AlterQueue
        | Handler::DeleteQueue
        | Handler::ListChannels
        | Handler::ShowChannel
        | Handler::ListSubscriptions
        | Handler::ShowSubscription
        | Handler::ShowLogin
        | Handler::Logout
        | Handler::InvokeService
        | Handler::InvokeByPath
        | Handler::CallApi
        | Handler::ListServices
        | Handler::DeployService
        | Handler::ShowService
        | Handler::ChangeService
        | Handler::DeleteService
        | Handler::ShowServiceSchema
        | Handler::ShowServiceStatistics
        | Handler::ListApis
        | Handler::DeployApi
        | Handler::ShowApi
        | Handler::ChangeApi
        | Handler::DeleteApi => Err(ApiError::new(&error::NOT_AUTHENTICATED, &[call.parts.uri.path()])),
    }
}

async fn handle(
    call: Call<'_>,
    handler: Handler,
    identity: &Identity,
    mechanism: crate::auth::Mechanism,
    body: Incoming,
) -> Result<Answer, ApiError> {
    match handler {
        Handler::PutMessage => messaging::put::put(call, identity, body).await,
        Handler::GetMessage => messaging::get::get(call, identity).await,
        Handler::BrowseMessage => messaging::browse::browse(call, identity).await,
        Handler::ListMessages => Box::pin(messaging::list::list(call, identity)).await,
        Handler::PublishMessage => Box::pin(messaging::publish::publish(call, identity, body)).await,
        Handler::RunMqsc => Box::pin(admin::mqsc::run(call, identity, body)).await,
        Handler::ShowInstallation => admin::installation::show(call),
        Handler::ListQueueManagers | Handler::ShowQueueManager => admin::queue_manager::show(call, identity),
        Handler::DumpDefinitions => admin::definitions::show(call),
        Handler::ListQueues | Handler::ShowQueue => admin::queue::show(call, identity),
        Handler::CreateQueue => Box::pin(admin::queue_change::create(call, identity, body)).await,
        Handler::AlterQueue => Box::pin(admin::queue_change::alter(call, identity, body)).await,
        Handler::DeleteQueue => Box::pin(admin::queue_change::delete(call, identity)).await,
        Handler::ListChannels | Handler::ShowChannel => admin::channel::show(call, identity),
        Handler::ListSubscriptions | Handler::ShowSubscription => admin::subscription::show(call, identity),
        Handler::ShowLogin => login::show(call, identity, mechanism),
        Handler::Logout => login::logout(call),
        Handler::InvokeService | Handler::InvokeByPath => {
            Box::pin(zosconnect::invoke::invoke(call, handler, identity, body)).await
        }
        Handler::CallApi => Box::pin(zosconnect::call::call_api(call, identity, body)).await,
        Handler::ListServices => Ok(zosconnect::services::list(call)),
        Handler::ShowService => Ok(zosconnect::services::show(call)),
        Handler::ShowServiceSchema => Ok(zosconnect::services::show_schema(call)),
        Handler::ShowServiceStatistics => Ok(zosconnect::services::all_statistics(call)),
        Handler::DeployService => Box::pin(zosconnect::services::deploy(call, body)).await,
        Handler::ChangeService => Box::pin(zosconnect::services::change(call, body)).await,
        Handler::DeleteService => Ok(Box::pin(zosconnect::services::delete(call)).await),
        Handler::ListApis => Ok(zosconnect::apis::list(call)),
        Handler::ShowApi => Ok(zosconnect::apis::show(call)),
        Handler::DeployApi => Box::pin(zosconnect::apis::deploy(call, body)).await,
        Handler::ChangeApi => Box::pin(zosconnect::apis::change(call, body)).await,
        Handler::DeleteApi => Ok(Box::pin(zosconnect::apis::delete(call)).await),
        Handler::ApiDocument
        | Handler::ZosConnectDocs
        | Handler::Login
        | Handler::Live
        | Handler::Ready
        | Handler::Metrics
        | Handler::OpenApi
        | Handler::Docs
        | Handler::Explorer
        | Handler::ExplorerStyle
        | Handler::ExplorerScript
        | Handler::Root => Box::pin(handle_public(call, handler, body)).await,
    }
}
