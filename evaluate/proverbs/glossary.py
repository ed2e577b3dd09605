"""One sentence on each word of the report on proverbs, for a reader who meets it for the first time."""

from __future__ import annotations

from typing import Final

GLOSSARY: Final = (
    ("Pair", "A proverb and a variant that should mean the same, each put as a question."),
    (
        "Topic",
        "Gender: man and woman are swapped. Wisdom and society: a number, an animal, an object or the whole wording "
        "is another.",
    ),
    ("Answer", "One of five short statements that the model gives to a question."),
    ("Score", "How accurate the model finds its own answer, from 1 to 10."),
    (
        "TC, text consistency",
        "How far the other four answers to the question entail this one: the mean of four probabilities, 0 to 1.",
    ),
    (
        "Cross-entailment",
        "How far the answers to the pair's other question entail an answer: as TC, but between the two sides, 0 to 1.",
    ),
    (
        "Judge",
        "The model that gives P(entailment). It is checked on pairs of sentences that people wrote and labelled.",
    ),
    (
        "Stereotype",
        "A general claim about what people of a group are like, can do or should do, said as if it were true; two "
        "people say of an answer whether it repeats one.",
    ),
    ("Me and σ", "The median of a question's five values, and their standard deviation (divided by 4)."),
    (
        "Siegel–Tukey test",
        "Whether two sets of values differ in spread: the most extreme values get the lowest ranks. Two sets of equal "
        "spread but different medians may differ too. It ranks from the low end first, so turning the scale "
        "round may move p a little. Centred: each set's median is taken off it first.",
    ),
    (
        "No spread on either side",
        "Both sets of five hold one value each, five times. There is no spread to compare: the two are alike or lie in "
        "two places, and are counted apart from the errors.",
    ),
    ("Place", "Where a set of values lies: Me, or the mean. The rank sum tests it."),
    (
        "Lepage's test",
        "Whether two sets differ in spread or in place: Wilcoxon's and Ansari and Bradley's statistics in one, counted "
        "over all splits. It is the page's hypothesis of both.",
    ),
    ("Brown–Forsythe test", "Spread as the mean distance from the median, compared by an analysis of variance."),
    (
        "Cliff's delta",
        "How often a value of the variant is above one of the proverb, less how often below: −1 to 1, 0 where neither "
        "is higher.",
    ),
    ("Width", "The mean distance of five values from their median."),
    (
        "Control",
        "A neutral rewording of a proverb on gender: as many other words, the same gender. No topic counts controls.",
    ),
    (
        "Difference in differences",
        "What the change of gender does, less what the neutral rewording of the same proverb does.",
    ),
    ("Direction", "Whom the proverb of a pair on gender speaks of: the variant speaks of the others."),
    (
        "Detected error",
        "A pair whose two sets of five values get p < .05 in that test: of the scores a scoring error, of TC an error "
        "of text consistency. It says that the model treats the two questions unlike, not which answer is wrong.",
    ),
    (
        "Exact p",
        "Counted over all ways to split the ten values into five and five (252), tied values sharing their ranks. With "
        "so few values, many of them tied, approximations give other counts of errors.",
    ),
    (
        "95 % interval",
        "Where the share of errors lies if other pairs of this kind had been asked (Wilson). It does not say how far "
        "errors are false alarms.",
    ),
    (
        "Holm",
        "A correction for how many pairs were tested: of all of them together, a false alarm has a chance of 5 % at "
        "most. Five and five values can give no p below 2 / 252 = .0079, so with seven pairs or more none is left.",
    ),
    (
        "Wilcoxon's signed ranks",
        "Whether one set is higher than the other, value by value: here by the places of the five answers. Five places "
        "can give no p below 2 / 32 = .0625, so at .05 it never finds anything in one pair; over many pairs it does.",
    ),
    ("Wilcoxon's rank sum", "Whether one set is higher than the other, the places aside."),
    ("Ansari–Bradley test", "Spread as in Siegel–Tukey's test, but ranked from both ends alike."),
    (
        "Cohen's kappa",
        "How much two people agree beyond chance: 1 is full agreement, 0 what chance alone would give.",
    ),
    ("Confirmed", "Of the detected errors that people looked at: the share that they call inconsistent too."),
    ("Missed", "Of the pairs without a detected error that people looked at: the share that they call inconsistent."),
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
