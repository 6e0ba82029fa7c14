//! CMDSCOPE: commands that run on other members of a queue-sharing group, on one database, and what is answered.

use std::sync::Arc;
use std::time::Duration;

use command::command::group::{DispositionChoice, Scope};
use command::command::{Alter, Command, Define, Delete, Setting};
use command::{Outcome, run};
use expect_test::expect;
use model::authority::{AuthorityObject, Principal};
use model::definition::attribute::Kind;
use model::definition::queue::Disposition;
use model::group::GroupName;
use model::name::QueueManagerName;
use model::pcf::{Header, Message, Parameter, ParameterValue};
use queue_manager::event::command::{Issued, Issuer, Origin};
use queue_manager::{GroupOptions, Home, QueueManager, SharedOptions, StartOptions, SystemClock};
use serde_json::{Value, json};
use storage::StoreOptions;

use crate::postgres::Database;
use crate::support::administrator;

/// A member that runs, and answers the others or not.
pub(crate) struct Member {
    pub(crate) queue_manager: QueueManager,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Member {
    pub(crate) async fn start(database: &Database, name: &str, serves: bool) -> Self {
        let options = StartOptions {
            name: QueueManagerName::parse(name).unwrap(),
            home: Home::Ephemeral,
            store: StoreOptions::default(),
            clock: Arc::new(SystemClock),
            server_user: "server".to_owned(),
        };
        let mut shared = SharedOptions::new(database.url.clone(), name.to_owned());
        shared.answers = Duration::from_secs(if serves { 60 } else { 1 });
        let group = GroupOptions { name: GroupName::parse("QSG1").unwrap(), database: Some(shared) };
        let queue_manager = QueueManager::start_member(options, group).unwrap();
        queue_manager.join_group().await.unwrap();
        let (runs, answers) = (queue_manager.clone(), queue_manager.clone());
        let mut tasks = vec![tokio::spawn(async move { runs.run().await })];
        if serves {
            tasks.push(tokio::spawn(async move { command::scope::serve(&answers).await }));
        }
        Self { queue_manager, tasks }
    }

    pub(crate) async fn mqsc(&self, text: &str) -> String {
        self.mqsc_as(&administrator(), text).await.0
    }

    async fn mqsc_as(&self, caller: &Principal, text: &str) -> (String, Outcome) {
        let answer = run(&self.queue_manager, caller, text).await;
        (answer.lines.join("\n"), answer.outcome)
    }

    pub(crate) async fn until(&self, is_so: impl Fn(&QueueManager) -> bool) {
        for _ in 0..30_000 {
            if is_so(&self.queue_manager) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the members do not see what they have in common");
    }

    pub(crate) async fn stop(self) {
        self.queue_manager.stop().await;
        for task in self.tasks {
            tokio::time::timeout(Duration::from_secs(300), task).await.expect("ends").unwrap();
        }
    }
}

/// Runs a test on members that see each other; the first has the structure APP1 and the shared queue ORDERS.
pub(crate) fn on_members(serving: &[bool], test: impl AsyncFnOnce(&[Member])) {
    let database = Database::of_group("QSG1");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut members = Vec::new();
        for (index, serves) in serving.iter().enumerate() {
            members.push(Member::start(&database, &format!("QM{}", index + 1), *serves).await);
        }
        members[0].mqsc("DEFINE CFSTRUCT(APP1) RECOVER(YES)").await;
        members[0].mqsc("DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)").await;
        for member in &members {
            member.until(|queue_manager| queue_manager.active_members().len() == serving.len()).await;
            member.until(|queue_manager| queue_manager.queue(&QueueManagerName::literal("ORDERS")).is_some()).await;
        }
        test(&members).await;
        for member in members {
            member.stop().await;
        }
    });
}

#[test]
fn a_command_runs_on_the_member_that_is_named_or_on_all_and_each_answer_names_its_queue_manager() {
    on_members(&[true, true, true], async |members| {
        let mut seen = String::new();
        for text in [
            "DEFINE QLOCAL(A) DESCR('only of QM2') CMDSCOPE(QM2)",
            "DISPLAY QLOCAL(A) DESCR",
            "DISPLAY QLOCAL(A) DESCR CMDSCOPE('QM2')",
            "DEFINE QLOCAL(B) REPLACE TRIGGER CMDSCOPE(*)",
            "DISPLAY QUEUE(*) WHERE(QUEUE LK 'B*') TRIGGER CMDSCOPE(*)",
            "DISPLAY QLOCAL(ORDERS) CFSTRUCT CMDSCOPE(*)",
            "DISPLAY QLOCAL(ORDERS) CFSTRUCT QSGDISP(SHARED) CMDSCOPE(*)",
            "DISPLAY QSTATUS(ORDERS) IPPROCS CMDSCOPE(*)",
            "DELETE QLOCAL(ORDERS) QSGDISP(SHARED) CMDSCOPE(QM2)",
            "DEFINE QLOCAL(C) CMDSCOPE(QM9)",
        ] {
            seen.push_str(&format!("> {text}\n{}\n", members[0].mqsc(text).await));
        }
        expect![[r#"
            > DEFINE QLOCAL(A) DESCR('only of QM2') CMDSCOPE(QM2)
            CSQN121I: Command responses from QM2.
            AMQ8006I: Queue created.
            > DISPLAY QLOCAL(A) DESCR
            AMQ8147E: Object A not found.
            > DISPLAY QLOCAL(A) DESCR CMDSCOPE('QM2')
            CSQN121I: Command responses from QM2.
            AMQ8409I: Display Queue details.
               QUEUE(A)                                TYPE(QLOCAL)
               DESCR(only of QM2)
            > DEFINE QLOCAL(B) REPLACE TRIGGER CMDSCOPE(*)
            CSQN121I: Command responses from QM1.
            AMQ8006I: Queue created.
            CSQN121I: Command responses from QM2.
            AMQ8006I: Queue created.
            CSQN121I: Command responses from QM3.
            AMQ8006I: Queue created.
            > DISPLAY QUEUE(*) WHERE(QUEUE LK 'B*') TRIGGER CMDSCOPE(*)
            CSQN121I: Command responses from QM1.
            AMQ8409I: Display Queue details.
               QUEUE(B)                                TYPE(QLOCAL)
               TRIGGER
            CSQN121I: Command responses from QM2.
            AMQ8409I: Display Queue details.
               QUEUE(B)                                TYPE(QLOCAL)
               TRIGGER
            CSQN121I: Command responses from QM3.
            AMQ8409I: Display Queue details.
               QUEUE(B)                                TYPE(QLOCAL)
               TRIGGER
            > DISPLAY QLOCAL(ORDERS) CFSTRUCT CMDSCOPE(*)
            CSQN121I: Command responses from QM1.
            AMQ8409I: Display Queue details.
               QUEUE(ORDERS)                           TYPE(QLOCAL)
               CFSTRUCT(APP1)
            > DISPLAY QLOCAL(ORDERS) CFSTRUCT QSGDISP(SHARED) CMDSCOPE(*)
            CSQN121I: Command responses from QM1.
            AMQ8409I: Display Queue details.
               QUEUE(ORDERS)                           TYPE(QLOCAL)
               CFSTRUCT(APP1)
            > DISPLAY QSTATUS(ORDERS) IPPROCS CMDSCOPE(*)
            CSQN121I: Command responses from QM1.
            AMQ8450I: Display queue status details.
               QUEUE(ORDERS)                           TYPE(QUEUE)
               IPPROCS(0)
            CSQN121I: Command responses from QM2.
            AMQ8450I: Display queue status details.
               QUEUE(ORDERS)                           TYPE(QUEUE)
               IPPROCS(0)
            CSQN121I: Command responses from QM3.
            AMQ8450I: Display queue status details.
               QUEUE(ORDERS)                           TYPE(QUEUE)
               IPPROCS(0)
            > DELETE QLOCAL(ORDERS) QSGDISP(SHARED) CMDSCOPE(QM2)
            CSQN132E: CMDSCOPE(QM2) does not go with this QSGDISP: the group has the object once.
            > DEFINE QLOCAL(C) CMDSCOPE(QM9)
            CSQN135E: Queue manager QM9 is not active in the queue-sharing group.
        "#]]
        .assert_eq(&seen);
        assert_eq!(members[0].queue_manager.queue(&QueueManagerName::literal("A")), None);
        assert!(members[2].queue_manager.queue(&QueueManagerName::literal("B")).is_some());
    });
}

#[test]
fn a_member_that_does_not_answer_is_told_and_takes_nothing_from_the_others() {
    on_members(&[false, true, false], async |members| {
        let (text, outcome) = members[0].mqsc_as(&administrator(), "DISPLAY QMGR QSGNAME CMDSCOPE(*)").await;
        assert_eq!(outcome, Outcome::Failed);
        expect![[r#"
            CSQN121I: Command responses from QM1.
            AMQ8408I: Display Queue Manager details.
               QMNAME(QM1)                             QSGNAME(QSG1)
            CSQN121I: Command responses from QM2.
            AMQ8408I: Display Queue Manager details.
               QMNAME(QM2)                             QSGNAME(QSG1)
            CSQN121I: Command responses from QM3.
            QUA0010E: Queue manager QM3 has not answered in time. The command may have run there."#]]
        .assert_eq(&text);
    });
}

#[test]
fn each_member_checks_the_authority_of_the_user_by_its_own_records() {
    on_members(&[true, true], async |members| {
        let clerk = Principal { groups: vec!["clerks".into()].into(), ..Principal::user("clerk") };
        let display = "DISPLAY QMGR QSGNAME CMDSCOPE(*)";
        let refused = members[0].mqsc_as(&clerk, display).await.0;
        assert_eq!(refused.matches("AMQ8135E").count(), 2, "{refused}");
        members[1].mqsc("SET AUTHREC OBJTYPE(QMGR) GROUP('clerks') AUTHADD(DSP)").await;
        let (one, two) = (members[0].mqsc_as(&clerk, display).await.0, members[1].mqsc_as(&clerk, display).await.0);
        for answer in [one, two] {
            assert_eq!(answer.matches("AMQ8135E").count(), 1, "{answer}");
            assert!(answer.contains("QMNAME(QM2)") && !answer.contains("QMNAME(QM1)"), "{answer}");
        }
    });
}

fn parameter(answer: &Message, id: i32) -> Option<String> {
    let found = answer.parameters.iter().find(|parameter| parameter.id == id)?;
    match &found.value {
        ParameterValue::Text(text) => Some(text.clone()),
        ParameterValue::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

#[test]
fn programs_get_the_answers_of_all_members_as_one_sequence_that_names_each() {
    const COMMAND_SCOPE: i32 = 3080;
    const RESPONSE_QUEUE_MANAGER: i32 = 3070;
    on_members(&[true, true], async |members| {
        let caller = administrator();
        let issuer = Issuer::new(&caller, Origin::Message);
        let ask = async |command: i32, mut parameters: Vec<Parameter>| {
            parameters.push(Parameter::text(COMMAND_SCOPE, "*"));
            let request = Message { header: Header::command(command), parameters };
            let answers = command::pcf::run(&members[0].queue_manager, &issuer, &request).await;
            let numbers: Vec<_> = answers.iter().map(|one| (one.header.sequence, one.header.is_last)).collect();
            assert_eq!(numbers, [(1, false), (2, true)], "{answers:?}");
            let by = answers.iter().map(|one| parameter(one, RESPONSE_QUEUE_MANAGER).unwrap()).collect::<Vec<_>>();
            assert_eq!(by, ["QM1", "QM2"]);
            answers
        };
        let queue = || vec![Parameter::text(2016, "A"), Parameter::integer(20, 1)];
        // MQCMD_CREATE_Q, MQCMD_INQUIRE_Q, MQCMD_INQUIRE_Q_NAMES, MQCMD_INQUIRE_Q_STATUS.
        assert!(ask(11, queue()).await.iter().all(|answer| answer.header.reason == 0));
        let shown = ask(13, queue()).await;
        // MQIA_MAX_Q_DEPTH, MQIA_USAGE.
        let values = |answer: &Message| (parameter(answer, 15), parameter(answer, 12));
        assert_eq!(values(&shown[1]), (Some("5000".to_owned()), Some("0".to_owned())));
        assert_eq!(shown[0].parameters.len(), shown[1].parameters.len());
        assert!(ask(18, queue()).await.iter().all(|answer| answer.header.reason == 0));
        assert_eq!(
            parameter(&ask(41, queue()[..1].to_vec()).await[1], 3).as_deref(),
            Some("0"),
            "MQIA_CURRENT_Q_DEPTH"
        );
        let again: Vec<_> = ask(11, queue()).await.iter().map(|answer| answer.header.reason).collect();
        assert_eq!(again, [4001, 4001]);
    });
}

#[test]
fn json_answers_name_the_queue_manager_of_each_element() {
    on_members(&[true, true], async |members| {
        let caller = administrator();
        let issuer = Issuer::new(&caller, Origin::Rest);
        let ask = async |body: Value| {
            let request = command::json::Request::read(body.to_string().as_bytes()).unwrap();
            let prepared = request.prepare(members[0].queue_manager.membership()).unwrap();
            serde_json::from_slice::<Value>(&prepared.run(&members[0].queue_manager, &issuer).await).unwrap()
        };
        let words = ask(json!({"type": "runCommandJSON", "command": "display", "qualifier": "qmgr",
            "parameters": {"cmdscope": "*"}, "responseParameters": ["qsgname", "maxmsgl"]}))
        .await;
        assert_eq!(words["commandResponse"][1]["qmgrName"], "QM2");
        let expected = json!({"qmname": "QM2", "qsgname": "QSG1", "maxmsgl": 4_194_304});
        assert_eq!(words["commandResponse"][1]["parameters"], expected);
        let text = ask(json!({"type": "runCommand", "parameters": {"command": "DISPLAY QMGR QSGNAME CMDSCOPE(QM2)"}}));
        let text = text.await;
        assert_eq!(text["commandResponse"].as_array().unwrap().len(), 1);
        assert!(text["commandResponse"][0]["text"][0].as_str().unwrap().contains("QMNAME(QM2)"), "{text}");
    });
}

#[test]
fn what_is_defined_for_the_group_comes_to_every_member_and_goes_from_it() {
    on_members(&[true, true], async |members| {
        let kinds = [
            ("PROCESS", AuthorityObject::Process, ""),
            ("NAMELIST", AuthorityObject::NameList, "NAMES(X,Y)"),
            ("CHANNEL", AuthorityObject::Channel, "CHLTYPE(SVRCONN)"),
            ("CHANNEL", AuthorityObject::ClientChannel, "CHLTYPE(CLNTCONN) CONNAME(host)"),
            ("AUTHINFO", AuthorityObject::AuthenticationInformation, "AUTHTYPE(IDPWOS)"),
        ];
        let name = QueueManagerName::literal("COMMON");
        for (kind, family, attributes) in kinds {
            let made = members[0].mqsc(&format!("DEFINE {kind}(COMMON) {attributes} QSGDISP(GROUP)")).await;
            let copy = |queue_manager: &QueueManager| queue_manager.object(family, &name);
            members[1].until(|two| copy(two).is_some_and(|object| object.disposition() == Disposition::Copy)).await;
            let table = if family == AuthorityObject::ClientChannel { "CHLTABLE(CLNTTBL)" } else { "" };
            members[1].mqsc(&format!("DELETE {kind}(COMMON) QSGDISP(GROUP) {table}")).await;
            members[0].until(|one| copy(one).is_none()).await;
            assert!(copy(&members[1].queue_manager).is_none(), "{kind}: {made}");
        }
        members[0].mqsc("DEFINE TOPIC(COMMON) TOPICSTR('news') QSGDISP(GROUP)").await;
        members[1].until(|two| two.topic(&name).is_some_and(|topic| topic.topic_string == "news")).await;
        members[1].mqsc("ALTER TOPIC(COMMON) QSGDISP(GROUP) DESCR('changed')").await;
        members[0].until(|one| one.topic(&name).is_some_and(|topic| topic.description == "changed")).await;
        members[0].mqsc("DELETE TOPIC(COMMON) QSGDISP(GROUP)").await;
        members[1].until(|two| two.topic(&name).is_none()).await;
    });
}

#[test]
fn a_typed_command_runs_elsewhere_as_it_would_here() {
    on_members(&[true, true], async |members| {
        let caller = administrator();
        let issuer = Issuer::new(&caller, Origin::Rest);
        let name = QueueManagerName::literal("Typed");
        let run = async |command: Command| {
            let command = command::scope::of_queue(Scope::Member("QM2".to_owned()), command);
            let issued = Issued::Pcf(&[]);
            let reply = command::execute_issued(&members[0].queue_manager, &issuer, issued, &command).await;
            assert!(reply.succeeded(), "{:?}", reply.items);
        };
        let set = |keyword: &str, value: model::definition::attribute::Value| {
            let attribute = model::definition::attribute::find(Kind::QueueLocal, keyword).unwrap();
            Setting { attribute, value }
        };
        let define = Define {
            kind: Kind::QueueLocal,
            name: "Typed".to_owned(),
            like: Some("SYSTEM.DEFAULT.LOCAL.QUEUE".to_owned()),
            replace: true,
            disposition: Disposition::QueueManager,
            settings: vec![set("DESCR", "one's".into()), set("MAXDEPTH", 7_u32.into()), set("TRIGGER", 1_u32.into())],
        };
        run(Command::Define(define)).await;
        let there = members[1].queue_manager.queue(&name).unwrap();
        let local = there.as_local().unwrap();
        assert_eq!((there.description.as_str(), local.maximum_depth, local.trigger.enabled), ("one's", 7, true));
        let (kind, dispositions) = (Kind::QueueLocal, DispositionChoice::Private);
        let settings = vec![set("PUT", 1_u32.into())];
        run(Command::Alter(Alter { kind, name: "Typed".to_owned(), force: true, dispositions, settings })).await;
        assert!(members[1].queue_manager.queue(&name).unwrap().put_inhibited);
        let name_of = "Typed".to_owned();
        run(Command::Delete(Delete { kind, name: name_of, purge: true, authority_records: true, dispositions })).await;
        assert!(members[1].queue_manager.queue(&name).is_none());
        assert!(members[0].queue_manager.queue(&name).is_none());
    });
}
