//! Why a program gets 2035: the explanation says what MQOPEN does, for random records, users, groups and names; its remedies
//! work; and the last refusals are remembered.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::queue::{AliasQueue, AliasTarget, LocalQueue, RemoteQueue, Usage};
use model::definition::{QueueDefinition, QueueKind, TopicDefinition};
use model::name::ObjectName;
use model::options::{ObjectDescriptor, ObjectKind, OpenOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use proptest::prelude::*;
use queue_manager::QueueManager;
use queue_manager::access::{Access, Asked, Step};
use queue_manager::decision::{Basis, Decision};
use queue_manager::recent::Way;

use crate::script::{FakeClock, START, administrator, connect, ephemeral, name};

/// What every name may be opened for.
const OPTIONS: [(OpenOptions, Authority); 6] = [
    (OpenOptions::OUTPUT, Authority::PUT),
    (OpenOptions::INPUT_SHARED, Authority::GET),
    (OpenOptions::BROWSE, Authority::BROWSE),
    (OpenOptions::INQUIRE, Authority::INQUIRE),
    (OpenOptions::SET, Authority::SET),
    (OpenOptions::OUTPUT.union(OpenOptions::SET_ALL_CONTEXT), Authority::PUT.union(Authority::SET_ALL_CONTEXT)),
];
const QUEUES: [&str; 7] = ["A.B", "A.B.C", "A.ALIAS", "B.REMOTE", "QM2", "B.TOPIC", "NONE"];
const PROFILES: [&str; 10] = ["A.B", "A.B.C", "A.ALIAS", "A.*", "A.**", "B.*", "**", "QM2", "?.TOPIC", "B.TOPIC"];
const TOPIC_PROFILES: [&str; 4] = ["SPORT", "FOOTBALL", "SYSTEM.BASE.TOPIC", "**"];
const GROUPS: [&str; 3] = ["g1", "g2", "mqm"];

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

async fn with_names() -> QueueManager {
    let queue_manager = ephemeral(FakeClock::new());
    let transmission = LocalQueue { usage: Usage::Transmission, ..LocalQueue::default() };
    let alias = |target: &str, target_type| AliasQueue { target: name(target), target_type, ..AliasQueue::default() };
    let remote = RemoteQueue { remote_queue: name("X"), remote_queue_manager: name("QM2"), ..RemoteQueue::default() };
    for (queue, kind) in [
        ("A.B", QueueKind::Local(Box::default())),
        ("A.B.C", QueueKind::Local(Box::default())),
        ("QM2", QueueKind::Local(Box::new(transmission))),
        ("A.ALIAS", QueueKind::Alias(alias("A.B", AliasTarget::Queue))),
        ("B.TOPIC", QueueKind::Alias(alias("FOOTBALL", AliasTarget::Topic))),
        ("B.REMOTE", QueueKind::Remote(remote)),
    ] {
        queue_manager.define_queue(&administrator(), QueueDefinition::new(name(queue), kind), false).await.unwrap();
    }
    for (topic, topic_string) in [("SPORT", "sport"), ("FOOTBALL", "sport/football")] {
        let definition =
            TopicDefinition { name: name(topic), topic_string: topic_string.to_owned(), ..TopicDefinition::default() };
        queue_manager.define_topic(&administrator(), definition, false).await.unwrap();
    }
    queue_manager
}

/// A record: object type and profile, whose it is, what it grants.
type Drawn = (bool, usize, usize, u32);

fn record((is_queue, profile, entity, bits): &Drawn) -> AuthorityRecord {
    let (object, profile) = match is_queue {
        true => (AuthorityObject::Queue, PROFILES[profile % PROFILES.len()]),
        false => (AuthorityObject::Topic, TOPIC_PROFILES[profile % TOPIC_PROFILES.len()]),
    };
    let entity = match entity % 4 {
        0 => Entity::Principal("app".to_owned()),
        1 => Entity::Principal("other".to_owned()),
        group => Entity::Group(GROUPS[group - 2].to_owned()),
    };
    let authorities = Authority::from_bits_truncate(*bits);
    AuthorityRecord { profile: profile.to_owned(), object, entity, authorities }
}

/// A way to open: an object, and the same as the explanation is asked for it.
#[derive(Debug, Clone)]
struct Opening {
    object: ObjectDescriptor,
    asked: Asked,
}

fn way(number: usize) -> Opening {
    let of_queue = |queue: &str, queue_manager: &str| {
        let (name, queue_manager) = (name(queue), ObjectName::parse(queue_manager).unwrap());
        Opening {
            object: ObjectDescriptor { name, queue_manager, ..ObjectDescriptor::default() },
            asked: Asked::Queue { name, queue_manager },
        }
    };
    match number % (QUEUES.len() + 3) {
        queue if queue < QUEUES.len() => of_queue(QUEUES[queue], ""),
        elsewhere if elsewhere == QUEUES.len() => of_queue("ANY", "QM2"),
        elsewhere if elsewhere == QUEUES.len() + 1 => of_queue("ANY", "QM9"),
        _ => Opening {
            object: ObjectDescriptor {
                object: ObjectKind::Topic,
                name: ObjectName::BLANK,
                topic_string: "sport/football/cup".to_owned(),
                ..ObjectDescriptor::default()
            },
            asked: Asked::Topic { object: ObjectName::BLANK, string: "sport/football/cup".to_owned() },
        },
    }
}

/// What MQOPEN of these options wants, in the words of the explanation.
fn wanted(way: &Opening, authority: Authority) -> Authority {
    match way.asked {
        Asked::Topic { .. } => (authority - Authority::PUT) | Authority::PUBLISH,
        Asked::Queue { .. } | Asked::Object { .. } => authority,
    }
}

fn check_trace(access: &Access) {
    let of_step = |step: &Step| match step {
        Step::Resolved(_) => Vec::new(),
        Step::Decided(decision) => vec![decision.clone()],
        Step::AnyOf { decisions, .. } => decisions.clone(),
    };
    for decision in access.steps.iter().flat_map(of_step) {
        if let Basis::Records(weighed) = &decision.basis {
            let sum = weighed.iter().fold(Authority::empty(), |sum, one| sum | one.granted);
            assert_eq!(sum, decision.granted, "{decision:?}");
        }
    }
}

async fn carry_out(queue_manager: &QueueManager, decision: &Decision) {
    let remedy = decision.remedies().into_iter().next().expect("a remedy");
    let before = queue_manager.explain_access(
        &decision.principal,
        &Asked::Object { object: decision.object, name: decision.name },
        Authority::empty(),
    );
    for record in remedy.records {
        queue_manager.change_authority(&administrator(), record, Authority::empty()).await.unwrap();
    }
    let (object, name) = (decision.object, decision.name);
    let after = queue_manager.explain_access(&decision.principal, &Asked::Object { object, name }, decision.wanted);
    assert_eq!(after.outcome, Ok(()), "{remedy:?}", remedy = decision.remedies());
    let (Some(Step::Decided(before)), Some(Step::Decided(after))) = (before.steps.last(), after.steps.last()) else {
        panic!("decisions");
    };
    assert!(after.granted.contains(before.granted), "a remedy takes something away: {before:?} {after:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_explanation_of_an_open_is_what_the_open_does(
        records in proptest::collection::vec((any::<bool>(), 0..20_usize, 0..4_usize, any::<u32>()), 0..12),
        groups in proptest::collection::vec(0..2_usize, 0..3),
        opens in proptest::collection::vec((0..30_usize, 0..OPTIONS.len()), 1..12),
        is_in_mqm in proptest::bool::weighted(0.1),
    ) {
        runtime().block_on(async {
            let queue_manager = with_names().await;
            for drawn in &records {
                queue_manager.set_authority(&administrator(), record(drawn)).await.unwrap();
            }
            let mut names: Vec<Arc<str>> = groups.iter().map(|group| Arc::from(GROUPS[*group])).collect();
            names.extend(is_in_mqm.then(|| Arc::from("mqm")));
            let app = Principal { groups: names.into(), ..Principal::user("app") };
            let connection = connect(&queue_manager, administrator());
            for (number, options) in &opens {
                let (way, (options, authority)) = (way(*number), OPTIONS[*options]);
                let access = queue_manager.explain_access(&app, &way.asked, wanted(&way, authority));
                let opened = connection.open(&app, &way.object, options).await;
                check_trace(&access);
                match (&opened, access.outcome) {
                    (Ok(_), outcome) => assert_eq!(outcome, Ok(()), "{way:?} {access:?}"),
                    (Err(Reason::NotAuthorized), outcome) => {
                        assert_eq!(outcome, Err(Reason::NotAuthorized), "{way:?} {access:?}");
                        let said = access.refusal().expect("what refuses");
                        let noted = queue_manager.refusals().remove(0);
                        let facts = |of: &Decision| (of.name, of.wanted, of.granted, of.rule());
                        assert_eq!(facts(&noted.what.decision), facts(said), "{way:?}");
                        carry_out(&queue_manager, said).await;
                    }
                    // Another reason came first: the object is not for these options, or is not there.
                    (Err(reason), Err(outcome)) if outcome != Reason::NotAuthorized => assert_eq!(*reason, outcome),
                    (Err(_), _) => {}
                }
            }
        });
    }
}

#[tokio::test]
async fn a_refusal_is_remembered_with_who_what_by_which_way_and_why() {
    let queue_manager = with_names().await;
    let connect_record = AuthorityRecord {
        profile: "QM1".to_owned(),
        object: AuthorityObject::QueueManager,
        entity: Entity::Principal("app".to_owned()),
        authorities: Authority::CONNECT,
    };
    queue_manager.set_authority(&administrator(), connect_record).await.unwrap();
    let connection = connect(&queue_manager, Principal::user("app"));
    let object = ObjectDescriptor { name: name("A.ALIAS"), ..ObjectDescriptor::default() };
    for _ in 0..3 {
        let refused =
            connection.open(&Principal::user("app"), &object, OpenOptions::OUTPUT | OpenOptions::INQUIRE).await;
        assert_eq!(refused.err(), Some(Reason::NotAuthorized));
    }
    let define = queue_manager.define_queue(&Principal::user("app"), QueueDefinition::local(name("NEW")), false).await;
    assert!(define.is_err());
    let [by_command, by_open] = &queue_manager.refusals()[..] else { panic!("two refusals") };
    assert_eq!((by_command.count, &by_command.what.way), (1, &Way::Command));
    let way = Way::Application { name: "script".to_owned(), channel: String::new(), connection_name: String::new() };
    assert_eq!((by_open.count, &by_open.what.way), (3, &way));
    let decision = &by_open.what.decision;
    assert_eq!((decision.name, decision.missing()), (name("A.ALIAS"), Authority::PUT | Authority::INQUIRE));
    let last = |user: &str, since, object: &str| {
        let noted = queue_manager.last_refusal(&Principal::user(user), since, object);
        noted.map(|noted| noted.what.decision.name.to_string())
    };
    assert_eq!(last("app", START, "A.ALIAS").as_deref(), Some("A.ALIAS"));
    assert_eq!(last("app", START, "sport").as_deref(), Some("NEW"));
    assert_eq!(last("app", Timestamp(START.0 + 1), "A.ALIAS"), None);
    assert_eq!(last("other", START, "A.ALIAS"), None);
}

#[tokio::test]
async fn what_is_allowed_and_what_is_only_explained_is_not_remembered() {
    let queue_manager = with_names().await;
    let connection = connect(&queue_manager, administrator());
    let object = ObjectDescriptor { name: name("A.B"), ..ObjectDescriptor::default() };
    connection.open(&administrator(), &object, OpenOptions::OUTPUT).await.unwrap();
    let asked = Asked::Queue { name: name("A.B"), queue_manager: ObjectName::BLANK };
    let access = queue_manager.explain_access(&Principal::user("app"), &asked, Authority::PUT);
    assert_eq!(access.outcome, Err(Reason::NotAuthorized));
    assert!(queue_manager.refusals().is_empty());
}
