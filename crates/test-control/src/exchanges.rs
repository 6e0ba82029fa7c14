//! Calls of APIs, recorded as they are made and replayed in place of the API.
//!
//! Decides which recorded answer a call gets. Never: makes a call.
//!
//! Invariant: at most `MOST` exchanges are kept. What is called beyond them while they are recorded is not kept, and is counted.

use parking_lot::Mutex;

pub const MOST: usize = 10_000;

/// What becomes of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// They are made.
    #[default]
    Off,
    /// They are made, and kept with their answers.
    Record,
    /// They are not made: what was kept answers them.
    Replay,
}

impl Mode {
    const ALL: [(Self, &'static str); 3] = [(Self::Off, "off"), (Self::Record, "record"), (Self::Replay, "replay")];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(mode, _)| *mode == self).map_or("", |(_, name)| name)
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(mode, _)| *mode)
    }
}

/// A call as the API gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub requester: String,
    pub method: String,
    /// With the query.
    pub path: String,
    /// `None` stands for any body.
    pub body: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    pub asked: Asked,
    pub answered: Answered,
    /// How often it has answered a call.
    pub replayed: u64,
}

impl Asked {
    /// Whether a call like `call` gets the answer of this one.
    fn stands_for(&self, call: &Self) -> bool {
        let is_body = || self.body.is_none() || self.body == call.body;
        (&self.requester, &self.method, &self.path) == (&call.requester, &call.method, &call.path) && is_body()
    }
}

/// Those of a server.
#[derive(Debug, Default)]
pub struct Exchanges {
    state: Mutex<State>,
}

/// What is kept.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub mode: Mode,
    pub kept: Vec<Exchange>,
    /// Calls that were made while there was no room for them.
    pub left_out: u64,
}

impl Exchanges {
    pub fn mode(&self) -> Mode {
        self.state.lock().mode
    }

    pub fn set_mode(&self, mode: Mode) {
        self.state.lock().mode = mode;
    }

    /// Replaces what is kept.
    pub fn set(&self, kept: Vec<Exchange>) {
        let mut state = self.state.lock();
        state.kept = kept;
        state.left_out = 0;
    }

    pub fn state(&self) -> State {
        self.state.lock().clone()
    }

    pub fn keep(&self, asked: Asked, answered: Answered) {
        let mut state = self.state.lock();
        if state.kept.len() < MOST {
            state.kept.push(Exchange { asked, answered, replayed: 0 });
        } else {
            state.left_out += 1;
        }
    }

    /// The answer to a call: of several recorded ones that stand for it, the first that has been replayed least, so that answers come in
    /// the order in which they were recorded, and again from the first. `None`: nothing like it was recorded.
    pub fn replay(&self, call: &Asked) -> Option<Answered> {
        let mut state = self.state.lock();
        let fitting = state.kept.iter_mut().filter(|exchange| exchange.asked.stands_for(call));
        let next = fitting.min_by_key(|exchange| exchange.replayed)?;
        next.replayed += 1;
        Some(next.answered.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str, body: Option<&str>) -> Asked {
        let body = body.map(|text| text.as_bytes().to_vec());
        Asked { requester: "loans".to_owned(), method: "POST".to_owned(), path: path.to_owned(), body }
    }

    fn answered(status: u16) -> Answered {
        Answered { status, headers: Vec::new(), body: Vec::new() }
    }

    #[test]
    fn answers_come_in_the_order_in_which_they_were_recorded_and_again() {
        let exchanges = Exchanges::default();
        for status in [200, 500] {
            exchanges.keep(asked("/loans", Some("a")), answered(status));
        }
        let replay = |body| exchanges.replay(&asked("/loans", Some(body))).map(|answer| answer.status);
        assert_eq!([replay("a"), replay("a"), replay("a")], [Some(200), Some(500), Some(200)]);
        assert_eq!(replay("b"), None, "another body is another call");
        assert_eq!(exchanges.replay(&asked("/loans?x=1", Some("a"))), None);
    }

    #[test]
    fn an_exchange_without_a_body_stands_for_every_body() {
        let exchanges = Exchanges::default();
        exchanges.set(vec![Exchange { asked: asked("/loans", None), answered: answered(404), replayed: 0 }]);
        assert_eq!(exchanges.replay(&asked("/loans", Some("b"))).map(|answer| answer.status), Some(404));
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        let exchanges = Exchanges::default();
        (0..=MOST).for_each(|_| exchanges.keep(asked("/", None), answered(200)));
        let state = exchanges.state();
        assert_eq!((state.kept.len(), state.left_out), (MOST, 1));
    }
}
