//! Transactions that each have a process of their own: started, told the plan, waited for.
//!
//! The response time is that of the whole: starting the process, connecting, the transaction, its end.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::Shared;
use super::client::Done;
use super::tally::Tally;
use super::worker::{Event, Order, one_client};
use crate::client::ClientError;
use crate::error::WorkloadError;
use crate::ledger::Verdict;
use crate::plan::{Choices, Plan, Span};

/// What a process may take beside its transaction.
const START_LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct Elsewhere {
    program: PathBuf,
    /// The order of every process, in a line.
    order: Vec<u8>,
    limit: Duration,
}

impl Elsewhere {
    /// # Errors
    /// A plan that cannot be written down.
    pub(crate) fn new(plan: &Plan, program: &Path, through: Option<SocketAddr>) -> Result<Self, WorkloadError> {
        if plan.drain {
            return Err(WorkloadError::Plan { key: "drain", problem: "cannot stand beside processes".to_owned() });
        }
        let choices = Choices {
            requests: Some(1),
            warmup: Some(Span(Duration::ZERO)),
            duration: Some(Span(START_LIMIT)),
            ..one_client(plan)
        };
        let order = Order { choices, through, once: true };
        let limit = START_LIMIT * 2;
        Ok(Self { program: program.to_owned(), order: order.line()?, limit })
    }

    async fn carry_out(&self) -> Result<Event, ClientError> {
        let failed = |source: std::io::Error| ClientError::Worker(source.to_string());
        let mut child = Command::new(&self.program)
            .args(["workload", "run", "--worker"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let work = async {
            if let Some(mut input) = child.stdin.take() {
                input.write_all(&self.order).await?;
            }
            child.wait_with_output().await
        };
        let output = tokio::time::timeout(self.limit, work)
            .await
            .map_err(|_| ClientError::TimedOut { seconds: self.limit.as_secs() })?
            .map_err(failed)?;
        let last = output.stdout.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).unwrap_or_default();
        serde_json::from_slice(last).map_err(|_| ClientError::Worker(format!("it ended with {}", output.status)))
    }
}

/// One transaction, and the bytes that it received.
pub(super) async fn transaction(elsewhere: &Elsewhere, shared: &Shared) -> Result<(Done, u64), ClientError> {
    let event = match elsewhere.carry_out().await {
        Ok(event) => event,
        Err(error) => {
            // Whatever it had put is known to nobody.
            shared.add_verdict(Verdict { unknown_puts: 1, ..Verdict::default() });
            return Err(error);
        }
    };
    match event {
        Event::Result { tally, verdict } => {
            shared.add_verdict(verdict);
            let tally = Tally::from(tally);
            match (tally.first_error, tally.times.count()) {
                (Some(error), _) => Err(ClientError::Worker(error)),
                (None, 0) => Ok((Done::Empty, tally.received)),
                (None, _) => Ok((Done::Full, tally.received)),
            }
        }
        Event::Failed { problem } => Err(ClientError::Worker(problem)),
        Event::Ready | Event::Done | Event::Rested => Err(ClientError::Worker("it said too little".to_owned())),
    }
}
