//! The fuzz targets are in a workspace of their own; this keeps their list whole without building them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

#[test]
fn every_fuzz_target_file_is_listed_in_the_fuzz_manifest() -> Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml"))?;
    let listed: BTreeSet<String> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"fuzz_targets/")?.strip_suffix(".rs\""))
        .map(str::to_owned)
        .collect();
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(fuzz.join("fuzz_targets"))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).context("a target has a name")?;
        files.insert(name.to_owned());
    }
    assert_eq!(listed, files);
    Ok(())
}
