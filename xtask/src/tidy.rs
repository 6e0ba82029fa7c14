//! Rules of the repository that a machine can check. Each check returns sentences; none means that all is well.

mod arrows;
mod code_map;
mod files;
mod manifest;
mod prose;
mod rooms;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{console, mqi};

/// # Errors
/// Every rule that is broken, a line each.
pub(crate) fn check(root: &Path) -> Result<()> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"));
    let map = read("docs/ARCHITECTURE.md")?;
    let tracked = tracked(root)?;
    let mut problems = arrows::check(&map, &manifest::crates(root)?);
    problems.extend(code_map::check(&map, root));
    problems.extend(manifest::check_reasons(&read("Cargo.toml")?));
    problems.extend(prose::check_contents(&read("docs/SUMMARY.md")?, &tracked));
    problems.extend(prose::check_links(&read("README.md")?, &tracked));
    let mut sources = BTreeMap::new();
    for path in &tracked {
        problems.extend(files::check_name(path));
        // Binary files and files that are gone have no text to check.
        if let Ok(text) = std::fs::read_to_string(root.join(path)) {
            problems.extend(files::check_text(path, &text));
            problems.extend(prose::check(path, &text));
            if path.extension().is_some_and(|extension| extension == "rs") {
                sources.insert(path.to_string_lossy().into_owned(), text);
            }
        }
    }
    problems.extend(rooms::check(&code_map::named_in_text(&map), &sources));
    problems.extend(console::check(root));
    problems.extend(mqi::check(root));
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{} broken rules:\n{}", problems.len(), problems.join("\n"));
}

/// Files of the repository, relative to its root: what git tracks, or in a source archive everything.
fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    if let Ok(output) = listed
        && output.status.success()
        && !output.stdout.is_empty()
    {
        let names = String::from_utf8_lossy(&output.stdout);
        return Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect());
    }
    let mut files = Vec::new();
    walk(root, Path::new(""), &mut files)?;
    Ok(files)
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        let name = entry.file_name().to_string_lossy().into_owned();
        if matches!(name.as_str(), "target" | ".git" | "node_modules" | "quaymaster-data" | "corpus" | "artifacts") {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
