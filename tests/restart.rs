//! What a start finds and a stop leaves: persistent messages, one server to a directory, the ready file, exit codes.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use system_tests::server::{Server, ServerOptions, StartingServer};

use crate::client::{block_on, client, get_all, put};

const QUEUE: &str = "DEV.QUEUE.3";

#[test]
fn persistent_messages_outlive_a_stop_in_their_order_and_nonpersistent_ones_do_not() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    block_on(async {
        let mut lasting = client(&server, QUEUE, true)?;
        let mut passing = client(&server, QUEUE, false)?;
        for number in 0..20 {
            put(&mut lasting, &format!("persistent {number}")).await?;
            put(&mut passing, &format!("nonpersistent {number}")).await?;
        }
        anyhow::Ok(())
    })?;
    let (status, said) = server.terminate()?;
    ensure!(status.code() == Some(0), "{status}: {said}");
    let server = Server::start_on(data.path())?;
    let found = block_on(get_all(&mut client(&server, QUEUE, true)?))?;
    let expected: Vec<_> = (0..20).map(|number| format!("persistent {number}")).collect();
    assert_eq!(found, expected);
    Ok(())
}

#[test]
fn a_message_got_before_a_kill_is_not_there_after_it() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    block_on(async {
        let mut app = client(&server, QUEUE, true)?;
        put(&mut app, "first").await?;
        put(&mut app, "second").await?;
        let got = app.get(None, None).await?.context("a message is there")?;
        assert_eq!(got.body, "first");
        anyhow::Ok(())
    })?;
    server.kill();
    let server = Server::start_on(data.path())?;
    assert_eq!(block_on(get_all(&mut client(&server, QUEUE, true)?))?, ["second"]);
    Ok(())
}

#[test]
fn the_ready_file_holds_the_ready_line() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("ready");
    let options = ServerOptions::on(&folder.path().join("data"))
        .with("--ready-file")
        .with(file.to_str().context("a temporary folder has a UTF-8 name")?);
    let server = Server::start(&options)?;
    assert_eq!(std::fs::read_to_string(&file)?.trim_end(), server.ready.line);
    let line: serde_json::Value = serde_json::from_str(&server.ready.line)?;
    assert_eq!(line["queueManagers"], serde_json::json!(["QM1"]));
    assert_eq!(line["mq"], serde_json::Value::Null);
    Ok(())
}

#[test]
fn a_second_server_on_the_same_directory_is_refused_and_the_first_goes_on() -> Result<()> {
    let data = tempfile::tempdir()?;
    let first = Server::start_on(data.path())?;
    let (status, said) = StartingServer::spawn(&ServerOptions::on(data.path()))?.outcome()?;
    assert_eq!(status.code(), Some(1), "{said}");
    let directory = data.path().to_str().context("a temporary folder has a UTF-8 name")?;
    assert!(said.contains(directory), "the message names the directory: {said}");
    block_on(async {
        let mut app = client(&first, QUEUE, true)?;
        put(&mut app, "still here").await?;
        assert_eq!(get_all(&mut app).await?, ["still here"]);
        anyhow::Ok(())
    })
}

#[test]
fn a_killed_server_leaves_no_lock_behind() -> Result<()> {
    let data = tempfile::tempdir()?;
    for _ in 0..3 {
        Server::start_on(data.path())?.kill();
    }
    Server::start_on(data.path()).map(drop)
}

#[test]
fn a_stop_ends_waiting_gets_without_taking_their_message() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut waiting = client(&server, QUEUE, true)?;
    let mut app = client(&server, QUEUE, true)?;
    // Connected and past its first request: what follows is in the server's hands.
    block_on(get_all(&mut app))?;
    let waiter = std::thread::spawn(move || block_on(waiting.get(None, Some(Duration::from_secs(250)))));
    // The gauge of waiting gets shows that the request has arrived.
    wait_for_waiter(&server)?;
    let (status, said) = server.terminate()?;
    assert_eq!(status.code(), Some(0), "{said}");
    let result = waiter.join().map_err(|_| anyhow::anyhow!("the waiter panicked"))?;
    assert!(!matches!(result, Ok(Some(_))), "there was no message to get: {result:?}");
    let server = Server::start_on(data.path())?;
    block_on(async {
        let mut app = client(&server, QUEUE, true)?;
        put(&mut app, "for anybody").await?;
        assert_eq!(get_all(&mut app).await?, ["for anybody"]);
        anyhow::Ok(())
    })
}

/// Watches the metrics until some get waits on some queue.
fn wait_for_waiter(server: &Server) -> Result<()> {
    let ready: serde_json::Value = serde_json::from_str(&server.ready.line)?;
    let address = ready["metrics"].as_str().context("the ready line names the metrics")?;
    for _ in 0..30_000 {
        let text = crate::client::fetch(address, "/metrics")?;
        let waits = |line: &str| line.starts_with("quaymaster_queue_waiters{") && !line.ends_with(" 0");
        if text.lines().any(waits) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    anyhow::bail!("no get was seen waiting")
}
