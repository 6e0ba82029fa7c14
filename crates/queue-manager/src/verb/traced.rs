//! Puts and gets as spans of the traces that messages belong to.
//!
//! A message belongs to a trace by its properties `traceparent` and `tracestate`, as instrumented programs put them. The put of such a
//! message, and the get that takes it, are spans below the one that the message names. The message itself stays as it is.
//!
//! What a request by HTTP does is told by the span of that request. Its calls are spans below it where they say more: that they failed or
//! took long, or that a message came from another trace, to which the get links.
//!
//! Where the configuration says so, a message without a context gets one: that of the request, or of the put of a client.
//!
//! Never: makes a span of a browse, or of what the queue manager itself does. A server without traces pays one load for a call.
//!
//! Source: IBM MQ for z/OS, "Trace context", 9.4.3.

use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use model::descriptor::Format;
use model::message::Message;
use model::name::ObjectName;
use model::options::{ObjectDescriptor, ObjectKind};
use model::property::{Property, PropertyValue};
use model::reason::Reason;
use model::timestamp::Timestamp;
use telemetry::{Moment, Operation, Span, TRACEPARENT, TRACESTATE, TraceContext, Tracer};

use crate::queue::transmission::QUEUE_MANAGER;
use crate::verb::carried::{carried, carry};
use crate::verb::connection::{Connection, GetResult, ObjectHandle, PutResult};
use crate::verb::faults::Hit;
use crate::verb::handle::Target;

/// A call of a request that takes as long is a span of its own.
const NOTABLE: Duration = Duration::from_millis(1);

/// A put that is a span or may become one, or whose message was given properties.
pub(super) struct Put {
    part: Part,
    /// Format and body that the program knows, where the message was given properties.
    before: Option<Box<(Format, Bytes)>>,
}

/// Most puts are of requests, and need no memory of their own.
enum Part {
    Request(Call),
    Span(Box<Span>),
}

/// A call that may turn out to be a span.
pub(super) struct Call {
    /// It is part of a request that is recorded.
    is_within: bool,
    /// A put notes it when it waits, which most do not.
    begun: Option<Moment>,
    has_waited: bool,
}

impl Call {
    fn waits(&mut self) {
        self.has_waited = true;
        self.begun.get_or_insert_with(Moment::of_now);
    }

    fn begun(&self) -> Moment {
        self.begun.unwrap_or_else(Moment::of_now)
    }

    /// Most calls of a request say nothing that the span of the request does not.
    fn is_notable(&self, refused: Option<Reason>, hit: Option<Hit>) -> bool {
        refused.is_some() || hit.is_some() || (self.has_waited && self.begun().elapsed() >= NOTABLE)
    }
}

/// Makes the call, and tells `call` when it waits.
pub(super) fn around<'c, F: Future>(
    mut call: Option<&'c mut Call>,
    mut made: Pin<&'c mut F>,
) -> impl Future<Output = F::Output> + use<'c, F> {
    std::future::poll_fn(move |context| {
        let polled = made.as_mut().poll(context);
        if let (Poll::Pending, Some(call)) = (&polled, &mut call) {
            call.waits();
        }
        polled
    })
}

/// The context that a message carries.
pub fn context_of(message: &Message) -> Option<TraceContext> {
    context_among(&carried(message, TRACEPARENT))
}

/// The context among the properties of a message.
pub fn context_among(properties: &[Property]) -> Option<TraceContext> {
    let text = |name| match &properties.iter().find(|property| property.name == name)?.value {
        PropertyValue::String(text) => Some(text.as_str()),
        _ => None,
    };
    TraceContext::parse(text(TRACEPARENT)?, text(TRACESTATE))
}

impl Put {
    pub(super) fn call(&mut self) -> Option<&mut Call> {
        match &mut self.part {
            Part::Request(call) => Some(call),
            Part::Span(_) => None,
        }
    }
}

impl Connection {
    /// What the traces of this server are told of, if they are told of this connection.
    fn tracer(&self) -> Option<&Tracer> {
        self.engine.tracer.get().filter(|_| self.state.options.application_type != QUEUE_MANAGER)
    }

    /// `name` says where the message goes.
    pub(super) fn put_begins(&self, message: &mut Message, name: impl FnOnce() -> String) -> Option<Put> {
        let tracer = self.tracer()?;
        let Some(is_within) = telemetry::is_current_recorded() else {
            return self.put_of_client_begins(tracer, message, name);
        };
        let mut before = None;
        if tracer.options().message_properties
            && !is_of_system(&name())
            && context_of(message).is_none()
            && let Some(place) = telemetry::current()
        {
            before = give(message, place.context()).map(Box::new);
        }
        let is_of_interest = before.is_some() || is_within;
        let part = Part::Request(Call { is_within, begun: None, has_waited: false });
        is_of_interest.then_some(Put { part, before })
    }

    /// The put of a program that is not a request.
    fn put_of_client_begins(
        &self,
        tracer: &Tracer,
        message: &mut Message,
        name: impl FnOnce() -> String,
    ) -> Option<Put> {
        let own = context_of(message);
        let begins_trace = tracer.options().channel_properties && !self.state.options.channel.is_empty();
        if !own.as_ref().map_or(begins_trace, |own| own.is_sampled) {
            return None;
        }
        let name = name();
        if own.is_none() && is_of_system(&name) {
            return None;
        }
        let mut span = tracer.begin(Operation::Put.kind(), Operation::Put.name(name.clone()), own.as_ref());
        self.describe(&mut span, Operation::Put, &name, message.body.len());
        let before = if own.is_none() { give(message, span.context()).map(Box::new) } else { None };
        Some(Put { part: Part::Span(Box::new(span)), before })
    }

    /// The result becomes that of the message as its program knows it.
    pub(super) fn put_ended(
        &self,
        put: Put,
        outcome: &mut Result<PutResult, Reason>,
        hit: Option<Hit>,
        name: impl FnOnce() -> String,
    ) {
        if let (Ok(done), Some(before)) = (outcome.as_mut(), put.before) {
            (done.message.descriptor.format, done.message.body) = *before;
        }
        let refused = outcome.as_ref().err().copied();
        let mut span = match put.part {
            Part::Span(span) => span,
            Part::Request(call) if !call.is_within || !call.is_notable(refused, hit) => return,
            Part::Request(call) => {
                let Some(place) = telemetry::current() else { return };
                let name = name();
                let mut span = place.begin(Operation::Put.kind(), Operation::Put.name(name.clone()));
                span.begun(place.tracer().tell(call.begun()));
                self.describe(
                    &mut span,
                    Operation::Put,
                    &name,
                    outcome.as_ref().map_or(0, |done| done.message.body.len()),
                );
                Box::new(span)
            }
        };
        if let Ok(done) = outcome {
            span.message_id(done.message.descriptor.message_id.as_bytes());
        }
        end(&mut span, refused, hit);
    }

    pub(super) fn get_begins(&self) -> Option<Call> {
        self.tracer()?;
        let is_within = telemetry::is_current_recorded() == Some(true);
        Some(Call { is_within, begun: Some(Moment::of_now()), has_waited: false })
    }

    pub(super) fn get_ended(
        &self,
        call: &Call,
        handle: ObjectHandle,
        outcome: &Result<Box<GetResult>, Reason>,
        hit: Option<Hit>,
    ) {
        let Some(tracer) = self.tracer() else { return };
        let refused = outcome.as_ref().err().copied().filter(|&reason| reason != Reason::NoMsgAvailable);
        let got = outcome.as_deref().ok().filter(|got| got.warning != Some(Reason::TruncatedMsgFailed));
        let context = got.and_then(|got| got.trace.as_deref());
        let name = || got.map_or_else(|| self.name_of(handle), |got| got.resolved_queue.as_str().to_owned());
        let (name, mut span) = match context {
            // A message's way to whom it reaches is of interest.
            _ if call.is_within && (context.is_some() || call.is_notable(refused, hit)) => {
                let Some(place) = telemetry::current() else { return };
                let name = name();
                let mut span = place.begin(Operation::Get.kind(), Operation::Get.name(name.clone()));
                span.begun(place.tracer().tell(call.begun()));
                if let Some(context) = context {
                    span.link(context);
                }
                (name, span)
            }
            // A get that has waited for it is no older than the message.
            Some(context) if !call.is_within && context.is_sampled => {
                let name = name();
                let mut span = tracer.begin(Operation::Get.kind(), Operation::Get.name(name.clone()), Some(context));
                span.begun(tracer.tell(call.begun()).max(got.map_or(0, |got| nanoseconds(got.arrived))));
                (name, span)
            }
            _ => return,
        };
        self.describe(&mut span, Operation::Get, &name, got.map_or(0, |got| got.data_length));
        if let Some(got) = got {
            span.message_id(got.descriptor.message_id.as_bytes());
        }
        end(&mut span, refused, hit);
    }

    /// Attributes that puts and gets have in common.
    fn describe(&self, span: &mut Span, operation: Operation, destination: &str, length: usize) {
        span.messaging(operation, destination, self.engine.name.as_str(), &self.state.options.channel);
        span.body_size(length);
    }

    /// The queue or topic of a handle.
    pub(super) fn name_of(&self, handle: ObjectHandle) -> String {
        let Ok(open) = self.state.handle(handle) else { return String::new() };
        match &open.target {
            Target::Topic(topic) => topic.topic_string.clone(),
            _ => ObjectName::as_str(&open.name).to_owned(),
        }
    }
}

/// Where a message that is named by its object goes.
pub fn name_of_object(object: &ObjectDescriptor) -> String {
    match object.object {
        ObjectKind::Topic if !object.topic_string.is_empty() => object.topic_string.clone(),
        _ => object.name.as_str().to_owned(),
    }
}

/// What reads there expects no properties.
fn is_of_system(name: &str) -> bool {
    name.starts_with("SYSTEM.")
}

/// How the call went, and what a rule of tests has done to it.
fn end(span: &mut Span, refused: Option<Reason>, hit: Option<Hit>) {
    if let Some(hit) = hit {
        span.hit(hit.rule, hit.delay);
    }
    if let Some(reason) = refused {
        span.refused(&reason.number().to_string(), reason.name());
    }
}

/// Gives a message a context. What it was before, if it is one that can have it.
fn give(message: &mut Message, context: &TraceContext) -> Option<(Format, Bytes)> {
    let property =
        |(name, value): (&str, String)| Property { name: name.to_owned(), value: PropertyValue::String(value) };
    let properties: Vec<Property> = context.carried().map(property).collect();
    let before = (message.descriptor.format, message.body.clone());
    carry(message, &properties).then_some(before)
}

/// A message that is about to be put elsewhere, within a request, gets the context of that request if messages are to have one.
pub fn give_context(message: &mut Message) {
    let place = telemetry::current().filter(|place| place.tracer().options().message_properties);
    if let Some(place) = place
        && context_of(message).is_none()
    {
        give(message, place.context());
    }
}

fn nanoseconds(at: Timestamp) -> u64 {
    at.0.saturating_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_of_a_message_is_in_its_properties() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let property =
            |name: &str, text: &str| Property { name: name.to_owned(), value: PropertyValue::String(text.into()) };
        let all = [property("traceparent", parent), property("tracestate", "a=1")];
        let context = context_among(&all).expect("a context");
        assert_eq!((context.traceparent().as_str(), context.state.as_deref()), (parent, Some("a=1")));
        assert_eq!(context_among(&[property("other", "x")]), None);

        let mut message = Message::default();
        assert_eq!(context_of(&message), None);
        let before = give(&mut message, &context).expect("a message of a program");
        assert_eq!(before, (Format::NONE, Bytes::new()));
        assert_eq!(context_of(&message), Some(context));
    }
}
