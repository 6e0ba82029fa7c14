//! A network that takes its time: a TCP relay on loopback that hands on every byte half a round trip after it came.
//!
//! What it does, precisely
//! - Each direction is delayed by half the round trip, as is the end of each direction. Nothing is lost, reordered or slowed down
//!   beside that: while bytes wait, more are read, up to 64 MiB a direction.
//! - Connecting costs a round trip: loopback accepts at once, so the first bytes of a client are held back for one round trip more,
//!   as if the client had sent them only after its SYN was answered.
//! - Acknowledgements, windows and losses of a real network are not imitated.
//!
//! The relay lives on two threads named `delay-io` and `delay-clock`, so that its processor time can be told apart. The clock
//! sleeps to the moment, where the timers of the runtime know milliseconds only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc as mailbox, oneshot};

use crate::error::WorkloadError;
use crate::measure;

/// How the names of its threads begin.
pub(crate) const THREADS: &str = "delay-";
/// Most bytes of one direction that are under way.
const WINDOW_BYTES: usize = 64 << 20;
/// Room for one read.
const READ_BYTES: usize = 64 << 10;
/// Room below which new room is made.
const LEAST_ROOM: usize = 4 << 10;
/// Longest wait for the real server.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Pause after a connection could not be accepted, most likely for lack of file descriptors.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(20);

/// A running relay; it ends with this value.
pub(crate) struct Delay {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

/// Bytes on their way, or the end of a direction: `None`.
struct Parcel {
    due: Instant,
    /// Later parcels have higher numbers, so that those due at the same time keep their order.
    number: u64,
    bytes: Option<Bytes>,
    to: mailbox::UnboundedSender<Option<Bytes>>,
}

impl Delay {
    /// Relays connections to `target`.
    ///
    /// # Errors
    /// No address to listen on, or no threads.
    pub(crate) fn start(target: SocketAddr, round_trip: Duration) -> Result<Self, WorkloadError> {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let failed = |source| WorkloadError::Listen { address: any, source };
        let runtime = crate::run::runtime()?;
        let listener = runtime.block_on(TcpListener::bind(any)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (stop, stopped) = oneshot::channel();
        let (parcels, clock) = mpsc::channel();
        let relay = Relay { target, round_trip, parcels };
        let work = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = relay.accept(listener) => {}
                    // Also when nobody can tell any more.
                    _ = stopped => {}
                }
            });
            // With the tasks go the senders to the clock, which ends then.
            runtime.shutdown_background();
        };
        let thread = |name: &str| std::thread::Builder::new().name(format!("{THREADS}{name}"));
        let io = thread("io").spawn(work).map_err(WorkloadError::Thread)?;
        let clock = thread("clock").spawn(move || hand_on(&clock)).map_err(WorkloadError::Thread)?;
        Ok(Self { address, stop: Some(stop), threads: vec![io, clock] })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // It has ended already when nobody listens.
            let _ = stop.send(());
        }
        for thread in self.threads.drain(..) {
            // A panic was printed when it happened.
            let _ = thread.join();
        }
    }
}

#[derive(Clone)]
struct Relay {
    target: SocketAddr,
    round_trip: Duration,
    parcels: mpsc::Sender<Parcel>,
}

impl Relay {
    async fn accept(self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((client, _)) => drop(tokio::spawn(self.clone().join(client))),
                Err(_) => tokio::time::sleep(PAUSE_AFTER_ERROR).await,
            }
        }
    }

    /// A client whose server cannot be reached is hung up on.
    async fn join(self, client: TcpStream) {
        let connected = measure::now() + self.round_trip;
        let server = tokio::time::timeout(CONNECT_LIMIT, TcpStream::connect(self.target)).await;
        let Ok(Ok(server)) = server else { return };
        // A socket whose peer has gone already shows that when it is read.
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
        tokio::join!(
            self.direction(from_client, to_server, connected),
            self.direction(from_server, to_client, measure::now())
        );
    }

    /// Bytes that come before `earliest` are taken to have come then.
    async fn direction(&self, mut from: OwnedReadHalf, to: OwnedWriteHalf, earliest: Instant) {
        let (sender, receiver) = mailbox::unbounded_channel();
        let room = Arc::new(Semaphore::new(WINDOW_BYTES));
        let writing = tokio::spawn(write_all(receiver, to, Arc::clone(&room)));
        let (half, mut buffer, mut number) = (self.round_trip / 2, BytesMut::new(), 0);
        loop {
            // What was handed on leaves the rest of its room for the next reads.
            if buffer.capacity() < LEAST_ROOM {
                buffer.reserve(READ_BYTES);
            }
            let read = from.read_buf(&mut buffer).await.unwrap_or(0);
            let bytes = (read > 0).then(|| buffer.split().freeze());
            let is_end = bytes.is_none();
            let length = u32::try_from(read).unwrap_or(u32::MAX);
            // Never closed.
            if let Ok(permits) = room.acquire_many(length).await {
                permits.forget();
            }
            let due = measure::now().max(earliest) + half;
            number += 1;
            let parcel = Parcel { due, number, bytes, to: sender.clone() };
            if self.parcels.send(parcel).is_err() || is_end {
                break;
            }
        }
        drop(sender);
        // Its only error would be that of a task that was cut off with the relay.
        let _ = writing.await;
    }
}

async fn write_all(
    mut parcels: mailbox::UnboundedReceiver<Option<Bytes>>,
    mut to: OwnedWriteHalf,
    room: Arc<Semaphore>,
) {
    while let Some(Some(bytes)) = parcels.recv().await {
        if to.write_all(&bytes).await.is_err() {
            break;
        }
        room.add_permits(bytes.len());
    }
    // Whoever has hung up needs no end.
    let _: io::Result<()> = to.shutdown().await;
    // A reader that goes on never waits for room that nobody makes.
    room.add_permits(WINDOW_BYTES);
    while let Some(Some(bytes)) = parcels.recv().await {
        room.add_permits(bytes.len());
    }
}

/// Hands every parcel on when it is due. Ends when nobody can send one any more.
fn hand_on(parcels: &mpsc::Receiver<Parcel>) {
    let mut waiting = BinaryHeap::new();
    loop {
        let next = waiting.peek().map(|Reverse(Ordered(parcel))| parcel.due);
        let received = match next {
            None => parcels.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected),
            Some(due) => parcels.recv_timeout(due.saturating_duration_since(measure::now())),
        };
        match received {
            Ok(parcel) => waiting.push(Reverse(Ordered(parcel))),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
        let now = measure::now();
        while waiting.peek().is_some_and(|Reverse(Ordered(parcel))| parcel.due <= now) {
            if let Some(Reverse(Ordered(parcel))) = waiting.pop() {
                // Whoever has hung up wants nothing more.
                let _ = parcel.to.send(parcel.bytes);
            }
        }
    }
}

/// Parcels in the order in which they are due.
struct Ordered(Parcel);

impl Ordered {
    fn key(&self) -> (Instant, u64) {
        (self.0.due, self.0.number)
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests;
