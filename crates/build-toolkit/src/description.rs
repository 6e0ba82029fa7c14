//! The description of an API, Swagger 2.0 or OpenAPI 3.0: which operations it has, and what goes in and out of each.
//!
//! Schemas are only pointed at here; `schema.rs` reads them.
//! Source: reference, 1.3 and 1.4; OpenAPI specification 2.0 and 3.0.3.

mod operation;

use std::borrow::Cow;

use document::yaml::{self, Scalars};
use serde_json::{Map, Value};

use crate::archive::{MAXIMUM_NAME, Place, Style};
use crate::schema::{self, Member};

pub(crate) use operation::{Found, JSON_PATCH, MERGE_PATCH, is_essence, read_operation};

/// Longest description, in bytes.
pub const MAXIMUM_BYTES: usize = 32 << 20;
/// Most values of a description in YAML.
const MAXIMUM_NODES: usize = 4_000_000;

/// Methods in the order in which operations of a path are numbered.
const METHODS: [(&str, &str); 7] = [
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
];

/// Why a description cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    #[error("the name of the file must end in .json, .yaml or .yml")]
    Ending,
    #[error("it is longer than {MAXIMUM_BYTES} bytes")]
    TooLong,
    #[error("it is not UTF-8")]
    Encoding,
    #[error("{0}")]
    Syntax(String),
    #[error("it is neither a swagger 2.0 nor an openapi 3.0 document")]
    Kind,
    #[error("{0} is missing or no text")]
    Missing(&'static str),
    #[error(
        "the name of the API requester, {0:?}, is empty, longer than {MAXIMUM_NAME} bytes or has characters it cannot have"
    )]
    Name(String),
    #[error("{0}")]
    BasePath(String),
}

/// Which specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Swagger2,
    OpenApi3,
}

/// A description that has been read.
#[derive(Debug)]
pub struct Description {
    root: Value,
    /// `info.version` as it stands there.
    version: String,
}

impl Description {
    /// Reads a description; the ending of the file's name selects the format.
    ///
    /// # Errors
    /// It is neither JSON nor YAML, too long, or has no version.
    pub fn read(file_name: &str, content: &[u8]) -> Result<Self, DescriptionError> {
        if content.len() > MAXIMUM_BYTES {
            return Err(DescriptionError::TooLong);
        }
        let text = std::str::from_utf8(content).map_err(|_| DescriptionError::Encoding)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let ending = file_name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
        let syntax = |error: &dyn std::fmt::Display| DescriptionError::Syntax(error.to_string());
        let limits = yaml::Limits { bytes: MAXIMUM_BYTES, nodes: MAXIMUM_NODES };
        let in_yaml = |scalars| yaml::read_within(text, scalars, &limits).map_err(|error| syntax(&error));
        let is_yaml = match ending.as_str() {
            "json" => false,
            "yaml" | "yml" => true,
            _ => return Err(DescriptionError::Ending),
        };
        let root: Value = if is_yaml {
            in_yaml(Scalars::Typed)?
        } else {
            serde_json::from_str(text).map_err(|error| syntax(&error))?
        };
        let version = match root.pointer("/info/version") {
            Some(Value::String(version)) => version.clone(),
            // 1.10 is a number in YAML, and 1.1 then.
            Some(Value::Number(_)) if is_yaml => match in_yaml(Scalars::Text)?.pointer("/info/version") {
                Some(Value::String(version)) => version.clone(),
                _ => return Err(DescriptionError::Missing("info.version")),
            },
            _ => return Err(DescriptionError::Missing("info.version")),
        };
        Ok(Self { root, version })
    }

    /// What it is all about.
    pub(crate) fn api(&self, name: Option<&str>) -> Result<Api<'_>, DescriptionError> {
        let root = &self.root;
        let says = |member: &str| match root.get(member) {
            Some(Value::String(version)) => Some(Cow::Borrowed(version.as_str())),
            Some(Value::Number(version)) => Some(Cow::Owned(version.to_string())),
            _ => None,
        };
        let dialect = match (says("swagger"), says("openapi")) {
            (Some(version), _) if version == "2.0" => Dialect::Swagger2,
            (_, Some(version)) if version == "3.0" || version.starts_with("3.0.") => Dialect::OpenApi3,
            _ => return Err(DescriptionError::Kind),
        };
        let title =
            root.pointer("/info/title").and_then(Value::as_str).ok_or(DescriptionError::Missing("info.title"))?;
        let own = format!("{}_{}", title.replace(' ', "-"), self.version);
        let name = name.map_or(own, str::to_owned);
        let is_impossible = |one: char| one.is_control() || one == '\\';
        if name.is_empty() || name.len() > MAXIMUM_NAME || name.contains(is_impossible) {
            return Err(DescriptionError::Name(name.chars().take(300).collect()));
        }
        let base_path = match dialect {
            Dialect::Swagger2 => root.get("basePath").and_then(Value::as_str).unwrap_or_default().to_owned(),
            Dialect::OpenApi3 => server_path(root)?,
        };
        let base_path = base_path.trim_end_matches('/').to_owned();
        let is_path = base_path.is_empty() || base_path.starts_with('/') && !base_path.chars().any(char::is_control);
        if !is_path {
            return Err(DescriptionError::BasePath(format!("the base path {base_path:?} does not begin with a slash")));
        }
        Ok(Api {
            root,
            dialect,
            title,
            name,
            version: &self.version,
            description: root.pointer("/info/description").and_then(Value::as_str).unwrap_or_default(),
            base_path,
        })
    }
}

/// An API, and where the rest of its description stands.
pub(crate) struct Api<'a> {
    pub(crate) root: &'a Value,
    pub(crate) dialect: Dialect,
    pub(crate) title: &'a str,
    pub(crate) name: String,
    pub(crate) version: &'a str,
    pub(crate) description: &'a str,
    /// Without a slash at its end.
    pub(crate) base_path: String,
}

/// An operation, found but not read.
pub(crate) struct Listed<'a> {
    pub(crate) id: String,
    pub(crate) path: &'a str,
    pub(crate) method: &'static str,
    item: &'a Map<String, Value>,
    operation: &'a Map<String, Value>,
}

impl<'a> Api<'a> {
    /// Definitions that schemas refer to.
    pub(crate) fn definitions(&self) -> Option<&'a Map<String, Value>> {
        let found = match self.dialect {
            Dialect::Swagger2 => self.root.get("definitions"),
            Dialect::OpenApi3 => self.root.pointer("/components/schemas"),
        };
        found.and_then(Value::as_object)
    }

    /// All operations in the order of their numbers, and what cannot be one, with the reason.
    pub(crate) fn operations(&self) -> (Vec<Listed<'a>>, Vec<(String, &'static str)>) {
        let (mut listed, mut refused) = (Vec::new(), Vec::new());
        let Some(Value::Object(paths)) = self.root.get("paths") else { return (listed, refused) };
        for (path, item) in paths {
            if path.starts_with("x-") {
                continue;
            }
            let Value::Object(item) = item else {
                refused.push((path.clone(), "it is no path item"));
                continue;
            };
            if !path.starts_with('/') || path.chars().any(char::is_control) {
                refused.push((path.clone(), "a path begins with a slash"));
                continue;
            }
            if item.contains_key("$ref") {
                refused.push((path.clone(), "$ref in a path item cannot be mapped"));
                continue;
            }
            if item.contains_key("trace") {
                refused.push((format!("TRACE {path}"), "there are no operations of that method"));
            }
            for (key, method) in METHODS {
                if let Some(Value::Object(operation)) = item.get(key) {
                    let id = operation.get("operationId").and_then(Value::as_str).filter(|id| !id.trim().is_empty());
                    let id = id.map_or_else(|| self.own_id(path, method), one_line);
                    listed.push(Listed { id, path, method, item, operation });
                }
            }
        }
        (listed, refused)
    }

    /// `helloworld_hello_GET`.
    fn own_id(&self, path: &str, method: &str) -> String {
        let full = format!("{}{path}", self.base_path);
        format!("{}_{method}", full.trim_start_matches('/').replace('/', "_"))
    }
}

/// Names stand on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split(|one: char| one.is_whitespace() || one.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Path of the first server's URL, its variables at their defaults.
fn server_path(root: &Value) -> Result<String, DescriptionError> {
    let Some(server) = root.pointer("/servers/0") else { return Ok(String::new()) };
    let mut url = server.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(Value::Object(variables)) = server.get("variables") {
        for (name, variable) in variables {
            let usual = variable.get("default").and_then(Value::as_str).unwrap_or_default();
            url = url.replace(&format!("{{{name}}}"), usual);
        }
    }
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |slash| &rest[slash..]),
        None => &url,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if path.contains(['{', '}']) {
        return Err(DescriptionError::BasePath(format!("the URL {url} of the server has a variable without a value")));
    }
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests;
