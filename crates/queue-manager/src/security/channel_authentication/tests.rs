use std::net::IpAddr;

use model::definition::ChannelAuthentication;
use model::definition::channel_authentication::{CheckClient, MapKey, Rule, UserSource};

use super::*;

fn map_record(profile: &str, key: MapKey, address: &str, user: &str) -> ChannelAuthentication {
    let source = match user {
        "-" => UserSource::NoAccess,
        "=" => UserSource::Channel,
        user => UserSource::Map(user.to_owned()),
    };
    let rule = Rule::Map { key, address: address.to_owned(), source, check_client: CheckClient::default() };
    ChannelAuthentication::new(profile, rule)
}

fn client(user: &str) -> MapKey {
    MapKey::ClientUser(user.to_owned())
}

fn peer(subject: &str, issuer: &str) -> MapKey {
    MapKey::Peer { subject: subject.to_owned(), issuer: issuer.to_owned() }
}

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn inbound(channel: &'static str) -> Inbound<'static> {
    Inbound {
        channel,
        address: address("192.0.2.7"),
        host: None,
        client_user: None,
        queue_manager: None,
        subject: None,
        issuer: None,
    }
}

fn check(records: &[ChannelAuthentication], inbound: &Inbound<'_>, expected: Outcome<'_>) {
    for rotation in 0..records.len() {
        let mut records = records.to_vec();
        records.rotate_left(rotation);
        assert_eq!(map(&records, inbound).outcome, expected, "order {rotation}");
    }
}

#[test]
fn without_a_record_the_channel_says_who_it_runs_as() {
    check(&[], &inbound("APP"), Outcome::AsChannel);
    assert_eq!(map(&[], &inbound("APP")).outcome, Outcome::AsChannel);
}

#[test]
fn the_most_specific_channel_profile_comes_first() {
    let records = [
        map_record("*", MapKey::Address, "*", "-"),
        map_record("APP.*", MapKey::Address, "*", "any"),
        map_record("APP.SVRCONN", MapKey::Address, "*", "one"),
    ];
    check(&records, &inbound("APP.SVRCONN"), Outcome::User("one"));
    check(&records, &inbound("APP.OTHER"), Outcome::User("any"));
    check(&records, &inbound("OTHER"), Outcome::Refused);
    // The channel counts before the kind of key.
    let records =
        [map_record("APP.*", client("joe"), "", "mapped"), map_record("APP.SVRCONN", MapKey::Address, "*", "-")];
    check(&records, &Inbound { client_user: Some("joe"), ..inbound("APP.SVRCONN") }, Outcome::Refused);
}

#[test]
fn certificates_come_before_users_and_users_before_addresses() {
    let records = [
        map_record("APP", MapKey::Address, "192.0.2.7", "by-address"),
        map_record("APP", client("joe"), "", "by-user"),
        map_record("APP", peer("CN=joe", ""), "", "by-certificate"),
    ];
    let joe = Inbound { client_user: Some("joe"), ..inbound("APP") };
    check(&records, &Inbound { subject: Some("CN=joe,O=Example"), ..joe }, Outcome::User("by-certificate"));
    check(&records, &joe, Outcome::User("by-user"));
    check(&records, &Inbound { client_user: Some("ann"), ..joe }, Outcome::User("by-address"));
    // Letters' case counts in users' names.
    check(&records, &Inbound { client_user: Some("Joe"), ..joe }, Outcome::User("by-address"));
}

#[test]
fn addresses_match_by_number_range_and_star_the_narrowest_first() {
    for (pattern, text, matches) in [
        ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.8", "192.0.2.7", false),
        ("192.0.2.*", "192.0.2.7", true),
        ("192.0.2-5.*", "192.0.4.1", true),
        ("192.0.2-5.*", "192.0.6.1", false),
        ("192.*", "192.0.6.1", true),
        ("*", "2001:db8::7", true),
        ("192.0.2.7", "::ffff:192.0.2.7", true),
        ("2001:DB8:*", "2001:db8::7", true),
        ("2001:DB8:0:0:0:0:0:1-F", "2001:db8::7", true),
        ("2001:DB8::7", "2001:db8::7", true),
        ("2001:DB8:*", "2001:db9::7", false),
    ] {
        assert_eq!(address::match_rank(pattern, address(text), None).is_some(), matches, "{pattern} on {text}");
    }
    let records = [
        map_record("*", MapKey::Address, "192.0.2.*", "star"),
        map_record("*", MapKey::Address, "192.0.2.1-9", "range"),
        map_record("*", MapKey::Address, "192.0.2.5-8", "narrow"),
        map_record("*", MapKey::Address, "*", "-"),
    ];
    check(&records, &inbound("APP"), Outcome::User("narrow"));
    check(&records, &Inbound { address: address("192.0.2.9"), ..inbound("APP") }, Outcome::User("range"));
    check(&records, &Inbound { address: address("192.0.2.77"), ..inbound("APP") }, Outcome::User("star"));
    check(&records, &Inbound { address: address("198.51.100.1"), ..inbound("APP") }, Outcome::Refused);
}

#[test]
fn host_names_match_in_any_case_and_only_when_they_are_known() {
    let records = [map_record("*", MapKey::Address, "*.Example.com", "mapped")];
    check(&records, &Inbound { host: Some("app1.example.COM"), ..inbound("APP") }, Outcome::User("mapped"));
    check(&records, &Inbound { host: Some("app1.example.org"), ..inbound("APP") }, Outcome::AsChannel);
    check(&records, &inbound("APP"), Outcome::AsChannel);
}

#[test]
fn only_patterns_of_addresses_and_hosts_are_addresses() {
    for good in ["*", "10.*", "192.0.2.1-9", "192.0.*.1", "2001:DB8:*", "::1", "*.example.com", "app-1"] {
        assert!(is_address_pattern(good), "{good}");
    }
    for bad in ["", "192.0.2", "192.0.2.256", "192.0.9-2.1", "1.2.3.4.5", "2001:XYZ:*", "2001:1", "a b", "192.0.2.+1"] {
        assert!(!is_address_pattern(bad), "{bad}");
    }
}

#[test]
fn an_optional_address_narrows_a_record() {
    let records = [map_record("*", client("joe"), "", "anywhere"), map_record("*", client("joe"), "10.*", "inside")];
    let joe = Inbound { client_user: Some("joe"), ..inbound("APP") };
    check(&records, &Inbound { address: address("10.1.2.3"), ..joe }, Outcome::User("inside"));
    check(&records, &joe, Outcome::User("anywhere"));
}

#[test]
fn certificate_filters_need_every_attribute_in_order() {
    for (filter, name, matches) in [
        ("CN=joe", "CN=joe,O=Example", true),
        ("cn=JOE", "CN=joe,O=Example", true),
        ("CN=j*", "CN=joe,O=Example", true),
        ("CN=ann", "CN=joe,O=Example", false),
        ("OU=a,OU=b", "CN=joe,OU=a,OU=b", true),
        ("OU=b,OU=a", "CN=joe,OU=a,OU=b", false),
        ("OU=a", "CN=joe,OU=b,OU=a", true),
        ("O=\"Example, Inc\"", "CN=joe,O=Example\\, Inc", true),
        ("O=Other", "CN=joe", false),
        ("no filter", "CN=joe", false),
    ] {
        assert_eq!(distinguished_name::match_rank(filter, name).is_some(), matches, "{filter} on {name}");
    }
    let is_filter = distinguished_name::is_filter;
    assert!(is_filter("CN=joe") && !is_filter("") && !is_filter("CN=\"open") && !is_filter("joe"));
}

#[test]
fn attribute_types_of_certificates_are_known_by_each_of_their_names() {
    for (filter, name) in [
        ("MAIL=a@example.com", "EMAILADDRESS=a@example.com,CN=a"),
        ("E=a@example.com", "CN=a,MAIL=a@example.com"),
        ("SP=Kent", "ST=Kent,C=GB"),
        ("USERID=a", "UID=a"),
        ("T=Dr", "2.5.4.12=Dr"),
    ] {
        assert!(distinguished_name::fits(filter, name), "{filter} and {name}");
    }
    assert!(!distinguished_name::fits("OU=a", "O=a"));
}

#[test]
fn the_certificate_filter_that_says_more_comes_first_and_so_does_an_issuer() {
    let records = [
        map_record("*", peer("O=Example", ""), "", "organisation"),
        map_record("*", peer("CN=joe,O=Example", ""), "", "person"),
        map_record("*", peer("CN=joe,O=Example", "CN=root"), "", "issued"),
    ];
    let joe = Inbound { subject: Some("CN=joe,O=Example"), issuer: Some("CN=other"), ..inbound("APP") };
    check(&records, &joe, Outcome::User("person"));
    check(&records, &Inbound { issuer: Some("CN=root"), ..joe }, Outcome::User("issued"));
    check(&records, &Inbound { subject: Some("CN=ann,O=Example"), ..joe }, Outcome::User("organisation"));
}

#[test]
fn queue_managers_match_by_name_and_pattern() {
    let queue_manager = |name: &str| MapKey::QueueManager(name.to_owned());
    let records =
        [map_record("TO.ME", queue_manager("QM*"), "", "many"), map_record("TO.ME", queue_manager("QM1"), "", "one")];
    check(&records, &Inbound { queue_manager: Some("QM1"), ..inbound("TO.ME") }, Outcome::User("one"));
    check(&records, &Inbound { queue_manager: Some("QM2"), ..inbound("TO.ME") }, Outcome::User("many"));
    check(&records, &inbound("TO.ME"), Outcome::AsChannel);
}

#[test]
fn a_warning_lets_in_what_would_be_refused_and_the_next_record_decides() {
    let mut refusing = map_record("APP", MapKey::Address, "*", "-");
    refusing.warn = true;
    let records = [refusing.clone(), map_record("*", MapKey::Address, "*", "next")];
    let inbound = inbound("APP");
    let mapped = map(&records, &inbound);
    assert_eq!(mapped.outcome, Outcome::User("next"));
    assert_eq!(mapped.warned, Some(&refusing));
}

#[test]
fn the_block_list_of_the_channel_takes_the_place_of_that_of_all_channels() {
    let records = [
        ChannelAuthentication::block_users("*", &[ADMINISTRATORS, "guest"]),
        ChannelAuthentication::block_users("DEV.ADMIN.SVRCONN", &["nobody"]),
    ];
    let blocked =
        |channel, user, is_administrator| is_user_blocked(&records, channel, user, is_administrator).is_some();
    assert!(blocked("APP", "root", true));
    assert!(blocked("APP", "guest", false));
    assert!(!blocked("APP", "joe", false));
    assert!(!blocked("DEV.ADMIN.SVRCONN", "root", true));
    assert!(blocked("DEV.ADMIN.SVRCONN", "nobody", false));
}

#[test]
fn blocked_addresses_are_turned_away_whatever_the_channel() {
    let addresses = vec!["192.0.2.*".to_owned(), "*.example.org".to_owned()];
    let records = [ChannelAuthentication::new("*", Rule::BlockAddress { addresses })];
    let blocked = |text, host| is_address_blocked(&records, address(text), host).is_some();
    assert!(blocked("192.0.2.7", None));
    assert!(!blocked("198.51.100.7", None));
    assert!(blocked("198.51.100.7", Some("bad.example.org")));
}

#[test]
fn patterns_overlap_when_some_name_matches_both() {
    for (a, b, expected) in [
        ("SYSTEM.*", "SYSTEM.DEF.SVRCONN", true),
        ("SYSTEM.*.SVRCONN", "SYSTEM.DEF.*", true),
        ("*", "", true),
        ("A*", "*B", true),
        ("A*", "B*", false),
        ("ABC", "ABC", true),
        ("ABC", "ABD", false),
        ("A*C", "AB", false),
    ] {
        assert_eq!(overlap(a, b), expected, "{a} and {b}");
        assert_eq!(overlap(b, a), expected, "{b} and {a}");
    }
}
