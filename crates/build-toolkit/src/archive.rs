//! Archives of API requesters (`.ara`): what they hold, and reading them. [`write`] makes them.
//!
//! The layout is the public one: `package.xml`, `api/PATH/METHOD/mapping.xml` with its maps, the description of the API below
//! `api-docs/`, schemas below `services/OPERATION/schemas/`. Where IBM's tool keeps a binary binding, ours has
//! `quaymaster/OPERATION.json`: options and placed structures. Read are `package.xml`, the mappings' names and those files.
//!
//! Invariants of an archive that was read
//! - Structures are placed as their items say (`Structure::check`); the groups are those of their direction, each once.
//! - The code page is known and has digits of one byte; methods and paths are what HTTP can take.
//!
//! Source: reference, 1.5.

pub mod write;

use std::collections::BTreeSet;

use codepage::{ByteOrder, CharacterSet, Form};
use document::package::{Limits, Package, PackageError};
use document::xml::{self, Element};
use serde::{Deserialize, Serialize};

use crate::structure::{Structure, StructureError};

pub use write::Writer;

/// How far an archive may go.
pub const LIMITS: Limits = Limits { archive: 64 << 20, entries: 65_000, unpacked: 256 << 20 };
/// Most operations of one archive.
pub const MAXIMUM_OPERATIONS: usize = 5000;
/// Longest name of an API, and longest path with its base path, in bytes: what the API information member has room for.
pub const MAXIMUM_NAME: usize = 255;
/// Groups of a request, in the order of the record.
pub const REQUEST_GROUPS: [&str; 4] = ["ReqPathParameters", "ReqQueryParameters", "ReqHeaders", "ReqBody"];
/// Group of the cookies of a request, which level 5.0 has between headers and body.
pub const REQUEST_COOKIES: &str = "ReqCookies";
/// What the groups of answers of level 5.0 begin with; behind it stands a status, a class such as `2XX`, or `Default`.
pub const RESPONSE_CODE: &str = "responseCode";
/// Groups of a response, in the order of the record.
pub const RESPONSE_GROUPS: [&str; 2] = ["RespHeaders", "RespBody"];

const PACKAGE: &str = "package.xml";

/// An API requester.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// By which programs call it: `TITLE_VERSION`.
    pub name: String,
    pub title: String,
    pub version: String,
    pub description: String,
    /// Without a slash at its end; empty where the API has none.
    pub base_path: String,
    /// Identifier of the endpoint connection.
    pub connection_ref: String,
    pub operations: Vec<Operation>,
}

/// What a program can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub id: String,
    /// Path template, behind the base path: `/books/{isbn}`.
    pub path: String,
    /// In upper case.
    pub method: String,
    pub binding: Binding,
}

/// How an operation is converted: the content of `quaymaster/OPERATION.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Binding {
    /// Of this content: 1, or 2 for structures of level 5.0, which have data areas, cookies, and a group for each answer that is
    /// described.
    pub format: u32,
    pub options: Options,
    /// Media type of the request's body.
    pub media_type: String,
    /// Of path, query and headers, in the order of the record.
    pub parameters: Vec<Parameter>,
    /// `None`: the request has neither parameters nor a body.
    pub request: Option<Structure>,
    /// `None`: no answer is converted.
    pub response: Option<Response>,
}

/// The answer that is converted; all others are handed to the program as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Response {
    /// HTTP status, 200 to 299.
    pub code: u16,
    /// The description says `2XX`: every status of success has this structure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every_success: bool,
    pub structure: Structure,
}

/// Where a value of the request goes that is not in its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parameter {
    pub place: Place,
    /// As the API has it; `Item::json_name` in the group of its place.
    pub name: String,
    #[serde(default)]
    pub style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    Path,
    Query,
    Header,
    /// At level 5.0.
    Cookie,
}

impl Place {
    /// Name of the group in the request.
    pub fn group(self) -> &'static str {
        match self {
            Self::Path => REQUEST_GROUPS[0],
            Self::Query => REQUEST_GROUPS[1],
            Self::Header => REQUEST_GROUPS[2],
            Self::Cookie => REQUEST_COOKIES,
        }
    }
}

/// How the values of an array are in a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Style {
    /// `a,b`.
    #[default]
    Comma,
    /// `a b`.
    Blank,
    /// `a` and `b` with a tabulator between them.
    Tab,
    /// `a|b`.
    Bar,
    /// `name=a&name=b`; in a query only.
    Repeated,
}

/// Properties that matter while requests are converted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    pub white_space: WhiteSpace,
    /// May data be shorter than the structure, and texts in answers be cut?
    pub data_truncation: bool,
    /// Code page of characters in records that do not say theirs.
    pub runtime_ccsid: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_keys: Option<ApiKeys>,
}

/// `characterWhitespace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhiteSpace {
    /// Kept as it is.
    Preserve,
    /// Each tabulator and line end becomes a blank.
    Replace,
    /// As `Replace`; then blanks at both ends go, and several in a row become one.
    Collapse,
}

/// Parameters that carry the caller's keys: client identifier and, where there are two, client secret. They are items of the
/// request like others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeys {
    pub place: Place,
    pub names: Vec<String>,
}

/// Why an archive cannot be read or made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    #[error(transparent)]
    Package(#[from] PackageError),
    #[error("the archive is not that of an API requester: {0}")]
    Kind(&'static str),
    #[error("{entry}: {problem}")]
    Entry { entry: String, problem: String },
    #[error(
        "the operation {operation} has only the binding of another tool; build the archive again from the description of the API, \
         with zconbt"
    )]
    Foreign { operation: String },
    #[error("the operation {operation}: {source}")]
    Structure { operation: String, source: StructureError },
    #[error("the operation {operation}: {problem}")]
    Operation { operation: String, problem: String },
}

/// Reads an archive.
///
/// # Errors
/// It is no archive of an API requester, goes beyond a limit, contradicts itself, or was made by another tool.
pub fn read(archive: &[u8]) -> Result<Archive, ArchiveError> {
    let package = Package::read_within(archive, &LIMITS, |name| {
        name == PACKAGE || name.ends_with("/mapping.xml") || name.starts_with("quaymaster/")
    })?;
    let root = element(&package, PACKAGE)?;
    if root.name != "zosConnectApi" {
        return Err(ArchiveError::Kind("package.xml does not begin with zosConnectApi"));
    }
    if root.attribute("packageType") != Some("requester") {
        return Err(ArchiveError::Kind("its package type is not requester"));
    }
    let wrong = |problem: &str| wrong(PACKAGE, problem);
    let spec = root.children_named("apiSpec").next().ok_or_else(|| wrong("there is no apiSpec"))?;
    let text = |name: &str| spec.attribute(name).unwrap_or_default().to_owned();
    let mut archive = Archive {
        name: root.attribute("id").unwrap_or_default().to_owned(),
        title: text("title"),
        version: text("version"),
        description: text("description"),
        base_path: text("basePath"),
        connection_ref: text("connectionRef"),
        operations: Vec::new(),
    };
    check_name(&archive.name).map_err(&wrong)?;
    if !archive.base_path.is_empty() {
        check_path(&archive.base_path).map_err(&wrong)?;
    }
    let mut seen = BTreeSet::new();
    for path in spec.children_named("path") {
        for method in path.children_named("method") {
            let operation = operation(&package, path, method)?;
            if !seen.insert((operation.method.clone(), operation.path.clone())) {
                return Err(wrong("an operation is listed twice"));
            }
            archive.operations.push(operation);
            if archive.operations.len() > MAXIMUM_OPERATIONS {
                return Err(wrong("there are too many operations"));
            }
        }
    }
    Ok(archive)
}

fn operation(package: &Package, path: &Element, method: &Element) -> Result<Operation, ArchiveError> {
    let path = path.attribute("relativePath").unwrap_or_default().to_owned();
    check_path(&path).map_err(|problem| wrong(PACKAGE, problem))?;
    let word = method.attribute("type").unwrap_or_default();
    if word.is_empty() || word.len() > 16 || !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(wrong(PACKAGE, "a method is not valid"));
    }
    let id = method.attribute("operationId").unwrap_or_default().to_owned();
    let mapping = method.attribute("httpXformFile").unwrap_or_default().replace('\\', "/");
    let root = element(package, &mapping)?;
    let service = root.children_named("mappingContext").next().and_then(|context| context.attribute("serviceName"));
    let service = service.ok_or_else(|| wrong(&mapping, "serviceName is missing"))?;
    let entry = binding_entry(service);
    let content = package.get(&entry).ok_or_else(|| ArchiveError::Foreign { operation: id.clone() })?;
    let binding: Binding = serde_json::from_slice(content)
        .map_err(|error| ArchiveError::Entry { entry: entry.clone(), problem: error.to_string() })?;
    check(&binding).map_err(|problem| match problem {
        BindingError::Structure(source) => ArchiveError::Structure { operation: id.clone(), source },
        BindingError::Other(problem) => ArchiveError::Operation { operation: id.clone(), problem: problem.to_owned() },
    })?;
    Ok(Operation { id, path, method: word.to_owned(), binding })
}

enum BindingError {
    Structure(StructureError),
    Other(&'static str),
}

impl From<StructureError> for BindingError {
    fn from(error: StructureError) -> Self {
        Self::Structure(error)
    }
}

/// What comes from outside is checked once, here, so that conversions need not ask.
fn check(binding: &Binding) -> Result<(), BindingError> {
    if !matches!(binding.format, 1 | 2) {
        return Err(BindingError::Other("its binding has an unknown format"));
    }
    let has_areas = binding.format == 2;
    if !is_for_records(binding.options.runtime_ccsid) {
        return Err(BindingError::Other("its code page is unknown, or has digits longer than a byte"));
    }
    if let Some(request) = &binding.request {
        let [path, query, headers, body] = REQUEST_GROUPS;
        match has_areas {
            true => check_structure(request, &[path, query, headers, REQUEST_COOKIES, body], has_areas)?,
            false => check_structure(request, &REQUEST_GROUPS, has_areas)?,
        }
        for group in request.groups.iter().filter(|group| group.json_name != REQUEST_GROUPS[3]) {
            check_parameters(group, &binding.parameters)?;
        }
    }
    if let Some(response) = &binding.response {
        if !(200..300).contains(&response.code) {
            return Err(BindingError::Other("the status of its answer is not a success"));
        }
        match has_areas {
            true => check_answers(&response.structure)?,
            false => check_structure(&response.structure, &RESPONSE_GROUPS, has_areas)?,
        }
    }
    Ok(())
}

/// Whether characters of records can have the code page: a digit is one byte there.
pub(crate) fn is_for_records(ccsid: u32) -> bool {
    CharacterSet::of(ccsid, ByteOrder::Big).is_some_and(|set| !matches!(set.form(), Form::Utf16(_)))
}

/// The names in braces of an operation's path, each with the text before it, and the text behind the last. Braces without a
/// partner are text.
pub fn parts_of_template(path: &str) -> (Vec<(&str, &str)>, &str) {
    let mut parts = Vec::new();
    let mut rest = path;
    while let Some((before, (name, behind))) =
        rest.split_once('{').and_then(|(before, inner)| Some((before, inner.split_once('}')?)))
    {
        parts.push((before, name));
        rest = behind;
    }
    (parts, rest)
}

/// Headers, then answers by their status.
fn check_answers(structure: &Structure) -> Result<(), BindingError> {
    let mut seen = BTreeSet::new();
    for (index, group) in structure.groups.iter().enumerate() {
        let name = group.json_name.as_str();
        let is_known = (index == 0 && name == RESPONSE_GROUPS[0]) || Status::of_group(name).is_some();
        if !is_known || !seen.insert(name) {
            return Err(BindingError::Other("its structure has other groups than there are"));
        }
    }
    Ok(structure.check()?)
}

/// Which answers a group of level 5.0 is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Of one status.
    One(u16),
    /// Of those that begin with this digit.
    Class(u16),
    /// Of all that have no group of their own.
    Other,
}

impl Status {
    /// `responseCode200`, `responseCode2XX`, `responseCodeDefault`.
    pub fn of_group(name: &str) -> Option<Self> {
        let word = name.strip_prefix(RESPONSE_CODE)?;
        if word == "Default" {
            return Some(Self::Other);
        }
        match word.strip_suffix("XX") {
            Some(class) => class.parse().ok().filter(|class| (1..6).contains(class)).map(Self::Class),
            None => word.parse().ok().filter(|status| (100..600).contains(status)).map(Self::One),
        }
    }
}

/// The groups are among the known ones, each once, in their order.
fn check_structure(structure: &Structure, known: &[&str], has_areas: bool) -> Result<(), BindingError> {
    if structure.has_areas() && !has_areas {
        return Err(BindingError::Other("its structure has data areas, which its format does not"));
    }
    let mut known = known.iter();
    for group in &structure.groups {
        if !known.any(|name| *name == group.json_name) {
            return Err(BindingError::Other("its structure has other groups than there are"));
        }
    }
    Ok(structure.check()?)
}

/// Every item of a group has a parameter that says where it goes.
fn check_parameters(group: &crate::structure::Item, parameters: &[Parameter]) -> Result<(), BindingError> {
    let crate::structure::Value::Group { items } = &group.value else {
        return Err(BindingError::Other("its parameters are no group"));
    };
    let is_known = |name: &str| {
        parameters.iter().any(|parameter| parameter.place.group() == group.json_name && parameter.name == name)
    };
    if items.iter().all(|item| is_known(&item.json_name)) {
        Ok(())
    } else {
        Err(BindingError::Other("an item of its request is no parameter"))
    }
}

fn binding_entry(service: &str) -> String {
    format!("quaymaster/{service}.json")
}

fn element(package: &Package, entry: &str) -> Result<Element, ArchiveError> {
    xml::parse(package.text(entry)?.as_bytes()).map_err(|error| wrong(entry, error))
}

fn wrong(entry: &str, problem: impl ToString) -> ArchiveError {
    ArchiveError::Entry { entry: entry.to_owned(), problem: problem.to_string() }
}

/// A name that a program can have in its API information.
fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.len() > MAXIMUM_NAME || name.chars().any(char::is_control) {
        Err("the name of the API requester is empty, too long, or has control characters")
    } else {
        Ok(())
    }
}

fn check_path(path: &str) -> Result<(), &'static str> {
    if !path.starts_with('/') || path.len() > 2048 || path.chars().any(char::is_control) {
        Err("a path does not begin with a slash, is too long, or has control characters")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
