// A Node program that uses the messaging and administrative REST API over HTTPS, with nothing but Node itself.
// Arguments: base URL, password of app, password of admin. NODE_EXTRA_CA_CERTS names the certificate to trust.
import assert from "node:assert/strict";

const [base, appPassword, adminPassword] = process.argv.slice(2);
const csrf = { "ibm-mq-rest-csrf-token": "" };
const queue = `${base}/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message`;
const basic = (user, password) => ({ authorization: "Basic " + Buffer.from(`${user}:${password}`).toString("base64") });

async function logIn(username, password) {
  const answer = await fetch(`${base}/ibmmq/rest/v3/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  assert.equal(answer.status, 204, await answer.text());
  const cookie = answer.headers.get("set-cookie");
  assert.match(cookie, /^LtpaToken2[^=]*=/);
  return { cookie: cookie.split(";")[0] };
}

async function put(credentials, text, headers = {}) {
  const answer = await fetch(queue, {
    method: "POST",
    headers: { ...credentials, ...csrf, "content-type": "text/plain;charset=utf-8", ...headers },
    body: text,
  });
  assert.equal(answer.status, 201, await answer.text());
  return answer.headers.get("ibm-mq-md-messageid");
}

async function get(credentials, query = "") {
  const answer = await fetch(queue + query, { method: "DELETE", headers: { ...credentials, ...csrf } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function mqsc(credentials, request) {
  const answer = await fetch(`${base}/ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc`, {
    method: "POST",
    headers: { ...credentials, ...csrf, "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

const app = await logIn("app", appPassword);
const texts = Array.from({ length: 40 }, (_, index) => `message ${index} äöü €`);
const ids = await Promise.all(texts.map(text => put(app, text, { "ibm-mq-md-persistence": "persistent" })));
assert.equal(new Set(ids).size, texts.length, "ids are unique");

const depth = await mqsc(basic("admin", adminPassword), {
  type: "runCommandJSON", command: "display", qualifier: "qlocal", name: "DEV.QUEUE.1", responseParameters: ["CURDEPTH"],
});
assert.equal(depth.commandResponse[0].parameters.curdepth, texts.length);

const got = await Promise.all(texts.map(() => get(app)));
assert.deepEqual(got.map(one => one.text).sort(), [...texts].sort());
assert.deepEqual(got.map(one => one.headers.get("ibm-mq-md-messageid")).sort(), [...ids].sort());
assert.equal((await get(app)).status, 204);

// A get that waits is answered by a put that comes later.
const waiting = get(app, "?wait=20000&correlationId=later");
await put(basic("app", appPassword), "worth waiting for", { "ibm-mq-md-correlationId": "later" });
assert.equal((await waiting).text, "worth waiting for");

const refused = await fetch(queue, { method: "POST", headers: { ...app, "content-type": "text/plain" }, body: "x" });
assert.equal(refused.status, 403);
assert.equal((await refused.json()).error[0].msgId, "MQWB0100E");
console.log("done");
