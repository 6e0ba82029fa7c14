//! Input that is wrong: exit codes, errors as JSON, and a JSON log with nothing else beside it.

use expect_test::expect;

use crate::program::{Folder, Server, command, finish, shown};

#[test]
fn an_identifier_that_is_none_is_bad_usage_everywhere() {
    let folder = Folder::new();
    for verb in ["put", "get", "browse"] {
        let mut words = vec![verb, "DEV.QUEUE.1"];
        words.extend((verb == "put").then_some("text"));
        words.extend(["--message-id", "xyz"]);
        expect![[r#"
            exit 2
            err: quaymaster: invalid value 'xyz' for '--message-id <HEX>': expected 48 hexadecimal digits
        "#]]
        .assert_eq(&folder.run(&words));
    }
}

#[test]
fn a_queue_name_that_is_none_is_bad_usage_and_an_unknown_queue_is_a_failure() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    assert!(folder.run(&["put", "NO SUCH!", "x"]).starts_with("exit 2\n"));
    assert!(folder.run(&["put", "NO.SUCH", "x"]).starts_with("exit 1\n"));
    assert!(folder.run(&["put", "DEV.QUEUE.1", "x", "-m", "NO.SUCH"]).starts_with("exit 20\n"));
    assert!(folder.run(&["put", "DEV.QUEUE.1", "x", "-m", "NO SUCH"]).starts_with("exit 2\n"));
}

#[test]
fn errors_are_json_with_json() {
    let folder = Folder::new();
    expect![[r#"
        exit 20
        err: {"error":{"message":"AMQ8146E: Queue manager is not available: no server is running on DIR.","exitCode":20}}
    "#]]
    .assert_eq(&folder.run(&["get", "DEV.QUEUE.1", "--json"]));
    expect![[r#"
        exit 2
        err: {"error":{"message":"unexpected argument '--wat' found; a similar argument exists: '--wait'","exitCode":2}}
    "#]]
    .assert_eq(&folder.run(&["get", "DEV.QUEUE.1", "--json", "--wat"]));
    let _server = Server::start(&folder, &[]);
    expect![[r#"
        exit 3
        err: {"error":{"message":"DEV.QUEUE.1 has no matching message: 2033 (MQRC_NO_MSG_AVAILABLE)","exitCode":3,"reasonCode":2033,"reason":"MQRC_NO_MSG_AVAILABLE"}}
    "#]]
    .assert_eq(&folder.run(&["get", "DEV.QUEUE.1", "--json"]));
    expect![[r#"
        exit 1
        err: {"error":{"message":"cannot put to NO.SUCH: 2085 (MQRC_UNKNOWN_OBJECT_NAME)","exitCode":1,"reasonCode":2085,"reason":"MQRC_UNKNOWN_OBJECT_NAME"}}
    "#]]
    .assert_eq(&folder.run(&["put", "NO.SUCH", "x", "--json"]));
}

/// Every line of standard error is a JSON object.
fn all_json(said: &str) -> Vec<serde_json::Value> {
    let lines = said.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"))).collect()
}

#[test]
fn a_json_log_has_nothing_else_beside_it() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--log-format", "json"]);
    folder.write("quaymaster.toml", "[nonsense]\n");
    server.signal("HUP");
    server.errors_with("the new configuration cannot be used");
    let (code, said) = server.terminate();
    assert_eq!(code, Some(0));
    let lines = all_json(&said);
    assert!(lines.iter().any(|line| line["message"].as_str().is_some_and(|text| text.starts_with("curl "))), "{said}");
}

#[test]
fn a_server_with_a_json_log_that_cannot_start_says_so_in_json() {
    let folder = Folder::new();
    let in_file = folder.write("json.toml", "[server]\nlog_format = \"json\"\nnonsense = 1\n").display().to_string();
    for arguments in [
        &["--log-format", "json", "--https", "nonsense"][..],
        &["--log-format=json", "--nonsense"],
        &["--log-format", "json", "--config", "nowhere.toml"],
        &["--config", &in_file],
    ] {
        let mut words = vec!["serve"];
        words.extend(arguments);
        let mut process = command();
        process.args(&words).env("QUAYMASTER_DATA", folder.path());
        let output = finish(process, "");
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        let lines = all_json(&String::from_utf8_lossy(&output.stderr));
        assert_eq!(lines.len(), 1, "{}", shown(&output));
        assert_eq!((&lines[0]["level"], &lines[0]["exit_code"]), (&"ERROR".into(), &2.into()));
    }
}
