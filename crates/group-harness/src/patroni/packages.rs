//! Patroni and what it needs, installed once by pip into the target folder.
//!
//! The folder is named after what it holds, so that changed requirements make a new one. It is complete once it has the file
//! `complete`; several test processes may make it at once, under a lock.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUIREMENTS: &str = include_str!("requirements.txt");
/// Patroni runs as PostgreSQL's user, who can start this one wherever the tests lie.
pub(super) const PYTHON: &str = "/usr/bin/python3";

/// The packages, where PostgreSQL's user can read them.
pub(super) fn copy_to(folder: &Path) {
    let installed = installed();
    let copied = Command::new("cp").arg("-r").arg(&installed).arg(folder).status().expect("cp starts");
    assert!(copied.success(), "{} is copied", installed.display());
}

fn installed() -> PathBuf {
    let version = Command::new(PYTHON).arg("--version").output().expect("Debian's python3 is installed");
    let mut hasher = DefaultHasher::new();
    (REQUIREMENTS, &version.stdout).hash(&mut hasher);
    let folder = target_folder().join(format!("tmp/patroni-{:016x}", hasher.finish()));
    if !folder.join("complete").exists() {
        install(&folder);
    }
    folder.join("packages")
}

/// Tests lie in `target/PROFILE/deps`.
fn target_folder() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its program");
    own.ancestors().nth(3).expect("a test lies in the target folder").to_owned()
}

fn install(folder: &Path) {
    let script = "set -e\n\
        mkdir -p \"$(dirname \"$1\")\"\n\
        exec 9> \"$1.lock\"; flock 9\n\
        [ ! -e \"$1/complete\" ] || exit 0\n\
        rm -rf \"$1\"; \"$3\" -m venv \"$1\"\n\
        \"$1/bin/pip\" install --quiet --disable-pip-version-check --target \"$1/packages\" --requirement \"$2\"\n\
        touch \"$1/complete\"";
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/patroni/requirements.txt");
    let output =
        Command::new("bash").args(["-c", script, "install"]).arg(folder).arg(requirements).arg(PYTHON).output();
    let output = output.expect("bash starts");
    assert!(output.status.success(), "pip installs Patroni: {}", String::from_utf8_lossy(&output.stderr));
}
