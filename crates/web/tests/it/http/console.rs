//! The console's page and assets: which form is sent, what may be kept, what guards the page.

use super::client::{self, Answer, Client};
use super::server::TestServer;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

fn get(client: &mut Client, path: &str, headers: &str) -> Answer {
    client.exchange(&format!("GET {path}\n-authorization\n{headers}"))
}

/// The address of the page's first asset.
fn asset_of(page: &str) -> String {
    let start = page.find("/ibmmq/console/assets/").expect("the page has an asset");
    page[start..].split('"').next().expect("its address ends").to_owned()
}

#[test]
fn the_root_and_old_addresses_lead_to_the_console() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for (path, place) in [("/", "/ibmmq/console/"), ("/ibmmq/console/login.html", "/ibmmq/console/sign-in")] {
        let answer = get(&mut client, path, "");
        assert_eq!((answer.status, answer.header("location")), (302, Some(place)), "{path}");
    }
}

#[test]
fn every_address_of_a_view_answers_the_page() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let page = get(&mut client, "/ibmmq/console/", "");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.text().contains("<title>"), "{}", page.text());
    for path in ["/ibmmq/console", "/ibmmq/console/sign-in", "/ibmmq/console/qm/QM1/queues?name=PAY&sort=-depth"] {
        let answer = get(&mut client, path, "");
        assert_eq!((answer.status, &answer.body), (200, &page.body), "{path}");
    }
    let posted = client.exchange("POST /ibmmq/console/\n-authorization\n\n");
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD, OPTIONS")));
}

#[test]
fn files_are_sent_in_the_shortest_form_that_the_client_takes() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let page = get(&mut client, "/ibmmq/console/", "");
    for path in ["/ibmmq/console/".to_owned(), asset_of(&page.text())] {
        let plain = get(&mut client, &path, "");
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None));
        let mut bodies = vec![plain.body];
        for (accepted, encoding) in
            [("gzip, deflate", "gzip"), ("gzip, deflate, br, zstd", "br"), ("gzip;q=0, *", "br")]
        {
            let answer = get(&mut client, &path, &format!("accept-encoding: {accepted}\n"));
            assert_eq!(answer.header("content-encoding"), Some(encoding), "{path}: {accepted}");
            assert_eq!(answer.header("vary"), Some("accept-encoding"), "{path}");
            assert!(!bodies.contains(&answer.body) || bodies.last() == Some(&answer.body), "{path}: {accepted}");
            bodies.push(answer.body);
        }
        assert!(bodies[1].starts_with(&[0x1f, 0x8b]), "{path}: gzip");
    }
}

#[test]
fn assets_are_kept_for_ever_and_the_page_is_asked_for_each_time() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let page = get(&mut client, "/ibmmq/console/", "accept-encoding: br\n");
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let tag = page.header("etag").expect("a tag").to_owned();
    let again = get(&mut client, "/ibmmq/console/qm/QM1", &format!("accept-encoding: br\nif-none-match: {tag}\n"));
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(&*tag)));
    assert_eq!(again.header("cache-control"), Some("no-cache"));
    let otherwise = get(&mut client, "/ibmmq/console/", &format!("accept-encoding: gzip\nif-none-match: {tag}\n"));
    assert_eq!(otherwise.status, 200, "another form of it has another tag");
    let plain = get(&mut client, "/ibmmq/console/", "");
    let asset = get(&mut client, &asset_of(&plain.text()), "");
    assert_eq!(asset.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(asset.header("expires"), None);
}

#[test]
fn page_and_assets_are_guarded_and_other_pages_hold_them_in_no_frame() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let page = get(&mut client, "/ibmmq/console/", "");
    let asset = get(&mut client, &asset_of(&page.text()), "");
    for answer in [&page, &asset] {
        for (name, value) in [
            ("content-security-policy", POLICY),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        assert!(answer.header("permissions-policy").is_some_and(|policy| policy.contains("camera=()")));
    }
    let other = client.exchange("GET v3/login");
    assert!(other.header("content-security-policy").is_some_and(|policy| policy.contains("'unsafe-inline'")));
}

#[test]
fn origins_of_the_configuration_may_hold_the_console_in_a_frame() {
    let server = TestServer::start_with(|options| {
        options.console.frame_ancestors = vec!["https://portal.example".to_owned(), "https://*.b.example".to_owned()];
    });
    let page = get(&mut client::plain(&server), "/ibmmq/console/", "");
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("frame-ancestors https://portal.example https://*.b.example; "), "{policy}");
    assert_eq!(page.header("x-frame-options"), None);
    for wrong in ["portal.example", "https://", "https://a.example; script-src *", "*"] {
        let mut options = server.options.clone();
        options.console.frame_ancestors = vec![wrong.to_owned()];
        let refused = server.web.reload(options).expect_err(wrong).to_string();
        assert!(refused.contains("console.frame_ancestors") && refused.contains(wrong), "{refused}");
    }
}

#[test]
fn an_asset_that_is_not_there_is_no_page() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for path in ["/ibmmq/console/assets/app-00000000.js", "/ibmmq/console/assets/", "/ibmmq/console/assets/../x/y"] {
        let answer = get(&mut client, path, "");
        assert_eq!((answer.status, answer.header("content-type")), (404, Some("application/problem+json")), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
    }
}
