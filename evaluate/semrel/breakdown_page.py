"""The report's sections on what the numbers hang on: vocabulary, prompt, frequency of the target, size of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from tashika.core.reporting.plots import MAIN, SECOND, drawing
from tashika.evaluate.semrel.cells import Mean
from tashika.evaluate.semrel.groups import ScoredSystem
from tashika.evaluate.semrel.own_words import SOUGHT
from tashika.evaluate.semrel.plots import heat_map


@dataclass(frozen=True)
class OneVocabulary:
    """A model's numbers with its answers sought in one vocabulary.

    Attributes:
        name: Of the vocabulary, in words.
        counts: Whether the page's other numbers are those.
        numbers: See `breakdown_model.VocabularyNumbers`.
        figure: The heat map.
    """

    name: str
    counts: bool
    numbers: Any
    figure: str


class Sized(NamedTuple):
    """A model by its size."""

    system: ScoredSystem
    parameters: int
    shown: str


def breakdown_context(systems: Sequence[ScoredSystem]) -> dict[str, Any]:
    """What the sections show.

    Args:
        systems: In the page's order.
    """
    sized = _sized(systems)
    return {
        "vocabularies": {system.folder: _vocabularies(system) for system in systems if system.metrics.vocabularies},
        "by_prompt": [system for system in systems if system.metrics.by_prompt],
        "by_frequency": [system for system in systems if system.metrics.by_frequency],
        "sized": sized,
        "size_figure": Markup(size_figure(sized)) if len(sized) > 1 else None,
    }


def _vocabularies(system: ScoredSystem) -> list[OneVocabulary]:
    counted = system.metrics.reading.vocabulary or "shared"
    return [
        OneVocabulary(
            SOUGHT[each.vocabulary],
            each.vocabulary == counted,
            each,
            Markup(heat_map(each.matrix, f"{system.name}, sought among {SOUGHT[each.vocabulary]}")),
        )
        for each in system.metrics.vocabularies
    ]


# Size -----------------------------------------------------------------------------------------------------------------


def _sized(systems: Sequence[ScoredSystem]) -> list[Sized]:
    """The models whose parameters are known, the smallest first."""
    known = [(system, system.metrics.parameters) for system in systems]
    sized = [Sized(system, count, short_count(count)) for system, count in known if count]
    return sorted(sized, key=lambda each: (each.parameters, each.system.name))


def short_count(count: int) -> str:
    """A number of parameters as models' names have it: 135M, 1.3B."""
    for unit, name in ((10**9, "B"), (10**6, "M"), (10**3, "K")):
        if count >= unit:
            return f"{count / unit:.3g}{name}" if count < 999.5 * unit else f"{count / unit:,.0f}{name}"
    return str(count)


def size_figure(sized: Sequence[Sized]) -> str:
    """Antonymy bias against the number of parameters: the column as points, the row as hollow squares.

    Args:
        sized: The models.
    """
    with drawing(2.6, "Antonymy bias by the number of parameters") as (figure, result):
        axes = figure.add_subplot()
        for name, shape, colour, label in (
            ("column", "o", MAIN, "others taken for antonymy"),
            ("row", "s", SECOND, "antonymy taken for others"),
        ):
            means = [(each.parameters, _bias(each.system, name)) for each in sized]
            points = [(count, mean) for count, mean in means if mean.value is not None]
            for count, mean in points:
                if mean.interval:
                    axes.vlines(count, mean.interval.low, mean.interval.high, color=colour, linewidth=2.2, alpha=0.4)
            x, y = [count for count, _ in points], [mean.value for _, mean in points]
            face = colour if shape == "o" else "none"
            axes.plot(x, y, shape, color=colour, markerfacecolor=face, markersize=6, label=label)
        counts = sorted({each.parameters for each in sized})
        axes.set_xscale("log")
        axes.set_xticks(counts, [short_count(count) for count in counts], rotation=30, ha="right")
        axes.set_xticks([], minor=True)
        axes.set(xlabel="parameters", ylabel="mean confusability", ylim=(-0.03, 1.03))
        if counts[0] == counts[-1]:
            axes.set_xlim(counts[0] / 2, counts[0] * 2)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=2, fontsize=8.5)
    return result[0]


def _bias(system: ScoredSystem, name: str) -> Mean:
    mean: Mean = getattr(system.metrics.antonymy_bias, name)
    return mean
