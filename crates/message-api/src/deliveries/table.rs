//! The table of tokens: which deliveries are open, until when, and which were settled how.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Delivery, Settlement};
use crate::random_id;

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Names a delivery, and is the right to settle it: 32 hexadecimal digits that cannot be guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(u128);

impl Token {
    fn new() -> Self {
        Self(random_id::draw())
    }

    pub fn parse(text: &str) -> Option<Self> {
        random_id::read(text).map(Self)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        random_id::write(f, self.0)
    }
}

pub(super) struct Table {
    open: Map<Token, (Delivery, Instant)>,
    deadlines: BTreeSet<(Instant, Token)>,
    /// Being settled: in nobody's hands but the caller's.
    settling: Map<Token, Arc<str>>,
    /// How each ended; `None`: its lock ran out.
    settled: Map<Token, Option<Settlement>>,
    /// The oldest first.
    order: VecDeque<Token>,
    remembered: usize,
    /// Room given to calls that receive.
    reserved: usize,
    /// Told when there is room for one more.
    freed: Arc<Notify>,
}

/// Room for so many deliveries more.
pub(super) struct Room(usize);

impl Room {
    pub(super) fn count(&self) -> usize {
        self.0
    }
}

/// Why a delivery cannot be settled now.
pub(super) enum Absent {
    Unknown,
    InProgress,
    Settled(Option<Settlement>),
}

impl Table {
    pub(super) fn new(remembered: usize, freed: Arc<Notify>) -> Self {
        Self {
            open: Map::default(),
            deadlines: BTreeSet::new(),
            settling: Map::default(),
            settled: Map::default(),
            order: VecDeque::new(),
            remembered,
            reserved: 0,
            freed,
        }
    }

    /// Room for `most` deliveries, or for as many as there may be; `None` when that is none.
    pub(super) fn reserve(&mut self, most: usize, maximum: usize) -> Option<Room> {
        let free = maximum.saturating_sub(self.open.len() + self.settling.len() + self.reserved);
        let count = most.min(free);
        self.reserved += count;
        (count > 0).then_some(Room(count))
    }

    pub(super) fn release(&mut self, room: &mut Room) {
        self.reserved -= std::mem::take(&mut room.0);
        self.freed.notify_waiters();
    }

    pub(super) fn enter(&mut self, room: &mut Room, delivery: Delivery, until: Instant) -> Token {
        let token = Token::new();
        room.0 -= 1;
        self.reserved -= 1;
        self.put(token, delivery, until);
        token
    }

    fn put(&mut self, token: Token, delivery: Delivery, until: Instant) {
        self.open.insert(token, (delivery, until));
        self.deadlines.insert((until, token));
    }

    /// Takes a delivery of this user out of the table, to be settled.
    pub(super) fn take(&mut self, token: Token, user: &str) -> Result<(Delivery, Instant), Absent> {
        match self.open.get(&token) {
            Some((delivery, _)) if *delivery.of.user == *user => {
                let (delivery, until) = self.open.remove(&token).expect("it was just seen");
                self.deadlines.remove(&(until, token));
                self.settling.insert(token, Arc::clone(&delivery.of.user));
                Ok((delivery, until))
            }
            Some(_) => Err(Absent::Unknown),
            None if self.settling.get(&token).is_some_and(|of| **of == *user) => Err(Absent::InProgress),
            None => Err(self.settled.get(&token).map_or(Absent::Unknown, |how| Absent::Settled(*how))),
        }
    }

    /// It could not be settled: it is as it was.
    pub(super) fn put_back(&mut self, token: Token, delivery: Delivery, until: Instant) {
        self.settling.remove(&token);
        self.put(token, delivery, until);
    }

    pub(super) fn settled(&mut self, token: Token, how: Option<Settlement>) {
        self.settling.remove(&token);
        self.freed.notify_waiters();
        if self.settled.insert(token, how).is_none() {
            self.order.push_back(token);
        }
        if self.order.len() > self.remembered
            && let Some(oldest) = self.order.pop_front()
        {
            self.settled.remove(&oldest);
        }
    }

    pub(super) fn is_settled(&self, token: Token) -> bool {
        self.settled.contains_key(&token)
    }

    pub(super) fn first_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(until, _)| *until)
    }

    /// One whose lock has run out. Its message is on its way back: the room that it takes is free once the message is there.
    pub(super) fn take_expired(&mut self, now: Instant) -> Option<(Room, Delivery)> {
        let (_, token) = *self.deadlines.first().filter(|(until, _)| *until <= now)?;
        let (delivery, until) = self.open.remove(&token).expect("each deadline is one of an open delivery");
        self.deadlines.remove(&(until, token));
        self.reserved += 1;
        self.settled(token, None);
        Some((Room(1), delivery))
    }

    pub(super) fn forget(&mut self, is_over: impl Fn(&Delivery) -> bool) {
        let over: Vec<Token> =
            self.open.iter().filter(|(_, (delivery, _))| is_over(delivery)).map(|(token, _)| *token).collect();
        for token in over {
            if let Some((_, until)) = self.open.remove(&token) {
                self.deadlines.remove(&(until, token));
                self.settled(token, None);
            }
        }
    }

    pub(super) fn open(&self) -> usize {
        self.open.len() + self.settling.len()
    }
}
