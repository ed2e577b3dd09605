"""Label Studio's scripts and styles as files that a browser keeps: they are asked for once, and are packed on the way.

Label Studio sends a new session cookie with each of its files and says that they vary with it, so that no browser can
use what it has: every page loads several megabytes anew. Here the files come without a cookie. One whose name has the
hash of its content is kept for a year; any other is asked for again, which costs an empty answer unless it has changed.

This file runs inside Label Studio; see `tashika_inserted`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from typing import Any

_PLACES = ("/static/", "/react-app/")
_HASHED = re.compile(r"\.[0-9a-f]{12,40}\.\w+$")
_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "public, no-cache"
_PACKED_TYPES = re.compile(r"(text/|image/svg|application/(javascript|json|wasm))")
_SMALLEST = 1024
_MOST_PACKED = 512
"""Files whose packed bytes are kept; Label Studio has about 350."""

Packed = dict[tuple[str, str], bytes]


def keep_files(respond: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A Django middleware, the outermost, so that it sees the cookies that the others add."""
    packed: Packed = {}

    def with_kept_files(request: Any) -> Any:
        response = respond(request)
        if not request.path_info.startswith(_PLACES) or response.status_code not in {200, 304}:
            return response
        response.cookies.clear()
        response.headers.pop("Vary", None)
        response["Cache-Control"] = _FOR_EVER if _HASHED.search(request.path_info) else _ASK_AGAIN
        return _packed(request, response, packed)

    return with_kept_files


def _packed(request: Any, response: Any, known: Packed) -> Any:
    """The response with its file packed, where the browser takes that; packing is done once a file."""
    if not _PACKED_TYPES.match(response.get("Content-Type", "")) or response.has_header("Content-Encoding"):
        return response
    response["Vary"] = "Accept-Encoding"
    whole = request.method == "GET" and response.status_code == 200 and "Range" not in request.headers
    modified = response.get("Last-Modified")
    if not whole or not modified or "gzip" not in request.headers.get("Accept-Encoding", ""):
        return response
    from django.http import HttpResponse  # type: ignore[import-not-found]  # it is there where this file runs

    key = (request.path_info, modified)
    body = known.get(key)
    if body is None:
        plain = b"".join(response)
        body = gzip.compress(plain, 6, mtime=0) if len(plain) >= _SMALLEST else plain
        if len(known) < _MOST_PACKED:
            known[key] = body
    response.close()
    sent = HttpResponse(body, headers={**response.headers, "Content-Length": str(len(body))})
    if body[:2] == b"\x1f\x8b":
        sent["Content-Encoding"] = "gzip"
    return sent
