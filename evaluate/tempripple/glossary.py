"""One sentence on each word of TempRIPPLE's report, for a reader who meets it for the first time."""

from __future__ import annotations

from typing import Final

GLOSSARY: Final = (
    (
        "Changing fact",
        "A subject, a property and an object that holds for a time, such as Japan's head of government.",
    ),
    ("Tenure", "The time of one object; re-elections are one tenure, a return after somebody else is another."),
    ("New fact", "The most recent tenure; it began in the window, so a model trained before cannot know it."),
    ("Old fact", "A tenure before the window: what was true, and stays true of its time."),
    ("Related fact", "A stable fact about the object of a tenure, or about the object of a related fact before it."),
    ("Hop", "How many related facts lead from the tenure to what is asked for; hop 0 asks for the tenure's object."),
    (
        "With context",
        "The new fact stands as a sentence before the question, also where the question is on an old one.",
    ),
    ("Accuracy", "The share of the answered questions whose chosen option is right."),
    ("No answer", "Nothing could be chosen, such as a reply that names no option; counted apart from the accuracy."),
    (
        "Other side",
        "The new object for a question on an old fact, and the old object before it for one on the new fact; for "
        "related facts what the same path leads to from there. Where its answer is the same, a right answer does not "
        "show which side was followed.",
    ),
    ("Lure", "A wrong option that is right of the other side: who chooses it has followed that side."),
    (
        "Certain, likely, unknown",
        "Whether a related fact did not change: by its dates or its nature; undated and seldom changing; undated and "
        "often changing.",
    ),
    ("Training cut-off", "The last day of a model's training data (t_M); a fact that began later is new to the model."),
    ("Orders", "The rotations of the options: over all of them each option stands under each letter once."),
    (
        "Pull of the letters",
        "How far the shares of the letters that were chosen are from those that are right, over all orders: 0 for a "
        "model that chooses by content.",
    ),
    ("Chance", "The accuracy of guessing: one divided by the number of options."),
    (
        "95 % interval",
        "Where the accuracy lies if other subjects had been drawn: whole subjects are drawn anew with their questions "
        "(percentile bootstrap), since these hang together. “No spread” means that no subject differs from the others, "
        "not that nothing is left open. A single subject gives none.",
    ),
    (
        "McNemar's test (‡)",
        "Whether more answers turned right than wrong, or the other way round, when the context was added; exact, over "
        "the questions that were answered both ways. The mid-p beside it is less cautious.",
    ),
    (
        "Fisher's test (†)",
        "Whether the share of right answers differs from that of the hop before, of the same age and condition; exact.",
    ),
    (
        "Point-biserial correlation",
        "Pearson's correlation of right (1) or wrong (0) with the mean years that the property's objects stay: above "
        "zero, what lasts longer is answered better.",
    ),
    (
        "p (Holm)",
        "A p that is corrected for how many tests of its kind were made on this model: of all of them, a false alarm "
        "has a chance of 5 % at most. The tests take questions as independent, which those on one subject are not, so "
        "every p is rather too small.",
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
