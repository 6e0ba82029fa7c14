//! Traces: the span of each request, and the task that sends ended spans to a receiver of OTLP over HTTP.
//!
//! What cannot be sent is dropped: a receiver that is away costs its spans and nothing else, and the log says so once.

use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use requester::post::{Networks, Reach, Receiver};
use telemetry::{
    Attributes, Batch, Kind, Name, Resource, Span, TRACEPARENT, TRACESTATE, TraceContext, TraceOptions, Tracer,
};
use tokio::time::Instant;

use crate::WebError;
use crate::options::Tracing;
use crate::routes::ROUTES;

const TRACEPARENT_HEADER: HeaderName = HeaderName::from_static(TRACEPARENT);
const TRACESTATE_HEADER: HeaderName = HeaderName::from_static(TRACESTATE);
const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");
/// How long spans wait for others.
const PAUSE: Duration = Duration::from_secs(1);
/// For one request to the receiver.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who keeps spans, and who sends them.
pub(crate) struct Traces {
    pub(crate) tracer: Tracer,
    pub(crate) sender: Sender,
}

pub(crate) struct Sender {
    tracer: Tracer,
    receiver: Receiver,
    headers: HeaderMap,
    /// For the log.
    url: String,
    /// The name of this machine.
    instance: String,
    options: Tracing,
}

impl Traces {
    /// `None`: there is no endpoint.
    ///
    /// # Errors
    /// An endpoint or a header that cannot be.
    pub(crate) fn new(options: &Tracing) -> Result<Option<Self>, WebError> {
        let Some(endpoint) = options.endpoint.as_deref().filter(|endpoint| !endpoint.is_empty()) else {
            return Ok(None);
        };
        let wrong = |key: &str, problem: String| WebError::Option { key: format!("tracing.{key}"), problem };
        let bad = |problem: String| wrong("endpoint", problem);
        // The operator names it, as other endpoints of the configuration.
        let anywhere = Networks::parse(&["0.0.0.0/0", "::/0"]).map_err(|problem| bad(problem.to_string()))?;
        let url = whole_url(endpoint);
        let reach = Reach::new(None, anywhere).map_err(bad)?;
        let receiver = Receiver::new(&url, &reach, PATIENCE).map_err(bad)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &options.headers {
            let pair = HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok());
            let (header, value) = pair.ok_or_else(|| wrong("headers", format!("{name} is not a header")))?;
            headers.insert(header, value);
        }
        headers.insert(CONTENT_TYPE, PROTOBUF);
        let tracer = Tracer::new(TraceOptions {
            percent: options.sample_percent,
            message_properties: options.message_properties,
            channel_properties: options.channel_properties,
        });
        let instance = queue_manager::status::host_name();
        let sender = Sender { tracer: tracer.clone(), receiver, headers, url, instance, options: options.clone() };
        Ok(Some(Self { tracer, sender }))
    }
}

/// The path of traces, which the variable of OpenTelemetry leaves out.
fn whole_url(endpoint: &str) -> String {
    let after_scheme = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    match after_scheme.trim_end_matches('/').contains('/') {
        true => endpoint.to_owned(),
        false => format!("{}/v1/traces", endpoint.trim_end_matches('/')),
    }
}

impl Sender {
    /// Sends spans for as long as it is polled.
    pub(crate) async fn run(self) {
        let mut is_away = false;
        loop {
            for spans in self.tracer.ended(PAUSE).await {
                let problem = self.send(spans).await.err();
                match &problem {
                    Some(problem) if !is_away => {
                        tracing::warn!("traces cannot be sent to {}, and are dropped: {problem}", self.url);
                    }
                    None if is_away => tracing::info!("traces are sent to {} again", self.url),
                    _ => {}
                }
                is_away = problem.is_some();
            }
        }
    }

    async fn send(&self, spans: Batch) -> Result<(), String> {
        let resource = Resource {
            service_name: &self.options.service_name,
            service_version: env!("CARGO_PKG_VERSION"),
            instance: &self.instance,
        };
        let body = telemetry::export(resource, spans);
        let reply = self.receiver.post(self.headers.clone(), body).await?;
        if reply.status.is_success() { Ok(()) } else { Err(format!("it answers {}", reply.status)) }
    }
}

/// What spans say of each route.
static OF_ROUTES: LazyLock<Vec<Attributes>> =
    LazyLock::new(|| ROUTES.iter().map(|route| Attributes::default().text("http.route", route.template)).collect());

/// Traces of the requests of one connection.
pub(crate) struct Traced {
    tracer: Tracer,
    /// What their spans say of the connection.
    attributes: Attributes,
}

impl Traced {
    pub(crate) fn new(tracer: Tracer, address: IpAddr) -> Self {
        Self { tracer, attributes: Attributes::default().text("client.address", &address.to_string()) }
    }

    /// The span of a request, below that of its caller.
    pub(crate) fn begin(&self, parts: &Parts, begun: Instant) -> Span {
        let header = |name: &HeaderName| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let parent = header(&TRACEPARENT_HEADER);
        let caller = parent.and_then(|parent| TraceContext::parse(parent, header(&TRACESTATE_HEADER)));
        let method = telemetry::method(parts.method.as_str());
        self.tracer.begin_at(begun.into_std().into(), Kind::Server, method, caller.as_ref())
    }

    /// What is known of a request once it is answered, after so long. `route` is the number of its route.
    pub(crate) fn end(&self, mut span: Span, parts: &Parts, route: Option<usize>, status: StatusCode, took: Duration) {
        let method = telemetry::method(parts.method.as_str());
        if let Some((route, attributes)) = route.and_then(|index| Some((ROUTES.get(index)?, OF_ROUTES.get(index)?))) {
            span.rename(|| Name::of(method, route.template));
            span.attributes(attributes);
        }
        span.text("http.request.method", method);
        span.text("url.path", parts.uri.path());
        span.number("http.response.status_code", status.as_u16());
        span.attributes(&self.attributes);
        if status.is_server_error() {
            span.failed(&status.to_string());
        }
        span.took(took);
    }
}

#[cfg(test)]
mod tests;
