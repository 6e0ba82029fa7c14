//! Work that few may do at once, in turns by address: who sends much waits behind himself, not before others.
//!
//! Each address has a queue of its own, and a turn that is free goes to the next address in line. A queue is bounded; so are all
//! together, and where those are full, the last of the longest queue has to go. A caller without a place gets an error at once.
//!
//! Invariant: as many turns are out as `running` says, and a turn that is given back while anybody waits goes on at once.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use model::client_address::ClientAddress;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Waiting at once: for one address, and for all.
const MOST_OF_ONE: usize = 64;
const MOST: usize = 1024;

/// Too many are waiting already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Busy;

pub(crate) struct FairQueue {
    at_once: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    waiting: usize,
    /// None is empty.
    queues: HashMap<ClientAddress, VecDeque<oneshot::Sender<Turn>>>,
    /// The addresses with a queue, whose turn is next at the front.
    line: VecDeque<ClientAddress>,
}

/// Held while the work is done; passed on when dropped.
pub(crate) struct Turn(Option<Arc<FairQueue>>);

impl FairQueue {
    pub(crate) fn new(at_once: usize) -> Arc<Self> {
        Arc::new(Self { at_once, state: Mutex::default() })
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// As many of this address wait as may, or the queues are full and this address's is the longest.
    pub(crate) async fn turn(self: &Arc<Self>, address: IpAddr) -> Result<Turn, Busy> {
        let place = {
            let mut state = self.state.lock();
            if state.running < self.at_once {
                state.running += 1;
                return Ok(Turn(Some(Arc::clone(self))));
            }
            state.enter(address.into())?
        };
        // A sender that is dropped was the last of the longest queue.
        place.await.map_err(|_| Busy)
    }

    /// Gives a turn to the next one who still waits for it.
    fn pass_on(self: &Arc<Self>) {
        loop {
            let next = {
                let mut state = self.state.lock();
                let next = state.next();
                if next.is_none() {
                    state.running -= 1;
                }
                next
            };
            let Some(next) = next else { return };
            match next.send(Turn(Some(Arc::clone(self)))) {
                Ok(()) => return,
                // It has gone away; its turn is not given back but passed on here.
                Err(mut turn) => drop(turn.0.take()),
            }
        }
    }
}

impl State {
    fn enter(&mut self, address: ClientAddress) -> Result<oneshot::Receiver<Turn>, Busy> {
        let own = self.queues.get(&address).map_or(0, VecDeque::len);
        if own >= MOST_OF_ONE {
            self.forget_gone(address);
        }
        let own = self.queues.get(&address).map_or(0, VecDeque::len);
        if own >= MOST_OF_ONE || (self.waiting >= MOST && !self.push_out(own)) {
            return Err(Busy);
        }
        let (sender, receiver) = oneshot::channel();
        let queue = self.queues.entry(address).or_default();
        if queue.is_empty() {
            self.line.push_back(address);
        }
        queue.push_back(sender);
        self.waiting += 1;
        Ok(receiver)
    }

    /// Those whose connection has ended need no turn.
    fn forget_gone(&mut self, address: ClientAddress) {
        let Some(queue) = self.queues.get_mut(&address) else { return };
        let before = queue.len();
        queue.retain(|waiter| !waiter.is_closed());
        self.waiting -= before - queue.len();
        self.drop_if_empty(address);
    }

    /// Takes the last of the longest queue away, for one with `own` waiting; false when none is longer.
    fn push_out(&mut self, own: usize) -> bool {
        let longest =
            self.queues.iter().max_by_key(|(_, queue)| queue.len()).map(|(address, queue)| (*address, queue.len()));
        let Some((address, length)) = longest.filter(|(_, length)| *length > own + 1) else { return false };
        if let Some(queue) = self.queues.get_mut(&address) {
            queue.truncate(length - 1);
            self.waiting -= 1;
        }
        true
    }

    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let address = self.line.pop_front()?;
        let queue = self.queues.get_mut(&address)?;
        let next = queue.pop_front();
        self.waiting -= usize::from(next.is_some());
        if queue.is_empty() {
            self.queues.remove(&address);
        } else {
            self.line.push_back(address);
        }
        next
    }

    fn drop_if_empty(&mut self, address: ClientAddress) {
        if self.queues.get(&address).is_some_and(VecDeque::is_empty) {
            self.queues.remove(&address);
            self.line.retain(|other| *other != address);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            queue.pass_on();
        }
    }
}

#[cfg(test)]
mod tests;
