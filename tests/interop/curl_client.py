"""curl, started by a Python script once a call, as in the published report on the administrative REST API.

Arguments: base URL, certificate to trust, password of admin, password of app, folder for cookies. Prints calls and
milliseconds a call for Basic and for the cookie, and "done".
"""

import json
import os
import subprocess
import sys
import time

BASE, CA, ADMIN, APP, FOLDER = sys.argv[1:]
MQSC = "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc"
CSRF = ["-H", "ibm-mq-rest-csrf-token: value"]
JSON = ["-H", "Content-Type: application/json"]


def curl(path, *arguments):
    """One process: status and body."""
    command = ["curl", "-s", "-S", "--max-time", "30", "--cacert", CA, "-w", "\n%{http_code}", *arguments, BASE + path]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    body, _, status = output.rpartition("\n")
    return int(status), body


def mqsc(credentials, request):
    status, body = curl(MQSC, *credentials, *CSRF, *JSON, "-d", json.dumps(request))
    assert status == 200, (status, body)
    return json.loads(body)


def log_in(user, password):
    """Credentials of later calls: the file that holds the cookie."""
    jar = os.path.join(FOLDER, user + ".cookies")
    body = json.dumps({"username": user, "password": password})
    status, text = curl("/ibmmq/rest/v2/login", *JSON, "-c", jar, "-d", body)
    assert status == 204, (status, text)
    return ["-b", jar]


def queues(credentials):
    """Defines queues, lists them, looks at single ones, deletes them: a process each."""
    names = [f"CURL.{index}" for index in range(8)]
    for name in names:
        command = f"DEFINE QLOCAL({name}) MAXDEPTH(100)"
        reply = mqsc(credentials, {"type": "runCommand", "parameters": {"command": command}})
        assert reply["overallCompletionCode"] == 0, reply
    listing = {"type": "runCommandJSON", "command": "display", "qualifier": "qlocal", "name": "CURL.*"}
    assert len(mqsc(credentials, listing)["commandResponse"]) == len(names)
    for attributes in ("", "?attributes=*", "?attributes=storage.maximumDepth,general.description&name=CURL.*"):
        status, body = curl("/ibmmq/rest/v1/admin/qmgr/QM1/queue" + attributes, *credentials)
        assert status == 200, (status, body)
        known = {queue["name"] for queue in json.loads(body)["queue"]}
        assert known.issuperset(names), known
    for name in names:
        one = mqsc(credentials, {**listing, "name": name, "responseParameters": ["all"]})
        assert one["commandResponse"][0]["parameters"]["maxdepth"] == 100, one
    for name in names:
        done = mqsc(credentials, {"type": "runCommandJSON", "command": "delete", "qualifier": "qlocal", "name": name})
        assert done["overallCompletionCode"] == 0, done
    assert mqsc(credentials, listing)["commandResponse"][0]["reasonCode"] == 2085
    return 3 * len(names) + 5


def messages(credentials):
    path = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.3/message"
    for index in range(5):
        status, body = curl(path, *credentials, *CSRF, "-H", "Content-Type: text/plain", "-d", f"by curl {index}")
        assert status == 201, (status, body)
    for index in range(5):
        assert curl(path, *credentials, *CSRF, "-X", "DELETE") == (200, f"by curl {index}")
    assert curl(path, *credentials, *CSRF, "-X", "DELETE") == (204, "")


def wrong():
    status, body = curl(MQSC, "-u", "admin:wrong", *CSRF, *JSON, "-d", "{}")
    assert (status, json.loads(body)["error"][0]["msgId"]) == (401, "MQWB0105E"), (status, body)
    status, body = curl(MQSC, "-b", "LtpaToken2=nonsense", *CSRF, *JSON, "-d", "{}")
    assert (status, json.loads(body)["error"][0]["msgId"]) == (401, "MQWB0112E"), (status, body)


for kind, admin, app in [
    ("basic", ["-u", "admin:" + ADMIN], ["-u", "app:" + APP]),
    ("cookie", log_in("admin", ADMIN), log_in("app", APP)),
]:
    started = time.monotonic()
    calls = queues(admin)
    print(kind, calls, "calls,", round(1000 * (time.monotonic() - started) / calls, 1), "ms each", flush=True)
    messages(app)
wrong()
print("done")
