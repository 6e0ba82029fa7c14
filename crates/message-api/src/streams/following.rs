//! A queue that is followed: what is on it, then what comes, each message once, and none is taken.
//!
//! A bookmark says how far a stream has come, in text that is opaque to clients: `f`, places of the last messages of each rank, and after `~`
//! those of messages that were passed before they were committed. A place is `RANK-POSITION` in hexadecimal digits. Without the `f` it is
//! the place of a page of a browse.

use std::fmt::Write;
use std::sync::Arc;

use connection::error::ConnectionError;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use connection::verbs::ObjectHandle;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use queue_manager::{Follower, Place, Position};

use super::{Item, quiescing};

/// Most uncommitted messages that a bookmark remembers, the newest.
const MOST_LATE: usize = 64;
/// What a place can be: that of a message of priority 0, and 60 bits.
const LAST_RANK: u8 = 9;
const LAST_POSITION: u64 = (1 << 60) - 1;

/// Where a stream begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bookmark {
    /// Behind what a page of a browse has shown.
    Page(Place),
    /// Behind what another stream has shown.
    Stream { seen: Vec<Place>, late: Vec<Place> },
}

impl Bookmark {
    pub fn parse(text: &str) -> Option<Self> {
        let Some(of_stream) = text.strip_prefix('f') else { return parse_place(text).map(Self::Page) };
        let (seen, late) = of_stream.split_once('~').unwrap_or((of_stream, ""));
        let places = |text: &str| -> Option<Vec<Place>> {
            text.split('.').filter(|place| !place.is_empty()).map(parse_place).collect()
        };
        Some(Self::Stream { seen: places(seen)?, late: places(late)? })
    }

    fn follower(&self, next: Position) -> Follower {
        match self {
            Self::Page(place) => Follower::behind(*place, next),
            Self::Stream { seen, late } => Follower::resumed(seen.iter().copied(), late.iter().copied(), next),
        }
    }
}

/// The place that a page's cursor is.
fn parse_place(text: &str) -> Option<Place> {
    let (rank, position) = text.split_once('-')?;
    let rank = u8::from_str_radix(rank, 16).ok().filter(|rank| *rank <= LAST_RANK)?;
    let position = u64::from_str_radix(position, 16).ok().filter(|position| *position <= LAST_POSITION)?;
    Some(Place { rank, position: Position(position) })
}

fn write_bookmark(follower: &Follower) -> String {
    let mut text = "f".to_owned();
    let mut write = |begin: &str, places: &mut dyn Iterator<Item = Place>| {
        for (index, place) in places.enumerate() {
            let before = if index == 0 { begin } else { "." };
            let _ = write!(text, "{before}{:x}-{:x}", place.rank, place.position.0);
        }
    };
    write("", &mut follower.seen());
    let known = follower.late().count();
    write("~", &mut follower.late().skip(known.saturating_sub(MOST_LATE)));
    text
}

pub struct Following {
    lent: Lent,
    handle: ObjectHandle,
    options: GetOptions,
    follower: Follower,
}

impl Following {
    /// Opens a queue for browsing, with the selector of its descriptor.
    ///
    /// # Errors
    /// As MQOPEN.
    pub async fn of_queue(
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        queue: &ObjectDescriptor,
        mut options: GetOptions,
        begin: Option<&Bookmark>,
    ) -> Result<Self, ConnectionError> {
        let mut lent = pool.lend_apart()?;
        let flags = OpenOptions::BROWSE | OpenOptions::FAIL_IF_QUIESCING;
        let opened = lent.connection().open(acting, queue, flags).await?;
        let local = lent.connection().local().ok_or(ConnectionError::from(Reason::FunctionNotSupported))?;
        let next = local.connection().queue_manager().next_position();
        let follower = begin.map(|bookmark| bookmark.follower(next)).unwrap_or_default();
        options.flags |= GetFlags::NO_SYNCPOINT;
        Ok(Self { lent, handle: opened.handle, options, follower })
    }

    pub(super) async fn next(&mut self, may_wait: bool) -> Result<Item, ConnectionError> {
        let mut options = self.options.clone();
        options.flags.set(GetFlags::WAIT, may_wait);
        let local = self.lent.connection().local().ok_or_else(quiescing)?;
        let got = local.follow(self.handle, &mut self.follower, &options).await?;
        let position = got.position();
        let bookmark = Some(write_bookmark(&self.follower));
        Ok(Item { message: got.message, position, delivery: None, bookmark })
    }

    pub(super) async fn close(mut self) {
        match self.lent.connection().close(self.handle).await {
            Ok(()) => self.lent.give_back(),
            Err(error) => self.lent.give_back_after(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(rank: u8, position: u64) -> Place {
        Place { rank, position: Position(position) }
    }

    #[test]
    fn a_bookmark_says_what_was_seen_and_what_was_passed() {
        let seen = [place(0, 31), place(5, 0x1f_0000)];
        let late = [place(0, 17), place(0, 18), place(9, 3)];
        let follower = Follower::resumed(seen.into_iter(), late.into_iter(), Position(LAST_POSITION));
        let text = write_bookmark(&follower);
        assert_eq!(text, "f0-1f.5-1f0000~0-11.0-12.9-3");
        assert_eq!(Bookmark::parse(&text), Some(Bookmark::Stream { seen: seen.to_vec(), late: late.to_vec() }));
        assert_eq!(write_bookmark(&Follower::default()), "f");
        assert_eq!(Bookmark::parse("f"), Some(Bookmark::Stream { seen: Vec::new(), late: Vec::new() }));
    }

    #[test]
    fn a_cursor_of_a_page_is_a_bookmark_too() {
        assert_eq!(Bookmark::parse("5-2a"), Some(Bookmark::Page(place(5, 42))));
        for wrong in
            ["", "x", "5", "5-", "-5", "f5", "f5-1.x", "f5-1~5", "5-2a.5-2b", "a-1", "5-1000000000000000", "f5-1~a-1"]
        {
            assert_eq!(Bookmark::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_bookmark_is_never_ahead_of_its_queue_manager() {
        let follower = Follower::resumed([place(0, 31), place(5, 7)].into_iter(), std::iter::empty(), Position(20));
        assert_eq!(write_bookmark(&follower), "f0-13.5-7");
    }

    #[test]
    fn a_bookmark_stays_short_however_much_is_not_committed() {
        let late = (1..1000).map(|position| place(0, position));
        let text = write_bookmark(&Follower::resumed([place(0, 1000)].into_iter(), late, Position(1001)));
        let Some(Bookmark::Stream { late, .. }) = Bookmark::parse(&text) else { panic!("{text}") };
        assert_eq!(late.len(), MOST_LATE);
        assert_eq!(late.last(), Some(&place(0, 999)));
    }
}
