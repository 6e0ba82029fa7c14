"""Fixtures of pytest. The wheel registers them; a test names one as an argument.

`quaymaster_server`  one server for the whole run
`quaymaster`         that server for one test, whose queues have names of their own and are deleted afterwards
`quaymaster_alone`   a server for one test alone
`quaymaster_controlled`  the same, whose clock can be moved, whose calls can be made to fail and whose traffic can be recorded and mocked
When a test fails, its report has the lines that the server has logged during the test.
"""

import itertools
import time

import pytest

from ._server import MqscError, Server

_numbers = itertools.count(1)
_key = pytest.StashKey()


@pytest.fixture(scope="session")
def quaymaster_server():
    """One server in memory for the whole run, started for the first test that wants it."""
    with Server() as server:
        yield server


@pytest.fixture
def quaymaster(quaymaster_server, request):
    """The server of the run with queues of this test's own: `quaymaster.queue("ORDERS")` is the name of one."""
    isolated = Isolated(quaymaster_server, f"DEV.T{next(_numbers)}")
    _watch(request, quaymaster_server)
    yield isolated
    isolated.clean()


@pytest.fixture
def quaymaster_alone(request):
    """A server that no other test sees."""
    with Server() as server:
        _watch(request, server)
        yield server


@pytest.fixture
def quaymaster_controlled(request):
    """A server that no other test sees, with `fault`, `advance`, `snapshot`, `record`, `mock` and their kin."""
    with Server(test_control=True) as server:
        _watch(request, server)
        yield server


class Isolated:
    """A server as one test sees it. What is not here is asked of the server itself."""

    def __init__(self, server, prefix):
        self.server = server
        self.prefix = prefix
        self._queues = []

    def __getattr__(self, name):
        return getattr(self.server, name)

    def queue(self, name, attributes=""):
        """Makes a queue of this test, which the user `app` may put to and get from. Returns its whole name."""
        whole = f"{self.prefix}.{name}"
        self.server.define(f"QLOCAL({whole}) {attributes}".rstrip())
        self._queues.append(whole)
        return whole

    def clean(self):
        """Deletes the queues with their messages."""
        for queue in reversed(self._queues):
            try:
                self.server.mqsc(f"DELETE QLOCAL({queue}) PURGE")
            except MqscError:
                # A program of the test still has it open; its name is not used again.
                pass
        self._queues.clear()


def _watch(request, server):
    request.node.stash[_key] = (server, len(server.log))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    watched = item.stash.get(_key, None)
    if watched is not None and report.failed:
        server, begin = watched
        # What was logged before the last answer may still be in the pipe.
        time.sleep(0.1)
        report.sections.append(("Quaymaster log of this test", server.log[begin:]))
    return report
