//! `runmqsc` and `mqsc`: MQSC commands, sent one by one to the running server, through its socket or over REST.

use std::fs::File;
use std::io::{BufRead, BufReader, Write, stdin};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use command::mqsc::is_verb;
use command::{Counts, SourceCommand, echo, is_end, session_footer, session_header, split, verify};
use model::definition::attribute::Membership;
use model::name::QueueManagerName;
use serde_json::json;

use super::Location;
use super::exit_code::{COMMAND_FAILED, UNREACHABLE, USAGE};
use super::failure::Failure;
use super::mqsc_door::MqscDoor;
use super::remote::Remote;
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Outcome, Request};
use crate::data_directory::DataDirectory;

#[derive(Debug, Args)]
pub(super) struct RunmqscArguments {
    /// Do not echo the commands.
    #[arg(short = 'e')]
    no_echo: bool,
    /// Check only the syntax. Needs no server.
    #[arg(short = 'v')]
    verify: bool,
    /// Run the commands on another queue manager of the same server, and wait at most this many seconds for each
    /// answer.
    #[arg(short = 'w', value_name = "SECONDS")]
    wait: Option<u32>,
    /// The other queue manager is on z/OS.
    #[arg(short = 'x', requires = "wait")]
    z_os: bool,
    /// Local queue manager for -w; it must run.
    #[arg(short = 'm', value_name = "QM", requires = "wait")]
    through: Option<String>,
    /// Connect as an MQ client (not supported).
    #[arg(short = 'c')]
    client: bool,
    /// User for the login with --url.
    #[arg(short = 'u', value_name = "USER")]
    user: Option<String>,
    /// Work on a client channel definition table (not supported).
    #[arg(short = 'n')]
    no_connection: bool,
    /// Read commands from a file.
    #[arg(short = 'f', value_name = "FILE")]
    file: Option<PathBuf>,
    /// Accepted for compatibility: the command does not reconnect.
    #[arg(short = 'r')]
    reconnect: bool,
    /// Queue manager [default: the server's first].
    #[arg(value_name = "QM")]
    queue_manager: Option<String>,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

#[derive(Debug, Args)]
pub(super) struct MqscArguments {
    /// Queue manager [default: the server's first], then the command. `help` lists all commands, `help WORD` those that
    /// begin with WORD.
    #[arg(required = true, num_args = 1.., value_name = "[QM] COMMAND")]
    words: Vec<String>,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

/// Whatever keeps the commands from running is exit code 20, as IBM's.
pub(super) fn runmqsc(arguments: &RunmqscArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    session(arguments, out).map_err(|failure| failure.with_code(UNREACHABLE))
}

fn session(arguments: &RunmqscArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    arguments.refuse_connections()?;
    let name = arguments.queue_manager.as_deref().unwrap_or_default();
    let door = if arguments.verify { None } else { Some(arguments.door(name)?) };
    let shown = door.as_ref().map_or(name, MqscDoor::queue_manager).to_owned();
    let mut session = Session { door, echo: !arguments.no_echo, counts: Counts::default(), number: 0 };
    let input: Box<dyn BufRead> = match &arguments.file {
        Some(file) => {
            let open = File::open(file);
            Box::new(BufReader::new(
                open.map_err(|e| Failure::new(UNREACHABLE, format!("cannot open {}: {e}", file.display())))?,
            ))
        }
        None => Box::new(stdin().lock()),
    };
    write_lines(out, &session_header(&shown))?;
    session.run(input, out)?;
    write_lines(out, &session_footer(&session.counts))?;
    out.flush()?;
    Ok(ExitCode::from(session.counts.exit_code()))
}

impl RunmqscArguments {
    /// What needs channels.
    fn refuse_connections(&self) -> Result<(), Failure> {
        let remote = self.remote.is_given();
        let refused = [
            (self.z_os, "-x: this queue manager is not on z/OS"),
            (self.client && !remote, "-c: a client connection can be made only once there are channels; use --url"),
            (self.user.is_some() && !remote, "-u: the socket serves its owner; with --url a user signs in"),
            (self.no_connection, "-n: there is no client channel definition table"),
            (self.wait.is_some() && remote, "-w: with --url the server waits for no other"),
        ];
        match refused.into_iter().find(|(given, _)| *given) {
            Some((_, sentence)) => Err(Failure::new(UNREACHABLE, sentence)),
            None => Ok(()),
        }
    }

    /// With `-w`, `-m` has to run and the queue manager to be one of the same server: between them nothing is needed.
    fn door(&self, name: &str) -> Result<MqscDoor, Failure> {
        if self.remote.is_given() {
            return MqscDoor::rest(&self.remote, self.user.as_deref(), name);
        }
        let directory = self.location.directory();
        if let Some(through) = &self.through {
            connect(&directory, through)?;
        }
        MqscDoor::socket(&directory, name, self.wait)
    }
}

/// One runmqsc session: commands in, answers out, until the end of input or END.
struct Session {
    /// None when only the syntax is checked.
    door: Option<MqscDoor>,
    echo: bool,
    counts: Counts,
    number: usize,
}

impl Session {
    /// Works line by line, so that a program at the other end of a pipe gets each answer before its next command.
    fn run(&mut self, mut input: Box<dyn BufRead>, out: &mut dyn Write) -> Result<(), Failure> {
        let mut pending = String::new();
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let ended = input.read_until(b'\n', &mut bytes)? == 0;
            let line = String::from_utf8_lossy(&bytes);
            pending.push_str(line.trim_end_matches(['\n', '\r']));
            pending.push('\n');
            if !ended && goes_on(&line, &pending) {
                continue;
            }
            for command in split(&std::mem::take(&mut pending)) {
                if is_end(&command.text) {
                    self.show(&command, out)?;
                    return Ok(());
                }
                self.one(&command, out)?;
            }
            out.flush()?;
            if ended {
                return Ok(());
            }
        }
    }

    fn show(&mut self, command: &SourceCommand, out: &mut dyn Write) -> Result<(), Failure> {
        self.number += 1;
        if self.echo { write_lines(out, &echo(command, self.number)) } else { Ok(()) }
    }

    fn one(&mut self, command: &SourceCommand, out: &mut dyn Write) -> Result<(), Failure> {
        self.show(command, out)?;
        let Some(door) = &mut self.door else {
            let answer = verify(&command.text);
            self.counts.count(answer.outcome);
            return write_lines(out, &answer.lines);
        };
        let (lines, outcome) = door.run(&command.text)?;
        self.counts.count(match outcome {
            Outcome::Succeeded => command::Outcome::Succeeded,
            Outcome::SyntaxError => command::Outcome::SyntaxError,
            Outcome::Failed => command::Outcome::Failed,
        });
        write_lines(out, &lines)
    }
}

/// Whether a command is still incomplete after `line`: a continuation, or a comment within one.
fn goes_on(line: &str, pending: &str) -> bool {
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('*');
    let last = if is_comment(line) { pending.lines().rev().find(|line| !is_comment(line)) } else { Some(line) };
    last.is_some_and(|line| line.trim_end().ends_with(['+', '-'])) || (is_comment(line) && last.is_none())
}

pub(super) fn mqsc(arguments: &MqscArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    if let [help, rest @ ..] = arguments.words.as_slice()
        && help == "help"
    {
        return print_help(rest.first().map_or("", String::as_str), arguments.json, out);
    }
    let (name, text) = name_and_command(&arguments.words)?;
    let mut door = match arguments.remote.is_given() {
        true => MqscDoor::rest(&arguments.remote, None, name)?,
        false => MqscDoor::socket(&arguments.location.directory(), name, None)?,
    };
    let outcome = if arguments.json {
        let (mut answer, outcome) = door.run_json(text)?;
        answer.insert("queueManager".to_owned(), json!(door.queue_manager()));
        answer.insert("outcome".to_owned(), json!(outcome));
        writeln!(out, "{}", serde_json::Value::Object(answer))?;
        outcome
    } else {
        let (lines, outcome) = door.run(text)?;
        write_lines(out, &lines)?;
        outcome
    };
    out.flush()?;
    Ok(ExitCode::from(if outcome == Outcome::Succeeded { 0 } else { COMMAND_FAILED }))
}

/// A command is one argument. The verb distinguishes words that a shell has split from a queue manager's name.
fn name_and_command(words: &[String]) -> Result<(&str, &str), Failure> {
    let is_split = words.len() > 1 && is_verb(&words[0]) && !words[1].split_whitespace().next().is_some_and(is_verb);
    match words {
        [text] => Ok(("", text)),
        [name, text] if !is_split => Ok((name, text)),
        [name, rest @ ..] => {
            let (name, words) = if is_verb(name) { (String::new(), words) } else { (format!("{name} "), rest) };
            let sentence =
                format!("the command must be one argument, in quotes: quaymaster mqsc {name}\"{}\"", words.join(" "));
            Err(Failure::new(USAGE, sentence))
        }
        [] => Err(Failure::new(USAGE, "a command is expected")),
    }
}

/// What every command is for, of those that begin so. Needs no server.
fn print_help(beginning: &str, json: bool, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let beginning = beginning.trim().to_ascii_uppercase();
    let mut found: Vec<_> = command::mqsc::help::help();
    found.retain(|known| known.command.starts_with(&beginning));
    if found.is_empty() {
        return Err(Failure::new(2, format!("no command begins with {beginning}")));
    }
    if json {
        let commands: Vec<_> = found
            .iter()
            .map(|known| {
                json!({
                    "command": known.command,
                    "shortForms": known.synonyms,
                    "parameters": known.parameters,
                    "inGroup": known.of_members,
                    "groupOnly": known.membership == Membership::Member,
                    "help": known.sentence,
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::from(commands))?;
    } else {
        for known in &found {
            writeln!(out, "{}\n    {}", format!("{} {}", known.command, known.parameters).trim_end(), known.sentence)?;
            let place = if known.membership == Membership::Member { "Only in" } else { "In" };
            writeln!(out, "    {place} a queue-sharing group: {}", known.of_members)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A connection to the server that hosts `name` (blank: its first queue manager), and that queue manager's name.
///
/// # Errors
/// AMQ8118E when there is no such queue manager, AMQ8146E when it does not run; both with exit code 20.
pub(super) fn connect(directory: &DataDirectory, name: &str) -> Result<(Client, String), Failure> {
    let parsed = QueueManagerName::parse(name).map_err(|error| Failure::of(USAGE, &error))?;
    let unknown = || {
        let place = directory.root().display();
        Failure::new(UNREACHABLE, format!("AMQ8118E: Queue manager {name} does not exist in {place}."))
    };
    let mut client = match Client::connect(directory.root()) {
        Ok(client) => client,
        Err(ClientError::NoServer { .. }) => {
            if !parsed.is_blank() && !directory.exists(&parsed) {
                return Err(unknown());
            }
            let place = directory.root().display();
            let sentence = format!("AMQ8146E: Queue manager {name} is not available: no server is running on {place}.");
            return Err(Failure::new(UNREACHABLE, sentence.replace("manager  is", "manager is")));
        }
        Err(error) => return Err(error.into()),
    };
    let Answer::Status(status) = client.ask(&Request::Status, &[])?.0 else {
        return Err(ClientError::Unexpected.into());
    };
    let hosted = match parsed.is_blank() {
        true => status.queue_managers.iter().find(|known| known.is_default),
        false => status.queue_managers.iter().find(|known| known.name == parsed.as_str()),
    };
    match hosted {
        Some(hosted) if hosted.is_running() => Ok((client, hosted.name.clone())),
        Some(hosted) => {
            let state = hosted.state().map_or_else(String::new, |state| format!(": {}", state.text().to_lowercase()));
            let why = hosted.problem.as_ref().map_or_else(String::new, |problem| format!(" Reason: {problem}."));
            let sentence = format!("AMQ8146E: Queue manager {} is not available{state}.{why}", hosted.name);
            Err(Failure::new(UNREACHABLE, sentence))
        }
        None => Err(unknown()),
    }
}

pub(super) fn write_lines(out: &mut dyn Write, lines: &[String]) -> Result<(), Failure> {
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
