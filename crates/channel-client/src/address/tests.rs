use super::ConnectionNames;

fn read(text: &str) -> String {
    text.parse::<ConnectionNames>().map_or_else(|_| "refused".to_owned(), |names| names.to_string())
}

#[test]
fn a_list_keeps_its_order_and_a_missing_port_is_1414() {
    assert_eq!(read("a.example(1415), b"), "a.example(1415),b(1414)");
    assert_eq!(read("localhost:1414,10.0.0.1(2000)"), "localhost(1414),10.0.0.1(2000)");
}

#[test]
fn addresses_of_version_6_are_read_with_and_without_brackets() {
    assert_eq!(read("::1(1414)"), "::1(1414)");
    assert_eq!(read("[fe80::1]:99"), "fe80::1(99)");
    assert_eq!(read("fe80::1"), "fe80::1(1414)");
}

#[test]
fn what_is_no_address_is_refused() {
    for text in ["", "a,,b", "(1414)", "a(0)", "a(70000)", "a(1414", "a:b:c(x)", "a b(1)", "[::1]x"] {
        assert_eq!(read(text), "refused", "{text}");
    }
    assert_eq!(read(&"x".repeat(300)), "refused");
}
