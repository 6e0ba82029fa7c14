//! Names, lengths and forbidden words of tracked files.

use std::path::Path;

/// Most lines of a Rust file.
const MAXIMUM_LINES: usize = 900;

pub(super) fn check_name(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    if path.file_name()? == "mod.rs" {
        return Some(format!("{}: a module with a folder lies beside it, as foo.rs beside foo/", path.display()));
    }
    let vague = path.extension().is_some_and(|extension| extension == "rs")
        && matches!(stem, "utils" | "util" | "common" | "helpers" | "helper" | "handler" | "handlers");
    vague.then(|| format!("{}: a file is named for its job", path.display()))
}

pub(super) fn check_text(path: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let name = path.display();
    let rust = path.extension().is_some_and(|extension| extension == "rs");
    let lines = text.lines().count();
    if rust && lines > MAXIMUM_LINES {
        problems.push(format!("{name}: {lines} lines, {MAXIMUM_LINES} are the most"));
    }
    // Lock files name the registry by design.
    let lock = path.file_name().is_some_and(|file| file == "Cargo.lock");
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if rust && line.trim() == "#[ignore]" {
            problems.push(format!("{name}:{number}: #[ignore] says when the test runs: #[ignore = \"...\"]"));
        }
        if let Some(word) = forbidden().into_iter().find(|word| !lock && line.contains(word.as_str())) {
            problems.push(format!("{name}:{number}: '{word}' belongs to one machine or registry"));
        }
    }
    problems
}

/// Put together here, so that this file does not hold them.
fn forbidden() -> Vec<String> {
    let folders = ["root", "home", "work"].map(|folder| format!("/{folder}/"));
    let hosts = [("crates", "io"), ("npmjs", "org"), ("pypi", "org"), ("pythonhosted", "org"), ("debian", "org")]
        .map(|(name, domain)| format!("{name}.{domain}"));
    folders.into_iter().chain(hosts).collect()
}
