//! Places of connections: how many are open, from which addresses, and which connection makes room for a new one.
//!
//! When an address has as many connections as are allowed, one of that address makes room. When all addresses together have as
//! many as are allowed, one of the address with the most makes room: a client that takes all places takes them from itself,
//! and a client of another address still finds one. Each door has places of its own.
//!
//! Locked when a connection is accepted, is kept or ends, never for what is said on it.
//!
//! Invariants
//! - A connection is in the table while its `Place` lives, or until it makes room.
//! - A connection that is kept never makes room.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use model::client_address::ClientAddress;
use parking_lot::Mutex;

/// Of the connections of one address that can make room, so many of the oldest are compared.
const COMPARED: usize = 64;

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    pub of_all: usize,
    pub of_address: usize,
}

/// A connection that can make room for another one.
pub trait Occupant {
    /// The connection with the least worth makes room, the oldest of several.
    type Worth: Ord;

    /// `None` as long as it must not make room.
    fn worth(&self) -> Option<Self::Worth>;

    /// Ends the connection, which has made room. It may be asked more than once.
    fn end(&self);
}

/// The connections of one door.
pub struct Places<O> {
    table: Mutex<Table<O>>,
}

struct Table<O> {
    open: usize,
    /// The number of the next connection.
    next: u64,
    addresses: HashMap<ClientAddress, Address<O>>,
    /// The same addresses by the number of their connections.
    crowds: BTreeSet<(usize, ClientAddress)>,
}

struct Address<O> {
    open: usize,
    /// Those that are not kept, the oldest first.
    occupants: BTreeMap<u64, Arc<O>>,
}

/// The place of one connection, until it is dropped.
pub struct Place<O> {
    places: Arc<Places<O>>,
    address: ClientAddress,
    number: u64,
    occupant: Arc<O>,
    made_room: bool,
    /// Written with the table locked.
    is_kept: AtomicBool,
}

impl<O> Default for Places<O> {
    fn default() -> Self {
        let table = Table { open: 0, next: 0, addresses: HashMap::new(), crowds: BTreeSet::new() };
        Self { table: Mutex::new(table) }
    }
}

impl<O> Places<O> {
    pub fn open(&self) -> usize {
        self.table.lock().open
    }

    /// The address that has the most connections, and how many.
    pub fn busiest(&self) -> Option<(ClientAddress, usize)> {
        self.table.lock().crowds.last().map(|&(open, address)| (address, open))
    }

    /// Looks at each connection that is not kept, with the table locked.
    pub fn each(&self, look: impl FnMut(&Arc<O>)) {
        self.table.lock().addresses.values().flat_map(|address| address.occupants.values()).for_each(look);
    }
}

impl<O: Occupant> Places<O> {
    /// A place for a new connection, which `occupant` makes with the table locked; it is given another connection of the same
    /// address that is not kept. `None`: there is no room, and no connection that can make room.
    pub fn take(
        self: &Arc<Self>,
        from: IpAddr,
        most: Most,
        occupant: impl FnOnce(Option<&Arc<O>>) -> O,
    ) -> Option<Place<O>> {
        let address = ClientAddress::from(from);
        let mut table = self.table.lock();
        let of_address = table.addresses.get(&address).map_or(0, |address| address.open);
        let ended = if of_address >= most.of_address {
            Some(table.make_room_of(address)?)
        } else if table.open >= most.of_all {
            Some(table.make_room()?)
        } else {
            None
        };
        let sibling = table.addresses.get(&address).and_then(|address| address.occupants.values().next());
        let occupant = Arc::new(occupant(sibling));
        let number = table.enter(address, Arc::clone(&occupant));
        drop(table);
        // Unlocked, for what ends may give its own place back at once.
        if let Some(ended) = &ended {
            ended.end();
        }
        let made_room = ended.is_some();
        Some(Place { places: Arc::clone(self), address, number, occupant, made_room, is_kept: AtomicBool::new(false) })
    }
}

impl<O: Occupant> Table<O> {
    /// One of the address that has the most, or else of the next one.
    fn make_room(&mut self) -> Option<Arc<O>> {
        let (address, number) = self
            .crowds
            .iter()
            .rev()
            .find_map(|&(_, address)| Some((address, self.addresses.get(&address)?.least()?)))?;
        self.remove(address, number)
    }

    fn make_room_of(&mut self, address: ClientAddress) -> Option<Arc<O>> {
        let number = self.addresses.get(&address)?.least()?;
        self.remove(address, number)
    }
}

impl<O: Occupant> Address<O> {
    /// The number of the connection that makes room.
    fn least(&self) -> Option<u64> {
        let candidates = self.occupants.iter().filter_map(|(&number, occupant)| Some((occupant.worth()?, number)));
        candidates.take(COMPARED).min().map(|(_, number)| number)
    }
}

impl<O> Table<O> {
    fn enter(&mut self, address: ClientAddress, occupant: Arc<O>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.open += 1;
        let of_address =
            self.addresses.entry(address).or_insert_with(|| Address { open: 0, occupants: BTreeMap::new() });
        of_address.occupants.insert(number, occupant);
        of_address.open += 1;
        let open = of_address.open;
        self.crowds.remove(&(open - 1, address));
        self.crowds.insert((open, address));
        number
    }

    /// A connection that is not kept makes room, or has ended. `None`: it has made room before, or is kept.
    fn remove(&mut self, address: ClientAddress, number: u64) -> Option<Arc<O>> {
        let occupant = self.addresses.get_mut(&address)?.occupants.remove(&number)?;
        self.leave(address);
        Some(occupant)
    }

    fn leave(&mut self, address: ClientAddress) {
        let Some(of_address) = self.addresses.get_mut(&address) else { return };
        self.open -= 1;
        self.crowds.remove(&(of_address.open, address));
        of_address.open -= 1;
        if of_address.open == 0 {
            self.addresses.remove(&address);
        } else {
            self.crowds.insert((of_address.open, address));
        }
    }
}

impl<O> Place<O> {
    pub fn occupant(&self) -> &Arc<O> {
        &self.occupant
    }

    /// Another connection made room for this one.
    pub fn made_room(&self) -> bool {
        self.made_room
    }

    /// The connection never makes room from now on, unless it has already.
    pub fn keep(&self) {
        let mut table = self.places.table.lock();
        let Some(of_address) = table.addresses.get_mut(&self.address) else { return };
        if of_address.occupants.remove(&self.number).is_some() {
            self.is_kept.store(true, Relaxed);
        }
    }
}

impl<O> Drop for Place<O> {
    fn drop(&mut self) {
        let mut table = self.places.table.lock();
        if self.is_kept.load(Relaxed) {
            table.leave(self.address);
        } else {
            table.remove(self.address, self.number);
        }
    }
}

#[cfg(test)]
mod tests;
