//! `docs/api-requester.md` works as pasted, and the example's script does all of it at once.

use anyhow::{Context, Result, ensure};
use system_tests::ports;
use system_tests::program::stub_folder;

use crate::readme::shell_blocks;
use crate::services::{Checkout, repository};

/// The repository after `make run` and `make stub`.
fn checkout() -> Result<Checkout> {
    let checkout = Checkout::new()?;
    std::os::unix::fs::symlink(stub_folder()?, checkout.folder.path().join("target/stub-files"))?;
    Ok(checkout)
}

fn http_port(checkout: &Checkout) -> Result<u16> {
    Ok(checkout.server.ready.http.context("the server speaks http")?.port())
}

#[test]
fn the_page_on_api_requesters_works_as_pasted() -> Result<()> {
    let page = std::fs::read_to_string(repository()?.join("docs/api-requester.md"))?;
    let sessions: Vec<String> = shell_blocks(&page).into_iter().filter(|block| !block.contains("make ")).collect();
    ensure!(sessions.len() >= 8, "the page has sessions from the document to the pool of programs");
    let checkout = checkout()?;
    // The stub's default port, and that of the API, are others here.
    let script = sessions.concat().replace("3188", &ports::free()?.to_string());
    let listens = format!("provider --listen 127.0.0.1:{}", port_of(&script)?);
    let script = script.replace("workload provider >", &format!("workload {listens} >"));
    let out = checkout.run(&format!("export BAQPORT={}\n{script}", http_port(&checkout)?))?;
    // What the page shows as answers is what comes.
    let shown: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("# -> ")).collect();
    ensure!(shown.len() >= 4, "the page shows answers");
    for answer in shown {
        ensure!(out.contains(answer), "{answer} is not in\n{out}");
    }
    for words in ["BAQB0009I", "09 count-out", "02 000503 ", "03 0000", "errors            0"] {
        ensure!(out.contains(words), "{words} is not in\n{out}");
    }
    Ok(())
}

/// Where the script expects the API.
fn port_of(script: &str) -> Result<&str> {
    let (_, rest) = script.split_once("http://localhost:").context("the document is fetched")?;
    rest.split_once('/').map(|(port, _)| port).context("a port")
}

#[test]
fn the_example_calls_the_api_and_may_be_run_again() -> Result<()> {
    let checkout = checkout()?;
    let script = format!(
        "URL=https://localhost:9443 HTTP_PORT={} API=127.0.0.1:{} examples/api-requester/run.sh",
        http_port(&checkout)?,
        ports::free()?
    );
    let expected = [(1024, 32), (4096, 128), (8192, 256)]
        .map(|(bytes, entries)| format!("00 000200 0000000016 {bytes:09} {entries:06} Y\n"))
        .concat();
    ensure!(checkout.run(&script)? == expected, "what the first run printed");
    let again = checkout.run(&format!("{script} 0000000200000032"))?;
    ensure!(again == "00 000200 0000000032 000016384 000512 Y\n", "{again}");
    Ok(())
}
