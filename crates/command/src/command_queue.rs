//! The command server: takes requests from SYSTEM.ADMIN.COMMAND.QUEUE, runs them and answers.
//!
//! One request at a time, in the order of the queue. A request is got in a unit of work that its answers belong to, so
//! that a request whose answers are not all put is there again after a failure. Requests run with the authority of the
//! user named in their descriptor, by the whole name and with the groups (`MessageDescriptor::answerable`), and answers are put with it: nobody reaches a queue through the command server that
//! was not open to him before. An answer that cannot be put goes to the dead-letter queue.
//!
//! Nothing is polled: it waits for messages, for its switch and for the end of the queue manager.
//!
//! Source: MQ reference, "Message descriptor for a PCF message", "Responses", 9.3.

use bytes::Bytes;
use model::authority::Principal;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, MessageType, Report};
use model::header::dead_letter::DeadLetterHeader;
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::pcf::{Coding, Message, PcfError, decode};
use model::reason::Reason;
use model::text::Text;
use queue_manager::connection::{GetResult, ObjectHandle};
use queue_manager::event::command::{Issuer, Origin};
use queue_manager::{ConnectOptions, Connection, QueueManager};
use tracing::{info, warn};

use crate::pcf;

const COMMAND_QUEUE: &str = "SYSTEM.ADMIN.COMMAND.QUEUE";
/// MQAT_QMGR: the queue manager's own work.
const QUEUE_MANAGER: i32 = 7;
const APPLICATION: &str = "command server";
/// MQRCCF_MD_FORMAT_ERROR.
const FORMAT_ERROR: i32 = 3023;

/// Serves whenever it is wanted; returns when the queue manager ends.
///
/// `administrator` is whose name the server's own connection has.
pub async fn serve(queue_manager: &QueueManager, administrator: &Principal) {
    let switch = queue_manager.command_server();
    while switch.wanted().await {
        let Err(reason) = serve_once(queue_manager, administrator).await else { continue };
        let is_ending = matches!(reason, Reason::QMgrQuiescing | Reason::QMgrStopping);
        if !is_ending && queue_manager.log_failure().is_none() {
            warn!(queue_manager = %queue_manager.name(), %reason, "the command server has stopped");
        }
        switch.give_up();
    }
}

/// Serves until it is not wanted any more.
///
/// # Errors
/// The command queue cannot be opened or read, or the unit of work cannot be finished.
async fn serve_once(queue_manager: &QueueManager, administrator: &Principal) -> Result<(), Reason> {
    let connection = queue_manager.connect(ConnectOptions {
        principal: administrator.clone(),
        application_name: APPLICATION.to_owned(),
        application_type: QUEUE_MANAGER,
        channel: String::new(),
        connection_name: String::new(),
    })?;
    let object = ObjectDescriptor { name: QueueName::literal(COMMAND_QUEUE), ..ObjectDescriptor::default() };
    let options = OpenOptions::INPUT_SHARED | OpenOptions::FAIL_IF_QUIESCING;
    let handle = connection.open(administrator, &object, options).await?.handle;
    let server = Server { queue_manager, administrator, connection, handle };
    let switch = queue_manager.command_server();
    let _serving = switch.serving();
    info!(queue_manager = %queue_manager.name(), "the command server has started");
    while let Some(request) = switch.while_wanted(server.next()).await {
        server.serve(request?).await?;
    }
    info!(queue_manager = %queue_manager.name(), "the command server has ended");
    Ok(())
}

struct Server<'a> {
    queue_manager: &'a QueueManager,
    administrator: &'a Principal,
    connection: Connection,
    handle: ObjectHandle,
}

impl Server<'_> {
    /// The next request, in a unit of work.
    async fn next(&self) -> Result<Box<GetResult>, Reason> {
        let flags = GetFlags::WAIT | GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::NO_PROPERTIES;
        self.connection.get(self.handle, &GetOptions { flags, ..GetOptions::default() }).await
    }

    /// Runs one request, answers it, and ends the unit of work.
    async fn serve(&self, request: Box<GetResult>) -> Result<(), Reason> {
        let GetResult { message, .. } = *request;
        let (descriptor, body) = (message.descriptor, message.body);
        let user = descriptor.answerable();
        let user = user.as_ref();
        match descriptor.message_type {
            MessageType::REQUEST => {
                let answers = self.run(user, &descriptor, &body).await;
                self.answer(user, &descriptor, &answers).await;
            }
            // Nobody waits for an answer.
            MessageType::DATAGRAM => {
                self.run(user, &descriptor, &body).await;
            }
            _ => {
                let command_queue = QueueName::literal(COMMAND_QUEUE);
                let _ = self.dead_letter(descriptor, body, command_queue, Reason::MsgTypeError).await;
            }
        }
        self.connection.commit().await
    }

    async fn run(&self, user: Option<&Principal>, descriptor: &MessageDescriptor, body: &Bytes) -> Vec<Message> {
        if !matches!(descriptor.format, Format::ADMIN | Format::PCF) {
            return pcf::refuse(0, FORMAT_ERROR, None);
        }
        let request = match decode(body, descriptor.encoding, descriptor.ccsid) {
            Ok((request, length)) if length == body.len() => request,
            Ok((request, _)) => return refused(request.header.command, PcfError::MessageLength),
            Err(error) => return refused(command_of(body, descriptor.encoding), error),
        };
        let Some(principal) = user else {
            let name = &descriptor.user_identifier;
            warn!("a command of user '{name}...' was refused: the message descriptor does not hold the whole name");
            return pcf::refuse(request.header.command, Reason::NotAuthorized.number(), None);
        };
        let issuer = Issuer { message: Some(descriptor), ..Issuer::new(principal, Origin::Message) };
        pcf::run(self.queue_manager, &issuer, &request).await
    }

    /// Puts all answers, in order.
    async fn answer(&self, user: Option<&Principal>, request: &MessageDescriptor, answers: &[Message]) {
        let coding = Coding::new(request.encoding, request.ccsid).unwrap_or_else(Coding::native);
        let flags = self.put_flags(answers.len());
        for answer in answers {
            let descriptor = reply_descriptor(request, &coding);
            let body = Bytes::from(coding.bytes(answer));
            let Err(reason) = self.put(user, request, descriptor.clone(), flags, body.clone()).await else { continue };
            let queue = request.reply_to_queue;
            if request.report.contains(Report::DISCARD_MSG) {
                warn!(%queue, %reason, "an answer of the command server was discarded, as its request asked");
            } else if let Err(dead) = self.dead_letter(descriptor, body, queue, reason).await {
                warn!(%queue, %reason, dead_letter = %dead, "an answer of the command server was given up");
            }
        }
    }

    /// With the request in one unit of work, unless there are more answers than one takes.
    fn put_flags(&self, answers: usize) -> PutFlags {
        let most = self.queue_manager.definition().maximum_uncommitted_messages;
        let fits = u32::try_from(answers).is_ok_and(|answers| answers < most);
        if fits { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT }
    }

    async fn put(
        &self,
        user: Option<&Principal>,
        request: &MessageDescriptor,
        descriptor: MessageDescriptor,
        flags: PutFlags,
        body: Bytes,
    ) -> Result<(), Reason> {
        let object = ObjectDescriptor {
            name: request.reply_to_queue,
            queue_manager: request.reply_to_queue_manager,
            ..ObjectDescriptor::default()
        };
        let options = PutOptions { flags, ..PutOptions::default() };
        let user = user.ok_or(Reason::NotAuthorized)?;
        self.connection.put1(user, &object, descriptor, &options, body).await.map(drop)
    }

    /// Puts what could not be delivered to `queue` to the dead-letter queue, with the server's own authority.
    async fn dead_letter(
        &self,
        descriptor: MessageDescriptor,
        body: Bytes,
        queue: QueueName,
        reason: Reason,
    ) -> Result<(), Reason> {
        let name = self.queue_manager.definition().dead_letter_queue;
        if name.is_blank() {
            return Err(Reason::UnknownObjectName);
        }
        let now = self.queue_manager.now();
        let header = DeadLetterHeader {
            reason: reason.number(),
            destination_queue: Text::from_bytes(queue.padded()),
            destination_queue_manager: Text::from_bytes(self.queue_manager.name().padded()),
            encoding: descriptor.encoding,
            ccsid: descriptor.ccsid,
            format: descriptor.format,
            put_application_type: QUEUE_MANAGER,
            put_application_name: Text::new(APPLICATION),
            put_date: now.put_date(),
            put_time: now.put_time(),
        };
        let mut bytes = Vec::with_capacity(DeadLetterHeader::LENGTH + body.len());
        header.encode(Encoding::NATIVE, &mut bytes);
        bytes.extend_from_slice(&body);
        let descriptor = MessageDescriptor {
            format: Format::DEAD_LETTER_HEADER,
            encoding: Encoding::NATIVE,
            ccsid: Ccsid::Q_MGR,
            report: Report::empty(),
            ..descriptor
        };
        let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
        let options = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
        self.connection.put1(self.administrator, &object, descriptor, &options, bytes.into()).await.map(drop)
    }
}

fn refused(command: i32, error: PcfError) -> Vec<Message> {
    pcf::refuse(command, error.number(), error.parameter())
}

/// The command a damaged message is about, when its header goes that far; 0 is MQCMD_NONE.
fn command_of(body: &[u8], encoding: Encoding) -> i32 {
    let field = body.get(12..16).and_then(|field| field.try_into().ok()).unwrap_or_default();
    if encoding.integers_are_little_endian() { i32::from_le_bytes(field) } else { i32::from_be_bytes(field) }
}

/// As report options of the request ask; identifiers by default a new one and the request's.
fn reply_descriptor(request: &MessageDescriptor, coding: &Coding) -> MessageDescriptor {
    let report = request.report;
    MessageDescriptor {
        message_type: MessageType::REPLY,
        format: Format::ADMIN,
        encoding: coding.encoding,
        ccsid: coding.ccsid,
        priority: request.priority,
        persistence: request.persistence,
        expiry: request.expiry,
        message_id: if report.contains(Report::PASS_MSG_ID) { request.message_id } else { MessageId::NONE },
        correlation_id: if report.contains(Report::PASS_CORREL_ID) {
            request.correlation_id
        } else {
            CorrelationId::from(request.message_id)
        },
        ..MessageDescriptor::default()
    }
}
