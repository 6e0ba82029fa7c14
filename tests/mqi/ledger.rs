//! Nothing that a cut connection answered is lost, and nothing comes twice: the program `ledger.c` puts, gets and judges.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::reach::{Pace, Reach, rounds};
use super::{House, succeeded};

/// Of one round.
const MESSAGES: usize = 300;
const PACE: Pace = Pace { gaps_ms: 1..=120, most: usize::MAX };

/// Its word for how the program gets over a loss.
fn is_kept(reach: Reach, way: &str) -> Result<()> {
    let house = House::reached(reach)?;
    let mut command = house.command(&house.compile("ledger")?)?;
    command.args([way, &(rounds()? * MESSAGES).to_string()]);
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut go_on = program.stdin.take().context("a pipe")?;
    let mut lines = BufReader::new(program.stdout.take().context("a pipe")?).lines();
    let (line, cut) = house.cutter()?.during(&PACE, |_| Ok(()), || lines.next().transpose())?;
    if line?.as_deref() == Some("drain") {
        writeln!(go_on, "go")?;
    }
    drop(go_on);
    let told = lines.collect::<std::io::Result<Vec<String>>>()?.concat();
    let ended = program.wait_with_output()?;
    eprintln!("mqi: {way} {reach:?}, {cut} connections cut: {told}");
    succeeded(&ended).with_context(|| told)?;
    ensure!(cut > 0, "nothing was cut");
    Ok(())
}

#[test]
fn the_library_reconnects_and_nothing_answered_is_lost_or_comes_twice() -> Result<()> {
    is_kept(Reach::Cut, "reconnect")
}

#[test]
fn through_tls_the_library_reconnects_and_nothing_answered_is_lost_or_comes_twice() -> Result<()> {
    is_kept(Reach::CutTls, "reconnect")
}

#[test]
fn a_program_that_connects_again_itself_finds_nothing_answered_lost_or_twice() -> Result<()> {
    is_kept(Reach::Cut, "again")
}

#[test]
fn a_function_that_is_called_with_messages_finds_nothing_answered_lost_or_twice() -> Result<()> {
    is_kept(Reach::Cut, "callback")
}
