//! What dmpmqcfg writes, and that it makes the same definitions again.

use std::path::Path;
use std::sync::Arc;

use command::json::Request;
use command::{DumpOptions, dump, run, split};
use expect_test::expect;
use model::definition::attribute::Membership;
use queue_manager::event::command::{Issuer, Origin};
use queue_manager::{Home, QueueManager};
use serde_json::json;
use storage::private::log::disk::DirectoryDisk;
use storage::{PrivateStore, StoreOptions};

use crate::support::{administrator, mask, run_script, start, start_with, try_script, wait_for};

const SCRIPT: &str = "\
DEFINE QLOCAL(ORDERS) DESCR('it''s the orders') MAXDEPTH(10) TRIGGER INITQ(SYSTEM.DEFAULT.INITIATION.QUEUE)
DEFINE QLOCAL('lower.case') NOSHARE GET(DISABLED)
DEFINE QALIAS(ORDERS.ALIAS) TARGET(ORDERS)
DEFINE QREMOTE(FAR) RNAME(NEAR) RQMNAME(QM2) XMITQ(QM2.XMITQ)
DEFINE QMODEL(TEMPLATE) DEFTYPE(PERMDYN)
DEFINE TOPIC(NEWS) TOPICSTR('news') PUB(ENABLED)
DEFINE SUB('all the news') TOPICOBJ(NEWS) TOPICSTR('#') DEST(ORDERS) USERDATA('x')
DEFINE SUB('one string') TOPICSTR('news/of/today') DEST(ORDERS)
DEFINE SUB('just the object') TOPICOBJ(NEWS) DEST(ORDERS)
ALTER QMGR DEADQ(ORDERS) MAXHANDS(99) CERTLABL('mine')
SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET)
SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CONNECT)
";

#[test]
fn the_script_says_what_differs_from_the_defaults() {
    let queue_manager = start();
    run_script(&queue_manager, SCRIPT);
    let options = DumpOptions::default();
    expect![[r#"
        *******************************************************************************
        * Definitions of queue manager QM1
        * Written by dmpmqcfg
        *******************************************************************************
        ALTER QMGR +
           CERTLABL('mine') +
           DEADQ('ORDERS') +
           MAXHANDS(99)
        DEFINE QREMOTE('FAR') +
           RNAME('NEAR') +
           RQMNAME('QM2') +
           XMITQ('QM2.XMITQ') +
           REPLACE
        DEFINE QLOCAL('ORDERS') +
           DESCR('it''s the orders') +
           INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE') +
           MAXDEPTH(10) +
           TRIGGER +
           REPLACE
        DEFINE QALIAS('ORDERS.ALIAS') +
           TARGET('ORDERS') +
           REPLACE
        DEFINE QMODEL('TEMPLATE') +
           DEFTYPE(PERMDYN) +
           REPLACE
        DEFINE QLOCAL('lower.case') +
           GET(DISABLED) +
           NOSHARE +
           REPLACE
        DEFINE TOPIC('NEWS') +
           PUB(ENABLED) +
           TOPICSTR('news') +
           REPLACE
        DEFINE SUB('all the news') +
           TOPICSTR('#') +
           TOPICOBJ('NEWS') +
           DEST('ORDERS') +
           DESTCORL(*) +
           SUBUSER('server') +
           USERDATA('x') +
           REPLACE
        DEFINE SUB('just the object') +
           TOPICOBJ('NEWS') +
           DEST('ORDERS') +
           DESTCORL(*) +
           SUBUSER('server') +
           REPLACE
        DEFINE SUB('one string') +
           TOPICSTR('news/of/today') +
           DEST('ORDERS') +
           DESTCORL(*) +
           SUBUSER('server') +
           REPLACE
        SET AUTHREC +
           GROUP('staff') +
           OBJTYPE(QMGR) +
           AUTHADD(CONNECT)
        SET AUTHREC +
           PROFILE('ORDERS.**') +
           PRINCIPAL('app') +
           OBJTYPE(QUEUE) +
           AUTHADD(GET,PUT)
        SET CHLAUTH('*') +
           TYPE(BLOCKUSER) +
           DESCR('Administrators run no channel') +
           USERLIST('*MQADMIN') +
           WARN(NO) +
           ACTION(REPLACE)
        SET CHLAUTH('SYSTEM.*') +
           TYPE(ADDRESSMAP) +
           DESCR('Nobody uses SYSTEM channels') +
           ADDRESS('*') +
           USERSRC(NOACCESS) +
           WARN(NO) +
           ACTION(REPLACE)
        SET CHLAUTH('SYSTEM.ADMIN.SVRCONN') +
           TYPE(ADDRESSMAP) +
           DESCR('The channel''s own user counts') +
           ADDRESS('*') +
           USERSRC(CHANNEL) +
           CHCKCLNT(ASQMGR) +
           WARN(NO) +
           ACTION(REPLACE)
    "#]]
    // Without a DESTCORL of its own a subscription gets a new one.
    .assert_eq(&mask(&dump(&queue_manager, &options), "DESTCORL("));
}

#[test]
fn running_a_dump_elsewhere_and_dumping_again_gives_the_same_text() {
    for (all_attributes, one_line, include_defaults) in
        [(false, false, false), (true, false, false), (false, true, false), (true, true, true), (false, false, true)]
    {
        let options = DumpOptions { all_attributes, one_line, include_defaults, ..DumpOptions::default() };
        let first = start();
        run_script(&first, SCRIPT);
        let written = dump(&first, &options);
        let second = start();
        run_script(&second, &written);
        assert_eq!(dump(&second, &options), written, "{options:?}");
        run_script(&second, &written);
        assert_eq!(dump(&second, &options), written, "run twice, {options:?}");
    }
}

#[test]
fn a_changed_default_object_does_not_change_what_was_made_before() {
    let first = start();
    run_script(&first, "DEFINE QLOCAL(B)\nALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(7)\nDEFINE QLOCAL(Z)");
    let written = dump(&first, &DumpOptions::default());
    let second = start();
    run_script(&second, &written);
    assert_eq!(dump(&second, &DumpOptions::default()), written);
    let lines = run_script(&second, "DISPLAY QLOCAL(B) MAXDEPTH");
    assert!(lines.concat().contains("MAXDEPTH(5000)"), "{lines:?}");
}

#[test]
fn a_subscription_whose_topic_object_is_gone_is_written_with_its_whole_string() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(Q)\nDEFINE TOPIC(T) TOPICSTR('a')\nDEFINE SUB(S) TOPICOBJ(T) TOPICSTR('b') DEST(Q)",
    );
    let options = DumpOptions { export: Some("sub".to_owned()), one_line: true, ..DumpOptions::default() };
    assert!(dump(&queue_manager, &options).contains("TOPICSTR('b') TOPICOBJ('T')"));
    run_script(&queue_manager, "DELETE TOPIC(T)");
    let written = dump(&queue_manager, &options);
    assert!(written.contains("TOPICSTR('a/b')") && !written.contains("TOPICOBJ"), "{written}");
}

#[test]
fn name_and_type_choose_what_is_written() {
    let queue_manager = start();
    let (_, _) = try_script(&queue_manager, &administrator(), SCRIPT);
    let options = DumpOptions {
        name: Some("ORDERS*".to_owned()),
        export: Some("queue".to_owned()),
        one_line: true,
        ..DumpOptions::default()
    };
    expect![[r#"
        *******************************************************************************
        * Definitions of queue manager QM1
        * Written by dmpmqcfg
        *******************************************************************************
        DEFINE QLOCAL('ORDERS') DESCR('it''s the orders') INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE') MAXDEPTH(10) TRIGGER REPLACE
        DEFINE QALIAS('ORDERS.ALIAS') TARGET('ORDERS') REPLACE
    "#]].assert_eq(&dump(&queue_manager, &options));
}

/// A text that is a command of its own where a script has it in quotes.
const INJECTED: &str = "x\nALTER QMGR CHLAUTH(DISABLED)\ny";

#[test]
fn no_command_takes_a_text_with_a_line_break() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(Q)");
    for (command, message) in [
        (format!("DEFINE QLOCAL(A) DESCR('{INJECTED}')"), "AMQ8425E"),
        (format!("ALTER QMGR DESCR('{INJECTED}')"), "AMQ8425E"),
        (format!("DEFINE CHANNEL(C) CHLTYPE(SVRCONN) SCYEXIT('{INJECTED}')"), "AMQ8425E"),
        (format!("DEFINE SUB('{INJECTED}') TOPICSTR('t') DEST(Q)"), "AMQ8424E"),
        (format!("DEFINE SUB(S) TOPICSTR('{INJECTED}') DEST(Q)"), "AMQ8425E"),
        (format!("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('{INJECTED}') AUTHADD(PUT)"), "AMQ8425E"),
        (format!("SET AUTHREC PROFILE('{INJECTED}*') OBJTYPE(QUEUE) PRINCIPAL(app) AUTHADD(PUT)"), "AMQ8425E"),
        (format!("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') MCAUSER(app) DESCR('{INJECTED}')"), "AMQ8425E"),
        (format!("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('{INJECTED}')"), "AMQ8425E"),
    ] {
        let answer = wait_for(run(&queue_manager, &administrator(), &command));
        assert!(answer.lines.last().unwrap().starts_with(message), "{command}: {:?}", answer.lines);
    }
    let request = json!({
        "type": "runCommandJSON", "command": "alter", "qualifier": "qlocal", "name": "Q", "parameters": { "descr": INJECTED }
    });
    let prepared =
        Request::read(request.to_string().as_bytes()).and_then(|request| request.prepare(Membership::Alone)).unwrap();
    let reply: serde_json::Value =
        serde_json::from_slice(&wait_for(prepared.run(&queue_manager, &Issuer::new(&administrator(), Origin::Rest))))
            .unwrap();
    assert_eq!(reply["commandResponse"][0]["reasonCode"], 3229, "{reply}");
    assert!(!dump(&queue_manager, &DumpOptions::default()).contains("DISABLED"));
}

fn start_in(directory: &Path) -> QueueManager {
    start_with(Home::Disk(Arc::new(DirectoryDisk::open(directory.to_owned()).unwrap())))
}

/// Puts `INJECTED` in the place of every MARK that is stored.
fn inject(directory: &Path) {
    let disk = DirectoryDisk::open(directory.to_owned()).unwrap();
    let (store, recovered) = PrivateStore::open(Arc::new(disk), StoreOptions::default()).unwrap();
    let injected = INJECTED.replace('\n', "\\n");
    let changes = recovered.definitions.into_iter().filter_map(|(key, value)| {
        let value = String::from_utf8(value).unwrap();
        let changed = value.replace("MARK", &injected);
        (changed != value).then(|| storage::DefinitionChange::Save { key, value: changed.into_bytes() })
    });
    let changes: Vec<_> = changes.collect();
    assert_eq!(changes.len(), 9);
    wait_for(store.change_definitions(changes)).unwrap();
}

#[test]
fn a_text_with_a_line_break_that_is_stored_runs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let first = start_in(directory.path());
    run_script(
        &first,
        "DEFINE QLOCAL(Q) DESCR('MARK') MAXDEPTH(7)\nDEFINE SUB('MARK') TOPICSTR('t') DEST(Q)\n\
         DEFINE SUB(S) TOPICSTR('t') DEST(Q) USERDATA('MARK')\nALTER QMGR DESCR('MARK')\n\
         SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('MARK') AUTHADD(PUT)\n\
         SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) DESCR('MARK')\n\
         SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('MARK') MCAUSER(app)\n\
         DEFINE CHANNEL(P) CHLTYPE(SVRCONN) SSLPEER('CN=MARK')\n\
         DEFINE SUB(T) TOPICSTR('t') DEST(Q) SELECTOR('a = ''MARK''')",
    );
    wait_for(first.stop());
    drop(first);
    inject(directory.path());
    let first = start_in(directory.path());
    for one_line in [false, true] {
        let options = DumpOptions { one_line, ..DumpOptions::default() };
        let written = dump(&first, &options);
        let commands = split(&written);
        let words = ["ALTER QMGR", "DEFINE ", "SET AUTHREC ", "SET CHLAUTH("];
        assert!(commands.iter().all(|command| words.iter().any(|word| command.text.starts_with(word))), "{written}");
        assert!(commands.iter().all(|command| !command.text.contains("DISABLED")), "{written}");
        assert!(commands.iter().any(|command| command.text == "DEFINE QLOCAL('Q') MAXDEPTH(7) REPLACE"), "{written}");
        let second = start();
        run_script(&second, &written);
        let without_what_is_left_out: String = written
            .split_inclusive('\n')
            .filter(|line| !line.ends_with("holds control characters, and is not written here\n"))
            .collect();
        assert_eq!(dump(&second, &options), without_what_is_left_out);
    }
    let options = DumpOptions { one_line: true, ..DumpOptions::default() };
    let written = dump(&first, &options);
    let left_out: String = written.split_inclusive('\n').filter(|line| line.contains("control characters")).collect();
    expect![[r#"
        * DESCR of QM1 holds control characters, and is not written here
        * DESCR of Q holds control characters, and is not written here
        * USERDATA of S holds control characters, and is not written here
        * DEFINE SUB('T') TOPICSTR('t') DEST('Q') DESTCORL(*) SELECTOR('a = ''x?ALTER QMGR CHLAUTH(DISABLED)?y''') SUBUSER('server') holds control characters, and is not written here
        * DEFINE SUB('x?ALTER QMGR CHLAUTH(DISABLED)?y') TOPICSTR('t') DEST('Q') DESTCORL(*) SUBUSER('server') holds control characters, and is not written here
        * DEFINE CHANNEL('P') CHLTYPE(SVRCONN) SSLPEER('CN=x?ALTER QMGR CHLAUTH(DISABLED)?y') holds control characters, and is not written here
        * SET AUTHREC PROFILE('Q') PRINCIPAL('x?ALTER QMGR CHLAUTH(DISABLED)?y') OBJTYPE(QUEUE) AUTHADD(PUT) holds control characters, and is not written here
        * SET CHLAUTH('C') TYPE(ADDRESSMAP) DESCR('x?ALTER QMGR CHLAUTH(DISABLED)?y') ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(ASQMGR) WARN(NO) holds control characters, and is not written here
        * SET CHLAUTH('C') TYPE(USERMAP) CLNTUSER('x?ALTER QMGR CHLAUTH(DISABLED)?y') MCAUSER('APP') USERSRC(MAP) CHCKCLNT(ASQMGR) WARN(NO) holds control characters, and is not written here
    "#]].assert_eq(&mask(&left_out, "DESTCORL("));
    // What is stored stands in nobody's way, and can be put right.
    run_script(&first, "ALTER QLOCAL(Q) MAXDEPTH(8)\nALTER QMGR MAXHANDS(300)\nALTER SUB(T) USERDATA(u)");
    let removal = format!("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('{INJECTED}') ACTION(REMOVE)");
    let removed = wait_for(run(&first, &administrator(), &removal));
    assert!(removed.lines.last().unwrap().starts_with("AMQ8877I"), "{:?}", removed.lines);
    run_script(&first, "ALTER QLOCAL(Q) DESCR('')");
    let delete = format!("DELETE SUB('{INJECTED}')");
    let answer = wait_for(run(&first, &administrator(), &delete));
    assert_eq!(answer.outcome, command::Outcome::Succeeded, "{:?}", answer.lines);
}
