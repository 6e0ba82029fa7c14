//! The command server, connections, figures, traces, log messages; and what is refused by name.

use command::{Outcome, run};
use expect_test::{Expect, expect};
use model::authority::Principal;

use crate::support::{administrator, connect, start, transcript, transcript_on, try_script, verified, wait_for};

#[track_caller]
fn check(script: &str, expected: Expect) {
    expected.assert_eq(&transcript(script));
}

#[test]
fn the_command_server_is_stopped_and_started_once_each() {
    check(
        "DISPLAY CMDSERV\nSTOP CMDSERV\nSTOP CMDSERV\nDIS CMDSERV STATUS\nSTART CMDSERV\nSTA CMDSERV",
        expect![[r#"
        > DISPLAY CMDSERV
        CSQN201I: Display command server details.
           QMNAME(QM1)                             STATUS(RUNNING)
           COMMANDQ(SYSTEM.ADMIN.COMMAND.QUEUE)
        > STOP CMDSERV
        CSQN202I: The command server is stopped.
        > STOP CMDSERV
        CSQN224I: The command server is stopped already.
        > DIS CMDSERV STATUS
        CSQN201I: Display command server details.
           QMNAME(QM1)                             STATUS(STOPPED)
        > START CMDSERV
        CSQN200I: The command server is started.
        > STA CMDSERV
        CSQN223I: The command server is started already.
    "#]],
    );
}

#[test]
fn log_messages_are_left_out_by_identifier() {
    check(
        "DISPLAY SYSTEM\nSET SYSTEM EXCLMSG(X511,X512)\nDIS SYSTEM\nSET SYSTEM EXCLMSG(NONE)\nDIS SYSTEM\n\
         SET SYSTEM EXCLMSG('a line')\nSET SYSTEM LOGLOAD(1000)\nSET SYSTEM",
        expect![[r#"
            > DISPLAY SYSTEM
            CSQY201I: Display system details.
               EXCLMSG( )
            > SET SYSTEM EXCLMSG(X511,X512)
            CSQ9022I: The command completed normally.
            > DIS SYSTEM
            CSQY201I: Display system details.
               EXCLMSG(X511,X512)
            > SET SYSTEM EXCLMSG(NONE)
            CSQ9022I: The command completed normally.
            > DIS SYSTEM
            CSQY201I: Display system details.
               EXCLMSG( )
            > SET SYSTEM EXCLMSG('a line')
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            SET SYSTEM EXCLMSG('a line')

            AMQ8425E: Not a value: EXCLMSG(a line): expected identifiers as X511 or AMQ9001.
            > SET SYSTEM LOGLOAD(1000)
            AMQ8404E: SET SYSTEM LOGLOAD is not supported by this queue manager yet.
            > SET SYSTEM
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            SET SYSTEM

            AMQ8421E: Keyword missing: EXCLMSG.
        "#]],
    );
}

#[test]
fn accounting_is_traced_by_class_and_number() {
    check(
        "DISPLAY TRACE\nSTART TRACE(ACCTG) CLASS(3)\nSTART TRACE(A)\nDIS TRACE(ACCTG)\nDIS TRACE(*) TNO(1)\n\
         STOP TRACE(ACCTG) CLASS(3)\nSTOP TRACE(ACCTG) CLASS(3)\nSTOP TRACE(*) TNO(1)\nDIS TRACE(*)\n\
         START TRACE(STAT) CLASS(1)\nSTART TRACE(ACCTG) CLASS(4)\nSTART TRACE(ACCTG) USERID(JOE)\n\
         START TRACE(FROB)\nSTART TRACE(*)\nSTOP TRACE(*) CLASS(1)\nSTART TRACE(ACCTG) DEST(GTF)",
        expect![[r#"
            > DISPLAY TRACE
            CSQW133E: There is no such trace.
            > START TRACE(ACCTG) CLASS(3)
            CSQW130I: Accounting trace started, number 00.
            > START TRACE(A)
            CSQW130I: Accounting trace started, number 01.
            > DIS TRACE(ACCTG)
            CSQW127I: Display trace details.
               TNO(0)                                  TYPE(ACCTG)
               CLASS(3)                                DEST(SMF)
               USERID(*)                               RMID(*)
            CSQW127I: Display trace details.
               TNO(1)                                  TYPE(ACCTG)
               CLASS(1)                                DEST(SMF)
               USERID(*)                               RMID(*)
            > DIS TRACE(*) TNO(1)
            CSQW127I: Display trace details.
               TNO(1)                                  TYPE(ACCTG)
               CLASS(1)                                DEST(SMF)
               USERID(*)                               RMID(*)
            > STOP TRACE(ACCTG) CLASS(3)
            CSQW131I: Trace stopped, number 00.
            > STOP TRACE(ACCTG) CLASS(3)
            CSQW133E: There is no such trace.
            > STOP TRACE(*) TNO(1)
            CSQW131I: Trace stopped, number 01.
            > DIS TRACE(*)
            CSQW133E: There is no such trace.
            > START TRACE(STAT) CLASS(1)
            AMQ8404E: START TRACE(STAT) is not supported by this queue manager yet.
            > START TRACE(ACCTG) CLASS(4)
            AMQ8404E: START TRACE(ACCTG) CLASS(4) is not supported by this queue manager yet.
            > START TRACE(ACCTG) USERID(JOE)
            AMQ8404E: START TRACE USERID is not supported by this queue manager yet.
            > START TRACE(FROB)
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            START TRACE(FROB)

            AMQ8425E: Not a value: FROB is not a type of trace.
            > START TRACE(*)
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            START TRACE(*)

            AMQ8425E: Not a value: * is not a type of trace.
            > STOP TRACE(*) CLASS(1)
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            STOP TRACE(*) CLASS(1)

            AMQ8427I: Not the valid syntax of the command: CLASS does not go with traces of every type.
            > START TRACE(ACCTG) DEST(GTF)
            AMQ8404E: START TRACE DEST(GTF) is not supported by this queue manager yet.
        "#]],
    );
}

#[test]
fn figures_of_queues_are_shown_and_begin_anew() {
    check(
        "RESET QSTATS(SYSTEM.DEFAULT.LOCAL.QUEUE)\nRESET QSTATS(NONE*)\nRESET QSTATS(SYSTEM.DEFAULT.A*) MSGSIN",
        expect![[r#"
            > RESET QSTATS(SYSTEM.DEFAULT.LOCAL.QUEUE)
            CSQM201I: Reset queue statistics details.
               QSTATS(SYSTEM.DEFAULT.LOCAL.QUEUE)      RESETINT(*)
               HIQDEPTH(0)                             MSGSIN(0)
               MSGSOUT(0)
            > RESET QSTATS(NONE*)
            AMQ8147E: Object NONE* not found.
            > RESET QSTATS(SYSTEM.DEFAULT.A*) MSGSIN
            AMQ8147E: Object SYSTEM.DEFAULT.A* not found.
        "#]],
    );
}

#[test]
fn a_connection_is_stopped_by_its_identifier() {
    let queue_manager = start();
    let connection = connect(&queue_manager, administrator(), "program");
    let hex: String = connection.identifier().iter().map(|byte| format!("{byte:02X}")).collect();
    let (extended, own) = hex.split_at(32);
    let say = |command: &str| {
        let answer = wait_for(run(&queue_manager, &administrator(), command));
        answer.lines.join("\n").replace(own, "*")
    };
    expect!["AMQ8155E: Connection 0000000000000000 not found."].assert_eq(&say("STOP CONN(0000000000000000)"));
    let wrong = format!("STOP CONN({own}) EXTCONN({})", "0".repeat(32));
    expect!["AMQ8155E: Connection * not found."].assert_eq(&say(&wrong));
    expect!["AMQ8457I: Connection stopped."].assert_eq(&say(&format!("STOP CONN({own}) EXTCONN({extended})")));
    expect!["AMQ8155E: Connection * not found."].assert_eq(&say(&format!("STOP CONN({own})")));
    assert!(queue_manager.connections().is_empty());
}

#[test]
fn who_has_no_authority_over_the_queue_manager_switches_nothing() {
    let queue_manager = start();
    let script = "STOP CMDSERV\nDIS CMDSERV\nSTOP CONN(0000000000000000)\nSET SYSTEM EXCLMSG(X511)\nDIS SYSTEM\n\
                  START TRACE(ACCTG)\nSTOP TRACE(ACCTG)\nDIS TRACE\nRESET QSTATS(SYSTEM.DEFAULT.LOCAL.QUEUE)\n\
                  DIS PUBSUB\nDIS TPSTATUS('#')\nCLEAR TOPICSTR('a') CLRTYPE(RETAINED)\nDIS SBSTATUS(*)";
    let guest = Principal::user("guest");
    let (lines, outcomes) = try_script(&queue_manager, &guest, script);
    assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Failed), "{}", lines.join("\n"));
    assert!(lines.iter().all(|line| line.starts_with("AMQ8135E")), "{}", transcript_on(&queue_manager, &guest, script));
}

#[test]
fn the_queue_manager_shows_its_attributes_by_group() {
    check(
        "DISPLAY QMGR PUBSUB\nDIS QMGR CLUSTER TREELIFE\nDIS QMGR EVENT",
        expect![[r#"
        > DISPLAY QMGR PUBSUB
        AMQ8408I: Display Queue Manager details.
           QMNAME(QM1)                             PARENT( )
           PSMODE(ENABLED)                         PSCLUS(ENABLED)
           PSNPMSG(DISCARD)                        PSNPRES(NORMAL)
           PSRTYCNT(5)                             PSSYNCPT(IFPER)
           TREELIFE(1800)
        > DIS QMGR CLUSTER TREELIFE
        AMQ8408I: Display Queue Manager details.
           QMNAME(QM1)                             CLWLDATA( )
           CLWLEXIT( )                             CLWLLEN(100)
           CLWLMRUC(999999999)                     CLWLUSEQ(LOCAL)
           DEFCLXQ(SCTQ)                           MONACLS(QMGR)
           QMID(*)           REPOS( )
           REPOSNL( )                              STATACLS(QMGR)
           TREELIFE(1800)
        > DIS QMGR EVENT
        AMQ8408I: Display Queue Manager details.
           QMNAME(QM1)                             AUTHOREV(DISABLED)
           CHADEV(DISABLED)                        CHLEV(DISABLED)
           CMDEV(DISABLED)                         CONFIGEV(DISABLED)
           INHIBTEV(DISABLED)                      LOCALEV(DISABLED)
           LOGGEREV(DISABLED)                      PERFMEV(DISABLED)
           REMOTEEV(DISABLED)                      SSLEV(DISABLED)
           STRSTPEV(ENABLED)
    "#]],
    );
    let all =
        transcript("DIS QMGR SYSTEM EVENT CHINIT CLUSTER PUBSUB").replace(" SYSTEM EVENT CHINIT CLUSTER PUBSUB", "");
    assert_eq!(all, transcript("DIS QMGR"), "every attribute is in one group");
}

#[test]
fn statistics_are_written_on_command_and_nothing_else_of_the_queue_manager_is_reset() {
    check(
        "ALTER QMGR STATMQI(ON)\nRESET QMGR TYPE(STATISTICS)\nDIS QS(SYSTEM.ADMIN.STATISTICS.QUEUE) CURDEPTH\n\
         RESET QMGR TYPE(ADVANCELOG)\nRESET QMGR TYPE(FROB)\nRESET QMGR",
        expect![[r#"
            > ALTER QMGR STATMQI(ON)
            AMQ8005I: Queue manager changed.
            > RESET QMGR TYPE(STATISTICS)
            CSQ9022I: The command completed normally.
            > DIS QS(SYSTEM.ADMIN.STATISTICS.QUEUE) CURDEPTH
            AMQ8450I: Display queue status details.
               QUEUE(SYSTEM.ADMIN.STATISTICS.QUEUE)    TYPE(QUEUE)
               CURDEPTH(1)
            > RESET QMGR TYPE(ADVANCELOG)
            AMQ8404E: RESET QMGR TYPE(ADVANCELOG) is not supported by this queue manager yet.
            > RESET QMGR TYPE(FROB)
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            RESET QMGR TYPE(FROB)

            AMQ8425E: Not a value: TYPE(FROB): expected STATISTICS.
            > RESET QMGR
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            RESET QMGR

            AMQ8421E: Keyword missing: TYPE.
        "#]],
    );
}

/// Commands of MQ that are not here are refused by name, whatever follows.
#[test]
fn what_is_not_here_is_refused_by_name() {
    let refused = [
        "ARCHIVE LOG",
        "BACKUP CFSTRUCT(A)",
        "RECOVER BSDS",
        "RECOVER CFSTRUCT(A)",
        "RVERIFY SECURITY(A)",
        "MOVE QLOCAL(A) TOQLOCAL(B)",
        "DEFINE PSID(4) BUFFPOOL(1)",
        "DEFINE STGCLASS(A) PSID(4)",
        "DEFINE BUFFPOOL(1) BUFFERS(1000)",
        "ALTER BUFFPOOL(1) BUFFERS(1000)",
        "DEFINE CFSTRUCT(A)",
        "DISPLAY USAGE",
        "DISPLAY LOG",
        "SET LOG COMPLOG(NONE)",
        "SET ARCHIVE UNIT(A)",
        "DISPLAY THREAD(*)",
        "RESOLVE INDOUBT(A) ACTION(COMMIT)",
        "RESET SMDS(*)",
        "RESET TPIPE(A)",
        "DISPLAY GROUP",
        "SUSPEND QMGR CLUSTER(A)",
        "RESUME QMGR CLUSTER(A)",
        "REFRESH CLUSTER(*)",
        "RESET CLUSTER(A) ACTION(FORCEREMOVE)",
        "START QMGR",
        "STOP QMGR",
        "START CHINIT",
        "DISPLAY CHINIT",
        "ALTER SECURITY INTERVAL(5)",
        "DISPLAY SECURITY",
        "ALTER TRACE(A)",
        "DISPLAY POLICY(*)",
        "DELETE PSID(4)",
        "DISPLAY ARCHIVE",
        "DISPLAY APSTATUS(*)",
        "DISPLAY CLUSQMGR(*)",
        "DISPLAY TCLUSTER(*)",
        "DISPLAY QCLUSTER(*)",
        "START SMDSCONN(*) CFSTRUCT(A)",
        "PURGE CHANNEL(A) CLIENTID(B)",
    ];
    for command in refused {
        let said = verified(command);
        let (verb, rest) = command.split_once(' ').unwrap();
        let object = rest.split([' ', '(']).next().unwrap();
        assert_eq!(
            said,
            format!("AMQ8404E: {verb} {object} is not supported by this queue manager yet.\n"),
            "{command}"
        );
    }
}
