//! The wheel: installed by pip without an index, its program and its fixtures of pytest used as a user does.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::program;
use system_tests::requester::deploy_for_others;

use crate::interop::packages::python_programs;
use crate::interop::{run, text};

/// A user's tests: two isolated queues of one name, a server alone, accidents and time, what was recorded, and one that fails and is
/// expected to.
const TESTS: &str = r#"
import os
import shutil
import signal
import time
import urllib.request

import pytest
import quaymaster as q


def test_queues_of_a_test_are_its_own(quaymaster):
    orders = quaymaster.queue("ORDERS", "MAXDEPTH(1)")
    assert quaymaster.get(orders) is None
    quaymaster.put(orders, "one", persistent=True)
    assert quaymaster.browse(orders) == "one"
    try:
        quaymaster.put(orders, "two")
        raise AssertionError("the queue holds one message")
    except q.RestError as error:
        assert "2053" in str(error)


def test_another_test_finds_nothing(quaymaster):
    orders = quaymaster.queue("ORDERS")
    assert quaymaster.get(orders, wait=0.1) is None
    # As the user that programs connect as.
    path = f"/ibmmq/rest/v3/messaging/qmgr/QM1/queue/{orders}/message"
    assert quaymaster.request("POST", path, "from app", {"Content-Type": "text/plain"})[0] == 201
    assert quaymaster.get(orders) == "from app"


def test_a_server_alone_has_no_queue_of_others(quaymaster_alone):
    assert "AMQ8147E" in failure(quaymaster_alone, "DISPLAY QLOCAL(DEV.T*)")
    assert quaymaster_alone.mq.endswith(")") and open(quaymaster_alone.ca_file).read()


def test_accidents_and_time_are_in_the_hands_of_a_test(quaymaster_controlled):
    server = quaymaster_controlled
    rule = server.fault(queue="DEV.QUEUE.*", verb="put", reason=2053, times=1)
    try:
        server.put("DEV.QUEUE.1", "one")
        raise AssertionError("the rule hits the put")
    except q.RestError as error:
        assert "2053" in str(error)
    assert [(known["id"], known["hits"]) for known in server.faults()] == [(rule["id"], 1)]
    server.clear_faults()
    server.put("DEV.QUEUE.1", "two", headers={"ibm-mq-md-expiry": "60000"})
    server.advance("61s")
    assert server.get("DEV.QUEUE.1") is None
    assert server.set_clock("2030-01-31T12:00:00Z", running=False) == "2030-01-31T12:00:00.000Z"


def test_a_snapshot_brings_back_what_a_test_has_taken(quaymaster_controlled):
    server = quaymaster_controlled
    server.put("DEV.QUEUE.1", "of the fixture")
    snapshot = server.snapshot()
    assert server.get("DEV.QUEUE.1") == "of the fixture"
    server.restore(snapshot)
    assert server.get("DEV.QUEUE.1") == "of the fixture"


def ask(server, correlation):
    headers = {"ibm-mq-md-correlationId": correlation, "ibm-mq-md-replyTo": "DEV.QUEUE.2@QM1"}
    server.put("DEV.QUEUE.1", "price of a bolt?", headers=headers)


def test_a_program_is_recorded_and_mocked(quaymaster_controlled, tmp_path):
    server = quaymaster_controlled
    recording, one, two = tmp_path / "prices.jsonl", "ID:" + 24 * "01", "ID:" + 24 * "02"
    with server.record(recording, queues="DEV.QUEUE.*"):
        ask(server, one)
        assert server.get("DEV.QUEUE.1") == "price of a bolt?"
        server.put("DEV.QUEUE.2", "3 €", headers={"ibm-mq-md-correlationId": one})
        assert server.get("DEV.QUEUE.2") == "3 €"
    with pytest.raises(ZeroDivisionError), server.record(recording, queues=["DEV.QUEUE.*"]):
        1 / 0
    assert len(recording.read_text(encoding="utf-8").splitlines()) == 4
    server.mock(recording)
    ask(server, two)
    assert server.get("DEV.QUEUE.2", wait=30) == "3 €"
    server.stop_mock()
    ask(server, two)
    assert server.get("DEV.QUEUE.2", wait=1) is None
    assert server.get("DEV.QUEUE.1") == "price of a bolt?"
    assert server.replay(recording) == 2
    assert [server.get("DEV.QUEUE.1"), server.get("DEV.QUEUE.2")] == ["price of a bolt?", "3 €"]
    server.mock(recording, queues=["DEV.QUEUE.3"], like=["body", "type"])
    (tmp_path / "empty.jsonl").touch()
    for wrong in (lambda: server.mock(tmp_path / "empty.jsonl"), lambda: server.mock(recording, like="colour")):
        with pytest.raises((ValueError, q.RestError)):
            wrong()
    with pytest.raises(q.RestError, match="queues"), server.record(recording):
        pass


def call(server):
    record = bytes([0, 0, 0, 1, 0, 0, 0, 1])
    request = urllib.request.Request(server.http + os.environ["API_CALL"], record, {"Content-Type": "application/octet-stream"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return answer.headers["baq-return-code"], answer.read()


def test_an_api_is_recorded_and_mocked(tmp_path):
    with q.Server(test_control=True, arguments=["--data", os.environ["API_DATA"]]) as server:
        deployed = "zosconnect/apiRequesters"
        shutil.copytree(os.path.join(os.environ["API_DATA"], deployed), os.path.join(server.ready["dataDirectory"], deployed), dirs_exist_ok=True)
        is_deployed = lambda: b"BAQR0930W" not in call(server)[1]
        assert any(is_deployed() or time.sleep(0.1) for _ in range(3000))
        with server.record(tmp_path / "api.jsonl", calls=True):
            recorded = call(server)
        assert recorded[0] == "0"
        os.kill(int(os.environ["API_PID"]), signal.SIGKILL)
        assert call(server)[0] == "2"
        server.mock(tmp_path / "api.jsonl")
        assert [call(server), call(server)] == [recorded, recorded]
        server.stop_mock()
        assert call(server)[0] == "2"


def failure(server, command):
    try:
        return "\n".join(server.mqsc(command))
    except q.MqscError as error:
        return str(error)


def test_that_fails(quaymaster):
    try:
        quaymaster.request("GET", "/ibmmq/rest/v3/admin/qmgr", headers={"Authorization": "Basic YXBwOndyb25n"})
    except q.RestError as error:
        assert error.status == 401
    assert False, "on purpose"
"#;

#[test]
#[expect(clippy::disallowed_methods, reason = "a file in the test's own folder")]
fn the_wheel_installs_without_an_index_and_its_fixtures_isolate_tests_and_show_the_log() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let environment = folder.path().join("environment");
    let tests = folder.path().join("test_orders.py");
    std::fs::write(&tests, TESTS)?;
    let done = |command: &mut Command| -> Result<String> {
        let output = run(command)?;
        ensure!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
        Ok(text(&output.stdout))
    };
    // pytest and what it needs are those of the other tests in Python.
    done(Command::new(python_programs()?.join("python")).args(["-m", "venv"]).arg(&environment))?;
    let python = environment.join("bin/python");
    done(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"])
            .arg(program::package(".whl")?),
    )?;
    let version = done(Command::new(environment.join("bin/quaymaster")).arg("--version"))?;
    ensure!(version.starts_with("quaymaster "), "{version}");
    let module = done(Command::new(&python).args(["-m", "quaymaster", "--version"]).env_remove("QUAYMASTER_BIN"))?;
    assert_eq!(module, version);

    let others =
        done(Command::new(python_programs()?.join("python")).args(["-c", "import pytest; print(pytest.__path__[0])"]))?;
    let others = PathBuf::from(others.trim());
    let (_provider, api) = deploy_for_others(folder.path())?;
    let output = run(Command::new(&python)
        .envs(api)
        .args(["-m", "pytest", "-rA", "-p", "no:cacheprovider"])
        .arg(&tests)
        .current_dir(folder.path())
        .env("PYTHONPATH", others.parent().context("a folder of packages")?)
        // The plugins of the other packages are not part of this.
        .env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        .args(["-p", "quaymaster.pytest_plugin"])
        .env_remove("QUAYMASTER_BIN"))?;
    let out = text(&output.stdout);
    ensure!(out.contains("1 failed, 7 passed"), "{out}\n{}", text(&output.stderr));
    let report = out.split("Quaymaster log of this test").nth(1).context("a report shows the log")?;
    ensure!(out.contains("on purpose") && report.contains("app"), "{out}");
    Ok(())
}
