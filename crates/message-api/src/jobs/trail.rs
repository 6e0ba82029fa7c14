//! The trail of a job: which messages it has put where and how they were before, so that an undo can put them back.
//!
//! A message is known by its position, which the queue manager gives to one message only. A message that was backed out keeps its
//! position. A message that a program got and put again has another one.
//!
//! Invariants
//! - A trail names what is committed, in the order in which it was done.
//! - Trails are bounded: each by `MOST_BYTES`, all of a server by `MOST_BYTES_OF_ALL`. A trail that is not whole is no trail.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::identifier::MessageId;
use model::message::Message;
use model::name::QueueName;
use parking_lot::Mutex;
use queue_manager::Position;

/// Memory of one trail, and of all. A message that was moved takes about 50 bytes, one that was replayed about 260.
const MOST_BYTES: usize = 32 << 20;
const MOST_BYTES_OF_ALL: usize = 64 << 20;

/// Why a job cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoUndo {
    #[error("it still runs")]
    Running,
    #[error("it was a dry run, which changes nothing")]
    Dry,
    #[error("a purge removes messages for good")]
    Purge,
    #[error("it is an undo; start a job like the first one instead")]
    Undo,
    #[error("it has put no message")]
    Nothing,
    #[error("it has put no message on a queue of this queue manager")]
    Elsewhere,
    #[error("the queue manager has started again since, and the server has forgotten which messages these are")]
    Restarted,
    #[error("it has put more messages than the server keeps in mind for an undo, which is {} MiB", MOST_BYTES >> 20)]
    TooMuch,
    #[error("later jobs took its place in the memory for undos, which is {} MiB", MOST_BYTES_OF_ALL >> 20)]
    Displaced,
}

/// A queue by the name that the job used, and the one that this name led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) name: QueueName,
    pub(super) resolved: QueueName,
}

/// A message that a job has put.
#[derive(Debug)]
pub(super) struct Put {
    /// `None`: it is not one message on one queue of this queue manager.
    pub(super) position: Option<Position>,
    pub(super) place: Place,
    pub(super) id: MessageId,
    pub(super) before: Option<Box<Before>>,
}

/// What a job has changed of a message.
#[derive(Debug)]
pub(super) struct Before {
    format: Format,
    encoding: Encoding,
    ccsid: Ccsid,
    /// The bytes that were before the data.
    header: Box<[u8]>,
    /// Where the job has written its own context.
    descriptor: Option<Box<MessageDescriptor>>,
}

impl Before {
    pub(super) fn new(message: &Message, header_length: usize, has_new_context: bool) -> Box<Self> {
        let Message { descriptor, body } = message;
        Box::new(Self {
            format: descriptor.format,
            encoding: descriptor.encoding,
            ccsid: descriptor.ccsid,
            header: body[..header_length].into(),
            descriptor: has_new_context.then(|| Box::new(descriptor.clone())),
        })
    }

    pub(super) fn header_length(&self) -> usize {
        self.header.len()
    }

    /// Makes of the message what it was. Its life goes on meanwhile.
    pub(super) fn restore(&self, message: &mut Message) {
        if let Some(before) = &self.descriptor {
            let expiry = message.descriptor.expiry;
            message.descriptor = MessageDescriptor { expiry, ..(**before).clone() };
        }
        message.descriptor.format = self.format;
        message.descriptor.encoding = self.encoding;
        message.descriptor.ccsid = self.ccsid;
        if !self.header.is_empty() {
            message.body = [&self.header, &message.body[..]].concat().into();
        }
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.header.len() + self.descriptor.as_ref().map_or(0, |_| size_of::<MessageDescriptor>())
    }
}

/// A message that can be found again.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) position: Position,
    /// Of `Kept::places`.
    pub(super) place: u32,
    pub(super) id: MessageId,
    pub(super) before: Option<Box<Before>>,
}

/// What a trail holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) steps: Arc<Vec<Step>>,
    pub(super) places: Vec<Place>,
    numbers: HashMap<Place, u32>,
    /// Messages that went where no undo finds them.
    pub(super) elsewhere: u64,
    /// Whether the job has written a context that only setting it takes back.
    pub(super) has_new_context: bool,
    bytes: usize,
}

/// The trails of a server.
#[derive(Default)]
pub(super) struct Trails {
    bytes: AtomicUsize,
    /// In the order of their beginnings.
    all: Mutex<VecDeque<Weak<Trail>>>,
}

pub(super) struct Trail {
    trails: Arc<Trails>,
    /// Where the messages were.
    pub(super) home: Place,
    kept: Mutex<Result<Kept, NoUndo>>,
}

impl Trail {
    pub(super) fn begin(trails: &Arc<Trails>, home: Place) -> Arc<Self> {
        let trail = Arc::new(Self { trails: Arc::clone(trails), home, kept: Mutex::new(Ok(Kept::default())) });
        let mut all = trails.all.lock();
        all.retain(|trail| trail.strong_count() > 0);
        all.push_back(Arc::downgrade(&trail));
        trail
    }

    /// # Errors
    /// Why it leads nowhere.
    pub(super) fn check(&self) -> Result<(), NoUndo> {
        match &*self.kept.lock() {
            Err(why) => Err(*why),
            Ok(kept) if !kept.steps.is_empty() => Ok(()),
            Ok(kept) if kept.elsewhere > 0 => Err(NoUndo::Elsewhere),
            Ok(_) => Err(NoUndo::Nothing),
        }
    }

    /// Of a job that is over.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn kept(&self) -> Result<Kept, NoUndo> {
        self.check()?;
        self.kept.lock().clone()
    }

    /// What was committed.
    pub(super) fn add(&self, puts: Vec<Put>) {
        let added = {
            let mut guard = self.kept.lock();
            let Ok(kept) = &mut *guard else { return };
            let before = kept.bytes;
            for put in puts {
                kept.add(put);
            }
            let added = kept.bytes - before;
            self.trails.bytes.fetch_add(added, Ordering::Relaxed);
            if kept.bytes > MOST_BYTES {
                self.lose(&mut guard, NoUndo::TooMuch);
            }
            added
        };
        if added > 0 {
            self.trails.make_room();
        }
    }

    fn lose(&self, kept: &mut Result<Kept, NoUndo>, why: NoUndo) {
        if let Ok(lost) = std::mem::replace(kept, Err(why)) {
            self.trails.bytes.fetch_sub(lost.bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Trail {
    fn drop(&mut self) {
        if let Ok(kept) = self.kept.get_mut() {
            self.trails.bytes.fetch_sub(kept.bytes, Ordering::Relaxed);
        }
    }
}

impl Trails {
    /// Forgets the oldest trails until the others have room.
    fn make_room(&self) {
        while self.bytes.load(Ordering::Relaxed) > MOST_BYTES_OF_ALL {
            // Nothing is locked when the last reference to a trail goes.
            let Some(oldest) = self.all.lock().pop_front() else { return };
            if let Some(oldest) = oldest.upgrade() {
                oldest.lose(&mut oldest.kept.lock(), NoUndo::Displaced);
            }
        }
    }
}

impl Kept {
    fn add(&mut self, Put { position, place, id, before }: Put) {
        let Some(position) = position else {
            self.elsewhere += 1;
            return;
        };
        self.bytes += size_of::<Step>() + before.as_ref().map_or(0, |before| before.bytes());
        self.has_new_context |= before.as_ref().is_some_and(|before| before.descriptor.is_some());
        let place = self.number_of(place);
        Arc::get_mut(&mut self.steps).expect("the steps of a job that runs are not lent").push(Step {
            position,
            place,
            id,
            before,
        });
    }

    fn number_of(&mut self, place: Place) -> u32 {
        *self.numbers.entry(place).or_insert_with(|| {
            self.bytes += 2 * size_of::<Place>();
            self.places.push(place);
            u32::try_from(self.places.len() - 1).expect("fewer places than bytes")
        })
    }
}

#[cfg(test)]
mod tests;
