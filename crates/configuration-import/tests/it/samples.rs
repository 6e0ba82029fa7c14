//! Sample configurations in IBM's documented syntax become ours.

use configuration_import::{Imported, Source, Surroundings, import};
use identity::Authenticator;
use identity::options::{Identities, Lockout};
use model::timestamp::Timestamp;
use toml::Table;

struct Container;

impl Surroundings for Container {
    fn environment(&self, name: &str) -> Option<String> {
        match name {
            "MQ_ADMIN_PASSWORD_SECURE" => Some("{xor}PjsyNjE=".to_owned()),
            "MQ_APP_PASSWORD_SECURE" => Some("passw0rd".to_owned()),
            _ => None,
        }
    }

    fn included(&self, location: &str) -> Option<Vec<u8>> {
        (location == "tls.xml").then(|| include_bytes!("samples/tls.xml").to_vec())
    }
}

fn imported(files: &[(&str, &[u8])]) -> Imported {
    let sources: Vec<_> = files.iter().map(|&(name, contents)| Source { name, contents }).collect();
    import(&sources, &Container).expect("the samples are importable")
}

fn lines(imported: &Imported) -> Vec<String> {
    imported.left_out.iter().map(ToString::to_string).collect()
}

fn check_toml(imported: &Imported, expected: &str) {
    let expected: Table = expected.parse().expect("TOML");
    assert_eq!(imported.to_toml().parse::<Table>().expect("TOML"), expected, "{}", imported.to_toml());
}

#[test]
fn a_basic_registry_becomes_users_groups_and_roles() {
    let imported = imported(&[("mqwebuser.xml", include_bytes!("samples/basic_registry.xml"))]);
    check_toml(
        &imported,
        r#"
        [web.users]
        mqadmin = "mqadmin"
        mqreader = "{hash}ATAAAAAILhrJnMIEZTtAAAAAINxbTHvXoDOGKoPYU/24jwHhQhjwKZZvwY4kAsfx29+I"
        mftadmin = "{xor}Mjk5PjsyNjE="
        [web.groups]
        MQWebAdminGroup = ["mqadmin"]
        [web.roles]
        MQWebAdmin = ["group:MQWebAdminGroup"]
        MQWebAdminRO = ["user:mqreader"]
        MQWebUser = ["ALL_AUTHENTICATED_USERS"]
        MFTWebAdmin = ["user:mftadmin"]
        "#,
    );
    assert_eq!(
        lines(&imported),
        ["com.ibm.mq.console: its roles differ from those of REST, and web.roles holds those of REST"]
    );
    assert_eq!(imported.console_roles.len(), 3);
    assert!(imported.to_toml().contains("# console role MQWebAdminRO: user:mqreader\n"));
}

#[test]
fn a_file_without_security_admits_everybody_and_says_so() {
    let imported = imported(&[("mqwebuser.xml", include_bytes!("samples/no_security.xml"))]);
    check_toml(&imported, "[web]\nno_security = true");
    assert!(lines(&imported)[0].starts_with("security: the file switches it off"), "{:?}", lines(&imported));
}

#[test]
fn a_container_configuration_comes_with_its_environment_includes_and_properties() {
    let imported = imported(&[
        ("bootstrap.properties", include_bytes!("samples/bootstrap.properties")),
        ("mqwebuser.xml", include_bytes!("samples/container.xml")),
    ]);
    check_toml(
        &imported,
        r#"
        [server]
        https = "0.0.0.0:9443"
        http = "0.0.0.0:9080"
        [web]
        ignore_case = true
        csrf_validation = false
        certificate_map = "NOT_SUPPORTED"
        password_encryption_key = "mykey"
        [web.users]
        admin = "{xor}PjsyNjE="
        app = "passw0rd"
        [web.groups]
        MQWebUI = ["admin"]
        MQWebMessaging = ["app"]
        [web.roles]
        MQWebAdmin = ["group:MQWebUI"]
        MQWebUser = ["group:MQWebMessaging"]
        [ltpa]
        cookie_name = "LtpaToken2_container"
        expiration = 30
        keys_password = "{aes}APsycNOYcBek4AW8avB0g+lsQjucru6oSsYws0TizsAK"
        secure = false
        [cors]
        allowed_origins = ["https://a.example", "https://b.example"]
        max_age_seconds = 120
        [messaging]
        adopt_web_user_context = false
        max_pool_size = 40
        "#,
    );
    let lines = lines(&imported);
    for expected in [
        "keyStore defaultKeyStore /run/keys/key.p12: ",
        "ssl thisSSLConfig clientAuthenticationSupported: ",
        "include absent.xml: ",
        "ltpa keysFileName: ",
        "logging: ",
        "variable com.ibm.ws.logging.console.log.level: ",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{expected} in {lines:#?}");
    }
}

#[test]
fn what_is_imported_authenticates() {
    let imported = imported(&[("mqwebuser.xml", include_bytes!("samples/basic_registry.xml"))]);
    let options = Identities {
        web: &imported.web,
        ldap: &imported.ldap,
        ltpa: &imported.ltpa,
        lockout: &Lockout::default(),
        bearers: None,
        server_user: "server",
    };
    Authenticator::new(&options, Timestamp::from_millis(0)).expect("usable as it is");
}

#[test]
fn an_ldap_registry_becomes_a_directory() {
    let imported = imported(&[("mqwebuser.xml", include_bytes!("samples/ldap_registry.xml"))]);
    check_toml(
        &imported,
        r#"
        [web]
        realm = "corporate"
        [web.roles]
        MQWebAdmin = ["group:MQWebUI"]
        MQWebUser = ["ALL_AUTHENTICATED_USERS"]
        [ldap]
        host = "ldap.example.com"
        port = 636
        failover = ["ldap2.example.com:1636", "ldap3.example.com"]
        bind_dn = "cn=mq,o=example"
        bind_password = "{xor}LDotKTY8Oi8o"
        base_dn = "o=example"
        user_filter = "(&(uid=%v)(objectclass=inetOrgPerson))"
        group_filter = "(&(cn=%v)(|(objectclass=groupOfNames)(objectclass=groupOfUniqueNames)(objectclass=groupOfURLs)))"
        group_id_map = "*:ou"
        group_member_id_map = "ibm-allGroups:member;ibm-allGroups:uniqueMember;groupOfNames:member;groupOfUniqueNames:uniqueMember"
        nested_groups = true
        ignore_case = false
        certificate_map = "CERTIFICATE_FILTER"
        certificate_filter = "uid=${SubjectCN}"
        connect_timeout_seconds = 2
        timeout_seconds = 30
        "#,
    );
    assert_eq!(
        lines(&imported),
        [
            "ldapRegistry sslRef: it has no counterpart",
            "ldapRegistry contextPool: it has no counterpart",
            "ldapRegistry sslEnabled: export the signers of its trust store as PEM and name them in ldap.ca_file",
        ]
    );
}
