"""Questions with several right options: scores with them and without, for models and for people.

People tick all options that fit, of the questions that the build names (not in the paper). One who must choose a single
option cannot be right but by luck where two fit, so an accuracy is shown three times: on all questions, without those
in which people find more than one fitting option, and on those in which they find the answer fitting and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tashika.evaluate.kuci.metrics_model import Ends
from tashika.evaluate.kuci.questions import KuciQuestion
from tashika.evaluate.statistics.inference import wilson_interval

WITHOUT: Final = "without several"
ALONE: Final = "answer alone"


def _alone(question: KuciQuestion) -> bool:
    return question.more_than_one == "no" and question.fitting == (question.answer,)


SUBSETS: Final[Mapping[str, Callable[[KuciQuestion], bool]]] = {
    WITHOUT: lambda question: question.more_than_one != "yes",
    ALONE: _alone,
}
"""By name, which questions are in it. Those that nobody judged stay in `WITHOUT`, and are not in `ALONE`."""

NAMES: Final[Mapping[str, str]] = {
    WITHOUT: "without several right options",
    ALONE: "the answer alone fits",
}
"""As pages call them."""


def is_judged(questions: Sequence[KuciQuestion]) -> bool:
    """Whether people judged any of some questions option by option."""
    return any(question.more_than_one != "not judged" for question in questions)


class Findings(NamedTuple):
    """What people find of some questions, in number.

    Attributes:
        questions: All of them.
        judged: Those that people judged option by option.
        several: In which more than one option fits.
        alone: In which the answer alone fits.
        other: In which another option alone fits.
        none: In which no option fits.
        undecided: On which they disagree, or too few judged them.
        interval: Of the share of `several` among the decided (Wilson, 95 %); None where nothing was decided.
    """

    questions: int
    judged: int
    several: int
    alone: int
    other: int
    none: int
    undecided: int
    interval: Ends | None

    @property
    def decided(self) -> int:
        """Questions that people decided."""
        return self.judged - self.undecided


def findings(questions: Sequence[KuciQuestion]) -> Findings:
    """Counts what people find of some questions."""
    several = Counter(question.more_than_one for question in questions)
    single = [question for question in questions if question.more_than_one == "no"]
    alone, none = sum(map(_alone, single)), sum(not question.fitting for question in single)
    judged = len(questions) - several["not judged"]
    decided = judged - several["undecided"]
    return Findings(
        len(questions),
        judged,
        several["yes"],
        alone,
        len(single) - alone - none,
        none,
        several["undecided"],
        _wilson(several["yes"], decided),
    )


class PeopleShare(NamedTuple):
    """People's accuracy on some of the questions that they answered; what most of them chose counts.

    Attributes:
        questions: That people answered.
        accuracy: Ties and too few answers are not right; None where there is no question.
        wilson: Its 95 % interval.
    """

    questions: int
    accuracy: float | None
    wilson: Ends | None


def people_by_subset(questions: Sequence[KuciQuestion]) -> dict[str, PeopleShare]:
    """How often people are right who had to choose one option: on all questions they were asked, and by subset."""
    asked = [question for question in questions if question.people != "not asked"]
    parts = {"all": asked, **{name: [one for one in asked if belongs(one)] for name, belongs in SUBSETS.items()}}
    return {name: _people(part) for name, part in parts.items()}


def _people(questions: Sequence[KuciQuestion]) -> PeopleShare:
    right, count = sum(question.people == "right" for question in questions), len(questions)
    return PeopleShare(count, right / count if count else None, _wilson(right, count))


def _wilson(count: int, of: int) -> Ends | None:
    interval = wilson_interval(count, of)
    return Ends(low=interval.low, high=interval.high) if interval else None


def several_of(questions: Sequence[KuciQuestion], count: int) -> list[dict[str, Any]]:
    """The first questions in which people find more than one fitting option, with those options, for a page."""
    chosen = [question for question in questions if question.more_than_one == "yes"][:count]
    return [
        {
            "context": question.context,
            "relation": question.relation,
            "options": [
                {"text": text, "right": place == question.answer, "fits": place in question.fitting}
                for place, text in enumerate(question.options)
            ],
        }
        for question in chosen
    ]
