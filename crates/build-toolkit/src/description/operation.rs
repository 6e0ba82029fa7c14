//! One operation of a description: its parameters, its body, and the one answer that is converted.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::archive::{REQUEST_GROUPS, RESPONSE_CODE, RESPONSE_GROUPS, parts_of_template};
use crate::options::Level;

use super::{Api, Dialect, Listed, Member, Place, Style, schema};

/// Media types of patches: RFC 7396 and RFC 6902.
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
/// Media type of a body that says none.
const JSON: &str = "application/json";
/// The place of `2XX` among statuses: after all statuses with a number.
const EVERY_SUCCESS: u16 = 300;
const NO_SCHEMA: &str = "a body without a schema cannot be mapped";

/// What goes in and out.
#[derive(Debug, Default)]
pub(crate) struct Found<'a> {
    pub(crate) parameters: Vec<Input<'a>>,
    pub(crate) body: Option<Body<'a>>,
    /// Status of the answer that is converted.
    pub(crate) code: u16,
    /// The response is described as `2XX`.
    pub(crate) every_success: bool,
    pub(crate) response_headers: Vec<Member<'a>>,
    pub(crate) response_body: Option<&'a Value>,
    /// At level 5.0 the body of every answer that is described: the name of its group, and its schema.
    pub(crate) answers: Vec<(&'static str, &'a Value)>,
    /// Constructs of the request that have no place: name, why, whether a request needs them.
    pub(crate) left_out: Vec<(&'a str, String, bool)>,
    /// Those of answers: name and why.
    pub(crate) left_out_of_answers: Vec<(&'a str, String)>,
}

/// A parameter in path, query or header.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    pub(crate) place: Place,
    pub(crate) style: Style,
    pub(crate) member: Member<'a>,
}

#[derive(Debug)]
pub(crate) struct Body<'a> {
    pub(crate) media_type: String,
    pub(crate) schema: &'a Value,
}

/// Reads an operation.
///
/// # Errors
/// Why it cannot become an operation of an API requester.
pub(crate) fn read_operation<'a>(
    api: &Api<'a>,
    listed: &Listed<'a>,
    ignore_media_types: bool,
    level: Level,
) -> Result<Found<'a>, String> {
    let mut reader = Reader { api, listed, ignore_media_types, level, found: Found { code: 200, ..Found::default() } };
    reader.parameters()?;
    if api.dialect == Dialect::OpenApi3 {
        reader.request_body()?;
    }
    reader.response()?;
    if level >= Level::V5_0 {
        reader.answers();
    }
    Ok(reader.found)
}

struct Reader<'r, 'a> {
    api: &'r Api<'a>,
    listed: &'r Listed<'a>,
    ignore_media_types: bool,
    level: Level,
    found: Found<'a>,
}

impl<'a> Reader<'_, 'a> {
    /// Those of the path, replaced by those of the operation with the same name and place.
    fn parameters(&mut self) -> Result<(), String> {
        let mut all: Vec<(&'a str, &'a str, &'a Value)> = Vec::new();
        for owner in [self.listed.item, self.listed.operation] {
            let Some(Value::Array(parameters)) = owner.get("parameters") else { continue };
            for parameter in parameters {
                let parameter = self.followed(parameter)?;
                let text = |name: &str| parameter.get(name).and_then(Value::as_str);
                let (Some(name), Some(place)) = (text("name"), text("in")) else {
                    return Err("a parameter has no name or no place".to_owned());
                };
                match all.iter().position(|(known, at, _)| *known == name && *at == place) {
                    Some(index) => all[index].2 = parameter,
                    None if all.len() >= 1000 => return Err("it has more than 1000 parameters".to_owned()),
                    None => all.push((name, place, parameter)),
                }
            }
        }
        let is_declared = |wanted: &&str| all.iter().any(|(name, place, _)| name == wanted && *place == "path");
        let (parts, _) = parts_of_template(self.listed.path);
        if let Some(name) = parts.into_iter().map(|(_, name)| name).find(|name| !is_declared(name)) {
            return Err(format!("its path has {{{name}}}, which is not a path parameter"));
        }
        for (name, place, parameter) in all {
            self.parameter(name, place, parameter)?;
        }
        Ok(())
    }

    fn parameter(&mut self, name: &'a str, place: &str, parameter: &'a Value) -> Result<(), String> {
        let required = parameter.get("required") == Some(&Value::Bool(true));
        let description = parameter.get("description").and_then(Value::as_str);
        let place = match place {
            "path" => Place::Path,
            "query" => Place::Query,
            "header" => Place::Header,
            "cookie" if self.level >= Level::V5_0 => Place::Cookie,
            "body" => return self.swagger_body(parameter, required),
            "formData" => return Err(format!("the parameter {name} is in formData")),
            other => {
                self.found.left_out.push((name, format!("a parameter in {other} cannot be mapped"), required));
                return Ok(());
            }
        };
        // The server supplies it; OpenAPI 3.0 says so of the other two as well.
        let is_server_s = name.eq_ignore_ascii_case("Authorization")
            || self.api.dialect == Dialect::OpenApi3
                && (name.eq_ignore_ascii_case("Accept") || name.eq_ignore_ascii_case("Content-Type"));
        if place == Place::Header && is_server_s {
            return Ok(());
        }
        let required = required || place == Place::Path;
        let (schema, style) = match self.api.dialect {
            // There a parameter is its own schema.
            Dialect::Swagger2 => (parameter, swagger_style(parameter)),
            Dialect::OpenApi3 => {
                let Some(schema) = parameter.get("schema") else {
                    self.found.left_out.push((
                        name,
                        "a parameter without a schema cannot be mapped".to_owned(),
                        required,
                    ));
                    return Ok(());
                };
                (schema, openapi_style(parameter, place))
            }
        };
        match style {
            Ok(style) => {
                let member = Member { name, required, description, schema };
                self.found.parameters.push(Input { place, style, member });
            }
            Err(problem) => self.found.left_out.push((name, problem, required)),
        }
        Ok(())
    }

    fn swagger_body(&mut self, parameter: &'a Value, required: bool) -> Result<(), String> {
        let types = self.media_types("consumes");
        let media_type = self.json_of(&types).ok_or("it does not take JSON")?;
        self.body(media_type, parameter.get("schema"), required);
        Ok(())
    }

    fn request_body(&mut self) -> Result<(), String> {
        let Some(body) = self.listed.operation.get("requestBody") else { return Ok(()) };
        let body = self.followed(body)?;
        let required = body.get("required") == Some(&Value::Bool(true));
        let Some(Value::Object(content)) = body.get("content") else { return Ok(()) };
        let types: Vec<&str> = content.keys().map(String::as_str).collect();
        let media_type = self.json_of(&types).ok_or("it does not take JSON")?;
        let entry = content.get(&media_type).or_else(|| content.values().next());
        let schema = entry.and_then(|entry| entry.get("schema"));
        let media_type = if media_type.contains('*') { JSON.to_owned() } else { media_type };
        self.body(media_type, schema, required);
        Ok(())
    }

    fn body(&mut self, media_type: String, schema: Option<&'a Value>, required: bool) {
        let is_patch = self.level >= Level::V5_0 && self.listed.method == "PATCH";
        // RFC 6902 says what such a body looks like, whatever its schema.
        let resource = self.resource().filter(|_| is_patch && is_essence(&media_type, JSON_PATCH));
        match resource.or(schema) {
            Some(schema) => self.found.body = Some(Body { media_type, schema }),
            None => self.found.left_out.push((REQUEST_GROUPS[3], NO_SCHEMA.to_owned(), required)),
        }
    }

    /// The schema of what a patch changes: of the object that a success answers with, of this operation or of the GET of its path.
    fn resource(&self) -> Option<&'a Value> {
        let operations = [Some(self.listed.operation), self.listed.item.get("get").and_then(Value::as_object)];
        operations.into_iter().flatten().find_map(|operation| {
            let (_, response) = success(operation)?;
            let schema = self.body_of(self.followed(response).ok()?).ok()??.get("schema")?;
            let followed = self.followed(schema).ok()?;
            let is_object = match followed.get("type") {
                Some(kind) => kind == "object",
                None => followed.get("properties").or_else(|| followed.get("allOf")).is_some(),
            };
            is_object.then_some(schema)
        })
    }

    /// The one with the smallest status of success.
    fn response(&mut self) -> Result<(), String> {
        let Some(((order, code), response)) = success(self.listed.operation) else { return Ok(()) };
        self.found.code = code;
        self.found.every_success = order == EVERY_SUCCESS;
        let response = self.followed(response)?;
        if let Some(Value::Object(headers)) = response.get("headers") {
            for (name, header) in headers {
                match self.response_header(name, header) {
                    Ok(member) => self.found.response_headers.push(member),
                    Err(problem) => self.found.left_out_of_answers.push((name, problem)),
                }
            }
        }
        let body = self.body_of(response)?;
        // From level 5.0 on this is one of the answers.
        if self.level < Level::V5_0 {
            self.found.response_body = body.and_then(|body| self.schema_of(RESPONSE_GROUPS[1], body));
        }
        Ok(())
    }

    fn response_header(&self, name: &'a str, header: &'a Value) -> Result<Member<'a>, String> {
        let header = self.followed(header)?;
        let schema = match self.api.dialect {
            Dialect::Swagger2 => header,
            Dialect::OpenApi3 => header.get("schema").ok_or("a response header without a schema cannot be mapped")?,
        };
        let required = header.get("required") == Some(&Value::Bool(true));
        let description = header.get("description").and_then(Value::as_str);
        Ok(Member { name, required, description, schema })
    }

    /// What describes an answer's body, if it has one: the object whose member `schema` is the schema.
    fn body_of(&self, response: &'a Value) -> Result<Option<&'a Value>, String> {
        let no_json = "it does not answer in JSON";
        match self.api.dialect {
            Dialect::Swagger2 if response.get("schema").is_some() => {
                self.json_of(&self.media_types("produces")).ok_or(no_json)?;
                Ok(Some(response))
            }
            Dialect::Swagger2 => Ok(None),
            Dialect::OpenApi3 => {
                let Some(Value::Object(content)) = response.get("content") else { return Ok(None) };
                let types: Vec<&str> = content.keys().map(String::as_str).collect();
                let media_type = self.json_of(&types).ok_or(no_json)?;
                Ok(content.get(&media_type).or_else(|| content.values().next()))
            }
        }
    }

    /// The schema in the description of an answer's body.
    fn schema_of(&mut self, name: &'static str, body: &'a Value) -> Option<&'a Value> {
        let schema = body.get("schema");
        if schema.is_none() {
            self.found.left_out_of_answers.push((name, NO_SCHEMA.to_owned()));
        }
        schema
    }

    /// What describes an answer that is plain text: a body that is neither JSON nor that reaches the program as it comes.
    fn text_of(&self, response: &'a Value) -> Option<&'a Value> {
        let content = response.get("content")?.as_object()?;
        let (_, body) = content.iter().find(|(name, _)| is_essence(name, "text/plain"))?;
        let schema = self.followed(body.get("schema")?).ok()?;
        (schema.get("type")? == "string").then_some(body)
    }

    /// Bodies of all answers; one that is neither JSON nor plain text reaches the program as text, as one does that is not described.
    fn answers(&mut self) {
        let Some(Value::Object(responses)) = self.listed.operation.get("responses") else { return };
        for (key, response) in responses {
            let Some(name) = group_of_status(key) else { continue };
            let response = match self.followed(response) {
                Ok(response) => response,
                Err(problem) => {
                    self.found.left_out_of_answers.push((name, problem));
                    continue;
                }
            };
            let body = self.body_of(response).ok().flatten().or_else(|| self.text_of(response));
            let Some(body) = body else { continue };
            if let Some(schema) = self.schema_of(name, body) {
                self.found.answers.push((name, schema));
            }
        }
    }

    /// Of the operation, or else of the API.
    fn media_types(&self, member: &str) -> Vec<&'a str> {
        let own = self.listed.operation.get(member).or_else(|| self.api.root.get(member));
        own.and_then(Value::as_array).map(|types| types.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    /// The media type among these that is JSON, as it is written; JSON itself where there is none at all.
    fn json_of(&self, types: &[&str]) -> Option<String> {
        let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_json = |text: &&&str| {
            let essence = essence(text);
            essence == JSON || essence.ends_with("+json")
        };
        let exact = types.iter().find(|text| essence(text) == JSON).or_else(|| types.iter().find(is_json));
        let any = || types.iter().find(|text| matches!(essence(text).as_str(), "*/*" | "application/*"));
        match exact.or_else(any) {
            Some(found) => Some((*found).to_owned()),
            None if types.is_empty() || self.ignore_media_types => Some(JSON.to_owned()),
            None => None,
        }
    }

    fn followed(&self, value: &'a Value) -> Result<&'a Value, String> {
        let mut value = value;
        for _ in 0..16 {
            match value.get("$ref").and_then(Value::as_str) {
                Some(reference) => value = schema::resolve(self.api.root, reference)?,
                None if value.is_object() => return Ok(value),
                None => return Err("it is not an object".to_owned()),
            }
        }
        Err("references go round in a circle".to_owned())
    }
}

/// Whether a media type is this one, whatever its parameters.
pub(crate) fn is_essence(media_type: &str, essence: &str) -> bool {
    media_type.split(';').next().is_some_and(|one| one.trim().eq_ignore_ascii_case(essence))
}

/// The answer with the smallest status of success: its place among them and its status.
fn success(operation: &Map<String, Value>) -> Option<((u16, u16), &Value)> {
    let code_of = |key: &str| match key {
        "2XX" | "2xx" => Some((EVERY_SUCCESS, 200)),
        _ => key.parse().ok().filter(|code| (200..300).contains(code)).map(|code| (code, code)),
    };
    let responses = operation.get("responses")?.as_object()?;
    let successes = responses.iter().filter_map(|(key, response)| Some((code_of(key)?, response)));
    successes.min_by_key(|((order, _), _)| *order)
}

/// `responseCode200`, `responseCode2XX`, `responseCodeDefault`.
fn group_of_status(key: &str) -> Option<&'static str> {
    static NAMES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let statuses = (100..600).map(|status| (status.to_string(), format!("{RESPONSE_CODE}{status}")));
        let classes = (1..6).map(|class| (format!("{class}XX"), format!("{RESPONSE_CODE}{class}XX")));
        let other = std::iter::once(("DEFAULT".to_owned(), format!("{RESPONSE_CODE}Default")));
        statuses.chain(classes).chain(other).collect()
    });
    NAMES.get(&key.to_ascii_uppercase()).map(String::as_str)
}

fn swagger_style(parameter: &Value) -> Result<Style, String> {
    match parameter.get("collectionFormat").and_then(Value::as_str).unwrap_or("csv") {
        "csv" => Ok(Style::Comma),
        "ssv" => Ok(Style::Blank),
        "tsv" => Ok(Style::Tab),
        "pipes" => Ok(Style::Bar),
        "multi" => Ok(Style::Repeated),
        other => Err(format!("there is no collectionFormat {other}")),
    }
}

fn openapi_style(parameter: &Value, place: Place) -> Result<Style, String> {
    let style = parameter.get("style").and_then(Value::as_str);
    let explode = parameter.get("explode").and_then(Value::as_bool);
    match (place, style) {
        (Place::Path | Place::Header, None | Some("simple")) => Ok(Style::Comma),
        (Place::Cookie, None | Some("form")) => Ok(Style::Comma),
        (Place::Query, None | Some("form")) if explode == Some(false) => Ok(Style::Comma),
        (Place::Query, None | Some("form")) => Ok(Style::Repeated),
        (Place::Query, Some("spaceDelimited")) => {
            Ok(if explode == Some(true) { Style::Repeated } else { Style::Blank })
        }
        (Place::Query, Some("pipeDelimited")) => Ok(if explode == Some(true) { Style::Repeated } else { Style::Bar }),
        (_, Some(other)) => Err(format!("the style {other} cannot be mapped")),
    }
}
