"""What the clients of outside services share: replies kept on disk by the hash of their request, and retries.

A reply that has arrived is never asked for again, so interrupted work resumes where it stopped.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from tashika.core.errors import InputError, OutsideError
from tashika.core.files import hash_value, read_json, write_text
from tashika.core.progress import say
from tashika.core.secrecy import without_secrets

T = TypeVar("T")

ATTEMPTS = 5
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
QUIET_SECONDS = 5.0
"""A longer wait is announced, lest it looks as if nothing happened."""
LONGEST_ASKED_SECONDS = 600.0
"""A longer wait that a server asks for is reported to the user, who can come back: who ignores it is banned."""


class TransientError(Exception):
    """A failure that may pass: busy, overloaded, cut short.

    Args:
        message: What happened.
        retry_after: The seconds that the server asked to wait, if it did.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def retried(
    call: Callable[[], T], *, where: str, attempts: int = ATTEMPTS, sleep: Callable[[float], None] = time.sleep
) -> T:
    """Calls until it succeeds, waiting as long as the server asks, else twice as long each time; announces long waits.

    Args:
        call: Raises `TransientError` for what is worth another try.
        where: The address, for the message.
        attempts: Calls in all.
        sleep: Waits; the tests put their own here.

    Raises:
        OutsideError: It failed on every attempt.
    """
    backoff = wait_exponential(multiplier=FIRST_WAIT_SECONDS, max=LONGEST_WAIT_SECONDS)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, TransientError) else None
        return backoff(state) if asked is None else asked

    def announce(state: RetryCallState) -> None:
        error, seconds = state.outcome.exception() if state.outcome else None, state.upcoming_sleep
        if seconds > QUIET_SECONDS and isinstance(error, TransientError):
            asked = error.retry_after is not None
            end = f"asked to wait {seconds:.0f} s" if asked else f"trying again in {seconds:.0f} s"
            say(without_secrets(f"{where}: {error}; {end}"))

    def worth_it(error: BaseException) -> bool:
        return isinstance(error, TransientError) and (error.retry_after or 0.0) <= LONGEST_ASKED_SECONDS

    retrying = Retrying(
        stop=stop_after_attempt(attempts),
        wait=wait,
        retry=retry_if_exception(worth_it),
        sleep=sleep,
        before_sleep=announce,
        reraise=True,
    )
    try:
        return retrying(call)
    except TransientError as error:
        long = (error.retry_after or 0.0) > LONGEST_ASKED_SECONDS
        end = f"asks to wait {error.retry_after:.0f} s" if long else f"gave up after {attempts} attempts"
        raise OutsideError(
            f"{error}; {end}",
            where=where,
            hint="What has arrived is kept: run the same command again to resume.",
        ) from error


def seconds_to_wait(header: str | None) -> float | None:
    """Reads a Retry-After header, which holds seconds or a date; nonsense counts as none."""
    if not header:
        return None
    try:
        if header.strip().isdigit():
            return float(header)
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


class ReplyCache:
    """Replies on disk, one JSON file a request, named by the request's hash.

    Safe to use from several threads; a file is whole or absent.

    Args:
        folder: Where the files lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hits = 0
        self.misses = 0
        self._lock = threading.Lock()

    def path(self, request: Any) -> Path:
        """Where the reply to a request lies, or would."""
        digest = hash_value(request)
        return self.folder / digest[:2] / f"{digest}.json"

    def find(self, request: Any) -> Any | None:
        """The reply kept for a request, or None; a file that is not JSON counts as none."""
        path = self.path(request)
        if not path.exists():
            return None
        try:
            return read_json(path)["reply"]
        except (InputError, KeyError, TypeError):
            return None

    def get(self, request: Any, ask: Callable[[], Any]) -> Any:
        """The kept reply, or that of `ask`, which is kept.

        Args:
            request: Plain values that determine the reply.
            ask: Gets the reply as plain values; what it raises is passed on and nothing is kept.
        """
        reply = self.find(request)
        with self._lock:
            self.hits += reply is not None
            self.misses += reply is None
        if reply is None:
            reply = ask()
            self.keep(request, reply)
        return reply

    def keep(self, request: Any, reply: Any) -> None:
        """Keeps the reply to a request, both plain values.

        Raises:
            OutsideError: The reply has half a character, which no file can hold.
        """
        # On one line: an indent takes json's slow encoder, which large replies notice.
        content = {"request": request, "reply": reply}
        try:
            write_text(self.path(request), json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")
        except UnicodeEncodeError as error:
            around = error.object[max(error.start - 30, 0) : error.end + 30]
            message = f"the reply has half a character (a lone surrogate) in {around!r}"
            hint = "Correct it at the source: no file can hold it."
            raise OutsideError(message, where=str(self.folder), hint=hint) from error
