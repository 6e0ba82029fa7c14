//! `dmpmqcfg`: the definitions of a queue manager as MQSC, through the socket of its server or over REST.

use std::io::Write;

use clap::Args;
use command::EXPORTS;
use serde_json::json;

use super::failure::Failure;
use super::remote::{DEFAULT_QUEUE_MANAGER, Remote, administrative_failure};
use super::{Location, mqsc};
use crate::administration::client::ClientError;
use crate::administration::{Answer, Request};
use crate::data_directory::DataDirectory;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Queue manager [default: the server's first].
    #[arg(short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    /// Write only objects of this name, which may be generic, such as DEV.*.
    #[arg(short = 'n', value_name = "NAME")]
    name: Option<String>,
    /// Kind of definition: all, object, authrec, chlauth, sub or policy. A type of object as with -t is accepted too
    /// [default: all].
    #[arg(short = 'x', value_name = "KIND", value_parser = EXPORTS, hide_possible_values = true, ignore_case = true)]
    export: Option<String>,
    /// Type of object: all, authinfo, channel, clntconn, comminfo, lstr, namelist, process, qmgr, queue, srvc or topic
    /// [default: all].
    #[arg(short = 't', value_name = "TYPE", value_parser = EXPORTS, hide_possible_values = true, ignore_case = true)]
    object_type: Option<String>,
    /// Print a JSON array with one object per command, in the form of runCommandJSON of the REST API.
    #[arg(long)]
    json: bool,
    /// Write all attributes, including those with their default.
    #[arg(short = 'a')]
    all_attributes: bool,
    /// Format of the output: mqsc, or 1line for one line per command.
    #[arg(short = 'o', value_name = "FORM", default_value = "mqsc", value_parser = ["mqsc", "1line"], hide_possible_values = true)]
    form: String,
    /// Include SYSTEM objects that were not changed since their creation.
    #[arg(long)]
    include_defaults: bool,
    /// Accepted for compatibility.
    #[arg(short = 'z', hide = true)]
    _z: bool,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let text = if arguments.remote.is_given() { arguments.over_rest()? } else { arguments.through_socket()? };
    if !arguments.json {
        return Ok(out.write_all(&text)?);
    }
    let text = String::from_utf8_lossy(&text);
    let is_command = |line: &&str| !line.trim().is_empty() && !line.starts_with('*');
    let as_json = |line: &str| command::json::of_text(line).unwrap_or_else(|| json!({ "text": line }));
    let commands: Vec<serde_json::Value> = text.lines().filter(is_command).map(as_json).collect();
    Ok(writeln!(out, "{}", json!(commands))?)
}

/// All definitions of a queue manager, through the socket of its server.
pub(super) fn all(directory: &DataDirectory, name: &str) -> Result<String, Failure> {
    let whole = Request::Dump {
        queue_manager: None,
        all_attributes: false,
        one_line: false,
        name: None,
        export: None,
        include_defaults: false,
    };
    ask(directory, name, whole).map(|text| String::from_utf8_lossy(&text).into_owned())
}

/// Sends the request with the name of the queue manager that `name` stands for.
fn ask(directory: &DataDirectory, name: &str, mut request: Request) -> Result<Vec<u8>, Failure> {
    let (mut client, found) = mqsc::connect(directory, name)?;
    if let Request::Dump { queue_manager, .. } = &mut request {
        *queue_manager = Some(found);
    }
    match client.ask(&request, &[])? {
        (Answer::Text, text) => Ok(text),
        _ => Err(ClientError::Unexpected.into()),
    }
}

impl Arguments {
    fn is_one_line(&self) -> bool {
        self.form == "1line" || self.json
    }

    fn through_socket(&self) -> Result<Vec<u8>, Failure> {
        let name = self.queue_manager.as_deref().unwrap_or_default();
        let request = Request::Dump {
            queue_manager: None,
            all_attributes: self.all_attributes,
            one_line: self.is_one_line(),
            name: self.name.clone(),
            export: self.export(),
            include_defaults: self.include_defaults,
        };
        ask(&self.location.directory(), name, request)
    }

    fn over_rest(&self) -> Result<Vec<u8>, Failure> {
        let export = self.export();
        let named = [("name", self.name.as_deref()), ("type", export.as_deref())];
        let flags = [
            ("allAttributes", self.all_attributes),
            ("oneLine", self.is_one_line()),
            ("includeDefaults", self.include_defaults),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let query: Vec<_> =
            named.chain(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| (name, ""))).collect();
        let client = self.remote.client(None)?;
        let name = self.queue_manager.as_deref().unwrap_or(DEFAULT_QUEUE_MANAGER);
        let answer = client.definitions(name, &query).map_err(|error| administrative_failure(&error))?;
        Ok(answer.body.to_vec())
    }

    /// IBM's `-x object -t queue` is our `-x queue`.
    fn export(&self) -> Option<String> {
        let narrows = self.export.as_deref().is_none_or(|kind| matches!(kind, "object" | "all"));
        match &self.object_type {
            Some(kind) if narrows && kind != "all" => Some(kind.clone()),
            _ => self.export.clone(),
        }
    }
}
