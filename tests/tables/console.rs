//! The console's experiment as users run it: with a real browser, without one, and interrupted.

use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::messaging::{ensure_measured, experiment, experiment_with, table};
use super::{end, ensure_nothing_is_left, process_of, run, signal, until};

/// What a refresh may take of the network, far below all rows of 3000 queues.
const FEW_BYTES: f64 = 100_000.0;

#[test]
fn a_real_browser_refreshes_the_console_and_the_rest_api_is_measured_beside_it() -> Result<()> {
    let console = experiment("console")?;
    let costs = table(&console, "admin-queue-cost-and-console")?;
    ensure_measured(costs, 3)?;
    let printed: Vec<&Value> = costs.iter().map(|row| &row["cells"][2]["published"]["text"]).collect();
    ensure!(costs[0]["name"] == "MQ Console" && printed == ["243", "246", "561"], "{costs:#?}");
    let refresh = table(&console, "console-refresh")?;
    ensure_measured(refresh, 3)?;
    let figure = |row: usize, column: usize| refresh[row]["cells"][column]["measured"]["median"].as_f64();
    for (column, queues) in [1000.0, 2000.0, 3000.0].into_iter().enumerate() {
        ensure!(figure(0, column) >= Some(1.0), "a refresh asks the server: {refresh:#?}");
        ensure!(figure(1, column).is_some_and(|bytes| bytes > 0.0 && bytes < FEW_BYTES), "{refresh:#?}");
        let (rows, total) = (figure(3, column), figure(4, column));
        ensure!(rows.is_some_and(|rows| rows > 0.0 && Some(rows) <= total), "{refresh:#?}");
        ensure!(total >= Some(queues), "the list is the one of the experiment's queues: {refresh:#?}");
    }
    let tables = console["tables"].as_array().context("tables")?;
    let asked = "GET /api/v1/qmgr/{qmgr}/queues?columns=name,type,putEnabled,getEnabled,depth &offset=0 &limit=200";
    ensure!(tables[1]["notes"].to_string().contains(asked), "{}", tables[1]["notes"]);
    let beside = table(&console, "console-beside-rest")?;
    ensure_measured(beside, 3)?;
    let events = beside[5]["cells"][1]["measured"]["median"].as_f64();
    ensure!(events > Some(0.0), "messages come and go, and no live value reached the page: {beside:#?}");
    Ok(())
}

#[test]
fn without_a_browser_the_cells_of_the_console_say_so_and_all_others_are_measured() -> Result<()> {
    let console = experiment_with("console", &["--browser", "/no/such/chromium"])?;
    let costs = table(&console, "admin-queue-cost-and-console")?;
    ensure_measured(&costs[1..], 3)?;
    let beside = table(&console, "console-beside-rest")?;
    let missing = costs[0]["cells"].as_array().context("cells")?.iter().chain([&beside[0]["cells"][1]]);
    for cell in missing {
        let reason = cell["reason"].as_str().unwrap_or_default();
        ensure!(cell["state"] == "not-measured" && reason.contains("/no/such/chromium"), "{cell}");
    }
    ensure!(costs[0]["cells"][0]["published"]["text"] == "99", "{}", costs[0]);
    ensure!(beside[0]["cells"][0]["state"] == "measured", "{}", beside[0]);
    ensure!(console["notes"] != json!([]), "the experiment says it, too");
    Ok(())
}

#[test]
fn an_interrupted_run_ends_its_browser_with_all_its_processes() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let work = folder.path().join("work");
    std::fs::create_dir(&work)?;
    let mut child = run(&["console"], &work, folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    until("a page is open", || process_of(&work, |words| words.iter().any(|word| word.contains("--type=renderer"))))?;
    signal("INT", child.id())?;
    let code = end(&mut child)?;
    ensure!(code == Some(130), "it ended with {code:?}");
    let gone = || process_of(&work, |_| true).is_none().then_some(());
    until("server and browser have ended", gone)?;
    ensure_nothing_is_left(&work)
}
