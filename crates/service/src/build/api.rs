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
//! `type` is for values that come as texts: of path, query and header. Values may be expressions (`{ expression: "$uppercase(name)" }`) and loops (`{ each: lines, set: { price: { expression: cost } } }`).
//! `responses` in place of `response` has several, each but the last with a condition `when`.
//! The body passes on with POST, PUT and PATCH, and begins empty with other methods, unless `body: true` or `body: false`
//! says otherwise.

use std::path::Path;

use serde_json::{Map, Value};

use super::{hint, text_of};
use crate::api::expression::{API_REQUEST, Expression, SERVICE_RESPONSE};
use crate::api::mapping::{Kind, Loop, Made, Mapping, Response, Source, Statement};
use crate::api::path::Template;
use crate::api::tree::Place;
use crate::api::{ApiDefinition, METHODS, Operation, method};
use crate::archive::api::{default_operation_id, parse_document};
use crate::archive::{ApiArchive, ArchiveError};
use document::yaml::{self, Scalars};

const KEYS: &[&str] = &["name", "title", "version", "description", "basePath", "document", "operations"];
const OPERATION_KEYS: &[&str] =
    &["path", "method", "operationId", "summary", "description", "service", "request", "response", "responses"];
const REQUEST_KEYS: &[&str] = &["body", "set", "remove"];
const RESPONSE_KEYS: &[&str] = &["body", "set", "remove", "code"];
const CONDITIONAL_KEYS: &[&str] = &["when", "body", "set", "remove", "code"];
const SOURCE_KEYS: &[&str] = &["path", "query", "header", "body", "value", "expression", "type", "required"];
/// Those of them that are sources.
const SOURCES: usize = 6;
const LOOP_KEYS: &[&str] = &["each", "as", "set"];
/// Of expressions, beside those of loops.
const VARIABLES: [&str; 2] = [API_REQUEST, SERVICE_RESPONSE];

/// Whether the text is that of an API, whatever its file is called: a service has no operations.
pub(super) fn is_one(text: &str) -> bool {
    yaml::read(text, Scalars::Text).is_ok_and(|value| value.get("operations").is_some())
}

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
    let request = plain.child("request");
    request.check(REQUEST_KEYS)?;
    let request_mapping = mapping(&request, &typed.child("request"), takes_body)?;
    for statement in &request_mapping.statements {
        if let Statement::Move { from: Source::Path(name), .. } = statement
            && !path.parameters().any(|known| known == name)
        {
            return Err(request.wrong("set", format!("the path {path} has no parameter {name}")));
        }
    }
    Ok(Operation {
        operation_id: plain.text("operationId").unwrap_or_else(|| default_operation_id(method, &path)),
        summary: plain.text("summary").unwrap_or_default(),
        description: plain.text("description").unwrap_or_default(),
        service: plain.needed("service")?,
        request: request_mapping,
        responses: responses(plain, typed)?,
        required: Vec::new(),
        path,
        method,
    })
}

/// One that always applies, or several of which the first applies whose condition holds.
fn responses(plain: &Node, typed: &Node) -> Result<Vec<Response>, ArchiveError> {
    let (several, one) = (plain.items("responses")?, plain.child("response"));
    if several.is_empty() {
        one.check(RESPONSE_KEYS)?;
        return Ok(vec![response(&one, &typed.child("response"))?]);
    }
    if !one.value.is_null() {
        return Err(plain.wrong("response", "it cannot be used with responses"));
    }
    let mut responses = Vec::with_capacity(several.len());
    for (plain, typed) in several.iter().zip(typed.items("responses")?) {
        plain.check(CONDITIONAL_KEYS)?;
        if responses.last().is_some_and(|before: &Response| before.when.is_none()) {
            return Err(plain.wrong("when", "the response before it has no condition, so that this one never applies"));
        }
        responses.push(response(plain, &typed)?);
    }
    Ok(responses)
}

fn response(plain: &Node, typed: &Node) -> Result<Response, ArchiveError> {
    let code = match plain.text("code") {
        None => 200,
        Some(text) => text
            .parse()
            .ok()
            .filter(|code| (200..600).contains(code))
            .ok_or_else(|| plain.wrong("code", format!("'{text}' is no code from 200 to 599")))?,
    };
    let when = plain.text("when").map(|text| expression(plain, "when", &text, &[])).transpose()?;
    Ok(Response { when, code, mapping: mapping(plain, typed, true)? })
}

/// `loops`: variables of the loops around it.
fn expression(node: &Node, key: &str, text: &str, loops: &[&str]) -> Result<Expression, ArchiveError> {
    let expression = Expression::parse(text).map_err(|error| node.wrong(key, error))?;
    let is_known = |name: &str| VARIABLES.contains(&name) || loops.contains(&name);
    match expression.free_variables().into_iter().find(|name| !is_known(name)) {
        None => Ok(expression),
        Some(name) => {
            let known: Vec<String> = VARIABLES.iter().chain(loops).map(|name| format!("${name}")).collect();
            Err(node.wrong(key, format!("there is no variable ${name}; expected one of {}", known.join(", "))))
        }
    }
}

/// A loop, whose members are expressions or loops.
fn each(node: &Node, loops: &[&str]) -> Result<Loop, ArchiveError> {
    node.check(LOOP_KEYS)?;
    let variable = node.text("as").unwrap_or_else(|| "item".to_owned());
    let is_name = variable.chars().all(|one| one.is_alphanumeric() || one == '_');
    if !is_name || variable.trim_start_matches('$') != variable {
        return Err(node.wrong("as", format!("'{variable}' is no name of letters and digits, without $")));
    }
    let set = node.child("set");
    let inner = [loops, &[&variable, "index"]].concat();
    let mut members = Vec::new();
    for to in set.keys() {
        let from = set.child(&to);
        let place = Place::parse(&to).map_err(|problem| set.wrong(&to, problem))?;
        let made = if from.value.get("each").is_some() {
            Made::Loop(each(&from, &inner)?)
        } else {
            from.check(&["expression"])?;
            Made::Value(expression(&from, "expression", &from.needed("expression")?, &inner)?)
        };
        members.push((place, made));
    }
    let over = expression(node, "each", &node.needed("each")?, loops)?;
    Ok(Loop { over, variable, members })
}

fn mapping(plain: &Node, typed: &Node, passes_body: bool) -> Result<Mapping, ArchiveError> {
    let passes_body = plain.flag("body")?.unwrap_or(passes_body);
    let place = |key: &str, text: &str| Place::parse(text).map_err(|problem| plain.wrong(key, problem));
    let mut statements = Vec::new();
    let (set, constants) = (plain.child("set"), typed.child("set"));
    for to in set.keys() {
        let from = set.child(&to);
        if from.value.get("each").is_some() {
            statements.push(Statement::Each { each: each(&from, &[])?, to: place("set", &to)? });
            continue;
        }
        from.check(SOURCE_KEYS)?;
        let given: Vec<&str> =
            SOURCE_KEYS[..SOURCES].iter().copied().filter(|key| from.value.get(*key).is_some()).collect();
        let [kind_of_source] = given.as_slice() else {
            return Err(set.wrong(&to, "expected one of path, query, header, body, value, expression or each"));
        };
        let name = from.text(kind_of_source).unwrap_or_default();
        let source = match *kind_of_source {
            "path" => Source::Path(name),
            "query" => Source::Query(name),
            "header" => Source::Header(name),
            "body" => Source::Body(place(&to, &name)?),
            "expression" => Source::Expression(expression(&from, "expression", &name, &[])?),
            _ => Source::Value(constants.child(&to).value["value"].clone()),
        };
        let kind = match from.text("type") {
            None => Kind::AsSchema,
            Some(_) if !matches!(source, Source::Path(_) | Source::Query(_) | Source::Header(_)) => {
                let advice = match source {
                    Source::Expression(_) => "; $number, $string or $boolean in the expression change it",
                    _ => "",
                };
                let problem =
                    format!("it is for path, query and header; this {kind_of_source} has a type of its own{advice}");
                return Err(from.wrong("type", problem));
            }
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
