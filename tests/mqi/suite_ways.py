"""Plugin of pytest for suites that are reached otherwise. Their files stay as they are.

SUITE_CIPHER   channel definitions that name no CipherSpec have this one
SUITE_LEFT_OUT names of tests
SUITE_CUTS     a file with a number that grows before and after each moment at which connections are cut, and is odd in between.
               A test that failed and met such a moment is run again, with other names of queues and topics. Gets wait five seconds at most: their message may have gone with its queue.
"""
import contextlib
import importlib
import os
import sys

import pytest
from _pytest.runner import runtestprotocol

BINDING = importlib.import_module(os.environ["SUITE_BINDING"])
CIPHER = os.environ.get("SUITE_CIPHER")
CUTS = os.environ.get("SUITE_CUTS")
MOST_TRIES = 50
LONGEST_WAIT = 5000
told = {"cut": 0, "again": 0}


def cuts():
    with open(CUTS, encoding="ascii") as file:
        return int(file.read())


def pytest_collection_modifyitems(items):
    left_out = os.environ.get("SUITE_LEFT_OUT", "").split()
    items[:] = [item for item in items if item.name not in left_out]


if CIPHER:
    initial = BINDING.CD.__init__

    def with_cipher(self, **fields):
        fields.setdefault("SSLCipherSpec", CIPHER.encode())
        initial(self, **fields)

    BINDING.CD.__init__ = with_cipher

if CUTS:
    pack = BINDING.GMO.pack

    def pack_impatient(self, *arguments):
        if self["WaitInterval"] > LONGEST_WAIT:
            self["WaitInterval"] = LONGEST_WAIT
        return pack(self, *arguments)

    BINDING.GMO.pack = pack_impatient

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for _ in range(MOST_TRIES):
            before = cuts()
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            was_cut = before % 2 == 1 or cuts() > before
            told["cut"] += was_cut
            if not was_cut or not any(report.failed for report in reports):
                break
            told["again"] += 1
            # What a class shares may be of no use any more, and its end fails with the connection.
            with contextlib.suppress(Exception):
                item.session._setupstate.teardown_exact(None)
            sys.modules["config"].MQ.QUEUE.PREFIX = "UT%06d" % told["again"]
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_terminal_summary(terminalreporter):
        terminalreporter.write_line("%(cut)d runs of tests met a cut, %(again)d of them were run again" % told)
