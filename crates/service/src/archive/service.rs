//! A service archive: its manifest and what lies beside it, and the service that they define.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use document::package::Package;
use document::xml;
use parking_lot::Mutex;
use serde_json::Value;

use super::conversion::{self, Compiled, Conversion, Members};
use super::error::ArchiveError;
use super::manifest::{MANIFEST, Manifest, Property, PropertyKind};
use crate::definition::{DefinitionError, PROPERTIES, Service};
use crate::names::Names;

/// Where copybooks lie.
const FILES: &str = "files/";
/// Most bytes of one copybook.
const MAXIMUM_COPYBOOK: usize = 4 << 20;
/// Properties of archives of IBM's tools that say nothing here, or that say what is done in any case.
const PASSED_OVER: &[(&str, &[&str])] = &[
    ("dataXformType", &["NONE", "COPYBOOK", "WALKER_VISITOR", ""]),
    ("trimOutputTrailingWhitespace", &["true"]),
    ("trimOutputLeadingWhitespace", &["false"]),
    ("enforceMinArrayOccurrence", &["false"]),
    ("enforceMinArrayOccurrenceResponse", &["false"]),
    ("initializeInputFields", &["false"]),
    ("escapeOutputControlCharacters", &["false"]),
];
/// Of these any value is passed over.
const MEANINGLESS: &[&str] = &["bidiConfigRef", "connectionRef", "servicetype", "transid", "transidUsage"];
/// Names that archives and projects of CICS services have for their program.
pub(crate) const PROGRAM: [&str; 2] = ["program", "executableName"];
/// Names that archives of the API toolkit have for a structure.
const INTERFACES: [(&str, &str); 2] =
    [("wvRequestInterfaceFile", "requestStructure"), ("wvResponseInterfaceFile", "responseStructure")];
/// The property of such an archive that names its service's description.
const SERVICE_FILE: &str = "wvServiceFile";

/// An archive that has been read or built. [`ServiceArchive::definition`] checks whether its service is possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceArchive {
    pub manifest: Manifest,
    package: Package,
}

/// What an archive says, ready for use.
pub struct ServiceContent {
    pub service: Service,
    /// The properties in force, for people to see: without passwords.
    pub properties: BTreeMap<String, String>,
    /// JSON schemas of request and response.
    pub request_schema: Option<Value>,
    pub response_schema: Option<Value>,
}

impl ServiceArchive {
    /// # Errors
    /// It is no archive, goes beyond a limit, or has no manifest that can be read.
    pub fn read(archive: &[u8]) -> Result<Self, ArchiveError> {
        let package = Package::read(archive)?;
        let manifest = Manifest::parse(package.text(MANIFEST)?)?;
        Ok(Self { manifest, package })
    }

    /// Makes the archive of a service from its properties and its copybooks, all checked.
    ///
    /// # Errors
    /// A property is unknown or cannot be, or a copybook is missing or wrong.
    pub fn build(
        mut manifest: Manifest,
        properties: &[(String, String)],
        members: &dyn Members,
    ) -> Result<Self, ArchiveError> {
        let recorded = Recorded { members, files: Mutex::new(BTreeMap::new()) };
        let mut conversion = Conversion::of_service(&manifest.name);
        for (name, value) in properties {
            let kind = match conversion::find(name) {
                Some(known) => {
                    conversion.set(known, value)?;
                    match known.values {
                        conversion::Values::File => PropertyKind::File,
                        conversion::Values::Flag => PropertyKind::Boolean,
                        conversion::Values::Text | conversion::Values::Words(_) => PropertyKind::String,
                    }
                }
                None if PROPERTIES.contains(&name.as_str()) => PropertyKind::String,
                None => return Err(unknown_property(name)),
            };
            // What an archive carries is named by where it lies in it.
            let value = match kind {
                PropertyKind::File if !value.trim().is_empty() => entry_of_structure(value.trim()),
                _ => value.clone(),
            };
            manifest.properties.push(Property { name: name.clone(), value, kind });
        }
        let compiled = conversion.compile(&recorded)?;
        let mut package = Package::default();
        let sides = [
            ("Request", &compiled.request, &mut manifest.request_schema),
            ("Response", &compiled.response, &mut manifest.response_schema),
        ];
        for (side, direction, place) in sides {
            if let Some(direction) = direction {
                let name = format!("schemas/{}{side}.json", manifest.name);
                package.insert(&name, pretty(&direction.schema))?;
                *place = Some(name);
            }
        }
        for (name, content) in recorded.files.into_inner() {
            package.insert(&name, content)?;
        }
        package.insert(MANIFEST, manifest.to_yaml().into_bytes())?;
        Ok(Self { manifest, package })
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

    /// The service, with `overrides` in place of the archive's own properties.
    ///
    /// # Errors
    /// A property is unknown or cannot be, what converts its data is not read here, or a copybook is wrong.
    pub fn content(&self, names: &Names, overrides: &BTreeMap<String, String>) -> Result<ServiceContent, ArchiveError> {
        let queues = self.queues()?;
        let mut builder = Service::builder(&self.manifest.name)
            .version(&self.manifest.version)
            .description(&self.manifest.description);
        let mut conversion = Conversion::of_service(&self.manifest.name);
        let mut properties = BTreeMap::new();
        let given = self.manifest.properties.iter().map(|one| (one.name.as_str(), one.value.as_str()));
        let given = given.filter(|(name, _)| queues.is_none() || !PROGRAM.contains(name));
        let given = queues.iter().flatten().map(|(name, value)| (*name, value.as_str())).chain(given);
        let mut service_file = None;
        for (name, value) in given.chain(overrides.iter().map(|(name, value)| (name.as_str(), value.as_str()))) {
            if name == SERVICE_FILE {
                service_file = Some(value);
                continue;
            }
            let name = INTERFACES.iter().find(|(known, _)| *known == name).map_or(name, |(_, structure)| *structure);
            match value.trim() {
                "" => drop(properties.remove(name)),
                _ if name == "password" => {}
                value => drop(properties.insert(name.to_owned(), value.to_owned())),
            }
            if let Some(known) = conversion::find(name) {
                conversion.set(known, value)?;
            } else if PROPERTIES.contains(&name) {
                builder = builder.property(name, value).map_err(|error| ArchiveError::property(name, error))?;
            } else if !pass_over(name, value)? {
                return Err(unknown_property(name));
            }
        }
        if let (Some(file), None, Some(known)) = (service_file, conversion.text("ccsid"), conversion::find("ccsid")) {
            conversion.set(known, &code_page_of(&Inside(&self.package).structure(file)?, file)?)?;
        }
        let compiled = conversion.compile(&Inside(&self.package))?;
        if let Some(ccsid) = conversion.ccsid() {
            let text = ccsid.to_string();
            let mut set = vec!["ccsid"];
            // A text is converted to what the records of the compiler have.
            if conversion.text("compiler").is_some() && !properties.contains_key("receiveTextCCSID") {
                set.push("receiveTextCCSID");
            }
            for name in set {
                builder = builder.property(name, &text).map_err(|error| ArchiveError::property(name, error))?;
            }
        }
        let Compiled { request, response } = compiled;
        let schemas = [&request, &response].map(|side| side.as_ref().map(|direction| direction.schema.clone()));
        let [request_schema, response_schema] = schemas;
        let transformation = Compiled { request, response }.transformation();
        let service = builder.transformation(transformation).build(names).map_err(of_definition)?;
        // A service without a copybook may bring schemas all the same.
        Ok(ServiceContent {
            service,
            properties,
            request_schema: request_schema.or_else(|| self.schema(self.manifest.request_schema.as_deref())),
            response_schema: response_schema.or_else(|| self.schema(self.manifest.response_schema.as_deref())),
        })
    }

    /// Properties that the program of a CICS service has by its name; `None`: it is a service of the MQ provider, which has its own.
    fn queues(&self) -> Result<Option<[(&'static str, String); 3]>, ArchiveError> {
        let provider = &self.manifest.provider;
        let word = provider.to_ascii_lowercase();
        match word.split('-').next() {
            Some("cics") => {
                let program = PROGRAM.iter().find_map(|name| self.manifest.property(name));
                let program = program.filter(|name| !name.trim().is_empty());
                let missing = || ArchiveError::property(PROGRAM[0], "it is required");
                Ok(Some(queues_of_program(program.ok_or_else(missing)?.trim())))
            }
            Some("mq") => Ok(None),
            _ if word.starts_with("ibm mq") => Ok(None),
            _ => {
                let problem = format!("the provider '{provider}' is not supported, expected mq or cics");
                Err(ArchiveError::entry(MANIFEST, problem))
            }
        }
    }

    fn schema(&self, entry: Option<&str>) -> Option<Value> {
        serde_json::from_slice(self.package.get(entry?)?).ok()
    }
}

fn of_definition(error: DefinitionError) -> ArchiveError {
    match error {
        DefinitionError::Missing { property } => ArchiveError::property(property, "it is required"),
        DefinitionError::Value { property, value, problem } => {
            ArchiveError::property(&property, format!("it cannot be '{value}': {problem}"))
        }
        DefinitionError::Unknown { property } => unknown_property(&property),
        DefinitionError::Conflict { property, other } => {
            ArchiveError::property(property, format!("it cannot be used with {other}"))
        }
        DefinitionError::Name { .. } => ArchiveError::property("name", error),
    }
}

fn unknown_property(name: &str) -> ArchiveError {
    ArchiveError::property(name, "there is no such property")
}

/// A program that its provider calls by a name, and not by a queue, is reached by a queue of that name. Its replies come to one of that
/// name with `.REPLY`, for which a request waits ten seconds.
pub(crate) fn queues_of_program(program: &str) -> [(&'static str, String); 3] {
    let reply = format!("{program}.REPLY");
    [("destination", program.to_owned()), ("replyDestination", reply), ("waitInterval", "10000".to_owned())]
}

/// Whether a property of IBM's tools may be passed over; not if it is none of them.
///
/// # Errors
/// The property would change what comes out, in a way that is not done here.
pub(crate) fn pass_over(name: &str, value: &str) -> Result<bool, ArchiveError> {
    if MEANINGLESS.contains(&name) {
        return Ok(true);
    }
    match PASSED_OVER.iter().find(|(known, _)| *known == name) {
        Some((_, values)) if values.iter().any(|known| known.eq_ignore_ascii_case(value.trim())) => Ok(true),
        Some(_) => Err(ArchiveError::property(name, format!("'{value}' is not supported"))),
        None => Ok(false),
    }
}

/// The code page in the description of a service of the API toolkit; empty if it says none.
fn code_page_of(content: &[u8], file: &str) -> Result<String, ArchiveError> {
    let root = xml::parse(content).map_err(|error| ArchiveError::entry(file, error))?;
    Ok(root.children_named("ccsid").next().map(|ccsid| ccsid.text.clone()).unwrap_or_default())
}

/// Where the copybook of a property lies in an archive: its file's name, without the folders it came from.
fn entry_of_structure(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{FILES}{name}")
}

/// As the name of an entry, members keep their library.
fn entry_of_member(name: &str, library: Option<&str>) -> String {
    match library {
        Some(library) => format!("{FILES}copy/{library}/{name}"),
        None => format!("{FILES}copy/{name}"),
    }
}

/// Passes on, and keeps what was asked for.
struct Recorded<'a> {
    members: &'a dyn Members,
    files: Mutex<BTreeMap<String, Bytes>>,
}

impl Recorded<'_> {
    fn keep(&self, entry: String, content: &[u8]) {
        self.files.lock().insert(entry, Bytes::copy_from_slice(content));
    }
}

impl Members for Recorded<'_> {
    fn structure(&self, name: &str) -> Result<Vec<u8>, ArchiveError> {
        let content = self.members.structure(name)?;
        if content.len() > MAXIMUM_COPYBOOK {
            return Err(ArchiveError::entry(name, format!("it is longer than {MAXIMUM_COPYBOOK} bytes")));
        }
        let entry = entry_of_structure(name);
        if self.files.lock().get(&entry).is_some_and(|known| *known != content) {
            return Err(ArchiveError::entry(name, "another structure has the same file name"));
        }
        self.keep(entry, &content);
        Ok(content)
    }

    fn member(&self, name: &str, library: Option<&str>) -> Option<Vec<u8>> {
        let content = self.members.member(name, library).filter(|content| content.len() <= MAXIMUM_COPYBOOK)?;
        self.keep(entry_of_member(name, library), &content);
        Some(content)
    }
}

/// The files of an archive.
struct Inside<'a>(&'a Package);

impl Members for Inside<'_> {
    fn structure(&self, name: &str) -> Result<Vec<u8>, ArchiveError> {
        let content = self.0.get(name).or_else(|| self.0.get(&name.replace('\\', "/")));
        let content = content.or_else(|| self.0.get(&entry_of_structure(name)));
        let content = content.ok_or_else(|| ArchiveError::Missing { name: name.to_owned() })?;
        if content.len() > MAXIMUM_COPYBOOK {
            return Err(ArchiveError::entry(name, format!("it is longer than {MAXIMUM_COPYBOOK} bytes")));
        }
        Ok(content.to_vec())
    }

    fn member(&self, name: &str, library: Option<&str>) -> Option<Vec<u8>> {
        let content =
            self.0.get(&entry_of_member(name, library)).or_else(|| self.0.get(&entry_of_member(name, None)))?;
        Some(content.to_vec())
    }
}

fn pretty(schema: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(schema).unwrap_or_default();
    text.push(b'\n');
    text
}

/// Properties a source may have, for the nearest known name in an error.
pub fn known_properties() -> BTreeSet<&'static str> {
    PROPERTIES.iter().copied().chain(conversion::CONVERSION.iter().map(|one| one.name)).collect()
}

#[cfg(test)]
mod tests;
