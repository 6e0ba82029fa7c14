use super::*;

fn instance(channel: &str, connection_name: &str) -> ChannelInstance {
    ChannelInstance {
        channel: channel.to_owned(),
        connection_name: connection_name.to_owned(),
        ..ChannelInstance::default()
    }
}

fn register(table: &Arc<ChannelTable>, instance: ChannelInstance, now: Timestamp) -> Option<ChannelHandle> {
    table.register(instance, InstanceLimits::NONE, QueueManagerName::literal("QM1"), now, false).ok()
}

fn stop<'a>(channel: &'a str, connection_name: Option<&'a str>, mode: StopMode, disable: bool) -> StopChannel<'a> {
    StopChannel { connection_name, disable, ..StopChannel::of(channel, mode) }
}

#[test]
fn instances_are_shown_while_they_are_held() {
    let table = Arc::new(ChannelTable::default());
    let first = register(&table, instance("B", "10.0.0.1"), Timestamp(1)).expect("not stopped");
    let second = register(&table, instance("A", "10.0.0.2"), Timestamp(2)).expect("not stopped");
    second.update(|instance| instance.state = ChannelState::Running);
    second.counters().count_message(Timestamp(3));
    let shown: Vec<_> = table.all().iter().map(|s| (s.instance.channel.clone(), s.messages)).collect();
    assert_eq!(shown, [("A".to_owned(), 1), ("B".to_owned(), 0)]);
    assert_eq!(table.all()[0].instance.state, ChannelState::Running);
    drop(first);
    assert_eq!(table.all().len(), 1);
}

#[test]
fn stopping_asks_instances_to_end_and_keeps_new_ones_away() {
    let table = Arc::new(ChannelTable::default());
    let one = register(&table, instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
    let other = register(&table, instance("A", "10.0.0.2"), Timestamp(1)).expect("not stopped");
    assert_eq!(table.stop(&stop("A", Some("10.0.0.1"), StopMode::Quiesce, false)), 1);
    assert_eq!((one.stop_requested(), other.stop_requested()), (Some(StopMode::Quiesce), None));
    assert_eq!(table.stop(&stop("A", None, StopMode::Force, true)), 2);
    assert_eq!(one.stop_requested(), Some(StopMode::Force));
    table.stop(&stop("A", None, StopMode::Quiesce, true));
    assert_eq!(one.stop_requested(), Some(StopMode::Force), "a gentler request does not soften a harder one");
    assert!(register(&table, instance("A", "10.0.0.3"), Timestamp(2)).is_none());
    assert!(register(&table, instance("B", "10.0.0.3"), Timestamp(2)).is_some());
}

#[tokio::test]
async fn who_waits_for_a_stop_learns_of_it() {
    let table = Arc::new(ChannelTable::default());
    let handle = register(&table, instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
    let (mode, asked) = tokio::join!(handle.stop_wanted(), async {
        tokio::task::yield_now().await;
        table.stop(&stop("A", None, StopMode::Terminate, false))
    });
    assert_eq!((mode, asked), (StopMode::Terminate, 1));
}

#[test]
fn maxinst_and_maxinstc_count_what_runs_now() {
    let table = Arc::new(ChannelTable::default());
    let limits = InstanceLimits { all: 3, of_client: 2 };
    let start = |address: &str| {
        table.register(instance("A", address), limits, QueueManagerName::literal("QM1"), Timestamp(1), false)
    };
    let first = start("10.0.0.1").expect("one");
    let _second = start("10.0.0.1").expect("two");
    assert_eq!(start("10.0.0.1").err(), Some(NotAdmitted::InstancesOfClient));
    let _third = start("10.0.0.2").expect("three");
    assert_eq!(start("10.0.0.2").err(), Some(NotAdmitted::Instances));
    drop(first);
    assert!(start("10.0.0.1").is_ok(), "one has ended");
}

#[test]
fn limits_of_nought_admit_nobody_and_leave_nothing_behind() {
    let table = Arc::new(ChannelTable::default());
    let start = |limits| {
        table.register(instance("A", "10.0.0.1"), limits, QueueManagerName::literal("QM1"), Timestamp(1), false)
    };
    assert_eq!(start(InstanceLimits { all: 0, of_client: 1 }).err(), Some(NotAdmitted::Instances));
    assert_eq!(start(InstanceLimits { all: 1, of_client: 0 }).err(), Some(NotAdmitted::InstancesOfClient));
    drop(start(InstanceLimits { all: 1, of_client: 1 }).expect("the only one"));
    assert!(table.state.lock().counts.is_empty());
}

#[test]
fn a_queue_manager_that_ends_asks_all_and_admits_nobody() {
    let table = Arc::new(ChannelTable::default());
    let one = register(&table, instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
    let other = register(&table, instance("B", "10.0.0.2"), Timestamp(1)).expect("not stopped");
    assert_eq!(table.end(StopMode::Quiesce), 2);
    assert_eq!((one.stop_requested(), other.stop_requested()), (Some(StopMode::Quiesce), Some(StopMode::Quiesce)));
    let late = table.register(
        instance("A", "10.0.0.3"),
        InstanceLimits::NONE,
        QueueManagerName::literal("QM1"),
        Timestamp(2),
        false,
    );
    assert_eq!(late.err(), Some(NotAdmitted::Ending));
}

#[tokio::test]
async fn who_knows_of_a_stop_learns_of_a_harder_one() {
    let table = Arc::new(ChannelTable::default());
    let handle = register(&table, instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
    table.stop(&stop("A", None, StopMode::Quiesce, false));
    let mode = handle.stop_wanted().await;
    let (harder, _) = tokio::join!(handle.stop_wanted_beyond(Some(mode)), async {
        tokio::task::yield_now().await;
        table.stop(&stop("A", None, StopMode::Quiesce, false));
        table.stop(&stop("A", None, StopMode::Force, false))
    });
    assert_eq!((mode, harder), (StopMode::Quiesce, StopMode::Force));
}

#[test]
fn what_went_through_a_channel_stays_in_its_totals_when_an_instance_ends() {
    let table = Arc::new(ChannelTable::default());
    let first = register(&table, instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
    let second = register(&table, instance("A", "10.0.0.2"), Timestamp(1)).expect("not stopped");
    for handle in [&first, &second] {
        handle.counters().count_message(Timestamp(2));
        handle.counters().bytes_sent.fetch_add(10, Ordering::Relaxed);
        handle.counters().sharing_conversations.store(3, Ordering::Relaxed);
    }
    let running = ChannelTotals { instances: 2, conversations: 6, messages: 2, bytes_sent: 20, bytes_received: 0 };
    assert_eq!(table.totals()["A"], running);
    drop(first);
    let half = ChannelTotals { instances: 1, conversations: 3, ..running };
    assert_eq!(table.totals()["A"], half, "what has gone through it never falls");
    drop(second);
    assert_eq!(table.totals()["A"], ChannelTotals { instances: 0, conversations: 0, ..running });
}

#[test]
fn shared_and_private_instances_are_stopped_apart_and_counted_together() {
    let table = Arc::new(ChannelTable::default());
    let limits = InstanceLimits { all: 3, of_client: 2 };
    let start = |disposition, address: &str| {
        let instance = ChannelInstance { disposition, ..instance("A", address) };
        table.register(instance, limits, QueueManagerName::literal("QM1"), Timestamp(1), false)
    };
    let private = start(ChannelDisposition::Private, "10.0.0.1").expect("one");
    let shared = start(ChannelDisposition::Shared, "10.0.0.1").expect("two");
    let third = start(ChannelDisposition::Shared, "10.0.0.1");
    assert_eq!(third.err(), Some(NotAdmitted::InstancesOfClient), "MAXINSTC is of both");
    let of_shared = StopChannel { disposition: ChannelDisposition::Shared, ..stop("A", None, StopMode::Quiesce, true) };
    assert_eq!(table.stop(&of_shared), 1);
    assert_eq!((private.stop_requested(), shared.stop_requested()), (None, Some(StopMode::Quiesce)));
    assert_eq!(start(ChannelDisposition::Shared, "10.0.0.2").err(), Some(NotAdmitted::Stopped));
    assert!(start(ChannelDisposition::Private, "10.0.0.2").is_ok());
}
