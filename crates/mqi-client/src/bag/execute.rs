//! mqExecute: a command to the command server, and its responses as bags.

use channel_client::connection::Connection;
use channel_client::error::ChannelError;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, MessageType};
use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::pcf::{Coding, Header, Message, decode};
use model::reason::Reason;
use std::time::Duration;
use tokio::runtime::Runtime;

use super::{fill, parameters, response_within};
use crate::constant::{MQIASY_COMP_CODE, MQIASY_REASON, MQRCCF_COMMAND_FAILED};
use crate::{Ended, ended_by, failed, handles};

const COMMAND_QUEUE: &str = "SYSTEM.ADMIN.COMMAND.QUEUE";
const REPLY_MODEL: &str = "SYSTEM.DEFAULT.MODEL.QUEUE";
/// Longest wait for each response, in milliseconds: what the MQAI waits for by default.
const WAIT: Duration = Duration::from_millis(60_000);

/// Sends the command with the items of `admin`, and adds a bag for each response to `responses`.
///
/// # Errors
/// 2320, 2303 a response that is none, 2033 none in time, 3008 the command failed, and what verbs say.
pub fn execute(hconn: i32, command: i32, admin: Option<i32>, responses: i32) -> Result<Ended, Ended> {
    let items = match admin {
        None => Vec::new(),
        Some(admin) => super::with(admin, |bag| Ok(bag.items.clone()))?,
    };
    super::with(responses, |_| Ok(()))?;
    let message = Message { header: Header::command(command), parameters: parameters(&items) };
    let answers = handles::run(hconn, |runtime, session| ask(runtime, &mut session.connection, &message))?;
    let mut ended = Ended::WELL;
    for answer in answers {
        let bag = response_within(responses)?;
        super::add(bag, MQIASY_COMP_CODE, super::Value::Integer(answer.header.completion))?;
        super::add(bag, MQIASY_REASON, super::Value::Integer(answer.header.reason))?;
        if answer.header.completion >= 2 {
            ended = Ended { completion: 2, reason: MQRCCF_COMMAND_FAILED };
        }
        fill(bag, answer.parameters)?;
    }
    Ok(ended)
}

fn ask(runtime: &Runtime, connection: &mut Connection, message: &Message) -> Result<Vec<Message>, Ended> {
    let asked = runtime.block_on(async {
        let named = |name: &str| ObjectDescriptor {
            name: ObjectName::parse(name).unwrap_or_default(),
            ..ObjectDescriptor::default()
        };
        let replies = connection.open(&named(REPLY_MODEL), OpenOptions::INPUT_EXCLUSIVE).await?;
        let descriptor = MessageDescriptor {
            message_type: MessageType::REQUEST,
            format: Format::ADMIN,
            reply_to_queue: replies.object_name,
            ..MessageDescriptor::default()
        };
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, context: None };
        let put =
            connection.put1(&named(COMMAND_QUEUE), descriptor, &options, Coding::native().bytes(message).into()).await;
        let answers = match put {
            Ok(_) => answers(connection, replies.handle).await,
            Err(error) => Err(error),
        };
        let closed = connection.close(replies.handle, CloseOptions::DELETE_PURGE).await;
        let answers = answers?;
        closed?;
        Ok::<_, ChannelError>(answers)
    });
    asked.map_err(|error| ended_by(&error))?.ok_or(failed(Reason::BagConversionError))
}

/// All responses, up to the last; `None` when one is no PCF.
async fn answers(
    connection: &mut Connection,
    replies: channel_client::connection::ObjectHandle,
) -> Result<Option<Vec<Message>>, ChannelError> {
    let options = GetOptions {
        flags: GetFlags::WAIT | GetFlags::NO_SYNCPOINT | GetFlags::CONVERT,
        wait: Some(WAIT),
        ..GetOptions::default()
    };
    let mut all = Vec::new();
    loop {
        let got = connection.get(replies, &options).await?;
        let (encoding, ccsid): (Encoding, Ccsid) = (got.descriptor.encoding, got.descriptor.ccsid);
        let Ok((answer, _)) = decode(&got.body, encoding, ccsid) else { return Ok(None) };
        let is_last = answer.header.is_last;
        all.push(answer);
        if is_last {
            return Ok(Some(all));
        }
    }
}
