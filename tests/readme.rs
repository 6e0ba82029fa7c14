//! The README's shell sessions run as pasted, one after the other in one shell.
//!
//! Its fenced `sh` blocks are taken, except those of `make`; their address is replaced by that of a server on free ports,
//! and they run in a folder that looks like the repository after `make run`. The block that kills the server ends one
//! shell; the test starts the server again, as the page says, and another shell goes on.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::Server;

#[test]
#[expect(clippy::disallowed_methods, reason = "a file in the test's own folder")]
fn the_readme_sessions_work_as_pasted() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the tests lie in the repository")?;
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    let sessions: Vec<String> = shell_blocks(&readme).into_iter().filter(|block| !block.contains("make ")).collect();
    ensure!(sessions.len() >= 3, "the README has sessions for REST, for the command line and for administration");
    let folder = tempfile::tempdir()?;
    let programs = folder.path().join("target/release");
    std::fs::create_dir_all(&programs)?;
    std::os::unix::fs::symlink(quaymaster()?, programs.join("quaymaster"))?;
    std::fs::write(folder.path().join("definitions.mqsc"), "DEFINE QLOCAL(A) MAXDEPTH(10)\n")?;
    let killing =
        sessions.iter().position(|block| block.contains("kill -9")).context("one session kills the server")?;
    let (before, after) = sessions.split_at(killing + 1);
    let data = folder.path().join("quaymaster-data");

    let server = Server::start_on(&data)?;
    let put = run(&before.concat(), &server, folder.path())?;
    ensure!(put.contains("HTTP/2 201"), "the put is answered: {put}");
    ensure!(put.ends_with("Hello, queue"), "the message is browsed: {put}");
    let status = server.outcome()?;
    ensure!(status.signal() == Some(9), "the session kills the server, which ended with {status}");

    let server = Server::start_on(&data)?;
    let kept: String =
        before.concat().lines().filter(|line| is_kept_by_a_shell(line)).flat_map(|l| [l, "\n"]).collect();
    let out = run(&format!("{kept}{}", after.concat()), &server, folder.path())?;
    ensure!(out.starts_with("Hello, queue"), "the persistent message outlived the kill: {out}");
    for expected in [
        "\"persistent\":true",    // put and browse of the commands
        "QUEUE(DEV.QUEUE.1)",     // runmqsc
        "\"maxdepth\":100000",    // MQSC over REST, in JSON
        "\"maximumDepth\": 5000", // the v1 resource
        "QMNAME(QM2)",            // the second queue manager
    ] {
        let squeezed = |text: &str| text.replace(": ", ":");
        ensure!(squeezed(&out).contains(&squeezed(expected)), "{expected} is not in\n{out}");
    }
    Ok(())
}

/// What the script writes to standard output; it must succeed.
fn run(script: &str, server: &Server, folder: &Path) -> Result<String> {
    let address = server.ready.https.context("the server speaks https")?.to_string();
    let script = script.replace("localhost:9443", &address);
    let output = Command::new("bash").arg("-ec").arg(&script).current_dir(folder).output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{script}\n{out}\n{err}");
    Ok(out.into_owned())
}

/// A function or variable that a later line of the same shell may use.
fn is_kept_by_a_shell(line: &str) -> bool {
    let word = line.split([' ', '=']).next().unwrap_or_default();
    let name = word.strip_suffix("()").unwrap_or(word);
    let is_definition = word.len() < line.len() && (word != name || line[word.len()..].starts_with('='));
    is_definition && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(crate) fn shell_blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut current: Option<String> = None;
    for line in markdown.lines() {
        match (&mut current, line.trim_end()) {
            (None, "```sh" | "```bash" | "```shell" | "```console") => current = Some(String::new()),
            (Some(_), "```") => blocks.extend(current.take()),
            (Some(block), _) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    blocks
}
