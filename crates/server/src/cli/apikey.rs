//! `apikey create|list|revoke`: by the running server, else in the data directory that none uses.

use std::io::Write;

use clap::{Args, Subcommand};
use identity::api_key::ApiKeys;
use serde_json::json;

use super::exit_code::{FAILED, USAGE};
use super::failure::Failure;
use super::server_door::{self, Door};
use super::{Location, span};
use crate::administration::client::ClientError;
use crate::administration::{Answer, ApiKeyRow, NewKey, Refusal, RefusalKind, Request, api_keys};
use crate::error::ServerError;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an API key for messaging and print it. It is shown this once.
    Create(CreateArguments),
    /// List the API keys with their last use, without their secrets.
    List(ListArguments),
    /// Revoke an API key. It is refused at once.
    Revoke(RevokeArguments),
}

#[derive(Debug, Args)]
pub(super) struct CreateArguments {
    /// User whose authorities requests with the key have.
    #[arg(long, value_name = "USER")]
    user: String,
    /// Queue that the key is for; a name that ends in * stands for all that begin so. May be repeated. Without --queue and --topic:
    /// all queues and topics.
    #[arg(long = "queue", value_name = "PATTERN")]
    queues: Vec<String>,
    /// Topic string that the key is for: + stands for one level, # for all levels at the end. May be repeated.
    #[arg(long = "topic", value_name = "PATTERN")]
    topics: Vec<String>,
    /// Operations that the key is for, separated by commas: put, get, browse, publish, subscribe, inquire [default: all].
    #[arg(long, value_name = "OPERATIONS", value_delimiter = ',')]
    may: Vec<String>,
    /// Time after which the key expires, such as 12h or 90d [default: never].
    #[arg(long, value_name = "TIME", value_parser = span::parse_long)]
    expires: Option<std::time::Duration>,
    /// Text that the list shows, such as the name of the application.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    name: String,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Print a JSON object for each key.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Args)]
pub(super) struct RevokeArguments {
    /// Id of the key, as the list shows it.
    #[arg(value_name = "ID")]
    id: String,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn run(command: Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Create(arguments) => create(arguments, out),
        Command::List(arguments) => list(&arguments, out),
        Command::Revoke(arguments) => revoke(&arguments, out),
    }
}

/// Asks the server, or does it in the directory.
fn ask(
    location: &Location,
    request: &Request,
    here: impl FnOnce(&ApiKeys) -> Result<(Answer, Vec<u8>), Refusal>,
) -> Result<(Answer, Vec<u8>), Failure> {
    let mut directory = location.directory();
    // A key may be made before the first start; the other commands need a directory that is there.
    match request {
        Request::CreateApiKey(_) => directory.create()?,
        _ if !directory.root().is_dir() => {
            let sentence = format!("there is no data directory {}: name it with --data", directory.root().display());
            return Err(Failure::new(FAILED, sentence));
        }
        _ => {}
    }
    let answered = match server_door::knock(&directory).map_err(|failure| failure.with_code(FAILED))? {
        Door::Server(mut client) => client.ask(request, &[]),
        Door::Locked(_lock) => {
            let keys = ApiKeys::open(&directory.api_keys()).map_err(ServerError::from)?;
            here(&keys).map_err(ClientError::Refused)
        }
    };
    answered.map_err(|error| match error {
        ClientError::Refused(refusal) if refusal.kind == RefusalKind::Invalid => Failure::new(USAGE, refusal.sentence),
        ClientError::Refused(refusal) => Failure::new(FAILED, refusal.sentence),
        other => Failure::from(other),
    })
}

fn create(arguments: CreateArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let CreateArguments { user, queues, topics, may, expires, name, json, location } = arguments;
    let expires_after_seconds = expires.map(|expires| expires.as_secs());
    let new = NewKey { user, name, queues, topics, may, expires_after_seconds };
    let request = Request::CreateApiKey(new.clone());
    let (Answer::ApiKeyCreated(row), key) = ask(&location, &request, |keys| api_keys::create(keys, &new))? else {
        return Err(ClientError::Unexpected.into());
    };
    let key = String::from_utf8(key).map_err(|_| ClientError::Unexpected)?;
    if json {
        let mut answer = json!(row);
        answer["key"] = json!(key);
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    // The key alone on standard output, so that a script can keep it.
    writeln!(out, "{key}")?;
    super::failure::note(&format!("API key {} of user {}: keep it, it is not shown again.", row.id, row.user));
    Ok(())
}

fn list(arguments: &ListArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let here = |keys: &ApiKeys| Ok((Answer::ApiKeys, api_keys::list(keys)));
    let (Answer::ApiKeys, body) = ask(&arguments.location, &Request::ListApiKeys, here)? else {
        return Err(ClientError::Unexpected.into());
    };
    let rows: Vec<ApiKeyRow> = serde_json::from_slice(&body).map_err(|_| ClientError::Unexpected)?;
    for row in rows {
        if arguments.json {
            writeln!(out, "{}", json!(row))?;
            continue;
        }
        let list = |what: &str, names: &[String]| match names {
            [] => String::new(),
            names => format!(" {what} {}", names.join(",")),
        };
        let or = |time: Option<String>| time.unwrap_or_else(|| "never".to_owned());
        let name = if row.name.is_empty() { String::new() } else { format!(" ({})", row.name) };
        writeln!(
            out,
            "{} user {}{name} may {}{}{} created {} expires {} last used {}",
            row.id,
            row.user,
            row.may.join(","),
            list("queues", &row.queues),
            list("topics", &row.topics),
            row.created_at,
            or(row.expires_at),
            or(row.last_used_at),
        )?;
    }
    Ok(())
}

fn revoke(arguments: &RevokeArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let id = &arguments.id;
    let done = || (Answer::Done { notes: Vec::new() }, Vec::new());
    let here = |keys: &ApiKeys| api_keys::revoke(keys, id).map(|()| done());
    ask(&arguments.location, &Request::RevokeApiKey { id: id.clone() }, here)?;
    match arguments.json {
        true => writeln!(out, "{}", json!({ "id": id, "revoked": true }))?,
        false => writeln!(out, "API key {id} was revoked.")?,
    }
    Ok(())
}
