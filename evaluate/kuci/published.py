"""The numbers that the KUCI paper prints, as its authors corrected them on its first page.

They are of another and much larger set, shown beside ours and never computed with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ACCURACY: Final[Mapping[str, float]] = {"BERT-large, fine-tuned": 0.795, "People, majority of five": 0.94}
"""Sections 3.4 and 4, corrected; printed were 39 % and 92 %."""

ABLATIONS: Final[Mapping[str, float]] = {"without_similarity": -0.01, "without_length": 0.02}
"""Accuracy on the set without a condition, less that on the published one (section 4)."""

FUNNEL: Final[Mapping[str, str]] = {
    "sentences": "about 180,000,000",
    "relations found": "about 20,000,000",
    "basic": "about 120,000",
    "no repetition": "51,841",
    "accepted by people": "34,170",
    "questions": "34,132",
}
"""By the steps' names in `items/funnel.json` (sections 3.2 to 3.4)."""

BASIC_TRIAL: Final[Mapping[str, int]] = {"any": 47, "basic": 77}
"""Of 100 pairs each, without the condition Basic and with it, those that common sense explains (section 3.2)."""

SPLITS: Final[Mapping[str, int]] = {"train": 27_304, "validation": 3_278, "test": 3_288}
"""Table 4."""

RELEASE_SPLITS: Final[Mapping[str, int]] = {"train": 83_127, "validation": 10_228, "test": 10_291}
"""Of the authors' release of 2020, by its README (github.com/ku-nlp/KUCI)."""

RELEASE_ACCURACY: Final[Mapping[str, float]] = {"Their best model, fine-tuned": 0.760, "People": 0.889}
"""On the authors' release, by the abstract of Omura, Kawahara and Kurohashi (EMNLP 2020), which does not say how many
questions people answered."""

REMARKS: Final = (
    "The authors corrected three numbers after printing: the range of similarity (0.4 to 0.6), BERT-large's accuracy "
    "(79.5 %, printed as 39 %) and that of people (94 %, printed as 92 %). They do not say whether the differences "
    "without a condition were measured anew.",
    "Table 4's parts sum to 33,870 questions; the text says that 34,132 were generated.",
    "The paper gives no interval, no number of training runs and no baseline that sees the options alone.",
)
