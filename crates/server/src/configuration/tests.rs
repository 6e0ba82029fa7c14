//! The key table, the structs and the layers agree.

use std::collections::BTreeSet;
use std::path::Path;

use expect_test::{Expect, expect};

use super::keys::{KEYS, Kind};
use super::*;

fn load_text(text: &str, variables: &[(&str, &str)], flags: &[(&'static str, &'static str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("quaymaster.toml");
    crate::data_directory::write_file(&file, text.as_bytes(), 0o600).expect("written");
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let flags: Vec<FlagValue> =
        flags.iter().map(|&(path, flag, value)| FlagValue { path, flag, values: vec![value.to_owned()] }).collect();
    match load(&file, true, &Environment::new(variables), &flags) {
        Ok(configuration) => format!("{:?} {:?}", configuration.server.https.0, configuration.ltpa.expiration),
        Err(error) => error.to_string().replace(&format!("{}/", folder.path().display()), ""),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&load_text(text, &[], &[]));
}

#[test]
fn flags_win_over_environment_over_file_over_defaults() {
    let file = "[server]\nhttps = \"127.0.0.1:1\"\n[ltpa]\nexpiration = 5\n";
    let environment = [("QUAYMASTER_HTTPS", "127.0.0.1:2"), ("QUAYMASTER_LTPA_EXPIRATION", "6")];
    let flag = [("server.https", "--https", "127.0.0.1:3")];
    expect!["Some(0.0.0.0:9443) 120"].assert_eq(&load_text("", &[], &[]));
    expect!["Some(127.0.0.1:1) 5"].assert_eq(&load_text(file, &[], &[]));
    expect!["Some(127.0.0.1:2) 6"].assert_eq(&load_text(file, &environment, &[]));
    expect!["Some(127.0.0.1:3) 6"].assert_eq(&load_text(file, &environment, &flag));
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    check(
        "[ltpa]\nexpration = 5\n",
        expect!["unknown key ltpa.expration in quaymaster.toml, did you mean ltpa.expiration?"],
    );
    check("[sever]\nhttps = 'off'\n", expect!["unknown key sever in quaymaster.toml, did you mean server?"]);
    check("[server]\nzzzzzzzzz = 1\n", expect!["unknown key server.zzzzzzzzz in quaymaster.toml"]);
}

#[test]
fn a_bad_value_is_one_sentence_with_key_value_and_expectation() {
    check(
        "[server]\nhttps = 9443\n",
        expect![
            "server.https in quaymaster.toml: 9443 is not valid, expected ADDRESS:PORT, such as 127.0.0.1:9443, or off"
        ],
    );
    check(
        "[ltpa]\nexpiration = 0\n",
        expect!["ltpa.expiration in quaymaster.toml: 0 is not valid, expected an integer from 1 to 525600"],
    );
    check("[server\n", expect!["quaymaster.toml, line 1: unclosed table, expected `]`"]);
    expect!["--https: \"x\" is not valid, expected ADDRESS:PORT, such as 127.0.0.1:9443, or off"]
        .assert_eq(&load_text("", &[], &[("server.https", "--https", "x")]));
    expect!["MQ_DEV: \"maybe\" is not valid, expected true or false"].assert_eq(&load_text(
        "",
        &[("MQ_DEV", "maybe")],
        &[],
    ));
}

#[test]
fn a_password_of_the_wrong_type_is_not_shown() {
    check(
        "[web]\nusers = \"secret\"\n",
        expect!["web.users in quaymaster.toml: the value is not valid, expected a table of texts"],
    );
    check(
        "[ldap]\nbind_password = ['secret']\n",
        expect!["ldap.bind_password in quaymaster.toml: the value is not valid, expected a text"],
    );
}

#[test]
fn a_mistake_inside_of_a_users_own_table_is_told_without_its_values() {
    let wrong = "an entry has a value of the wrong type, or a key that is not known";
    let problem = |text: &str| load_text(text, &[], &[]);
    let queues = problem("[zosconnect.queues]\n'jms/a' = { queue = 'A', ccsid = 'secret' }\n");
    assert_eq!(queues, format!("zosconnect.queues in quaymaster.toml: {wrong}"));
    let services = problem("[zosconnect.services.loan]\npassword = 12345\n");
    assert_eq!(services, format!("zosconnect.services in quaymaster.toml: {wrong}"));
    let factories = problem("[zosconnect.connection_factories.'jms/cf']\nqueue_manger = 'QM1'\n");
    let begin = "zosconnect.connection_factories in quaymaster.toml: unknown field `queue_manger`, expected one of ";
    assert!(factories.starts_with(begin), "{factories}");
    let missing = problem("[remote_queue_managers.A]\nchannel = 'C'\n");
    assert_eq!(missing, "remote_queue_managers in quaymaster.toml: missing field `connection_name`");
    let text = problem("[remote_queue_managers]\nA = 'secret'\n");
    assert_eq!(text, "remote_queue_managers in quaymaster.toml: the value is not valid, expected a table of tables");
}

#[test]
fn an_old_cipherspec_is_one_of_the_list() {
    let old = handshake::cipher_spec::ALL.iter().filter(|one| one.is_old()).map(|one| one.name);
    let names: Vec<&str> = old.collect();
    let accepted = load_text(&format!("[tls]\nold_cipherspecs = {names:?}\n"), &[], &[]);
    assert!(accepted.starts_with("Some("), "{accepted}");
    for wrong in ["ECDHE_RSA_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA256"] {
        let said = load_text(&format!("[tls]\nold_cipherspecs = ['{wrong}']\n"), &[], &[]);
        assert_eq!(
            said,
            format!("tls.old_cipherspecs in quaymaster.toml: each must be one of {}", names.join(", ")),
            "{wrong}"
        );
    }
}

#[test]
fn keys_that_belong_together_are_asked_for_together() {
    check("[tls]\ncertificate = 'a.pem'\n", expect!["tls.certificate in quaymaster.toml: tls.key must be set as well"]);
    check(
        "[tls]\nsecond_key = 'a.pem'\n",
        expect!["tls.second_key in quaymaster.toml: tls.second_certificate must be set as well"],
    );
    check(
        "[tls]\nsecond_key = 'a.pem'\nsecond_certificate = 'b.pem'\n",
        expect!["tls.second_certificate in quaymaster.toml: tls.certificate must be set as well"],
    );
    check(
        "[server]\nqueue_managers = ['A', 'A']\n",
        expect!["server.queue_managers in quaymaster.toml: it names a queue manager twice"],
    );
    check(
        "[endpoint_connections.a]\nhost = 'h'\n[zosconnect.endpoint_connections.a]\nhost = 'i'\n",
        expect![
            "zosconnect.endpoint_connections in quaymaster.toml: endpoint_connections has an entry of the same name"
        ],
    );
    check(
        "[limits]\nbody_bytes = 200000000\n",
        expect![
            "limits.body_bytes in quaymaster.toml: limits.body_memory_bytes must be at least 5/4 of limits.body_bytes, because one address may use 4/5 of it"
        ],
    );
    check(
        "[ldap]\nhost = 'ldap.example.com'\n",
        expect!["ldap.host in quaymaster.toml: ldap.base_dn must be set as well"],
    );
    check(
        "[ldap]\nbase_dn = 'dc=example'\n",
        expect!["ldap.base_dn in quaymaster.toml: ldap.host must be set as well"],
    );
    check(
        "[ldap]\ncertificate_map = 'CERTIFICATE_FILTER'\n",
        expect!["ldap.certificate_map in quaymaster.toml: CERTIFICATE_FILTER needs ldap.certificate_filter"],
    );
}

#[test]
fn paths_in_a_file_are_relative_to_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("quaymaster.toml");
    crate::data_directory::write_file(&file, b"[ltpa]\nkeys_file = 'k/ltpa.keys'\n", 0o600).expect("written");
    let configuration = load(&file, true, &Environment::default(), &[]).expect("valid");
    assert_eq!(configuration.ltpa.keys_file, Some(folder.path().join("k/ltpa.keys")));
    let text = b"[endpoint_connections.a]\nhost = 'https://h'\nca_file = 'ca.pem'\n\
        [zosconnect.authorization_servers.s]\ntoken_endpoint = 'https://h/t'\nkey = 'k.pem'\n\
        [identity.oidc.i]\nissuer = 'https://h'\naudiences = ['a']\nca_file = 'i.pem'\n";
    crate::data_directory::write_file(&file, text, 0o600).expect("written");
    let configuration = load(&file, true, &Environment::default(), &[]).expect("valid");
    assert_eq!(configuration.identity.oidc["i"].ca_file, Some(folder.path().join("i.pem")));
    assert_eq!(configuration.endpoint_connections["a"].ca_file, Some(folder.path().join("ca.pem")));
    assert_eq!(configuration.zosconnect.requesters.authorization_servers["s"].key, Some(folder.path().join("k.pem")));
}

#[test]
fn endpoint_connections_of_both_places_come_together() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("quaymaster.toml");
    let text = b"[endpoint_connections.Server2Ref]\nhost = 'localhost'\nport = 3188\n\
        [zosconnect.endpoint_connections.other]\nhost = 'h'\n";
    crate::data_directory::write_file(&file, text, 0o600).expect("written");
    let configuration = load(&file, true, &Environment::default(), &[]).expect("valid");
    let tls = TlsOptions::default();
    let connections = configuration.web_options(tls).zosconnect.requesters.endpoint_connections;
    assert_eq!(connections.keys().collect::<Vec<_>>(), ["Server2Ref", "other"]);
    assert_eq!(connections["Server2Ref"].port, Some(3188));
}

/// Keys with their defaults as the structs serialise them; `None`s are left out by TOML.
fn defaults_of_structs() -> BTreeSet<(String, String)> {
    let table = Table::try_from(Configuration::default()).expect("serialises");
    let mut defaults = BTreeSet::new();
    for (section, keys) in table {
        collect(&section, keys.as_table().expect("sections are tables"), &mut defaults);
    }
    defaults
}

fn collect(section: &str, keys: &Table, defaults: &mut BTreeSet<(String, String)>) {
    for (name, value) in keys {
        let path = format!("{section}.{name}");
        let is_section = KEYS.iter().any(|key| key.path.starts_with(&format!("{path}.")));
        match value.as_table().filter(|_| is_section) {
            Some(keys) => collect(&path, keys, defaults),
            None => drop(defaults.insert((path, value.to_string()))),
        }
    }
}

#[test]
fn the_table_and_the_structs_have_the_same_keys_and_defaults() {
    let table: BTreeSet<(String, String)> = KEYS
        .iter()
        .filter_map(|key| match (key.kind, key.default) {
            // A table of tables that is a section of its own has no keys.
            (kind, _) if kind.is_table() && !key.path.contains('.') => None,
            (kind, _) if kind.is_table() => Some((key.path.to_owned(), "{}".to_owned())),
            (_, "") => None,
            (_, default) => Some((key.path.to_owned(), default.to_owned())),
        })
        .collect();
    assert_eq!(table, defaults_of_structs());
    for key in KEYS {
        assert!(key.help.ends_with('.'), "{} has help", key.path);
    }
}

#[test]
fn every_key_without_a_default_is_known_to_the_structs() {
    for key in KEYS.iter().filter(|key| key.default.is_empty()) {
        let value = match key.kind {
            Kind::TextTable => "{ a = 'b' }",
            Kind::TextsTable => "{ a = ['b'] }",
            Kind::TextsOrTables => "{ a = 'b', c = {} }",
            Kind::Tables if key.path == "identity.oidc" => "{ a = { issuer = 'https://h', audiences = ['b'] } }",
            Kind::Tables if key.path == "remote_queue_managers" => "{ a = { channel = 'C', connection_name = 'h' } }",
            Kind::Tables if key.path == "group.structures" => "{ a = { database = 'postgres://h/d' } }",
            Kind::Tables if key.path.ends_with("endpoint_connections") => "{ a = { host = 'h', port = 1 } }",
            Kind::Tables if key.path == "zosconnect.auth_data" => "{ a = { user = 'u', password = 'p' } }",
            Kind::Tables if key.path == "zosconnect.authorization_servers" => {
                "{ a = { token_endpoint = 'http://h/t' } }"
            }
            Kind::Tables if key.path == "zosconnect.oauth_configs" => {
                "{ a = { grant_type = 'password', authorization_server = 's' } }"
            }
            Kind::Tables if key.path == "zosconnect.auth_tokens" => "{ a = { authorization_server = 's' } }",
            Kind::Tables if key.path == "zosconnect.proxies" => "{ a = { host = 'h', port = 1, type = 'socks' } }",
            Kind::Tables => "{ a = {} }",
            Kind::Integer { .. } => "1",
            Kind::Choice(words) => &format!("'{}'", words[0]),
            Kind::Choices(words) => &format!("['{}']", words[0]),
            _ => "'x'",
        };
        let table: Table = format!("{} = {value}\n", key.path).parse().expect("TOML");
        let configuration: Result<Configuration, _> = table.try_into();
        assert!(configuration.is_ok(), "{}: {:?}", key.path, configuration.err());
    }
}

#[test]
fn an_address_is_a_socket_address_a_name_a_star_or_off() {
    let shown = |text: &str| parse_address(text).map(|address| address.0.map(|a| a.to_string()));
    assert_eq!(shown("off"), Some(None));
    assert_eq!(shown("*:1"), Some(Some("0.0.0.0:1".to_owned())));
    assert_eq!(shown("[::1]:2"), Some(Some("[::1]:2".to_owned())));
    assert!(shown("localhost:3").is_some_and(|address| address.is_some()));
    assert_eq!(shown("9443"), None);
    assert_eq!(shown("127.0.0.1:99999"), None);
}

#[test]
fn an_unknown_variable_of_ours_is_found_with_its_neighbour() {
    let environment = Environment::new([("QUAYMASTER_HTPS".to_owned(), "x".to_owned())]);
    assert_eq!(environment.unknown(), [("QUAYMASTER_HTPS", Some("QUAYMASTER_HTTPS"))]);
}

#[test]
fn a_quota_is_not_so_small_that_nothing_works() {
    check(
        "[limits]\ndisk_quota = 1000000\n",
        expect![
            "limits.disk_quota in quaymaster.toml: it has to be 0 (no quota) or at least 67108864: the log needs that much"
        ],
    );
    check(
        "[limits]\nmemory_quota = 1000\n",
        expect!["limits.memory_quota in quaymaster.toml: it has to be 0 (no quota) or at least 1048576"],
    );
}

#[test]
fn the_manual_is_the_table() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let text = std::fs::read_to_string(&manual).expect("docs/configuration.md");
    let (before, _) = text.split_once("| Key |").expect("the manual has the table");
    let fresh = format!("{before}{}", explain::markdown());
    if std::env::var_os("QUAYMASTER_UPDATE_DOCS").is_some() {
        crate::data_directory::write_file(&manual, fresh.as_bytes(), 0o644).expect("written");
    } else {
        assert!(text == fresh, "docs/configuration.md is stale: run `cargo xtask codegen`");
    }
}

#[test]
fn a_group_has_a_name_and_a_database_and_neither_its_address_nor_its_password_is_shown() {
    check(
        "[group]\nname = 'qsg1'\n",
        expect!["group.name in quaymaster.toml: it has to be 1 to 4 of A-Z 0-9 @ # $, and no digit first"],
    );
    check(
        "[group]\ndatabase = 'postgres://u:secret@h/d'\n",
        expect!["group.database in quaymaster.toml: group.name must be set as well"],
    );
    check(
        "[group]\nname = 'QSG1'\ndatabase = 'postgres://h/d'\n[group.structures.app]\ndatabase = 'postgres://u:secret@h/d'\n",
        expect![
            "group.structures in quaymaster.toml: a structure's name has to be 1 to 12 of A-Z 0-9, and no digit first"
        ],
    );
    check(
        "[group]\nname = 'QSG1'\n[group.structures.APP1]\ndatabase = 'postgres://u:secret@h/d'\n",
        expect!["group.structures in quaymaster.toml: group.database must be set as well"],
    );
    check(
        "[group]\nname = 'QSG1'\ndatabase = ['postgres://u:secret@h/d']\n",
        expect!["group.database in quaymaster.toml: the value is not valid, expected a text"],
    );
    check(
        "[group]\nname = 'QSG1'\npassword = 7\n",
        expect!["group.password in quaymaster.toml: the value is not valid, expected a text"],
    );
    expect!["--group: it has to be 1 to 4 of A-Z 0-9 @ # $, and no digit first"].assert_eq(&load_text(
        "",
        &[],
        &[("group.name", "--group", "TOOLONG")],
    ));
}
