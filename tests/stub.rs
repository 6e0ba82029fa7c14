//! The communication stub against the real server, where no API needs to be called: HTTPS, and who is let in.
//!
//! Whole calls, by a COBOL program, are in `tests/requester/`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::stub_folder;
use system_tests::server::{APP_PASSWORD, Server};
use tempfile::TempDir;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/communication-stub/tests/programs/caller.c");

/// A C program that calls the API requester `echo_1.0`, which no server has.
struct Caller {
    folder: TempDir,
    stub: PathBuf,
}

impl Caller {
    fn compile() -> Result<Self> {
        let (folder, stub) = (tempfile::tempdir()?, stub_folder()?);
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-pthread", "-I"])
            .arg(&stub)
            .arg(SOURCE)
            .arg(stub.join("libbaqcstub.so"))
            .arg("-o")
            .arg(folder.path().join("caller"))
            .output()
            .context("cc is not installed (Debian: gcc)")?;
        ensure!(compiled.status.success(), "cc: {}", String::from_utf8_lossy(&compiled.stderr));
        Ok(Self { folder, stub })
    }

    /// What it prints of one call.
    fn call(&self, settings: &[(&str, &str)]) -> Result<String> {
        let mut command = Command::new(self.folder.path().join("caller"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BAQ")) {
            command.env_remove(name);
        }
        command.args(["echo", "1", "8"]).env("LD_LIBRARY_PATH", &self.stub).envs(settings.iter().copied());
        let output = command.stdin(Stdio::null()).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path in UTF-8")
}

#[test]
fn the_stub_speaks_https_with_the_servers_own_certificate() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let caller = Caller::compile()?;
    let (url, signer) = (server.https_url()?, server.ca_file());
    let login = [("BAQUSERNAME", "app"), ("BAQPASSWORD", APP_PASSWORD)];
    let call = |url: &str| {
        let settings = [("BAQURI", url), ("BAQCAFILE", text(&signer)?)];
        caller.call(&[settings.as_slice(), &login].concat())
    };
    // Whoever serves the path knows no such requester.
    let told = call(&url)?;
    ensure!(told.starts_with("2 404 "), "{told}");
    let named = call(&url.replace("127.0.0.1", "localhost"))?;
    ensure!(named.starts_with("2 404 "), "{named}");
    // Without its signer the server is not trusted.
    let stranger = caller.call(&[("BAQURI", url.as_str())])?;
    ensure!(stranger.starts_with("3 34 "), "{stranger}");
    Ok(())
}

#[test]
fn a_wrong_password_is_told_by_the_server() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let url = server.http_url()?;
    let told = Caller::compile()?.call(&[("BAQURI", &url), ("BAQUSERNAME", "app"), ("BAQPASSWORD", "wrong")])?;
    ensure!(told.starts_with("2 401 "), "{told}");
    Ok(())
}
