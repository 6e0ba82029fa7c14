//! The console in a real browser, Debian's Chromium: what a person does and sees, and what no page may ever do.
//!
//! The tests are Node programs in `tests/browser/`, one file for each test here. Each starts its own servers from the program under test, on free
//! ports and in temporary folders, because some stop and start them while a page is open. This module installs their packages and runs them.
//!
//! Invariants
//! - A program that takes too long is ended, and takes its servers and its browser with it.
//! - The packages are those of the lock file, installed once.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, ensure};
use system_tests::program::quaymaster;

use crate::interop::packages::cache;
use crate::interop::{run, sign_in, text};
use crate::services::repository;

const LOCK: &str = include_str!("browser/package-lock.json");
/// Longest time of one program, on a machine that is busy with other tests.
const LIMIT_SECONDS: &str = "1200";

/// One file of `tests/browser/`: fails with what the program reports.
fn passes(name: &str) -> Result<()> {
    let folder = installed()?;
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", LIMIT_SECONDS, "node", "--test-reporter=spec"]);
    command.arg(folder.join(format!("{name}.test.mjs"))).env("QUAYMASTER_BIN", quaymaster()?).env("NO_COLOR", "1");
    command.env("ISSUER_OF_TESTS", sign_in::installed()?.join("issuer.mjs"));
    let output = run(&mut command)?;
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    ensure!(output.status.success(), "{name}.test.mjs: {}\n{said}\n{errors}", output.status);
    ensure!(said.contains("pass "), "{name}.test.mjs ran no test: {said}\n{errors}");
    println!("{said}");
    Ok(())
}

/// `tests/browser/`, with its packages.
fn installed() -> Result<PathBuf> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    FOLDER.get_or_init(|| install().map_err(|error| format!("{error:#}"))).clone().map_err(|error| anyhow!(error))
}

fn install() -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    LOCK.hash(&mut hasher);
    let folder = repository()?.join("tests/browser");
    // npm ci removes what lies in node_modules: the lock lies elsewhere.
    let script = "set -e\n\
        exec 9> \"$3/lock\"; flock 9\n\
        [ ! -e \"$1/node_modules/.complete-$2\" ] || exit 0\n\
        cd \"$1\"; npm ci --silent --no-audit --no-fund --ignore-scripts; touch \"node_modules/.complete-$2\"";
    let mut command = Command::new("bash");
    command
        .args(["-c", script, "install"])
        .arg(&folder)
        .arg(format!("{:016x}", hasher.finish()))
        .arg(cache("browser")?);
    let output = run(&mut command)?;
    ensure!(output.status.success(), "cannot install the packages: {}{}", text(&output.stdout), text(&output.stderr));
    Ok(folder)
}

#[test]
fn a_person_signs_in_and_keeps_work_when_the_sign_in_ends() -> Result<()> {
    passes("sign-in")
}

#[test]
fn a_person_signs_in_at_an_issuer_and_keeps_work_when_the_sign_in_ends() -> Result<()> {
    passes("issuer")
}

#[test]
fn each_role_is_offered_what_the_server_lets_it_do() -> Result<()> {
    passes("roles")
}

#[test]
fn every_page_is_accessible_in_light_and_dark_when_narrow_and_when_zoomed() -> Result<()> {
    passes("pages")
}

#[test]
fn the_book_is_read_and_searched_in_a_browser() -> Result<()> {
    passes("book")
}

#[test]
fn ten_thousand_queues_are_listed_scrolled_and_kept_fresh() -> Result<()> {
    passes("many-queues")
}

#[test]
fn an_operator_sees_a_group_of_two_members_and_the_one_that_was_killed() -> Result<()> {
    passes("group")
}

#[test]
fn a_page_survives_the_end_and_the_start_of_its_server() -> Result<()> {
    passes("restart")
}

#[test]
fn hostile_messages_are_shown_and_never_run() -> Result<()> {
    passes("hostile")
}

#[test]
fn the_jobs_of_a_bad_day_take_few_clicks() -> Result<()> {
    passes("bad-day")
}

#[test]
fn planted_faults_are_told_from_the_first_page() -> Result<()> {
    passes("faults")
}

#[test]
fn the_main_jobs_are_done_by_keyboard_alone() -> Result<()> {
    passes("keyboard")
}

#[test]
fn jobs_that_were_wrong_are_taken_back_from_the_console() -> Result<()> {
    passes("undo")
}
