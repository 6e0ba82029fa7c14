//! What dmpmqcfg writes, and that it makes the same definitions again.

use command::{DumpOptions, dump};
use expect_test::expect;

use crate::support::{administrator, mask, run_script, start, try_script};

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
