//! The console in a real browser, Debian's Chromium, with 10,000 queues: how soon and for how many bytes its first page can be used, how
//! its list scrolls, what an open overview costs the server, and what a list of the published sizes costs it.
//!
//! The browser is driven by `tests/browser/measure.mjs`, which starts the server too and gives its figures as one line of JSON. Published:
//! processor milliseconds of a refresh of the queue widget on z/OS, for 1000 / 2000 / 3000 queues: 99 / 169 / 243.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use system_tests::program::quaymaster;

use crate::effort::Effort;
use crate::report::{Bar, Report};

/// All files of the console, compressed by gzip where that helps.
const ASSETS: &str = include_str!("../../console/dist/assets.json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    usable_ms: f64,
    first_page_bytes: f64,
    longest_frame_ms: f64,
    p99_frame_ms: f64,
    late_frames: f64,
    /// Of one processor, beyond the load that changes queues.
    overview_percent: f64,
    heap_mb: f64,
    lists: Vec<List>,
}

#[derive(Deserialize)]
struct List {
    size: u32,
    ms: f64,
    requests: Vec<String>,
}

#[derive(Deserialize)]
struct Asset {
    plain: u32,
    gzip: Option<u32>,
}

/// # Errors
/// Node, Chromium or the packages of `tests/browser/` are not there, or a page does not show what it should.
pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let rounds = effort.rounds.to_string();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/browser/measure.mjs");
    let output = Command::new("node").args([script, &rounds]).env("QUAYMASTER_BIN", quaymaster()?).output();
    let output = output.context("node cannot be started: run scripts/install.sh test")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "measure.mjs: {said}\n{}", String::from_utf8_lossy(&output.stderr));
    let measured: Measured = serde_json::from_str(said.trim()).with_context(|| format!("measure.mjs said {said}"))?;
    let assets: Vec<Asset> = serde_json::from_str(ASSETS)?;
    let all: u32 = assets.iter().map(|asset| asset.gzip.unwrap_or(asset.plain)).sum();
    let kb = |bytes: f64| bytes / 1000.0;
    report.add(Bar::at_most("first page of the console usable, 10,000 queues", 1000.0).value(measured.usable_ms, "ms"));
    report.add(Bar::at_most("bytes of the first page", 250.0).value(kb(measured.first_page_bytes), "kB"));
    report.add(Bar::at_most("bytes of all files of the console, gzip", 900.0).value(kb(all.into()), "kB"));
    report.add(
        Bar::at_most("longest frame while 10,000 rows scroll, processor four times slower", 50.0)
            .value(measured.longest_frame_ms, "ms"),
    );
    report.add(Bar::figure("of 100 frames the slowest but one").value(measured.p99_frame_ms, "ms"));
    report.add(Bar::figure("frames above 50 ms, of 600").value(measured.late_frames, ""));
    report.add(
        Bar::at_most("CPU of an open overview with live updates, 10,000 queues", 0.5)
            .value(measured.overview_percent, "% of a core"),
    );
    report.add(Bar::at_most("memory of its scripts after it", 150.0).value(measured.heap_mb, "MB"));
    for List { size, ms, requests } in measured.lists {
        eprintln!("  {size} queues: {}", requests.join(", "));
        report.add(match size {
            1000 => Bar::figure("CPU of the list page with 1000 queues, opened again in the browser").value(ms, "ms"),
            2000 => Bar::figure("CPU of the list page with 2000 queues, opened again in the browser").value(ms, "ms"),
            _ => {
                Bar::at_most("CPU of the list page with 3000 queues, opened again in the browser", 2.0).value(ms, "ms")
            }
        });
    }
    Ok(())
}
