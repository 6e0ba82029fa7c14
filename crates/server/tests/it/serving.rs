//! `serve`: ready line and file, developer defaults, refusal of a second server, signals, ephemeral servers.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use expect_test::expect;

use crate::program::{Folder, Server, eventually, finish, serve, shown};

#[test]
fn the_ready_line_names_every_listener_and_is_also_in_the_ready_file() {
    let folder = Folder::new();
    let file = folder.join("ready.json").display().to_string();
    let server = Server::start(&folder, &["--ready-file", &file, "--qmgr", "QM1", "--qmgr", "ORDERS"]);
    let written: serde_json::Value = serde_json::from_str(&folder.read("ready.json")).expect("JSON");
    assert_eq!(written, server.ready);
    let keys: Vec<&String> = server.ready.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["event", "https", "http", "mq", "metrics", "queueManagers"]);
    assert_eq!(server.ready["event"], "ready");
    assert!(std::net::TcpStream::connect(server.address("mq")).is_ok());
    assert_eq!(server.ready["queueManagers"], serde_json::json!(["QM1", "ORDERS"]));
    assert_eq!(server.get("/readyz", ""), 200);
    assert!(folder.run(&["chkmqready"]).starts_with("exit 0"));
    assert!(folder.run(&["chkmqhealthy"]).starts_with("exit 0"));
}

#[test]
fn an_unspecified_address_is_announced_as_loopback() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--http", "0.0.0.0:0", "--metrics", "off"]);
    assert!(server.address("http").starts_with("127.0.0.1:"));
    assert_eq!(server.ready["metrics"], serde_json::Value::Null);
}

#[test]
fn sigterm_and_sigint_end_with_exit_0_and_leave_no_socket() {
    for signal in ["TERM", "INT"] {
        let folder = Folder::new();
        let mut server = Server::start(&folder, &[]);
        server.signal(signal);
        let (code, errors) = server.wait();
        assert_eq!(code, Some(0), "{errors}");
        assert!(!folder.join("admin.sock").exists());
        assert!(errors.contains("Started web server"), "{errors}");
        assert!(errors.contains("MQWB0023I"), "{errors}");
        assert!(errors.contains("MQWB0318I"), "{errors}");
    }
}

#[test]
fn a_second_server_on_the_same_directory_is_refused() {
    let folder = Folder::new();
    let _first = Server::start(&folder, &[]);
    let said = folder.filtered(&shown(&finish(serve(&folder, &[]), "")));
    let process = folder.read("server.lock");
    let said = said.replace(process.trim(), "PID");
    expect![[r#"
        exit 1
        err: quaymaster: another server (process PID) is using DIR; stop it, or name another folder with --data
    "#]]
    .assert_eq(&said);
}

#[test]
fn an_address_in_use_is_named() {
    let (first, second) = (Folder::new(), Folder::new());
    let server = Server::start(&first, &[]);
    let address = server.address("http");
    let said = shown(&finish(serve(&second, &["--http", &address]), ""));
    assert!(said.starts_with("exit 1\n"), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert_eq!(last, format!("err: quaymaster: cannot listen on {address}: Address already in use (os error 98)"));
}

#[test]
fn the_printed_curl_lines_put_and_get_a_message_at_every_start() {
    let folder = Folder::new();
    for start in ["first", "second"] {
        let server = Server::start(&folder, &[]);
        let errors = server.errors_with("-X DELETE");
        let lines: Vec<&str> = errors.lines().filter(|line| line.trim_start().starts_with("curl")).collect();
        let [put, get] = lines.as_slice() else { panic!("two curl lines in {errors}") };
        let paste = |line: &str| Command::new("sh").args(["-c", line]).output().expect("sh and curl run");
        let put = paste(&format!("{put} -o /dev/null -w '%{{http_code}}'"));
        assert_eq!(String::from_utf8_lossy(&put.stdout), "201", "{start} start: {put:?}");
        let got = paste(get);
        assert_eq!(String::from_utf8_lossy(&got.stdout), "Hello", "{start} start: {got:?}");
        assert_eq!(server.terminate().0, Some(0));
    }
}

#[test]
fn secrets_are_readable_by_their_owner_alone() {
    let folder = Folder::new();
    let data = folder.join("data");
    let server = Server::start_with(&folder, &["--data", &data.display().to_string()], &[("MQ_APP_PASSWORD", "word")]);
    let mode = |name: &str| {
        let metadata = std::fs::metadata(data.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        metadata.permissions().mode() & 0o777
    };
    for name in ["initial-passwords", "tls/server.key", "tls/ca.key", "ltpa.keys", "admin.sock", "server.lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!(mode("tls"), 0o700);
    assert_eq!(mode("."), 0o700);
    let passwords = std::fs::read_to_string(data.join("initial-passwords")).expect("readable");
    let names: Vec<&str> = passwords.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["admin", "app", "reader"]);
    assert!(passwords.contains("app word\n"));
    let errors = server.errors_with("(MQ_APP_PASSWORD) is weak: it is short");
    assert!(!errors.contains("MQ_ADMIN_PASSWORD"), "one made at random is not: {errors}");
    drop(server);
}

#[test]
fn a_data_directory_or_configuration_that_others_may_write_is_refused_and_secrets_that_they_may_read_are_told() {
    let folder = Folder::new();
    let mode = |path: &std::path::Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    };
    let data = folder.join("data");
    std::fs::create_dir(&data).expect("a folder");
    let file = folder.write("given.toml", "[web.users]\nfred = '{xor}PjsyNjE='\n");
    let (data_text, file_text) = (data.display().to_string(), file.display().to_string());
    let arguments = ["--data", &data_text, "--config", &file_text];
    for (of_data, of_file, expected) in [(0o777, 0o600, "the data directory"), (0o700, 0o666, "the configuration file")]
    {
        mode(&data, of_data);
        mode(&file, of_file);
        let ended = finish(serve(&folder, &arguments), "");
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(said.contains(&format!("every user of this machine may write {expected}")), "{said}");
    }
    mode(&data, 0o770);
    mode(&file, 0o644);
    let server = Server::start_with(&folder, &arguments, &[]);
    server.errors_with("may read");
    server.errors_with("the group of the data directory");
}

#[test]
fn without_developer_defaults_there_are_no_dev_objects_and_no_users() {
    let folder = Folder::new();
    let server = Server::start_with(&folder, &[], &[("MQ_DEV", "false")]);
    assert!(!folder.join("initial-passwords").exists());
    assert!(folder.run(&["depth", "DEV.*"]).starts_with("exit 0\n"));
    assert_eq!(folder.run(&["depth", "DEV.*", "--json"]), "exit 0\nout: []\n");
    server.errors_with("no user can sign in");
}

#[test]
fn an_ephemeral_server_names_its_folder_and_takes_it_along() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--ephemeral"]);
    let data = std::path::PathBuf::from(server.ready["dataDirectory"].as_str().expect("named"));
    assert!(data.join("initial-passwords").exists());
    let mode = std::fs::metadata(&data).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    assert!(!data.join("qmgrs").exists(), "no message goes there");
    assert_eq!(server.terminate().0, Some(0));
    assert!(!data.exists());
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 0);
}

#[test]
fn json_log_lines_are_json_each() {
    let folder = Folder::new();
    let server = Server::start_with(&folder, &["--log-format", "json"], &[("MQ_DEV", "false")]);
    let (_, errors) = server.terminate();
    assert!(errors.lines().count() > 3, "{errors}");
    for line in errors.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(line["message"].is_string() && line["level"].is_string(), "{line}");
    }
}

/// Status code of a request that curl makes over plain HTTP.
fn curl(server: &Server, user: &str, method: &str, path: &str) -> String {
    let url = format!("http://{}/ibmmq/rest/v3/messaging/qmgr/QM1/{path}", server.address("http"));
    let mut curl = Command::new("curl");
    curl.args(["-sS", "-o", "/dev/null", "-w", "%{http_code}", "-X", method, "-u", user, &url])
        .args(["-H", "ibm-mq-rest-csrf-token: x"]);
    if method == "POST" {
        curl.args(["-H", "Content-Type: text/plain", "--data", "x"]);
    }
    String::from_utf8_lossy(&curl.output().expect("curl runs").stdout).into_owned()
}

#[test]
fn the_developer_users_may_do_what_their_documentation_says() {
    let folder = Folder::new();
    let passwords = [("MQ_ADMIN_PASSWORD", "a"), ("MQ_APP_PASSWORD", "b"), ("MQ_READER_PASSWORD", "c")];
    let server = Server::start_with(&folder, &[], &passwords);
    folder.run(&["mqsc", "DEFINE QLOCAL(ORDERS)"]);
    let table = [
        ("app:b", "POST", "queue/DEV.QUEUE.1/message", "201"),
        ("app:b", "GET", "queue/DEV.QUEUE.1/message", "200"),
        ("app:b", "DELETE", "queue/DEV.QUEUE.1/message", "200"),
        ("app:b", "POST", "queue/ORDERS/message", "403"),
        ("app:b", "GET", "queue/ORDERS/message", "403"),
        ("app:b", "POST", "topic/dev/news/message", "201"),
        ("app:b", "POST", "topic/other/news/message", "403"),
        ("admin:a", "POST", "queue/DEV.QUEUE.1/message", "403"),
        ("reader:c", "GET", "queue/DEV.QUEUE.1/message", "403"),
        ("app:a", "GET", "queue/DEV.QUEUE.1/message", "401"),
    ];
    for (user, method, path, expected) in table {
        assert_eq!(curl(&server, user, method, path), expected, "{user} {method} {path}");
    }
}

#[test]
fn a_request_that_waits_does_not_hold_up_the_end() {
    let folder = Folder::new();
    let mut server = Server::start_with(&folder, &[], &[("MQ_APP_PASSWORD", "b")]);
    let answered = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| curl(&server, "app:b", "DELETE", "queue/DEV.QUEUE.1/message?wait=600000"));
        eventually("the request", || {
            folder.run(&["mqsc", "DISPLAY QSTATUS(DEV.QUEUE.1) IPPROCS"]).contains("IPPROCS(1)")
        });
        server.signal("TERM");
        waiting.join().expect("curl ends")
    });
    assert_eq!(answered, "503");
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn a_slow_request_has_a_line_in_the_log_and_waiting_for_a_message_is_not_slow() {
    let folder = Folder::new();
    let variables = [("MQ_APP_PASSWORD", "b"), ("QUAYMASTER_SLOW_REQUEST_MILLISECONDS", "2000")];
    let server = Server::start_with(&folder, &["--log-format", "json"], &variables);
    assert_eq!(curl(&server, "app:b", "DELETE", "queue/DEV.QUEUE.1/message?wait=2500"), "204");
    // Nobody replies.
    let path = "/api/v1/qmgr/QM1/queue/DEV.QUEUE.1/requests";
    let url = format!("http://{}{path}?wait=2500ms", server.address("http"));
    let mut ask = Command::new("curl");
    ask.args(["-sS", "-o", "/dev/null", "-w", "%{http_code}", "-u", "app:b", "--data", "x", &url]);
    ask.args(["-H", "Content-Type: text/plain", "-H", "ibm-mq-rest-csrf-token: x"]);
    assert_eq!(String::from_utf8_lossy(&ask.output().expect("curl runs").stdout), "504");
    let (_, errors) = server.terminate();
    let lines: Vec<&str> = errors.lines().filter(|line| line.contains("server.slow_request_milliseconds")).collect();
    let [line] = *lines else { panic!("one line in {errors}") };
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert_eq!((&line["method"], &line["path"], &line["status"]), (&"POST".into(), &path.into(), &504.into()));
    assert_eq!((&line["user"], &line["address"]), (&"app".into(), &"127.0.0.1".into()), "{line}");
    assert!(line["milliseconds"].as_u64() >= Some(2000), "{line}");
}

#[test]
fn passwords_in_clear_from_other_machines_are_told_at_start_where_they_are_taken() {
    for (address, configuration, is_told) in [
        ("0.0.0.0:0", "", true),
        ("0.0.0.0:0", "[channels]\nplain_passwords = \"loopback\"\n", false),
        ("127.0.0.1:0", "", false),
    ] {
        let folder = Folder::new();
        folder.write("quaymaster.toml", configuration);
        let server = Server::start(&folder, &["--mq", address]);
        let (code, errors) = server.terminate();
        assert_eq!(code, Some(0), "{errors}");
        let lines: Vec<&str> = errors.lines().filter(|line| line.contains("passwords in clear")).collect();
        assert_eq!(lines.len(), usize::from(is_told), "{address} {configuration}: {errors}");
        for line in lines {
            assert!(line.contains("WARN") && line.contains("0.0.0.0:0") && line.contains("plain_passwords"), "{line}");
        }
    }
}
