//! Commands of members of a queue-sharing group: QSGDISP, CFSTRUCT, CMDSCOPE, DISPLAY GROUP; and what others say to them.

use command::{DumpOptions, dump};
use expect_test::expect;
use model::pcf::{Header, Message, Parameter, ParameterValue};
use queue_manager::QueueManager;
use queue_manager::event::command::{Issuer, Origin};

use crate::support::{administrator, run_script, start_member, transcript, transcript_on, wait_for};

fn on_member(script: &str) -> String {
    transcript_on(&start_member(), &administrator(), script)
}

#[test]
fn a_queue_manager_in_no_group_has_no_command_and_no_keyword_of_groups() {
    expect![[r#"
        > DEFINE QLOCAL(A) QSGDISP(SHARED) CFSTRUCT(APP1)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) QSGDISP(SHARED)

        AMQ8427I: Not the valid syntax of the command: QSGDISP is not a keyword of this command.
        > DEFINE QLOCAL(A) CMDSCOPE(' ')
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) CMDSCOPE(' ')

        AMQ8427I: Not the valid syntax of the command: CMDSCOPE is not a keyword of this command.
        > DEFINE QLOCAL(B)
        AMQ8006I: Queue created.
        > ALTER QLOCAL(B) QSGDISP(QMGR)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        ALTER QLOCAL(B) QSGDISP(QMGR)

        AMQ8427I: Not the valid syntax of the command: QSGDISP is not a keyword of this command.
        > DISPLAY QLOCAL(B) QSGDISP
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(B) QSGDISP

        AMQ8427I: Not the valid syntax of the command: QSGDISP is not a keyword of this command.
        > DISPLAY QLOCAL(B) QSGDISP(SHARED)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(B) QSGDISP(SHARED)

        AMQ8427I: Not the valid syntax of the command: QSGDISP is not a keyword of this command.
        > DISPLAY QSTATUS(B) QSGDISP
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QSTATUS(B) QSGDISP

        AMQ8427I: Not the valid syntax of the command: QSGDISP is not a keyword of this command.
        > DISPLAY QMGR QSGNAME
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QMGR QSGNAME

        AMQ8427I: Not the valid syntax of the command: QSGNAME is not a keyword of this command.
        > DEFINE CFSTRUCT(APP1)
        AMQ8404E: DEFINE CFSTRUCT is not supported by this queue manager yet.
        > DISPLAY CFSTRUCT(*)
        AMQ8404E: DISPLAY CFSTRUCT is not supported by this queue manager yet.
        > DISPLAY CFSTATUS(*)
        AMQ8404E: DISPLAY CFSTATUS is not supported by this queue manager yet.
        > DISPLAY GROUP
        AMQ8404E: DISPLAY GROUP is not supported by this queue manager yet.
    "#]]
    .assert_eq(&transcript(
        "DEFINE QLOCAL(A) QSGDISP(SHARED) CFSTRUCT(APP1)
         DEFINE QLOCAL(A) CMDSCOPE(' ')
         DEFINE QLOCAL(B)
         ALTER QLOCAL(B) QSGDISP(QMGR)
         DISPLAY QLOCAL(B) QSGDISP
         DISPLAY QLOCAL(B) QSGDISP(SHARED)
         DISPLAY QSTATUS(B) QSGDISP
         DISPLAY QMGR QSGNAME
         DEFINE CFSTRUCT(APP1)
         DISPLAY CFSTRUCT(*)
         DISPLAY CFSTATUS(*)
         DISPLAY GROUP",
    ));
}

#[test]
fn a_structure_is_defined_altered_shown_and_deleted() {
    expect![[r#"
        > DEFINE CFSTRUCT(APP1)
        CSQ9022I: The command completed normally.
        > DISPLAY CFSTRUCT(APP1)
        CSQM201I: Display structure details.
           CFSTRUCT(APP1)                          ALTDATE(*)
           ALTTIME(*)                       CFCONLOS(ASQMGR)
           CFLEVEL(5)                              DESCR( )
           DSBLOCK(256K)                           DSBUFS(100)
           DSEXPAND(YES)                           DSGROUP( )
           OFFLD1SZ(64K)                           OFFLD1TH(70)
           OFFLD2SZ(64K)                           OFFLD2TH(80)
           OFFLD3SZ(64K)                           OFFLD3TH(90)
           OFFLOAD(DB2)                            RECAUTO(YES)
           RECOVER(NO)
        > ALTER CFSTRUCT(APP1) RECOVER(YES) CFCONLOS(TOLERATE) DESCR('orders') OFFLD1SZ(32K) DSBLOCK(1024K)
        CSQ9022I: The command completed normally.
        > DISPLAY CFSTRUCT(*) RECOVER CFCONLOS DESCR OFFLD1SZ DSBLOCK
        CSQM201I: Display structure details.
           CFSTRUCT(APP1)                          CFCONLOS(TOLERATE)
           DESCR(orders)                           DSBLOCK(1M)
           OFFLD1SZ(32K)                           RECOVER(YES)
        > DEFINE CFSTRUCT(APP1)
        AMQ8150E: Object APP1 already exists.
        > DEFINE CFSTRUCT(APP2) LIKE(APP1) CFLEVEL(3)
        CSQ9022I: The command completed normally.
        > DISPLAY CFSTRUCT(APP2) CFLEVEL RECOVER
        CSQM201I: Display structure details.
           CFSTRUCT(APP2)                          CFLEVEL(3)
           RECOVER(YES)
        > DEFINE CFSTRUCT(APP2) REPLACE CFLEVEL(6)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE CFSTRUCT(APP2) REPLACE CFLEVEL(6)

        AMQ8412E: Number out of range: CFLEVEL(6): 6 is outside 1 to 5.
        > DEFINE CFSTRUCT(TOOLONGANAME13)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE CFSTRUCT(TOOLONGANAME13)

        AMQ8424E: Not a name: 'TOOLONGANAME13' is not an object name: it is longer than 12 characters.
        > DEFINE CFSTRUCT('lower')
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE CFSTRUCT('lower')

        AMQ8424E: Not a name: 'lower' is not the name of a structure: it has to have A-Z 0-9, and a letter first.
        > DEFINE CFSTRUCT(APP.1)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE CFSTRUCT(APP.1)

        AMQ8424E: Not a name: 'APP.1' is not the name of a structure: it has to have A-Z 0-9, and a letter first.
        > DELETE CFSTRUCT(APP2)
        CSQ9022I: The command completed normally.
        > DISPLAY CFSTRUCT(APP2)
        AMQ8147E: Object APP2 not found.
    "#]]
    .assert_eq(&on_member(
        "DEFINE CFSTRUCT(APP1)
         DISPLAY CFSTRUCT(APP1)
         ALTER CFSTRUCT(APP1) RECOVER(YES) CFCONLOS(TOLERATE) DESCR('orders') OFFLD1SZ(32K) DSBLOCK(1024K)
         DISPLAY CFSTRUCT(*) RECOVER CFCONLOS DESCR OFFLD1SZ DSBLOCK
         DEFINE CFSTRUCT(APP1)
         DEFINE CFSTRUCT(APP2) LIKE(APP1) CFLEVEL(3)
         DISPLAY CFSTRUCT(APP2) CFLEVEL RECOVER
         DEFINE CFSTRUCT(APP2) REPLACE CFLEVEL(6)
         DEFINE CFSTRUCT(TOOLONGANAME13)
         DEFINE CFSTRUCT('lower')
         DEFINE CFSTRUCT(APP.1)
         DELETE CFSTRUCT(APP2)
         DISPLAY CFSTRUCT(APP2)",
    ));
}

#[test]
fn a_shared_queue_names_its_structure_and_is_meant_by_its_disposition_only() {
    expect![[r#"
        > DEFINE QLOCAL(ORDERS) QSGDISP(SHARED)
        QUA0009E: Structure '' is not defined: DEFINE CFSTRUCT comes first.
        > DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)
        QUA0009E: Structure 'APP1' is not defined: DEFINE CFSTRUCT comes first.
        > DEFINE CFSTRUCT(APP1) RECOVER(YES)
        CSQ9022I: The command completed normally.
        > DEFINE CFSTRUCT(APP2)
        CSQ9022I: The command completed normally.
        > DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)
        AMQ8006I: Queue created.
        > DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)
        AMQ8150E: Object ORDERS already exists.
        > DEFINE QLOCAL(ORDERS)
        QUA0008E: Object ORDERS is there with another QSGDISP.
        > DEFINE QLOCAL(ORDERS) REPLACE
        QUA0008E: Object ORDERS is there with another QSGDISP.
        > DEFINE QALIAS(PLACE) QSGDISP(SHARED) TARGET(ORDERS)
        AMQ8425E: QSGDISP of PLACE: only local queues are shared.
        > DISPLAY QLOCAL(ORDERS) QSGDISP CFSTRUCT CURDEPTH
        AMQ8409I: Display Queue details.
           QUEUE(ORDERS)                           TYPE(QLOCAL)
           QSGDISP(SHARED)                         CFSTRUCT(APP1)
           CURDEPTH(0)
        > ALTER QLOCAL(ORDERS) MAXDEPTH(10)
        AMQ8147E: Object ORDERS not found.
        > ALTER QLOCAL(ORDERS) QSGDISP(SHARED) MAXDEPTH(10)
        AMQ8008I: Queue changed.
        > ALTER QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP2)
        AMQ8425E: CFSTRUCT of ORDERS: a shared queue stays in its structure.
        > DISPLAY QUEUE(ORDERS) QSGDISP(SHARED) MAXDEPTH
        AMQ8409I: Display Queue details.
           QUEUE(ORDERS)                           TYPE(QLOCAL)
           MAXDEPTH(10)
        > DISPLAY QUEUE(ORDERS) QSGDISP(PRIVATE) MAXDEPTH
        AMQ8147E: Object ORDERS not found.
        > DISPLAY QUEUE(*) CFSTRUCT(APP1) QSGDISP(ALL)
        AMQ8409I: Display Queue details.
           QUEUE(ORDERS)                           TYPE(QLOCAL)
        > DISPLAY QUEUE(*) WHERE(QSGDISP EQ SHARED)
        AMQ8409I: Display Queue details.
           QUEUE(ORDERS)                           TYPE(QLOCAL)
           QSGDISP(SHARED)
        > DISPLAY QSTATUS(ORDERS) CURDEPTH QSGDISP
        AMQ8450I: Display queue status details.
           QUEUE(ORDERS)                           TYPE(QUEUE)
           QSGDISP(SHARED)                         CURDEPTH(0)
        > DISPLAY CFSTATUS(APP*)
        CSQM201I: Display structure status details.
           CFSTATUS(APP1)                          TYPE(SUMMARY)
           CFTYPE(APPL)                            ENTSMAX(0)
           ENTSUSED(0)                             FAILDATE( )
           FAILTIME( )                             OFFLDUSE(NONE)
           SIZEMAX(0)                              SIZEUSED(0)
           STATUS(ACTIVE)
        CSQM201I: Display structure status details.
           CFSTATUS(APP2)                          TYPE(SUMMARY)
           CFTYPE(APPL)                            ENTSMAX(0)
           ENTSUSED(0)                             FAILDATE( )
           FAILTIME( )                             OFFLDUSE(NONE)
           SIZEMAX(0)                              SIZEUSED(0)
           STATUS(EMPTY)
        > DISPLAY CFSTATUS(APP1) TYPE(CONNECT)
        CSQM201I: Display structure status details.
           CFSTATUS(APP1)                          TYPE(CONNECT)
           QMNAME(QM1)                             FAILDATE( )
           FAILTIME( )                             STATUS(ACTIVE)
           SYSNAME( )
        > DISPLAY CFSTATUS(APP1) TYPE(BACKUP)
        AMQ8147E: No object matches the command.
        > DELETE CFSTRUCT(APP1)
        AMQ8148E: Object APP1 is in use.
        > CLEAR QLOCAL(ORDERS)
        AMQ8147E: Object ORDERS not found.
        > CLEAR QLOCAL(ORDERS) QSGDISP(SHARED)
        AMQ8022I: Queue cleared.
        > DELETE QLOCAL(ORDERS)
        AMQ8147E: Object ORDERS not found.
        > DELETE QLOCAL(ORDERS) QSGDISP(SHARED)
        AMQ8007I: Queue deleted.
        > DELETE CFSTRUCT(APP1)
        CSQ9022I: The command completed normally.
    "#]]
    .assert_eq(&on_member(
        "DEFINE QLOCAL(ORDERS) QSGDISP(SHARED)
         DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)
         DEFINE CFSTRUCT(APP1) RECOVER(YES)
         DEFINE CFSTRUCT(APP2)
         DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)
         DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)
         DEFINE QLOCAL(ORDERS)
         DEFINE QLOCAL(ORDERS) REPLACE
         DEFINE QALIAS(PLACE) QSGDISP(SHARED) TARGET(ORDERS)
         DISPLAY QLOCAL(ORDERS) QSGDISP CFSTRUCT CURDEPTH
         ALTER QLOCAL(ORDERS) MAXDEPTH(10)
         ALTER QLOCAL(ORDERS) QSGDISP(SHARED) MAXDEPTH(10)
         ALTER QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP2)
         DISPLAY QUEUE(ORDERS) QSGDISP(SHARED) MAXDEPTH
         DISPLAY QUEUE(ORDERS) QSGDISP(PRIVATE) MAXDEPTH
         DISPLAY QUEUE(*) CFSTRUCT(APP1) QSGDISP(ALL)
         DISPLAY QUEUE(*) WHERE(QSGDISP EQ SHARED)
         DISPLAY QSTATUS(ORDERS) CURDEPTH QSGDISP
         DISPLAY CFSTATUS(APP*)
         DISPLAY CFSTATUS(APP1) TYPE(CONNECT)
         DISPLAY CFSTATUS(APP1) TYPE(BACKUP)
         DELETE CFSTRUCT(APP1)
         CLEAR QLOCAL(ORDERS)
         CLEAR QLOCAL(ORDERS) QSGDISP(SHARED)
         DELETE QLOCAL(ORDERS)
         DELETE QLOCAL(ORDERS) QSGDISP(SHARED)
         DELETE CFSTRUCT(APP1)",
    ));
}

#[test]
fn a_group_definition_is_copied_and_its_copy_follows() {
    expect![[r#"
        > DEFINE QLOCAL(STOCK) QSGDISP(GROUP) DESCR('one')
        AMQ8006I: Queue created.
        > DISPLAY QUEUE(STOCK) DESCR QSGDISP
        AMQ8409I: Display Queue details.
           QUEUE(STOCK)                            TYPE(QLOCAL)
           QSGDISP(COPY)                           DESCR(one)
        > DISPLAY QUEUE(STOCK) QSGDISP(ALL) DESCR CURDEPTH
        AMQ8409I: Display Queue details.
           QUEUE(STOCK)                            TYPE(QLOCAL)
           CURDEPTH(0)                             DESCR(one)
        AMQ8409I: Display Queue details.
           QUEUE(STOCK)                            TYPE(QLOCAL)
           DESCR(one)
        > DEFINE QLOCAL(STOCK) QSGDISP(GROUP)
        AMQ8150E: Object STOCK already exists.
        > ALTER QLOCAL(STOCK) QSGDISP(COPY) DESCR('mine')
        AMQ8008I: Queue changed.
        > DISPLAY QUEUE(STOCK) QSGDISP(ALL) DESCR
        AMQ8409I: Display Queue details.
           QUEUE(STOCK)                            TYPE(QLOCAL)
           DESCR(mine)
        AMQ8409I: Display Queue details.
           QUEUE(STOCK)                            TYPE(QLOCAL)
           DESCR(one)
        > ALTER QLOCAL(STOCK) QSGDISP(GROUP) MAXDEPTH(7)
        AMQ8008I: Queue changed.
        > DISPLAY QUEUE(STOCK) QSGDISP(COPY) DESCR MAXDEPTH
        AMQ8409I: Display Queue details.
           QUEUE(STOCK)                            TYPE(QLOCAL)
           DESCR(one)                              MAXDEPTH(7)
        > DEFINE QLOCAL(OWN)
        AMQ8006I: Queue created.
        > DEFINE QLOCAL(OWN) QSGDISP(GROUP) DESCR('of the group')
        AMQ8006I: Queue created.
        > DISPLAY QUEUE(OWN) QSGDISP(ALL) DESCR
        AMQ8409I: Display Queue details.
           QUEUE(OWN)                              TYPE(QLOCAL)
           DESCR( )
        AMQ8409I: Display Queue details.
           QUEUE(OWN)                              TYPE(QLOCAL)
           DESCR(of the group)
        > DEFINE QLOCAL(STOCK) QSGDISP(COPY) REPLACE DESCR('again')
        AMQ8006I: Queue created.
        > DISPLAY QUEUE(STOCK) QSGDISP(COPY) DESCR MAXDEPTH
        AMQ8409I: Display Queue details.
           QUEUE(STOCK)                            TYPE(QLOCAL)
           DESCR(again)                            MAXDEPTH(7)
        > DEFINE QLOCAL(NOWHERE) QSGDISP(COPY)
        AMQ8147E: Object NOWHERE not found.
        > DELETE QLOCAL(STOCK) QSGDISP(GROUP)
        AMQ8007I: Queue deleted.
        > DISPLAY QUEUE(STOCK) QSGDISP(ALL)
        AMQ8147E: Object STOCK not found.
        > ALTER QLOCAL(STOCK) QSGDISP(GROUP) MAXDEPTH(7)
        AMQ8147E: Object STOCK not found.
        > DELETE QLOCAL(STOCK) QSGDISP(GROUP)
        AMQ8147E: Object STOCK not found.
    "#]]
    .assert_eq(&on_member(
        "DEFINE QLOCAL(STOCK) QSGDISP(GROUP) DESCR('one')
         DISPLAY QUEUE(STOCK) DESCR QSGDISP
         DISPLAY QUEUE(STOCK) QSGDISP(ALL) DESCR CURDEPTH
         DEFINE QLOCAL(STOCK) QSGDISP(GROUP)
         ALTER QLOCAL(STOCK) QSGDISP(COPY) DESCR('mine')
         DISPLAY QUEUE(STOCK) QSGDISP(ALL) DESCR
         ALTER QLOCAL(STOCK) QSGDISP(GROUP) MAXDEPTH(7)
         DISPLAY QUEUE(STOCK) QSGDISP(COPY) DESCR MAXDEPTH
         DEFINE QLOCAL(OWN)
         DEFINE QLOCAL(OWN) QSGDISP(GROUP) DESCR('of the group')
         DISPLAY QUEUE(OWN) QSGDISP(ALL) DESCR
         DEFINE QLOCAL(STOCK) QSGDISP(COPY) REPLACE DESCR('again')
         DISPLAY QUEUE(STOCK) QSGDISP(COPY) DESCR MAXDEPTH
         DEFINE QLOCAL(NOWHERE) QSGDISP(COPY)
         DELETE QLOCAL(STOCK) QSGDISP(GROUP)
         DISPLAY QUEUE(STOCK) QSGDISP(ALL)
         ALTER QLOCAL(STOCK) QSGDISP(GROUP) MAXDEPTH(7)
         DELETE QLOCAL(STOCK) QSGDISP(GROUP)",
    ));
}

/// Each kind with QSGDISP, and the attributes that DEFINE needs.
const KINDS: [(&str, &str); 8] = [
    ("QREMOTE", "RQMNAME(OTHER)"),
    ("QALIAS", "TARGET(Q)"),
    ("QMODEL", ""),
    ("PROCESS", ""),
    ("NAMELIST", ""),
    ("TOPIC", "TOPICSTR('news')"),
    ("CHANNEL", "CHLTYPE(SVRCONN)"),
    ("AUTHINFO", "AUTHTYPE(IDPWOS)"),
];

#[test]
fn every_kind_of_object_is_defined_once_for_the_group_and_copied() {
    for (kind, attributes) in KINDS {
        let member = start_member();
        let chosen = attributes.split(' ').find(|word| word.starts_with("CHLTYPE") || word.starts_with("AUTHTYPE"));
        let chosen = chosen.unwrap_or_default();
        let run = |text: &str| run_script(&member, text).join("\n");
        let shown = |disposition: &str| {
            let text = format!("DISPLAY {kind}(A) QSGDISP({disposition}) DESCR");
            let lines = crate::support::try_script(&member, &administrator(), &text).0;
            let descriptions = lines.iter().flat_map(|line| line.split("  ")).map(str::trim);
            descriptions.filter(|word| word.starts_with("DESCR(")).map(str::to_owned).collect::<Vec<_>>()
        };
        run(&format!("DEFINE {kind}(A) {attributes} QSGDISP(GROUP) DESCR('one')"));
        assert_eq!(shown("GROUP"), ["DESCR(one)"], "{kind}");
        assert_eq!(shown("COPY"), ["DESCR(one)"], "{kind}");
        assert_eq!(shown("QMGR"), [""; 0], "{kind}");
        run(&format!("ALTER {kind}(A) {chosen} QSGDISP(COPY) DESCR('mine')"));
        assert_eq!(shown("ALL"), ["DESCR(mine)", "DESCR(one)"], "{kind}");
        let dumped = dump(&member, &DumpOptions::default());
        run(&format!("ALTER {kind}(A) {chosen} QSGDISP(GROUP) DESCR('two')"));
        assert_eq!(shown("ALL"), ["DESCR(two)", "DESCR(two)"], "{kind}");
        run(&format!("DEFINE {kind}(A) {chosen} QSGDISP(COPY) REPLACE DESCR('again')"));
        assert_eq!(shown("LIVE"), ["DESCR(again)"], "{kind}");
        for refused in [
            format!("DEFINE {kind}(A) {attributes} REPLACE"),
            format!("ALTER {kind}(A) {chosen} DESCR('private')"),
            format!("DELETE {kind}(A)"),
            format!("DEFINE {kind}(B) {attributes} QSGDISP(COPY)"),
        ] {
            let outcome = crate::support::try_script(&member, &administrator(), &refused).1;
            assert_eq!(outcome, [command::Outcome::Failed], "{refused}");
        }
        run(&format!("DELETE {kind}(A) QSGDISP(GROUP)"));
        assert_eq!(shown("ALL"), [""; 0], "{kind}");
        let other = start_member();
        run_script(&other, &dumped);
        assert_eq!(dump(&other, &DumpOptions::default()), dumped, "{kind}");
    }
}

#[test]
fn kinds_that_members_never_share_have_no_disposition() {
    let member = start_member();
    for text in [
        "DEFINE LISTENER(A) TRPTYPE(TCP) QSGDISP(GROUP)",
        "DEFINE SERVICE(A) QSGDISP(GROUP)",
        "DEFINE PROCESS(A) QSGDISP(SHARED)",
        "DISPLAY COMMINFO(*) QSGDISP(ALL)",
    ] {
        let outcome = crate::support::try_script(&member, &administrator(), text).1;
        assert_eq!(outcome, [command::Outcome::SyntaxError], "{text}");
    }
}

#[test]
fn a_command_runs_where_its_scope_says() {
    expect![[r#"
        > DISPLAY QMGR QSGNAME CMDSCOPE(*)
        CSQN121I: Command responses from QM1.
        AMQ8408I: Display Queue Manager details.
           QMNAME(QM1)                             QSGNAME(QSG1)
        > DISPLAY QMGR CFCONLOS GROUPUR CMDSCOPE(QM1)
        AMQ8408I: Display Queue Manager details.
           QMNAME(QM1)                             CFCONLOS(TOLERATE)
           GROUPUR(DISABLED)
        > DEFINE QLOCAL(A) CMDSCOPE(' ')
        AMQ8006I: Queue created.
        > DEFINE QLOCAL(B) CMDSCOPE(QM2)
        CSQN135E: Queue manager QM2 is not active in the queue-sharing group.
        > DEFINE QLOCAL(B) CMDSCOPE('not a name')
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(B) CMDSCOPE('not a name')

        AMQ8424E: Not a name: 'not a name' is not an object name: ' ' is not one of A-Z a-z 0-9 . / _ %.
        > DISPLAY GROUP
        CSQM201I: Display group details.
           QSGNAME(QSG1)                           QMNAME(QM1)
           QMNUMBER(1)                             STATUS(ACTIVE)
           CMDLEVEL(942)
        > DISPLAY GROUP STATUS
        CSQM201I: Display group details.
           QSGNAME(QSG1)                           QMNAME(QM1)
           STATUS(ACTIVE)
        > DISPLAY GROUP OBSMSGS(YES)
        CSQM201I: Display group details.
           QSGNAME(QSG1)                           QMNAME(QM1)
           QMNUMBER(1)                             STATUS(ACTIVE)
           CMDLEVEL(942)
    "#]]
    .assert_eq(&on_member(
        "DISPLAY QMGR QSGNAME CMDSCOPE(*)
         DISPLAY QMGR CFCONLOS GROUPUR CMDSCOPE(QM1)
         DEFINE QLOCAL(A) CMDSCOPE(' ')
         DEFINE QLOCAL(B) CMDSCOPE(QM2)
         DEFINE QLOCAL(B) CMDSCOPE('not a name')
         DISPLAY GROUP
         DISPLAY GROUP STATUS
         DISPLAY GROUP OBSMSGS(YES)",
    ));
}

#[test]
fn attributes_of_z_os_for_shared_queues_are_taken_and_shown() {
    expect![[r#"
        > DEFINE CFSTRUCT(APP1)
        CSQ9022I: The command completed normally.
        > DEFINE QLOCAL(REPLIES) QSGDISP(SHARED) CFSTRUCT(APP1) INDXTYPE(CORRELID)
        AMQ8006I: Queue created.
        > DISPLAY QUEUE(REPLIES) INDXTYPE
        AMQ8409I: Display Queue details.
           QUEUE(REPLIES)                          TYPE(QLOCAL)
           INDXTYPE(CORRELID)
        > DEFINE QMODEL(MODEL) INDXTYPE(MSGTOKEN)
        AMQ8006I: Queue created.
        > DEFINE QALIAS(ALIAS) TARGET(REPLIES) INDXTYPE(NONE)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QALIAS(ALIAS) TARGET(REPLIES) INDXTYPE(NONE)

        AMQ8427I: Not the valid syntax of the command: INDXTYPE is not a keyword of this command.
        > DISPLAY QMGR SQQMNAME
        AMQ8408I: Display Queue Manager details.
           QMNAME(QM1)                             SQQMNAME(IGNORE)
        > ALTER QMGR SQQMNAME(USE)
        AMQ8005I: Queue manager changed.
        > DISPLAY QMGR SQQMNAME
        AMQ8408I: Display Queue Manager details.
           QMNAME(QM1)                             SQQMNAME(USE)
    "#]]
    .assert_eq(&on_member(
        "DEFINE CFSTRUCT(APP1)
         DEFINE QLOCAL(REPLIES) QSGDISP(SHARED) CFSTRUCT(APP1) INDXTYPE(CORRELID)
         DISPLAY QUEUE(REPLIES) INDXTYPE
         DEFINE QMODEL(MODEL) INDXTYPE(MSGTOKEN)
         DEFINE QALIAS(ALIAS) TARGET(REPLIES) INDXTYPE(NONE)
         DISPLAY QMGR SQQMNAME
         ALTER QMGR SQQMNAME(USE)
         DISPLAY QMGR SQQMNAME",
    ));
}

#[test]
fn what_is_dumped_of_a_member_makes_the_same_definitions_at_another() {
    let member = start_member();
    run_script(
        &member,
        "DEFINE CFSTRUCT(APP1) RECOVER(YES) OFFLD1SZ(32K)
         DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1) MAXDEPTH(10)
         DEFINE QLOCAL(STOCK) QSGDISP(GROUP) DESCR('one')
         ALTER QLOCAL(STOCK) QSGDISP(COPY) DESCR('mine')
         DEFINE QLOCAL(OWN)
         ALTER QMGR CFCONLOS(TERMINATE)",
    );
    let options = DumpOptions::default();
    let script = dump(&member, &options);
    let queues: Vec<_> = script.lines().filter(|line| line.contains("QSGDISP") || line.starts_with("DEFINE")).collect();
    expect![[r#"
        DEFINE CFSTRUCT('APP1') +
        DEFINE QLOCAL('STOCK') +
           QSGDISP(GROUP) +
        DEFINE QLOCAL('ORDERS') +
           QSGDISP(SHARED) +
        DEFINE QLOCAL('OWN') +
        DEFINE QLOCAL('STOCK') +
           QSGDISP(COPY) +"#]]
    .assert_eq(&queues.join("\n"));
    let other = start_member();
    run_script(&other, &script);
    assert_eq!(dump(&other, &options), script);
}

#[test]
fn messages_move_to_another_queue_by_mqsc_and_by_pcf() {
    let member = start_member();
    expect![[r#"
        > DEFINE CFSTRUCT(APP1)
        CSQ9022I: The command completed normally.
        > DEFINE QLOCAL(OLD)
        AMQ8006I: Queue created.
        > DEFINE QLOCAL(NEW) QSGDISP(SHARED) CFSTRUCT(APP1)
        AMQ8006I: Queue created.
        > MOVE QLOCAL(OLD) TOQLOCAL(NEW)
        QUA0021I: Messages that moved to queue NEW: 0.
        > MOVE QLOCAL(NEW) TOQLOCAL(OLD)
        AMQ8147E: Object NEW not found.
        > MOVE QLOCAL(NEW) QSGDISP(SHARED) TOQLOCAL(OLD) TYPE(ADD)
        QUA0021I: Messages that moved to queue OLD: 0.
        > MOVE QLOCAL(OLD)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        MOVE QLOCAL(OLD)

        AMQ8421E: Keyword missing: TOQLOCAL, or TOCFSTRUCT: where the messages go.
        > MOVE QLOCAL(OLD) TOQLOCAL(NEW) TOCFSTRUCT(APP1)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        MOVE QLOCAL(OLD) TOQLOCAL(NEW) TOCFSTRUCT(APP1)

        AMQ8427I: Not the valid syntax of the command: TOCFSTRUCT is not a keyword of this command.
        > MOVE QLOCAL(NEW) QSGDISP(SHARED) TOQLOCAL(OLD) CMDSCOPE(QM2)
        CSQN132E: CMDSCOPE(QM2) does not go with this QSGDISP: the group has the object once.
    "#]]
    .assert_eq(&transcript_on(
        &member,
        &administrator(),
        "DEFINE CFSTRUCT(APP1)
         DEFINE QLOCAL(OLD)
         DEFINE QLOCAL(NEW) QSGDISP(SHARED) CFSTRUCT(APP1)
         MOVE QLOCAL(OLD) TOQLOCAL(NEW)
         MOVE QLOCAL(NEW) TOQLOCAL(OLD)
         MOVE QLOCAL(NEW) QSGDISP(SHARED) TOQLOCAL(OLD) TYPE(ADD)
         MOVE QLOCAL(OLD)
         MOVE QLOCAL(OLD) TOQLOCAL(NEW) TOCFSTRUCT(APP1)
         MOVE QLOCAL(NEW) QSGDISP(SHARED) TOQLOCAL(OLD) CMDSCOPE(QM2)",
    ));
    let request = |to: &str| {
        // MQCACF_FROM_Q_NAME, MQCACF_TO_Q_NAME, MQIACF_MOVE_TYPE with MQIACF_MOVE_TYPE_ADD.
        vec![Parameter::text(3001, "OLD"), Parameter::text(3002, to), Parameter::integer(1145, 1147)]
    };
    // MQCMD_MOVE_Q.
    assert_eq!(ask(&member, 127, request("NEW"))[0].header.reason, 0);
    assert_eq!(ask(&member, 127, request("NONE"))[0].header.reason, 2085);
    assert_eq!(ask(&crate::support::start(), 127, request("NEW"))[0].header.reason, 3007);
}

/// A request, as its first answer says how it went and all of them what there is.
fn ask(queue_manager: &QueueManager, command: i32, parameters: Vec<Parameter>) -> Vec<Message> {
    let header = Header::command(command);
    let caller = administrator();
    let issuer = Issuer::new(&caller, Origin::Console);
    wait_for(command::pcf::run(queue_manager, &issuer, &Message { header, parameters }))
}

fn integer(answer: &Message, id: i32) -> Option<i32> {
    answer.parameters.iter().find(|parameter| parameter.id == id).and_then(|parameter| match parameter.value {
        ParameterValue::Integer(number) => Some(number),
        _ => None,
    })
}

const MQCA_Q_NAME: i32 = 2016;
const MQIA_Q_TYPE: i32 = 20;
const MQQT_LOCAL: i32 = 1;
const MQCA_CF_STRUC_NAME: i32 = 2039;
const MQIA_QSG_DISP: i32 = 63;
const MQQSGD_SHARED: i32 = 2;
const MQCACF_COMMAND_SCOPE: i32 = 3080;

#[test]
fn programs_define_and_inquire_structures_shared_queues_and_the_group() {
    let member = start_member();
    let structure = Parameter::text(MQCA_CF_STRUC_NAME, "APP1");
    // MQCMD_CREATE_CF_STRUC with MQIA_CF_RECOVER = MQCFR_YES.
    let created = ask(&member, 108, vec![structure.clone(), Parameter::integer(71, 1)]);
    assert_eq!(created[0].header.reason, 0);
    let queue = [
        Parameter::text(MQCA_Q_NAME, "ORDERS"),
        Parameter::integer(MQIA_Q_TYPE, MQQT_LOCAL),
        Parameter::integer(MQIA_QSG_DISP, MQQSGD_SHARED),
        structure.clone(),
    ];
    // MQCMD_CREATE_Q.
    assert_eq!(ask(&member, 11, queue.to_vec())[0].header.reason, 0);
    // MQCMD_INQUIRE_Q.
    let shown = ask(&member, 13, vec![queue[0].clone(), queue[2].clone()]);
    assert_eq!((shown.len(), integer(&shown[0], MQIA_QSG_DISP)), (1, Some(MQQSGD_SHARED)));
    // MQQSGD_PRIVATE: there is none.
    let private = ask(&member, 13, vec![queue[0].clone(), Parameter::integer(MQIA_QSG_DISP, 4)]);
    assert_eq!(private[0].header.reason, 2085);
    // MQCMD_INQUIRE_CF_STRUC.
    let shown = ask(&member, 115, vec![structure.clone()]);
    assert_eq!((integer(&shown[0], 71), integer(&shown[0], 246)), (Some(1), Some(2)), "RECOVER, CFCONLOS");
    // MQCMD_INQUIRE_CF_STRUC_STATUS: MQIACF_CF_STATUS_SUMMARY, MQCFSTATUS_ACTIVE.
    let shown = ask(&member, 116, vec![structure.clone()]);
    assert_eq!((integer(&shown[0], 1135), integer(&shown[0], 1130)), (Some(1136), Some(1)));
    // MQCMD_INQUIRE_QSG: MQQSGS_ACTIVE.
    let shown = ask(&member, 119, Vec::new());
    assert_eq!((shown.len(), integer(&shown[0], 1149)), (1, Some(2)));
    // MQCMD_DELETE_CF_STRUC while a queue names it.
    assert_eq!(ask(&member, 112, vec![structure])[0].header.reason, 4004);
}

#[test]
fn what_is_wrong_with_a_disposition_is_told_by_the_published_reason() {
    let member = start_member();
    run_script(&member, "DEFINE QLOCAL(OWN)");
    let define = |name: &str, structure: &str| {
        let parameters = vec![
            Parameter::text(MQCA_Q_NAME, name),
            Parameter::integer(MQIA_Q_TYPE, MQQT_LOCAL),
            Parameter::integer(MQIA_QSG_DISP, MQQSGD_SHARED),
            Parameter::text(MQCA_CF_STRUC_NAME, structure),
        ];
        ask(&member, 11, parameters)[0].header.reason
    };
    assert_eq!(define("SHARED", "NONE"), 3236, "MQRCCF_CF_STRUC_ERROR");
    run_script(&member, "DEFINE CFSTRUCT(APP1)");
    assert_eq!(define("OWN", "APP1"), 3211, "MQRCCF_DISPOSITION_CONFLICT");
    let elsewhere = vec![Parameter::text(MQCACF_COMMAND_SCOPE, "QM2")];
    assert_eq!(ask(&member, 40, elsewhere)[0].header.reason, 3225, "MQRCCF_COMMAND_SCOPE_ERROR");
}

#[test]
fn a_program_that_asks_a_queue_manager_in_no_group_is_refused_as_by_any_unknown_parameter() {
    let alone = crate::support::start();
    let disposition = vec![Parameter::text(MQCA_Q_NAME, "A"), Parameter::integer(MQIA_QSG_DISP, MQQSGD_SHARED)];
    assert_eq!(ask(&alone, 13, disposition)[0].header.reason, 3014);
    let scope = vec![Parameter::text(MQCACF_COMMAND_SCOPE, "*")];
    assert_eq!(ask(&alone, 40, scope)[0].header.reason, 3015);
    let model = "DEFINE QMODEL(A) DEFTYPE(SHAREDYN)";
    assert_eq!(crate::support::try_script(&alone, &administrator(), model).1, [command::Outcome::SyntaxError]);
    let structure = vec![Parameter::text(MQCA_CF_STRUC_NAME, "APP1")];
    for command in [108, 115, 116, 119] {
        assert_eq!(
            ask(&alone, command, structure.clone())[0].header.reason,
            3007,
            "{command}: MQRCCF_CFH_COMMAND_ERROR"
        );
    }
}
