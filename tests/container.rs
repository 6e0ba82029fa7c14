//! The container image: its root, unpacked and run read-only, as a user of no name, with the names that IBM's image has.
//!
//! A container here is namespaces (processes, mounts, network, host name) made by `unshare`, so that its ports are the
//! published ones. `nsenter` does what `docker exec` does. Both need root; other users need `sudo` without a password.

mod compose;
mod pod;
mod run;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use run::{Container, Image, Started};

/// A line as users give it to `docker exec`, its exit code, and what it prints.
type Line = (&'static str, i32, &'static [&'static str]);

/// Every program that tests and scripts of users call inside of the image, and the exit codes that they look at.
const PROGRAMS: &[Line] = &[
    ("dspmq", 0, &["QMNAME(QM1)", "STATUS(Running)"]),
    ("dspmq -m QM1", 0, &["STATUS(Running)"]),
    ("dspmq -m NONE", 72, &[]),
    ("dspmqver", 0, &["Name:        Quaymaster", "Version:"]),
    ("chkmqstarted", 0, &[]),
    ("chkmqready", 0, &[]),
    ("chkmqhealthy", 0, &[]),
    ("chkmqhealthy -m NONE", 1, &["does not exist"]),
    ("echo 'DISPLAY QLOCAL(DEV.QUEUE.*)' | runmqsc QM1", 0, &["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]),
    ("echo 'DISPLAY QLOCAL(DROPPED.IN)' | runmqsc", 0, &["QUEUE(DROPPED.IN)"]),
    ("runmqsc QM1 < /etc/mqm/20-config.mqsc", 10, &["AMQ8150E"]),
    ("echo 'DEFINE NONSENSE(A)' | runmqsc QM1", 10, &[]),
    ("echo 'PING QMGR' | runmqsc NONE", 20, &[]),
    ("setmqaut -m QM1 -n 'DEV.**' -t queue -p app +inq", 0, &[]),
    ("dspmqaut -m QM1 -t qmgr -p app", 0, &["connect", "inq"]),
    ("dmpmqcfg -m QM1", 0, &["DEFINE QLOCAL('DEV.QUEUE.1')"]),
    ("crtmqm QM1", 8, &[]),
    ("crtmqm QM2", 0, &[]),
    ("strmqm QM2", 0, &[]),
    ("strmqm QM2", 5, &[]),
    ("endmqm -i QM2", 0, &[]),
    ("dltmqm QM2", 0, &[]),
    ("strmqm NONE", 16, &[]),
    ("/opt/mqm/bin/dspmq", 0, &["QMNAME(QM1)"]),
    ("quaymaster put -m QM1 DEV.QUEUE.1 'kept over a restart' --persistent", 0, &[]),
];

/// Objects that programs of users expect after a start.
const OBJECTS: &[(&str, &[&str])] = &[
    (
        "DISPLAY QUEUE(*)",
        &[
            "DEV.QUEUE.1",
            "DEV.QUEUE.2",
            "DEV.QUEUE.3",
            "DEV.DEAD.LETTER.QUEUE",
            "DEV.APP.MODEL.QUEUE",
            "SYSTEM.DEFAULT.MODEL.QUEUE",
            "SYSTEM.ADMIN.COMMAND.QUEUE",
        ],
    ),
    ("DISPLAY QMGR DEADQ", &["DEADQ(DEV.DEAD.LETTER.QUEUE)"]),
    ("DISPLAY TOPIC(DEV.BASE.TOPIC) TOPICSTR", &["TOPICSTR(dev/)"]),
    ("DISPLAY AUTHINFO(DEV.AUTHINFO) ALL", &["AUTHTYPE(IDPWOS)", "CHCKCLNT(REQDADM)", "ADOPTCTX(YES)"]),
    ("DISPLAY CHANNEL(DEV.APP.SVRCONN) MCAUSER", &["MCAUSER(app)"]),
    ("DISPLAY CHANNEL(*)", &["DEV.ADMIN.SVRCONN", "SYSTEM.DEF.SVRCONN"]),
];

/// Requests to the published ports, as probes and scrapers make them: the address, and the status.
const ADDRESSES: &[(&str, &str)] = &[
    ("https://localhost:9443/livez", "200"),
    ("https://localhost:9443/readyz", "200"),
    ("https://localhost:9443/readyz?qmgr=NONE", "503"),
    ("http://localhost:9157/metrics", "200"),
    ("http://localhost:9157/livez", "200"),
    ("http://localhost:9157/readyz", "200"),
];

#[test]
fn an_unknown_user_on_a_read_only_root_has_all_that_scripts_of_the_known_image_use() -> Result<()> {
    let image = Image::unpack()?;
    let container = Container::new(&image)?
        .with("LICENSE", "accept")
        .with("MQ_QMGR_NAME", "QM1")
        .with("MQ_ENABLE_METRICS", "true")
        .with("MQ_ADMIN_PASSWORD", "password-in-a-variable")
        .with("MQ_NO_SUCH_THING", "1");
    container.file("etc/mqm/20-config.mqsc", "DEFINE QLOCAL(DROPPED.IN)\n")?;
    container.file("etc/mqm/30-wrong.mqsc", "* a comment\nDEFINE QLOCAL(A) MAXDEPTH(many)\n")?;
    container.file("run/secrets/mqAppPassword", "password-in-a-secret\n")?;
    let started = container.start()?;
    for wanted in ["AMQ5026I", "Started web server", "30-wrong.mqsc, line 2", "MQ_NO_SUCH_THING"] {
        started.line(wanted)?;
    }
    ensure!(!started.log().contains("password-in-a"), "a password is in the log:\n{}", started.log());
    assert_eq!(started.user()?, run::USER, "the server runs as this user");
    ensure!(started.exec("echo x > /usr/bin/written")?.0 != 0, "the root can be written");
    for (line, code, words) in PROGRAMS {
        let (found, out) = started.exec(line)?;
        ensure!(found == *code && words.iter().all(|word| out.contains(word)), "{line}: {found} {out}");
    }
    for (command, words) in OBJECTS {
        let (_, out) = started.exec(&format!("echo '{command}' | runmqsc QM1"))?;
        ensure!(words.iter().all(|word| out.contains(word)), "{command}: {out}");
    }
    for (address, status) in ADDRESSES {
        assert_eq!(started.status_of(address, None)?, *status, "{address}");
    }
    let message = "https://localhost:9443/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";
    assert_eq!(started.status_of(message, Some("app:password-in-a-secret"))?, "200");
    assert_eq!(started.status_of(message, Some("app:another"))?, "401");
    let queue_managers = "https://localhost:9443/ibmmq/rest/v3/admin/qmgr";
    assert_eq!(started.status_of(queue_managers, Some("admin:password-in-a-variable"))?, "200");
    assert_eq!(started.terminate()?, Some(0), "an orderly stop");

    let again = container.start()?;
    let (code, out) = again.exec("quaymaster get -m QM1 DEV.QUEUE.1")?;
    ensure!(code == 0 && out.contains("kept over a restart"), "{code} {out}");
    Ok(())
}

#[test]
fn keys_stanzas_and_web_settings_are_taken_where_the_known_image_has_them() -> Result<()> {
    let image = Image::unpack()?;
    let container = Container::new(&image)?.host("qm-7").with("MQ_LOGGING_CONSOLE_FORMAT", "json");
    make_key(&container.path("etc/mqm/pki/keys/mine"), "quaymaster-of-a-test")?;
    make_key(&container.path("etc/mqm/pki/trust/0"), "signer-of-a-test")?;
    container.file("etc/mqm/10-qm.ini", "Channels:\n   MaxChannels=77\nLog:\n   LogBufferPages=0\n")?;
    container.file(
        "etc/mqm/web/installations/Installation1/servers/mqweb/mqwebuser.xml",
        r#"<server><featureManager><feature>basicAuthenticationMQ-1.0</feature></featureManager>
        <enterpriseApplication id="com.ibm.mq.rest"><application-bnd>
            <security-role name="MQWebAdmin"><user name="ops"/></security-role>
        </application-bnd></enterpriseApplication>
        <basicRegistry id="basic" realm="defaultRealm"><user name="ops" password="${env.OPS_PASSWORD}"/></basicRegistry>
        </server>"#,
    )?;
    let container = container.with("OPS_PASSWORD", "of-the-web-server");
    let started = container.start()?;
    started.line("Log:LogBufferPages").context("a setting without a counterpart is named")?;
    let log = started.log();
    ensure!(log.lines().all(|line| line.starts_with('{')), "lines of JSON: {log}");
    // The host's name, without the hyphen.
    let (code, out) = started.exec("echo 'DISPLAY QMGR CERTLABL' | runmqsc qm7")?;
    ensure!(code == 0 && out.contains("CERTLABL(mine)"), "{code} {out}");
    for channel in ["DEV.APP.SVRCONN", "DEV.ADMIN.SVRCONN"] {
        let (_, out) = started.exec(&format!("echo 'DISPLAY CHANNEL({channel}) SSLCIPH SSLCAUTH' | runmqsc qm7"))?;
        ensure!(out.contains("SSLCIPH(ANY_TLS12_OR_HIGHER)") && out.contains("SSLCAUTH(OPTIONAL)"), "{out}");
    }
    assert_eq!(
        started.status_of("https://localhost:9443/ibmmq/rest/v3/admin/qmgr", Some("ops:of-the-web-server"))?,
        "200"
    );
    let shown = started.beside("openssl s_client -connect localhost:9443 < /dev/null 2> /dev/null")?;
    ensure!(shown.contains("quaymaster-of-a-test"), "the certificate of the folder is shown: {shown}");
    Ok(())
}

#[test]
fn a_start_that_fails_says_why_and_ends_with_its_code() -> Result<()> {
    let image = Image::unpack()?;
    let (code, said) = Container::new(&image)?.with("MQ_QMGR_NAME", "not a name").run()?;
    ensure!(code == Some(2) && said.contains("MQ_QMGR_NAME"), "{code:?} {said}");
    let (code, said) = Container::new(&image)?.without_volume().run()?;
    ensure!(code == Some(2) && said.contains("/mnt/mqm/quaymaster"), "{code:?} {said}");
    let wrong = Container::new(&image)?;
    wrong.file("etc/mqm/web/installations/Installation1/servers/mqweb/mqwebuser.xml", "<server>")?;
    let (code, said) = wrong.run()?;
    ensure!(code == Some(2) && said.contains("mqwebuser.xml"), "{code:?} {said}");
    Ok(())
}

#[test]
fn without_developer_defaults_there_is_no_dev_object() -> Result<()> {
    let image = Image::unpack()?;
    let container = Container::new(&image)?
        .with("MQ_QMGR_NAME", "QM1")
        .with("MQ_DEV", "false")
        .with("MQ_ENABLE_EMBEDDED_WEB_SERVER", "false")
        .with("MQ_ENABLE_METRICS", "false");
    let started: Started<'_> = container.start()?;
    let (_, out) = started.exec("echo 'DISPLAY QUEUE(DEV.*)' | runmqsc QM1")?;
    ensure!(out.contains("AMQ8147E"), "{out}");
    for address in ["https://localhost:9443/livez", "http://localhost:9157/livez"] {
        assert_eq!(started.status_of(address, None)?, "000", "{address} is served");
    }
    Ok(())
}

#[test]
fn the_configuration_of_the_image_is_what_runtimes_and_users_expect() -> Result<()> {
    let image = Image::unpack()?;
    let config = &image.configuration["config"];
    assert_eq!(config["User"], "1001");
    assert_eq!(config["Entrypoint"], serde_json::json!(["runmqserver"]));
    let ports: Vec<&String> = config["ExposedPorts"].as_object().context("ports")?.keys().collect();
    assert_eq!(ports, ["1414/tcp", "9157/tcp", "9443/tcp"]);
    // Both names of the volume lead to the same folder.
    assert_eq!(std::fs::read_link(image.root().join("var/mqm"))?, Path::new("../mnt/mqm"));
    Ok(())
}

/// `tls.key` and `tls.crt` for this name.
fn make_key(folder: &Path, name: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    std::fs::create_dir_all(folder)?;
    let output = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"])
        .args(["-subj", &format!("/CN={name}"), "-keyout", "tls.key", "-out", "tls.crt"])
        .current_dir(folder)
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // A secret that a runtime mounts can be read by the container's user.
    Ok(std::fs::set_permissions(folder.join("tls.key"), std::fs::Permissions::from_mode(0o644))?)
}
