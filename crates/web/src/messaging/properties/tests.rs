//! Lenient reading and strict writing of `ibm-mq-usr`.

use http::{HeaderMap, HeaderValue};

use super::{USER_PROPERTIES, describe, read};

/// What the headers become when they are read and written again; `None` when they are refused.
fn check(values: &[&str]) -> Option<String> {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(USER_PROPERTIES, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    let properties = read(&headers).ok()?;
    let mut written = HeaderMap::new();
    describe(&mut written, &properties);
    Some(written.get(USER_PROPERTIES).map_or("", |value| std::str::from_utf8(value.as_bytes()).unwrap()).to_owned())
}

#[test]
fn fields_are_taken_in_either_order_and_with_either_set_of_type_names() {
    let table = [
        ("a;integer;5", "a;integer;5"),
        ("a;5;i4", "a;integer;5"),
        ("a;boolean;true", "a;boolean;true"),
        ("a;1;boolean", "a;boolean;true"),
        ("a;string;x y", "a;string;x y"),
        ("a;\"x\";string", "a;string;x"),
        ("a;x", "a;string;x"),
        ("a;i8;-9223372036854775808", "a;long;-9223372036854775808"),
        ("a;double;1.5, b;byte;-128", "a;double;1.5,b;byte;-128"),
        ("a;string;", "a;string;"),
        ("", ""),
    ];
    for (text, written) in table {
        assert_eq!(check(&[text]).as_deref(), Some(written), "{text}");
    }
}

#[test]
fn quotes_protect_separators() {
    assert_eq!(check(&["a;string;\"x,y;z\",b;short;7"]).as_deref(), Some("a;string;\"x,y;z\",b;short;7"));
    assert_eq!(check(&["a;string;\"say \"\"hi\"\"\""]).as_deref(), Some("a;string;\"say \"\"hi\"\"\""));
}

#[test]
fn several_headers_add_up() {
    assert_eq!(check(&["a;x", "b;y"]).as_deref(), Some("a;string;x,b;string;y"));
}

#[test]
fn what_is_no_property_is_refused() {
    for text in [
        "a",
        "a;integer;x",
        "a;byte;128",
        "a;colour;red",
        "1a;x",
        "JMSType;x",
        "usr.a;x",
        "a;string;\"open",
        "a;string;x;y",
        "a;x,a;y",
        ";x",
    ] {
        assert_eq!(check(&[text]), None, "{text}");
    }
}
