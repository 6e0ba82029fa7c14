//! Reports are put with the authority of whom their message counts as: nobody reaches a queue by asking for a report.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::queue::{AliasQueue, DefinitionType, LocalQueue, ModelQueue, RemoteQueue, Usage};
use model::definition::{QueueDefinition, QueueKind, SubscriptionDefinition, TopicDefinition};
use model::descriptor::{Expiry, Feedback, Format, MessageDescriptor, MessageType, Persistence, Report};
use model::header::dead_letter::DeadLetterHeader;
use model::options::{GetOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use model::text::Text;
use queue_manager::connection::GetResult;
use queue_manager::{Connection, Home, QueueManager};
use storage::private::log::disk::DirectoryDisk;

use crate::script::{EVERYTHING, FakeClock, administrator, connect, ephemeral, name, start};

/// What a message asks for, and how it comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Arrival,
    Delivery,
    Expiration,
    Exception,
}

const KINDS: [Kind; 4] = [Kind::Arrival, Kind::Delivery, Kind::Expiration, Kind::Exception];

impl Kind {
    fn report(self) -> Report {
        match self {
            Self::Arrival => Report::COA_WITH_FULL_DATA,
            Self::Delivery => Report::COD_WITH_FULL_DATA,
            Self::Expiration => Report::EXPIRATION_WITH_FULL_DATA,
            Self::Exception => Report::EXCEPTION_WITH_FULL_DATA | Report::DISCARD_MSG,
        }
    }

    fn feedback(self) -> Feedback {
        match self {
            Self::Arrival => Feedback::COA,
            Self::Delivery => Feedback::COD,
            Self::Expiration => Feedback::EXPIRATION,
            Self::Exception => Feedback(Reason::QFull.number()),
        }
    }
}

fn principal(user: &str, groups: &[&str]) -> Principal {
    let groups = groups.iter().map(|group| Arc::from(*group)).collect();
    Principal { groups, ..Principal::user(user) }
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

fn local(queue: &str, local: LocalQueue) -> QueueDefinition {
    QueueDefinition::new(name(queue), QueueKind::Local(Box::new(local)))
}

/// A queue manager on which everybody of these tests may put to Q and publish on T, and nobody to SECRET.Q.
struct Bench {
    queue_manager: QueueManager,
    clock: Arc<FakeClock>,
}

impl Bench {
    async fn new() -> Self {
        let clock = FakeClock::new();
        let bench = Self { queue_manager: ephemeral(clock.clone()), clock };
        bench.furnish().await;
        bench
    }

    async fn furnish(&self) {
        for queue in ["Q", "MINE", "SECRET.Q", "DEAD"] {
            self.define(QueueDefinition::local(name(queue))).await;
        }
        self.define(local("FULL", LocalQueue { maximum_depth: 0, ..LocalQueue::default() })).await;
        let topic = TopicDefinition { name: name("T"), topic_string: "t".to_owned(), ..TopicDefinition::default() };
        self.queue_manager.define_topic(&administrator(), topic, false).await.unwrap();
        let subscription = SubscriptionDefinition {
            name: "to a queue that is full".to_owned(),
            topic_string: "t".to_owned(),
            destination: name("FULL"),
            durable: true,
            ..SubscriptionDefinition::default()
        };
        self.queue_manager.define_subscription(&administrator(), subscription, false).await.unwrap();
        let mut definition = (*self.queue_manager.definition()).clone();
        definition.dead_letter_queue = name("DEAD");
        self.queue_manager.alter_queue_manager(&administrator(), definition).await.unwrap();
        for user in ["app", "LONGUSERNAME", "LONGUSERNAME2", "member"] {
            let entity = Entity::Principal(user.to_owned());
            self.allow(AuthorityObject::QueueManager, "QM1", entity.clone(), Authority::CONNECT).await;
            self.allow(AuthorityObject::Queue, "Q", entity.clone(), Authority::PUT).await;
            self.allow(AuthorityObject::Topic, "T", entity, Authority::PUBLISH).await;
        }
    }

    async fn define(&self, queue: QueueDefinition) {
        self.queue_manager.define_queue(&administrator(), queue, false).await.unwrap();
    }

    async fn allow(&self, object: AuthorityObject, profile: &str, entity: Entity, authorities: Authority) {
        let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
        self.queue_manager.set_authority(&administrator(), record).await.unwrap();
    }

    async fn allow_put(&self, user: &str, queue: &str) {
        self.allow(AuthorityObject::Queue, queue, Entity::Principal(user.to_owned()), Authority::PUT).await;
    }

    /// Puts a message that asks for a report of this kind to `reply`, and makes the report come about.
    async fn cause(&self, who: &Principal, kind: Kind, reply: &str, flags: PutFlags) {
        self.put(&connect(&self.queue_manager, who.clone()), who, kind, reply, flags).await.unwrap();
        self.come_about(kind).await;
    }

    async fn put(
        &self,
        connection: &Connection,
        who: &Principal,
        kind: Kind,
        reply: &str,
        flags: PutFlags,
    ) -> Result<(), Reason> {
        let descriptor = MessageDescriptor {
            report: kind.report(),
            reply_to_queue: name(reply),
            format: Format::STRING,
            persistence: Persistence::Persistent,
            expiry: if kind == Kind::Expiration { Expiry(10) } else { Expiry::UNLIMITED },
            ..MessageDescriptor::default()
        };
        let to = match kind {
            Kind::Exception => ObjectDescriptor { object: ObjectKind::Topic, ..object("T") },
            Kind::Arrival | Kind::Delivery | Kind::Expiration => object("Q"),
        };
        let options = PutOptions { flags, ..PutOptions::default() };
        connection.put1(who, &to, descriptor, &options, Bytes::from_static(b"payload")).await.map(|_| ())
    }

    async fn come_about(&self, kind: Kind) {
        match kind {
            Kind::Arrival => assert_eq!(&*self.get("Q").await.unwrap().body, b"payload"),
            Kind::Delivery => assert_eq!(&*self.get("Q").await.unwrap().body, b"payload"),
            Kind::Expiration => {
                self.clock.advance(Duration::from_secs(2));
                assert_eq!(self.get("Q").await.err(), Some(Reason::NoMsgAvailable));
            }
            Kind::Exception => {}
        }
    }

    async fn get(&self, queue: &str) -> Result<Box<GetResult>, Reason> {
        let connection = connect(&self.queue_manager, administrator());
        let opened = connection.open(&administrator(), &object(queue), OpenOptions::INPUT_SHARED).await?;
        connection.get(opened.handle, &GetOptions::default()).await
    }

    fn depth(&self, queue: &str) -> u32 {
        self.queue_manager.queue_status(&name(queue)).unwrap().depth.current
    }

    /// The one report is on this queue and nowhere else.
    async fn arrived(&self, kind: Kind, queue: &str) {
        let got = self.get(queue).await.unwrap_or_else(|reason| panic!("{kind:?} on {queue}: {reason}"));
        assert_eq!((got.descriptor.feedback, &*got.body), (kind.feedback(), b"payload".as_slice()));
        assert_eq!(got.descriptor.message_type, MessageType::REPORT);
        self.nothing_left().await;
    }

    /// The one report is on the dead-letter queue, for this reason.
    async fn died(&self, kind: Kind, queue: &str, reason: Reason) {
        let got = self.get("DEAD").await.unwrap_or_else(|reason| panic!("{kind:?}: {reason}"));
        assert_eq!((got.descriptor.feedback, got.descriptor.format), (kind.feedback(), Format::DEAD_LETTER_HEADER));
        let header = DeadLetterHeader::decode(&got.body, got.descriptor.encoding).unwrap();
        assert_eq!((header.reason, header.destination_queue), (reason.number(), Text::new(queue)), "{kind:?}");
        assert_eq!(&got.body[DeadLetterHeader::LENGTH..], b"payload");
        self.nothing_left().await;
    }

    async fn nothing_left(&self) {
        for queue in ["Q", "MINE", "SECRET.Q", "DEAD"] {
            assert_eq!(self.depth(queue), 0, "{queue}");
        }
    }
}

#[tokio::test]
async fn every_kind_of_report_needs_put_authority_on_the_reply_queue() {
    let bench = Bench::new().await;
    let app = principal("app", &[]);
    bench.allow_put("app", "MINE").await;
    for kind in KINDS {
        bench.cause(&app, kind, "MINE", PutFlags::empty()).await;
        bench.arrived(kind, "MINE").await;
        bench.cause(&app, kind, "SECRET.Q", PutFlags::empty()).await;
        bench.died(kind, "SECRET.Q", Reason::NotAuthorized).await;
        bench.cause(&app, kind, "SYSTEM.ADMIN.COMMAND.QUEUE", PutFlags::empty()).await;
        bench.died(kind, "SYSTEM.ADMIN.COMMAND.QUEUE", Reason::NotAuthorized).await;
        bench.cause(&administrator(), kind, "SECRET.Q", PutFlags::empty()).await;
        bench.arrived(kind, "SECRET.Q").await;
    }
}

#[tokio::test]
async fn the_whole_name_counts_and_not_its_first_twelve_characters() {
    let bench = Bench::new().await;
    let (short, long) = (principal("LONGUSERNAME", &[]), principal("LONGUSERNAME2", &[]));
    bench.allow_put("LONGUSERNAME", "SECRET.Q").await;
    bench.allow_put("LONGUSERNAME2", "MINE").await;
    for kind in KINDS {
        bench.cause(&long, kind, "SECRET.Q", PutFlags::empty()).await;
        bench.died(kind, "SECRET.Q", Reason::NotAuthorized).await;
        bench.cause(&long, kind, "MINE", PutFlags::empty()).await;
        bench.arrived(kind, "MINE").await;
        bench.cause(&short, kind, "MINE", PutFlags::empty()).await;
        bench.died(kind, "MINE", Reason::NotAuthorized).await;
        bench.cause(&short, kind, "SECRET.Q", PutFlags::empty()).await;
        bench.arrived(kind, "SECRET.Q").await;
    }
}

#[tokio::test]
async fn groups_count_as_they_do_at_an_open() {
    let bench = Bench::new().await;
    let group = Entity::Group("staff".to_owned());
    bench.allow(AuthorityObject::Queue, "MINE", group, Authority::PUT).await;
    for kind in KINDS {
        bench.cause(&principal("member", &["staff"]), kind, "MINE", PutFlags::empty()).await;
        bench.arrived(kind, "MINE").await;
        bench.cause(&principal("member", &[]), kind, "MINE", PutFlags::empty()).await;
        bench.died(kind, "MINE", Reason::NotAuthorized).await;
    }
}

#[tokio::test]
async fn a_message_without_context_counts_as_the_user_who_put_it() {
    let bench = Bench::new().await;
    bench.allow_put("app", "MINE").await;
    let app = principal("app", &[]);
    for kind in KINDS {
        bench.cause(&app, kind, "MINE", PutFlags::NO_CONTEXT).await;
        bench.arrived(kind, "MINE").await;
        bench.cause(&app, kind, "SECRET.Q", PutFlags::NO_CONTEXT).await;
        bench.died(kind, "SECRET.Q", Reason::NotAuthorized).await;
    }
}

#[tokio::test]
async fn a_context_that_is_set_or_passed_on_counts_as_whom_it_names() {
    let bench = Bench::new().await;
    let administrator = administrator();
    bench.allow_put("LONGUSERNAME2", "MINE").await;
    let connection = connect(&bench.queue_manager, administrator.clone());
    let descriptor = |user: &str| MessageDescriptor {
        report: Report::COA_WITH_FULL_DATA,
        reply_to_queue: name("MINE"),
        user_identifier: Text::new(user),
        ..MessageDescriptor::default()
    };
    // Set: exactly the user whose name was set, which is at most twelve characters.
    let set = PutOptions { flags: PutFlags::SET_IDENTITY_CONTEXT, ..PutOptions::default() };
    let body = Bytes::from_static(b"payload");
    connection.put1(&administrator, &object("Q"), descriptor("LONGUSERNAME2"), &set, body.clone()).await.unwrap();
    bench.get("Q").await.unwrap();
    bench.died(Kind::Arrival, "MINE", Reason::NotAuthorized).await;

    // Passed on: the user of the message it comes from, in full.
    let long = principal("LONGUSERNAME2", &[]);
    let put = PutOptions::default();
    let plain = MessageDescriptor::default();
    connect(&bench.queue_manager, long.clone()).put1(&long, &object("Q"), plain, &put, Bytes::new()).await.unwrap();
    let source = connection.open(&administrator, &object("Q"), EVERYTHING).await.unwrap().handle;
    connection.get(source, &GetOptions::default()).await.unwrap();
    for flags in [PutFlags::PASS_IDENTITY_CONTEXT, PutFlags::PASS_ALL_CONTEXT] {
        let pass = PutOptions { flags, context: Some(source.0) };
        connection.put1(&administrator, &object("Q"), descriptor(""), &pass, body.clone()).await.unwrap();
        bench.get("Q").await.unwrap();
        bench.arrived(Kind::Arrival, "MINE").await;
    }
}

#[tokio::test]
async fn an_application_does_not_say_whom_its_message_counts_as() {
    let bench = Bench::new().await;
    let app = principal("app", &[]);
    let connection = connect(&bench.queue_manager, app.clone());
    let mut descriptor = MessageDescriptor {
        report: Report::COA_WITH_FULL_DATA,
        reply_to_queue: name("SECRET.Q"),
        ..MessageDescriptor::default()
    };
    // As a door would that puts what it got.
    descriptor.name_principal(&administrator());
    let body = Bytes::from_static(b"payload");
    connection.put1(&app, &object("Q"), descriptor, &PutOptions::default(), body).await.unwrap();
    bench.get("Q").await.unwrap();
    bench.died(Kind::Arrival, "SECRET.Q", Reason::NotAuthorized).await;
}

#[tokio::test]
async fn the_name_that_was_given_counts_whatever_it_leads_to() {
    let bench = Bench::new().await;
    let app = principal("app", &[]);
    let alias = AliasQueue { target: name("SECRET.Q"), ..AliasQueue::default() };
    bench.define(QueueDefinition::new(name("ALIAS"), QueueKind::Alias(alias))).await;
    bench.define(local("QM2", LocalQueue { usage: Usage::Transmission, ..LocalQueue::default() })).await;
    let remote =
        RemoteQueue { remote_queue: name("THERE"), remote_queue_manager: name("QM2"), ..RemoteQueue::default() };
    bench.define(QueueDefinition::new(name("REMOTE"), QueueKind::Remote(remote))).await;
    // An alias by its own name, as an open of it.
    bench.cause(&app, Kind::Delivery, "ALIAS", PutFlags::empty()).await;
    bench.died(Kind::Delivery, "ALIAS", Reason::NotAuthorized).await;
    bench.allow_put("app", "ALIAS").await;
    bench.cause(&app, Kind::Delivery, "ALIAS", PutFlags::empty()).await;
    bench.arrived(Kind::Delivery, "SECRET.Q").await;
    // A put replaces the name of a remote queue by what it stands for, so the transmission queue counts.
    bench.cause(&app, Kind::Delivery, "REMOTE", PutFlags::empty()).await;
    assert_eq!((bench.depth("QM2"), bench.depth("DEAD")), (0, 1));
    bench.get("DEAD").await.unwrap();
    bench.allow_put("app", "QM2").await;
    bench.cause(&app, Kind::Delivery, "REMOTE", PutFlags::empty()).await;
    assert_eq!((bench.depth("QM2"), bench.depth("DEAD")), (1, 0));
}

#[tokio::test]
async fn the_maker_of_a_dynamic_queue_gets_reports_there_and_others_do_not() {
    let bench = Bench::new().await;
    let model = ModelQueue {
        local: LocalQueue {
            definition_type: DefinitionType::PermanentDynamic,
            shareable: true,
            ..ModelQueue::default().local
        },
    };
    bench.define(QueueDefinition::new(name("MODEL"), QueueKind::Model(Box::new(model)))).await;
    bench.allow(AuthorityObject::Queue, "MODEL", Entity::Principal("app".to_owned()), Authority::GET).await;
    let app = principal("app", &[]);
    let connection = connect(&bench.queue_manager, app.clone());
    let template = ObjectDescriptor { dynamic_queue: "REPLIES".to_owned(), ..object("MODEL") };
    connection.open(&app, &template, OpenOptions::INPUT_SHARED).await.unwrap();
    for kind in KINDS {
        bench.cause(&app, kind, "REPLIES", PutFlags::empty()).await;
        bench.arrived(kind, "REPLIES").await;
        bench.cause(&principal("LONGUSERNAME", &[]), kind, "REPLIES", PutFlags::empty()).await;
        bench.died(kind, "REPLIES", Reason::NotAuthorized).await;
    }
}

#[tokio::test]
async fn reports_on_a_publication_are_put_with_the_publishers_authority() {
    let bench = Bench::new().await;
    bench.queue_manager.delete_subscription(&administrator(), "to a queue that is full").await.unwrap();
    // The subscription is the administrator's, who may put anywhere.
    let subscription = SubscriptionDefinition {
        name: "to Q".to_owned(),
        user: "mqadmin".to_owned(),
        topic_string: "t".to_owned(),
        destination: name("Q"),
        durable: true,
        ..SubscriptionDefinition::default()
    };
    bench.queue_manager.define_subscription(&administrator(), subscription, false).await.unwrap();
    for user in ["app", "LONGUSERNAME2"] {
        let who = principal(user, &[]);
        let descriptor = MessageDescriptor {
            report: Report::COD_WITH_FULL_DATA,
            reply_to_queue: name("SECRET.Q"),
            ..MessageDescriptor::default()
        };
        let to = ObjectDescriptor { object: ObjectKind::Topic, ..object("T") };
        let connection = connect(&bench.queue_manager, who.clone());
        let body = Bytes::from_static(b"payload");
        connection.put1(&who, &to, descriptor, &PutOptions::default(), body).await.unwrap();
        assert_eq!(bench.get("Q").await.unwrap().descriptor.user_identifier.to_text(), "mqadmin");
        bench.died(Kind::Delivery, "SECRET.Q", Reason::NotAuthorized).await;
    }
}

#[tokio::test]
async fn the_dead_letter_queue_takes_reports_within_its_own_limits() {
    let app = principal("app", &[]);
    let limits = [
        LocalQueue { maximum_depth: 2, ..LocalQueue::default() },
        LocalQueue { maximum_message_length: 100, ..LocalQueue::default() },
    ];
    for (limit, taken) in limits.into_iter().zip([2, 0]) {
        let bench = Bench::new().await;
        bench.queue_manager.delete_queue(&administrator(), &name("DEAD"), false).await.unwrap();
        bench.define(local("DEAD", limit)).await;
        for kind in [Kind::Arrival, Kind::Delivery, Kind::Expiration] {
            bench.cause(&app, kind, "SECRET.Q", PutFlags::empty()).await;
        }
        assert_eq!((bench.depth("DEAD"), bench.depth("SECRET.Q"), bench.depth("Q")), (taken, 0, 0));
    }
}

#[tokio::test]
async fn a_persistent_message_counts_as_the_same_principal_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let start_again = || {
        let disk = DirectoryDisk::open(directory.path().to_owned()).unwrap();
        Bench { queue_manager: start(Home::Disk(Arc::new(disk)), clock.clone()), clock: clock.clone() }
    };
    let bench = start_again();
    bench.furnish().await;
    bench.allow_put("LONGUSERNAME", "SECRET.Q").await;
    bench.allow_put("LONGUSERNAME2", "MINE").await;
    bench.allow(AuthorityObject::Queue, "MINE", Entity::Group("staff".to_owned()), Authority::PUT).await;
    bench.queue_manager.stop().await;
    drop(bench);
    let reply = |queue: &'static str| (queue, if queue == "MINE" { None } else { Some(Reason::NotAuthorized) });
    for kind in [Kind::Delivery, Kind::Expiration] {
        for who in [principal("LONGUSERNAME2", &[]), principal("member", &["others", "staff"])] {
            for (queue, refused) in [reply("MINE"), reply("SECRET.Q")] {
                let bench = start_again();
                let connection = connect(&bench.queue_manager, who.clone());
                bench.put(&connection, &who, kind, queue, PutFlags::empty()).await.unwrap();
                drop(connection);
                bench.queue_manager.stop().await;
                drop(bench);
                let bench = start_again();
                bench.come_about(kind).await;
                match refused {
                    None => bench.arrived(kind, queue).await,
                    Some(reason) => bench.died(kind, queue, reason).await,
                }
                bench.queue_manager.stop().await;
            }
        }
    }
}

#[tokio::test]
async fn trigger_messages_are_the_queue_managers_own_and_need_no_authority() {
    let bench = Bench::new().await;
    let app = principal("app", &[]);
    let mut triggered = LocalQueue { initiation_queue: name("SECRET.Q"), ..LocalQueue::default() };
    triggered.trigger.enabled = true;
    bench.define(local("TRIGGERED", triggered)).await;
    bench.allow_put("app", "TRIGGERED").await;
    let monitor = connect(&bench.queue_manager, administrator());
    let monitored =
        monitor.open(&administrator(), &object("SECRET.Q"), OpenOptions::INPUT_SHARED).await.unwrap().handle;
    let connection = connect(&bench.queue_manager, app.clone());
    let put = PutOptions::default();
    connection.put1(&app, &object("TRIGGERED"), MessageDescriptor::default(), &put, Bytes::new()).await.unwrap();
    let got = monitor.get(monitored, &GetOptions::default()).await.unwrap();
    assert_eq!(got.descriptor.format, Format::TRIGGER);
    assert_eq!(bench.depth("DEAD"), 0);
}
