//! `setmqaut` and `dspmqaut`: authority records on the command line, as IBM's commands of these names.
//!
//! Both become MQSC (SET and DELETE AUTHREC, DISPLAY ENTAUTH) and go through the administration socket, or with `--url` over
//! REST, so that what they mean is said once. Exit codes are IBM's: 0 well, 36 usage, 40 queue manager not available, 71 anything else,
//! 72 queue manager unknown, 133 no such object or record, 145 to 151 what is wrong with the arguments.
//!
//! Source: MQ reference, "setmqaut", "dspmqaut", 9.3.

use std::ffi::OsString;
use std::io::Write;

use clap::Args;
use command::authority_words;
use http::StatusCode;
use model::authority::{Authority, AuthorityObject, AuthorityRecord};
use model::definition::attribute::quoted;
use serde_json::json;

use super::failure::Failure;
use super::remote::{DEFAULT_QUEUE_MANAGER, Remote};
use super::{Location, mqsc_door};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Outcome, RefusalKind};
use crate::error::chain;
use crate::rest_client::RestError;

/// IBM's exit code for arguments that make no sense.
pub(super) const USAGE: u8 = 36;
const NOT_AVAILABLE: u8 = 40;
const UNEXPECTED: u8 = 71;
const UNKNOWN_QUEUE_MANAGER: u8 = 72;
const UNKNOWN_OBJECT: u8 = 133;
const NEEDLESS_NAME: u8 = 145;
const NO_NAME: u8 = 146;
const NO_TYPE: u8 = 147;
const WRONG_TYPE: u8 = 148;
const NO_ENTITY: u8 = 149;
const NO_AUTHORITY: u8 = 150;
const WRONG_AUTHORITY: u8 = 151;

/// Which object, or which profile.
#[derive(Debug, Args)]
struct Subject {
    /// Queue manager [default: the server's first].
    #[arg(short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    /// Object or generic profile; not used with type qmgr.
    #[arg(short = 'n', value_name = "PROFILE")]
    profile: Option<String>,
    /// Type of object: queue (q), qmgr, process (prcs), namelist (nl), topic (top), authinfo (ai), channel (chl),
    /// clntconn (clcn), listener (lstr), service (srvc), comminfo (info), rqmname (rqmn).
    #[arg(short = 't', value_name = "TYPE")]
    object: Option<String>,
    /// Authorization service: accepted and ignored.
    #[arg(short = 's', value_name = "SERVICE", hide = true)]
    _service: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct SetmqautArguments {
    #[command(flatten)]
    subject: Subject,
    /// User whose authority is set.
    #[arg(short = 'p', value_name = "PRINCIPAL")]
    principals: Vec<String>,
    /// Group whose authority is set.
    #[arg(short = 'g', value_name = "GROUP")]
    groups: Vec<String>,
    /// Authorities to grant (+put) and to remove (-put); -remove deletes the record.
    #[arg(long = "authority", value_name = "+WORD|-WORD", allow_hyphen_values = true)]
    authorities: Vec<String>,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

#[derive(Debug, Args)]
pub(super) struct DspmqautArguments {
    #[command(flatten)]
    subject: Subject,
    /// User whose authority is shown.
    #[arg(short = 'p', value_name = "PRINCIPAL", conflicts_with = "group")]
    principal: Option<String>,
    /// Group whose authority is shown.
    #[arg(short = 'g', value_name = "GROUP")]
    group: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

/// Options of setmqaut whose value is the next word.
const VALUED: [&str; 11] =
    ["-m", "-n", "-t", "-p", "-g", "-s", "--data", "--url", "--user", "--password-file", "--cacert"];

/// Turns `+put` and `-put` of setmqaut into `--authority=+put`.
pub(super) fn spell_out(command: &str, arguments: &mut [OsString]) {
    if command != "setmqaut" {
        return;
    }
    let mut is_value = false;
    for argument in arguments.iter_mut().skip(2) {
        let text = argument.to_string_lossy().into_owned();
        if !is_value && is_authority(&text) {
            *argument = format!("--authority={text}").into();
        }
        is_value = !is_value && VALUED.contains(&text.as_str());
    }
}

/// A word after a minus that begins like an option is an authority only when it is a known one.
fn is_authority(argument: &str) -> bool {
    if let Some(words) = argument.strip_prefix('+') {
        return !words.is_empty();
    }
    let Some(words) = argument.strip_prefix('-').filter(|words| words.len() > 1 && !words.starts_with('-')) else {
        return false;
    };
    let first = words.split(['+', '-']).next().unwrap_or_default();
    let is_known =
        first.eq_ignore_ascii_case("remove") || authority_words::authority(first, AuthorityObject::Queue).is_some();
    is_known || !words.starts_with(['m', 'n', 't', 'p', 'g', 's'])
}

pub(super) fn set(arguments: &SetmqautArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let (object, profile) = arguments.subject.checked()?;
    if arguments.principals.is_empty() && arguments.groups.is_empty() {
        return Err(Failure::new(NO_ENTITY, "AMQ7095E: Name a principal with -p or a group with -g."));
    }
    let change = Change::read(&arguments.authorities, object)?;
    let verb = if change.removes_record { "DELETE" } else { "SET" };
    let mut text = format!("{verb} AUTHREC OBJTYPE({})", object.mqsc());
    if let Some(profile) = &profile {
        text.push_str(&format!(" PROFILE({})", quoted(profile)));
    }
    let entities = [
        ("PRINCIPAL", arguments.principals.iter().map(|name| quoted(name)).collect::<Vec<_>>()),
        ("GROUP", arguments.groups.iter().map(|name| quoted(name)).collect()),
    ];
    for (keyword, values) in entities.into_iter().chain(change.lists()).filter(|(_, values)| !values.is_empty()) {
        text.push_str(&format!(" {keyword}({})", values.join(",")));
    }
    run(&arguments.location, &arguments.remote, &arguments.subject, &text)?;
    writeln!(out, "AMQ7024I: The authorities are set.")?;
    Ok(())
}

pub(super) fn display(arguments: &DspmqautArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let (object, name) = arguments.subject.checked()?;
    let (kind, entity) = match (&arguments.principal, &arguments.group) {
        (Some(principal), _) => ("principal", principal),
        (None, Some(group)) => ("group", group),
        (None, None) => return Err(Failure::new(NO_ENTITY, "AMQ7095E: Name a principal with -p or a group with -g.")),
    };
    let object_name = name.as_ref().map(|name| format!(" OBJNAME({})", quoted(name))).unwrap_or_default();
    let entity_word = kind.to_ascii_uppercase();
    let text = format!("DISPLAY ENTAUTH {entity_word}({}) OBJTYPE({}){object_name}", quoted(entity), object.mqsc());
    let lines = run(&arguments.location, &arguments.remote, &arguments.subject, &text)?;
    let words = words(&lines);
    let (full, _) = object.command_names();
    let shown = name.as_deref().or(arguments.subject.queue_manager.as_deref()).unwrap_or_default();
    if arguments.json {
        let answer = json!({
            "object": name, "type": full, "entity": entity, "entityType": kind, "authorities": words,
        });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    writeln!(out, "Authorities of {kind} {entity} on {}:", [full, shown].join(" ").trim_end())?;
    for word in words {
        writeln!(out, "\t{word}")?;
    }
    Ok(())
}

impl Subject {
    /// Type and name, which the queue manager itself does not have.
    fn checked(&self) -> Result<(AuthorityObject, Option<String>), Failure> {
        let Some(word) = &self.object else {
            return Err(Failure::new(NO_TYPE, "AMQ7093E: Name a type of object with -t."));
        };
        let object = authority_words::object(word)
            .ok_or_else(|| Failure::new(WRONG_TYPE, format!("AMQ7094E: {word} is not a type of object.")))?;
        let profile = self.profile.as_deref().map(str::trim_end).filter(|profile| !profile.is_empty());
        match (object, profile) {
            (AuthorityObject::QueueManager, None) => Ok((object, None)),
            (AuthorityObject::QueueManager, Some(name)) if self.queue_manager.as_deref() == Some(name) => {
                Ok((object, None))
            }
            (AuthorityObject::QueueManager, Some(name)) => {
                Err(Failure::new(NEEDLESS_NAME, format!("AMQ7091E: The queue manager takes no name with -n: {name}.")))
            }
            (_, None) => Err(Failure::new(NO_NAME, "AMQ7092E: Name an object or a profile with -n.")),
            (_, Some(name)) => Ok((object, Some(name.to_owned()))),
        }
    }
}

/// What the words with plus and minus ask for, each of which counts over those before it: nothing is both added and
/// removed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Change {
    add: Authority,
    remove: Authority,
    removes_record: bool,
}

impl Change {
    fn read(arguments: &[String], object: AuthorityObject) -> Result<Self, Failure> {
        let mut change = Self::default();
        let mut changes = false;
        for argument in arguments {
            for (adds, word) in signed_words(argument) {
                if word.eq_ignore_ascii_case("remove") {
                    change.removes_record = true;
                    continue;
                }
                let Some(authority) = authority_words::authority(word, object) else {
                    let sentence = format!("AMQ7097E: {} is not an authority.", word.to_ascii_lowercase());
                    return Err(Failure::new(WRONG_AUTHORITY, sentence));
                };
                changes = true;
                change.add.set(authority, adds);
                change.remove.set(authority, !adds);
            }
        }
        if change.removes_record && changes {
            return Err(Failure::new(WRONG_AUTHORITY, "AMQ7097E: -remove cannot be combined with other authorities."));
        }
        if !change.removes_record && !changes {
            return Err(Failure::new(NO_AUTHORITY, "AMQ7096E: No authority is given, expected +put, -get, ..."));
        }
        Ok(change)
    }

    /// AUTHADD and AUTHRMV. A change of nothing (`+none`) makes the record that grants nothing.
    fn lists(&self) -> [(&'static str, Vec<String>); 2] {
        let words = |authorities| authority_words::words(authorities).map(str::to_owned).collect::<Vec<_>>();
        let is_nothing = self.add.is_empty() && self.remove.is_empty() && !self.removes_record;
        let add = if is_nothing { vec!["NONE".to_owned()] } else { words(self.add) };
        [("AUTHADD", add), ("AUTHRMV", words(self.remove))]
    }
}

/// `+put-get` is plus put, minus get.
fn signed_words(argument: &str) -> Vec<(bool, &str)> {
    let mut words = Vec::new();
    let mut rest = argument;
    while let Some(sign) = rest.chars().next().filter(|sign| ['+', '-'].contains(sign)) {
        let end = rest[1..].find(['+', '-']).map_or(rest.len(), |end| end + 1);
        words.push((sign == '+', &rest[1..end]));
        rest = &rest[end..];
    }
    words
}

/// Runs a command that must succeed, and returns what it printed.
fn run(location: &Location, remote: &Remote, subject: &Subject, text: &str) -> Result<Vec<String>, Failure> {
    let (lines, outcome) = match remote.is_given() {
        true => over_rest(remote, subject, text)?,
        false => through_socket(location, subject, text)?,
    };
    if outcome == Outcome::Succeeded {
        return Ok(lines);
    }
    let sentence = lines.join(" ");
    let object = subject.profile.as_deref().unwrap_or_default();
    let is_missing = [command::message::NOT_FOUND, command::message::AUTHORITY_NOT_FOUND]
        .iter()
        .any(|message| sentence.starts_with(message.id));
    if is_missing && AuthorityRecord::is_generic(object) {
        return Err(Failure::new(UNKNOWN_OBJECT, format!("AMQ7085E: There is no record of profile {object}.")));
    }
    if is_missing {
        return Err(Failure::new(UNKNOWN_OBJECT, format!("AMQ7085E: Object {object} not found.")));
    }
    Err(Failure::new(UNEXPECTED, sentence))
}

fn through_socket(location: &Location, subject: &Subject, text: &str) -> Result<(Vec<String>, Outcome), Failure> {
    let mut client = Client::connect(location.directory().root()).map_err(unreachable)?;
    client.run_mqsc(subject.queue_manager.as_deref(), text).map_err(unreachable)
}

fn over_rest(remote: &Remote, subject: &Subject, text: &str) -> Result<(Vec<String>, Outcome), Failure> {
    let client = remote.client(None)?;
    let name = subject.queue_manager.as_deref().unwrap_or(DEFAULT_QUEUE_MANAGER);
    let answer = client.run_command(name, text).map_err(|error| {
        let sentence = chain(&error);
        match error {
            RestError::Refused { status: StatusCode::NOT_FOUND, .. } => {
                Failure::new(UNKNOWN_QUEUE_MANAGER, format!("AMQ8118E: {sentence}"))
            }
            RestError::Refused { status: StatusCode::SERVICE_UNAVAILABLE, .. } | RestError::Connect { .. } => {
                Failure::new(NOT_AVAILABLE, format!("AMQ8146E: {sentence}"))
            }
            RestError::Refused { status: StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, .. } => {
                Failure::new(UNEXPECTED, format!("AMQ8135E: {sentence}"))
            }
            _ => Failure::new(UNEXPECTED, sentence),
        }
    })?;
    mqsc_door::read_reply(&answer)
}

fn unreachable(error: ClientError) -> Failure {
    match error {
        ClientError::NoServer { .. } => Failure::new(NOT_AVAILABLE, format!("AMQ8146E: {}.", chain(&error))),
        ClientError::Refused(refusal) => match refusal.kind {
            RefusalKind::UnknownQueueManager => {
                Failure::new(UNKNOWN_QUEUE_MANAGER, format!("AMQ8118E: {}", refusal.sentence))
            }
            RefusalKind::QueueManagerEnded => Failure::new(NOT_AVAILABLE, format!("AMQ8146E: {}", refusal.sentence)),
            _ => Failure::new(UNEXPECTED, refusal.sentence),
        },
        error => Failure::of(UNEXPECTED, &error),
    }
}

/// The words of AUTHLIST in lower case, as setmqaut takes them.
fn words(lines: &[String]) -> Vec<String> {
    let text = lines.join(" ");
    let list = text.split_once("AUTHLIST(").and_then(|(_, rest)| rest.split_once(')')).map(|(list, _)| list);
    let words = list.unwrap_or_default().split(',').map(|word| word.trim().to_ascii_lowercase());
    words.filter(|word| !word.is_empty() && word != "none").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(arguments: &[&str]) -> Vec<String> {
        let mut arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        spell_out("setmqaut", &mut arguments);
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn words_with_plus_and_minus_are_authorities_and_options_are_not() {
        let line =
            ["quaymaster", "setmqaut", "-m", "QM1", "-n", "-put", "-tq", "-p", "app", "-put", "+get", "-all+browse"];
        assert_eq!(
            spelled(&line)[2..],
            [
                "-m",
                "QM1",
                "-n",
                "-put",
                "-tq",
                "-p",
                "app",
                "--authority=-put",
                "--authority=+get",
                "--authority=-all+browse"
            ]
        );
        assert_eq!(spelled(&["quaymaster", "setmqaut", "-remove", "--data", "x"])[2], "--authority=-remove");
    }

    #[test]
    fn a_change_is_read_word_by_word() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            Change::read(&words, AuthorityObject::Queue)
        };
        let change = read(&["-all+put", "+Get"]).unwrap();
        assert_eq!(change.add, Authority::PUT | Authority::GET);
        assert_eq!(change.remove, AuthorityObject::Queue.all_authorities() - change.add);
        assert_eq!(change.lists()[0], ("AUTHADD", vec!["GET".to_owned(), "PUT".to_owned()]));
        assert!(read(&["-remove"]).unwrap().removes_record);
        assert!(read(&[]).is_err());
        assert!(read(&["+fly"]).is_err());
        assert!(read(&["-remove", "+put"]).is_err());
    }

    #[test]
    fn the_last_word_on_an_authority_counts() {
        let read = |words: &[&str], object| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            Change::read(&words, object).unwrap()
        };
        let queue = AuthorityObject::Queue;
        let all = queue.all_authorities();
        for (words, add, remove) in [
            (&["+all", "-put"][..], all - Authority::PUT, Authority::PUT),
            (&["+all-put"], all - Authority::PUT, Authority::PUT),
            (&["-put", "+all"], all, Authority::empty()),
            (&["-all", "+put"], Authority::PUT, all - Authority::PUT),
            (&["+put", "-put"], Authority::empty(), Authority::PUT),
            (&["-put", "+put"], Authority::PUT, Authority::empty()),
            (&["+put", "-all", "+get", "+none"], Authority::GET, all - Authority::GET),
        ] {
            assert_eq!(read(words, queue), Change { add, remove, removes_record: false }, "{words:?}");
        }
        let nothing = |word: &str, object| read(&[word], object).lists()[0].1.join(",");
        assert_eq!(nothing("+none", queue), "NONE");
        assert_eq!(nothing("-allmqi", AuthorityObject::Channel), "NONE");
        assert_eq!(nothing("-remove", queue), "");
    }

    #[test]
    fn the_words_of_an_answer_are_those_of_its_list() {
        let lines = ["AMQ8866I: Display", "   OBJNAME(Q)   ENTITY(app)", "   OBJTYPE(QUEUE)    AUTHLIST(GET,PUT)"];
        assert_eq!(words(&lines.map(str::to_owned)), ["get", "put"]);
        assert!(words(&["AUTHLIST(NONE)".to_owned()]).is_empty());
    }
}
