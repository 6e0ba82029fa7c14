//! The part of a plan that is about administrative requests.

use http::Uri;

use super::{Choices, Csrf, Scenario, bad};
use crate::error::WorkloadError;

/// The requests of a transaction: every `GET`, then the `POST`, then the `PATCH`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Administration {
    /// Path and query; `{client}` stands for the client's number, from 0.
    pub paths: Vec<String>,
    pub post: Option<Change>,
    pub patch: Option<Change>,
    pub csrf: Csrf,
}

/// A request with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
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
        let post = change(("post_path", &choices.post_path), ("body", &choices.body))?;
        let patch = change(("patch_path", &choices.patch_path), ("patch_body", &choices.patch_body))?;
        if paths.is_empty() && post.is_none() && patch.is_none() {
            return Err(bad("paths", "is missing, and post_path and patch_path as well: there is nothing to request"));
        }
        for path in &paths {
            uri_for(path, 0).ok_or_else(|| bad("paths", format!("'{path}' is not a path")))?;
        }
        Ok(Self { paths, post, patch, csrf: choices.csrf.unwrap_or_default() })
    }
}

/// Path and body, each with its key: both or neither.
fn change(
    (path_key, path): (&'static str, &Option<String>),
    (body_key, body): (&'static str, &Option<String>),
) -> Result<Option<Change>, WorkloadError> {
    match (path, body) {
        (Some(path), Some(body)) => {
            uri_for(path, 0).ok_or_else(|| bad(path_key, format!("'{path}' is not a path")))?;
            Ok(Some(Change { path: path.clone(), body: body.clone() }))
        }
        (None, None) => Ok(None),
        (Some(_), None) => Err(bad(body_key, format!("is missing: the JSON for {path_key}"))),
        (None, Some(_)) => Err(bad(path_key, format!("is missing: where {body_key} goes"))),
    }
}

/// The path that this client requests; `None` when it is none.
pub(crate) fn uri_for(path: &str, client: u32) -> Option<Uri> {
    let path = path.replace("{client}", &client.to_string());
    path.starts_with('/').then(|| Uri::try_from(path).ok())?
}
