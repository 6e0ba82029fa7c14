//! The two records of a service in the making: copybooks read with the members that they copy, laid out, and compiled.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use copybook::{Copybook, LayoutItem, ParseOptions, RecordLayout, text_of_file};

use super::{StarterError, Wanted, check_file};
use crate::archive::ArchiveError;
use crate::archive::conversion::{self, Compiled, Conversion, Members, Side};
use crate::build::content_of;
use crate::build::service::Folder;

/// Both records, and all that the files are made from.
pub(super) struct Records {
    pub(super) request: Record,
    pub(super) response: Record,
    pub(super) compiled: Compiled,
    /// Files by name: both copybooks, and the members that they copy.
    pub(super) copybooks: BTreeMap<String, String>,
    /// Every name of both copybooks, in upper case.
    pub(super) names: BTreeSet<String>,
}

impl Records {
    /// Records of both directions are of variable length for the program if one of them is.
    pub(super) fn is_variable(&self) -> bool {
        self.request.is_variable() || self.response.is_variable()
    }
}

pub(super) struct Record {
    /// Of the copybook.
    pub(super) file: String,
    pub(super) layout: RecordLayout,
    /// Of all level-01 entries of the copybook.
    pub(super) records: Vec<String>,
    /// A record was chosen among several.
    pub(super) chosen: Option<String>,
}

impl Record {
    /// Elementary items with names.
    pub(super) fn named_items(&self) -> impl Iterator<Item = (usize, &LayoutItem, &str)> {
        let items = self.layout.items.iter().enumerate();
        items.filter(|(_, item)| !item.is_group()).filter_map(|(at, item)| Some((at, item, item.name.as_deref()?)))
    }

    /// Whether the item counts the elements of a table.
    pub(super) fn is_counter(&self, index: usize) -> bool {
        let mut counters = self.layout.items.iter().filter_map(|item| item.occurs?.depending_on);
        counters.any(|counter| counter == index)
    }

    pub(super) fn is_variable(&self) -> bool {
        self.layout.minimum_length != self.layout.length
    }
}

/// The records of a copybook's file, in their order.
///
/// # Errors
/// The file cannot be read, or its copybook is wrong.
pub fn record_names(file: &Path) -> Result<Vec<String>, StarterError> {
    let members = TwoFiles::new(file, file)?;
    Ok(names_of(&parsed(&members, &members.request)?))
}

fn names_of(copybook: &Copybook) -> Vec<String> {
    copybook.records.iter().filter_map(|record| record.name.clone()).collect()
}

/// A copybook by itself, to see its records before one is chosen.
fn parsed(members: &TwoFiles, file: &str) -> Result<Copybook, StarterError> {
    let text = text_of_file(&members.structure(file)?, None);
    let resolver = |name: &str, library: Option<&str>| members.member(name, library).map(|it| text_of_file(&it, None));
    let options = ParseOptions { resolver: Some(&resolver), ..ParseOptions::default() };
    Ok(Copybook::parse(&text, &options).map_err(|error| ArchiveError::entry(file, error))?)
}

pub(super) fn read(wanted: &Wanted) -> Result<Records, StarterError> {
    let members = TwoFiles::new(&wanted.request, &wanted.response)?;
    let mut conversion = Conversion::default();
    let mut set = |property: &str, value: &str| match conversion::find(property) {
        Some(known) => conversion.set(known, value),
        None => Err(ArchiveError::property(property, "it is not known")),
    };
    set("requestStructure", &members.request)?;
    set("responseStructure", &members.response)?;
    set("compiler", wanted.compiler.name())?;
    let mut names = BTreeSet::new();
    let sides = [
        (&members.request, &wanted.request_record, "request", "requestRecord"),
        (&members.response, &wanted.response_record, "response", "responseRecord"),
    ];
    for (file, record, direction, property) in sides {
        let copybook = parsed(&members, file)?;
        let records = names_of(&copybook);
        match record {
            Some(record) => set(property, record)?,
            None if records.len() > 1 => {
                return Err(StarterError::SeveralRecords { file: file.clone(), records, direction });
            }
            None => {}
        }
        names.extend(copybook.names());
    }
    let compiled = conversion.compile(&members)?;
    let record = |side, file: &str, chosen: &Option<String>| -> Result<Record, StarterError> {
        let (copybook, layout) = conversion.laid_out(side, &members)?;
        Ok(Record { file: file.to_owned(), layout, records: names_of(&copybook), chosen: chosen.clone() })
    };
    Ok(Records {
        request: record(Side::Request, &members.request, &wanted.request_record)?,
        response: record(Side::Response, &members.response, &wanted.response_record)?,
        compiled,
        copybooks: members.read.into_inner(),
        names,
    })
}

/// The copybooks by the names of their files, and what was read of their folders.
struct TwoFiles {
    request: String,
    response: String,
    paths: BTreeMap<String, PathBuf>,
    read: RefCell<BTreeMap<String, String>>,
}

impl TwoFiles {
    fn new(request: &Path, response: &Path) -> Result<Self, StarterError> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = (name(request), name(response));
        check_file(&names.0)?;
        check_file(&names.1)?;
        let mut paths = BTreeMap::new();
        paths.insert(names.0.clone(), request.to_owned());
        let first = paths.insert(names.1.clone(), response.to_owned());
        if let Some(first) = first.filter(|first| text(first).ok() != text(response).ok()) {
            let (first, second) = (first.display().to_string(), response.display().to_string());
            return Err(StarterError::SameFile { first, second });
        }
        Ok(Self { request: names.0, response: names.1, paths, read: RefCell::default() })
    }
}

/// A file's content, by its own path.
fn text(path: &Path) -> Result<Vec<u8>, ArchiveError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let content = content_of(path.parent().unwrap_or(Path::new("")), &name);
    content.map_err(|error| match error {
        ArchiveError::Entry { problem, .. } => ArchiveError::entry(&path.display().to_string(), problem),
        other => other,
    })
}

impl Members for TwoFiles {
    fn structure(&self, name: &str) -> Result<Vec<u8>, ArchiveError> {
        let path = self.paths.get(name).ok_or_else(|| ArchiveError::entry(name, "it is neither copybook"))?;
        let content = text(path)?;
        self.read.borrow_mut().insert(name.to_owned(), text_of_file(&content, None));
        Ok(content)
    }

    fn member(&self, name: &str, library: Option<&str>) -> Option<Vec<u8>> {
        let folders = self.paths.values().filter_map(|path| path.parent());
        let found = folders.map(|folder| Folder(folder.to_owned())).find_map(|folder| folder.member(name, library))?;
        let ending = if name.contains('.') { "" } else { ".cpy" };
        let library = library.map(|library| format!("{library}/")).unwrap_or_default();
        self.read.borrow_mut().insert(format!("{library}{name}{ending}"), text_of_file(&found, None));
        Some(found)
    }
}
