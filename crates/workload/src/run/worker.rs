//! A process of the driver that has one client: told what to do on standard input, telling what came of it on standard
//! output, a JSON object a line.
//!
//! It is started by another process of the driver only; when that is gone, standard input ends, and this process with it.

use std::io::{BufRead, Write};
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::control::Phase;
use super::crew::{Crew, Threads};
use super::tally::Written;
use super::{Shared, settle};
use crate::error::WorkloadError;
use crate::ledger::Verdict;
use crate::plan::{Choices, Plan, Span};

/// How often a worker whose transactions are counted looks for another command.
const LOOK: Duration = Duration::from_millis(20);

/// Longest wait for one transaction.
const LONGEST: Duration = Duration::from_secs(3600);

/// The first line: what to do.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Order {
    pub(crate) choices: Choices,
    /// Connect to this address instead.
    pub(crate) through: Option<SocketAddr>,
    /// Carry out what the choices say without waiting for commands.
    pub(crate) once: bool,
}

/// Every further line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Command {
    WarmUp { tickets: Option<u64> },
    Measure { tickets: Option<u64> },
    Rest,
    Stop,
}

/// What a worker says.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Event {
    Ready,
    Failed {
        problem: String,
    },
    /// The transactions of a phase with tickets have ended.
    Done,
    Rested,
    Result {
        tally: Written,
        verdict: Verdict,
    },
}

impl Order {
    /// # Errors
    /// Never, unless a path of the plan is no text.
    pub(crate) fn line(&self) -> Result<Vec<u8>, WorkloadError> {
        line(self).map_err(|error| WorkloadError::Thread(error.into()))
    }
}

/// An object in a line.
pub(crate) fn line(object: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(object)?;
    line.push(b'\n');
    Ok(line)
}

/// The choices of a plan for one client in a process of its own.
pub(crate) fn one_client(plan: &Plan) -> Choices {
    Choices {
        clients: Some(1),
        threads: Some(1),
        processes: None,
        repetitions: None,
        latency: None,
        rate: None,
        warmup_requests: None,
        warmup_steady: None,
        requests: None,
        driver: None,
        warmup: Some(Span(Duration::ZERO)),
        pid: Default::default(),
        group: Default::default(),
        ..plan.choices.clone()
    }
}

/// Serves one order from standard input.
///
/// # Errors
/// Standard input holds no order, or standard output is closed: nobody is there to tell.
pub(crate) fn serve() -> Result<(), WorkloadError> {
    let mut lines = std::io::stdin().lock().lines();
    let first = lines.next().transpose().map_err(WorkloadError::Thread)?.unwrap_or_default();
    let order: Order = serde_json::from_str(&first).map_err(|error| WorkloadError::Thread(error.into()))?;
    drop(lines);
    match work(order) {
        Err(error) => say(&Event::Failed { problem: model::causes::chain(&error) }),
        Ok(()) => Ok(()),
    }
}

fn work(order: Order) -> Result<(), WorkloadError> {
    let plan = Plan::new(order.choices)?;
    let shared = Arc::new(Shared::new(&plan, order.through)?);
    let mut crew = Crew::Threads(Threads::start(&plan, &shared, order.through)?);
    match order.once {
        true => {
            crew.begin(Phase::Measuring, Some(1))?;
            // Its own limits end the one transaction.
            crew.wait(LONGEST);
        }
        false => obey(&mut crew)?,
    }
    let (mut tally, _) = crew.finish()?;
    let emptied = settle::settle(&plan, &shared, order.through, &mut tally);
    say(&Event::Result { tally: tally.written(), verdict: shared.ledger.verdict(emptied) })
}

/// Carries out commands until it is stopped, or its driver has ended.
fn obey(crew: &mut Crew) -> Result<(), WorkloadError> {
    let commands = commands()?;
    say(&Event::Ready)?;
    let mut counting = false;
    loop {
        let command = match counting {
            true if crew.wait(LOOK) => {
                counting = false;
                say(&Event::Done)?;
                continue;
            }
            true => match commands.try_recv() {
                Ok(command) => command,
                Err(mpsc::TryRecvError::Empty) => continue,
                Err(mpsc::TryRecvError::Disconnected) => return Ok(()),
            },
            false => match commands.recv() {
                Ok(command) => command,
                Err(_) => return Ok(()),
            },
        };
        match command {
            Command::WarmUp { tickets } => {
                counting = tickets.is_some();
                crew.begin(Phase::WarmingUp, tickets)?;
            }
            Command::Measure { tickets } => {
                counting = tickets.is_some();
                crew.begin(Phase::Measuring, tickets)?;
            }
            Command::Rest => {
                counting = false;
                crew.rest()?;
                say(&Event::Rested)?;
            }
            Command::Stop => return Ok(()),
        }
    }
}

/// Commands from standard input; closed when it ends or says something else.
fn commands() -> Result<mpsc::Receiver<Command>, WorkloadError> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        for line in std::io::stdin().lock().lines() {
            let command = line.ok().and_then(|line| serde_json::from_str(&line).ok());
            let Some(command) = command else { return };
            if sender.send(command).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("commands".to_owned()).spawn(read).map_err(WorkloadError::Thread)?;
    Ok(receiver)
}

fn say(event: &Event) -> Result<(), WorkloadError> {
    let line = line(event).map_err(|error| WorkloadError::Thread(error.into()))?;
    let mut output = std::io::stdout().lock();
    output.write_all(&line).and_then(|()| output.flush()).map_err(WorkloadError::Thread)
}
