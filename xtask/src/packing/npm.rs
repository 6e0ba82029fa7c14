//! A package of npm: the program, which npm puts on the path of scripts, and the module of `packaging/node`.
//!
//! Source: npm documentation, "package.json" (`bin`, `os`, `cpu`, `libc`); an archive has everything below `package/`.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::VERSION;
use super::program::{Architecture, Program};
use super::tree::{Tree, gzip};

/// The name of the file, and its bytes.
///
/// # Errors
/// A file of `packaging/node` cannot be read.
pub(super) fn package(root: &Path, program: &Program, date: u64) -> Result<(String, Vec<u8>)> {
    let sources = root.join("packaging/node");
    let mut tree = Tree::default();
    tree.file("package/bin/quaymaster", 0o755, program.bytes.as_slice());
    tree.file("package/LICENSE", 0o644, std::fs::read(root.join("LICENSE"))?);
    for entry in std::fs::read_dir(&sources).with_context(|| format!("cannot read {}", sources.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        tree.file(&format!("package/{name}"), 0o644, std::fs::read(&path)?);
    }
    let written = serde_json::from_slice(&std::fs::read(sources.join("package.json"))?)?;
    let completed = serde_json::to_string_pretty(&completed(written, program))?;
    tree.file("package/package.json", 0o644, format!("{completed}\n"));
    let name = format!("quaymaster-{VERSION}-linux-{}.tgz", cpu(program.architecture));
    Ok((name, gzip(&tree.tar(date)?)?))
}

/// With the version, and with what the program runs on.
fn completed(mut package: Value, program: &Program) -> Value {
    package["version"] = json!(VERSION);
    package["os"] = json!(["linux"]);
    package["cpu"] = json!([cpu(program.architecture)]);
    // A static program needs none.
    if program.is_dynamic {
        package["libc"] = json!(["glibc"]);
    }
    package
}

/// The word of Node.
fn cpu(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::X86 => "x64",
        Architecture::Arm => "arm64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_program_needs_no_c_library() {
        let mut program = Program::of(Architecture::Arm, false, b"");
        let package = completed(json!({ "name": "quaymaster" }), &program);
        assert_eq!((&package["name"], &package["cpu"]), (&json!("quaymaster"), &json!(["arm64"])));
        assert_eq!(package.get("libc"), None);
        program.is_dynamic = true;
        assert_eq!(completed(package, &program)["libc"], json!(["glibc"]));
    }
}
