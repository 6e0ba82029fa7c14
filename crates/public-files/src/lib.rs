//! Files of public repositories for tests: fetched once by git, below the target folder, and never stored in this repository.
//!
//! A commit is pinned, and only it and the folders asked for are fetched. Another place to fetch from is git's own `insteadOf`.
//! A copy counts once it is complete; several test processes may ask for it at once, and one of them makes it.

pub mod carddemo;

use std::path::{Path, PathBuf};
use std::process::Command;

/// `$1` the copy, `$2` where from, `$3` the commit; then folders.
const SCRIPT: &str = r#"set -e
mkdir -p "$(dirname "$1")"
exec 9> "$1.lock"; flock 9
[ ! -e "$1.complete" ] || exit 0
rm -rf "$1"; git init --quiet "$1"; cd "$1"
git remote add origin "$2"
git fetch --quiet --depth 1 --filter=blob:none origin "$3"
git sparse-checkout set --no-cone "${@:4}"
git checkout --quiet "$3"
touch "$1.complete"
"#;

/// The files are not to be had.
#[derive(Debug, thiserror::Error)]
#[error("{repository} at {commit} cannot be fetched: {said}")]
pub struct NotFetched {
    repository: String,
    commit: String,
    /// What git or bash says.
    said: String,
}

/// Where the files of `folders` of a repository on GitHub lie, as its commit has them.
///
/// # Panics
/// They cannot be fetched: with what git says.
pub fn of_github(repository: &str, commit: &str, folders: &[&str]) -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its program");
    let target = own.ancestors().nth(3).expect("a test lies in the target folder");
    fetched(target, repository, commit, folders).unwrap_or_else(|error| panic!("{error}"))
}

/// As `of_github`, below another folder than the target folder of a test.
///
/// # Errors
/// They cannot be fetched.
pub fn fetched(below: &Path, repository: &str, commit: &str, folders: &[&str]) -> Result<PathBuf, NotFetched> {
    let wrong = |said: &str| NotFetched {
        repository: repository.to_owned(),
        commit: commit.to_owned(),
        said: said.trim_end().to_owned(),
    };
    // Callers that ask for other folders of the same commit have a copy of their own.
    let parts = [&[repository, commit], folders].concat().join("-").replace('/', "+");
    let copy = below.join("public-files").join(parts);
    let place = format!("https://github.com/{repository}");
    let mut command = Command::new("bash");
    command.args(["-c", SCRIPT, "fetch"]).arg(&copy).args([&place, commit]).args(folders);
    let output = command.env("GIT_TERMINAL_PROMPT", "0").output().map_err(|error| wrong(&error.to_string()))?;
    if !output.status.success() {
        return Err(wrong(&String::from_utf8_lossy(&output.stderr)));
    }
    Ok(copy)
}
