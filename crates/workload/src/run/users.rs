//! One process of the driver for each client, as users with a program each have it.
//!
//! A process that dies or stays silent costs an error and leaves what it put unknown; nobody waits for it for ever.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::runtime::Runtime;

use super::control::Phase;
use super::runtime;
use super::tally::Tally;
use super::worker::{Command, Event, Order, line, one_client};
use crate::client::ClientError;
use crate::error::WorkloadError;
use crate::ledger::Verdict;
use crate::plan::{Choices, Plan};

/// Longest wait for all processes to be connected and logged in.
const START_LIMIT: Duration = Duration::from_secs(120);
/// Longest wait for what is under way to end, and for the results: longer than any process takes by its own limits.
const END_LIMIT: Duration = Duration::from_secs(180);

pub(super) struct Users {
    runtime: Runtime,
    members: Vec<Member>,
}

/// A process; it is killed with this value.
struct Member {
    number: u32,
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Its transactions of the phase have ended.
    done: bool,
    /// It says nothing any more.
    gone: bool,
}

impl Users {
    /// Returns when every process is connected and logged in; the first that cannot ends the run.
    pub(super) fn start(plan: &Plan, program: &Path, through: Option<SocketAddr>) -> Result<Self, WorkloadError> {
        if plan.drain {
            return Err(WorkloadError::Plan { key: "drain", problem: "cannot stand beside processes".to_owned() });
        }
        let runtime = runtime()?;
        let members = runtime.block_on(async {
            let mut members = Vec::new();
            for number in 0..plan.clients {
                let seed = Some(plan.seed ^ u64::from(number));
                let order = Order { choices: Choices { seed, ..one_client(plan) }, through, once: false };
                members.push(Member::start(number, program, &order).await?);
            }
            tokio::time::timeout(START_LIMIT, async {
                for member in &mut members {
                    member.become_ready().await?;
                }
                Ok(())
            })
            .await
            .unwrap_or(Err(failed(0, ClientError::TimedOut { seconds: START_LIMIT.as_secs() })))?;
            Ok::<_, WorkloadError>(members)
        })?;
        Ok(Self { runtime, members })
    }

    pub(super) fn pids(&self) -> Vec<u32> {
        self.members.iter().filter_map(|member| member.child.id()).collect()
    }

    /// Tickets are shared out evenly.
    pub(super) fn begin(&mut self, phase: Phase, tickets: Option<u64>) -> Result<(), WorkloadError> {
        let count = self.members.len() as u64;
        for (number, member) in (0..).zip(&mut self.members) {
            let own = tickets.map(|tickets| tickets / count + u64::from(number < tickets % count));
            // Nothing to do is done.
            member.done = own == Some(0);
            let command = match phase {
                Phase::WarmingUp => Command::WarmUp { tickets: own },
                Phase::Measuring => Command::Measure { tickets: own },
                Phase::Starting | Phase::Resting => Command::Rest,
                Phase::Stopping => Command::Stop,
            };
            if !member.done {
                self.runtime.block_on(member.tell(command));
            }
        }
        Ok(())
    }

    pub(super) fn wait(&mut self, limit: Duration) -> bool {
        let members = &mut self.members;
        let all_done = async {
            for member in members {
                while !member.done && !member.gone {
                    member.done = matches!(member.listen().await, Some(Event::Done));
                }
            }
        };
        self.runtime.block_on(async { tokio::time::timeout(limit, all_done).await.is_ok() })
    }

    pub(super) fn rest(&mut self) -> Result<(), WorkloadError> {
        let members = &mut self.members;
        let all_rest = async {
            for member in members.iter_mut() {
                member.tell(Command::Rest).await;
            }
            for member in members {
                while !member.gone && !matches!(member.listen().await, Some(Event::Rested)) {}
            }
        };
        self.runtime.block_on(async { tokio::time::timeout(END_LIMIT, all_rest).await }).map_err(|_| {
            failed(0, ClientError::Worker(format!("it did not come to rest within {} s", END_LIMIT.as_secs())))
        })
    }

    pub(super) fn finish(self) -> Result<(Tally, Option<Verdict>), WorkloadError> {
        let Self { runtime, mut members } = self;
        let (mut tally, mut verdict) = (Tally::default(), None);
        runtime.block_on(async {
            for member in &mut members {
                member.tell(Command::Stop).await;
            }
            let end = tokio::time::Instant::now() + END_LIMIT;
            for member in &mut members {
                let result = tokio::time::timeout_at(end, member.result()).await.ok().flatten();
                let (own, judged) = result.unwrap_or_else(|| {
                    let error = ClientError::Worker(format!("the process of user {} is gone", member.number));
                    let lost = Tally { errors: 1, first_error: Some(error.chain()), ..Tally::default() };
                    (lost, Verdict { unknown_puts: 1, ..Verdict::default() })
                });
                tally.add(own);
                verdict = Some(Verdict::merged(verdict.take(), judged));
            }
        });
        Ok((tally, verdict))
    }
}

impl Member {
    async fn start(number: u32, program: &Path, order: &Order) -> Result<Self, WorkloadError> {
        let trouble = |source: std::io::Error| failed(number, ClientError::Worker(source.to_string()));
        let mut child = tokio::process::Command::new(program)
            .args(["workload", "run", "--worker"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(trouble)?;
        let no_pipe = || failed(number, ClientError::NotConnected);
        let mut input = child.stdin.take().ok_or_else(no_pipe)?;
        let lines = BufReader::new(child.stdout.take().ok_or_else(no_pipe)?).lines();
        input.write_all(&order.line()?).await.map_err(trouble)?;
        Ok(Self { number, child, input, lines, done: false, gone: false })
    }

    async fn become_ready(&mut self) -> Result<(), WorkloadError> {
        let problem = match self.listen().await {
            Some(Event::Ready) => return Ok(()),
            Some(Event::Failed { problem }) => problem,
            _ => "it ended before it was ready".to_owned(),
        };
        Err(failed(self.number, ClientError::Worker(problem)))
    }

    /// One that cannot be told is gone, which shows when it is listened to.
    async fn tell(&mut self, command: Command) {
        let Ok(line) = line(&command) else { return };
        if self.input.write_all(&line).await.is_err() {
            self.gone = true;
        }
    }

    /// `None`: it is gone. Dropping the future loses nothing.
    async fn listen(&mut self) -> Option<Event> {
        let event = match self.lines.next_line().await {
            Ok(Some(line)) => serde_json::from_str(&line).ok(),
            _ => None,
        };
        self.gone = event.is_none();
        event
    }

    async fn result(&mut self) -> Option<(Tally, Verdict)> {
        loop {
            match self.listen().await? {
                Event::Result { tally, verdict } => return Some((tally.into(), verdict)),
                Event::Failed { .. } => return None,
                Event::Ready | Event::Done | Event::Rested => {}
            }
        }
    }
}

fn failed(client: u32, source: ClientError) -> WorkloadError {
    WorkloadError::Start { client, source }
}
