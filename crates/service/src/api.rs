//! APIs: paths and methods of their own in front of services.
//!
//! An [`ApiDefinition`] is what an archive or a source says; how a request becomes the JSON of a service is told in
//! [`mapping`], the documents that describe an API are made in `crate::openapi`. No HTTP types: methods are words, paths and
//! queries are texts as they came.

pub mod expression;
pub mod mapping;
pub mod path;
pub mod tree;

use std::borrow::Cow;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use self::mapping::{Mapping, MappingError, Response, Source, Surroundings};
use self::path::Template;

/// Methods an operation may have, in the order documents list them.
pub const METHODS: [&str; 7] = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS"];

#[derive(Debug, Clone, PartialEq)]
pub struct ApiDefinition {
    pub name: String,
    pub title: String,
    pub version: String,
    pub description: String,
    /// Begins with a slash and ends with none.
    pub base_path: String,
    pub operations: Vec<Operation>,
    /// The document that came with it: OpenAPI 2.0 or 3.
    pub document: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Below the base path.
    pub path: Template,
    /// One of [`METHODS`].
    pub method: &'static str,
    pub operation_id: String,
    pub summary: String,
    pub description: String,
    /// Name of the service.
    pub service: String,
    pub request: Mapping,
    /// The first whose condition holds applies.
    pub responses: Vec<Response>,
    /// Parameters of the query and headers that every request has, because the document of the API says so.
    pub required: Vec<Source>,
}

impl Operation {
    /// The body of the service's request.
    ///
    /// # Errors
    /// A parameter is missing that the document requires; as [`Mapping::request`].
    pub fn map_request(&self, surroundings: &Surroundings<'_>, schema: Option<&Value>) -> Result<Bytes, MappingError> {
        match self.required.iter().find(|source| !surroundings.has(source)) {
            Some(missing) => Err(MappingError::Missing { what: missing.spoken() }),
            None => self.request.request(surroundings, schema),
        }
    }
}

/// The method's word, if it is one of [`METHODS`].
pub fn method(name: &str) -> Option<&'static str> {
    METHODS.iter().find(|known| known.eq_ignore_ascii_case(name)).copied()
}

/// Where a path of an API leads.
#[derive(Debug)]
pub enum Found<'a, 'p> {
    Operation(&'a Operation, Vec<(&'a str, Cow<'p, str>)>),
    /// The path exists (`ApiDefinition::operations_at`).
    OtherMethods,
    /// The value of this parameter of the path is not UTF-8.
    NoText(&'a str),
    Nothing,
}

impl ApiDefinition {
    /// # Errors
    /// The base path is none, or two operations have one path and method.
    pub fn check(&self) -> Result<(), String> {
        check_base_path(&self.base_path)?;
        if self.operations.is_empty() {
            return Err("there is no operation".to_owned());
        }
        for (index, one) in self.operations.iter().enumerate() {
            let whole = format!("{}{}", self.base_path, one.path);
            if is_taken(&whole) {
                return Err(format!(
                    "{} {whole} is a path below which the server has resources of its own",
                    one.method
                ));
            }
            let same = |other: &&Operation| other.method == one.method && other.path.is_alike(&one.path);
            if let Some(other) = self.operations[..index].iter().find(same) {
                return Err(format!("{} {} and {} {} are the same", other.method, other.path, one.method, one.path));
            }
            if let Some(other) = self.operations[..index].iter().find(|other| other.operation_id == one.operation_id) {
                let id = &one.operation_id;
                return Err(format!(
                    "{} {} and {} {} have the operationId {id}",
                    other.method, other.path, one.method, one.path
                ));
            }
        }
        Ok(())
    }

    /// Takes over which parameters the document requires, so that a request without one is refused.
    pub fn require_as_documented(&mut self) {
        let Some(document) = &self.document else { return };
        for operation in &mut self.operations {
            let item = &document["paths"][operation.path.to_string()];
            let shared = item["parameters"].as_array();
            let own = item[operation.method.to_ascii_lowercase()]["parameters"].as_array();
            let all = own.into_iter().chain(shared).flatten();
            operation.required = all.filter_map(|parameter| required(document, parameter)).collect();
        }
    }

    /// `rest` is what follows the base path, still encoded. Of several templates that match, the one with the earlier
    /// fixed part wins.
    pub fn find<'a, 'p>(&'a self, method: &str, rest: &'p str) -> Found<'a, 'p> {
        let mut matching = self.matching(rest);
        if matching.is_empty() {
            return Found::Nothing;
        }
        let position = |method: &str| matching.iter().position(|(operation, _)| operation.method == method);
        // HEAD goes where GET goes.
        let wanted = position(method).or_else(|| if method == "HEAD" { position("GET") } else { None });
        let Some(index) = wanted else { return Found::OtherMethods };
        let (operation, parts) = matching.swap_remove(index);
        let mut values = Vec::with_capacity(parts.len());
        for (name, part) in parts {
            match decoded(part) {
                Some(value) => values.push((name, value)),
                None => return Found::NoText(name),
            }
        }
        Found::Operation(operation, values)
    }

    /// The operations of a path, whatever their methods.
    pub fn operations_at(&self, rest: &str) -> impl Iterator<Item = &Operation> {
        self.matching(rest).into_iter().map(|(operation, _)| operation)
    }

    /// Operations of the template that wins, with the values of its parameters.
    fn matching<'a, 'p>(&'a self, rest: &'p str) -> Vec<(&'a Operation, Vec<(&'a str, &'p str)>)> {
        let mut matching: Vec<_> =
            self.operations.iter().filter_map(|operation| Some((operation, operation.path.matches(rest)?))).collect();
        matching.sort_by_key(|(operation, _)| operation.path.openness());
        if let Some(best) = matching.first().map(|(operation, _)| operation.path.openness()) {
            matching.retain(|(operation, _)| operation.path.openness() == best);
        }
        matching
    }
}

/// The query parameter or header of a description, if requests must have it.
fn required(document: &Value, parameter: &Value) -> Option<Source> {
    let referenced = parameter["$ref"].as_str().and_then(|place| document.pointer(place.strip_prefix('#')?));
    let parameter = referenced.unwrap_or(parameter);
    let name = parameter["name"].as_str().filter(|_| parameter["required"] == true)?.to_owned();
    match parameter["in"].as_str()? {
        "query" => Some(Source::Query(name)),
        // OpenAPI gives these three no meaning as parameters.
        "header" if ["accept", "content-type", "authorization"].iter().any(|own| name.eq_ignore_ascii_case(own)) => {
            None
        }
        "header" => Some(Source::Header(name)),
        _ => None,
    }
}

/// Where an API would be out of reach.
fn is_taken(path: &str) -> bool {
    const TAKEN: [&str; 5] = ["/zosConnect", "/ibmmq", "/ibm", "/api/v1", "/docs"];
    TAKEN.iter().any(|own| path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// # Errors
/// It does not begin with a slash, ends with one, or is where the server's own resources are.
fn check_base_path(base_path: &str) -> Result<(), String> {
    if !base_path.starts_with('/') || base_path.len() < 2 || base_path.ends_with('/') || base_path.contains("//") {
        return Err(format!("basePath is '{base_path}'; expected a path such as /loans"));
    }
    // Nor what clients encode, or take out before they ask.
    if base_path.contains(['?', '#', '{', '}', ' ', '%']) || !base_path.chars().all(|one| one.is_ascii_graphic()) {
        return Err(format!("basePath is '{base_path}'; it has a character that does not stand in paths"));
    }
    if base_path.split('/').any(|part| matches!(part, "." | "..")) {
        return Err(format!("basePath is '{base_path}'; no client asks for a path with '.' or '..'"));
    }
    if is_taken(base_path) {
        return Err(format!("basePath is '{base_path}', below which the server has resources of its own"));
    }
    Ok(())
}

/// A part of a path or a query; `None` when it is not UTF-8.
fn decoded(part: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(part).decode_utf8().ok()
}

/// Names and values of a query, decoded; `None` when one of them is not UTF-8.
pub fn query(text: &str) -> Option<Vec<(String, String)>> {
    let part = |text: &str| decoded(&text.replace('+', " ")).map(Cow::into_owned);
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| Some((part(name)?, part(value)?)))
        .collect()
}

#[cfg(test)]
mod tests;
