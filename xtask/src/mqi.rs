//! The generated files of the MQI: sources of the library, and what is handed out with it. `mqi-table` makes their texts.

use std::path::Path;

use anyhow::{Context, Result};
use mqi_table::Generated;

/// Makes the sources anew.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write(root: &Path) -> Result<()> {
    write_into(root, &mqi_table::sources())
}

/// Writes headers and copybooks into the folder of the library's tree.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn hand_out(tree: &Path) -> Result<()> {
    write_into(tree, &mqi_table::handed_out())
}

#[expect(clippy::disallowed_methods, reason = "writes generated files for developers")]
fn write_into(folder: &Path, files: &[Generated]) -> Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        std::fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The sources that are not what the table makes.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let is_stale =
        |file: &Generated| std::fs::read_to_string(root.join(&file.path)).ok().as_deref() != Some(&file.text);
    let stale = mqi_table::sources().into_iter().filter(is_stale);
    stale.map(|file| format!("{}: stale, make it anew with `cargo xtask codegen mqi`", file.path.display())).collect()
}
