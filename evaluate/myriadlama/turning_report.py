"""The report's part on the order of models: their scores over draws in one figure, and where one prompt turns it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics
from tashika.evaluate.myriadlama.turning import Turn, turns_of
from tashika.evaluate.myriadlama.wording_plots import Spread, spreads_figure

if TYPE_CHECKING:
    from markupsafe import Markup

_LAMA: Final = "LAMA-UHN's prompt"
_OURS: Final = "our first manual template"


@dataclass(frozen=True)
class NamedTurn:
    """Two models, with the words that the page has for them.

    Attributes:
        turn: What their draws say.
        one: The first model's name.
        other: The second's.
        one_single: Acc@1 of the first with one prompt a pair; None where it is not known of both.
        other_single: Of the second.
    """

    turn: Turn
    one: str
    other: str
    one_single: float | None
    other_single: float | None

    @property
    def turns(self) -> bool | None:
        """Whether one prompt and all prompts put them in another order; None where one prompt is not known."""
        if self.one_single is None or self.other_single is None:
            return None
        return (self.one_single - self.other_single) * (self.turn.one_accuracy - self.turn.other_accuracy) < 0


@dataclass(frozen=True)
class Order:
    """The order of models.

    Attributes:
        figure: Their scores over draws.
        single: What the one prompt a pair is.
        turns: Every two models that answered the same prompts.
        missing: Models whose predictions are gone.
    """

    figure: Markup
    single: str
    turns: Sequence[NamedTurn]
    missing: Sequence[str]


def order_of(names: Sequence[str], scores: Sequence[MyriadLamaMetrics], folders: Sequence[Path]) -> Order:
    """The figure and the table.

    Args:
        names: What the page calls the models.
        scores: Their scores.
        folders: Where their predictions lie.
    """
    from markupsafe import Markup

    lama = any(metrics.lama_uhn for metrics in scores)
    single = [_single(metrics, lama=lama) for metrics in scores]
    rows = [
        Spread(name, metrics.fluctuation["acc@1"], metrics.acc_at_1, one)
        for name, metrics, one in zip(names, scores, single, strict=True)
    ]
    what = _LAMA if lama else _OURS
    files = [folder / "predictions.parquet" for folder in folders]
    here = [place for place, file in enumerate(files) if file.is_file()]
    settings = scores[0].settings
    turns = turns_of([files[place] for place in here], settings.draws, settings.seed)
    models = [(metrics.model.name, metrics.model.revision) for metrics in scores]
    named = [
        _named(turn, [here[turn.one], here[turn.other]], names, single)
        for turn in turns
        if models[here[turn.one]] != models[here[turn.other]]  # a model asked in two ways has no order with itself
    ]
    missing = [name for place, name in enumerate(names) if place not in here]
    return Order(Markup(spreads_figure(rows, what)), what, named, missing)


def _single(metrics: MyriadLamaMetrics, *, lama: bool) -> float | None:
    """Acc@1 with one prompt a pair: LAMA's own where any model has been asked it."""
    if lama:
        return metrics.lama_uhn.acc_at_1.value if metrics.lama_uhn else None
    return metrics.single_template.acc_at_1 if metrics.single_template else None


def _named(turn: Turn, places: Sequence[int], names: Sequence[str], single: Sequence[float | None]) -> NamedTurn:
    one, other = places
    return NamedTurn(turn, names[one], names[other], single[one], single[other])
