//! Bad usage: one sentence with the flag, the value and what was expected; exit 2, or 20 for runmqsc.

use expect_test::{Expect, expect};

use crate::program::Folder;

fn check(arguments: &[&str], expected: Expect) {
    expected.assert_eq(&Folder::new().run(arguments));
}

#[test]
fn a_bad_value_of_a_flag_is_named_with_what_was_expected() {
    check(
        &["serve", "--https", "nonsense"],
        expect![[r#"
            exit 2
            err: quaymaster: --https: "nonsense" is not valid, expected ADDRESS:PORT, such as 127.0.0.1:9443, or off
        "#]],
    );
    check(
        &["serve", "--qmgr", "not a name"],
        expect![[r#"
            exit 2
            err: quaymaster: --qmgr: ["not a name"] is not valid, expected a list of queue manager names, each of at most 48 of A-Z a-z 0-9 . / _ %
        "#]],
    );
    check(
        &["serve", "--log-level", "loud"],
        expect![[r#"
            exit 2
            err: quaymaster: --log-level: "loud" is not valid, expected one of error, warn, info, debug, trace
        "#]],
    );
}

#[test]
fn an_unknown_flag_names_its_neighbour() {
    check(
        &["serve", "--htps", "off"],
        expect![[r#"
            exit 2
            err: quaymaster: unexpected argument '--htps' found; a similar argument exists: '--https'
        "#]],
    );
}

#[test]
fn an_unknown_command_names_its_neighbour() {
    check(
        &["brwse", "Q"],
        expect![[r#"
            exit 2
            err: quaymaster: unrecognized subcommand 'brwse'; a similar subcommand exists: 'browse'
        "#]],
    );
}

#[test]
fn runmqsc_cannot_run_with_a_bad_flag() {
    check(
        &["runmqsc", "-k"],
        expect![[r#"
            exit 20
            err: quaymaster: unexpected argument '-k' found
        "#]],
    );
}

#[test]
fn a_time_is_a_number_with_a_unit() {
    check(
        &["get", "Q", "--wait", "soon"],
        expect![[r#"
            exit 2
            err: quaymaster: invalid value 'soon' for '--wait <TIME>': expected a time such as 200ms, 5s or 2m
        "#]],
    );
}

#[test]
fn commands_say_that_no_server_is_running() {
    check(
        &["depth", "Q"],
        expect![[r#"
            exit 20
            err: AMQ8146E: Queue manager is not available: no server is running on DIR.
        "#]],
    );
    check(
        &["runmqsc", "QM9"],
        expect![[r#"
            exit 20
            err: AMQ8118E: Queue manager QM9 does not exist in DIR.
        "#]],
    );
    check(
        &["chkmqready"],
        expect![[r#"
            exit 1
            err: quaymaster: no server is running on DIR
        "#]],
    );
    check(
        &["config", "reload"],
        expect![[r#"
            exit 20
            err: quaymaster: no server is running on DIR
        "#]],
    );
}
