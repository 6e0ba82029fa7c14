//! Sources of archives: a directory with `service.yaml` or `api.yaml` and what they name, or a properties file.
//!
//! Reads files, writes none. What a source names must lie in its directory or below; a name is never a way out of it.

pub mod api;
pub mod service;

use std::fs;
use std::io::Read;
use std::path::{Component, Path};

use crate::archive::ArchiveError;

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

/// Builds what a source describes: a directory with `service.yaml` or `api.yaml`, one of these files, or a properties file.
///
/// # Errors
/// A file is missing or cannot be used.
pub fn build(source: &Path) -> Result<Built, ArchiveError> {
    let (folder, file) = if source.is_dir() {
        let known = ["service.yaml", "service.yml", "api.yaml", "api.yml", "service.properties"];
        let found = known.iter().find(|name| source.join(name).is_file());
        let found = found.ok_or_else(|| {
            ArchiveError::entry(&source.display().to_string(), "the directory has neither service.yaml nor api.yaml")
        })?;
        (source, (*found).to_owned())
    } else {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (source.parent().unwrap_or(Path::new("")), name)
    };
    let text = text_of(folder, &file)?;
    match file.rsplit_once('.') {
        Some((_, "properties")) => service::of_properties(folder, &file, &text).map(Built::Service),
        Some(("api", "yaml" | "yml")) => api::of_yaml(folder, &file, &text).map(Built::Api),
        Some((_, "yaml" | "yml")) => service::of_yaml(folder, &file, &text).map(Built::Service),
        _ => Err(ArchiveError::entry(&file, "expected service.yaml, api.yaml or a file that ends in .properties")),
    }
}

/// The content of a file in the source's folder or below.
fn content_of(folder: &Path, name: &str) -> Result<Vec<u8>, ArchiveError> {
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
