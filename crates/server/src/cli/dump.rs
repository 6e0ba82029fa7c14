//! `dmpmqcfg`: the definitions of a queue manager as MQSC.

use std::io::Write;

use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::{Location, mqsc};
use crate::administration::client::ClientError;
use crate::administration::{Answer, Request};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Queue manager [default: the server's first].
    #[arg(short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    /// Generic object name.
    #[arg(short = 'n', value_name = "NAME")]
    name: Option<String>,
    /// Kind of definition, such as object, queue, topic, sub, qmgr, authrec or all.
    #[arg(short = 'x', value_name = "KIND")]
    export: Option<String>,
    /// Type of object, such as queue or topic.
    #[arg(short = 't', value_name = "TYPE")]
    object_type: Option<String>,
    /// Print the commands as a JSON array.
    #[arg(long)]
    json: bool,
    /// Every attribute, also those that have their default.
    #[arg(short = 'a')]
    all_attributes: bool,
    /// Form: mqsc, or 1line for one line a command.
    #[arg(short = 'o', value_name = "FORM", default_value = "mqsc", value_parser = ["mqsc", "1line"])]
    form: String,
    /// Also the SYSTEM objects that are as they were made.
    #[arg(long)]
    include_defaults: bool,
    /// Accepted for compatibility.
    #[arg(short = 'z', hide = true)]
    _z: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = arguments.queue_manager.as_deref().unwrap_or_default();
    let (mut client, queue_manager) = mqsc::connect(&arguments.location.directory(), name)?;
    let request = Request::Dump {
        queue_manager: Some(queue_manager),
        all_attributes: arguments.all_attributes,
        one_line: arguments.form == "1line" || arguments.json,
        name: arguments.name.clone(),
        export: arguments.export(),
        include_defaults: arguments.include_defaults,
    };
    match client.ask(&request, &[])? {
        (Answer::Text, text) if arguments.json => {
            let text = String::from_utf8_lossy(&text);
            let is_command = |line: &&str| !line.trim().is_empty() && !line.starts_with('*');
            let commands: Vec<&str> = text.lines().filter(is_command).collect();
            Ok(writeln!(out, "{}", json!(commands))?)
        }
        (Answer::Text, text) => Ok(out.write_all(&text)?),
        _ => Err(ClientError::Unexpected.into()),
    }
}

impl Arguments {
    /// IBM's `-x object -t queue` is our `-x queue`.
    fn export(&self) -> Option<String> {
        let narrows = self.export.as_deref().is_none_or(|kind| matches!(kind, "object" | "all"));
        match &self.object_type {
            Some(kind) if narrows && kind != "all" => Some(kind.clone()),
            _ => self.export.clone(),
        }
    }
}
