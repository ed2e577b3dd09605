"""The numbers that the TempRIPPLE paper prints, for a reader who wants to see this release's beside them.

They are shown as printed and never computed with. The marks are the paper's: † between hops (Fisher), ‡ between with
and without context (McNemar), raw p < .05.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

COUNTS: Final = {
    "facts": 464,
    "history": 1_680,
    "related": 35_198,
    "related_hop_1": 9_338,
    "related_hop_2": 16_370,
    "related_hop_3": 9_490,
}
"""Section 2.3."""

MEAN_YEARS: Final = 4.3
"""Of all tenures, section 2.3."""


class Durations(NamedTuple):
    """A line of Table 1: (subject, property) pairs, tenures, and the tenures' years."""

    facts: int
    tenures: int
    mean: float
    longest: float


TABLE_1: Final[Mapping[str, Durations]] = {
    "P6": Durations(77, 192, 6.7, 31),
    "P35": Durations(11, 23, 7.5, 25),
    "P54": Durations(138, 762, 2.3, 15),
    "P108": Durations(66, 161, 9.3, 55),
    "P169": Durations(18, 41, 6.7, 20),
    "P286": Durations(42, 205, 2.2, 16),
    "P488": Durations(92, 248, 5.4, 23),
}
"""An extract, as printed."""


def _row(*cells: str) -> list[dict[str, Any]]:
    """Table 2's cells: accuracy, marks, and the printed difference with its arrow."""
    return [dict(zip(("accuracy", "marks", "delta"), (*cell.split(" "), "", ""), strict=False)) for cell in cells]


TABLE_2: Final = {
    "Qwen2-7B": _row(".569", ".976 ‡ ↑.41", ".538", ".819 †‡ ↑.28", ".674", ".667  ↓.01", ".717 †", ".636 †‡ ↓.08"),
    "Qwen2.5-7B": _row(".594", ".982 ‡ ↑.39", ".520", ".835 †‡ ↑.31", ".716", ".695 ‡ ↓.02", ".642 †", ".618 †‡ ↓.02"),
    "OLMo-7B": _row(".557", ".994 ‡ ↑.44", ".508 †", ".795 †‡ ↑.28", ".596", ".580 ‡ ↓.02", ".552 †", ".530 †‡ ↓.02"),
    "GPT-4o-mini": _row(
        ".634", ".958 ‡ ↑.32", ".585 †", ".819 †‡ ↑.23", ".719", ".688 ‡ ↓.03", ".631 †", ".601 †‡ ↓.03"
    ),
}
"""Model -> without and with context for new, related to new, old, related to old (hop 1)."""

TABLE_3: Final = {
    "Qwen2-7B": {"new": 0.0159, "old": 0.1169},
    "Qwen2.5-7B": {"new": 0.0652, "old": 0.1175},
    "OLMo-7B": {"new": 0.0560, "old": 0.1192},
    "GPT-4o-mini": {"new": 0.0077, "old": -0.0001},
}
"""Point-biserial correlation with the property's mean duration, with context."""

FIGURE_2: Final = (
    (
        "new",
        "(2025, null, United States, head_of_government, Donald Trump)",
        (
            (0, "Who is the most recent US president?", "Donald Trump"),
            (1, "Who is the spouse of the most recent US president?", "Melania Trump"),
            (2, "What is the native language of the spouse of the most recent US president?", "Slovene"),
            (3, "What is the ISO code of the native language of the spouse of the most recent US president?", "sl"),
        ),
    ),
    (
        "old",
        "(2021, 2025, United States, head_of_government, Joe Biden)",
        (
            (0, "Who was the previous US president?", "Joe Biden"),
            (1, "Who is the spouse of the previous US president?", "Jill Biden"),
            (2, "Who is the mother of the spouse of the previous US president?", "Bonny Jacobs"),
            (3, "Where was born the mother of the spouse of the previous US president?", "New Jersey"),
        ),
    ),
)
"""Age, fact, and (hop, question, answer)."""

TABLE_4: Final[Mapping[str, tuple[str, str]]] = {
    "P35": ("The head of state in <subject> is <object>", "Who is the head of state in <subject>?"),
    "P6": ("The head of government in <subject> is <object>", "Who is the head of government in <subject>?"),
    "P488": ("The chairperson of <subject> is <object>", "Who is the chairperson of <subject>?"),
    "P169": (
        "The chief executive officer of <subject> is <object>",
        "Who is the chief executive officer of <subject>?",
    ),
    "P54": (
        "<subject> is affiliated with the sports team of <object>",
        "Which sports team is <subject> affiliated with?",
    ),
    "P286": ("The head coach of <subject> is <object>", "Who is the head coach of <subject>?"),
    "P551": ("<subject> lives in <object>", "Where does <subject> live?"),
    "P102": (
        "<subject> is affiliated with the political party of <object>",
        "Which political party is <subject> affiliated with?",
    ),
    "P108": ("<subject> is an employee of <object>", "Which organization is <subject> an employee of?"),
    "P69": ("<subject> is educated at <object>", "Which university is <subject> educated at?"),
    "P937": ("The work location of <subject> is <object>", "Where is <subject>'s workplace?"),
    "P36": ("The capital of <subject> is <object>", "What is the capital of <subject>?"),
    "P159": ("The headquarters of <subject> is located in <object>", "Where is the headquarters of <subject> located?"),
    "P27": ("<subject> is a citizen of <object>", "What is the country of citizenship of <subject>?"),
    "P140": ("<subject> is affiliated with the religion of <object>", "Which religion is <subject> affiliated with?"),
    "P17": ("<subject> is located in the country of <object>", "Which country is <subject> located in?"),
}
"""Property -> proposition and question."""

TABLE_5: Final = (
    ("P25", "Who is the mother of <subject>?"),
    ("P22", "Who is the father of <subject>?"),
    ("P19", "What is the birthplace of <subject>?"),
    ("P103", "What is the native language of <subject>?"),
    ("P37", "What is the official language of <subject>?"),
    ("P36", "What is the capital of <subject>?"),
    ("P37", "What is the official language of <subject>?"),
    ("P112", "Who is the founder of <subject>?"),
    ("P571", "What is the founding date of <subject>?"),
    ("P452", "What is the industry of <subject>?"),
    ("P115", "What is the home venue of <subject>?"),
    ("P498", "What is the ISO code of <subject>?"),
    ("P361", "What is the language family of <subject>?"),
    ("P282", "What is the writing system of <subject>?"),
)
"""An extract, as printed: P37 stands there twice; P361 is "part of", and a language family is P279; P498 is a
currency's code, where the figure's "sl" is a language's, P218."""

REMARKS: Final = (
    "The paper does not say how it treats answers that name no option, states no correction for many tests, and gives "
    "figure 3 without numbers.",
    "OLMo's printed ↑.28 for facts related to new ones does not fit its printed accuracies, .795 less .508.",
    "Facts related to old ones are said to be answered worse than the old facts; without context Qwen2's are printed "
    "as answered better, .717 against .674.",
)
