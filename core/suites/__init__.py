"""The table of suites: a sixth one is one line here and one module in each room."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from tashika.core.errors import InputError


@dataclass(frozen=True)
class Suite:
    """A dataset family, from source to score.

    Each room has a module of the suite's name: `tashika.builders.NAME` and `tashika.evaluate.NAME` hold a function
    `command` (the suite's own options on the command line), `tashika.annotation.NAME` the labelling pages and
    `tashika.exports.NAME` the release.
    """

    name: str
    title: str
    kinds: tuple[str, ...]


SUITES = MappingProxyType(
    {
        "myriadlama": Suite(
            "myriadlama",
            "MyriadLAMA and BELIEF: relational knowledge asked with many prompts",
            ("fact", "alias", "template"),
        ),
        "tempripple": Suite(
            "tempripple",
            "TempRIPPLE: facts that changed, their history, and what hangs on them over up to three hops",
            ("fact", "history", "related", "question"),
        ),
        "semrel": Suite(
            "semrel",
            "Semantic relations: probes, people's answers to them, and how far models and people confuse relations",
            ("probe", "relatum"),
        ),
        "proverbs": Suite(
            "proverbs",
            "Proverbs: does a model answer, and score its answers, alike where two questions mean the same?",
            ("pair", "check"),
        ),
        "kuci": Suite(
            "kuci",
            "KUCI: Japanese commonsense questions made of pairs of basic events",
            ("pair", "question"),
        ),
    }
)


def suite_named(name: str) -> Suite:
    """Looks a suite up.

    Raises:
        InputError: There is no such suite.
    """
    if name not in SUITES:
        raise InputError(f"there is no suite {name!r}", hint=f"Suites: {', '.join(SUITES)}.")
    return SUITES[name]
