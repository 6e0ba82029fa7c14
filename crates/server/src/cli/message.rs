//! `put`, `get`, `browse` and `depth`: through the administration socket, over HTTPS with `--url`, or (but for `depth`)
//! through a client channel with `--channel`.
//!
//! A message that is got is removed only once it has been written to standard output (not with `--url`: REST has no units
//! of work). Exit code 3 when there is no message.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write, stdin};
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http::{Method, StatusCode};
use model::descriptor::{Ccsid, Encoding};
use model::identifier::MessageId;
use model::pcf::{self, MessageKind};
use model::reason::Reason;
use queue_manager::accounting::json::Record;
use serde_json::{Map, Value, json};

use super::channel::{ChannelDoor, Show, Wanted};
use super::exit_code::NO_MESSAGE;
use super::failure::{Failure, warn};
use super::mqsc_door::MqscDoor;
use super::remote::{self, Remote, rest_failure};
use super::{Location, mqsc, span};
use crate::administration::client::{Client, ClientError};
use crate::administration::message::describe;
use crate::administration::{Answer, MessageHeader, NewMessage, QueueDepth, Request};
use crate::rest_client::{RestAnswer, RestClient};

/// How to reach the queue manager.
#[derive(Debug, Args)]
pub(super) struct Door {
    /// Queue manager [default: the server's first; with --url QM1; with --channel or --ccdt the one that answers].
    #[arg(long = "qmgr", short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
    #[command(flatten)]
    channel: ChannelDoor,
}

#[derive(Debug, Args)]
pub(super) struct PutArguments {
    /// Queue to put to.
    queue: String,
    /// Text of the message [default: the content of standard input].
    text: Option<String>,
    /// File whose content is put.
    #[arg(long, short = 'f', value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Put bytes without a format, which are never converted.
    #[arg(long)]
    binary: bool,
    /// Put a persistent message, which survives a restart [default: as DEFPSIST of the queue].
    #[arg(long, conflicts_with = "nonpersistent")]
    persistent: bool,
    /// Put a nonpersistent message, which a restart removes.
    #[arg(long)]
    nonpersistent: bool,
    /// Priority, 0 to 9 [default: as DEFPRTY of the queue].
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=9))]
    priority: Option<u8>,
    /// Lifetime of the message, such as 5s [default: unlimited].
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    expiry: Option<Duration>,
    /// Message identifier, 48 hexadecimal digits [default: made by the queue manager].
    #[arg(long, value_name = "HEX", value_parser = identifier)]
    message_id: Option<String>,
    /// Correlation identifier, 48 hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = identifier)]
    correlation_id: Option<String>,
    /// Reply-to queue.
    #[arg(long, value_name = "QUEUE")]
    reply_to: Option<String>,
    /// Print the identifier, and errors, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    door: Door,
}

#[derive(Debug, Args)]
struct Selection {
    /// Queue to read.
    queue: String,
    /// Get only the message with this message identifier, 48 hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = identifier)]
    message_id: Option<String>,
    /// Get only messages with this correlation identifier, 48 hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = identifier)]
    correlation_id: Option<String>,
    /// Print each message as a JSON object with its descriptor.
    #[arg(long)]
    json: bool,
    /// Print text without conversion to UTF-8 and without a line end.
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    #[command(flatten)]
    door: Door,
}

#[derive(Debug, Args)]
pub(super) struct GetArguments {
    #[command(flatten)]
    selection: Selection,
    /// Time to wait for a message, such as 5s.
    #[arg(long, value_name = "TIME", value_parser = span::parse, default_value = "0")]
    wait: Duration,
    /// Maximum number of messages to get.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "all")]
    count: u64,
    /// Get all messages.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Args)]
pub(super) struct BrowseArguments {
    #[command(flatten)]
    selection: Selection,
    /// Maximum number of messages to show.
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    count: u64,
}

#[derive(Debug, Args)]
pub(super) struct DepthArguments {
    /// Queue, or a generic name such as DEV.* [default: all queues except SYSTEM ones].
    queue: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Queue manager [default: the server's first].
    #[arg(long = "qmgr", short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

impl Selection {
    fn wanted(&self, browse: bool, wait: Duration, count: u64) -> Wanted<'_> {
        Wanted {
            queue: &self.queue,
            message_id: self.message_id.as_deref(),
            correlation_id: self.correlation_id.as_deref(),
            convert: !self.raw,
            browse,
            count,
            wait,
        }
    }
}

impl Door {
    /// Shows messages one after another, through a channel where one is given, else through the socket; how many there were.
    ///
    /// # Errors
    /// Exit code 2 with `--url`, which knows nothing of a message but its text.
    pub(super) fn messages(&self, wanted: &Wanted<'_>, show: Show<'_>) -> Result<u64, Failure> {
        if self.channel.is_given() {
            self.over_channel(wanted, show)
        } else if self.remote.is_given() {
            Err(Failure::new(2, "--url cannot be used here: REST gives texts alone; use --channel"))
        } else {
            self.over_socket(wanted, show)
        }
    }

    fn over_channel(&self, wanted: &Wanted<'_>, show: Show<'_>) -> Result<u64, Failure> {
        self.channel.messages(&self.remote, self.queue_manager.as_deref(), wanted, show)
    }

    fn over_socket(&self, wanted: &Wanted<'_>, show: Show<'_>) -> Result<u64, Failure> {
        let (mut client, queue_manager) = self.socket()?;
        let request = Request::Get {
            queue_manager,
            queue: wanted.queue.to_owned(),
            browse: wanted.browse,
            count: wanted.count,
            wait_ms: milliseconds(wanted.wait),
            message_id: wanted.message_id.map(str::to_owned),
            correlation_id: wanted.correlation_id.map(str::to_owned),
            convert: wanted.convert,
        };
        client.send(&request, &[])?;
        loop {
            match client.receive()? {
                (Answer::Message(header), body) => {
                    show(&header, &body)?;
                    client.send(&Request::Taken, &[])?;
                }
                (Answer::End { count }, _) => return Ok(count),
                _ => return Err(ClientError::Unexpected.into()),
            }
        }
    }

    fn socket(&self) -> Result<(Client, Option<String>), Failure> {
        let name = self.queue_manager.as_deref().unwrap_or_default();
        let (client, queue_manager) = mqsc::connect(&self.location.directory(), name)?;
        Ok((client, Some(queue_manager)))
    }

    fn rest(&self) -> Result<Option<RestClient>, Failure> {
        if self.remote.is_given() { self.remote.client(None).map(Some) } else { Ok(None) }
    }

    fn queue_manager(&self) -> &str {
        self.queue_manager.as_deref().unwrap_or(remote::DEFAULT_QUEUE_MANAGER)
    }
}

pub(super) fn put(arguments: PutArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let body = body(&arguments)?;
    let (message_id, warning) = match arguments.door.rest()? {
        Some(client) => (put_rest(&arguments, &client, body)?, None),
        None if arguments.door.channel.is_given() => put_channel(&arguments, body)?,
        None => put_socket(&arguments, &body)?,
    };
    if arguments.json {
        writeln!(out, "{}", json!({ "messageId": message_id, "warning": warning }))?;
        return Ok(());
    }
    if let Some(warning) = &warning {
        warn(&format!("the message was put with a warning: {warning}"));
    }
    writeln!(out, "{message_id}")?;
    Ok(())
}

fn new_message(arguments: &PutArguments) -> NewMessage {
    NewMessage {
        persistent: (arguments.persistent || arguments.nonpersistent).then_some(arguments.persistent),
        priority: arguments.priority,
        expiry_ms: arguments.expiry.map(milliseconds),
        message_id: arguments.message_id.clone(),
        correlation_id: arguments.correlation_id.clone(),
        reply_to_queue: arguments.reply_to.clone(),
        text: !arguments.binary,
    }
}

/// Message id and warning.
fn put_socket(arguments: &PutArguments, body: &[u8]) -> Result<(String, Option<String>), Failure> {
    let (mut client, queue_manager) = arguments.door.socket()?;
    let request = Request::Put { queue_manager, queue: arguments.queue.clone(), message: new_message(arguments) };
    match client.ask(&request, body)?.0 {
        Answer::Put { message_id, warning } => Ok((message_id, warning)),
        _ => Err(ClientError::Unexpected.into()),
    }
}

/// Message id and warning.
fn put_channel(arguments: &PutArguments, body: Vec<u8>) -> Result<(String, Option<String>), Failure> {
    let door = &arguments.door;
    let descriptor = new_message(arguments).descriptor().map_err(|sentence| Failure::new(2, sentence))?;
    let queue_manager = door.queue_manager.as_deref();
    let put = door.channel.put(&door.remote, queue_manager, &arguments.queue, descriptor, Bytes::from(body))?;
    Ok((put.descriptor.message_id.to_string(), put.warning.map(describe)))
}

fn body(arguments: &PutArguments) -> Result<Vec<u8>, Failure> {
    if let Some(text) = &arguments.text {
        return Ok(text.clone().into_bytes());
    }
    let mut body = Vec::new();
    match &arguments.file {
        Some(file) => {
            let failed = |error| Failure::new(1, format!("cannot read {}: {error}", file.display()));
            File::open(file).and_then(|mut open| open.read_to_end(&mut body)).map_err(failed)?;
        }
        None => {
            stdin().read_to_end(&mut body)?;
        }
    }
    Ok(body)
}

fn put_rest(arguments: &PutArguments, client: &RestClient, body: Vec<u8>) -> Result<String, Failure> {
    if arguments.binary || arguments.message_id.is_some() {
        return Err(Failure::new(
            2,
            "--binary and --message-id cannot be used with --url: REST puts text, and makes the id",
        ));
    }
    let mut headers = vec![("content-type", "text/plain;charset=utf-8".to_owned())];
    if arguments.persistent {
        headers.push(("ibm-mq-md-persistence", "persistent".to_owned()));
    }
    if let Some(priority) = arguments.priority {
        headers.push(("ibm-mq-md-priority", priority.to_string()));
    }
    if let Some(expiry) = arguments.expiry {
        headers.push(("ibm-mq-md-expiry", milliseconds(expiry).to_string()));
    }
    if let Some(id) = &arguments.correlation_id {
        headers.push(("ibm-mq-md-correlationid", format!("ID:{id}")));
    }
    if let Some(queue) = &arguments.reply_to {
        headers.push(("ibm-mq-md-replyto", queue.clone()));
    }
    let manager = arguments.door.queue_manager();
    let answer = client
        .request(Method::POST, manager, &arguments.queue, "message", &headers, Bytes::from(body))
        .map_err(|error| rest_failure(&error))?;
    Ok(without_prefix(answer.header("ibm-mq-md-messageid")).unwrap_or_default())
}

pub(super) fn get(arguments: GetArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let count = if arguments.all { u64::MAX } else { arguments.count };
    let got = match arguments.selection.door.rest()? {
        Some(client) => get_rest(&arguments.selection, &client, milliseconds(arguments.wait), count, out)?,
        None if arguments.selection.door.channel.is_given() => {
            over_channel(&arguments.selection, false, arguments.wait, count, out)?
        }
        None => over_socket(&arguments.selection, false, arguments.wait, count, out)?,
    };
    if got == 0 && !arguments.all { Err(no_message(&arguments.selection.queue)) } else { Ok(()) }
}

pub(super) fn browse(arguments: BrowseArguments, out: &mut dyn Write) -> Result<(), Failure> {
    match arguments.selection.door.rest()? {
        Some(client) => browse_rest(&arguments.selection, &client, arguments.count, out)?,
        None if arguments.selection.door.channel.is_given() => {
            over_channel(&arguments.selection, true, Duration::ZERO, arguments.count, out)?
        }
        None => over_socket(&arguments.selection, true, Duration::ZERO, arguments.count, out)?,
    };
    Ok(())
}

fn no_message(queue: &str) -> Failure {
    let reason = Reason::NoMsgAvailable;
    Failure::new(NO_MESSAGE, format!("{queue} has no matching message: {}", describe(reason))).with_reason(reason)
}

/// # Errors
/// What is no identifier, as a sentence that says what is expected.
fn identifier(text: &str) -> Result<String, String> {
    match MessageId::from_hex(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("expected 48 hexadecimal digits".to_owned()),
    }
}

/// Messages through the socket; how many there were.
fn over_socket(
    selection: &Selection,
    browse: bool,
    wait: Duration,
    count: u64,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let mut show = |header: &MessageHeader, body: &[u8]| show_with_header(selection, header, body, &mut *out);
    selection.door.over_socket(&selection.wanted(browse, wait, count), &mut show)
}

/// Messages through a channel; how many there were.
fn over_channel(
    selection: &Selection,
    browse: bool,
    wait: Duration,
    count: u64,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let mut show = |header: &MessageHeader, body: &[u8]| show_with_header(selection, header, body, &mut *out);
    selection.door.over_channel(&selection.wanted(browse, wait, count), &mut show)
}

fn show_with_header(
    selection: &Selection,
    header: &MessageHeader,
    body: &[u8],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if let Some(warning) = header.warning.as_ref().filter(|_| !selection.json) {
        warn(&format!("the message was got with a warning: {warning}"));
    }
    show(selection, &object_of(header), body, out)
}

fn object_of(header: &MessageHeader) -> Map<String, Value> {
    match serde_json::to_value(header) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

fn get_rest(
    selection: &Selection,
    client: &RestClient,
    wait_ms: u64,
    count: u64,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let mut wait_ms = wait_ms;
    for done in 0..count {
        let mut query = query(selection, None);
        if wait_ms > 0 {
            query.push(format!("wait={wait_ms}"));
        }
        match rest_message(client, Method::DELETE, selection, &query)? {
            Some(answer) => show(selection, &rest_object(&answer), &answer.body, out)?,
            None => return Ok(done),
        }
        wait_ms = 0;
    }
    Ok(count)
}

/// REST browses one message at a time: the list first, then each by its id.
fn browse_rest(selection: &Selection, client: &RestClient, count: u64, out: &mut dyn Write) -> Result<u64, Failure> {
    let list = resource("messagelist", &query(selection, None));
    let manager = selection.door.queue_manager();
    let answer = client
        .request(Method::GET, manager, &selection.queue, &list, &[], Bytes::new())
        .map_err(|error| rest_failure(&error))?;
    let list: Value = serde_json::from_slice(&answer.body).map_err(|error| Failure::of(1, &error))?;
    let ids = list["messages"].as_array().into_iter().flatten().filter_map(|message| message["messageId"].as_str());
    let mut shown = 0;
    for id in ids.take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let query = query(selection, Some(id.trim_start_matches("ID:")));
        if let Some(answer) = rest_message(client, Method::GET, selection, &query)? {
            show(selection, &rest_object(&answer), &answer.body, out)?;
            shown += 1;
        }
    }
    Ok(shown)
}

fn rest_message(
    client: &RestClient,
    method: Method,
    selection: &Selection,
    query: &[String],
) -> Result<Option<RestAnswer>, Failure> {
    let manager = selection.door.queue_manager();
    let answer = client
        .request(method, manager, &selection.queue, &resource("message", query), &[], Bytes::new())
        .map_err(|error| rest_failure(&error))?;
    Ok((answer.status != StatusCode::NO_CONTENT).then_some(answer))
}

fn resource(name: &str, query: &[String]) -> String {
    if query.is_empty() { name.to_owned() } else { format!("{name}?{}", query.join("&")) }
}

fn query(selection: &Selection, message_id: Option<&str>) -> Vec<String> {
    let message_id = message_id.or(selection.message_id.as_deref()).map(|id| format!("messageId=ID:{id}"));
    let correlation_id = selection.correlation_id.as_ref().map(|id| format!("correlationId=ID:{id}"));
    message_id.into_iter().chain(correlation_id).collect()
}

/// What REST tells about a message; put date, user and format are not among it.
fn rest_object(answer: &RestAnswer) -> Map<String, Value> {
    let mut object = Map::new();
    for (key, header) in [("messageId", "ibm-mq-md-messageid"), ("correlationId", "ibm-mq-md-correlationid")] {
        if let Some(id) = without_prefix(answer.header(header)) {
            object.insert(key.to_owned(), json!(id));
        }
    }
    if let Some(persistence) = answer.header("ibm-mq-md-persistence") {
        object.insert("persistent".to_owned(), json!(persistence == "persistent"));
    }
    if let Some(priority) = answer.header("ibm-mq-md-priority").and_then(|text| text.parse::<u8>().ok()) {
        object.insert("priority".to_owned(), json!(priority));
    }
    object
}

fn without_prefix(id: Option<&str>) -> Option<String> {
    id.map(|id| id.strip_prefix("ID:").unwrap_or(id).to_owned())
}

/// Writes and flushes one message, so that it may be taken from the queue.
fn show(selection: &Selection, object: &Map<String, Value>, body: &[u8], out: &mut dyn Write) -> Result<(), Failure> {
    if selection.json {
        let mut object = object.clone();
        if let Some(record) = record(&object, body) {
            object.insert("record".to_owned(), record);
            writeln!(out, "{}", Value::Object(object))?;
            return Ok(out.flush()?);
        }
        match std::str::from_utf8(body) {
            Ok(text) => object.insert("body".to_owned(), json!(text)),
            Err(_) => {
                use base64::Engine as _;
                let encoded = base64::engine::general_purpose::STANDARD.encode(body);
                object.insert("bodyBase64".to_owned(), json!(encoded))
            }
        };
        writeln!(out, "{}", Value::Object(object))?;
    } else {
        out.write_all(body)?;
        if !selection.raw && !body.ends_with(b"\n") {
            out.write_all(b"\n")?;
        }
    }
    Ok(out.flush()?)
}

/// A message in PCF that was got with conversion, which makes integers native; strings name their own CCSID.
pub(super) fn decoded(ccsid: i32, body: &[u8]) -> Option<pcf::Message> {
    pcf::decode(body, Encoding::NATIVE, Ccsid(ccsid)).ok().map(|(message, _)| message)
}

/// An accounting or statistics record, told by its names; `None` for other messages.
fn record(header: &Map<String, Value>, body: &[u8]) -> Option<Value> {
    if header.get("format")?.as_str()? != "MQADMIN" {
        return None;
    }
    let record = decoded(i32::try_from(header.get("ccsid")?.as_i64()?).ok()?, body)?;
    let is_record = [MessageKind::ACCOUNTING, MessageKind::STATISTICS].contains(&record.header.kind);
    serde_json::to_value(Record(&record)).ok().filter(|_| is_record)
}

pub(super) fn depth(arguments: &DepthArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let queue = arguments.queue.clone().unwrap_or_else(|| "*".to_owned());
    let name = arguments.queue_manager.as_deref().unwrap_or_default();
    let mut queues = match arguments.remote.is_given() {
        true => depths_over_rest(&arguments.remote, name, &queue)?,
        false => {
            let (mut client, queue_manager) = mqsc::connect(&arguments.location.directory(), name)?;
            let request = Request::Depth { queue_manager: Some(queue_manager), queue };
            let (Answer::Depths, body) = client.ask(&request, &[])? else {
                return Err(ClientError::Unexpected.into());
            };
            serde_json::from_slice(&body).map_err(|_| ClientError::Unexpected)?
        }
    };
    if arguments.queue.is_none() {
        queues.retain(|queue| !queue.queue.starts_with("SYSTEM."));
    }
    if arguments.json {
        writeln!(out, "{}", json!(queues))?;
        return Ok(());
    }
    let exact = arguments.queue.as_deref().is_some_and(|name| !name.ends_with('*'));
    if let (true, [only]) = (exact, queues.as_slice()) {
        writeln!(out, "{}", only.depth)?;
        return Ok(());
    }
    Ok(table(&queues, out)?)
}

/// Two commands: what the queues are, and how they are. A queue that goes between the two is left out.
fn depths_over_rest(remote: &Remote, name: &str, queue: &str) -> Result<Vec<QueueDepth>, Failure> {
    let mut door = MqscDoor::rest(remote, None, name)?;
    let maximum: BTreeMap<String, u32> = door
        .rows(&format!("DISPLAY QLOCAL('{queue}') MAXDEPTH"))?
        .iter()
        .filter_map(|row| Some((row.get("QUEUE")?.clone(), number(row, "MAXDEPTH"))))
        .collect();
    let rows = door.rows(&format!("DISPLAY QSTATUS('{queue}') TYPE(QUEUE) CURDEPTH UNCOM IPPROCS OPPROCS"))?;
    let depth = |row: &BTreeMap<String, String>| {
        let queue = row.get("QUEUE")?.clone();
        Some(QueueDepth {
            depth: number(row, "CURDEPTH"),
            maximum_depth: *maximum.get(&queue)?,
            uncommitted: number(row, "UNCOM"),
            open_input: number(row, "IPPROCS"),
            open_output: number(row, "OPPROCS"),
            queue,
        })
    };
    Ok(rows.iter().filter_map(depth).collect())
}

/// A number of a row; YES and NO, as IBM's UNCOM is, count as 1 and 0.
fn number(row: &BTreeMap<String, String>, keyword: &str) -> u32 {
    let text = row.get(keyword).map_or("", String::as_str);
    text.parse().unwrap_or(u32::from(text == "YES"))
}

fn table(queues: &[QueueDepth], out: &mut dyn Write) -> std::io::Result<()> {
    let width = queues.iter().map(|queue| queue.queue.len()).max().unwrap_or_default();
    for queue in queues {
        writeln!(out, "{:<width$}  {:>9}", queue.queue, queue.depth)?;
    }
    Ok(())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
