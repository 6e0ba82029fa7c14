//! The test suites of both Python bindings, unmodified. Each is built in its own way against the tree.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD};

use super::reach::{Pace, rounds};
use super::{House, source, succeeded, text};
use crate::client::write;

pub(super) const PYMQI: Suite = Suite {
    package: "pymqi==1.12.13",
    prefix: "PYMQI_TEST",
    required: "QM_CONN_AUTH_USE_PW",
    without_password: "APP.OPEN",
    passed: 105,
    skipped: 12,
    by_server: &["test_init_name", "test_connect"],
};
/// Its repository, where the tests are; the package does not bring them.
const PYMQI_REPOSITORY: (&str, &str) = ("dsuch/pymqi", "16184a62f368fde6eaa17d80c818be1b2d4bdbe9");

const IBMMQ: Suite = Suite {
    package: "ibmmq==2.1.2",
    prefix: "PY_IBMMQ_TEST",
    required: "QM_CONNAUTH_USE_PW",
    without_password: "DEV.APP.SVRCONN",
    passed: 103,
    skipped: 16,
    by_server: &[],
};

/// Of a round. A test that met a cut begins anew, so tests need gaps in which they can pass.
const SUITES: Pace = Pace { gaps_ms: 20..=400, most: 20 };

impl House {
    /// An environment of Python with a package that is built with the tree, and with others.
    pub(super) fn python(&self, package: &str, others: &[&str]) -> Result<PathBuf> {
        let environment = self.folder.path().join("environment");
        let mut made = Command::new("python3");
        succeeded(&made.args(["-m", "venv"]).arg(&environment).output()?)?;
        let name = package.split('=').next().context("a package has a name")?;
        let mut install = self.pip(&environment)?;
        install.args(["install", "--quiet", "--disable-pip-version-check", "--no-binary", name, package]).args(others);
        succeeded(&install.output()?)?;
        Ok(environment)
    }

    fn pip(&self, environment: &Path) -> Result<Command> {
        let mut command = self.command(&environment.join("bin/pip"))?;
        command.env("MQ_FILE_PATH", &self.tree);
        Ok(command)
    }
}

/// A test suite, and how it ends.
pub(super) struct Suite {
    pub(super) package: &'static str,
    /// Of the names of its environment variables.
    prefix: &'static str,
    /// Says whether the queue manager requires passwords.
    required: &'static str,
    /// Channel of its application.
    without_password: &'static str,
    passed: usize,
    skipped: usize,
    /// Tests that pass and connect by MQSERVER, which cannot name a CipherSpec: they are left out by TLS.
    by_server: &'static [&'static str],
}

impl Suite {
    /// Builds the package and the tools of its tests.
    fn install(&self, house: &House) -> Result<PathBuf> {
        house.python(self.package, &["pytest==9.2.0", "ddt==1.7.2", "testfixtures==12.4.0", "mock==5.2.0"])
    }

    /// Runs the tests of a folder.
    fn run(&self, house: &House, environment: &Path, tests: &Path) -> Result<()> {
        house.open_channel("APP.OPEN", "app")?;
        // The suites look for a queue with such a description, as a queue manager of IBM's has.
        house.mqsc("DEFINE QLOCAL('APP.DESCRIBED') DESCR('IBM MQ queue of a test')")?;
        let mut command = house.command(&environment.join("bin/python"))?;
        command.env_remove("MQSERVER").env("PYTHONDONTWRITEBYTECODE", "1").current_dir(tests);
        let port = house.address()?.port().to_string();
        let settings = [
            ("QM_NAME", "QM1"),
            ("QM_HOST", "127.0.0.1"),
            ("QM_PORT", &port),
            ("QM_CHANNEL", "DEV.ADMIN.SVRCONN"),
            ("QM_USER", "admin"),
            ("QM_PASSWORD", ADMIN_PASSWORD),
            ("QM_APP_CHANNEL", self.without_password),
            ("QM_APP_USER", "app"),
            ("QM_APP_PASSWORD", APP_PASSWORD),
            (self.required, "REQUIRED"),
            // It makes certificates with IBM's runmqakm.
            ("TLS_SKIP", "1"),
        ];
        for (name, value) in settings {
            command.env(format!("{}_{name}", self.prefix), value);
        }
        command.args(["-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "suite_ways"]);
        let binding = self.package.split('=').next().context("a package has a name")?;
        command.env("SUITE_BINDING", binding).env("PYTHONPATH", source(""));
        let mut passed = self.passed;
        if let Some(cipher) = house.cipher() {
            command.env("SUITE_CIPHER", cipher);
            command.env("SUITE_LEFT_OUT", self.by_server.join(" "));
            passed -= self.by_server.len();
        }
        command.arg(".");
        let output = if house.reach.is_cut() { self.through_cuts(house, &mut command)? } else { command.output()? };
        let said = succeeded(&output)?;
        let counts = format!("{passed} passed, {} skipped", self.skipped);
        ensure!(said.contains(&counts), "expected {counts}: {said}{}", text(&output.stderr));
        Ok(())
    }

    /// A test that a cut interrupted is run again, until it passes.
    fn through_cuts(&self, house: &House, command: &mut Command) -> Result<Output> {
        let (file, next) = (house.folder.path().join("cuts"), house.folder.path().join("next-cuts"));
        let told = |number: usize| -> Result<()> {
            // So that no reader finds an empty file.
            write(&next, &number.to_string())?;
            Ok(std::fs::rename(&next, &file)?)
        };
        told(0)?;
        command.env("SUITE_CUTS", &file);
        let pace = Pace { most: SUITES.most * rounds()?, ..SUITES };
        let (output, cut) = house.cutter()?.during(&pace, told, || command.output())?;
        let output = output?;
        let summary = text(&output.stdout).lines().find(|line| line.contains("met a cut")).unwrap_or_default();
        eprintln!("mqi: {}, {cut} connections cut: {summary}", self.package);
        Ok(output)
    }
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn pymqi_passes_its_own_tests() -> Result<()> {
    let (repository, commit) = PYMQI_REPOSITORY;
    let files = public_files::of_github(repository, commit, &["code/tests"]);
    let house = House::new()?;
    let environment = PYMQI.install(&house)?;
    let tests = files.join("code/tests");
    house.everywhere(|house| PYMQI.run(house, &environment, &tests))
}

#[test]
fn ibmmq_for_python_passes_its_own_tests() -> Result<()> {
    let house = House::new()?;
    let environment = IBMMQ.install(&house)?;
    let mut fetch = house.pip(&environment)?;
    fetch.args(["download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    fetch.args(["--no-binary", "ibmmq", IBMMQ.package, "--dest"]).arg(house.folder.path());
    succeeded(&fetch.output()?)?;
    let archive = format!("{}.tar.gz", IBMMQ.package.replace("==", "-"));
    let mut unpack = Command::new("tar");
    succeeded(
        &unpack.arg("-xzf").arg(house.folder.path().join(&archive)).arg("-C").arg(house.folder.path()).output()?,
    )?;
    let tests = house.folder.path().join(archive.trim_end_matches(".tar.gz")).join("code/tests");
    house.everywhere(|house| IBMMQ.run(house, &environment, &tests))
}
