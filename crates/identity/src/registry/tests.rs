use super::super::password::encode_argon2id;
use super::*;

fn web(roles: &[(&str, &[&str])]) -> Web {
    let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    Web {
        users: [("fred", "passw0rd"), ("Ann", "{xor}Pg==")].map(|(n, p)| (n.to_owned(), p.to_owned())).into(),
        groups: [("staff".to_owned(), strings(&["fred"])), ("mqm".to_owned(), strings(&["Ann"]))].into(),
        roles: roles.iter().map(|(role, holders)| ((*role).to_owned(), strings(holders))).collect(),
        ..Web::default()
    }
}

fn registry(web: &Web) -> Result<Registry, IdentityError> {
    let keys = LtpaKeys::parse(include_bytes!("../../tests/it/vectors/vectors.keys"), "vectors").expect("keys");
    let marks = Marks { keys: &keys, before: None, now: Timestamp::from_millis(0) };
    Registry::new(web, &PasswordReader::new(None), &Bindings::parse(&web.roles)?, "server", &marks)
}

fn roles_of(web: &Web, user: &str) -> Roles {
    registry(web).expect("registry").find(user).expect("known").roles
}

#[test]
fn roles_come_from_users_groups_and_special_subjects() {
    let web = web(&[
        ("MQWebAdmin", &["user:Ann"]),
        ("MQWebAdminRO", &["group:staff"]),
        ("MQWebUser", &["ALL_AUTHENTICATED_USERS"]),
        ("MFTWebAdmin", &["EVERYONE"]),
    ]);
    assert_eq!(roles_of(&web, "Ann"), Roles::MQWEB_ADMIN | Roles::MQWEB_USER | Roles::MFTWEB_ADMIN);
    assert_eq!(roles_of(&web, "fred"), Roles::MQWEB_ADMIN_RO | Roles::MQWEB_USER | Roles::MFTWEB_ADMIN);
}

#[test]
fn a_binding_ignores_the_case_of_a_user_except_for_mqwebuser() {
    let web = web(&[("MQWebAdmin", &["user:FRED"]), ("MQWebUser", &["user:FRED", "user:Ann"])]);
    assert_eq!(roles_of(&web, "fred"), Roles::MQWEB_ADMIN);
    assert_eq!(roles_of(&web, "Ann"), Roles::MQWEB_USER);
}

#[test]
fn a_user_of_no_role_is_known() {
    assert_eq!(roles_of(&web(&[]), "fred"), Roles::empty());
}

#[test]
fn a_login_with_the_wrong_case_fails_unless_case_is_ignored() {
    let mut web = web(&[]);
    assert!(registry(&web).expect("registry").find("FRED").is_none());
    web.ignore_case = true;
    let registry = registry(&web).expect("registry");
    assert_eq!(registry.find("FRED").expect("known").name, "fred");
    assert!(registry.check("aNN", "a").is_some());
}

#[test]
fn two_users_may_not_differ_in_case_only_when_case_is_ignored() {
    let mut web = web(&[]);
    web.users.insert("FRED".to_owned(), "x".to_owned());
    assert!(registry(&web).is_ok());
    web.ignore_case = true;
    assert!(registry(&web).is_err());
}

#[test]
fn the_servers_user_and_members_of_mqm_are_administrators() {
    let mut web = web(&[]);
    web.users.insert("server".to_owned(), "x".to_owned());
    let registry = registry(&web).expect("registry");
    let administrator = |user| registry.find(user).expect("known").principal.is_administrator;
    assert_eq!([administrator("server"), administrator("Ann"), administrator("fred")], [true, true, false]);
}

#[test]
fn groups_reach_the_queue_manager() {
    let registry = registry(&web(&[])).expect("registry");
    let groups = &registry.find("fred").expect("known").principal.groups;
    assert_eq!(groups.iter().map(|group| &**group).collect::<Vec<_>>(), ["staff"]);
}

#[test]
fn what_cannot_be_used_is_named() {
    for (roles, expected) in [
        (("MQWebAdmins", ["user:a"]), "web.roles.MQWebAdmins: no such role; expected one of MQWebAdmin,"),
        (("MQWebAdmin", ["fred"]), "web.roles.MQWebAdmin: 'fred' is not user:NAME, group:NAME,"),
        (("MQWebAdmin", ["user:"]), "web.roles.MQWebAdmin: 'user:' is not"),
    ] {
        let error = registry(&web(&[(roles.0, &roles.1)])).err().expect("refused").to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let mut bad = web(&[]);
    bad.users.insert("eve".to_owned(), "{custom}x".to_owned());
    let error = registry(&bad).err().expect("refused").to_string();
    assert!(error.starts_with("web.users.eve: "), "{error}");
}

#[test]
fn quick_checks_answer_where_no_password_is_hashed() {
    let registry = registry(&web(&[])).expect("registry");
    assert!(matches!(registry.check_quickly("fred", "passw0rd"), QuickCheck::Right(_)));
    assert!(matches!(registry.check_quickly("fred", "wrong"), QuickCheck::Wrong));
    assert!(matches!(registry.check_quickly("nobody", "passw0rd"), QuickCheck::Wrong));
}

#[test]
fn one_hashed_password_makes_every_refusal_slow() {
    let mut web = web(&[]);
    web.users.insert("eve".to_owned(), encode_argon2id("secret").expect("hash"));
    let registry = registry(&web).expect("registry");
    assert!(matches!(registry.check_quickly("fred", "passw0rd"), QuickCheck::Right(_)));
    for user in ["fred", "nobody", "eve"] {
        assert!(matches!(registry.check_quickly(user, "wrong"), QuickCheck::NeedsTime), "{user}");
        assert!(registry.check(user, "wrong").is_none());
    }
    assert_eq!(registry.check("eve", "secret").expect("right").name, "eve");
}

#[test]
fn certificates_name_users_as_configured() {
    let certificate = CertificateIdentity {
        common_name: Some("fred".to_owned()),
        distinguished_name: "CN=fred,O=IBM,C=GB".to_owned(),
        ..CertificateIdentity::default()
    };
    let mut web = web(&[]);
    web.users.insert("CN=Fred, O=IBM, C=GB".to_owned(), "x".to_owned());
    let name = |map, web: &mut Web| {
        web.certificate_map = map;
        registry(web).expect("registry").find_by_certificate(&certificate).map(|identity| identity.name.clone())
    };
    assert_eq!(name(CertificateMap::PrincipalCn, &mut web).as_deref(), Some("fred"));
    assert_eq!(name(CertificateMap::ExactDn, &mut web).as_deref(), Some("CN=Fred, O=IBM, C=GB"));
    assert_eq!(name(CertificateMap::NotSupported, &mut web), None);
}

#[test]
fn an_unknown_user_is_not_let_in_with_somebodys_password() {
    let mut web = web(&[]);
    web.users = [("eve".to_owned(), encode_argon2id("secret").expect("hash"))].into();
    assert!(registry(&web).expect("registry").check("nobody", "secret").is_none());
    web.users.clear();
    let empty = registry(&web).expect("registry");
    assert!(empty.check("nobody", "secret").is_none());
    assert!(matches!(empty.check_quickly("nobody", "secret"), QuickCheck::Wrong));
}

#[test]
fn every_refusal_computes_one_hash_of_each_slow_form() {
    let mut web = web(&[]);
    let pbkdf2 = "{hash}ATAAAAAILhrJnMIEZTtAAAAAINxbTHvXoDOGKoPYU/24jwHhQhjwKZZvwY4kAsfx29+I";
    web.users.insert("imported".to_owned(), pbkdf2.to_owned());
    web.users.insert("eve".to_owned(), encode_argon2id("secret").expect("hash"));
    let registry = registry(&web).expect("registry");
    for name in ["fred", "imported", "eve", "nobody"] {
        let user = registry.user(name);
        let own = user.into_iter().map(|user| &user.password).filter(|password| password.is_slow());
        let mut forms: Vec<_> = own.chain(registry.in_vain(user)).map(Password::dearness).collect();
        forms.sort_unstable();
        assert_eq!(forms, [1, 2], "{name}");
        assert!(registry.check(name, "wrong").is_none());
    }
}

#[test]
fn a_user_without_a_password_is_refused() {
    let mut web = web(&[]);
    web.users.insert("empty".to_owned(), String::new());
    let error = registry(&web).err().expect("refused").to_string();
    assert!(error.starts_with("web.users.empty: "), "{error}");
}

#[test]
fn a_subject_is_compared_part_by_part_and_belongs_to_one_user() {
    let mut web = web(&[]);
    web.certificate_map = CertificateMap::ExactDn;
    web.users.insert("CN=a=b,O=IBM".to_owned(), "x".to_owned());
    let named = |subject: &str| CertificateIdentity {
        distinguished_name: subject.to_owned(),
        ..CertificateIdentity::default()
    };
    let registry_of = |web: &Web| registry(web).expect("registry");
    assert!(registry_of(&web).find_by_certificate(&named("CN=a=b,O=IBM")).is_some());
    assert!(registry_of(&web).find_by_certificate(&named("CN=a = b,O=IBM")).is_none(), "another value");
    assert!(registry_of(&web).find_by_certificate(&named("CN=a=b\\,O=IBM")).is_none(), "one part");
    web.users.insert("cn=A=B, o=ibm".to_owned(), "y".to_owned());
    assert!(registry(&web).is_err());
}
