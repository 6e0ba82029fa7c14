//! A pool of client programs, each a process that calls an API on order: COBOL programs with a communication stub.
//!
//! A program reads records of 16 bytes from its standard input and writes a record of 40 bytes to its standard output for each,
//! as `examples/api-requester` does:
//!
//! ```text
//! order   offset  width  content                         answer  offset  width  content
//!              0      8  count_in, decimal digits                     0      2  return code of the stub
//!              8      8  count_out                                    3      6  status code
//!                                                                    10     10  recv_size of the response
//!                                                                    21      9  send_size
//!                                                                    31      6  entries
//!                                                                    38      1  Y when first and last entry are right
//!                                                                    39      1  line feed; blanks between the fields
//! ```
//!
//! Programs are never shared by two clients at a time. A client that finds none idle waits, which counts as response time.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::client::ClientError;
use crate::responder::program::{Program, ProgramError, ProgramPlan, Start};
use crate::responder::records::Records;

pub(crate) const ORDER_BYTES: usize = 16;
pub(crate) const ANSWER_BYTES: usize = 40;
/// Highest number of an order.
const MOST: u64 = 99_999_999;

/// Which program, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolOptions {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// Processes of all threads together.
    pub processes: u32,
    /// How long one call may take.
    pub answer_limit: Duration,
}

/// The processes of one thread's clients.
pub(crate) struct Pool {
    plan: ProgramPlan,
    most: usize,
    idle: Mutex<Vec<Program>>,
    /// One for each idle program.
    free: Semaphore,
    /// Of the programs as they were started.
    pids: Mutex<Vec<u32>>,
}

/// What a program says about one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallOutcome {
    pub(crate) return_code: u32,
    pub(crate) status_code: u64,
    pub(crate) received: u64,
    pub(crate) sent: u64,
    pub(crate) entries: u64,
    pub(crate) is_right: bool,
}

impl Pool {
    pub(crate) fn new(options: &PoolOptions, processes: usize) -> Self {
        let plan = ProgramPlan {
            path: options.path.clone(),
            arguments: options.arguments.iter().map(Into::into).collect(),
            start: Start::Once,
            records: Records::Fixed { request_length: Some(ORDER_BYTES), reply_length: ANSWER_BYTES },
            time_limit: options.answer_limit,
        };
        let (idle, free) = (Mutex::default(), Semaphore::new(0));
        Self { plan, most: processes.max(1), idle, free, pids: Mutex::default() }
    }

    /// Starts one process more, unless there are enough. Needs a runtime that can wait for processes.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn grow(&self) -> Result<(), ProgramError> {
        let mut pids = self.pids.lock().unwrap_or_else(PoisonError::into_inner);
        if pids.len() < self.most {
            let program = Program::start(self.plan.clone())?;
            pids.extend(program.pid());
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(program);
            self.free.add_permits(1);
        }
        Ok(())
    }

    pub(crate) fn pids(&self) -> Vec<u32> {
        self.pids.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells an idle program to call with these counts.
    ///
    /// # Errors
    /// The program gave no answer that can be believed; it is another one the next time.
    pub(crate) async fn call(&self, count_in: u64, count_out: u64) -> Result<CallOutcome, ClientError> {
        let order = order(count_in, count_out);
        // Never closed.
        let Ok(permit) = self.free.acquire().await else { return Err(ClientError::NotConnected) };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(mut program) = idle else { return Err(ClientError::NotConnected) };
        let answer = program.answer(&order).await;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(program);
        drop(permit);
        CallOutcome::parse(&answer?).ok_or(ClientError::WrongReply)
    }

    /// Ends the idle programs' input and waits a little for them to end.
    pub(crate) async fn finish(&self) {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut program) = idle else { return };
            program.finish().await;
        }
    }
}

fn order(count_in: u64, count_out: u64) -> [u8; ORDER_BYTES] {
    let mut order = [0; ORDER_BYTES];
    let (left, right) = order.split_at_mut(ORDER_BYTES / 2);
    digits(count_in.min(MOST), left);
    digits(count_out.min(MOST), right);
    order
}

fn digits(mut number: u64, into: &mut [u8]) {
    for digit in into.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

impl CallOutcome {
    /// `None` when it is no such record.
    fn parse(answer: &[u8]) -> Option<Self> {
        let number = |from: usize, width: usize| {
            let text = std::str::from_utf8(answer.get(from..from + width)?).ok()?;
            text.parse::<u64>().ok()
        };
        if answer.len() != ANSWER_BYTES || answer.last() != Some(&b'\n') {
            return None;
        }
        Some(Self {
            return_code: u32::try_from(number(0, 2)?).ok()?,
            status_code: number(3, 6)?,
            received: number(10, 10)?,
            sent: number(21, 9)?,
            entries: number(31, 6)?,
            is_right: answer[38] == b'Y',
        })
    }
}

/// One client of the pool of its thread.
pub(crate) struct ProgramClient {
    pool: Arc<Pool>,
}

impl ProgramClient {
    pub(crate) fn new(pool: Arc<Pool>) -> Self {
        Self { pool }
    }

    pub(crate) fn ready(&self) -> Result<(), ClientError> {
        Ok(self.pool.grow()?)
    }

    /// As `Pool::call`; what the stub or the API refused is an error too.
    pub(crate) async fn call(&self, count_in: u64, count_out: u64) -> Result<CallOutcome, ClientError> {
        let outcome = self.pool.call(count_in, count_out).await?;
        let CallOutcome { return_code, status_code, .. } = outcome;
        if return_code != 0 {
            return Err(ClientError::Call { return_code, status_code });
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests;
