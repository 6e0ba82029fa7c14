//! What is not a command, and how that is said.

use expect_test::{Expect, expect};
use model::authority::Principal;

use crate::support::{administrator, run_script, start, transcript_on, verified};

#[track_caller]
fn check(script: &str, expected: Expect) {
    expected.assert_eq(&verified(script));
}

#[test]
fn a_valid_command_prints_nothing() {
    check("DEFINE QLOCAL(A) MAXDEPTH(10) TRIGGER NOSHARE DESCR('it''s') REPLACE", expect![""]);
    check("dis q(SYS*) type(qlocal) where(curdepth gt 0) maxdepth,descr", expect![""]);
    check("ALT QMGR DEADQ(' ') CMDEV(NODISPLAY) SUITEB(128_BIT,192_BIT)", expect![""]);
    check("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ)", expect![""]);
    check("REFRESH SECURITY(*) TYPE(CONNAUTH)", expect![""]);
}

#[test]
fn unknown_verbs_and_objects_are_named() {
    check(
        "FROB QLOCAL(A)",
        expect![[r#"
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            FROB

            AMQ8426I: Commands begin with one of ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, RESET, RESOLVE, SET, START, STOP.
        "#]],
    );
    check(
        "DEFINE FROB(A)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE FROB

        AMQ8427I: Not the valid syntax of the command: FROB is not an object of MQ.
    "#]],
    );
    check(
        "DE QLOCAL(A)",
        expect![[r#"
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            DE

            AMQ8426I: Commands begin with one of ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, RESET, RESOLVE, SET, START, STOP.
        "#]],
    );
    check(
        "RES QMGR",
        expect![[r#"
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            RES

            AMQ8426I: Commands begin with one of ALTER, CLEAR, DEFINE, DELETE, DISPLAY, PING, REFRESH, RESET, RESOLVE, SET, START, STOP.
        "#]],
    );
}

#[test]
fn commands_of_mq_that_are_not_here_are_refused_by_name_whatever_follows() {
    check(
        "DEFINE BUFFPOOL(1) FROB(host(1414)) 'open",
        expect![[r#"
        AMQ8404E: DEFINE BUFFPOOL is not supported by this queue manager yet.
    "#]],
    );
}

#[test]
fn keywords_that_are_unknown_or_stand_twice_are_shown_where_they_stand() {
    check(
        "DEFINE QLOCAL(A) MAXDEPTH(1) FROB(2) GET(ENABLED)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH(1) FROB(2)

        AMQ8427I: Not the valid syntax of the command: FROB is not a keyword of this command.
    "#]],
    );
    check(
        "DEFINE QREMOTE(A) MAXDEPTH(1)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QREMOTE(A) MAXDEPTH(1)

        AMQ8427I: Not the valid syntax of the command: MAXDEPTH is not a keyword of this command.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) MAXDEPTH(1) MAXDEPTH(2)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH(1) MAXDEPTH

        AMQ8411E: Keyword given twice: MAXDEPTH stands twice.
    "#]],
    );
    check(
        "DEFINE QALIAS(A) TARGET(X) TARGQ(Y)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QALIAS(A) TARGET(X) TARGQ(Y)

        AMQ8411E: Keyword given twice: TARGET.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) TRIGGER NOTRIGGER",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) TRIGGER NOTRIGGER

        AMQ8411E: Keyword given twice: TRIGGER.
    "#]],
    );
}

#[test]
fn values_that_do_not_fit_are_named_with_what_was_expected() {
    check(
        "DEFINE QLOCAL(A) MAXDEPTH(1000000000)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH(1000000000)

        AMQ8412E: Number out of range: MAXDEPTH(1000000000): 1000000000 is outside 0 to 999999999.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) MAXDEPTH(many)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) MAXDEPTH(many)

        AMQ8425E: Not a value: MAXDEPTH(MANY): expected a number from 0 to 999999999.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) GET(MAYBE)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) GET(MAYBE)

        AMQ8425E: Not a value: GET(MAYBE): expected one of ENABLED, DISABLED.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) TRIGGER(YES)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) TRIGGER(YES)

        AMQ8427I: Not the valid syntax of the command: TRIGGER takes no value.
    "#]],
    );
    check(
        "DEFINE QLOCAL('A B')",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL('A B')

        AMQ8424E: Not a name: 'A B' is not an object name: ' ' is not one of A-Z a-z 0-9 . / _ %.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) BOQNAME('A*')",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) BOQNAME('A*')

        AMQ8424E: Not a name: BOQNAME(A*): 'A*' is not an object name: '*' is not one of A-Z a-z 0-9 . / _ %.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) CLCHNAME('TWENTY.ONE.CHARACTERS')",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) CLCHNAME('TWENTY.ONE.CHARACTERS')

        AMQ8413E: Text too long: CLCHNAME(TWENTY.ONE.CHARACTERS): longer than 20 bytes.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) CURDEPTH(1)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) CURDEPTH(1)

        AMQ8427I: Not the valid syntax of the command: CURDEPTH cannot be set.
    "#]],
    );
    check(
        "ALTER TOPIC(A) TOPICSTR('x')",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        ALTER TOPIC(A) TOPICSTR('x')

        AMQ8427I: Not the valid syntax of the command: TOPICSTR cannot be altered.
    "#]],
    );
}

#[test]
fn broken_shapes_are_refused() {
    check(
        "DEFINE",
        expect![[r#"
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            DEFINE

            AMQ8427I: Not the valid syntax of the command: DEFINE needs an object.
        "#]],
    );
    check(
        "DEFINE QLOCAL",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL

        AMQ8421E: Keyword missing: QLOCAL needs a name.
    "#]],
    );
    check(
        "DEFINE QLOCAL()",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL()

        AMQ8427I: Not the valid syntax of the command: a value is missing.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A

        AMQ8427I: Not the valid syntax of the command: a parenthesis is not closed.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) DESCR('x",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) DESCR('x

        AMQ8427I: Not the valid syntax of the command: a quote is not closed.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) DESCR(x(y))",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) DESCR(x(

        AMQ8427I: Not the valid syntax of the command: values with parentheses need quotes.
    "#]],
    );
    check(
        "DEFINE QLOCAL(A) (B)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DEFINE QLOCAL(A) (

        AMQ8427I: Not the valid syntax of the command: a keyword was expected.
    "#]],
    );
    check(
        "DELETE QLOCAL(A) +",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DELETE QLOCAL(A) +

        AMQ8427I: Not the valid syntax of the command: + is not a keyword of this command.
    "#]],
    );
    check(
        "ALTER QMGR(QM1)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        ALTER QMGR(QM1)

        AMQ8427I: Not the valid syntax of the command: QMGR takes no name.
    "#]],
    );
}

#[test]
fn where_needs_an_attribute_an_operator_that_fits_and_a_value() {
    check(
        "DISPLAY QLOCAL(*) WHERE(FROB EQ 1)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(*) WHERE(FROB EQ 1)

        AMQ8569E: WHERE is not usable: FROB is not an attribute here.
    "#]],
    );
    check(
        "DISPLAY QLOCAL(*) WHERE(CURDEPTH IS 1)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(*) WHERE(CURDEPTH IS 1)

        AMQ8569E: WHERE is not usable: IS is not an operator.
    "#]],
    );
    check(
        "DISPLAY QLOCAL(*) WHERE(CURDEPTH LK 1)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(*) WHERE(CURDEPTH LK 1)

        AMQ8569E: WHERE is not usable: LK does not apply to CURDEPTH.
    "#]],
    );
    check(
        "DISPLAY QLOCAL(*) WHERE(GET GT ENABLED)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(*) WHERE(GET GT ENABLED)

        AMQ8569E: WHERE is not usable: GT does not apply to GET.
    "#]],
    );
    check(
        "DISPLAY QLOCAL(*) WHERE(CURDEPTH GT)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(*) WHERE(CURDEPTH GT)

        AMQ8569E: WHERE is not usable: expected a keyword, an operator and a value.
    "#]],
    );
    check(
        "DISPLAY QLOCAL(*) CURDEPTH(1)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY QLOCAL(*) CURDEPTH(1)

        AMQ8427I: Not the valid syntax of the command: CURDEPTH takes no value here; use WHERE to select.
    "#]],
    );
}

#[test]
fn authority_records_need_an_object_an_entity_and_known_words() {
    check(
        "SET AUTHREC PROFILE(A) PRINCIPAL('u') AUTHADD(PUT)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        SET AUTHREC PROFILE(A) PRINCIPAL('u') AUTHADD(PUT)

        AMQ8421E: Keyword missing: OBJTYPE.
    "#]],
    );
    check(
        "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) AUTHADD(PUT)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) AUTHADD(PUT)

        AMQ8421E: Keyword missing: PRINCIPAL or GROUP.
    "#]],
    );
    check(
        "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g') AUTHADD(FLY)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g') AUTHADD(FLY)

        AMQ8425E: Not a value: AUTHADD(FLY): not an authority.
    "#]],
    );
    check(
        "SET AUTHREC OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)",
        expect![[r#"
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        SET AUTHREC OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)

        AMQ8421E: Keyword missing: PROFILE.
    "#]],
    );
}

#[test]
fn what_is_not_there_need_not_be_deleted() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(Q)");
    let script = "DELETE QLOCAL(NONE) IGNSTATE(YES)\nDELETE TOPIC(NONE) IGNSTATE(YES)\nDELETE CHANNEL(NONE) IGNSTATE(YES)\n\
                  DELETE QLOCAL(NONE) IGNSTATE(NO)\nDELETE QALIAS(Q) IGNSTATE(YES)\nDELETE QLOCAL(Q) IGNSTATE(YES)";
    expect![[r#"
        > DELETE QLOCAL(NONE) IGNSTATE(YES)
        AMQ8147W: Object NONE not found, there is nothing to delete.
        > DELETE TOPIC(NONE) IGNSTATE(YES)
        AMQ8147W: Object NONE not found, there is nothing to delete.
        > DELETE CHANNEL(NONE) IGNSTATE(YES)
        AMQ8147W: Object NONE not found, there is nothing to delete.
        > DELETE QLOCAL(NONE) IGNSTATE(NO)
        AMQ8147E: Object NONE not found.
        > DELETE QALIAS(Q) IGNSTATE(YES)
        AMQ8151E: Object Q is of another type.
        > DELETE QLOCAL(Q) IGNSTATE(YES)
        AMQ8007I: Queue deleted.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
    let script =
        "DELETE QLOCAL(NONE) IGNSTATE(YES)\nDELETE TOPIC(NONE) IGNSTATE(YES)\nDELETE CHANNEL(NONE) IGNSTATE(YES)";
    expect![[r#"
        > DELETE QLOCAL(NONE) IGNSTATE(YES)
        AMQ8135E: Not authorized: user guest lacks DLT on NONE.
        > DELETE TOPIC(NONE) IGNSTATE(YES)
        AMQ8135E: Not authorized: user guest lacks DLT on NONE.
        > DELETE CHANNEL(NONE) IGNSTATE(YES)
        AMQ8135E: Not authorized: user guest lacks DLT on NONE.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &Principal::user("guest"), script));
}
