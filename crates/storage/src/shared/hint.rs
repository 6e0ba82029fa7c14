//! Hints between members: "somebody here waits on this queue", "there is something on this queue now", "its depth has changed".
//!
//! They only save time. A lost hint costs a wait until the next poll, a false one a look. So they go as datagrams, each with a code
//! that only members of the group can make, and a counter that is never accepted twice.
//!
//! ```text
//! bytes 0..4    QSGH
//!       4..8    number of the member that sends
//!       8..16   its epoch
//!      16..24   counter, growing within the epoch
//!          24   kind: 1 here somebody waits on these queues, 2 there is something on these queues, 3 the depths of these queues
//!               have changed, 4 there is a request to you or an answer: no queues
//!      25..27   how many queues
//!      27..     their numbers, four bytes each
//!      last 16  HMAC-SHA-256 with the group's secret over all before, its first half
//! ```
//! All numbers are little-endian.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hmac::{Hmac, Mac};
use parking_lot::Mutex;
use sha2::Sha256;
use tokio::time::Instant;
use tracing::debug;

use crate::QueueId;
use crate::shared::member::{MemberState, MemberStatus};
use crate::shared::row::{queue_id, queue_number};
use crate::shared::statistics::HintCounts;

const MAGIC: &[u8; 4] = b"QSGH";
const HEAD: usize = 27;
const CODE: usize = 16;
/// Queues of a datagram that no network has to cut.
const MOST: usize = 300;
/// How long an interest holds unless it is told again.
const HOLDS: Duration = Duration::from_secs(3);
/// A peer that was not heard of for this long may miss hints.
const SILENT: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Waits = 1,
    Arrived = 2,
    Changed = 3,
    Requests = 4,
}

/// What a peer has told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Arrived(Vec<QueueId>),
    Changed(Vec<QueueId>),
    /// There is a request for this member, or an answer.
    Requests,
}

#[derive(Default)]
struct Changes {
    /// Since the peers were told.
    untold: HashSet<QueueId>,
    /// When last: for peers that are met for the first time.
    told: HashMap<QueueId, Instant>,
}

/// This member's end of the hints.
pub(super) struct Hints {
    socket: tokio::net::UdpSocket,
    /// The same socket, for threads that do not wait.
    sender: UdpSocket,
    address: SocketAddr,
    secret: [u8; 32],
    member: i32,
    epoch: i64,
    counter: AtomicU64,
    peers: Mutex<HashMap<i32, Peer>>,
    /// Queues whose depths this member has changed lately.
    changed: Mutex<Changes>,
    /// Interests of all peers, so that a batch costs nothing when nobody waits elsewhere.
    interests: AtomicUsize,
    counts: Arc<HintCounts>,
}

struct Peer {
    address: SocketAddr,
    epoch: i64,
    /// Highest one accepted.
    counter: u64,
    heard: Option<Instant>,
    waits: HashMap<QueueId, Instant>,
}

impl Peer {
    fn is_heard(&self) -> bool {
        self.heard.is_some_and(|at| at.elapsed() < SILENT)
    }
}

impl Hints {
    /// Listens on the address from which this machine reaches the database.
    ///
    /// # Errors
    /// No datagram socket can be made.
    pub(super) fn open(
        database: Option<SocketAddr>,
        secret: [u8; 32],
        (member, epoch): (i32, i64),
        counts: Arc<HintCounts>,
    ) -> std::io::Result<Self> {
        let here =
            database.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |database| way_to(database).unwrap_or(database.ip()));
        let socket = UdpSocket::bind((here, 0))?;
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        let sender = socket.try_clone()?;
        Ok(Self {
            socket: tokio::net::UdpSocket::from_std(socket)?,
            sender,
            address,
            secret,
            member,
            epoch,
            counter: AtomicU64::new(1),
            peers: Mutex::default(),
            changed: Mutex::default(),
            interests: AtomicUsize::new(0),
            counts,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Members as a beat has seen them.
    pub(super) fn meet(&self, members: &[MemberStatus]) {
        let mut peers = self.peers.lock();
        peers.retain(|number, peer| {
            members.iter().any(|member| {
                member.number == *number && member.epoch == peer.epoch && member.state == MemberState::Active
            })
        });
        let mut new = Vec::new();
        let others = members.iter().filter(|member| member.number != self.member);
        for member in others.filter(|member| member.state == MemberState::Active) {
            let Ok(address) = member.address.parse() else { continue };
            peers.entry(member.number).or_insert_with(|| {
                new.push(address);
                Peer { address, epoch: member.epoch, counter: 0, heard: None, waits: HashMap::new() }
            });
        }
        self.count(&peers);
        drop(peers);
        // They were told nothing of what was done since they joined.
        let changed: Vec<QueueId> = self.changed.lock().told.keys().copied().collect();
        for address in new {
            changed.chunks(MOST).for_each(|part| self.send(address, Kind::Changed, part));
        }
    }

    /// Tells all peers on which queues somebody waits here; also that this member can be heard.
    pub(super) fn tell_waits(&self, queues: &[QueueId]) {
        let addresses: Vec<SocketAddr> = self.peers.lock().values().map(|peer| peer.address).collect();
        let none: [&[QueueId]; 1] = [&[]];
        let parts: Vec<&[QueueId]> = if queues.is_empty() { none.to_vec() } else { queues.chunks(MOST).collect() };
        for part in parts {
            for address in &addresses {
                self.send(*address, Kind::Waits, part);
            }
        }
    }

    /// Messages on these queues can be had now: those who wait there are told.
    pub(super) fn tell_arrivals(&self, queues: impl Iterator<Item = QueueId> + Clone) {
        if self.interests.load(Ordering::Relaxed) == 0 {
            return;
        }
        let now = Instant::now();
        let mut interested = Vec::new();
        for peer in self.peers.lock().values() {
            let waited: Vec<QueueId> =
                queues.clone().filter(|queue| peer.waits.get(queue).is_some_and(|until| *until > now)).collect();
            if !waited.is_empty() {
                interested.push((peer.address, waited));
            }
        }
        for (address, waited) in interested {
            waited.chunks(MOST).for_each(|part| self.send(address, Kind::Arrived, part));
        }
    }

    /// A batch has changed the depths of these queues.
    pub(super) fn note_changes(&self, queues: impl Iterator<Item = QueueId>) {
        self.changed.lock().untold.extend(queues);
    }

    /// Tells the peers whose depths have changed since the last time.
    pub(super) fn tell_changes(&self) {
        let changed: Vec<QueueId> = {
            let mut changes = self.changed.lock();
            let untold = std::mem::take(&mut changes.untold);
            let now = Instant::now();
            changes.told.retain(|_, at| now - *at < HOLDS);
            changes.told.extend(untold.iter().map(|queue| (*queue, now)));
            untold.into_iter().collect()
        };
        let addresses: Vec<SocketAddr> = self.peers.lock().values().map(|peer| peer.address).collect();
        for part in changed.chunks(MOST) {
            addresses.iter().for_each(|address| self.send(*address, Kind::Changed, part));
        }
    }

    /// There is a request to these members, or an answer for them.
    pub(super) fn tell_requests(&self, members: &[i32]) {
        let addresses: Vec<SocketAddr> = {
            let peers = self.peers.lock();
            members.iter().filter_map(|member| Some(peers.get(member)?.address)).collect()
        };
        addresses.iter().for_each(|address| self.send(*address, Kind::Requests, &[]));
    }

    /// Every active peer was heard of lately: hints can be relied on.
    pub(super) fn are_heard(&self) -> bool {
        self.peers.lock().values().all(Peer::is_heard)
    }

    /// Active peers that were not heard of lately.
    pub(super) fn unheard(&self) -> Vec<i32> {
        let peers = self.peers.lock();
        let mut unheard: Vec<i32> =
            peers.iter().filter(|(_, peer)| !peer.is_heard()).map(|(number, _)| *number).collect();
        unheard.sort_unstable();
        unheard
    }

    /// Takes datagrams for ever; `hear` is told what they say.
    pub(super) async fn listen(&self, hear: impl Fn(Heard)) {
        let mut buffer = [0; HEAD + 4 * MOST + CODE + 1];
        loop {
            match self.socket.recv_from(&mut buffer).await {
                Ok((length, _)) => {
                    if let Some(heard) = self.take(&buffer[..length]) {
                        hear(heard);
                    }
                }
                // That of an earlier datagram which its peer did not take.
                Err(error) => debug!(%error, "a datagram of a peer cannot be taken"),
            }
        }
    }

    /// `None`: a peer's interests, or no datagram of a member.
    fn take(&self, datagram: &[u8]) -> Option<Heard> {
        let taken = self.read(datagram);
        self.counts.received(taken.as_ref().map(|(kind, _)| *kind));
        taken?.1
    }

    /// Its kind, and what it tells beside interests. `None`: it is not accepted.
    fn read(&self, datagram: &[u8]) -> Option<(u8, Option<Heard>)> {
        let (signed, code) = datagram.split_at_checked(datagram.len().checked_sub(CODE)?)?;
        self.code_of(signed).verify_truncated_left(code).ok()?;
        let head = signed.get(..HEAD)?;
        let (magic, head) = head.split_first_chunk::<4>()?;
        let (member, head) = head.split_first_chunk::<4>()?;
        let (epoch, head) = head.split_first_chunk::<8>()?;
        let (counter, head) = head.split_first_chunk::<8>()?;
        if magic != MAGIC {
            return None;
        }
        let queues: Vec<QueueId> = signed[HEAD..]
            .chunks_exact(4)
            .map(|number| queue_id(i32::from_le_bytes([number[0], number[1], number[2], number[3]])))
            .collect();
        let mut peers = self.peers.lock();
        let peer = peers.get_mut(&i32::from_le_bytes(*member))?;
        let counter = u64::from_le_bytes(*counter);
        if peer.epoch != i64::from_le_bytes(*epoch) || counter <= peer.counter {
            return None;
        }
        peer.counter = counter;
        peer.heard = Some(Instant::now());
        let kind = *head.first()?;
        let heard = match kind {
            1 => {
                let until = Instant::now() + HOLDS;
                peer.waits.retain(|_, until| until.elapsed().is_zero());
                peer.waits.extend(queues.into_iter().map(|queue| (queue, until)));
                self.count(&peers);
                None
            }
            2 => Some(Heard::Arrived(queues)),
            3 => Some(Heard::Changed(queues)),
            4 => Some(Heard::Requests),
            _ => None,
        };
        Some((kind, heard))
    }

    fn send(&self, address: SocketAddr, kind: Kind, queues: &[QueueId]) {
        self.counts.sent(kind as u8);
        let mut datagram = Vec::with_capacity(HEAD + 4 * queues.len() + CODE);
        datagram.extend_from_slice(MAGIC);
        datagram.extend_from_slice(&self.member.to_le_bytes());
        datagram.extend_from_slice(&self.epoch.to_le_bytes());
        datagram.extend_from_slice(&self.counter.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        datagram.push(kind as u8);
        datagram.extend_from_slice(&u16::try_from(queues.len()).unwrap_or(0).to_le_bytes());
        for queue in queues {
            datagram.extend_from_slice(&queue_number(*queue).to_le_bytes());
        }
        let code = self.code_of(&datagram).finalize().into_bytes();
        datagram.extend_from_slice(&code[..CODE]);
        // What the system has no room for is lost, as on the way.
        let _ = self.sender.send_to(&datagram, address);
    }

    fn code_of(&self, bytes: &[u8]) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length will do");
        code.update(bytes);
        code
    }

    fn count(&self, peers: &HashMap<i32, Peer>) {
        self.interests.store(peers.values().map(|peer| peer.waits.len()).sum(), Ordering::Relaxed);
    }
}

/// The address of this machine that packets to there carry; nothing is sent.
fn way_to(database: SocketAddr) -> Option<IpAddr> {
    let any = if database.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(database).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: i32, secret: u8) -> Hints {
        Hints::open(None, [secret; 32], (number, 1), Arc::default()).expect("opens")
    }

    fn status(hints: &Hints) -> MemberStatus {
        MemberStatus::active(hints.member, hints.epoch, hints.address.to_string())
    }

    /// What `to` takes of what `from` sends.
    async fn pass(from: &Hints, to: &Hints, kind: Kind, queue: QueueId) -> (Vec<u8>, Option<Heard>) {
        from.send(to.address, kind, &[queue]);
        let mut buffer = [0; 2048];
        let (length, _) = to.socket.recv_from(&mut buffer).await.expect("arrives");
        (buffer[..length].to_vec(), to.take(&buffer[..length]))
    }

    #[tokio::test]
    async fn a_hint_is_taken_once_and_only_from_a_member_of_the_group() {
        let (one, two, stranger) = (member(1, 7), member(2, 7), member(1, 8));
        let queue = queue_id(5);
        assert_eq!(pass(&one, &two, Kind::Arrived, queue).await.1, None, "not met yet");
        two.meet(&[status(&one)]);
        let (datagram, taken) = pass(&one, &two, Kind::Arrived, queue).await;
        assert_eq!(taken, Some(Heard::Arrived(vec![queue])));
        assert_eq!(two.take(&datagram), None, "the same again");
        for _ in 0..5 {
            assert_eq!(pass(&stranger, &two, Kind::Arrived, queue).await.1, None, "another secret");
        }
        let (mut datagram, _) = pass(&one, &two, Kind::Arrived, queue).await;
        datagram[16] ^= 0xFF;
        assert_eq!(two.take(&datagram), None, "changed on the way");
        assert_eq!(two.take(&[]), None);
    }

    #[tokio::test]
    async fn arrivals_are_told_to_those_who_wait() {
        let (one, two) = (member(1, 7), member(2, 7));
        one.meet(&[status(&two)]);
        two.meet(&[status(&one)]);
        let (waited, other) = (queue_id(5), queue_id(6));
        pass(&two, &one, Kind::Waits, waited).await;
        assert!(one.are_heard());
        one.tell_arrivals([other].into_iter());
        one.tell_arrivals([other, waited].into_iter());
        let mut buffer = [0; 2048];
        let (length, _) = two.socket.recv_from(&mut buffer).await.expect("arrives");
        assert_eq!(two.take(&buffer[..length]), Some(Heard::Arrived(vec![waited])));
    }
}
