//! Which authority each command asks for: with all others but that one it is refused, with that one alone it works.

use command::{Outcome, run};
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use queue_manager::QueueManager;

use crate::support::{administrator, run_script, start, try_script, wait_for};

/// What is there before each command.
const OBJECTS: &str = "
DEFINE QLOCAL(Q)
DEFINE QALIAS(A) TARGET(Q)
DEFINE QREMOTE(R) RNAME(X) RQMNAME(Y)
DEFINE QMODEL(M)
DEFINE TOPIC(T) TOPICSTR('t')
DEFINE SUB(S) TOPICSTR('t') DEST(Q)
ALTER QMGR CONFIGEV(ENABLED)
DEFINE CHANNEL(C) CHLTYPE(SVRCONN)
DEFINE CHANNEL(CC) CHLTYPE(CLNTCONN) CONNAME('h')
DEFINE LISTENER(L) TRPTYPE(TCP)
DEFINE PROCESS(P)
DEFINE NAMELIST(NL)
DEFINE AUTHINFO(AI) AUTHTYPE(IDPWOS)
DEFINE SERVICE(SV)
DEFINE COMMINFO(CI) TYPE(MULTICAST)
SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('others') AUTHADD(GET)
";

/// A command, the type of object it asks about, and the authority it asks for.
const QUEUE: AuthorityObject = AuthorityObject::Queue;
const TOPIC: AuthorityObject = AuthorityObject::Topic;
const QUEUE_MANAGER: AuthorityObject = AuthorityObject::QueueManager;
const CHANGE: Authority = Authority::CHANGE;
const DISPLAY: Authority = Authority::DISPLAY;
const COMMANDS: &[(&str, AuthorityObject, Authority)] = &[
    ("DEFINE QLOCAL(N)", QUEUE, Authority::CREATE),
    ("DEFINE QALIAS(N) TARGET(Q)", QUEUE, Authority::CREATE),
    ("DEFINE QREMOTE(N) RNAME(X) RQMNAME(Y)", QUEUE, Authority::CREATE),
    ("DEFINE QMODEL(N)", QUEUE, Authority::CREATE),
    ("DEFINE QLOCAL(N) REPLACE", QUEUE, Authority::CREATE),
    ("DEFINE QLOCAL(Q) REPLACE", QUEUE, CHANGE),
    ("ALTER QLOCAL(Q) MAXDEPTH(7)", QUEUE, CHANGE),
    ("ALTER QALIAS(A) DESCR('x')", QUEUE, CHANGE),
    ("DELETE QLOCAL(Q)", QUEUE, Authority::DELETE),
    ("DELETE QREMOTE(R)", QUEUE, Authority::DELETE),
    ("CLEAR QLOCAL(Q)", QUEUE, Authority::CLEAR),
    ("DISPLAY QLOCAL(Q)", QUEUE, DISPLAY),
    ("DISPLAY QUEUE(A) ALL", QUEUE, DISPLAY),
    ("DISPLAY QSTATUS(Q)", QUEUE, DISPLAY),
    ("DEFINE TOPIC(N) TOPICSTR('n')", TOPIC, Authority::CREATE),
    ("DEFINE TOPIC(T) TOPICSTR('t') REPLACE", TOPIC, CHANGE),
    ("ALTER TOPIC(T) DESCR('x')", TOPIC, CHANGE),
    ("DELETE TOPIC(T)", TOPIC, Authority::DELETE),
    ("DISPLAY TOPIC(T)", TOPIC, DISPLAY),
    ("DEFINE SUB(N) TOPICSTR('n') DEST(Q)", QUEUE_MANAGER, CHANGE),
    ("ALTER SUB(S) USERDATA('x')", QUEUE_MANAGER, CHANGE),
    ("DELETE SUB(S)", QUEUE_MANAGER, CHANGE),
    ("DISPLAY SUB(S)", QUEUE_MANAGER, DISPLAY),
    ("DISPLAY SBSTATUS(S)", QUEUE_MANAGER, DISPLAY),
    ("ALTER QMGR DESCR('x')", QUEUE_MANAGER, CHANGE),
    ("DISPLAY QMGR", QUEUE_MANAGER, DISPLAY),
    ("DISPLAY QMSTATUS", QUEUE_MANAGER, DISPLAY),
    ("PING QMGR", QUEUE_MANAGER, DISPLAY),
    ("REFRESH SECURITY", QUEUE_MANAGER, CHANGE),
    ("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('x') AUTHADD(PUT)", QUEUE_MANAGER, CHANGE),
    ("DELETE AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('others')", QUEUE_MANAGER, CHANGE),
    ("DISPLAY AUTHREC PROFILE(Q)", QUEUE_MANAGER, DISPLAY),
    ("DISPLAY ENTAUTH PRINCIPAL('app') OBJTYPE(QMGR)", QUEUE_MANAGER, DISPLAY),
    ("DISPLAY AUTHSERV", QUEUE_MANAGER, DISPLAY),
    ("REFRESH QMGR TYPE(CONFIGEV)", QUEUE_MANAGER, CHANGE),
    ("RESET QSTATS(Q)", QUEUE, CHANGE.union(DISPLAY)),
    ("CLEAR TOPICSTR('t') CLRTYPE(RETAINED)", TOPIC, Authority::CLEAR),
    ("DISPLAY TPSTATUS('t')", QUEUE_MANAGER, DISPLAY),
    ("DISPLAY PUBSUB", QUEUE_MANAGER, DISPLAY),
    ("DISPLAY CMDSERV", QUEUE_MANAGER, DISPLAY),
    ("STOP CMDSERV", QUEUE_MANAGER, Authority::CONTROL),
    ("DISPLAY SYSTEM", QUEUE_MANAGER, DISPLAY),
    ("SET CHLAUTH('C') TYPE(BLOCKUSER) USERLIST('x')", QUEUE_MANAGER, CHANGE),
    ("DISPLAY CHLAUTH('*')", QUEUE_MANAGER, DISPLAY),
];

/// Objects that are made, altered, shown and deleted alike: keyword, one that is there, what DEFINE has to say beside it.
const ALIKE: &[(&str, &str, &str, AuthorityObject)] = &[
    ("CHANNEL", "C", "CHLTYPE(SVRCONN)", AuthorityObject::Channel),
    ("CHANNEL", "CC", "CHLTYPE(CLNTCONN) CONNAME('h')", AuthorityObject::ClientChannel),
    ("LISTENER", "L", "TRPTYPE(TCP)", AuthorityObject::Listener),
    ("PROCESS", "P", "", AuthorityObject::Process),
    ("NAMELIST", "NL", "", AuthorityObject::NameList),
    ("AUTHINFO", "AI", "AUTHTYPE(IDPWOS)", AuthorityObject::AuthenticationInformation),
    ("SERVICE", "SV", "", AuthorityObject::Service),
    ("COMMINFO", "CI", "TYPE(MULTICAST)", AuthorityObject::CommunicationInformation),
];

/// Commands that do more than authority can tell here: with theirs alone they are at least not refused for want of it.
const CHANNEL: AuthorityObject = AuthorityObject::Channel;
const CONTROL: Authority = Authority::CONTROL;
const ACTIONS: &[(&str, AuthorityObject, Authority)] = &[
    ("START CHANNEL(SYSTEM.DEF.SVRCONN)", CHANNEL, CONTROL),
    ("STOP CHANNEL(SYSTEM.DEF.SVRCONN)", CHANNEL, CONTROL),
    ("PING CHANNEL(SYSTEM.DEF.SENDER)", CHANNEL, CONTROL),
    ("RESET CHANNEL(SYSTEM.DEF.SENDER)", CHANNEL, Authority::CONTROL_EXTENDED),
    ("RESOLVE CHANNEL(SYSTEM.DEF.SENDER) ACTION(COMMIT)", CHANNEL, Authority::CONTROL_EXTENDED),
    ("START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)", AuthorityObject::Listener, CONTROL),
    ("STOP LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)", AuthorityObject::Listener, CONTROL),
    ("START SERVICE(SYSTEM.DEFAULT.SERVICE)", AuthorityObject::Service, CONTROL),
    ("STOP SERVICE(SYSTEM.DEFAULT.SERVICE)", AuthorityObject::Service, CONTROL),
    ("STOP CONN(0123456789ABCDEF)", QUEUE_MANAGER, CONTROL),
    ("START TRACE(ACCTG) CLASS(3)", QUEUE_MANAGER, CONTROL),
    ("RESET QMGR TYPE(STATISTICS)", QUEUE_MANAGER, CHANGE),
];

fn app() -> Principal {
    Principal::user("app")
}

/// Gives `app` `authorities` on the objects of one type, whatever their names.
async fn allow(queue_manager: &QueueManager, object: AuthorityObject, authorities: Authority) {
    let entity = Entity::Principal("app".to_owned());
    for profile in ["QM1", "**", AuthorityRecord::CLASS] {
        let record = AuthorityRecord { profile: profile.to_owned(), object, entity: entity.clone(), authorities };
        queue_manager.set_authority(&administrator(), record).await.unwrap();
    }
}

/// How a command ends for `app`: done, or the first line.
fn outcome(command: &str, grants: impl Fn(AuthorityObject) -> Authority) -> Result<(), String> {
    let queue_manager = start();
    run_script(&queue_manager, OBJECTS);
    wait_for(async {
        for object in AuthorityObject::ALL {
            allow(&queue_manager, object, grants(object)).await;
        }
        let answer = run(&queue_manager, &app(), command).await;
        match answer.outcome {
            Outcome::Succeeded => Ok(()),
            Outcome::SyntaxError | Outcome::Failed => Err(answer.lines.first().cloned().unwrap_or_default()),
        }
    })
}

#[test]
fn each_command_is_refused_without_its_authority_and_works_with_it_alone() {
    let alike = ALIKE.iter().flat_map(|(keyword, name, told, object)| {
        let table = if *object == AuthorityObject::ClientChannel { " CHLTABLE(CLNTTBL)" } else { "" };
        [
            (format!("DEFINE {keyword}(N) {told}"), *object, Authority::CREATE),
            (format!("DEFINE {keyword}({name}) {told} REPLACE"), *object, CHANGE),
            (format!("ALTER {keyword}({name}) {told} DESCR('x')"), *object, CHANGE),
            (format!("DELETE {keyword}({name}){table}"), *object, Authority::DELETE),
            (format!("DISPLAY {keyword}({name})"), *object, DISPLAY),
        ]
    });
    let commands = COMMANDS.iter().map(|(command, object, wanted)| ((*command).to_owned(), *object, *wanted));
    for (command, object, wanted) in commands.chain(alike) {
        let (command, object, wanted) = (command.as_str(), &object, &wanted);
        let all_but = |other| if other == *object { Authority::all() - *wanted } else { Authority::all() };
        let refused = outcome(command, all_but).expect_err(command);
        let words = wanted.list();
        assert!(refused.starts_with("AMQ8135E") && refused.contains(&words), "{command}: {refused}");
        // DEFINE reads the object it takes its defaults from.
        let defines = command.starts_with("DEFINE") && *object != QUEUE_MANAGER;
        let beside = if defines { Authority::DISPLAY } else { Authority::empty() };
        let only = |other| if other == *object { *wanted | beside } else { Authority::empty() };
        assert_eq!(outcome(command, only), Ok(()), "{command}");
    }
}

#[test]
fn each_action_is_refused_without_its_authority_and_not_with_it_alone() {
    for (command, object, wanted) in ACTIONS {
        let all_but = |other| if other == *object { Authority::all() - *wanted } else { Authority::all() };
        let refused = outcome(command, all_but).expect_err(command);
        assert!(refused.starts_with("AMQ8135E") && refused.contains(&wanted.list()), "{command}: {refused}");
        let only = |other| if other == *object { *wanted } else { Authority::empty() };
        let tried = outcome(command, only);
        assert!(
            !matches!(&tried, Err(line) if line.starts_with("AMQ8135E") || line.starts_with("AMQ8405I")),
            "{command}: {tried:?}"
        );
    }
}

#[test]
fn a_definition_asks_to_see_what_it_is_made_from() {
    let create = |object| if object == QUEUE { Authority::CREATE } else { Authority::empty() };
    for command in ["DEFINE QLOCAL(N)", "DEFINE QLOCAL(N) LIKE(Q)"] {
        let refused = outcome(command, create).unwrap_err();
        assert!(refused.starts_with("AMQ8135E") && refused.contains("DSP"), "{refused}");
    }
}

#[test]
fn a_generic_display_leaves_out_what_may_not_be_seen() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(A.1)\nDEFINE QLOCAL(A.2)");
    run_script(&queue_manager, "SET AUTHREC PROFILE(A.1) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(DSP)");
    let (lines, outcomes) = try_script(&queue_manager, &app(), "DISPLAY QUEUE(A.*)");
    assert_eq!(outcomes, [Outcome::Succeeded]);
    let lines = lines.join(" ");
    assert!(lines.contains("QUEUE(A.1)") && !lines.contains("A.2"), "{lines}");
    let (lines, outcomes) = try_script(&queue_manager, &app(), "DISPLAY QUEUE(A.2)");
    assert_eq!(outcomes, [Outcome::Failed]);
    assert!(lines[0].starts_with("AMQ8135E"), "{lines:?}");
}

#[test]
fn records_are_found_by_object_by_profile_and_exactly() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(A.B)
         SET AUTHREC PROFILE(A.B) OBJTYPE(QUEUE) PRINCIPAL('x','y') GROUP('g') AUTHADD(PUT,GET)
         SET AUTHREC PROFILE('A.*') OBJTYPE(QUEUE) PRINCIPAL('x') AUTHADD(NONE)
         SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) GROUP('g') AUTHADD(ALL)
         SET AUTHREC PROFILE('**') OBJTYPE(TOPIC) GROUP('g') AUTHADD(ALLADM)
         SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT)
         SET AUTHREC PROFILE(A.B) OBJTYPE(QUEUE) PRINCIPAL('y') AUTHRMV(PUT)",
    );
    let profiles = |command: &str| {
        let (lines, _) = try_script(&queue_manager, &administrator(), command);
        let words: Vec<_> = lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect();
        let of = |keyword: &str| -> Vec<String> {
            words.iter().filter_map(|word| word.strip_prefix(keyword)?.strip_suffix(')').map(str::to_owned)).collect()
        };
        (of("PROFILE(").join(" "), of("AUTHLIST(").join(" "))
    };
    let found = |command: &str| profiles(command).0;
    assert_eq!(found("DISPLAY AUTHREC PROFILE(A.B)"), "** A.* A.B A.B A.B **");
    assert_eq!(found("DISPLAY AUTHREC PROFILE(A.B) OBJTYPE(QUEUE) MATCH(EXACT)"), "A.B A.B A.B");
    assert_eq!(found("DISPLAY AUTHREC PROFILE('A.*')"), "A.*");
    assert_eq!(found("DISPLAY AUTHREC PROFILE(A.B) OBJTYPE(QUEUE) PRINCIPAL('x')"), "A.* A.B");
    assert_eq!(found("DISPLAY AUTHREC PROFILE(SELF) OBJTYPE(QMGR)"), "QM1");
    assert_eq!(found("DISPLAY AUTHREC PROFILE(*) OBJTYPE(QUEUE) GROUP('g')"), "** A.B");
    assert_eq!(profiles("DISPLAY AUTHREC PROFILE('A.*')").1, "NONE");
    assert_eq!(profiles("DISPLAY AUTHREC PROFILE(A.B) MATCH(EXACT) PRINCIPAL('y')").1, "GET");
    // A record that grants nothing counts, and DELETE AUTHREC is what removes one.
    let of_x = "DISPLAY ENTAUTH PRINCIPAL('x') OBJTYPE(QUEUE) OBJNAME(A.B)";
    assert_eq!(profiles(of_x).1, "GET,PUT");
    run_script(&queue_manager, "DELETE AUTHREC PROFILE(A.B) OBJTYPE(QUEUE) PRINCIPAL('x')");
    assert_eq!(profiles(of_x).1, "NONE");
    assert_eq!(found("DISPLAY AUTHREC PROFILE(A.B) OBJTYPE(QUEUE) PRINCIPAL('x')"), "A.*");
}

#[test]
fn deleting_an_object_takes_its_records_unless_told_otherwise() {
    let queue_manager = start();
    let records = || queue_manager.authority_records().iter().filter(|record| record.profile == "Q").count();
    for (option, left) in [("AUTHREC(NO)", 1), ("", 0)] {
        run_script(
            &queue_manager,
            &format!(
                "DEFINE QLOCAL(Q)
                 SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('x') AUTHADD(PUT)
                 DELETE QLOCAL(Q) {option}"
            ),
        );
        assert_eq!(records(), left, "{option}");
    }
}

#[test]
fn a_record_names_an_object_that_is_there() {
    let queue_manager = start();
    let set = |profile: &str| {
        let command = format!("SET AUTHREC PROFILE({profile}) OBJTYPE(QUEUE) PRINCIPAL('x') AUTHADD(PUT)");
        try_script(&queue_manager, &administrator(), &command).1
    };
    assert_eq!(set("NONE"), [Outcome::Failed]);
    for profile in ["'N*'", "'@class'", "SYSTEM.NOT.HERE", "SYSTEM.DEAD.LETTER.QUEUE"] {
        assert_eq!(set(profile), [Outcome::Succeeded], "{profile}");
    }
}

/// How SET AUTHREC ends for a user who may put and browse, and what the user may do then.
fn changed(queue_manager: &QueueManager, object: AuthorityObject, lists: &str) -> (Outcome, Authority) {
    let entity = Entity::Principal("x".to_owned());
    let profile = "**".to_owned();
    let authorities = Authority::PUT | Authority::BROWSE;
    let record = AuthorityRecord { profile, object, entity: entity.clone(), authorities };
    wait_for(queue_manager.set_authority(&administrator(), record)).unwrap();
    let command = format!("SET AUTHREC PROFILE('**') OBJTYPE({}) PRINCIPAL('x') {lists}", object.mqsc());
    let outcome = try_script(queue_manager, &administrator(), &command).1[0];
    (outcome, queue_manager.authority_record(object, "**", &entity).unwrap().authorities)
}

#[test]
fn a_single_word_counts_over_one_that_stands_for_many() {
    let queue_manager = start();
    let all = QUEUE.all_authorities();
    let administration = QUEUE.administration_authorities();
    for (lists, expected) in [
        ("AUTHADD(ALL) AUTHRMV(PUT)", all - Authority::PUT),
        ("AUTHRMV(PUT,GET) AUTHADD(ALLMQI)", QUEUE.mqi_authorities() - Authority::PUT - Authority::GET),
        ("AUTHADD(GET) AUTHRMV(ALL)", Authority::GET),
        (
            "AUTHADD(ALLADM,GET) AUTHRMV(DLT,PUT)",
            (administration - Authority::DELETE) | Authority::GET | Authority::BROWSE,
        ),
        ("AUTHADD(ALL) AUTHRMV(ALLADM)", QUEUE.mqi_authorities()),
        ("AUTHADD(GET) AUTHRMV(PUT)", Authority::GET | Authority::BROWSE),
        ("AUTHADD(NONE) AUTHRMV(ALL)", Authority::empty()),
    ] {
        assert_eq!(changed(&queue_manager, QUEUE, lists), (Outcome::Succeeded, expected), "{lists}");
    }
    let before = Authority::PUT | Authority::BROWSE;
    for lists in ["AUTHADD(PUT) AUTHRMV(PUT)", "AUTHADD(GET,INQ) AUTHRMV(PUT,GET)", "AUTHADD(ALL) AUTHRMV(ALL)"] {
        assert_eq!(changed(&queue_manager, QUEUE, lists), (Outcome::Failed, before), "{lists}");
    }
    // ALLMQI stands for one authority there.
    let object = AuthorityObject::AuthenticationInformation;
    let expected = (Outcome::Succeeded, (object.all_authorities() - Authority::INQUIRE) | before);
    assert_eq!(changed(&queue_manager, object, "AUTHADD(ALL) AUTHRMV(INQ)"), expected);
}

#[test]
fn what_is_no_profile_or_no_name_of_a_user_is_refused() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(Q)");
    let set = |profile: &str, entity: &str| {
        let command = format!("SET AUTHREC PROFILE('{profile}') OBJTYPE(QUEUE) PRINCIPAL('{entity}') AUTHADD(PUT)");
        try_script(&queue_manager, &administrator(), &command)
    };
    let several = format!("{}ZZ", "**.".repeat(15));
    for profile in ["**.**", "SYSTEM.**.A.**", &several, "SYSTEM.A B", "SYSTEM.A,B", "Q ", "", &"*.".repeat(25)] {
        let (lines, outcomes) = set(profile, "x");
        assert_eq!(outcomes, [Outcome::Failed], "{profile}");
        assert!(lines[0].starts_with("AMQ8424E: Not a name: '"), "{lines:?}");
    }
    for entity in ["", " ", "x "] {
        assert_eq!(set("Q", entity).1, [Outcome::Failed], "{entity}");
    }
    assert!(queue_manager.authority_records().iter().all(|record| record.entity.name() != "x"));
    assert_eq!(set("Q", "x").1, [Outcome::Succeeded]);
}
