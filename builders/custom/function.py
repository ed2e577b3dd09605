"""Candidates that a Python function of the user's yields: the one thing in a suite file that runs code."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tashika.builders.custom.rows import RawRow, Source
from tashika.core.errors import InputError
from tashika.core.files import hash_file


def function_source(place: str, folder: Path) -> Source:
    """The rows of a function.

    Args:
        place: MODULE:NAME; the module lies beside the suite file, or is installed.
        folder: The suite file's.

    Raises:
        InputError: It cannot be imported, or is no function that yields rows.
    """
    module_name, _, name = place.partition(":")
    sys.path.insert(0, str(folder.resolve()))
    try:
        module = importlib.import_module(module_name)
        function = getattr(module, name)
    except Exception as error:  # whatever the user's module raises when it is imported
        raise InputError(f"cannot be imported: {type(error).__name__}: {error}", where=place) from error
    finally:
        sys.path.remove(str(folder.resolve()))
    if not callable(function):
        raise InputError(f"found a {type(function).__name__}, expected a function without arguments", where=place)
    path = getattr(module, "__file__", None)
    return Source(_rows(function, place), place, hash_file(Path(path))[:12] if path else None)


def _rows(function: Any, place: str) -> Iterator[RawRow]:
    number = 0
    try:
        rows = function()
        if isinstance(rows, Mapping | str) or not isinstance(rows, Iterable):
            raise InputError(f"found a {type(rows).__name__}, expected rows: mappings by column", where=place)
        for row in rows:
            number += 1
            where = f"{place} row {number}"
            if isinstance(row, Mapping):
                yield RawRow(where, row)
            else:
                yield RawRow(where, {}, refused=f"found a {type(row).__name__}, expected a mapping by column")
    except InputError:
        raise
    except Exception as error:  # whatever the user's function raises
        raise InputError(f"fails after {number:,} rows: {type(error).__name__}: {error}", where=place) from error
