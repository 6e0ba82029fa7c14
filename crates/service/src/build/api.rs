//! The source of an API: `api.yaml`.
//!
//! ```yaml
//! name: loans
//! version: 1.0.0
//! basePath: /loans
//! operations:
//!   - path: /applications/{customer}
//!     method: POST
//!     service: loanService
//!     request:
//!       set:
//!         cust_name: { path: customer }
//!         loan_amount: { query: amount, type: integer, required: true }
//!         channel: { value: WEB }
//!       remove: [internal]
//!     response:
//!       code: 200
//!       remove: [msg_count]
//! ```
//! The body passes on with POST, PUT and PATCH, and begins empty with other methods, unless `body: true` or `body: false`
//! says otherwise.

use std::path::Path;

use serde_json::{Map, Value};

use super::{hint, text_of};
use crate::api::mapping::{Kind, Mapping, Source, Statement};
use crate::api::path::Template;
use crate::api::tree::Place;
use crate::api::{ApiDefinition, METHODS, Operation, method};
use crate::archive::api::{default_operation_id, parse_document};
use crate::archive::{ApiArchive, ArchiveError};
use document::yaml::{self, Scalars};

const KEYS: &[&str] = &["name", "title", "version", "description", "basePath", "document", "operations"];
const OPERATION_KEYS: &[&str] =
    &["path", "method", "operationId", "summary", "description", "service", "request", "response"];
const REQUEST_KEYS: &[&str] = &["body", "set", "remove"];
const RESPONSE_KEYS: &[&str] = &["body", "set", "remove", "code"];
const SOURCE_KEYS: &[&str] = &["path", "query", "header", "body", "value", "type", "required"];

/// Builds from the text of `api.yaml`.
///
/// # Errors
/// It is not YAML, or says what cannot be.
pub fn of_yaml(folder: &Path, file: &str, text: &str) -> Result<ApiArchive, ArchiveError> {
    let syntax = |error| ArchiveError::entry(file, error);
    // Constants keep their types, texts such as version: 1.0 their spelling.
    let typed = Node::root(yaml::read(text, Scalars::Typed).map_err(syntax)?);
    let plain = Node::root(yaml::read(text, Scalars::Text).map_err(syntax)?);
    plain.check(KEYS)?;
    let name = plain.needed("name")?;
    let base_path =
        plain.text("basePath").map_or_else(|| format!("/{name}"), |path| path.trim_end_matches('/').to_owned());
    let mut operations = Vec::new();
    for (plain, typed) in plain.items("operations")?.into_iter().zip(typed.items("operations")?) {
        operations.push(operation(&plain, &typed)?);
    }
    let document = match plain.text("document") {
        Some(file) => Some(parse_document(&text_of(folder, &file)?, &file)?),
        None => None,
    };
    ApiArchive::build(ApiDefinition {
        title: plain.text("title").unwrap_or_else(|| name.clone()),
        version: plain.text("version").unwrap_or_else(|| "1.0.0".to_owned()),
        description: plain.text("description").unwrap_or_default(),
        name,
        base_path,
        operations,
        document,
    })
}

fn operation(plain: &Node, typed: &Node) -> Result<Operation, ArchiveError> {
    plain.check(OPERATION_KEYS)?;
    let path = Template::parse(&plain.needed("path")?).map_err(|problem| plain.wrong("path", problem))?;
    let word = plain.needed("method")?;
    let method = method(&word).ok_or_else(|| {
        plain.wrong("method", format!("'{word}' is not valid, expected one of {}", METHODS.join(", ")))
    })?;
    let takes_body = matches!(method, "POST" | "PUT" | "PATCH");
    let (request, response) = (plain.child("request"), plain.child("response"));
    request.check(REQUEST_KEYS)?;
    response.check(RESPONSE_KEYS)?;
    let request_mapping = mapping(&request, &typed.child("request"), takes_body)?;
    for statement in &request_mapping.statements {
        if let Statement::Move { from: Source::Path(name), .. } = statement
            && !path.parameters().any(|known| known == name)
        {
            return Err(request.wrong("set", format!("the path {path} has no parameter {name}")));
        }
    }
    let response_mapping = mapping(&response, &typed.child("response"), true)?;
    let code = match response.text("code") {
        None => 200,
        Some(text) => text
            .parse()
            .ok()
            .filter(|code| (200..600).contains(code))
            .ok_or_else(|| response.wrong("code", format!("'{text}' is no code from 200 to 599")))?,
    };
    Ok(Operation {
        operation_id: plain.text("operationId").unwrap_or_else(|| default_operation_id(method, &path)),
        summary: plain.text("summary").unwrap_or_default(),
        description: plain.text("description").unwrap_or_default(),
        service: plain.needed("service")?,
        request: request_mapping,
        response: response_mapping,
        response_code: code,
        required: Vec::new(),
        path,
        method,
    })
}

fn mapping(plain: &Node, typed: &Node, passes_body: bool) -> Result<Mapping, ArchiveError> {
    let passes_body = plain.flag("body")?.unwrap_or(passes_body);
    let place = |key: &str, text: &str| Place::parse(text).map_err(|problem| plain.wrong(key, problem));
    let mut statements = Vec::new();
    let (set, constants) = (plain.child("set"), typed.child("set"));
    for to in set.keys() {
        let from = set.child(&to);
        from.check(SOURCE_KEYS)?;
        let given: Vec<&str> = SOURCE_KEYS[..5].iter().copied().filter(|key| from.value.get(*key).is_some()).collect();
        let [kind_of_source] = given.as_slice() else {
            return Err(set.wrong(&to, "expected one of path, query, header, body or value"));
        };
        let name = from.text(kind_of_source).unwrap_or_default();
        let source = match *kind_of_source {
            "path" => Source::Path(name),
            "query" => Source::Query(name),
            "header" => Source::Header(name),
            "body" => Source::Body(place(&to, &name)?),
            _ => Source::Value(constants.child(&to).value["value"].clone()),
        };
        let kind = match from.text("type") {
            None => Kind::AsSchema,
            Some(word) => Kind::parse(&word).ok_or_else(|| from.wrong("type", format!("'{word}' is no type")))?,
        };
        let required = from.flag("required")?.unwrap_or(matches!(source, Source::Path(_)));
        statements.push(Statement::Move { from: source, to: place("set", &to)?, kind, required });
    }
    for at in plain.texts("remove")? {
        statements.push(Statement::Remove(place("remove", &at)?));
    }
    Ok(Mapping { passes_body, statements })
}

/// A value of the source, and where it stands.
struct Node {
    at: String,
    value: Value,
}

impl Node {
    fn root(value: Value) -> Self {
        Self { at: String::new(), value }
    }

    fn name(&self, key: &str) -> String {
        if self.at.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at) }
    }

    fn wrong(&self, key: &str, problem: impl ToString) -> ArchiveError {
        ArchiveError::property(&self.name(key), problem)
    }

    /// # Errors
    /// There is a key that is not known, or the value is something else than keys and values.
    fn check(&self, known: &[&str]) -> Result<(), ArchiveError> {
        match &self.value {
            Value::Null => Ok(()),
            Value::Object(members) => match members.keys().find(|key| !known.contains(&key.as_str())) {
                Some(key) => {
                    let hint = hint(key, known.iter().copied());
                    Err(self.wrong(key, format!("there is no such key{hint}")))
                }
                None => Ok(()),
            },
            _ => Err(ArchiveError::property(&self.at, "expected keys and values")),
        }
    }

    fn child(&self, key: &str) -> Self {
        Self { at: self.name(key), value: self.value.get(key).cloned().unwrap_or_default() }
    }

    fn keys(&self) -> Vec<String> {
        self.value.as_object().map(Map::keys).into_iter().flatten().cloned().collect()
    }

    fn text(&self, key: &str) -> Option<String> {
        self.value.get(key)?.as_str().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn needed(&self, key: &str) -> Result<String, ArchiveError> {
        self.text(key).ok_or_else(|| self.wrong(key, "a text is needed"))
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, ArchiveError> {
        match self.text(key).as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(self.wrong(key, format!("'{other}' is neither true nor false"))),
        }
    }

    fn items(&self, key: &str) -> Result<Vec<Self>, ArchiveError> {
        let node = self.child(key);
        match node.value {
            Value::Array(items) => {
                let at = |index: usize| format!("{}[{index}]", node.at);
                Ok(items.into_iter().enumerate().map(|(index, value)| Self { at: at(index), value }).collect())
            }
            Value::Null => Ok(Vec::new()),
            _ => Err(self.wrong(key, "expected a list")),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, ArchiveError> {
        let items = self.items(key)?;
        items
            .iter()
            .map(|item| item.value.as_str().map(str::to_owned).ok_or_else(|| self.wrong(key, "expected texts")))
            .collect()
    }
}

#[cfg(test)]
mod tests;
