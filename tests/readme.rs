//! The README's shell sessions run as pasted, one after the other in one shell.
//!
//! Its fenced `sh` blocks are taken, except those of `make`; their address is replaced by that of a server on free ports,
//! and they run in a folder that looks like the repository after `make run`.

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
    let server = Server::start_on(&folder.path().join("quaymaster-data"))?;
    let address = server.ready.https.context("the server speaks https")?.to_string();
    let script = sessions.concat().replace("localhost:9443", &address);
    let output = Command::new("bash").arg("-ec").arg(&script).current_dir(folder.path()).output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{script}\n{out}\n{err}");
    for expected in [
        "HTTP/2 201",             // the put
        "Hello, queue",           // the browse and the get
        "QUEUE(DEV.QUEUE.1)",     // runmqsc
        "\"maxdepth\":100000",    // MQSC over REST, in JSON
        "\"maximumDepth\": 5000", // the v1 resource
        "QMNAME(QM2)",            // the second queue manager
    ] {
        let squeezed = |text: &str| text.replace(": ", ":");
        ensure!(squeezed(&out).contains(&squeezed(expected)), "{expected} is not in\n{out}\n{err}");
    }
    Ok(())
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
