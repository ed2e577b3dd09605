"""The picture with all systems of a suite near the head of its page; a suite gives the numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tashika.evaluate.reporting.intervals import Measure, measures_of_systems

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Overview:
    """What `overview.html.j2` shows.

    Attributes:
        title: What the picture is of.
        figure: The picture.
        caption: What its marks mean.
    """

    title: str
    figure: Markup
    caption: str


def overview(
    measures: Sequence[Measure],
    *,
    title: str,
    label: str,
    caption: str,
    lines: Mapping[str, float] | None = None,
    are_shares: bool = True,
) -> Overview | None:
    """The picture; None where no system has a number.

    Args:
        measures: The suite's main numbers, each of all systems that have it.
        title: What they are.
        label: Of the axis.
        caption: What the bars are intervals over, and what to know beside them.
        lines: What a guess comes to, by name.
        are_shares: Whether the numbers, which lie between 0 and 1, are shown in percent.
    """
    from markupsafe import Markup  # matplotlib escapes what it writes

    shown = [measure for measure in measures if measure.points]
    if not shown:
        return None
    figure = measures_of_systems(shown, title=f"{title}, all systems", label=label, lines=lines, are_shares=are_shares)
    return Overview(title, Markup(figure), caption)
