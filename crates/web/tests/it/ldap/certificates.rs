//! Client certificates that name users of a directory.

use identity::options::{Ldap, LdapCertificateMap};
use rcgen::{DistinguishedName, DnType, DnValue};

use super::bind_roles;
use super::slapd::Slapd;
use crate::http::client::{Client, basic, client_config, tls_stream};
use crate::http::server::{Signer, TestServer, make_certificate_of, make_signer};

const USER_ID: &[u64] = &[0, 9, 2342, 19_200_300, 100, 1, 1];
const DOMAIN: &[u64] = &[0, 9, 2342, 19_200_300, 100, 1, 25];

struct Certified {
    server: TestServer,
    signer: Signer,
}

impl Certified {
    fn start(ldap: Ldap) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let signer = make_signer(folder.path());
        let server = TestServer::start_with(|options| {
            bind_roles(&mut options.web.roles);
            options.tls.client_ca = Some(signer.file.clone());
            options.ldap = ldap;
        });
        Self { server, signer }
    }

    /// What GET login answers to somebody with a certificate of this subject, most general part first.
    fn show(&self, subject: &[(DnType, &str)], more: &str) -> String {
        let mut name = DistinguishedName::new();
        for (kind, value) in subject {
            let value = match kind {
                DnType::CustomDnType(identifier) if identifier == DOMAIN => {
                    DnValue::Ia5String((*value).try_into().expect("ASCII"))
                }
                _ => DnValue::Utf8String((*value).to_owned()),
            };
            name.push(kind.clone(), value);
        }
        let files = make_certificate_of(self.server.folder(), "client", name, "localhost", Some(&self.signer));
        let config = client_config(Some((&files.0, &files.1)));
        let mut client = Client::over(tls_stream(self.server.https(), config));
        let answer = client.exchange(&format!("GET v3/login\n-authorization{more}"));
        if answer.status == 200 { answer.text() } else { format!("{} {}", answer.status, answer.error_id()) }
    }
}

fn of(domain: &'static str, user: &'static str) -> [(DnType, &'static str); 3] {
    [
        (DnType::CustomDnType(DOMAIN.to_vec()), domain),
        (DnType::OrganizationalUnitName, "people"),
        (DnType::CustomDnType(USER_ID.to_vec()), user),
    ]
}

fn bob() -> [(DnType, &'static str); 3] {
    of("example", "bob")
}

const BOB_BY_CERTIFICATE: &str =
    r#"{"user":[{"name":"bob","role":["MQWebUser"],"authenticationMechanism":"clientCertificate"}]}"#;

#[test]
fn an_exact_subject_is_a_distinguished_name() {
    let slapd = Slapd::start();
    let certified = Certified::start(slapd.options());
    assert_eq!(certified.show(&bob(), ""), BOB_BY_CERTIFICATE);
    assert_eq!(certified.show(&of("other", "bob"), ""), "401 MQWB0104E", "not below the base");
    assert_eq!(certified.show(&of("example", "stranger"), ""), "401 MQWB0104E");
    assert_eq!(certified.show(&of("example", "mqm"), ""), "401 MQWB0104E", "a name of this machine");
    assert_eq!(certified.show(&[(DnType::CommonName, "stranger")], ""), "401 MQWB0104E");
    assert_eq!(
        certified.show(&[(DnType::CommonName, "app")], ""),
        r#"{"user":[{"name":"app","role":["MQWebUser"],"authenticationMechanism":"clientCertificate"}]}"#,
        "users of the configuration go by their common name, as before"
    );
    let basic = format!("\n{}", basic("bob", "bobpw"));
    let shown = certified.show(&of("example", "stranger"), &basic);
    assert!(shown.contains(r#""name":"bob""#) && shown.contains("\"basic\""), "Basic still counts: {shown}");
}

#[test]
fn a_filter_filled_from_the_certificate_finds_the_user() {
    let slapd = Slapd::start();
    let by_filter = |filter: &str| Ldap {
        certificate_map: LdapCertificateMap::CertificateFilter,
        certificate_filter: Some(filter.to_owned()),
        ..slapd.options()
    };
    let certified = Certified::start(by_filter("(&(uid=${SubjectUID})(objectclass=inetOrgPerson))"));
    assert_eq!(certified.show(&bob(), ""), BOB_BY_CERTIFICATE);
    for stranger in ["*", "b*", "bob)(uid=*", "twin", "stranger"] {
        let subject = [(DnType::CustomDnType(USER_ID.to_vec()), stranger)];
        assert_eq!(certified.show(&subject, ""), "401 MQWB0104E", "{stranger}");
    }
    assert_eq!(certified.show(&[(DnType::OrganizationName, "x")], ""), "401 MQWB0104E", "it has no UID");
    let certified = Certified::start(by_filter("cn=${SubjectCN}"));
    assert_eq!(certified.show(&[(DnType::CommonName, "Bob Builder")], ""), BOB_BY_CERTIFICATE);
}

#[test]
fn a_common_name_may_be_the_user_name() {
    let slapd = Slapd::start();
    let map = |certificate_map| Ldap { certificate_map, ..slapd.options() };
    let certified = Certified::start(map(LdapCertificateMap::PrincipalCn));
    assert_eq!(certified.show(&[(DnType::CommonName, "bob")], ""), BOB_BY_CERTIFICATE);
    assert_eq!(certified.show(&[(DnType::CommonName, "*")], ""), "401 MQWB0104E");
    let certified = Certified::start(map(LdapCertificateMap::NotSupported));
    assert_eq!(certified.show(&[(DnType::CommonName, "bob")], ""), "401 MQWB0104E");
}
