//! Sources of archives: a directory with `service.yaml` or `api.yaml` and what they name, or a properties file.
//!
//! Reads files, writes none. What a source names must lie in its directory or below; a name is never a way out of it.

pub mod api;
mod provider;
pub mod service;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use document::{properties, yaml};

use crate::archive::ArchiveError;
use crate::archive::api::PACKAGE;
use crate::archive::manifest::MANIFEST;

/// Longest file of a source, in bytes.
const MAXIMUM_FILE: u64 = 8 << 20;

/// What a source builds.
pub enum Built {
    Service(crate::archive::ServiceArchive),
    Api(crate::archive::ApiArchive),
}

impl Built {
    pub fn name(&self) -> &str {
        match self {
            Self::Service(archive) => &archive.manifest.name,
            Self::Api(archive) => &archive.definition.name,
        }
    }

    /// `sar` or `aar`.
    pub fn ending(&self) -> &'static str {
        match self {
            Self::Service(_) => "sar",
            Self::Api(_) => "aar",
        }
    }

    /// # Errors
    /// The archive goes beyond a limit.
    pub fn write(&self) -> Result<Vec<u8>, ArchiveError> {
        match self {
            Self::Service(archive) => archive.write(),
            Self::Api(archive) => archive.write(),
        }
    }
}

/// Why a source is not built, and where that stands.
#[derive(Debug, thiserror::Error)]
pub struct BuildError {
    pub file: PathBuf,
    /// From 1; of the file, where the problem does not tell it.
    pub line: Option<usize>,
    pub problem: ArchiveError,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        match &self.problem {
            ArchiveError::Entry { problem, .. } => f.write_str(problem),
            other => other.fmt(f),
        }
    }
}

/// Builds what a source describes: a directory with `service.yaml` or `api.yaml`, a file of either kind with any name, a
/// properties file, or a project of provider 3.0 or a folder of its assets.
///
/// # Errors
/// A file is missing or cannot be used.
pub fn build(source: &Path) -> Result<Built, BuildError> {
    let (folder, file) = if source.is_dir() {
        let known = ["service.yaml", "service.yml", "api.yaml", "api.yml", "service.properties", provider::ASSET];
        let found = known.iter().find(|name| source.join(name).is_file());
        if let (None, Some(main)) = (found, provider::of_project(source)) {
            return provider::api(&main).map(Built::Api).map_err(|problem| placed(problem, &main, "", ""));
        }
        let found = found.ok_or_else(|| BuildError {
            file: source.to_owned(),
            line: None,
            problem: ArchiveError::entry("", "the directory has neither service.yaml nor api.yaml"),
        })?;
        (source, (*found).to_owned())
    } else {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (source.parent().unwrap_or(Path::new("")), name)
    };
    let text = text_of(folder, &file).map_err(|problem| placed(problem, folder, &file, ""))?;
    let built = match file.rsplit_once('.') {
        _ if file == provider::ASSET => provider::service(folder, &text).map(Built::Service),
        Some((_, "properties")) => service::of_properties(folder, &file, &text).map(Built::Service),
        Some(("api", "yaml" | "yml")) => api::of_yaml(folder, &file, &text).map(Built::Api),
        Some((_, "yaml" | "yml")) if api::is_one(&text) => api::of_yaml(folder, &file, &text).map(Built::Api),
        Some((_, "yaml" | "yml")) => service::of_yaml(folder, &file, &text).map(Built::Service),
        _ => Err(ArchiveError::entry(&file, "expected service.yaml, api.yaml or a file that ends in .properties")),
    };
    built.map_err(|problem| placed(problem, folder, &file, &text))
}

/// A problem with the file it is about: the source, or one that the source names.
fn placed(problem: ArchiveError, folder: &Path, source: &str, text: &str) -> BuildError {
    let (name, line) = match &problem {
        // What would become the description of the archive is what the source says.
        ArchiveError::Entry { name, .. } if name == MANIFEST || name == PACKAGE => (source, None),
        ArchiveError::Entry { name, .. } => (name.as_str(), None),
        ArchiveError::Property { property, .. } => (source, line_of(source, text, property)),
        ArchiveError::Package(_) | ArchiveError::Missing { .. } => (source, None),
    };
    BuildError { file: folder.join(name), line, problem }
}

/// Where a property stands, or the innermost of those it belongs to that does.
fn line_of(source: &str, text: &str, property: &str) -> Option<usize> {
    let lines: BTreeMap<String, usize> =
        if source.ends_with(".properties") { properties::lines(text) } else { yaml::lines(text) };
    let mut place = property;
    loop {
        if let Some(line) = lines.get(place) {
            return Some(*line);
        }
        place = &place[..place.rfind(['.', '['])?];
    }
}

/// The content of a file in the source's folder or below.
pub(crate) fn content_of(folder: &Path, name: &str) -> Result<Vec<u8>, ArchiveError> {
    let path = Path::new(name);
    if path.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(ArchiveError::entry(name, "the file has to lie in the directory of the source"));
    }
    let failed = |error: std::io::Error| ArchiveError::entry(name, error);
    let mut content = Vec::new();
    let file = fs::File::open(folder.join(path)).map_err(failed)?;
    file.take(MAXIMUM_FILE + 1).read_to_end(&mut content).map_err(failed)?;
    if content.len() as u64 > MAXIMUM_FILE {
        return Err(ArchiveError::entry(name, format!("the file is longer than {MAXIMUM_FILE} bytes")));
    }
    Ok(content)
}

fn text_of(folder: &Path, name: &str) -> Result<String, ArchiveError> {
    String::from_utf8(content_of(folder, name)?).map_err(|_| ArchiveError::entry(name, "the file is not UTF-8"))
}

/// The known name that a mistyped one is nearest to, as the end of a sentence.
fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let lower = name.to_lowercase();
    let near = |other: &&str| distance(&lower, &other.to_lowercase()) <= 2;
    known
        .min_by_key(|other| distance(&lower, &other.to_lowercase()))
        .filter(near)
        .map_or_else(String::new, |nearest| format!(", did you mean {nearest}?"))
}

/// Levenshtein's.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, one) in left.chars().enumerate() {
        let mut before = row[0];
        row[0] = index + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = before + usize::from(one != *other);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
