//! Opening: options, alias, remote definitions, transmission queues, model queues, sharing.

use expect_test::expect;

use crate::script::check;

#[test]
fn open_options_that_contradict_each_other_are_refused() {
    check(
        "open a Q; open a Q shared exclusive; open a Q save_context output; open a Q pass_all input; \
         open a Q output bind_on_open bind_not_fixed; open a Q co_op input",
        expect!["2046 2046 2046 2046 2046 2046"],
    );
}

#[test]
fn an_alias_leads_to_its_target_one_level_deep() {
    check(
        "define A alias TARGET=Q; define B alias TARGET=A; define C alias TARGET=NONE; open a A output input show; \
         put X on=a; get; open b B output; open c C output",
        expect!["A=Q@QM1 X 2001 2082"],
    );
}

#[test]
fn an_alias_has_put_get_and_defaults_of_its_own() {
    check(
        "define A alias TARGET=Q DEFPRTY=7; open a A output input; put X on=a; get show=pri; alter A PUT=DISABLED; \
         put X on=a; put X; get on=a; alter A GET=DISABLED; get on=a",
        expect!["X pri=7 2051 X 2016"],
    );
}

#[test]
fn a_remote_definition_leads_to_its_transmission_queue() {
    check(
        "define XMIT USAGE=XMITQ; define R remote RNAME=THERE RQMNAME=QM2 XMITQ=XMIT; open r R output show; \
         put X on=r id=MINE; open x XMIT input; get on=x buf=4 truncate show=fmt,corr; open i R input; open b R browse",
        expect!["R=THERE@QM2 XQH  fmt=MQXMIT corr=MINE !2079 2045 2045"],
    );
}

#[test]
fn a_transmission_queue_is_found_by_the_queue_managers_name_or_by_default() {
    check(
        "define QM2 USAGE=XMITQ; define R remote RNAME=THERE RQMNAME=QM2; open r R output show; \
         open s ANY output qm=QM2 show; open t ANY output qm=QM3; define DEF USAGE=XMITQ; alter_qmgr DEFXMITQ=DEF; \
         open t ANY output qm=QM3 show; put X on=t; depth DEF",
        expect!["R=THERE@QM2 QM2=ANY@QM2 2087 DEF=ANY@QM3 1"],
    );
}

#[test]
fn a_queue_manager_alias_renames_the_queue_manager() {
    check(
        "define XMIT USAGE=XMITQ; define OTHER remote RQMNAME=QM2 XMITQ=XMIT; define HERE remote RQMNAME=QM1; \
         open a ANY output qm=OTHER show; open b Q output qm=HERE show",
        expect!["XMIT=ANY@QM2 Q=Q@QM1"],
    );
}

#[test]
fn what_cannot_be_resolved_has_reasons_of_its_own() {
    check(
        "open a NONE output; open a ANY output qm=QM9; \
         define R1 remote RNAME=X RQMNAME=QM2 XMITQ=NONE; open a R1 output; \
         define R2 remote RNAME=X RQMNAME=QM2 XMITQ=Q; open a R2 output; \
         define AL alias TARGET=Q; define R3 remote RNAME=X RQMNAME=QM2 XMITQ=AL; open a R3 output; \
         define R4 remote RNAME=X RQMNAME=QM1; open a R4 output; \
         define R5 remote RQMNAME=QM2; open a R5 output; \
         open a X output qm=Q; alter_qmgr DEFXMITQ=NONE; open a X output qm=QM9; alter_qmgr DEFXMITQ=AL; \
         open a X output qm=QM9; alter_qmgr DEFXMITQ=Q; open a X output qm=QM9",
        expect!["2085 2087 2196 2092 2091 2087 2184 2092 2197 2198 2199"],
    );
}

#[test]
fn exclusive_input_excludes_every_other_input() {
    check(
        "open a Q exclusive; @2 open a Q shared; @2 open a Q browse; close a; @2 open b Q shared; open a Q exclusive",
        expect!["2042 2042"],
    );
}

#[test]
fn input_as_defined_follows_the_queue() {
    check(
        "alter Q DEFSOPT=EXCL; open a Q input; @2 open a Q input; alter Q DEFSOPT=SHARED NOSHARE; close a; open a Q input; \
         @2 open a Q input",
        expect!["2042 2042"],
    );
}

#[test]
fn a_temporary_dynamic_queue_lives_as_long_as_the_handle_that_made_it() {
    check(
        "define M model; open t M input output dynamic=T.ONE show; @2 open u T.ONE output; @2 put A on=u; get on=t; \
         put B on=t pst=yes; @2 put C on=u; close t; @2 put D on=u; depth T.ONE; @2 open u T.ONE output",
        expect!["T.ONE=T.ONE@QM1 A 2048 2052 none 2085"],
    );
}

#[test]
fn dynamic_names_are_checked_and_may_be_taken() {
    check(
        "define M model; open a M input dynamic=Q; open a M input dynamic=012345678901234567890123456789ABCD*; \
         open a M input dynamic=BAD-NAME; open a M input dynamic=T.*; open b M input dynamic=T.*; \
         open c M input",
        expect!["2100 2011 2011"],
    );
}

#[test]
fn a_permanent_dynamic_queue_stays_until_deleted_on_close() {
    check(
        "define M model DEFTYPE=PERMDYN; open p M input output dynamic=P.ONE; put A on=p pst=yes; close p; depth P.ONE; \
         open p P.ONE input output; close p delete; get on=p syncpoint; close p purge; commit; close p delete; depth P.ONE",
        expect!["1 2055 A 2042 none"],
    );
}

#[test]
fn a_permanent_dynamic_queue_is_purged_on_close() {
    check(
        "define M model DEFTYPE=PERMDYN; open p M output dynamic=P.ONE; put A on=p; close p purge; depth P.ONE; \
         open q2 Q output; close q2 delete",
        expect!["none 2045"],
    );
}

#[test]
fn put1_to_a_model_makes_a_queue_for_the_call() {
    check("define M model; put1 A to=M dynamic=T.X; depth T.X", expect!["none"]);
}

#[test]
fn the_queue_manager_can_be_opened_for_inquiry_only() {
    check(
        "open m - qmgr inquire; inquire on=m 2015 13; open n QM1 qmgr output; open n QM9 qmgr inquire; \
         open n - qmgr inquire qm=QM9",
        expect![[r#"[4194304] "QM1" 2045 2085 2086"#]],
    );
}
