//! A queue manager in the hands of a test: faults by rule hit calls where they begin and end, and waits follow the clock.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use expect_test::{Expect, expect};
use model::definition::QueueDefinition;
use model::descriptor::{Expiry, MessageDescriptor};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, PutOptions};
use model::reason::Reason;
use queue_manager::{Home, QueueManager};
use test_control::TestControl;
use test_control::faults::{CallFault, Moment, OfCalls, Pattern, Rule, Subject, Verb};

use crate::script::{EVERYTHING, FakeClock, PATIENCE, START, Session, administrator, connect, ephemeral, name, start};

/// Hits one call with a verb about a queue, after `skip` others.
fn once(verb: Verb, queue: &str, fault: CallFault, skip: u64) -> Rule {
    let of = OfCalls { verb: Some(verb), queue: Some(Pattern::new(queue)), ..OfCalls::default() };
    Rule { subject: Subject::Calls(of, fault), delay: Duration::ZERO, skip, times: Some(1) }
}

fn in_hand(control: &Arc<TestControl>, rules: Vec<Rule>, queue_manager: &QueueManager) {
    for rule in rules {
        control.faults.add(rule).expect("there is room");
    }
    queue_manager.put_in_hand(Arc::clone(control));
}

/// Runs a script whose calls the rule is about, and compares what it prints.
fn check(rule: Rule, script: &str, expected: Expect) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    expected.assert_eq(&runtime.block_on(async {
        let clock = FakeClock::new();
        let queue_manager = ephemeral(clock.clone());
        queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
        in_hand(&Arc::new(TestControl::new(START)), vec![rule], &queue_manager);
        Session::new(queue_manager, clock).run(script).await
    }));
}

#[test]
fn a_reason_stands_for_the_call_that_a_rule_hits() {
    let full = once(Verb::Put, "Q", CallFault::Reason(Reason::QFull), 1);
    check(full, "put A; put B; put C; get; get; get", expect!["2053 A C 2033"]);
}

#[test]
fn a_rule_knows_a_queue_by_its_alias_and_by_its_own_name() {
    let script = "define AN.ALIAS alias TARGET=Q; open a AN.ALIAS output; put A on=a; put B on=a; get";
    for queue in ["AN.*", "Q"] {
        check(once(Verb::Put, queue, CallFault::Reason(Reason::PutInhibited), 0), script, expect!["2051 B"]);
    }
}

#[test]
fn a_connection_that_is_cut_before_its_commit_has_its_unit_of_work_backed_out() {
    let cut = once(Verb::Commit, "Q", CallFault::Drop(Moment::Before), 0);
    let script = "put A; @2 get syncpoint; @2 commit; @2 get; housekeep; get show=bc";
    check(cut, script, expect!["A 2009 2009 A bc=1"]);
}

#[test]
fn a_connection_that_is_cut_after_its_commit_has_committed() {
    let cut = once(Verb::Commit, "Q", CallFault::Drop(Moment::After), 0);
    check(cut, "put A; @2 get syncpoint; @2 commit; housekeep; get", expect!["A 2009 2033"]);
}

#[test]
fn a_commit_is_about_the_queues_of_its_unit_of_work() {
    let cut = once(Verb::Commit, "R", CallFault::Drop(Moment::Before), 0);
    check(cut, "put A syncpoint; commit; define R; put1 B to=R syncpoint; commit; get", expect!["2009 2009"]);
}

#[test]
fn a_call_that_ends_with_2003_has_its_unit_of_work_backed_out() {
    let undone = once(Verb::Put, "Q", CallFault::Reason(Reason::BackedOut), 1);
    check(undone, "put A syncpoint; put B syncpoint; commit; get", expect!["2003 2033"]);
}

#[test]
fn a_connect_is_refused_by_rule() {
    let queue_manager = ephemeral(FakeClock::new());
    let of = OfCalls { verb: Some(Verb::Connect), channel: Some(Pattern::new("A.*")), ..OfCalls::default() };
    let subject = Subject::Calls(of, CallFault::Reason(Reason::QMgrNotAvailable));
    let rule = Rule { subject, delay: Duration::ZERO, skip: 0, times: None };
    in_hand(&Arc::new(TestControl::new(START)), vec![rule], &queue_manager);
    let options = |channel: &str| queue_manager::ConnectOptions {
        principal: administrator(),
        application_name: String::new(),
        application_type: 6,
        channel: channel.to_owned(),
        connection_name: String::new(),
    };
    assert_eq!(queue_manager.connect(options("A.CHANNEL")).err(), Some(Reason::QMgrNotAvailable));
    assert!(queue_manager.connect(options("")).is_ok());
}

/// The machine's clock goes on: what ends within the test has ended by the other one.
#[test]
fn expiry_and_waits_follow_the_clock_in_hand() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let control = Arc::new(TestControl::new(START));
        let queue_manager = ephemeral(control.clock.clone());
        queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
        in_hand(&control, Vec::new(), &queue_manager);
        let connection = connect(&queue_manager, administrator());
        let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
        let handle = connection.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
        let descriptor = MessageDescriptor { expiry: Expiry(600), ..MessageDescriptor::default() };
        connection.put(handle, descriptor, &PutOptions::default(), Bytes::from_static(b"A")).await.unwrap();
        let advance = |seconds| {
            control.clock.advance(Duration::from_secs(seconds));
            queue_manager.clock_moved();
        };
        advance(61);
        let wait = |wait| GetOptions { flags: GetFlags::WAIT, wait: Some(wait), ..GetOptions::default() };
        let at_once = connection.get(handle, &wait(Duration::ZERO)).await;
        assert_eq!(at_once.err(), Some(Reason::NoMsgAvailable), "the message has expired");
        let hour = wait(Duration::from_secs(3600));
        let get = connection.get(handle, &hour);
        let moved = async {
            tokio::task::yield_now().await;
            advance(3600);
        };
        let both = tokio::time::timeout(PATIENCE, async { tokio::join!(get, moved) }).await;
        let (got, ()) = both.expect("an hour is over at once");
        assert_eq!(got.err(), Some(Reason::NoMsgAvailable));
    });
}

#[test]
fn a_snapshot_begins_another_start_with_the_same_definitions_and_messages() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let clock = FakeClock::new();
        let before = ephemeral(clock.clone());
        before.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
        let script = "define R MAXDEPTH=3; put A pri=1 exp=50; put B pri=8; put1 C to=R; put D syncpoint";
        let mut session = Session::new(before.clone(), clock.clone());
        session.run(script).await;
        assert_eq!(before.take_snapshot().await.err(), Some(Reason::UowInProgress), "a unit of work holds a message");
        session.run("commit").await;
        let snapshot = before.take_snapshot().await.unwrap();
        session.run("get; get; delete R purge").await;
        assert!(snapshot.messages() >= 4);

        let after = start(Home::Restored(Arc::new(snapshot)), clock.clone());
        let mut again = Session::new(after, clock);
        let script = "get; advance 6; get; get; put1 E to=R; put1 F to=R; put1 G to=R; open r R input; get on=r";
        assert_eq!(again.run(script).await, "B D 2033 2053 C");
    });
}
