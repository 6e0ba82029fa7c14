//! History of `/api/v1`: who sees which series, what is refused, and that samples are taken.

use std::time::Duration;

use model::descriptor::MessageDescriptor;
use serde_json::Value;
use tokio::time::Instant;

use super::client::{self, Answer, Client};
use super::server::{PATIENCE, TestServer};

const BASE: &str = "/api/v1/qmgr/QM1/history";
const OTHER: &str = "\nauthorization: Basic b3RoZXI6b3RoZXJwdw==";
const ADMIN: &str = "\nauthorization: Basic YWRtaW46YWRtaW5wdw==";
const READER: &str = "\nauthorization: Basic cmVhZGVyOnJlYWRlcnB3";

fn get(client: &mut Client, query: &str, headers: &str) -> Answer {
    client.exchange(&format!("GET {BASE}?{query}{headers}\n\n"))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {} {}", answer.status, answer.text()))
}

/// Status and identifier of a refusal.
fn refusal(answer: &Answer) -> (u16, String) {
    let problem = value(answer);
    (answer.status, problem["type"].as_str().expect("a type").rsplit('/').next().expect("an id").to_owned())
}

#[test]
fn what_is_put_is_in_the_history_within_ten_seconds() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    server.put("Q", MessageDescriptor::default(), "one");
    let begun = Instant::now();
    loop {
        let chart = value(&get(&mut client, "series=queue/Q/depth&series=queue/Q/puts&points=10", ""));
        assert_eq!(
            (chart["series"][0]["unit"].as_str(), chart["series"][1]["unit"].as_str()),
            (Some("messages"), Some("messages/s"))
        );
        let depths = chart["series"][0]["values"].as_array().expect("a list");
        if depths.last().is_some_and(|depth| *depth == 1) || depths.iter().rev().nth(1).is_some_and(|depth| *depth == 1)
        {
            assert!(chart["series"][0]["since"].is_string());
            break;
        }
        // The first look may be 15 seconds away.
        assert!(begun.elapsed() < PATIENCE, "{chart}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let metrics = client::metrics(&server).exchange("GET /metrics\n-authorization\n\n").text();
    let subjects = metrics.lines().find_map(|line| line.strip_prefix("quaymaster_history_subjects "));
    assert!(
        subjects.is_some_and(|subjects| subjects.parse::<u64>().is_ok_and(|subjects| subjects >= 1)),
        "{subjects:?}"
    );
}

#[test]
fn a_user_sees_the_series_of_what_it_may_inquire_or_display() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let mut status = |series: &str, who: &str| get(&mut client, &format!("series={series}"), who).status;
    assert_eq!(status("queue/Q/depth", ""), 200, "inq");
    assert_eq!(status("queue/PRIVATE/depth", ""), 200, "dsp");
    assert_eq!(status("queue/Q/depth", OTHER), 403);
    assert_eq!(status("queue/NONE/depth", OTHER), 403, "whether it exists is not told");
    assert_eq!(status("qmgr/puts", ""), 403, "no dsp on the queue manager");
    assert_eq!(status("channel/SYSTEM.DEF.SVRCONN/instances", ""), 403);
    for who in [ADMIN, READER] {
        assert_eq!(status("qmgr/puts", who), 200);
        assert_eq!(status("channel/SYSTEM.DEF.SVRCONN/instances", who), 200);
        assert_eq!(status("queue/NONE/depth", who), 404);
    }
    assert_eq!(status("qmgr/puts&from=2026-11-26T00:00:00Z&to=2026-11-25T00:00:00Z", ADMIN), 200, "an empty range");
    // One that may not be seen refuses the whole request.
    assert_eq!(status("queue/Q/depth&series=qmgr/puts", ""), 403);
    let totals = value(&get(&mut client, "points=1", ADMIN));
    let names: Vec<_> = totals["series"].as_array().expect("a list").iter().map(|series| &series["name"]).collect();
    assert_eq!(names, ["qmgr/puts", "qmgr/gets", "qmgr/depth", "qmgr/connections"]);
}

#[test]
fn a_request_for_what_is_no_history_is_refused() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let mut refused = |query: &str| refusal(&get(&mut client, query, ""));
    for wrong in [
        "series=",
        "series=queue/Q/colour",
        "series=queue/Q/depth&points=0",
        "series=queue/Q/depth&points=2001",
        "series=queue/Q/depth&from=yesterday",
    ] {
        assert_eq!(refused(wrong), (400, "MQWB0904E".to_owned()), "{wrong}");
    }
    assert_eq!(refused(&"series=queue/Q/depth&".repeat(51)), (400, "MQWB0904E".to_owned()));
    assert_eq!(refused("series=queue/Q/depth&step=10").0, 400);
    let unknown = client.exchange("GET /api/v1/qmgr/QM9/history?series=qmgr/puts\n\n");
    assert_eq!(refusal(&unknown).0, 404);
    let server = TestServer::start_with(|options| options.console.history_bytes = 0);
    let none = get(&mut client::plain(&server), "series=queue/Q/depth", "");
    assert_eq!(refusal(&none), (404, "MQWB0990E".to_owned()));
}
