//! Certificates of a running server: replaced without a restart, and their end in log and metrics.

use std::io::{BufRead, BufReader, Write};

use crate::program::{Folder, Server, certificate, command, eventually, now};

fn metrics(server: &Server) -> String {
    use std::io::Read as _;
    let mut stream = std::net::TcpStream::connect(server.address("metrics")).expect("it listens");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("written");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("an answer");
    page
}

#[test]
fn replaced_files_are_taken_without_a_restart_and_open_connections_go_on() {
    let folder = Folder::new();
    let (first, first_key) = certificate(-1, 300);
    folder.write("server.pem", &first);
    folder.write("key.pem", &first_key);
    folder.write("first.pem", &first);
    folder.write(
        "quaymaster.toml",
        "[tls]\ncertificate = \"server.pem\"\nkey = \"key.pem\"\nreload_interval_seconds = 1\n",
    );
    let server = Server::start(&folder, &[]);
    let url = format!("https://localhost:{}", server.address("https").rsplit(':').next().expect("a port"));
    let passwords = folder.join("initial-passwords").display().to_string();
    let far = |ca: &str| {
        let ca = folder.join(ca).display().to_string();
        ["--url", &url, "--user", "admin", "--password-file", &passwords, "--cacert", &ca].map(str::to_owned)
    };
    let answers = |ca: &str| {
        let far = far(ca);
        let mut words = vec!["mqsc", "DISPLAY QMGR QMNAME"];
        words.extend(far.iter().map(String::as_str));
        folder.run(&words).starts_with("exit 0\n")
    };
    assert!(answers("first.pem"));
    // A session that stays connected.
    let mut session = command().args(["runmqsc", "-e"]).args(far("first.pem")).spawn().expect("starts");
    let mut input = session.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(session.stdout.take().expect("a pipe")).lines();
    let mut ask = || {
        writeln!(input, "DISPLAY QMGR QMNAME").expect("written");
        lines.by_ref().map(|line| line.expect("readable")).find(|line| line.contains("QMNAME(QM1)"))
    };
    assert!(ask().is_some());

    let (second, second_key) = certificate(-1, 200);
    // Between the two writes the files do not match: the server keeps what it has.
    folder.write("server.pem", &second);
    server.errors_with("the new certificates cannot be used");
    assert!(answers("first.pem"));
    folder.write("key.pem", &second_key);
    folder.write("second.pem", &second);
    eventually("the new certificate", || answers("second.pem"));
    assert!(!answers("first.pem"));
    assert!(ask().is_some(), "an open connection goes on");
    drop(input);
    assert!(session.wait().expect("it ends").success());
}

#[test]
fn the_end_of_certificates_is_in_the_metrics_and_a_month_before_in_the_log() {
    let folder = Folder::new();
    let (pem, key) = certificate(-1, 10);
    folder.write("server.pem", &pem);
    folder.write("key.pem", &key);
    folder.write("quaymaster.toml", "[tls]\ncertificate = \"server.pem\"\nkey = \"key.pem\"\n");
    let server = Server::start(&folder, &[]);
    let said = server.errors_with("ends on");
    assert_eq!(said.matches("days: replace it").count(), 1, "{said}");
    let end = || {
        metrics(&server)
            .lines()
            .find(|line| line.starts_with("quaymaster_certificate_end_time_seconds{"))
            .map(str::to_owned)
    };
    eventually("the metric", || end().is_some());
    let line = end().expect("a line");
    let seconds: i64 = line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    let now = now().unix_timestamp();
    assert!((9 * 86_400..11 * 86_400).contains(&(seconds - now)), "{line}");
}

#[test]
fn a_replaced_client_ca_is_taken_by_a_server_that_made_its_own_certificate() {
    let folder = Folder::new();
    folder.write("clients.pem", &certificate(-1, 10).0);
    folder.write("quaymaster.toml", "[tls]\nclient_ca = \"clients.pem\"\nreload_interval_seconds = 1\n");
    let server = Server::start(&folder, &[]);
    let days_left = || {
        let page = metrics(&server);
        let line = page.lines().find(|line| line.contains("_end_time_seconds{") && line.contains("clients.pem"))?;
        let end: i64 = line.rsplit(' ').next()?.parse().ok()?;
        Some((end - now().unix_timestamp()) / 86_400)
    };
    eventually("the metric", || days_left().is_some_and(|days| days < 11));
    folder.write("clients.pem", &certificate(-1, 300).0);
    let said = server.errors_with("new connections use the new certificates");
    eventually("the new one's metric", || days_left().is_some_and(|days| days > 290));
    assert_eq!(said.matches("new connections use").count(), 1, "the end of a client CA renews nothing: {said}");
}
