//! The README's shell session runs as pasted.
//!
//! The first fenced `sh` block that mentions `initial-passwords` is taken, its address and data directory are replaced
//! by those of a server on free ports, and the whole goes through `sh -e` as one script.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::server::Server;

#[test]
fn the_readme_session_puts_and_gets_a_message() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the tests lie in the repository")?;
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    let session = shell_blocks(&readme)
        .into_iter()
        .find(|block| block.contains("initial-passwords"))
        .context("the README has a shell session that reads initial-passwords")?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("quaymaster-data");
    let server = Server::start_on(&data)?;
    let address = server.ready.https.context("the server speaks https")?.to_string();
    let script = session.replace("127.0.0.1:9443", &address).replace("localhost:9443", &address);
    ensure!(script.contains(&address), "the session speaks to port 9443: {session}");
    let output = Command::new("sh").arg("-ec").arg(&script).current_dir(folder.path()).output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{script}\n{out}\n{err}");
    let put = script.lines().filter(|line| line.contains("--data") || line.contains(" -d ")).count();
    ensure!(put > 0, "the session puts a message");
    ensure!(out.to_lowercase().contains("hello"), "the session gets back what it put: {out}\n{err}");
    Ok(())
}

fn shell_blocks(markdown: &str) -> Vec<String> {
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
