//! Selection: which message a get, a browse or a subscription may have.
//!
//! Owns: match options, message tokens and marks as a filter of the store (`matching.rs`), and the selector language
//! with its evaluation (`selector.rs`).
//!
//! Never: waits, reads a queue, changes one, or asks for authority. Selectors are pure: text and message in, a
//! decision out.
//!
//! Invariants
//! - The same selector decides the same way about the same message, always.
//! - The depth and the length of a selector have limits, which are checked when it is parsed.

pub(crate) mod matching;
pub mod selector;
