use super::split;

fn texts(script: &str) -> Vec<(usize, String)> {
    split(script).into_iter().map(|command| (command.line, command.text)).collect()
}

#[test]
fn plus_continues_with_the_first_non_blank_and_minus_with_column_one() {
    let script = "DEFINE QLOCAL(A) +\n   DESCR('one +\n     two')\nDEFINE QLOCAL(B) DESCR('one -\n  two')\n";
    assert_eq!(
        texts(script),
        [(1, "DEFINE QLOCAL(A) DESCR('one two')".to_owned()), (4, "DEFINE QLOCAL(B) DESCR('one   two')".to_owned()),]
    );
}

#[test]
fn comments_and_blank_lines_are_left_out_even_within_a_command() {
    let script = "* first\n\nDEFINE +\n* within\n\n  QLOCAL(A)\n  * last\n";
    assert_eq!(texts(script), [(3, "DEFINE QLOCAL(A)".to_owned())]);
    assert_eq!(split(script)[0].echo.len(), 6);
}

#[test]
fn semicolons_end_commands_unless_quoted() {
    let script = "DIS QMGR; DIS QL(A)\nDEF QL(B) DESCR('a;b');\n;;\n";
    assert_eq!(
        texts(script),
        [(1, "DIS QMGR".to_owned()), (1, "DIS QL(A)".to_owned()), (2, "DEF QL(B) DESCR('a;b')".to_owned()),]
    );
}

#[test]
fn a_quote_left_open_does_not_swallow_the_next_command() {
    assert_eq!(texts("DIS QL('A\nDIS QL(B)").len(), 2);
}

#[test]
fn a_continuation_at_the_end_of_the_script_stays_visible() {
    assert_eq!(texts("DELETE QLOCAL(A) +\n"), [(1, "DELETE QLOCAL(A) +".to_owned())]);
    assert_eq!(texts("+"), [(1, "+".to_owned())]);
    assert_eq!(texts(""), []);
}

#[test]
fn carriage_returns_are_blanks() {
    assert_eq!(texts("DIS +\r\n QMGR\r\n"), [(1, "DIS QMGR".to_owned())]);
}
