//! `events`, also `amqsevt`: what it shows, and what it leaves on the queues.

use serde_json::Value;

use crate::program::{Folder, Server};

/// What the command wrote, without the words before each line.
fn lines(said: &str) -> Vec<String> {
    assert!(said.starts_with("exit 0\n"), "{said}");
    said.lines().filter_map(|line| line.strip_prefix("out: ")).map(str::to_owned).collect()
}

#[test]
fn events_are_shown_in_words_and_taken_from_their_queues_unless_they_are_browsed() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    folder.run(&["mqsc", "ALTER QMGR CONFIGEV(ENABLED) PERFMEV(ENABLED)"]);
    folder.run(&["mqsc", "DEFINE QLOCAL(ORDERS) MAXDEPTH(1) DESCR('of customers')"]);
    folder.run(&["put", "ORDERS", "one"]);
    folder.run(&["put", "ORDERS", "one too many"]);

    let browsed = lines(&folder.run(&["events", "-m", "QM1", "-b", "-o", "json_compact"]));
    let events: Vec<Value> =
        browsed.iter().map(|line| serde_json::from_str(line).expect("an object in a line")).collect();
    let of = |reason: &str| {
        let found = events.iter().find(|event| event["eventReason"]["name"] == reason);
        found.unwrap_or_else(|| panic!("no {reason} in {events:?}"))
    };
    let created = of("Config Create Object");
    assert_eq!(created["eventSource"]["objectName"], "SYSTEM.ADMIN.CONFIG.EVENT");
    assert_eq!(created["eventType"], serde_json::json!({ "name": "Config Event", "value": 43 }));
    let data = &created["eventData"];
    assert_eq!((&data["eventQueueMgr"], &data["objectType"]), (&"QM1".into(), &"Queue".into()), "{created}");
    assert_eq!((&data["queueName"], &data["queueDesc"]), (&"ORDERS".into(), &"of customers".into()), "{created}");
    assert!(created["eventCreation"]["epoch"].as_i64() > Some(1_700_000_000), "{created}");
    let full = of("Queue Full");
    assert_eq!(full["eventSource"]["objectName"], "SYSTEM.ADMIN.PERFM.EVENT");
    assert_eq!((&full["eventData"]["baseObjectName"], &full["eventReason"]["value"]), (&"ORDERS".into(), &2053.into()));

    let constants = folder.run(&["events", "-q", "SYSTEM.ADMIN.PERFM.EVENT", "-b", "-d", "-o", "json_compact"]);
    assert!(constants.contains("\"MQCA_BASE_OBJECT_NAME\":\"ORDERS\""), "{constants}");

    let read = lines(&folder.run(&["events", "-w", "0"]));
    let headings: Vec<&String> = read.iter().filter(|line| line.starts_with("**** Message #")).collect();
    assert_eq!(headings.len(), events.len(), "{read:?}");
    assert!(read.iter().any(|line| line == "Reason                           : Queue Full [2053]"), "{read:?}");
    assert!(read.iter().any(|line| line.starts_with("  Base Object Name               : ORDERS")), "{read:?}");
    assert_eq!(lines(&folder.run(&["events", "-b"])), Vec::<String>::new(), "they were taken");
}

#[test]
fn a_message_that_is_no_event_is_told_and_the_rest_is_shown() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    folder.run(&["put", "DEV.QUEUE.1", "no event"]);
    let said = folder.run(&["events", "-q", "DEV.QUEUE.1", "-w", "0"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert!(said.contains("a message of 8 bytes on DEV.QUEUE.1 is not in PCF"), "{said}");
    let refused = folder.run(&["events", "--url", "https://127.0.0.1:1"]);
    assert!(refused.starts_with("exit 2"), "{refused}");
}
