//! Triggering: which message makes a trigger message.

use expect_test::expect;

use crate::script::check;

/// An initiation queue that somebody serves, and a triggered queue T.
fn check_trigger(attributes: &str, script: &str, expected: expect_test::Expect) {
    let define = format!("define I; open i I input; define T TRIGGER INITQ=I {attributes}; ");
    check(&(define + script), expected);
}

#[test]
fn first_fires_when_an_empty_queue_gets_a_message() {
    check_trigger(
        "TRIGTYPE=FIRST TRIGDATA=go",
        "put1 A to=T; depth I; put1 B to=T; depth I; get on=i buf=4 truncate show=fmt",
        expect!["1 1 TM   fmt=MQTRIG !2079"],
    );
}

#[test]
fn first_does_not_fire_while_the_queue_is_served_but_at_its_close_if_messages_are_left() {
    check_trigger(
        "TRIGTYPE=FIRST",
        "open t T input; put1 A to=T; depth I; close t; depth I; open t T input; get on=t; close t; depth I",
        expect!["0 1 A 1"],
    );
}

#[test]
fn first_fires_again_after_the_trigger_interval() {
    check_trigger(
        "TRIGTYPE=FIRST",
        "alter_qmgr TRIGINT=10000; put1 A to=T; advance 5; put1 B to=T; depth I; advance 5; put1 C to=T; depth I",
        expect!["1 2"],
    );
}

#[test]
fn every_fires_for_every_message_also_when_served() {
    check_trigger(
        "TRIGTYPE=EVERY",
        "open t T input; put1 A to=T; put1 B to=T; put1 C to=T syncpoint; depth I; commit; depth I",
        expect!["2 3"],
    );
}

#[test]
fn depth_fires_at_its_depth_and_switches_itself_off() {
    check_trigger(
        "TRIGTYPE=DEPTH TRIGDPTH=2",
        "put1 A to=T; depth I; put1 B to=T; depth I; put1 C to=T; put1 D to=T; depth I; open s T inquire; inquire on=s 24",
        expect![[r#"0 1 1 [0] """#]],
    );
}

#[test]
fn depth_that_is_switched_on_again_fires_for_what_is_there() {
    check_trigger(
        "TRIGTYPE=DEPTH TRIGDPTH=2",
        "put1 A to=T; put1 B to=T; depth I; alter T TRIGGER; depth I; open s T inquire; inquire on=s 24",
        expect![[r#"1 2 [0] """#]],
    );
}

#[test]
fn messages_below_the_trigger_priority_do_not_count() {
    check_trigger(
        "TRIGTYPE=FIRST TRIGMPRI=5",
        "put1 A to=T pri=4; depth I; put1 B to=T pri=5; depth I; put1 C to=T pri=6; depth I",
        expect!["0 1 1"],
    );
}

#[test]
fn a_backed_out_put_fires_nothing_and_a_committed_one_at_commit() {
    check_trigger(
        "TRIGTYPE=FIRST",
        "put1 A to=T syncpoint; back_out; depth I; put1 A to=T syncpoint; depth I; commit; depth I",
        expect!["0 0 1"],
    );
}

#[test]
fn nothing_fires_until_the_initiation_queue_is_served() {
    check(
        "define I; define T TRIGGER INITQ=I TRIGTYPE=FIRST; put1 A to=T; depth I; open i I input; depth I; get on=i buf=2 truncate",
        expect!["0 1 TM !2079"],
    );
}

#[test]
fn switching_triggering_on_looks_at_what_is_there() {
    check(
        "define I; open i I input; define T INITQ=I TRIGTYPE=FIRST; put1 A to=T; depth I; alter T TRIGGER; depth I",
        expect!["0 1"],
    );
}

#[test]
fn type_none_never_fires() {
    check_trigger("TRIGTYPE=NONE", "put1 A to=T; depth I", expect!["0"]);
}
