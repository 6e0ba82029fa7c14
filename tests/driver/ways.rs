//! Every way in which a client may come to the server, with exact counts and a clean ledger.

use anyhow::{Context, Result, ensure};

use super::{Bench, well};

#[test]
fn clients_that_are_processes_share_the_number_of_transactions() -> Result<()> {
    let bench = Bench::start()?;
    let users = [
        "--scenario",
        "put-get",
        "--processes",
        "user",
        "--clients",
        "3",
        "--requests",
        "50",
        "--warmup-requests",
        "7",
    ];
    let result = well(bench.by_url(&users)?)?;
    ensure!(result["transactions"] == 50 && result["verdict"]["answered_puts"] == 57, "{result:#}");
    ensure!(result["verdict"]["lost"] == 0 && result["plan"]["processes"] == "user", "{result:#}");
    let requests =
        ["--scenario", "put-get", "--processes", "request", "--clients", "2", "--requests", "6", "--warmup", "0s"];
    let result = well(bench.by_url(&requests)?)?;
    ensure!(
        result["transactions"] == 6 && result["verdict"]["got"] == 6 && result["verdict"]["lost"] == 0,
        "{result:#}"
    );
    ensure!(result["response_time"]["p50_us"].as_f64() > Some(0.0), "{result:#}");
    let driver = &result["processes"][0];
    ensure!(
        driver["counts"].as_str().is_some_and(|counts| counts.ends_with("its children that have ended")),
        "{driver}"
    );
    Ok(())
}

#[test]
fn a_channels_client_may_connect_or_open_for_each_transaction() -> Result<()> {
    let bench = Bench::start()?;
    for way in [&["--connect", "every"][..], &["--open", "every"], &[], &["--connect", "every", "--latency", "4ms"]] {
        let usual = ["--scenario", "put-get", "--clients", "3", "--requests", "40", "--warmup", "0s"];
        let result = well(bench.by_channel(&[&usual[..], way].concat())?)?;
        ensure!(result["transactions"] == 40 && result["verdict"]["lost"] == 0, "{way:?}: {result:#}");
        ensure!(result["received_bytes_per_transaction"] == 1024.0, "{way:?}: {result:#}");
        if way.contains(&"--latency") {
            let median = result["response_time"]["p50_us"].as_f64().context("a median")?;
            // TCP, four flows of connecting at least, two opens, put, get, two closes, disconnect.
            ensure!(median > 32_000.0, "{result:#}");
        }
    }
    Ok(())
}

#[test]
fn requests_go_over_kept_or_new_connections_with_one_login_or_many() -> Result<()> {
    let bench = Bench::start()?;
    for way in [
        &["--connection", "new", "--tls-resumption", "false", "--login", "every"][..],
        &["--connection", "transaction", "--login", "basic"],
        &["--login", "every", "--latency", "4ms"],
    ] {
        let usual = ["--scenario", "put-get", "--clients", "2", "--requests", "10", "--warmup", "0s"];
        let result = well(bench.by_url(&[&usual[..], way].concat())?)?;
        ensure!(result["transactions"] == 10 && result["verdict"]["lost"] == 0, "{way:?}: {result:#}");
    }
    Ok(())
}

#[test]
fn administrators_get_and_patch_with_a_token_fetched_before_each() -> Result<()> {
    let bench = Bench::start()?;
    let usual = ["--scenario", "administration", "--clients", "2", "--requests", "8", "--warmup", "0s"];
    let inquiry = ["--path", "/ibmmq/rest/v1/admin/installation", "--path", "/ibmmq/rest/v1/admin/qmgr/QM1?status=*"];
    let result = well(bench.by_url(&[&usual[..], &inquiry].concat())?)?;
    ensure!(
        result["transactions"] == 8 && result["received_bytes_per_transaction"].as_f64() > Some(100.0),
        "{result:#}"
    );
    let change = [
        "--login",
        "basic",
        "--csrf",
        "every",
        "--patch-path",
        "/ibmmq/rest/v1/qmgr/QM1/queue/DEV.QUEUE.{client}",
        "--patch-body",
        r#"{"type":"local","storage":{"maximumDepth":{n}}}"#,
    ];
    // There is no queue for client 0, whose changes fail.
    let mut run = bench.by_url(&[&usual[..], &change].concat())?;
    let result = super::result(&run.output()?)?;
    let (well, failed) = (result["transactions"].as_u64(), result["errors"].as_u64());
    ensure!(well > Some(0) && failed > Some(0) && well.zip(failed).map(|(a, b)| a + b) == Some(8), "{result:#}");
    ensure!(result["first_error"].as_str().is_some_and(|error| error.contains("404")), "{result:#}");
    Ok(())
}

#[test]
fn requests_with_no_room_for_an_identifier_are_known_by_their_replies() -> Result<()> {
    let bench = Bench::start()?;
    let _responder = bench.responder(&["--response-size", "1024"])?;
    let usual =
        ["--scenario", "request-reply", "--clients", "3", "--requests", "30", "--warmup", "0s", "--request-size", "10"];
    for run in [bench.by_url(&usual)?, bench.by_channel(&[&usual[..], &["--connect", "every"]].concat())?] {
        let result = well(run)?;
        ensure!(result["transactions"] == 30 && result["verdict"]["got"] == 30, "{result:#}");
        ensure!(result["received_bytes_per_transaction"] == 1024.0, "{result:#}");
    }
    Ok(())
}

#[test]
fn requests_that_nobody_answers_are_left_and_not_lost_through_either_door() -> Result<()> {
    let bench = Bench::start()?;
    let usual = ["--scenario", "request-reply", "--clients", "3", "--requests", "6", "--warmup", "0s"];
    for mut run in [
        bench.by_url(&usual)?,
        bench.by_channel(&usual)?,
        bench.by_channel(&[&usual[..], &["--connect", "every"]].concat())?,
    ] {
        let output = run.output()?;
        let result = super::result(&output)?;
        ensure!(output.status.success() && result["judgement"] == "clean", "{result:#}");
        ensure!(result["transactions"] == 0 && result["empty"] == 6 && result["errors"] == 0, "{result:#}");
        ensure!(result["verdict"]["left"] == 6 && result["verdict"]["lost"] == 0, "{result:#}");
    }
    Ok(())
}
