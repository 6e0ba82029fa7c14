//! An archive of Java: the program as a resource, and the extension of JUnit of `packaging/java`, compiled for Java 8. The project file
//! in it lets `mvn install:install-file` take it as an artifact.
//!
//! Source: "JAR File Specification"; Maven documentation, "Apache Maven Archiver".

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::VERSION;
use super::oci::digits;
use super::program::Program;
use super::tree::zip;

/// Archives of Debian's package junit5, which the extension is compiled with.
const JUNIT: [&str; 4] = ["junit-jupiter-api", "junit-platform-commons", "opentest4j", "apiguardian-api"];

/// The name of the archive, and its bytes.
///
/// # Errors
/// A file of `packaging/java` cannot be read, or it cannot be compiled.
pub(super) fn archive_of(root: &Path, program: &Program) -> Result<(String, Vec<u8>)> {
    let sources = root.join("packaging/java");
    let project = std::fs::read_to_string(sources.join("pom.xml"))?.replace("@VERSION@", VERSION);
    let machine = program.architecture.machine();
    let resource = format!("quaymaster/linux-{machine}/quaymaster");
    let mut files = classes(&sources.join("quaymaster"))?;
    files.push((resource.clone(), 0o755, program.bytes.clone()));
    files.push((format!("{resource}.sha256"), 0o644, format!("{}\n", digits(&program.bytes)).into_bytes()));
    files.push(("META-INF/LICENSE".to_owned(), 0o644, std::fs::read(root.join("LICENSE"))?));
    let folder = "META-INF/maven/quaymaster/quaymaster-junit";
    files.push((format!("{folder}/pom.xml"), 0o644, project.into_bytes()));
    let properties = format!("groupId=quaymaster\nartifactId=quaymaster-junit\nversion={VERSION}\n");
    files.push((format!("{folder}/pom.properties"), 0o644, properties.into_bytes()));
    files.sort();
    let manifest = format!(
        "Manifest-Version: 1.0\r\nAutomatic-Module-Name: quaymaster\r\nImplementation-Title: Quaymaster\r\n\
         Implementation-Version: {VERSION}\r\n\r\n"
    );
    files.insert(0, ("META-INF/MANIFEST.MF".to_owned(), 0o644, manifest.into_bytes()));
    Ok((format!("quaymaster-junit-{VERSION}-linux-{machine}.jar"), zip(&files)?))
}

/// Path, mode and bytes of each class.
fn classes(sources: &Path) -> Result<Vec<(String, u32, Vec<u8>)>> {
    let out = std::env::temp_dir().join(format!("quaymaster-classes-{}", std::process::id()));
    let read = compile(sources, &out).and_then(|()| {
        let listed = std::fs::read_dir(out.join("quaymaster"))?;
        let class = |path: PathBuf| -> Result<_> {
            let name = path.file_name().context("a class has a name")?.to_string_lossy().into_owned();
            Ok((format!("quaymaster/{name}"), 0o644, std::fs::read(&path)?))
        };
        listed.map(|entry| class(entry?.path())).collect()
    });
    let _ = std::fs::remove_dir_all(&out);
    read
}

fn compile(sources: &Path, out: &Path) -> Result<()> {
    let libraries = JUNIT.map(|name| format!("/usr/share/java/{name}.jar"));
    for library in &libraries {
        ensure!(Path::new(library).exists(), "no {library}: install JUnit 5 (Debian: junit5)");
    }
    let listed = std::fs::read_dir(sources).with_context(|| format!("cannot read {}", sources.display()))?;
    let mut files: Vec<PathBuf> = listed.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let output = Command::new("javac")
        .args(["--release", "8", "-Xlint:all,-options", "-Werror", "-encoding", "UTF-8", "-classpath"])
        .arg(libraries.join(":"))
        .arg("-d")
        .arg(out)
        .args(files)
        .output()
        .context("cannot start javac (Debian: openjdk-17-jdk-headless)")?;
    ensure!(output.status.success(), "javac: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
