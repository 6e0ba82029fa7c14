use model::descriptor::{Ccsid, Encoding, Format, Persistence};
use model::name::ObjectName;
use model::text::Text;

use super::*;

fn header() -> DeadLetterHeader {
    DeadLetterHeader {
        reason: 2053,
        destination_queue: Text::new("ORDERS.EU"),
        destination_queue_manager: Text::new("QM1"),
        encoding: Encoding::NATIVE,
        ccsid: Ccsid::UTF_8,
        format: Format::STRING,
        put_application_type: 6,
        put_application_name: Text::new("a program"),
        put_date: Text::BLANK,
        put_time: Text::BLANK,
    }
}

fn descriptor() -> MessageDescriptor {
    MessageDescriptor {
        persistence: Persistence::Persistent,
        format: Format::DEAD_LETTER_HEADER,
        reply_to_queue: ObjectName::parse("REPLIES").expect("a name"),
        user_identifier: Text::new("app"),
        put_application_type: 6,
        ..MessageDescriptor::default()
    }
}

fn matched(pattern: &str) -> bool {
    let table =
        RulesTable::parse(&format!("{pattern} ACTION(IGNORE)")).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    table.find(0, &header(), &descriptor()).is_some()
}

#[test]
fn patterns_match_fields_of_header_and_descriptor() {
    for pattern in [
        "",
        "DESTQ(*)",
        "destq(orders.*)",
        "DESTQ(ORDERS.??)",
        "DESTQ(*EU) DESTQM(QM1) REASON(MQRC_Q_FULL)",
        "REASON(2053)",
        "REPLYQ(?*)",
        "REPLYQM('')",
        "USERID('app')",
        "PERSIST(MQPER_PERSISTENT), MSGTYPE(MQMT_DATAGRAM)",
        "APPLTYPE(MQAT_UNIX) FORMAT(MQDEAD) FEEDBACK(MQFB_NONE)",
    ] {
        assert!(matched(pattern), "{pattern}");
    }
    for pattern in [
        "DESTQ(ORDERS)",
        "DESTQ(ORDERS.?)",
        "DESTQ('orders.*')",
        "REASON(MQRC_PUT_INHIBITED)",
        "REPLYQM(?*)",
        "USERID(app)",
        "PERSIST(0)",
        "APPLTYPE(MQAT_JAVA)",
        "FORMAT(MQSTR)",
        "DESTQ(*US)",
    ] {
        assert!(!matched(pattern), "{pattern}");
    }
}

#[test]
fn a_table_of_the_manuals_shape_is_read() {
    let text = "* Control data\ninputqm(' ') inputq('DEAD.Q') retryint(30) wait(no)\n\n\
                REASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(5)\n\
                MSGTYPE(MQMT_REQUEST) REPLYQM(AAAA.*) +\n   ACTION(FWD) FWDQ(DEADQ) FWDQM(&REPLYQM)\n\
                DESTQM(bbbb.1) +\n* a comment in between\n   action(fwd) fwdq(&DESTQ) fwdqm(bbbb.2) header(no)\n\
                APPLNAME('ABC+\n  D') ACTION(DISCARD)\nAPPLNAME('ABC-\n  D') ACTION(IGNORE) PUTAUT(CTX)\n";
    let table = RulesTable::parse(text).expect("a table");
    assert_eq!(table.control.input_queue, "DEAD.Q");
    assert_eq!((table.control.retry_interval, table.control.wait), (Duration::from_secs(30), Wait::No));
    let actions: Vec<_> = table.rules.iter().map(|rule| rule.action.clone()).collect();
    let forward = |queue, queue_manager, keeps_header| Action::Forward { queue, queue_manager, keeps_header };
    assert_eq!(
        actions,
        [
            Action::Retry,
            forward(QueueOf::Named("DEADQ".to_owned()), ManagerOf::Reply, true),
            forward(QueueOf::Destination, ManagerOf::Named("BBBB.2".to_owned()), false),
            Action::Discard,
            Action::Ignore,
        ]
    );
    assert_eq!((table.rules[0].attempts, table.rules[0].line, table.rules[2].line), (5, 4, 7));
    let names: Vec<_> = table.rules[3..].iter().map(|rule| format!("{:?}", rule.patterns)).collect();
    assert!(names[0].contains("\"ABCD\"") && names[1].contains("\"ABC  D\""), "{names:?}");
    assert_eq!(table.rules[4].put_authority, PutAuthority::Context);
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_line() {
    for (text, said) in [
        ("", "the rules table has no rule, expected at least one"),
        ("WAIT(NO)", "the rules table has no rule, expected at least one"),
        ("\nREASON(2053)", "line 2: a rule needs ACTION"),
        ("ACTION(FWD)", "line 1: ACTION(FWD) needs FWDQ"),
        ("ACTION(RETRY) FWDQ(A)", "line 1: FWDQ, FWDQM and HEADER belong to ACTION(FWD)"),
        ("ACTION(FWD) FWDQ(' ')", "line 1: FWDQ: a queue name is expected"),
        ("ACTION(MOVE)", "line 1: ACTION(MOVE): expected DISCARD, IGNORE, RETRY or FWD"),
        (
            "REASON(MQRC_NONSENSE) ACTION(IGNORE)",
            "line 1: REASON: 'MQRC_NONSENSE' is neither a number nor a known name",
        ),
        ("REASON(1) REASON(2) ACTION(IGNORE)", "line 1: REASON is given twice"),
        ("ACTION(RETRY) RETRY(0)", "line 1: RETRY: expected a number from 1 to 999999999"),
        ("DESTQ(A B) ACTION(IGNORE)", "line 1: DESTQ: expected one value; a value with blanks needs quotes"),
        ("DESTQ('A ACTION(IGNORE)", "line 1: DESTQ: a quote is not closed"),
        ("DESTQ(A ACTION(IGNORE)", "line 1: DESTQ: expected one value; a value with blanks needs quotes"),
        ("hello", "line 1: expected KEYWORD(value) at 'hello'"),
        ("ACTION(IGNORE)\nWAIT(NO)", "line 2: WAIT is not a keyword of a rule"),
        ("WAIT(NO) ACTION(IGNORE)", "line 1: ACTION does not belong to control data"),
    ] {
        assert_eq!(RulesTable::parse(text).expect_err(text).to_string(), said);
    }
    assert_eq!(RulesTable::parse(&" ".repeat(2 << 20)), Err(TableError::Length));
}
