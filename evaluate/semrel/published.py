"""What the paper prints (Cao, Yamada and Tokunaga), for a reader who wants to see these numbers beside it.

Shown as printed and never computed with. Figure 1 has no numbers that could be read from the text; what section 4 says
of it is in `findings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tashika.core.suites.semrel.words import TARGET_SLOT, Relation


class Row(NamedTuple):
    """A row of Table 1: targets, the size of their sets of relata (mean, standard deviation), prompts, probes."""

    targets: int
    relata_mean: float
    relata_sd: float
    prompts: int
    probes: int


TABLE_1: Final[Mapping[Relation, Row]] = {
    "hypernymy": Row(718, 9.0, 7.1, 7, 5_026),
    "hyponymy": Row(319, 20.7, 43.5, 7, 2_233),
    "holonymy": Row(195, 2.6, 2.1, 7, 1_365),
    "meronymy": Row(146, 3.0, 4.4, 6, 876),
    "antonymy": Row(105, 1.1, 0.4, 9, 945),
    "synonymy": Row(218, 3.0, 2.7, 7, 1_526),
}

TABLE_2_TARGET: Final = "niece"
TABLE_2_RELATION: Final = "hypernymy"
TABLE_2_PROBE: Final = "the word “niece” has a more specific sense than the word V"
TABLE_2_PROMPTS: Final = (
    "the word [W] has a more specific sense than the word [V]",
    "the word [W] names something narrower than the word [V]",
)
"""The prompt of table 2, as the published responses have it, and the one of our own that comes nearest to it."""

TABLE_2: Final[Mapping[str, tuple[str, str]]] = {
    "ALBERT-base": ("evalle", "jovah"),
    "ALBERT-large": ("nephew", "niece"),
    "ALBERT-xlarge": ("niece", "aunt"),
    "ALBERT-xxlarge": ("niece", "cousin"),
    "BERT-base": ("mother", "love"),
    "BERT-large": ("sister", "niece"),
    "RoBERTa-base": ("sister", "daughter"),
    "RoBERTa-large": ("aunt", "cousin"),
    "OPT-125M": ("”", "n"),
    "OPT-350M": ("”", "niece"),
    "OPT-1.3B": ("nephew", "cousin"),
    "OPT-2.7B": ("nephew", "cousin"),
    "OPT-6.7B": ("nephew", "cousin"),
    "OPT-13B": ("nephew", "sister"),
    "OPT-30B": ("nephew", "cousin"),
    "OPT-66B": ("niece", "nephew"),
    "Human": ("relative", "kin"),
}
"""The first two answers of each system to `TABLE_2_PROBE`."""

REMARKS: Final = (
    "Section 3.2 names part-whole relations twice with 7 and 6 prompts: 7 are holonymy's and 6 meronymy's, as Table 1 "
    "has it.",
    "The paper's relata come from WordNet by senses that it does not name, and from category norms that are "
    "copyrighted: other relata give other sizes.",
    "Of the words in the vocabularies of BERT, ALBERT, RoBERTa and OPT all four have .19, with Llama 2 in the place of "
    "OPT .08; so OPT was chosen (footnote 1).",
    "It does not say how it ranks words that equally many people gave. Its Table 2 has what was first mentioned first, "
    "and so it is here, unless the settings name another order.",
)


def prompt_order(prompt: str) -> tuple[bool, bool, str]:
    """Sorts the paper's prompt first, then others that ask about the word as such, as it does, then by the alphabet."""
    return prompt not in TABLE_2_PROMPTS, not prompt.startswith(f"the word {TARGET_SLOT} "), prompt
