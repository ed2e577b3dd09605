"""Which suites there are: those in this package, and those that other packages bring.

Another package declares a suite as an entry point of the group `tashika.suites`:

    [project.entry-points."tashika.suites"]
    riddles = "riddles.suite:SUITE"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Final

from tashika.core import suites as package
from tashika.core.errors import InputError
from tashika.core.suites.suite import Suite

GROUP: Final = "tashika.suites"
"""The group of entry points that other packages declare suites in."""


@cache
def all_suites() -> Mapping[str, Suite]:
    """All suites by name, those of this package first.

    A suite from outside that cannot be imported, is no `Suite`, or has a name that is taken is left out with a warning
    that names it: one broken package must not take the others down.
    """
    found = {suite.name: suite for suite in _built_in()}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        suite = _from_outside(point, found)
        if suite is not None:
            found[suite.name] = suite
    return MappingProxyType(found)


def suite_named(name: str) -> Suite:
    """Looks a suite up.

    Raises:
        InputError: There is no such suite.
    """
    known = known_suites()
    if name not in known:
        hint = f"Suites: {', '.join(known)}. A suite of your own is named by its file, such as riddles.toml."
        raise InputError(f"there is no suite {name!r}", hint=hint)
    return known[name]


_opened: dict[str, Suite] = {}
"""Suites of the user's own whose files this process has read."""


def known_suites() -> Mapping[str, Suite]:
    """All suites by name, and those of the user's own that were opened."""
    return {**all_suites(), **_opened}


def suite_argument(name: str) -> str:
    """What the command line is given to mean a suite, for what an error says to run."""
    found = known_suites().get(name)
    return found.argument if found else name


def open_suite(reference: str) -> Suite:
    """The suite that a word of the command line means: a name, a suite file, or a folder with a `suite.toml`.

    Raises:
        InputError: There is no such suite.
        ConfigError: Something is wrong with the file, or its name is another suite's.
    """
    if reference in known_suites():  # which needs no reading of files, and --help of a suite's command is quick
        return suite_named(reference)
    from tashika.core.custom.reading import suite_path

    path = suite_path(reference)
    if path is None:
        return suite_named(reference)
    from tashika.core.custom.suite import open_suite_file

    suite = open_suite_file(path)
    _opened[suite.name] = suite
    return suite


def _built_in() -> Iterator[Suite]:
    """Each folder beside this module is a suite, declared in its `__init__`."""
    for module in iter_modules(package.__path__):
        if module.ispkg:
            yield import_module(f"{package.__name__}.{module.name}").SUITE


def _from_outside(point: EntryPoint, known: Mapping[str, Suite]) -> Suite | None:
    where = f"the suite {point.name!r} ({point.value}"
    where += f" of the package {point.dist.name})" if point.dist else ")"
    try:
        suite = point.load()
    except Exception as error:  # whatever a package of others raises while it is imported
        _warn(f"{where} cannot be imported and is left out: {type(error).__name__}: {error}")
        return None
    if not isinstance(suite, Suite):
        _warn(f"{where} is left out: found a {type(suite).__name__}, expected a tashika.core.suites.Suite")
        return None
    if suite.name in known:
        _warn(f"{where} is left out: there is a suite {suite.name!r} already")
        return None
    return suite


def _warn(message: str) -> None:
    from tashika.core.progress import console

    console.print(f"warning: {message}", style="yellow", markup=False)
