//! The tables of PCF against those they lean on.

use model::definition::attribute;

use crate::pcf::table::{Action, COMMANDS};
use crate::pcf::term::{self, Term};
use crate::status;

#[test]
fn commands_stand_in_order_and_once() {
    assert!(COMMANDS.is_sorted_by(|one, two| one.number < two.number));
}

/// Keywords of a status without a term.
fn without_term<T>(rows: &[status::Row<T>], terms: &[&[Term]]) -> Vec<&'static str> {
    let has = |keyword: &str| terms.iter().any(|terms| terms.iter().any(|term| term.keyword == keyword));
    rows.iter().map(|row| row.mqsc).filter(|keyword| !has(keyword)).collect()
}

#[test]
fn every_row_of_a_status_has_a_number() {
    let none: [&str; 0] = [];
    assert_eq!(without_term(status::QUEUE_STATUS, &[term::QUEUE_STATUS]), none);
    assert_eq!(without_term(status::QUEUE_HANDLES, &[term::QUEUE_HANDLES]), none);
    // CONN and EXTCONN are one identifier.
    assert_eq!(without_term(status::CONNECTION, &[term::CONNECTION]), ["EXTCONN"]);
    assert_eq!(without_term(status::CONNECTION_HANDLES, &[term::CONNECTION_HANDLES]), none);
    assert_eq!(without_term(status::QUEUE_MANAGER_STATUS, &[term::QUEUE_MANAGER_STATUS]), none);
    assert_eq!(without_term(status::topic::SUBSCRIPTION, &[term::SUBSCRIPTION_STATUS]), none);
    assert_eq!(without_term(status::topic::TOPIC, &[term::TOPIC_STATUS]), none);
    assert_eq!(without_term(status::topic::PUBLISHER, &[term::TOPIC_CLIENTS]), none);
    assert_eq!(without_term(status::topic::SUBSCRIBER, &[term::TOPIC_CLIENTS]), none);
    assert_eq!(without_term(status::topic::PUBLISH_SUBSCRIBE, &[term::PUBSUB_STATUS]), none);
    assert_eq!(without_term(status::AUTHORITY, &[term::AUTHORITY]), none);
    assert_eq!(without_term(status::ENTITY_AUTHORITY, &[term::AUTHORITY]), none);
    assert_eq!(without_term(status::AUTHORITY_SERVICE, &[term::AUTHORITY_SERVICE]), none);
    assert_eq!(without_term(status::channel::STATUS, &[term::CHANNEL_STATUS]), none);
    assert_eq!(without_term(status::channel::LISTENER, &[term::LISTENER_STATUS]), none);
    assert_eq!(without_term(status::channel::SERVICE, &[term::SERVICE_STATUS]), none);
    assert_eq!(without_term(status::channel::AUTHENTICATION, &[term::CHANNEL_AUTHENTICATION]), none);
    assert_eq!(without_term(status::system::QUEUE_STATISTICS, &[term::QUEUE_STATISTICS]), none);
    assert_eq!(without_term(status::system::COMMAND_SERVER, &[term::COMMAND_SERVER]), none);
    assert_eq!(without_term(status::system::SYSTEM, &[term::SYSTEM_SETTINGS]), none);
}

#[test]
fn no_list_of_terms_has_a_number_or_a_keyword_twice() {
    for action in COMMANDS.iter().map(|row| &row.action) {
        let lists: Vec<&[Term]> = match action {
            Action::Status(form) => form.shows.iter().copied().chain([form.terms]).collect(),
            Action::Statement(form) => vec![form.terms],
            _ => Vec::new(),
        };
        for terms in lists {
            let numbers: std::collections::BTreeSet<_> = terms.iter().map(|term| term.id).collect();
            let keywords: std::collections::BTreeSet<_> = terms.iter().map(|term| term.keyword).collect();
            assert_eq!((numbers.len(), keywords.len()), (terms.len(), terms.len()), "{terms:?}");
        }
    }
}

/// A response tells attributes apart by their numbers, whichever kind of an object they are of.
#[test]
fn a_keyword_has_one_number_in_all_kinds_of_an_object() {
    for one in attribute::Kind::ALL {
        for two in attribute::Kind::ALL.into_iter().filter(|two| two.authority_object() == one.authority_object()) {
            for row in attribute::of(one).filter(|_| one.mqsc() == two.mqsc() || one.is_queue() && two.is_queue()) {
                for other in attribute::of(two).filter(|other| other.mqsc == row.mqsc) {
                    assert_eq!(row.pcf, other.pcf, "{} of {one:?} and {two:?}", row.mqsc);
                }
            }
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes the page into the source tree when asked to")]
fn the_manual_page_is_fresh() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pcf.md");
    let page = super::reference();
    if std::env::var_os("QUAYMASTER_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), page, "see the head of docs/pcf.md");
}
