"""A bell that the server rings when somebody has answered: a small HTTP listener on loopback.

A call says nothing but that there is something to pull: it has no body that is read, so whoever forges one has answers
pulled a little earlier, and no more. All the same the address holds a secret, which is new in each run.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol

from tashika.core.services import LOOPBACK

_LONGEST_BODY = 1 << 16
_SECONDS = 5.0
PATH = "/tashika-watch/"


class Ringing(Protocol):
    """What a watch waits for."""

    def wait(self, seconds: float) -> bool:
        """Waits until it rings, at most so long; says whether it has rung since the last `quiet`."""

    def quiet(self) -> None:
        """Forgets that it has rung."""


class Never:
    """Rings never: whoever waits for it waits to the end."""

    def wait(self, seconds: float) -> bool:
        """Waits."""
        time.sleep(seconds)
        return False

    def quiet(self) -> None:
        """There is nothing to forget."""


class Bell:
    """Rings when the address is called.

    Attributes:
        name: Stands in the address before the secret; it distinguishes the calls of one workspace's watches.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._rung = threading.Event()
        self._path = f"{PATH}{name}/{secrets.token_urlsafe(24)}"
        self._server = ThreadingHTTPServer((LOOPBACK, 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="tashika-watch")

    @property
    def url(self) -> str:
        """The address to call, with a POST."""
        return f"http://{LOOPBACK}:{self._server.server_port}{self._path}"

    def wait(self, seconds: float) -> bool:
        """Waits until it rings, at most so long; says whether it has rung since the last `quiet`."""
        return self._rung.wait(seconds)

    def quiet(self) -> None:
        """Forgets that it has rung."""
        self._rung.clear()

    @contextmanager
    def listening(self) -> Iterator[Bell]:
        """Takes calls while the block runs."""
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        bell = self

        class Handler(BaseHTTPRequestHandler):
            timeout = _SECONDS  # of a client that connects and says nothing

            def do_POST(self) -> None:
                length = self.headers.get("Content-Length", "0")
                self.rfile.read(min(int(length), _LONGEST_BODY) if length.isdecimal() else 0)
                known = hmac.compare_digest(self.path.encode(), bell._path.encode())
                if known:
                    bell._rung.set()
                self.send_response(204 if known else 404)
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing: the terminal is the watch's."""

        return Handler
