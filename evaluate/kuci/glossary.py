"""One sentence on each word of KUCI's report, for a reader who meets it for the first time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tashika.core.suites.kuci import drawing

_SIMILARITY: Final = "Condition Similarity"
_LENGTH: Final = "Condition Length"


def glossary(built_with: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(word, meaning), in the order in which a newcomer needs them.

    Args:
        built_with: The settings that the release's questions were made with.
    """
    own = {
        _SIMILARITY: f"{drawing.condition_similarity(built_with)} Neither a paraphrase nor far off.",
        _LENGTH: drawing.condition_length(built_with),
    }
    return tuple((word, own.get(word, meaning)) for word, meaning in _WORDS)


_WORDS: Final = (
    ("Basic event", "A predicate with an argument that often occur together, such as お腹が空く (to get hungry)."),
    (
        "Pair",
        "Two clauses of one sentence that hold basic events, the first being the cause or the condition of the second.",
    ),
    ("Antecedent, consequent", "The first and the second clause of a pair."),
    ("Marker", "The word that says how the clauses hang together, such as ので (because) or れば (if)."),
    (
        "Question",
        "An antecedent as the context, and four options: its consequent, which is the answer, and three consequents of "
        "other pairs.",
    ),
    (
        "Fits",
        "An option that more than half of the people tick who are asked which ones may follow the context; a question "
        "may have several such options, or none.",
    ),
    (_SIMILARITY, ""),
    (_LENGTH, ""),
    (
        "Ablation",
        "The same questions made without one of the conditions; models are trained and tested on that set anew.",
    ),
    ("Train, validation, test", "A model learns from the first part, stops by the second and is scored on the third."),
    ("Fine-tuned", "An encoder with a linear layer on top, trained on the training part to choose among four options."),
    (
        "Zero-shot",
        "Scored without any training on the questions: the model's likelihood of each option behind the context.",
    ),
    ("Training run, seed", "One training from other random numbers; ± is the standard deviation over such runs."),
    ("Accuracy", "The share of the answered questions whose chosen option is right; the mean over training runs."),
    ("No answer", "Nothing could be chosen, such as a reply that names no option; counted apart from the accuracy."),
    ("Chance", "The accuracy of guessing: one of four, 25 %."),
    (
        "95 % interval",
        "Of an accuracy: where it lies if other questions had been drawn (Wilson). Of a difference: contexts are drawn "
        "anew with all their questions, the same on both sides (percentile bootstrap). Training runs are taken as they "
        "are: more of them do not make an interval narrower.",
    ),
    (
        "p against chance",
        "How probable so many or so few right answers are for somebody who guesses (exact binomial test, two-sided); "
        "of several training runs the largest p.",
    ),
    (
        "McNemar's test",
        "Whether more questions turned right than wrong from one side to the other; exact, over questions of the same "
        "pairs, in the first training run.",
    ),
    ("p (Holm)", "A p that is corrected for how many tests stand in the same table."),
    (
        "Annotation artefact",
        "A trace of how the options were made that gives the answer away, so that a model need not read the context.",
    ),
    (
        "Clue",
        "A kind of trace: the form of options (tense, politeness) beside the context's marker, their length, their "
        "style, how often their part shows them, how likely they are as texts. Each has a baseline that learns it and "
        "sees nothing else.",
    ),
    (
        "Krippendorff's alpha, Fleiss' kappa",
        "How much annotators agree beyond chance: 1 is full agreement, 0 what chance alone would give.",
    ),
)
