use std::net::IpAddr;
use std::sync::Arc;

use super::{Most, Place, Places, Stage};

const MOST: Most = Most { of_all: 4, of_address: 3 };

fn take(places: &Arc<Places>, from: &str) -> Option<Place> {
    places.take(from.parse::<IpAddr>().unwrap(), MOST)
}

fn is_ended(place: &Place) -> bool {
    matches!(*place.occupant.stage.lock(), Stage::Ended)
}

#[test]
fn of_an_address_that_has_too_many_the_socket_that_waited_longest_makes_room() {
    let places = Arc::default();
    let other = take(&places, "192.0.2.2").unwrap();
    let own: Vec<Place> = (0..3).map(|_| take(&places, "192.0.2.1").unwrap()).collect();
    own[0].admit();
    let new = take(&places, "192.0.2.1").unwrap();
    assert!(new.was_made && is_ended(&own[1]) && !is_ended(&own[0]) && !is_ended(&other));
    assert_eq!(places.open(), 4);
}

#[test]
fn of_all_the_socket_that_waited_longest_makes_room_and_none_whose_partner_is_let_in() {
    let places = Arc::default();
    let mut held: Vec<Place> =
        ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"].iter().map(|from| take(&places, from).unwrap()).collect();
    held[0].admit();
    held.push(take(&places, "192.0.2.5").unwrap());
    assert!(is_ended(&held[1]));
    held.iter().for_each(Place::admit);
    assert!(take(&places, "192.0.2.6").is_none());
    assert_eq!(places.open(), 4);
    drop(held);
    assert_eq!(places.open(), 0);
    assert!(places.state.lock().addresses.is_empty() && places.state.lock().waiting.is_empty());
}

#[test]
fn an_address_whose_partners_are_all_let_in_gets_no_more_and_others_do() {
    let places = Arc::default();
    let own: Vec<Place> = (0..3).map(|_| take(&places, "2001:db8::1").unwrap()).collect();
    own.iter().for_each(Place::admit);
    assert!(take(&places, "2001:db8::ffff:1").is_none(), "the same network of 64 bits");
    assert!(take(&places, "2001:db8:0:1::1").is_some());
}

#[tokio::test]
async fn a_task_that_is_known_only_after_its_socket_made_room_ends_too() {
    let places = Arc::default();
    let own: Vec<Place> = (0..4).map(|_| take(&places, "192.0.2.1").unwrap()).collect();
    let task = tokio::spawn(std::future::pending::<()>());
    own[0].is_served_by(task.abort_handle());
    assert!(task.await.unwrap_err().is_cancelled());
}
