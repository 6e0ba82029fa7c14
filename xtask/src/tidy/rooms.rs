//! Every module of a crate says why it is there, and every folder of a crate has a front file and a place on the map.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A folder of so many files is a room: its front file has a page.
const ROOM_FILES: usize = 4;
/// Fewest lines of a page.
const PAGE_LINES: usize = 3;

/// `named` are the paths that the map names; `sources` the Rust files by path, relative to the root.
pub(super) fn check(named: &[String], sources: &BTreeMap<String, String>) -> Vec<String> {
    let modules: BTreeMap<&str, &str> =
        sources.iter().filter(|(path, _)| is_module(path)).map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut problems = Vec::new();
    for (path, text) in &modules {
        if page_lines(text) == 0 {
            problems.push(format!("{path}: its first line says why it is there, after //!"));
        }
    }
    for (folder, files) in folders(&modules) {
        let front = format!("{folder}.rs");
        let Some(text) = modules.get(front.as_str()) else {
            problems.push(format!("{folder}/: no {front} beside it"));
            continue;
        };
        if files >= ROOM_FILES && page_lines(text) < PAGE_LINES {
            problems.push(format!("{front}: a room of {files} files has a page of {PAGE_LINES} lines or more"));
        }
        if is_top(&folder) && !named.iter().any(|name| covers(name, &folder)) {
            problems.push(format!("docs/ARCHITECTURE.md: the map does not name {folder}/"));
        }
    }
    problems
}

/// A source of a crate that is neither a test nor a binary's example.
fn is_module(path: &str) -> bool {
    let mut parts = path.split('/');
    let in_source = parts.next() == Some("crates") && parts.nth(1) == Some("src");
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    in_source && !is_test && Path::new(path).extension().is_some_and(|extension| extension == "rs")
}

fn page_lines(text: &str) -> usize {
    text.lines().take_while(|line| line.starts_with("//!")).count()
}

/// Every folder below a `src` that holds modules, and how many.
fn folders(modules: &BTreeMap<&str, &str>) -> BTreeMap<String, usize> {
    let parents: Vec<&str> =
        modules.keys().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder).collect();
    let names: BTreeSet<&str> = parents.iter().copied().filter(|folder| !folder.ends_with("/src")).collect();
    names.into_iter().map(|name| (name.to_owned(), parents.iter().filter(|parent| **parent == name).count())).collect()
}

/// A child of `src`.
fn is_top(folder: &str) -> bool {
    folder.rsplit_once('/').is_some_and(|(parent, _)| parent.ends_with("/src"))
}

/// The folder itself, its front file, something in it, or all of the crate's sources.
fn covers(name: &str, folder: &str) -> bool {
    let rest = name.strip_prefix(folder);
    let inside = rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'));
    inside || name.ends_with("/src/") && folder.starts_with(name)
}
