//! `links DIR`: symbolic links named runmqsc, dspmq and so on. Called by such a name, the program is that command.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use clap::Args;

use super::NAMES;
use super::failure::Failure;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder for the links; created if it does not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let program = std::env::current_exe()?;
    let folder = &arguments.folder;
    fs::create_dir_all(folder)
        .map_err(|error| Failure::new(1, format!("cannot create {}: {error}", folder.display())))?;
    for name in NAMES {
        let link = folder.join(name);
        match fs::read_link(&link) {
            Ok(target) if target == program => {}
            // A link of another version is replaced; a file of somebody else is not.
            Ok(_) => fs::remove_file(&link).and_then(|()| symlink(&program, &link))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => symlink(&program, &link)?,
            Err(_) => return Err(Failure::new(1, format!("{} exists and is not a link", link.display()))),
        }
        writeln!(out, "{}", link.display())?;
    }
    Ok(())
}
