//! Other readers of mainframe files: Cobrix by its parser alone, Cobrix as a data source of Spark, and CobolToJson, which is made of
//! JRecord and cb2xml.
//!
//! Cobrix comes from a Maven repository, CobolToJson as sources from GitHub. A program in Java decodes a file of records of one length to
//! JSON. It decodes one file to get warm, then the measured one, and prints the nanoseconds of processor time and the first record. The time
//! is that of its one thread, but of the process for Spark, as ours is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::per_byte;
use crate::distribution::{Libraries, Sources, run};

/// A way to run it.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// The file of its program.
    source: &'static str,
    libraries: Libraries<'static>,
    /// What is in no Maven repository.
    sources: Option<Sources<'static>>,
    /// The share of its processor time that we may take.
    pub(super) most: Option<f64>,
    /// Packages that it reaches into, `MODULE/PACKAGE`.
    opened: &'static [&'static str],
}

pub(super) const PARSER: Peer = Peer {
    name: "Cobrix's parser",
    source: "CobrixDecode.java",
    libraries: Libraries { folder: "cobrix-parser-2.6.9", artifacts: &["za.co.absa.cobrix:cobol-parser_2.12:2.6.9"] },
    sources: None,
    // It is no tool by itself: Spark runs it.
    most: None,
    opened: &[],
};

pub(super) const SPARK: Peer = Peer {
    name: "Cobrix in Spark",
    source: "SparkDecode.java",
    libraries: Libraries {
        folder: "cobrix-2.6.9-spark-3.4.4",
        artifacts: &["za.co.absa.cobrix:spark-cobol_2.12:2.6.9", "org.apache.spark:spark-sql_2.12:3.4.4"],
    },
    sources: None,
    most: Some(0.2),
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

pub(super) const JRECORD: Peer = Peer {
    name: "CobolToJson (JRecord, cb2xml)",
    source: "JRecordDecode.java",
    libraries: Libraries {
        folder: "cobol-to-json-0.93.4",
        artifacts: &[
            "com.fasterxml.jackson.core:jackson-core:2.17.2",
            "org.slf4j:slf4j-simple:2.0.13",
            "org.projectlombok:lombok:1.18.42",
        ],
    },
    sources: Some(Sources {
        repositories: &[
            ("bmTas/cb2xml", "e84dd7f8952c08aea41b524a4fc4eaa69e835f01"),
            ("bmTas/JRecord", "b985ebcb6ccf43fa9422d7b1adfe3af2dd37dab2"),
            ("bmTas/CobolToJson", "78d1d6aa16a6d7082d519f906dbd0f12dfe17a81"),
        ],
    }),
    most: Some(0.2),
    opened: &[],
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
    class_path: String,
}

impl Peer {
    /// # Errors
    /// No Java, no Maven, or a download failed.
    pub(super) fn prepared(&self, work: &Path) -> Result<Prepared<'_>> {
        run(Command::new("java").arg("-version"))?;
        let libraries = self.libraries.copied(work)?;
        let mut class_path = format!("{}/*", libraries.display());
        if let Some(sources) = &self.sources {
            for folder in sources.compiled(&libraries, work)? {
                class_path += &format!(":{}", folder.display());
            }
        }
        Ok(Prepared { peer: self, class_path })
    }
}

impl Prepared<'_> {
    pub(super) fn name(&self) -> &'static str {
        self.peer.name
    }

    /// Nanoseconds a byte.
    pub(super) fn measure(&self, files: &Files) -> Result<f64> {
        let output = Command::new("java")
            .args(self.peer.opened.iter().map(|package| format!("--add-opens={package}=ALL-UNNAMED")))
            .arg("-cp")
            .arg(&self.class_path)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("java-records").join(self.peer.source))
            .args([&files.copybook, &files.warm_up, &files.file])
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(output.status.success(), "java: {told}{}", String::from_utf8_lossy(&output.stderr));
        let (nanoseconds, first) = told.split_once(' ').with_context(|| format!("no figures: {told}"))?;
        let nanoseconds = nanoseconds.parse().with_context(|| format!("no figure: {told}"))?;
        // It has decoded what we decode.
        ensure!(first.contains("\"ADA BYRON 0\""), "another first record: {told}");
        Ok(per_byte(Duration::from_nanos(nanoseconds), files.file.metadata()?.len()))
    }
}
