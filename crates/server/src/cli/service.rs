//! `service new|build|show`: sources of services made from copybooks, archives made from sources, and looked at.
//!
//! The crate `service` knows sources and the layout of archives; here files are named and written.

mod new;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use document::package::{MAXIMUM_ARCHIVE, PackageError};
use service::archive::{ApiArchive, ArchiveError, ServiceArchive};
use service::build::{self, Built};

use super::failure::Failure;
use crate::data_directory::write_file;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make the first files of a service from two copybooks: source, API, program, queues, test data and scripts.
    New(new::NewArguments),
    /// Build the archive of a service (.sar) or of an API (.aar) from its source.
    Build(BuildArguments),
    /// Show the contents of an archive.
    Show(ShowArguments),
}

#[derive(Debug, Args)]
pub(super) struct BuildArguments {
    /// Directory with service.yaml or api.yaml and its files, one of these two files, or a properties file as zconbt
    /// reads it.
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// File or directory for the archive [default: NAME.sar or NAME.aar in the current directory].
    #[arg(long, short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// Archive, .sar or .aar.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::New(arguments) => new::run(arguments, out),
        Command::Build(arguments) => build_archive(arguments, out),
        Command::Show(arguments) => show(arguments, out),
    }
}

fn build_archive(arguments: &BuildArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let built = build::build(&arguments.source).map_err(|error| Failure::new(1, error.to_string()))?;
    let archive = built.write().map_err(|error| Failure::of(1, &error))?;
    let own_name = format!("{}.{}", built.name().replace(['/', '\\'], "_"), built.ending());
    let file = match &arguments.out {
        None => PathBuf::from(own_name),
        Some(folder) if folder.is_dir() => folder.join(own_name),
        Some(folder) if folder.as_os_str().as_encoded_bytes().ends_with(b"/") => {
            return Err(Failure::new(1, format!("--out: there is no directory {}", folder.display())));
        }
        Some(file) => {
            check_ending(file, &built)?;
            file.clone()
        }
    };
    // Beside it first: a server that watches the directory sees it whole or not at all.
    write_file(&file, &archive, 0o644)?;
    let kind = match &built {
        Built::Service(_) => "service",
        Built::Api(_) => "API",
    };
    writeln!(out, "{}: {kind} {}, {} bytes", file.display(), built.name(), archive.len())?;
    Ok(())
}

/// A server takes an archive by its ending.
fn check_ending(file: &Path, built: &Built) -> Result<(), Failure> {
    let ending = file.extension().unwrap_or_default();
    if ending.eq_ignore_ascii_case(built.ending()) {
        return Ok(());
    }
    Err(Failure::new(2, format!("--out: {} must end in .{}", file.display(), built.ending())))
}

fn show(arguments: &ShowArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let file = &arguments.file;
    let named = |error: ArchiveError| Failure::new(1, format!("{}: {error}", file.display()));
    let failed = |error: std::io::Error| Failure::new(1, format!("{}: {error}", file.display()));
    if std::fs::metadata(file).map_err(failed)?.len() > MAXIMUM_ARCHIVE as u64 {
        return Err(named(PackageError::TooLong { limit: MAXIMUM_ARCHIVE }.into()));
    }
    let bytes = std::fs::read(file).map_err(failed)?;
    let shown = match ServiceArchive::read(&bytes) {
        Ok(archive) => of_service(&archive),
        // Every archive of an API lacks the manifest of a service.
        Err(ArchiveError::Missing { .. }) => of_api(&ApiArchive::read(&bytes).map_err(named)?),
        Err(error) => return Err(named(error)),
    };
    if arguments.json {
        writeln!(out, "{shown}")?;
    } else {
        write!(out, "{}", document::yaml::write(&shown))?;
    }
    Ok(())
}

fn of_service(archive: &ServiceArchive) -> serde_json::Value {
    let manifest = &archive.manifest;
    let properties = manifest.properties.iter().map(|one| {
        let value = if one.name == "password" { "****" } else { one.value.as_str() };
        (one.name.clone(), serde_json::Value::from(value))
    });
    serde_json::json!({
        "service": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "provider": manifest.provider,
        "properties": properties.collect::<serde_json::Map<_, _>>(),
        "entries": archive.entries().collect::<Vec<_>>(),
    })
}

fn of_api(archive: &ApiArchive) -> serde_json::Value {
    let api = &archive.definition;
    let operations = api.operations.iter().map(|operation| {
        serde_json::json!({
            "method": operation.method, "path": operation.path.to_string(), "service": operation.service,
        })
    });
    serde_json::json!({
        "api": api.name,
        "version": api.version,
        "description": api.description,
        "basePath": api.base_path,
        "operations": operations.collect::<Vec<_>>(),
        "entries": archive.entries().collect::<Vec<_>>(),
    })
}
