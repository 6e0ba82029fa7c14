//! Put and get on one local queue: order, matching, descriptors, lengths, limits, expiry.

use expect_test::expect;

use crate::script::check;

#[test]
fn higher_priority_leaves_first_then_arrival_order() {
    check("put A pri=1; put B pri=9; put C pri=9; get; get; get; get", expect!["B C A 2033"]);
}

#[test]
fn fifo_queue_ignores_priority() {
    check("alter Q MSGDLVSQ=FIFO; put A pri=1; put B pri=9; get; get", expect!["A B"]);
}

#[test]
fn get_matches_by_message_id_by_correlation_id_and_by_both() {
    check(
        "put A id=1 corr=X; put B id=2 corr=X; put C id=2 corr=Y; get id=2 corr=Y; get corr=X; get id=2; get id=9",
        expect!["C A B 2033"],
    );
}

#[test]
fn identifiers_of_zeros_match_everything() {
    check("put A id=1 corr=X; get id= corr=", expect!["A"]);
}

#[test]
fn put1_puts_without_a_handle_and_names_the_queue_it_reached() {
    check("put1 A to=Q; get; put1 B to=NONE", expect!["A 2085"]);
}

#[test]
fn priority_defaults_to_the_queue_and_above_nine_is_put_with_nine_and_a_warning() {
    check(
        "alter Q DEFPRTY=4; put A show=pri; put B pri=12 show=pri; put C pri=-2; get show=pri; get show=pri",
        expect!["pri=4 !2049 pri=12 2050 B pri=9 A pri=4"],
    );
}

#[test]
fn persistence_defaults_to_the_queue() {
    check(
        "put A; alter Q DEFPSIST=YES; put B; put C pst=no; get show=pst; get show=pst; get show=pst",
        expect!["A pst=NonPersistent B pst=Persistent C pst=NonPersistent"],
    );
}

#[test]
fn message_types_are_those_published_and_the_applications_own() {
    check(
        "put A type=0; put B type=3; put C type=65535; put D type=65536; put E type=1000000000; get show=type",
        expect!["2029 2029 2029 2029 D type=65536"],
    );
}

#[test]
fn a_request_and_a_report_need_a_reply_to_queue() {
    check("put A type=1; put B coa; put C type=1 rq=R; get show=rq,rqm", expect!["2027 2027 C rq=R rqm=QM1"]);
}

#[test]
fn expiry_is_unlimited_or_above_zero() {
    check("put A exp=0; put B exp=-2; put C exp=1; put D exp=-1; depth Q", expect!["2013 2013 2"]);
}

#[test]
fn expired_messages_are_never_returned_and_are_discarded_by_the_get_that_passes_them() {
    check("put A exp=10; put B; advance 1; depth Q; get; depth Q; get", expect!["2 B 0 2033"]);
}

#[test]
fn a_get_returns_the_lifetime_that_is_left() {
    check("put A exp=100; advance 4; get first show=exp; advance 5.95; get show=exp", expect!["A exp=60 A exp=1"]);
}

#[test]
fn the_scan_discards_expired_messages_without_a_get() {
    check("put A exp=10; put B exp=20; advance 1; housekeep; depth Q; advance 1; housekeep; depth Q", expect!["1 0"]);
}

#[test]
fn cap_expiry_of_the_queue_limits_lifetime() {
    check(
        "alter Q CAPEXPRY=50; put A; put B exp=10; put C exp=100; get show=exp; get show=exp; get show=exp",
        expect!["A exp=50 B exp=10 C exp=50"],
    );
}

#[test]
fn report_options_that_are_unknown_or_inconsistent_are_refused() {
    check("put A rq=R report=268435456; put B rq=R report=512; put C rq=R report=131072", expect!["2061 2061 2061"]);
}

#[test]
fn lengths_are_limited_by_queue_and_queue_manager() {
    check(
        "alter Q MAXMSGL=10; put X*11; put X*10; alter_qmgr MAXMSGL=32768; alter Q MAXMSGL=100000; put X*32769; depth Q",
        expect!["2030 2031 1"],
    );
}

#[test]
fn put_inhibited_and_get_inhibited_queues_refuse() {
    check(
        "put A; alter Q PUT=DISABLED GET=DISABLED; put B; get; get first; alter Q PUT=ENABLED GET=ENABLED; get",
        expect!["2051 2016 2016 A"],
    );
}

#[test]
fn maximum_depth_counts_uncommitted_messages() {
    check("alter Q MAXDEPTH=2; put A; put B syncpoint; put C; back_out; put C; depth Q", expect!["2053 2"]);
}

#[test]
fn message_ids_are_made_unless_given() {
    check("put A id=MINE show=id; put B id=MINE new_id; get id=MINE; get id=MINE; get", expect!["id=MINE A 2033 B"]);
}

#[test]
fn context_defaults_to_user_and_application() {
    check(
        "put A user=other appl=other; get show=user,appl,at,date",
        expect!["A user=mqadmin appl=script at=6 date=20261121/00000000"],
    );
}

#[test]
fn context_may_be_left_out_or_set_or_passed_on() {
    check(
        "put A no_context; get show=user,appl,at; \
         put B set_all user=other appl=mine; get show=user,appl; \
         put C pass_all context=q; get; \
         put D set_identity user=other appl=mine; get show=user,appl",
        expect!["A user= appl= at=0 B user=other appl=mine C D user=other appl=script"],
    );
}

#[test]
fn passing_context_needs_a_handle_that_saved_one() {
    check(
        "put A pass_all context=q; put A pass_all; open o Q output; put B on=o set_all; put B on=o pass_all context=q; \
         put B on=o set_identity; put B on=o pass_identity context=q",
        expect!["2098 2097 2095 2093 2096 2094"],
    );
}

#[test]
fn reply_to_a_remote_definition_becomes_what_it_names() {
    check(
        "define R remote RNAME=THERE RQMNAME=QM2; put A rq=R; put B rq=R rqm=QM3; get show=rq,rqm; get show=rq,rqm",
        expect!["A rq=THERE rqm=QM2 B rq=R rqm=QM3"],
    );
}

#[test]
fn ccsid_zero_becomes_the_queue_managers() {
    check("put A; put B ccsid=37; get show=ccsid; get show=ccsid", expect!["A ccsid=1208 B ccsid=37"]);
}

#[test]
fn a_body_longer_than_the_buffer_stays_or_is_cut() {
    check(
        "put ABCDEF; get buf=3; depth Q; get buf=3 truncate; depth Q; put ABC; get buf=3",
        expect!["ABC !2080 1 ABC !2079 0 ABC"],
    );
}

#[test]
fn text_is_converted_when_asked() {
    check(
        "put ABC fmt=MQSTR; get convert ccsid=37 show=ccsid; put ABC; get convert ccsid=37 show=ccsid",
        expect!["��� ccsid=37 ABC ccsid=1208 !2110"],
    );
}

#[test]
fn contradicting_options_are_refused() {
    check(
        "put A syncpoint no_syncpoint; put A set_all no_context; get syncpoint no_syncpoint; get first next; \
         get first syncpoint; get lock; get signal; get skip_backout; get unlock wait=1; get mark",
        expect!["2046 2046 2046 2046 2046 2046 2046 2046 2046 2046"],
    );
}

#[test]
fn a_verb_needs_a_handle_that_was_opened_for_it() {
    check(
        "open i Q inquire; put A on=i; get on=i; get first on=i; get cursor on=i; inquire 3; open s Q input; inquire on=s 3; \
         set on=s 9:1; put A on=nothing; get on=nothing",
        expect!["2039 2037 2036 2036 [0] \"\" 2038 2040 2019 2019"],
    );
}

#[test]
fn a_connection_may_hold_maxhands_handles() {
    check(
        "alter_qmgr MAXHANDS=2; open a Q input; open b Q output; open c Q output; close a; open c Q output; close c; close c",
        expect!["2017 2019"],
    );
}
