//! Traces: who called whom, and how long it took, in the terms of W3C Trace Context and OpenTelemetry.
//!
//! A door begins a span for what it is asked (`Tracer::begin`) and runs its work within it (`around`). Whoever calls others
//! on the way asks for the `current` span and begins a child of it. Spans that have ended wait in batches, as the
//! bytes that the server sends (`otlp.rs`).
//!
//! Never: does input or output. Without a tracer nothing is measured, allocated or made.
//!
//! Invariants
//! - The number of ended spans that wait is bounded: what does not fit is dropped and counted.
//! - A caller's decision whether to record counts for everything below it.

mod clock;
mod context;
#[cfg(test)]
mod decoded;
mod messaging;
mod otlp;
mod span;
mod tracer;

pub use clock::Moment;
pub use context::{TRACEPARENT, TRACESTATE, TraceContext};
pub use messaging::Operation;
pub use otlp::{Attributes, Batch, Resource, export};
pub use span::{Kind, Name, Place, Span, around, current, current_recorded, is_current_recorded, method};
pub use tracer::{TraceOptions, Tracer};
