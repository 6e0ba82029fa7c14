"""Keeps generated requests to what a test can afford: known names most of the time, and no long waits."""

import re

import schemathesis

NAMES = {
    "qmgr": "QM1",
    "queue": "DEV.QUEUE.1",
    "topic": "dev/test",
    "channel": "DEV.APP.SVRCONN",
    "push": "pushed",
}


NAME = re.compile(r"[A-Za-z0-9._/%]{1,48}")
# Durations of the message API.
LONG_WAIT = re.compile(r"^([0-9]+(ms|s|m|h)|PT[0-9]+S)$")


def is_path_wrong(case):
    """A part of the path was made wrong on purpose: a known name in its place would be right."""
    components = getattr(getattr(case, "meta", None), "components", None) or {}
    return any("path" in str(where).lower() and "negative" in str(getattr(about, "mode", "")).lower() for where, about in components.items())


@schemathesis.serializer("application/zip")
def archive(context, value):
    """An archive is its bytes."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters or {}
    for name, known in ({} if is_path_wrong(case) else NAMES).items():
        value = parameters.get(name)
        # One in four stays as it was made; which one depends on the value alone, so that a seed repeats a run. What is no name
        # stays, too: it is to be refused.
        if isinstance(value, str) and NAME.fullmatch(value) and sum(map(ord, value)) % 4:
            parameters[name] = known
    wait = str((case.query or {}).get("wait", ""))
    if wait.isdigit() and int(wait) > 20:
        case.query["wait"] = "20"
    elif LONG_WAIT.match(wait):
        case.query["wait"] = "20ms"
    elif not wait and case.method.upper() == "POST" and case.path.endswith("/requests"):
        # Nobody replies here, and the default is longer than a test can wait.
        case.query = {**(case.query or {}), "wait": "20ms"}
    if "cursor" in (case.query or {}):
        # A page begins at a cursor or before a place. No schema says that one of them rules the other out.
        case.query.pop("before", None)
    if isinstance(case.body, dict) and LONG_WAIT.match(str(case.body.get("wait", ""))):
        case.body["wait"] = "20ms"
    if case.method.upper() == "PUT" and "/push/" in case.path and isinstance(case.body, dict):
        push(case.body)
    if (case.query or {}).get("selector") and "/api/v1/" in case.path:
        # What an SQL-92 selector is, no schema says.
        case.query["selector"] = "JMSPriority >= 0"


def push(body):
    """A push target that takes nothing, with what a schema does not say: names of headers, and what an SQL-92 selector is."""
    if isinstance(body.get("paused", False), bool):
        body["paused"] = True
    headers = body.get("headers")
    if isinstance(headers, dict) and all(isinstance(value, str) for value in headers.values()):
        del body["headers"]
    match = body.get("match")
    if isinstance(match, dict) and isinstance(match.get("selector"), str):
        match["selector"] = "JMSPriority >= 0"
