//! Faults by rule: which call of the MQI or which HTTP request fails, how, and how often.
//!
//! Rules are asked in the order in which they were made. The first that is about a call and has a hit left decides.
//!
//! Invariants
//! - While there is no rule, a call costs one load.
//! - There are at most `MOST_RULES` rules.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::reason::Reason;
use parking_lot::Mutex;

pub const MOST_RULES: usize = 1000;

/// A call of the MQI, as rules name it. MQPUT1 is a put, MQSUBRQ a subscribe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Connect,
    Open,
    Close,
    Put,
    Get,
    Browse,
    Set,
    Subscribe,
    Commit,
    BackOut,
}

impl Verb {
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Connect, "connect"),
        (Self::Open, "open"),
        (Self::Close, "close"),
        (Self::Put, "put"),
        (Self::Get, "get"),
        (Self::Browse, "browse"),
        (Self::Set, "set"),
        (Self::Subscribe, "subscribe"),
        (Self::Commit, "commit"),
        (Self::BackOut, "backout"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(verb, _)| *verb == self).map_or("", |(_, name)| name)
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(verb, _)| *verb)
    }
}

/// A name, or the beginning of names with an asterisk behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn matches(&self, name: &str) -> bool {
        self.0.strip_suffix('*').map_or(name == self.0, |beginning| name.starts_with(beginning))
    }
}

/// Which calls a rule is about. What is `None` is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfCalls {
    pub verb: Option<Verb>,
    pub queue_manager: Option<Pattern>,
    /// As the program opened it, or what that led to; of a commit and a back out, a queue of the unit of work.
    pub queue: Option<Pattern>,
    pub channel: Option<Pattern>,
}

/// What an HTTP request is for, as rules name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Service,
    Api,
    ApiRequester,
    /// Anything: the name is the path.
    Path,
}

/// When a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The call is not made.
    Before,
    /// The call is made, and its answer is lost.
    After,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFault {
    /// Nothing but the delay.
    Late,
    /// The call is not made, and ends with this reason.
    Reason(Reason),
    Drop(Moment),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFault {
    /// Nothing but the delay.
    Late,
    /// The request is answered with this status, and nothing is done.
    Status(u16),
    Drop(Moment),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Calls(OfCalls, CallFault),
    Requests(Purpose, Pattern, RequestFault),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub subject: Subject,
    /// Before the fault, or the call.
    pub delay: Duration,
    /// So many calls go well before the first hit.
    pub skip: u64,
    /// Hits, after which the rule does nothing more; `None`: without end.
    pub times: Option<u64>,
}

/// A rule and what it has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub id: u64,
    pub rule: Rule,
    /// Calls that it is about.
    pub seen: u64,
    pub hits: u64,
}

impl Kept {
    /// Counts a call, and says whether it is hit.
    fn hit(&mut self) -> bool {
        self.seen += 1;
        let is_hit = self.seen > self.rule.skip && self.rule.times.is_none_or(|times| self.hits < times);
        self.hits += u64::from(is_hit);
        is_hit
    }
}

/// Which rule has hit a call or a request, and how long it delays it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    pub rule: u64,
    pub delay: Duration,
}

impl Hit {
    fn of(kept: &Kept) -> Self {
        Self { rule: kept.id, delay: kept.rule.delay }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there are {MOST_RULES} rules already")]
pub struct TooManyRules;

/// A call that is about to be made.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub verb: Verb,
    pub queue_manager: &'a str,
    pub queues: &'a [&'a str],
    /// Empty: the program is no client of a channel.
    pub channel: &'a str,
}

impl OfCalls {
    fn is_about(&self, call: &Call<'_>) -> bool {
        let wants = |pattern: &Option<Pattern>, name: &str| pattern.as_ref().is_none_or(|one| one.matches(name));
        self.verb.is_none_or(|verb| verb == call.verb)
            && wants(&self.queue_manager, call.queue_manager)
            && wants(&self.channel, call.channel)
            && self.queue.as_ref().is_none_or(|pattern| call.queues.iter().any(|queue| pattern.matches(queue)))
    }
}

/// The rules of a server.
#[derive(Debug, Default)]
pub struct Faults {
    /// Of `rules`: read without the lock.
    count: AtomicUsize,
    rules: Mutex<Rules>,
}

#[derive(Debug, Default)]
struct Rules {
    made: u64,
    kept: Vec<Kept>,
}

impl Faults {
    /// Whether it is worth asking about a call.
    pub fn has_rules(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// # Errors
    /// There are too many.
    pub fn add(&self, rule: Rule) -> Result<Kept, TooManyRules> {
        let mut rules = self.rules.lock();
        if rules.kept.len() >= MOST_RULES {
            return Err(TooManyRules);
        }
        rules.made += 1;
        let kept = Kept { id: rules.made, rule, seen: 0, hits: 0 };
        rules.kept.push(kept.clone());
        self.count.store(rules.kept.len(), Ordering::Release);
        Ok(kept)
    }

    pub fn all(&self) -> Vec<Kept> {
        self.rules.lock().kept.clone()
    }

    /// False when there is no such rule.
    pub fn remove(&self, id: u64) -> bool {
        let mut rules = self.rules.lock();
        let before = rules.kept.len();
        rules.kept.retain(|kept| kept.id != id);
        self.count.store(rules.kept.len(), Ordering::Release);
        rules.kept.len() < before
    }

    pub fn clear(&self) {
        let mut rules = self.rules.lock();
        rules.kept.clear();
        self.count.store(0, Ordering::Release);
    }

    /// What becomes of a call, and after which delay; `None`: nothing out of the ordinary.
    pub fn of_call(&self, call: &Call<'_>) -> Option<(Hit, CallFault)> {
        let mut rules = self.rules.lock();
        rules.kept.iter_mut().find_map(|kept| match &kept.rule.subject {
            Subject::Calls(of, fault) if of.is_about(call) => {
                let found = (Hit::of(kept), *fault);
                kept.hit().then_some(found)
            }
            Subject::Calls(..) | Subject::Requests(..) => None,
        })
    }

    /// The same of a request, for which `names` says what it is for.
    pub fn of_request(&self, names: &[(Purpose, &str)]) -> Option<(Hit, RequestFault)> {
        let mut rules = self.rules.lock();
        rules.kept.iter_mut().find_map(|kept| match &kept.rule.subject {
            Subject::Requests(purpose, pattern, fault)
                if names.iter().any(|(known, name)| known == purpose && pattern.matches(name)) =>
            {
                let found = (Hit::of(kept), *fault);
                kept.hit().then_some(found)
            }
            Subject::Calls(..) | Subject::Requests(..) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(queue: &str, skip: u64, times: Option<u64>) -> Rule {
        let of = OfCalls { verb: Some(Verb::Put), queue: Some(Pattern::new(queue)), ..OfCalls::default() };
        Rule { subject: Subject::Calls(of, CallFault::Reason(Reason::QFull)), delay: Duration::ZERO, skip, times }
    }

    fn put<'a>(queues: &'a [&'a str]) -> Call<'a> {
        Call { verb: Verb::Put, queue_manager: "QM1", queues, channel: "" }
    }

    #[test]
    fn a_rule_lets_some_calls_pass_and_hits_as_often_as_it_says() {
        let faults = Faults::default();
        let kept = faults.add(full("ORDERS.*", 1, Some(2))).expect("there is room");
        let hits: Vec<bool> = (0..5).map(|_| faults.of_call(&put(&["ORDERS.A"])).is_some()).collect();
        assert_eq!(hits, [false, true, true, false, false]);
        let all = faults.all();
        assert_eq!((all[0].id, all[0].seen, all[0].hits), (kept.id, 5, 2));
    }

    #[test]
    fn a_rule_hits_only_what_it_is_about() {
        let faults = Faults::default();
        faults.add(full("ORDERS", 0, None)).expect("there is room");
        assert!(faults.of_call(&put(&["ORDERS.A"])).is_none(), "without an asterisk a name is a whole name");
        assert!(faults.of_call(&put(&[])).is_none());
        assert!(faults.of_call(&Call { verb: Verb::Get, ..put(&["ORDERS"]) }).is_none());
        assert!(faults.of_call(&put(&["AN.ALIAS", "ORDERS"])).is_some());
        assert!(faults.of_request(&[(Purpose::Path, "ORDERS")]).is_none());
    }

    #[test]
    fn a_rule_that_has_no_hit_left_makes_way_for_the_next() {
        let faults = Faults::default();
        faults.add(full("Q", 0, Some(1))).expect("there is room");
        let late = Rule { delay: Duration::from_secs(1), ..full("Q", 0, None) };
        let second = faults.add(late).expect("there is room");
        let delays = [0, 1].map(|_| faults.of_call(&put(&["Q"])).map(|(hit, _)| hit.delay.as_secs()));
        assert_eq!(delays, [Some(0), Some(1)]);
        assert!(faults.remove(second.id) && !faults.remove(second.id));
        assert!(faults.has_rules());
        faults.clear();
        assert!(!faults.has_rules());
    }

    #[test]
    fn a_request_is_hit_by_any_of_its_names() {
        let faults = Faults::default();
        let subject = Subject::Requests(Purpose::Service, Pattern::new("loan"), RequestFault::Status(503));
        faults.add(Rule { subject, delay: Duration::ZERO, skip: 0, times: None }).expect("there is room");
        let names = [(Purpose::Path, "/loan"), (Purpose::Service, "loan")];
        assert_eq!(
            faults.of_request(&names),
            Some((Hit { rule: 1, delay: Duration::ZERO }, RequestFault::Status(503)))
        );
        assert!(faults.of_request(&names[..1]).is_none());
    }
}
