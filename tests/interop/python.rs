//! Python's urllib, as the scripts of MQ administrators use it.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::server::{APP_PASSWORD, Server};

use crate::interop::{run, text};

const SCRIPT: &str = r#"
import base64, http.cookiejar, json, ssl, sys, urllib.error, urllib.request
base, ca, password = sys.argv[1:]
jar = http.cookiejar.CookieJar()
opener = urllib.request.build_opener(
    urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca)),
    urllib.request.HTTPCookieProcessor(jar))
def call(method, path, body=None, headers={}):
    request = urllib.request.Request(base + path, data=body, method=method, headers=headers)
    with opener.open(request, timeout=30) as answer:
        return answer.status, answer.headers, answer.read().decode()
message = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.2/message"
basic = {"Authorization": "Basic " + base64.b64encode(("app:" + password).encode()).decode()}
csrf = {"ibm-mq-rest-csrf-token": "any"}
status, headers, body = call("POST", message, "by script".encode(),
    {**basic, **csrf, "Content-Type": "text/plain;charset=utf-8", "ibm-mq-md-correlationId": "order 7",
     "ibm-mq-md-persistence": "persistent", "ibm-mq-md-priority": "7"})
assert status == 201 and headers["ibm-mq-md-messageId"].startswith("ID:"), (status, headers.items())
assert len(list(jar)) == 1, "a Basic request is given the LTPA cookie"
status, headers, body = call("DELETE", message + "?correlationId=order%207&wait=1000", headers=csrf)
assert (status, body) == (200, "by script"), (status, body)
assert headers["ibm-mq-md-correlationId"] == "order 7", headers.items()
assert headers["ibm-mq-md-priority"] == "7" and headers["ibm-mq-md-persistence"] == "persistent", headers.items()
try:
    call("POST", message, b"x", {**csrf, "Content-Type": "image/png"})
    raise AssertionError("a picture is no message")
except urllib.error.HTTPError as error:
    assert error.code == 415, error.code
    assert json.load(error)["error"][0]["msgId"] == "MQWB0306E"
print("done")
"#;

#[test]
fn a_python_script_puts_and_gets_with_basic_and_then_the_cookie_it_was_given() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT, &server.https_url()?]).arg(server.ca_file()).arg(APP_PASSWORD);
    let output = run(&mut command)?;
    ensure!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).trim_end(), "done");
    Ok(())
}
