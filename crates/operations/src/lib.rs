//! What an operator asks of running queue managers: lists of their objects by page, what is wrong with them, what was changed.
//!
//! Owns: what services, APIs and API requesters have done lately (`activity.rs`), what was changed (`changes.rs`), lists that are
//! searched, sorted and paged here (`lists.rs`), problems with cause and remedy (`problems.rs`).
//!
//! Never here: HTTP, sign-in, the numbers of a chart (`message-api`'s history). What a caller may see is asked of the caller's view
//! for each object.

pub mod activity;
pub mod changes;
pub mod lists;
pub mod problems;
