//! Publish/subscribe as programs and commands see it: who gets a publication, what is retained, what lasts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::queue::{AliasQueue, AliasTarget};
use model::definition::topic::{Allowed, Delivery};
use model::definition::{QueueDefinition, QueueKind, SubscriptionDefinition, TopicDefinition};
use model::descriptor::{Expiry, Format, MessageDescriptor, Persistence};
use model::identifier::CorrelationId;
use model::name::ObjectName;
use model::options::{
    CloseOptions, GetFlags, GetOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags as Flags, SubscriptionDescriptor};
use model::timestamp::Timestamp;
use queue_manager::connection::{GetResult, ObjectHandle, PutResult};
use queue_manager::durable_limit::DurableLimits;
use queue_manager::objects::ObjectError;
use queue_manager::subscribe::Subscribed;
use queue_manager::subscription::SubscriptionStatus;
use queue_manager::{Clock, ConnectOptions, Connection, Home, QueueManager, StartOptions};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;

/// A clock that stands still until it is moved.
struct TestClock(AtomicU64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// One queue manager, and an administrator connected to it.
struct Bench {
    queue_manager: QueueManager,
    connection: Connection,
    clock: Arc<TestClock>,
}

const ADMIN: &str = "admin";

impl Bench {
    /// Of subscriptions that a test made.
    fn statuses(&self) -> Vec<SubscriptionStatus> {
        let mut statuses = self.queue_manager.subscription_statuses();
        statuses.retain(|status| status.definition.name != "SYSTEM.DEFAULT.SUB");
        statuses
    }

    fn new() -> Self {
        Self::at(Home::Ephemeral)
    }

    fn on(directory: &Path) -> Self {
        let disk = DirectoryDisk::open(directory.to_path_buf()).expect("a folder of our own");
        Self::at(Home::Disk(Arc::new(disk)))
    }

    fn at(home: Home) -> Self {
        let clock = Arc::new(TestClock(AtomicU64::new(1_800_000_000_000_000)));
        let options = StartOptions {
            name: ObjectName::literal("QM1"),
            home,
            store: StoreOptions::default(),
            clock: clock.clone(),
            server_user: "server".to_owned(),
        };
        let queue_manager = QueueManager::start(options).expect("it starts");
        let connection = connect(&queue_manager, ADMIN);
        Self { queue_manager, connection, clock }
    }

    async fn stop(self) {
        self.connection.disconnect().await.expect("disconnected");
        self.queue_manager.stop().await;
    }

    async fn queue(&self, name: &str, change: impl FnOnce(&mut QueueDefinition)) {
        let mut definition = QueueDefinition::local(ObjectName::literal(name));
        change(&mut definition);
        self.queue_manager.define_queue(&admin(), definition, true).await.expect("a queue");
    }

    async fn topic(&self, name: &str, topic_string: &str, change: impl FnOnce(&mut TopicDefinition)) {
        let name = ObjectName::literal(name);
        let mut definition = TopicDefinition { name, topic_string: topic_string.to_owned(), ..Default::default() };
        change(&mut definition);
        self.queue_manager.define_topic(&admin(), definition, true).await.expect("a topic");
    }

    /// DEFINE SUB that delivers to `queue`.
    async fn define_sub(&self, name: &str, topic_string: &str, queue: &str) {
        let definition = subscription(name, topic_string, queue);
        self.queue_manager.define_subscription(&admin(), definition, false).await.expect("a subscription");
    }

    async fn subscribe(&self, topic_string: &str, flags: Flags) -> Subscribed {
        let descriptor = descriptor(topic_string, flags);
        self.connection.subscribe(&admin(), &descriptor, None).await.expect("subscribed")
    }

    async fn publish(&self, topic_string: &str, text: &str) {
        self.publish_with(topic_string, text, PutFlags::empty(), MessageDescriptor::default())
            .await
            .expect("published");
    }

    async fn retain(&self, topic_string: &str, text: &str, persistence: Persistence) {
        let descriptor = MessageDescriptor { persistence, ..Default::default() };
        self.publish_with(topic_string, text, PutFlags::RETAIN, descriptor).await.expect("retained");
    }

    async fn publish_with(
        &self,
        topic_string: &str,
        text: &str,
        flags: PutFlags,
        descriptor: MessageDescriptor,
    ) -> Result<PutResult, Reason> {
        publish_as(&self.connection, &admin(), &topic(topic_string), text, flags, descriptor).await
    }

    /// What lies on a queue, taken off it: texts, separated by blanks.
    async fn drain(&self, queue: &str) -> String {
        let object = ObjectDescriptor { name: ObjectName::literal(queue), ..Default::default() };
        let opened = self.connection.open(&admin(), &object, OpenOptions::INPUT_SHARED).await.expect("opened");
        let texts = self.take(opened.handle).await;
        self.connection.close(opened.handle, CloseOptions::empty()).await.expect("closed");
        texts
    }

    async fn take(&self, handle: ObjectHandle) -> String {
        let mut texts = Vec::new();
        while let Ok(got) = self.get(handle).await {
            texts.push(String::from_utf8_lossy(&got.body).into_owned());
        }
        texts.join(" ")
    }

    async fn get(&self, handle: ObjectHandle) -> Result<Box<GetResult>, Reason> {
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..Default::default() };
        self.connection.get(handle, &options).await
    }

    async fn close(&self, handle: ObjectHandle, options: CloseOptions) {
        self.connection.close(handle, options).await.expect("closed");
    }

    async fn grant(&self, user: &str, topic: &str, authorities: Authority) {
        for (object, profile, authorities) in
            [(AuthorityObject::QueueManager, "QM1", Authority::CONNECT), (AuthorityObject::Topic, topic, authorities)]
        {
            let entity = Entity::Principal(user.to_owned());
            let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
            self.queue_manager.set_authority(&admin(), record).await.expect("granted");
        }
    }
}

fn connect(queue_manager: &QueueManager, user: &str) -> Connection {
    let principal = if user == ADMIN { admin() } else { Principal::user(user) };
    let options = ConnectOptions {
        principal,
        application_name: "test".to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    queue_manager.connect(options).expect("connected")
}

fn admin() -> Principal {
    Principal::administrator(ADMIN)
}

fn topic(topic_string: &str) -> ObjectDescriptor {
    ObjectDescriptor { object: ObjectKind::Topic, topic_string: topic_string.to_owned(), ..Default::default() }
}

async fn publish_as(
    connection: &Connection,
    caller: &Principal,
    object: &ObjectDescriptor,
    text: &str,
    flags: PutFlags,
    descriptor: MessageDescriptor,
) -> Result<PutResult, Reason> {
    let descriptor = MessageDescriptor { format: Format::STRING, ..descriptor };
    let options = PutOptions { flags, ..Default::default() };
    connection.put1(caller, object, descriptor, &options, Bytes::copy_from_slice(text.as_bytes())).await
}

fn subscription(name: &str, topic_string: &str, queue: &str) -> SubscriptionDefinition {
    SubscriptionDefinition {
        name: name.to_owned(),
        topic_string: topic_string.to_owned(),
        destination: ObjectName::literal(queue),
        user: ADMIN.to_owned(),
        ..Default::default()
    }
}

fn descriptor(topic_string: &str, flags: Flags) -> SubscriptionDescriptor {
    SubscriptionDescriptor { flags, topic_string: topic_string.to_owned(), ..Default::default() }
}

fn named(name: &str, topic_string: &str, flags: Flags) -> SubscriptionDescriptor {
    SubscriptionDescriptor { name: name.to_owned(), ..descriptor(topic_string, flags) }
}

const MANAGED: Flags = Flags::CREATE.union(Flags::MANAGED);
const DURABLE: Flags = MANAGED.union(Flags::DURABLE);
const RESUME: Flags = Flags::RESUME.union(Flags::MANAGED).union(Flags::DURABLE);

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(test);
}

#[test]
fn a_publication_reaches_every_subscription_that_matches() {
    run(async {
        let bench = Bench::new();
        for queue in ["ALL", "ONE", "OTHER"] {
            bench.queue(queue, |_| {}).await;
        }
        bench.define_sub("all", "sport/#", "ALL").await;
        bench.define_sub("one", "sport/football", "ONE").await;
        bench.define_sub("other", "sport/+/scores", "OTHER").await;
        bench.publish("sport/football", "goal").await;
        bench.publish("sport/tennis/scores", "ace").await;
        bench.publish("Sport/football", "case").await;
        assert_eq!(bench.drain("ALL").await, "goal ace");
        assert_eq!(bench.drain("ONE").await, "goal");
        assert_eq!(bench.drain("OTHER").await, "ace");
    });
}

#[test]
fn a_delivered_publication_has_the_subscriptions_identity_and_the_publishers_origin() {
    run(async {
        let bench = Bench::new();
        let correlation_id = CorrelationId::new([7; 24]);
        let sought = SubscriptionDescriptor { correlation_id, ..descriptor("t", MANAGED | Flags::SET_CORREL_ID) };
        let subscribed = bench.connection.subscribe(&admin(), &sought, None).await.expect("subscribed");
        assert_eq!((subscribed.correlation_id, &*subscribed.topic_string), (correlation_id, "t"));
        let published = MessageDescriptor { priority: 6, expiry: Expiry(100), ..Default::default() };
        let put = bench.publish_with("t", "text", PutFlags::empty(), published).await.expect("published");
        assert!(!put.message.descriptor.message_id.is_none());
        let got = bench.get(subscribed.queue).await.expect("a publication").message.descriptor;
        assert_eq!(
            (got.correlation_id, got.priority, got.expiry, got.format),
            (correlation_id, 6, Expiry(100), Format::STRING)
        );
        assert_eq!((&*got.user_identifier.to_text(), &*got.put_application_name.to_text()), (ADMIN, "test"));
        assert_ne!(got.message_id, put.message.descriptor.message_id);
    });
}

#[test]
fn nobody_there_is_a_warning_for_those_who_ask() {
    run(async {
        let bench = Bench::new();
        let publish = async |flags| {
            bench.publish_with("nobody", "x", flags, MessageDescriptor::default()).await.expect("published").warning
        };
        assert_eq!(publish(PutFlags::empty()).await, None);
        assert_eq!(publish(PutFlags::WARN_IF_NO_SUBS_MATCHED).await, Some(Reason::NoSubsMatched));
        bench.subscribe("#", MANAGED).await;
        assert_eq!(publish(PutFlags::WARN_IF_NO_SUBS_MATCHED).await, None);
    });
}

#[test]
fn retained_publications_await_new_subscribers_until_replaced() {
    run(async {
        let bench = Bench::new();
        bench.retain("a/b", "old", Persistence::NonPersistent).await;
        bench.retain("a/b", "new", Persistence::NonPersistent).await;
        bench.retain("a/c", "other", Persistence::NonPersistent).await;
        bench.publish("a/b", "passing").await;
        let exact = bench.subscribe("a/b", MANAGED).await;
        let wild = bench.subscribe("a/#", MANAGED).await;
        let by_character = bench.subscribe("a*c", MANAGED | Flags::WILDCARD_CHAR).await;
        let only_new = bench.subscribe("a/#", MANAGED | Flags::NEW_PUBLICATIONS_ONLY).await;
        assert_eq!(bench.take(exact.queue).await, "new");
        assert_eq!(bench.take(wild.queue).await, "new other");
        assert_eq!(bench.take(by_character.queue).await, "other");
        assert_eq!(bench.take(only_new.queue).await, "");
    });
}

#[test]
fn subscriptions_on_request_get_what_is_retained_and_nothing_else() {
    run(async {
        let bench = Bench::new();
        let subscribed = bench.subscribe("news", MANAGED | Flags::PUBLICATIONS_ON_REQUEST).await;
        let request = async || bench.connection.request_publications(subscribed.subscription).await;
        assert_eq!(request().await, Err(Reason::NoRetainedMsg));
        bench.retain("news", "kept", Persistence::NonPersistent).await;
        bench.publish("news", "passing").await;
        assert_eq!(bench.take(subscribed.queue).await, "");
        assert_eq!(request().await, Ok(1));
        assert_eq!(bench.take(subscribed.queue).await, "kept");
        assert_eq!(bench.connection.request_publications(subscribed.queue).await, Err(Reason::HobjError));
    });
}

#[test]
fn durable_subscriptions_and_persistent_retained_publications_survive_a_restart() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let bench = Bench::on(folder.path());
        bench.queue("ADMIN.QUEUE", |_| {}).await;
        bench.define_sub("administrative", "t", "ADMIN.QUEUE").await;
        let subscribed = bench.connection.subscribe(&admin(), &named("mine", "t", DURABLE), None).await.expect("made");
        bench.subscribe("t", MANAGED).await;
        let persistent = || MessageDescriptor { persistence: Persistence::Persistent, ..Default::default() };
        bench.publish_with("t", "before", PutFlags::empty(), persistent()).await.expect("published");
        bench.retain("kept", "kept", Persistence::Persistent).await;
        bench.retain("lost", "lost", Persistence::NonPersistent).await;
        bench.close(subscribed.subscription, CloseOptions::KEEP_SUB).await;
        bench.stop().await;

        let bench = Bench::on(folder.path());
        bench.publish_with("t", "after", PutFlags::empty(), persistent()).await.expect("published");
        let wanted = named("mine", "", Flags::RESUME);
        let resumed = bench.connection.subscribe(&admin(), &wanted, None).await.expect("resumed");
        assert_eq!((resumed.identifier, resumed.durable, resumed.managed), (subscribed.identifier, true, true));
        assert_eq!(bench.take(resumed.queue).await, "before after");
        assert_eq!(bench.drain("ADMIN.QUEUE").await, "before after");
        let retained = bench.subscribe("#", MANAGED).await;
        assert_eq!(bench.take(retained.queue).await, "kept");
        let managed: Vec<_> = bench.queue_manager.queues().into_iter().map(|queue| queue.name.to_string()).collect();
        assert_eq!(managed.iter().filter(|name| name.starts_with("SYSTEM.MANAGED.DURABLE.")).count(), 1);
        assert_eq!(managed.iter().filter(|name| name.starts_with("SYSTEM.MANAGED.NDURABLE.")).count(), 1);
        bench.stop().await;
    });
}

#[test]
fn a_subscription_without_durability_ends_with_its_handle_and_its_queue_goes_too() {
    run(async {
        let bench = Bench::new();
        let other = connect(&bench.queue_manager, ADMIN);
        let first = bench.subscribe("t", MANAGED).await;
        other.subscribe(&admin(), &descriptor("t", MANAGED), None).await.expect("subscribed");
        assert_eq!(bench.statuses().len(), 2);
        let kept = bench.connection.close(first.subscription, CloseOptions::KEEP_SUB).await;
        assert_eq!(kept, Err(Reason::OptionNotValidForType));
        bench.close(first.subscription, CloseOptions::empty()).await;
        bench.publish("t", "unheard").await;
        assert_eq!(bench.take(first.queue).await, "");
        bench.close(first.queue, CloseOptions::empty()).await;
        other.disconnect().await.expect("disconnected");
        assert_eq!(bench.statuses().len(), 0);
        let queues = bench.queue_manager.queues();
        assert!(!queues.iter().any(|queue| queue.name.as_str().starts_with("SYSTEM.MANAGED.NDURABLE.")));
    });
}

#[test]
fn a_durable_subscription_is_kept_or_removed_by_close() {
    run(async {
        let bench = Bench::new();
        let make = async || {
            let wanted = named("mine", "t", DURABLE | Flags::RESUME);
            bench.connection.subscribe(&admin(), &wanted, None).await.expect("subscribed")
        };
        let subscribed = make().await;
        let again = bench.connection.subscribe(&admin(), &named("mine", "", RESUME), None).await;
        assert_eq!(again.expect_err("in use"), Reason::SubscriptionInUse);
        bench.close(subscribed.subscription, CloseOptions::empty()).await;
        bench.close(subscribed.queue, CloseOptions::empty()).await;
        bench.publish("t", "kept").await;
        let subscribed = make().await;
        assert_eq!(bench.take(subscribed.queue).await, "kept");
        bench.close(subscribed.queue, CloseOptions::empty()).await;
        bench.close(subscribed.subscription, CloseOptions::REMOVE_SUB).await;
        let resumed = bench.connection.subscribe(&admin(), &named("mine", "", RESUME), None).await;
        assert_eq!(resumed.expect_err("gone"), Reason::NoSubscription);
        let queues = bench.queue_manager.queues();
        assert!(!queues.iter().any(|queue| queue.name.as_str().starts_with("SYSTEM.MANAGED.DURABLE.")));
    });
}

#[test]
fn overlapping_subscriptions_deliver_twice_to_one_queue_and_a_group_once() {
    run(async {
        let bench = Bench::new();
        bench.queue("Q", |_| {}).await;
        let object = ObjectDescriptor { name: ObjectName::literal("Q"), ..Default::default() };
        let queue = bench.connection.open(&admin(), &object, OpenOptions::INPUT_SHARED).await.expect("opened").handle;
        let subscribe = async |topic_string, flags| {
            let correlation_id = CorrelationId::new([1; 24]);
            let flags = Flags::CREATE | Flags::SET_CORREL_ID | flags;
            let wanted = SubscriptionDescriptor { correlation_id, ..descriptor(topic_string, flags) };
            bench.connection.subscribe(&admin(), &wanted, Some(queue)).await.expect("subscribed")
        };
        let one = subscribe("a/#", Flags::empty()).await;
        assert_eq!(one.queue, queue);
        let two = subscribe("a/+", Flags::empty()).await;
        bench.publish("a/b", "x").await;
        assert_eq!(bench.take(queue).await, "x x");
        bench.close(one.subscription, CloseOptions::empty()).await;
        bench.close(two.subscription, CloseOptions::empty()).await;
        subscribe("a/#", Flags::GROUP_SUB).await;
        subscribe("a/+", Flags::GROUP_SUB).await;
        bench.publish("a/b", "y").await;
        bench.publish("a", "z").await;
        assert_eq!(bench.take(queue).await, "y z");
    });
}

#[test]
fn topics_switch_publishing_and_subscribing_off_for_all_below_them() {
    run(async {
        let bench = Bench::new();
        bench.topic("MUTE", "mute", |topic| topic.publish = Allowed::Disabled).await;
        bench.topic("LOUD", "mute/loud", |topic| topic.publish = Allowed::Enabled).await;
        bench.topic("DEAF", "deaf", |topic| topic.subscribe = Allowed::Disabled).await;
        bench.topic("BRIEF", "brief", |topic| topic.durable_subscriptions = Some(false)).await;
        let publish = async |topic_string| {
            let put = bench.publish_with(topic_string, "x", PutFlags::empty(), MessageDescriptor::default()).await;
            put.err()
        };
        assert_eq!(publish("mute/a").await, Some(Reason::PutInhibited));
        assert_eq!(publish("mute/loud/a").await, None);
        let subscribe = async |wanted| bench.connection.subscribe(&admin(), &wanted, None).await.err();
        assert_eq!(subscribe(descriptor("deaf/a", MANAGED)).await, Some(Reason::SubInhibited));
        assert_eq!(subscribe(named("d", "brief/a", DURABLE)).await, Some(Reason::DurabilityNotAllowed));
        assert_eq!(subscribe(descriptor("brief/a", MANAGED)).await, None);
        let mut definition = bench.queue_manager.definition().as_ref().clone();
        definition.publish_subscribe_enabled = false;
        bench.queue_manager.alter_queue_manager(&admin(), definition).await.expect("altered");
        assert_eq!(publish("a").await, Some(Reason::PubsubInhibited));
        assert_eq!(subscribe(descriptor("a", MANAGED)).await, Some(Reason::PubsubInhibited));
    });
}

#[test]
fn durable_subscriptions_are_limited_by_user_and_in_all() {
    run(async {
        let bench = Bench::new();
        bench.queue("Q", |_| {}).await;
        bench.topic("DEV", "dev", |_| {}).await;
        for user in ["app", "other"] {
            bench.grant(user, "DEV", Authority::SUBSCRIBE | Authority::RESUME).await;
        }
        let known = || bench.queue_manager.subscription_statuses().len();
        let of_queue_manager = known() + 5;
        bench.queue_manager.limit_durable_subscriptions(DurableLimits { of_queue_manager, of_user: 2 });
        let managed_queues = || {
            let queues = bench.queue_manager.queues();
            queues.iter().filter(|queue| queue.name.as_str().starts_with("SYSTEM.MANAGED.DURABLE.")).count()
        };
        let subscribe = async |user: &str, name: &str, flags: Flags| {
            let connection = connect(&bench.queue_manager, user);
            let wanted = SubscriptionDescriptor { flags: flags | MANAGED, ..named(name, "dev/a", flags) };
            let made = connection.subscribe(&Principal::user(user), &wanted, None).await;
            connection.disconnect().await.expect("disconnected");
            made.err()
        };
        assert_eq!(subscribe("app", "one", DURABLE).await, None);
        assert_eq!(subscribe("app", "two", DURABLE).await, None);
        assert_eq!(subscribe("app", "three", DURABLE).await, Some(Reason::DurabilityNotAllowed), "of one user");
        assert_eq!(managed_queues(), 2, "no queue is left of what was refused");
        assert_eq!(subscribe("app", "two", DURABLE | Flags::RESUME).await, None);
        assert_eq!(subscribe("app", "", MANAGED).await, None, "it is not durable");
        assert_eq!(subscribe("other", "four", DURABLE).await, None, "another user has a limit of its own");
        let define = async |name: &str, replace| {
            bench.queue_manager.define_subscription(&admin(), subscription(name, "dev/a", "Q"), replace).await.err()
        };
        assert_eq!((define("five", false).await, define("six", false).await), (None, None));
        assert_eq!(known(), of_queue_manager);
        assert_eq!(subscribe("other", "seven", DURABLE).await, Some(Reason::DurabilityNotAllowed), "in all");
        assert_eq!(define("eight", false).await, Some(ObjectError::Reason(Reason::DurabilityNotAllowed)));
        bench.queue_manager.delete_subscription(&admin(), "six").await.expect("deleted");
        assert_eq!(subscribe("other", "seven", DURABLE).await, None);
        assert_eq!(define("five", true).await, None);
    });
}

#[test]
fn a_user_may_publish_and_subscribe_where_a_topic_object_above_grants_it() {
    run(async {
        let bench = Bench::new();
        bench.topic("DEV.BASE.TOPIC", "dev/", |_| {}).await;
        bench.topic("SECRET", "dev/secret", |_| {}).await;
        bench.grant("app", "DEV.BASE.TOPIC", Authority::PUBLISH | Authority::SUBSCRIBE).await;
        bench.grant("reader", "SECRET", Authority::SUBSCRIBE).await;
        let publish = async |user: &str, topic_string: &str| {
            let connection = connect(&bench.queue_manager, user);
            let (caller, object) = (Principal::user(user), topic(topic_string));
            publish_as(&connection, &caller, &object, "x", PutFlags::empty(), MessageDescriptor::default()).await.err()
        };
        let subscribe = async |user: &str, topic_string: &str| {
            let connection = connect(&bench.queue_manager, user);
            connection.subscribe(&Principal::user(user), &descriptor(topic_string, MANAGED), None).await.err()
        };
        for topic_string in ["dev/", "dev/a/b", "dev/secret/deep"] {
            assert_eq!(publish("app", topic_string).await, None, "{topic_string}");
            assert_eq!(subscribe("app", topic_string).await, None, "{topic_string}");
        }
        for topic_string in ["dev", "development", "a", "#"] {
            assert_eq!(publish("app", topic_string).await, Some(Reason::NotAuthorized), "{topic_string}");
            assert_eq!(subscribe("app", topic_string).await, Some(Reason::NotAuthorized), "{topic_string}");
        }
        assert_eq!(subscribe("reader", "dev/secret/a").await, None);
        assert_eq!(subscribe("reader", "dev/a").await, Some(Reason::NotAuthorized));
        assert_eq!(publish("reader", "dev/secret/a").await, Some(Reason::NotAuthorized));
    });
}

#[test]
fn topic_object_and_string_are_joined_and_wrong_ones_refused() {
    run(async {
        let bench = Bench::new();
        bench.topic("SPORT", "sport", |_| {}).await;
        let heard = bench.subscribe("sport/football", MANAGED).await;
        let publish = async |object: &str, topic_string: &str| {
            let object = ObjectDescriptor { name: ObjectName::literal(object), ..topic(topic_string) };
            let none = MessageDescriptor::default();
            publish_as(&bench.connection, &admin(), &object, "x", PutFlags::empty(), none).await.err()
        };
        assert_eq!(publish("SPORT", "football").await, None);
        assert_eq!(bench.take(heard.queue).await, "x");
        assert_eq!(publish("", "").await, Some(Reason::UnknownObjectName));
        assert_eq!(publish("MISSING", "a").await, Some(Reason::UnknownObjectName));
        assert_eq!(publish("SYSTEM.BASE.TOPIC", "").await, Some(Reason::TopicStringError));
        assert_eq!(publish("", &"x".repeat(10_241)).await, Some(Reason::TopicStringError));
        assert_eq!(publish("", "$SYS/MQ/INFO").await, Some(Reason::AdminTopicStringError));
        let elsewhere = ObjectDescriptor { queue_manager: ObjectName::literal("QM9"), ..topic("a") };
        let none = MessageDescriptor::default();
        let put = publish_as(&bench.connection, &admin(), &elsewhere, "x", PutFlags::empty(), none).await;
        assert_eq!(put.err(), Some(Reason::UnknownObjectQMgr));
    });
}

#[test]
fn an_open_topic_publishes_each_put_and_an_alias_of_a_topic_does_the_same() {
    run(async {
        let bench = Bench::new();
        bench.topic("NEWS", "news", |_| {}).await;
        let alias =
            AliasQueue { target: ObjectName::literal("NEWS"), target_type: AliasTarget::Topic, ..Default::default() };
        let definition = QueueDefinition::new(ObjectName::literal("NEWS.ALIAS"), QueueKind::Alias(alias));
        bench.queue_manager.define_queue(&admin(), definition, false).await.expect("an alias");
        let heard = bench.subscribe("news", MANAGED).await;
        let alias = ObjectDescriptor { name: ObjectName::literal("NEWS.ALIAS"), ..Default::default() };
        for object in [topic("news"), alias] {
            let opened = bench.connection.open(&admin(), &object, OpenOptions::OUTPUT).await.expect("opened");
            for text in ["one", "two"] {
                let body = Bytes::from_static(text.as_bytes());
                let (none, options) = (MessageDescriptor::default(), PutOptions::default());
                bench.connection.put(opened.handle, none, &options, body).await.expect("published");
            }
            assert_eq!(bench.take(heard.queue).await, "one two");
            bench.close(opened.handle, CloseOptions::empty()).await;
        }
    });
}

/// Two subscriptions: a durable one and one that is not, the queue of `full` takes nothing.
async fn publish_to_full_queue(
    delivery: Delivery,
    durable_is_full: bool,
    dead_letter_queue: bool,
    persistence: Persistence,
) -> (Option<Reason>, String, String) {
    let bench = Bench::new();
    bench
        .topic("T", "t", |topic| {
            match persistence {
                Persistence::Persistent => topic.persistent_delivery = delivery,
                Persistence::NonPersistent | Persistence::AsQueueDefinition => topic.nonpersistent_delivery = delivery,
            }
            topic.use_dead_letter_queue = Some(dead_letter_queue);
        })
        .await;
    bench.queue("DEAD", |_| {}).await;
    let mut definition = bench.queue_manager.definition().as_ref().clone();
    definition.dead_letter_queue = ObjectName::literal("DEAD");
    bench.queue_manager.alter_queue_manager(&admin(), definition).await.expect("altered");
    for (queue, full) in [("DURABLE", durable_is_full), ("BRIEF", !durable_is_full)] {
        let maximum = if full { 0 } else { 9 };
        bench.queue(queue, |queue| queue.as_local_mut().expect("local").maximum_depth = maximum).await;
    }
    bench.define_sub("durable", "t", "DURABLE").await;
    let object = ObjectDescriptor { name: ObjectName::literal("BRIEF"), ..Default::default() };
    let brief = bench.connection.open(&admin(), &object, OpenOptions::INPUT_SHARED).await.expect("opened").handle;
    bench.connection.subscribe(&admin(), &descriptor("t", Flags::CREATE), Some(brief)).await.expect("subscribed");
    let descriptor = MessageDescriptor { persistence, ..Default::default() };
    let reason = bench.publish_with("t", "x", PutFlags::empty(), descriptor).await.err();
    let delivered = bench.drain("DURABLE").await + &bench.take(brief).await;
    let dead = bench.drain("DEAD").await;
    (reason, delivered, if dead.is_empty() { String::new() } else { dead[dead.len() - 1..].to_owned() })
}

#[test]
fn what_cannot_be_delivered_fails_the_publication_as_the_topic_says() {
    use Persistence::{NonPersistent, Persistent};
    run(async {
        let failed = (Some(Reason::PublicationFailure), String::new(), String::new());
        let missed = (None, "x".to_owned(), String::new());
        let dead = (None, "x".to_owned(), "x".to_owned());
        for persistence in [Persistent, NonPersistent] {
            for (delivery, durable_is_full, expected) in [
                (Delivery::All, true, &failed),
                (Delivery::All, false, &failed),
                (Delivery::AllDurable, true, &failed),
                (Delivery::AllDurable, false, &missed),
                (Delivery::AllAvailable, true, &missed),
                (Delivery::AllAvailable, false, &missed),
            ] {
                let got = publish_to_full_queue(delivery, durable_is_full, false, persistence).await;
                assert_eq!(&got, expected, "{delivery:?} {durable_is_full} {persistence:?}");
                let got = publish_to_full_queue(delivery, durable_is_full, true, persistence).await;
                assert_eq!(&got, &dead, "{delivery:?} {durable_is_full} {persistence:?}, dead-letter queue");
            }
        }
    });
}

#[test]
fn publications_under_syncpoint_appear_with_the_commit() {
    run(async {
        let bench = Bench::new();
        let heard = bench.subscribe("t", MANAGED).await;
        let publish = async |text: &str| {
            let flags = PutFlags::SYNCPOINT | PutFlags::RETAIN;
            bench.publish_with("t", text, flags, MessageDescriptor::default()).await.expect("published");
        };
        publish("committed").await;
        assert_eq!(bench.take(heard.queue).await, "");
        bench.connection.commit().await.expect("committed");
        assert_eq!(bench.take(heard.queue).await, "committed");
        publish("backed-out").await;
        bench.connection.back_out().await.expect("backed out");
        assert_eq!(bench.take(heard.queue).await, "");
        let later = bench.subscribe("t", MANAGED).await;
        assert_eq!(bench.take(later.queue).await, "committed");
    });
}

#[test]
fn a_refused_publication_leaves_the_unit_of_work_as_it_was() {
    run(async {
        let bench = Bench::new();
        bench
            .topic("T", "t", |topic| {
                topic.nonpersistent_delivery = Delivery::All;
                topic.use_dead_letter_queue = Some(false);
            })
            .await;
        bench.queue("OPEN", |_| {}).await;
        bench.queue("FULL", |queue| queue.as_local_mut().expect("local").maximum_depth = 0).await;
        bench.define_sub("open", "#", "OPEN").await;
        bench.publish_with("u", "first", PutFlags::SYNCPOINT, MessageDescriptor::default()).await.expect("published");
        bench.define_sub("full", "t", "FULL").await;
        let refused = bench.publish_with("t", "second", PutFlags::SYNCPOINT, MessageDescriptor::default()).await;
        assert_eq!(refused.err(), Some(Reason::PublicationFailure));
        bench.connection.commit().await.expect("committed");
        assert_eq!(bench.drain("OPEN").await, "first");
    });
}

#[test]
fn subscriptions_expire_and_publications_carry_what_is_left_of_their_lifetime() {
    run(async {
        let bench = Bench::new();
        let wanted = SubscriptionDescriptor { expiry: Expiry(100), ..named("short", "t", DURABLE) };
        let subscribed = bench.connection.subscribe(&admin(), &wanted, None).await.expect("subscribed");
        let published = MessageDescriptor { expiry: Expiry(600), ..Default::default() };
        bench.publish_with("t", "kept", PutFlags::RETAIN, published).await.expect("published");
        bench.clock.0.fetch_add(5_000_000, Ordering::SeqCst);
        let late = bench.subscribe("t", MANAGED).await;
        assert_eq!(bench.get(late.queue).await.expect("retained").descriptor.expiry, Expiry(550));
        assert_eq!(bench.take(subscribed.queue).await, "kept");

        bench.clock.0.fetch_add(5_000_000, Ordering::SeqCst);
        bench.publish("t", "unheard").await;
        assert_eq!(bench.take(subscribed.queue).await, "");
        let queue_manager = bench.queue_manager.clone();
        let housekeeping = tokio::spawn(async move { queue_manager.run().await });
        let ended = async {
            while bench.queue_manager.subscription("short").is_some() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(crate::script::PATIENCE, ended).await.expect("the subscription ends");
        bench.stop().await;
        housekeeping.await.expect("housekeeping ends with the queue manager");
    });
}

#[test]
fn priority_is_the_publications_the_subscriptions_or_the_queues() {
    run(async {
        let bench = Bench::new();
        for (name, priority) in [("PUB", None), ("SUB", Some(7)), ("QUEUE", Some(-1))] {
            bench.queue(name, |queue| queue.default_priority = 3).await;
            let definition = SubscriptionDefinition { priority, ..subscription(name, "t", name) };
            bench.queue_manager.define_subscription(&admin(), definition, false).await.expect("a subscription");
        }
        bench.topic("T", "t", |topic| topic.default_priority = Some(5)).await;
        bench.publish("t", "x").await;
        for (name, expected) in [("PUB", 5), ("SUB", 7), ("QUEUE", 3)] {
            let object = ObjectDescriptor { name: ObjectName::literal(name), ..Default::default() };
            let opened = bench.connection.open(&admin(), &object, OpenOptions::INPUT_SHARED).await.expect("opened");
            let got = bench.get(opened.handle).await.expect("a publication");
            assert_eq!(got.descriptor.priority, expected, "{name}");
        }
    });
}

#[test]
fn mqsub_refuses_what_makes_no_sense() {
    run(async {
        let bench = Bench::new();
        let long = "x".repeat(10_241);
        let check = async |wanted: SubscriptionDescriptor, expected: Reason| {
            let refused = bench.connection.subscribe(&admin(), &wanted, None).await;
            assert_eq!(refused.expect_err("refused"), expected, "{wanted:?}");
        };
        let options = |flags| descriptor("t", flags);
        for flags in [
            Flags::MANAGED,
            MANAGED | Flags::RESUME | Flags::ALTER,
            MANAGED | Flags::ANY_USERID | Flags::FIXED_USERID,
            MANAGED | Flags::NEW_PUBLICATIONS_ONLY | Flags::PUBLICATIONS_ON_REQUEST,
            MANAGED | Flags::WILDCARD_CHAR | Flags::WILDCARD_TOPIC,
            MANAGED | Flags::GROUP_SUB | Flags::SET_CORREL_ID,
            Flags::CREATE | Flags::GROUP_SUB,
            Flags::RESUME | Flags::NEW_PUBLICATIONS_ONLY,
        ] {
            check(options(flags), Reason::OptionsError).await;
        }
        check(options(DURABLE), Reason::SubNameError).await;
        check(named(&long, "t", DURABLE), Reason::SubNameError).await;
        check(SubscriptionDescriptor { user_data: long.clone(), ..options(MANAGED) }, Reason::SubUserDataError).await;
        check(SubscriptionDescriptor { expiry: Expiry(0), ..options(MANAGED) }, Reason::ExpiryError).await;
        check(SubscriptionDescriptor { priority: 10, ..options(MANAGED) }, Reason::PriorityError).await;
        check(SubscriptionDescriptor { priority: -2, ..options(MANAGED) }, Reason::PriorityError).await;
        check(SubscriptionDescriptor { level: 10, ..options(MANAGED) }, Reason::SdError).await;
        check(SubscriptionDescriptor { selector: "a =".into(), ..options(MANAGED) }, Reason::SelectorSyntaxError).await;
        check(
            SubscriptionDescriptor { selector: "Root.XML = 1".into(), ..options(MANAGED) },
            Reason::SelectionNotAvailable,
        )
        .await;
        check(options(Flags::CREATE), Reason::HobjError).await;
        check(descriptor("", MANAGED), Reason::UnknownObjectName).await;
        check(descriptor("a%b", MANAGED | Flags::WILDCARD_CHAR), Reason::TopicStringError).await;
        check(named("none", "", RESUME), Reason::NoSubscription).await;
        bench.connection.subscribe(&admin(), &named("mine", "t", DURABLE), None).await.expect("made");
        check(named("mine", "t", DURABLE), Reason::SubAlreadyExists).await;
        assert_eq!(bench.statuses().len(), 1);
    });
}

#[test]
fn an_alteration_changes_what_may_change_and_nothing_else() {
    run(async {
        let bench = Bench::new();
        let made = bench.connection.subscribe(&admin(), &named("mine", "t", DURABLE), None).await.expect("made");
        bench.close(made.subscription, CloseOptions::KEEP_SUB).await;
        let alter = Flags::ALTER | Flags::MANAGED | Flags::DURABLE;
        let refused = async |wanted: SubscriptionDescriptor| {
            bench.connection.subscribe(&admin(), &wanted, None).await.expect_err("refused")
        };
        assert_eq!(refused(named("mine", "u", alter)).await, Reason::TopicNotAlterable);
        assert_eq!(refused(named("mine", "", alter - Flags::DURABLE)).await, Reason::DurabilityNotAlterable);
        assert_eq!(refused(named("mine", "", alter - Flags::MANAGED)).await, Reason::DestClassNotAlterable);
        let level = SubscriptionDescriptor { level: 2, ..named("mine", "", alter) };
        assert_eq!(refused(level).await, Reason::SublevelNotAlterable);
        let wanted = SubscriptionDescriptor { user_data: "data".into(), ..named("mine", "t", alter) };
        let altered = bench.connection.subscribe(&admin(), &wanted, None).await.expect("altered");
        assert_eq!(altered.identifier, made.identifier);
        assert_eq!(bench.queue_manager.subscription("mine").expect("there").user_data, "data");
        bench.publish("t", "x").await;
        assert_eq!(bench.take(altered.queue).await, "x");
    });
}

#[test]
fn another_users_subscription_is_resumed_only_if_it_is_open_to_any_user() {
    run(async {
        let bench = Bench::new();
        bench.topic("T", "t", |_| {}).await;
        bench.grant("other", "T", Authority::SUBSCRIBE | Authority::RESUME).await;
        let other = connect(&bench.queue_manager, "other");
        for (name, flags, expected) in [
            ("fixed", Flags::FIXED_USERID, Some(Reason::IdentityMismatch)),
            ("unsaid", Flags::empty(), Some(Reason::IdentityMismatch)),
            ("any", Flags::ANY_USERID, None),
        ] {
            let made =
                bench.connection.subscribe(&admin(), &named(name, "t", DURABLE | flags), None).await.expect("made");
            bench.close(made.subscription, CloseOptions::KEEP_SUB).await;
            let resumed = other.subscribe(&Principal::user("other"), &named(name, "", RESUME), None).await;
            assert_eq!(resumed.err(), expected, "{name}");
        }
    });
}

#[test]
fn a_publisher_may_leave_out_its_own_subscriptions() {
    run(async {
        let bench = Bench::new();
        let other = connect(&bench.queue_manager, ADMIN);
        let own = bench.subscribe("t", MANAGED).await;
        let others = other.subscribe(&admin(), &descriptor("t", MANAGED), None).await.expect("subscribed");
        let none = MessageDescriptor::default();
        bench.publish_with("t", "x", PutFlags::NOT_OWN_SUBS, none).await.expect("published");
        assert_eq!(bench.take(own.queue).await, "");
        let got = other.get(others.queue, &GetOptions::default()).await.expect("a publication");
        assert_eq!(&*got.body, b"x");
    });
}

#[test]
fn a_topic_may_block_wildcards_from_above() {
    run(async {
        let bench = Bench::new();
        bench.topic("PRIVATE", "a/private", |topic| topic.block_wildcards = true).await;
        let above = bench.subscribe("a/#", MANAGED).await;
        let at = bench.subscribe("a/private/#", MANAGED).await;
        let exact = bench.subscribe("a/private/x", MANAGED).await;
        bench.publish("a/private/x", "secret").await;
        bench.publish("a/open", "open").await;
        assert_eq!(bench.take(above.queue).await, "open");
        assert_eq!(bench.take(at.queue).await, "secret");
        assert_eq!(bench.take(exact.queue).await, "secret");
    });
}

#[test]
fn commands_make_alter_and_delete_subscriptions() {
    run(async {
        let bench = Bench::new();
        bench.queue("Q", |_| {}).await;
        bench.queue("R", |_| {}).await;
        let define =
            async |definition, replace| bench.queue_manager.define_subscription(&admin(), definition, replace).await;
        bench.retain("t", "kept", Persistence::NonPersistent).await;
        define(subscription("s", "t", "Q"), false).await.expect("defined");
        assert_eq!(bench.drain("Q").await, "kept");
        let first = bench.queue_manager.subscription("s").expect("there");
        assert!(!first.identifier.is_none() && !first.correlation_id.is_none());
        let again = define(subscription("s", "t", "Q"), false).await;
        assert_eq!(again, Err(ObjectError::AlreadyExists { name: "s".to_owned() }));
        let moved = define(subscription("s", "u", "Q"), true).await;
        assert!(matches!(moved, Err(ObjectError::Attribute { attribute: "TOPICSTR", .. })), "{moved:?}");
        define(subscription("s", "t", "R"), true).await.expect("replaced");
        let second = bench.queue_manager.subscription("s").expect("there");
        assert_eq!((second.identifier, second.correlation_id), (first.identifier, first.correlation_id));
        bench.publish("t", "x").await;
        assert_eq!((bench.drain("Q").await, bench.drain("R").await), (String::new(), "x".to_owned()));
        let wrong = SubscriptionDefinition { wildcard_topic: false, ..subscription("w", "a%", "Q") };
        assert!(define(wrong, false).await.is_err());

        let managed = SubscriptionDefinition { managed: true, ..subscription("m", "t", "") };
        define(managed, false).await.expect("defined");
        let queue = bench.queue_manager.subscription("m").expect("there").destination;
        assert_eq!(bench.drain(queue.as_str()).await, "kept");
        bench.queue_manager.delete_subscription(&admin(), "m").await.expect("deleted");
        assert!(bench.queue_manager.queue(&queue).is_none());
        bench.queue_manager.delete_subscription(&admin(), "s").await.expect("deleted");
        let gone = bench.queue_manager.delete_subscription(&admin(), "s").await;
        assert_eq!(gone, Err(ObjectError::NotFound { name: "s".to_owned() }));
        bench.publish("t", "y").await;
        assert_eq!(bench.drain("R").await, "");
    });
}

#[test]
fn status_counts_what_a_subscription_was_sent() {
    run(async {
        let bench = Bench::new();
        bench.queue("Q", |_| {}).await;
        bench.define_sub("s", "t", "Q").await;
        bench.publish("t", "x").await;
        let subscribed = bench.subscribe("u", MANAGED).await;
        let statuses = bench.statuses();
        let seen: Vec<_> = statuses
            .iter()
            .map(|status| (&*status.definition.name, status.published, status.opened_by.is_some()))
            .collect();
        assert_eq!(seen, [("", 0, true), ("s", 1, false)]);
        assert_eq!(statuses[1].last_published, Some(bench.clock.now()));
        assert_eq!(statuses[0].definition.identifier, subscribed.identifier);
    });
}
