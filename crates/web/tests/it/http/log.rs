//! `/api/v1/log` and `log` events: lines of the server's log, for whom, from where on.

use model::timestamp::Timestamp;
use serde_json::{Map, Value, json};
use web::options::Level;

use super::client::{self, basic};
use super::server::TestServer;

fn admin() -> String {
    basic("admin", "adminpw")
}

fn push(server: &TestServer, level: Level, text: &str) {
    let fields = Map::from_iter([("queue_manager".to_owned(), json!("QM1"))]);
    server.options.log.push(Timestamp::from_millis(1_800_000_000_000), level, text.to_owned(), fields);
}

fn get(server: &TestServer, query: &str, who: &str) -> (u16, Value) {
    let answer = client::plain(server).exchange(&format!("GET /api/v1/log{query}\n{who}\n"));
    (answer.status, serde_json::from_slice(&answer.body).expect("JSON"))
}

fn texts(page: &Value) -> Vec<&str> {
    page["lines"].as_array().expect("lines").iter().filter_map(|line| line["text"].as_str()).collect()
}

#[test]
fn administrators_read_the_log_from_where_they_were() {
    let server = TestServer::start();
    assert_eq!(get(&server, "", &admin()), (200, json!({ "lines": [], "next": 0, "first": 0 })));
    push(&server, Level::Info, "first");
    push(&server, Level::Warn, "second");
    push(&server, Level::Debug, "third");
    let (_, page) = get(&server, "?limit=2", &admin());
    assert_eq!((texts(&page), &page["next"], &page["first"]), (vec!["second", "third"], &json!(3), &json!(1)));
    let line = json!({
        "number": 2, "at": "2027-01-15T08:00:00.000Z", "level": "warn", "text": "second", "fields": { "queue_manager": "QM1" }
    });
    assert_eq!(page["lines"][0], line);
    let (_, page) = get(&server, "?after=0&limit=1", &basic("reader", "readerpw"));
    assert_eq!((texts(&page), &page["next"]), (vec!["first"], &json!(1)));
    let (_, page) = get(&server, "?after=1&level=info", &admin());
    assert_eq!((texts(&page), &page["next"]), (vec!["second"], &json!(3)));
}

#[test]
fn the_log_is_for_administrators_and_readers_alone() {
    let server = TestServer::start();
    push(&server, Level::Info, "of the whole server");
    assert_eq!(get(&server, "", &basic("app", "secret")).0, 403);
    assert_eq!(get(&server, "", "-authorization").0, 401);
    for query in ["?level=loud", "?limit=0", "?limit=1001", "?after=x", "?other=1"] {
        assert_eq!(get(&server, query, &admin()).0, 400, "{query}");
    }
}
