//! Accepting sockets, and telling TLS from plain by the first byte.
//!
//! One `Door` serves all listeners of a server: they share threads, limits and the TLS configuration. A listener belongs to
//! one queue manager, or, for the address that the server itself was given, to all of them. What a socket says is read by
//! `socket.rs`; here only its first byte is looked at.
//!
//! Invariants
//! - Whatever a partner does before an MQCONN of it succeeds costs at most one of `Limits::sockets` places for a few times
//!   `Limits::patience`, and FAILDLAY.
//! - A socket whose partner is not let in may have to make room for one that has just come (`workers::places`). One whose
//!   partner is let in never does.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};
use workers::places::{Most, Occupant, Place, Places};
use workers::{Seats, Workers};

use crate::admission::{Admission, Gate, Home, Identifying, Introduction, Peer, StatusCode, Terms, UserFacts};
use crate::socket;
use crate::tls::{HandshakeError, Secured, Tls};

/// Connections the kernel keeps ready for us, where a listener does not say.
const BACKLOG: u32 = 4096;
/// How long accepting pauses when the process has run out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Between two lines of the log about too many sockets.
const BETWEEN_LINES: Duration = Duration::from_secs(1);
/// First byte of a TLS connection: a handshake record.
const TLS_HANDSHAKE: u8 = 0x16;

/// What partners may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Sockets open at once, over all listeners.
    pub sockets: usize,
    /// Of these, from one address, or from one IPv6 network of 64 bits.
    pub sockets_per_address: usize,
    /// Sockets that one thread serves before the next thread gets any.
    pub sockets_per_thread: usize,
    /// The TLS handshake has to end, the first segment to come, and an MQCONN to succeed, within this time each.
    pub patience: Duration,
}

/// What all listeners of a server share.
pub struct Door {
    seats: Seats,
    gate: Gate,
    tls: RwLock<Option<Tls>>,
    limits: RwLock<Limits>,
    places: Arc<Places<Waiting>>,
    crowd: Mutex<Crowd>,
}

/// What became of sockets for which there was no place, since the log last said so.
#[derive(Default)]
struct Crowd {
    told: Option<Instant>,
    refused: u64,
    made_room: u64,
}

impl Door {
    /// `workers` accept and serve.
    pub fn new(workers: Arc<Workers>, gate: Gate, limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            seats: Seats::new(workers),
            gate,
            tls: RwLock::new(None),
            limits: RwLock::new(limits),
            places: Arc::default(),
            crowd: Mutex::default(),
        })
    }

    /// New connections get this from now on; without one, TLS is refused.
    pub fn set_tls(&self, tls: Option<Tls>) {
        *self.tls.write() = tls;
    }

    /// Why a channel with this SSLCIPH would refuse every client, and what to do; `None` when it would not.
    pub fn why_not_served(&self, cipher_specification: &str) -> Option<String> {
        self.tls.read().as_ref()?.why_not_served(cipher_specification)
    }

    pub fn set_limits(&self, limits: Limits) {
        *self.limits.write() = limits;
    }

    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Sockets open now.
    pub fn open(&self) -> usize {
        self.places.open()
    }

    /// Listens for `home`, or for every queue manager. A `backlog` of 0 is the usual one.
    ///
    /// # Errors
    /// The address is in use or not this machine's, or no descriptors are left.
    pub fn listen(self: &Arc<Self>, address: SocketAddr, backlog: u32, home: Option<Home>) -> io::Result<Listening> {
        let _entered = self.seats.first().enter();
        let listener = bind(address, if backlog == 0 { BACKLOG } else { backlog })?;
        let address = listener.local_addr()?;
        let gate: Arc<Gate> = Arc::new(self.gate.of(home));
        let task = self.seats.first().spawn(accept(listener, Arc::clone(self), gate));
        Ok(Listening { address, task })
    }

    fn take_place(&self, address: SocketAddr) -> Option<Arc<Place<Waiting>>> {
        let limits = *self.limits.read();
        let most = Most { of_all: limits.sockets, of_address: limits.sockets_per_address };
        let place = self.places.take(address.ip(), most, |_| Waiting::default());
        if place.as_ref().is_none_or(Place::made_room) {
            self.tell_of_crowd(address, place.is_none());
        }
        place.map(Arc::new)
    }

    /// One line a second, however many come.
    fn tell_of_crowd(&self, address: SocketAddr, is_refused: bool) {
        let mut crowd = self.crowd.lock();
        if is_refused {
            crowd.refused += 1;
        } else {
            crowd.made_room += 1;
        }
        if crowd.told.is_some_and(|told| told.elapsed() < BETWEEN_LINES) {
            return;
        }
        let Crowd { refused, made_room, .. } =
            std::mem::replace(&mut *crowd, Crowd { told: Some(Instant::now()), ..Crowd::default() });
        drop(crowd);
        tracing::warn!(
            "AMQ9513E: as many channels are open as channels.sockets or channels.sockets_per_address allows: {refused} \
             connections were refused, {made_room} that had not connected made room; the last new one is {address}'s"
        );
    }
}

/// A socket whose partner is not let in.
#[derive(Default)]
struct Waiting {
    /// Absent until the task that serves the socket is made.
    task: Mutex<Option<AbortHandle>>,
    has_made_room: AtomicBool,
}

impl Waiting {
    /// Which task to end when the socket makes room. One that has is ended now.
    fn is_served_by(&self, task: AbortHandle) {
        *self.task.lock() = Some(task);
        if self.has_made_room.load(SeqCst) {
            self.end();
        }
    }
}

impl Occupant for Waiting {
    /// All are alike: the one that has waited longest makes room.
    type Worth = ();

    fn worth(&self) -> Option<()> {
        Some(())
    }

    fn end(&self) {
        self.has_made_room.store(true, SeqCst);
        let task = self.task.lock().take();
        if let Some(task) = task {
            task.abort();
        }
    }
}

/// The gate of one socket, whose place it keeps once the partner is let in.
struct Admitting {
    gate: Arc<Gate>,
    place: Arc<Place<Waiting>>,
}

impl Admission for Admitting {
    fn begin(&self, peer: &Peer, introduction: &Introduction) -> Result<Terms, StatusCode> {
        self.gate.begin(peer, introduction)
    }

    fn identify<'a>(&'a self, terms: &'a Terms, peer: &'a Peer, user: &'a UserFacts) -> Identifying<'a> {
        Box::pin(async move {
            let principal = self.gate.identify(terms, peer, user).await?;
            self.place.keep();
            Ok(principal)
        })
    }
}

/// A listener that accepts. Dropping it ends the accepting; sockets stay.
pub struct Listening {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Listening {
    /// Port 0 resolved.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends the accepting, and returns once the address is free.
    pub async fn close(mut self) {
        self.task.abort();
        // An error says that it was aborted.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn bind(address: SocketAddr, backlog: u32) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    // Accepted sockets inherit it. Of a silent partner without sharing the system alone learns that it is gone.
    socket.set_keepalive(true)?;
    socket.bind(address)?;
    socket.listen(backlog)
}

/// Accepts until the task is aborted.
async fn accept(listener: TcpListener, door: Arc<Door>, gate: Arc<Gate>) {
    loop {
        let (socket, address) = match listener.accept().await {
            // An IPv4 partner of an IPv6 listener is an IPv4 partner.
            Ok((socket, address)) => (socket, SocketAddr::new(address.ip().to_canonical(), address.port())),
            Err(error) => {
                // A connection that ended before it was accepted, or no descriptors left: neither ends the listener.
                tracing::debug!(%error, "cannot accept a channel's connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        if gate.is_blocked(address.ip()) {
            continue;
        }
        let Some(place) = door.take_place(address) else { continue };
        let seat = door.seats.take(door.limits.read().sockets_per_thread);
        let socket = if seat.is_here() { Ok(Socket::Here(socket)) } else { socket.into_std().map(Socket::OfNone) };
        match socket {
            Ok(socket) => {
                let admitting = Admitting { gate: Arc::clone(&gate), place: Arc::clone(&place) };
                let task = seat.spawn(serve(socket, address, Arc::clone(&door), Arc::new(admitting)));
                place.occupant().is_served_by(task);
            }
            Err(error) => tracing::debug!(%error, "a channel's connection was gone at once"),
        }
    }
}

/// An accepted socket, on the way to the thread that serves it.
enum Socket {
    /// Accepted on that thread.
    Here(TcpStream),
    /// Belongs to no runtime, and joins the one it is used on.
    OfNone(std::net::TcpStream),
}

impl Socket {
    /// The stream, and its address at this end.
    fn enter(self) -> io::Result<(TcpStream, SocketAddr)> {
        let socket = match self {
            Self::Here(socket) => socket,
            Self::OfNone(socket) => TcpStream::from_std(socket)?,
        };
        socket.set_nodelay(true)?;
        let local_address = socket.local_addr()?;
        Ok((socket, local_address))
    }
}

async fn serve(socket: Socket, address: SocketAddr, door: Arc<Door>, admission: Arc<dyn Admission>) {
    let (socket, local_address) = match socket.enter() {
        Ok(entered) => entered,
        Err(error) => return tracing::debug!(%error, "a channel's connection was gone at once"),
    };
    let patience = door.limits.read().patience;
    let deadline = Instant::now() + patience;
    let mut first = [0];
    match timeout_at(deadline, socket.peek(&mut first)).await {
        Ok(Ok(1)) => {}
        Ok(Ok(_)) => return,
        Ok(Err(error)) => return tracing::debug!(%error, %address, "a connection ended before its first byte"),
        Err(_) => return tracing::debug!(%address, "a partner said nothing"),
    }
    let peer = Peer { address, local_address, tls: None, patience };
    if first[0] != TLS_HANDSHAKE {
        drop(door);
        return socket::serve(socket, peer, admission).await;
    }
    let tls = door.tls.read().clone();
    drop(door);
    let Some(tls) = tls else {
        return tracing::warn!("AMQ9639E: {address} speaks TLS, for which the server has no certificate");
    };
    // Boxed, so that plain sockets need not hold room for it.
    Box::pin(serve_tls(socket, tls, peer, admission, deadline)).await;
}

async fn serve_tls(socket: TcpStream, tls: Tls, peer: Peer, admission: Arc<dyn Admission>, deadline: Instant) {
    let address = peer.address;
    if tls.serves_old() {
        return Box::pin(serve_either(socket, tls, peer, admission, deadline)).await;
    }
    let Some((stream, facts)) = ended(address, timeout_at(deadline, tls.accept(socket)).await) else { return };
    socket::serve(stream, Peer { tls: facts, ..peer }, admission).await;
}

/// Where old CipherSpecs are configured.
async fn serve_either(socket: TcpStream, tls: Tls, peer: Peer, admission: Arc<dyn Admission>, deadline: Instant) {
    let address = peer.address;
    let Some((stream, facts)) = ended(address, timeout_at(deadline, tls.accept_either(socket)).await) else { return };
    let peer = Peer { tls: facts, ..peer };
    match stream {
        Secured::Usual(stream) => socket::serve(stream, peer, admission).await,
        Secured::Old(stream) => socket::serve(stream, peer, admission).await,
    }
}

/// What a handshake brought; one that failed is for the log.
fn ended<T>(address: SocketAddr, handshake: Result<Result<T, HandshakeError>, Elapsed>) -> Option<T> {
    match handshake {
        Ok(Ok(secured)) => return Some(secured),
        Ok(Err(HandshakeError::NothingInCommon(why))) => {
            tracing::warn!("AMQ9616E: the TLS handshake with {address} found no common CipherSpec: {why}");
        }
        Ok(Err(error)) => tracing::warn!("AMQ9633E: the TLS handshake with {address} failed: {error}"),
        Err(_) => tracing::debug!(%address, "a TLS handshake took too long"),
    }
    None
}

#[cfg(test)]
mod tests;
