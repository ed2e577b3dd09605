"""Baselines by name: which there are, and what they choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from tashika.core.suites.kuci.words import SPLITS, Split
from tashika.evaluate.kuci.baselines import (
    RULES,
    UNTRAINED,
    Bag,
    BagSettings,
    Places,
    bag_scores,
    fit_bag,
    highest,
)
from tashika.evaluate.kuci.clues import CLUES, Markers, clue_scores
from tashika.evaluate.kuci.questions import KuciQuestion, KuciRelease
from tashika.evaluate.systems import System
from tashika.evaluate.ways.questions import Logits, Question

Parts = Mapping[Split, Sequence[KuciQuestion]]

BAG: Final = "bag-of-words"
_FORMS: Final = "form-by-marker-clue"
BASELINES: Final[Mapping[str, str]] = {
    BAG: "bag of words, options only",
    **{f"{name.replace(' ', '-')}-clue": f"{name}, learned" for name in CLUES},
    **{name.replace(" ", "-"): f"{name} (a rule)" for name in RULES},
}
"""Systems that every release is scored with: what their folders are called, and what they are."""


def is_usable(name: str, release: KuciRelease, trainable: bool) -> bool:
    """Whether a baseline can be asked about a release: it learns nothing or has what to learn from, and knows forms.

    Args:
        name: One of `BASELINES`.
        release: What is asked about; the authors' own does not say what form its options have.
        trainable: Whether it has questions to learn from.
    """
    if name == _FORMS:
        whole = [question for parts in release.sets.values() for part in parts.values() for question in part]
        return trainable and all(question.forms for question in whole)
    return trainable or any(rule.replace(" ", "-") == name for rule in UNTRAINED)


def baseline_system(name: str) -> System:
    """A baseline as a system.

    Args:
        name: One of `BASELINES`.
    """
    return System(name, BASELINES[name], "baseline", version("tashika"), device="cpu")


def baseline_scores(
    system: System, parts: Parts, markers: Markers, bag: BagSettings
) -> tuple[Logits, Mapping[str, Any]]:
    """What a baseline gives the options of the test part, having learned from the others; and what to note of it.

    Args:
        system: The baseline.
        parts: The questions of a set.
        markers: Pair -> marker.
        bag: How the bag of words is fitted.

    Raises:
        InputError: There is nothing to learn from, or the release lacks what the baseline goes by.
    """
    if system.given != BAG:
        return _scores(system, parts["train"], parts["test"], markers), {}
    fitted = fit_bag(_asked(parts["train"]), _asked(parts["validation"]), bag)
    return bag_scores(fitted, _asked(parts["test"])), {"bag": _described(fitted)}


def baseline_choices(system: System, parts: Parts, markers: Markers, bag: BagSettings) -> dict[Split, Places]:
    """What a baseline chooses in each part that has questions.

    One that learns is asked about test and validation part when it learned from the training part, and about the
    training part when it learned from these two. The bag of words chooses its penalty by the validation part, and is
    not asked about it.
    """
    having = {split: parts[split] for split in SPLITS if parts[split]}
    untrained = {name.replace(" ", "-") for name in UNTRAINED}
    if system.given in untrained:
        return {split: highest(_scores(system, [], own, markers)) for split, own in having.items()}
    if len(having) < len(SPLITS):
        return {}
    if system.given == BAG:
        ways: tuple[tuple[Split, Split], ...] = (("train", "test"), ("test", "train"))
        validation = _asked(parts["validation"])
        return {
            split: highest(bag_scores(fit_bag(_asked(parts[learned]), validation, bag), _asked(parts[split])))
            for learned, split in ways
        }
    others = {"train": [*parts["validation"], *parts["test"]]}
    return {
        split: highest(_scores(system, others.get(split, parts["train"]), own, markers))
        for split, own in having.items()
    }


def _scores(system: System, train: Sequence[KuciQuestion], asked: Sequence[KuciQuestion], markers: Markers) -> Logits:
    clue = next((name for name in CLUES if f"{name.replace(' ', '-')}-clue" == system.given), None)
    if clue is not None:
        return clue_scores(clue, train, asked, markers)
    rule = next(name for name in RULES if name.replace(" ", "-") == system.given)
    return RULES[rule](_asked(train), _asked(asked))


def _asked(questions: Sequence[KuciQuestion]) -> list[Question]:
    return [question.asked for question in questions]


def _described(bag: Bag) -> dict[str, Any]:
    features = len(bag.place_of)
    return {"penalty": bag.penalty, "validation_accuracy": bag.validation_accuracy, "features": features}
