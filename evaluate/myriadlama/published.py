"""The numbers that the MyriadLAMA paper prints, for a reader who wants to see this release's beside them.

They are shown as printed and never computed with. Two known misprints are named in `MISPRINTS`; Table A.2 prints
percentages, given here as fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.evaluate.myriadlama.metrics import (
    MEASURES,
    Accuracies,
    ByTemplate,
    PaperScores,
    RangeAndStdev,
    VariedScores,
    VariedTable,
)

LAMA_UHN: Final = {
    "templates": 41,
    "unique_triples": 27_106,
    "derived_triples": 27_106,
    "pairs": 24_643,
    "prompts": 24_643,
}
"""Table 1, first column."""

MYRIADLAMA: Final = {
    "templates": 4_100,
    "unique_triples": 34_048,
    "derived_triples": 21_140_500,
    "pairs": 24_643,
    "prompts": 6_492_800,
}
"""Table 1, second column."""


Two = tuple[float, float]
Three = tuple[float, float, float]


def _printed(
    *,
    single: Three,
    many: Three,
    ranges: Three,
    stdevs: Three,
    others: Two,
    templates: Three,
    aliases: Three,
    consistency_of_templates: float,
) -> PaperScores:
    """One model's columns.

    Args:
        single: Acc@1, Acc@10 and MRR with one prompt a fact.
        many: The same over all prompts.
        ranges: Of these over draws.
        stdevs: Of these over draws.
        others: Consist@1 and Overconf@1.
        templates: Acc@1 of the worst, the best and the mean template.
        aliases: Where only the alias changes: Consist@1, and Acc@1 of the worst and the best alias.
        consistency_of_templates: Consist@1 where only the template changes.
    """
    worst, best, mean = templates
    spreads = zip(MEASURES, ranges, stdevs, strict=True)
    return PaperScores(
        acc_at_1=many[0],
        acc_at_10=many[1],
        mrr=many[2],
        single_template=Accuracies(acc_at_1=single[0], acc_at_10=single[1], mrr=single[2]),
        fluctuation={measure: RangeAndStdev(range=reach, stdev=stdev) for measure, reach, stdev in spreads},
        consist_at_1=others[0],
        overconf_at_1=others[1],
        overconf_at_10=None,
        mass_overconf_at_10=None,
        table_a1=ByTemplate(min=worst, max=best, mean=mean),
        table_a2=VariedTable(
            subject=VariedScores(consist_at_1=aliases[0], min=aliases[1], max=aliases[2]),
            template=VariedScores(consist_at_1=consistency_of_templates, min=worst, max=best),
        ),
    )


BERT: Final[Mapping[str, PaperScores]] = {
    "BERT-base": _printed(
        single=(0.2403, 0.5377, 0.1767),
        many=(0.1103, 0.3053, 0.1766),
        ranges=(0.1508, 0.2815, 0.1946),
        stdevs=(0.0221, 0.0404, 0.0269),
        others=(0.167, 0.220),
        templates=(0.0000, 0.3534, 0.1103),
        aliases=(0.5745, 0.0673, 0.1441),
        consistency_of_templates=0.1504,
    ),
    "BERT-large": _printed(
        single=(0.2454, 0.5509, 0.3456),
        many=(0.1185, 0.3173, 0.1861),
        ranges=(0.1525, 0.2871, 0.1922),
        stdevs=(0.0231, 0.0400, 0.0274),
        others=(0.180, 0.218),
        templates=(0.0007, 0.3728, 0.1185),
        aliases=(0.5497, 0.0714, 0.1554),
        consistency_of_templates=0.1548,
    ),
    "BERT-wwm": _printed(
        single=(0.2448, 0.5248, 0.3380),
        many=(0.1453, 0.3638, 0.2188),
        ranges=(0.1502, 0.2728, 0.1681),
        stdevs=(0.0218, 0.0374, 0.0258),
        others=(0.084, 0.116),
        templates=(0.0015, 0.3695, 0.1453),
        aliases=(0.5005, 0.0831, 0.1884),
        consistency_of_templates=0.1057,
    ),
}
"""Tables 2, A.1 and A.2: bert-base-uncased, bert-large-uncased and bert-large-uncased-whole-word-masking."""

OVERCONF_AT_10: Final = {"BERT-base": 0.288, "BERT-large": 0.290, "BERT-wwm": 0.164}
"""Table 2's Overconf@10, which equation 6 cannot give (see `MISPRINTS`): it stands beside no number of ours."""

MISPRINTS: Final = (
    "The printed MRR of BERT-base with one prompt a fact, .1767, cannot be: an MRR is never below its Acc@1, .2403.",
    "The printed Overconf@10, .288, .290 and .164, is above Overconf@1, .220, .218 and .116. Equation 6 cannot give "
    "that: Acc@10 is never below Acc@1, so confidence minus Acc@10 is never above confidence minus Acc@1, under any "
    "weights of the bins. The probability of the first ten answers together minus Acc@10 may rise so; whether the "
    "paper took that is not known, and its figures have a row of their own.",
    "The text gives .1184 where Table 2 gives .1185 for BERT-large.",
)
