//! The log line of a refusal (2035): who lacks which authority on what, and the command that grants it.
//!
//! Repeated refusals have one line a minute for each user and object; the line then says how many
//! were left out. Names only: no password, no message.

use std::hash::BuildHasher;
use std::time::Duration;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Principal};
use model::definition::attribute::quoted;
use model::name::ObjectName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tracing::warn;

use crate::engine::Engine;
use crate::engine::map::Map;
use crate::engine::spaced_line::SpacedLine;

/// One line for a user and an object in this time.
const PAUSE: Duration = Duration::from_secs(60);
/// Most pairs of user and object remembered; beyond it all are forgotten, and lines come again.
const MAXIMUM: usize = 1000;

/// When which refusal was last logged.
#[derive(Default)]
pub(super) struct Refusals {
    logged: Mutex<Map<u64, SpacedLine>>,
    hasher: foldhash::fast::RandomState,
}

impl Refusals {
    /// How many were left out since the last line, when it is time for one.
    fn due(&self, principal: &Principal, object: AuthorityObject, name: &ObjectName, now: Timestamp) -> Option<u32> {
        let hash = self.hasher.hash_one((&principal.user, object, name));
        let mut logged = self.logged.lock();
        if logged.len() >= MAXIMUM && !logged.contains_key(&hash) {
            logged.clear();
        }
        logged.entry(hash).or_default().due(now, PAUSE)
    }
}

pub(super) fn log(
    engine: &Engine,
    principal: &Principal,
    object: AuthorityObject,
    name: &ObjectName,
    missing: Authority,
) {
    let authorities = &engine.authorities;
    let Some(left_out) = authorities.refusals.due(principal, object, name, engine.now()) else { return };
    let own = authorities.profile_of(principal, object, name.as_str());
    warn!(
        queue_manager = engine.name.as_str(),
        user = &*principal.user,
        object = name.as_str(),
        object_type = object.mqsc(),
        missing = missing.list(),
        grant = grant(principal, object, name, missing, own.as_deref()),
        left_out,
        "AMQ8077W: not authorized"
    );
}

/// The command that grants what is missing. It adds to the profile that counts for the user now: a more specific one of
/// its own would take away what that profile grants.
fn grant(
    principal: &Principal,
    object: AuthorityObject,
    name: &ObjectName,
    missing: Authority,
    own: Option<&str>,
) -> String {
    let whole_class = missing.contains(Authority::CREATE) && object != AuthorityObject::QueueManager;
    let profile = if whole_class { AuthorityRecord::CLASS } else { own.unwrap_or(name.as_str()) };
    let profile = match object {
        AuthorityObject::QueueManager => String::new(),
        _ => format!("PROFILE({}) ", quoted(profile)),
    };
    let (object, user) = (object.mqsc(), quoted(&principal.user));
    format!("SET AUTHREC {profile}OBJTYPE({object}) PRINCIPAL({user}) AUTHADD({})", missing.list())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(object: AuthorityObject, missing: Authority, own: Option<&str>) -> String {
        grant(&Principal::user("o'hara"), object, &ObjectName::literal("APP.Q"), missing, own)
    }

    #[test]
    fn the_command_that_grants_keeps_what_the_user_has() {
        let put = Authority::PUT | Authority::GET;
        let queue = AuthorityObject::Queue;
        for (text, expected) in [
            (
                grants(queue, put, None),
                "SET AUTHREC PROFILE('APP.Q') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(GET,PUT)",
            ),
            (
                grants(queue, Authority::SET, Some("APP.**")),
                "SET AUTHREC PROFILE('APP.**') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(SET)",
            ),
            (
                grants(queue, Authority::CREATE, Some("APP.**")),
                "SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(CRT)",
            ),
            (
                grants(AuthorityObject::QueueManager, Authority::CONNECT, None),
                "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('o''hara') AUTHADD(CONNECT)",
            ),
        ] {
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn a_refusal_is_told_once_a_minute_with_the_number_left_out() {
        let refusals = Refusals::default();
        let at = |second: u64| Timestamp(second * 1_000_000);
        let due = |user: &str, second| {
            refusals.due(&Principal::user(user), AuthorityObject::Queue, &ObjectName::literal("Q"), at(second))
        };
        assert_eq!(due("app", 100), Some(0));
        assert_eq!(due("app", 101), None);
        assert_eq!(due("app", 159), None);
        assert_eq!(due("other", 101), Some(0));
        assert_eq!(due("app", 160), Some(2));
    }

    #[test]
    fn what_is_remembered_of_refusals_is_bounded() {
        let refusals = Refusals::default();
        for number in 0..5 * MAXIMUM {
            let principal = Principal::user(&format!("user{number}"));
            refusals.due(&principal, AuthorityObject::Queue, &ObjectName::literal("Q"), Timestamp(1));
        }
        assert!(refusals.logged.lock().len() <= MAXIMUM);
    }
}
