//! `config explain|check|compat|import|reload|password`.

use std::io::{IsTerminal, Read, Write, stdin};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use handshake::identity::Identity;
use identity::Authenticator;
use queue_manager::{Clock, SystemClock};
use web::options::TlsOptions;

use super::exit_code::USAGE;
use super::failure::Failure;
use super::{Location, compatibility, import};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Request};
use crate::certificate::{self, Certificate, WARNING_DAYS};
use crate::configuration::keys::KEYS;
use crate::configuration::{Configuration, Environment, explain, load, nearest};
use crate::error::{ServerError, chain};
use crate::serve::prepare::now;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print every key with type, default, unit and help.
    Explain(ExplainArguments),
    /// Check a configuration file.
    Check(CheckArguments),
    /// Show which commands of another queue manager's MQSC script are accepted, ignored and refused.
    Compat(compatibility::Arguments),
    /// Convert an mqwebuser.xml, mqweb.xml, bootstrap.properties or z/OS Connect server.xml into a configuration file.
    Import(import::Arguments),
    /// Make the running server read its configuration again.
    Reload(ReloadArguments),
    /// Read a password and print its hash for [web.users].
    Password,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// Show only keys with this prefix, such as ltpa or server.https.
    prefix: Option<String>,
    /// Print JSON.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the table of docs/configuration.md.
    #[arg(long)]
    markdown: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// File to check.
    file: PathBuf,
    /// Also connect to the servers of [ldap], sign in and search, and fetch the keys of the issuers of [identity.oidc].
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

/// Checks the file alone, neither flags nor environment: keys and values, then certificates and keys, then users, passwords,
/// roles and LTPA keys, then networks.
fn check(arguments: &CheckArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let configuration = load(&arguments.file, true, &Environment::default(), &[]).map_err(ServerError::from)?;
    let mut options = configuration.web_options(TlsOptions::default());
    // A start would make the file; a check makes nothing.
    options.ltpa.keys_file = options.ltpa.keys_file.filter(|file| file.exists());
    let authenticator = Authenticator::new(&options.identities(), SystemClock.now()).map_err(ServerError::from)?;
    options.push.check().map_err(ServerError::from)?;
    options.console.check().map_err(ServerError::from)?;
    let (notes, problems) = check_certificates(&configuration);
    if !problems.is_empty() {
        return Err(Failure::new(USAGE, problems.join("\nquaymaster: ")));
    }
    writeln!(out, "{} is valid.", arguments.file.display())?;
    for note in notes {
        writeln!(out, "{note}.")?;
    }
    if arguments.connect { check_others(&authenticator, out) } else { Ok(()) }
}

/// Opens every certificate, key and authority that the configuration names: what is worth a note, and what is wrong.
pub(super) fn check_certificates(configuration: &Configuration) -> (Vec<String>, Vec<String>) {
    let mut files = Vec::new();
    let table = toml::Table::try_from(configuration).unwrap_or_default();
    collect_files("", &table, &mut files);
    let (mut notes, mut problems) = (Vec::new(), Vec::new());
    for (path, files) in files {
        let read = match &files {
            Files::Pair(certificate, key) => certificate::read_pair(certificate, key),
            Files::Authorities(file) => certificate::read(file),
        };
        let now = now();
        match read.and_then(|all| all.iter().try_for_each(|one| one.check_time(now)).map(|()| all)) {
            Ok(all) => {
                let soon = all.iter().filter(|one| one.days_left(now) < WARNING_DAYS);
                let note = |one: &Certificate| {
                    format!("{path}: the certificate of {} ends on {}", one.subject, one.last_day())
                };
                notes.extend(soon.map(note));
            }
            Err(error) => problems.push(format!("{path}: {}", chain(&error))),
        }
    }
    if problems.is_empty()
        && let Some(pairs) = configuration.tls.both_pairs()
        && let Err(error) = Identity::load(&pairs, None, &rustls::crypto::ring::default_provider())
    {
        problems.push(format!("tls.second_certificate: {}", chain(&error)));
    }
    (notes, problems)
}

enum Files {
    Pair(PathBuf, PathBuf),
    Authorities(PathBuf),
}

/// The files of a table and of the tables in it, each with its path of keys.
fn collect_files(path: &str, table: &toml::Table, found: &mut Vec<(String, Files)>) {
    let file = |name: &str| table.get(name).and_then(toml::Value::as_str).map(PathBuf::from);
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (certificate, key) in [("certificate", "key"), ("second_certificate", "second_key")] {
        let pair = file(certificate).zip(file(key));
        found.extend(pair.map(|(first, second)| (at(certificate), Files::Pair(first, second))));
    }
    for name in ["ca_file", "client_ca"] {
        found.extend(file(name).map(|file| (at(name), Files::Authorities(file))));
    }
    for (name, value) in table {
        if let toml::Value::Table(inner) = value {
            collect_files(&at(name), inner, found);
        }
    }
}

/// Asks every server of the directory, so that one that is only needed when another fails is known to work, and every issuer.
fn check_others(authenticator: &Authenticator, out: &mut dyn Write) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut failed = 0;
    let answers = runtime.block_on(async {
        let mut answers = authenticator.probe_directory().await;
        answers.extend(authenticator.probe_issuers().await);
        answers
    });
    for (server, result) in answers {
        match result {
            Ok(()) => writeln!(out, "{server} answers.")?,
            Err(problem) => {
                failed += 1;
                writeln!(out, "{server}: {problem}.")?;
            }
        }
    }
    match failed {
        0 => Ok(()),
        _ => Err(Failure::new(1, "config check: at least one server of [ldap] or [identity.oidc] cannot be used")),
    }
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
