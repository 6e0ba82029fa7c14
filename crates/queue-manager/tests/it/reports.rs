//! Reports and what becomes of messages that cannot be delivered.

use expect_test::expect;

use crate::log::{field, warnings_of};
use crate::script::check;

#[test]
fn confirm_on_arrival_comes_with_the_put_and_in_its_unit_of_work() {
    check(
        "define R; open r R input; put A id=M rq=R coa; get on=r show=fb,corr,type; put B rq=R coa syncpoint; get on=r; \
         commit; get on=r show=fb",
        expect!["- fb=259 corr=M type=4 2033 - fb=259"],
    );
}

#[test]
fn confirm_on_delivery_comes_with_the_get_and_in_its_unit_of_work() {
    check(
        "define R; open r R input; put A id=M rq=R cod; get first; get on=r; get syncpoint; get on=r; commit; \
         get on=r show=fb,corr",
        expect!["A 2033 A 2033 - fb=260 corr=M"],
    );
}

#[test]
fn expiration_reports_are_sent_by_whoever_finds_the_message_expired() {
    check(
        "define R; open r R input; put A id=M rq=R exp=10 expiration; put B rq=R exp=20 expiration_full; advance 1; get corr=X; \
         get on=r show=fb,corr; advance 1; housekeep; get on=r show=fb",
        expect!["2033 - fb=258 corr=M B fb=258"],
    );
}

#[test]
fn reports_carry_no_data_some_or_all() {
    check(
        "define R; open r R input; put X*101 rq=R coa; get on=r; put X*101 rq=R coa_data; get on=r buf=0 truncate show=ol; \
         put X*101 rq=R coa_full fmt=MQSTR; get on=r show=fmt buf=0 truncate",
        expect!["- - ol=101 !2079 - fmt=MQSTR !2079"],
    );
}

#[test]
fn identifiers_are_passed_on_as_asked() {
    check(
        "define R; open r R input; put A id=M corr=C rq=R coa pass_id pass_corr; get on=r show=id,corr",
        expect!["- id=M corr=C"],
    );
}

#[test]
fn a_report_takes_priority_and_persistence_of_its_message() {
    check(
        "define R; open r R input; put A pri=3 pst=yes rq=R coa; get on=r show=pri,pst,appl,at",
        expect!["- pri=3 pst=Persistent appl=QM1 at=7"],
    );
}

#[test]
fn a_report_that_cannot_be_put_goes_to_the_dead_letter_queue() {
    check(
        "define D; alter_qmgr DEADQ=D; put A rq=NONE coa; open d D input; get on=d buf=4 truncate show=fmt,fb",
        expect!["DLH  fmt=MQDEAD fb=259 !2079"],
    );
}

#[test]
fn a_report_that_nobody_takes_is_given_up_and_the_put_stands() {
    check("put A rq=NONE coa; get", expect!["A"]);
}

#[test]
fn no_confirmation_of_arrival_is_made_for_a_transmission_queue() {
    check("define R; define X USAGE=XMITQ; put1 A to=ANY qm=X rq=R coa; depth R; depth X", expect!["0 1"]);
}

#[test]
fn reports_that_are_given_up_are_told_once_a_second_with_the_number_left_out() {
    let put = "put A rq=NOWHERE coa; ";
    let script = format!("{}advance 1; {put}{put}advance 1; put A rq=NOWHERE coa", put.repeat(50));
    let ((), lines) = warnings_of(|| check(&script, expect![""]));
    let given_up = lines.iter().filter(|line| line.contains("a report message could not be delivered and was dropped"));
    let left_out: Vec<_> = given_up.map(|line| field(line, "left_out")).collect();
    assert_eq!(left_out, [Some("0"), Some("49"), Some("1")]);
}
