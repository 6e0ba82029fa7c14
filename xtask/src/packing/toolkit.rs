//! The build toolkit for API requesters: the program, as `zconbt` alone, with its page.

use std::path::Path;

use anyhow::Result;

use super::program::Program;
use super::tree::zip;

/// Under both names of z/OS Connect's toolkit.
const NAMES: [&str; 2] = ["zconbt", "zconbt.zos"];

const SCRIPT: &str = r#"#!/bin/sh
# The build toolkit for API requesters: zconbt -p PROPERTIES -f ARCHIVE.ara
program=$(readlink -f "$0" 2>/dev/null || echo "$0")
exec "$(dirname "$program")/../lib/quaymaster" zconbt "$@"
"#;

/// The bytes of the archive.
///
/// # Errors
/// A page cannot be read.
pub(super) fn archive_of(root: &Path, program: &Program) -> Result<Vec<u8>> {
    let mut files: Vec<_> = NAMES.iter().map(|name| (format!("bin/{name}"), 0o755, SCRIPT.into())).collect();
    for page in ["docs/zconbt.md", "LICENSE"] {
        let name = page.trim_start_matches("docs/");
        files.push((format!("doc/{name}"), 0o644, std::fs::read(root.join(page))?));
    }
    files.push(("lib/quaymaster".to_owned(), 0o755, program.bytes.clone()));
    zip(&files)
}
