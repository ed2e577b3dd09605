"""The words of the suite on semantic relations: its six relations, and the form of a prompt.

Source: Cao, Yamada and Tokunaga, section 2 (probes) and 3.2 (relations).
"""

from __future__ import annotations

from typing import Final, Literal, get_args

NAME: Final = "semrel"
"""The suite's name."""

Relation = Literal["hypernymy", "hyponymy", "holonymy", "meronymy", "antonymy", "synonymy"]
RELATIONS: Final[tuple[Relation, ...]] = get_args(Relation)
"""In the paper's order. A word's hypernyms are more general, its hyponyms more specific; its holonyms are wholes that
it is part of, its meronyms its parts."""

SHORT: Final[dict[Relation, str]] = {
    "hypernymy": "HYP",
    "hyponymy": "HPO",
    "holonymy": "HOL",
    "meronymy": "MER",
    "antonymy": "ANT",
    "synonymy": "SYN",
}
"""As the paper's tables and figures name them."""

PUBLISHED_KEYS: Final[dict[str, Relation]] = {
    "hyp": "hypernymy",
    "rhyp": "hyponymy",
    "holo": "holonymy",
    "mero": "meronymy",
    "ant": "antonymy",
    "syn": "synonymy",
}
"""As the published response file names them."""

TARGET_SLOT: Final = "[W]"
BLANK_SLOT: Final = "[V]"
ARTICLE_SLOT: Final = "[DET]"
"""Before [W] or [V]: the article that the word takes, or none."""

OLDER_SLOTS: Final[tuple[tuple[str, str], ...]] = (
    (r"\bthe (?=\{[01]\})", f"{ARTICLE_SLOT} "),
    (r"\{0\}", TARGET_SLOT),
    (r"\{1\}", BLANK_SLOT),
)
"""How an older version of the published response file writes them: patterns and what replaces them, in order."""
