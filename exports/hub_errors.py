"""What the Hub's client raises, as errors with what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from tashika.core.errors import InputError, OutsideError, TashikaError
from tashika.exports.hub_limits import WITHOUT_XET

_HINTS = {
    401: (InputError, "the Hub does not accept the token", "Check HF_TOKEN, or log in again with `hf auth login`."),
    403: (
        InputError,
        "the token may not write there",
        "Take a token with write permission, and a namespace that you belong to.",
    ),
    404: (
        InputError,
        "there is no such repository, or the token may not see it",
        "Check the spelling of --repo, and the address in HF_ENDPOINT.",
    ),
    409: (
        OutsideError,
        "another change is being made there",
        "Publish again: what is there already is not uploaded twice.",
    ),
    412: (
        OutsideError,
        "the repository was changed while we published",
        "Publish again: what is there already is not uploaded twice.",
    ),
    413: (
        OutsideError,
        "the Hub reports that a file is too large",
        "Set a smaller prompts_per_shard and export again.",
    ),
    429: (
        OutsideError,
        "the Hub asks for fewer requests",
        "Wait some minutes and publish again: what is there already is not uploaded twice.",
    ),
}
_NOT_A_HUB = "the answer is not what a Hub sends: expected JSON, and an ETag with a file"
_AGAIN = "Publish again later: what is there already is not uploaded twice."
_XET_STATUS = re.compile(r"\((\d{3})\b")
_ADDRESS = re.compile(r"https?://[^\s)]+")


@contextmanager
def hub_errors(endpoint: str, repo: str, secret: str) -> Iterator[None]:
    """Turns what the Hub's client, and that of its storage, raise in the block into errors of ours.

    Args:
        endpoint: The Hub's address.
        repo: The repository, for the message.
        secret: The token; a Hub that repeats it in an answer does not get it into a message.

    Raises:
        InputError: The token, the name or a setting is wrong.
        OutsideError: The Hub is down, busy, or is something else than a Hub.
    """
    from httpx2 import HTTPError

    try:
        yield
    except (HTTPError, OSError, RuntimeError, ValueError) as error:
        root = _root(error)
        known = root if isinstance(root, TashikaError) else translated(root, endpoint, repo)
        if known is None:
            raise
        if secret:
            known.message = known.message.replace(secret, "(the token)")
        raise known from None if known is root else error


def translated(error: BaseException, endpoint: str, repo: str) -> TashikaError | None:
    """The error of ours for one of the client's; None for one that has nothing to do with the Hub."""
    from httpx2 import HTTPError
    from huggingface_hub.errors import (
        FileMetadataError,
        HfHubHTTPError,
        HFValidationError,
        OfflineModeIsEnabled,
    )

    where = f"{endpoint}, dataset {repo}"
    if isinstance(error, HfHubHTTPError):
        return _of_status(error.response.status_code, error.server_message, where)
    not_a_hub = (json.JSONDecodeError, UnicodeDecodeError, FileMetadataError)
    network = f"Is the network up, and HF_ENDPOINT right? {_AGAIN}"
    table: list[tuple[Any, type[TashikaError], str, str]] = [
        (HFValidationError, InputError, str(error), "Give --repo as ORG/NAME."),
        (OfflineModeIsEnabled, InputError, "HF_HUB_OFFLINE is set", "Publishing needs the network: unset it."),
        (not_a_hub, OutsideError, _NOT_A_HUB, "Does HF_ENDPOINT name a Hub, or does a proxy answer in its place?"),
        (HTTPError, OutsideError, f"no answer: {error or type(error).__name__}", network),
    ]
    for kinds, made, message, hint in table:
        if isinstance(error, kinds):
            return made(message, where=where, hint=hint)
    if _is_of_xet(error):
        return _of_xet(error, where)
    if str(error).startswith(("Malformed", "Invalid metadata", "Invalid input")):
        return OutsideError(str(error), where=where, hint=_AGAIN)
    return None


def _of_status(status: int, said: str | None, where: str) -> TashikaError:
    kind, message, hint = _HINTS.get(status, (OutsideError, "the Hub failed", _AGAIN))
    detail = f": {said.strip().splitlines()[0][:200]}" if said and said.strip() else ""
    return kind(f"{message} (status {status}{detail})", where=where, hint=hint)


def _is_of_xet(error: BaseException) -> bool:
    """Whether hf_xet raised it: it has built-in errors for nearly all, which the Hub's client raises for nothing."""
    return isinstance(error, ConnectionError | TimeoutError) or (
        type(error) is RuntimeError or type(error).__module__.startswith("hf_xet")
    )


def _of_xet(error: BaseException, where: str) -> TashikaError:
    """The error of ours for one of hf_xet, which has status and address in its text alone.

    The address may be signed, so that nothing but its host is shown.
    """
    text = str(error).strip() or type(error).__name__
    status, address = _XET_STATUS.search(text), _ADDRESS.search(text)
    hint = f"{_AGAIN} {WITHOUT_XET}"
    if address and "-token/" in address[0]:
        if status:
            return _of_status(int(status[1]), "no token for the storage, Xet", where)
        return OutsideError("no answer when a token for the storage, Xet, was asked for", where=where, hint=hint)
    parts = urlsplit(address[0]) if address else None
    storage = f"the Hub's storage, Xet{f' at {parts.scheme}://{parts.netloc}' if parts else ''}"
    if status:
        asks = "asks for fewer requests" if status[1] == "429" else "refused the upload or failed"
        return OutsideError(f"{storage}, {asks} (status {status[1]})", where=where, hint=hint)
    if parts:
        return OutsideError(f"no answer from {storage}", where=where, hint=hint)
    return OutsideError(f"{storage}: {text.splitlines()[0][:200]}", where=where, hint=hint)


def _root(error: BaseException) -> BaseException:
    """The failure itself, where the client wraps it in a general one."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    # What a limit of ours ended (`hub_limits`) is wrapped too.
    while isinstance(error, RuntimeError | LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    return error
