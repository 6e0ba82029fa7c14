//! A program that answers requests: started here, handed each request on its standard input, asked for the reply on its
//! standard output. Its standard error is the responder's.
//!
//! With `Start::Once` it reads record after record until end of file, and answers each before it reads the next; one that
//! ends well is started again for the next request. With `Start::Request` it runs for one request: end of file follows the
//! record, and the reply counts once the program has ended well.
//!
//! Invariants
//! - A reply is believed only when it is exactly one record. A program that wrote more, died, ended badly or took too long is
//!   given up, and the next request has a fresh one: never is a reply taken for that of another request.
//! - A record reaches a pipe in one piece, as runtimes take a short read for a short record.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::records::{RecordError, Records};

/// Default capacity of a pipe on Linux, in bytes.
const PIPE_CAPACITY: usize = 64 << 10;
/// Room for one read of a program's output.
const READ_BYTES: usize = 8 << 10;
/// How long a program may take to end after its input has ended.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Which program, and its records.
#[derive(Debug, Clone)]
pub struct ProgramPlan {
    pub path: PathBuf,
    pub arguments: Vec<OsString>,
    pub start: Start,
    pub records: Records,
    /// From the request to the reply.
    pub time_limit: Duration,
}

/// When a program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Start {
    /// One process for each connection, which reads requests until end of file.
    Once,
    /// A new process for each request.
    Request,
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("cannot start {program}: {source}")]
    Start {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("{program}: {source}")]
    Record {
        program: String,
        #[source]
        source: RecordError,
    },
    #[error("{program}: a pipe cannot hold a record of {length} bytes: {source}")]
    Pipe {
        program: String,
        length: usize,
        #[source]
        source: io::Error,
    },
    #[error("cannot exchange data with {program}: {source}")]
    Talk {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("{program} ended with {status} after {written} bytes of a reply")]
    Ended { program: String, status: ExitStatus, written: usize },
    #[error("{program} replied, but ended with {status}")]
    EndedBadly { program: String, status: ExitStatus },
    #[error("{program} wrote {written} bytes more than one reply")]
    TooMuch { program: String, written: usize },
    #[error("{program} took longer than {seconds} s")]
    TimedOut { program: String, seconds: f64 },
}

pub struct Program {
    plan: ProgramPlan,
    running: Option<Running>,
}

/// A process, killed when it is dropped.
struct Running {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// Of `input`, in bytes.
    capacity: usize,
    /// What was read and is no reply yet.
    written: BytesMut,
    /// It has answered before.
    used: bool,
}

impl Program {
    /// Starts it, so that a program that is not there is known before the first request.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(plan: ProgramPlan) -> Result<Self, ProgramError> {
        let running = Running::start(&plan)?;
        Ok(Self { plan, running: Some(running) })
    }

    /// The process that runs now; after a failure there is none until the next request.
    pub fn pid(&self) -> Option<u32> {
        self.running.as_ref()?.child.id()
    }

    /// The reply to one request.
    ///
    /// # Errors
    /// There is no valid reply; the program has been ended.
    pub async fn answer(&mut self, request: &[u8]) -> Result<Bytes, ProgramError> {
        let record = self.plan.records.frame(request).map_err(|source| self.bad_record(source))?;
        // Dropped, and with it ended, unless all goes well.
        let (mut running, fresh) = match self.running.take() {
            Some(running) => (running, false),
            None => (Running::start(&self.plan)?, true),
        };
        running.make_room(&record).map_err(|source| ProgramError::Pipe {
            program: self.name(),
            length: record.len(),
            source,
        })?;
        let limit = self.plan.time_limit;
        let answer = match self.plan.start {
            Start::Once => tokio::time::timeout(limit, self.next_reply(running, record, fresh)).await,
            Start::Request => tokio::time::timeout(limit, self.only_reply(running, record)).await,
        };
        let timed_out = |_| ProgramError::TimedOut { program: self.name(), seconds: limit.as_secs_f64() };
        let (reply, running) = answer.map_err(timed_out)??;
        self.running = running;
        Ok(reply)
    }

    /// Ends its input and waits a little for it to end.
    pub async fn finish(&mut self) {
        if let Some(Running { mut child, input, output, .. }) = self.running.take() {
            drop((input, output));
            // One that does not end by itself is killed as its handle is dropped.
            let _ = tokio::time::timeout(END_LIMIT, child.wait()).await;
        }
    }

    async fn next_reply(
        &self,
        mut running: Running,
        record: Bytes,
        mut fresh: bool,
    ) -> Result<(Bytes, Option<Running>), ProgramError> {
        loop {
            let excess = running.excess();
            if excess > 0 {
                return Err(ProgramError::TooMuch { program: self.name(), written: excess });
            }
            let (sent, reply) = {
                let Running { input, output, written, .. } = &mut running;
                tokio::join!(input.write_all(&record), read_record(self.plan.records, output, written))
            };
            if let Some(reply) = reply.map_err(|error| self.read_error(error))? {
                sent.map_err(|source| self.talk_error(source))?;
                running.used = true;
                return Ok((reply, Some(running)));
            }
            let status = running.child.wait().await.map_err(|source| self.talk_error(source))?;
            // One that answers a single request has ended between two; it did not see this one.
            let again = !fresh && running.used && status.success() && running.written.is_empty();
            if !again {
                return Err(ProgramError::Ended { program: self.name(), status, written: running.written.len() });
            }
            running = Running::start(&self.plan)?;
            running.make_room(&record).map_err(|source| self.talk_error(source))?;
            fresh = true;
        }
    }

    async fn only_reply(&self, running: Running, record: Bytes) -> Result<(Bytes, Option<Running>), ProgramError> {
        let Running { mut child, mut input, mut output, mut written, .. } = running;
        let send = async move { input.write_all(&record).await };
        let read = async {
            let reply = read_record(self.plan.records, &mut output, &mut written).await?;
            let excess = written.len() + drained(&mut output).await?;
            Ok::<_, ReadError>((reply, excess))
        };
        // A program may reply without having read everything.
        let (_, read) = tokio::join!(send, read);
        let (reply, excess) = read.map_err(|error| self.read_error(error))?;
        let status = child.wait().await.map_err(|source| self.talk_error(source))?;
        match reply {
            None => Err(ProgramError::Ended { program: self.name(), status, written: excess }),
            Some(_) if !status.success() => Err(ProgramError::EndedBadly { program: self.name(), status }),
            Some(_) if excess > 0 => Err(ProgramError::TooMuch { program: self.name(), written: excess }),
            Some(reply) => Ok((reply, None)),
        }
    }

    fn name(&self) -> String {
        self.plan.path.display().to_string()
    }

    fn bad_record(&self, source: RecordError) -> ProgramError {
        ProgramError::Record { program: self.name(), source }
    }

    fn talk_error(&self, source: io::Error) -> ProgramError {
        ProgramError::Talk { program: self.name(), source }
    }

    fn read_error(&self, error: ReadError) -> ProgramError {
        match error {
            ReadError::Record(source) => self.bad_record(source),
            ReadError::Read(source) => self.talk_error(source),
        }
    }
}

impl Running {
    fn start(plan: &ProgramPlan) -> Result<Self, ProgramError> {
        let failed = |source| ProgramError::Start { program: plan.path.display().to_string(), source };
        let mut command = Command::new(&plan.path);
        command.args(&plan.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        Ok(Self { child, input, output, capacity: PIPE_CAPACITY, written: BytesMut::new(), used: false })
    }

    /// Makes the pipe large enough for the whole record.
    fn make_room(&mut self, record: &[u8]) -> io::Result<()> {
        if record.len() > self.capacity {
            rustix::pipe::fcntl_setpipe_size(&self.input, record.len())?;
            self.capacity = record.len();
        }
        Ok(())
    }

    /// Unrequested bytes from the program, as far as they have arrived.
    fn excess(&mut self) -> usize {
        let mut more = std::pin::pin!(self.output.read_buf(&mut self.written));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        // Nothing there, end of file and errors show when the reply is read.
        let _ = more.as_mut().poll(&mut context);
        self.written.len()
    }
}

enum ReadError {
    Record(RecordError),
    Read(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

/// `None` at end of file.
async fn read_record(
    records: Records,
    output: &mut ChildStdout,
    written: &mut BytesMut,
) -> Result<Option<Bytes>, ReadError> {
    loop {
        if let Some(reply) = records.take(written).map_err(ReadError::Record)? {
            return Ok(Some(reply));
        }
        written.reserve(READ_BYTES);
        if output.read_buf(written).await? == 0 {
            return Ok(None);
        }
    }
}

/// Reads to the end of file; how many bytes there were.
async fn drained(output: &mut ChildStdout) -> io::Result<usize> {
    let mut bytes = 0;
    let mut buffer = [0; 4096];
    loop {
        match output.read(&mut buffer).await? {
            0 => return Ok(bytes),
            more => bytes += more,
        }
    }
}

#[cfg(test)]
mod tests;
