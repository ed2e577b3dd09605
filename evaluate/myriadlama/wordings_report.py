"""The report's part on wordings: what the prompts of a question give together, and the best and worst templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics
from tashika.evaluate.myriadlama.tables import Cell, Group, Row
from tashika.evaluate.myriadlama.wording_numbers import Estimate, Pooled, TemplateScore
from tashika.evaluate.myriadlama.wording_plots import abstention_figure

if TYPE_CHECKING:
    from markupsafe import Markup

_SHOWN: Final = 3
"""Templates that are shown of each end."""


@dataclass(frozen=True)
class Wordings:
    """The best and the worst templates of one relation.

    Attributes:
        relation: Its id.
        label: Its name, empty where none is known.
        count: How many templates were asked.
        best: The best ones, the best first.
        worst: The worst ones that are not among these, the worst first.
        apart: Whether the intervals of the best and the worst one do not meet.
        alike: Whether all of them have one and the same accuracy, so that none is best.
    """

    relation: str
    label: str
    count: int
    best: Sequence[TemplateScore]
    worst: Sequence[TemplateScore]
    apart: bool
    alike: bool

    @property
    def gap(self) -> float:
        """Acc@1 of the best minus that of the worst template."""
        return self.best[0].acc_at_1.value - self.worst[0].acc_at_1.value if self.worst else 0.0


@dataclass(frozen=True)
class WordingsOfModel:
    """What the page shows of one model's wordings.

    Attributes:
        abstention: The figure; None where the scores are of an older version.
        relations: By relation, in the order of their ids.
        widest: The relations whose best and worst template are furthest apart, and not by chance alone.
    """

    abstention: Markup | None
    relations: Sequence[Wordings]
    widest: Sequence[Wordings]


def wordings_of(metrics: MyriadLamaMetrics, labels: Mapping[str, str], name: str) -> WordingsOfModel:
    """One model's figure and templates.

    Args:
        metrics: Its scores.
        labels: The relations' names by their ids.
        name: What the page calls it.
    """
    from markupsafe import Markup

    figure = Markup(abstention_figure(metrics.pooled.abstention, name)) if metrics.pooled else None
    relations = [
        _wordings(relation, labels.get(relation, ""), scores)
        for relation, scores in sorted((metrics.templates or {}).items())
    ]
    apart = sorted((row for row in relations if row.apart), key=lambda row: (-row.gap, row.relation))
    return WordingsOfModel(figure, relations, apart[:5])


def _wordings(relation: str, label: str, scores: Sequence[TemplateScore]) -> Wordings:
    best = scores[:_SHOWN]
    worst = list(reversed(scores[len(best) :]))[:_SHOWN]
    if not worst and len(best) > 1:
        best, worst = best[:1], list(reversed(best[1:]))
    low, high = best[0].acc_at_1.low, worst[0].acc_at_1.high if worst else None
    apart = low is not None and high is not None and low > high
    alike = scores[0].acc_at_1.value == scores[-1].acc_at_1.value
    return Wordings(relation, label, len(scores), best, worst, apart, alike)


_Read = Callable[[Pooled], Estimate]

_TABLE: Final[Sequence[tuple[str, Sequence[tuple[str, _Read]]]]] = (
    (
        "One answer to a question from all its prompts (higher is better)",
        (
            ("One prompt, drawn at random", lambda pooled: pooled.one_prompt),
            ("Vote: the most frequent word", lambda pooled: pooled.vote),
            ("Vote, each as loud as it is sure", lambda pooled: pooled.vote_by_confidence),
            ("Vote minus one prompt", lambda pooled: pooled.vote_gain),
        ),
    ),
    (
        "How much the prompts hold",
        (
            ("Any prompt is right", lambda pooled: pooled.any_prompt),
            ("All prompts are right", lambda pooled: pooled.all_prompts),
        ),
    ),
    (
        "Accuracy if it may abstain, mean over all coverages (higher is better)",
        (
            ("Prompts, by confidence", lambda pooled: _area(pooled, 0)),
            ("Questions by vote, by confidence", lambda pooled: _area(pooled, 1)),
            ("Questions by vote, by agreement", lambda pooled: _area(pooled, 2)),
        ),
    ),
)


def _area(pooled: Pooled, number: int) -> Estimate:
    return pooled.abstention[number].area


def pooled_table(models: Sequence[Pooled | None]) -> list[Group]:
    """The table of what all prompts of a question give together, a column a model."""
    return [
        Group(title, [Row(name, [_cell(pooled, read) for pooled in models], ()) for name, read in rows])
        for title, rows in _TABLE
    ]


def _cell(pooled: Pooled | None, read: _Read) -> Cell:
    if pooled is None:
        return Cell(None, None)
    estimate = read(pooled)
    return Cell(estimate.value, None if estimate.low is None else estimate)
