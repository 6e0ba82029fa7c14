//! The layout of error bodies and the choice of status by reason.

use std::collections::BTreeSet;

use expect_test::expect;
use model::reason::Reason;

use super::{ApiError, ENTRIES, NOT_AUTHENTICATED, Verb};

#[test]
fn members_stand_in_the_published_order_and_inserts_are_escaped() {
    let error = ApiError::new(&NOT_AUTHENTICATED, &["https://h/\"x\""]);
    expect![[r#"
        {"error": [{
          "msgId": "MQWB0104E",
          "action": "Log in, or send the request with HTTP basic credentials or a client certificate.",
          "completionCode": 0,
          "reasonCode": 0,
          "type": "rest",
          "message": "MQWB0104E: The request to 'https://h/\"x\"' is not authenticated.",
          "explanation": "The resource is protected, and the request has no valid credentials."
        }]}"#]]
    .assert_eq(&error.body());
}

#[test]
fn an_mq_reason_makes_the_type_pcf_and_shows_its_number() {
    let error = ApiError::verb(Verb::PutTo, "Q", "QM1", "app", Reason::NotAuthorized);
    let body = error.body();
    assert!(body.contains("\"completionCode\": 2,\n  \"reasonCode\": 2035,\n  \"type\": \"pcf\""), "{body}");
    assert!(body.contains("User 'app' is not authorized to put to 'Q'."), "{body}");
}

#[test]
fn every_identifier_stands_once_and_every_body_is_json() {
    let mut seen = BTreeSet::new();
    for entry in ENTRIES {
        assert!(seen.insert(entry.id), "{} stands twice", entry.id);
        assert!(entry.id.len() == 9 && entry.id.starts_with("MQWB") && entry.id.ends_with('E'), "{}", entry.id);
        let body = ApiError::new(entry, &["\u{7}a", "b\\", "c"]).body();
        let value: serde_json::Value = serde_json::from_str(&body).expect("an error body is JSON");
        let message = value["error"][0]["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("{}: ", entry.id)) && !message.contains('{'), "{message}");
    }
}

#[test]
fn reasons_map_to_the_statuses_of_the_reference() {
    let table = [
        (Reason::NotAuthorized, 403),
        (Reason::UnknownObjectName, 404),
        (Reason::QMgrNameError, 404),
        (Reason::UnknownAliasBaseQ, 404),
        (Reason::GetInhibited, 405),
        (Reason::PutInhibited, 405),
        (Reason::MsgTooBigForQ, 400),
        (Reason::MsgTooBigForQMgr, 400),
        (Reason::SelectorSyntaxError, 400),
        (Reason::QFull, 500),
        (Reason::QSpaceNotAvailable, 500),
        (Reason::StorageNotAvailable, 500),
        (Reason::ResourceProblem, 500),
        (Reason::ObjectInUse, 500),
        (Reason::QMgrNotAvailable, 503),
        (Reason::QMgrQuiescing, 503),
        (Reason::QMgrStopping, 503),
        (Reason::ConnectionBroken, 503),
    ];
    for (reason, status) in table {
        let error = ApiError::verb(Verb::GetFrom, "Q", "QM1", "app", reason);
        assert_eq!(error.status.as_u16(), status, "{reason}");
    }
}
