//! Matching of raw paths, and the golden list of endpoints.

use std::fmt::Write;

use expect_test::expect_file;
use http::Method;

use super::{Access, Handler, PublicHandler, ROUTES, Resolution, Version, resolve};

fn check(method: &Method, path: &str, handler: Handler, version: Version, parameters: [&str; 3]) {
    match resolve(method, path) {
        Resolution::Found(found) => {
            assert_eq!(
                (found.route.handler, found.version, found.parameters),
                (handler, version, parameters),
                "{path}"
            );
        }
        other => panic!("{method} {path}: {other:?}"),
    }
}

#[test]
fn parts_are_split_at_plain_slashes_and_left_encoded() {
    let base = "/ibmmq/rest/v3/messaging/qmgr";
    let v3 = Version::V3;
    check(&Method::POST, &format!("{base}/QM1/queue/A%2FB/message"), Handler::PutMessage, v3, ["QM1", "A%2FB", ""]);
    check(
        &Method::DELETE,
        &format!("{base}/QM%2E1/queue/A.B/message/"),
        Handler::GetMessage,
        v3,
        ["QM%2E1", "A.B", ""],
    );
    check(&Method::HEAD, &format!("{base}/QM1/queue/Q/messagelist"), Handler::ListMessages, v3, ["QM1", "Q", ""]);
    check(&Method::GET, "/ibmmq/rest/v1/login", Handler::ShowLogin, Version::V1, ["", "", ""]);
    check(&Method::GET, "/", Handler::Public(PublicHandler::Root), Version::V1, ["", "", ""]);
}

#[test]
fn a_topic_string_spans_several_parts() {
    let base = "/ibmmq/rest/v2/messaging/qmgr/QM1/topic";
    let v2 = Version::V2;
    let publish = Handler::PublishMessage;
    check(&Method::POST, &format!("{base}/sport/football/message"), publish, v2, ["QM1", "sport/football", ""]);
    check(&Method::POST, &format!("{base}/%2Fa/message/message"), publish, v2, ["QM1", "%2Fa/message", ""]);
}

#[test]
fn paths_that_do_not_exist_are_unknown() {
    for path in [
        "/ibmmq/rest/v4/login",
        "/ibmmq/rest/V1/login",
        "/ibmmq/rest/v1/messaging/qmgr/QM1/topic/a/message",
        "/ibmmq/rest/v2/messaging/qmgr/QM1/topic/message",
        "/ibmmq/rest/v2/messaging/qmgr//queue/Q/message",
        "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/a/b/message",
        "/livez/more",
        "//",
        "",
        "*",
    ] {
        assert!(matches!(resolve(&Method::GET, path), Resolution::Unknown), "{path}");
    }
}

#[test]
fn a_wrong_method_is_told_which_there_are() {
    let Resolution::WrongMethod(allow) = resolve(&Method::PATCH, "/ibmmq/rest/v1/messaging/qmgr/Q/queue/Q/message")
    else {
        panic!("PATCH is no method of messages");
    };
    assert_eq!(allow, "POST, DELETE, GET, HEAD, OPTIONS");
}

#[test]
fn who_asks_is_unknown_exactly_to_handlers_of_what_everybody_may_use() {
    for route in ROUTES {
        let is_public = matches!(route.handler, Handler::Public(_));
        assert_eq!(is_public, route.access == Access::Everybody, "{} {}", route.method, route.template);
    }
}

#[test]
fn every_endpoint_stands_in_the_golden_list_with_its_role() {
    let mut list = String::new();
    for route in ROUTES {
        let versions: Vec<_> = route.versions.iter().map(|version| version.name()).collect();
        let access = match route.access {
            Access::Everybody => "everybody".to_owned(),
            Access::Identified => "any user".to_owned(),
            Access::Role(roles) => roles.names().collect::<Vec<_>>().join("|"),
        };
        let _ = writeln!(
            list,
            "{} {} [{}] {access}; CSRF {:?}",
            route.method,
            route.template,
            versions.join(" "),
            route.csrf
        );
    }
    expect_file!["../../tests/golden/endpoints.txt"].assert_eq(&list);
}
