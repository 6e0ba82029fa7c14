//! From request to answer: preflight, route, who asks, CSRF, role, handler, and what every answer carries.
//!
//! Order of checks: authentication (401), CSRF (403), role (403), syntax (400, 415), the queue manager.
//! Nothing here spawns, logs above debug or formats text while a request succeeds. A request's state lives in its
//! connection and is moved there whole, so handlers that are seldom used are boxed.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;

use http::header::{self, HeaderMap, HeaderName};
use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode};
use hyper::body::Incoming;
use identity::authenticator::{Credentials, Mechanism, Verdict};
use identity::{Identity, Roles, basic, role};
use model::timestamp::Timestamp;
use tokio::time::Instant;

use crate::answer::{self, Answer};
use crate::connections::Watch;
use crate::cookie::{self, Tokens};
use crate::csrf::{self, CSRF_HEADER, CsrfError, CsrfRule};
use crate::error::{self, ApiError, Form};
use crate::options::OpenTo;
use crate::peer_certificate::PeerCertificate;
use crate::progress::Progress;
use crate::request_body::RequestBody;
use crate::routes::{self, Access, Handler, Matched, PublicHandler, Resolution, Version};
use crate::server::{Settings, Shared};
use crate::traces::Traced;
use crate::{admin, api, book, console, faults, health, login, messaging, metrics, openapi, zosconnect};

/// The header that carries an API key; `Authorization: Bearer` does so, too.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Which listener a request came in by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    Https,
    Http,
    Metrics,
}

impl Door {
    /// As the log and metrics call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
            Self::Metrics => "metrics",
        }
    }
}

/// The other end of a connection.
pub(crate) struct Peer {
    pub(crate) door: Door,
    pub(crate) client_certificate: Option<PeerCertificate>,
    pub(crate) address: IpAddr,
    pub(crate) watch: Arc<Watch>,
}

impl Peer {
    /// It is on this machine.
    fn is_local(&self) -> bool {
        self.address.is_loopback()
    }

    fn over_tls(&self) -> bool {
        self.door == Door::Https
    }
}

/// A connection and what its requests share.
pub(crate) struct Connected {
    pub(crate) shared: Arc<Shared>,
    pub(crate) peer: Peer,
    traced: Option<Traced>,
}

/// Everything a handler may want to know of a request, its body excepted.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) settings: &'a Settings,
    pub(crate) parts: &'a Parts,
    pub(crate) version: Version,
    /// Path parts of the route, still percent-encoded.
    pub(crate) parameters: [&'a str; 3],
    pub(crate) over_tls: bool,
    /// The connection that it came by, and what that is doing.
    pub(crate) connected: &'a Arc<Connected>,
    pub(crate) watch: &'a Arc<Watch>,
    /// Where the request comes from.
    pub(crate) address: IpAddr,
    pub(crate) now: Timestamp,
    /// When it came, to measure how long it takes.
    pub(crate) begun: Instant,
    pub(crate) progress: &'a Progress,
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
    let tracer = shared.tracer.as_ref().filter(|_| peer.door != Door::Metrics);
    let traced = tracer.map(|tracer| Traced::new(tracer.clone(), peer.address));
    let connected = Arc::new(Connected { shared, peer, traced });
    hyper::service::service_fn(move |request| {
        let connected = Arc::clone(&connected);
        let in_request = connected.peer.watch.request();
        async move {
            let _in_request = in_request;
            Ok(answer_one(&connected, request).await)
        }
    })
}

async fn answer_one(connected: &Arc<Connected>, request: Request<Incoming>) -> Answer {
    let Connected { shared, peer, traced } = &**connected;
    let started = metrics::moment();
    let settings = shared.settings();
    let (parts, body) = request.into_parts();
    let mut body = RequestBody::new(body, &peer.watch, &shared.bodies);
    let mut route_index = None;
    let progress = Progress::default();
    let mut span = traced.as_ref().map(|traced| traced.begin(&parts, started));
    let mut form = Form::of_path(parts.uri.path());
    let mut answer = match settings.cors.preflight(&parts.method, &parts.headers) {
        Some(preflight) => preflight,
        None => match find(shared, &settings, peer, &parts) {
            Ok(Target::Route(matched)) => {
                route_index = matched.index;
                form = matched.route.handler.form();
                match &shared.test_control {
                    None => {
                        let go = pin!(guarded(connected, &settings, &parts, matched, started, &progress, &mut body));
                        telemetry::around(&mut span, go).await
                    }
                    // What seldom happens is in memory of its own, so that other requests take no more for it.
                    Some(control) => {
                        let fault = faults::of_request(control, connected, &parts, matched, span.as_mut());
                        let mut go = Box::pin(faults::around(fault, connected, || {
                            guarded(connected, &settings, &parts, matched, started, &progress, &mut body)
                        }));
                        telemetry::around(&mut span, go.as_mut()).await
                    }
                }
            }
            Ok(Target::Options(allow)) => options(allow),
            Err(error) => error.into_answer(form),
        },
    };
    let headers = answer.headers_mut();
    answer::finish(headers, form);
    settings.cors.decorate(&parts.headers, headers);
    let took = started.elapsed();
    shared.statistics.count(route_index, answer.status(), took);
    if let Some(limit) = settings.options.slow_request {
        progress.tell_if_slow(limit, took, &parts, answer.status(), peer);
    }
    if let Some((span, traced)) = span.zip(traced.as_ref()) {
        traced.end(span, &parts, route_index, answer.status(), took);
    }
    tracing::debug!(method = %parts.method, path = parts.uri.path(), status = answer.status().as_u16(), "answered");
    let is_http2 = parts.version == http::Version::HTTP_2;
    if parts.method == Method::HEAD && is_http2 {
        return answer::without_body(answer);
    }
    answer::charge(&mut answer, is_http2, &peer.watch, &shared.answers);
    match body.into_rest() {
        None => answer,
        Some(rest) if is_http2 => answer::ahead_of(rest, answer),
        Some(_) => {
            peer.watch.note_answered_ahead();
            answer
        }
    }
}

/// Where a request goes.
enum Target<'p> {
    Route(Matched<'p>),
    /// It asks which methods the resource has.
    Options(HeaderValue),
}

/// # Errors
/// There is no such resource, or it has no such method; of HTTP/1.1, it is not clear for which host it is.
fn find<'p>(shared: &Shared, settings: &Settings, peer: &Peer, parts: &'p Parts) -> Result<Target<'p>, ApiError> {
    check_host(parts)?;
    let path = parts.uri.path();
    let unknown = || ApiError::new(&error::UNKNOWN_RESOURCE, &[path]);
    let deployed = zosconnect::invoke::by_name(path, parts.uri.query())
        .or_else(|| zosconnect::requesters::by_name(&parts.method, path));
    let resolution = match deployed {
        Some(matched) => Resolution::Found(matched),
        None => routes::resolve(&parts.method, path),
    };
    let matched = match resolution {
        Resolution::Found(matched) => matched,
        Resolution::WrongMethod(allow) if parts.method == Method::OPTIONS => return Ok(Target::Options(allow)),
        Resolution::WrongMethod(allow) => return Err(ApiError::method(parts.method.as_str(), path, allow)),
        Resolution::Unknown => zosconnect::invoke::by_path(&shared.services, path)
            .or_else(|| zosconnect::call::by_base_path(&shared.services, &parts.method, path))
            .ok_or_else(unknown)?,
    };
    let handler = matched.route.handler;
    let is_served = match peer.door {
        Door::Metrics => handler.is_for_monitoring(),
        Door::Https | Door::Http => {
            let is_open = !handler.is_of_tests() || shared.test_control.is_some();
            is_open && (handler != Handler::Public(PublicHandler::Metrics) || settings.options.metrics_page.on_https)
        }
    };
    if is_served { Ok(Target::Route(matched)) } else { Err(unknown()) }
}

/// # Errors
/// 400 (MQWB0920E) HTTP/1.1 without a Host header; more than one.
fn check_host(parts: &Parts) -> Result<(), ApiError> {
    let hosts = parts.headers.get_all(header::HOST);
    let mut found = hosts.iter();
    match (found.next(), found.next()) {
        (Some(_), None) => Ok(()),
        (None, _) if parts.version != http::Version::HTTP_11 => Ok(()),
        _ => Err(ApiError::new(&error::HOST_HEADER, &[&hosts.iter().count().to_string()])),
    }
}

/// An OPTIONS request that is no preflight: which methods the resource has.
fn options(allow: HeaderValue) -> Answer {
    let mut answer = answer::empty(StatusCode::OK);
    answer.headers_mut().insert(header::ALLOW, allow);
    answer
}

async fn guarded(
    connected: &Arc<Connected>,
    settings: &Settings,
    parts: &Parts,
    matched: Matched<'_>,
    begun: Instant,
    progress: &Progress,
    body: &mut RequestBody<'_>,
) -> Answer {
    let Connected { shared, peer, .. } = &**connected;
    let call = Call {
        shared,
        settings,
        parts,
        version: matched.version,
        parameters: matched.parameters,
        over_tls: peer.over_tls(),
        connected,
        watch: &peer.watch,
        address: peer.address,
        now: shared.now(),
        begun,
        progress,
    };
    let told = |error: ApiError| error.into_answer(matched.route.handler.form());
    let is_document = matched.route.handler.is_document();
    if let Handler::Public(handler) = matched.route.handler
        && (!is_document || settings.options.documents.open_to != Some(OpenTo::Users))
    {
        return Box::pin(handle_public(call, handler, body)).await.unwrap_or_else(told);
    }
    if matched.route.handler == zosconnect::requesters::CALL {
        if let Some(refusal) = zosconnect::requesters::insecure(call) {
            return refusal;
        }
        if zosconnect::requesters::is_for_everybody(call, peer.is_local()) {
            return Box::pin(zosconnect::requesters::call(call, body)).await.unwrap_or_else(told);
        }
    }
    let authenticator = &settings.authenticator;
    let verdict = identify(connected, settings, &parts.headers, call.now).await;
    let Verdict::Identified { identity, mechanism, set_cookie } = verdict else {
        return told(api::console::add_ways(call, matched.route.handler, refused(call, &verdict)));
    };
    if settings.options.slow_request.is_some() {
        progress.is_of(&identity.principal.user);
    }
    let outcome = match admit(call, matched, &identity, mechanism, body).await {
        Ok(()) => handle(call, matched.route.handler, &identity, mechanism, body).await,
        Err(error) => Err(error),
    };
    let outcome = match outcome {
        Err(error) if matched.route.handler.form() == Form::Problem => Err(api::add_hint(call, &identity, error)),
        outcome => outcome,
    };
    let mut answer = outcome.unwrap_or_else(told);
    if set_cookie
        && matched.route.handler != Handler::Logout
        && let Some(cookie) = cookie::of_identity(authenticator, &identity, call.now, call.over_tls)
    {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    answer
}

/// Who sends these headers by this connection.
pub(crate) async fn identify(
    connected: &Connected,
    settings: &Settings,
    headers: &HeaderMap,
    now: Timestamp,
) -> Verdict {
    let Connected { shared, peer, .. } = connected;
    let authenticator = &settings.authenticator;
    let tokens = Tokens::of(headers, authenticator.cookie_name());
    let credentials = Credentials {
        tokens: tokens.as_slice(),
        authorization: headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes),
        api_key: headers.get(X_API_KEY).map(HeaderValue::as_bytes),
        client_certificate: peer.client_certificate.as_ref().and_then(|it| it.identity(&shared.client_verifier)),
        over_tls: peer.over_tls(),
        address: peer.address,
    };
    match authenticator.authenticate(&credentials, now) {
        Verdict::Slow => Box::pin(authenticator.authenticate_slow(&credentials, now)).await,
        verdict => verdict,
    }
}

/// Whether the credentials of a request that is still being answered count now: they may have expired or been revoked, and their user may
/// have lost the role. What cannot be judged now counts.
pub(crate) async fn still_counts(connected: &Connected, headers: &HeaderMap, before: &Identity) -> bool {
    let settings = connected.shared.settings();
    match identify(connected, &settings, headers, connected.shared.now()).await {
        Verdict::Identified { identity, .. } => {
            identity.principal.user == before.principal.user && identity.roles.contains(Roles::MQWEB_USER)
        }
        Verdict::NoCredentials | Verdict::BadToken | Verdict::BadBasic | Verdict::BadBearer | Verdict::BadApiKey => {
            false
        }
        Verdict::Slow | Verdict::Busy | Verdict::Unavailable | Verdict::IssuerUnavailable | Verdict::Locked(_) => true,
    }
}

/// 401 for credentials that are absent or bad; 503 when they cannot be checked now.
fn refused(call: Call<'_>, verdict: &Verdict) -> ApiError {
    let authenticator = &call.settings.authenticator;
    match verdict {
        Verdict::BadToken => ApiError::new(&error::TOKEN_FAILED, &[authenticator.cookie_name()])
            .with_header(header::SET_COOKIE, cookie::cleared(authenticator)),
        Verdict::BadBasic => {
            let sent = call.headers().get(header::AUTHORIZATION).and_then(|value| basic::parse(value.as_bytes()));
            login::tell_of_refusal(call, sent.as_ref().map_or("", |sent| &sent.user));
            ApiError::new(&error::BASIC_FAILED, &[])
        }
        Verdict::BadBearer => ApiError::bearer(),
        Verdict::BadApiKey => ApiError::api_key(),
        Verdict::IssuerUnavailable => {
            let soon = HeaderValue::from_static("10");
            ApiError::new(&error::ISSUER_UNAVAILABLE, &[]).with_header(header::RETRY_AFTER, soon)
        }
        Verdict::Locked(locked) => ApiError::locked(*locked),
        Verdict::Busy => ApiError::new(&error::TOO_BUSY, &[]),
        Verdict::Unavailable => ApiError::new(&error::USERS_UNAVAILABLE, &[]),
        Verdict::NoCredentials | Verdict::Slow | Verdict::Identified { .. } => {
            ApiError::new(&error::NOT_AUTHENTICATED, &[call.parts.uri.path()])
        }
    }
}

/// What has to be so before a handler does anything.
///
/// # Errors
/// As `check`; 503 too many answers have not been read; a body that no handler takes is too long or does not come.
async fn admit(
    call: Call<'_>,
    matched: Matched<'_>,
    identity: &Identity,
    mechanism: Mechanism,
    body: &mut RequestBody<'_>,
) -> Result<(), ApiError> {
    check(call, matched, identity, mechanism)?;
    let limits = &call.settings.options.limits;
    let most = limits.answer_memory_bytes;
    let is_full = || call.shared.answers.used() > most || call.watch.unread_of_source() > most / 2;
    if !matched.route.handler.answers_briefly() && is_full() {
        return Err(ApiError::overloaded("limits.answer_memory_bytes"));
    }
    if !matched.route.handler.takes_body() && !body.is_at_end() {
        Box::pin(body.pass_over(limits)).await?;
    }
    Ok(())
}

/// CSRF, then what API keys are for, then the role.
fn check(call: Call<'_>, matched: Matched<'_>, identity: &Identity, mechanism: Mechanism) -> Result<(), ApiError> {
    let rule = if call.settings.options.web.csrf_validation.0 { matched.route.csrf } else { CsrfRule::Off };
    csrf::check(rule, mechanism, call.parts, &call.settings.cors).map_err(|error| {
        let entry = match error {
            CsrfError::Missing => &error::CSRF_HEADER_MISSING,
            CsrfError::Mismatch => &error::CSRF_HEADER_MISMATCH,
            CsrfError::Foreign => &error::FOREIGN_ORIGIN,
        };
        ApiError::new(entry, &[CSRF_HEADER.as_str()])
    })?;
    if identity.scope.is_some() && !matched.route.handler.checks_scope() {
        return Err(ApiError::new(&error::API_KEY_RESOURCE, &[call.parts.uri.path()]));
    }
    match matched.route.access {
        Access::Role(required) => role::require(identity, required).map_err(|missing| ApiError::role(&missing)),
        Access::Everybody | Access::Identified => Ok(()),
    }
}

async fn handle_public(call: Call<'_>, handler: PublicHandler, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    match handler {
        PublicHandler::Login => login::login(call, body).await,
        PublicHandler::Live => Ok(health::live()),
        PublicHandler::Ready => health::ready(call.shared, call.query()),
        PublicHandler::Metrics => Ok(metrics::expose(call.shared, &call.settings.options.metrics_page).await),
        PublicHandler::OpenApi => Ok(openapi::document(call)),
        PublicHandler::Docs => openapi::docs(call),
        PublicHandler::Explorer => Ok(console::lead_to_explorer()),
        PublicHandler::Root => Ok(console::lead_there()),
        PublicHandler::ConsolePage => console::page(call),
        PublicHandler::ConsoleAsset => console::asset(call),
        PublicHandler::Book => book::page(call),
        PublicHandler::ConsoleSignIn => Ok(console::lead_to_sign_in()),
        PublicHandler::BeginSignIn => console::sign_in::begin(call).await,
        PublicHandler::FinishSignIn => console::sign_in::finish(call).await,
        PublicHandler::ApiDocument => Ok(zosconnect::call::public(call)),
        PublicHandler::ZosConnectDocs => Ok(openapi::zosconnect(call)),
        PublicHandler::Problem => api::problem::page(call),
    }
}

async fn handle(
    call: Call<'_>,
    handler: Handler,
    identity: &Arc<Identity>,
    mechanism: Mechanism,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let time = &call.shared.command_time;
    match handler {
        Handler::Public(handler) => Box::pin(handle_public(call, handler, body)).await,
        Handler::ZosConnect(handler) => zosconnect::handle(call, handler, identity, body).await,
        Handler::Api(handler) => api::handle(call, handler, identity, body).await,
        Handler::Console(handler) => Box::pin(api::console::handle(call, handler, identity, mechanism)).await,
        Handler::PutMessage => messaging::put::put(call, identity, body).await,
        Handler::GetMessage => messaging::get::get(call, identity).await,
        Handler::BrowseMessage => messaging::browse::browse(call, identity).await,
        Handler::ListMessages => Box::pin(messaging::list::list(call, identity)).await,
        Handler::PublishMessage => Box::pin(messaging::publish::publish(call, identity, body)).await,
        Handler::RunMqsc => Box::pin(time.of_waiting(admin::mqsc::run(call, identity, body))).await,
        Handler::ShowInstallation => time.of(|| admin::installation::show(call)),
        Handler::ListQueueManagers | Handler::ShowQueueManager => {
            time.of(|| admin::queue_manager::show(call, identity))
        }
        Handler::DumpDefinitions => time.of(|| admin::definitions::show(call)),
        Handler::ListQueues | Handler::ShowQueue => time.of(|| admin::queue::show(call, identity)),
        Handler::CreateQueue => Box::pin(time.of_waiting(admin::queue_change::create(call, identity, body))).await,
        Handler::AlterQueue => Box::pin(time.of_waiting(admin::queue_change::alter(call, identity, body))).await,
        Handler::DeleteQueue => Box::pin(time.of_waiting(admin::queue_change::delete(call, identity))).await,
        Handler::ListChannels | Handler::ShowChannel => time.of(|| admin::channel::show(call, identity)),
        Handler::ListSubscriptions | Handler::ShowSubscription => time.of(|| admin::subscription::show(call, identity)),
        Handler::ShowLogin => login::show(call, identity, mechanism),
        Handler::Logout => login::logout(call),
    }
}
