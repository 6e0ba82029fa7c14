//! Programs of others that come from a Maven repository, as an archive or as libraries, kept below the working folder.

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

/// Libraries of a Maven repository, with all that they need at run time.
pub struct Libraries<'a> {
    /// Where they are kept.
    pub folder: &'a str,
    /// `GROUP:NAME:VERSION` each.
    pub artifacts: &'a [&'a str],
}

impl Libraries<'_> {
    /// The folder with their archives, fetched when it is not there.
    ///
    /// # Errors
    /// No Maven, or the download failed: the message says which.
    #[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
    pub fn copied(&self, work: &Path) -> Result<PathBuf> {
        let home = work.join("peers").join(self.folder);
        if home.is_dir() {
            return Ok(home);
        }
        std::fs::create_dir_all(work.join("peers"))?;
        let making = tempfile::tempdir_in(work)?;
        let (project, copied) = (making.path().join("pom.xml"), making.path().join("copied"));
        std::fs::write(&project, self.project())?;
        run(Command::new("mvn")
            .args(["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime", "-f"])
            .arg(&project)
            .arg(format!("-DoutputDirectory={}", copied.display())))?;
        std::fs::rename(&copied, &home).context("Maven copied nothing")?;
        Ok(home)
    }

    /// A project that does nothing but need them.
    fn project(&self) -> String {
        let dependency = |artifact: &&str| {
            let mut parts = artifact.split(':');
            let mut element = |name: &str| format!("<{name}>{}</{name}>", parts.next().unwrap_or_default());
            let (group, name, version) = (element("groupId"), element("artifactId"), element("version"));
            format!("<dependency>{group}{name}{version}</dependency>\n")
        };
        format!(
            "<project><modelVersion>4.0.0</modelVersion>\n\
             <groupId>benches</groupId><artifactId>libraries</artifactId><version>1</version><packaging>pom</packaging>\n\
             <dependencies>\n{}</dependencies></project>\n",
            self.artifacts.iter().map(dependency).collect::<String>()
        )
    }
}

/// A program whose sources are on GitHub, below `src/main/java` of each repository.
pub struct Sources<'a> {
    /// `OWNER/NAME` and commit.
    pub repositories: &'a [(&'a str, &'a str)],
}

impl Sources<'_> {
    /// The folders with classes and other resources, compiled with `libraries` when they are not there.
    ///
    /// # Errors
    /// No Java compiler, or GitHub is not reached: the message says which.
    pub fn compiled(&self, libraries: &Path, work: &Path) -> Result<Vec<PathBuf>> {
        const FOLDER: &str = "src/main/java";
        let mut folders = vec![libraries.join("classes")];
        for (repository, commit) in self.repositories {
            folders.push(public_files::fetched(work, repository, commit, &[FOLDER])?.join(FOLDER));
        }
        if !folders[0].is_dir() {
            let making = tempfile::tempdir_in(work)?;
            let classes = making.path().join("classes");
            let script = "find \"${@:3}\" -name '*.java' > \"$2.list\"\n\
                javac -nowarn -encoding UTF-8 -cp \"$1/*\" -d \"$2\" \"@$2.list\"";
            run(Command::new("bash").args(["-ec", script, "compile"]).args([libraries, &classes]).args(&folders[1..]))?;
            std::fs::rename(&classes, &folders[0]).context("nothing was compiled")?;
        }
        Ok(folders)
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
