//! The experiments on messaging as users run them: every cell is measured, and what is counted is what has to come out.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{ensure_nothing_is_left, run, said};

/// The experiment as JSON, after a run of one repetition that left nothing behind.
pub(super) fn experiment(name: &str) -> Result<Value> {
    experiment_with(name, &[])
}

/// The same with further arguments.
pub(super) fn experiment_with(name: &str, arguments: &[&str]) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let (work, out) = (folder.path().join("work"), folder.path().join("out"));
    std::fs::create_dir(&work)?;
    let run = &mut run(&[name, "--format", "json", "--repetitions", "1"], &work, &out);
    let output = run.args(arguments).output()?;
    ensure!(output.status.success(), "{}", said(&output));
    let mut json: Value = serde_json::from_slice(&output.stdout)?;
    ensure_nothing_is_left(&work)?;
    let experiment = json["experiments"][0].take();
    ensure!(experiment["failed"].is_null(), "{experiment:#}");
    Ok(experiment)
}

pub(super) fn table<'a>(experiment: &'a Value, id: &str) -> Result<&'a Vec<Value>> {
    let tables = experiment["tables"].as_array().context("tables")?;
    let table = tables.iter().find(|table| table["id"] == id).with_context(|| format!("table {id}"))?;
    table["rows"].as_array().context("rows")
}

/// Every cell of these rows has a figure, and no request failed for it.
pub(super) fn ensure_measured(rows: &[Value], columns: usize) -> Result<()> {
    for row in rows {
        let cells = row["cells"].as_array().context("cells")?;
        ensure!(cells.len() == columns, "{row:#}");
        for cell in cells.iter().filter(|cell| cell["state"] != "not-applicable") {
            ensure!(cell["measured"]["median"].is_number(), "{row:#}");
            ensure!(!cell["note"].as_str().is_some_and(|note| note.contains("failed")), "{row:#}");
        }
    }
    Ok(())
}

#[test]
fn pooled_connections_leave_no_accounting_records_and_others_one_for_each_request() -> Result<()> {
    let pooling = experiment("pooling")?;
    let costs = table(&pooling, "messaging-reuse-cost")?;
    ensure_measured(costs, 2)?;
    ensure!(costs.len() == 4 && costs[0]["cells"][0]["published"]["text"] == "15201", "{costs:#?}");
    ensure!(costs[3]["cells"][0]["published"]["text"] == "chart only", "{}", costs[3]);
    ensure_measured(table(&pooling, "messaging-reuse-savings")?, 7)?;
    let records = table(&pooling, "messaging-accounting")?;
    ensure_measured(records, 1)?;
    let count = |row: usize| records[row]["cells"][0]["measured"]["median"].as_f64().context("a count");
    ensure!(count(0)? >= 1000.0, "every request of 1000 connects: {records:#?}");
    ensure!(count(1)? < 20.0, "{records:#?}");
    Ok(())
}

#[test]
fn every_configuration_of_the_comparison_is_measured() -> Result<()> {
    let messaging = experiment("messaging")?;
    let costs = table(&messaging, "messaging-costs")?;
    ensure!(costs.len() == 12, "{costs:#?}");
    ensure_measured(costs, 6)?;
    let published = table(&messaging, "messaging-configurations")?;
    ensure_measured(published, 4)?;
    ensure!(published[0]["cells"][1]["published"]["text"] == "474", "{}", published[0]);
    // The document's MQ client is compared with one that uses its cipher.
    let old = costs.iter().find(|row| row["name"].as_str().is_some_and(|name| name.ends_with("the published cipher")));
    let old = &old.context("the published cipher")?["cells"][0]["measured"]["median"];
    ensure!(published[0]["cells"][0]["measured"]["median"] == *old, "{old} is not in {}", published[0]);
    ensure_measured(table(&messaging, "messaging-latency")?, 3)?;
    ensure_measured(table(&messaging, "messaging-users")?, 2)?;
    let far = &table(&messaging, "messaging-latency")?[0]["cells"][2]["measured"]["median"];
    ensure!(far.as_f64() > Some(200.0), "an MQ client that connects over 50 ms needs several round trips: {far}");
    Ok(())
}
