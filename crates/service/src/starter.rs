//! The first files of a service, made from the copybooks of its requests and replies: source, program, queues, test data, scripts.
//!
//! Reads the copybooks and writes nothing: the caller has a folder for the files. What is made is the reader's own from then on;
//! nothing reads it but the tools that its scripts name.
//!
//! Invariants
//! - Every value that a file holds in an unquoted place was checked by [`Wanted::check`], and names of files by [`check_file`].
//! - The test data is encoded by the plan that the service itself uses.

mod program;
mod records;
mod sample;
mod texts;

use std::collections::BTreeMap;
use std::path::PathBuf;

use copybook::Compiler;
use model::name::QueueName;

pub use records::record_names;

use crate::archive::ArchiveError;

/// What the files are made from.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Of the service, its API and its folder.
    pub name: String,
    pub request: PathBuf,
    pub response: PathBuf,
    /// Needed where a copybook has several records.
    pub request_record: Option<String>,
    pub response_record: Option<String>,
    /// Of the program that answers.
    pub compiler: Compiler,
    /// First part of the names of its queues.
    pub queues: String,
    /// The program's, on the queue manager.
    pub user: String,
    pub wait_interval_ms: u32,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarterFile {
    pub name: String,
    pub content: Vec<u8>,
    pub is_executable: bool,
}

/// Why there are no files, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum StarterError {
    #[error("the name '{name}' cannot be used: letters, digits, '-' and '_', at most 32, the first a letter")]
    Name { name: String },
    #[error("the queues cannot begin with '{queues}': {problem}; use at most 40 letters, digits, '.', '_' or '/'")]
    Queues { queues: String, problem: String },
    #[error("the user '{user}' cannot be used: letters, digits, '.', '-' and '_', at most 64")]
    User { user: String },
    #[error("the file name '{file}' of a copybook cannot be used: {problem}")]
    File { file: String, problem: &'static str },
    #[error("{file} has the records {}; name the one of the {direction} with --{direction}-record", records.join(", "))]
    SeveralRecords { file: String, records: Vec<String>, direction: &'static str },
    #[error("{first} and {second} have one file name and different texts; rename one of them")]
    SameFile { first: String, second: String },
    #[error(transparent)]
    Copybook(#[from] ArchiveError),
}

impl Wanted {
    /// # Errors
    /// A name that no queue, file or path can have.
    pub fn check(&self) -> Result<(), StarterError> {
        let is_word = |text: &str, most: usize, others: &str| {
            text.len() <= most
                && text.starts_with(|first: char| first.is_ascii_alphanumeric())
                && text.chars().all(|one| one.is_ascii_alphanumeric() || others.contains(one))
        };
        if !is_word(&self.name, 32, "-_") || !self.name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return Err(StarterError::Name { name: self.name.clone() });
        }
        if !is_word(&self.user, 64, ".-_") {
            return Err(StarterError::User { user: self.user.clone() });
        }
        let refused = |problem: String| StarterError::Queues { queues: self.queues.clone(), problem };
        if !is_word(&self.queues, 40, "._/%") {
            return Err(refused("it is no begin of a queue's name".to_owned()));
        }
        QueueName::parse(&self.queue("REQUEST")).map_err(|error| refused(error.to_string()))?;
        Ok(())
    }

    /// A queue of the service: REQUEST, REPLY or ASIDE.
    fn queue(&self, last: &str) -> String {
        format!("{}.{last}", self.queues)
    }

    /// A program runs beside the server. One of z/OS runs there.
    fn is_local(&self) -> bool {
        self.compiler != Compiler::Enterprise
    }
}

/// A name for a service whose requests are in this file: `LOANREQ.cpy` gives `loan`.
pub fn name_of(request: &std::path::Path) -> String {
    let stem = request.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let endings = ["-request", "_request", "request", "-req", "_req", "req", "-rq", "_rq", "rq", "-in", "_in"];
    let short = endings.iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(&stem);
    let name: String = if short.is_empty() { stem.as_str() } else { short }
        .chars()
        .map(|one| if one.is_ascii_alphanumeric() || one == '_' { one } else { '-' })
        .take(32)
        .collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { "service".to_owned() }
}

/// # Errors
/// A name that a COPY statement in one line, or a source in YAML, cannot have.
fn check_file(file: &str) -> Result<(), StarterError> {
    let is_allowed = |one: char| one.is_ascii_alphanumeric() || " .-_$@#".contains(one);
    let is_name = file.len() <= 40 && file.trim() == file && !file.is_empty() && file.chars().all(is_allowed);
    if is_name {
        return Ok(());
    }
    let problem = "use at most 40 letters, digits, ' ', '.', '-', '_', '$', '@' or '#', no blank first or last";
    Err(StarterError::File { file: file.to_owned(), problem })
}

/// Makes the files, the scripts last.
///
/// # Errors
/// A name or a copybook that cannot be used.
pub fn make(wanted: &Wanted) -> Result<Vec<StarterFile>, StarterError> {
    wanted.check()?;
    let records = records::read(wanted)?;
    let mut files = BTreeMap::new();
    let mut add = |name: &str, content: Vec<u8>| match files.insert(name.to_owned(), content) {
        None => Ok(()),
        Some(_) => Err(StarterError::File { file: name.to_owned(), problem: "another file of the service has it" }),
    };
    for (name, text) in &records.copybooks {
        add(name, text.clone().into_bytes())?;
    }
    add("service.yaml", texts::service(wanted, &records).into_bytes())?;
    add("api.yaml", texts::api(wanted).into_bytes())?;
    add("queues.mqsc", texts::queues(wanted).into_bytes())?;
    let samples = sample::of(&records)?;
    add("request.json", format!("{}\n", samples.typical).into_bytes())?;
    add("requests.jsonl", samples.lines.into_bytes())?;
    add("requests.dat", samples.records)?;
    if wanted.is_local() {
        add(&format!("{}.cbl", program::name(wanted, &records)), program::text(wanted, &records).into_bytes())?;
        add("stop.sh", texts::stop(wanted).into_bytes())?;
    }
    add("start.sh", texts::start(wanted, &records).into_bytes())?;
    let file = |(name, content): (String, Vec<u8>)| StarterFile { is_executable: name.ends_with(".sh"), name, content };
    Ok(files.into_iter().map(file).collect())
}

#[cfg(test)]
mod tests;
