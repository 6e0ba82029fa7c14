use model::pcf::Header;

use super::*;

fn record(parameters: Vec<Parameter>) -> Message {
    Message { header: Header::command(n::MQCMD_ACCOUNTING_MQI), parameters }
}

#[test]
fn lists_tell_their_places_and_dates_their_times() {
    let record = record(vec![
        Parameter::text(n::MQCAMO_START_DATE, "2026-11-21"),
        Parameter::text(n::MQCAMO_START_TIME, "10.20.30"),
        Parameter::integers(n::MQIAMO_PUTS, vec![3, 4]),
        Parameter::integers(n::MQIAMO_OPENS, vec![0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
        Parameter::integer(n::MQIAMO_DISC_TYPE, 1),
        Parameter::bytes(n::MQBACF_CONNECTION_ID, [0xAB, 1]),
        Parameter::integer(99, 5),
    ]);
    assert_eq!(
        line(&record),
        r#"{"recordType":"accountingMqi","intervalStart":"2026-11-21T10:20:30Z","putCount":{"nonpersistent":3,"persistent":4},"openCount":{"queue":2,"queueManager":1},"disconnectType":"implicit","connectionId":"AB01","99":5}"#
    );
}

#[test]
fn groups_that_follow_each_other_are_one_array() {
    let group = |name| Parameter::group(n::MQGACF_Q_ACCOUNTING_DATA, vec![Parameter::text(n::MQCA_Q_NAME, name)]);
    let record = record(vec![
        Parameter::integer(n::MQIAMO_OBJECT_COUNT, 2),
        group("A"),
        group("B"),
        Parameter::integer(n::MQIAMO_MSGS, 7),
    ]);
    assert_eq!(
        line(&record),
        r#"{"recordType":"accountingMqi","objectCount":2,"queues":[{"queueName":"A"},{"queueName":"B"}],"messageCount":7}"#
    );
}

#[test]
fn no_name_and_no_number_is_used_twice() {
    for (at, (id, name, _)) in NAMES.iter().enumerate() {
        assert!(NAMES[at + 1..].iter().all(|(other, ..)| other != id), "{id} stands there twice");
        let is_group = *name == "queues";
        assert!(name.is_empty() || is_group || NAMES[at + 1..].iter().all(|(_, other, _)| other != name), "{name}");
    }
}
