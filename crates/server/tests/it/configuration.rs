//! `config explain|check|import|password|reload`, and a server with a bad configuration.

use expect_test::expect;

use crate::program::{Folder, Server, certificate, eventually};

#[test]
fn explain_prints_type_default_unit_and_help() {
    expect![[r#"
        exit 0
        out: [ltpa]
        out: expiration = 120
        out:     Lifetime of a sign-in.
        out:     Type: integer 1 to 525600. Unit: minutes. Environment: QUAYMASTER_LTPA_EXPIRATION.
        out: 
    "#]]
    .assert_eq(&Folder::new().run(&["config", "explain", "ltpa.expiration"]));
    expect![[r#"
        exit 2
        err: quaymaster: unknown key ltpa.expiraton, did you mean ltpa.expiration?
    "#]]
    .assert_eq(&Folder::new().run(&["config", "explain", "ltpa.expiraton"]));
}

#[test]
fn check_accepts_a_good_file_and_names_what_is_wrong_in_a_bad_one() {
    let folder = Folder::new();
    let file = folder.write("a.toml", "[limits]\nconnections = 5\n");
    let check = |file: &std::path::Path| folder.run(&["config", "check", &file.display().to_string()]);
    expect![[r#"
        exit 0
        out: DIR/a.toml is valid.
    "#]]
    .assert_eq(&check(&file));
    let file = folder.write("b.toml", "[limits]\nconections = 5\n");
    expect![[r#"
        exit 2
        err: quaymaster: unknown key limits.conections in DIR/b.toml, did you mean limits.connections?
    "#]]
    .assert_eq(&check(&file));
    let file = folder.write("d.toml", "[web.roles]\nMQWebUsr = [\"EVERYONE\"]\n");
    let said = check(&file);
    assert!(said.starts_with("exit 2\nerr: quaymaster: web.roles") && said.contains("MQWebUsr"), "{said}");
    expect![[r#"
        exit 2
        err: quaymaster: cannot read the configuration file DIR/c.toml: No such file or directory (os error 2)
    "#]]
    .assert_eq(&check(&folder.join("c.toml")));
}

#[test]
fn check_opens_certificates_and_keys_and_says_what_does_not_match() {
    let folder = Folder::new();
    let (good, key) = certificate(-1, 100);
    let (other, _) = certificate(-1, 100);
    for (name, text) in [
        ("good.crt", &good),
        ("good.key", &key),
        ("other.crt", &other),
        ("ended.crt", &certificate(-9, -2).0),
        ("soon.crt", &certificate(-9, 10).0),
        ("text.crt", &"hello".to_owned()),
    ] {
        folder.write(name, text);
    }
    let check = |toml: &str| {
        let file = folder.write("tls.toml", toml).display().to_string();
        folder.run(&["config", "check", &file])
    };
    assert!(check("[tls]\ncertificate = \"good.crt\"\nkey = \"good.key\"\n").starts_with("exit 0\n"));
    expect![[r#"
        exit 2
        err: quaymaster: tls.certificate: DIR/good.key is not the private key of the certificate in DIR/other.crt
    "#]]
    .assert_eq(&check("[tls]\ncertificate = \"other.crt\"\nkey = \"good.key\"\n"));
    for (toml, part) in [
        ("certificate = \"none.crt\"\nkey = \"good.key\"", "tls.certificate: cannot read DIR/none.crt"),
        ("certificate = \"good.crt\"\nkey = \"good.crt\"", "DIR/good.crt has no usable private key"),
        (
            "certificate = \"good.crt\"\nkey = \"good.key\"\nsecond_certificate = \"other.crt\"\nsecond_key = \"good.key\"",
            "tls.second_certificate: DIR/good.key is not the private key of the certificate in DIR/other.crt",
        ),
        (
            "certificate = \"good.crt\"\nkey = \"good.key\"\nsecond_certificate = \"good.crt\"\nsecond_key = \"good.key\"",
            "tls.second_certificate: DIR/good.crt: the other certificate is an ECDSA one too",
        ),
        ("client_ca = \"text.crt\"", "tls.client_ca: DIR/text.crt has no certificate, expected a PEM file"),
        ("client_ca = \"ended.crt\"", "in DIR/ended.crt ended on 20"),
    ] {
        let said = check(&format!("[tls]\n{toml}\n"));
        assert!(said.starts_with("exit 2\n") && said.contains(part), "{toml}: {said}");
    }
    let said =
        check("[tls]\nclient_ca = \"soon.crt\"\n[ldap]\nhost = \"h\"\nbase_dn = \"dc=a\"\nca_file = \"good.crt\"\n");
    assert!(said.starts_with("exit 0\n") && said.contains("tls.client_ca: the certificate of"), "{said}");
}

#[test]
fn check_connects_to_issuers_of_tokens_only_when_asked_to_and_names_what_cannot_be_used() {
    let folder = Folder::new();
    let oidc = "[identity.oidc.one]\nissuer = \"http://127.0.0.1:1/dex\"\naudiences = [\"mq\"]\n";
    let file = folder.write("oidc.toml", oidc).display().to_string();
    let valid = "exit 0\nout: DIR/oidc.toml is valid.\n";
    assert_eq!(folder.run(&["config", "check", &file]), valid);
    let said = folder.run(&["config", "check", "--connect", &file]);
    let asked = "out: http://127.0.0.1:1/dex: http://127.0.0.1:1/dex/.well-known/openid-configuration: ";
    assert!(said.starts_with("exit 1\n") && said.contains(asked), "{said}");
    for (line, part) in [
        ("issuer = \"http://issuer.example\"", "identity.oidc.one.issuer"),
        ("audiences = []", "identity.oidc.one.audiences"),
        ("algorithms = [\"HS256\"]", "identity.oidc.one.algorithms"),
        ("ca_file = \"absent.pem\"", "identity.oidc.one.ca_file"),
        ("local_users = \"maybe\"", "identity.oidc"),
        ("issuers = \"x\"", "unknown field `issuers`"),
    ] {
        let key = line.split(' ').next().expect("a key");
        let others: String = oidc
            .lines()
            .filter(|known| !known.starts_with(&format!("{key} ")))
            .map(|known| format!("{known}\n"))
            .collect();
        let file = folder.write("bad.toml", &format!("{others}{line}\n")).display().to_string();
        let said = folder.run(&["config", "check", &file]);
        assert!(said.starts_with("exit 2\n") && said.contains(part), "{line}: {said}");
    }
}

#[test]
fn check_connects_to_the_directory_only_when_asked_to() {
    let folder = Folder::new();
    let ldap = "[ldap]\nhost = \"127.0.0.1\"\nport = 1\ntls = \"off\"\nbase_dn = \"dc=example\"\n";
    let file = folder.write("ldap.toml", ldap).display().to_string();
    expect![[r#"
        exit 0
        out: DIR/ldap.toml is valid.
    "#]]
    .assert_eq(&folder.run(&["config", "check", &file]));
    let said = folder.run(&["config", "check", "--connect", &file]);
    assert!(said.starts_with("exit 1\nout: DIR/ldap.toml is valid.\nout: ldap://127.0.0.1:1: "), "{said}");
    let failed = "err: quaymaster: config check: at least one server of [ldap] or [identity.oidc] cannot be used\n";
    assert!(said.ends_with(failed), "{said}");
    for (line, part) in [
        ("user_filter = \"(uid=bob)\"", "ldap.user_filter"),
        ("base_dn = \"example\"", "ldap.base_dn"),
        ("bind_password = \"{hash}x\"", "ldap.bind_password"),
        ("bind_dn = \"cn=a\"", "ldap.bind_password"),
        ("failover = [\"a b\"]", "ldap.failover"),
    ] {
        let key = line.split(' ').next().expect("a key");
        let others: String =
            ldap.lines().filter(|known| !known.starts_with(key)).map(|known| format!("{known}\n")).collect();
        let file = folder.write("bad.toml", &format!("{others}{line}\n")).display().to_string();
        let said = folder.run(&["config", "check", &file]);
        assert!(said.starts_with("exit 2\n") && said.contains(part), "{line}: {said}");
    }
}

#[test]
fn compat_says_what_becomes_of_a_script_and_ends_with_10_when_something_is_refused() {
    let folder = Folder::new();
    let compat = |file: &std::path::Path, json: bool| {
        let file = file.display().to_string();
        let mut words = vec!["config", "compat", file.as_str()];
        words.extend(json.then_some("--json"));
        folder.run(&words)
    };
    let good = folder.write("good.mqsc", "DEFINE QLOCAL(A) MAXDEPTH(10) +\n* CRDATE(2026-01-01) +\nREPLACE\n");
    expect![[r#"
        exit 0
        out: Commands read: 1. Accepted: 1, accepted without effect here: 0, refused: 0. Attributes without effect here: 0, refused: 0.
    "#]]
    .assert_eq(&compat(&good, false));
    let bad = folder.write("bad.mqsc", "DEFINE QLOCAL(A) STGCLASS(X) CLUSTER(C)\nDEFINE PSID(4)\n");
    expect![[r#"
        exit 10
        out: Refused:
        out:   line 1: DEFINE QLOCAL(A) STGCLASS: z/OS only: storage classes
        out:   line 2: DEFINE PSID(4): DEFINE PSID is not supported by this queue manager yet
        out: Accepted, without effect here:
        out:   line 1: DEFINE QLOCAL(A) CLUSTER: there are no clusters
        out: Commands read: 2. Accepted: 0, accepted without effect here: 0, refused: 2. Attributes without effect here: 1, refused: 1.
    "#]]
    .assert_eq(&compat(&bad, false));
    let said = compat(&bad, true);
    assert!(said.starts_with("exit 10\n") && said.contains("\"verdict\": \"refused\""), "{said}");
    expect![[r#"
        exit 1
        err: quaymaster: cannot read DIR/none.mqsc: No such file or directory (os error 2)
    "#]]
    .assert_eq(&compat(&folder.join("none.mqsc"), false));
}

/// Starts and stops that depend on what the script did before, commands that are kept without effect, and an end.
const MIXED: &str = "\
DEFINE QLOCAL(X) USAGE(XMITQ)
DEFINE QREMOTE(FAR) RNAME(A) RQMNAME(QM9) XMITQ(X)
DEFINE CHANNEL(TO.QM9) CHLTYPE(SDR) CONNAME('h(1414)') XMITQ(X)
DEFINE CHANNEL(IOT) CHLTYPE(AMQP) PORT(5672)
START CHANNEL(TO.QM9)
START CHANNEL(IOT)
DEFINE SERVICE(S) STARTCMD('/bin/true')
START SERVICE(S)
STOP LISTENER(SYSTEM.LISTENER.TCP.1)
START LISTENER(SYSTEM.LISTENER.TCP.1)
START LISTENER(SYSTEM.LISTENER.TCP.1)
STOP LISTENER(SYSTEM.LISTENER.TCP.1)
STOP LISTENER(NOT.THERE) IGNSTATE(YES)
ALTER QMGR REPOS(C)
REFRESH CLUSTER(C)
DEFINE PSID(4)
DEFINE QLOCAL(A) STGCLASS(X)
DISPLAY QLOCAL(A)
END
DEFINE QLOCAL(AFTER)
";

/// The commands, counted from 1, that `runmqsc` says it could not do.
fn failed(said: &str) -> Vec<usize> {
    let mut failed = Vec::new();
    let mut number = 0;
    for line in said.lines().filter_map(|line| line.strip_prefix("out: ")) {
        if let Some((first, _)) = line.split_once(" : ").filter(|_| line.starts_with(' ')) {
            number = first.trim().parse().unwrap_or(number);
        } else if let Some((id, _)) = line.split_once(": ")
            && id.starts_with("AMQ")
            && (id.ends_with('E') || id == "AMQ8405I")
        {
            failed.push(number);
        }
    }
    failed
}

#[test]
fn compat_refuses_what_runmqsc_refuses_on_a_new_queue_manager() {
    let folder = Folder::new();
    let _server = Server::start_with(&folder, &[], &[("MQ_DEV", "false")]);
    let scripts = [
        ("QM2", MIXED, vec![5, 6, 8, 9, 11, 13, 15, 16, 17, 18], 18),
        ("QM3", include_str!("../../../command/tests/testdata/container.mqsc"), vec![], 30),
        ("QM4", include_str!("../../../command/tests/testdata/file-transfer.mqsc"), vec![], 25),
    ];
    for (queue_manager, script, refused, commands) in scripts {
        let file = folder.write("script.mqsc", script).display().to_string();
        let compat = folder.run(&["config", "compat", &file, "--json"]);
        let json: String = compat.lines().filter_map(|line| line.strip_prefix("out: ")).collect();
        let found: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let findings = found["findings"].as_array().expect("a list");
        let of_commands = findings.iter().filter(|finding| finding["attribute"].is_null());
        let says_refused: Vec<_> = of_commands
            .enumerate()
            .filter(|(_, finding)| finding["verdict"] == "refused")
            .map(|(index, _)| index + 1)
            .collect();
        assert_eq!(says_refused, refused, "{compat}");

        assert!(folder.run(&["crtmqm", queue_manager]).starts_with("exit 0\n"));
        assert!(folder.run(&["strmqm", queue_manager]).starts_with("exit 0\n"));
        let said = folder.run_with(&["runmqsc", queue_manager], script);
        assert_eq!(failed(&said), refused, "{said}");
        assert_eq!(found["commands"], commands, "{compat}");
        assert!(said.contains(&format!("out: {commands} MQSC commands read.")), "{said}");
        assert_eq!(said.lines().next(), compat.lines().next(), "both end with the same code");
    }
}

#[test]
fn serve_refuses_a_bad_configuration_with_exit_2() {
    let folder = Folder::new();
    folder.write("quaymaster.toml", "[ltpa]\nexpiration = \"long\"\n");
    expect![[r#"
        exit 2
        err: quaymaster: ltpa.expiration in DIR/quaymaster.toml: "long" is not valid, expected an integer from 1 to 525600
    "#]]
    .assert_eq(&folder.run(&["serve"]));
}

const MQWEBUSER: &str = r#"<server>
  <featureManager><feature>appSecurity-2.0</feature></featureManager>
  <basicRegistry id="basic" realm="defaultRealm">
    <user name="mqadmin" password="{xor}Lz4sLChvLTs="/>
    <group name="MQWebAdminGroup"><member name="mqadmin"/></group>
  </basicRegistry>
  <enterpriseApplication id="com.ibm.mq.rest">
    <application-bnd>
      <security-role name="MQWebAdmin"><group name="MQWebAdminGroup" realm="defaultRealm"/></security-role>
      <security-role name="MQWebUser"><special-subject type="ALL_AUTHENTICATED_USERS"/></security-role>
    </application-bnd>
  </enterpriseApplication>
  <variable name="ltpaExpiration" value="60"/>
  <variable name="mqRestMftEnabled" value="true"/>
</server>
"#;

#[test]
fn import_turns_mqwebuser_xml_into_a_file_that_check_accepts() {
    let folder = Folder::new();
    let xml = folder.write("mqwebuser.xml", MQWEBUSER).display().to_string();
    let toml = folder.join("quaymaster.toml").display().to_string();
    let said = folder.run(&["config", "import", &xml, "--out", &toml]);
    assert!(said.starts_with("exit 0\nout: DIR/quaymaster.toml was written.\n"), "{said}");
    assert!(said.contains("left out: variable mqRestMftEnabled"), "{said}");
    let text = folder.read("quaymaster.toml");
    for part in
        ["expiration = 60", "mqadmin = \"{xor}Lz4sLChvLTs=\"", "group:MQWebAdminGroup", "ALL_AUTHENTICATED_USERS"]
    {
        assert!(text.contains(part), "{part} is in {text}");
    }
    assert!(folder.run(&["config", "check", &toml]).starts_with("exit 0"));
    assert!(folder.run(&["config", "import", &xml, "--out", &toml]).contains("exists"), "nothing is replaced");
}

#[test]
fn password_is_hashed_with_a_new_salt_each_time() {
    let folder = Folder::new();
    let first = folder.run_with(&["config", "password"], "secret\n");
    let second = folder.run_with(&["config", "password"], "secret\n");
    assert!(first.starts_with("exit 0\nout: {argon2id}$argon2id$"), "{first}");
    assert_ne!(first, second);
}

fn basic(credentials: &str) -> String {
    use base64::Engine as _;
    format!("Authorization: Basic {}\r\n", base64::engine::general_purpose::STANDARD.encode(credentials))
}

const BROWSE: &str = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";

#[test]
fn a_reload_replaces_users_and_names_what_waits_for_the_next_start() {
    let folder = Folder::new();
    let file = |user: &str, rest: &str| {
        format!(
            "{rest}[web]\nrealm = \"r\"\n[web.users]\n{user} = \"word\"\n[web.roles]\nMQWebUser = [\"user:{user}\"]\n"
        )
    };
    folder.write("quaymaster.toml", &file("one", ""));
    let server = Server::start(&folder, &[]);
    assert_ne!(server.get(BROWSE, &basic("one:word")), 401);
    assert_eq!(server.get(BROWSE, &basic("two:word")), 401);

    folder.write("quaymaster.toml", &file("two", "[limits]\nbuffer_pool = 1048576\n"));
    expect![[r#"
        exit 0
        out: The configuration was read again.
        out: limits.buffer_pool has changed; the new value is used from the next start.
    "#]]
    .assert_eq(&folder.run(&["config", "reload"]));
    assert_ne!(server.get(BROWSE, &basic("two:word")), 401);
    assert_eq!(server.get(BROWSE, &basic("one:word")), 401);

    folder.write("quaymaster.toml", "[nonsense]\n");
    expect![[r#"
        exit 1
        err: quaymaster: unknown key nonsense in DIR/quaymaster.toml
    "#]]
    .assert_eq(&folder.run(&["config", "reload"]));
    assert_ne!(server.get(BROWSE, &basic("two:word")), 401, "the old configuration stays");

    folder.write("quaymaster.toml", &file("three", ""));
    server.signal("HUP");
    eventually("the reload by SIGHUP", || server.get(BROWSE, &basic("three:word")) != 401);
}
