"""How the questions of a release were made, in sentences: for its card and for the report.

The release holds its build's settings as `built_with` (`exports.kuci.export`): the section [build.questions], the one
[build.filters] as `filters`, and as `lost` the pairs without a question, by reason. A setting that is not there is one
that the build did not know, so what it does was not done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Settings = Mapping[str, Any]
"""`built_with` of a release."""

_RANGE: Final = (0.4, 0.6)
_WORDS: Final = (0.5, 2.0)
_SPLIT: Final = (8, 1, 1)
_FORM: Final = {"tense": "tense", "style": "style (polite or plain)", "act": "act (statement, request, question …)"}


def similarity(settings: Settings) -> tuple[float, float]:
    """The range of a wrong option's cosine with the answer."""
    low, high = settings.get("similarity", _RANGE)
    return float(low), float(high)


def condition_similarity(settings: Settings) -> str:
    """What Similarity asks of wrong options."""
    low, high = similarity(settings)
    thirds = (
        "the range's thirds, from each of which one is taken, are equally wide"
        if settings.get("bins") == "widths"
        else "the candidates are put in order of it, and one of each third of them is taken, so not of each third of "
        "the range"
    )
    return f"A wrong option's mean word vector has a cosine of {low:g} to {high:g} with the answer's; {thirds}."


def condition_length(settings: Settings) -> str:
    """What Length asks of wrong options."""
    low, high = settings.get("length", _WORDS)
    return f"A wrong option has {low:g} to {high:g} times as many words as the answer."


def form(settings: Settings) -> str:
    """Which form wrong options have."""
    match = [_FORM[name] for name in settings.get("match", ())]
    same = f"Wrong options have the answer's {_and(match)}."
    other = "Wrong options may have another form than the answer."
    refused = " A consequent that follows from nearly anything (好きだ, しています, 気分がいい) is no option."
    return (same if match else other) + (refused if settings.get("refuse_empty") else "")


def kinship(settings: Settings) -> str:
    """How unlike a right answer wrong options are."""
    highest = float(settings.get("kinship", 1.0))
    if highest >= 1:
        return "A wrong option may have followed from an event like the context's: some are right answers too."
    return (
        "So that none is a right answer too, what a wrong option followed from has a cosine of "
        f"{highest:g} at most with the context, and so has its basic event with the answer's."
    )


def origin(settings: Settings) -> str:
    """Where wrong options come from."""
    if settings.get("own_part"):
        return "Wrong options are second events of pairs of the question's own part."
    return "Wrong options are second events of pairs of any part, so training questions tell some of the test part's."


def use(settings: Settings) -> str:
    """How often texts are used."""
    if settings.get("balance"):
        where = "Within a part" if settings.get("own_part") else "Over all parts"
        return (
            f"{where} each text is a wrong option exactly three times as often as it is an answer, so nothing "
            "about a text alone tells whether it is the answer. The places of the answers are as even."
        )
    return "Texts are wrong options as often as it happens: one that its part shows seldom is rather an answer."


def evenness(settings: Settings) -> str:
    """Whether the answer stands out by its length or likeness."""
    if settings.get("even"):
        return (
            "Among the wrong options that meet these conditions, such are taken that the answer is the shortest, the "
            "longest, or the one most like the others about as often as any option."
        )
    return "Nothing keeps the answer from being the shortest option, or the one most like the others, too often."


def parts(settings: Settings) -> str:
    """How the questions are divided."""
    shares = " : ".join(f"{share:g}" for share in settings.get("split", _SPLIT))
    return (
        f"Pairs were divided {shares} into `train`, `validation` and `test`. No context, and no pair of basic events, "
        "is in two of them."
    )


def filtered(settings: Settings) -> str:
    """Which pairs were left out before people saw them."""
    filters = settings.get("filters", {})
    words = {"demonstratives": "demonstratives", "unknown_words": "unknown words", "modality": "modality"}
    others = [word for name, word in words.items() if filters.get(name, True)]
    least = filters.get("least_confidence", 0.0)
    unsure = f" So were pairs with a confidence below {least:g}." if least else ""
    return f"{_and(['Too frequent basic events', *others])} were filtered out.{unsure}"


def lost(settings: Settings) -> dict[str, int]:
    """Accepted pairs without a question, by reason, the most first."""
    reasons = settings.get("lost", {})
    return dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0])))


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
