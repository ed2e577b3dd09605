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

REMARKS: Final = (
    "The paper does not say how it treats answers that name no option, states no correction for many tests, and gives "
    "figure 3 without numbers.",
    "OLMo's printed ↑.28 for facts related to new ones does not fit its printed accuracies, .795 less .508.",
    "Facts related to old ones are said to be answered worse than the old facts; without context Qwen2's are printed "
    "as answered better, .717 against .674.",
)
