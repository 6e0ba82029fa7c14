//! `docs/message-api.md` is true: its curl, Python, Node and Go run as pasted, and its tables name what there is.

use anyhow::{Context, Result, ensure};
use system_tests::server::APP_PASSWORD;

use crate::interop::packages::{cache, python_programs};
use crate::readme::shell_blocks;
use crate::services::{Checkout, repository};

fn page() -> Result<String> {
    Ok(std::fs::read_to_string(repository()?.join("docs/message-api.md"))?)
}

#[test]
fn every_block_of_the_page_works_as_pasted_in_curl_python_node_and_go() -> Result<()> {
    let page = page()?;
    let blocks = shell_blocks(&page);
    ensure!(blocks.len() >= 15, "the page has {} blocks", blocks.len());
    let python = python_programs()?;
    let path = format!("{}:{}", python.display(), std::env::var("PATH")?);
    // Nothing of the caller's settings matters to go, and nothing is downloaded.
    let go = format!("GOCACHE={} GOFLAGS= GO111MODULE=off GOTOOLCHAIN=local", cache("go")?.display());
    let checkout = Checkout::new()?;
    let programs = checkout.folder.path().join("target/release");
    let settings = format!("export MQ_PASSWORD={APP_PASSWORD} {go}\nexport PATH='{}:{path}'\n", programs.display());
    let out = checkout.run(&(settings + &blocks.concat()))?;
    let shown: Vec<&str> = page.lines().filter_map(|line| line.trim().strip_prefix("# -> ")).collect();
    ensure!(shown.len() > 25, "the page shows {} answers", shown.len());
    for answer in shown {
        ensure!(out.contains(answer), "{answer} is not in\n{out}");
    }
    Ok(())
}

#[test]
fn every_error_that_the_page_lists_has_its_status_on_the_server() -> Result<()> {
    let page = page()?;
    let table = page.split("| Status | Identifier |").nth(1).context("the table of errors")?;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let checkout = Checkout::new()?;
    let mut client = super::connect(&checkout.server)?;
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for id in cells[2].split([' ', ',']).filter(|word| word.starts_with("MQWB")) {
            let kind = client.ask("GET", &format!("/api/v1/problems/{id}"), "", b"")?;
            ensure!(kind.status == 200, "{id} has no page");
            // The status of a reason is that of the reason.
            let status = format!("Status {}", cells[1]);
            ensure!(id == "MQWB0300E" || kind.text().contains(&status), "{id} is not {status}: {}", kind.text());
            count += 1;
        }
    }
    ensure!(count > 20, "the table lists {count} errors");
    Ok(())
}
