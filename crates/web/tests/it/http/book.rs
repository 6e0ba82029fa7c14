//! Pages below `/docs`: which form is sent, what guards them, what is no page.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use web::options::BookFile;

use super::client;
use super::server::TestServer;

const PAGE: &str = "<!doctype html><title>The first page</title>";

fn file(name: &'static str, media_type: &'static str, text: &str) -> BookFile {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).expect("memory takes every byte");
    BookFile { name, media_type, tag: "0123", gzip: encoder.finish().expect("memory takes every byte").leak() }
}

fn server() -> TestServer {
    TestServer::start_with(|options| {
        options.book = [file("", "text/html; charset=utf-8", PAGE), file("book.css", "text/css", "body {}")].into();
    })
}

#[test]
fn the_first_page_and_files_are_for_everyone() {
    let server = server();
    let mut client = client::plain(&server);
    for (path, media_type, text) in [
        ("/docs", "text/html; charset=utf-8", PAGE),
        ("/docs/", "text/html; charset=utf-8", PAGE),
        ("/docs?q=2033", "text/html; charset=utf-8", PAGE),
        ("/docs/book.css", "text/css", "body {}"),
    ] {
        let answer = client.exchange(&format!("GET {path}\n-authorization\n"));
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(media_type)), "{path}");
        assert_eq!(answer.text(), text, "{path}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    }
}

#[test]
fn pages_are_sent_compressed_and_only_when_they_have_changed() {
    let server = server();
    let mut client = client::plain(&server);
    let packed = client.exchange("GET /docs\n-authorization\naccept-encoding: gzip\n");
    assert_eq!((packed.header("content-encoding"), packed.header("cache-control")), (Some("gzip"), Some("no-cache")));
    assert!(packed.body.starts_with(&[0x1f, 0x8b]));
    let tag = packed.header("etag").expect("a tag").to_owned();
    let again = client.exchange(&format!("GET /docs\n-authorization\naccept-encoding: gzip\nif-none-match: {tag}\n"));
    assert_eq!((again.status, again.body.len()), (304, 0));
    let plain = client.exchange(&format!("GET /docs\n-authorization\nif-none-match: {tag}\n"));
    assert_eq!(plain.status, 200, "another form of it has another tag");
}

#[test]
fn what_is_no_page_is_a_problem() {
    let server = server();
    let mut client = client::plain(&server);
    for path in ["/docs/none", "/docs/book.css/x", "/docs/../x"] {
        let answer = client.exchange(&format!("GET {path}\n-authorization\n"));
        assert_eq!((answer.status, answer.header("content-type")), (404, Some("application/problem+json")), "{path}");
    }
    let posted = client.exchange("POST /docs\n-authorization\n\n");
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD, OPTIONS")));
}
