//! `runmqsc` and `mqsc`: MQSC commands, sent one by one to the running server.

use std::fs::File;
use std::io::{BufRead, BufReader, Write, stdin};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use command::{Counts, SourceCommand, echo, is_end, session_footer, session_header, split, verify};
use model::name::QueueManagerName;
use serde_json::json;

use super::Location;
use super::failure::{COULD_NOT_RUN, Failure};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Outcome, Request};
use crate::data_directory::DataDirectory;

#[derive(Debug, Args)]
pub(super) struct RunmqscArguments {
    /// Do not echo the commands.
    #[arg(short = 'e')]
    no_echo: bool,
    /// Check the syntax only; needs no server.
    #[arg(short = 'v')]
    verify: bool,
    /// Run on another queue manager, waiting this long for answers.
    #[arg(short = 'w', value_name = "SECONDS")]
    wait: Option<u32>,
    /// The other queue manager is on z/OS.
    #[arg(short = 'x', requires = "wait")]
    z_os: bool,
    /// Queue manager through which to reach the other one.
    #[arg(short = 'm', value_name = "QM")]
    through: Option<String>,
    /// Connect as an MQ client.
    #[arg(short = 'c')]
    client: bool,
    /// User to connect as.
    #[arg(short = 'u', value_name = "USER")]
    user: Option<String>,
    /// Work on a client channel definition table.
    #[arg(short = 'n')]
    no_connection: bool,
    /// Read commands from a file.
    #[arg(short = 'f', value_name = "FILE")]
    file: Option<PathBuf>,
    /// Accepted for compatibility: a lost connection is not made again.
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
    /// Queue manager [default: the server's first], then the command.
    #[arg(required = true, num_args = 1..=2, value_name = "[QM] COMMAND")]
    words: Vec<String>,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

/// Administration over HTTPS; refused until there is an administration API.
#[derive(Debug, Clone, Args)]
pub(super) struct Remote {
    /// Server to reach over HTTPS instead of the socket in the data directory.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// User to sign in as.
    #[arg(long, value_name = "NAME")]
    #[arg(id = "rest_user", requires = "url")]
    user: Option<String>,
    /// PEM file of the certificate to trust.
    #[arg(long, value_name = "FILE", requires = "url")]
    cacert: Option<PathBuf>,
}

impl Remote {
    /// # Errors
    /// A server was named by URL.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        let given = self.url.is_some() || self.user.is_some() || self.cacert.is_some();
        let sentence = "--url: this server has no administration REST API yet; \
                        run the command on the server's machine, with --data";
        if given { Err(Failure::new(COULD_NOT_RUN, sentence)) } else { Ok(()) }
    }
}

pub(super) fn runmqsc(arguments: &RunmqscArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    arguments.remote.refuse()?;
    arguments.refuse_connections()?;
    let directory = arguments.location.directory();
    let name = arguments.queue_manager.as_deref().unwrap_or_default();
    let mut session = Session {
        client: None,
        queue_manager: arguments.queue_manager.clone(),
        echo: !arguments.no_echo,
        counts: Counts::default(),
        number: 0,
    };
    let shown = if arguments.verify {
        name.to_owned()
    } else {
        let (client, name) = connect(&directory, name)?;
        session.client = Some(client);
        session.queue_manager = Some(name.clone());
        name
    };
    let input: Box<dyn BufRead> = match &arguments.file {
        Some(file) => {
            let open = File::open(file);
            Box::new(BufReader::new(
                open.map_err(|e| Failure::new(COULD_NOT_RUN, format!("cannot open {}: {e}", file.display())))?,
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
    /// What needs channels between queue managers.
    fn refuse_connections(&self) -> Result<(), Failure> {
        let refused = [
            (self.wait.is_some() || self.z_os, "-w: another queue manager can be reached only once there are channels"),
            (self.through.is_some(), "-m: another queue manager can be reached only once there are channels"),
            (self.client || self.user.is_some(), "-c: a client connection can be made only once there are channels"),
            (self.no_connection, "-n: there is no client channel definition table"),
        ];
        match refused.into_iter().find(|(given, _)| *given) {
            Some((_, sentence)) => Err(Failure::new(COULD_NOT_RUN, sentence)),
            None => Ok(()),
        }
    }
}

/// One runmqsc session: commands in, answers out, until the end of input or END.
struct Session {
    /// None when only the syntax is checked.
    client: Option<Client>,
    queue_manager: Option<String>,
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
        let Some(client) = &mut self.client else {
            let answer = verify(&command.text);
            self.counts.count(answer.outcome);
            return write_lines(out, &answer.lines);
        };
        let (lines, outcome) = run_one(client, self.queue_manager.clone(), &command.text)?;
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
    arguments.remote.refuse()?;
    let (name, text) = match arguments.words.as_slice() {
        [name, text] => (name.as_str(), text),
        [text] => ("", text),
        _ => return Err(Failure::new(2, "one command is expected")),
    };
    let (mut client, name) = connect(&arguments.location.directory(), name)?;
    let (lines, outcome) = run_one(&mut client, Some(name.clone()), text)?;
    if arguments.json {
        let answer = json!({ "queueManager": name, "outcome": outcome, "lines": lines });
        writeln!(out, "{answer}")?;
    } else {
        write_lines(out, &lines)?;
    }
    out.flush()?;
    Ok(ExitCode::from(if outcome == Outcome::Succeeded { 0 } else { 10 }))
}

fn run_one(client: &mut Client, queue_manager: Option<String>, text: &str) -> Result<(Vec<String>, Outcome), Failure> {
    let request = Request::Mqsc { queue_manager, command: text.to_owned() };
    match client.ask(&request, &[]) {
        Ok((Answer::Mqsc { lines, outcome }, _)) => Ok((lines, outcome)),
        Ok(_) => Err(ClientError::Unexpected.into()),
        Err(error) => Err(Failure::of(COULD_NOT_RUN, &error)),
    }
}

/// A connection to the server that hosts `name` (blank: its first queue manager), and that queue manager's name.
///
/// # Errors
/// AMQ8118E when there is no such queue manager, AMQ8146E when it does not run; both with exit code 20.
pub(super) fn connect(directory: &DataDirectory, name: &str) -> Result<(Client, String), Failure> {
    let parsed = QueueManagerName::parse(name).map_err(|error| Failure::of(COULD_NOT_RUN, &error))?;
    let unknown = || {
        let place = directory.root().display();
        Failure::new(COULD_NOT_RUN, format!("AMQ8118E: Queue manager {name} does not exist in {place}."))
    };
    let mut client = match Client::connect(directory.root()) {
        Ok(client) => client,
        Err(ClientError::NoServer { .. }) => {
            if !parsed.is_blank() && !directory.exists(&parsed) {
                return Err(unknown());
            }
            let place = directory.root().display();
            let sentence = format!("AMQ8146E: Queue manager {name} is not available: no server is running on {place}.");
            return Err(Failure::new(COULD_NOT_RUN, sentence.replace("manager  is", "manager is")));
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
            let sentence = format!("AMQ8146E: Queue manager {} is not available{state}.", hosted.name);
            Err(Failure::new(COULD_NOT_RUN, sentence))
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
