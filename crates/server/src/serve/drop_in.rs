//! Drop-in MQSC: `*.mqsc` files run at every start of a queue manager, in alphabetical order, before doors may use it.
//!
//! Files of the folder itself run on the default queue manager, those of a subfolder on the queue manager of that name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use command::Outcome;
use model::authority::Principal;
use queue_manager::QueueManager;
use queue_manager::event::command::{Issuer, Origin};

use crate::data_directory::{file_error, folder_name};
use crate::error::ServerError;

/// Runs the files that are for one queue manager, those of the folder itself for the default one too. A command that fails
/// is logged with file and line, and the rest goes on unless `strict`.
///
/// # Errors
/// A file cannot be read; with `strict`, the first command that failed.
pub(crate) async fn run(
    folder: &Path,
    manager: &QueueManager,
    is_default: bool,
    administrator: &Principal,
    strict: bool,
) -> Result<(), ServerError> {
    let mut files = if is_default { scripts(folder)? } else { Vec::new() };
    files.extend(scripts(&folder.join(folder_name(&manager.name())))?);
    for file in files {
        run_file(&file, manager, administrator, strict).await?;
    }
    Ok(())
}

async fn run_file(
    file: &Path,
    manager: &QueueManager,
    administrator: &Principal,
    strict: bool,
) -> Result<(), ServerError> {
    let script = fs::read_to_string(file).map_err(|e| file_error("read", file, e))?;
    let issuer = Issuer::new(administrator, Origin::Initialisation);
    let mut failures = 0;
    let commands = command::split(&script);
    for command in &commands {
        let answer = command::run_issued(manager, &issuer, &command.text).await;
        if answer.outcome == Outcome::Succeeded {
            continue;
        }
        failures += 1;
        let name = file.display();
        tracing::error!("{name}, line {}: {}", command.line, answer.lines.join(" "));
        if strict {
            return Err(ServerError::DropIn { file: name.to_string(), line: command.line });
        }
    }
    tracing::info!("ran {} commands of {} on {}, {failures} failed", commands.len(), file.display(), manager.name());
    Ok(())
}

/// The scripts of a folder in alphabetical order; none when there is no such folder.
fn scripts(folder: &Path) -> Result<Vec<PathBuf>, ServerError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(file_error("read", folder, error)),
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "mqsc") && path.is_file())
        .collect();
    files.sort_unstable();
    Ok(files)
}
