"""The section of a report on models side by side, and the page of `tashika compare --html`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tashika.core.files import write_text
from tashika.core.reporting.rendering import STYLE, fill_template
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.side_by_side import Compared, Part, SideBySide
from tashika.evaluate.comparing.words import (
    difference_words,
    interval_words,
    summary,
    value_words,
    verdict,
)
from tashika.evaluate.reporting.finishing import finished
from tashika.evaluate.reporting.heat_map import heat_map, legend
from tashika.evaluate.statistics.paired import SURE, Contest, Test

if TYPE_CHECKING:
    from markupsafe import Markup

_HERE: Final = Path(__file__).parent
MOST_FIGURES: Final = 12
"""Groups up to which every measure's heat map stands on the page; with more, that of the first measure alone."""


@dataclass(frozen=True)
class Row:
    """Two systems by one measure, in words.

    Attributes:
        what: The measure, or the group.
        values: Of the two.
        difference: The first less the second.
        interval: Its ends; empty where there is none.
        contest: The numbers.
        verdict: Which is better, or that they are not told apart.
    """

    what: str
    values: tuple[str, str]
    difference: str
    interval: str
    contest: Contest
    verdict: str


class Pair(NamedTuple):
    """Two systems, with the rows about them."""

    first: str
    second: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class GroupSection:
    """One measure by group.

    Attributes:
        title: The measure.
        items: What it counts.
        figure: The heat map.
        darkest: The number from which on a square is as dark as can be, in words.
        legend: What stands in it as a number.
        shown: Whether the figure stands on the page; else it lies behind a fold.
        pairs: Every two systems with a row a group that has a test.
        groups: The groups, with their items and the systems' numbers in words.
    """

    title: str
    items: str
    figure: Markup
    darkest: str
    legend: Sequence[str]
    shown: bool
    pairs: Sequence[Pair]
    groups: Sequence[tuple[str, int, Sequence[str]]]


@dataclass(frozen=True)
class Section:
    """What the template is filled with.

    Attributes:
        side: The systems.
        pairs: Every two systems with a row a measure.
        by_items: Whether a row has McNemar's test as if all items were independent.
        counts: Whether a row has how often one alone has more.
        groups: By measure; empty where there are none.
        summary: What to know beside the numbers.
        command: What compares by hand.
        apart: Of every two systems that some measure tells apart, what it says of them.
    """

    side: SideBySide
    pairs: Sequence[Pair]
    by_items: bool
    counts: bool
    groups: Sequence[GroupSection]
    summary: Sequence[str]
    command: str
    apart: Sequence[str] = ()


def section(side: SideBySide, workspace: Workspace) -> Section:
    """The section of a report.

    Args:
        side: The systems side by side.
        workspace: The suite's folders.
    """
    pairs = _pairs([(compared.measure.title, compared.whole, compared) for compared in side.measures], side)
    contests = [row.contest for pair in pairs for row in pair.rows]
    return Section(
        side,
        pairs,
        any(contest.p_items is not None for contest in contests),
        any(contest.gained is not None for contest in contests),
        [_groups(compared, side) for compared in side.measures if _shown_groups(compared)],
        summary(side),
        f"tashika compare {workspace.argument} A B",
        [apart for pair in pairs if (apart := _apart(pair))],
    )


def _apart(pair: Pair) -> str:
    """Two systems, and the measures that tell them apart; empty where none does."""
    told = [row for row in pair.rows if row.contest.p_holm is not None and row.contest.p_holm < SURE]
    shown = ", ".join(f"{row.what} {row.difference}" for row in told)
    return f"{pair.first} against {pair.second} ({shown})" if told else ""


def words_of(side: SideBySide) -> list[tuple[str, str]]:
    """The words of the section that a newcomer does not know: (word, meaning)."""
    tests = {contest.test for compared in side.measures for contest in compared.whole.contests}
    known = [meaning for test, meaning in _WORDS if test is None or test in tests]
    return known if side.measures else []


_WORDS: Final[tuple[tuple[Test | None, tuple[str, str]], ...]] = (
    (
        "permutation",
        (
            "Permutation test",
            "How often a difference as large comes about when coins decide which answers are whose. Answers that hang "
            "together, such as those on one relation, are swapped together.",
        ),
    ),
    (
        "McNemar",
        ("McNemar's test", "Whether one of two systems is right more often where only one of them is; exact."),
    ),
    (
        None,
        (
            "Paired bootstrap",
            "Items, or what they hang together by, are drawn anew, the same for both systems, to see how the "
            "difference varies.",
        ),
    ),
    (
        None,
        ("p (Holm)", "A p that is corrected for all tests that stand beside it; below .05 two systems are told apart."),
    ),
)


def write_comparison(path: Path, side: SideBySide, workspace: Workspace) -> None:
    """Writes a comparison as a page of its own.

    Args:
        path: Where.
        side: The systems side by side.
        workspace: The suite's folders.
    """
    from markupsafe import Markup

    style = "".join(path.read_text(encoding="utf-8") for path in (STYLE, *sorted(_HERE.glob("*.css"))))
    context = {
        "suite": workspace.suite,
        "title": suite_named(workspace.suite).title,
        "css": Markup(style),
        "compared": section(side, workspace),
        "version": version("tashika"),
    }
    write_text(path, finished(fill_template([_HERE], "comparison.html.j2", context)))


def _pairs(parts: Sequence[tuple[str, Part, Compared]], side: SideBySide, *, tested: bool = False) -> list[Pair]:
    """Every two systems with a row a part; with `tested`, of those that have a test alone."""
    rows: dict[tuple[int, int], list[Row]] = {}
    for what, part, compared in parts:
        for contest in part.contests:
            if contest.p is not None or not tested:
                rows.setdefault((contest.first, contest.second), []).append(_row(what, contest, compared, side))
    return [Pair(side.names[first], side.names[second], of_pair) for (first, second), of_pair in rows.items()]


def _row(what: str, contest: Contest, compared: Compared, side: SideBySide) -> Row:
    first, second = contest.values
    measure = compared.measure
    return Row(
        what,
        (value_words(first, measure), value_words(second, measure)),
        difference_words(contest.delta, measure),
        interval_words(contest, measure),
        contest,
        verdict(contest, measure, side.names, side),
    )


def _shown_groups(compared: Compared) -> Sequence[Part]:
    """Groups that have a number."""
    return [part for part in compared.groups if any(value is not None for value in part.values)]


def _groups(compared: Compared, side: SideBySide) -> GroupSection:
    from markupsafe import Markup

    parts, measure = _shown_groups(compared), compared.measure
    names = [str(part.name) for part in parts]
    known = [value for part in parts for value in part.values if value is not None]
    low, high = min(0.0, *known), max(known)
    scale = (0.0, 1.0) if low >= 0.0 and 0.5 < high <= 1.0 else (low, high)  # low shares too shall differ in colour
    figure = heat_map(
        side.names,
        names,
        [part.values for part in parts],
        title=f"{measure.title} of all systems by {side.groups}",
        words=lambda value: value_words(value, measure),
        scale=scale,
    )
    return GroupSection(
        measure.title,
        measure.items or side.items,
        Markup(figure),
        value_words(scale[1], measure),
        legend(side.names, names),
        len(names) <= MOST_FIGURES or compared is side.measures[0],
        _pairs([(str(part.name), part, compared) for part in parts], side, tested=True),
        [(str(part.name), part.items, [value_words(value, measure) for value in part.values]) for part in parts],
    )
