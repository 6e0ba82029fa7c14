//! Programs of client channels: puts with priorities, gets with wait, and units of work over several queues, also backed out.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use bytes::Bytes;
use channel_client::address::ConnectionNames;
use channel_client::client::Client as ChannelClient;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::error::ChannelError;
use channel_client::options::{ConnectOptions, Credentials};
use model::descriptor::{Format, MessageDescriptor, Persistence};
use model::identifier::CorrelationId;
use model::name::{ObjectName, QueueName};
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use rand::Rng;
use system_tests::server::APP_PASSWORD;

use super::{Client, LIMIT, Stop, correlation, named};
use crate::client::block_on;
use crate::group::faults::pause;
use crate::group::history::{Message, ORDERED, Outcome, QUEUES, REPLY, WORK, What};
use crate::group::site::Doors;

/// Between attempts to connect.
const PAUSE: Duration = Duration::from_millis(20);
/// MQGMO `WaitInterval`.
const WAIT: Duration = Duration::from_millis(400);

/// A connection with all queues open.
struct Program {
    connection: Connection,
    handles: Vec<ObjectHandle>,
    stream: u64,
}

pub(super) fn work(client: Client) -> Result<()> {
    run(client, async |client, program, own| program.one(client, own).await)
}

pub(super) fn get_in_order(client: Client) -> Result<()> {
    run(client, async |client, program, _| program.get(client, ORDERED, None, None, WAIT).await.map(drop))
}

fn run(
    mut client: Client,
    one: impl AsyncFn(&mut Client, &mut Program, &mut Vec<u64>) -> Result<(), Stop>,
) -> Result<()> {
    block_on(async {
        let mut own = Vec::new();
        while !client.is_over() {
            let program = match client.any_doors() {
                Some(doors) => Program::connect(doors, client.recorder.number()).await?,
                None => None,
            };
            let Some(mut program) = program else {
                pause(PAUSE);
                continue;
            };
            while !client.is_over() {
                match one(&mut client, &mut program, &mut own).await {
                    Ok(()) => {}
                    Err(Stop::Gone) => break,
                    Err(Stop::Failed(error)) => return Err(error),
                }
            }
        }
        Ok(())
    })
}

impl Program {
    /// `None`: the member does not answer, or cannot now.
    async fn connect(doors: Doors, stream: u64) -> Result<Option<Self>> {
        let names = ConnectionNames::one(doors.mq.ip().to_string(), doors.mq.port());
        let mut options = ConnectOptions::new(ObjectName::literal("DEV.APP.SVRCONN"), names);
        options.queue_manager = "*QSG1".to_owned();
        options.credentials = Some(Credentials { user: "app".to_owned(), password: APP_PASSWORD.to_owned() });
        options.sharing_conversations = 1;
        let connecting = async {
            let mut connection = ChannelClient::new(options)?.connect().await?;
            let mut handles = Vec::new();
            for queue in QUEUES {
                let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
                let how = OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT | OpenOptions::FAIL_IF_QUIESCING;
                handles.push(connection.open(&object, how).await?.handle);
            }
            Ok(Self { connection, handles, stream })
        };
        match tokio::time::timeout(LIMIT, connecting).await {
            Ok(Ok(program)) => Ok(Some(program)),
            Ok(Err(error)) if is_expected(&error) => Ok(None),
            Ok(Err(error)) => Err(error).context("a program connects"),
            Err(_) => Err(anyhow!("MQCONN and MQOPEN have no answer after {LIMIT:?}")),
        }
    }

    /// `own`: its messages on the queue of replies, perhaps.
    async fn one(&mut self, client: &mut Client, own: &mut Vec<u64>) -> Result<(), Stop> {
        match client.random.gen_range(0..20) {
            0..3 => self.put(client, WORK).await.map(drop),
            3..6 => self.put(client, ORDERED).await.map(drop),
            6..8 => {
                let id = self.put(client, REPLY).await?;
                own.push(id);
                Ok(())
            }
            8..10 if !own.is_empty() => {
                let id = own.swap_remove(client.random.gen_range(0..own.len()));
                self.get(client, REPLY, Some(id), None, Duration::ZERO).await.map(drop)
            }
            8..11 => self.get(client, REPLY, None, None, Duration::ZERO).await.map(drop),
            11..14 => self.get(client, WORK, None, None, WAIT).await.map(drop),
            _ => self.unit(client).await,
        }
    }

    /// Gets one or two, puts one or two, thinks, and commits; sometimes it backs out.
    async fn unit(&mut self, client: &mut Client) -> Result<(), Stop> {
        let unit = client.recorder.number();
        let mut gets = Vec::new();
        let (mut puts, wanted) = (Vec::new(), client.random.gen_range(1..3));
        let worked = self.unit_before_its_end(client, unit, wanted, &mut gets, &mut puts).await;
        if worked.is_err() || client.random.gen_ratio(1, 5) {
            let operation = client.recorder.begin(What::BackOut { unit, gets });
            worked?;
            self.call(self_back_out).await?;
            client.recorder.end(operation, Outcome::Done);
            return Ok(());
        }
        let operation = client.recorder.begin(What::Commit { unit, gets, puts });
        match self.call(self_commit).await {
            Ok(Ok(())) => client.recorder.end(operation, Outcome::Done),
            Ok(Err(_)) => client.recorder.end(operation, Outcome::Failed),
            Err(stop) => return Err(stop),
        }
        Ok(())
    }

    async fn unit_before_its_end(
        &mut self,
        client: &mut Client,
        unit: u64,
        wanted: u32,
        gets: &mut Vec<u64>,
        puts: &mut Vec<Message>,
    ) -> Result<(), Stop> {
        for _ in 0..wanted {
            gets.extend(self.get(client, WORK, None, Some(unit), WAIT / 4).await?);
        }
        for _ in 0..client.random.gen_range(0..3) {
            let queue = [WORK, WORK, REPLY][client.random.gen_range(0..3)];
            let message = self.message(client, queue);
            puts.push(message);
            self.put_message(&message, PutFlags::SYNCPOINT).await?;
        }
        if client.random.gen_ratio(1, 3) {
            tokio::time::sleep(Duration::from_millis(client.random.gen_range(0..60))).await;
        }
        Ok(())
    }

    fn message(&self, client: &mut Client, queue: usize) -> Message {
        let priority = [4, 4, 4, 0, 7, 9][client.random.gen_range(0..6)];
        client.recorder.message(self.stream, queue, priority)
    }

    async fn put(&mut self, client: &mut Client, queue: usize) -> Result<u64, Stop> {
        let message = self.message(client, queue);
        let operation = client.recorder.begin(What::Put(message));
        self.put_message(&message, PutFlags::NO_SYNCPOINT).await?;
        client.recorder.end(operation, Outcome::Done);
        Ok(message.id)
    }

    async fn put_message(&mut self, message: &Message, flags: PutFlags) -> Result<(), Stop> {
        let descriptor = MessageDescriptor {
            format: Format::STRING,
            persistence: Persistence::Persistent,
            priority: i32::from(message.priority),
            correlation_id: correlation_id(message.id),
            ..MessageDescriptor::default()
        };
        let options = PutOptions { flags: flags | PutFlags::FAIL_IF_QUIESCING, context: None };
        let body = Bytes::from(Client::body(message));
        let handle = self.handles[message.queue];
        self.call(async |connection| connection.put(handle, descriptor.clone(), &options, body.clone()).await.map(drop))
            .await
    }

    async fn get(
        &mut self,
        client: &mut Client,
        queue: usize,
        aim: Option<u64>,
        unit: Option<u64>,
        wait: Duration,
    ) -> Result<Option<u64>, Stop> {
        let syncpoint = if unit.is_some() { GetFlags::SYNCPOINT } else { GetFlags::NO_SYNCPOINT };
        let waits = if wait.is_zero() { GetFlags::empty() } else { GetFlags::WAIT };
        let options = GetOptions {
            flags: syncpoint | waits | GetFlags::FAIL_IF_QUIESCING,
            wait: Some(wait),
            match_options: aim.map_or(MatchOptions::empty(), |_| MatchOptions::CORREL_ID),
            correlation_id: aim.map(correlation_id).unwrap_or_default(),
            ..GetOptions::default()
        };
        let handle = self.handles[queue];
        let operation = client.recorder.begin(What::Get { queue, aim, unit });
        let got = self
            .call(async |connection| match connection.get(handle, &options).await {
                Ok(got) => Ok(Some(got.body)),
                Err(error) if error.reason() == Reason::NoMsgAvailable => Ok(None),
                Err(error) => Err(error),
            })
            .await?;
        let got = got.map(|body| named(&body)).transpose()?;
        client.recorder.end(operation, Outcome::Got(got));
        Ok(got)
    }

    /// A call that must end.
    async fn call<T>(&mut self, call: impl AsyncFnOnce(&mut Connection) -> Result<T, ChannelError>) -> Result<T, Stop> {
        match tokio::time::timeout(LIMIT, call(&mut self.connection)).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) if is_expected(&error) => Err(Stop::Gone),
            Ok(Err(error)) => Err(Stop::Failed(anyhow!(error))),
            Err(_) => Err(Stop::Failed(anyhow!("a call through a channel has no answer after {LIMIT:?}"))),
        }
    }
}

async fn self_back_out(connection: &mut Connection) -> Result<(), ChannelError> {
    connection.back_out().await
}

/// `Ok(Err)`: the unit of work was backed out instead.
async fn self_commit(connection: &mut Connection) -> Result<Result<(), Reason>, ChannelError> {
    match connection.commit().await {
        Ok(()) => Ok(Ok(())),
        Err(error) if error.reason() == Reason::BackedOut => Ok(Err(Reason::BackedOut)),
        Err(error) => Err(error),
    }
}

fn correlation_id(id: u64) -> CorrelationId {
    CorrelationId::from_hex(&correlation(id)).expect("48 hexadecimal digits")
}

/// The member has gone, or is going, or has lost the database for a while: what was asked has happened or not.
fn is_expected(error: &ChannelError) -> bool {
    let reason = error.reason();
    reason.ends_connection()
        || matches!(
            reason,
            Reason::HostNotAvailable
                | Reason::CfNotAvailable
                | Reason::CfStrucInUse
                | Reason::BackedOut
                | Reason::CallInterrupted
        )
}
