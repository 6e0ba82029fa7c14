//! Sign-ins that have begun: what the server remembers between the redirection to an issuer and the return from it.
//!
//! Pure: callers pass the time. Each is bound to a browser by a secret of a cookie, of which the digest alone is kept.
//!
//! Invariants
//! - One is taken once, by its own browser, at its own issuer, within ten minutes.
//! - There are `MOST` at most, and `MOST_OF_ADDRESS` of one address: the oldest goes.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use model::client_address::ClientAddress;
use model::timestamp::Timestamp;
use subtle::ConstantTimeEq;

use crate::keyed_digest::{Digester, KeyedDigest};

/// How long a person may take at the issuer.
pub(super) const LONGEST: Duration = Duration::from_secs(600);
const MOST: usize = 4096;
const MOST_OF_ADDRESS: usize = 64;

/// Oldest first.
pub(super) struct Pending {
    begun: VecDeque<Entry>,
    digester: Digester,
}

struct Entry {
    state: String,
    browser: KeyedDigest,
    address: ClientAddress,
    at: Timestamp,
    flow: Flow,
}

/// What has to be known when the browser comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flow {
    /// The name of the issuer.
    pub(super) issuer: String,
    pub(super) nonce: String,
    /// Of PKCE.
    pub(super) verifier: String,
    pub(super) redirect_uri: String,
    /// Where the person wanted to go.
    pub(super) to: String,
}

/// Why a return belongs to no sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotBegun {
    #[error(
        "no sign-in with this state is under way: it was finished, took more than ten minutes, or was never begun here"
    )]
    Unknown,
    #[error("another browser has begun the sign-in with this state")]
    OtherBrowser,
    #[error("the sign-in with this state was begun at another issuer")]
    OtherIssuer,
}

impl Pending {
    pub(super) fn new() -> Self {
        Self { begun: VecDeque::new(), digester: Digester::new() }
    }

    /// `browser` is the secret of its cookie.
    pub(super) fn begin(&mut self, state: String, browser: &str, flow: Flow, address: IpAddr, now: Timestamp) {
        self.drop_late(now);
        let address = ClientAddress::from(address);
        let of_address = self.begun.iter().filter(|entry| entry.address == address).count();
        let oldest = if of_address >= MOST_OF_ADDRESS {
            self.begun.iter().position(|entry| entry.address == address)
        } else {
            (self.begun.len() >= MOST).then_some(0)
        };
        if let Some(oldest) = oldest {
            self.begun.remove(oldest);
        }
        let browser = self.digester.digest(browser.as_bytes());
        self.begun.push_back(Entry { state, browser, address, at: now, flow });
    }

    /// # Errors
    /// Why there is none; that of another browser or issuer stays.
    pub(super) fn take(&mut self, state: &str, browser: &str, issuer: &str, now: Timestamp) -> Result<Flow, NotBegun> {
        self.drop_late(now);
        let place = self.begun.iter().position(|entry| bool::from(entry.state.as_bytes().ct_eq(state.as_bytes())));
        let place = place.ok_or(NotBegun::Unknown)?;
        let entry = &self.begun[place];
        if entry.browser != self.digester.digest(browser.as_bytes()) {
            return Err(NotBegun::OtherBrowser);
        }
        if entry.flow.issuer != issuer {
            return Err(NotBegun::OtherIssuer);
        }
        self.begun.remove(place).map(|entry| entry.flow).ok_or(NotBegun::Unknown)
    }

    /// Those of a clock that was set back go as well.
    fn drop_late(&mut self, now: Timestamp) {
        self.begun.retain(|entry| entry.at <= now && now.since(entry.at) < LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_000_000;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis((START + seconds) * 1000)
    }

    fn flow(to: usize) -> Flow {
        let text = |text: &str| text.to_owned();
        Flow {
            issuer: text("test"),
            nonce: text("n"),
            verifier: text("v"),
            redirect_uri: text("https://h/callback"),
            to: format!("/ibmmq/console/{to}"),
        }
    }

    fn begin(pending: &mut Pending, number: usize, address: [u8; 4], seconds: u64) {
        let (state, browser) = (format!("state-{number}"), format!("browser-{number}"));
        pending.begin(state, &browser, flow(number), IpAddr::from(address), at(seconds));
    }

    fn take(pending: &mut Pending, number: usize, seconds: u64) -> Result<Flow, NotBegun> {
        pending.take(&format!("state-{number}"), &format!("browser-{number}"), "test", at(seconds))
    }

    #[test]
    fn a_sign_in_is_taken_once_by_its_own_browser_at_its_own_issuer() {
        let mut pending = Pending::new();
        begin(&mut pending, 1, [10, 0, 0, 1], 0);
        begin(&mut pending, 2, [10, 0, 0, 1], 0);
        assert_eq!(pending.take("state-1", "browser-2", "test", at(1)), Err(NotBegun::OtherBrowser));
        assert_eq!(pending.take("state-1", "", "test", at(1)), Err(NotBegun::OtherBrowser));
        assert_eq!(pending.take("state-1", "browser-1", "other", at(1)), Err(NotBegun::OtherIssuer));
        assert_eq!(pending.take("", "", "test", at(1)), Err(NotBegun::Unknown));
        assert_eq!(take(&mut pending, 1, 1), Ok(flow(1)), "what others tried did no harm");
        assert_eq!(take(&mut pending, 1, 1), Err(NotBegun::Unknown));
        assert_eq!(take(&mut pending, 2, 1), Ok(flow(2)));
    }

    #[test]
    fn a_sign_in_may_take_ten_minutes() {
        let mut pending = Pending::new();
        begin(&mut pending, 1, [10, 0, 0, 1], 0);
        begin(&mut pending, 2, [10, 0, 0, 1], 1);
        assert_eq!(take(&mut pending, 1, 600), Err(NotBegun::Unknown));
        assert_eq!(take(&mut pending, 2, 600), Ok(flow(2)));
        begin(&mut pending, 3, [10, 0, 0, 1], 700);
        assert_eq!(take(&mut pending, 3, 600), Err(NotBegun::Unknown), "the clock was set back");
    }

    #[test]
    fn many_sign_ins_push_out_the_oldest_of_their_own_address_first() {
        let mut pending = Pending::new();
        begin(&mut pending, 0, [10, 0, 0, 1], 0);
        for number in 1..=MOST_OF_ADDRESS {
            begin(&mut pending, number, [10, 0, 0, 2], 1);
        }
        begin(&mut pending, 10_000, [10, 0, 0, 2], 2);
        assert_eq!(take(&mut pending, 1, 3), Err(NotBegun::Unknown));
        assert_eq!(take(&mut pending, 2, 3), Ok(flow(2)));
        assert_eq!(take(&mut pending, 0, 3), Ok(flow(0)), "of another address");
    }

    #[test]
    fn many_addresses_push_out_the_oldest_of_all() {
        let mut pending = Pending::new();
        for number in 0..=MOST {
            let [.., high, low] = u32::try_from(number).expect("small").to_be_bytes();
            begin(&mut pending, number, [10, 1, high, low], 1);
        }
        assert_eq!(pending.begun.len(), MOST);
        assert_eq!(take(&mut pending, 0, 2), Err(NotBegun::Unknown));
        assert_eq!(take(&mut pending, 1, 2), Ok(flow(1)));
        assert_eq!(take(&mut pending, MOST, 2), Ok(flow(MOST)));
    }
}
