//! The package for npm: installed from its file without a registry, its program and its functions for tests used as a user does.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::program;
use system_tests::requester::deploy_for_others;

use crate::client::write;
use crate::interop::{run, text};

/// A user's tests: two isolated queues of one name, a server alone, accidents and time, what was recorded, and one that fails and is
/// expected to.
const TESTS: &str = r#"
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
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

const ask = (server, correlation) => server.put('DEV.QUEUE.1', 'price of a bolt?', {
  headers: { 'ibm-mq-md-correlationId': correlation, 'ibm-mq-md-replyTo': 'DEV.QUEUE.2@QM1' },
});

test('a program is recorded and mocked', withServerControlled(async (server) => {
  const [recording, one, two] = ['prices.jsonl', `ID:${'01'.repeat(24)}`, `ID:${'02'.repeat(24)}`];
  const result = await server.record(recording, { queues: ['DEV.QUEUE.*'] }, async () => {
    await ask(server, one);
    assert.equal(await server.get('DEV.QUEUE.1'), 'price of a bolt?');
    await server.put('DEV.QUEUE.2', '3 €', { headers: { 'ibm-mq-md-correlationId': one } });
    return server.get('DEV.QUEUE.2');
  });
  assert.equal(result, '3 €');
  const fails = () => { throw new Error('the body'); };
  await assert.rejects(server.record(recording, { queues: ['DEV.QUEUE.*'] }, fails), /the body/);
  assert.equal(fs.readFileSync(recording, 'utf8').trim().split('\n').length, 4);
  await server.mock(recording);
  await ask(server, two);
  assert.equal(await server.get('DEV.QUEUE.2', { wait: 30_000 }), '3 €');
  await server.stopMock();
  await ask(server, two);
  assert.equal(await server.get('DEV.QUEUE.2', { wait: 1000 }), null);
  assert.equal(await server.get('DEV.QUEUE.1'), 'price of a bolt?');
  assert.equal(await server.replay(recording, { queues: 'DEV.QUEUE.2' }), 1);
  assert.equal(await server.get('DEV.QUEUE.2'), '3 €');
  await server.mock(recording, { queues: ['DEV.QUEUE.3'], like: ['body', 'type'] });
  fs.writeFileSync('empty.jsonl', '');
  await assert.rejects(server.mock('empty.jsonl'), /nothing is recorded/);
  await assert.rejects(server.record(recording, {}, () => {}), RestError);
}));

test('an API is recorded and mocked', async () => {
  const { API_CALL, API_DATA, API_PID } = process.env;
  const body = async (server) => {
    const deployed = 'zosconnect/apiRequesters';
    fs.cpSync(path.join(API_DATA, deployed), path.join(path.dirname(server.caFile), '..', deployed), { recursive: true });
    const options = { body: Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]), headers: { 'Content-Type': 'application/octet-stream' } };
    const call = async () => (await server.request('POST', API_CALL, options)).text;
    let looks = 3000;
    while ((await call()).includes('BAQR0930W') && --looks) await sleep(100);
    assert.ok(looks, 'the requester is deployed');
    const recorded = await server.record('api.jsonl', { calls: true }, call);
    assert.doesNotMatch(recorded, /BAQR/);
    process.kill(Number(API_PID), 'SIGKILL');
    assert.match(await call(), /BAQR09/);
    await server.mock('api.jsonl');
    assert.deepEqual([await call(), await call()], [recorded, recorded]);
    await server.stopMock();
    assert.match(await call(), /BAQR09/);
  };
  await withServerControlled(body, { args: ['--data', API_DATA] })();
});

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

    let (_provider, api) = deploy_for_others(folder.path())?;
    let output = run(Command::new("node")
        .envs(api)
        .args(["--test", "orders.test.js"])
        .current_dir(folder.path())
        .env_remove("QUAYMASTER_BIN"))?;
    let out = text(&output.stdout);
    ensure!(out.contains("pass 6\n") && out.contains("fail 1\n"), "{out}\n{}", text(&output.stderr));
    let report = out.split("Quaymaster log of this test").nth(1).unwrap_or_default();
    ensure!(out.contains("on purpose") && report.contains("app"), "{out}");
    Ok(())
}
