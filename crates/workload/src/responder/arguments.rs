//! The options of `workload responder` that are about its replies.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::WorkloadError;
use crate::plan::Span;
use crate::responder::Answer;
use crate::responder::program::{ProgramPlan, Start};
use crate::responder::records::{LONGEST, Records};

/// Bytes of a reply that is filler, unless `--response-size` says otherwise.
const FILLER_BYTES: usize = 1024;

/// Where replies come from.
#[derive(Debug, Clone, clap::Args)]
pub struct ProgramArguments {
    /// Length of filler replies in bytes [default: 1024].
    #[arg(long, value_name = "N", conflicts_with = "program")]
    pub response_size: Option<usize>,
    /// Program that makes the replies: requests are records of its standard input, replies are records of its standard
    /// output.
    ///
    /// Each connection has one process, started with the responder. It reads until end of file and answers each request
    /// before it reads the next. A request is got, and its reply put, in one unit of work. The request is backed out if
    /// the program ends without a reply, ends abnormally or takes too long. After BOTHRESH back-outs it is moved to the
    /// BOQNAME of its queue or to the dead-letter queue.
    ///
    /// In COBOL use ORGANIZATION IS SEQUENTIAL files assigned to "/dev/stdin" and "/dev/stdout". GnuCOBOL writes files
    /// ASSIGNed TO DISPLAY, and LINE SEQUENTIAL files, only when the program ends: such a program needs '--start
    /// request'.
    #[arg(long, value_name = "PATH", verbatim_doc_comment)]
    pub program: Option<PathBuf>,
    /// Argument of the program; may be repeated.
    #[arg(long, value_name = "ARGUMENT", requires = "program", allow_hyphen_values = true)]
    pub program_argument: Vec<OsString>,
    /// When the program is started: once for each connection, or for each request (for a program that answers one
    /// request and ends) [default: once].
    #[arg(long, value_enum, value_name = "WHEN", requires = "program")]
    pub start: Option<Start>,
    /// Length of a request's record in bytes with '--records fixed'; a request of another length is refused.
    #[arg(long, value_name = "N", requires = "program")]
    pub request_length: Option<usize>,
    /// Length of a reply's record in bytes, required with '--records fixed'.
    #[arg(long, value_name = "N", requires = "program")]
    pub reply_length: Option<usize>,
    /// Format of the records [default: fixed].
    #[arg(long, value_enum, value_name = "FORM", requires = "program")]
    pub records: Option<RecordForm>,
    /// Time limit of the program for a reply [default: 30s].
    #[arg(long, value_name = "TIME", requires = "program")]
    pub program_timeout: Option<Span>,
}

/// `Records` without its lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RecordForm {
    /// Records of one length, without separators.
    Fixed,
    /// Each record after its length: two bytes, high byte first, and two zero bytes (RECORD IS VARYING of GnuCOBOL).
    Variable,
    /// Each record ended by a line feed (LINE SEQUENTIAL).
    Line,
}

impl ProgramArguments {
    /// # Errors
    /// Fixed records without a length, or lengths where there are none.
    pub fn answer(&self) -> Result<Answer, WorkloadError> {
        let Some(path) = &self.program else {
            return Ok(Answer::Filler(self.response_size.unwrap_or(FILLER_BYTES)));
        };
        Ok(Answer::Program(ProgramPlan {
            path: path.clone(),
            arguments: self.program_argument.clone(),
            start: self.start.unwrap_or(Start::Once),
            records: self.form()?,
            time_limit: self.program_timeout.map_or(std::time::Duration::from_secs(30), |span| span.0),
        }))
    }

    fn form(&self) -> Result<Records, WorkloadError> {
        let bad = |key, problem: &str| WorkloadError::Plan { key, problem: problem.to_owned() };
        let no_length = |records| match (self.request_length, self.reply_length) {
            (None, None) => Ok(records),
            (Some(_), _) => Err(bad("request-length", "only fixed records have one")),
            (None, Some(_)) => Err(bad("reply-length", "only fixed records have one")),
        };
        match self.records.unwrap_or(RecordForm::Fixed) {
            RecordForm::Variable => no_length(Records::Variable),
            RecordForm::Line => no_length(Records::Line),
            RecordForm::Fixed => {
                let reply_length = self.reply_length.ok_or_else(|| {
                    bad("reply-length", "how many bytes has a reply of the program? 'copybook layout' tells")
                })?;
                if reply_length == 0 || reply_length > LONGEST || self.request_length == Some(0) {
                    return Err(bad("reply-length", "records have 1 to 104857600 bytes"));
                }
                Ok(Records::Fixed { request_length: self.request_length, reply_length })
            }
        }
    }
}
