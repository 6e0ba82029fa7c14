//! Get with wait: fairness, no lost wake-up, cancellation, and what ends a wait.

use std::time::Duration;

use expect_test::expect;
use queue_manager::connection::ObjectHandle;
use queue_manager::{Connection, QueueManager};

use crate::script::{check, name};

#[test]
fn a_waiting_get_returns_what_arrives() {
    check("start a get wait=1000; put A; join a", expect!["A"]);
}

#[test]
fn a_wait_ends_after_its_interval() {
    check("start a get wait=1000; join a; start b get first wait=10; join b; get wait=0", expect!["2033 2033 2033"]);
}

#[test]
fn waiters_are_served_in_order_of_coming() {
    check(
        "start a get wait=unlimited; @2 start b get wait=unlimited; @3 start c get wait=unlimited; put A; put B; put C; \
         join a; join b; join c",
        expect!["A B C"],
    );
}

#[test]
fn a_message_wakes_the_longest_waiter_that_wants_it() {
    check(
        "start a get corr=X wait=unlimited; @2 start b get corr=Y wait=unlimited; @3 start c get wait=100; put 1 corr=Y; \
         put 2 corr=Z; put 3 corr=X; join b; join c; join a",
        expect!["1 2 3"],
    );
}

#[test]
fn a_dropped_waiter_consumes_nothing_and_the_next_one_is_served() {
    check(
        "start a get wait=unlimited; @2 start b get wait=unlimited; cancel a; put A; join b; depth Q",
        expect!["A 0"],
    );
}

#[test]
fn a_commit_wakes_and_so_does_a_back_out() {
    check(
        "start a get wait=unlimited; @2 put A syncpoint; @2 put B syncpoint; @2 commit; join a; @2 get syncpoint; \
         start b get wait=unlimited show=bc; @2 back_out; join b",
        expect!["A B B bc=1"],
    );
}

#[test]
fn an_unlocked_message_is_seen_by_waiters() {
    check(
        "put A; get first lock; @2 start a get wait=unlimited; get unlock; join a; put B; get first lock; \
         @2 start b get wait=unlimited; close q; join b",
        expect!["A - A B B"],
    );
}

#[test]
fn inhibiting_gets_deleting_quiescing_and_stopping_end_waits() {
    check(
        "start a get wait=unlimited; alter Q GET=DISABLED; join a; alter Q GET=ENABLED; \
         define M model SHARE DEFSOPT=SHARED; open t M input dynamic=T; @2 open t T input; @2 start b get on=t wait=unlimited; close t; join b; \
         start c get wait=unlimited fail_if_quiescing; @2 start d get wait=unlimited; quiesce; join c; stop; join d",
        expect!["2016 2052 2161 2162"],
    );
}

#[test]
fn what_changes_an_alias_ends_the_waits_of_gets_by_it_alone() {
    check(
        "define A alias TARGET=Q; @2 open a A input; @2 start a get on=a wait=unlimited; @3 start b get wait=unlimited; \
         alter A GET=DISABLED; join a; put X; join b; alter A GET=ENABLED; @2 start c get on=a wait=unlimited; define R; \
         alter A TARGET=R force; join c",
        expect!["2016 X 2041"],
    );
}

#[test]
fn browsers_that_wait_are_all_woken_and_a_getter_too() {
    check(
        "@2 start a get next wait=unlimited; @3 start b get next wait=unlimited; put A; join a; join b; \
         @2 start c get next wait=unlimited; @3 start d get wait=unlimited; put B pri=0; join c; join d",
        expect!["A A B A"],
    );
}

#[test]
fn a_waiter_that_refuses_a_message_leaves_it_to_those_behind_it() {
    check(
        "start a get logical seq=9 wait=unlimited; @2 start b get wait=unlimited; @3 put A group=G seq=2 in_group; join b; \
         cancel a",
        expect!["A"],
    );
}

#[test]
fn a_group_that_becomes_complete_wakes_its_waiter() {
    check(
        "start a get logical all_messages wait=unlimited; @2 put B group=G seq=2 last_in_group; @2 put A group=G seq=1 in_group; \
         join a; get logical all_messages",
        expect!["A B"],
    );
}

#[test]
fn a_message_too_long_for_the_waiters_buffer_is_left_to_the_next() {
    check(
        "put ABC; get; start a get buf=1 wait=unlimited; @2 start b get wait=unlimited; put ABC; join a; join b",
        expect!["ABC A !2080 ABC"],
    );
}

/// Many getters and putters at once on several threads: every message is got exactly once and nobody hangs.
#[test]
fn no_wake_up_is_lost_under_contention() {
    use crate::script::{FakeClock, PATIENCE, administrator, connect, ephemeral};
    use bytes::Bytes;
    use model::definition::QueueDefinition;
    use model::descriptor::MessageDescriptor;
    use model::identifier::CorrelationId;
    use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};

    const GETTERS: usize = 8;
    const EACH: usize = 200;

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    runtime.block_on(async {
        let queue_manager = ephemeral(FakeClock::new());
        let mut definition = QueueDefinition::local(name("Q"));
        definition.as_local_mut().unwrap().maximum_depth = 1_000_000;
        queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
        let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
        let mut tasks = Vec::new();
        for getter in 0..GETTERS {
            let connection = connect(&queue_manager, administrator());
            let object = object.clone();
            tasks.push(tokio::spawn(async move {
                let opened = connection.open(&administrator(), &object, OpenOptions::INPUT_SHARED).await.unwrap();
                let mut got = Vec::new();
                for round in 0..EACH {
                    // Half of them by correlation id, some under syncpoint and backed out once, some dropped half-way.
                    let by_correlation = getter % 2 == 0;
                    let syncpoint = round % 7 == 0;
                    let options = GetOptions {
                        flags: GetFlags::WAIT | if syncpoint { GetFlags::SYNCPOINT } else { GetFlags::NO_SYNCPOINT },
                        wait: None,
                        match_options: if by_correlation { MatchOptions::CORREL_ID } else { MatchOptions::empty() },
                        correlation_id: correlation(getter),
                        ..GetOptions::default()
                    };
                    if round % 5 == 0 && !syncpoint {
                        let soon = Duration::from_micros(50);
                        if let Ok(result) = tokio::time::timeout(soon, connection.get(opened.handle, &options)).await {
                            got.push(result.unwrap().message.body);
                            continue;
                        }
                    }
                    let result = connection.get(opened.handle, &options).await.unwrap();
                    if syncpoint && result.descriptor.backout_count == 0 {
                        connection.back_out().await.unwrap();
                        let again = connection.get(opened.handle, &options).await.unwrap();
                        connection.commit().await.unwrap();
                        got.push(again.message.body);
                        continue;
                    }
                    connection.commit().await.unwrap();
                    got.push(result.message.body);
                }
                got
            }));
        }
        let mut putters = Vec::new();
        for putter in 0..GETTERS {
            let connection = connect(&queue_manager, administrator());
            let object = object.clone();
            putters.push(tokio::spawn(async move {
                for number in 0..EACH {
                    // As many for each correlation id as its getter takes; the rest for those who take any.
                    let descriptor = MessageDescriptor {
                        correlation_id: if putter % 2 == 0 { correlation(putter) } else { CorrelationId::NONE },
                        ..MessageDescriptor::default()
                    };
                    let syncpoint = number % 3 == 0;
                    let flags = if syncpoint { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT };
                    let options = PutOptions { flags, context: None };
                    let body = Bytes::from(format!("{putter}/{number}"));
                    connection.put1(&administrator(), &object, descriptor, &options, body).await.unwrap();
                    if syncpoint {
                        connection.commit().await.unwrap();
                    }
                    if number % 16 == 0 {
                        tokio::task::yield_now().await;
                    }
                }
            }));
        }
        for putter in putters {
            putter.await.unwrap();
        }
        // Getters of anything may have taken what a getter by correlation id waits for. Once there is plenty for each, all
        // must end without another put: whoever still sleeps then was not woken.
        let helper = connect(&queue_manager, administrator());
        let mut replacements = 0;
        for getter in (0..GETTERS).step_by(2) {
            for _ in 0..EACH * GETTERS {
                replacements += 1;
                let descriptor =
                    MessageDescriptor { correlation_id: correlation(getter), ..MessageDescriptor::default() };
                let body = Bytes::from(format!("replacement/{replacements}"));
                let options = PutOptions::default();
                helper.put1(&administrator(), &object, descriptor, &options, body).await.unwrap();
            }
        }
        let mut all: Vec<Bytes> = Vec::new();
        for (getter, task) in tasks.into_iter().enumerate() {
            let got = tokio::time::timeout(PATIENCE, task).await;
            all.extend(got.unwrap_or_else(|_| panic!("getter {getter} sleeps although messages wait for it")).unwrap());
        }
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(count, all.len(), "a message was got twice");
        assert_eq!(count, GETTERS * EACH);
        let left = queue_manager.queue_status(&name("Q")).unwrap().depth.current as usize;
        assert_eq!(count + left, GETTERS * EACH + replacements, "a message was lost");
    });

    fn correlation(getter: usize) -> CorrelationId {
        let mut bytes = [0; 24];
        bytes[0] = u8::try_from(getter).unwrap() + 1;
        CorrelationId::new(bytes)
    }
}

/// A queue manager, a connection to it, and its queue Q open for everything.
async fn one_queue() -> (QueueManager, Connection, ObjectHandle) {
    use crate::script::{EVERYTHING, FakeClock, administrator, connect, ephemeral};

    let queue_manager = ephemeral(FakeClock::new());
    let definition = model::definition::QueueDefinition::local(name("Q"));
    queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    let object = model::options::ObjectDescriptor { name: name("Q"), ..Default::default() };
    let handle = connection.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
    (queue_manager, connection, handle)
}

#[tokio::test]
async fn an_interrupted_wait_ends_and_leaves_what_arrives_to_others() {
    use model::options::{GetFlags, GetOptions, PutOptions};

    let (_queue_manager, connection, handle) = one_queue().await;
    let options = GetOptions { flags: GetFlags::WAIT, wait: None, ..GetOptions::default() };
    let interrupt = queue_manager::Interrupt::default();
    let terms = queue_manager::Terms { interrupt: Some(&interrupt), ..Default::default() };
    let waits = connection.get_on(handle, &options, &terms);
    let (got, ()) = tokio::join!(waits, async {
        tokio::task::yield_now().await;
        interrupt.set();
    });
    assert_eq!(got.err(), Some(model::reason::Reason::NoMsgAvailable));
    interrupt.clear();
    let waits = connection.get_on(handle, &options, &terms);
    let put_options = PutOptions::default();
    let put = connection.put(handle, Default::default(), &put_options, bytes::Bytes::from_static(b"A"));
    let (got, put) = tokio::join!(waits, put);
    put.unwrap();
    assert_eq!(got.unwrap().body, "A");
}

#[tokio::test]
async fn the_waits_of_a_door_end_when_it_closes_and_those_of_others_go_on() {
    use std::time::Duration;

    use model::options::{GetFlags, GetOptions, PutOptions};
    use model::reason::Reason;
    use queue_manager::{Closing, Terms};

    let (queue_manager, connection, handle) = one_queue().await;
    let wait = Some(Duration::from_secs(60));
    let options = GetOptions { flags: GetFlags::WAIT, wait, ..GetOptions::default() };
    let closing = Closing::default();
    let terms = Terms { closing: Some(&closing), ..Terms::default() };
    let put_options = PutOptions::default();
    let (one, two, other, ()) = tokio::join!(
        connection.get_on(handle, &options, &terms),
        connection.get_on(handle, &options, &terms),
        connection.get(handle, &options),
        async {
            tokio::task::yield_now().await;
            queue_manager.end_waits(&closing);
            tokio::task::yield_now().await;
            let body = bytes::Bytes::from_static(b"A");
            connection.put(handle, Default::default(), &put_options, body).await.unwrap();
        },
    );
    assert_eq!((one.err(), two.err()), (Some(Reason::NoMsgAvailable), Some(Reason::NoMsgAvailable)));
    assert_eq!(other.unwrap().body, "A");
    let after = connection.get_on(handle, &options, &terms).await;
    assert_eq!(after.err(), Some(Reason::NoMsgAvailable), "a wait that begins later does not begin");
    connection.put(handle, Default::default(), &put_options, bytes::Bytes::from_static(b"B")).await.unwrap();
    assert_eq!(connection.get_on(handle, &options, &terms).await.unwrap().body, "B");
}

#[tokio::test]
async fn a_message_is_shown_before_it_is_taken_and_stays_when_it_is_refused() {
    use std::sync::Mutex;

    use model::message::Message;
    use model::options::{GetFlags, GetOptions, PutOptions};
    use model::reason::Reason;
    use queue_manager::Terms;

    let (queue_manager, connection, handle) = one_queue().await;
    let put = async |body: &'static str| {
        let body = bytes::Bytes::from_static(body.as_bytes());
        connection.put(handle, Default::default(), &PutOptions::default(), body).await.unwrap();
    };
    let shown = Mutex::new(Vec::new());
    let accept = |message: &Message| {
        shown.lock().unwrap().push(message.body.clone());
        message.body != "bad"
    };
    let terms = Terms { accept: Some(&accept), ..Terms::default() };
    let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    put("good").await;
    put("bad").await;
    assert_eq!(connection.get_on(handle, &options, &terms).await.unwrap().body, "good");
    assert_eq!(connection.get_on(handle, &options, &terms).await.err(), Some(Reason::FormatError));
    assert_eq!(*shown.lock().unwrap(), ["good", "bad"]);
    let left = connection.get(handle, &options).await.unwrap();
    assert_eq!((left.message.body, left.message.descriptor.backout_count), ("bad".into(), 0));
    let waiting = GetOptions { flags: GetFlags::NO_SYNCPOINT | GetFlags::WAIT, ..options };
    let (got, ()) = tokio::join!(connection.get_on(handle, &waiting, &terms), async {
        tokio::task::yield_now().await;
        put("good").await;
    });
    assert_eq!(got.unwrap().body, "good");
    assert_eq!(queue_manager.queue_status(&name("Q")).unwrap().depth.current, 0);
}

#[tokio::test]
async fn a_get_looks_first_only_if_the_queue_has_changed_since_it_held_nothing_wanted() {
    use crate::script::{EVERYTHING, administrator};
    use std::task::Poll;

    use model::options::{GetFlags, GetOptions, PutOptions};
    use queue_manager::Terms;

    let (_queue_manager, connection, handle) = one_queue().await;
    let object = model::options::ObjectDescriptor { name: name("Q"), ..Default::default() };
    let put = async |body: &'static str| {
        let body = bytes::Bytes::from_static(body.as_bytes());
        connection.put(handle, Default::default(), &PutOptions::default(), body).await.unwrap();
    };
    let options = GetOptions { flags: GetFlags::NO_SYNCPOINT | GetFlags::WAIT, wait: None, ..GetOptions::default() };
    put("before").await;
    let opened = connection.open(&administrator(), &object, EVERYTHING).await.unwrap();
    let terms = Terms { since: Some(opened.changes), ..Terms::default() };
    {
        let mut waits = std::pin::pin!(connection.get_on(opened.handle, &options, &terms));
        let first = std::future::poll_fn(|context| Poll::Ready(waits.as_mut().poll(context))).await;
        assert!(first.is_pending(), "the getter does not want the message on the queue");
        put("after").await;
        assert_eq!(waits.await.unwrap().body, "before", "whatever comes is a reason to look");
    }
    // It has changed by now: the look comes first, and nobody has to come.
    let mut looks = std::pin::pin!(connection.get_on(opened.handle, &options, &terms));
    let first = std::future::poll_fn(|context| Poll::Ready(looks.as_mut().poll(context))).await;
    let Poll::Ready(Ok(got)) = first else { panic!("it did not look: {first:?}") };
    assert_eq!(got.body, "after");
}
