//! The shell sessions of `docs/services.md` run as pasted, one after the other in one shell.

use anyhow::{Result, ensure};

use super::{Checkout, repository};
use crate::readme::shell_blocks;

#[test]
fn the_page_on_services_works_as_pasted() -> Result<()> {
    let page = std::fs::read_to_string(repository()?.join("docs/services.md"))?;
    let sessions: Vec<String> = shell_blocks(&page).into_iter().filter(|block| !block.contains("make ")).collect();
    ensure!(sessions.len() >= 4, "the page has sessions for the program, the service, the call and what else there is");
    let checkout = Checkout::new()?;
    let out = checkout.run(&sessions.concat())?;
    // What the page shows as answers is what comes.
    let shown: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("# -> ")).collect();
    ensure!(shown.len() >= 2, "the page shows answers");
    for answer in shown {
        ensure!(out.contains(answer), "{answer} is not in\n{out}");
    }
    Ok(())
}
