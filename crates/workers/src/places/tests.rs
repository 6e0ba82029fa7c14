use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use super::{Most, Occupant, Place, Places};

const MOST: Most = Most { of_all: 4, of_address: 3 };
const AT_WORK: u8 = u8::MAX;

#[derive(Default)]
struct Connection {
    worth: AtomicU8,
    is_ended: AtomicBool,
    has_sibling: bool,
}

impl Occupant for Connection {
    type Worth = u8;

    fn worth(&self) -> Option<u8> {
        let worth = self.worth.load(Relaxed);
        (worth != AT_WORK).then_some(worth)
    }

    fn end(&self) {
        self.is_ended.store(true, Relaxed);
    }
}

type All = Arc<Places<Connection>>;

fn take(places: &All, from: &str) -> Option<Place<Connection>> {
    let from = from.parse().expect("an address");
    places.take(from, MOST, |sibling| Connection { has_sibling: sibling.is_some(), ..Connection::default() })
}

fn fill<const N: usize>(places: &All, from: [&str; N]) -> [Place<Connection>; N] {
    from.map(|from| take(places, from).expect("a place"))
}

fn ended<const N: usize>(all: &[Place<Connection>; N]) -> [bool; N] {
    std::array::from_fn(|index| all[index].occupant().is_ended.load(Relaxed))
}

fn set(place: &Place<Connection>, worth: u8) {
    place.occupant().worth.store(worth, Relaxed);
}

#[test]
fn an_address_that_has_too_many_makes_room_for_its_own() {
    let places = All::default();
    let held = fill(&places, ["192.0.2.2", "192.0.2.1", "192.0.2.1", "192.0.2.1"]);
    assert!(!held[0].occupant().has_sibling && held[2].occupant().has_sibling);
    let new = take(&places, "192.0.2.1").expect("a place");
    assert_eq!((ended(&held), new.made_room(), places.open()), ([false, true, false, false], true, 4));
}

#[test]
fn of_all_addresses_the_one_with_the_most_makes_room_for_a_newcomer() {
    let places = All::default();
    let held = fill(&places, ["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.3"]);
    assert_eq!(places.busiest().map(|(address, open)| (address.to_string(), open)), Some(("192.0.2.2".into(), 2)));
    let _newcomer = take(&places, "192.0.2.4").expect("a place");
    assert_eq!(ended(&held), [false, true, false, false]);
}

#[test]
fn the_one_of_least_worth_makes_room_and_none_that_is_at_work_or_kept() {
    let places = All::default();
    let held = fill(&places, ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]);
    [(0, AT_WORK), (1, 7), (2, 6), (3, AT_WORK)].into_iter().for_each(|(index, worth)| set(&held[index], worth));
    let first = take(&places, "192.0.2.3").expect("a place");
    assert_eq!(ended(&held), [false, false, true, false]);
    first.keep();
    held[1].keep();
    assert!(take(&places, "192.0.2.4").is_none(), "all are at work or kept");
    set(&held[3], 0);
    let _second = take(&places, "192.0.2.4").expect("a place");
    assert_eq!(ended(&held), [false, false, true, true], "the next address makes room when the first cannot");
}

#[test]
fn an_address_whose_connections_are_all_kept_gets_no_more_and_others_do() {
    let places = All::default();
    let own = fill(&places, ["2001:db8::1", "2001:db8::2", "2001:db8::3"]);
    own.iter().for_each(Place::keep);
    assert!(take(&places, "2001:db8::ffff:1").is_none(), "the same network of 64 bits");
    assert!(take(&places, "2001:db8:0:1::1").is_some());
}

#[test]
fn places_are_given_back_once_whatever_became_of_them() {
    let places = All::default();
    let held = fill(&places, ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]);
    let new = take(&places, "192.0.2.1").expect("a place");
    held[0].keep();
    held[1].keep();
    assert!(ended(&held)[0] && !ended(&held)[1], "one that made room is not kept");
    drop((held, new));
    assert_eq!((places.open(), places.busiest()), (0, None));
    assert!(places.table.lock().addresses.is_empty());
}
