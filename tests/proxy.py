"""A proxy on loopback between a client and a real server that repeats, delays and cuts off requests, as told.

Nothing hangs on the clock: what is delayed waits for the test to let it go.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PASS, REPEAT, REFUSE, CUT, LATE, STRIKE = "pass", "repeat", "refuse", "cut", "late", "strike"
"""Handed on; handed on twice; not handed on; handed on without an answer to the client; handed on once let go; handed
on, and `Proxy.strike` called before the answer."""

_DROPPED = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


@dataclass
class Proxy:
    """A proxy that runs.

    Attributes:
        url: Its address.
        rule: What to do with a request: its number from 1, its method and path.
        log: The method and path of each request.
        strike: What is done to the server while it has a request.
    """

    url: str
    target: str
    rule: Callable[[int, str, str], str]
    log: list[tuple[str, str]] = field(default_factory=list)
    strike: Callable[[], None] | None = None
    _late: list[Callable[[], None]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def let_go(self) -> int:
        """Hands on what was delayed, and waits until the server is done with it; returns how many requests."""
        late, self._late = self._late, []
        for send in late:
            send()
        return len(late)

    def number(self, method: str, path: str) -> int:
        """Notes a request."""
        with self._lock:
            self.log.append((method, path))
            return len(self.log)

    def delay(self, send: Callable[[], None]) -> None:
        """Keeps a request for later."""
        with self._lock:
            self._late.append(send)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _handle(self) -> None:
        proxy: Proxy = self.server.proxy  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        action = proxy.rule(proxy.number(self.command, self.path), self.command, self.path)
        if action == LATE:
            proxy.delay(lambda: self._send(body) and None)
        if action in {REFUSE, LATE}:
            self._hang_up()
            return
        try:
            answer = self._send(body, strike=proxy.strike if action == STRIKE else None)
        except (OSError, http.client.HTTPException):
            self._hang_up()  # the server is gone
            return
        if action == REPEAT:
            answer = self._send(body)
        if action == CUT:
            self._hang_up()
            return
        status, headers, content = answer
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in _DROPPED:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 - the names that the library asks for

    def _send(self, body: bytes, strike: Callable[[], None] | None = None) -> tuple[int, list[tuple[str, str]], bytes]:
        address = urlsplit(self.server.proxy.target)  # type: ignore[attr-defined]
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=120)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _DROPPED}
        connection.request(self.command, self.path, body or None, headers)
        if strike:
            strike()
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.getheaders(), content

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):  # the client may be gone too
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def proxy_to(target: str, rule: Callable[[int, str, str], str]) -> Iterator[Proxy]:
    """Runs a proxy while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    proxy = Proxy(f"http://127.0.0.1:{server.server_address[1]}", target, rule)
    server.proxy = proxy  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
