//! Traces: who called whom, and how long it took, in the terms of W3C Trace Context and OpenTelemetry.
//!
//! A door begins a span for what it is asked (`Tracer::begin`) and runs its work within it (`Span::around`). Whoever calls others
//! on the way asks for the `current` span and begins a child of it. Spans that have ended wait in a bounded list, from which the
//! server sends them (`otlp.rs` has their bytes).
//!
//! Never: does input or output. Without a tracer nothing is measured, allocated or made.
//!
//! Invariants
//! - The list of ended spans is bounded: what does not fit is dropped and counted.
//! - A caller's decision whether to record counts for everything below it.

mod context;
mod otlp;
mod span;

pub use context::{TRACEPARENT, TRACESTATE, TraceContext};
pub use otlp::{Resource, export};
pub use span::{Attribute, BATCH, Ended, Kind, Link, Name, Place, Span, TraceOptions, Tracer, current, method, now};
