"""One sentence on each word of the report on semantic relations, for a reader who meets it for the first time."""

from __future__ import annotations

from typing import Final

GLOSSARY: Final = (
    ("Target", "The noun that is asked about, such as niece."),
    (
        "Relata",
        "The words that have a relation to the target. Hypernyms (HYP) are more general and hyponyms (HPO) more "
        "specific; holonyms (HOL) are wholes that it is part of, meronyms (MER) its parts; antonyms (ANT) oppose it; "
        "synonyms (SYN) mean the same.",
    ),
    ("Prompt", "A sentence about a target that ends in a blank, such as “[DET] [W] is a kind of [V]”."),
    ("Probe", "A prompt with its target filled in."),
    ("Answers", "The ranked words for a blank: a model's most probable ones, or those that people gave most often."),
    (
        "k",
        "How many words of a model count: as many as people gave to the same probe, or a setting where there are no "
        "people.",
    ),
    (
        "Shared vocabulary",
        "Words that are one token in every model under test: models answer with no other, unless the setting "
        "vocabulary says so.",
    ),
    (
        "Own words, all tokens",
        "What a model's answers can be sought among instead: whole words of its own vocabulary, in which words that "
        "other models lack take ranks, or all its tokens, in which pieces of words and signs do too, as in the paper.",
    ),
    (
        "Score of a word",
        "Its place in the list, from almost 1 at the top to just above 0 at last: (length − rank + 1) / (length + 1)."
        " A word that is not in the list scores 0.",
    ),
    (
        "Alpha(s, r)",
        "The mean score of the target's relata of relation s in the answers to probes of relation r (equations 1 and "
        "2), over the probes whose target has such relata. Alpha(r, r) says how well what was asked for is found.",
    ),
    (
        "Reading of equation 2",
        "What alpha(s, r) is a mean of. “Probes with relata”: of those whose target has relata of s. “As printed”: of "
        "all probes of r, those without adding 0. “Share of the attainable”: as the first, each alpha divided by the "
        "largest that its list could have, which depends on the list's length and the number of relata.",
    ),
    (
        "Ties",
        "Words that equally many people gave. They stand in the order in which they were first mentioned, person by "
        "person, in the alphabet's, or share the mean of their ranks.",
    ),
    (
        "Confusability(s, r)",
        "How far probes of r are taken for s: alpha(s, r) divided by alpha(r, r), at most 1 (equation 3). The diagonal "
        "is 1 by definition. Not defined where alpha(r, r) is 0: then nothing asked for was found.",
    ),
    (
        "Antonymy bias",
        "Two numbers: the mean of the antonymy column without the diagonal (other relations taken for antonymy) and of "
        "the antonymy row (antonymy taken for others). High beside low is a bias.",
    ),
    (
        "Interval",
        "Where a number lies if other targets had been drawn: whole targets are drawn anew with their probes "
        "(percentile bootstrap). A draw in which the number is not defined cannot be used; where there are such, it "
        "says how many could be. A number with fewer than two targets behind it has no interval, nor has one that is "
        "defined in fewer than half of the draws.",
    ),
    (
        "Permutation test",
        "Whether a model's number differs from people's by more than chance: all answers to a target are swapped "
        "between the two at the toss of a coin, and p is how often that gives as large a difference; two-sided. Over "
        "the probes that both answered.",
    ),
    (
        "p (Holm)",
        "A p that is corrected for the number of tests of its kind made on this model: of all of them, a false alarm "
        "has a chance of 5 % at most.",
    ),
)
"""(word, meaning), in the order in which a newcomer needs them."""
