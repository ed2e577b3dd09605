"""What a task or a page shows, as a few characters: whether it is still what was pushed."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest_of(shown: Any) -> str:
    """A digest of what a task shows or of a page's markup, in 16 hexadecimal digits; half surrogates are no error."""
    text = shown.strip() if isinstance(shown, str) else json.dumps(shown, sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
