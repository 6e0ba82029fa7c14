//! A program that puts persistent messages of 1 KiB at one member, and gets each at another one by its correlation identifier or in order.

use anyhow::{Context, Result, ensure};
use system_tests::http;

use super::Pace;
use crate::group::clients::{connect, correlation, rest};
use crate::group::history::{REPLY, WORK};
use crate::group::site::Site;
use workload::measure::now;

/// One pair in two takes its own message, the others take what comes first.
pub(super) fn work(site: &Site, number: u32, pace: &Pace) -> Result<()> {
    let members = site.members();
    let mut connections: Vec<http::Client> = Vec::new();
    for offset in 0..2 {
        let member = &members[(number as usize + offset) % members.len()];
        connections.push(member.doors().and_then(connect).with_context(|| format!("{} answers", member.name))?);
    }
    let [putter, getter] = &mut connections[..] else { anyhow::bail!("two connections") };
    let (queue, is_own) = if number.is_multiple_of(2) { (REPLY, true) } else { (WORK, false) };
    let body = ".".repeat(1024);
    let mut next = now();
    for round in 1_u64.. {
        if pace.is_over() {
            break;
        }
        std::thread::sleep(next.saturating_duration_since(now()));
        next = pace.next(next);
        let id = correlation(u64::from(number) << 40 | round);
        let put = putter.ask("POST", &rest::path(queue, ""), &rest::headers_of_put(&id), body.as_bytes())?;
        ensure!(put.status == 201, "put: {} {}", put.status, put.text());
        let query = if is_own { format!("?correlationId={id}&wait=30000") } else { "?wait=30000".to_owned() };
        let got = getter.ask("DELETE", &rest::path(queue, &query), rest::TOKEN, b"")?;
        ensure!(got.status == 200 && got.body.len() == body.len(), "get: {} {}", got.status, got.text());
        pace.count();
    }
    Ok(())
}
