use super::Target;

fn check(text: &str, port: Option<u16>, expected: Option<&str>) {
    let read =
        Target::parse(text, port).map(|target| format!("{}{target}", if target.is_tls { "https " } else { "http " }));
    assert_eq!(read.as_deref(), expected, "{text}");
}

#[test]
fn a_host_may_have_a_scheme_and_a_port() {
    check("zos.example", None, Some("http zos.example:9080"));
    check("zos.example", Some(2222), Some("http zos.example:2222"));
    check("zos.example:80", Some(2222), Some("http zos.example:80"));
    check("http://10.0.0.1/", None, Some("http 10.0.0.1:9080"));
    check("HTTPS://zos_1.example", None, Some("https zos_1.example:9443"));
    check("https://zos.example:444", Some(1), Some("https zos.example:444"));
}

#[test]
fn an_address_of_version_6_may_have_brackets() {
    check("::1", Some(9080), Some("http [::1]:9080"));
    check("[::1]", None, Some("http [::1]:9080"));
    check("https://[fe80::1]:1", None, Some("https [fe80::1]:1"));
}

#[test]
fn what_is_no_server_is_refused() {
    for text in [
        "", "ftp://a", "http://", "a b", "a/b", "a:0", "a:65536", "a:+1", "a:", "user@a", "[::1", "[::1]x", "[a]",
        "1:2:3", "a?b", "a\r\nb",
    ] {
        check(text, None, None);
    }
}
