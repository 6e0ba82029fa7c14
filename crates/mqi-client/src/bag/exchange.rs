//! Bags as messages: mqExecute, mqPutBag, mqGetBag, mqBagToBuffer, mqBufferToBag.

use std::time::Duration;

use channel_client::connection::{Connection, ObjectHandle};
use channel_client::error::ChannelError;
use channel_protocol::structure::descriptor_image::DescriptorImage;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, MessageType};
use model::identifier::CorrelationId;
use model::name::{ObjectName, QueueName};
use model::options::{
    CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use model::pcf::{Coding, Message, decode};
use model::reason::Reason;

use super::{Item, Value, change, message, with};
use crate::constant::{MQHA_BAG_HANDLE, MQHO_NONE, MQIACF_WAIT_INTERVAL, MQRCCF_COMMAND_FAILED, MQWI_UNLIMITED};
use crate::handles::{self, Session};
use crate::structure::{Mqgmo, Mqpmo};
use crate::verb::{self, Records, object_handle};
use crate::{Ended, ended_by, failed};

const COMMAND_QUEUE: &str = "SYSTEM.ADMIN.COMMAND.QUEUE";
const REPLY_MODEL: &str = "SYSTEM.DEFAULT.MODEL.QUEUE";
/// Longest wait for each response, unless the options say otherwise.
const WAIT: Duration = Duration::from_secs(60);
/// Formats of messages that are PCF.
const FORMATS: [Format; 3] = [Format::ADMIN, Format::EVENT, Format::PCF];

/// mqBagToBuffer.
///
/// # Errors
/// As `message::of`.
pub fn to_buffer(bag: i32) -> Result<Vec<u8>, Ended> {
    Ok(Coding::native().bytes(&message::of(bag, None)?))
}

/// mqBufferToBag.
///
/// # Errors
/// 2303 the buffer holds no PCF, and as `message::into`.
pub fn from_buffer(bytes: &[u8], bag: i32) -> Result<Ended, Ended> {
    let read = decode(bytes, Encoding::NATIVE, Ccsid::UTF_8);
    let (message, _) = read.map_err(|_| failed(Reason::BagConversionError))?;
    message::into(bag, message)?;
    Ok(Ended::WELL)
}

fn is_pcf(md: &DescriptorImage) -> bool {
    FORMATS.contains(&Format(model::text::Text::from_bytes(md.format()).padded()))
}

/// mqPutBag. The descriptor says which of the formats it is.
///
/// # Errors
/// 2317 no format of PCF, and as `message::of` and `verb::put`.
pub fn put(hconn: i32, hobj: i32, md: &mut DescriptorImage, pmo: &mut Mqpmo, bag: i32) -> Result<Ended, Ended> {
    if !is_pcf(md) {
        return Err(failed(Reason::FormatNotSupported));
    }
    let body = to_buffer(bag)?;
    md.set_encoding(Encoding::NATIVE.0);
    md.set_ccsid(Ccsid::UTF_8.0);
    verb::put(hconn, hobj, md, pmo, &mut Records::default(), &body)
}

/// mqGetBag. A message that is no PCF is gone, unless it was browsed or got under syncpoint.
///
/// # Errors
/// 2320, 2315, 2317 the message is not of a format of PCF, 2303 it is damaged, and what `verb::get` says.
pub fn get(hconn: i32, hobj: i32, md: &mut DescriptorImage, gmo: &mut Mqgmo, bag: i32) -> Result<Ended, Ended> {
    message::check_fillable(bag)?;
    // A bag has no buffer that would be too short.
    let room = handles::run(hconn, |_, session| Ok(session.connection.maximum_message_length() as usize))?;
    let got = verb::get(hconn, hobj, md, gmo, room)?;
    if got.ended.is_failed() {
        return Ok(got.ended);
    }
    if !is_pcf(md) {
        return Err(failed(Reason::FormatNotSupported));
    }
    let read = decode(&got.data, Encoding(md.encoding()), Ccsid(md.ccsid()));
    let (message, _) = read.map_err(|_| failed(Reason::BagConversionError))?;
    message::into(bag, message)?;
    Ok(got.ended)
}

/// What mqExecute is given beside its command.
#[derive(Debug, Clone, Copy)]
pub struct Execution {
    pub hconn: i32,
    pub command: i32,
    /// `None` for no options, and for no parameters.
    pub options: Option<i32>,
    pub parameters: Option<i32>,
    pub responses: i32,
    /// MQHO_NONE for the queue of the command server, and for a temporary one.
    pub command_queue: i32,
    pub response_queue: i32,
}

/// mqExecute: sends the command, and puts a bag for each response into the bag of responses, which loses what it holds.
///
/// # Errors
/// 2320, 2315, 2046 an option that is not known, 2303 a response that is no PCF, 2033 none in time, 3008 the command failed, and
/// what verbs say.
pub fn execute(execution: &Execution) -> Result<Ended, Ended> {
    let queues = Queues { commands: given(execution.command_queue)?, responses: given(execution.response_queue)? };
    let wait = execution.options.map_or(Ok(Some(WAIT)), wait)?;
    let message = match execution.parameters {
        None => Message { header: model::pcf::Header::command(execution.command), parameters: Vec::new() },
        Some(bag) => message::of(bag, Some(execution.command))?,
    };
    super::clear(execution.responses)?;
    let answers = handles::run(execution.hconn, |runtime, session| {
        let asked = runtime.block_on(ask(session, &queues, &message, wait));
        asked.map_err(|error| ended_by(&error))?.ok_or(failed(Reason::BagConversionError))
    })?;
    let mut ended = Ended::WELL;
    for answer in answers {
        if answer.header.completion >= 2 {
            ended = Ended { completion: 2, reason: MQRCCF_COMMAND_FAILED };
        }
        let within = message::received(answer);
        change(execution.responses, |bag| {
            bag.items.push(Item { selector: MQHA_BAG_HANDLE, value: Value::Bag(within) });
            Ok(())
        })?;
    }
    Ok(ended)
}

/// The options of mqExecute: how long to wait for each response, `None` for without end.
fn wait(options: i32) -> Result<Option<Duration>, Ended> {
    with(options, |bag| {
        let mut wait = Some(WAIT);
        for item in bag.users() {
            wait = match (item.selector, &item.value) {
                (MQIACF_WAIT_INTERVAL, Value::Integer(MQWI_UNLIMITED)) => None,
                (MQIACF_WAIT_INTERVAL, Value::Integer(wait)) => {
                    Some(Duration::from_millis(u64::try_from(*wait).map_err(|_| Reason::WaitIntervalError)?))
                }
                _ => return Err(Reason::OptionsError),
            };
        }
        Ok(wait)
    })
}

/// Queues that the program names by their handles.
struct Queues {
    commands: Option<ObjectHandle>,
    responses: Option<ObjectHandle>,
}

fn given(number: i32) -> Result<Option<ObjectHandle>, Ended> {
    if number == MQHO_NONE { Ok(None) } else { object_handle(number).map(Some) }
}

async fn ask(
    session: &mut Session,
    queues: &Queues,
    message: &Message,
    wait: Option<Duration>,
) -> Result<Option<Vec<Message>>, ChannelError> {
    if let Some(queue) = queues.responses {
        let reply_to = session.names.get(&queue.number()).copied().unwrap_or_default();
        return ask_for_answers_on(&mut session.connection, queues.commands, message, (queue, reply_to), wait).await;
    }
    let opened = session.connection.open(&named(REPLY_MODEL), OpenOptions::INPUT_EXCLUSIVE).await?;
    let replies = (opened.handle, opened.object_name);
    let answers = ask_for_answers_on(&mut session.connection, queues.commands, message, replies, wait).await;
    session.connection.close(opened.handle, CloseOptions::DELETE_PURGE).await?;
    answers
}

fn named(name: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: ObjectName::parse(name).unwrap_or_default(), ..ObjectDescriptor::default() }
}

async fn ask_for_answers_on(
    connection: &mut Connection,
    commands: Option<ObjectHandle>,
    message: &Message,
    (queue, reply_to): (ObjectHandle, QueueName),
    wait: Option<Duration>,
) -> Result<Option<Vec<Message>>, ChannelError> {
    let descriptor = MessageDescriptor {
        message_type: MessageType::REQUEST,
        format: Format::ADMIN,
        reply_to_queue: reply_to,
        ..MessageDescriptor::default()
    };
    let options = PutOptions { flags: PutFlags::NO_SYNCPOINT | PutFlags::NEW_MSG_ID, context: None };
    let body = Coding::native().bytes(message).into();
    let put = match commands {
        None => connection.put1(&named(COMMAND_QUEUE), descriptor, &options, body).await?,
        Some(queue) => connection.put(queue, descriptor, &options, body).await?,
    };
    let options = GetOptions {
        flags: GetFlags::WAIT | GetFlags::NO_SYNCPOINT | GetFlags::CONVERT,
        wait,
        match_options: MatchOptions::CORREL_ID,
        correlation_id: CorrelationId::from(put.descriptor.message_id),
        ..GetOptions::default()
    };
    answers(connection, queue, &options).await
}

/// All responses, up to the last; `None` when one is no PCF.
async fn answers(
    connection: &mut Connection,
    replies: ObjectHandle,
    options: &GetOptions,
) -> Result<Option<Vec<Message>>, ChannelError> {
    let mut all = Vec::new();
    loop {
        let got = connection.get(replies, options).await?;
        let (encoding, ccsid): (Encoding, Ccsid) = (got.descriptor.encoding, got.descriptor.ccsid);
        let Ok((answer, _)) = decode(&got.body, encoding, ccsid) else { return Ok(None) };
        let is_last = answer.header.is_last;
        all.push(answer);
        if is_last {
            return Ok(Some(all));
        }
    }
}
