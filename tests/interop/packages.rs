//! What the foreign programs of these tests are made of: packages of Python in an environment of their own, and packages of npm,
//! below the target folder, installed once.
//!
//! The folder is named after what it holds, so that changed requirements make a new one. It appears under its name only
//! when it is complete, and several test processes may make it at once: one of them wins.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, ensure};

use crate::interop::{run, text};

/// Where the files beside this one lie.
pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("interop")
}

/// A folder below the target folder that outlives the tests.
pub(crate) fn cache(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(3).context("this test lies in the target folder")?.join("interop").join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The folder of the environment's programs: `python`, `schemathesis`.
pub(crate) fn python_programs() -> Result<PathBuf> {
    static PROGRAMS: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let installed = || environment(&sources().join("requirements.txt")).map_err(|error| format!("{error:#}"));
    PROGRAMS.get_or_init(installed).clone().map_err(|error| anyhow!(error))
}

/// The folder of the programs of an environment with these packages.
pub(crate) fn environment(requirements: &Path) -> Result<PathBuf> {
    let version = run(Command::new("python3").arg("--version"))?;
    let mut hasher = DefaultHasher::new();
    (std::fs::read_to_string(requirements)?.as_str(), &version.stdout).hash(&mut hasher);
    let parent = cache("python")?;
    let folder = parent.join(format!("{:016x}", hasher.finish()));
    if !folder.join("complete").exists() {
        install(&folder, requirements)?;
    }
    Ok(folder.join("bin"))
}

/// An environment cannot be moved, so it is made in place, under a lock.
fn install(folder: &Path, requirements: &Path) -> Result<()> {
    let script = "set -e\n\
        exec 9> \"$1.lock\"; flock 9\n\
        [ ! -e \"$1/complete\" ] || exit 0\n\
        rm -rf \"$1\"; python3 -m venv \"$1\"\n\
        \"$1/bin/pip\" install --quiet --disable-pip-version-check --ignore-requires-python --requirement \"$2\"\n\
        touch \"$1/complete\"";
    let mut command = Command::new("bash");
    command.args(["-c", script, "install"]).arg(folder).arg(requirements);
    let output = run(&mut command)?;
    ensure!(output.status.success(), "cannot install the Python packages: {}", text(&output.stderr));
    Ok(())
}

/// A folder with `files`, those of the folder `name` beside this file, and the packages that their lock file names.
pub(crate) fn node_packages(name: &str, files: &[(&str, &str)]) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let folder = cache(name)?.join(format!("{:016x}", hasher.finish()));
    let script = "set -e\n\
        exec 9> \"$1.lock\"; flock 9\n\
        [ ! -e \"$1/complete\" ] || exit 0\n\
        rm -rf \"$1\"; mkdir \"$1\"; cp \"$2\"/* \"$1\"\n\
        cd \"$1\"; npm ci --silent --no-audit --no-fund --ignore-scripts; touch complete";
    let mut command = Command::new("bash");
    command.args(["-c", script, "install"]).arg(&folder).arg(sources().join(name));
    let output = run(&mut command)?;
    ensure!(
        output.status.success(),
        "cannot install the packages of {name}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    Ok(folder)
}
