//! Bindings of other languages, unmodified: built with the headers of the tree, run against the real server.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD};

use super::python::PYMQI;
use super::{House, same, source, succeeded, text};

pub(super) const GO_MODULE: &str = "github.com/ibm-messaging/mq-golang/v5@v5.7.1";

const GO: &str = "\
DEV.QUEUE.1 1
hello
colour blue
size 42
for the callback
MQOPEN: MQCC = MQCC_FAILED [2] MQRC = MQRC_UNKNOWN_OBJECT_NAME [2085]
done
";

const PYTHON: &str = "\
hello
2 2033
5000
with properties blue
published
['DEV.QUEUE.1', 'DEV.QUEUE.2', 'DEV.QUEUE.3']
done
";

/// A number that changes with the headers.
fn digest(headers: &Path) -> Result<u64> {
    let entries = std::fs::read_dir(headers)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().filter(|path| path.is_file()).collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        hasher.write(&std::fs::read(file)?);
    }
    Ok(hasher.finish())
}

impl House {
    pub(super) fn go(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = self.command(Path::new("go"))?;
        let headers = self.tree.join("inc");
        // Go keeps what it has built until a flag changes, whatever has become of the headers.
        command.env("CGO_CFLAGS", format!("-I{} -DHEADERS={}", headers.display(), digest(&headers)?));
        command.env("CGO_LDFLAGS", format!("-L{}", self.tree.join("lib64").display()));
        command.env("GOFLAGS", "-mod=mod -buildvcs=false").args(arguments);
        Ok(command)
    }
}

#[test]
fn the_go_binding_passes_its_own_tests_and_uses_messages_properties_and_callbacks() -> Result<()> {
    let house = House::new()?;
    std::fs::copy(source("binding.go"), house.folder.path().join("main.go"))?;
    succeeded(&house.go(&["mod", "init", "binding"])?.output().context("go is not installed (Debian: golang-go)")?)?;
    succeeded(&house.go(&["get", GO_MODULE])?.output()?)?;
    let tested = house.go(&["test", "github.com/ibm-messaging/mq-golang/v5/ibmmq"])?.output()?;
    ensure!(succeeded(&tested)?.starts_with("ok"), "{}", text(&tested.stdout));
    succeeded(&house.go(&["build", "-o", "binding", "."])?.output()?)?;
    let program = house.folder.path().join("binding");
    house.everywhere(|house| house.through_cuts(|house| same(succeeded(&house.command(&program)?.output()?)?, GO)))
}

#[test]
fn pymqi_builds_with_the_tree_and_puts_gets_publishes_and_administers() -> Result<()> {
    let house = House::new()?;
    let environment = house.python(PYMQI.package, &[])?;
    house.everywhere(|house| {
        house.through_cuts(|house| {
            let mut program = house.command(&environment.join("bin/python"))?;
            program.env_remove("MQSERVER").arg(source("binding.py"));
            program.args([
                house.connection_name()?.as_str(),
                APP_PASSWORD,
                ADMIN_PASSWORD,
                house.cipher().unwrap_or(""),
            ]);
            same(succeeded(&program.output()?)?, PYTHON)
        })
    })
}
