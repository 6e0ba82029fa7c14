//! Reconnection, as the event handler of a program is told of it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::{House, text};

const EXPECTED: &str = "\
MQCB 0 0
event 2544 completion 1 delay 50 area events
call within 2 2219
event 2545 completion 0 delay 0 area events
call within 2 2219
MQINQ 0 0
MQCTL 0 0
told of reconnecting 1
MQPUT 0 0
delivered 1
MQCB 0 0
event 2544 completion 1 delay 50 area events
call within 2 2219
event 2548 completion 2 delay 0 area events
call within 2 2219
MQINQ 2 2548
";

#[test]
fn an_event_handler_is_told_of_reconnection_within_calls_and_deliveries_and_may_give_up() -> Result<()> {
    let mut house = House::new()?;
    let settings = house.folder.path().join("mqclient.ini");
    crate::client::write(&settings, "CHANNELS:\n  ReconDelay=(50,0)\n")?;
    let mut command = house.command(&house.compile("reconnect")?)?;
    command.env("MQCLNTCF", &settings).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn()?;
    let mut go_on = program.stdin.take().context("a pipe")?;
    let mut told = String::new();
    for line in BufReader::new(program.stdout.take().context("a pipe")?).lines() {
        let line = line?;
        if line == "ready" {
            house = house.killed_and_started()?;
            writeln!(go_on, "go")?;
        } else {
            told += &line;
            told.push('\n');
        }
    }
    let ended = program.wait_with_output()?;
    ensure!(ended.status.success() && ended.stderr.is_empty(), "{told}{}", text(&ended.stderr));
    assert_eq!(told, EXPECTED);
    Ok(())
}
