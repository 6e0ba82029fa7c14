//! curl, as the documentation's examples use it.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, READER_PASSWORD, Server};

use crate::interop::{run, text};

const MESSAGE: &str = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";
const CSRF: &str = "ibm-mq-rest-csrf-token;";

/// What one curl call brought: status, headers and body as they came.
struct Answer {
    status: String,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

fn curl(server: &Server, path: &str, arguments: &[&str]) -> Result<Answer> {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--include", "--max-time", "30", "--http1.1", "--cacert"]);
    // A later version replaces the first one.
    command.arg(server.ca_file()).args(arguments).arg(server.https_url()? + path);
    let output = run(&mut command)?;
    ensure!(output.status.success(), "{command:?}: {}", text(&output.stderr));
    let answer = text(&output.stdout);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split_ascii_whitespace().nth(1).unwrap_or_default().to_owned();
    Ok(Answer { status, head: head.to_owned(), body: body.to_owned() })
}

fn app() -> String {
    format!("app:{APP_PASSWORD}")
}

#[test]
fn curl_puts_browses_lists_and_gets_a_message() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let user = app();
    let plain = ["-u", &user, "-H", CSRF, "-H", "Content-Type: text/plain;charset=utf-8"];
    let put = curl(&server, MESSAGE, &[&plain[..], &["--data-binary", "Grüße, MQ"]].concat())?;
    assert_eq!((&*put.status, &*put.body), ("201", ""), "{}", put.head);
    let id = put.header("ibm-mq-md-messageId").unwrap_or_default().to_owned();
    assert_eq!(id.len(), 48, "{}", put.head);
    let browsed = curl(&server, MESSAGE, &["-u", &user])?;
    assert_eq!((&*browsed.status, &*browsed.body), ("200", "Grüße, MQ"));
    let list = curl(
        &server,
        &MESSAGE.replace("/message", "/messagelist").replace("messagelisting", "messaging"),
        &["-u", &user],
    )?;
    assert_eq!(list.status, "200", "{}", list.body);
    assert!(list.body.contains(&id), "{}", list.body);
    let got = curl(&server, &format!("{MESSAGE}?messageId={id}"), &["-u", &user, "-X", "DELETE", "-H", CSRF])?;
    assert_eq!((&*got.status, &*got.body), ("200", "Grüße, MQ"));
    assert_eq!(got.header("ibm-mq-md-messageId"), Some(&*id));
    let empty = curl(&server, MESSAGE, &["-u", &user, "-X", "DELETE", "-H", CSRF])?;
    assert_eq!(empty.status, "204");
    Ok(())
}

#[test]
fn curl_logs_in_uses_the_cookie_and_logs_out() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let jar = data.path().join("cookies.txt");
    let jar = jar.to_str().unwrap_or_default();
    let login = "/ibmmq/rest/v2/login";
    let body = serde_json::json!({ "username": "app", "password": APP_PASSWORD }).to_string();
    let json = ["-H", "Content-Type: application/json", "--data-binary"];
    let answer = curl(&server, login, &[&json[..], &[&body, "--cookie-jar", jar]].concat())?;
    assert_eq!(answer.status, "204", "{}", answer.body);
    assert!(Path::new(jar).exists() && std::fs::read_to_string(jar)?.contains("LtpaToken2"), "{}", answer.head);
    let who = curl(&server, login, &["--cookie", jar])?;
    let user: serde_json::Value = serde_json::from_str(&who.body)?;
    assert_eq!(user["user"][0]["name"], "app", "{}", who.body);
    let put = ["--cookie", jar, "-H", CSRF, "-H", "Content-Type: text/plain", "--data-binary", "with a cookie"];
    assert_eq!(curl(&server, MESSAGE, &put)?.status, "201");
    let logout = curl(&server, login, &["-X", "DELETE", "-H", CSRF, "--cookie", jar, "--cookie-jar", jar])?;
    assert_eq!(logout.status, "204", "{}", logout.body);
    assert_eq!(curl(&server, MESSAGE, &["--cookie", jar])?.status, "401");
    Ok(())
}

#[test]
fn curl_is_refused_without_the_right_to() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let user = app();
    let (wrong, reader) = ("app:wrong".to_owned(), format!("reader:{READER_PASSWORD}"));
    let admin = format!("admin:{ADMIN_PASSWORD}");
    let text_plain = ["-H", "Content-Type: text/plain", "--data-binary", "x"];
    let with = |user: &str, csrf: bool| {
        let mut arguments = vec!["-u".to_owned(), user.to_owned()];
        arguments.extend(text_plain.map(str::to_owned));
        if csrf {
            arguments.extend(["-H", CSRF].map(str::to_owned));
        }
        arguments
    };
    let other = MESSAGE.replace("DEV.QUEUE.1", "SYSTEM.DEAD.LETTER.QUEUE");
    let missing = MESSAGE.replace("DEV.QUEUE.1", "DEV.NO.SUCH.QUEUE");
    for (arguments, path, status, id) in [
        (text_plain.map(str::to_owned).to_vec(), MESSAGE, "401", "MQWB0104E"),
        (with(&wrong, true), MESSAGE, "401", "MQWB0105E"),
        (with(&user, false), MESSAGE, "403", "MQWB0100E"),
        (with(&reader, true), MESSAGE, "403", "MQWB0108E"),
        (with(&admin, true), MESSAGE, "403", "MQWB0108E"),
        (with(&user, true), &*other, "403", "2035"),
        (with(&user, true), &*missing, "404", "2085"),
    ] {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let answer = curl(&server, path, &arguments)?;
        assert_eq!(answer.status, status, "{path} {arguments:?}: {}", answer.body);
        assert!(answer.body.contains(id), "{id}: {}", answer.body);
        let body: serde_json::Value = serde_json::from_str(&answer.body)?;
        assert!(body["error"].is_array(), "{}", answer.body);
    }
    Ok(())
}

#[test]
fn curl_speaks_http_2_and_plain_http() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let user = app();
    let version = "%{http_version} %{http_code}";
    let mut over_tls = Command::new("curl");
    over_tls.args(["--silent", "--show-error", "--max-time", "30", "--http2", "--cacert"]).arg(server.ca_file());
    over_tls.args(["-u", &user, "-w", version]).arg(server.https_url()? + MESSAGE);
    assert_eq!(text(&run(&mut over_tls)?.stdout), "2 204");
    let mut plain = Command::new("curl");
    plain.args(["--silent", "--show-error", "--max-time", "30", "-u", &user, "-w", version]);
    plain.arg(server.http_url()? + MESSAGE);
    assert_eq!(text(&run(&mut plain)?.stdout), "1.1 204");
    Ok(())
}

/// curl 7.88 forgets an answer that has come when its stream is reset together with the answer's end.
#[test]
fn curl_gets_every_message_by_a_delete_with_a_body_over_http_2() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let user = app();
    let plain = ["-u", &user, "-H", CSRF, "-H", "Content-Type: text/plain"];
    for round in 0..10 {
        let text_of_round = format!("message {round}");
        assert_eq!(curl(&server, MESSAGE, &[&plain[..], &["--data-binary", &text_of_round]].concat())?.status, "201");
        let delete = ["--http2", "-X", "DELETE", "--data-binary", "a body that no handler wants"];
        let got = curl(&server, MESSAGE, &[&plain[..], &delete].concat())?;
        assert_eq!((&*got.status, &*got.body), ("200", &*text_of_round), "{}", got.head);
    }
    Ok(())
}

#[test]
fn curl_sees_the_refusal_of_a_body_that_it_still_sends() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let long = data.path().join("long");
    crate::client::write(&long, &"x".repeat(8 << 20))?;
    let body = format!("@{}", long.display());
    let user = app();
    let service = "/zosConnect/services/none?action=invoke";
    let requester = "/zosConnect/apiRequesters/none?apiPath=%2F&apiMethod=GET";
    // Whether it asks first or not, and by either version.
    for version in ["--http1.1", "--http2"] {
        for expect in ["Expect:", "Expect: 100-continue"] {
            let send = ["-H", CSRF, "-H", "Content-Type: text/plain", "-H", expect, version, "--data-binary", &body];
            for (path, credentials, status) in [
                (MESSAGE, "app:wrong", "401"),
                (MESSAGE, &*user, "400"),
                (service, &*user, "404"),
                (requester, &*user, "415"),
                ("/nowhere", &*user, "404"),
            ] {
                let answer = curl(&server, path, &[&send[..], &["-u", credentials]].concat())?;
                let head = answer.head.replace("HTTP/1.1 100 Continue", "");
                let last = if answer.status == "100" {
                    answer.body.split_ascii_whitespace().nth(1)
                } else {
                    Some(&*answer.status)
                };
                assert_eq!(last, Some(status), "{version} {expect} {path} {credentials}: {head}");
            }
        }
    }
    Ok(())
}
