//! Whether the configuration of another queue manager is accepted here, command by command.

use std::fmt::Write as _;

use command::compatibility::{Verdict, compatibility};
use expect_test::expect;

const SCRIPT: &str = include_str!("../testdata/dmpmqcfg.mqsc");

#[test]
fn every_keyword_of_a_real_configuration_is_accepted_ignored_or_refused_for_a_reason() {
    let found = compatibility(SCRIPT);
    let mut shown = format!("{} commands, {} accepted\n", found.commands, found.count(Verdict::Accepted));
    for finding in found.findings.iter().filter(|finding| finding.verdict != Verdict::Accepted) {
        let attribute = finding.attribute.as_deref().unwrap_or("-");
        let (line, command, word) = (finding.line, &finding.command, finding.verdict.word());
        let _ = writeln!(shown, "{line} {command} {attribute} {word}: {}", finding.reason);
    }
    expect![[r#"
        29 commands, 146 accepted
        5 ALTER QMGR EXPRYINT refused: z/OS only: its own expiry scan
        5 ALTER QMGR IGQ refused: z/OS only: queue sharing groups
        5 ALTER QMGR ACTVTRC ignored: nothing of the kind is recorded
        5 ALTER QMGR REPOS ignored: there are no clusters
        5 ALTER QMGR SSLKEYR ignored: the server's configuration rules keys and TLS
        47 DEFINE QLOCAL(PAY.IN) CLUSTER ignored: there are no clusters
        47 DEFINE QLOCAL(PAY.IN) CLWLPRTY ignored: there are no clusters
        47 DEFINE QLOCAL(PAY.IN) DEFBIND ignored: there are no clusters
        47 DEFINE QLOCAL(PAY.IN) MAXFSIZE ignored: queues have no files of their own
        47 DEFINE QLOCAL(PAY.IN) STREAMQ ignored: messages are not streamed to a second queue
        78 DEFINE TOPIC(PAY.TOPIC) MCAST ignored: there is no multicast
        78 DEFINE TOPIC(PAY.TOPIC) PUBSCOPE ignored: there is no publish/subscribe hierarchy
        81 DEFINE CHANNEL(PAY1.TO.BANK) CONNAME ignored: message channels do not run
        81 DEFINE CHANNEL(PAY1.TO.BANK) XMITQ ignored: message channels do not run
        86 DEFINE SERVICE(PAY.SERVICE) STARTCMD ignored: services are not started
        86 DEFINE SERVICE(PAY.SERVICE) SERVTYPE ignored: services are not started
        88 DEFINE COMMINFO(PAY.COMMINFO) GRPADDR ignored: there is no multicast
        93 SET POLICY(PAY.IN) - refused: SET POLICY is not supported by this queue manager yet
        95 DEFINE BUFFPOOL(1) - refused: DEFINE BUFFPOOL is not supported by this queue manager yet
        96 DEFINE PSID(04) - refused: DEFINE PSID is not supported by this queue manager yet
        97 DEFINE STGCLASS(PAYMENT) - refused: DEFINE STGCLASS is not supported by this queue manager yet
        98 DEFINE QLOCAL(PAY.ZOS) STGCLASS refused: z/OS only: storage classes
        98 DEFINE QLOCAL(PAY.ZOS) INDXTYPE refused: z/OS only: indexes of queues; all identifiers are indexed here
        98 DEFINE QLOCAL(PAY.ZOS) QSGDISP refused: z/OS only: queue sharing groups
        98 DEFINE QLOCAL(PAY.ZOS) CMDSCOPE refused: z/OS only: queue sharing groups
        98 DEFINE QLOCAL(PAY.ZOS) MAXDEPTH refused: Not a value: MAXDEPTH(TEN): expected a number from 0 to 999999999
        99 DEFINE QLOCAL('PAY.BROKEN' DESCR('a parenthesis is missing') - refused: Not the valid syntax of the command: values with parentheses need quotes
    "#]].assert_eq(&shown);
}

#[test]
fn what_is_found_is_what_running_the_command_without_it_needs() {
    let found = compatibility("DEFINE QLOCAL(A) STGCLASS(X) MAXDEPTH(10) FROB(1) CLWLPRTY(0) CLWLRANK(3)");
    let verdicts: Vec<_> =
        found.findings.iter().map(|finding| (finding.attribute.as_deref(), finding.verdict)).collect();
    assert_eq!(
        verdicts,
        [
            (Some("STGCLASS"), Verdict::Refused),
            (Some("FROB"), Verdict::Refused),
            (None, Verdict::Accepted),
            (Some("MAXDEPTH"), Verdict::Accepted),
            (Some("CLWLPRTY"), Verdict::Accepted),
            (Some("CLWLRANK"), Verdict::Ignored),
        ]
    );
    assert_eq!(compatibility("* nothing\n\n").commands, 0);
}
