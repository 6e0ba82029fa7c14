//! `docs/mqi-library.md` is true: what it shows of programs in C, Python, Go and Node runs as pasted.

use anyhow::{Context, Result, ensure};
use system_tests::program::client_tree;

use crate::readme::shell_blocks;
use crate::services::{Checkout, repository};

/// One section, or another, of the page.
fn section<'a>(page: &'a str, title: &str) -> Result<&'a str> {
    let found = page.split("\n## ").find(|section| section.lines().next() == Some(title));
    found.with_context(|| format!("the page has no section '{title}'"))
}

/// What the commands of these sections print, in the repository after `make run` and `make client`.
pub(super) fn pasted(titles: &[&str], more: &str) -> Result<(String, String)> {
    let page = std::fs::read_to_string(repository()?.join("docs/mqi-library.md"))?;
    let sections = titles.iter().map(|title| section(&page, title)).collect::<Result<Vec<&str>>>()?.concat();
    let checkout = Checkout::new()?;
    std::os::unix::fs::symlink(client_tree()?, checkout.folder.path().join("target/quaymaster-client"))?;
    let address = checkout.server.mq_address()?;
    let script = shell_blocks(&sections).concat() + more;
    let script = script.replace("localhost(1414)", &format!("{}({})", address.ip(), address.port()));
    Ok((sections, checkout.run(&script)?))
}

/// Each answer that the page shows is printed.
pub(super) fn shows(titles: &[&str], answers: usize) -> Result<()> {
    let (sections, out) = pasted(titles, "")?;
    let shown: Vec<&str> = sections.lines().filter_map(|line| line.strip_prefix("# -> ")).collect();
    ensure!(shown.len() == answers, "the page shows {} answers", shown.len());
    for answer in shown {
        ensure!(out.contains(answer), "{answer} is not in\n{out}");
    }
    Ok(())
}

#[test]
fn a_program_in_c_is_compiled_and_run_as_pasted() -> Result<()> {
    shows(&["Start", "A program in C"], 1)
}

#[test]
fn programs_in_python_are_built_and_run_as_pasted() -> Result<()> {
    shows(&["Start", "Programs in Python"], 2)
}

#[test]
fn a_program_in_go_is_built_and_run_as_pasted() -> Result<()> {
    shows(&["Start", "A program in Go"], 1)
}

#[test]
fn a_program_in_node_is_installed_and_run_as_pasted() -> Result<()> {
    shows(&["Start", "A program in Node"], 1)
}
