//! The command server, as a program sees it: requests put to the command queue, answers got from a reply queue.

use std::time::Duration;

use bytes::Bytes;
use command::Outcome;
use command::command_queue::serve;
use model::authority::Principal;
use model::descriptor::{Ccsid, Encoding, Expiry, Format, MessageDescriptor, MessageType, Persistence, Report};
use model::header::dead_letter::DeadLetterHeader;
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::pcf::{Coding, Header, Message, Parameter, ParameterValue, decode};
use model::reason::Reason;
use queue_manager::connection::{GetResult, ObjectHandle};
use queue_manager::{Connection, Home, QueueManager};

use crate::support::{administrator, connect, run_script, start, start_as, wait_for};

const COMMAND_QUEUE: &str = "SYSTEM.ADMIN.COMMAND.QUEUE";

/// Runs `test` beside a command server, and ends both.
fn with_server<T>(queue_manager: &QueueManager, test: impl AsyncFnOnce(Client) -> T) -> T {
    let queue_manager = queue_manager.clone();
    wait_for(async move {
        let serving = queue_manager.clone();
        let server = tokio::spawn(async move { serve(&serving, &administrator()).await });
        let result = test(Client::new(&queue_manager, &administrator()).await).await;
        queue_manager.stop().await;
        tokio::time::timeout(Duration::from_secs(300), server).await.expect("the server ends").unwrap();
        result
    })
}

/// A program with a dynamic reply queue.
struct Client {
    principal: Principal,
    connection: Connection,
    reply_queue: QueueName,
    reply: ObjectHandle,
}

impl Client {
    async fn new(queue_manager: &QueueManager, principal: &Principal) -> Self {
        let connection = connect(queue_manager, principal.clone(), "pcf client");
        let model = ObjectDescriptor {
            name: QueueName::literal("SYSTEM.MQEXPLORER.REPLY.MODEL"),
            dynamic_queue: "AMQ.MQEXPLORER.*".to_owned(),
            ..ObjectDescriptor::default()
        };
        let opened = connection.open(principal, &model, OpenOptions::INPUT_EXCLUSIVE).await.unwrap();
        Self { principal: principal.clone(), connection, reply_queue: opened.object_name, reply: opened.handle }
    }

    fn request(&self, coding: &Coding) -> MessageDescriptor {
        MessageDescriptor {
            message_type: MessageType::REQUEST,
            format: Format::ADMIN,
            encoding: coding.encoding,
            ccsid: coding.ccsid,
            persistence: Persistence::NonPersistent,
            reply_to_queue: self.reply_queue,
            ..MessageDescriptor::default()
        }
    }

    async fn put(&self, descriptor: MessageDescriptor, body: Vec<u8>) -> MessageDescriptor {
        let object = ObjectDescriptor { name: QueueName::literal(COMMAND_QUEUE), ..ObjectDescriptor::default() };
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        let put = self.connection.put1(&self.principal, &object, descriptor, &options, Bytes::from(body)).await;
        put.unwrap().message.descriptor
    }

    async fn get(&self, handle: ObjectHandle, correlation_id: Option<CorrelationId>) -> Box<GetResult> {
        let options = GetOptions {
            flags: GetFlags::WAIT | GetFlags::NO_SYNCPOINT,
            wait: Some(Duration::from_secs(300)),
            match_options: if correlation_id.is_some() { MatchOptions::CORREL_ID } else { MatchOptions::empty() },
            correlation_id: correlation_id.unwrap_or_default(),
            ..GetOptions::default()
        };
        self.connection.get(handle, &options).await.expect("an answer")
    }

    /// All answers to one request, decoded as their descriptors say.
    async fn answers(&self, correlation_id: CorrelationId) -> Vec<(MessageDescriptor, Message)> {
        let mut answers = Vec::new();
        loop {
            let answer = self.get(self.reply, Some(correlation_id)).await;
            let descriptor = &answer.descriptor;
            assert_eq!((descriptor.format, descriptor.message_type), (Format::ADMIN, MessageType::REPLY));
            let (message, length) = decode(&answer.body, descriptor.encoding, descriptor.ccsid).unwrap();
            assert_eq!(length, answer.body.len());
            let is_last = message.header.is_last;
            answers.push((descriptor.clone(), message));
            if is_last {
                return answers;
            }
        }
    }

    async fn ask(&self, coding: &Coding, message: &Message) -> Vec<(MessageDescriptor, Message)> {
        let sent = self.put(self.request(coding), coding.bytes(message)).await;
        self.answers(CorrelationId::from(sent.message_id)).await
    }
}

fn ping() -> Message {
    Message { header: Header::command(40), parameters: Vec::new() }
}

fn inquire(name: &str) -> Message {
    Message { header: Header::command(13), parameters: vec![Parameter::text(2016, name)] }
}

#[test]
fn a_request_in_any_coding_is_answered_in_it() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(S.A) DESCR('äöü')\nDEFINE QLOCAL(S.B)");
    with_server(&queue_manager, async |client| {
        let mut first = None;
        for encoding in [Encoding::BIG_ENDIAN, Encoding::LITTLE_ENDIAN, Encoding::Z_OS] {
            for ccsid in [1208, 37, 500, 1047, 819, 1200].map(Ccsid) {
                let coding = Coding::new(encoding, ccsid).unwrap();
                let answers = client.ask(&coding, &inquire("S.*")).await;
                assert!(
                    answers.iter().all(|(descriptor, _)| (descriptor.encoding, descriptor.ccsid) == (encoding, ccsid))
                );
                let messages: Vec<_> = answers.into_iter().map(|(_, message)| message).collect();
                assert_eq!(messages.len(), 2);
                assert_eq!(messages[0].parameter(2013).and_then(ParameterValue::as_text), Some("äöü"));
                assert_eq!(*first.get_or_insert_with(|| messages.clone()), messages);
            }
        }
    });
}

#[test]
fn answers_have_the_life_and_identifiers_their_request_asks_for() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(REPLY.Q)");
    with_server(&queue_manager, async |client| {
        let object = ObjectDescriptor { name: QueueName::literal("REPLY.Q"), ..ObjectDescriptor::default() };
        let reply = client.connection.open(&administrator(), &object, OpenOptions::INPUT_SHARED).await.unwrap().handle;
        let coding = Coding::native();
        let request = MessageDescriptor {
            persistence: Persistence::Persistent,
            priority: 7,
            expiry: Expiry(600_000),
            report: Report::PASS_MSG_ID | Report::PASS_CORREL_ID,
            correlation_id: CorrelationId::new([7; 24]),
            message_id: MessageId::new([9; 24]),
            reply_to_queue: QueueName::literal("REPLY.Q"),
            ..client.request(&coding)
        };
        client.put(request, coding.bytes(&ping())).await;
        let answer = client.get(reply, None).await.message.descriptor;
        assert_eq!((answer.message_id, answer.correlation_id), (MessageId::new([9; 24]), CorrelationId::new([7; 24])));
        assert_eq!((answer.persistence, answer.priority), (Persistence::Persistent, 7));
        assert!((1..=600_000).contains(&answer.expiry.0), "{:?}", answer.expiry);
        let request = MessageDescriptor { reply_to_queue: QueueName::literal("REPLY.Q"), ..client.request(&coding) };
        let sent = client.put(request, coding.bytes(&ping())).await;
        let answer = client.get(reply, None).await.message.descriptor;
        assert_eq!(answer.correlation_id, CorrelationId::from(sent.message_id));
        assert_ne!(answer.message_id, sent.message_id);
        assert_eq!((answer.persistence, answer.expiry), (Persistence::NonPersistent, Expiry::UNLIMITED));
    });
}

#[test]
fn what_is_no_request_is_answered_with_the_reason() {
    let queue_manager = start();
    with_server(&queue_manager, async |client| {
        let coding = Coding::native();
        let whole = coding.bytes(&inquire("X"));
        let check = async |descriptor: MessageDescriptor, body: Vec<u8>, reason: i32, command: i32| {
            let sent = client.put(descriptor, body).await;
            let answers = client.answers(CorrelationId::from(sent.message_id)).await;
            let [(_, answer)] = answers.as_slice() else { panic!("{answers:?}") };
            assert_eq!((answer.header.reason, answer.header.command), (reason, command));
            assert_eq!(answer.header.completion, if reason == 0 { 0 } else { 2 });
        };
        check(MessageDescriptor { format: Format::STRING, ..client.request(&coding) }, whole.clone(), 3023, 0).await;
        check(client.request(&coding), whole[..whole.len() - 4].to_vec(), 3016, 13).await;
        check(client.request(&coding), [whole.as_slice(), &[0; 4]].concat(), 3016, 13).await;
        check(client.request(&coding), Vec::new(), 3016, 0).await;
        // A CCSID nobody knows does not matter where there is no text.
        check(MessageDescriptor { ccsid: Ccsid(9999), ..client.request(&coding) }, coding.bytes(&ping()), 0, 40).await;
        // The server goes on.
        assert_eq!(client.ask(&coding, &ping()).await[0].1.header.reason, 0);
    });
}

#[test]
fn the_user_in_the_descriptor_is_whose_authority_counts() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(A.Q)\n\
         SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('alice') AUTHADD(CONNECT,INQ,DSP)\n\
         SET AUTHREC PROFILE(SYSTEM.ADMIN.COMMAND.QUEUE) OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(PUT)\n\
         SET AUTHREC PROFILE(SYSTEM.MQEXPLORER.REPLY.MODEL) OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(ALL)\n\
         SET AUTHREC PROFILE('AMQ.MQEXPLORER.*') OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(ALL)",
    );
    let manager = queue_manager.clone();
    with_server(&queue_manager, async |_| {
        let alice = Client::new(&manager, &Principal::user("alice")).await;
        let coding = Coding::native();
        let change = Message {
            header: Header::command(8),
            parameters: vec![Parameter::text(2016, "A.Q"), Parameter::integer(20, 1), Parameter::integer(15, 1)],
        };
        assert_eq!(alice.ask(&coding, &change).await[0].1.header.reason, 2035);
        assert_eq!(alice.ask(&coding, &ping()).await[0].1.header.reason, 0);
    });
    // Nor does an answer reach a queue that was not open to her before.
    let lines = run_script(&start(), "DISPLAY QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) CURDEPTH");
    assert!(lines.join("\n").contains("CURDEPTH(0)"));
}

/// Twelve characters, as long as MQMD has room for.
const TWELVE: &str = "alice.twelve";

#[test]
fn a_user_whose_name_begins_like_anothers_has_no_right_of_that_one() {
    let longer = format!("{TWELVE}.and.more");
    for server_user in ["server", TWELVE] {
        let queue_manager = start_as(server_user, Home::Ephemeral);
        let rights = |user: &str| {
            format!(
                "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{user}') AUTHADD(CONNECT,INQ,DSP)\n\
                 SET AUTHREC PROFILE(SYSTEM.ADMIN.COMMAND.QUEUE) OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(PUT)\n\
                 SET AUTHREC PROFILE(SYSTEM.MQEXPLORER.REPLY.MODEL) OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(ALL)\n\
                 SET AUTHREC PROFILE('AMQ.MQEXPLORER.*') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(ALL)\n"
            )
        };
        let script = "DEFINE QLOCAL(A.Q)\nDEFINE QLOCAL(B.Q)\n".to_owned() + &rights(TWELVE) + &rights(&longer);
        run_script(&queue_manager, &script);
        run_script(
            &queue_manager,
            &format!(
                "SET AUTHREC PROFILE(A.Q) OBJTYPE(QUEUE) PRINCIPAL('{TWELVE}') AUTHADD(CHG)\n\
                 SET AUTHREC PROFILE(B.Q) OBJTYPE(QUEUE) PRINCIPAL('{longer}') AUTHADD(CHG)"
            ),
        );
        let manager = queue_manager.clone();
        with_server(&queue_manager, async |_| {
            let coding = Coding::native();
            let change = |queue: &str| Message {
                header: Header::command(8),
                parameters: vec![Parameter::text(2016, queue), Parameter::integer(20, 1), Parameter::integer(15, 1)],
            };
            for (user, of_a, of_b) in [(TWELVE, 0, i32::from(server_user != TWELVE) * 2035), (&longer, 2035, 0)] {
                let client = Client::new(&manager, &Principal::user(user)).await;
                for (queue, reason) in [("A.Q", of_a), ("B.Q", of_b)] {
                    let answers = client.ask(&coding, &change(queue)).await;
                    assert_eq!(answers[0].1.header.reason, reason, "{user} {queue}, server of {server_user}");
                }
            }
        });
    }
}

#[test]
fn a_command_whose_context_was_set_to_a_name_that_does_not_fit_is_refused_and_its_answer_is_a_dead_letter() {
    let queue_manager = start_as(TWELVE, Home::Ephemeral);
    run_script(&queue_manager, "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)");
    let manager = queue_manager.clone();
    with_server(&queue_manager, async |server| {
        let user = Principal::administrator(&format!("{TWELVE}.{}", "x".repeat(40)));
        let client = Client::new(&manager, &user).await;
        // By its own context the message is that of the whole name.
        let answers = client.ask(&Coding::native(), &ping()).await;
        assert_eq!(answers[0].1.header.reason, 0);
        let (user_identifier, accounting_token) = model::identity_context::of_user(&user.user);
        let set = MessageDescriptor { user_identifier, accounting_token, ..client.request(&Coding::native()) };
        let object = ObjectDescriptor { name: QueueName::literal(COMMAND_QUEUE), ..ObjectDescriptor::default() };
        let options = PutOptions { flags: PutFlags::SET_IDENTITY_CONTEXT, ..PutOptions::default() };
        let body = Bytes::from(Coding::native().bytes(&ping()));
        client.connection.put1(&user, &object, set, &options, body).await.unwrap();
        let name = QueueName::literal("SYSTEM.DEAD.LETTER.QUEUE");
        let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
        let dead = server.connection.open(&administrator(), &object, OpenOptions::INPUT_SHARED).await.unwrap().handle;
        let message = server.get(dead, None).await;
        let header = DeadLetterHeader::decode(&message.body, message.descriptor.encoding).unwrap();
        assert_eq!(header.reason, Reason::NotAuthorized.number());
        let body = &message.body[DeadLetterHeader::LENGTH..];
        let (answer, _) = decode(body, header.encoding, header.ccsid).unwrap();
        assert_eq!(answer.header.reason, Reason::NotAuthorized.number());
    });
}

#[test]
fn an_answer_that_cannot_be_put_goes_to_the_dead_letter_queue() {
    let queue_manager = start();
    run_script(&queue_manager, "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)");
    with_server(&queue_manager, async |client| {
        let coding = Coding::native();
        let gone = QueueName::literal("GONE.Q");
        let request = MessageDescriptor { reply_to_queue: gone, ..client.request(&coding) };
        client.put(MessageDescriptor { report: Report::DISCARD_MSG, ..request.clone() }, coding.bytes(&ping())).await;
        let sent = client.put(request, coding.bytes(&inquire("NOTHING"))).await;
        let name = QueueName::literal("SYSTEM.DEAD.LETTER.QUEUE");
        let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
        let dead = client.connection.open(&administrator(), &object, OpenOptions::INPUT_SHARED).await.unwrap().handle;
        let message = client.get(dead, None).await;
        assert_eq!(message.descriptor.format, Format::DEAD_LETTER_HEADER);
        assert_eq!(message.descriptor.correlation_id, CorrelationId::from(sent.message_id));
        let header = DeadLetterHeader::decode(&message.body, message.descriptor.encoding).unwrap();
        assert_eq!((header.reason, header.format), (Reason::UnknownObjectName.number(), Format::ADMIN));
        assert_eq!(header.destination_queue.to_text(), "GONE.Q");
        let body = &message.body[DeadLetterHeader::LENGTH..];
        let (answer, _) = decode(body, header.encoding, header.ccsid).unwrap();
        assert_eq!((answer.header.command, answer.header.reason), (13, 2085));
    });
}

#[test]
fn it_stops_and_starts_by_command_and_keeps_what_comes_meanwhile() {
    let queue_manager = start();
    let manager = queue_manager.clone();
    with_server(&queue_manager, async |client| {
        let coding = Coding::native();
        assert_eq!(client.ask(&coding, &ping()).await[0].1.header.reason, 0);
        assert!(manager.command_server().is_running());
        // The request that stops it is answered.
        let stop = Message { header: Header::command(143), parameters: Vec::new() };
        assert_eq!(client.ask(&coding, &stop).await[0].1.header.reason, 0);
        while manager.command_server().is_running() {
            tokio::task::yield_now().await;
        }
        let sent = client.put(client.request(&coding), coding.bytes(&ping())).await;
        tokio::task::yield_now().await;
        let depth = manager.queue_status(&QueueName::literal(COMMAND_QUEUE)).unwrap().depth.current;
        assert_eq!(depth, 1);
        assert_eq!(command::run(&manager, &administrator(), "START CMDSERV").await.outcome, Outcome::Succeeded);
        assert_eq!(client.answers(CorrelationId::from(sent.message_id)).await[0].1.header.reason, 0);
        let shown = command::run(&manager, &administrator(), "DISPLAY QMSTATUS CMDSERV").await;
        assert!(shown.lines.join("\n").contains("CMDSERV(RUNNING)"), "{shown:?}");
    });
    assert!(!queue_manager.command_server().is_running());
}

#[test]
fn a_datagram_is_run_without_an_answer_and_reports_are_dead_letters() {
    let queue_manager = start();
    run_script(&queue_manager, "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)");
    let manager = queue_manager.clone();
    with_server(&queue_manager, async |client| {
        let coding = Coding::native();
        let create = Message {
            header: Header::command(11),
            parameters: vec![Parameter::text(2016, "BY.DATAGRAM"), Parameter::integer(20, 1)],
        };
        let datagram = MessageDescriptor { message_type: MessageType::DATAGRAM, ..client.request(&coding) };
        client.put(datagram, coding.bytes(&create)).await;
        let report = MessageDescriptor { message_type: MessageType::REPORT, ..client.request(&coding) };
        client.put(report, b"anything".to_vec()).await;
        assert_eq!(client.ask(&coding, &ping()).await.len(), 1);
        assert!(manager.queue(&QueueName::literal("BY.DATAGRAM")).is_some());
        let depth = |name| manager.queue_status(&QueueName::literal(name)).unwrap().depth.current;
        assert_eq!((depth("SYSTEM.DEAD.LETTER.QUEUE"), depth(COMMAND_QUEUE)), (1, 0));
    });
}

#[test]
fn a_command_server_that_is_switched_off_waits_to_be_told() {
    let queue_manager = start();
    assert_eq!(queue_manager.switch_command_server(&administrator(), false), Ok(true));
    wait_for(async {
        let serving = queue_manager.clone();
        let server = tokio::spawn(async move { serve(&serving, &administrator()).await });
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert!(!queue_manager.command_server().is_running());
        queue_manager.stop().await;
        tokio::time::timeout(Duration::from_secs(300), server).await.expect("the server ends").unwrap();
    });
}

#[test]
fn events_name_the_user_who_sent_the_command_and_not_whose_name_begins_alike() {
    let queue_manager = start_as("administrato", Home::Ephemeral);
    run_script(
        &queue_manager,
        "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('administrator-of-queues') AUTHADD(ALLADM,ALLMQI,CRT)
         SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('administrator-of-queues') AUTHADD(CONNECT,INQ,DSP)
         ALTER QMGR CMDEV(ENABLED) CONFIGEV(ENABLED) AUTHOREV(ENABLED)",
    );
    let running = queue_manager.clone();
    let users = with_server(&queue_manager, async |administrator| {
        let client = Client::new(&running, &Principal::user("administrator-of-queues")).await;
        users_of_events(&administrator).await;
        let define = Message {
            header: Header::command(11),
            parameters: vec![Parameter::text(2016, "BY.PCF"), Parameter::integer(20, 1)],
        };
        let escape = |script: &str| Message {
            header: Header::command(38),
            parameters: vec![Parameter::integer(1017, 1), Parameter::text(3014, script)],
        };
        client.ask(&Coding::native(), &define).await;
        client.ask(&Coding::native(), &escape("DEFINE QLOCAL(BY.MQSC)")).await;
        client.ask(&Coding::native(), &escape("ALTER QMGR DESCR('mine')")).await;
        users_of_events(&administrator).await
    });
    let expected = |queue: &'static str| (queue, Some("administrator-of-queues".to_owned()));
    // Two commands that succeed, each of which makes a queue, and one that is refused.
    let (command, configuration) = ("SYSTEM.ADMIN.COMMAND.EVENT", "SYSTEM.ADMIN.CONFIG.EVENT");
    let expected = [command, command, configuration, configuration, "SYSTEM.ADMIN.QMGR.EVENT"].map(expected);
    assert_eq!(users, expected);
}

/// Takes all events: the queue and the user that each names.
async fn users_of_events(client: &Client) -> Vec<(&'static str, Option<String>)> {
    let mut users = Vec::new();
    for queue in ["SYSTEM.ADMIN.COMMAND.EVENT", "SYSTEM.ADMIN.CONFIG.EVENT", "SYSTEM.ADMIN.QMGR.EVENT"] {
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        let opened = client.connection.open(&client.principal, &object, OpenOptions::INPUT_SHARED).await.unwrap();
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        while let Ok(got) = client.connection.get(opened.handle, &options).await {
            let (event, _) = decode(&got.body, got.descriptor.encoding, got.descriptor.ccsid).unwrap();
            users.push((queue, user_of_event(&event.parameters)));
        }
        client.connection.close(opened.handle, model::options::CloseOptions::empty()).await.unwrap();
    }
    users
}

/// EventUserId of command and configuration events, UserIdentifier of others.
fn user_of_event(parameters: &[Parameter]) -> Option<String> {
    parameters.iter().find_map(|parameter| match &parameter.value {
        ParameterValue::Text(user) if [3045, 3025].contains(&parameter.id) => Some(user.clone()),
        ParameterValue::Group(members) => user_of_event(members),
        _ => None,
    })
}
