//! Topic strings, the administrative topics above them, and the subscriptions that match them.
//!
//! Pure data: no store, no clock, no lock. `subscription.rs` holds the lock and `publish.rs` delivers.
//!
//! A topic string is levels divided by `/`; letters' case counts, and so do empty levels. An administrative topic lends
//! its attributes and its authority records to its own string and to all below it, as far as a nearer one does not say
//! otherwise. One whose string ends in `/` (as DEV.BASE.TOPIC, `dev/`) is above everything that begins with it.
//!
//! Source: MQ, "Topic trees", "Wildcard schemes", "Combining topic strings", 9.3.

mod administrative;
mod pattern;
mod prefix_map;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::Hash;

use model::reason::Reason;

pub(crate) use administrative::{AdministrativeTopics, EffectiveTopic};
pub(crate) use pattern::Pattern;
use prefix_map::PrefixMap;

/// Bytes of the longest topic string.
pub(super) const MAXIMUM_TOPIC_STRING: usize = 10_240;

/// The full topic string of a topic object's string and the application's own, with a `/` between them when both are
/// there.
///
/// # Errors
/// - `TopicStringError` (2425): a topic object is named, but both strings are empty; or the result is too long.
/// - `UnknownObjectName` (2085): neither a topic object nor a string.
pub(crate) fn join(object_string: Option<&str>, own: &str) -> Result<String, Reason> {
    let own = if own.starts_with([' ', '\0']) { "" } else { own };
    let joined = match (object_string, own) {
        (None, "") => return Err(Reason::UnknownObjectName),
        (Some(""), "") => return Err(Reason::TopicStringError),
        (None | Some(""), own) => own.to_owned(),
        (Some(object), "") => object.to_owned(),
        (Some(object), own) => format!("{object}/{own}"),
    };
    if joined.len() > MAXIMUM_TOPIC_STRING { Err(Reason::TopicStringError) } else { Ok(joined) }
}

/// Which subscriptions a topic string reaches, without asking each of them.
///
/// Patterns are filed under the levels before their first wildcard; a topic string asks at each of its own levels, in one
/// pass over the string.
#[derive(Debug)]
pub(super) struct PatternIndex<Id> {
    exact: HashMap<Box<str>, Vec<Id>>,
    by_stem: PrefixMap<Vec<(Pattern, Id)>>,
}

impl<Id> Default for PatternIndex<Id> {
    fn default() -> Self {
        Self { exact: HashMap::new(), by_stem: PrefixMap::default() }
    }
}

impl<Id: Copy + Eq + Hash> PatternIndex<Id> {
    pub(crate) fn insert(&mut self, pattern: &Pattern, id: Id) {
        match pattern.literal() {
            Some(topic) => self.exact.entry(topic.into()).or_default().push(id),
            None => self.by_stem.get_or_insert_with(pattern.stem(), Vec::new).push((pattern.clone(), id)),
        }
    }

    pub(crate) fn remove(&mut self, pattern: &Pattern, id: Id) {
        match pattern.literal() {
            Some(topic) => {
                if let Some(ids) = self.exact.get_mut(topic) {
                    ids.retain(|other| *other != id);
                    if ids.is_empty() {
                        self.exact.remove(topic);
                    }
                }
            }
            None => {
                if let Some(patterns) = self.by_stem.get_mut(pattern.stem()) {
                    patterns.retain(|(_, other)| *other != id);
                    if patterns.is_empty() {
                        self.by_stem.remove(pattern.stem());
                    }
                }
            }
        }
    }

    /// Every subscription whose pattern the topic string matches, each once.
    pub(crate) fn matching(&self, topic: &str) -> Vec<Id> {
        let mut found = self.exact.get(topic).cloned().unwrap_or_default();
        if self.by_stem.is_empty() {
            return found;
        }
        // The stem of a pattern that matches is nothing, or the topic string up to one of its levels.
        for patterns in self.by_stem.of_beginnings(topic) {
            found.extend(patterns.iter().filter(|(pattern, _)| pattern.matches(topic)).map(|(_, id)| *id));
        }
        found
    }
}
