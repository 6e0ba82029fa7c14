//! The plug-in for z/OS Connect of Zowe CLI, unmodified: every command of it, against our administration of services, APIs and API
//! requesters.
//!
//! The plug-in and the CLI come from npm, and are set up as the plug-in's page says: installed into the CLI, with a profile that names the server.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::{ADMIN_PASSWORD, READER_PASSWORD, Server};

use crate::interop::packages::node_packages;
use crate::interop::{run, text};
use crate::services::repository;

const FILES: [(&str, &str); 2] = [
    ("package.json", include_str!("zowe/package.json")),
    ("package-lock.json", include_str!("zowe/package-lock.json")),
];
const PROPERTIES: &str = "apiDescriptionFile=swagger.json\nlanguage=COBOL\ndataStructuresLocation=members\n\
    apiInfoFileLocation=members\nlogFileDirectory=logs\nconnectionRef=books\n";

/// What a group of commands administers.
struct Kind {
    group: &'static str,
    /// As the plug-in's sentences call it.
    noun: &'static str,
    name: &'static str,
    file: &'static str,
    /// Its line in a list, and what is shown of it, with single blanks.
    listed: &'static str,
    shown: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        group: "service",
        noun: "Service",
        name: "loanCheck",
        file: "loanCheck.sar",
        listed: "loanCheck Decides on a loan mqService-1.0",
        shown: "serviceProvider: mqService-1.0 invokeUrl: URL/zosConnect/services/loanCheck?action=invoke status: Started",
    },
    Kind {
        group: "api",
        noun: "API",
        name: "loans",
        file: "loans.aar",
        listed: "loans 1.0.0 Applications for loans",
        shown: "name: loans version: 1.0.0 description: Applications for loans services: - loanCheck status: Started",
    },
    Kind {
        group: "apirequester",
        noun: "API Requester",
        name: "Book-Shop-API_2.1",
        file: "books.ara",
        listed: "Book-Shop-API_2.1 2.1",
        shown: "connection: books status: Started",
    },
];

/// A user's Zowe CLI.
struct Zowe {
    program: PathBuf,
    /// Where it keeps its plug-ins and profiles, and the archives.
    home: PathBuf,
    ca_file: PathBuf,
    url: String,
}

impl Zowe {
    fn new(home: &Path, server: &Server) -> Result<Self> {
        let packages = node_packages("zowe", &FILES)?;
        let program = packages.join("node_modules/.bin/zowe");
        let zowe = Self { program, home: home.to_owned(), ca_file: server.ca_file(), url: server.https_url()? };
        let plug_in = packages.join("node_modules/@zosconnect/zosconnect-zowe-cli").display().to_string();
        let told = zowe.told(&["plugins", "install", &plug_in])?;
        ensure!(told.contains("This plugin was successfully validated."), "{told}");
        Ok(zowe)
    }

    /// The user whose commands those are that follow.
    fn sign_in(&self, user: &str, password: &str) -> Result<()> {
        let profile = ["profiles", "create", "zosconnect-profile", "here", "--overwrite"];
        let told = self.told(&[&profile[..], &["-a", &self.url, "-u", user, "-p", password]].concat())?;
        ensure!(told.contains("Profile created successfully!"), "{told}");
        Ok(())
    }

    /// What a command writes, with single blanks.
    fn told(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .current_dir(&self.home)
            .env("ZOWE_CLI_HOME", self.home.join("zowe"))
            .env("FORCE_COLOR", "0");
        let output = run(command.env("NODE_EXTRA_CA_CERTS", &self.ca_file))?;
        let told = text(&output.stdout) + &text(&output.stderr);
        ensure!(output.status.success(), "{words:?}: {told}");
        Ok(told.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The plug-in is not consistent in its capital letters.
    fn says(&self, group: &str, words: &[&str], expected: &str) -> Result<()> {
        let told = self.told(&[&["zosconnect", group], words].concat())?;
        let is_said = told.to_lowercase().contains(&expected.to_lowercase());
        ensure!(is_said, "zowe zosconnect {group} {words:?}: {told} instead of {expected}");
        Ok(())
    }
}

#[test]
fn every_command_of_the_zowe_plug_in_does_what_it_says() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let home = folder.path();
    build(home)?;
    let server = Server::start_on(&home.join("data"))?;
    let zowe = Zowe::new(home, &server)?;
    zowe.sign_in("admin", ADMIN_PASSWORD)?;
    for Kind { group, noun, name, file, listed, shown } in KINDS {
        let says = |words: &[&str], expected: &str| zowe.says(group, words, expected);
        says(&["list"], &format!("No {noun}s installed"))?;
        says(&["install", file], &format!("Successfully installed {noun} {name}"))?;
        says(&["install", file], &format!("Unable to install {noun}, one with the same name is already installed"))?;
        says(&["list"], listed)?;
        says(&["info", name], &shown.replace("URL", &zowe.url))?;
        says(&["delete", name], &format!("{noun} {name} is started."))?;
        says(&["stop", name], &format!("Successfully stopped {noun} {name}"))?;
        says(&["info", name], "status: Stopped")?;
        says(&["update", name, file], &format!("Successfully updated {noun}"))?;
        says(&["start", name], &format!("Successfully started {noun} {name}"))?;
        says(&["info", "NONE"], &format!("{noun} NONE is not installed."))?;
    }
    zowe.sign_in("reader", READER_PASSWORD)?;
    for Kind { group, listed, file, .. } in KINDS {
        zowe.says(group, &["list"], listed)?;
        zowe.says(group, &["install", file], "Security error, ")?;
    }
    zowe.sign_in("admin", ADMIN_PASSWORD)?;
    for Kind { group, noun, name, .. } in KINDS.iter().rev() {
        // It stops what is started, then deletes it.
        zowe.says(group, &["delete", name, "-f"], &format!("Successfully deleted {noun} {name}"))?;
        zowe.says(group, &["list"], &format!("No {noun}s installed"))?;
    }
    Ok(())
}

/// The archives, by our own commands.
#[expect(clippy::disallowed_methods, reason = "files in the test's own folder")]
fn build(home: &Path) -> Result<()> {
    let example = repository()?.join("examples/two-way-service");
    let swagger = repository()?.join("crates/build-toolkit/tests/it/vectors/books/swagger.json");
    std::fs::copy(swagger, home.join("swagger.json"))?;
    std::fs::write(home.join("books.properties"), PROPERTIES)?;
    let service = |source: PathBuf, archive: &str| {
        let mut command = Command::new(quaymaster()?);
        command.args(["service", "build"]).arg(source).args(["-o", archive]);
        Ok::<_, anyhow::Error>(command)
    };
    let mut requester = Command::new(quaymaster()?);
    requester.args(["zconbt", "-p", "books.properties", "-f", "books.ara"]);
    for mut command in
        [service(example.clone(), "loanCheck.sar")?, service(example.join("api.yaml"), "loans.aar")?, requester]
    {
        let output = run(command.current_dir(home))?;
        ensure!(output.status.success(), "{command:?}: {}{}", text(&output.stdout), text(&output.stderr));
    }
    Ok(())
}
