//! Surroundings as users of IBM's image have them, and what becomes of them in the configuration.

use std::os::unix::fs::PermissionsExt;

use expect_test::{Expect, expect};

use super::*;
use crate::configuration::{Configuration, Environment, load_over};

/// A root with these files, and a container in it.
struct Around {
    folder: tempfile::TempDir,
    container: Container,
}

impl Around {
    fn new(variables: &[(&str, &str)], files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            write_file(&file, text.as_bytes(), 0o644).expect("written");
        }
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let container = Container { root: folder.path().to_owned(), variables, host: "qm-7d9f.example".to_owned() };
        Self { folder, container }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("mnt/mqm/quaymaster")
    }

    fn found(&self) -> Found {
        self.container.read(&self.data()).expect("read")
    }

    /// Settings and notes without the name of the temporary folder.
    fn check(&self, expected: &Expect) {
        let found = self.found();
        let text =
            format!("{}{}", found.settings, found.notes.iter().map(|note| format!("! {note}\n")).collect::<String>());
        expected.assert_eq(&text.replace(&self.folder.path().display().to_string(), ""));
    }

    /// The scripts of a start in the order in which they run, with their texts.
    fn scripts(&self) -> String {
        self.found();
        let listed = files(&self.data().join("container/mqsc.d"), "mqsc").expect("listed");
        let script = |file: PathBuf| {
            let name = file.file_name().expect("a name").to_string_lossy().into_owned();
            format!("{name}: {}", fs::read_to_string(&file).expect("text"))
        };
        listed.into_iter().map(script).collect()
    }

    fn configuration(&self) -> Configuration {
        let file = self.container.configuration_file().unwrap_or_else(|| self.data().join("quaymaster.toml"));
        let environment = Environment::new(self.container.variables.clone());
        load_over(self.found().settings, &file, false, &environment, &[]).expect("a configuration")
    }
}

#[test]
fn a_queue_manager_without_a_name_has_that_of_the_host() {
    for (host, name) in [("qm-7d9f.example", "qm7d9f.example"), ("---", "QM1"), ("", "QM1")] {
        assert_eq!(queue_manager_of(host), name, "{host}");
    }
    assert_eq!(queue_manager_of(&"x".repeat(63)).len(), 48);
    let given = Around::new(&[("MQ_QMGR_NAME", "QM7")], &[]).configuration();
    assert_eq!(given.server.queue_managers.iter().map(ToString::to_string).collect::<Vec<_>>(), ["QM7"]);
}

#[test]
fn variables_of_the_image_are_settings_and_unknown_ones_are_one_note() {
    let around = Around::new(
        &[
            ("LICENSE", "accept"),
            ("LOG_FORMAT", "basic"),
            ("DEBUG", "true"),
            ("MQ_APP_PASSWORD", "passw0rd"),
            ("MQ_CMDLEVEL", "921"),
            ("MQ_ENABLE_EMBEDDED_WEB_SERVER", "false"),
            ("MQ_ENABLE_FIPS", "false"),
            ("MQ_ENABLE_METRICS", "true"),
            ("MQ_GRACE_PERIOD", "5"),
            ("MQ_LOGGING_CONSOLE_FORMAT", "json"),
            ("MQ_LOGGING_CONSOLE_SOURCE", "qmgr,web"),
            ("MQ_NATIVE_HA", "true"),
            ("MQ_NATIVE_HA_INSTANCE_0_NAME", "qm-0"),
            ("MQ_PORT_1414_TCP", "tcp://10.0.0.7:1414"),
            ("MQ_SOMETHING", "1"),
            ("MQ_SOMETHING_ELSE", "1"),
        ],
        &[],
    );
    around.check(&expect![[r#"
        [metrics]
        names = ["quaymaster", "mq_container"]

        [server]
        grace_seconds = 5
        https = "off"
        log_format = "json"
        log_level = "debug"
        metrics = "0.0.0.0:9157"
        mqsc_dir = "/mnt/mqm/quaymaster/container/mqsc.d"
        queue_managers = ["qm7d9f.example"]
        ! the environment variable MQ_CMDLEVEL has no effect: the command level is that of the program
        ! the environment variable MQ_NATIVE_HA has no effect: one server holds the data of a queue manager
        ! environment variables that are not known and are ignored: MQ_SOMETHING, MQ_SOMETHING_ELSE
    "#]]);
}

#[test]
fn the_first_pod_serves_and_the_others_are_spare() {
    let spare = |host: &str, variables: &[(&str, &str)]| {
        let around = Around::new(variables, &[]);
        Container { host: host.to_owned(), ..around.container.clone() }.spare()
    };
    let native = [("MQ_NATIVE_HA", "true")];
    assert_eq!(spare("orders-ibm-mq-0", &native), None);
    assert_eq!(spare("orders-ibm-mq-2", &native), Some(Spare::Replica));
    assert_eq!(spare("orders-ibm-mq-1", &[("MQ_MULTI_INSTANCE", "true")]), Some(Spare::Standby));
    assert_eq!(spare("orders-ibm-mq-1", &[("MQ_NATIVE_HA", "false")]), None);
    assert_eq!(spare("5f2c-4e1", &native), None, "a host of no StatefulSet");
    let named = [
        native[0],
        ("MQ_NATIVE_HA_INSTANCE_0_NAME", "east"),
        ("MQ_NATIVE_HA_INSTANCE_1_NAME", "west"),
        ("MQ_NATIVE_HA_INSTANCE_2_NAME", "north"),
    ];
    for (host, expected) in [("east", None), ("west", Some(Spare::Replica)), ("orders-1", None)] {
        assert_eq!(spare(host, &named), expected, "{host}");
    }
}

#[test]
fn a_value_that_means_nothing_is_noted_and_ignored() {
    let around = Around::new(&[("MQ_GRACE_PERIOD", "soon"), ("DEBUG", "false")], &[]);
    assert_eq!(
        around.found().notes,
        ["the environment variable MQ_GRACE_PERIOD has no such value, and is ignored: soon"]
    );
    assert_eq!(around.configuration().server.grace_seconds, 30);
}

#[test]
fn drop_ins_run_in_the_order_of_the_image_with_those_of_keys_between_them() {
    let around = Around::new(
        &[("MQ_LOGGING_CONSOLE_EXCLUDE_ID", "AMQ9001, AMQ9002;DEFINE,")],
        &[
            ("etc/mqm/20-config.mqsc", "DEFINE QLOCAL(A)\n"),
            ("etc/mqm/99-startup.mqsc", "DEFINE QLOCAL(B)\n"),
            ("etc/mqm/pki/keys/mine/tls.key", "key"),
            ("etc/mqm/pki/keys/mine/tls.crt", "-----BEGIN CERTIFICATE-----\none\n"),
            ("etc/mqm/pki/keys/mine/ca.crt", "-----BEGIN CERTIFICATE-----\nissuer\n"),
            ("etc/mqm/pki/keys/other/tls.key", "key"),
            ("etc/mqm/pki/keys/other/tls.crt", "certificate"),
            ("etc/mqm/pki/trust/0/tls.crt", "-----BEGIN CERTIFICATE-----\nsigner"),
        ],
    );
    expect![[r"
        00-log.mqsc: SET SYSTEM EXCLMSG(AMQ9001)
        15-tls.mqsc: ALTER QMGR CERTLABL('mine')
        20-config.mqsc: DEFINE QLOCAL(A)
        20-dev-tls.mqsc: ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
        ALTER CHANNEL(DEV.ADMIN.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
        99-startup.mqsc: DEFINE QLOCAL(B)
    "]]
    .assert_eq(&around.scripts());
    around.check(&expect![[r#"
        [server]
        mqsc_dir = "/mnt/mqm/quaymaster/container/mqsc.d"
        queue_managers = ["qm7d9f.example"]

        [tls]
        certificate = "/mnt/mqm/quaymaster/container/chain.pem"
        client_ca = "/mnt/mqm/quaymaster/container/signers.pem"
        key = "/etc/mqm/pki/keys/mine/tls.key"
        ! /etc/mqm/pki/keys/other: not used, the certificate is that of /etc/mqm/pki/keys/mine
    "#]]);
    let made = around.data().join("container");
    let read = |name: &str| fs::read_to_string(made.join(name)).expect("made");
    assert_eq!(
        read("chain.pem"),
        "-----BEGIN CERTIFICATE-----\none\n-----BEGIN CERTIFICATE-----\nissuer\n",
        "the issuers follow"
    );
    assert_eq!(read("signers.pem"), "-----BEGIN CERTIFICATE-----\nissuer\n-----BEGIN CERTIFICATE-----\nsigner\n");
    assert_eq!(fs::metadata(&made).expect("made").permissions().mode() & 0o777, 0o700);
}

#[test]
fn without_developer_defaults_the_keys_alter_no_channel() {
    let around = Around::new(
        &[("MQ_DEV", "false")],
        &[("etc/mqm/pki/keys/a/tls.key", "key"), ("etc/mqm/pki/keys/a/tls.crt", "certificate")],
    );
    assert_eq!(around.scripts(), "15-tls.mqsc: ALTER QMGR CERTLABL('a')\n");
    let certificate = around.configuration().tls.certificate.expect("a certificate");
    assert!(certificate.ends_with("etc/mqm/pki/keys/a/tls.crt"), "{}", certificate.display());
}

#[test]
fn a_drop_in_that_is_gone_does_not_run_any_more() {
    let around = Around::new(&[], &[("etc/mqm/20-config.mqsc", "DEFINE QLOCAL(A)\n")]);
    assert_eq!(around.scripts(), "20-config.mqsc: DEFINE QLOCAL(A)\n");
    fs::remove_file(around.folder.path().join("etc/mqm/20-config.mqsc")).expect("removed");
    assert_eq!(around.scripts(), "");
}

#[test]
fn stanzas_with_a_counterpart_count_and_others_are_noted() {
    let stanzas = "# of a user\nChannels:\n  MaxChannels = 500\n  MaxActiveChannels=400\nTCP:\n  KeepAlive=Yes\n";
    let around = Around::new(&[], &[("etc/mqm/10-qm.ini", stanzas)]);
    assert_eq!(around.configuration().channels.sockets, 400);
    let notes = around.found().notes.concat();
    assert!(
        notes.ends_with("/etc/mqm/10-qm.ini: settings without a counterpart are left out: TCP:KeepAlive"),
        "{notes}"
    );
}

#[test]
fn a_configuration_file_overrides_the_surroundings_and_keeps_what_it_does_not_name() {
    let around = Around::new(
        &[("MQ_GRACE_PERIOD", "5"), ("MQ_ENABLE_METRICS", "true")],
        &[("etc/mqm/quaymaster.toml", "[server]\ngrace_seconds = 7\n")],
    );
    let server = around.configuration().server;
    assert_eq!((server.grace_seconds, server.metrics.0.map(|address| address.port())), (7, Some(9157)));
}

#[test]
fn users_of_mqwebuser_xml_are_users_here() {
    let xml = r#"<server>
        <featureManager><feature>appSecurity-2.0</feature><feature>basicAuthenticationMQ-1.0</feature></featureManager>
        <enterpriseApplication id="com.ibm.mq.rest"><application-bnd>
            <security-role name="MQWebAdmin"><user name="ops"/></security-role>
        </application-bnd></enterpriseApplication>
        <basicRegistry id="basic" realm="defaultRealm"><user name="ops" password="${env.OPS_PASSWORD}"/></basicRegistry>
    </server>"#;
    let around = Around::new(&[("OPS_PASSWORD", "from the environment")], &[(WEB_SETTINGS, xml)]);
    let web = around.configuration().web;
    assert_eq!(web.users.get("ops").map(String::as_str), Some("from the environment"));
    assert_eq!(web.roles["MQWebAdmin"], ["user:ops"]);
}
