//! Manifests: what each crate imports, and that every workspace dependency stands under its reason.

use std::path::Path;

use anyhow::{Context, Result};

/// One crate below `crates/`.
#[derive(Debug, Clone)]
pub(super) struct Crate {
    pub(super) name: String,
    /// Names under `[dependencies]`; those of tests and build scripts are free.
    pub(super) dependencies: Vec<String>,
}

pub(super) fn crates(root: &Path) -> Result<Vec<Crate>> {
    let folder = root.join("crates");
    let mut crates = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path().join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        crates.push(parse(&text).with_context(|| format!("cannot use {}", path.display()))?);
    }
    crates.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(crates)
}

pub(super) fn parse(text: &str) -> Result<Crate> {
    let manifest: toml::Table = text.parse()?;
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str);
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    Ok(Crate {
        name: name.context("the package has no name")?.to_owned(),
        dependencies: dependencies.map(|table| table.keys().cloned().collect()).unwrap_or_default(),
    })
}

/// In `[workspace.dependencies]` every group of lines starts with a comment that says why.
pub(super) fn check_reasons(manifest: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut inside = false;
    let mut explained = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
            explained = false;
        } else if line.is_empty() {
            explained = false;
        } else if line.starts_with('#') {
            explained = true;
        } else if inside && !explained {
            problems.push(format!("Cargo.toml:{}: a dependency without the reason above it", index + 1));
        }
    }
    problems
}
