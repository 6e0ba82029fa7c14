//! The rules of the language, by table: how lines become commands, words become verbs and objects, and what WHERE takes.
//!
//! Source: MQ reference, "Rules for using MQSC commands", "Generic values and characters with special meanings", 9.3.

use expect_test::expect;
use model::definition::attribute::{self, Access, Kind, ValueType};

use crate::support::{run_script, start, transcript, verified};

/// Nothing is said about a command that is understood.
#[track_caller]
fn understood(command: &str) {
    assert_eq!(verified(command), "", "{command}");
}

#[test]
fn verbs_and_objects_have_their_short_forms() {
    for verb in ["DEFINE", "DEF", "DEFI", "define", "Def"] {
        understood(&format!("{verb} QLOCAL(A)"));
    }
    for (long, short) in [
        ("ALTER QLOCAL(A) PUT(ENABLED)", "ALT QL(A) PUT(ENABLED)"),
        ("CLEAR QLOCAL(A)", "CLE QL(A)"),
        ("DELETE QALIAS(A)", "DEL QA(A)"),
        ("DISPLAY QREMOTE(A)", "DIS QR(A)"),
        ("DISPLAY QMODEL(A)", "DIS QM(A)"),
        ("DISPLAY QUEUE(A)", "DIS Q(A)"),
        ("DISPLAY QSTATUS(A)", "DIS QS(A)"),
        ("DISPLAY CHSTATUS(A)", "DIS CHS(A)"),
        ("REFRESH SECURITY", "REF SECURITY"),
        ("START CHANNEL(A)", "STA CHL(A)"),
        ("STOP CHANNEL(A)", "STO CHL(A)"),
        ("START LISTENER(A)", "STA LSTR(A)"),
        ("RESET CHANNEL(A)", "RESE CHL(A)"),
        ("RESOLVE CHANNEL(A) ACTION(COMMIT)", "RESO CHL(A) ACTION(COMMIT)"),
        ("DEFINE QALIAS(A) TARGET(B)", "DEF QA(A) TARGQ(B)"),
    ] {
        understood(long);
        understood(short);
    }
}

#[test]
fn blanks_and_commas_stand_between_items_and_around_parentheses() {
    for command in [
        "DEFINE QLOCAL(A) MAXDEPTH(10) PUT(DISABLED)",
        "DEFINE QLOCAL(A),MAXDEPTH(10),PUT(DISABLED)",
        "  DEFINE   QLOCAL ( A )  MAXDEPTH ( 10 ) ,PUT( DISABLED )  ",
        "define qlocal(a)maxdepth(10)put(disabled)",
        "DEFINE QLOCAL('A') MAXDEPTH('10') PUT('DISABLED')",
        "DEFINE QLOCAL(A) +\n  MAXDEPTH(10) +\n  PUT(DISABLED)",
        "DEFINE QLOCAL(A) MAXDEP+\n  TH(10) PUT(DISABLED)",
        "DEFINE QLOCAL(A) MAXDEP-\nTH(10) PUT(DISABLED)",
        "* first\nDEFINE QLOCAL(A) +\n* within\n\n  MAXDEPTH(10) PUT(DISABLED)",
        "DEFINE QLOCAL(A) MAXDEPTH(10) PUT(DISABLED);",
    ] {
        let queue_manager = start();
        run_script(&queue_manager, command);
        let shown = run_script(&queue_manager, "DIS QL(A) MAXDEPTH PUT");
        assert!(
            shown.join(" ").contains("MAXDEPTH(10)") && shown.join(" ").contains("PUT(DISABLED)"),
            "{command}: {shown:?}"
        );
    }
}

#[test]
fn quotes_keep_case_and_blanks_and_are_doubled_within() {
    expect![[r#"
        > DEF QL('Mixed.Case') DESCR('it''s  two  blanks ')
        AMQ8006I: Queue created.
        > DIS QL('Mixed.Case') DESCR
        AMQ8409I: Display Queue details.
           QUEUE(Mixed.Case)                       TYPE(QLOCAL)
           DESCR(it's  two  blanks)
        > DIS QL(Mixed.Case)
        AMQ8147E: Object MIXED.CASE not found.
        > DEF QL(B) DESCR('kept  over a line')
        AMQ8006I: Queue created.
        > DIS QL(B) DESCR
        AMQ8409I: Display Queue details.
           QUEUE(B)                                TYPE(QLOCAL)
           DESCR(kept  over a line)
        > DEF QL(C) DESCR('')
        AMQ8006I: Queue created.
        > DIS QL(C) DESCR
        AMQ8409I: Display Queue details.
           QUEUE(C)                                TYPE(QLOCAL)
           DESCR( )
        > DEF QL(D) DESCR('semi;colon')
        AMQ8006I: Queue created.
        > DIS QL(D) DESCR
        AMQ8409I: Display Queue details.
           QUEUE(D)                                TYPE(QLOCAL)
           DESCR(semi;colon)
    "#]]
    .assert_eq(&transcript(
        "DEF QL('Mixed.Case') DESCR('it''s  two  blanks ')\nDIS QL('Mixed.Case') DESCR\nDIS QL(Mixed.Case)\n\
         DEF QL(B) DESCR('kept -\n over a line')\nDIS QL(B) DESCR\nDEF QL(C) DESCR(''); DIS QL(C) DESCR\n\
         DEF QL(D) DESCR('semi;colon')\nDIS QL(D) DESCR",
    ));
}

#[test]
fn a_mistake_is_shown_with_the_command_up_to_it() {
    expect![[r#"
        > DEFINE QLOCAL(A) MAXDEPTH(10) FROB(1) PUT(DISABLED)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH(10) FROB(1)

        AMQ8427I: Not the valid syntax of the command: FROB is not a keyword of this command.
        > DEFINE QLOCAL(A) MAXDEPTH(10
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH(10

        AMQ8427I: Not the valid syntax of the command: a parenthesis is not closed.
        > DEFINE QLOCAL(A) MAXDEPTH(MANY) PUT(DISABLED)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH(MANY)

        AMQ8425E: Not a value: MAXDEPTH(MANY): expected a number from 0 to 999999999.
        > DEFINE QLOCAL(A) MAXDEPTH PUT(DISABLED)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH

        AMQ8427I: Not the valid syntax of the command: MAXDEPTH needs a value.
        > DEFINE QLOCAL(A) PUT(DISABLED) PUT(ENABLED)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) PUT(DISABLED) PUT

        AMQ8411E: Keyword given twice: PUT stands twice.
        > DEFINE QLOCAL(A) SHARE NOSHARE
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) SHARE NOSHARE

        AMQ8411E: Keyword given twice: SHARE.
        > DEFINE QLOCAL(A) DESCR('open
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) DESCR('open

        AMQ8427I: Not the valid syntax of the command: a quote is not closed.
        > DEFINE QLOCAL
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL

        AMQ8421E: Keyword missing: QLOCAL needs a name.
        > DEFINE
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE

        AMQ8427I: Not the valid syntax of the command: DEFINE needs an object.
        > DIS QL(A*B)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DIS QL(A*B)

        AMQ8424E: Not a name: 'A*B' is not an object name: '*' is not one of A-Z a-z 0-9 . / _ %.
        > DIS QL(A) MAXDEPTH(10)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DIS QL(A) MAXDEPTH(10)

        AMQ8427I: Not the valid syntax of the command: MAXDEPTH takes no value here; use WHERE to select.
    "#]]
    .assert_eq(&transcript(
        "DEFINE QLOCAL(A) MAXDEPTH(10) FROB(1) PUT(DISABLED)\n\
         DEFINE QLOCAL(A) MAXDEPTH(10\n\
         DEFINE QLOCAL(A) MAXDEPTH(MANY) PUT(DISABLED)\n\
         DEFINE QLOCAL(A) MAXDEPTH PUT(DISABLED)\n\
         DEFINE QLOCAL(A) PUT(DISABLED) PUT(ENABLED)\n\
         DEFINE QLOCAL(A) SHARE NOSHARE\n\
         DEFINE QLOCAL(A) DESCR('open\n\
         DEFINE QLOCAL\n\
         DEFINE\n\
         DIS QL(A*B)\n\
         DIS QL(A) MAXDEPTH(10)",
    ));
}

/// Each keyword that DISPLAY shows can be selected by, on every DISPLAY.
#[test]
fn where_takes_every_attribute_of_a_definition() {
    for (kind, display) in [
        (Kind::QueueLocal, "DIS QL(*)"),
        (Kind::QueueAlias, "DIS QA(*)"),
        (Kind::QueueRemote, "DIS QR(*)"),
        (Kind::QueueModel, "DIS QM(*)"),
        (Kind::Topic, "DIS TOPIC(*)"),
        (Kind::Subscription, "DIS SUB(*)"),
        (Kind::QueueManager, "DIS QMGR"),
    ] {
        for row in attribute::of(kind) {
            let condition = match &row.value {
                ValueType::Integer { minimum, .. } => format!("{} GE {minimum}", row.mqsc),
                ValueType::Choice(words) => format!("{} EQ {}", row.mqsc, words[0].mqsc),
                ValueType::Flag(_) => format!("{} EQ YES", row.mqsc),
                ValueType::List => format!("{} CT A", row.mqsc),
                _ => format!("{} LK 'A*'", row.mqsc),
            };
            let said = verified(&format!("{display} WHERE({condition})"));
            assert_eq!(said, "", "{display} WHERE({condition})");
        }
    }
}

#[test]
fn where_goes_with_every_display_of_what_runs() {
    for command in [
        "DIS QSTATUS(*) WHERE(CURDEPTH GT 0)",
        "DIS QSTATUS(*) TYPE(HANDLE) WHERE(APPLTAG LK 'a*')",
        "DIS QMSTATUS WHERE(CONNS GT 0)",
        "DIS CONN(*) WHERE(USERID EQ 'app') TYPE(ALL)",
        "DIS SBSTATUS(*) WHERE(NUMMSGS GT 0)",
        "DIS TPSTATUS('#') WHERE(SUBCOUNT GT 0)",
        "DIS TPSTATUS('#') TYPE(PUB) WHERE(NUMPUBS GT 0)",
        "DIS TPSTATUS('#') TYPE(SUB) WHERE(DURABLE EQ YES)",
        "DIS PUBSUB WHERE(STATUS EQ ACTIVE)",
        "DIS CHSTATUS(*) WHERE(STATUS EQ RUNNING)",
        "DIS LSSTATUS(*) WHERE(PORT EQ 1414)",
        "DIS SVSTATUS(*) WHERE(PID GT 0)",
        "DIS CHLAUTH(*) WHERE(USERLIST CT 'a')",
        "DIS AUTHREC WHERE(ENTTYPE EQ GROUP)",
        "DIS CMDSERV WHERE(STATUS EQ RUNNING)",
        "DIS TRACE(*) WHERE(TNO EQ 0)",
        "DIS SYSTEM WHERE(EXCLMSG CT X511)",
        "RESET QSTATS(*) WHERE(MSGSIN GT 0)",
    ] {
        understood(command);
    }
}

#[test]
fn where_refuses_operators_that_do_not_fit_and_words_nobody_knows() {
    for (condition, part) in [
        ("CURDEPTH LK 1", "does not apply"),
        ("DESCR CT A", "does not apply"),
        ("PUT GT ENABLED", "does not apply"),
        ("FROB EQ 1", "not an attribute"),
        ("CURDEPTH FROB 1", "not an operator"),
        ("CURDEPTH GT", "a keyword, an operator and a value"),
        ("CURDEPTH GT MANY", "not a value"),
    ] {
        let said = verified(&format!("DIS QL(*) WHERE({condition})"));
        assert!(said.contains("AMQ8569E") && said.contains(part), "{condition}: {said}");
    }
}

#[test]
fn generic_names_end_in_a_star_and_like_copies_every_settable_attribute() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEF QL(A.ONE) MAXDEPTH(17) DESCR('copied') TRIGGER TRIGDATA('t') PUT(DISABLED)\n\
         DEF QL(A.TWO) LIKE(A.ONE) GET(DISABLED)\nDEF QL(B)",
    );
    let one = run_script(&queue_manager, "DIS QL(A.ONE)").join("\n");
    let two = run_script(&queue_manager, "DIS QL(A.TWO)").join("\n");
    for row in attribute::of(Kind::QueueLocal).filter(|row| row.access == Access::Settable && row.mqsc != "GET") {
        let of = |text: &str| {
            text.split("  ").map(str::trim).find(|item| item.starts_with(&format!("{}(", row.mqsc))).map(str::to_owned)
        };
        assert_eq!(of(&one), of(&two), "{}", row.mqsc);
    }
    assert!(two.contains("GET(DISABLED)") && two.contains("TRIGDATA(t)"));
    let generic = run_script(&queue_manager, "DIS QL(A.*)").join("\n");
    assert!(generic.contains("QUEUE(A.ONE)") && generic.contains("QUEUE(A.TWO)") && !generic.contains("QUEUE(B)"));
}
