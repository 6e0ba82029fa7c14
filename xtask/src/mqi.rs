//! The generated files of the MQI: headers, copybooks, structures. `mqi-table` makes their texts.

use std::path::Path;

use anyhow::{Context, Result};

/// # Errors
/// A file cannot be written.
#[expect(clippy::disallowed_methods, reason = "writes generated source into the work tree")]
pub(crate) fn write(root: &Path) -> Result<()> {
    for file in mqi_table::files() {
        let path = root.join(&file.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        std::fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The files that are not what the table makes.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let is_stale = |file: &mqi_table::Generated| {
        std::fs::read_to_string(root.join(&file.path)).ok().as_deref() != Some(&file.text)
    };
    let stale = mqi_table::files().into_iter().filter(is_stale);
    stale.map(|file| format!("{}: stale, make it anew with `cargo xtask codegen mqi`", file.path.display())).collect()
}
