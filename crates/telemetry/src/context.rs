//! Where a span stands in its trace, as `traceparent` and `tracestate` tell it.
//!
//! ```text
//! traceparent   version - trace id - span id - flags      00-<32 digits>-<16 digits>-01
//! ```
//!
//! Source: W3C Trace Context, level 1.

use std::cell::RefCell;
use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::{RngCore, SeedableRng};

/// Names of the headers, and of the properties of messages.
pub const TRACEPARENT: &str = "traceparent";
pub const TRACESTATE: &str = "tracestate";

/// Most characters of a `tracestate` that is passed on.
const LONGEST_STATE: usize = 512;
const SAMPLED: u8 = 1;
/// Characters of a `traceparent` of version 00.
const TRACEPARENT_LENGTH: usize = 55;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    /// It is recorded.
    pub is_sampled: bool,
    /// What tracing systems on the way have added.
    pub state: Option<Arc<str>>,
}

impl TraceContext {
    /// The root of a new trace.
    pub fn root(is_sampled: bool) -> Self {
        let [first, second, span] = words();
        let trace_id = (u128::from(first) << 64 | u128::from(second)).to_ne_bytes();
        Self { trace_id, span_id: span.to_ne_bytes(), is_sampled, state: None }
    }

    /// A span below this one.
    pub fn child(&self) -> Self {
        let [span] = words();
        Self { span_id: span.to_ne_bytes(), ..self.clone() }
    }

    /// `None`: it is no `traceparent`, and the trace begins anew.
    pub fn parse(parent: &str, state: Option<&str>) -> Option<Self> {
        let mut parts = parent.trim().split('-');
        let mut part = || parts.next();
        let (version, trace_id, span_id, flags) = (part()?, part()?, part()?, part()?);
        let [version] = bytes(version)?;
        // Later versions may have more to say.
        if version == 0xff || (version == 0 && parts.next().is_some()) {
            return None;
        }
        let (trace_id, span_id): ([u8; 16], [u8; 8]) = (bytes(trace_id)?, bytes(span_id)?);
        if trace_id == [0; 16] || span_id == [0; 8] {
            return None;
        }
        let [flags] = bytes(flags)?;
        let state = state.map(str::trim).filter(|state| !state.is_empty() && state.len() <= LONGEST_STATE);
        let state = state.filter(|state| state.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        Some(Self { trace_id, span_id, is_sampled: flags & SAMPLED != 0, state: state.map(Arc::from) })
    }

    pub fn traceparent(&self) -> String {
        let mut text = String::with_capacity(TRACEPARENT_LENGTH);
        text.push_str("00-");
        hexadecimal(&self.trace_id, &mut text);
        text.push('-');
        hexadecimal(&self.span_id, &mut text);
        text.push_str(if self.is_sampled { "-01" } else { "-00" });
        text
    }

    /// Names and values of headers, or of properties of a message.
    pub fn carried(&self) -> impl Iterator<Item = (&'static str, String)> {
        let state = self.state.as_ref().map(|state| (TRACESTATE, state.to_string()));
        std::iter::once((TRACEPARENT, self.traceparent())).chain(state)
    }
}

thread_local! {
    /// Identifiers need not be hard to guess.
    static RANDOM: RefCell<SmallRng> = RefCell::new(SmallRng::from_entropy());
}

/// Random numbers that are not zero: identifiers of zeros are not valid.
fn words<const N: usize>() -> [u64; N] {
    RANDOM.with_borrow_mut(|random| {
        std::array::from_fn(|_| {
            loop {
                let word = random.next_u64();
                if word != 0 {
                    return word;
                }
            }
        })
    })
}

pub(crate) fn hexadecimal(bytes: &[u8], text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 0xf)]));
    }
}

/// Digits in lower case, as the standard wants them.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let text = text.as_bytes();
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
