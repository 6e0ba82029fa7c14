//! The source of a service: `service.yaml`, or a properties file as zconbt reads it. Both have the same properties.
//!
//! ```yaml
//! name: loanService
//! version: 1.0
//! description: Two-way loan check
//! destination: LOAN.REQUEST
//! replyDestination: LOAN.REPLY
//! waitInterval: 10000
//! requestStructure: LOANREQ.cpy
//! responseStructure: LOANREP.cpy
//! ```

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{content_of, hint};
use crate::archive::conversion::{self, Members, Values};
use crate::archive::manifest::Manifest;
use crate::archive::service::{PROGRAM, known_properties, pass_over, queues_of_program};
use crate::archive::{ArchiveError, ServiceArchive};
use document::properties;
use document::yaml::{self, Scalars};

/// Keys beside the properties.
const IDENTITY: [&str; 4] = ["name", "version", "description", "provider"];
/// The folder of a project of the API toolkit that its interfaces are in.
const INTERFACES: &str = "service-interfaces";
/// Endings that files of COPY members may have.
const ENDINGS: [&str; 9] = ["", ".cpy", ".CPY", ".cbl", ".CBL", ".cob", ".COB", ".copy", ".inc"];

/// Builds from the text of `service.yaml`.
///
/// # Errors
/// It is not YAML, or says what cannot be.
pub fn of_yaml(folder: &Path, file: &str, text: &str) -> Result<ServiceArchive, ArchiveError> {
    let value = yaml::read(text, Scalars::Text).map_err(|error| ArchiveError::entry(file, error))?;
    let Value::Object(members) = value else {
        return Err(ArchiveError::entry(file, "expected keys and values, such as name: loanService"));
    };
    let mut entries = Vec::new();
    for (key, value) in members {
        let text = match value {
            Value::String(text) => text,
            Value::Null => String::new(),
            // A list stands for texts with commas between.
            Value::Array(items) => {
                let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                texts.ok_or_else(|| ArchiveError::property(&key, "expected a list of texts"))?.join(",")
            }
            // Names and values stand for a list of both with = between.
            Value::Object(members) if conversion::find(&key).is_some_and(|known| known.values == Values::Text) => {
                let pairs = members.iter().map(|(name, value)| Some(format!("{name}={}", value.as_str()?)));
                let pairs: Option<Vec<String>> = pairs.collect();
                pairs.ok_or_else(|| ArchiveError::property(&key, "expected names and texts"))?.join(",")
            }
            Value::Object(_) | Value::Bool(_) | Value::Number(_) => {
                return Err(ArchiveError::property(&key, "expected one value"));
            }
        };
        entries.push((key, text));
    }
    build(folder, file, entries)
}

/// Builds from the text of a properties file.
///
/// # Errors
/// It says what cannot be.
pub fn of_properties(folder: &Path, file: &str, text: &str) -> Result<ServiceArchive, ArchiveError> {
    build(folder, file, properties::parse_text(text).into_iter().collect())
}

fn build(folder: &Path, file: &str, entries: Vec<(String, String)>) -> Result<ServiceArchive, ArchiveError> {
    let mut manifest = Manifest { provider: "mq".to_owned(), version: "1.0.0".to_owned(), ..Manifest::default() };
    let mut properties = Vec::new();
    let known = known_properties();
    let is_cics = entries.iter().any(|(key, value)| key == "provider" && value.trim() == "cics");
    for (key, value) in entries {
        let value = value.trim().to_owned();
        match key.as_str() {
            "provider" if is_cics => {}
            key if is_cics && PROGRAM.contains(&key) => {
                let queues = queues_of_program(&value).map(|(name, value)| (name.to_owned(), value));
                properties.splice(0..0, queues);
            }
            "name" => manifest.name = value,
            "version" => manifest.version = value,
            "description" => manifest.description = value,
            "provider" => manifest.provider = value,
            "requestSIName" | "responseSIName" if value.is_empty() => {}
            "requestSIName" => properties.push(("requestStructure".to_owned(), interface(folder, value))),
            "responseSIName" => properties.push(("responseStructure".to_owned(), interface(folder, value))),
            _ if known.contains(key.as_str()) => properties.push((key, value)),
            _ if pass_over(&key, &value)? => {}
            _ => {
                let hint = hint(&key, known.iter().copied().chain(IDENTITY));
                return Err(ArchiveError::property(&key, format!("there is no such property{hint}")));
            }
        }
    }
    if manifest.name.is_empty() {
        return Err(ArchiveError::entry(file, "the key name is missing"));
    }
    if manifest.provider != "mq" {
        return Err(ArchiveError::property(
            "provider",
            format!("'{}' is not supported, expected mq or cics", manifest.provider),
        ));
    }
    let archive = ServiceArchive::build(manifest, &properties, &Folder(folder.to_owned()))?;
    check(&archive)?;
    Ok(archive)
}

/// Where the interface of a project lies.
fn interface(folder: &Path, name: String) -> String {
    let below = format!("{INTERFACES}/{name}");
    if folder.join(&below).is_file() { below } else { name }
}

/// What does not depend on the server is checked now: its names stand for themselves here.
fn check(archive: &ServiceArchive) -> Result<(), ArchiveError> {
    let mut names = crate::names::Names::default();
    // A name of JNDI is longer and freer than that of a queue; a server may map it to one.
    for property in ["destination", "replyDestination", "lateReplyDestination"] {
        if let Some(name) = archive.manifest.property(property)
            && model::name::QueueName::parse(name).is_err()
            && !name.starts_with("topic://")
            && !name.starts_with("queue:///")
        {
            names.queues.insert(name.trim().to_owned(), crate::names::Queue::Name("Q".to_owned()));
        }
    }
    archive.content(&names, &std::collections::BTreeMap::new()).map(drop)
}

/// Copybooks of a directory.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Members for Folder {
    fn structure(&self, name: &str) -> Result<Vec<u8>, ArchiveError> {
        content_of(&self.0, name)
    }

    fn member(&self, name: &str, library: Option<&str>) -> Option<Vec<u8>> {
        // A member is a name, never a way out of its folder.
        if [Some(name), library].into_iter().flatten().any(|part| part.contains(['/', '\\']) || part.starts_with('.')) {
            return None;
        }
        let cases = [name.to_owned(), name.to_lowercase(), name.to_uppercase()];
        let folders = library.map(|library| format!("{library}/")).into_iter().chain([String::new()]);
        folders
            .flat_map(|folder| ENDINGS.iter().map(move |ending| (folder.clone(), *ending)))
            .flat_map(|(folder, ending)| cases.iter().map(move |case| format!("{folder}{case}{ending}")))
            .find_map(|path| content_of(&self.0, &path).ok())
    }
}

#[cfg(test)]
mod tests;
