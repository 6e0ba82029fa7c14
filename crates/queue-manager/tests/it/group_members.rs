//! Members of a queue-sharing group on one database: what one defines and puts, another one has.

mod emptying;
mod events;
mod expiry;
mod handles;
mod intra_group;
mod moving;
mod together;
mod triggers;
mod units;
mod unlearned;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::authority::AuthorityObject;
use model::definition::attribute::Kind;
use model::definition::queue::{DefinitionType, Disposition, LocalQueue};
use model::definition::structure::{OnLoss, StructureDefinition};
use model::definition::{AdministeredObject, QueueDefinition, QueueKind, QueueManagerDefinition};
use model::descriptor::{MessageDescriptor, Persistence};
use model::group::GroupName;
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::accounting::AccountingWish;
use queue_manager::connection::ObjectHandle;
use queue_manager::objects::ObjectError;
use queue_manager::{
    ConnectOptions, Connection, ConnectionTag, GroupOptions, Home, Interrupt, LostStructure, Master, MemberState,
    QueueManager, SharedOptions, StartOptions, Terms, Turn,
};
use storage::StoreOptions;
use tokio::time::Instant;

use crate::postgres::Database;
use crate::script::{EVERYTHING, FakeClock, PATIENCE, administrator, connect, name};

/// A member that runs.
struct Member {
    queue_manager: QueueManager,
    clock: Arc<FakeClock>,
    running: tokio::task::JoinHandle<()>,
}

impl Member {
    async fn start(database: &Database, queue_manager: &str) -> Self {
        Self::start_with(database, queue_manager, |_| ()).await
    }

    async fn start_with(database: &Database, queue_manager: &str, set: impl FnOnce(&mut SharedOptions)) -> Self {
        let (queue_manager, clock) = Self::recover(database, queue_manager, set);
        queue_manager.join_group().await.unwrap();
        Self::run(queue_manager, clock)
    }

    /// Starts while the database is away.
    fn start_alone(database: &Database, queue_manager: &str, set: impl FnOnce(&mut SharedOptions)) -> Self {
        let (queue_manager, clock) = Self::recover(database, queue_manager, set);
        Self::run(queue_manager, clock)
    }

    fn recover(
        database: &Database,
        queue_manager: &str,
        set: impl FnOnce(&mut SharedOptions),
    ) -> (QueueManager, Arc<FakeClock>) {
        let clock = FakeClock::new();
        let options = StartOptions {
            name: name(queue_manager),
            home: Home::Ephemeral,
            store: StoreOptions::default(),
            clock: clock.clone(),
            server_user: "mqadmin".to_owned(),
        };
        let mut database = SharedOptions::new(database.url.clone(), queue_manager.to_owned());
        set(&mut database);
        let database = Some(database);
        let group = GroupOptions { name: GroupName::parse("QSG1").unwrap(), database };
        (QueueManager::start_member(options, group).unwrap(), clock)
    }

    fn run(queue_manager: QueueManager, clock: Arc<FakeClock>) -> Self {
        let runs = queue_manager.clone();
        let running = tokio::spawn(async move { runs.run().await });
        Self { queue_manager, clock, running }
    }

    async fn stop(self) {
        self.queue_manager.stop().await;
        tokio::time::timeout(PATIENCE, self.running).await.expect("ends").unwrap();
    }

    fn connect(&self) -> Connection {
        connect(&self.queue_manager, administrator())
    }

    async fn define_structure(&self) {
        let structure = StructureDefinition { name: name("APP1"), recover: true, ..StructureDefinition::default() };
        let structure = AdministeredObject::Structure(Box::new(structure));
        self.queue_manager.define_object(&administrator(), structure, false).await.unwrap();
    }

    async fn define(&self, queue: &str, disposition: Disposition) -> Result<(), ObjectError> {
        self.define_with(queue, disposition, |_| ()).await
    }

    async fn define_with(
        &self,
        queue: &str,
        disposition: Disposition,
        set: impl FnOnce(&mut LocalQueue),
    ) -> Result<(), ObjectError> {
        let mut definition = QueueDefinition::local(name(queue));
        definition.disposition = disposition;
        let local = definition.as_local_mut().unwrap();
        local.structure = name("APP1");
        set(local);
        match disposition {
            Disposition::Group => {
                self.queue_manager.define_master(&administrator(), Master::Queue(definition), false).await
            }
            _ => self.queue_manager.define_queue(&administrator(), definition, false).await,
        }
    }

    async fn alter(&self, alter: impl Fn(&mut QueueManagerDefinition)) {
        let change = |manager: &mut QueueManagerDefinition| {
            alter(manager);
            Ok::<(), ObjectError>(())
        };
        self.queue_manager.change_queue_manager(&administrator(), change).await.unwrap();
    }

    /// Waits until something is so at this member.
    async fn until(&self, what: &str, is_so: impl Fn(&QueueManager) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.queue_manager) {
            assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn until_known(&self, queue: &str) {
        self.until(queue, |member| member.queue(&name(queue)).is_some()).await;
    }
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

async fn put(connection: &Connection, queue: &str, body: &'static str, flags: PutFlags) {
    let options = PutOptions { flags, ..PutOptions::default() };
    let body = Bytes::from(body);
    connection.put1(&administrator(), &object(queue), MessageDescriptor::default(), &options, body).await.unwrap();
}

async fn get(connection: &Connection, queue: &str, flags: GetFlags) -> Result<Bytes, Reason> {
    let handle = connection.open(&administrator(), &object(queue), EVERYTHING).await?.handle;
    let options = GetOptions { flags, wait: Some(PATIENCE), ..GetOptions::default() };
    connection.get(handle, &options).await.map(|got| got.body.clone())
}

/// Asks again until there is no refusal.
async fn until_ok<T, E: std::fmt::Debug>(ask: impl AsyncFn() -> Result<T, E>) -> T {
    let begun = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(refused) => assert!(begun.elapsed() < PATIENCE, "{refused:?}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Apart from the test's own runtime.
fn run_apart<T: Send>(what: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(what).join().expect("ends"))
}

/// Runs a test on a database with the tables of the group QSG1.
fn on_database(test: impl AsyncFnOnce(&Database)) {
    let database = Database::of_group("QSG1");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test(&database));
}

/// Two members, the first of which has defined the structure APP1 and the shared queue Q.
async fn two(database: &Database) -> (Member, Member) {
    let (one, two) = (Member::start(database, "QM1").await, Member::start(database, "QM2").await);
    one.define_structure().await;
    one.define("Q", Disposition::Shared).await.unwrap();
    two.until_known("Q").await;
    (one, two)
}

#[test]
fn what_one_member_puts_another_one_gets_also_one_that_waits() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        put(&one.connect(), "Q", "first", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(get(&two.connect(), "Q", GetFlags::NO_SYNCPOINT).await.unwrap(), "first");
        let connection = two.connect();
        let waiting = tokio::spawn(async move { get(&connection, "Q", GetFlags::WAIT | GetFlags::NO_SYNCPOINT).await });
        two.until("a get waits", |member| member.queue_status(&name("Q")).is_some_and(|status| status.waiters == 1))
            .await;
        put(&one.connect(), "Q", "second", PutFlags::NO_SYNCPOINT).await;
        let got = tokio::time::timeout(PATIENCE, waiting).await.expect("woken").unwrap();
        assert_eq!(got.unwrap(), "second");
        one.stop().await;
        two.stop().await;
    });
}

/// As the consumers of a conversation do. A get from a shared queue takes a while, in which the other could take a message too.
#[test]
fn of_two_gets_in_one_unit_of_work_that_take_turns_one_gets_a_message() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        one.define("R", Disposition::Shared).await.unwrap();
        two.until_known("R").await;
        let (putter, getter) = (two.connect(), one.connect());
        let mut handles = Vec::new();
        for queue in ["Q", "R"] {
            handles.push(getter.open(&administrator(), &object(queue), EVERYTHING).await.unwrap().handle);
        }
        for round in 0..20 {
            let (turn, interrupts) = (Turn::default(), [Interrupt::default(), Interrupt::default()]);
            let flags = GetFlags::WAIT | GetFlags::SYNCPOINT;
            let options = GetOptions { flags, wait: Some(PATIENCE), ..GetOptions::default() };
            let consume = async |own: usize| {
                let terms = Terms { interrupt: Some(&interrupts[own]), turn: Some(&turn), ..Terms::default() };
                let got = getter.get_on(handles[own], &options, &terms).await;
                interrupts[1 - own].set();
                got.map(|got| got.body.clone())
            };
            let put_both = async {
                for queue in ["Q", "R"] {
                    put(&putter, queue, "one of two", PutFlags::SYNCPOINT).await;
                }
                putter.commit().await.unwrap();
            };
            let (first, second, ()) = tokio::join!(consume(0), consume(1), put_both);
            assert_eq!(u8::from(first.is_ok()) + u8::from(second.is_ok()), 1, "round {round}: {first:?}, {second:?}");
            getter.commit().await.unwrap();
            let left = if first.is_ok() { "R" } else { "Q" };
            assert_eq!(get(&putter, left, GetFlags::NO_SYNCPOINT).await.unwrap(), "one of two");
        }
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_unit_of_work_over_private_and_shared_queues_is_committed_or_backed_out_as_one() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        one.queue_manager.define_queue(&administrator(), QueueDefinition::local(name("OWN")), false).await.unwrap();
        put(&two.connect(), "Q", "order", PutFlags::NO_SYNCPOINT).await;
        for commits in [false, true] {
            let connection = one.connect();
            assert_eq!(get(&connection, "Q", GetFlags::SYNCPOINT).await.unwrap(), "order");
            put(&connection, "OWN", "reply", PutFlags::SYNCPOINT).await;
            assert_eq!(get(&two.connect(), "Q", GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
            if commits {
                connection.commit().await.unwrap();
            } else {
                connection.back_out().await.unwrap();
            }
            let own = get(&one.connect(), "OWN", GetFlags::NO_SYNCPOINT).await;
            assert_eq!(own.is_ok(), commits);
        }
        assert_eq!(get(&two.connect(), "Q", GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_change_of_a_shared_queue_and_its_deletion_reach_every_member() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let connection = two.connect();
        let handle = connection.open(&administrator(), &object("Q"), OpenOptions::OUTPUT).await.unwrap().handle;
        let inhibit = |queue: &mut QueueDefinition| {
            queue.put_inhibited = true;
            Ok::<(), ObjectError>(())
        };
        one.queue_manager.change_queue(&administrator(), &name("Q"), false, inhibit).await.unwrap();
        two.until("inhibited", |member| member.queue(&name("Q")).is_some_and(|queue| queue.put_inhibited)).await;
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        let put = || connection.put(handle, MessageDescriptor::default(), &options, Bytes::from("x"));
        assert_eq!(put().await.map(drop), Err(Reason::PutInhibited));
        let in_use = Err(ObjectError::InUse { name: "Q".to_owned() });
        assert_eq!(one.queue_manager.delete_queue(&administrator(), &name("Q"), false).await, in_use);
        connection.close(handle, CloseOptions::empty()).await.unwrap();
        one.queue_manager.delete_queue(&administrator(), &name("Q"), false).await.unwrap();
        two.until("deleted", |member| member.queue(&name("Q")).is_none()).await;
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn of_two_members_that_define_one_queue_one_is_told_that_it_is_there() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let (first, second) = tokio::join!(one.define("R", Disposition::Shared), two.define("R", Disposition::Shared));
        let there = Err(ObjectError::AlreadyExists { name: "R".to_owned() });
        assert!([&first, &second].contains(&&Ok(())) && [&first, &second].contains(&&there), "{first:?} {second:?}");
        one.until_known("R").await;
        two.until_known("R").await;
        let store_id = |member: &Member| member.queue_manager.queue(&name("R")).unwrap().as_local().unwrap().store_id;
        assert_eq!(store_id(&one), store_id(&two));
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_group_definition_is_copied_to_every_member_and_to_one_that_comes_later() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        one.define("STOCK", Disposition::Group).await.unwrap();
        two.until_known("STOCK").await;
        let disposition = |member: &Member| member.queue_manager.queue(&name("STOCK")).map(|queue| queue.disposition);
        assert_eq!((disposition(&one), disposition(&two)), (Some(Disposition::Copy), Some(Disposition::Copy)));
        let three = Member::start(database, "QM3").await;
        assert_eq!(disposition(&three), Some(Disposition::Copy));
        assert!(three.queue_manager.object(AuthorityObject::Structure, &name("APP1")).is_some());
        assert!(three.queue_manager.queue(&name("Q")).is_some());
        one.queue_manager.delete_master(&administrator(), AuthorityObject::Queue, &name("STOCK")).await.unwrap();
        two.until("copies go", |member| member.queue(&name("STOCK")).is_none()).await;
        three.until("copies go", |member| member.queue(&name("STOCK")).is_none()).await;
        for member in [one, two, three] {
            member.stop().await;
        }
    });
}

#[test]
fn a_shared_queue_at_another_member_is_the_one_here() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        one.until("they know each other", |member| member.group_members().len() == 2).await;
        one.queue_manager.define_queue(&administrator(), QueueDefinition::local(name("OWN")), false).await.unwrap();
        let connection = one.connect();
        let at_two = |queue| ObjectDescriptor { queue_manager: name("QM2"), ..object(queue) };
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        let reply = async |queue| {
            let object = at_two(queue);
            let body = Bytes::from_static(b"reply");
            let put = connection.put1(&administrator(), &object, MessageDescriptor::default(), &options, body).await;
            put.map(drop)
        };
        reply("Q").await.unwrap();
        assert_eq!(get(&two.connect(), "Q", GetFlags::NO_SYNCPOINT).await.unwrap(), "reply");
        assert_eq!(reply("OWN").await, Err(Reason::UnknownRemoteQMgr), "a private queue is another one there");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn members_see_each_other_and_who_has_left() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let states = |member: &QueueManager| {
            let members = member.group_members().into_iter();
            members.map(|member| (member.queue_manager, member.state)).collect::<Vec<_>>()
        };
        let expected = |second| vec![("QM1".to_owned(), MemberState::Active), ("QM2".to_owned(), second)];
        one.until("two members", |member| states(member) == expected(MemberState::Active)).await;
        two.stop().await;
        one.until("one has left", |member| states(member) == expected(MemberState::Inactive)).await;
        one.stop().await;
    });
}

#[test]
fn a_message_outlives_every_member() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let descriptor = MessageDescriptor { persistence: Persistence::Persistent, ..MessageDescriptor::default() };
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        one.connect().put1(&administrator(), &object("Q"), descriptor, &options, Bytes::from("kept")).await.unwrap();
        one.stop().await;
        two.stop().await;
        let three = Member::start(database, "QM3").await;
        assert_eq!(get(&three.connect(), "Q", GetFlags::NO_SYNCPOINT).await.unwrap(), "kept");
        three.stop().await;
    });
}

#[test]
fn what_is_on_a_shared_queue_lies_before_what_its_members_put_next() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let private = QueueDefinition::local(name("MINE"));
        one.queue_manager.define_queue(&administrator(), private, false).await.unwrap();
        put(&one.connect(), "Q", "there", PutFlags::NO_SYNCPOINT).await;
        let (ours, theirs) = (one.connect(), two.connect());
        let (at_one, at_two) = (open(&ours, "Q").await, open(&theirs, "Q").await);
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT | GetFlags::BROWSE_NEXT, ..GetOptions::default() };
        let position = ours.get(at_one, &options).await.unwrap().position();
        assert!(position < ours.next_position_on(at_one).unwrap());
        two.until("the clock goes on", |_| theirs.next_position_on(at_two).is_ok_and(|next| position < next)).await;
        assert!(
            ours.next_position_on(open(&ours, "MINE").await).unwrap() < position,
            "private queues count on their own"
        );
        one.stop().await;
        two.stop().await;
    });
}

async fn open_for(connection: &Connection, queue: &str, options: OpenOptions) -> Result<ObjectHandle, Reason> {
    connection.open(&administrator(), &object(queue), options).await.map(|opened| opened.handle)
}

async fn open(connection: &Connection, queue: &str) -> ObjectHandle {
    connection.open(&administrator(), &object(queue), EVERYTHING).await.unwrap().handle
}

#[test]
fn a_shared_dynamic_queue_is_every_members_until_it_is_deleted_on_close() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let mut model = QueueDefinition::blank(Kind::QueueModel).unwrap();
        model.name = name("MODEL");
        let QueueKind::Model(template) = &mut model.kind else { panic!("a model") };
        template.local.definition_type = DefinitionType::SharedDynamic;
        template.local.shareable = true;
        let define = async |model| one.queue_manager.define_queue(&administrator(), model, false).await;
        let refused = define(model.clone()).await;
        assert_eq!(refused, Err(ObjectError::Structure { name: String::new() }));
        let QueueKind::Model(template) = &mut model.kind else { panic!("a model") };
        template.local.structure = name("APP1");
        define(model).await.unwrap();
        let ours = one.connect();
        let object = ObjectDescriptor { dynamic_queue: "DYN.*".to_owned(), ..object("MODEL") };
        let opened = ours.open(&administrator(), &object, EVERYTHING).await.unwrap();
        let made = opened.object_name.to_string();
        assert!(made.starts_with("DYN."), "{made}");
        two.until_known(&made).await;
        let there = two.queue_manager.queue(&name(&made)).unwrap();
        assert_eq!(there.disposition, Disposition::Shared);
        assert_eq!(there.as_local().unwrap().definition_type, DefinitionType::SharedDynamic);
        let theirs = two.connect();
        let handle = open(&theirs, &made).await;
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        theirs.put(handle, MessageDescriptor::default(), &options, Bytes::from("reply")).await.unwrap();
        assert_eq!(get(&ours, &made, GetFlags::WAIT | GetFlags::NO_SYNCPOINT).await.unwrap(), "reply");
        theirs.close(handle, CloseOptions::empty()).await.unwrap();
        let other = one.connect();
        let again = open(&other, &made).await;
        drop(ours);
        assert!(one.queue_manager.queue(&name(&made)).is_some(), "permanent");
        other.close(again, CloseOptions::DELETE_PURGE).await.unwrap();
        two.until("deleted", |member| member.queue(&name(&made)).is_none()).await;
        one.stop().await;
        two.stop().await;
    });
}

/// A connection under a tag.
async fn tagged(member: &Member, is_of_group: bool, process: Option<u64>) -> Result<Connection, Reason> {
    let tag = ConnectionTag { tag: [7; 128], is_of_group, process };
    let options = ConnectOptions {
        principal: administrator(),
        application_name: "serial".to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    member.queue_manager.connect_tagged(options, AccountingWish::default(), Some(&tag)).await
}

#[test]
fn a_connection_tag_has_one_holder_in_the_group_until_its_connection_and_its_work_have_ended() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        put(&one.connect(), "Q", "order", PutFlags::NO_SYNCPOINT).await;
        let holder = tagged(&one, true, None).await.unwrap();
        assert_eq!(tagged(&one, true, None).await.err(), Some(Reason::ConnTagInUse));
        assert_eq!(tagged(&two, true, None).await.err(), Some(Reason::ConnTagInUse));
        holder.disconnect().await.unwrap();
        let holder = tagged(&two, true, None).await.unwrap();
        assert_eq!(get(&holder, "Q", GetFlags::SYNCPOINT).await.unwrap(), "order");
        drop(holder);
        let next = until_ok(async || tagged(&one, true, None).await).await;
        assert_eq!(
            get(&next, "Q", GetFlags::NO_SYNCPOINT).await.unwrap(),
            "order",
            "backed out before the tag is free"
        );
        one.stop().await;
        let after = tagged(&two, true, None).await;
        assert!(after.is_ok(), "a member that has ended holds none: {:?}", after.err());
        two.stop().await;
    });
}

#[test]
fn a_tag_of_one_queue_manager_is_free_at_another_and_a_restricted_one_is_shared_by_one_process() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let _first = tagged(&one, false, Some(1)).await.unwrap();
        let _same = tagged(&one, false, Some(1)).await.unwrap();
        assert_eq!(tagged(&one, false, Some(2)).await.err(), Some(Reason::ConnTagInUse));
        assert_eq!(tagged(&one, false, None).await.err(), Some(Reason::ConnTagInUse));
        let _elsewhere = tagged(&two, false, None).await.unwrap();
        let _of_group = tagged(&one, true, Some(1)).await.unwrap();
        assert_eq!(tagged(&two, true, Some(1)).await.err(), Some(Reason::ConnTagInUse), "held at both");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_member_that_loses_its_structure_has_to_end_when_cfconlos_says_so_and_else_goes_on() {
    for (structure, queue_manager, ends) in [
        (OnLoss::Terminate, false, Some(LostStructure::Named("APP1".to_owned()))),
        (OnLoss::Tolerate, false, None),
        (OnLoss::AsQueueManager, false, None),
        (OnLoss::Tolerate, true, Some(LostStructure::Home)),
    ] {
        let database = Database::of_group_to_be_killed("QSG1");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let patience = Duration::from_secs(5);
            let member = Member::start_with(&database, "QM1", |options| options.patience = patience).await;
            let definition =
                StructureDefinition { name: name("APP1"), on_loss: structure, ..StructureDefinition::default() };
            let object = AdministeredObject::Structure(Box::new(definition));
            member.queue_manager.define_object(&administrator(), object, false).await.unwrap();
            member.define("Q", Disposition::Shared).await.unwrap();
            member.alter(|manager| manager.terminates_on_loss = queue_manager).await;
            member
                .queue_manager
                .define_queue(&administrator(), QueueDefinition::local(name("OWN")), false)
                .await
                .unwrap();
            let early = tokio::time::timeout(Duration::from_millis(1), member.queue_manager.structure_lost()).await;
            assert!(early.is_err(), "nothing is lost yet");
            database.server.kill("KILL");
            let got = get(&member.connect(), "Q", GetFlags::NO_SYNCPOINT).await;
            assert_eq!(got, Err(Reason::CfNotAvailable), "{structure:?}");
            // A loss is seen at once by then, if it counts.
            let limit = if ends.is_some() { PATIENCE } else { Duration::from_secs(1) };
            let lost = tokio::time::timeout(limit, member.queue_manager.structure_lost()).await.ok();
            assert_eq!(lost, ends, "{structure:?} {queue_manager}");
            put(&member.connect(), "OWN", "goes on", PutFlags::NO_SYNCPOINT).await;
            member.stop().await;
        });
    }
}
