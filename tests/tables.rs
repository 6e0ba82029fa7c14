//! `quaymaster tables run` as a program: what it writes, and that nothing it started is left, whatever happens to it.

mod console;
mod messaging;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use system_tests::program::quaymaster;

/// Longest wait for something that a process does.
const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn an_experiment_is_measured_and_written_as_a_page_and_as_json() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (work, out) = (folder.path().join("work"), folder.path().join("out"));
    std::fs::create_dir(&work)?;
    let output = run(&["updates", "--format", "html", "--repetitions", "1"], &work, &out).output()?;
    ensure!(output.status.success(), "{}", said(&output));
    let json: Value = serde_json::from_slice(&std::fs::read(out.join("tables.json"))?)?;
    let table = &json["experiments"][0]["tables"][0];
    let rows = table["rows"].as_array().context("the table has rows")?;
    ensure!(rows.len() == 6, "{table}");
    for row in rows {
        let cost = &row["cells"][0];
        ensure!(cost["state"] == "measured" && cost["measured"]["median"].as_f64() > Some(0.0), "{row}");
        ensure!(cost["note"].is_null(), "requests failed: {row}");
        let commands = row["cells"][1]["measured"]["median"].as_f64().context("commands are told apart")?;
        ensure!(commands > 0.0 && Some(commands) < cost["measured"]["median"].as_f64(), "{row}");
    }
    ensure!(rows[1]["cells"][0]["published"]["text"] == "8-9", "{}", rows[1]);
    let own = &rows[0]["cells"][3];
    ensure!(own["state"] == "not-applicable" && own["reason"].is_string(), "a ratio of the GET to itself: {own}");
    let page = std::fs::read_to_string(out.join("tables.html"))?;
    ensure!(page.contains("<svg") && page.contains("approximately double"), "{page}");
    ensure_nothing_is_left(&work)
}

#[test]
fn an_interrupted_run_ends_its_servers_and_takes_its_folders_away() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let work = folder.path().join("work");
    std::fs::create_dir(&work)?;
    let mut child = run(&["users"], &work, folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let server = until("a server was started", || server_of(&work))?;
    signal("INT", child.id())?;
    let code = end(&mut child)?;
    ensure!(code == Some(130), "it ended with {code:?}");
    until("the server has ended", || (!Path::new(&format!("/proc/{server}")).exists()).then_some(()))?;
    ensure_nothing_is_left(&work)
}

#[test]
fn what_was_measured_before_an_interruption_is_written() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (work, out) = (folder.path().join("work"), folder.path().join("out"));
    std::fs::create_dir(&work)?;
    let mut child = run(&["updates", "users", "--format", "json", "--repetitions", "1"], &work, &out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let result = out.join("tables.json");
    until("the first experiment is written", || result.exists().then_some(()))?;
    signal("INT", child.id())?;
    let code = end(&mut child)?;
    ensure!(code == Some(130), "it ended with {code:?}");
    let json: Value = serde_json::from_slice(&std::fs::read(result)?)?;
    let experiments = json["experiments"].as_array().context("experiments")?;
    ensure!(experiments.len() == 1 && experiments[0]["name"] == "updates", "{experiments:?}");
    ensure!(json["outstanding"] == serde_json::json!(["users"]), "{}", json["outstanding"]);
    ensure_nothing_is_left(&work)
}

#[test]
fn figures_of_a_server_that_was_killed_are_missing_and_say_why() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (work, out) = (folder.path().join("work"), folder.path().join("out"));
    std::fs::create_dir(&work)?;
    let child = run(&["updates", "--format", "json", "--repetitions", "4"], &work, &out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    signal("KILL", until("a server was started", || server_of(&work))?)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.code() == Some(1), "{}", said(&output));
    let json: Value = serde_json::from_slice(&output.stdout)?;
    let failed = json["experiments"][0]["failed"].as_str().context("the experiment says that it failed")?;
    ensure!(failed.starts_with("server "), "{failed}");
    ensure_nothing_is_left(&work)
}

fn run(arguments: &[&str], work: &Path, out: &Path) -> Command {
    let mut command = Command::new(quaymaster().unwrap_or_default());
    command.args(["tables", "run", "--quick"]).args(arguments).arg("--work").arg(work).arg("--out").arg(out);
    command.stdin(Stdio::null());
    command
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Process id of a server whose data lies below this folder.
fn server_of(work: &Path) -> Option<u32> {
    process_of(work, |words| words.get(1).is_some_and(|word| word == "serve"))
}

/// Process id of a program that was started with something below this folder, and whose words are as wanted.
fn process_of(work: &Path, is_meant: impl Fn(&[String]) -> bool) -> Option<u32> {
    let work = work.display().to_string();
    let processes = std::fs::read_dir("/proc").ok()?;
    let mut named =
        processes.filter_map(Result::ok).filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    named.find(|pid| {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        let all: Vec<String> = words.split('\0').map(str::to_owned).collect();
        words.contains(&work) && is_meant(&all)
    })
}

fn ensure_nothing_is_left(work: &Path) -> Result<()> {
    // The helpers of a browser that has been closed need a moment to end.
    let is_gone = (0..100).any(|look| {
        if look > 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
        process_of(work, |_| true).is_none()
    });
    ensure!(is_gone, "a process is left");
    ensure!(std::fs::read_dir(work)?.next().is_none(), "a folder is left in {}", work.display());
    Ok(())
}

fn signal(name: &str, pid: u32) -> Result<()> {
    let status = Command::new("sh").arg("-c").arg(format!("kill -{name} {pid}")).status()?;
    if status.success() { Ok(()) } else { bail!("signal {name} was not delivered") }
}

fn end(child: &mut Child) -> Result<Option<i32>> {
    until("the run has ended", || child.try_wait().ok().flatten()).map(|status| status.code())
}

/// Asks again until there is an answer.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> Result<T> {
    let end = now() + LIMIT;
    loop {
        if let Some(answer) = ask() {
            return Ok(answer);
        }
        ensure!(now() < end, "not within {LIMIT:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[expect(clippy::disallowed_methods, reason = "waiting for a process has a bound")]
fn now() -> Instant {
    Instant::now()
}
