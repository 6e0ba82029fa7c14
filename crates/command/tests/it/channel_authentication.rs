//! SET CHLAUTH and DISPLAY CHLAUTH.

use expect_test::{Expect, expect};
use model::authority::Principal;

use crate::support::{run_script, start, transcript, transcript_on, verified};

#[track_caller]
fn check(script: &str, expected: Expect) {
    expected.assert_eq(&transcript(script));
}

#[test]
fn a_new_queue_manager_has_three_records() {
    check(
        "DISPLAY CHLAUTH(*)\nDIS CHLAUTH(SYSTEM.ADMIN.SVRCONN) ALL",
        expect![[r#"
        > DISPLAY CHLAUTH(*)
        AMQ8878I: Display channel authentication record details.
           CHLAUTH(*)                              TYPE(BLOCKUSER)
           USERLIST(*MQADMIN)
        AMQ8878I: Display channel authentication record details.
           CHLAUTH(SYSTEM.*)                       TYPE(ADDRESSMAP)
           ADDRESS(*)                              USERSRC(NOACCESS)
        AMQ8878I: Display channel authentication record details.
           CHLAUTH(SYSTEM.ADMIN.SVRCONN)           TYPE(ADDRESSMAP)
           ADDRESS(*)                              USERSRC(CHANNEL)
        > DIS CHLAUTH(SYSTEM.ADMIN.SVRCONN) ALL
        AMQ8878I: Display channel authentication record details.
           CHLAUTH(SYSTEM.ADMIN.SVRCONN)           TYPE(ADDRESSMAP)
           DESCR(The channel's own user counts)    CUSTOM( )
           ADDRESS(*)                              USERSRC(CHANNEL)
           CHCKCLNT(ASQMGR)                        WARN(NO)
           ALTDATE(*)                     ALTTIME(*)
    "#]],
    );
}

#[test]
fn every_type_of_record_is_set_and_shown() {
    check(
        "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('192.0.2.*') MCAUSER('app') DESCR('from inside')\n\
         SET CHLAUTH(APP) TYPE(USERMAP) CLNTUSER('joe') USERSRC(NOACCESS) WARN(YES)\n\
         SET CHLAUTH(APP) TYPE(SSLPEERMAP) SSLPEER('CN=joe,O=Example') SSLCERTI('CN=root') USERSRC(CHANNEL) CHCKCLNT(REQDADM)\n\
         SET CHLAUTH(TO.*) TYPE(QMGRMAP) QMNAME(QM*) ADDRESS('10.*') MCAUSER('mover')\n\
         SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('nobody', '*MQADMIN')\n\
         SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('198.51.100.1-9','2001:DB8:*')\n\
         DIS CHLAUTH(APP) ALL\n\
         DIS CHLAUTH(*) TYPE(QMGRMAP)\n\
         DIS CHLAUTH(*) TYPE(BLOCKADDR)\n\
         DIS CHLAUTH(*) WHERE(MCAUSER EQ 'app') DESCR",
        expect![[r#"
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('192.0.2.*') MCAUSER('app') DESCR('from inside')
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(USERMAP) CLNTUSER('joe') USERSRC(NOACCESS) WARN(YES)
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(SSLPEERMAP) SSLPEER('CN=joe,O=Example') SSLCERTI('CN=root') USERSRC(CHANNEL) CHCKCLNT(REQDADM)
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(TO.*) TYPE(QMGRMAP) QMNAME(QM*) ADDRESS('10.*') MCAUSER('mover')
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('nobody', '*MQADMIN')
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('198.51.100.1-9','2001:DB8:*')
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP) ALL
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(BLOCKUSER)
               DESCR( )                                CUSTOM( )
               USERLIST(nobody,*MQADMIN)               WARN(NO)
               ALTDATE(*)                     ALTTIME(*)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(SSLPEERMAP)
               DESCR( )                                CUSTOM( )
               SSLPEER(CN=joe,O=Example)               SSLCERTI(CN=root)
               ADDRESS( )                              USERSRC(CHANNEL)
               CHCKCLNT(REQDADM)                       WARN(NO)
               ALTDATE(*)                     ALTTIME(*)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(ADDRESSMAP)
               DESCR(from inside)                      CUSTOM( )
               ADDRESS(192.0.2.*)                      MCAUSER(app)
               USERSRC(MAP)                            CHCKCLNT(ASQMGR)
               WARN(NO)                                ALTDATE(*)
               ALTTIME(*)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(USERMAP)
               DESCR( )                                CUSTOM( )
               CLNTUSER(joe)                           ADDRESS( )
               USERSRC(NOACCESS)                       WARN(YES)
               ALTDATE(*)                     ALTTIME(*)
            > DIS CHLAUTH(*) TYPE(QMGRMAP)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(TO.*)                           TYPE(QMGRMAP)
               QMNAME(QM*)                             ADDRESS(10.*)
               MCAUSER(mover)                          USERSRC(MAP)
            > DIS CHLAUTH(*) TYPE(BLOCKADDR)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(*)                              TYPE(BLOCKADDR)
               ADDRLIST(198.51.100.1-9,2001:DB8:*)
            > DIS CHLAUTH(*) WHERE(MCAUSER EQ 'app') DESCR
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(ADDRESSMAP)
               DESCR(from inside)                      MCAUSER(app)
        "#]],
    );
}

#[test]
fn add_refuses_what_is_there_replace_takes_its_place_and_remove_takes_it_away() {
    check(
        "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('a')\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('b')\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('b') ACTION(REPLACE)\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('11.*') MCAUSER('c')\n\
         DIS CHLAUTH(APP)\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') ACTION(REMOVE)\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') ACTION(REMOVE)\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ACTION(REMOVEALL)\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ACTION(REMOVEALL)\n\
         DIS CHLAUTH(APP)",
        expect![[r#"
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('a')
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('b')
            AMQ8883E: A channel authentication record of APP for the same partners already exists.
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('b') ACTION(REPLACE)
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('11.*') MCAUSER('c')
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(ADDRESSMAP)
               ADDRESS(10.*)                           MCAUSER(b)
               USERSRC(MAP)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(ADDRESSMAP)
               ADDRESS(11.*)                           MCAUSER(c)
               USERSRC(MAP)
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') ACTION(REMOVE)
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') ACTION(REMOVE)
            AMQ8884E: Channel authentication record of APP not found.
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ACTION(REMOVEALL)
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ACTION(REMOVEALL)
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP)
            AMQ8884E: Channel authentication record of APP not found.
        "#]],
    );
}

#[test]
fn lists_grow_with_add_shrink_with_remove_and_end_with_their_last_item() {
    check(
        "SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a')\n\
         SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('b','a')\n\
         DIS CHLAUTH(APP)\n\
         SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a') ACTION(REMOVE)\n\
         DIS CHLAUTH(APP)\n\
         SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('z') ACTION(REMOVE)\n\
         SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('c') ACTION(REPLACE)\n\
         DIS CHLAUTH(APP)\n\
         SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST(' ') ACTION(REPLACE)\n\
         DIS CHLAUTH(APP)",
        expect![[r#"
            > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a')
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('b','a')
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(BLOCKUSER)
               USERLIST(a,b)
            > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a') ACTION(REMOVE)
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(BLOCKUSER)
               USERLIST(b)
            > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('z') ACTION(REMOVE)
            AMQ8884E: Channel authentication record of APP not found.
            > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('c') ACTION(REPLACE)
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(BLOCKUSER)
               USERLIST(c)
            > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST(' ') ACTION(REPLACE)
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP)
            AMQ8884E: Channel authentication record of APP not found.
        "#]],
    );
}

#[test]
fn match_says_which_records_a_profile_means() {
    check(
        "SET CHLAUTH(A*) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('star')\n\
         SET CHLAUTH(AB) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('ab')\n\
         SET CHLAUTH(AC) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('ac')\n\
         DIS CHLAUTH(A*) MCAUSER\n\
         DIS CHLAUTH(A*) MATCH(EXACT) MCAUSER\n\
         DIS CHLAUTH(AB) MATCH(ALL) MCAUSER",
        expect![[r#"
            > SET CHLAUTH(A*) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('star')
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(AB) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('ab')
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(AC) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('ac')
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(A*) MCAUSER
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(A*)                             TYPE(ADDRESSMAP)
               MCAUSER(star)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(AB)                             TYPE(ADDRESSMAP)
               MCAUSER(ab)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(AC)                             TYPE(ADDRESSMAP)
               MCAUSER(ac)
            > DIS CHLAUTH(A*) MATCH(EXACT) MCAUSER
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(A*)                             TYPE(ADDRESSMAP)
               MCAUSER(star)
            > DIS CHLAUTH(AB) MATCH(ALL) MCAUSER
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(*)                              TYPE(BLOCKUSER)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(A*)                             TYPE(ADDRESSMAP)
               MCAUSER(star)
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(AB)                             TYPE(ADDRESSMAP)
               MCAUSER(ab)
        "#]],
    );
}

#[test]
fn runcheck_shows_the_record_that_decides() {
    check(
        "SET CHLAUTH(*) TYPE(ADDRESSMAP) ADDRESS(*) USERSRC(NOACCESS)\n\
         SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL)\n\
         SET CHLAUTH(APP) TYPE(USERMAP) CLNTUSER('joe') MCAUSER('mqm')\n\
         DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('10.0.0.1') CLNTUSER('ann')\n\
         DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('11.0.0.1') CLNTUSER('ann')\n\
         DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('11.0.0.1') CLNTUSER('joe')\n\
         DIS CHLAUTH(APP*) MATCH(RUNCHECK) ADDRESS('11.0.0.1') CLNTUSER('joe')\n\
         DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('11.0.0.1')",
        expect![[r#"
            > SET CHLAUTH(*) TYPE(ADDRESSMAP) ADDRESS(*) USERSRC(NOACCESS)
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL)
            AMQ8877I: Channel authentication record set.
            > SET CHLAUTH(APP) TYPE(USERMAP) CLNTUSER('joe') MCAUSER('mqm')
            AMQ8877I: Channel authentication record set.
            > DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('10.0.0.1') CLNTUSER('ann')
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(APP)                            TYPE(ADDRESSMAP)
               ADDRESS(10.*)                           USERSRC(CHANNEL)
            > DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('11.0.0.1') CLNTUSER('ann')
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(*)                              TYPE(ADDRESSMAP)
               ADDRESS(*)                              USERSRC(NOACCESS)
            > DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('11.0.0.1') CLNTUSER('joe')
            AMQ8878I: Display channel authentication record details.
               CHLAUTH(*)                              TYPE(BLOCKUSER)
               USERLIST(*MQADMIN)
            > DIS CHLAUTH(APP*) MATCH(RUNCHECK) ADDRESS('11.0.0.1') CLNTUSER('joe')
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            DIS CHLAUTH(APP*) MATCH(RUNCHECK) ADDRESS('11.0.0.1') CLNTUSER('joe')

            AMQ8424E: Not a name: MATCH(RUNCHECK) needs the name of one channel.
            > DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('11.0.0.1')
            AMQ8405I: Syntax error detected at or near end of command segment below:-
            DIS CHLAUTH(APP) MATCH(RUNCHECK) ADDRESS('11.0.0.1')

            AMQ8421E: Keyword missing: CLNTUSER or QMNAME.
        "#]],
    );
}

#[test]
fn what_does_not_fit_a_record_is_refused() {
    let refused = [
        "SET CHLAUTH(APP)",
        "SET CHLAUTH TYPE(BLOCKUSER) USERLIST('a')",
        "SET CHLAUTH(APP) TYPE(FROB)",
        "SET CHLAUTH(APP) TYPE(BLOCKUSER)",
        "SET CHLAUTH(APP) TYPE(BLOCKADDR) ADDRLIST('10.*')",
        "SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('10.0')",
        "SET CHLAUTH(APP) TYPE(ADDRESSMAP) MCAUSER('a')",
        "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*')",
        "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL) MCAUSER('a')",
        "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS) CHCKCLNT(REQUIRED)",
        "SET CHLAUTH(APP) TYPE(USERMAP) MCAUSER('a')",
        "SET CHLAUTH(APP) TYPE(SSLPEERMAP) SSLPEER('joe') MCAUSER('a')",
        "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('a') ACTION(FROB)",
        "SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a') CLNTUSER('b')",
        "SET CHLAUTH(A.NAME.THAT.IS.TOO.LONG) TYPE(BLOCKUSER) USERLIST('a')",
        "DIS CHLAUTH(APP) MATCH(FROB)",
    ];
    let shown: String =
        refused.iter().map(|command| format!("> {command}\n{}", last_line(&verified(command)))).collect();
    expect![[r#"
        > SET CHLAUTH(APP)
        AMQ8421E: Keyword missing: TYPE.
        > SET CHLAUTH TYPE(BLOCKUSER) USERLIST('a')
        AMQ8421E: Keyword missing: CHLAUTH needs a name.
        > SET CHLAUTH(APP) TYPE(FROB)
        AMQ8425E: Not a value: TYPE(FROB): expected one of BLOCKUSER, BLOCKADDR, SSLPEERMAP, ADDRESSMAP, USERMAP, QMGRMAP.
        > SET CHLAUTH(APP) TYPE(BLOCKUSER)
        AMQ8421E: Keyword missing: USERLIST.
        > SET CHLAUTH(APP) TYPE(BLOCKADDR) ADDRLIST('10.*')
        AMQ8425E: Not a value: TYPE(BLOCKADDR) goes with the profile * only.
        > SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('10.0')
        AMQ8425E: Not a value: ADDRLIST(10.0): expected patterns of addresses.
        > SET CHLAUTH(APP) TYPE(ADDRESSMAP) MCAUSER('a')
        AMQ8421E: Keyword missing: ADDRESS.
        > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*')
        AMQ8421E: Keyword missing: MCAUSER.
        > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL) MCAUSER('a')
        AMQ8425E: Not a value: MCAUSER(a): goes with USERSRC(MAP) only.
        > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS) CHCKCLNT(REQUIRED)
        AMQ8425E: Not a value: CHCKCLNT goes with clients that are let in.
        > SET CHLAUTH(APP) TYPE(USERMAP) MCAUSER('a')
        AMQ8421E: Keyword missing: CLNTUSER.
        > SET CHLAUTH(APP) TYPE(SSLPEERMAP) SSLPEER('joe') MCAUSER('a')
        AMQ8425E: Not a value: SSLPEER(joe): expected attributes, CN=...,O=....
        > SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('a') ACTION(FROB)
        AMQ8425E: Not a value: ACTION(FROB): expected one of ADD, REPLACE, REMOVE, REMOVEALL.
        > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a') CLNTUSER('b')
        AMQ8427I: Not the valid syntax of the command: CLNTUSER is not a keyword of this command.
        > SET CHLAUTH(A.NAME.THAT.IS.TOO.LONG) TYPE(BLOCKUSER) USERLIST('a')
        AMQ8424E: Not a name: A.NAME.THAT.IS.TOO.LONG is not a channel profile.
        > DIS CHLAUTH(APP) MATCH(FROB)
        AMQ8425E: Not a value: MATCH(FROB): expected GENERIC, EXACT, ALL or RUNCHECK.
    "#]].assert_eq(&shown);
}

fn last_line(text: &str) -> String {
    format!("{}\n", text.lines().last().unwrap_or("understood"))
}

#[test]
fn who_may_not_change_the_queue_manager_changes_no_record_and_sees_none() {
    let queue_manager = start();
    let guest = Principal::user("guest");
    let script = "SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a')\nDIS CHLAUTH(*)";
    expect![[r#"
        > SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('a')
        AMQ8135E: Not authorized: user guest lacks CHG on QM1.
        > DIS CHLAUTH(*)
        AMQ8135E: Not authorized: user guest lacks DSP on QM1.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &guest, script));
    run_script(&queue_manager, script);
}
