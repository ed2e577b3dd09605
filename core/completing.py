"""What the shell offers at the tab key: suites, releases and scored systems; light, as each press asks anew.

`tashika --install-completion` brings the shell to ask. Where nothing fits, shells offer files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.suites.discovery import all_suites
from tashika.core.suites.suite import SUITE_FILE

_VARIABLE: Final = "_TASHIKA_COMPLETE"
_MOST_BYTES: Final = 1 << 20
"""Of a TOML file that is looked into."""

Offer = tuple[str, str]
"""A word, and what it means."""


def is_completing() -> bool:
    """Whether the shell asks what may follow, in place of running a command."""
    return bool(os.environ.get(_VARIABLE))


def shows_help() -> bool:
    """Whether the shell that asks shows what each word means; bash does not."""
    return is_completing() and not os.environ[_VARIABLE].endswith("_bash")


def offered(words: Iterable[Offer], incomplete: str) -> list[Offer]:
    """Those that begin as what stands there, once each."""
    return [(word, meaning) for word, meaning in dict(words).items() if word.startswith(incomplete)]


def complete_suite(incomplete: str) -> list[Offer]:
    """Suites by name, and those of the user's own in the folder that is being typed."""
    named = ((name, suite.title) for name, suite in all_suites().items())
    return offered([*named, *_own_suites(incomplete)], incomplete)


def complete_release(ctx: Any, incomplete: str) -> list[Offer]:
    """Suites that have a release in the working directory, and the folders of these."""
    folders = sorted(path.parent for path in work_of(ctx).glob("*/release/release.json"))
    suites = [(folder.parent.name, "the release of this suite") for folder in folders]
    return offered([*suites, *((str(folder), "a release") for folder in folders)], incomplete)


def complete_system(ctx: Any, incomplete: str) -> list[Offer]:
    """What was scored on the suite of the command line."""
    suite = ctx.params.get("suite")
    scored = sorted((work_of(ctx) / suite / "evaluate").glob("*/metrics.json")) if suite else []
    return offered(((path.parent.name, "scored") for path in scored), incomplete)


def work_of(ctx: Any) -> Path:
    """The working directory of a command line that is not complete."""
    from tashika.core.options import WORK

    return Path(ctx.params.get("work") or WORK)


def _own_suites(incomplete: str) -> Iterator[Offer]:
    """Folders with a suite file and suite files themselves, where the incomplete word points to."""
    folder, _, _ = incomplete.rpartition("/")
    place = Path(folder or ("/" if incomplete.startswith("/") else "."))
    for path in sorted(_listed(place)):
        shown = f"{folder}/{path.name}" if "/" in incomplete else path.name
        if (path / SUITE_FILE).is_file():
            yield shown, "a suite of your own"
        elif path.suffix == ".toml" and _is_suite_file(path):
            yield shown, "a suite file of your own"


def _listed(place: Path) -> Sequence[Path]:
    try:
        return list(place.iterdir())
    except OSError:
        return []


def _is_suite_file(path: Path) -> bool:
    """Whether a TOML file has the parts of a suite file; settings files have not."""
    try:
        return path.stat().st_size < _MOST_BYTES and "[suite]" in path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
