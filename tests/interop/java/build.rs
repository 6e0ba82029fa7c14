//! The programs are compiled once: Maven fetches the clients into a repository of its own below the target folder.
//!
//! A stamp names the sources that were compiled. While it fits, Maven is not even started.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, ensure};

use crate::interop::packages::{cache, sources};
use crate::interop::{run, text};

/// Under a lock, since several test processes may come at once; it is given up after ten minutes.
const SCRIPT: &str = r#"set -e
exec 9> "$1/lock"; flock --wait 900 9
[ "$(cat "$1/stamp" 2>/dev/null)" != "$3" ] || exit 0
rm -rf "$1/programs" "$1/stamp"
timeout 600 mvn -q -B -ntp -f "$2/pom.xml" "-Dinterop.folder=$1/programs" "-Dmaven.repo.local=$1/repository" compile
echo "$3" > "$1/stamp"
"#;

/// The folder with the compiled programs, one below it for each client.
pub(crate) fn programs() -> Result<PathBuf> {
    static PROGRAMS: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    PROGRAMS.get_or_init(|| built().map_err(|error| format!("{error:#}"))).clone().map_err(|error| anyhow!(error))
}

fn built() -> Result<PathBuf> {
    let sources = sources().join("java");
    let folder = cache("java")?;
    let stamp = format!("{:016x}", fingerprint(&sources)?);
    let mut command = Command::new("bash");
    command.args(["-c", SCRIPT, "build"]).arg(&folder).arg(&sources).arg(&stamp);
    let output = run(&mut command)?;
    ensure!(
        output.status.success(),
        "cannot build the Java programs (Maven and its repository are needed the first time):\n{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    Ok(folder.join("programs"))
}

/// A number for everything that Maven reads here.
fn fingerprint(sources: &Path) -> Result<u64> {
    let mut files = Vec::new();
    collect(sources, &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "java" || extension == "xml") {
            files.push(path);
        }
    }
    Ok(())
}
