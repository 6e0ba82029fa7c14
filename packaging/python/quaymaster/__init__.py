"""Quaymaster for Python programs: where its program is, and servers that live as long as a test.

    from quaymaster import Server

    with Server() as server:
        server.define("QLOCAL(DEV.ORDERS)")
        server.put("DEV.ORDERS", "hello")
        assert server.get("DEV.ORDERS") == "hello"

Nothing here needs another package. The fixtures of `quaymaster.pytest_plugin` are made of the same class.
"""

from ._program import program
from ._server import MqscError, RestError, Server

__all__ = ["MqscError", "RestError", "Server", "program"]
