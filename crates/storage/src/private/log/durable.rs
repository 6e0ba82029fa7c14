//! Waiting until a place in the log is durable, and waking those who wait with as few wake-ups between threads as can be.
//!
//! One sync ends many waits at once. Waking a task of another thread costs a system call each, waking a task of one's own
//! thread next to nothing. So the writer wakes one waiter of each thread; that one, when it is polled or dropped, wakes
//! its neighbours of the same thread.
//!
//! Invariants
//! - A wait that has not ended is in `waiting`, or it is over and its waker is called or among the neighbours of a thread
//!   of which one waiter has been called.
//! - Whoever is called passes the call on to its neighbours once, whether it is polled to the end or dropped.
//! - Both lists are behind one lock, so a wait that is dropped either withdraws before it is over or passes the call on.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::StoreError;
use crate::private::log::extent::Place;
use crate::private::log::writer::Log;

/// Everybody who waits for a sync.
#[derive(Default)]
pub(crate) struct Waiters {
    lists: Mutex<Lists>,
    next_ticket: AtomicU64,
}

#[derive(Default)]
struct Lists {
    waiting: Vec<Waiter>,
    /// Their sync is done; a waiter of the same thread has been called and will call them.
    neighbours: Vec<Waiter>,
}

struct Waiter {
    place: Place,
    ticket: u64,
    thread: u64,
    waker: Waker,
}

/// A wait that is in the lists.
#[derive(Clone, Copy)]
struct Registration {
    ticket: u64,
    thread: u64,
}

impl Waiters {
    /// Ends every wait for a place before `end`. Returns how many of those share their thread with another one: they
    /// come back one after the other, at the price of one wake-up.
    pub(crate) fn publish(&self, end: Place) -> usize {
        let mut called: Vec<Waiter> = Vec::new();
        let mut lists = self.lists.lock();
        let Lists { waiting, neighbours } = &mut *lists;
        let before = neighbours.len();
        for waiter in waiting.extract_if(.., |waiter| waiter.place < end) {
            if called.iter().any(|other| other.thread == waiter.thread) {
                neighbours.push(waiter);
            } else {
                called.push(waiter);
            }
        }
        let new = &neighbours[before..];
        let crowded = called.iter().filter(|one| new.iter().any(|other| other.thread == one.thread)).count();
        let sharing = crowded + new.len();
        drop(lists);
        called.into_iter().for_each(|waiter| waiter.waker.wake());
        sharing
    }

    /// Ends every wait: the log has failed or is closed.
    pub(crate) fn wake_everybody(&self) {
        let Lists { waiting, neighbours } = std::mem::take(&mut *self.lists.lock());
        waiting.into_iter().chain(neighbours).for_each(|waiter| waiter.waker.wake());
    }

    fn register(&self, place: Place, waker: &Waker) -> Registration {
        let registration =
            Registration { ticket: self.next_ticket.fetch_add(1, Ordering::Relaxed), thread: this_thread() };
        let Registration { ticket, thread } = registration;
        self.lists.lock().waiting.push(Waiter { place, ticket, thread, waker: waker.clone() });
        registration
    }

    /// Takes a wait out of the lists. When it was over already, calls the neighbours that count on it.
    fn withdraw(&self, registration: Registration) {
        let mut lists = self.lists.lock();
        if let Some(index) = lists.waiting.iter().position(|waiter| waiter.ticket == registration.ticket) {
            lists.waiting.swap_remove(index);
            return;
        }
        let neighbours: Vec<Waiter> =
            lists.neighbours.extract_if(.., |waiter| waiter.thread == registration.thread).collect();
        drop(lists);
        neighbours.into_iter().for_each(|waiter| waiter.waker.wake());
    }
}

/// Waits until the unit at a place is durable. Dropping it forgets nothing: the unit is written all the same.
pub(crate) struct Durable<'a> {
    log: &'a Log,
    place: Place,
    registration: Option<Registration>,
}

impl<'a> Durable<'a> {
    pub(crate) fn new(log: &'a Log, place: Place) -> Self {
        Self { log, place, registration: None }
    }

    fn outcome(&self) -> Option<Result<(), StoreError>> {
        if self.log.is_durable(self.place) { Some(Ok(())) } else { self.log.closed_error().map(Err) }
    }

    fn end_registration(&mut self) {
        if let Some(registration) = self.registration.take() {
            self.log.waiters.withdraw(registration);
        }
    }
}

impl Future for Durable<'_> {
    type Output = Result<(), StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // First in the lists, then the look: whoever changes what is looked at goes through the lists afterwards.
        if self.outcome().is_none() {
            self.end_registration();
            self.registration = Some(self.log.waiters.register(self.place, context.waker()));
        }
        match self.outcome() {
            Some(outcome) => {
                self.end_registration();
                Poll::Ready(outcome)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for Durable<'_> {
    fn drop(&mut self) {
        self.end_registration();
    }
}

/// A number for the thread that asks.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: Cell<u64> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}
