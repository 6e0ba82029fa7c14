//! Deliveries: messages in the hands of clients, each locked for a time and settled by its token.
//!
//! A delivery is a unit of work of its own, off every connection (`queue_manager::detached`). A lock that runs out, as an
//! abandoned one, backs it out; where that makes the backout count reach BOTHRESH, the message moves to BOQNAME instead
//! (`moving.rs`). Locks are measured with a clock that nobody sets.
//!
//! Invariants
//! - A token is open, being settled, settled, or unknown. Only one call settles it.
//! - A lock never runs out while its delivery is being settled.
//! - Settled tokens are remembered for a while, so that a settlement can be repeated: at most `REMEMBERED` of them.

mod in_flight;
mod moving;
mod settle;
mod table;
mod transaction;

use std::sync::Arc;
use std::time::Duration;

use connection::error::ConnectionError;
use connection::pool::Pool;
use connection::target::Acting;
use connection::verbs::{Backout, Connection, Local, ObjectHandle};
use model::authority::Principal;
use model::message::Message;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::Position;
use queue_manager::connection::GetResult;
use queue_manager::detached::DetachedUnit;
use queue_manager::{QueueManager, QueueManagers};
use tokio::sync::Notify;

pub(crate) use self::in_flight::{Flight, InFlight};
pub use self::settle::{NotSettled, Settlement};
pub use self::table::Token;
use self::table::{Room, Table};
pub use self::transaction::{NotDone, Put};

/// Most deliveries that are open at once.
pub const MAXIMUM_OPEN: usize = 10_000;
/// How long a stream waits while a backout queue does not take a message that belongs there.
const BETWEEN_TRIES: Duration = Duration::from_secs(1);
/// Settled tokens that are remembered.
const REMEMBERED: usize = 100_000;

/// All deliveries of a server.
pub struct Deliveries {
    queue_managers: QueueManagers,
    /// As whom the server moves messages.
    server: Principal,
    table: Mutex<Table>,
    /// A lock runs out earlier than all before.
    earlier: Notify,
    /// There is room for one more.
    freed: Arc<Notify>,
}

/// A message in the hands of a client, or of the server for one.
pub(crate) struct Delivery {
    unit: DetachedUnit,
    of: Particulars,
}

/// Where messages of one receiver come from, and what becomes of them.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) queue_manager: QueueManager,
    pub(crate) queue: QueueName,
    /// Who may settle them.
    pub(crate) user: Arc<str>,
    pub(crate) lock: Duration,
    pub(crate) backout: Backout,
}

/// What became of a message that was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenUp {
    /// It is on the backout queue.
    Moved,
    /// It is on its queue again, and can be got at once.
    BackedOut,
}

/// All of a delivery but its unit of work.
struct Particulars {
    queue_manager: QueueManager,
    queue: QueueName,
    /// Who may settle it.
    user: Arc<str>,
    backout_count: u32,
    /// How long a lock lasts.
    lock: Duration,
    backout: Backout,
    /// Its place among those of its stream, which it leaves with its end.
    _flight: Option<Flight>,
}

/// What a client gets.
pub struct Delivered {
    pub token: Token,
    pub message: Box<Message>,
    pub position: Position,
}

/// What to receive.
pub struct Receive<'a> {
    /// With the selector.
    pub queue: &'a ObjectDescriptor,
    /// How long to wait and what to match; the flags of syncpoint and waiting are set here.
    pub options: GetOptions,
    pub most: usize,
    pub lock: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum NotReceived {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// Deliveries are for queue managers of this server.
    #[error("the queue manager is a remote one")]
    Remote,
    #[error("{MAXIMUM_OPEN} deliveries are open")]
    TooMany,
}

impl Deliveries {
    pub fn new(queue_managers: QueueManagers, server: Principal) -> Self {
        let freed = Arc::new(Notify::new());
        let table = Mutex::new(Table::new(REMEMBERED, Arc::clone(&freed)));
        Self { queue_managers, server, table, earlier: Notify::new(), freed }
    }

    /// Gets up to `most` messages, the first with the wait of the options, and locks each. What was got is backed out when the
    /// future is dropped.
    ///
    /// # Errors
    /// Those of open and get, when nothing was got.
    pub async fn receive(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        receive: &Receive<'_>,
    ) -> Result<Vec<Delivered>, NotReceived> {
        if pool.is_remote() {
            return Err(NotReceived::Remote);
        }
        let room = self.table.lock().reserve(receive.most, MAXIMUM_OPEN).ok_or(NotReceived::TooMany)?;
        let room = Reserved { deliveries: self, room };
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::INQUIRE | OpenOptions::FAIL_IF_QUIESCING;
        let (mut lent, opened) = pool.open(acting, receive.queue, options).await?;
        let got = self.get_all(lent.connection(), opened.handle, acting, receive, room).await;
        match lent.connection().close(opened.handle).await {
            Ok(()) => lent.give_back(),
            Err(error) => lent.give_back_after(&error),
        }
        got
    }

    async fn get_all(
        &self,
        connection: &mut Connection,
        handle: ObjectHandle,
        acting: Acting<'_>,
        receive: &Receive<'_>,
        mut room: Reserved<'_>,
    ) -> Result<Vec<Delivered>, NotReceived> {
        let backout = connection.backout(handle).await?;
        let local = connection.local().ok_or(NotReceived::Remote)?;
        let origin = Origin {
            queue_manager: local.connection().queue_manager(),
            queue: receive.queue.name,
            user: Arc::from(&*acting.principal().user),
            lock: receive.lock,
            backout,
        };
        let mut options = receive.options.clone();
        options.flags |= GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING;
        let mut held = Vec::new();
        while held.len() < room.room.count() {
            let got = match local.get_placed(handle, &options).await {
                Ok(got) => got,
                Err(_) if !held.is_empty() => break,
                Err(error) if error.reason() == Reason::NoMsgAvailable => break,
                Err(error) => return Err(error.into()),
            };
            options.flags -= GetFlags::WAIT;
            match self.hold(local.connection(), &got, origin.clone(), None).await {
                Ok(delivery) => {
                    let position = got.position();
                    held.push((delivery, got.message, position));
                }
                Err(GivenUp::Moved) => {}
                // The backout queue does not take it: the next get would find it again.
                Err(GivenUp::BackedOut) => break,
            }
        }
        let until = self.queue_managers.clock().instant() + receive.lock;
        let mut table = self.table.lock();
        let delivered = held.into_iter().map(|(delivery, message, position)| {
            let token = table.enter(&mut room.room, delivery, until);
            Delivered { token, message, position }
        });
        let delivered = delivered.collect();
        let is_earlier = table.first_deadline() == Some(until);
        drop(table);
        if is_earlier {
            self.earlier.notify_one();
        }
        Ok(delivered)
    }

    /// Takes what the connection got under syncpoint a moment ago off the connection. `flight` is its place among those of a stream.
    ///
    /// # Errors
    /// The message had been backed out too often before it came here.
    pub(crate) async fn hold(
        &self,
        connection: &queue_manager::Connection,
        got: &GetResult,
        origin: Origin,
        flight: Option<Flight>,
    ) -> Result<Delivery, GivenUp> {
        let unit = connection.detach().expect("the get has begun it");
        let Origin { queue_manager, queue, user, lock, backout } = origin;
        let backout_count = got.message.descriptor.backout_count;
        let of = Particulars { queue_manager, queue, user, backout_count, lock, backout, _flight: flight };
        let delivery = Delivery { unit, of };
        if moving::is_due(&delivery, 0) {
            return Err(self.give_up(delivery, 0).await);
        }
        Ok(delivery)
    }

    /// Gets the next message of an open queue for a stream, and locks it. Waits until the server has room for one more delivery, and for a
    /// message if the options say so. What was got is backed out when the future is dropped.
    ///
    /// # Errors
    /// Those of a get; `NoMsgAvailable` (2033) also when the options say not to wait, and there is no room.
    pub(crate) async fn next_of(
        &self,
        local: &Local,
        handle: ObjectHandle,
        options: &GetOptions,
        origin: &Origin,
        flight: &Flight,
    ) -> Result<Delivered, ConnectionError> {
        let may_wait = options.flags.contains(GetFlags::WAIT);
        let mut room = self.room_for_one(may_wait).await.ok_or(ConnectionError::from(Reason::NoMsgAvailable))?;
        let mut options = options.clone();
        options.flags |= GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING;
        loop {
            let got = local.get_placed(handle, &options).await?;
            let held = self.hold(local.connection(), &got, origin.clone(), Some(flight.clone())).await;
            let delivery = match held {
                Ok(delivery) => delivery,
                Err(GivenUp::Moved) => continue,
                // The backout queue does not take it, and the next get would find it again.
                Err(GivenUp::BackedOut) => {
                    tokio::time::sleep(BETWEEN_TRIES).await;
                    continue;
                }
            };
            let (position, message) = (got.position(), got.message);
            let until = self.queue_managers.clock().instant() + origin.lock;
            let mut table = self.table.lock();
            let token = table.enter(&mut room.room, delivery, until);
            let is_earlier = table.first_deadline() == Some(until);
            drop(table);
            if is_earlier {
                self.earlier.notify_one();
            }
            return Ok(Delivered { token, message, position });
        }
    }

    async fn room_for_one(&self, may_wait: bool) -> Option<Reserved<'_>> {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            freed.as_mut().enable();
            if let Some(room) = self.table.lock().reserve(1, MAXIMUM_OPEN) {
                return Some(Reserved { deliveries: self, room });
            }
            if !may_wait {
                return None;
            }
            freed.await;
        }
    }

    /// Backs out deliveries that their client has not been told of. It does not count as a client's giving them back.
    pub(crate) async fn return_untold(&self, tokens: &[Token], user: &str) {
        for token in tokens {
            let Ok((delivery, _)) = self.table.lock().take(*token, user) else { continue };
            self.give_up(delivery, 0).await;
            self.table.lock().settled(*token, None);
        }
    }

    /// Backs out what clients have held too long. Runs until it is dropped.
    pub async fn run(&self) {
        loop {
            let next = self.table.lock().first_deadline();
            let earlier = self.earlier.notified();
            let clock = self.queue_managers.clock();
            match next {
                Some(next) if next <= clock.instant() => self.expire().await,
                Some(next) => {
                    let _ = tokio::time::timeout_at(clock.to_machine(next), earlier).await;
                }
                None => earlier.await,
            }
        }
    }

    async fn expire(&self) {
        let Some((room, delivery)) = self.table.lock().take_expired(self.queue_managers.clock().instant()) else {
            return;
        };
        let _room = Reserved { deliveries: self, room };
        tracing::debug!(queue = delivery.of.queue.as_str(), "the lock of a delivery has run out");
        self.give_up(delivery, 1).await;
    }

    /// The clock was moved: locks may have run out.
    pub fn clock_moved(&self) {
        self.earlier.notify_one();
    }

    /// Deliveries of queue managers that have ended are over: those were backed out.
    pub fn queue_managers_changed(&self) {
        let running = self.queue_managers.running();
        self.table.lock().forget(|delivery| !running.iter().any(|known| known.is_same(&delivery.of.queue_manager)));
    }

    /// In the hands of clients now.
    pub fn open(&self) -> usize {
        self.table.lock().open()
    }
}

/// Room for deliveries of one call.
struct Reserved<'a> {
    deliveries: &'a Deliveries,
    room: Room,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.deliveries.table.lock().release(&mut self.room);
    }
}
