//! Making an archive, operation by operation, so that large APIs need little memory.

use std::collections::BTreeSet;
use std::fmt::Write;

use document::package::Packer;
use quick_xml::escape::escape;

use super::{
    Archive, ArchiveError, LIMITS, MAXIMUM_OPERATIONS, Operation, PACKAGE, Parameter, Place, Status, binding_entry,
};
use crate::structure::{Absence, Item, Structure};

/// Schemas of an operation, as JSON texts.
#[derive(Debug, Clone, Default)]
pub struct Schemas {
    pub request: Option<String>,
    pub response: Option<String>,
}

/// An archive that grows.
pub struct Writer {
    packer: Packer,
    header: Archive,
    /// Names of folders and entries that are taken.
    services: BTreeSet<String>,
    folders: BTreeSet<String>,
    /// By path, in the order of the document: elements of its methods.
    paths: Vec<(String, String)>,
    operations: usize,
}

impl Writer {
    /// The header is the archive without operations.
    pub fn new(header: Archive) -> Self {
        Self {
            packer: Packer::new(LIMITS),
            header,
            services: BTreeSet::new(),
            folders: BTreeSet::new(),
            paths: Vec::new(),
            operations: 0,
        }
    }

    /// Adds an operation.
    ///
    /// # Errors
    /// The archive goes beyond a limit.
    pub fn add(&mut self, operation: &Operation, schemas: &Schemas) -> Result<(), ArchiveError> {
        self.operations += 1;
        if self.operations > MAXIMUM_OPERATIONS {
            return Err(super::wrong(PACKAGE, "there are too many operations"));
        }
        let service = unused(&mut self.services, file_name(&operation.id));
        let folder = unused(&mut self.folders, folder(operation));
        let mut add = |name: &str, content: &[u8]| self.packer.add(name, content);
        add(&format!("{folder}/mapping.xml"), mapping(&self.header, operation, &service, &folder).as_bytes())?;
        add(&format!("{folder}/request.map"), map(operation, Direction::Request).as_bytes())?;
        add(&format!("{folder}/response.map"), map(operation, Direction::Response).as_bytes())?;
        if let Some(schema) = &schemas.request {
            add(&format!("services/{service}/schemas/{service}_request.json"), schema.as_bytes())?;
        }
        if let (Some(schema), Some(response)) = (&schemas.response, &operation.binding.response) {
            let name = match operation.binding.format {
                1 => format!("{service}_{}_response.json", response.code),
                _ => format!("{service}_response.json"),
            };
            add(&format!("services/{service}/schemas/{name}"), schema.as_bytes())?;
        }
        let binding =
            serde_json::to_vec(&operation.binding).map_err(|error| super::wrong(&binding_entry(&service), error))?;
        add(&binding_entry(&service), &binding)?;
        let method = format!(
            "            <method type=\"{}\" httpXformFile=\"{}/mapping.xml\" operationId=\"{}\"/>\n",
            operation.method,
            attribute(&folder),
            attribute(&operation.id)
        );
        match self.paths.iter_mut().rev().find(|(path, _)| *path == operation.path) {
            Some((_, methods)) => methods.push_str(&method),
            None => self.paths.push((operation.path.clone(), method)),
        }
        Ok(())
    }

    /// The archive, with the description of the API below the name of its file.
    ///
    /// # Errors
    /// It goes beyond a limit.
    pub fn finish(mut self, document_name: &str, document: &[u8]) -> Result<Vec<u8>, ArchiveError> {
        let document_entry = format!("api-docs/{}", file_name(document_name));
        let package = package(&self.header, &self.paths, &document_entry);
        self.packer.add(PACKAGE, package.as_bytes())?;
        self.packer.add(&document_entry, document)?;
        Ok(self.packer.finish()?)
    }
}

/// The name, or with the first number behind it that makes it new.
fn unused(taken: &mut BTreeSet<String>, name: String) -> String {
    let mut candidate = name.clone();
    let mut number = 1;
    while !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{name}_{number}");
    }
    candidate
}

/// Bytes of one part of an entry's name; the whole has several.
const LONGEST_PART: usize = 120;

/// What may stand between two slashes of an entry's name.
fn file_name(text: &str) -> String {
    let plain = |character: char| match character {
        '/' | '\\' | ':' => '_',
        other if other.is_control() => '_',
        other => other,
    };
    let name: String = text[..text.floor_char_boundary(LONGEST_PART)].chars().map(plain).collect();
    if matches!(name.as_str(), "" | "." | "..") { "_".to_owned() } else { name }
}

/// Where the mapping of an operation lies.
fn folder(operation: &Operation) -> String {
    let parts: Vec<String> = operation.path.split('/').filter(|part| !part.is_empty()).map(file_name).collect();
    let path = parts.join("/");
    match path.len() {
        0 => format!("api/{}", operation.method),
        1..=300 => format!("api/{path}/{}", operation.method),
        _ => format!("api/{}/{}", file_name(&operation.id), operation.method),
    }
}

/// Text of an XML attribute; what XML cannot have becomes a blank.
fn attribute(text: &str) -> String {
    let plain: String = text.chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
    escape(plain).into_owned()
}

fn package(header: &Archive, paths: &[(String, String)], document_entry: &str) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    let _ = writeln!(
        xml,
        "<zosConnectApi xmlns=\"http://www.ibm.com/zosConnect/2.0/zosConnectApi\" id=\"{}\" packageType=\"requester\">",
        attribute(&header.name)
    );
    let _ = write!(xml, "    <apiSpec title=\"{}\"", attribute(&header.title));
    if !header.base_path.is_empty() {
        let _ = write!(xml, " basePath=\"{}\"", attribute(&header.base_path));
    }
    let _ = writeln!(
        xml,
        " description=\"{}\" version=\"{}\" connectionRef=\"{}\">",
        attribute(&header.description),
        attribute(&header.version),
        attribute(&header.connection_ref)
    );
    for (path, methods) in paths {
        let _ = write!(xml, "        <path relativePath=\"{}\">\n{methods}        </path>\n", attribute(path));
    }
    let _ = write!(
        xml,
        "        <apiDoc docType=\"SWAGGER\">{}</apiDoc>\n    </apiSpec>\n</zosConnectApi>\n",
        attribute(document_entry)
    );
    xml
}

fn mapping(header: &Archive, operation: &Operation, service: &str, folder: &str) -> String {
    let code = operation.binding.response.as_ref().map_or(200, |response| response.code);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <ns2:ZosConnectServiceMapping xmlns:ns2=\"http://www.ibm.com/zosConnect/2.0/zosConnectServiceMapping\" \
         mappingSpecVersion=\"1.0\">\n    \
         <mappingContext basePath=\"{}\" relativePath=\"{}\" method=\"{}\" serviceName=\"{}\"/>\n    \
         <requestMessage>\n        <mappingRootModel type=\"MSL\" location=\"{folder}/request.map\"/>\n    </requestMessage>\n    \
         <responseMessages code=\"{code}\">\n        <mappingRootModel type=\"MSL\" location=\"{folder}/response.map\"/>\n    \
         </responseMessages>\n</ns2:ZosConnectServiceMapping>\n",
        attribute(&header.base_path),
        attribute(&operation.path),
        operation.method,
        attribute(service),
        folder = attribute(folder),
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Request,
    Response,
}

fn map(operation: &Operation, direction: Direction) -> String {
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <mappingRoot xmlns=\"http://www.ibm.com/2008/ccl/Mapping\" domainID=\"com.ibm.msl.mapping.xml\" \
         domainIDExtension=\"zosconnect\" jsonWrapped=\"false\" version=\"8.0.5.0\">\n    <mappingDeclaration name=\"{}.{}\">\n",
        operation.method,
        attribute(&operation.path.replace('/', ""))
    );
    match direction {
        Direction::Request => request_statements(&mut xml, operation),
        Direction::Response => response_statements(&mut xml, operation),
    }
    xml.push_str("    </mappingDeclaration>\n</mappingRoot>\n");
    xml
}

fn request_statements(xml: &mut String, operation: &Operation) {
    let binding = &operation.binding;
    for parameter in &binding.parameters {
        let to = match parameter.place {
            Place::Path => "PathParameters",
            Place::Query => "QueryParameters",
            Place::Header => "Headers",
            Place::Cookie => "Cookies",
        };
        let required = binding.request.as_ref().is_some_and(|request| is_required(request, parameter));
        let required = if required { " required=\"true\"" } else { "" };
        let name = attribute(&parameter.name);
        let group = parameter.place.group();
        let _ = writeln!(
            xml,
            "        <move>\n            <input path=\"{group}/{name}\"{required}/>\n            \
             <output path=\"{to}/{name}\"/>\n        </move>"
        );
    }
    if binding.request.as_ref().is_some_and(|request| request.group("ReqBody").is_some()) {
        passthrough(xml, "ReqBody", "Body");
    }
}

fn is_required(request: &Structure, parameter: &Parameter) -> bool {
    let items = request.group(parameter.place.group()).map_or(&[][..], Item::items);
    items.iter().any(|item| item.json_name == parameter.name && item.absence == Absence::Never)
}

fn response_statements(xml: &mut String, operation: &Operation) {
    let Some(response) = &operation.binding.response else { return };
    if let Some(group) = response.structure.group("RespHeaders") {
        for item in group.items() {
            let name = attribute(&item.json_name);
            let _ = writeln!(
                xml,
                "        <move>\n            <input path=\"Headers/{name}\"/>\n            \
                 <output path=\"RespHeaders/{name}\"/>\n        </move>"
            );
        }
    }
    if response.structure.group("RespBody").is_some() {
        passthrough(xml, "Body", "RespBody");
    }
    for group in response.structure.groups.iter().filter(|group| Status::of_group(&group.json_name).is_some()) {
        passthrough(xml, "Body", &group.json_name);
    }
}

fn passthrough(xml: &mut String, from: &str, to: &str) {
    let _ = writeln!(
        xml,
        "        <passthrough>\n            <input path=\"{from}\"/>\n            <output path=\"{to}\"/>\n        </passthrough>"
    );
}
