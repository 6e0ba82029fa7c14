//! One queue manager that takes MQSC commands: through the socket of its server, or over the administrative REST API.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::exit_code::UNREACHABLE;
use super::failure::Failure;
use super::mqsc::connect;
use super::remote::{DEFAULT_QUEUE_MANAGER, Remote, administrative_failure};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Outcome, Request};
use crate::data_directory::DataDirectory;
use crate::error::chain;
use crate::rest_client::{RestAnswer, RestClient, RestError};

pub(super) struct MqscDoor {
    queue_manager: String,
    way: Way,
}

enum Way {
    Socket {
        directory: DataDirectory,
        client: Client,
        /// How long to wait for an answer.
        patience: Option<Duration>,
    },
    Rest(RestClient),
}

/// The reply to `runCommand`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    overall_completion_code: i32,
    command_response: Vec<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    text: Vec<String>,
    #[serde(default)]
    message: Vec<String>,
}

impl MqscDoor {
    /// # Errors
    /// As [`connect`].
    pub(super) fn socket(directory: &DataDirectory, name: &str, wait_seconds: Option<u32>) -> Result<Self, Failure> {
        let (client, queue_manager) = connect(directory, name)?;
        let patience = wait_seconds.map(|seconds| Duration::from_secs(u64::from(seconds.max(1))));
        client.be_patient_for(patience)?;
        Ok(Self { queue_manager, way: Way::Socket { directory: directory.clone(), client, patience } })
    }

    /// # Errors
    /// The URL, password or certificates cannot be used. Whether the server answers shows with the first command.
    pub(super) fn rest(remote: &Remote, user: Option<&str>, name: &str) -> Result<Self, Failure> {
        let name = if name.trim().is_empty() { DEFAULT_QUEUE_MANAGER } else { name };
        Ok(Self { queue_manager: name.to_owned(), way: Way::Rest(remote.client(user)?) })
    }

    pub(super) fn queue_manager(&self) -> &str {
        &self.queue_manager
    }

    /// Runs one command.
    ///
    /// # Errors
    /// It could not be sent, or not be answered. A command that failed is no error.
    pub(super) fn run(&mut self, text: &str) -> Result<(Vec<String>, Outcome), Failure> {
        match &mut self.way {
            Way::Socket { directory, client, patience } => {
                match client.run_mqsc(Some(&self.queue_manager), text) {
                    Ok(answer) => Ok(answer),
                    Err(error) if error.is_timeout() && patience.is_some() => {
                        // The answer may still come on the old connection, where it would be taken for the next one's.
                        *client = connect(directory, &self.queue_manager)?.0;
                        client.be_patient_for(*patience)?;
                        Ok((
                            vec!["AMQ8416E: No answer came within the time that -w allows.".to_owned()],
                            Outcome::Failed,
                        ))
                    }
                    Err(error) => Err(error.into()),
                }
            }
            Way::Rest(client) => over_rest(client, &self.queue_manager, text),
        }
    }

    /// Runs one command and answers with the reply to a JSON command: attributes by keyword.
    ///
    /// # Errors
    /// As [`MqscDoor::run`].
    pub(super) fn run_json(&mut self, text: &str) -> Result<(Map<String, Value>, Outcome), Failure> {
        let (body, outcome) = match &mut self.way {
            Way::Socket { client, .. } => {
                let queue_manager = Some(self.queue_manager.clone());
                let request = Request::Mqsc { queue_manager, command: text.to_owned(), json: true };
                match client.ask(&request, &[])? {
                    (Answer::Mqsc { outcome }, body) => (body, Some(outcome)),
                    _ => return Err(ClientError::Unexpected.into()),
                }
            }
            Way::Rest(client) => {
                // A text that is no command goes as it is: the server says what is wrong with it.
                let answer = match command::json::of_text(text) {
                    Some(body) => client.run_command_json(&self.queue_manager, &body),
                    None => client.run_command(&self.queue_manager, text),
                };
                (answer.map_err(|error| administrative_failure(&error))?.body.to_vec(), None)
            }
        };
        let reply: Map<String, Value> =
            serde_json::from_slice(&body).map_err(|error| Failure::of(UNREACHABLE, &error))?;
        let failed = reply.get("overallCompletionCode").is_some_and(|code| *code != 0);
        Ok((reply, outcome.unwrap_or(if failed { Outcome::Failed } else { Outcome::Succeeded })))
    }

    /// Runs a DISPLAY and gives its attributes by keyword, a map an object; nothing when there is no such object.
    ///
    /// # Errors
    /// As [`MqscDoor::run`], and when the command failed in another way.
    pub(super) fn rows(&mut self, text: &str) -> Result<Vec<BTreeMap<String, String>>, Failure> {
        let (lines, outcome) = self.run(text)?;
        if outcome != Outcome::Succeeded {
            return Err(Failure::new(1, lines.join(" ")));
        }
        let mut rows: Vec<BTreeMap<String, String>> = Vec::new();
        for line in &lines {
            if !line.starts_with(' ') {
                rows.push(BTreeMap::new());
                continue;
            }
            let Some(row) = rows.last_mut() else { continue };
            for item in line.split("   ").map(str::trim) {
                if let Some((keyword, value)) = item.split_once('(') {
                    row.insert(keyword.to_owned(), value.strip_suffix(')').unwrap_or(value).trim().to_owned());
                }
            }
        }
        Ok(rows)
    }
}

fn over_rest(client: &RestClient, queue_manager: &str, text: &str) -> Result<(Vec<String>, Outcome), Failure> {
    let answer = match client.run_command(queue_manager, text) {
        Ok(answer) => answer,
        // The user may look and not touch, or the command is too long: the next one may fare better.
        Err(error @ RestError::Refused { status: http::StatusCode::FORBIDDEN, .. }) => {
            return Ok((vec![format!("AMQ8135E: {}", chain(&error))], Outcome::Failed));
        }
        Err(error) => return Err(administrative_failure(&error)),
    };
    read_reply(&answer)
}

/// What the reply to `runCommand` says, as runmqsc prints it.
///
/// # Errors
/// It is not such a reply.
pub(super) fn read_reply(answer: &RestAnswer) -> Result<(Vec<String>, Outcome), Failure> {
    let reply: Reply = serde_json::from_slice(&answer.body).map_err(|error| Failure::of(UNREACHABLE, &error))?;
    let said: Vec<String> = reply
        .command_response
        .into_iter()
        .flat_map(|response| response.text.into_iter().chain(response.message))
        .collect();
    let outcome = match reply.overall_completion_code {
        0 => Outcome::Succeeded,
        _ if said.iter().any(|line| line.starts_with("AMQ8405")) => Outcome::SyntaxError,
        _ => Outcome::Failed,
    };
    Ok((said.iter().flat_map(|line| command::unfold(line)).collect(), outcome))
}
