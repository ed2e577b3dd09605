"""Limits on how long publishing waits: for a request, for a pause that the Hub asks for, and for an upload.

The Hub's client has none of its own: it waits for every answer without end, and for as long as `Retry-After` says. The
client of Xet, the Hub's storage, tries each request six times for up to five minutes, and does not say so.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, TypeVar
from weakref import WeakSet

from tashika.core.errors import OutsideError
from tashika.core.progress import say

T = TypeVar("T")

LONGEST_PAUSE: Final = 300
"""Seconds: a Hub that asks for a longer pause ends the command."""
WITHOUT_XET: Final = "To upload without Xet, set HF_HUB_DISABLE_XET=1."
_WORTH_SAYING = 5
_GIVEN_UP: Final[WeakSet[threading.Thread]] = WeakSet()
"""Threads of uploads that were given up: a later one of the same process has another client, and they none."""
_CONNECT, _ANSWER = 30.0, 120.0
_LEAST, _SLOWEST = 600.0, 100_000.0
_XET_DEFAULTS: Final = {"HF_XET_CLIENT_CONNECT_TIMEOUT": "20s", "HF_XET_CLIENT_RETRY_BASE_DELAY": "1s"}


def upload_seconds(size: int) -> float:
    """How long an upload may take by default: ten minutes, and a second for each 100 kB.

    Args:
        size: Bytes.
    """
    return _LEAST + size / _SLOWEST


@contextmanager
def bounded_requests(where: str) -> Iterator[Callable[[], None]]:
    """Sets limits on the requests that the Hub's client makes in the block.

    Args:
        where: The Hub and the repository, for the message.

    Yields:
        Ends requests: those under way fail, and what is left of an upload in other threads makes no more of them.

    Raises:
        OutsideError: The Hub asks for a pause of more than `LONGEST_PAUSE` seconds.
    """
    import httpx2
    from huggingface_hub import set_client_factory
    from huggingface_hub.utils._http import default_client_factory

    ended = threading.Event()

    def refuse_after_the_end(_request: httpx2.Request) -> None:
        if ended.is_set() or threading.current_thread() in _GIVEN_UP:
            raise OutsideError("the upload was given up", where=where)

    def look(response: httpx2.Response) -> None:
        if response.status_code >= httpx2.codes.BAD_REQUEST:
            _refuse_long_pause(response.headers, where)

    def client() -> httpx2.Client:
        made = default_client_factory()
        made.timeout = httpx2.Timeout(_ANSWER, connect=_CONNECT)
        hooks = made.event_hooks
        made.event_hooks = {
            "request": [*hooks["request"], refuse_after_the_end],
            "response": [*hooks["response"], look],
        }
        return made

    def end() -> None:
        ended.set()
        _end_xet()
        set_client_factory(client)  # closes the connections of the one before

    for name, value in _XET_DEFAULTS.items():
        os.environ.setdefault(name, value)  # read when the first upload over Xet begins
    set_client_factory(client)
    try:
        yield end
    finally:
        if not any(thread.is_alive() for thread in _GIVEN_UP):
            set_client_factory(default_client_factory)


def _refuse_long_pause(headers: Mapping[str, str], where: str) -> None:
    """Says that the client waits now, or ends it where the wait is too long."""
    seconds = _pause(headers)
    if seconds > LONGEST_PAUSE:
        raise OutsideError(
            f"the Hub asks for a pause of {timedelta(seconds=seconds)}; we wait {LONGEST_PAUSE} s at most",
            where=where,
            hint="Publish again after that: what is there already is not uploaded twice.",
        )
    if seconds >= _WORTH_SAYING:
        say(f"the Hub asks for a pause of {seconds} s; waiting")


def _pause(headers: Mapping[str, str]) -> int:
    """Seconds that a refusal asks to wait; 0 where it does not say."""
    from huggingface_hub.utils._http import parse_ratelimit_headers

    limit = parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return int(limit.reset_in_seconds)
    text = headers.get("Retry-After", "").strip()
    return min(int(text), 10**9) if text.isascii() and text.isdigit() else 0


def within(seconds: float, work: Callable[[], T], end: Callable[[], None], where: str) -> T:
    """Does work of the Hub's client and ends it after a time.

    The client's code in Rust cannot be interrupted from Python, nor can its threads, so the work is done in a thread
    that is left behind where it does not stop.

    Args:
        seconds: How long it may take.
        work: The work.
        end: Ends its requests.
        where: The Hub and the repository, for the message.

    Raises:
        OutsideError: It took longer.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again in the thread that waits
            errors.append(error)

    thread = threading.Thread(target=run, name="publish", daemon=True)
    thread.start()
    try:
        thread.join(seconds)
    except BaseException:  # Ctrl-C, SIGTERM
        _GIVEN_UP.add(thread)
        end()
        raise
    if thread.is_alive():
        _GIVEN_UP.add(thread)
        end()
        raise OutsideError(
            f"the upload did not end within {timedelta(seconds=round(seconds))}",
            where=where,
            hint=f"Publish again: what has arrived is not uploaded twice. --deadline gives more time. {WITHOUT_XET}",
        )
    if errors:
        raise errors[0]
    return results[0]


def _end_xet() -> None:
    from huggingface_hub.utils import _xet

    end: Any = _xet.abort_xet_session
    end()
