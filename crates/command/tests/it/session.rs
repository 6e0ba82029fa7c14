//! Whole runmqsc sessions.

use std::sync::Arc;

use bytes::Bytes;
use command::{Outcome, run};
use expect_test::{Expect, expect};
use model::authority::Principal;
use model::descriptor::MessageDescriptor;
use model::name::QueueName;
use model::options::{ObjectDescriptor, OpenOptions, PutOptions};
use queue_manager::{ConnectOptions, Home};
use storage::private::log::disk::DirectoryDisk;

use crate::support::{administrator, run_script, session, session_on, start, start_with, try_script, wait_for};

#[track_caller]
fn check(script: &str, expected: Expect) {
    expected.assert_eq(&session(script));
}

#[test]
fn queues_are_defined_changed_shown_and_deleted() {
    check(
        "* comment\nDEF QL(A) MAXDEPTH(10) +\n   DESCR('first')\nALT QL(A) PUT(DISABLED)\nDIS QL(A) MAXDEPTH DESCR PUT\nDEL QL(A)\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                   : * comment
                 1 : DEF QL(A) MAXDEPTH(10) +
                   :    DESCR('first')
            AMQ8006I: Queue created.
                 2 : ALT QL(A) PUT(DISABLED)
            AMQ8008I: Queue changed.
                 3 : DIS QL(A) MAXDEPTH DESCR PUT
            AMQ8409I: Display Queue details.
               QUEUE(A)                                TYPE(QLOCAL)
               DESCR(first)                            MAXDEPTH(10)
               PUT(DISABLED)
                 4 : DEL QL(A)
            AMQ8007I: Queue deleted.
            4 MQSC commands read.
            No commands have a syntax error.
            All valid MQSC commands were processed.
        "#]],
    );
}

#[test]
fn one_name_shows_all_attributes_and_a_generic_name_shows_names() {
    check(
        "DEF QL(A.1)\nDEF QA(A.2) TARGET(A.1)\nDIS QL(A.1)\nDIS Q(A*)\nDIS QA(A.2)\n",
        expect![[r#"
        Quaymaster 0.1.0, open source under Apache-2.0.
        Starting MQSC for queue manager QM1.


             1 : DEF QL(A.1)
        AMQ8006I: Queue created.
             2 : DEF QA(A.2) TARGET(A.1)
        AMQ8006I: Queue created.
             3 : DIS QL(A.1)
        AMQ8409I: Display Queue details.
           QUEUE(A.1)                              TYPE(QLOCAL)
           ACCTQ(QMGR)                             ALTDATE(*)
           ALTTIME(*)                       BOQNAME( )
           BOTHRESH(0)                             CAPEXPRY(NOLIMIT)
           CLUSNL( )                               CLUSTER( )
           CLCHNAME( )                             CLWLPRTY(0)
           CLWLRANK(0)                             CLWLUSEQ(QMGR)
           CRDATE(*)                      CRTIME(*)
           CURDEPTH(0)                             CUSTOM( )
           DEFBIND(OPEN)                           DEFPRTY(0)
           DEFPSIST(NO)                            DEFPRESP(SYNC)
           DEFREADA(NO)                            DEFSOPT(SHARED)
           DEFTYPE(PREDEFINED)                     DESCR( )
           DISTL(NO)                               GET(ENABLED)
           HARDENBO                                IMGRCOVQ(QMGR)
           INITQ( )                                IPPROCS(0)
           MAXDEPTH(5000)                          MAXFSIZE(DEFAULT)
           MAXMSGL(4194304)                        MONQ(QMGR)
           MSGDLVSQ(PRIORITY)                      NOTRIGGER
           NPMCLASS(NORMAL)                        OPPROCS(0)
           PROCESS( )                              PUT(ENABLED)
           PROPCTL(COMPAT)                         QDEPTHHI(80)
           QDEPTHLO(20)                            QDPHIEV(DISABLED)
           QDPLOEV(DISABLED)                       QDPMAXEV(ENABLED)
           QSVCIEV(NONE)                           QSVCINT(999999999)
           RETINTVL(999999999)                     SCOPE(QMGR)
           SHARE                                   STATQ(QMGR)
           STREAMQ( )                              STRMQOS(BESTEF)
           TRIGDATA( )                             TRIGDPTH(1)
           TRIGMPRI(0)                             TRIGTYPE(FIRST)
           USAGE(NORMAL)
             4 : DIS Q(A*)
        AMQ8409I: Display Queue details.
           QUEUE(A.1)                              TYPE(QLOCAL)
        AMQ8409I: Display Queue details.
           QUEUE(A.2)                              TYPE(QALIAS)
             5 : DIS QA(A.2)
        AMQ8409I: Display Queue details.
           QUEUE(A.2)                              TYPE(QALIAS)
           ALTDATE(*)                     ALTTIME(*)
           CAPEXPRY(NOLIMIT)                       CLUSNL( )
           CLUSTER( )                              CLWLPRTY(0)
           CLWLRANK(0)                             CUSTOM( )
           DEFBIND(OPEN)                           DEFPRTY(0)
           DEFPSIST(NO)                            DEFPRESP(SYNC)
           DEFREADA(NO)                            DESCR( )
           GET(ENABLED)                            PUT(ENABLED)
           PROPCTL(COMPAT)                         SCOPE(QMGR)
           TARGET(A.1)                             TARGTYPE(QUEUE)
        5 MQSC commands read.
        No commands have a syntax error.
        All valid MQSC commands were processed.
    "#]],
    );
}

#[test]
fn what_cannot_be_done_is_said_with_the_published_identifiers() {
    check(
        "DEF QL(A)\nDEF QL(A)\nDEF QA(A) REPLACE TARGET(B)\nALT QA(A) PUT(DISABLED)\nDEL QL(B)\nDIS QL(B*)\nCLEAR QL(C)\n\
         DEF QL(D) LIKE(NOWHERE)\nFROB\nDEF BUFFPOOL(1)\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                 1 : DEF QL(A)
            AMQ8006I: Queue created.
                 2 : DEF QL(A)
            AMQ8150E: Object A already exists.
                 3 : DEF QA(A) REPLACE TARGET(B)
            AMQ8151E: Object A is of another type.
                 4 : ALT QA(A) PUT(DISABLED)
            AMQ8151E: Object A is of another type.
                 5 : DEL QL(B)
            AMQ8147E: Object B not found.
                 6 : DIS QL(B*)
            AMQ8147E: Object B* not found.
                 7 : CLEAR QL(C)
            AMQ8147E: Object C not found.
                 8 : DEF QL(D) LIKE(NOWHERE)
            AMQ8147E: Object NOWHERE not found.
                 9 : FROB
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            FROB

            AMQ8426I: Commands begin with one of ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, RESET, RESOLVE, SET, START, STOP.
                10 : DEF BUFFPOOL(1)
            AMQ8404E: DEFINE BUFFPOOL is not supported by this queue manager yet.
            10 MQSC commands read.
            One command has a syntax error.
            8 valid MQSC commands could not be processed.
        "#]],
    );
}

#[test]
fn like_copies_and_replace_goes_back_to_the_defaults() {
    check(
        "DEF QL(A) MAXDEPTH(7) DESCR('a')\nDEF QL(B) LIKE(A) DESCR('b')\nDIS QL(B) MAXDEPTH DESCR\n\
         DEF QL(B) REPLACE DESCR('c')\nDIS QL(B) MAXDEPTH DESCR\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                 1 : DEF QL(A) MAXDEPTH(7) DESCR('a')
            AMQ8006I: Queue created.
                 2 : DEF QL(B) LIKE(A) DESCR('b')
            AMQ8006I: Queue created.
                 3 : DIS QL(B) MAXDEPTH DESCR
            AMQ8409I: Display Queue details.
               QUEUE(B)                                TYPE(QLOCAL)
               DESCR(b)                                MAXDEPTH(7)
                 4 : DEF QL(B) REPLACE DESCR('c')
            AMQ8006I: Queue created.
                 5 : DIS QL(B) MAXDEPTH DESCR
            AMQ8409I: Display Queue details.
               QUEUE(B)                                TYPE(QLOCAL)
               DESCR(c)                                MAXDEPTH(5000)
            5 MQSC commands read.
            No commands have a syntax error.
            All valid MQSC commands were processed.
        "#]],
    );
}

#[test]
fn where_selects_and_shows_what_it_selects_by() {
    check(
        "DEF QL(A.1) MAXDEPTH(1)\nDEF QL(A.2) MAXDEPTH(2) DESCR('xyz')\nDEF QR(A.3)\nDIS Q(A*) WHERE(MAXDEPTH GE 2)\n\
         DIS Q(A*) WHERE(DESCR LK 'x*')\nDIS Q(A*) WHERE(TRIGGER EQ NO) TYPE\nDIS Q(A*) WHERE(MAXDEPTH GT 2)\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                 1 : DEF QL(A.1) MAXDEPTH(1)
            AMQ8006I: Queue created.
                 2 : DEF QL(A.2) MAXDEPTH(2) DESCR('xyz')
            AMQ8006I: Queue created.
                 3 : DEF QR(A.3)
            AMQ8006I: Queue created.
                 4 : DIS Q(A*) WHERE(MAXDEPTH GE 2)
            AMQ8409I: Display Queue details.
               QUEUE(A.2)                              TYPE(QLOCAL)
               MAXDEPTH(2)
                 5 : DIS Q(A*) WHERE(DESCR LK 'x*')
            AMQ8409I: Display Queue details.
               QUEUE(A.2)                              TYPE(QLOCAL)
               DESCR(xyz)
                 6 : DIS Q(A*) WHERE(TRIGGER EQ NO) TYPE
            AMQ8409I: Display Queue details.
               QUEUE(A.1)                              TYPE(QLOCAL)
               NOTRIGGER
            AMQ8409I: Display Queue details.
               QUEUE(A.2)                              TYPE(QLOCAL)
               NOTRIGGER
                 7 : DIS Q(A*) WHERE(MAXDEPTH GT 2)
            AMQ8147E: Object A* not found.
            7 MQSC commands read.
            No commands have a syntax error.
            One valid MQSC command could not be processed.
        "#]],
    );
}

#[test]
fn status_commands_show_queues_connections_and_handles() {
    let shown = wait_for(async {
        let queue_manager = start();
        run(&queue_manager, &administrator(), "DEFINE QLOCAL(A) MONQ(LOW)").await;
        run(&queue_manager, &administrator(), "ALTER QMGR MONQ(OFF)").await;
        let connection = queue_manager.connect(application()).unwrap();
        let object = ObjectDescriptor { name: QueueName::literal("A"), ..ObjectDescriptor::default() };
        let options = OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT;
        let opened = connection.open(&administrator(), &object, options).await.unwrap();
        let (descriptor, put) = (MessageDescriptor::default(), PutOptions::default());
        connection.put(opened.handle, descriptor, &put, Bytes::from_static(b"x")).await.unwrap();
        let script = "DIS QSTATUS(A)\nDIS QSTATUS(A) TYPE(HANDLE)\nDIS QS(A) TYPE(HANDLE) OPENTYPE(OUTPUT) USERID\n\
                      DIS QSTATUS(A) UNCOM IPPROCS\nDIS QL(A) CURDEPTH IPPROCS OPPROCS\nDIS CONN(*)\n\
                      DIS CONN(*) TYPE(ALL) APPLTAG\nDIS CONN(*) TYPE(HANDLE) WHERE(OBJNAME EQ A)\n\
                      DIS CONN(*) WHERE(OBJNAME EQ B)\nDEL QL(A)\nCLEAR QL(A)\n";
        session_on(&queue_manager, script).await
    });
    expect![[r#"
        Quaymaster 0.1.0, open source under Apache-2.0.
        Starting MQSC for queue manager QM1.


             1 : DIS QSTATUS(A)
        AMQ8450I: Display queue status details.
           QUEUE(A)                                TYPE(QUEUE)
           CURDEPTH(1)                             CURFSIZE(1)
           CURMAXFS(2088960)                       IPPROCS(1)
           LGETDATE( )                             LGETTIME( )
           LPUTDATE(*)                    LPUTTIME(*)
           MEDIALOG( )                             MONQ(LOW)
           MSGAGE(*)                               OPPROCS(1)
           QTIME( , )                              UNCOM(NO)
             2 : DIS QSTATUS(A) TYPE(HANDLE)
        AMQ8450I: Display queue status details.
           QUEUE(A)                                TYPE(HANDLE)
           APPLDESC( )                             APPLTAG(amqsput)
           APPLTYPE(USER)                          ASTATE(NONE)
           BROWSE(NO)                              CHANNEL( )
           CONNAME( )                              HSTATE(ACTIVE)
           INPUT(SHARED)                           INQUIRE(NO)
           OUTPUT(YES)                             PID(*)
           QMURID(0.0)                             SET(NO)
           TID(0)
           URID(XA_FORMATID[] XA_GTRID[] XA_BQUAL[])
           URTYPE(QMGR)                            USERID(server)
             3 : DIS QS(A) TYPE(HANDLE) OPENTYPE(OUTPUT) USERID
        AMQ8450I: Display queue status details.
           QUEUE(A)                                TYPE(HANDLE)
           USERID(server)
             4 : DIS QSTATUS(A) UNCOM IPPROCS
        AMQ8450I: Display queue status details.
           QUEUE(A)                                TYPE(QUEUE)
           IPPROCS(1)                              UNCOM(NO)
             5 : DIS QL(A) CURDEPTH IPPROCS OPPROCS
        AMQ8409I: Display Queue details.
           QUEUE(A)                                TYPE(QLOCAL)
           CURDEPTH(1)                             IPPROCS(1)
           OPPROCS(1)
             6 : DIS CONN(*)
        AMQ8276I: Display Connection details.
           CONN(*)
           EXTCONN(*)
           TYPE(CONN)                              APPLDESC( )
           APPLTAG(amqsput)                        APPLTYPE(USER)
           ASTATE(NONE)                            CHANNEL( )
           CONNAME( )                              PID(*)
           TID(0)                                  USERID(server)
           UOWSTATE(NONE)                          UOWSTDA( )
           UOWSTTI( )
             7 : DIS CONN(*) TYPE(ALL) APPLTAG
        AMQ8276I: Display Connection details.
           CONN(*)
           EXTCONN(*)
           TYPE(CONN)                              APPLTAG(amqsput)

           OBJNAME(A)                              OBJTYPE(QUEUE)
             8 : DIS CONN(*) TYPE(HANDLE) WHERE(OBJNAME EQ A)
        AMQ8276I: Display Connection details.
           CONN(*)
           EXTCONN(*)
           TYPE(CONN)

           OBJNAME(A)                              OBJTYPE(QUEUE)
           ASTATE(NONE)                            HSTATE(ACTIVE)
           OPENOPTS(MQOO_INPUT_SHARED,MQOO_OUTPUT)
           READA(NO)
             9 : DIS CONN(*) WHERE(OBJNAME EQ B)
        AMQ8155E: Connection * not found.
            10 : DEL QL(A)
        AMQ8148E: Object A is in use.
            11 : CLEAR QL(A)
        AMQ8148E: Object A is in use.
        11 MQSC commands read.
        No commands have a syntax error.
        3 valid MQSC commands could not be processed.
    "#]]
    .assert_eq(&shown);
}

fn application() -> ConnectOptions {
    ConnectOptions {
        principal: administrator(),
        application_name: "amqsput".to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    }
}

#[test]
fn what_nobody_uses_has_no_status() {
    check(
        "DEF QL(A)\nDIS QSTATUS(A)\nDIS QSTATUS(A) TYPE(HANDLE)\nDIS QSTATUS(B)\nDIS QMSTATUS\nDIS QMSTATUS ALL\n\
         DIS CONN(*)\nPING QMGR\nREFRESH SECURITY\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                 1 : DEF QL(A)
            AMQ8006I: Queue created.
                 2 : DIS QSTATUS(A)
            AMQ8450I: Display queue status details.
               QUEUE(A)                                TYPE(QUEUE)
               CURDEPTH(0)                             CURFSIZE(0)
               CURMAXFS(2088960)                       IPPROCS(0)
               LGETDATE( )                             LGETTIME( )
               LPUTDATE(*)                             LPUTTIME(*)
               MEDIALOG( )                             MONQ(OFF)
               MSGAGE(*)                               OPPROCS(0)
               QTIME( , )                              UNCOM(NO)
                 3 : DIS QSTATUS(A) TYPE(HANDLE)
            AMQ8565E: No handle is open: queue status of A not found.
                 4 : DIS QSTATUS(B)
            AMQ8147E: Object B not found.
                 5 : DIS QMSTATUS
            AMQ8705I: Display Queue Manager Status details.
               QMNAME(QM1)                             STATUS(RUNNING)
                 6 : DIS QMSTATUS ALL
            AMQ8705I: Display Queue Manager Status details.
               QMNAME(QM1)                             STATUS(RUNNING)
               CHINIT(STOPPED)                         CMDSERV(STOPPED)
               CONNS(0)                                HOSTNAME(*)
               LDAPCONN(INACTIVE)                      LOGFSUSE(*)
               LOGTYPE(CIRCULAR)                       STANDBY(NOPERMIT)
               STARTDA(*)                     STARTTI(*)
                 7 : DIS CONN(*)
            AMQ8155E: Connection * not found.
                 8 : PING QMGR
            AMQ8415I: The queue manager answers.
                 9 : REFRESH SECURITY
            AMQ8560I: Security information refreshed.
            9 MQSC commands read.
            No commands have a syntax error.
            3 valid MQSC commands could not be processed.
        "#]],
    );
}

#[test]
fn a_queue_that_holds_messages_is_deleted_only_with_purge() {
    let shown = wait_for(async {
        let queue_manager = start();
        run(&queue_manager, &administrator(), "DEFINE QLOCAL(A)").await;
        let connection = queue_manager.connect(application()).unwrap();
        let object = ObjectDescriptor { name: QueueName::literal("A"), ..ObjectDescriptor::default() };
        let (descriptor, put) = (MessageDescriptor::default(), PutOptions::default());
        connection.put1(&administrator(), &object, descriptor, &put, Bytes::from_static(b"x")).await.unwrap();
        session_on(&queue_manager, "DIS QL(A) CURDEPTH\nDEL QL(A)\nDEL QL(A) PURGE\nDIS QL(A)\n").await
    });
    expect![[r#"
        Quaymaster 0.1.0, open source under Apache-2.0.
        Starting MQSC for queue manager QM1.


             1 : DIS QL(A) CURDEPTH
        AMQ8409I: Display Queue details.
           QUEUE(A)                                TYPE(QLOCAL)
           CURDEPTH(1)
             2 : DEL QL(A)
        AMQ8143E: Queue A is not empty.
             3 : DEL QL(A) PURGE
        AMQ8007I: Queue deleted.
             4 : DIS QL(A)
        AMQ8147E: Object A not found.
        4 MQSC commands read.
        No commands have a syntax error.
        2 valid MQSC commands could not be processed.
    "#]]
    .assert_eq(&shown);
}

#[test]
fn the_queue_manager_is_altered_and_shown() {
    check(
        "ALTER QMGR DESCR('mine') MAXHANDS(5) CHLEV(EXCEPTION)\nDIS QMGR DESCR MAXHANDS CHLEV SYNCPT\nDIS QMGR\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                 1 : ALTER QMGR DESCR('mine') MAXHANDS(5) CHLEV(EXCEPTION)
            AMQ8005I: Queue manager changed.
                 2 : DIS QMGR DESCR MAXHANDS CHLEV SYNCPT
            AMQ8408I: Display Queue Manager details.
               QMNAME(QM1)                             CHLEV(EXCEPTION)
               DESCR(mine)                             MAXHANDS(5)
               SYNCPT
                 3 : DIS QMGR
            AMQ8408I: Display Queue Manager details.
               QMNAME(QM1)                             ACCTCONO(DISABLED)
               ACCTINT(1800)                           ACCTMQI(OFF)
               ACCTQ(OFF)                              ACTIVREC(MSG)
               ACTVCONO(DISABLED)                      ACTVTRC(OFF)
               ADVCAP(ENABLED)                         ALTDATE(*)
               ALTTIME(*)                       AMQPCAP(NO)
               AUTHOREV(DISABLED)                      CCSID(1208)
               CERTLABL(ibmwebspheremqqm1)             CERTVPOL(ANY)
               CHAD(DISABLED)                          CHADEV(DISABLED)
               CHADEXIT( )                             CHLEV(EXCEPTION)
               CHLAUTH(ENABLED)                        CLWLDATA( )
               CLWLEXIT( )                             CLWLLEN(100)
               CLWLMRUC(999999999)                     CLWLUSEQ(LOCAL)
               CMDEV(DISABLED)                         CMDLEVEL(942)
               COMMANDQ(SYSTEM.ADMIN.COMMAND.QUEUE)    CONFIGEV(DISABLED)
               CONNAUTH( )                             CRDATE(*)
               CRTIME(*)                        CUSTOM( )
               DEADQ( )                                DEFCLXQ(SCTQ)
               DEFXMITQ( )                             DESCR(mine)
               DISTL(NO)                               IMGINTVL(60)
               IMGLOGLN(OFF)                           IMGRCOVO(YES)
               IMGRCOVQ(YES)                           IMGSCHED(MANUAL)
               INHIBTEV(DISABLED)                      IPADDRV(IPV4)
               LOCALEV(DISABLED)                       LOGGEREV(DISABLED)
               MARKINT(5000)                           MAXHANDS(5)
               MAXMSGL(4194304)                        MAXPROPL(NOLIMIT)
               MAXPRTY(9)                              MAXUMSGS(10000)
               MONACLS(QMGR)                           MONCHL(OFF)
               MONQ(OFF)                               PARENT( )
               PERFMEV(DISABLED)                       PLATFORM(UNIX)
               PSMODE(ENABLED)                         PSCLUS(ENABLED)
               PSNPMSG(DISCARD)                        PSNPRES(NORMAL)
               PSRTYCNT(5)                             PSSYNCPT(IFPER)
               QMID(*)           REMOTEEV(DISABLED)
               REPOS( )                                REPOSNL( )
               REVDNS(ENABLED)                         ROUTEREC(MSG)
               SCHINIT(QMGR)                           SCMDSERV(QMGR)
               SPLCAP(DISABLED)                        SSLCRLNL( )
               SSLCRYP( )                              SSLEV(DISABLED)
               SSLFIPS(NO)                             SSLKEYR( )
               SSLRKEYC(0)                             STATACLS(QMGR)
               STATCHL(OFF)                            STATINT(1800)
               STATMQI(OFF)                            STATQ(OFF)
               STRSTPEV(ENABLED)                       SUITEB(NONE)
               SYNCPT                                  TREELIFE(1800)
               TRIGINT(999999999)                      VERSION(09040200)
               XRCAP(NO)
            3 MQSC commands read.
            No commands have a syntax error.
            All valid MQSC commands were processed.
        "#]],
    );
}

#[test]
fn topics_and_subscriptions_have_the_same_life() {
    check(
        "DEF QL(Q)\nDEF TOPIC(T) TOPICSTR('a/b')\nALT TOPIC(T) PUB(DISABLED)\nDIS TOPIC(T)\nDEF SUB('s one') TOPICOBJ(T) TOPICSTR('c') DEST(Q)\n\
         DIS SUB('s one')\nALT SUB('s one') USERDATA('u')\nDIS SUB(*) WHERE(USERDATA EQ 'u') DEST\nDIS SBSTATUS('s one')\nDEL SUB('s one')\nDEL TOPIC(T)\n\
         DEF TOPIC(U)\nDEF SUB(S) DEST(Q)\nDEF SUB(S) TOPICSTR(X)\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                 1 : DEF QL(Q)
            AMQ8006I: Queue created.
                 2 : DEF TOPIC(T) TOPICSTR('a/b')
            AMQ8690I: Topic created.
                 3 : ALT TOPIC(T) PUB(DISABLED)
            AMQ8691I: Topic changed.
                 4 : DIS TOPIC(T)
            AMQ8633I: Display topic details.
               TOPIC(T)                                TYPE(LOCAL)
               ALTDATE(*)                     ALTTIME(*)
               CAPEXPRY(ASPARENT)                      CLROUTE(DIRECT)
               CLUSTER( )                              COMMINFO( )
               CUSTOM( )                               DEFPRTY(ASPARENT)
               DEFPSIST(ASPARENT)                      DEFPRESP(ASPARENT)
               DESCR( )                                DURSUB(ASPARENT)
               MCAST(ASPARENT)                         MDURMDL( )
               MNDURMDL( )                             NPMSGDLV(ASPARENT)
               PMSGDLV(ASPARENT)                       PROXYSUB(FIRSTUSE)
               PUB(DISABLED)                           PUBSCOPE(ASPARENT)
               SUB(ASPARENT)                           SUBSCOPE(ASPARENT)
               TOPICSTR(a/b)                           USEDLQ(ASPARENT)
               WILDCARD(PASSTHRU)
                 5 : DEF SUB('s one') TOPICOBJ(T) TOPICSTR('c') DEST(Q)
            AMQ8094I: Subscription created.
                 6 : DIS SUB('s one')
            AMQ8096I: Display Subscription details.
               SUBID(*)
               SUB(s one)                              TOPICSTR(a/b/c)
               TOPICOBJ(T)                             DISTYPE(RESOLVED)
               DEST(Q)                                 DESTQMGR( )
               DESTCORL(*)
               DESTCLAS(PROVIDED)                      DURABLE(YES)
               EXPIRY(UNLIMITED)                       PSPROP(MSGPROP)
               PUBACCT(0000000000000000000000000000000000000000000000000000000000000000)
               PUBAPPID( )                             PUBPRTY(ASPUB)
               REQONLY(NO)                             SELECTOR( )
               SELTYPE(NONE)                           SUBLEVEL(1)
               SUBSCOPE(ALL)                           SUBTYPE(ADMIN)
               SUBUSER(server)                         USERDATA( )
               VARUSER(ANY)                            WSCHEMA(TOPIC)
               CRDATE(*)                      CRTIME(*)
               ALTDATE(*)                     ALTTIME(*)
                 7 : ALT SUB('s one') USERDATA('u')
            AMQ8095I: Subscription changed.
                 8 : DIS SUB(*) WHERE(USERDATA EQ 'u') DEST
            AMQ8096I: Display Subscription details.
               SUBID(*)
               SUB(s one)                              DEST(Q)
               USERDATA(u)
                 9 : DIS SBSTATUS('s one')
            AMQ8099I: Display Subscription Status details.
               SUB(s one)
               SUBID(*)
               DURABLE(YES)                            SUBTYPE(ADMIN)
               SUBUSER(server)                         TOPICSTR(a/b/c)
                10 : DEL SUB('s one')
            AMQ8097I: Subscription deleted.
                11 : DEL TOPIC(T)
            AMQ8692I: Topic deleted.
                12 : DEF TOPIC(U)
            AMQ8421E: Keyword missing: a topic needs a topic string.
                13 : DEF SUB(S) DEST(Q)
            AMQ8421E: Keyword missing: a subscription needs a topic string or a topic object.
                14 : DEF SUB(S) TOPICSTR(X)
            AMQ8421E: Keyword missing: a subscription that is not managed needs a destination.
            14 MQSC commands read.
            No commands have a syntax error.
            3 valid MQSC commands could not be processed.
        "#]],
    );
}

#[test]
fn authority_records_are_set_shown_and_deleted() {
    check(
        "SET AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,INQ)\n\
         SET AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHRMV(INQ)\n\
         SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(ALLMQI)\n\
         DIS AUTHREC PROFILE('A.**') OBJTYPE(QUEUE)\nDIS AUTHREC OBJTYPE(QMGR)\n\
         DELETE AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('app')\nDIS AUTHREC PROFILE('A.**')\n",
        expect![[r#"
            Quaymaster 0.1.0, open source under Apache-2.0.
            Starting MQSC for queue manager QM1.


                 1 : SET AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,INQ)
            AMQ8862I: Authority record set.
                 2 : SET AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHRMV(INQ)
            AMQ8862I: Authority record set.
                 3 : SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(ALLMQI)
            AMQ8862I: Authority record set.
                 4 : DIS AUTHREC PROFILE('A.**') OBJTYPE(QUEUE)
            AMQ8864I: Display authority record details.
               PROFILE(A.**)                           ENTITY(app)
               ENTTYPE(PRINCIPAL)                      OBJTYPE(QUEUE)
               AUTHLIST(GET,PUT)
                 5 : DIS AUTHREC OBJTYPE(QMGR)
            AMQ8864I: Display authority record details.
               PROFILE(QM1)                            ENTITY(staff)
               ENTTYPE(GROUP)                          OBJTYPE(QMGR)
               AUTHLIST(ALTUSR,CONNECT,INQ,SET,SETALL,SETID)
                 6 : DELETE AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('app')
            AMQ8863I: Authority record deleted.
                 7 : DIS AUTHREC PROFILE('A.**')
            AMQ8884E: Authority record of A.** not found.
            7 MQSC commands read.
            No commands have a syntax error.
            One valid MQSC command could not be processed.
        "#]],
    );
}

#[test]
fn a_user_without_authority_changes_nothing_and_sees_nothing() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(A)\nSET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('reader') AUTHADD(DSP)",
    );
    let stranger = Principal::user("stranger");
    let script = "DEFINE QLOCAL(B)\nALTER QLOCAL(A) PUT(DISABLED)\nDELETE QLOCAL(A)\nCLEAR QLOCAL(A)\nDISPLAY QLOCAL(A)\n\
                  ALTER QMGR DESCR('x')\nDISPLAY QMGR\nDISPLAY CONN(*)\nSET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('stranger') AUTHADD(ALL)";
    let (lines, outcomes) = try_script(&queue_manager, &stranger, script);
    assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Failed), "{}", lines.join("\n"));

    let (lines, outcomes) =
        try_script(&queue_manager, &Principal::user("reader"), "DISPLAY QLOCAL(A)\nDELETE QLOCAL(A)");
    assert_eq!(outcomes, [Outcome::Succeeded, Outcome::Failed], "{}", lines.join("\n"));
}

/// The first waits for its disk when the second begins.
#[test]
fn alterations_at_once_all_hold() {
    let directory = tempfile::tempdir().unwrap();
    let disk = DirectoryDisk::open(directory.path().to_owned()).unwrap();
    let queue_manager = start_with(Home::Disk(Arc::new(disk)));
    run_script(
        &queue_manager,
        "DEF QL(Q)\nDEF PROCESS(P)\nDEF TOPIC(T) TOPICSTR('t')\nDEF SUB(S) TOPICSTR('t') DEST(Q)",
    );
    let pairs = [
        ("QLOCAL(Q)", ["MAXDEPTH(9)", "DESCR(X)"]),
        ("QMGR", ["MAXHANDS(9)", "DESCR(X)"]),
        ("PROCESS(P)", ["USERDATA(Y)", "DESCR(X)"]),
        ("TOPIC(T)", ["PUB(DISABLED)", "DESCR(X)"]),
        ("SUB(S)", ["USERDATA(Y)", "PUBPRTY(3)"]),
    ];
    for (object, settings) in pairs {
        let alterations = settings.map(|setting| {
            let (queue_manager, text) = (queue_manager.clone(), format!("ALTER {object} {setting}"));
            async move { run(&queue_manager, &administrator(), &text).await.outcome }
        });
        let outcomes = wait_for(async {
            let [first, second] = alterations.map(tokio::spawn);
            [first.await.unwrap(), second.await.unwrap()]
        });
        assert_eq!(outcomes, [Outcome::Succeeded, Outcome::Succeeded], "{object}");
        let shown = run_script(&queue_manager, &format!("DIS {object} ALL")).join("\n");
        for setting in settings {
            assert!(shown.contains(setting), "{setting} of {object}:\n{shown}");
        }
    }
}
