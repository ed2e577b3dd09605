"""One sentence on each word of the page that a reader may meet for the first time."""

from __future__ import annotations

from typing import Final

from tashika.evaluate.custom.metrics_model import CustomMetrics

_ALWAYS: Final = (
    ("Item", "One released entry of the dataset, which models are asked about."),
    ("Target", "The column of the dataset that holds what is right."),
)
_ACCURACY: Final = (
    "Accuracy",
    "The share of the questions that are right, of those that could be asked; a reply that cannot be read is wrong.",
)
_INTERVAL: Final = (
    "95 % interval",
    "Where the number lies if other items had been drawn: of a share Wilson's, else a percentile bootstrap over items.",
)
_MACRO: Final = (
    (
        "F1",
        "Of a label: the harmonic mean of precision (of those given it) and recall (of those that have it).",
    ),
    ("Macro F1", "The mean of the labels' F1: rare labels count as much as common ones."),
    ("Confusion matrix", "How often each label (column) was given where each (row) is right."),
)
_RANKS: Final = (
    ("Rank", "How many tokens of the model are likelier at the blank than the best right word, plus 1."),
    ("MRR", "The mean of 1 / rank: 1 where the right word is always the likeliest."),
    ("acc@k", "How often the rank is at most k."),
)
_BASELINES: Final = (
    ("Chance", "What guessing evenly among the options comes to."),
    (
        "Commonest answer",
        "What somebody scores who always gives the label, or the place, that is right most often here.",
    ),
)
_LIKELIHOOD: Final = (
    "Likelihood",
    "How probable a model finds the words of an option behind the question; it chooses the likeliest.",
)
_JUDGE: Final = (
    ("Judge", "A model that reads each answer and gives it a number by the rubric."),
    ("Spearman's r", "Whether two numbers rise together: 1 always, 0 not at all, −1 the one falls as the other rises."),
)
_PEOPLE: Final = (
    "One person with the rest",
    "How often one person gives the label that most of the others gave; the model is compared with the same others.",
)


def glossary(metrics: CustomMetrics) -> tuple[tuple[str, str], ...]:
    """The words that a page on such scores has, in the order in which a newcomer needs them."""
    words = [*_ALWAYS]
    if metrics.measure != "mean score":
        words.append(_ACCURACY)
    words.append(_INTERVAL)
    words += _MACRO if metrics.confusion else ()
    words += _RANKS if metrics.ranks else ()
    words += _BASELINES if metrics.baselines else ()
    words += [_LIKELIHOOD] if metrics.baselines and not metrics.asking.in_words else []
    words += _JUDGE if metrics.judged else ()
    words += [_PEOPLE] if metrics.people else []
    return tuple(words)
