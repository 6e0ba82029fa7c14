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
fn the_most_specific_of_two_profiles_is_found_from_the_left() {
    // Each profile is more specific than the one after it, for a name that both match.
    for pair in [
        ["A.B", "A.B*"],
        ["A.B", "A.?"],
        ["AB.C*", "AB.*"],
        ["A.?", "A.*"],
        ["A.*", "A.**"],
        ["A.*", "**"],
        ["**.B", "**"],
        ["A.*C", "A.*"],
        ["A.*", "A.*.**"],
        ["?.B", "*.B"],
        ["A*", "*"],
        ["A.**.Z", "A.**"],
        ["A", "A.**"],
    ] {
        let [more, less] = pair;
        assert_eq!(profile::specificity(more, less), std::cmp::Ordering::Less, "{more} before {less}");
        assert_eq!(profile::specificity(less, more), std::cmp::Ordering::Greater, "{less} after {more}");
        assert_eq!(profile::specificity(more, more), std::cmp::Ordering::Equal);
    }
}

#[test]
fn a_record_that_grants_nothing_takes_away_what_a_wider_profile_grants() {
    let records = [record("A.**", user("app"), Authority::PUT), record("A.B", user("app"), Authority::empty())];
    let app = Principal::user("app");
    assert_eq!(granted(&records, &app, "A.B"), Authority::empty());
    assert_eq!(granted(&records, &app, "A.C"), Authority::PUT);
}

#[test]
fn the_class_grants_creation_and_nothing_else() {
    let records = [
        record("A.**", user("app"), Authority::PUT),
        record(AuthorityRecord::CLASS, user("app"), Authority::CREATE | Authority::GET),
    ];
    let app = Principal::user("app");
    assert_eq!(granted(&records, &app, "A.B"), Authority::PUT | Authority::CREATE);
    assert_eq!(granted(&records, &app, "Z"), Authority::CREATE);
}

#[test]
fn a_maker_gets_all_but_creation_and_an_administrator_nothing() {
    let authorities = Authorities::new("server", []);
    let name = ObjectName::literal("A");
    let made = authorities.of_maker(&Principal::user("app"), AuthorityObject::Queue, &name).unwrap();
    assert_eq!(made, record("A", user("app"), AuthorityObject::Queue.all_authorities() - Authority::CREATE));
    assert_eq!(authorities.of_maker(&Principal::user("server"), AuthorityObject::Queue, &name), None);
}

#[test]
fn matching_takes_no_longer_than_the_lengths_allow() {
    let profile = format!("{}B", "*A".repeat(20));
    assert!(!profile_matches(&profile, &"A".repeat(48)));
    assert!(profile_matches("*A*B?*", "XXAXBXYZ"));
    assert!(!profile_matches("*A*B?", "XXAXB"));
    // Records of such profiles may be stored. Trying every way to match takes hours.
    let (profile, name) = (format!("{}ZZ", "**.".repeat(15)), ["A"; 24].join("."));
    assert!(!profile_matches(&profile, &name));
    assert!(profile_matches(&profile, &format!("{name}.ZZ")));
    assert!(profile_matches("**.A.**.B", "X.A.Y.A.Z.B"));
    assert!(!profile_matches("**.A.**.B", "X.Y.Z.B"));
}

#[test]
fn a_profile_is_a_name_with_wildcards() {
    for profile in ["A", "A.B%/_9", "?", "*", "**", "A.**", "**.Z", "A*.**.?Z", AuthorityRecord::CLASS, &"Q".repeat(48)]
    {
        assert_eq!(profile_problem(profile), None, "{profile}");
    }
    for profile in ["", " ", "A ", "A B", "A.**.**", "**.**", "****", "A,B", "A.é", "@CLASS", "A\0", &"*.".repeat(25)]
    {
        assert!(profile_problem(profile).is_some(), "{profile}");
    }
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
    authorities.remove(&record("A", user("app"), Authority::empty()));
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
