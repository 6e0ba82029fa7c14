//! Commands and the events they make: what was changed, by whom, with which words.

use bytes::Bytes;
use command::{Outcome, run_issued};
use model::authority::Principal;
use model::descriptor::MessageDescriptor;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::pcf::{self, Header, Parameter, ParameterValue};
use queue_manager::QueueManager;
use queue_manager::event::command::{Issuer, Origin};

use crate::support::{administrator, connect, run_script, start, wait_for};

/// Takes what is on an event queue.
fn take_bodies(queue_manager: &QueueManager, queue: &str) -> Vec<(MessageDescriptor, Bytes)> {
    wait_for(async {
        let connection = connect(queue_manager, administrator(), "test");
        let object = ObjectDescriptor { name: model::name::ObjectName::literal(queue), ..Default::default() };
        let opened = connection.open(&administrator(), &object, OpenOptions::INPUT_SHARED).await.unwrap();
        let get = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        let mut bodies = Vec::new();
        while let Ok(got) = connection.get(opened.handle, &get).await {
            bodies.push((got.message.descriptor, got.message.body));
        }
        bodies
    })
}

/// Takes what is on an event queue: the reason, and what `show` makes of the rest.
fn take(queue_manager: &QueueManager, queue: &str, show: impl Fn(&pcf::Message) -> String) -> Vec<String> {
    let line = |(descriptor, body): (MessageDescriptor, Bytes)| {
        let (message, _) = pcf::decode(&body, descriptor.encoding, descriptor.ccsid).unwrap();
        format!("{} {}", message.header.reason, show(&message))
    };
    take_bodies(queue_manager, queue).into_iter().map(line).collect()
}

fn text(message: &pcf::Message, id: i32) -> String {
    match message.parameter(id) {
        Some(ParameterValue::Text(text)) => text.trim_end().to_owned(),
        Some(ParameterValue::Integer(number)) => number.to_string(),
        Some(ParameterValue::Integers(numbers)) => format!("{numbers:?}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn configuration_events_tell_what_each_command_changed() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "ALTER QMGR CONFIGEV(ENABLED)
         DEFINE QLOCAL(Q) MAXDEPTH(10)
         ALTER QLOCAL(Q) MAXDEPTH(20)
         DISPLAY QLOCAL(Q)
         DEFINE TOPIC(T) TOPICSTR('t')
         SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('x') AUTHADD(PUT)
         SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('x') AUTHADD(GET)
         DELETE AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('x')
         DELETE TOPIC(T)
         DELETE QLOCAL(Q)
         DEFINE SUB(S) TOPICSTR('s') DEST(SYSTEM.DEAD.LETTER.QUEUE)
         ALTER QLOCAL(SYSTEM.ADMIN.CONFIG.EVENT) DESCR('x')
         ALTER QMGR CONFIGEV(DISABLED)
         DEFINE QLOCAL(R)",
    );
    // Origin, type of object, and what tells them apart.
    let shown = take(&queue_manager, "SYSTEM.ADMIN.CONFIG.EVENT", |message| {
        let special: Vec<_> = match text(message, 1016).as_str() {
            "1" => vec![text(message, 2016), text(message, 15)],
            "8" => vec![text(message, 2092)],
            "1022" => vec![text(message, 3067), text(message, 3068), text(message, 1115)],
            _ => vec![text(message, 2015)],
        };
        format!("{} {} {} {}", text(message, 3045), text(message, 1011), text(message, 1016), special.join(" "))
    });
    assert_eq!(
        shown,
        [
            "2368 server 1 5 QM1",
            "2368 server 1 5 QM1",
            "2367 server 1 1 Q 10",
            "2368 server 1 1 Q 10",
            "2368 server 1 1 Q 20",
            "2367 server 1 8 T",
            "2367 server 1 1022 Q x [11]",
            "2368 server 1 1022 Q x [11]",
            "2368 server 1 1022 Q x [9, 11]",
            "2369 server 1 1022 Q x [9, 11]",
            "2369 server 1 8 T",
            "2369 server 1 1 Q 20",
            "2368 server 1 5 QM1",
            "2368 server 1 5 QM1",
        ]
    );
}

#[test]
fn a_refresh_tells_of_the_objects_it_names() {
    let queue_manager = start();
    let refused = crate::support::try_script(&queue_manager, &administrator(), "REFRESH QMGR TYPE(CONFIGEV)");
    assert_eq!(refused.1, [Outcome::Failed], "switched off");
    run_script(
        &queue_manager,
        "ALTER QMGR CONFIGEV(ENABLED)
         DEFINE QLOCAL(Q.1)
         DEFINE QALIAS(Q.2) TARGET(Q.1)
         DEFINE TOPIC(Q.3) TOPICSTR('t')",
    );
    let name = |message: &pcf::Message| match text(message, 1016).as_str() {
        "8" => text(message, 2092),
        _ => text(message, 2016),
    };
    take(&queue_manager, "SYSTEM.ADMIN.CONFIG.EVENT", name);
    for (options, expected) in [
        ("NAME('Q.*')", vec!["2370 Q.1", "2370 Q.2", "2370 Q.3"]),
        ("OBJECT(QUEUE) NAME('Q.*')", vec!["2370 Q.1", "2370 Q.2"]),
        ("OBJECT(QALIAS) NAME('Q*')", vec!["2370 Q.2"]),
        ("OBJECT(TOPIC) NAME(Q.3) INCLINT(60)", vec!["2370 Q.3"]),
    ] {
        run_script(&queue_manager, &format!("REFRESH QMGR TYPE(CONFIGEV) {options}"));
        assert_eq!(take(&queue_manager, "SYSTEM.ADMIN.CONFIG.EVENT", name), expected, "{options}");
    }
}

#[test]
fn command_events_tell_of_commands_that_succeeded_and_authority_events_of_those_that_may_not() {
    let queue_manager = start();
    run_script(&queue_manager, "ALTER QMGR CMDEV(NODISPLAY) AUTHOREV(ENABLED)");
    let run = |principal: &Principal, origin, text: &str| {
        let issuer = Issuer::new(principal, origin);
        wait_for(run_issued(&queue_manager, &issuer, text)).outcome
    };
    let (server, app) = (administrator(), Principal::user("app"));
    assert_eq!(run(&server, Origin::Console, "DEFINE QLOCAL(Q)"), Outcome::Succeeded);
    assert_eq!(run(&server, Origin::Console, "DEFINE QLOCAL(Q)"), Outcome::Failed);
    assert_eq!(run(&server, Origin::Console, "DISPLAY QLOCAL(Q)"), Outcome::Succeeded);
    assert_eq!(run(&server, Origin::Rest, "DELETE QLOCAL(Q)"), Outcome::Succeeded);
    assert_eq!(run(&app, Origin::Rest, "DEFINE QLOCAL(Q)"), Outcome::Failed);
    let shown = take(&queue_manager, "SYSTEM.ADMIN.COMMAND.EVENT", |message| {
        let group = |id| match message.parameter(id) {
            Some(ParameterValue::Group(members)) => {
                pcf::Message { header: message.header, parameters: members.clone() }
            }
            other => panic!("{other:?}"),
        };
        let (context, data) = (group(8001), group(8002));
        format!("{} {} {} {}", text(&context, 3045), text(&context, 1011), text(&context, 1021), text(&data, 3075))
    });
    // The command that switched events on is told of, too.
    assert_eq!(
        shown,
        [
            "2412 server 1 1 ALTER QMGR CMDEV(NODISPLAY) AUTHOREV(ENABLED)",
            "2412 server 1 11 DEFINE QLOCAL(Q)",
            "2412 server 8 12 DELETE QLOCAL(Q)",
        ]
    );
    let refused = take(&queue_manager, "SYSTEM.ADMIN.QMGR.EVENT", |message| {
        format!("{} {} {}", text(message, 1020), text(message, 1021), text(message, 3025))
    });
    assert_eq!(refused, ["2035 4 11 app"]);
}

#[test]
fn no_event_holds_a_password() {
    let queue_manager = start();
    let administrator = administrator();
    run_script(
        &queue_manager,
        "ALTER QMGR CMDEV(ENABLED) CONFIGEV(ENABLED)
         DEFINE CHANNEL(R) CHLTYPE(RQSTR) CONNAME('h') PASSWORD,('secret')
         ALTER CHANNEL(R) CHLTYPE(RQSTR) PASSWORD('secret')",
    );
    let name = |id, name: &str| Parameter::text(id, name);
    let secret = |id| Parameter::text(id, "secret");
    for (command, parameters) in [
        (21, vec![name(3501, "R"), Parameter::integer(1511, 4), secret(3518)]),
        (23, vec![name(3501, "S"), Parameter::integer(1511, 4), name(3506, "h"), secret(3518)]),
        (81, vec![name(2045, "AI"), Parameter::integer(66, 1), name(2053, "h"), secret(2048)]),
        (79, vec![name(2045, "AI"), Parameter::integer(66, 1), secret(2048)]),
        (1, vec![secret(2051)]),
    ] {
        let request = pcf::Message { header: Header::command(command), parameters };
        let issuer = Issuer::new(&administrator, Origin::Message);
        let answers = wait_for(command::pcf::run(&queue_manager, &issuer, &request));
        assert!(answers.iter().all(|answer| answer.header.reason == 0), "{command}: {answers:?}");
    }
    for (queue, count) in [("SYSTEM.ADMIN.COMMAND.EVENT", 8), ("SYSTEM.ADMIN.CONFIG.EVENT", 13)] {
        let bodies = take_bodies(&queue_manager, queue);
        assert_eq!(bodies.len(), count, "{queue}");
        for (_, body) in bodies {
            assert!(!body.windows(6).any(|bytes| bytes == b"secret"), "{queue}: {}", String::from_utf8_lossy(&body));
        }
    }
}

#[test]
fn what_else_can_be_refreshed_is_refused_by_name() {
    let queue_manager = start();
    let (lines, _) = crate::support::try_script(&queue_manager, &administrator(), "REFRESH QMGR TYPE(PROXYSUB)");
    assert!(lines[0].starts_with("AMQ8404E: REFRESH QMGR TYPE(PROXYSUB)"), "{lines:?}");
}
