//! What is handed out for other machines, made of one program: the container image.
//!
//! The same program and date make the same bytes: entries are sorted, owned by root and dated by `SOURCE_DATE_EPOCH`, else by
//! the last commit. Nothing is asked of a network or a daemon.

mod image;
mod oci;
mod program;
#[cfg(test)]
mod tests;
mod tree;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use program::Program;

/// The arguments of a packing command.
struct Arguments {
    /// The program to pack; its own names, pages and completions are asked of it, unless `native` names another.
    program: PathBuf,
    native: Option<PathBuf>,
    /// The folder for what is made.
    out: PathBuf,
    shell: Option<PathBuf>,
}

/// `cargo xtask image`.
pub(crate) fn image(root: &Path, words: &[&str]) -> Result<()> {
    let arguments = Arguments::parse(root, words)?;
    let program = Program::read(&arguments.program)?;
    let names = program::names(arguments.native())?;
    let shell = arguments.shell.as_deref().map(Program::read).transpose()?;
    let date = date(root)?;
    let file = image::write_to(&arguments.out, root, &program, shell.as_ref(), &names, date)?;
    println!("{}", file.display());
    Ok(())
}

impl Arguments {
    fn parse(root: &Path, words: &[&str]) -> Result<Self> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let shell = Path::new("/bin/dash");
        let mut arguments = Self {
            program: target.join("release/quaymaster"),
            native: None,
            out: target.join("dist"),
            shell: shell.exists().then(|| shell.to_owned()),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().map(PathBuf::from).with_context(|| format!("{word}: a path is missing"));
            match *word {
                "--program" => arguments.program = value()?,
                "--native" => arguments.native = Some(value()?),
                "--out" => arguments.out = value()?,
                "--shell" => arguments.shell = Some(value()?).filter(|shell| shell != Path::new("none")),
                _ => bail!("{word}: expected --program FILE, --native FILE, --out FOLDER or --shell FILE|none"),
            }
        }
        Ok(arguments)
    }

    fn native(&self) -> &Path {
        self.native.as_deref().unwrap_or(&self.program)
    }
}

/// Seconds since 1970 that every file is dated by.
fn date(root: &Path) -> Result<u64> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return given.parse().context("SOURCE_DATE_EPOCH: expected seconds since 1970");
    }
    let committed = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output();
    let seconds = committed.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    // A source archive has no commit.
    Ok(seconds.and_then(|text| text.trim().parse().ok()).unwrap_or(0))
}

/// Writes a file whole, with the folders above it.
#[expect(clippy::disallowed_methods, reason = "writes what is handed out")]
fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}
