//! Rules about messages, units of work, refusals and channels.

use std::net::IpAddr;

use model::definition::channel::ChannelType;
use model::definition::{AdministeredObject, ChannelDefinition};
use model::name::ChannelName;
use model::reason::Reason;
use queue_manager::channel_status::{ChannelDisposition, ChannelInstance, StopChannel, StopMode};
use queue_manager::recent::RefusedClient;

use super::*;

impl Engine {
    /// The only problem.
    fn only(&self) -> Value {
        self.pass(3);
        let problems = self.problems();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        problems[0].clone()
    }

    fn refuse(&self, cause: &str, user: &str, remedy: Option<&str>) {
        self.queue_manager.note_refused_client(RefusedClient {
            channel: "APP.SVRCONN".to_owned(),
            address: IpAddr::from([192, 0, 2, 7]),
            user: user.to_owned(),
            cause: cause.to_owned(),
            is_of_user: true,
            remedy: remedy.map(str::to_owned),
        });
    }

    fn define_channel(&self, maximum_instances: u32) {
        let mut channel = ChannelDefinition::blank(ChannelType::ServerConnection);
        channel.name = ChannelName::literal("APP.SVRCONN");
        channel.maximum_instances = maximum_instances;
        let object = AdministeredObject::Channel(Box::new(channel));
        self.runtime.block_on(self.queue_manager.define_object(&server(), object, false)).expect("defined");
    }
}

fn texts(values: &Value) -> Vec<&str> {
    values.as_array().expect("a list").iter().map(|value| value.as_str().expect("text")).collect()
}

#[test]
fn a_refusal_names_user_channel_object_and_the_command_that_allows_it_until_it_is_old() {
    let engine = Engine::start();
    engine.define("ORDERS", |_| {});
    let connection = engine.connect(server(), "billing", "APP.SVRCONN");
    let put = || {
        let (object, bob) = (object("ORDERS"), Principal::user("bob"));
        let options = PutOptions::default();
        let put = connection.put1(&bob, &object, MessageDescriptor::default(), &options, "x".into());
        engine.runtime.block_on(put).map(|_| ())
    };
    assert_eq!((put(), put()), (Err(Reason::NotAuthorized), Err(Reason::NotAuthorized)));
    let problem = engine.only();
    assert_eq!(
        (&problem["id"], &problem["severity"], &problem["object"]),
        (
            &json!("not-authorized:ORDERS:bob@APP.SVRCONN"),
            &json!("error"),
            &json!({ "type": "queue", "name": "ORDERS" })
        )
    );
    assert_eq!(
        problem["text"],
        "User bob got 2035 (MQRC_NOT_AUTHORIZED) 2 times by channel APP.SVRCONN: PUT is missing on queue ORDERS. It ran billing. Grant \
         the authority, or stop the program."
    );
    assert_eq!((&problem["values"]["count"], texts(&problem["values"]["applications"])), (&json!(2), vec!["billing"]));
    assert!(problem["next"][0]["mqsc"][0].as_str().is_some_and(|mqsc| mqsc.starts_with("SET AUTHREC")), "{problem}");
    engine.pass(900);
    assert!(engine.ids().is_empty(), "it is old");
}

#[test]
fn a_client_that_chlauth_refuses_is_told_with_the_record_and_the_command_that_lets_it_in() {
    let engine = Engine::start();
    let cause = "AMQ9777E: user 'bob' was refused by CHLAUTH(*) TYPE(ADDRESSMAP) USERSRC(NOACCESS)";
    engine.refuse(cause, "bob", Some("SET CHLAUTH('APP.SVRCONN') TYPE(USERMAP) CLNTUSER('bob') USERSRC(CHANNEL)"));
    engine.refuse(cause, "bob", Some("SET CHLAUTH('APP.SVRCONN') TYPE(USERMAP) CLNTUSER('bob') USERSRC(CHANNEL)"));
    let problem = engine.only();
    assert_eq!(problem["id"], "client-refused:APP.SVRCONN:AMQ9777E:bob");
    assert_eq!(
        problem["text"],
        "A client at 192.0.2.7 was refused channel APP.SVRCONN 2 times: user 'bob' was refused by CHLAUTH(*) TYPE(ADDRESSMAP) \
         USERSRC(NOACCESS) (AMQ9777E). Let the client in, or stop it."
    );
    assert_eq!(
        problem["next"][0]["mqsc"][0],
        "SET CHLAUTH('APP.SVRCONN') TYPE(USERMAP) CLNTUSER('bob') USERSRC(CHANNEL)"
    );
    assert_eq!(problem["next"][1]["href"], "/api/v1/qmgr/QM1/why/channel?name=APP.SVRCONN&address=192.0.2.7&user=bob");
}

#[test]
fn a_channel_that_is_stopped_or_at_its_limit_is_told() {
    let engine = Engine::start();
    engine.define_channel(2);
    let instance = || ChannelInstance {
        channel: "APP.SVRCONN".to_owned(),
        channel_type: "SVRCONN",
        connection_name: "192.0.2.7".to_owned(),
        ..ChannelInstance::default()
    };
    let first = engine.queue_manager.register_channel(instance()).expect("it runs");
    assert!(engine.ids().is_empty());
    engine.pass(7);
    let second = engine.queue_manager.register_channel(instance()).expect("it runs");
    let problem = engine.only();
    assert_eq!((&problem["id"], &problem["severity"]), (&json!("channel-at-limit:APP.SVRCONN"), &json!("warning")));
    assert_eq!(engine.ids()[0].1, 7, "since the last one started");
    engine.refuse("AMQ9489E: as many instances of channel APP.SVRCONN run as MAXINST(2) allows", "", None);
    let problem = engine.only();
    assert_eq!((&problem["severity"], &problem["values"]["refused"]), (&json!("error"), &json!(1)));
    assert_eq!(problem["next"][1]["mqsc"][0], "ALTER CHANNEL('APP.SVRCONN') CHLTYPE(SVRCONN) MAXINST(4)");
    engine.pass(900);
    drop((first, second));
    engine.pass(3);
    assert!(engine.ids().is_empty());
    let stop = StopChannel { disable: true, ..StopChannel::of("APP.SVRCONN", StopMode::Quiesce) };
    engine.queue_manager.stop_channel(&stop);
    assert_eq!(engine.only()["id"], "channel-stopped:APP.SVRCONN");
    engine.queue_manager.start_channel("APP.SVRCONN", ChannelDisposition::Private);
    engine.pass(3);
    assert!(engine.ids().is_empty());
}

#[test]
fn a_channel_that_is_stopped_at_a_member_is_told_with_which_clients_it_keeps_out() {
    let engine = Engine::start_member();
    engine.define_channel(2);
    let stop = |disposition| {
        engine.queue_manager.stop_channel(&StopChannel {
            disposition,
            disable: true,
            ..StopChannel::of("APP.SVRCONN", StopMode::Quiesce)
        })
    };
    stop(ChannelDisposition::Shared);
    let problem = engine.only();
    assert_eq!(
        problem["text"],
        "Channel APP.SVRCONN is stopped as a shared channel and lets no client in. Start it when it is to work."
    );
    assert_eq!(texts(&problem["next"][0]["mqsc"]), ["START CHANNEL('APP.SVRCONN') CHLDISP(SHARED)"]);
    stop(ChannelDisposition::Private);
    let problem = engine.only();
    assert_eq!(problem["text"], "Channel APP.SVRCONN is stopped and lets no client in. Start it when it is to work.");
    let starts = ["START CHANNEL('APP.SVRCONN') CHLDISP(PRIVATE)", "START CHANNEL('APP.SVRCONN') CHLDISP(SHARED)"];
    assert_eq!(texts(&problem["next"][0]["mqsc"]), starts);
}

#[test]
fn a_message_that_was_backed_out_again_and_again_is_told_with_the_program_that_gives_it_back() {
    let engine = Engine::start();
    engine.define("CLAIMS", |local| local.backout_threshold = 3);
    engine.put("CLAIMS", 2);
    let connection = engine.connect(server(), "claims-worker", "");
    let opened = engine.runtime.block_on(connection.open(&server(), &object("CLAIMS"), OpenOptions::INPUT_SHARED));
    let handle = opened.expect("opened").handle;
    let back_out = || {
        let options = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
        engine.runtime.block_on(connection.get(handle, &options)).expect("a message");
        engine.runtime.block_on(connection.back_out()).expect("backed out");
    };
    back_out();
    back_out();
    assert!(engine.ids().is_empty());
    back_out();
    let problem = engine.only();
    assert_eq!((&problem["id"], &problem["severity"]), (&json!("poison-message:CLAIMS"), &json!("error")));
    assert_eq!(
        problem["text"],
        "The first message of CLAIMS was backed out 3 times and holds up those behind it. claims-worker reads the queue, and gives the \
         message back each time. Look at it, and move it to another queue."
    );
    engine.get("CLAIMS");
    engine.pass(3);
    assert!(engine.ids().is_empty(), "the next one is well");
}

#[test]
fn a_unit_of_work_that_stays_open_is_told_with_its_program() {
    let engine = Engine::start();
    engine.define("ORDERS", |_| {});
    let connection = engine.connect(server(), "slow-app", "APP.SVRCONN");
    let (object, options) =
        (object("ORDERS"), PutOptions { flags: model::options::PutFlags::SYNCPOINT, ..PutOptions::default() });
    let caller = server();
    let put = connection.put1(&caller, &object, MessageDescriptor::default(), &options, "x".into());
    engine.runtime.block_on(put).expect("put");
    engine.pass(290);
    assert!(engine.ids().is_empty());
    engine.pass(11);
    let problems = engine.problems();
    let unit = problems.iter().find(|problem| problem["rule"] == "unit-of-work-old").expect("told");
    assert_eq!(unit["since"], "2026-11-21T00:00:00.000Z");
    assert!(
        unit["text"].as_str().is_some_and(|text| text
            .starts_with("slow-app (user server, channel APP.SVRCONN from ) has a unit of work of 1 message open for")),
        "{unit}"
    );
    engine.runtime.block_on(connection.commit()).expect("committed");
    engine.pass(3);
    assert!(engine.ids().iter().all(|(id, _)| id.starts_with("queue-")));
}

#[test]
fn dead_letters_are_grouped_by_reason_and_destination() {
    let engine = Engine::start();
    engine.define("DLQ", |_| {});
    let mut definition = (*engine.queue_manager.definition()).clone();
    definition.dead_letter_queue = QueueName::literal("DLQ");
    engine.runtime.block_on(engine.queue_manager.alter_queue_manager(&server(), definition)).expect("altered");
    engine.define("ORDERS", |_| {});
    let letter = |queue: &str, reason: i32| {
        use model::descriptor::Format;
        use model::header::dead_letter::DeadLetterHeader;
        let header = DeadLetterHeader {
            reason,
            destination_queue: model::text::Text::new(queue),
            destination_queue_manager: model::text::Text::new("QM1"),
            encoding: MessageDescriptor::default().encoding,
            ccsid: MessageDescriptor::default().ccsid,
            format: Format::NONE,
            put_application_type: 6,
            put_application_name: model::text::Text::new("test"),
            put_date: model::text::Text::new("20261121"),
            put_time: model::text::Text::new("00000000"),
        };
        let descriptor = MessageDescriptor { format: Format::DEAD_LETTER_HEADER, ..MessageDescriptor::default() };
        let mut body = Vec::new();
        header.encode(descriptor.encoding, &mut body);
        body.push(b'x');
        let (object, caller, options) = (object("DLQ"), server(), PutOptions::default());
        let put = engine.connection.put1(&caller, &object, descriptor, &options, body.into());
        engine.runtime.block_on(put).expect("put");
    };
    letter("ORDERS", 2053);
    letter("ORDERS", 2053);
    letter("GONE", 2085);
    engine.pass(3);
    let problems = engine.problems();
    let ids: Vec<_> = problems.iter().map(|problem| problem["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, ["dead-letters:DLQ:2053:ORDERS", "dead-letters:DLQ:2085:GONE"]);
    assert_eq!(
        problems[0]["text"],
        "DLQ holds 2 messages for ORDERS: the destination was full (2053, MQRC_Q_FULL). ORDERS takes messages now: replay them."
    );
    assert_eq!(
        (&problems[0]["next"][1]["action"], &problems[1]["values"]["wouldTake"]),
        (&json!("replay"), &json!(false))
    );
    engine.get("DLQ");
    engine.pass(3);
    assert_eq!(engine.problems()[0]["values"]["count"], 1, "the queue was looked at again");
}

#[test]
fn a_stopped_command_server_is_told() {
    let engine = Engine::start();
    drop(engine.queue_manager.command_server().serving());
    assert_eq!(engine.only()["next"][0]["mqsc"][0], "START CMDSERV");
}

#[test]
fn a_program_that_connects_again_and_again_is_told_while_it_does() {
    let engine = Engine::start();
    assert!(engine.ids().is_empty());
    (0..40).for_each(|_| drop(engine.connect(server(), "hasty", "")));
    let problem = engine.only();
    assert_eq!((&problem["id"], &problem["values"]["perSecond"]), (&json!("connection-churn:hasty"), &json!(13)));
    engine.pass(3);
    assert!(engine.ids().is_empty());
}
