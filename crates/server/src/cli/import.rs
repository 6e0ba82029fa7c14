//! `config import`: files of an mqweb server or of z/OS Connect as our configuration; what has no counterpart is listed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use configuration_import::{Source, Surroundings, import};

use super::failure::Failure;
use crate::data_directory::write_file;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Files to convert: mqwebuser.xml, mqweb.xml, bootstrap.properties or a z/OS Connect server.xml. Later files
    /// override earlier ones.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File for the configuration; an existing file is not replaced [default: standard output].
    #[arg(long, short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The files beside the one that is imported, and the process's environment.
struct Beside<'a>(&'a Path);

impl Surroundings for Beside<'_> {
    fn environment(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn included(&self, location: &str) -> Option<Vec<u8>> {
        fs::read(self.0.join(location)).ok()
    }
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let mut contents = Vec::with_capacity(arguments.files.len());
    for file in &arguments.files {
        let failed = |error| Failure::new(1, format!("cannot read {}: {error}", file.display()));
        contents.push((file.display().to_string(), fs::read(file).map_err(failed)?));
    }
    let sources: Vec<Source<'_>> = contents.iter().map(|(name, contents)| Source { name, contents }).collect();
    let folder = arguments.files.first().and_then(|file| file.parent()).unwrap_or(Path::new("."));
    let imported = import(&sources, &Beside(folder)).map_err(|error| Failure::of(2, &error))?;
    let text = imported.to_toml();
    let Some(file) = &arguments.out else { return Ok(out.write_all(text.as_bytes())?) };
    if file.exists() {
        return Err(Failure::new(2, format!("--out: {} exists", file.display())));
    }
    // Passwords may be in it.
    write_file(file, text.as_bytes(), 0o600)?;
    writeln!(out, "{} was written.", file.display())?;
    for line in &imported.left_out {
        writeln!(out, "left out: {line}")?;
    }
    Ok(())
}
