//! What an operator does with a group: he sees how it is, mends what is stuck, and takes members out.

use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use model::timestamp::Timestamp;
use storage::shared::administration::{Administrator, Check, LeaveRefusal, Stuck, Verdict};
use storage::shared::{GroupDefinition, GroupDisposition, MemberState, SharedError};
use storage::{QueueId, Store, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    check_nothing_is_held, count, create_queue, create_queue_in, drain, eventually, get, know_queue, member, options,
    put,
};
use crate::shared::structures::Databases;

/// Definitions of these tests are a name and a number.
fn queue_of(definition: &GroupDefinition) -> Vec<(String, QueueId)> {
    let text = std::str::from_utf8(definition.value.as_deref().unwrap_or_default()).expect("a text");
    let parts = text.split_once(' ').and_then(|(name, number)| Some((name, number.parse().ok()?)));
    parts.map(|(name, number)| (name.to_owned(), QueueId(number))).into_iter().collect()
}

fn define(store: &Store, name: &str, queue: QueueId) {
    let shared = store.shared().expect("in a group");
    let (key, value) = (format!("queue/{name}"), format!("{name} {}", queue.0));
    let saved = block_on(shared.save_definition(&key, GroupDisposition::Shared, value.as_bytes(), 0));
    assert!(saved.expect("saves").is_some());
}

/// Runs an operator's work.
fn operate<T>(database: &Database, work: impl AsyncFnOnce(&Administrator) -> Result<T, SharedError>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut options = options(&database.url, "");
    options.silence = Duration::from_secs(1);
    runtime
        .block_on(async { work(&Administrator::connect(&options, "QSG1", queue_of).await?).await })
        .expect("the operator's work is done")
}

fn stuck(database: &Database) -> Vec<String> {
    operate(database, async |administrator| administrator.find_stuck(&Stuck::ALL).await)
        .into_iter()
        .map(|finding| format!("{}: {}", finding.stuck.name(), finding.text))
        .collect()
}

fn mend(database: &Database, kind: Stuck) -> i64 {
    operate(database, async |administrator| administrator.mend(kind).await)
}

fn leave(database: &Database, name: &str, force: bool) -> Result<i32, LeaveRefusal> {
    operate(database, async |administrator| administrator.leave(name, force).await).map(|left| left.number)
}

fn of<'a>(checks: &'a [Check], subject: &str) -> Vec<(Verdict, &'a str)> {
    checks.iter().filter(|check| check.subject == subject).map(|check| (check.verdict, check.text.as_str())).collect()
}

/// As after kill -9: the member says nothing more, and the database does not know.
fn claims_of_a_dead_member(database: &Database, name: &str) -> QueueId {
    let store = member(options(&database.url, name));
    let queue = create_queue(&store);
    define(&store, &format!("{name}.QUEUE"), queue);
    for number in 1..=3 {
        put(&store, None, queue, number, true).expect("puts");
    }
    drop(store);
    // What the orderly end has done is undone: the member had got two of them.
    database.run(&format!("UPDATE member SET state = 'ACTIVE' WHERE name = '{name}'"));
    database.run(&format!(
        "UPDATE message SET owner = (SELECT (number::int8 << 32) + epoch FROM member WHERE name = '{name}'), hold = 'g' \
         WHERE position IN (SELECT position FROM message WHERE queue = {} ORDER BY position LIMIT 2)",
        queue.0 & 0x7fff_ffff
    ));
    queue
}

/// Another member gets what `claims_of_a_dead_member` has put.
fn check_all_is_there(database: &Database, queue: QueueId) {
    let other = member(options(&database.url, "QM2"));
    know_queue(&other, queue);
    assert_eq!(drain(&other, queue), [1, 2, 3]);
}

#[test]
fn an_operator_sees_members_queues_and_what_is_held() {
    let database = Database::of_group("QSG1");
    let (first, second) = (member(options(&database.url, "QM1")), member(options(&database.url, "QM2")));
    let queue = create_queue(&first);
    define(&first, "ORDERS", queue);
    for number in 1..=3 {
        put(&first, None, queue, number, true).expect("puts");
    }
    let unit = first.begin();
    get(&first, Some(unit), queue).expect("gets");
    second.shared().expect("in a group").close();

    let status = operate(&database, async |administrator| administrator.status().await);
    assert_eq!((status.group.as_str(), status.schema_version, status.lost_claims), ("QSG1", 1, 0));
    let members: Vec<_> =
        status.members.iter().map(|one| (one.name.as_str(), one.number, one.state, one.claims)).collect();
    assert_eq!(members, [("QM1", 1, MemberState::Active, 1), ("QM2", 2, MemberState::Inactive, 0)]);
    assert!(status.members[0].since_beat.is_some(), "QM1 was seen to beat");
    let queues: Vec<_> = status.queues.iter().map(|one| (one.name.as_deref(), one.messages, one.bytes)).collect();
    assert_eq!(queues, [(Some("ORDERS"), 3, 24)]);
    let checks = status.checks();
    assert_eq!(of(&checks, "member"), [(Verdict::Fine, "QM1 lives"), (Verdict::Fine, "QM2 has ended in order")]);
    // The server of the tests has no standby, and does not wait for its disk.
    assert_eq!(of(&checks, "standby")[0].0, Verdict::Warning);
    assert_eq!(of(&checks, "disk")[0].0, Verdict::Warning);
    assert_eq!(of(&checks, "encryption"), [(Verdict::Fine, "the connection stays on this machine")]);
    assert_eq!(of(&checks, "version")[0].0, Verdict::Fine);
}

#[test]
fn a_transaction_that_keeps_dead_rows_is_named() {
    let database = Database::of_group("QSG1");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let holders = runtime.block_on(async {
        let url = format!("{}?application_name=report", database.url);
        let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("connects");
        let _connection = tokio::spawn(connection);
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM message";
        client.batch_execute(begin).await.expect("begins");
        let administrator =
            Administrator::connect(&options(&database.url, ""), "QSG1", queue_of).await.expect("connects");
        administrator.status().await.expect("looks").database.holders
    });
    let report = holders.iter().find(|holder| holder.name == "report").expect("it is named");
    assert!(report.pid.is_some() && report.kind == "transaction", "{report:?}");
    assert_eq!(report.state.as_deref(), Some("idle in transaction"));
}

#[test]
fn a_dead_member_without_peers_is_recovered_by_the_operator() {
    let database = Database::of_group("QSG1");
    let queue = claims_of_a_dead_member(&database, "QM1");
    let status = operate(&database, async |administrator| administrator.status().await);
    assert_eq!((status.members[0].claims, status.members[0].since_beat), (2, None));
    let said = of(&status.checks(), "member").first().map(|(verdict, text)| (*verdict, text.contains("no life")));
    assert_eq!(said, Some((Verdict::Failure, true)));

    expect![[r#"
        [
            "members: member QM1 shows no life, and no peer recovers it: end its epoch, and give back what it holds",
        ]
    "#]]
    .assert_debug_eq(&stuck(&database));
    assert_eq!(mend(&database, Stuck::Member), 1);
    assert_eq!(stuck(&database), [""; 0]);
    check_nothing_is_held(&database);
    assert_eq!(count(&database, "SELECT sum(backout) FROM message"), 2);
    check_all_is_there(&database, queue);
}

#[test]
fn a_member_that_lives_is_not_recovered_and_keeps_what_it_has_got() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    define(&store, "ORDERS", queue);
    put(&store, None, queue, 1, true).expect("puts");
    let unit = store.begin();
    assert_eq!(get(&store, Some(unit), queue).expect("gets"), Some(1));
    assert_eq!(stuck(&database), [""; 0]);
    for kind in Stuck::ALL {
        assert_eq!(mend(&database, kind), 0, "{}", kind.name());
    }
    assert_eq!(leave(&database, "QM1", true), Err(LeaveRefusal::Lives { name: "QM1".to_owned() }));
    block_on(store.commit(unit)).expect("commits");
    assert_eq!(count(&database, "SELECT count(*) FROM message"), 0);
}

#[test]
fn what_faults_have_left_behind_is_found_and_mended() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let (kept, dropped) = (create_queue(&store), create_queue(&store));
    define(&store, "KEPT", kept);
    define(&store, "DROPPED", dropped);
    for number in 1..=5 {
        put(&store, None, kept, number, true).expect("puts");
        put(&store, None, dropped, number, true).expect("puts");
    }
    let number = |queue: QueueId| queue.0 & 0x7fff_ffff;
    let shared = store.shared().expect("in a group");
    let version = count(&database, "SELECT version FROM definition WHERE key = 'queue/DROPPED'");
    block_on(shared.delete_definition("queue/DROPPED", version)).expect("deletes");
    // Of a member 9 that is gone: two claims, one got and one put in units of work that are not there, a decision.
    let places = |from: u32| {
        let kept = number(kept);
        format!(
            "position = (SELECT position FROM message WHERE queue = {kept} ORDER BY position OFFSET {from} LIMIT 1)"
        )
    };
    database.run(&format!("UPDATE message SET owner = (9::int8 << 32) + 4, hold = 'g' WHERE {}", places(0)));
    database.run(&format!("UPDATE message SET owner = (9::int8 << 32) + 4, hold = 'l' WHERE {}", places(1)));
    database.run(&format!("UPDATE message SET owner = (9::int8 << 32) + 4, hold = 'g', unit = 7 WHERE {}", places(2)));
    database.run(&format!("UPDATE message SET owner = (9::int8 << 32) + 4, hold = 'p', unit = 7 WHERE {}", places(3)));
    database.run("INSERT INTO unit (member, number, state) VALUES (9, 1, 'committed')");
    database.run("INSERT INTO message_part (queue, position, part, bytes) VALUES (1, 1, 0, 'x'), (1, 1, 1, 'y')");
    database.run(&format!(
        "UPDATE queue_depth SET messages = messages + 4, bytes = bytes + 10 WHERE queue = {}",
        number(kept)
    ));
    // A member forgets receipts that are over every ten seconds, so one is left alone until it has gone.
    shared.close();
    database.run("INSERT INTO receipt (key, expires, value) VALUES ('k', 1, 'v')");

    expect![[r#"
        [
            "claims: 2 messages are held by epochs that have ended: give them back",
            "units: 2 messages are held by units of work that are not there: back them out",
            "decisions: 1 decisions are of members that are gone: forget them",
            "queues: queue 2 is deleted, and has 5 messages: remove them",
            "parts: the parts of 1 bodies have no message: remove them",
            "depths: the depth of KEPT is wrong by 4 messages and 10 bytes: count it",
            "receipts: 1 receipts of requests are over: forget them",
        ]
    "#]]
    .assert_debug_eq(&stuck(&database));
    let mended: Vec<_> = Stuck::ALL.iter().map(|kind| (kind.name(), mend(&database, *kind))).collect();
    expect![[r#"
        [
            (
                "members",
                0,
            ),
            (
                "claims",
                2,
            ),
            (
                "units",
                2,
            ),
            (
                "decisions",
                1,
            ),
            (
                "queues",
                5,
            ),
            (
                "parts",
                0,
            ),
            (
                "depths",
                1,
            ),
            (
                "receipts",
                1,
            ),
        ]
    "#]]
    .assert_debug_eq(&mended);
    assert_eq!(stuck(&database), [""; 0]);
    check_nothing_is_held(&database);
    let other = member(options(&database.url, "QM2"));
    know_queue(&other, kept);
    // The fourth was put by a unit of work that nobody can decide.
    assert_eq!(drain(&other, kept), [1, 2, 3, 5]);
}

#[test]
fn messages_of_a_queue_whose_definition_cannot_be_read_stay() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    let shared = store.shared().expect("in a group");
    block_on(shared.save_definition("queue/NEWER", GroupDisposition::Shared, b"of a newer program", 0)).expect("saves");
    put(&store, None, queue, 1, true).expect("puts");
    assert_eq!(mend(&database, Stuck::Queues), 0);
    let status = operate(&database, async |administrator| administrator.status().await);
    assert_eq!(of(&status.checks(), "definitions")[0].0, Verdict::Warning);
    assert_eq!(count(&database, "SELECT count(*) FROM message"), 1);
}

#[test]
fn a_member_leaves_for_good_when_it_holds_nothing() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    define(&store, "ORDERS", queue);
    put(&store, None, queue, 1, true).expect("puts");
    let unit = store.begin();
    put(&store, Some(unit), queue, 2, true).expect("puts");
    block_on(store.prepare(unit, None)).expect("prepares");
    drop(store);

    let refused = leave(&database, "QM1", false).expect_err("it has a unit of work in doubt");
    assert_eq!(refused, LeaveRefusal::InDoubt { name: "QM1".to_owned(), units: 1, messages: 1 });
    assert_eq!(leave(&database, "QM7", false), Err(LeaveRefusal::Unknown { name: "QM7".to_owned() }));
    assert_eq!(leave(&database, "QM1", true), Ok(1));
    check_nothing_is_held(&database);
    assert_eq!(count(&database, "SELECT count(*) FROM unit"), 0);
    let epoch = count(&database, "SELECT max(epoch) FROM lane WHERE member = 1");

    // The number is free, and its next member begins above what a process of the old one could still say.
    let next = member(options(&database.url, "QM3"));
    assert_eq!(count(&database, "SELECT number FROM member WHERE name = 'QM3'"), 1);
    assert!(count(&database, "SELECT epoch FROM member WHERE name = 'QM3'") > epoch);
    know_queue(&next, queue);
    assert_eq!(drain(&next, queue), [1]);
    assert_eq!(next.depth(queue).current, 0, "what the old member has added still counts");
}

#[test]
fn a_member_that_was_killed_leaves_by_force_alone() {
    let database = Database::of_group("QSG1");
    let queue = claims_of_a_dead_member(&database, "QM1");
    assert_eq!(leave(&database, "QM1", false), Err(LeaveRefusal::NotRecovered { name: "QM1".to_owned() }));
    assert_eq!(leave(&database, "QM1", true), Ok(1));
    check_all_is_there(&database, queue);
}

#[test]
fn a_queue_manager_reserves_its_name_before_it_starts() {
    let database = Database::of_group("QSG1");
    let (reserved, again) = operate(&database, async |administrator| {
        Ok((administrator.reserve("QM1").await?, administrator.reserve("QM1").await?))
    });
    assert_eq!((reserved.number, reserved.is_known), (1, false));
    assert_eq!((again.number, again.is_known), (1, true));
    assert_eq!(count(&database, "SELECT count(*) FROM member WHERE state = 'INACTIVE'"), 1);
    let store = member(options(&database.url, "QM1"));
    assert_eq!(count(&database, "SELECT count(*) FROM member WHERE state = 'ACTIVE' AND number = 1"), 1);
    let checks = operate(&database, async |administrator| administrator.readiness("QM1").await);
    assert!(of(&checks, "name")[0].1.contains("lives"), "{checks:?}");
    for subject in ["privileges", "pooler", "secret", "maintenance", "clock"] {
        assert_eq!(of(&checks, subject)[0].0, Verdict::Fine, "{checks:?}");
    }
    drop(store);
}

#[test]
fn a_member_with_the_grants_of_members_alone_does_all_its_work_and_does_not_vacuum() {
    let database = Database::empty();
    database.run(
        "DO $$ BEGIN CREATE ROLE mq_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$; \
         DO $$ BEGIN CREATE ROLE mq_member LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; \
         GRANT CREATE ON SCHEMA public TO mq_owner",
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let roles = storage::shared::Roles { owner: Some("mq_owner".to_owned()), member: Some("mq_member".to_owned()) };
    runtime
        .block_on(storage::shared::create_group(&options(&database.url, ""), "QSG1", &roles))
        .expect("makes the tables");
    let owners = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tableowner <> 'mq_owner'";
    assert_eq!(count(&database, owners), 0);

    let database = Database { url: database.url.replace("test@", "mq_member@"), server: Arc::clone(&database.server) };
    let checks = operate(&database, async |administrator| administrator.readiness("QM1").await);
    assert_eq!(of(&checks, "privileges")[0].0, Verdict::Fine, "{checks:?}");
    assert_eq!(of(&checks, "maintenance")[0].0, Verdict::Warning, "{checks:?}");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    define(&store, "ORDERS", queue);
    let long = crate::shared::group::message(2, vec![7; 700 << 10], true);
    put(&store, None, queue, 1, true).expect("puts");
    let placement = crate::shared::group::placement(true);
    block_on(store.put(None, queue, long, placement, Timestamp(1))).expect("puts a long message");
    let unit = store.begin();
    assert_eq!(get(&store, Some(unit), queue).expect("gets"), Some(1));
    block_on(store.prepare(unit, None)).expect("prepares");
    block_on(store.commit(unit)).expect("commits");
    block_on(store.get(None, queue, &storage::Selection::default(), Timestamp(1)))
        .expect("gets")
        .expect("the long one");
    let version = count(&database, "SELECT version FROM definition WHERE key = 'queue/ORDERS'");
    block_on(store.shared().expect("in a group").delete_definition("queue/ORDERS", version)).expect("deletes");
    drop(store);
    assert_eq!(count(&database, "SELECT count(*) FROM member WHERE state = 'INACTIVE'"), 1);
    eventually("nothing is left", || count(&database, "SELECT count(*) FROM message") == 0);
}

#[test]
fn what_is_in_the_database_of_a_structure_is_seen_mended_and_counts_when_a_member_leaves() {
    let databases = Databases::new();
    let store = databases.member(databases.options("QM1"));
    let queue = create_queue_in(&store, "APP1");
    define(&store, "ORDERS", queue);
    for number in 1..=2 {
        put(&store, None, queue, number, true).expect("puts");
    }
    let unit = store.begin();
    put(&store, Some(unit), queue, 3, true).expect("puts");
    block_on(store.prepare(unit, None)).expect("prepares");
    drop(store);
    let [_, own] = databases.both();
    own.run("UPDATE queue_depth SET messages = messages + 1 WHERE lane = 0");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let administrator =
            Administrator::connect(&databases.options(""), "QSG1", queue_of).await.expect("connects to both");
        let status = administrator.status().await.expect("looks");
        let queues: Vec<_> = status.queues.iter().map(|one| (one.name.as_deref(), one.messages)).collect();
        assert_eq!(queues, [(Some("ORDERS"), 4)]);
        assert_eq!((status.structures.len(), status.in_doubt.len()), (1, 1));
        let found = administrator.find_stuck(&[Stuck::Depths]).await.expect("looks");
        assert_eq!(found.len(), 1);
        assert_eq!(administrator.mend(Stuck::Depths).await.expect("mends"), 1);
        assert!(administrator.find_stuck(&Stuck::ALL).await.expect("looks").is_empty());
        let refused = administrator.leave("QM1", false).await.expect("looks").expect_err("it has a unit in doubt");
        assert_eq!(refused, LeaveRefusal::InDoubt { name: "QM1".to_owned(), units: 1, messages: 1 });
        administrator.leave("QM1", true).await.expect("looks").expect("leaves");
    });
    check_nothing_is_held(own);
    assert_eq!(count(own, "SELECT count(*) FROM message"), 2);

    // A structure that cannot be looked at may hold something.
    let mut options = databases.options("");
    options.structures[0].database = "postgres://test@127.0.0.1:1/none".to_owned();
    drop(databases.member(databases.options("QM2")));
    runtime.block_on(async {
        let administrator = Administrator::connect(&options, "QSG1", queue_of).await.expect("connects to the home");
        let refused = administrator.leave("QM2", true).await.expect("looks").expect_err("a database is away");
        assert_eq!(refused, LeaveRefusal::Away { name: "QM2".to_owned(), structures: "APP1".to_owned() });
        let checks = administrator.status().await.expect("looks").checks();
        assert_eq!(of(&checks, "structures")[0].0, Verdict::Failure);
    });
}

#[test]
fn a_member_that_lives_finds_what_an_operator_has_given_back_before_what_it_has_seen() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    define(&store, "ORDERS", queue);
    for number in 1..=4 {
        put(&store, None, queue, number, true).expect("puts");
    }
    // The first one is held by an epoch that has ended, and the member has looked past it.
    database.run(
        "UPDATE message SET owner = (9::int8 << 32) + 4, hold = 'g' WHERE position = (SELECT min(position) FROM message)",
    );
    assert_eq!(get(&store, None, queue).expect("gets"), Some(2));
    assert_eq!(get(&store, None, queue).expect("gets"), Some(3));
    assert_eq!(mend(&database, Stuck::Claims), 1);
    assert_eq!(drain(&store, queue), [1, 4]);
}
