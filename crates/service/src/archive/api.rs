//! An API archive: `package.xml`, the mappings of its operations, and a document if it brings one.
//!
//! Source: archives that the API toolkit generated (reference, 1.5): root `zosConnectApi`, below it `apiSpec` with a `path` and
//! `method` for every operation, whose `httpXformFile` names `mapping.xml`, which names `request.map` and `response.map`.

use std::fmt::Write;

use document::package::Package;
use document::xml::{self, Element};
use document::yaml::{self, Scalars};
use quick_xml::escape::escape;
use serde_json::Value;

use super::error::ArchiveError;
use super::map::{self, Direction};
use crate::api::expression::Expression;
use crate::api::mapping::{Mapping, Response};
use crate::api::path::Template;
use crate::api::{ApiDefinition, Operation, method};

pub(crate) const PACKAGE: &str = "package.xml";
const DOCUMENT: &str = "api-docs/openapi.json";
/// Most operations.
const MAXIMUM_OPERATIONS: usize = 1000;

/// An archive that has been read or built.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiArchive {
    pub definition: ApiDefinition,
    package: Package,
}

impl ApiArchive {
    /// # Errors
    /// It is no archive, goes beyond a limit, or says what is not read here.
    pub fn read(archive: &[u8]) -> Result<Self, ArchiveError> {
        let package = Package::read(archive)?;
        let definition = definition(&package)?;
        Ok(Self { definition, package })
    }

    /// Makes the archive of an API.
    ///
    /// # Errors
    /// Its parts contradict each other, or it goes beyond a limit.
    pub fn build(definition: ApiDefinition) -> Result<Self, ArchiveError> {
        definition.check().map_err(|problem| ArchiveError::entry(PACKAGE, problem))?;
        let mut package = Package::default();
        package.insert(PACKAGE, package_xml(&definition).into_bytes())?;
        for operation in &definition.operations {
            let folder = folder(operation);
            let name = |file: &str| format!("{folder}/{file}");
            package.insert(&name("mapping.xml"), mapping_xml(&definition, operation).into_bytes())?;
            let path = operation.path.to_string();
            let request = map::write(&operation.request, operation.method, &path, Direction::Request);
            package.insert(&name("request.map"), request.into_bytes())?;
            for (index, response) in operation.responses.iter().enumerate() {
                let text = map::write(&response.mapping, operation.method, &path, Direction::Response);
                package.insert(&name(&response_map(index)), text.into_bytes())?;
            }
        }
        if let Some(document) = &definition.document {
            package.insert(DOCUMENT, serde_json::to_vec_pretty(document).unwrap_or_default())?;
        }
        Ok(Self { definition, package })
    }

    /// # Errors
    /// It goes beyond a limit.
    pub fn write(&self) -> Result<Vec<u8>, ArchiveError> {
        Ok(self.package.write()?)
    }

    /// Names of all entries.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.package.names_below("")
    }
}

/// The map of an operation's response, by its place among them.
fn response_map(index: usize) -> String {
    if index == 0 { "response.map".to_owned() } else { format!("response_{index}.map") }
}

/// Where the mapping of an operation lies.
fn folder(operation: &Operation) -> String {
    match operation.path.to_string().trim_start_matches('/') {
        "" => format!("api/{}", operation.method),
        path => format!("api/{path}/{}", operation.method),
    }
}

fn definition(package: &Package) -> Result<ApiDefinition, ArchiveError> {
    let wrong = |problem: String| ArchiveError::entry(PACKAGE, problem);
    let root = xml::parse(package.text(PACKAGE)?.as_bytes()).map_err(|error| wrong(error.to_string()))?;
    if root.name != "zosConnectApi" {
        return Err(wrong(format!("begins with <{}>; expected <zosConnectApi>", root.name)));
    }
    if root.attribute("packageType") == Some("requester") {
        return Err(wrong("it is the archive of an API requester".to_owned()));
    }
    let spec = root.children_named("apiSpec").next().ok_or_else(|| wrong("there is no apiSpec".to_owned()))?;
    let text = |name: &str| spec.attribute(name).unwrap_or_default().to_owned();
    let name = root.attribute("id").filter(|id| !id.is_empty()).map_or_else(|| text("title"), str::to_owned);
    if name.is_empty() || name.len() > 128 || name.chars().any(char::is_control) {
        return Err(wrong("the id is no name for an API".to_owned()));
    }
    let mut operations = Vec::new();
    for path in spec.children_named("path") {
        for element in path.children_named("method") {
            if operations.len() >= MAXIMUM_OPERATIONS {
                return Err(wrong(format!("there are more than {MAXIMUM_OPERATIONS} operations")));
            }
            operations.push(operation(package, path.attribute("relativePath").unwrap_or("/"), element)?);
        }
    }
    let mut definition = ApiDefinition {
        title: if text("title").is_empty() { name.clone() } else { text("title") },
        name,
        version: text("version"),
        description: text("description"),
        base_path: text("basePath").trim_end_matches('/').to_owned(),
        operations,
        document: document(package, spec)?,
    };
    definition.check().map_err(wrong)?;
    definition.require_as_documented();
    Ok(definition)
}

fn operation(package: &Package, path: &str, element: &Element) -> Result<Operation, ArchiveError> {
    let wrong = |problem: String| ArchiveError::entry(PACKAGE, problem);
    let path = Template::parse(path).map_err(wrong)?;
    let word = element.attribute("type").unwrap_or_default();
    let method = method(word).ok_or_else(|| wrong(format!("'{word}' is no method")))?;
    let mut operation = Operation {
        operation_id: element.attribute("operationId").unwrap_or_default().to_owned(),
        summary: element.attribute("summary").unwrap_or_default().to_owned(),
        description: element.attribute("description").unwrap_or_default().to_owned(),
        service: element.attribute("zosConnectServiceRef").unwrap_or_default().to_owned(),
        request: Mapping::pass(),
        responses: vec![Response::pass()],
        required: Vec::new(),
        path,
        method,
    };
    if let Some(file) = element.attribute("httpXformFile").filter(|file| !file.is_empty()) {
        read_mapping(package, &file.replace('\\', "/"), &mut operation)?;
    }
    if operation.operation_id.is_empty() {
        operation.operation_id = default_operation_id(operation.method, &operation.path);
    }
    if operation.service.is_empty() {
        return Err(wrong(format!("{} {} names no service", operation.method, operation.path)));
    }
    Ok(operation)
}

/// `getApplicationsCustomer`.
pub fn default_operation_id(method: &str, path: &Template) -> String {
    let mut id = method.to_lowercase();
    for part in path.to_string().split(|one: char| !one.is_alphanumeric()).filter(|part| !part.is_empty()) {
        let mut characters = part.chars();
        id.extend(characters.next().into_iter().flat_map(char::to_uppercase));
        id.push_str(characters.as_str());
    }
    id
}

/// Takes in `mapping.xml` and the maps it names.
fn read_mapping(package: &Package, entry: &str, operation: &mut Operation) -> Result<(), ArchiveError> {
    let wrong = |problem: String| ArchiveError::entry(entry, problem);
    let root = xml::parse(package.text(entry)?.as_bytes()).map_err(|error| wrong(error.to_string()))?;
    let context = root.children_named("mappingContext").next();
    if operation.service.is_empty()
        && let Some(service) = context.and_then(|context| context.attribute("serviceName"))
    {
        service.clone_into(&mut operation.service);
    }
    let mapping = |parent: &Element| -> Result<Option<Mapping>, ArchiveError> {
        let model = parent.children_named("mappingRootModel").next();
        let Some(location) = model.and_then(|model| model.attribute("location")) else { return Ok(None) };
        let location = location.replace('\\', "/");
        map::parse(package.text(&location)?, &location).map(Some)
    };
    if let Some(request) = root.children_named("requestMessage").next() {
        operation.request = mapping(request)?.unwrap_or_else(Mapping::pass);
    }
    let default_code = context.and_then(|context| context.attribute("defaultResponseCode"));
    let mut responses: Vec<&Element> = root.children_named("responseMessages").collect();
    let has_conditions = responses.iter().any(|response| response.attribute("when").is_some());
    if responses.len() > 1 && !has_conditions {
        // Which of several applies is told by rules that are not read here.
        responses.retain(|response| response.attribute("code") == default_code);
        if responses.is_empty() {
            return Err(wrong("there are several responseMessages and none is the default".to_owned()));
        }
    }
    let code_of = |code: Option<&str>| match code {
        None => Ok(200),
        Some(code) => code
            .parse()
            .ok()
            .filter(|code| (200..600).contains(code))
            .ok_or_else(|| wrong(format!("'{code}' is no code of a response"))),
    };
    let response = |element: &Element| -> Result<Response, ArchiveError> {
        let when = element
            .attribute("when")
            .map(|text| Expression::parse(text).map_err(|error| wrong(format!("{text}: {error}"))));
        let code = code_of(element.attribute("code").or(default_code))?;
        Ok(Response { when: when.transpose()?, code, mapping: mapping(element)?.unwrap_or_else(Mapping::pass) })
    };
    operation.responses = match responses.as_slice() {
        [] => vec![Response { code: code_of(default_code)?, ..Response::pass() }],
        all => all.iter().map(|element| response(element)).collect::<Result<_, _>>()?,
    };
    Ok(())
}

/// The document an `apiDoc` names, JSON or YAML.
fn document(package: &Package, spec: &Element) -> Result<Option<Value>, ArchiveError> {
    let entry = spec.children_named("apiDoc").map(|element| element.text.replace('\\', "/")).find(|it| !it.is_empty());
    let Some(entry) = entry else { return Ok(None) };
    // The toolkit lists the document in `package.xml` even where it lies beside the archive.
    if package.get(&entry).is_none() {
        return Ok(None);
    }
    parse_document(package.text(&entry)?, &entry).map(Some)
}

/// An OpenAPI document, JSON or YAML.
///
/// # Errors
/// It is neither, or no document of OpenAPI 2.0 or 3.
pub fn parse_document(text: &str, name: &str) -> Result<Value, ArchiveError> {
    let is_json = text.trim_start().starts_with('{');
    let document: Value = if is_json {
        serde_json::from_str(text).map_err(|error| ArchiveError::entry(name, error))?
    } else {
        yaml::read(text, Scalars::Typed).map_err(|error| ArchiveError::entry(name, error))?
    };
    let is_two = document["swagger"] == "2.0" || document["swagger"] == 2.0;
    let is_three = document["openapi"].as_str().is_some_and(|version| version.starts_with("3."));
    if !(is_two || is_three) || !document["paths"].is_object() {
        return Err(ArchiveError::entry(name, "it is no document of OpenAPI 2.0 or 3 with paths"));
    }
    Ok(document)
}

fn package_xml(api: &ApiDefinition) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    let _ = writeln!(
        xml,
        "<zosConnectApi xmlns=\"http://www.ibm.com/zosConnect/2.0/zosConnectApi\" id=\"{}\">",
        escape(api.name.as_str())
    );
    let _ = writeln!(
        xml,
        "    <apiSpec title=\"{}\" basePath=\"{}\" description=\"{}\" version=\"{}\">",
        escape(api.title.as_str()),
        escape(api.base_path.as_str()),
        escape(api.description.as_str()),
        escape(api.version.as_str())
    );
    let mut paths: Vec<String> = Vec::new();
    for operation in &api.operations {
        let path = operation.path.to_string();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    for path in paths {
        let _ = writeln!(xml, "        <path relativePath=\"{}\">", escape(path.as_str()));
        for operation in api.operations.iter().filter(|operation| operation.path.to_string() == path) {
            let _ = write!(
                xml,
                "            <method type=\"{}\" zosConnectServiceRef=\"{}\" httpXformFile=\"{}/mapping.xml\" operationId=\"{}\"",
                operation.method,
                escape(operation.service.as_str()),
                escape(folder(operation)),
                escape(operation.operation_id.as_str())
            );
            for (name, text) in [("summary", &operation.summary), ("description", &operation.description)] {
                if !text.is_empty() {
                    let _ = write!(xml, " {name}=\"{}\"", escape(text.as_str()));
                }
            }
            xml.push_str("/>\n");
        }
        xml.push_str("        </path>\n");
    }
    if api.document.is_some() {
        let _ = writeln!(xml, "        <apiDoc docType=\"SWAGGER\">{DOCUMENT}</apiDoc>");
    }
    xml.push_str("    </apiSpec>\n</zosConnectApi>\n");
    xml
}

fn mapping_xml(api: &ApiDefinition, operation: &Operation) -> String {
    let folder = escape(folder(operation)).into_owned();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    xml.push_str(
        "<ns2:ZosConnectServiceMapping xmlns:ns2=\"http://www.ibm.com/zosConnect/2.0/zosConnectServiceMapping\" \
         mappingSpecVersion=\"1.0\">\n",
    );
    // The response without a condition, if there is one.
    let default = operation.responses.iter().find(|response| response.when.is_none());
    let code = default.or(operation.responses.first()).map_or(200, |response| response.code);
    let _ = writeln!(
        xml,
        "    <mappingContext basePath=\"{}\" relativePath=\"{}\" method=\"{}\" serviceName=\"{}\" defaultResponseCode=\"{code}\"/>",
        escape(api.base_path.as_str()),
        escape(operation.path.to_string()),
        operation.method,
        escape(operation.service.as_str())
    );
    let _ = writeln!(
        xml,
        "    <requestMessage>\n        <mappingRootModel type=\"MSL\" location=\"{folder}/request.map\"/>\n    </requestMessage>"
    );
    for (index, response) in operation.responses.iter().enumerate() {
        let when = response.when.as_ref().map_or_else(String::new, |when| format!(" when=\"{}\"", escape(when.text())));
        let _ = writeln!(
            xml,
            "    <responseMessages code=\"{}\"{when}>\n        <mappingRootModel type=\"MSL\" location=\"{folder}/{}\"/>\n    \
             </responseMessages>",
            response.code,
            response_map(index)
        );
    }
    xml.push_str("</ns2:ZosConnectServiceMapping>\n");
    xml
}

#[cfg(test)]
mod tests;
