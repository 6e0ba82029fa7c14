use document::xml::XmlError;
use proptest::prelude::*;

use super::*;

struct Nothing;

impl Surroundings for Nothing {
    fn environment(&self, _: &str) -> Option<String> {
        None
    }
    fn included(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

fn of(body: &str) -> Imported {
    let text = format!("<server>{body}</server>");
    import(&[Source { name: "mqwebuser.xml", contents: text.as_bytes() }], &Nothing).expect("importable")
}

fn error(text: &[u8]) -> ImportError {
    import(&[Source { name: "f.xml", contents: text }], &Nothing).expect_err("refused")
}

fn left_out(imported: &Imported) -> Vec<&str> {
    imported.left_out.iter().map(|line| line.what.as_str()).collect()
}

#[test]
fn xml_that_could_blow_up_or_read_files_is_refused() {
    let xml = |source| ImportError::Xml { file: "f.xml".to_owned(), source };
    assert_eq!(error(b"<!DOCTYPE x [<!ENTITY a 'b'>]><server/>"), xml(XmlError::Entity(0)));
    assert!(matches!(error(b"<server>&a;</server>"), ImportError::Xml { source: XmlError::Entity(_), .. }));
    assert!(matches!(error(b"<server a='&a;'/>"), ImportError::Xml { source: XmlError::Entity(_), .. }));
    assert_eq!(error("<a>".repeat(40).as_bytes()), xml(XmlError::TooDeep));
    assert_eq!(error(b"<server>\xff</server>"), xml(XmlError::Encoding));
    assert_eq!(error(b""), xml(XmlError::Empty));
    assert_eq!(error(&vec![b' '; MAXIMUM_BYTES + 1]), ImportError::TooLong { file: "f.xml".to_owned() });
}

#[test]
fn damaged_xml_is_refused() {
    for damaged in
        ["<server>", "<server></client>", "<server/><server/>", "<server a=1/>", "<server a='1' a='2'/>", "</a>"]
    {
        assert!(matches!(error(damaged.as_bytes()), ImportError::Xml { source: XmlError::Syntax(_), .. }), "{damaged}");
    }
}

#[test]
fn another_root_is_named() {
    assert!(matches!(error(b"<project/>"), ImportError::Root { root, .. } if root == "project"));
}

#[test]
fn predefined_entities_and_byte_order_marks_are_read() {
    let text =
        "\u{feff}<?xml version=\"1.0\"?><server><variable name='ltpaCookieName' value='a&amp;b&#x63;'/></server>";
    let imported = import(&[Source { name: "f.xml", contents: text.as_bytes() }], &Nothing).expect("importable");
    assert_eq!(imported.ltpa.cookie_name, "a&bc");
}

#[test]
fn variables_stand_for_variables_but_not_for_ever() {
    let imported = of("<variable name='a' value='x${b}'/><variable name='b' defaultValue='y'/>\
        <variable name='ltpaCookieName' value='${a}${c}'/>");
    assert_eq!(imported.ltpa.cookie_name, "LtpaToken2", "an unresolved name is no cookie name");
    assert!(left_out(&imported).contains(&"${c}"));
    let imported = of("<variable name='a' value='x${b}'/><variable name='b' defaultValue='y'/>\
        <basicRegistry realm='${a}'/>");
    assert_eq!(imported.web.realm.0, "xy");
    let imported = of("<variable name='a' value='${a}${a}'/><basicRegistry realm='${a}'/>");
    assert_eq!(imported.web.realm.0, "${a}");
}

#[test]
fn variables_of_variables_do_not_take_for_ever() {
    let mut body: String =
        (0..15).map(|n| format!("<variable name='v{n}' value='{}'/>", format!("${{v{}}}", n + 1).repeat(50))).collect();
    body.push_str("<variable name='v15' value=''/><basicRegistry realm='${v0}'/>");
    of(&body);
}

#[test]
fn an_unnamed_realm_is_libertys_default() {
    assert_eq!(of("<basicRegistry/>").web.realm.0, "BasicRegistry");
    assert_eq!(of("").web.realm.0, "defaultRealm");
}

#[test]
fn durations_are_rounded_up_to_minutes() {
    for (text, minutes) in
        [("120m", 120), ("2h", 120), ("1h30m", 90), ("7200s", 120), ("90s", 2), ("45", 45), ("1d", 1440)]
    {
        assert_eq!(of(&format!("<ltpa expiration='{text}'/>")).ltpa.expiration, minutes, "{text}");
    }
    for text in ["", "0", "-1", "m", "5x", "99999999999999999999d"] {
        let imported = of(&format!("<ltpa expiration='{text}'/>"));
        assert_eq!((imported.ltpa.expiration, imported.left_out.len()), (120, 1), "{text}");
    }
}

#[test]
fn ports_and_host_become_addresses() {
    let addresses = |body| {
        let imported = of(body);
        [imported.https, imported.http].map(Option::unwrap_or_default)
    };
    assert_eq!(addresses(""), ["", ""]);
    assert_eq!(addresses("<variable name='httpHost' value='*'/>"), ["0.0.0.0:9443", ""]);
    assert_eq!(
        addresses(
            "<variable name='httpHost' value='::1'/><variable name='httpPort' value='9080'/>\
            <variable name='httpsPort' value='-1'/>"
        ),
        ["off", "[::1]:9080"]
    );
    assert_eq!(
        addresses("<httpEndpoint id='defaultHttpEndpoint' host='h' httpPort='80' httpsPort='443'/>"),
        ["h:443", "h:80"]
    );
    assert_eq!(left_out(&of("<variable name='httpsPort' value='70000'/>")), ["httpsPort"]);
}

#[test]
fn elements_of_one_name_and_id_are_one() {
    let imported = of("<basicRegistry id='basic' realm='a'><user name='u' password='p'/></basicRegistry>\
        <basicRegistry id='basic' realm='b'><user name='v' password='q'/></basicRegistry>");
    assert_eq!(imported.web.realm.0, "b");
    assert_eq!(imported.web.users.keys().collect::<Vec<_>>(), ["u", "v"]);
}

struct Files(&'static [(&'static str, &'static str)]);

impl Surroundings for Files {
    fn environment(&self, name: &str) -> Option<String> {
        (name == "PW").then(|| "from-environment".to_owned())
    }
    fn included(&self, location: &str) -> Option<Vec<u8>> {
        self.0.iter().find(|(name, _)| *name == location).map(|(_, text)| text.as_bytes().to_vec())
    }
}

#[test]
fn included_files_count_where_they_stand() {
    let files = Files(&[
        ("merge.xml", "<server><basicRegistry id='b' realm='merged'/></server>"),
        ("ignore.xml", "<server><basicRegistry id='b' realm='ignored'/></server>"),
        ("loop.xml", "<server><include location='loop.xml'/></server>"),
    ]);
    let realm = |body: &str| {
        let text = format!("<server><basicRegistry id='b' realm='own'/>{body}</server>");
        import(&[Source { name: "f.xml", contents: text.as_bytes() }], &files)
    };
    assert_eq!(realm("<include location='merge.xml'/>").expect("fine").web.realm.0, "merged");
    assert_eq!(realm("<include location='ignore.xml' onConflict='IGNORE'/>").expect("fine").web.realm.0, "own");
    assert_eq!(realm("<include location='absent.xml' optional='TRUE'/>").expect("fine").left_out, []);
    assert_eq!(left_out(&realm("<include location='absent.xml'/>").expect("fine")), ["include absent.xml"]);
    assert!(matches!(realm("<include location='loop.xml'/>"), Err(ImportError::TooManyFiles(_))));
}

#[test]
fn security_is_off_only_when_the_file_clearly_says_so() {
    let features = "<featureManager><feature>apiDiscovery-1.0</feature></featureManager>";
    assert!(of(features).web.no_security);
    for secured in [
        String::new(),
        format!("{features}<basicRegistry/>"),
        format!("{features}<include location='more.xml'/>"),
        features.replace("apiDiscovery-1.0", "appSecurity-2.0"),
        features.replace("apiDiscovery-1.0", "localOSAuthenticationMQ-1.0"),
    ] {
        assert!(!of(&secured).web.no_security, "{secured}");
    }
}

#[test]
fn a_name_with_line_ends_does_not_break_out_of_a_comment() {
    let text = of("<ldapRegistry/><variable name='x&#10;[web]&#10;no_security = true' value='1'/>").to_toml();
    let table: toml::Table = text.parse().expect("TOML");
    assert!(table.is_empty(), "{text}");
}

proptest! {
    #[test]
    fn any_text_is_imported_or_refused_without_a_panic(body in "([<>/=' a-z\"&;!${}-]|<user name='a'|/>|<ltpa |<basicRegistry>){0,60}") {
        let text = format!("<server>{body}</server>");
        if let Ok(imported) = import(&[Source { name: "f.xml", contents: text.as_bytes() }], &Nothing) {
            prop_assert!(imported.to_toml().parse::<toml::Table>().is_ok());
        }
    }
}

#[test]
fn the_type_of_a_directory_says_its_filters() {
    let registry = |rest: &str| of(&format!("<ldapRegistry host='h' baseDN='dc=x' {rest}")).ldap;
    let windows = registry("ldapType='microsoft active directory'/>");
    assert_eq!(windows.user_filter, "(&(sAMAccountName=%v)(objectcategory=user))");
    assert_eq!(
        (windows.user_id_map.as_str(), windows.group_member_id_map.as_str()),
        ("user:sAMAccountName", "memberOf:member")
    );
    assert_eq!(windows.tls, identity::options::LdapTls::Off, "as Liberty has it unless sslEnabled");
    assert!(registry("/>").user_filter.contains("ePerson"), "Custom");
    let own =
        registry("ldapType='Custom' customFiltersRef='f'/><customLdapFilterProperties id='f' userIdMap='*:mail'/>");
    assert_eq!(own.user_id_map, "*:mail");
    let unknown = of("<ldapRegistry host='h' baseDN='dc=x' ldapType='Other'/>");
    assert_eq!(left_out(&unknown), ["ldapRegistry ldapType Other"]);
    let second = of("<ldapRegistry id='a' host='h' baseDN='dc=x'/><ldapRegistry id='b' host='i' baseDN='dc=y'/>");
    assert_eq!((second.ldap.host.as_deref(), left_out(&second)), (Some("h"), vec!["ldapRegistry b"]));
}

#[test]
fn a_registry_that_cannot_be_a_directory_is_left_out_whole() {
    let imported = of("<ldapRegistry host='h' port='0' certificateMapMode='CUSTOM' connectTimeout='soon'/>");
    assert_eq!(imported.ldap, Ldap::default());
    assert_eq!(imported.web.realm.0, "defaultRealm");
    assert_eq!(
        left_out(&imported),
        ["ldapRegistry port", "ldapRegistry certificateMapMode CUSTOM", "ldapRegistry connectTimeout", "ldapRegistry"]
    );
}

#[test]
fn users_that_anybody_could_be_are_left_out() {
    let imported = of("<basicRegistry certificateMapMode='CUSTOM'><user name='a' password='${env.NOT_SET}'/>\
                       <user name='b' password=''/><user name='c' password='x'/></basicRegistry>");
    assert_eq!(imported.web.users.keys().collect::<Vec<_>>(), ["c"]);
    assert_eq!(imported.web.certificate_map, identity::options::CertificateMap::NotSupported);
    assert_eq!(left_out(&imported), ["basicRegistry certificateMapMode CUSTOM", "user a", "user b", "${env.NOT_SET}"]);
}
