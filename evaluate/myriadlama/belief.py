"""BELIEF: how much a model knows, how steadily, and how well it knows what it knows, from many prompts a fact.

Pure functions over `Predictions`. Equations are those of "Multifaceted knowledge evaluation of language models with
diverse prompts" (MyriadLAMA and BELIEF), section 3. Where the paper is open or misprinted, the choice made here is:

- **Aliases averaged.** A draw (section 4.1) picks one template a relation; where a subject has several aliases, the
  score of a (pair, template) is the mean over its aliases, so a draw differs from another by its templates alone.
- **Templates without answers.** A draw picks among the templates of a relation that the model answered at all, and
  divides by the number of pairs that were answered with the templates drawn.
- **Unordered pairs.** Equation 5 counts every two prompts once. Pairs with one prompt have no consistency: they are
  left out and counted.
- **Weights n_i/N.** Equation 6 prints |P(i)|/M, which does not sum to one. With n_i/N the signed Overconf@K equals
  mean confidence minus mean Acc@K whatever the bins are.
- **Overconf@10.** Acc@10 is never below Acc@1, so equation 6 makes Overconf@10 at most Overconf@1 in every bin, under
  any weights; Table 2 prints it higher for all three models. What it printed is not known. `overconf@10` is equation 6;
  `overconf@10 mass` sets the probability of the ten most probable answers together against Acc@10.
- **Answers as words.** Equation 5 compares tokens, which were words in the paper's WordPiece vocabulary. A byte-level
  vocabulary has one token for a word after a space and another at the start of a text, so words are compared.
- **Equal-count bins.** Bins differ by one prompt at most. Where equal confidences fall on both sides of a border,
  each side gets its share of their mean accuracy, so that the order of the rows changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError
from tashika.evaluate.myriadlama.calibration import calibration_of
from tashika.evaluate.myriadlama.consistency import Agreement, agreement_within
from tashika.evaluate.myriadlama.fluctuation import Cells, fluctuation_of, score
from tashika.evaluate.myriadlama.metrics import (
    MEASURES,
    Belief,
    BeliefSettings,
    ByTemplate,
    DrawSpread,
    Measure,
    RelationScores,
    SingleTemplate,
    TableA1,
    TableA2,
    Varied,
)
from tashika.evaluate.myriadlama.predictions import Codes, Predictions, dense

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SinglePrompt:
    """The prompts of a single-prompt evaluation as LAMA-UHN's: one template a relation, subjects by their label.

    Attributes:
        template_ids: The chosen templates.
        alias_ids: The subjects' labels.
    """

    template_ids: Collection[str]
    alias_ids: Collection[str]


def belief(
    predictions: Predictions, *, draws: int = 5000, bins: int = 10, seed: int = 0, single: SinglePrompt | None = None
) -> Belief:
    """All numbers of section 3, Tables 2, A.1 and A.2 and Figure 1, overall and by relation.

    Args:
        predictions: One model's answered prompts.
        draws: N of section 3.2.
        bins: M of equation 6.
        seed: Of the draws.
        single: Which prompts make the single-prompt score that stands beside them (Table 2, column LAMA-UHN).

    Raises:
        InputError: `draws` or `bins` is below 1.
    """
    if draws < 1 or bins < 1:
        raise InputError(f"found draws {draws} and bins {bins}; both must be at least 1")
    cells = Cells.of(predictions)
    agreement = agreement_within(predictions.pair, predictions.answer, len(predictions.relation_of_pair))
    calibration = calibration_of(predictions, bins)
    fluctuation = fluctuation_of(cells, draws, seed)
    by_relation = _by_relation(predictions, cells, agreement, fluctuation.by_relation)
    table_a1 = _table_a1(by_relation)
    several = agreement.possible > 0
    alone = {"pairs_with_one_prompt": int(np.count_nonzero(~several))}
    return Belief(
        acc_at_1=_accuracy(predictions.rank, "acc@1"),
        acc_at_10=_accuracy(predictions.rank, "acc@10"),
        mrr=_accuracy(predictions.rank, "mrr"),
        fluctuation=fluctuation.overall,
        consist_at_1=_mean(agreement.share()[several]),
        overconf_at_1=calibration.overconf_at_1,
        overconf_at_10=calibration.overconf_at_10,
        mass_overconf_at_10=calibration.mass_overconf_at_10,
        n_prompts=len(predictions.rank),
        n_pairs=len(predictions.relation_of_pair),
        settings=BeliefSettings(draws=draws, bins=bins, seed=seed),
        single_template=None if single is None else _single(predictions, single),
        by_relation=by_relation,
        table_a1=table_a1,
        table_a2=_table_a2(predictions, cells, table_a1),
        reliability=calibration.reliability,
        coverage=predictions.coverage.model_copy(update=alone),
    )


def _accuracy(rank: Codes, measure: Measure) -> float:
    return float(score(rank, measure).mean())


def _single(predictions: Predictions, single: SinglePrompt) -> SingleTemplate:
    """Scores of the chosen prompts alone."""
    template = np.isin(np.array(predictions.templates), list(single.template_ids))
    alias = np.isin(np.array(predictions.aliases), list(single.alias_ids))
    chosen = template[predictions.template] & alias[predictions.alias]
    pairs = np.unique(predictions.pair[chosen])
    rank = predictions.rank[chosen]
    return SingleTemplate(
        acc_at_1=_mean(score(rank, "acc@1")),
        acc_at_10=_mean(score(rank, "acc@10")),
        mrr=_mean(score(rank, "mrr")),
        n_prompts=int(chosen.sum()),
        n_pairs=len(pairs),
        n_relations=len(np.unique(predictions.relation_of_pair[pairs])),
    )


def _mean(values: npt.NDArray[Any]) -> float | None:
    return float(values.mean()) if values.size else None


def _by_relation(
    predictions: Predictions, cells: Cells, agreement: Agreement, fluctuation: Sequence[dict[Measure, DrawSpread]]
) -> dict[str, RelationScores]:
    """Every score for each relation alone; Overconf@K by its identity with a difference of means."""
    number = len(predictions.relations)
    prompts = cells.by_relation(cells.count)
    accuracy = {measure: cells.by_relation(cells.sums[measure]) for measure in MEASURES}
    of_template = predictions.relation_of_template
    of_row = of_template[predictions.template]
    sure = np.bincount(of_row, predictions.top_probability, minlength=number) / prompts.sum(axis=1)
    pairs = np.bincount(predictions.relation_of_pair, minlength=number)
    several = np.bincount(predictions.relation_of_pair, agreement.possible > 0, minlength=number)
    share = np.bincount(predictions.relation_of_pair, agreement.share(), minlength=number)
    rows: dict[str, RelationScores] = {}
    for place, name in enumerate(predictions.relations):
        used = prompts[place] > 0
        means = {measure: float(accuracy[measure][place].sum() / prompts[place].sum()) for measure in MEASURES}
        by_template = accuracy["acc@1"][place][used] / prompts[place][used]
        rows[name] = RelationScores(
            acc_at_1=means["acc@1"],
            acc_at_10=means["acc@10"],
            mrr=means["mrr"],
            fluctuation=fluctuation[place],
            consist_at_1=float(share[place] / several[place]) if several[place] else None,
            overconf_at_1=float(sure[place]) - means["acc@1"],
            overconf_at_10=float(sure[place]) - means["acc@10"],
            n_prompts=int(prompts[place].sum()),
            n_pairs=int(pairs[place]),
            n_templates=int(used.sum()),
            by_template=ByTemplate(
                min=float(by_template.min()), max=float(by_template.max()), mean=float(by_template.mean())
            ),
        )
    return rows


def _table_a1(by_relation: Mapping[str, RelationScores]) -> TableA1:
    """Acc@1 of the worst, the best and the mean template of each relation, averaged over the relations (A.1.2.1).

    A template's Acc@1 is equation 1 over its prompts. The text averages over relations alike; the printed averages
    equal those of Table 2, which only an average weighted by prompts does. So "weighted" holds that one too.
    """
    extremes = [row.by_template for row in by_relation.values()]
    values = np.array([[each.min, each.max, each.mean] for each in extremes])
    prompts = np.array([row.n_prompts for row in by_relation.values()])
    worst, best, mean = values.mean(axis=0).tolist()
    weighted = (prompts @ values / prompts.sum()).tolist()
    return TableA1(
        min=worst, max=best, mean=mean, weighted=ByTemplate(min=weighted[0], max=weighted[1], mean=weighted[2])
    )


def _table_a2(predictions: Predictions, cells: Cells, table_a1: TableA1) -> TableA2:
    """Consistency and Acc@1 where only the subject's alias, or only the template, changes (A.1.2.2).

    The appendix splits all prompts so that a subset holds one expression of the subject, or of the relation. Here:

    - `subject`, consistency: equation 5 over the prompt pairs of a subject–relation pair that share the template.
    - `template`, consistency: the same over those that share the subject's alias.
    - `subject`, min and max: Acc@1 of the worst and best alias of each subject–relation pair over all its templates,
      averaged over the pairs of a relation, then over the relations.
    - `template`, min and max: as in Table A.1, whose figures the paper prints here too.

    `n_pairs` counts the pairs that have something to compare.
    """
    pairs, width = cells.count.shape
    same_template = predictions.pair.astype(np.int64) * width + cells.slot[predictions.template]
    same_alias, keys = dense(predictions.name_key)
    pair_of_alias = keys // len(predictions.aliases)
    answer = predictions.answer
    of_subject = agreement_within(same_template, answer, pairs * width).added(np.repeat(np.arange(pairs), width), pairs)
    of_template = agreement_within(same_alias, answer, len(keys)).added(pair_of_alias, pairs)
    return TableA2(
        subject=_varied(of_subject, *_alias_range(predictions, cells, same_alias, pair_of_alias)),
        template=_varied(of_template, table_a1.min, table_a1.max),
    )


def _varied(agreement: Agreement, worst: float, best: float) -> Varied:
    several = agreement.possible > 0
    return Varied(consist_at_1=_mean(agreement.share()[several]), n_pairs=int(several.sum()), min=worst, max=best)


def _alias_range(
    predictions: Predictions, cells: Cells, same_alias: Codes, pair_of_alias: Integers
) -> tuple[float, float]:
    """Acc@1 of the worst and of the best alias of each pair, averaged over the relations."""
    pairs = len(cells.relation_of_pair)
    hits = np.bincount(same_alias, predictions.rank == 1, minlength=len(pair_of_alias))
    accuracy = hits / np.bincount(same_alias, minlength=len(pair_of_alias))
    worst, best = np.ones(pairs), np.zeros(pairs)
    np.minimum.at(worst, pair_of_alias, accuracy)
    np.maximum.at(best, pair_of_alias, accuracy)
    number = np.bincount(cells.relation_of_pair)
    return (
        float((np.bincount(cells.relation_of_pair, worst) / number).mean()),
        float((np.bincount(cells.relation_of_pair, best) / number).mean()),
    )
