//! What the responder's own get and put cost the server: requests are put first, then a responder comes and answers them.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use channel_client::client::Client;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::options::{ConnectOptions, Credentials};
use model::descriptor::{Format, MessageDescriptor, MessageType, Persistence};
use model::name::ObjectName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use system_tests::server::APP_PASSWORD;
use workload::measure::processor_time;

use super::REQUEST_BYTES;
use super::setting::{CHANNEL, FILLED_QUEUE, FILLED_REPLY_QUEUE, Setting, responder};
use crate::responder::Habit;

/// How long all the replies may take.
const LIMIT: Duration = Duration::from_secs(60);
/// MQIA_CURRENT_Q_DEPTH.
const CURRENT_DEPTH: i32 = 3;
/// How often the depth of the reply queue is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Microseconds of the server's processor time for one get and one put of a responder, over `messages` of them.
pub(super) fn cpu_us(setting: &Setting, messages: u32) -> Result<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut queues = Queues::open(setting).await?;
        queues.fill(messages).await?;
        let before = processor_time(setting.server.pid(), false)?.used;
        let responder = responder(setting, FILLED_QUEUE, Habit::Streaming)?;
        tokio::time::timeout(LIMIT, queues.await_replies(messages)).await.context("replies are missing")??;
        let used = processor_time(setting.server.pid(), false)?.used - before;
        drop(responder);
        queues.empty(messages).await?;
        Ok(used.as_secs_f64() * 1e6 / f64::from(messages))
    })
}

struct Queues {
    connection: Connection,
    requests: ObjectHandle,
    replies: ObjectHandle,
}

impl Queues {
    async fn open(setting: &Setting) -> Result<Self> {
        let names = setting.mq.to_string().parse()?;
        let mut options = ConnectOptions::new(ObjectName::parse_within(CHANNEL, 20)?, names);
        options.credentials = Some(Credentials { user: "app".to_owned(), password: APP_PASSWORD.to_owned() });
        let mut connection = Client::new(options)?.connect().await?;
        let mut open = async |name: &str, options| {
            let object = ObjectDescriptor { name: ObjectName::parse(name)?, ..ObjectDescriptor::default() };
            anyhow::Ok(connection.open(&object, options).await?.handle)
        };
        let requests = open(FILLED_QUEUE, OpenOptions::OUTPUT).await?;
        let replies = open(FILLED_REPLY_QUEUE, OpenOptions::INPUT_SHARED | OpenOptions::INQUIRE).await?;
        Ok(Self { connection, requests, replies })
    }

    async fn fill(&mut self, messages: u32) -> Result<()> {
        let body = Bytes::from(vec![b'x'; REQUEST_BYTES]);
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, context: None };
        let descriptor = MessageDescriptor {
            message_type: MessageType::REQUEST,
            format: Format::STRING,
            persistence: Persistence::NonPersistent,
            reply_to_queue: ObjectName::parse(FILLED_REPLY_QUEUE)?,
            ..MessageDescriptor::default()
        };
        for _ in 0..messages {
            self.connection.put(self.requests, descriptor.clone(), &options, body.clone()).await?;
        }
        Ok(())
    }

    async fn await_replies(&mut self, messages: u32) -> Result<()> {
        loop {
            let attributes = self.connection.inquire(self.replies, &[CURRENT_DEPTH], 1, 0).await?;
            if attributes.integers.first().copied().unwrap_or(0) >= i32::try_from(messages)? {
                return Ok(());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn empty(&mut self, messages: u32) -> Result<()> {
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        let mut got = 0;
        loop {
            match self.connection.get(self.replies, &options).await {
                Ok(_) => got += 1,
                Err(error) if error.reason() == Reason::NoMsgAvailable => break,
                Err(error) => return Err(error.into()),
            }
        }
        ensure!(got == messages, "{got} replies to {messages} requests");
        Ok(())
    }
}
