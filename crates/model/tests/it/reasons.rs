//! The published numbers and names of reasons.

use std::collections::HashSet;

use model::reason::{CompletionCode, Reason};

#[test]
fn numbers_and_names_are_unique_and_numbers_lead_back() {
    let numbers: HashSet<i32> = Reason::ALL.iter().map(|reason| reason.number()).collect();
    let names: HashSet<&str> = Reason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!((numbers.len(), names.len()), (Reason::ALL.len(), Reason::ALL.len()));
    for &reason in Reason::ALL {
        assert_eq!(Reason::from_number(reason.number()), Some(reason));
        assert!(reason.name().starts_with("MQRC_"), "{reason}");
    }
    assert_eq!(Reason::from_number(-1), None);
    assert_eq!(Reason::from_number(900), None);
}

#[test]
fn well_known_reasons_have_their_published_numbers() {
    for (reason, number, name, completion) in [
        (Reason::HconnError, 2018, "MQRC_HCONN_ERROR", CompletionCode::Failed),
        (Reason::NoMsgAvailable, 2033, "MQRC_NO_MSG_AVAILABLE", CompletionCode::Failed),
        (Reason::NotAuthorized, 2035, "MQRC_NOT_AUTHORIZED", CompletionCode::Failed),
        (Reason::TruncatedMsgFailed, 2080, "MQRC_TRUNCATED_MSG_FAILED", CompletionCode::Warning),
        (Reason::NotConverted, 2119, "MQRC_NOT_CONVERTED", CompletionCode::Warning),
        (Reason::PublicationFailure, 2502, "MQRC_PUBLICATION_FAILURE", CompletionCode::Failed),
        (Reason::SubInhibited, 2503, "MQRC_SUB_INHIBITED", CompletionCode::Failed),
        (Reason::NoSubsMatched, 2550, "MQRC_NO_SUBS_MATCHED", CompletionCode::Warning),
    ] {
        assert_eq!((reason.number(), reason.name(), reason.completion()), (number, name, completion));
    }
}

#[test]
fn the_page_of_reasons_has_each_with_its_name_and_completion() {
    let page = include_str!("../../../../docs/reason-codes.md");
    let (meanings, names) = page.split_once("## All names").expect("two tables");
    let rows = |part: &'static str| -> Vec<Vec<&'static str>> {
        let rows = part.lines().filter(|line| line.starts_with("| 2") || line.starts_with("| 6"));
        rows.map(|line| line.split('|').map(str::trim).collect()).collect()
    };
    for row in rows(meanings) {
        let reason = Reason::from_number(row[1].parse().expect("a number")).expect("a reason");
        assert_eq!(row[2], format!("`{}`", reason.name()), "{row:?}");
    }
    let listed: Vec<Vec<&str>> = rows(names);
    let listed: Vec<String> = listed.iter().map(|row| row[1..4].join(" ")).collect();
    let known = Reason::ALL.iter().filter(|reason| **reason != Reason::None);
    let known: Vec<String> = known
        .map(|reason| {
            let completion = format!("{:?}", reason.completion()).to_lowercase();
            format!("{} `{}` {completion}", reason.number(), reason.name())
        })
        .collect();
    assert_eq!(listed, known);
}
