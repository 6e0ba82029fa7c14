//! How wrong passwords slow down those who send them: one place for HTTP Basic, login, client channels and the directory.
//!
//! A pair is a user name and an address. A pair that sends wrong passwords waits, each time twice as long, up to a bound: no
//! pair waits for good. Two budgets are slower: one of each user over all addresses, one of each address over all users.
//! - A user whose budget is spent: every address has one try before it waits, instead of several.
//! - An address whose budget is spent: it has one try in a while.
//!
//! The rightful user gets in from an address that the user signed in from before, or from another one, whatever others send:
//! a spent budget does not concern the former, and the latter has its own first try.
//!
//! A right password that is the one which the user signed in with from there before gets in during a wait, too: somebody else at
//! the same address, behind the same proxy say, cannot keep the user out. Other passwords are not looked at then.
//!
//! Pure: callers pass the time. A clock that is set back lengthens no wait beyond the longest one. What is refused here costs no hash and asks no directory.
//!
//! Invariants
//! - Every table is bounded. Names and passwords from outside are kept as keyed hashes only, of right passwords alone.
//! - Nothing here is remembered over a restart.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::client_address::ClientAddress;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use crate::log_lines::{Lines, is_apart};
use crate::options::Lockout;

/// Budgets are spent within this time, and so are pairs forgotten.
const WINDOW: Duration = Duration::from_secs(600);
/// An address is known to be a user's for this long after it signed in.
const KNOWN_FOR: Duration = Duration::from_secs(30 * 86_400);
/// Entries of each table.
const MOST: usize = 32_768;
/// Characters of a user name that a line of the log shows.
const SHOWN: usize = 64;

/// A password is not looked at before this time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locked {
    pub wait: Duration,
}

impl Locked {
    /// Whole seconds, for `Retry-After`.
    pub fn seconds(self) -> u64 {
        self.wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX).max(1)
    }
}

#[derive(Default)]
pub(crate) struct Attempts {
    state: Mutex<State>,
    hasher: RandomState,
}

#[derive(Default)]
struct State {
    pairs: HashMap<u64, Pair>,
    users: HashMap<u64, Budget>,
    addresses: HashMap<u64, Budget>,
    /// Pairs that signed in.
    known: HashMap<u64, Known>,
    lines: Lines,
}

/// A pair that signed in.
#[derive(Clone, Copy)]
struct Known {
    /// When it last did.
    at: Timestamp,
    password: Fingerprint,
}

/// A password of one user, as a keyed hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

/// Wrong passwords of one user from one address, one after the other.
#[derive(Clone, Copy)]
struct Pair {
    failures: u32,
    last: Timestamp,
    locked_until: Timestamp,
    log: Log,
}

/// When a line was written, and how many refusals went without one since.
#[derive(Clone, Copy, Default)]
struct Log {
    at: Option<Timestamp>,
    left_out: u32,
}

impl Log {
    fn is_due(&mut self, now: Timestamp) -> Option<u32> {
        if self.at.is_some_and(|at| !is_apart(at, now)) {
            self.left_out = self.left_out.saturating_add(1);
            return None;
        }
        self.at = Some(now);
        Some(std::mem::take(&mut self.left_out))
    }
}

/// A number of failures within `WINDOW`, spent at once and given back evenly.
#[derive(Clone, Copy)]
struct Budget {
    /// When all of it will have been given back.
    whole_at: Timestamp,
    log: Log,
}

impl Budget {
    const WHOLE: Self = Self { whole_at: Timestamp::from_millis(0), log: Log { at: None, left_out: 0 } };

    /// What is spent beyond the budget is not owed: all of it is given back within `WINDOW`.
    fn spend(&mut self, budget: u32, now: Timestamp) {
        let whole_at = self.whole_at.max(now).saturating_add(WINDOW / budget.max(1));
        self.whole_at = whole_at.min(now.saturating_add(WINDOW));
    }

    /// How long until there is something to spend.
    fn wait(&mut self, budget: u32, now: Timestamp) -> Option<Duration> {
        // Later than that only when the clock has been set back.
        self.whole_at = self.whole_at.min(now.saturating_add(WINDOW));
        let spent = self.whole_at.since(now);
        let over = (spent + WINDOW / budget.max(1)).saturating_sub(WINDOW);
        (budget > 0 && self.whole_at > now && !over.is_zero()).then_some(over)
    }
}

/// The hashes that a pair is known by.
struct Keys {
    pair: u64,
    user: u64,
    address: u64,
}

impl Attempts {
    fn keys(&self, user: &str, address: IpAddr) -> Keys {
        // Registries may ignore case and blanks: spellings of one name are one user here.
        let user = user.trim().to_lowercase();
        let address = ClientAddress::from(address);
        Keys {
            pair: self.hasher.hash_one((&user, address)),
            user: self.hasher.hash_one(&user),
            address: self.hasher.hash_one(address),
        }
    }

    pub(crate) fn fingerprint(&self, user: &str, password: &str) -> Fingerprint {
        Fingerprint(self.hasher.hash_one((user, password)))
    }

    /// Whether a password of the user may be looked at.
    pub(crate) fn admit(
        &self,
        lockout: &Lockout,
        user: &str,
        password: Fingerprint,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<(), Locked> {
        if lockout.failures == 0 {
            return Ok(());
        }
        let keys = self.keys(user, address);
        let mut state = self.state.lock();
        let known = state.known(keys.pair, now);
        if known.is_some_and(|known| known.password == password) {
            return Ok(());
        }
        if let Some(pair) = state.pairs.get_mut(&keys.pair)
            && pair.locked_until > now
        {
            // Later than that only when the clock has been set back.
            pair.locked_until = pair.locked_until.min(now.saturating_add(lockout.longest()));
            pair.log.left_out = pair.log.left_out.saturating_add(1);
            return Err(Locked { wait: pair.locked_until.since(now) });
        }
        if known.is_some() {
            return Ok(());
        }
        let State { addresses, lines, .. } = &mut *state;
        let Some(budget) = addresses.get_mut(&keys.address) else { return Ok(()) };
        let Some(wait) = budget.wait(lockout.address_failures, now) else { return Ok(()) };
        if let Some(left_out) = budget.log.is_due(now)
            && let Some(lines_left_out) = lines.take(now)
        {
            tracing::warn!(
                %address,
                left_out,
                lines_left_out,
                "sign-in refused: too many wrong passwords come from this address; it has one try in {} s",
                (WINDOW / lockout.address_failures.max(1)).as_secs()
            );
        }
        Err(Locked { wait })
    }

    /// A password was wrong.
    pub(crate) fn failed(&self, lockout: &Lockout, user: &str, address: IpAddr, now: Timestamp) {
        if lockout.failures == 0 {
            return;
        }
        let keys = self.keys(user, address);
        let mut state = self.state.lock();
        let State { users, addresses, .. } = &mut *state;
        room(addresses, |budget| budget.whole_at, now);
        addresses.entry(keys.address).or_insert(Budget::WHOLE).spend(lockout.address_failures, now);
        room(users, |budget| budget.whole_at, now);
        let of_user = users.entry(keys.user).or_insert(Budget::WHOLE);
        of_user.spend(lockout.user_failures, now);
        let is_user_spent = of_user.wait(lockout.user_failures, now).is_some();
        let free = if is_user_spent && state.known(keys.pair, now).is_none() { 1 } else { lockout.failures };
        let forget = lockout.longest().max(WINDOW);
        room(&mut state.pairs, |pair| pair.last.saturating_add(forget), now);
        let fresh = Pair { failures: 0, last: now, locked_until: now, log: Log::default() };
        let pair = state.pairs.entry(keys.pair).or_insert(fresh);
        if now.since(pair.last) > forget {
            *pair = fresh;
        }
        pair.last = now;
        pair.failures = pair.failures.saturating_add(1);
        let doublings = pair.failures.checked_sub(free);
        let wait = doublings.map_or(Duration::ZERO, |doublings| {
            lockout.first().saturating_mul(1 << doublings.min(20)).min(lockout.longest())
        });
        // Of two that are checked at once, the one that came first may fail last.
        pair.locked_until = pair.locked_until.min(now.saturating_add(lockout.longest())).max(now.saturating_add(wait));
        let (failures, left_out) = (pair.failures, pair.log.is_due(now));
        let line = left_out.and_then(|left_out| Some((left_out, state.lines.take(now)?)));
        drop(state);
        if let Some((left_out, lines_left_out)) = line {
            let user: String = user.chars().take(SHOWN).flat_map(char::escape_debug).collect();
            let wait = wait.as_secs();
            tracing::warn!(user, %address, failures, left_out, lines_left_out, "sign-in refused: wrong password; the next try may come in {wait} s");
        }
    }

    /// A password was right. A wait that others have caused goes on for them.
    pub(crate) fn succeeded(&self, user: &str, password: Fingerprint, address: IpAddr, now: Timestamp) {
        let keys = self.keys(user, address);
        let mut state = self.state.lock();
        if state.pairs.get(&keys.pair).is_some_and(|pair| pair.locked_until <= now) {
            state.pairs.remove(&keys.pair);
        }
        room(&mut state.known, |known| known.at.saturating_add(KNOWN_FOR), now);
        state.known.insert(keys.pair, Known { at: now, password });
    }

    #[cfg(test)]
    fn largest_table(&self) -> usize {
        let state = self.state.lock();
        state.pairs.len().max(state.users.len()).max(state.addresses.len()).max(state.known.len())
    }
}

/// One password that is being checked. Whoever checks it says how it was before the next one has its turn, also when its
/// sender has gone away meanwhile.
pub(crate) struct Attempt {
    pub(crate) attempts: Arc<Attempts>,
    pub(crate) lockout: Lockout,
    pub(crate) user: String,
    pub(crate) password: Fingerprint,
    pub(crate) address: IpAddr,
    pub(crate) now: Timestamp,
}

impl Attempt {
    /// Whether it may be looked at.
    pub(crate) fn admit(&self) -> Result<(), Locked> {
        self.attempts.admit(&self.lockout, &self.user, self.password, self.address, self.now)
    }

    pub(crate) fn settle(&self, is_right: bool) {
        if is_right {
            self.attempts.succeeded(&self.user, self.password, self.address, self.now);
        } else {
            self.attempts.failed(&self.lockout, &self.user, self.address, self.now);
        }
    }
}

impl State {
    fn known(&self, pair: u64, now: Timestamp) -> Option<Known> {
        self.known.get(&pair).copied().filter(|known| now.since(known.at) < KNOWN_FOR)
    }
}

/// Makes room in a full table: what is over goes, and where that leaves more than half of it, the half that ends first. So the
/// whole table is seldom looked at.
fn room<V>(table: &mut HashMap<u64, V>, ends: impl Fn(&V) -> Timestamp, now: Timestamp) {
    if table.len() < MOST {
        return;
    }
    table.retain(|_, entry| ends(entry) > now);
    if table.len() > MOST / 2 {
        let mut all: Vec<Timestamp> = table.values().map(&ends).collect();
        let middle = all.len() / 2;
        let middle = *all.select_nth_unstable(middle).1;
        table.retain(|_, entry| ends(entry) > middle);
    }
}

#[cfg(test)]
mod tests;
