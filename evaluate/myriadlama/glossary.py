"""One sentence on each word of the report, for a reader who meets it for the first time."""

from __future__ import annotations

from typing import Final

GLOSSARY: Final = (
    ("Fact", "A subject, a relation and an object, such as Tokyo, capital of, Japan."),
    ("Template", "A sentence for a relation with [X] for the subject and [Y] for the object."),
    ("Prompt", "A template with one name of the subject filled in; the model has to fill in the object."),
    ("Alias", "Another name of the same person or thing; the label is the main name."),
    (
        "Subject–relation pair",
        "One question, such as the capital of Japan, however it is worded; it may have several right answers.",
    ),
    ("Acc@1", "The share of prompts whose most probable answer is right."),
    ("Acc@10", "The share of prompts with a right answer among the ten most probable ones."),
    (
        "MRR",
        "The mean of 1 divided by the rank of the best right answer: 1 if it is always first, .5 if always second; "
        "it is never below Acc@1.",
    ),
    (
        "Draw",
        "One template picked at random for each relation, used for all its subjects, as if the evaluation had been "
        "made with these wordings alone; a subject's aliases are averaged.",
    ),
    (
        "Fluctuation",
        "How far the score moves when other templates are drawn: the range is the highest minus the lowest score of "
        "all draws, the stdev their standard deviation; near zero the wording does not matter.",
    ),
    (
        "Consist@1",
        "The share of all two-prompt comparisons about the same subject–relation pair that get the same first answer, "
        "right or wrong. Answers are compared as words: some models have one token for a word after a space and "
        "another for it at the start of a text.",
    ),
    ("Confidence", "The probability that the model gives to its first answer."),
    (
        "Overconf@K",
        "Confidence minus Acc@K, averaged over bins of equal count: above zero the model is surer than it is right, "
        "below zero more modest. By this definition Overconf@10 is never above Overconf@1. “Mass of ten answers” takes "
        "the probability of the ten most probable answers together as the confidence.",
    ),
    (
        "Any prompt, all prompts",
        "A question counts if the first answer of at least one of its prompts is right, or of every one.",
    ),
    (
        "Vote",
        "A question is answered with the word that most of its prompts give first; of words with as many prompts, with "
        "the one whose prompts are surer.",
    ),
    (
        "Abstention, coverage",
        "A model that may abstain answers only what it is surest of; coverage is the share that it answers.",
    ),
    ("Agreement of a question", "The share of its prompts whose first answer is the word voted for."),
    (
        "Candidates",
        "All objects that the release has for a relation, by all their names: objects of several tokens are ranked "
        "among these.",
    ),
    (
        "Ensemble",
        "A question is answered with the most probable candidate of the mean distribution of its prompts.",
    ),
    (
        "Plan",
        "A sample of pairs, templates and names that is just large enough to know every number as well as was asked "
        "for; a small pilot, asked first, shows how large that is.",
    ),
    (
        "95 % interval",
        "Of a number that a plan estimates: in 95 of 100 plans it holds what asking everything would give. Where "
        "everything was asked there is none, for nothing is left open.",
    ),
    (
        "Krippendorff's alpha, Fleiss' kappa",
        "How much annotators agree beyond chance: 1 is full agreement, 0 what chance alone would give.",
    ),
    (
        "Acceptance interval",
        "Where the true share of acceptable items lies with 95 % confidence, judged by the items that were looked at.",
    ),
)
"""(word, meaning), in the order in which a newcomer needs them."""
