"""A server of its own for each test run: on free ports, in memory, gone with its object."""

import base64
import contextlib
import json
import os
import secrets
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request

from . import _recordings
from ._program import program

ADMINISTRATOR = "admin"
USER = "app"


class RestError(Exception):
    """The server refused a request: `status`, and its answer as the text."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


class MqscError(Exception):
    """A command failed; the text has the lines of its answer."""


class Server:
    """`quaymaster serve --ephemeral`. Use it in a `with` statement, or call `stop`.

    With `test_control` the server's clock can be moved, its calls made to fail, and its traffic recorded and mocked. `arguments` are further arguments of `serve`, `environment` further variables, `patience` the seconds until it has to be
    ready. Ports are free ones and nothing is on disk, unless the arguments say otherwise.
    """

    def __init__(self, *, queue_manager="QM1", test_control=False, arguments=(), environment=None, patience=60.0):
        self.queue_manager = queue_manager
        self.user = USER
        self.password = secrets.token_urlsafe(18)
        self.administrator = ADMINISTRATOR
        self.administrator_password = secrets.token_urlsafe(18)
        self._log = []
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [
                program(), "serve", "--ephemeral", "--qmgr", queue_manager,
                "--https", "127.0.0.1:0", "--http", "127.0.0.1:0", "--mq", "127.0.0.1:0", "--metrics", "off",
                *(["--test-control"] if test_control else []), *arguments,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self._inherited(), **(environment or {})},
        )
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        timer = threading.Timer(patience, self._process.kill)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            self.stop()
            raise RuntimeError(f"the server did not become ready:\n{self.log}")
        self.ready = json.loads(line)
        # The reader of further output, of which there is none, keeps the pipe from filling.
        threading.Thread(target=self._process.stdout.read, daemon=True).start()

    def _inherited(self):
        """The environment without variables that a server reads, and with the passwords of its users."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MQ_", "QUAYMASTER_"))}
        return {**kept, "MQ_APP_PASSWORD": self.password, "MQ_ADMIN_PASSWORD": self.administrator_password}

    def _read_log(self):
        for line in self._process.stderr:
            with self._lock:
                self._log.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the server. What it holds is gone. A second call does nothing."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=40)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(timeout=5)

    @property
    def log(self):
        """What the server has logged so far."""
        with self._lock:
            return "".join(self._log)

    @property
    def mq(self):
        """Address of the MQ listener, `host(port)` as connection names are written."""
        host, port = self.ready["mq"].rsplit(":", 1)
        return f"{host}({port})"

    @property
    def http(self):
        """Base of HTTP addresses without TLS."""
        return f"http://{self.ready['http']}"

    @property
    def https(self):
        """Base of HTTPS addresses; `ca_file` has the authority to trust."""
        return f"https://{self.ready['https']}"

    @property
    def ca_file(self):
        """The authority that signed the server's certificate."""
        return os.path.join(self.ready["dataDirectory"], "tls", "ca.crt")

    def environment(self, channel="DEV.APP.SVRCONN"):
        """Variables with which MQ clients in C, such as pymqi, find the server."""
        return {"MQSERVER": f"{channel}/TCP/{self.mq}", "MQSAMP_USER_ID": self.user}

    def request(self, method, path, body=None, headers=None, administrator=False):
        """A request to REST; `path` begins with a slash. Returns status and text; raises RestError from 400 on."""
        user = self.administrator if administrator else self.user
        password = self.administrator_password if administrator else self.password
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        request = urllib.request.Request(
            f"{self.http}{path}",
            data=body.encode() if isinstance(body, str) else body,
            method=method,
            headers={"Authorization": f"Basic {token}", "ibm-mq-rest-csrf-token": "x", **(headers or {})},
        )
        try:
            with _opener.open(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            raise RestError(error.code, error.read().decode(errors="replace")) from None

    def mqsc(self, command):
        """Runs one MQSC command as the administrator. Returns the lines of its answer; raises MqscError when it fails."""
        path = f"/ibmmq/rest/v3/admin/action/qmgr/{_quoted(self.queue_manager)}/mqsc"
        body = json.dumps({"type": "runCommand", "parameters": {"command": command}})
        _, text = self.request("POST", path, body, {"Content-Type": "application/json"}, administrator=True)
        answer = json.loads(text)
        lines = [line for part in answer.get("commandResponse", []) for line in part.get("text", [])]
        if answer.get("overallCompletionCode", 0) != 0:
            raise MqscError(f"{command}: " + "\n".join(lines))
        return lines

    def define(self, definition):
        """`define("QLOCAL(A) MAXDEPTH(5)")`: makes or replaces an object."""
        return self.mqsc(f"DEFINE {definition} REPLACE")

    def put(self, queue, text, persistent=False, headers=None):
        """Puts a text as the user `app`, who has authority for queues below DEV."""
        named = {"Content-Type": "text/plain;charset=utf-8", **(headers or {})}
        if persistent:
            named["ibm-mq-md-persistence"] = "persistent"
        self._message("POST", queue, text, named)

    def get(self, queue, wait=0.0):
        """Gets and removes the next message as a text; `None` when there is none within `wait` seconds."""
        return self._message("DELETE", queue, None, {}, f"?wait={int(wait * 1000)}" if wait else "")

    def browse(self, queue):
        """The next message as a text, which stays; `None` when there is none."""
        return self._message("GET", queue, None, {})

    def fault(self, **rule):
        """Makes a rule: which calls or requests fail, and how. Returns it, with its `id`. docs/test-control.md has the members."""
        return self._control("POST", "faults", rule)

    def faults(self):
        """The rules, with how many calls each was about (`seen`) and has hit (`hits`)."""
        return self._control("GET", "faults")["faults"]

    def clear_faults(self):
        """Deletes all rules."""
        self._control("DELETE", "faults")

    def advance(self, duration):
        """Moves the clock forward: `advance("1h")`. What expires or ends until then does. Returns the new time."""
        return self._control("POST", "clock", {"advance": duration})["now"]

    def set_clock(self, moment, running=True):
        """Sets the clock: `set_clock("2030-01-31T12:00:00Z")`. With `running=False` it stands there. Returns the new time."""
        return self._control("POST", "clock", {"set": moment, "running": running})["now"]

    def snapshot(self):
        """Takes a snapshot of the queue manager, which must have no unit of work open. Returns its id."""
        return self._control("POST", f"qmgr/{_quoted(self.queue_manager)}/snapshots")["id"]

    def restore(self, snapshot):
        """Restores the queue manager as it was. Clients are cut off, and connect again."""
        self._control("POST", f"snapshots/{snapshot}/restore")

    @contextlib.contextmanager
    def record(self, file, *, queues=(), calls=False):
        """Records what programs put to and get from these queues in a `with` block, and writes it to a file.

        Names of queues may end in an asterisk. With `calls`, calls of API requesters are recorded too. A block that fails writes no file.
        """
        if queues or not calls:
            self._control("PUT", "traffic", {"mode": "record", "queues": _names(queues)})
        if calls:
            self._control("PUT", "exchanges", {"mode": "record", "exchanges": []})
        try:
            yield
        finally:
            traffic, exchanges = self._control("GET", "traffic"), self._control("GET", "exchanges")
            self.stop_mock()
        messages = self._test("GET", "traffic/records") if queues else ""
        _recordings.write(file, messages, exchanges["exchanges"] if calls else [])
        left_out = traffic["leftOut"] + exchanges["leftOut"]
        if left_out:
            raise RuntimeError(f"{file} lacks {left_out} messages and calls, for which the server had no room")

    def mock(self, file, *, queues=(), like=("body",)):
        """Answers in place of the recorded programs and APIs, until `stop_mock` or the end of the server.

        With `queues`, requests on other queues are left alone. `like` says in what a request is like the recorded one, some of `body`,
        `correlationId`, `format` and `type`.
        """
        messages, calls = _recordings.read(file)
        if messages:
            self._test("PUT", "traffic/records", messages)
            self._control("PUT", "traffic", {"mode": "mock", "queues": _names(queues), "like": _names(like)})
        if calls:
            self._control("PUT", "exchanges", {"mode": "replay", "exchanges": calls})

    def stop_mock(self):
        """Requests are not answered any more, and API requesters call their APIs."""
        self._control("PUT", "traffic", {"mode": "off"})
        self._control("PUT", "exchanges", {"mode": "off"})

    def replay(self, file, *, queues=(), pace="atOnce"):
        """Puts again what was put, to these queues or to all, at once or at the `recorded` pace. Returns the number of messages."""
        messages, _ = _recordings.read(file)
        self._test("PUT", "traffic/records", messages)
        return self._control("POST", "traffic/replay", {"queues": _names(queues), "pace": pace})["put"]

    def _control(self, method, resource, body=None):
        answer = self._test(method, resource, None if body is None else json.dumps(body))
        return json.loads(answer) if answer else None

    def _test(self, method, resource, text=None):
        named = {"Content-Type": "application/json"}
        return self.request(method, f"/api/v1/test/{resource}", text, named, administrator=True)[1]

    def _message(self, method, queue, body, headers, query=""):
        path = f"/ibmmq/rest/v3/messaging/qmgr/{_quoted(self.queue_manager)}/queue/{_quoted(queue)}/message{query}"
        status, text = self.request(method, path, body, headers)
        return None if status == 204 else text


def _names(names):
    return [names] if isinstance(names, str) else list(names)


def _quoted(name):
    return urllib.parse.quote(name, safe="")


# No proxy is between a test and its server.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
