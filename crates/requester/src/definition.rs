//! An API requester as it is deployed: its archive, with operations by method and path, and the plans that converted with so
//! far.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use build_toolkit::archive::{self, Archive, ArchiveError, Binding};
use http::{HeaderValue, Method};
use parking_lot::RwLock;
use service::deploy::Artefact;

use crate::conversion::{CompileError, Converter, RecordForm};
use crate::mapping::{PathTemplate, encoded_path};

/// Forms that plans are kept for; programs of one system share one. The oldest makes room.
const FORMS: usize = 8;

pub struct RequesterDefinition {
    pub name: String,
    pub title: String,
    pub version: String,
    pub description: String,
    /// The endpoint connection of the archive.
    pub connection: String,
    operations: Vec<Operation>,
    /// By full path: indexes of its methods.
    by_path: HashMap<String, Vec<usize>>,
}

pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: Method,
    /// Base path and path, as a program names them.
    pub(crate) full_path: String,
    pub(crate) base_path: String,
    pub(crate) path: PathTemplate,
    pub(crate) media_type: HeaderValue,
    pub(crate) binding: Binding,
    plans: RwLock<Vec<(RecordForm, Arc<Plans>)>>,
}

/// Of both directions, in one form.
pub(crate) struct Plans {
    pub(crate) request: Option<Converter>,
    pub(crate) response: Option<Converter>,
}

impl RequesterDefinition {
    /// # Errors
    /// An operation that HTTP cannot take, or whose structures cannot be converted.
    pub fn new(archive: Archive) -> Result<Self, ArchiveError> {
        let mut operations = Vec::with_capacity(archive.operations.len());
        for operation in archive.operations {
            let id = operation.id.clone();
            let entry = |problem: String| ArchiveError::Operation { operation: id.clone(), problem };
            let method = Method::from_bytes(operation.method.as_bytes())
                .map_err(|_| entry(format!("{} is no method", operation.method)))?;
            let media_type = match operation.binding.media_type.as_str() {
                "" => "application/json",
                stated => stated,
            };
            let media_type = HeaderValue::try_from(media_type).map_err(|error| entry(error.to_string()))?;
            let made = Operation {
                id: operation.id.clone(),
                method,
                full_path: format!("{}{}", archive.base_path, operation.path),
                base_path: encoded_path(&archive.base_path),
                path: PathTemplate::parse(&operation.path),
                media_type,
                binding: operation.binding,
                plans: RwLock::default(),
            };
            // Structures have been checked when they were read. Plans, which are as long as their records, are made when used.
            RecordForm::of_ccsid(made.binding.options.runtime_ccsid)
                .check()
                .map_err(|error| entry(error.to_string()))?;
            operations.push(made);
        }
        let mut by_path = HashMap::<String, Vec<usize>>::new();
        for (index, operation) in operations.iter().enumerate() {
            by_path.entry(operation.full_path.clone()).or_default().push(index);
        }
        Ok(Self {
            name: archive.name,
            title: archive.title,
            version: archive.version,
            description: archive.description,
            connection: archive.connection_ref,
            operations,
            by_path,
        })
    }

    /// `path` is that of the document, with its base path and its braces.
    pub(crate) fn operation(&self, method: &str, path: &str) -> Option<&Operation> {
        let mut of_path = self.by_path.get(path)?.iter().map(|&index| &self.operations[index]);
        of_path.find(|operation| operation.method.as_str().eq_ignore_ascii_case(method))
    }

    /// Identifier, method and path of each operation.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.operations.iter().map(|one| (one.id.as_str(), one.method.as_str(), one.full_path.as_str()))
    }
}

impl Operation {
    /// Bytes of the longer one of the two records.
    pub(crate) fn length(&self) -> usize {
        let response = self.binding.response.as_ref().map(|response| response.structure.length);
        let request = self.binding.request.as_ref().map(|request| request.length);
        usize::try_from(request.max(response).unwrap_or(0)).unwrap_or(usize::MAX)
    }

    /// The plans for records of a form; without one, of what the archive says.
    ///
    /// # Errors
    /// The code page is not known.
    pub(crate) fn plans(&self, form: Option<RecordForm>) -> Result<Arc<Plans>, CompileError> {
        let options = &self.binding.options;
        let form = form.unwrap_or_else(|| RecordForm::of_ccsid(options.runtime_ccsid));
        if let Some((_, plans)) = self.plans.read().iter().find(|(known, _)| *known == form) {
            return Ok(Arc::clone(plans));
        }
        let plans = Arc::new(self.make_plans(form)?);
        let mut known = self.plans.write();
        if known.iter().all(|(other, _)| *other != form) {
            if known.len() >= FORMS {
                known.remove(0);
            }
            known.push((form, Arc::clone(&plans)));
        }
        Ok(plans)
    }

    fn make_plans(&self, form: RecordForm) -> Result<Plans, CompileError> {
        let make = |structure| Converter::new(structure, form, &self.binding.options);
        Ok(Plans {
            request: self.binding.request.as_ref().map(make).transpose()?,
            response: self.binding.response.as_ref().map(|response| make(&response.structure)).transpose()?,
        })
    }
}

impl Artefact for RequesterDefinition {
    const ENDING: &'static str = "ara";
    const WORD: &'static str = "API requester";
    const INSTALLED: &'static str = "BAQR1102I";
    const LONGEST: usize = archive::LIMITS.archive;
    type Settings = ();
    type Problem = ArchiveError;

    fn read(bytes: &[u8], _settings: &()) -> Result<Self, ArchiveError> {
        Self::new(archive::read(bytes)?)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn clash(&self, _other: &Self) -> Option<String> {
        None
    }

    fn installed(&self, path: &Path) -> String {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        format!("API requester archive {file} is installed and API requester {} is deployed successfully.", self.name)
    }
}
