//! The package for npm: installed from its file without a registry, its program and its functions for tests used as a user does.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::program;

use crate::client::write;
use crate::interop::{run, text};

/// A user's tests: two isolated queues of one name, a server alone, accidents and time, and one that fails and is expected to.
const TESTS: &str = r#"
const assert = require('node:assert/strict');
const fs = require('node:fs');
const test = require('node:test');
const { MqscError, RestError, withServer, withServerAlone, withServerControlled } = require('quaymaster');

test('queues of a test are its own', withServer(async (server) => {
  const orders = await server.queue('ORDERS', 'MAXDEPTH(1)');
  assert.equal(await server.get(orders), null);
  await server.put(orders, 'one', { persistent: true });
  assert.equal(await server.browse(orders), 'one');
  await assert.rejects(server.put(orders, 'two'), (error) => error instanceof RestError && /2053/.test(error.message));
}));

test('another test finds nothing', withServer(async (server) => {
  const orders = await server.queue('ORDERS');
  assert.equal(await server.get(orders, { wait: 100 }), null);
  const path = `/ibmmq/rest/v3/messaging/qmgr/QM1/queue/${orders}/message`;
  const { status } = await server.request('POST', path, { body: 'grün', headers: { 'Content-Type': 'text/plain;charset=utf-8' } });
  assert.equal(status, 201);
  assert.equal(await server.get(orders), 'grün');
}));

test('a server alone has no queue of others', withServerAlone(async (server) => {
  await assert.rejects(server.mqsc('DISPLAY QLOCAL(DEV.T*)'), (error) => error instanceof MqscError && /AMQ8147E/.test(error.message));
  assert.match(server.mq, /^127\.0\.0\.1\(\d+\)$/);
  assert.match(fs.readFileSync(server.caFile, 'utf8'), /CERTIFICATE/);
}));

test('accidents and time are in the hands of a test', withServerControlled(async (server) => {
  const rule = await server.fault({ queue: 'DEV.QUEUE.*', verb: 'put', reason: 2053, times: 1 });
  await assert.rejects(server.put('DEV.QUEUE.1', 'one'), /2053/);
  assert.deepEqual((await server.faults()).map(({ id, hits }) => [id, hits]), [[rule.id, 1]]);
  await server.clearFaults();
  await server.put('DEV.QUEUE.1', 'two', { headers: { 'ibm-mq-md-expiry': '60000' } });
  await server.advance('61s');
  assert.equal(await server.get('DEV.QUEUE.1'), null);
  await server.put('DEV.QUEUE.1', 'of the fixture');
  const snapshot = await server.snapshot();
  assert.equal(await server.get('DEV.QUEUE.1'), 'of the fixture');
  await server.restore(snapshot);
  assert.equal(await server.get('DEV.QUEUE.1'), 'of the fixture');
  assert.equal(await server.setClock('2030-01-31T12:00:00Z', { running: false }), '2030-01-31T12:00:00.000Z');
}));

test('that fails', withServer(async (server) => {
  const headers = { Authorization: 'Basic YXBwOndyb25n' };
  await assert.rejects(server.request('GET', '/ibmmq/rest/v3/admin/qmgr', { headers }), { status: 401 });
  assert.fail('on purpose');
}));
"#;

/// npm without a registry, and without what it keeps elsewhere.
fn npm(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(name);
    for (setting, value) in [("offline", "true"), ("audit", "false"), ("fund", "false"), ("update_notifier", "false")] {
        command.env(format!("npm_config_{setting}"), value);
    }
    command.env("npm_config_cache", folder.join("cache")).env_remove("QUAYMASTER_BIN").current_dir(folder);
    command
}

#[test]
fn the_package_runs_without_a_registry_and_its_functions_isolate_tests_and_show_the_log() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let done = |command: &mut Command| -> Result<String> {
        let output = run(command)?;
        ensure!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
        Ok(text(&output.stdout))
    };
    let cpu = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let file = program::package(&format!("linux-{cpu}.tgz"))?;
    write(&folder.path().join("package.json"), "{}")?;
    write(&folder.path().join("orders.test.js"), TESTS)?;
    done(npm("npm", folder.path()).arg("install").arg(&file))?;
    let version = done(npm("npx", folder.path()).args(["quaymaster", "--version"]))?;
    ensure!(version.starts_with("quaymaster "), "{version}");

    let output = run(Command::new("node")
        .args(["--test", "orders.test.js"])
        .current_dir(folder.path())
        .env_remove("QUAYMASTER_BIN"))?;
    let out = text(&output.stdout);
    ensure!(out.contains("pass 4\n") && out.contains("fail 1\n"), "{out}\n{}", text(&output.stderr));
    let report = out.split("Quaymaster log of this test").nth(1).unwrap_or_default();
    ensure!(out.contains("on purpose") && report.contains("app"), "{out}");
    Ok(())
}
