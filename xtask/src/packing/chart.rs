//! The chart for Helm, an archive with everything below the chart's name.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::VERSION;
use super::tree::{Tree, gzip};

/// The name of the archive, and its bytes.
///
/// # Errors
/// A file of `packaging/helm` cannot be read, or the chart is of another version.
pub(super) fn archive_of(root: &Path, date: u64) -> Result<(String, Vec<u8>)> {
    let sources = root.join("packaging/helm/quaymaster");
    let chart = std::fs::read_to_string(sources.join("Chart.yaml")).context("cannot read Chart.yaml")?;
    for line in ["version", "appVersion"].map(|key| format!("\n{key}: {VERSION}\n")) {
        ensure!(chart.contains(&line), "Chart.yaml has no line {}", line.trim());
    }
    let mut tree = Tree::default();
    for folder in ["", "templates/"] {
        let path = sources.join(folder);
        for entry in std::fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let name = format!("quaymaster/{folder}{}", entry.file_name().to_string_lossy());
                tree.file(&name, 0o644, std::fs::read(entry.path())?);
            }
        }
    }
    Ok((format!("quaymaster-chart-{VERSION}.tgz"), gzip(&tree.tar(date)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_has_the_version_of_the_product() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
        let (name, bytes) = archive_of(root, 0).expect("an archive");
        assert_eq!(name, format!("quaymaster-chart-{VERSION}.tgz"));
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let paths = archive
            .entries()
            .expect("entries")
            .map(|entry| entry.expect("an entry").path().expect("a path").to_string_lossy().into_owned());
        let paths: Vec<String> = paths.collect();
        for path in ["Chart.yaml", "values.yaml", "templates/statefulset.yaml"] {
            assert!(paths.contains(&format!("quaymaster/{path}")), "{paths:?}");
        }
    }
}
