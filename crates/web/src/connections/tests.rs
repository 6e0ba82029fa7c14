use super::*;

const ATTACKER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

fn places(of_all: usize, of_address: usize) -> Most {
    Most { of_all, of_address }
}

fn is_told_to_close(entry: &Entry) -> bool {
    entry.occupant().is_told_to_close()
}

#[test]
fn an_address_with_too_many_connections_makes_room_for_its_own() {
    let all = Connections::new(Door::Http);
    let places = places(10, 2);
    let other = all.admit(OTHER, places).expect("a place");
    let [first, second, third] = std::array::from_fn(|_| all.admit(ATTACKER, places).expect("a place"));
    assert_eq!([&other, &first, &second, &third].map(is_told_to_close), [false, true, false, false]);
    assert_eq!((all.open(), all.turned_away()), (3, [0, 1]));
    drop((first, second));
    assert_eq!(all.open(), 2);
}

#[test]
fn a_full_listener_has_a_place_for_whoever_has_fewer() {
    let all = Connections::new(Door::Http);
    let places = places(3, 3);
    let crowd: Vec<_> = (0..3).map(|_| all.admit(ATTACKER, places).expect("a place")).collect();
    let newcomer = all.admit(OTHER, places).expect("a place");
    assert!(is_told_to_close(&crowd[0]) && !is_told_to_close(&crowd[1]) && !is_told_to_close(&newcomer));
}

#[test]
fn connections_at_work_stay_and_those_whose_bodies_do_not_come_go() {
    let all = Connections::new(Door::Http);
    let places = places(2, 2);
    let [works, reads] = std::array::from_fn(|_| all.admit(ATTACKER, places).expect("a place"));
    let _at_work = (works.occupant().request(), reads.occupant().request());
    assert!(all.admit(OTHER, places).is_none(), "both are at work");
    let _reading = reads.occupant().reading();
    let _newcomer = all.admit(OTHER, places).expect("a place");
    assert!(is_told_to_close(&reads) && !is_told_to_close(&works));
    assert_eq!(all.turned_away(), [1, 1]);
}

#[test]
fn waits_are_counted_by_address_and_in_all() {
    let all = Connections::new(Door::Http);
    let limits = Limits { waiting_requests: 3, connections_per_address: 2, ..Limits::default() };
    let [one, two] = [ATTACKER, OTHER].map(|address| all.admit(address, places(9, 9)).expect("a place"));
    let held: Vec<_> = (0..2).map(|_| one.occupant().waiting(&limits).expect("a wait")).collect();
    assert!(one.occupant().waiting(&limits).is_none(), "two of one address");
    let third = two.occupant().waiting(&limits).expect("a wait");
    assert!(two.occupant().waiting(&limits).is_none(), "three in all");
    drop((held, third));
    assert!(one.occupant().waiting(&limits).is_some());
}
