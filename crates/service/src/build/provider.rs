//! Projects of provider 3.0: an API of the folder `operations` and its document, a service of each folder below `zosAssets`.
//!
//! ```text
//! src/main/api/openapi.yaml
//! src/main/operations/%2Fcontacts%2F%7BlastName%7D/get/
//!     operation.yaml          zasset: "phonebook"
//!     request.yaml            mappings: - message: mappings: ... template: "{{$pathParameters.lastName}}"
//!     response_200.yaml       mappings: - body: mappings: ... template: "{{$zosAssetResponse.message.\"OUT\".\"NAME\"}}"
//!     response_mapping.yaml   response_200.yaml: condition: ..., httpStatusCode: 200
//! src/main/zosAssets/phonebook/
//!     zosAsset.yaml           type: "imsTransaction-1.0", providerProperties: transactionCode: ...
//!     providerFiles/request.dai, response.dai
//! ```
//! The program behind an asset is reached by queues: [`service`] says by which. Whatever is not read here is refused by name.
//!
//! Source: public projects (zosconnect/sample-ims-api); no description was published.

use std::fs;
use std::path::Path;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::service::Folder;
use super::{content_of, text_of};
use crate::api::expression::Expression;
use crate::api::mapping::{Kind, Loop, Made, Mapping, Response, Source, Statement};
use crate::api::path::Template;
use crate::api::tree::Place;
use crate::api::{ApiDefinition, Operation, method};
use crate::archive::api::{default_operation_id, parse_document};
use crate::archive::interface::Interface;
use crate::archive::manifest::Manifest;
use crate::archive::service::queues_of_program;
use crate::archive::{ApiArchive, ArchiveError, ServiceArchive};
use document::yaml::{self, Scalars};

/// The file of an asset, by which its folder is known.
pub(super) const ASSET: &str = "zosAsset.yaml";
const OPERATIONS: &str = "operations";
const DOCUMENTS: [&str; 3] = ["api/openapi.yaml", "api/openapi.yml", "api/openapi.json"];
/// Types of assets, without their version, with what their JSON stands in and the property that names their program.
const ASSETS: [(&str, &str, &str); 2] =
    [("imsTransaction", "message", "transactionCode"), ("cicsCommarea", "commarea", "program")];
const REQUEST: &str = "providerFiles/request.dai";
const RESPONSE: &str = "providerFiles/response.dai";
/// Variables of the request, which are members of `$apiRequest` as well. An error of a service is never mapped, so that `$error` has no
/// value.
const VARIABLES: [&str; 5] = ["pathParameters", "queryParameters", "headers", "body", "error"];

/// The folder of a project that has its operations, if the folder is one of a project.
pub(super) fn of_project(folder: &Path) -> Option<std::path::PathBuf> {
    [folder.join("src/main"), folder.to_owned()].into_iter().find(|main| main.join(OPERATIONS).is_dir())
}

/// Builds the service of an asset: `destination` has the name of its program or transaction, `replyDestination` that with `.REPLY`.
///
/// # Errors
/// It is of another type, or its interfaces cannot be used.
pub(super) fn service(folder: &Path, text: &str) -> Result<ServiceArchive, ArchiveError> {
    let asset = yaml::read(text, Scalars::Text).map_err(|error| ArchiveError::entry(ASSET, error))?;
    check(ASSET, &asset, &["version", "type", "description", "providerProperties"])?;
    let kind = asset["type"].as_str().unwrap_or_default();
    let known = ASSETS.iter().find(|(name, ..)| kind.split_once('-').is_some_and(|(known, _)| known == *name));
    let Some((_, wrapper, program)) = known else {
        let expected = ASSETS.map(|(name, ..)| name).join(" or ");
        return Err(ArchiveError::property("type", format!("'{kind}' is not supported, expected {expected}")));
    };
    let properties = &asset["providerProperties"];
    check(ASSET, properties, &["language", "connectionRef", "ccsid", "transid", "transidUsage", program])?;
    let given = |name: &str| properties[name].as_str().filter(|text| !text.trim().is_empty());
    let queue = given(program).ok_or_else(|| ArchiveError::property(program, "it is required"))?;
    let mut manifest = Manifest { provider: "mq".to_owned(), version: "1.0.0".to_owned(), ..Manifest::default() };
    let path = folder.canonicalize().map_err(|error| ArchiveError::entry(ASSET, error))?;
    manifest.name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    manifest.description = asset["description"].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<(String, String)> =
        queues_of_program(queue).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut add = |name: &str, value: &str| all.push((name.to_owned(), value.to_owned()));
    add("language", given("language").unwrap_or("COBOL"));
    add("ccsid", given("ccsid").unwrap_or("37"));
    for (side, file) in [("request", REQUEST), ("response", RESPONSE)] {
        let interface =
            Interface::read(&content_of(folder, file)?).map_err(|problem| ArchiveError::entry(file, problem))?;
        add(&format!("{side}Structure"), file);
        add(&format!("{side}Wrapper"), &[&[(*wrapper).to_owned()], &*interface.wrapper].concat().join("/"));
        // The provider of IMS states what stands before every message.
        if side == "request"
            && *wrapper == "message"
            && let Some((length, code, bytes)) = interface.ims_head()
        {
            add("requestDefault", &format!("{length}={bytes},{code}={queue}"));
        }
    }
    ServiceArchive::build(manifest, &all, &Folder(folder.to_owned()))
}

/// Builds the API of a project, from its folder that has `operations`.
///
/// # Errors
/// The document is missing, an operation says what is not read here, or the paths have no part in common.
pub(super) fn api(folder: &Path) -> Result<ApiArchive, ArchiveError> {
    let file = DOCUMENTS.iter().find(|name| folder.join(name).is_file());
    let file = *file.ok_or_else(|| ArchiveError::entry(DOCUMENTS[0], "the document of the API is missing"))?;
    let mut document = parse_document(&text_of(folder, file)?, file)?;
    let mut paths: Vec<(String, String)> = Vec::new();
    for name in folders(folder, OPERATIONS)? {
        let path = percent_decode_str(&name).decode_utf8_lossy().into_owned();
        paths.push((path, format!("{OPERATIONS}/{name}")));
    }
    let base_path = base_path(&document, &paths).ok_or_else(|| {
        let problem = "the paths have no first part in common, which the API could have as its base path";
        ArchiveError::entry(file, problem)
    })?;
    below(&mut document, &base_path);
    let mut operations = Vec::new();
    for (path, place) in &paths {
        let rest = rest(path, &base_path);
        let template = Template::parse(rest).map_err(|problem| ArchiveError::entry(place, problem))?;
        for word in folders(folder, place)? {
            let place = format!("{place}/{word}");
            let method =
                method(&word).ok_or_else(|| ArchiveError::entry(&place, format!("there is no method {word}")))?;
            let described = &document["paths"][rest][method.to_ascii_lowercase()];
            let text = |name: &str| described[name].as_str().unwrap_or_default().to_owned();
            operations.push(Operation {
                operation_id: Some(text("operationId"))
                    .filter(|id| !id.is_empty())
                    .unwrap_or_else(|| default_operation_id(method, &template)),
                summary: text("summary"),
                description: text("description"),
                path: template.clone(),
                method,
                required: Vec::new(),
                ..operation(folder, &place)?
            });
        }
    }
    let text = |name: &str| document["info"][name].as_str().unwrap_or_default().to_owned();
    let (title, version) = (text("title"), text("version"));
    ApiArchive::build(ApiDefinition {
        name: title.split_whitespace().collect::<Vec<_>>().join("-"),
        title,
        version,
        description: text("description"),
        base_path,
        operations,
        document: Some(document),
    })
}

/// That of the document's first server, or the first part that all paths have.
fn base_path(document: &Value, paths: &[(String, String)]) -> Option<String> {
    let server = document["servers"][0]["url"].as_str().unwrap_or_default();
    let server = server.split_once("://").map_or(server, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
    if let path @ [b'/', _, ..] = server.trim_end_matches('/').as_bytes() {
        return Some(String::from_utf8_lossy(path).into_owned());
    }
    let first = |path: &str| path.split('/').nth(1).filter(|part| !part.contains('{')).map(str::to_owned);
    let (path, _) = paths.first()?;
    let common = first(path).filter(|part| !part.is_empty())?;
    paths.iter().all(|(path, _)| first(path).as_ref() == Some(&common)).then(|| format!("/{common}"))
}

/// The document with paths below the base path of the API.
fn below(document: &mut Value, base_path: &str) {
    let Some(Value::Object(paths)) = document.get_mut("paths") else { return };
    let moved = std::mem::take(paths).into_iter().map(|(path, item)| (rest(&path, base_path).to_owned(), item));
    *paths = moved.collect();
    document["servers"] = serde_json::json!([{ "url": base_path }]);
}

/// What follows the base path. Where that is of a server, paths do not have it.
fn rest<'p>(path: &'p str, base_path: &str) -> &'p str {
    match path.strip_prefix(base_path) {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// Names of the folders in a folder, in their order.
fn folders(folder: &Path, name: &str) -> Result<Vec<String>, ArchiveError> {
    let failed = |error: std::io::Error| ArchiveError::entry(name, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join(name)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// What the files of an operation say; its path and its method are not theirs.
fn operation(folder: &Path, place: &str) -> Result<Operation, ArchiveError> {
    let read = |name: &str| {
        let file = format!("{place}/{name}");
        let value = yaml::read(&text_of(folder, &file)?, Scalars::Typed);
        Ok::<_, ArchiveError>((value.map_err(|error| ArchiveError::entry(&file, error))?, file))
    };
    let (settings, file) = read("operation.yaml")?;
    check(&file, &settings, &["version", "zasset"])?;
    let service = settings["zasset"].as_str().ok_or_else(|| ArchiveError::entry(&file, "zasset: a text is needed"))?;
    let (request, file) = read("request.yaml")?;
    let request = mapping(&file, &request, None)?;
    let (choices, file) = read("response_mapping.yaml")?;
    let mut responses: Vec<Response> = Vec::new();
    for (name, choice) in choices.as_object().into_iter().flatten().filter(|(name, _)| *name != "version") {
        let wrong = |problem: &str| ArchiveError::entry(&file, format!("{name}: {problem}"));
        check(&file, choice, &["condition", "httpStatusCode"])?;
        let when = match &choice["condition"] {
            Value::Bool(true) => None,
            Value::String(text) => Some(expression(&file, text)?),
            // It is never chosen.
            Value::Bool(false) | Value::Null => continue,
            _ => return Err(wrong("condition: an expression is expected")),
        };
        if responses.last().is_some_and(|before| before.when.is_none()) {
            return Err(wrong("the response before it has the condition true, so that this one never applies"));
        }
        let code = choice["httpStatusCode"].as_u64().and_then(|code| u16::try_from(code).ok());
        let code = code.filter(|code| (200..600).contains(code));
        let (body, body_file) = read(name)?;
        let mapping = mapping(&body_file, &body, Some("body"))?;
        responses.push(Response { when, code: code.ok_or_else(|| wrong("httpStatusCode: 200 to 599"))?, mapping });
    }
    if responses.is_empty() {
        return Err(ArchiveError::entry(&file, "no response is ever chosen"));
    }
    Ok(Operation {
        path: Template::parse("/").map_err(|problem| ArchiveError::entry(place, problem))?,
        method: "",
        operation_id: String::new(),
        summary: String::new(),
        description: String::new(),
        service: service.to_owned(),
        request,
        responses,
        required: Vec::new(),
    })
}

/// A file of mappings.
#[derive(Clone, Copy)]
struct Reading<'a> {
    file: &'a str,
    /// What its templates make are texts. In a request they become what the service has in their place.
    is_answer: bool,
}

/// The mapping of a file. `within`: all of it stands in this member, which is the whole value here.
fn mapping(file: &str, value: &Value, within: Option<&str>) -> Result<Mapping, ArchiveError> {
    check(file, value, &["version", "mappings"])?;
    let reading = Reading { file, is_answer: within.is_some() };
    let mut statements = Vec::new();
    for (name, target) in members(file, value)? {
        match within {
            None => statement(reading, target, vec![name.clone()], &mut statements)?,
            Some(whole) if whole == name => {
                check(file, target, &["required", "nullable", "mappings"])?;
                inside(reading, target, &[], &mut statements)?;
            }
            Some(whole) => {
                return Err(ArchiveError::entry(
                    file,
                    format!("the mapping of {name} is not supported, expected {whole}"),
                ));
            }
        }
    }
    Ok(Mapping { passes_body: false, statements })
}

/// The targets of `mappings`.
fn members<'a>(file: &str, value: &'a Value) -> Result<Vec<(&'a String, &'a Value)>, ArchiveError> {
    let wrong = || ArchiveError::entry(file, "mappings: a list of targets is expected");
    let targets = match &value["mappings"] {
        Value::Null => return Ok(Vec::new()),
        value => value.as_array().ok_or_else(wrong)?,
    };
    let maps: Option<Vec<&Map<String, Value>>> = targets.iter().map(Value::as_object).collect();
    Ok(maps.ok_or_else(wrong)?.into_iter().flatten().collect())
}

fn inside(
    reading: Reading<'_>,
    value: &Value,
    path: &[String],
    statements: &mut Vec<Statement>,
) -> Result<(), ArchiveError> {
    for (name, target) in members(reading.file, value)? {
        statement(reading, target, [path, std::slice::from_ref(name)].concat(), statements)?;
    }
    Ok(())
}

/// What is put into a target, or into what is in it.
fn statement(
    reading: Reading<'_>,
    target: &Value,
    path: Vec<String>,
    statements: &mut Vec<Statement>,
) -> Result<(), ArchiveError> {
    check(reading.file, target, &["required", "nullable", "type", "mappings", "template", "expression", "foreach"])?;
    if !target["mappings"].is_null() {
        return inside(reading, target, &path, statements);
    }
    let to = Place::of(path);
    if !target["foreach"].is_null() {
        statements.push(Statement::Each { each: each(reading, &target["foreach"])?, to });
        return Ok(());
    }
    let Some(from) = source(reading, target)? else { return Ok(()) };
    let required = target["required"] == Value::Bool(true);
    statements.push(Statement::Move { from: Source::Expression(from), to, kind: Kind::AsSchema, required });
    Ok(())
}

fn each(reading: Reading<'_>, value: &Value) -> Result<Loop, ArchiveError> {
    check(reading.file, value, &["input", "iterator", "mappings"])?;
    let input =
        value["input"].as_str().ok_or_else(|| ArchiveError::entry(reading.file, "foreach: the input is missing"))?;
    let mut made = Vec::new();
    for (name, target) in members(reading.file, value)? {
        check(reading.file, target, &["required", "nullable", "type", "template", "expression", "foreach"])?;
        let place = Place::of([name.clone()]);
        if !target["foreach"].is_null() {
            made.push((place, Made::Loop(each(reading, &target["foreach"])?)));
        } else if let Some(from) = source(reading, target)? {
            made.push((place, Made::Value(from)));
        }
    }
    let variable = value["iterator"].as_str().unwrap_or("item").trim_start_matches('$').to_owned();
    Ok(Loop { over: expression(reading.file, input)?, variable, members: made })
}

/// The template or the expression of a target; `None`: it is left as it is.
fn source(reading: Reading<'_>, target: &Value) -> Result<Option<Expression>, ArchiveError> {
    let text = |name: &str| match &target[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok(Some(target[name].to_string())),
        _ => Err(ArchiveError::entry(reading.file, format!("{name}: a text is expected"))),
    };
    match (text("template")?, text("expression")?) {
        (Some(template), None) => expression(reading.file, &of_template(&template, reading.is_answer)).map(Some),
        (None, Some(text)) => expression(reading.file, &text).map(Some),
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(ArchiveError::entry(reading.file, "template and expression cannot both be given")),
    }
}

fn expression(file: &str, text: &str) -> Result<Expression, ArchiveError> {
    Expression::parse(&with_variables(text)).map_err(|error| ArchiveError::entry(file, error))
}

/// A template as an expression: texts and what stands between double braces, joined.
fn of_template(template: &str, is_text: bool) -> String {
    let literal = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"));
    let (mut parts, mut rest) = (Vec::new(), template);
    while let Some((before, (inner, after))) =
        rest.split_once("{{").and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        if before.is_empty() && after.is_empty() && parts.is_empty() {
            return if is_text { format!("$string({inner})") } else { inner.to_owned() };
        }
        parts.extend((!before.is_empty()).then(|| literal(before)));
        parts.push(format!("({inner})"));
        rest = after;
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(literal(rest));
    }
    parts.join(" & ")
}

/// The text with `$apiRequest.body` for `$body`, outside of quotes.
fn with_variables(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 16);
    let mut quote = None;
    let mut rest = text;
    while let Some(one) = rest.chars().next() {
        let after = &rest[one.len_utf8()..];
        match (quote, one) {
            (Some(_), '\\') => {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                written.push_str(&rest[..1 + escaped]);
                rest = &after[escaped..];
                continue;
            }
            (Some(open), _) if open == one => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(one),
            (None, '$') => {
                let end = after.find(|one: char| !one.is_alphanumeric() && one != '_').unwrap_or(after.len());
                if VARIABLES.contains(&&after[..end]) {
                    written.push_str("$apiRequest.");
                    rest = after;
                    continue;
                }
            }
            _ => {}
        }
        written.push(one);
        rest = after;
    }
    written
}

/// # Errors
/// There is a key that is not known.
fn check(file: &str, value: &Value, known: &[&str]) -> Result<(), ArchiveError> {
    match value {
        Value::Null => Ok(()),
        Value::Object(members) => match members.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                Err(ArchiveError::entry(file, format!("{key} is not supported, expected {}", known.join(", "))))
            }
            None => Ok(()),
        },
        _ => Err(ArchiveError::entry(file, format!("expected keys and values: {}", known.join(", ")))),
    }
}

#[cfg(test)]
mod tests;
