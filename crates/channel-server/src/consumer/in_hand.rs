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
//! PerhapsOfLost --- asks on with a message of this conversation as the last ----> Nothing
//! ```
//!
//! Source: observed with the Java client 9.4.2.0; `docs/channel-protocol.md`, "Asynchronous consumers".

/// Index that no message has: the first one has 1.
const NO_MESSAGE: u32 = 0;

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
            Self::PerhapsOfLost(Some(sent)) => !is_after(sent.index, last),
            // A program is handed one message after the other: that of the lost conversation came before this one.
            Self::PerhapsOfLost(None) => last != NO_MESSAGE,
            Self::BackedOut => true,
        };
        if is_done {
            *self = Self::Nothing;
        }
        is_done
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

    /// A handle is closed, and whatever it has in hand with it.
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
