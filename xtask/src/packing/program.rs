//! A program of this machine or another: without what debuggers want, with the shared libraries that it loads.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// Type of the program header that names the loader of shared libraries.
const INTERPRETER: u32 = 3;

#[derive(Debug)]
pub(super) struct Program {
    pub bytes: Vec<u8>,
    pub architecture: Architecture,
    /// It loads shared libraries.
    pub is_dynamic: bool,
    file: PathBuf,
}

#[derive(Debug)]
pub(super) struct Library {
    /// Where programs look for it.
    pub path: String,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Architecture {
    X86,
    Arm,
}

impl Architecture {
    /// The word of OCI and Debian.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::X86 => "amd64",
            Self::Arm => "arm64",
        }
    }

    /// The word of compilers.
    pub(super) fn machine(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Arm => "aarch64",
        }
    }

    fn is_this_machine(self) -> bool {
        std::env::consts::ARCH == self.machine()
    }
}

impl Program {
    /// # Errors
    /// It is no program for Linux on x86-64 or arm64, or `strip` (`$STRIP`) fails.
    pub(super) fn read(file: &Path) -> Result<Self> {
        let whole = std::fs::read(file).with_context(|| format!("cannot read {}: build it first", file.display()))?;
        let elf = Elf::parse(&whole).with_context(|| format!("{} is no program for Linux", file.display()))?;
        let Elf { architecture, is_dynamic } = elf;
        Ok(Self { bytes: stripped(file, architecture)?, architecture, is_dynamic, file: file.to_owned() })
    }

    /// The shared libraries and their loader; none of a static program.
    ///
    /// # Errors
    /// They are those of another machine, or one is missing.
    pub(super) fn libraries(&self) -> Result<Vec<Library>> {
        match (self.is_dynamic, self.architecture.is_this_machine()) {
            (false, _) => Ok(Vec::new()),
            (true, true) => libraries(&self.file),
            (true, false) => bail!("{} needs the libraries of another machine: build it static", self.file.display()),
        }
    }

    /// The oldest version of the C library that has all that the program calls; `None` for a static program.
    pub(super) fn needed_libc(&self) -> Option<String> {
        let newest = self.is_dynamic.then(|| newest_version(&self.bytes));
        newest.flatten().map(|minor| format!("2.{minor}"))
    }
}

#[cfg(test)]
impl Program {
    pub(super) fn of(architecture: Architecture, is_dynamic: bool, bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), architecture, is_dynamic, file: PathBuf::new() }
    }
}

/// The largest `n` of the names `GLIBC_2.n` in a program.
fn newest_version(bytes: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"GLIBC_2.";
    let places = bytes.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME);
    let minor = |(place, _): (usize, &[u8])| {
        let digits = bytes[place + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        digits.map(|byte| char::from(*byte)).collect::<String>().parse().ok()
    };
    places.filter_map(minor).max()
}

/// What the head of an ELF file says.
#[derive(Debug, PartialEq, Eq)]
struct Elf {
    architecture: Architecture,
    is_dynamic: bool,
}

impl Elf {
    fn parse(bytes: &[u8]) -> Result<Self> {
        let number = |at: usize, length: usize| -> Result<usize> {
            let field = bytes.get(at..at + length).context("it is too short")?;
            let mut whole = [0; 8];
            whole[..length].copy_from_slice(field);
            usize::try_from(u64::from_le_bytes(whole)).context("an offset is too large")
        };
        // 64 bits, little-endian.
        ensure!(bytes.starts_with(b"\x7fELF\x02\x01"), "expected a 64-bit ELF file");
        let architecture = match number(18, 2)? {
            62 => Architecture::X86,
            183 => Architecture::Arm,
            other => bail!("expected x86-64 or arm64, not machine {other}"),
        };
        let (headers, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
        let mut kinds = (0..count).map(|index| number(headers + index * size, 4));
        let is_dynamic = kinds.any(|kind| kind.is_ok_and(|kind| kind == INTERPRETER as usize));
        Ok(Self { architecture, is_dynamic })
    }
}

fn stripped(file: &Path, architecture: Architecture) -> Result<Vec<u8>> {
    let usual = match architecture.is_this_machine() {
        true => "strip".to_owned(),
        false => format!("{}-linux-gnu-strip", architecture.machine()),
    };
    let strip = std::env::var("STRIP").unwrap_or(usual);
    let folder = std::env::temp_dir().join(format!("quaymaster-strip-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let out = folder.join("program");
    let status = Command::new(&strip).arg("-o").arg(&out).arg(file).status();
    let bytes = status.with_context(|| format!("cannot start {strip}")).and_then(|status| {
        ensure!(status.success(), "{strip} {} ended with {status}", file.display());
        Ok(std::fs::read(&out)?)
    });
    let _ = std::fs::remove_dir_all(&folder);
    bytes
}

/// The shared libraries that the loader of this machine finds for a program.
fn libraries(file: &Path) -> Result<Vec<Library>> {
    let output = Command::new("ldd").arg(file).output().context("cannot start ldd")?;
    ensure!(output.status.success(), "ldd {}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    let paths = library_paths(&String::from_utf8_lossy(&output.stdout))?;
    let read = |path: String| {
        let bytes = std::fs::read(&path).with_context(|| format!("cannot read {path}"))?;
        Ok(Library { path, bytes })
    };
    paths.into_iter().map(read).collect()
}

/// `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)`, and the loader without an arrow.
fn library_paths(listed: &str) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for line in listed.lines().map(str::trim) {
        ensure!(!line.ends_with("not found"), "a library is missing: {line}");
        let found = line.split_once("=> ").map_or(line, |(_, found)| found);
        let path = found.split(" (").next().unwrap_or_default();
        // The kernel's own has no file.
        if path.starts_with('/') {
            paths.push(path.to_owned());
        }
    }
    Ok(paths)
}

/// Names under which the program acts as one of its commands.
///
/// # Errors
/// The program cannot be run.
pub(super) fn names(program: &Path) -> Result<Vec<String>> {
    let folder = std::env::temp_dir().join(format!("quaymaster-links-{}", std::process::id()));
    let made = run(program, &["links".as_ref(), folder.as_os_str()]);
    let _ = std::fs::remove_dir_all(&folder);
    let mut names: Vec<String> = made?
        .lines()
        .filter_map(|line| Some(PathBuf::from(line).file_name()?.to_string_lossy().into_owned()))
        .collect();
    names.sort_unstable();
    ensure!(!names.is_empty(), "{} links lists no name", program.display());
    Ok(names)
}

/// What the program prints.
pub(super) fn run(program: &Path, arguments: &[&std::ffi::OsStr]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("cannot start {}; --native names a program of this machine", program.display()))?;
    ensure!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of an ELF file of a machine with one program header.
    fn elf(machine: u8, kind: u8) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18] = machine;
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = kind;
        bytes
    }

    #[test]
    fn the_head_of_a_program_says_machine_and_loader() {
        let parsed = Elf::parse(&elf(62, 3)).expect("a program");
        assert_eq!(parsed, Elf { architecture: Architecture::X86, is_dynamic: true });
        let parsed = Elf::parse(&elf(183, 1)).expect("a program");
        assert_eq!(parsed, Elf { architecture: Architecture::Arm, is_dynamic: false });
        assert!(Elf::parse(&elf(3, 1)).is_err(), "another machine");
        assert!(Elf::parse(b"#!/bin/sh\n").is_err(), "a script");
        assert!(Elf::parse(&elf(62, 3)[..40]).is_err(), "a part of a program");
    }

    #[test]
    fn libraries_of_another_machine_are_not_this_ones() {
        let other = match std::env::consts::ARCH {
            "x86_64" => Architecture::Arm,
            _ => Architecture::X86,
        };
        let mut program = Program::of(other, true, b"GLIBC_2.34\0");
        assert_eq!(program.needed_libc().as_deref(), Some("2.34"));
        assert!(program.libraries().is_err());
        program.is_dynamic = false;
        assert_eq!((program.needed_libc(), program.libraries().expect("none").len()), (None, 0));
    }

    #[test]
    fn the_newest_name_of_the_c_library_counts() {
        assert_eq!(newest_version(b"GLIBC_2.4\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_PRIVATE\0"), Some(34));
        assert_eq!(newest_version(b"GLIBC"), None);
    }

    #[test]
    fn libraries_are_those_with_a_file() {
        let listed = "\tlinux-vdso.so.1 (0x1)\n\tlibc.so.6 => /lib/x/libc.so.6 (0x2)\n\t/lib64/ld.so.2 (0x3)\n";
        assert_eq!(library_paths(listed).expect("listed"), ["/lib/x/libc.so.6", "/lib64/ld.so.2"]);
        assert!(library_paths("\tliba.so => not found\n").is_err());
    }
}
