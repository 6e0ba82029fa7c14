//! The part of a plan that is about administrative requests.

use http::Uri;

use super::{Choices, Csrf, Scenario, bad};
use crate::error::WorkloadError;

/// The requests of a transaction: every `GET`, then the `PATCH`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Administration {
    /// Path and query; `{client}` stands for the client's number, from 0.
    pub paths: Vec<String>,
    pub patch: Option<Patch>,
    pub csrf: Csrf,
}

/// What is changed in each transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// As a `GET`'s.
    pub path: String,
    /// JSON; `{n}` stands for the number of the client's transaction, from 1.
    pub body: String,
}

impl Administration {
    /// # Errors
    /// Administrative requests in another scenario, none in this one, or a path that is none.
    pub(super) fn new(scenario: Scenario, choices: &Choices) -> Result<Self, WorkloadError> {
        let given = [
            ("paths", choices.paths.is_some()),
            ("patch_path", choices.patch_path.is_some()),
            ("patch_body", choices.patch_body.is_some()),
            ("csrf", choices.csrf.is_some()),
        ];
        if scenario != Scenario::Administration {
            return match given.iter().find(|(_, given)| *given) {
                Some((key, _)) => Err(bad(key, "has a meaning in administration only")),
                None => Ok(Self::default()),
            };
        }
        let paths = choices.paths.clone().unwrap_or_default();
        let patch = match (&choices.patch_path, &choices.patch_body) {
            (Some(path), Some(body)) => Some(Patch { path: path.clone(), body: body.clone() }),
            (None, None) => None,
            (Some(_), None) => return Err(bad("patch_body", "is missing: the JSON of the PATCH")),
            (None, Some(_)) => return Err(bad("patch_path", "is missing: where the PATCH goes")),
        };
        if paths.is_empty() && patch.is_none() {
            return Err(bad("paths", "is missing, and patch_path as well: there is nothing to request"));
        }
        let all = paths.iter().map(|path| ("paths", path)).chain(patch.iter().map(|patch| ("patch_path", &patch.path)));
        for (key, path) in all {
            uri_for(path, 0).ok_or_else(|| bad(key, format!("'{path}' is not a path")))?;
        }
        Ok(Self { paths, patch, csrf: choices.csrf.unwrap_or_default() })
    }
}

/// The path that this client requests; `None` when it is none.
pub(crate) fn uri_for(path: &str, client: u32) -> Option<Uri> {
    let path = path.replace("{client}", &client.to_string());
    path.starts_with('/').then(|| Uri::try_from(path).ok())?
}
