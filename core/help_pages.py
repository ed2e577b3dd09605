"""Makes `--help` quick: what typer shows it with, without what of it is never used.

`typer.rich_utils` imports rich's Markdown and its tracebacks, with a parser and a highlighter behind them: a quarter of
the time of `tashika --help`. Our help texts are no Markdown, and errors leave without a traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final

_UNUSED: Final = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""Module -> the class that typer imports from it."""


def asks_for_help(words: Sequence[str]) -> bool:
    """Whether a command line shows a help page.

    Args:
        words: What stands behind the program's name.
    """
    return not words or "--help" in words or "-h" in words


def import_help() -> None:
    """Imports what typer shows help pages with; the modules that it does not need stay to be imported by others."""
    if "typer.rich_utils" in sys.modules:
        return
    placeholders = {name: ModuleType(name) for name in _UNUSED if name not in sys.modules}
    for name, module in placeholders.items():
        setattr(module, _UNUSED[name], type(_UNUSED[name], (), {}))
    sys.modules.update(placeholders)
    try:
        import typer.rich_utils  # noqa: F401  typer's commands find it in sys.modules
    finally:
        for name in placeholders:
            del sys.modules[name]
