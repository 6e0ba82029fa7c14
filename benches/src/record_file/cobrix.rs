//! Cobrix, a reader of mainframe files for Spark: by its parser alone, and as a data source of Spark.
//!
//! Both come from a Maven repository. A program in Java decodes a file of records of one length to JSON. It decodes one file to get
//! warm, then the measured one, and prints the nanoseconds of processor time and the first line. The parser's time is that of its one
//! thread; Spark's is that of its process, as ours is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::per_byte;
use crate::distribution::{Libraries, run};

/// A way to run it.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// The file of its program.
    source: &'static str,
    libraries: Libraries<'static>,
    /// Packages that it reaches into, `MODULE/PACKAGE`.
    opened: &'static [&'static str],
}

pub(super) const PARSER: Peer = Peer {
    name: "Cobrix's parser",
    source: "CobrixDecode.java",
    libraries: Libraries { folder: "cobrix-parser-2.6.9", artifacts: &["za.co.absa.cobrix:cobol-parser_2.12:2.6.9"] },
    opened: &[],
};

pub(super) const SPARK: Peer = Peer {
    name: "Cobrix in Spark",
    source: "SparkDecode.java",
    libraries: Libraries {
        folder: "cobrix-2.6.9-spark-3.4.4",
        artifacts: &["za.co.absa.cobrix:spark-cobol_2.12:2.6.9", "org.apache.spark:spark-sql_2.12:3.4.4"],
    },
    // Those that Spark's own scripts open for it.
    opened: &[
        "java.base/java.io",
        "java.base/java.lang",
        "java.base/java.lang.invoke",
        "java.base/java.net",
        "java.base/java.nio",
        "java.base/java.util",
        "java.base/java.util.concurrent",
        "java.base/java.util.concurrent.atomic",
        "java.base/sun.nio.ch",
        "java.base/sun.nio.cs",
        "java.base/sun.security.action",
        "java.base/sun.util.calendar",
    ],
};

/// What is decoded.
pub(super) struct Files {
    pub(super) copybook: PathBuf,
    pub(super) warm_up: PathBuf,
    pub(super) file: PathBuf,
}

/// A peer whose libraries are there.
pub(super) struct Prepared<'a> {
    peer: &'a Peer,
    libraries: PathBuf,
}

impl Peer {
    /// # Errors
    /// No Java, no Maven, or the download failed.
    pub(super) fn prepared(&self, work: &Path) -> Result<Prepared<'_>> {
        run(Command::new("java").arg("-version"))?;
        Ok(Prepared { peer: self, libraries: self.libraries.copied(work)? })
    }
}

impl Prepared<'_> {
    /// Nanoseconds a byte.
    pub(super) fn measure(&self, files: &Files) -> Result<f64> {
        let output = Command::new("java")
            .args(self.peer.opened.iter().map(|package| format!("--add-opens={package}=ALL-UNNAMED")))
            .arg("-cp")
            .arg(format!("{}/*", self.libraries.display()))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("java-cobrix").join(self.peer.source))
            .args([&files.copybook, &files.warm_up, &files.file])
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(output.status.success(), "java: {told}{}", String::from_utf8_lossy(&output.stderr));
        let (nanoseconds, first) = told.split_once(' ').with_context(|| format!("no figures: {told}"))?;
        let nanoseconds = nanoseconds.parse().with_context(|| format!("no figure: {told}"))?;
        // It has decoded what we decode.
        ensure!(first.contains("\"HOLDER_NAME\":\"ADA BYRON 0\""), "another first record: {told}");
        Ok(per_byte(Duration::from_nanos(nanoseconds), files.file.metadata()?.len()))
    }
}
