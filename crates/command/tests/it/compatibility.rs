//! Whether the configuration of another queue manager is accepted here, command by command.

use std::fmt::Write as _;

use command::compatibility::{Compatibility, Verdict, compatibility};
use command::{Outcome, is_end, split};
use expect_test::expect;

use crate::support::{administrator, start, try_script, wait_for};

const SCRIPT: &str = include_str!("../testdata/dmpmqcfg.mqsc");

fn look(script: &str) -> Compatibility {
    wait_for(compatibility(&start(), &administrator(), script))
}

#[test]
fn every_keyword_of_a_real_configuration_is_accepted_ignored_or_refused_for_a_reason() {
    let found = look(SCRIPT);
    let mut shown = format!("{} commands, {} accepted\n", found.commands, found.count(Verdict::Accepted));
    for finding in found.findings.iter().filter(|finding| finding.verdict != Verdict::Accepted) {
        let attribute = finding.attribute.as_deref().unwrap_or("-");
        let (line, command, word) = (finding.line, &finding.command, finding.verdict.word());
        let _ = writeln!(shown, "{line} {command} {attribute} {word}: {}", finding.reason);
    }
    expect![[r#"
        29 commands, 17 accepted
        5 ALTER QMGR EXPRYINT refused: z/OS only: its own expiry scan
        5 ALTER QMGR IGQ refused: z/OS only: queue sharing groups
        5 ALTER QMGR ACTVTRC ignored: nothing of the kind is recorded
        5 ALTER QMGR REPOS ignored: there are no clusters
        5 ALTER QMGR SSLKEYR ignored: the server's configuration rules keys and TLS
        5 ALTER QMGR - refused: 
        47 DEFINE QLOCAL(PAY.IN) CLUSTER ignored: there are no clusters
        47 DEFINE QLOCAL(PAY.IN) CLWLPRTY ignored: there are no clusters
        47 DEFINE QLOCAL(PAY.IN) DEFBIND ignored: there are no clusters
        47 DEFINE QLOCAL(PAY.IN) MAXFSIZE ignored: queues have no files of their own
        47 DEFINE QLOCAL(PAY.IN) STREAMQ ignored: messages are not streamed to a second queue
        76 DEFINE QREMOTE(BANK.IN) - ignored: No program reads transmission queue PAY.XMIT. Messages for BANK stay there, because message channels do not run here
        78 DEFINE TOPIC(PAY.TOPIC) MCAST ignored: there is no multicast
        78 DEFINE TOPIC(PAY.TOPIC) PUBSCOPE ignored: there is no publish/subscribe hierarchy
        81 DEFINE CHANNEL(PAY1.TO.BANK) - ignored: message channels do not run
        82 DEFINE CHANNEL(BANK.TO.PAY1) - ignored: message channels do not run
        86 DEFINE SERVICE(PAY.SERVICE) - ignored: services are not started
        88 DEFINE COMMINFO(PAY.COMMINFO) - ignored: there is no multicast
        93 SET POLICY(PAY.IN) - refused: SET POLICY is not supported by this queue manager yet
        95 DEFINE BUFFPOOL(1) - refused: DEFINE BUFFPOOL is not supported by this queue manager yet
        96 DEFINE PSID(04) - refused: DEFINE PSID is not supported by this queue manager yet
        97 DEFINE STGCLASS(PAYMENT) - refused: DEFINE STGCLASS is not supported by this queue manager yet
        98 DEFINE QLOCAL(PAY.ZOS) STGCLASS refused: z/OS only: storage classes
        98 DEFINE QLOCAL(PAY.ZOS) INDXTYPE refused: z/OS only: indexes of queues; all identifiers are indexed here
        98 DEFINE QLOCAL(PAY.ZOS) QSGDISP refused: z/OS only: queue sharing groups
        98 DEFINE QLOCAL(PAY.ZOS) CMDSCOPE refused: z/OS only: queue sharing groups
        98 DEFINE QLOCAL(PAY.ZOS) MAXDEPTH refused: Not a value: MAXDEPTH(TEN): expected a number from 0 to 999999999
        98 DEFINE QLOCAL(PAY.ZOS) - refused: 
        99 DEFINE QLOCAL('PAY.BROKEN' DESCR('a parenthesis is missing') - refused: Not the valid syntax of the command: values with parentheses need quotes
    "#]].assert_eq(&shown);
}

#[test]
fn what_is_found_is_what_running_the_command_without_it_needs() {
    let found = look("DEFINE QLOCAL(A) STGCLASS(X) MAXDEPTH(10) FROB(1) CLWLPRTY(0) CLWLRANK(3)");
    let verdicts: Vec<_> =
        found.findings.iter().map(|finding| (finding.attribute.as_deref(), finding.verdict)).collect();
    assert_eq!(
        verdicts,
        [
            (Some("STGCLASS"), Verdict::Refused),
            (Some("FROB"), Verdict::Refused),
            (Some("MAXDEPTH"), Verdict::Accepted),
            (Some("CLWLPRTY"), Verdict::Accepted),
            (Some("CLWLRANK"), Verdict::Ignored),
            (None, Verdict::Refused),
        ]
    );
    assert_eq!(look("* nothing\n\n").commands, 0);
}

/// The commands of a script that are not accepted: line, verdict and reason.
fn told(script: &str) -> String {
    let of_commands = |found: Compatibility| {
        found.findings.into_iter().filter(|finding| finding.attribute.is_none() && finding.verdict != Verdict::Accepted)
    };
    of_commands(look(script))
        .map(|finding| format!("{} {} {}: {}\n", finding.line, finding.command, finding.verdict.word(), finding.reason))
        .collect()
}

const CHANNELS_AND_QUEUES: &str = "\
DEFINE QLOCAL(X) USAGE(XMITQ)
DEFINE QREMOTE(FAR) RNAME(A) RQMNAME(QM2) XMITQ(X)
DEFINE QREMOTE(NO.WAY) RNAME(A) RQMNAME(QM3)
DEFINE QREMOTE(REPLY.ALIAS)
DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('h(1414)') XMITQ(X)
DEFINE CHANNEL(FROM.QM2) CHLTYPE(RCVR)
DEFINE CHANNEL(IOT) CHLTYPE(AMQP) PORT(5672)
DEFINE CHANNEL(TO.C) CHLTYPE(CLUSSDR) CLUSTER(C) CONNAME('h(1414)')
DEFINE CHANNEL(PROGRAMS) CHLTYPE(SVRCONN)
DEFINE CHANNEL(PROGRAMS) CHLTYPE(CLNTCONN) CONNAME('h(1414)')
DEFINE SERVICE(S) STARTCMD('/bin/true')
START CHANNEL(TO.QM2)
START CHANNEL(FROM.QM2)
START CHANNEL(IOT)
START CHANNEL(PROGRAMS)
START CHANNEL(NOT.THERE)
STOP CHANNEL(TO.QM2)
PING CHANNEL(TO.QM2)
START SERVICE(S)
DEFINE LISTENER(L) TRPTYPE(TCP) PORT(0)
STOP LISTENER(L) IGNSTATE(YES)
START LISTENER(L)
START LISTENER(L) IGNSTATE(YES)
START LISTENER(NOT.THERE)
ALTER QMGR REPOS(C)
DEFINE QLOCAL(SHARED) CLUSTER(C)
REFRESH CLUSTER(C)
DEFINE QALIAS(A) TARGET(SHARED) FROB(1)
DELETE QALIAS(A)
DEFINE QLOCAL(SHARED)
END
DEFINE PSID(4)
";

#[test]
fn what_has_no_effect_is_not_accepted_and_what_runmqsc_refuses_is_refused() {
    expect![[r#"
        2 DEFINE QREMOTE(FAR) ignored: No program reads transmission queue X. Messages for QM2 stay there, because message channels do not run here
        3 DEFINE QREMOTE(NO.WAY) ignored: No transmission queue leads to queue manager QM3, so puts to NO.WAY fail. Message channels do not run here
        5 DEFINE CHANNEL(TO.QM2) ignored: message channels do not run
        6 DEFINE CHANNEL(FROM.QM2) ignored: message channels do not run
        7 DEFINE CHANNEL(IOT) ignored: AMQP channels do not run
        8 DEFINE CHANNEL(TO.C) ignored: message channels do not run
        10 DEFINE CHANNEL(PROGRAMS) ignored: definitions for clients are kept, not acted on
        11 DEFINE SERVICE(S) ignored: services are not started
        12 START CHANNEL(TO.QM2) refused: START CHANNEL is not supported by this queue manager yet
        13 START CHANNEL(FROM.QM2) ignored: Channel FROM.QM2 is kept as a definition only. Channels of type RCVR do not run here
        14 START CHANNEL(IOT) refused: START CHANNEL is not supported by this queue manager yet
        16 START CHANNEL(NOT.THERE) refused: Object NOT.THERE not found
        18 PING CHANNEL(TO.QM2) refused: PING CHANNEL is not supported by this queue manager yet
        19 START SERVICE(S) refused: START SERVICE is not supported by this queue manager yet
        24 START LISTENER(NOT.THERE) refused: Object NOT.THERE not found
        27 REFRESH CLUSTER(C) refused: REFRESH CLUSTER is not supported by this queue manager yet
        28 DEFINE QALIAS(A) refused: 
        29 DELETE QALIAS(A) refused: Object A not found
        30 DEFINE QLOCAL(SHARED) refused: Object SHARED already exists
    "#]].assert_eq(&told(CHANNELS_AND_QUEUES));
    let found = look(CHANNELS_AND_QUEUES);
    assert_eq!((found.commands, found.end), (30, Some(31)));
    let commands = [Verdict::Accepted, Verdict::Ignored, Verdict::Refused].map(|verdict| found.count(verdict));
    assert_eq!(commands.iter().sum::<usize>(), found.commands);
}

/// What the compatibility of a script says, command by command, and what becomes of each when the script is run.
fn check_agreement(script: &str) {
    let found = look(script);
    let queue_manager = start();
    let verdicts = found.findings.iter().filter(|finding| finding.attribute.is_none());
    let sources = split(script).into_iter().take_while(|source| !is_end(&source.text));
    let mut compared = 0;
    for (source, finding) in sources.zip(verdicts) {
        let (lines, outcomes) = try_script(&queue_manager, &administrator(), &source.text);
        let context = format!("{}: {finding:?}\n{}", source.text, lines.join("\n"));
        assert_eq!(finding.line, source.line, "{context}");
        assert_eq!(finding.verdict == Verdict::Refused, outcomes != [Outcome::Succeeded], "{context}");
        let has_no_effect = lines.iter().any(|line| line.starts_with("QUA") && !line.starts_with("QUA0004W"));
        if has_no_effect {
            assert_eq!(finding.verdict, Verdict::Ignored, "{context}");
        }
        for warned in lines.iter().filter_map(|line| line.strip_prefix("QUA0004W: ")) {
            let keyword = warned.split('(').next();
            let is_told = |other: &&command::compatibility::Finding| {
                other.line == source.line
                    && other.verdict == Verdict::Ignored
                    && (other.attribute.is_none() || other.attribute.as_deref() == keyword)
            };
            assert!(found.findings.iter().any(|other| is_told(&other)), "{context}");
        }
        compared += 1;
    }
    assert_eq!(compared, found.commands);
}

#[test]
fn compatibility_and_runmqsc_agree_on_every_command() {
    check_agreement(SCRIPT);
    check_agreement(CHANNELS_AND_QUEUES);
    check_agreement(include_str!("../testdata/file-transfer.mqsc"));
    check_agreement(include_str!("../testdata/container.mqsc"));
}

#[test]
fn set_up_scripts_of_file_transfer_and_of_containers_run_to_their_end() {
    for script in [include_str!("../testdata/file-transfer.mqsc"), include_str!("../testdata/container.mqsc")] {
        assert_eq!(look(script).count(Verdict::Refused), 0, "{}", told(script));
        let queue_manager = start();
        // A second run finds everything there.
        for _ in 0..2 {
            let (lines, outcomes) = try_script(&queue_manager, &administrator(), script);
            assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Succeeded), "{}", lines.join("\n"));
        }
    }
}
