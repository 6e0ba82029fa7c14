//! The copybooks of a server by their names: those of deployed services, and those of a folder.
//!
//! ```text
//! loan/request, loan/response    structures of the deployed service loan, as the service converts them
//! ORDER                          the only record of the file ORDER.cpy in the folder
//! ORDERS/HEADER, ORDERS/LINE     records of the file ORDERS.cpy, which has several
//! ```
//!
//! Properties of conversion for ORDER.cpy stand in ORDER.properties, by the names that services have for them. COPY finds other
//! files of the folder. The folder is read again when one of its files has changed.
//!
//! Invariants
//! - A file that cannot be used takes no other with it; its name is known, with what is wrong.
//! - No more than `MOST_FILES` files, of `MOST_BYTES` together, are read.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use document::properties;
use parking_lot::{Mutex, RwLock};

use crate::archive::ArchiveError;
use crate::archive::conversion::{self, Conversion, Values};
use crate::build::content_of;
use crate::build::service::Folder;
use crate::deploy::Signature;
use crate::record::RecordStructure;
use crate::registry::Registry;

const MOST_FILES: usize = 1000;
const MOST_BYTES: u64 = 64 << 20;
/// Endings of files with copybooks. Files without one are copybooks, too.
const ENDINGS: [&str; 5] = ["cpy", "cbl", "cob", "copy", "inc"];
const REQUEST: &str = "request";
const RESPONSE: &str = "response";

/// Where a copybook comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Service,
    Folder,
}

/// A copybook in a list.
pub struct Listed {
    pub name: String,
    pub origin: Origin,
    /// Or why it cannot be used.
    pub structure: Result<Arc<RecordStructure>, String>,
}

/// Why there is no structure of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoStructure {
    Unknown,
    Unusable(String),
}

/// The files of a folder.
pub struct CopybookFolder {
    folder: PathBuf,
    table: RwLock<Arc<Table>>,
    /// Held while the folder is read.
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// What the folder was like when it was read.
    files: Option<BTreeMap<String, Signature>>,
    /// The folder cannot be read, which has been told.
    is_unreadable: bool,
}

/// By the name of the file without its ending.
type Table = BTreeMap<String, Result<Vec<(String, Arc<RecordStructure>)>, String>>;

impl CopybookFolder {
    /// Nothing is read yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, table: RwLock::default(), seen: Mutex::default() }
    }

    /// Takes in what has changed. Reads files: not for a thread that serves sockets.
    pub fn poll(&self) {
        let mut seen = self.seen.lock();
        let found = match list(&self.folder) {
            Ok(found) => found,
            // What was read stays; the next look tries again.
            Err(error) => {
                if !std::mem::replace(&mut seen.is_unreadable, true) {
                    tracing::error!(%error, "the copybooks in {} cannot be listed", self.folder.display());
                }
                return;
            }
        };
        seen.is_unreadable = false;
        if seen.files.as_ref() == Some(&found) {
            return;
        }
        let before = Arc::clone(&self.table.read());
        let table = self.read(&found);
        for (name, file) in &table {
            if let Err(problem) = file
                && !matches!(before.get(name), Some(Err(known)) if known == problem)
            {
                tracing::warn!("the copybook {name} of {} is not used: {problem}", self.folder.display());
            }
        }
        *self.table.write() = Arc::new(table);
        seen.files = Some(found);
    }

    fn read(&self, found: &BTreeMap<String, Signature>) -> Table {
        let mut table = Table::new();
        let mut left = MOST_BYTES;
        for (file, signature) in found {
            let Some(name) = name_of(file) else { continue };
            let records = match left.checked_sub(signature.length()) {
                Some(rest) => {
                    left = rest;
                    read_records(&self.folder, file, name).map_err(|error| error.to_string())
                }
                None => Err(format!("the files of the folder have more than {MOST_BYTES} bytes together")),
            };
            let records = match (table.contains_key(name), records) {
                (true, _) => Err("several files have this name".to_owned()),
                (false, records) => records,
            };
            table.insert(name.to_owned(), records);
        }
        table
    }
}

fn read_records(folder: &Path, file: &str, name: &str) -> Result<Vec<(String, Arc<RecordStructure>)>, ArchiveError> {
    let mut conversion = Conversion::default();
    let settings = format!("{name}.properties");
    if folder.join(&settings).exists() {
        let text = String::from_utf8_lossy(&content_of(folder, &settings)?).into_owned();
        for (property, value) in properties::parse_text(&text) {
            let known = conversion::find(&property).filter(|known| known.values != Values::File);
            let unknown = || ArchiveError::entry(&settings, format!("'{property}' is no property of a copybook"));
            conversion.set(known.ok_or_else(unknown)?, &value)?;
        }
    }
    let records = conversion.records(file, &Folder(folder.to_owned()))?;
    Ok(records.into_iter().map(|(name, structure)| (name, Arc::new(structure))).collect())
}

/// The name of a copybook's file without its ending. `None`: it is another file.
fn name_of(file: &str) -> Option<&str> {
    match file.rsplit_once('.') {
        None => Some(file),
        Some((name, ending)) => ENDINGS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(ending))
            .then_some(name)
            .filter(|name| !name.is_empty()),
    }
}

/// Plain files, by name; of a folder that is not there none.
fn list(folder: &Path) -> io::Result<BTreeMap<String, Signature>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let mut found = BTreeMap::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // A file that went away in the meantime is not there.
        let Ok(metadata) = fs::metadata(entry.path()) else { continue };
        if metadata.is_file() && !name.starts_with('.') {
            found.insert(name, Signature::of(&metadata));
        }
        if found.len() == MOST_FILES {
            break;
        }
    }
    Ok(found)
}

/// The structure of a name.
///
/// # Errors
/// There is none, or its copybook is wrong.
pub fn find(registry: &Registry, folder: &CopybookFolder, name: &str) -> Result<Arc<RecordStructure>, NoStructure> {
    if let Some(structure) = name.rsplit_once('/').and_then(|(service, side)| of_service(registry, service, side)) {
        return Ok(structure);
    }
    let table = Arc::clone(&folder.table.read());
    let (file, record) = name.split_once('/').map_or((name, None), |(file, record)| (file, Some(record)));
    match (table.get(file).ok_or(NoStructure::Unknown)?, record) {
        (Err(problem), _) => Err(NoStructure::Unusable(problem.clone())),
        (Ok(records), Some(record)) => {
            let mut of_name = records.iter().filter(|(known, _)| known.eq_ignore_ascii_case(record));
            of_name.next().map(|(_, structure)| Arc::clone(structure)).ok_or(NoStructure::Unknown)
        }
        (Ok(records), None) => match records.as_slice() {
            [(_, only)] => Ok(Arc::clone(only)),
            several => {
                let names: Vec<_> = several.iter().map(|(record, _)| format!("{file}/{record}")).collect();
                Err(NoStructure::Unusable(format!("it has several records: choose {}", names.join(" or "))))
            }
        },
    }
}

fn of_service(registry: &Registry, service: &str, side: &str) -> Option<Arc<RecordStructure>> {
    let deployed = registry.services.lookup(service)?;
    let transformation = deployed.content.service.transformation.as_ref()?;
    let structure = match side {
        REQUEST => transformation.of_requests(),
        RESPONSE => transformation.of_responses(),
        _ => None,
    };
    structure.map(|structure| Arc::clone(structure.record()))
}

/// All of them, by name.
pub fn all(registry: &Registry, folder: &CopybookFolder) -> Vec<Listed> {
    let mut listed = Vec::new();
    for name in registry.services.all().keys() {
        for side in [REQUEST, RESPONSE] {
            if let Some(structure) = of_service(registry, name, side) {
                listed.push(Listed {
                    name: format!("{name}/{side}"),
                    origin: Origin::Service,
                    structure: Ok(structure),
                });
            }
        }
    }
    let table = Arc::clone(&folder.table.read());
    for (file, records) in &*table {
        let add = |name: String, structure| Listed { name, origin: Origin::Folder, structure };
        match records {
            Err(problem) => listed.push(add(file.clone(), Err(problem.clone()))),
            Ok(records) => listed.extend(records.iter().map(|(record, structure)| {
                let name = if records.len() == 1 { file.clone() } else { format!("{file}/{record}") };
                add(name, Ok(Arc::clone(structure)))
            })),
        }
    }
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    listed
}

#[cfg(test)]
mod tests;
