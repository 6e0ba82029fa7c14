//! What the client has in hand of the unit of work, as far as this end can know: plain data.
//!
//! While a program works on a message, it may commit or back out, and both must be about that message alone. A client
//! that has made a lost conversation again may still work on a message that the lost one was sent. It backs that out
//! here, and then passes over every message that comes before it asks for one again: it never hands such a message to
//! the program, asks on with it as the last, and the next commit would take it away.
//!
//! ```text
//!                 sends, in unit          asks on with that message as the last
//! Nothing ---------------------> Message ---------------------------------------> Nothing
//!
//!                 backs out                     asks for anything
//! PerhapsOfLost ---------------> BackedOut -----------------------> Nothing
//! PerhapsOfLost --- commits -------------------------------------> Nothing, Message
//! ```
//!
//! A commit is what shows that the client is past the lost conversation: what it has in hand of that one, it can only back
//! out. A request shows nothing: the client sends one for each message that it passes over, before it backs out.
//!
//! Source: observed with the Java client 9.4.2.0; `docs/channel-protocol.md`, "Asynchronous consumers".

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum InHand {
    #[default]
    Nothing,
    /// A message that was sent here.
    Message(Sent),
    /// The conversation was made again: perhaps a message that the lost one was sent. With the one sent here since.
    PerhapsOfLost(Option<Sent>),
    /// What the lost conversation was sent is backed out, and the client has asked for nothing since.
    BackedOut,
}

/// A message in the unit of work, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) handle: u32,
    /// Its number among the conversation's messages.
    pub(super) index: u32,
}

impl InHand {
    /// Whether this handle gets nothing in the unit of work: another has a message of it.
    pub(super) fn keeps_from(self, handle: u32) -> bool {
        match self {
            Self::Message(sent) | Self::PerhapsOfLost(Some(sent)) => sent.handle != handle,
            Self::Nothing | Self::PerhapsOfLost(None) | Self::BackedOut => false,
        }
    }

    /// A message is sent in the unit of work. Of several that one handle was sent, the first is remembered.
    pub(super) fn send(&mut self, sent: Sent) {
        *self = match *self {
            Self::Message(first) if first.handle == sent.handle => Self::Message(first),
            Self::Nothing | Self::Message(_) | Self::BackedOut => Self::Message(sent),
            Self::PerhapsOfLost(first) => Self::PerhapsOfLost(first.or(Some(sent))),
        };
    }

    /// The client asks for messages of `handle`, having received those up to `last`. True when others may go on.
    pub(super) fn ask(&mut self, handle: u32, last: u32) -> bool {
        let is_done = match *self {
            Self::Nothing => false,
            Self::Message(sent) => sent.handle == handle && !is_after(sent.index, last),
            Self::PerhapsOfLost(sent) => sent.is_some_and(|sent| !is_after(sent.index, last)),
            Self::BackedOut => true,
        };
        if is_done {
            *self = if matches!(self, Self::PerhapsOfLost(_)) { Self::PerhapsOfLost(None) } else { Self::Nothing };
        }
        is_done
    }

    /// The client has committed.
    pub(super) fn commit(&mut self) {
        if let Self::PerhapsOfLost(sent) = *self {
            *self = sent.map_or(Self::Nothing, Self::Message);
        }
    }

    /// The client has backed out. True when it passes over what it was sent and has not asked on with.
    pub(super) fn back_out(&mut self) -> bool {
        let was_lost = matches!(self, Self::PerhapsOfLost(_));
        if was_lost {
            *self = Self::BackedOut;
        }
        was_lost
    }

    /// The client starts its consumers: none of their programs has anything in hand, unless it is just reconnecting.
    pub(super) fn start(&mut self) {
        if !matches!(self, Self::PerhapsOfLost(_)) {
            *self = Self::Nothing;
        }
    }

    /// A handle is closed, together with the messages it has in hand.
    pub(super) fn close(&mut self, handle: u32) {
        match *self {
            Self::Message(sent) if sent.handle == handle => *self = Self::Nothing,
            Self::PerhapsOfLost(Some(sent)) if sent.handle == handle => *self = Self::PerhapsOfLost(None),
            Self::BackedOut => *self = Self::Nothing,
            Self::Nothing | Self::Message(_) | Self::PerhapsOfLost(_) => {}
        }
    }
}

/// Of indexes that begin anew after the highest.
pub(super) fn is_after(index: u32, other: u32) -> bool {
    index.wrapping_sub(other).cast_signed() > 0
}

#[cfg(test)]
mod tests;
