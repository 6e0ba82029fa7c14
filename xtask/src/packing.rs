//! What is handed out for other machines, made of one program: the container image, packages of systems and languages, a list of its parts.
//!
//! The same program and date make the same bytes: entries are sorted, owned by root and dated by `SOURCE_DATE_EPOCH`, else by
//! the last commit. Nothing is asked of a network or a daemon.

mod chart;
mod contents;
mod deb;
mod image;
mod maven;
mod npm;
mod oci;
mod program;
mod redhat;
mod sbom;
#[cfg(test)]
mod tests;
mod toolkit;
mod tree;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use contents::{Contents, Kind};
use program::{Architecture, Program};
use tree::Tree;

/// Of all that is handed out.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of the programs as they are handed out: docs/performance.md says what is in them. The static one is built for size.
const MOST_OF_A_PROGRAM: usize = 63_000_000;
const MOST_OF_A_STATIC_PROGRAM: usize = 35_000_000;
/// Bytes of an image as it is loaded and pushed: its layers are packed.
const MOST_OF_AN_IMAGE: usize = 30_000_000;

/// The arguments of a packing command.
struct Arguments {
    /// The program to pack; its own names, pages and completions are asked of it, unless `native` names another.
    program: PathBuf,
    native: Option<PathBuf>,
    /// The same, static: for an archive beside the others.
    static_program: Option<PathBuf>,
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

/// `cargo xtask packages`.
pub(crate) fn packages(root: &Path, words: &[&str]) -> Result<()> {
    let arguments = Arguments::parse(root, words)?;
    let program = Program::read(&arguments.program)?;
    let date = date(root)?;
    let machine = program.architecture.machine();
    let whole = arguments.static_program.as_deref().map(|file| static_of(file, program.architecture)).transpose()?;
    let mut made = packages_of(root, &program, whole.as_deref(), arguments.native(), date)?;
    let parts = sbom::list(root, machine, VERSION, &rfc3339(date)?)?;
    made.push((format!("quaymaster-{VERSION}-linux-{machine}.cdx.json"), parts));
    for (name, bytes) in made {
        let file = arguments.out.join(name);
        write(&file, &bytes)?;
        println!("{}", file.display());
    }
    Ok(())
}

/// Name and bytes of each package of a program, and of its static form when there is one.
fn packages_of(
    root: &Path,
    program: &Program,
    whole: Option<&[u8]>,
    native: &Path,
    date: u64,
) -> Result<Vec<(String, Vec<u8>)>> {
    let contents = Contents::gather(root, program, native)?;
    let machine = program.architecture.machine();
    let debian = deb::package(root, program, &contents.installed(Kind::Debian)?, VERSION, date)?;
    let redhat = redhat::package(root, program, &contents.installed(Kind::Fedora)?, VERSION, date)?;
    let folder = format!("quaymaster-{VERSION}");
    let archive = |bytes: &[u8]| tree::gzip(&contents.portable(&folder, bytes).tar(date)?);
    let mut made = vec![
        (format!("quaymaster_{VERSION}_{}.deb", program.architecture.name()), debian),
        (format!("quaymaster-{VERSION}-1.{machine}.rpm"), redhat),
        (format!("{folder}-linux-{machine}.tar.gz"), archive(&program.bytes)?),
        wheel::wheel(root, program)?,
        npm::package(root, program, date)?,
        maven::archive_of(root, program)?,
        chart::archive_of(root, date)?,
    ];
    if let Some(bytes) = whole {
        made.push((format!("{folder}-linux-{machine}-static.tar.gz"), archive(bytes)?));
    }
    Ok(made)
}

/// `cargo xtask toolkit`.
pub(crate) fn toolkit(root: &Path, words: &[&str]) -> Result<()> {
    let arguments = Arguments::parse(root, words)?;
    let file = arguments.out.join("zconbt.zip");
    write(&file, &toolkit::archive_of(root, &Program::read(&arguments.program)?)?)?;
    println!("{}", file.display());
    Ok(())
}

/// `cargo xtask archive`: what is in a folder, below the folder's name.
pub(crate) fn archive(root: &Path, folder: &Path, file: &Path) -> Result<()> {
    let name = folder.file_name().and_then(|name| name.to_str()).context("the folder has no name")?;
    write(file, &tree::gzip(&Tree::read(folder, name)?.tar(date(root)?)?)?)
}

/// The bytes of a program that needs nothing of the machine that it runs on.
fn static_of(file: &Path, architecture: Architecture) -> Result<Vec<u8>> {
    let program = Program::read(file)?;
    ensure!(!program.is_dynamic, "{} loads libraries", file.display());
    ensure!(program.architecture == architecture, "{} is of another processor", file.display());
    Ok(program.bytes)
}

/// `cargo xtask sizes`: programs and images are not larger than users were told.
pub(crate) fn sizes(files: &[&str]) -> Result<()> {
    let mut too_large = Vec::new();
    for file in files {
        let (size, most) = if file.ends_with(".oci.tar") {
            (usize::try_from(std::fs::metadata(file)?.len())?, MOST_OF_AN_IMAGE)
        } else {
            let program = Program::read(Path::new(file))?;
            let most = if program.is_dynamic { MOST_OF_A_PROGRAM } else { MOST_OF_A_STATIC_PROGRAM };
            (program.bytes.len(), most)
        };
        println!("{file}: {}.{} MB", size / 1_000_000, size / 100_000 % 10);
        if size > most {
            too_large.push(format!("{file}: {size} bytes, at most {most} are wanted"));
        }
    }
    ensure!(too_large.is_empty(), "{}", too_large.join("\n"));
    Ok(())
}

/// `cargo xtask checksums`: `SHA256SUMS` of the files of a folder, for `sha256sum -c`.
pub(crate) fn checksums(folder: &Path) -> Result<()> {
    const LIST: &str = "SHA256SUMS";
    let listed = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut lines = Vec::new();
    for entry in listed {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && name != LIST {
            lines.push((name, oci::digits(&std::fs::read(&path)?)));
        }
    }
    lines.sort_unstable();
    let text: String = lines.iter().map(|(name, digits)| format!("{digits}  {name}\n")).collect();
    write(&folder.join(LIST), text.as_bytes())
}

impl Arguments {
    fn parse(root: &Path, words: &[&str]) -> Result<Self> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let shell = Path::new("/bin/dash");
        let mut arguments = Self {
            program: target.join("release/quaymaster"),
            native: None,
            static_program: None,
            out: target.join("dist"),
            shell: shell.exists().then(|| shell.to_owned()),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().map(PathBuf::from).with_context(|| format!("{word}: a path is missing"));
            match *word {
                "--program" => arguments.program = value()?,
                "--native" => arguments.native = Some(value()?),
                "--static" => arguments.static_program = Some(value()?),
                "--out" => arguments.out = value()?,
                "--shell" => arguments.shell = Some(value()?).filter(|shell| shell != Path::new("none")),
                _ => bail!("{word}: expected --program, --native or --static FILE, --out FOLDER, or --shell FILE|none"),
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

/// A date as archives and lists write it.
fn rfc3339(date: u64) -> Result<String> {
    Ok(OffsetDateTime::from_unix_timestamp(i64::try_from(date)?)?.format(&Rfc3339)?)
}

/// Writes a file whole, with the folders above it.
#[expect(clippy::disallowed_methods, reason = "writes what is handed out")]
fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}
