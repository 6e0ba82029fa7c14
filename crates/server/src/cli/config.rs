//! `config explain|check|compat|import|reload|password`.

use std::io::{IsTerminal, Read, Write, stdin};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use identity::Authenticator;
use queue_manager::{Clock, SystemClock};
use web::options::TlsOptions;

use super::failure::Failure;
use super::{Location, compatibility, import};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Request};
use crate::configuration::keys::KEYS;
use crate::configuration::{Environment, explain, load, nearest};
use crate::error::ServerError;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print every key with type, default, unit and help.
    Explain(ExplainArguments),
    /// Check a configuration file.
    Check(CheckArguments),
    /// Say what this queue manager accepts, ignores and refuses of another one's MQSC script.
    Compat(compatibility::Arguments),
    /// Turn an mqwebuser.xml, mqweb.xml or bootstrap.properties into a configuration file.
    Import(import::Arguments),
    /// Let the running server read its configuration again.
    Reload(ReloadArguments),
    /// Read a password and print it as [web.users] stores it.
    Password,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// Only keys that start so, such as ltpa or server.https.
    prefix: Option<String>,
    /// Print JSON.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the table of the manual.
    #[arg(long)]
    markdown: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// File to check.
    file: PathBuf,
    /// Also ask the servers of [ldap] whether they answer, sign in and search there.
    #[arg(long)]
    connect: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReloadArguments {
    #[command(flatten)]
    location: Location,
}

pub(super) fn run(command: Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Explain(arguments) => run_explain(&arguments, out),
        Command::Check(arguments) => check(&arguments, out),
        Command::Compat(arguments) => compatibility::run(&arguments, out),
        Command::Import(arguments) => import::run(&arguments, out),
        Command::Reload(arguments) => reload(&arguments, out),
        Command::Password => password(out),
    }
}

fn run_explain(arguments: &ExplainArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let prefix = arguments.prefix.as_deref().unwrap_or_default();
    if !KEYS.iter().any(|key| key.path.starts_with(prefix)) {
        let hint = nearest(prefix, KEYS.iter().map(|key| key.path));
        let hint = hint.map_or_else(String::new, |known| format!(", did you mean {known}?"));
        return Err(Failure::new(2, format!("unknown key {prefix}{hint}")));
    }
    let text = match (arguments.json, arguments.markdown) {
        (true, _) => format!("{:#}\n", explain::json(prefix)),
        (_, true) => explain::markdown(),
        _ => explain::text(prefix),
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// Checks the file alone, neither flags nor environment: keys and values, then users, passwords, roles and LTPA keys.
fn check(arguments: &CheckArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let configuration = load(&arguments.file, true, &Environment::default(), &[]).map_err(ServerError::from)?;
    let mut options = configuration.web_options(TlsOptions {
        pairs: Vec::new(),
        client_ca: None,
        client_required: false,
        old_cipherspecs: Vec::new(),
    });
    // A start would make the file; a check makes nothing.
    options.ltpa.keys_file = options.ltpa.keys_file.filter(|file| file.exists());
    let authenticator = Authenticator::new(&options.identities(), SystemClock.now()).map_err(ServerError::from)?;
    writeln!(out, "{} is valid.", arguments.file.display())?;
    if arguments.connect { check_directory(&authenticator, out) } else { Ok(()) }
}

/// Asks every server of the directory, so that one that is only needed when another fails is known to work.
fn check_directory(authenticator: &Authenticator, out: &mut dyn Write) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut failed = 0;
    for (server, result) in runtime.block_on(authenticator.probe_directory()) {
        match result {
            Ok(()) => writeln!(out, "{server} answers.")?,
            Err(problem) => {
                failed += 1;
                writeln!(out, "{server}: {problem}.")?;
            }
        }
    }
    if failed > 0 { Err(Failure::new(1, "config check: not every server of [ldap] can be used")) } else { Ok(()) }
}

fn reload(arguments: &ReloadArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let mut client = Client::connect(arguments.location.directory().root())?;
    match client.ask(&Request::Reload, &[])?.0 {
        Answer::Done { notes } => {
            writeln!(out, "The configuration was read again.")?;
            for note in notes {
                writeln!(out, "{note}.")?;
            }
            Ok(())
        }
        _ => Err(ClientError::Unexpected.into()),
    }
}

fn password(out: &mut dyn Write) -> Result<(), Failure> {
    let password = if stdin().is_terminal() {
        rpassword::prompt_password("Password: ")?
    } else {
        let mut text = String::new();
        stdin().take(64 << 10).read_to_string(&mut text)?;
        text.trim_end_matches(['\r', '\n']).to_owned()
    };
    if password.is_empty() {
        return Err(Failure::new(2, "config password: a password is expected on standard input"));
    }
    let encoded = identity::password::encode_argon2id(&password).map_err(|error| Failure::of(1, &error))?;
    writeln!(out, "{encoded}")?;
    Ok(())
}
