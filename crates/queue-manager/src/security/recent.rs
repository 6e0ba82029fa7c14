//! The last refusals of a queue manager, for people who ask why: who wanted what, by which way, and what decided; and the
//! clients whose channels did not start.
//!
//! Written only where something is refused, so that what is allowed pays nothing. The same refusal again is counted with the
//! first and moves to the front. Names only: no password, no message.
//!
//! Invariant: `MAXIMUM` entries of each kind, of bounded length each; the oldest goes first.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use model::authority::Principal;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use crate::QueueManager;
use crate::security::authority::Door;
use crate::security::authority::decision::Decision;

const MAXIMUM: usize = 1000;
/// How many of the newest are compared with a new one.
const COMPARED: usize = 64;
/// Longest text of a partner that is kept, in characters.
const LONGEST_TEXT: usize = 256;

/// By which way a request came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// A verb of an application. Channel and partner are empty for programs on this machine and for REST.
    Application {
        name: String,
        channel: String,
        connection_name: String,
    },
    Command,
    /// A report that a message asked for, to its reply-to queue.
    Report,
}

impl Way {
    pub(crate) fn of(door: Door<'_>) -> Self {
        match door {
            Door::Command => Self::Command,
            Door::Report => Self::Report,
            Door::Application(options) => Self::Application {
                name: kept(&options.application_name),
                channel: kept(&options.channel),
                connection_name: kept(&options.connection_name),
            },
        }
    }
}

/// A request that was refused with 2035.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub way: Way,
    pub decision: Decision,
    /// What was asked for, where the decision is about a topic object above it.
    pub topic_string: Option<String>,
}

/// A client whose channel did not start, or whose user was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedClient {
    /// As the client named it.
    pub channel: String,
    pub address: IpAddr,
    /// The user that the client asserts, or whose password it sent; empty when it was refused before it could say so.
    pub user: String,
    /// The message that the log has: its identifier and its text.
    pub cause: String,
    /// The client got 2035 for its MQCONN; otherwise its channel did not start.
    pub is_of_user: bool,
    /// The MQSC command that would let it in, if one does.
    pub remedy: Option<String>,
}

/// Something that happened, once or more often.
#[derive(Debug)]
pub struct Noted<T> {
    pub first: Timestamp,
    pub last: Timestamp,
    pub count: u64,
    pub what: Arc<T>,
}

impl<T> Clone for Noted<T> {
    fn clone(&self) -> Self {
        Self { what: Arc::clone(&self.what), ..*self }
    }
}

struct Ring<T>(Mutex<VecDeque<Noted<T>>>);

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: PartialEq> Ring<T> {
    fn note(&self, now: Timestamp, what: T) {
        let mut noted = self.0.lock();
        let known = noted.iter().take(COMPARED).position(|known| *known.what == what);
        let entry = match known.and_then(|known| noted.remove(known)) {
            Some(known) => Noted { last: now, count: known.count + 1, ..known },
            None => Noted { first: now, last: now, count: 1, what: Arc::new(what) },
        };
        noted.truncate(MAXIMUM - 1);
        noted.push_front(entry);
    }

    /// The newest first.
    fn all(&self) -> Vec<Noted<T>> {
        self.0.lock().iter().cloned().collect()
    }
}

/// Those of one queue manager, since it started.
#[derive(Default)]
pub(crate) struct RecentRefusals {
    refusals: Ring<Refusal>,
    clients: Ring<RefusedClient>,
}

impl RecentRefusals {
    pub(crate) fn note(&self, now: Timestamp, way: Way, decision: &Decision, topic_string: Option<&str>) {
        let topic_string = topic_string.map(kept);
        self.refusals.note(now, Refusal { way, decision: decision.shortened(), topic_string });
    }
}

impl QueueManager {
    /// The last requests that were refused with 2035, the newest first.
    pub fn refusals(&self) -> Vec<Noted<Refusal>> {
        self.engine().refusals.refusals.all()
    }

    /// The newest refusal of a user since then: one about the object, if there is one.
    pub fn last_refusal(&self, principal: &Principal, since: Timestamp, object: &str) -> Option<Noted<Refusal>> {
        let noted = self.engine().refusals.refusals.0.lock();
        let newer = || noted.iter().take_while(|one| one.last >= since);
        let of_user = || newer().filter(|one| one.what.decision.principal.user == principal.user);
        of_user().find(|one| one.what.decision.name.as_str() == object).or_else(|| of_user().next()).cloned()
    }

    /// The last clients that were refused, the newest first.
    pub fn refused_clients(&self) -> Vec<Noted<RefusedClient>> {
        self.engine().refusals.clients.all()
    }

    /// A door has refused a client.
    pub fn note_refused_client(&self, client: RefusedClient) {
        let client = RefusedClient {
            channel: kept(&client.channel),
            user: kept(&client.user),
            cause: kept(&client.cause),
            remedy: client.remedy.as_deref().map(kept),
            ..client
        };
        self.engine().refusals.clients.note(self.engine().now(), client);
    }
}

/// What is kept of a text that a partner wrote.
fn kept(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).map(|character| if character.is_control() { '.' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_are_kept_the_newest_first_and_repetitions_are_counted() {
        let ring = Ring::default();
        for number in 0..3 * MAXIMUM as u64 {
            ring.note(Timestamp(number), number);
        }
        ring.note(Timestamp(9000), 2999);
        let all = ring.all();
        assert_eq!(all.len(), MAXIMUM);
        let front = (*all[0].what, all[0].count, all[0].first, all[0].last);
        assert_eq!(front, (2999, 2, Timestamp(2999), Timestamp(9000)));
        assert_eq!((*all[1].what, *all[MAXIMUM - 1].what), (2998, 2000));
    }
}
