//! The command line: which commands there are, under which names, and how they end.
//!
//! The program also acts by the name it is called by (`runmqsc`, `dspmq`, ...). `exit_code` has the exit codes.

mod apikey;
mod authority;
mod backup;
mod channel;
mod compatibility;
mod config;
mod configured;
mod copybook;
mod dmpmqmsg;
mod doctor;
mod dump;
mod events;
mod exit_code;
mod failure;
mod group;
mod health;
mod import;
mod lifecycle;
mod links;
mod log;
mod manual;
mod message;
mod mqsc;
mod mqsc_door;
mod queue_managers;
mod remote;
mod runmqdlq;
mod serve;
mod server_door;
mod service;
mod session;
mod span;
mod start;
mod support;
mod tables;
mod trigger_monitor;
mod version;
mod zconbt;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::data_directory::DataDirectory;
use failure::{Failure, Form};

/// A durable queue manager for IBM MQ programs, with the messaging REST API.
#[derive(Parser)]
#[command(name = "quaymaster", version, max_term_width = 100, args_override_self = true)]
#[command(after_help = "A running server shows the manual at https://localhost:9443/docs.")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve queue managers until SIGTERM or SIGINT.
    Serve(serve::Arguments),
    /// Serve in a container: as serve, with the environment variables and files of IBM's image as settings.
    #[command(visible_alias = "runmqdevserver")]
    Runmqserver(serve::ContainerArguments),
    /// Run MQSC commands from standard input or a file.
    Runmqsc(mqsc::RunmqscArguments),
    /// Run one MQSC command.
    Mqsc(mqsc::MqscArguments),
    /// Put a message on a queue.
    Put(message::PutArguments),
    /// Get messages from a queue, and remove them.
    Get(message::GetArguments),
    /// Show messages of a queue without removing them.
    Browse(message::BrowseArguments),
    /// Show the number of messages on a queue.
    Depth(message::DepthArguments),
    /// Read event messages, and show them in words.
    #[command(visible_alias = "amqsevt")]
    Events(Box<events::Arguments>),
    /// Show the queue managers of a data directory.
    Dspmq(queue_managers::Arguments),
    /// Show the version.
    Dspmqver(version::Arguments),
    /// Write the definitions of a queue manager as MQSC.
    Dmpmqcfg(dump::Arguments),
    /// Copy or move messages between a queue and a file, or between queues.
    Dmpmqmsg(Box<dmpmqmsg::Arguments>),
    /// Process the messages of a dead-letter queue by a table of rules.
    Runmqdlq(Box<runmqdlq::Arguments>),
    /// Start programs when trigger messages come to an initiation queue.
    #[command(name = "trigger-monitor", visible_aliases = ["runmqtrm", "runmqtmc"])]
    TriggerMonitor(Box<trigger_monitor::Arguments>),
    /// Create a queue manager.
    Crtmqm(lifecycle::CrtmqmArguments),
    /// Delete a queue manager that has ended, with its messages.
    Dltmqm(lifecycle::DltmqmArguments),
    /// Start a queue manager, with a server in the background if none runs.
    Strmqm(start::StrmqmArguments),
    /// End a queue manager.
    Endmqm(start::EndmqmArguments),
    /// Grant authorities to users and groups, or remove them.
    Setmqaut(authority::SetmqautArguments),
    /// Show the authorities of a user or a group on an object.
    Dspmqaut(authority::DspmqautArguments),
    /// Exit with 0 if the start of the server is over, else with 1.
    Chkmqstarted(health::Arguments),
    /// Exit with 0 if the server is ready and its queue managers can be used, else with 1.
    Chkmqready(health::Arguments),
    /// Exit with 0 if all queue managers that should run do run, else with 1.
    Chkmqhealthy(health::Arguments),
    /// Create, list or revoke API keys, with which programs put and get messages by HTTP.
    #[command(subcommand)]
    Apikey(apikey::Command),
    /// Look for what is not well: configuration, disk, server, queues, and the database and members of the queue-sharing group.
    Doctor(doctor::Arguments),
    /// Write an archive for those who help: checks, settings, definitions and states, without passwords and messages.
    Support(support::Arguments),
    /// Make, show, check and mend a queue-sharing group in its database.
    #[command(subcommand)]
    Group(group::Command),
    /// Explain, check, import or reload the configuration.
    #[command(subcommand)]
    Config(config::Command),
    /// Show layouts of COBOL copybooks, and convert records to JSON and back.
    #[command(subcommand)]
    Copybook(copybook::Command),
    /// Build archives of services and APIs from their sources, or show them.
    #[command(subcommand)]
    Service(service::Command),
    /// Make the archive and language structures of an API requester from the description of an API.
    #[command(name = "zconbt", visible_alias = "zconbt.zos")]
    Zconbt(zconbt::Arguments),
    /// Show a recovery log.
    #[command(subcommand)]
    Log(log::Command),
    /// Copy the messages and definitions of a queue manager, running or not, to a folder.
    Backup(backup::BackupArguments),
    /// Make a queue manager from a backup.
    Restore(backup::RestoreArguments),
    /// Measure a server under load.
    #[command(subcommand)]
    Workload(WorkloadCommand),
    /// Measure the published performance tables, and show both figures side by side.
    #[command(subcommand)]
    Tables(tables::Command),
    /// Create links named runmqsc, dspmq, ... to this program.
    Links(links::Arguments),
    /// Write a shell's completion script, also for the linked names, to standard output.
    Completions(manual::CompletionsArguments),
    /// Write the manual page of a command to standard output, or all pages into a folder.
    Man(manual::ManArguments),
}

#[derive(Subcommand)]
enum WorkloadCommand {
    /// Run clients against a server and report rate, response times, and messages lost or seen twice.
    Run(Box<workload::cli::Arguments>),
    /// Run a batch server: get requests from a queue and put a reply to each, until SIGTERM or SIGINT.
    Responder(Box<workload::cli::ResponderArguments>),
    /// Run the remote API for measurements of API requesters, until SIGTERM or SIGINT.
    Provider(workload::provider::ProviderArguments),
}

/// Which data directory a command is about.
#[derive(Debug, Clone, Args)]
struct Location {
    /// Data directory [default: $QUAYMASTER_DATA, else ./quaymaster-data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Location {
    fn directory(&self) -> DataDirectory {
        DataDirectory::locate(self.data.as_deref())
    }
}

/// Names by which the program acts as that command.
const NAMES: &[&str] = &[
    "runmqsc",
    "dspmq",
    "dspmqver",
    "dmpmqcfg",
    "dmpmqmsg",
    "amqsevt",
    "runmqdlq",
    "runmqtrm",
    "runmqtmc",
    "crtmqm",
    "dltmqm",
    "strmqm",
    "endmqm",
    "setmqaut",
    "dspmqaut",
    "chkmqstarted",
    "chkmqready",
    "chkmqhealthy",
    "runmqserver",
    "runmqdevserver",
    "zconbt",
    "zconbt.zos",
];

/// Runs the program.
pub(crate) fn main(mut arguments: Vec<OsString>) -> ExitCode {
    let called = arguments.first().map(Path::new).and_then(Path::file_name).map(|name| name.to_string_lossy());
    if let Some(name) = called.and_then(|name| NAMES.iter().find(|known| **known == name)) {
        arguments.insert(1, name.into());
    }
    let command = arguments.get(1).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    failure::set_form(form(&command, &arguments));
    spell_out(&command, &mut arguments);
    let parsed =
        command_line().try_get_matches_from(arguments).and_then(|matches| CommandLine::from_arg_matches(&matches));
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(&command, &error),
    };
    match run(parsed.command) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn command_line() -> clap::Command {
    manual::with_examples(CommandLine::command())
}

/// Turns options of IBM's commands that the parser does not know into those that it does.
fn spell_out(command: &str, arguments: &mut Vec<OsString>) {
    lifecycle::spell_out(command, arguments);
    authority::spell_out(command, arguments);
    zconbt::spell_out(command, arguments);
    dmpmqmsg::spell_out(command, arguments);
    trigger_monitor::spell_out(command, arguments);
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    let out = &mut io::stdout().lock();
    match command {
        Command::Serve(arguments) => return serve::run(arguments),
        Command::Runmqserver(arguments) => return serve::run_in_container(arguments),
        Command::Runmqsc(arguments) => return mqsc::runmqsc(&arguments, out),
        Command::Mqsc(arguments) => return mqsc::mqsc(&arguments, out),
        Command::Put(arguments) => message::put(arguments, out),
        Command::Get(arguments) => message::get(arguments, out),
        Command::Browse(arguments) => message::browse(arguments, out),
        Command::Depth(arguments) => message::depth(&arguments, out),
        Command::Events(arguments) => events::run(&arguments, out),
        Command::Dspmq(arguments) => queue_managers::run(&arguments, out),
        Command::Dspmqver(arguments) => version::run(&arguments, out),
        Command::Dmpmqcfg(arguments) => dump::run(&arguments, out),
        Command::Dmpmqmsg(arguments) => dmpmqmsg::run(*arguments, out),
        Command::Runmqdlq(arguments) => runmqdlq::run(*arguments, out),
        Command::TriggerMonitor(arguments) => trigger_monitor::run(*arguments, out),
        Command::Crtmqm(arguments) => lifecycle::create(&arguments, out),
        Command::Dltmqm(arguments) => lifecycle::delete(&arguments, out),
        Command::Strmqm(arguments) => start::start(&arguments, out),
        Command::Endmqm(arguments) => start::end(&arguments, out),
        Command::Setmqaut(arguments) => authority::set(&arguments, out),
        Command::Dspmqaut(arguments) => authority::display(&arguments, out),
        Command::Chkmqstarted(arguments) => return Ok(health::started(&arguments)),
        Command::Chkmqready(arguments) => return Ok(health::ready(&arguments)),
        Command::Chkmqhealthy(arguments) => return Ok(health::healthy(&arguments)),
        Command::Apikey(command) => apikey::run(command, out),
        Command::Doctor(arguments) => return doctor::run(&arguments, out),
        Command::Support(arguments) => support::run(&arguments, out),
        Command::Group(command) => return group::run(command, out),
        Command::Config(command) => config::run(command, out),
        Command::Copybook(command) => copybook::run(&command, out),
        Command::Service(command) => service::run(&command, out),
        Command::Zconbt(arguments) => zconbt::run(&arguments, out),
        Command::Log(command) => return log::run(&command, out),
        Command::Backup(arguments) => backup::back_up(&arguments, out),
        Command::Restore(arguments) => backup::restore(&arguments, out),
        Command::Workload(WorkloadCommand::Run(arguments)) => return workload_run(&arguments),
        Command::Workload(WorkloadCommand::Responder(arguments)) => {
            workload::cli::respond(&arguments).map_err(|error| Failure::of(1, &error))
        }
        Command::Workload(WorkloadCommand::Provider(arguments)) => {
            workload::cli::provide(&arguments).map_err(|error| Failure::of(1, &error))
        }
        Command::Tables(command) => return tables::run(&command, out),
        Command::Links(arguments) => links::run(&arguments, out),
        Command::Completions(arguments) => manual::completions(&arguments, out),
        Command::Man(arguments) => manual::man(&arguments, out),
    }?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn workload_run(arguments: &workload::cli::Arguments) -> Result<ExitCode, Failure> {
    let all_is_well = workload::cli::run(arguments).map_err(|error| Failure::of(1, &error))?;
    Ok(if all_is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Help and version go to standard output with 0, everything else is bad usage: 2, or IBM's code of a command of IBM's.
fn usage(command: &str, error: &clap::Error) -> ExitCode {
    let code = match command {
        "runmqsc" | "trigger-monitor" | "runmqtrm" | "runmqtmc" => exit_code::UNREACHABLE,
        "setmqaut" | "dspmqaut" => authority::USAGE,
        _ => exit_code::USAGE,
    };
    let sentence = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if failure::is_text() => {
            let _ = error.print();
            return ExitCode::from(code);
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "an argument is missing".to_owned(),
        _ => usage_sentence(&error.render().to_string()),
    };
    Failure::new(code, sentence).report()
}

/// How failures are written: JSON with `--json`, lines of the log for a server whose log is JSON.
fn form(command: &str, arguments: &[OsString]) -> Form {
    let words: Vec<_> = arguments.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let options = || words.iter().take_while(|word| *word != "--");
    if matches!(command, "serve" | "runmqserver" | "runmqdevserver") {
        let words: Vec<&str> = options().map(AsRef::as_ref).collect();
        return if command == "serve" { serve::form(&words) } else { serve::form_in_container(&words) };
    }
    if options().any(|word| word == "--json") { Form::Json } else { Form::Text }
}

/// The first paragraph of clap's text in one line, and its suggestion if it has one.
fn usage_sentence(text: &str) -> String {
    let paragraph: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let sentence = paragraph.join(" ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    let mut tips = text.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    match tips.find(|tip| tip.contains("similar")) {
        Some(tip) => format!("{sentence}; {tip}"),
        None => sentence.to_owned(),
    }
}
