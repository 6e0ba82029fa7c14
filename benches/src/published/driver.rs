//! The load driver's rate against that of wrk: the same request, ten kept connections and one thread each.

use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};
use workload::plan::Login;
use workload::{Plan, batch};

use super::users::Office;
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::report::{Bar, Report};

const PATH: &str = "/ibmmq/rest/v1/admin/qmgr/QM1/queue?name=BENCH.1*&attributes=*";
const CLIENTS: u32 = 10;
const DRIVER: &str = "load driver";
const WRK: &str = "wrk";
const APART: &str = "rate of the load driver against wrk's on the same request, the greater through the less";

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let office = Office::start(effort)?;
    let choices = workload::plan::Choices { login: Some(Login::Basic), ..office.choices(effort, CLIENTS, &[PATH]) };
    let driver = || -> Result<f64> {
        let done = workload::run(&Plan::new(choices.clone())?)?;
        ensure!(done.errors == 0 && done.transactions > 0, "the load did not go well: {done}");
        Ok(done.transactions_per_second)
    };
    let url = format!("{}{PATH}", office.server.https_url()?);
    let measured = interleave(
        effort.rounds,
        vec![Cell::new(DRIVER, driver), Cell::new(WRK, || wrk(&url, effort.rest.as_secs().max(1)))],
    )?;
    let ratio = measured.ratio(DRIVER, WRK);
    report.add(Bar::figure("rate of the load driver, against wrk's").ratio(&measured, DRIVER, WRK, "/s"));
    report.add(Bar::at_most(APART, 1.1).value(ratio.max(1.0 / ratio), "x"));
    Ok(())
}

/// Requests a second.
fn wrk(url: &str, seconds: u64) -> Result<f64> {
    let header = format!("Authorization: Basic {}", credentials());
    // A program is scheduled as the thread that starts it, and this one goes on to start servers.
    let start = || {
        batch::enter();
        Command::new("wrk")
            .args(["--threads", "1", "--connections", &CLIENTS.to_string()])
            .args(["--duration", &format!("{seconds}s"), "--header", &header, url])
            .output()
    };
    let output = std::thread::scope(|scope| scope.spawn(start).join()).map_err(|_| anyhow!("the thread panicked"))?;
    let output = output.context("wrk is not installed (Debian: wrk)")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && !text.contains("Non-2xx"),
        "wrk: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rate = text.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:"));
    rate.context("wrk says no rate")?.trim().parse().context("a rate is a number")
}

fn credentials() -> String {
    crate::admin::base64(&format!("admin:{}", system_tests::server::ADMIN_PASSWORD))
}
