"""Label Studio's settings, with a script for its pages (`keys.js` beside this file) and files that browsers keep.

This file runs inside Label Studio, in whose environment there is no `tashika`; it stands alone, and its folder brings
no other name into that environment. See `annotation.labelstudio.insertion`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_STOCK = "label_studio.core.settings.label_studio"
_END = b"</body>"
_PAGE = b'id="app-settings"'
_SCRIPT = Path(__file__).with_name("keys.js").read_bytes()


def insert_keys(respond: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A Django middleware that puts the script at the end of each page of the application."""

    def with_keys(request: Any) -> Any:
        response = respond(request)
        html = str(response.get("Content-Type", "")).startswith("text/html")
        if html and not response.streaming and _PAGE in response.content:
            body, end, rest = response.content.rpartition(_END)
            opening = f'<script nonce="{getattr(request, "csp_nonce", "")}">'.encode()
            if end:
                response.content = b"".join([body, opening, _SCRIPT, b"</script>", end, rest])
        return response

    return with_keys


def __dir__() -> list[str]:
    """The names of Label Studio's settings: those that it has so far, since it asks for some while it makes others."""
    return list(vars(sys.modules[_STOCK]))


def __getattr__(name: str) -> Any:
    """A setting of Label Studio's."""
    return getattr(sys.modules[_STOCK], name)


_middleware = import_module(_STOCK).MIDDLEWARE
_middleware.insert(0, "tashika_static.keep_files")
_middleware.append(f"{__name__}.insert_keys")
