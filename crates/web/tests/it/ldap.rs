//! Users of an LDAP directory, against a real slapd: who gets in, as whom, with which roles and authorities, and what
//! happens when the directory is slow, gone or not to be trusted.

mod certificates;
mod outages;
mod slapd;

use std::collections::BTreeMap;

use identity::api_key::NewApiKey;
use identity::ltpa::{key_file, token};
use identity::options::Ldap;
use identity::scope::Scope;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::timestamp::Timestamp;

use self::slapd::{BASE, Slapd};
use crate::http::client::{Client, basic, plain, tls};
use crate::http::server::{TestServer, eventually, server_user};

const BOB: &str = "uid=bob,ou=people,dc=example";

/// A server whose directory is `ldap`. Besides the roles of its own users: MQWebUser for everybody of group mqusers and for
/// carol, MQWebAdmin for alice's group by its distinguished name, MQWebAdminRO for the nested group outermost.
fn server(ldap: Ldap) -> TestServer {
    TestServer::start_with(|options| {
        bind_roles(&mut options.web.roles);
        options.ldap = ldap;
    })
}

fn bind_roles(roles: &mut BTreeMap<String, Vec<String>>) {
    for (role, holder) in [
        ("MQWebUser", "group:MQUsers"),
        ("MQWebUser", "user:carol"),
        ("MQWebAdmin", "group:CN=mqadmins, ou=groups, dc=example"),
        ("MQWebAdminRO", "group:outermost"),
    ] {
        roles.entry(role.to_owned()).or_default().push(holder.to_owned());
    }
}

/// Status and, for errors, the identifier.
fn ask(client: &mut Client, request: &str) -> String {
    let answer = client.exchange(request);
    match answer.status {
        ..400 => answer.status.to_string(),
        status => format!("{status} {}", answer.error_id()),
    }
}

/// What GET login says of a user that signs in with Basic.
fn sign_in(server: &TestServer, user: &str, password: &str) -> String {
    let answer = tls(server).exchange(&format!("GET v3/login\n{}", basic(user, password)));
    match answer.status {
        200 => {
            let shown: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
            let user = &shown["user"][0];
            let roles = user["role"].as_array().expect("roles").iter().map(|role| role.as_str().expect("a name"));
            let roles: Vec<_> = roles.collect();
            format!("{} {}", user["name"].as_str().expect("a name"), roles.join(" ")).trim_end().to_owned()
        }
        status => format!("{status} {}", answer.error_id()),
    }
}

fn log_in(client: &mut Client, user: &str, password: &str) -> String {
    let body = serde_json::json!({"username": user, "password": password});
    ask(client, &format!("POST v3/login\n-authorization\ncontent-type: application/json\n\n{body}"))
}

#[test]
fn users_sign_in_and_their_groups_give_them_roles() {
    let slapd = Slapd::start();
    let server = server(slapd.options());
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
    assert_eq!(sign_in(&server, "alice", "alicepw"), "alice MQWebAdmin");
    assert_eq!(sign_in(&server, "carol", "carolpw"), "carol MQWebUser");
    assert_eq!(sign_in(&server, "star*(man)", "starpw"), "403 MQWB0108E", "known, of no role");
    assert_eq!(sign_in(&server, "BOB", "bobpw"), "bob MQWebUser", "the directory's spelling counts");
    assert_eq!(sign_in(&server, "app", "secret"), "app MQWebUser", "users of the configuration are there too");
}

#[test]
fn a_login_hands_out_a_token_for_the_distinguished_name() {
    let slapd = Slapd::start();
    let folder = tempfile::tempdir().expect("a folder");
    let keys_file = folder.path().join("ltpa.keys");
    let server = TestServer::start_with(|options| {
        bind_roles(&mut options.web.roles);
        options.ldap = slapd.options();
        options.ltpa.keys_file = Some(keys_file.clone());
    });
    let mut client = tls(&server);
    assert_eq!(log_in(&mut client, "bob", "bobpw"), "204");
    let shown = client.run("GET v3/login\n-authorization\ncookie: {cookie}");
    assert!(shown.contains(r#"{"name":"bob","role":["MQWebUser"],"authenticationMechanism":"form"}"#), "{shown}");
    let set_cookie = client.exchange(&format!("GET v3/login\n{}", basic("bob", "bobpw")));
    let cookie = set_cookie.header("set-cookie").expect("a cookie");
    let text = cookie.strip_prefix("LtpaToken2=").and_then(|rest| rest.split(';').next()).expect("a token");
    let keys = key_file::load_or_make(&keys_file, None, "").expect("keys");
    let claims = token::open(text, &keys, "defaultRealm", 0).expect("a good token");
    assert_eq!(claims.user, BOB);

    // A token of another server with the same keys, whose user this one has not seen yet.
    let later = Timestamp::from_millis(claims.expires_ms);
    let foreign = |user: &str| token::mint(&keys, "defaultRealm", user, later.as_millis(), None).expect("minted");
    let mut show =
        |user: &str| ask(&mut client, &format!("GET v3/login\n-authorization\ncookie: LtpaToken2={}", foreign(user)));
    assert_eq!(show("uid=alice,ou=people,dc=example"), "200");
    for nobody in ["uid=nobody,ou=people,dc=example", "uid=bob,dc=other", "bob", "ou=people,dc=example", BASE] {
        assert_eq!(show(nobody), "401 MQWB0112E", "{nobody}");
    }
}

#[test]
fn wrong_passwords_and_unknown_users_are_refused_alike() {
    let slapd = Slapd::start();
    let server = server(slapd.options());
    for (user, password) in [("bob", "wrong"), ("bob", ""), ("nobody", "x"), ("", "x"), ("", ""), ("app", "ldap-app")] {
        assert_eq!(sign_in(&server, user, password), "401 MQWB0105E", "{user}:{password}");
        assert_eq!(log_in(&mut tls(&server), user, password), "401 MQWB0104E", "{user}:{password}");
    }
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
}

#[test]
fn nobody_gets_in_by_writing_a_filter() {
    let slapd = Slapd::start();
    let server = server(slapd.options());
    for name in [
        "*",
        "b*",
        "bo?",
        "bob)(uid=*",
        "*)(uid=bob",
        "bob)(objectclass=*))(&(uid=bob",
        "bob)(|(uid=*",
        "nobody)(|(uid=bob",
        "\\62ob",
        "bob\0",
        "bob\n",
        "uid=bob,ou=people,dc=example",
        "%v",
    ] {
        assert_eq!(log_in(&mut tls(&server), name, "bobpw"), "401 MQWB0104E", "{name:?}");
    }
    // The characters of filters are data in names too.
    assert_eq!(log_in(&mut tls(&server), "star*(man)", "starpw"), "403 MQWB0108E");
    assert_eq!(log_in(&mut tls(&server), "star*", "starpw"), "401 MQWB0104E");
}

#[test]
fn a_name_that_two_entries_have_signs_nobody_in() {
    let slapd = Slapd::start();
    let both = server(slapd.options());
    assert_eq!(sign_in(&both, "twin", "twinpw"), "401 MQWB0105E");
    let roles_of_one = Ldap { base_dn: Some(format!("ou=people,{BASE}")), ..slapd.options() };
    assert_eq!(sign_in(&server(roles_of_one), "twin", "twinpw"), "403 MQWB0108E", "one of them is below the base");
}

#[test]
fn nobody_of_the_directory_is_somebody_of_this_server() {
    let slapd = Slapd::start();
    let server = server(slapd.options());
    assert_eq!(sign_in(&server, "app", "ldap-app"), "401 MQWB0105E");
    // Not the name of a user of the configuration, but the directory takes it for one.
    for (name, password) in
        [("APP", "ldap-app"), ("app ", "ldap-app"), ("mqm", "mqmpw"), ("server", "serverpw"), ("Server", "serverpw")]
    {
        assert_eq!(sign_in(&server, name, password), "401 MQWB0105E", "{name}");
    }
    // bob is in the directory's group mqm: that makes no administrator.
    let put = format!("POST v3/queue/PRIVATE/message\n{}\n\nx", basic("bob", "bobpw"));
    assert_eq!(ask(&mut tls(&server), &put), "403 MQWB0103E");
}

#[test]
fn nobody_of_the_directory_begins_like_a_user_of_this_server() {
    let slapd = Slapd::start();
    for uid in ["twelve.chars", "twelve.chars2", "twelve.char", "twelve.charm"] {
        slapd.add(&format!(
            "dn: uid={uid},ou=people,dc=example\nobjectClass: inetOrgPerson\nuid: {uid}\ncn: {uid}\nsn: {uid}\nuserPassword: pw\n"
        ));
    }
    let server = TestServer::start_with(|options| {
        options.ldap = slapd.options();
        options.web.users.insert("Twelve.Characters".to_owned(), "secret".to_owned());
    });
    // MQMD has room for 12 bytes of each.
    assert_eq!(sign_in(&server, "twelve.chars", "pw"), "403 MQWB0108E", "known, of no role");
    assert_eq!(sign_in(&server, "twelve.charm", "pw"), "403 MQWB0108E");
    slapd.add(
        "dn: uid=twelve.characters.too,ou=people,dc=example\nobjectClass: inetOrgPerson\nuid: twelve.characters.too\ncn: x\nsn: x\nuserPassword: pw\n",
    );
    assert_eq!(sign_in(&server, "twelve.characters.too", "pw"), "401 MQWB0105E");
    assert_eq!(sign_in(&server, "twelve.char", "pw"), "403 MQWB0108E", "shorter than the 12 bytes");
}

#[test]
fn authorities_of_a_group_are_those_of_its_members() {
    let slapd = Slapd::start();
    let server = server(slapd.options());
    let put = |user: &str, password: &str| {
        ask(&mut plain(&server), &format!("POST v3/queue/Q/message\n{}\n\nx", basic(user, password)))
    };
    assert_eq!(put("bob", "bobpw"), "403 MQWB0103E");
    let record = AuthorityRecord {
        profile: "Q".to_owned(),
        object: AuthorityObject::Queue,
        entity: Entity::Group("mqusers".to_owned()),
        authorities: Authority::PUT,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("a record");
    assert_eq!(put("bob", "bobpw"), "201");
    assert_eq!(put("carol", "carolpw"), "403 MQWB0103E", "she is in no group");
    // With the cookie as well, when the group was found by the distinguished name in the token.
    let mut client = tls(&server);
    assert_eq!(log_in(&mut client, "bob", "bobpw"), "204");
    assert_eq!(ask(&mut client, "POST v3/queue/Q/message\n-authorization\ncookie: {cookie}\n\nx"), "201");
}

#[test]
fn groups_within_groups_count_where_configured() {
    let slapd = Slapd::start();
    let nested = server(Ldap { nested_groups: true, ..slapd.options() });
    assert_eq!(sign_in(&nested, "bob", "bobpw"), "bob MQWebAdminRO MQWebUser");
    let by_membership = Ldap { group_member_id_map: "memberOf:member".to_owned(), ..slapd.options() };
    assert_eq!(sign_in(&server(by_membership.clone()), "bob", "bobpw"), "bob MQWebUser");
    let nested = server(Ldap { nested_groups: true, ..by_membership });
    assert_eq!(sign_in(&nested, "bob", "bobpw"), "bob MQWebAdminRO MQWebUser");
}

#[test]
fn groups_that_list_user_names_count() {
    let slapd = Slapd::start();
    let server = TestServer::start_with(|options| {
        options.web.roles = [("MQWebUser".to_owned(), vec!["group:posix".to_owned()])].into();
        options.ldap = Ldap {
            group_filter: "(&(cn=%v)(objectclass=posixGroup))".to_owned(),
            group_member_id_map: "posixGroup:memberUid".to_owned(),
            ..slapd.options()
        };
    });
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
    assert_eq!(sign_in(&server, "carol", "carolpw"), "403 MQWB0108E");
}

#[test]
fn a_name_in_another_case_is_refused_where_case_counts() {
    let slapd = Slapd::start();
    let server = server(Ldap { ignore_case: false, ..slapd.options() });
    assert_eq!(sign_in(&server, "BOB", "bobpw"), "401 MQWB0105E");
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
}

#[test]
fn another_attribute_may_be_what_a_user_types() {
    let slapd = Slapd::start();
    let server = server(Ldap {
        user_filter: "(&(|(mail=%v)(uid=%v))(objectclass=inetOrgPerson))".to_owned(),
        ..slapd.options()
    });
    assert_eq!(sign_in(&server, "bob@example.com", "bobpw"), "bob MQWebUser");
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
}

#[test]
fn what_the_directory_takes_away_is_gone_when_the_cache_ends() {
    let slapd = Slapd::start();
    let server = server(Ldap { cache_seconds: 1, ..slapd.options() });
    let mut client = tls(&server);
    assert_eq!(log_in(&mut client, "bob", "bobpw"), "204");
    let show = "GET v3/login\n-authorization\ncookie: {cookie}";
    let cookie_shows = std::cell::RefCell::new(client);
    let now = || ask(&mut cookie_shows.borrow_mut(), show);
    assert_eq!(now(), "200");
    slapd.modify("dn: cn=mqusers,ou=groups,dc=example\nchangetype: modify\nadd: member\nmember: uid=carol,ou=people,dc=example\n-\ndelete: member\nmember: uid=bob,ou=people,dc=example\n");
    eventually("the role is gone with the group", || now() == "403 MQWB0108E");
    slapd.delete(BOB);
    eventually("the cookie is worthless without its user", || now() == "401 MQWB0112E");
    eventually("the password too", || sign_in(&server, "bob", "bobpw") == "401 MQWB0105E");
}

#[test]
fn a_reload_takes_another_directory() {
    let slapd = Slapd::start();
    let server = server(slapd.options());
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
    let mut options = server.options.clone();
    options.ldap = Ldap::default();
    server.web.reload(options.clone()).expect("reloaded");
    assert_eq!(sign_in(&server, "bob", "bobpw"), "401 MQWB0105E");
    options.ldap = slapd.options();
    server.web.reload(options.clone()).expect("reloaded");
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
    options.ldap.base_dn = Some("nonsense".to_owned());
    assert!(server.web.reload(options).is_err());
    assert_eq!(sign_in(&server, "alice", "alicepw"), "alice MQWebAdmin", "the old one stays");
}

#[test]
fn an_api_key_of_a_user_of_the_directory_has_the_authorities_of_the_users_groups() {
    let slapd = Slapd::start();
    let server = server(slapd.options());
    let scope = Scope::parse(&[], &[], &[]).expect("a scope");
    let new = NewApiKey { name: String::new(), user: "bob".to_owned(), expires: None, scope };
    let (_, key) = server.options.api_keys.create(new, Timestamp::from_millis(1)).expect("made");
    let put = format!("POST v3/queue/Q/message\n-authorization\nx-api-key: {key}\n\nx");
    assert_eq!(ask(&mut plain(&server), &put), "403 MQWB0103E");
    let record = AuthorityRecord {
        profile: "Q".to_owned(),
        object: AuthorityObject::Queue,
        entity: Entity::Group("mqusers".to_owned()),
        authorities: Authority::PUT,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
    assert_eq!(ask(&mut plain(&server), &put), "201");
}
