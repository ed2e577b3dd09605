"""What is added to a Label Studio that `serve` starts: the keys of labelling pages, and files that browsers keep.

Label Studio has no setting for a script. Its Django settings are named by a variable, though, and so are the folders
that it takes modules from: ours are its own settings, a middleware that inserts `inserted/keys.js`, and one that sends
scripts and styles so that a browser need not load them for each page (`inserted/tashika_static.py`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

KEYS_VARIABLE: Final = "TASHIKA_KEYS"
"""`stock` leaves Label Studio's pages as they are."""

_SETTINGS: Final = "DJANGO_SETTINGS_MODULE"
_FOLDER: Final = "inserted"


def insertion_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that have the keys inserted.

    Args:
        environment: Of this process. Where it names Django settings of the user's own, or asks for the stock keys,
            nothing is added.
    """
    if _SETTINGS in environment or environment.get(KEYS_VARIABLE) == "stock":
        return {}
    folder = str(files(__package__).joinpath(_FOLDER))
    before = environment.get("PYTHONPATH")
    return {
        _SETTINGS: "tashika_inserted",
        "PYTHONPATH": os.pathsep.join([folder, *([before] if before else [])]),
    }
