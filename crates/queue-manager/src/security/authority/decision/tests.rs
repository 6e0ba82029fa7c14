use std::sync::Arc;

use super::*;
use crate::security::authority::Authorities;

fn record(object: AuthorityObject, profile: &str, authorities: Authority) -> AuthorityRecord {
    AuthorityRecord { profile: profile.to_owned(), object, entity: Entity::Principal("o'hara".to_owned()), authorities }
}

fn explain(records: &[AuthorityRecord], object: AuthorityObject, wanted: Authority) -> Decision {
    let authorities = Authorities::new("server", records.iter().cloned());
    authorities.explain(&Principal::user("o'hara"), object, &ObjectName::literal("APP.Q"), wanted)
}

fn commands(decision: &Decision) -> Vec<String> {
    decision.remedies().into_iter().map(|remedy| remedy.mqsc.join("; ")).collect()
}

#[test]
fn the_command_that_grants_least_comes_first_and_keeps_what_the_user_has() {
    let queue = AuthorityObject::Queue;
    let put = Authority::PUT | Authority::GET;
    let wide = [record(queue, "APP.**", Authority::BROWSE)];
    for (decision, expected) in [
        (
            explain(&[], queue, put),
            vec!["SET AUTHREC PROFILE('APP.Q') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(GET,PUT)"],
        ),
        (
            explain(&wide, queue, Authority::SET),
            vec![
                "SET AUTHREC PROFILE('APP.Q') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(BROWSE,SET)",
                "SET AUTHREC PROFILE('APP.**') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(SET)",
            ],
        ),
        (
            explain(&[record(queue, "APP.Q", Authority::BROWSE)], queue, Authority::SET),
            vec!["SET AUTHREC PROFILE('APP.Q') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(SET)"],
        ),
        (
            explain(&wide, queue, Authority::CREATE),
            vec!["SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(CRT)"],
        ),
        (
            explain(&[], queue, Authority::CREATE | Authority::CHANGE),
            vec![
                "SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(CRT); \
                 SET AUTHREC PROFILE('APP.Q') OBJTYPE(QUEUE) PRINCIPAL('o''hara') AUTHADD(CHG)",
            ],
        ),
        (
            explain(&[], AuthorityObject::QueueManager, Authority::CONNECT),
            vec!["SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('o''hara') AUTHADD(CONNECT)"],
        ),
    ] {
        assert_eq!(commands(&decision), expected);
    }
}

#[test]
fn the_rule_names_the_profile_that_decides_and_what_it_lacks() {
    let queue = AuthorityObject::Queue;
    let records = [record(queue, "APP.**", Authority::all()), record(queue, "APP.Q", Authority::GET)];
    let decision = explain(&records, queue, Authority::PUT | Authority::GET);
    assert_eq!(decision.rule(), "profile APP.Q of user 'o'hara' grants GET; PUT is missing on QUEUE APP.Q");
    let Basis::Records(weighed) = &decision.basis else { panic!("no administrator") };
    assert_eq!(weighed[0].passed_over, ["APP.**"]);
    let decision = explain(&[], queue, Authority::PUT);
    assert_eq!(
        decision.rule(),
        "no authority record of 'o'hara' or of its groups matches QUEUE APP.Q; PUT is missing on QUEUE APP.Q"
    );
}

#[test]
fn a_kept_decision_is_bounded_however_many_groups_a_user_has() {
    let groups: Vec<Arc<str>> = (0..500).map(|number| Arc::from(format!("g{number}"))).collect();
    let principal = Principal { groups: groups.into(), ..Principal::user("app") };
    let of_group = |number| AuthorityRecord {
        entity: Entity::Group(format!("g{number}")),
        ..record(AuthorityObject::Queue, "APP.**", Authority::GET)
    };
    let authorities = Authorities::new("server", (0..100).map(of_group));
    let name = ObjectName::literal("APP.Q");
    let decision = authorities.explain(&principal, AuthorityObject::Queue, &name, Authority::PUT).shortened();
    let Basis::Records(weighed) = decision.basis else { panic!("no administrator") };
    assert_eq!(weighed.len(), MOST_KEPT);
    assert_eq!(weighed[0].entity, Entity::Principal("app".to_owned()));
}
