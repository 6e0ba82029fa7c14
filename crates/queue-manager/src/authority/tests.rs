use super::*;

fn record(profile: &str, entity: Entity, authorities: Authority) -> AuthorityRecord {
    AuthorityRecord { profile: profile.to_owned(), object: AuthorityObject::Queue, entity, authorities }
}

fn user(name: &str) -> Entity {
    Entity::Principal(name.to_owned())
}

fn group(name: &str) -> Entity {
    Entity::Group(name.to_owned())
}

fn granted(records: &[AuthorityRecord], principal: &Principal, name: &str) -> Authority {
    Authorities::new("server", records.iter().cloned()).granted(
        principal,
        AuthorityObject::Queue,
        &ObjectName::literal(name),
    )
}

#[test]
fn profiles_match_by_character_qualifier_and_qualifiers() {
    for (profile, name, expected) in [
        ("A.B", "A.B", true),
        ("A.?", "A.B", true),
        ("A.?", "A.BC", false),
        ("A.*", "A.BC", true),
        ("A.*", "A", false),
        ("A.*", "A.B.C", false),
        ("A.B*", "A.BCD", true),
        ("A.**", "A.B.C", true),
        ("A.**", "A", true),
        ("A.**", "AB.C", false),
        ("**", "ANY.THING", true),
        ("A.**.Z", "A.Z", true),
        ("A.**.Z", "A.B.C.Z", true),
        ("A.**.Z", "A.B.C", false),
    ] {
        assert_eq!(profile_matches(profile, name), expected, "{profile} on {name}");
    }
}

#[test]
fn the_most_specific_profile_of_an_entity_counts_alone() {
    let records = [
        record("**", user("app"), Authority::all()),
        record("A.*", user("app"), Authority::PUT | Authority::GET),
        record("A.B", user("app"), Authority::BROWSE),
    ];
    let app = Principal::user("app");
    assert_eq!(granted(&records, &app, "A.B"), Authority::BROWSE);
    assert_eq!(granted(&records, &app, "A.C"), Authority::PUT | Authority::GET);
    assert_eq!(granted(&records, &app, "C"), Authority::all());
}

#[test]
fn what_user_and_groups_may_do_adds_up() {
    let records = [
        record("A.*", user("app"), Authority::PUT),
        record("A.B", group("staff"), Authority::GET),
        record("**", group("others"), Authority::BROWSE),
    ];
    let mut app = Principal::user("app");
    app.groups = Arc::from([Arc::from("staff")]);
    assert_eq!(granted(&records, &app, "A.B"), Authority::PUT | Authority::GET);
}

#[test]
fn a_changed_record_is_seen_at_once() {
    let authorities = Authorities::new("server", [record("A", user("app"), Authority::PUT)]);
    let (app, name) = (Principal::user("app"), ObjectName::literal("A"));
    assert_eq!(authorities.granted(&app, AuthorityObject::Queue, &name), Authority::PUT);
    authorities.set(record("A", user("app"), Authority::GET));
    assert_eq!(authorities.granted(&app, AuthorityObject::Queue, &name), Authority::GET);
    authorities.set(record("A", user("app"), Authority::empty()));
    assert_eq!(authorities.granted(&app, AuthorityObject::Queue, &name), Authority::empty());
}

#[test]
fn the_server_user_administrators_and_mqm_need_no_record() {
    let mut member = Principal::user("member");
    member.groups = Arc::from([Arc::from("mqm")]);
    for principal in [Principal::user("server"), Principal::administrator("x"), member] {
        assert_eq!(granted(&[], &principal, "A"), Authority::all());
    }
}
