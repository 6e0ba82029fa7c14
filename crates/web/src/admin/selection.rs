//! Which members an answer has: `attributes=`, `status=` and their kin.
//!
//! A list of names separated by commas; a name is a member (`general.description`), a group of members (`general`,
//! `events.depth`), or `*`.

use std::collections::BTreeSet;

use crate::error::ApiError;

use super::source::Entry;

/// Names of members, each as it was asked for.
#[derive(Debug, Default, Clone)]
pub(super) struct Selection {
    names: BTreeSet<String>,
    all: bool,
}

impl Selection {
    /// # Errors
    /// 400 (MQWB0120E): a name that none of `known` begins with.
    pub(super) fn parse<'e>(text: &str, known: impl Iterator<Item = &'e Entry> + Clone) -> Result<Self, ApiError> {
        let mut selection = Self::default();
        for name in text.split(',').map(str::trim) {
            if name == "*" {
                selection.all = true;
            } else if known.clone().any(|entry| is_within(&entry.path, name)) {
                selection.names.insert(name.to_owned());
            } else {
                return Err(ApiError::attribute_unknown(name));
            }
        }
        Ok(selection)
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.all && self.names.is_empty()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.all || self.names.iter().any(|name| is_within(path, name))
    }
}

/// Is it the member of this name, or in the group of this name?
fn is_within(path: &str, name: &str) -> bool {
    path.strip_prefix(name).is_some_and(|tail| tail.is_empty() || tail.starts_with('.'))
}
