//! Programs of others that come as an archive of a Maven repository, unpacked below the working folder and kept there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// An archive of a Maven repository.
pub struct Distribution<'a> {
    /// `GROUP:NAME:VERSION:zip`, with a classifier where it has one.
    pub artifact: &'a str,
    /// The archive's file name.
    pub archive: &'a str,
    /// The folder it unpacks to.
    pub folder: &'a str,
    /// What lies in that folder once it is unpacked.
    pub content: &'a str,
}

impl Distribution<'_> {
    /// The unpacked folder, fetched when it is not there.
    ///
    /// # Errors
    /// No Maven, no `unzip`, or the download failed: the message says which.
    pub fn unpacked(&self, work: &Path) -> Result<PathBuf> {
        let home = work.join("peers");
        let unpacked = home.join(self.folder);
        if unpacked.join(self.content).exists() {
            return Ok(unpacked);
        }
        std::fs::create_dir_all(&home)?;
        let archive = home.join(self.archive);
        if !archive.is_file() {
            run(Command::new("mvn")
                .args(["-q", "-B", "dependency:copy", "-Dmdep.useBaseVersion=true"])
                .arg(format!("-Dartifact={}", self.artifact))
                .arg(format!("-DoutputDirectory={}", home.display())))?;
        }
        run(Command::new("unzip").arg("-q").arg("-o").arg(&archive).arg("-d").arg(&home))?;
        Ok(unpacked)
    }
}

/// Runs a command to its end.
///
/// # Errors
/// It is not installed, or fails: then with what it said.
pub fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} is not installed"))?;
    let said = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&said));
    Ok(())
}
