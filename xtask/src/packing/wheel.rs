//! A wheel of Python: the program among the scripts that pip installs, and the package of `packaging/python`.
//!
//! Source: PyPA specifications, "Binary distribution format", "Recording installed projects", platform compatibility tags.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::VERSION;
use super::program::Program;
use super::tree::zip;

/// The name of the wheel, and its bytes.
///
/// # Errors
/// A file of `packaging/python` cannot be read.
pub(super) fn wheel(root: &Path, program: &Program) -> Result<(String, Vec<u8>)> {
    let tag = tag(program);
    let info = format!("quaymaster-{VERSION}.dist-info");
    let mut files = vec![(format!("quaymaster-{VERSION}.data/scripts/quaymaster"), 0o755, program.bytes.clone())];
    let sources = root.join("packaging/python/quaymaster");
    for entry in std::fs::read_dir(&sources).with_context(|| format!("cannot read {}", sources.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "py") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((format!("quaymaster/{name}"), 0o644, std::fs::read(&path)?));
        }
    }
    let metadata = format!(
        "Metadata-Version: 2.4\nName: quaymaster\nVersion: {VERSION}\n\
         Summary: A durable queue manager for IBM MQ programs, with fixtures for tests\n\
         License-Expression: Apache-2.0\nLicense-File: LICENSE\nRequires-Python: >=3.9\n\
         Classifier: Framework :: Pytest\nDescription-Content-Type: text/markdown\n\n"
    );
    let readme = std::fs::read_to_string(root.join("packaging/python/README.md"))?;
    files.push((format!("{info}/METADATA"), 0o644, format!("{metadata}{readme}").into_bytes()));
    let wheel = format!("Wheel-Version: 1.0\nGenerator: xtask {VERSION}\nRoot-Is-Purelib: false\nTag: {tag}\n");
    files.push((format!("{info}/WHEEL"), 0o644, wheel.into_bytes()));
    let entries = "[pytest11]\nquaymaster = quaymaster.pytest_plugin\n";
    files.push((format!("{info}/entry_points.txt"), 0o644, entries.into()));
    files.push((format!("{info}/licenses/LICENSE"), 0o644, std::fs::read(root.join("LICENSE"))?));
    files.sort();
    let record: String = files.iter().map(|(path, _, bytes)| record_line(path, bytes)).collect();
    // The list itself is without a digest, and comes last.
    files.push((format!("{info}/RECORD"), 0o644, format!("{record}{info}/RECORD,,\n").into_bytes()));
    Ok((format!("quaymaster-{VERSION}-{tag}.whl"), zip(&files)?))
}

/// Any Python 3 on a Linux whose C library has what the program calls.
fn tag(program: &Program) -> String {
    let machine = program.architecture.machine();
    match program.needed_libc() {
        Some(libc) => format!("py3-none-manylinux_{}_{machine}", libc.replace('.', "_")),
        // A static program needs none.
        None => format!("py3-none-manylinux_2_17_{machine}.musllinux_1_1_{machine}"),
    }
}

fn record_line(path: &str, bytes: &[u8]) -> String {
    format!("{path},sha256={},{}\n", URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_record_has_path_digest_and_length() {
        assert_eq!(record_line("a", b""), "a,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n");
    }
}
