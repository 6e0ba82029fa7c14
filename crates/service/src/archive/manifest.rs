//! `manifest.yml` of a service archive: who the service is, its properties, where its schemas and files lie.
//!
//! Source: `.sar` files that IBM's tools generated (reference, part 7).

use serde_json::{Map, Value, json};

use super::error::ArchiveError;
use document::yaml::{self, Scalars};

/// Name of the entry.
pub const MANIFEST: &str = "manifest.yml";
/// How entries are referred to.
const FILE: &str = "file:///";
/// Most properties.
const MAXIMUM_PROPERTIES: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    pub name: String,
    pub version: String,
    pub description: String,
    /// `mq`, or as IBM's tools have it with a version: `CICS-1.0`.
    pub provider: String,
    /// Names of entries.
    pub request_schema: Option<String>,
    pub response_schema: Option<String>,
    pub properties: Vec<Property>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub name: String,
    pub value: String,
    pub kind: PropertyKind,
}

/// `type` of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    String,
    Boolean,
    /// The value is the name of an entry.
    File,
}

impl PropertyKind {
    const ALL: [(Self, &'static str); 3] = [(Self::String, "STRING"), (Self::Boolean, "BOOLEAN"), (Self::File, "FILE")];

    fn name(self) -> &'static str {
        match self {
            Self::String => "STRING",
            Self::Boolean => "BOOLEAN",
            Self::File => "FILE",
        }
    }
}

impl Manifest {
    /// # Errors
    /// It is not YAML, or lacks a name or a provider.
    pub fn parse(text: &str) -> Result<Self, ArchiveError> {
        let value = yaml::read(text, Scalars::Text).map_err(|error| ArchiveError::entry(MANIFEST, error))?;
        let text_of = |key: &str| value[key].as_str().unwrap_or_default().trim().to_owned();
        let needed = |key: &str| match text_of(key) {
            text if text.is_empty() => Err(ArchiveError::entry(MANIFEST, format!("the key {key} is missing"))),
            text => Ok(text),
        };
        let schema = |key: &str| value[key]["value"].as_str().map(entry_name);
        Ok(Self {
            name: needed("name")?,
            version: text_of("version"),
            description: text_of("description"),
            provider: needed("provider")?,
            request_schema: schema("requestSchema"),
            response_schema: schema("responseSchema"),
            properties: properties(&value["providerProperties"])?,
        })
    }

    pub fn to_yaml(&self) -> String {
        let mut manifest = Map::new();
        let mut add = |key: &str, value: Value| manifest.insert(key.to_owned(), value);
        add("Manifest-Version", json!("1.0"));
        add("name", json!(self.name));
        add("provider", json!(self.provider));
        add("factoryPid", json!(self.provider));
        for (key, schema) in [("requestSchema", &self.request_schema), ("responseSchema", &self.response_schema)] {
            if let Some(name) = schema {
                add(key, json!({ "value": format!("{FILE}{name}"), "type": "JSONSchema" }));
            }
        }
        let property =
            |one: &Property| json!({ "propertyName": one.name, "value": one.value, "type": one.kind.name() });
        add("providerProperties", self.properties.iter().map(property).collect());
        add("providerObjects", json!([]));
        add("version", json!(self.version));
        add("description", json!(self.description));
        format!("---\n{}", yaml::write(&Value::Object(manifest)))
    }

    /// The last value of a property.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().rev().find(|one| one.name == name).map(|one| one.value.as_str())
    }
}

fn properties(list: &Value) -> Result<Vec<Property>, ArchiveError> {
    let items = match list {
        Value::Array(items) => items.as_slice(),
        Value::Null => &[],
        _ => return Err(ArchiveError::entry(MANIFEST, "providerProperties is no list")),
    };
    if items.len() > MAXIMUM_PROPERTIES {
        return Err(ArchiveError::entry(MANIFEST, format!("there are more than {MAXIMUM_PROPERTIES} properties")));
    }
    items.iter().map(property).collect()
}

fn property(item: &Value) -> Result<Property, ArchiveError> {
    let name = item["propertyName"].as_str().unwrap_or_default();
    if name.is_empty() {
        return Err(ArchiveError::entry(MANIFEST, "a property has no propertyName"));
    }
    let kind_name = item["type"].as_str().unwrap_or("STRING");
    let kind = PropertyKind::ALL.iter().find(|(_, known)| *known == kind_name).map(|(kind, _)| *kind);
    let Some(kind) = kind else {
        return Err(ArchiveError::property(name, format!("{kind_name} is no type of a property")));
    };
    let value = item["value"].as_str().unwrap_or_default();
    let value = if kind == PropertyKind::File { entry_name(value) } else { value.to_owned() };
    Ok(Property { name: name.to_owned(), value, kind })
}

/// `file:///schemas/X.json` or `files\X` as the name of an entry.
fn entry_name(text: &str) -> String {
    text.strip_prefix(FILE).unwrap_or(text).replace('\\', "/").trim_start_matches('/').to_owned()
}

#[cfg(test)]
mod tests;
