//! Channels, listeners, processes, namelists, services, authentication and communication information by MQSC: every
//! attribute from DEFINE to a restart, defaults, LIKE, selection, and what is refused.

use std::path::Path;
use std::sync::Arc;

use command::{DumpOptions, dump};
use expect_test::expect;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::attribute::{self, Access, Kind, ValueType};
use queue_manager::{Home, QueueManager};
use storage::private::log::disk::DirectoryDisk;

use crate::every_attribute::{other_than_default, required, type_parameter};
use crate::support::{administrator, run_script, start, start_with, transcript, transcript_on, try_script, wait_for};

fn start_in(directory: &Path) -> QueueManager {
    start_with(Home::Disk(Arc::new(DirectoryDisk::open(directory.to_owned()).unwrap())))
}

fn administered() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.is_administered() && *kind != Kind::Structure)
}

/// A name that no other kind has.
fn name_of(kind: Kind) -> String {
    format!("X.{kind:?}").to_ascii_uppercase().chars().take(20).collect()
}

/// DEFINE with every settable attribute at something else than its default, and what DISPLAY shows for each.
fn everything(kind: Kind) -> (String, Vec<String>) {
    let rows = attribute::of(kind).filter(|row| row.access != Access::ReadOnly);
    let (set, shown): (Vec<_>, Vec<_>) = rows.map(|row| other_than_default(row, kind)).unzip();
    let define = format!("DEFINE {}({}){} {}", kind.mqsc(), name_of(kind), type_parameter(kind), set.join(" "));
    (define, shown)
}

fn display(kind: Kind) -> String {
    format!("DISPLAY {}({}){} ALL", kind.mqsc(), name_of(kind), type_parameter(kind))
}

#[test]
fn every_attribute_of_every_kind_is_set_shown_dumped_and_lasts() {
    let directory = tempfile::tempdir().unwrap();
    let queue_manager = start_in(directory.path());
    let mut before = Vec::new();
    for kind in administered() {
        let (define, shown) = everything(kind);
        run_script(&queue_manager, &define);
        let lines = run_script(&queue_manager, &display(kind));
        for value in shown {
            let found = lines.iter().any(|line| line.contains(&value));
            assert!(found, "{kind:?}: {value} is not in\n{}", lines.join("\n"));
        }
        before.push(lines);
    }
    let options = DumpOptions { name: Some("X.*".to_owned()), ..DumpOptions::default() };
    let written = dump(&queue_manager, &options);
    wait_for(queue_manager.stop());
    drop(queue_manager);

    let queue_manager = start_in(directory.path());
    for (kind, before) in administered().zip(before) {
        assert_eq!(run_script(&queue_manager, &display(kind)), before, "{kind:?} after a restart");
    }
    assert_eq!(dump(&queue_manager, &options), written);

    let other = start();
    run_script(&other, &written);
    let again = dump(&other, &options);
    // Passwords are not written.
    let without_comments = |text: &str| -> String { text.lines().filter(|line| !line.starts_with("* ")).collect() };
    assert_eq!(without_comments(&again), without_comments(&written));
    assert!(written.contains("* LDAPPWD of X.AUTHENTICATIONLDAP is set") && !written.contains("secret"), "{written}");
    for kind in administered() {
        let (_, shown) = everything(kind);
        let secrets = attribute::of(kind).filter(|row| matches!(row.value, ValueType::Secret { .. })).count();
        let lines = run_script(&other, &display(kind)).join("\n");
        assert_eq!(shown.iter().filter(|value| !lines.contains(*value)).count(), secrets, "{kind:?}\n{lines}");
    }
}

#[test]
fn alter_changes_what_it_names_and_replace_starts_from_the_defaults() {
    let queue_manager = start();
    for kind in administered() {
        let (keyword, head, name) = (kind.mqsc(), type_parameter(kind), name_of(kind));
        let needed: String = attribute::find(kind, "DESCR").map(|row| required(kind, row)).unwrap();
        run_script(&queue_manager, &format!("DEFINE {keyword}({name}){head}{needed}"));
        let fresh = run_script(&queue_manager, &display(kind));
        run_script(&queue_manager, &format!("ALTER {keyword}({name}){head} DESCR('changed')"));
        let shown = run_script(&queue_manager, &format!("DISPLAY {keyword}({name}) DESCR")).join("\n");
        assert!(shown.contains("DESCR(changed)"), "{shown}");
        run_script(&queue_manager, &format!("DEFINE {keyword}({name}){head}{needed} REPLACE"));
        let replaced = run_script(&queue_manager, &display(kind));
        let without_time = |lines: &[String]| -> Vec<String> {
            lines.iter().map(|line| crate::support::mask(&crate::support::mask(line, "ALTTIME("), "ALTDATE(")).collect()
        };
        assert_eq!(without_time(&replaced), without_time(&fresh), "{kind:?}");
    }
}

#[test]
fn the_default_channels_show_what_those_of_the_product_show() {
    let script = "DISPLAY CHANNEL(SYSTEM.DEF.SVRCONN)\nDISPLAY CHANNEL(SYSTEM.DEF.SENDER) ALL\n\
                  DIS CHL(SYSTEM.DEF.CLNTCONN) ALL\nDISPLAY CHANNEL(SYSTEM.*)\n\
                  DIS CHL(SYSTEM.DEF.CLUSRCVR) BATCHSZ MRRTY NETPRTY MCATYPE\nDIS CHL(SYSTEM.DEF.AMQP)";
    expect![[r#"
        > DISPLAY CHANNEL(SYSTEM.DEF.SVRCONN)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.SVRCONN)             CHLTYPE(SVRCONN)
           ALTDATE(*)                     ALTTIME(*)
           CERTLABL( )                             COMPHDR(NONE)
           COMPMSG(NONE)                           DESCR( )
           DISCINT(0)                              HBINT(300)
           KAINT(AUTO)                             MAXINST(999999999)
           MAXINSTC(999999999)                     MAXMSGL(4194304)
           MCAUSER( )                              MONCHL(QMGR)
           RCVDATA( )                              RCVEXIT( )
           SCYDATA( )                              SCYEXIT( )
           SENDDATA( )                             SENDEXIT( )
           SHARECNV(10)                            SSLCAUTH(REQUIRED)
           SSLCIPH( )                              SSLPEER( )
           TRPTYPE(TCP)
        > DISPLAY CHANNEL(SYSTEM.DEF.SENDER) ALL
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.SENDER)              CHLTYPE(SDR)
           ALTDATE(*)                     ALTTIME(*)
           BATCHHB(0)                              BATCHINT(0)
           BATCHLIM(5000)                          BATCHSZ(50)
           CERTLABL( )                             COMPHDR(NONE)
           COMPMSG(NONE)                           CONNAME( )
           CONVERT(NO)                             DESCR( )
           DISCINT(6000)                           HBINT(300)
           KAINT(AUTO)                             LOCLADDR( )
           LONGRTY(999999999)                      LONGTMR(1200)
           MAXMSGL(4194304)                        MCANAME( )
           MCATYPE(PROCESS)                        MCAUSER( )
           MODENAME( )                             MONCHL(QMGR)
           MSGDATA( )                              MSGEXIT( )
           NPMSPEED(FAST)                          PASSWORD( )
           PROPCTL(COMPAT)                         RCVDATA( )
           RCVEXIT( )                              RESETSEQ(NO)
           SCYDATA( )                              SCYEXIT( )
           SENDDATA( )                             SENDEXIT( )
           SEQWRAP(999999999)                      SHORTRTY(10)
           SHORTTMR(60)                            SSLCIPH( )
           SSLPEER( )                              STATCHL(QMGR)
           TPNAME( )                               TRPTYPE(TCP)
           USEDLQ(YES)                             USERID( )
           XMITQ( )
        > DIS CHL(SYSTEM.DEF.CLNTCONN) ALL
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.CLNTCONN)            CHLTYPE(CLNTCONN)
           AFFINITY(PREFERRED)                     ALTDATE(*)
           ALTTIME(*)                       CERTLABL( )
           CLNTWGHT(0)                             COMPHDR(NONE)
           COMPMSG(NONE)                           CONNAME( )
           DEFRECON(NO)                            DESCR( )
           HBINT(300)                              KAINT(AUTO)
           LOCLADDR( )                             MAXMSGL(4194304)
           MODENAME( )                             PASSWORD( )
           QMNAME( )                               RCVDATA( )
           RCVEXIT( )                              SCYDATA( )
           SCYEXIT( )                              SENDDATA( )
           SENDEXIT( )                             SHARECNV(10)
           SSLCIPH( )                              SSLPEER( )
           TPNAME( )                               TRPTYPE(TCP)
           USERID( )
        > DISPLAY CHANNEL(SYSTEM.*)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.AUTO.RECEIVER)           CHLTYPE(RCVR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.AUTO.SVRCONN)            CHLTYPE(SVRCONN)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.AMQP)                CHLTYPE(AMQP)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.CLUSRCVR)            CHLTYPE(CLUSRCVR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.CLUSSDR)             CHLTYPE(CLUSSDR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.RECEIVER)            CHLTYPE(RCVR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.REQUESTER)           CHLTYPE(RQSTR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.SENDER)              CHLTYPE(SDR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.SERVER)              CHLTYPE(SVR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.SVRCONN)             CHLTYPE(SVRCONN)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.CLNTCONN)            CHLTYPE(CLNTCONN)
        > DIS CHL(SYSTEM.DEF.CLUSRCVR) BATCHSZ MRRTY NETPRTY MCATYPE
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.CLUSRCVR)            CHLTYPE(CLUSRCVR)
           BATCHSZ(50)                             MCATYPE(THREAD)
           MRRTY(10)                               NETPRTY(0)
        > DIS CHL(SYSTEM.DEF.AMQP)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.AMQP)                CHLTYPE(AMQP)
           ALTDATE(*)                     ALTTIME(*)
           CERTLABL( )                             DESCR( )
           AMQPKA(AUTO)                            LOCLADDR( )
           MAXINST(999999999)                      MAXMSGL(4194304)
           MCAUSER( )                              PORT(5672)
           SSLCAUTH(REQUIRED)                      SSLCIPH( )
           SSLPEER( )                              TPROOT(SYSTEM.BASE.TOPIC)
           TMPMODEL(SYSTEM.DEFAULT.MODEL.QUEUE)    TMPQPRFX(AMQP.*)
           USECLTID(NO)
    "#]]
    .assert_eq(&transcript(script));
}

#[test]
fn the_other_default_objects_are_there() {
    let script = "DIS LSTR(*) ALL\nDIS PROCESS(*) ALL\nDIS NL(*) ALL\nDIS SERVICE(*) ALL\nDIS AUTHINFO(*)\n\
                  DIS AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP) ALL\nDIS COMMINFO(*) ALL";
    expect![[r#"
        > DIS LSTR(*) ALL
        AMQ8630I: Display listener information details.
           LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)   CONTROL(MANUAL)
           TRPTYPE(TCP)                            PORT(0)
           IPADDR( )                               BACKLOG(0)
           DESCR( )                                ALTDATE(*)
           ALTTIME(*)
        AMQ8630I: Display listener information details.
           LISTENER(SYSTEM.LISTENER.TCP.1)         CONTROL(MANUAL)
           TRPTYPE(TCP)                            PORT(1414)
           IPADDR( )                               BACKLOG(0)
           DESCR( )                                ALTDATE(*)
           ALTTIME(*)
        > DIS PROCESS(*) ALL
        AMQ8407I: Display Process details.
           PROCESS(SYSTEM.DEFAULT.PROCESS)         ALTDATE(*)
           ALTTIME(*)                       APPLICID( )
           APPLTYPE(UNIX)                          DESCR( )
           ENVRDATA( )                             USERDATA( )
        > DIS NL(*) ALL
        AMQ8550I: Display namelist details.
           NAMELIST(SYSTEM.DEFAULT.NAMELIST)       ALTDATE(*)
           ALTTIME(*)                       DESCR( )
           NAMCOUNT(0)                             NAMES( )
        AMQ8550I: Display namelist details.
           NAMELIST(SYSTEM.QPUBSUB.QUEUE.NAMELIST)
           ALTDATE(*)                     ALTTIME(*)
           DESCR( )                                NAMCOUNT(2)
           NAMES(SYSTEM.BROKER.DEFAULT.STREAM,SYSTEM.BROKER.ADMIN.STREAM)
        AMQ8550I: Display namelist details.
           NAMELIST(SYSTEM.QPUBSUB.SUBPOINT.NAMELIST)
           ALTDATE(*)                     ALTTIME(*)
           DESCR( )                                NAMCOUNT(1)
           NAMES(SYSTEM.BROKER.DEFAULT.SUBPOINT)
        > DIS SERVICE(*) ALL
        AMQ8629I: Display service information details.
           SERVICE(SYSTEM.DEFAULT.SERVICE)         ALTDATE(*)
           ALTTIME(*)                       CONTROL(MANUAL)
           DESCR( )                                SERVTYPE(COMMAND)
           STARTARG( )                             STARTCMD( )
           STDERR( )                               STDOUT( )
           STOPARG( )                              STOPCMD( )
        > DIS AUTHINFO(*)
        AMQ8566I: Display authentication information details.
           AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.CRLLDAP)
           AUTHTYPE(CRLLDAP)
        AMQ8566I: Display authentication information details.
           AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP)
           AUTHTYPE(IDPWLDAP)
        AMQ8566I: Display authentication information details.
           AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)
           AUTHTYPE(IDPWOS)
        AMQ8566I: Display authentication information details.
           AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.OCSP)
           AUTHTYPE(OCSP)
        > DIS AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP) ALL
        AMQ8566I: Display authentication information details.
           AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP)
           AUTHTYPE(IDPWLDAP)                      ADOPTCTX(YES)
           DESCR( )                                CONNAME( )
           CHCKCLNT(REQUIRED)                      CHCKLOCL(OPTIONAL)
           CLASSGRP( )                             CLASSUSR( )
           FAILDLAY(1)                             FINDGRP( )
           BASEDNG( )                              BASEDNU( )
           LDAPUSER( )                             LDAPPWD( )
           SHORTUSR( )                             GRPFIELD( )
           USRFIELD( )                             AUTHORMD(OS)
           NESTGRP(NO)                             SECCOMM(NO)
           ALTDATE(*)                     ALTTIME(*)
        > DIS COMMINFO(*) ALL
        AMQ8861I: Display communication information details.
           COMMINFO(SYSTEM.DEFAULT.COMMINFO.MULTICAST)
           TYPE(MULTICAST)                         ALTDATE(*)
           ALTTIME(*)                       BRIDGE(ENABLED)
           CCSID(ASPUB)                            COMMEV(DISABLED)
           DESCR( )                                ENCODING(ASPUB)
           GRPADDR(239.0.0.0)                      MCHBINT(2000)
           MCPROP(ALL)                             MONINT(60)
           MSGHIST(100)                            NSUBHIST(NONE)
           PORT(1414)
    "#]]
    .assert_eq(&transcript(script));
}

#[test]
fn each_kind_has_its_messages() {
    let script = "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(C) CHLTYPE(SVRCONN)\n\
                  ALTER CHANNEL(C) CHLTYPE(SVRCONN) MAXINST(5)\n\
                  DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('host(1414),other(1415)') QMNAME(QM1)\n\
                  DIS CHANNEL(C) CONNAME\nDELETE CHANNEL(C) CHLTABLE(CLNTTBL)\nDELETE CHANNEL(C)\nDELETE CHANNEL(C)\n\
                  DEF LISTENER(L) TRPTYPE(TCP) PORT(1415) CONTROL(QMGR)\nALT LSTR(L) TRPTYPE(TCP) BACKLOG(9)\nDEL LISTENER(L)\n\
                  DEF PROCESS(P) APPLTYPE(DEF)\nDEF PROC(P)\nALTER PRO(P) APPLTYPE(70000)\nDIS PROCESS(P) APPLTYPE\nDELETE PROCESS(P)\n\
                  DEF NAMELIST(N) NAMES(A,B)\nALTER NL(N) NAMES('')\nDIS NL(N) NAMCOUNT NAMES\nDEL NAMELIST(N)\n\
                  DEF SERVICE(S) STARTCMD('/bin/true')\nALTER SERVICE(S) SERVTYPE(SERVER)\nDEL SERVICE(S)\n\
                  DEF AUTHINFO(A) AUTHTYPE(IDPWOS)\nALT AUTHINFO(A) AUTHTYPE(IDPWOS) CHCKCLNT(NONE)\nDEL AUTHINFO(A)\n\
                  DEF COMMINFO(M) TYPE(MULTICAST)\nALTER COMMINFO(M) PORT(9)\nDELETE COMMINFO(M)";
    expect![[r#"
        > DEFINE CHANNEL(C) CHLTYPE(SVRCONN)
        AMQ8014I: Channel created.
        > DEFINE CHANNEL(C) CHLTYPE(SVRCONN)
        AMQ8226E: Channel C already exists.
        > ALTER CHANNEL(C) CHLTYPE(SVRCONN) MAXINST(5)
        AMQ8016I: Channel changed.
        > DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('host(1414),other(1415)') QMNAME(QM1)
        AMQ8014I: Channel created.
        > DIS CHANNEL(C) CONNAME
        AMQ8414I: Display Channel details.
           CHANNEL(C)                              CHLTYPE(SVRCONN)
        AMQ8414I: Display Channel details.
           CHANNEL(C)                              CHLTYPE(CLNTCONN)
           CONNAME(host(1414),other(1415))
        > DELETE CHANNEL(C) CHLTABLE(CLNTTBL)
        AMQ8015I: Channel deleted.
        > DELETE CHANNEL(C)
        AMQ8015I: Channel deleted.
        > DELETE CHANNEL(C)
        AMQ8147E: Object C not found.
        > DEF LISTENER(L) TRPTYPE(TCP) PORT(1415) CONTROL(QMGR)
        AMQ8626I: Listener created.
        > ALT LSTR(L) TRPTYPE(TCP) BACKLOG(9)
        AMQ8627I: Listener changed.
        > DEL LISTENER(L)
        AMQ8628I: Listener deleted.
        > DEF PROCESS(P) APPLTYPE(DEF)
        AMQ8010I: Process created.
        > DEF PROC(P)
        AMQ8150E: Object P already exists.
        > ALTER PRO(P) APPLTYPE(70000)
        AMQ8012I: Process changed.
        > DIS PROCESS(P) APPLTYPE
        AMQ8407I: Display Process details.
           PROCESS(P)                              APPLTYPE(70000)
        > DELETE PROCESS(P)
        AMQ8011I: Process deleted.
        > DEF NAMELIST(N) NAMES(A,B)
        AMQ8552I: Namelist created.
        > ALTER NL(N) NAMES('')
        AMQ8551I: Namelist changed.
        > DIS NL(N) NAMCOUNT NAMES
        AMQ8550I: Display namelist details.
           NAMELIST(N)                             NAMCOUNT(0)
           NAMES( )
        > DEL NAMELIST(N)
        AMQ8553I: Namelist deleted.
        > DEF SERVICE(S) STARTCMD('/bin/true')
        AMQ8625I: Service created.
        QUA0005W: Service S is kept as a definition only. Services are not started here.
        > ALTER SERVICE(S) SERVTYPE(SERVER)
        AMQ8622I: Service changed.
        > DEL SERVICE(S)
        AMQ8624I: Service deleted.
        > DEF AUTHINFO(A) AUTHTYPE(IDPWOS)
        AMQ8563I: Authentication information created.
        > ALT AUTHINFO(A) AUTHTYPE(IDPWOS) CHCKCLNT(NONE)
        AMQ8567I: Authentication information changed.
        > DEL AUTHINFO(A)
        AMQ8564I: Authentication information deleted.
        > DEF COMMINFO(M) TYPE(MULTICAST)
        AMQ8858I: Communication information created.
        > ALTER COMMINFO(M) PORT(9)
        AMQ8859I: Communication information changed.
        > DELETE COMMINFO(M)
        AMQ8860I: Communication information deleted.
    "#]]
    .assert_eq(&transcript(script));
}

/// As `dmpmqcfg -a` of the product lays definitions out: every attribute, blanks quoted, comments between the lines.
const DUMPED: &str = "\
DEFINE CHANNEL('QM1.TO.QM2') +
   CHLTYPE(SDR) +
   BATCHHB(0) +
   BATCHINT(0) +
   BATCHLIM(5000) +
   BATCHSZ(50) +
   CERTLABL(' ') +
   COMPHDR(NONE) +
   COMPMSG(NONE) +
   CONNAME('host2(1414)') +
*  ALTDATE(2025-04-22) +
*  ALTTIME(03.01.06) +
   CONVERT(NO) +
   DESCR(' ') +
   DISCINT(6000) +
   HBINT(300) +
   KAINT(AUTO) +
   LOCLADDR(' ') +
   LONGRTY(999999999) +
   LONGTMR(1200) +
   MAXMSGL(4194304) +
   MCANAME(' ') +
   MCATYPE(PROCESS) +
   MCAUSER(' ') +
   MODENAME(' ') +
   MONCHL(QMGR) +
   MSGDATA(' ') +
   MSGEXIT(' ') +
   NPMSPEED(FAST) +
   PASSWORD(' ') +
   PROPCTL(COMPAT) +
   RCVDATA(' ') +
   RCVEXIT(' ') +
   SCYDATA(' ') +
   SCYEXIT(' ') +
   SENDDATA(' ') +
   SENDEXIT(' ') +
   SEQWRAP(999999999) +
   SHORTRTY(10) +
   SHORTTMR(60) +
   SSLCIPH('ANY_TLS12_OR_HIGHER') +
   SSLPEER('CN=a,O=b') +
   STATCHL(QMGR) +
   TPNAME(' ') +
   TRPTYPE(TCP) +
   USEDLQ(YES) +
   USERID(' ') +
   XMITQ('QM2') +
   REPLACE
DEFINE LISTENER('L1') TRPTYPE(TCP) BACKLOG(0) IPADDR(' ') CONTROL(QMGR) PORT(1500) DESCR(' ') REPLACE
DEFINE NAMELIST('NL1') NAMES(' ') DESCR(' ') REPLACE
DEFINE NAMELIST('NL2') NAMES('A','B',+
 'C') REPLACE
DEFINE AUTHINFO('SYSTEM.DEFAULT.AUTHINFO.CRLLDAP') AUTHTYPE(CRLLDAP) CONNAME(' ') LDAPUSER(' ') DESCR(' ') REPLACE
DEFINE AUTHINFO('USE.LDAP') AUTHTYPE(IDPWLDAP) ADOPTCTX(YES) CONNAME('10.0.0.5') CHCKLOCL(OPTIONAL) CHCKCLNT(REQUIRED) CLASSGRP('groupOfNames') CLASSUSR('inetOrgPerson') FINDGRP('member') BASEDNG('ou=users,o=ibm,c=us') BASEDNU('ou=users,c=us') LDAPUSER('cn=root') LDAPPWD('x') SHORTUSR('sn') GRPFIELD('cn') USRFIELD('cn') AUTHORMD(SEARCHGRP) NESTGRP(YES) SECCOMM(NO)
DEFINE PROCESS('P1') APPLTYPE(UNIX) APPLICID('/opt/x') ENVRDATA(' ') USERDATA(' ') DESCR(' ') REPLACE
DEFINE SERVICE('S1') CONTROL(QMGR) SERVTYPE(SERVER) STARTARG('+QMNAME+') STARTCMD('+MQ_INSTALL_PATH+/bin/x') STDERR('+MQ_Q_MGR_DATA_PATH+/x.stderr') STDOUT(' ') STOPARG(' ') STOPCMD(' ') DESCR(' ') REPLACE
DEFINE CHANNEL('C1') CHLTYPE(CLNTCONN) CONNAME('h(1414),h2(1415)') QMNAME('*QM1') AFFINITY(NONE) CLNTWGHT(5) DEFRECON(QMGR) REPLACE
DEFINE CHANNEL('TO.QM1') CHLTYPE(CLUSRCVR) TRPTYPE(TCP) CONNAME('h') CLUSTER('C') REPLACE
DEFINE CHANNEL('A1') CHLTYPE(AMQP) PORT(5672) TPROOT('SYSTEM.BASE.TOPIC') TMPMODEL('SYSTEM.DEFAULT.MODEL.QUEUE') TMPQPRFX('AMQP.*') USECLTID(NO) REPLACE
";

#[test]
fn definitions_as_the_product_dumps_them_load_and_run_again() {
    let queue_manager = start();
    run_script(&queue_manager, DUMPED);
    let script = "DIS CHANNEL(*) WHERE(CONNAME LK 'h*') XMITQ CLUSTER QMNAME\nDIS NL(NL*) NAMES\nDIS LSTR(L1) PORT\n\
                  DIS AUTHINFO(USE.LDAP) NESTGRP LDAPPWD\nDIS SERVICE(S1) STARTARG";
    expect![[r#"
        > DIS CHANNEL(*) WHERE(CONNAME LK 'h*') XMITQ CLUSTER QMNAME
        AMQ8414I: Display Channel details.
           CHANNEL(QM1.TO.QM2)                     CHLTYPE(SDR)
           CONNAME(host2(1414))                    XMITQ(QM2)
        AMQ8414I: Display Channel details.
           CHANNEL(TO.QM1)                         CHLTYPE(CLUSRCVR)
           CLUSTER(C)                              CONNAME(h)
        AMQ8414I: Display Channel details.
           CHANNEL(C1)                             CHLTYPE(CLNTCONN)
           CONNAME(h(1414),h2(1415))               QMNAME(*QM1)
        > DIS NL(NL*) NAMES
        AMQ8550I: Display namelist details.
           NAMELIST(NL1)                           NAMES( )
        AMQ8550I: Display namelist details.
           NAMELIST(NL2)                           NAMES(A,B,C)
        > DIS LSTR(L1) PORT
        AMQ8630I: Display listener information details.
           LISTENER(L1)                            PORT(1500)
        > DIS AUTHINFO(USE.LDAP) NESTGRP LDAPPWD
        AMQ8566I: Display authentication information details.
           AUTHINFO(USE.LDAP)                      AUTHTYPE(IDPWLDAP)
           LDAPPWD(********)                       NESTGRP(YES)
        > DIS SERVICE(S1) STARTARG
        AMQ8629I: Display service information details.
           SERVICE(S1)                             STARTARG(+QMNAME+)
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
    let replaced = DUMPED.replace("SECCOMM(NO)\n", "SECCOMM(NO) REPLACE\n");
    run_script(&queue_manager, &replaced);
}

#[test]
fn like_takes_the_attributes_of_an_object_of_the_same_kind_passwords_included() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEF CHANNEL(A) CHLTYPE(SDR) CONNAME(HOST) XMITQ(X) PASSWORD('secret') RCVEXIT('a(b)','c') COMPMSG(ZLIBFAST,NONE)\n\
         DEF CHANNEL(B) CHLTYPE(SDR) LIKE(A) XMITQ(Y)",
    );
    let script = "DIS CHANNEL(B) CONNAME XMITQ PASSWORD RCVEXIT COMPMSG\n\
                  DEF CHANNEL(D) CHLTYPE(RCVR) LIKE(A)\nDEF CHANNEL(D) CHLTYPE(SDR) LIKE(NONE)";
    expect![[r#"
        > DIS CHANNEL(B) CONNAME XMITQ PASSWORD RCVEXIT COMPMSG
        AMQ8414I: Display Channel details.
           CHANNEL(B)                              CHLTYPE(SDR)
           COMPMSG(ZLIBFAST,NONE)                  CONNAME(HOST)
           PASSWORD(********)                      RCVEXIT(a(b),c)
           XMITQ(Y)
        > DEF CHANNEL(D) CHLTYPE(RCVR) LIKE(A)
        AMQ8151E: Object A is of another type.
        > DEF CHANNEL(D) CHLTYPE(SDR) LIKE(NONE)
        AMQ8147E: Object NONE not found.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
}

#[test]
fn display_selects_by_type_name_and_condition() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEF CHANNEL(A.ONE) CHLTYPE(SVRCONN) MAXINST(5) DESCR('ours')\nDEF CHANNEL(A.TWO) CHLTYPE(RCVR)\n\
         DEF NAMELIST(N) NAMES(FIRST,SECOND)\nDEF CHANNEL(A.ONE) CHLTYPE(CLNTCONN) CONNAME(HOST) COMPHDR(SYSTEM,NONE)",
    );
    let script = "DIS CHANNEL(A.*)\nDIS CHANNEL(A.*) CHLTYPE(RCVR)\nDIS CHANNEL(A.*) TYPE(CLNTCONN) COMPHDR\n\
                  DIS CHANNEL(A.*) TYPE(ALL) WHERE(MAXINST LT 100)\nDIS CHANNEL(*) WHERE(CHLTYPE EQ CLUSSDR)\n\
                  DIS CHANNEL(*) WHERE(COMPHDR CT SYSTEM)\nDIS NL(*) WHERE(NAMES CT SECOND)\n\
                  DIS NL(*) WHERE(NAMES CTG FI*)\nDIS NL(N*) WHERE(NAMES EX SECOND)\nDIS AUTHINFO(*) AUTHTYPE(OCSP)\n\
                  DIS LISTENER(*) TRPTYPE(TCP) PORT\nDIS CHANNEL(NONE)\nDIS CHANNEL(A.*) CHLTYPE(SQUARE)";
    expect![[r#"
        > DIS CHANNEL(A.*)
        AMQ8414I: Display Channel details.
           CHANNEL(A.ONE)                          CHLTYPE(SVRCONN)
        AMQ8414I: Display Channel details.
           CHANNEL(A.TWO)                          CHLTYPE(RCVR)
        AMQ8414I: Display Channel details.
           CHANNEL(A.ONE)                          CHLTYPE(CLNTCONN)
        > DIS CHANNEL(A.*) CHLTYPE(RCVR)
        AMQ8414I: Display Channel details.
           CHANNEL(A.TWO)                          CHLTYPE(RCVR)
        > DIS CHANNEL(A.*) TYPE(CLNTCONN) COMPHDR
        AMQ8414I: Display Channel details.
           CHANNEL(A.ONE)                          CHLTYPE(CLNTCONN)
           COMPHDR(SYSTEM,NONE)
        > DIS CHANNEL(A.*) TYPE(ALL) WHERE(MAXINST LT 100)
        AMQ8414I: Display Channel details.
           CHANNEL(A.ONE)                          CHLTYPE(SVRCONN)
           MAXINST(5)
        > DIS CHANNEL(*) WHERE(CHLTYPE EQ CLUSSDR)
        AMQ8414I: Display Channel details.
           CHANNEL(SYSTEM.DEF.CLUSSDR)             CHLTYPE(CLUSSDR)
        > DIS CHANNEL(*) WHERE(COMPHDR CT SYSTEM)
        AMQ8414I: Display Channel details.
           CHANNEL(A.ONE)                          CHLTYPE(CLNTCONN)
           COMPHDR(SYSTEM,NONE)
        > DIS NL(*) WHERE(NAMES CT SECOND)
        AMQ8550I: Display namelist details.
           NAMELIST(N)                             NAMES(FIRST,SECOND)
        > DIS NL(*) WHERE(NAMES CTG FI*)
        AMQ8550I: Display namelist details.
           NAMELIST(N)                             NAMES(FIRST,SECOND)
        > DIS NL(N*) WHERE(NAMES EX SECOND)
        AMQ8147E: Object N* not found.
        > DIS AUTHINFO(*) AUTHTYPE(OCSP)
        AMQ8566I: Display authentication information details.
           AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.OCSP)
           AUTHTYPE(OCSP)
        > DIS LISTENER(*) TRPTYPE(TCP) PORT
        AMQ8630I: Display listener information details.
           LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)   PORT(0)
        AMQ8630I: Display listener information details.
           LISTENER(SYSTEM.LISTENER.TCP.1)         PORT(1414)
        > DIS CHANNEL(NONE)
        AMQ8147E: Object NONE not found.
        > DIS CHANNEL(A.*) CHLTYPE(SQUARE)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DIS CHANNEL(A.*) CHLTYPE(SQUARE)

        AMQ8425E: Not a value: CHLTYPE(SQUARE): expected ALL or one of SDR, SVR, RCVR, RQSTR, CLNTCONN, SVRCONN, CLUSRCVR, CLUSSDR, AMQP.
    "#]].assert_eq(&transcript_on(&queue_manager, &administrator(), script));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let script = "DEF CHANNEL(C)\nALTER CHANNEL(C) DESCR('x')\nDEF CHANNEL(C) CHLTYPE(ROUND)\n\
                  DEF CHANNEL(C) CHLTYPE(SVRCONN) XMITQ(X)\nDEF CHANNEL(C) CHLTYPE(SDR) CONNAME(HOST)\n\
                  DEF CHANNEL(A.NAME.OF.21.LETTERS.) CHLTYPE(SVRCONN)\nALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SDR) DESCR('x')\n\
                  DEF CHANNEL(C) CHLTYPE(SVRCONN) SHARECNV(1000000000)\nDEF CHANNEL(C) CHLTYPE(SVRCONN) COMPHDR(SYSTEM,TIGHT)\n\
                  DEF CHANNEL(C) CHLTYPE(RCVR) RESETSEQ(1)\nDEF CHANNEL(C) CHLTYPE(SVRCONN) DESCR(A,B)\n\
                  DEF LISTENER(L) TRPTYPE(SPX)\nDEF AUTHINFO(A)\nDEF AUTHINFO(A) AUTHTYPE(OCSP)\n\
                  DEF AUTHINFO(A) AUTHTYPE(OCSP) OCSPURL('http://host') CHCKCLNT(NONE)\nDEF NAMELIST(N) NAMES('not a name')\n\
                  DEF COMMINFO(M) TYPE(UNICAST)\nDEF PROCESS(P) APPLTYPE(NOVEL)\nDELETE CHANNEL(C) CHLTABLE(OTHER)\n\
                  DELETE LISTENER(NONE)\nALTER SERVICE(NONE) DESCR('x')";
    expect![[r#"
        > DEF CHANNEL(C)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(C)

        AMQ8421E: Keyword missing: CHLTYPE.
        > ALTER CHANNEL(C) DESCR('x')
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        ALTER CHANNEL(C) DESCR('x')

        AMQ8421E: Keyword missing: CHLTYPE.
        > DEF CHANNEL(C) CHLTYPE(ROUND)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(C) CHLTYPE(ROUND)

        AMQ8425E: Not a value: CHLTYPE(ROUND): expected one of SDR, SVR, RCVR, RQSTR, CLNTCONN, SVRCONN, CLUSRCVR, CLUSSDR, AMQP.
        > DEF CHANNEL(C) CHLTYPE(SVRCONN) XMITQ(X)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(C) CHLTYPE(SVRCONN) XMITQ(X)

        AMQ8427I: Not the valid syntax of the command: XMITQ is not a keyword of this command.
        > DEF CHANNEL(C) CHLTYPE(SDR) CONNAME(HOST)
        AMQ8421E: Keyword missing: XMITQ.
        > DEF CHANNEL(A.NAME.OF.21.LETTERS.) CHLTYPE(SVRCONN)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(A.NAME.OF.21.LETTERS.) CHLTYPE(SVRCONN)

        AMQ8424E: Not a name: 'A.NAME.OF.21.LETTERS.' is not an object name: it is longer than 20 characters.
        > ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SDR) DESCR('x')
        AMQ8151E: Object SYSTEM.DEF.SVRCONN is of another type.
        > DEF CHANNEL(C) CHLTYPE(SVRCONN) SHARECNV(1000000000)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(C) CHLTYPE(SVRCONN) SHARECNV(1000000000)

        AMQ8412E: Number out of range: SHARECNV(1000000000): 1000000000 is outside 0 to 999999999.
        > DEF CHANNEL(C) CHLTYPE(SVRCONN) COMPHDR(SYSTEM,TIGHT)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(C) CHLTYPE(SVRCONN) COMPHDR(SYSTEM,TIGHT)

        AMQ8425E: Not a value: COMPHDR(SYSTEM,TIGHT): expected one of NONE, SYSTEM.
        > DEF CHANNEL(C) CHLTYPE(RCVR) RESETSEQ(1)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(C) CHLTYPE(RCVR) RESETSEQ(1)

        AMQ8427I: Not the valid syntax of the command: RESETSEQ cannot be set.
        > DEF CHANNEL(C) CHLTYPE(SVRCONN) DESCR(A,B)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF CHANNEL(C) CHLTYPE(SVRCONN) DESCR(A,B)

        AMQ8427I: Not the valid syntax of the command: DESCR takes one value.
        > DEF LISTENER(L) TRPTYPE(SPX)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF LISTENER(L) TRPTYPE(SPX)

        AMQ8425E: Not a value: TRPTYPE(SPX): expected TCP.
        > DEF AUTHINFO(A)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF AUTHINFO(A)

        AMQ8421E: Keyword missing: AUTHTYPE.
        > DEF AUTHINFO(A) AUTHTYPE(OCSP)
        AMQ8421E: Keyword missing: OCSPURL.
        > DEF AUTHINFO(A) AUTHTYPE(OCSP) OCSPURL('http://host') CHCKCLNT(NONE)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF AUTHINFO(A) AUTHTYPE(OCSP) OCSPURL('http://host') CHCKCLNT(NONE)

        AMQ8427I: Not the valid syntax of the command: CHCKCLNT is not a keyword of this command.
        > DEF NAMELIST(N) NAMES('not a name')
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF NAMELIST(N) NAMES('not a name')

        AMQ8424E: Not a name: NAMES(not a name): 'not a name' is not an object name: ' ' is not one of A-Z a-z 0-9 . / _ %.
        > DEF COMMINFO(M) TYPE(UNICAST)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF COMMINFO(M) TYPE(UNICAST)

        AMQ8425E: Not a value: TYPE(UNICAST): expected MULTICAST.
        > DEF PROCESS(P) APPLTYPE(NOVEL)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEF PROCESS(P) APPLTYPE(NOVEL)

        AMQ8425E: Not a value: APPLTYPE(NOVEL): expected a number from 0 to 999999999, or CICS, MVS, IMS, OS2, DOS, UNIX, OS400, WINDOWS, WINDOWSNT, VMS, NSK.
        > DELETE CHANNEL(C) CHLTABLE(OTHER)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DELETE CHANNEL(C) CHLTABLE(OTHER)

        AMQ8425E: Not a value: CHLTABLE(OTHER): expected QMGRTBL or CLNTTBL, of a channel.
        > DELETE LISTENER(NONE)
        AMQ8147E: Object NONE not found.
        > ALTER SERVICE(NONE) DESCR('x')
        AMQ8147E: Object NONE not found.
    "#]].assert_eq(&transcript(script));
}

#[test]
fn each_command_needs_its_authority_on_the_type_of_object() {
    let queue_manager = start();
    run_script(&queue_manager, "DEF LISTENER(L) TRPTYPE(TCP)\nDEF CHANNEL(C) CHLTYPE(SVRCONN)");
    let app = Principal::user("app");
    let record = AuthorityRecord {
        profile: "C".to_owned(),
        object: AuthorityObject::Channel,
        entity: Entity::Principal("app".to_owned()),
        authorities: Authority::DISPLAY,
    };
    wait_for(queue_manager.set_authority(&administrator(), record)).unwrap();
    let script = "DIS CHANNEL(*)\nDIS LISTENER(*)\nALTER CHANNEL(C) CHLTYPE(SVRCONN) DESCR('x')\nDELETE LISTENER(L)\n\
                  DEFINE PROCESS(P)";
    let (lines, _) = try_script(&queue_manager, &app, script);
    expect![[r#"
        AMQ8414I: Display Channel details.
           CHANNEL(C)                              CHLTYPE(SVRCONN)
        AMQ8147E: Object * not found.
        AMQ8135E: Not authorized: user app lacks CHG on C.
        AMQ8135E: Not authorized: user app lacks DLT on L.
        AMQ8135E: Not authorized: user app lacks DSP on SYSTEM.DEFAULT.PROCESS."#]]
    .assert_eq(&lines.join("\n"));
}
