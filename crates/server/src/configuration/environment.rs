//! The environment as a configuration layer: `MQ_*`, `QUAYMASTER_*`, and what keys name besides.

use super::keys::{KEYS, Key};
use super::nearest::nearest;

/// The variables that may concern us, as they were at start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    variables: Vec<(String, String)>,
}

/// Names with our prefix that are no configuration key.
const OTHER: &[&str] = &["QUAYMASTER_DATA", "QUAYMASTER_CONFIG", "QUAYMASTER_PASSWORD"];

impl Environment {
    /// Reads the process's environment. Values that are not UTF-8 are left out.
    pub(crate) fn of_process() -> Self {
        let is_of_a_key = |name: &str| KEYS.iter().any(|key| key.environment == name);
        let ours = |name: &str| name.starts_with("MQ_") || name.starts_with("QUAYMASTER_") || is_of_a_key(name);
        Self::new(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .filter(|(name, _)| ours(name)),
        )
    }

    pub(crate) fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { variables: variables.into_iter().collect() }
    }

    /// A variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(known, value)| known == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// Keys that are set here, with their text.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'static Key, &str)> {
        KEYS.iter()
            .filter(|key| !key.environment.is_empty())
            .filter_map(|key| self.get(key.environment).map(|text| (key, text)))
    }

    /// `QUAYMASTER_*` variables that mean nothing, each with the nearest one that does: worth a warning, not an error.
    pub(crate) fn unknown(&self) -> Vec<(&str, Option<&'static str>)> {
        let known = || KEYS.iter().map(|key| key.environment).chain(OTHER.iter().copied());
        self.variables
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| name.starts_with("QUAYMASTER_") && !known().any(|known| known == *name))
            .map(|name| (name, nearest(name, known())))
            .collect()
    }
}
