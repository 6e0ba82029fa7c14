//! Places of sockets: how many are open, from which addresses, and which of them makes room for another.
//!
//! A socket waits until its partner is let in. When an address, or all of them together, have as many sockets as they
//! may, the socket that has waited longest makes room: of that address, or of all. A socket whose partner is let in is
//! never closed to make room; when none waits, the new one is refused.
//!
//! Locked when a socket comes, when its partner is let in, and when it goes; not for what is said on it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::AbortHandle;

/// How many sockets there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    pub(super) of_all: usize,
    pub(super) of_address: usize,
}

#[derive(Default)]
pub(super) struct Places {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: usize,
    /// The number of the next socket.
    next: u64,
    addresses: HashMap<IpAddr, Address>,
    /// Those whose partner is not let in, the oldest first.
    waiting: BTreeMap<u64, Arc<Occupant>>,
}

#[derive(Default)]
struct Address {
    open: usize,
    waiting: BTreeSet<u64>,
}

struct Occupant {
    number: u64,
    address: IpAddr,
    /// Changed while `State` is locked; locked after it.
    stage: Mutex<Stage>,
}

enum Stage {
    /// The task that serves the socket is absent until it is made.
    Waiting(Option<AbortHandle>),
    Admitted,
    /// It has made room, and is not counted.
    Ended,
}

/// The place of one socket, until it is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    occupant: Arc<Occupant>,
    /// Another socket was ended for it.
    pub(super) was_made: bool,
}

impl Places {
    pub(super) fn open(&self) -> usize {
        self.state.lock().open
    }

    /// `None`: there is no room, and no socket that could make room.
    pub(super) fn take(self: &Arc<Self>, from: IpAddr, most: Most) -> Option<Place> {
        let address = network(from);
        let mut state = self.state.lock();
        let of_address = state.addresses.get(&address);
        let ends = if of_address.is_some_and(|address| address.open >= most.of_address) {
            Some(of_address.and_then(|address| address.waiting.first()).copied()?)
        } else if state.open >= most.of_all {
            Some(state.waiting.first_key_value().map(|(&number, _)| number)?)
        } else {
            None
        };
        let task = ends.and_then(|number| state.end(number));
        let occupant = state.enter(address);
        drop(state);
        if let Some(task) = task {
            task.abort();
        }
        Some(Place { places: Arc::clone(self), occupant, was_made: ends.is_some() })
    }
}

impl State {
    fn enter(&mut self, address: IpAddr) -> Arc<Occupant> {
        let number = self.next;
        let occupant = Arc::new(Occupant { number, address, stage: Mutex::new(Stage::Waiting(None)) });
        self.next += 1;
        self.open += 1;
        let of_address = self.addresses.entry(address).or_default();
        of_address.open += 1;
        of_address.waiting.insert(number);
        self.waiting.insert(number, Arc::clone(&occupant));
        occupant
    }

    /// Ends a socket that waits. The task is for the caller to abort.
    fn end(&mut self, number: u64) -> Option<AbortHandle> {
        let occupant = self.waiting.get(&number).cloned()?;
        self.waits_no_more(&occupant);
        self.leave(&occupant);
        match std::mem::replace(&mut *occupant.stage.lock(), Stage::Ended) {
            Stage::Waiting(task) => task,
            Stage::Admitted | Stage::Ended => None,
        }
    }

    fn waits_no_more(&mut self, occupant: &Occupant) {
        self.waiting.remove(&occupant.number);
        if let Some(address) = self.addresses.get_mut(&occupant.address) {
            address.waiting.remove(&occupant.number);
        }
    }

    fn leave(&mut self, occupant: &Occupant) {
        self.open -= 1;
        let Some(address) = self.addresses.get_mut(&occupant.address) else { return };
        address.open -= 1;
        if address.open == 0 {
            self.addresses.remove(&occupant.address);
        }
    }
}

impl Place {
    /// Which task to end should the socket have to make room. One that had to before is ended now.
    pub(super) fn is_served_by(&self, task: AbortHandle) {
        match &mut *self.occupant.stage.lock() {
            Stage::Waiting(known) => *known = Some(task),
            Stage::Admitted => {}
            Stage::Ended => task.abort(),
        }
    }

    /// The partner is let in: the socket stays.
    pub(super) fn admit(&self) {
        let mut state = self.places.state.lock();
        let mut stage = self.occupant.stage.lock();
        if matches!(*stage, Stage::Waiting(_)) {
            *stage = Stage::Admitted;
            state.waits_no_more(&self.occupant);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.places.state.lock();
        let stage = std::mem::replace(&mut *self.occupant.stage.lock(), Stage::Ended);
        match stage {
            Stage::Waiting(_) => {
                state.waits_no_more(&self.occupant);
                state.leave(&self.occupant);
            }
            Stage::Admitted => state.leave(&self.occupant),
            Stage::Ended => {}
        }
    }
}

/// One IPv6 partner may have every address of a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

#[cfg(test)]
mod tests;
